// Random models for the interpreter and the engine.
#pragma once
#include <cstdint>

#include "tests/hybrid/interpreter.hpp"

namespace kron::hybrid {

Model random_piecewise_linear(std::uint64_t seed);  // 1 to 4 states; switched by time, samples, states; reinit, hysteresis, counters, priorities
Model random_logic(std::uint64_t seed);             // an acyclic network of Booleans and counters, fed by time and up to two states

}  // namespace kron::hybrid
