// The output grid. Times are the doubles nearest to the decimals that the settings print as: the third point of `every
// 0.1` is 0.3, not 3*0.1 = 0.30000000000000004.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/base/number.hpp"
#include "engine/simulate/run.hpp"

namespace kron::simulate {

namespace {

constexpr double largest_exact = 9007199254740992.0;  // 2^53

struct Fraction {
  double num = 0, den = 1;  // integers below 2^53
};

std::optional<Fraction> fraction_of(double x) {
  const Rational r = decimal(x);
  const auto num = small_integer(Rational(numerator(r))), den = small_integer(Rational(denominator(r)));
  if (!num || !den) return std::nullopt;
  return Fraction{static_cast<double>(*num), static_cast<double>(*den)};
}

// start + k * step
class Times {
 public:
  Times(double start, double length, std::optional<double> every, double intervals)
      : start_(start), step_(every ? *every : length / intervals) {
    const auto from = fraction_of(start), by = fraction_of(every ? *every : length);
    if (!from || !by) return;
    const double den = every ? by->den : by->den * intervals;
    first_ = from->num * den;
    each_ = by->num * from->den;
    den_ = from->den * den;
    exact_ = std::fabs(first_) + intervals * each_ < largest_exact && den_ < largest_exact;
  }
  double operator[](double k) const { return exact_ ? (first_ + k * each_) / den_ : start_ + k * step_; }

 private:
  double start_, step_, first_ = 0, each_ = 0, den_ = 1;
  bool exact_ = false;
};

}  // namespace

std::size_t grid_size(const Options& o) {
  const double length = o.stop - o.start;
  if (!(length > 0)) return 1;
  const double intervals = o.every ? std::ceil(length / *o.every * (1 - 4 * std::numeric_limits<double>::epsilon()))
                                   : static_cast<double>(o.points);
  return intervals < 1e15 ? static_cast<std::size_t>(std::max(1.0, intervals)) + 1
                          : no_size;
}

std::vector<double> output_grid(const Options& o) {
  const std::size_t size = grid_size(o);
  const Times times(o.start, o.stop - o.start, o.every, static_cast<double>(size - 1));
  std::vector<double> grid(size);
  for (std::size_t k = 0; k < size; ++k) grid[k] = times[static_cast<double>(k)];
  grid.front() = o.start;
  grid.back() = size > 1 ? o.stop : o.start;
  // Times that a double cannot tell apart are one point: two points at one time mean an event.
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  return grid;
}

}  // namespace kron::simulate
