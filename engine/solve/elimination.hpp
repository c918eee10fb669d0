// engine/solve/elimination.hpp: the one elimination. Sparse symbolic Gaussian elimination of A x = b on the tape along a given
// sequence of pivots; every changed entry is a tape node, so equal entries are computed once and exact zeros are seen.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/base/small.hpp"
#include "engine/code/tape.hpp"

namespace kron::solve {

struct LinearSystem {
  struct Entry {
    std::uint32_t column;
    code::Ref value;
  };
  using Row = Small<Entry, 4>;  // most rows are short, and there are thousands
  std::vector<Row> rows;        // columns ascending, no zeros
  std::vector<code::Ref> rhs;
};

using Pivot = std::pair<std::uint32_t, std::uint32_t>;  // row, unknown

class Elimination {
 public:
  // With a `reference`, rows that in this order give an unknown each while all others are zero, x = x0 + y is solved for y. It must leave
  // no core.
  Elimination(code::Builder&, LinearSystem, const std::vector<Pivot>& reference = {});

  // Uses row r for unknown c: c disappears from the other rows. The entry (r, c) must be there.
  void eliminate(std::uint32_t row, std::uint32_t column);
  const LinearSystem::Entry* entry(std::uint32_t row, std::uint32_t column) const;  // null: zero

  // A strategy gives up when the tape has more nodes, or when it makes many more than another one did: `best` has its nodes at each
  // part of the pivots, the last one on top. Likewise when it takes away many more entries than there were and it made nodes (where a
  // thousand loads hang at one node, rows fill up that hold one value at every place), or, trials included, than it may make nodes.
  using Pace = std::array<std::size_t, 16>;
  void set_limit(std::size_t nodes, const Pace* best = nullptr) {
    constexpr std::size_t entries_of_node = 16;
    most_nodes_ = nodes;
    most_spent_ = entries_of_node * (nodes - std::min(nodes, tape_.size()));
    best_ = best;
    limited_ = true;
  }
  const Pace& pace() const { return pace_; }
  bool exhausted() const { return behind_ || nodes() > most_nodes_ || spent_ > most_spent_; }
  std::size_t nodes() const { return tape_.size(); }

  // A trial: steps after mark() are taken back by undo(), nodes on the tape included. A trial may hold others that are taken back first.
  void mark();
  void undo();

  const LinearSystem::Row& row(std::uint32_t r) const { return system_.rows[r]; }
  code::Ref rhs(std::uint32_t r) const { return system_.rhs[r]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(system_.rows.size()); }
  std::uint32_t unknowns() const { return static_cast<std::uint32_t>(columns_.size()); }
  std::uint32_t row_count(std::uint32_t r) const { return static_cast<std::uint32_t>(system_.rows[r].size()); }
  std::uint32_t column_count(std::uint32_t c) const { return static_cast<std::uint32_t>(columns_[c].size()); }
  bool active(std::uint32_t r) const { return active_[r]; }
  bool unsolved(std::uint32_t c) const { return unsolved_[c]; }
  using Holders = Small<std::uint32_t, 6>;
  const Holders& holders(std::uint32_t c) const { return columns_[c]; }  // active rows with the unknown
  const std::vector<std::uint32_t>& changed() const { return changed_; }  // rows that the last step changed
  const std::vector<Pivot>& pivots() const { return pivots_; }

  // Values of the eliminated unknowns from those of the others (values[c] of the core is filled in by the caller), but for those of
  // the `first` pivots.
  void substitute_back(std::vector<code::Ref>& values, std::size_t first = 0);

 private:
  void refer_to(const std::vector<Pivot>& reference);
  void combine(std::uint32_t target, std::uint32_t pivot_row, std::uint32_t column, code::Ref factor);
  void relist(std::uint32_t row, const LinearSystem::Row& from, const LinearSystem::Row& to);
  struct SavedRow {
    std::uint32_t row;
    bool was_pivot;  // in this step, which changes nothing of it
    LinearSystem::Row entries;
    code::Ref rhs;
  };
  struct Trial {
    std::size_t nodes = 0, pivots = 0, entries = 0;
    bool behind = false;
    std::vector<SavedRow> rows;
  };
  std::vector<Trial> trials_;
  void keep_pace();
  bool fills_up(std::size_t more) const {
    constexpr std::size_t many = 24;  // orderings that are good for something have up to 10
    return limited_ && entries_ + more > many * (given_ + nodes() - std::min(nodes(), first_));
  }
  bool limited_ = false;
  std::size_t most_nodes_ = ~std::size_t{0};
  std::size_t given_ = 1000, first_;  // entries of the rows, and some for small systems; nodes of the tape before
  std::size_t entries_ = 0, spent_ = 0, most_spent_ = ~std::size_t{0};  // of rows that were taken from others; in trials that were undone, too
  const Pace* best_ = nullptr;
  Pace pace_{};
  bool behind_ = false;
  code::Builder& tape_;
  LinearSystem system_;
  std::vector<code::Ref> reference_;                 // x0, by column; empty: none
  std::vector<Holders> columns_;                     // active rows that hold the column, ascending
  std::vector<bool> active_, unsolved_;
  std::vector<std::uint32_t> changed_;
  LinearSystem::Row before_;                 // the row that is being changed
  std::vector<LinearSystem::Entry> merged_;  // what becomes of it
  std::vector<Pivot> pivots_;
};

}  // namespace kron::solve
