#include "engine/code/history.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kron::code {

namespace {
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
}

void History::start(std::size_t k, double time, double value) {
  functions_[k].clear();
  functions_[k].push_back({-std::numeric_limits<double>::infinity(), 0, {Part{time - 1, time, {value}}}});
  begin_piece(k, time, 1);
}

void History::begin_piece(std::size_t k, double time, unsigned generation) { functions_[k].push_back({time, generation, {}}); }

double History::value(double time, double place, unsigned order) const {
  const auto number = static_cast<std::size_t>(place);
  const std::size_t k = number % size(), which = number / size();
  if (which >= functions_[k].size()) return nan;
  const std::vector<Part>& parts = functions_[k][which].parts;
  if (parts.empty()) return nan;
  auto at = std::lower_bound(parts.begin(), parts.end(), time, [](const Part& p, double t) { return p.end < t; });
  if (at == parts.end()) {
    --at;
    // Beyond what is known: rounding, or a step that is to be cut at the piece's end.
    const bool growing = which + 1 == functions_[k].size();
    if (growing && time - at->end > 1e-9 * (at->end - at->begin) + 1e-14 * std::fabs(time)) return nan;
  }
  const double h = at->end - at->begin, s = (time - at->begin) / h;
  double sum = 0;
  for (std::size_t i = degree + 1; i-- > order;) {
    double factor = at->c[i];
    for (unsigned m = 0; m < order; ++m) factor *= static_cast<double>(i - m) / h;
    sum = sum * s + factor;
  }
  return sum;
}

}  // namespace kron::code
