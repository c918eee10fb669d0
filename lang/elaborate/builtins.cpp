// The built-in functions of language.md section 5.
#include <algorithm>
#include <unordered_map>

#include "lang/elaborate/builder.hpp"
#include "lang/elaborate/evaluator.hpp"
#include "lang/elaborate/scoped.hpp"

namespace kron::elaborate {
using syntax::Expr;
using syntax::ExprKind;
using syntax::Operator;

namespace {

using Handler = Value (*)(Evaluator&, const Expr&, const EnumType*);

void arity(Evaluator& e, const Expr& x, std::size_t least, std::size_t most) {
  if (!x.named.empty()) e.c.report.fail("E0222", x.named[0].span, "built-in functions take no named arguments");
  if (x.args.size() >= least && x.args.size() <= most) return;
  std::string want = std::to_string(least);
  if (most > 1000) want = "at least " + want;
  else if (most != least) want += " to " + std::to_string(most);
  e.c.report.fail("E0222", x.span, "`" + x.path[0].name.str() + "` takes " + want + (least == 1 && most == 1 ? " argument" : " arguments") + ", and " + std::to_string(x.args.size()) + " are given");
}

Value vector_of(Evaluator& e, const Expr& x, const char* what, std::uint32_t size = 0) {
  Value v = e.value(x);
  check_numeric(e, v, x.span, what);
  if (v.rank() != 1 || (size != 0 && v.sizes[0] != size))
    e.c.report.fail("E0220", x.span, std::string(what) + " needs a vector" + (size != 0 ? " [" + std::to_string(size) + "]" : "") + ", and this is " + shape_text(v.sizes));
  return v;
}

std::uint32_t size_argument(Evaluator& e, const Expr& x) {
  const std::int64_t n = e.integer(x, "a size");
  if (n < 0) e.c.report.fail("E0226", x.span, "a size must not be negative, and this is " + std::to_string(n));
  if (static_cast<std::uint64_t>(n) > max_elements) e.c.report.fail("E0227", x.span, "this array is too large (more than " + std::to_string(max_elements) + " elements)");
  return static_cast<std::uint32_t>(n);
}

Value filled(Evaluator& e, Value element, const Expr& x, std::size_t first) {
  Sizes sizes;
  for (std::size_t i = first; i < x.args.size(); ++i) sizes.push_back(size_argument(e, *x.args[i]));
  const std::uint64_t n = count(sizes);
  if (n * std::max<std::size_t>(1, element.nodes.size()) > max_elements) e.c.report.fail("E0227", x.span, "this array is too large (more than " + std::to_string(max_elements) + " elements)");
  Value v = element;
  v.sizes = joined(sizes, element.sizes);
  v.nodes.clear();
  v.nodes.reserve(n * element.nodes.size());
  for (std::uint64_t i = 0; i < n; ++i) v.nodes.append(element.nodes);
  if (element.texts) v.texts = std::make_shared<const std::vector<std::string>>(n, (*element.texts)[0]);
  return v;
}

// ---- functions of one or two scalars, element by element ------------------------------------------------------------------------

bool keeps_unit(Fn f) { return f == Fn::abs || f == Fn::min || f == Fn::max || f == Fn::mod || f == Fn::rem; }

Dimension result_dimension(Fn f, const Value& a) {
  if (f == Fn::sqrt) return power(a.dimension, Rational(1, 2));
  if (keeps_unit(f) || f == Fn::floor || f == Fn::ceil) return a.dimension;
  return a.dimension.is_flexible() ? Dimension::flexible() : Dimension::one();
}

bool takes_number(Fn f) { return f != Fn::sqrt && f != Fn::sign && f != Fn::floor && f != Fn::ceil && !keeps_unit(f); }

Value one_argument(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 1, 1);
  const Fn f = *function_named(x.path[0].name.str());
  const Value a = e.value(*x.args[0]);
  Value v = mapped(e, f, a, x.args[0]->span);
  if (takes_number(f)) check_dimensionless(e, a, x.args[0]->span, x.path[0].name.str().c_str());
  if (f == Fn::sign) v.type = ValueType::integer;
  else if (f != Fn::abs) v.type = ValueType::real;
  v.dimension = result_dimension(f, a);
  return v;
}

Value pairwise(Evaluator& e, Fn f, const Value& a, const Value& b, Span s) {
  check_numeric(e, a, s, std::string(info(f).text).c_str());
  check_numeric(e, b, s, std::string(info(f).text).c_str());
  if (!a.sizes.empty() && !b.sizes.empty() && !(a.sizes == b.sizes)) e.c.report.fail("E0220", s, "the shapes differ: " + shape_text(a.sizes) + " and " + shape_text(b.sizes));
  Value v = a.sizes.empty() ? b : a;
  v.variability = std::max(a.variability, b.variability);
  v.type = a.type == ValueType::integer && b.type == ValueType::integer ? ValueType::integer : ValueType::real;
  for (std::size_t i = 0; i < v.nodes.size(); ++i) {
    v.nodes[i] = e.c.pool.call(f, {a.nodes[a.sizes.empty() ? 0 : i], b.nodes[b.sizes.empty() ? 0 : i]});
    if (e.mode != Mode::normal) {
      if (auto r = number_of(e.c, v.nodes[i])) v.nodes[i] = e.c.pool.literal(*r);
    }
  }
  const bool same = f != Fn::div && units_agree(e, a, b, s, std::string(info(f).text).c_str()) && keeps_unit(f);
  v.dimension = same ? either(a.dimension, b.dimension) : keeps_unit(f) ? Dimension{} : Dimension::one();
  v.counting = Counting::none;
  return v;
}

Value two_arguments(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 2, 2);
  return pairwise(e, *function_named(x.path[0].name.str()), e.value(*x.args[0]), e.value(*x.args[1]), x.span);
}

