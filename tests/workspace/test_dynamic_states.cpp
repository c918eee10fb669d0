// Dynamic sets of states: what is chosen from, that nothing is lost where the choice changes, that a fixed choice is made where one works.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "engine/session/system.hpp"
#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

// A pendulum of length 1: start position, speed.
std::string pendulum(const std::string& x, const std::string& y, const std::string& speed) {
  return "variable x(" + x + ")\nvariable y(" + y + ")\nvariable vx(" + speed + ") = der(x)\nvariable vy = der(y)\nvariable F\n" +
         "variable E = (vx^2 + vy^2) / 2 + 9.81 * y\nlength :: x^2 + y^2 = 1\nder(vx) = -x * F\nder(vy) = -y * F - 9.81\n";
}
const std::string turns = pendulum("start = 0, fixed", "start = -1", "start = 7, fixed");
const std::string swings = pendulum("start = 0.6, fixed", "start = 0.8", "start = 0, fixed");
std::string in_angle(const std::string& phi, const std::string& speed) {
  return "variable phi(start = " + phi + ", fixed)\nvariable w(start = " + speed +
         ", fixed) = der(phi)\nvariable E = w^2 / 2 - 9.81 * cos(phi)\nder(w) = -9.81 * sin(phi)\n";
}

const std::string quaternion =
    "variable q1\nvariable q2\nvariable q3\nvariable q4(start = 1)\n"
    "variable w1(start = 0.1, fixed)\nvariable w2(start = 2, fixed)\nvariable w3(start = 0.2, fixed)\n"
    "q1^2 + q2^2 + q3^2 + q4^2 = 1\n"
    "w1 = 2 * (q4 * der(q1) + q3 * der(q2) - q2 * der(q3) - q1 * der(q4))\n"
    "w2 = 2 * (-q3 * der(q1) + q4 * der(q2) + q1 * der(q3) - q2 * der(q4))\n"
    "w3 = 2 * (q2 * der(q1) - q1 * der(q2) + q4 * der(q3) - q3 * der(q4))\n"
    "der(w1) = (2 - 3) * w2 * w3\n2 * der(w2) = (3 - 1) * w3 * w1\n3 * der(w3) = (1 - 2) * w1 * w2\n"
    "variable norm = q1^2 + q2^2 + q3^2 + q4^2\nvariable E = (w1^2 + 2 * w2^2 + 3 * w3^2) / 2\n"
    "variable hx = (1 - 2 * (q2^2 + q3^2)) * w1 + 4 * (q1 * q2 - q3 * q4) * w2 + 6 * (q1 * q3 + q2 * q4) * w3\n"
    "variable hy = 2 * (q1 * q2 + q3 * q4) * w1 + 2 * (1 - 2 * (q1^2 + q3^2)) * w2 + 6 * (q2 * q3 - q1 * q4) * w3\n";

// A point on a circle and a slider that it moves, driven, and held to the solution by springs and dampers: x = sin(2 t), y = cos(2 t), s = sin(2 t) cos(2 t) solve it.
const std::string manufactured =
    "variable x(start = 0)\nvariable y(start = 1)\nvariable s(start = 0)\nvariable u(start = 2) = der(x)\nvariable v = der(y)\nvariable r = der(s)\n"
    "variable a\nvariable b\ncircle :: x^2 + y^2 = 1\nslider :: s = x * y\n"
    "der(u) = 2 * a * x - b * y - (2 * sin(time) * sin(2 * time) - cos(2 * time) * cos(time) + 4 * sin(2 * time)) - 10 * (u - 2 * cos(2 * time)) - 25 * (x - sin(2 * time))\n"
    "der(v) = 2 * a * y - b * x - (2 * sin(time) * cos(2 * time) - sin(2 * time) * cos(time) + 4 * cos(2 * time)) - 10 * (v + 2 * sin(2 * time)) - 25 * (y - cos(2 * time))\n"
    "der(r) = b - cos(time) - 8 * sin(4 * time)\n";

