// Plane loops in planes that no coordinate axis is normal to: which axes are parallel is what numbers say.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

using Vector = std::array<double, 3>;

std::string vector_text(const Vector& v) {
  char t[100];
  std::snprintf(t, sizeof t, "{%.17g, %.17g, %.17g}", v[0], v[1], v[2]);
  return t;
}

Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vector unit(const Vector& a) {
  const double length = std::hypot(a[0], a[1], a[2]);
  return {a[0] / length, a[1] / length, a[2] / length};
}

// Two directions in the plane with this normal, the second one up.
struct NormalPlane {
  Vector u, v;
  explicit NormalPlane(const Vector& normal) {
    const Vector n = unit(normal);
    u = unit(cross(std::fabs(n[0]) < 0.9 ? Vector{0, n[2], -n[1]} : Vector{-n[1], n[0], 0}, n));
    v = cross(n, u);
  }
  std::string at(double x, double y) const { return vector_text({x * u[0] + y * v[0], x * u[1] + y * v[1], x * u[2] + y * v[2]}); }
};

std::string four_bar(const NormalPlane& p, const std::array<std::string, 4>& axes, const std::string& closing = "Revolute", const std::string& before = "") {
  const auto body = [&](const char* name, double x, double y) {
    return std::string(name) + " : BodyShape(r = " + p.at(x, y) + ", r_CM = " + p.at(x / 2, y / 2) + ", m = 1, I_11 = 0.1, I_22 = 0.1, I_33 = 0.1)\n";
  };
  return "use multibody\n" + before + "world : World(n = " + p.at(0, -1) + ")\nj1 : Revolute(n = " + axes[0] + ", phi(start = 0.1))\nj2 : Revolute(n = " + axes[1] +
         ")\nj3 : Revolute(n = " + axes[2] + ")\nj4 : " + closing + "(n = " + axes[3] + ")\n" + body("crank", 0, 0.5) + body("rod", 1, 0.3) + body("rocker", 0, 0.8) +
         "base : FixedTranslation(r = " + p.at(1, 0) + R"()
connect world.frame_b, j1.frame_a, base.frame_a
connect j1.frame_b, crank.frame_a
connect crank.frame_b, j2.frame_a
connect j2.frame_b, rod.frame_a
connect base.frame_b, j3.frame_a
connect j3.frame_b, rocker.frame_a
connect rocker.frame_b, j4.frame_a
connect j4.frame_b, rod.frame_b
)";
}
std::string four_bar(const NormalPlane& p, const std::string& axis, const std::string& closing = "Revolute") { return four_bar(p, {axis, axis, axis, axis}, closing); }

struct Loaded : Session {
  explicit Loaded(const std::string& text) : Session(elaborate::Settings{.library_path = {KRON_SOURCE_DIR "/stdlib"}}) {
    REQUIRE_MESSAGE(run_text(text), rendered(*this));
  }
  double run(const char* name) {
    REQUIRE_MESSAGE(simulate({.stop = 1, .points = 5, .tolerance = 1e-9}), rendered(*this));
    return value(name).value();
  }
  std::size_t degrees() { return analysis().states.size(); }
};

constexpr double tilt = 0.4;
const Vector tilted = {0, -std::sin(tilt), std::cos(tilt)};
double flat_angle() {
  static const double angle = Loaded(four_bar(NormalPlane({0, 0, 1}), "{0, 0, 1}")).run("j1.phi");
  return angle;
}

}  // namespace

