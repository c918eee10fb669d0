// The library's mechanisms against the recursive Newton-Euler equations: accelerations at random positions, velocities and driving forces.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "lang/workspace/kron.hpp"
#include "tests/mechanics/random_mechanism.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

TEST_CASE("mechanics: 200 random trees accelerate as the Newton-Euler equations say") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const mechanics::RandomMechanism m(seed);
    CAPTURE(seed);
    CAPTURE(m.text);
    Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE_MESSAGE(s.run_text(m.text), rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = 1e-6, .points = 2}), rendered(s));
    for (const session::Block& b : s.analysis().blocks) CHECK(b.core == 0);
    const std::vector<mechanics::Motion> motion = m.tree.motions(m.tree.accelerations());
    double size = 10, error = 0;
    for (const auto& body : m.bodies) {
      const mechanics::Motion& expected = motion[static_cast<std::size_t>(body.link)];
      for (std::size_t k = 0; k < 3; ++k) {
        const std::string element = "[" + std::to_string(k + 1) + "]";
        error = std::max(error, std::fabs(s.value(body.name + ".frame_a.R.z" + element, 0).value() - expected.z[k]));
        error = std::max(error, std::fabs(s.value(body.name + ".frame_a.motion.a" + element, 0).value() - expected.a[k]));
        size = std::max({size, std::fabs(expected.z[k]), std::fabs(expected.a[k])});
      }
    }
    CHECK(error < 1e-9 * size);
  }
}
