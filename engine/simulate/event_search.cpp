// Where state events are: behind each step relations are looked at, and the first change is located on the step's interpolant.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/code/precision.hpp"
#include "engine/simulate/run.hpp"

namespace kron::simulate {

using Kind = EventTerm::Kind;
using std::fabs;
using std::isfinite;

// Whether the root's value is beyond what the term's present value allows, by more than `level`.
template <class T>
bool EventLoopOf<T>::crossed(std::size_t k, const T& value, const T& level) const {
  const T now = input_[m_.term(k)];
  if (m_.terms[k].kind == Kind::delay) return delays_->beyond(k, static_cast<double>(value), static_cast<double>(now)) > static_cast<double>(level);
  if (m_.terms[k].kind == Kind::floor) return value < now - level || value >= now + 1 + level;
  if (at_rest_[k]) return now != 0 ? value <= 0 : value >= 0;
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

// How far the roots are from a parabola through three points is what a fourth shows: where a term may change in between, because it depends on
// time in ways that steps do not see, the piece is halved.
template <class T>
bool EventLoopOf<T>::unresolved(const Sample& from, const Sample& middle, const Sample& to, const Sample& witness) const {
  const T s = (witness.t - from.t) / (to.t - from.t);
  constexpr double negligible = 1e-3, safety = 8;
  for (std::size_t k = 0; k < m_.terms.size(); ++k) {
    const EventTerm& x = m_.terms[k];
    if (!is_searched(x) || !x.driven) continue;
    const T &v0 = from.values[x.root], &v1 = middle.values[x.root], &v2 = to.values[x.root], &v = witness.values[x.root];
    const T off = fabs(v - (v0 + s * (4 * v1 - 3 * v0 - v2 + s * 2 * (v0 - 2 * v1 + v2))));
    if (off <= std::max(tolerance(k), T(negligible * std::max({scale(k), T(fabs(v0)), T(fabs(v1)), T(fabs(v2))})))) continue;
    for (const T* value : {&v0, &v1, &v2, &v})
      if (crossed(k, *value, -safety * off)) return true;
  }
  return false;
}

// The first piece of a step in which a term changes. Terms may change there and back within it.
template <class T>
auto EventLoopOf<T>::first_change(const Bracket& step, const Look& look, const Feel& feel_there) -> std::optional<Bracket> {
  constexpr int deepest = 14, suspicious = 3;  // halves: roots may be nothing but rounding
  bool felt_it = false;
  constexpr double witnesses[] = {0.26794919243112270, 0.76393202250021030};  // irrational, so that whole numbers of periods do not hide
  std::vector<std::pair<Bracket, int>> open{{step, 0}};
  const auto sample = [&](const T& t) -> std::optional<Sample> {
    if (!look(t)) return std::nullopt;
    return Sample{t, roots_};
  };
  while (!open.empty()) {
    const auto [piece, depth] = std::move(open.back());
    open.pop_back();
    const auto& [from, to, known] = piece;
    const T length = to.t - from.t;
    const bool changed = !known || any_crossed(to.values);
    const std::optional<Sample> middle = sample(from.t + 0.5 * length);
    if (!middle) {
      if (changed) return piece;
      continue;
    }
    const bool early = any_crossed(middle->values);
    if (driven_ && known && depth < deepest) {
      bool halve = false;
      for (const double w : witnesses)
        if (const auto witness = sample(from.t + w * length))
          halve = halve || (w < 0.5 && any_crossed(witness->values)) || unresolved(from, *middle, to, *witness);
      if (halve) {
        if (depth >= suspicious && !std::exchange(felt_it, true)) {  // what was taken for a change may be none
          feel_there(middle->t);
          open.assign(1, {step, 0});
          continue;
        }
        if (!early) open.emplace_back(Bracket{*middle, to, true}, depth + 1);
        else open.clear();
        open.emplace_back(Bracket{from, *middle, true}, depth + 1);
        continue;
      }
    }
    if (early) return Bracket{from, *middle, true};
    std::optional<Bracket> found;
    for (std::size_t k = 0; known && k < m_.terms.size(); ++k) {
      const EventTerm& x = m_.terms[k];
      if (!is_searched(x)) continue;
      // The parabola through the three values: its extremum.
      const T v0 = from.values[x.root], v1 = middle->values[x.root], v2 = to.values[x.root], bend = 2 * (v0 - 2 * v1 + v2), rise = 4 * v1 - 3 * v0 - v2;
      if (bend == 0) continue;
      const T s = -0.5 * rise / bend;
      if (!(s > 0.02 && s < 0.98) || !crossed(k, v0 + s * (rise + s * bend), -0.2 * std::max(fabs(v0 - v1), fabs(v2 - v1)))) continue;
      const T there = from.t + s * length;
      if (found && !(there < found->to.t)) continue;
      if (auto extremum = sample(there); extremum && any_crossed(extremum->values)) found = Bracket{from, std::move(*extremum), true};
    }
    if (found) return found;
    if (changed) return Bracket{*middle, to, known};
  }
  return std::nullopt;
}

template <class T>
void EventLoopOf<T>::note_felt(const std::vector<T>& before) {
  for (std::size_t k = 0; k < m_.terms.size(); ++k)
    if (const T moved = fabs(roots_[m_.terms[k].root] - before[m_.terms[k].root]); moved > felt_[k]) felt_[k] = moved;
}

// How far the last digits of time and states move the roots: what equations make of terms that cancel, which the roots' own terms do not tell.
template <class T>
void EventLoopOf<T>::feel(code::Machine<T>& machine, const T& t, std::span<const T> y) {
  if (!evaluate(machine, t, y) && !known_) return;
  const std::vector<T> here = roots_;
  std::vector<T> near(y.size());
  std::uint32_t lot = 1;
  const auto moved = [&](const T& x, const T& size) {
    lot = lot * 1664525 + 1013904223;
    return T(x + (lot >> 31 != 0 ? digits : -digits) * std::numeric_limits<T>::epsilon() * size);
  };
  for (int round = 0; round < 3; ++round) {
    std::transform(y.begin(), y.end(), near.begin(), [&](const T& x) { return moved(x, x); });
    if (!evaluate(machine, moved(t, std::max(T(fabs(t)), T(stop_ - start_))), near) && !known_) continue;
    note_felt(here);
  }
  evaluate(machine, t, y);
}

// The combination is another one.
template <class T>
void EventLoopOf<T>::feel_anew(const T& t, std::span<const T> y) {
  felt_.assign(felt_.size(), T(0));
  margin_ = felt_;
  feel(form(), t, y.first(states()));
}

// And those of parameters: in a circuit of constant sources nothing else has any.
template <class T>
void EventLoopOf<T>::feel_parameters(const T& t, std::span<const T> y) {
  code::Machine<T>& machine = form();
  const std::span<T> parameters = machine.inputs(code::InputKind::parameter);
  const std::vector<T> held(parameters.begin(), parameters.end());
  if (!evaluate(t, y) && !known_) return;
  const std::vector<T> here = roots_;
  std::uint32_t lot = 1;
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < held.size(); ++i) {
      lot = lot * 1664525 + 1013904223;
      parameters[i] = held[i] * (1 + (lot >> 31 != 0 ? digits : -digits) * std::numeric_limits<T>::epsilon());
    }
    if (machine.run_parameters() != code::Status::ok || (!evaluate(t, y) && !known_)) continue;
    note_felt(here);
  }
  std::copy(held.begin(), held.end(), parameters.begin());
  machine.run_parameters();
  evaluate(t, y);
}

