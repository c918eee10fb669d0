// Calls: functions are inlined, records constructed.
#include <array>

#include "lang/elaborate/builder.hpp"
#include "lang/elaborate/evaluator.hpp"
#include "lang/elaborate/scoped.hpp"

namespace kron::elaborate {
using syntax::Expr;
using syntax::ExprKind;
using syntax::Stmt;
using syntax::StmtKind;
using syntax::StmtPtr;

namespace {
constexpr std::uint32_t deepest_call = 500;
}

const Definition* Evaluator::callee(const Expr& e) {
  Lookup l = c.look_up(*home.file, home.enclosing, e.path);
  if (l.candidates.size() > 1 && l.definition == nullptr) ambiguous(e.path, l, e.span);
  if (l.definition == nullptr && l.library != nullptr)
    c.report.fail("E0206", e.span, "library `" + l.library->name.str() + "` has no `" + e.path[1].name.str() + "`", suggestion(e.path[1].name.str(), l.library->names()));
  return l.definition;
}

Value Evaluator::call(const Expr& e, const EnumType* expected) {
  const Definition* d = callee(e);
  if (d == nullptr) {
    if (e.path.size() == 1)
      if (auto v = builtin(*this, e, expected)) return std::move(*v);
    const std::string& name = e.path[0].name.str();
    std::vector<std::string> candidates = c.libraries.visible(*home.file, DefinitionKind::function);
    candidates.insert(candidates.end(), builtin_names().begin(), builtin_names().end());
    std::string help = suggestion(name, candidates);
    if (help.empty() && home.instance != nullptr && home.instance->find(e.path[0].name, home.layer)) help = "`" + name + "` is a quantity: for an element write `" + name + "[…]`, for a product `" + name + " * (…)`";
    c.report.fail("E0203", e.span, "there is no function " + quoted(e.path), help);
  }
  if (d->kind == DefinitionKind::class_ && d->statement->class_kind == syntax::ClassKind::record) return construct(*d, e);
  if (d->kind != DefinitionKind::function) c.report.fail("E0210", e.span, quoted(e.path) + " is " + kind_name(d->kind) + ", not a function");
  std::vector<Value> results = inlined(*d, e);
  return std::move(results.front());
}

std::vector<Value> Evaluator::results(const Expr& e, std::size_t wanted) {
  std::vector<Value> list;
  const Definition* d = e.kind == ExprKind::call ? callee(e) : nullptr;
  if (d != nullptr && d->kind == DefinitionKind::function) list = inlined(*d, e);
  else list.push_back(value(e));
  if (list.size() < wanted)
    c.report.fail("E0222", e.span, "this gives " + std::to_string(list.size()) + (list.size() == 1 ? " result" : " results") + ", and " + std::to_string(wanted) + " are wanted");
  list.resize(wanted);
  return list;
}

// The arguments by position and name; where none is given, the default is left for the body's scope.
std::vector<Evaluator::Argument> Evaluator::arguments(const Definition& d, const Expr& e) {
  const auto& inputs = d.statement->inputs;
  if (e.args.size() > inputs.size())
    c.report.fail("E0222", e.span, "`" + d.name.str() + "` takes " + std::to_string(inputs.size()) + (inputs.size() == 1 ? " argument" : " arguments") + ", and " + std::to_string(e.args.size()) + " are given");
  std::vector<Argument> list(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    list[i].name = inputs[i].name;
    list[i].source = i < e.args.size() ? e.args[i].get() : nullptr;
  }
  for (const auto& n : e.named) {
    std::size_t i = 0;
    while (i < inputs.size() && inputs[i].name != n.name) ++i;
    std::vector<std::string> names;
    for (const auto& in : inputs) names.push_back(in.name.str());
    if (i == inputs.size()) c.report.fail("E0222", n.span, "`" + d.name.str() + "` has no argument `" + n.name.str() + "`", suggestion(n.name.str(), names));
    if (list[i].source != nullptr) c.report.fail("E0222", n.span, "the argument `" + n.name.str() + "` is given twice");
    list[i].source = n.value.get();
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    list[i].given = list[i].source != nullptr;
    if (list[i].given) list[i].value = value(*list[i].source);
    else if (!inputs[i].fallback) c.report.fail("E0222", e.span, "`" + d.name.str() + "` needs the argument `" + inputs[i].name.str() + "`");
  }
  return list;
}

// An argument declared as a scalar may be given an array: the function is then applied to each element. 0: to none.
std::uint32_t Evaluator::vectorised(const Definition& d, const std::vector<Argument>& list, Sizes& sizes) const {
  std::uint32_t n = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto& in = d.statement->inputs[i];
    const Value& v = list[i].value;
    if (!in.sizes.empty() || !list[i].given || v.sizes.empty() || v.record) continue;
    if (n != 0 && !(v.sizes == sizes)) c.report.fail("E0220", list[i].source->span, "the arrays given to `" + d.name.str() + "` differ in size");
    sizes = v.sizes;
    n = static_cast<std::uint32_t>(v.nodes.size());
  }
  return n;
}

