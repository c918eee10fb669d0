// Start values that are guesses: which of the positions that a mechanism allows is taken.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

// A crank of 0.2 m, a rod of 0.6 m, a slide along any direction: two positions fit, one on each side. The rod's length alone determines one
// component of the rod, which has no start value.
TEST_CASE("start guesses: the position of a slide decides which way its rod points") {
  struct { const char* n; double x, y; } const directions[] = {{"{1, 0, 0}", 1, 0}, {"{-1, 0, 0}", -1, 0}, {"{0, 1, 0}", 0, 1}, {"{0.6, 0.8, 0}", 0.6, 0.8}};
  for (const auto& d : directions)
    for (const double guess : {-0.5, -0.3, 0.4, 0.7})
      for (const bool back : {false, true}) {
        CAPTURE(d.n);
        CAPTURE(guess);
        CAPTURE(back);
        Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
        REQUIRE_MESSAGE(s.run_text("use multibody\nworld : World\ncrank : Revolute(n = {0, 0, 1}, phi(start = 0.4, fixed), w(start = 1, fixed))\n"
                                   "arm : FixedTranslation(r = {0.2, 0, 0})\nrod : SphericalSpherical(rodLength = 0.6)\nslide : Prismatic(n = " +
                                   std::string(d.n) + ", s(start = " + to_text(guess) + "))\nload : Body(m = 1)\nother : Body(m = 0.5, r_CM = {0.1, 0, 0})\n"
                                   "aside : FixedTranslation(r = {0, 0, 0.1})\nconnect world.frame_b, crank.frame_a, aside.frame_a\n"
                                   "connect crank.frame_b, arm.frame_a, other.frame_a\nconnect aside.frame_b, slide.frame_a\n" +
                                   (back ? "connect arm.frame_b, rod.frame_b\nconnect slide.frame_b, rod.frame_a, load.frame_a\n"
                                         : "connect arm.frame_b, rod.frame_a\nconnect slide.frame_b, rod.frame_b, load.frame_a\n")),
                        rendered(s));
        REQUIRE_MESSAGE(s.simulate({.stop = 1e-6}), rendered(s));
        // |s*n + (0, 0, 0.1) - 0.2*(cos(0.4), sin(0.4), 0)| = 0.6
        const double along = 0.2 * (std::cos(0.4) * d.x + std::sin(0.4) * d.y), root = std::sqrt(along * along - 0.04 - 0.01 + 0.36);
        CHECK(std::fabs(s.value("slide.s").value() - (along + (guess > along ? root : -root))) < 1e-5);
      }
}

