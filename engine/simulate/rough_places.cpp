#include "engine/simulate/rough_places.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kron::simulate::dormand_prince {

namespace {

constexpr double share = 0.02;   // of the error, that rounding has to make: by chance it makes much less now and then
constexpr double middle = 0.55;  // of the widest gap between stages
constexpr double shortest = 0.1;

double weight_of(std::size_t stage) { return std::max(std::fabs(error_weights[stage]), 0.02); }  // stages act by those after them, too

// In lengths of the step. Rounding errors grow with a power of the nearness, so the roughest stages are nearest.
double place(const Roughness& roughness) {
  double sum = 0, weights = 0;
  for (std::size_t j = 0; j < stages; ++j) {
    const double w = std::cbrt(roughness[j]);
    sum += w * c[j];
    weights += w;
  }
  return sum / weights;
}

// Moved by a part of `size` that is large against rounding and small against all else, to this side or (-1) to the other one.
double beside(double value, double size, double side) {
  return value + side * std::max(0x1p-28 * size, 4 * std::numeric_limits<double>::epsilon() * std::fabs(value));
}

}  // namespace

std::optional<double> roughness_at(Run& run, double t, double h, std::span<const double> y, std::span<const double> slope) {
  const std::size_t n = y.size();
  std::vector<double> near(n), other(n), second(n);
  for (std::size_t i = 0; i < n; ++i) second[i] = -2 * slope[i];
  for (const double side : {-1.0, 1.0}) {
    for (std::size_t i = 0; i < n; ++i) near[i] = beside(y[i], std::max(std::fabs(y[i]), run.scale[i]), i % 2 == 0 ? side : -side);
    if (evaluate(run, beside(t, h, side), near, other) != 0) {
      run.complaint.kind = Trouble::none;
      return std::nullopt;
    }
    for (std::size_t i = 0; i < n; ++i) second[i] += other[i];
  }
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double e = h * second[i] * weight(run, i, y[i]);
    sum += e * e;
  }
  return std::sqrt(sum / static_cast<double>(n));
}

std::optional<double> RoughPlaces::length(double t, double h, double error, const Roughness& roughness) {
  after_.reset();
  double most = 0;
  for (std::size_t j = 0; j < stages; ++j) most = std::max(most, weight_of(j) * roughness[j]);
  if (!(most >= share * error) || !std::isfinite(most)) return std::nullopt;
  if (t > left_behind_ || met_ == 0) {
    met_ = steps_ = 0;
    left_behind_ = t + 4 * h;
  }
  if (++met_ > most_tries) return std::nullopt;
  const double ahead = place(roughness);
  if (ahead <= middle) return h * ahead / middle;
  const double before = std::max(ahead - middle, shortest);
  after_ = h * (ahead - before) / middle;
  return h * before;
}

double RoughPlaces::next(double t, double usual) {
  if (met_ > 0 && t <= left_behind_) ++steps_;
  const std::optional<double> after = std::exchange(after_, std::nullopt);
  return after ? *after : usual;
}

}  // namespace kron::simulate::dormand_prince
