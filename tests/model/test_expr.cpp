#include <doctest/doctest.h>

#include <algorithm>
#include <memory>

#include "tests/model/support.hpp"

using namespace kron;
using namespace kron::model;
using namespace kron::model::testing;

namespace {

// The text of an expression read again, by precedence climbing, and valued at once: what print() shows must be what was meant.
class Reader {
 public:
  Reader(const std::string& text, const std::vector<double>& x) : text_(text), x_(x) {}
  double run() {
    const double v = choice();
    CHECK(at_ == text_.size());
    return v;
  }

 private:
  bool take(std::string_view word) {
    if (!std::string_view(text_).substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  double choice() {
    if (take("if ")) {
      const double c = choice();
      REQUIRE(take(" then "));
      const double a = choice();
      REQUIRE(take(" else "));
      const double b = choice();
      return c != 0 ? a : b;
    }
    return either();
  }
  double either() {
    double v = both();
    while (take(" or ")) v = (both() != 0) + (v != 0) > 0;
    return v;
  }
  double both() {
    double v = negation();
    while (take(" and ")) v = (negation() != 0) + (v != 0) == 2;
    return v;
  }
  double negation() { return take("not ") ? negation() == 0 : relation(); }
  double relation() {
    const double v = sum();
    if (take(" <= ")) return v <= sum();
    if (take(" < ")) return v < sum();
    if (take(" == ")) return v == sum();
    return v;
  }
  double sum() {
    const bool minus = take("-");
    double v = product();
    if (minus) v = -v;
    for (;;) {
      if (take(" + ")) v += product();
      else if (take(" - ")) v -= product();
      else return v;
    }
  }
  double product() {
    double v = power();
    for (;;) {
      if (take("*")) v *= power();
      else if (take("/")) v /= power();
      else return v;
    }
  }
  double power() {
    const double base = word();
    return take("^") ? std::pow(base, word()) : base;
  }
  double word() {
    if (take("(")) {
      const double v = choice();
      REQUIRE(take(")"));
      return v;
    }
    REQUIRE(at_ < text_.size());
    if (std::isdigit(static_cast<unsigned char>(text_[at_]))) {
      std::size_t n = 0;
      const double v = std::stod(text_.substr(at_), &n);
      at_ += n;
      return v;
    }
    std::string name;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) name += text_[at_++];
    if (!take("(")) return x_.at(static_cast<std::size_t>(std::stoi(name.substr(1))));
    std::vector<double> a = {choice()};
    while (take(", ")) a.push_back(choice());
    REQUIRE(take(")"));
    const auto fn = function_named(name);
    REQUIRE(fn);
    return value_of(*fn, a);
  }

  const std::string& text_;
  const std::vector<double>& x_;
  std::size_t at_ = 0;
};

bool close(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || a == b || std::abs(a - b) <= 1e-12 * (std::abs(a) + std::abs(b));
}

}  // namespace

TEST_CASE("expressions: what making a node folds, and what it keeps") {
  Exprs e;
  const NodeId x = e.operand(Operand::value(SlotId{0u})), y = e.operand(Operand::value(SlotId{1u}));
  auto n = [&](long v) { return e.literal(v); };
  auto q = [&](long a, long b) { return e.literal(Rational(a, b)); };
  const NodeId big = e.literal(Rational(pow(Integer(2), 2000)));
  const struct { std::string name; NodeId node; const char* text; } rows[] = {
      {"0 + x", e.add(n(0), x), "x0"}, {"x + 0", e.add(x, n(0)), "x0"}, {"x - 0", e.sub(x, n(0)), "x0"}, {"0 - x", e.sub(n(0), x), "-x0"},
      {"x - x", e.sub(x, x), "0"}, {"0*x", e.mul(n(0), x), "0"}, {"x*0", e.mul(x, n(0)), "0"}, {"1*x", e.mul(n(1), x), "x0"},
      {"x*1", e.mul(x, n(1)), "x0"}, {"-1*x", e.mul(n(-1), x), "-x0"}, {"x*-1", e.mul(x, n(-1)), "-x0"}, {"x/1", e.div(x, n(1)), "x0"},
      {"x/-1", e.div(x, n(-1)), "-x0"}, {"0/x", e.div(n(0), x), "0"}, {"x^1", e.pow(x, n(1)), "x0"}, {"x^0", e.pow(x, n(0)), "1"},
      {"1^x", e.pow(n(1), x), "1"}, {"-(-x)", e.neg(e.neg(x)), "x0"}, {"x + (-y)", e.add(x, e.neg(y)), "x0 - x1"},
      {"x - (-y)", e.sub(x, e.neg(y)), "x0 + x1"}, {"-(x - y)", e.neg(e.sub(x, y)), "x1 - x0"}, {"-x + y", e.add(e.neg(x), y), "-x0 + x1"},
      {"2 + 3", e.add(n(2), n(3)), "5"}, {"1/3 - 1/2", e.sub(q(1, 3), q(1, 2)), "-1/6"}, {"2/3*3", e.mul(q(2, 3), n(3)), "2"},
      {"1/4", e.div(n(1), n(4)), "0.25"}, {"-(2)", e.neg(n(2)), "-2"}, {"(2/3)^-2", e.pow(q(2, 3), n(-2)), "2.25"},
      {"(-2)^3", e.pow(n(-2), n(3)), "-8"}, {"0^2", e.pow(n(0), n(2)), "0"}, {"0^0", e.pow(n(0), n(0)), "1"},
      {"1/0", e.div(n(1), n(0)), "1/0"}, {"0/0", e.div(n(0), n(0)), "0/0"}, {"0^-1", e.pow(n(0), n(-1)), "0^(-1)"},
      {"2^0.5", e.pow(n(2), q(1, 2)), "2^0.5"}, {"2^1000000", e.pow(n(2), n(1000000)), "2^1000000"},
      {"2^600", e.pow(n(2), n(600)), "2^600"}, {"big*big", e.mul(big, big), nullptr}, {"x + x", e.add(x, x), "x0 + x0"},
      {"x/x", e.div(x, x), "x0/x0"}, {"y + x keeps its order", e.add(y, x), "x1 + x0"},
      {"if 1", e.call(Fn::select, {n(1), x, y}), "x0"}, {"if 0", e.call(Fn::select, {n(0), x, y}), "x1"},
      {"if c then x else x", e.call(Fn::select, {y, x, x}), "x0"}, {"1 < 2", e.call(Fn::lt, {n(1), n(2)}), "1"},
      {"2 <= 1", e.call(Fn::le, {n(2), n(1)}), "0"}, {"1/2 == 2/4", e.call(Fn::eq, {q(1, 2), q(2, 4)}), "1"},
      {"and", e.call(Fn::and_, {n(1), n(0)}), "0"}, {"or", e.call(Fn::or_, {n(1), n(0)}), "1"}, {"not", e.call(Fn::not_, {n(0)}), "1"},
      {"abs(-7/2)", e.call(Fn::abs, {q(-7, 2)}), "3.5"}, {"sign(-7/2)", e.call(Fn::sign, {q(-7, 2)}), "-1"},
      {"min", e.call(Fn::min, {n(2), n(-3)}), "-3"}, {"max", e.call(Fn::max, {n(2), n(-3)}), "2"},
      {"floor(-7/2)", e.call(Fn::floor, {q(-7, 2)}), "-4"}, {"floor(-4)", e.call(Fn::floor, {n(-4)}), "-4"},
      {"ceil(-7/2)", e.call(Fn::ceil, {q(-7, 2)}), "-3"}, {"ceil(7/2)", e.call(Fn::ceil, {q(7, 2)}), "4"},
      {"div(-7, 2)", e.call(Fn::div, {n(-7), n(2)}), "-3"}, {"mod(-7, 2)", e.call(Fn::mod, {n(-7), n(2)}), "1"},
      {"mod(7, -2)", e.call(Fn::mod, {n(7), n(-2)}), "-1"}, {"rem(-7, 2)", e.call(Fn::rem, {n(-7), n(2)}), "-1"},
      {"rem(7/2, 1)", e.call(Fn::rem, {q(7, 2), n(1)}), "0.5"}, {"mod(1, 0)", e.call(Fn::mod, {n(1), n(0)}), "mod(1, 0)"},
      {"div(1, 0)", e.call(Fn::div, {n(1), n(0)}), "div(1, 0)"}, {"rem(1, 0)", e.call(Fn::rem, {n(1), n(0)}), "rem(1, 0)"},
      {"sin(0)", e.call(Fn::sin, {n(0)}), "0"}, {"cos(0)", e.call(Fn::cos, {n(0)}), "1"}, {"exp(0)", e.call(Fn::exp, {n(0)}), "1"},
      {"log(1)", e.call(Fn::log, {n(1)}), "0"}, {"sqrt(1)", e.call(Fn::sqrt, {n(1)}), "1"}, {"log(0)", e.call(Fn::log, {n(0)}), "log(0)"},
      {"sqrt(-1)", e.call(Fn::sqrt, {n(-1)}), "sqrt(-1)"}, {"asin(2)", e.call(Fn::asin, {n(2)}), "asin(2)"},
      {"noEvent(2)", e.call(Fn::no_event, {n(2)}), "2"}, {"homotopy(2, 3)", e.call(Fn::homotopy, {n(2), n(3)}), "2"},
      {"relax(2)", e.call(Fn::relax, {n(2)}), "relax(2)"}, {"initial()", e.call(Fn::initial, {}), "initial()"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    if (row.text != nullptr) CHECK(text(e, row.node) == row.text);
    else CHECK(e[row.node].op != ExprOp::literal);
  }
}

TEST_CASE("expressions: literals are folded as the functions compute") {
  Random random(11);
  Exprs e;
  for (Fn fn : {Fn::abs, Fn::sign, Fn::floor, Fn::ceil, Fn::min, Fn::max, Fn::mod, Fn::rem, Fn::div, Fn::lt, Fn::le, Fn::eq, Fn::and_,
                Fn::or_, Fn::not_}) {
    CAPTURE(info(fn).id);
    for (int i = 0; i < 300; ++i) {
      std::vector<NodeId> a;
      std::vector<double> values;
      for (int k = 0; k < info(fn).arity; ++k) {
        values.push_back(static_cast<double>(static_cast<int>(random() % 33) - 16) / 4);
        a.push_back(e.literal(exact(values.back())));
      }
      const NodeId n = e.call(fn, a);
      if (const Rational* r = e.if_literal(n)) REQUIRE(to_double(*r) == value_of(fn, values));
      else REQUIRE(values[1] == 0);
    }
  }
}

TEST_CASE("expressions: equal ones are one node, and hash alike in every pool") {
  Exprs e;
  const NodeId a = e.placeholder(0), b = e.placeholder(1);
  CHECK(e.add(a, b) == e.add(a, b));
  CHECK(e.add(a, b) != e.add(b, a));
  CHECK(e.literal(Rational(1, 3)) == e.literal(Rational(2, 6)));
  CHECK(e.call(Fn::sin, {a}) != e.call(Fn::cos, {a}));
  CHECK(e.operand(Operand::value(SlotId{0u})) != e.operand(Operand::start(SlotId{0u})));
  CHECK(e.operand(Operand::value(SlotId{0u}, 1)) != e.operand(Operand::value(SlotId{0u}, 2)));

  // The same expressions in a pool that met other constants and nodes before, and in another order.
  auto make = [](Exprs& pool, std::uint32_t seed) {
    Random random(seed);
    std::vector<NodeId> leaves = placeholders(pool, 2);
    leaves.push_back(pool.operand(Operand::value(SlotId{3u}, 1)));
    leaves.push_back(pool.operand(Operand::constant(constant_id(Rational(5, 7)))));
    leaves.push_back(pool.operand(Operand::constant(pi_id())));
    RandomExpression expression{pool, random, false, false};
    return expression(leaves, 12);
  };
  Exprs first, second;
  std::vector<NodeId> nodes;
  std::vector<std::pair<std::uint64_t, std::string>> seen;
  for (std::uint32_t s = 0; s < 500; ++s) nodes.push_back(make(first, s));
  for (std::uint32_t s = 500; s-- > 0;) {
    const NodeId n = make(second, s);
    REQUIRE(second.content_hash(n) == first.content_hash(nodes[s]));
    REQUIRE(text(second, n) == text(first, nodes[s]));
    REQUIRE(make(second, s) == n);
    seen.emplace_back(first.content_hash(nodes[s]), text(first, nodes[s]));
  }
  std::sort(seen.begin(), seen.end());
  for (std::size_t i = 1; i < seen.size(); ++i)
    if (seen[i].first == seen[i - 1].first) REQUIRE(seen[i].second == seen[i - 1].second);
}

TEST_CASE("expressions: the content hash is pinned") {
  Exprs e;
  const NodeId x = e.operand(Operand::value(SlotId{4u}));
  const NodeId n = e.sub(e.mul(e.literal(Rational(1, 3)), e.call(Fn::sin, {x})), e.pow(e.operand(Operand::constant(pi_id())), e.placeholder(1)));
  CHECK(e.content_hash(n) == 0x88608f9e21697c4eull);
}

TEST_CASE("expressions: printed text means what the node means") {
  Random random(12);
  for (int i = 0; i < 3000; ++i) {
    Exprs e;
    RandomExpression expression{e, random, false, false};
    std::vector<NodeId> leaves = placeholders(e, 3);
    for (const Rational& r : {Rational(-2), Rational(1, 3), Rational(-7, 3), Rational(1, 2)}) leaves.push_back(e.literal(r));
    const NodeId n = expression(leaves, 1 + static_cast<int>(random() % 12));
    const std::vector<double> x = {uniform(random, -2, 2), uniform(random, -2, 2), uniform(random, 0, 2)};
    const std::string s = text(e, n);
    CAPTURE(s);
    REQUIRE(close(Reader(s, x).run(), at_point(e, n, x)));
  }
}

TEST_CASE("expressions: brackets only where they are needed") {
  Exprs e;
  const NodeId x = e.placeholder(0), y = e.placeholder(1), z = e.placeholder(2), half = e.literal(Rational(1, 2));
  auto lt = [&](NodeId a, NodeId b) { return e.call(Fn::lt, {a, b}); };
  auto both = [&](NodeId a, NodeId b) { return e.call(Fn::and_, {a, b}); };
  const struct { NodeId node; const char* text; } rows[] = {
      {e.sub(e.sub(x, y), z), "p0 - p1 - p2"}, {e.sub(x, e.sub(y, z)), "p0 - (p1 - p2)"}, {e.add(x, e.add(y, z)), "p0 + (p1 + p2)"},
      {e.mul(e.mul(x, y), z), "p0*p1*p2"}, {e.mul(x, e.mul(y, z)), "p0*(p1*p2)"}, {e.div(x, e.mul(y, z)), "p0/(p1*p2)"},
      {e.div(e.mul(x, y), z), "p0*p1/p2"}, {e.mul(e.add(x, y), z), "(p0 + p1)*p2"}, {e.neg(e.mul(x, y)), "-p0*p1"},
      {e.neg(e.add(x, y)), "-(p0 + p1)"}, {e.mul(e.neg(x), y), "(-p0)*p1"}, {e.pow(e.neg(x), y), "(-p0)^p1"}, {e.neg(e.pow(x, y)), "-p0^p1"},
      {e.pow(e.pow(x, y), z), "(p0^p1)^p2"}, {e.pow(x, e.pow(y, z)), "p0^(p1^p2)"}, {e.pow(x, e.literal(-2)), "p0^(-2)"},
      {e.mul(half, x), "0.5*p0"}, {e.mul(x, half), "p0*0.5"}, {e.mul(e.literal(-2), x), "(-2)*p0"}, {e.add(e.literal(-2), x), "-2 + p0"},
      {e.sub(x, e.literal(-2)), "p0 - (-2)"}, {e.mul(x, e.literal(Rational(1, 3))), "p0*(1/3)"}, {e.mul(e.literal(Rational(1, 3)), x), "1/3*p0"},
      {lt(x, e.add(y, z)), "p0 < p1 + p2"}, {both(lt(x, y), lt(y, z)), "p0 < p1 and p1 < p2"},
      {e.call(Fn::not_, {lt(x, y)}), "not (p0 < p1)"}, {both(x, e.call(Fn::or_, {y, z})), "p0 and (p1 or p2)"},
      {e.call(Fn::select, {lt(x, y), e.neg(x), e.call(Fn::select, {z, x, y})}), "if p0 < p1 then -p0 else (if p2 then p0 else p1)"},
      {e.add(x, e.call(Fn::select, {z, x, y})), "p0 + (if p2 then p0 else p1)"}, {e.call(Fn::atan2, {e.add(x, y), z}), "atan2(p0 + p1, p2)"},
      {e.call(Fn::interpolate_slope, {x, y, z}), "interpolate_slope(p0, p1, p2)"},
  };
  for (const auto& row : rows) CHECK(text(e, row.node) == row.text);
}

TEST_CASE("expressions: depth") {
  Exprs e;
  const NodeId x = e.placeholder(0), y = e.placeholder(1);
  CHECK(e.depth(x) == 0);
  CHECK(e.depth(e.add(x, y)) == 1);
  CHECK(e.depth(e.mul(e.add(x, y), x)) == 2);
  CHECK(e.depth(e.call(Fn::initial, {})) == 0);
}

TEST_CASE("expressions: long argument lists, also those of the pool itself") {
  Exprs e;
  std::vector<NodeId> list;
  for (std::uint32_t k = 0; k < 80001; ++k) list.push_back(e.placeholder(k));
  const NodeId n = e.call(Fn::interpolate, list);
  REQUIRE(e.args(n).size() == list.size());
  CHECK(e.args(n).back() == list.back());
  CHECK(e.call(Fn::interpolate, list) == n);
  const NodeId slope = e.call(Fn::interpolate_slope, e.args(n));
  CHECK(std::equal(list.begin(), list.end(), e.args(slope).begin()));
  list.pop_back();
  CHECK(e.call(Fn::interpolate, list) != n);
}

TEST_CASE("expressions: a chain of 100,000 and 2^60 paths are printed without harm") {
  Exprs e;
  NodeId chain = e.placeholder(0), doubled = chain;
  for (std::uint32_t k = 1; k < 100000; ++k) chain = e.call(Fn::sin, {chain});
  for (int k = 0; k < 60; ++k) doubled = e.add(doubled, doubled);
  CHECK(text(e, chain).size() == 99999 * 5 + 2);
  const std::string s = text(e, doubled);
  CHECK(s.size() < 1'100'000);
  CHECK(s.ends_with("..."));
}

TEST_CASE("expressions: cleared, a pool starts anew") {
  Exprs e;
  const NodeId x = e.add(e.placeholder(0), e.literal(7));
  e.clear();
  CHECK(e.size() == 0);
  CHECK(e.add(e.placeholder(0), e.literal(7)) == x);
}

TEST_CASE("constants: equal values share an id, pi is itself") {
  CHECK(constant_id(Rational(1, 3)) == constant_id(Rational(2, 6)));
  CHECK(constant_id(Rational(1, 3)) != constant_id(Rational(1, 4)));
  CHECK(constant(constant_id(Rational(1, 3))).number == 1.0 / 3);
  CHECK(constant(pi_id()).is_pi);
  CHECK(constant_id(Rational(0)) != pi_id());
  CHECK(constant(pi_id()).number == std::acos(-1.0));
}

TEST_CASE("operands: kind, order and index do not run into each other") {
  for (const OperandKind kind : {OperandKind::value, OperandKind::start, OperandKind::pre, OperandKind::constant, OperandKind::time,
                                 OperandKind::initial, OperandKind::terminal})
    for (const std::uint32_t index : {0u, 1u, max_slots - 1})
      for (unsigned order = 0; order <= max_order; ++order) {
        const Operand o(kind, index, order);
        CHECK(o.kind() == kind);
        CHECK(o.index() == index);
        CHECK(o.order() == order);
      }
  CHECK(Operand::value(SlotId{5u}, 2).shifted(10) == Operand::value(SlotId{15u}, 2));
  CHECK(Operand::pre(SlotId{5u}).shifted(10) == Operand::pre(SlotId{15u}));
  CHECK(Operand::constant(ConstId{5u}).shifted(10) == Operand::constant(ConstId{5u}));
  CHECK(Operand::time().shifted(10) == Operand::time());
}
