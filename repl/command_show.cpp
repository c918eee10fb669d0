// :show
#include <algorithm>

#include "lang/syntax/parser.hpp"
#include "lang/syntax/printer.hpp"
#include "repl/model_text.hpp"
#include "repl/shell.hpp"
#include "repl/text.hpp"

namespace kron::repl {

namespace {

std::optional<elaborate::ClassEntry> find_class(Session& session, const std::string& name) {
  std::optional<elaborate::ClassEntry> by_short_name;
  for (const elaborate::ClassEntry& c : session.elaborator().classes()) {
    if (c.name == name) return c;
    if (!by_short_name && c.name.ends_with("." + name)) by_short_name = c;
  }
  return by_short_name;
}

std::string class_text(const elaborate::ClassEntry& c) {
  std::string text = c.statement ? syntax::print(*c.statement) : c.kind + " " + c.name;
  const bool documented = c.statement && text.find(c.doc) != std::string::npos;
  if (!documented && !c.doc.empty()) text += "\n" + c.doc;
  return text + "\n";
}

std::string index_text(const model::Child& c) {
  std::string text;
  for (std::size_t k = 0; k < c.index.size(); ++k) text += (k ? "," : "[") + std::to_string(c.index[k]);
  return text.empty() ? text : text + "]";
}

// The component at a path, or null. Of an array that the path ends with, the last element.
const model::Child* find_component(const model::Blueprint& top, std::string_view path) {
  const model::Blueprint* at = &top;
  const model::Child* found = nullptr;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string_view part = path.substr(0, dot);
    const bool is_last = dot == std::string_view::npos;
    found = nullptr;
    for (const model::Child& c : at->children) {
      const std::string name = c.name.str() + index_text(c);
      if (name == part || (c.name.str() == part && (c.index.empty() || is_last))) found = &c;
    }
    if (!found) return nullptr;
    at = found->type.get();
    path = dot == std::string_view::npos ? "" : path.substr(dot + 1);
  }
  return found;
}

std::string variability_text(model::Variability v) {
  switch (v) {
    case model::Variability::constant: return "constant";
    case model::Variability::parameter: return "parameter";
    case model::Variability::discrete: return "discrete";
    default: return "variable";
  }
}

std::string variable_text(Session& s, const model::FlatModel& m, model::VarId v, const std::string& name) {
  const model::Declaration& d = model::declaration(m, v);
  std::string text = variability_text(d.variability) + " " + name;
  if (!d.unit.empty()) text += " : " + d.unit.str();
  Diagnostics ignored;
  const syntax::ExprPtr e = d.variability <= model::Variability::parameter ? syntax::parse_expression(sources::add("name", name), ignored) : nullptr;
  if (const auto q = e ? s.current_quantity(*e, ignored) : std::nullopt; q && q->elements.size() == 1)
    if (const auto value = s.parameter_value(q->elements.front())) text += " = " + value_text(d, *value);
  if (!d.doc.empty()) text += " \"" + d.doc + "\"";
  return text + "\n";
}

std::string equation_text(const model::FlatModel& m, const std::string& label) {
  std::string text;
  for (std::size_t i = 0; i < m.equations.size(); ++i) {
    const std::string l = model::label(m, model::EqId{i});
    if (l == label || l.starts_with(label + "[")) text += l + " :: " + model::print(m, model::EqId{i}) + "\n";
  }
  return text;
}

// What a path means in the flat model: a component, a variable or an equation.
std::string item_text(Session& s, const std::string& name) {
  const session::Analysis& a = s.analysis();
  if (!a.flat.top) return {};
  std::string text;
  if (const model::Child* c = find_component(*a.flat.top, name)) {
    text = name + (name.ends_with(']') ? "" : index_text(*c)) + " : " + c->type->class_name.str() + "\n";  // its last element's place is its size
    if (const auto entry = find_class(s, c->type->class_name.str())) text += class_text(*entry);
    return text;
  }
  if (const auto v = model::find(a.flat, name)) return variable_text(s, a.flat, *v, name);
  return equation_text(a.flat, name);
}

}  // namespace

bool do_show(Shell& shell, Arguments& a, Reply& reply) {
  if (a.empty()) return a.misuse(a.place(), "`:show` wants a name"), false;
  const Word w = a.take();
  if (!a.end()) return false;
  Session& s = shell.session();
  s.blueprint();
  if (const syntax::StmtPtr statement = s.workspace().declaration(Name(w.text))) {
    reply.text = syntax::print(*statement) + "\n";
    if (!statement->class_path.empty())
      if (const auto entry = find_class(s, syntax::print(statement->class_path))) reply.text += "\n" + class_text(*entry);
    return true;
  }
  if (const auto entry = find_class(s, w.text)) {
    reply.text = class_text(*entry);
    return true;
  }
  reply.text = item_text(s, w.text);
  if (!reply.text.empty()) return true;
  Diagnostic& d = a.error("E0519", w.span, "there is nothing named `" + w.text + "`");
  std::vector<std::string> names = known_names(s, false, 20000);
  for (const auto& c : s.elaborator().classes()) names.push_back(c.name.substr(c.name.rfind('.') + 1));
  const std::string near = closest(w.text, names);
  d.help = near.empty() ? "`:components`, `:variables`, `:equations` and `:classes` list what there is" : "did you mean `" + near + "`?";
  return false;
}

}  // namespace kron::repl
