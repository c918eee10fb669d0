// electrical/tests_switches.eq: ideal diodes, thyristors and switches against closed forms.

test "ideal diodes: half-wave rectifier, both orientations, curve with knee"
  source : SineVoltage(V = 10, f = 50)
  ground : Ground
  d1 : IdealDiode(Ron = 0, Goff = 0)
  r1 : Resistor(R = 5)
  d2 : IdealDiode(Ron = 0, Goff = 0)
  r2 : Resistor(R = 5)
  d3 : IdealDiode(Ron = 1, Goff = 0.01, Vknee = 2)
  r3 : Resistor(R = 4)
  connect source.p, d1.p, d2.n, d3.p
  connect d1.n, r1.p
  connect d2.p, r2.p
  connect d3.n, r3.p
  connect r1.n, r2.n, r3.n, source.n, ground.p
  variable q(start = 0, fixed)
  der(q) = r1.i
  :simulate until 40 [ms] tol 1e-9
  assert abs(r1.i - 2) < 1e-6 and abs(d1.v) < 1e-9 and not d1.off and r2.i == 0 and d2.off at 5 [ms], "first half"
  assert r1.i == 0 and abs(d1.v + 10) < 1e-6 and abs(r2.i + 2) < 1e-6 at 15 [ms], "second half"
  assert abs(r3.i - (10 - 2 + 0.02 * 1) / 5) < 2e-2 and not d3.off at 5 [ms], "beyond the knee"
  assert d3.off and abs(r3.i + 10 / 104) < 1e-6 at 15 [ms], "Goff"
  assert abs(q - 2 * 2 / (50 * pi)) < 1e-7, "charge of two half waves, 2*I/w each"
end

test "ideal diodes: bridge of four without resistances"
  source : SineVoltage(V = 10, f = 50)
  ground : Ground
  d1, d2, d3, d4 : IdealDiode(Ron = 1e-6, Goff = 1e-6)
  r : Resistor(R = 5)
  connect source.p, d1.p, d3.n
  connect source.n, d2.p, d4.n, ground.p
  connect d1.n, d2.n, r.p
  connect d3.p, d4.p, r.n
  variable q(start = 0, fixed)
  der(q) = r.i
  :simulate until 40 [ms] tol 1e-9
  assert abs(r.i - 2) < 1e-4 and not d1.off and not d4.off and d2.off and d3.off at 5 [ms]
  assert abs(r.i - 2) < 1e-4 and d1.off and d4.off and not d2.off and not d3.off at 15 [ms]
  assert abs(q - 4 * 2 / (50 * pi)) < 1e-5, "charge of four half waves"
end

test "a free-wheeling diode takes over the current of an inductor"
  battery : ConstantVoltage(V = 12)
  ground : Ground
  sw : IdealClosingSwitch(Ron = 1e-6, Goff = 1e-6)
  l : Inductor(L = 0.1, i(start = 0, fixed))
  r : Resistor(R = 10)
  d : IdealDiode(Ron = 1e-6, Goff = 1e-6)
  sw.control = time < 20 [ms]
  connect battery.p, sw.p
  connect sw.n, l.p, d.n
  connect l.n, r.p
  connect r.n, d.p, battery.n, ground.p
  :simulate until 40 [ms] tol 1e-9
  assert abs(l.i - 1.2 * (1 - exp(-1))) < 1e-5 and d.off at 10 [ms], "rise"
  assert abs(l.i - 1.2 * (1 - exp(-2)) * exp(-2)) < 1e-5 and not d.off, "decay through the diode"
end

test "switches: opening, closing, two ways, crossing"
  v1 : ConstantVoltage(V = 10)
  v2 : ConstantVoltage(V = 6)
  ground : Ground
  a : IdealOpeningSwitch(Ron = 0, Goff = 0)
  b : IdealClosingSwitch(Ron = 0, Goff = 0)
  ra, rb, rc, rd, re : Resistor(R = 2)
  c : IdealTwoWaySwitch(Ron = 0, Goff = 0)
  x : IdealIntermediateSwitch(Ron = 0, Goff = 0)
  g : IdealCommutingSwitch(Ron = 1, Goff = 0.1)
  rf : Resistor(R = 2)
  variable on : Boolean = time >= 1
  a.control = on
  b.control = on
  c.control = on
  x.control = on
  g.control = on
  connect v1.p, a.p, b.p, c.n1, x.p1, g.n1
  connect v2.p, c.n2, x.p2
  connect a.n, ra.p
  connect b.n, rb.p
  connect c.p, rc.p
  connect x.n1, rd.p
  connect x.n2, re.p
  connect g.p, rf.p
  connect g.n2, ra.n, rb.n, rc.n, rd.n, re.n, rf.n, v1.n, v2.n, ground.p
  :simulate until 2
  assert abs(ra.i - 5) < 1e-12 and rb.i == 0 and abs(rc.i - 5) < 1e-12 and abs(rd.i - 5) < 1e-12 and abs(re.i - 3) < 1e-12 at 0.5
  assert ra.i == 0 and abs(rb.i - 5) < 1e-12 and abs(rc.i - 3) < 1e-12 and abs(rd.i - 3) < 1e-12 and abs(re.i - 5) < 1e-12 at 1.5
  assert abs(rf.v - 10 / (1 + 0.5 + 0.1)) < 1e-9 at 0.5, "Ron = 1 to 10 V, 2 Ohm and Goff to ground"
  assert abs(g.p.v * (1 + 0.5 + 0.1) - 1) < 1e-9 at 1.5, "Goff from 10 V, 1 Ohm and 2 Ohm to ground"
