#include "engine/simulate/run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace kron::simulate {

using code::InputKind;
using code::Status;

namespace {

constexpr double scale_floor = 1e-3;  // of the nominal value
std::vector<std::size_t> not_finite(std::span<const double> v) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < v.size() && found.size() < 3; ++i)
    if (!std::isfinite(v[i])) found.push_back(i);
  return found;
}

std::vector<std::string> unknowns_of(const Problem& p, bool initial, std::uint32_t block) {
  return p.block_unknowns ? p.block_unknowns(initial, block) : std::vector<std::string>{};
}

std::vector<Residual> largest_residuals(const Problem& p, bool initial, const code::Failure& failure) {
  constexpr std::size_t most = 3;
  std::vector<Residual> list;
  if (!failure.newton || !p.block_residues) return list;
  const std::vector<std::string> equations = p.block_residues(initial, failure.block);
  for (std::size_t i = 0; i < std::min(equations.size(), failure.residual.size()); ++i)
    if (std::isfinite(failure.residual[i]) && failure.residual[i] != 0) list.push_back({equations[i], failure.residual[i]});
  std::stable_sort(list.begin(), list.end(), [](const Residual& a, const Residual& b) { return std::fabs(a.off) > std::fabs(b.off); });
  if (list.size() > most) list.resize(most);
  return list;
}

}  // namespace

double least_scale(const Problem& p, std::size_t i) { return scale_floor * (i < p.nominal.size() && p.nominal[i] > 0 ? p.nominal[i] : 1); }
double least_sharpness(const Problem& p, std::size_t i) { return i < p.constrained.size() && p.constrained[i] ? 5 : 1; }

void note_failure(Complaint& complaint, double t, std::span<const double> y, const code::Failure& failure) {
  complaint.kind = failure.root ? Trouble::not_a_number : Trouble::block;
  complaint.time = t;
  complaint.states.assign(y.begin(), y.end());
  complaint.failure = failure;
}

void report_block(const Problem& p, bool initial, double t, const code::Failure& failure, Trouble& trouble) {
  trouble.kind = initial ? Trouble::initialisation : Trouble::block;
  trouble.time = t;
  trouble.unknowns = unknowns_of(p, initial, failure.block);
  trouble.values = failure.values;
  if (p.block_origin) trouble.origin = p.block_origin(initial, failure.block);
  trouble.suspects.clear();  // the unknowns are what to look at
  trouble.residuals = largest_residuals(p, initial, failure);
  const std::string what = trouble.unknowns.empty() ? "block " + std::to_string(failure.block)
                                                    : "the block of `" + trouble.unknowns.front() + "`";
  trouble.message = what + (failure.newton ? " has no solution that Newton's method finds" : " cannot be solved") +
                    (failure.reason.empty() ? "" : ": " + failure.reason);
}

bool surplus_holds(const Problem& p, double t, std::span<const double> roots, double tolerance, Trouble& trouble) {
  for (std::size_t k = 0; k < p.surplus; ++k) {
    const double off = roots[2 * k], size = roots[2 * k + 1];
    if (std::fabs(off) <= tolerance * size) continue;
    const AssertionText text = p.surplus_text(k);
    trouble = {};
    trouble.kind = Trouble::initial_conflict;
    trouble.time = t;
    trouble.message = text.message + ": they differ by " + to_text(std::fabs(off));
    trouble.unknowns = text.values;
    trouble.origin = text.origin;
    return false;
  }
  return true;
}

Run::Run(const Problem& p, const Options& o, Result& r)
    : problem(p),
      options(o),
      result(r),
      states(code::derivative_size(*p.dynamics)),
      grid(output_grid(o)),
      machine(p.dynamics, p.backend),
      recorder(r.trajectory, states, grid.size(), o.tolerance) {
  steep = code::has_steep_functions(*p.dynamics);
  machine.tolerance(o.tolerance);
  machine.interrupt_flag(o.interrupt);
  machine.look_for_singular(o.stop_where_singular);
  scale.resize(states);
  for (std::size_t i = 0; i < states; ++i) scale[i] = least_scale(p, i);
  for (std::size_t i = 0; i < states; ++i) sharpness.push_back(least_sharpness(p, i));
  watch_time = o.start;
  r.trajectory.path_ = SolutionPath(code::iterated(*p.dynamics, code::Iterations::of_derivatives));
  r.trajectory.algebraic_ = r.counters.algebraic = p.algebraic;
  if (p.events) events.emplace(*this, machine);
}

