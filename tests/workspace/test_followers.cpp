// What one other unknown of a coupled block gives, as a sum at a node, a mass or a gear: no unknowns of it, but assignments behind it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "lang/workspace/kron.hpp"

using namespace kron;

namespace {

// Sizes of the blocks of several unknowns, and what follows each of them: "2 R2.i by V.i".
std::string coupled(const session::Analysis& a) {
  std::string out;
  for (const session::Block& b : a.blocks) {
    if (b.unknowns.size() < 2) continue;
    out += (out.empty() ? "" : "; ") + std::to_string(b.unknowns.size());
    for (const auto& [x, y] : b.how().followers) out += " " + name(a, x) + " by " + name(a, y);
  }
  return out;
}

// Each unknown is in one block, which has as many equations, and is known by its name.
void check_blocks(const session::Analysis& a) {
  std::vector<std::size_t> times(a.block_of.size(), 0);
  for (std::size_t b = 0; b < a.blocks.size(); ++b) {
    CHECK(a.blocks[b].unknowns.size() == a.blocks[b].equations.size());
    for (model::VarId v : a.blocks[b].unknowns) {
      ++times[v.value];
      CHECK(a.block_of[v.value] == b);
      CHECK(session::find(a, name(a, v)) == v);
    }
    for (const session::Pivot& p : a.blocks[b].how().pivots) CHECK(std::max(p.equation, p.unknown) < a.blocks[b].unknowns.size());
  }
  for (std::size_t v = 0; v < times.size(); ++v) CHECK(times[v] == (a.block_of[v] == session::none ? 0u : 1u));
}

const elaborate::Settings libraries{{KRON_SOURCE_DIR "/stdlib"}};

const std::string node = R"(use electrical
V : SineVoltage(V = 10, f = 1)
R1 : Resistor(R = 2)
R2 : Resistor(R = 3)
L : Inductor(L = 0.5, i(start = 1, fixed))
g : Ground
connect V.p, R1.p
connect R1.n, R2.p, L.p
connect V.n, R2.n, L.n, g.p
)";

}  // namespace

const std::string train = R"(use rotational
motor : Torque
rotor : Inertia(J = 0.1)
gear : IdealGear(ratio = 10)
load : Inertia(J = 2, phi(fixed), w(fixed))
motor.tau = sin(time)
connect motor.flange, rotor.flange_a
connect rotor.flange_b, gear.flange_a
connect gear.flange_b, load.flange_a
)";
const std::string capacitors = R"(use electrical
V : SineVoltage(V = 10, f = 1)
R1 : Resistor(R = 2)
C1 : Capacitor(C = 1, v(start = 0, fixed))
C2 : Capacitor(C = 2)
C3 : Capacitor(C = 3)
g : Ground
connect V.p, R1.p
connect R1.n, C1.p, C2.p
connect C2.n, C3.p
connect V.n, C1.n, C3.n, g.p
)";

TEST_CASE("what follows coupled blocks") {
  struct Row { const char* name; std::string text; const char* solve; const char* blocks; };
  const Row rows[] = {
      {"an inductor at a node", node, "auto", "2 R2.i by V.i"},
      {"the same, torn", node, "tear", "2 V.i by R2.i"},
      {"the same, as a matrix", node, "dense", "3"},
      {"two known flows at a node", node + "L2 : Inductor(L = 1, i(start = 0, fixed))\nconnect L2.p, R1.n\nconnect L2.n, g.p\n", "auto", "2 R2.i by V.i"},
      {"no known flow", node + "R3 : Resistor(R = 1)\nconnect R3.p, R1.n\nconnect R3.n, g.p\n", "auto", "4"},
      {"a gear between inertias", train, "auto", "2 rotor.flange_b.tau by rotor.a gear.flange_b.tau by rotor.a"},
      {"the same, torn", train, "tear", "2 rotor.flange_b.tau by rotor.a gear.flange_b.tau by rotor.a"},
      {"capacitors in a loop", capacitors, "auto", "4 C2.i by C1.i"},
      {"a line of known flows", node + "R3 : Resistor(R = 1)\nL2 : Inductor(L = 1, i(start = 0, fixed))\ndelete connect R2.n\n"
       "connect R2.n, R3.p, L2.p\nconnect L2.n, R3.n, g.p\n", "auto", "5"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.name));
    Session s(libraries);
    s.options().solve = row.solve;
    REQUIRE(s.run_text(row.text));
    const session::Analysis& a = s.analysis();
    REQUIRE(a.complete);
    CHECK(coupled(a) == row.blocks);
    check_blocks(a);
    for (const session::Block& b : a.blocks)
      for (const auto& [x, y] : b.how().followers) {
        const session::Block& own = a.blocks[a.block_of[x.value]];
        CHECK(own.unknowns.size() == 1);
        if (row.text.starts_with("use electrical")) CHECK(equation_label(a, own, 0).starts_with("sum("));  // OnePort names its current i
        CHECK(std::find(b.unknowns.begin(), b.unknowns.end(), y) != b.unknowns.end());
      }
  }
}