// A four-bar: ground `l` along x, crank `a` at the angle th, coupler `b`, rocker `c`. The two closures mirror each other about the line from the
// crank's end to the rocker's bearing.
TEST_CASE("start guesses: those of two joints decide how a four-bar is assembled, whichever is left out") {
  std::mt19937 random(7);
  const auto uniform = [&](double x, double y) { return std::uniform_real_distribution<double>(x, y)(random); };
  const auto wrapped = [](double x) { return std::remainder(x, 2 * std::numbers::pi); };
  for (int k = 0; k < 12; ++k) {
    const double l = uniform(1.2, 1.6), a = uniform(0.3, 0.5), b = uniform(1.3, 1.8), c = uniform(0.7, 1), th = uniform(-3, 3);
    const double x = a * std::cos(th), y = a * std::sin(th), d = std::hypot(l - x, y);
    if (d > 0.95 * (b + c) || d < 1.05 * std::fabs(b - c)) continue;
    const double aside = std::acos((b * b + d * d - c * c) / (2 * b * d)) * (k % 2 ? 1 : -1), line = std::atan2(-y, l - x);
    const double end_x = x + b * std::cos(line + aside), end_y = y + b * std::sin(line + aside), coupler = line + aside, rocker = std::atan2(end_y, end_x - l);
    const double angle[] = {wrapped(coupler - th), rocker, wrapped(rocker - coupler)};  // un, rr, last
    for (const int left_out : {1, 2}) {
      if (left_out == 2 && std::fabs(angle[2]) > 2) continue;  // its 0 would say the other closure
      CAPTURE(k);
      CAPTURE(left_out);
      const auto start = [&](int joint) { return joint == left_out ? std::string() : "phi(start = " + to_text(angle[joint] + (joint % 2 ? 0.1 : -0.1)) + ")"; };
      Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
      REQUIRE_MESSAGE(s.run_text("use multibody\nworld : World\ncrank : Revolute(phi(start = " + to_text(th) + ", fixed), w(start = 1, fixed))\nun : Revolute(" + start(0) +
                                 ")\nrr : Revolute(" + start(1) + ")\nlast : Revolute(" + start(2) + ")\narm : BodyShape(r = {" + to_text(a) +
                                 ", 0, 0})\ncoupler : BodyShape(r = {" + to_text(b) + ", 0, 0})\nrocker : BodyShape(r = {" + to_text(c) +
                                 ", 0, 0})\nbase : FixedTranslation(r = {" + to_text(l) +
                                 ", 0, 0})\nconnect world.frame_b, crank.frame_a, base.frame_a\nconnect crank.frame_b, arm.frame_a\nconnect arm.frame_b, un.frame_a\n"
                                 "connect un.frame_b, coupler.frame_a\nconnect base.frame_b, rr.frame_a\nconnect rr.frame_b, rocker.frame_a\n"
                                 "connect coupler.frame_b, last.frame_a\nconnect last.frame_b, rocker.frame_b\n"),
                      rendered(s));
      REQUIRE_MESSAGE(s.simulate({.stop = 1e-6}), rendered(s));
      const char* const names[] = {"un.phi", "rr.phi", "last.phi"};
      for (int joint = 0; joint < 3; ++joint) CHECK(std::fabs(wrapped(s.value(names[joint], 0).value() - angle[joint])) < 1e-6);
    }
  }
}

