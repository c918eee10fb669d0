// Names in expressions: locals, members of the class, definitions of the file; paths, subscripts, fields.
#include "lang/elaborate/builder.hpp"
#include "lang/elaborate/evaluator.hpp"
#include "lang/elaborate/scoped.hpp"

namespace kron::elaborate {
using syntax::Expr;
using syntax::ExprKind;
using syntax::ExprPtr;
using syntax::Part;

// ---- locals -----------------------------------------------------------------------------------------------------------------

const Local* Evaluator::find_local(Name n, std::size_t& index) const {
  const auto at = locals.find(n, place_);
  if (!at) return nullptr;
  index = *at;
  return &locals[index];
}

std::size_t Evaluator::push(Name name, Value v) {
  Local l;
  l.name = name;
  l.value = std::move(v);
  return locals.push(std::move(l));
}

// In structural mode a local that was computed from operands is computed again from its text.
Value Evaluator::local_value(std::size_t i) {
  Local& l = locals[i];
  if (l.integer || l.number) {
    if (l.value.nodes.empty()) l.value.nodes.push_back(l.integer ? c.pool.literal(static_cast<long>(*l.integer)) : c.pool.literal(*l.number));
    return l.value;
  }
  if (mode != Mode::structural || l.source == nullptr || l.scope == nullptr || !is_computed(l)) return l.value;
  if (l.structural) return *l.structural;
  if (l.value.variability == Variability::constant) {  // of numbers alone, like sqrt(2), whatever its text speaks of
    Value numbers = l.value;
    const auto to_number = [&](NodeId& n) {
      const auto r = number_of(c, n);
      if (r) n = c.pool.literal(*r);
      return r.has_value();
    };
    if (std::ranges::all_of(numbers.nodes, to_number)) return *(l.structural = std::make_shared<const Value>(std::move(numbers)));
  }
  if (l.in_round) in_order(known_, i, [&](std::size_t k) { if (local_variability(k) <= Variability::parameter) local_value(k); });
  Evaluator& scope = *locals[i].scope;
  const Expr& source = *locals[i].source;
  const std::size_t limit = locals[i].limit;
  std::shared_ptr<const Value> again;
  {
    ScopedValue<Mode> m(scope.mode, Mode::structural);
    const AsSeen before(scope, limit);
    again = std::make_shared<const Value>(scope.value(source));
  }
  locals[i].structural = again;
  return *again;
}

// A round's value hangs on those of the rounds before it, thousands of them: these first.
template <class F>
void Evaluator::in_order(std::size_t& done, std::size_t end, F&& ask) {
  for (; done < end; ++done)
    if (locals[done].in_round) ask(done);
}

// From operands: it is no number of its own.
bool Evaluator::is_computed(const Local& l) const {
  return std::ranges::any_of(l.value.nodes, [&](NodeId n) { return c.pool.if_literal(n) == nullptr; });
}

// A variable of which its text speaks may be no operand of it, as an argument that a function does not use; to know the value it is read all the
// same. An array of which elements were assigned, and what was given to a function by another one, have no text that says them again.
Variability Evaluator::local_variability(std::size_t i) {
  const Local& l = locals[i];
  if (l.value.variability != Variability::parameter || !is_computed(l)) return l.value.variability;
  if (l.source == nullptr || l.scope == nullptr) return Variability::discrete;
  if (l.told) return *l.told;
  if (l.in_round) in_order(told_, i, [&](std::size_t k) { local_variability(k); });
  Evaluator& scope = *locals[i].scope;
  const Expr& source = *locals[i].source;
  const std::size_t limit = locals[i].limit;
  Variability told;
  {
    const AsSeen before(scope, limit);
    told = std::max(Variability::parameter, scope.variability(source));
  }
  locals[i].told = told;
  return told;
}

Evaluator::Run Evaluator::run(const syntax::Iterator& it, const std::vector<const Expr*>& body) {
  Run r;
  if (!it.range) {
    r.count = deduced_size(it.name, body);
    return r;
  }
  const Expr& e = *it.range;
  if (e.kind == ExprKind::range && integer_range(e, r)) return r;
  auto k = std::make_shared<Known>(known(e));
  if (k->shape.rank() != 1 || k->shape.record || k->shape.texts) c.report.fail("E0220", e.span, "an iterator runs over a vector, and this is " + shape_text(k->shape.sizes));
  r.count = k->numbers.size();
  k->shape.sizes.clear();
  r.values = k;
  if (r.count > 0 && k->shape.type == ValueType::integer) integer_run(r, *k);
  return r;
}

// a:b and a:d:b of integers need no array.
bool Evaluator::integer_range(const Expr& e, Run& r) {
  std::int64_t bounds[3];
  for (std::size_t i = 0; i < e.args.size(); ++i) {
    if (auto q = quick_integer(*e.args[i])) {
      bounds[i] = *q;
      continue;
    }
    const Known k = known(*e.args[i]);
    const auto n = k.numbers.size() == 1 && k.shape.type != ValueType::enumeration ? small_integer(k.numbers[0]) : std::nullopt;
    if (!n) return false;
    bounds[i] = *n;
  }
  const bool stepped = e.args.size() == 3;
  r.first = bounds[0];
  r.step = stepped ? bounds[1] : 1;
  if (r.step == 0) return false;
  const std::int64_t last = bounds[stepped ? 2 : 1], n = (last - r.first) / r.step + 1;
  if ((last - r.first) / r.step >= static_cast<std::int64_t>(max_elements)) c.report.fail("E0227", e.span, "this runs too often (more than " + std::to_string(max_elements) + " times)");
  const bool none = r.step > 0 ? last < r.first : last > r.first;
  r.count = none || n < 0 ? 0 : static_cast<std::uint64_t>(n);
  return true;
}

// A vector of evenly spaced integers is kept as a range.
void Evaluator::integer_run(Run& r, const Known& k) {
  const auto first = small_integer(k.numbers.front());
  const auto second = k.numbers.size() > 1 ? small_integer(k.numbers[1]) : first;
  if (!first || !second) return;
  const std::int64_t step = k.numbers.size() > 1 ? *second - *first : 1;
  for (std::size_t i = 0; i < k.numbers.size(); ++i)
    if (k.numbers[i] != *first + step * static_cast<std::int64_t>(i)) return;
  r.first = *first;
  r.step = step;
  r.values = nullptr;
}

// The node of an integer is made when somebody asks: most iterators stand in subscripts only.
void Evaluator::set_iterator(std::size_t local, const Run& r, std::uint64_t i) {
  Local& l = locals[local];
  l.value.nodes.clear();
  if (r.values) {
    l.value = r.values->shape;
    l.number = r.values->numbers[i];
  } else {
    l.integer = r.first + r.step * static_cast<std::int64_t>(i);
    l.value.type = ValueType::integer;
  }
}

void Evaluator::refresh() {
  for (Local& l : locals) {
    if (l.number || l.integer) l.value.nodes.clear();
    l.structural = nullptr;
  }
}

// `for k` without a range: the size of the first array that the body indexes with k alone.
std::uint64_t Evaluator::deduced_size(Name name, const std::vector<const Expr*>& body) {
  std::vector<const Expr*> stack(body.rbegin(), body.rend());
  while (!stack.empty()) {
    const Expr& e = *stack.back();
    stack.pop_back();
    for (std::size_t p = 0; e.kind == ExprKind::reference && p < e.path.size(); ++p)
      for (std::size_t d = 0; d < e.path[p].subscripts.size(); ++d) {
        const Expr& s = *e.path[p].subscripts[d];
        if (s.kind == ExprKind::reference && s.path.size() == 1 && s.path[0].name == name && s.path[0].subscripts.empty())
          return size_of_part(e, p, d);
        stack.push_back(&s);
      }
    for (auto it = e.args.rbegin(); it != e.args.rend(); ++it) stack.push_back(it->get());
    for (const auto& n : e.named) stack.push_back(n.value.get());
  }
  c.report.fail("E0260", body.empty() ? Span{} : body[0]->span, "the range of `" + name.str() + "` cannot be found from its use", "write `" + name.str() + " in 1:n`");
}

// Size of dimension d of part p of a path, looked at without its subscripts.
std::uint64_t Evaluator::size_of_part(const Expr& e, std::size_t p, std::size_t d) {
  Expr whole = e;
  whole.path.resize(p + 1);
  whole.path[p].subscripts.clear();
  for (std::size_t i = 0; i < p; ++i)
    for (ExprPtr& s : whole.path[i].subscripts) {
      auto one = std::make_shared<Expr>();
      one->kind = ExprKind::number;
      one->number = 1;
      one->span = s->span;
      s = one;
    }
  const Sizes sizes = sizes_of(whole);
  if (d >= sizes.size()) c.report.fail("E0223", e.span, "`" + quoted(e.path) + "` has too many subscripts");
  return sizes[d];
}

// Sizes of an expression; of a path that leads to components, those of the components.
Sizes Evaluator::sizes_of(const Expr& e) {
  std::size_t i = 0;
  if (e.kind == ExprKind::reference && home.instance != nullptr && find_local(e.path[0].name, i) == nullptr)
    if (auto m = home.instance->find(e.path[0].name, home.layer)) return home.instance->path_sizes(e, *m, *this);
  ScopedValue<Mode> shape(mode, mode == Mode::normal && (home.instance == nullptr || home.instance->ready()) ? Mode::normal : Mode::shape);
  ScopedValue<bool> quiet(free_units, true);
  return value(e).sizes;
}

// ---- subscripts -------------------------------------------------------------------------------------------------------------

namespace {
// One more dimension: every offset goes on with each of n indices.
template <class Index>
void extend(Selection& r, std::uint32_t n, Index index, std::uint32_t size) {
  Small<std::uint32_t, 3> more;
  more.reserve(r.offsets.size() * n);
  for (std::uint32_t o : r.offsets)
    for (std::uint32_t i = 0; i < n; ++i) more.push_back(o * size + index(i));
  r.offsets = std::move(more);
}
}  // namespace

Selection Evaluator::select(const Sizes& sizes, const std::vector<ExprPtr>& subscripts, std::size_t first, Span span) {
  const std::size_t n = subscripts.size() - first;
  if (n > sizes.size())
    c.report.fail("E0223", span, sizes.empty() ? "a scalar has no subscripts" : "there are " + std::to_string(n) + " subscripts, and this has the sizes " + shape_text(sizes));
  Selection r;
  r.offsets.push_back(0);
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const std::uint32_t size = sizes[d];
    const ExprPtr* s = d < n ? &subscripts[first + d] : nullptr;
    if (s == nullptr || (*s)->kind == ExprKind::colon) {
      extend(r, size, [](std::uint32_t i) { return i; }, size);
      r.sizes.push_back(size);
      continue;
    }
    end_.push_back(size);
    const auto quick = quick_integer(**s);
    if (quick) {
      const std::uint32_t index = checked_index(*quick, size, (*s)->span, d);
      for (std::uint32_t& o : r.offsets) o = o * size + index;
    } else {
      const Known k = known(**s);
      std::vector<std::uint32_t> list = indices_of(k, size, (*s)->span, d);
      extend(r, static_cast<std::uint32_t>(list.size()), [&](std::uint32_t i) { return list[i]; }, size);
      if (k.shape.rank() == 1) r.sizes.push_back(static_cast<std::uint32_t>(list.size()));
    }
    end_.pop_back();
  }
  return r;
}