std::string state_name(const Problem& p, std::size_t i) {
  return p.state_name ? p.state_name(i) : "state " + std::to_string(i + 1);
}

bool interrupted(const Run& run) {
  return run.options.interrupt && run.options.interrupt->load(std::memory_order_relaxed);
}

namespace {

void start_not_finite(Run& run, std::size_t root, double value) {
  const Problem& p = run.problem;
  Trouble& trouble = run.result.trouble;
  trouble.kind = Trouble::initialisation;
  trouble.time = run.options.start;
  trouble.message = "the start value of `" + (p.start_name ? p.start_name(root) : state_name(p, root)) + "` " + std::string(not_finite_text(value));
  if (p.start_origin) trouble.origin = p.start_origin(root);
  trouble.origin.hint = "its equation divides by what is zero at the start: begin beside that place, or say by a fixed start value what it is there";
}

bool initial_failure(Run& run, const code::Machine<double>& machine, bool initial, std::span<const double> roots = {}) {
  if (interrupted(run)) {
    fail(run, run.options.start, Trouble::interrupted, "interrupted during initialisation");
    return false;
  }
  if (const auto root = machine.failure().root; root && *root < roots.size()) {
    start_not_finite(run, *root, roots[*root]);
    return false;
  }
  report_block(run.problem, initial, run.options.start, machine.failure(), run.result.trouble);
  run.result.trouble.kind = Trouble::initialisation;
  if (!initial) run.result.trouble.choice = run.problem.divided;
  return false;
}

// At a dead point speeds of the driven part follow from those of the driving one, but not the other way: there they are divided by what is zero
// but for roundings. False: some are, which is told.
bool speeds_follow(Run& run, const code::Machine<double>& machine, std::span<const double> y, std::span<const double> candidates) {
  const std::optional<std::uint32_t> block = machine.multiple_root();
  if (!block) return true;
  constexpr double large = 1e6;
  const Problem& p = run.problem;
  const auto is_thrown = [&](double x, double nominal, double start) { return std::fabs(x) > large * std::max({nominal, std::fabs(start), 1.0}); };
  std::string who;
  double value = 0;
  for (std::size_t i = 0; i < y.size() && who.empty(); ++i)
    if (is_thrown(y[i], i < p.nominal.size() ? p.nominal[i] : 1, i < p.starts.size() ? p.starts[i] : 0)) who = state_name(p, i), value = y[i];
  std::size_t c = 0;
  for (std::size_t k = 0; k < p.sets.size(); ++k)
    for (std::size_t j = 0; j < p.sets[k].nominal.size(); ++j, ++c)
      if (who.empty() && c < candidates.size() && is_thrown(candidates[c], p.sets[k].nominal[j], 0))
        who = state_name(p, p.sets[k].first), value = candidates[c];  // or another one of its set
  if (who.empty()) return true;
  Trouble& trouble = run.result.trouble;
  trouble.kind = Trouble::initialisation;
  trouble.time = run.options.start;
  trouble.unknowns = unknowns_of(p, true, *block);
  if (p.block_origin) trouble.origin = p.block_origin(true, *block);
  trouble.origin.hint = "give the speed of the part that drives there, or start beside the dead point";
  trouble.message = "the positions are at a dead point, where what is given of speeds makes `" + who + "` as large as " + to_text(value);
  return false;
}

bool start_values(Run& run, std::vector<double>& y) {
  const Problem& p = run.problem;
  const std::size_t states = run.states - p.algebraic;
  y.assign(states, 0);
  if (!p.initial) {
    std::copy_n(p.starts.begin(), std::min(p.starts.size(), y.size()), y.begin());
  } else {
    code::Machine<double> machine(p.initial, p.backend);
    machine.tolerance(std::min(run.options.tolerance, 1e-8));
    machine.interrupt_flag(run.options.interrupt);
    set_inputs(machine, p);
    if (run.events) run.events->load(machine);
    if (machine.run_parameters() != Status::ok) return initial_failure(run, machine, true);
    open_initial_sets(machine, *p.initial);
    y.resize(code::derivative_size(*p.initial));
    const auto solve = [&] { return machine.derivative(run.options.start, {}, y) == Status::ok; };
    const auto begin = [&] {
      const bool solved = solve();
      if (solved) machine.accept();
      return solved;
    };
    const auto values = [&] { return std::span<const double>(y).first(y.size() - 2 * p.surplus); };  // without what is only checked
    if (!solve() && !(run.events && evaluate_live(*p.events, machine, begin) && solve())) return initial_failure(run, machine, true, values());
    // Sums of sums that the guards let pass may have lost all digits together.
    if (machine.audit(true) && (machine.run_parameters() != Status::ok || machine.derivative(run.options.start, {}, y) != Status::ok))
      return initial_failure(run, machine, true, values());
    const auto end_of_free = y.begin() + static_cast<std::ptrdiff_t>(states + p.free_parameters.size());
    run.result.free_values.assign(y.begin() + static_cast<std::ptrdiff_t>(states), end_of_free);
    const auto end_of_candidates = end_of_free + static_cast<std::ptrdiff_t>(candidates(p));
    run.first_candidates.assign(end_of_free, end_of_candidates);
    const auto end_of_iterations = end_of_candidates + static_cast<std::ptrdiff_t>(p.iteration_starts.size());
    run.result.trajectory.iterations_.assign(end_of_candidates, end_of_iterations);
    if (!run.past_is_open && !surplus_holds(p, run.options.start, {end_of_iterations, y.end()}, std::max(run.options.tolerance, 1e-8), run.result.trouble))
      return false;
    if (!speeds_follow(run, machine, std::span(y).first(states), run.first_candidates)) return false;
    y.resize(states);
  }
  const auto bad = not_finite(y);
  if (bad.empty()) return true;
  start_not_finite(run, bad.front(), y[bad.front()]);
  return false;
}

// The outputs must be there at the start too: a block that only they need is not met again before the run ends.
bool first_outputs(Run& run, std::span<const double> y) {
  const double t = run.options.start;
  std::vector<double> values(code::output_size(*run.problem.dynamics));
  if (run.machine.output(t, y, values) == Status::ok) {
    if (blame_outputs(run.problem, t, values, run.result.trouble)) return false;
    if (assertions_hold(run.problem, t, values, true, run.result.trouble)) return true;
    std::copy(y.begin(), y.end(), run.recorder.add_point(t).begin());  // to look at
    return false;
  }
  if (interrupted(run)) {
    fail(run, run.options.start, Trouble::interrupted, "interrupted during initialisation");
    return false;
  }
  note_failure(run.complaint, run.options.start, y, run.machine.failure());
  fail(run, run.options.start, Trouble::block, "");
  return false;
}

}  // namespace

