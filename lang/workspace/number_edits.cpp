// Edits that change numbers of the model and nothing else, values of parameters and start values: the analysis stays, the numbers go to
// Engine::problem.
//   number_edit()   one statement, not even elaborated: one that replaces another and differs from it in numbers (what such an edit can
//                   meet, a final or unknown name, a wrong type, units, the old statement has met in the same places), or a new
//                   `path := number` for a scalar that may be modified; also `{number, …}` for all elements of an array
//   only_numbers()  any other edit, after elaboration: the new top blueprint against the analysed one. What structural numbers
//                   decided is in the blueprints, so these may be among them
#include <algorithm>
#include <cmath>

#include "engine/session/parallel_axes.hpp"
#include "engine/session/values.hpp"
#include "lang/elaborate/shaping.hpp"
#include "lang/syntax/printer.hpp"
#include "lang/workspace/session_data.hpp"
#include "lang/workspace/walk.hpp"

namespace kron {

using syntax::Expr;
using syntax::ExprKind;
using syntax::ExprPtr;
using syntax::Modification;
using syntax::StmtKind;
using syntax::StmtPtr;

namespace {

struct NumberEdit {
  std::string path;
  ExprPtr before, after;                // before: null where nothing was assigned
  std::vector<std::uint32_t> whole{};   // sizes of the array whose elements were given together; empty: this one alone
};

bool is_number(const Expr& e) { return e.kind == ExprKind::number || e.kind == ExprKind::quantity; }
bool is_plain_number(const Expr& e) {
  return e.kind == ExprKind::unary ? is_plain_number(*e.args[0]) : e.kind == ExprKind::number;
}

// The numbers of `{a, b}` or `{{a, b}, {c, d}}`, in order.
struct NumberList {
  std::vector<std::uint32_t> sizes;
  std::vector<ExprPtr> elements;

  static std::optional<NumberList> of(const Expr& e) {
    if (e.kind != ExprKind::array || e.args.empty()) return std::nullopt;
    NumberList all;
    for (const ExprPtr& a : e.args) {
      std::optional<NumberList> inner = a->kind == ExprKind::array ? of(*a) : std::optional(NumberList{{}, {a}});
      if (!inner || (inner->sizes.empty() && !is_plain_number(*a)) || (&a != &e.args.front() && inner->sizes != all.sizes)) return std::nullopt;
      all.sizes = std::move(inner->sizes);
      all.elements.insert(all.elements.end(), inner->elements.begin(), inner->elements.end());
    }
    all.sizes.insert(all.sizes.begin(), static_cast<std::uint32_t>(e.args.size()));
    return all;
  }
  // `path[i, j]`
  std::string name(const std::string& path, std::size_t element) const {
    std::string inner;
    for (std::size_t d = sizes.size(); d-- > 0; element /= sizes[d]) inner = std::to_string(element % sizes[d] + 1) + (inner.empty() ? "" : ",") + inner;
    return path + "[" + inner + "]";
  }
};

// Collects where two trees differ in numbers; false where they differ in anything else.
class Numbers {
 public:
  std::vector<NumberEdit> edits;

  bool statements(const syntax::Stmt& a, const syntax::Stmt& b) {
    if (a.kind != b.kind) return false;
    if (a.kind == StmtKind::assign) return value(a.rhs, b.rhs, reference_text(*b.refs.front())) && rest(a, b);
    if (a.kind != StmtKind::declaration || b.names.size() != 1 || !b.names[0].sizes.empty()) return false;
    const std::string name = b.names[0].name.str();
    const bool parameter = b.prefix == syntax::Prefix::parameter, component = b.prefix == syntax::Prefix::component;
    if (!parameter && !component) return false;
    return (component || value(a.value, b.value, name)) && mods(a.mods, b.mods, name) && rest(a, b);
  }

 private:
  bool value(const ExprPtr& a, const ExprPtr& b, const std::string& path) {
    if (!a || !b) return !a && !b;
    if (same(*a, *b)) return true;
    if (b->kind == ExprKind::array) return elements(*a, *b, path);
    if (!is_number(*a) || a->kind != b->kind || a->text != b->text) return false;
    edits.push_back({path, a, b});
    return true;
  }

  bool elements(const Expr& a, const Expr& b, const std::string& path) {
    const std::optional<NumberList> before = NumberList::of(a), after = NumberList::of(b);
    if (!before || !after || before->sizes != after->sizes) return false;
    for (std::size_t k = 0; k < after->elements.size(); ++k)
      if (!same(*before->elements[k], *after->elements[k]))
        edits.push_back({after->name(path, k), before->elements[k], after->elements[k], after->sizes});
    return true;
  }

