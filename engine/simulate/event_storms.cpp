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
template <class T>
const T infinity = std::numeric_limits<T>::infinity();
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

// All along the step the root is not farther from its border than errors of the states within the tolerance take it, and these are more
// than errors of its own terms: what flows through a closed switch between capacitors is a small difference over a small resistance.
template <class T>
bool EventLoopOf<T>::is_doubtful(std::size_t k) const {
  constexpr double amplified = 10;
  const EventTerm& x = m_.terms[k];
  if (x.kind != Kind::relation || !is_searched(x) || !x.matters || margin_[k] > 0) return false;
  const T all = felt_[k] / (digits * std::numeric_limits<T>::epsilon()), terms = x.size == EventTerm::none ? T(0) : roots_[x.size];
  return swing_[k] <= run_.options.tolerance / run_.sharpness.front() * all && all > amplified * terms;
}

// False: the states are integrated as closely as doubles let them.
template <class T>
bool EventLoopOf<T>::sharpen() {
  constexpr double closer = 100, closest = 1e-11;
  bool any = false;
  for (double& x : run_.sharpness)
    if (const double sharper = std::min(closer * x, run_.options.tolerance / closest); sharper > x) x = sharper, any = true;
  return any;
}

template <class T>
auto EventLoopOf<T>::verdict() -> Verdict {
  constexpr double left = 4e3;  // by a corrector, of the states, in units of the last place (Corrector::rounding)
  const auto doubtful = [&](std::size_t k) { return is_doubtful(k); };
  repeated_ = false;
  if (lost_ || pointed_.empty() || run_.states == 0 || !std::all_of(pointed_.begin(), pointed_.end(), doubtful)) return Verdict::real;
  const std::vector<std::size_t> pointed = std::exchange(pointed_, {});
  repeated_ = sharpen();
  if (repeated_) return Verdict::repeat;
  for (const std::size_t k : pointed) margin_[k] = left / digits * felt_[k];
  return Verdict::look_again;
}

// Relations on their border whose operands, by what the event did, go back to where they came from: where it set states anew, or where it came in
// ever shorter times.
template <class T>
void EventLoopOf<T>::watch_returns(const T& t, const std::vector<T>& y, const std::vector<T>& before, bool set_anew, bool turned) {
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
  std::vector<T> slope(states()), ahead(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(states()));
  if (!evaluate(t, y) || form().derivative(t, ahead, slope) != Status::ok) return;
  const std::vector<T> here = roots_;
  for (std::size_t i = 0; i < ahead.size(); ++i) ahead[i] += soon * run * slope[i];
  if (!evaluate(form(), T(t + soon * run), ahead)) return;
  for (const std::size_t k : crossed) {
    const T value = here[m_.terms[k].root], rise = roots_[m_.terms[k].root] - value;
    const bool back = input_[m_.term(k)] != 0 ? rise < -2 * tolerance(k) : rise > 2 * tolerance(k);
    // It came back each time before, in ever shorter times: that the new speed has the wrong sign is the method's error.
    const bool came_back = set_anew && changes_[k][input_[m_.term(k)] != 0 ? 1 : 0].shrinking >= some;
    if (fabs(value) <= 1e-10 * std::max(scale_[k][0], scale_[k][1]) && (back || came_back)) returns_since_[k] = t;
  }
}

template bool EventLoopOf<double>::chatters(const double&, std::span<const std::size_t>);
template auto EventLoopOf<double>::verdict() -> Verdict;
template void EventLoopOf<double>::watch_returns(const double&, const std::vector<double>&, const std::vector<double>&, bool, bool);
template bool EventLoopOf<code::Float50>::chatters(const code::Float50&, std::span<const std::size_t>);
template void EventLoopOf<code::Float50>::watch_returns(const code::Float50&, const std::vector<code::Float50>&, const std::vector<code::Float50>&, bool, bool);
template bool EventLoopOf<code::Float100>::chatters(const code::Float100&, std::span<const std::size_t>);
template void EventLoopOf<code::Float100>::watch_returns(const code::Float100&, const std::vector<code::Float100>&, const std::vector<code::Float100>&, bool, bool);
template bool EventLoopOf<code::Float250>::chatters(const code::Float250&, std::span<const std::size_t>);
template void EventLoopOf<code::Float250>::watch_returns(const code::Float250&, const std::vector<code::Float250>&, const std::vector<code::Float250>&, bool, bool);

}  // namespace kron::simulate