std::vector<Value> Evaluator::inlined(const Definition& d, const Expr& e) {
  std::vector<Argument> list = arguments(d, e);
  Sizes sizes;
  const std::uint32_t n = vectorised(d, list, sizes);
  if (n == 0) return inlined_once(d, list, e.span);
  std::vector<std::vector<Value>> columns;  // per result, one value for each element
  for (std::uint32_t i = 0; i < n; ++i) {
    std::vector<Argument> one = list;
    for (std::size_t k = 0; k < one.size(); ++k) {
      if (!d.statement->inputs[k].sizes.empty() || one[k].value.sizes.empty() || one[k].value.record) continue;
      one[k].value.nodes = Nodes{list[k].value.nodes[i]};
      one[k].value.sizes.clear();
      one[k].source = nullptr;  // the text gives the whole array
    }
    std::vector<Value> r = inlined_once(d, one, e.span);
    columns.resize(r.size());
    for (std::size_t k = 0; k < r.size(); ++k) columns[k].push_back(std::move(r[k]));
  }
  std::vector<Value> results;
  for (auto& column : columns) {
    Value v = stacked(*this, std::move(column), e.span);
    Sizes inner;
    for (std::size_t k = 1; k < v.sizes.size(); ++k) inner.push_back(v.sizes[k]);
    v.sizes = joined(sizes, inner);
    results.push_back(std::move(v));
  }
  return results;
}

Value Evaluator::apply_function(const Definition& d, std::vector<Value> values, Span span, const Expr* result) {
  const auto& inputs = d.statement->inputs;
  if (inputs.size() != values.size()) c.report.fail("E0222", d.statement->span, "`" + d.name.str() + "` must take " + std::to_string(values.size()) + " arguments");
  std::vector<Argument> list;
  for (std::size_t i = 0; i < values.size(); ++i) list.push_back({inputs[i].name, std::move(values[i]), nullptr, true});
  return inlined_once(d, list, span, result).front();
}

std::vector<Value> Evaluator::inlined_once(const Definition& d, const std::vector<Argument>& list, Span span, const Expr* result) {
  if (c.calls >= deepest_call) c.report.fail("E0250", span, "calls of `" + d.name.str() + "` are nested more than " + std::to_string(deepest_call) + " deep", "a function may call itself only under an `if` whose condition is known before the model runs; for more steps write a `for` loop");
  ScopedValue<std::uint32_t> depth(c.calls, c.calls + 1);
  c.spend(Context::cost_of_call, span);
  Evaluator inner(c, {nullptr, 0, d.file, d.enclosing}, mode);
  inner.slots = slots;
  inner.free_units = free_units;
  for (const Argument& a : list) {
    const std::size_t i = inner.push(a.name, a.value);
    inner.locals[i].source = a.source;
    inner.locals[i].scope = this;
    inner.locals[i].limit = locals.size();
  }
  for (std::size_t i = 0; i < list.size(); ++i)
    if (!list[i].given) {
      const Expr& fallback = *d.statement->inputs[i].fallback;
      inner.locals[i].source = &fallback;
      inner.locals[i].scope = &inner;
      inner.locals[i].limit = i;
      inner.locals[i].value = inner.value(fallback);
      inner.note_names(fallback);
    }
  check_sizes(d, inner, span);
  if (result == nullptr) result = d.statement->rhs.get();
  if (result != nullptr) return {inner.value(*result)};
  std::vector<Value> results;
  const bool returns = inner.run_body(d.statement->body, results);
  if (returns) inner.give_back(results, d.statement->span);
  else if (!inner.returned_.empty())
    c.report.fail("E0250", d.statement->span, "the function `" + d.name.str() + "` does not return in all cases", "end it with `return result`");
  if (!returns || results.empty())
    c.report.fail("E0250", d.statement->span, "the function `" + d.name.str() + "` returns nothing", "end it with `return result`");
  return results;
}

