// Events: moments against closed forms, discrete variables, mixed systems, messages.
#include <cmath>
#include <doctest/doctest.h>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

const std::string ball =
    "parameter e = 0.9\nvariable h(start = 1, fixed)\nvariable v(start = 0, fixed)\ndiscrete n(start = 0) : Integer\ndiscrete t(start = 0)\n"
    "der(h) = v\nder(v) = -9.81\nwhen h < 0\n  reinit v = -e * v\n  n = pre(n) + 1\n  t = time\nend\n";

// The moment of the n-th bounce: t1 (1 + 2 (e + e^2 + ... + e^(n-1))).
double bounce(int n, double e) {
  double sum = 1;
  for (int k = 1; k < n; ++k) sum += 2 * std::pow(e, k);
  return std::sqrt(2 / 9.81) * sum;
}

}  // namespace

TEST_CASE("events: the bounces of a ball are where the closed form has them") {
  for (const auto method : {simulate::Method::automatic, simulate::Method::rk45, simulate::Method::bdf}) {
    CAPTURE(simulate::to_text(method));
    for (int n : {1, 2, 5, 10, 20}) {
      Session s;
      REQUIRE(s.run_text(ball));
      simulate::Options o;
      o.stop = bounce(n, 0.9) + 1e-3;
      o.tolerance = 1e-9;
      o.method = method;
      REQUIRE(s.simulate(o));
      CHECK(s.value("n") == n);
      // Each bounce hands on its error of the speed: the tolerance of the run, and more with BDF.
      CHECK(std::fabs(*s.value("t") - bounce(n, 0.9)) < (method == simulate::Method::bdf ? 1e-6 : 1e-9));
    }
  }
}

