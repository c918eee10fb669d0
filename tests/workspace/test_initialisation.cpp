// Where a run starts: what the initial conditions determine, what completes them, and what is said where they do not fit.
#include <doctest/doctest.h>

#include <algorithm>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

const std::string damped_oscillator = "variable x\nvariable v\nder(x) = v\nder(v) = -4 * x - v + 8\n";
// A mass on a circle of radius 2; its height h is a function of the angle.
const std::string circle =
    "variable phi\nvariable w\nvariable x\nvariable y\nvariable vx\nder(phi) = w\nder(w) = -sin(phi)\nx = 2 * sin(phi)\ny = -2 * cos(phi)\nvx = der(x)\n";

}  // namespace

TEST_CASE("initialisation: where a model starts") {
  const struct {
    const char* name;
    std::string text;
    std::vector<std::pair<const char*, double>> values;
    std::size_t notes = 0;  // of conditions that were not needed
  } rows[] = {
      {"nothing given: zero", damped_oscillator, {{"x", 0}, {"v", 0}}},
      {"start values complete", damped_oscillator + "x.start := 3", {{"x", 3}, {"v", 0}}},
      {"steady state", damped_oscillator + "initial der(x) = 0\ninitial der(v) = 0", {{"x", 2}, {"v", 0}}},
      {"an equation and a start value", damped_oscillator + "initial x + v = 5\nv.start := 9\nx.start := 1", {{"x", 1}, {"v", 4}}},
      {"an acceleration", damped_oscillator + "initial der(v) = 1\nx.start := 1", {{"x", 1}, {"v", 3}}},
      {"a derivative of a derivative", damped_oscillator + "initial der(der(x)) = 1\nx.start := 1", {{"x", 1}, {"v", 3}}},
      {"quadratic, from its start", damped_oscillator + "initial x^2 = 9\nx.start := -1", {{"x", -3}, {"v", 0}}},
      {"a start value one equation away from what is torn", "variable x(start = 4)\nvariable y\nx = y - 1\nx * y = 20\ntear y", {{"x", 4}, {"y", 5}}},
      {"and near the other solution", "variable x(start = -5)\nvariable y\nx = y - 1\nx * y = 20\ntear y", {{"x", -5}, {"y", -4}}},
      {"two equations away", "parameter k = 2\nvariable x(start = 4)\nvariable y\nvariable z\nx = y - 1\nz = k * y\nx * z = 40\ntear z", {{"y", 5}, {"z", 10}}},
      {"a free parameter", "parameter k(fixed = false, start = 1)\nvariable x(start = 2, fixed)\nder(x) = -k * x\ninitial der(x) = -6", {{"x", 2}, {"k", 3}}},
      {"a free parameter through bindings, the last one first", "parameter a = 2 * b\nparameter b = k + 1\nparameter k(fixed = false, start = 1)\nvariable x(start = 2, fixed)\nder(x) = -a * x\ninitial der(x) = -16",
       {{"k", 3}, {"b", 4}, {"a", 8}}},
      {"a free parameter that is bound to others: where its search begins", "parameter a = 2\nparameter k(fixed = false) = a^2\nparameter twice = 2 * k\nvariable x(start = 1, fixed)\nvariable v = der(x)\nder(x) = twice * x\ninitial k = 5",
       {{"k", 5}, {"twice", 10}, {"v", 10}}},
      {"starts that a free parameter gives, fixed and not", "parameter p(fixed = false) = 5\nvariable x(start = p, fixed)\nvariable y(start = 2 * p)\nder(x) = 0\nder(y) = 0\ninitial p = 2",
       {{"p", 2}, {"x", 2}, {"y", 4}}},
      {"a free parameter that a fixed start finds", "parameter p(fixed = false) = 5\nvariable x(start = p + 1, fixed)\nder(x) = 0\ninitial x = 3", {{"p", 2}, {"x", 3}}},
      {"a condition on an element that is free beside one that is not", "parameter p[2](fixed = {true, false}) = {1, 0}\ninitial p[2] = 3\nvariable x = if p[2] > 2 then 10 else 20",
       {{"p[2]", 3}, {"x", 10}}},
      {"an element that is free and would be structure", "parameter p[3](fixed = {true, true, false}) = {1, 2, -1} @structure\ninitial 2 * p[3] = 1\nvariable x = p[1] + p[3]",
       {{"p[3]", 0.5}, {"x", 1.5}}},
      {"the start value of an alias of opposite sign completes", "variable x\nvariable y(start = -2)\nder(x) = -x\ny = -x", {{"x", 2}, {"y", -2}}},
      {"derivatives of both ends of an alias", "variable x(start = 1, fixed)\nvariable y\nvariable p\nvariable q\nder(x) = -2 * x\ny = -x\np = der(x)\nq = der(y)", {{"p", -2}, {"q", 2}}},
      {"an exponential and its alias, both differentiated", "variable x(start = 1, fixed)\nvariable y\nvariable q = der(y)\nder(x) = -x\ny = -x", {{"x", 1}, {"y", -1}, {"q", 1}}},
      {"an oscillator and its alias, both differentiated twice",
       "variable x(start = 1, fixed)\nvariable v(start = 2, fixed)\nvariable y\nvariable q = der(y)\nvariable r = der(der(y))\nvariable s = der(v)\nder(x) = v\nder(v) = -x\ny = -x",
       {{"x", 1}, {"q", -2}, {"r", 1}, {"s", -1}}},
      {"what a model puts down of its start follows it", "variable E0\nvariable E\nder(E0) = 0\ninitial E0 = E\n" + damped_oscillator + "E = v^2 / 2 + 2 * x^2\nx.start := 3\nv.start := 0", {{"x", 3}, {"v", 0}, {"E0", 18}}},
      {"the same of a dynamic set", "variable E0\nvariable x(start = 0.6)\nvariable y(start = -0.8)\nvariable vx = der(x)\nvariable vy = der(y)\nvariable F\nder(E0) = 0\n"
       "initial E0 = (vx^2 + vy^2) / 2 + y\nx^2 + y^2 = 1\nder(vx) = -x * F\nder(vy) = -y * F - 1", {{"x", 0.6}, {"vx", 0}, {"vy", 0}, {"E0", -0.8}}},
      {"a position", circle + "initial x = 1\nphi.start := 0.3", {{"phi", 0.52359877559829887}, {"y", -1.7320508075688772}, {"w", 0}}},
      {"a position and a velocity", circle + "initial x = 1\ninitial vx = 3.4641016151377544\nphi.start := 0.3", {{"phi", 0.52359877559829887}, {"w", 2}}},
      {"one condition twice", "variable x(start = 1, fixed)\nder(x) = -x\ninitial x = 1", {{"x", 1}}, 1},
      {"both ends of an alias", "variable x(start = 1, fixed)\nvariable y(start = -1, fixed)\nder(x) = -x\ny = -x", {{"x", 1}}, 1},
      {"a variable that follows", "variable x(start = 1, fixed)\nvariable y(start = 2, fixed)\nder(x) = -x\ny = 2 * x", {{"y", 2}}, 1},
      {"conditions that depend on each other", "parameter k = 2\n" + damped_oscillator + "initial x + k * v = 3\ninitial k * x + k^2 * v = 6\nx.start := 1", {{"x", 1}, {"v", 1}}, 1},
      {"consistent to rounding", "variable x(start = 0.1, fixed)\nvariable y(start = 0.3, fixed)\nder(x) = -x\ny = x + 0.2", {{"y", 0.3}}, 1},
      {"capacitors in parallel", "use electrical\na : Capacitor(C = 1, v(start = 2, fixed))\nb : Capacitor(C = 2, v(start = 2, fixed))\n"
       "r : Resistor(R = 1)\ng : Ground\nconnect a.p, b.p, r.p\nconnect a.n, b.n, r.n, g.p", {{"a.v", 2}, {"b.v", 2}}, 1},
      {"Freudenstein and Roth's equations, from where Newton's method ends in a valley",
       "variable a(start = 0.5)\nvariable b(start = -2)\n-13 + a + ((5 - b) * b - 2) * b = 0\n-29 + a + ((b + 1) * b - 14) * b = 0", {{"a", 5}, {"b", 4}}},
      {"a cubic, from its valley", "variable x(start = 1)\nx^3 - 3 * x + 5 = 0", {{"x", -2.2790187861665935}}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s(elaborate::Settings{{KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE_MESSAGE(s.run_text(row.text), rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = 0, .points = 1, .tolerance = 1e-9}), rendered(s));
    const auto& list = s.diagnostics().list();
    CHECK(std::count_if(list.begin(), list.end(), [](const Diagnostic& d) { return d.code == "N0316"; }) == static_cast<std::ptrdiff_t>(row.notes));
    for (const auto& [name, expected] : row.values) {
      CAPTURE(name);
      const auto value = s.value(name);
      REQUIRE(value);
      CHECK(*value == doctest::Approx(expected).epsilon(1e-8));
    }
  }
}

TEST_CASE("initialisation: what is said where the conditions do not fit") {
  const struct {
    const char* name;
    std::string text;
    std::vector<const char*> said;
  } rows[] = {
      {"two values", "variable x(start = 1, fixed)\nder(x) = -x\nother :: initial x = 3",
       {"E0311", "text:1:1", "`x(fixed)` does not agree with the other initial conditions: they differ by 2", "the initial equation `other` is one of them",
        "take one of them out"}},
      {"an alias with another start", "variable x(start = 1, fixed)\nvariable y(start = 1, fixed)\nder(x) = -x\ny = -x",
       {"E0311", "`y(fixed)`", "`x(fixed)` is one of them", "differ by 2"}},
      {"two values that a constraint binds", "variable x(start = 1, fixed)\nvariable y(start = 1, fixed)\nvariable l\nder(x) = l\nder(y) = -l\nline :: x + 2 * y = 4",
       {"E0311", "`y(fixed)` does not agree with the other initial conditions", "`x(fixed)` is one of them", "the equation `line` binds them"}},
      {"a value where the equations leave none free", "variable x(start = 1, fixed)\nvariable v = der(x)\ncourse :: x = 2 + sin(time)",
       {"E0311", "`x(fixed)` does not agree with the equations of the model: they differ by 1", "the equation `course` is one of them"}},
      {"a value of what is always zero", "variable x(start = 1, fixed)\nvariable y(start = 5, fixed)\nder(x) = -x\ny = 0",
       {"E0311", "text:2:1", "`y(fixed)` does not agree with the equations of the model, which leave it one value: they differ by 5"}},
      {"a speed at a dead point", "variable q(start = 0.1)\nvariable w = der(q)\nvariable x(start = 1, fixed) = cos(q)\nvariable v(start = 1, fixed) = der(x)\nder(w) = -q",
       {"E0401", "dead point", "`w`", "start beside the dead point"}},
      {"a distance that nothing reaches", "variable q\nvariable x(start = 2, fixed) = cos(q)\nder(q) = 1", {"E0401", "unknown `q`", "nearer"}},
      {"what depends on the others", "parameter k = 2\n" + damped_oscillator + "initial x + k * v = 3\nlast :: initial k * x + k^2 * v = 7",
       {"E0311", "text:7:1", "the initial equation `last`"}},
      {"no solution", damped_oscillator + "square :: initial x^2 = -1\nx.start := 1",
       {"E0401", "text:5:1", "unknown `x` was", "equation `square` is off by"}},
      {"a discrete start that a free parameter gives", "parameter p(fixed = false) = 5\ninitial p = 2\ndiscrete d(start = p)\nwhen time > 9\n  d = 1\nend",
       {"E0224", "`p` is computed by initial equations", "start value of `d`"}},
      {"a Boolean parameter that decides what it hangs on", "parameter p(fixed = false)\nparameter b : Boolean = p > -1\nvariable f = if b then 3 * (p + 1) else p + 1\ninitial f = -3",
       {"E0224", "text:2:11", "the parameter `b`", "changes by jumps", "write it as a variable"}},
      {"an Integer one", "parameter p(fixed = false)\nparameter n : Integer = if p > 1 then 2 else 1\ninitial n * p = 3", {"E0224", "the parameter `n`", "changes by jumps"}},
      {"a parameter that nothing determines", "parameter p(fixed = false)\nvariable x = p * time", {"E0310", "`p(fixed = false)`"}},
      {"a singular one", "parameter a = 0\nvariable x\nder(x) = -x\nlost :: initial a * x = 1", {"E0401", "text:4:1", "the start value of `x` is infinite"}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s;
    REQUIRE_MESSAGE(s.run_text(row.text), rendered(s));
    CHECK_FALSE(s.simulate({.stop = 1, .points = 1}));
    check_said(s, row.said);
  }
}

TEST_CASE("initialisation: machine code and interpreter start from the same bits") {
  // The pivots of what gives w are known from parameters: at the start they are looked at, whoever computed them.
  const std::string top = R"(use multibody
parameter theta = 30 * pi / 180
parameter spin = 150
parameter rate = (spin - sqrt(spin^2 - 2000)) / 3
world : World(n = {0, 0, -1})
tip : Spherical(angles_fixed = true, sequence_start = {1, 2, 3}, angles_start = {theta, 0, 0}, w_rel_a_fixed = true,
    w_rel_a_start = {0, -(spin - rate * cos(theta)) * sin(theta), (spin - rate * cos(theta)) * cos(theta) + rate})
top : Body(m = 0.5, r_CM = {0, 0, 0.08}, I_11 = 5e-4, I_22 = 5e-4, I_33 = 8e-4)
connect world.frame_b, tip.frame_a
connect tip.frame_b, top.frame_a
)";
  std::vector<double> started[2];
  for (const code::Backend backend : {code::Backend::interpreter, code::Backend::machine_code}) {
    Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE_MESSAGE(s.run_text(top), rendered(s));
    s.options().backend = backend;
    REQUIRE_MESSAGE(s.simulate({.stop = 1e-12, .points = 1}), rendered(s));
    for (const char* name : {"tip.w_rel[1]", "tip.w_rel[2]", "tip.w_rel[3]", "tip.Q[1]", "tip.Q[4]"})
      started[backend == code::Backend::machine_code].push_back(s.value(name).value_or(0));
  }
  CHECK(started[0] == started[1]);
}

TEST_CASE("initialisation: a parameter that is found outside its limits is told of") {
  const struct {
    const char *name, *text;
    bool told;
  } rows[] = {
      {"above", "parameter p(fixed = false, max = 2) = 1\ninitial p = 3\nvariable x = p", true},
      {"inside, though its search begins outside", "parameter p(fixed = false, max = 2) = 4\ninitial p = 1\nvariable x = p", false},
      {"an element", "parameter p[2](fixed = false, min = 0) = {1, 1}\ninitial p = {1, -1}\nvariable x = p[1]", true},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s;
    REQUIRE_MESSAGE(s.run_text(row.text), rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = 1, .points = 1}), rendered(s));
    CHECK(has_code(s, "W0418") == row.told);
  }
}

