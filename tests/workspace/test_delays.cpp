// delay(x, T): method-of-steps solutions, jumps that arrive as events, delays that vary, what cannot be delayed.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "lang/workspace/kron.hpp"

using namespace kron;
using simulate::Method;

namespace {

constexpr Method methods[] = {Method::automatic, Method::rk45, Method::bdf, Method::adams, Method::ida};

// x' = -x(t - 1), x = 1 up to t = 0: sum over k of (-1)^k (t - k + 1)^k / k!, as far as t - k + 1 is positive.
double steps(double t) {
  double sum = 1, factorial = 1;
  for (int k = 1; t - k + 1 > 0; ++k) {
    factorial *= k;
    sum += (k % 2 == 1 ? -1 : 1) * std::pow(t - k + 1, k) / factorial;
  }
  return sum;
}

bool run(Session& s, const std::string& text, const simulate::Options& o) {
  REQUIRE(s.run_text(text));
  const bool good = s.simulate(o);
  for (const Diagnostic& d : s.diagnostics().list()) MESSAGE(d.message);
  return good;
}

double at_end(Session& s, const char* name) { return s.value(name).value_or(std::nan("")); }

}  // namespace

TEST_CASE("delay: x' = -x(t - 1)") {
  for (const Method method : methods)
    for (const double tolerance : {1e-6, 1e-9}) {
      CAPTURE(simulate::to_text(method));
      CAPTURE(tolerance);
      Session s;
      REQUIRE(run(s, "variable x(start = 1, fixed)\nder(x) = -delay(x, 1)", {.stop = 7.3, .points = 73, .tolerance = tolerance, .method = method}));
      double worst = 0;
      for (double t = 0.05; t < 7.3; t += 0.1) worst = std::max(worst, std::fabs(*s.value("x", t) - steps(t)));
      CAPTURE(worst);
      // One-step methods hand on each step's error; BDF adds up some tens of them.
      CHECK(worst < (method == Method::automatic || method == Method::rk45 ? 20 : 300) * tolerance);
    }
}

