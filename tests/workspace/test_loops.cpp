// Closed loops of bodies: from what a four-bar is put together, and loops that hold more than they need.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

// Crank 1, coupler 2, rocker 1.5, base 2; JOINT closes the loop, BASE is the place of the rocker's bearing.
std::string four_bar(const std::string& joint = "RevolutePlanarLoopConstraint", const std::string& base = "{2, 0, 0}") {
  return "use multibody\nworld : World\na, b, d : Revolute\nc : " + joint +
         "\ncrank : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0})\ncoupler : BodyShape(r = {2, 0, 0}, r_CM = {1, 0, 0})\n"
         "rocker : BodyShape(r = {1.5, 0, 0}, r_CM = {0.7, 0, 0})\nbase : FixedTranslation(r = " + base +
         ")\nconnect world.frame_b, a.frame_a, base.frame_a\nconnect a.frame_b, crank.frame_a\nconnect crank.frame_b, b.frame_a\n"
         "connect b.frame_b, coupler.frame_a\nconnect coupler.frame_b, c.frame_a\nconnect c.frame_b, rocker.frame_b\n"
         "connect rocker.frame_a, d.frame_b\nconnect d.frame_a, base.frame_b\na.phi.start := 0.7\nb.phi.start := -0.4\nd.phi.start := 0.9\n";
}

Session with_library() { return Session(elaborate::Settings{{KRON_SOURCE_DIR "/stdlib"}}); }

std::ptrdiff_t count(Session& s, const char* code) {
  const auto& list = s.diagnostics().list();
  return std::count_if(list.begin(), list.end(), [&](const Diagnostic& d) { return d.code == code; });
}

// How far the tip of the coupler is from that of the rocker, by the joints' angles alone.
double gap(Session& s) {
  const double a = *s.value("a.phi", 0), b = *s.value("b.phi", 0), d = *s.value("d.phi", 0);
  return std::hypot(std::cos(a) + 2 * std::cos(a + b) - 2 - 1.5 * std::cos(d), std::sin(a) + 2 * std::sin(a + b) - 1.5 * std::sin(d));
}

}  // namespace

TEST_CASE("loops: a four-bar is put together from angles, positions and both") {
  const struct {
    const char* name;
    std::string conditions;
    std::vector<std::pair<const char*, double>> values;
  } rows[] = {
      {"guesses alone", "", {}},
      {"the crank's angle and speed", "initial a.phi = 1\ninitial a.w = 2", {{"a.phi", 1}, {"a.w", 2}}},
      {"the rocker's angle, the crank's speed", "initial d.phi = 1.2\ninitial a.w = -1", {{"d.phi", 1.2}, {"a.w", -1}}},
      {"the height of the crank's pin", "initial crank.frame_b.r_0[2] = 0.5", {{"a.phi", 0.52359877559829887}}},
      {"the height of the coupler's end, the rocker's speed", "initial coupler.frame_b.r_0[2] = 1.4\ninitial d.w = 2", {{"coupler.frame_b.r_0[2]", 1.4}, {"d.w", 2}}},
      {"a body's centre, a body's velocity", "initial coupler.r_0[1] + coupler.frame_b.r_0[1] = 3.2\ninitial rocker.body.w_a[3] = 1",
       {{"rocker.body.w_a[3]", 1}}},
      {"an angle between bodies", "initial b.phi = -0.6", {{"b.phi", -0.6}}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s = with_library();
    REQUIRE_MESSAGE(s.run_text(four_bar() + row.conditions), rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = 0, .points = 1, .tolerance = 1e-10}), rendered(s));
    CHECK(gap(s) < 1e-9);
    for (const auto& [name, expected] : row.values) {
      CAPTURE(name);
      CHECK(std::fabs(*s.value(name, 0) - expected) < 1e-9);
    }
  }
}

TEST_CASE("loops: one that holds more than it needs runs with a note, and moves as one that does not") {
  Session needed = with_library();
  REQUIRE(needed.run_text(four_bar() + "initial a.phi = 1\ninitial a.w = 2"));
  REQUIRE(needed.simulate({.stop = 1, .tolerance = 1e-9}));
  CHECK(count(needed, "N0317") == 0);
  for (const char* joint : {"Revolute", "CutRevolute", "Revolute(n = {0, 0, -1})"}) {
    CAPTURE(joint);
    Session s = with_library();
    REQUIRE(s.run_text(four_bar(joint) + "initial a.phi = 1\ninitial a.w = 2"));
    REQUIRE_MESSAGE(s.simulate({.stop = 1, .tolerance = 1e-9}), rendered(s));
    REQUIRE(count(s, "N0317") == 1);
    for (const Diagnostic& d : s.diagnostics().list()) {
      if (d.code != "N0317") continue;
      for (const char* said : {".f[3]`", ".t[1]`", ".t[2]`"}) CHECK(d.message.find(said) != std::string::npos);
      CHECK(d.help.find("RevolutePlanarLoopConstraint") != std::string::npos);
      const auto names = [&](const char* what) {  // among the rows that follow from the others
        return std::ranges::any_of(d.notes, [&](const auto& note) { return note.text.find(what) != std::string::npos; });
      };
      if (std::string_view(joint) != "CutRevolute") CHECK((names(".R)[1]`") && names(".R)[2]`") && names(".r_0)[3]`")));
    }
    for (const char* name : {"a.phi", "b.phi", "d.w", "b.frame_b.f[1]"})
      CHECK(std::fabs(*s.value(name) - *needed.value(name)) < 1e-5 * (1 + std::fabs(*needed.value(name))));
  }
}

