#include "lang/elaborate/evaluator.hpp"

#include <cmath>

#include "lang/elaborate/builder.hpp"
#include "lang/elaborate/scoped.hpp"

namespace kron::elaborate {
using syntax::Expr;
using syntax::ExprKind;
using syntax::Operator;

Value Evaluator::value(const Expr& e, const EnumType* expected) {
  if (c.stack.spent())
    throw Abandoned{{Severity::error, "E0263", "too many values that need one another lead to this one", e.span, {}, {}, "give one of them as a number, or let a `for` loop do the steps"}};
  switch (e.kind) {
    case ExprKind::number: {
      const Context::Literal& l = c.literal(e);
      return scalar_value(l.node, l.type);
    }
    case ExprKind::quantity: return quantity(e);
    case ExprKind::string: return text_value(e.text);
    case ExprKind::boolean: return boolean_value(c, e.flag);
    case ExprKind::reference: return reference(e, expected);
    case ExprKind::call: return call(e, expected);
    case ExprKind::unary: return unary(e, expected);
    case ExprKind::binary: return binary_chain(e, expected);
    case ExprKind::condition: return condition(e, expected);
    case ExprKind::array: return array(e, expected);
    case ExprKind::matrix: return matrix(e);
    case ExprKind::range: return range(e);
    case ExprKind::comprehension: return comprehension(e, expected);
    case ExprKind::end:
      if (end_.empty()) c.report.fail("E0256", e.span, "`end` means the last index and is for subscripts only");
      return literal_value(c, end_.back(), ValueType::integer);
    case ExprKind::colon: c.report.fail("E0256", e.span, "a bare `:` is for subscripts only");
    case ExprKind::tuple: c.report.fail("E0256", e.span, "`(x, y)` stands only on the left of an equation: `(x, y) = f(u)`");
    case ExprKind::member: return follow(value(*e.args[0]), e.path, static_cast<std::size_t>(-1), e.span);
    case ExprKind::subscript: return subscripted(e);
  }
  return {};
}

Value Evaluator::quantity(const Expr& e) {
  std::string reason;
  const Unit* u = find_unit(e.text, reason);
  if (u == nullptr) c.report.fail("E0228", e.span, "the unit `" + e.text + "` cannot be read: " + reason);
  const Rational number = e.number * u->factor + u->offset;
  if (const double d = to_double(number); number != 0 && !std::isnormal(d))
    c.report.fail("E0109", e.span, "the number is out of range in SI units", "a number other than 0 lies between 2.3e-308 and 1.7e308");
  NodeId n = c.pool.literal(number);
  if (u->pi_power != 0 && number != 0) {
    const NodeId pi = c.pool.operand(model::Operand::constant(model::pi_id()));
    const NodeId power = c.pool.pow(pi, c.pool.literal(std::abs(u->pi_power)));
    n = u->pi_power > 0 ? c.pool.mul(n, power) : c.pool.div(n, power);
  }
  if (mode != Mode::normal) {
    if (auto r = number_of(c, n)) n = c.pool.literal(*r);
  }
  Value v = scalar_value(n, ValueType::real);
  v.dimension = u->dimension;
  v.counting = u->counting;
  return v;
}

Value Evaluator::scalar(const Expr& e, const char* what, const EnumType* expected) {
  Value v = value(e, expected);
  if (!v.sizes.empty() || v.record) c.report.fail("E0220", e.span, std::string(what) + " must be a scalar, and this is " + (v.record ? "a record" : shape_text(v.sizes)));
  return v;
}

// ---- numbers ----------------------------------------------------------------------------------------------------------------

Known Evaluator::known(const Expr& e, const EnumType* expected) {
  ScopedValue<Mode> m(mode, Mode::structural);
  Known k;
  k.shape = value(e, expected);
  k.numbers.reserve(k.shape.nodes.size());
  for (NodeId n : k.shape.nodes) {
    auto r = number_of(c, n);
    if (!r && is_no_number(c, n)) c.report.fail("E0224", e.span, "this is infinite or not a number", "a division by zero, as by the length of {0, 0, 0}, or a function outside its domain gives this");
    if (!r) c.report.fail("E0224", e.span, "the value of this must be known before the model runs", "use parameters and constants only, and no division by zero");
    k.numbers.push_back(std::move(*r));
  }
  k.shape.nodes.clear();
  return k;
}

std::optional<std::int64_t> Evaluator::quick_integer(const Expr& e) {
  switch (e.kind) {
    case ExprKind::number: return c.literal(e).integer;
    case ExprKind::end: return end_.empty() ? std::nullopt : std::optional<std::int64_t>(end_.back());
    case ExprKind::reference: {
      if (e.path.size() != 1 || !e.path[0].subscripts.empty()) return std::nullopt;
      std::size_t i = 0;
      const Local* l = find_local(e.path[0].name, i);
      return l != nullptr ? l->integer : std::nullopt;
    }
    case ExprKind::binary: {
      if (e.op != Operator::add && e.op != Operator::sub && e.op != Operator::mul) return std::nullopt;
      if (e.args[0]->kind == ExprKind::binary && e.args[0]->args[0]->kind == ExprKind::binary) return std::nullopt;  // no deep chains
      const auto a = quick_integer(*e.args[0]);
      const auto b = a ? quick_integer(*e.args[1]) : std::nullopt;
      constexpr std::int64_t large = std::int64_t{1} << 30;
      if (!a || !b || std::abs(*a) > large || std::abs(*b) > large) return std::nullopt;
      return e.op == Operator::add ? *a + *b : e.op == Operator::sub ? *a - *b : *a * *b;
    }
    default: return std::nullopt;
  }
}

std::int64_t Evaluator::integer(const Expr& e, const char* what) {
  if (auto q = quick_integer(e)) return *q;
  ScopedValue<Mode> m(mode, Mode::structural);
  Value v = scalar(e, what);
  check_numeric(*this, v, e.span, what);
  const auto r = number_of(c, v.nodes[0]);
  if (!r) c.report.fail("E0224", e.span, std::string(what) + " must be known before the model runs", "use parameters, constants and iterators only");
  const auto n = small_integer(*r);
  if (!n) c.report.fail("E0226", e.span, std::string(what) + " must be a whole number, and this is " + to_text(*r));
  return *n;
}

bool Evaluator::truth(const Expr& e) {
  ScopedValue<Mode> m(mode, Mode::structural);
  Value v = scalar(e, "a condition");
  if (v.type != ValueType::boolean) c.report.fail("E0221", e.span, "a condition must be Boolean, and this is `" + type_text(v) + "`");
  const auto r = number_of(c, v.nodes[0]);
  if (!r) c.report.fail("E0224", e.span, "this condition must be known before the model runs");
  return *r != 0;
}

// ---- variability ------------------------------------------------------------------------------------------------------------

namespace {
Variability of_list(Evaluator& e, const std::vector<syntax::ExprPtr>& list) {
  Variability v = Variability::constant;
  for (const auto& a : list)
    if (a && v != Variability::continuous) v = std::max(v, e.variability(*a));
  return v;
}
}  // namespace

bool Evaluator::is_structural(const Expr& e) {
  const Variability v = variability(e);
  return v < Variability::parameter || (v == Variability::parameter && !hangs_on_free(e));
}

// What parameters are bound to may lead to one that is found through classes and modifications: it is evaluated to see.
bool Evaluator::hangs_on_free(const Expr& e) {
  ScopedValue<bool> asking(c.asks_for_free, true);
  const Unwinding unwinding(*this);
  try {
    (void)known(e);
    return false;
  } catch (const FoundAtStart&) {
    return true;
  }
}

Variability Evaluator::variability(const Expr& expression) {
  const Expr* at = &expression;
  Variability v = Variability::constant;
  while (at->kind == ExprKind::binary) {  // a long sum leans to the left
    v = std::max(v, variability(*at->args[1]));
    if (v == Variability::continuous) return v;
    at = at->args[0].get();
  }
  const Expr& e = *at;
  if (e.kind == ExprKind::call) {
    if (e.path.size() == 1) {
      const std::string& f = e.path[0].name.str();
      if (f == "size" || f == "rooted") return v;
      if (f == "initial" || f == "terminal" || f == "residue" || f == "sample") return Variability::continuous;
    }
    for (const auto& n : e.named) v = std::max(v, variability(*n.value));
  }
  if (e.kind == ExprKind::comprehension) {
    const std::size_t mark = locals.size();
    for (const auto& i : e.iterators) {
      if (i.range) v = std::max(v, variability(*i.range));
      push(i.name);
    }
    v = std::max(v, variability(*e.args[0]));
    pop(mark);
    return v;
  }
  if (e.kind != ExprKind::reference) return std::max(v, of_list(*this, e.args));
  for (const auto& p : e.path) v = std::max(v, of_list(*this, p.subscripts));
  std::size_t i = 0;
  if (find_local(e.path[0].name, i) != nullptr) return std::max(v, local_variability(i));
  if (home.instance != nullptr)
    if (auto m = home.instance->find(e.path[0].name, home.layer)) return std::max(v, home.instance->variability_of(e.path, 0, *m));
  return e.path.size() == 1 && e.path[0].name == Name("time") ? Variability::continuous : v;
}

// ---- operators --------------------------------------------------------------------------------------------------------------

Value Evaluator::unary(const Expr& e, const EnumType* expected) {
  Value v = value(*e.args[0], expected);
  switch (e.op) {
    case Operator::neg: return negated(*this, v, e.span);
    case Operator::plus: check_numeric(*this, v, e.span, "`+`"); return v;
    case Operator::transpose: return transposed(*this, v, e.span);
    default: break;
  }
  if (v.type != ValueType::boolean) c.report.fail("E0221", e.args[0]->span, "`not` needs a Boolean, and this is `" + type_text(v) + "`");
  for (NodeId& n : v.nodes) n = c.pool.call(Fn::not_, {n});
  return v;
}

// a + b - c …: the tree leans to the left and may be ten thousand deep, so it is walked by a loop.
Value Evaluator::binary_chain(const Expr& e, const EnumType* expected) {
  std::vector<const Expr*> spine{&e};
  while (spine.back()->args[0]->kind == ExprKind::binary) spine.push_back(spine.back()->args[0].get());
  const Expr& deepest = *spine.back();
  Value left;
  if (deepest.op < Operator::lt) left = value(*deepest.args[0], expected);
  for (std::size_t i = spine.size(); i-- > 0;) {
    const Expr& x = *spine[i];
    if (x.op >= Operator::lt) {  // relations do not chain: the grammar gives each operand once
      left = relation(x);
      continue;
    }
    left = binary(x.op, std::move(left), value(*x.args[1], expected), x);
  }
  return left;
}

Value Evaluator::binary(Operator op, Value a, Value b, const Expr& e) {
  if (op != Operator::and_ && op != Operator::or_) {
    Value v = arithmetic(*this, op, a, b, e.span);
    v.variability = std::max(a.variability, b.variability);
    return v;
  }
  for (const Value* v : {&a, &b})
    if (v->type != ValueType::boolean)
      c.report.fail("E0221", e.span, std::string("`") + (op == Operator::and_ ? "and" : "or") + "` needs Booleans, and this is `" + type_text(*v) + "`");
  if (!(a.sizes == b.sizes)) c.report.fail("E0220", e.span, "`and` and `or` need equal sizes");
  Value v = a;
  v.variability = std::max(a.variability, b.variability);
  for (std::size_t i = 0; i < v.nodes.size(); ++i) {
    const Rational *x = c.pool.if_literal(a.nodes[i]), *y = c.pool.if_literal(b.nodes[i]);
    const bool all = op == Operator::and_;
    if (x != nullptr) v.nodes[i] = (*x != 0) == all ? b.nodes[i] : a.nodes[i];
    else if (y != nullptr) v.nodes[i] = (*y != 0) == all ? a.nodes[i] : b.nodes[i];
    else v.nodes[i] = c.pool.call(all ? Fn::and_ : Fn::or_, {a.nodes[i], b.nodes[i]});
  }
  return v;
}

namespace {
Value compared_texts(Evaluator& e, const Expr& x, const Value& a, const Value& b) {
  if (!a.texts || !b.texts || (x.op != Operator::eq && x.op != Operator::ne))
    e.c.report.fail("E0221", x.span, "`" + type_text(a) + "` and `" + type_text(b) + "` cannot be compared so");
  return boolean_value(e.c, ((*a.texts)[0] == (*b.texts)[0]) == (x.op == Operator::eq));
}

NodeId relation_node(model::Exprs& p, Operator op, NodeId a, NodeId b) {
  switch (op) {
    case Operator::lt: return p.call(Fn::lt, {a, b});
    case Operator::le: return p.call(Fn::le, {a, b});
    case Operator::gt: return p.call(Fn::lt, {b, a});
    case Operator::ge: return p.call(Fn::le, {b, a});
    case Operator::eq: return p.call(Fn::eq, {a, b});
    default: return p.call(Fn::not_, {p.call(Fn::eq, {a, b})});
  }
}
}  // namespace

// A bare literal of an enumeration is known by the other side.
Value Evaluator::relation(const Expr& e) {
  const EnumType *left = enumeration_of(*e.args[0]), *right = enumeration_of(*e.args[1]);
  Value a = scalar(*e.args[0], "a compared value", right != nullptr ? right : left);
  Value b = scalar(*e.args[1], "a compared value", left != nullptr ? left : right);
  if (a.type == ValueType::string || b.type == ValueType::string) return compared_texts(*this, e, a, b);
  if (!same_kind(a, b)) c.report.fail("E0221", e.span, "`" + type_text(a) + "` and `" + type_text(b) + "` cannot be compared");
  units_agree(*this, a, b, e.span, text_of(e.op));
  NodeId node = relation_node(c.pool, e.op, a.nodes[0], b.nodes[0]);
  const bool equality = e.op == Operator::eq || e.op == Operator::ne;
  if (equality && home.instance == nullptr && mode == Mode::normal && c.pool.if_literal(node) == nullptr) node = c.pool.call(Fn::no_event, {node});  // in a function it makes no event
  Value v = scalar_value(node, ValueType::boolean, std::max(a.variability, b.variability));
  v.dimension = Dimension::one();
  if (auto r = number_of(c, v.nodes[0])) v.nodes[0] = c.pool.literal(*r);
  return v;
}

// The branches in order: a structural condition decides now, and what it rules out is not looked at.
Value Evaluator::condition(const Expr& e, const EnumType* expected) {
  const std::size_t n = e.args.size();
  struct Branch { Value condition, value; };
  std::vector<Branch> open;
  Value last;
  const ClassBuilder::Reading reading(slots);
  for (std::size_t i = 0;; i += 2) {
    if (i + 1 >= n) {
      last = value(*e.args[n - 1], expected);
      break;
    }
    const Expr& test = *e.args[i];
    if (mode == Mode::structural || is_structural(test)) {
      if (!truth(test)) continue;
      last = value(*e.args[i + 1], expected);
      break;
    }
    Value cond = scalar(test, "a condition");
    if (cond.type != ValueType::boolean) c.report.fail("E0221", test.span, "a condition must be Boolean, and this is `" + type_text(cond) + "`");
    const NodeId holds = mode == Mode::normal ? cond.nodes[0] : NodeId{};
    Value branch = [&] {
      const ClassBuilder::Reading inside(slots);
      if (mode == Mode::normal) inside.where(holds);
      return value(*e.args[i + 1], expected);
    }();
    open.push_back({std::move(cond), std::move(branch)});
    if (mode == Mode::normal) reading.where(c.pool.call(Fn::not_, {holds}));
  }
  for (std::size_t i = open.size(); i-- > 0;) last = selected(*this, open[i].condition, open[i].value, last, e.span);
  return last;
}

// ---- arrays -----------------------------------------------------------------------------------------------------------------

Value Evaluator::array(const Expr& e, const EnumType* expected) {
  std::vector<Value> list;
  list.reserve(e.args.size());
  for (const auto& a : e.args) list.push_back(value(*a, expected));
  return stacked(*this, std::move(list), e.span);
}

Value Evaluator::matrix(const Expr& e) {
  std::vector<Value> rows;
  std::size_t at = 0;
  for (std::uint32_t n : e.row_sizes) {
    std::vector<Value> row;
    for (std::uint32_t i = 0; i < n; ++i) {
      row.push_back(value(*e.args[at++]));
      if (row.back().record || row.back().texts) check_numeric(*this, row.back(), e.args[at - 1]->span, "`[ ]`");
      if (row.back().rank() > 2) c.report.fail("E0220", e.args[at - 1]->span, "`[ ]` joins matrices, and this is " + shape_text(row.back().sizes));
      while (row.back().rank() < 2) row.back().sizes.push_back(1);
    }
    rows.push_back(concatenated(*this, row, 1, e.span));
  }
  return concatenated(*this, rows, 0, e.span);
}

Value Evaluator::range(const Expr& e) {
  Value first = scalar(*e.args[0], "the start of a range"), last, step;
  const bool stepped = e.args.size() == 3;
  ScopedValue<Mode> m(mode, Mode::structural);
  auto number = [&](const Expr& x, const char* what) {
    Value v = scalar(x, what);
    check_numeric(*this, v, x.span, what);
    if (v.type == ValueType::real) first.type = v.type;
    auto r = number_of(c, v.nodes[0]);
    if (!r) c.report.fail("E0224", x.span, std::string(what) + " must be known before the model runs");
    return *r;
  };
  const Rational a = number(*e.args[0], "the start of a range"), b = number(*e.args.back(), "the end of a range");
  const Rational d = stepped ? number(*e.args[1], "the step of a range") : Rational(1);
  if (d == 0) c.report.fail("E0226", e.args[1]->span, "the step of a range must not be zero");
  const double n = std::floor(to_double((b - a) / d) + 1e-9) + 1;
  if (n > static_cast<double>(max_elements)) c.report.fail("E0227", e.span, "this range has too many elements (more than " + std::to_string(max_elements) + ")");
  Value v;
  v.type = first.type;
  v.sizes.push_back(n > 0 ? static_cast<std::uint32_t>(n) : 0);
  Rational x = a;
  for (std::uint32_t i = 0; i < v.sizes[0]; ++i, x += d) v.nodes.push_back(c.pool.literal(x));
  v.dimension = Dimension::flexible();
  return v;
}

// {e for i in x, j in y} is {{e for i in x} for j in y}: the last iterator is the outermost, as in Modelica.
Value Evaluator::comprehension(const Expr& e, const EnumType* expected) {
  std::vector<Value> list;
  Sizes counts;
  counts.resize(e.iterators.size(), 0);
  const std::size_t mark = locals.size();
  iterate(e, e.iterators.size(), list, counts, expected);
  pop(mark);
  if (list.empty()) {
    Value none;
    none.sizes = counts;
    return none;
  }
  Value v = stacked(*this, std::move(list), e.span);
  Sizes inner;
  for (std::size_t i = 1; i < v.sizes.size(); ++i) inner.push_back(v.sizes[i]);
  v.sizes = joined(counts, inner);
  return v;
}

void Evaluator::iterate(const Expr& e, std::size_t left, std::vector<Value>& out, Sizes& counts, const EnumType* expected) {
  if (left == 0) {
    if (out.size() >= max_elements) c.report.fail("E0227", e.span, "this array has too many elements (more than " + std::to_string(max_elements) + ")");
    c.spend(1, e.span);
    out.push_back(value(*e.args[0], expected));
    return;
  }
  const syntax::Iterator& it = e.iterators[left - 1];
  const Run r = run(it, {e.args[0].get()});
  std::uint32_t& n = counts[e.iterators.size() - left];
  if (!out.empty() && n != r.count)
    c.report.fail("E0220", e.span, "the iterator `" + it.name.str() + "` must run equally often every time", "in `{e for i in x, j in y}` the last iterator is the outermost");
  n = static_cast<std::uint32_t>(r.count);
  const std::size_t local = push(it.name);
  for (std::uint64_t i = 0; i < r.count; ++i) {
    set_iterator(local, r, i);
    iterate(e, left - 1, out, counts, expected);
    pop(local + 1);
  }
  pop(local);
}

std::vector<Value> Evaluator::gather(const Expr& e, std::size_t k) {
  c.spend(1, e.span);
  if (k == e.iterators.size()) return {value(*e.args[0])};
  std::vector<Value> list;
  const Run r = run(e.iterators[k], {e.args[0].get()});
  const std::size_t local = push(e.iterators[k].name);
  for (std::uint64_t i = 0; i < r.count; ++i) {
    set_iterator(local, r, i);
    std::vector<Value> more = gather(e, k + 1);
    if (list.size() + more.size() > max_elements) c.report.fail("E0227", e.span, "this has too many terms (more than " + std::to_string(max_elements) + ")");
    std::move(more.begin(), more.end(), std::back_inserter(list));
    pop(local + 1);
  }
  pop(local);
  return list;
}

// ---- derivative -------------------------------------------------------------------------------------------------------------

namespace {
Dimension per_second(const Dimension& d) {
  Dimension s = Dimension::one();
  s.exponents[2] = 12;
  return quotient(d, s);
}
}  // namespace

Value Evaluator::derivative(const Value& v, Span s) {
  if (v.record || (v.type != ValueType::real && v.type != ValueType::integer))
    c.report.fail("E0236", s, "`der` needs Real values, and this is `" + type_text(v) + "`");
  Value d = v;
  d.type = ValueType::real;
  d.variability = v.variability == Variability::continuous ? v.variability : Variability::constant;
  d.dimension = per_second(v.dimension);
  d.counting = Counting::none;
  if (mode == Mode::shape) return d;
  for (NodeId& n : d.nodes) n = derivative_node(n, s);
  return d;
}

// der(relax(e)) = relax(der(e)) and der(residue(v)) = residue(der(v)); a variable's derivative is an operand of its own.
NodeId Evaluator::derivative_node(NodeId n, Span s) {
  const auto constant = [this](model::Operand o) { return slots == nullptr || slots->is_constant(o); };
  model::Exprs& p = c.pool;
  const model::ExprNode node = p[n];
  if (node.op == model::ExprOp::operand && p.operand_of(n).kind() == model::OperandKind::value) {
    const model::Operand o = p.operand_of(n);
    if (constant(o)) return p.literal(0);
    if (o.order() >= model::max_order) c.report.fail("E0236", s, "derivatives go up to the seventh");
    return p.operand(model::Operand(o.kind(), o.index(), o.order() + 1));
  }
  if (node.op == model::ExprOp::call && (node.fn == Fn::relax || node.fn == Fn::residue))
    return p.call(node.fn, {derivative_node(p.args(n)[0], s)});
  return model::time_derivative(p, n, constant);
}

}  // namespace kron::elaborate
