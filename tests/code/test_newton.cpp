// Newton steps: known solutions, nesting, failures, warm starts; and steps that feed each other.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <random>

#include "engine/code/precision.hpp"
#include "engine/code/program.hpp"
#include "unknowns.hpp"

using namespace kron;
using namespace kron::code;
using namespace kron::code::test;

namespace {

struct NewtonCase {
  std::string name;
  std::vector<double> start;
  // residuals and Jacobian entries of the unknowns
  std::function<void(Builder&, const std::vector<Ref>&, NewtonStep&)> fill;
  std::vector<double> solution;  // empty: there is none
  double minimum = -INFINITY, maximum = INFINITY;
  double accuracy = 1e-10;
};

NewtonStep newton_step(Builder& b, const NewtonCase& c, std::vector<Ref>& z) {
  NewtonStep step{.size = static_cast<std::uint32_t>(c.start.size())};
  z = make_unknowns(b, c.start.size(), step.unknowns);
  c.fill(b, z, step);
  for (double s : c.start) step.start.push_back(b.constant(s));
  step.minimum.assign(c.start.size(), c.minimum);
  step.maximum.assign(c.start.size(), c.maximum);
  return step;
}

Ref num(Builder& b, double x) { return b.constant(x); }
Ref f1(Builder& b, Fn fn, Ref a) { return b.call(fn, {a}); }

const std::vector<NewtonCase> newton_cases = {
    {"square root",
     {1},
     [](Builder& b, auto& z, NewtonStep& s) {
       s.residual = {b.sub(b.mul(z[0], z[0]), num(b, 2))};
       s.jacobian = {{0, 0, b.mul(num(b, 2), z[0])}};
     },
     {std::sqrt(2.0)}},
    {"square root from a stationary start",
     {0},
     [](Builder& b, auto& z, NewtonStep& s) {
       s.residual = {b.sub(b.mul(z[0], f1(b, Fn::abs, z[0])), num(b, 2))};
       s.jacobian = {{0, 0, b.mul(num(b, 2), f1(b, Fn::abs, z[0]))}};
     },
     {std::sqrt(2.0)}},
    {"arc tangent from far away",
     {50},
     [](Builder& b, auto& z, NewtonStep& s) {
       s.residual = {f1(b, Fn::atan, z[0])};
       s.jacobian = {{0, 0, b.inv(b.add(one, b.mul(z[0], z[0])))}};
     },
     {0}},
    {"exponential from the flat side",
     {-20},
     [](Builder& b, auto& z, NewtonStep& s) {
       s.residual = {b.sub(f1(b, Fn::exp, z[0]), num(b, 3))};
       s.jacobian = {{0, 0, f1(b, Fn::exp, z[0])}};
     },
     {std::log(3.0)}},
    {"diode and resistor",
     {0},
     [](Builder& b, auto& z, NewtonStep& s) {  // 1e-12 (exp(40 v) - 1) = (5 - v)/1000
       const Ref e = f1(b, Fn::exp, b.mul(num(b, 40), z[0]));
       s.residual = {b.sub(b.mul(num(b, 1e-12), b.sub(e, one)), b.mul(num(b, 1e-3), b.sub(num(b, 5), z[0])))};
       s.jacobian = {{0, 0, b.add(b.mul(num(b, 4e-11), e), num(b, 1e-3))}};
     },
     {0.5553740388592949},
     -INFINITY,
     INFINITY,
     1e-8},
    {"logarithm with a bound",
     {5},
     [](Builder& b, auto& z, NewtonStep& s) {  // full steps would leave the domain
       s.residual = {b.add(f1(b, Fn::log, z[0]), num(b, 3))};
       s.jacobian = {{0, 0, b.inv(z[0])}};
     },
     {std::exp(-3.0)},
     0},
    {"logarithm without a bound",
     {5},
     [](Builder& b, auto& z, NewtonStep& s) {
       s.residual = {b.add(f1(b, Fn::log, z[0]), num(b, 3))};
       s.jacobian = {{0, 0, b.inv(z[0])}};
     },
     {std::exp(-3.0)}},
    {"solution at a bound",
     {3},
     [](Builder& b, auto& z, NewtonStep& s) {
       s.residual = {b.sub(z[0], one)};
       s.jacobian = {{0, 0, one}};
     },
     {1},
     1,
     4},
    {"double root",
     {1},
     [](Builder& b, auto& z, NewtonStep& s) {
       s.residual = {b.mul(b.sub(z[0], num(b, 3)), b.sub(z[0], num(b, 3)))};
       s.jacobian = {{0, 0, b.mul(num(b, 2), b.sub(z[0], num(b, 3)))}};
     },
     {3},
     -INFINITY,
     INFINITY,
     1e-7},
    {"Rosenbrock",
     {-1.2, 1},
     [](Builder& b, auto& z, NewtonStep& s) {
       s.residual = {b.mul(num(b, 10), b.sub(z[1], b.mul(z[0], z[0]))), b.sub(one, z[0])};
       s.jacobian = {{0, 0, b.mul(num(b, -20), z[0])}, {0, 1, num(b, 10)}, {1, 0, -one}};
     },
     {1, 1}},
    {"Powell badly scaled",
     {0, 1},
     [](Builder& b, auto& z, NewtonStep& s) {
       const Ref e0 = f1(b, Fn::exp, -z[0]), e1 = f1(b, Fn::exp, -z[1]);
       s.residual = {b.sub(b.mul(num(b, 1e4), b.mul(z[0], z[1])), one), b.sub(b.add(e0, e1), num(b, 1.0001))};
       s.jacobian = {{0, 0, b.mul(num(b, 1e4), z[1])}, {0, 1, b.mul(num(b, 1e4), z[0])}, {1, 0, -e0}, {1, 1, -e1}};
     },
     {1.098159327798296e-5, 9.106146739865656},
     -INFINITY,
     INFINITY,
     1e-7},
    {"helical valley",
     {-1, 0.1, 0},
     [](Builder& b, auto& z, NewtonStep& s) {  // right half plane solution (1, 0, 0)
       const Ref r2 = b.add(b.mul(z[0], z[0]), b.mul(z[1], z[1])), r = f1(b, Fn::sqrt, r2),
                 k = b.div(num(b, 50), b.pi());
       s.residual = {b.sub(b.mul(num(b, 10), z[2]), b.mul(k, b.call(Fn::atan2, {z[1], z[0]}))),
                     b.mul(num(b, 10), b.sub(r, one)), z[2]};
       s.jacobian = {
           {0, 0, b.mul(k, b.div(z[1], r2))},         {0, 1, -b.mul(k, b.div(z[0], r2))},        {0, 2, num(b, 10)},
           {1, 0, b.mul(num(b, 10), b.div(z[0], r))}, {1, 1, b.mul(num(b, 10), b.div(z[1], r))}, {2, 2, one}};
     },
     {1, 0, 0}},
    {"singular start, regular solution",
     {1, 1},
     [](Builder& b, auto& z, NewtonStep& s) {  // J has equal columns at the start
       s.residual = {b.sub(b.add(b.mul(z[0], z[0]), b.mul(z[1], z[1])), num(b, 5)),
                     b.sub(b.mul(z[0], z[1]), num(b, 2))};
       s.jacobian = {{0, 0, b.mul(num(b, 2), z[0])}, {0, 1, b.mul(num(b, 2), z[1])}, {1, 0, z[1]}, {1, 1, z[0]}};
     },
     {},
     -INFINITY,
     INFINITY,
     -1},
    {"no real solution",
     {1},
     [](Builder& b, auto& z, NewtonStep& s) {
       s.residual = {b.add(b.mul(z[0], z[0]), one)};
       s.jacobian = {{0, 0, b.mul(num(b, 2), z[0])}};
     },
     {}},
    {"not a number anywhere",
     {1},
     [](Builder& b, auto& z, NewtonStep& s) {
       s.residual = {b.sub(f1(b, Fn::log, b.sub(num(b, -1), b.mul(z[0], z[0]))), one)};
       s.jacobian = {{0, 0, z[0]}};
     },
     {}},
    {"an equation that does not hold its unknown",
     {1},
     [](Builder& b, auto&, NewtonStep& s) { s.residual = {b.input(InputKind::state, 0, 1)}; },
     {}},
};

}  // namespace