  bool mods(const std::vector<Modification>& a, const std::vector<Modification>& b, const std::string& path) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      Expr reference;
      reference.kind = ExprKind::reference;
      reference.path = b[i].path;
      const std::string inner = path + "." + reference_text(reference);
      if (!value(a[i].value, b[i].value, inner) || !mods(a[i].nested, b[i].nested, inner)) return false;
    }
    return true;
  }

  // What stands beside the numbers.
  static bool rest(const syntax::Stmt& a, const syntax::Stmt& b) {
    syntax::Stmt x = b;
    x.value = a.value;
    x.rhs = a.rhs;
    take_values(a.mods, x.mods);
    return same(a, x);
  }
  static void take_values(const std::vector<Modification>& from, std::vector<Modification>& to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[i].value = from[i].value;
      take_values(from[i].nested, to[i].nested);
    }
  }
};

// What a statement changes that replaces `old`, or where that is null is new: numbers only, or nullopt.
std::optional<std::vector<NumberEdit>> changed_numbers(const syntax::Stmt* old, const syntax::Stmt& s) {
  if (old) {
    Numbers differences;
    if (!differences.statements(*old, s)) return std::nullopt;
    return std::move(differences.edits);
  }
  if (s.kind != StmtKind::assign) return std::nullopt;
  const std::string path = reference_text(*s.refs.front());
  if (is_plain_number(*s.rhs)) return std::vector<NumberEdit>{{path, nullptr, s.rhs}};
  const std::optional<NumberList> list = NumberList::of(*s.rhs);
  if (!list) return std::nullopt;
  std::vector<NumberEdit> edits;
  for (std::size_t k = 0; k < list->elements.size(); ++k) edits.push_back({list->name(path, k), nullptr, list->elements[k], list->sizes});
  return edits;
}

// The experiment's settings may be made of parameters.
bool experiment_of_numbers(const Workspace& w) {
  syntax::Stmt key;
  key.kind = StmtKind::experiment;
  const StmtPtr s = w.same_key(key);
  return !s || std::all_of(s->named.begin(), s->named.end(), [](const auto& a) {
    return a.value && (is_number(*a.value) || a.value->kind == ExprKind::reference || a.value->kind == ExprKind::string);
  });
}

}  // namespace

namespace {
bool input_of_tape(const session::Analysis& a, std::uint32_t slot) {
  return a.inputs_of_tape && slot < a.flat.slots && a.inputs_of_tape->parameter_of.contains(slot);
}

constexpr model::SlotFlags shapes = model::SlotFlag::zero_shapes | model::SlotFlag::one_shapes;

// Of a parameter or start value, as the model has it.
std::optional<double> given_number(const session::Analysis& a, std::uint32_t key) {
  const auto kind = session::is_start(key) ? model::BindingKind::start : model::BindingKind::value;
  const auto* b = session::given_number(a.flat, kind, session::slot_of(key));
  if (b == nullptr) return std::nullopt;
  const auto operands = std::span(a.flat.operands).subspan(b->first, b->count);
  return evaluate(model::Bound{b->form, {operands.begin(), operands.end()}}, nullptr);
}
}  // namespace

bool only_shapes(const session::Analysis& a, std::uint32_t slot) {
  if (slot >= a.flat.slots) return false;
  const model::SlotFlags flags = a.flat.flags[slot];
  if (!(flags & shapes) || (flags & model::SlotFlag::structural) || a.flat.axes.slots.contains(slot)) return false;
  const auto number = given_number(a, slot);
  return number && elaborate::is_shaping(flags, *number);
}

bool has_value(const session::Analysis& a, std::uint32_t slot) {
  return (a.flat.flags[slot] & model::SlotFlag::free) || !a.bindings || a.bindings->find(model::BindingKind::value, slot) != nullptr ||
         a.bindings->find(model::BindingKind::start, slot) != nullptr;
}

bool adjustable(const session::Analysis& a, std::uint32_t slot) {
  return input_of_tape(a, slot) && has_value(a, slot) && !(a.flat.flags[slot] & model::SlotFlag::structural) && !a.flat.axes.slots.contains(slot) && !only_shapes(a, slot);
}

