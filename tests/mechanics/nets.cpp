// Nets of loops: each loop is solved by itself, for those before it.
#include <doctest/doctest.h>

#include <cmath>

#include "lang/workspace/kron.hpp"
#include "tests/mechanics/operations.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;
using kron::test::operations;

namespace {

// Two chains side by side that rungs hold together: what is declared of them, and how a rung is connected.
std::string two_chains(int n, const std::string& declared, const std::string& rung) {
  return "use multibody\nparameter n = " + std::to_string(n) + "\nworld : World\n" + declared + R"(
connect world.frame_b, base.frame_a, jl[1].frame_a
connect base.frame_b, jr[1].frame_a
for k in 1:n
  connect jl[k].frame_b, l[k].frame_a
  connect jr[k].frame_b, r[k].frame_a
)" + rung + R"(end
for k in 2:n
  connect l[k - 1].frame_b, jl[k].frame_a
  connect r[k - 1].frame_b, jr[k].frame_a
end
)";
}
const std::string with_joint =
    "  connect l[k].frame_b, jm[k].frame_a\n  connect jm[k].frame_b, rung[k].frame_a\n  connect rung[k].frame_b, c[k].frame_a\n"
    "  connect c[k].frame_b, r[k].frame_b\n";

std::string rope_ladder(int n) {
  return two_chains(n, R"(base : FixedTranslation(r = {0.5, 0, 0})
jl[n] : Revolute(phi(start = {if mod(k, 2) == 1 then 0.1 else -0.1 for k in 1:n}, fixed), w(fixed))
jr[n] : Revolute(phi(start = {if mod(k, 2) == 1 then 0.1 else -0.1 for k in 1:n}))
l[n] : BodyShape(r = {0, -0.3, 0}, r_CM = {0, -0.15, 0})
r[n] : BodyShape(r = {0, -0.3, 0}, r_CM = {0, -0.15, 0})
jm[n] : Revolute(phi(start = {if mod(k, 2) == 1 then -0.1 else 0 for k in 1:n}))
rung[n] : BodyShape(r = {0.5, 0, 0}, r_CM = {0.25, 0, 0})
c[n] : RevolutePlanarLoopConstraint
)", with_joint);
}

// Two chains of universal joints, rungs on a universal joint and a ball joint.
std::string spatial_ladder(int n) {
  std::string text = "use multibody\nworld : World\ngb : FixedTranslation(r = {1, 0, 0})\nconnect world.frame_b, gb.frame_a\n";
  const auto rod = [&](const std::string& name, const std::string& body, int k, const std::string& from, const std::string& angles, const char* shape) {
    const std::string number = std::to_string(k), z = name + "z" + number, y = name + "y" + number;
    text += z + " : Revolute(phi(start = " + angles.substr(0, angles.find(' ')) + "))\n" + y + " : Revolute(n = {0, 1, 0}, phi(start = " +
            angles.substr(angles.find(' ') + 1) + "))\n" + body + number + " : BodyShape(" + shape + ")\nconnect " + from + ", " + z + ".frame_a\nconnect " + z +
            ".frame_b, " + y + ".frame_a\nconnect " + y + ".frame_b, " + body + number + ".frame_a\n";
    return body + number + ".frame_b";
  };
  constexpr auto side = "r = {0.5, 0, 0}, r_CM = {0.25, 0, 0}, m = 1, I_22 = 0.0208, I_33 = 0.0208";
  std::string left = "world.frame_b", right = "gb.frame_b";
  for (int k = 0; k < n; ++k) {
    const std::string angles = k == 0 ? "-1.2 0.2" : "0 0", cut = "cut" + std::to_string(k);
    left = rod("l", "l", k, left, angles, side);
    right = rod("r", "r", k, right, angles, side);
    const std::string rung = rod("p", "ru", k, left, "1.2 0", "r = {1, 0, 0}, r_CM = {0.5, 0, 0}, m = 0.7, I_22 = 0.0583, I_33 = 0.0583");
    text += cut + " : CutSpherical\nconnect " + rung + ", " + cut + ".frame_a\nconnect " + cut + ".frame_b, " + right + "\n";
  }
  return text;
}

// Straight down, of rods of length 1.
std::string straight_ladder(int n) {
  return two_chains(n, R"(base : FixedTranslation(r = {1, 0, 0})
jl[n] : Revolute(phi(start = {if k == 1 then -pi / 2 else 0 for k in 1:n}))
jr[n] : Revolute(phi(start = {if k == 1 then -pi / 2 else 0 for k in 1:n}))
jm[n] : Revolute(phi(start = pi / 2))
c[n] : RevolutePlanarLoopConstraint
l[n] : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, I_33 = 0.1)
r[n] : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, I_33 = 0.1)
rung[n] : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, I_33 = 0.1)
)", with_joint);
}

// In space, with rungs on ball joints.
std::string net_in_space(int n) {
  return two_chains(n, R"(base : FixedTranslation(r = {1, 0, 0})
jl[n] : Universal(n_a = {0, 0, 1}, n_b = {0, 1, 0}, phi_a(start = {if k == 1 then -pi / 2 else 0 for k in 1:n}))
jr[n] : Universal(n_a = {0, 0, 1}, n_b = {0, 1, 0}, phi_a(start = {if k == 1 then -pi / 2 else 0 for k in 1:n}))
l[n] : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, I_22 = 0.1, I_33 = 0.1)
r[n] : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, I_22 = 0.1, I_33 = 0.1)
rung[n] : SphericalSpherical(rodLength = 1, m = 0.3)
)", "  connect l[k].frame_b, rung[k].frame_a\n  connect rung[k].frame_b, r[k].frame_b\n");
}

