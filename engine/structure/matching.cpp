// engine/structure/matching.cpp: choose, for every row, the column it is solved for.
//   in    incidence; for `augment` also which columns are hidden, and marks of columns known to lead nowhere
//   out   m.of_row[r] = c  <=>  m.of_column[c] = r; |m| is maximum
//   may   move only pairs on an augmenting path
//   keep  a column once matched stays matched
//   how   forced pairs first: a row with one free column, a column with one free row; else the least free row takes its
//         scarcest column [Karp, Sipser 1981]; then phases of disjoint augmenting paths, depth first with lookahead
//         [Duff 1981; Pothen, Fan 1990]
//   cost  forced and greedy pairs O(rows + columns + edges); a phase O(edges), however many of its searches fail
#include <algorithm>

#include "engine/structure/structure.hpp"

namespace kron::structure {
namespace {

struct Frame {
  Row row;
  std::uint32_t next;  // edge of the row to be followed next
};

// The pairs found without search.
class CheapAssignment {
 public:
  CheapAssignment(const Incidence& g, Matching& m) : g_(g), t_(transpose(g)), m_(m) {
    row_degree_.resize(g.rows());
    column_degree_.resize(g.columns);
    forced_.reserve(std::size_t{g.rows()} + g.columns);
    for (Row r = 0; r < g.rows(); ++r)
      if ((row_degree_[r] = static_cast<std::uint32_t>(g[r].size())) == 1) forced_.push_back(r);
    for (Column c = 0; c < g.columns; ++c)
      if ((column_degree_[c] = static_cast<std::uint32_t>(t_[c].size())) == 1) forced_.push_back(g.rows() + c);
  }

  void run() {
    follow_forced();
    for (Row r = 0; r < g_.rows(); ++r) {
      if (m_.of_row[r] != free_end || row_degree_[r] == 0) continue;
      pair(r, scarcest_column(r));
      follow_forced();
    }
  }

 private:
  void follow_forced() {
    for (; head_ < forced_.size(); ++head_) {
      const std::uint32_t node = forced_[head_];
      if (node < g_.rows()) {
        if (m_.of_row[node] == free_end && row_degree_[node] > 0) pair(node, free_one(g_[node], m_.of_column));
      } else {
        const Column c = node - g_.rows();
        if (m_.of_column[c] == free_end && column_degree_[c] > 0) pair(free_one(t_[c], m_.of_row), c);
      }
    }
  }

  static std::uint32_t free_one(std::span<const std::uint32_t> ends, const std::vector<std::uint32_t>& matched) {
    return *std::find_if(ends.begin(), ends.end(), [&](std::uint32_t end) { return matched[end] == free_end; });
  }

  Column scarcest_column(Row r) const {
    Column best = free_end;
    for (const Column c : g_[r])
      if (m_.of_column[c] == free_end && (best == free_end || column_degree_[c] < column_degree_[best])) best = c;
    return best;
  }

  void pair(Row r, Column c) {
    m_.of_row[r] = c;
    m_.of_column[c] = r;
    ++m_.size;
    for (const Row other : t_[c])
      if (--row_degree_[other] == 1) forced_.push_back(other);
    for (const Column other : g_[r])
      if (--column_degree_[other] == 1) forced_.push_back(g_.rows() + other);
  }

  const Incidence& g_;
  const Incidence t_;
  Matching& m_;
  std::vector<std::uint32_t> row_degree_, column_degree_;  // free neighbours
  std::vector<std::uint32_t> forced_;  // rows, then columns counted on from rows(): one neighbour left
  std::size_t head_ = 0;
};

// Gives the free column `c` to the row on top of the path, its old column to the row below, and so on.
void shift(const std::vector<Frame>& path, Column c, Matching& m) {
  for (auto frame = path.rbegin(); frame != path.rend(); ++frame) {
    m.of_column[c] = frame->row;
    std::swap(c, m.of_row[frame->row]);
  }
  ++m.size;
}

// Marks what is reached: after a failure these columns are all that can be reached from `root`.
template <class Hidden>
bool search(const Incidence& g, Row root, Matching& m, const Hidden& hidden, std::vector<std::uint32_t>& mark,
            std::uint32_t stamp, std::vector<Frame>& path) {
  path.clear();
  Row entered = root;
  while (true) {
    path.push_back({entered, g.begin[entered]});
    for (const Column c : g[entered]) {
      if (m.of_column[c] == free_end && !hidden(c)) {
        shift(path, c, m);
        return true;
      }
    }
    while (true) {  // follow the next edge to a new column, backing out of exhausted rows
      Frame& top = path.back();
      if (top.next == g.begin[top.row + 1]) {
        path.pop_back();
        if (path.empty()) return false;
        continue;
      }
      const Column c = g.column[top.next++];
      if (mark[c] == stamp || hidden(c)) continue;
      mark[c] = stamp;
      entered = m.of_column[c];
      break;
    }
  }
}

}  // namespace

Matching match(const Incidence& g) {
  Matching m{std::vector<Column>(g.rows(), free_end), std::vector<Row>(g.columns, free_end), 0};
  CheapAssignment(g, m).run();
  std::vector<Row> exposed;
  for (Row r = 0; r < g.rows(); ++r)
    if (m.of_row[r] == free_end && !g[r].empty()) exposed.push_back(r);
  std::vector<std::uint32_t> mark(exposed.empty() ? 0 : g.columns, 0);
  std::vector<Frame> path;
  const auto none_hidden = [](Column) { return false; };
  std::size_t before = 0;
  for (std::uint32_t phase = 1; exposed.size() != before && m.size < g.columns; ++phase) {
    before = exposed.size();
    std::erase_if(exposed, [&](Row r) { return search(g, r, m, none_hidden, mark, phase, path); });
  }
  return m;
}

bool augment(const Incidence& g, Row row, Matching& m, const std::vector<bool>& hidden,
             std::vector<std::uint32_t>& mark, std::uint32_t stamp) {
  if (m.of_row.size() < g.rows()) m.of_row.resize(g.rows(), free_end);
  if (m.of_column.size() < g.columns) m.of_column.resize(g.columns, free_end);
  if (mark.size() < g.columns) mark.resize(g.columns, stamp - 1);
  std::vector<Frame> path;
  return search(
      g, row, m, [&](Column c) { return c < hidden.size() && hidden[c]; }, mark, stamp, path);
}

// The column goes to the reached row, the column that this had to the row through which it was reached, and so on.
void NearestFree::give(std::size_t reached, Column c, Matching& m) {
  for (;; reached = from_[reached - 1]) {
    const Row row = rows_[reached];
    m.of_column[c] = row;
    std::swap(c, m.of_row[row]);
    if (reached == 0) break;
  }
  ++m.size;
}

bool GrowingMatching::add(std::span<const Column> row) {
  rows_.add_row(row);
  matching_.of_row.resize(rows_.rows(), free_end);
  matching_.of_column.resize(rows_.columns, free_end);
  leads_nowhere_.resize(rows_.columns, false);
  const auto columns = [&](Row r) { return rows_[r]; };
  if (search_.find(rows_.rows() - 1, matching_, columns, [&](Column c) { return leads_nowhere_[c]; })) return true;
  for (const Column c : search_.columns()) leads_nowhere_[c] = true;
  rows_.begin.pop_back();
  rows_.column.resize(rows_.begin.back());
  matching_.of_row.resize(rows_.rows());
  return false;
}

}  // namespace kron::structure
