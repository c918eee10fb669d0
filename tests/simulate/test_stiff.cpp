#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "engine/simulate/jacobian.hpp"
#include "tests/simulate/problems.hpp"

using namespace problems;
using namespace kron::simulate;

TEST_CASE("stiff: Robertson's reactions to four digits and more") {
  // t = 40: published; t = 4e5: a run at 1e-13 (published 4.9383e-3, 1.985e-8, 0.99506).
  const struct {
    double t, y[3];
  } rows[] = {{40, {0.7158270688, 9.185534765e-6, 0.2841637457}},
              {4e5, {4.938274521e-3, 1.984994088e-8, 0.9950617056}}};
  for (const Method method : {Method::automatic, Method::bdf})
    for (const auto& row : rows) {
      CAPTURE(row.t);
      CAPTURE(to_text(method));
      const Result r = simulate(robertson().problem(), options(row.t, 1e-8, method));
      REQUIRE(r.ok());
      CHECK(r.used == Method::bdf);
      CHECK(r.counters.steps < 2500);
      CHECK(r.counters.jacobian_evals < 100);
      for (std::size_t i = 0; i < 3; ++i) CHECK(r.trajectory.state(100)[i] == doctest::Approx(row.y[i]).epsilon(1e-5));
    }
}

TEST_CASE("stiff: a weight follows a small state down, not its rounding noise") {
  // z' = 1e6 (x - y) with x = y by symmetry stays zero up to rounding.
  Model m;
  const Ref x = m.state(1), y = m.state(1), z = m.state(0);
  m.der(-m.b.mul(m.number(3.7), x));
  m.der(-m.b.mul(m.number(3.7), y));
  m.der(m.b.sub(m.b.mul(m.number(1e6), m.b.sub(x, y)), z));
  for (const Method method : {Method::automatic, Method::bdf}) {
    const Result r = simulate(m.problem(), options(10, 1e-6, method));
    REQUIRE(r.ok());
    CHECK(r.counters.steps < 500);
    CHECK(std::fabs(r.trajectory.state(100)[2]) < 1e-6);
  }
}

