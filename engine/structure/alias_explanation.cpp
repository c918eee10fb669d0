#include "engine/structure/alias_explanation.hpp"

#include <algorithm>

namespace kron::structure {

AliasExplanation::AliasExplanation(const IntegerSystem& system, const std::vector<UsedRow>& used)
    : system_(system),
      time_(system.rows(), free_end),
      anchor_(system.rows(), free_end),
      tree_(system.columns, free_end),
      parent_(system.columns),
      parent_row_(system.columns, free_end),
      source_(system.columns, free_end),
      depth_(system.columns, 0),
      climbed_(system.columns),
      climbed_in_(system.columns, 0),
      taken_in_(system.rows(), 0),
      first_(system.columns),
      first_in_(system.columns, 0) {
  for (std::uint32_t i = 0; i < used.size(); ++i) {
    time_[used[i].row] = i;
    anchor_[used[i].row] = used[i].joined;
    if (used[i].to == free_end) source_[used[i].joined] = used[i].row;
  }
  plant(used);
}

void AliasExplanation::plant(const std::vector<UsedRow>& used) {
  std::vector<std::uint32_t> begin(system_.columns + 1, 0), edge;
  for (const UsedRow& u : used)
    if (u.to != free_end) ++begin[u.joined + 1], ++begin[u.to + 1];
  for (Column c = 0; c < system_.columns; ++c) begin[c + 1] += begin[c];
  edge.resize(begin.back());
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  for (std::uint32_t i = 0; i < used.size(); ++i)
    if (used[i].to != free_end) edge[next[used[i].joined]++] = i, edge[next[used[i].to]++] = i;
  for (Column c = 0; c < system_.columns; ++c)
    if (source_[c] != free_end) grow(c, begin, edge, used);
  for (Column c = 0; c < system_.columns; ++c)
    if (tree_[c] == free_end) grow(c, begin, edge, used);
}

void AliasExplanation::grow(Column root, const std::vector<std::uint32_t>& begin,
                            const std::vector<std::uint32_t>& edge, const std::vector<UsedRow>& used) {
  std::vector<Column> queue{root};
  tree_[root] = parent_[root] = root;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const Column c = queue[head];
    for (std::uint32_t i = begin[c]; i < begin[c + 1]; ++i) {
      const UsedRow& u = used[edge[i]];
      const Column other = u.joined == c ? u.to : u.joined;
      if (tree_[other] != free_end) continue;
      tree_[other] = root;
      parent_[other] = c;
      parent_row_[other] = u.row;
      depth_[other] = depth_[c] + 1;
      queue.push_back(other);
    }
  }
}

std::vector<Row> AliasExplanation::explain(Row dependent, std::uint32_t time) {
  ++explanation_;
  because_.clear();
  explain_entries(dependent, free_end, time);
  for (std::size_t i = 0; i < because_.size(); ++i)
    explain_entries(because_[i], anchor_[because_[i]], time_[because_[i]]);
  std::sort(because_.begin(), because_.end());
  return because_;
}

// What brought the entries of a row together at `time`: those in the anchor's tree are joined to it (that path holds
// the row itself); those of a tree that was constant by then to its source; the others cancelled each other.
void AliasExplanation::explain_entries(Row r, Column anchor, std::uint32_t time) {
  ++entry_scan_;
  for (std::uint32_t i = system_.begin[r]; i < system_.begin[r + 1]; ++i) {
    const Column c = system_.column[i], root = tree_[c];
    if (anchor != free_end && root == tree_[anchor]) {
      join(c, anchor);
    } else if (source_[root] != free_end && time_[source_[root]] < time) {
      join(c, root);
      take(source_[root]);
    } else if (first_in_[root] != entry_scan_) {
      first_in_[root] = entry_scan_;
      first_[root] = c;
    } else {
      join(c, first_[root]);
    }
  }
}

void AliasExplanation::join(Column a, Column b) {
  while ((a = top(a)) != (b = top(b))) {
    if (depth_[a] < depth_[b]) std::swap(a, b);
    take(parent_row_[a]);
    climbed_in_[a] = explanation_;
    climbed_[a] = parent_[a];
  }
}

Column AliasExplanation::top(Column c) {
  while (climbed_in_[c] == explanation_) {
    const Column up = climbed_[c];
    if (climbed_in_[up] == explanation_) climbed_[c] = climbed_[up];
    c = up;
  }
  return c;
}

void AliasExplanation::take(Row r) {
  if (taken_in_[r] == explanation_) return;
  taken_in_[r] = explanation_;
  because_.push_back(r);
}

}  // namespace kron::structure
