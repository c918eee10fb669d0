// Method ida: agreement with bdf, what is refused, when it is chosen by itself.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "lang/workspace/kron.hpp"
#include "tests/support/example.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;
using kron::test::example;

namespace {

const elaborate::Settings libraries{{KRON_SOURCE_DIR "/stdlib"}};

// Diodes and resistors between the nodes of a square; a capacitor at the nodes of the diagonal alone, so that the others are implicit.
std::string diode_grid(int n) {
  return "use electrical\nparameter n : Integer = " + std::to_string(n) +
         "\nsource : SineVoltage(V = 5, f = 1000)\nfeed : Resistor(R = 100)\nH[n, n - 1], V[n - 1, n] : Resistor(R = 100)\n"
         "D[n, n] : Diode(Ids = 1e-12, Vt = 0.026, Maxexp = 40)\nC[n] : Capacitor(C = 100e-9, v(start = 0, fixed))\nground : Ground\n"
         "connect source.n, ground.p\nconnect source.p, feed.p\nconnect feed.n, D[1, 1].p\n"
         "for i in 1:n, j in 1:n\n  connect D[i, j].n, ground.p\nend\n"
         "for i in 1:n\n  connect C[i].p, D[i, i].p\n  connect C[i].n, ground.p\nend\n"
         "for i in 1:n, j in 1:n - 1\n  connect H[i, j].p, D[i, j].p\n  connect H[i, j].n, D[i, j + 1].p\nend\n"
         "for i in 1:n - 1, j in 1:n\n  connect V[i, j].p, D[i, j].p\n  connect V[i, j].n, D[i + 1, j].p\nend\n";
}

// A linear block of n unknowns with a full matrix beside a state.
const std::string coupled =
    "parameter n = 12\nvariable x(start = 1, fixed)\nvariable y[n]\nder(x) = -y[1] * (1 + x^2)\n"
    "for i in 1:n\n  sum((if i == j then n + 1 + x else 1 / (i + j)) * y[j] for j in 1:n) = x\nend\n";

double last(Session& s, const simulate::Options& o, const std::string& name) {
  const bool ok = s.simulate(o);
  INFO(rendered(s));
  REQUIRE(ok);
  return s.value(name).value();
}

}  // namespace

TEST_CASE("ida: ends where bdf ends, and between") {
  const struct {
    std::string name, text, variable;
    double stop, size;  // of the variable
    const char* solve = "auto";
  } rows[] = {{"explicit: Robertson", example("robertson.eq"), "B", 40, 1e-5},
              {"explicit: ladder", example("rc_ladder.eq"), "C[50].v", 1, 1},
              {"iteration: rectifier", example("diode_rectifier.eq"), "load.v", 0.05, 10},
              {"iteration: transistor amplifier", example("ivp_transistor_amplifier.eq"), "C[3].v", 0.05, 1},
              {"iteration: grid, dense", diode_grid(4), "D[1, 4].v", 1e-3, 1},
              {"iteration: grid, sparse", diode_grid(9), "D[1, 9].i", 1e-3, 1e-3},
              {"core: dense", coupled, "y[3]", 3, 0.1, "dense"},
              {"core: sparse", coupled, "y[3]", 3, 0.1, "sparse"}};
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s(libraries);
    s.options().solve = row.solve;
    REQUIRE(s.run_text(row.text));
    const simulate::Options fine{.stop = row.stop, .points = 20, .tolerance = 1e-10, .method = simulate::Method::bdf};
    const simulate::Options ida{.stop = row.stop, .points = 20, .tolerance = 1e-7, .method = simulate::Method::ida};
    const auto on_the_grid = [&] {  // points of events lie between
      std::vector<double> list;
      for (int k = 0; k <= 20; ++k) list.push_back(s.value(row.variable, row.stop * k / 20).value());
      return list;
    };
    last(s, fine, row.variable);
    const auto exact = on_the_grid();
    last(s, ida, row.variable);
    CHECK(s.result()->used == simulate::Method::ida);
    CHECK((s.result()->counters.algebraic > 0) == !row.name.starts_with("explicit"));
    const auto values = on_the_grid();
    // Errors add up over the run; 300 steps of 1e-7 each bound them generously.
    for (std::size_t k = 0; k < exact.size(); ++k) CHECK(std::fabs(values[k] - exact[k]) <= 3e-5 * std::max(row.size, std::fabs(exact[k])));
    // Inside a step: the interpolant of IDA, and the unknowns with it.
    const double t = row.stop * 0.333;
    const double between = s.value(row.variable, t).value();
    last(s, fine, row.variable);
    CHECK(std::fabs(between - s.value(row.variable, t).value()) <= 1e-4 * std::max(row.size, std::fabs(between)));
  }
}