void Evaluator::check_sizes(const Definition& d, Evaluator& inner, Span span) {
  const auto& inputs = d.statement->inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Sizes& given = inner.locals[i].value.sizes;
    bool fits = inputs[i].sizes.size() == given.size();
    for (std::size_t k = 0; fits && k < given.size(); ++k)
      fits = inputs[i].sizes[k]->kind == ExprKind::colon || inner.integer(*inputs[i].sizes[k], "a size") == given[k];
    if (fits) continue;
    std::string want = "[";
    for (std::size_t k = 0; k < inputs[i].sizes.size(); ++k) want += (k ? ", " : "") + std::string(inputs[i].sizes[k]->kind == ExprKind::colon ? ":" : std::to_string(inner.integer(*inputs[i].sizes[k], "a size")));
    const Expr* source = inner.locals[i].source;
    c.report.fail("E0222", source != nullptr ? source->span : span,
                  "the argument `" + inputs[i].name.str() + "` of `" + d.name.str() + "` is " + (inputs[i].sizes.empty() ? "a scalar" : want + "]") + ", and " + shape_text(given) + " is given");
  }
}

bool Evaluator::run_body(const std::vector<StmtPtr>& body, std::vector<Value>& out) {
  for (const StmtPtr& statement : body) {
    const Stmt& s = *statement;
    switch (s.kind) {
      case StmtKind::equation: assign(s); break;
      case StmtKind::return_:
        for (const auto& a : s.args) out.push_back(value(*a));
        return true;
      case StmtKind::if_:
        if (run_choice(s, 0, out)) return true;
        break;
      case StmtKind::for_:
        if (run_loop(s, 0, out)) return true;
        break;
      case StmtKind::assert_:
        if (choices_ == 0 && is_structural(*s.lhs) && !truth(*s.lhs)) c.report.fail("E0250", s.span, "the function's assertion fails: " + s.text);
        break;
      case StmtKind::doc: case StmtKind::blank: break;
      default: c.report.fail("E0250", s.span, "a function holds `name = expression`, `if`, `for`, `assert` and `return` only");
    }
  }
  return false;
}

