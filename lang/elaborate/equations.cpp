// Equations: arrays to scalars, loops, conditions, assertions.
#include "lang/elaborate/builder.hpp"
#include "lang/elaborate/scoped.hpp"
#include "lang/elaborate/text.hpp"
#include "lang/syntax/printer.hpp"

namespace kron::elaborate {
using syntax::Expr;
using syntax::ExprKind;
using syntax::Stmt;
using syntax::StmtKind;
using syntax::StmtPtr;

void ClassBuilder::emit_equations() {
  const bool keeping = kept_ != nullptr;
  for (const auto& [s, layer] : statements_) {
    if (keeping && layer == 0 && connect_as_before(**s)) continue;
    guarded_emission([&, &stmt = *s, at = layer] {
      Evaluator e(c_, home(at), Mode::normal);
      Walk w{e};
      if (keeping && at == 0 && stmt->kind == StmtKind::connect) connect_and_keep(stmt, w);
      else if (!keeping || at != 0 || stmt->kind != StmtKind::for_) statement(*stmt, w);
      else if (!loop_as_before(*stmt, w)) loop_and_keep(stmt, w);
    });
    watch_answers(**s);
    loop_sizes_.clear();
    loops_ = 0;
    flush();
    c_.tidy();
  }
  check_sources();
}

void ClassBuilder::statement(const Stmt& s, Walk& w) {
  ScopedValue<bool> initial(w.initial, w.initial || s.is_initial);
  const Reading reading(this);
  if (w.initial) reading.where(c_.pool.operand(model::Operand(model::OperandKind::initial, 0)));
  switch (s.kind) {
    case StmtKind::equation: equation(s, w); break;
    case StmtKind::connect: connect(s, w); break;
    case StmtKind::for_: loop(s, w, 0); break;
    case StmtKind::if_: choose(s, w); break;
    case StmtKind::initial_block: {
      ScopedValue<bool> inside(w.initial, true);
      body(s.body, w);
      break;
    }
    case StmtKind::assert_: assertion(s, w); break;
    case StmtKind::branch_: branch(s, w); break;
    case StmtKind::root: root(s, w); break;
    case StmtKind::tear: tear(s, w); break;
    case StmtKind::when: when(s, w); break;
    case StmtKind::reinit: case StmtKind::terminate: action(s, w); break;
    case StmtKind::doc: case StmtKind::blank: case StmtKind::command: break;
    default: c_.report.fail("E0256", s.span, "this statement cannot stand here");
  }
}

void ClassBuilder::body(const std::vector<StmtPtr>& list, Walk& w) {
  if (loops_ == 0 && w.collect == nullptr) {
    for (const StmtPtr& s : list) guarded_emission([&] { statement(*s, w); });
    return;
  }
  for (const StmtPtr& s : list) statement(*s, w);
}

// ---- loops and conditions ---------------------------------------------------------------------------------------------------------

namespace {
void expressions_of(const Stmt& s, std::vector<const Expr*>& out) {
  for (const auto* e : {&s.lhs, &s.rhs})
    if (*e) out.push_back(e->get());
  for (const auto& r : s.refs) out.push_back(r.get());
  for (const auto& b : s.body) expressions_of(*b, out);
  for (const auto& b : s.branches)
    for (const auto& x : b.body) expressions_of(*x, out);
}
}  // namespace

void ClassBuilder::loop(const Stmt& s, Walk& w, std::size_t k) {
  if (k == s.iterators.size()) {
    body(s.body, w);
    return;
  }
  std::vector<const Expr*> uses;
  if (!s.iterators[k].range) expressions_of(s, uses);
  const Evaluator::Run r = w.e.run(s.iterators[k], uses);
  if (loops_ == 0) rounds_ = 0;
  ScopedValue<std::uint32_t> depth(loops_, loops_ + 1);
  loop_sizes_.push_back(static_cast<std::uint32_t>(r.count));
  const std::size_t local = w.e.push(s.iterators[k].name);
  const bool innermost = k + 1 == s.iterators.size() && w.collect == nullptr && w.when == nullptr;
  bool even = innermost;  // rounds may follow each other evenly from here on
  for (std::uint64_t i = 0; i < r.count; ++i) {
    if (even && has_templates(s.body)) {
      const std::uint64_t emitted = even_rounds(s.body, w.e, local, r, i);
      even = emitted > 0;
      i += emitted;
      if (i == r.count) break;
    } else {
      even = even && i == 0;  // the first round makes them
    }
    if (++rounds_ > max_elements) c_.report.fail("E0227", s.span, "this loop runs too often (more than " + std::to_string(max_elements) + " times)");
    c_.work = 0;
    w.e.set_iterator(local, r, i);
    loop(s, w, k + 1);
    w.e.pop(local + 1);
    if (w.collect == nullptr && c_.pool_users == 1 && c_.crowded()) {
      c_.empty_pool();
      w.e.refresh();
    }
  }
  w.e.pop(local);
  loop_sizes_.pop_back();
}

// A structural condition decides here; what it rules out is not looked at.
void ClassBuilder::choose(const Stmt& s, Walk& w) {
  for (const auto& b : s.branches)
    if (b.condition && w.e.variability(*b.condition) > Variability::parameter) return choose_at_run_time(s, w);
  ask(s, w.e);
  for (const auto& b : s.branches) {
    if (b.condition && w.e.hangs_on_free(*b.condition)) return choose_at_run_time(s, w);
    if (!b.condition || w.e.truth(*b.condition)) return body(b.body, w);
  }
}

// Branches with equal numbers of equations, taken one by one: select(c, a, b).
void ClassBuilder::choose_at_run_time(const Stmt& s, Walk& w) {
  std::vector<Choice> open;
  bool closed = false;
  for (const auto& b : s.branches) {
    Choice c;
    c.condition = c_.pool.literal(1);
    if (b.condition) {
      if (w.e.is_structural(*b.condition)) {
        if (!w.e.truth(*b.condition)) continue;
        closed = true;
      } else {
        const Value v = w.e.scalar(*b.condition, "a condition");
        if (v.type != ValueType::boolean) c_.report.fail("E0221", b.condition->span, "a condition must be Boolean, and this is `" + type_text(v) + "`");
        c.condition = v.nodes[0];
      }
    } else {
      closed = true;
    }
    Walk inner{w.e, w.initial, &c.rows, guard_of(open, c.condition, w), true, w.when};
    const Reading inside(this);
    inside.where(inner.guard);
    body(b.body, inner);
    open.push_back(std::move(c));
    if (closed) break;
  }
  if (!closed) open.push_back({});
  merge(s, open, w);
}

// The branches before are false, this one is true, and so is what encloses the statement.
NodeId ClassBuilder::guard_of(const std::vector<Choice>& before, NodeId condition, const Walk& w) {
  auto both = [&](NodeId a, NodeId b) {
    if (const Rational* r = c_.pool.if_literal(a)) return *r == 0 ? a : b;
    if (const Rational* r = c_.pool.if_literal(b)) return *r == 0 ? b : a;
    return c_.pool.call(Fn::and_, {a, b});
  };
  NodeId g = w.guarded ? w.guard : c_.pool.literal(1);
  for (const Choice& c : before) g = both(g, c_.pool.call(Fn::not_, {c.condition}));
  return both(g, condition);
}

void ClassBuilder::merge(const Stmt& s, const std::vector<Choice>& branches, Walk& w) {
  std::vector<std::size_t> counts;
  for (const Choice& c : branches) {
    std::size_t n = 0;
    for (const Rows& r : c.rows) n += r.pairs.size();
    counts.push_back(n);
  }
  for (std::size_t i = 1; i < counts.size(); ++i)
    if (counts[i] != counts[0]) {
      std::string list = std::to_string(counts[0]);
      for (std::size_t k = 1; k < counts.size(); ++k) list += (k + 1 == counts.size() ? " and " : ", ") + std::to_string(counts[k]);
      c_.report.fail("E0230", s.span, "the branches of this `if` have " + list + " equations", "a condition that changes while the model runs needs as many equations in each branch, `else` included");
    }
  std::vector<std::pair<NodeId, NodeId>> all = flat_rows(branches.back().rows);
  for (std::size_t b = branches.size() - 1; b-- > 0;) {
    const auto mine = flat_rows(branches[b].rows);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = chosen(branches[b].condition, mine[i], all[i]);
  }
  std::size_t at = 0;  // labels and shapes are the first branch's
  for (Rows r : branches.front().rows) {
    for (auto& p : r.pairs) p = all[at++];
    add_rows(std::move(r), w);
  }
}

std::vector<std::pair<NodeId, NodeId>> ClassBuilder::flat_rows(const std::vector<Rows>& list) {
  std::vector<std::pair<NodeId, NodeId>> all;
  for (const Rows& r : list) all.insert(all.end(), r.pairs.begin(), r.pairs.end());
  return all;
}

// x = a and x = b become x = select(c, a, b), which can be solved for x; else select(c, residual, residual) = 0.
std::pair<NodeId, NodeId> ClassBuilder::chosen(NodeId condition, std::pair<NodeId, NodeId> a, std::pair<NodeId, NodeId> b) {
  model::Exprs& p = c_.pool;
  if (a.first == b.first) return {a.first, a.second == b.second ? a.second : p.call(Fn::select, {condition, a.second, b.second})};
  return {p.call(Fn::select, {condition, p.sub(a.first, a.second), p.sub(b.first, b.second)}), p.literal(0)};
}

// ---- equations --------------------------------------------------------------------------------------------------------------------

void ClassBuilder::equation(const Stmt& s, Walk& w) {
  if (s.lhs->kind == ExprKind::tuple) {
    tuple_equation(s, w);
    return;
  }
  const bool plain = w.collect == nullptr && w.when == nullptr;
  Template* t = loops_ > 0 && plain && s.annotations.empty() ? &templates_[&s] : nullptr;
  if (t != nullptr && t->state == Template::State::fit && use_template(*t, s, w.e)) return;
  const EnumType *left = w.e.enumeration_of(*s.lhs), *right = left == nullptr ? w.e.enumeration_of(*s.rhs) : nullptr;
  const Value a = w.e.value(*s.lhs, right), b = w.e.value(*s.rhs, left);
  Rows r{&s, a.sizes, {}, {}, no_place};
  pair_up(a, b, r, w, s.span);
  learn_from(*s.lhs, a, b, w.e);
  learn_from(*s.rhs, b, a, w.e);
  each_derivative(s.annotations, [&](const Expr& x) {
    if (!plain || w.initial) c_.report.fail("E0239", x.span, "`@derivative` stands only behind equations that always hold", "take it out: the equation is differentiated where that is necessary");
    const Value v = w.e.value(x);
    check_derivative(v, r.sizes, x.span);
    r.derivatives.emplace_back(v.nodes.begin(), v.nodes.end());
  });
  if (!r.derivatives.empty()) r.derivative_axes = derivative_axes(s, r.sizes, w.e);
  add_rows(std::move(r), w);
  if (t != nullptr && t->state == Template::State::untried) make_template(s, w.e);
}

void ClassBuilder::pair_up(const Value& a, const Value& b, Rows& r, Walk& w, Span span) {
  check_sides(a, b, span);
  if (w.e.mode == Mode::normal && clash(a.dimension, b.dimension)) warn_units(a, b, span);
  else units_agree(w.e, a, b, span, "=");
  r.pairs.reserve(r.pairs.size() + a.nodes.size());
  for (std::size_t i = 0; i < a.nodes.size(); ++i) r.pairs.emplace_back(a.nodes[i], b.nodes[i]);
}

void ClassBuilder::warn_units(const Value& a, const Value& b, Span span) {
  if (!c_.report.first("W0201", span)) return;
  auto& d = c_.report.warning("W0201", span, "the units of this equation do not balance: " + dimension_text(a.dimension) + " on the left, " + dimension_text(b.dimension) + " on the right");
  d.label = dimension_text(a.dimension) + " = " + dimension_text(b.dimension);
}

void ClassBuilder::check_sides(const Value& a, const Value& b, Span span) {
  if (a.type == ValueType::string || b.type == ValueType::string) c_.report.fail("E0221", span, "an equation needs numbers, and this is a String");
  if (!same_kind(a, b)) c_.report.fail("E0221", span, "the sides of this equation differ in type: `" + type_text(a) + "` and `" + type_text(b) + "`");
  for (const auto& [whole, other] : {std::pair{&a, &b}, {&b, &a}})
    for (NodeId n : other->nodes)
      if (const Rational* r = c_.pool.if_literal(n); r != nullptr && whole->type == ValueType::integer && denominator(*r) != 1)
        c_.report.fail("E0221", span, "one side of this equation is an Integer, and the other is " + to_text(*r));
  if (a.sizes == b.sizes) return;
  const bool one = a.sizes.empty() != b.sizes.empty();
  c_.report.fail("E0220", span, "the sides of this equation differ in shape: " + shape_text(a.sizes) + " and " + shape_text(b.sizes), one ? "to use a number for every element write `fill(x, n)`" : "");
}

// An equation x = e tells the unit of x where none was declared.
void ClassBuilder::learn_from(const Expr& side, const Value& mine, const Value& other, Evaluator& e) {
  if (side.kind != ExprKind::reference || side.path.size() != 1 || mine.dimension.state != Dimension::State::unknown || !other.dimension.is_known()) return;
  const auto m = find(side.path[0].name, e.home.layer);
  if (!m) return;
  MemberInfo& info = out_->members[*m];
  const bool open = info.kind == MemberInfo::Kind::variable && info.type == ValueType::real && info.dimension.state == Dimension::State::unknown;
  if (open && !members_[*m].statement->type_text) info.dimension = other.dimension;
}

// (x, y) = f(u)
void ClassBuilder::tuple_equation(const Stmt& s, Walk& w) {
  const auto& targets = s.lhs->args;
  const std::vector<Value> list = w.e.results(*s.rhs, targets.size());
  Rows r{&s, {}, {}, {}, no_place};
  for (std::size_t i = 0; i < targets.size(); ++i) pair_up(w.e.value(*targets[i]), list[i], r, w, s.span);
  if (targets.size() > 1 || r.pairs.size() > 1) r.sizes.push_back(static_cast<std::uint32_t>(r.pairs.size()));
  add_rows(std::move(r), w);
}

// A record's equation is numbered over all its scalars.
void ClassBuilder::add_rows(Rows r, Walk& w) {
  if (w.collect != nullptr) {
    w.collect->push_back(std::move(r));
    return;
  }
  if (w.when != nullptr) {
    collect_assignments(std::move(r), w);
    return;
  }
  if (count(r.sizes) != r.pairs.size()) r.sizes = Sizes{static_cast<std::uint32_t>(r.pairs.size())};
  auto [it, fresh] = group_of_.emplace(r.owner, groups_.size());
  if (fresh) {
    groups_.push_back({r.owner, w.initial, r.sizes, false, loop_sizes_, {}, {}, r.derivative_axes});
    if (!loop_sizes_.empty()) groups_.back().equations.reserve(std::min<std::uint64_t>(count(loop_sizes_) * r.pairs.size(), 1u << 20));
  }
  Group& g = groups_[it->second];
  g.ragged = g.ragged || !(g.sizes == r.sizes) || !(g.loops == loop_sizes_);
  g.derivatives.resize(r.derivatives.size());
  for (std::size_t k = 0; k < r.derivatives.size(); ++k)
    for (const NodeId n : r.derivatives[k]) g.derivatives[k].push_back(model::forms().intern(c_.pool, n));
  for (const auto& [a, b] : r.pairs) {
    model::Equation q;
    const auto [f, first] = form(c_.pool.sub(a, b), q.count);
    q.form = f;
    q.first = first;
    q.origin = w.initial ? model::EquationOrigin::initial : w.assigning ? model::EquationOrigin::when : model::EquationOrigin::equation;
    if (w.assigning) q.target = c_.pool.operand_of(a).index();
    q.span = r.owner->span;
    g.equations.push_back(q);
  }
}

// The groups of one top-level statement become equation arrays: loops' sizes first, then the equation's own.
void ClassBuilder::flush() {
  for (Group& g : groups_) {
    if (g.equations.empty()) continue;
    auto& list = g.initial ? b_.initial_equations : b_.equations;
    model::EquationGroup group;
    group.label = label_of(*g.owner);
    Sizes sizes = joined(g.loops, g.sizes);
    if (g.ragged || count(sizes) != g.equations.size()) sizes = Sizes{static_cast<std::uint32_t>(g.equations.size())};
    group.sizes.assign(sizes.begin(), sizes.end());
    group.first = static_cast<std::uint32_t>(list.size());
    group.count = static_cast<std::uint32_t>(g.equations.size());
    group.doc = g.owner->doc;
    group.span = g.owner->span;
    for (std::vector<model::Bound>& order : g.derivatives) std::ranges::move(order, std::back_inserter(group.derivatives));
    group.derivative_axes = g.derivative_axes;
    b_.gives_derivatives = b_.gives_derivatives || !group.derivatives.empty();
    const auto number = static_cast<std::uint32_t>(b_.equation_groups.size());
    grow(list, g.equations.size());
    for (std::size_t i = 0; i < g.equations.size(); ++i) {
      model::Equation& q = g.equations[i];
      q.label = group.label;
      q.group = number;
      q.element = static_cast<std::uint32_t>(i);
      list.push_back(q);
    }
    b_.equation_groups.push_back(std::move(group));
  }
  if (groups_.empty() && templates_.empty()) return;  // as behind every connection; clearing an empty table costs its buckets
  groups_.clear();
  group_of_.clear();
  templates_.clear();
}

Name ClassBuilder::label_of(const Stmt& s) {
  auto it = labels_.find(&s);
  return it == labels_.end() ? s.label : it->second;
}

// tear v, tear v, label, tear residue label, untear v: the names must be there.
void ClassBuilder::tear(const Stmt& s, Walk& w) {
  if (s.refs.empty()) return;
  model::TearHint hint;
  hint.untear = s.is_untear;
  hint.span = s.span;
  if (!s.is_residue) {
    const Value v = w.e.value(*s.refs[0]);
    bool fits = v.variability > Variability::parameter;
    for (NodeId n : v.nodes) fits = fits && c_.pool[n].op == model::ExprOp::operand;
    if (!fits) c_.report.fail("E0237", s.refs[0]->span, "`tear` takes a variable or the derivative of one");
    for (NodeId n : v.nodes) hint.variables.push_back(c_.pool.operand_of(n));
  }
  if (s.is_residue || s.refs.size() > 1) hint.label = syntax::print(*s.refs.back());
  b_.tears.push_back(std::move(hint));
}

// ---- assertions -------------------------------------------------------------------------------------------------------------------

void ClassBuilder::assertion(const Stmt& s, Walk& w) {
  Value v = [&] {
    ScopedValue<bool> free(w.e.free_units, true);  // a comparison of numbers is no balance of quantities
    return w.e.scalar(*s.lhs, "an assertion's condition");
  }();
  if (v.type != ValueType::boolean) c_.report.fail("E0221", s.lhs->span, "an assertion needs a Boolean, and this is `" + type_text(v) + "`");
  NodeId condition = v.nodes[0];
  if (w.when != nullptr) {  // looked at when the branch acts
    model::Action a;
    a.kind = model::Action::Kind::assertion;
    const NodeId quiet = c_.pool.call(Fn::no_event, {condition});
    a.trigger = model::forms().intern(c_.pool, c_.pool.call(Fn::and_, {w.guard, c_.pool.call(Fn::not_, {quiet})}));
    a.value = model::forms().intern(c_.pool, condition);
    a.text = s.text;
    a.span = s.span;
    tell(s, a.text, a.values, w);
    b_.actions.push_back(std::move(a));
    return;
  }
  if (w.guarded) condition = c_.pool.call(Fn::or_, {c_.pool.call(Fn::not_, {w.guard}), condition});
  model::Assertion a;
  const auto [f, first] = form(condition, a.count);
  a.condition = f;
  a.first = first;
  a.text = s.text;
  a.span = s.span;
  tell(s, a.text, a.values, w);
  b_.assertions.push_back(std::move(a));
}

// What stands behind the text of a statement: texts join it, numbers are told with it.
void ClassBuilder::tell(const Stmt& s, std::string& text, std::vector<model::Bound>& values, Walk& w) {
  for (const auto& x : s.args) {
    const Value value = w.e.value(*x);
    if (value.texts)
      for (const std::string& t : *value.texts) text += (text.empty() ? "" : " ") + t;
    else
      for (NodeId n : value.nodes) values.push_back(model::forms().intern(c_.pool, n));
  }
}

}  // namespace kron::elaborate
