// engine/structure/structure.hpp: graphs of equations and unknowns. Rows are equations, columns are unknowns; this room
// knows no symbols. All results are canonical: they depend on the graph and the ids alone.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace kron::structure {

using Row = std::uint32_t;
using Column = std::uint32_t;
inline constexpr std::uint32_t free_end = 0xffffffff;  // of the plain arrays below: not matched

// Compressed rows, columns sorted within a row.
struct Incidence {
  std::vector<std::uint32_t> begin{0};
  std::vector<Column> column;
  std::uint32_t columns = 0;
  std::uint32_t rows() const { return static_cast<std::uint32_t>(begin.size() - 1); }
  std::span<const Column> operator[](Row r) const { return {column.data() + begin[r], begin[r + 1] - begin[r]}; }
  void add_row(std::span<const Column>);  // appends a row; sorts it, drops repetitions, raises `columns` as needed
};
Incidence transpose(const Incidence&);

struct Matching {
  std::vector<Column> of_row;  // or free_end
  std::vector<Row> of_column;
  std::uint32_t size = 0;
};

// Maximum matching. Explicit stacks; cost O(rows * edges) at worst, near linear on models, also on singular ones
// (forced and scarcest pairs first, then phases of augmenting paths).   [Karp, Sipser 1981; Duff 1981; Pothen, Fan
// 1990]
Matching match(const Incidence&);
// One more row: augments along a path from the free row `row` if there is one. `hidden` columns are left out (may be
// shorter than the columns: none beyond). Columns with mark == stamp are known to lead nowhere and are not entered.
// After `false` the marked columns are those reached (with the rows matched to them: what Pantelides differentiates),
// and the same stamp may serve for the next row; after `true` take a new stamp. `mark` and the matching grow with the
// incidence.   [Pantelides 1988]
bool augment(const Incidence&, Row row, Matching&, const std::vector<bool>& hidden, std::vector<std::uint32_t>& mark,
             std::uint32_t stamp);
// A free column for a row along alternating paths, the nearest rows first: where loops stand on each other one is closed by its own variables, and
// a search in depth would look through all that carries it. What is reached without success is the same whatever is matched with what.
class NearestFree {
 public:
  // `columns(row)`: a range; `hidden(column)`: not to be looked at. False: there is none, and what was reached is in rows() and columns().
  template <class Columns, class Hidden>
  bool find(Row root, Matching& m, const Columns& columns, const Hidden& hidden) {
    rows_.assign(1, root);
    columns_.clear();
    from_.clear();
    ++stamp_;
    for (std::size_t k = 0; k < rows_.size(); ++k)
      for (const Column c : columns(rows_[k])) {
        if (c >= mark_.size()) mark_.resize(std::max(c + std::size_t{1}, m.of_column.size()), 0);
        if (hidden(c) || mark_[c] == stamp_) continue;
        if (m.of_column[c] == free_end) {
          give(k, c, m);
          return true;
        }
        mark_[c] = stamp_;
        columns_.push_back(c);
        rows_.push_back(m.of_column[c]);
        from_.push_back(k);
      }
    return false;
  }
  const std::vector<Row>& rows() const { return rows_; }  // the root first
  const std::vector<Column>& columns() const { return columns_; }

 private:
  void give(std::size_t reached, Column, Matching&);

  std::vector<Row> rows_;
  std::vector<Column> columns_;
  std::vector<std::size_t> from_;  // by reached column: which of the rows holds it; its own row is the next of the rows
  std::vector<std::uint32_t> mark_;
  std::uint32_t stamp_ = 0;
};

// Rows that come one at a time, each taken if it can be matched together with those taken before. What a search without success has met leads
// no later one anywhere, whatever is taken in between: these columns have rows that hold none but them. So all refusals together cost
// O(edges); a row that is taken costs what its search meets.
class GrowingMatching {
 public:
  GrowingMatching() = default;
  explicit GrowingMatching(Incidence rows) : rows_(std::move(rows)), matching_(match(rows_)) {}  // a maximum matching of these to begin with
  bool add(std::span<const Column> row);  // false: it is not taken
  const Incidence& rows() const { return rows_; }
  const Matching& matching() const { return matching_; }

 private:
  Incidence rows_;
  Matching matching_;
  NearestFree search_;
  std::vector<bool> leads_nowhere_;
};

// Dulmage–Mendelsohn: what is over-determined (reachable by alternating paths from free rows), under-determined (from
// free columns), well-determined. Unique, whatever the matching.
struct Parts {
  enum Part : std::uint8_t { over, well, under };
  std::vector<std::uint8_t> row, column;
};
Parts dulmage_mendelsohn(const Incidence&, const Matching&);