Value integer_part(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 1, 1);
  Value a = e.value(*x.args[0]);
  if (a.type == ValueType::enumeration) {  // its place in the list
    a.type = ValueType::integer;
    a.enumeration = nullptr;
    return a;
  }
  check_numeric(e, a, x.args[0]->span, "integer");
  Value v = mapped(e, Fn::floor, a, x.span);
  v.type = ValueType::integer;
  v.dimension = Dimension::one();
  return v;
}

// ---- reductions ---------------------------------------------------------------------------------------------------------------

// The scalars of sum(array) or of `sum(f(k) for k in 1:n)`, where the terms may be arrays.
std::vector<Value> terms(Evaluator& e, const Expr& x) {
  if (x.args[0]->kind == ExprKind::comprehension) return e.gather(*x.args[0]);
  const Value a = e.value(*x.args[0]);
  check_numeric(e, a, x.args[0]->span, x.path[0].name.str().c_str());
  std::vector<Value> list;
  list.reserve(a.nodes.size());
  Value one = a;
  one.sizes.clear();
  for (NodeId n : a.nodes) {
    one.nodes = Nodes{n};
    list.push_back(one);
  }
  return list;
}

Value reduced(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 1, 1);
  const bool sum = x.path[0].name == Name("sum");
  std::vector<Value> list = terms(e, x);
  if (list.empty()) return literal_value(e.c, sum ? 0 : 1, ValueType::integer);
  Value v = std::move(list[0]);
  check_numeric(e, v, x.span, sum ? "sum" : "product");
  for (std::size_t i = 1; i < list.size(); ++i) {
    const Variability var = std::max(v.variability, list[i].variability);
    v = arithmetic(e, sum ? Operator::add : Operator::mul, v, list[i], x.span);
    v.variability = var;
  }
  return v;
}

Value extreme(Evaluator& e, const Expr& x, const EnumType* expected) {
  if (x.args.size() == 2) return two_arguments(e, x, expected);
  arity(e, x, 1, 2);
  const Fn f = *function_named(x.path[0].name.str());
  std::vector<Value> list = terms(e, x);
  if (list.empty()) e.c.report.fail("E0220", x.span, "`" + x.path[0].name.str() + "` of nothing has no value");
  Value v = std::move(list[0]);
  for (std::size_t i = 1; i < list.size(); ++i) v = pairwise(e, f, v, list[i], x.span);
  return v;
}

