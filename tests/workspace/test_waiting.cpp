// Work that is no longer wanted ends soon, and the session is as it was.
#include <doctest/doctest.h>

#include <limits>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

std::string links(int n) {
  std::string text = "use multibody\nworld : World\nvariable doubled[20] = {2*k for k in 1:20}\n", before = "world.frame_b";
  for (int k = 1; k <= n; ++k) {
    const std::string i = std::to_string(k);
    text += "j" + i + " : Revolute(n = {" + (k % 2 ? "0, 0, 1" : "0, 1, 0") + "}, phi(start = 0.1, fixed), w(start = 0, fixed))\nb" + i +
            " : BodyShape(r = {0.5, 0.1, 0}, r_CM = {0.2, 0, 0.1}, m = 1)\nconnect " + before + ", j" + i + ".frame_a\nconnect j" + i + ".frame_b, b" + i + ".frame_a\n";
    before = "b" + i + ".frame_b";
  }
  return text;
}

bool is_stopped(const Diagnostics& list) {
  return list.has_errors() && list.list().back().code == "E0405";
}

}  // namespace

TEST_CASE("waiting: stopped at any time, the next try is as the first would have been") {
  const std::string path = KRON_SOURCE_DIR "/stdlib", edit = "j3 : Revolute(n = {1, 0, 0}, phi(start = 0.2, fixed), w(start = 0, fixed))";
  constexpr std::size_t always = std::numeric_limits<std::size_t>::max();
  std::size_t left = always, asked = 0;
  const auto begin = [&] {
    return [&] {
      ++asked;
      return left == always || (left > 0 && left-- > 0);
    };
  };
  Session fresh({{path}});
  fresh.while_waiting(begin);
  REQUIRE_MESSAGE(fresh.run_text(links(8)), rendered(fresh));
  REQUIRE(fresh.analysis().complete);
  REQUIRE(fresh.run_text(edit));
  REQUIRE(fresh.analysis().complete);
  REQUIRE(fresh.simulate({.stop = 0.3, .points = 2, .tolerance = 1e-8}));
  CHECK(asked > 100);

  std::size_t stopped = 0;
  for (const std::size_t after : {0u, 1u, 2u, 5u, 11u, 23u, 50u, 77u, 100u, 130u, 170u, 210u, 260u, 320u, 400u, 500u}) {
    CAPTURE(after);
    Session s({{path}});
    s.while_waiting(begin);
    left = after;
    if (!s.run_text(links(8))) {
      CHECK(is_stopped(s.diagnostics()));
      CHECK(s.workspace().text().empty());
      s.diagnostics().clear();
      ++stopped;
      left = always;
      REQUIRE_MESSAGE(s.run_text(links(8)), rendered(s));
    }
    left = left == always ? always : after;  // once more, of the analysis
    if (const auto& a = s.analysis(); !a.complete) {
      CHECK(is_stopped(a.diagnostics));
      ++stopped;
      left = always;
      REQUIRE(s.analysis().complete);
    }
    left = after / 2;
    const std::string before = s.workspace().text();
    if (!s.run_text(edit)) {
      CHECK(is_stopped(s.diagnostics()));
      CHECK(s.workspace().text() == before);
      ++stopped;
      left = always;
      REQUIRE_MESSAGE(s.run_text(edit), rendered(s));
    }
    left = left == always ? always : after / 2;
    if (!s.analysis().complete) ++stopped;
    left = always;
    REQUIRE(s.analysis().complete);
    CHECK(s.workspace().text() == fresh.workspace().text());
    REQUIRE(s.simulate({.stop = 0.3, .points = 2, .tolerance = 1e-8}));
    CHECK(*s.value("j8.phi") == *fresh.value("j8.phi"));
  }
  CHECK(stopped > 16);
}