TEST_CASE("initialisation: what hangs on a parameter that the start finds is decided when the model runs") {
  const std::string found = "parameter p(fixed = false) = 0\ninitial p = 3\n";
  const std::string cls = R"(model M
  parameter k = 1
  parameter j = 2 * k
  parameter n[2] = {j, 1}
  variable x = if j > 2 then 10 else 20
  variable w
  if n[1] > 5 then
    w = 1
  else
    w = 2
  end
end
)";
  const struct {
    const char* name;
    std::string text;
    std::map<std::string, double> values;
  } rows[] = {
      {"an array of it", found + "parameter d[2] = {p, 2 * p}\nvariable x = if d[1] > 2 then 10 else 20\nvariable y = if d * d > 100 then 10 else 20\nparameter u = if d[2] > 2 then 10 else 20",
       {{"x", 10}, {"y", 20}, {"u", 10}}},
      {"through a class and its modification", found + cls + "a : M(k = p)\nb : M(k = 0.5)\nc : M(k = 5)", {{"a.x", 10}, {"a.w", 1}, {"b.x", 20}, {"b.w", 2}, {"c.x", 10}, {"c.w", 1}}},
      {"an element of what an array of components gets", found + cls + "q[2] : M(k = {p / 10, 9})", {{"q[1].x", 20}, {"q[1].w", 2}, {"q[2].x", 10}, {"q[2].w", 1}}},
      {"one of several components is free", "model M\n  parameter k = 1\nend\nm[2] : M(k(fixed = {true, false}) = {1, 2})\nvariable x = if m[2].k > 1 then 10 else 20\nvariable y = if m[1].k > 1 then 10 else 20\ninitial m[2].k = 0.5",
       {{"x", 20}, {"y", 20}}},
      {"a record given as a whole", found + "record R\n  parameter c = 1\n  parameter d = 2 * c\nend\nparameter r : R = R(c = p)\nvariable y = if r.d > 5 then 1 else 0", {{"y", 1}}},
      {"an outer component's", found + "model W\n  parameter g = 1\nend\nmodel M\n  outer w : W\n  variable x = if w.g > 2 then 10 else 20\nend\nw : W(g = 2 * p)\na : M()", {{"a.x", 10}}},
      {"inside a function and a list", found + "function f(x)\n  return if sum({x * k for k in 1:2}) > 8 then 1 else -1\nend\nvariable u = f(p)\nvariable v = f(p - 2)\nvariable s = sum({if k > p then 1 else 0 for k in 1:5})",
       {{"u", 1}, {"v", -1}, {"s", 2}}},
      {"a subscript", found + "variable x[3] = {1, 2, 3}\nvariable y = x[if p > 2 then 3 else 1]", {{"y", 3}}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s;
    REQUIRE_MESSAGE(s.run_text(row.text), rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = 1, .points = 1}), rendered(s));
    for (const auto& [name, expected] : row.values) {
      CAPTURE(name);
      CHECK(s.value(name).value_or(-99) == doctest::Approx(expected));
    }
  }
  SUBCASE("a class that was decided by a given value is decided anew") {
    Session s;
    REQUIRE_MESSAGE(s.run_text("parameter p = 3\n" + cls + "a : M(k = p)\n"), rendered(s));
    for (const auto& [edit, x] : {std::pair("parameter p(fixed = false) = 3\nonly :: initial p = 0.6", 20.0), {"only :: initial p = 4", 10.0}, {"only :: initial a.x = 8 * p", 10.0}}) {
      CAPTURE(edit);
      REQUIRE_MESSAGE(s.run_text(edit), rendered(s));
      REQUIRE_MESSAGE(s.simulate({.stop = 1, .points = 1}), rendered(s));
      CHECK(s.value("a.x").value_or(-99) == x);
    }
  }
  SUBCASE("what an outer component has by such a parameter is asked again after an edit") {
    Session s;
    REQUIRE_MESSAGE(s.run_text("model Env\n  parameter e = 1\nend\nmodel U\n  outer env : Env\n  variable y = if env.e > 0.7 then 1 else 2\nend\n"
                               "parameter p(fixed = false)\nonly :: initial p = 1\nenv : Env(e = if p > 5 then 3 else p)\nu : U\n"), rendered(s));
    for (const auto& [edit, y] : {std::pair("variable z = 3", 1.0), {"only :: initial p = 0.5", 2.0}, {"parameter p = 2", 1.0}}) {
      CAPTURE(edit);
      if (std::string(edit).starts_with("parameter")) REQUIRE(s.run_text("only :: initial z = 3"));
      REQUIRE_MESSAGE(s.run_text(edit), rendered(s));
      REQUIRE_MESSAGE(s.simulate({.stop = 1, .points = 1}), rendered(s));
      CHECK(s.value("u.y").value_or(-99) == y);
    }
  }
  SUBCASE("as a variable a Boolean is decided with what it decides") {
    Session s;
    REQUIRE_MESSAGE(s.run_text("parameter p(fixed = false)\nvariable b : Boolean = p > -1\nvariable f = if b then 3 * (p + 1) else p + 1\ninitial f = -3"), rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = 1, .points = 1}), rendered(s));
    CHECK(s.value("p").value_or(-99) == doctest::Approx(-4));
  }
  SUBCASE("sizes and attributes cannot wait") {
    for (const char* text : {"parameter n : Integer = p\nvariable x[n]", "parameter q(fixed = p > 1) = 2\nparameter r = q\nvariable x = if r > 1 then 1 else 2",
                             "model M\n  parameter v[:] = {1, 2}\n  parameter r = v[1]\n  variable x = if r > 1 then 1 else 2\nend\nm : M(v = 1:p)"}) {
      CAPTURE(text);
      Session s;
      s.run_text(found + text);
      check_said(s, {"E0224", "`p` is computed by initial equations"});
    }
  }
}