// A point on a circle that is driven by its third derivative: T steers its speed w back to 1, at which it starts.
const std::string jerk =
    "variable x(start = 0)\nvariable y(start = 1)\nvariable u(start = 1) = der(x)\nvariable v(start = 0) = der(y)\n"
    "variable a(start = 0) = der(u)\nvariable b(start = -1) = der(v)\nvariable w = u * y - v * x\n"
    "variable T = -w^3 - 2 * (a * y - b * x) - 2 * (w - 1)\nvariable F\nx^2 + y^2 = 1\nder(a) = T * y - F * x\nder(b) = -T * x - F * y\n";

// Masses that hang on each other by rods of length 1, in Cartesian coordinates: a chain of pendulums.
std::string masses(int n) {
  std::string text = "variable E = ", equations;
  for (int k = 1; k <= n; ++k) {
    const std::string i = std::to_string(k), h = std::to_string(k - 1), j = std::to_string(k + 1);
    const auto rod = [&](const char* x) { return "(" + (x + i) + (k > 1 ? " - " + (x + h) : std::string()) + ")"; };
    const auto below = [&](const char* x) { return k < n ? " + (" + (x + j) + " - " + (x + i) + ") * F" + j : std::string(); };
    equations += "variable x" + i + "(start = " + std::to_string(0.9 * k) + ")\nvariable y" + i + "(start = " + std::to_string(-0.4 * k) + ")\nvariable u" + i + " = der(x" + i +
                 ")\nvariable v" + i + " = der(y" + i + ")\nvariable F" + i + "\n" + rod("x") + "^2 + " + rod("y") + "^2 = 1\nder(u" + i + ") = -" +
                 rod("x") + " * F" + i + below("x") + "\nder(v" + i + ") = -" + rod("y") + " * F" + i + below("y") + " - 9.81\n";
    text += (k > 1 ? " + (u" : "(u") + i + "^2 + v" + i + "^2) / 2 + 9.81 * y" + i;
  }
  return equations + text + "\n";
}

// Two inertias p and q, to be declared, on a gear.
const std::string inertias =
    "variable t\nvariable u\nvariable w = der(p)\nvariable z = der(q)\n3 * der(w) = 10 - t\nder(z) = u\np = 2.5 * q\nu = 2.5 * t\n";

struct Loaded {
  Session s{{.library_path = {KRON_SOURCE_DIR "/stdlib"}}};
  explicit Loaded(const std::string& text) { REQUIRE_MESSAGE(s.run_text(text), rendered(s)); }
  const simulate::Result& run(double until, double tolerance, std::size_t points, simulate::Method method = simulate::Method::automatic,
                              unsigned precision = 15) {
    const bool good = s.simulate({.stop = until, .points = points, .tolerance = tolerance, .method = method, .precision = precision});
    REQUIRE_MESSAGE(good, rendered(s));
    return *s.result();
  }
  double value(const std::string& e, std::optional<double> at = std::nullopt) { return s.value(e, at).value(); }
  double spread(const std::string& e) {  // largest distance from the first value
    const auto v = s.series(e).value();
    double most = 0;
    for (double x : v) most = std::max(most, std::fabs(x - v[0]));
    return most;
  }
};

// "x y | vx vy", candidates set by set; then the fixed states.
std::string choice_of(const session::Analysis& a) {
  std::string sets, fixed;
  for (const auto& set : a.sets) {
    if (!sets.empty()) sets += "| ";
    sets += std::to_string(set.slots) + " of ";
    for (auto v : set.candidates) sets += name(a, v) + " ";
  }
  for (const auto& s : a.states)
    if (s.set < 0) fixed += name(a, s.variable) + " ";
  return sets + "; " + fixed;
}

}  // namespace

