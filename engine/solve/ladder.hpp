// engine/solve/ladder.hpp: the ladder ordering. Station by station, leaves first; it reproduces the articulated-body order on trees and
// goes on to closed loops.
//   station of a torn pair: the pairs on directed paths from its unknowns to its rows; stations by increasing size of that set, those
//   with no path (loop forces) last; inside a station the pair of lowest degree next, ties by the number of new operations, the torn
//   pair last.
#pragma once
#include <functional>

#include "engine/solve/groups.hpp"

namespace kron::solve {

// Eliminates on `e`. What stays without a pivot is left to the caller.
void run_ladder(Elimination& e, const OrderingProblem&, const GroupPairs&);

// Scalar Markowitz on what is left: lowest (row - 1)(column - 1), units before other pivots, then fewest new operations among
// `ties` equally cheap ones. Only pivots that `admissible` allows.
void run_markowitz(Elimination& e, const OrderingProblem&, const std::function<bool(std::uint32_t, code::Ref)>& admissible);

}  // namespace kron::solve
