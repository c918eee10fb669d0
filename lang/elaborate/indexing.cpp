// Subscripts that change while the model runs: `tab[k]`, k an Integer that changes at events, is the element that k chooses.
#include <algorithm>

#include "lang/elaborate/builder.hpp"
#include "lang/elaborate/evaluator.hpp"
#include "lang/syntax/printer.hpp"

namespace kron::elaborate {
using syntax::Expr;
using syntax::ExprKind;
using syntax::ExprPtr;

namespace {

ExprPtr colon(Span s) {
  auto e = std::make_shared<Expr>();
  e->kind = ExprKind::colon;
  e->span = s;
  return e;
}

// at(first) … at(last), the one whose number `index` is: by halves, so that no condition stands deep inside others.
template <class At>
NodeId chosen(model::Exprs& p, NodeId index, std::uint32_t first, std::uint32_t last, const At& at) {
  if (first == last) return at(first);
  const std::uint32_t middle = first + (last - first) / 2;
  const NodeId low = chosen(p, index, first, middle, at), high = chosen(p, index, middle + 1, last, at);
  return low == high ? low : p.call(Fn::select, {p.call(Fn::le, {index, p.literal(middle)}), low, high});
}

// Of what stands in the subscript itself; that of an array in it is the array's.
bool holds_end(const Expr& e) {
  const auto in = [](const ExprPtr& a) { return a && holds_end(*a); };
  return e.kind == ExprKind::end || std::ranges::any_of(e.args, in) || std::ranges::any_of(e.named, [&](const auto& n) { return in(n.value); }) ||
         std::ranges::any_of(e.iterators, [&](const syntax::Iterator& i) { return in(i.range); });
}

}  // namespace

// `size`: of the dimension, asked for where it is needed; none: there is no such dimension, as whoever takes the element finds.
bool Evaluator::moves(const Expr& subscript, const std::function<std::optional<std::uint32_t>()>& size) {
  if (subscript.kind == ExprKind::colon || subscript.kind == ExprKind::range || quick_integer(subscript)) return false;
  const Variability v = variability(subscript);
  if (v != Variability::parameter) return v > Variability::parameter;
  const Unwinding unwinding(*this);
  if (holds_end(subscript)) {
    const auto last = size();
    if (!last) return false;
    end_.push_back(*last);
  }
  return hangs_on_free(subscript);
}

bool Evaluator::moves(const Expr& reference, std::size_t part, std::size_t dimension) {
  return moves(*reference.path[part].subscripts[dimension], [&]() -> std::optional<std::uint32_t> {
    Expr whole = reference;
    whole.path.resize(part);
    const std::size_t axis = dimension + (part > 0 ? sizes_of(whole).size() : 0);
    whole.path.push_back(reference.path[part]);
    whole.path.back().subscripts.clear();
    const Sizes sizes = sizes_of(whole);
    return axis < sizes.size() ? std::optional(sizes[axis]) : std::nullopt;
  });
}

// `{1, 2}[k]`, `f(x)[k]`
Value Evaluator::subscripted(const Expr& e) {
  Value v = value(*e.args[0]);
  std::vector<ExprPtr> taken(e.args.begin() + 1, e.args.end());
  const std::size_t taken_of = std::min(taken.size(), v.sizes.size());
  std::vector<std::size_t> moving;
  for (std::size_t d = 0; d < taken_of; ++d)
    if (moves(*taken[d], [&] { return std::optional(v.sizes[d]); })) moving.push_back(d);
  if (moving.empty()) return subscripted(v, taken, 0, e.span);
  std::vector<std::size_t> axis;  // of the moving ones, where these are taken whole
  for (std::size_t d = 0, before = 0; d < taken_of; ++d) {
    const bool is_moving = axis.size() < moving.size() && moving[axis.size()] == d;
    if (is_moving) {
      axis.push_back(before++);
      taken[d] = colon(taken[d]->span);
    } else {
      before += rank_of_subscript(*taken[d], v.sizes[d]);
    }
  }
  v = subscripted(v, taken, 0, e.span);
  for (; !moving.empty(); moving.pop_back(), axis.pop_back()) v = element_at(std::move(v), axis.back(), *e.args[moving.back() + 1], e);
  return v;
}

// How many dimensions it leaves of one of that size.
std::size_t Evaluator::rank_of_subscript(const Expr& s, std::uint32_t size) {
  if (s.kind == ExprKind::colon || s.kind == ExprKind::range) return 1;
  if (quick_integer(s)) return 0;
  const Unwinding unwinding(*this);
  end_.push_back(size);
  return known(s).shape.rank();
}

// The whole dimension, then the element. No value: all subscripts are known.
std::optional<Value> Evaluator::looked_up(const Expr& e, const EnumType* expected) {
  struct Moving {
    const Expr* index;
    std::size_t axis;  // of the array that is left when all of these are taken whole
  };
  std::vector<Moving> moving;
  Expr whole = e;
  for (std::size_t p = 0; p < e.path.size(); ++p) {
    const auto& subscripts = e.path[p].subscripts;
    bool any = false;
    for (std::size_t d = 0; d < subscripts.size() && !any; ++d) any = moves(e, p, d);
    if (!any) continue;
    std::size_t axis = 0;
    if (p > 0) {
      Expr before = whole;
      before.path.resize(p);
      axis = sizes_of(before).size();
    }
    for (std::size_t d = 0; d < subscripts.size(); ++d) {
      const Expr& s = *subscripts[d];
      if (moves(e, p, d)) {
        moving.push_back({&s, axis++});
        whole.path[p].subscripts[d] = colon(s.span);
      } else {
        axis += rank_of_subscript(s, 1);  // how many there are does not depend on the size
      }
    }
  }
  if (moving.empty()) return std::nullopt;
  Value v = reference(whole, expected);
  if (v.texts) c.report.fail("E0224", moving.front().index->span, "a String cannot be chosen while the model runs");
  while (!moving.empty()) {
    v = element_at(std::move(v), moving.back().axis, *moving.back().index, e);
    moving.pop_back();
  }
  return v;
}

Value Evaluator::element_at(Value v, std::size_t axis, const Expr& subscript, const Expr& whole) {
  const std::uint32_t n = v.sizes[axis];
  end_.push_back(n);
  const Value index = value(subscript);
  end_.pop_back();
  if (!index.is_scalar() || index.type != ValueType::integer)
    c.report.fail("E0224", subscript.span,
                  "a subscript that changes while the model runs is an Integer, and this is `" + type_text(index) + "`",
                  index.type == ValueType::real ? "`integer(x)` is the whole number below x" : "");
  if (n == 0) c.report.fail("E0223", subscript.span, "`" + syntax::print(whole) + "` has no elements");
  Value r = v;
  r.nodes.clear();
  r.sizes.clear();
  std::size_t before = 1, behind = v.record ? v.record->width : 1;
  for (std::size_t d = 0; d < v.sizes.size(); ++d) {
    if (d != axis) r.sizes.push_back(v.sizes[d]);
    (d < axis ? before : behind) *= d == axis ? 1 : v.sizes[d];
  }
  const NodeId k = index.nodes[0];
  for (std::size_t i = 0; i < before; ++i)
    for (std::size_t j = 0; j < behind; ++j)
      r.nodes.push_back(chosen(c.pool, k, 1, n, [&](std::uint32_t at) { return v.nodes[(i * n + at - 1) * behind + j]; }));
  r.variability = std::max(v.variability, index.variability);
  if (mode == Mode::normal && slots != nullptr) slots->check_index(k, n, subscript, whole);
  return r;
}

// The index is asked for where the conditions around it hold; beyond the array the run ends.
void ClassBuilder::check_index(NodeId index, std::uint32_t n, const Expr& subscript, const Expr& whole) {
  model::Exprs& p = c_.pool;
  NodeId inside = p.call(Fn::and_, {p.call(Fn::le, {p.literal(1), index}), p.call(Fn::le, {index, p.literal(n)})});
  const auto both = [&](NodeId a, NodeId b) { return p.if_literal(a) != nullptr ? b : p.call(Fn::and_, {a, b}); };
  const std::string text = "`" + syntax::print(subscript) + "` is outside 1:" + std::to_string(n) + " in `" + syntax::print(whole) + "`";
  if (acting_) {
    NodeId trigger = p.call(Fn::not_, {p.call(Fn::no_event, {inside})});
    for (std::size_t k = reading_.size(); k-- > 0;) trigger = both(reading_[k], trigger);
    model::Action a;
    a.kind = model::Action::Kind::assertion;
    a.trigger = model::forms().intern(p, trigger);
    a.value = model::forms().intern(p, inside);
    a.text = text;
    a.span = subscript.span;
    a.values.push_back(model::forms().intern(p, index));
    b_.actions.push_back(std::move(a));
    return;
  }
  for (const NodeId guard : reading_) inside = p.call(Fn::or_, {p.call(Fn::not_, {guard}), inside});
  model::Assertion a;
  const auto [f, first] = form(inside, a.count);
  a.condition = f;
  a.first = first;
  a.text = text;
  a.span = subscript.span;
  a.values.push_back(model::forms().intern(p, index));
  b_.assertions.push_back(std::move(a));
}

}  // namespace kron::elaborate
