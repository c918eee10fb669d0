// How far a value goes during a run.
#pragma once
#include <algorithm>
#include <string>

#include "lang/workspace/kron.hpp"

namespace kron::test {

inline double spread(Session& s, const std::string& e) {
  const auto v = s.series(e).value();
  const auto [low, high] = std::minmax_element(v.begin(), v.end());
  return *high - *low;
}

}  // namespace kron::test
