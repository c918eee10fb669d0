// engine/code/steps.hpp: run a solve step. Private to the room.
#pragma once
#include "engine/code/newton.hpp"

namespace kron::code {

inline const char* reason(Factored f) { return f == Factored::singular ? "singular matrix" : "not a number"; }

template <class T>
Status Engine<T>::run_step(std::uint32_t s) {
  const StepPlan& plan = program->steps[s];
  if (plan.newton) return Newton<T>(*this, s).run();
  StepState<T>& state = steps[s];
  state.solved = state.factored = false;
  if (plan.guarded) {
    state.cold = !trusted(s);
    if (!state.cold) return Status::ok;
    ++statistics.guard_events;
  }
  ++statistics.linear_solves;
  const auto give_up = [&](const char* why) {
    if (!plan.tentative) return fail(s, why);
    std::fill_n(reg.begin() + plan.unknowns, plan.size, std::numeric_limits<T>::quiet_NaN());
    return Status::ok;
  };
  if (const Factored f = factor(s); f != Factored::ok) return give_up(reason(f));
  for (std::uint32_t i = 0; i < plan.size; ++i) state.right[i] = value(plan.right[i]);
  state.solver.solve(state.right.data());
  for (std::uint32_t i = 0; i < plan.size; ++i)
    if (!finite(state.right[i])) return give_up("not a number");
  if (!plan.guarded) std::copy(state.right.begin(), state.right.end(), reg.begin() + plan.unknowns);
  state.solved = true;
  return Status::ok;
}

}  // namespace kron::code
