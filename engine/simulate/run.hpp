// engine/simulate/run.hpp: what the integrators share: evaluation with its failures remembered, recording, interrupt,
// progress.
//   One Run per call of simulate(); an integrator reads `grid`, calls evaluate() and reports each accepted step.
#pragma once
#include <chrono>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/number.hpp"
#include "engine/simulate/event_loop.hpp"
#include "engine/simulate/exact.hpp"
#include "engine/simulate/jacobian.hpp"
#include "engine/simulate/recorder.hpp"
#include "engine/simulate/reordering.hpp"
#include "engine/simulate/simulate.hpp"
#include "engine/simulate/state_choice.hpp"
#include "engine/simulate/switching.hpp"

namespace kron::simulate {

using Clock = std::chrono::steady_clock;

using kron::to_text;  // of numbers, beside to_text(Method)

bool prefers_open_form(const Problem&);  // for Method::automatic

// Output times: start, …, stop; `every` need not divide the interval.
std::vector<double> output_grid(const Options&);
std::size_t grid_size(const Options&);
inline constexpr std::size_t no_size = std::numeric_limits<std::size_t>::max();  // more than can be

// `roots`: of the initial program, two for each surplus condition. False, with the reason: one of them does not hold.
bool surplus_holds(const Problem&, double t, std::span<const double> roots, double tolerance, Trouble&);

// Why the last evaluation failed; empty kind after a good step.
struct Complaint {
  Trouble::Kind kind = Trouble::none;
  double time = 0;
  std::vector<double> states;  // where a derivative is not finite
  code::Failure failure;
};
void note_failure(Complaint&, double t, std::span<const double> y, const code::Failure&);
void report_block(const Problem&, bool initial, double t, const code::Failure&, Trouble&);

struct Run {
  Run(const Problem&, const Options&, Result&);

  const Problem& problem;
  const Options& options;
  Result& result;
  std::size_t states;
  std::vector<double> grid;
  std::size_t next = 0;  // first grid point not yet recorded
  bool past_is_open = false;  // what delayed expressions were before the start is still looked for: nothing is checked with them
  code::Machine<double> machine;
  std::optional<code::Machine<double>> closed;  // of an open form
  Recorder recorder;
  std::optional<JacobianValues> jacobian;  // made when an implicit method first needs it
  Complaint complaint;
  std::optional<EventLoop> events;
  bool steep = false;  // the derivatives may have pulses that are short against a step
  double shortest_wave = std::numeric_limits<double>::infinity();  // period of what may drive them
  StrainWatch strain;
  Reordering reordering;
  std::vector<double> first_candidates;  // values at the start, set after set
  std::vector<std::vector<double>> candidate_scale;  // by set: `scale` of the candidates when they were states last
  std::optional<ChoiceWatch> choices;  // where the problem has choices of states that may become singular
  std::vector<double> scale;  // running maximum of |y_i|, at least floor_i: see weight()
  std::vector<double> sharpness;  // by state: 1, or how much closer than the tolerance it is integrated
  std::vector<double> scratch, solution;  // solution: of keep_solution()
  std::chrono::steady_clock::time_point last_progress{};
  std::size_t tiny_steps = 0, growing_steps = 0;  // in a row, below the resolution of time; those of them on the way out of it
  double length_before = 0;     // of the last step, where an integrator's own is shorter than times tell
  std::size_t watch_steps = 0;  // steps since watch_time
  double watch_time = 0;
  unsigned slow_windows = 0;