TEST_CASE("delay: values at the end against closed forms") {
  const struct {
    const char* name;
    std::string text;
    double stop, value;
  } rows[] = {
      {"a sine, without states", "variable y = delay(sin(20 * time), 0.3)", 2, std::sin(20 * 1.7)},
      {"longer than the run", "variable y = delay(sin(time) + 2, 100)", 2, 2},
      {"a step is an event", "variable y(start = 0, fixed)\nder(y) = delay(if time < 0.2 then 0 else 3, 0.3)", 1, 1.5},
      {"a state that jumps", "variable x(start = 0, fixed)\nder(x) = 1\nwhen x > 1\n  reinit x = 0\nend\nvariable y(start = 0, fixed)\nder(y) = delay(x, 0.25)", 2.5,
       0.5 + 0.5 + 0.5 * 0.25 * 0.25},
      {"a discrete variable", "discrete d(start = 1)\nwhen sample(0.5, 0.5)\n  d = pre(d) + 1\nend\nvariable y(start = 0, fixed)\nder(y) = delay(d, 0.2)", 1.6,
       0.7 * 1 + 0.5 * 2 + 0.4 * 3},
      {"a start of what is delayed that agrees", "variable x(start = 2, fixed)\nvariable y(start = 2, fixed)\nder(x) = 1\ny = delay(x, 0.3)", 1, 2.7},
      {"one in the other", "variable y = delay(delay(sin(time), 0.3), 0.4)", 3, std::sin(2.3)},
      {"of what is delayed itself", "variable y = 1 + 0.5 * delay(y, 1)", 3.5, 2},
      {"jumps that go round", "variable y = (if time < 0.5 then 0 else 1) - 0.5 * delay(y, 1)", 3.7, 1 - 0.5 + 0.25 - 0.125},
      {"growing", "variable y = delay(sin(time), 0.1 + 0.5 * time, 2)", 3, std::sin(1.4)},
      {"swinging", "variable y = delay(sin(time), 1 + 0.5 * sin(3 * time), 2)", 3, std::sin(2 - 0.5 * std::sin(9.0))},
      {"shrinking past a jump and back", "variable u = if time < 1 then 0 else time\nvariable y = delay(u, 1 + 2 * sin(time)^2, 3)", 3, 3 - 1 - 2 * std::pow(std::sin(3.0), 2)},
      {"differentiated", "variable y = der(delay(sin(time), 1))", 2, std::cos(1.0)},
      {"by index reduction", "variable x, y\nder(x) = y\nx = delay(sin(time), 1)", 2, std::cos(1.0)},
      {"a parameter", "parameter T = 0.5\nvariable y = delay(time^2, 2 * T)", 3, 4},
      {"of arrays", "variable x[2] = {time, 2 * time}\nvariable z[2] = delay(x, 1)\nvariable y = z[1] + z[2]", 3, 6},
      {"nothing", "variable y = delay(time, 0)", 3, 3},
      {"in a relation", "variable b : Boolean = delay(time, 0.5) > 1\nvariable y(start = 0, fixed)\nder(y) = if b then 1 else 0", 2, 0.5},
      {"in a when", "discrete y(start = 0)\nwhen delay(sin(time), 0.5) > 0.5\n  y = time\nend", 2, std::asin(0.5) + 0.5},
      {"what rises from exactly 0 beside what is fast", "variable x(start = 0, fixed)\nder(x) = if time > 0.8 then 1 else 0\nvariable y = delay(x, 0.1)\n"
                                                         "variable w(start = 0, fixed)\nder(w) = -1e4 * (w - sin(time))", 2, 1.1},
      {"in a loop", "variable x(start = 0, fixed)\nvariable y\nder(x) = 1\ny^3 + y = delay(x, 1)^3 + delay(x, 1)", 3, 2},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    for (const Method method : {Method::automatic, Method::bdf}) {
      Session s;
      REQUIRE(run(s, row.text, {.stop = row.stop, .tolerance = 1e-9, .method = method}));
      CAPTURE(at_end(s, "y"));
      CHECK(std::fabs(at_end(s, "y") - row.value) < 2e-7);
    }
  }
}