TEST_CASE("Newton step: a table of systems") {
  for (const NewtonCase& c : newton_cases) {
    CAPTURE(c.name);
    Builder b;
    std::vector<Ref> z;
    const NewtonStep step = newton_step(b, c, z);
    b.add_newton(step, 17);
    Machine<double> m(compile(b, {.derivative = z}));
    REQUIRE(m.run_parameters() == Status::ok);
    std::vector<double> d(z.size());
    const Status s = m.derivative(0, std::array{1.0}, d);
    if (c.accuracy < 0) {  // one of several solutions
      CHECK(s == Status::ok);
      continue;
    }
    if (c.solution.empty()) {
      CHECK(s == Status::recoverable);
      CHECK(m.failure().newton);
      CHECK(m.failure().block == 17);
      CHECK_FALSE(m.failure().reason.empty());
      CHECK(m.failure().values.size() == z.size());
      continue;
    }
    CAPTURE(m.failure().reason);
    REQUIRE(s == Status::ok);
    for (std::size_t i = 0; i < z.size(); ++i)
      CHECK(std::fabs(d[i] - c.solution[i]) <= c.accuracy * (1 + std::fabs(c.solution[i])));
  }
}

TEST_CASE("Newton step: a failure in the parameter section is final") {
  for (const NewtonCase& c : newton_cases) {
    if (c.name != "no real solution") continue;
    Builder b;
    NewtonStep step{.size = 1};
    const auto z = make_unknowns(b, 1, step.unknowns, 500, Section::parameter);
    c.fill(b, z, step);
    step.start = {one};
    b.add_newton(step, 17);
    Machine<double> m(compile(b, {.parameter = z}));
    CHECK(m.run_parameters() == Status::failed);
    CHECK(m.statistics().kinsol_solves > 0);
  }
}

