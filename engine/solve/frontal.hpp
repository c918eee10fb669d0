// engine/solve/frontal.hpp: an ordering for what is long and not thick: closed loops that share members, a lattice of a few rows. Minimum
// degree begins everywhere at once; what it leaves between the places where it began is joined late, with each other, and pivots of one
// place are divided by those of many others. A front that goes from one end to the other has a bounded number of equations to deal with,
// and what is behind it is one system with as many connections to the rest as the cut has members [Irons 1970; Duff, Reid 1983].
#pragma once
#include <cstdint>
#include <vector>

#include "engine/solve/ordering.hpp"

namespace kron::solve {

// Rows in the order opposite to a breadth-first walk from an end of the block, a pseudo-peripheral row [George, Liu 1979]: as in reverse
// Cuthill-McKee, which fills less than the walk itself.
std::vector<std::uint32_t> sweep_from_end(const OrderingProblem&, bool other_end = false);

// Markowitz among the rows of the front for the unknowns that no row beyond it holds; `step` more rows at a time.
void run_frontal(Elimination&, const OrderingProblem&, const std::vector<std::uint32_t>& rows, std::size_t step, const Admissible&,
                 MarkowitzOptions = {});

}  // namespace kron::solve