std::uint32_t Evaluator::checked_index(std::int64_t i, std::uint32_t size, Span s, std::size_t dimension) {
  if (i < 1 || i > size) {
    std::string what = "index " + std::to_string(i) + " is outside 1:" + std::to_string(size);
    if (dimension > 0) what += " (dimension " + std::to_string(dimension + 1) + ")";
    c.report.fail("E0223", s, what);
  }
  return static_cast<std::uint32_t>(i - 1);
}

std::vector<std::uint32_t> Evaluator::indices_of(const Known& k, std::uint32_t size, Span s, std::size_t d) {
  if (k.shape.rank() > 1 || k.shape.record || k.shape.texts) c.report.fail("E0223", s, "a subscript is a whole number or a vector of them");
  std::vector<std::uint32_t> list;
  if (k.shape.type == ValueType::boolean && k.shape.rank() == 1) c.report.fail("E0223", s, "a subscript is a whole number or a vector of them");
  for (const Rational& r : k.numbers) {
    const auto n = small_integer(r);
    if (!n) c.report.fail("E0226", s, "an index must be a whole number, and this is " + to_text(r));
    list.push_back(checked_index(*n, size, s, d));
  }
  return list;
}

Value Evaluator::subscripted(const Value& v, const std::vector<ExprPtr>& subscripts, std::size_t first, Span span) {
  if (subscripts.size() <= first) return v;
  const Selection s = select(v.sizes, subscripts, first, span);
  Value r = v;
  r.sizes = s.sizes;
  r.nodes.clear();
  if (v.texts) {
    std::vector<std::string> texts;
    for (std::uint32_t o : s.offsets) texts.push_back((*v.texts)[o]);
    r.texts = std::make_shared<const std::vector<std::string>>(std::move(texts));
    return r;
  }
  const std::uint32_t width = v.record ? v.record->width : 1;
  for (std::uint32_t o : s.offsets) r.nodes.append(v.nodes.data() + static_cast<std::size_t>(o) * width, width);
  return r;
}

