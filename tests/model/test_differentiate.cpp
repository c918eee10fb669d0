// Derivatives by placeholders and by time, and simplification, against 50-digit differences.
#include <doctest/doctest.h>

#include "tests/model/support.hpp"

using namespace kron;
using namespace kron::model;
using namespace kron::model::testing;

namespace {

std::vector<Wide> random_wide_point(Random& random, std::uint32_t n, double low, double high) {
  std::vector<Wide> p;
  for (std::uint32_t k = 0; k < n; ++k) p.push_back(uniform(random, low, high));
  return p;
}

// The central difference over a step at which neither its error nor the rounding reaches 20 digits.
Wide difference(const std::function<Wide(const Wide&)>& f, const Wide& at) {
  const Wide h("1e-13");
  return (f(at + h) - f(at - h)) / (2 * h);
}

bool agree(const Wide& a, const Wide& b, double tolerance = 1e-15) { return abs(a - b) <= Wide(tolerance) * (1 + abs(a) + abs(b)); }

NodeId by_placeholder(Exprs& e, NodeId n, std::uint32_t k) {
  return differentiate(e, n, [&](NodeId leaf) { return e.literal(e.placeholder_of(leaf) == k ? 1 : 0); });
}

}  // namespace

TEST_CASE("derivatives: the rules") {
  Exprs& e = forms().exprs();
  auto p = placeholders(e, 6);
  const NodeId x = p[0], y = p[1], one = e.literal(1), two = e.literal(2);
  auto fn = [&](Fn f, NodeId n) { return e.call(f, {n}); };
  const struct { std::string name; NodeId of; std::string by_x; double low, high; } rows[] = {
      {"sum", e.add(x, y), "1", -2, 2}, {"difference", e.sub(y, x), "-1", -2, 2}, {"product", e.mul(x, y), "p1", -2, 2},
      {"square", e.mul(x, x), "p0 + p0", -2, 2}, {"quotient above", e.div(x, y), "1/p1", 1, 2}, {"quotient below", e.div(y, x), "(-p1/p0)/p0", 1, 2},
      {"negation", e.neg(x), "-1", -2, 2}, {"power", e.pow(x, e.literal(3)), "3*p0^2", -2, 2}, {"negative power", e.pow(x, e.literal(-1)), "-p0^(-2)", 1, 2},
      {"root", e.pow(x, e.literal(Rational(1, 2))), "0.5*p0^(-0.5)", 1, 2}, {"exponent", e.pow(y, x), "p1^p0*log(p1)", 1, 2},
      {"base and exponent", e.pow(x, x), "p0*p0^(p0 - 1) + p0^p0*log(p0)", 1, 2},
      {"sin", fn(Fn::sin, x), "cos(p0)", -2, 2}, {"cos", fn(Fn::cos, x), "-sin(p0)", -2, 2}, {"tan", fn(Fn::tan, x), "1 + tan(p0)^2", -1, 1},
      {"asin", fn(Fn::asin, x), "1/sqrt(1 - p0^2)", -0.9, 0.9}, {"acos", fn(Fn::acos, x), "-1/sqrt(1 - p0^2)", -0.9, 0.9},
      {"atan", fn(Fn::atan, x), "1/(1 + p0^2)", -2, 2}, {"sinh", fn(Fn::sinh, x), "cosh(p0)", -2, 2}, {"cosh", fn(Fn::cosh, x), "sinh(p0)", -2, 2},
      {"tanh", fn(Fn::tanh, x), "1 - tanh(p0)^2", -2, 2}, {"exp", fn(Fn::exp, x), "exp(p0)", -2, 2}, {"log", fn(Fn::log, x), "1/p0", 0.1, 2},
      {"log10", fn(Fn::log10, x), "1/(p0*log(10))", 0.1, 2}, {"sqrt", fn(Fn::sqrt, x), "1/(2*sqrt(p0))", 0.1, 2},
      {"abs", fn(Fn::abs, x), "sign(p0)", -2, 2}, {"atan2 by y", e.call(Fn::atan2, {x, y}), "p1/(p0^2 + p1^2)", -2, 2},
      {"atan2 by x", e.call(Fn::atan2, {y, x}), "(-p1)/(p1^2 + p0^2)", -2, 2}, {"sign", fn(Fn::sign, x), "0", -2, 2}, {"floor", fn(Fn::floor, x), "0", -2, 2},
      {"ceil", fn(Fn::ceil, x), "0", -2, 2}, {"less", e.call(Fn::lt, {x, y}), "0", -2, 2}, {"not", fn(Fn::not_, x), "0", 1, 2},
      {"min", e.call(Fn::min, {x, y}), "if p0 <= p1 then 1 else 0", -2, 2}, {"max", e.call(Fn::max, {y, x}), "if p0 <= p1 then 0 else 1", -2, 2},
      {"mod", e.call(Fn::mod, {x, y}), "1", 1, 2}, {"mod below", e.call(Fn::mod, {y, x}), "-floor(p1/p0)", 0.3, 2},
      {"rem", e.call(Fn::rem, {x, y}), "1", 1, 2}, {"rem below", e.call(Fn::rem, {y, x}), "-div(p1, p0)", -2, -0.3}, {"div", e.call(Fn::div, {x, y}), "0", 1, 2},
      {"choice", e.call(Fn::select, {e.call(Fn::lt, {x, y}), e.mul(x, x), y}), "if p0 < p1 then p0 + p0 else 0", -2, 2},
      {"choice without x", e.call(Fn::select, {e.call(Fn::lt, {x, y}), y, two}), "0", -2, 2},
      {"relax", fn(Fn::relax, e.mul(x, y)), "relax(p1)", -2, 2}, {"noEvent", fn(Fn::no_event, e.mul(x, y)), "noEvent(p1)", -2, 2},
      {"homotopy", e.call(Fn::homotopy, {e.mul(x, y), x}), "homotopy(p1, 1)", -2, 2}, {"nothing there", fn(Fn::sin, y), "0", -2, 2}, {"a number", one, "0", -2, 2},
      {"chain", fn(Fn::sin, e.mul(y, x)), "cos(p1*p0)*p1", -2, 2}, {"a residue is marked, not computed", fn(Fn::residue, x), "residue(1)", -2, 2},
  };
  Random random(41);
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const NodeId d = by_placeholder(e, row.of, 0);
    CHECK(text(e, d) == row.by_x);
    if (row.name.starts_with("a residue")) continue;
    for (int i = 0; i < 20; ++i) {
      std::vector<Wide> at = random_wide_point(random, 6, row.low, row.high);
      const Wide slope = difference([&](const Wide& v) { auto q = at; q[0] = v; return at_point(e, row.of, q); }, at[0]);
      CHECK(agree(at_point(e, d, at), slope));
    }
  }
}

