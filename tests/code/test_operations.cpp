// Operation counts of hand cases, and the fingerprint of a program.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>

#include "engine/code/program.hpp"

using namespace kron;
using namespace kron::code;

namespace {
struct CountFixture {
  Builder b;
  Ref x = b.input(InputKind::state, 0, 1), y = b.input(InputKind::state, 1, 2), p = b.input(InputKind::parameter, 0, 3);
};
bool equal(const OperationCount& c, std::size_t mul, std::size_t add, std::size_t div, std::size_t sqrt = 0,
           std::size_t trig = 0, std::size_t other = 0) {
  return c.mul == mul && c.add == add && c.div == div && c.sqrt == sqrt && c.trig == trig && c.other == other;
}
}  // namespace

TEST_CASE("operations: by section") {
  CountFixture f;
  Builder& b = f.b;
  const Ref k = b.inv(b.mul(f.p, b.call(Fn::sin, {b.constant(1.0)})));  // constant: 1 trig; parameter: 1 mul, 1 div
  const Ref der = b.sub(b.mul(k, f.x), b.div(f.y, f.x));                // dynamic: 1 mul, 1 add, 1 div
  const Ref shown = b.call(Fn::sqrt, {b.add(b.mul(f.x, f.x), b.mul(f.y, f.y))});  // output: 2 mul, 1 add, 1 sqrt
  const auto p = compile(b, {.derivative = {-der}, .output = {shown, der}});
  CHECK(equal(operations(*p, Section::constant), 0, 0, 0, 0, 1));
  CHECK(equal(operations(*p, Section::parameter), 1, 0, 1));
  CHECK(equal(operations(*p, Section::dynamic), 1, 1, 1));
  CHECK(equal(output_operations(*p), 2, 1, 0, 1));
}

TEST_CASE("operations: powers count their products, negation is free") {
  CountFixture f;
  Builder& b = f.b;
  const struct {
    std::int32_t n;
    std::size_t mul, div;
  } rows[] = {{2, 1, 0}, {3, 2, 0}, {4, 2, 0}, {7, 4, 0}, {8, 3, 0}, {-1, 0, 1}, {-3, 2, 1}};
  for (const auto& row : rows) {
    CAPTURE(row.n);
    const auto p = compile(b, {.derivative = {-b.pow_int(f.x, row.n)}});
    CHECK(equal(operations(*p, Section::dynamic), row.mul, 0, row.div));
  }
  const auto p = compile(b, {.derivative = {b.call(Fn::exp, {-f.x}), b.pow(f.x, f.y), b.call(Fn::atan2, {f.x, f.y})}});
  CHECK(equal(operations(*p, Section::dynamic), 0, 0, 0, 0, 1, 2));
}

TEST_CASE("operations: solve steps count a dense LU, a Newton step one iteration") {
  CountFixture f;
  Builder& b = f.b;
  LinearStep step{.size = 2, .matrix = {{0, 0, f.x}, {0, 1, one}, {1, 0, f.y}, {1, 1, one}}, .rhs = {one, f.p}};
  const Ref u = b.unknown(10, Section::dynamic), v = b.unknown(11, Section::dynamic);
  step.unknowns = {u.node(), v.node()};
  b.add_linear(step, 0);
  CHECK(equal(operations(*compile(b, {.derivative = {u}}), Section::dynamic), 3, 3,
              3));  // n(n-1)(2n-1)/6 + n(n-1), n(n-1)/2 + n
  const Ref z = b.unknown(12, Section::dynamic), square = b.mul(z, z);
  b.add_newton({.size = 1,
                .residual = {b.sub(square, f.x)},
                .jacobian = {{0, 0, b.add(z, z)}},
                .unknowns = {z.node()},
                .start = {one}},
               0);
  CHECK(equal(operations(*compile(b, {.derivative = {z}}), Section::dynamic), 1, 2, 1));
}

