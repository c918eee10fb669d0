// The Builder's own rules: signs, folding, sections, rewinding, division by zero.
#include <doctest/doctest.h>

#include <array>
#include <random>

#include "engine/code/tape.hpp"

using namespace kron;
using namespace kron::code;

namespace {
Ref ratio(Builder& b, int n, int d) {
  return b.div(b.constant(static_cast<double>(n)), b.constant(static_cast<double>(d)));
}

struct BuilderFixture {
  Builder b;
  Ref x = b.input(InputKind::state, 0, 1), y = b.input(InputKind::state, 1, 2), p = b.input(InputKind::parameter, 0, 3);
  Ref c(int n, int d = 1) { return ratio(b, n, d); }
  const Node& node(Ref r) { return b.nodes()[r.node()]; }
};

// What tape.hpp promises about the signs inside nodes.
bool canonical_signs(const Builder& b) {
  for (const Node& n : b.nodes()) {
    if (n.op == Op::add && n.a.negative()) return false;
    if ((n.op == Op::mul || n.op == Op::div) && (n.a.negative() || n.b.negative())) return false;
    if (n.op == Op::pow_int) {
      const auto e = static_cast<std::int32_t>(n.payload);
      if (n.a.negative() || (e >= -1 && e <= 2)) return false;
    }
    for (Ref r : b.arguments(n))
      if (r.bits == 1) return false;  // -0
  }
  return true;
}
}  // namespace

TEST_CASE("builder: signs move to the Ref") {
  BuilderFixture f;
  Builder& b = f.b;
  CHECK(-zero == zero);
  CHECK(b.mul(-f.x, f.y) == -b.mul(f.x, f.y));
  CHECK(b.mul(-f.x, -f.y) == b.mul(f.x, f.y));
  CHECK(b.add(-f.x, -f.y) == -b.add(f.x, f.y));
  CHECK(b.add(-f.x, f.y) == b.sub(f.y, f.x));
  CHECK(b.div(-f.x, f.y) == -b.div(f.x, f.y));
  CHECK(b.inv(-f.x) == -b.inv(f.x));
  CHECK(b.pow_int(-f.x, 3) == -b.pow_int(f.x, 3));
  CHECK(b.pow_int(-f.x, 4) == b.pow_int(f.x, 4));
  for (Fn fn : {Fn::sin, Fn::tan, Fn::asin, Fn::atan, Fn::sinh, Fn::tanh, Fn::sign})
    CHECK(b.call(fn, {-f.x}) == -b.call(fn, {f.x}));
  for (Fn fn : {Fn::cos, Fn::cosh, Fn::abs}) CHECK(b.call(fn, {-f.x}) == b.call(fn, {f.x}));
  CHECK(b.call(Fn::rem, {-f.x, f.y}) == -b.call(Fn::rem, {f.x, f.y}));
  CHECK(b.call(Fn::rem, {f.x, -f.y}) == b.call(Fn::rem, {f.x, f.y}));
  CHECK(b.call(Fn::div, {f.x, -f.y}) == -b.call(Fn::div, {f.x, f.y}));
  CHECK(canonical_signs(b));
}

TEST_CASE("builder: exact constants fold") {
  BuilderFixture f;
  Builder& b = f.b;
  const Ref third = b.div(one, f.c(3));
  CHECK(to_text(*b.rational_of(third)) == "1/3");
  CHECK(b.add(b.add(third, third), third) == one);
  CHECK(b.mul(f.c(2), f.c(-3, 4)) == f.c(-3, 2));
  CHECK(b.pow_int(f.c(2, 3), -3) == f.c(27, 8));
  CHECK(b.constant(0.5) == b.div(one, b.constant(2.0)));
  CHECK(b.constant(-3.0) == -f.c(3));
  CHECK(b.constant(0.1) != f.c(1, 10));
  CHECK(b.constant_of(b.constant(-0.1))->number == 0.1);
  CHECK(b.mul(one, f.x) == f.x);
  CHECK(b.mul(-one, f.x) == -f.x);
  CHECK(b.add(f.x, zero) == f.x);
  CHECK(b.pow(f.x, zero) == one);
  CHECK(b.pow(one, f.x) == one);
  const struct {
    Fn fn;
    int a, under, expected, over;
  } calls[] = {// fn(a/under) = expected/over
               {Fn::abs, -3, 1, 3, 1}, {Fn::floor, -1, 2, -1, 1}, {Fn::ceil, -1, 2, 0, 1}, {Fn::sign, -7, 1, -1, 1},
               {Fn::sqrt, 9, 4, 3, 2}, {Fn::cos, 0, 1, 1, 1},     {Fn::exp, 0, 1, 1, 1},   {Fn::log, 1, 1, 0, 1},
               {Fn::acos, 1, 1, 0, 1}, {Fn::sin, 0, 1, 0, 1},     {Fn::atan, 0, 1, 0, 1},  {Fn::tanh, 0, 1, 0, 1},
               {Fn::cosh, 0, 1, 1, 1}};
  for (const auto& row : calls) {
    CAPTURE(info(row.fn).text);
    CHECK(b.call(row.fn, {f.c(row.a, row.under)}) == f.c(row.expected, row.over));
  }
  const struct {
    Fn fn;
    int a, b, expected;
  } pairs[] = {// in halves
               {Fn::mod, -14, 6, 4}, {Fn::rem, -14, 6, -2}, {Fn::div, -14, 6, -4}, {Fn::mod, 14, -6, -4},
               {Fn::rem, 14, -6, 2}, {Fn::div, 14, -6, -4}, {Fn::mod, 7, 2, 1},    {Fn::min, 4, -6, -6},
               {Fn::max, 4, -6, 4},  {Fn::lt, 2, 4, 2},     {Fn::le, 4, 4, 2},     {Fn::eq, 4, 6, 0},
               {Fn::and_, 2, 0, 0},  {Fn::or_, 2, 0, 2}};
  for (const auto& row : pairs) {
    CAPTURE(info(row.fn).id);
    CHECK(b.call(row.fn, {f.c(row.a, 2), f.c(row.b, 2)}) == f.c(row.expected, 2));
  }
  CHECK_FALSE(b.rational_of(b.call(Fn::sin, {one})));  // the machine's number type computes it
  CHECK(b.section(b.call(Fn::sin, {one})) == Section::constant);
}

