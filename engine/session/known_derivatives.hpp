// engine/session/known_derivatives.hpp: derivatives of equations that the model states, in place of those that were derived.
//   in    the rows that Pantelides left, and the states that were chosen among their variables
//   out   rows whose derivatives are known (`@derivative`) are those; what was differentiated for the others' sake only is gone, rows and
//         variables alike
//   why   the position of a frame at the end of a chain depends on all joints through all frames between, and so do its derivatives: twelve
//         unknowns a frame and order. Frames that carry velocities and accelerations know them
#pragma once
#include "engine/session/system.hpp"

namespace kron::session {

// By row of a system that is not differentiated: its first derivative is known to say nothing, 0 = 0. That shows what a loop holds more than it
// needs where velocities are resolved in frames of which the zeros show, and positions are not.
std::vector<bool> silent_rows(System&);

// After choose_states(). False, and nothing happens, where what would be left has not as many rows as unknowns. Where a derivative says nothing the
// closing equations are to be looked at; an error, if they were.
bool use_known_derivatives(System&, Diagnostics&, LoopRepeats&);

}  // namespace kron::session