TEST_CASE("Newton step: large and sparse (Broyden tridiagonal)") {
  for (const std::size_t n : {30u, 300u, 3000u}) {
    CAPTURE(n);
    Builder b;
    NewtonStep step{.size = static_cast<std::uint32_t>(n)};
    const auto z = make_unknowns(b, n, step.unknowns);
    for (std::uint32_t i = 0; i < n; ++i) {  // (3 - 2 z) z - z[i-1] - 2 z[i+1] + 1 = 0
      Ref r = b.add(b.mul(b.sub(num(b, 3), b.mul(num(b, 2), z[i])), z[i]), one);
      if (i > 0) r = b.sub(r, z[i - 1]), step.jacobian.push_back({i, i - 1, -one});
      if (i + 1 < n) r = b.sub(r, b.mul(num(b, 2), z[i + 1])), step.jacobian.push_back({i, i + 1, num(b, -2)});
      step.jacobian.push_back({i, i, b.sub(num(b, 3), b.mul(num(b, 4), z[i]))});
      step.residual.push_back(r);
      step.start.push_back(-one);
    }
    const std::vector<Ref> residual = step.residual;
    b.add_newton(step, 1);
    Machine<double> m(compile(b, {.derivative = z, .output = residual}));
    m.run_parameters();
    std::vector<double> d(n), r(n);
    REQUIRE(m.derivative(0, {}, d) == Status::ok);
    REQUIRE(m.output(0, {}, r) == Status::ok);
    for (double x : r) CHECK(std::fabs(x) < 1e-12);  // body nodes hold the values at the solution
    CHECK(m.statistics().newton_iterations <= 20);
  }
}

TEST_CASE("Newton step: 50 digits") {
  Builder b;
  std::vector<Ref> z;
  b.add_newton(newton_step(b, newton_cases[0], z), 0);
  Machine<Float50> m(compile(b, {.derivative = z}));
  m.tolerance(1e-46);
  std::array<Float50, 1> d;
  REQUIRE(m.derivative(Float50(0), {}, d) == Status::ok);
  CHECK(static_cast<double>(Float50(abs(d[0] - sqrt(Float50(2))))) < 1e-47);
}

namespace {
// z^3 - 3 z = x: three solutions for |x| < 2. Which one is found depends on where the iteration starts.
struct Folded {
  Builder b;
  Ref x = b.input(InputKind::state, 0, 1), z, cube;
  Folded() {
    NewtonStep step{.size = 1};
    z = make_unknowns(b, 1, step.unknowns)[0];
    cube = b.pow_int(z, 3);
    step.residual = {b.sub(b.sub(cube, b.mul(num(b, 3), z)), x)};
    step.jacobian = {{0, 0, b.sub(b.mul(num(b, 3), b.mul(z, z)), num(b, 3))}};
    step.start = {b.constant(2.0)};
    b.add_newton(step, 0);
  }
};
}  // namespace