TEST_CASE("a flow that follows a block has the value that the sum gives it") {
  Session s(libraries);
  REQUIRE(s.run_text(node));
  REQUIRE(s.simulate({.stop = 0.3, .tolerance = 1e-9}));
  const double r1 = *s.value("R1.i"), r2 = *s.value("R2.i"), l = *s.value("L.i");
  CHECK(r1 - r2 == doctest::Approx(l).epsilon(1e-12));
  CHECK(2 * r1 + 3 * r2 == doctest::Approx(*s.value("V.v")).epsilon(1e-12));
  CHECK(std::abs(l) > 1e-3);
}

TEST_CASE("flows follow blocks likewise after edits") {
  const char* const edits[] = {"R2 : Resistor(R = 4)\n", "R3 : Resistor(R = 1)\nconnect R3.p, V.p\nconnect R3.n, g.p\n", "delete R3\n", "L : Capacitor(C = 0.5)\n",
                               "L : Inductor(L = 1)\n"};
  Session s(libraries);
  REQUIRE(s.run_text(node));
  CHECK(coupled(s.analysis()) == "2 R2.i by V.i");
  for (const char* edit : edits) {
    CAPTURE(std::string(edit));
    REQUIRE(s.run_text(edit));
    Session fresh(libraries);
    REQUIRE(fresh.run_text(s.workspace().text()));
    REQUIRE(s.analysis().complete);
    check_blocks(s.analysis());
    CHECK(s.analysis().blocks.size() == fresh.analysis().blocks.size());
    CHECK(coupled(s.analysis()) == coupled(fresh.analysis()));
  }
}

// An arm that branches, with a damper, a motor and a spring in its joints: as many flows follow as nodes have a known one.
TEST_CASE("torques that follow the block of a mechanism") {
  const std::string arm = R"(use multibody
world : World
j1 : Revolute(useAxisFlange = true, phi(start = 0.3, fixed), w(fixed))
j2 : Revolute(n = {0, 1, 0}, useAxisFlange = true, phi(start = -0.4, fixed), w(fixed))
j3 : Revolute(n = {1, 1, 0}, useAxisFlange = true, phi(fixed), w(start = 2, fixed))
b1, b2, b3 : BodyShape(r = {0.5, 0.1, 0}, r_CM = {0.2, 0, 0.1}, m = 2)
damper : rotational.Damper(d = 0.3)
motor : rotational.Torque
motor.tau = sin(time)
spring : rotational.Spring(c = 5)
ground : rotational.Fixed
connect world.frame_b, j1.frame_a
connect j1.frame_b, b1.frame_a
connect b1.frame_b, j2.frame_a, j3.frame_a
connect j2.frame_b, b2.frame_a
connect j3.frame_b, b3.frame_a
connect j1.axis, damper.flange_a
connect damper.flange_b, ground.flange
connect j2.axis, motor.flange
connect j3.axis, spring.flange_a
connect spring.flange_b, ground.flange
)";
  std::map<std::string, double> ends;  // of what follows a block with one setting, and of a state
  for (const char* solve : {"auto", "tear", "relax", "dense"}) {
    CAPTURE(std::string(solve));
    Session s(libraries);
    s.options().solve = solve;
    REQUIRE(s.run_text(arm));
    const session::Analysis& a = s.analysis();
    REQUIRE(a.complete);
    check_blocks(a);
    std::size_t followers = 0;
    for (const session::Block& b : a.blocks) followers += b.how().followers.size();
    CHECK((followers > 0) == (std::string(solve) != "dense"));
    REQUIRE(s.simulate({.stop = 1, .tolerance = 1e-10}));
    if (ends.empty()) {
      ends["j3.phi"] = *s.value("j3.phi");
      for (const session::Block& b : a.blocks)
        for (const auto& [x, y] : b.how().followers) ends[name(a, x)] = *s.value(name(a, x));
    }
    for (const auto& [what, value] : ends) CHECK_MESSAGE(*s.value(what) == doctest::Approx(value).epsilon(what == "j3.phi" ? 1e-8 : 1e-7), what);
  }
}
