// engine/solve/flow.hpp: what the data flow of a ladder's pairs says beside its stations.
//   reference   a cheap partial solution x0 of A x = b: torn unknowns are zero, and station by station from the root each row gives the one
//               unknown that it leaves open, as long as all others are of its station or of those nearer the root. In a mechanism these are
//               the known parts of accelerations; forces stay out, as sums of flows hold those of stations further out. Then only
//               A y = b - A x0 has to be solved, whose right side is zero in those rows: nothing known is carried through the elimination
//   gathered    the part of it that brings known parts together: rows with early entries only, from a known part to where there is another one.
//               Of two shifts with a turn between them what is known of the first is turned and added to what is known of the second, and
//               meets the matrix once; it is not turned by the angles of joints, nor goes to what is behind the last shift
//   levels      of the pairs, part by part from the leaves: a part comes after those that it gives motion to, and what flows back comes with
//               the part that takes it. So a matrix is taken from one side of a part to the other, rows and columns, before the next part
//               begins; inside a part, from one array to the next likewise. Parts that give motion to each other have one level
#pragma once
#include <optional>
#include <vector>

#include "engine/solve/ladder.hpp"

namespace kron::solve {

// (row, unknown) in the order in which they are computed.
std::vector<Pivot> reference_solution(const OrderingProblem&, const GroupPairs&, const Stations&);

// Likewise, of the reference.
std::vector<Pivot> gathered_reference(const OrderingProblem&, const std::vector<Pivot>& reference);

// Empty where there are fewer than two parts.
std::vector<std::uint32_t> part_levels(const OrderingProblem&, const GroupPairs&, const std::vector<Pivot>& reference);

// The same without a reference: `driven` are the pairs that pass motion on. Level 2 L + 1 is that of part L, 2 L what flows back to it.
struct PairLevels {
  std::vector<std::uint32_t> of_pair, of_part;  // of_part: of a driven pair, that of its part
};
std::optional<PairLevels> pair_levels(const OrderingProblem&, const GroupPairs&, const std::vector<bool>& driven);

// Of each node the longest path to one without successors; nodes in a circle count as one: a body at the end of an arm gives its forces back
// to the arm.
using Graph = std::vector<std::vector<std::uint32_t>>;
std::vector<std::uint32_t> longest_paths_of_components(const Graph& next);

}  // namespace kron::solve
