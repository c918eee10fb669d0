// Edits beside what is there: the tape's beginning is copied from the analysis before (engine/session/emission.hpp). Edits that change what a
// block's code depends on without changing its equations must be seen all the same.
#include <doctest/doctest.h>

#include "tests/incremental/listing.hpp"

using namespace kron;
using namespace kron::test;

namespace {

std::string chain(int bodies) {
  std::string t = "use multibody\nworld : World\n", before = "world.frame_b";
  for (int k = 1; k <= bodies; ++k) {
    const std::string n = std::to_string(k);
    t += "joint" + n + " : Revolute(n = " + (k % 2 ? "{0, 1, 0}" : "{0, 0, 1}") + ")\nbody" + n + " : BodyShape(r = {0.7, 0, 0}, r_CM = {0.3, 0.02, 0.05}, m = 1.2)\nconnect " +
         before + ", joint" + n + ".frame_a\nconnect joint" + n + ".frame_b, body" + n + ".frame_a\n";
    before = "body" + n + ".frame_b";
  }
  return t;
}

const char* const circuit =
    "use electrical\nsrc : SineVoltage(V = 1, f = 1)\ng : Ground\nconnect src.n, g.p\nr[5] : Resistor(R = 2)\nc[5] : Capacitor(C = 0.5)\n"
    "connect src.p, r[1].p\nfor k in 1:4\n  connect r[k].n, r[k+1].p\nend\nfor k in 1:5\n  connect r[k].n, c[k].p\n  connect c[k].n, g.p\nend\n";

const char* const equations =
    "parameter a = 2\nparameter p = 3 * a\nparameter s = 0.5\nvariable x(start = 1)\nlaw :: der(x) = -p * y\nvariable y(start = s)\nvariable z(start = 0.25)\n"
    "one :: y + tanh(z) = x\ntwo :: z + y^3 = p * x\nvariable u\nvariable v\nsum :: u + p * v = x\ndifference :: a * u - v = y\n";

}  // namespace

TEST_CASE("edits beside a block: its code is copied, and all is what a new session has") {
  const std::string mechanics = chain(5);
  const struct {
    const char* name;
    std::string model;
    const char* edit;
    double kept;  // of all blocks, at least
  } rows[] = {
      {"an equation beside a chain", mechanics, "variable extra = 2.25 * joint3.phi", 0.99},
      {"an equation that reads the chain's unknowns", mechanics, "variable extra = 2.25 * joint3.a + body4.frame_a.f[1]", 0.99},
      {"a parameter and an equation: the slots of all others move", mechanics, "parameter q = 3\nvariable extra = q * joint1.w", 0.99},
      {"a body that hangs on the world", mechanics, "probe : Body(m = 0.2)\nconnect probe.frame_a, world.frame_b", 0.4},
      {"an equation beside a circuit with events", circuit, "variable extra = 2 * r[2].v", 0.99},
      {"a loop beside a circuit", circuit, "s2 : ConstantVoltage(V = 2)\nload : Resistor(R = 7)\nconnect load.p, s2.p\nconnect load.n, s2.n, g.p", 0.4},
      {"a load in the middle", circuit, "load : Resistor(R = 7)\nconnect load.p, r[4].n\nconnect load.n, g.p", 0.2},
      {"an equation beside equations", equations, "variable w = u * v", 0.99},
      {"an equation that goes", std::string(equations) + "variable w = u * v\n", "delete w", 0.99},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.name));
    Session s(settings());
    REQUIRE(s.run_text(row.model));
    REQUIRE(s.analysis().complete);
    REQUIRE(s.run_text(row.edit));
    REQUIRE(s.analysis().complete);
    CHECK(static_cast<double>(s.reuse().blocks_kept) >= row.kept * static_cast<double>(s.analysis().blocks.size()) - 1);
    Session fresh(settings());
    REQUIRE(fresh.run_text(s.workspace().text()));
    CHECK(listing(s.analysis()) + numbers(s) == listing(fresh.analysis()) + numbers(fresh));
  }
}

