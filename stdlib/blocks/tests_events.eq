// blocks/tests_events.eq: logical and sampled blocks, sources with jumps: values before and after each jump, integrals of the signals.

test "comparisons and logic"
  s : Sine(f = 1)
  k : Constant(k = 0.5)
  g : GreaterThreshold(threshold = 0.5)
  l : LessThreshold(threshold = 0.5)
  ge : GreaterEqualThreshold(threshold = 2)
  le : LessEqualThreshold(threshold = 2)
  g2 : Greater
  l2 : LessEqual
  a : And
  o : Or
  x : Xor
  na : Nand
  no : Nor
  n : Not
  w : LogicalSwitch
  connect s.y, g.u, l.u, ge.u, le.u, g2.u1, l2.u1
  connect k.y, g2.u2, l2.u2
  connect g.y, a.u1, o.u1, x.u1, na.u1, no.u1, n.u, w.u1
  connect l2.y, a.u2, o.u2, x.u2, na.u2, no.u2, w.u3
  w.u2 = time < 0.5
  variable t_true(start = 0, fixed) : s "how long g.y is true"
  der(t_true) = if g.y then 1 else 0
  :simulate until 1 tol 1e-9
  assert abs(t_true - 1 / 3) < 1e-9, "sin > 1/2 from 30 to 150 degrees"
  assert not g.y and l.y and not ge.y and le.y and not g2.y and l2.y at 1 / 12 - 1e-6
  assert g.y and not l.y and g2.y and not l2.y at 1 / 12 + 1e-6
  assert not a.y and o.y and x.y and na.y and not no.y and not n.y and w.y at 0.25
  assert not a.y and o.y and x.y and na.y and not no.y and n.y and w.y at 0.75
end

test "hysteresis and two-point controller"
  s : Sine(f = 1)
  h : Hysteresis(uLow = -0.5, uHigh = 0.5)
  i : Hysteresis(uLow = -0.5, uHigh = 0.5, pre_y_start = true)
  c : OnOffController(bandwidth = 0.2)
  connect s.y, h.u, i.u
  der(T) = if c.y then 1 else -1
  variable T(start = 0, fixed)
  c.u = T
  c.reference = 1
  :simulate until 2 tol 1e-9
  assert not h.y and i.y at 0, "the value before decides within the band"
  assert not h.y at 1 / 12 - 1e-6
  assert h.y at 1 / 12 + 1e-6
  assert h.y at 7 / 12 - 1e-6
  assert not h.y and not i.y at 7 / 12 + 1e-6
  assert c.y at 0, "below the band"
  assert not c.y and abs(T - 1) < 1e-8 at 1.2, "falls from 1.1 on"
  assert c.y at 1.4
  assert abs(T - 1) < 1e-8, "between 0.9 and 1.1, turned at 1.1, 1.3, 1.5, 1.7, 1.9"
end

test "edges, changes and memory"
  p : BooleanPulse(period = 0.2, width = 50, startTime = 0.05)
  e : Edge
  f : FallingEdge
  c : Change
  m : Pre
  connect p.y, e.u, f.u, c.u, m.u
  variable ne(start = 0) : Integer
  variable nf(start = 0) : Integer
  variable nc(start = 0) : Integer
  when e.y
    ne = pre(ne) + 1
  end
  when f.y
    nf = pre(nf) + 1
  end
  when c.y
    nc = pre(nc) + 1
  end
  t : Timer
  d : LogicalDelay(delayTime = 0.03)
  connect p.y, t.u, d.u
  :simulate until 1
  assert ne == 5 and nf == 5 and nc == 10, "five pulses"
  assert m.y == p.y and not e.y, "after an event Pre has caught up"
  assert abs(t.y - 0.08) < 1e-12 and d.y1 and d.y2 at 0.13
  assert d.y1 and not d.y2 at 0.07, "late on"
  assert d.y1 and not d.y2 and not p.y at 0.17, "late off"
  assert not d.y1 and not d.y2 and t.y == 0 at 0.2
end

