#include "engine/simulate/rough_places.hpp"

#include <algorithm>
#include <array>
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

// The second difference of the derivatives.
std::optional<std::vector<double>> bend(Run& run, double t, double h, std::span<const double> y, std::span<const double> slope) {
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
  return second;
}

double size(const Run& run, std::span<const double> list, std::span<const double> y) {
  double sum = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const double e = list[i] * weight(run, i, y[i]);
    sum += e * e;
  }
  return std::sqrt(sum / static_cast<double>(list.size()));
}

// The cubic through the derivatives at four points ahead, 1 to 4 lengths away: its value at 0, and its integrals from 0 to each of them.
constexpr std::size_t ahead = 4;
constexpr std::array<double, ahead> at_start = {4, -6, 4, -1};
constexpr std::array<std::array<double, ahead>, ahead> up_to = {{{55.0 / 24, -59.0 / 24, 37.0 / 24, -3.0 / 8},
                                                                 {8.0 / 3, -5.0 / 3, 4.0 / 3, -1.0 / 3},
                                                                 {21.0 / 8, -9.0 / 8, 15.0 / 8, -3.0 / 8},
                                                                 {8.0 / 3, -4.0 / 3, 8.0 / 3, 0}}};

}  // namespace

std::optional<double> roughness_at(Run& run, double t, double h, std::span<const double> y, std::span<const double> slope) {
  const auto second = bend(run, t, h, y, slope);
  if (!second) return std::nullopt;
  return h * size(run, *second, y);
}

bool is_noise(Run& run, double t, double h, std::span<const double> y) {
  constexpr double most = 0.5, counts = 1;  // of the derivatives; in units of the error allowed
  std::vector<double> slope(y.size());
  if (evaluate(run, t, y, slope) != 0) {
    run.complaint.kind = Trouble::none;
    return true;
  }
  const auto second = bend(run, t, h, y, slope);
  if (!second) return true;
  const double rough = size(run, *second, y);
  return !(h * rough <= counts) && !(rough <= most * size(run, slope, y));
}

std::optional<std::vector<double>> slope_from_ahead(Run& run, double t, double h, std::span<const double> y, std::span<const double> slope) {
  constexpr double rough = 0.1;  // units of the error allowed
  constexpr unsigned rounds = 6;
  const auto is_rough = [&](double time, std::span<const double> state, std::span<const double> here) {
    const auto r = roughness_at(run, time, h, state, here);
    return !r || !(*r <= rough);
  };
  if (!is_rough(t, y, slope)) return std::nullopt;
  const std::size_t n = y.size();
  std::array<std::vector<double>, ahead> found;
  std::vector<double> state(n);
  const auto smooth = [&](double length) {
    found.fill({slope.begin(), slope.end()});
    for (unsigned round = 0; round < rounds; ++round)
      for (std::size_t j = 0; j < ahead; ++j) {
        for (std::size_t i = 0; i < n; ++i) {
          double sum = 0;
          for (std::size_t k = 0; k < ahead; ++k) sum += up_to[j][k] * found[k][i];
          state[i] = y[i] + length * sum;
        }
        const double time = t + static_cast<double>(j + 1) * length;
        if (evaluate(run, time, state, found[j]) != 0) {
          run.complaint.kind = Trouble::none;
          return false;
        }
        if (round + 1 == rounds && is_rough(time, state, found[j])) return false;
      }
    return true;
  };
  for (const double part : {1.0 / 64, 1.0 / 45, 1.0 / 32, 1.0 / 23, 1.0 / 16, 1.0 / 11}) {
    if (!smooth(part * h)) continue;
    std::vector<double> first(n, 0.0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < ahead; ++k) first[i] += at_start[k] * found[k][i];
    return first;
  }
  return std::nullopt;
}

// In the order of their size, as factorisations exchange rows: of the matrix at a point they may take other pivots than at the one before.
// So three points in a row have to tell of the same place.
void SingularAhead::accepted(double t, std::span<const double> pivots) {
  constexpr double doubt = 0.2;  // of the time between the first and the last
  constexpr double nowhere = std::numeric_limits<double>::infinity();
  now_.assign(pivots.begin(), pivots.end());
  std::sort(now_.begin(), now_.end());
  places_.resize(now_.size(), nowhere);
  place_ = nowhere;
  if (before_.size() != now_.size()) std::fill(places_.begin(), places_.end(), nowhere);
  for (std::size_t k = 0; k < now_.size() && before_.size() == now_.size(); ++k) {
    const double zero = now_[k] < before_[k] ? t + (t - time_) * now_[k] / (before_[k] - now_[k]) : nowhere;
    if (std::fabs(zero - places_[k]) <= doubt * (t - earlier_)) place_ = std::min(place_, zero);
    places_[k] = zero;
  }
  before_.swap(now_);
  earlier_ = std::exchange(time_, t);
}

void SingularAhead::forget() {
  before_.clear();
  wish_ = 0;
  place_ = std::numeric_limits<double>::infinity();
}

double SingularAhead::after(double t, double usual) {
  constexpr double stretch = 1.1;  // to pass over the place; the test of errors has a margin
  const double wish = std::max(usual, std::exchange(wish_, 0));  // a step that was shortened for this tells nothing of those behind it
  const double length = fitted(t, wish, stretch);
  if (length < wish) wish_ = wish;
  return length;
}

double SingularAhead::fitted(double t, double usual, double most) const {
  constexpr double near = 0.1;  // of a step: it stands beside the place already
  const double ahead = place_ - t;
  if (!(ahead > near * usual) || ahead >= (1 + middle) * usual) return usual;
  if (ahead <= most * middle * usual) return ahead / middle;
  return std::max(ahead - middle * usual, 0.25 * usual);  // the next one passes over it
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
  passes_ = after.has_value();
  return after ? *after : usual;
}

}  // namespace kron::simulate::dormand_prince
