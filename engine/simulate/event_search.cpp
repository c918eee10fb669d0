// Where state events are: behind each step relations are looked at, and the first change is located on the step's interpolant.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/code/precision.hpp"
#include "engine/simulate/run.hpp"

namespace kron::simulate {

using Kind = EventTerm::Kind;
using std::fabs;

bool is_searched(const EventTerm& x) { return (x.kind == Kind::relation || x.kind == Kind::floor) && x.slope == EventTerm::none; }

template <class T>
T EventLoopOf<T>::tolerance(std::size_t k) const { return 500 * std::numeric_limits<T>::epsilon() * scale_[k]; }

// Whether the root's value is beyond what the term's present value allows, by more than `level`.
template <class T>
bool EventLoopOf<T>::crossed(std::size_t k, const T& value, const T& level) const {
  const T now = input_[m_.term(k)];
  if (m_.terms[k].kind == Kind::floor) return value < now - level || value >= now + 1 + level;
  return now != 0 ? value < -level : value > level;
}

template <class T>
bool EventLoopOf<T>::any_crossed(std::span<const T> values) const {
  for (std::size_t k = 0; k < m_.terms.size(); ++k) {
    const EventTerm& x = m_.terms[k];
    if (is_searched(x) && crossed(k, values[x.root], tolerance(k))) return true;
  }
  return false;
}

template <class T>
std::optional<T> EventLoopOf<T>::find(const T& from, const T& to, std::span<const T> y, const At& at) {
  if (!searches_) return std::nullopt;
  std::vector<T> here(y.size());
  const auto look = [&](const T& t) {
    at(t, here);
    return evaluate(machine_, t, here);
  };
  if (left_time_ != from) {
    if (!look(from)) return std::nullopt;
    left_ = roots_;
  }
  const std::vector<T> before = left_;
  const bool good = evaluate(machine_, to, y);
  if (!run_.options.events) {
    left_ = roots_;
    left_time_ = to;
    return good && any_crossed(roots_) ? std::optional(to) : std::nullopt;
  }
  const std::vector<T> right = roots_;
  for (std::size_t k = 0; good && k < m_.terms.size(); ++k)
    if (const EventTerm& x = m_.terms[k]; x.size != EventTerm::none) scale_[k] = std::max({scale_[k], before[x.size], right[x.size]});
  T a = from, b = to;
  std::vector<T> va = before, vb = right;
  bool found = !good || any_crossed(right);
  // There and back within the step.
  const T middle = from + 0.5 * (to - from);
  if (look(middle)) {
    middle_ = roots_;
    if (any_crossed(middle_)) {
      b = middle, vb = middle_, found = true;
    } else {
      T best = to;
      for (std::size_t k = 0; k < m_.terms.size(); ++k) {
        const EventTerm& x = m_.terms[k];
        if (!is_searched(x) || !good) continue;
        // The parabola through the three values: its extremum.
        const T v0 = before[x.root], v1 = middle_[x.root], v2 = right[x.root], bend = 2 * (v0 - 2 * v1 + v2), rise = 4 * v1 - 3 * v0 - v2;
        if (bend == 0) continue;
        const T s = -0.5 * rise / bend;
        if (!(s > 0.02 && s < 0.98) || !crossed(k, v0 + s * (rise + s * bend), -0.2 * std::max(fabs(v0 - v1), fabs(v2 - v1)))) continue;
        const T there = from + s * (to - from);
        if (there < best && look(there) && any_crossed(roots_)) best = there, b = there, vb = roots_, found = true;
      }
      if (found && b == to) a = middle, va = middle_;
    }
  }
  left_ = right;
  left_time_ = to;
  if (!found) return std::nullopt;
  // Bracketed: not crossed at a, crossed at b (or not to be evaluated there). What had crossed by less than the tolerance before counts from there.
  std::vector<T> level(m_.terms.size());
  for (std::size_t k = 0; k < m_.terms.size(); ++k)
    if (const EventTerm& x = m_.terms[k]; is_searched(x)) level[k] = crossed(k, before[x.root], 0) ? tolerance(k) : 0;
  const auto beyond = [&](std::span<const T> values, auto&& each) {
    bool any = false;
    for (std::size_t k = 0; k < m_.terms.size(); ++k) {
      const EventTerm& x = m_.terms[k];
      if (!is_searched(x) || !crossed(k, values[x.root], level[k])) continue;
      any = true;
      each(k);
    }
    return any;
  };
  // Distance of a root's value from where its term changes: negative while it has not.
  const auto distance = [&](std::size_t k, std::span<const T> v) {
    const T now = input_[m_.term(k)], value = v[m_.terms[k].root];
    if (m_.terms[k].kind == Kind::floor) return std::max(now - level[k] - value, value - now - 1 - level[k]);
    return now != 0 ? -value - level[k] : value - level[k];
  };
  bool known = good || b != to;  // values at b
  T weight_a = 1, weight_b = 1;
  int side = 0;
  for (int round = 0; round < 200; ++round) {
    const T resolution = 2 * std::numeric_limits<T>::epsilon() * std::max(fabs(a), fabs(b));
    if (b - a <= resolution) break;
    T t = b;
    if (known && round < 100)
      beyond(vb, [&](std::size_t k) {
        const T da = weight_a * distance(k, va), db = weight_b * distance(k, vb);
        const T s = db > da ? -da / (db - da) : 0.5;
        t = std::min(t, a + std::clamp(s, T(0), T(1)) * (b - a));
      });
    else
      t = a + 0.5 * (b - a);
    t = std::clamp(t, a + 0.5 * resolution, b - 0.5 * resolution);
    if (!(t > a && t < b)) t = a + 0.5 * (b - a);
    if (!(t > a && t < b)) break;
    const bool fine = look(t);
    if (!fine || beyond(roots_, [](std::size_t) {})) {
      b = t;
      known = fine;
      if (fine) vb = roots_;
      weight_b = 1;
      weight_a = side == 1 ? weight_a * 0.5 : 1;
      side = 1;
    } else {
      a = t, va = roots_;
      weight_a = 1;
      weight_b = side == -1 ? weight_b * 0.5 : 1;
      side = -1;
    }
  }
  left_time_ = -std::numeric_limits<T>::infinity();
  return b;
}

template std::optional<double> EventLoopOf<double>::find(const double&, const double&, std::span<const double>, const At&);
template std::optional<code::Float50> EventLoopOf<code::Float50>::find(const code::Float50&, const code::Float50&, std::span<const code::Float50>, const At&);
template std::optional<code::Float100> EventLoopOf<code::Float100>::find(const code::Float100&, const code::Float100&, std::span<const code::Float100>, const At&);
template std::optional<code::Float250> EventLoopOf<code::Float250>::find(const code::Float250&, const code::Float250&, std::span<const code::Float250>, const At&);

}  // namespace kron::simulate