TEST_CASE("parallel axes: a plane four-bar moves in any plane as with the joint that leaves nothing open") {
  for (const Vector& n : {Vector{0, 0, 1}, Vector{0, 0.6, 0.8}, Vector{1, 1, 1}, Vector{1, 1, 0}, Vector{0.3, -0.2, 0.7}, Vector{0, 3, 4}, Vector{0.1, 1, 0.3},
                          Vector{2, 0, 0}, Vector{-1, 2, 3}, Vector{0.5773502691896258, 0.5773502691896258, 0.5773502691896258}}) {
    CAPTURE(vector_text(n));
    Loaded needs_less(four_bar(NormalPlane(n), vector_text(n), "RevolutePlanarLoopConstraint")), revolute(four_bar(NormalPlane(n), vector_text(n)));
    CHECK(revolute.degrees() == 2);
    CHECK(std::fabs(revolute.run("j1.phi") - needs_less.run("j1.phi")) < 1e-6);
    CHECK(std::ranges::count(revolute.analysis().diagnostics.list(), "N0317", &Diagnostic::code) == 1);
    if (n[0] * n[1] == 0) CHECK(std::fabs(std::fabs(revolute.value("j1.phi").value()) - flat_angle()) < 1e-6);
  }
}

// A coordinate that nobody wants as a state gives the elements of its joint's rotation all the same (LevelPoint::give).
TEST_CASE("parallel axes: a plane four-bar moves in any plane whichever of its joints are to be states") {
  const char* const wishes[] = {"never", "avoid", "default", "prefer"};
  for (const char* wish : wishes)
    for (const char* joints : {"j1", "j2", "j3", "j1 j2 j3"}) {
      CAPTURE(std::string(wish));
      CAPTURE(std::string(joints));
      for (const char* closing : {"Revolute", "CutRevolute"}) {
        std::string t = four_bar(NormalPlane(tilted), vector_text(tilted), closing);
        const std::string start = "phi(start = 0.1)";
        t.replace(t.find(start), start.size(), "phi(start = 0.1, fixed), w(fixed)");
        for (const char* joint : {"j1", "j2", "j3"})
          if (std::string(joints).find(joint) != std::string::npos) t += std::string(joint) + ".stateSelect := " + wish + "\n";
        Loaded s(t);
        CHECK(s.degrees() == 2);
        CHECK(std::fabs(std::fabs(s.run("j1.phi")) - flat_angle()) < 1e-6);
      }
    }
}

// Elements of any size: of a rotation's equations the one of the largest stays, and no force acts along the axis where nothing tells it.
TEST_CASE("parallel axes: the reactions are those of a plane loop, too") {
  const std::string turntable = "carrier : Revolute(n = {1, 0, 0}, phi(start = 0.2), w(start = 0.5))\nplate : Body(m = 3, r_CM = {0.2, 0.1, 0.3})\n";
  for (const Vector& n : {Vector{0.02, 0, 1}, Vector{0.5, 0, 1}, Vector{0.001, 0.3, 1}, Vector{0, 1, 6.1e-17}, Vector{0.08, 0.72, 0}, Vector{-0.024, 0.787, -0.22}})
    for (const bool carried : {false, true}) {
      CAPTURE(vector_text(n));
      CAPTURE(carried);
      const auto with = [&](const char* closing) {
        std::string t = four_bar(NormalPlane(n), vector_text(n), closing);
        const std::string held = "world.frame_b, j1.frame_a, base.frame_a";
        if (carried) t.replace(t.find(held), held.size(), "world.frame_b, carrier.frame_a\nconnect carrier.frame_b, plate.frame_a, j1.frame_a, base.frame_a");
        return carried ? t + turntable : t;
      };
      Loaded needs_less(with("RevolutePlanarLoopConstraint"));
      const double angle = needs_less.run("j1.phi");
      for (const char* closing : {"Revolute", "CutRevolute"}) {
        CAPTURE(std::string(closing));
        Loaded s(with(closing));
        CHECK(std::fabs(s.run("j1.phi") - angle) < 1e-6);
        for (const char* force : {"j4.frame_a.f[1]", "j4.frame_a.f[2]", "j4.frame_a.f[3]"})
          CHECK_MESSAGE(std::fabs(s.value(force).value() - needs_less.value(force).value()) < 1e-4, force);
      }
    }
}