// ---- vectors and matrices -------------------------------------------------------------------------------------------------------

Value dot(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 2, 2);
  const Value a = vector_of(e, *x.args[0], "dot"), b = vector_of(e, *x.args[1], "dot");
  return dot_product(e, a, b, x.span);
}

Value combined(const Value& a, const Value& b) {
  Value v;
  v.variability = std::max(a.variability, b.variability);
  v.type = a.type == ValueType::integer && b.type == ValueType::integer ? ValueType::integer : ValueType::real;
  v.dimension = product(a.dimension, b.dimension);
  return v;
}

Value cross(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 2, 2);
  const Value a = vector_of(e, *x.args[0], "cross", 3), b = vector_of(e, *x.args[1], "cross", 3);
  Value v = combined(a, b);
  v.sizes.push_back(3);
  model::Exprs& p = e.c.pool;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    v.nodes.push_back(p.sub(p.mul(a.nodes[j], b.nodes[k]), p.mul(a.nodes[k], b.nodes[j])));
  }
  return v;
}

Value skew(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 1, 1);
  const Value a = vector_of(e, *x.args[0], "skew", 3);
  Value v = a;
  v.sizes = Sizes{3, 3};
  model::Exprs& p = e.c.pool;
  const NodeId o = p.literal(0);
  const NodeId n[] = {o, p.neg(a.nodes[2]), a.nodes[1], a.nodes[2], o, p.neg(a.nodes[0]), p.neg(a.nodes[1]), a.nodes[0], o};
  v.nodes.clear();
  v.nodes.append(n, 9);
  return v;
}

Value outer_product(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 2, 2);
  const Value a = vector_of(e, *x.args[0], "outer_product"), b = vector_of(e, *x.args[1], "outer_product");
  Value v = combined(a, b);
  v.sizes = Sizes{a.sizes[0], b.sizes[0]};
  if (count(v.sizes) > max_elements) e.c.report.fail("E0227", x.span, "this array is too large");
  for (NodeId m : a.nodes)
    for (NodeId n : b.nodes) v.nodes.push_back(e.c.pool.mul(m, n));
  return v;
}

Value transpose(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 1, 1);
  return transposed(e, e.value(*x.args[0]), x.span);
}

Value diagonal_matrix(Evaluator& e, const Value& d, Span s) {
  const std::uint32_t n = d.sizes[0];
  Value v = d;
  v.sizes = Sizes{n, n};
  if (count(v.sizes) > max_elements) e.c.report.fail("E0227", s, "this array is too large (more than " + std::to_string(max_elements) + " elements)");
  v.nodes = Nodes(static_cast<std::size_t>(n) * n, e.c.pool.literal(0));
  for (std::uint32_t i = 0; i < n; ++i) v.nodes[static_cast<std::size_t>(i) * n + i] = d.nodes[i];
  return v;
}

Value diagonal(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 1, 1);
  return diagonal_matrix(e, vector_of(e, *x.args[0], "diagonal"), x.span);
}

Value identity(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 1, 1);
  const std::uint32_t n = size_argument(e, *x.args[0]);
  if (static_cast<std::uint64_t>(n) * n > max_elements) e.c.report.fail("E0227", x.span, "this array is too large (more than " + std::to_string(max_elements) + " elements)");
  Value d = literal_value(e.c, 1, ValueType::integer);
  d.sizes.push_back(n);
  d.nodes = Nodes(n, e.c.pool.literal(1));
  return diagonal_matrix(e, d, x.span);
}

Value zeros(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 1, 2000);
  return filled(e, literal_value(e.c, x.path[0].name == Name("zeros") ? 0 : 1, ValueType::integer), x, 0);
}

Value fill(Evaluator& e, const Expr& x, const EnumType* expected) {
  arity(e, x, 2, 2000);
  return filled(e, e.value(*x.args[0], expected), x, 1);
}

