#pragma once
#include "tests/hybrid/circuit.hpp"

namespace kron::hybrid {

// Random networks, bridges, multipliers and clippers of up to 8 diodes; every third with Ron = Goff = 0.
Circuit random_circuit(std::uint64_t seed);

}  // namespace kron::hybrid