TEST_CASE("dynamic states: what is chosen from") {
  const std::string with_angle =
      "variable phi(start = 1)\nvariable w = der(phi)\nvariable x\nvariable y\nvariable vx = der(x)\nvariable vy = der(y)\nvariable F\n"
      "der(vx) = -F * sin(phi)\nder(vy) = F * cos(phi) - 9.81\nx = sin(phi)\ny = -cos(phi)\n";
  const struct {
    const char* name;
    std::string text, expected;
  } rows[] = {
      {"pendulum", turns, "1 of x y | 1 of vx vy ; "},
      {"its angle added", with_angle, "; phi w "},
      {"a hint decides", pendulum("start = 0.6, state = prefer", "start = -0.8", "start = 1"), "; x vx "},
      {"a hint against one of two", pendulum("start = 0.6, state = avoid", "start = -0.8", "start = 1, state = avoid"), "; y vy "},
      {"a hint against a position says nothing of its speed", pendulum("start = 0.6, state = avoid", "start = -0.8", "start = 1"), "1 of vx vy ; y "},
      {"index 4", jerk, "1 of x y | 1 of u v | 1 of a b ; "},
      {"orientation", quaternion, "3 of q1 q2 q3 q4 ; w1 w2 w3 "},
      {"a part of the constraints is constant", manufactured, "1 of x y | 1 of u v ; "},
      {"prescribed trajectory", "variable x\nvariable v = der(x)\nvariable F\n2 * der(v) = F\nx = sin(3 * time)\n", "; "},
      {"coupled inertias",
       "variable p\nvariable q\n" + inertias,
       "; q z "},
      {"wishes for two names of one variable: the stronger one counts",
       "variable p(state = avoid)\nvariable q\nvariable s(state = prefer)\n" + inertias + "s = p\n", "; p w "},
      {"the stronger one first", "variable s(state = prefer)\nvariable p(state = avoid)\nvariable q\n" + inertias + "s = -p\n", "; p w "},
      {"wishes against it too", "variable p(state = avoid)\nvariable q(state = never)\nvariable s(state = avoid)\n" + inertias + "s = q\n", "; q z "},
      {"capacitor loop",
       "variable a(start = 1)\nvariable b\nvariable c\nvariable i\nvariable j\nvariable k\nder(a) = i\n2 * der(b) = j\n3 * der(c) = k\n"
       "a + b + c = sin(time)\ni = k - a\nj = k - b\n", "; a b "},
      {"inductor cut-set",
       "variable i(start = 1)\nvariable j\nvariable k\nvariable u\nvariable v\nder(i) = u - i\n2 * der(j) = u - 2 * j\n3 * der(k) = u + v\n"
       "v = -k\ni + j + k = cos(time)\n", "; i j "},
      {"two independent sets", "variable a\nvariable b(start = 1)\nvariable c\nvariable d(start = 1)\nvariable p\nvariable q\na^2 + b^2 = 1\nc^2 + d^2 = 2\n"
       "der(a) = b + a * p\nder(b) = -a + b * p\nder(c) = d + c * q\nder(d) = -c + d * q\n", "1 of a b | 1 of c d ; "},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Loaded m(row.text);
    const session::Analysis& a = m.s.analysis();
    REQUIRE_MESSAGE(a.complete, rendered(m.s));
    CHECK(choice_of(a) == row.expected);
    m.run(0.1, 1e-6, 10);
  }
}

