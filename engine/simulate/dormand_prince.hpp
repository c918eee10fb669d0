// engine/simulate/dormand_prince.hpp: steps of Dormand and Prince's pair of orders 5(4) with its dense output of order 4, of one run alone
// or of several side by side. Private to the room.
//   how       coefficients, starting step and PI controller after Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I,
//             sections II.4 to II.6 (code DOPRI5). The last stage is the next step's first, so a step costs 6 evaluations
//   lanes     of runs side by side element i of a vector is at i * width + lane. Each run has its own time and step, and every operation is
//             that of a run alone, in its order, so each takes the steps that it takes alone, bit for bit
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/simulate/lanes.hpp"
#include "engine/simulate/rough_places.hpp"

namespace kron::simulate::dormand_prince {

inline double resolution(double t) { return 8 * std::numeric_limits<double>::epsilon() * std::fabs(t); }

// PI controller: the factor for the next step after an accepted one of error `error`.
struct Controller {
  double previous = 1e-4;
  static constexpr double beta = 0.04, safety = 0.9;
  double accepted(double error) {
    const double factor = safety * std::pow(error, -(0.2 - 0.75 * beta)) * std::pow(previous, beta);
    previous = std::max(error, 1e-4);
    return std::clamp(factor, 0.2, 10.0);
  }
  static double rejected(double error) { return std::max(0.2, safety * std::pow(error, -(0.2 - 0.75 * beta))); }
};

// The last two stages stand at the same time, so the quotient of their differences estimates the largest eigenvalue. A
// step that is long against its time constant, time after time, follows slower things: the model is stiff   [Hairer,
// Wanner, Solving Ordinary Differential Equations II, section IV.2]. Stability ends at 3.3 on the real axis; at tight
// tolerances the error of the fast part settles the step below that, while a model that is not stiff takes steps of 3
// tol^(1/5) (measured on an oscillator): 40 times those, at most 2, is long. So are hundreds of steps of 5 times those: where events keep the
// fast part alive, errors settle the step further below the edge.
class StiffnessWatch {
 public:
  explicit StiffnessWatch(double tolerance)
      : limit_(std::min(2.0, 120 * std::pow(tolerance, 0.2))), lasting_limit_(std::min(2.0, 15 * std::pow(tolerance, 0.2))) {}
  // change, distance: of find_stiffness()
  bool stiff(double change, double distance, double h, double left) {
    if (distance > 0 && h * h * change > limit_ * limit_ * distance) {
      ++at_edge_;
      calm_ = 0;
    } else if (++calm_ == 6) {
      at_edge_ = 0;
    }
    if (distance > 0 && h * h * change > lasting_limit_ * lasting_limit_ * distance) {
      ++lasting_;
      short_ = 0;
    } else if (++short_ == 20) {
      lasting_ = 0;
    }
    return (at_edge_ >= 15 || lasting_ >= 300) && left > worth * h;
  }

 private:
  static constexpr double worth = 50;  // a change of method costs some dozens of short steps
  double limit_, lasting_limit_;
  unsigned at_edge_ = 0, calm_ = 0, lasting_ = 0, short_ = 0;
};

// Hundreds of steps that control of errors made short, along what is a parabola but for a few such errors: something holds them
// that is fast and hardly larger, and that the quotient above does not show, as it changes from stage to stage. A diode in a
// feedback switches like that.
class SmoothWatch {
 public:
  bool smooth(const Run& run, double t, std::span<const double> y) {
    if (steps_++ != places[met_]) return false;
    marks_[met_] = {t, {y.begin(), y.end()}};
    if (++met_ < places.size()) return false;
    restart();
    if (!(run.stop() - t > t - marks_[0].t)) return false;
    const Point &first = marks_[0], &middle = marks_[2], &last = marks_[4];
    for (const std::size_t k : {1u, 3u}) {
      const Point& mark = marks_[k];
      const auto part = [&](const Point& of, const Point& u, const Point& v) {
        return (mark.t - u.t) * (mark.t - v.t) / ((of.t - u.t) * (of.t - v.t));
      };
      const double f = part(first, middle, last), m = part(middle, first, last), l = part(last, first, middle);
      for (std::size_t i = 0; i < y.size(); ++i)
        if (!(std::fabs(f * first.y[i] + m * middle.y[i] + l * last.y[i] - mark.y[i]) * weight(run, i, mark.y[i]) <= small)) return false;
    }
    return true;
  }
  void restart() { met_ = 0, steps_ = 0; }