// Three chains side by side with rungs between neighbours: two loops of a row share a chain.
std::string three_chains(int n) {
  const auto rod = [](const std::string& name) { return name + "[n] : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, I_33 = 0.1)\n"; };
  std::string text = "use multibody\nparameter n = " + std::to_string(n) + "\nworld : World\n", rows, first;
  for (int i = 0; i < 3; ++i) {
    const std::string k = std::to_string(i), chain = "c" + k, joint = "j" + k;
    text += joint + "[n] : Revolute(phi(start = {if k == 1 then -pi / 2 else 0 for k in 1:n}))\n" + rod(chain) + "p" + k + " : FixedTranslation(r = {" + k + ", 0, 0})\n";
    first += "connect world.frame_b, p" + k + ".frame_a\nconnect p" + k + ".frame_b, " + joint + "[1].frame_a\nfor k in 2:n\n  connect " + chain + "[k - 1].frame_b, " + joint + "[k].frame_a\nend\n";
    rows += "  connect " + joint + "[k].frame_b, " + chain + "[k].frame_a\n";
  }
  for (int i = 0; i < 2; ++i) {
    const std::string k = std::to_string(i), next = std::to_string(i + 1);
    text += "x" + k + "[n] : Revolute(phi(start = pi / 2))\n" + rod("r" + k) + "cut" + k + "[n] : RevolutePlanarLoopConstraint\n";
    rows += "  connect c" + k + "[k].frame_b, x" + k + "[k].frame_a\n  connect x" + k + "[k].frame_b, r" + k + "[k].frame_a\n  connect r" + k + "[k].frame_b, cut" + k +
            "[k].frame_a\n  connect c" + next + "[k].frame_b, cut" + k + "[k].frame_b\n";
  }
  return text + first + "for k in 1:n\n" + rows + "end\n";
}

}  // namespace

// The rows of a loop hold all joints above it, and those of loops side by side all of these: one set of everything, 611 operations for each
// body of a rope ladder of 14 cells, 1,650 of 100.
TEST_CASE("mechanics: nets of loops are solved loop by loop") {
  for (const int n : {4, 12, 14, 60}) {
    CAPTURE(n);
    CHECK(operations(rope_ladder(n)) <= 210.0 * 3 * n);
    CHECK(operations(net_in_space(n)) <= 700.0 * 3 * n);
  }
  for (const int n : {14, 50}) {
    CAPTURE(n);
    CHECK(operations(three_chains(n)) <= 250.0 * 5 * n);
  }
}

// From 30 rungs on all orderings but those with a threshold lost digits at the random points: 3,540 operations for each of 25 rungs, 7,000 to 7,400 of more.
TEST_CASE("mechanics: rope ladders in space stay linear where only orderings with a threshold are good") {
  for (const int n : {25, 30, 40}) {
    CAPTURE(n);
    CHECK(operations(spatial_ladder(n)) <= 4900.0 * n);
  }
}

// The same rungs between the same rails, each rail on the one before or on the rung's ends: loops that are closed elsewhere.
TEST_CASE("mechanics: a rope ladder moves alike by two chains and by cells") {
  constexpr int n = 6;
  Session chains({.library_path = {KRON_SOURCE_DIR "/stdlib"}}), cells({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  std::string other = rope_ladder(n);
  const std::string rails = "connect r[k - 1].frame_b, jr[k].frame_a";
  other.replace(other.find(rails), rails.size(), "connect rung[k - 1].frame_b, jr[k].frame_a");
  REQUIRE_MESSAGE(chains.run_text(rope_ladder(n)), rendered(chains));
  REQUIRE_MESSAGE(cells.run_text(other), rendered(cells));
  for (Session* s : {&chains, &cells}) REQUIRE_MESSAGE(s->simulate({.stop = 2, .points = 10, .tolerance = 1e-10}), rendered(*s));
  for (const char* x : {"r[6].frame_b.r_0[1]", "r[6].frame_b.r_0[2]", "l[4].frame_b.r_0[1]"})
    CHECK_MESSAGE(std::fabs(chains.value(x).value() - cells.value(x).value()) < 1e-7, x);
}

// Three rods lie in one line between the last rung of a ladder and the world: what they leave the ladder is not what they choose from.
TEST_CASE("mechanics: loops that cannot be solved one after the other are solved at once") {
  Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  REQUIRE_MESSAGE(s.run_text(straight_ladder(4) + R"(
far : FixedTranslation(r = {4, -n, 0})
s[3] : Revolute(phi(start = {pi / 2, 0, 0}))
link[3] : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, I_33 = 0.1)
end_of_links : RevolutePlanarLoopConstraint
connect world.frame_b, far.frame_a
connect r[n].frame_b, s[1].frame_a
for k in 1:3
  connect s[k].frame_b, link[k].frame_a
end
for k in 1:2
  connect link[k].frame_b, s[k + 1].frame_a
end
connect link[3].frame_b, end_of_links.frame_a
connect far.frame_b, end_of_links.frame_b
)"), rendered(s));
  CHECK(s.analysis().sets.size() == 10);
  REQUIRE_MESSAGE(s.simulate({.stop = 0.5, .tolerance = 1e-8}), rendered(s));
  CHECK(has_code(s, "N0412"));
  CHECK(s.analysis().sets.size() == 2);
  for (const char* x : {"link[3].frame_b.r_0[1] - 4", "link[3].frame_b.r_0[2] + 4"}) CHECK(std::fabs(s.value(x).value()) < 1e-6);
}