namespace {

void start_scale(Run& run, std::size_t set, std::span<const std::uint32_t> chosen) {
  const StateSet& s = run.problem.sets[set];
  for (std::uint32_t k = 0; k < s.slots; ++k) run.scale[s.first + k] = run.candidate_scale[set][chosen[k]];
}

// By selection: where its part of the choice begins.
std::vector<std::size_t> first_choices(const Problem& p) {
  std::vector<std::size_t> first(code::selections(*p.dynamics), 0);
  std::vector<std::size_t> slots(first.size(), 0);
  for (const StateSet& set : p.sets) slots[set.selection] = set.slots;
  for (std::size_t s = 1; s < first.size(); ++s) first[s] = first[s - 1] + slots[s - 1];
  return first;
}

// The first evaluation chooses.
bool choose_first(Run& run, std::vector<double>& y) {
  const Problem& p = run.problem;
  open_sets<double>(run.machine, p, run.first_candidates);
  std::vector<double> values(code::output_size(*p.dynamics));
  if (run.machine.output(run.options.start, y, values) != Status::ok) return initial_failure(run, run.machine, false);
  run.machine.read_states(y);
  chosen_first(run, run.machine.choice());
  return true;
}

}  // namespace

void chosen_first(Run& run, std::span<const std::uint32_t> choice) {
  const Problem& p = run.problem;
  run.result.trajectory.choices_.push_back({-std::numeric_limits<double>::infinity(), 0, {choice.begin(), choice.end()}});
  run.result.switches.assign(code::selections(*p.dynamics), 0);
  const auto first = first_choices(p);
  for (std::size_t k = 0; k < p.sets.size(); ++k) {
    run.candidate_scale.emplace_back();
    for (double nominal : p.sets[k].nominal) run.candidate_scale.back().push_back(scale_floor * nominal);
    start_scale(run, k, choice.subspan(first[p.sets[k].selection]));
  }
}