TEST_CASE("derivatives: tables whose numbers move") {
  Exprs& e = forms().exprs();
  auto p = placeholders(e, 1);
  const NodeId x = p[0];
  auto moved = [&](long at, long by) { return e.add(e.literal(at), e.mul(e.literal(Rational(by, 10)), x)); };
  auto n = [&](long v) { return e.literal(v); };
  const std::vector<NodeId> still = {n(0), n(1), n(3)}, values = {n(2), n(-1), n(4)};
  const std::vector<NodeId> moving = {moved(0, 1), moved(1, -2), moved(3, 1)}, moving_values = {moved(2, 3), moved(-1, -4), moved(4, 1)};
  const NodeId outside = e.literal(Rational(3, 2));
  Random random(42);
  for (const Fn fn : {Fn::interpolate, Fn::interpolate_slope})
    for (const NodeId at : {e.call(Fn::sin, {x}), outside, e.mul(n(3), x)})
      for (const auto& xs : {still, moving})
        for (const auto& ys : {values, moving_values}) {
          std::vector<NodeId> a = {at};
          a.insert(a.end(), xs.begin(), xs.end());
          a.insert(a.end(), ys.begin(), ys.end());
          const NodeId f = e.call(fn, a), d = by_placeholder(e, f, 0);
          CAPTURE(text(e, d));
          for (int i = 0; i < 20; ++i) {
            const auto point = random_wide_point(random, 1, -2, 2);
            const Wide slope = difference([&](const Wide& v) { return at_point(e, f, std::vector<Wide>{v}); }, point[0]);
            CHECK(agree(at_point(e, d, point), slope));
          }
        }
  std::vector<NodeId> a = {x};
  a.insert(a.end(), still.begin(), still.end());
  a.insert(a.end(), values.begin(), values.end());
  CHECK(text(e, by_placeholder(e, e.call(Fn::interpolate, a), 0)) == "interpolate_slope(p0, 0, 1, 3, 2, -1, 4)");
  CHECK(text(e, by_placeholder(e, e.call(Fn::interpolate_slope, a), 0)) == "0");
}

