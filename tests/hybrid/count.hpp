// How many random models of a kind are tried: KRON_HYBRID_MODELS=N asks for others than usual.
#pragma once
#include <cstdint>
#include <cstdlib>

#include "tests/support/sanitized.hpp"

namespace kron::hybrid {

inline std::uint64_t models(std::uint64_t usual) {
  const char* asked = std::getenv("KRON_HYBRID_MODELS");
  return asked ? std::strtoull(asked, nullptr, 10) : kron::sanitized ? usual / 10 : usual;
}

}  // namespace kron::hybrid
