// Events without end: what switches at such a pace that the end of the run would never come, and what comes back too soon to be seen.
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/code/precision.hpp"
#include "engine/simulate/run.hpp"

namespace kron::simulate {

using code::Status;
using Kind = EventTerm::Kind;
using std::fabs;

namespace {
constexpr double closest = 1e-11;  // tolerance that doubles allow
}  // namespace

// Hundreds of events at such a pace that the end would never be reached, or at a faster one than most and for nothing but rounding.
template <class T>
bool EventLoopOf<T>::chatters(const T& t, std::span<const std::size_t> pointed) {
  constexpr std::size_t window = 400;
  const bool idle = std::any_of(idle_.begin(), idle_.end(), [](std::size_t n) { return n >= window; });
  const double pace = idle ? 1e-6 : 1e-8;  // of the run, each
  if (recent_.size() < window) {
    recent_.push_back(t);
    return false;
  }
  const T first = recent_[next_recent_];
  recent_[next_recent_] = t;
  next_recent_ = (next_recent_ + 1) % window;
  if (t - first > pace * window * (stop_ - start_)) {
    std::fill(changed_.begin(), changed_.end(), 0);
    std::fill(varied_.begin(), varied_.end(), 0);
    return false;
  }
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < changed_.size(); ++k)
    if (changed_[k] > 0) order.push_back(k);
  if (order.empty()) order.assign(pointed.begin(), pointed.end());
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t z) { return changed_[x] > changed_[z]; });
  accuse(t, Trouble::chattering, std::to_string(window) + " events within " + to_text(static_cast<double>(T(t - first))) + " s", run_.problem.event_names.term, order, 4);
  // What reads a discrete variable without a relation of its own, as `if mode == 0` does, is found by its name.
  if (const auto most = std::max_element(varied_.begin(), varied_.end()); most != varied_.end() && *most > window / 2)
    if (const Namer& name = run_.problem.event_names.variable)
      run_.result.trouble.unknowns.push_back(name(static_cast<std::size_t>(most - varied_.begin())).text);
  return true;
}

// How far errors of the states that the tolerance allows move the roots.
template <class T>
std::vector<T> EventLoopOf<T>::moved_by_errors(const T& t, const At& at) {
  std::vector<T> y(run_.states), moved(m_.terms.size());
  at(t, y);
  if (!evaluate(t, y) && !known_) return moved;
  const std::vector<T> here = roots_;
  std::vector<T> near(y);
  std::uint32_t lot = 1;
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < states(); ++i) {
      lot = lot * 1664525 + 1013904223;
      near[i] = y[i] + (lot >> 31 != 0 ? 1 : -1) / weight(run_, i, y[i]);
    }
    if (!evaluate(t, near) && !known_) continue;
    for (std::size_t k = 0; k < moved.size(); ++k) {
      const std::uint32_t root = m_.terms[k].root;
      moved[k] = std::max(moved[k], T(fabs(roots_[root] - here[root])));
    }
  }
  evaluate(t, y);
  return moved;
}

// What the states move by while time moves by its rounding is nothing that shorter steps make better. They move at another pace behind an event
// than before it: as around those of late.
template <class T>
void EventLoopOf<T>::note_rounding(const T& from, const T& t, const At& at) {
  constexpr double clear = 100, late = 0.7;  // times that
  if (!(t > from)) return;
  std::vector<T> before(run_.states), now(run_.states);
  at(from, before);
  at(t, now);
  pace_.resize(run_.sharpness.size(), 0);
  clearest_.resize(pace_.size());
  for (std::size_t i = 0; i < pace_.size(); ++i) {
    pace_[i] = std::max(late * pace_[i], static_cast<double>(T(fabs(T((now[i] - before[i]) / (t - from))))));
    const double moved = pace_[i] * static_cast<double>(T(fabs(t) * std::numeric_limits<T>::epsilon()));
    clearest_[i] = clear * moved / std::max(std::fabs(static_cast<double>(now[i])), 0.1 * run_.scale[i]);
  }
  if (kept_ + sharpened_ > 0) set_sharpness();
}

template <class T>
void EventLoopOf<T>::set_sharpness() {
  constexpr double closer = 100;
  for (std::size_t i = 0; i < run_.sharpness.size(); ++i) {
    const double plain = least_sharpness(run_.problem, i), least = i < clearest_.size() ? std::max(closest, clearest_[i]) : closest;
    run_.sharpness[i] = std::max(plain, std::min(plain * std::pow(closer, kept_ + sharpened_), run_.options.tolerance / least));
  }
}

