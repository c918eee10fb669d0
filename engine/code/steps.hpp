// engine/code/steps.hpp: run a solve step. Private to the room.
#pragma once
#include "engine/code/newton.hpp"
#include "engine/code/selection.hpp"

namespace kron::code {

inline const char* reason(Factored f) { return f == Factored::singular ? "singular matrix" : "not a number"; }

// Relaxation sweeps from the solution accepted last; where they do not converge the LU takes over.
template <class T>
bool Engine<T>::relaxed(std::uint32_t s) {
  if constexpr (std::is_same_v<T, double>) {
    const StepPlan& plan = program->steps[s];
    StepState<T>& state = steps[s];
    load(s);
    for (std::uint32_t i = 0; i < plan.size; ++i) state.right[i] = value(plan.right[i]);
    const std::span<double> x(reg.data() + plan.unknowns, plan.size);
    if (state.has_accepted) std::copy(state.accepted.begin(), state.accepted.end(), x.begin());
    else std::fill(x.begin(), x.end(), 0.0);
    const double goal = std::clamp(1e-4 * tolerance, 1e-14, 1e-10);
    const bool good = state.sweeps->solve(state.matrix, state.right, x, goal);
    statistics.relaxation_sweeps += state.sweeps->last();
    if (!good) ++statistics.relaxation_failures;
    state.solved = good;
    return good;
  } else {
    return false;
  }
}

// Whether what the straight-line code of a guarded step gives satisfies its equations, each row but for some thousand roundings of its own
// terms [Oettli & Prager 1964]. Unknowns that nobody takes from the code have the LU's values.
template <class T>
bool Engine<T>::accurate(std::uint32_t s, const std::vector<Straight>& taken) {
  using std::abs;
  const StepPlan& plan = program->steps[s];
  StepState<T>& state = steps[s];
  const Factored f = factor(s);
  state.factored = state.regular = false;
  if (f != Factored::ok || state.deficient) return false;
  std::vector<T> x(plan.size), difference(plan.size), size(plan.size);
  for (std::uint32_t i = 0; i < plan.size; ++i) {
    x[i] = difference[i] = value(plan.right[i]);
    size[i] = abs(x[i]);
  }
  state.solver.solve(x.data());
  for (const Straight& t : taken) x[t.column] = value(t.value);
  for (const StepPlan::Load& l : plan.matrix) {
    const T term = value(l.value) * x[l.column];
    difference[l.row] -= term;
    size[l.row] += abs(term);
  }
  const T allowed = 1e4 * std::numeric_limits<T>::epsilon();
  for (std::uint32_t i = 0; i < plan.size; ++i)
    if (!(abs(difference[i]) <= allowed * size[i])) return false;
  return true;
}

template <class T>
void Engine<T>::note_right(StepState<T>& state) {
  if (state.lowest.empty()) state.lowest = state.highest = state.right;
  for (std::size_t i = 0; i < state.right.size(); ++i) {
    state.lowest[i] = std::min(state.lowest[i], state.right[i]);
    state.highest[i] = std::max(state.highest[i], state.right[i]);
  }
}

template <class T>
void Engine<T>::load_right(std::uint32_t s, std::vector<T>& right) {
  const StepPlan& plan = program->steps[s];
  for (std::uint32_t i = 0; i < plan.size; ++i) right[i] = value(plan.right[i]);
  for (const StepPlan::Load& l : steps[s].given_entries) right[l.row] -= value(l.value) * reg[plan.unknowns + l.column];
}

// Pivoting keeps the residual small beside the largest terms of all rows, not beside those of each: where switches block beside some that conduct,
// what roundings of the potentials make of large currents goes through the small conductances of the others. One correction by the residual makes
// it small in each row [Skeel 1980].
template <class T>
void Engine<T>::refine(std::uint32_t s) {
  using std::abs;
  constexpr double enough = 4;  // units of rounding
  const StepPlan& plan = program->steps[s];
  StepState<T>& state = steps[s];
  state.rest.resize(plan.size);
  state.terms.resize(plan.size);
  load_right(s, state.rest);
  for (std::uint32_t i = 0; i < plan.size; ++i) state.terms[i] = abs(state.rest[i]);
  for (const StepPlan::Load& l : state.entries(plan)) {
    const T term = value(l.value) * state.right[l.column];
    state.rest[l.row] -= term;
    state.terms[l.row] += abs(term);
  }
  bool good = true;
  for (std::uint32_t i = 0; i < plan.size; ++i) good = good && abs(state.rest[i]) <= enough * std::numeric_limits<T>::epsilon() * state.terms[i];
  if (good || !state.solver.solve(state.rest.data())) return;
  for (std::uint32_t i = 0; i < plan.size; ++i)
    if (!finite(state.rest[i])) return;
  for (std::uint32_t i = 0; i < plan.size; ++i) state.right[i] += state.rest[i];
}

template <class T>
Status Engine<T>::run_step(std::uint32_t s) {
  const StepPlan& plan = program->steps[s];
  solves = true;
  if (plan.newton) return Newton<T>(*this, s).run();
  StepState<T>& state = steps[s];
  if (!plan.pins.empty()) {
    if (waits(plan)) settle(s);
    give(s);
  }
  state.solved = state.factored = false;
  if (plan.guarded) {
    cold_steps -= state.cold;
    state.cold = !trusted(s);
    cold_steps += state.cold;
    if (!state.cold) return Status::ok;
    ++statistics.guard_events;
  }
  if (state.sweeps && relaxed(s)) return Status::ok;
  ++statistics.linear_solves;
  const auto give_up = [&](const char* why) {
    if (!plan.tentative && !lenient) return fail(s, why);
    std::fill(state.right.begin(), state.right.end(), std::numeric_limits<T>::quiet_NaN());
    if (!plan.guarded) std::fill_n(reg.begin() + plan.unknowns, plan.columns, std::numeric_limits<T>::quiet_NaN());
    return Status::ok;
  };
  if (const Factored f = factor(s); f != Factored::ok) return give_up(reason(f));
  load_right(s, state.right);
  if (state.deficient && feeling) note_right(state);
  state.contradictory = !state.solver.solve(state.right.data(), state.sizes);
  if (state.contradictory && !met) return give_up("singular matrix");
  if (plan.switched && !state.deficient) refine(s);
  for (std::uint32_t i = 0; i < plan.size; ++i)
    if (!finite(state.right[i])) return give_up("not a number");
  for (std::uint32_t i = 0; !plan.guarded && i < plan.size; ++i) reg[plan.unknowns + state.column(i)] = state.right[i];
  state.solved = true;
  return Status::ok;
}

}  // namespace kron::code
