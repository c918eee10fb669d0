// engine/code/newton.hpp: solve the f(z) = 0 of one Newton step.
//   Damped Newton. A trial point z + a d is taken when the scaled residual falls, or when the simplified correction
//   J(z)^-1 f at the trial point does (natural monotonicity test, affine invariant [Deuflhard 2011, section 3.3.2]).
//   Done when the simplified correction at the new point, which estimates its error, is below 0.01 tolerance in the
//   unknowns' scale |z| + nominal and every row's residual is as small as that explains, or where corrections within ten
//   times that do not come down any more, or longer ones where residuals are roundings. A singular Jacobian gives
//   Levenberg-Marquardt steps instead, with growing regularisation. Bounds are kept by projection. At least one full
//   iteration is done, so the result does not stick to the start. Termination: at most 50 iterations, each of at most
//   30 trials. The first attempt from start values takes short steps: of several solutions the near one is meant. Before it, unknowns
//   for which nobody gave a start value go to where the rest, held at its start values, fits best. Angles have not gone round
//   then where nothing tells how often.
//   Where the iteration fails from all starts: KINSOL, then homotopy (homotopy.hpp).
#pragma once
#include <algorithm>
#include <array>

#include "engine/code/engine.hpp"

namespace kron::code {

template <class T>
class Assembly;
template <class T>
class Homotopy;

template <class T>
class Newton {
  friend class Assembly<T>;
  friend class Homotopy<T>;

 public:
  Newton(Engine<T>& e, std::uint32_t s)
      : e_(e), s_(s), plan_(e.program->steps[s]), state_(e.steps[s]), n_(plan_.size),
        z_(state_.work[0]),
        step_(state_.work[1]),
        trial_(state_.work[2]),
        scale_(state_.work[3]),
        row_(state_.work[4]),
        from_(state_.work[5]),
        next_(state_.work[6]),
        flattest_(state_.work[7]) {}

  // Starts from where the last two accepted solutions lead, from the last one, else (or when these lead nowhere) from the start values.
  Status run() {
    ++e_.statistics.newton_solves;
    const bool settled_now = e_.waits(plan_);
    if (settled_now) e_.settle(s_);
    e_.give(s_);
    state_.factored = false;
    const std::optional<T> ahead = progress();
    if (state_.has_accepted && ((ahead && attempt(extrapolated(*ahead))) || from_accepted())) return done();
    if ((!e_.patient || thrown_) && state_.has_accepted) return e_.fail(s_, reason_);
    if (from_start() || (settled_now && Assembly<T>(*this).run())) {
      const int halving = halving_;  // of the way there, not of the last few corrections
      turn_back();
      halving_ = halving;
      return done();
    }
    const Status failed = e_.fail(s_, e_.interrupted() ? "interrupted" : undetermined_ ? "singular matrix" : reason_);
    return e_.interrupted() ? Status::failed : failed;
  }

 private:
  T* unknowns() { return e_.reg.data() + plan_.unknowns; }

