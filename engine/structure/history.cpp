#include "engine/structure/history.hpp"

#include <algorithm>

#include "engine/structure/wide.hpp"

namespace kron::structure {
namespace {

// value·a / b; false when it leaves 64 bits.
bool scale_by(Fraction& value, std::int64_t a, std::int64_t b) {
  Wide n = static_cast<Wide>(value.numerator) * a, d = static_cast<Wide>(value.denominator) * b;
  const Wide g = gcd(n, d);
  n /= d < 0 ? -g : g;
  d = absolute(d) / g;
  value = {static_cast<std::int64_t>(n), static_cast<std::int64_t>(d)};
  return fits(n) && fits(d);
}

bool subtract(Fraction& value, const Fraction& other) {
  const std::int64_t common = std::gcd(value.denominator, other.denominator);
  Wide n = static_cast<Wide>(value.numerator) * (other.denominator / common) -
           static_cast<Wide>(other.numerator) * (value.denominator / common);
  Wide d = static_cast<Wide>(value.denominator) * (other.denominator / common);
  const Wide g = gcd(n, d);
  n /= g;
  d /= g;
  value = {static_cast<std::int64_t>(n), static_cast<std::int64_t>(d)};
  return fits(n) && fits(d);
}

}  // namespace

// The weight of a row goes to the pivot rows that were subtracted from it; what remains is the weight of the original
// row.
bool History::expand(Row r) {
  bool exact = true;
  for (std::uint32_t s = last_[r]; s != none; s = steps_[s].before) {
    const Step& step = steps_[s];
    Fraction share = weight_[r];
    exact = scale_by(share, step.take, step.divisor) && exact;
    if (!reached_[step.pivot_row]) {
      reached_[step.pivot_row] = 1;
      weight_[step.pivot_row] = {};
      pending_.push_back({pivot_time_[step.pivot_row], step.pivot_row});
      std::push_heap(pending_.begin(), pending_.end());
    }
    exact = subtract(weight_[step.pivot_row], share) && exact;
    exact = scale_by(weight_[r], step.keep, step.divisor) && exact;
    if (!exact) weight_[r] = weight_[step.pivot_row] = {1, 1};
  }
  return exact;
}

History::Trace History::integers(const std::vector<std::pair<Row, Fraction>>& weights, bool overflow) {
  Trace out;
  out.overflow = overflow;
  Wide common = 1;
  for (const auto& [row, w] : weights) {
    if (!out.overflow) common = common / gcd(common, w.denominator) * w.denominator;
    out.overflow = out.overflow || !fits(common);
  }
  out.scale = out.overflow ? 1 : static_cast<std::int64_t>(common);
  for (const auto& [row, w] : weights) {
    const Wide factor = out.overflow ? 1 : static_cast<Wide>(w.numerator) * (out.scale / w.denominator);
    out.overflow = out.overflow || !fits(factor);
    out.combination.emplace_back(row, static_cast<std::int64_t>(factor));
  }
  return out;
}

History::Trace History::trace(Row r) {
  std::vector<std::pair<Row, Fraction>> weights;
  weight_[r] = {1, 1};
  bool exact = expand(r);
  weights.emplace_back(r, weight_[r]);
  while (!pending_.empty()) {
    std::pop_heap(pending_.begin(), pending_.end());
    const Row pivot_row = pending_.back().second;
    pending_.pop_back();
    reached_[pivot_row] = 0;
    if (weight_[pivot_row].numerator == 0) continue;
    exact = expand(pivot_row) && exact;
    if (weight_[pivot_row].numerator != 0) weights.emplace_back(pivot_row, weight_[pivot_row]);
  }
  std::sort(weights.begin(), weights.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return integers(weights, !exact);
}

}  // namespace kron::structure
