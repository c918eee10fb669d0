#include "engine/simulate/corrector.hpp"

#include <sunnonlinsol/sunnonlinsol_newton.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/simulate/sundials.hpp"
#include "engine/simulate/vector_ops.hpp"

namespace kron::simulate {

namespace {
SUNNonlinearSolverContent_Newton content_of(SUNNonlinearSolver s) { return static_cast<SUNNonlinearSolverContent_Newton>(s->content); }
}  // namespace

void Corrector::free() {
  for (N_Vector& v : room_)
    if (N_Vector old = std::exchange(v, nullptr)) N_VDestroy(old);
  if (iteration_) SUNNonlinSolFree(std::exchange(iteration_, nullptr));
}

void Corrector::make(N_Vector y, SUNContext context) {
  need((iteration_ = SUNNonlinSol_Newton(y, context)) != nullptr);
  iteration_->ops->solve = solve;
  for (N_Vector& v : room_) {
    need((v = N_VClone(y)) != nullptr);
    use_fast_operations(v);
  }
}

void Corrector::test_by(SUNNonlinSolConvTestFn test) { need(SUNNonlinSolSetConvTestFn(iteration_, test, this) == SUN_NLS_SUCCESS); }

double Corrector::rounding() const { return 1e3 * std::numeric_limits<double>::epsilon() / run.options.tolerance; }

// Called by CVODE and IDA. A failure may also be one of the equations, which a damped step need not meet.
int Corrector::solve(SUNNonlinearSolver s, N_Vector start, N_Vector correction, N_Vector weight, realtype tolerance, booleantype setup,
                     void* integrator) try {
  const auto content = content_of(s);
  const int flag = SUNNonlinSolSolve_Newton(s, start, correction, weight, tolerance, setup, integrator);
  Corrector& corrector = *static_cast<Corrector*>(content->ctest_data);
  if (flag <= 0 || interrupted(corrector.run) || !corrector.worth_trying()) return flag;
  const int full = corrector.solve_in_full(correction, weight, tolerance, integrator);
  corrector.failed_ = full == SUN_NLS_SUCCESS ? 0 : corrector.failed_ + 1;
  return full;
} catch (...) {  // nothing is thrown through SUNDIALS
  return -1;
}

bool Corrector::worth_trying() {
  constexpr unsigned patience = 3, longest = 6;
  if (failed_ < patience) return true;
  if (++skipped_ < 1u << std::min(failed_ - patience + 1, longest)) return false;
  skipped_ = 0;
  return true;
}

int Corrector::solve_in_full(N_Vector correction, N_Vector weight, double tolerance, void* integrator) {
  constexpr int most_steps = 40, most_trials = 24;
  constexpr double enough = 0.1;
  const auto content = content_of(iteration_);
  const auto [residual, next, trial] = room_;
  N_Vector step = content->delta;
  const auto newton_step = [&](N_Vector to) {
    N_VScale(-1, residual, to);
    return content->LSolve(to, integrator);
  };
  N_VConst(0, correction);
  int flag = content->Sys(correction, residual, integrator);
  double damping = 1;
  for (int k = 0; k < most_steps && flag == SUN_NLS_SUCCESS; ++k) {
    if (interrupted(run)) return SUN_NLS_CONV_RECVR;
    ++content->niters;
    flag = content->LSetup(SUNTRUE, &content->jcur, integrator);
    if (flag == SUN_NLS_SUCCESS) flag = newton_step(step);
    if (flag != SUN_NLS_SUCCESS) break;
    const double length = N_VWrmsNorm(step, weight);
    if (!std::isfinite(length)) break;
    bool moved = false;
    damping = std::min(1.0, 4 * damping);
    for (int tried = 0; tried < most_trials && !moved; ++tried) {
      N_VLinearSum(1, correction, damping, step, trial);
      flag = content->Sys(trial, residual, integrator);
      if (flag < 0) return flag;
      double least = 0.1;
      if (flag == SUN_NLS_SUCCESS) {
        if (flag = newton_step(next); flag != SUN_NLS_SUCCESS) return flag;
        const double left = N_VWrmsNorm(next, weight);
        moved = left <= (1 - damping / 4) * length || length <= rounding();
        N_VLinearSum(1, next, damping - 1, step, next);
        const double bend = N_VWrmsNorm(next, weight);
        least = damping * length / (2 * bend);
      }
      if (!moved) damping *= std::clamp(least, 0.1, 0.5);
    }
    if (!moved) break;
    N_VScale(1, trial, correction);
    const bool is_short = damping == 1 && length <= std::max(enough * tolerance, rounding());
    if (is_short && (length <= rounding() || residual_size(residual, weight) <= tolerance)) return SUN_NLS_SUCCESS;
  }
  return flag < 0 ? flag : SUN_NLS_CONV_RECVR;
}

}  // namespace kron::simulate