// Strongly connected components of the matched graph, in an order in which each needs only earlier ones (Tarjan 1972,
// explicit stack). Rows of a block ascending, columns of a block ascending. The order of blocks is canonical: by least
// row, each block preceded by just those it needs that have not come yet (these in the order of the row, then the
// column that needs them). Linear time. Rows and columns without a partner are left out, so order and blocks are unique
// where the matching is perfect.
struct Blocks {
  std::vector<std::uint32_t> begin{0};
  std::vector<Row> row;
  std::vector<Column> column;
  std::uint32_t size() const { return static_cast<std::uint32_t>(begin.size() - 1); }
};
Blocks block_lower_triangular(const Incidence&, const Matching&);

// ---- exact linear-integer elimination --------------------------------------------------------------------------

// Rows Σ coefficient·column + constant = 0 with integer coefficients.
struct IntegerSystem {
  std::vector<std::uint32_t> begin{0};
  std::vector<Column> column;
  std::vector<std::int64_t> coefficient;
  std::vector<std::int64_t> constant;
  std::uint32_t columns = 0;
  std::uint32_t rows() const { return static_cast<std::uint32_t>(begin.size() - 1); }
  // Appends a row; raises `columns` as needed.
  void add_row(std::span<const std::pair<Column, std::int64_t>> terms, std::int64_t row_constant = 0);
};

// Aliases: x = s·root or x = c, from rows a·x + c = 0 (c divisible by a) and x = ±y, closed under substitution into the
// other rows (a longer row that shrinks to one or two unknowns is used too). x = y + c with c other than 0 stays an
// ordinary row.
struct Aliases {
  struct Alias {
    Column root = 0;       // preferred, then least id of its set (or itself)
    std::int8_t sign = 1;  // 0: x is the constant, and root is x itself
    std::int64_t constant = 0;
  };
  std::vector<Alias> of;   // by column
  std::vector<bool> used;  // by row: the row was used up or became empty and consistent
  // A row that became 0 = 0 although it was not needed (redundant), or 0 = c (contradictory), with the rows that imply
  // it.
  struct Dependent {
    Row row = 0;
    bool contradictory = false;
    std::vector<Row> because;  // ascending, without `row`; empty once the explanation budget is spent
    // From `reduce`: Σ factor·row has no unknowns left (its constant is not 0 if contradictory). Empty on overflow.
    std::vector<std::pair<Row, std::int64_t>> combination;
  };
  std::vector<Dependent> dependent;  // by row
};
// Explanations are given, in row order, until this many rows are named; a model that exceeds it has thousands of
// faults.
inline std::size_t explanation_budget(const IntegerSystem& s) { return 65536 + 16 * std::size_t{s.rows()}; }
// prefer[c]: larger wins as the root of a set before the least id does. May be empty.
Aliases eliminate_aliases(const IntegerSystem&, const std::vector<std::uint8_t>& prefer);

// The same for a system that grows: rows that were added since are looked at, with what they change. Where rows depend on each other, or a
// new one cannot be used, all is begun anew, so that nothing tells in how many steps the rows came.
class AliasElimination;
class GrowingAliases {
 public:
  GrowingAliases();
  ~GrowingAliases();
  // The system is the one of the time before, perhaps with more rows.
  Aliases eliminate(const IntegerSystem&, const std::vector<std::uint8_t>& prefer);
  void forget();  // it is another one

 private:
  std::unique_ptr<AliasElimination> so_far_;
};

// Rank of the rest: Gaussian elimination over the rationals (fraction-free, sparse, pivot columns by class, least
// degree, least id). Rows that reduce to nothing are dependent; rows that reduce to columns of class `late` only are
// constraints among them (states): independent, in echelon form (no later constraint contains the pivot of an earlier
// one), in the order of elimination. late[c]: eliminated last. May be empty.
struct Reduced {
  std::vector<Aliases::Dependent> dependent;  // by row
  struct Constraint {
    Row row = 0;                                         // the row that it replaces
    Column pivot = 0;                                    // its coefficient is positive
    std::vector<std::pair<Column, std::int64_t>> terms;  // by column
    std::int64_t constant = 0;
    std::vector<std::pair<Row, std::int64_t>> combination;  // Σ factor·row gives it; empty on overflow
  };
  std::vector<Constraint> constraints;
  bool overflow = false;  // a coefficient left 64 bits: nothing is claimed about the rest
};
Reduced reduce(const IntegerSystem&, const std::vector<bool>& late);

}  // namespace kron::structure