// An `if` statement from its branch k on. Where the condition is known while elaborating its branch is run, else all of them, and what they assign
// or return is chosen while the model runs. Where one of them returns what is behind goes on from the other, and the result waits in returned_.
bool Evaluator::run_choice(const Stmt& s, std::size_t k, std::vector<Value>& out) {
  for (; k < s.branches.size(); ++k) {
    const auto& branch = s.branches[k];
    if (!branch.condition) return run_body(branch.body, out);
    const Expr& test = *branch.condition;
    if (mode != Mode::structural && !is_structural(test)) break;
    if (truth(test)) return run_body(branch.body, out);
  }
  if (k == s.branches.size()) return false;
  const Expr& test = *s.branches[k].condition;
  const Value holds = scalar(test, "a condition");
  if (holds.type != ValueType::boolean) c.report.fail("E0221", test.span, "a condition must be Boolean, and this is `" + type_text(holds) + "`");
  Value fails = holds;
  fails.nodes[0] = c.pool.call(Fn::not_, {holds.nodes[0]});
  std::array<Way, 2> ways;
  {
    const ScopedValue<std::size_t> kept(kept_, locals.size());
    const ScopedValue<std::uint32_t> inside(choices_, choices_ + 1);
    for (const bool first : {true, false}) {
      const ClassBuilder::Reading reading(slots);
      if (mode == Mode::normal) reading.where((first ? holds : fails).nodes[0]);
      Way& way = ways[first ? 0 : 1];
      returned_.swap(way.returned);
      way.returns = first ? run_body(s.branches[k].body, way.results) : run_choice(s, k + 1, way.results);
      if (way.returns) give_back(way.results, s.span);
      returned_.swap(way.returned);
      take_back(way);
    }
  }
  if (ways[0].returns && ways[1].returns) {
    out = either_results(holds, ways[0].results, ways[1].results, test.span);
    return true;
  }
  for (const bool first : {true, false}) {
    Way& way = ways[first ? 0 : 1];
    const Value& condition = first ? holds : fails;
    for (Returned& r : way.returned) {
      promote(r.where, condition);
      r.where.nodes[0] = c.pool.call(Fn::and_, {condition.nodes[0], r.where.nodes[0]});
      returned_.push_back(std::move(r));
    }
    if (way.returns) returned_.push_back({condition, std::move(way.results)});
  }
  if (ways[0].returns || ways[1].returns) {
    for (auto& [name, v] : ways[ways[0].returns ? 1 : 0].assigned) locals[push(name, std::move(v))].in_round = rounds_ > 0;
    return false;
  }
  // What only one branch assigns, and nothing before, is known inside it alone.
  const auto in = [&](const Way& way, Name name) -> std::optional<Value> {
    const auto it = std::ranges::find(way.assigned, name, &std::pair<Name, Value>::first);
    if (it != way.assigned.end()) return it->second;
    std::size_t i = 0;
    if (find_local(name, i) == nullptr) return std::nullopt;
    return local_value(i);
  };
  std::vector<std::pair<Name, Value>> merged;
  for (std::size_t w = 0; w < 2; ++w)
    for (const auto& [name, v] : ways[w].assigned) {
      if (w == 1 && std::ranges::find(ways[0].assigned, name, &std::pair<Name, Value>::first) != ways[0].assigned.end()) continue;
      const std::optional<Value> a = in(ways[0], name), b = in(ways[1], name);
      if (a && b) merged.emplace_back(name, selected(*this, holds, *a, *b, test.span));
      else partly_.insert(name);
    }
  for (auto& [name, v] : merged) locals[push(name, std::move(v))].in_round = rounds_ > 0;
  return false;
}

std::vector<Value> Evaluator::either_results(const Value& condition, const std::vector<Value>& a, const std::vector<Value>& b, Span span) {
  if (a.size() != b.size())
    c.report.fail("E0250", span, "this function returns " + std::to_string(std::max(a.size(), b.size())) + " results here and " + std::to_string(std::min(a.size(), b.size())) + " there");
  std::vector<Value> list;
  for (std::size_t i = 0; i < a.size(); ++i) list.push_back(selected(*this, condition, a[i], b[i], span));
  return list;
}

// Results behind those that wait: what was returned first counts.
void Evaluator::give_back(std::vector<Value>& results, Span span) {
  for (; !returned_.empty(); returned_.pop_back()) results = either_results(returned_.back().where, returned_.back().results, results, span);
}

// The names that a branch has assigned, with their last values, and its locals away again.
void Evaluator::take_back(Way& way) {
  way.assigned.clear();
  for (std::size_t i = kept_; i < locals.size(); ++i) {
    if (locals[i].ended != Local::now) continue;  // an iterator
    const auto it = std::ranges::find(way.assigned, locals[i].name, &std::pair<Name, Value>::first);
    if (it != way.assigned.end()) it->second = local_value(i);
    else way.assigned.emplace_back(locals[i].name, local_value(i));
  }
  pop(kept_);
  told_ = std::min(told_, kept_);
  known_ = std::min(known_, kept_);
}