Value cat(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 2, 2000);
  const std::int64_t d = e.integer(*x.args[0], "the dimension to join along");
  if (d < 1 || d > 16) e.c.report.fail("E0226", x.args[0]->span, "the dimension to join along starts from 1");
  std::vector<Value> list;
  for (std::size_t i = 1; i < x.args.size(); ++i) {
    list.push_back(e.value(*x.args[i]));
    if (list.back().rank() < static_cast<std::size_t>(d)) e.c.report.fail("E0220", x.args[i]->span, "this has no dimension " + std::to_string(d) + ": it is " + shape_text(list.back().sizes));
  }
  return concatenated(e, list, static_cast<std::size_t>(d - 1), x.span);
}

Value linspace(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 3, 3);
  const Value a = e.scalar(*x.args[0], "the start"), b = e.scalar(*x.args[1], "the end");
  check_numeric(e, a, x.args[0]->span, "linspace");
  check_numeric(e, b, x.args[1]->span, "linspace");
  const std::uint32_t n = size_argument(e, *x.args[2]);
  if (n < 2) e.c.report.fail("E0226", x.args[2]->span, "`linspace` needs two points at least");
  Value v = a;
  promote(v, b);
  v.type = ValueType::real;
  v.dimension = either(a.dimension, b.dimension);
  v.sizes.push_back(n);
  v.nodes.clear();
  model::Exprs& p = e.c.pool;
  const NodeId width = p.sub(b.nodes[0], a.nodes[0]);
  for (std::uint32_t i = 0; i < n; ++i) v.nodes.push_back(p.add(a.nodes[0], p.mul(p.literal(Rational(i, n - 1)), width)));
  return v;
}

Value size(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 1, 2);
  const Sizes sizes = e.sizes_of(*x.args[0]);
  if (x.args.size() == 2) {
    const std::int64_t d = e.integer(*x.args[1], "a dimension");
    if (d < 1 || d > static_cast<std::int64_t>(sizes.size())) e.c.report.fail("E0223", x.args[1]->span, "there is no dimension " + std::to_string(d) + ": this is " + shape_text(sizes));
    return literal_value(e.c, sizes[static_cast<std::size_t>(d - 1)], ValueType::integer);
  }
  Value v;
  v.type = ValueType::integer;
  v.sizes.push_back(static_cast<std::uint32_t>(sizes.size()));
  for (std::uint32_t s : sizes) v.nodes.push_back(e.c.pool.literal(s));
  return v;
}

// ---- marks and special forms ------------------------------------------------------------------------------------------------------

Value no_event(Evaluator& e, const Expr& x, const EnumType* expected) {
  const bool smooth = x.path[0].name == Name("smooth");
  arity(e, x, smooth ? 2 : 1, smooth ? 2 : 1);
  const Value a = e.value(*x.args.back(), expected);
  if (a.record || a.texts) return a;
  Value v = a;
  for (NodeId& n : v.nodes)
    if (e.mode != Mode::structural && e.c.pool.if_literal(n) == nullptr) n = e.c.pool.call(Fn::no_event, {n});
  return v;
}

Value relax(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 1, 1);
  const Value a = e.value(*x.args[0]);
  Value v = mapped(e, Fn::relax, a, x.span);
  v.counting = a.counting;
  return v;
}

// residue(v): v is a variable or the derivative of one. Of a constant or parameter it marks the equation alone.
Value residue(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 1, 1);
  const Value a = e.value(*x.args[0]);
  check_numeric(e, a, x.span, "residue");
  Value v = a;
  for (NodeId& n : v.nodes) {
    NodeId inner = n;
    if (e.c.pool[inner].op == model::ExprOp::call && e.c.pool[inner].fn == Fn::relax) inner = e.c.pool.args(inner)[0];
    const auto op = e.c.pool[inner].op;
    if (op != model::ExprOp::operand && op != model::ExprOp::literal && a.variability > Variability::parameter)
      e.c.report.fail("E0237", x.span, "`residue` takes a variable or the derivative of one");
    n = e.c.pool.call(Fn::residue, {inner});
  }
  v.dimension = Dimension::flexible();  // its value is zero
  v.counting = Counting::none;
  return v;
}