 private:
  static constexpr double small = 10;  // in units of the error allowed to a step
  static constexpr std::array<unsigned, 5> places{0, 67, 151, 233, 300};  // not in step with anything periodic
  std::array<Point, places.size()> marks_;
  std::size_t met_ = 0;
  unsigned steps_ = 0;
};

// Events that come thick and fast because steps at the edge of stability let a relation change its answer from one to the next: a diode that
// conducts beside a capacitor, a switch that discharges one. An implicit method damps that.
class FlickerWatch {
 public:
  void step(double t, double h) {
    if (steps_ == 0 && events_ == 0) since_ = t - h;
    longest_ = std::max(longest_, h);
    ++steps_;
  }
  // At an event; change, distance: of find_stiffness(); set_anew: it gave states other values, which has nothing to do with stability
  bool flickers(double t, double change, double distance, double length, bool set_anew) {
    const double first = std::exchange(moments_[next_], t);
    next_ = (next_ + 1) % moments_.size();
    const double ordinary = std::max(0.05 * longest_, 1e-5 * length);
    if (t - first < ordinary && change * ordinary * ordinary > fast * fast * distance) return true;
    // Or many with a few steps in between, which are as long as stability lets them.
    if (!set_anew && distance > 0) {
      double rate = change / distance;
      for (double& one : fastest_)
        if (rate > one) std::swap(rate, one);
    }
    if (!set_anew && ++events_ < many) return false;
    const double step = (t - since_) / steps_;
    const bool at_edge = !set_anew && steps_ <= few * many && fastest_.back() * step * step > short_of_edge * short_of_edge;
    events_ = steps_ = 0;
    since_ = t;
    fastest_ = {};
    return at_edge;
  }

 private:
  static constexpr double fast = 10;  // rates, times what steps ordinarily are
  static constexpr double short_of_edge = 0.1;  // the same, of steps that events cut
  static constexpr unsigned many = 8, few = 8;
  std::array<double, 6> moments_ = [] {
    std::array<double, 6> long_ago{};
    long_ago.fill(-std::numeric_limits<double>::infinity());
    return long_ago;
  }();
  std::size_t next_ = 0;
  double longest_ = 0, since_ = 0;
  std::array<double, 3> fastest_{};  // squares of the largest rates of this lot of events: one or two may be of a singular position that was passed
  unsigned events_ = 0, steps_ = 0;
};

// The output points of the step [t, end] with states `after` at its end; its polynomial has element i of a coefficient at i * width.
template <std::size_t width>
void record(Run&, double t, double end, const double* polynomial, std::uint32_t degree, std::span<const double> after);
// The part up to `end` of a step of length h.
template <std::size_t width>
void record_part(Run&, double t, double end, double h, const double* polynomial, std::uint32_t degree, std::span<const double> after);
void value_at(const double* polynomial, std::uint32_t degree, double s, std::span<double> y);  // of a run alone, s from 0 to 1 over the step
double first_step(Run&, double t, double longest, std::span<const double> y, std::span<const double> slope);
Outcome give_up(Run&, double t, std::string message, std::span<const double> errors);

// One run in a lane of a bank. A step: propose(); the stages; find_errors() and find_polynomial(); judge(); where it is accepted move(),
// find_stiffness() and settle().
template <std::size_t width>
class Steps {
 public:
  Steps(Run& run, const Point& from, bool may_turn, Bank<width>& b, std::size_t lane)
      : run_(run), b_(b), lane_(lane), t_(from.t), longest_(std::min(run.longest_step(Run::part_seen_inside), run.stop() - t_)),
        may_turn_(may_turn), watch_(run.options.tolerance), y_(from.y), flat_(y_.size()) {
    enter();
  }
  // Goes on where another one stands, elsewhere.
  template <std::size_t others>
  Steps(const Steps<others>& s, Bank<width>& b, std::size_t lane)
      : run_(s.run_), b_(b), lane_(lane), t_(s.t_), from_(s.from_), h_(s.h_), longest_(s.longest_), wish_(s.wish_), short_(s.short_),
        may_turn_(s.may_turn_),
        rejected_(s.rejected_), last_(s.last_), looked_(s.looked_), over_(s.over_), factor_(s.factor_), control_(s.control_), watch_(s.watch_),
        smooth_(s.smooth_), flicker_(s.flicker_), rough_(s.rough_), ahead_(s.ahead_), y_(s.y_), flat_(y_.size()) {
    enter();
    for (std::size_t i = 0; i < size(); ++i) b_.k[0][at(i)] = s.b_.k[0][s.at(i)];
  }

