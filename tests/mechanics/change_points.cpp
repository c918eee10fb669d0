// Positions where the bars of a loop lie in one line, so that its motion may branch off, with events at and near them: the way on is told by
// what moves the loop (engine/code/newton.hpp), slopes and events there are taken from beside (engine/simulate/rough_places.hpp).
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

Session new_session() { return Session({.library_path = {KRON_SOURCE_DIR "/stdlib"}}); }

// Cranks of 0.5 with a coupler of 1, all of them slender, over a base of 1; x is the angle of a body that moves as they do.
std::string row_of_bars(const std::string& crank) {
  return "use multibody\nparameter g = 3\nworld : World(g = g)\n"
         "a : Revolute(phi(start = 1, fixed), w(start = 3, fixed)" + crank + ")\nb : Revolute(phi(start = -1))\nd : Revolute(phi(start = 1))\n"
         "cut : RevolutePlanarLoopConstraint\nbase : FixedTranslation(r = {1, 0, 0})\n"
         "la, ld : BodyShape(r = {0.5, 0, 0}, r_CM = {0.25, 0, 0}, m = 1, I_33 = 0.02)\nlb : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, m = 1, I_33 = 0.02)\n"
         "connect world.frame_b, a.frame_a, base.frame_a\nconnect base.frame_b, d.frame_a\nconnect a.frame_b, la.frame_a\nconnect la.frame_b, b.frame_a\n"
         "connect b.frame_b, lb.frame_a\nconnect d.frame_b, ld.frame_a\nconnect lb.frame_b, cut.frame_a\nconnect ld.frame_b, cut.frame_b\n"
         "variable x(start = 1, fixed)\nvariable v(start = 3, fixed) = der(x)\n"
         "(2 * (0.02 + 0.25^2) + 0.5^2) * der(v) = -g * (2 * 0.25 + 0.5) * cos(x)\n";
}

// Bars of 1, in halves; 800 N push the foot of one of them, which a brake holds, towards the other's.
std::string scissors(int stages) {
  std::string t = R"(use multibody
model Stage
  left, right, upper_left, upper_right : Frame
  p, q : BodyShape(r = {0.5, 0, 0}, r_CM = {0.25, 0, 0}, m = 1, I_33 = 0.02)
  u, v : BodyShape(r = {-0.5, 0, 0}, r_CM = {-0.25, 0, 0}, m = 1, I_33 = 0.02)
  pin : RevolutePlanarLoopConstraint
  connect left, p.frame_a
  connect p.frame_b, q.frame_a, pin.frame_a
  connect q.frame_b, upper_right
  connect right, u.frame_a
  connect u.frame_b, v.frame_a, pin.frame_b
  connect v.frame_b, upper_left
end
parameter push = 800
parameter hold = 30
world : World
j0 : Revolute(phi(start = 0.5, fixed), w(start = 0, fixed))
slide : Prismatic(s(start = 0.88), useAxisFlange = true)
k0 : Revolute(phi(start = -0.5))
connect world.frame_b, j0.frame_a, slide.frame_a
connect slide.frame_b, k0.frame_a
force : translational.Force
force.f = -push
brake : translational.Brake(fn_max = hold)
brake.f_normalized = 1
connect force.flange, slide.axis, brake.flange_a
variable lost(start = 0, fixed)
der(lost) = brake.lossPower
variable across = sin(j0.phi) * j0.w
variable up = cos(j0.phi) * j0.w
)";
  for (int k = 0; k < stages; ++k) {
    const std::string n = std::to_string(k), next = std::to_string(k + 1);
    t += "s" + n + " : Stage\nconnect j" + n + ".frame_b, s" + n + ".left\nconnect k" + n + ".frame_b, s" + n + ".right\n";
    if (k + 1 == stages) break;
    t += "j" + next + " : Revolute(phi(start = 1))\nk" + next + " : Revolute(phi(start = -1))\n" +
         "connect s" + n + ".upper_left, j" + next + ".frame_a\nconnect s" + n + ".upper_right, k" + next + ".frame_a\n";
  }
  const std::string n = std::to_string(stages);
  return t + "variable E = 0.5 * (2 * " + n + " * (1/16 + 9/16) * across^2 + 2 * sum((i + 1/4)^2 + (i + 3/4)^2 for i in 0:" + std::to_string(stages - 1) +
         ") * up^2) + 0.5 * 4 * " + n + " * 0.02 * j0.w^2 + 9.80665 * 2 * sum(2*i + 1 for i in 0:" + std::to_string(stages - 1) +
         ") * sin(j0.phi) + push * slide.s + lost\n";
}

