// Machine<double> on small programs with known answers.
#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "engine/code/program.hpp"

using namespace kron;
using namespace kron::code;

namespace {
struct MachineFixture {
  Builder b;
  Ref t = b.input(InputKind::time, 0, 1);
  Ref x = b.input(InputKind::state, 0, 2), y = b.input(InputKind::state, 1, 3);
  Ref p = b.input(InputKind::parameter, 0, 4);
};
}  // namespace

TEST_CASE("machine: parameters, derivative and output sections") {
  MachineFixture f;
  Builder& b = f.b;
  const Ref k = b.mul(f.p, f.p);
  const Ref der = b.add(b.mul(k, f.x), b.call(Fn::sin, {f.t}));
  Machine<double> m(compile(b, {.derivative = {der, -f.y}, .output = {b.sub(f.x, f.y)}, .parameter = {k}}));
  m.inputs(InputKind::parameter)[0] = 3;
  REQUIRE(m.run_parameters() == Status::ok);
  CHECK(m.parameter_roots()[0] == 9);
  std::array<double, 2> d{};
  std::array<double, 1> out{};
  REQUIRE(m.derivative(0.5, std::array{2.0, 5.0}, d) == Status::ok);
  CHECK(d[0] == 18 + std::sin(0.5));
  CHECK(d[1] == -5);
  REQUIRE(m.output(0.5, std::array{2.0, 5.0}, out) == Status::ok);
  CHECK(out[0] == -3);
}

TEST_CASE("machine: a linear step") {
  MachineFixture f;
  Builder& b = f.b;
  const Ref u = b.unknown(100, Section::dynamic), v = b.unknown(101, Section::dynamic);
  b.add_linear({.size = 2,
                .matrix = {{0, 0, f.x}, {0, 1, one}, {1, 0, -one}, {1, 1, f.p}},
                .rhs = {f.t, f.y},
                .unknowns = {u.node(), v.node()}},
               7);
  Machine<double> m(compile(b, {.derivative = {b.mul(u, v), u}}));
  m.inputs(InputKind::parameter)[0] = 2;
  REQUIRE(m.run_parameters() == Status::ok);
  std::array<double, 2> d{};
  REQUIRE(m.derivative(4, std::array{3.0, 1.0}, d) == Status::ok);  // 3u + v = 4, -u + 2v = 1
  CHECK(d[0] == doctest::Approx(1));
  CHECK(d[1] == doctest::Approx(1));
  CHECK(m.derivative(4, std::array{-0.5, 1.0}, d) == Status::recoverable);
  CHECK(m.failure().reason == "singular matrix");
  CHECK(m.failure().block == 7);
}

TEST_CASE("machine: a Newton step whose unknown feeds the derivative") {
  MachineFixture f;
  Builder& b = f.b;
  const Ref z = b.unknown(100, Section::dynamic);
  const Ref square = b.mul(z, z);
  b.add_newton({.size = 1,
                .residual = {b.sub(square, f.x)},
                .jacobian = {{0, 0, b.mul(b.constant(2.0), z)}},
                .unknowns = {z.node()},
                .start = {one},
                .nominal = {1},
                .minimum = {0},
                .maximum = {1e9}},
               3);
  Machine<double> m(compile(b, {.derivative = {b.add(z, square)}}));
  m.run_parameters();
  std::array<double, 1> d{};
  REQUIRE(m.derivative(0, std::array{2.0, 1.0}, d) == Status::ok);
  CHECK(d[0] == doctest::Approx(2 + std::sqrt(2.0)).epsilon(1e-12));
}

TEST_CASE("machine: bounds of the outputs") {
  MachineFixture f;
  Builder& b = f.b;
  const Ref relation_now = b.input(InputKind::discrete, 0, 200), any_discrete = b.input(InputKind::discrete, 1, 201);
  const struct {
    const char* name;
    Ref output;
    double parameter;
    bool bounded;  // for |t| <= 1, |x| <= 1e10, |y| <= 1e200
  } rows[] = {
      {"sums and products", b.add(b.mul(f.p, f.x), -f.t), 3, true},
      {"a product beyond doubles", b.mul(f.y, f.y), 3, false},
      {"its sine", b.call(Fn::sin, {b.mul(f.x, f.x)}), 3, true},
      {"division by a parameter", b.div(f.x, f.p), 3, true},
      {"that is zero", b.div(f.x, f.p), 0, false},
      {"division by a state", b.div(f.t, f.x), 3, false},
      {"a root", b.call(Fn::sqrt, {f.x}), 3, false},
      {"a branch", b.call(Fn::select, {b.call(Fn::lt, {f.t, f.x}), f.x, f.t}), 3, true},
      {"a branch that may be infinite", b.call(Fn::select, {b.call(Fn::lt, {f.t, f.x}), b.div(one, f.x), f.t}), 3, false},
      {"a relation that holds between events", b.call(Fn::select, {relation_now, f.x, f.t}), 3, true},
      {"a discrete input that may have any value", b.mul(f.p, any_discrete), 3, false},
      {"a parameter alone", b.inv(f.p), 2, true},
      {"a parameter that is infinite", b.inv(f.p), 0, false},
  };
  const std::array states{1e10, 1e200};
  const std::array relation{1.0};
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Machine<double> m(compile(b, {.derivative = {f.x, f.y}, .output = {row.output}}));
    m.inputs(InputKind::parameter)[0] = row.parameter;
    REQUIRE(m.run_parameters() == Status::ok);
    CHECK(m.bounded(1, {.states = states, .discrete = relation, .pre = {}}) == row.bounded);
  }
  Machine<double> m(compile(b, {.derivative = {f.x, f.y}, .output = {b.mul(f.p, f.x)}}));
  REQUIRE(m.run_parameters() == Status::ok);
  const std::array unknown{std::nan(""), 1.0};
  CHECK_FALSE(m.bounded(1, {.states = unknown, .discrete = {}, .pre = {}}));
}