TEST_CASE("delay: random linear systems against a method of fixed steps") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  constexpr std::size_t n = 3;
  for (int model = 0; model < 10; ++model) {
    CAPTURE(model);
    double a[n][n], b[n][n], c[n][n], start[n];
    const int one = 5 + static_cast<int>(random() % 10), two = 5 + static_cast<int>(random() % 20);  // delays in units of 0.05
    std::string text;
    for (std::size_t i = 0; i < n; ++i) {
      start[i] = number(random);
      const std::string x = "x" + std::to_string(i);
      text += "variable " + x + "(start = " + to_text(start[i]) + ", fixed)\nder(" + x + ") = 0";
      for (std::size_t k = 0; k < n; ++k) {
        a[i][k] = number(random), b[i][k] = number(random), c[i][k] = number(random);
        const std::string z = "x" + std::to_string(k);
        text += " + (" + to_text(a[i][k]) + ") * " + z + " + (" + to_text(b[i][k]) + ") * delay(" + z + ", " + to_text(0.05 * one) + ") + (" + to_text(c[i][k]) +
                ") * delay(" + z + ", " + to_text(0.05 * two) + ")";
      }
      text += "\n";
    }
    // Runge and Kutta's method; kinks are at multiples of 0.05, so at steps. Halfway values of the past are those of cubics.
    constexpr int fine = 40, total = 60 * fine;
    const double h = 0.05 / fine;
    std::vector<std::array<double, n>> x{{start[0], start[1], start[2]}}, slope;
    const auto past = [&](int step, int half) {  // at (step + half / 2) h
      std::array<double, n> v = x[0];
      if (step < 0) return v;
      const auto k = static_cast<std::size_t>(step);
      for (std::size_t i = 0; i < n; ++i) v[i] = half == 0 ? x[k][i] : 0.5 * (x[k][i] + x[k + 1][i]) + h / 8 * (slope[2 * k][i] - slope[2 * k + 1][i]);
      return v;
    };
    const auto f = [&](const std::array<double, n>& y, int step, int half) {
      const auto d1 = past(step - one * fine, half), d2 = past(step - two * fine, half);
      std::array<double, n> r{};
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < n; ++k) r[i] += a[i][k] * y[k] + b[i][k] * d1[k] + c[i][k] * d2[k];
      return r;
    };
    const auto moved = [&](const std::array<double, n>& y, double by, const std::array<double, n>& k) {
      std::array<double, n> r{};
      for (std::size_t i = 0; i < n; ++i) r[i] = y[i] + by * k[i];
      return r;
    };
    for (int step = 0; step < total; ++step) {
      const auto y = x.back();
      const auto k1 = f(y, step, 0), k2 = f(moved(y, h / 2, k1), step, 1), k3 = f(moved(y, h / 2, k2), step, 1), k4 = f(moved(y, h, k3), step + 1, 0);
      std::array<double, n> next{};
      for (std::size_t i = 0; i < n; ++i) next[i] = y[i] + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
      slope.push_back(k1);
      slope.push_back(f(next, step + 1, 0));
      x.push_back(next);
    }
    Session s;
    REQUIRE(run(s, text, {.stop = 3, .tolerance = 1e-9}));
    for (std::size_t i = 0; i < n; ++i) {
      const std::string name = "x" + std::to_string(i);
      CHECK(std::fabs(at_end(s, name.c_str()) - x.back()[i]) < 1e-6 * std::max(1.0, std::fabs(x.back()[i])));
    }
  }
}

TEST_CASE("delay: output points do not touch the run, and sweeps and edits are single runs") {
  const std::string text = "parameter T = 1\nvariable x(start = 1, fixed)\nder(x) = -delay(x, T) * (1 + x)";
  const auto end = [&](const char* edit, std::size_t points) {
    Session s;
    REQUIRE(run(s, text, {.stop = 5, .points = points, .tolerance = 1e-7}));
    if (*edit) {
      REQUIRE(s.run_text(edit));
      REQUIRE(s.simulate({.stop = 5, .points = points, .tolerance = 1e-7}));
    }
    return at_end(s, "x");
  };
  CHECK(end("", 3) == end("", 1000));
  Session s;
  REQUIRE(s.run_text("parameter T = 0.5\nvariable x(start = 1, fixed)\nder(x) = -delay(x, T) * (1 + x)"));
  REQUIRE(s.simulate({.stop = 5, .points = 100, .tolerance = 1e-7}));
  CHECK(at_end(s, "x") == end("parameter T = 0.5", 100));
}

// A line without losses (two waves, delayed by T each) from a source of 10 V with resistance `from` to a load `to`. Before the start it was as it is
// then: the currents of a circuit without the line.
TEST_CASE("delay: circles that nothing damps begin at rest") {
  struct { double from, to; } const ends[] = {{20, 1000}, {0, 50}, {0, 1e9}, {1e-6, 1e9}, {1e-6, 1e-3}, {50, 50}, {1e6, 0}};
  for (const auto& e : ends) {
    CAPTURE(e.from);
    CAPTURE(e.to);
    Session s;
    REQUIRE(run(s, "parameter Z = 50\nparameter T = 0.001\nvariable V = if time < 0.0025 then 10 else 4\nvariable u1, i1, u2, i2\n"
                   "u1 = V - " + to_text(e.from) + " * i1\nu2 = -" + to_text(e.to) + " * i2\n"
                   "u1 - Z * i1 = delay(u2 + Z * i2, T)\nu2 - Z * i2 = delay(u1 + Z * i1, T)\n", {.stop = 0.003}));
    const double i = 10 / (e.from + e.to);
    CHECK(std::fabs(at_end(s, "u2") - e.to * i) < 1e-6 * 10);  // the step has not arrived
    CHECK(std::fabs(at_end(s, "u1") - (e.to * i + (4 - 10) * 50 / (50 + e.from))) < 1e-6 * 10);
  }
}

