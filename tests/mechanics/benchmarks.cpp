// Published mechanisms: trajectories against reference values, systems of equations against published sizes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

Session loaded(const std::string& file) {
  Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  REQUIRE_MESSAGE(s.load(std::string(KRON_SOURCE_DIR) + "/" + file), rendered(s));
  return s;
}

}  // namespace

// Rods in one line are a singular position of these mechanisms, which they pass several times.
TEST_CASE("mechanics: N-four-bar") {
  const struct {
    int loops;
    double x, y;  // of the tip at 10 s
  } rows[] = {{2, 0.328458111544, 0.944518538177}, {40, 0.180512226688, 0.983572740582}};
  for (const auto& row : rows) {
    CAPTURE(row.loops);
    Session s = loaded("examples/n_four_bar.eq");
    REQUIRE(s.run_text("parameter N = " + std::to_string(row.loops)));
    REQUIRE_MESSAGE(s.simulate({.stop = 10, .tolerance = 1e-9}), rendered(s));
    CHECK(s.value("rod[1].frame_b.r_0[1]").value() == doctest::Approx(row.x).epsilon(1e-6));
    CHECK(s.value("rod[1].frame_b.r_0[2]").value() == doctest::Approx(row.y).epsilon(1e-6));
  }
}

// A stage of a step within 1e-3 of a singular position has rounding errors for derivatives. Which rows, tolerances and lengths come so near is chance.
TEST_CASE("mechanics: rows of four-bars pass their singular positions wherever steps meet them") {
  std::size_t met = 0;
  for (int k = 0; k < 12; ++k) {
    const int loops = 2 + k;
    const double tolerance = std::pow(10, -7 - k % 4), length = 1 + 0.02 * (k % 5), speed = -1 - 0.01 * k;
    CAPTURE(k);
    std::vector<double> angle;
    for (const double accuracy : {tolerance, 0.7 * tolerance}) {
      Session s = loaded("examples/n_four_bar.eq");
      REQUIRE(s.run_text("parameter N = " + std::to_string(loops) + "\nrod.r := {{" + to_text(length) + ", 0, 0} for k in 1:N + 1}\nfoot.w.start := {if k == 1 then " +
                         to_text(speed) + " else 0 for k in 1:N + 1}"));
      REQUIRE_MESSAGE(s.simulate({.stop = 6, .tolerance = accuracy}), rendered(s));
      angle.push_back(s.value("foot[1].phi").value());
      met += s.result()->counters.error_test_fails;
    }
    CHECK(angle[0] == doctest::Approx(angle[1]).epsilon(1e4 * tolerance));
  }
  CHECK(met > 24);
}

TEST_CASE("mechanics: Andrews' squeezer from bodies and joints") {
  Session s = loaded("examples/andrews_bodies.eq");
  REQUIRE_MESSAGE(s.simulate({.stop = 0.03, .points = 10, .tolerance = 1e-10}), rendered(s));
  const std::pair<const char*, double> reference[] = {  // test set of IVP solvers
      {"beta", 15.81077119629904}, {"theta", -15.75637105984298}, {"gamma", 0.04082224013073101}, {"phi", -0.5347301163226948},
      {"delta", 0.5244099658805304}, {"omega", 0.5347301163226948}, {"epsilon", 1.048080741042263}};
  for (const auto& [joint, angle] : reference)
    CHECK_MESSAGE(s.value(joint + std::string(".phi")).value() == doctest::Approx(angle).epsilon(1e-5), joint);
}

// What is left of the coupled equations, block by block, by kind and level of differentiation; of linear ones without any mark, and torn.
// Trees leave the accelerations of their joints to the torn.
TEST_CASE("mechanics: systems of equations that are left") {
  const struct {
    const char *name, *file;
    std::size_t nonlinear, linear, torn;  // the largest; torn: of all linear ones, with `:set solve tear`
  } rows[] = {
      {"robot with six joints", "examples/robot_6_axes.eq", 0, 0, 6},
      {"double pendulum", "tests/reference/multibody_double_pendulum.eq", 0, 0, 2},
      {"four-bar in space", "tests/reference/multibody_fourbar1.eq", 3, 0, 7},
      {"one-cylinder engine", "tests/reference/multibody_engine1a.eq", 2, 0, 7},
  };
  for (const auto& row : rows)
    for (const bool torn : {false, true}) {
      CAPTURE(row.name);
      CAPTURE(torn);
      Session s = loaded(row.file);
      if (torn) s.options().solve = "tear";
      const session::Analysis& a = s.analysis();
      REQUIRE_MESSAGE(a.complete, rendered(s));
      for (const session::Block& b : a.blocks) {
        if (b.initial) continue;
        if (b.kind == session::BlockKind::nonlinear) CHECK(b.core <= row.nonlinear);
        else CHECK(b.core <= (torn ? row.torn : row.linear));
        if (torn && row.nonlinear == 0 && b.core > 0) CHECK(b.core == row.torn);
      }
    }
}