TEST_CASE("parallel axes: however they are written") {
  const std::string n = vector_text(tilted), turned = vector_text({0, -tilted[1], -tilted[2]}), longer = vector_text({0, -std::tan(tilt), 1}), expression = "{0, -sin(0.4), cos(0.4)}";
  const struct {
    const char* name;
    std::array<std::string, 4> axes;
    std::string before;
  } rows[] = {
      {"numbers", {n, n, n, n}, ""},
      {"of either direction", {n, turned, n, turned}, ""},
      {"of other lengths", {n, longer, longer, n}, ""},
      {"expressions", {expression, expression, expression, expression}, ""},
      {"of a parameter", {"{0, -sin(a), cos(a)}", "{0, -sin(a), cos(a)}", "{0, -sin(a), cos(a)}", "{0, -sin(a), cos(a)}"}, "parameter a = 0.4\n"},
      {"a parameter", {"axis", "axis", "axis", "axis"}, "parameter axis[3] = " + n + "\n"},
      {"multiples of one", {"axis", "-axis", "2 * axis", "axis"}, "parameter axis[3] = " + n + "\n"},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.name));
    Loaded s(four_bar(NormalPlane(tilted), row.axes, "Revolute", row.before));
    CHECK(s.degrees() == 2);
    CHECK(std::fabs(std::fabs(s.run("j1.phi")) - flat_angle()) < 1e-6);
  }
  Loaded s(four_bar(NormalPlane({0, 0, 1}), {"axis", "axis", "axis", "axis"}, "Revolute", "parameter axis[3] = {0, 0, 1}\n"));
  CHECK(std::fabs(s.run("j1.phi") - flat_angle()) < 1e-6);
}

TEST_CASE("parallel axes: fixed rotations by the same angle, each with a number of its own") {
  std::string t = four_bar(NormalPlane({0, 0, 1}), "{0, 0, 1}");
  const auto put = [&](const std::string& old, const std::string& now) { t.replace(t.find(old), old.size(), now); };
  put("connect world.frame_b, j1.frame_a, base.frame_a",
      "left, right : FixedRotation(n = {1, 0, 0}, angle = 0.4)\nconnect world.frame_b, left.frame_a, right.frame_a\nconnect left.frame_b, j1.frame_a\n"
      "connect right.frame_b, base.frame_a");
  put("World(n = {0, -1, 0})", "World(n = " + vector_text({0, -std::cos(tilt), -std::sin(tilt)}) + ")");
  Loaded same(t);
  CHECK(same.degrees() == 2);
  CHECK(std::fabs(same.run("j1.phi") - flat_angle()) < 1e-6);
}

TEST_CASE("parallel axes: on what turns, swings or is turned about any axis") {
  const struct {
    const char* name;
    std::string carrier;
  } rows[] = {
      {"a turntable", "carrier : Revolute(n = {0.2, 0.9, 0.1}, phi(start = 0.2), w(start = 0.5))\n"},
      {"a ball joint", "carrier : Spherical(angles_fixed = true, w_rel_a_fixed = true)\n"},
      {"fixed rotation", "carrier : FixedRotation(n = {0.3, 0.5, 0.8}, angle = 0.7)\n"},
  };
  const Vector n = {0.3, -0.2, 0.7};
  for (const auto& row : rows) {
    CAPTURE(std::string(row.name));
    const auto carried = [&](const std::string& closing) {
      std::string t = four_bar(NormalPlane(n), vector_text(n), closing);
      const std::string held = "world.frame_b, j1.frame_a, base.frame_a";
      return t.replace(t.find(held), held.size(), "world.frame_b, carrier.frame_a\nconnect carrier.frame_b, plate.frame_a, j1.frame_a, base.frame_a") + row.carrier +
             "plate : Body(m = 3, r_CM = {0.2, 0.1, 0.3})\n";
    };
    Loaded needs_less(carried("RevolutePlanarLoopConstraint")), revolute(carried("Revolute"));
    CHECK(revolute.degrees() == needs_less.degrees());
    for (const session::StateSet& set : needs_less.analysis().sets)  // what carries the loop is not among those to choose from
      for (const model::VarId v : set.candidates) CHECK(name(needs_less.analysis(), v).find("carrier.phi") == std::string::npos);
    for (const char* value : {"j1.phi", "plate.frame_a.R.w[1]", "rod.frame_b.r_0[2]"})
      CHECK_MESSAGE(std::fabs(revolute.run(value) - needs_less.run(value)) < 1e-6, value);
  }
}

