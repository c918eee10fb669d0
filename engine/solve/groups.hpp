// engine/solve/groups.hpp: a linear block seen by array groups: which group of rows gives which group of unknowns.
//   in    the block's entries and the array group of each row and unknown
//   out   pairs (row group, unknown group): by ± identity blocks, then ± unit triangular ones; what is left over is torn, and paired
//         with the residual group at least distance along the data flow of the pairs
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/solve/ordering.hpp"

namespace kron::solve {

struct GroupPairs {
  std::vector<std::vector<std::uint32_t>> rows, unknowns;  // members of each pair
  std::vector<bool> torn;                                  // of each pair
  std::vector<std::vector<std::uint32_t>> next, before;    // data flow: the unknowns of pair p occur in the rows of next[p]
};

// Which arrays are given their rows first: those that few fit, or one by one the first or the last. It decides which copies of an array are left
// over, and torn.
enum class First : std::uint8_t { scarce, first, last };
// `whole`: the parts of one unknown array are one pair again, though their equations stand apart.
GroupPairs pair_groups(const OrderingProblem&, bool whole = false, First = First::scarce);

// Of pairs whose rows have changed.
void find_flow(GroupPairs&, const OrderingProblem&);

// The pairs of the view with aliases kept as pairs of the block as it is: of the copies of an unknown the one remains that a row of the
// block gives. Which of its arrays an unknown belongs to follows from the data flow then. None where a copy has no row of its own.
struct View;
class Views;
std::optional<GroupPairs> without_copies(const GroupPairs&, const View& kept, const View& plain, const Views&);

}  // namespace kron::solve
