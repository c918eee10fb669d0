// Events in runs with more than 15 digits: closed forms to those digits.
#include <doctest/doctest.h>

#include <cmath>

#include "lang/workspace/kron.hpp"

using namespace kron;

namespace {

std::size_t agreeing(const std::string& a, const std::string& b) {
  std::size_t digits = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()) && a[i] == b[i]; ++i) digits += a[i] >= '0' && a[i] <= '9' ? 1 : 0;
  return digits;
}

// The digits of the output that is the variable `name` at the end.
std::string digits(const Session& s, const char* name) {
  const session::Analysis& a = *s.result_analysis();
  const auto slot = model::find(a.flat, name);
  REQUIRE(slot);
  for (std::size_t k = 0; k < a.output_variables.size(); ++k)
    if (a.output_variables[k] == *slot) return s.result()->trajectory.last_digits.at(a.states.size() + k);
  for (std::size_t k = 0; k < a.states.size(); ++k)
    if (a.states[k].variable == *slot) return s.result()->trajectory.last_digits.at(k);
  FAIL("no output: " << name);
  return "";
}

}  // namespace

TEST_CASE("precise events: closed forms to 30 digits") {
  const struct {
    const char* name;
    std::string text;
    double stop;
    const char* variable;
    const char* value;
    bool is_state;
  } rows[] = {
      {"the tenth bounce of a ball",  // sqrt(2 / 9.81) (1 + 2 (0.9 + ... + 0.9^9))
       "variable h(start = 1, fixed)\nvariable v(start = 0, fixed)\ndiscrete n(start = 0) : Integer\ndiscrete t(start = 0)\nvariable y = t\n"
       "der(h) = v\nder(v) = -9.81\nwhen h < 0\n  reinit v = -0.9 * v\n  n = pre(n) + 1\n  t = time\nend\nwhen n >= 10\n  terminate \"done\"\nend",
       8, "y", "5.43021800258534562211999196214572229", false},
      {"a sine passes a half",  // 2 pi + pi / 6
       "variable x(start = 0, fixed)\nvariable w(start = 1, fixed)\nder(x) = w\nder(w) = -x\ndiscrete t(start = 0)\nvariable y = t\nwhen x > 1 / 2\n  t = time\nend",
       10, "y", "6.80678408277788535000239399710558958", false},
      {"the integral of an absolute value", "variable q(start = 0, fixed)\nder(q) = abs(sin(3 * time))", 10, "q", "6.38475048329586135023955404887140340", true},
      {"samples of an exact number", "discrete a(start = 1 / 3)\nvariable y = a\nwhen sample(0, 1 / 10)\n  a = pre(a) / 3 + 1 / 7\nend",  // a_k = 3/14 + (1/3 - 3/14) / 3^k
       0.45, "y", "0.21477562218302959043699784440525181", false},
      {"the floor of what stands still", "variable x(start = 7, fixed)\nvariable z(start = 1, fixed)\nder(x) = 0\nder(z) = -z\nvariable n = floor(x)", 3, "n", nullptr, false},
      {"two ideal diodes, of which one conducts",
       "variable off1 : Boolean = s1 < 0\nvariable off2 : Boolean = s2 < 0\nvariable s1, s2, v\nsin(time) - v = s1 * (if off1 then 1 else 1e-5)\n"
       "cos(time) - v = s2 * (if off2 then 1 else 1e-5)\nv = 10 * (s1 * (if off1 then 1e-5 else 1) + s2 * (if off2 then 1e-5 else 1))\nvariable x(start = 0, fixed)\nder(x) = v",
       1.2, "v", nullptr, false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s;
    REQUIRE(s.run_text(row.text));
    simulate::Options o{.stop = row.stop, .points = 20, .precision = 30};
    const bool ran = s.simulate(o);
    for (const Diagnostic& d : s.diagnostics().list()) MESSAGE(d.message);
    REQUIRE(ran);
    const double precise = *s.value(row.variable);
    if (row.value) {
      CAPTURE(digits(s, row.variable));
      CHECK(agreeing(digits(s, row.variable), row.value) >= 29);
    }
    // Doubles come to the same, and to as many points.
    o.precision = 15;
    o.tolerance = 1e-10;
    REQUIRE(s.simulate(o));
    CHECK(std::fabs(*s.value(row.variable) - precise) < 1e-8);
  }
}

TEST_CASE("precise events: both sides are points, and values between them are right") {
  Session s;
  REQUIRE(s.run_text("variable x(start = 0, fixed)\nder(x) = cos(time)\nwhen x > 1 / 2\n  reinit x = 5\nend"));
  REQUIRE(s.simulate({.stop = 1, .points = 2, .precision = 25}));
  const auto& tr = s.result()->trajectory;
  REQUIRE(tr.size() == 5);  // the start, the middle, both sides, the end
  CHECK(tr.time()[2] == tr.time()[3]);
  CHECK(std::fabs(tr.time()[2] - std::asin(0.5)) < 1e-16);
  CHECK(tr.state(3)[0] == 5);
  for (double t : {0.51, 0.52, 0.6, 0.9}) {  // cubic between points with slopes: (t - t0)^4 / 384
    CAPTURE(t);
    CHECK(std::fabs(*s.value("x", t) - (t < std::asin(0.5) ? std::sin(t) : 4.5 + std::sin(t))) < 2e-4);
  }
}

TEST_CASE("precise events: what cannot go on is told as in doubles") {
  const struct {
    std::string text;
    const char* code;
  } rows[] = {
      {"variable x(start = 0.5, fixed)\nder(x) = if x > 0 then -1 else 1", "E0416"},
      {"variable b : Boolean = x < 0\nvariable x = if b then 1 else -1", "E0415"},
      {"parameter T = 0\ndiscrete n(start = 0)\nwhen sample(0, T)\n  n = 1\nend", "E0415"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    Session s;
    const bool fine = s.run_text(row.text) && s.simulate({.stop = 1, .precision = 20});
    CHECK(!fine);
    REQUIRE(s.result() != nullptr);
    CHECK(simulate::code_of(s.result()->trouble.kind) == row.code);
  }
}
