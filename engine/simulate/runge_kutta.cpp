// Explicit one-step methods: Dormand and Prince's (dormand_prince.hpp), and explicit Euler.
//   euler: y += h*f on the grid start + k*h, the last step shortened to end at stop; linear between steps.
#include <algorithm>
#include <cmath>

#include "engine/code/packed.hpp"
#include "engine/simulate/dormand_prince.hpp"

namespace kron::simulate {

namespace dormand_prince {

namespace {

template <std::size_t width>
void value_in(const double* polynomial, std::uint32_t degree, double s, std::span<double> y) {
  const std::size_t n = y.size();
  for (std::size_t i = 0; i < n; ++i) {
    double sum = polynomial[(degree * n + i) * width];
    for (std::size_t k = degree; k-- > 0;) sum = sum * s + polynomial[(k * n + i) * width];
    y[i] = sum;
  }
}

template <std::size_t width>
void slope_at(const double* polynomial, std::uint32_t degree, double s, double h, std::span<double> y) {
  const std::size_t n = y.size();
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t k = degree; k > 0; --k) sum = sum * s + static_cast<double>(k) * polynomial[(k * n + i) * width];
    y[i] = sum / h;
  }
}

}  // namespace

void value_at(const double* polynomial, std::uint32_t degree, double s, std::span<double> y) { value_in<1>(polynomial, degree, s, y); }

template <std::size_t width>
void record_part(Run& run, double t, double end, double h, const double* polynomial, std::uint32_t degree, std::span<const double> after) {
  const std::size_t n = after.size();
  const auto room = run.recorder.add_step(end, t, h, degree);
  for (std::size_t i = 0; i < room.size(); ++i) room[i] = polynomial[i * width];
  record_until(run, end, [&](double time, std::span<double> y) {
    if (time == end)
      std::copy(after.begin(), after.end(), y.begin());
    else
      value_in<width>(polynomial, degree, (time - t) / h, y.first(n));
    if (run.recorder.wants_slopes()) slope_at<width>(polynomial, degree, (time - t) / h, h, run.recorder.add_slope());
  });
}

template <std::size_t width>
void record(Run& run, double t, double end, const double* polynomial, std::uint32_t degree, std::span<const double> after) {
  record_part<width>(run, t, end, end - t, polynomial, degree, after);
}
template void record_part<1>(Run&, double, double, double, const double*, std::uint32_t, std::span<const double>);
template void record<1>(Run&, double, double, const double*, std::uint32_t, std::span<const double>);
template void record<code::Packed::lanes>(Run&, double, double, const double*, std::uint32_t, std::span<const double>);

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

Outcome go_on(Steps<1>& s, Bank<1>& b) {
  for (std::optional<Outcome> over;;) {
    s.propose();
    int bad = 0;
    for (std::size_t j = 1; j < stages && bad == 0; ++j) {
      const double* state = stage_state(b, j);
      bad = evaluate(s.run(), b.time[0] + c[j] * b.step[0], {state, b.n}, {b.k[j], b.n});
    }
    if (bad == 0) find_errors(b), find_polynomial(b);
    if (s.judge(bad, over)) {
      s.move();
      find_stiffness(b);
      over = s.settle();
    }
    if (over) return *over;
  }
}

}  // namespace dormand_prince

Outcome run_rk45(Run& run, Point& at, bool may_turn) {
  dormand_prince::Memory<1> memory(at.y.size(), run.options.tolerance);
  dormand_prince::Steps<1> steps(run, at, may_turn, memory.bank, 0);
  const auto end = steps.begin();
  const Outcome outcome = end ? *end : dormand_prince::go_on(steps, memory.bank);
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
    while (at.t < end) {  // events part a step
      const double from = at.t, to = std::min({end, run.limit(), from + run.shortest_delay()});
      if (evaluate(run, from, y, der) != 0) return dormand_prince::give_up(run, from, "the model cannot be evaluated", der);
      run.machine.accept();
      for (std::size_t i = 0; i < n; ++i) {
        polynomial[i] = y[i];
        polynomial[n + i] = (to - from) * der[i];
        y[i] += polynomial[n + i];
      }
      const auto inside = [&](double t, std::span<double> x) { dormand_prince::value_at(polynomial.data(), 1, (t - from) / (to - from), x); };
      const StepEnd cut = look_for_events(run, from, to, y, inside);
      if (cut.time < to) inside(cut.time, y);
      dormand_prince::record_part<1>(run, from, cut.time, to - from, polynomial.data(), 1, y);
      at.t = cut.time;
      if (!step_taken(run, from, at.t, y, resolved_if(cut.event))) return Outcome::ended;
      if (cut.event && run.events->handle(at.t, y) == EventLoop::Next::ended) return Outcome::ended;
      switch_states(run, at.t, y);
    }
  }
  if (run.events && run.events->finish(at.t, y) == EventLoop::Next::ended) return Outcome::ended;
  return Outcome::done;
}

}  // namespace kron::simulate