TEST_CASE("builder: constants next to one operand come together") {
  BuilderFixture f;
  Builder& b = f.b;
  const Ref six = b.mul(f.c(2), b.mul(f.x, f.c(3)));
  CHECK(six == b.mul(f.c(6), f.x));
  CHECK(b.mul(f.c(1, 6), six) == f.x);
  CHECK(b.add(f.c(1), b.sub(f.x, f.c(3))) == b.sub(f.x, f.c(2)));
  CHECK(b.add(f.c(3), b.sub(f.x, f.c(3))) == f.x);
  CHECK(b.sub(f.c(1), b.sub(f.c(4), f.x)) == b.sub(f.x, f.c(3)));
  CHECK(canonical_signs(b));
}

TEST_CASE("builder: exact arithmetic stays bounded") {
  Builder b;
  Ref r = ratio(b, 1, 3);
  for (int i = 0; i < 60; ++i) r = b.mul(b.add(r, ratio(b, 1, 7 + i)), b.add(r, ratio(b, 2, 5)));
  CHECK(b.section(r) == Section::constant);
  const Ref big = b.pow_int(b.constant(10.0), 2000000000);
  CHECK_FALSE(b.rational_of(big));
  CHECK_FALSE(b.problem());
}

TEST_CASE("builder: a square is a product, a half power a root") {
  BuilderFixture f;
  CHECK(f.node(f.b.pow_int(f.x, 2)).op == Op::mul);
  CHECK(f.node(f.b.pow(f.x, f.c(1, 2))).fn == Fn::sqrt);
  CHECK(f.node(f.b.pow(f.x, f.c(-1, 2))).op == Op::inv);
  CHECK(f.node(f.b.pow(f.x, f.c(1, 3))).op == Op::pow);
  CHECK(f.node(f.b.pow(f.x, f.y)).op == Op::pow);
}

TEST_CASE("builder: a division by a parameter is a product with its inverse") {
  BuilderFixture f;
  const Ref q = f.b.div(f.x, f.p);
  REQUIRE(f.node(q).op == Op::mul);
  CHECK(f.b.section(f.node(q).b) == Section::parameter);
  CHECK(f.node(f.b.div(f.x, f.y)).op == Op::div);
  CHECK(f.node(f.b.div(f.p, f.b.add(f.p, one))).op == Op::div);
}

TEST_CASE("builder: sections are those of the latest argument") {
  BuilderFixture f;
  Builder& b = f.b;
  CHECK(b.section(b.mul(b.pi(), f.c(2))) == Section::constant);
  CHECK(b.section(b.mul(b.pi(), f.p)) == Section::parameter);
  CHECK(b.section(b.mul(f.x, f.p)) == Section::dynamic);
  CHECK(b.section(b.input(InputKind::start, 0, 9)) == Section::parameter);
  CHECK(b.section(b.input(InputKind::signal, 0, 9)) == Section::dynamic);
  CHECK(b.section(b.call(Fn::select, {f.p, f.p, f.x})) == Section::dynamic);
}

