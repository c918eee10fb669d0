// Closed loops in random directions, joints either way round: positions, velocities and accelerations fit each other at all points of a
// run, the loop stays closed, the energy stays. Nothing says which coordinates are states.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"
#include "tests/support/spread.hpp"

using namespace kron;
using test::spread;

namespace {

class Loop {
 public:
  std::string text;
  std::vector<std::string> turning, sliding;  // joints

  explicit Loop(std::uint64_t seed) : random_(seed) {
    text = "use multibody\nworld : World(n = {0, 0, -1})\n" + base();
    kind_ = static_cast<int>(seed % 3);
    kind_ == 0 ? four_bar() : kind_ == 1 ? slider_crank() : spatial();
    std::string sum;
    for (const auto& [name, r_CM, inertia] : bodies_) {
      const std::string b = name + ".body";
      text += "variable v_" + name + "[3] = " + name + ".frame_a.motion.v + cross(" + b + ".w_a, " + r_CM + ")\n";
      text += "variable E_" + name + " = " + b + ".m * (v_" + name + " * v_" + name + ") / 2 + " + b + ".w_a * (" + inertia + " * " + b + ".w_a) / 2 + " + b +
              ".m * world.g * (" + b + ".r_0[3] + " + b + ".frame_a.R.T[:, 3] * " + r_CM + ")\n";
      sum += (sum.empty() ? "" : " + ") + ("E_" + name);
    }
    text += "variable E = " + sum + "\nvariable gap[3] = " + gap_ + "\n";
  }

 private:
  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(random_); }
  bool coin() { return random_() % 2 == 0; }
  static std::string number(double x) {
    std::ostringstream out;
    out.precision(17);
    out << x;
    return out.str();
  }

  // The directions of the mechanism: those of the world, turned by right angles, any.
  std::string base() {
    switch (random_() % 3) {
      case 0: return "base : FixedTranslation\nconnect world.frame_b, base.frame_a\n";
      case 1: return "base : FixedRotation(rotationType = TwoAxesVectors, n_x = {0, 0, 1}, n_y = {0, -1, 0})\nconnect world.frame_b, base.frame_a\n";
      default:
        return "base : FixedRotation(n = {" + number(uniform(-1, 1)) + ", " + number(uniform(-1, 1)) + ", 0.3}, angle = " + number(uniform(-3, 3)) +
               ")\nconnect world.frame_b, base.frame_a\n";
    }
  }
  void joint(const std::string& name, const std::string& type, const std::string& modifiers, const std::string& a, const std::string& b) {
    (type == "Prismatic" ? sliding : turning).push_back(name);
    text += name + " : " + type + "(" + modifiers + ")\n";
    link(name, a, b);
  }
  void link(const std::string& name, const std::string& a, const std::string& b) {
    text += "connect " + a + ", " + name + ".frame_a\nconnect " + name + ".frame_b, " + b + "\n";
  }
  // Where the joint of positive angle goes from frame `a` to frame `b`; turned round it counts backwards.
  void revolute(const std::string& name, double angle, const std::string& a, const std::string& b, double speed = 0, bool moves = false) {
    const bool turned = coin();
    std::string m = "phi(start = " + number(turned ? -angle : angle) + (moves ? ", fixed" : "") + ")";
    if (moves) m += ", w(start = " + number(turned ? -speed : speed) + ", fixed)";
    joint(name, "Revolute", m, turned ? b : a, turned ? a : b);
  }
  void bar(const std::string& name, double length) {
    const std::string r_CM = "{" + number(length * uniform(0.3, 0.7)) + ", " + number(uniform(-0.05, 0.05)) + ", " + number(uniform(-0.05, 0.05)) + "}";
    text += name + " : BodyShape(r = {" + number(length) + ", 0, 0}, r_CM = " + r_CM + ", m = " + number(uniform(0.5, 2)) +
            ", I_11 = 0.01, I_22 = 0.03, I_33 = 0.04, I_21 = 0.002)\n";
    bodies_.push_back({name, r_CM, "[0.01, 0.002, 0; 0.002, 0.03, 0; 0, 0, 0.04]"});
  }
  void cut(const std::string& a, const std::string& b) {
    text += "cut : RevolutePlanarLoopConstraint\n";
    link("cut", a, b);
    gap_ = a + ".r_0 - " + b + ".r_0";
  }