TEST_CASE("dynamic states: wishes that the constraints do not leave") {
  const struct {
    const char* name;
    std::string text;
    std::vector<std::string> said;
  } rows[] = {
      {"always both", pendulum("start = 0.6, state = always", "start = -0.8, state = always", ""), {"`x` is not always a state", "`y` is not always a state"}},
      {"never either", pendulum("start = 0.6, state = never", "start = -0.8, state = never", ""), {"`x` may become a state all the same", "`y` may become a state all the same"}},
      {"always one", pendulum("start = 0.6, state = always", "start = -0.8", ""), {}},
      {"never one", pendulum("start = 0.6, state = never", "start = -0.8", ""), {}},
      {"always both of a fixed choice", "variable p(state = always)\nvariable q(state = always)\n" + inertias, {"`p` is no state"}},
      {"never an only one", "variable x(start = 1, state = never)\nder(x) = -x", {"`x` is a state all the same"}},
      {"one that is set anew", pendulum("start = 0.6", "start = -0.8", "") + "when time > 0.1\n  reinit x = 0.9 * x\nend\n", {}},
      {"a set of wheels", "use multibody\nworld : World(n = {0, 0, -1})\nset : RollingWheelSet", {}},
      {"a set of wheels with a body", "use multibody\nworld : World(n = {0, 0, -1})\nset : RollingWheelSet\nb : Body(m = 10)\nconnect set.frameMiddle, b.frame_a", {}},
      {"an alias may be one", "variable x(start = 1, state = always)\nvariable y(state = always)\nder(x) = -x\ny = -x", {}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Loaded m(row.text);
    std::vector<std::string> said;
    for (const Diagnostic& d : m.s.analysis().diagnostics.list())
      if (d.code == "W0317") said.push_back(d.message);
    CHECK(said == row.said);
  }
}

// Who says where x starts does not avoid x, nor its speed, whichever is declared first.
TEST_CASE("dynamic states: a start that is told makes a state of what its class avoids") {
  for (const char* told : {"x", "y"})
    for (const auto& [first, last] : {std::pair{"  variable w(state = avoid)\n  variable v(state = avoid)\n", ""}, {"", "  variable v(state = avoid)\n  variable w(state = avoid)\n"}}) {
      CAPTURE(told);
      Loaded m("model M\n" + std::string(first) + "  variable x(state = avoid)\n  variable y(state = avoid)\n" + last +
               "  der(x) = w\n  der(y) = v\n  y = 2 * x\n  der(v) + der(w) = -y\nend\na : M(" + told + "(start = 2))");
      std::vector<std::string> states;
      for (const auto& state : m.s.analysis().states) states.push_back(session::name(m.s.analysis(), state.variable));
      std::ranges::sort(states);
      CHECK(states == (told == std::string("x") ? std::vector<std::string>{"a.w", "a.x"} : std::vector<std::string>{"a.v", "a.y"}));
    }
}

TEST_CASE("dynamic states: what is said of a candidate") {
  Loaded m(turns);
  const session::Analysis& a = m.s.analysis();
  std::string said;
  for (const std::string& reason : session::explain(a, *model::find(a.flat, "vx")).reasons) said += reason + "\n";
  CAPTURE(said);
  for (const char* what : {"dynamic set 2: 1 of 2 is a state", "how `der(length)` binds them varies", "1 other unknown ("})
    CHECK_MESSAGE(said.find(what) != std::string::npos, what);
}

TEST_CASE("dynamic states: the length holds at every output point, ten times as many as steps") {
  for (const auto* text : {&turns, &swings}) {
    Loaded m(*text);
    const auto& r = m.run(100, 1e-8, 100'000);
    CHECK(10 * r.counters.steps <= r.counters.points);
    CHECK(r.counters.state_switches > 100);
    CHECK(m.spread("sqrt(x^2 + y^2)") < 1e-9);
  }
}

TEST_CASE("dynamic states: energy of a pendulum drifts at most twice as in its angle") {
  const struct {
    const char* name;
    std::string text, angle;
  } rows[] = {{"turns", turns, in_angle("0", "7")}, {"swings", swings, in_angle("2.498091544796509", "0")}};
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Loaded m(row.text), angle(row.angle);
    m.run(1000, 1e-8, 2000);
    angle.run(1000, 1e-8, 2000);
    CHECK(m.spread("E") <= 2 * angle.spread("E"));
  }
}

// The state is left where it determines the other worse than the other would it: between equality and what a step may pass.
TEST_CASE("dynamic states: switches where the coordinates cross") {
  Loaded m(turns);
  const auto& r = m.run(10, 1e-8, 500);
  REQUIRE(r.trajectory.choices_.size() > 10);
  for (std::size_t k = 1; k < r.trajectory.choices_.size(); ++k) {
    const auto& c = r.trajectory.choices_[k];
    const double x = std::fabs(m.value("x", c.since)), y = std::fabs(m.value("y", c.since));
    const bool now_x = c.chosen[0] == 0;
    CAPTURE(c.since);
    CHECK((now_x ? y / x : x / y) > 1.1);
    CHECK((now_x ? y / x : x / y) < 1.5);
  }
}

// x in units that are 1,024 times smaller: what is a state when, and what error its steps may make, is the same.
TEST_CASE("dynamic states: nominal values make an ellipse of a pendulum's circle") {
  Loaded circle(turns);
  Loaded ellipse("variable x(start = 0, fixed, nominal = 1024)\nvariable y(start = -1)\nvariable vx(start = 7168, fixed, nominal = 1024) = der(x)\n"
                 "variable vy = der(y)\nvariable F\nvariable E = ((vx / 1024)^2 + vy^2) / 2 + 9.81 * y\n(x / 1024)^2 + y^2 = 1\n"
                 "der(vx) = -x * F\nder(vy) = -y * F - 9.81\n");
  const auto& c = circle.run(100, 1e-8, 500).counters;
  const auto& e = ellipse.run(100, 1e-8, 500).counters;
  CHECK(static_cast<double>(e.state_switches) == doctest::Approx(static_cast<double>(c.state_switches)).epsilon(0.02));
  CHECK(static_cast<double>(e.steps) == doctest::Approx(static_cast<double>(c.steps)).epsilon(0.02));
  CHECK(ellipse.spread("E") <= 2 * circle.spread("E"));
}

TEST_CASE("dynamic states: every integrator, every precision") {
  for (const auto method : {simulate::Method::rk45, simulate::Method::bdf, simulate::Method::adams}) {
    Loaded m(turns);
    const auto& r = m.run(5, 1e-10, 50, method);
    CAPTURE(static_cast<int>(method));
    CHECK(r.counters.state_switches > 10);
    CHECK(m.spread("x^2 + y^2") < 1e-9);
    CHECK(m.spread("E") < 1e-5);
  }
  Loaded m(turns);
  const auto& r = m.run(2, 1e-20, 20, simulate::Method::automatic, 25);
  CHECK(r.counters.state_switches > 4);
  CHECK(m.spread("E") < 1e-12);
  for (double t : {0.111, 0.333, 0.55, 0.777, 1.234}) CHECK(m.value("E", t) == doctest::Approx(49 / 2.0 - 9.81).epsilon(1e-2));  // between points
}

TEST_CASE("dynamic states: starts") {
  const struct {
    const char* name;
    std::string text;
    double x, y;
  } rows[] = {
      {"level: the position is determined by the other", pendulum("start = 1", "start = 0", ""), 1, 0},
      {"hanging", pendulum("start = 0", "start = -1", ""), 0, -1},
      {"only one is given", pendulum("start = 0.6", "", ""), 0.6, 0.8},
      {"fixed", pendulum("start = -0.6, fixed", "start = -1", ""), -0.6, -0.8},
      {"an initial equation", pendulum("start = 1", "start = 1", "") + "initial x = y\n", std::sqrt(0.5), std::sqrt(0.5)},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Loaded m(row.text);
    m.run(1, 1e-8, 10);
    CHECK(m.value("x", 0) == doctest::Approx(row.x).epsilon(1e-9));
    CHECK(m.value("y", 0) == doctest::Approx(row.y).epsilon(1e-9));
    CHECK(m.spread("E") < 1e-5);
  }
}

TEST_CASE("dynamic states: a body tumbles for 1,000 s by its quaternion") {
  Loaded m(quaternion);
  const auto& r = m.run(1000, 1e-10, 2000);
  CHECK(r.counters.state_switches > 100);
  CHECK(m.spread("norm") < 1e-10);
  for (const char* kept : {"E", "hx", "hy"}) CHECK_MESSAGE(m.spread(kept) < 1e-8, kept);  // 1e-10 a step, 5e4 steps of either sign
}

TEST_CASE("dynamic states: a manufactured solution of index 3") {
  Loaded m(manufactured);
  m.run(10, 1e-9, 200);
  const auto error = [&](const std::string& e) { return m.spread("(" + e + ")"); };
  CHECK(error("x - sin(2 * time)") < 1e-7);
  CHECK(error("y - cos(2 * time)") < 1e-7);
  CHECK(error("s - sin(4 * time) / 2") < 1e-7);
  CHECK(error("a - sin(time)") < 1e-6);
  CHECK(error("b - cos(time)") < 1e-6);
}

TEST_CASE("dynamic states: three levels of one set, index 4") {
  Loaded m(jerk);
  const auto& r = m.run(10, 1e-9, 200);
  CHECK(r.counters.state_switches > 4);
  CHECK(m.spread("x - sin(time)") < 1e-6);
  CHECK(m.spread("y - cos(time)") < 1e-6);
  CHECK(m.spread("F") < 1e-5);
}

// Of more than twelve candidates each step of the constraints is a set of its own.
TEST_CASE("dynamic states: sets that choose one after the other lose nothing") {
  CHECK(choice_of(Loaded(masses(3)).s.analysis()) == "3 of x1 y1 x2 y2 x3 y3 | 3 of u1 v1 u2 v2 u3 v3 ; ");
  Loaded m(masses(7));
  CHECK(choice_of(m.s.analysis()).starts_with("1 of x1 y1 | 1 of x2 y2 | 1 of x3 y3 | "));
  const auto& r = m.run(3, 1e-10, 200);
  REQUIRE(r.switches.size() == 7);
  CHECK(r.counters.state_switches > 7);
  CHECK(m.spread("E") < 1e-5);
  for (const char* length : {"x1^2 + y1^2", "(x7 - x6)^2 + (y7 - y6)^2"}) CHECK(m.spread(length) < 1e-9);
}

// A wish for one of two masses' coordinates. With that a state for good the others would be chosen from alone, which is wrong where the second rod
// hangs level or straight down, and no step fails there.
TEST_CASE("dynamic states: what is wished for is chosen from, too, where a set's rows hold it") {
  std::string text = masses(2);
  const std::string y2 = "variable y2(start = -0.800000)";
  REQUIRE(text.find(y2) != std::string::npos);
  text.replace(text.find(y2), y2.size(), "variable y2(start = -0.8, state = prefer)");
  Loaded wished(text), plain(masses(2));
  CHECK(choice_of(wished.s.analysis()).starts_with("2 of x1 y1 x2 y2 | "));
  for (Loaded* m : {&wished, &plain}) m->run(4, 1e-10, 100);
  CHECK(wished.spread("E") < 1e-6);
  for (const char* x : {"x1", "x2"}) CHECK(std::fabs(wished.value(x) - plain.value(x)) < 1e-4);
}

// A ladder of rods in Cartesian coordinates: what the steps of the constraints are depends on their order, and none may be taken for one
// whose candidates others determine.
TEST_CASE("dynamic states: the order of constraints does not matter") {
  std::vector<std::string> constraints;
  constexpr int rungs = 4;
  const auto at = [](const char* x, int k) { return k <= 0 ? std::string(x[0] == 'x' && k == 0 ? "1" : "0") : x + std::to_string(k); };  // point -1: (0, 0), 0: (1, 0)
  std::vector<std::pair<int, int>> rods;
  for (int k = 1; k <= rungs; ++k) {
    rods.emplace_back(2 * k - 1, 2 * k - 3);
    rods.emplace_back(2 * k, 2 * k - 2);
    rods.emplace_back(2 * k - 1, 2 * k);
  }
  std::string declarations, equations;
  for (int p = 1; p <= 2 * rungs; ++p) {
    const std::string i = std::to_string(p);
    declarations += "variable x" + i + "(start = " + std::to_string(p % 2 == 0) + ")\nvariable y" + i + "(start = " + std::to_string(-(p + 1) / 2) + ")\nvariable u" + i +
                    " = der(x" + i + ")\nvariable v" + i + " = der(y" + i + ")\n";
    for (const auto& [x, u] : {std::pair{"x", "u"}, std::pair{"y", "v"}}) {
      equations += "der(" + (u + i) + ") = 0" + (u[0] == 'v' ? " - 9.81" : "");
      for (std::size_t r = 0; r < rods.size(); ++r)
        for (const auto& [own, other] : {rods[r], std::pair{rods[r].second, rods[r].first}})
          if (own == p) equations += " - F" + std::to_string(r) + " * (" + at(x, own) + " - " + at(x, other) + ")";
      equations += "\n";
    }
  }
  for (std::size_t r = 0; r < rods.size(); ++r) {
    declarations += "variable F" + std::to_string(r) + "\n";
    const auto square = [&](const char* x) { return "(" + at(x, rods[r].first) + " - " + at(x, rods[r].second) + ")^2"; };
    constraints.push_back(square("x") + " + " + square("y") + " = 1\n");
  }
  std::mt19937_64 lots(5);
  std::optional<double> first;
  for (int order = 0; order < 12; ++order) {
    CAPTURE(order);
    std::string all = declarations;
    for (const std::string& c : constraints) all += c;
    Loaded m(all + equations + "u1.start := 0.4\nu3.start := -0.3\n");
    REQUIRE_MESSAGE(m.s.analysis().complete, rendered(m.s));
    m.run(0.5, 1e-9, 2);
    const double now = m.value("x7");
    if (!first) first = now;
    CHECK(now == doctest::Approx(*first).epsilon(1e-6));
    std::ranges::shuffle(constraints, lots);
  }
}

// Where no polynomials are kept: from either side of a switch to where it happened.
TEST_CASE("dynamic states: no jump between output points where the choice changes") {
  Loaded m(turns);
  const auto& r = m.run(2, 1e-20, 200, simulate::Method::automatic, 25);
  REQUIRE(r.trajectory.choices_.size() > 4);
  for (std::size_t k = 1; k < r.trajectory.choices_.size(); ++k) {
    const double at = r.trajectory.choices_[k].since;
    CAPTURE(at);
    for (const char* v : {"x", "y", "E"})
      CHECK_MESSAGE(std::fabs(m.value(v, at + 1e-6) - m.value(v, at - 1e-6)) < 1e-3, v);
  }
}

// By what a run counts; tests/bench/selection counts instructions.
TEST_CASE("dynamic states: what the choice costs against a fixed one that works too") {
  const struct {
    const char* name;
    std::string file, text, fixed;
    std::size_t least_switches, most_switches;
    double most;
  } rows[] = {
      {"nothing switches", "/examples/two_loops.eq", "", "variable q1(start = 0.5, fixed, state = always)", 0, 0, 1.02},
      {"a switch each second", "", pendulum("start = 0.9396926207859084, fixed", "start = -0.3420201433256687", "start = 0, fixed"),
       "variable x(start = 0.9396926207859084, fixed, state = always)", 20, 80, 1.1},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Loaded chosen(row.text), fixed(row.text);
    for (Loaded* m : {&chosen, &fixed})
      if (!row.file.empty()) REQUIRE_MESSAGE(m->s.load(KRON_SOURCE_DIR + row.file), rendered(m->s));
    REQUIRE_MESSAGE(fixed.s.run_text(row.fixed), rendered(fixed.s));
    const auto& a = chosen.run(20, 1e-8, 500).counters;
    const auto& b = fixed.run(20, 1e-8, 500).counters;
    CHECK(b.state_switches == 0);
    CHECK(a.state_switches >= row.least_switches);
    CHECK(a.state_switches <= row.most_switches);
    CHECK(static_cast<double>(a.steps) <= row.most * static_cast<double>(b.steps));
    CHECK(static_cast<double>(a.rhs_evals) <= row.most * static_cast<double>(b.rhs_evals));
  }
}

TEST_CASE("dynamic states: Andrews' squeezer") {
  Session s;
  REQUIRE_MESSAGE(s.load(std::string(KRON_SOURCE_DIR) + "/examples/andrews_squeezer.eq"), rendered(s));
  REQUIRE(s.simulate({.stop = 0.03, .points = 10, .tolerance = 1e-10}));
  const std::pair<const char*, double> reference[] = {  // test set of IVP solvers
      {"beta", 15.81077119629904}, {"theta", -15.75637105984298}, {"gamma", 0.04082224013073101}, {"phi", -0.5347301163226948},
      {"delta", 0.5244099658805304}, {"omega", 0.5347301163226948}, {"eps", 1.048080741042263}};
  for (const auto& [name, value] : reference) CHECK_MESSAGE(s.value(name).value() == doctest::Approx(value).epsilon(1e-6), name);
  CHECK(s.result()->counters.state_switches > 0);
}
