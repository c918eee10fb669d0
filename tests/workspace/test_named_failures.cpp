// Runs that cannot give numbers end with a diagnostic that names the variable, the time and the equation.
#include <doctest/doctest.h>

#include <cmath>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

const std::string pushed_pendulum =
    "variable y(start = -0.8)\nvariable vx(start = 5, fixed)\nvariable vy\nvariable F\n"
    "der(x) = vx\nder(y) = vy\nder(vx) = -x * F\nder(vy) = -y * F - 9.81\nlength :: x^2 + y^2 = 1\n";

// Start values of a pendulum: across, down, across per second.
struct Start {
  std::string x, y, vx;
};

// Two pendulums whose accelerations across are coupled, each with the position across for its state.
std::string coupled_pendulums(const Start& a, const Start& b) {
  return "variable x(start = " + a.x + ", fixed, state = always)\nvariable p(start = " + b.x + ", fixed, state = always)\n"
         "variable y(start = " + a.y + ")\nvariable vx(start = " + a.vx + ", fixed)\nvariable vy\nvariable F\n"
         "variable q(start = " + b.y + ")\nvariable vp(start = " + b.vx + ", fixed)\nvariable vq\nvariable G\n"
         "der(x) = vx\nder(y) = vy\nder(p) = vp\nder(q) = vq\n"
         "der(vx) + 0.1 * der(vp) = -x * F\nder(vy) = -y * F - 9.81\nx^2 + y^2 = 1\n"
         "der(vp) + 0.1 * der(vx) = -p * G\nder(vq) = -q * G - 9.81\np^2 + q^2 = 1\n";
}

// 60 pendulums, each coupled with its neighbours by the accelerations across; one of them turns over.
const std::string row_of_pendulums =
    "parameter n : Integer = 60\nparameter x0[n] = {(if k == 37 then 0.6 else 0.1) for k in 1:n}\n"
    "parameter v0[n] = {(if k == 37 then 5 else 0) for k in 1:n}\n"
    "variable x[n](start = x0, fixed, state = always), y[n](start = -0.8), vx[n](start = v0, fixed), vy[n], F[n]\nder(x) = vx\nder(y) = vy\n"
    "for k in 1:n\n"
    "  der(vx[k]) + 0.1 * (if k > 1 then der(vx[k - 1]) else 0) + 0.1 * (if k < n then der(vx[k + 1]) else 0) = -x[k] * F[k]\n"
    "  der(vy[k]) = -y[k] * F[k] - 9.81\n  length :: x[k]^2 + y[k]^2 = 1\nend\n";

}  // namespace

