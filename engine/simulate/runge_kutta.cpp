// Explicit one-step methods: Dormand and Prince's (dormand_prince.hpp), and explicit Euler.
//   euler: y += h*f on the grid start + k*h, the last step shortened to end at stop; linear between steps.
#include <algorithm>
#include <cmath>

#include "engine/simulate/dormand_prince.hpp"

namespace kron::simulate {

namespace dormand_prince {

namespace {

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

}  // namespace

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

namespace {

double norm(const Run& run, std::span<const double> v, std::span<const double> y) {
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double scaled = v[i] * weight(run, i, y[i]);
    sum += scaled * scaled;
  }
  return std::sqrt(sum / static_cast<double>(v.size()));
}

}  // namespace

// Such that an explicit Euler step would be small against the states, refined by a second derivative.
double first_step(Run& run, double t, double longest, std::span<const double> y, std::span<const double> slope) {
  const std::size_t n = y.size();
  const double d0 = norm(run, y, y), d1 = norm(run, slope, y);
  double h = d0 < 1e-10 || d1 < 1e-10 ? 1e-6 * longest : 0.01 * d0 / d1;
  h = std::min(h, longest);
  std::vector<double> next(n), other(n);
  for (std::size_t i = 0; i < n; ++i) next[i] = y[i] + h * slope[i];
  if (evaluate(run, t + h, next, other) != 0) return h * 1e-3;
  for (std::size_t i = 0; i < n; ++i) next[i] = (other[i] - slope[i]) / h;
  const double d2 = std::max(d1, norm(run, next, y));
  const double better = d2 <= 1e-15 ? std::max(1e-6 * longest, h * 1e-3) : std::pow(0.01 / d2, 0.2);
  return std::min({100 * h, better, longest});
}

Outcome give_up(Run& run, double t, std::string message, std::span<const double> errors) {
  if (interrupted(run))
    fail(run, t, Trouble::interrupted, "interrupted");
  else
    fail(run, t, Trouble::step_too_small, std::move(message), worst_states(errors));
  return Outcome::ended;
}

Outcome go_on(Steps<1>& s, const Vectors<1>& v) {
  std::array<double*, stages> k;
  for (std::size_t j = 0; j < stages; ++j) k[j] = v.k[j].data;
  const std::size_t n = s.size();
  for (;;) {
    s.propose();
    const double h = s.step();
    int bad = 0;
    each_stage<1>(n, v.y.data, k, &h, v.sixth.data, v.next.data, [&](std::size_t j, double* at) {
      bad = evaluate(s.run(), s.time() + c[j] * h, {at, n}, {k[j], n});
      return bad == 0;
    });
    if (const auto end = s.conclude(bad)) return *end;
  }
}

}  // namespace dormand_prince

Outcome run_rk45(Run& run, Point& at, bool may_turn) {
  dormand_prince::Alone alone(at.y.size());
  const auto vectors = alone.vectors();
  dormand_prince::Steps<1> steps(run, at, may_turn, vectors);
  const auto end = steps.begin();
  const Outcome outcome = end ? *end : dormand_prince::go_on(steps, vectors);
  at = steps.point();
  return outcome;
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
    if (evaluate(run, at.t, y, der) != 0) return dormand_prince::give_up(run, at.t, "the model cannot be evaluated", der);
    run.machine.accept();
    for (std::size_t i = 0; i < n; ++i) {
      polynomial[i] = y[i];
      polynomial[n + i] = (end - at.t) * der[i];
      y[i] += polynomial[n + i];
    }
    dormand_prince::record(run, at.t, end, polynomial, y);
    if (!step_taken(run, at.t, end, y)) return Outcome::ended;
    at.t = end;
    switch_states(run, end, y);
  }
  return Outcome::done;
}

}  // namespace kron::simulate
