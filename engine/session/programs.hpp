// engine/session/programs.hpp: what is asked of the tape of an analysis.
//   in    the analysis, its blocks on the tape; which variables are unknowns of the dynamic problem
//   out   the program's roots: derivatives, choices of states, outputs, events, and rates of waves that the derivatives need
//   may   list the analysis' output variables, tell which section each block is in and which events matter to the derivatives
//   cost  one pass over the tape from its end
#pragma once
#include "engine/session/analysis.hpp"

namespace kron::session {

code::Roots roots_of_dynamics(Analysis&, const std::vector<bool>& is_unknown);  // all but how many inputs there are

code::Roots with_inputs(const Analysis&, code::Roots);

}  // namespace kron::session