bool Evaluator::run_loop(const Stmt& s, std::size_t k, std::vector<Value>& out) {
  if (k == s.iterators.size()) return run_body(s.body, out);
  const Run r = run(s.iterators[k], {});
  ScopedValue<std::uint32_t> rounds(rounds_, rounds_ + 1);
  bool returned = false;
  for (std::uint64_t i = 0; i < r.count && !returned; ++i) {
    c.spend(Context::cost_of_round, s.span);
    const std::size_t local = push(s.iterators[k].name);
    set_iterator(local, r, i);
    returned = run_loop(s, k + 1, out);
    if (locals.size() == local + 1) pop(local);
    else locals[local].ended = locals.size();  // names assigned inside outlive the round
  }
  return returned;
}

// `name = expression` in a function's body: a new local, or a new value of one; `name[i] = …` changes an element.
void Evaluator::assign(const Stmt& s) {
  if (s.lhs->kind == ExprKind::tuple) {
    std::vector<Value> list = results(*s.rhs, s.lhs->args.size());
    for (std::size_t i = 0; i < list.size(); ++i) set_local(*s.lhs->args[i], std::move(list[i]), nullptr);
    return;
  }
  set_local(*s.lhs, value(*s.rhs), s.rhs.get());
}

void Evaluator::set_local(const Expr& target, Value v, const Expr* source) {
  if (target.kind != ExprKind::reference || target.path.size() != 1)
    c.report.fail("E0250", target.span, "a function's statement is `name = expression`");
  const syntax::Part& part = target.path[0];
  std::size_t i = 0;
  if (part.subscripts.empty()) {
    i = push(part.name, std::move(v));
    locals[i].source = source;
    locals[i].scope = this;
    locals[i].limit = i;
    locals[i].in_round = rounds_ > 0;
    if (source != nullptr) note_names(*source);
    return;
  }
  if (find_local(part.name, i) == nullptr) c.report.fail("E0250", target.span, "`" + part.name.str() + "` has no elements yet", "give the whole array a value first, as in `" + part.name.str() + " = zeros(3)`");
  const Sizes sizes = locals[i].value.sizes;  // locals move while subscripts are evaluated
  const Selection sel = select(sizes, part.subscripts, 0, target.span);
  if (!(sel.sizes == v.sizes) || v.record || v.texts) c.report.fail("E0220", target.span, "the shapes differ: " + shape_text(sel.sizes) + " and " + shape_text(v.sizes));
  if (read_.erase(part.name) > 0 || i < kept_) {  // texts that may be read once more saw what it was, or another branch will
    Value whole = locals[i].value;
    i = push(part.name, std::move(whole));
  }
  Local& l = locals[i];
  for (std::size_t k = 0; k < sel.offsets.size(); ++k) l.value.nodes[sel.offsets[k]] = v.nodes[k];
  promote(l.value, v);
  l.value.dimension = either(l.value.dimension, v.dimension);
  l.source = nullptr;
}

// Which names a text reads that may be read once more.
void Evaluator::note_names(const Expr& e) {
  const auto look = [&](const syntax::ExprPtr& a) { if (a) note_names(*a); };
  if (!e.path.empty()) read_.insert(e.path[0].name);
  for (const syntax::Part& p : e.path) std::ranges::for_each(p.subscripts, look);
  std::ranges::for_each(e.args, look);
  for (const auto& n : e.named) look(n.value);
  for (const auto& i : e.iterators) look(i.range);
}

// ---- records ----------------------------------------------------------------------------------------------------------------