// The dynamic problem finds the other joints from the crank's angle. It begins where the initial problem ended: from start values it came to another
// closure, for which the angle that was fixed does not hold.
TEST_CASE("start guesses: a fixed angle holds for the closure that a run begins with") {
  Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  REQUIRE_MESSAGE(s.run_text(R"(use multibody
crank : Revolute(phi(start = 2.060), w(start = 1, fixed), stateSelect = always)
un : Revolute()
rr : Revolute(phi(start = 1.7155946444409784, fixed))
last : Revolute(phi(start = 1.297))
arm : BodyShape(r = {0.3183205216159128, 0, 0})
coupler : BodyShape(r = {1.6089081744307012, 0, 0})
rocker : BodyShape(r = {0.9525759713652868, 0, 0})
base : FixedTranslation(r = {1.4728018242351912, 0, 0})
world : World
connect world.frame_b, crank.frame_a, base.frame_a
connect crank.frame_b, arm.frame_a
connect arm.frame_b, un.frame_a
connect un.frame_b, coupler.frame_a
connect base.frame_b, rr.frame_a
connect rr.frame_b, rocker.frame_a
connect coupler.frame_b, last.frame_a
connect last.frame_b, rocker.frame_b
)"), rendered(s));
  for (const unsigned precision : {15u, 20u}) {
    CAPTURE(precision);
    simulate::Options options{.stop = 1e-4, .points = 1};
    options.precision = precision;
    REQUIRE_MESSAGE(s.simulate(options), rendered(s));
    CHECK(s.value("rr.phi", 0).value() == doctest::Approx(1.7155946444409784).epsilon(1e-7));
  }
}

// Newton's method throws angles round on its way from far guesses.
TEST_CASE("start guesses: angles of a four-bar are within half a turn of them, whatever the crank's angle") {
  const double guess_b = -0.4, guess_d = 0.9;
  for (int k = 0; k < 40; ++k) {
    const double crank = 2.5 + 0.02 * k;
    CAPTURE(crank);
    Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE_MESSAGE(s.run_text("use multibody\nworld : World\na : Revolute(phi(start = " + to_text(crank) + ", fixed), w(start = 1, fixed))\nb : Revolute(phi(start = " +
                               to_text(guess_b) + "))\nd : Revolute(useAxisFlange = true, phi(start = " + to_text(guess_d) + R"())
c : RevolutePlanarLoopConstraint
crank : BodyShape(r = {1, 0, 0})
coupler : BodyShape(r = {2, 0, 0})
rocker : BodyShape(r = {1.5, 0, 0})
base : FixedTranslation(r = {2, 0, 0})
spring : rotational.Spring(c = 1)
connect world.frame_b, a.frame_a, base.frame_a
connect a.frame_b, crank.frame_a
connect crank.frame_b, b.frame_a
connect b.frame_b, coupler.frame_a
connect coupler.frame_b, c.frame_a
connect c.frame_b, rocker.frame_b
connect base.frame_b, d.frame_a
connect d.frame_b, rocker.frame_a
connect spring.flange_a, d.support
connect spring.flange_b, d.axis
)"), rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = 1e-6, .points = 1}), rendered(s));
    CHECK(std::fabs(s.value("b.phi", 0).value() - guess_b) <= std::numbers::pi);
    CHECK(std::fabs(s.value("d.phi", 0).value() - guess_d) <= std::numbers::pi);
    CHECK(std::fabs(s.value("spring.tau", 0).value() - s.value("d.phi", 0).value()) < 1e-9);
  }
}

// Crank of 0.5 m at 0.7 rad, rod of 1.5 m, slide along x: one position on each side.
TEST_CASE("start guesses: s_guess of an assembly decides on which side its slide is") {
  const char* const assemblies[] = {"JointRRP(n_a = {0, 0, 1}, n_b = {1, 0, 0}, rRod1_ia = {1.5, 0, 0}, rRod2_ib = {0, 0, 0}, s_guess = $)",
                                    "JointUSP(n1_a = {0, 0, 1}, n_b = {1, 0, 0}, rRod1_ia = {1.5, 0, 0}, rRod2_ib = {0, 0, 0}, s_guess = $)",
                                    "JointSSP(rod1Length = 1.5, n_b = {1, 0, 0}, rRod2_ib = {0, 0, 0}, s_guess = $)"};
  for (std::string assembly : assemblies)
    for (const bool driven : {true, false})
      for (const double guess : {-1.0, 1.5}) {
        CAPTURE(assembly);
        CAPTURE(driven);
        CAPTURE(guess);
        std::string joint = assembly;
        joint.replace(joint.find('$'), 1, to_text(guess));
        Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
        REQUIRE_MESSAGE(s.run_text("use multibody\nworld : World\na : Revolute(useAxisFlange = " + std::string(driven ? "true" : "false") +
                                   ", phi(start = 0.7, fixed))\ncrank : BodyShape(r = {0.5, 0, 0})\npiston : BodyShape(m = 2)\nj : " + joint +
                                   "\nconnect world.frame_b, a.frame_a, j.frame_b\nconnect a.frame_b, crank.frame_a\nconnect crank.frame_b, j.frame_a\n"
                                   "connect j.frame_ib, piston.frame_a\n" +
                                   (driven ? "m : rotational.ConstantSpeed(w_fixed = 3)\nconnect m.flange, a.axis\n" : "")),
                        rendered(s));
        REQUIRE_MESSAGE(s.simulate({.stop = 1e-6, .points = 1}), rendered(s));
        const double root = std::sqrt(1.5 * 1.5 - std::pow(0.5 * std::sin(0.7), 2));
        CHECK(std::fabs(s.value("j.s", 0).value() - (0.5 * std::cos(0.7) + (guess > 0 ? root : -root))) < 1e-8);
      }
}

namespace {

struct Expected {
  const char* path;
  double value;
};
struct StartCase {
  const char* name;
  std::string text;
  std::vector<Expected> expected;  // at the start
};
void check_starts(const StartCase& row) {
  CAPTURE(std::string(row.name));
  Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  REQUIRE_MESSAGE(s.run_text("use multibody\nworld : World\n" + row.text), rendered(s));
  REQUIRE_MESSAGE(s.simulate({.stop = 0.1, .points = 2, .tolerance = 1e-9}), rendered(s));
  for (const Expected& e : row.expected) CHECK_MESSAGE(std::fabs(s.value(e.path, 0).value() - e.value) < 1e-7, std::string(e.path));
}

}  // namespace

// Of variables that differ by a constant, as a body's position and its distance from a support, one is a coordinate: it is the one of which
// somebody said where it starts. Each start below fits the rods.
TEST_CASE("start guesses: those of bodies on rods hold, wherever the rods are hung up") {
  const std::string bar = "b : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, r_0(start = {0, 4, 0}FIXED))\n";
  const std::string swing = "f : FixedTranslation(r = {0, 5, 0})\na : FixedTranslation(r = {1, 0, 0})\nr : SphericalSpherical(rodLength = 1)\nr2 : SphericalSpherical(rodLength = 1)\n"
                            "connect world.frame_b, f.frame_a\nconnect f.frame_b, a.frame_a, r.frame_a\nconnect r.frame_b, b.frame_a\nconnect a.frame_b, r2.frame_a\nconnect r2.frame_b, b.frame_b\n";
  const auto with = [&](std::string fixed) { return swing + bar.substr(0, bar.find("FIXED")) + fixed + bar.substr(bar.find("FIXED") + 5); };
  const auto mass = [](const std::string& support, const std::string& fixed, const char* part) {
    return "t : FixedTranslation(r = {0, " + support + ", 0})\nrod : SphericalSpherical(rodLength = 1)\np : " + part + "(m = 1, r_0(start = {0.6, " + support +
           " - 0.8, 0}" + fixed + "), v_0(start = {0.8, 0.6, 0}" + fixed + "))\nconnect world.frame_b, t.frame_a\nconnect t.frame_b, rod.frame_a\nconnect rod.frame_b, p.frame_a\n";
  };
  const std::vector<Expected> held = {{"p.r_0[1]", 0.6}, {"p.r_0[2]", 1.2}, {"p.r_0[3]", 0}, {"p.v_0[1]", 0.8}, {"p.v_0[2]", 0.6}, {"p.v_0[3]", 0}};
  const StartCase rows[] = {
      {"a swing", with(""), {{"b.r_0[1]", 0}, {"b.r_0[2]", 4}, {"b.r_0[3]", 0}, {"b.frame_b.r_0[1]", 1}, {"b.frame_b.r_0[2]", 4}}},
      {"a swing, held aside", with(", fixed = {true, false, true}"), {{"b.r_0[1]", 0}, {"b.r_0[2]", 4}, {"b.r_0[3]", 0}}},
      {"a mass", mass("2", "", "PointMass"), held},
      {"a mass, held aside", mass("2", ", fixed = {true, false, true}", "PointMass"), held},
      {"a body", mass("2", "", "Body"), held},
      {"two bars", "b1 : BodyShape(r = {1, 0, 0}, r_0(start = {0, 1, 0}), v_0(start = {-3, 0, 0}), w_0_start = {0, 0, 3})\nb2 : BodyShape(r = {1, 0, 0}, r_0(start = {0, 0, 0}))\n"
                   "r : SphericalSpherical(rodLength = 1)\nr2 : SphericalSpherical(rodLength = 1)\nconnect b1.frame_a, r.frame_a\nconnect r.frame_b, b2.frame_a\n"
                   "connect b1.frame_b, r2.frame_a\nconnect r2.frame_b, b2.frame_b\n",
       {{"b1.r_0[2]", 1}, {"b2.r_0[2]", 0}, {"b1.v_0[1]", -3}}},
  };
  for (const StartCase& row : rows) check_starts(row);
}

// The oracle: the Jacobian of the arm's tip at the guesses.
TEST_CASE("start guesses: a condition on a speed is met by speeds, and angles keep their guesses") {
  const double s1 = std::sin(0.3), c1 = std::cos(0.3), s12 = std::sin(1.3), c12 = std::cos(1.3), det = (-s1 - s12) * c12 + s12 * (c1 + c12);
  const double wa = (1 * c12 + 0.5 * s12) / det, wb = ((-s1 - s12) * 0.5 - (c1 + c12) * 1) / det;
  const std::string arm = "a : Revolute(phi(start = 0.3))\nla : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0})\nb : Revolute(phi(start = 1))\nlb : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0})\n"
                          "v : AbsoluteVelocity(resolveInFrame = world)\nconnect world.frame_b, a.frame_a\nconnect a.frame_b, la.frame_a\nconnect la.frame_b, b.frame_a\n"
                          "connect b.frame_b, lb.frame_a\nconnect lb.frame_b, v.frame_a\ninitial v.v[1] = 1\ninitial v.v[2] = 0.5\n";
  const std::string tree = "r0 : Revolute(n = {0, 0, 1}, phi(start = 0.4))\nb0 : BodyShape(r = {1, 0, 0})\ns : Revolute(n = {0, 1, 0}, phi(start = 0.5))\n"
                           "b : Body(r_CM = {0.3, 0.2, 0}, I_11 = 0.1, I_22 = 0.2, I_33 = 0.3)\nconnect world.frame_b, r0.frame_a\nconnect r0.frame_b, b0.frame_a\n"
                           "connect b0.frame_b, s.frame_a\nconnect s.frame_b, b.frame_a\ninitial b.w_a[1] = 1\ninitial b.w_a[2] = 2\n";
  check_starts({"an arm in a plane", arm, {{"a.phi", 0.3}, {"b.phi", 1}, {"a.w", wa}, {"b.w", wb}}});
  check_starts({"two axes", tree, {{"r0.phi", 0.4}, {"s.phi", 0.5}, {"r0.w", -1 / std::sin(0.5)}, {"s.w", 2}}});
}

// The rod's component along the slides depends on nothing but parameters, so the section of these solved for it, from where a declaration says and
// not from what the initial conditions found: the other assembly, from the start on.
TEST_CASE("mechanics: what parameters alone determine is what the start values mean") {
  for (const char* start : {"-0.3", "0.3"}) {
    CAPTURE(start);
    Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE_MESSAGE(s.run_text(R"(use multibody
world : World(g = 10)
a : Prismatic(n = {0, 1, 0}, s(start = 0, fixed), v(start = 0, fixed))
ma : Body(m = 1)
gap : FixedTranslation(r = {0.8, 0, 0})
b : Prismatic(n = {0, 1, 0}, s(start = )" + std::string(start) + R"())
mb : Body(m = 1)
rod : SphericalSpherical(rodLength = sqrt(0.73))
connect world.frame_b, a.frame_a, gap.frame_a
connect a.frame_b, ma.frame_a, rod.frame_a
connect gap.frame_b, b.frame_a
connect b.frame_b, mb.frame_a, rod.frame_b
)"), rendered(s));
    for (const unsigned precision : {16u, 30u}) {
      REQUIRE_MESSAGE(s.simulate({.stop = 1, .points = 3, .precision = precision}), rendered(s));
      for (const double t : {0.0, 0.5, 1.0}) CHECK(s.value("b.s - a.s", t).value() == doctest::Approx(std::stod(start)).epsilon(1e-9));
      CHECK(s.value("a.s").value() == doctest::Approx(-5).epsilon(1e-6));
    }
  }
}

// A platform on three rods, or on three pairs of parallel ones, falls freely with the slides that carry it: nothing moves within, so steps grow tenfold,
// and Newton's method began where the platform had been: it came to the mirror image of the rods.
std::string falling_platform(bool pairs) {
  std::string text = "use multibody\nworld : World(g = 10)\nplatform : Body(r_0(start = {0, -0.3, 0}), m = 1, I_11 = 0.1, I_22 = 0.1, I_33 = 0.1)\n";
  for (int k = 0; k < 3; ++k) {
    const std::string n = std::to_string(k), c = k == 0 ? "1" : "-0.5", d = k == 0 ? "0" : k == 1 ? "sqrt(0.75)" : "-sqrt(0.75)";
    text += "slide" + n + " : Prismatic(n = {0, 1, 0}, s(start = 0, fixed), v(start = 0, fixed))\nmass" + n + " : Body(m = 1)\nfoot" + n +
            " : FixedTranslation(r = {" + c + ", 0, " + d + "})\nconnect world.frame_b, foot" + n + ".frame_a\nconnect foot" + n + ".frame_b, slide" + n +
            ".frame_a\nconnect slide" + n + ".frame_b, mass" + n + ".frame_a\n";
    for (const char* side : {"0.1", "-0.1"}) {
      const std::string r = n + (side[0] == '-' ? "b" : "a"), across = pairs ? std::string(side) + " * {-(" + d + "), 0, " + c + "}" : "{0, 0, 0}";
      text += "from" + r + " : FixedTranslation(r = " + across + ")\nhead" + r + " : FixedTranslation(r = 0.2 * {" + c + ", 0, " + d + "} + " + across +
              ")\nrod" + r + " : SphericalSpherical(rodLength = sqrt(0.73))\nconnect slide" + n + ".frame_b, from" + r + ".frame_a\nconnect from" + r +
              ".frame_b, rod" + r + ".frame_a\nconnect rod" + r + ".frame_b, head" + r + ".frame_b\nconnect platform.frame_a, head" + r + ".frame_a\n";
      if (!pairs) break;
    }
  }
  if (!pairs)
    for (const char* what : {"r_0[1]", "R.T[2, 3]", "R.T[3, 1]", "R.w[1]", "R.w[2]"}) text += std::string("initial platform.frame_a.") + what + " = 0\n";
  return pairs ? text : text + "initial platform.v_0[1] = 0\n";
}
TEST_CASE("mechanics: what falls freely stays assembled as it is") {
  for (const bool pairs : {false, true}) {
    CAPTURE(pairs);
    Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE_MESSAGE(s.run_text(falling_platform(pairs)), rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = 2, .points = 5, .tolerance = 1e-8}), rendered(s));
    for (const double t : {0.0, 0.5, 1.0, 1.5, 2.0}) {
      CAPTURE(t);
      CHECK(s.value("platform.frame_a.r_0[2]", t).value() == doctest::Approx(-0.3 - 5 * t * t).epsilon(1e-7));
    }
  }
}

// A point on two slides, held by a rod to where they cross: what is nearest to guesses at which one coordinate alone cannot close the rod.
TEST_CASE("start guesses: where those that were to hold leave no solution, all give way a little") {
  for (const auto& [x, y] : {std::pair{0.6, -0.6}, {-0.8, 0.7}, {2.0, 1.5}, {-0.55, -5.0}}) {
    CAPTURE(x);
    Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE_MESSAGE(s.run_text("use multibody\nworld : World\nx : Prismatic(n = {1, 0, 0}, s(start = " + std::to_string(x) + "))\ny : Prismatic(n = {0, 1, 0}, s(start = " +
                               std::to_string(y) + "))\nb : Body\nrod : SphericalSpherical(rodLength = 0.5)\nconnect world.frame_b, x.frame_a, rod.frame_a\n"
                               "connect x.frame_b, y.frame_a\nconnect y.frame_b, b.frame_a, rod.frame_b\n"), rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = 0.1, .points = 2}), rendered(s));
    const double at_x = *s.value("x.s", 0), at_y = *s.value("y.s", 0);
    CHECK(std::hypot(at_x, at_y) == doctest::Approx(0.5).epsilon(1e-8));
    CHECK(at_x * x >= 0);  // on their sides
    CHECK(at_y * y >= 0);
    if (std::fabs(x) == std::fabs(y)) CHECK(std::fabs(at_x) == doctest::Approx(std::fabs(at_y)).epsilon(1e-5));
  }
}