  std::vector<T> start() const {
    std::vector<T> z(n_);
    for (std::size_t i = 0; i < n_; ++i)
      if (const T x = e_.value(plan_.start[state_.column(i)]); finite(x)) z[i] = x;  // what was made of others may be no number
    return z;
  }
  std::vector<T> accepted() const {
    if (state_.free.empty()) return state_.accepted;
    std::vector<T> z(n_);
    for (std::size_t i = 0; i < n_; ++i) z[i] = state_.accepted[state_.free[i]];
    return z;
  }
  // How far it has gone on, in steps like the last one. Where solutions cross (a parallelogram whose bars lie in one line) what lies on a line stays
  // on the one that moves on smoothly. By the state that moves all unknowns, if they do not move much more than it, as at its dead point. Else by
  // time; or, where it says much the same, by the unknowns that are given: the others follow them where a force changes their speed, but go
  // on where these turn round. Before: where several inputs go on along one line, as of what falls freely, all does, however far.
  std::optional<T> progress() const {
    using std::abs;
    constexpr double farthest = 10, much = 0.1, same = 0.1;
    if (!state_.before_time || !state_.accepted_time || *state_.accepted_time == e_.time()) return std::nullopt;
    const auto near = [&](const T& ahead) { return abs(ahead) < farthest ? std::optional(ahead) : std::nullopt; };
    T given(0), now(0), all(0);  // of the way before
    for (std::size_t c = 0, i = 0; c < plan_.columns; ++c) {
      const T moved = (state_.accepted[c] - state_.before[c]) / plan_.nominal[c];
      all += moved * moved;
      if (state_.free.empty() || (i < n_ && state_.free[i] == c)) {
        ++i;
        continue;
      }
      given += moved * moved;
      now += moved * (e_.reg[plan_.unknowns + c] - state_.accepted[c]) / plan_.nominal[c];
    }
    const std::vector<std::uint32_t>& drivers = e_.drivers()[s_];
    const bool known = state_.drivers_before.size() == drivers.size() && state_.drivers_accepted.size() == drivers.size();
    if (known && drivers.size() == 1 && plan_.pins.empty()) {  // a chosen state may be another one now
      const T moved = state_.drivers_accepted[0] - state_.drivers_before[0];
      if (moved * moved > much * much * all) return near((e_.reg[drivers[0]] - state_.drivers_accepted[0]) / moved);
    }
    if (known)
      if (const auto ahead = along_line(drivers)) return ahead;
    const T by_time = (e_.time() - *state_.accepted_time) / (*state_.accepted_time - *state_.before_time), by_given = now / given;
    return near(abs(by_given - by_time) <= same * abs(by_time) ? by_given : by_time);
  }
  // Where several inputs go on along the line on which they came, in units of that way.
  std::optional<T> along_line(const std::vector<std::uint32_t>& drivers) const {
    constexpr double straight = 1e-10, farthest = 1e4;  // straight: sine squared
    T before(0), now(0), both(0);
    std::size_t moving = 0;
    for (std::size_t k = 0; k < drivers.size(); ++k) {
      const T came = state_.drivers_accepted[k] - state_.drivers_before[k], goes = e_.reg[drivers[k]] - state_.drivers_accepted[k];
      before += came * came;
      now += goes * goes;
      both += came * goes;
      moving += goes != 0;
    }
    const bool line = moving > 1 && before > 0 && before * now - both * both <= straight * before * now && now < farthest * farthest * before;
    return line ? std::optional(T(both / before)) : std::nullopt;
  }
  std::vector<T> extrapolated(const T& ahead) const {
    std::vector<T> z(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      const std::uint32_t c = state_.column(i);
      z[i] = state_.accepted[c] + ahead * (state_.accepted[c] - state_.before[c]);
    }
    clamp(z);
    return z;
  }
  // Where nothing tells where it leads, and the point may be singular: an angle is not to go round then.
  bool from_accepted() {
    return (e_.turns(plan_) && attempt(accepted(), Steps::restrained)) || attempt(accepted());
  }
  double nominal(std::size_t i) const { return plan_.nominal[state_.column(i)]; }
  const std::vector<StepPlan::Load>& matrix() const { return state_.entries(plan_); }

  // Start values are often 0, where z|z| and the like have a singular Jacobian: a little off, in unequal amounts.
  std::vector<T> displaced_start() const {
    std::vector<T> z = start();
    for (std::size_t i = 0; i < n_; ++i) z[i] += nominal(i) * (0.1 + 0.01 * static_cast<double>(i % 7));
    return z;
  }