std::span<const std::uint32_t> chosen_now(const Run& run) {
  const auto& all = run.result.trajectory.choices_;
  return all.empty() ? std::span<const std::uint32_t>() : all.back().chosen;
}

bool watch_choices(Run& run, double t, std::span<const double> y, std::span<const double> candidates) {
  if (run.problem.choices.empty()) return true;
  constexpr double finest = 1e-12;  // of doubles
  run.choices.emplace(run.problem, std::max(run.options.tolerance, finest), run.result.free_values, run.result.trajectory.iterations_, candidates);
  return !run.choices->step(t, y, chosen_now(run)) || !run.choices->explain(t, run.result.trouble);
}

bool is_numeric(Trouble::Kind kind) {
  return kind == Trouble::block || kind == Trouble::not_a_number || kind == Trouble::initialisation || kind == Trouble::step_too_small ||
         kind == Trouble::too_much_work;
}

void blame_choice(Run& run) {
  Trouble& trouble = run.result.trouble;
  if (run.choices && is_numeric(trouble.kind)) run.choices->explain(trouble.time, trouble);
}

void switched(Run& run, double t, std::span<const std::uint32_t> before, std::span<const std::uint32_t> now) {
  const Problem& p = run.problem;
  const auto first = first_choices(p);
  for (std::size_t k = 0; k < p.sets.size(); ++k) {
    const StateSet& s = p.sets[k];
    const auto was = before.subspan(first[s.selection], s.slots), is = now.subspan(first[s.selection], s.slots);
    if (std::equal(was.begin(), was.end(), is.begin())) continue;
    for (std::uint32_t j = 0; j < s.slots; ++j) run.candidate_scale[k][was[j]] = run.scale[s.first + j];
    start_scale(run, k, is);
    if (s.level == 0) ++run.result.switches[s.selection], ++run.counters().state_switches;
  }
  run.result.trajectory.choices_.push_back({t, run.result.trajectory.size(), {now.begin(), now.end()}});
  run.strain.reset();
}

bool switch_states(Run& run, double t, std::span<double> y) {
  if (run.problem.sets.empty() || !run.strain.exceeded(run.machine.strain())) return false;
  if (evaluate(run, t, y, run.scratch) != 0) return false;
  const std::vector<std::uint32_t> before(run.machine.choice().begin(), run.machine.choice().end());
  Trajectory::Store::Knot knot{t, {y.begin(), y.end()}, run.scratch, {}, {}};
  if (!run.machine.exchange(StrainWatch::settled)) return false;
  run.machine.read_states(y);
  switched(run, t, before, run.machine.choice());
  widen_scale(run, y);
  if (!run.recorder.keeps_steps() && evaluate(run, t, y, run.scratch) == 0) {
    knot.after.assign(y.begin(), y.end());
    knot.slope_after = run.scratch;
    run.recorder.add_knot(std::move(knot));
  }
  return true;
}

bool algebraic_values(Run& run, double t, std::vector<double>& u) {
  const Problem& p = run.problem;
  if (!p.closed) return true;
  if (!run.closed) {
    run.closed.emplace(p.closed, p.backend);
    run.closed->tolerance(std::min(run.options.tolerance, 1e-8));
    run.closed->interrupt_flag(run.options.interrupt);
    set_inputs(*run.closed, p);
    if (run.events) run.events->load(*run.closed);
    set_free_parameters<double>(*run.closed, p, run.result.free_values);
    if (run.closed->run_parameters(p.iteration_starts, run.result.trajectory.iterations_) != Status::ok) return initial_failure(run, *run.closed, false);
  }
  u.resize(run.states - p.algebraic);
  std::vector<double> values(code::output_size(*p.closed));
  if (run.closed->output(t, u, values) != Status::ok) return initial_failure(run, *run.closed, false);
  run.closed->accept();
  for (const OpenForm::Unknown& x : p.unknowns) u.push_back(x.negative ? -values[x.output] : values[x.output]);
  return not_finite(u).empty() || !blame_outputs(p, t, values, run.result.trouble);
}