TEST_CASE("start guesses: a body on a ball joint and a point on slides, whatever their guesses, are joined by a rod") {
  std::mt19937 random(11);
  const auto uniform = [&](double x, double y) { return std::to_string(std::uniform_real_distribution<double>(x, y)(random)); };
  for (int k = 0; k < 25; ++k) {
    const std::string text = "use multibody\nworld : World\nj0 : Spherical(angles_start = {" + uniform(-1, 1) + ", " + uniform(-1, 1) + ", " + uniform(-1, 1) +
                             "})\nb0 : BodyShape(r = {0.6, 0.6, -0.2})\nx : Prismatic(n = {1, 0, 0}, s(start = " + uniform(-1.5, 0.5) +
                             "))\ny : Prismatic(n = {0, 1, 0}, s(start = " + uniform(-1, 1) +
                             "))\nb1 : Body\nrod : SphericalSpherical(rodLength = 0.5)\noff : FixedTranslation(r = {-1, 0, 0})\nconnect world.frame_b, off.frame_a, x.frame_a\n"
                             "connect off.frame_b, j0.frame_a\nconnect j0.frame_b, b0.frame_a\nconnect x.frame_b, y.frame_a\nconnect y.frame_b, b1.frame_a, rod.frame_a\n"
                             "connect rod.frame_b, b0.frame_b\n";
    CAPTURE(text);
    Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE_MESSAGE(s.run_text(text), rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = 1e-3, .points = 1, .tolerance = 1e-8}), rendered(s));
    CHECK(*s.value("sqrt(rod.rRod_0 * rod.rRod_0)", 0) == doctest::Approx(0.5).epsilon(1e-7));
    CHECK(*s.value("sum(j0.Q[k]^2 for k in 1:4)", 0) == doctest::Approx(1).epsilon(1e-7));
  }
}

// A slide that carries a ball joint whose body hangs on a rod falls freely with both, whatever is wished of its coordinate.
TEST_CASE("start guesses: a wish against the coordinate of what carries a loop leaves its start") {
  for (const char* wish : {"default", "prefer", "always", "avoid", "never"}) {
    CAPTURE(wish);
    Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE_MESSAGE(s.run_text("use multibody\nworld : World(g = 10)\nj : Prismatic(n = {0, 1, 0}, stateSelect = " + std::string(wish) +
                               ")\ns : Spherical\nb : BodyShape(r = {0.4, 0.2, 0})\nbase : FixedTranslation(r = {0.4, 0.3, 0.2})\nrod : SphericalSpherical(rodLength = 0.25)\n"
                               "connect world.frame_b, j.frame_a\nconnect j.frame_b, s.frame_a, base.frame_a\nconnect s.frame_b, b.frame_a\nconnect b.frame_b, rod.frame_a\n"
                               "connect rod.frame_b, base.frame_b\n"), rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = 0.3, .points = 2, .tolerance = 1e-9}), rendered(s));
    CHECK(*s.value("b.r_0[2]") - *s.value("b.r_0[2]", 0) == doctest::Approx(-5 * 0.09).epsilon(1e-7));
  }
}
