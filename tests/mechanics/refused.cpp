// Mechanisms that are refused: with a message.
#include <doctest/doctest.h>

#include <algorithm>

#include "lang/workspace/kron.hpp"

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

}  // namespace

TEST_CASE("refused: a link that floats in a loop") { CHECK(is_refused(floating_link, "E0312")); }
