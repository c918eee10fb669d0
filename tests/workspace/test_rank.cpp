// Systems whose structure looks fine while the rank of a block is short for all values: the rows are combined.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "lang/workspace/kron.hpp"
#include "tests/support/example.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

TEST_CASE("rank: rows that depend on each other in their unknowns") {
  const struct {
    const char* name;
    std::string text;
    double stop;
    std::size_t states;
    std::vector<std::pair<const char*, double>> values;
    double tolerance;
  } rows[] = {
      {"a capacitor between two nodes, as equations",
       "variable a(start = 1, fixed)\nvariable b\nder(a) - der(b) = -(a - b)\nder(b) - der(a) = a - time\n", 1, 1,
       // the sum: b = time, so with v = a - b: v' = -v
       {{"b", 1}, {"a", 1.3678794411714423}}, 1e-6},
      {"coefficients that are parameters",
       "parameter p = 3\nparameter q = 7\nvariable a(start = 1, fixed)\nvariable b\np * (der(a) - der(b)) = -p * (a - b)\n"
       "q * der(b) - q * der(a) = q * (a - time)\n", 1, 1, {{"b", 1}, {"a", 1.3678794411714423}}, 1e-6},
      {"three rows of rank two",
       "variable a(start = 1, fixed)\nvariable b(start = 2, fixed)\nvariable c\nder(a) - der(b) = -a\nder(b) - der(c) = -b\nder(c) - der(a) = c\n", 1, 2,
       // the sum: c = a + b, so c' = a' + b' = b' + b gives a' = b, and b' = a' + a = a + b
       {{"a", 5.812568463229528}, {"b", 9.610814193000715}, {"c", 15.423382656230244}}, 2e-6},
      {"algebraic unknowns",
       "variable x(start = 1, fixed)\nvariable u\nvariable w\nparameter k = 2\nder(x) = -u\nk * u + w = x\nk * k * u + k * w = 2 * x + 0 * time + k * (u - 3 * x)\n", 1, 1,
       {{"u", 3 * 0.049787068367863944}, {"x", 0.049787068367863944}}, 1e-6},
      {"coefficients that vary, their ratio does not",
       "variable x(start = 1, fixed)\nvariable y(start = 1, fixed)\nx * der(x) + y * der(y) = 1\n2 * x * der(x) + 2 * y * der(y) = 3 - x\n", 1, 1,
       {{"x", 1}, {"y", std::sqrt(3.0)}}, 1e-6},
      {"a ratio that varies", "variable x\nvariable y(start = 1, fixed)\nvariable u\nvariable w\nder(x) = u\nder(y) = w\n(2 + time) * u + (3 + x) * w = 1\n"
       "(2 + time) * (1 + y) * u + (1 + y) * (3 + x) * w = 1 + y + x - sin(time)\n", 1, 1,
       // what is left: x = sin(time)
       {{"x", std::sin(1.0)}, {"u", std::cos(1.0)}, {"w", (1 - 3 * std::cos(1.0)) / (3 + std::sin(1.0))}}, 1e-6},
      {"a ratio with a divisor that varies: where that is zero is no solution",
       "variable x(start = 1, fixed)\nvariable y(start = 0.1)\nvariable u\nvariable w\nder(x) = u\nder(y) = w\nx * y * u + y * y * w = sin(y)\n"
       "x * x * u + x * y * w = x * sin(1) + x + y - 2 - time\n", 0.1, 1,
       // x / y times the first row from the second
       {{"x * sin(1) + x + y - 2 - time - x * sin(y) / y", 0}, {"u * x + w * y - sin(y) / y", 0}}, 1e-6},
      // C2 is charged through R1 to what the source gives the other one: C2.v = 1 - exp(-t)
      {"a source holds a capacitor off the ground", "use electrical\nG : Ground\nR1 : Resistor(R = 1)\nC1 : Capacitor(C = 1)\nC2 : Capacitor(C = 1, v(start = 0, fixed))\n"
       "V : ConstantVoltage(V = 1)\nconnect G.p, C2.n, R1.n\nconnect R1.p, C1.n, V.n\nconnect C1.p, C2.p, V.p\n", 1, 1,
       {{"C2.v", 1 - std::exp(-1.0)}, {"C1.v", 1}, {"R1.v", -std::exp(-1.0)}}, 1e-6},
      {"the transistor amplifier of the IVP test set", test::example("ivp_transistor_amplifier_equations.eq"), 0.2, 5,
       {{"y[1]", -5.562145012262709e-3}, {"y[2]", 3.006522471903042}, {"y[3]", 2.849958788608128}, {"y[4]", 2.926422536206241},
        {"y[5]", 2.704617865010554}, {"y[6]", 2.761837778393145}, {"y[7]", 4.770927631616772}, {"y[8]", 1.236995868091548}}, 1e-6},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s(elaborate::Settings{{KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE_MESSAGE(s.run_text(row.text), rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = row.stop, .points = 1, .tolerance = 1e-9}), rendered(s));
    CHECK(s.analysis().states.size() == row.states);
    for (const auto& [name, expected] : row.values) {
      CAPTURE(name);
      const auto value = s.value(name);
      REQUIRE(value);
      CHECK(*value == doctest::Approx(expected).epsilon(row.tolerance));
    }
  }
}

TEST_CASE("rank: what is said where a combination says nothing, or the impossible") {
  const struct {
    const char* name;
    const char* text;
    std::vector<const char*> said;
  } rows[] = {
      {"nothing", "parameter k = 2\nvariable u\nvariable w\nk * u + w = 1\n3 * k * u + 3 * w = 3\n", {"E0312", "`u`, `w` may take any value", "depends on the others", "replace it by one that determines `u`"}},
      {"two gears side by side", "use rotational\na : Inertia(J = 1)\nb : Inertia(J = 2)\ng : IdealGear(ratio = 2)\nh : IdealGear(ratio = 2)\nt : Torque\nt.tau = 1\n"
       "connect a.flange_b, g.flange_a, h.flange_a\nconnect g.flange_b, h.flange_b, b.flange_a\nconnect t.flange, a.flange_a", {"E0401", "singular matrix"}},
      {"nothing for these values, the right sides zero", "parameter r = 2\nparameter s = 2\nvariable x\nvariable y\none :: x = r * y\ntwo :: x = s * y\n", {"E0401", "`x`", "singular matrix"}},
      {"nothing for these values, an inverse of the divisor at hand",
       "parameter r = 2\nparameter s = 2\nvariable x\nvariable y\nvariable a\nvariable b\nvariable c\nvariable d = 1 / (r - s + time)\n0 = x - r * y\n0 = x - s * y\n0 = r * a + b\n0 = s * c - b\n0 = a + c - 1\n",
       {"E0401", "singular matrix"}},
      {"a contradiction", "parameter k = 2\nvariable u\nvariable w\nfirst :: k * u + w = 1\nlast :: 3 * k * u + 3 * w = 4\n",
       {"E0304", "`last` contradicts other equations", "`first` is one of them"}},
      {"a constraint twice, among derivatives", "parameter a = 2\nvariable x(start = 1, fixed)\nvariable y\nvariable z\nvariable u\nvariable w\n"
       "der(x) = u - x\nder(y) = u + w\nder(z) = w\nfirst :: a * x + y + z = 3\nlast :: 2 * a * x + 2 * y + 2 * z = 6\n",
       {"E0307", "the derivative of the constraint `last` depends on those of others", "`first` is one of them"}},
      {"a circle twice", "variable x(start = 1)\nvariable y\nvariable vx = der(x)\nvariable vy = der(y)\nvariable F\nvariable G\nder(vx) = -x * (F + G)\n"
       "der(vy) = -y * (F + G) - 9.81\none :: x^2 + y^2 = 1\ntwo :: 2 * x^2 + 2 * y^2 = 2\n", {"E0307", "`one`", "`two`"}},
      {"a sphere twice", "variable x(start = 1)\nvariable y\nvariable z\nvariable vx = der(x)\nvariable vy = der(y)\nvariable vz = der(z)\nvariable F\nvariable G\n"
       "der(vx) = -x * (F + G)\nder(vy) = -y * (F + G) - 9.81\nder(vz) = -z * (F + G)\none :: x^2 + y^2 + z^2 = 1\ntwo :: 2 * x^2 + 2 * y^2 + 2 * z^2 = 2\n",
       {"E0307", "`one`", "`two`"}},
      {"the sine of a sum twice", "variable p\nvariable q(start = 1)\nvariable s\nvariable u = der(p)\nvariable v = der(q)\nvariable w = der(s)\nvariable F\n"
       "variable G\nder(u) = F + G\nder(v) = F - p\nder(w) = G - q\none :: sin(p + q) = s\ntwo :: sin(p) * cos(q) + cos(p) * sin(q) = s\n",
       {"E0307", "`one`", "`two`"}},
      {"the sine of a double twice", "variable p(start = 1)\nvariable s\nvariable u = der(p)\nvariable w = der(s)\nvariable F\nvariable G\n"
       "der(u) = F + G\nder(w) = F - p\none :: sin(2 * p) = s\ntwo :: 2 * sin(p) * cos(p) = s\n",
       {"E0307", "`one`", "`two`"}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s(elaborate::Settings{{KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE_MESSAGE(s.run_text(row.text), rendered(s));
    CHECK_FALSE(s.simulate({.stop = 1, .points = 1}));
    check_said(s, row.said);
  }
}
