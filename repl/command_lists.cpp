// :equations, :variables, :parameters, :components, :classes
#include <algorithm>

#include "engine/session/values.hpp"
#include "repl/model_text.hpp"
#include "repl/shell.hpp"
#include "repl/text.hpp"

namespace kron::repl {

using model::FlatModel;
using model::VarId;
using model::Variability;

namespace {

// `R1.*`, `*` without an argument.
std::optional<std::string> pattern_argument(Arguments& a) {
  std::string pattern = "*";
  if (!a.empty()) {
    pattern = a.take().text;
    pattern.erase(std::remove(pattern.begin(), pattern.end(), ' '), pattern.end());
  }
  return a.end() ? std::optional(pattern) : std::nullopt;
}

// A pattern that names something whole lists what is inside it too: `load` is `load`, `load.*` and `load[…]`.
bool chosen(const std::string& pattern, const std::string& name) {
  if (matches(pattern, name)) return true;
  if (pattern.find_first_of("*?") != std::string::npos) return false;
  return name.starts_with(pattern + ".") || name.starts_with(pattern + "[");
}

// A list for people: on a terminal a long one is cut.
void finish(Shell& shell, const TextTable& table, const std::string& what, const std::string& pattern, Reply& reply) {
  if (table.size() == 0) {
    reply.text = pattern == "*" ? "no " + what + "\n" : "no " + what + " match `" + pattern + "`\n";
    return;
  }
  reply.text = table.text(shell.terminal().output ? shell.terminal().width : 0);
}

const FlatModel* flat_model(Shell& shell, Arguments& a) {
  const session::Analysis& analysis = shell.session().analysis();
  if (analysis.flat.top) return &analysis.flat;
  shell.session().diagnostics().append(analysis.diagnostics);
  if (!analysis.diagnostics.has_errors()) a.error("E0515", a.whole(), "there is no model to work on");
  return nullptr;
}

bool list_slots(Shell& shell, Arguments& a, Reply& reply, bool parameters) {
  const auto pattern = pattern_argument(a);
  const FlatModel* m = pattern ? flat_model(shell, a) : nullptr;
  if (!m) return false;
  const session::Bindings bindings(*m);
  const session::Overrides overrides = shell.session().number_overrides();
  session::Numbers numbers(*m, bindings, overrides);
  TextTable table({"name", parameters ? "value" : "start", "unit", "description"});
  table.right(1);
  for (std::uint32_t i = 0; i < m->slots; ++i) {
    const VarId v{i};
    if ((m->variability[i] <= Variability::parameter) != parameters || is_hidden(*m, v)) continue;
    const std::string name = model::name(*m, v);
    if (!chosen(*pattern, name)) continue;
    const model::Declaration& d = model::declaration(*m, v);
    const bool shown = parameters || bindings.find(model::BindingKind::start, i);
    const double x = !shown ? 0 : parameters ? numbers.value(i) : numbers.start(i);
    table.row({name, shown ? value_text(d, x) : "", d.unit.str(), d.doc});
  }
  finish(shell, table, parameters ? "parameters" : "variables", *pattern, reply);
  return true;
}

}  // namespace

bool do_variables(Shell& shell, Arguments& a, Reply& reply) { return list_slots(shell, a, reply, false); }
bool do_parameters(Shell& shell, Arguments& a, Reply& reply) { return list_slots(shell, a, reply, true); }

bool do_equations(Shell& shell, Arguments& a, Reply& reply) {
  const auto pattern = pattern_argument(a);
  const FlatModel* m = pattern ? flat_model(shell, a) : nullptr;
  if (!m) return false;
  TextTable table({"label", "equation"});
  for (std::size_t i = 0; i < m->equations.size(); ++i) {
    const std::string label = model::label(*m, model::EqId{i});
    if (chosen(*pattern, label)) table.row({label, model::print(*m, model::EqId{i})});
  }
  for (std::uint32_t i = 0; i < m->initial_equations.size(); ++i) {
    const std::string label = model::initial_label(*m, i);
    if (chosen(*pattern, label)) table.row({label, "(initial)"});
  }
  finish(shell, table, "equations", *pattern, reply);
  return true;
}

bool do_components(Shell& shell, Arguments& a, Reply& reply) {
  const auto pattern = pattern_argument(a);
  const auto top = pattern ? shell.session().blueprint() : nullptr;
  if (!top) return false;
  struct Open {
    const model::Blueprint* type;
    std::string path;
  };
  TextTable table({"component", "class", "description"});
  std::vector<std::vector<std::string>> rows;
  std::vector<Open> open{{top.get(), ""}};
  for (std::size_t i = 0; i < open.size(); ++i) {
    const Open o = open[i];
    for (const model::Child& c : o.type->children) {
      if (c.is_private) continue;
      std::string name = join_path(o.path, c.name.str());
      for (std::size_t k = 0; k < c.index.size(); ++k) name += (k ? "," : "[") + std::to_string(c.index[k]);
      if (!c.index.empty()) name += "]";
      if (chosen(*pattern, name)) rows.push_back({name, c.type->class_name.str(), c.type->doc});
      if (*pattern != "*") open.push_back({c.type.get(), name});
    }
  }
  if (*pattern != "*") std::sort(rows.begin(), rows.end());
  for (auto& r : rows) table.row(std::move(r));
  finish(shell, table, "components", *pattern, reply);
  return true;
}

bool do_classes(Shell& shell, Arguments& a, Reply& reply) {
  const auto pattern = pattern_argument(a);
  if (!pattern) return false;
  shell.session().blueprint();
  TextTable table({"class", "kind", "description"});
  for (const elaborate::ClassEntry& c : shell.session().elaborator().classes()) {
    const std::size_t dot = c.name.rfind('.');
    const std::string short_name = dot == std::string::npos ? c.name : c.name.substr(dot + 1);
    if (matches(*pattern, c.name) || matches(*pattern, short_name)) table.row({c.name, c.kind, c.doc.substr(0, c.doc.find('\n'))});
  }
  finish(shell, table, "classes", *pattern, reply);
  return true;
}

}  // namespace kron::repl