  bool some_open() const {
    constexpr std::uint32_t largest = 300;  // a dense normal matrix
    return n_ <= largest && state_.free.empty() && std::find(plan_.open.begin(), plan_.open.end(), true) != plan_.open.end() &&
           std::find(plan_.open.begin(), plan_.open.end(), false) != plan_.open.end();
  }
  // The start values, but for the open ones those that make the least sum of squares of scaled residuals, as far as
  // Levenberg-Marquardt steps lead downhill.
  std::vector<T> fitted_start() {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < n_; ++i)
      if (plan_.open[i]) open.push_back(i);
    z_ = start();
    clamp(z_);
    const auto squares = [&](const std::vector<T>& weight) {
      T sum(0);
      for (std::size_t r = 0; r < n_; ++r) sum += weight[r] * weight[r] * state_.right[r] * state_.right[r];
      return sum;
    };
    std::vector<T> weight;
    T m(1e-3);
    for (int i = 0; i < 30 && residual(z_) && jacobian() != Factored::not_a_number && !e_.interrupted(); ++i) {
      if (weight.empty()) weight = row_;
      const T before = squares(weight);
      const std::vector<T> from = z_;
      bool moved = false;
      for (int trials = 0; trials < 8 && !moved; ++trials, m *= 10) {
        z_ = from;
        if (!regularised(open, weight, m)) continue;
        moved = residual(z_) && squares(weight) < before * T(1 - 1e-6);
      }
      if (!moved) {
        z_ = from;
        break;
      }
      m = std::max(T(m * 1e-2), T(1e-8));
    }
    return z_;
  }
  // Adds to these of z_ their part of (B'B + m I)^-1 B'(-r), B = weight * J * scale; half of an unknown's size at most.
  bool regularised(const std::vector<std::size_t>& which, const std::vector<T>& weight, const T& m) {
    residual(z_);
    if (jacobian() == Factored::not_a_number) return false;
    const std::size_t k = which.size();
    std::vector<std::size_t> position(n_, k);
    for (std::size_t i = 0; i < k; ++i) position[which[i]] = i;
    std::vector<std::vector<std::pair<std::size_t, T>>> rows(n_);
    for (const StepPlan::Load& l : matrix())
      if (position[l.column] < k) rows[l.row].emplace_back(position[l.column], e_.value(l.value) * weight[l.row] * scale_[l.column]);
    std::vector<T> normal(k * k, T(0)), w(k, T(0));
    for (std::size_t r = 0; r < n_; ++r)
      for (const auto& [i, x] : rows[r]) {
        w[i] -= x * state_.right[r] * weight[r];
        for (const auto& [j, y] : rows[r]) normal[i * k + j] += x * y;
      }
    for (std::size_t i = 0; i < k; ++i) normal[i * k + i] += m;
    DenseLu<T> lu(static_cast<std::uint32_t>(k));
    if (lu.factor(normal) != Factored::ok) return false;
    lu.solve(w.data());
    T longest(0.5);
    for (const T& x : w) longest = std::max(longest, T(x < 0 ? -x : x));
    if (!finite(longest)) return false;
    for (std::size_t i = 0; i < k; ++i) z_[which[i]] += w[i] * scale_[which[i]] * T(0.5) / longest;
    clamp(z_);
    return true;
  }

  bool from_start() {
    if (some_open() && attempt(fitted_start(), Steps::restrained)) return true;
    for (const Steps steps : {Steps::restrained, Steps::full})
      if (attempt(start(), steps) || attempt(displaced_start(), steps)) return true;
    if constexpr (std::is_same_v<T, double>)
      if (!e_.interrupted() && kinsol()) return true;
    return !e_.interrupted() && Homotopy<T>(*this).run();
  }

  bool is_angle(std::size_t i) { return e_.angles()[plan_.unknowns + state_.column(i)]; }

  // Where the equations do not tell how often an angle has gone round, it is the one nearest to its start value.
  void turn_back() {
    using std::abs, std::atan, std::round;
    const T whole = 8 * atan(T(1));
    const std::vector<T> from = start();
    for (std::size_t i = 0; i < n_; ++i) {
      const T turns = round(T((z_[i] - from[i]) / whole));
      if (turns == 0 || !is_angle(i)) continue;
      std::vector<T> found = z_, nearer = z_;
      nearer[i] -= turns * whole;
      const T same = std::max(T(1e-6), T(100 * e_.tolerance));
      const bool solves = attempt(nearer) && [&] {
        for (std::size_t k = 0; k < n_; ++k)
          if (!(abs(z_[k] - nearer[k]) <= same * weight(nearer[k], k))) return false;
        return true;
      }();
      if (solves) continue;
      z_ = std::move(found);
      residual(z_);
    }
  }

