// Models that cannot go on as written: chattering, Zeno's, no rest, no consistent answer. Each ends soon, with what is to blame.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

TEST_CASE("a ball never falls through the floor") {
  for (const auto method : {simulate::Method::automatic, simulate::Method::rk45, simulate::Method::bdf, simulate::Method::adams, simulate::Method::ida})
    for (const double tolerance : {1e-3, 1e-6, 1e-8})
      for (const char* e : {"0.3", "0.5", "0.7"}) {
        CAPTURE(simulate::to_text(method));
        CAPTURE(tolerance);
        CAPTURE(e);
        Session s;
        REQUIRE(s.run_text("variable h(start = 1, fixed)\nvariable v(start = 0, fixed)\nder(h) = v\nder(v) = -9.81\nwhen h < 0\n  reinit v = -" + std::string(e) + " * v\nend"));
        CHECK_FALSE(s.simulate({.stop = 5, .points = 10, .tolerance = tolerance, .method = method}));
        check_said(s, {"E0416", "`h < 0`"});
      }
}

TEST_CASE("what switches without end or without an answer ends with a named cause") {
  const std::string circuit = "use electrical\ng : Ground\n";
  const struct {
    const char* name;
    std::string text;
    std::vector<const char*> said;
  } rows[] = {
      {"a relay without hysteresis", "variable x(start = 1, fixed)\nvariable u = if x > 0 then -1 else 1\nder(x) = u + 0.3 * sin(time)", {"E0416", "`0 < x`", "text:2"}},
      {"a sliding mode", "variable x(start = 0.5, fixed)\nvariable y(start = 1, fixed)\nder(x) = y\nder(y) = -3 * sign(x + y)", {"E0416", "x + y", "text:4"}},
      {"a ball that never rests", "variable h(start = 1, fixed)\nvariable v(start = 0, fixed)\nder(h) = v\nder(v) = -9.81\nwhen h < 0\n  reinit v = -0.7 * v\nend",
       {"E0416", "`h < 0`"}},
      {"a ball whose bounces end sooner", "variable h(start = 1, fixed)\nvariable v(start = 0, fixed)\nder(h) = v\nder(v) = -9.81\nwhen h < 0\n  reinit v = -0.5 * v\nend",
       {"E0416", "`h < 0`", "ever faster"}},
      {"Fuller's problem: switches that come ever faster, then a slide",
       "variable x(start = 1, fixed)\nvariable v(start = 0, fixed)\nder(x) = v\nder(v) = if x + 0.5 * v * abs(v) > 0 then -1 else 1", {"E0416", "`0 < x +"}},
      {"two tanks, one hose",
       "variable h1(start = 0.3, fixed)\nvariable h2(start = 0.3, fixed)\ndiscrete to1(start = true, fixed) : Boolean\nder(h1) = (if to1 then 1 else 0) - 0.7\n"
       "der(h2) = (if to1 then 0 else 1) - 0.6\nwhen h2 < 0\n  to1 = false\nelsewhen h1 < 0\n  to1 = true\nend",
       {"E0416", " < 0`", "ever faster", "2"}},
      {"a relation without numbers", "variable x(start = 0, fixed)\ndiscrete n(start = 0, fixed) : Integer\nder(x) = 1\nwhen sqrt(0.5 - x) < 0.1\n  n = pre(n) + 1\nend",
       {"E0403", "cannot be decided", "text:5"}},
      {"a reinit that causes itself", "variable x(start = 0, fixed)\nder(x) = 1\nwhen {x > 1, x < -1}\n  reinit x = if pre(x) > 0 then -2 else 3\nend", {"E0415", "rest", "x < -1"}},
      {"counters that chase each other", "variable a(start = 0) : Integer\nvariable b(start = 0) : Integer\na = pre(b) + 1\nb = pre(a) + 1", {"E0415", "rest", "`a`"}},
      {"b = not b", "variable b : Boolean\nb = not b", {"E0322", "`b` depends on itself", "text:2"}},
      {"b = not pre(b)", "variable b : Boolean\nb = not pre(b)", {"E0415", "rest", "`b`", "the value before the event"}},
      {"not b at an event", "variable b : Boolean = time > 0.5 and not pre(b)", {"E0415", "rest", "`b`", "0.5"}},
      {"n = n + 1", "discrete n(start = 0) : Integer\nwhen sample(0, 0.1)\n  n = n + 1\nend", {"E0322", "`n` depends on itself", "`pre(n)`"}},
      {"a derivative of what jumps", "variable x(start = 1, fixed)\nder(x) = -1\nwhen x < 0\n  x = 1\nend", {"E0324", "`x`", "reinit", "text:2"}},
      {"pre outside of a when", "variable x(start = 1, fixed)\nder(x) = pre(x)", {"E0325", "`pre(x)`", "text:2"}},
      {"a half in an Integer", "discrete n(start = 0) : Integer\nwhen sample(0, 0.1)\n  n = pre(n) + 0.5\nend", {"E0415", "`n` is an Integer and is given 0.5", "text:1"}},
      {"when in a circle", "discrete a(start = 0)\ndiscrete b(start = 0)\nwhen time > 0.5\n  a = b + 1\nend\nwhen time > 0.5\n  b = a + 1\nend", {"E0322", "`a`", "through `b`"}},
      {"two values of one state", "variable x(start = 0, fixed)\nder(x) = 1\nwhen x > 1\n  reinit x = 0\nend\nwhen x >= 1\n  reinit x = 0.5\nend",
       {"E0415", "`reinit` gives `x` two values at once: 0 and 0.5", "`reinit x`", "text:7"}},
      {"a new value that is none", "variable x(start = 1, fixed)\nder(x) = -1\nwhen x < 0.5\n  reinit x = sqrt(x - 1)\nend", {"E0403", "`reinit` gives `x` no finite number", "text:4"}},
      {"a loop of a relation and its operand", "variable x(start = 0, fixed)\nvariable on : Boolean = z > 0\nvariable z = x - (if on then 1 else -1)\nder(x) = 1",
       {"E0415", "`0 < z`", "text:2"}},
      {"two relations, no combination",
       "variable x = if b then time + 1 else -time - 1\nvariable b : Boolean = x + y < 0\nvariable y = if c then 0.1 else 0.2\nvariable c : Boolean = x > 5", {"E0415", "`x + y < 0`"}},
      {"a gear without losses of its mesh whose bearing knows which side drives",
       "use rotational\nj : Inertia(J = 1, w(start = 0, fixed), phi(start = 0, fixed))\ng : LossyGear(ratio = 2, lossTable = [0, 1, 1, 0.02, 0.03])\nk : Inertia(J = 1)\n"
       "connect j.flange_b, g.flange_a\nconnect g.flange_b, k.flange_a", {"E0413", "`g`", "tau_bf1 and tau_bf2 must be equal"}},
      {"a diode against a current source", circuit + "src : StepCurrent(I = 1, startTime = 0.5)\nd : IdealDiode(Ron = 0, Goff = 0)\nconnect src.p, d.p\nconnect src.n, d.n, g.p",
       {"`d."}},
      {"a switch across a voltage source", circuit + "v : ConstantVoltage(V = 5)\ns : IdealClosingSwitch(Ron = 0)\ns.control = time > 0.3\nconnect v.p, s.p\nconnect v.n, s.n, g.p",
       {"`s.s`", "0.3"}},
      {"a switch between two sources",
       circuit + "a : ConstantVoltage(V = 10)\nb : ConstantVoltage(V = 5)\ns : IdealClosingSwitch(Ron = 0, Goff = 0)\ns.control = time > 0.5\n"
                 "connect a.p, s.p\nconnect s.n, b.p\nconnect a.n, b.n, g.p", {"E0403", "`s.s` is infinite", "`0.5 < time` had just become true", "resistance"}},
      {"a coil whose current nothing carries on",
       circuit + "v : ConstantVoltage(V = 5)\ns : IdealOpeningSwitch(Ron = 0, Goff = 0)\ns.control = time > 0.5\n"
                 "l : Inductor(L = 1, i(start = 0, fixed))\nconnect v.p, s.p\nconnect s.n, l.p\nconnect v.n, l.n, g.p", {"0.5", "conductance"}},
      {"a division by zero at an event",
       "discrete n(start = 3)\ndiscrete q(start = 0)\nvariable x(start = 0, fixed)\nwhen sample(0.1, 0.1)\n  n = pre(n) - 1\n  q = 1 / n\nend\nder(x) = q", {"0.3"}},
      {"a brake that lets go as soon as it holds",
       "use rotational\na : Inertia(J = 1, phi(start = 0, fixed), w(start = 1, fixed))\nb : Brake(fn_max = 10)\n"
       "b.f_normalized = if b.mode == 0 then 0 else 1\nconnect a.flange_b, b.flange_a",
       {"E0416", "`b.slip < 0`", "`b.mode`", "0.2"}},
      {"an interval of zero", "parameter T = 0\ndiscrete n(start = 0)\nwhen sample(0, T)\n  n = pre(n) + 1\nend", {"E0415", "`sample(0, T)`", "must be positive"}},
      {"an interval too short to go on", "discrete n(start = 0)\nwhen sample(0, 1e-15)\n  n = pre(n) + 1\nend", {"E0416", "`sample(", "text:3"}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s({{KRON_SOURCE_DIR "/stdlib"}});
    const bool reads = s.run_text(row.text);
    CHECK_FALSE((reads && s.simulate({.stop = 3, .points = 10})));
    check_said(s, row.said);
    if (const auto* r = s.result()) CHECK(r->counters.steps + r->counters.events < 3000);
  }
}

// The current that decides is the difference of two voltages, equal within the tolerance, over 1e-5 Ohm. Exact solutions by matrix
// exponentials, piece by piece, give how often it changes its direction, and what is at the end.
TEST_CASE("events that errors of the states would decide: the states are integrated closer") {
  const std::string begin = "use electrical\ng : Ground\n";
  const struct {
    const char* name;
    std::string text;
    double stop;
    const char* value;
    double truth, size;
    std::size_t events;
  } rows[] = {
      {"two diodes between a source and a capacitor: the current of a sine behind a charging pulse",
       begin + "V : SineVoltage(V = 2.63, f = 0.5, phase = 1.71)\nD1, D2 : IdealDiode\nC : Capacitor(C = 0.02, v(start = 0, fixed))\n"
               "connect g.p, V.n, C.n\nconnect V.p, D1.p, D2.n\nconnect D1.n, D2.p, C.p\n",
       2, "C.v", 2.63 * std::sin(1.71), 3, 3},
      {"a thyristor that charges a capacitor: two pulses of its gate and a half, and it conducts twice for a part of one",
       begin + "V : SineVoltage(V = 8.17, f = 0.5)\nT : IdealThyristor\n"
               "p : blocks.BooleanPulse(width = 42, period = 0.89, startTime = 0.11)\nT.fire = p.y\n"
               "C : Capacitor(C = 0.000722, v(start = 0, fixed))\nconnect g.p, V.n, C.p\nconnect V.p, T.p\nconnect T.n, C.n\n",
       2, "C.v", -7.96584, 8, 6},
      {"a switch that opens where its current ends",
       begin + "V0 : PulseVoltage(V = 14.13, width = 50, period = 0.77, offset = 0)\nV1 : SineVoltage(V = 4.97, f = 1, phase = 5.85)\n"
               "S : IdealGTOThyristor(Ron = 1e-5, Goff = 1e-6, Vknee = 0)\n"
               "p : blocks.BooleanPulse(width = 57, period = 0.62, startTime = 0.16)\nS.fire = p.y\n"
               "R3 : Resistor(R = 100.15)\nR4 : Resistor(R = 1.07)\n"
               "C5 : Capacitor(C = 0.0019880925958316374, v(start = 0, fixed))\n"
               "C : Capacitor(C = 0.0002846316502289377, v(start = -2.7, fixed))\n"
               "L : Inductor(L = 0.13832157907604936, i(start = 0, fixed))\n"
               "connect g.p, V0.n, S.n, C.p\nconnect V1.n, R3.p, C5.n, C.n\nconnect V1.p, S.p, R4.p, L.n\nconnect R3.n, R4.n, L.p\n",
       2.0003, "C.v", 4.938201, 5, 14},
      {"a diode across an inductor, at which nothing but microvolts is left",
       begin + "V : SineVoltage(V = 12.17, f = 0.5)\nD : IdealDiode\nR2 : Resistor(R = 309)\nR3 : Resistor(R = 5)\n"
               "C : Capacitor(C = 1.06e-4, v(start = -1.7, fixed))\nL : Inductor(L = 0.0044, i(start = 0, fixed))\n"
               "connect g.p, V.n, D.n, L.p\nconnect V.p, R2.p, C.p\nconnect D.p, R3.n\nconnect R2.n, R3.p, C.n, L.n\n",
       2, "C.v", -0.00054457632, 1, 8},
      {"a diode beside a capacitor that comes back within the error of the moment at which it stopped",
       begin + "V : SineVoltage(V = 4.6, f = 1)\nD : IdealDiode(Ron = 0.001, Goff = 1e-5, Vknee = 0)\nR2 : Resistor(R = 7.75)\n"
               "R3 : Resistor(R = 2.46)\nR4 : Resistor(R = 276.85)\nR5 : Resistor(R = 107.47)\nR6 : Resistor(R = 1.17)\n"
               "C7 : Capacitor(C = 0.006672848949504401, v(start = 4.5, fixed))\n"
               "C8 : Capacitor(C = 0.0011353135869467332, v(start = 0, fixed))\n"
               "connect g.p, V.n, R2.n, R5.p\nconnect V.p, D.p, R2.p, R4.n, R6.n, C7.p\n"
               "connect D.n, R3.n, R4.p, R5.n, R6.p, C7.n, C8.p\nconnect R3.p, C8.n\n",
       2.0003, "C7.v", -0.00228561, 1, 3},
  };
  for (const auto& row : rows)
    for (const auto method : {simulate::Method::automatic, simulate::Method::bdf, simulate::Method::ida})
      for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
        CAPTURE(row.name);
        CAPTURE(simulate::to_text(method));
        CAPTURE(tolerance);
        Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
        REQUIRE(s.run_text(row.text));
        REQUIRE_MESSAGE(s.simulate({.stop = row.stop, .tolerance = tolerance, .method = method}), rendered(s));
        const std::size_t n = s.result()->counters.events;
        CHECK(n >= row.events);
        CHECK(n <= row.events + (row.events > 4 ? 2 : 0));
        CHECK(std::fabs(*s.value(row.value) - row.truth) < (0.1 * tolerance + 1e-6) * row.size);
      }
}

