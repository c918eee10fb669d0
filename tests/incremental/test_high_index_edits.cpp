// Random edits of models of high index: constraints come and go, states are wished for, sets become dynamic and static again.
#include <doctest/doctest.h>

#include <random>

#include "tests/incremental/listing.hpp"
#include "tests/support/sanitized.hpp"

using namespace kron;
using namespace kron::test;

namespace {

const char* const high_index_base =
    "parameter L = 2\nparameter g = 9.81\nvariable x(start = 1)\nvariable y(start = -1)\nvariable vx = der(x)\nvariable vy = der(y)\nvariable F\n"
    "length :: x^2 + y^2 = L^2\npush :: der(vx) = -x * F\nfall :: der(vy) = -y * F - g\n"
    "variable a(start = 1)\nvariable b\nvariable c\nvariable h\nrate :: der(a) - der(b) = -h\nback :: der(b) - der(a) = h - a\n"
    "tie :: c = a + b\nload :: h = a - 2 * b + 0 * x\n";

class HighIndexEditor {
 public:
  explicit HighIndexEditor(std::uint64_t seed) : g_(seed) {}

  std::string next() {
    switch (pick(14)) {
      case 0: return "length :: x^2 + " + number() + " * y^2 = L^2";
      case 1: return "length :: (x - " + number() + ")^2 + y^2 = L^2 + x * y / 9";
      case 2: return "length :: x = " + number() + " * y";
      case 3: return "length :: x = sin(time)";
      case 4: return "variable x(start = 1, state = " + std::string(pick(2) ? "prefer)" : "always)");
      case 5: return "variable y(start = -" + number() + ")";
      case 6: return pick(2) ? "g := " + number() : "L := " + number();
      case 7: return "variable phi(start = 0.3)\nangle :: x = L * sin(phi)";
      case 8: return "delete angle\ndelete phi";
      case 9: return "back :: der(b) - der(a) = h - " + number() + " * a";
      case 10: return "back :: der(b) = -b";
      case 11: return "load :: h = a - 2 * b + " + number() + " * x";
      case 12: return "initial x = " + number();
      default: return pick(2) ? "undo" : "redo";
    }
  }

 private:
  std::size_t pick(std::size_t n) { return g_() % n; }
  std::string number() { return std::to_string(1 + g_() % 9) + "." + std::to_string(g_() % 10); }
  std::mt19937_64 g_;
};

// Statements one by one; those that fail change nothing.
void apply_lines(Session& s, const std::string& text) {
  std::string what;
  if (text == "undo") s.undo(what);
  else if (text == "redo") s.redo(what);
  else
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      edit(s, text.substr(begin, end - begin));
      begin = end + 1;
    }
  s.diagnostics().clear();
}

}  // namespace

TEST_CASE("random edits of constraints: every analysis is the from-scratch analysis of the workspace's text") {
  constexpr std::uint64_t sequences = kron::sanitized ? 40 : 250;
  std::size_t dynamic = 0, failed = 0;
  for (std::uint64_t seed = 1; seed <= sequences && failed < 3; ++seed) {
    Session s(settings());
    HighIndexEditor editor(seed);
    REQUIRE(s.run_text(high_index_base));
    std::string log;
    for (int k = 0; k < 4; ++k) {
      const std::string text = editor.next();
      log += text + "\n";
      apply_lines(s, text);
      const std::string incremental = listing(s.analysis()) + numbers(s);
      Session fresh(settings());
      REQUIRE(fresh.run_text(s.workspace().text()));
      const std::string scratch = listing(fresh.analysis()) + numbers(fresh);
      dynamic += !s.analysis().sets.empty();
      const bool same = incremental == scratch;
      if (!same) MESSAGE("seed ", seed, "\n", log, "\n--- text\n", s.workspace().text(), "\n--- session\n", incremental, "\n--- scratch\n", scratch);
      CHECK(same);
      failed += !same;
    }
  }
  CHECK(dynamic > sequences);
}