Value Evaluator::field(const Value& v, Name name, Span span) {
  if (!v.record) c.report.fail("E0212", span, "`" + type_text(v) + "` has no member `" + name.str() + "`");
  const RecordField* f = v.record->field(name);
  if (f == nullptr) {
    std::vector<std::string> names;
    for (const RecordField& x : v.record->fields) names.push_back(x.name.str());
    c.report.fail("E0212", span, "record `" + type_text(v) + "` has no member `" + name.str() + "`", suggestion(name.str(), names));
  }
  Value r;
  r.type = f->type;
  r.variability = v.variability;
  r.enumeration = f->enumeration;
  r.dimension = f->dimension;
  r.record = f->record;
  r.sizes = joined(v.sizes, f->sizes);
  const std::size_t n = static_cast<std::size_t>(count(f->sizes)) * (f->record ? f->record->width : 1);
  const std::size_t width = v.record->width;
  for (std::size_t i = 0; width > 0 && i < v.nodes.size() / width; ++i) r.nodes.append(v.nodes.data() + i * width + f->offset, n);
  return r;
}

// From part `from` on: npos: all parts are fields; else part `from` gives subscripts only.
Value Evaluator::follow(Value v, const std::vector<Part>& path, std::size_t from, Span span) {
  std::size_t i = from;
  if (from != static_cast<std::size_t>(-1)) v = subscripted(v, path[from].subscripts, 0, span);
  for (++i; i < path.size(); ++i) {
    v = field(v, path[i].name, span);
    v = subscripted(v, path[i].subscripts, 0, span);
  }
  return v;
}

