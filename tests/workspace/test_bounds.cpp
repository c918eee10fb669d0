// Bounds of unknowns of non-linear blocks hold whatever is torn, and unknowns that next to nothing holds do not stop an iteration.
#include <doctest/doctest.h>

#include <cmath>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

TEST_CASE("bounds: of several solutions the one within them") {
  const double s = 5.67e-8;
  const struct {
    const char* name;
    std::string text;
    std::vector<std::pair<const char*, double>> values;
  } rows[] = {
      {"the bounded unknown would be assigned", "variable A(start = 424, min = 0), B(start = 400, min = 0)\nB = A + 3 * 5.67e-8 * (2 * A^4 - 300^4 - 500^4)\nB - A = 3 * 5.67e-8 * (500^4 - B^4)\n",
       {{"A", 434.042}, {"B", 499.232}}},
      {"another one is torn by hand", "variable T(start = 300, min = 0), T3\n5.67e-8 * (T^4 - 300^4) + 10 * (T - 383) + 0.6 * (T - T3) = 0\n0.6 * (T - T3) = 8 * (T3 - 300)\ntear T3\n",
       {{"T", 345.547}, {"T3", 303.178}}},
      {"a circle and a line", "variable x(start = 10, min = 0), y(start = -10)\nx^2 + y^2 = 25\ny = x - 1\ntear y\n", {{"x", 4}, {"y", 3}}},
      {"an upper bound", "variable x(start = -10, max = 0), y\nx^2 + y^2 = 25\ny = x - 1\ntear y\n", {{"x", -3}, {"y", -4}}},
      {"radiation", "use thermal\nf : FixedTemperature(T = 300)\nh : FixedTemperature(T = 500)\nG1, G2, G3 : BodyRadiation(Gr = 1)\nR : ThermalResistor(R = 3)\n"
       "connect f.port, G1.port_a\nconnect G1.port_b, G2.port_a, R.port_a\nconnect G2.port_b, h.port\nconnect R.port_b, G3.port_a\nconnect G3.port_b, h.port\n",
       {{"G1.port_b.T", 434.042}, {"R.port_b.T", 499.232}}},
  };
  CHECK(s * (std::pow(500, 4) - std::pow(499.232, 4)) == doctest::Approx((499.232 - 434.042) / 3).epsilon(1e-3));  // of the last digit 499.232 has: 5e-4 * 4 s T^3
  for (const auto& row : rows) {
    CAPTURE(std::string(row.name));
    Session session(elaborate::Settings{{KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE_MESSAGE(session.run_text(row.text), rendered(session));
    REQUIRE_MESSAGE(session.simulate({.stop = 1}), rendered(session));
    for (const auto& [name, value] : row.values) CHECK(*session.value(name) == doctest::Approx(value).epsilon(2e-6));
  }
}

// Where all diodes of a phase block, its potential hangs on 1e-8 S beside tens of siemens: roundings of the currents move it by more than the
// tolerance, and the rest is as it should be.
TEST_CASE("a potential that next to nothing holds: three-phase bridge with inductors before it") {
  std::string text =
      "use electrical\ns[3] : SineVoltage(V = 100, f = 50, phase = {0, -2*pi/3, 2*pi/3})\nla[3] : Inductor(L = 1e-3, i(start = 0))\nd[6] : Diode\n"
      "l : Inductor(L = 0.02, i(start = 0, fixed))\nr : Resistor(R = 10)\ng : Ground\n"
      "for k in 1:3\n  connect s[k].p, la[k].p\n  connect la[k].n, d[k].p, d[k+3].n\n  connect d[k].n, l.p\n  connect d[k+3].p, r.n\n  connect s[k].n, g.p\nend\n"
      "connect l.n, r.p\n";
  std::vector<double> ends;
  for (const char* method : {"auto", "ida"}) {
    CAPTURE(std::string(method));
    Session session(elaborate::Settings{{KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE_MESSAGE(session.run_text(text), rendered(session));
    REQUIRE_MESSAGE(session.simulate({.stop = 0.06, .method = *simulate::method_named(method)}), rendered(session));
    ends.push_back(*session.value("r.i"));
    double sum = 0;
    for (const char* phase : {"la[1].i", "la[2].i", "la[3].i"}) sum += *session.value(phase);
    CHECK(std::fabs(sum) < 1e-6);
  }
  CHECK(ends[0] == doctest::Approx(ends[1]).epsilon(1e-4));
  CHECK(ends[0] == doctest::Approx(15.833).epsilon(1e-3));
}
