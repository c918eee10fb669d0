// engine/session/discrete.hpp: the discrete part of a model: which equation gives which discrete variable, in which order, and the event roots
// on the tape.
#pragma once
#include "engine/session/emit.hpp"
#include "engine/simulate/events.hpp"

namespace kron::session {

DiscreteOrder sort_discrete(const FlatModel&, Diagnostics&);

// Places among the tape's inputs of kinds discrete and pre (simulate/events.hpp).
std::uint32_t discrete_input(const FlatModel&, model::Operand);  // initial, terminal, event, or the value of a discrete variable
std::uint32_t pre_input(const FlatModel&, std::uint32_t slot);

// The event roots of a tape that holds the continuous variables. `value`: of an operand, inputs for those that change at events.
EventRoots emit_events(const System&, const DiscreteOrder&, code::Builder&, solve::Templates&, const std::function<code::Ref(model::Operand)>& value,
                       Diagnostics&);

}  // namespace kron::session
