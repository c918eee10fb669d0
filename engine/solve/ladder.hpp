// engine/solve/ladder.hpp: the ladder ordering. Station by station, leaves first; it reproduces the articulated-body order on trees and
// goes on to closed loops.
//   station of a torn pair: the pairs on directed paths from its unknowns to its rows; stations by increasing size of that set, those
//   with no path (loop forces) last, or before what carries their loop; inside a station the pair of lowest degree next, or of those whose
//   equations have a known part, or of those nearest to what was eliminated in the stations before, ties by the number of new operations,
//   the torn pair last. Nearest first turns an inertia by one rotation after the other where the lowest degree would multiply the
//   rotations. Known parts that come first meet a matrix before it is turned: between its two sides they would need what nothing else
//   does. Part by part is nearest first by components. Other stations, from the tree of the components: part_stations.hpp.
#pragma once
#include <functional>
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
// Whether comparing the pairs of one with each other takes long for so many pairs. That is no ladder.
bool takes_long(const Stations&);

// known: what has a known part first; nearest: then too; parts: by levels (flow.hpp), and before a torn pair what ties two frames that it
// meets both; joined: likewise, shifts that are one put together before all stations (shifts.hpp), those with nothing between them or all
enum class StationOrder : std::uint8_t { degree, known, nearest, parts, joined, all_joined };
inline bool by_parts(StationOrder o) { return o >= StationOrder::parts; }
inline bool joins_shifts(StationOrder o) { return o >= StationOrder::joined; }

// How the unknowns of a ladder are put into arrays: as equations give them; arrays that were split joined again, unknowns of several names
// in those of one kind of part; or in those of another (canonical.hpp).
enum class Arrays : std::uint8_t { given, joined, other };
// Which of a block's ladders: on which view, by which arrays, and the order inside its stations.
struct LadderKind {
  bool aliases = false;
  Arrays arrays = Arrays::given;
  StationOrder order = StationOrder::degree;
  bool tree = false;  // part_stations.hpp
  bool loops_first = false;  // loops_first_stations
  friend bool operator==(const LadderKind&, const LadderKind&) = default;
};

struct LadderOptions {
  StationOrder order = StationOrder::degree;
  const std::vector<std::uint32_t>* levels = nullptr;  // of the pairs, where by_parts
  const std::vector<std::uint32_t>* shifts = nullptr;  // pairs before all stations, where joins_shifts
  std::function<void(std::size_t)> before = {};  // told how many stations are left, before each and at the end
};
// Eliminates on `e`. What stays without a pivot is left to the caller.
void run_ladder(Elimination& e, const OrderingProblem&, const GroupPairs&, const Stations&, const LadderOptions& = {});

}  // namespace kron::solve
