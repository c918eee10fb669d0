// Plane loops in planes that are no coordinate plane: which variables are states is chosen among those that move, level by level.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

// Four-bar: cranks a and c at the ground, d and b between them and the coupler.
std::vector<std::string> four_bar(const std::string& base, const std::string& c, const std::string& d) {
  return {"a : Revolute(phi(start = 1.3859, fixed), w(start = 2, fixed))",
          "b : Revolute(phi(start = -0.6863))",
          "c : " + c,
          "d : " + d,
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
}

struct Run {
  double start_speed = 0, angle = 0, speed = 0;
};
Run run(const std::string& world, std::vector<std::string> lines, std::uint32_t order) {
  std::mt19937 random(order);
  if (order != 0) std::shuffle(lines.begin(), lines.end(), random);
  std::string text = "use multibody\n" + world + "\n";
  for (const std::string& line : lines) text += line + "\n";
  CAPTURE(text);
  Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  REQUIRE_MESSAGE(s.run_text(text), rendered(s));
  constexpr double stop = 0.5;
  REQUIRE_MESSAGE(s.simulate({.stop = stop, .points = 11, .tolerance = 1e-9}), rendered(s));
  return {s.value("a.w", 0).value(), s.value("a.phi", stop).value(), s.value("a.w", stop).value()};
}

}  // namespace

// What turns the plane about the x axis leaves the part g cos(angle) of gravity in it.
TEST_CASE("tilted loops: a four-bar starts and moves as in the plane of the world, whatever the order of the text") {
  const std::string planar = "RevolutePlanarLoopConstraint", guess = "(phi(start = 1.5085))";
  const Run flat = run("world : World(g = 9.81 * cos(0.5))", four_bar("world.frame_b", planar, "Revolute" + guess), 0);
  CHECK(std::fabs(flat.start_speed - 2) < 1e-12);
  const std::pair<std::string, std::string> joints[] = {{planar, "Revolute" + guess}, {"Spherical", "Cylindrical(n = {0, 0, 1}, phi(start = 1.5085))"}};
  for (const auto& [c, d] : joints)
    for (std::uint32_t order = 1; order <= 12; ++order) {
      std::vector<std::string> lines = four_bar("tilt.frame_b", c, d);
      lines.insert(lines.end(), {"tilt : FixedRotation(n = {1, 0, 0}, angle = 0.5)", "connect world.frame_b, tilt.frame_a"});
      CAPTURE(c);
      CAPTURE(order);
      const Run tilted = run("world : World(g = 9.81)", lines, order);
      CHECK(std::fabs(tilted.start_speed - 2) < 1e-12);
      CHECK(std::fabs(tilted.angle - flat.angle) < 1e-6);
      CHECK(std::fabs(tilted.speed - flat.speed) < 1e-6);
    }
}

// A table that nothing holds turns under the loop, whichever variables are states.
TEST_CASE("tilted loops: a four-bar on a turntable starts and moves the same, whatever the order of the text") {
  std::vector<std::string> lines = four_bar("table.frame_b", "RevolutePlanarLoopConstraint", "Revolute(phi(start = 1.5085))");
  lines.insert(lines.end(), {"table : Revolute(n = {0, 1, 0}, w(start = 0.3, fixed))", "connect world.frame_b, table.frame_a"});
  const Run first = run("world : World", lines, 0);
  CHECK(std::fabs(first.start_speed - 2) < 1e-12);
  for (std::uint32_t order = 1; order <= 12; ++order) {
    CAPTURE(order);
    const Run other = run("world : World", lines, order);
    CHECK(std::fabs(other.start_speed - 2) < 1e-12);
    CHECK(std::fabs(other.angle - first.angle) < 1e-6);
    CHECK(std::fabs(other.speed - first.speed) < 1e-6);
  }
}