end

test "thyristors: fired at 60 degrees, extinguished at the zero; turned off by the gate"
  source : SineVoltage(V = 10, f = 50)
  ground : Ground
  t1 : IdealThyristor(Ron = 0, Goff = 0)
  r1 : Resistor(R = 5)
  t2 : IdealGTOThyristor(Ron = 0, Goff = 0)
  r2 : Resistor(R = 5)
  pulse : blocks.BooleanPulse(period = 20 [ms], width = 10, startTime = 10 [ms] / 3)
  connect pulse.y, t1.fire, t2.fire
  connect source.p, t1.p, t2.p
  connect t1.n, r1.p
  connect t2.n, r2.p
  connect r1.n, r2.n, source.n, ground.p
  variable q1(start = 0, fixed)
  variable q2(start = 0, fixed)
  der(q1) = r1.i
  der(q2) = r2.i
  :simulate until 40 [ms] tol 1e-9
  assert t1.off and r1.i == 0 at 3 [ms]
  assert not t1.off and abs(r1.i - 2) < 1e-6 at 5 [ms]
  assert not t1.off and t2.off at 6 [ms], "the GTO follows its gate"
  assert t1.off and r1.i == 0 at 12 [ms]
  assert abs(q1 - 2 * 2 / (100 * pi) * (cos(pi / 3) + 1)) < 1e-7, "from 60 to 180 degrees"
  assert abs(q2 - 2 * 2 / (100 * pi) * (cos(pi / 3) - cos(pi / 3 + 0.2 * pi))) < 1e-7, "36 degrees long"
end

test "a thyristor with gate: blocks, fires, holds"
  source : ConstantVoltage(V = 50)
  ground : Ground
  r : Resistor(R = 10)
  t : Thyristor
  gate : SignalCurrent
  gate.i = if time > 1 [ms] and time < 1.2 [ms] then 20 [mA] else 0
  connect source.p, r.p
  connect r.n, t.Anode
  connect gate.n, t.Gate
  connect gate.p, t.Cathode, source.n, ground.p
  :simulate until 2 [ms] tol 1e-8
  assert abs(t.Anode.i - 50 / (100^2 / 1.7 / 6e-3 + 10)) < 1e-7 at 0.9 [ms], "blocks with Roff"
  assert abs(t.Anode.i - 50 / (10 + 0.04)) < 1e-3 at 1.9 [ms], "conducts with Ron after the pulse is over"
end

test "ideal diodes without resistances: two sources share a load, and only one can conduct"
  v1 : ConstantVoltage(V = 3)
  v2 : ConstantVoltage(V = 100)
  d1, d2 : IdealDiode(Ron = 0, Goff = 0)
  r : Resistor(R = 10)
  ground : Ground
  connect v1.p, d1.p
  connect v2.p, d2.p
  connect d1.n, d2.n, r.p
  connect r.n, v1.n, v2.n, ground.p
  :simulate until 1
  assert d1.off and not d2.off and abs(r.v - 100) < 1e-9 and abs(d1.v + 97) < 1e-9
end

test "ideal diodes without resistances: everything is 0 at the start"
  source : SineVoltage(V = 100, f = 50)
  d, f : IdealDiode(Ron = 0, Goff = 0)
  r : Resistor(R = 10)
  l : Inductor(L = 0.05, i(start = 0, fixed))
  ground : Ground
  connect source.p, d.p
  connect d.n, l.p, f.n
  connect l.n, r.p
  connect r.n, source.n, ground.p, f.p
  :simulate until 20 [ms] tol 1e-9
  // i = V/Z*(sin(w*t - a) + sin(a)*exp(-t*R/L)) until 10 ms, then it decays through f
  assert abs(l.i - 100 / sqrt(100 + (5 * pi)^2) * (sin(atan(pi / 2)) * (1 + exp(-2))) * exp(-2 * 0.85)) < 1e-6 at 18.5 [ms]
end

test "switches side by side: what they leave open is shared"
  battery : ConstantVoltage(V = 12)
  s1, s2 : IdealClosingSwitch(Ron = 0, Goff = 0)
  r : Resistor(R = 6)
  ground : Ground
  s1.control = time > 1
  s2.control = time > 2
  connect battery.p, s1.p, s2.p
  connect s1.n, s2.n, r.p
  connect r.n, battery.n, ground.p
  :simulate until 3
  assert abs(r.i - 2) < 1e-9 and abs(s1.i - 2) < 1e-9 at 1.5
  assert abs(r.i - 2) < 1e-9 and abs(s1.i - 1) < 1e-9 and abs(s2.i - 1) < 1e-9
end

test "a diode beside a capacitor does not flicker"
  source : SineVoltage(V = 50, f = 100, phase = 2)
  r : Resistor(R = 5)
  d : IdealDiode
  c : Capacitor(C = 1e-5, v(start = 0, fixed))
  ground : Ground
  variable switchings : Integer
  switchings = if change(d.off) then pre(switchings) + 1 else pre(switchings)
  connect source.p, r.p
  connect r.n, c.p, d.n
  connect source.n, c.n, d.p, ground.p
  :simulate until 50 [ms]
  assert abs(c.v - 46.0707) < 1e-3 and switchings < 20
end