TEST_CASE("partial derivatives of random expressions") {
  Random random(43);
  Exprs& e = forms().exprs();
  std::size_t checked = 0;
  for (int i = 0; i < 3000; ++i) {
    RandomExpression expression{e, random, i % 5 == 0, i % 3 != 0};
    const FormId f = form(expression(placeholders(e, 3), 2 + static_cast<int>(random() % 12)));
    const NodeId root = forms().root(f);
    const auto at = random_wide_point(random, forms().arity(f), -1.7, 1.9);
    const Wide value = at_point(e, root, at);
    if (!isfinite(value) || abs(value) > 1e8) continue;
    CAPTURE(form_text(f));
    for (std::uint32_t k = 0; k < forms().arity(f); ++k) {
      const Wide d = at_point(e, forms().partial(f, k), at);
      const Wide slope = difference([&](const Wide& v) { auto q = at; q[k] = v; return at_point(e, root, q); }, at[k]);
      if (!isfinite(d) || !isfinite(slope) || abs(slope) > 1e8) continue;  // at the edge of a domain
      CAPTURE(text(e, forms().partial(f, k)));
      CAPTURE(at[k]);
      CAPTURE(d);
      CAPTURE(slope);
      ++checked;
      REQUIRE(agree(d, slope, 1e-9));
    }
  }
  CHECK(checked > 3000);
}