TEST_CASE("edits that equations do not show: the code is made anew") {
  const struct {
    const char* name;
    std::string model;
    const char* edit;
  } rows[] = {
      {"a parameter that is computed in another way", equations, "parameter p = a^2 + 1"},
      {"a parameter that becomes a number", equations, "parameter p = 7"},
      {"a parameter that becomes an unknown", equations, "delete p\nvariable p = x^2"},
      {"a parameter that the start of a run finds", equations, "parameter p(fixed = false) = 3 * a\ninitial p = 5"},
      {"a parameter that it finds no more", std::string(equations) + "parameter k(fixed = false) = 3 * a\nfind :: initial k = 5\nvariable w = k * u\n",
       "delete find\nparameter k = 3 * a"},
      {"a start value that is computed", equations, "variable y(start = 2 * s)"},
      {"a nominal value and a limit", equations, "variable z(start = 0.25, nominal = 100, min = -3)"},
      {"a state that is none any more", equations, "law :: x = sin(time)"},
      {"one more state", equations, "variable t(start = 2, fixed) = -der(t)"},
      {"a torn variable", equations, "tear v"},
      {"a mark", equations, "difference :: a * relax(u) - v = y"},
      {"an array in place of declared parts", std::string(circuit) + "x1 : Resistor(R = 3)\nx2 : Resistor(R = 3)\nconnect x1.p, r[1].n\nconnect x1.n, x2.p\nconnect x2.n, g.p\n",
       "delete x1\ndelete x2\nx[2] : Resistor(R = 3)\nconnect x[1].p, r[1].n\nconnect x[1].n, x[2].p\nconnect x[2].n, g.p"},
      {"a source that jumps", circuit, "src : StepVoltage(V = 1, startTime = 0.2)"},
      {"another connection of the same potentials", chain(3), "delete connect joint2.frame_b, body2.frame_a\nconnect body2.frame_a, joint2.frame_b"},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.name));
    Session s(settings());
    REQUIRE(s.run_text(row.model));
    REQUIRE(s.analysis().complete);
    s.run_text(row.edit);
    s.diagnostics().clear();
    REQUIRE(s.analysis().complete);
    Session fresh(settings());
    REQUIRE(fresh.run_text(s.workspace().text()));
    CHECK(listing(s.analysis()) + numbers(s) == listing(fresh.analysis()) + numbers(fresh));
  }
}

// Each analysis keeps what the one before kept, too.
TEST_CASE("a row of edits beside a block, and their undoing") {
  Session s(settings());
  REQUIRE(s.run_text(chain(3)));
  REQUIRE(s.analysis().complete);
  const std::string first = listing(s.analysis()) + numbers(s);
  for (int k = 0; k < 6; ++k) {
    const std::string n = std::to_string(k);
    REQUIRE(s.run_text("parameter q" + n + " = 1.5\nvariable extra" + n + " = q" + n + " * joint2.phi"));
    REQUIRE(s.analysis().complete);
    CHECK(s.reuse().blocks_kept + 2 >= s.analysis().blocks.size());
  }
  std::string what;
  for (int k = 0; k < 12; ++k) REQUIRE(s.undo(what));
  CHECK(listing(s.analysis()) + numbers(s) == first);
}

// The code is made on another thread, in steps of which the last ones do not come where an analysis ends with an error.
TEST_CASE("programs after edits that nobody asked a program of, and after some that failed, are those of a new session") {
  std::string ladder = "use electrical\nsrc : SineVoltage(V = 1, f = 1)\ng : Ground\nconnect src.n, g.p\nr[1500] : Resistor(R = 2)\n"
                       "c[1500] : Capacitor(C = 0.5)\nconnect src.p, r[1].p\nfor k in 1:1499\n  connect r[k].n, r[k+1].p\nend\n"
                       "for k in 1:1500\n  connect r[k].n, c[k].p\n  connect c[k].n, g.p\nend\n";
  const struct {
    const char* edit;
    bool complete;
  } rows[] = {
      {"variable extra = 2 * r[700].v", true},
      {"parameter q(fixed = false)\nvariable more = q * c[3].v", false},  // nothing determines q
      {"variable third = 3 * r[800].v", false},
      {"load : Resistor(R = 7)\nconnect load.p, r[900].n\nconnect load.n, g.p", false},
      {"q := 2", false},
      {"delete more\ndelete q", true},
      {"variable fourth = c[5].v^2", true},
      {"floating : Resistor(R = 1)\nvariable fifth = floating.v", false},
      {"connect floating.p, r[20].n\nconnect floating.n, g.p", true},
  };
  for (const bool asked : {true, false}) {
    CAPTURE(asked);
    Session s(settings());
    REQUIRE(s.run_text(ladder));
    REQUIRE(s.analysis().complete);
    for (const auto& row : rows) {
      CAPTURE(std::string(row.edit));
      REQUIRE(s.run_text(row.edit));
      if (asked) CHECK(s.analysis().complete == row.complete);
      else s.analysis();
      if (!asked && std::string_view(row.edit).find("floating.p") == std::string_view::npos) continue;
      Session fresh(settings());
      REQUIRE(fresh.run_text(s.workspace().text()));
      CHECK(listing(s.analysis()) + numbers(s) == listing(fresh.analysis()) + numbers(fresh));
      REQUIRE(static_cast<bool>(s.analysis().program) == fresh.analysis().complete);
      if (fresh.analysis().complete) CHECK(code::fingerprint(*s.analysis().program) == code::fingerprint(*fresh.analysis().program));
    }
  }
}