TEST_CASE("delay: what goes round and nothing determines begins at 0") {
  const struct {
    const char *text, *name;
    double end;
  } rows[] = {
      {"variable y = delay(y, 1)", "y", 0},
      {"variable y = delay(z, 1)\nvariable z = y + time", "y", 2},  // z(1.5) = 1.5 + z(0.5) = 1.5 + 0.5 + 0
      {"variable y = 2 - delay(y, 1)", "y", 1},
      {"variable y = 3 + delay(z, 1)\nvariable z = delay(y, 1) - 3", "y", 0},  // (0, -3), of all (y, y - 3)
      {"variable y = 0.5 * delay(y, 1) + 1", "y", 2},
      {"variable y = delay(y, 1)^2", "y", 0},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    Session s;
    REQUIRE(run(s, row.text, {.stop = 2.5}));
    CHECK(at_end(s, row.name) == doctest::Approx(row.end));
  }
}

TEST_CASE("delay: gates in a circle come to rest one after the other") {
  Session s;
  REQUIRE(run(s, "model Gate\n  input a, b : Boolean\n  output y : Boolean\n"
                 "  y = not (delay(if a then 1 else 0, 1e-3) > 0.5 or delay(if b then 1 else 0, 1e-3) > 0.5)\nend\ng, h : Gate\n"
                 "discrete s, r : Boolean\ns = time > 0.1 and time < 0.2\nr = time > 0.3 and time < 0.4\n"
                 "g.a = r\ng.b = h.y\nh.a = s\nh.b = g.y\n", {.stop = 0.5}));
  CHECK(s.value("g.y", 0.05) != s.value("h.y", 0.05));
  CHECK(s.value("g.y", 0.25) == 1);
  CHECK(s.value("h.y", 0.25) == 0);
  CHECK(s.value("g.y", 0.5) == 0);
  CHECK(s.value("h.y", 0.5) == 1);
}

TEST_CASE("delay: what cannot be") {
  const struct {
    const char* name;
    std::string text;
    const char* code;
  } rows[] = {
      {"no time at all", "parameter T = 0\nvariable x(start = 1, fixed)\nder(x) = -delay(x, T)", "E0417"},
      {"the future", "parameter T = -1\nvariable x(start = 1, fixed)\nder(x) = -delay(x, T)", "E0417"},
      {"the future, written", "variable x(start = 1, fixed)\nder(x) = -delay(x, -1)", "E0246"},
      {"longer than the longest", "variable x(start = 1, fixed)\nder(x) = -delay(x, 1 + time, 2)", "E0417"},
      {"varying without bound", "variable x(start = 1, fixed)\nder(x) = -delay(x, 1 + x)", "E0246"},
      {"a start of what is delayed that does not agree", "variable x(start = 2, fixed)\nvariable y(start = 1, fixed)\nder(x) = 1\ny = delay(x, 0.3)", "E0311"},
      {"a start that does not settle", "variable y = 1 + delay(y, 1)", "E0417"},
      {"a Boolean", "variable b : Boolean = time > 1\nvariable c : Boolean = delay(b, 1)", "E0246"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s;
    const bool good = s.run_text(row.text) && s.simulate({.stop = 3});
    CHECK(!good);
    std::string codes;
    for (const Diagnostic& d : s.diagnostics().list()) codes += d.code + " ";
    if (s.result()) codes += simulate::code_of(s.result()->trouble.kind);
    CAPTURE(codes);
    CHECK(codes.find(row.code) != std::string::npos);
  }
  Session s;
  REQUIRE(s.run_text("variable x(start = 1, fixed)\nder(x) = -delay(x, 1)"));
  CHECK(!s.simulate({.stop = 1, .precision = 20}));
}
