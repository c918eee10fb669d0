// Plane loops in planes that are no coordinate plane: they start and move as in the plane of the world, whatever closes them.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

using Lines = std::vector<std::string>;

// Four-bar: cranks a and c at the ground, d and b between them and the coupler. `joint` stands at one of b, c and d.
Lines four_bar(const std::string& base, char place, const std::string& joint) {
  Lines lines = {"a : Revolute(phi(start = 1.3859, fixed), w(start = 2, fixed))",
                 "crank : BodyShape(r = {0.3455, 0.1129, 0}, m = 0.7)",
                 "coupler : BodyShape(r = {1.2603, 0, 0})",
                 "rocker : BodyShape(r = {1.5584, 0, 0}, m = 1.4)",
                 "ground : FixedTranslation(r = {1.79, -0.16, 0})",
                 "connect " + base + ", a.frame_a",
                 "connect a.frame_b, crank.frame_a",
                 "connect crank.frame_b, b.frame_a",
                 "connect b.frame_b, coupler.frame_a",
                 "connect coupler.frame_b, d.frame_a",
                 "connect d.frame_b, rocker.frame_b",
                 "connect " + base + ", ground.frame_a",
                 "connect ground.frame_b, c.frame_a",
                 "connect c.frame_b, rocker.frame_a"};
  const std::pair<char, const char*> angles[] = {{'b', "-0.6863"}, {'c', "2.2081"}, {'d', "1.5085"}};
  for (const auto& [name, angle] : angles) {
    std::string type = name == place ? joint : "Revolute(phi(start = $))";
    if (const auto at = type.find('$'); at != std::string::npos) type.replace(at, 1, angle);
    lines.push_back(std::string(1, name) + " : " + type);
  }
  return lines;
}

struct Run {
  double start_speed = 0, angle = 0, speed = 0;
};
Run run(Lines lines, std::uint32_t order) {
  std::mt19937 random(order);
  if (order != 0) std::shuffle(lines.begin(), lines.end(), random);
  std::string text = "use multibody\n";
  for (const std::string& line : lines) text += line + "\n";
  CAPTURE(text);
  Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  REQUIRE_MESSAGE(s.run_text(text), rendered(s));
  constexpr double stop = 0.3;
  REQUIRE_MESSAGE(s.simulate({.stop = stop, .points = 11, .tolerance = 1e-9}), rendered(s));
  return {s.value("a.w", 0).value(), s.value("a.phi", stop).value(), s.value("a.w", stop).value()};
}

void check_same(const Run& a, const Run& b) {
  CHECK(std::fabs(a.start_speed - 2) < 1e-12);
  CHECK(std::fabs(a.angle - b.angle) < 1e-6);
  CHECK(std::fabs(a.speed - b.speed) < 1e-6);
}

const char* const loop_joints[] = {"RevolutePlanarLoopConstraint",
                                   "Revolute(phi(start = $))",
                                   "CutRevolute",
                                   "Spherical(angles_start = {0, 0, $})",
                                   "CutSpherical",
                                   "Cylindrical(n = {0, 0, 1}, phi(start = $))"};

