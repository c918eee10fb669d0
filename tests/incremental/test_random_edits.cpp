// Random edits against a from-scratch analysis: after every edit the session's sorted blocks, states, code and parameter values must be,
// byte for byte, what a new session makes of the workspace's text.
#include <doctest/doctest.h>

#include <random>

#include "engine/session/values.hpp"
#include "lang/syntax/parser.hpp"
#include "lang/workspace/kron.hpp"

using namespace kron;

namespace {

std::string listing(const session::Analysis& a) {
  std::string out;
  for (const auto* list : {&a.blocks, &a.initial_blocks})
    for (const session::Block& b : *list) {
      out += std::string(to_text(b.kind)) + " " + std::string(to_text(b.method)) + " " + b.ordering + " " + b.section + " core " +
             std::to_string(b.core) + ":";
      for (session::VarId v : b.unknowns) out += " " + name(a, v);
      out += " |";
      for (const auto& l : b.equation_labels) out += " " + l;
      out += " | torn";
      for (session::VarId v : b.torn) out += " " + name(a, v);
      for (const auto& [r, c] : b.pivots) out += " " + std::to_string(r) + ":" + std::to_string(c);
      out += "\n";
    }
  for (const auto& s : a.states) out += "state " + name(a, s.variable) + (s.fixed ? " fixed" : "") + " " + std::to_string(s.start) + "\n";
  for (const auto& d : a.diagnostics.list()) out += d.code + " " + d.message + "\n";
  if (a.complete) out += session::code_text(a, std::nullopt);
  return out;
}

// The values of all parameters.
std::string numbers(Session& s) {
  const session::Analysis& a = s.analysis();
  if (!a.complete) return {};
  const session::Bindings bindings(a.flat);
  const auto overrides = s.number_overrides();
  session::Numbers values(a.flat, bindings, overrides, nullptr);
  std::string out;
  for (std::uint32_t v = 0; v < a.flat.slots; ++v)
    if (a.flat.variability[v] == model::Variability::parameter) out += name(a, session::VarId{v}) + " = " + to_text(values.value(v)) + "\n";
  return out;
}

elaborate::Settings settings() { return {{KRON_SOURCE_DIR "/stdlib"}}; }

// One statement of text, applied to the session.
bool edit(Session& s, const std::string& text) {
  const SourceId id = sources::add("edit", text);
  const syntax::Parsed p = syntax::parse(id);
  REQUIRE_MESSAGE(!p.diagnostics.has_errors(), text);
  bool fine = true;
  for (const auto& stmt : p.statements) fine = s.apply(stmt) && fine;
  s.diagnostics().clear();
  return fine;
}

class Editor {
 public:
  Editor(Session& s, std::uint64_t seed) : s_(s), g_(seed) {}

  std::string base() {
    std::string t =
        "use electrical\n"
        "model Cell\n  a, b, gnd : Pin\n  parameter R = 2\n  parameter C = 0.5\n  r : Resistor(R = R)\n  c : Capacitor(C = C)\n"
        "  connect a, r.p\n  connect r.n, c.p, b\n  connect c.n, gnd\nend\n"
        "src : SineVoltage(V = 1, f = 1)\ng : Ground\nconnect src.n, g.p\n"
        "parameter x0 = 1\nvariable x(start = x0, fixed)\nvariable y\nvariable z(start = 0.5)\nparameter k = 3\n"
        "bank[3] : Resistor(R = 5)\nfor i in 1:3\n  connect bank[i].p, src.p\n  connect bank[i].n, g.p\nend\n"
        "law :: der(x) = -k * y\nmean :: y + z = x\ntwist :: z + 0.1 * sin(z) = 2 * y\n";
    return t;
  }

