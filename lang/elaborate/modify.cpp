// Modifications on their way down: who says what about which part, and what elaboration wants to know of it.
#include "engine/base/hash.hpp"
#include "lang/elaborate/builder.hpp"
#include "lang/elaborate/scoped.hpp"
#include "lang/elaborate/text.hpp"

namespace kron::elaborate {
using syntax::Modification;

namespace {

bool is(const Item& i, Name n) { return i.mod->path[i.offset].name == n; }

}  // namespace

// Whether subscripts in a modification's path (`r[3].R := 5`) mean this element.
bool ClassBuilder::subscripts_hit(const Item& i, const Step& step) {
  const syntax::Part& part = i.mod->path[i.offset];
  if (part.subscripts.empty()) return true;
  if (step.rank == 0 || step.rank > 3) return false;
  Sizes sizes;
  for (std::uint32_t d = 0; d < step.rank; ++d) sizes.push_back(step.sizes[d]);
  Evaluator e(c_, i.origin->home(i.layer), Mode::structural);
  const Selection s = e.select(sizes, part.subscripts, 0, i.mod->span);
  return std::find(s.offsets.begin(), s.offsets.end(), step.element) != s.offsets.end();
}

// The items for one component or variable: those of the whole, and those of its parts; outermost first.
Descent ClassBuilder::descend(const Items& items, const Step& step) {
  Descent d;
  for (const Item& i : items) {
    if (!is(i, step.name) || !subscripts_hit(i, step)) continue;
    Item next = i;
    const bool one_element = !i.mod->path[i.offset].subscripts.empty();
    if (!one_element) next.lead = i.lead * step.count + step.element;
    ++next.offset;
    if (next.offset < i.mod->path.size()) {
      d.parts.push_back(next);
      continue;
    }
    d.whole.push_back(next);
    for (const Modification& m : i.mod->nested) {
      Item inner = next;
      inner.mod = &m;
      inner.offset = 0;
      d.parts.push_back(inner);
    }
  }
  return d;
}

// What this class itself says of a member: extends clauses, then the declaration's own modifications and attributes.
Descent ClassBuilder::own_items(std::uint32_t index, const Step& step) {
  const Member& m = members_[index];
  Descent d = descend(m.items, step);
  for (const auto* list : {&m.declared->attributes, &m.statement->mods})
    for (const Modification& x : *list) d.parts.push_back({&x, 0, this, m.layer, step.element, false, false});
  return d;
}

// ---- questions --------------------------------------------------------------------------------------------------------------

namespace {

Name attribute_name(Ask a) {
  static const Name fixed("fixed"), state("state");
  return a == Ask::fixed ? fixed : state;
}

const Item* said(const Descent& d, Ask kind) {
  switch (kind) {
    case Ask::value: case Ask::shape: case Ask::constant: case Ask::literals: case Ask::zeros:
      for (const Item& i : d.whole)
        if (i.mod->value) return &i;
      return nullptr;
    case Ask::replacement:
      for (const Item& i : d.whole)
        if (!i.mod->replacement.empty()) return &i;
      return nullptr;
    default:
      for (const Item& i : d.parts)
        if (is(i, attribute_name(kind)) && i.offset + 1 == i.mod->path.size()) return &i;
      return nullptr;
  }
}

Known truth_known(bool b) {
  Known k;
  k.shape.type = ValueType::boolean;
  k.numbers.push_back(b ? 1 : 0);
  return k;
}

}  // namespace

Answer made(Known k, Span span) {
  Answer a;
  a.hash = k.hash();
  a.known = std::make_shared<const Known>(std::move(k));
  a.span = span;
  return a;
}

Answer no_value_before_start(Span span) {
  Answer a;
  a.found_at_start = true;
  a.hash = 1;  // in place of the value's
  a.span = span;
  return a;
}

// A value given for an array of components: the element's part of it, for a variable of this rank.
Known element_of(const Known& k, std::uint64_t lead, std::uint32_t rank) {
  if (k.shape.rank() <= rank) return k;
  const std::size_t extra = k.shape.rank() - rank;
  std::uint64_t elements = 1, each = k.shape.record ? k.shape.record->width : 1;
  for (std::size_t d = 0; d < k.shape.rank(); ++d) (d < extra ? elements : each) *= k.shape.sizes[d];
  Known r;
  r.shape = k.shape;
  r.shape.sizes.clear();
  for (std::size_t d = extra; d < k.shape.rank(); ++d) r.shape.sizes.push_back(k.shape.sizes[d]);
  const std::uint64_t at = elements == 0 ? 0 : lead % elements;
  if (k.shape.texts) r.shape.texts = std::make_shared<const std::vector<std::string>>(1, (*k.shape.texts)[at]);
  for (std::uint64_t i = 0; i < each && !k.numbers.empty(); ++i) r.numbers.push_back(k.numbers[at * each + i]);
  return r;
}

// Evaluated where it was written.
Answer ClassBuilder::evaluate(const Item& i, const Question& q) {
  const Home at = i.origin->home(i.layer);
  if (q.kind == Ask::replacement) {
    Answer a;
    a.replacement = &i.origin->find_class(i.mod->replacement, i.layer, i.mod->span);
    a.hash = reinterpret_cast<std::uintptr_t>(a.replacement);
    a.span = i.mod->span;
    return a;
  }
  if (!i.mod->value) return made(truth_known(true), i.mod->span);  // `fixed` alone
  const syntax::Expr& x = *i.mod->value;
  if (q.kind == Ask::constant) {
    Evaluator e(c_, at, Mode::structural);
    return made(truth_known(e.variability(x) == Variability::constant), x.span);
  }
  const Known* value = nullptr;
  try {
    value = &i.origin->whole(x, q.kind, i.layer, q.expected);
  } catch (const FoundAtStart&) {
    return no_value_before_start(x.span);
  }
  const Known& k = *value;
  if (is_literals(q.kind)) return made(element_of(k, i.lead, q.rank + 1), x.span);
  if (q.kind != Ask::shape) return made(element_of(k, i.lead, q.rank), x.span);
  Known part = k;
  if (k.shape.rank() > q.rank)
    part.shape.sizes = [&] { Sizes s; for (std::size_t d = k.shape.rank() - q.rank; d < k.shape.rank(); ++d) s.push_back(k.shape.sizes[d]); return s; }();
  return made(std::move(part), x.span);
}

const Known& ClassBuilder::whole(const syntax::Expr& x, Ask kind, std::uint32_t layer, const EnumType* expected) {
  const auto key = std::tuple(&x, kind, layer, expected);
  if (const auto it = wholes_.find(key); it != wholes_.end()) return it->second;
  Known k;
  if (is_literals(kind)) {
    k = literals_of(x, home(layer), kind);
  } else {
    Evaluator e(c_, home(layer), kind == Ask::shape ? Mode::shape : Mode::structural);
    if (kind == Ask::shape) {
      k.shape = e.value(x, expected);
      k.shape.nodes.clear();
      k.shape.record = nullptr;
    } else {
      k = e.known(x, expected);
    }
  }
  return wholes_.emplace(key, std::move(k)).first->second;
}

// The first answer that the items of an environment give.
Answer ask_environment(const Environment& env, const Question& q) {
  if (env.parent == nullptr) return {};
  ClassBuilder& parent = *env.parent;
  if (q.kind == Ask::outer) return parent.outer_value(q);
  Descent d{env.whole, env.items};
  for (const Step& s : q.path) d = parent.descend(d.parts, s);
  const Item* i = said(d, q.kind);
  if (i == nullptr && q.path.size() == 1 && q.kind == Ask::value) return parent.field_of_whole(env, q);
  if (i == nullptr) return {};
  if (!i->inherited) return parent.evaluate(*i, q);
  return parent.ask(inside_question(env, q));
}

// The same question as the parent would put it.
Question inside_question(const Environment& env, const Question& q) {
  Question up = q;
  up.path.clear();
  up.path.push_back(env.step);
  up.path.append(q.path);
  return up;
}

// A member of a record that was given as a whole.
Answer ClassBuilder::field_of_whole(const Environment& env, const Question& q) {
  const Descent given{env.whole, {}};
  const Item* whole = said(given, Ask::value);
  if (whole == nullptr) return {};
  Question of_whole = q;
  of_whole.path.clear();
  of_whole.rank = 0;
  const Answer a = whole->inherited ? ask(inside_question(env, of_whole)) : evaluate(*whole, of_whole);
  if (a.found_at_start) return a;
  if (!a.known || !a.known->shape.record) return {};
  PoolUse use(c_);
  Evaluator e(c_, home(0), Mode::structural);
  Known k;
  k.shape = e.field(to_value(c_, *a.known), q.path[0].name, a.span);
  for (NodeId n : k.shape.nodes) k.numbers.push_back(*number_of(c_, n));
  k.shape.nodes.clear();
  return made(std::move(k), a.span);
}

// Asked once; the answers, in order, are what a cached blueprint is found by.
Answer ClassBuilder::ask(const Question& q) {
  for (const auto& [known, a] : answers_)
    if (known == q) return a;
  const Answer a = ask_environment(env_, q);
  if (a.given()) {
    answers_.emplace_back(q, a);
    asked_.emplace_back(q, a.hash);
  }
  return a;
}

Answer ClassBuilder::ask(Ask kind, Name member, std::uint32_t rank, const EnumType* expected) {
  if (env_.items.empty() && env_.whole.empty() && env_.shadow == nullptr) return {};
  if (env_.shadow != nullptr && kind == Ask::value) return ask_shadow(member, rank, expected);
  Question q;
  q.kind = kind;
  q.path.push_back({member, 0, 1, 0, {}});
  q.rank = rank;
  q.expected = expected;
  return ask(q);
}

// Whether an outer modification gives the member a value or an attribute: presence is part of the cache's key, no question.
bool ClassBuilder::environment_says(Name member, Name attribute) {
  if (env_.items.empty()) return false;
  const Descent d = env_.parent->descend(env_.items, {member, 0, 1, 0, {}});
  if (attribute.empty()) return said(d, Ask::value) != nullptr;
  for (const Item& i : d.parts)
    if (is(i, attribute)) return true;
  return false;
}

// The same for a part of a component, whichever element.
bool ClassBuilder::environment_says_path(const std::vector<Name>& path) {
  if (env_.items.empty()) return false;
  Items items = env_.items;
  for (std::size_t k = 0; k < path.size(); ++k) {
    const Descent d = env_.parent->descend(items, {path[k], 0, 1, 0, {}});
    if (k + 1 == path.size()) return said(d, Ask::value) != nullptr;
    items = d.parts;
  }
  return false;
}

// ---- what a component gets ----------------------------------------------------------------------------------------------------

Environment ClassBuilder::environment(std::uint32_t index, const Step& step) {
  const Member& m = members_[index];
  Environment env;
  env.parent = this;
  env.step = step;
  env.place = m.declared->span;
  Descent own = own_items(index, step);
  if (!env_.items.empty()) {
    Descent outer = env_.parent->descend(env_.items, step);
    for (Items* list : {&outer.whole, &outer.parts})
      for (Item& i : *list) i.inherited = true;
    env.items = std::move(outer.parts);
    env.whole = std::move(outer.whole);
  }
  env.items.insert(env.items.end(), own.parts.begin(), own.parts.end());
  env.whole.insert(env.whole.end(), own.whole.begin(), own.whole.end());
  if (m.statement->value) {  // a record's binding
    auto& mod = bindings_[index];
    if (mod.path.empty()) {
      mod.path.push_back({m.declared->name, {}});
      mod.value = m.statement->value;
      mod.span = m.statement->value->span;
    }
    env.whole.push_back({&mod, 1, this, m.layer, step.element, false, false});
  }
  if (m.statement->prefix != syntax::Prefix::component) env.role = m.statement->prefix;
  if (env_.role != syntax::Prefix::component && (env.role == syntax::Prefix::variable || env.role == syntax::Prefix::component)) env.role = env_.role;
  if (env_.graph != nullptr)
    if (auto it = env_.graph->children.find({step.name.value, step.element}); it != env_.graph->children.end()) env.graph = it->second.get();
  return env;
}

// ---- signature ----------------------------------------------------------------------------------------------------------------

namespace {

std::uint64_t content(const Modification& m, std::uint32_t offset, std::uint64_t h) {
  for (std::size_t k = offset; k < m.path.size(); ++k) h = combine(h, m.path[k].name.value * 2 + m.path[k].subscripts.empty());
  for (const syntax::ExprPtr& x : m.path.back().subscripts)  // elements_given_alone
    if (x->kind == syntax::ExprKind::number) h = combine(h, content_hash(x->number));
  const bool value = m.value != nullptr;
  h = combine(h, (value ? 1u : 0u) | (m.is_final ? 2u : 0u) | (m.replacement.empty() ? 0u : 4u));
  for (const Modification& n : m.nested) h = content(n, 0, combine(h, 0x51));
  return h;
}

}  // namespace

// The kinds of what is said, not the values.
std::uint64_t signature(const Environment& env) {
  std::uint64_t h = 0x77;
  for (const Item& i : env.items) h = content(*i.mod, i.offset, h);
  for (const Item& i : env.whole)
    if (i.mod->value) h = combine(h, 0x99);
  h = combine(h, static_cast<std::uint64_t>(env.role));
  if (env.graph != nullptr) h = combine(h, env.graph->hash);
  if (env.shadow != nullptr) {
    h = combine(h, 0xdead);
    for (Name n : env.shadow->members) h = combine(h, n.value);
  }
  return h;
}

}  // namespace kron::elaborate