// A plane linkage of seven bodies in a tilted plane; two of its three loops are closed by ball joints.
const std::string three_loops = R"(use multibody
mt2_2 : FixedTranslation(r={0.4824,-0.2903,0.0})
connect mb4.frame_a, mt4_2.frame_b
connect zr5.frame_a, mb5.frame_a
zr9 : Prismatic(n={1.0,0.0,0.0}, s(start=0.246904))
mt6_1 : FixedTranslation(r={-0.5228074453697579,-0.0,-0.0})
connect mb2.frame_a, mt2_3.frame_b
connect mt4_2.frame_a, zr7.frame_a
connect mb6.frame_a, mt6_1.frame_b
connect jr4.frame_a, mb4.frame_a
zr7 : Spherical(sequence_start={1,3,2}, angles_start={0,2.518455661876436,0})
connect jr6.frame_b, mt5_1.frame_b
mt2_1 : FixedTranslation(r={0.9147984761905532,0.0,0.0})
connect world.frame_b, tilt.frame_a
connect mb1.frame_a, mt1_2.frame_a
connect zr9.frame_b, mb7.frame_a
connect mb3.frame_a, mt3_1.frame_a
connect mt6_1.frame_a, ar8.frame_a
connect tilt.frame_b, mt0_1.frame_a
zr1 : Revolute(n={0,0,1}, phi(start=2.5977))
connect mb2.frame_a, mt2_2.frame_a
connect mp9.frame_b, zr9.frame_a
connect zr3.frame_a, mt3_1.frame_b
mt5_1 : FixedTranslation(r={0.6510403796634981,0.0,0.0})
connect mb2.frame_a, mt2_1.frame_a
mb3 : Body(r_CM={0.2653,0.0625,0.0}, m=0.9385, I_11=0.16499, I_22=0.14142, I_33=0.2357)
jr4 : Revolute(n={0,0,1}, phi(start=-1.8762))
zr3 : Spherical(sequence_start={1,3,2}, angles_start={0,1.8827217206220688,0})
mb4 : BodyShape(r={0.3890240449218828,0.0,0.0}, r_CM={0.2032,-0.0515,0.0}, m=1.6264, I_11=0.06713, I_22=0.057539999999999994, I_33=0.0959)
mb7 : Body(r_CM={-0.0051,0.0888,0.0}, m=0.6284, I_11=0.19726, I_22=0.16907999999999998, I_33=0.2818)
mt0_1 : FixedTranslation(r={1.3648,-0.0876,0.0})
world : World
tilt : FixedRotation(n={1,0,0}, angle=30 [deg])
mb6 : Body(r_CM={0.3947,-0.0043,0.0}, m=1.095, I_11=0.17618999999999999, I_22=0.15102, I_33=0.2517)
connect mt1_2.frame_b, jr4.frame_b
connect mt2_1.frame_b, zr3.frame_b
mt1_2 : FixedTranslation(r={0.3905,-0.1236,0.0})
connect mb5.frame_a, mt5_1.frame_a
zr5 : Revolute(n={0,0,1}, phi(start=2.9705))
mt2_3 : FixedTranslation(r={-0.1814,0.2628,-0.0})
connect jr0.frame_a, mb1.frame_a
connect zr1.frame_a, mb2.frame_a
connect mt0_1.frame_b, zr2.frame_a
connect zr7.frame_b, mb6.frame_a
connect zr2.frame_b, mb3.frame_a
mt4_2 : FixedTranslation(r={-0.3588,0.0513,-0.0})
mb2 : Body(r_CM={0.1765,0.0759,0.0}, m=0.9877, I_11=0.09316999999999999, I_22=0.07986, I_33=0.1331)
mb5 : Body(r_CM={0.154,0.0771,0.0}, m=0.965, I_11=0.08721999999999999, I_22=0.07476, I_33=0.1246)
connect mb4.frame_b, jr6.frame_a
zr2 : Revolute(n={0,0,1}, phi(start=-2.7919))
mt3_1 : FixedTranslation(r={0.6939564714300926,0.0,0.0})
mp9 : FixedRotation(n={0,0,1}, angle=1.488186925994904)
connect ar8.frame_b, mb7.frame_a
connect mb1.frame_b, zr1.frame_b
connect tilt.frame_b, jr0.frame_b
connect mt2_3.frame_a, mp9.frame_a
connect mt2_2.frame_b, zr5.frame_b
jr0 : Revolute(n={0,0,1}, phi(start=-1.6684,fixed), w(start=1.1401,fixed))
jr6 : Revolute(n={0,0,1}, phi(start=-1.1058))
ar8 : Revolute(n={0,0,1}, phi(start=0.7595))
mb1 : BodyShape(r={0.3513,-0.1744,0.0}, r_CM={0.0622,0.0052,0.0}, m=1.8263, I_11=0.16827999999999999, I_22=0.14424, I_33=0.2404)
variable vc1[3] = mb1.frame_a.motion.v + cross(mb1.frame_a.R.w, {0.0622 [m], 0.0052 [m], 0.0 [m]})
parameter mm1 : kg = 1.8263
parameter ii1[3] : kg*m^2 = {0.16827999999999999,0.14424,0.2404}
variable en1 = mm1*(vc1*vc1)/2 + mb1.frame_a.R.w*(diagonal(ii1)*mb1.frame_a.R.w)/2 - mm1*(world.gravity*(mb1.frame_a.r_0 + mb1.frame_a.R.T'*{0.0622 [m], 0.0052 [m], 0.0 [m]}))
variable vc2[3] = mb2.frame_a.motion.v + cross(mb2.frame_a.R.w, {0.1765 [m], 0.0759 [m], 0.0 [m]})
parameter mm2 : kg = 0.9877
parameter ii2[3] : kg*m^2 = {0.09316999999999999,0.07986,0.1331}
variable en2 = mm2*(vc2*vc2)/2 + mb2.frame_a.R.w*(diagonal(ii2)*mb2.frame_a.R.w)/2 - mm2*(world.gravity*(mb2.frame_a.r_0 + mb2.frame_a.R.T'*{0.1765 [m], 0.0759 [m], 0.0 [m]}))
variable vc3[3] = mb3.frame_a.motion.v + cross(mb3.frame_a.R.w, {0.2653 [m], 0.0625 [m], 0.0 [m]})
parameter mm3 : kg = 0.9385
parameter ii3[3] : kg*m^2 = {0.16499,0.14142,0.2357}
variable en3 = mm3*(vc3*vc3)/2 + mb3.frame_a.R.w*(diagonal(ii3)*mb3.frame_a.R.w)/2 - mm3*(world.gravity*(mb3.frame_a.r_0 + mb3.frame_a.R.T'*{0.2653 [m], 0.0625 [m], 0.0 [m]}))
variable vc4[3] = mb4.frame_a.motion.v + cross(mb4.frame_a.R.w, {0.2032 [m], -0.0515 [m], 0.0 [m]})
parameter mm4 : kg = 1.6264
parameter ii4[3] : kg*m^2 = {0.06713,0.057539999999999994,0.0959}
variable en4 = mm4*(vc4*vc4)/2 + mb4.frame_a.R.w*(diagonal(ii4)*mb4.frame_a.R.w)/2 - mm4*(world.gravity*(mb4.frame_a.r_0 + mb4.frame_a.R.T'*{0.2032 [m], -0.0515 [m], 0.0 [m]}))
variable vc5[3] = mb5.frame_a.motion.v + cross(mb5.frame_a.R.w, {0.154 [m], 0.0771 [m], 0.0 [m]})
parameter mm5 : kg = 0.965
parameter ii5[3] : kg*m^2 = {0.08721999999999999,0.07476,0.1246}
variable en5 = mm5*(vc5*vc5)/2 + mb5.frame_a.R.w*(diagonal(ii5)*mb5.frame_a.R.w)/2 - mm5*(world.gravity*(mb5.frame_a.r_0 + mb5.frame_a.R.T'*{0.154 [m], 0.0771 [m], 0.0 [m]}))
variable vc6[3] = mb6.frame_a.motion.v + cross(mb6.frame_a.R.w, {0.3947 [m], -0.0043 [m], 0.0 [m]})
parameter mm6 : kg = 1.095
parameter ii6[3] : kg*m^2 = {0.17618999999999999,0.15102,0.2517}
variable en6 = mm6*(vc6*vc6)/2 + mb6.frame_a.R.w*(diagonal(ii6)*mb6.frame_a.R.w)/2 - mm6*(world.gravity*(mb6.frame_a.r_0 + mb6.frame_a.R.T'*{0.3947 [m], -0.0043 [m], 0.0 [m]}))
variable vc7[3] = mb7.frame_a.motion.v + cross(mb7.frame_a.R.w, {-0.0051 [m], 0.0888 [m], 0.0 [m]})
parameter mm7 : kg = 0.6284
parameter ii7[3] : kg*m^2 = {0.19726,0.16907999999999998,0.2818}
variable en7 = mm7*(vc7*vc7)/2 + mb7.frame_a.R.w*(diagonal(ii7)*mb7.frame_a.R.w)/2 - mm7*(world.gravity*(mb7.frame_a.r_0 + mb7.frame_a.R.T'*{-0.0051 [m], 0.0888 [m], 0.0 [m]}))
variable energy_sum = en1 + en2 + en3 + en4 + en5 + en6 + en7
)";

}  // namespace

// What turns the plane about the x axis leaves the part g cos(angle) of gravity in it.
TEST_CASE("tilted loops: a four-bar starts and moves as in the plane of the world, whatever the order of the text") {
  const Lines base = {"world : World", "tilt : FixedRotation(n = {1, 0, 0}, angle = 0.5)", "connect world.frame_b, tilt.frame_a"};
  Lines flat = four_bar("world.frame_b", 'c', "RevolutePlanarLoopConstraint");
  flat.push_back("world : World(g = 9.80665 * cos(0.5))");
  const Run expected = run(flat, 0);
  for (const char* joint : loop_joints)
    for (const char place : {'b', 'c', 'd'})
      for (std::uint32_t order = 1; order <= 4; ++order) {
        CAPTURE(joint);
        CAPTURE(place);
        CAPTURE(order);
        Lines lines = four_bar("tilt.frame_b", place, joint);
        lines.insert(lines.end(), base.begin(), base.end());
        check_same(run(lines, order), expected);
      }
}

// Planes that nothing holds: a turntable, a ball joint; and one tilted by an expression of a parameter.
TEST_CASE("tilted loops: on any base a four-bar moves as with the joint that holds just what it needs") {
  const std::pair<std::string, Lines> bases[] = {
      {"table.frame_b", {"table : Revolute(n = {0, 1, 0}, w(start = 0.3, fixed))", "connect world.frame_b, table.frame_a"}},
      {"hub.frame_a",
       {"ball : Spherical(angles_fixed = true, w_rel_a_fixed = true, w_rel_a_start = {0.1, 0.2, 0.3})", "hub : Body(m = 2, I_11 = 1, I_22 = 1, I_33 = 1)",
        "connect world.frame_b, ball.frame_a", "connect ball.frame_b, hub.frame_a"}},
      {"tilt.frame_b", {"parameter slope = 0.25", "tilt : FixedRotation(n = {0.3, 0.5, 0.7}, angle = 2 * slope)", "connect world.frame_b, tilt.frame_a"}}};
  for (const auto& [frame, statements] : bases) {
    const auto with = [&](char place, const char* joint) {
      Lines lines = four_bar(frame, place, joint);
      lines.insert(lines.end(), statements.begin(), statements.end());
      lines.push_back("world : World");
      return lines;
    };
    const Run expected = run(with('c', loop_joints[0]), 0);
    for (const char* joint : loop_joints)
      for (const char place : {'b', 'c', 'd'})
        for (std::uint32_t order = 1; order <= 3; ++order) {
          CAPTURE(frame);
          CAPTURE(joint);
          CAPTURE(place);
          CAPTURE(order);
          check_same(run(with(place, joint), order), expected);
        }
  }
}

TEST_CASE("tilted loops: three that share bodies keep their energy") {
  Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  REQUIRE_MESSAGE(s.run_text(three_loops), rendered(s));
  constexpr double stop = 0.3;
  REQUIRE_MESSAGE(s.simulate({.stop = stop, .points = 4, .tolerance = 1e-9}), rendered(s));
  CHECK(std::fabs(s.value("jr0.w", 0).value() - 1.1401) < 1e-12);
  const double energy = s.value("energy_sum", 0).value();
  CHECK(std::fabs(s.value("energy_sum", stop).value() - energy) < 1e-6 * std::fabs(energy));
}

// The two sides of a loop in frames that are turned against each other out of its plane. Which force stays open is seen along the axes of one
// side, and along those of the other it has other components: where one of these was taken that is zero for the loop, the run stopped or, with
// the second loop, lost its energy with no word.
TEST_CASE("tilted loops: with a ball joint between sides that are turned out of the plane") {
  const struct {
    const char *axis, *parts;
  } loops[] = {
      {"{0, 1, 0}",
       R"(world : World(n = {0.047, 0.543, 0.258}, g = 2.174)
crank : Revolute(n = {0, 1, 0}, phi(start = -0.36, fixed), w(start = -4.515, fixed))
arm : FixedTranslation(r = {-0.17574980681335628, 0, 0.23318663213200694})
b0 : Body(m = 2.564, r_CM = {0.014, -0.298, 0.042}, I_11 = 0.07, I_22 = 0.06, I_33 = 0.05)
b1 : Body(m = 1.644, r_CM = {-0.039, -0.19, 0}, I_11 = 0.052, I_22 = 0.052, I_33 = 0.084)
b2 : Body(m = 1.37, r_CM = {-0.052, 0.157, 0.206}, I_11 = 0.103, I_22 = 0.095, I_33 = 0.109)
ground : FixedRotation(r = {-0.012546757549855014, 0, 0.09111630837204354}, n = {1, 0, 0}, angle = -0.75)
pin : Revolute(n = {0, 1, 0}, phi(start = -0.709))
rod1 : FixedTranslation(r = {-0.6158462989664963, 0, -0.7789623457197844})
rj : Revolute(n = {0, 0.7316888688738209, 0.6816387600233341}, phi(start = 0.369))
rod2 : FixedTranslation(r = {0.448715694168325, 0.502485316945785, -0.5393808784717271})
)"},
      {"{0, 0, -1}",
       R"(world : World(n = {0, 0, -1}, g = 1.746)
crank : Revolute(n = {0, 0, -1}, phi(start = 1.089, fixed), w(start = -3.736, fixed))
arm : FixedTranslation(r = {-0.3341645608732391, -0.25277469465196734, 0})
b0 : Body(m = 2.962, r_CM = {0, 0.2166, 0}, I_11 = 0.081, I_22 = 0.07, I_33 = 0.077)
b1 : Body(m = 2.935, r_CM = {-0.167, -0.235, 0}, I_11 = 0.075, I_22 = 0.088, I_33 = 0.093)
b2 : Body(m = 1.578, r_CM = {-0.27, -0.221, 0.079}, I_11 = 0.12, I_22 = 0.112, I_33 = 0.092)
ground : FixedRotation(r = {-0.8934062249254352, -0.15146134058881744, 0}, n = {-0.27, -0.588, -0.797}, angle = -1.423)
pin : Revolute(n = {0, 0, -1}, phi(start = 0.324))
rod1 : FixedTranslation(r = {-0.5672964752562434, -0.6044962441255053, 0})
rj : Revolute(n = {0.39241058982734967, -0.6393474869542907, -0.6612478505950585}, phi(start = 0.861))
rod2 : FixedTranslation(r = {0.2006250786567821, 0.6232890156623334, -0.48358699400277444})
)"}};
  const std::string connections = R"(connect world.frame_b, crank.frame_a, ground.frame_a
connect crank.frame_b, arm.frame_a, b0.frame_a
connect arm.frame_b, pin.frame_a
connect pin.frame_b, rod1.frame_a, b1.frame_a
connect ground.frame_b, rj.frame_a
connect rj.frame_b, rod2.frame_a, b2.frame_a
)";
  for (const auto& loop : loops) {
    CAPTURE(loop.axis);
    const auto speeds = [&](const std::string& joint, bool turned_round) {
      CAPTURE(joint);
      Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
      const char *here = turned_round ? "mid.frame_b" : "mid.frame_a", *there = turned_round ? "mid.frame_a" : "mid.frame_b";
      REQUIRE_MESSAGE(s.run_text("use multibody\n" + std::string(loop.parts) + connections + "mid : " + joint + "\nconnect rod1.frame_b, " + here +
                                 "\nconnect rod2.frame_b, " + there), rendered(s));
      REQUIRE_MESSAGE(s.simulate({.stop = 1, .points = 11, .tolerance = 1e-9}), rendered(s));
      return std::array{s.value("crank.w", 0.3).value(), s.value("crank.w", 1).value(), s.value("rj.w", 1).value()};
    };
    const auto expected = speeds(std::string("RevolutePlanarLoopConstraint(n = ") + loop.axis + ")", false);
    for (const char* joint : {"Spherical", "CutSpherical"})
      for (const bool turned_round : {false, true}) {
        const auto found = speeds(joint, turned_round);
        for (std::size_t k = 0; k < found.size(); ++k) CHECK(std::fabs(found[k] - expected[k]) < 1e-5 * (1 + std::fabs(expected[k])));
      }
  }
}