  Counters& counters() { return result.counters; }
  double stop() const { return grid.back(); }
  // Infinity where nothing limits them.
  double shortest_delay() const { return events ? events->shortest_delay() : std::numeric_limits<double>::infinity(); }
  // `part`: of a wave's period, such that pulses near the wave's peaks are seen: in six to nine places of a step, or at its end alone.
  static constexpr double part_seen_inside = 0.125, part_seen_at_ends = 0.05;
  double longest_step(double part) const {
    return std::min({options.step.value_or(std::numeric_limits<double>::infinity()), shortest_delay(), part * shortest_wave});
  }
  double recheck = std::numeric_limits<double>::infinity();  // the end of a step that is repeated: what was seen there is looked at again
  double limit() const { return events ? std::min(events->limit(), recheck) : stop(); }  // where a step ends at the latest
};

// What is wrong with the settings, or "".
std::string settings_problem(const Options&, std::size_t states);
// After the integrator. Outputs are looked at (check_outputs) by it or, `checked`, by the caller before.
void finish(Run&, bool checked = false);

// Parameter sections, states at the start, first evaluation. False: result.trouble says why.
bool initialise(Run&, std::vector<double>& y);

// Of an open form: what the closed one makes of the states at t, behind them. Nothing of a closed form.
bool algebraic_values(Run&, double t, std::vector<double>& u);

// At a trial point of a step that may be beyond a change that has not been found yet (live.hpp). False: it cannot be evaluated.
bool beyond(Run&, double t, std::span<const double> y, const std::function<bool()>& evaluate);
// der = f(t, y). 0: good; 1: a smaller step may help; -1: give up (SUNDIALS' convention). Never throws.
int evaluate(Run&, double t, std::span<const double> y, std::span<double> der) noexcept;

// The error of state i is measured in units of tolerance * max(|y_i|, 0.1 * scale_i); scale_i is the largest |y_i| so
// far, at least 1e-3 * nominal_i. So a state that lives at 1e-5 of its nominal value is resolved once it has shown its
// size, and one that is zero by symmetry is not chased into its rounding noise.
double least_scale(const Problem&, std::size_t state);
double least_sharpness(const Problem&, std::size_t state);
void widen_scale(Run&, std::span<const double> y);
void new_scale(Run&, std::size_t state, double y);  // the state is set anew: what it was before is no measure
inline double weight(const Run& run, std::size_t i, double y) {
  const double size = y < 0 ? -y : y, least = 0.1 * run.scale[i];
  return run.sharpness[i] / (run.options.tolerance * (size > least ? size : least));
}

// Names the variables that are not finite, the first ones in the order of computation, and their equation. False: all are
// finite, and `trouble` is as it was.
bool blame_outputs(const Problem&, double t, std::span<const double> outputs, Trouble&);
// Whether all assertions hold; else `trouble` tells the first one that does not. `constant_too`: also those that cannot change.
bool assertions_hold(const Problem&, double t, std::span<const double> outputs, bool constant_too, Trouble&);
// The outputs at every point of the trajectory. Where one has no finite value the run ends before that point, where an assertion
// does not hold with it.
bool needs_check(const Problem&, const code::Machine<double>&, const Result&);  // false: nothing can be found
void check_outputs(const Problem&, const Options&, Result&);
// "is infinite" or "is not a number"
std::string_view not_finite_text(double);

// Whether a step is longer than time resolves: as a double tells, or the caller knows better; `grows`: it is longer than the one
// before, as behind a start with something fast.
enum class Resolved : std::uint8_t { as_seen, yes, grows };
inline Resolved resolved_if(bool known) { return known ? Resolved::yes : Resolved::as_seen; }
// An accepted step [from, to] was taken, with states y at its end. False: the run ends here (result.trouble is set).
bool step_taken(Run&, double from, double to, std::span<const double> y, Resolved resolved = Resolved::as_seen);
// The same in two: of a part of a step, up to an event that the step may go on behind; and that the choice of states holds where a step ends.
bool part_taken(Run&, double from, double to, Resolved);
bool choice_holds(Run&, double t, std::span<const double> y);
bool interrupted(const Run&);

// What came of looking for events in an accepted step [from, to].
struct StepEnd {
  double time = 0;       // up to here the step counts
  bool event = false;    // and there is an event
  bool again = false;    // nothing of it counts: it is to be repeated, closer (EventLoop::verdict)
};
StepEnd look_for_events(Run&, double from, double to, std::span<const double> y, const EventLoop::At&, const EventLoop::At& closer = {});

// After an accepted step to t: where the choice of states has become unfit the states y change their meaning, at the same point
// of the model. True: they did, and an integrator starts anew from y.
bool switch_states(Run&, double t, std::span<double> y);
// Of all sets, at the point reached.
std::span<const std::uint32_t> chosen_now(const Run&);
// From the start: choices of states that may become singular; `candidates` of sets, of the lowest levels. False, with trouble: one is there.
bool watch_choices(Run&, double t, std::span<const double> y, std::span<const double> candidates);
bool is_numeric(Trouble::Kind);  // a choice of states may be its cause
void blame_choice(Run&);         // for the run's trouble, where it is
// Puts down the choice at the start, and that it was changed at t.
void chosen_first(Run&, std::span<const std::uint32_t> choice);
void switched(Run&, double t, std::span<const std::uint32_t> before, std::span<const std::uint32_t> now);

// What Newton's method found at the point accepted last goes to the path of solutions.
template <class T>
void keep_solution(Run& run, const code::Machine<T>& machine) {
  SolutionPath& path = run.result.trajectory.path_;
  if (path.unknowns() == 0) return;
  if constexpr (std::is_same_v<T, double>) {
    run.solution.resize(path.unknowns());
    if (const std::optional<double> t = machine.accepted(run.solution)) path.add(*t, run.solution);
  } else {
    std::vector<T> found(path.unknowns());
    if (const std::optional<T> t = machine.accepted(found)) path.add(static_cast<double>(*t), in_doubles<T>(found));
  }
}

// Puts the output points in (…, to] down; `at(t, y)` gives the states inside the step.
template <class At>
void record_until(Run& run, double to, At&& at) {
  while (run.next < run.grid.size() && run.grid[run.next] <= to) {
    const double t = run.grid[run.next++];
    at(t, run.recorder.add_point(t));
  }
}

// Ends the run. The complaint, if there is one, gives the trouble; else `kind` and `message` do.
void fail(Run&, double t, Trouble::Kind kind, std::string message, std::span<const std::size_t> suspects = {});
// The states to look at, worst first; the trouble's place is the equation that drives the first one.
void blame_states(Run&, std::span<const std::size_t> states);
// The states with the largest entries of `errors` (scaled local errors), at most three.
std::vector<std::size_t> worst_states(std::span<const double> errors);
std::string state_name(const Problem&, std::size_t);

// The integrators go on from `at` to the run's stop, or hand over where the other kind of method should go on.
struct Point {
  double t = 0;
  std::vector<double> y;
};
enum class Outcome : std::uint8_t { done, ended /* trouble */, turn };

Outcome run_cvode(Run&, Method, Point& at, bool may_turn);
Outcome run_rk45(Run&, Point& at, bool may_turn);
Outcome run_euler(Run&, Point& at);
void integrate(Run&, Point at);
void integrate_on(Run&, Point at, Outcome);  // Method::automatic, after its explicit method's first part
void evaluate_on_grid(Run&);  // no states
void integrate_precise(const Problem&, const Options&, Result&);

// Inputs of a machine of any number type.
template <class T>
void fill(std::span<T> target, const std::vector<double>& source) {
  for (std::size_t i = 0; i < target.size() && i < source.size(); ++i) target[i] = T(source[i]);
}
template <class T>
void set_inputs(code::Machine<T>& machine, const Problem& p) {
  fill(machine.inputs(code::InputKind::parameter), p.parameters);
  fill(machine.inputs(code::InputKind::start), p.starts);
  fill(machine.inputs(code::InputKind::signal), p.signals);
}

template <class T>
void set_free_parameters(code::Machine<T>& machine, const Problem& p, std::span<const T> values) {
  const auto parameters = machine.inputs(code::InputKind::parameter);
  for (std::size_t k = 0; k < values.size() && k < p.free_parameters.size(); ++k)
    if (p.free_parameters[k] < parameters.size()) parameters[p.free_parameters[k]] = values[k];
}

}  // namespace kron::simulate
