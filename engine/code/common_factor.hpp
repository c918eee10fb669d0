// engine/code/common_factor.hpp: f*x + f*y as f*(x + y), where f is known before both: one product less.
#pragma once
#include "engine/code/tape.hpp"

namespace kron::code {

// Of two products. Zero: they have no such factor.
Ref common_factor(Builder&, Ref, Ref);

}  // namespace kron::code