// Locked, nothing moves, and steps grow: the torque is a sine between points that are far apart. It breaks away where that reaches 2 N*m.
TEST_CASE("ida: friction breaks away when its torque says so, with its unknowns in the integrator, too") {
  const double t0 = std::asin(2.0 / 3) / (2 * M_PI), stop = 0.3;
  const double exact = 3 / (2 * M_PI) * (std::cos(2 * M_PI * t0) - std::cos(2 * M_PI * stop)) - 2 * (stop - t0);
  for (const char* solve : {"auto", "sparse", "dense"}) {
    CAPTURE(std::string(solve));
    Session s(libraries);
    s.options().solve = solve;
    REQUIRE(s.run_text("use rotational\nb : Inertia(J = 1, phi(start = 0, fixed), w(start = 0, fixed))\nf : BearingFriction(tau_pos = [0, 2])\n"
                       "s : Torque\ns.tau = 3 * sin(2 * pi * time)\nconnect f.flange_a, b.flange_a\nconnect s.flange, b.flange_b\n"));
    CHECK(std::fabs(last(s, {.stop = stop, .tolerance = 1e-10, .method = simulate::Method::ida}, "b.w") - exact) < 1e-8);
  }
}

// Two frictions hold one shaft: the share of each is free, and so the Jacobian of the open form is singular.
TEST_CASE("ida: blocks that it cannot leave open are closed") {
  for (const char* solve : {"sparse", "dense"}) {
    CAPTURE(std::string(solve));
    Session s(libraries);
    s.options().solve = solve;
    REQUIRE(s.run_text("use rotational\nb : Inertia(J = 1, phi(start = 0, fixed), w(start = 0, fixed))\ne, f : BearingFriction(tau_pos = [0, 1])\n"
                       "connect e.flange_a, f.flange_a, b.flange_a\n"));
    CHECK(last(s, {.stop = 3, .method = simulate::Method::ida}, "b.w") == 0);
    CHECK(s.result()->used == simulate::Method::ida);
    CHECK(s.result()->counters.algebraic == 0);
  }
}

TEST_CASE("ida: an end at the start, parameters that the start gives") {
  Session s(libraries);
  REQUIRE(s.run_text(diode_grid(3)));
  CHECK(std::fabs(last(s, {.stop = 0, .method = simulate::Method::ida}, "D[1, 3].v")) < 1e-6);
  CHECK(s.result()->trajectory.size() >= 1);
  Session p;
  REQUIRE(p.run_text("parameter k(fixed = false, start = 1)\nvariable x(start = 2, fixed)\nvariable z(start = 1)\nder(x) = -k * z\nz^3 + z = x\n"
                     "initial\n  der(x) = -3\nend\n"));
  const double by_bdf = last(p, {.stop = 1, .tolerance = 1e-9, .method = simulate::Method::bdf}, "z");
  CHECK(last(p, {.stop = 1, .tolerance = 1e-8, .method = simulate::Method::ida}, "z") == doctest::Approx(by_bdf).epsilon(1e-6));
  CHECK(p.value("k").value() == doctest::Approx(3));
}

TEST_CASE("ida and euler: what they do not take is told") {
  const struct {
    const char *name, *text, *says;
    simulate::Options options;
  } rows[] = {{"dynamic set", "variable x(start = 0.6, fixed)\nvariable y(start = 0.8)\nvariable F\nvariable vx(start = 0, fixed) = der(x)\n"
                              "variable vy = der(y)\nx^2 + y^2 = 1\nder(vx) = -x * F\nder(vy) = -y * F - 9.81\n",
               "dynamic set", {.method = simulate::Method::ida}},
              {"high precision", "variable x(start = 1, fixed)\nder(x) = -x\n", "double precision",
               {.tolerance = 1e-20, .method = simulate::Method::ida, .precision = 30}},
              {"fixed steps with high precision", "variable x(start = 1, fixed)\nder(x) = -x\n", "double precision",
               {.step = 0.1, .method = simulate::Method::euler, .precision = 30}}};
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s;
    REQUIRE(s.run_text(row.text));
    CHECK(!s.simulate(row.options));
    CHECK(rendered(s).find(row.says) != std::string::npos);
  }
}

TEST_CASE("ida: chosen where many unknowns are implicit") {
  const struct {
    int size;
    simulate::Method used;
  } rows[] = {{4, simulate::Method::bdf}, {9, simulate::Method::ida}};
  for (const auto& row : rows) {
    CAPTURE(row.size);
    Session s(libraries);
    REQUIRE(s.run_text(diode_grid(row.size)));
    REQUIRE(s.simulate({.stop = 1e-3}));
    CHECK(s.result()->used == row.used);
    // One iteration for everything: the open form takes fewer evaluations than closed evaluations and their iterations together.
    CHECK(s.result()->counters.rhs_evals < 2000);
  }
}
