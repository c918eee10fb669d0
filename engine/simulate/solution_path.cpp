#include "engine/simulate/solution_path.hpp"

#include <algorithm>
#include <array>

namespace kron::simulate {

void SolutionPath::add(double t, std::span<const double> values) {
  const std::size_t first = pieces_.back().first;
  const bool begins = time_.size() == first;
  if (!begins && !(t > time_.back())) return;
  if (!begins && ++left_out_ < stride_) return;
  left_out_ = 0;
  if (values_.size() + unknowns_ > most_ && time_.size() > 2) thin();
  time_.push_back(t);
  values_.insert(values_.end(), values.begin(), values.end());
}

void SolutionPath::begin_piece(std::size_t point) { pieces_.push_back({point, time_.size()}); }

// Keeps the first one of each piece and every second one behind it.
void SolutionPath::thin() {
  std::size_t kept = 0;
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    const std::size_t first = pieces_[p].first, end = p + 1 < pieces_.size() ? pieces_[p + 1].first : time_.size();
    pieces_[p].first = kept;
    for (std::size_t k = first; k < end; k += 2, ++kept) {
      time_[kept] = time_[k];
      std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(k * unknowns_), unknowns_,
                  values_.begin() + static_cast<std::ptrdiff_t>(kept * unknowns_));
    }
  }
  time_.resize(kept);
  values_.resize(kept * unknowns_);
  stride_ *= 2;
}

bool SolutionPath::at(double t, std::size_t point, std::span<double> values) const {
  auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), point, [](std::size_t p, const Piece& x) { return p < x.point; });
  if (piece == pieces_.begin()) return false;
  const std::size_t end = piece == pieces_.end() ? time_.size() : piece->first, first = (--piece)->first;
  if (first == end) return false;
  const auto later = std::lower_bound(time_.begin() + static_cast<std::ptrdiff_t>(first), time_.begin() + static_cast<std::ptrdiff_t>(end), t);
  const auto k = static_cast<std::size_t>(later - time_.begin());
  // The nodes of the interpolation: both neighbours, and those next to them where their distance is comparable, as differences over short
  // ones are roundings against it. Behind the last one straight on, but not far.
  constexpr double comparable = 0.1, farthest = 10;
  std::size_t from = k, to = k;
  if (k == first || (k < end && time_[k] == t)) {
  } else if (k == end) {
    from = to = k - 1;
    if (from > first && t - time_[to] < farthest * (time_[to] - time_[from - 1])) --from;
  } else {
    const double h = time_[k] - time_[k - 1];
    from = k - 1;
    if (from > first && time_[from] - time_[from - 1] > comparable * h) --from;
    if (to + 1 < end && time_[to + 1] - time_[to] > comparable * h) ++to;
  }
  std::array<double, 4> weight{};  // Lagrange's
  for (std::size_t i = from; i <= to; ++i) {
    weight[i - from] = 1;
    for (std::size_t j = from; j <= to; ++j)
      if (j != i) weight[i - from] *= (t - time_[j]) / (time_[i] - time_[j]);
  }
  std::fill(values.begin(), values.end(), 0.0);
  for (std::size_t i = from; i <= to; ++i)
    for (std::size_t u = 0; u < unknowns_; ++u) values[u] += weight[i - from] * entry(i)[u];
  return true;
}

}  // namespace kron::simulate
