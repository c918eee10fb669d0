// Models whose relations hang together: what fits has to be found among many combinations, or is decided by rounding alone.
//   Expected: closed forms, balances, or what the same model gives with its blocks solved by pivoting; and no more events than that.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/session/values.hpp"
#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

double sine(double phase) { return 10 * std::sin(100 * 3.14159265358979323846 * 0.0373 + phase); }

// The capacitor's voltage: from 6 V down to -threshold, up to threshold and so on, towards -10 V and 10 V with R*C = 1 ms.
double multivibrator(double t, double threshold) {
  t -= 1e-3 * std::log(16 / (10 - threshold));
  double level = 10;
  const double half = 1e-3 * std::log((10 + threshold) / (10 - threshold));
  for (; t > half; t -= half) level = -level;
  return level - level * (1 + threshold / 10) * std::exp(-t / 1e-3);
}

// A torque, a clutch and two gears with losses in a row, up to the second one, which is not connected yet.
std::string gears_with_losses(const std::string& torque, const std::string& clutch, const std::string& first, const std::string& second) {
  return "use rotational\nt : ConstantTorque(tau_constant = " + torque + ")\nj1 : Inertia(J = 2, phi(start = 0, fixed), w(start = 0, fixed))\nc : " + clutch +
         "\nj2 : Inertia(J = 0.5, phi(start = 0, fixed), w(start = 0, fixed))\ng1 : LossyGear(" + first + ")\nj3 : Inertia(J = 0.2)\ng2 : LossyGear(" + second +
         ", lossTable = [0, 0.82, 0.91, 0.5, 0.5])\nj4 : Inertia(J = 2)\nconnect t.flange, j1.flange_a\nconnect j1.flange_b, c.flange_a\n"
         "connect c.flange_b, j2.flange_a\nconnect j2.flange_b, g1.flange_a\nconnect g1.flange_b, j3.flange_a\n";
}

}  // namespace