// Where both ways find the same the first one has it: the states are those of the step then.
template <class T>
std::optional<T> EventLoopOf<T>::find(const T& from, const T& to, std::span<const T> y, const At& at, const At& closer) {
  constexpr double near = 1e-4;  // of the step
  found_closer_ = false;
  if (!searches_) return std::nullopt;
  if (!closer) return first_event(from, to, y, at, closer);
  std::vector<T> left = left_;
  const T left_time = left_time_;
  const std::optional<T> plain = first_event(from, to, y, at, {});
  if (lost_) return plain;
  std::vector<std::size_t> pointed = std::exchange(pointed_, {});
  left_ = std::move(left);
  left_time_ = left_time;
  const std::optional<T> found = first_event(from, to, y, at, closer);
  found_closer_ = plain.has_value() != found.has_value() || (plain && fabs(*plain - *found) > near * (to - from));
  if (found_closer_) return found;
  pointed_ = std::move(pointed);
  return plain;
}

template <class T>
std::optional<T> EventLoopOf<T>::first_event(const T& from, const T& to, std::span<const T> y, const At& at, const At& closer) {
  constexpr double near_border = 1e4, roundings = 100, leaks = 1e-9;  // times `reach`; times the tolerance; times the largest
  std::vector<T> here(y.size()), reach;  // reach: by term, how far the equations take a root in the middle of the step
  const auto from_border = [&](std::size_t k) {
    const T value = roots_[m_.terms[k].root], now = input_[m_.term(k)];
    return m_.terms[k].kind == Kind::floor ? std::min(T(fabs(value - now)), T(fabs(now + 1 - value))) : T(fabs(value));
  };
  // What a diode leaks is no current: in circles a root is measured by what the largest one is.
  T largest(0);
  for (std::size_t k = 0; k < m_.terms.size(); ++k)
    if (m_.terms[k].circle != EventTerm::none) largest = std::max({largest, scale_[k][0], scale_[k][1]});
  const auto rounding = [&](std::size_t k) { return m_.terms[k].circle == EventTerm::none ? tolerance(k) : std::max(tolerance(k), T(leaks * largest)); };
  const auto is_moved = [&](std::size_t k) { return is_searched(m_.terms[k]) && reach[k] > roundings * rounding(k); };
  const auto undecided = [&] {
    for (std::size_t k = 0; k < reach.size(); ++k)
      if (is_moved(k) && from_border(k) <= near_border * reach[k]) return true;
    return false;
  };
  // Between the ends of a step unknowns of an open form are as exact as a polynomial through points of very different slopes: where a
  // change is to be located they follow from the states.
  const bool open = &form() != &machine_;
  bool located = false;
  const auto settle_unknowns = [&](const T& t, std::span<const T> at_t, bool known) {
    if (!open || !(located || !known || any_crossed(roots_))) return known;
    const std::vector<T> plain = roots_;
    form().patient(false);
    const bool closed = evaluate(t, at_t);
    form().patient(true);
    if (!closed) roots_ = plain;
    return closed || known;
  };
  const auto try_there = [&](const T& t) {
    machine_.patient(false);
    const bool known = evaluate(machine_, t, here);
    machine_.patient(true);
    return settle_unknowns(t, here, known);
  };
  const auto look = [&](const T& t) {
    at(t, here);
    const bool known = try_there(t);
    if (!closer || (known && !undecided())) return known;
    const std::vector<T> plain = roots_;
    closer(t, here);
    const bool still = try_there(t);
    for (std::size_t k = 0; known && still && k < reach.size(); ++k)
      if (!is_moved(k)) roots_[m_.terms[k].root] = plain[m_.terms[k].root];
    return still;
  };
  if (const T middle = from + 0.5 * (to - from); closer && look(middle)) {
    std::vector<T> first = roots_;
    closer(middle, here);
    if (try_there(middle))
      for (std::size_t k = 0; k < m_.terms.size(); ++k) reach.push_back(fabs(roots_[m_.terms[k].root] - first[m_.terms[k].root]));
  }
  if (left_time_ != from) {
    if (!look(from)) return std::nullopt;
    left_ = roots_;
  }
  const std::vector<T> before = left_;
  for (std::size_t k = 0; k < m_.terms.size(); ++k) {
    unheeded_[k] = 0;
    if (isfinite(open_until_[k]) && !(from < open_until_[k])) open_until_[k] = -std::numeric_limits<T>::infinity(), margin_[k] = 0;
    const T& value = before[m_.terms[k].root];
    if (unmoved_[k] > 0 && m_.terms[k].kind == Kind::relation && isfinite(value) && crossed(k, value, tolerance(k))) unheeded_[k] = 2 * fabs(value);
  }
  const bool good = settle_unknowns(to, y, evaluate(machine_, to, y));
  if (!run_.options.events) {
    left_ = roots_;
    left_time_ = to;
    return good && any_crossed(roots_) ? std::optional(to) : std::nullopt;
  }
  const std::vector<T> right = roots_;
  for (std::size_t k = 0; good && k < m_.terms.size(); ++k)
    if (const EventTerm& x = m_.terms[k]; x.size != EventTerm::none) scale_[k][side(k)] = std::max({scale(k), before[x.size], right[x.size]});
  left_ = right;
  left_time_ = to;
  const auto widen = [&](std::size_t k, std::span<const T> v) { excursion_[k] = std::max(excursion_[k], T(fabs(v[m_.terms[k].root]))); };
  const auto feel_there = [&](const T& t) {
    at(t, here);
    feel(machine_, t, here);
  };
  // What stands still at its border does not go beyond it: max(0, x) > 0 behind a contact.
  at_rest_.assign(m_.terms.size(), false);
  for (std::size_t k = 0; good && k < m_.terms.size(); ++k) {
    const EventTerm& x = m_.terms[k];
    const bool rests = x.kind == Kind::relation && is_searched(x) && right[x.root] == 0 && (input_[m_.term(k)] != 0) == x.strict && !accepted_[k];
    if (rests && look(from + 0.999 * (to - from))) at_rest_[k] = roots_[x.root] == 0;
  }
  const Bracket step{{from, before}, {to, right}, good};
  std::optional<Bracket> bracket = first_change(step, look, feel_there);
  // What is there and back between those, or before them: results would show that it was.
  const auto& points = run_.grid;
  auto point = std::upper_bound(points.begin(), points.end(), static_cast<double>(from));
  const auto last = std::lower_bound(point, points.end(), static_cast<double>(bracket ? bracket->to.t : to));
  bool early = false;
  for (Sample left = step.from; point != last && !early; ++point) {
    if (!look(T(*point))) {
      if (good) continue;
      break;
    }
    Sample now{T(*point), roots_};
    early = any_crossed(now.values);
    if (early) bracket = Bracket{left, now, true};
    left = std::move(now);
  }
  if (bracket && bracket->known) {
    feel_there(bracket->to.t);
    if (!any_crossed(bracket->to.values)) bracket = first_change(step, look, feel_there);
  }
  for (std::size_t k = 0; !bracket && k < m_.terms.size(); ++k) widen(k, right);
  for (std::size_t k = 0; good && !bracket && k < m_.terms.size(); ++k)
    if (const T value = isfinite(returns_since_[k]) ? right[m_.terms[k].root] : T(0);
        input_[m_.term(k)] != 0 ? value > 1000 * tolerance(k) : value < -1000 * tolerance(k)) {
      lost_ = k;
      return std::min(to, T(from + 4 * std::numeric_limits<T>::epsilon() * fabs(to)));
    }
  if (!bracket) {
    repeated_ = false;
    return std::nullopt;
  }
  located = true;
  if (open && look(bracket->from.t)) {  // by the states it may have happened before
    bracket->from.values = roots_;
    if (any_crossed(roots_))
      if (auto earlier = first_change({step.from, bracket->from, true}, look, feel_there)) bracket = std::move(earlier);
  }
  for (std::size_t k = 0; k < m_.terms.size(); ++k) {
    const std::uint32_t root = m_.terms[k].root;
    swing_[k] = std::max(repeated_ ? T(0) : T(fabs(before[root])), good ? T(fabs(right[root])) : T(0));
  }
  auto& [left, end, known] = *bracket;
  T &a = left.t, &b = end.t;
  std::vector<T>&va = left.values, &vb = end.values;
  // Bracketed: not crossed at a, crossed at b (or not to be evaluated there). Where a value is rounding noise at a, it counts when it is more than that.
  std::vector<T> level(m_.terms.size());
  for (std::size_t k = 0; k < m_.terms.size(); ++k)
    if (const EventTerm& x = m_.terms[k]; is_searched(x)) level[k] = crossed(k, va[x.root], -tolerance(k)) ? tolerance(k) : 0;
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
    if (m_.terms[k].kind == Kind::delay) return T(delays_->beyond(k, static_cast<double>(value), static_cast<double>(now)));
    if (m_.terms[k].kind == Kind::floor) return std::max<T>(now - level[k] - value, value - now - 1 - level[k]);
    return now != 0 ? T(-value - level[k]) : T(value - level[k]);
  };
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
  pointed_.clear();
  for (const T& t : {from, T(from + 0.5 * (b - from))})
    if (look(t))
      for (std::size_t k = 0; k < m_.terms.size(); ++k) widen(k, roots_);
  if (known) beyond(vb, [&](std::size_t k) { pointed_.push_back(k); });
  return b;
}