test "flip-flop, triggered trapezoid, triggered samples, zero crossings"
  s : Sine(f = 1)
  ff : RSFlipFlop
  ff.S = time > 0.1 and time < 0.2
  ff.R = time > 0.5 and time < 0.6
  tt : TriggeredTrapezoid(amplitude = 2, rising = 0.2, falling = 0.4, offset = 1)
  tt.u = time >= 0.1 and time < 0.2 or time >= 0.5 and time < 0.8
  ts : TriggeredSampler(y_start = 7)
  tm : TriggeredMax
  trigger : SampleTrigger(period = 0.1, startTime = 0.05)
  connect s.y, ts.u, tm.u
  connect trigger.y, ts.trigger, tm.trigger
  z : ZeroCrossing
  connect s.y, z.u
  z.enable = time > 0.2
  variable n(start = 0) : Integer
  when z.y
    n = pre(n) + 1
  end
  :simulate until 1.2 tol 1e-9
  assert not ff.Q and ff.QI at 0.05
  assert ff.Q and not ff.QI at 0.3, "set"
  assert not ff.Q and ff.QI at 0.7, "reset"
  assert tt.y == 1 at 0.05
  assert abs(tt.y - 1.5) < 1e-9 at 0.15, "rising 2 in 0.2"
  assert abs(tt.y - 1.5) < 1e-9 at 0.3, "turned round at 2, falling 2 in 0.4"
  assert abs(tt.y - 3) < 1e-9 at 0.75
  assert abs(tt.y - 2) < 1e-9 at 1
  assert ts.y == 7 and tm.y == 0 at 0.04
  assert abs(ts.y - sin(0.3 * pi)) < 1e-12 at 0.2
  assert abs(tm.y - 1) < 1e-12, "the largest at 0.25"
  assert n == 2, "at 0.5 and 1; enabling at 0.2 is none"
end

test "sampled blocks"
  s : Sine(f = 1)
  z : ZeroOrderHold(samplePeriod = 0.1)
  a : Sampler(samplePeriod = 0.1, startTime = 0.25)
  d : UnitDelay(samplePeriod = 0.1, y_start = 9)
  f : FirstOrderHold(samplePeriod = 0.1)
  connect s.y, z.u, a.u, d.u, f.u
  i : DiscreteTransferFunction(samplePeriod = 0.1, b = {0.1}, a = {1, -1}) "sum of the samples before"
  l : DiscreteTransferFunction(samplePeriod = 0.1, b = {1, 0}, a = {1, -0.5}) "first-order low pass"
  i.u = 1
  l.u = 1
  :simulate until 1.02
  assert z.y == 0 and a.y == 0 and d.y == 9 at 0.09
  assert abs(z.y - sin(0.8 * pi)) < 1e-12 at 0.45
  assert a.y == 0 at 0.24
  assert abs(a.y - sin(0.7 * pi)) < 1e-12 at 0.4
  assert d.y == 0 at 0.15, "u at 0"
  assert abs(d.y - sin(0.6 * pi)) < 1e-12 at 0.45
  assert abs(f.y - (sin(0.6 * pi) + 0.5 * (sin(0.8 * pi) - sin(0.6 * pi)))) < 1e-12 at 0.45, "line through 0.3 and 0.4, one period late"
  assert abs(i.y - 1) < 1e-12, "ten samples before that at 1"
  assert abs(l.y - (2 - 0.5^10)) < 1e-12, "1 + 1/2 + 1/4 + ..."
end