TEST_CASE("no infinite value passes in silence") {
  const struct {
    const char* name;
    std::string text;
    const char* code;
    std::vector<const char*> named;  // in the rendered diagnostic
    std::size_t points;              // kept, of 0, 0.5, 1, 1.5, 2
  } rows[] = {
      {"parameter", "parameter p = 1 / 0\nvariable x = p * time", "E0411", {"`p` is infinite", "1 / 0"}, 0},
      {"power beyond doubles", "parameter p = 2^1000000000\nvariable x = p * time", "E0411", {"`p` is infinite"}, 0},
      {"parameter of a parameter", "parameter R = 0\nparameter G = 1 / R\nparameter H = 2 * G\nvariable x = H * time", "E0411", {"`G` is infinite"}, 0},
      {"unused parameter", "parameter p = sqrt(-1)\nvariable x = time", "E0411", {"`p` is not a number"}, 0},
      {"start", "parameter a = 0\nvariable x(start = 1 / a, fixed)\nder(x) = -x", "E0411", {"the start value of `x` is infinite"}, 0},
      {"start by an equation that does not determine it there", "variable k(start = 0, fixed)\nvariable x\nder(k) = 1\nder(x) = -x\ninitial k * x = 1", "E0401",
       {"the start value of `x` is infinite", "divides by what is zero at the start"}, 0},
      {"nominal value", "variable x(start = 1, fixed, nominal = 1 / 0)\nder(x) = -x", "E0411", {"the nominal value of `x` is infinite"}, 0},
      {"isolation, without states", "parameter a = 0\nvariable x\ncause :: a * x = time", "E0403", {"at time 0:", "`x` is not a number", "`cause`"}, 0},
      {"the first of a chain", "parameter a = 0\nvariable c = b + 1\nvariable b\nvariable x(start = 1, fixed)\ncause :: a * b = 1\nder(x) = -x", "E0403",
       {"`b` is infinite", "`cause`"}, 0},
      {"output on the way", "variable x(start = 1, fixed)\nder(x) = -1\nvariable y\ncause :: y * (x - 0.5) = 1", "E0403",
       {"at time 0.5:", "`y` is infinite", "`cause`"}, 1},
      {"derivative", "variable x(start = 1, fixed)\nvariable z(start = 0, fixed)\nvariable r\nder(x) = -1\ncause :: r = sqrt(x)\nder(z) = r", "E0403",
       {"`r` is not a number", "`cause`"}, 2},
      {"start by an initial equation", "parameter a = 0\nvariable x\nder(x) = -x\ninitial a * x = 1", "E0401", {"at time 0:", "text:4:1:", "`x`", "`e2`"}, 0},
      {"block of outputs", "variable x(start = 1, fixed)\nvariable y(start = 1)\nder(x) = -1\ncause :: y^2 = x", "E0402", {"`y`", "`cause`"}, 3},
      {"a root of infinite slope that is none", "variable x(start = 1, fixed)\nvariable y(start = 1)\nder(x) = -1\ncause :: sqrt(y) = x", "E0402", {"`y`", "`cause`"}, 3},
      {"a state that goes to infinity", "variable x(start = 0.8, fixed)\nvariable y(start = 1, fixed)\nder(y) = -y\ncause :: der(x) = x^2", "E0404",
       {"text:4:1:", "at time 1.2", "`cause`", "look first at `x`"}, 3},
      {"a derivative whose square is no number", "variable x(start = 1, fixed)\ncause :: der(x) = 1e308*x", "E0404", {"`x` changes too fast"}, 1},
      {"a state of second order", "variable x(start = 1, fixed)\nvariable v(start = 1, fixed)\nder(x) = v\ncause :: der(v) = 6 * x^2", "E0404",
       {"text:4:1:", "`cause`"}, 3},
      {"a state of a dynamic set", "variable x(start = 0.6, fixed), y(start = -0.8), vx(start = 0.8, fixed), vy, T\nder(x) = vx\nder(y) = vy\nder(vx) = T*x - y*f\n"
       "der(vy) = T*y + x*f\ncause :: x^2 + y^2 = 1\nvariable f = 1e3*sin(1e13*(1 + x))", "E0404", {"rounding errors", "`der(cause)`", "look first at `vx`"}, 1},
      {"unfit choice of states", "variable x(start = 0.6, fixed, state = always)\n" + pushed_pendulum, "E0412", {"at time 0.16", "choice of states `x`", "`length` does not determine `y`"}, 1},
      {"unfit for the first of two coupled constraints", coupled_pendulums({"0.6", "-0.8", "5"}, {"0.1", "-1", "0"}), "E0412", {"at time 0.16", "choice of states"}, 1},
      {"unfit for the second", coupled_pendulums({"0.1", "-1", "0"}, {"0.6", "-0.8", "5"}), "E0412", {"at time 0.16", "choice of states"}, 1},
      {"unfit for one of a row", row_of_pendulums, "E0412", {"at time 0.166", "choice of states `x[37]`", "`length[37]` does not determine `y[37]`"}, 1},
      {"unfit from the start", "variable x(start = 1, fixed, state = always)\n" + pushed_pendulum, "E0412", {"at time 0:", "choice of states `x`"}, 0},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s;
    REQUIRE_MESSAGE(s.run_text(row.text), rendered(s));
    CHECK_FALSE(s.simulate({.stop = 2, .points = 4}));
    const std::string text = rendered(s);
    CAPTURE(text);
    CHECK(text.find(row.code) != std::string::npos);
    for (const char* what : row.named) CHECK_MESSAGE(text.find(what) != std::string::npos, what);
    CHECK((s.result() ? s.result()->trajectory.size() : 0) == row.points);
    CHECK(s.workspace().text().find(row.text.substr(0, 8)) != std::string::npos);  // the model is still there
  }
}