namespace {
// The states at the start for discrete inputs as they are.
bool assemble(Run& run, std::vector<double>& y) {
  const Problem& p = run.problem;
  if (!start_values(run, y)) return false;
  if (!p.free_parameters.empty())
    for (code::Machine<double>* machine : {&run.machine, run.closed ? &*run.closed : nullptr}) {
      if (machine) set_free_parameters<double>(*machine, p, run.result.free_values);
      if (machine && machine->run_parameters() != Status::ok) return initial_failure(run, *machine, false);
    }
  if (p.sets.empty()) return true;
  open_sets<double>(run.machine, p, run.first_candidates);
  std::vector<double> values(code::output_size(*p.dynamics));
  if (run.machine.output(run.options.start, y, values) != Status::ok) return initial_failure(run, run.machine, false);
  run.machine.read_states(y);
  const auto choice = run.machine.choice();
  run.result.trajectory.choices_.back().chosen.assign(choice.begin(), choice.end());
  return true;
}
}  // namespace

StepEnd look_for_events(Run& run, double from, double to, std::span<const double> y, const EventLoop::At& at, const EventLoop::At& closer) {
  if (!run.events) return {to, false};
  auto found = run.events->find(from, to, y, at, closer);
  for (; found && run.options.method != Method::euler; found = run.events->find(from, to, y, at, closer)) {
    const EventLoop::Verdict verdict = run.events->verdict(from, *found, at);
    if (verdict == EventLoop::Verdict::real) break;
    if (verdict == EventLoop::Verdict::repeat) {
      run.recheck = to;
      return {from, false, true};
    }
  }
  if (!found) run.events->calm_down();
  const StepEnd end = found ? StepEnd{*found, true} : StepEnd{to, to < run.stop() && !(to < run.events->limit())};
  if (!(end.time < run.recheck)) run.recheck = std::numeric_limits<double>::infinity();
  run.events->remember_delayed(from, end.time, y.size(), at);
  return end;
}

bool initialise(Run& run, std::vector<double>& y) {
  if (!start_values(run, y)) return false;
  if (run.problem.algebraic > 0 && !algebraic_values(run, run.options.start, y)) return false;
  set_inputs(run.machine, run.problem);
  set_free_parameters<double>(run.machine, run.problem, run.result.free_values);
  if (run.machine.run_parameters(run.problem.iteration_starts, run.result.trajectory.iterations_) != Status::ok) return initial_failure(run, run.machine, false);
  for (const double rate : run.machine.parameter_roots())
    if (rate != 0) run.shortest_wave = std::min(run.shortest_wave, 2 * std::numbers::pi / std::fabs(rate));
  run.scratch.resize(run.states);
  const double t = run.options.start;
  if (run.events) run.events->load(run.machine);
  if (!run.problem.sets.empty() && !choose_first(run, y)) return false;
  if (run.events && !run.events->start(y, [&](std::vector<double>& now) { return assemble(run, now); })) return false;
  std::vector<double> candidates(code::alternatives(*run.problem.dynamics));
  run.machine.alternatives(candidates);
  if (!watch_choices(run, t, y, candidates)) return false;
  if (run.states > 0 && evaluate(run, t, y, run.scratch) != 0) {
    if (interrupted(run))
      fail(run, t, Trouble::interrupted, "interrupted during initialisation");
    else
      fail(run, t, Trouble::initialisation, "the model cannot be evaluated");
    return false;
  }
  if (!first_outputs(run, y)) return false;
  run.machine.look_for_singular(false);
  if ((run.result.met_singular = run.machine.met_singular())) return fail(run, t, Trouble::initialisation, "a singular position"), false;
  run.machine.accept();
  keep_solution(run, run.machine);
  widen_scale(run, y);
  return true;
}

