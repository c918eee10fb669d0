// Divisors that pass through zero while a model is simulated, and parameters that become zero after translation.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "lang/workspace/kron.hpp"

using namespace kron;

namespace {

struct Case {
  const char* name;
  const char* text;
  const char* unknown;
  std::function<double(double)> exact;
};

}  // namespace

TEST_CASE("guards: pivots through zero") {
  const Case cases[] = {
      {"a bridge whose arm changes sign",
       "variable i1\nvariable i2\nvariable u\n"
       "u = (time - 0.5)*i1\nu = 1 - 2*i2\ni1 + i2 = 3",
       "i1", [](double t) { return (1 - 2 * 3) / ((t - 0.5) - 2); }},
      {"two masses on a turning lever",
       "variable a1\nvariable a2\nvariable f\n"
       "2*a1 = cos(3*time)*f + 1\n3*a2 = -sin(3*time)*f\ncos(3*time)*a1 - sin(3*time)*a2 = 0",
       "f",
       [](double t) {
         const double c = std::cos(3 * t), s = std::sin(3 * t);
         return -(c / 2) / (c * c / 2 + s * s / 3);
       }},
      {"a negative resistance in a mesh",
       "variable i1\nvariable i2\nvariable i3\n"
       "(1 + sin(5*time))*i1 - i2 = 1\n-i1 + cos(4*time)*i2 - i3 = 0\n-i2 + (3 - 2*time)*i3 = 2",
       "i3",
       [](double t) {  // Cramer
         const double a = 1 + std::sin(5 * t), b = std::cos(4 * t), c = 3 - 2 * t;
         const double d = a * (b * c - 1) - c;
         return (a * (2 * b - 0) - (2 - 0) + 1 * 1) / d;
       }},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Session s;
    REQUIRE(s.run_text(c.text));
    const session::Analysis& a = s.analysis();
    std::uint32_t core = 0, guards = 0;
    for (const session::Block& b : a.blocks) {
      core += b.how().core;
      guards += b.how().guards;
    }
    CHECK(core == 0);
    CHECK(guards > 0);
    simulate::Options o;
    o.stop = 2;
    o.points = 2001;
    REQUIRE(s.simulate(o));
    const auto x = s.series(c.unknown), t = s.series("time");
    REQUIRE(x);
    double worst = 0;
    for (std::size_t k = 0; k < x->size(); ++k) {
      const double e = c.exact((*t)[k]);
      worst = std::max(worst, std::fabs((*x)[k] - e) / (1 + e * e));
    }
    CHECK(worst <= 1e-9);
    CHECK(s.result()->counters.guard_events <= 200);
  }
}

// With states, so that the integrator decides where it looks: the divisors pass through zero, and nearly all evaluations stay on the
// straight-line path. `dense` solves the same blocks by pivoting.
TEST_CASE("guards: pivots through zero while states are integrated") {
  struct Row { const char* name; const char* text; const char* state; };
  const Row rows[] = {
      {"a capacitor behind a bridge whose arm changes sign",
       "variable uC(start = 1, fixed)\nvariable i1\nvariable i2\nvariable u\n"
       "u = cos(2*time)*i1\nu + 2*i2 = uC + sin(time)\ni1 - i2 = 0.3*uC\nder(uC) = -i2 - uC",
       "uC"},
      {"two masses on a lever that turns round",
       "variable q(start = 0, fixed)\nvariable v(start = 0, fixed)\nvariable a1\nvariable a2\nvariable f\n"
       "2*a1 = cos(q)*f + cos(time)\n3*a2 = -sin(q)*f\ncos(q)*a1 - sin(q)*a2 = 0.1\nder(q) = 2\nder(v) = a1 - 0.5*v",
       "v"},
      {"meshes, one with a resistance of both signs, and a gyrator",
       "variable x(start = 0, fixed)\nvariable i1\nvariable i2\nvariable i3\n"
       "0.5*sin(5*time)*i1 - i2 = 1 - x\ni1 + 2*i2 - i3 = 0\n-i2 + 3*i3 = 2\nder(x) = i3 - x",
       "x"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.name));
    double end[2] = {};
    for (const bool dense : {false, true}) {
      Session s;
      s.options().solve = dense ? "dense" : "auto";
      REQUIRE(s.run_text(row.text));
      std::uint32_t core = 0;
      std::uint32_t guards = 0;
      for (const session::Block& b : s.analysis().blocks) {
        core += b.how().core;
        guards += b.how().guards;
      }
      simulate::Options o;
      o.stop = 5;
      o.tolerance = 1e-12;
      REQUIRE(s.simulate(o));
      end[dense] = *s.value(row.state);
      if (dense) continue;
      CHECK(core == 0);
      CHECK(guards > 0);
      const simulate::Counters& c = s.result()->counters;
      CHECK(c.guard_events * 10 <= c.rhs_evals);
    }
    CHECK(std::fabs(end[0] - end[1]) <= 1e-9 * (1 + std::fabs(end[1])));
  }
}

TEST_CASE("guards: parameters that become zero") {
  struct Row { const char* text; const char* parameter; const char* unknown; double with, without; };
  const Row rows[] = {
      {"parameter R = 2\nvariable u\nvariable i\nR*i - u = 0\nu + 3*i = 6", "R", "i", 1.2, 2},
      {"parameter a = 1\nvariable x\nvariable y\na*x + y = 3\nx + 2*y = 4", "a", "x", 2, -2},
      {"parameter a = 1\nparameter b = 1\nvariable x\nvariable y\nvariable z\na*x + y + z = 6\nx + b*y - z = 0\nx + 3*y + 2*z = 9", "a", "x",
       3, -12},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    Session s;
    REQUIRE(s.run_text(row.text));
    simulate::Options o;
    o.stop = 1;
    o.points = 3;
    REQUIRE(s.simulate(o));
    CHECK(*s.value(row.unknown) == doctest::Approx(row.with));
    REQUIRE(s.set_parameter(row.parameter, 0));
    REQUIRE(s.simulate(o));
    CHECK(*s.value(row.unknown) == doctest::Approx(row.without));
  }
}

TEST_CASE("guards: a block that is singular for its parameters ends with its name") {
  Session s;
  REQUIRE(s.run_text("parameter a = 2\nvariable x\nvariable y\nx + y = time\na*x + 2*y = 3*time"));
  simulate::Options o;
  o.stop = 1;
  CHECK_FALSE(s.simulate(o));
  REQUIRE(s.diagnostics().has_errors());
}