TEST_CASE("events: values at the end") {
  const struct {
    const char* name;
    std::string text;
    double stop;
    std::vector<std::pair<const char*, double>> values;
  } rows[] = {
      {"a step in time", "variable x(start = 0, fixed)\nder(x) = if time < 0.3 then 1 else -2", 1, {{"x", 0.3 - 2 * 0.7}}},
      {"a two-point controller", "variable x(start = 0, fixed)\nvariable on : Boolean\non = if x > 1 then false elseif x < 0.5 then true else pre(on)\n"
                                 "der(x) = if on then 1 else -1", 1.75, {{"x", 0.75}, {"on", 1}}},
      {"a sine that no state follows", "discrete n(start = 0) : Integer\nvariable x(start = 0, fixed)\nder(x) = 1\nwhen sin(2000 * pi * time) > 0.5\n  n = pre(n) + 1\nend", 1, {{"n", 1000}}},
      {"terminal() where the model ends the run", "variable x(start = 0, fixed)\nder(x) = 1\ndiscrete f(start = 0)\nwhen terminal()\n  f = x + 10\nend\n"
                                                  "when x > 0.5\n  terminate \"done\"\nend", 1, {{"f", 10.5}}},
      {"terminate at the start", "variable x(start = 3, fixed)\nder(x) = 1\nwhen initial()\n  terminate \"now\"\nend", 1, {{"x", 3}, {"time", 0}}},
      {"samples", "discrete k(start = 0) : Integer\nwhen sample(0, 0.1)\n  k = pre(k) + 1\nend", 1, {{"k", 11}}},
      {"the first sample comes behind the initialisation", "discrete a(start = 0), d(start = 0)\nvariable x(start = 3, fixed)\nder(x) = 0\ninitial a = 4\ninitial d = 2\nn = 1\n"
                                                           "discrete m(start = 7), n(start = 0) : Integer\nwhen sample(0, 1)\n  a = pre(a) + 1\n  d = x + 1\n  m = pre(n)\nend",
       1.5, {{"a", 6}, {"d", 4}, {"m", 1}}},
      {"what begins right behind the start", "discrete n(start = 0), k(start = 0)\nwhen time > 0\n  n = pre(n) + 1\nend\nwhen time >= 0\n  k = pre(k) + 1\nend\n"
                                             "variable x\nder(x) = if time > 0 then 2 else 1 - x\ninitial der(x) = 0", 1, {{"n", 1}, {"k", 0}, {"x", 3}}},
      {"samples from later on", "discrete k(start = 0) : Integer\nwhen sample(0.35, 0.1)\n  k = pre(k) + 1\nend", 1, {{"k", 7}}},
      {"pulses", "variable x(start = 0, fixed)\nder(x) = if mod(time, 0.1) < 0.03 then 1 else 0", 1, {{"x", 0.3}}},
      {"elsewhen comes second", "discrete a(start = 0)\nwhen time > 1\n  a = 1\nelsewhen time > 1\n  a = 2\nelsewhen time > 2\n  a = pre(a) + 10\nend", 3, {{"a", 11}}},
      {"any of a vector of conditions", "discrete n(start = 0)\nwhen {time > 1, time > 2, time > 3}\n  n = pre(n) + 1\nend", 4, {{"n", 3}}},
      {"arrays in a when", "discrete a[2](start = {1, 2})\nwhen time > 1\n  a = pre(a) + {10, 20}\nend", 2, {{"a[1]", 11}, {"a[2]", 22}}},
      {"loops of whens", "discrete a[3](start = {0, 0, 0})\nfor k in 1:3\n  when time > k\n    a[k] = 2 * k\n  end\nend", 2.5, {{"a[1]", 2}, {"a[2]", 4}, {"a[3]", 0}}},
      {"the start", "discrete a(start = 3)\nwhen initial()\n  a = pre(a) + 1\nend", 1, {{"a", 4}}},
      {"an initial equation of a discrete variable", "variable x(start = 2, fixed)\nder(x) = 0\ndiscrete d\ninitial d = 3 + x\nwhen time > 2\n  d = 0\nend", 1, {{"d", 5}}},
      {"the end", "discrete n(start = 0)\nwhen terminal()\n  n = time\nend", 1.5, {{"n", 1.5}}},
      {"the end, in an equation", "variable y = if terminal() then time else -1", 1.5, {{"y", 1.5}}},
      {"the start, in an equation", "variable x(start = 1, fixed)\nder(x) = if initial() then 5 else 2", 1, {{"x", 3}}},
      {"change of an enumeration and of an Integer", "enum Mode a, b\ndiscrete m(start = Mode.a) : Mode\nwhen time > 1\n  m = Mode.b\nend\ndiscrete q(start = 0) : Integer\n"
                                                     "when sample(0.5, 0.5)\n  q = pre(q) + 1\nend\ndiscrete n(start = 0)\nwhen change(m)\n  n = pre(n) + 1\nend\n"
                                                     "discrete c(start = 0)\nwhen change(q)\n  c = pre(c) + 1\nend", 2, {{"n", 1}, {"c", 4}}},
      {"smooth, homotopy", "variable x(start = 0, fixed)\nder(x) = 1\nvariable y = smooth(0, if x > 0.5 then x else 0.5) + homotopy(x, 0)", 2, {{"y", 4}}},
      {"edge and change", "variable b : Boolean = sin(time) > 0.5\ndiscrete n(start = 0)\ndiscrete m(start = 0)\nwhen edge(b)\n  n = pre(n) + 1\nend\n"
                          "when change(b)\n  m = pre(m) + 1\nend", 10, {{"n", 2}, {"m", 4}}},
      {"edges while initialising", "variable b : Boolean = time < 2\ndiscrete n(start = 0), m(start = 0)\nn = pre(n) + (if edge(b) then 1 else 0)\n"
                                   "m = pre(m) + (if b and not pre(b) then 1 else 0)", 1, {{"n", 1}, {"m", 1}}},
      {"a value before the event", "variable x(start = 0, fixed)\nder(x) = 1\ndiscrete last(start = 0)\nwhen x > 1\n  reinit x = 0\n  last = pre(x)\nend", 2.5, {{"x", 0.5}, {"last", 1}}},
      {"a value before an event at the start", "variable x(start = 3, fixed)\nder(x) = 1\ndiscrete d(start = 0)\nwhen sample(0, 5)\n  d = pre(x)\nend", 1, {{"d", 3}}},
      {"a value before an event that follows from a reinit", "variable x(start = 0, fixed)\nder(x) = 1\ndiscrete n(start = 0)\nwhen x > 1\n  reinit x = -4\n  n = 1\nend\n"
                                                             "when pre(n) > 0\n  reinit x = pre(x) / 2\nend", 1.5, {{"x", -1.5}}},
      {"a sample that decides alone", "variable b : Boolean = if sample(0.5, 1) then true else pre(b)\nvariable y = if b then 2 else 1", 1, {{"b", 1}, {"y", 2}}},
      {"enumerations", "enum Mode a, b\ndiscrete m(start = Mode.a) : Mode\nwhen time > 1\n  m = Mode.b\nend\nvariable y = if m == Mode.b then 5 else 4", 2, {{"y", 5}}},
      {"a function that a relation guards", "variable h(start = 1, fixed)\nder(h) = if h > 0 then -sqrt(h) else 0", 3, {{"h", 0}}},
      {"a function that a relation guards, at an output point", "variable x(start = 1, fixed)\nder(x) = -1\nvariable s(start = 0, fixed)\nder(s) = if x > 0.2 then sqrt(x - 0.2) else 0", 2,
       {{"s", 2.0 / 3 * std::pow(0.8, 1.5)}}},
      {"a table in time", "variable y(start = 0, fixed)\nder(y) = interpolate(time, {0, 30, 30.1, 30.2, 90}, {0, 0, 1, 0, 0})", 50, {{"y", 0.1}}},
      {"what is there and back between steps", "variable x(start = 0, fixed)\nder(x) = 1\nvariable b : Boolean = exp(-(x - 1.3)^2 * 100) > 0.5\n"
                                               "discrete c(start = 0), d(start = 0)\nwhen b\n  c = time\nend\nwhen min(x - 2, 2.1 - x) > 0\n  d = pre(d) + 1\nend", 5,
       {{"c", 1.3 - std::sqrt(std::log(2.0) / 100)}, {"d", 1}}},
      {"branches that end on the way, in steps over several of them", "variable x(start = 0, fixed)\nder(x) = 1\nvariable z\nz*abs(z) + z = 3*sin(4*x)", 4,
       {{"z", (1 - std::sqrt(1 - 12 * std::sin(16.0))) / 2}}},
      {"a state that is set anew is measured anew", "variable x(start = 1e6, fixed)\nder(x) = if time < 1 then 0 else -5 * (x - sin(10 * time))\nwhen time > 1\n  reinit x = 0\nend", 3,
       {{"x", 0.2 * std::sin(30.0) - 0.4 * std::cos(30.0) - (0.2 * std::sin(10.0) - 0.4 * std::cos(10.0)) * std::exp(-10.0)}}},
      {"jumps of functions", "variable y = floor(time * 3) + sign(time - 1) + abs(time - 2)", 1.5, {{"y", 4 + 1 + 0.5}}},
      {"no events", "variable x(start = 0, fixed)\nder(x) = noEvent(if x > 5 then 1 else 2)", 1, {{"x", 2}}},
      {"two ideal diodes in one block", "variable off1 : Boolean = s1 < 0\nvariable off2 : Boolean = s2 < 0\nvariable s1, s2, v\n"
                                        "sin(time) - v = s1 * (if off1 then 1 else 1e-5)\ncos(time) - v = s2 * (if off2 then 1 else 1e-5)\n"
                                        "v = 10 * (s1 * (if off1 then 1e-5 else 1) + s2 * (if off2 then 1e-5 else 1))", 2, {{"v", std::sin(2.0)}}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s;
    REQUIRE(s.run_text(row.text));
    simulate::Options o;
    o.stop = row.stop;
    o.tolerance = 1e-9;
    const bool ran = s.simulate(o);
    for (const Diagnostic& d : s.diagnostics().list()) MESSAGE(d.message);
    REQUIRE(ran);
    for (const auto& [name, value] : row.values) {
      CAPTURE(name);
      CHECK(std::fabs(s.value(name).value_or(std::nan("")) - value) < 1e-5 * std::max(1.0, std::fabs(value)));
    }
  }
}

TEST_CASE("events: an Integer that changes chooses elements") {
  const struct {
    const char* name;
    const char* text;
    double stop;
    std::vector<std::pair<const char*, double>> values;
  } rows[] = {
      {"of a table", R"(
parameter tab[4] = {1, 4, 9, 16}
discrete k(start = 1) : Integer
variable y = tab[k]
when sample(1, 1)
  k = pre(k) + 1
end)", 2.5, {{"y", 9}}},
      {"of a matrix, its rows and its columns", R"(
parameter A[2, 3] = [1, 2, 3; 4, 5, 6]
discrete i(start = 1), j(start = 1) : Integer
variable y = A[i, end - j + 1]
variable r[3] = A[i, :]
variable c[2] = A[:, j]
when time > 1
  i = 2
  j = 2
end)", 2, {{"y", 5}, {"r[1]", 4}, {"r[3]", 6}, {"c[1]", 2}, {"c[2]", 5}}},
      {"of states", R"(
variable x[3](start = {1, 2, 3}, fixed = true)
der(x) = {1, 2, 3}
variable z(start = 0, fixed)
der(z) = x[integer(time) + 1])", 2.5, {{"z", 1.5 + (2 + 3) + (1.5 + 1.5 * 2.25)}}},
      {"of components and in them", R"(
model Box
  parameter a[2] = {1, 2}
  variable y = 10 * a[integer(time) + 1]
end
b[2] : Box(a = {{1, 2}, {3, 4}})
variable s = b[2 - integer(time)].y)", 1.5, {{"s", 20}}},
      {"in a function and in a loop", R"(
function pick(t[:], k) = t[k]
parameter tab[3] = {5, 6, 7}
discrete k[2](start = {1, 2}) : Integer
variable y[2], s
for m in 1:2
  y[m] = tab[k[m]]
end
s = pick(tab, k[1])
when time > 1
  k = {2, 3}
end)", 2, {{"y[1]", 6}, {"y[2]", 7}, {"s", 6}}},
      {"an index outside its array that nothing reads", R"(
parameter tab[2] = {5, 6}
discrete k(start = 1) : Integer
variable y = if k > 2 then 0 else tab[k]
variable z
if k < 3
  z = tab[k]
else
  z = -1
end
discrete d(start = 0)
when sample(1, 1)
  k = pre(k) + 1
end
when time < 1.5
  d = tab[k]
end)", 4, {{"y", 0}, {"z", -1}, {"k", 5}}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s;
    REQUIRE_MESSAGE(s.run_text(row.text), rendered(s));
    CHECK_MESSAGE(s.simulate({.stop = row.stop}), rendered(s));
    for (const auto& [name, value] : row.values) {
      CAPTURE(name);
      CHECK(s.value(name).value_or(std::nan("")) == doctest::Approx(value).epsilon(1e-6));
    }
  }
}

TEST_CASE("events: what a sampled controller gives reaches what it reads at once") {
  // x' = u - x, y = x + 0.2 u, and at each sample u = gain (1 - y): u = gain (1 - x) / (1 + 0.2 gain), whether the rounds of an event come
  // nearer to it (gain < 5) or not.
  for (const double gain : {0.5, 3.0, 5.0, 30.0, -4.0, 1e6}) {
    CAPTURE(gain);
    Session s;
    REQUIRE(s.run_text("parameter k = 1\nvariable x(start = 0, fixed)\nvariable y = x + 0.2 * u\ndiscrete u(start = 0)\nder(x) = u - x\n"
                       "when sample(0, 0.1)\n  u = k * (1 - y)\nend"));
    REQUIRE(s.set_parameter("k", gain));
    simulate::Options o{.stop = 0.55};
    o.tolerance = 1e-10;
    CHECK_MESSAGE(s.simulate(o), rendered(s));
    double x = 0, u = 0;
    for (int n = 0; n < 6; ++n) {
      u = gain * (1 - x) / (1 + 0.2 * gain);
      x = u + (x - u) * std::exp(n < 5 ? -0.1 : -0.05);
    }
    CHECK(s.value("u").value_or(std::nan("")) == doctest::Approx(u).epsilon(1e-7));
    CHECK(s.value("x").value_or(std::nan("")) == doctest::Approx(x).epsilon(1e-7));
  }
}

TEST_CASE("events: sampled variables that follow from each other through the plant") {
  const struct {
    const char* name;
    const char* plant;
    const char* controllers;
    std::vector<std::pair<const char*, double>> values;
  } rows[] = {
      {"one, which moves away from itself", "p = x + 2 * a\nq = x\nr = x", "a = p + 1\n  b = 0\n  c = 0", {{"a", -1}}},
      {"two, each given by the other", "p = x + 3 * b\nq = x + 2 * a\nr = x + b", "a = p + 1\n  b = q - 3\n  c = pre(c)",
       {{"a", 1.6}, {"b", 0.2}}},
      {"a curve", "p = x + a^3 / 10\nq = x\nr = x", "a = 3 - p\n  b = 0\n  c = 0", {{"a", 2.08873015}}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s;
    const std::string text =
        "variable x(start = 0, fixed)\nder(x) = 0\nvariable p, q, r\ndiscrete a(start = 0), b(start = 0), c(start = 0)\n" +
        std::string(row.plant) + "\nwhen sample(0, 1)\n  " + row.controllers + "\nend";
    REQUIRE_MESSAGE(s.run_text(text), rendered(s));
    CHECK_MESSAGE(s.simulate({.stop = 0.5}), rendered(s));
    for (const auto& [name, value] : row.values) {
      CAPTURE(name);
      CHECK(s.value(name).value_or(std::nan("")) == doctest::Approx(value).epsilon(1e-6));
    }
  }
}

TEST_CASE("events: what rests on a border within the tolerance changes once, at each tolerance") {
  // Each comes to its border once and stays just beyond it: the valve's flow is that of its pump, and an overdamped contact is never left.
  // The last one opens three times and closes when its pump sucks (at last at 1.1935), in steps that see nothing but a pressure at rest.
  const struct {
    const char* name;
    const char* text;  // K: the gain
    std::size_t events = 1, more = 0;
  } rows[] = {
      {"a relief valve", R"(
variable p(start = 0, fixed)
variable q = if p > 0.5 then (p - 0.5) * K else 0
der(p) = 1.2 + sin(20 * time) - q)"},
      {"a valve between two vessels", R"(
variable p(start = 0, fixed), r(start = 0, fixed)
variable q = if p > r + 0.5 then (p - r - 0.5) * K else 0
der(p) = 1.2 + sin(20 * time) - q
der(r) = q - r)"},
      {"a contact", R"(
variable x(start = 0.1, fixed), v(start = 0, fixed)
der(x) = v
der(v) = -9.81 + (if x < 0 then -K * x - 2.5 * sqrt(K) * v else 0))"},
      {"a relief valve whose pump sucks", R"(
variable p(start = 0, fixed)
variable q = if p > 0.5 then (p - 0.5) * K else 0
der(p) = 1.3355 + 1.5247 * sin(14.055 * time) - q)", 6, 2},
  };
  for (const auto& row : rows)
    for (const double gain : {1e6, 1e8, 1e10})
      for (const auto method : {simulate::Method::automatic, simulate::Method::bdf, simulate::Method::ida})
        for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-8}) {
          CAPTURE(row.name);
          CAPTURE(gain);
          CAPTURE(simulate::to_text(method));
          CAPTURE(tolerance);
          Session s;
          REQUIRE(s.run_text("parameter K = 1\n" + std::string(row.text)));
          REQUIRE(s.set_parameter("K", gain));
          simulate::Options o{.stop = row.events == 1 ? 1.0 : 1.2};
          o.tolerance = tolerance;
          o.method = method;
          CHECK_MESSAGE(s.simulate(o), rendered(s));
          CHECK(s.result()->counters.events >= row.events);
          CHECK(s.result()->counters.events <= row.events + row.more);
        }
}

