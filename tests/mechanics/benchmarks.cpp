// Published mechanisms: trajectories against reference values, systems of equations against published sizes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

Session loaded(const std::string& file) {
  Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  REQUIRE_MESSAGE(s.load(std::string(KRON_SOURCE_DIR) + "/" + file), rendered(s));
  return s;
}

// The angle of a row of four-bars with rods and bars of one metre and one kilogram, as of the physical pendulum that it is, at 501 points from 0 to
// 10 s: by Runge's and Kutta's steps of 0.5 ms, whose error is below 1e-11.
std::vector<double> row_of_four_bars(int loops) {
  const double inertia = (loops + 1) / 3.0 + loops, moment = 9.81 * ((loops + 1) / 2.0 + loops), h = 0.0005;
  const auto acceleration = [&](double phi) { return -moment / inertia * std::cos(phi); };
  double phi = std::acos(0.0), w = -1;
  std::vector<double> list{phi};
  for (int step = 1; step <= 20000; ++step) {
    const double a1 = acceleration(phi), w2 = w + h / 2 * a1, a2 = acceleration(phi + h / 2 * w), w3 = w + h / 2 * a2,
                 a3 = acceleration(phi + h / 2 * w2), w4 = w + h * a3, a4 = acceleration(phi + h * w3);
    phi += h / 6 * (w + 2 * w2 + 2 * w3 + w4);
    w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    if (step % 40 == 0) list.push_back(phi);
  }
  return list;
}

}  // namespace

// Rods in one line are a singular position of these mechanisms, which they pass several times.
TEST_CASE("mechanics: N-four-bar") {
  const struct {
    int loops;
    double x, y;  // of the tip at 10 s
  } rows[] = {{2, 0.328458111544, 0.944518538177}, {40, 0.180512226688, 0.983572740582}};
  for (const auto& row : rows) {
    CAPTURE(row.loops);
    Session s = loaded("examples/n_four_bar.eq");
    REQUIRE(s.run_text("parameter N = " + std::to_string(row.loops)));
    REQUIRE_MESSAGE(s.simulate({.stop = 10, .tolerance = 1e-9}), rendered(s));
    const std::vector<double> first = s.series("foot[1].phi").value(), last = s.series("foot[N + 1].phi").value();
    for (std::size_t point = 0; point < first.size(); ++point) CHECK(std::abs(last[point] - first[point]) < 1e-8);
    const std::vector<double> exact = row_of_four_bars(row.loops);
    for (std::size_t point = 0; point < first.size(); ++point) CHECK(std::abs(first[point] - exact[point]) < 1e-6);
    CHECK(s.value("rod[1].frame_b.r_0[1]").value() == doctest::Approx(row.x).epsilon(1e-6));
    CHECK(s.value("rod[1].frame_b.r_0[2]").value() == doctest::Approx(row.y).epsilon(1e-6));
  }
}