void check_bars(Session& s, double tolerance) {
  const bool ran = s.simulate({.stop = 5, .tolerance = tolerance});
  CHECK_MESSAGE(ran, rendered(s));
  if (!ran) return;
  const double most = 3000 * tolerance;  // over eight passes
  CHECK(std::abs(*s.value("a.phi") - *s.value("x")) < most);
  CHECK(std::abs(*s.value("d.phi") - *s.value("x")) < most);
  CHECK(std::abs(*s.value("a.w") - *s.value("v")) < most);
  CHECK(std::abs(*s.value("d.w") - *s.value("v")) < most);
  CHECK(std::abs(*s.value("b.w") + *s.value("v")) < most);
}

}  // namespace

TEST_CASE("change points: a parallelogram with an event at or beside the line of its bars stays one") {
  const struct {
    std::string name;
    std::string condition;
  } rows[] = {{"an angle", "a.phi > pi + off"},     {"the other crank's", "d.phi > pi + off"}, {"the coupler's, against them", "b.phi < -pi - off"},
              {"at each turn", "sin(a.phi) < -off"}, {"a place", "lb.frame_a.r_0[2] < -off / 2"}};
  for (const std::string crank : {"", ", stateSelect = always"})
    for (const auto& row : rows) {
      CAPTURE(crank);
      CAPTURE(row.name);
      Session s = new_session();
      REQUIRE_MESSAGE(s.run_text(row_of_bars(crank) + "parameter off = 0\ndiscrete met(start = 0, fixed)\nwhen " + row.condition + "\n  met = pre(met) + 1\nend\n"), rendered(s));
      for (const std::string g : {"0", "3"})
        for (const std::string off : {"0", "1e-10", "1e-7", "-1e-7", "1e-6", "-1e-6", "1e-5", "-1e-5", "1e-4", "-1e-4", "-1e-3", "1e-2"}) {
          CAPTURE(g);
          CAPTURE(off);
          REQUIRE(s.run_text("g := " + g + "\noff := " + off));
          for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
            CAPTURE(tolerance);
            check_bars(s, tolerance);
            CHECK(*s.value("met") >= 1);
          }
        }
    }
}

// Crank and base of 1, coupler and rocker of 2, which lie on each other where the crank is in line with the base.
TEST_CASE("change points: a kite that is counted at its fold, or beside it, keeps its energy and its form") {
  const std::string kite =
      "use multibody\nworld : World(gravityType = NoGravity)\na : Revolute(phi(start = 1, fixed), w(start = -2.7, fixed))\nb : Revolute(phi(start = -1))\n"
      "c : RevolutePlanarLoopConstraint\nd : Revolute(phi(start = 0.75))\ncrank : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, I_33 = 0.02)\n"
      "coupler, rocker : BodyShape(r = {2, 0, 0}, r_CM = {1, 0, 0}, I_33 = 0.02)\nbase : FixedTranslation(r = {1, 0, 0})\n"
      "connect world.frame_b, a.frame_a, base.frame_a\nconnect a.frame_b, crank.frame_a\nconnect crank.frame_b, b.frame_a\nconnect b.frame_b, coupler.frame_a\n"
      "connect coupler.frame_b, c.frame_a\nconnect c.frame_b, rocker.frame_b\nconnect base.frame_b, d.frame_a\nconnect d.frame_b, rocker.frame_a\n"
      "variable v[3] = (coupler.frame_a.R.T' * coupler.frame_a.motion.v + coupler.frame_b.R.T' * coupler.frame_b.motion.v) / 2\n"
      "variable E = ((0.02 + 0.5^2) * a.w^2 + (0.02 + 1) * d.w^2 + 0.02 * (a.w + b.w)^2 + v * v) / 2\n";
  for (const std::string threshold : {"0", "-1e-8", "3e-8", "-3e-8", "1e-7", "-1e-6", "1e-4"})
    for (const double tolerance : {1e-5, 1e-7, 1e-8}) {
      CAPTURE(threshold);
      CAPTURE(tolerance);
      Session s = new_session();
      REQUIRE_MESSAGE(s.run_text(kite + "discrete met(start = 0, fixed)\nwhen a.phi < " + threshold + "\n  met = pre(met) + 1\nend\n"), rendered(s));
      REQUIRE_MESSAGE(s.simulate({.stop = 1.5, .tolerance = tolerance}), rendered(s));
      CHECK(s.value("met") == 1);
      CHECK(s.value("E").value() == doctest::Approx(s.value("E", 0.0).value()).epsilon(20 * tolerance));
      CHECK(s.value("a.phi").value() == doctest::Approx(-3.27225).epsilon(1e-4));
    }
}

