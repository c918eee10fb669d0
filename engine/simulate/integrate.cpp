// Runs of CVODE over the output grid, and the choice of method for Method::automatic.
//   Steps are CVODE's own: output points are read from its interpolant, only `stop` is a step's end. So a finer grid
//   gives the same steps.
//   `automatic` is Dormand-Prince until stability instead of accuracy holds it, then BDF, and back when the model has
//   been calm for long. Measured at 1e-8 over ten periods of a linear oscillator and of an eccentric orbit:
//   Dormand-Prince ends 50 to 90 times closer than BDF for 1.7 to 3.5 times the evaluations, and 8 to 50 times closer
//   than Adams for 1.8 to 2.9 times. On stiff models the change comes some twenty steps after the transient.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/simulate/cvode.hpp"
#include "engine/simulate/ida.hpp"
#include "engine/simulate/rough_places.hpp"

namespace kron::simulate {

namespace {

// `Solver`: Cvode or Ida. The states inside its last step.
template <class Solver>
void states_at(const Solver& solver, double t, std::span<double> y) {
  if (t == solver.time())
    std::copy_n(solver.solution().begin(), y.size(), y.begin());
  else
    solver.derivative(t, 0, y);
}

// Of the last step, up to `to`.
template <class Solver>
void keep_polynomial(Run& run, const Solver& solver, double to) {
  const std::uint32_t degree = solver.order();
  const double end = solver.time(), h = solver.last_step();
  const auto room = run.recorder.add_step(to, end, h, degree);
  double factor = 1;  // h^k / k!
  for (std::uint32_t k = 0; !room.empty() && k <= degree; ++k) {
    const auto c = room.subspan(k * run.states, run.states);
    solver.derivative(end, static_cast<int>(k), c);
    for (double& x : c) x *= factor;
    factor *= h / static_cast<double>(k + 1);
  }
}

template <class Solver>
void record_points(Run& run, const Solver& solver, double to) {
  record_until(run, to, [&](double t, std::span<double> y) {
    states_at(solver, t, y);
    if (run.recorder.wants_slopes()) solver.derivative(t, 1, run.recorder.add_slope());
  });
}

// Steps that an explicit method could take as well: h times the Jacobian's norm stays small over several windows.
class CalmWatch {
 public:
  bool calm(const Cvode& solver, double left) {
    if (++steps_ % window != 0) return false;
    const double h = solver.next_step();
    windows_ = h * solver.jacobian_norm() < limit ? windows_ + 1 : 0;
    return windows_ >= needed && left > worth * h;
  }

 private:
  static constexpr std::size_t window = 25;
  static constexpr unsigned needed = 4;
  static constexpr double limit = 0.5, worth = 200;
  std::size_t steps_ = 0;
  unsigned windows_ = 0;
};

// A thousand steps where one was enough before: where the derivatives are rounding errors they would go on for ever.
class CrawlWatch {
 public:
  bool stuck(Run& run, const Cvode& solver, double from) {
    const double t = solver.time(), h = t - from;
    longest_ = std::max(longest_, h);
    if (h > crawling * longest_ || steps_ == 0) {
      steps_ = 1;
      since_ = t;
      return false;
    }
    if (++steps_ % patience != 0 || t - since_ > longest_) return false;
    if (evaluate(run, t, solver.solution(), run.scratch) != 0) return false;
    const auto rough = dormand_prince::roughness_at(run, t, h, solver.solution(), run.scratch);
    return rough && *rough > enough;
  }