TEST_CASE("combinations of relations") {
  struct Expected {
    const char* what;
    double value, within;
  };
  const struct {
    const char* name;
    std::string text;
    double stop;
    std::uint64_t events;
    std::vector<Expected> expected;
    bool motions_only = false;  // several elements hold one shaft: how they share its load is open, and each core leaves open something else
  } rows[] = {
      {"six clutches on one shaft, one closed at a time",
       "use rotational\nparameter n : Integer = 6\nrotor : Inertia(J = 0.2, phi(start = 0, fixed), w(start = 50, fixed))\n"
       "clutch[n] : Clutch(fn_max = 1500, mu_pos = [0, 0.4], peak = 1.1)\n"
       "gear[n] : IdealGear(ratio = {5, 3.5, 2.5, 1.8, 1.3, 1})\n"
       "car : Inertia(J = 100, phi(start = 0, fixed), w(start = 0, fixed))\nt : Torque\nt.tau = 200\n"
       "connect t.flange, rotor.flange_a\nfor k in 1:n\n  connect rotor.flange_b, clutch[k].flange_a\n"
       "  connect clutch[k].flange_b, gear[k].flange_a\n  connect gear[k].flange_b, car.flange_a\n"
       "  clutch[k].f_normalized = if time >= 4 * (k - 1) and time < 4 * k then 1 else 0\nend\n",
       23.9, 14, {{"rotor.w - car.w", 0, 1e-9}, {"clutch[6].mode", 0, 0}, {"clutch[1].mode", 2, 0}}},
      {"a closing clutch that a stuck bearing withstands",
       "use rotational\nj0 : Inertia(J = 2.5, phi(start = 0, fixed), w(start = -5, fixed))\n"
       "j1 : Inertia(J = 2.5, phi(start = 0, fixed), w(start = 0, fixed))\nx : Clutch(fn_max = 1.4)\n"
       "b : BearingFriction(tau_pos = [0, 2.5], peak = 1.3)\nt : Torque\nt0 : Torque\nconnect j0.flange_b, x.flange_a\n"
       "connect x.flange_b, j1.flange_a\nconnect j1.flange_b, b.flange_a\nconnect t.flange, j1.flange_a\n"
       "connect t0.flange, j0.flange_a\nt.tau = -2.4\nt0.tau = -3\nx.f_normalized = if time < 1 then 0 else 1\n",
       3, 4, {{"j1.w", 0, 1e-12}, {"b.mode", 0, 0}}},
      {"a shaft that stops and stays, although it would slide on",
       "use rotational\nj : Inertia(J = 0.5, phi(start = 0, fixed), w(start = -1, fixed))\n"
       "b : BearingFriction(tau_pos = [0, 2.4], peak = 1.3)\nt : Torque\nconnect t.flange, j.flange_a\n"
       "connect j.flange_b, b.flange_a\nt.tau = 2.5\n",
       3, 4, {{"j.w", 0, 1e-12}, {"b.mode", 0, 0}}},
      {"a load that is just the largest friction",
       "use rotational\nj0 : Inertia(J = 2, phi(start = 0, fixed), w(start = -3, fixed))\n"
       "j1 : Inertia(J = 2, phi(start = 0, fixed), w(start = 5, fixed))\n"
       "j3 : Inertia(J = 0.1, phi(start = 0, fixed), w(start = 0, fixed))\nx1 : OneWayClutch(fn_max = 10)\n"
       "x3 : OneWayClutch(fn_max = 10)\nt0 : Torque\nb3 : BearingFriction(tau_pos = [0, 1])\nt3 : Torque\n"
       "connect j0.flange_b, x1.flange_a\nconnect x1.flange_b, j1.flange_a\nconnect j0.flange_b, x3.flange_a\n"
       "connect x3.flange_b, j3.flange_a\nconnect t0.flange, j0.flange_a\nconnect j3.flange_b, b3.flange_a\n"
       "connect t3.flange, j3.flange_a\nx1.f_normalized = max(0, sin(2 * time))\nx3.f_normalized = 0\n"
       "t0.tau = 10 * sin(7 * time + 0)\nt3.tau = 1\n",
       3, 60, {}},
      {"a one-way clutch that breaks loose: momentum stays",
       "use rotational\nj0 : Inertia(J = 2, phi(start = 0, fixed), w(start = 1, fixed))\n"
       "j1 : Inertia(J = 2.5, phi(start = 0, fixed), w(start = 0, fixed))\n"
       "j4 : Inertia(J = 0.5, phi(start = 0, fixed), w(start = 0, fixed))\nx1 : OneWayClutch(fn_max = 10)\n"
       "x4 : SpringDamper(c = 1000, d = 0.1)\nconnect j1.flange_b, x1.flange_a\nconnect x1.flange_b, j0.flange_a\n"
       "connect j4.flange_b, x4.flange_a\nconnect x4.flange_b, j0.flange_a\nx1.f_normalized = 1\n",
       3, 200, {{"2 * j0.w + 2.5 * j1.w + 0.5 * j4.w", 2, 1e-5}}},
      {"two planetary gears, two clutches, two brakes, all at rest",
       "use rotational\ninp : Inertia(J = 0.1, phi(start = 0, fixed), w(start = 0, fixed))\n"
       "out : Inertia(J = 2, phi(start = 0, fixed), w(start = 0, fixed))\nsun : Inertia(J = 0.05)\n"
       "p1, p2 : IdealPlanetary(ratio = 2)\nc1, c2 : Clutch(fn_max = 200)\nb1, b2 : Brake(fn_max = 200)\nt : Torque\n"
       "cj, rj : Inertia(J = 0.05)\nt.tau = 5\nconnect t.flange, inp.flange_a\n"
       "connect inp.flange_b, c1.flange_a, c2.flange_a\nconnect c1.flange_b, rj.flange_a\nconnect rj.flange_b, p1.ring\n"
       "connect c2.flange_b, sun.flange_a\nconnect sun.flange_b, p1.sun, p2.sun, b1.flange_a\n"
       "connect p1.carrier, p2.ring, out.flange_a\nconnect p2.carrier, cj.flange_a\nconnect cj.flange_b, b2.flange_a\n"
       "c1.f_normalized = 1\nc2.f_normalized = if time < 4 then 0 else 1\n"
       "b1.f_normalized = if time >= 2 and time < 4 then 1 else 0\nb2.f_normalized = if time < 2 then 1 else 0\n",
       6, 12, {{"out.w", 19.5096, 1e-4}, {"inp.w - out.w", 0, 1e-6}}},
      {"a diode in an idle branch",
       "use electrical\nv : SineVoltage(V = 10, f = 50)\nrv : Resistor(R = 1)\nr : Resistor(R = 10)\n"
       "d, e : IdealDiode(Ron = 0, Goff = 0)\ng : Ground\nconnect v.p, rv.p\nconnect rv.n, d.n\nconnect r.p, d.p, e.p\n"
       "connect v.n, r.n, e.n, g.p\n",
       0.0373, 8, {{"r.v", std::min(0.0, sine(0)) / 1.1, 1e-9}}},
      {"two diodes that clamp",
       "use electrical\nv : SineVoltage(V = 10, f = 50, phase = 2)\nr1 : Resistor(R = 1)\nr2 : Resistor(R = 10)\n"
       "d, e : IdealDiode(Ron = 0, Goff = 0)\ng : Ground\nconnect v.p, r1.p\nconnect r1.n, d.p, r2.p\nconnect r2.n, e.p\n"
       "connect v.n, d.n, e.n, g.p\n",
       0.0373, 8, {{"d.v", std::min(0.0, sine(2)), 1e-9}}},
      {"diodes the two ways round",
       "use electrical\nv : SineVoltage(V = 10, f = 50, phase = 1)\nr : Resistor(R = 1)\n"
       "d, e : IdealDiode(Ron = 0, Goff = 0)\ng : Ground\nconnect v.p, r.p\nconnect r.n, d.p, e.n\n"
       "connect v.n, d.n, e.p, g.p\n",
       0.0373, 8, {{"r.i", sine(1), 1e-9}, {"d.v", 0, 1e-12}}},
      {"diodes the two ways round at a free end",
       "use electrical\nmodel Node\n  p : Pin\n  p.i = 0\nend\ng : Ground\nn0 : Node\nn1 : Node\nn2 : Node\nn3 : Node\n"
       "r0 : Resistor(R = 10)\nr1 : SineVoltage(V = 10, f = 50)\nq1 : Resistor(R = 1)\n"
       "r2 : SineVoltage(V = 10, f = 50, phase = 0.5, offset = 0)\nq2 : Resistor(R = 1)\nr3 : IdealDiode\nr4 : IdealDiode\n"
       "r5 : IdealDiode\nconnect g.p, n0.p\nconnect r0.p, n3.p\nconnect r0.n, n1.p\nconnect r1.p, q1.p\nconnect q1.n, n2.p\n"
       "connect r1.n, n0.p\nconnect r2.p, q2.p\nconnect q2.n, n1.p\nconnect r2.n, n0.p\nconnect r3.p, n3.p\n"
       "connect r3.n, n1.p\nconnect r4.p, n1.p\nconnect r4.n, n3.p\nconnect r5.p, n1.p\nconnect r5.n, n2.p\n",
       0.04, 12, {}},
      {"two equal diodes side by side at a free end",
       "use electrical\nmodel Node\n  p : Pin\n  p.i = 0\nend\ng : Ground\nn0 : Node\nn1 : Node\nn2 : Node\nn3 : Node\n"
       "r0 : Resistor(R = 10)\nr1 : Resistor(R = 1)\nr2 : SineVoltage(V = 10, f = 50)\nq2 : Resistor(R = 1)\n"
       "r3 : IdealDiode(Ron = 0.001, Goff = 1e-06)\nr4 : IdealDiode\nr5 : IdealDiode\nconnect g.p, n0.p\nconnect r0.p, n1.p\n"
       "connect r0.n, n0.p\nconnect r1.p, n2.p\nconnect r1.n, n1.p\nconnect r2.p, q2.p\nconnect q2.n, n3.p\n"
       "connect r2.n, n0.p\nconnect r3.p, n3.p\nconnect r3.n, n1.p\nconnect r4.p, n2.p\nconnect r4.n, n1.p\n"
       "connect r5.p, n2.p\nconnect r5.n, n1.p\n",
       0.04, 12, {}},
      {"all is 0 at the start, two knees",
       "use electrical\nmodel Node\n  p : Pin\n  p.i = 0\nend\ng : Ground\nn0 : Node\nn1 : Node\nn2 : Node\nn3 : Node\n"
       "n4 : Node\nr0 : Resistor(R = 50)\nr1 : Resistor(R = 5)\nr2 : Resistor(R = 10)\nr3 : Resistor(R = 1)\n"
       "r4 : SineVoltage(V = 5, f = 50)\nq4 : Resistor(R = 1)\nr5 : IdealDiode(Vknee = 0.7)\nr6 : IdealDiode\n"
       "r7 : IdealDiode(Vknee = 0.7)\nr8 : IdealDiode(Vknee = 0.7)\nconnect g.p, n0.p\nconnect r0.p, n1.p\n"
       "connect r0.n, n0.p\nconnect r1.p, n2.p\nconnect r1.n, n0.p\nconnect r2.p, n3.p\nconnect r2.n, n2.p\n"
       "connect r3.p, n4.p\nconnect r3.n, n1.p\nconnect r4.p, q4.p\nconnect q4.n, n3.p\nconnect r4.n, n0.p\n"
       "connect r5.p, n2.p\nconnect r5.n, n0.p\nconnect r6.p, n1.p\nconnect r6.n, n4.p\nconnect r7.p, n4.p\n"
       "connect r7.n, n2.p\nconnect r8.p, n2.p\nconnect r8.n, n0.p\n",
       0.04, 16, {}},
      {"five diodes and two inductors",
       "use electrical\nmodel Node\n  p : Pin\n  p.i = 0\nend\ng : Ground\nn0 : Node\nn1 : Node\nn2 : Node\nn3 : Node\n"
       "n4 : Node\nr0 : Resistor(R = 10)\nr1 : SineVoltage(V = 10, f = 50)\nq1 : Resistor(R = 1)\n"
       "r2 : IdealDiode(Ron = 0.001, Goff = 1e-06)\nr3 : IdealDiode(Vknee = 0.7)\nr4 : IdealDiode\n"
       "r5 : IdealDiode(Ron = 0.001, Goff = 1e-06)\nr6 : IdealDiode\nr7 : Inductor(L = 0.01, i(start = 0, fixed))\n"
       "r8 : Inductor(L = 0.01, i(start = 0, fixed))\nconnect g.p, n0.p\nconnect r0.p, n3.p\nconnect r0.n, n2.p\n"
       "connect r1.p, q1.p\nconnect q1.n, n1.p\nconnect r1.n, n0.p\nconnect r2.p, n3.p\nconnect r2.n, n2.p\n"
       "connect r3.p, n1.p\nconnect r3.n, n0.p\nconnect r4.p, n1.p\nconnect r4.n, n4.p\nconnect r5.p, n0.p\n"
       "connect r5.n, n2.p\nconnect r6.p, n3.p\nconnect r6.n, n4.p\nconnect r7.p, n1.p\nconnect r7.n, n4.p\n"
       "connect r8.p, n4.p\nconnect r8.n, n2.p\n",
       0.04, 30, {}},
      {"five diodes, pivots of straight-line code that cost all digits",
       "use electrical\nmodel Node\n  p : Pin\n  p.i = 0\nend\ng : Ground\nn0 : Node\nn1 : Node\nn2 : Node\nn3 : Node\n"
       "n4 : Node\nn5 : Node\nr0 : Resistor(R = 10)\nr1 : Resistor(R = 10)\nr2 : Resistor(R = 10)\nr3 : Resistor(R = 10)\n"
       "r4 : Resistor(R = 10)\nr5 : SineVoltage(V = 10, f = 50)\nq5 : Resistor(R = 1)\nr6 : SineVoltage(V = 10, f = 50)\n"
       "q6 : Resistor(R = 1)\nr7 : IdealDiode\nr8 : IdealDiode\nr9 : IdealDiode\nr10 : IdealDiode\nr11 : IdealDiode\n"
       "r12 : Inductor(L = 0.1, i(start = 0, fixed))\nconnect g.p, n0.p\nconnect r0.p, n1.p\nconnect r0.n, n0.p\n"
       "connect r1.p, n2.p\nconnect r1.n, n0.p\nconnect r2.p, n3.p\nconnect r2.n, n2.p\nconnect r3.p, n4.p\n"
       "connect r3.n, n2.p\nconnect r4.p, n5.p\nconnect r4.n, n4.p\nconnect r5.p, q5.p\nconnect q5.n, n3.p\n"
       "connect r5.n, n0.p\nconnect r6.p, q6.p\nconnect q6.n, n4.p\nconnect r6.n, n0.p\nconnect r7.p, n3.p\n"
       "connect r7.n, n1.p\nconnect r8.p, n4.p\nconnect r8.n, n1.p\nconnect r9.p, n3.p\nconnect r9.n, n2.p\n"
       "connect r10.p, n4.p\nconnect r10.n, n5.p\nconnect r11.p, n0.p\nconnect r11.n, n1.p\nconnect r12.p, n2.p\n"
       "connect r12.n, n0.p\n",
       0.0308, 16, {{"n2.p.v", -2.774380598, 1e-6}, {"n3.p.v", -2.774377722, 1e-6}}},
      {"a clamp beside branches without current",
       "use electrical\nmodel Node\n  p : Pin\n  p.i = 0\nend\ng : Ground\nn0 : Node\nn1 : Node\nn2 : Node\n"
       "r0 : Resistor(R = 10)\nr1 : SineVoltage(V = 10, f = 50, phase = 0, offset = 0)\nq1 : Resistor(R = 1)\n"
       "r2 : IdealDiode(Ron = 0.001, Goff = 1e-05, Vknee = 0)\nr3 : IdealDiode(Ron = 1e-05, Goff = 1e-05, Vknee = 0.7)\n"
       "r4 : IdealDiode(Ron = 1e-05, Goff = 1e-05, Vknee = 0)\nr5 : Inductor(L = 0.1, i(start = 0, fixed))\n"
       "connect g.p, n0.p\nconnect r0.p, n2.p\nconnect r0.n, n1.p\nconnect r1.p, q1.p\nconnect q1.n, n1.p\n"
       "connect r1.n, n0.p\nconnect r2.p, n2.p\nconnect r2.n, n1.p\nconnect r3.p, n0.p\nconnect r3.n, n1.p\n"
       "connect r4.p, n2.p\nconnect r4.n, n1.p\nconnect r5.p, n1.p\nconnect r5.n, n2.p\n",
       0.02537, 12, {{"n1.p.v", 9.93241926623, 1e-6}, {"r3.off", 1, 0}}},
      {"rings of ideal diodes, 0 but for the source at the start",
       "use electrical\nmodel Node\n  p : Pin\n  p.i = 0\nend\ng : Ground\nn0 : Node\nn1 : Node\nn2 : Node\nn3 : Node\n"
       "r0 : Resistor(R = 10)\nr1 : Resistor(R = 1)\nr2 : SineVoltage(V = 10, f = 50, phase = 0.5, offset = 0)\n"
       "q2 : Resistor(R = 0.1)\nr3 : IdealDiode(Ron = 0, Goff = 0, Vknee = 0)\nr4 : IdealDiode(Ron = 0, Goff = 0, Vknee = 0)\n"
       "r5 : IdealDiode(Ron = 0, Goff = 0, Vknee = 0)\nr6 : IdealDiode(Ron = 0, Goff = 0, Vknee = 0)\n"
       "r7 : IdealDiode(Ron = 0, Goff = 0, Vknee = 0)\nconnect g.p, n0.p\nconnect r0.p, n2.p\nconnect r0.n, n0.p\n"
       "connect r1.p, n3.p\nconnect r1.n, n2.p\nconnect r2.p, q2.p\nconnect q2.n, n1.p\nconnect r2.n, n0.p\n"
       "connect r3.p, n3.p\nconnect r3.n, n1.p\nconnect r4.p, n1.p\nconnect r4.n, n0.p\nconnect r5.p, n2.p\n"
       "connect r5.n, n3.p\nconnect r6.p, n0.p\nconnect r6.n, n2.p\nconnect r7.p, n0.p\nconnect r7.n, n3.p\n",
       0.04, 9, {}},
      {"ideal diodes the two ways round and capacitors",
       "use electrical\nmodel Node\n  p : Pin\n  p.i = 0\nend\ng : Ground\nn0 : Node\nn1 : Node\nn2 : Node\nn3 : Node\n"
       "n4 : Node\nn5 : Node\nr0 : Resistor(R = 50)\nr1 : Resistor(R = 50)\nr2 : Resistor(R = 50)\n"
       "r3 : SineVoltage(V = 50, f = 50)\nq3 : Resistor(R = 1)\nr4 : IdealDiode(Ron = 0, Goff = 0, Vknee = 0)\n"
       "r5 : IdealDiode(Ron = 0, Goff = 0, Vknee = 0)\nr6 : IdealDiode(Ron = 0, Goff = 0, Vknee = 0)\n"
       "r7 : IdealDiode(Ron = 0, Goff = 0, Vknee = 0)\nr8 : Resistor(R = 10)\n"
       "r9 : Capacitor(C = 0.0001, v(start = 0, fixed))\nr10 : Resistor(R = 1)\n"
       "r11 : Capacitor(C = 1e-05, v(start = 0, fixed))\nr12 : Inductor(L = 0.1, i(start = 0, fixed))\nconnect g.p, n0.p\n"
       "connect r0.p, n1.p\nconnect r0.n, n0.p\nconnect r1.p, n2.p\nconnect r1.n, n1.p\nconnect r2.p, n3.p\n"
       "connect r2.n, n0.p\nconnect r3.p, q3.p\nconnect q3.n, n3.p\nconnect r3.n, n0.p\nconnect r4.p, n0.p\n"
       "connect r4.n, n3.p\nconnect r5.p, n1.p\nconnect r5.n, n2.p\nconnect r6.p, n3.p\nconnect r6.n, n2.p\n"
       "connect r7.p, n3.p\nconnect r7.n, n0.p\nconnect r8.p, n3.p\nconnect r8.n, n4.p\nconnect r9.p, n4.p\n"
       "connect r9.n, n2.p\nconnect r10.p, n1.p\nconnect r10.n, n5.p\nconnect r11.p, n5.p\nconnect r11.n, n0.p\n"
       "connect r12.p, n1.p\nconnect r12.n, n4.p\n",
       0.04, 60, {}},
      {"a capacitor that a switch discharges beside a diode",
       "use electrical\nc : Capacitor(C = 4.7e-6, v(start = 5, fixed))\nw : IdealClosingSwitch(Ron = 0.1)\nd : IdealDiode(Ron = 1)\ng : Ground\n"
       "w.control = time > 1e-5\nconnect c.p, w.p, d.n\nconnect c.n, w.n, d.p, g.p\n",
       0.01, 60, {{"c.v", 0, 1e-9}}},
      {"an amplifier that follows with two time constants",
       "variable u = if sin(2 * pi * 50 * time) > 0 then 5 else 0\nvariable y(start = 0, fixed)\nder(y) = (u - y) / (if u > y then 1e-5 else 1e-4)\n",
       0.05, 130, {{"y", 5, 1e-6}}},
      {"a multivibrator whose limits jump at once",
       "use electrical\na : IdealOpAmpLimited\nvp : ConstantVoltage(V = 10)\nvn : ConstantVoltage(V = -10)\nconnect vp.p, a.VMax\nconnect vn.p, a.VMin\n"
       "connect vp.n, vn.n, g.p\n"
       "g : Ground\nr1, r2 : Resistor(R = 10000)\nr : Resistor(R = 10000)\nc : Capacitor(C = 1e-7, v(start = 6, fixed))\n"
       "connect a.out, r1.p, r.p\nconnect r1.n, r2.p, a.in_p\nconnect r2.n, g.p, c.n\nconnect r.n, c.p, a.in_n\n",
       0.0495, 44, {{"c.v", multivibrator(0.0495, 5), 1e-6}, {"a.out.v", -10, 1e-9}}},
      {"a multivibrator with a large gain",
       "use electrical\na : IdealizedOpAmpLimited(Vps = 10, Vns = -10)\n"
       "g : Ground\nr1, r2 : Resistor(R = 10000)\nr : Resistor(R = 10000)\nc : Capacitor(C = 1e-7, v(start = 6, fixed))\n"
       "connect a.out, r1.p, r.p\nconnect r1.n, r2.p, a.in_p\nconnect r2.n, g.p, c.n\nconnect r.n, c.p, a.in_n\n",
       0.0055, 16, {{"c.v", multivibrator(0.0055, 5 - 10 / 15000.0), 1e-4}, {"a.out.v", -10, 1e-9}}},
      {"a weak clutch whose speed changes its sign beside a strong brake",
       "use rotational\nload : ConstantTorque(tau_constant = 1.5)\nhold : Inertia(J = 1, phi(start = 0, fixed), w(start = 0, fixed))\n"
       "b : Brake(fn_max = 2, mu_pos = [0, 0.5], peak = 2)\nx : Clutch(fn_max = 0.2, mu_pos = [0, 0.5])\n"
       "swing : Inertia(J = 1, phi(start = 0, fixed), w(start = -4.9, fixed))\ndrive : ConstantTorque(tau_constant = 5)\n"
       "b.f_normalized = 1\nx.f_normalized = 1\nconnect load.flange, hold.flange_a\nconnect hold.flange_b, b.flange_a, x.flange_a\n"
       "connect x.flange_b, swing.flange_a\nconnect drive.flange, swing.flange_b\n",
       3, 2, {{"hold.w", 0, 1e-12}, {"b.mode", 0, 0}, {"b.tau", 1.6, 1e-9}}},
      {"a scotch yoke with friction in bearing and guide",
       "use rotational\n"
       "j : Inertia(J = 0.1, phi(start = 0.3, fixed), w(start = 8, fixed))\n"
       "m : translational.Mass(m = 2)\n"
       "f1 : BearingFriction(tau_pos = [0, 0.5])\n"
       "f2 : translational.SupportFriction(f_pos = [0, 5])\n"
       "model Yoke\n"
       "  r : Flange\n"
       "  t : translational.Flange\n"
       "  t.s = 0.2 * cos(r.phi)\n"
       "  r.tau = 0.2 * sin(r.phi) * t.f\n"
       "end\n"
       "y : Yoke\n"
       "connect j.flange_b, f1.flange_a, y.r\n"
       "connect y.t, m.flange_a\n"
       "connect m.flange_b, f2.flange_a\n"
       "variable lost(start = 0, fixed)\n"
       "der(lost) = f1.lossPower + f2.lossPower\n"
       "variable energy = 0.05 * j.w^2 + m.v^2 + lost\n"
       "variable e0 = 0.05 * 64 + (0.2 * sin(0.3) * 8)^2\n",
       3, 2, {{"energy - e0", 0, 1e-6}, {"j.w", 0, 1e-12}, {"f1.mode", 0, 0}, {"f2.mode", 0, 0}}},
      {"five frictions that decide at once at the start",
       "use rotational\n"
       "j0 : Inertia(J = 0.5, phi(start = 0, fixed), w(start = 0, fixed))\n"
       "j1 : Inertia(J = 0.2, phi(start = 0, fixed), w(start = 0, fixed))\n"
       "j2 : Inertia(J = 0.5, phi(start = 0, fixed), w(start = 0, fixed))\n"
       "j3 : Inertia(J = 2, phi(start = 0, fixed), w(start = 0, fixed))\n"
       "j4 : Inertia(J = 0.5)\n"
       "c1 : Clutch(fn_max = 4, mu_pos = [0, 0.6])\n"
       "c1.f_normalized = 1\n"
       "c2 : Clutch(fn_max = 8, mu_pos = [0, 0.2])\n"
       "c2.f_normalized = 1\n"
       "p3 : IdealPlanetary(ratio = 1.5)\n"
       "f4 : BearingFriction(tau_pos = [0, 0.3])\n"
       "f5 : BearingFriction(tau_pos = [0, 0.2])\n"
       "f6 : BearingFriction(tau_pos = [0, 0.4])\n"
       "t7 : Torque\n"
       "t7.tau = 3.5\n"
       "connect j0.flange_a, c1.flange_a\n"
       "connect c1.flange_b, j1.flange_b\n"
       "connect j0.flange_a, c2.flange_a\n"
       "connect c2.flange_b, j2.flange_b\n"
       "connect p3.sun, j4.flange_a\n"
       "connect p3.carrier, j2.flange_b\n"
       "connect p3.ring, j3.flange_b\n"
       "connect j1.flange_a, f4.flange_a\n"
       "connect j2.flange_a, f5.flange_b\n"
       "connect j3.flange_b, f6.flange_b\n"
       "connect t7.flange, j4.flange_b\n",
       4, 4, {{"j0.w", 6.675, 1e-9}, {"j2.w", 6.675, 1e-9}, {"j3.w", -2.203, 1e-9}}},
      {"a freewheel with open discs before gears with losses",
       gears_with_losses("6", "OneWayClutch(fn_max = 20, f_normalized = 0)", "ratio = 2, lossTable = [0, 0.8, 0.9, 0, 0]", "ratio = 2") +
           "connect j3.flange_b, g2.flange_a\nconnect g2.flange_b, j4.flange_a\n",
       4, 4, {{"j1.w", 8.163898, 1e-6}, {"j2.w", 8.163898, 1e-6}}},
      {"gears with losses and a brake at rest without any torque",
       gears_with_losses("0", "Clutch(fn_max = 2, f_normalized = 0)", "ratio = 0.5, lossTable = [0, 0.78, 0.998, 0.1, 0.1]", "ratio = 1.5") +
           "connect j3.flange_b, g2.flange_b\nconnect g2.flange_a, j4.flange_a\nb : Brake(fn_max = 7, f_normalized = 0.3)\nconnect j4.flange_b, b.flange_a\n",
       4, 0, {{"j1.w", 0, 0}, {"j2.w", 0, 0}, {"j4.w", 0, 0}, {"b.tau", 0, 0.5}, {"g1.flange_b.tau", 0, 0.1}}, true},
      {"capacitors that a diode of next to no resistance joins",
       "use electrical\n"
       "v : SineVoltage(V = 12, f = 50, phase = 2.5)\n"
       "c : Capacitor(C = 1e-6, v(start = 0, fixed))\n"
       "k : Capacitor(C = 4.7e-6, v(start = 5, fixed))\n"
       "d : IdealDiode(Ron = 1e-7, Goff = 1e-7)\n"
       "r : Resistor(R = 100)\n"
       "q : Resistor(R = 47)\n"
       "g : Ground\n"
       "connect v.n, c.n, d.p\n"
       "connect c.p, k.p, q.p\n"
       "connect k.n, d.n, r.p\n"
       "connect r.n, v.p\n"
       "connect q.n, g.p\n",
       0.01, 20, {{"c.v", 4.12281, 1e-4}}},
      {"max and min bend at events",
       "variable x(start = 0, fixed)\n"
       "variable y(start = 0, fixed)\n"
       "variable s(start = 0, fixed)\n"
       "variable deep(start = 0, fixed)\n"
       "variable depth = noEvent(max(0, 0.005 - abs(s - 3)))\n"
       "der(s) = 1\n"
       "der(x) = max(0, min(time - 3, 4 - time))\n"
       "der(y) = max(0, min(s - 3, 4 - s))\n"
       "der(deep) = if depth > 0 then 100 else 0\n",
       10, 14, {{"x", 0.25, 1e-7}, {"y", 0.25, 1e-7}, {"deep", 1, 1e-7}}},
      {"a switch that is not stiff",
       "variable i(start = 0, fixed)\n"
       "discrete on(start = true) : Boolean\n"
       "der(i) = (if on then 48 else -48) / 5e-3 - 100 * i\n"
       "when i > 2.5\n"
       "  on = false\n"
       "elsewhen i < 1.5\n"
       "  on = true\n"
       "end\n",
       0.2, 3840, {{"i", 1.868408968, 2e-5}}},
      {"a relation that turns with an angle",
       "variable p(start = 0, fixed)\nder(p) = 300\ndiscrete n(start = 0, fixed) : Integer\nwhen sin(p) > 0\n  n = pre(n) + 1\nend\n",
       10, 956, {{"n", 478, 0}}},
  };
  constexpr const char* motions[] = {".phi", ".w", ".a"};
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s({{KRON_SOURCE_DIR "/stdlib"}}), dense({{KRON_SOURCE_DIR "/stdlib"}});
    dense.options().solve = "dense";
    for (Session* x : {&s, &dense}) {
      REQUIRE_MESSAGE(x->run_text(row.text), rendered(*x));
      REQUIRE_MESSAGE(x->simulate({.stop = row.stop, .points = 50, .tolerance = 1e-8}), rendered(*x));
      CHECK(x->result()->counters.events <= row.events);
      for (const Expected& e : row.expected) {
        CAPTURE(e.what);
        CHECK(std::fabs(x->value(e.what).value_or(std::nan("")) - e.value) <= e.within);
      }
    }
    const session::Analysis& a = *s.result_analysis();
    for (std::uint32_t v = 0; v < a.flat.slots; ++v) {
      const std::string variable = name(a, session::VarId{v});
      if (row.motions_only && !std::ranges::any_of(motions, [&](const char* end) { return variable.ends_with(end); })) continue;
      CAPTURE(variable);
      const auto ours = s.value(variable), theirs = dense.value(variable);
      REQUIRE(ours.has_value() == theirs.has_value());
      if (ours) CHECK(std::fabs(*ours - *theirs) <= 1e-5 * (1 + std::fabs(*theirs)));
    }
  }
}