namespace {

// What a path means for Engine::problem, as a key of overrides: a scalar parameter, or the start value of a variable that has one.
std::optional<std::uint32_t> target(const session::Analysis& a, std::string_view path, bool modifiable) {
  const auto slot = [&](std::string_view text) { return modifiable ? model::find_modifiable(a.flat, text) : model::find(a.flat, text); };
  const auto fits = [&](model::VarId v, std::string_view text) {
    const model::Declaration& d = model::declaration(a.flat, v);
    return d.type == model::ValueType::real && (d.sizes.empty() || text.ends_with(']'));
  };
  if (const auto v = slot(path)) {
    if (!fits(*v, path)) return std::nullopt;
    if (a.inputs_of_tape && a.inputs_of_tape->signal_of.contains(v->value)) return session::start_key(v->value);
    return adjustable(a, v->value) ? std::optional(v->value) : std::nullopt;
  }
  constexpr std::string_view suffix = ".start";
  if (!path.ends_with(suffix)) return std::nullopt;
  path.remove_suffix(suffix.size());
  const auto v = slot(path);
  if (!v || v->value >= a.flat.slots || !fits(*v, path) || a.flat.variability[v->value] != model::Variability::continuous || (a.flat.flags[v->value] & model::SlotFlag::input)) return std::nullopt;
  const bool given = a.inputs_of_tape->start_of.contains(v->value) && session::given_number(a.flat, model::BindingKind::start, v->value) != nullptr;
  return given ? std::optional(session::start_key(v->value)) : std::nullopt;
}

// To a number that shapes equations (from one: `adjustable`); or the first that is said of a single element, which the array was not judged by.
bool becomes_structure(const session::Analysis& a, std::uint32_t key, const NumberEdit& edit, double after) {
  if (session::is_start(key) || !(a.flat.flags[key] & shapes)) return false;
  return elaborate::is_shaping(a.flat.flags[key], after) || (edit.before == nullptr && edit.whole.empty() && edit.path.ends_with(']'));
}

// The parameter of which it is an element, as it is declared, has these sizes.
std::optional<std::uint32_t> element_of_whole(const session::Analysis& a, const NumberEdit& edit) {
  const auto v = edit.before == nullptr ? model::find_modifiable(a.flat, edit.path) : model::find(a.flat, edit.path);
  if (!v || v->value >= a.flat.slots || model::declaration(a.flat, *v).sizes != edit.whole) return std::nullopt;
  return v->value;
}

}  // namespace

// The analysis holds numbers too: nominal values and bounds for Newton's method.
bool Session::Data::in_analysis(std::uint32_t slot) {
  if (slots_in_analysis_of != analysis) {
    slots_in_analysis = session::attribute_slots(analysis->flat);
    slots_in_analysis_of = analysis;
  }
  return slots_in_analysis[slot];
}

bool Session::Data::number_edit() {
  if (queued.size() != 1) return false;
  if (!analysis || !analysis->complete || !override_statements.empty() || !experiment_of_numbers(workspace)) return false;
  if (analysis_stands_for != replaced.revision || scope != replaced.revision) return false;
  const auto edits = changed_numbers(replaced.statement.get(), *queued.front());
  const std::size_t added = replaced.statement ? 0 : 1;
  if (!edits || workspace.statements().size() != replaced.statements + added) return false;
  std::map<std::uint32_t, double> numbers = assigned;
  for (const NumberEdit& edit : *edits) {
    const auto after = number(*edit.after);
    if (!edit.whole.empty()) {
      const auto slot = element_of_whole(*analysis, edit);
      if (!slot) return false;
      if (!edit.before && after && number_of(*slot) == after) continue;
    }
    const auto key = target(*analysis, edit.path, edit.before == nullptr);
    if (!key || !after || !std::isfinite(*after) || (!session::is_start(*key) && in_analysis(*key))) return false;
    if (edit.before && number_of(*key) != number(*edit.before)) return false;  // something else decides its value
    if (becomes_structure(*analysis, *key, edit, *after)) return false;
    numbers[*key] = *after;
  }
  assigned = std::move(numbers);
  scope = analysis_stands_for = workspace.revision();
  take_times();
  return true;
}

// Of a constant expression, in SI.
std::optional<double> Session::Data::number(const Expr& e) {
  Diagnostics ignored;
  const auto q = elaborator.quantity(e, ignored);
  return q && q->elements.size() == 1 ? evaluate(q->elements.front(), nullptr) : std::nullopt;
}

// Of a parameter or start value with a number of its own, as it stands.
std::optional<double> Session::Data::number_of(std::uint32_t key) const {
  if (auto it = assigned.find(key); it != assigned.end()) return it->second;
  return given_number(*analysis, key);
}

std::optional<std::map<std::uint32_t, double>> Session::Data::only_numbers() {
  if (!analysis || !analysis->complete) return std::nullopt;
  const auto changed = model::different_numbers(*analysis->flat.top, *top);
  if (!changed) return std::nullopt;
  std::map<std::uint32_t, double> numbers;
  for (const auto& [slot, value] : *changed) {
    const auto x = evaluate(value, nullptr);
    if (!x || !input_of_tape(*analysis, slot.value) || in_analysis(slot.value)) return std::nullopt;
    numbers[slot.value] = *x;
  }
  if (!session::same_axes(analysis->flat, numbers)) return std::nullopt;
  return numbers;
}

// The times that an edit without analysis took.
void Session::Data::take_times() {
  only_assigned = true;
  phases = {};
  phases.parse = parsed_s;
  phases.elaborate = elaborated_s;
  parsed_s = elaborated_s = 0;
}

}  // namespace kron
