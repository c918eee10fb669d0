// What delayed expressions were: before the start, and behind each step.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/code/deficient.hpp"
#include "engine/code/precision.hpp"
#include "engine/simulate/run.hpp"

namespace kron::simulate {

using Kind = EventTerm::Kind;

template <class T>
bool EventLoopOf<T>::delays_hold(const T& t) {
  if constexpr (std::is_same_v<T, double>)
    if (const auto fault = delays_->fault(t, roots_)) {
      accuse(t, Trouble::delay, fault->message, run_.problem.event_names.term, {&fault->term, 1});
      return false;
    }
  return true;
}

// What was before the start follows from the values at the start, which may follow from that: most often nothing does, or little of it. Gates in a
// circle that are looked at all at once may turn around for ever: one after the other they come to rest. And what goes round undamped, as between
// the ends of a line, Newton's method finds.
template <class T>
auto EventLoopOf<T>::settle_past(const T& t, std::vector<T>& y) -> Stay {
  if constexpr (std::is_same_v<T, double>) {
    constexpr std::size_t few = 100, many = 2000, one_by_one = 20, newton = 20;
    constexpr double apart = 1e-3;         // of two points that a derivative is taken from
    constexpr double negligible = 1e-10;   // differences of such, against 1
    store();
    if (!evaluate(t, y) && !known_) return Stay::failed;
    if (!delays_hold(t)) return Stay::failed;
    delays_->begin(t, roots_);
    std::vector<double> guess = delays_->before();
    const std::size_t n = guess.size();
    Stay stay = Stay::yes;
    std::vector<double> now;
    const auto look = [&](std::span<const double> before) {
      delays_->set_before(t, before);
      stay = settle(t, y);
      now = delays_->present(roots_);
      return stay == Stay::yes;
    };
    const auto all_at_once = [&](std::size_t rounds) {
      now = guess;
      for (std::size_t k = 0; k < rounds; ++k)
        if (!look(std::vector(now))) return false;
        else if (delays_->settled(now)) return true;
      return false;
    };
    const auto one_after_the_other = [&] {
      std::vector<double> before = guess;
      for (std::size_t k = 0, f = 0; k < one_by_one * n; ++k) {
        if (!look(before)) return false;
        if (delays_->settled(now)) return true;
        for (std::size_t tried = 0; tried < n && now[f] == before[f]; ++tried) f = (f + 1) % n;
        before[f] = now[f];
        f = (f + 1) % n;
      }
      return false;
    };
    const auto by_newton = [&] {
      std::vector<double> before = guess;
      for (std::size_t round = 0; round < newton; ++round) {
        if (!look(before)) return false;
        if (delays_->nearly_settled(now)) return true;
        const std::vector<double> here = now;
        std::vector<double> off(n);
        for (std::size_t f = 0; f < n; ++f) off[f] = before[f] - here[f];
        std::vector<double> slope(n * n);  // by rows
        for (std::size_t f = 0; f < n; ++f) {
          std::vector<double> near = before;
          const double step = apart * std::max(1.0, std::fabs(before[f]));
          near[f] += step;
          if (!look(near)) return false;
          for (std::size_t i = 0; i < n; ++i) slope[i * n + f] = (now[i] - here[i]) / step - (i == f ? 1 : 0);
        }
        for (double& x : slope)
          if (std::fabs(x) < negligible) x = 0;
        code::DeficientLu<double>(slope, n, negligible).solve(off.data());
        for (std::size_t f = 0; f < n; ++f) before[f] += off[f];
      }
      return false;
    };
    const bool by_itself = all_at_once(few) || one_after_the_other();
    if (by_itself || by_newton() || all_at_once(many)) {
      // What nothing determines has kept the guess, or a part of it: it is 0, as what nobody gives a start value.
      const std::vector<double> before = delays_->before();
      if (!by_itself || std::ranges::find(before, guess.front()) != before.end()) {
        guess.assign(n, 0);
        if (!(by_itself ? all_at_once(few) || one_after_the_other() : by_newton())) (void)look(before);
      }
      run_.result.trouble = {};  // of what was tried before
      return Stay::yes;
    }
    if (stay != Stay::yes) return stay;
    std::vector<std::size_t> all;
    for (std::size_t k = 0; k < m_.terms.size(); ++k)
      if (m_.terms[k].kind == Kind::delay) all.push_back(k);
    accuse(t, Trouble::delay, "what was before the start does not settle: it depends on itself", run_.problem.event_names.term, all);
  }
  return Stay::failed;
}

template <class T>
void EventLoopOf<T>::remember_delayed(const T& from, const T& to, std::size_t states, const At& at) {
  if constexpr (std::is_same_v<T, double>) {
    if (!delays_) return;
    std::vector<double> here(states);
    delays_->record(from, to, [&](double t) -> std::span<const double> {
      at(t, here);
      evaluate(machine_, t, here);
      if (!known_) std::fill(roots_.begin(), roots_.end(), std::numeric_limits<double>::quiet_NaN());
      return roots_;
    });
    at(to, here);
    evaluate(machine_, to, here);
    delays_hold(to);
  }
}

#define KRON_FOR(T)                                                                    \
  template bool EventLoopOf<T>::delays_hold(const T&);                                 \
  template auto EventLoopOf<T>::settle_past(const T&, std::vector<T>&)->Stay;          \
  template void EventLoopOf<T>::remember_delayed(const T&, const T&, std::size_t, const At&);
KRON_FOR(double)
KRON_FOR(code::Float50)
KRON_FOR(code::Float100)
KRON_FOR(code::Float250)
#undef KRON_FOR

}  // namespace kron::simulate