  // The first evaluation and the first step's length. Something: the run is over.
  std::optional<Outcome> begin() {
    if (!evaluate_slope()) return give_up(run_, t_, "the model cannot be evaluated", std::vector<double>(size()));
    for (std::size_t i = 0; i < size(); ++i) flat_[i] = b_.k[0][at(i)];
    h_ = first_step(run_, t_, longest_, y_, flat_);
    if (!(t_ < run_.stop())) return Outcome::done;
    return std::nullopt;
  }

  void propose() {
    if (!rejected_) {
      from_ = t_;
      h_ = std::min(h_, longest_);
      wish_ = h_;
    }
    const double left = run_.limit() - t_;
    over_ = rough_.passes() && h_ > left && run_.events && t_ + h_ < run_.stop();
    last_ = 1.01 * h_ >= left && !over_;
    if (last_)
      h_ = left;
    else if (2 * h_ > left && !over_)
      h_ = 0.5 * left;
    constexpr double coarse = 1e6;  // far from time 0 a step is what the doubles there leave of it
    if (const double end = t_ + h_; std::fabs(t_) > coarse * h_ && end > t_) h_ = end - t_;
    b_.time[lane_] = t_;
    b_.step[lane_] = h_;
  }

  // `bad`: what the first evaluation that failed gave, else 0. False: another attempt, or the run is over.
  bool judge(int bad, std::optional<Outcome>& over) {
    const double error = bad == 0 ? b_.error[lane_] : 0;
    if (bad == 0 && error <= 1) {
      run_.machine.accept();
      look_ahead();
      if (!overlooks()) {
        factor_ = control_.accepted(std::max(error, 1e-10));
        return true;
      }
      rejected_ = true;
      ++run_.counters().error_test_fails;
      return false;
    }
    rejected_ = true;
    const std::optional<double> aside = bad == 0 && error > RoughPlaces::surprising ? rough_.length(t_, h_, error, roughness()) : std::nullopt;
    if (aside) h_ = *aside;
    else h_ = ahead_.again(t_, h_ * (bad != 0 || !std::isfinite(error) ? 0.25 : Controller::rejected(error)));
    const bool tiny = !(t_ + h_ > t_ + resolution(t_));
    if ((tiny || rough_.hopeless()) && run_.events && run_.events->relent()) return start_over(), false;  // rough for so few errors only
    if (rough_.hopeless() && loses_digits()) return start_over(), false;
    if (rough_.hopeless()) over = give_up(run_, t_, rough_place, errors());
    else if (bad < 0 || interrupted(run_)) over = hopeless();
    else if (bad == 0) ++run_.counters().error_test_fails;
    if (!over && tiny) over = may_turn_ ? Outcome::turn : hopeless();
    return false;
  }

  void move() {
    for (std::size_t i = 0; i < size(); ++i) {
      b_.y[at(i)] = y_[i] = b_.next[at(i)];
      std::swap(b_.k[0][at(i)], b_.k[6][at(i)]);
    }
    t_ = last_ ? run_.limit() : t_ + h_;
    const bool cut = last_ && !rejected_ && t_ < run_.stop();  // for an event alone
    const double next = h_ * (rejected_ ? std::min(1.0, factor_) : factor_);
    h_ = rough_.next(t_, ahead_.after(t_, cut ? std::max(next, wish_) : next));
    rejected_ = looked_ = false;
    widen();
  }

  std::optional<Outcome> settle() {
    if constexpr (width == 1)
      if (run_.events) return settle_events();
    record<width>(run_, from_, t_, b_.polynomial + lane_, 4, y_);
    if (!step_taken(run_, from_, t_, y_)) {
      if (run_.result.trouble.kind == Trouble::step_too_small) blame_states(run_, worst_states(errors()));
      return Outcome::ended;
    }
    if (t_ < run_.stop() && switch_states(run_, t_, y_)) {
      enter();
      if (!evaluate_slope()) return give_up(run_, t_, "the model cannot be evaluated", errors());
    }
    if (may_turn_ && t_ < run_.stop() && crawls(t_ - from_)) return Outcome::turn;
    if (!(t_ < run_.stop())) return Outcome::done;
    return std::nullopt;
  }

