// Simulation, the last result, values from it.
#include <algorithm>
#include <cmath>

#include "engine/session/values.hpp"
#include "lang/syntax/parser.hpp"
#include "lang/workspace/session_data.hpp"

namespace kron {

namespace {

// What to do, or "".
std::string advice(const simulate::Trouble& t) {
  if (t.kind == simulate::Trouble::event_iteration)
    return "where a condition or an equation reads what it decides itself, write `pre(…)`: the value before the event";
  if (t.suspects.empty() && t.kind != simulate::Trouble::initial_conflict) return {};
  std::string names;
  for (std::size_t i = 0; i < t.suspects.size() && i < 5; ++i) names += (i ? ", `" : "`") + t.suspects[i] + "`";
  switch (t.kind) {
    case simulate::Trouble::not_a_number: return "a division by zero or a function outside its domain gives this";
    case simulate::Trouble::initial_conflict: return "take one of them out, or make them agree";
    case simulate::Trouble::state_choice:
      return "prefer as a state what works along the whole run: `state = prefer` on " + names + ", or an angle instead";
    default: return "look first at " + names;
  }
}

// The names that come with the trouble, a note each.
std::string named(const simulate::Trouble& t, std::size_t i) {
  switch (t.kind) {
    case simulate::Trouble::initial_conflict: return t.unknowns[i];
    case simulate::Trouble::assertion: return "`" + t.unknowns[i] + "` was " + to_text(t.values[i]);
    case simulate::Trouble::event_iteration: case simulate::Trouble::chattering: case simulate::Trouble::delay: return "`" + t.unknowns[i] + "`";
    default: return "unknown `" + t.unknowns[i] + "`" + (i < t.values.size() ? " was " + to_text(t.values[i]) : "");
  }
}

std::string label_of(const simulate::Trouble& t) {
  switch (t.kind) {
    case simulate::Trouble::initial_conflict: return {};
    case simulate::Trouble::assertion: return "`" + t.origin.equation + "` does not hold";
    case simulate::Trouble::event_iteration: case simulate::Trouble::chattering: case simulate::Trouble::delay: return "`" + t.origin.equation + "`";
    default: return "`" + t.origin.equation + (t.unknowns.empty() ? "`" : "` is one of its equations");
  }
}

}  // namespace

void explain_trouble(const simulate::Trouble& t, Span command, Diagnostics& diagnostics) {
  auto& d = diagnostics.error(simulate::code_of(t.kind), command, "at time " + to_text(t.time) + ": " + t.message);
  if (t.kind == simulate::Trouble::settings) d.message = t.message;
  if (t.kind == simulate::Trouble::interrupted) d.message = "stopped at time " + to_text(t.time);
  constexpr std::size_t most = 8;
  for (std::size_t i = 0; i < t.unknowns.size() && i < most; ++i) d.notes.push_back({{}, named(t, i)});
  if (t.origin.place.known()) {
    d.span = t.origin.place;
    d.label = label_of(t);
  } else if (!t.origin.equation.empty()) {
    d.notes.push_back({{}, "the equation `" + t.origin.equation + "`"});
  }
  if (t.unknowns.size() > most) d.notes.push_back({{}, "and " + std::to_string(t.unknowns.size() - most) + " more"});
  for (const simulate::Residual& r : t.residuals) d.notes.push_back({{}, "equation `" + r.equation + "` is off by " + to_text(r.off)});
  d.help = advice(t);
  // What is off by more has no solution, whichever of its equations repeat others.
  constexpr double nearly_closed = 1e-3;
  const bool closed = t.residuals.empty() || std::fabs(t.residuals.front().off) < nearly_closed;
  if (closed && !t.origin.hint.empty()) d.help += (d.help.empty() ? "" : "; ") + t.origin.hint;
}

bool Session::simulate(const simulate::Options& options, Span command) {
  data_->analyse(options.precision > 15);
  const std::shared_ptr<const session::Analysis> a = data_->analysis;
  data_->report(a->diagnostics);
  if (!a->complete) return false;
  auto run = std::make_unique<Data::Run>();
  Diagnostics numbers;
  run->problem = data_->engine.problem(a, data_->all_overrides(), numbers, options.precision > 15);
  data_->report(numbers);
  if (numbers.has_errors()) return false;
  run->problem.backend = data_->options.backend;
  run->analysis = a;
  run->statements = data_->workspace.statements();
  run->statements.insert(run->statements.end(), data_->override_statements.begin(), data_->override_statements.end());
  run->revision = data_->workspace.revision();
  run->result = simulate::simulate(run->problem, options);
  for (std::size_t k = 0; k < run->result.free_values.size(); ++k)  // parameters that the initialisation determined
    run->problem.parameters[run->problem.free_parameters[k]] = run->result.free_values[k];
  run->sampler.emplace(a, run->problem, run->result.trajectory);
  data_->run = std::move(run);
  if (data_->run->result.ok()) return true;
  explain_trouble(data_->run->result.trouble, command, data_->diagnostics);
  return false;
}

bool Session::check_numbers() { return problem().has_value(); }

std::optional<simulate::Problem> Session::problem() {
  data_->analyse();
  if (!data_->analysis->complete) return std::nullopt;
  Diagnostics numbers;
  simulate::Problem p = data_->engine.problem(data_->analysis, data_->all_overrides(), numbers);
  data_->report(numbers);
  return numbers.has_errors() ? std::nullopt : std::optional(std::move(p));
}

const simulate::Result* Session::result() const { return data_->run ? &data_->run->result : nullptr; }
const session::Analysis* Session::result_analysis() const { return data_->run ? data_->run->analysis.get() : nullptr; }
const simulate::Problem* Session::result_problem() const { return data_->run ? &data_->run->problem : nullptr; }
session::Sampler* Session::sampler() { return data_->run ? &*data_->run->sampler : nullptr; }

std::optional<elaborate::Quantity> Session::quantity(const syntax::Expr& e, Diagnostics& diagnostics) {
  if (!data_->run) return current_quantity(e, diagnostics);
  settle();
  if (data_->scope != data_->run->revision) {  // the model was edited since: its scope again
    data_->elaborator.elaborate(data_->run->statements, data_->folder);
    data_->scope = data_->run->revision;
  }
  return data_->elaborator.quantity(e, diagnostics);
}

std::optional<elaborate::Quantity> Session::current_quantity(const syntax::Expr& e, Diagnostics& diagnostics) {
  settle();
  if (data_->scope != data_->workspace.revision()) {
    data_->elaborated = Data::nothing;
    data_->elaborate_current();
  }
  return data_->elaborator.quantity(e, diagnostics);
}

std::optional<double> Session::parameter_value(const model::Bound& b) {
  if (auto constant = evaluate(b, nullptr)) return constant;
  data_->analyse();
  const model::FlatModel& flat = data_->analysis->flat;
  if (!flat.top) return std::nullopt;
  bool circular = false;  // parameters that depend on themselves have no value
  for (const Diagnostic& d : data_->analysis->diagnostics.list())
    if (d.code == "E0306") {
      data_->diagnostics.add(d);
      circular = true;
    }
  if (circular) return std::nullopt;
  const session::Bindings bindings(flat);
  const session::Overrides overrides = data_->all_overrides();
  session::Numbers numbers(flat, bindings, overrides);
  return evaluate(b, [&](model::Operand o) -> std::optional<double> {
    const bool given = o.has_slot() && o.order() == 0 && o.index() < flat.slots &&
                       (o.kind() == model::OperandKind::start || flat.variability[o.index()] <= model::Variability::parameter);
    return given ? std::optional(numbers.operand(o)) : std::nullopt;
  });
}

std::optional<double> Session::value(std::string_view expression, std::optional<double> at) {
  const syntax::ExprPtr e = syntax::parse_expression(sources::add("expression", std::string(expression)), data_->diagnostics);
  if (!e || !data_->run || data_->run->result.trajectory.size() == 0) return std::nullopt;
  const auto q = quantity(*e, data_->diagnostics);
  if (!q || q->elements.size() != 1) return std::nullopt;
  return data_->run->sampler->value(q->elements.front(), at.value_or(data_->run->result.trajectory.time().back()));
}

std::optional<std::vector<double>> Session::series(std::string_view expression) {
  const syntax::ExprPtr e = syntax::parse_expression(sources::add("expression", std::string(expression)), data_->diagnostics);
  if (!e || !data_->run || data_->run->result.trajectory.size() == 0) return std::nullopt;
  const auto q = quantity(*e, data_->diagnostics);
  if (!q || q->elements.size() != 1) return std::nullopt;
  return data_->run->sampler->series(q->elements.front());
}

}  // namespace kron
