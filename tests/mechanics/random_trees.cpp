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
    for (const session::Block& b : s.analysis().blocks) CHECK(b.how().core == 0);
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

// Along its way an elimination meets products of columns of the fixed rotation, which are zero by what a rotation is, and at random numbers exactly
// so: such a pivot gives no numbers at all there, or some that are wrong.
TEST_CASE("mechanics: no pivot is made of products of a rotation's columns") {
  const std::string body = R"(use multibody
world : World(g=8.1241, n={0.6033,-0.058,0.5269})
bb1 : Body(m=2.6273, r_CM={0.1535,0,0}, I_11=0.9411, I_22=0.7190000000000001, I_33=0.4827, I_21=0.045, I_31=-0.0295, I_32=0.0407, r_0(start={0.6738,-0.5152,0.7597},fixed), v_0(start={-1.1007,1.4232,-1.7235},fixed), angles_fixed=true, angles_start={-0.862,-0.7027,0.7741}, w_0_fixed=true, w_0_start={1.8874,-0.6091,-0.0096})
af2 : FixedRotation(n={0.7159,0.9222,0.2016}, angle=0.9193, r={0,-0.3928,0})
zb3 : BodyShape(r={0.3055,-0.1373,-0.0076}, m=2.5181, r_CM={0.0398,0.0077,0.3179}, I_11=0.9167000000000001, I_22=0.9115, I_33=0.9564, I_21=0, I_31=0, I_32=0)
xf4 : FixedRotation(n={1,0,0}, angle=-0.1874, r={0.2883,0.2439,-0.4792})
xb5 : BodyCylinder(r={-0.3285,-0.0621,-0.3731}, r_shape={-0.0659,0.0952,-0.0984}, diameter=0.0636, innerDiameter=0.0318, density=1500)
bj6 : Revolute(n={0,0,1}, phi(start=-0.3903,fixed), w(start=-1.8687,fixed))
ab7 : Body(m=1.5964, r_CM={-0.2531,-0.3649,0.1562}, I_11=1.4943000000000002, I_22=1.7367000000000001, I_33=1.5576, I_21=0.0115, I_31=0.026, I_32=-0.0453)
aq8 : multibody.Torque(resolveInFrame=frame_b)
aq8.torque = {4.0022,4.4189,3.4287}
connect bb1.frame_a, af2.frame_a
connect zb3.frame_b, af2.frame_b
connect xf4.frame_a, world.frame_b
connect xf4.frame_b, xb5.frame_a
connect bj6.frame_a, xb5.frame_b
connect bj6.frame_b, ab7.frame_a
connect aq8.frame_a, bb1.frame_a
connect xb5.frame_a, aq8.frame_b
)";
  // Between two places of one rigid body a spring does nothing to its motion.
  const std::string spring =
      "xq10 : multibody.Spring(c = 16.3839, s_unstretched = 0.4389)\nconnect xq10.frame_a, zb3.frame_b\nconnect bb1.frame_a, xq10.frame_b\n";
  std::vector<std::vector<double>> accelerations;
  for (const auto& [text, solve] : {std::pair{body, "dense"}, std::pair{body, "auto"}, std::pair{body + spring, "auto"}, std::pair{body + spring, "relax"}}) {
    Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
    s.options().solve = solve;
    REQUIRE_MESSAGE(s.run_text(text), rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = 1e-6, .points = 1}), rendered(s));
    accelerations.emplace_back();
    for (const char* axis : {"1", "2", "3"}) accelerations.back().push_back(s.value("bb1.a_0[" + std::string(axis) + "]", 0).value());
  }
  for (const std::vector<double>& a : accelerations)
    for (std::size_t k = 0; k < 3; ++k) CHECK(std::fabs(a[k] - accelerations[0][k]) < 1e-10);
}