 private:
  static constexpr double crawling = 1e-3, enough = 0.1;
  static constexpr std::size_t patience = 1000;
  double longest_ = 0, since_ = 0;
  std::size_t steps_ = 0;
};

template <class Solver>
Outcome stopped(Run& run, const Solver& solver, double t) {
  if (interrupted(run)) {
    fail(run, t, Trouble::interrupted, "interrupted");
  } else {
    const Trouble trouble = solver.trouble();
    fail(run, trouble.time, trouble.kind, trouble.message, solver.suspects());
  }
  return Outcome::ended;
}

// Puts an accepted step down, up to `to`. False: the run ends here.
template <class Solver>
bool put_down(Run& run, const Solver& solver, double from, double to, bool event) {
  if (!event) run.machine.accept();
  keep_polynomial(run, solver, to);
  record_points(run, solver, to);
  constexpr double growing = 1.5;
  const double h = solver.last_step(), before = std::exchange(run.length_before, h);
  const Resolved resolved = event ? Resolved::yes : h > growing * before ? Resolved::grows : Resolved::as_seen;
  if (step_taken(run, from, to, solver.solution(), resolved)) return true;
  if (run.result.trouble.kind == Trouble::step_too_small) blame_states(run, solver.suspects());
  return false;
}

// CVODE and IDA refuse intervals near the resolution of time.
bool too_short(const Run& run, double t) {
  const double resolution = 64 * std::numeric_limits<double>::epsilon() * std::max(std::fabs(t), std::fabs(run.stop()));
  return run.stop() - t < resolution;
}

// The rest of a run that is too short for a step.
void stay_to_the_end(Run& run, std::vector<double>& y) {
  record_until(run, run.stop(), [&](double, std::span<double> to) { std::copy(y.begin(), y.end(), to.begin()); });
  if (run.events) run.events->finish(run.stop(), y);
}

// The step that was taken last from `from` on, event after event. Where the derivatives do not change with an event the step goes on.
template <class Solver>
EventLoop::Next step_done(Run& run, Solver& solver, double from) {
  const auto inside = [&](double t, std::span<double> y) { states_at(solver, t, y); };
  const auto closer = [&](double t, std::span<double> y) { solver.bring_back(t, y); };
  std::vector<double> planned;  // the states at a moment that an event inside the step has planned there
  for (;;) {
    const double to = std::min(solver.time(), run.limit());
    if (to < solver.time()) {
      planned.resize(run.states);
      inside(to, planned);
    }
    const std::span<const double> end = to < solver.time() ? std::span<const double>(planned) : solver.solution();
    const StepEnd cut = look_for_events(run, from, to, end, inside, solver.is_stiff() ? EventLoop::At(closer) : EventLoop::At());
    if (cut.again) {
      std::vector<double> y(run.states);
      inside(from, y);
      solver.restart(from, y);
      return EventLoop::Next::restart;
    }
    if (!put_down(run, solver, from, cut.time, cut.event)) return EventLoop::Next::ended;
    if (!cut.event) {
      solver.stop_at(run.limit());
      return EventLoop::Next::go_on;
    }
    std::vector<double> y(run.states);
    inside(cut.time, y);
    if (run.events->found_closer()) closer(cut.time, y);
    const EventLoop::Next next = run.events->handle(cut.time, y);
    if (next == EventLoop::Next::ended) return next;
    if (next == EventLoop::Next::restart && cut.time < run.stop()) {
      if (too_short(run, cut.time)) {
        stay_to_the_end(run, y);
        return EventLoop::Next::ended;
      }
      widen_scale(run, y);
      solver.restart(cut.time, y);
      return next;
    }
    solver.stop_at(run.limit());
    from = cut.time;
    if (!(from < solver.time())) return next;
  }
}

Outcome drive(Run& run, Cvode& solver, bool may_turn) {
  CalmWatch watch;
  CrawlWatch crawl;
  std::vector<double> y;
  for (;;) {
    const double from = solver.time();
    const Cvode::End end = solver.step();
    if (end == Cvode::End::failed && !interrupted(run) && run.events && run.events->relent()) {
      y.assign(solver.solution().begin(), solver.solution().end());
      solver.restart(y);
      continue;
    }
    if (end == Cvode::End::failed) return stopped(run, solver, from);
    const EventLoop::Next next = step_done(run, solver, from);
    if (next == EventLoop::Next::ended) return Outcome::ended;
    if (next == EventLoop::Next::restart) crawl = {};
    if (crawl.stuck(run, solver, from)) {
      fail(run, solver.time(), Trouble::step_too_small, std::string(dormand_prince::rough_place) + "; `method rk45` may step over it",
           solver.suspects());
      return Outcome::ended;
    }
    y.assign(solver.solution().begin(), solver.solution().end());
    if (!(solver.time() < run.stop())) {
      const bool ended = run.events && run.events->finish(solver.time(), y) == EventLoop::Next::ended;
      return ended ? Outcome::ended : Outcome::done;
    }
    if (switch_states(run, solver.time(), y)) solver.restart(y);
    if (may_turn && watch.calm(solver, run.stop() - solver.time())) return Outcome::turn;
  }
}

void run_ida(Run& run, const Point& at) {
  std::vector<double> u = at.y;
  if (too_short(run, at.t)) return stay_to_the_end(run, u);
  // Unknowns that leap where the states do not, like the node between two diodes that have just stopped conducting, are lost to an
  // iteration that follows them. The closed form finds them again; a few times in one place are enough.
  constexpr int most_restarts = 10;
  constexpr double progress = 1e-6;  // of the run: what makes it another place
  Ida solver(run, at.t, at.y);
  double place = at.t;
  int restarts = 0;
  for (;;) {
    const double t = solver.time();
    const Ida::End end = solver.step();
    if (end != Ida::End::failed) {
      if (step_done(run, solver, t) == EventLoop::Next::ended) break;
      if (solver.time() < run.stop()) continue;
      u.assign(solver.solution().begin(), solver.solution().end());
      if (run.events) run.events->finish(solver.time(), u);
      break;
    }
    if (t - place > progress * (run.stop() - run.options.start) || (run.events && run.events->relent())) place = t, restarts = 0;
    u.assign(solver.solution().begin(), solver.solution().end());
    const bool again = !interrupted(run) && ++restarts <= most_restarts && algebraic_values(run, t, u) && solver.restart(u);
    if (!again) {
      stopped(run, solver, t);
      break;
    }
  }
  solver.add_counts(run.counters());
}
}  // namespace

Outcome run_cvode(Run& run, Method method, Point& at, bool may_turn) {
  if (too_short(run, at.t)) return run_rk45(run, at, false);
  Cvode solver(run, method == Method::adams ? Formula::adams : Formula::bdf, at.t, at.y);
  const Outcome outcome = drive(run, solver, may_turn);
  solver.add_counts(run.counters());
  at.t = solver.time();
  at.y.assign(solver.solution().begin(), solver.solution().end());
  return outcome;
}

// Each way back to the explicit method is allowed only while there have been few: the two must not alternate.
void integrate_on(Run& run, Point at, Outcome outcome) {
  constexpr unsigned most_returns = 8;
  double explicit_time = at.t - run.grid.front();
  bool stiff = true;
  unsigned returns = 0;
  for (; outcome == Outcome::turn; stiff = !stiff) {
    const double before = at.t;
    outcome = stiff ? run_cvode(run, Method::bdf, at, returns++ < most_returns) : run_rk45(run, at, true);
    if (!stiff) explicit_time += at.t - before;
  }
  run.result.used = 2 * explicit_time >= at.t - run.grid.front() ? Method::rk45 : Method::bdf;
}

// Without states: from one moment that is known, or output point, to the next.
void walk_along_events(Run& run) {
  const double longest = (run.stop() - run.options.start) / 500;
  std::vector<double> y;
  double t = run.options.start;
  record_until(run, t, [](double, std::span<double>) {});
  while (t < run.stop()) {
    double to = std::min({run.limit(), t + longest, t + run.longest_step(Run::part_seen_at_ends), run.next < run.grid.size() ? run.grid[run.next] : run.stop()});
    if (!(to > t)) to = run.limit();
    const StepEnd end = look_for_events(run, t, to, y, [](double, std::span<double>) {});
    record_until(run, end.time, [](double, std::span<double>) {});
    if (!step_taken(run, t, end.time, y, Resolved::yes)) return;
    t = end.time;
    if (end.event && run.events->handle(t, y) == EventLoop::Next::ended) return;
  }
  run.events->finish(t, y);
  run.counters().steps = 0;
}

void integrate(Run& run, Point at) {
  const bool ended = run.events && run.events->terminated();  // at the start
  if (run.states == 0 && !ended) return walk_along_events(run);
  record_until(run, at.t, [&](double, std::span<double> y) { std::copy(at.y.begin(), at.y.end(), y.begin()); });
  if (ended) run.events->finish(at.t, at.y);
  if (run.grid.size() < 2 || ended) return;
  switch (run.options.method) {
    case Method::rk45:
      run_rk45(run, at, false);
      break;
    case Method::euler:
      run_euler(run, at);
      break;
    case Method::ida:
      run_ida(run, at);
      break;
    case Method::automatic: {
      const Outcome outcome = run_rk45(run, at, true);
      integrate_on(run, std::move(at), outcome);
      break;
    }
    default:
      run_cvode(run, run.options.method, at, false);
  }
}

}  // namespace kron::simulate