// The same written from its far end, of hinges alone, one too many in each loop, or not; no state is asked for. Every loop has to be cut for
// itself, and Newton's iteration for 80 angles has to stop at roundings, which 1 / sin(phi) makes large where rods are nearly in one line.
TEST_CASE("mechanics: N-four-bar, written backwards") {
  constexpr int loops = 40;
  const std::string hinge = "Revolute(phi(start = pi / 2))", needed = "RevolutePlanarLoopConstraint";
  for (const auto& [forwards, closing] : {std::pair{true, hinge}, {false, hinge}, {false, needed}}) {
    CAPTURE(forwards);
    CAPTURE(closing);
    const std::string length = forwards ? "{1, 0, 0}" : "{-1, 0, 0}", centre = forwards ? "{0.5, 0, 0}" : "{-0.5, 0, 0}";
    std::string text = "use multibody\nworld : World(g = 9.81)\n", connections;
    for (int k = loops; k >= 0; --k) {
      const std::string n = std::to_string(k), from = std::to_string(forwards ? k - 1 : k), to = std::to_string(forwards ? k : k - 1);
      if (k > 0)
        text += "cut" + n + " : " + closing + "\nbar" + n + " : BodyShape(r = " + length + ", r_CM = " + centre +
                ", m = 1, I_22 = 1 / 12, I_33 = 1 / 12)\npin" + n + " : Revolute(phi(start = -pi / 2))\n";
      text += "rod" + n + " : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, m = 1, I_22 = 1 / 12, I_33 = 1 / 12)\nfoot" + n +
              " : Revolute(phi(start = pi / 2" + (k == 0 ? ", fixed), w(start = -1, fixed))" : "))") + "\nground" + n + " : FixedTranslation(r = {" + n + ", 0, 0})\n";
      if (k > 0)
        connections += "connect cut" + n + ".frame_b, rod" + to + ".frame_b\nconnect bar" + n + ".frame_b, cut" + n +
                       ".frame_a\nconnect pin" + n + ".frame_b, bar" + n + ".frame_a\nconnect rod" + from + ".frame_b, pin" + n + ".frame_a\n";
      connections += "connect foot" + n + ".frame_b, rod" + n + ".frame_a\nconnect ground" + n + ".frame_b, foot" + n +
                     ".frame_a\nconnect world.frame_b, ground" + n + ".frame_a\n";
    }
    Session s(elaborate::Settings{{KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE(s.run_text(text + connections));
    REQUIRE_MESSAGE(s.simulate({.stop = 10, .tolerance = 1e-9}), rendered(s));
    CHECK(std::fabs(s.value("rod0.frame_b.r_0[1]").value() - 0.180512226688) < 1e-6);
    CHECK(std::fabs(s.value("rod0.frame_b.r_0[2]").value() - 0.983572740582) < 1e-6);
    const std::vector<double> exact = row_of_four_bars(loops);
    for (const int foot : {0, loops}) {
      const std::vector<double> angle = s.series("foot" + std::to_string(foot) + ".phi").value();
      REQUIRE(angle.size() == exact.size());
      for (std::size_t point = 0; point < angle.size(); ++point)
        CHECK(std::fabs(std::remainder(angle[point] - exact[point], 4 * std::acos(0.0))) < 1e-6);
    }
  }
}

// A stage of a step within 1e-3 of a singular position has rounding errors for derivatives. Which rows, tolerances and lengths come so near is chance.
TEST_CASE("mechanics: rows of four-bars pass their singular positions wherever steps meet them") {
  std::size_t met = 0;
  for (int k = 0; k < 12; ++k) {
    const int loops = 2 + k;
    const double tolerance = std::pow(10, -7 - k % 4), length = 1 + 0.02 * (k % 5), speed = -1 - 0.01 * k;
    CAPTURE(k);
    std::vector<double> angle;
    for (const double accuracy : {tolerance, 0.7 * tolerance}) {
      Session s = loaded("examples/n_four_bar.eq");
      REQUIRE(s.run_text("parameter N = " + std::to_string(loops) + "\nrod.r := {{" + to_text(length) + ", 0, 0} for k in 1:N + 1}\nfoot.w.start := {if k == 1 then " +
                         to_text(speed) + " else 0 for k in 1:N + 1}"));
      REQUIRE_MESSAGE(s.simulate({.stop = 6, .tolerance = accuracy}), rendered(s));
      angle.push_back(s.value("foot[1].phi").value());
      // The rods stay parallel at every output point: near a singular one Newton's method may not go over to another branch.
      const std::vector<double> first = s.series("foot[1].phi").value(), last = s.series("foot[N + 1].phi").value();
      for (std::size_t point = 0; point < first.size(); ++point) CHECK(std::abs(last[point] - first[point]) < 1e-8);
      met += s.result()->counters.error_test_fails;
    }
    CHECK(angle[0] == doctest::Approx(angle[1]).epsilon(1e4 * tolerance));
  }
  CHECK(met > 24);
}

TEST_CASE("mechanics: Andrews' squeezer from bodies and joints") {
  Session s = loaded("examples/andrews_bodies.eq");
  REQUIRE_MESSAGE(s.simulate({.stop = 0.03, .points = 10, .tolerance = 1e-10}), rendered(s));
  const std::pair<const char*, double> reference[] = {  // test set of IVP solvers
      {"beta", 15.81077119629904}, {"theta", -15.75637105984298}, {"gamma", 0.04082224013073101}, {"phi", -0.5347301163226948},
      {"delta", 0.5244099658805304}, {"omega", 0.5347301163226948}, {"epsilon", 1.048080741042263}};
  for (const auto& [joint, angle] : reference)
    CHECK_MESSAGE(s.value(joint + std::string(".phi")).value() == doctest::Approx(angle).epsilon(1e-5), joint);
}

// What is left of the coupled equations, block by block, by kind and level of differentiation; of linear ones without any mark, and torn.
// Trees leave the accelerations of their joints to the torn.
TEST_CASE("mechanics: systems of equations that are left") {
  const struct {
    const char *name, *file;
    std::size_t nonlinear, linear, torn;  // the largest; torn: of all linear ones, with `:set solve tear`
  } rows[] = {
      {"robot with six joints", "examples/robot_6_axes.eq", 0, 0, 6},
      {"double pendulum", "tests/reference/multibody_double_pendulum.eq", 0, 0, 2},
      {"four-bar in space", "tests/reference/multibody_fourbar1.eq", 3, 0, 7},
      {"one-cylinder engine", "tests/reference/multibody_engine1a.eq", 2, 0, 7},
  };
  for (const auto& row : rows)
    for (const bool torn : {false, true}) {
      CAPTURE(row.name);
      CAPTURE(torn);
      Session s = loaded(row.file);
      if (torn) s.options().solve = "tear";
      const session::Analysis& a = s.analysis();
      REQUIRE_MESSAGE(a.complete, rendered(s));
      for (const session::Block& b : a.blocks) {
        if (b.initial) continue;
        if (b.kind == session::BlockKind::nonlinear) CHECK(b.how().core <= row.nonlinear);
        else CHECK(b.how().core <= (torn ? row.torn : row.linear));
        if (torn && row.nonlinear == 0 && b.how().core > 0) CHECK(b.how().core == row.torn);
      }
    }
}

// Sizes before tearing, against those of Dymola 2020x for the examples of the Modelica Standard Library. (Of RobotR3.FullRobot: its arm,
// with elastic drives and with those of the example.)
TEST_CASE("mechanics: no block has more unknowns than Dymola's") {
  const struct {
    const char* file;
    std::size_t linear, nonlinear, states;
  } rows[] = {
      {"tests/reference/multibody_double_pendulum.eq", 11, 1, 4},  {"tests/reference/multibody_fourbar1.eq", 89, 45, 2},
      {"tests/mechanics/robot_r3.eq", 137, 1, 24},                 {"tests/mechanics/robot_r3_drives.eq", 137, 1, 18},
      {"tests/reference/cauer_low_pass_analog.eq", 10, 1, 5},      {"tests/reference/coupled_clutches.eq", 13, 1, 8},
  };
  for (const auto& row : rows)
    for (const char* solve : {"auto", "tear"}) {
      CAPTURE(std::string(row.file));
      CAPTURE(std::string(solve));
      Session s = loaded(row.file);
      s.options().solve = solve;
      const session::Analysis& a = s.analysis();
      REQUIRE_MESSAGE(a.complete, rendered(s));
      CHECK(a.states.size() <= row.states);
      for (const session::Block& b : a.blocks) CHECK(b.unknowns.size() <= (b.kind == session::BlockKind::nonlinear ? row.nonlinear : row.linear));
    }
}

// The spatial four-bar of "Methods for tearing systems of equations" (Elmqvist and Otter, 1994): 3 for positions, 3 for velocities, 7 for
// the dynamics where a cut joint is placed by hand. Here nobody places one, and the text has its statements in any order.
TEST_CASE("mechanics: a four-bar in space is cut in its ball joint, whatever the order of the text") {
  std::vector<std::string> parts = {"world : World",
                                    "crank : Revolute(n = {1, 0, 0}, phi(start = 0.2, fixed), w(start = 6, fixed), stateSelect = always)",
                                    "arm : BodyCylinder(r = {0, 0.5, 0.1}, diameter = 0.05)",
                                    "ball : Spherical",
                                    "coupler : BodyCylinder(r = {1, -0.3, -0.1}, diameter = 0.05)",
                                    "cardan : Universal(n_a = {0, 0, 1}, n_b = {0, 1, 0})",
                                    "slider : BodyBox(r = {0.2, 0, 0}, width = 0.1, r_shape = {-0.1, 0, 0})",
                                    "slide : Prismatic(n = {1, 0, 0}, s(start = 1))",
                                    "base : FixedTranslation(r = {0.2, 0.2, 0})"};
  std::vector<std::pair<std::string, std::string>> connections = {
      {"world.frame_b", "crank.frame_a"}, {"world.frame_b", "base.frame_a"},     {"crank.frame_b", "arm.frame_a"},
      {"arm.frame_b", "ball.frame_a"},    {"ball.frame_b", "coupler.frame_a"},   {"coupler.frame_b", "cardan.frame_a"},
      {"cardan.frame_b", "slider.frame_a"}, {"base.frame_b", "slide.frame_a"}, {"slide.frame_b", "slider.frame_a"}};
  for (unsigned seed = 0; seed < 8; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    if (seed > 0) {
      std::shuffle(parts.begin(), parts.end(), random);
      std::shuffle(connections.begin(), connections.end(), random);
    }
    std::string text = "use multibody\n";
    for (const std::string& p : parts) text += p + "\n";
    for (auto& [a, b] : connections) {
      if (seed % 2 == 1)
        for (std::string* x : {&a, &b})
          if (x->starts_with("ball.")) x->back() = x->back() == 'a' ? 'b' : 'a';
      text += random() % 2 == 0 ? "connect " + a + ", " + b + "\n" : "connect " + b + ", " + a + "\n";
    }
    text += "variable turned[3, 3] = multibody.from_Q(ball.Q) * ball.frame_a.R.T - ball.frame_b.R.T\n";
    Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE_MESSAGE(s.run_text(text), rendered(s));
    s.options().solve = "tear";
    for (const session::Block& b : s.analysis().blocks)
      if (!b.initial) CHECK(b.how().core <= (b.kind == session::BlockKind::nonlinear ? 1 : b.unknowns.size() < 20 ? 3 : 6));
    s.options().solve = "auto";
    for (const session::Block& b : s.analysis().blocks)
      if (!b.initial && b.kind == session::BlockKind::linear) CHECK(b.how().core == 0);
    for (const std::size_t points : {500, 12, 5}) {  // far from each other: the slide's other position satisfies the equations, too
      CAPTURE(points);
      REQUIRE_MESSAGE(s.simulate({.stop = 2, .points = points, .tolerance = 1e-9}), rendered(s));
      CHECK(s.value("slide.s").value() == doctest::Approx(0.7143654629).epsilon(1e-6));
    }
    for (const char* element : {"turned[1,1]", "turned[1,2]", "turned[2,3]", "turned[3,1]"}) CHECK(std::fabs(s.value(element).value()) < 1e-12);
  }
}

// All rods lie along the ground five times in 10 s. Nobody says which angles are states; the row moves as one pendulum,
// ((N + 1)/3 + N) phi'' = -g ((N + 1)/2 + N) cos(phi).
TEST_CASE("mechanics: a row of parallelograms moves as one pendulum, whatever the order of the text") {
  for (unsigned seed = 0; seed < 8; ++seed) {
    CAPTURE(seed);
    const int loops = 2 + static_cast<int>(seed % 3);
    std::vector<std::string> parts = {"world : World(g = 9.81)"}, connections;
    const auto add = [&](std::vector<std::string>& list, std::string text, int k) {
      for (std::size_t at; (at = text.find('#')) != std::string::npos;) text.replace(at, 1, std::to_string(k));
      list.push_back(text);
    };
    for (int k = 0; k <= loops; ++k) {
      add(parts, k == 0 ? "a# : Revolute(phi(start = pi / 2, fixed), w(start = -1, fixed))" : "a# : Revolute(phi(start = pi / 2))", k);
      add(parts, "F# : Fixed(r = {#, 0, 0})", k);
      add(parts, "L# : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, m = 1, I_22 = 1 / 12, I_33 = 1 / 12)", k);
      add(connections, "connect F#.frame_b, a#.frame_a", k);
      add(connections, "connect a#.frame_b, L#.frame_a", k);
      if (k == loops) break;
      add(parts, "p# : Revolute(phi(start = -pi / 2))", k);
      add(parts, "C# : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, m = 1, I_22 = 1 / 12, I_33 = 1 / 12)", k);
      add(parts, "c# : RevolutePlanarLoopConstraint", k);
      add(connections, "connect L#.frame_b, p#.frame_a", k);
      add(connections, "connect p#.frame_b, C#.frame_a", k);
      add(connections, "connect C#.frame_b, c#.frame_a", k);
      add(connections, "connect L" + std::to_string(k + 1) + ".frame_b, c#.frame_b", k);
    }
    std::mt19937 random(seed);
    std::shuffle(parts.begin(), parts.end(), random);
    std::shuffle(connections.begin(), connections.end(), random);
    std::string text = "use multibody\n";
    for (const auto* list : {&parts, &connections})
      for (const std::string& line : *list) text += line + "\n";
    const std::string n = std::to_string(loops);
    text += "variable x(start = pi / 2, fixed), v(start = -1, fixed)\nder(x) = v\n((" + n + " + 1) / 3 + " + n + ") * der(v) = -9.81 * ((" + n +
            " + 1) / 2 + " + n + ") * cos(x)\n";
    Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE_MESSAGE(s.run_text(text), rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = 10, .tolerance = 1e-9}), rendered(s));
    CHECK(std::fabs(s.value("L0.frame_b.r_0[1]").value() - std::cos(s.value("x").value())) < 1e-5);
    CHECK(std::fabs(s.value("L0.frame_b.r_0[2]").value() - std::sin(s.value("x").value())) < 1e-5);
  }
}
