// engine/solve/stations.hpp: the stations of a ladder (ladder.hpp), from how torn pairs of arrays lie along the data flow.
//   in    the block's pairs of arrays, some of them torn
//   out   lists of pairs, in the order in which they are to be eliminated, leaves first; each has a torn pair, or torn ones of one array, but
//         for what is on no path, which goes with what moves it
//   how   the station of a torn pair has the pairs on directed paths from its unknowns to its rows; stations by increasing size of that set.
//         Where these are too long, from the tree that the nearest torn pairs make. Those with no path are forces of closed loops: last, or
//         before what carries their loop
#pragma once
#include <optional>

#include "engine/solve/groups.hpp"

namespace kron::solve {

using Stations = std::vector<std::vector<std::uint32_t>>;  // pairs
// `even`: not such that one station holds much of all. Around a closed loop every pair is on a path of every joint; then the stations
// come from the tree of the nearest torn pairs.
Stations ladder_stations(const OrderingProblem&, const GroupPairs&, bool even = false);
// Likewise, but with what closes a loop not after all else: before the torn pair that carries the loop, when the loop's own have gone. Then
// nothing of the loop is left but what carries it, and many loops on a chain cost the same each. Nothing where no loop is carried.
std::optional<Stations> loops_first_stations(const OrderingProblem&, const GroupPairs&, bool even = false);
// Whether one station holds more than an eighth of the pairs, as where bodies hang together rigidly but turned against each other.
bool lopsided(const Stations&);

}  // namespace kron::solve
