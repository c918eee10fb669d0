// Four-bars with random lengths, with and without gravity, events and states of their own: they keep their energy at every tolerance. A step
// is long at a loose one, and Newton's method comes to the other assembly where what it begins with leads astray (engine/code/newton.hpp).
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <sstream>
#include <string>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

// Base, crank, coupler and rocker, which are slender but for the coupler, that has no mass; E is its energy.
std::string random_four_bar(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto from = [&](double low, double high) { return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53; };
  constexpr double clearance = 0.02;
  double base = 0, crank = 0, coupler = 0, rocker = 0, angle = 0, x = 0, y = 0, across = 0;
  do {
    base = from(0.3, 1.5), crank = from(0.3, 1.5), coupler = from(0.3, 1.5), rocker = from(0.3, 1.5), angle = from(-3, 3);
    x = crank * std::cos(angle), y = crank * std::sin(angle), across = std::hypot(x - base, y);
  } while (!(std::abs(coupler - rocker) + clearance < across && across < coupler + rocker - clearance));
  const double inner = std::acos((rocker * rocker + across * across - coupler * coupler) / (2 * rocker * across));
  const double driven = std::atan2(y, x - base) + (from(0, 1) < 0.5 ? inner : -inner);
  const double between = std::atan2(rocker * std::sin(driven) - y, base + rocker * std::cos(driven) - x);
  const auto wrapped = [](double a) { return std::remainder(a, 2 * std::numbers::pi); };
  const double g = from(0, 1) < 0.5 ? 0 : 9.81;
  std::ostringstream t;
  t.precision(17);
  t << "use multibody\nworld : World(g = " << g << ")\nbase : FixedTranslation(r = {" << base << ", 0, 0})\n"
    << "a : Revolute(phi(start = " << angle << ", fixed), w(start = " << from(1, 6) << ", fixed))\n"
    << "b : Revolute(phi(start = " << wrapped(between - angle) << "))\nc : Revolute(phi(start = " << wrapped(driven - between) << "))\n"
    << "d : Revolute(phi(start = " << driven << "))\n"
    << "crank : BodyShape(r = {" << crank << ", 0, 0}, r_CM = {" << crank / 2 << ", 0, 0}, m = 1, I_33 = 0.1)\n"
    << "rocker : BodyShape(r = {" << rocker << ", 0, 0}, r_CM = {" << rocker / 2 << ", 0, 0}, m = 1, I_33 = 0.1)\n"
    << "rod : FixedTranslation(r = {" << coupler << ", 0, 0})\n"
    << "connect world.frame_b, a.frame_a, base.frame_a\nconnect a.frame_b, crank.frame_a\nconnect crank.frame_b, b.frame_a\n"
    << "connect b.frame_b, rod.frame_a\nconnect rod.frame_b, c.frame_a\nconnect c.frame_b, rocker.frame_b\n"
    << "connect base.frame_b, d.frame_a\nconnect d.frame_b, rocker.frame_a\n"
    << "variable E = " << (0.1 + crank * crank / 4) / 2 << " * a.w^2 + " << (0.1 + rocker * rocker / 4) / 2 << " * d.w^2 + " << g << " * ("
    << crank / 2 << " * sin(a.phi) + " << rocker / 2 << " * sin(d.phi))\n";
  return t.str();
}

}  // namespace

TEST_CASE("four-bars: they keep their energy, whatever the tolerance and what is sampled or switched") {
  const std::string more[] = {
      "", "discrete n(start = 0, fixed)\nwhen sample(0, 0.03)\n  n = pre(n) + 1\nend\n",
      "discrete n(start = 0, fixed)\nwhen sin(a.phi) > 0.3\n  n = pre(n) + 1\nend\ndiscrete k(start = 0, fixed)\nwhen d.w > 0\n  k = pre(k) + 1\nend\n",
      "spring : rotational.SpringDamper(c = 0, d = 0)\nd.useAxisFlange := true\nconnect d.axis, spring.flange_a\nconnect spring.flange_b, d.support\n"};
  for (const std::string& events : more)
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      CAPTURE(events);
      CAPTURE(seed);
      Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
      REQUIRE_MESSAGE(s.run_text(random_four_bar(seed) + events), rendered(s));
      for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
        CAPTURE(tolerance);
        const bool ran = s.simulate({.stop = 6, .tolerance = tolerance});
        CHECK_MESSAGE(ran, rendered(s));
        if (!ran) continue;
        const double begin = *s.value("E", 0.0), most = std::max(3000 * tolerance, 1e-4) * std::max(std::abs(begin), 1.0);
        for (const double t : {0.7, 1.9, 3.3, 4.7, 6.0}) CHECK(std::abs(*s.value("E", t) - begin) < most);
      }
    }
}