namespace {

// The declaration of a member in the text of a record or its bases, with the file it stands in.
struct Found {
  const Stmt* statement = nullptr;
  const Definition* owner = nullptr;
};
Found find_declaration(Context& c, const Definition& d, Name name, int depth = 0) {
  for (const StmtPtr& s : d.statement->body)
    if (s->kind == StmtKind::declaration)
      for (const auto& n : s->names)
        if (n.name == name) return {s.get(), &d};
  if (depth > 20) return {};
  for (const auto& b : d.statement->bases) {
    const Lookup l = c.look_up(*d.file, &d, b.path);
    if (l.definition == nullptr) continue;
    if (Found f = find_declaration(c, *l.definition, name, depth + 1); f.statement != nullptr) return f;
  }
  return {};
}

RecordField fitted(Evaluator& e, const RecordField& f, const Value& v, const Definition& d, Span s) {
  RecordField r = f;
  bool fits = f.sizes.size() == v.sizes.size() && bool(f.record) == bool(v.record);
  for (std::size_t i = 0; fits && i < f.sizes.size(); ++i) fits = f.sizes[i] == 0 || f.sizes[i] == v.sizes[i];  // 0: [:]
  if (fits && f.record) fits = f.record->definition == v.record->definition;
  if (!fits)
    e.c.report.fail("E0220", s, "`" + f.name.str() + "` of record `" + d.name.str() + "` is " + (f.record ? "a record `" + f.record->definition->name.str() + "`" : shape_text(f.sizes)) + ", and `" + type_text(v) + "` is given");
  Value declared;
  declared.type = f.type;
  declared.enumeration = f.enumeration;
  if (!f.record && !same_kind(declared, v)) e.c.report.fail("E0221", s, "`" + f.name.str() + "` of record `" + d.name.str() + "` is of type `" + type_text(declared) + "`, and `" + type_text(v) + "` is given");
  r.sizes = v.sizes;
  r.record = v.record;
  return r;
}

}  // namespace

// Orientation(T = …, w = …): members by position or name, the others from the record's own bindings.
Value Evaluator::construct(const Definition& d, const Expr& e) {
  const std::shared_ptr<const RecordType> pattern = record_pattern(c, d, e.span);
  std::map<Name, std::pair<Value, Span>> given;
  const std::vector<Name> order = record_order(c, d, e.span);
  if (e.args.size() > order.size()) c.report.fail("E0222", e.span, "record `" + d.name.str() + "` has " + std::to_string(order.size()) + " members, and " + std::to_string(e.args.size()) + " are given");
  auto type_of = [&](Name n) { const RecordField* f = pattern->field(n); return f != nullptr ? f->enumeration : nullptr; };
  for (std::size_t i = 0; i < e.args.size(); ++i) given[order[i]] = {value(*e.args[i], type_of(order[i])), e.args[i]->span};
  for (const auto& n : e.named) {
    std::vector<std::string> names;
    for (Name o : order) names.push_back(o.str());
    if (pattern->field(n.name) == nullptr) c.report.fail("E0222", n.span, "record `" + d.name.str() + "` has no member `" + n.name.str() + "`", suggestion(n.name.str(), names));
    if (given.count(n.name)) c.report.fail("E0222", n.span, "the member `" + n.name.str() + "` is given twice");
    given[n.name] = {value(*n.value, type_of(n.name)), n.value->span};
  }
  for (Name n : order) {
    if (given.count(n)) continue;
    const Found f = find_declaration(c, d, n);
    if (f.statement == nullptr || !f.statement->value) c.report.fail("E0222", e.span, "record `" + d.name.str() + "` needs the member `" + n.str() + "`");
    Evaluator inner(c, {nullptr, 0, f.owner->file, f.owner}, mode);
    inner.slots = slots;
    for (const auto& [name, v] : given) inner.push(name, v.first);
    given[n] = {inner.value(*f.statement->value, type_of(n)), e.span};
  }
  auto type = std::make_shared<RecordType>();
  type->definition = &d;
  Value v;
  for (const RecordField& f : pattern->fields) {
    const auto& [x, span] = given.at(f.name);
    RecordField field = fitted(*this, f, x, d, span);
    Value declared;
    declared.dimension = f.dimension;
    if (!x.record) units_agree(*this, declared, x, span, "=");
    field.offset = type->width;
    type->width += static_cast<std::uint32_t>(x.nodes.size());
    v.nodes.append(x.nodes);
    promote(v, x);
    type->fields.push_back(std::move(field));
  }
  v.type = ValueType::real;
  v.dimension = {};
  v.record = std::move(type);
  return v;
}

}  // namespace kron::elaborate
