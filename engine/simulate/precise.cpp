// Runs in more than double precision: the model in Boost.Multiprecision, integrated by Boost.Odeint's Bulirsch-Stoer
// method (variable order up to 18; at 1e-30 it takes a fifth of the evaluations of the controlled Runge-Kutta-Fehlberg
// 7(8), and it stays usable at 1e-50, where that one takes millions of steps).
//   digits    D digits are asked for, so numbers carry D + 8 or more (types of 50, 100 and 250 digits)
//   error     local error per step min(tolerance, 10^-g) of |y| + nominal, with g = D up to 40 digits, then a third
//             of the further digits, at most 50 (the order is limited, so each further digit costs steps: a unit of
//             time of a linear oscillator takes 40 steps at 1e-30, 800 at 1e-50 and 4,400 at 1e-60)
//   exact     parameters and starts are the model's rationals; times are the decimals that the settings' doubles
//             print as, so `until 0.1` ends at 1/10
//   points    to 20 digits, by short steps from the last step's start: the output grid does not touch the run's steps
//   events    the same loop as in doubles; where it looks inside a step, steps of their own lead there from the step's start
#include <boost/numeric/odeint/algebra/detail/extract_value_type.hpp>

#include "engine/code/precision.hpp"

// Odeint asks a number type for its value_type, which a Boost.Multiprecision number has but does not mean.
template <class B, boost::multiprecision::expression_template_option E>
struct has_value_type<boost::multiprecision::number<B, E>, boost::mpl::bool_<false>> : boost::mpl::false_ {};

#include <algorithm>
#include <boost/numeric/odeint/algebra/range_algebra.hpp>
#include <boost/numeric/odeint/stepper/bulirsch_stoer.hpp>
#include <cmath>
#include <string>

#include "engine/simulate/exact.hpp"
#include "engine/simulate/run.hpp"

namespace kron::simulate {

namespace {

namespace odeint = boost::numeric::odeint;
using code::InputKind;
using code::Status;

struct EvaluationFailed {
  int flag;  // as evaluate() returns it
};
struct Ended {};  // the result's trouble says why

unsigned goal_digits(unsigned precision) {
  return precision <= 40 ? precision : std::min(50u, 40 + (precision - 40) / 3);
}

template <class T>
class Precise {
 public:
  Precise(const Problem& p, const Options& o, Result& result) : run_(p, o, result), machine_(p.dynamics) {
    const T ten = 10;
    const T goal = pow(ten, -static_cast<int>(goal_digits(o.precision))),
            floor = pow(ten, 6 - std::numeric_limits<T>::digits10);
    tolerance_ = std::max(floor, std::min(T(o.tolerance), goal));
    machine_.tolerance(tolerance_.template convert_to<double>());
    machine_.interrupt_flag(o.interrupt);
    run_.recorder.without_steps();
    if (p.events) events_.emplace(run_, machine_);
    unit_.resize(run_.states);
    outputs_.resize(code::output_size(*p.dynamics));
    for (std::size_t i = 0; i < run_.states; ++i) {  // a power of two: scaling is exact
      const double nominal = i < p.nominal.size() && p.nominal[i] > 0 ? p.nominal[i] : 1;
      unit_[i] = ldexp(T(1), static_cast<int>(std::lround(std::log2(nominal))));
    }
  }

  bool initialise();
  void integrate();
  void finish();
  std::size_t guard_events() const { return machine_.statistics().guard_events; }

 private:
  using State = std::vector<T>;
  using Stepper = odeint::bulirsch_stoer<State, T, State, T>;

  using Next = typename EventLoopOf<T>::Next;

  T point(std::size_t k) const;
  bool start_values();
  bool assemble(State& y);
  bool read_sets(const T& t);
  void evaluate(const T& t, const State& y, State& der);
  int evaluate_model(const T& t, const State& y, State& der);
  bool step_once(Stepper&, State& y, T& t, const T& end, T& step);
  void record(const State& y, const T& t);
  void check_outputs(const T& t);
  void record_inside(State y, T from, const T& t);
  void record_slope(const State& y, const T& t);
  bool advance(Stepper&, T& t, T& step, const T& longest);
  void inside(const State& from_state, T from, const T& t, std::span<T> y);
  bool find_event(const State& before, const T& from, T& t);
  Next handle(const T& t, bool last);
  void stop_here(const T& t, std::string message);
  bool trouble_of(code::Machine<T>&, bool initial, const T& t);

