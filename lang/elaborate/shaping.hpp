// lang/elaborate/shaping.hpp: numbers of parameters that make equations shorter than others do (fold.cpp).
#pragma once
#include <cmath>
#include <limits>
#include <optional>

#include "engine/model/blueprint.hpp"

namespace kron::elaborate {

// How many right angles an angle is, if it is a multiple of one but for rounding.
inline std::optional<int> right_angles(double x) {
  constexpr double right = 1.5707963267948966, most = 1e4, rounding = 4 * std::numeric_limits<double>::epsilon();
  const double turns = std::round(x / right);
  if (!(std::fabs(turns) <= most) || std::fabs(x - turns * right) > rounding * std::fabs(turns * right)) return std::nullopt;
  return static_cast<int>(turns);
}

// 0, 1, -1, or a multiple of a right angle.
inline bool is_shaping(double x) { return std::fabs(x) == 1 || right_angles(x); }

// Whether a parameter that was looked at so is part of equations with this number.
inline bool is_shaping(model::SlotFlags looked_at, double x) {
  return x == 0 ? looked_at & model::SlotFlag::zero_shapes : (looked_at & model::SlotFlag::one_shapes) && is_shaping(x);
}

}  // namespace kron::elaborate
