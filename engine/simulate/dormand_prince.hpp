// engine/simulate/dormand_prince.hpp: steps of Dormand and Prince's pair of orders 5(4) with its dense output of order 4, of one run alone or
// of several side by side. Private to the room.
//   how       coefficients, starting step and PI controller after Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, sections
//             II.4 to II.6 (code DOPRI5). The last stage is the next step's first, so a step costs 6 evaluations
//   lanes     of runs side by side element i of a vector is at i * width + lane. Each run has its own time and step, and every operation is that
//             of a run alone, in its order, so each takes the steps that it takes alone, bit for bit
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/simulate/run.hpp"

namespace kron::simulate::dormand_prince {

inline constexpr std::size_t stages = 7;
inline constexpr std::array<double, stages> c = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
inline constexpr double a[stages][stages - 1] = {{},
                                          {1.0 / 5},
                                          {3.0 / 40, 9.0 / 40},
                                          {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                          {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                          {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                                          {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
inline constexpr std::array<double, stages> error_weights = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                                      -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
inline constexpr std::array<double, stages> dense = {-12715105075.0 / 11282082432,  0,
                                              87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                              701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                              69997945.0 / 29380423};


template <std::size_t width>
struct Strided {
  double* data = nullptr;
  double& operator[](std::size_t i) const { return data[i * width]; }
};

// y + h * sum over m < count of a[count][m] * k[m], for `width` runs; `count` is known to the compiler, which makes one vector loop of it.
template <std::size_t count, std::size_t width>
void combine(std::size_t n, const double* y, const std::array<double*, stages>& k, const double* h, double* to) {
  std::array<const double*, count> from;
  std::array<double, count> f;
  for (std::size_t m = 0; m < count; ++m) {
    from[m] = k[m];
    f[m] = a[count][m];
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t lane = 0; lane < width; ++lane) {
      const std::size_t at = i * width + lane;
      double sum = f[0] * from[0][at];
      for (std::size_t m = 1; m < count; ++m) sum += f[m] * from[m][at];
      to[at] = y[at] + h[lane] * sum;
    }
}

// Calls f(stage, where to put its state, state) for stages 1 to 6: from y and k[0] to k[6]; `next` is the solution of order 5.
template <std::size_t width, class F>
void each_stage(std::size_t n, const double* y, const std::array<double*, stages>& k, const double* h, double* sixth, double* next, F&& f) {
  const auto stage = [&]<std::size_t j>(double* to) {
    combine<j, width>(n, y, k, h, to);
    return f(j, to);
  };
  stage.template operator()<1>(next) && stage.template operator()<2>(next) && stage.template operator()<3>(next) &&
      stage.template operator()<4>(next) && stage.template operator()<5>(sixth) && stage.template operator()<6>(next);
}

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
// tol^(1/5) (measured on an oscillator): 40 times those, at most 2, is long.
class StiffnessWatch {
 public:
  explicit StiffnessWatch(double tolerance) : limit_(std::min(2.0, 120 * std::pow(tolerance, 0.2))) {}
  template <class Stepper>
  bool stiff(const Stepper& s, double h, double left) {
    double change = 0, distance = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
      const double w = weight(s.run(), i, s.y()[i]);
      const double df = (s.slope(0)[i] - s.slope(5)[i]) * w, dy = (s.y()[i] - s.sixth()[i]) * w;
      change += df * df;
      distance += dy * dy;
    }
    if (distance > 0 && h * h * change > limit_ * limit_ * distance) {
      ++at_edge_;
      calm_ = 0;
    } else if (++calm_ == 6) {
      at_edge_ = 0;
    }
    return at_edge_ >= 15 && left > worth * h;
  }

 private:
  static constexpr double worth = 50;  // a change of method costs some dozens of short steps
  double limit_;
  unsigned at_edge_ = 0, calm_ = 0;
};


// The output points and polynomial of the step [t, end] with states `after` at its end.
void record(Run&, double t, double end, std::span<const double> polynomial, std::span<const double> after);
double first_step(Run&, double t, double longest, std::span<const double> y, std::span<const double> slope);
Outcome give_up(Run&, double t, std::string message, std::span<const double> errors);

// Where the vectors of a run are that the stages of all runs are computed from.
template <std::size_t width>
struct Vectors {
  std::array<Strided<width>, stages> k;
  Strided<width> y, next, sixth;
};

// One run: between propose() and conclude() the caller takes the stages.
template <std::size_t width>
class Steps {
 public:
  Steps(Run& run, const Point& from, bool may_turn, const Vectors<width>& v)
      : run_(run), v_(v), t_(from.t), longest_(std::min(run.options.step.value_or(run.stop() - t_), run.stop() - t_)), may_turn_(may_turn),
        watch_(run.options.tolerance), y_(from.y), errors_(y_.size()), polynomial_(5 * y_.size()), flat_(y_.size()) {
    for (std::size_t i = 0; i < size(); ++i) v_.y[i] = y_[i];
  }
  // Goes on where another one stands, elsewhere.
  template <std::size_t others>
  Steps(const Steps<others>& s, const Vectors<width>& v)
      : run_(s.run_), v_(v), t_(s.t_), from_(s.from_), h_(s.h_), longest_(s.longest_), may_turn_(s.may_turn_), rejected_(s.rejected_), last_(s.last_),
        control_(s.control_), watch_(s.watch_), y_(s.y_), errors_(s.errors_), polynomial_(s.polynomial_), flat_(s.flat_) {
    for (std::size_t i = 0; i < size(); ++i) {
      v_.y[i] = y_[i];
      v_.k[0][i] = s.v_.k[0][i];
    }
  }

  // The first evaluation and the first step's length. Something: the run is over.
  std::optional<Outcome> begin() {
    if (!evaluate_slope()) return give_up(run_, t_, "the model cannot be evaluated", errors_);
    for (std::size_t i = 0; i < size(); ++i) flat_[i] = v_.k[0][i];
    h_ = first_step(run_, t_, longest_, y_, flat_);
    if (!(t_ < run_.stop())) return Outcome::done;
    return std::nullopt;
  }

  void propose() {
    if (!rejected_) {
      from_ = t_;
      h_ = std::min(h_, longest_);
    }
    const double left = run_.stop() - t_;
    last_ = 1.01 * h_ >= left;
    if (last_)
      h_ = left;
    else if (2 * h_ > left)
      h_ = 0.5 * left;
  }

  // After the stages; `bad`: what the first evaluation that failed gave, else 0. Something: the run is over.
  std::optional<Outcome> conclude(int bad) {
    const double error = bad == 0 ? error_norm() : 0;
    if (bad == 0 && error <= 1) return accepted(error);
    rejected_ = true;
    h_ *= bad != 0 || !std::isfinite(error) ? 0.25 : Controller::rejected(error);
    if (bad < 0 || interrupted(run_)) return hopeless();
    if (bad == 0) ++run_.counters().error_test_fails;
    if (t_ + h_ > t_ + resolution(t_)) return std::nullopt;
    return may_turn_ ? Outcome::turn : hopeless();
  }

  Run& run() const { return run_; }
  std::size_t size() const { return y_.size(); }
  double time() const { return t_; }
  double step() const { return h_; }
  std::span<const double> y() const { return y_; }
  Strided<width> slope(std::size_t stage) const { return v_.k[stage]; }
  Strided<width> sixth() const { return v_.sixth; }
  Point point() const { return {t_, y_}; }

 private:
  template <std::size_t others>
  friend class Steps;

  bool evaluate_slope() {
    if constexpr (width == 1) return evaluate(run_, t_, y_, {v_.k[0].data, size()}) == 0;
    if (evaluate(run_, t_, y_, flat_) != 0) return false;
    for (std::size_t i = 0; i < size(); ++i) v_.k[0][i] = flat_[i];
    return true;
  }
  Outcome hopeless() { return give_up(run_, t_, "the error stays too large however small the step", errors_); }

  double error_norm() {
    double sum = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      double e = 0;
      for (std::size_t j = 0; j < stages; ++j) e += error_weights[j] * v_.k[j][i];
      const double largest = std::max(std::fabs(y_[i]), std::fabs(v_.next[i]));
      errors_[i] = h_ * e * weight(run_, i, largest);
      sum += errors_[i] * errors_[i];
    }
    return std::sqrt(sum / static_cast<double>(size()));
  }

  void make_polynomial() {
    double* p = polynomial_.data();
    const std::size_t n = size();
    for (std::size_t i = 0; i < n; ++i) {
      double d = 0;
      for (std::size_t j = 0; j < stages; ++j) d += dense[j] * v_.k[j][i];
      d *= h_;
      const double rise = v_.next[i] - y_[i], b = h_ * v_.k[0][i] - rise, e = rise - h_ * v_.k[6][i] - b;
      p[i] = y_[i];
      p[n + i] = rise + b;
      p[2 * n + i] = e + d - b;
      p[3 * n + i] = -(e + 2 * d);
      p[4 * n + i] = d;
    }
  }

  std::optional<Outcome> accepted(double error) {
    const double factor = control_.accepted(std::max(error, 1e-10));
    const double end = last_ ? run_.stop() : t_ + h_;
    make_polynomial();
    for (std::size_t i = 0; i < size(); ++i) {
      v_.y[i] = y_[i] = v_.next[i];
      std::swap(v_.k[0][i], v_.k[6][i]);
    }
    t_ = end;
    h_ *= rejected_ ? std::min(1.0, factor) : factor;
    rejected_ = false;
    run_.machine.accept();
    widen_scale(run_, y_);
    record(run_, from_, t_, polynomial_, y_);
    if (!step_taken(run_, from_, t_, y_)) {
      if (run_.result.trouble.kind == Trouble::step_too_small) blame_states(run_, worst_states(errors_));
      return Outcome::ended;
    }
    if (t_ < run_.stop() && switch_states(run_, t_, y_)) {
      for (std::size_t i = 0; i < size(); ++i) v_.y[i] = y_[i];
      if (!evaluate_slope()) return give_up(run_, t_, "the model cannot be evaluated", errors_);
    }
    const bool crawls = run_.tiny_steps > 2 || watch_.stiff(*this, t_ - from_, run_.stop() - t_);
    if (may_turn_ && crawls && t_ < run_.stop()) return Outcome::turn;
    if (!(t_ < run_.stop())) return Outcome::done;
    return std::nullopt;
  }

  Run& run_;
  Vectors<width> v_;
  double t_ = 0, from_ = 0, h_ = 0, longest_ = 0;
  bool may_turn_ = false, rejected_ = false, last_ = false;
  Controller control_;
  StiffnessWatch watch_;
  std::vector<double> y_, errors_, polynomial_, flat_;  // polynomial of the step just taken, in s = (t - start)/h
};

// The vectors of a run alone.
struct Alone {
  explicit Alone(std::size_t n) : memory((stages + 3) * n), size(n) {}
  Vectors<1> vectors() {
    Vectors<1> v;
    double* at = memory.data();
    for (Strided<1>* s : {&v.y, &v.next, &v.sixth}) s->data = std::exchange(at, at + size);
    for (Strided<1>& s : v.k) s.data = std::exchange(at, at + size);
    return v;
  }
  std::vector<double> memory;
  std::size_t size;
};

// From where the steps stand to the run's end or a change of method.
Outcome go_on(Steps<1>&, const Vectors<1>&);

}  // namespace kron::simulate::dormand_prince
