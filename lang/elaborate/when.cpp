// `when`: what its branches give values becomes one equation for each variable, x = if edge(c1) then e1 elseif … else pre(x); the rest are
// actions.
#include "lang/elaborate/builder.hpp"
#include "lang/elaborate/scoped.hpp"
#include "lang/elaborate/text.hpp"

namespace kron::elaborate {
using syntax::Expr;
using syntax::ExprKind;
using syntax::Stmt;
using syntax::StmtKind;

namespace {

NodeId both(model::Exprs& p, NodeId a, NodeId b) {
  if (const Rational* r = p.if_literal(a)) return *r == 0 ? a : b;
  if (const Rational* r = p.if_literal(b)) return *r == 0 ? b : a;
  return p.call(Fn::and_, {a, b});
}

}  // namespace

void ClassBuilder::when(const Stmt& s, Walk& w) {
  if (w.when != nullptr || w.collect != nullptr)
    c_.report.fail("E0240", s.span, w.when != nullptr ? "a `when` inside a `when`" : "a `when` inside an `if` that is decided while the model runs",
                   "join the conditions: `when a and b`");
  if (w.initial) c_.report.fail("E0240", s.span, "a `when` cannot be an initial equation", "`when initial()` acts at the start");
  std::vector<When> branches;
  NodeId earlier = c_.pool.literal(0);  // a branch before acts
  for (const auto& b : s.branches) {
    if (!b.condition) c_.report.fail("E0240", s.span, "a `when` has no `else`", "`elsewhen` takes another condition");
    When branch;
    const NodeId own = trigger(*b.condition, w.e);
    branch.trigger = both(c_.pool, own, c_.pool.call(Fn::not_, {earlier}));
    earlier = c_.pool.if_literal(earlier) != nullptr ? own : c_.pool.call(Fn::or_, {earlier, own});
    Walk inner{w.e};
    inner.guard = branch.trigger;
    inner.guarded = true;
    inner.when = &branch;
    const Reading inside(this);
    inside.where(branch.trigger);
    ScopedValue<bool> acting(acting_, true);
    body(b.body, inner);
    branches.push_back(std::move(branch));
  }
  assign(branches, w);
}

// One condition, or a vector of them: any may become true.
NodeId ClassBuilder::trigger(const Expr& x, Evaluator& e) {
  const Value v = e.value(x);
  if (v.type != ValueType::boolean || v.rank() > 1 || v.nodes.empty())
    c_.report.fail("E0221", x.span, "a condition must be Boolean, and this is `" + type_text(v) + "`");
  NodeId any = c_.pool.call(Fn::edge, {v.nodes[0]});
  for (std::size_t i = 1; i < v.nodes.size(); ++i) any = c_.pool.call(Fn::or_, {any, c_.pool.call(Fn::edge, {v.nodes[i]})});
  return any;
}

void ClassBuilder::collect_assignments(Rows r, Walk& w) {
  for (const auto& [left, right] : r.pairs) {
    const model::ExprNode& n = c_.pool[left];
    const bool slot = n.op == model::ExprOp::operand && c_.pool.operand_of(left).kind() == model::OperandKind::value && c_.pool.operand_of(left).order() == 0;
    if (slot && !is_constant(c_.pool.operand_of(left))) continue;
    c_.report.fail("E0241", r.owner->span, "in a `when` an equation has a variable on its left side",
                   "write `x = …`; a state gets a new value by `reinit x = …`");
  }
  w.when->rows.push_back(std::move(r));
}

// Each variable keeps its value where no branch acts that gives it one.
void ClassBuilder::assign(const std::vector<When>& branches, Walk& w) {
  std::unordered_map<std::uint32_t, std::vector<std::pair<std::size_t, NodeId>>> given;  // by slot: branch and value
  const auto slot_of = [&](NodeId n) { return c_.pool.operand_of(n).index(); };
  for (std::size_t b = 0; b < branches.size(); ++b)
    for (const Rows& r : branches[b].rows)
      for (const auto& [left, right] : r.pairs) {
        auto& list = given[slot_of(left)];
        if (!list.empty() && list.back().first == b)
          c_.report.fail("E0321", r.owner->span, "`" + slot_name(slot_of(left)) + "` is given two values by one branch");
        list.emplace_back(b, right);
      }
  Walk assigning{w.e};
  assigning.assigning = true;
  std::unordered_set<std::uint32_t> done;
  for (const When& branch : branches)
    for (const Rows& r : branch.rows) {
      Rows rows{r.owner, r.sizes, {}, {}, no_place};
      for (const auto& [left, right] : r.pairs) {
        if (!done.insert(slot_of(left)).second) continue;
        const auto& list = given.at(slot_of(left));
        NodeId value = c_.pool.operand(model::Operand::pre(c_.pool.operand_of(left).slot()));
        for (std::size_t k = list.size(); k-- > 0;) value = c_.pool.call(Fn::select, {branches[list[k].first].trigger, list[k].second, value});
        rows.pairs.emplace_back(left, value);
      }
      if (!rows.pairs.empty()) add_rows(std::move(rows), assigning);
    }
}

// reinit, terminate
void ClassBuilder::action(const Stmt& s, Walk& w) {
  const char* what = s.kind == StmtKind::reinit ? "`reinit`" : "`terminate`";
  if (w.when == nullptr) c_.report.fail("E0248", s.span, std::string(what) + " stands in a `when`", "write `when condition`, then it, then `end`");
  model::Action a;
  a.trigger = model::forms().intern(c_.pool, w.guard);
  a.span = s.span;
  if (s.kind == StmtKind::terminate) {
    a.kind = model::Action::Kind::terminate;
    a.text = s.text;
    tell(s, a.text, a.values, w);
    a.value = model::forms().intern(c_.pool, c_.pool.literal(0));
    b_.actions.push_back(std::move(a));
    return;
  }
  const Value target = w.e.value(*s.lhs), value = w.e.value(*s.rhs);
  Rows pairs{&s, target.sizes, {}, {}, no_place};
  pair_up(target, value, pairs, w, s.span);
  for (const auto& [left, right] : pairs.pairs) {
    const bool slot = c_.pool[left].op == model::ExprOp::operand && c_.pool.operand_of(left).kind() == model::OperandKind::value && c_.pool.operand_of(left).order() == 0;
    if (!slot || is_constant(c_.pool.operand_of(left))) c_.report.fail("E0323", s.lhs->span, "`reinit` takes a variable that is a state");
    a.slot = c_.pool.operand_of(left).index();
    a.value = model::forms().intern(c_.pool, right);
    b_.actions.push_back(a);
  }
}

}  // namespace kron::elaborate
