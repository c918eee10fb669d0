// engine/session/sorting.hpp: a system's rows as a graph, and its blocks in order.
#pragma once
#include "engine/session/emit.hpp"
#include "engine/structure/structure.hpp"

namespace kron::session {

// Rows against the unknowns that `is_unknown` admits.
structure::Incidence incidence(const System&, const std::vector<std::uint32_t>& rows, const std::vector<bool>& is_unknown);

// Blocks of a matched graph; its row k is rows[k] of the system.
SortedProblem sorted(const System&, const structure::Incidence&, const structure::Matching&, const std::vector<std::uint32_t>& rows);

// The blocks that `wanted` variables need, directly or through others.
SortedProblem restricted(const System&, const SortedProblem&, const std::vector<std::uint32_t>& wanted);

}  // namespace kron::session