// One of two columns is given: a division by the other one, and what the given one contributes.
TEST_CASE("operations: a step with given columns counts the LU of the others") {
  CountFixture f;
  Builder& b = f.b;
  const Ref known = b.input(InputKind::state, 2, 4);
  const Ref u = b.unknown(10, Section::dynamic), v = b.unknown(11, Section::dynamic);
  LinearStep step{.size = 1, .matrix = {{0, 0, f.x}, {0, 1, f.y}}, .rhs = {f.p}, .unknowns = {u.node(), v.node()}};
  step.pins.push_back({.selection = 0, .column = {0, 1}, .value = {known}, .scale = {1, 1}});
  b.add_linear(step, 0);
  CHECK(equal(operations(*compile(b, {.derivative = {u}}), Section::dynamic), 1, 1, 1));
}

TEST_CASE("operations: dead code does not count") {
  CountFixture f;
  const Ref used = f.b.mul(f.x, f.y);
  f.b.call(Fn::sin, {used});
  f.b.add(used, f.x);
  CHECK(equal(operations(*compile(f.b, {.derivative = {used}}), Section::dynamic), 1, 0, 0));
}

TEST_CASE("program fingerprint: equal for equal code, made in another session or not") {
  const auto make = [](double factor, bool more) {
    CountFixture f;
    if (more) f.b.call(Fn::exp, {f.y});  // dead
    return fingerprint(*compile(f.b, {.derivative = {f.b.mul(f.b.constant(factor), f.x), f.y}}));
  };
  CHECK(make(2.5, false) == make(2.5, true));
  CHECK(make(2.5, false) != make(2.25, false));
}

// As elimination turns an inertia: the columns of [x, u; v, y] first, then the rows.
TEST_CASE("operations: a matrix turned on both sides costs four products") {
  const struct {
    const char* name;
    double x, u, v, y;
    bool symmetric;
  } rows[] = {{"symmetric", 2, 0.3, 0.3, 5, true}, {"any", 2, 0.3, -4, 5, false}, {"nearly of rank 1", 1, 1 + 1e-9, 1 + 1e-9, 1, true}};
  for (const auto& row : rows) {
    CAPTURE(std::string(row.name));
    Builder b;
    const Ref angle = b.input(InputKind::state, 0, 1), c = b.call(Fn::cos, {angle}), s = b.call(Fn::sin, {angle});
    const Ref x = b.input(InputKind::state, 1, 2), u = b.input(InputKind::state, 2, 3), y = b.input(InputKind::state, 4, 5);
    const Ref v = row.symmetric ? u : b.input(InputKind::state, 3, 4);
    const auto turned = [&](Ref p, Ref q) {
      return std::array{b.sub(b.mul(c, p), b.mul(s, q)), b.add(b.mul(s, p), b.mul(c, q))};
    };
    const auto first = turned(x, u), second = turned(v, y);
    const auto left = turned(first[0], second[0]), right = turned(first[1], second[1]);
    const auto program = compile(b, {.derivative = {left[0], right[0], left[1], right[1]}});
    CHECK(equal(operations(*program, Section::dynamic), 4, row.symmetric ? 6 : 7, 0, 0, 2));
    Machine<double> m(program);
    for (double q : {0.0, 0.1, 0.7853981633974483, 1.5707963267948966, 2.5, -3.0}) {
      CAPTURE(q);
      std::array<double, 4> value{};
      REQUIRE(m.derivative(0, std::array{q, row.x, row.u, row.v, row.y}, value) == Status::ok);
      const double C = std::cos(q), S = std::sin(q), size = std::fabs(row.x) + std::fabs(row.u) + std::fabs(row.v) + std::fabs(row.y);
      const double expected[] = {C * (C * row.x - S * row.u) - S * (C * row.v - S * row.y), C * (S * row.x + C * row.u) - S * (S * row.v + C * row.y),
                                 S * (C * row.x - S * row.u) + C * (C * row.v - S * row.y), S * (S * row.x + C * row.u) + C * (S * row.v + C * row.y)};
      for (std::size_t k = 0; k < 4; ++k) CHECK(std::fabs(value[k] - expected[k]) < 16 * std::numeric_limits<double>::epsilon() * size);
    }
  }
}