test "sources with jumps: exact integrals"
  p : Pulse(amplitude = 2, width = 30, period = 0.3, startTime = 0.1)
  w : SawTooth(amplitude = 2, period = 0.3, startTime = 0.1)
  z : Trapezoid(amplitude = 2, rising = 0.1, width = 0.05, falling = 0.05, period = 0.3, nperiod = 2)
  k : CombiTimeTable(table = [0, 1; 0.25, 3; 0.5, -1], smoothness = Smoothness.ConstantSegments, extrapolation = Extrapolation.Periodic)
  t : TimeTable(table = [0, 0; 0.3, 1; 0.3, 2; 0.7, 0; 1.1, 0])
  bs : BooleanStep(startTime = 0.4)
  bt : BooleanTable(table = {0.2, 0.5, 0.9})
  br : BooleanToReal(realTrue = 3, realFalse = 1)
  bi : BooleanToInteger(integerTrue = 4)
  is : IntegerStep(height = 3, offset = 1, startTime = 0.4)
  ri : RealToInteger
  ri.u = 3 * time - 1.2
  connect bs.y, br.u
  connect bt.y, bi.u
  variable ip(start = 0, fixed)
  variable iw(start = 0, fixed)
  variable iz(start = 0, fixed)
  variable ik(start = 0, fixed)
  variable it(start = 0, fixed)
  variable ib(start = 0, fixed)
  variable in(start = 0, fixed)
  der(ip) = p.y
  der(iw) = w.y
  der(iz) = z.y
  der(ik) = k.y[1]
  der(it) = t.y
  der(ib) = br.y
  der(in) = bi.y
  :simulate until 1 tol 1e-9
  assert p.y == 2 at 0.1, "the pulse begins with the period"
  assert p.y == 0 at 0.1901
  assert abs(ip - 3 * 2 * 0.09) < 1e-9, "three pulses"
  assert abs(iw - 3 * 0.3) < 1e-9, "three teeth"
  assert abs(iz - 2 * 2 * (0.05 + 0.05 + 0.025)) < 1e-9, "two trapezoids"
  assert abs(ik - 2) < 1e-9, "steps 1 and 3, period 1/2"
  assert abs(it - (0.15 + 0.4)) < 1e-9, "a table that jumps"
  assert abs(ib - (0.4 + 3 * 0.6)) < 1e-9 and abs(in - 4 * (0.3 + 0.1)) < 1e-9, "Boolean signals as numbers"
  assert is.y == 1 at 0.39
  assert is.y == 4 at 0.41
  assert ri.y == -1 at 0.2
  assert ri.y == 0 at 0.3
  assert ri.y == 2
end

test "slew rate limiter; limits"
  s : Step(height = 1, startTime = 0.5)
  r : SlewRateLimiter(Rising = 2, Falling = -4, Td = 0.01)
  connect s.y, r.u
  w : Sine(f = 1, amplitude = 2)
  l : Limiter(uMax = 1)
  z : DeadZone(uMax = 1)
  connect w.y, l.u, z.u
  variable il(start = 0, fixed)
  variable iz(start = 0, fixed)
  der(il) = l.y
  der(iz) = z.y
  :simulate until 1.5 tol 1e-9
  assert r.y == 0 at 0.49
  assert abs(r.y - 0.5) < 1e-8 at 0.75, "with the largest slope"
  assert abs(r.y - 1) < 1e-6, "arrived"
  assert abs(il - (2 * (1 - cos(pi / 6)) * 2 / (2 * pi) + 1 / 3)) < 1e-8, "half a period, cut at 1; the other periods cancel"
  assert abs(il + iz - 2 / pi) < 1e-8, "limiter and dead zone add up to the signal"
end

test "terminate"
  t : TerminateSimulation(condition = x > 0.5)
  variable x(start = 0, fixed)
  der(x) = 1
  :simulate until 1 tol 1e-9
  assert abs(x - 0.5) < 1e-9, "ended there"
end

test "integrators: reset to the start value or a signal, limits left when the input turns"
  a : Integrator(use_reset = true, y_start = 0.5, k = 2)
  b : Integrator(use_reset = true, use_set = true)
  c : LimIntegrator(outMax = 1, outMin = -0.5)
  d : LimIntegrator(outMax = 1, use_reset = true, use_set = true)
  e : LimIntegrator(outMax = 1, initType = Init.NoInit, y_start = 0.25, strict = true)
  a.u = 1
  a.reset = time > 0.25 and time < 0.5 or time > 0.75
  b.u = time
  b.set = 3 - time
  b.reset = a.reset
  c.u = 4 - 4 * time
  d.u = 1
  d.set = -3
  d.reset = time >= 1.5
  e.u = 0
  :simulate until 3 tol 1e-10 points 12
  assert abs(a.y - (0.5 + 2 * (3 - 0.75))) < 1e-8, "y_start and what came after the last rise of reset"
  assert abs(a.y - (0.5 + 2 * 0.25)) < 1e-8, "no reset where it falls" at 0.5
  assert abs(b.y - (2.25 + (9 - 0.5625) / 2)) < 1e-8, "set = 2.25 at the reset"
  assert abs(c.y - (4 * 0.25 - 2 * 0.0625)) < 1e-8, "4*t - 2*t^2" at 0.25
  assert abs(c.y - 1) < 1e-8, "at the limit from t = 1 - sqrt(1/2) until the input turns" at 0.75
  assert abs(c.y - (1 - 2 * 0.25)) < 1e-8, "down from there" at 1.5
  assert abs(c.y + 0.5) < 1e-8, "the lower limit"
  assert abs(d.y - 0.5) < 1e-8, "reset within the limits, to -1"
  assert e.y == 0.25, "start value"
