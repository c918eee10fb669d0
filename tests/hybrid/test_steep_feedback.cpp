// Amplifiers whose feedback goes through diodes: the derivatives turn from next to nothing to enormous within a millionth of what
// tolerances leave open. And circuits in which something begins that is over within nanoseconds.
#include <doctest/doctest.h>

#include <cmath>

#include "lang/workspace/kron.hpp"

using namespace kron;
using simulate::Method;

namespace {

struct Ended {
  double value = std::nan("");
  std::size_t steps = 0, events = 0;
};

Ended ended(const std::string& text, double stop, const char* name, Method method, double tolerance) {
  Session s({{KRON_SOURCE_DIR "/stdlib"}});
  REQUIRE(s.run_text(text));
  const bool ran = s.simulate({.stop = stop, .points = 50, .tolerance = tolerance, .method = method});
  for (const Diagnostic& d : s.diagnostics().list()) MESSAGE(d.message);
  REQUIRE(ran);
  return {s.value(name).value_or(std::nan("")), s.result()->counters.steps, s.result()->counters.events};
}

// An inverting rectifier; `D1` leads to the load, the other diode holds the amplifier while that one blocks.
std::string stage(const std::string& tail, const char* source, double r1, double r2, const char* d1, const char* d2, bool positive,
                  const std::string& load) {
  const auto n = [&](const char* of) { return std::string(of) + tail; };
  const std::string in = positive ? "p" : "n", out = positive ? "n" : "p";  // of the diodes, at the amplifier's input
  return n("A") + " : IdealOpAmp3Pin\n" + n("R1") + " : Resistor(R = " + std::to_string(r1) + ")\n" + n("R2") +
         " : Resistor(R = " + std::to_string(r2) + ")\n" + n("D1") + " : Diode" + d1 + "\n" + n("D2") + " : Diode" + d2 + "\nconnect " +
         source + ", " + n("R1") + ".p\nconnect " + n("A") + ".in_n, " + n("R1") + ".n, " + n("R2") + ".p, " + n("D2") + "." + in +
         "\nconnect " + n("A") + ".out, " + n("D1") + "." + in + ", " + n("D2") + "." + out + "\nconnect " + n("R2") + ".n, " + n("D1") +
         "." + out + "\nconnect g.p, " + n("A") + ".in_p\n" + load;
}
std::string source(double v, double f, double phase) {
  return "use electrical\ng : Ground\nV : SineVoltage(V = " + std::to_string(v) + ", f = " + std::to_string(f) +
         ", phase = " + std::to_string(phase) + ")\nconnect g.p, V.n\n";
}
std::string capacitor(const char* name, const char* at, const char* c, const char* to = "g.p") {
  return std::string(name) + " : Capacitor(C = " + c + ", v(start = 0, fixed))\nconnect " + at + ", " + name + ".p\nconnect " + to + ", " +
         name + ".n\n";
}

}  // namespace