  Status done() {
    if (e_.looks_for_singular) e_.singular = e_.singular || is_singular();
    if (plan_.jacobian_used && plan_.jacobian_region != 0)
      if (const Status s = e_.run(plan_.jacobian_region); s != Status::ok) return s;
    state_.factored = false;  // the factors are of the point before
    state_.solved = true;
    state_.multiple = halving_ >= 5;
    return Status::ok;
  }

  // Whether the equations have a Jacobian of lower rank there, or one with rows or columns that are rounding errors of others.
  bool is_singular() {
    using std::abs;
    constexpr double nothing = 1e-9;  // of the largest entry, unknowns as large as they are
    constexpr std::size_t most = 100;
    if (n_ > most || jacobian() == Factored::not_a_number) return false;
    std::vector<T> a(n_ * n_, T(0)), largest(2 * n_, T(0));  // of each row, of each column
    for (const StepPlan::Load& l : matrix()) {
      T& x = a[l.row * n_ + l.column];
      x = e_.value(l.value) * nominal(l.column);
      for (const std::size_t k : {std::size_t{l.row}, n_ + l.column}) largest[k] = std::max(largest[k], T(abs(x)));
    }
    const auto [least, all] = std::ranges::minmax(largest);
    return finite(all) && (!(least > nothing * all) || DeficientLu<T>(a, n_, T(nothing)).rank() < n_);
  }

  // Residual at z into state_.right; false where it is not finite (or an inner step fails).
  bool residual(const std::vector<T>& z) {
    if (state_.free.empty()) std::copy(z.begin(), z.end(), unknowns());
    else
      for (std::size_t i = 0; i < n_; ++i) unknowns()[state_.free[i]] = z[i];
    if (plan_.residual_region != 0 && e_.run(plan_.residual_region) != Status::ok) {
      reason_ = e_.failure.reason;
      return false;
    }
    for (std::size_t i = 0; i < n_; ++i) {
      state_.right[i] = e_.value(plan_.right[i]);
      if (!finite(state_.right[i])) {
        reason_ = "not a number";
        return false;
      }
    }
    return true;
  }

  void clamp(std::vector<T>& z) const {
    for (std::size_t i = 0; i < n_; ++i) {
      const std::uint32_t c = state_.column(i);
      if (z[i] < plan_.minimum[c]) z[i] = plan_.minimum[c];
      if (z[i] > plan_.maximum[c]) z[i] = plan_.maximum[c];
    }
  }

  T length(const T* d) const {  // in the unknowns' scale
    using std::abs;
    T r(0);
    for (std::size_t i = 0; i < n_; ++i) {
      const T x = abs(d[i]) / scale_[i];
      if (!(x <= r)) r = x;  // keeps NaN
    }
    return r;
  }
  T residual_size() const {
    using std::abs;
    T r(0);
    for (std::size_t i = 0; i < n_; ++i) r = std::max(r, T(abs(state_.right[i]) * row_[i]));
    return r;
  }

  Factored jacobian() {
    if (plan_.jacobian_region != 0 && e_.run(plan_.jacobian_region) != Status::ok) {
      reason_ = e_.failure.reason;
      return Factored::not_a_number;
    }
    const Factored f = e_.factor(s_);
    for (std::size_t i = 0; i < n_; ++i) scale_[i] = weight(z_[i], i);
    scale_rows();
    return f;
  }
  T weight(const T& z, std::size_t i) const {
    using std::abs;
    return abs(z) + nominal(i);
  }
  // One unit of row i's scaled residual is what a change of the unknowns by their own scale makes.
  void scale_rows() {
    using std::abs;
    std::fill(row_.begin(), row_.end(), T(0));
    std::fill(next_.begin(), next_.end(), T(0));
    for (const StepPlan::Load& l : matrix()) {
      const T slope = abs(e_.reg[l.value.reg()]);
      row_[l.row] += slope * scale_[l.column];
      next_[l.row] += slope * nominal(l.column);
    }
    for (T& r : row_) r = r > 0 && finite(r) ? T(1 / r) : T(1);
    for (std::size_t i = 0; i < n_; ++i) flattest_[i] = std::min(flattest_[i], next_[i]);
  }

