// The library's mechanisms against the recursive Newton-Euler equations: accelerations at random positions, velocities and driving forces.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "lang/workspace/kron.hpp"
#include "tests/mechanics/random_mechanism.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

TEST_CASE("mechanics: 200 random trees accelerate as the Newton-Euler equations say") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const mechanics::RandomMechanism m(seed);
    CAPTURE(seed);
    CAPTURE(m.text);
    Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE_MESSAGE(s.run_text(m.text), rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = 1e-6, .points = 2}), rendered(s));
    for (const session::Block& b : s.analysis().blocks) CHECK(b.core == 0);
    const std::vector<mechanics::Motion> motion = m.tree.motions(m.tree.accelerations());
    double size = 10, error = 0;
    for (const auto& body : m.bodies) {
      const mechanics::Motion& expected = motion[static_cast<std::size_t>(body.link)];
      for (std::size_t k = 0; k < 3; ++k) {
        const std::string element = "[" + std::to_string(k + 1) + "]";
        error = std::max(error, std::fabs(s.value(body.name + ".frame_a.R.z" + element, 0).value() - expected.z[k]));
        error = std::max(error, std::fabs(s.value(body.name + ".frame_a.motion.a" + element, 0).value() - expected.a[k]));
        size = std::max({size, std::fabs(expected.z[k]), std::fabs(expected.a[k])});
      }
    }
    CHECK(error < 1e-9 * size);
  }
}

// Straight-line code divides by pivots that come near zero along the run, and together they cost all digits where each of them passes its
// guard. The run takes the LU there and goes on. The motion is that of an LU from the start.
TEST_CASE("mechanics: a run goes on where straight-line code loses its digits") {
  const std::vector<std::string> chains[] = {
      {"Prismatic(n = {1, 0, 0})", "Cylindrical(n = {1, 0, 0})", "Revolute(n = {1, 0, 0})", "Revolute(n = {0, 1, 0})", "Revolute(n = {0, 1, 0})",
       "Revolute(n = {0, 0, 1})", "FixedRotation(n = {1, 0, 0}, angle = 0.3)", "FixedRotation(n = {1, 0, 0}, angle = 0.3)", "Revolute(n = {0, 0, 1})", "Universal"},
      {"Revolute(n = {0, 1, 0})", "Prismatic(n = {1, 0, 0})", "Revolute(n = {0, 1, 0})", "Revolute(n = {0, 1, 0})", "Revolute(n = {1, 0, 0})",
       "Revolute(n = {0, 0, 1})", "Prismatic(n = {0, 1, 0})", "Revolute(n = {0, 1, 0})", "Revolute(n = {0, 0, 1})", "Revolute(n = {0, 1, 0})"}};
  for (const std::vector<std::string>& joints : chains) {
    std::string text = "use multibody\nworld : World\n", end = "world.frame_b";
    for (std::size_t k = 1; k <= joints.size(); ++k) {
      const std::string joint = "j" + std::to_string(k), body = "b" + std::to_string(k);
      text += joint + " : " + joints[k - 1] + "\n" + body +
              " : BodyShape(r = {0.7, 0, 0}, r_CM = {0.3, 0.02, 0.05}, I_11 = 0.1, I_22 = 0.2, I_33 = 0.3, I_21 = 0.01, I_31 = 0.02, I_32 = 0.03)\nconnect " + end +
              ", " + joint + ".frame_a\nconnect " + joint + ".frame_b, " + body + ".frame_a\n";
      end = body + ".frame_b";
    }
    std::vector<std::vector<double>> tips;
    for (const char* solve : {"auto", "dense"}) {
      Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
      s.options().solve = solve;
      REQUIRE(s.run_text(text));
      REQUIRE_MESSAGE(s.simulate({.stop = 0.5, .points = 11, .tolerance = 1e-9}), rendered(s));
      tips.emplace_back();
      for (const char* axis : {"1", "2", "3"}) tips.back().push_back(s.value(end + ".r_0[" + axis + "]", 0.5).value());
    }
    for (std::size_t k = 0; k < 3; ++k) CHECK(std::abs(tips[0][k] - tips[1][k]) < 1e-6);
  }
}