bool beyond(Run& run, double t, std::span<const double> y, const std::function<bool()>& evaluate) {
  constexpr double farthest = 10;  // times what the states have been: a step that leads there is too long whatever the answers
  for (std::size_t i = 0; i < y.size(); ++i)
    if (!(std::fabs(y[i]) <= farthest * run.scale[i])) return false;
  return run.events && evaluate_beyond(*run.problem.events, run.machine, t, y, evaluate);
}

int evaluate(Run& run, double t, std::span<const double> y, std::span<double> der) noexcept {
  try {
    ++run.counters().rhs_evals;
    const Status status = run.machine.derivative(t, y, der);
    if (status == Status::ok) return 0;
    note_failure(run.complaint, t, y, run.machine.failure());
    if (status == Status::recoverable && beyond(run, t, y, [&] { return run.machine.derivative(t, y, der) == Status::ok; })) return 0;
    return status == Status::recoverable && !interrupted(run) ? 1 : -1;
  } catch (...) { return -1; }
}

void new_scale(Run& run, std::size_t state, double y) { run.scale[state] = std::max(least_scale(run.problem, state), std::fabs(y)); }

void widen_scale(Run& run, std::span<const double> y) {
  double* scale = run.scale.data();
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double size = std::fabs(y[i]);
    scale[i] = size > scale[i] ? size : scale[i];
  }
}

namespace {

// A derivative that is not finite: the cause is the first variable without a finite value.
void report_not_finite(Run& run, Trouble& trouble) {
  const Complaint& complaint = run.complaint;
  std::vector<double> values(code::output_size(*run.problem.dynamics));
  const bool known = run.machine.output(complaint.time, complaint.states, values) == Status::ok;
  if (known && blame_outputs(run.problem, complaint.time, values, trouble)) return;
  trouble.kind = Trouble::not_a_number;
  trouble.time = complaint.time;
  const std::size_t root = *complaint.failure.root;
  blame_states(run, {&root, 1});
  trouble.message = "`der(" + trouble.suspects.front() + ")` is not a finite number";
}

}  // namespace

void blame_states(Run& run, std::span<const std::size_t> list) {
  const Problem& p = run.problem;
  Trouble& trouble = run.result.trouble;
  trouble.suspects.clear();
  const auto name_now = [&](std::size_t i) {
    const bool in_set = std::any_of(p.sets.begin(), p.sets.end(), [&](const StateSet& s) { return i >= s.first && i < s.first + s.slots; });
    const auto& choices = run.result.trajectory.choices_;
    return in_set && p.chosen_name && !choices.empty() ? p.chosen_name(i, choices.back().chosen) : state_name(p, i);
  };
  for (const std::size_t i : list) trouble.suspects.push_back(name_now(i));
  trouble.origin = list.empty() || !p.derivative_origin ? Origin{} : p.derivative_origin(list.front());
}

void fail(Run& run, double t, Trouble::Kind kind, std::string message, std::span<const std::size_t> suspects) {
  Trouble& trouble = run.result.trouble;
  const Complaint& complaint = run.complaint;
  const bool explained = kind != Trouble::interrupted && kind != Trouble::too_much_work;
  trouble.kind = kind;
  trouble.time = t;
  trouble.message = std::move(message);
  blame_states(run, suspects);
  if (!explained || complaint.kind == Trouble::none) return;
  // Derivatives may be numbers that their squares, of which the first step is made, are not.
  const auto is_number = [](double x) { return std::isfinite(x); };
  if (!std::isfinite(complaint.time) || !std::ranges::all_of(complaint.states, is_number)) {
    trouble.kind = Trouble::step_too_small;
    const std::string who = trouble.suspects.empty() ? "a state" : "`" + trouble.suspects.front() + "`";
    trouble.message = who + " changes too fast: no step is small enough";
    return;
  }
  if (complaint.kind == Trouble::block) {
    report_block(run.problem, false, complaint.time, complaint.failure, trouble);
  } else {
    report_not_finite(run, trouble);
  }
  if (kind == Trouble::initialisation) trouble.kind = kind;
}