// One more of `times`. False: the states are integrated as closely as doubles let them.
template <class T>
bool EventLoopOf<T>::sharpen(unsigned& times) {
  const std::vector<double> before = run_.sharpness;
  ++times;
  set_sharpness();
  if (run_.sharpness != before) return true;
  --times;
  return false;
}

// After a step without an event. Where it has to be taken back, it takes longer the next time.
template <class T>
void EventLoopOf<T>::calm_down() {
  tried_ = 0;
  if (sharpened_ == 0 || ++quiet_ < patience_) return;
  quiet_ = 0;
  relented_ = true;
  --sharpened_;
  set_sharpness();
}

template <class T>
bool EventLoopOf<T>::relent(bool for_good) {
  if (sharpened_ == 0) return false;
  doubtful_.insert(doubtful_.end(), pointed_.begin(), pointed_.end());
  for (const std::size_t k : doubtful_) in_vain_[k] = in_vain_[k] || for_good;
  sharpened_ = tried_ = 0;
  set_sharpness();
  return true;
}

// All along the step the root is not farther from its border than errors of the states within the tolerance take it, and these are more
// than errors of its own terms: what flows through a closed switch between capacitors is a small difference over a small resistance.
template <class T>
bool EventLoopOf<T>::is_amplified(std::size_t k) const {
  constexpr double amplified = 10;
  const EventTerm& x = m_.terms[k];
  const T all = felt_[k] / (digits * std::numeric_limits<T>::epsilon()), terms = x.size == EventTerm::none ? T(0) : roots_[x.size];
  return swing_[k] <= run_.options.tolerance / run_.sharpness.front() * all && all > amplified * terms;
}

// All along the step the roots are not farther from their borders than errors of the states within the tolerance take them. Where the
// equations amplify these errors, it is so for the rest of the run; where not, as in a valve that is hardly open, for this moment. What
// makes impacts comes back whatever the errors.
template <class T>
auto EventLoopOf<T>::verdict(const T& from, const T& t, const At& at) -> Verdict {
  constexpr double left = 4e3;  // by a corrector, of the states, in units of the last place (Corrector::rounding)
  repeated_ = false;
  note_rounding(from, t, at);
  const auto real = [&] {  // also where it was looked at closer: that was not needed
    const unsigned tried = std::min(sharpened_, std::exchange(tried_, 0));
    sharpened_ -= tried;
    if (tried > 0) set_sharpness();
    return Verdict::real;
  };
  const auto all = [&](auto&& is) { return std::all_of(pointed_.begin(), pointed_.end(), is); };
  const auto may_be = [&](std::size_t k) {
    const EventTerm& x = m_.terms[k];
    return x.kind == Kind::relation && is_searched(x) && x.matters && margin_[k] == 0;
  };
  if (lost_ || pointed_.empty() || run_.states == 0 || !all(may_be)) return real();
  if (all([&](std::size_t k) { return is_amplified(k); })) {
    const std::vector<std::size_t> pointed = std::exchange(pointed_, {});
    repeated_ = sharpen(kept_);
    if (repeated_) return Verdict::repeat;
    for (const std::size_t k : pointed) margin_[k] = left / digits * felt_[k];
    return Verdict::look_again;
  }
  if (!all([&](std::size_t k) { return !resets_[k]; })) return real();
  const std::vector<T> moved = moved_by_errors(t, at);
  if (!all([&](std::size_t k) { return swing_[k] <= moved[k]; })) {
    for (const std::size_t k : pointed_) open_until_[k] = t + (t - from) * moved[k] / swing_[k];
    return real();
  }
  if (!all([&](std::size_t k) { return !in_vain_[k]; })) return real();
  const double still = closest / (run_.options.tolerance / run_.sharpness.front());  // of what moves them now, as closely as doubles let
  if (!all([&](std::size_t k) { return swing_[k] > still * moved[k]; }) || !sharpen(sharpened_)) {
    // The step may begin with errors that were too large: as long as these leave open when the last event was, its answer stays.
    const bool open = all([&](std::size_t k) { return t < open_until_[k]; });
    relent(!open);
    if (!open) return real();
    const std::vector<T> margin = moved_by_errors(t, at);
    for (const std::size_t k : pointed_) margin_[k] = margin[k];
    return Verdict::look_again;
  }
  if (std::exchange(relented_, false)) patience_ *= 2;
  quiet_ = 0;
  ++tried_;
  doubtful_ = std::exchange(pointed_, {});
  repeated_ = true;
  return Verdict::repeat;
}

