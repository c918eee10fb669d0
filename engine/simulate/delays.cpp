#include "engine/simulate/delays.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/base/number.hpp"
#include "engine/simulate/event_loop.hpp"

namespace kron::simulate {

using kron::to_text;

namespace {

constexpr std::size_t nodes = code::History::degree + 1;
const std::array<double, nodes> lobatto = {0, 0.5 - std::sqrt(0.125), 0.5, 0.5 + std::sqrt(0.125), 1};
constexpr double check = 0.31;  // near an extremum of what is left over

// Through values at the Lobatto points: Newton's divided differences, as powers.
std::array<double, nodes> polynomial(std::array<double, nodes> v) {
  for (std::size_t level = 1; level < nodes; ++level)
    for (std::size_t i = nodes - 1; i >= level; --i) v[i] = (v[i] - v[i - 1]) / (lobatto[i] - lobatto[i - level]);
  std::array<double, nodes> c{};
  for (std::size_t i = nodes; i-- > 0;) {  // c = c * (s - lobatto[i]) + v[i]
    for (std::size_t k = nodes - 1; k > 0; --k) c[k] = c[k - 1] - lobatto[i] * c[k];
    c[0] = v[i] - lobatto[i] * c[0];
  }
  return c;
}

double at(const std::array<double, nodes>& c, double s) {
  double sum = 0;
  for (std::size_t i = nodes; i-- > 0;) sum = sum * s + c[i];
  return sum;
}

}  // namespace

bool has_delays(const Problem& p) {
  return p.events && std::any_of(p.events->terms.begin(), p.events->terms.end(), [](const EventTerm& x) { return x.kind == EventTerm::Kind::delay; });
}

Delays::Delays(const EventModel& m, double tolerance) : m_(m), tolerance_(tolerance), shortest_(infinity<double>), function_(m.terms.size(), 0) {
  for (std::size_t k = 0; k < m.terms.size(); ++k)
    if (m.terms[k].kind == EventTerm::Kind::delay) {
      function_[k] = terms_.size();
      terms_.push_back(k);
    }
  history_ = std::make_shared<code::History>(terms_.size());
  before_.assign(count(), 0);
  scale_.assign(count(), 0);
}

double Delays::place(std::size_t term, double t, std::span<const double> roots, double now) const {
  const EventTerm& x = m_.terms[term];
  const std::size_t f = function_[term], pieces = history_->pieces(f);
  const double slope = x.slope == EventTerm::none ? 0 : roots[x.slope], root = roots[x.root];
  // Whether the time looked up has passed the beginning of piece i.
  const auto passed = [&](std::size_t i) {
    if (slope == 0) return root >= history_->begin(f, i);
    const bool gone = reached((history_->begin(f, i) - roots[x.slope + 1]) / slope, t);
    return gone == (slope > 0);
  };
  std::size_t i = std::min(static_cast<std::size_t>(now) / count(), pieces - 1);
  while (i > 0 && !passed(i)) --i;
  while (i + 1 < pieces && passed(i + 1)) ++i;
  return static_cast<double>(i * count() + f);
}

double Delays::moment(std::size_t term, std::span<const double> roots, double now) const {
  const EventTerm& x = m_.terms[term];
  const std::size_t f = function_[term], i = static_cast<std::size_t>(now) / count();
  const double slope = roots[x.slope], value = roots[x.slope + 1];
  if (slope < 0) return i > 0 ? (history_->begin(f, i) - value) / slope : infinity<double>;
  return i + 1 < history_->pieces(f) ? (history_->begin(f, i + 1) - value) / slope : infinity<double>;
}

double Delays::beyond(std::size_t term, double root, double now) const {
  const std::size_t f = function_[term], i = static_cast<std::size_t>(now) / count();
  const double end = i + 1 < history_->pieces(f) ? history_->begin(f, i + 1) : infinity<double>;
  return std::max(history_->begin(f, i) - root, root - end);
}

unsigned Delays::generation(std::size_t term, double place) const {
  return history_->generation(function_[term], static_cast<std::size_t>(place) / count());
}

std::optional<Delays::Fault> Delays::fault(double t, std::span<const double> roots) const {
  for (const std::size_t k : terms_) {
    const double delay = t - roots[m_.terms[k].root], largest = roots[m_.terms[k].delayed + 1];
    if (delay <= 0) return Fault{k, "the delay is " + to_text(delay) + ": it must be positive"};
    if (largest > 0 && delay > largest * (1 + 1e-9)) return Fault{k, "the delay is " + to_text(delay) + ", above its largest value " + to_text(largest)};
  }
  return std::nullopt;
}

void Delays::widen(std::size_t f, double value) { scale_[f] = std::max(scale_[f], std::fabs(value)); }

void Delays::begin(double t, std::span<const double> roots) {
  constexpr double guess = 0.7390851332151607;  // nothing that a model is likely to divide by zero at
  shortest_ = infinity<double>;
  for (std::size_t f = 0; f < count(); ++f) {
    before_[f] = guess;
    history_->start(f, t, guess);
    // Of a delay that varies nothing is known.
    const EventTerm& x = m_.terms[terms_[f]];
    if (x.slope != EventTerm::none && roots[x.slope] == 1) shortest_ = std::min(shortest_, -roots[x.slope + 1]);
  }
}

std::vector<double> Delays::present(std::span<const double> roots) const {
  std::vector<double> list(count());
  for (std::size_t f = 0; f < count(); ++f) list[f] = roots[m_.terms[terms_[f]].delayed];
  return list;
}

void Delays::set_before(double t, std::span<const double> values) {
  for (std::size_t f = 0; f < count(); ++f) {
    before_[f] = values[f];
    history_->start(f, t, values[f]);
    scale_[f] = std::fabs(values[f]);
  }
}

bool Delays::settled(std::span<const double> present) const {
  constexpr double roundings = 4;
  for (std::size_t f = 0; f < count(); ++f)
    if (!(std::fabs(present[f] - before_[f]) <= roundings * epsilon<double> * std::fabs(present[f]))) return false;
  return true;
}

bool Delays::nearly_settled(std::span<const double> present) const {
  constexpr double roundings = 1e4;
  double largest = 0;
  for (const double x : present) largest = std::max(largest, std::fabs(x));
  for (std::size_t f = 0; f < count(); ++f)
    if (!(std::fabs(present[f] - before_[f]) <= roundings * epsilon<double> * largest)) return false;
  return true;
}

void Delays::record(double from, double to, const Roots& roots) {
  constexpr std::size_t most_halves = 4096;  // of a step: 12 halvings everywhere
  const auto values = [&](double t) { return present(roots(t)); };
  struct Interval {
    double begin, end;
    std::vector<double> left, right;
  };
  if (!(to - from > 4 * epsilon<double> * std::max(std::fabs(from), std::fabs(to)))) return;
  std::vector<Interval> open{{from, to, values(from), values(to)}};
  for (std::size_t halves = 0; !open.empty();) {
    Interval now = std::move(open.back());
    open.pop_back();
    const double h = now.end - now.begin;
    std::array<std::vector<double>, nodes> v;
    for (std::size_t i = 1; i + 1 < nodes; ++i) v[i] = values(now.begin + lobatto[i] * h);
    v[0] = now.left, v[nodes - 1] = now.right;
    const std::vector<double> probe = values(now.begin + check * h);
    std::vector<code::History::Part> parts(count());
    bool good = true;
    for (std::size_t f = 0; f < count(); ++f) {
      std::array<double, nodes> of{};
      for (std::size_t i = 0; i < nodes; ++i) widen(f, of[i] = v[i][f]);
      parts[f] = {now.begin, now.end, polynomial(of)};
      const double of_time = std::fabs(now.end) / h * std::fabs(of.back() - of.front());  // its rounding moves values by epsilon times that
      good = good && !(std::fabs(at(parts[f].c, check) - probe[f]) > 0.1 * tolerance_ * scale_[f] + 16 * epsilon<double> * (scale_[f] + of_time));
    }
    if (good || halves >= most_halves) {
      for (std::size_t f = 0; f < count(); ++f) history_->append(f, parts[f]);
      continue;
    }
    ++halves;
    const double middle = now.begin + 0.5 * h;
    open.push_back({middle, now.end, v[nodes / 2], now.right});
    open.push_back({now.begin, middle, now.left, v[nodes / 2]});
  }
}

void Delays::begin_pieces(double t, std::span<const double> left, std::span<const double> right, std::optional<unsigned> generation) {
  for (std::size_t f = 0; f < count(); ++f) {
    const std::uint32_t root = m_.terms[terms_[f]].delayed;
    widen(f, right[root]);
    if (std::fabs(right[root] - left[root]) > 1e-12 * scale_[f])
      history_->begin_piece(f, t, 0);
    else if (generation && *generation <= most_generations)
      history_->begin_piece(f, t, *generation);
  }
}

}  // namespace kron::simulate