TEST_CASE("Newton step: starts from the last accepted solution and from nothing else") {
  Folded f;
  Machine<double> m(compile(f.b, {.derivative = {f.z, f.cube}}));
  const auto at = [&](double x) {
    std::array<double, 2> d{};
    REQUIRE(m.derivative(0, std::array{x}, d) == Status::ok);
    CHECK(d[1] == d[0] * d[0] * d[0]);  // body nodes and unknowns fit together to the bit
    return d[0];
  };
  const double upper = at(0.5);
  CHECK(upper > 1);
  for (double x : {-10.0, 3.0, -1.0, 1.9}) at(x);  // trial points of an integrator
  CHECK(at(0.5) == upper);
  at(-10);
  m.accept();  // now the lower branch is followed
  const double lower = at(0.5);
  CHECK(lower < -1);
  for (double x : {10.0, 3.0, -1.0}) at(x);
  CHECK(at(0.5) == lower);
  m.forget();
  CHECK(at(0.5) == upper);
}

TEST_CASE("steps feed each other: linear into Newton into linear") {
  Builder b;
  const Ref x = b.input(InputKind::state, 0, 1), y = b.input(InputKind::state, 1, 2);
  LinearStep first{
      .size = 2, .matrix = {{0, 0, num(b, 2)}, {0, 1, x}, {1, 0, -one}, {1, 1, num(b, 3)}}, .rhs = {y, one}};
  const auto u = make_unknowns(b, 2, first.unknowns, 100);
  b.add_linear(first, 1);
  NewtonStep second{.size = 1};
  const auto z = make_unknowns(b, 1, second.unknowns, 200);
  const Ref e = f1(b, Fn::exp, z[0]);
  second.residual = {b.sub(b.add(e, z[0]), b.add(u[0], num(b, 4)))};
  second.jacobian = {{0, 0, b.add(e, one)}};
  b.add_newton(second, 2);
  LinearStep third{.size = 1, .matrix = {{0, 0, e}}, .rhs = {u[1]}};
  const auto w = make_unknowns(b, 1, third.unknowns, 300);
  b.add_linear(third, 3);
  Machine<double> m(compile(b, {.derivative = {w[0], z[0]}}));
  std::array<double, 2> d{};
  REQUIRE(m.derivative(0, std::array{0.5, 2.0}, d) == Status::ok);
  const double u0 = (3 * 2.0 - 0.5) / 6.5, u1 = (1 + u0) / 3;
  CHECK(std::exp(d[1]) + d[1] == doctest::Approx(u0 + 4).epsilon(1e-12));
  CHECK(d[0] == doctest::Approx(u1 / std::exp(d[1])).epsilon(1e-12));
  // tangents through all three, against a difference quotient
  std::array<double, 4> t{};
  REQUIRE(m.tangent(0, std::array{0.5, 2.0}, 2, std::array{1.0, 0.0, 0.0, 1.0}, t) == Status::ok);
  for (int k = 0; k < 2; ++k) {
    std::array<double, 2> up{}, down{}, yu{0.5, 2.0}, yd{0.5, 2.0};
    yu[static_cast<std::size_t>(k)] += 1e-5, yd[static_cast<std::size_t>(k)] -= 1e-5;
    m.derivative(0, yu, up), m.derivative(0, yd, down);
    for (std::size_t i = 0; i < 2; ++i)
      CHECK(t[static_cast<std::size_t>(k) * 2 + i] == doctest::Approx((up[i] - down[i]) / 2e-5).epsilon(1e-6));
  }
}

