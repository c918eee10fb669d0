// engine/model/events.hpp: what jumps is taken out of equations.
//   Relations between continuous quantities (of `==` the two that it is made of), the jumps of floor, ceil, mod, rem, div, abs and sign, `sample` and the edges of conditions
//   become operands of their own (OperandKind::event), so that an equation between two events is smooth: integrators and elimination see
//   numbers. What stands inside noEvent stays as it is. Equal ones are one operand.
//   Variables of types other than Real, and those that a `when` gives a value, change at events only; their equations leave the
//   continuous system.
#pragma once
#include "engine/model/flat_model.hpp"

namespace kron::model {

void separate_events(FlatModel&, Diagnostics&);  // the last stage of flatten()

// Whether a class has something to do with events, by itself. Where none has, there is nothing to separate.
bool has_events(const Blueprint&);

// Whether the form has something that may jump.
bool may_jump(FormId);

}  // namespace kron::model