TEST_CASE("events: both sides are points, and a terminate ends the run") {
  Session s;
  REQUIRE(s.run_text("variable x(start = 0, fixed)\nder(x) = 1\nwhen x > 1\n  reinit x = 5\nend\nwhen x > 6\n  terminate \"enough\"\nend\n"));
  simulate::Options o;
  o.stop = 10;
  o.points = 4;
  REQUIRE(s.simulate(o));
  REQUIRE(s.result()->terminated);
  CHECK(*s.result()->terminated == "enough");
  const auto& tr = s.result()->trajectory;
  REQUIRE(tr.size() >= 4);
  CHECK(tr.time()[1] == tr.time()[2]);
  CHECK(std::fabs(tr.state(1)[0] - 1) < 1e-12);
  CHECK(tr.state(2)[0] == 5);
  CHECK(std::fabs(tr.time().back() - 2) < 1e-9);
  CHECK(*s.value("x", 0.5) == doctest::Approx(0.5));
}

TEST_CASE("events: a terminate at the start leaves the start, in any precision") {
  for (const unsigned precision : {15u, 30u}) {
    CAPTURE(precision);
    Session s;
    REQUIRE(s.run_text("variable x(start = 3, fixed)\nder(x) = 1\nwhen initial()\n  terminate \"now\"\nend\n"));
    REQUIRE(s.simulate({.stop = 1, .precision = precision}));
    REQUIRE(s.result()->terminated);
    CHECK(s.result()->trajectory.time().back() == 0);
    CHECK(*s.value("x") == 3);
  }
}