// One shaft of an arm held by two elements: the arm's equations are one block, with eight axes of 320 unknowns, of lower rank while both hold.
TEST_CASE("two brakes hold a shaft of an arm as one does") {
  const auto arm = [](int axes, bool two) {
    const char* directions[] = {"{0, 0, 1}", "{0, 1, 0}", "{1, 0, 0}"};
    std::string text = "use rotational\nuse multibody\nworld : World\nhold : Brake(fn_max = 20)\nhold.f_normalized = 1\n", before = "world.frame_b";
    if (two) text += "also : BearingFriction(tau_pos = [0, 0.1])\nconnect hold.flange_b, also.flange_a\n";
    for (int k = 1; k <= axes; ++k) {
      const std::string i = std::to_string(k);
      text += "m" + i + " : Inertia(J = 0.002)\ng" + i + " : LossyGear(ratio = " + std::to_string(10 + k) + ")\nj" + i + " : Revolute(n = " + directions[k % 3] +
              ", useAxisFlange = true, phi(start = 0, fixed), w(start = 0, fixed))\nb" + i +
              " : BodyShape(m = 1, r = {0.4, 0.1, 0}, r_CM = {0.2, 0.05, 0.02}, I_11 = 0.05, I_22 = 0.06, I_33 = 0.04)\nconnect g" + i + ".flange_b, j" + i +
              ".axis\nconnect " + before + ", j" + i + ".frame_a\nconnect j" + i + ".frame_b, b" + i + ".frame_a\n";
      const bool held = k == axes - 1;
      text += held ? "connect m" + i + ".flange_b, hold.flange_a\nconnect " + (two ? "also" : "hold") + ".flange_b, g" + i + ".flange_a\n" : "connect m" + i + ".flange_b, g" + i + ".flange_a\n";
      before = "b" + i + ".frame_b";
    }
    return text;
  };
  for (const int axes : {3, 6, 8}) {
    CAPTURE(axes);
    Session one({{KRON_SOURCE_DIR "/stdlib"}}), two({{KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE_MESSAGE(one.run_text(arm(axes, false)), rendered(one));
    REQUIRE_MESSAGE(two.run_text(arm(axes, true)), rendered(two));
    REQUIRE(one.simulate({.stop = 0.02, .points = 2, .tolerance = 1e-10}));
    REQUIRE(two.simulate({.stop = 0.02, .points = 2, .tolerance = 1e-10}));
    CHECK(std::fabs(*two.value("hold.w")) < 1e-12);
    for (int k = 1; k <= axes; ++k)
      for (const char* what : {".phi", ".w", ".a"}) {
        const std::string name = "j" + std::to_string(k) + what;
        CHECK(*two.value(name) == doctest::Approx(*one.value(name)).epsilon(1e-7));
      }
  }
}