  Run& run() const { return run_; }
  std::size_t size() const { return y_.size(); }
  double time() const { return t_; }
  Point point() const { return {t_, y_}; }

 private:
  template <std::size_t others>
  friend class Steps;
  std::size_t at(std::size_t i) const { return i * width + lane_; }

  // Whether straight-line code lost digits there to pivots that the guards let pass: the LU of their blocks goes on. Each
  // block is found once, so this ends.
  bool loses_digits() {
    if constexpr (width == 1) return run_.machine.audit(true) && evaluate_slope();
    else return false;
  }
  void start_over() {
    rough_ = {};
    h_ = wish_;
    widen();
  }

  // Event after event of the step. Where the derivatives do not change with one the step goes on.
  std::optional<Outcome> settle_events() {
    const double h = t_ - from_;
    const auto inside = [&](double t, std::span<double> y) { value_at(b_.polynomial, 4, (t - from_) / h, y); };
    if (over_) {
      t_ = run_.limit();
      inside(t_, y_);
    }
    const double beyond = t_;
    std::vector<double> end_of_step;
    std::shared_ptr<const void> solutions;
    for (double part = from_;;) {
      const StepEnd end = look_for_events(run_, part, t_, y_, inside);
      if (end.again) return repeat(part, h, inside);
      if (end.time < t_) {
        if (end_of_step.empty()) {
          end_of_step = y_;
          if (may_be_singular()) solutions = run_.machine.kept();
        }
        inside(end.time, y_);
        t_ = end.time;
        if (end.event) leave_noise(beyond, inside);
      }
      record_part<width>(run_, from_, t_, h, b_.polynomial + lane_, 4, y_);
      if (!part_taken(run_, part, t_, resolved_if(end.event))) {
        if (run_.result.trouble.kind == Trouble::step_too_small) blame_states(run_, worst_states(errors()));
        return Outcome::ended;
      }
      flicker_.step(t_, t_ - part);
      if (!end.event) return choice_holds(run_, t_, y_) ? settled(EventLoop::Next::go_on, h, false, false) : Outcome::ended;
      const std::vector<double> left = y_;
      const EventLoop::Next next = run_.events->handle(t_, y_);
      if (next == EventLoop::Next::go_on && t_ < beyond && !(run_.limit() < beyond) && left == y_) {
        part = t_;
        t_ = beyond;
        y_ = end_of_step;
        if (solutions) run_.machine.put_back(solutions);
        continue;
      }
      if (next != EventLoop::Next::ended && !choice_holds(run_, t_, left)) return Outcome::ended;
      return settled(next, h, true, left != y_);
    }
  }

  // `set`: states, by the event that ends the step.
  std::optional<Outcome> settled(EventLoop::Next next, double h, bool event, bool set) {
    if (next != EventLoop::Next::ended && !(t_ < run_.stop())) next = run_.events->finish(t_, y_);
    if (next == EventLoop::Next::ended) return Outcome::ended;
    if (!(t_ < run_.stop())) return Outcome::done;
    const bool noise = event && may_be_singular() && is_noise(run_, t_, std::max(wish_, h), y_);  // states would be read from it
    const bool switched = !noise && switch_states(run_, t_, y_);
    if (next == EventLoop::Next::restart || switched || event) {
      enter();
      if (!evaluate_slope()) return give_up(run_, t_, "the model cannot be evaluated", errors());
      if (event && may_be_singular())
        if (const auto slope = slope_from_ahead(run_, t_, std::min(std::max(wish_, h), 0.25 * (run_.stop() - t_)), y_, flat_)) take_slope(*slope);
    }
    if (next == EventLoop::Next::restart) {
      for (std::size_t i = 0; i < size(); ++i) flat_[i] = b_.k[0][at(i)];
      h_ = std::min(first_step(run_, t_, longest_, y_, flat_), std::max(wish_, h));
      control_ = {};
    }
    const bool flickers = event && may_turn_ && flicker_.flickers(t_, b_.change[lane_], b_.distance[lane_], run_.stop() - run_.options.start, set);
    if (flickers && !(may_be_singular() && is_change_noise())) return Outcome::turn;
    if (event) smooth_.restart();
    return may_turn_ && !event && crawls(h) ? std::optional(Outcome::turn) : std::nullopt;
  }