TEST_CASE("steps inside a Newton iteration: a linear core and another Newton") {
  // inner w: w + w^3/10 = z; core v: (2 + z) v = w; outer z: z + v = x.  dv and dw by z come from the same cores.
  Builder b;
  const Ref x = b.input(InputKind::state, 0, 1);
  NewtonStep outer{.size = 1}, inner{.size = 1};
  const auto z = make_unknowns(b, 1, outer.unknowns, 100), w = make_unknowns(b, 1, inner.unknowns, 200);
  const Ref tenth = num(b, 0.1), w2 = b.mul(w[0], w[0]);
  inner.residual = {b.sub(b.add(w[0], b.mul(tenth, b.mul(w2, w[0]))), z[0])};
  const Ref slope = b.add(one, b.mul(num(b, 0.3), w2));
  inner.jacobian = {{0, 0, slope}};
  b.add_newton(inner, 1);
  LinearStep core{.size = 1, .matrix = {{0, 0, b.add(num(b, 2), z[0])}}, .rhs = {w[0]}};
  const auto v = make_unknowns(b, 1, core.unknowns, 300);
  b.add_linear(core, 2);
  outer.residual = {b.sub(b.add(z[0], v[0]), x)};
  const Ref dv = b.div(b.sub(b.inv(slope), v[0]), b.add(num(b, 2), z[0]));
  outer.jacobian = {{0, 0, b.add(one, dv)}};
  b.add_newton(outer, 3);
  Machine<double> m(compile(b, {.derivative = {z[0], v[0], w[0], dv}}));
  for (const double at : {3.0, 0.5, 7.0}) {
    CAPTURE(at);
    std::array<double, 4> d{};
    REQUIRE(m.derivative(0, std::array{at}, d) == Status::ok);
    const auto [zs, vs, ws, slopes] = d;
    CHECK(zs + vs == doctest::Approx(at).epsilon(1e-12));
    CHECK((2 + zs) * vs == doctest::Approx(ws).epsilon(1e-12));
    CHECK(ws + 0.1 * ws * ws * ws == doctest::Approx(zs).epsilon(1e-10));
    CHECK(slopes == doctest::Approx((1 / (1 + 0.3 * ws * ws) - vs) / (2 + zs)).epsilon(1e-10));
    std::array<double, 4> t{}, up{}, down{};
    REQUIRE(m.tangent(0, std::array{at}, 1, std::array{1.0}, t) == Status::ok);
    REQUIRE(m.derivative(0, std::array{at + 1e-5}, up) == Status::ok);
    REQUIRE(m.derivative(0, std::array{at - 1e-5}, down) == Status::ok);
    for (std::size_t i = 0; i < 4; ++i) CHECK(t[i] == doctest::Approx((up[i] - down[i]) / 2e-5).epsilon(1e-5));
  }
  Machine<Float50> exact(compile(b, {.derivative = {z[0]}}));
  exact.tolerance(1e-45);
  std::array<Float50, 1> e;
  CHECK(exact.derivative(Float50(0), std::array{Float50(3)}, e) == Status::ok);
}

TEST_CASE("results depend on the point alone, whatever was evaluated before, until accept()") {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> u(0.5, 2);
  // A sparse system whose pivots change with the point, so that KLU's pivot memory would show.
  constexpr std::size_t n = 60;
  Builder b;
  LinearStep step{.size = n};
  const auto x = make_unknowns(b, n, step.unknowns);
  for (std::uint32_t r = 0; r < n; ++r) {
    step.rhs.push_back(num(b, 1.0 + r));
    for (std::uint32_t k : {r, (r + 1) % static_cast<std::uint32_t>(n), (r * 7 + 3) % static_cast<std::uint32_t>(n)})
      step.matrix.push_back(
          {r, k, b.call(Fn::sin, {b.mul(num(b, 1.0 + r * 3 + k), b.input(InputKind::state, r % 4, r % 4))})});
  }
  b.add_linear(step, 0);
  Machine<double> m(compile(b, {.derivative = x}));
  const auto at = [&](const std::array<double, 4>& y) {
    std::vector<double> d(n);
    REQUIRE(m.derivative(0, y, d) == Status::ok);
    return d;
  };
  for (int round = 0; round < 5; ++round) {
    const std::array<double, 4> here{u(random), u(random), u(random), u(random)};
    const auto first = at(here);
    for (int i = 0; i < 10; ++i) at({u(random), u(random), u(random), u(random)});
    CHECK(at(here) == first);
    m.accept();
    const auto again = at(here);
    at({u(random), u(random), u(random), u(random)});
    CHECK(at(here) == again);
  }
}

