// engine/code/roundings.hpp: what a Newton step's residuals tell where corrections are short: roundings, or a slope that is infinite. Private to
// the room.
#pragma once
#include "engine/code/newton.hpp"

namespace kron::code {

// Whether nothing but roundings is left at z_. Where a row's value comes from differences of much larger ones than its terms, what roundings
// make of it shows a few last digits away, where it is off its slope.
template <class T>
bool Newton<T>::only_roundings() {
  using std::abs;
  if (residual_rounded()) return true;
  constexpr int points = 6;
  constexpr double near = 8, times = 8;  // last digits; of what was seen
  const std::vector<T> here = state_.right, size = sizes();
  std::vector<T> there(n_), seen(n_);
  for (std::size_t i = 0; i < n_; ++i) seen[i] = rounded * size[i] / times;
  for (int k = 0; k < points; ++k) {
    for (std::size_t i = 0; i < n_; ++i) {
      const int digits = (k + static_cast<int>(i) * (2 * k + 1)) % 5 - 2;
      there[i] = z_[i] + T(near / 2 * digits) * std::numeric_limits<T>::epsilon() * abs(z_[i]);
    }
    if (!residual(there)) continue;
    std::vector<T> off(n_);
    for (std::size_t i = 0; i < n_; ++i) off[i] = state_.right[i] - here[i];
    for (const StepPlan::Load& l : matrix()) off[l.row] -= e_.value(l.value) * (there[l.column] - z_[l.column]);
    for (std::size_t i = 0; i < n_; ++i) seen[i] = std::max(seen[i], T(abs(off[i])));
  }
  residual(z_);
  for (std::size_t i = 0; i < n_; ++i)
    if (!(abs(here[i]) <= times * seen[i])) return false;
  return true;
}

// Corrections are short, too, where a slope is infinite: sqrt(y) = -1 at y = 1e-30. A hundred of them back, rows differ by about a hundred
// residuals where what is left comes from the unknowns, by ten at a root of infinite slope, by nothing where there is no root. Roundings of the
// row's terms are no residual.
template <class T>
bool Newton<T>::slope_holds(const std::vector<T>& z, const std::vector<T>& correction) {
  using std::abs;
  constexpr int away = 100;
  const std::vector<T> here = state_.right;
  std::vector<T> there(n_), size(n_, T(0));
  for (const StepPlan::Load& l : matrix()) size[l.row] += abs(e_.reg[l.value.reg()] * z[l.column]);
  const T rounding = 1e4 * std::numeric_limits<T>::epsilon();
  bool holds = true;
  for (const int side : {-away, away}) {
    for (std::size_t i = 0; i < n_; ++i) there[i] = z[i] + side * correction[i];
    clamp(there);
    if (!residual(there)) continue;
    for (std::size_t i = 0; i < n_; ++i) holds = holds && (abs(here[i]) <= rounding * size[i] || abs(state_.right[i] - here[i]) >= abs(here[i]));
    break;
  }
  return residual(z) && holds;
}

}  // namespace kron::code