  // Takes the step back, for one with smaller errors.
  template <class Inside>
  std::optional<Outcome> repeat(double from, double h, const Inside& inside) {
    inside(from, y_);
    t_ = from;
    enter();
    if (!evaluate_slope()) return give_up(run_, t_, "the model cannot be evaluated", errors());
    h_ = std::min(first_step(run_, t_, longest_, y_, flat_), h);
    control_ = {};
    return std::nullopt;
  }

  // After an accepted step of length h.
  bool crawls(double h) {
    constexpr double wanted = 0.5;  // part of the longest step: short by what was asked for
    const bool stiff = watch_.stiff(b_.change[lane_], b_.distance[lane_], h, run_.stop() - t_);
    if (h >= wanted * longest_) smooth_.restart();
    return run_.tiny_steps > 2 || stiff || (h < wanted * longest_ && smooth_.smooth(run_, t_, y_));
  }

  bool may_be_singular() const { return run_.machine.turns(); }
  // An event where all that is computed from the states is noise, in the step that goes on to `beyond`, is taken a little later.
  template <class Inside>
  void leave_noise(double beyond, const Inside& inside) {
    constexpr double nearest = 1e-7, farthest = 0.05, longer = 4;  // of the step
    if (!may_be_singular()) return;
    const double length = beyond - from_, event = t_;
    for (double part = nearest; is_noise(run_, t_, length, y_); part *= longer) {
      if (part > farthest || event + part * length >= beyond) {  // it is no better there
        t_ = event;
        inside(t_, y_);
        return;
      }
      t_ = event + part * length;
      inside(t_, y_);
    }
  }

  // What find_stiffness() found is a quotient of differences: near a singular position of roundings.
  bool is_change_noise() {
    constexpr double most = 0.1;
    std::vector<double> slope(size());
    if (evaluate(run_, t_, y_, slope) != 0) return true;
    const auto noise = roughness_at(run_, t_, 1, y_, slope);
    return !noise || *noise * std::sqrt(static_cast<double>(size())) > most * std::sqrt(b_.change[lane_]);
  }