TEST_CASE("stiff: van der Pol, mu = 1000, against the published value") {
  const Result r = simulate(van_der_pol(1000).problem(), options(2000, 1e-8, Method::automatic));
  REQUIRE(r.ok());
  CHECK(r.used == Method::bdf);
  CHECK(r.trajectory.state(100)[0] == doctest::Approx(1.706167732170483).epsilon(1e-5));
  CHECK(r.counters.rhs_evals < 12'000);
}

TEST_CASE("stiff: fast decay costs what its slow part needs") {
  for (const double rate : {1e3, 1e6, 1e9, 1e13, 1e18}) {
    Model m;  // y' = -rate (y - cos t)
    const Ref y = m.state(0);
    m.der(m.b.mul(m.parameter(rate), m.b.sub(m.b.call(Fn::cos, {m.time()}), y)));
    const Result r = simulate(m.problem(), options(10, 1e-6, Method::automatic));
    REQUIRE(r.ok());
    CHECK(r.used == Method::bdf);
    CHECK(r.counters.steps < 600);
    CHECK(r.trajectory.state(100)[0] == doctest::Approx(std::cos(10.0)).epsilon(2 / rate + 1e-4));
  }
}

TEST_CASE("stiff: long ladders by KLU, short ones by dense LU, with one answer") {
  // v_i' = k (v_{i-1} - 2 v_i + v_{i+1}) has v_i = 1 - (sum over j) of closed-form modes; here its end: all ones.
  for (const std::size_t n : {5u, 40u}) {
    const double slowest = 4 * std::pow(std::sin(M_PI / (2.0 * (2.0 * static_cast<double>(n) + 1))), 2);
    const Result r = simulate(ladder(n, 100).problem(), options(40 / (100 * slowest), 1e-8, Method::bdf));
    REQUIRE(r.ok());
    for (std::size_t i = 0; i < n; ++i) CHECK(r.trajectory.state(100)[i] == doctest::Approx(1).epsilon(1e-6));
  }
  // The first cells of a long ladder do not feel its length yet: n = 15 (dense) agrees with n = 2000 (sparse) at early
  // times.
  const Result small = simulate(ladder(15, 1).problem(), options(1.5, 1e-9, Method::bdf));
  const Result large = simulate(ladder(2000, 1).problem(), options(1.5, 1e-9, Method::bdf));
  REQUIRE(small.ok());
  REQUIRE(large.ok());
  for (std::size_t i = 0; i < 5; ++i)
    CHECK(large.trajectory.state(100)[i] == doctest::Approx(small.trajectory.state(100)[i]).epsilon(1e-5));
}

TEST_CASE("stiff: a tridiagonal system of 2,000 states costs no more steps than a small one") {
  const Result r = simulate(ladder(2000, 1e4).problem(), options(10, 1e-6, Method::automatic, 500));
  REQUIRE(r.ok());
  CHECK(r.used == Method::bdf);
  CHECK(r.counters.steps < 1000);
  double before = 1;
  for (const double v : r.trajectory.state(500)) {  // diffusion: falling along the ladder
    CHECK(v <= before + 1e-6);
    before = v;
  }
}

TEST_CASE("stiff: far from where something happens states are zero, never subnormal, and afterwards numbers are as before") {
  constexpr double least = std::numeric_limits<double>::min();
  for (const Method method : {Method::automatic, Method::bdf, Method::adams, Method::rk45}) {
    CAPTURE(to_text(method));
    const Result r = simulate(ladder(400, 1).problem(), options(3, 1e-6, method));
    REQUIRE(r.ok());
    std::size_t zeros = 0, subnormals = 0;
    for (std::size_t point = 1; point < r.trajectory.size(); ++point)
      for (const double v : r.trajectory.state(point)) {
        zeros += v == 0;
        subnormals += v != 0 && std::fabs(v) < least;
      }
    CHECK(zeros > 0);
    CHECK(subnormals == 0);
    const volatile double small = least;
    CHECK(small / 2 > 0);
  }
}

TEST_CASE("Jacobian: colours share no row, values are those of the columns") {
  using kron::code::Pattern;
  std::uint64_t seed = 12345;
  auto next = [&] { return seed = seed * 6364136223846793005ull + 1442695040888963407ull, seed >> 33; };
  for (std::size_t n = 1; n < 40; ++n) {
    Pattern pattern;
    pattern.rows = pattern.columns = n;
    pattern.row_begin = {0};
    for (std::size_t r = 0; r < n; ++r) {
      for (std::uint32_t c = 0; c < n; ++c)
        if (next() % 5 == 0 || (n % 7 == 3 && r == 1)) pattern.column.push_back(c);
      pattern.row_begin.push_back(static_cast<std::uint32_t>(pattern.column.size()));
    }
    const JacobianPlan plan = plan_jacobian(pattern);
    std::vector<std::vector<int>> seen(n, std::vector<int>(plan.colours(), 0));
    std::size_t members = 0;
    for (std::uint32_t c = 0; c < n; ++c) {
      bool diagonal = false;
      for (auto k = plan.column_begin[c]; k < plan.column_begin[c + 1]; ++k) {
        const auto r = static_cast<std::size_t>(plan.row[static_cast<std::size_t>(k)]);
        CHECK(seen[r][plan.colour[c]]++ == 0);
        diagonal = diagonal || r == c;
        if (k > plan.column_begin[c])
          CHECK(plan.row[static_cast<std::size_t>(k) - 1] < plan.row[static_cast<std::size_t>(k)]);
      }
      CHECK(diagonal);
      members += 1;
    }
    CHECK(plan.members.size() == members);
    CHECK(plan.entries() >= pattern.column.size());
  }
}

TEST_CASE("Jacobian: a ladder needs three colours, a full row as many as columns") {
  CHECK(plan_jacobian(kron::code::state_pattern(*ladder(100).problem().dynamics)).colours() == 3);
  Model m;
  std::vector<Ref> x;
  for (int i = 0; i < 30; ++i) x.push_back(m.state(1));
  m.der(m.b.sum(x));
  for (std::size_t i = 1; i < 30; ++i) m.der(-x[i]);
  CHECK(plan_jacobian(kron::code::state_pattern(*m.problem().dynamics)).colours() == 30);
}

TEST_CASE("Jacobian: exact values at a point") {
  const Problem p = robertson().problem();
  kron::code::Machine<double> machine(p.dynamics);
  REQUIRE(machine.run_parameters() == kron::code::Status::ok);
  const std::vector<double> y = {0.7, 2e-5, 0.3};
  std::vector<double> der(3);
  REQUIRE(machine.derivative(0, y, der) == kron::code::Status::ok);
  JacobianValues jacobian(plan_jacobian(kron::code::state_pattern(*p.dynamics)));
  std::vector<double> values(jacobian.plan().entries());
  REQUIRE(jacobian.evaluate(machine, 0, y, values) == kron::code::Status::ok);
  const double exact[3][3] = {
      {-0.04, 1e4 * y[2], 1e4 * y[1]}, {0.04, -1e4 * y[2] - 6e7 * y[1], -1e4 * y[1]}, {0, 6e7 * y[1], 0}};
  double dense[3][3] = {};
  const JacobianPlan& plan = jacobian.plan();
  for (std::size_t c = 0; c < 3; ++c)
    for (auto k = static_cast<std::size_t>(plan.column_begin[c]);
         k < static_cast<std::size_t>(plan.column_begin[c + 1]); ++k)
      dense[plan.row[k]][c] = values[k];
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) CHECK(dense[r][c] == doctest::Approx(exact[r][c]).epsilon(1e-12));
}
