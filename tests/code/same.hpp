// Numbers that are the same to the bit.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

namespace kron::code::test {

// Which of several results that are not numbers comes out is left open: compilers order the operands of sums and products freely.
inline bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

}  // namespace kron::code::test