Value der(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 1, 2);
  if (e.mode == Mode::structural) e.c.report.fail("E0224", x.span, "a derivative is not known before the model runs");
  std::int64_t n = 1;
  if (x.args.size() == 2) n = e.integer(*x.args[1], "the order of a derivative");
  if (n < 0 || n > static_cast<std::int64_t>(model::max_order)) e.c.report.fail("E0236", x.args.back()->span, "the order of a derivative is from 0 to " + std::to_string(model::max_order));
  Value v = e.value(*x.args[0]);
  for (std::int64_t i = 0; i < n; ++i) v = e.derivative(v, x.span);
  return v;
}

Value homotopy(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 2, 2);
  const Value a = e.value(*x.args[0]), b = e.value(*x.args[1]);
  Value v = pairwise(e, Fn::homotopy, a, b, x.span);
  v.dimension = clash(a.dimension, b.dimension) ? Dimension{} : either(a.dimension, b.dimension);
  return v;
}

Value moment(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 0, 0);
  if (e.mode == Mode::structural) e.c.report.fail("E0224", x.span, "`" + x.path[0].name.str() + "()` is not known before the model runs");
  const bool initial = x.path[0].name == Name("initial");
  Value v = scalar_value(e.c.pool.operand(model::Operand(initial ? model::OperandKind::initial : model::OperandKind::terminal, 0)), ValueType::boolean, Variability::continuous);
  v.dimension = Dimension::one();
  return v;
}

// interpolate(x, xs, ys): the table's numbers are constants or parameters.
Value interpolate(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 3, 3);
  const Value at = e.value(*x.args[0]);
  check_numeric(e, at, x.args[0]->span, "interpolate");
  const Value xs = vector_of(e, *x.args[1], "interpolate"), ys = vector_of(e, *x.args[2], "interpolate");
  if (!(xs.sizes == ys.sizes)) e.c.report.fail("E0220", x.span, "the table's columns differ in length: " + shape_text(xs.sizes) + " and " + shape_text(ys.sizes));
  if (xs.nodes.empty() || xs.nodes.size() > 30000) e.c.report.fail(xs.nodes.empty() ? "E0220" : "E0227", x.span, "a table has from 1 to 30000 points");
  if (std::max(xs.variability, ys.variability) > Variability::parameter) e.c.report.fail("E0221", x.span, "the numbers of a table must be constants or parameters");
  for (std::size_t k = 1; k < xs.nodes.size(); ++k) {
    const Rational *a = e.c.pool.if_literal(xs.nodes[k - 1]), *b = e.c.pool.if_literal(xs.nodes[k]);
    if (a && b && !(*a < *b)) e.c.report.fail("E0222", x.args[1]->span, "the first column of a table must increase, and " + to_text(to_double(*b)) + " comes behind " + to_text(to_double(*a)));
  }
  units_agree(e, at, xs, x.span, "interpolate");
  Value v = at;
  promote(v, xs);
  promote(v, ys);
  v.type = ValueType::real;
  std::vector<NodeId> args{NodeId{}};
  args.insert(args.end(), xs.nodes.begin(), xs.nodes.end());
  args.insert(args.end(), ys.nodes.begin(), ys.nodes.end());
  for (NodeId& n : v.nodes) {
    args[0] = n;
    n = e.c.pool.call(Fn::interpolate, args);
  }
  v.dimension = ys.dimension;
  v.counting = Counting::none;
  return v;
}

Value rooted(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 1, 1);
  if (e.home.instance == nullptr || x.args[0]->kind != ExprKind::reference) e.c.report.fail("E0254", x.span, "`rooted` takes the record of a connector: `rooted(frame_a.R)`");
  return boolean_value(e.c, e.home.instance->rooted(*x.args[0], e));
}