  Run run_;
  code::Machine<T> machine_;
  std::optional<EventLoopOf<T>> events_;
  void switch_choice(const T& t);

  std::vector<T> free_;               // values of free parameters
  std::vector<T> first_candidates_;   // of dynamic sets
  std::vector<T> iterations_;         // of Problem::iteration_starts
  State state_, unit_, model_state_;  // state_ and the integrator work in units; model_state_ in SI
  State outputs_;                     // at the point recorded last
  T tolerance_, resolution_ = 0, stop_ = 0;
};

template <class T>
T Precise<T>::point(std::size_t k) const {
  const Options& o = run_.options;
  const T start = from_setting<T>(o.start), stop = from_setting<T>(o.stop);
  if (k == 0) return start;
  if (k + 1 >= run_.grid.size()) return stop;
  if (o.every) return start + T(k) * from_setting<T>(*o.every);
  return start + (stop - start) * T(k) / T(run_.grid.size() - 1);
}

template <class T>
bool Precise<T>::trouble_of(code::Machine<T>& machine, bool initial, const T& t) {
  const double time = t.template convert_to<double>();
  if (interrupted(run_))
    fail(run_, time, Trouble::interrupted, "interrupted");
  else
    report_block(run_.problem, initial, time, machine.failure(), run_.result.trouble);
  return false;
}

// States, free parameters and candidates at the start, for the discrete inputs as they are.
template <class T>
bool Precise<T>::start_values() {
  const Problem& p = run_.problem;
  const T t = point(0);
  model_state_.assign(run_.states, T(0));
  if (!p.initial) {
    fill_exact(std::span<T>(model_state_), p.exact_starts, p.starts);
    return true;
  }
  code::Machine<T> machine(p.initial);
  machine.tolerance(tolerance_.template convert_to<double>());
  machine.interrupt_flag(run_.options.interrupt);
  set_exact_inputs(machine, p);
  if (events_) events_->load(machine);
  State all(code::derivative_size(*p.initial));
  if (machine.run_parameters() != Status::ok) return trouble_of(machine, true, t);
  open_initial_sets(machine, *p.initial);
  if (machine.derivative(t, {}, all) != Status::ok) return trouble_of(machine, true, t);
  std::copy_n(all.begin(), std::min(all.size(), run_.states), model_state_.begin());
  const std::size_t end_of_free = run_.states + p.free_parameters.size();
  free_.assign(all.begin() + static_cast<std::ptrdiff_t>(run_.states), all.begin() + static_cast<std::ptrdiff_t>(end_of_free));
  const std::size_t end_of_candidates = end_of_free + candidates(p);
  first_candidates_.assign(all.begin() + static_cast<std::ptrdiff_t>(end_of_free), all.begin() + static_cast<std::ptrdiff_t>(end_of_candidates));
  const auto iterations = std::span<const T>(all).subspan(end_of_candidates, p.iteration_starts.size());
  iterations_.assign(iterations.begin(), iterations.end());
  run_.result.trajectory.iterations_ = in_doubles<T>(iterations);
  const std::vector<double> checks = in_doubles(std::span<const T>(all).subspan(end_of_candidates + iterations.size()));
  if (!surplus_holds(p, run_.options.start, checks, std::max(run_.options.tolerance, 1e-8), run_.result.trouble)) return false;
  run_.result.free_values = in_doubles<T>(free_);
  set_free_parameters<T>(machine_, p, free_);
  set_free_parameters<double>(run_.machine, p, run_.result.free_values);
  return true;
}

// Dynamic sets at model_state_, from the candidates at the start.
template <class T>
bool Precise<T>::read_sets(const T& t) {
  if (run_.problem.sets.empty()) return true;
  open_sets<T>(machine_, run_.problem, first_candidates_);
  if (machine_.output(t, model_state_, outputs_) != Status::ok) return trouble_of(machine_, false, t);
  machine_.read_states(model_state_);
  return true;
}

template <class T>
bool Precise<T>::assemble(State& y) {
  if (!start_values()) return false;
  if (!free_.empty() && machine_.run_parameters() != Status::ok) return trouble_of(machine_, false, point(0));
  if (!read_sets(point(0))) return false;
  if (!run_.problem.sets.empty()) {
    const auto choice = machine_.choice();
    run_.result.trajectory.choices_.back().chosen.assign(choice.begin(), choice.end());
  }
  y = model_state_;
  return true;
}

template <class T>
bool Precise<T>::initialise() {
  const Problem& p = run_.problem;
  const T t = point(0);
  set_exact_inputs(machine_, p);
  set_inputs(run_.machine, p);  // the machine in doubles finds the cause of a failure
  if (!start_values()) return false;
  run_.machine.run_parameters(p.iteration_starts, run_.result.trajectory.iterations_);
  if (machine_.run_parameters(p.iteration_starts, iterations_) != Status::ok) return trouble_of(machine_, false, t);
  if (events_) events_->load(machine_);
  if (!read_sets(t)) return false;
  if (!p.sets.empty()) chosen_first(run_, machine_.choice());
  if (events_) {
    State y = model_state_;
    if (!events_->start(y, [&](State& now) { return assemble(now); })) return false;
    model_state_ = y;
  }
  state_.resize(run_.states);
  for (std::size_t i = 0; i < run_.states; ++i) state_[i] = model_state_[i] / unit_[i];
  State der(run_.states);
  if (evaluate_model(t, state_, der) != 0) {
    fail(run_, run_.options.start, Trouble::initialisation, "the model cannot be evaluated at the start");
    return false;
  }
  machine_.accept();
  keep_solution(run_, machine_);
  std::vector<T> candidates(code::alternatives(*p.dynamics));
  machine_.alternatives(candidates);
  return watch_choices(run_, run_.options.start, in_doubles<T>(model_state_), in_doubles<T>(candidates));
}

// The model in units: 0, 1 or -1 as simulate::evaluate returns it.
template <class T>
int Precise<T>::evaluate_model(const T& t, const State& y, State& der) {
  ++run_.counters().rhs_evals;
  if (interrupted(run_)) return -1;
  for (std::size_t i = 0; i < y.size(); ++i) model_state_[i] = y[i] * unit_[i];
  const Status status = machine_.derivative(t, model_state_, der);
  if (status != Status::ok) {
    note_failure(run_.complaint, t.template convert_to<double>(), in_doubles<T>(model_state_), machine_.failure());
    return status == Status::recoverable ? 1 : -1;
  }
  for (std::size_t i = 0; i < der.size(); ++i) der[i] /= unit_[i];
  return 0;
}

template <class T>
void Precise<T>::evaluate(const T& t, const State& y, State& der) {
  if (const int bad = evaluate_model(t, y, der); bad != 0) throw EvaluationFailed{bad};
}

// Those of the machine at model_state_. A block that only outputs need may fail here: it starts without the points before.
template <class T>
void Precise<T>::check_outputs(const T& t) {
  if (outputs_.empty() || machine_.output(t, model_state_, outputs_) != Status::ok) return;
  const double time = t.template convert_to<double>();
  const std::size_t variables = variable_outputs(run_.problem);
  std::vector<double> values;
  for (const T& x : outputs_)  // finite ones may be too large for a double
    values.push_back(isfinite(x) && values.size() < variables ? 0 : x.template convert_to<double>());
  if (blame_outputs(run_.problem, time, values, run_.result.trouble)) {
    run_.recorder.drop_point();
    throw Ended{};
  }
  if (!assertions_hold(run_.problem, time, values, true, run_.result.trouble)) throw Ended{};
}

template <class T>
void Precise<T>::record(const State& y, const T& t) {
  const auto out = run_.recorder.add_point(run_.grid[run_.next++]);
  for (std::size_t i = 0; i < out.size(); ++i) {
    model_state_[i] = y[i] * unit_[i];
    out[i] = model_state_[i].template convert_to<double>();
  }
  check_outputs(t);
  record_slope(y, t);
}

// Of the point added last.
template <class T>
void Precise<T>::record_slope(const State& y, const T& t) {
  if (!run_.recorder.wants_slopes() || y.empty()) return;
  State der(y.size());
  evaluate(t, y, der);
  const auto slope = run_.recorder.add_slope();
  for (std::size_t i = 0; i < slope.size(); ++i) slope[i] = T(der[i] * unit_[i]).template convert_to<double>();
}

// One accepted step of at most `step`, which becomes the proposal for the next one. Leaves EvaluationFailed to the
// caller.
template <class T>
bool Precise<T>::step_once(Stepper& stepper, State& y, T& t, const T& end, T& step) {
  // What stands still is kept to the last digit: the extrapolation, a mean of its values with weights of both signs, rounds it.
  const State before = y;
  std::vector<bool> moves(y.size());
  auto system = [&](const State& from, State& der, const T& time) {
    evaluate(time, from, der);
    for (std::size_t i = 0; i < der.size(); ++i)
      if (der[i] != 0) moves[i] = true;
  };
  for (;;) {
    const bool last = step >= end - t;
    T h = last ? T(end - t) : step;
    const bool accepted = stepper.try_step(system, y, t, h) == odeint::success;
    step = accepted && last ? std::max(step, h) : h;
    if (accepted) {
      for (std::size_t i = 0; i < y.size(); ++i)
        if (!moves[i]) y[i] = before[i];
      if (last) t = end;
      return true;
    }
    ++run_.counters().error_test_fails;
    if (!(abs(step) > resolution_)) return false;
  }
}

// Output points inside the step [from, t] that was just taken: short steps of their own, to more digits than a double
// has, so that the output grid does not touch the steps of the run.
template <class T>
void Precise<T>::record_inside(State y, T from, const T& t) {
  const T fine = std::max(tolerance_, pow(T(10), -20));
  Stepper side(fine, fine);
  for (; run_.next < run_.grid.size() && point(run_.next) < t;) {
    const T end = point(run_.next);
    for (T step = end - from; from < end;)
      if (!step_once(side, y, from, end, step)) throw EvaluationFailed{1};
    record(y, from);
  }
}

template <class T>
void Precise<T>::stop_here(const T& t, std::string message) {
  const double time = t.template convert_to<double>();
  if (events_) events_->load(run_.machine);
  if (interrupted(run_))
    fail(run_, time, Trouble::interrupted, "interrupted");
  else
    fail(run_, time, Trouble::step_too_small, std::move(message));
}

// As switch_states() does in doubles.
template <class T>
void Precise<T>::switch_choice(const T& t) {
  if (run_.problem.sets.empty() || !run_.strain.exceeded(machine_.strain())) return;
  State der(state_.size());
  if (evaluate_model(t, state_, der) != 0) return;
  const std::vector<std::uint32_t> before(machine_.choice().begin(), machine_.choice().end());
  if (!machine_.exchange(StrainWatch::settled)) return;
  const auto in_doubles = [&](const State& scaled) {
    std::vector<double> list;
    for (std::size_t i = 0; i < scaled.size(); ++i) list.push_back(T(scaled[i] * unit_[i]).template convert_to<double>());
    return list;
  };
  Trajectory::Store::Knot knot{t.template convert_to<double>(), in_doubles(state_), in_doubles(der), {}, {}};
  machine_.read_states(model_state_);
  for (std::size_t i = 0; i < state_.size(); ++i) state_[i] = model_state_[i] / unit_[i];
  knot.after = in_doubles(state_);
  if (evaluate_model(t, state_, der) == 0) {
    knot.slope_after = in_doubles(der);
    run_.recorder.add_knot(std::move(knot));
  }
  switched(run_, t.template convert_to<double>(), before, machine_.choice());
}

// The states at t inside the step that began at `from`.
template <class T>
void Precise<T>::inside(const State& from_state, T from, const T& t, std::span<T> y) {
  State now = from_state;
  Stepper side(tolerance_, tolerance_);
  for (T step = t - from; !now.empty() && from < t;)
    if (!step_once(side, now, from, t, step)) throw EvaluationFailed{1};
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = now[i] * unit_[i];
}

// Cuts the step that ended at t off at its first event.
template <class T>
bool Precise<T>::find_event(const State& before, const T& from, T& t) {
  if (!events_) return false;
  State y(state_.size());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = state_[i] * unit_[i];
  const auto at = [&](const T& time, std::span<T> to) {
    if (time == t)
      std::copy(y.begin(), y.end(), to.begin());
    else
      inside(before, from, time, to);
  };
  const auto found = events_->find(from, t, y, at);
  if (!found) return t < stop_ && !(t < events_->limit());
  if (*found < t) {
    inside(before, from, *found, y);
    for (std::size_t i = 0; i < y.size(); ++i) state_[i] = y[i] / unit_[i];
    t = *found;
  }
  return true;
}

// The event at t; `last`: the end of the run.
template <class T>
auto Precise<T>::handle(const T& t, bool last) -> Next {
  const auto points = run_.result.trajectory.time();
  const double time = t.template convert_to<double>();
  State y(state_.size());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = state_[i] * unit_[i];
  if (points.empty() || points.back() != time) {
    const auto out = run_.recorder.add_point(time);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = y[i].template convert_to<double>();
    record_slope(state_, t);
  }
  const std::size_t size = run_.result.trajectory.size();
  const Next next = last ? events_->finish(t, y) : events_->handle(t, y);
  for (std::size_t i = 0; i < y.size(); ++i) state_[i] = y[i] / unit_[i];
  if (run_.result.trajectory.size() > size && next != Next::ended) {
    model_state_ = y;
    check_outputs(t);
    record_slope(state_, t);
  }
  return next;
}

// One accepted step. Without states there is nothing to integrate: from one moment that is known, or output point, to the next.
template <class T>
bool Precise<T>::advance(Stepper& stepper, T& t, T& step, const T& longest) {
  const T end = events_ ? events_->limit() : stop_;
  if (run_.states > 0) return step_once(stepper, state_, t, end, step);
  T to = std::min(T(t + longest / 500), end);
  if (const T next = point(run_.next); next > t) to = std::min(to, next);
  t = to;
  return true;
}

template <class T>
void Precise<T>::integrate() {
  T t = point(0);
  stop_ = point(run_.grid.size() - 1);
  record(state_, t);
  if (events_ && events_->terminated()) {  // at the start
    handle(t, true);
    return;
  }
  if (run_.states == 0 && !events_)
    while (run_.next < run_.grid.size()) record(state_, point(run_.next));
  if (run_.next == run_.grid.size()) return;
  const T longest = run_.options.step ? std::min(T(stop_ - t), from_setting<T>(*run_.options.step)) : T(stop_ - t);
  resolution_ = (abs(stop_) + abs(t)) * pow(T(10), 4 - std::numeric_limits<T>::digits10);
  Stepper stepper(tolerance_, tolerance_);
  for (T step = longest / 1024; t < stop_;) {
    const T from = t;
    const State before = state_;
    bool event = false;
    step = std::min(step, longest);
    try {
      if (!advance(stepper, t, step, longest)) return stop_here(t, "the error stays too large however small the step");
      machine_.accept();
      keep_solution(run_, machine_);
      event = find_event(before, from, t);
      record_inside(before, from, t);
      if (run_.next < run_.grid.size() && point(run_.next) == t) record(state_, t);
    } catch (const EvaluationFailed& failed) {
      if (failed.flag < 0 || t != from || !(step > resolution_)) return stop_here(t, "the model cannot be evaluated");
      state_ = before;
      step /= 8;
      stepper.reset();
      continue;
    }
    State y(state_.size());
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = state_[i] * unit_[i];
    const Resolved resolved = resolved_if(event || t - from > resolution_);
    if (!step_taken(run_, from.template convert_to<double>(), t.template convert_to<double>(), in_doubles<T>(y), resolved)) return;
    Next next = Next::go_on;
    if (event) next = handle(t, false);
    if (next != Next::ended && events_ && !(t < stop_)) next = handle(t, true);
    if (next == Next::ended) return;
    const std::size_t switches = run_.counters().state_switches;
    if (t < stop_) switch_choice(t);
    if (next == Next::restart || run_.counters().state_switches != switches) stepper.reset();
  }
}

template <class T>
void Precise<T>::finish() {
  for (std::size_t i = 0; i < state_.size(); ++i) model_state_[i] = state_[i] * unit_[i];
  std::vector<std::string>& digits = run_.result.trajectory.last_digits;
  for (const T& x : model_state_) digits.push_back(x.str(run_.options.precision));
  State values(code::output_size(*run_.problem.dynamics));
  if (run_.next > 0 && !values.empty() && machine_.output(point(run_.next - 1), model_state_, values) == Status::ok)
    for (const T& x : values) digits.push_back(x.str(run_.options.precision));
  run_.recorder.finish();
  blame_choice(run_);
}

template <class T>
void run_with(const Problem& problem, const Options& options, Result& result) {
  using seconds = std::chrono::duration<double>;
  const auto begin = Clock::now();
  Precise<T> run(problem, options, result);
  const bool good = run.initialise();
  const auto middle = Clock::now();
  result.counters.init_s = seconds(middle - begin).count();
  try {
    if (good) run.integrate();
  } catch (const Ended&) {}
  run.finish();
  result.counters.guard_events = run.guard_events();
  result.counters.solve_s = seconds(Clock::now() - middle).count();
}

}  // namespace

void integrate_precise(const Problem& problem, const Options& options, Result& result) {
  if (options.precision <= 42)
    run_with<code::Float50>(problem, options, result);
  else if (options.precision <= 92)
    run_with<code::Float100>(problem, options, result);
  else
    run_with<code::Float250>(problem, options, result);
}

}  // namespace kron::simulate