  // Lengths such that the crank turns round: the shortest and the longest bar are together shorter than the other two.
  void four_bar() {
    const double crank = uniform(0.2, 0.35), coupler = uniform(0.9, 1.1), rocker = uniform(0.7, 0.9), ground = uniform(0.8, 1);
    const double q = uniform(-3, 3), x = ground - crank * std::cos(q), y = -crank * std::sin(q), d = std::sqrt(x * x + y * y);
    const double coupler_angle = std::atan2(y, x) + std::acos((d * d + coupler * coupler - rocker * rocker) / (2 * d * coupler));
    const double tip_x = crank * std::cos(q) + coupler * std::cos(coupler_angle) - ground, tip_y = crank * std::sin(q) + coupler * std::sin(coupler_angle);
    bar("arm", crank);
    bar("rod", coupler);
    bar("beam", rocker);
    text += "ground : FixedTranslation(r = {" + number(ground) + ", 0, 0})\nconnect base.frame_b, ground.frame_a\n";
    revolute("crank", q, "base.frame_b", "arm.frame_a", uniform(8, 12), true);
    revolute("pin", coupler_angle - q, "arm.frame_b", "rod.frame_a");
    revolute("rocker", std::atan2(tip_y, tip_x), "ground.frame_b", "beam.frame_a");
    coin() ? cut("rod.frame_b", "beam.frame_b") : cut("beam.frame_b", "rod.frame_b");
  }
  void slider_crank() {
    const double crank = uniform(0.2, 0.4), coupler = uniform(0.8, 1.2), q = uniform(-3, 3), angle = std::asin(-crank * std::sin(q) / coupler);
    bar("arm", crank);
    bar("rod", coupler);
    bar("piston", 0.1);
    revolute("crank", q, "base.frame_b", "arm.frame_a", uniform(8, 12), true);
    revolute("pin", angle - q, "arm.frame_b", "rod.frame_a");
    joint("slide", "Prismatic", "s(start = " + number(crank * std::cos(q) + coupler * std::cos(angle)) + ")", "base.frame_b", "piston.frame_a");
    coin() ? cut("rod.frame_b", "piston.frame_a") : cut("piston.frame_a", "rod.frame_b");
  }
  // MSL's Fourbar1; no joint is a cut.
  void spatial() {
    const double speed = uniform(3, 6);
    const auto tube = [&](const char* name, const char* r) {
      text += std::string(name) + " : BodyCylinder(diameter = 0.05, r = " + r + ")\n";
      bodies_.push_back({name, std::string(name) + ".r_CM", std::string(name) + ".I"});
    };
    tube("b1", "{0, 0.5, 0.1}");
    tube("b2", "{0, 0.2, 0}");
    tube("b3", "{-1, 0.3, 0.1}");
    text += "b0 : FixedTranslation(r = {1.2, 0, 0})\nconnect base.frame_b, b0.frame_a\n";
    const auto turn = [&](const std::string& name, const std::string& n, const std::string& from) {  // the frame behind it
      const bool turned = coin();
      turning.push_back(name);
      text += name + " : Revolute(n = " + n + ")\nconnect " + from + ", " + name + (turned ? ".frame_b\n" : ".frame_a\n");
      return name + (turned ? ".frame_a" : ".frame_b");
    };
    joint("j1", "Revolute", "n = {1, 0, 0}, phi(start = 0, fixed), w(start = " + number(speed) + ", fixed)", "base.frame_b", "b1.frame_a");
    joint("j2", "Prismatic", "n = {1, 0, 0}, s(start = -0.2)", "b0.frame_b", "b2.frame_a");
    const std::string one_end = turn("rev1", "{0, 0, 1}", turn("rev", "{0, 1, 0}", "b2.frame_b"));
    const std::string other_end = turn("j5", "{0, 0, 1}", turn("j4", "{0, 1, 0}", turn("j3", "{1, 0, 0}", "b1.frame_b")));
    text += "connect " + one_end + ", b3.frame_a\nconnect " + other_end + ", b3.frame_b\n";
    gap_ = "zeros(3)";
  }

  std::mt19937_64 random_;
  int kind_ = 0;
  struct Body {
    std::string name, r_CM, inertia;
  };
  std::vector<Body> bodies_;
  std::string gap_;
};

