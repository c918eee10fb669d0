// Places where computed derivatives are rounding errors: steps pass over them, or the run ends there.
#include <doctest/doctest.h>

#include <cmath>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

// x = cos(t). The oscillator's stiffness, 1, is computed as a quotient of two numbers that go to zero at t = `at` like (t - at)^order; its
// rounding errors are a few epsilon / |t - at|^order.
std::string oscillator(int order, double at) {
  return "parameter at = " + to_text(at) + "\nvariable u = (time - at)^" + std::to_string(order) +
         "\nvariable c = 5 + x + time^3\nvariable x(start = 1, fixed)\nvariable v(start = 0, fixed)\n"
         "der(x) = v\nder(v) = -x * (exp(log(c + u)) - c) / u\n";
}

struct Run {
  bool good = false;
  double x = 0;
  std::string said;
  simulate::Counters counters;
};

Run run(const std::string& text, simulate::Method method = simulate::Method::automatic) {
  Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  REQUIRE_MESSAGE(s.run_text(text), rendered(s));
  Run r;
  r.good = s.simulate({.stop = 2, .tolerance = 1e-9, .method = method});
  r.said = rendered(s);
  if (r.good) r.x = *s.value("x");
  r.counters = s.result()->counters;
  return r;
}

double place(int k) { return 0.6005 + 0.001 * k; }  // beside the output points

}  // namespace

TEST_CASE("rough places: steps pass over them, wherever they are") {
  const std::size_t usual = run("variable x(start = 1, fixed)\nvariable v(start = 0, fixed)\nder(x) = v\nder(v) = -x\n").counters.rhs_evals;
  std::size_t met = 0;
  for (int k = 0; k < 100; ++k) {
    CAPTURE(place(k));
    const Run r = run(oscillator(3, place(k)));
    REQUIRE_MESSAGE(r.good, r.said);
    CHECK(std::fabs(r.x - std::cos(2.0)) < 1e-7);
    CHECK(r.counters.rhs_evals < 2 * usual);
    met += r.counters.error_test_fails > 0;
  }
  CHECK(met > 5);
}

TEST_CASE("rough places: where they are wider than a step the run ends there, with the reason") {
  for (const simulate::Method method : {simulate::Method::automatic, simulate::Method::rk45, simulate::Method::bdf})
    for (int k = 0; k < 10; ++k) {
      CAPTURE(static_cast<int>(method));
      CAPTURE(place(k));
      const Run r = run(oscillator(13, place(k)), method);
      CHECK(!r.good);
      CHECK(r.said.find("E0404") != std::string::npos);
      CHECK(r.counters.rhs_evals < 200000);
    }
}

// Its width is 1e-4 of the steps before and after: a control that leaps must not leap over it.
TEST_CASE("rough places: a narrow pulse is none") {
  for (int k = 0; k < 20; ++k) {
    CAPTURE(place(k));
    const Run r = run("parameter at = " + to_text(place(k)) + "\nvariable x(start = 0, fixed)\nder(x) = 0.1 + 1 / (1e-4 + (time - at)^2)\n");
    const double w = 1e-2, exact = 0.2 + (std::atan((2 - place(k)) / w) + std::atan(place(k) / w)) / w;
    REQUIRE_MESSAGE(r.good, r.said);
    CHECK(std::fabs(r.x - exact) < 1e-6 * exact);
  }
}

// A rectifier's current into an inductor: while it is blocked the derivatives are as steep as the diode is, and then they are not. The second half-wave
// begins at 0.02 s with i = 0: i = 24/|Z| (sin(w t - phi) + sin(phi) exp(-R t/L)), R = 50 Ohm, w L = pi Ohm.
TEST_CASE("rough places: steps of BDF follow the derivatives where something fast ends") {
  constexpr double pi = 3.14159265358979323846;
  const double phi = std::atan2(pi, 50), t = 0.005;
  const double expected = 24 / std::hypot(50, pi) * (std::sin(100 * pi * t - phi) + std::sin(phi) * std::exp(-50 * t / 0.01));
  for (const char* diode : {"noEvent(if i < 0 then 1e8 * i else 0)", "-exp(-i / 1e-6)"})
    for (const simulate::Method method : {simulate::Method::bdf, simulate::Method::automatic})
      for (const double tolerance : {1e-3, 1e-4, 1e-6, 1e-8}) {
        CAPTURE(std::string(diode));
        CAPTURE(tolerance);
        Session s;
        REQUIRE(s.run_text(std::string("variable i(start = 0, fixed)\nvariable vd = ") + diode + "\nder(i) = (24 * sin(100 * pi * time) - 50 * i - vd) / 0.01\n"));
        REQUIRE_MESSAGE(s.simulate({.stop = 0.025, .tolerance = tolerance, .method = method}), rendered(s));
        CHECK(std::fabs(s.value("i").value() - expected) < tolerance + 3e-6);  // 1e-6: what blocks the smooth one
      }
}