// ---- events

void at_run_time(Evaluator& e, const Expr& x) {
  if (e.mode == Mode::structural) e.c.report.fail("E0224", x.span, "`" + x.path[0].name.str() + "` is not known before the model runs");
  if (e.of_result) e.c.report.fail("E0522", x.span, "`" + x.path[0].name.str() + "` is no value of one time", "put `variable v = " + x.path[0].name.str() + "(…)` into the model, and ask for `v`");
}

bool is_variable(const model::Exprs& pool, NodeId n) {
  return pool[n].op == model::ExprOp::operand && pool.operand_of(n).kind() == model::OperandKind::value && pool.operand_of(n).order() == 0;
}
NodeId before_event(model::Exprs& pool, NodeId variable) { return pool.operand(model::Operand::pre(pool.operand_of(variable).slot())); }

// The value before the event, of variables element by element.
Value pre(Evaluator& e, const Expr& x, const EnumType* expected) {
  arity(e, x, 1, 1);
  at_run_time(e, x);
  Value v = e.value(*x.args[0], expected);
  if (v.texts) e.c.report.fail("E0243", x.span, "`pre` takes a variable, and this is a String");
  if (v.variability <= Variability::parameter || e.mode != Mode::normal) return v;
  for (NodeId& n : v.nodes) {
    if (e.c.pool.if_literal(n) != nullptr) continue;
    if (!is_variable(e.c.pool, n)) e.c.report.fail("E0243", x.span, "`pre` takes a variable, and this is an expression", "give the expression a name: `variable v = …`, then `pre(v)`");
    n = before_event(e.c.pool, n);
  }
  v.variability = Variability::discrete;
  return v;
}

// edge(b): b and not pre(b). Of a condition that has no name: it holds, and did not before the event.
Value edge(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 1, 1);
  at_run_time(e, x);
  Value v = e.value(*x.args[0]);
  if (v.type != ValueType::boolean) e.c.report.fail("E0244", x.span, "`edge` takes a Boolean, and this is `" + type_text(v) + "`", "`change` tells that a number changes");
  for (NodeId& n : v.nodes)
    n = v.variability > Variability::parameter && is_variable(e.c.pool, n) ? e.c.pool.call(Fn::and_, {n, e.c.pool.call(Fn::not_, {before_event(e.c.pool, n)})}) : e.c.pool.call(Fn::edge, {n});
  v.variability = Variability::discrete;
  return v;
}

Value change(Evaluator& e, const Expr& x, const EnumType* expected) {
  const Value now = (arity(e, x, 1, 1), at_run_time(e, x), e.value(*x.args[0], expected)), before = pre(e, x, expected);
  Value v = now;
  for (std::size_t i = 0; i < v.nodes.size(); ++i) v.nodes[i] = e.c.pool.call(Fn::not_, {e.c.pool.call(Fn::eq, {now.nodes[i], before.nodes[i]})});
  v.type = ValueType::boolean;
  v.enumeration = nullptr;
  v.dimension = Dimension::one();
  v.variability = Variability::discrete;
  return v;
}

Value sample(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 2, 2);
  at_run_time(e, x);
  const Value start = e.scalar(*x.args[0], "the first moment"), interval = e.scalar(*x.args[1], "the interval");
  check_numeric(e, start, x.args[0]->span, "sample");
  check_numeric(e, interval, x.args[1]->span, "sample");
  if (std::max(start.variability, interval.variability) > Variability::parameter)
    e.c.report.fail("E0242", x.span, "`sample` takes constants and parameters", "for moments that vary write `when time >= next`, and give `next` a new value there");
  if (const Rational* r = e.c.pool.if_literal(interval.nodes[0]); r != nullptr && *r <= 0)
    e.c.report.fail("E0242", x.args[1]->span, "the interval of `sample` must be positive");
  Value v = scalar_value(e.c.pool.call(Fn::sample, {start.nodes[0], interval.nodes[0]}), ValueType::boolean, Variability::discrete);
  v.dimension = Dimension::one();
  return v;
}