// With two joints in a row that nobody wanted as states no direction behind them was one at the random point: the joints of the chain were taken
// for what the loop determines.
TEST_CASE("parallel axes: on a chain of joints, whichever of them are to be states") {
  const NormalPlane plane({0, 0, 1});
  for (const char* second : {"{0, 1, 0}", "{0, 0, 1}"}) {
    CAPTURE(std::string(second));
    std::string t = four_bar(plane, "{0, 0, 1}");
    const std::string held = "world.frame_b, j1.frame_a, base.frame_a";
    t.replace(t.find(held), held.size(), "world.frame_b, first.frame_a\nconnect first.frame_b, arm.frame_a\nconnect arm.frame_b, second.frame_a\n"
              "connect second.frame_b, plate.frame_a, j1.frame_a, base.frame_a");
    t += "first : Revolute(n = {0, 0, 1}, phi(start = 0.3))\narm : BodyShape(r = {0.5, 0, 0}, r_CM = {0.25, 0, 0}, m = 2, I_22 = 0.1, I_33 = 0.1)\n"
         "second : Revolute(n = " + std::string(second) + ", phi(start = 0.2), w(start = 0.5))\nplate : Body(m = 3, r_CM = {0.2, 0.1, 0.3})\n";
    t.replace(t.find("phi(start = 0.1)"), 16, "phi(start = 0.1, fixed), w(start = 1, fixed)");
    Loaded expected(t);
    const double angle = expected.run("second.phi"), crank = expected.value("j1.phi").value();
    const std::array<const char*, 5> joints = {"first", "second", "j1", "j2", "j3"};
    for (const char* wish : {"default", "avoid", "never"})
      for (std::size_t a = 0; a < joints.size(); ++a)
        for (std::size_t b = a + 1; b < joints.size(); ++b) {
          CAPTURE(std::string(wish));
          CAPTURE(std::string(joints[a]));
          CAPTURE(std::string(joints[b]));
          if (std::string(wish) == "never" && a == 2 && b == 3) continue;  // a rocker alone does not get over its dead points
          Loaded s(t + joints[a] + ".stateSelect := " + wish + "\n" + joints[b] + ".stateSelect := " + wish + "\n");
          CHECK(s.degrees() == expected.degrees());
          CHECK(std::fabs(s.run("second.phi") - angle) < 1e-6);
          CHECK(std::fabs(s.value("j1.phi").value() - crank) < 1e-6);
        }
  }
}

TEST_CASE("parallel axes: a slider crank in a plane of its own") {
  const auto crank = [](const NormalPlane& p, const std::string& n) {
    return "use multibody\nworld : World(n = " + p.at(0, -1) + ")\nj1 : Revolute(n = " + n + ", phi(start = 0.3))\nj2 : Revolute(n = " + n + ")\nj3 : Revolute(n = " + n +
           ")\nslide : Prismatic(n = " + p.at(1, 0) + ", s(start = 1.4))\ncrank : BodyShape(r = " + p.at(0.5, 0) + ", r_CM = " + p.at(0.25, 0) +
           ", m = 1)\nrod : BodyShape(r = " + p.at(1, 0) + ", r_CM = " + p.at(0.5, 0) +
           ", m = 1)\npiston : Body(m = 2)\nconnect world.frame_b, j1.frame_a, slide.frame_a\nconnect j1.frame_b, crank.frame_a\nconnect crank.frame_b, j2.frame_a\n"
           "connect j2.frame_b, rod.frame_a\nconnect rod.frame_b, j3.frame_a\nconnect j3.frame_b, slide.frame_b, piston.frame_a\n";
  };
  Loaded flat(crank(NormalPlane({0, 0, 1}), "{0, 0, 1}"));
  const double expected = flat.run("slide.s");
  for (const Vector& n : {tilted, Vector{1, 1, 1}, Vector{0.3, -0.2, 0.7}}) {
    CAPTURE(vector_text(n));
    Loaded s(crank(NormalPlane(n), vector_text(n)));
    CHECK(s.degrees() == flat.degrees());
    CHECK(std::fabs(s.run("slide.s") - expected) < 1e-6);
  }
}