TEST_CASE("builder: what is earlier wins over an equal that is later, a constant over both") {
  BuilderFixture f;
  Builder& b = f.b;
  const Ref q = b.input(InputKind::parameter, 1, 77);
  const Ref late = b.mul(b.mul(f.p, f.x), b.div(q, f.x));
  CHECK(b.section(late) == Section::dynamic);
  const Ref early = b.mul(f.p, q);
  CHECK(b.section(early) == Section::parameter);
  CHECK(b.fingerprint(early) == b.fingerprint(late));
  const Ref two = b.sub(b.add(f.x, f.c(5)), b.add(f.x, f.c(3)));
  CHECK(b.is_constant(f.c(2)));
  CHECK(b.fingerprint(two) == b.fingerprint(f.c(2)));
}

TEST_CASE("builder: division by an identical zero is reported, not hidden") {
  BuilderFixture f;
  Builder& b = f.b;
  const Ref identity = b.sub(b.mul(f.x, b.add(f.y, one)), b.add(b.mul(f.x, f.y), f.x));
  CHECK(b.is_zero(identity));
  const std::size_t before = b.size();
  const Ref r = b.div(f.y, identity);
  CHECK_FALSE(b.is_zero(r));
  REQUIRE(b.problem());
  CHECK(*b.problem() == "division by an identical zero");
  b.rewind(before);
  CHECK_FALSE(b.problem());
  b.pow_int(zero, -2);
  CHECK(b.problem());
}

namespace {
// Makes n random nodes over what is there.
void grow(Builder& b, std::mt19937& random, int n) {
  for (int i = 0; i < n; ++i) {
    const auto any = [&] { return Ref{static_cast<std::uint32_t>(random() % (2 * b.size()))}; };
    const auto ref = [&] {
      const Ref r = any();
      return r.bits < 2 ? Ref{} : r;
    };
    switch (random() % 8) {
      case 0:
        b.mul(ref(), ref());
        break;
      case 1:
        b.call(Fn::sin, {ref()});
        break;
      case 2:
        ratio(b, static_cast<int>(random() % 50), static_cast<int>(1 + random() % 7));
        break;
      case 3:
        b.call(Fn::select, {ref(), ref(), ref()});
        break;
      case 4:
        b.input(InputKind::state, static_cast<std::uint32_t>(random() % 40), 1000 + random() % 40);
        break;
      case 5:
        if (const Ref d = ref(); !b.is_zero(d)) b.div(ref(), d);
        break;
      case 6:
        b.pow_int(ref(), 3);
        break;
      default:
        b.add(ref(), ref());
        break;
    }
  }
}
bool same(const Builder& x, const Builder& y) {
  if (x.size() != y.size() || x.constants().size() != y.constants().size() || x.inputs().size() != y.inputs().size())
    return false;
  for (std::uint32_t i = 0; i < x.size(); ++i) {
    const Node &a = x.nodes()[i], &b = y.nodes()[i];
    const auto left = x.arguments(a), right = y.arguments(b);
    if (a.op != b.op || a.fn != b.fn || a.section != b.section ||
        !std::equal(left.begin(), left.end(), right.begin(), right.end()))
      return false;
    if (x.fingerprint(Ref{2 * i}) != y.fingerprint(Ref{2 * i})) return false;
  }
  return true;
}
}  // namespace

TEST_CASE("builder: rewinding leaves no trace") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    Builder tried, plain;
    std::mt19937 a(seed), b(seed), trial(seed + 1000);
    for (int round = 0; round < 12; ++round) {
      const std::size_t before = tried.size();
      grow(tried, trial, 100 + 40 * round);  // trials that lose; enough to make the table grow
      tried.rewind(before);
      grow(tried, a, 60);
      grow(plain, b, 60);
    }
    CHECK(same(tried, plain));
  }
}

TEST_CASE("builder: a copy is independent") {
  BuilderFixture f;
  const Ref s = f.b.mul(f.x, f.y);
  Builder copy = f.b;
  const Ref sum = copy.add(copy.mul(f.x, f.y), one);
  CHECK(copy.mul(f.y, f.x) == s);
  CHECK(f.b.size() < copy.size());
  CHECK(f.b.add(f.b.mul(f.x, f.y), one) == sum);
}

TEST_CASE("builder: rebuilding gives the same nodes") {
  Builder x, y;
  std::mt19937 a(7), b(7);
  grow(x, a, 5000);
  grow(y, b, 5000);
  CHECK(same(x, y));
  CHECK(canonical_signs(x));
}

TEST_CASE("builder: a sine of a deep sum takes bounded time") {
  Builder b;
  Ref sum = zero;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    sum = b.add(sum, b.mul(ratio(b, static_cast<int>(i) + 1, 7), b.input(InputKind::state, i, i + 1)));
    b.call(Fn::sin, {sum});
  }
  Ref doubling = b.input(InputKind::state, 0, 1);
  for (int i = 0; i < 2000; ++i) doubling = b.add(doubling, b.call(Fn::sin, {doubling}));  // shared over and over
  CHECK_FALSE(b.problem());
}