// ---- references -------------------------------------------------------------------------------------------------------------

Value Evaluator::reference(const Expr& e, const EnumType* expected) {
  const Name head = e.path[0].name;
  std::size_t i = 0;
  const bool plain = std::all_of(e.path.begin(), e.path.end(), [](const Part& p) { return p.subscripts.empty(); });
  if (!plain && mode != Mode::structural)
    if (auto element = looked_up(e, expected)) return std::move(*element);
  if (find_local(head, i) != nullptr) {
    if (e.path.size() == 1 && e.path[0].subscripts.empty()) return local_value(i);
    return follow(local_value(i), e.path, 0, e.span);
  }
  if (expected != nullptr && e.path.size() == 1 && e.path[0].subscripts.empty())
    if (auto o = expected->ordinal(head)) {
      Value v = literal_value(c, *o, ValueType::enumeration);
      v.enumeration = expected;
      v.dimension = Dimension::one();
      return v;
    }
  if (home.instance != nullptr)
    if (auto m = home.instance->find(head, home.layer)) return member_reference(e, *m);
  static const Name time_name("time"), pi_name("pi");
  if (e.path.size() == 1 && head == time_name) {
    if (mode == Mode::structural) c.report.fail("E0224", e.span, "`time` is not known before the model runs");
    Value v = scalar_value(c.pool.operand(model::Operand::time()), ValueType::real, Variability::continuous);
    std::string ignored;
    v.dimension = find_unit("s", ignored)->dimension;
    v.dimension.state = Dimension::State::flexible;
    return v;
  }
  if (e.path.size() == 1 && head == pi_name) return scalar_value(c.pool.operand(model::Operand::constant(model::pi_id())), ValueType::real);
  return global_reference(e, expected);
}

