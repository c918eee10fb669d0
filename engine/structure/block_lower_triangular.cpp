// engine/structure/block_lower_triangular.cpp: which rows must be solved together, and in what order.
//   in    incidence and a matching; rows and columns without partner are left out
//   out   the strong components of "row r needs the row that gives its column c", each after those it needs
//   keep  where the matching is perfect, the same blocks in the same order for every perfect matching
//   how   components: Tarjan 1972 with one number per row [Pearce 2016]; order: a second depth first search over whole
//         blocks, whose rows and columns are known by then, so that no choice is left to the matching
//   cost  O(rows + edges), and sorting the columns of each block
#include <algorithm>

#include "engine/structure/structure.hpp"

namespace kron::structure {
namespace {

// One pass: number[r] is the visiting number of a row on the stack, at last (all ones) - (its component).
class Components {
 public:
  Components(const Incidence& g, const Matching& m) : g_(g), m_(m), number_(g.rows(), 0) {
    for (Row r = 0; r < g.rows(); ++r)
      if (number_[r] == 0 && m.of_row[r] != free_end) visit(r);
  }
  std::uint32_t count() const { return found_; }
  std::uint32_t of(Row r) const { return free_end - number_[r]; }

 private:
  struct Frame {
    Row row;
    std::uint32_t own;   // visiting number
    std::uint32_t next;  // edge
  };

  void visit(Row root) {
    enter(root);
    while (!path_.empty()) {
      Frame& top = path_.back();
      const Row r = top.row;
      const std::uint32_t end = g_.begin[r + 1];
      std::uint32_t least = number_[r];
      Row unseen = free_end;
      for (; top.next < end; ++top.next) {
        const Row needed = m_.of_column[g_.column[top.next]];
        if (needed == free_end) continue;
        if (number_[needed] == 0) {
          unseen = needed;
          break;
        }
        if (number_[needed] < least) least = number_[needed];
      }
      number_[r] = least;
      if (unseen != free_end)
        enter(unseen);
      else
        leave(top.own);
    }
  }

  void enter(Row r) {
    number_[r] = ++visited_;
    path_.push_back({r, visited_, g_.begin[r]});
  }

  void leave(std::uint32_t own) {
    const Row r = path_.back().row;
    path_.pop_back();
    if (number_[r] != own) {  // needs a row below it on the path: same component
      waiting_.push_back(r);
      return;
    }
    for (; !waiting_.empty() && number_[waiting_.back()] >= own; waiting_.pop_back())
      number_[waiting_.back()] = free_end - found_;
    number_[r] = free_end - found_++;
  }

  const Incidence& g_;
  const Matching& m_;
  std::vector<std::uint32_t> number_;
  std::vector<Frame> path_;
  std::vector<Row> waiting_;
  std::uint32_t visited_ = 0, found_ = 0;
};

// Members of groups, ascending within a group: group k holds item[begin[k] .. begin[k+1]).
struct Groups {
  std::vector<std::uint32_t> begin, item;
};

template <class GroupOf>  // GroupOf(i) may be free_end: in no group
Groups group(std::uint32_t items, std::uint32_t groups, const GroupOf& group_of) {
  Groups out{std::vector<std::uint32_t>(groups + 1, 0), {}};
  for (std::uint32_t i = 0; i < items; ++i)
    if (const std::uint32_t k = group_of(i); k != free_end) ++out.begin[k + 1];
  for (std::uint32_t k = 0; k < groups; ++k) out.begin[k + 1] += out.begin[k];
  out.item.resize(out.begin[groups]);
  std::vector<std::uint32_t> next(out.begin.begin(), out.begin.end() - 1);
  for (std::uint32_t i = 0; i < items; ++i)
    if (const std::uint32_t k = group_of(i); k != free_end) out.item[next[k]++] = i;
  return out;
}

// Blocks by increasing least row, each preceded by those it needs; these by the row, then the column that needs them.
std::vector<std::uint32_t> canonical_order(const Incidence& g, const Matching& m,
                                           const std::vector<std::uint32_t>& block_of_row, const Groups& rows) {
  struct Frame {
    std::uint32_t block, member, edge;
  };
  const auto blocks = static_cast<std::uint32_t>(rows.begin.size() - 1);
  std::vector<std::uint32_t> order;
  order.reserve(blocks);
  std::vector<bool> seen(blocks, false);
  std::vector<Frame> path;
  const auto enter = [&](std::uint32_t block) {
    seen[block] = true;
    path.push_back({block, rows.begin[block], g.begin[rows.item[rows.begin[block]]]});
  };
  for (Row root = 0; root < g.rows(); ++root) {
    if (block_of_row[root] == free_end || seen[block_of_row[root]]) continue;
    enter(block_of_row[root]);
    while (!path.empty()) {
      Frame& top = path.back();
      const Row r = rows.item[top.member];
      if (top.edge == g.begin[r + 1]) {
        if (++top.member < rows.begin[top.block + 1]) {
          top.edge = g.begin[rows.item[top.member]];
        } else {
          order.push_back(top.block);
          path.pop_back();
        }
        continue;
      }
      const Row needed = m.of_column[g.column[top.edge++]];
      if (needed != free_end && !seen[block_of_row[needed]]) enter(block_of_row[needed]);
    }
  }
  return order;
}

}  // namespace

Blocks block_lower_triangular(const Incidence& g, const Matching& m) {
  std::vector<std::uint32_t> block_of_row(g.rows(), free_end);
  std::uint32_t count = 0;
  {
    const Components components(g, m);
    count = components.count();
    for (Row r = 0; r < g.rows(); ++r)
      if (m.of_row[r] != free_end) block_of_row[r] = components.of(r);
  }
  const Groups rows = group(g.rows(), count, [&](Row r) { return block_of_row[r]; });
  Blocks out;
  out.begin.reserve(count + 1);
  out.row.reserve(rows.item.size());
  out.column.reserve(rows.item.size());
  for (const std::uint32_t block : canonical_order(g, m, block_of_row, rows)) {
    const auto first = static_cast<std::ptrdiff_t>(out.row.size());
    for (std::uint32_t k = rows.begin[block]; k < rows.begin[block + 1]; ++k) {
      out.row.push_back(rows.item[k]);
      out.column.push_back(m.of_row[rows.item[k]]);
    }
    std::sort(out.column.begin() + first, out.column.end());
    out.begin.push_back(static_cast<std::uint32_t>(out.row.size()));
  }
  return out;
}

}  // namespace kron::structure
