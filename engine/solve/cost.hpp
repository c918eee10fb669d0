// engine/solve/cost.hpp: what an elimination costs: the live operations of its code, and an LU of what it leaves.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/solve/elimination.hpp"

namespace kron::solve {

// What elimination has left.
struct Core {
  std::vector<std::uint32_t> rows, columns;
};
Core remaining(const Elimination&);

// Nodes for the unknowns of a core, by its columns.
using CoreUnknowns = std::function<std::vector<code::Ref>(code::Builder&, const Core&)>;

// Operations of an LU: dense, or by the pattern. A sparse product costs more than one in straight-line code. With more columns than rows: of
// those that the pattern can solve for.
double lu_cost(const LinearSystem& matrix, std::uint32_t columns);

struct Cost {
  std::size_t mul = 0, add = 0, div = 0;  // for the wanted unknowns
  double dynamic = 0;                     // of an evaluation, in multiplications
  double early = 0;                       // what is computed once for a set of parameters
};
constexpr double rarely = 1e-3;  // of the evaluations follow a change of parameters

// Where counting begins: what was there before costs nothing.
struct Since {
  std::size_t nodes = 0, pivots = 0;
};

// Of the steps since then: of the unknowns they eliminate those are computed that are `wanted` (by column), the others stored only.
// Leaves the tape as it is but for new nodes.
Cost cost_of(Elimination&, code::Builder&, const Core&, const CoreUnknowns&, const std::vector<bool>& wanted, Since);
// With the values that the back substitution has given.
Cost cost_of(const Elimination&, const code::Builder&, const Core&, const std::vector<code::Ref>& values,
             const std::vector<bool>& wanted, Since);

}  // namespace kron::solve