TEST_CASE("events: a discrete variable is explained by its equation") {
  Session s;
  REQUIRE(s.run_text("discrete n(start = 0)\nvariable b : Boolean = time > 1\nwhen b\n  count :: n = pre(n) + 1\nend\nvariable x(start = 0, fixed)\nder(x) = n"));
  REQUIRE(s.simulate({}));
  const session::Analysis& a = *s.result_analysis();
  const auto explained = [&](const char* name) { return session::explain(a, *model::find(a.flat, name)); };
  CHECK(explained("n").kind == "discrete");
  CHECK(explained("n").equation == "count");
  REQUIRE(explained("n").reasons.size() == 1);
  CHECK(explained("n").reasons[0].find("`when b` gives it a value") != std::string::npos);
  CHECK(explained("b").equation == "b");
}

TEST_CASE("events: not located where the settings say so") {
  Session s;
  REQUIRE(s.run_text("variable x(start = 0, fixed)\nder(x) = if x < 0.5 then 1 else 2"));
  simulate::Options o{.stop = 1, .step = 0.3};
  REQUIRE(s.simulate(o));
  CHECK(std::fabs(*s.value("x") - 1.5) < 1e-9);
  o.events = false;
  REQUIRE(s.simulate(o));
  CHECK(*s.value("x") > 1);     // it does jump, at the end of a step,
  CHECK(*s.value("x") < 1.5);   // and so too late
}