  std::string next() {
    switch (pick(18)) {
      case 0: case 1: {  // a cell more
        const std::string c = "cell" + std::to_string(++cells_);
        const std::string from = live_.empty() || pick(4) == 0 ? "src.p" : live_[pick(live_.size())] + ".b";
        live_.push_back(c);
        return c + " : Cell(R = " + number() + ")\nconnect " + c + ".a, " + from + "\nconnect " + c + ".gnd, g.p";
      }
      case 2: {
        if (live_.empty()) return "k := " + number();
        const std::size_t i = pick(live_.size());
        const std::string c = live_[i];
        live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(i));
        return "delete " + c;
      }
      case 3: return "k := " + number();
      case 4: return live_.empty() ? "x.start := " + number() : live_[pick(live_.size())] + ".R := " + number();
      case 5: return "law :: der(x) = -k * y + " + number() + " * sin(time)";
      case 6: return "twist :: z + " + number() + " * tanh(z) = 2 * y";
      case 7: return "mean :: y + " + number() + " * z = x";
      case 8: return "src : " + std::string(pick(2) ? "ConstantVoltage(V = " : "SineVoltage(f = 2, V = ") + number() + ")";
      case 9: return "variable q" + std::to_string(++extra_) + " = " + number() + " * x + y";
      case 10:
        return "model Cell\n  a, b, gnd : Pin\n  parameter R = 2\n  parameter C = " + number() +
               "\n  r : Resistor(R = R)\n  c : Capacitor(C = C)\n  l : Resistor(R = 100)\n  connect a, r.p\n  connect r.n, c.p, b, l.p\n"
               "  connect c.n, gnd, l.n\nend";
      case 11: case 12:  // a declaration again, with other numbers
        return live_.empty() ? "parameter k = " + number() : live_[pick(live_.size())] + " : Cell(R = " + number() + (pick(3) ? ")" : ", C = " + number() + ")");
      case 13: return "bank[" + std::to_string(1 + pick(3)) + "].R := " + number();
      case 14: return "bank[3] : Resistor(R = " + (pick(3) ? number() : "2 * k") + ")";
      case 15: return pick(2) ? "x0 := " + number() : "parameter x0 = " + number();
      default: return pick(2) ? "undo" : "redo";
    }
  }

  bool step() {
    const std::string t = next();
    log += t + "\n";
    std::string what;
    if (t == "undo" || t == "redo") {
      // what was deleted or added there is not tracked: edits of a component that is gone fail and change nothing
      return t == "undo" ? s_.undo(what) : s_.redo(what);
    }
    return edit(s_, t);
  }
  std::string log;

 private:
  std::size_t pick(std::size_t n) { return g_() % n; }
  std::string number() { return std::to_string(1 + g_() % 9) + "." + std::to_string(g_() % 10); }
  Session& s_;
  std::mt19937_64 g_;
  std::vector<std::string> live_;
  int cells_ = 0, extra_ = 0;
};

}  // namespace

TEST_CASE("random edits: every analysis is the from-scratch analysis of the workspace's text") {
  std::size_t compared = 0, failed = 0;
#if defined(__SANITIZE_ADDRESS__)
  constexpr std::uint64_t sequences = 300;  // each takes six times as long
#else
  constexpr std::uint64_t sequences = 2000;
#endif
  for (std::uint64_t seed = 1; seed <= sequences && failed < 3; ++seed) {
    Session s(settings());
    Editor editor(s, seed);
    REQUIRE(s.run_text(editor.base()));
    for (int k = 0; k < 6; ++k) {
      editor.step();
      s.diagnostics().clear();
      if (k % 3 != 2) {  // analyse on the way too, so that something is there to be reused
        s.analysis();
        continue;
      }
      const std::string incremental = listing(s.analysis()) + numbers(s);
      const std::string text = s.workspace().text();
      Session fresh(settings());
      REQUIRE_MESSAGE(fresh.run_text(text), text);
      const std::string scratch = listing(fresh.analysis()) + numbers(fresh);
      ++compared;
      const bool same = incremental == scratch;
      if (!same) MESSAGE("seed ", seed, "\n", editor.log, "\n--- text\n", text, "\n--- session\n", incremental, "\n--- scratch\n", scratch);
      CHECK(same);
      failed += !same;
    }
  }
  CHECK(compared >= 2 * sequences - 12);
}