  // What the bank knows of the run.
  void enter() {
    for (std::size_t i = 0; i < size(); ++i) b_.y[at(i)] = y_[i];
    widen();
  }
  void widen() {
    widen_scale(run_, y_);
    for (std::size_t i = 0; i < size(); ++i) {
      b_.scale[at(i)] = run_.scale[i];
      b_.sharpness[at(i)] = run_.sharpness[i];
    }
  }
  // At the end of a step that has passed the test.
  void look_ahead() {
    if (run_.result.trajectory.path_.unknowns() == 0) return;
    run_.machine.pivots(pivots_);
    ahead_.accepted(t_ + h_, pivots_);
  }
  bool evaluate_slope() {
    ahead_.forget();
    if (evaluate(run_, t_, y_, flat_) != 0) return false;
    take_slope(flat_);
    return true;
  }
  void take_slope(std::span<const double> slope) {
    for (std::size_t i = 0; i < size(); ++i) b_.k[0][at(i)] = flat_[i] = slope[i];
  }
  std::vector<double> errors() const {
    std::vector<double> list(size());
    for (std::size_t i = 0; i < size(); ++i) list[i] = b_.errors[at(i)];
    return list;
  }
  // No stage stands between 0.3 and 0.8 of a step, so what rises and falls in there, like the current of a rectifier between two long steps of its
  // capacitor, has no part in the error. There the derivatives are compared with the polynomial's: in the middle, and on both sides of it in steps
  // that are long against those not long before. A step that has overlooked something is made to end there, once; the test of errors does the
  // rest. True: it was.
  bool overlooks() {
    if (!run_.steep || std::exchange(looked_, true)) return false;
    constexpr std::array blind{0.55, 0.42, 0.68};
    constexpr double surprise = 30, noise = 0.02;  // noise: of it, that rounding may have made (rough_places.hpp)
    constexpr double is_long = 3, recovery = 1.1;
    const bool grown = h_ > is_long * short_;
    short_ = std::min(h_, recovery * short_);
    for (const double s : std::span(blind).first(grown ? 3 : 1)) {
      const double found = defect(s);
      if (!(found > surprise)) continue;
      if (const auto rough = roughness_at(run_, t_ + s * h_, h_, state_, flat_); !rough || !(*rough < noise * found)) continue;
      h_ *= s;
      if (evaluate_slope()) run_.machine.accept();
      return true;
    }
    if (!run_.problem.sets.empty()) {  // whose strain is that of the point evaluated last
      for (std::size_t i = 0; i < size(); ++i) state_[i] = b_.next[at(i)];
      evaluate(run_, t_ + h_, state_, flat_);
    }
    return false;
  }
  // How far the derivatives are from the polynomial's, in units of the error allowed, times the step.
  double defect(double s) {
    const double* p = b_.polynomial;
    const std::size_t n = size() * width;
    state_.resize(size());
    rise_.resize(size());
    for (std::size_t i = 0; i < size(); ++i) {
      const auto term = [&](std::size_t k) { return p[k * n + at(i)]; };
      state_[i] = term(0) + s * (term(1) + s * (term(2) + s * (term(3) + s * term(4))));
      rise_[i] = term(1) + s * (2 * term(2) + s * (3 * term(3) + s * 4 * term(4)));
    }
    if (evaluate(run_, t_ + s * h_, state_, flat_) != 0) {
      run_.complaint.kind = Trouble::none;
      return 0;
    }
    double sum = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      const double e = (h_ * flat_[i] - rise_[i]) * weight(run_, i, state_[i]);
      sum += e * e;
    }
    return std::sqrt(sum / static_cast<double>(size()));
  }
  // Of the step just tried. None: a derivative near it cannot be computed.
  Roughness roughness() {
    Roughness list{};
    std::vector<double> state(size());
    for (std::size_t j = 1; j < stages; ++j) {
      if (j == 5) continue;  // at the time of the last
      for (std::size_t i = 0; i < size(); ++i) {
        double sum = 0;
        for (std::size_t m = 0; m < j; ++m) sum += a[j][m] * b_.k[m][at(i)];
        state[i] = y_[i] + h_ * sum;
        flat_[i] = b_.k[j][at(i)];
      }
      const auto rough = roughness_at(run_, t_ + c[j] * h_, h_, state, flat_);
      if (!rough) return {};
      list[j] = *rough;
    }
    return list;
  }
  Outcome hopeless() { return give_up(run_, t_, "the error stays too large however small the step", errors()); }

  Run& run_;
  Bank<width>& b_;
  std::size_t lane_ = 0;
  double t_ = 0, from_ = 0, h_ = 0, longest_ = 0, wish_ = 0;  // wish_: the step's length before it was fitted to its end
  double short_ = std::numeric_limits<double>::infinity();    // what steps were not long ago
  bool may_turn_ = false, rejected_ = false, last_ = false, looked_ = false;
  bool over_ = false;  // the step goes on beyond the moment at which what counts of it ends
  double factor_ = 1;  // by which the next step is longer
  Controller control_;
  StiffnessWatch watch_;
  SmoothWatch smooth_;
  FlickerWatch flicker_;
  RoughPlaces rough_;
  SingularAhead ahead_;
  std::vector<double> y_, flat_, state_, rise_, pivots_;  // state_, rise_: of defect()
};

// A bank with memory of its own.
template <std::size_t width>
struct Memory {
  explicit Memory(std::size_t n, double tolerance) : numbers((stages + 11) * width * n) {
    bank.n = n;
    bank.tolerance = tolerance;
    double* at = numbers.data();
    for (double** v : {&bank.y, &bank.next, &bank.sixth, &bank.errors, &bank.scale, &bank.sharpness})
      *v = std::exchange(at, at + width * n);
    for (double*& v : bank.k) v = std::exchange(at, at + width * n);
    bank.polynomial = at;
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  std::vector<double> numbers;
  Bank<width> bank;
};

// From where the steps stand to the run's end or a change of method.
Outcome go_on(Steps<1>&, Bank<1>&);

}  // namespace kron::simulate::dormand_prince
