// engine/solve/shifts.hpp: shifts of a ladder that are one. An array that is another one but for early multiples of a third, x = y + A z,
// as the acceleration at a point of a body is that at another one, and v = x + B z behind it make v = y + (A + B) z: a matrix is shifted
// once, and A + B is computed once for a set of parameters.
//   in    the block, its pairs of arrays
//   out   pairs to be eliminated before all others, in this order: x, copies of x on the way to v, copies of z between the two that A and B
//         are multiplied with
//   keep  where something else needs x, as a body that hangs there, two multiples of z are left for one: what is more varies with the
//         block, so there are two lists, of the shifts with nothing between them and of all
#pragma once
#include <cstdint>
#include <vector>

#include "engine/solve/groups.hpp"

namespace kron::solve {

// What needs the arrays between two shifts, but for the second of them.
enum class Between : std::uint8_t { nothing, anything };

std::vector<std::uint32_t> joined_shifts(const OrderingProblem&, const GroupPairs&, Between);

}  // namespace kron::solve