end

test "Boolean tables: shifted, repeated, from a start time on; sines without a jump; limiter and logarithm with options"
  a : BooleanTable(table = {0.25, 0.5, 1}, shiftTime = 0.5)
  b : BooleanTable(table = {0.25, 0.5, 0.75}, extrapolation = Extrapolation.Periodic)
  c : BooleanTable(table = {0.25, 0.5}, startValue = true, startTime = 0.125)
  s : Sine(amplitude = 2, f = 1, phase = pi / 2, startTime = 1, offset = 3, continuous = true)
  k : Cosine(amplitude = 2, f = 1, phase = pi / 2, startTime = 1, offset = 3)
  l : VariableLimiter(homotopyType = VariableLimiterHomotopy.Fixed, ySimplified = 0.5, strict = true)
  lg : Log(base = 2)
  e : Abs(generateEvent = true)
  n : Abs
  g : Sign
  variable qa(start = 0, fixed), qb(start = 0, fixed), qe(start = 0, fixed)
  der(qa) = if a.y then 1 else 0
  der(qb) = if b.y then 1 else 0
  der(qe) = e.y
  l.u = 3 * sin(time)
  l.limit1 = 1
  l.limit2 = -1
  lg.u = 2 + time
  e.u = time - 1
  n.u = time - 1
  g.u = time - 1
  :simulate until 2 points 16 tol 1e-10
  assert abs(qa - 0.75) < 1e-12, "from 0.75 to 1, and from 1.5 on"
  assert abs(qb - 4 * 0.25) < 1e-12, "from 0.25 to 0.5, and every 0.5 s again"
  assert not c.y at 0.0625
  assert c.y at 0.1875
  assert not c.y and not a.y at 0.375
  assert c.y
  assert s.y == 5 and k.y == 3, "the value at startTime, or the offset" at 0.5
  assert abs(s.y - 3) < 1e-12 and abs(k.y - 1) < 1e-12 at 1.25
  assert l.y == 1 and abs(lg.y - 2) < 1e-12 and n.y == 1 and g.y == 1, "limit; log2(4)"
  assert abs(qe - 1) < 1e-12 and g.y == 1, "an event where the sign changes"
  assert g.y == -1 at 0.5
end

test "delays: a sine, a step, a delay that grows, rational functions for a delay"
  s : Sine(f = 1)
  st : Step(startTime = 0.2, height = 3)
  f : FixedDelay(delayTime = 0.3)
  g : FixedDelay(delayTime = 0.3)
  v : VariableDelay(delayMax = 1)
  v.delayTime = 0.1 + 0.5 * time
  p1 : PadeDelay(delayTime = 0.3)
  p4 : PadeDelay(delayTime = 0.3, n = 4)
  p34 : PadeDelay(delayTime = 0.3, n = 4, m = 3)
  connect s.y, f.u, v.u, p1.u, p4.u, p34.u
  connect st.y, g.u
  variable x(start = 0, fixed) "integral of the delayed step"
  der(x) = g.y
  :simulate until 1.5 tol 1e-9
  assert abs(f.y - sin(2 * pi * 1.2)) < 1e-7, "delayed", f.y
  assert f.y == 0 at 0.25
  assert abs(v.y - sin(2 * pi * (1.5 - 0.85))) < 1e-7, "by more and more", v.y
  assert abs(x - 3 * (1.5 - 0.5)) < 1e-12, "the delayed step is an event", x
  assert abs(p4.y - sin(2 * pi * 1.2)) < 2e-3, "the fourth degree", p4.y
  assert abs(p34.y - sin(2 * pi * 1.2)) < 1e-2, "the third and fourth degree", p34.y
  assert abs(p1.y - sin(2 * pi * 1.2)) < 0.2, "the first degree", p1.y
end