TEST_CASE("simplify: a table") {
  Exprs& e = forms().exprs();
  auto p = placeholders(e, 4);
  const NodeId x = p[0], a = p[1], b = p[2], c = p[3], two = e.literal(2);
  const NodeId sine = e.call(Fn::sin, {x});
  const struct { std::string name; NodeId from; std::string to; } rows[] = {
      {"nothing to do", e.mul(e.add(x, a), b), "(p0 + p1)*p2"}, {"x + x + x", e.add(e.add(x, x), x), "3*p0"},
      {"x*a - a*x", e.sub(e.mul(x, a), e.mul(a, x)), "0"}, {"(x*a)/a", e.div(e.mul(x, a), a), "p0"},
      {"(a - b)/(b - a)", e.div(e.sub(a, b), e.sub(b, a)), "-1"}, {"(2*a - 2*b)*c/(b - a)", e.div(e.mul(e.sub(e.mul(two, a), e.mul(two, b)), c), e.sub(b, a)), "-2*p3"},
      {"x^3/x", e.div(e.pow(x, e.literal(3)), x), "p0^2"}, {"functions stay whole", e.sub(e.mul(sine, a), e.mul(a, sine)), "0"},
      {"sqrt(x^2) is not x", e.call(Fn::sqrt, {e.pow(x, two)}), "sqrt(p0^2)"}, {"(x^2)^(1/2) is not x", e.pow(e.pow(x, two), e.literal(Rational(1, 2))), "(p0^2)^0.5"},
      {"expanded where that is shorter", e.sub(e.mul(e.add(x, a), e.add(x, a)), e.add(e.mul(x, x), e.mul(a, a))), "2*p0*p1"},
      {"not expanded where it is longer", e.mul(e.add(x, a), e.add(b, c)), "(p0 + p1)*(p2 + p3)"},
      {"1/0 is left alone", e.add(e.div(e.literal(1), e.literal(0)), e.sub(x, x)), "1/0"},
      {"0 below", e.div(x, e.sub(e.mul(x, a), e.mul(a, x))), "p0/(p0*p1 - p1*p0)"},
      {"big numbers", e.sub(e.mul(e.literal(Rational(pow(Integer(3), 200))), x), e.mul(x, e.literal(Rational(pow(Integer(3), 200))))), "0"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    CHECK(text(e, simplify(e, row.from)) == row.to);
  }
}

TEST_CASE("reduced fractions: a table") {
  Exprs& e = forms().exprs();
  auto p = placeholders(e, 3);
  const NodeId x = p[0], a = p[1], b = p[2], two = e.literal(2);
  const NodeId sine = e.call(Fn::sin, {x});
  const struct { std::string name; NodeId a, b; std::string numerator, denominator; } rows[] = {
      {"nothing in common", e.mul(x, a), b, "p0*p1", "p2"}, {"a factor", e.mul(two, x), x, "2", "1"}, {"numbers", e.mul(two, x), e.mul(e.literal(6), a), "p0", "3*p1"},
      {"of opposite sign", e.sub(a, b), e.sub(b, a), "-1", "1"}, {"a sum", e.sub(e.mul(x, x), e.mul(a, a)), e.add(x, a), "p0 - p1", "1"},
      {"a function", e.mul(sine, x), e.mul(sine, sine), "p0", "sin(p0)"}, {"the sign goes above", e.neg(x), e.neg(e.mul(a, x)), "1", "p1"},
      {"the sign of a difference", e.mul(x, b), e.mul(x, e.neg(e.sub(x, a))), "-p2", "p0 - p1"},
      {"0 below", x, e.sub(e.mul(x, a), e.mul(a, x)), "p0", "p0*p1 - p1*p0"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const auto [n, d] = reduced_fraction(e, row.a, row.b);
    CHECK(text(e, n) == row.numerator);
    CHECK(text(e, d) == row.denominator);
  }
}

TEST_CASE("simplify: the same value with no more operations") {
  Random random(44);
  Exprs e;
  std::size_t shorter = 0;
  for (int i = 0; i < 3000; ++i) {
    RandomExpression expression{e, random, i % 2 == 0};
    const NodeId n = expression(placeholders(e, 3), 2 + static_cast<int>(random() % 14)), s = simplify(e, n);
    CAPTURE(text(e, n));
    CAPTURE(text(e, s));
    const std::size_t before = operations(e, n), after = operations(e, s);
    REQUIRE((s == n || after < before));
    shorter += after < before;
    const auto at = random_wide_point(random, 3, -1.7, 1.9);
    const Wide value = at_point(e, n, at);
    if (isfinite(value) && abs(value) < 1e15) REQUIRE(agree(value, at_point(e, s, at), 1e-25));
  }
  CHECK(shorter > 300);
}

namespace {

// Smooth paths x_i(t), their derivatives, and what stands still.
Wide path(Operand o, const Wide& t) {
  const Wide i = o.index() + 1, w = Wide(2) / 3 + i / 5, s = sin(w * t + i), c = cos(w * t + i);
  switch (o.kind()) {
    case OperandKind::time: return t;
    case OperandKind::constant: return Wide(constant(ConstId{o.index()}).number);
    case OperandKind::value: break;
    default: return Wide(1) + i / 7;
  }
  const Wide power = pow(w, static_cast<int>(o.order()));
  const Wide wave = o.order() % 4 == 0 ? s : o.order() % 4 == 1 ? c : o.order() % 4 == 2 ? Wide(-s) : Wide(-c);
  return (o.order() == 0 ? Wide(1.7) : Wide(0)) + power * wave / 2;
}

bool stands_still(Operand o) { return o.kind() == OperandKind::value && o.index() == 4; }  // a parameter

Wide on_path(Operand o, const Wide& t) { return path(o, stands_still(o) ? Wide(0) : t); }

std::vector<NodeId> operands(Exprs& e) {
  std::vector<NodeId> out;
  for (std::uint32_t k = 0; k < 5; ++k) out.push_back(e.operand(Operand::value(SlotId{k})));
  out.push_back(e.operand(Operand::value(SlotId{1u}, 1)));
  out.push_back(e.operand(Operand::value(SlotId{2u}, 2)));
  out.push_back(e.operand(Operand::start(SlotId{1u})));
  out.push_back(e.operand(Operand::pre(SlotId{2u})));
  out.push_back(e.operand(Operand::constant(constant_id(Rational(7, 3)))));
  out.push_back(e.operand(Operand::time()));
  return out;
}

}  // namespace

TEST_CASE("time derivatives: random expressions along smooth paths") {
  Random random(45);
  std::size_t checked = 0;
  for (int i = 0; i < 1500; ++i) {
    Exprs e;
    RandomExpression expression{e, random, i % 4 == 0, i % 3 != 0};
    const NodeId n = expression(operands(e), 2 + static_cast<int>(random() % 10));
    CAPTURE(text(e, n));
    const Bound bound = forms().intern(e, n);
    const Bound by_form = forms().time_derivative(bound.form, bound.operands, stands_still);
    const NodeId by_tree = time_derivative(e, n, stands_still);
    REQUIRE(forms().arity(by_form.form) == by_form.operands.size());
    const Exprs& f = forms().exprs();
    for (const double t : {0.3, 1.1}) {
      auto value = [&](const Wide& at) { return evaluate<Wide>(e, n, [&](NodeId x) { return on_path(e.operand_of(x), at); }); };
      const Wide v = value(t), slope = difference(value, t);
      if (!isfinite(v) || !isfinite(slope) || abs(v) > 1e8 || abs(slope) > 1e8) continue;
      const Wide tree = evaluate<Wide>(e, by_tree, [&](NodeId x) { return on_path(e.operand_of(x), t); });
      const Wide of_form = evaluate<Wide>(f, forms().root(by_form.form),
                                          [&](NodeId x) { return on_path(by_form.operands[f.placeholder_of(x)], t); });
      if (!isfinite(tree)) continue;
      ++checked;
      CAPTURE(text(e, by_tree));
      CAPTURE(text(by_form));
      REQUIRE(agree(tree, slope, 1e-9));
      REQUIRE(agree(of_form, slope, 1e-9));
    }
  }
  CHECK(checked > 1500);
}

TEST_CASE("time derivatives: a table") {
  Exprs e;
  auto x = [&](std::uint32_t k, unsigned order = 0) { return e.operand(Operand::value(SlotId{k}, order)); };
  const NodeId start = e.operand(Operand::start(SlotId{1u})), pre = e.operand(Operand::pre(SlotId{1u})), time = e.operand(Operand::time());
  const NodeId initial = e.operand(Operand(OperandKind::initial, 0)), five = e.literal(5);
  auto mark = [&](Fn fn, NodeId n) { return e.call(fn, {n}); };
  const struct { std::string name; NodeId of; std::string derivative; } rows[] = {
      {"a variable", x(0), "d1x0"}, {"a derivative", x(0, 1), "d2x0"}, {"the last order", x(0, 6), "d7x0"}, {"time", time, "1"},
      {"a parameter", x(4), "0"}, {"a start value", start, "0"}, {"a value before an event", pre, "0"}, {"a number", five, "0"}, {"initial", initial, "0"},
      {"a moving length", e.sub(e.add(e.pow(x(0), e.literal(2)), e.pow(x(1), e.literal(2))), x(4)), "2*x0*d1x0 + 2*x1*d1x1"},
      {"of time and parameter", e.mul(x(4), e.call(Fn::sin, {e.mul(x(4), time)})), "x4*(cos(x4*time)*x4)"},
      {"relax", e.sub(x(0), mark(Fn::relax, e.mul(x(4), x(1)))), "d1x0 - relax(x4*d1x1)"}, {"residue", e.add(x(0), mark(Fn::residue, x(1))), "d1x0 + residue(d1x1)"},
      {"noEvent", mark(Fn::no_event, e.mul(x(0), x(4))), "noEvent(d1x0*x4)"}, {"relax of a parameter", mark(Fn::relax, x(4)), "0"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    CHECK(text(e, time_derivative(e, row.of, stands_still)) == row.derivative);
    const Bound b = forms().intern(e, row.of);
    const Bound d = forms().time_derivative(b.form, b.operands, stands_still);
    CHECK(text(d) == row.derivative);
    const std::size_t size = forms().size();
    CHECK(forms().time_derivative(b.form, b.operands, stands_still).form == d.form);
    CHECK(forms().size() == size);
  }
}

TEST_CASE("time derivatives: marks commute") {
  Random random(46);
  for (int i = 0; i < 300; ++i) {
    Exprs e;
    RandomExpression expression{e, random};
    const NodeId n = expression(operands(e), 6), d = time_derivative(e, n, stands_still);
    if (e.if_literal(d)) continue;
    for (const Fn fn : {Fn::relax, Fn::residue, Fn::no_event}) CHECK(time_derivative(e, e.call(fn, {n}), stands_still) == e.call(fn, {d}));
  }
}
