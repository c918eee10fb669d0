// How a placeholder enters a form: integer rows, linear splits, isolation.
#include <doctest/doctest.h>

#include "tests/model/support.hpp"

using namespace kron;
using namespace kron::model;
using namespace kron::model::testing;

namespace {

std::vector<double> random_point(Random& random, std::uint32_t n, double low = 0.2, double high = 1.8) {
  std::vector<double> p;
  for (std::uint32_t k = 0; k < n; ++k) p.push_back(uniform(random, low, high));
  return p;
}

std::string row_text(const std::optional<IntegerRow>& r) {
  if (!r) return "none";
  std::string s;
  for (std::int64_t c : r->coefficient) s += std::to_string(c) + " ";
  return s + "| " + std::to_string(r->constant);
}

double max_abs(const std::vector<double>& p) {
  double m = 1;
  for (double x : p) m = std::max(m, std::abs(x));
  return m;
}

}  // namespace

TEST_CASE("integer rows: a table") {
  Exprs& e = forms().exprs();
  auto p = placeholders(e, 3);
  auto n = [&](long v) { return e.literal(v); };
  const long big = 1L << 30;
  const struct { std::string name; NodeId root; const char* row; } rows[] = {
      {"a difference", e.sub(p[0], p[1]), "1 -1 | 0"}, {"a sum of three", e.add(e.add(p[0], p[1]), p[2]), "1 1 1 | 0"},
      {"to the right", e.sub(p[0], e.sub(p[1], p[2])), "1 -1 1 | 0"}, {"negated", e.neg(e.add(p[0], e.neg(p[1]))), "-1 1 | 0"},
      {"repeated", e.add(e.add(p[0], p[0]), p[0]), "3 | 0"}, {"repeated and gone", e.sub(e.add(p[0], p[1]), p[0]), "0 1 | 0"},
      {"a constant", e.sub(p[0], n(1)), "1 | -1"}, {"only a constant", n(-4), "| -4"}, {"constants add up", e.add(e.add(p[0], n(7)), e.add(n(1), p[1])), "1 1 | 8"},
      {"multiplied", e.sub(e.mul(n(3), p[0]), e.mul(p[1], n(5))), "3 -5 | 0"}, {"a multiple of a sum", e.mul(n(3), e.sub(p[0], e.add(p[1], n(2)))), "3 -3 | -6"},
      {"nested", e.mul(n(-2), e.add(p[0], e.mul(n(4), e.sub(p[1], p[2])))), "-2 -8 8 | 0"},
      {"what cancels may be anything", e.sub(e.add(e.call(Fn::sin, {p[0]}), p[1]), e.call(Fn::sin, {p[0]})), "0 1 | 0"},
      {"marks do not count", e.sub(e.call(Fn::relax, {p[0]}), p[1]), "1 -1 | 0"}, {"a residue is zero", e.add(e.sub(p[0], p[1]), e.call(Fn::residue, {p[1]})), "1 -1 | 0"},
      {"a product", e.sub(e.mul(p[0], p[1]), p[2]), "none"}, {"a fraction", e.sub(e.mul(e.literal(Rational(1, 2)), p[0]), p[1]), "none"},
      {"a quotient", e.div(p[0], n(2)), "none"}, {"a fraction as constant", e.sub(p[0], e.literal(Rational(1, 2))), "none"},
      {"a function", e.sub(p[0], e.call(Fn::sin, {p[1]})), "none"}, {"a square", e.sub(e.pow(p[0], n(2)), p[1]), "none"},
      {"the limit", e.mul(n(big), p[0]), "1073741824 | 0"}, {"past the limit", e.mul(n(big + 1), p[0]), "none"},
      {"past the limit by nesting", e.mul(n(big), e.add(p[1], e.mul(n(2), p[0]))), "none"},
      {"past the limit by adding", e.add(e.mul(n(big), p[0]), e.add(p[0], p[1])), "none"},
      {"a constant past the limit", e.add(p[0], e.literal(Rational(Integer(1) << 40))), "none"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    CHECK(row_text(forms().integer_row(form(row.root))) == row.row);
  }
}

TEST_CASE("integer rows: random sums have the value of their row") {
  Random random(31);
  Exprs& e = forms().exprs();
  for (int i = 0; i < 2000; ++i) {
    std::vector<NodeId> parts = placeholders(e, 5);
    for (int k = 0; k < 12; ++k) {
      const NodeId a = parts[random() % parts.size()], b = parts[random() % parts.size()];
      const NodeId c = e.literal(static_cast<long>(below(random, 7)) - 3);
      switch (random() % 5) {
        case 0: parts.push_back(e.add(a, b)); break;
        case 1: parts.push_back(e.sub(a, b)); break;
        case 2: parts.push_back(e.neg(a)); break;
        case 3: parts.push_back(e.mul(a, c)); break;
        default: parts.push_back(e.add(a, c));
      }
    }
    const FormId f = form(parts.back());
    const auto& row = forms().integer_row(f);
    CAPTURE(form_text(f));
    REQUIRE(row);
    REQUIRE(row->coefficient.size() == forms().arity(f));
    std::vector<double> p;
    double sum = static_cast<double>(row->constant);
    for (std::uint32_t k = 0; k < forms().arity(f); ++k) {
      p.push_back(static_cast<double>(below(random, 9)) - 4);
      sum += p[k] * static_cast<double>(row->coefficient[k]);
      REQUIRE(to_double(*e.if_literal(forms().partial(f, k))) == static_cast<double>(row->coefficient[k]));
    }
    REQUIRE(at_point(e, parts.back(), p) == sum);
  }
}

TEST_CASE("linear: a table of what is and what is not") {
  Exprs& e = forms().exprs();
  auto p = placeholders(e, 4);
  const NodeId one = e.literal(1), two = e.literal(2), x = p[0], a = p[1], b = p[2], c = p[3];
  auto fn = [&](Fn f, NodeId n) { return e.call(f, {n}); };
  const struct { std::string name; NodeId root; bool linear; const char* coefficient; } rows[] = {
      {"Ohm", e.sub(e.mul(a, x), b), true, "p1"}, {"not there", e.sub(e.mul(a, b), c), true, "0"}, {"alone", x, true, "1"},
      {"negated", e.sub(a, e.mul(b, x)), true, "-p2"}, {"both sides", e.sub(e.mul(a, x), e.mul(b, x)), true, "p1 - p2"},
      {"divided", e.div(e.sub(e.mul(a, x), b), c), true, "p1/p3"}, {"kept factored", e.mul(e.add(a, b), e.add(x, c)), true, "p1 + p2"},
      {"beside a function", e.sub(e.mul(fn(Fn::sin, a), x), fn(Fn::exp, b)), true, "sin(p1)"},
      {"a choice", e.call(Fn::select, {e.call(Fn::lt, {a, b}), e.mul(two, x), e.add(x, c)}), true, "if p1 < p2 then 2 else 1"},
      {"a choice of two conditions", e.call(Fn::select, {a, e.mul(b, x), c}), true, "if p1 then p2 else 0"},
      {"marked", e.sub(e.call(Fn::relax, {e.mul(a, x)}), b), true, "p1"},
      {"in a residue: not there", e.add(e.sub(a, b), fn(Fn::residue, x)), true, "0"},
      {"hidden: (x+1)*(x-1) - x*x + 2*x", e.add(e.sub(e.mul(e.add(x, one), e.sub(x, one)), e.mul(x, x)), e.mul(two, x)), true, "2"},
      {"hidden: (x+a)^2 - (x-a)^2", e.sub(e.pow(e.add(x, a), two), e.pow(e.sub(x, a), two)), true, "4*p1"},
      {"hidden: x^3/x^2", e.div(e.pow(x, e.literal(3)), e.pow(x, two)), true, "1"},
      {"hidden: x*x/x*a", e.mul(e.div(e.mul(x, x), x), a), true, "p1"},
      {"hidden: (x-a)*(x-b)/(b-x)", e.div(e.mul(e.sub(x, a), e.sub(x, b)), e.sub(b, x)), true, "-1"},
      {"hidden: a function that cancels", e.sub(e.add(fn(Fn::sin, x), x), fn(Fn::sin, x)), true, "1"},
      {"hidden: a cancelled square, a factor that is left", e.sub(e.mul(e.add(x, a), e.add(x, b)), e.mul(x, x)), true, "p1 + p2"},
      {"square", e.sub(e.mul(x, x), a), false, ""}, {"power", e.sub(e.pow(x, two), a), false, ""}, {"inverse", e.sub(e.div(a, x), b), false, ""},
      {"function", e.sub(fn(Fn::sin, x), a), false, ""}, {"in a condition", e.call(Fn::select, {e.call(Fn::lt, {x, a}), x, b}), false, ""},
      {"in an exponent", e.pow(a, x), false, ""}, {"abs", fn(Fn::abs, x), false, ""}, {"product of two", e.mul(e.add(x, a), e.add(x, b)), false, ""},
      {"min", e.call(Fn::min, {x, a}), false, ""}, {"noEvent of a square", fn(Fn::no_event, e.mul(x, x)), false, ""},
      {"inside a function, outside linear", e.add(e.mul(a, x), fn(Fn::sqrt, e.mul(b, x))), false, ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const FormId f = form(row.root);
    const Linear& l = forms().linear(f, 0);
    CHECK(l.linear == row.linear);
    if (l.linear) CHECK(text(e, l.coefficient) == row.coefficient);
    if (row.linear) continue;
    // What is said not to be linear bends: the second difference is not 0.
    const std::vector<double> at = {0.9, 1.3, 0.7, 1.1};
    double bend = 0;
    for (const double h : {0.25, 0.6, 1.5}) {
      auto value = [&](double by) {
        std::vector<double> q = at;
        q[0] += by;
        return at_point(e, forms().root(forms().unmarked(f)), q);
      };
      bend = std::max(bend, std::abs(value(h) - 2 * value(0) + value(-h)));
    }
    CHECK(bend > 1e-3);
  }
}

TEST_CASE("linear: wherever it is claimed, coefficient*p + rest is the form") {
  Random random(32);
  Exprs& e = forms().exprs();
  std::size_t claimed = 0, bent = 0;
  for (int i = 0; i < 4000; ++i) {
    RandomExpression expression{e, random, i % 2 == 0, i % 4 != 1};
    const FormId f = form(expression(placeholders(e, 3), 3 + static_cast<int>(random() % 10)));
    const NodeId root = forms().root(f);
    CAPTURE(form_text(f));
    for (std::uint32_t k = 0; k < forms().arity(f); ++k) {
      const Linear& l = forms().linear(f, k);
      const auto q = random_point(random, forms().arity(f));
      const std::vector<Wide> point(q.begin(), q.end());
      const Wide value = at_point(e, root, point);
      if (!isfinite(value) || abs(value) > 1e20) continue;
      if (!l.linear) { ++bent; continue; }
      ++claimed;
      REQUIRE_FALSE(forms().depends_on(l.coefficient, k));
      REQUIRE_FALSE(forms().depends_on(l.rest, k));
      CAPTURE(text(e, l.coefficient));
      CAPTURE(text(e, l.rest));
      const Wide a = at_point(e, l.coefficient, point), b = at_point(e, l.rest, point);
      REQUIRE(abs(a * point[k] + b - value) <= Wide(1e-25) * (1 + abs(a) + abs(b) + abs(value)));
    }
  }
  CHECK(claimed > 1000);
  CHECK(bent > 1000);
}

TEST_CASE("linear: polynomials are recognised exactly, by their third difference") {
  Random random(33);
  Exprs& e = forms().exprs();
  for (int i = 0; i < 1500; ++i) {
    RandomExpression expression{e, random, true};
    const FormId f = form(expression(placeholders(e, 2), 2 + static_cast<int>(random() % 6)));
    for (std::uint32_t k = 0; k < forms().arity(f); ++k) {
      bool straight = true;  // of degree at most 1 in p_k: second differences vanish at more points than the degree allows zeros
      for (int at = -40; at <= 40 && straight; ++at) {
        std::vector<Wide> p = {1009, 2003};
        auto value = [&](int x) {
          p[k] = x;
          return at_point(e, forms().root(f), p);
        };
        const Wide l = value(at - 1), m = value(at), r = value(at + 1);
        straight = abs(l - 2 * m + r) <= Wide(1e-30) * (abs(l) + abs(m) + abs(r));
      }
      CAPTURE(form_text(f));
      REQUIRE(forms().linear(f, k).linear == straight);
    }
  }
}

TEST_CASE("isolate: a table") {
  Exprs& e = forms().exprs();
  auto p = placeholders(e, 3);
  const NodeId x = p[0], a = p[1], b = p[2], one = e.literal(1), two = e.literal(2), three = e.literal(3);
  auto fn = [&](Fn f, NodeId n) { return e.call(f, {n}); };
  auto less = [&](NodeId n) { return e.sub(n, a); };
  const struct { std::string name; NodeId root; const char *value, *divisors; } rows[] = {
      {"x - a", less(x), "p1", ""}, {"a - x", e.sub(a, x), "p1", ""}, {"x + a", e.add(x, a), "-p1", ""}, {"a*x - b", e.sub(e.mul(a, x), b), "p2/p1", "p1"},
      {"b - a*x", e.sub(b, e.mul(a, x)), "p2/p1", "-p1"}, {"2*x - a", less(e.add(x, x)), "p1/2", ""}, {"a - 2*x", e.sub(a, e.add(x, x)), "p1/2", ""},
      {"x/a - b", e.sub(e.div(x, a), b), "p2/(1/p1)", "1/p1"}, {"a/x - b", e.sub(e.div(a, x), b), "p1/p2", "p1; p2"}, {"1/x - a", less(e.div(one, x)), "1/p1", "p1"},
      {"exp(x) - a", less(fn(Fn::exp, x)), "log(p1)", ""}, {"log(x) - a", less(fn(Fn::log, x)), "exp(p1)", ""},
      {"log10(x) - a", less(fn(Fn::log10, x)), "10^p1", ""}, {"b*exp(x) - a", less(e.mul(b, fn(Fn::exp, x))), "log(p1/p2)", "p2"},
      {"x^3 - a", less(e.pow(x, three)), "if 0 <= p1 then abs(p1)^(1/3) else -abs(p1)^(1/3)", ""},
      {"x^-1 - a", less(e.pow(x, e.literal(-1))), "1/p1", "p1"},
      {"sinh(x) - a", less(fn(Fn::sinh, x)), "if 0 <= p1 then log(abs(p1) + sqrt(abs(p1)^2 + 1)) else -log(abs(p1) + sqrt(abs(p1)^2 + 1))", ""},
      {"sqrt(x) - a", less(fn(Fn::sqrt, x)), "none", ""}, {"x^2 - a", less(e.pow(x, two)), "none", ""}, {"x*x - a", less(e.mul(x, x)), "none", ""},
      {"x^(1/3) - a", less(e.pow(x, e.literal(Rational(1, 3)))), "none", ""}, {"x^b - a", less(e.pow(x, b)), "none", ""}, {"b^x - a", less(e.pow(b, x)), "none", ""},
      {"sin(x) - a", less(fn(Fn::sin, x)), "none", ""}, {"tan(x) - a", less(fn(Fn::tan, x)), "none", ""}, {"atan(x) - a", less(fn(Fn::atan, x)), "none", ""},
      {"tanh(x) - a", less(fn(Fn::tanh, x)), "none", ""}, {"asin(x) - a", less(fn(Fn::asin, x)), "none", ""}, {"cosh(x) - a", less(fn(Fn::cosh, x)), "none", ""},
      {"abs(x) - a", less(fn(Fn::abs, x)), "none", ""}, {"sign(x) - a", less(fn(Fn::sign, x)), "none", ""}, {"floor(x) - a", less(fn(Fn::floor, x)), "none", ""},
      {"min(x, b) - a", less(e.call(Fn::min, {x, b})), "none", ""}, {"if x < b then x else a", e.call(Fn::select, {e.call(Fn::lt, {x, b}), x, a}), "none", ""},
      {"x + exp(x) - a", less(e.add(x, fn(Fn::exp, x))), "none", ""}, {"not there", e.sub(a, b), "none", ""}, {"a/x", e.div(a, x), "none", ""},
      {"cancels", e.sub(e.add(x, a), x), "none", ""}, {"x^-2 - a", less(e.pow(x, e.literal(-2))), "none", ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const FormId f = form(row.root);
    const auto& i = forms().arity(f) > 0 && forms().depends_on(forms().root(f), 0) ? forms().isolate(f, 0) : forms().isolate(form(e.add(row.root, e.mul(e.literal(0), x))), 0);
    std::string divisors;
    if (i)
      for (NodeId d : i->divisors) divisors += (divisors.empty() ? "" : "; ") + text(e, d);
    CHECK((i ? text(e, i->value) : "none") == row.value);
    CHECK(divisors == row.divisors);
  }
}

TEST_CASE("isolate: put back, the form vanishes wherever no divisor does") {
  Random random(34);
  Exprs& e = forms().exprs();
  std::size_t isolated = 0;
  for (int i = 0; i < 6000; ++i) {
    RandomExpression expression{e, random, i % 3 == 0};
    const FormId f = form(expression(placeholders(e, 4), 3 + static_cast<int>(random() % 7)));
    CAPTURE(form_text(f));
    for (std::uint32_t k = 0; k < forms().arity(f); ++k) {
      const auto& r = forms().isolate(f, k);
      if (!r) continue;
      CAPTURE(text(e, r->value));
      REQUIRE_FALSE(forms().depends_on(r->value, k));
      for (NodeId d : r->divisors) REQUIRE_FALSE(forms().depends_on(d, k));
      const auto q = random_point(random, forms().arity(f), -1.5, 1.5);
      std::vector<Wide> point(q.begin(), q.end());
      point[k] = at_point(e, r->value, point);
      if (!isfinite(point[k]) || abs(point[k]) > 1e3 || (abs(point[k]) < 1e-3 && point[k] != 0)) continue;
      const Wide rest = at_point(e, forms().root(f), point);
      if (!isfinite(rest)) continue;  // a logarithm of a negative number elsewhere
      ++isolated;
      REQUIRE(abs(rest) < Wide(1e-20));
    }
  }
  CHECK(isolated > 1000);
}

TEST_CASE("isolate: where the value is undefined, a listed divisor vanishes or there is no solution") {
  Random random(35);
  Exprs& e = forms().exprs();
  for (int i = 0; i < 4000; ++i) {
    RandomExpression expression{e, random, true};
    std::vector<NodeId> leaves = placeholders(e, 4);
    leaves.push_back(e.div(leaves[1], leaves[2]));
    leaves.push_back(e.div(leaves[3], leaves[0]));
    const FormId f = form(expression(leaves, 2 + static_cast<int>(random() % 6)));
    for (std::uint32_t k = 0; k < forms().arity(f); ++k) {
      const auto& r = forms().isolate(f, k);
      if (!r) continue;
      std::vector<double> p;  // small whole numbers: divisors vanish often
      for (std::uint32_t j = 0; j < forms().arity(f); ++j) p.push_back(static_cast<double>(below(random, 5)) - 2);
      bool allowed = true;
      for (NodeId d : r->divisors) {
        const double v = at_point(e, d, p);
        allowed = allowed && std::isfinite(v) && v != 0;
      }
      if (!allowed) continue;
      bool defined = false;  // for some value of p_k: 1/p2 in the form may be undefined whatever p_k is
      for (const double at : {0.37, -1.29, 2.17}) {
        auto q = p;
        q[k] = at;
        defined = defined || std::isfinite(at_point(e, forms().root(f), q));
      }
      if (!defined) continue;
      CAPTURE(form_text(f));
      CAPTURE(text(e, r->value));
      p[k] = at_point(e, r->value, p);
      REQUIRE(std::isfinite(p[k]));
      double rest = at_point(e, forms().root(f), p);
      if (!std::isfinite(rest)) {  // x/x became 1, also at 0
        p[k] += 1e-9;
        rest = at_point(e, forms().root(f), p);
      }
      REQUIRE(std::abs(rest) < 1e-5 * max_abs(p));
    }
  }
}
