#include "engine/simulate/simulate.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <new>

#include "engine/simulate/run.hpp"
#include "engine/simulate/subnormals.hpp"

namespace kron::simulate {

namespace {

struct MethodName {
  Method method;
  std::string_view text;
};
constexpr std::array methods = {MethodName{Method::automatic, "auto"}, MethodName{Method::bdf, "bdf"},
                                MethodName{Method::adams, "adams"},    MethodName{Method::ida, "ida"},
                                MethodName{Method::rk45, "rk45"},      MethodName{Method::euler, "euler"}};

constexpr double most_values = 5e8;  // of a trajectory: 4 GB

void run_double(const Problem& problem, const Options& options, Result& result,
                std::chrono::steady_clock::time_point begin) {
  using seconds = std::chrono::duration<double>;
  const ZeroSubnormals zero_subnormals;
  Run run(problem, options, result);
  std::vector<double> y;
  const bool good = initialise(run, y);
  const auto middle = std::chrono::steady_clock::now();
  result.counters.init_s = seconds(middle - begin).count();
  if (good) {
    result.used = options.method;
    if (run.states == 0 && !run.events)
      evaluate_on_grid(run);
    else
      integrate(run, {options.start, std::move(y)});
  }
  finish(run);
  result.counters.solve_s = seconds(std::chrono::steady_clock::now() - middle).count();
}

// Why the method cannot take the problem, or "".
std::string method_problem(const Problem& p, const Options& o) {
  if (o.method == Method::euler && o.precision > 15) return "method euler computes in double precision: leave `precision` out, or `method`";
  if (o.method != Method::ida) return {};
  if (o.precision > 15) return "method ida computes in double precision: leave `precision` out, or use another method";
  if (!p.sets.empty()) return "method ida does not take states that are chosen at run time (a dynamic set): use bdf";
  return {};
}

void set_trouble(Result& result, double t, Trouble::Kind kind, std::string message) {
  result.trouble = {};
  result.trouble.kind = kind;
  result.trouble.time = t;
  result.trouble.message = std::move(message);
}

// The open form, where the run is to use it.
std::shared_ptr<const OpenForm> wanted_form(const Problem& p, const Options& o) {
  const bool wanted = o.method == Method::ida || (o.method == Method::automatic && prefers_open_form(p));
  const bool any = p.open_form && code::derivative_size(*p.dynamics) > 0 && code::unknowns_to_open(*p.dynamics) > 0;
  return wanted && any ? p.open_form() : nullptr;
}
// Where IDA does not come through, as where two brakes hold one shaft and nothing tells the share of each, the closed form starts from the beginning.
void run_open(const Problem& problem, const OpenForm& form, const Options& options, Result& result, std::chrono::steady_clock::time_point begin) {
  Options with_ida = options;
  with_ida.method = Method::ida;
  run_double(open_problem(problem, form), with_ida, result, begin);
  if (!is_numeric(result.trouble.kind)) return;
  result = {};
  run_double(problem, options, result, begin);
}

}  // namespace

std::optional<Method> method_named(std::string_view text) {
  for (const MethodName& m : methods)
    if (m.text == text) return m.method;
  return std::nullopt;
}

std::string_view to_text(Method method) {
  for (const MethodName& m : methods)
    if (m.method == method) return m.text;
  return "auto";
}

std::string code_of(Trouble::Kind kind) {
  switch (kind) {
    case Trouble::none:
      return "";
    case Trouble::initialisation:
      return "E0401";
    case Trouble::initial_conflict:
      return "E0311";
    case Trouble::block:
      return "E0402";
    case Trouble::not_a_number:
      return "E0403";
    case Trouble::state_choice:
      return "E0412";
    case Trouble::assertion:
      return "E0413";
    case Trouble::event_iteration:
      return "E0415";
    case Trouble::delay:
      return "E0417";
    case Trouble::chattering:
      return "E0416";
    case Trouble::step_too_small:
      return "E0404";
    case Trouble::interrupted:
      return "E0405";
    case Trouble::too_much_work:
      return "E0406";
    case Trouble::settings:
      return "E0410";
    case Trouble::other:
      return "E0409";
  }
  return "E0409";
}

std::string settings_problem(const Options& o, std::size_t states) {
  if (!std::isfinite(o.start) || !std::isfinite(o.stop)) return "start and stop must be finite";
  if (!std::isfinite(o.stop - o.start)) return "the run from " + to_text(o.start) + " to " + to_text(o.stop) + " is longer than any number";
  if (o.stop < o.start) return "stop " + to_text(o.stop) + " lies before start " + to_text(o.start);
  if (o.every && !(*o.every > 0 && std::isfinite(*o.every))) return "`every` must be positive";
  if (o.step && !(*o.step > 0 && std::isfinite(*o.step))) return "`step` must be positive";
  if (!o.every && o.points == 0) return "`points` must be at least 1";
  if (!(o.tolerance > 0) || !(o.tolerance < 1)) return "the tolerance must lie between 0 and 1";
  if (o.precision <= 15 && o.tolerance < 1e-14)
    return "a tolerance below 1e-14 needs a higher precision (`precision 30`)";
  if (o.precision > most_digits) return "precision is limited to " + std::to_string(most_digits) + " digits";
  if (static_cast<double>(grid_size(o)) * static_cast<double>(states + 1) > most_values)
    return "the result would have " + (grid_size(o) == no_size ? "more than 1e15" : std::to_string(grid_size(o))) + " points of " +
           std::to_string(states) + " states: ask for fewer";
  return {};
}

void finish(Run& run, bool checked) {
  Result& result = run.result;
  run.recorder.finish();
  if ((run.states > 0 || run.events) && !checked) check_outputs(run.problem, run.options, result);
  if (Trouble& trouble = result.trouble; run.events && (trouble.kind == Trouble::block || trouble.kind == Trouble::not_a_number))
    trouble.changed = run.events->changed_at(trouble.time);
  blame_choice(run);
  const code::Statistics& machine = run.machine.statistics();
  result.counters.guard_events = machine.guard_events;
  result.counters.relaxation_sweeps = machine.relaxation_sweeps;
  result.counters.relaxation_failures = machine.relaxation_failures;
}

Result simulate(const Problem& problem, const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  Result result;
  try {
    result.used = options.precision > 15 ? Method::automatic : options.method;  // above there is one method
    const std::string wrong = settings_problem(options, code::derivative_size(*problem.dynamics));
    if (!wrong.empty())
      set_trouble(result, options.start, Trouble::settings, wrong);
    else if (const std::string unfit = method_problem(problem, options); !unfit.empty())
      set_trouble(result, options.start, Trouble::settings, unfit);
    else if (options.precision > 15 && has_delays(problem))
      set_trouble(result, options.start, Trouble::settings, "models with `delay` are computed in double precision: leave `precision` out");
    else if (options.precision > 15)
      integrate_precise(problem, options, result);
    else if (const auto form = wanted_form(problem, options))
      run_open(problem, *form, options, result, begin);
    else
      run_double(problem, options, result, begin);
  } catch (const std::bad_alloc&) {
    set_trouble(result, options.start, Trouble::other, "not enough memory");
  } catch (const std::exception& e) {
    set_trouble(result, options.start, Trouble::other, std::string("internal error: ") + e.what());
  }
  Trouble& trouble = result.trouble;
  if (is_numeric(trouble.kind) && trouble.kind != Trouble::initialisation && !trouble.choice) trouble.choice = problem.divided;
  result.counters.points = result.trajectory.size();
  return result;
}

}  // namespace kron::simulate
