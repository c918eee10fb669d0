// engine/structure/wide.hpp: 128-bit intermediates of 64-bit integer arithmetic.
#pragma once
#include <cstdint>
#include <limits>
#include <numeric>

namespace kron::structure {

__extension__ using Wide = __int128;

inline bool fits(Wide v) {
  return v > std::numeric_limits<std::int64_t>::min() && v <= std::numeric_limits<std::int64_t>::max();
}

inline Wide absolute(Wide v) { return v < 0 ? -v : v; }

// Non-negative; gcd(0, v) = |v|.
inline Wide gcd(Wide a, Wide b) {
  a = absolute(a), b = absolute(b);
  while (b != 0 && !(fits(a) && fits(b))) {
    const Wide rest = a % b;
    a = b, b = rest;
  }
  return b == 0 ? a : std::gcd(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
}

}  // namespace kron::structure