std::vector<std::size_t> worst_states(std::span<const double> errors) {
  auto size = [&](std::size_t i) {
    return std::isfinite(errors[i]) ? std::fabs(errors[i]) : std::numeric_limits<double>::max();
  };
  std::vector<std::size_t> order(errors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t count = std::min<std::size_t>(3, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::size_t a, std::size_t b) { return size(a) != size(b) ? size(a) > size(b) : a < b; });
  std::vector<std::size_t> worst;
  for (std::size_t k = 0; k < count; ++k)
    if (k == 0 || size(order[k]) > 0.1 * size(order[0])) worst.push_back(order[k]);
  return worst;
}

namespace {

// A run whose remaining steps would number over 1e10 at the pace of the last million has no end that anybody waits for.
bool too_slow(Run& run, double t) {
  constexpr std::size_t window = 100'000;
  if (++run.watch_steps < window) return false;
  const double left = run.stop() - t, gone = t - run.watch_time;
  run.slow_windows = gone < left * 1e-5 ? run.slow_windows + 1 : 0;
  run.watch_steps = 0;
  run.watch_time = t;
  return run.slow_windows >= 10 || run.counters().steps > 2'000'000'000;
}

void tell_progress(Run& run, double t) {
  if (!run.options.progress || (run.states < 100 && run.counters().steps % 16 != 0)) return;
  const auto now = Clock::now();
  if (now - run.last_progress < std::chrono::milliseconds(50)) return;
  run.last_progress = now;
  run.options.progress((t - run.options.start) / (run.options.stop - run.options.start));
}

}  // namespace

bool choice_holds(Run& run, double t, std::span<const double> y) {
  if (run.choices)
    if (const auto singular = run.choices->step(t, y, chosen_now(run))) {
      while (run.result.trajectory.size() > 1 && run.result.trajectory.time().back() > *singular) run.recorder.drop_point();
      return !run.choices->explain(*singular, run.result.trouble);
    }
  run.reordering.step(run, t, y);
  return true;
}

bool part_taken(Run& run, double from, double to, Resolved resolved) {
  if (run.result.trouble.kind == Trouble::delay) return false;
  ++run.counters().steps;
  keep_solution(run, run.machine);
  const double length = run.stop() - run.options.start;
  const double resolution = 8 * epsilon<double> * std::max(std::fabs(to), 1e-12 * length);
  const bool tiny = resolved != Resolved::yes && to < run.stop() && to - from < resolution;
  run.tiny_steps = tiny ? run.tiny_steps + 1 : 0;
  run.growing_steps = tiny ? run.growing_steps + (resolved == Resolved::grows ? 1 : 0) : 0;
  if (!tiny) run.complaint.kind = Trouble::none;  // steps that creep up to a failure end with its reason
  if (run.tiny_steps >= 10 + run.growing_steps) {
    fail(run, to, Trouble::step_too_small, "the step size vanishes");
    return false;
  }
  if (too_slow(run, to)) {
    fail(run, to, Trouble::too_much_work,
         "steps of " + to_text(to - from) + " s would not reach the end in any reasonable time");
    return false;
  }
  if (interrupted(run)) {
    fail(run, to, Trouble::interrupted, "interrupted");
    return false;
  }
  tell_progress(run, to);
  return true;
}

bool step_taken(Run& run, double from, double to, std::span<const double> y, Resolved resolved) {
  if (!part_taken(run, from, to, resolved)) return false;
  return choice_holds(run, to, y);
}

void evaluate_on_grid(Run& run) {
  std::vector<double> values(code::output_size(*run.problem.dynamics));
  while (run.next < run.grid.size()) {
    const double t = run.grid[run.next++];
    if (run.machine.output(t, {}, values) != Status::ok) {
      if (!interrupted(run)) {
        note_failure(run.complaint, t, {}, run.machine.failure());
        return fail(run, t, Trouble::block, "");
      }
      return fail(run, t, Trouble::interrupted, "interrupted");
    }
    if (blame_outputs(run.problem, t, values, run.result.trouble)) return;
    run.machine.accept();
    run.recorder.add_point(t);
    if (!assertions_hold(run.problem, t, values, false, run.result.trouble)) return;
    const double before = run.next > 1 ? run.grid[run.next - 2] : t - 1;
    if (!step_taken(run, before, t, {})) return;
  }
  run.counters().steps = 0;
}

}  // namespace kron::simulate