  T goal() const {
    const T least = 64 * std::numeric_limits<T>::epsilon();
    return std::max(T(e_.tolerance * 0.01), least);
  }

  // An unknown that next to nothing holds, as the potential of a node where all diodes block beside one that conducts (1e-8 S of 80), moves by
  // that much of its size for what roundings make of the currents.
  static constexpr double loosely_held = 1e-3;

  enum class Outcome { converged, moved, stuck };

  // restrained: no unknown moves by more than half of its size at once. Of the solutions a model has one near the start is meant: an angle that is
  // thrown round many times ends anywhere.
  enum class Steps { full, restrained };

  bool attempt(const std::vector<T>& from, Steps steps = Steps::full) {
    longest_ = steps == Steps::restrained ? 0.5 : std::numeric_limits<double>::infinity();
    z_ = from;
    clamp(z_);
    steady_ = idle_ = stale_ = halving_ = 0;
    T last = std::numeric_limits<T>::infinity();
    least_ = halved_ = std::numeric_limits<T>::infinity();
    std::fill(flattest_.begin(), flattest_.end(), T(std::numeric_limits<double>::max()));
    if (!residual(z_)) return false;
    for (int i = 0; i < 50; ++i) {
      if (e_.interrupted()) return false;
      ++e_.statistics.newton_iterations;
      const Factored f = jacobian();
      if (f == Factored::not_a_number) {
        reason_ = "not a number";
        return residual(z_) && residual_size() == 0;  // a root of infinite slope, sqrt(y) = 0
      }
      const Outcome o = f == Factored::ok ? newton_step() : regularised_step();
      if (f == Factored::ok && full_ <= longest_ && full_ > last / 4 && full_ < last * T(0.75)) ++halving_;
      else if (!(last < T(1e-6))) halving_ = 0;  // else roundings end it
      last = full_;
      if (o == Outcome::converged) return !state_.has_accepted || !is_thrown(from);
      if (o == Outcome::stuck) return false;
    }
    reason_ = "no convergence after 50 iterations";
    return false;
  }

  // Along a run: an angle that ends whole turns from where the iteration began is at some solution, not at the one that goes on.
  bool is_thrown(const std::vector<T>& from) {
    using std::abs;
    constexpr double far = 12;  // radians
    for (std::size_t i = 0; i < n_; ++i)
      if (abs(z_[i] - from[i]) > far && is_angle(i)) {
        reason_ = "an angle is thrown round";
        return thrown_ = true;
      }
    return false;
  }

  // The simplified correction at the current residual, into step.
  T correction(std::vector<T>& step) {
    for (std::size_t i = 0; i < n_; ++i) step[i] = -state_.right[i];
    state_.solver.solve(step.data());
    return length(step.data());
  }