TEST_CASE("change points: sampled, however often, and at a moment where bars are in one line") {
  for (const std::string crank : {"", ", stateSelect = always"}) {
    CAPTURE(crank);
    Session s = new_session();
    REQUIRE_MESSAGE(s.run_text(row_of_bars(crank) + "parameter period = 0.01\nparameter first = 0\ndiscrete n(start = 0, fixed)\nwhen sample(first, period)\n  n = pre(n) + 1\nend\n"), rendered(s));
    for (const std::string g : {"0", "3"})
      for (const std::string period : {"0.01", "0.003", "0.001"}) {
        CAPTURE(g);
        CAPTURE(period);
        REQUIRE(s.run_text("g := " + g + "\nperiod := " + period));
        check_bars(s, 1e-6);
        check_bars(s, 1e-8);
      }
    REQUIRE(s.run_text("g := 0\nperiod := 10"));
    for (const double off : {0.0, 1e-8, -1e-8, 1e-6, -1e-6, 1e-4, -1e-4}) {
      CAPTURE(off);
      REQUIRE(s.run_text("first := " + std::to_string((std::numbers::pi - 1) / 3) + " + " + std::to_string(1e9 * off) + "e-9"));
      check_bars(s, 1e-6);
      check_bars(s, 1e-8);
    }
  }
}

TEST_CASE("change points: scissors fold flat, where the friction at their foot turns round, and keep their energy but for what it took") {
  for (const int stages : {1, 2, 3}) {
    CAPTURE(stages);
    Session s = new_session();
    REQUIRE_MESSAGE(s.run_text(scissors(stages)), rendered(s));
    for (const std::string hold : {"0", "0.003", "30"}) {
      CAPTURE(hold);
      REQUIRE(s.run_text("hold := " + hold));
      for (const double tolerance : {1e-6, 1e-9}) {
        CAPTURE(tolerance);
        const bool ran = s.simulate({.stop = 2, .tolerance = tolerance});
        CHECK_MESSAGE(ran, rendered(s));
        if (!ran) continue;
        CHECK(*s.value("E") == doctest::Approx(*s.value("E", 0.0)).epsilon(1000 * tolerance));
      }
    }
  }
}

TEST_CASE("change points: outputs at and beside the line of bars are those of a crank that turns evenly") {
  Session s = new_session();
  std::string text = row_of_bars(", useAxisFlange = true");
  text.replace(text.find("start = 1, fixed), w(start = 3, fixed)"), 38, "start = 0.7853981633974483, fixed)");
  for (const char* joint : {"b : Revolute(phi(start = -1", "d : Revolute(phi(start = 1"}) {
    const std::size_t at = text.find(joint) + std::string(joint).size() - 1;
    text.replace(at, 1, "0.7853981633974483");
  }
  REQUIRE_MESSAGE(s.run_text(text + "drive : rotational.ConstantSpeed(w_fixed = 6.283185307179586)\nconnect drive.flange, a.axis\n"), rendered(s));
  REQUIRE_MESSAGE(s.simulate({.stop = 3, .points = 481}), rendered(s));  // the bars are in one line at 60, 140, 220, ... of them
  for (int k = 0; k <= 480; ++k)
    for (const double off : {0.0, 1e-7, 1e-4, 1e-3, 0.004}) {
      const double t = std::min(k * 3.0 / 480 + off, 3.0), angle = std::numbers::pi / 4 + 2 * std::numbers::pi * t;
      CAPTURE(t);
      CHECK(std::abs(*s.value("d.phi", t) - angle) < 1e-6);
      CHECK(std::abs(*s.value("d.w", t) - 2 * std::numbers::pi) < 1e-4);
      CHECK(std::abs(*s.value("a.tau", t) - 3 * std::cos(angle)) < 1e-2);
    }
}