// While the load's diode conducts the output is -R2/R1 of the input; while it blocks the load discharges through R2. Ideal diodes: real
// ones leak.
TEST_CASE("precision rectifiers: every method runs them rightly at every tolerance, in steps that the signal asks for") {
  constexpr const char *silicon = "(Ids = 1e-12, Vt = 0.026, Maxexp = 40)", *leaking = "(R = 1e6)", *usual = "";
  const struct {
    const char* name;
    std::string text;
    double stop, truth, size;
  } rows[] = {
      {"a leaking diode", source(13.1, 1000, 0.5) + stage("", "V.p", 9370, 6290, leaking, usual, false, capacitor("C", "R2.n", "6.41e-8")),
       0.005, -6290.0 / 9370 * 13.1 * std::sin(0.5), 9},
      {"silicon diodes", source(30.4, 400, 2) + stage("", "V.p", 2090, 1240, silicon, silicon, false, capacitor("C", "R2.n", "1.45e-8")),
       0.0125, -1240.0 / 2090 * 30.4 * std::sin(2.0), 18},
      {"the other direction",
       source(28.9, 5000, 3.35) + stage("", "V.p", 7954, 9198, silicon, usual, true, capacitor("C", "R2.n", "8.677e-10")), 0.001,
       -9198.0 / 7954 * 28.9 * std::sin(3.35), 33},
      {"a smoothing capacitor behind it",
       source(24.1, 50, 4.06) +
           stage("", "V.p", 9470, 5070, silicon, silicon, true,
                 capacitor("C", "R2.n", "2.277e-7") + "R3 : Resistor(R = 5039)\nconnect R2.n, R3.p\n" + capacitor("G", "R3.n", "3.341e-8")),
       0.1, -5070.0 / 9470 * 24.1 * std::sin(4.06), 13},
      {"discharging while it blocks",
       source(10, 50, 0) + stage("", "V.p", 1000, 1000, silicon, silicon, false, capacitor("C", "R2.n", "5e-6")), 0.015,
       [] {  // it blocks from where C*der(v) + v/R2 of the sine is 0
         const double w = 100 * M_PI, tau = 5e-3, t = (M_PI - std::atan(w * tau)) / w;
         return -10 * std::sin(w * t) * std::exp(-(0.015 - t) / tau);
       }(),
       10},
      {"two of them in a row",
       source(20, 400, 1.2) + stage("", "V.p", 2000, 4000, silicon, silicon, false, capacitor("C", "R2.n", "1e-8")) +
           stage("b", "R2.n", 5000, 2500, silicon, silicon, true, capacitor("Cb", "R2b.n", "2e-8")),
       0.0125, 2500.0 / 5000 * 4000 / 2000 * 20 * std::sin(1.2), 40},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const char* name = row.text.find("Cb :") != std::string::npos ? "Cb.v" : "C.v";
    const double reference = ended(row.text, row.stop, name, Method::bdf, 1e-10).value;
    CHECK(std::fabs(reference - row.truth) < 3e-3 * row.size);
    for (const Method method : {Method::automatic, Method::bdf, Method::ida})
      for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
        CAPTURE(simulate::to_text(method));
        CAPTURE(tolerance);
        const Ended end = ended(row.text, row.stop, name, method, tolerance);
        CHECK(std::fabs(end.value - reference) < 30 * tolerance * row.size);
        CHECK(end.steps < 6000);
      }
  }
}

TEST_CASE("ida goes on where something begins that is over within nanoseconds") {
  const std::string fired =
      "use electrical\ng : Ground\nV : SineVoltage(V = 8.17, f = 0.5)\nT : IdealThyristor\nT.fire = time > 0.11\nC : Capacitor(C = "
      "7.22e-4, v(start = 0, fixed))\n"
      "connect g.p, V.n, C.p\nconnect V.p, T.p\nconnect T.n, C.n\n";
  const std::string multivibrator =
      "use electrical\ng : Ground\nV : StepVoltage(V = 5, startTime = 1e-4)\nQ1 : NPN\nQ2 : NPN\nRc1 : Resistor(R = 660)\nRb1 : Resistor(R "
      "= 31100)\n"
      "Rc2 : Resistor(R = 688)\nRb2 : Resistor(R = 22400)\nC1 : Capacitor(C = 2.57e-7, v(start = 0.2, fixed))\nC : Capacitor(C = 2.827e-7, "
      "v(start = 0, fixed))\n"
      "connect g.p, V.n, Q1.E, Q2.E\nconnect V.p, Rc1.p, Rb1.p, Rc2.p, Rb2.p\nconnect Rc1.n, Q1.C, C1.p\nconnect Rb1.n, Q1.B, C.n\n"
      "connect Rc2.n, Q2.C, C.p\nconnect Rb2.n, Q2.B, C1.n\n";
  const double peak = -8.17;  // through the thyristor, as long as it conducts
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-9}) {
    CAPTURE(tolerance);
    CHECK(std::fabs(ended(fired, 0.5, "C.v", Method::ida, tolerance).value - peak) < 200 * tolerance + 1e-5);
    if (tolerance < 1e-7)
      CHECK(std::fabs(ended(multivibrator, 0.002, "C.v", Method::ida, tolerance).value -
                      ended(multivibrator, 0.002, "C.v", Method::bdf, 1e-9).value) < 1e-3);
  }
}