TEST_CASE("events: what cannot go on is named") {
  const struct {
    const char* name;
    std::string text;
    std::vector<const char*> named;
  } rows[] = {
      {"chattering", "variable x(start = 0.5, fixed)\nder(x) = if x > 0 then -1 else 1", {"E0416", "`0 < x`"}},
      {"sign", "variable x(start = 0.5, fixed)\nder(x) = -sign(x)", {"E0416"}},
      {"no answer fits", "variable b : Boolean = x < 0\nvariable x = if b then 1 else -1", {"E0415", "`x < 0`"}},
      {"no rest", "discrete n(start = 0)\nvariable b : Boolean = time > 0.5 and not pre(b)\nwhen b\n  n = 1\nend", {"E0415", "`b`"}},
      {"a circle", "variable a : Boolean = not b\nvariable b : Boolean = not a", {"E0322", "`a` depends on itself"}},
      {"given twice", "discrete n\nwhen time > 1\n  n = 1\nend\nwhen time > 2\n  n = 2\nend", {"E0321"}},
      {"not given", "discrete n\nvariable x = n", {"E0320", "no equation gives `n`"}},
      {"reinit of no state", "variable x = time\nwhen x > 1\n  reinit x = 0\nend", {"E0323"}},
      {"reinit outside", "variable x(start = 0, fixed)\nder(x) = 1\nreinit x = 0", {"E0248"}},
      {"an interval of zero", "parameter T = 0\ndiscrete n(start = 0)\nwhen sample(0, T)\n  n = 1\nend", {"E0415", "must be positive"}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s;
    simulate::Options o;
    o.stop = 3;
    if (s.run_text(row.text)) CHECK_FALSE(s.simulate(o));
    check_said(s, row.named);
  }
}

TEST_CASE("events: the literals of an enumeration are known beside what has its type") {
  for (const char* value : {"pre(c) == Red", "Red == pre(c)", "noEvent(pre(c)) == Red", "(if pre(c) == Red then pre(c) else Green) == Red"}) {
    CAPTURE(value);
    Session s;
    REQUIRE(s.run_text("enum Color Red, Green\nmodel Light\n  discrete c : Color\n  discrete n : Integer\n  when sample(0, 1) then\n    c = if " + std::string(value) +
                       " then Green else Red\n    n = if " + value + " then pre(n) + 1 else pre(n)\n  end\nend\nl : Light\n"));
    REQUIRE(s.simulate({.stop = 5}));
    CHECK(s.value("l.n") == 3);
  }
}

// The moment lies inside the step in which the state event is found, behind which the step goes on.
TEST_CASE("a moment that a state event plans is met by every method") {
  for (const simulate::Method method : {simulate::Method::bdf, simulate::Method::adams, simulate::Method::ida, simulate::Method::rk45, simulate::Method::automatic})
    for (const std::string later : {"0.005", "0.0001", "0.05"})
      for (const std::string again : {"1e9", "0.003"}) {
        CAPTURE(simulate::to_text(method));
        CAPTURE(later);
        CAPTURE(again);
        Session s;
        REQUIRE(s.run_text("variable z(start = 0.5, fixed)\nder(z) = -z\ndiscrete n(start = 1e9)\ndiscrete hit(start = 0)\ndiscrete hits(start = 0)\n"
                           "when z < 0.4\n  n = time + " + later + "\nelsewhen time >= pre(n)\n  n = if pre(hits) < 1 then pre(n) + " + again + " else 1e9\nend\n"
                           "when time >= pre(n)\n  hit = time\n  hits = pre(hits) + 1\nend\n"));
        REQUIRE(s.simulate({.stop = 2, .points = 3, .tolerance = 1e-8, .method = method}));
        const bool twice = again != "1e9";
        CHECK(*s.value("hits") == (twice ? 2 : 1));
        CHECK(*s.value("hit") == doctest::Approx(std::log(0.5 / 0.4) + std::stod(later) + (twice ? std::stod(again) : 0)).epsilon(1e-7));
      }
}

// A relation that another event takes back each time, in ever shorter times that have a limit: the state that its own event sets is none of its operands.
TEST_CASE("events that come sooner each time, but not without end, go on") {
  for (const simulate::Method method : {simulate::Method::bdf, simulate::Method::adams, simulate::Method::ida, simulate::Method::rk45}) {
    CAPTURE(simulate::to_text(method));
    Session s;
    REQUIRE(s.run_text("variable y(start = -0.1, fixed), x(start = 0, fixed)\nder(y) = 1\nder(x) = 1\nwhen sample(0.1, 0.1)\n"
                       "  reinit y = -0.09 + 0.06 * exp(-4 * time)\nend\nwhen y > 0\n  reinit x = -0.25\nend\n"));
    REQUIRE(s.simulate({.stop = 3.05, .points = 3, .tolerance = 1e-8, .method = method}));
    const double last = 2.9 + 0.09 - 0.06 * std::exp(-4 * 2.9);
    CHECK(*s.value("x") == doctest::Approx(3.05 - last - 0.25).epsilon(1e-6));
  }
}

// Events keep the fast part alive (1e-8 s where a diode conducts), and errors hold the explicit method's steps at half of what stability allows.
TEST_CASE("events: a voltage doubler with fast diodes goes on with the implicit method") {
  const std::string text =
      "use electrical\ns : SineVoltage(V = 10, f = 1000)\nc1, c2 : Capacitor(C = 10e-6, v(start = 0, fixed))\nd1, d2 : IdealDiode(Ron = 1e-3, Goff = 1e-9)\n"
      "r : Resistor(R = 10e3)\ng : Ground\nconnect s.p, c1.p\nconnect c1.n, d1.n, d2.p\nconnect d2.n, c2.p, r.p\nconnect d1.p, c2.n, r.n, s.n, g.p\n";
  std::size_t steps[2];
  double ends[2];
  for (const int k : {0, 1}) {
    Session s(elaborate::Settings{{KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE_MESSAGE(s.run_text(text), rendered(s));
    simulate::Options o;
    o.stop = 0.02;
    if (k == 1) o.method = *simulate::method_named("bdf");
    REQUIRE_MESSAGE(s.simulate(o), rendered(s));
    steps[k] = s.result()->counters.steps;
    ends[k] = *s.value("c2.v");
  }
  CHECK(steps[0] < 2 * steps[1]);
  CHECK(ends[0] == doctest::Approx(ends[1]).epsilon(1e-4));
}

TEST_CASE("events: a switch without a conductance that opens the way of a current") {
  Session s(elaborate::Settings{{KRON_SOURCE_DIR "/stdlib"}});
  REQUIRE_MESSAGE(s.run_text("use electrical\ns : ConstantVoltage(V = 12)\nsw : IdealClosingSwitch(Ron = 0, Goff = 0)\nd : IdealDiode(Ron = 0, Goff = 0)\n"
                             "l : Inductor(L = 3e-5, i(start = 0, fixed))\nr : ConstantVoltage(V = 5)\ng : Ground\nsw.control = time < 1e-5\nconnect s.p, sw.p\n"
                             "connect sw.n, l.p, d.n\nconnect l.n, r.p\nconnect r.n, d.p, s.n, g.p\n"), rendered(s));
  CHECK_FALSE(s.simulate({.stop = 1e-3}));
  const std::string text = rendered(s);
  CAPTURE(text);
  for (const char* said : {"E0415", "a small conductance where it opens the way of a current", "`d.Goff`"}) CHECK(text.find(said) != std::string::npos);
}
