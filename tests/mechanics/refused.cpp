// Mechanisms that are refused: with a message.
#include <doctest/doctest.h>

#include <algorithm>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

bool is_refused(const std::string& text, std::string_view code) {
  Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  REQUIRE(s.run_text(text));
  if (s.analysis().complete) return false;
  return std::ranges::any_of(s.analysis().diagnostics.list(), [&](const Diagnostic& d) { return d.code == code; });
}

// Two cylindrical joints about one axis: the link between them floats. The model is analysed twice, the first time with what closes the loop.
const std::string floating_link = R"(use multibody
connect x11.frame_b, b3.frame_b
b3 : BodyShape
b6 : BodyShape(r={0.0057,-0.405,-0.3})
x11 : FixedRotation
connect b8.frame_b, j9.frame_a
connect x1.frame_b, j2.frame_a
j9 : Universal
connect world.frame_b, x4.frame_a
connect j5.frame_a, b6.frame_a
connect j9.frame_b, b10.frame_a
connect x4.frame_b, j5.frame_b
j5 : Cylindrical
connect j7.frame_a, b8.frame_a
connect world.frame_b, x1.frame_a
j7 : Cylindrical
b10 : BodyShape
b8 : BodyShape(r={0.0366,0.0766,0.4626})
x1 : FixedRotation
connect b10.frame_b, x11.frame_a
x4 : FixedRotation(n={0,1,0}, angle=-0.204, r={-0.0429,0.1016,-0.1013})
connect b6.frame_b, j7.frame_b
j2 : Revolute(w(start=0.0168,fixed))
connect j2.frame_b, b3.frame_a
world : World(n={0.3,-1,0.2})
)";

// A loop without a freedom left at its start; its iteration has its unknowns in another order than the model.
const std::string stiff_loop = R"(use multibody
world : World(g = 9.81, n = {0, -1, 0})
j0 : Revolute(n = {0, 1, 0}, phi(start = 0.392448645274106))
l0 : BodyShape(r = {-0.4, 0.5, 0.4}, m = 1.55)
f0 : FixedRotation(n = {0, 1, 0}, angle = 1.1)
j1 : Cylindrical(n = {0, 0, 1}, s(start = 0.045972, fixed), phi(start = 0.028157, fixed), v(start=0.1, fixed), w(start=1,fixed))
l1 : BodyShape(r = {-0.4, 0.5, 0}, m = 0.59)
f1 : FixedRotation(n = {0, 0, 1}, angle = 1.1)
j2 : Revolute(n = {0, 0, 1}, phi(start = -0.678769))
l2 : BodyShape(r = {-0.4, -0.3, 0.4}, m = 0.91)
f2 : FixedRotation(n = {0, 0, 1}, angle = pi / 2)
j3 : Cylindrical(n = {0, 0, 1}, s(start = -0.263155), phi(start = -0.626761))
l3 : BodyShape(r = {0, -0.3, 0.4}, m = 0.65)
j4 : Revolute(n = {0, 0, 1}, phi(start = 0.689591))
l4 : BodyShape(r = {0.6, 0.5, 0.4}, m = 1.50)
f4 : FixedRotation(n = {0, 0, 1}, angle = pi / 2)
z : FixedRotation(rotationType = TwoAxesVectors, n_x = {-0.068222675477667361, -0.49011147760525553, 0.86898584917722432}, n_y = {0.03835982543644665, -0.87165976132869216, -0.48860800676298016}, r = {0.67878305092495728, 0.76956751827002701, 1.6746678273331228})
connect world.frame_b, j0.frame_a
connect j0.frame_b, l0.frame_a
connect l0.frame_b, f0.frame_a
connect f0.frame_b, j1.frame_a
connect j1.frame_b, l1.frame_a
connect l1.frame_b, f1.frame_a
connect f1.frame_b, j2.frame_a
connect j2.frame_b, l2.frame_a
connect l2.frame_b, f2.frame_a
connect f2.frame_b, j3.frame_a
connect j3.frame_b, l3.frame_a
connect l3.frame_b, j4.frame_a
connect j4.frame_b, l4.frame_a
connect l4.frame_b, f4.frame_a
connect world.frame_b, z.frame_a
connect z.frame_b, f4.frame_b
)";

// A rod beside an arm that holds the rod's ends apart already, by the same length but for rounding: all equations hold at the start, and
// do not tell where the rest is.
const std::string rod_too_many = R"(use multibody
world : World(g = 9.81)
b1 : Body(r_0(start = {1.0997, -1.4807, 0.0083}), r_CM = {-0.126875, 0.50891, -0.109615}, m = 1.867)
b2 : Body(r_0(start = {0.84595, -0.46288, -0.21093}), r_CM = {-0.478475, 0.04139, -0.436735}, m = 1.776)
j0 : Spherical
ta0 : FixedTranslation(r = {1.0997, -1.4807, 0.0083})
j1 : Revolute(n = {1, 0, 0})
ta1 : FixedTranslation(r = {-0.25375, 1.01782, -0.21923})
j2 : Spherical
ta2 : FixedTranslation(r = {-0.95695, 0.08278, -0.87347})
tb2 : FixedTranslation(r = {-0.111, -0.3801, -1.0844})
j3 : SphericalSpherical(rodLength = 1.0716381888492028)
ta3 : FixedTranslation(r = {1.0997, -1.4807, 0.0083})
connect world.frame_b, ta0.frame_a
connect j0.frame_b, b1.frame_a
connect ta0.frame_b, j0.frame_a
connect b1.frame_a, ta1.frame_a
connect j1.frame_b, b2.frame_a
connect ta1.frame_b, j1.frame_a
connect b2.frame_a, ta2.frame_a
connect world.frame_b, tb2.frame_a
connect j2.frame_b, tb2.frame_b
connect ta2.frame_b, j2.frame_a
connect j3.frame_b, b2.frame_a
connect world.frame_b, ta3.frame_a
connect ta3.frame_b, j3.frame_a
initial b1.frame_a.R.T[3, 1] = 0
initial b1.frame_a.R.w[2] = 0
)";

}  // namespace

TEST_CASE("refused: what an iteration cannot tell though its equations hold is a singular matrix") {
  Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  REQUIRE(s.run_text(rod_too_many));
  CHECK_FALSE(s.simulate({.stop = 0.1, .points = 2}));
  CHECK_MESSAGE(rendered(s).find("has no solution that Newton's method finds: singular matrix") != std::string::npos, rendered(s));
}

TEST_CASE("refused: a link that floats in a loop") { CHECK(is_refused(floating_link, "E0312")); }

TEST_CASE("refused: what is told of an iteration that cannot go on has each unknown with its own value") {
  Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  REQUIRE(s.run_text(stiff_loop));
  const auto problem = s.problem();  // of the first analysis: a session goes on to where the loop is closed
  REQUIRE(problem);
  const simulate::Trouble t = simulate::simulate(*problem, {.stop = 0.1, .points = 2}).trouble;
  const struct {
    const char* unknown;
    double value;
  } rows[] = {{"j0.phi", 0.392448}, {"j2.phi", -0.678769}, {"j3.prismatic.s", -0.263155}, {"j3.revolute.phi", -0.626761}, {"j4.phi", 0.689591}};
  for (const auto& row : rows) {
    const auto at = std::ranges::find(t.unknowns, row.unknown);
    REQUIRE(at != t.unknowns.end());
    CHECK(t.values.at(static_cast<std::size_t>(at - t.unknowns.begin())) == doctest::Approx(row.value).epsilon(1e-6));
  }
  CHECK_MESSAGE(s.simulate({.stop = 0.1, .points = 2}), rendered(s));
}
