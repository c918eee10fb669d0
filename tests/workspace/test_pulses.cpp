// Pulses that are short against the steps before: the current of a rectifier, whose capacitor needs long steps in between.
#include <doctest/doctest.h>

#include <cmath>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

std::string rectifier(const std::string& C, const std::string& R, const std::string& f) {
  return "use electrical\nsource : SineVoltage(V = 17, f = " + f + ")\nRs : Resistor(R = 0.5)\nC1 : Capacitor(C = " + C +
         ", v(start = 0, fixed))\nload : Resistor(R = " + R +
         ")\nground : Ground\nD1, D2, D3, D4 : Diode(Ids = 1e-9, Vt = 0.05, Maxexp = 25)\nconnect source.p, Rs.p\n"
         "connect Rs.n, D1.p, D3.n\nconnect source.n, D2.p, D4.n\nconnect D1.n, D2.n, C1.p, load.p\n"
         "connect D3.p, D4.p, C1.n, load.n, ground.p\n";
}

double final_voltage(const std::string& model, simulate::Options options) {
  Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  REQUIRE_MESSAGE(s.run_text(model), rendered(s));
  options.stop = 0.1;
  REQUIRE_MESSAGE(s.simulate(options), rendered(s));
  return *s.value("load.v");
}

}  // namespace

// Each pulse is one of many, and what one leaves out the next one makes up for in part.
TEST_CASE("pulses: each of a rectifier's is seen, however slow its capacitor is") {
  struct { const char *C, *R, *f; } const circuits[] = {{"0.2e-3", "30", "50"},   {"1e-3", "100", "50"},  {"5e-3", "300", "50"},
                                                       {"20e-3", "3000", "50"}, {"0.2e-3", "300", "400"}, {"5e-3", "3000", "400"}};
  using simulate::Method;
  for (const auto& c : circuits) {
    const std::string model = rectifier(c.C, c.R, c.f);
    const double exact = final_voltage(model, {.step = 5e-5, .tolerance = 1e-9, .method = Method::rk45});
    for (const auto& [tolerance, bound] : {std::pair{1e-3, 0.05}, {1e-4, 0.01}, {1e-6, 5e-4}})  // over up to 80 pulses
      for (const Method method : {Method::automatic, Method::rk45, Method::bdf, Method::adams, Method::ida}) {
        CAPTURE(std::string(c.C));
        CAPTURE(std::string(c.f));
        CAPTURE(tolerance);
        CAPTURE(static_cast<int>(method));
        CHECK(std::fabs(final_voltage(model, {.tolerance = tolerance, .method = method}) - exact) < bound * exact);
      }
  }
}

// A pulse that nothing announces, and no wave drives: x rises by 0.01 sqrt(pi) wherever it is.
TEST_CASE("pulses: one in the middle of a step is seen") {
  for (int k = 0; k < 20; ++k) {
    const double at = 3 + 0.137 * k;
    CAPTURE(at);
    Session s;
    REQUIRE_MESSAGE(s.run_text("parameter at = " + to_text(at) + "\nvariable x(start = 0, fixed), y(start = 1, fixed), z(start = 0, fixed) : Real\n"
                               "der(x) = exp(-((time - at) / 0.1)^2) / 10\nder(y) = z\nder(z) = -y\n"), rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = 10, .tolerance = 1e-4}), rendered(s));
    CHECK(std::fabs(*s.value("x") - 0.01 * std::sqrt(std::acos(-1.0))) < 3e-5);
  }
}
