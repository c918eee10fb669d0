// engine/solve/trials.hpp: the orderings that apply to a coupled linear block, each carried out on the tape, counted and taken back.
//   in    the block's views, the method asked for
//   out   candidates with their pivots, counts and cost; those that cannot be used say why
//   keep  the tape and the core's unknowns are as before
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/solve/cost.hpp"
#include "engine/solve/ends.hpp"
#include "engine/solve/ladder.hpp"
#include "engine/solve/views.hpp"

namespace kron::solve {

inline constexpr std::string_view digits_lost = "it loses digits";  // why a candidate is rejected

struct Candidate {
  bool aliases = false;              // on the view with connector aliases kept
  Tried tried{};
  Method method{};
  std::vector<Pivot> pivots{};
  std::vector<Pivot> reference{};      // flow.hpp; empty: none
  Torn torn{};
  std::vector<Misfit> misfits{};       // relax marks that it dropped, with the block's own unknowns
  double cost = 0;                   // of an evaluation, in multiplications
  double early = 0;                  // what is computed once for a set of parameters
  std::optional<LadderKind> ladder{};  // that it follows, but for the last stations
  End end{};                         // of these
  std::size_t before_last = 0;       // its pivots, where the ladder stands before the stations at whose ends most is tried; or 0
  bool units_first = false;
  bool careful = false;  // looks at the sizes of pivots
  struct Front {
    std::size_t rows = 0;  // at a time; 0: Markowitz among all
    bool other_end = false;
  } front{};
};

// Cheapest first. Of those that cost about the same in an evaluation the one is first that costs least with its parameter section.
std::vector<Candidate> try_orderings(const Work&, const Views&, const CoreUnknowns&);

void sort_by_cost(std::vector<Candidate>&);

// What the candidate's code costs, as candidates are compared.
void weigh(Candidate&, const Cost&);

// Ladders of `before` that lose digits, as far as their own ends: what comes behind these is what loses them most often.
std::vector<Candidate> try_ends(const Work&, const Views&, const CoreUnknowns&, const std::vector<Candidate>& before);

// Orderings that look at the sizes of pivots at the telling points (checks.hpp), for a large block in which the others lose digits, those
// `before`.
std::vector<Candidate> try_careful(const Work&, const Views&, const CoreUnknowns&, const std::vector<Candidate>& before);

// Only the pivots ±1 that cost next to nothing, the rest to an LU.
Candidate try_units(const Work&, const Views&, const CoreUnknowns&);

}  // namespace kron::solve