// delay(x, T), delay(x, T, largest T)
Value delay(Evaluator& e, const Expr& x, const EnumType*) {
  arity(e, x, 2, 3);
  at_run_time(e, x);
  Value v = e.value(*x.args[0]);
  if (v.type != ValueType::real && v.type != ValueType::integer) e.c.report.fail("E0246", x.span, "`delay` takes a Real, and this is `" + type_text(v) + "`");
  check_numeric(e, v, x.args[0]->span, "delay");
  std::string ignored;
  const Dimension second = find_unit("s", ignored)->dimension;
  const auto duration = [&](const Expr& a, const char* what) {
    const Value d = e.scalar(a, what);
    check_numeric(e, d, a.span, "delay");
    if (e.mode == Mode::normal && !e.free_units && clash(d.dimension, second) && e.c.report.first("W0201", a.span))
      e.c.report.warning("W0201", a.span, "`delay` takes a time, and this is in " + dimension_text(d.dimension));
    if (const Rational* r = e.c.pool.if_literal(d.nodes[0]); r != nullptr && *r < 0) e.c.report.fail("E0246", a.span, "a delay is not negative");
    return d;
  };
  const Value time = duration(*x.args[1], "the delay");
  if (x.args.size() == 2 && time.variability > Variability::parameter)
    e.c.report.fail("E0246", x.span, "a delay that varies needs its largest value", "write `delay(x, T, largest)`");
  NodeId largest = e.c.pool.literal(0);
  if (x.args.size() == 3) {
    const Value most = duration(*x.args[2], "the largest delay");
    if (most.variability > Variability::parameter) e.c.report.fail("E0246", x.args[2]->span, "the largest delay is a constant or a parameter");
    largest = most.nodes[0];
  }
  const Rational* r = e.c.pool.if_literal(time.nodes[0]);
  if (v.variability <= Variability::parameter || (r != nullptr && *r == 0)) return v;
  v.type = ValueType::real;
  for (NodeId& n : v.nodes) n = e.c.pool.call(Fn::delay, {n, time.nodes[0], largest});
  v.variability = Variability::continuous;
  v.counting = Counting::none;
  return v;
}

const std::unordered_map<std::string, Handler>& handlers() {
  static const std::unordered_map<std::string, Handler> t = [] {
    std::unordered_map<std::string, Handler> m = {
        {"sum", reduced}, {"product", reduced}, {"min", extreme}, {"max", extreme}, {"dot", dot}, {"cross", cross},
        {"skew", skew}, {"outer_product", outer_product}, {"transpose", transpose}, {"diagonal", diagonal},
        {"identity", identity}, {"zeros", zeros}, {"ones", zeros}, {"fill", fill}, {"cat", cat}, {"linspace", linspace},
        {"size", size}, {"noEvent", no_event}, {"smooth", no_event}, {"relax", relax}, {"residue", residue}, {"der", der},
        {"homotopy", homotopy}, {"initial", moment}, {"terminal", moment}, {"interpolate", interpolate}, {"integer", integer_part},
        {"rooted", rooted}, {"sample", sample}, {"pre", pre}, {"edge", edge}, {"change", change}, {"delay", delay}};
    for (const char* f : {"sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "log10", "sqrt", "abs", "sign", "floor", "ceil"}) m.emplace(f, one_argument);
    for (const char* f : {"atan2", "mod", "rem", "div"}) m.emplace(f, two_arguments);
    return m;
  }();
  return t;
}

}  // namespace

std::optional<Value> builtin(Evaluator& e, const Expr& x, const EnumType* expected) {
  auto it = handlers().find(x.path[0].name.str());
  if (it == handlers().end()) return std::nullopt;
  return it->second(e, x, expected);
}

bool builtin_named(const std::string& name) { return handlers().count(name) > 0; }

const std::vector<std::string>& builtin_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& [n, h] : handlers()) list.push_back(n);
    std::sort(list.begin(), list.end());
    return list;
  }();
  return names;
}

}  // namespace kron::elaborate
