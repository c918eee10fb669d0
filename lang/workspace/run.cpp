// Simulation, the last result, values from it.
#include <algorithm>
#include <cmath>

#include "engine/session/loop_flows.hpp"
#include "engine/session/values.hpp"
#include "lang/syntax/parser.hpp"
#include "lang/workspace/session_data.hpp"

namespace kron {

namespace {

// The first few of them.
std::string quoted(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < 5; ++i) text += (i ? ", `" : "`") + names[i] + "`";
  return text;
}

const std::string switches =
    "an ideal switch needs a small resistance where it closes a loop of voltages, and a small conductance where it opens the way of a current";

// What to do, or "".
std::string advice(const simulate::Trouble& t) {
  if (!t.changed.empty()) {
    if (t.kind == simulate::Trouble::block) return "as the conditions are then, the equations have no solution or many: " + switches;
    if (t.message.find("infinite") != std::string::npos) return "a division by zero gives this: " + switches;
  }
  if (t.kind == simulate::Trouble::event_iteration)
    return "where a condition or an equation reads what it decides itself, write `pre(…)`: the value before the event";
  if (t.suspects.empty()) return {};
  const std::string names = quoted(t.suspects);
  switch (t.kind) {
    case simulate::Trouble::not_a_number: return "a division by zero or a function outside its domain gives this";
    case simulate::Trouble::initial_conflict: return {};  // its origin says
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

// Of the block that has the equation of this label, the parameters that are zero, as the user can set them: a mass of zero divides nothing
// by its name, but by what is computed from it.
class ZeroParameters {
 public:
  ZeroParameters(const session::Analysis& a, const session::Overrides& overrides)
      : a_(a), bindings_(a.flat), numbers_(a.flat, bindings_, overrides), seen_(a.flat.slots, false) {}

  std::vector<std::string> at(const std::string& equation) {
    for (const auto* blocks : {&a_.blocks, &a_.initial_blocks})
      for (const session::Block& b : *blocks) {
        const std::vector<std::string> labels = session::equation_labels(a_, b);
        if (std::find(labels.begin(), labels.end(), equation) == labels.end()) continue;
        for (model::EqId e : b.equations)
          if (e.value < a_.flat.equations.size()) look_at(a_.flat.bound(a_.flat.equations[e.value]));
        return names_;
      }
    return {};
  }

  // Of the component whose variable the relation begins with.
  std::vector<std::string> beside(const std::string& relation) {
    const std::string variable = relation.substr(0, relation.find(' ')), prefix = variable.substr(0, variable.rfind('.') + 1);
    for (std::uint32_t v = 0; v < a_.flat.slots && !prefix.empty(); ++v) {
      if (a_.flat.variability[v] != model::Variability::parameter || numbers_.value(v) != 0) continue;
      if (model::declaration(a_.flat, model::VarId{v}).type != model::ValueType::real) continue;
      const std::string name = model::name(a_.flat, model::VarId{v});
      if (name.starts_with(prefix) && name.find('.', prefix.size()) == std::string::npos && model::find_modifiable(a_.flat, name)) names_.push_back(name);
    }
    return names_;
  }

 private:
  void look_at(std::span<const model::Operand> operands) {
    for (model::Operand o : operands) {
      if (o.kind() != model::OperandKind::value || o.index() >= a_.flat.slots || seen_[o.index()]) continue;
      if (a_.flat.variability[o.index()] != model::Variability::parameter || numbers_.value(o.index()) != 0) continue;
      seen_[o.index()] = true;
      const std::string name = model::name(a_.flat, model::VarId{o.index()});
      if (model::find_modifiable(a_.flat, name)) names_.push_back(name);
      else if (const auto* b = bindings_.find(model::BindingKind::value, o.index())) look_at(bindings_.operands(*b));
    }
  }

  const session::Analysis& a_;
  session::Bindings bindings_;
  session::Numbers numbers_;
  std::vector<bool> seen_;
  std::vector<std::string> names_;
};

std::vector<std::string> zero_parameters(const session::Analysis& a, const session::Overrides& overrides, const simulate::Trouble& t) {
  using simulate::Trouble;
  const bool of_numbers = t.kind == Trouble::initialisation || t.kind == Trouble::block || t.kind == Trouble::not_a_number;
  if (t.kind == Trouble::event_iteration) return ZeroParameters(a, overrides).beside(t.origin.equation);
  if (!of_numbers || t.origin.equation.empty()) return {};
  return ZeroParameters(a, overrides).at(t.origin.equation);
}

}  // namespace

void explain_trouble(const simulate::Trouble& t, double start, Span command, Diagnostics& diagnostics, const std::vector<std::string>& zeros) {
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
  for (const std::string& c : t.changed) d.notes.push_back({{}, c});
  if (t.unknowns.size() > most) d.notes.push_back({{}, "and " + std::to_string(t.unknowns.size() - most) + " more"});
  for (const simulate::Residual& r : t.residuals) d.notes.push_back({{}, "equation `" + r.equation + "` is off by " + to_text(r.off)});
  d.help = advice(t);
  if (t.kind == simulate::Trouble::event_iteration && !zeros.empty()) d.help += "; " + switches;
  // What is off by more has no solution, whichever of its equations repeat others.
  constexpr double nearly_closed = 1e-3;
  const bool closed = t.residuals.empty() || std::fabs(t.residuals.front().off) < nearly_closed;
  if (closed && !t.origin.hint.empty()) d.help += (d.help.empty() ? "" : "; ") + t.origin.hint;
  const bool at_start = t.kind == simulate::Trouble::initialisation || (t.kind == simulate::Trouble::block && t.time == start);
  if (!closed && at_start && d.help.empty())
    d.help = "either no values solve these equations, as where parts are too short to close a loop, or only some far from the start values: give such that are nearer";
  if (!zeros.empty())
    d.help += (d.help.empty() ? "" : "; ") + quoted(zeros) + (zeros.size() == 1 ? " is 0 in these equations" : " are 0 in these equations");
}

void tell_begun_again(const simulate::StateChoice& choice, std::optional<double> time, const std::string& runs, Span command, Diagnostics& diagnostics) {
  auto& d = diagnostics.note("N0412", choice.origin.place.known() ? choice.origin.place : command,
                             (choice.of_pieces ? "states that sets choose one after the other" : "the states " + quoted(choice.states) + " that are preferred") +
                                 " do not determine the other variables" + (time ? " at time " + to_text(*time) : " everywhere") + ": " + runs +
                                 " began again, with states chosen " + (choice.of_pieces ? "by one set of all" : "on the way"));
  d.help = "`:states` shows from what; `state = always` on a variable insists on it";
}

bool Session::simulate(const simulate::Options& options, Span command) {
  do {
    if (!data_->run_with_loops(options)) return false;
  } while (data_->begin_again(command));
  if (data_->run->result.ok()) return true;
  const simulate::Trouble& trouble = data_->run->result.trouble;
  explain_trouble(trouble, options.start, command, data_->diagnostics, zero_parameters(*data_->run->analysis, data_->all_overrides(), trouble));
  return false;
}

std::shared_ptr<const session::Analysis> Session::analysis_to_run() {
  data_->analyse();
  const session::Analysis& a = *data_->analysis;
  if (a.complete && !a.options.closed_with && session::closes_loops(a.flat)) data_->try_to_begin();
  return data_->analysis;
}

void Session::Data::try_to_begin() {
  std::unique_ptr<Run> last = std::move(run);
  run_with_loops({.stop = 1e-6, .points = 1});
  run = std::move(last);
}

// Where loops are open the numbers may not tell what a loop holds more than it needs, as where a universal joint lets a plane loop turn out of its
// plane: the position is a singular one then, or the run does not begin.
bool Session::Data::run_with_loops(const simulate::Options& settings) {
  const Diagnostics before = diagnostics;
  analyse(settings.precision > 15);
  simulate::Options first = settings;
  first.stop_where_singular = !options.closed_with && session::closes_loops(analysis->flat);
  if (!run_once(first)) return false;
  if (stopped_at_once(run->result)) close_loops(settings, before);
  if (!first.stop_where_singular || !stopped_at_once(run->result)) return true;
  diagnostics = before;  // perhaps it is only a dead point
  return run_once(settings);
}

bool Session::Data::run_once(const simulate::Options& settings) {
  analyse(settings.precision > 15);
  const std::shared_ptr<const session::Analysis> a = analysis;
  report(a->diagnostics);
  if (!a->complete) return false;
  auto made = std::make_unique<Run>();
  Diagnostics numbers;
  made->problem = engine.problem(a, all_overrides(), numbers, settings.precision > 15);
  report(numbers);
  if (numbers.has_errors()) return false;
  made->problem.backend = options.backend;
  made->analysis = a;
  made->statements = workspace.statements();
  made->statements.insert(made->statements.end(), override_statements.begin(), override_statements.end());
  made->revision = workspace.revision();
  made->result = simulate::simulate(made->problem, settings);
  for (std::size_t k = 0; k < made->result.free_values.size(); ++k)  // parameters that the initialisation determined
    made->problem.parameters[made->problem.free_parameters[k]] = made->result.free_values[k];
  if (!made->result.free_values.empty()) {
    Diagnostics found;
    session::check_found(*a, all_overrides(), made->result.free_values, found);
    report(found);
  }
  made->sampler.emplace(a, made->problem, made->result.trajectory);
  run = std::move(made);
  return true;
}

bool stopped_at_once(const simulate::Result& r) {
  const bool of_equations = r.trouble.kind != simulate::Trouble::interrupted && r.trouble.kind != simulate::Trouble::settings;
  return !r.ok() && of_equations && r.trajectory.size() < 2;
}

void Session::Data::close_loops(const simulate::Options& settings, const Diagnostics& before_run) {
  const std::shared_ptr<const session::Analysis> analysis_before = analysis;
  const session::Options with = options;
  const std::size_t closed_before = closed;
  const Diagnostics after = diagnostics;
  std::unique_ptr<Run> failed = std::move(run);
  const bool begun_if_told = failed->result.met_singular;  // it may be a dead point
  if (analyse_closed() && !(begun_if_told && analysis->left_open.empty())) {
    diagnostics = before_run;
    while (run_once(settings)) {
      if (!stopped_at_once(run->result)) return;
      if (!begin_again({})) break;
    }
  }
  run = std::move(failed);
  analysis = analysis_before;
  analysed_with = options = with;
  closed = closed_before;
  diagnostics = after;
}

bool Session::Data::open_choice(const simulate::StateChoice& choice) {
  std::vector<std::string>& open = options.open_choice;
  const auto known = open.size();
  for (const std::string& v : choice.among)
    if (std::find(open.begin(), open.end(), v) == open.end()) open.push_back(v);
  opened = workspace.revision();
  return open.size() > known;
}

bool Session::Data::begin_again(Span command) {
  const auto& choice = run->result.trouble.choice;
  if (!choice || !open_choice(*choice)) return false;
  tell_begun_again(*choice, run->result.trouble.time, "the run", command, diagnostics);
  return true;
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

void tell_no_number(Diagnostics& diagnostics, Span place, const std::string& name, bool scalar, double value, const std::string& when) {
  diagnostics.error("E0403", place, (scalar ? "`" : "an element of `") + name + "` is " + (std::isnan(value) ? "not a number" : "infinite") + when).help =
      "a division by zero, an overflow or a function outside its domain gives this";
}

// A derivative that no equation asks for is nowhere computed.
std::optional<elaborate::Quantity> with_derivatives(const model::FlatModel& m, std::optional<elaborate::Quantity> q, const syntax::Expr& e, Diagnostics& diagnostics) {
  if (!q) return q;
  for (const model::Bound& b : q->elements)
    for (const model::Operand o : b.operands) {
      if (o.kind() != model::OperandKind::value) continue;
      std::uint32_t v = o.index();
      for (unsigned k = 0; k < o.order(); ++k) {
        v = v < m.derivative.size() ? m.derivative[v] : model::FlatModel::none;
        if (v != model::FlatModel::none) continue;
        std::string name = model::text(m, o);
        for (unsigned n = 0; n < o.order(); ++n) name = "der(" + name + ")";
        diagnostics.error("E0519", e.span, "the model does not compute `" + name + "`").help = "declare a variable for it: `variable rate = " + name + "`";
        return std::nullopt;
      }
    }
  return q;
}

std::optional<elaborate::Quantity> Session::quantity(const syntax::Expr& e, Diagnostics& diagnostics) {
  if (!data_->run) return current_quantity(e, diagnostics);
  settle();
  if (data_->scope != data_->run->revision) {  // the model was edited since: its scope again
    data_->scope = data_->run->revision;
    data_->wait_for([&] { data_->elaborator.elaborate(data_->run->statements, data_->folder); }, [&] { data_->scope = Data::nothing; });
    if (data_->stopped) return diagnostics.error("E0405", e.span, "stopped before the model was read"), std::nullopt;
  }
  Diagnostics told;
  const auto q = data_->elaborator.quantity(e, told);
  if (!q && told.has_errors() && data_->run->revision != data_->workspace.revision()) {
    const Span where = told.first_error()->span;
    Diagnostics ignored;
    if (current_quantity(e, ignored)) {
      const std::string text(sources::quote(where));
      diagnostics.error("E0503", where, "`" + text + "` came after the last run").help = "run `:simulate` again";
      return std::nullopt;
    }
  }
  diagnostics.append(told);
  return with_derivatives(data_->run->analysis->flat, q, e, diagnostics);
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