// Each look costs as much as all choices; a step that many fall in is looked into once.
TEST_CASE("choices of states are looked at together, however many there are") {
  for (const char* n : {"4", "60"}) {
    CAPTURE(n);
    Session s;
    std::string text = row_of_pendulums;
    text.replace(text.find("60"), 2, n);
    REQUIRE(s.run_text(text));
    REQUIRE(s.run_text("v0 := {0 for k in 1:n}"));
    auto p = s.problem();
    REQUIRE(p);
    CHECK(p->choices.size() == static_cast<std::size_t>(std::stoi(n)));
    std::size_t looks = 0;
    p->regularity = [&, of = p->regularity](double t, std::span<const double> states, std::span<const double> outputs, std::span<const double> free,
                        std::span<double> all) {
      ++looks;
      of(t, states, outputs, free, all);
      for (double x : all) CHECK((x > 0 && x <= 1));
    };
    const simulate::Result r = simulate::simulate(*p, {.stop = 1});
    REQUIRE(r.ok());
    CHECK(looks <= r.counters.steps + 2 + 2 * 31);
  }
}

TEST_CASE("what is insisted on stays where wishes beside it are given up") {
  Session s;  // on a sphere
  REQUIRE(s.run_text("variable x(start = 0.6, fixed, state = prefer)\nvariable y(start = -0.6)\nvariable z(start = 0.5, fixed, state = always)\n"
                     "variable vx(start = 3, fixed), vy, vz(start = 0, fixed), F\nder(x) = vx\nder(y) = vy\nder(z) = vz\n"
                     "der(vx) = -x * F\nder(vy) = -y * F - 9.81\nder(vz) = -z * F\nx^2 + y^2 + z^2 = 1\n"
                     "variable E = (vx^2 + vy^2 + vz^2) / 2 + 9.81 * y"));
  REQUIRE_MESSAGE(s.simulate({.stop = 2, .points = 4, .tolerance = 1e-8}), rendered(s));
  CHECK(has_code(s, "N0412"));
  const double y = -std::sqrt(1 - 0.36 - 0.25), vy = -0.6 * 3 / y;
  CHECK(*s.value("E") == doctest::Approx((9 + vy * vy) / 2 + 9.81 * y).epsilon(1e-6));
  REQUIRE(s.analysis().sets.size() == 2);  // of x and y, and of their rates: one state each
  CHECK(s.analysis().states.size() == 4);  // with z and its rate
}

TEST_CASE("a choice of states by wishes is given up where it becomes singular") {
  Session s;
  REQUIRE(s.run_text("variable x(start = 0.6, fixed, state = prefer)\n" + pushed_pendulum + "variable E = (vx^2 + vy^2) / 2 + 9.81 * y"));
  REQUIRE_MESSAGE(s.simulate({.stop = 2, .points = 4, .tolerance = 1e-8}), rendered(s));
  CHECK(has_code(s, "N0412"));
  const double energy = *s.value("E");
  const double vy = 5 * 0.6 / 0.8;
  CHECK(energy == doctest::Approx((25 + vy * vy) / 2 - 9.81 * 0.8).epsilon(1e-6));
  CHECK(s.result()->trajectory.size() >= 5);
  // Known for as long as the text is the same, numbers may change.
  s.diagnostics().clear();
  REQUIRE(s.simulate({.stop = 2, .points = 4, .tolerance = 1e-8}));
  CHECK_FALSE(has_code(s, "N0412"));
  CHECK(*s.value("E") == doctest::Approx(energy).epsilon(1e-6));
  REQUIRE(s.run_text("variable twice = 2 * x"));
  REQUIRE(s.simulate({.stop = 0.1, .points = 4, .tolerance = 1e-8}));
  CHECK(s.analysis().sets.empty());
}

