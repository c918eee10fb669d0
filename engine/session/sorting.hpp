// engine/session/sorting.hpp: a system's rows as a graph, and its blocks in order.
#pragma once
#include "engine/session/emit.hpp"
#include "engine/structure/structure.hpp"

namespace kron::session {

// Rows against the unknowns that `is_unknown` admits.
structure::Incidence incidence(const System&, const std::vector<std::uint32_t>& rows, const std::vector<bool>& is_unknown);

// Blocks of a matched graph; its row k is rows[k] of the system.
SortedProblem sorted(const System&, const structure::Incidence&, const structure::Matching&, const std::vector<std::uint32_t>& rows);

// The order in which the blocks go to the tape: first those that derivatives need (SortedProblem::wanted), then what components have of
// their own, then connections, the top's own equations last; each behind those it needs. So what an edit adds beside something comes
// behind what it leaves as it was, and the tape has the same beginning as before (emission.hpp). Where nothing is said to be wanted, as they are.
std::vector<std::uint32_t> emission_order(const System&, const SortedProblem&);

// The blocks that `wanted` variables need, directly or through others; row k of the matching is rows[k]. Costs what is needed.
SortedProblem sorted_for(const System&, const structure::Matching&, const std::vector<std::uint32_t>& rows,
                         const std::vector<bool>& is_unknown, const std::vector<std::uint32_t>& wanted);

}  // namespace kron::session