  Outcome newton_step() {
    const T before = residual_size();
    const T full = full_ = correction(step_);
    if (!finite(full)) {
      reason_ = "singular matrix";
      return Outcome::stuck;
    }
    from_ = z_;
    // Near a singular position roundings are all that is left before the goal, and now and then a shorter step makes less of them.
    idle_ = full < least_ / 2 ? 0 : idle_ + 1;
    least_ = std::min(least_, full);
    if (idle_ >= 4 && full <= 10 * goal()) return give_up(full);
    if (full < halved_ / 2) {
      stale_ = 0;
      halved_ = full;
    } else if (++stale_ >= 8 && full <= loosely_held && only_roundings()) {
      return give_up(full);
    }
    T a = full > longest_ ? T(longest_ / full) : T(1);
    for (int trials = 0; trials < 30; ++trials, a /= 2) {
      for (std::size_t i = 0; i < n_; ++i) trial_[i] = from_[i] + a * step_[i];
      clamp(trial_);
      if (!residual(trial_)) {
        if (e_.interrupted()) return Outcome::stuck;
        continue;
      }
      const T now = residual_size(), rest = correction(next_);
      if (a == 1 && rest <= goal() && residual_explained(rest) && near_solution(full)) {
        z_ = trial_;
        polish(next_, now, rest);
        return Outcome::converged;
      }
      if (rest <= (1 - a / 4) * full || now <= (1 - a / 4) * before) {
        z_ = trial_;
        return Outcome::moved;
      }
    }
    return give_up(full);
  }

  // The simplified correction is there already: one more evaluation of the residual makes the error quadratically
  // smaller, so that the solution is smooth as a function of what the integrator varies.
  void polish(const std::vector<T>& by, const T& now, const T& rest) {
    if (rest <= 4 * std::numeric_limits<T>::epsilon()) return;
    for (std::size_t i = 0; i < n_; ++i) trial_[i] = z_[i] + by[i];
    clamp(trial_);
    if (residual(trial_) && residual_size() <= now)
      z_ = trial_;
    else
      residual(z_);
  }

  // Small steps alone prove nothing where a function is steep (log near 0): a solution is near where the corrections
  // shrink fast in every unknown, or steadily (at a multiple root by a factor of 1/4 to 0.37), or are rounding noise; or where all residuals
  // are: what roundings of a hundred rows make of an unknown that is zero does not shrink.
  bool near_solution(const T& full) {
    const T eps = std::numeric_limits<T>::epsilon();
    if (corrections_shrink(T(1e-3), T(0)) || residual_rounded()) return true;
    steady_ = corrections_shrink(T(0.5), T(4 * eps)) ? steady_ + 1 : 0;
    if (steady_ == 0 && full > 64 * eps) return false;
    return (steady_ >= 5 || full <= 64 * eps || corrections_shrink(T(1e-3), T(4 * eps))) && residual_small() && slope_holds(trial_, next_);
  }
  bool corrections_shrink(const T& factor, const T& noise) const {
    using std::abs;
    for (std::size_t i = 0; i < n_; ++i) {
      const T bound = std::max({T(factor * abs(step_[i])), T(T(1e-6) * abs(trial_[i])), T(noise * nominal(i))});
      if (!(abs(next_[i]) <= bound)) return false;
    }
    return true;
  }

  // No better point on the way: fine where rounding is the cause, the full step being within the tolerance itself.
  Outcome give_up(const T& full) {
    z_ = from_;
    const T eps = std::numeric_limits<T>::epsilon();
    const bool here = residual(z_);
    const T enough = std::max({T(e_.tolerance), T(1e4 * eps), T(here && full <= loosely_held && only_roundings() ? loosely_held : 0.0)});
    if (here && full <= enough && residual_small() && slope_holds(z_, step_)) return Outcome::converged;
    undetermined_ = undetermined_ || (here && full > enough && residual_rounded());
    reason_ = "no convergence: no smaller residual found";
    return Outcome::stuck;
  }

  static inline const T rounded = 1e3 * std::numeric_limits<T>::epsilon();  // of a row's terms
  bool residual_rounded() const { return residual_small(rounded); }
  bool only_roundings();  // likewise, by trial (roundings.hpp)
  // Against the terms of each row at this point, and what the nominal values make of it where it was flattest so far.
  bool residual_small(const T& part = T(1e-6)) const {
    using std::abs;
    const std::vector<T> size = sizes();
    for (std::size_t i = 0; i < n_; ++i)
      if (!(abs(state_.right[i]) <= part * size[i])) return false;
    return true;
  }
  std::vector<T> sizes() const {
    using std::abs;
    std::vector<T> size = flattest_;
    for (const StepPlan::Load& l : matrix()) size[l.row] += abs(e_.reg[l.value.reg()] * z_[l.column]);
    return size;
  }