Value Evaluator::member_reference(const Expr& e, std::uint32_t m) {
  ClassBuilder& b = *home.instance;
  if (mode == Mode::normal && b.ready()) return b.value_of(b.reach(e.path, m, *this, e.span), e.span);
  return b.early_value(e, 0, m, *this);
}

Value Evaluator::global_reference(const Expr& e, const EnumType* expected) {
  Lookup l = c.look_up(*home.file, home.enclosing, {e.path[0]});
  if (l.candidates.size() > 1) ambiguous(e.path, l, e.span);
  if (l.definition != nullptr) return definition_value(*l.definition, e, 1);
  if (e.path.size() > 1) {
    l = c.look_up(*home.file, home.enclosing, {e.path[0], e.path[1]});
    if (l.definition != nullptr) return definition_value(*l.definition, e, 2);
    if (l.library != nullptr) c.report.fail("E0206", e.span, "library `" + l.library->name.str() + "` has no `" + e.path[1].name.str() + "`", suggestion(e.path[1].name.str(), l.library->names()));
  }
  unknown_name(e, expected);
}

void Evaluator::ambiguous(const std::vector<Part>& path, const Lookup& l, Span s) {
  std::string list, first;
  for (const Definition* d : l.candidates) {
    list += (list.empty() ? "`" : ", `") + full_name(*d) + "`";
    if (first.empty()) first = full_name(*d);
  }
  c.report.fail("E0204", s, "`" + path[0].name.str() + "` may mean " + list, "write the full name, as in `" + first + "`");
}

// A constant's value, or a literal of an enumeration; the first `parts` parts of the path name the definition.
Value Evaluator::definition_value(const Definition& d, const Expr& e, std::size_t parts) {
  if (d.kind == DefinitionKind::constant) {
    return follow(constant_value(d, e.span), e.path, parts - 1, e.span);
  }
  if (d.kind == DefinitionKind::enumeration && e.path.size() == parts + 1) {
    const Name literal = e.path[parts].name;
    if (auto o = d.enumeration.ordinal(literal)) {
      Value v = literal_value(c, *o, ValueType::enumeration);
      v.enumeration = &d.enumeration;
      v.dimension = Dimension::one();
      return v;
    }
    std::vector<std::string> names;
    for (Name n : d.enumeration.literals) names.push_back(n.str());
    c.report.fail("E0212", e.span, "enumeration `" + d.name.str() + "` has no `" + literal.str() + "`", suggestion(literal.str(), names));
  }
  if (d.kind == DefinitionKind::enumeration) {  // the type itself: its values, for iterators
    Value v;
    v.type = ValueType::enumeration;
    v.enumeration = &d.enumeration;
    v.sizes.push_back(static_cast<std::uint32_t>(d.enumeration.literals.size()));
    for (std::uint32_t i = 1; i <= v.sizes[0]; ++i) v.nodes.push_back(c.pool.literal(i));
    return v;
  }
  c.report.fail("E0210", e.span, "`" + d.name.str() + "` is " + kind_name(d.kind) + ", not a value",
                d.kind == DefinitionKind::function ? "a function is called with its arguments in brackets" : "a component of a class is declared with `name : " + d.name.str() + "`");
}

// A constant of a file is its value: it has no slot that a class elsewhere could name.
Value Evaluator::constant_value(const Definition& d, Span asked) {
  if (const auto it = c.constants.find(&d); it != c.constants.end()) return to_value(c, it->second);
  if (std::find(c.open_constants.begin(), c.open_constants.end(), &d) != c.open_constants.end())
    c.report.fail("E0225", asked, "the constant `" + d.name.str() + "` depends on itself");
  c.spend(Context::cost_of_call, asked);
  struct Open {
    std::vector<const Definition*>& list;
    Open(std::vector<const Definition*>& all, const Definition& one) : list(all) { list.push_back(&one); }
    ~Open() { list.pop_back(); }
  } const open(c.open_constants, d);
  Value v = worked_out(d);
  if (!d.file->library->is_workspace) keep_constant(d, v);  // one of the workspace may be changed: the class in work must see each name
  return v;
}