TEST_CASE("loops: those that cannot be closed are told of") {
  const struct {
    const char* name;
    std::string text;
    std::vector<const char*> said;
  } rows[] = {
      {"an offset across the plane", four_bar("Revolute", "{2, 0, 0.01}"), {"E0311", "closes a loop that does not fit", "0.01"}},
      {"a base that is too long", four_bar("Revolute", "{9, 0, 0}"), {"E0401", "b.phi"}},
      {"an axis that leans: no angles put this together", four_bar("Revolute(n = {0, 0.1, 1})"), {"E0401", "a.phi", "is off by"}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s = with_library();
    REQUIRE(s.run_text(row.text));
    CHECK_FALSE(s.simulate({.stop = 0.1}));
    check_said(s, row.said);
    CHECK(rendered(s).find("more than it needs") == std::string::npos);
  }
}

// Three cranks on one rod move because lengths are equal: by their number the constraints leave nothing free.
std::string coupled_wheels(const std::string& third, const std::string& connections) {
  return R"(use multibody
world : World
wheel[3] : Revolute(phi(start = 0.4, fixed = {k == 1 for k in 1:3}), w(start = 2, fixed = {k == 1 for k in 1:3}), useAxisFlange = true)
axle[3] : FixedTranslation(r = {{1.5 * (k - 1), 0, 0} for k in 1:3})
crank[3] : BodyShape(r = {0.3, 0, 0}, m = 10, I_33 = 0.5)
rod : BodyShape(r = {1.5, 0, 0}, r_CM = {0.75, 0, 0}, m = 3, I_33 = 0.4)
pin : Revolute(phi(start = -0.4))
cut : RevolutePlanarLoopConstraint
for k in 1:3
  connect world.frame_b, axle[k].frame_a
  connect axle[k].frame_b, wheel[k].frame_a
  connect wheel[k].frame_b, crank[k].frame_a
end
connect crank[1].frame_b, pin.frame_a
connect pin.frame_b, rod.frame_a
connect rod.frame_b, cut.frame_a
connect crank[2].frame_b, cut.frame_b
)" + third + "\n" + connections + "\n";
}
const std::string further_rod = "further : FixedTranslation(r = {1.5, 0, 0})\nlast : RevolutePlanarLoopConstraint\n"
                                "connect rod.frame_b, further.frame_a\nconnect crank[3].frame_b, last.frame_b\n";

TEST_CASE("loops: constraints that repeat others at equal lengths only are left out, and where they do not it is told what to look at") {
  Session unequal = with_library();
  std::string longer = further_rod;
  longer.replace(longer.find("1.5"), 3, "1.52");
  REQUIRE(unequal.run_text(coupled_wheels(longer, "connect further.frame_b, last.frame_a")));
  CHECK_FALSE(unequal.simulate({.stop = 0.1}));
  check_said(unequal, {"E0311", "constraints are counted here, and leave nothing free", "because lengths or other numbers are equal", "has to be taken out"});
  const struct {
    const char* name;
    std::string text;
  } rows[] = {{"equal lengths", coupled_wheels(further_rod, "connect further.frame_b, last.frame_a")},
              {"a slot", coupled_wheels(further_rod, "slot : Prismatic\nconnect further.frame_b, slot.frame_a\nconnect slot.frame_b, last.frame_a")},
              {"angles that agree", coupled_wheels("", "connect wheel[2].axis, wheel[3].axis")}};
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s = with_library();
    REQUIRE(s.run_text(row.text));
    REQUIRE_MESSAGE(s.simulate({.stop = 5, .tolerance = 1e-9}), rendered(s));
    CHECK(count(s, "N0316") == 0);
    CHECK(*s.value("wheel[1].phi") == doctest::Approx(0.884838).epsilon(1e-5));
    for (const char* name : {"wheel[2].phi", "wheel[3].phi"}) CHECK(std::fabs(std::remainder(*s.value(name) - *s.value("wheel[1].phi"), 2 * std::numbers::pi)) < 1e-6);
  }
}

