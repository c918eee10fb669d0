// Random trees of bodies with Coulomb friction against an event-driven solution (friction_tree.hpp).
#include <doctest/doctest.h>

#include <cmath>
#include <sstream>

#include "lang/workspace/kron.hpp"
#include "tests/hybrid/count.hpp"
#include "tests/hybrid/follows.hpp"
#include "tests/hybrid/friction_tree.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;
using hybrid::FrictionRun;

namespace {

constexpr double friction_stop = 3.0019;

// What is off, or nothing: speeds are straight lines, which every method integrates but for rounding; events are as good as speeds.
std::string difference(Session& s, const hybrid::FrictionTree& t, const FrictionRun& run) {
  std::ostringstream off;
  for (std::size_t p = 0; p < run.pieces.size(); ++p) {
    const auto& piece = run.pieces[p];
    const double to = p + 1 < run.pieces.size() ? run.pieces[p + 1].from : friction_stop;
    if (to - piece.from < 1e-3) continue;
    const double at = 0.5 * (piece.from + to);
    for (std::size_t i = 0; i < t.bodies.size(); ++i) {
      const double expected = piece.w[i] + (at - piece.from) * piece.a[i], found = s.value("j" + std::to_string(i + 1) + ".w", at).value_or(std::nan(""));
      if (!(std::fabs(found - expected) <= 1e-6)) off << "j" << i + 1 << ".w at " << at << ": " << found << ", not " << expected << "\n";
    }
    for (std::size_t k = 0; k < t.elements.size(); ++k)
      if (const auto mode = s.value("e" + std::to_string(k + 1) + ".mode", at); mode != piece.mode[k]) off << "e" << k + 1 << ".mode at " << at << ": " << mode.value_or(-9) << ", not " << piece.mode[k] << "\n";
    if (!off.str().empty()) break;
  }
  return off.str();
}

}  // namespace

TEST_CASE("random trees of bodies with friction") {
  const std::uint64_t count = hybrid::models(120);
  std::uint64_t compared = 0, several = 0, edge = 0, wrong = 0;
  std::size_t events = 0, expected = 0;
  for (std::uint64_t seed = 1; compared < count && wrong < 5; ++seed) {
    REQUIRE(seed < 3 * count);
    const hybrid::FrictionTree t = hybrid::random_friction_tree(seed);
    const FrictionRun run = hybrid::run(t, friction_stop);
    REQUIRE(run.verdict != FrictionRun::Verdict::none);
    if (run.verdict != FrictionRun::Verdict::clear) {
      ++(run.verdict == FrictionRun::Verdict::several ? several : edge);
      continue;
    }
    ++compared;
    expected += run.pieces.size() - 1;
    const std::string text = hybrid::text(t);
    CAPTURE(seed);
    CAPTURE(text);
    Session s({{KRON_SOURCE_DIR "/stdlib"}});
    if (!s.run_text(text)) {
      ++wrong;
      FAIL_CHECK(rendered(s));
      continue;
    }
    wrong += !hybrid::follows(s, friction_stop, 1e-9, events, [&] { return difference(s, t, run); });
  }
  MESSAGE(compared, " trees compared with ", events, " events (", expected, " changes of motion); left out: ", several, " with several motions, ", edge, " on a knife's edge");
  CHECK(compared >= 0.7 * static_cast<double>(compared + several + edge));
}