TEST_CASE("parallel axes: an edit of one makes another analysis, and its number can be set") {
  const NormalPlane plane(tilted);
  const std::string n = vector_text(tilted), whole = four_bar(plane, n);
  Loaded s(whole);
  const double angle = s.run("j1.phi");
  const auto program = code::fingerprint(*s.analysis().program);
  // An axis that is not parallel: four joints are too few for a loop in space.
  REQUIRE(s.run_text("j3.n := {0.1, 0.3, 1}"));
  CHECK((!s.analysis().complete || s.degrees() == 0));
  REQUIRE(s.run_text("j3.n := " + n));
  CHECK(s.run("j1.phi") == doctest::Approx(angle).epsilon(1e-9));
  CHECK(code::fingerprint(*s.analysis().program) == program);
  // All four in another plane, one after the other.
  const Vector other = {0, -std::sin(0.7), std::cos(0.7)};
  Loaded fresh(four_bar(plane, vector_text(other)));
  for (const char* joint : {"j1", "j2", "j3", "j4"}) REQUIRE(s.run_text(std::string(joint) + ".n := " + vector_text(other)));
  REQUIRE_MESSAGE(s.analysis().complete, rendered(s));
  CHECK(code::fingerprint(*s.analysis().program) == code::fingerprint(*fresh.analysis().program));
  Loaded elements(whole);
  CHECK(std::fabs(elements.run("j1.phi") - angle) < 1e-9);
  for (const char* joint : {"j1", "j2", "j3", "j4"})
    for (std::size_t k = 1; k < 3; ++k) REQUIRE(elements.set_parameter(std::string(joint) + ".n[" + std::to_string(k + 1) + "]", other[k]));
  CHECK(std::fabs(elements.run("j1.phi") - fresh.run("j1.phi")) < 1e-6);
  // One that is parallel to none is a number.
  Loaded more(whole + "arm : Revolute(n = {0.1, 0.2, 0.9})\nload : Body(r_CM = {0.1, 0.2, 0.3})\nconnect crank.frame_b, arm.frame_a\nconnect arm.frame_b, load.frame_a\n");
  more.run("arm.phi");
  const auto before = more.shared_analysis();
  REQUIRE(more.run_text("arm.n := {0.3, 0.2, 0.9}"));
  more.run("arm.phi");
  CHECK(more.shared_analysis() == before);
  // A zero that a parameter of the model passes on is structure for as long as it is one.
  Loaded passed(whole + "parameter axis[3] = {0, 0.2, 0.9}\narm : Revolute(n = axis)\nload : Body(r_CM = {0.1, 0.2, 0.3})\n"
                "connect crank.frame_b, arm.frame_a\nconnect arm.frame_b, load.frame_a\n");
  passed.run("arm.phi");
  const auto zero = passed.shared_analysis();
  REQUIRE(passed.run_text("axis := {0, 0.3, 0.9}"));
  passed.run("arm.phi");
  CHECK(passed.shared_analysis() == zero);
  REQUIRE(passed.run_text("axis := {0.1, 0.3, 0.9}"));
  passed.run("arm.phi");
  CHECK(passed.shared_analysis() != zero);
  REQUIRE(more.run_text("arm.n := " + n));
  more.run("arm.phi");
  CHECK(more.shared_analysis() != before);
  // Numbers that are no part of it stay numbers.
  Loaded set(whole);
  REQUIRE(set.set_parameter("crank.m", 2));
  const double heavier = set.run("j1.phi");
  Loaded written(whole + "crank.m := 2\n");
  CHECK(std::fabs(written.run("j1.phi") - heavier) < 1e-7);
}
