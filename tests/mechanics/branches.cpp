// Of several solutions of a loop the one is meant that goes on as it did, however long the steps of the integrator and the distances of output
// points are (engine/code/pieces.hpp, engine/simulate/outputs.cpp).
#include <doctest/doctest.h>

#include <cmath>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

void run(Session& s, const std::string& text, double stop, std::size_t points) {
  REQUIRE_MESSAGE(s.run_text(text), rendered(s));
  REQUIRE_MESSAGE(s.analysis().complete, rendered(s));
  REQUIRE(s.simulate({.stop = stop, .points = points}));
}

// A rod of length 1.5 from the end of a crank of length 0.5, which turns evenly, to the x-axis.
double piston(double angle) { return 0.5 * std::cos(angle) + std::sqrt(2.25 - std::pow(0.5 * std::sin(angle), 2)); }

const std::string slider_crank_model = R"(use multibody
world : World
motor : rotational.ConstantSpeed(w_fixed = 314.159)
crank_pin : Revolute(n = {0, 0, 1}, useAxisFlange = true, phi(start = 0.7))
crank : BodyShape(r = {0.5, 0, 0}, r_CM = {0.5, 0, 0})
pin : Revolute(phi(start = -0.9))
rod : BodyShape(r = {1.5, 0, 0}, r_CM = {0.7, 0, 0})
cut : RevolutePlanarLoopConstraint
slide : Prismatic(n = {1, 0, 0}, s(start = 1.8))
piston : BodyShape(m = 2)
connect world.frame_b, crank_pin.frame_a, slide.frame_a
connect crank_pin.frame_b, crank.frame_a
connect crank.frame_b, pin.frame_a
connect pin.frame_b, rod.frame_a
connect rod.frame_b, cut.frame_a
connect slide.frame_b, piston.frame_a, cut.frame_b
connect motor.flange, crank_pin.axis
)";

// The rocker swings by less than a turn, the coupler goes round with the crank.
const std::string crank_rocker = R"(use multibody
world : World
motor : rotational.ConstantSpeed(w_fixed = 100)
a : Revolute(useAxisFlange = true, phi(start = 0.7))
crank : BodyShape(r = {0.5, 0, 0})
b : Revolute(phi(start = -0.2))
coupler : BodyShape(r = {2, 0, 0})
cut : RevolutePlanarLoopConstraint
ground : FixedTranslation(r = {2.2, 0, 0})
d : Revolute(phi(start = 1.6))
rocker : BodyShape(r = {1.3, 0, 0})
connect world.frame_b, a.frame_a, ground.frame_a
connect a.frame_b, crank.frame_a
connect crank.frame_b, b.frame_a
connect b.frame_b, coupler.frame_a
connect coupler.frame_b, cut.frame_a
connect ground.frame_b, d.frame_a
connect d.frame_b, rocker.frame_a
connect rocker.frame_b, cut.frame_b
connect motor.flange, a.axis
)";

}  // namespace

TEST_CASE("branches: a quadratic equation keeps its root, whatever the distance of the output points") {
  for (const std::size_t points : {3u, 5u, 50u, 100u, 150u, 501u, 1001u}) {
    CAPTURE(points);
    Session s;
    run(s, "variable q(start = 0.7, fixed)\nvariable x(start = 1.8)\nder(q) = 314.159\n(x - 0.5 * cos(q))^2 + (0.5 * sin(q))^2 = 2.25\n", 5, points);
    for (const double t : {1.3, 2.71, 5.0}) CHECK(*s.value("x", t) == doctest::Approx(piston(0.7 + 314.159 * t)).epsilon(1e-5));
  }
}

TEST_CASE("branches: a slider-crank at 3000 turns a minute keeps its assembly") {
  for (const std::size_t points : {5u, 21u, 101u, 501u}) {
    CAPTURE(points);
    Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
    run(s, slider_crank_model, 5, points);
    for (const double t : {1.3, 2.71, 5.0}) CHECK(*s.value("slide.s", t) == doctest::Approx(piston(*s.value("crank_pin.phi", t))).epsilon(1e-5));
  }
}

TEST_CASE("branches: angles of a four-bar go round as often as they do") {
  std::vector<double> ends;
  for (const std::size_t points : {20u, 100u, 200u, 500u, 5000u}) {
    CAPTURE(points);
    Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
    run(s, crank_rocker, 10, points);
    CHECK(std::abs(*s.value("a.phi") + *s.value("b.phi")) < 3);
    CHECK(std::abs(*s.value("d.phi") - 1.6) < 1.5);
    ends.push_back(*s.value("d.phi"));
  }
  for (const double x : ends) CHECK(x == doctest::Approx(ends.back()).epsilon(1e-5));
}
