// engine/session/known_derivatives.hpp: derivatives of equations that the model states, in place of those that were derived.
//   in    the rows that Pantelides left, and the states that were chosen among their variables
//   out   rows whose derivatives are known (`@derivative`) are those; what was differentiated for the others' sake only is gone, rows and
//         variables alike
//   why   the position of a frame at the end of a chain depends on all joints through all frames between, and so do its derivatives: twelve
//         unknowns a frame and order. Frames that carry velocities and accelerations know them
#pragma once
#include "engine/session/system.hpp"

namespace kron::session {

// Where rows are left out, as they follow from others: whether those that are left are the same ones along the axes of their derivatives. They
// are where the others' axes are those of the equations.
bool fits(const System&, const FlatModel::KnownDerivatives&, const std::vector<bool>& left_out);

// Of an element of an equation; in the world's axes where it is not to be along those of the derivatives.
bool derivative_is_known(const FlatModel&, const FlatModel::KnownDerivatives&, bool along_axes);
model::Bound known_derivative(const FlatModel&, const FlatModel::KnownDerivatives&, std::uint32_t element, std::uint32_t order, bool along_axes);

// After choose_states(). False, and nothing happens, where what would be left has not as many rows as unknowns. Where a derivative says nothing the
// closing equations are to be looked at; an error, if they were.
bool use_known_derivatives(System&, Diagnostics&, LoopRepeats&);

}  // namespace kron::session
