// Runs of CVODE over the output grid, and the choice of formula for Method::automatic.
//   Steps are CVODE's own: output points are read from its interpolant, only `stop` is a step's end. So a finer grid gives
//   the same steps.
//   automatic: Adams until the model shows itself stiff, then BDF, and back when it no longer is; see Switch.
#include <algorithm>
#include <cmath>

#include "engine/simulate/cvode.hpp"

namespace kron::simulate {

namespace {

void keep_polynomial(Run& run, const Cvode& solver) {
  const std::uint32_t degree = solver.order();
  const double end = solver.time(), h = solver.last_step();
  const auto room = run.recorder.add_step(end, end, h, degree);
  double factor = 1;  // h^k / k!
  for (std::uint32_t k = 0; !room.empty() && k <= degree; ++k) {
    const auto c = room.subspan(k * run.states, run.states);
    solver.derivative(end, static_cast<int>(k), c);
    for (double& x : c) x *= factor;
    factor *= h / static_cast<double>(k + 1);
  }
}

void record_points(Run& run, const Cvode& solver) {
  record_until(run, solver.time(), [&](double t, std::span<double> y) {
    if (t == solver.time()) std::copy_n(solver.solution().begin(), y.size(), y.begin());
    else solver.derivative(t, 0, y);
    if (run.recorder.wants_slopes()) solver.derivative(t, 1, run.recorder.add_slope());
  });
}

// Adams steps with a fixed-point corrector converge only for h*|J| < 1, so a stiff model shows as corrector failures that keep
// coming back while the error would allow more. In BDF the norm of each new Jacobian is at hand.
class Switch {
 public:
  explicit Switch(Formula f) : formula_(f) {}

  bool wanted(const Cvode& solver) {
    if (++steps_ % window != 0) return false;
    return formula_ == Formula::adams ? stiff(solver) : calm(solver);
  }
  bool may_rescue() const { return formula_ == Formula::adams; }
  void turn() {
    formula_ = formula_ == Formula::adams ? Formula::bdf : Formula::adams;
    if (formula_ == Formula::bdf) patience_ *= 2;  // each way back is harder, so that the two do not alternate
    steps_ = failures_ = calm_ = 0;
  }
  Formula formula() const { return formula_; }

 private:
  static constexpr std::size_t window = 25;
  bool stiff(const Cvode& solver) {
    const std::size_t before = std::exchange(failures_, solver.convergence_failures());
    return failures_ - before >= 3;
  }
  bool calm(const Cvode& solver) {
    calm_ = solver.next_step() * solver.jacobian_norm() < 0.3 ? calm_ + 1 : 0;
    return calm_ >= patience_;
  }

  Formula formula_;
  std::size_t steps_ = 0, failures_ = 0, calm_ = 0, patience_ = 2;
};

enum class Outcome : std::uint8_t { done, ended, turn };

Outcome drive(Run& run, Cvode& solver, Switch* choice, std::size_t (&steps)[2]) {
  for (;;) {
    const double from = solver.time();
    const Cvode::End end = solver.step();
    if (end == Cvode::End::failed) {
      if (interrupted(run)) return fail(run, from, Trouble::interrupted, "interrupted at time = " + to_text(from)), Outcome::ended;
      if (choice && choice->may_rescue()) return Outcome::turn;
      const Trouble trouble = solver.trouble();
      return fail(run, trouble.time, trouble.kind, trouble.message, trouble.suspects), Outcome::ended;
    }
    run.machine.accept();
    if (choice) ++steps[static_cast<std::size_t>(choice->formula())];
    keep_polynomial(run, solver);
    record_points(run, solver);
    if (!step_taken(run, from, solver.time())) return Outcome::ended;
    if (end == Cvode::End::stop) return Outcome::done;
    if (choice && choice->wanted(solver)) return Outcome::turn;
  }
}

void add_suspects(Run& run, Cvode& solver) {
  if (run.result.trouble.kind == Trouble::step_too_small && run.result.trouble.suspects.empty())
    run.result.trouble.suspects = solver.trouble().suspects;
}

}  // namespace

void integrate_cvode(Run& run, std::vector<double> y) {
  const Method method = run.options.method;
  const bool automatic = method == Method::automatic;
  Switch choice(method == Method::bdf ? Formula::bdf : Formula::adams);
  std::size_t steps[2] = {0, 0};
  double t = run.grid.front();
  record_until(run, t, [&](double, std::span<double> out) { std::copy(y.begin(), y.end(), out.begin()); });
  for (Outcome outcome = Outcome::turn; outcome == Outcome::turn;) {
    Cvode solver(run, choice.formula(), t, y);
    outcome = drive(run, solver, automatic ? &choice : nullptr, steps);
    solver.add_counts(run.counters());
    if (outcome == Outcome::ended) add_suspects(run, solver);
    if (outcome != Outcome::turn) break;
    t = solver.time();
    y.assign(solver.solution().begin(), solver.solution().end());
    choice.turn();
  }
  run.result.used = !automatic ? method : steps[1] > steps[0] ? Method::bdf : Method::adams;
}

}  // namespace kron::simulate