// The largest part by which x' = v and v' = a are missed between neighbouring points: x2 - x1 = h/2 (v1 + v2) - h^2/12 (a2 - a1) + O(h^5).
double misfit(Session& s, const std::string& x, const std::string& v, const std::string& a) {
  const auto t = s.series("time").value(), p = s.series(x).value(), q = s.series(v).value(), r = s.series(a).value();
  double worst = 0, size = 1;
  for (std::size_t k = 1; k < t.size(); ++k) {
    const double h = t[k] - t[k - 1];
    worst = std::max(worst, std::fabs(p[k] - p[k - 1] - h / 2 * (q[k] + q[k - 1]) + h * h / 12 * (r[k] - r[k - 1])));
    size = std::max(size, std::fabs(r[k]));
  }
  return worst / size;
}

}  // namespace

TEST_CASE("mechanics: closed loops turn round, whatever their directions") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Loop loop(seed);
    CAPTURE(seed);
    CAPTURE(loop.text);
    Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE_MESSAGE(s.run_text(loop.text), rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = 2, .points = 2001, .tolerance = 1e-9}), rendered(s));
    for (const std::string& j : loop.turning) CHECK_MESSAGE(misfit(s, j + ".phi", j + ".w", j + ".a") < 1e-9, j);
    for (const std::string& j : loop.sliding) CHECK_MESSAGE(misfit(s, j + ".s", j + ".v", j + ".a") < 1e-9, j);
    CHECK(spread(s, "E") < 1e-5 * std::fabs(s.value("E", 0).value() + 20));
    for (const char* e : {"gap[1]", "gap[2]", "gap[3]"}) CHECK(spread(s, e) < 1e-7);
  }
}

// The same slider-crank about each axis, by joints that turn about it.
TEST_CASE("mechanics: plane loops about each axis of the world") {
  std::vector<double> angles;
  for (int turn = 0; turn < 3; ++turn) {
    const auto v = [&](const char* a, const char* b, const char* c) {
      const char* x[] = {a, b, c};
      return std::string("{") + x[(3 - turn) % 3] + ", " + x[(4 - turn) % 3] + ", " + x[(5 - turn) % 3] + "}";
    };
    const std::string axis = v("0", "0", "1");
    Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE_MESSAGE(s.run_text("use multibody\nworld : World(g = 0)\nj0 : Revolute(n = " + axis + ", phi(start = 0, fixed), w(start = 1, fixed))\n"
                               "b0 : BodyShape(r = " + v("1", "0.2", "0") + ", r_CM = " + v("0.5", "0.1", "0") + ")\nj1 : Revolute(n = " + axis + ")\n"
                               "b1 : BodyShape(r = " + v("0.5", "2", "0") + ", r_CM = " + v("0.25", "1", "0") + ")\nj2 : Revolute(n = " + axis + ")\n"
                               "b2 : BodyShape(r = " + v("-1.2", "0.3", "0") + ", r_CM = " + v("-0.6", "0.15", "0") + ")\n"
                               "j3 : Prismatic(n = " + v("0", "1", "0") + ")\ng : FixedTranslation(r = " + v("0.3", "2.5", "0") + ")\n"
                               "connect world.frame_b, j0.frame_a, g.frame_a\nconnect j0.frame_b, b0.frame_a\nconnect b0.frame_b, j1.frame_a\n"
                               "connect j1.frame_b, b1.frame_a\nconnect b1.frame_b, j2.frame_a\nconnect j2.frame_b, b2.frame_a\n"
                               "connect b2.frame_b, j3.frame_a\nconnect g.frame_b, j3.frame_b\n"),
                    rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = 0.25, .tolerance = 1e-9}), rendered(s));
    angles.push_back(s.value("j1.phi").value());
    // With RevolutePlanarLoopConstraint in place of j2, which leaves nothing open.
    CHECK(angles.back() == doctest::Approx(-0.308782).epsilon(1e-5));
    CHECK(angles.back() == doctest::Approx(angles.front()).epsilon(1e-9));
  }
}