// `0 < v` changes twice at the hit, long after it changed last: that is no accumulation.
TEST_CASE("a mass that hits a stop and is taken away from it at once goes on") {
  for (const auto method : {simulate::Method::automatic, simulate::Method::rk45, simulate::Method::bdf, simulate::Method::ida})
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      CAPTURE(simulate::to_text(method));
      CAPTURE(tolerance);
      Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
      REQUIRE(s.run_text("use translational\nm : MassWithStopAndFriction(L = 0.1, smax = 0.686, smin = -0.923, m = 2.55, F_prop = 1.5, F_Coulomb = 2.72, "
                         "F_Stribeck = 0.296, fexp = 3.64, s(start = 0, fixed), v(start = -0.623, fixed))\nF : Force\n"
                         "F.f = 23.8 * sin(2 * pi * 0.679 * time)\nconnect F.flange, m.flange_a\n"));
      REQUIRE_MESSAGE(s.simulate({.stop = 6, .tolerance = tolerance, .method = method}), rendered(s));
      CHECK(s.result()->counters.events == 33);
      CHECK(std::fabs(*s.value("m.s") + 0.675149) < 30 * tolerance + 2e-6);
    }
}

// At the end of each pulse of its gate the thyristor's control voltage comes to its target exactly.
TEST_CASE("a thyristor has as many events at each tolerance") {
  for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7}) {
    CAPTURE(tolerance);
    Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE(s.run_text("use electrical\ng : Ground\nV : SineVoltage(V = 7.28, f = 400, phase = 0.5)\nT : Thyristor(VDRM = 200, VRRM = 200)\nR : Resistor(R = 64.2)\n"
                       "I : PulseCurrent(I = 0.02, width = 5, period = 0.0025, startTime = 0.0005)\nconnect g.p, V.n, R.n\nconnect V.p, T.Anode\n"
                       "connect T.Cathode, R.p, I.p\nconnect I.n, T.Gate\n"));
    REQUIRE_MESSAGE(s.simulate({.stop = 0.0125, .tolerance = tolerance}), rendered(s));
    CHECK(s.result()->counters.events == 20);
  }
}

// Hundreds of events within a hundred millionth of a long run are nothing strange where time decides when they are.
TEST_CASE("pulses of a high frequency in a long run") {
  for (const char* pulse : {"u : blocks.BooleanPulse(period = 50e-6, width = 30)\nvariable on : Boolean = u.y", "variable on : Boolean = mod(time, 50e-6) < 15e-6"}) {
    CAPTURE(std::string(pulse));
    Session s({{KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE_MESSAGE(s.run_text(std::string(pulse) + "\nvariable x(start = 0, fixed)\nder(x) = 100 * ((if on then 1 else 0) - x)\nwhen time > 0.1\n  terminate \"enough\"\nend\n"), rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = 100, .points = 10}), rendered(s));
    CHECK(s.value("x").value_or(0) == doctest::Approx(0.3).epsilon(2e-3));
  }
}
