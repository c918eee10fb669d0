// engine/solve/ladder.hpp: the ladder ordering. Station by station, leaves first; it reproduces the articulated-body order on trees and
// goes on to closed loops.
//   stations (stations.hpp, part_stations.hpp); inside one the pair of lowest degree next, or of those whose equations have a known part,
//   or of those nearest to what was eliminated in the stations before, ties by the number of new operations, the torn pair last. Nearest
//   first turns an inertia by one rotation after the other where the lowest degree would multiply the rotations. Known parts that come
//   first meet a matrix before it is turned: between its two sides they would need what nothing else does. Part by part is nearest first
//   by components.
#pragma once
#include <functional>

#include "engine/solve/stations.hpp"

namespace kron::solve {

// known: what has a known part first; nearest: then too; parts: by levels (flow.hpp), and before a torn pair what ties two frames that it
// meets both; joined: likewise, shifts that are one put together before all stations (shifts.hpp), those with nothing between them or all
enum class StationOrder : std::uint8_t { degree, known, nearest, parts, joined, all_joined };
inline bool by_parts(StationOrder o) { return o >= StationOrder::parts; }
inline bool joins_shifts(StationOrder o) { return o >= StationOrder::joined; }

// How the unknowns of a ladder are put into arrays: as equations give them; arrays that were split joined again, unknowns of several names
// in those of one kind of part; or in those of another (canonical.hpp). With aliases kept each name has its own array; these are given rows in
// another order then, from the first or from the last (groups.hpp).
enum class Arrays : std::uint8_t { given, joined, other, last };
// Which of a block's ladders: on which view, by which arrays, and the order inside its stations.
struct LadderKind {
  bool aliases = false;
  Arrays arrays = Arrays::given;
  StationOrder order = StationOrder::degree;
  bool tree = false;         // part_stations.hpp
  bool loops_first = false;  // stations.hpp
  friend bool operator==(const LadderKind&, const LadderKind&) = default;
};

struct LadderOptions {
  StationOrder order = StationOrder::degree;
  const std::vector<std::uint32_t>* levels = nullptr;  // of the pairs, where by_parts
  const std::vector<std::uint32_t>* shifts = nullptr;  // pairs before all stations, where joins_shifts
  std::size_t first = 0;  // station; what those before it eliminate has been eliminated
  std::function<void(std::size_t)> before = {};  // told how many stations are left, before each and at the end
};
// Eliminates on `e`. What stays without a pivot is left to the caller.
void run_ladder(Elimination& e, const OrderingProblem&, const GroupPairs&, const Stations&, const LadderOptions& = {});

}  // namespace kron::solve
