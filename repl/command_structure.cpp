// :states, :index, :ops, :code, :explain, :stats
#include <algorithm>
#include <ranges>

#include "engine/session/values.hpp"
#include "lang/elaborate/units.hpp"
#include "repl/block_text.hpp"
#include "repl/model_text.hpp"
#include "repl/shell.hpp"
#include "repl/text.hpp"

namespace kron::repl {

using session::Analysis;

std::shared_ptr<const Analysis> analysed(Shell& shell, Arguments& a) {
  auto analysis = shell.session().shared_analysis();
  if (analysis->complete) return analysis;
  shell.session().diagnostics().append(analysis->diagnostics);
  if (!analysis->diagnostics.has_errors())
    a.error("E0515", a.whole(), "the model is incomplete").help = "`:equations` and `:variables` list what it has";
  return nullptr;
}

namespace {

// The sets, what was chosen at the end of the last run, how often it was changed in it.
void dynamic_sets(Shell& shell, const Analysis& a, Reply& reply) {
  Json list = Json::array();
  TextTable table({"set", "states", "of", "chosen", "changes"});
  for (std::size_t column : {0, 1, 4}) table.right(column);
  const simulate::Result* run = shell.session().result();
  if (run && (shell.session().result_analysis() != &a || run->trajectory.choices_.empty())) run = nullptr;
  for (std::size_t k = 0; k < a.sets.size(); ++k) {
    const session::StateSet& set = a.sets[k];
    const std::vector<std::string> candidates = names_of(a, set.candidates);
    const std::vector<std::string> chosen =
        names_of(a, session::chosen(a, k, run ? run->trajectory.choices_.back().chosen : std::vector<std::uint32_t>{}));
    const std::size_t changes = run ? run->switches[set.selection] : 0;
    table.row({std::to_string(k + 1), std::to_string(set.slots), joined(candidates, ", ", 8), run ? joined(chosen, ", ", 8) : "at the start of a run",
               run ? std::to_string(changes) : ""});
    list.push(Json::object().set("set", k + 1).set("candidates", candidates).set("selected", chosen).set("count", std::size_t{set.slots})
                  .set("switches", changes));
  }
  reply.json.set("dynamic", std::move(list));
  if (table.size()) reply.text += table.text();
}

}  // namespace

bool do_states(Shell& shell, Arguments& a, Reply& reply) {
  const auto analysis = a.end() ? analysed(shell, a) : nullptr;
  if (!analysis) return false;
  Json states = Json::array();
  TextTable table({"state", "start", "fixed"});
  table.right(1);
  const session::Bindings bindings(analysis->flat);
  const session::Overrides overrides = shell.session().number_overrides();
  session::Numbers numbers(analysis->flat, bindings, overrides);
  for (const session::State& s : analysis->states) {
    if (s.set >= 0) continue;
    const double start = session::start(s, numbers);
    const std::string name = session::name(*analysis, s.variable);
    table.row({name, number(start), s.fixed ? "yes" : "no"});
    if (shell.json())
      states.push(Json::object().set("name", name).set("start", start).set("fixed", s.fixed).set("set", Json()));
  }
  const std::vector<std::string> dummy = names_of(*analysis, analysis->dummy);
  reply.text = analysis->states.empty() ? "no states: every variable is a function of time\n" : table.size() ? table.text() : "";
  reply.json.set("states", std::move(states)).set("dummy", dummy);
  dynamic_sets(shell, *analysis, reply);
  reply.json.set("initial_equations", analysis->initial_equations);
  if (!dummy.empty()) reply.text += "not integrated (dummy derivatives): " + joined(dummy) + "\n";
  if (analysis->initial_equations) reply.text += plural(analysis->initial_equations, "initial equation") + "\n";
  return true;
}

bool do_index(Shell& shell, Arguments& a, Reply& reply) {
  const auto analysis = a.end() ? analysed(shell, a) : nullptr;
  if (!analysis) return false;
  Json equations = Json::array();
  TextTable table({"equation", "times", "because"});
  table.right(1);
  for (const auto& d : analysis->differentiated) {
    table.row({d.label, std::to_string(d.times), d.because});
    if (shell.json()) equations.push(Json::object().set("label", d.label).set("times", d.times).set("because", d.because));
  }
  reply.json.set("equations", std::move(equations));
  reply.text = table.size() ? table.text() : "no equation was differentiated: the model has index 1 or 0\n";
  return true;
}

namespace {

Json count_json(const code::OperationCount& c) {
  return Json::object().set("mul", c.mul).set("add", c.add).set("div", c.div).set("sqrt", c.sqrt).set("trig", c.trig).set("other", c.other);
}

void count_row(TextTable& table, const std::string& name, const code::OperationCount& c) {
  table.row({name, std::to_string(c.mul), std::to_string(c.add), std::to_string(c.div), std::to_string(c.sqrt), std::to_string(c.trig),
             std::to_string(c.other)});
}

}  // namespace

bool do_ops(Shell& shell, Arguments& a, Reply& reply) {
  const auto analysis = a.end() ? analysed(shell, a) : nullptr;
  if (!analysis || !analysis->program) return false;
  using code::Section;
  const std::pair<const char*, code::OperationCount> sections[] = {
      {"constant", code::operations(*analysis->program, Section::constant)},
      {"parameter", code::operations(*analysis->program, Section::parameter)},
      {"dynamic", code::operations(*analysis->program, Section::dynamic)},
      {"output", code::output_operations(*analysis->program)}};
  TextTable table({"section", "mul", "add", "div", "sqrt", "trig", "other"});
  for (std::size_t i = 1; i < 7; ++i) table.right(i);
  for (const auto& [name, count] : sections) {
    reply.json.set(name, count_json(count));
    count_row(table, name, count);
  }
  reply.text = table.text();
  return true;
}

std::optional<std::optional<std::size_t>> block_argument(Arguments& a, const Analysis& analysis) {
  if (!a.keyword("block")) return std::optional<std::size_t>{};
  const Span place = a.place();
  const auto n = a.count("block");
  if (!n) return std::nullopt;
  if (*n <= analysis.blocks.size()) return std::optional<std::size_t>{*n - 1};
  a.error("E0518", place, "there is no block " + std::to_string(*n)).help =
      analysis.blocks.empty() ? "this model has no blocks" : "the blocks are numbered from 1 to " + std::to_string(analysis.blocks.size());
  return std::nullopt;
}

bool do_code(Shell& shell, Arguments& a, Reply& reply) {
  const auto analysis = analysed(shell, a);
  if (!analysis) return false;
  const auto block = block_argument(a, *analysis);
  if (!block || !a.end()) return false;
  reply.text = session::code_text(*analysis, *block);
  return true;
}

namespace {

std::optional<model::VarId> variable_argument(Shell& shell, Arguments& a, const Analysis& analysis, const Word& w) {
  std::string name = w.text;
  name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
  if (auto v = session::find(analysis, name)) return v;
  Diagnostic& d = a.error("E0519", w.span, "the model has no variable `" + name + "`");
  const auto is_equation = [&](std::size_t e) { return model::label(analysis.flat, model::EqId{e}) == name; };
  const auto equations = std::views::iota(std::size_t{0}, analysis.flat.equations.size());
  const std::vector<std::string> components = known_names(shell.session(), true);
  const bool is_component = std::ranges::binary_search(components, name) || std::ranges::any_of(components, [&](const std::string& c) { return c.starts_with(name + "["); });
  if (is_component || std::ranges::any_of(equations, is_equation)) {
    d.help = std::string("this is ") + (is_component ? "a component" : "an equation") + ": `:show " + name + "` shows it";
    return std::nullopt;
  }
  const std::string near = closest(name, known_names(shell.session(), false, 20000));
  d.help = near.empty() ? "`:variables` lists them" : "did you mean `" + near + "`?";
  return std::nullopt;
}

// rad/s -> rad/s^2: as a person writes it, where that is easy; else in base units.
std::string derivative_unit(std::string unit, unsigned order) {
  const std::size_t slash = unit.find('/');
  const std::string_view below = slash == std::string::npos ? std::string_view() : std::string_view(unit).substr(slash + 1);
  if (slash == std::string::npos && unit != "1") return unit + (order == 1 ? "/s" : "/s^" + std::to_string(order));
  if (below == "s" || (below.starts_with("s^") && below.find_first_not_of("0123456789", 2) == std::string_view::npos && below.size() == 3))
    return unit.substr(0, slash) + "/s^" + std::to_string(order + (below == "s" ? 1 : static_cast<unsigned>(below[2] - '0')));
  std::string reason;
  const elaborate::Unit *given = elaborate::find_unit(unit, reason), *second = elaborate::find_unit("s", reason);
  if (!given) return unit;
  elaborate::Dimension dimension = given->dimension;
  for (unsigned k = 0; k < order; ++k) dimension = elaborate::quotient(dimension, second->dimension);
  return elaborate::dimension_text(dimension);
}

// Unit and docstring, each behind a comma. Of a derivative: the unit alone.
std::string description(const Analysis& a, std::string_view name) {
  unsigned order = 0;
  std::string_view of = name;
  if (of.starts_with("der(")) {
    of = of.substr(4, of.size() - 5);
    const auto comma = of.rfind(',');
    const bool times = comma != std::string_view::npos && of.find(']', comma) == std::string_view::npos;
    order = times ? static_cast<unsigned>(std::stoi(std::string(of.substr(comma + 1)))) : 1;
    if (times) of = of.substr(0, comma);
  }
  const auto v = model::find(a.flat, of);
  if (!v) return {};
  const model::Declaration& d = model::declaration(a.flat, *v);
  const std::string unit = d.unit.str();
  if (order > 0) return unit.empty() ? "" : ", " + derivative_unit(unit, order);
  return (unit.empty() ? "" : ", " + unit) + (d.doc.empty() ? "" : ", " + d.doc);
}

}  // namespace

bool do_explain(Shell& shell, Arguments& a, Reply& reply) {
  if (a.empty()) return a.misuse(a.place(), "`:explain` wants the name of a variable"), false;
  const Word w = a.take();
  const auto analysis = a.end() ? analysed(shell, a) : nullptr;
  const auto v = analysis ? variable_argument(shell, a, *analysis, w) : std::nullopt;
  if (!v) return false;
  const session::Explanation e = session::explain(*analysis, *v);
  reply.json.set("name", e.name).set("kind", e.kind).set("alias_of", e.alias_of ? Json(*e.alias_of) : Json())
      .set("block", e.block ? Json(*e.block + 1) : Json()).set("equation", e.equation ? Json(*e.equation) : Json())
      .set("state", e.state).set("reasons", e.reasons);
  reply.text = e.name + ": " + e.kind + description(*analysis, e.name) + "\n";
  if (e.alias_of) reply.text += "  equal to " + *e.alias_of + "\n";
  if (e.block) reply.text += "  computed in block " + std::to_string(*e.block + 1) + "\n";
  if (e.equation) reply.text += "  from equation " + *e.equation + "\n";
  for (const std::string& r : e.reasons) reply.text += "  " + r + "\n";
  return true;
}

namespace {

using PhaseList = std::vector<std::pair<const char*, double>>;
PhaseList phase_list(const session::Phases& p) {
  return {{"parse", p.parse}, {"elaborate", p.elaborate}, {"flatten", p.flatten}, {"match", p.match}, {"blt", p.blt},
          {"index", p.index}, {"solve", p.solve}, {"code", p.code}, {"jit", p.jit}};
}

}  // namespace

std::string phases_text(const session::Phases& p) {
  TextTable table({"phase", "time"});
  table.right(1);
  double total = 0;
  for (const auto& [name, s] : phase_list(p)) {
    total += s;
    if (s > 0) table.row({name, seconds(s)});
  }
  table.row({"total", seconds(total)});
  return table.text();
}

bool do_stats(Shell& shell, Arguments& a, Reply& reply) {
  if (!a.end()) return false;
  shell.session().analysis();
  const session::Reuse& r = shell.session().reuse();
  const session::Phases& p = shell.session().phases();
  Json phases = Json::object();
  for (const auto& [name, s] : phase_list(p)) phases.set(name, s);
  reply.json.set("edit", Json::object().set("equations_changed", r.equations_changed).set("equations_total", r.equations_total)
                             .set("blocks_reused", r.blocks_reused).set("blocks_rebuilt", r.blocks_rebuilt)
                             .set("code_reused", r.code_reused).set("code_rebuilt", r.code_rebuilt).set("seconds", r.seconds));
  reply.json.set("phases", std::move(phases));
  const code::NativeReport m = shell.session().machine_code();
  reply.json.set("machine_code", Json::object().set("regions", m.regions).set("segments_made", m.segments.assembled)
                                     .set("segments_reused", m.segments.reused).set("instructions", m.segments.instructions)
                                     .set("bytes", m.bytes).set("seconds", m.seconds));
  reply.text = plural(r.equations_changed, "equation") + " of " + std::to_string(r.equations_total) + " changed; blocks: " +
               std::to_string(r.blocks_reused) + " reused, " + std::to_string(r.blocks_rebuilt) + " made; code: " +
               std::to_string(r.code_reused) + " reused, " + std::to_string(r.code_rebuilt) + " made; " + seconds(r.seconds) + "\n";
  for (model::VarId v : r.rebuilt) reply.text += "  the block of `" + session::name(shell.session().analysis(), v) + "` has new equations or unknowns\n";
  if (m.regions > 0)
    reply.text += "machine code: " + plural(m.segments.assembled, "segment") + " made of " + plural(m.segments.instructions, "instruction") + ", " +
                  std::to_string(m.segments.reused) + " reused; " + std::to_string(m.bytes) + " bytes\n";
  reply.text += phases_text(p);
  return true;
}

}  // namespace kron::repl