// Five periods of two gates' pulses have twenty edges in ten half periods, and in each of those but the last the current that flows on
// through a freewheeling diode comes to its end. Where it does a diode, real ones here, bends within a fraction of a step.
TEST_CASE("ida finds events where the states put them, also where its unknowns bend between two steps") {
  const std::string bridge =
      "use electrical\ng : Ground\nVp : ConstantVoltage(V = 100)\nVn : ConstantVoltage(V = 100)\nS1 : IdealGTOThyristor(Ron = 1e-3)\n"
      "F1 : Diode(R = 1e6)\nS2 : IdealGTOThyristor(Ron = 1e-3)\nF2 : Diode(Ids = 1e-12, Vt = 0.026, Maxexp = 40)\n"
      "p1 : blocks.BooleanPulse(width = 48, period = 0.001)\np2 : blocks.BooleanPulse(width = 48, period = 0.001, startTime = 0.0005)\n"
      "S1.fire = p1.y\nS2.fire = p2.y\nR : Resistor(R = 24.3)\nL : Inductor(L = 0.0285, i(start = 0, fixed))\n"
      "connect g.p, Vp.n, Vn.p, L.n\nconnect Vp.p, S1.p, F1.n\nconnect Vn.n, S2.n, F2.p\nconnect S1.n, F1.p, S2.p, F2.n, R.p\nconnect R.n, "
      "L.p\n";
  constexpr std::size_t edges = 20, ends = 9;
  const double reference = ended(bridge, 0.005, "L.i", Method::bdf, 1e-10).value;
  for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
    CAPTURE(tolerance);
    const Ended end = ended(bridge, 0.005, "L.i", Method::ida, tolerance);
    CHECK(end.events == edges + ends);
    CHECK(std::fabs(end.value - reference) < 10 * tolerance);
  }
}

// With inductors on both sides a node between diodes that block hangs at 1e-5 S, beside others that conduct with 1e5 S: roundings of what these carry are
// volts there, unless each equation is held as well as its own terms allow (Engine::refine). The reference: IDA at 1e-8.
TEST_CASE("a bridge of ideal diodes between inductors takes some dozens of steps for an event") {
  const std::string bridge =
      "use electrical\ns[3] : SineVoltage(V = 100, f = 50, phase = {0, -2*pi/3, 2*pi/3})\nla[3] : Inductor(L = 1e-3)\nd[6] : IdealDiode\nr : Resistor(R = 10)\n"
      "g : Ground\nl : Inductor(L = 0.02, i(start = 0, fixed))\nfor k in 1:3\n  connect s[k].p, la[k].p\n  connect la[k].n, d[k].p, d[k + 3].n\n"
      "  connect d[k].n, l.p\n  connect d[k + 3].p, r.n\n  connect s[k].n, g.p\nend\nconnect l.n, r.p\n";
  constexpr std::size_t for_an_event = 60;
  const double reference = ended(bridge, 0.06, "r.i", Method::ida, 1e-8).value;
  for (const Method method : {Method::automatic, Method::bdf, Method::ida}) {
    CAPTURE(simulate::to_text(method));
    const Ended end = ended(bridge, 0.06, "r.i", method, 1e-6);
    CHECK(end.steps < for_an_event * end.events);
    CHECK(end.value == doctest::Approx(reference).epsilon(1e-5));
  }
}

// Where the diode conducts its current is a small difference over a small resistance, so the state is integrated more closely; but not more than the
// rounding of time lets the source be: hours later that is more.
TEST_CASE("a rectifier runs for hundreds of periods") {
  const std::string rectifier =
      "use electrical\ng : Ground\ns : SineVoltage(V = 1, f = FREQUENCY)\nd : IdealDiode\nc : Capacitor(C = 1e-6, v(start = 0, fixed))\nr : Resistor(R = 1000)\n"
      "connect s.p, d.p\nconnect d.n, c.p, r.p\nconnect c.n, r.n, s.n, g.p\n";
  const struct { const char* frequency; double stop, value; } rows[] = {{"50", 5, -0.002828}, {"1000", 1, 0.467}};
  for (const auto& row : rows) {
    std::string text = rectifier;
    text.replace(text.find("FREQUENCY"), 9, row.frequency);
    const double periods = row.stop * std::stod(row.frequency);
    const Ended end = ended(text, row.stop, "c.v", Method::automatic, 1e-6);
    CHECK(static_cast<double>(end.events) == doctest::Approx(2 * periods).epsilon(0.01));
    CHECK(end.value == doctest::Approx(row.value).epsilon(1e-2));
  }
}
