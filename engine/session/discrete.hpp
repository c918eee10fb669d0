// engine/session/discrete.hpp: the discrete part of a model: which equation gives which discrete variable, in which order, and the event roots
// on the tape.
#pragma once
#include "engine/session/emit.hpp"
#include "engine/simulate/events.hpp"

namespace kron::session {

DiscreteOrder sort_discrete(const FlatModel&, Diagnostics&);

// What a discrete equation makes of the variable that it gives. `value`: of its other operands. No value: one of them is not there.
using OperandValue = std::function<std::optional<code::Ref>(model::Operand)>;
std::optional<code::Ref> emit_discrete(const FlatModel&, std::uint32_t equation, std::uint32_t slot, code::Builder&, solve::Templates&, const OperandValue&);

// Places among the tape's inputs of kinds discrete and pre (simulate/events.hpp).
std::uint32_t discrete_input(const FlatModel&, model::Operand);  // initial, terminal, event, or the value of a discrete variable
std::uint32_t pre_input(const FlatModel&, std::uint32_t slot);
std::uint64_t discrete_key(const System&, model::Operand);  // content, of such an input

// The event roots of a tape that holds the continuous variables. `value`: of an operand, inputs for those that change at events.
EventRoots emit_events(const System&, const DiscreteOrder&, code::Builder&, solve::Templates&, const std::function<code::Ref(model::Operand)>& value,
                       Diagnostics&);

}  // namespace kron::session
