// Relations whose answers hold while a step is tried: beyond the moment of their change the branch they hold may have no number or no solution.
#include <cmath>
#include <doctest/doctest.h>

#include "lang/workspace/kron.hpp"

using namespace kron;
using simulate::Method;

TEST_CASE("held branches: what has no solution beyond its end is followed to there and goes on in the next one") {
  const double third = 1.0 / 3;
  const struct {
    const char* name;
    std::string text;
    double stop;
    std::vector<std::pair<const char*, double>> values;
  } rows[] = {
      {"an orifice solved for its pressure", "variable q = 1 - time\nvariable p\nq = 0.5*sign(p)*sqrt(abs(p))", 2, {{"p", -4}}},
      {"orifices in series", "variable q = 1 - time\nvariable p1, p2\nq = 0.5*sign(p1 - p2)*sqrt(abs(p1 - p2))\nq = 0.3*sign(p2)*sqrt(abs(p2))", 2,
       {{"p2", -1 / 0.09}, {"p1", -1 / 0.09 - 4}}},
      {"its start values in another branch", "variable q = 1 - time\nvariable p1(start = 3), p2(start = 1)\nq = 0.5*sign(p1 - p2)*sqrt(abs(p1 - p2))\nq = 0.3*sign(p2)*sqrt(abs(p2))", 0.5,
       {{"p2", 0.25 / 0.09}, {"p1", 0.25 / 0.09 + 1}}},
      {"a root with branches written out", "variable x = cos(time)\nvariable y\n(if y > 0 then sqrt(y) else -sqrt(-y)) = x", 4, {{"y", -std::pow(std::cos(4.0), 2)}}},
      {"a power between the linear and the square", "variable y(start = 1)\nabs(y)^1.5*sign(y) = 1 - time", 1.3, {{"y", -std::pow(0.3, 2 * third)}}},
      {"a tank that is filled to rest", "variable p(start = 0, fixed)\nvariable dp = 1 - p\nder(p) = sign(dp)*sqrt(abs(dp))", 1.8, {{"p", 1.8 - 0.81}}},
      {"and rests", "variable p(start = 0, fixed)\nvariable dp = 1 - p\nder(p) = sign(dp)*sqrt(abs(dp))", 3, {{"p", 1}}},
      {"a flow with inertia through an orifice", "variable x(start = 1, fixed)\nvariable y\nsqrt(abs(y))*sign(y) = x\nder(x) = -y", 3, {{"x", 0.25}}},
  };
  for (const auto& row : rows)
    for (const Method method : {Method::automatic, Method::bdf}) {
      CAPTURE(row.name);
      CAPTURE(simulate::to_text(method));
      Session s;
      REQUIRE(s.run_text(row.text));
      simulate::Options o;
      o.stop = row.stop;
      o.tolerance = 1e-7;
      o.method = method;
      const bool ran = s.simulate(o);
      for (const Diagnostic& d : s.diagnostics().list()) MESSAGE(d.message);
      REQUIRE(ran);
      for (const auto& [name, value] : row.values) {
        CAPTURE(name);
        CHECK(std::fabs(s.value(name).value_or(std::nan("")) - value) < 1e-5 * std::max(1.0, std::fabs(value)));
      }
    }
}

TEST_CASE("held branches: with noEvent they are the same numbers") {
  const std::string tanks = "variable h1(start = 1, fixed), h2(start = 0.2, fixed)\nder(h1) = -q + 0.4*sin(time)\nder(h2) = q - 0.3*sin(2*time)\nvariable q = ";
  const auto end = [&](const std::string& flow, Method method) {
    Session s;
    REQUIRE(s.run_text(tanks + flow));
    simulate::Options o;
    o.stop = 10;
    o.tolerance = 1e-8;
    o.method = method;
    REQUIRE(s.simulate(o));
    return *s.value("h1");
  };
  const double expected = end("noEvent(sign(h1 - h2)*sqrt(abs(h1 - h2)))", Method::bdf);
  for (const Method method : {Method::automatic, Method::bdf, Method::ida}) {
    CAPTURE(simulate::to_text(method));
    CHECK(end("sign(h1 - h2)*sqrt(abs(h1 - h2))", method) == doctest::Approx(expected).epsilon(1e-5));
    CHECK(end("if h1 > h2 then sqrt(h1 - h2) else -sqrt(h2 - h1)", method) == doctest::Approx(expected).epsilon(1e-5));
  }
}

// While a steep piece holds, what moves is less than the tolerance: whether it ends is in digits behind it.
TEST_CASE("held branches: a steep one ends where the equations say, also within one long step") {
  const struct {
    const char* name;
    std::string text;
    double stop;
    const char* value;
    double tolerance;  // of the value, in units of what the run's tolerance may make of it
  } rows[] = {
      {"a relief valve", "variable p(start = 0, fixed)\nvariable q = 1.5 + sin(10*time) + 0.5*sin(37*time)\nvariable qr = if p > 1 then 1e6*(p - 1) else 0\n0.00134*der(p) = q - p - qr", 0.45, "p", 1e-3},
      {"a clamp of a resistor and a capacitor",
       "variable a(start = 0, fixed)\nvariable u = 10*sin(2*pi*50*time + 0.2)\nvariable on : Boolean = a > 4\nvariable id = if on then (a - 4)/1e-5 else 1e-5*(a - 4)\n"
       "1.6e-6*der(a) = (u - a)/11.3 - id",
       0.0084, "a", 1e-3},
      {"the same without events",
       "variable a(start = 0, fixed)\nvariable u = 193*sin(2*pi*50*time + 0.282)\nvariable id = noEvent(max(a - 143, 0))/1e-5\n9.01e-7*der(a) = (u - a)/82.66 - id", 0.007, "a", 0.3},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const auto end = [&](double tolerance, Method method) {
      Session s;
      REQUIRE(s.run_text(row.text));
      simulate::Options o;
      o.stop = row.stop;
      o.tolerance = tolerance;
      o.method = method;
      REQUIRE(s.simulate(o));
      return *s.value(row.value);
    };
    const double expected = end(1e-10, Method::bdf);
    for (const Method method : {Method::automatic, Method::bdf, Method::ida}) {
      CAPTURE(simulate::to_text(method));
      CHECK(std::fabs(end(1e-6, method) - expected) < row.tolerance);
    }
  }
}

TEST_CASE("held branches: a limit that was out of reach is none for roundings") {
  Session s;
  REQUIRE(s.run_text("discrete t0(start = 1e60), te(start = 0)\nvariable x(start = 0, fixed)\nder(x) = 1\nwhen x > 1\n  t0 = time\nend\nwhen x >= t0 + 0.8\n  te = time\nend\n"));
  simulate::Options o;
  o.stop = 3;
  REQUIRE(s.simulate(o));
  CHECK(*s.value("te") == doctest::Approx(1.8).epsilon(1e-6));
}
