// Operation counts of hand cases, and the fingerprint of a program.
#include <doctest/doctest.h>

#include "engine/code/program.hpp"

using namespace kron;
using namespace kron::code;

namespace {
struct Fixture {
  Builder b;
  Ref x = b.input(InputKind::state, 0, 1), y = b.input(InputKind::state, 1, 2), p = b.input(InputKind::parameter, 0, 3);
};
bool equal(const OperationCount& c, std::size_t mul, std::size_t add, std::size_t div, std::size_t sqrt = 0,
           std::size_t trig = 0, std::size_t other = 0) {
  return c.mul == mul && c.add == add && c.div == div && c.sqrt == sqrt && c.trig == trig && c.other == other;
}
}  // namespace

TEST_CASE("operations: by section") {
  Fixture f;
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
  Fixture f;
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
  Fixture f;
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

TEST_CASE("operations: dead code does not count") {
  Fixture f;
  const Ref used = f.b.mul(f.x, f.y);
  f.b.call(Fn::sin, {used});
  f.b.add(used, f.x);
  CHECK(equal(operations(*compile(f.b, {.derivative = {used}}), Section::dynamic), 1, 0, 0));
}

TEST_CASE("program fingerprint: equal for equal code, made in another session or not") {
  const auto make = [](double factor, bool more) {
    Fixture f;
    if (more) f.b.call(Fn::exp, {f.y});  // dead
    return fingerprint(*compile(f.b, {.derivative = {f.b.mul(f.b.constant(factor), f.x), f.y}}));
  };
  CHECK(make(2.5, false) == make(2.5, true));
  CHECK(make(2.5, false) != make(2.25, false));
}