void Evaluator::keep_constant(const Definition& d, const Value& v) {
  Known k;
  for (NodeId n : v.nodes)
    if (const Rational* r = c.pool.if_literal(n)) k.numbers.push_back(*r);
  if (k.numbers.size() != v.nodes.size()) return;
  k.shape = v;
  k.shape.nodes.clear();
  c.constants.emplace(&d, std::move(k));
}

Value Evaluator::worked_out(const Definition& constant) {
  const ExprPtr& source = constant.statement->value;
  if (!source) c.report.fail("E0258", constant.statement->span, "the constant `" + constant.name.str() + "` has no value");
  Evaluator inner(c, {nullptr, 0, constant.file, constant.enclosing}, mode);
  inner.free_units = true;
  Value v = inner.value(*source);
  if (constant.statement->type_text) {
    std::string reason;
    if (const Unit* u = find_unit(constant.statement->type_text->text, reason)) {
      v.dimension = u->dimension;
      v.counting = u->counting;
    }
  }
  return v;
}

const EnumType* Evaluator::enumeration_of(const Expr& e) {
  const auto of_any = [&](std::size_t first, std::size_t step) {
    const EnumType* found = nullptr;
    for (std::size_t i = first; i < e.args.size() && found == nullptr; i += step) found = enumeration_of(*e.args[i]);
    return found;
  };
  if (e.kind == ExprKind::call && e.path.size() == 1 && (e.path[0].name == Name("pre") || e.path[0].name == Name("noEvent"))) return of_any(0, 1);
  if (e.kind == ExprKind::array) return of_any(0, 1);
  if (e.kind == ExprKind::condition && !e.args.empty()) {
    const EnumType* branch = of_any(1, 2);
    return branch != nullptr ? branch : enumeration_of(*e.args.back());
  }
  if (e.kind != ExprKind::reference) return nullptr;
  std::size_t i = 0;
  if (const Local* l = find_local(e.path[0].name, i)) return e.path.size() == 1 ? l->value.enumeration : nullptr;
  if (home.instance == nullptr) return nullptr;
  auto m = home.instance->find(e.path[0].name, home.layer);
  return m ? home.instance->enumeration_of(e.path, 0, *m) : nullptr;
}

void Evaluator::unknown_name(const Expr& e, const EnumType* expected) {
  const std::string& name = e.path[0].name.str();
  std::vector<std::string> candidates = home.instance != nullptr ? home.instance->names() : std::vector<std::string>{};
  for (const Local& l : locals) candidates.push_back(l.name.str());
  for (const std::string& n : c.libraries.visible(*home.file, DefinitionKind::constant)) candidates.push_back(n);
  candidates.push_back("time");
  std::string help = suggestion(name, candidates);
  if (partly_.contains(e.path[0].name)) help = "not every branch of the `if` statement before assigns it: give it a value before that, or in an `else`";
  if (expected != nullptr && e.path.size() == 1) {
    std::vector<std::string> literals;
    std::string list;
    for (const Name& l : expected->literals) {
      literals.push_back(l.str());
      list += (list.empty() ? "" : ", ") + l.str();
    }
    help = suggestion(name, literals);
    if (help.empty()) help = "the elements of `" + expected->name.str() + "` are " + list;
  }
  if (const Definition* outside = help.empty() && home.instance != nullptr && e.path.size() > 1 ? home.instance->held_outside(e.path[0].name) : nullptr)
    help = "to use the `" + name + "` of the enclosing model, declare `outer " + name + " : " + outside->name.str() + "`";
  if (help.empty() && builtin_named(name)) help = "`" + name + "` is a function: write its arguments in brackets";
  if (help.empty() && home.instance != nullptr && e.path.size() == 1) help = "declare it: `variable " + name + "` or `parameter " + name + " = …`";
  c.report.fail("E0201", e.span, "nothing here is called `" + name + "`", help);
}

}  // namespace kron::elaborate
