#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "tests/model/support.hpp"

using namespace kron;
using namespace kron::model;
using namespace kron::model::testing;

namespace {

struct Pool {
  Exprs e;
  NodeId x(std::uint32_t slot, unsigned order = 0) { return e.operand(Operand::value(SlotId{slot}, order)); }
  NodeId constant(const Rational& r) { return e.operand(Operand::constant(constant_id(r))); }
  NodeId n(long v) { return e.literal(v); }
};

// "p0*p1 - p2 | x0 2 x5": the form and what it is bound to.
std::string bound_text(const Bound& b) {
  std::string s = form_text(b.form) + " |";
  for (Operand o : b.operands) s += " " + leaf_text({ExprOp::operand, {}, 0, o.bits});
  return s;
}

double value(const Bound& b, const std::function<double(Operand)>& of) {
  const Exprs& e = forms().exprs();
  return evaluate<double>(e, forms().root(b.form), [&](NodeId n) { return of(b.operands[e.placeholder_of(n)]); });
}

double random_value(Operand o) {
  if (o.kind() == OperandKind::constant) return constant(ConstId{o.index()}).number;
  return 0.3 + 0.37 * o.index() + 0.11 * o.order() + 0.2 * static_cast<double>(o.kind());
}

}  // namespace

TEST_CASE("forms: placeholders by first occurrence, constants bound, 0, 1, -1 and exponents kept") {
  Pool p;
  Exprs& e = p.e;
  const struct { std::string name; NodeId node; const char* text; } rows[] = {
      {"Ohm's law", e.sub(e.mul(p.x(7), p.x(3)), e.sub(p.x(1), p.x(2))), "p0*p1 - (p2 - p3) | x7 x3 x1 x2"},
      {"equal operands share one", e.sub(e.mul(p.x(3), p.x(1)), p.x(3)), "p0*p1 - p0 | x3 x1"},
      {"numbers are bound", e.add(e.mul(p.n(2), p.x(0)), e.literal(Rational(1, 3))), "p0*p1 + p2 | 2 x0 1/3"},
      {"equal numbers share one", e.add(e.mul(p.n(2), p.x(0)), p.n(2)), "p0*p1 + p0 | 2 x0"},
      {"a literal and a bound constant of one value", e.add(e.mul(p.n(2), p.x(0)), p.constant(2)), "p0*p1 + p0 | 2 x0"},
      {"0, 1 and -1 stay", e.div(p.n(1), e.add(p.x(0), p.n(-1))), "1/(p0 + (-1)) | x0"},
      {"bound 1 and -1 become literals", e.add(e.mul(p.constant(1), p.x(0)), e.mul(p.constant(-1), p.x(1))), "p0 - p1 | x0 x1"},
      {"bound 0: what vanishes is not bound", e.add(e.mul(p.constant(0), p.x(9)), e.mul(p.x(1), p.x(0))), "p0*p1 | x1 x0"},
      {"cancelled by a bound constant", e.sub(e.mul(p.x(5), p.constant(1)), e.add(p.x(5), e.mul(p.x(6), p.constant(0)))), "0 |"},
      {"exponents stay", e.mul(e.pow(p.x(0), p.n(2)), p.n(2)), "p0^2*p1 | x0 2"},
      {"a fraction as exponent stays", e.pow(p.x(0), e.literal(Rational(1, 3))), "p0^(1/3) | x0"},
      {"a bound exponent is bound", e.pow(p.x(0), p.constant(2)), "p0^p1 | x0 2"},
      {"a base is bound", e.pow(p.n(2), p.x(0)), "p0^p1 | 2 x0"},
      {"an exponent that is not a literal", e.pow(p.x(0), e.add(p.x(1), p.n(2))), "p0^(p1 + p2) | x0 x1 2"},
      {"slot, derivative, start, pre and time differ", e.add(e.add(e.add(e.add(p.x(1), p.x(1, 1)), e.operand(Operand::start(SlotId{1u}))), e.operand(Operand::pre(SlotId{1u}))), e.operand(Operand::time())),
       "p0 + p1 + p2 + p3 + p4 | x1 d1x1 start1 pre1 time"},
      {"pi", e.mul(e.operand(Operand::constant(pi_id())), e.operand(Operand::constant(pi_id()))), "p0*p0 | pi"},
      {"one operand", p.x(4), "p0 | x4"},
      {"a number", e.literal(Rational(5, 2)), "p0 | 2.5"},
      {"zero", p.n(0), "0 |"},
      {"no arguments", e.call(Fn::select, {e.call(Fn::initial, {}), p.x(1), p.x(0)}), "if initial() then p0 else p1 | x1 x0"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const Bound b = forms().intern(e, row.node);
    CHECK(bound_text(b) == row.text);
    CHECK(forms().arity(b.form) == b.operands.size());
    CHECK(forms().intern(e, row.node).form == b.form);
  }
}

TEST_CASE("forms: equal shapes are one form, whatever they are bound to and from whatever pool") {
  Pool p, q;
  q.e.add(q.x(0), q.n(7));  // another history
  const Bound a = forms().intern(p.e, p.e.sub(p.e.mul(p.n(3), p.x(0)), p.x(1)));
  const Bound b = forms().intern(q.e, q.e.sub(q.e.mul(q.x(8), q.x(9, 1)), q.e.operand(Operand::time())));
  CHECK(a.form == b.form);
  CHECK(a.operands != b.operands);
  const Bound c = forms().intern(q.e, q.e.sub(q.e.mul(q.x(8), q.x(8)), q.x(9)));
  CHECK(c.form != a.form);  // shares an operand
}

TEST_CASE("forms: interning keeps the value, numbers densely, and is idempotent") {
  Random random(21);
  for (int i = 0; i < 3000; ++i) {
    Pool p;
    std::vector<NodeId> leaves;
    for (std::uint32_t k = 0; k < 5; ++k) leaves.push_back(p.x(below(random, 6), below(random, 2)));
    for (const Rational& r : {Rational(0), Rational(1), Rational(-1), Rational(5, 2)}) leaves.push_back(p.constant(r));
    leaves.push_back(p.e.literal(Rational(7, 4)));
    std::shuffle(leaves.begin(), leaves.end(), random);
    RandomExpression expression{p.e, random, false, false};
    const NodeId n = expression(leaves, 1 + static_cast<int>(random() % 15));
    CAPTURE(text(p.e, n));
    const Bound b = forms().intern(p.e, n);
    CAPTURE(bound_text(b));
    const double expected = evaluate<double>(p.e, n, [&](NodeId leaf) { return random_value(p.e.operand_of(leaf)); });
    const double got = value(b, random_value);
    if (std::isfinite(expected)) REQUIRE(std::abs(got - expected) <= 1e-9 * std::abs(expected));  // 0 times an undefined value is 0
    REQUIRE(std::set<Operand>(b.operands.begin(), b.operands.end()).size() == b.operands.size());
    const auto occurring = forms().placeholders(forms().root(b.form));
    REQUIRE(occurring.size() == b.operands.size());
    std::uint32_t next = 0;  // by first occurrence
    for (NodeId x : postorder(forms().exprs(), forms().root(b.form)))
      if (forms().exprs()[x].op == ExprOp::placeholder) REQUIRE(forms().exprs().placeholder_of(x) == next++);
    const Bound again = forms().intern(p.e, n);
    REQUIRE(again.form == b.form);
    REQUIRE(again.operands == b.operands);
  }
}

TEST_CASE("forms: expressions over placeholders keep their numbers") {
  Exprs& e = forms().exprs();
  const NodeId p2 = e.placeholder(2), p0 = e.placeholder(0);
  const FormId f = forms().intern_placeholders(e.sub(e.mul(p2, p2), p0));
  CHECK(forms().arity(f) == 3);
  CHECK(form_text(f) == "p2*p2 - p0");
  CHECK_FALSE(forms().linear(f, 2).linear);
  CHECK(forms().linear(f, 1).linear);
  CHECK(text(e, forms().linear(f, 1).coefficient) == "0");
  CHECK(forms().partial(f, 0) == e.literal(-1));
  Pool p;  // the same shape from operands is numbered anew, and bound to what occurs
  CHECK(bound_text(forms().intern(p.e, p.e.sub(p.e.mul(p.x(2), p.x(2)), p.x(0)))) == "p0*p0 - p1 | x2 x0");
}

TEST_CASE("forms: specialised: merged, negated and known placeholders") {
  Exprs& e = forms().exprs();
  auto p = placeholders(e, 4);
  const FormId sum = forms().intern_placeholders(e.sub(e.add(p[0], p[1]), e.mul(p[2], p[3])));
  const Replacement zero{-1, 1, 0}, one{-1, 1, 1}, minus_one{-1, 1, -1};
  auto keep = [](std::int32_t k, std::int8_t sign = 1) { return Replacement{k, sign, 0}; };
  const struct { std::string name; std::vector<Replacement> with; const char* form; std::vector<std::uint32_t> order; } rows[] = {
      {"nothing", {keep(0), keep(1), keep(2), keep(3)}, "p0 + p1 - p2*p3", {0, 1, 2, 3}},
      {"merged", {keep(0), keep(0), keep(1), keep(1)}, "p0 + p0 - p1*p1", {0, 1}},
      {"merged across", {keep(2), keep(5), keep(5), keep(2)}, "p0 + p1 - p1*p0", {2, 5}},
      {"with a sign", {keep(0), keep(0, -1), keep(1), keep(2, -1)}, "-p0*(-p1)", {1, 2}},
      {"zero", {keep(0), keep(1), zero, keep(3)}, "p0 + p1", {0, 1}},
      {"one and minus one", {one, keep(1), minus_one, keep(9)}, "1 + p0 + p1", {1, 9}},
      {"all known", {one, one, one, one}, "1", {}},
      {"renumbered by first occurrence", {keep(7), keep(3), keep(1), keep(0)}, "p0 + p1 - p2*p3", {7, 3, 1, 0}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    std::vector<std::uint32_t> order = {99};
    const FormId f = forms().specialise(sum, row.with, order);
    CHECK(form_text(f) == row.form);
    CHECK(order == row.order);
    std::vector<std::uint32_t> again;
    const std::size_t size = forms().size();
    CHECK(forms().specialise(sum, row.with, again) == f);
    CHECK(again == order);
    CHECK(forms().size() == size);
  }
  CHECK([&] { std::vector<std::uint32_t> o; return forms().specialise(sum, rows[0].with, o); }() == sum);
}

TEST_CASE("forms: specialising keeps the value") {
  Random random(22);
  Exprs& e = forms().exprs();
  for (int i = 0; i < 2000; ++i) {
    const bool polynomial = i % 2 == 0;  // else no zeros: the sign of a zero, which folding loses, matters to atan2
    RandomExpression expression{e, random, polynomial};
    std::vector<std::uint32_t> order;
    const FormId f = forms().intern_placeholders(expression(placeholders(e, 4), 8));
    std::vector<Replacement> with;
    std::vector<double> old_point, point = {0.7, 1.3, -0.4, 0.2};
    for (std::uint32_t k = 0; k < forms().arity(f); ++k) {
      Replacement r;
      if (polynomial && random() % 3 == 0) r.literal = static_cast<std::int8_t>(static_cast<int>(random() % 3) - 1);
      else r.placeholder = static_cast<std::int32_t>(below(random, 4));
      r.sign = random() % 2 == 0 ? 1 : -1;
      with.push_back(r);
      old_point.push_back(r.placeholder < 0 ? r.literal : r.sign * point[static_cast<std::size_t>(r.placeholder)]);
    }
    const double expected = at_point(e, forms().root(f), old_point);
    if (!std::isfinite(expected)) continue;  // what is folded away may have been undefined
    const FormId g = forms().specialise(f, with, order);
    std::vector<double> new_point;
    for (std::uint32_t k : order) new_point.push_back(point[k]);
    CAPTURE(form_text(f));
    CAPTURE(form_text(g));
    REQUIRE(at_point(e, forms().root(g), new_point) == doctest::Approx(expected));
  }
}

TEST_CASE("forms: what a node depends on") {
  Exprs& e = forms().exprs();
  auto p = placeholders(e, 5);
  const NodeId n = e.add(e.mul(p[3], p[1]), e.call(Fn::sin, {e.sub(p[1], p[0])}));
  const auto list = forms().placeholders(n);
  CHECK(std::vector<std::uint32_t>(list.begin(), list.end()) == std::vector<std::uint32_t>{0, 1, 3});
  CHECK(forms().depends_on(n, 3));
  CHECK_FALSE(forms().depends_on(n, 2));
  CHECK(forms().placeholders(e.literal(4)).empty());
}

TEST_CASE("forms: relax and residue marks") {
  Exprs& e = forms().exprs();
  auto p = placeholders(e, 3);
  auto relax = [&](NodeId n) { return e.call(Fn::relax, {n}); };
  auto residue = [&](NodeId n) { return e.call(Fn::residue, {n}); };
  const struct { std::string name; NodeId root; const char *relaxed, *residues, *unmarked; } rows[] = {
      {"no marks", e.sub(e.mul(p[0], p[1]), p[2]), "", "", "p0*p1 - p2"},
      {"one", e.sub(p[0], relax(e.mul(p[1], p[2]))), "12", "", "p0 - p1*p2"},
      {"inside and outside", e.sub(e.add(p[0], relax(p[0])), relax(e.mul(p[1], p[2]))), "12", "", "p0 + p0 - p1*p2"},
      {"twice inside", e.sub(e.add(p[0], relax(p[1])), relax(e.mul(p[1], p[2]))), "12", "", "p0 + p1 - p1*p2"},
      {"a product of marks", e.sub(p[0], e.mul(relax(p[1]), p[2])), "1", "", "p0 - p1*p2"},
      {"a mark in a mark", e.sub(p[0], relax(e.add(p[1], relax(p[2])))), "12", "", "p0 - (p1 + p2)"},
      {"a shared part", e.sub(e.mul(p[0], e.add(p[1], p[2])), relax(e.add(p[1], p[2]))), "", "", "p0*(p1 + p2) - (p1 + p2)"},
      {"everything", relax(e.sub(e.mul(p[0], p[1]), p[2])), "012", "", "p0*p1 - p2"},
      {"a residue", e.add(e.sub(e.mul(p[0], p[1]), p[2]), residue(p[1])), "", "1", "p0*p1 - p2"},
      {"a residue alone", e.add(e.sub(p[0], p[1]), residue(p[2])), "", "2", "p0 - p1"},
      {"a residue does not count as an occurrence", e.add(e.sub(p[0], relax(p[1])), residue(p[1])), "1", "1", "p0 - p1"},
      {"only in a residue", e.add(p[0], residue(p[1])), "", "1", "p0"},
      {"others marks go too", e.sub(e.call(Fn::no_event, {p[0]}), e.call(Fn::homotopy, {p[1], p[2]})), "", "", "p0 - p1"},
      {"what marks hid is folded", e.mul(residue(p[0]), p[1]), "", "0", "0"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const FormId f = forms().intern_placeholders(row.root);
    std::string relaxed, residues;
    for (std::uint32_t k = 0; k < forms().arity(f); ++k) {
      if (forms().only_relaxed(f, k)) relaxed += std::to_string(k);
      if (forms().has_residue(f, k)) residues += std::to_string(k);
    }
    CHECK(relaxed == row.relaxed);
    CHECK(residues == row.residues);
    const FormId u = forms().unmarked(f);
    CHECK(form_text(u) == row.unmarked);
    CHECK(forms().arity(u) == forms().arity(f));
    CHECK(forms().unmarked(u) == u);
    CHECK(forms().unmarked(f) == u);
    for (std::uint32_t k = 0; k < forms().arity(u); ++k) {  // answers are those of the computation
      CHECK(forms().linear(f, k).coefficient == forms().linear(u, k).coefficient);
      CHECK(forms().partial(f, k) == forms().partial(u, k));
      CHECK_FALSE(forms().only_relaxed(u, k));
    }
  }
  const FormId marked = forms().intern_placeholders(e.sub(p[0], relax(e.mul(p[1], p[2]))));
  CHECK(forms().unmarked(marked) == forms().intern_placeholders(e.sub(p[0], e.mul(p[1], p[2]))));
}

TEST_CASE("forms: printed with names; constants keep their brackets") {
  Pool p;
  Exprs& e = p.e;
  auto shown = [&](NodeId n) { return text(forms().intern(e, n)); };
  CHECK(shown(e.mul(p.x(0), e.literal(Rational(-5, 2)))) == "x0*(-2.5)");
  CHECK(shown(e.div(p.x(0), e.literal(Rational(1, 3)))) == "x0/(1/3)");
  CHECK(shown(e.pow(e.literal(-2), p.x(0))) == "(-2)^x0");
  CHECK(shown(e.sub(p.x(0), e.literal(-2))) == "x0 - (-2)");
  CHECK(shown(e.sub(e.mul(p.n(2), p.x(0)), p.x(1, 1))) == "2*x0 - d1x1");
}