template void EventLoopOf<double>::feel(code::Machine<double>&, const double&, std::span<const double>);
template void EventLoopOf<double>::feel_parameters(const double&, std::span<const double>);
template void EventLoopOf<double>::feel_anew(const double&, std::span<const double>);
template std::optional<double> EventLoopOf<double>::find(const double&, const double&, std::span<const double>, const At&, const At&);
template void EventLoopOf<code::Float50>::feel(code::Machine<code::Float50>&, const code::Float50&, std::span<const code::Float50>);
template void EventLoopOf<code::Float50>::feel_parameters(const code::Float50&, std::span<const code::Float50>);
template void EventLoopOf<code::Float50>::feel_anew(const code::Float50&, std::span<const code::Float50>);
template std::optional<code::Float50> EventLoopOf<code::Float50>::find(const code::Float50&, const code::Float50&, std::span<const code::Float50>, const At&, const At&);
template void EventLoopOf<code::Float100>::feel(code::Machine<code::Float100>&, const code::Float100&, std::span<const code::Float100>);
template void EventLoopOf<code::Float100>::feel_parameters(const code::Float100&, std::span<const code::Float100>);
template void EventLoopOf<code::Float100>::feel_anew(const code::Float100&, std::span<const code::Float100>);
template std::optional<code::Float100> EventLoopOf<code::Float100>::find(const code::Float100&, const code::Float100&, std::span<const code::Float100>, const At&, const At&);
template void EventLoopOf<code::Float250>::feel(code::Machine<code::Float250>&, const code::Float250&, std::span<const code::Float250>);
template void EventLoopOf<code::Float250>::feel_parameters(const code::Float250&, std::span<const code::Float250>);
template void EventLoopOf<code::Float250>::feel_anew(const code::Float250&, std::span<const code::Float250>);
template std::optional<code::Float250> EventLoopOf<code::Float250>::find(const code::Float250&, const code::Float250&, std::span<const code::Float250>, const At&, const At&);

}  // namespace kron::simulate
