// engine/session/evaluate.hpp: the value of an expression of the form table at given numbers. For single values (parameters,
// commands, probes); runs go through the tape.
#pragma once
#include <functional>
#include <span>

#include "engine/model/form.hpp"

namespace kron::session {

double evaluate(model::NodeId, const std::function<double(std::uint32_t placeholder)>&);
double apply_function(Fn, std::span<const double>);  // one function, with the meaning of language.md section 5

}  // namespace kron::session