  bool slope_holds(const std::vector<T>& z, const std::vector<T>& correction);  // roundings.hpp

  // A row's residual is at most what corrections of that length make of it, with room for rounding.
  bool residual_explained(const T& rest) const {
    using std::abs;
    const T bound = 10 * std::max(rest, goal());
    for (std::size_t i = 0; i < n_; ++i)
      if (!(abs(state_.right[i]) * row_[i] <= bound)) return false;
    return true;
  }

  // Levenberg-Marquardt: (B'B + m I) w = -B'r with B = row scale * J * unknown scale, for growing m.
  Outcome regularised_step() {
    reason_ = "singular matrix";
    constexpr std::uint32_t largest = 300;  // a dense normal matrix
    if (n_ > largest) return Outcome::stuck;
    const T before = residual_size();
    if (!(before > 0)) return Outcome::stuck;
    std::vector<T> b(n_ * n_, T(0)), normal(n_ * n_), gradient(n_, T(0));
    for (const StepPlan::Load& l : matrix())
      b[l.row * n_ + l.column] += e_.value(l.value) * row_[l.row] * scale_[l.column];
    for (std::size_t k = 0; k < n_; ++k)
      for (std::size_t i = 0; i < n_; ++i) {
        gradient[i] -= b[k * n_ + i] * state_.right[k] * row_[k];
        for (std::size_t j = 0; j < n_; ++j) normal[i * n_ + j] += b[k * n_ + i] * b[k * n_ + j];
      }
    from_ = z_;
    T m = std::max(T(1e-8), std::min(T(1e-2), T(before * before)));
    for (int trials = 0; trials < 8; ++trials, m *= 30) {
      std::vector<T> shifted = normal, w = gradient;
      for (std::size_t i = 0; i < n_; ++i) shifted[i * n_ + i] += m;
      DenseLu<T> lu(static_cast<std::uint32_t>(n_));
      if (lu.factor(shifted) != Factored::ok) continue;
      lu.solve(w.data());
      if (std::any_of(w.begin(), w.end(), [&](const T& x) { return x > longest_ || x < -longest_; })) continue;
      for (std::size_t i = 0; i < n_; ++i) trial_[i] = from_[i] + w[i] * scale_[i];
      clamp(trial_);
      if (residual(trial_) && residual_size() < before * T(0.999)) {
        z_ = trial_;
        return Outcome::moved;
      }
    }
    reason_ = "singular matrix";
    z_ = from_;
    residual(z_);
    return Outcome::stuck;
  }

  bool kinsol();
  Engine<T>& e_;
  std::uint32_t s_;
  const StepPlan& plan_;
  StepState<T>& state_;
  std::size_t n_;
  std::vector<T>&z_, &step_, &trial_, &scale_, &row_, &from_, &next_;
  std::vector<T>& flattest_;  // by row: the least sum |J| nominal met in this attempt
  double longest_ = std::numeric_limits<double>::infinity();  // step, in the unknowns' scale
  int steady_ = 0;            // iterations in a row whose corrections shrank by half or better
  T least_{};                 // the shortest full step so far
  int idle_ = 0;              // iterations since it came down by half
  T halved_{};                // the last full step that was half of the one noted before
  int stale_ = 0;             // iterations since then
  T full_{};                  // the full step of the last iteration
  int halving_ = 0;           // iterations in a row with full steps of about half the one before
  bool thrown_ = false;       // is_thrown(), in one of the attempts
  std::string reason_ = "no convergence";
  bool undetermined_ = false;  // an attempt ended where all equations hold but for roundings, and do not tell the unknowns
};

}  // namespace kron::code

#include "engine/code/assembly.hpp"
#include "engine/code/by_kinsol.hpp"
#include "engine/code/homotopy.hpp"
#include "engine/code/roundings.hpp"
