// engine/structure/structure.hpp: graphs of equations and unknowns. Rows are equations, columns are unknowns; this room knows
// no symbols. All results are canonical: they depend on the graph and the ids alone.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
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
  void add_row(std::span<const Column>);  // appends a row
};
Incidence transpose(const Incidence&);

struct Matching {
  std::vector<Column> of_row;   // or free_end
  std::vector<Row> of_column;
  std::uint32_t size = 0;
};

// Maximum matching. `preferred[r]` (may be empty) is tried first: the columns that row r can be solved for exactly, so that the
// cheap assignment stays where several maximum matchings exist. Explicit stacks; cost O(rows * edges) at worst, near linear on
// models (cheap assignment by lowest degree first, then augmenting paths).   [Duff 1981; Pantelides 1988]
Matching match(const Incidence&);
// One more row: augments along a path from `row` if there is one. `hidden` columns are left out.
bool augment(const Incidence&, Row row, Matching&, const std::vector<bool>& hidden, std::vector<std::uint32_t>& mark,
             std::uint32_t stamp);

// Dulmage–Mendelsohn: what is over-determined (reachable by alternating paths from free rows), under-determined (from free columns),
// well-determined. Unique, whatever the matching.
struct Parts {
  enum Part : std::uint8_t { over, well, under };
  std::vector<std::uint8_t> row, column;
};
Parts dulmage_mendelsohn(const Incidence&, const Matching&);

// Strongly connected components of the matched graph, in an order in which each needs only earlier ones (Tarjan 1972, explicit
// stack). Rows of a block ascending, columns of a block ascending; the order of blocks is canonical: among ready blocks the one
// with the least row goes first.
struct Blocks {
  std::vector<std::uint32_t> begin{0};
  std::vector<Row> row;
  std::vector<Column> column;
  std::uint32_t size() const { return static_cast<std::uint32_t>(begin.size() - 1); }
};
Blocks block_lower_triangular(const Incidence&, const Matching&);

// ---- exact linear-integer elimination ---------------------------------------------------------------------------------------

// Rows Σ coefficient·column + constant = 0 with integer coefficients.
struct IntegerSystem {
  std::vector<std::uint32_t> begin{0};
  std::vector<Column> column;
  std::vector<std::int64_t> coefficient;
  std::vector<std::int64_t> constant;
  std::uint32_t columns = 0;
  std::uint32_t rows() const { return static_cast<std::uint32_t>(begin.size() - 1); }
};

// Aliases: x = s·root + c for rows of one or two unknowns with coefficients ±1 (a row of one unknown gives x = constant), closed
// under substitution into the other rows (a longer row that shrinks to two unknowns is used too).
struct Aliases {
  struct Alias {
    Column root = 0;          // least id of its set (or itself)
    std::int8_t sign = 1;     // 0: x is the constant, no root
    std::int64_t constant = 0;
  };
  std::vector<Alias> of;      // by column
  std::vector<bool> used;     // by row: the row was used up or became empty and consistent
  // A row that became 0 = 0 although it was not needed (redundant), or 0 = c (contradictory), with the rows that imply it.
  struct Dependent {
    Row row = 0;
    bool contradictory = false;
    std::vector<Row> because;
  };
  std::vector<Dependent> dependent;
};
// keep[c]: column c may not be aliased away to a constant or another column (a parameter-like known) but may be a root.
// prefer[c]: larger wins as the root of a set before the least id does.
Aliases eliminate_aliases(const IntegerSystem&, const std::vector<std::uint8_t>& prefer);

// Rank of the rest: Gaussian elimination over the rationals (fraction-free, sparse, pivot columns by `rank_of_column` then least
// degree). Rows that reduce to nothing are dependent; rows that reduce to columns of class `late` only are constraints among them
// (states), returned in reduced form.   `late[c]`: eliminated last.
struct Reduced {
  std::vector<Aliases::Dependent> dependent;
  struct Constraint {
    Row row = 0;                                   // the row that it replaces
    std::vector<std::pair<Column, std::int64_t>> terms;
    std::int64_t constant = 0;
    std::vector<std::pair<Row, std::int64_t>> combination;  // Σ factor·row gives it
  };
  std::vector<Constraint> constraints;
  bool overflow = false;                           // a coefficient left 64 bits: nothing is claimed about the rest
};
Reduced reduce(const IntegerSystem&, const std::vector<bool>& late);

}  // namespace kron::structure
