// Values that elaboration itself needs: sizes, conditions, structural parameters. Found when asked for, at any stage.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "lang/elaborate/builder.hpp"
#include "lang/elaborate/scoped.hpp"
#include "lang/elaborate/text.hpp"

namespace kron::elaborate {
using syntax::ExprKind;
using syntax::Part;
using syntax::Prefix;

// ---- types ------------------------------------------------------------------------------------------------------------------

namespace {

// "Init" or "blocks.Init" as a path; empty where the text is a unit.
std::vector<Part> type_path(const std::string& text) {
  std::vector<Part> path;
  std::string word;
  for (char ch : text) {
    if (ch == '.') {
      if (word.empty()) return {};
      path.push_back({Name(word), {}});
      word.clear();
    } else if (ch == '*' || ch == '/' || ch == '^' || ch == '(' || ch == ')' || ch == ' ' || ch == '%') {
      return {};
    } else {
      word += ch;
    }
  }
  if (word.empty() || (word[0] >= '0' && word[0] <= '9')) return {};
  path.push_back({Name(word), {}});
  return path;
}

std::optional<ValueType> basic_type(const std::string& t) {
  if (t == "Real") return ValueType::real;
  if (t == "Integer") return ValueType::integer;
  if (t == "Boolean") return ValueType::boolean;
  if (t == "String") return ValueType::string;
  return std::nullopt;
}

}  // namespace

// What stands after the colon: a basic type, a record or enumeration in scope, else a unit.
void ClassBuilder::prepare(std::uint32_t index) {
  Member& m = members_[index];
  if (m.typed) return;
  m.typed = true;
  MemberInfo& info = out_->members[index];
  info.type = ValueType::real;
  info.variability = variability_of_prefix(m.statement->prefix);
  if (m.is_component) return;
  info.is_free = false;
  if (!m.statement->type_text) return;
  const std::string& text = m.statement->type_text->text;
  if (auto t = basic_type(text)) {
    info.type = *t;
    if (*t != ValueType::real && *t != ValueType::integer) info.dimension = Dimension::one();
    return;
  }
  const std::vector<Part> path = type_path(text);
  if (!path.empty() && path.size() <= 3) {
    const Layer& l = layers_[m.layer];
    const Lookup r = c_.look_up(*l.file, l.definition, path);
    if (r.candidates.size() > 1 && r.definition == nullptr) (void)checked_class(c_, r, path, *l.file, m.statement->type_text->span);
    if (r.definition != nullptr && typed_by(index, *r.definition)) return;
  }
  unit_type(index, text);
}

bool ClassBuilder::typed_by(std::uint32_t index, const Definition& d) {
  Member& m = members_[index];
  MemberInfo& info = out_->members[index];
  if (d.kind == DefinitionKind::enumeration) {
    info.type = ValueType::enumeration;
    info.enumeration = &d.enumeration;
    info.dimension = Dimension::one();
    return true;
  }
  if (d.kind != DefinitionKind::class_) return false;
  if (d.statement->class_kind != syntax::ClassKind::record) {
    std::string reason;
    if (find_unit(m.statement->type_text->text, reason) != nullptr) return false;  // `: V` where a model is called V
    c_.report.fail("E0210", m.statement->type_text->span, "`" + d.name.str() + "` is no type of a quantity", "a component is declared without a word before its name: `" + m.declared->name.str() + " : " + d.name.str() + "`");
  }
  m.is_component = true;
  m.type = &d;
  return true;
}

void ClassBuilder::unit_type(std::uint32_t index, const std::string& text) {
  const Member& m = members_[index];
  MemberInfo& info = out_->members[index];
  const Span span = m.statement->type_text->span;
  std::string reason;
  const Unit* u = find_unit(text, reason);
  if (u == nullptr) {
    const File& file = *layers_[m.layer].file;
    std::vector<std::string> types = c_.libraries.visible(file, DefinitionKind::enumeration);
    for (const char* t : {"Real", "Integer", "Boolean", "String"}) types.emplace_back(t);
    auto& e = c_.report.error("E0228", span, "`" + text + "` is neither a type nor a unit: " + reason);
    e.help = suggestion(text, types);
    return;
  }
  if (!u->coherent()) {
    const std::string si = dimension_text(u->dimension);
    auto& e = c_.report.error("E0229", span, "values are always SI: declare the unit `" + si + "`, not `" + text + "`");
    const bool number = m.statement->value && m.statement->value->kind == ExprKind::number;
    e.help = "write `: " + si + " = " + (number ? to_text(m.statement->value->number) : "5") + " [" + text + "]`";
    return;
  }
  info.dimension = u->dimension;
  info.counting = u->counting;
}

Variability ClassBuilder::variability_of_prefix(Prefix p) const {
  Variability v = p == Prefix::constant ? Variability::constant : p == Prefix::parameter ? Variability::parameter : p == Prefix::discrete ? Variability::discrete : Variability::continuous;
  if (env_.role == Prefix::constant) v = Variability::constant;
  if (env_.role == Prefix::parameter) v = std::min(v, Variability::parameter);
  return v;
}

// parameter p(fixed = false): computed by initial equations, so nothing here may depend on its value. Of an array that is so as soon as one
// element is.
bool ClassBuilder::is_free(std::uint32_t index) {
  if (out_->members[index].variability != Variability::parameter) return false;
  static const Name fixed("fixed");
  const auto k = attribute(index, Ask::fixed, fixed, nullptr);
  return k && std::ranges::find(k->numbers, Rational(0)) != k->numbers.end();
}

// ---- sizes ------------------------------------------------------------------------------------------------------------------

const Sizes& ClassBuilder::sizes_of(std::uint32_t index) {
  Member& m = members_[index];
  if (m.sizes) return *m.sizes;
  const auto& declared = m.declared->sizes;
  if (declared.empty()) return *(m.sizes = Sizes{});
  if (m.sizing) c_.report.fail("E0225", m.declared->span, "the size of `" + m.declared->name.str() + "` depends on itself");
  ScopedValue<bool> guard(m.sizing, true);
  Sizes sizes;
  std::optional<Sizes> given;
  for (std::size_t d = 0; d < declared.size(); ++d) {
    if (declared[d]->kind == ExprKind::colon) {
      if (!given) given = given_sizes(index);
      sizes.push_back((*given)[d]);
      continue;
    }
    Evaluator e(c_, home(m.layer), Mode::structural);
    const std::int64_t n = e.integer(*declared[d], "a size");
    if (n < 0) c_.report.fail("E0226", declared[d]->span, "a size must not be negative, and this is " + std::to_string(n));
    if (static_cast<std::uint64_t>(n) >= model::max_slots) c_.report.fail("E0227", declared[d]->span, "an array of " + std::to_string(n) + " elements is too large");
    sizes.push_back(static_cast<std::uint32_t>(n));
  }
  return *(m.sizes = sizes);
}

// Sizes of x[:] are those of its value.
Sizes ClassBuilder::given_sizes(std::uint32_t index) {
  Member& m = members_[index];
  const auto rank = static_cast<std::uint32_t>(m.declared->sizes.size());
  prepare(index);
  std::optional<Sizes> s;
  Span at = m.declared->span;
  const auto take = [&](const Answer& a) {
    if (a.found_at_start) not_before_start("the size of `" + m.declared->name.str() + "`", a.span);
    if (!a.known) return;
    s = a.known->shape.sizes;
    at = a.span;
  };
  take(ask(Ask::shape, m.declared->name, rank, info(index).enumeration));
  if (!s) take(own_answer(index, Ask::shape));
  if (!s && m.statement->value) {
    Evaluator e(c_, home(m.layer), Mode::shape);
    s = e.value(*m.statement->value, info(index).enumeration).sizes;
    at = m.statement->value->span;
  }
  if (!s && definition_.statement->class_kind == syntax::ClassKind::record) return Sizes(rank, 0);
  if (!s) c_.report.fail("E0226", at, "the size of `" + m.declared->name.str() + "` cannot be found: it has no value", "give it a value, or a size in place of `:`");
  if (s->size() != rank) c_.report.fail("E0217", at, "`" + m.declared->name.str() + "` has " + std::to_string(rank) + (rank == 1 ? " dimension" : " dimensions") + ", and this is " + shape_text(*s));
  return *s;
}

// An answer of the class's own extends clauses.
Answer ClassBuilder::own_answer(std::uint32_t index, Ask kind) {
  const Member& m = members_[index];
  if (m.items.empty()) return {};
  const Descent d = descend(m.items, {m.declared->name, 0, 1, 0, {}});
  for (const Item& i : d.whole) {
    if (!i.mod->value) continue;
    Question q;
    q.kind = kind;
    q.rank = static_cast<std::uint32_t>(m.declared->sizes.size());
    q.expected = out_->members[index].enumeration;
    return evaluate(i, q);
  }
  return {};
}

// ---- values -----------------------------------------------------------------------------------------------------------------

const Known& ClassBuilder::known(std::uint32_t index, Span asked) {
  Member& m = members_[index];
  if (m.known) return *m.known;
  prepare(index);
  const MemberInfo& info = out_->members[index];
  const std::string& name = m.declared->name.str();
  if (m.failed) throw Failed{};
  if (info.variability > Variability::parameter)
    c_.report.fail("E0224", asked, "`" + name + "` is a variable, and its value must be known before the model runs", "only parameters and constants may decide the structure of a model");
  if (m.valuing) c_.report.fail("E0225", m.declared->span, "`" + name + "` depends on itself");
  ScopedValue<bool> guard(m.valuing, true);
  if (is_free(index)) found_at_start(index, asked);
  Span at = m.declared->span;
  try {
    auto k = std::make_unique<Known>(given_in_elements(index) ? value_by_elements(index, asked, at) : found_value(index, asked, at));
    fit(index, *k, at);
    m.known = std::move(k);
  } catch (const Failed&) {
    m.failed = true;  // nobody needs to try again
    throw;
  }
  marks_[index] |= model::SlotFlag::structural;
  return *m.known;
}

// No value while elaborating.
void ClassBuilder::found_at_start(std::uint32_t index, Span asked) {
  if (c_.asks_for_free) throw FoundAtStart{};
  const std::string name = "`" + members_[index].declared->name.str() + "`";
  if (!is_free(index)) not_before_start(name, asked);
  c_.report.fail("E0224", asked, name + " is computed by initial equations, and its value must be known before the model runs");
}
void ClassBuilder::not_before_start(const std::string& what, Span asked) {
  if (c_.asks_for_free) throw FoundAtStart{};
  c_.report.fail("E0224", asked, what + " hangs on parameters that initial equations compute, and its value must be known before the model runs");
}

// Whether a modification or an assignment gives single elements of an array: what is said of the whole is not its value then.
bool ClassBuilder::given_in_elements(std::uint32_t index) {
  const auto gives = [&](const Item& i) { return gives_elements(i, index); };
  return std::ranges::any_of(env_.items, gives) || std::ranges::any_of(members_[index].items, gives);
}
bool ClassBuilder::gives_elements(const Item& i, std::uint32_t index) const {
  const syntax::Part& part = i.mod->path[i.offset];
  return part.name == members_[index].declared->name && !part.subscripts.empty() && i.offset + 1 == i.mod->path.size() && i.mod->value;
}

// The value of the whole, but for elements of which something is said: there the outermost counts.
Known ClassBuilder::value_by_elements(std::uint32_t index, Span asked, Span& at) {
  const Member& m = members_[index];
  const std::string& name = m.declared->name.str();
  const Sizes sizes = sizes_of(index);
  std::set<std::uint32_t> elements;
  bool single = true;
  for (const Items* items : {&std::as_const(env_.items), &m.items})
    for (const Item& i : *items) {
      if (!gives_elements(i, index)) continue;
      Evaluator e(c_, i.origin->home(i.layer), Mode::structural);
      const Selection s = e.select(sizes, i.mod->path[i.offset].subscripts, 0, i.mod->span);
      single = single && s.sizes.empty();
      elements.insert(s.offsets.begin(), s.offsets.end());
    }
  std::map<std::uint32_t, Rational> given;
  for (const std::uint32_t element : elements) {
    const Answer a = answer_for_element(index, element);
    if (a.found_at_start) found_at_start(index, asked);
    if (!a.known || !single || a.known->shape.record || a.known->shape.texts)
      c_.report.fail("E0224", asked, "elements of `" + name + "` are set together, and its value must be known before the model runs",
                     "give the whole array its value where it is declared or modified");
    if (a.known->shape.rank() != 0) bad_shape(name, a.known->shape.sizes, {}, a.span);
    check_type(out_->members[index], a.known->shape, a.span, name);
    check_whole(out_->members[index], a.known->numbers, a.span, name);
    given.emplace(element, a.known->numbers.front());
  }
  Known k;
  if (given.size() == count(sizes)) {
    k.shape.type = out_->members[index].type;
    k.shape.enumeration = out_->members[index].enumeration;
    k.shape.sizes = sizes;
    k.numbers.resize(given.size());
  } else {
    k = found_value(index, asked, at);
    fit(index, k, at);
  }
  for (const auto& [element, number] : given) k.numbers[element] = number;
  return k;
}

Answer ClassBuilder::answer_for_element(std::uint32_t index, std::uint32_t element) {
  Question q;
  q.kind = Ask::value;
  q.path.push_back(step_of(index, element));
  q.expected = out_->members[index].enumeration;
  if (!env_.items.empty())
    if (Answer a = ask(q); a.given()) return a;
  for (const Item& i : descend(members_[index].items, q.path[0]).whole)
    if (i.mod->value) return evaluate(i, q);
  return {};
}

Known ClassBuilder::found_value(std::uint32_t index, Span asked, Span& at) {
  const Member& m = members_[index];
  const auto rank = static_cast<std::uint32_t>(m.declared->sizes.size());
  const EnumType* expected = out_->members[index].enumeration;
  for (const bool outer : {true, false}) {
    const Answer a = outer ? ask(Ask::value, m.declared->name, rank, expected) : own_answer(index, Ask::value);
    if (a.found_at_start) found_at_start(index, asked);
    if (!a.known) continue;
    at = a.span;
    return *a.known;
  }
  if (m.statement->value) {
    at = m.statement->value->span;
    Evaluator e(c_, home(m.layer), Mode::structural);
    return e.known(*m.statement->value, expected);
  }
  auto& e = c_.report.error("E0224", asked, "the parameter `" + m.declared->name.str() + "` has no value, and the structure of the model depends on it");
  e.help = "give it one in its declaration or in a modification";
  e.notes.push_back({m.declared->span, "it is declared here"});
  throw Failed{};
}

// Type and shape as declared: missing leading dimensions repeat.
void ClassBuilder::fit(std::uint32_t index, Known& k, Span span) {
  const MemberInfo& info = out_->members[index];
  const Member& m = members_[index];
  check_type(info, k.shape, span, m.declared->name.str());
  check_whole(info, k.numbers, span, m.declared->name.str());
  const Sizes& sizes = sizes_of(index);
  k.shape.type = info.type;
  k.shape.enumeration = info.enumeration;
  if (k.shape.sizes == sizes || k.shape.record) return;
  if (!is_suffix(k.shape.sizes, sizes)) bad_shape(m.declared->name.str(), k.shape.sizes, sizes, span);
  const std::size_t n = count(sizes), have = k.numbers.size();
  for (std::size_t i = have; i < n && have > 0; ++i) k.numbers.push_back(k.numbers[i % have]);
  k.numbers.resize(k.shape.texts ? 0 : n);
  k.shape.sizes = sizes;
}

bool is_suffix(const Sizes& s, const Sizes& whole) {
  if (s.size() > whole.size()) return false;
  for (std::size_t i = 0; i < s.size(); ++i)
    if (s[s.size() - 1 - i] != whole[whole.size() - 1 - i]) return false;
  return true;
}

void ClassBuilder::bad_shape(const std::string& name, const Sizes& given, const Sizes& wanted, Span span) {
  c_.report.fail("E0217", span, "`" + name + "` is " + shape_text(wanted) + ", and " + shape_text(given) + " is given", wanted.empty() ? "for an array declare `" + name + shape_text(given) + "`, else give one value" : "a value has the sizes of the array, or of its last dimensions");
}

void ClassBuilder::check_type(const MemberInfo& info, const Value& v, Span span, const std::string& name) {
  bool good = !v.record && (info.type == v.type || (v.is_number() && (info.type == ValueType::real || info.type == ValueType::integer)));
  if (good && info.type == ValueType::integer && v.type == ValueType::real && v.variability == Variability::continuous) good = false;
  if (good && info.enumeration != v.enumeration && info.type == ValueType::enumeration) good = false;
  if (good) return;
  const std::string want = info.enumeration != nullptr ? info.enumeration->name.str() : type_name(info.type);
  c_.report.fail("E0221", span, "`" + name + "` is of type " + want + ", and `" + type_text(v) + "` is given");
}

void ClassBuilder::check_whole(const MemberInfo& info, const std::vector<Rational>& numbers, Span span, const std::string& name) {
  if (info.type != ValueType::integer) return;
  for (const Rational& r : numbers)
    if (denominator(r) != 1) c_.report.fail("E0221", span, "`" + name + "` is an Integer, and its value is " + to_text(r));
}

// A Real counts as an Integer where its value is whole: what it is made of is structural then. Values of variables that are made of parameters
// are looked at when the model runs.
void ClassBuilder::check_whole(const MemberInfo& info, const Value& v, const syntax::Expr& x, Evaluator& e, const std::string& name) {
  if (info.type != ValueType::integer || v.type != ValueType::real || v.variability > Variability::parameter) return;
  std::vector<Rational> numbers;
  for (NodeId n : v.nodes) {
    if (const auto r = number_of(c_, n)) numbers.push_back(*r);
    else if (info.variability <= Variability::parameter) return check_whole(info, e.known(x).numbers, x.span, name);
  }
  check_whole(info, numbers, x.span, name);
}

bool ClassBuilder::present(std::uint32_t index) {
  Member& m = members_[index];
  if (!m.present) {
    m.present = true;
    if (m.statement->condition) {
      Evaluator e(c_, home(m.layer), Mode::structural);
      m.present = e.truth(*m.statement->condition);
    }
  }
  return *m.present;
}

// ---- components as scopes ---------------------------------------------------------------------------------------------------

ClassBuilder& ClassBuilder::inside(std::uint32_t index, std::uint32_t element, Span asked) {
  const std::uint64_t key = (std::uint64_t{index} << 32) | element;
  auto& slot = inside_[key];
  if (slot) return *slot;
  if (!present(index)) absent_component(index, asked);
  const Step step = step_of(index, element);
  Environment env = environment(index, step);
  const Definition& d = component_class(index, step, env);
  slot = std::make_unique<ClassBuilder>(c_, d, std::move(env));
  slot->check_depth();
  slot->collect();
  return *slot;
}

void ClassBuilder::absent_component(std::uint32_t index, Span asked) {
  auto& e = c_.report.error("E0235", asked, "`" + members_[index].declared->name.str() + "` is absent: its condition is false");
  e.notes.push_back({members_[index].declared->span, "it is declared here"});
  throw Failed{};
}

Step ClassBuilder::step_of(std::uint32_t index, std::uint32_t element) {
  const Sizes& sizes = sizes_of(index);
  Step s{members_[index].declared->name, element, static_cast<std::uint32_t>(count(sizes)), static_cast<std::uint32_t>(sizes.size()), {}};
  for (std::size_t d = 0; d < sizes.size() && d < 3; ++d) s.sizes[d] = sizes[d];
  return s;
}

// A reference before the slots exist (or in structural mode): values of parameters, or just shapes.
Value ClassBuilder::early_value(const syntax::Expr& x, std::size_t part, std::uint32_t index, Evaluator& e) {
  prepare(index);
  const Member& m = members_[index];
  if (!m.is_component && !m.is_outer) return e.follow(own_value(index, e, x.span), x.path, part, x.span);
  if (m.is_outer) return outer_early(x, part, index, e);
  const Sizes& sizes = sizes_of(index);
  const Selection sel = e.select(sizes, x.path[part].subscripts, 0, x.span);
  std::vector<Value> list;
  for (std::uint32_t element : sel.offsets) {
    ClassBuilder& b = inside(index, element, x.span);
    if (part + 1 < x.path.size()) list.push_back(b.inner_early(x, part + 1, e));
    else if (m.type != nullptr) list.push_back(b.whole_record(e, x.span));
    else c_.report.fail("E0210", x.span, quoted(x.path) + " is a component, not a value");
  }
  if (sel.sizes.empty() && list.size() == 1) return std::move(list[0]);
  Value v = stacked(e, std::move(list), x.span);
  Sizes inner;
  for (std::size_t d = 1; d < v.sizes.size(); ++d) inner.push_back(v.sizes[d]);
  v.sizes = joined(sel.sizes, inner);
  return v;
}

Value ClassBuilder::inner_early(const syntax::Expr& x, std::size_t part, Evaluator& e) {
  const auto m = find(x.path[part].name, 0xffffffff);
  if (!m) unknown_member(x.path[part].name, definition_, names(), x.span);
  if (info(*m).is_private) c_.report.fail("E0213", x.span, "`" + x.path[part].name.str() + "` is private to `" + definition_.name.str() + "`");
  return early_value(x, part, *m, e);
}

void ClassBuilder::unknown_member(Name n, const Definition& d, const std::vector<std::string>& names, Span span) {
  c_.report.fail("E0212", span, "`" + d.name.str() + "` has no `" + n.str() + "`", suggestion(n.str(), names));
}

Value ClassBuilder::own_value(std::uint32_t index, Evaluator& e, Span asked) {
  const MemberInfo& info = out_->members[index];
  if (e.mode == Mode::structural) {
    Value v = to_value(c_, known(index, asked));
    v.variability = std::min(info.variability, Variability::parameter);
    v.dimension = info.dimension;
    return v;
  }
  Value v;
  v.type = info.type;
  v.variability = info.variability;
  v.enumeration = info.enumeration;
  v.dimension = info.dimension;
  v.sizes = sizes_of(index);
  const std::uint64_t n = count(v.sizes);
  if (n > max_elements) c_.report.fail("E0227", asked, "this array is too large");
  if (v.type == ValueType::string) v.texts = std::make_shared<const std::vector<std::string>>(n, "");
  else if (c_.unknowns) for (std::uint32_t i = 0; i < n; ++i) v.nodes.push_back(is_symbol(index) ? c_.unknown({this, index, i}) : c_.unknown());
  else v.nodes = Nodes(n, c_.unknown());  // only the shape counts
  fold_elements(index);
  const FoldedElements& written = members_[index].written;
  for (std::size_t i = 0; i < written.size(); ++i)
    if (written[i]) v.nodes[i] = written_number(c_, *written[i]);
  for (std::size_t i = 0; info.folded && i < info.folded->size(); ++i)
    if (const auto& number = (*info.folded)[i]) v.nodes[i] = c_.pool.literal(*number);
  return v;
}

Value ClassBuilder::whole_record(Evaluator& e, Span asked) {
  Value v;
  auto type = std::make_shared<RecordType>();
  type->definition = &definition_;
  for (std::uint32_t i = 0; i < members_.size(); ++i) {
    prepare(i);
    if (members_[i].is_component) c_.report.fail("E0224", asked, "a record with records inside cannot be used before the model runs");
    const Value x = own_value(i, e, asked);
    type->fields.push_back({info(i).name, x.sizes, type->width, x.type, x.enumeration, x.dimension, nullptr});
    type->width += static_cast<std::uint32_t>(x.nodes.size());
    v.nodes.append(x.nodes);
    promote(v, x);
  }
  v.record = std::move(type);
  return v;
}

// ---- what a path is, without its value ---------------------------------------------------------------------------------------

Variability ClassBuilder::variability_of(const std::vector<Part>& path, std::size_t part, std::uint32_t index) {
  const Member& m = members_[index];
  prepare(index);
  if (m.is_outer) return outer_variability(path, part, index);
  if (!m.is_component) return is_free(index) ? Variability::continuous : out_->members[index].variability;
  if (m.type != nullptr && part + 1 >= path.size()) return out_->members[index].variability;
  if (part + 1 >= path.size()) return Variability::continuous;
  if (ready()) return built_variability(path, part, index);
  if (!present(index)) return Variability::continuous;
  const Sizes& sizes = sizes_of(index);
  if (count(sizes) == 0) return Variability::parameter;
  ClassBuilder& b = inside(index, 0, m.declared->span);
  const auto next = b.find(path[part + 1].name, 0xffffffff);
  return next ? b.variability_of(path, part + 1, *next) : Variability::continuous;
}

Variability ClassBuilder::built_variability(const std::vector<Part>& path, std::size_t part, std::uint32_t index) {
  const MemberInfo* info = &out_->members[index];
  const Elaboration* type = out_.get();
  for (++part; part < path.size(); ++part) {
    if (info->kind != MemberInfo::Kind::component || info->total == 0) break;
    type = type->types[info->first].get();
    info = type->member(path[part].name);
    if (info == nullptr) return Variability::continuous;
  }
  if (info->kind == MemberInfo::Kind::variable || info->kind == MemberInfo::Kind::component) return info->is_free ? Variability::continuous : info->variability;
  return Variability::continuous;
}

const EnumType* ClassBuilder::enumeration_of(const std::vector<Part>& path, std::size_t part, std::uint32_t index) {
  prepare(index);
  const Member& m = members_[index];
  if (!m.is_component && !m.is_outer) return out_->members[index].enumeration;
  if (part + 1 >= path.size()) return nullptr;
  if (m.is_outer || !ready()) {
    if (m.is_outer) return outer_enumeration(path, part, index);
    if (!present(index) || count(sizes_of(index)) == 0) return nullptr;
    ClassBuilder& b = inside(index, 0, m.declared->span);
    const auto next = b.find(path[part + 1].name, 0xffffffff);
    return next ? b.enumeration_of(path, part + 1, *next) : nullptr;
  }
  const MemberInfo* info = &out_->members[index];
  const Elaboration* type = out_.get();
  for (++part; part < path.size(); ++part) {
    if (info->kind != MemberInfo::Kind::component || info->total == 0) return nullptr;
    type = type->types[info->first].get();
    info = type->member(path[part].name);
    if (info == nullptr) return nullptr;
  }
  return info->enumeration;
}

// Sizes of a path: of a variable its sizes, of components those of the arrays passed.
Sizes ClassBuilder::path_sizes(const syntax::Expr& x, std::uint32_t index, Evaluator& e) {
  prepare(index);
  const Member* m = &members_[index];
  ClassBuilder* b = this;
  Sizes sizes;
  for (std::size_t part = 0;; ++part) {
    const Sizes& own = b->sizes_of(index);
    const Selection sel = e.select(own, x.path[part].subscripts, 0, x.span);
    sizes.append(sel.sizes);
    if (part + 1 == x.path.size()) return sizes;
    if (m->is_outer) {
      ScopedValue<Mode> shape(e.mode, Mode::shape);
      return e.value(x).sizes;
    }
    if (!m->is_component || sel.offsets.empty()) unknown_member(x.path[part + 1].name, b->definition_, {}, x.span);
    b = &b->inside(index, sel.offsets[0], x.span);
    const auto next = b->find(x.path[part + 1].name, 0xffffffff);
    if (!next) b->unknown_member(x.path[part + 1].name, b->definition_, b->names(), x.span);
    index = *next;
    b->prepare(index);
    m = &b->members_[index];
  }
}

}  // namespace kron::elaborate
