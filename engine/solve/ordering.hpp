// engine/solve/ordering.hpp: in which order a coupled linear block is eliminated. A strategy eliminates on the one elimination
// (elimination.hpp) along pivots of its choice; what it leaves is the core.
//   relaxed     relaxed BLT: the order of the block without the relaxed pairs  [Otter, Elmqvist, Cellier, "Relaxing", CESA'96]
//   torn        torn variables last  [Elmqvist, Otter, "Tearing", ESM'94]
//   ladder      by array groups, station by station (ladder.hpp)
//   markowitz   scalar, cheapest pivot first  [Markowitz 1957]
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/solve/elimination.hpp"
#include "engine/solve/ties.hpp"

namespace kron::solve {

constexpr std::uint32_t none = 0xffffffff;     // of plain arrays of positions: there is none
constexpr std::uint32_t no_part = 0xffffffff;  // of an equation of a connection

// The block as the strategies see it: entries, array groups, marks. All by position in the block.
struct OrderingProblem {
  const code::Builder* tape = nullptr;
  const LinearSystem* system = nullptr;
  std::vector<std::uint32_t> row_group, unknown_group;  // dense numbers, by first occurrence
  std::vector<std::uint32_t> other_group;               // of each unknown, where it has names in several arrays, another one
  std::vector<std::uint32_t> part;                      // of each row: whose equation it is, a dense number; or no_part
  std::vector<std::uint32_t> form;                      // of each row, likewise
  std::vector<std::string> kind;                        // of each unknown, where ties are tried (Views::name_kinds); else empty
  std::vector<std::vector<std::uint32_t>> relaxed;      // by row: unknowns that occur inside relax(…) only, ascending
  std::vector<bool> residue_row, tearing_unknown;
  bool has_relaxed = false, has_torn = false;
};

// A relax mark without which the relaxed form would not be structurally singular.
struct Misfit {
  std::uint32_t row = 0, unknown = 0;
  friend bool operator==(const Misfit&, const Misfit&) = default;
};

struct Torn {
  std::vector<std::uint32_t> unknowns, residues;  // ascending; equally many
};

// Whether an entry (row, unknown, value) may be a pivot.
using Admissible = std::function<bool(std::uint32_t, std::uint32_t, code::Ref)>;

// A number may be a pivot unless it is small beside the numbers of its row: then elimination would round the row's content
// away, and the numerical core does better. Other entries are watched when the code runs.
bool good_pivot(const code::Builder&, const LinearSystem::Row& row, code::Ref pivot);

// Relaxed BLT: diagonal blocks in order; inside a larger one torn variables last where it has marks, else Markowitz. Rows without a
// mark that get no unknown of their own are left.
void run_relaxed(Elimination&, const OrderingProblem&, std::vector<Misfit>&);

// For relaxation by iteration: the entries of each row that a sweep solves exactly. These are the ones that are not relaxed and, for
// Gauss-Seidel, the relaxed ones whose unknown comes earlier in the relaxed order. Empty: the rows without relaxed entries have no
// perfect matching.
std::vector<std::vector<bool>> swept_entries(const OrderingProblem&, bool gauss_seidel);

// Everything but the torn unknowns and the residues. With marks: these, completed where they do not make the rest
// triangular; without: a choice by tearing.hpp.
Torn run_torn(Elimination&, const OrderingProblem&);

// Which pivots are compared by the new operations that they would make: those of least cost, or the first few by cost, without or with
// the operations of the back substitution to come.
enum class Compared : std::uint8_t { equals, few, few_in_all };
struct MarkowitzOptions {
  bool units_first = false;       // all pivots ±1 first, by the multiplications they cost; else units only among equal counts
  Ties ties{};                    // which of equal costs first
  Compared compared = Compared::equals;
  std::uint64_t limit = ~0ull;    // stop before a pivot with (row - 1)(column - 1) above it
  const std::vector<bool>* given = nullptr;  // unknowns that are to stay: seen without a look at their entries, of which rows may have many
};
// Markowitz among the `rows`: lowest (row - 1)(column - 1), then fewest new operations.
void run_markowitz(Elimination&, const OrderingProblem&, std::span<const std::uint32_t> rows, const Admissible&,
                   MarkowitzOptions = {});

}  // namespace kron::solve