// Relations on their border whose operands, by what the event did, go back to where they came from: where it set states anew, or where it came in
// ever shorter times.
template <class T>
void EventLoopOf<T>::watch_returns(const T& t, const std::vector<T>& left, const std::vector<T>& y, const std::vector<T>& before, bool set_anew, bool turned) {
  constexpr double soon = 1e-6, at_once = 1e-9;  // of the run
  constexpr std::size_t some = 3, often = 8;
  const T run = stop_ - start_;
  std::vector<std::size_t> crossed;
  for (std::size_t k = 0; k < m_.terms.size(); ++k) {
    if (returns_since_[k] < t - at_once * run) returns_since_[k] = -infinity<T>;
    if (!is_searched(m_.terms[k]) || m_.terms[k].kind != Kind::relation || same(before[m_.term(k)], input_[m_.term(k)])) continue;
    returns_since_[k] = -infinity<T>;
    const Changes& c = changes_[k][input_[m_.term(k)] != 0 ? 1 : 0];
    if (set_anew || (turned && c.shrinking >= often && c.gap < soon * run)) crossed.push_back(k);
  }
  if (crossed.empty()) return;
  const auto rises = [&](const std::vector<T>& from) {  // of the roots, soon
    std::vector<T> slope(states()), ahead(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(states())), list;
    if (!evaluate(t, from) || form().derivative(t, ahead, slope) != Status::ok) return list;
    const std::vector<T> here = roots_;
    for (std::size_t i = 0; i < ahead.size(); ++i) ahead[i] += soon * run * slope[i];
    if (!evaluate(form(), T(t + soon * run), ahead)) return list;
    for (std::size_t r = 0; r < here.size(); ++r) list.push_back(roots_[r] - here[r]);
    return list;
  };
  const auto shrinks = [&](std::size_t k) { return changes_[k][input_[m_.term(k)] != 0 ? 1 : 0].shrinking >= some; };
  const std::vector<T> rise_before = set_anew && std::ranges::any_of(crossed, shrinks) ? rises(left) : std::vector<T>{}, rise_now = rises(y);
  if (rise_now.empty() || !evaluate(t, y)) return;
  for (const std::size_t k : crossed) {
    const std::uint32_t root = m_.terms[k].root;
    const T value = roots_[root], rise = rise_now[root];
    const bool back = input_[m_.term(k)] != 0 ? rise < -2 * tolerance(k) : rise > 2 * tolerance(k);
    // The event turned it round, and it came back each time before, in ever shorter times: that the new speed has the wrong sign is the method's error.
    const bool turned_round = !rise_before.empty() && rise_before[root] * rise < 0;
    const bool came_back = turned_round && shrinks(k);
    if (fabs(value) <= 1e-10 * std::max(scale_[k][0], scale_[k][1]) && (back || came_back)) returns_since_[k] = t;
  }
}

template bool EventLoopOf<double>::chatters(const double&, std::span<const std::size_t>);
template auto EventLoopOf<double>::verdict(const double&, const double&, const At&) -> Verdict;
template void EventLoopOf<double>::calm_down();
template bool EventLoopOf<double>::relent(bool);
template void EventLoopOf<double>::watch_returns(const double&, const std::vector<double>&, const std::vector<double>&, const std::vector<double>&, bool, bool);
template bool EventLoopOf<code::Float50>::chatters(const code::Float50&, std::span<const std::size_t>);
template void EventLoopOf<code::Float50>::watch_returns(const code::Float50&, const std::vector<code::Float50>&, const std::vector<code::Float50>&, const std::vector<code::Float50>&, bool, bool);
template bool EventLoopOf<code::Float100>::chatters(const code::Float100&, std::span<const std::size_t>);
template void EventLoopOf<code::Float100>::watch_returns(const code::Float100&, const std::vector<code::Float100>&, const std::vector<code::Float100>&, const std::vector<code::Float100>&, bool, bool);
template bool EventLoopOf<code::Float250>::chatters(const code::Float250&, std::span<const std::size_t>);
template void EventLoopOf<code::Float250>::watch_returns(const code::Float250&, const std::vector<code::Float250>&, const std::vector<code::Float250>&, const std::vector<code::Float250>&, bool, bool);

}  // namespace kron::simulate