TEST_CASE("mechanisms that lack a mass, or a motion, are told of: what, why and what to do") {
  const std::string begin = "use multibody\nworld : World\n";
  const struct {
    const char* name;
    std::string text;
    std::vector<const char*> said;
  } rows[] = {
      {"a chain that ends without a mass",
       "a, b : Revolute\narm : BodyShape(r = {1, 0, 0})\ntip : FixedTranslation(r = {1, 0, 0})\nconnect world.frame_b, a.frame_a\n"
       "connect a.frame_b, arm.frame_a\nconnect arm.frame_b, b.frame_a\nconnect b.frame_b, tip.frame_a\n",
       {"E0301", "`b.phi` may take any value", "nothing behind the joint has a mass", "a Body"}},
      {"a force that nothing gives", "s : Revolute\nb : Body(r_CM = {1, 0, 0})\nf : WorldForce\nconnect world.frame_b, s.frame_a\nconnect s.frame_b, b.frame_a, f.frame_b\n",
       {"E0301", "unknowns `f.force[1]`, ", "`f.force[1]` is an input that nothing gives", "connect the input"}},
      {"a frame to resolve in that is not connected",
       "s : Revolute\nb : Body(r_CM = {1, 0, 0})\nf : WorldForce(resolveInFrame = ResolveInFrameB.frame_resolve)\nf.force = {0, 1, 0}\n"
       "connect world.frame_b, s.frame_a\nconnect s.frame_b, b.frame_a, f.frame_b\n",
       {"E0301", "nothing is connected to `f.frame_resolve`"}},
      {"a joint that hangs on nothing", "s : Revolute\nb : BodyShape(r = {1, 0, 0})\nconnect s.frame_b, b.frame_a\n", {"E0301", "nothing is connected to `s.frame_a`"}},
      {"a torque on a joint that carries nothing",
       "a : Revolute(useAxisFlange = true)\nm : rotational.Torque\nm.tau = time\nconnect world.frame_b, a.frame_a\nconnect m.flange, a.axis\n",
       {"E0301", "unknowns `a.phi`, ", "a Body", "E0302", "too many equations: 1 for no unknown", "first mend what is too few"}},
      {"a torque by an equation where nothing is connected",
       "a : Revolute(useAxisFlange = true)\nb : Body(r_CM = {1, 0, 0})\na.axis.tau = 3\nconnect world.frame_b, a.frame_a\nconnect a.frame_b, b.frame_a\n",
       {"E0302", "nothing is connected to `a.axis`, so that `a.axis.tau` is zero", "connect there"}},
      {"an axis of length zero", "a : Revolute(n = {0, 0, 0})\nb : Body(r_CM = {1, 0, 0})\nconnect world.frame_b, a.frame_a\nconnect a.frame_b, b.frame_a\n",
       {"E0411", "`a.e[1]` is not a number", "text:3:1: in component `a`"}},
      {"a rod without a length",
       "j : Revolute\nb : BodyShape(r = {0.2, 0, 0})\nrod : SphericalSpherical(rodLength = 0)\ns : Prismatic(s(start = 1))\nm : Body\nconnect world.frame_b, j.frame_a, s.frame_a\n"
       "connect j.frame_b, b.frame_a\nconnect b.frame_b, rod.frame_a\nconnect s.frame_b, m.frame_a, rod.frame_b\n",
       {"E0413", "`rod`: the rod has no length"}},
      {"angles about an axis twice in a row", "a : AbsoluteAngles(sequence = {1, 1, 3})\nb : Body\nconnect a.frame_a, b.frame_a\n",
       {"E0413", "`a`: neighbours in sequence must be different"}},
      {"axes that are parallel",
       "a : Revolute\nb : Body(r_CM = {1, 0, 0})\nturn : FixedRotation(rotationType = TwoAxesVectors, n_y = {2, 0, 0})\n"
       "connect world.frame_b, turn.frame_a\nconnect turn.frame_b, a.frame_a\nconnect a.frame_b, b.frame_a\n",
       {"E0413", "`turn`: n_x and n_y must not be parallel", "this does not hold"}},
      {"a universal joint with parallel axes",
       "a : Universal(n_a = {1, 2, 3}, n_b = {2, 4, 6})\nb : Body(r_CM = {1, 0, 0})\nconnect world.frame_b, a.frame_a\nconnect a.frame_b, b.frame_a\n",
       {"E0413", "`a`: n_a and n_b must not be parallel", "does not hold"}},
      {"a universal joint along the rod",
       "a : UniversalSpherical(n1_a = {1, 0, 0})\nb : Body(r_CM = {1, 0, 0})\nconnect world.frame_b, a.frame_a\nconnect a.frame_b, b.frame_a\n",
       {"E0413", "`a`: n1_a and the direction of the rod must not be parallel"}},
      {"a plane whose direction is its normal",
       "a : Planar(n_x = {0, 0, 1})\nb : Body(r_CM = {1, 0, 0})\nconnect world.frame_b, a.frame_a\nconnect a.frame_b, b.frame_a\n",
       {"E0413", "`a`: n and n_x must not be parallel"}},
      {"an assembly that is too short",
       "crank : Revolute(phi(start = 0.4, fixed), w(start = 3, fixed))\narm : BodyShape(r = {0.3, 0, 0})\nbase : FixedTranslation(r = {3, 0, 0})\n"
       "j : JointRRR(rRod1_ia = {0.9, 0, 0}, rRod2_ib = {0, 0.5, 0})\nconnect world.frame_b, crank.frame_a, base.frame_a\nconnect crank.frame_b, arm.frame_a\n"
       "connect arm.frame_b, j.frame_a\nconnect base.frame_b, j.frame_b\n",
       {"at time 0", "parts are too short to close a loop"}},
      {"a slider without a mass", "s : Prismatic\nconnect world.frame_b, s.frame_a\n", {"E0301", "`s.s` may take any value", "a Body"}},
      {"a mass of zero", "body : Body(m = 0)\npush : WorldForce\npush.force = {1, 0, 0}\nconnect push.frame_b, body.frame_a\n",
       {"E0401", "`body.a_CM[1]` is infinite", "`body.m` is 0 in these equations"}},
      {"no mass and no inertia",
       "ball : Spherical\nbody : Body(m = 0, I_11 = 0, I_22 = 0, I_33 = 0, r_CM = {0.1, 0, 0})\nconnect world.frame_b, ball.frame_a\n"
       "connect ball.frame_b, body.frame_a\n",
       {"E0401", "singular matrix", "`body.m`", "`body.I_11`", "are 0 in these equations"}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s = with_library();
    REQUIRE(s.run_text(begin + row.text));
    CHECK_FALSE(s.simulate({.stop = 0.1}));
    check_said(s, row.said);
  }
}

// Of axes that are multiples of each other but for roundings the length of one is a number times that of the other, which has two signs in the
// fields.
TEST_CASE("loops: axes of one direction and different lengths turn the same way") {
  const auto run = [](const std::string& axis, std::vector<double>& found) {
    Session s = with_library();
    REQUIRE(s.run_text("use multibody\nworld : World\na : Revolute(n = {0, 0.5, 0.8660254037844386}, phi(start = 1.5, fixed), w(start = 0, fixed))\n"
                       "b : Revolute(n = {0, 0.5, 0.8660254037844386}, phi(start = 2))\nd : Revolute(n = {0, 0.5, 0.8660254037844386}, phi(start = 2.2))\n"
                       "c : Revolute(n = " + axis + ", useAxisFlange = true)\ndrive : rotational.ConstantTorque(tau_constant = 5)\n"
                       "p : BodyShape(r = {0.9, 0, 0})\nq : BodyShape(r = {1.8, 0, 0})\nr : BodyShape(r = {1.2, 0, 0})\nbase : FixedTranslation(r = {-1.6, 0, 0})\n"
                       "connect world.frame_b, a.frame_a, base.frame_a\nconnect a.frame_b, p.frame_a\nconnect p.frame_b, b.frame_a\nconnect b.frame_b, q.frame_a\n"
                       "connect q.frame_b, c.frame_a\nconnect c.frame_b, r.frame_b\nconnect base.frame_b, d.frame_a\nconnect d.frame_b, r.frame_a\n"
                       "connect drive.flange, c.axis\n"));
    REQUIRE_MESSAGE(s.simulate({.stop = 0.3, .tolerance = 1e-9}), rendered(s));
    for (const char* name : {"a.phi", "b.phi", "c.phi", "d.phi", "a.w"}) found.push_back(*s.value(name));
  };
  std::vector<double> same;
  run("{0, 0.5, 0.8660254037844386}", same);
  CHECK(std::fabs(std::remainder(same[0] + same[1] + same[2] - same[3], 2 * std::numbers::pi)) < 1e-7);
  for (const char* axis : {"{0, 0.5773502691896257, 1}", "{0, 1, 1.7320508075688772}", "{0, 0.25, 0.4330127018922193}"}) {
    CAPTURE(axis);
    std::vector<double> found;
    run(axis, found);
    for (std::size_t k = 0; k < same.size(); ++k) CHECK(found[k] == doctest::Approx(same[k]).epsilon(1e-6));
  }
}

// Where axes stay parallel or opposite, what says that they are so tells no turn from half a turn.
TEST_CASE("loops: one that could be closed by turning a part round is refused") {
  for (const char* turned : {"180 [deg]", "0"}) {
    CAPTURE(turned);
    Session s = with_library();
    REQUIRE(s.run_text("use multibody\nworld : World\na, b : Revolute\nbar : BodyShape(r = {1, 0, 0})\nflip : FixedRotation(n = {1, 0, 0}, angle = " + std::string(turned) +
                       ", r = {1, 0, 0})\nconnect world.frame_b, a.frame_a, flip.frame_a\nconnect a.frame_b, bar.frame_a\nconnect bar.frame_b, b.frame_a\n"
                       "connect b.frame_b, flip.frame_b\n"));
    CHECK(s.simulate({.stop = 0.1}) == (std::string(turned) == "0"));
    CHECK(count(s, "E0311") == (std::string(turned) == "0" ? 0 : 1));
  }
}

// What a loop leaves open is looked for among flows of its connectors; others, with fewer variables, stand behind them.
TEST_CASE("loops: one that is rigid is told of beside a part with other connectors") {
  Session s = with_library();
  REQUIRE(s.run_text("use multibody\nworld : World\na : Revolute(w(start = 0.5, fixed))\nla : BodyShape(r = {1, 0, 0})\nb : Revolute\nlb : BodyShape(r = {2, 0.2, 0})\n"
                     "c : Spherical\nlc : BodyShape(r = {1.5, 0, 0})\nd : Revolute(phi(start = 1))\nbase : FixedTranslation(r = {2, 0, 0})\n"
                     "connect world.frame_b, a.frame_a, base.frame_a\nconnect a.frame_b, la.frame_a\nconnect la.frame_b, b.frame_a\nconnect b.frame_b, lb.frame_a\n"
                     "connect lb.frame_b, c.frame_a\nconnect c.frame_b, lc.frame_b\nconnect lc.frame_a, d.frame_b\nconnect d.frame_a, base.frame_b\n"
                     "x : FixedRotation(n = {1, 0, 0}, angle = 0.3)\nconnect world.frame_b, x.frame_a\nconnect x.frame_b, a.frame_a\n"
                     "dm : rotational.SpringDamper(c = 3, d = 0.5)\n"));
  CHECK_FALSE(s.simulate({.stop = 0.1}));
  CHECK_FALSE(s.diagnostics().list().empty());
}

// A rigid frame: of six conditions that close it four repeat others, and two hold it.
TEST_CASE("loops: a bar between two hinges across each other stays where it is") {
  Session s = with_library();
  REQUIRE(s.run_text("use multibody\nworld : World\na : Revolute(n = {0, 1, 0})\nb : Revolute\nwall : Fixed(r = {1, 0, 0})\nbar : BodyShape(r = {1, 0, 0})\n"
                     "connect world.frame_b, a.frame_a\nconnect a.frame_b, bar.frame_a\nconnect bar.frame_b, b.frame_a\nconnect b.frame_b, wall.frame_b\n"));
  REQUIRE_MESSAGE(s.simulate({.stop = 0.1}), rendered(s));
  CHECK(count(s, "N0317") == 1);
  for (const char* angle : {"a.phi", "b.phi", "a.w", "b.w"}) CHECK(std::fabs(*s.value(angle)) < 1e-9);
  CHECK(*s.value("world.frame_b.f[2]") + *s.value("wall.frame_b.f[2]") == doctest::Approx(-9.80665));  // what the bar weighs
}

// Rank that structure does not show: where numbers do not either the message names the way out, and that way runs.
TEST_CASE("loops: redundancy that only numbers or positions show is found there, or explained") {
  // Crank, coupler and rocker in the plane across {1, 1, 1}, of which one axis is computed.
  const auto leaning = [](const std::string& joint) {
    return "use multibody\nworld : World(g = 0)\na : Revolute(n = {1, 1, 1}, phi(start = 0, fixed), w(start = 1, fixed))\n"
           "b, d : Revolute(n = {1, 1, 1})\nc : " + joint + "(n = {tan(0.5), tan(0.5), tan(0.5)})\n"
           "crank : BodyShape(r = {0.55, 0.27, -0.82})\ncoupler : BodyShape(r = {1.62, -1.21, -0.41})\n"
           "rocker : BodyShape(r = {0.28, 0.7, -0.98})\nbase : FixedTranslation(r = {1.89, -1.64, -0.25})\n"
           "connect world.frame_b, a.frame_a, base.frame_a\nconnect a.frame_b, crank.frame_a\nconnect crank.frame_b, b.frame_a\n"
           "connect b.frame_b, coupler.frame_a\nconnect coupler.frame_b, c.frame_a\nconnect c.frame_b, rocker.frame_b\n"
           "connect rocker.frame_a, d.frame_b\nconnect d.frame_a, base.frame_b\n";
  };
  const auto floating = [](const std::string& carrier) {
    std::string t = four_bar() + "plate : Body(r_CM = {0.2, 0, 0.1})\n" + carrier;
    const std::string held = "world.frame_b, a.frame_a, base.frame_a";
    return t.replace(t.find(held), held.size(), "plate.frame_a, a.frame_a, base.frame_a");
  };
  const char* planar = "RevolutePlanarLoopConstraint";
  Session computed = with_library(), told = with_library();
  for (const auto& [s, joint] : {std::pair{&computed, "Revolute"}, {&told, planar}}) {
    REQUIRE(s->run_text(leaning(joint)));
    REQUIRE_MESSAGE(s->simulate({.stop = 0.5, .tolerance = 1e-9}), rendered(*s));
  }
  for (const char* name : {"a.phi", "b.phi", "d.phi"}) CHECK(*computed.value(name) == doctest::Approx(*told.value(name)).epsilon(1e-6));
  // A loop that nothing holds falls as one that a FreeMotion carries, from where it starts.
  Session floats = with_library(), carried = with_library();
  REQUIRE_MESSAGE(floats.run_text(floating("")), rendered(floats));
  REQUIRE_MESSAGE(carried.run_text(floating("carrier : FreeMotion(angles_fixed = true)\nconnect world.frame_b, carrier.frame_a\nconnect carrier.frame_b, plate.frame_a\n")),
                  rendered(carried));
  for (Session* s : {&floats, &carried}) REQUIRE_MESSAGE(s->simulate({.stop = 0.5, .points = 5, .tolerance = 1e-9}), rendered(*s));
  for (const char* name : {"a.phi", "b.phi", "d.phi", "a.w"}) CHECK(*floats.value(name) == doctest::Approx(*carried.value(name)).epsilon(1e-7));
  for (const char* k : {"[1]", "[2]", "[3]"}) {
    const std::string name = std::string("plate.r_0") + k;
    CHECK(*floats.value(name) - *floats.value(name, 0) == doctest::Approx(*carried.value(name) - *carried.value(name, 0)).epsilon(1e-7));
  }
}

// The four-bar on what `carrier` holds, an instance called carrier with frames of a joint.
std::string carried(const std::string& carrier, const std::string& joint) {
  std::string t = four_bar(joint) + "carrier : " + carrier + "\nplate : Body(r_CM = {0.2, 0, 0.1}, m = 3)\nworld.g := 9.81\n";
  const std::string held = "world.frame_b, a.frame_a, base.frame_a";
  return t.replace(t.find(held), held.size(), "world.frame_b, carrier.frame_a\nconnect carrier.frame_b, plate.frame_a, a.frame_a, base.frame_a") +
         "initial a.phi = 1\ninitial a.w = 2\n";
}

// In the world's coordinates another combination of its equations repeats the rest at each moment.
TEST_CASE("loops: a plane loop that something carries about moves as with the joint that leaves nothing open") {
  const struct {
    const char* name;
    const char* carrier;
  } rows[] = {
      {"a turntable", "Revolute(n = {0, 1, 0}, w(start = 1, fixed))"},
      {"a hinge along the bars", "Revolute(n = {1, 0, 0}, phi(start = 0.4, fixed), w(start = 1, fixed))"},
      {"a hinge along the axes", "Revolute(n = {0, 0, 1}, w(start = 1, fixed))"},
      {"a slider", "Prismatic(n = {0, 1, 0}, v(start = 1, fixed))"},
      {"a universal joint", "Universal(phi_a(start = 0.3, fixed), phi_b(start = 0.2, fixed), w_a(start = 1, fixed), w_b(start = 0, fixed))"},
      {"a ball joint", "Spherical(angles_fixed = true, angles_start = {0.1, 0.2, 0.3}, w_rel_a_fixed = true)"},
      {"nothing, in flight", "FreeMotion(angles_fixed = true, angles_start = {0.1, 0.2, 0.3}, w_rel_a_fixed = true, r_rel_a(start = {0, 0, 0}, fixed), v_rel_a(start = {1, 2, 3}, fixed))"},
      {"a turned base", "FixedRotation(n = {0, 1, 0}, angle = 0.3)"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s = with_library(), needed = with_library();
    REQUIRE(s.run_text(carried(row.carrier, "Revolute")));
    REQUIRE(needed.run_text(carried(row.carrier, "RevolutePlanarLoopConstraint")));
    REQUIRE_MESSAGE(s.simulate({.stop = 0.5, .tolerance = 1e-9}), rendered(s));
    REQUIRE_MESSAGE(needed.simulate({.stop = 0.5, .tolerance = 1e-9}), rendered(needed));
    CHECK(count(s, "N0317") == 1);
    for (const char* name : {"a.phi", "b.w", "d.phi", "rocker.frame_b.r_0[1]", "rocker.frame_b.r_0[2]", "rocker.frame_b.r_0[3]", "plate.frame_a.f[1]"})
      CHECK_MESSAGE(std::fabs(*s.value(name) - *needed.value(name)) < 1e-6 * (1 + std::fabs(*needed.value(name))), name);
  }
}

TEST_CASE("loops: several plane loops on each other, in different planes, and one whose parts do not fit") {
  // A second four-bar across the plane of the first one, on its coupler.
  const auto two = [](const std::string& joint) {
    return carried("Revolute(n = {0, 1, 0}, w(start = 1, fixed))", joint) +
           "a2, b2, d2 : Revolute(n = {1, 0, 0})\nc2 : " + joint + "(n = {1, 0, 0})\ncrank2 : BodyShape(r = {0, 0.4, 0}, r_CM = {0, 0.2, 0})\n"
           "coupler2 : BodyShape(r = {0, 0.8, 0}, r_CM = {0, 0.4, 0})\nrocker2 : BodyShape(r = {0, 0.6, 0}, r_CM = {0, 0.3, 0})\n"
           "base2 : FixedTranslation(r = {0, 0.8, 0})\nconnect coupler.frame_b, a2.frame_a, base2.frame_a\nconnect a2.frame_b, crank2.frame_a\n"
           "connect crank2.frame_b, b2.frame_a\nconnect b2.frame_b, coupler2.frame_a\nconnect coupler2.frame_b, c2.frame_a\n"
           "connect c2.frame_b, rocker2.frame_b\nconnect rocker2.frame_a, d2.frame_b\nconnect d2.frame_a, base2.frame_b\n"
           "a2.phi.start := 0.7\nb2.phi.start := -0.4\nd2.phi.start := 0.9\ninitial a2.phi = 1\ninitial a2.w = 1\n";
  };
  Session s = with_library(), needed = with_library();
  REQUIRE(s.run_text(two("Revolute")));
  REQUIRE(needed.run_text(two("RevolutePlanarLoopConstraint")));
  REQUIRE_MESSAGE(s.simulate({.stop = 0.5, .tolerance = 1e-9}), rendered(s));
  REQUIRE_MESSAGE(needed.simulate({.stop = 0.5, .tolerance = 1e-9}), rendered(needed));
  for (const char* name : {"a.phi", "d.w", "a2.phi", "d2.w", "rocker2.frame_b.r_0[1]", "rocker2.frame_b.r_0[3]"})
    CHECK_MESSAGE(std::fabs(*s.value(name) - *needed.value(name)) < 1e-6 * (1 + std::fabs(*needed.value(name))), name);
  Session misfit = with_library();
  REQUIRE(misfit.run_text(carried("Revolute(n = {0, 1, 0}, w(start = 1, fixed))", "Revolute") + "base.r := {2, 0, 0.01}"));
  CHECK_FALSE(misfit.simulate({.stop = 0.1}));
  check_said(misfit, {"E0311", "closes a loop that does not fit", "0.01"});
}

// Joints have start speeds of their own, 0. The one that the model names counts, whichever joint it is of.
TEST_CASE("loops: a start value that is told goes before a library's 0") {
  for (const char* joint : {"a", "b", "d"}) {
    CAPTURE(joint);
    Session s = with_library();
    REQUIRE(s.run_text(four_bar() + joint + ".w.start := 1.3"));
    REQUIRE_MESSAGE(s.simulate({.stop = 0.01}), rendered(s));
    CHECK(std::fabs(*s.value(std::string(joint) + ".w", 0) - 1.3) < 1e-9);
  }
}

// Sarrus' linkage: a platform on two chains of three hinges each, one about z and one about x. The loop has six hinges and moves, so it holds
// one reaction too many. Cut at its far side it is solved, in whatever order it is written.
TEST_CASE("loops: two chains of hinges, across each other") {
  const auto sarrus = [](const std::string& joint) {
    return std::vector<std::string>{
        "world : World", "a1 : Revolute(phi(start = 0.9, fixed), w(start = 1, fixed))", "a2 : Revolute(phi(start = 1.341592653589793))",
        "a3 : " + joint, "b1 : Revolute(n = {1, 0, 0}, phi(start = -0.9))", "b2 : Revolute(n = {1, 0, 0}, phi(start = -1.341592653589793))",
        "b3 : Revolute(n = {1, 0, 0}, phi(start = 2.241592653589793))", "a_low : BodyShape(r = {0.5, 0, 0}, r_CM = {0.2, 0, 0})",
        "a_up : BodyShape(r = {0.5, 0, 0}, r_CM = {0.2, 0, 0})", "b_low : BodyShape(r = {0, 0, 0.5}, r_CM = {0, 0, 0.2})",
        "b_up : BodyShape(r = {0, 0, 0.5}, r_CM = {0, 0, 0.2})", "plat : BodyShape(r = {0, 0, 0.3}, r_CM = {0.1, 0.05, 0.1})",
        "g : FixedTranslation(r = {0, 0, 0.3})", "connect world.frame_b, g.frame_a", "connect a1.frame_a, world.frame_b",
        "connect a3.frame_a, a_up.frame_b", "connect plat.frame_b, b3.frame_b", "connect a_up.frame_a, a2.frame_b",
        "connect b1.frame_b, b_low.frame_a", "connect a1.frame_b, a_low.frame_a", "connect a_low.frame_b, a2.frame_a",
        "connect b2.frame_a, b_low.frame_b", "connect plat.frame_a, a3.frame_b", "connect g.frame_b, b1.frame_a",
        "connect b3.frame_a, b_up.frame_b", "connect b2.frame_b, b_up.frame_a"};
  };
  const auto text = [](const std::vector<std::string>& statements) {
    std::string t = "use multibody\n";
    for (const std::string& s : statements) t += s + "\n";
    return t;
  };
  Session needed = with_library();
  REQUIRE(needed.run_text(text(sarrus("Universal(n_a = {0, 0, 1}, n_b = {0, 1, 0}, phi_a(start = -2.241592653589793))"))));
  REQUIRE_MESSAGE(needed.simulate({.stop = 0.5, .tolerance = 1e-9}), rendered(needed));
  std::vector<std::string> statements = sarrus("Revolute(phi(start = -2.241592653589793))");
  std::mt19937 random(7);
  for (int order = 0; order < 4; ++order) {
    CAPTURE(order);
    Session s = with_library();
    REQUIRE(s.run_text(text(statements)));
    REQUIRE_MESSAGE(s.simulate({.stop = 0.5, .tolerance = 1e-9}), rendered(s));
    CHECK(count(s, "N0317") == 1);
    for (const char* name : {"a1.phi", "b2.w", "plat.frame_a.r_0[2]"})
      CHECK(std::fabs(*s.value(name) - *needed.value(name)) < 1e-5 * (1 + std::fabs(*needed.value(name))));
    std::shuffle(statements.begin(), statements.end(), random);
  }
}

// The ball leaves the torques open, and the force across the plane alone is told by nothing.
TEST_CASE("loops: a plane one with a ball joint in it holds one reaction too many") {
  Session needed = with_library();
  REQUIRE(needed.run_text(four_bar() + "initial a.phi = 1\ninitial a.w = 2"));
  REQUIRE(needed.simulate({.stop = 0.5, .tolerance = 1e-9}));
  Session s = with_library();
  REQUIRE(s.run_text(four_bar("Spherical") + "initial a.phi = 1\ninitial a.w = 2"));
  REQUIRE_MESSAGE(s.simulate({.stop = 0.5, .tolerance = 1e-9}), rendered(s));
  for (const Diagnostic& d : s.diagnostics().list())
    if (d.code == "N0317") CHECK((d.message.find(".f[3]`") != std::string::npos && d.message.find(".t[") == std::string::npos));
  CHECK(count(s, "N0317") == 1);
  for (const char* name : {"a.phi", "b.phi", "d.w", "b.frame_b.f[1]"})
    CHECK(std::fabs(*s.value(name) - *needed.value(name)) < 1e-5 * (1 + std::fabs(*needed.value(name))));
}

// Whichever it is, in a tree or of a loop: the same two connectors, or two that others connect already.
TEST_CASE("loops: a connection that is written twice changes nothing") {
  const std::vector<std::string> connections = {"world.frame_b, a.frame_a", "a.frame_b, crank.frame_a", "crank.frame_b, b.frame_a",   "b.frame_b, coupler.frame_a", "coupler.frame_b, c.frame_a",
                                                "c.frame_b, rocker.frame_b", "world.frame_b, base.frame_a", "base.frame_b, d.frame_a", "d.frame_b, rocker.frame_a", "crank.frame_b, arm.frame_a"};
  std::string text = R"(use multibody
world : World
a : Revolute(phi(start = 0.7, fixed), w(start = 1, fixed))
b : Revolute(phi(start = -0.4))
c : RevolutePlanarLoopConstraint
d : Revolute(phi(start = 0.9))
crank, arm : BodyShape(r = {1, 0, 0})
coupler : BodyShape(r = {2, 0, 0})
rocker : BodyShape(r = {1.5, 0, 0})
base : FixedTranslation(r = {2, 0, 0})
)";
  for (const std::string& c : connections) text += "connect " + c + "\n";
  const auto speed = [](Session& s) {
    REQUIRE_MESSAGE(s.simulate({.stop = 0.1, .points = 2, .tolerance = 1e-8}), rendered(s));
    return s.value("a.w").value();
  };
  Session once = with_library();
  REQUIRE(once.run_text(text));
  const double expected = speed(once);
  for (const std::string& c : connections) {
    const auto comma = c.find(", ");
    CAPTURE(c);
    Session s = with_library();
    REQUIRE(s.run_text(text + "connect " + c.substr(comma + 2) + ", " + c.substr(0, comma) + "\n"));
    CHECK(has_code(s, "W0211"));
    CHECK(std::fabs(speed(s) - expected) < 1e-9);
  }
  Session s = with_library();
  REQUIRE(s.run_text(text + "connect b.frame_a, arm.frame_a\n"));
  CHECK(std::fabs(speed(s) - expected) < 1e-9);
}

TEST_CASE("joints: whoever connects a flange that is not there is told, and that it has to be asked for") {
  const auto text = [](const char* flange, const char* more) {
    return std::string("use multibody\nworld : World\ns : Revolute") + flange + "\nt : rotational.Torque\nb : BodyShape(r = {1, 0, 0})\nconnect world.frame_b, s.frame_a\n"
           "connect s.frame_b, b.frame_a\nconnect t.flange, s.axis\nt.tau = 5\n" + more;
  };
  Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  s.run_text(text("", ""));
  CHECK(has_code(s, "W0212"));
  Session good({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  REQUIRE_MESSAGE(good.run_text(text("(useAxisFlange = true)", "parameter more : Boolean = false @structure\nextra : Body if more\nconnect extra.frame_a, b.frame_b\n")), rendered(good));
  CHECK(!has_code(good, "W0212"));  // of the model's own component the model knows
  REQUIRE_MESSAGE(good.analysis().complete, rendered(good));
}

// A connector that nothing is connected to has no forces, which a sensor says of it, too: not worth a warning each beside the error.
TEST_CASE("sensors: a frame that nothing is connected to is told of once") {
  Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  s.run_text("use multibody\nworld : World\nj : Revolute(w(start = 1))\nb : Body(m = 1, r_CM = {1, 0, 0})\na : AbsoluteVelocity(resolveInFrame = ResolveInFrameA.frame_resolve)\n"
             "connect world.frame_b, j.frame_a\nconnect j.frame_b, b.frame_a, a.frame_a\n");
  CHECK(!s.simulate({.stop = 1}));
  CHECK(codes(s) == "E0301");
  CHECK(rendered(s).find("nothing is connected to `a.frame_resolve`") != std::string::npos);
}

// [MSL JointRRP, JointUSP, JointUSR]
TEST_CASE("joints: the axes and rods of assemblies are MSL's where nothing else is said") {
  Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  REQUIRE(s.run_text("use multibody\nworld : World\ncrank : Revolute\narm : BodyShape(r = {0.3, 0, 0})\nrrp : JointRRP(s_guess = -0.7)\npiston : Body\n"
                     "connect world.frame_b, crank.frame_a, rrp.frame_b\nconnect crank.frame_b, arm.frame_a\nconnect arm.frame_b, rrp.frame_a\nconnect rrp.frame_ib, piston.frame_a\n"));
  REQUIRE_MESSAGE(s.simulate({.stop = 0.1}), rendered(s));
  CHECK(s.value("rrp.n_b[1]").value() == -1);
  CHECK(s.value("rrp.rRod2_ib[1]").value() == -1);
  CHECK(std::fabs(s.value("rrp.frame_ib.r_0[3]").value()) < 1e-9);  // in the loop's plane
  CHECK(std::fabs(s.value("rrp.frame_ib.r_0[2]").value()) < 1e-9);
}