// A four-bar of four revolute joints in a plane of any direction: two of the conditions that close it, and one of its positions, say nothing new.
TEST_CASE("mechanics: plane loops hold more than they need in whatever plane they are") {
  const auto four_bar = [](const std::string& base, const std::string& joint) {
    return "use multibody\nworld : World(n = {0, 0, -1})\nbase : " + base + "\njoint : " + joint + R"(
crank : Revolute(phi(start = 0.7, fixed), w(start = 2, fixed))
arm : BodyShape(r = {0.3, 0, 0}, r_CM = {0.15, 0, 0}, m = 2, I_33 = 0.02)
pin : Revolute(phi(start = -0.9))
rod : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, m = 1, I_33 = 0.1)
ground : FixedTranslation(r = {0.9, 0, 0})
rocker : Revolute(phi(start = 1.8))
beam : BodyShape(r = {0.8, 0, 0}, r_CM = {0.3, 0, 0}, m = 1, I_33 = 0.03)
connect world.frame_b, base.frame_a
connect base.frame_b, crank.frame_a, ground.frame_a
connect crank.frame_b, arm.frame_a
connect arm.frame_b, pin.frame_a
connect pin.frame_b, rod.frame_a
connect ground.frame_b, rocker.frame_a
connect rocker.frame_b, beam.frame_a
connect rod.frame_b, joint.frame_a
connect joint.frame_b, beam.frame_b
)";
  };
  const struct {
    const char *name, *base;
  } rows[] = {{"that of the world", "FixedTranslation"},
              {"turned by right angles", "FixedRotation(rotationType = TwoAxesVectors, n_x = {0, 0, 1}, n_y = {0, -1, 0})"},
              {"turned about an axis of the world", "FixedRotation(n = {1, 0, 0}, angle = 0.5)"},
              {"turned about any axis", "FixedRotation(n = {1, 2, 0.3}, angle = 0.5)"},
              {"turned by three angles", "FixedRotation(rotationType = PlanarRotationSequence, angles = {0.4, -1.1, 0.3})"}};
  for (const auto& row : rows) {
    CAPTURE(std::string(row.name));
    Session redundant({.library_path = {KRON_SOURCE_DIR "/stdlib"}}), enough({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE(redundant.run_text(four_bar(row.base, "Revolute")));
    REQUIRE(enough.run_text(four_bar(row.base, "RevolutePlanarLoopConstraint")));
    for (Session* s : {&redundant, &enough}) REQUIRE_MESSAGE(s->simulate({.stop = 1, .tolerance = 1e-9}), rendered(*s));
    const auto noted = [](Session& s) { return std::ranges::any_of(s.diagnostics().list(), [](const Diagnostic& d) { return d.code == "N0317"; }); };
    CHECK(noted(redundant));
    CHECK(!noted(enough));
    for (const char* x : {"crank.phi", "rocker.phi", "rod.frame_b.r_0[1]", "rod.frame_b.r_0[2]", "rod.frame_b.r_0[3]"})
      CHECK_MESSAGE(std::fabs(redundant.value(x).value() - enough.value(x).value()) < 1e-6, x);
  }
}

// Angles of joints are preferred to positions of bodies. Where rods hold a body that is no longer determined by the angle, others are chosen.
TEST_CASE("mechanics: a crank passes the dead point of rods") {
  Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  REQUIRE_MESSAGE(s.run_text(R"(use multibody
world : World
arm : Revolute(phi(start = 1.2, fixed), w(start = 0, fixed))
bar : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, I_33 = 0.1)
p : PointMass(m = 1, r_0(start = {1.5, 1, 0}))
g1 : Fixed(r = {2, 0, 1})
g2 : Fixed(r = {2, 0, -1})
d0 : SphericalSpherical(rodLength = 1.3)
d1 : SphericalSpherical(rodLength = 1.5)
d2 : SphericalSpherical(rodLength = 1.5)
connect world.frame_b, arm.frame_a
connect arm.frame_b, bar.frame_a
connect bar.frame_b, d0.frame_a
connect d0.frame_b, p.frame_a, d1.frame_a, d2.frame_a
connect d1.frame_b, g1.frame_b
connect d2.frame_b, g2.frame_b
variable E = 0.35 * arm.w^2 / 2 + p.v_0 * p.v_0 / 2 + world.g * (sin(arm.phi) / 2 + p.r_0[2])
)"), rendered(s));
  REQUIRE_MESSAGE(s.simulate({.stop = 5, .tolerance = 1e-9}), rendered(s));
  CHECK(has_code(s, "N0412"));
  const simulate::Trajectory& t = s.result()->trajectory;
  for (std::size_t k = 0; k < t.size(); k += 10) {
    CAPTURE(t.time()[k]);
    CHECK(*s.value("E", t.time()[k]) == doctest::Approx(*s.value("E", 0)).epsilon(1e-6));
    CHECK(std::hypot(*s.value("p.r_0[1]", t.time()[k]) - 2, *s.value("p.r_0[2]", t.time()[k])) == doctest::Approx(std::sqrt(1.25)).epsilon(1e-9));
  }
}
