// Random edits of hybrid models: relations, `when`, discrete variables, Boolean logic, diodes and connections come and go. After each edit the analysis
// must be, byte for byte, what a new session makes of the workspace's text, and so must runs: end, events, final values.
#include <doctest/doctest.h>

#include <random>

#include "tests/incremental/listing.hpp"
#include "tests/support/sanitized.hpp"

using namespace kron;
using namespace kron::test;

namespace {

const char* const hybrid_base =
    "use electrical\nparameter limit = 0.7\nparameter period = 0.3\nvariable x(start = 1, fixed)\nvariable y(start = 0.2, fixed)\n"
    "law :: der(x) = (if on then -1 else 1) - 0.1 * y\nside :: der(y) = (if time > 0.5 then x else 0.5) - y\n"
    "variable on(start = true) : Boolean\nlogic :: on = if x > limit + 0.3 then true elseif x < limit - 0.3 then false else pre(on)\n"
    "discrete n(start = 0) : Integer\nwhen sample(0, period)\n  count :: n = pre(n) + 1\nend\n"
    "src : SineVoltage(V = 2, f = 1.3)\ng : Ground\nr : Resistor(R = 3)\nd1 : IdealDiode(Ron = 0.1, Goff = 0.01)\nconnect src.n, g.p, r.n\n"
    "connect src.p, d1.p\nconnect d1.n, r.p\n";

class HybridEditor {
 public:
  explicit HybridEditor(std::uint64_t seed) : g_(seed) {}

  std::string next() {
    switch (pick(26)) {
      case 0: return "law :: der(x) = (if on then -" + number() + " else " + number() + ") - 0.1 * y";
      case 1: return "law :: der(x) = (if x > " + number() + " and on then -1 else 1) + 0.2 * n";
      case 2: return "law :: der(x) = -x";
      case 3: return "side :: der(y) = (if time > " + number() + " then x else " + number() + ") - y";
      case 4: return "side :: der(y) = abs(x - " + number() + ") - y * noEvent(if y > 1 then 2 else 1)";
      case 5: return "logic :: on = if x > limit + 0.2 then true elseif x < limit then false else pre(on)";
      case 6: return "logic :: on = x > limit or y < 0.1 and not pre(on)";
      case 7: return "variable on(start = " + std::string(pick(2) ? "true" : "false") + ") : Boolean";
      case 8: return "when sample(" + number() + ", period)\n  count :: n = pre(n) + 1\nend";
      case 9: return "when x > " + number() + "\n  count :: n = pre(n) + 1\n  reinit x = 0.1\nelsewhen time > 0.9\n  n = 0\nend";
      case 10: return "when {x > limit, d1.off, time >= 0.4}\n  count :: n = pre(n) + " + std::string(pick(2) ? "1" : "2") + "\nend";
      case 11: return "discrete k" + std::to_string(1 + pick(3)) + "(start = 0) : Integer";
      case 12: {
        const std::string k = std::to_string(1 + pick(3));
        return "when change(on)\n  also" + k + " :: k" + k + " = pre(k" + k + ") + n\nend";
      }
      case 13: return "delete also" + std::to_string(1 + pick(3));
      case 14: return "delete k" + std::to_string(1 + pick(3));
      case 15: {
        const std::string b = std::to_string(1 + pick(3));
        return "variable b" + b + " : Boolean = " + (pick(2) ? "edge(on) or x > " + number() : pick(2) ? "not on and y < x" : "pre(on) and mod(time, " + number() + ") < 0.25");
      }
      case 16: return "delete b" + std::to_string(1 + pick(3));
      case 17: return pick(2) ? "limit := " + number() : "period := " + number();
      case 18: return "parameter limit = " + number();
      case 19: return "d1 : " + std::string(pick(2) ? "IdealDiode(Ron = 0.2, Vknee = " + number() + ")" : "Resistor(R = " + number() + ")");
      case 20: return "d2 : IdealDiode(Ron = " + number() + ", Goff = 0.001)\nconnect d2.p, " + (pick(2) ? "g.p" : "src.p") + "\nconnect d2.n, r.p";
      case 21: return "delete d2";
      case 22: return "c : Capacitor(C = 0.1, v(start = " + number() + "))\nconnect c.p, r.p\nconnect c.n, g.p";
      case 23: return pick(2) ? "delete c" : "delete connect d1.n, r.p";
      default: return pick(2) ? "undo" : "redo";
    }
  }

 private:
  std::size_t pick(std::size_t n) { return g_() % n; }
  std::string number() { return std::to_string(g_() % 2) + "." + std::to_string(1 + g_() % 9); }
  std::mt19937_64 g_;
};

void apply(Session& s, const std::string& text) {
  std::string what;
  if (text == "undo") s.undo(what);
  else if (text == "redo") s.redo(what);
  else edit(s, text);
  s.diagnostics().clear();
}

// A run: its end and why, events, what every variable is at the end.
std::string run(Session& s) {
  simulate::Options o{.stop = 1.3, .points = 5, .tolerance = 1e-6};
  s.simulate(o);
  std::string out;
  for (const Diagnostic& d : s.diagnostics().list()) out += d.code + " " + d.message + "\n";
  s.diagnostics().clear();
  const simulate::Result* r = s.result();
  if (!r || s.result_analysis() != s.current_analysis().get()) return out;  // of a model before
  out += std::to_string(r->counters.time_events) + " and " + std::to_string(r->counters.state_events) + " events, " + std::to_string(r->trajectory.size()) + " points\n";
  const session::Analysis& a = *s.result_analysis();
  for (std::uint32_t v = 0; v < a.flat.slots; ++v)
    if (const auto x = s.value(name(a, session::VarId{v}))) out += name(a, session::VarId{v}) + " = " + to_text(*x) + "\n";
  s.diagnostics().clear();
  return out;
}

}  // namespace

TEST_CASE("random edits of hybrid models: analyses and runs are those of a new session") {
  constexpr std::uint64_t sequences = kron::sanitized ? 20 : 120;
  std::size_t compared = 0, ran = 0, failed = 0;
  for (std::uint64_t seed = 1; seed <= sequences && failed < 3; ++seed) {
    Session s(settings());
    HybridEditor editor(seed);
    REQUIRE(s.run_text(hybrid_base));
    std::string log;
    for (int k = 0; k < 6; ++k) {
      const std::string text = editor.next();
      log += text + "\n";
      apply(s, text);
      const std::string ours = run(s);  // with what the edits before left behind
      const std::string incremental = listing(s.analysis()) + numbers(s) + ours;
      Session fresh(settings());
      REQUIRE_MESSAGE(fresh.run_text(s.workspace().text()), s.workspace().text());
      fresh.diagnostics().clear();  // what the text says by itself, as in apply()
      const std::string theirs = run(fresh);
      const std::string scratch = listing(fresh.analysis()) + numbers(fresh) + theirs;
      ++compared;
      ran += s.analysis().complete;
      const bool same = incremental == scratch;
      if (!same) MESSAGE("seed ", seed, "\n", log, "\n--- text\n", s.workspace().text(), "\n--- session\n", incremental, "\n--- scratch\n", scratch);
      CHECK(same);
      failed += !same;
    }
  }
  MESSAGE(compared, " edits, ", ran, " of complete models");
  CHECK(ran > compared / 2);
}
