// Explicit one-step methods: Dormand and Prince's pair of orders 5(4) with its dense output of order 4, and explicit
// Euler.
//   rk45: coefficients, starting step and PI controller after Hairer, Norsett, Wanner, Solving Ordinary Differential
//   Equations I, sections II.4 to II.6 (code DOPRI5). The last stage is the next step's first, so a step costs 6
//   evaluations. euler: y += h*f on the grid start + k*h, the last step shortened to end at stop; linear between steps.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/simulate/run.hpp"

namespace kron::simulate {

namespace {

constexpr std::size_t stages = 7;
constexpr std::array<double, stages> c = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
constexpr double a[stages][stages - 1] = {{},
                                          {1.0 / 5},
                                          {3.0 / 40, 9.0 / 40},
                                          {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                          {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                          {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                                          {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
constexpr std::array<double, stages> error_weights = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                                      -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
constexpr std::array<double, stages> dense = {-12715105075.0 / 11282082432,  0,
                                              87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                              701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                              69997945.0 / 29380423};

struct Stepper {
  explicit Stepper(Run& r, std::vector<double> start)
      : run(r), n(start.size()), y(std::move(start)), next(n), sixth(n), errors(n) {
    for (auto& s : k) s.resize(n);
    polynomial.resize(5 * n);
  }
  Run& run;
  std::size_t n;
  std::vector<double> y, next, sixth, errors;  // sixth: where stage 6 was evaluated
  std::array<std::vector<double>, stages> k;
  std::vector<double> polynomial;  // of the step just taken, in s = (t - start)/h
};

// y + h * sum over m < count of factor[m] * k[m]; `count` is known to the compiler, which makes one vector loop of it.
template <std::size_t count>
void combine(const Stepper& s, double h, const double* factor, std::vector<double>& out) {
  std::array<const double*, count> k;
  std::array<double, count> f;
  for (std::size_t m = 0; m < count; ++m) {
    k[m] = s.k[m].data();
    f[m] = factor[m];
  }
  const double* y = s.y.data();
  double* to = out.data();
  for (std::size_t i = 0; i < s.n; ++i) {
    double sum = f[0] * k[0][i];
    for (std::size_t m = 1; m < count; ++m) sum += f[m] * k[m][i];
    to[i] = y[i] + h * sum;
  }
}

template <std::size_t j>
int take_stage(Stepper& s, double t, double h, std::vector<double>& at) {
  combine<j>(s, h, a[j], at);
  return evaluate(s.run, t + c[j] * h, at, s.k[j]);
}

// Stages 2 to 7 from y and k[0]; `next` is the solution of order 5. Not zero: an evaluation failed.
int take_stages(Stepper& s, double t, double h) {
  int bad = take_stage<1>(s, t, h, s.next);
  if (bad == 0) bad = take_stage<2>(s, t, h, s.next);
  if (bad == 0) bad = take_stage<3>(s, t, h, s.next);
  if (bad == 0) bad = take_stage<4>(s, t, h, s.next);
  if (bad == 0) bad = take_stage<5>(s, t, h, s.sixth);
  if (bad == 0) bad = take_stage<6>(s, t, h, s.next);
  return bad;
}

double error_norm(Stepper& s, double h) {
  double sum = 0;
  for (std::size_t i = 0; i < s.n; ++i) {
    double e = 0;
    for (std::size_t j = 0; j < stages; ++j) e += error_weights[j] * s.k[j][i];
    const double size = std::max(std::fabs(s.y[i]), std::fabs(s.next[i]));
    s.errors[i] = h * e * weight(s.run, i, size);
    sum += s.errors[i] * s.errors[i];
  }
  return std::sqrt(sum / static_cast<double>(s.n));
}

void make_polynomial(Stepper& s, double h) {
  double* p = s.polynomial.data();
  const std::size_t n = s.n;
  for (std::size_t i = 0; i < n; ++i) {
    double d = 0;
    for (std::size_t j = 0; j < stages; ++j) d += dense[j] * s.k[j][i];
    d *= h;
    const double rise = s.next[i] - s.y[i], b = h * s.k[0][i] - rise, e = rise - h * s.k[6][i] - b;
    p[i] = s.y[i];
    p[n + i] = rise + b;
    p[2 * n + i] = e + d - b;
    p[3 * n + i] = -(e + 2 * d);
    p[4 * n + i] = d;
  }
}

void at(std::span<const double> polynomial, std::size_t n, double s, std::span<double> y) {
  const std::size_t degree = polynomial.size() / n - 1;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = polynomial[degree * n + i];
    for (std::size_t k = degree; k-- > 0;) sum = sum * s + polynomial[k * n + i];
    y[i] = sum;
  }
}

void slope_at(std::span<const double> polynomial, std::size_t n, double s, double h, std::span<double> y) {
  const std::size_t degree = polynomial.size() / n - 1;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t k = degree; k > 0; --k) sum = sum * s + static_cast<double>(k) * polynomial[k * n + i];
    y[i] = sum / h;
  }
}

// Output points and polynomial of the step [t, end] with states `after` at its end.
void record(Run& run, double t, double end, std::span<const double> polynomial, std::span<const double> after) {
  const double h = end - t;
  const std::size_t n = after.size();
  const auto room = run.recorder.add_step(end, t, h, static_cast<std::uint32_t>(polynomial.size() / n - 1));
  if (!room.empty()) {
    std::copy(polynomial.begin(), polynomial.end(), room.begin());
    if (!run.problem.sets.empty()) keep_guess(run, run.result.trajectory.step_guesses_);
  }
  record_until(run, end, [&](double time, std::span<double> y) {
    if (time == end)
      std::copy(after.begin(), after.end(), y.begin());
    else
      at(polynomial, n, (time - t) / h, y);
    if (run.recorder.wants_slopes()) slope_at(polynomial, n, (time - t) / h, h, run.recorder.add_slope());
  });
}

double norm(const Run& run, std::span<const double> v, std::span<const double> y) {
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double scaled = v[i] * weight(run, i, y[i]);
    sum += scaled * scaled;
  }
  return std::sqrt(sum / static_cast<double>(v.size()));
}

// Such that an explicit Euler step would be small against the states, refined by a second derivative.
double first_step(Stepper& s, double t, double longest) {
  const double d0 = norm(s.run, s.y, s.y), d1 = norm(s.run, s.k[0], s.y);
  double h = d0 < 1e-10 || d1 < 1e-10 ? 1e-6 * longest : 0.01 * d0 / d1;
  h = std::min(h, longest);
  for (std::size_t i = 0; i < s.n; ++i) s.next[i] = s.y[i] + h * s.k[0][i];
  if (evaluate(s.run, t + h, s.next, s.k[1]) != 0) return h * 1e-3;
  for (std::size_t i = 0; i < s.n; ++i) s.errors[i] = (s.k[1][i] - s.k[0][i]) / h;
  const double d2 = std::max(d1, norm(s.run, s.errors, s.y));
  const double better = d2 <= 1e-15 ? std::max(1e-6 * longest, h * 1e-3) : std::pow(0.01 / d2, 0.2);
  return std::min({100 * h, better, longest});
}

double resolution(double t) { return 8 * std::numeric_limits<double>::epsilon() * std::fabs(t); }

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

Outcome give_up(Run& run, double t, std::string message, std::span<const double> errors) {
  if (interrupted(run))
    fail(run, t, Trouble::interrupted, "interrupted");
  else
    fail(run, t, Trouble::step_too_small, std::move(message), worst_states(errors));
  return Outcome::ended;
}

enum class Attempt : std::uint8_t { accepted, too_small, hopeless };

// One accepted step from t; h is proposed on entry and the proposal for the next step on return.
Attempt accepted_step(Stepper& s, Controller& control, double& t, double& h) {
  Run& run = s.run;
  for (bool rejected = false;; rejected = true) {
    const double left = run.stop() - t;
    const bool last = 1.01 * h >= left;
    if (last)
      h = left;
    else if (2 * h > left)
      h = 0.5 * left;
    const int bad = take_stages(s, t, h);
    const double error = bad == 0 ? error_norm(s, h) : 0;
    if (bad == 0 && error <= 1) {
      const double factor = control.accepted(std::max(error, 1e-10));
      const double end = last ? run.stop() : t + h;
      make_polynomial(s, h);
      std::swap(s.y, s.next);
      std::swap(s.k[0], s.k[6]);
      t = end;
      h *= rejected ? std::min(1.0, factor) : factor;
      return Attempt::accepted;
    }
    h *= bad != 0 || !std::isfinite(error) ? 0.25 : Controller::rejected(error);
    if (bad < 0 || interrupted(run)) return Attempt::hopeless;
    if (bad == 0) ++run.counters().error_test_fails;
    if (!(t + h > t + resolution(t))) return Attempt::too_small;
  }
}

// The last two stages stand at the same time, so the quotient of their differences estimates the largest eigenvalue. A
// step that is long against its time constant, time after time, follows slower things: the model is stiff   [Hairer,
// Wanner, Solving Ordinary Differential Equations II, section IV.2]. Stability ends at 3.3 on the real axis; at tight
// tolerances the error of the fast part settles the step below that, while a model that is not stiff takes steps of 3
// tol^(1/5) (measured on an oscillator): 40 times those, at most 2, is long.
class StiffnessWatch {
 public:
  explicit StiffnessWatch(double tolerance) : limit_(std::min(2.0, 120 * std::pow(tolerance, 0.2))) {}
  bool stiff(const Stepper& s, double h, double left) {
    double change = 0, distance = 0;
    for (std::size_t i = 0; i < s.n; ++i) {
      const double w = weight(s.run, i, s.y[i]);
      const double df = (s.k[0][i] - s.k[5][i]) * w, dy = (s.y[i] - s.sixth[i]) * w;
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

}  // namespace

Outcome run_rk45(Run& run, Point& at, bool may_turn) {
  Stepper s(run, at.y);
  double& t = at.t;
  const double longest = std::min(run.options.step.value_or(run.stop() - t), run.stop() - t);
  if (evaluate(run, t, s.y, s.k[0]) != 0) return give_up(run, t, "the model cannot be evaluated", s.errors);
  double h = first_step(s, t, longest);
  Controller control;
  StiffnessWatch watch(run.options.tolerance);
  auto turn = [&] {
    at.y = s.y;
    return Outcome::turn;
  };
  while (t < run.stop()) {
    const double from = t;
    h = std::min(h, longest);
    const Attempt attempt = accepted_step(s, control, t, h);
    if (attempt == Attempt::too_small && may_turn) return turn();
    if (attempt != Attempt::accepted)
      return give_up(run, t, "the error stays too large however small the step", s.errors);
    run.machine.accept();
    widen_scale(run, s.y);
    record(run, from, t, s.polynomial, s.y);
    if (!step_taken(run, from, t, s.y)) {
      if (run.result.trouble.kind == Trouble::step_too_small) blame_states(run, worst_states(s.errors));
      return Outcome::ended;
    }
    if (t < run.stop() && switch_states(run, t, s.y) && evaluate(run, t, s.y, s.k[0]) != 0)
      return give_up(run, t, "the model cannot be evaluated", s.errors);
    const bool crawls = run.tiny_steps > 2 || watch.stiff(s, t - from, run.stop() - t);
    if (may_turn && crawls && t < run.stop()) return turn();
  }
  return Outcome::done;
}

Outcome run_euler(Run& run, Point& at) {
  const double start = at.t, length = run.stop() - start;
  const double step = run.options.step.value_or(run.grid[1] - start);
  const double steps = std::max(1.0, std::ceil(length / step * (1 - 1e-12)));
  // Where the step divides the interval the points are computed as the output grid's are, so that the two agree
  // exactly.
  const bool even = std::fabs(steps * step - length) <= 1e-12 * length;
  std::vector<double>& y = at.y;
  const std::size_t n = y.size();
  std::vector<double> der(n), polynomial(2 * n);
  for (double k = 1; k <= steps; ++k) {
    double end = k == steps ? run.stop() : even ? start + length * (k / steps) : start + k * step;
    if (run.next < run.grid.size() && std::fabs(run.grid[run.next] - end) <= 1e-9 * step) end = run.grid[run.next];
    if (evaluate(run, at.t, y, der) != 0) return give_up(run, at.t, "the model cannot be evaluated", der);
    run.machine.accept();
    for (std::size_t i = 0; i < n; ++i) {
      polynomial[i] = y[i];
      polynomial[n + i] = (end - at.t) * der[i];
      y[i] += polynomial[n + i];
    }
    record(run, at.t, end, polynomial, y);
    if (!step_taken(run, at.t, end, y)) return Outcome::ended;
    at.t = end;
    switch_states(run, end, y);
  }
  return Outcome::done;
}

}  // namespace kron::simulate