TEST_CASE("a root that is not finite is named") {
  Builder b;
  const Ref x = b.input(InputKind::state, 0, 1);
  Machine<double> m(compile(b, {.derivative = {x, b.call(Fn::log, {x}), b.inv(x)}}));
  std::array<double, 3> d{};
  CHECK(m.derivative(0, std::array{-1.0}, d) == Status::recoverable);
  CHECK(m.failure().reason == "not a number");
  REQUIRE(m.failure().root);
  CHECK(*m.failure().root == 1);
  CHECK(m.derivative(0, std::array{2.0}, d) == Status::ok);
}

TEST_CASE("an interrupted iteration ends at once") {
  Folded f;
  Machine<double> m(compile(f.b, {.derivative = {f.z}}));
  std::atomic<bool> stop{true};
  m.interrupt_flag(&stop);
  std::array<double, 1> d{};
  CHECK(m.derivative(0, std::array{0.5}, d) == Status::failed);
  CHECK(m.failure().reason == "interrupted");
  stop = false;
  CHECK(m.derivative(0, std::array{0.5}, d) == Status::ok);
}

namespace {
// Functions of one unknown with their derivatives, for random systems sum_j a_ij g_ij(z_j) = c_i.
struct Shape {
  Ref value, slope;
};
Shape shape(Builder& b, std::uint32_t kind, Ref z) {
  const Ref half = num(b, 0.5);
  switch (kind) {
    case 0:
      return {z, one};
    case 1:
      return {b.mul(z, z), b.mul(num(b, 2), z)};
    case 2:
      return {b.pow_int(z, 3), b.mul(num(b, 3), b.mul(z, z))};
    case 3:
      return {f1(b, Fn::sin, z), f1(b, Fn::cos, z)};
    case 4:
      return {f1(b, Fn::exp, b.mul(half, z)), b.mul(half, f1(b, Fn::exp, b.mul(half, z)))};
    case 5:
      return {f1(b, Fn::atan, z), b.inv(b.add(one, b.mul(z, z)))};
    case 6:
      return {f1(b, Fn::log, z), b.inv(z)};
    default:
      return {f1(b, Fn::sqrt, z), b.div(half, f1(b, Fn::sqrt, z))};
  }
}
}  // namespace

TEST_CASE("Newton step: what it calls a solution is one, and it always ends") {
  std::mt19937 random(123);
  std::uniform_real_distribution<double> u(-3, 3);
  int solved = 0, total = 0;
  for (int round = 0; round < 1500; ++round) {
    CAPTURE(round);
    const std::size_t n = 1 + random() % 4;
    Builder b;
    NewtonStep step{.size = static_cast<std::uint32_t>(n)};
    const auto z = make_unknowns(b, n, step.unknowns);
    const bool known = round % 2 == 0;  // a solution between 0.2 and 3; else there may be none
    std::vector<Ref> at;
    for (std::size_t i = 0; i < n; ++i) at.push_back(num(b, 1.6 + 1.4 * u(random) / 3));
    for (std::uint32_t r = 0; r < n; ++r) {
      Ref sum = zero, right = zero;
      for (std::uint32_t c = 0; c < n; ++c) {
        if (r != c && random() % 3 == 0) continue;
        const auto kind = static_cast<std::uint32_t>(random() % 8);
        const Shape s = shape(b, kind, z[c]);
        const Ref a = num(b, u(random) + (r == c ? 4 : 0));
        sum = b.add(sum, b.mul(a, s.value));
        right = b.add(right, b.mul(a, shape(b, kind, at[c]).value));
        step.jacobian.push_back({r, c, b.mul(a, s.slope)});
      }
      step.residual.push_back(b.sub(sum, known ? right : num(b, u(random))));
      step.start.push_back(num(b, known ? std::fabs(u(random)) : u(random)));
    }
    const std::vector<Ref> residual = step.residual;
    b.add_newton(step, 0);
    Machine<double> m(compile(b, {.derivative = z, .output = residual}));
    m.run_parameters();
    std::vector<double> d(n), r(n);
    total += known;
    if (m.derivative(0, {}, d) != Status::ok) {
      CHECK_FALSE(m.failure().reason.empty());
      continue;
    }
    solved += known;
    REQUIRE(m.output(0, {}, r) == Status::ok);
    double size = 10;
    for (double x : d) size += std::fabs(x) * std::fabs(x) * std::fabs(x) + std::exp(std::fabs(x) / 2);
    for (double x : r) CHECK(std::fabs(x) <= 1e-8 * size);
  }
  CHECK(solved * 100 > total * 95);
}
