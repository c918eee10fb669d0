// engine/solve/part_stations.hpp: the stations of a ladder from the parts of a tree of them, tip first.
//   in    the block, its pairs of arrays
//   out   stations, and the pairs with torn rows that fit them; nothing where there are fewer than two parts, or closed loops
//   how   between two parts that meet motion goes one way and forces come back, later along the data flow; by that it is known which part
//         moves which, and what each pair passes on. Levels (flow.hpp) are stations then, each up to the torn pairs behind what they move.
//         A torn pair's row is the balance of what flows back to there: of the nearest ones that in which all does
//   why   path sets (stations.hpp) tell by their size which torn pair is the outer one. But those of a prismatic joint lead no torques, and
//         those of two joints about one line meet only in the body between them
#pragma once
#include <optional>

#include "engine/solve/stations.hpp"

namespace kron::solve {

struct PartStations {
  GroupPairs pairs;  // torn ones have one row and one unknown each
  Stations stations;
};
std::optional<PartStations> part_stations(const OrderingProblem&, const GroupPairs&);

}  // namespace kron::solve
