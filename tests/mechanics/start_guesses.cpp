// Start values that are guesses: which of the positions that a mechanism allows is taken.
#include <doctest/doctest.h>

#include <cmath>

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