TEST_CASE("values that come back into range run again") {
  Session s;
  REQUIRE(s.run_text("parameter a = 0\nparameter b = 1 / a\nvariable x = b * time"));
  CHECK_FALSE(s.check_numbers());
  CHECK_FALSE(s.simulate({}));
  REQUIRE(s.run_text("a := 2"));
  CHECK(s.check_numbers());
  CHECK(s.simulate({}));
  CHECK(s.value("x") == doctest::Approx(0.5));
  REQUIRE(s.set_parameter("a", 0));
  CHECK_FALSE(s.simulate({}));
  CHECK(s.value("x") == doctest::Approx(0.5));  // the result before is kept
}

TEST_CASE("a choice of states that stays regular, however close, runs through") {
  for (const auto method : {simulate::Method::automatic, simulate::Method::bdf}) {
    Session s;
    std::string text = "variable x(start = 0.6, fixed)\n" + pushed_pendulum;  // swings up to y = -0.26 by energy, |vx| = 3 at y = -0.8
    text.replace(text.find("start = 5"), 9, "start = 3");
    REQUIRE(s.run_text(text));
    CHECK_MESSAGE(s.simulate({.stop = 10, .method = method}), rendered(s));
    const auto y = s.series("y");
    REQUIRE(y);
    double highest = -1;
    for (double v : *y) highest = std::max(highest, v);
    CHECK(highest < -0.05);
  }
}

TEST_CASE("a division by an identical zero has a place") {
  const struct {
    const char* name;
    std::string text;
    std::vector<const char*> named;
  } rows[] = {
      {"of an equation", "variable x\ncause :: x + 1 / (time - time) = 0", {"text:2:1:", "where `cause` is solved for `x`"}},
      {"of a binding", "variable y = time\nvariable x = 1 / (time - time)", {"text:2:", "where `x` is solved for `x`"}},
      {"of a coupled block", "variable x\nvariable y\ncause :: x + y = 1 / (time - time)\nx - 2 * y = 1", {"text:3:1:", "block of 2 equations", "`x`"}},
      {"of a parameter", "parameter q = 2\nparameter r = q\nparameter p = 1 / (q - r)\nvariable x = p * time", {"text:3:", "in the value of `p`"}},
      {"of an initial equation", "variable x\nder(x) = -x\ninitial cause :: x = 1 / (time - time)", {"`x`"}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s;
    REQUIRE_MESSAGE(s.run_text(row.text), rendered(s));
    CHECK_FALSE(s.simulate({}));
    const std::string text = rendered(s);
    CAPTURE(text);
    CHECK(text.find("error[E0313]") != std::string::npos);
    for (const char* what : row.named) CHECK_MESSAGE(text.find(what) != std::string::npos, what);
  }
}

TEST_CASE("a choice of states by wishes is given up in more digits, too") {
  Session s;
  REQUIRE(s.run_text("variable x(start = 0.6, fixed, state = prefer)\n" + pushed_pendulum + "variable E = (vx^2 + vy^2) / 2 + 9.81 * y"));
  REQUIRE_MESSAGE(s.simulate({.stop = 1, .points = 4, .tolerance = 1e-18, .precision = 30}), rendered(s));
  CHECK(has_code(s, "N0412"));
  CHECK(*s.value("E") == doctest::Approx(*s.value("E", 0.0)).epsilon(1e-14));
}
