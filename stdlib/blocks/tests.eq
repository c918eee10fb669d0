// blocks/tests.eq: each block against a closed form.

test "algebra"
  g : Gain(k = 3)
  a : Add(k1 = 2, k2 = -1)
  a3 : Add3(k2 = -1)
  p : Product
  q : Division
  f : Feedback
  s : Sum(nin = 3, k = {1, 2, 3})
  m : MatrixGain(K = [1, 2; 3, 4])
  hi : Max
  lo : Min
  g.u = time
  a.u1 = g.y
  a.u2 = 1
  a3.u1 = 1
  a3.u2 = 2
  a3.u3 = time
  p.u1 = time
  p.u2 = time
  q.u1 = 1
  q.u2 = 1 + time
  f.u1 = 5
  f.u2 = time
  s.u = {1, time, 2}
  m.u = {time, 1}
  hi.u1 = time
  hi.u2 = 1
  lo.u1 = time
  lo.u2 = 1
  :simulate until 2 points 4
  assert g.y == 6, "gain"
  assert abs(a.y - 11) < 1e-12, "add"
  assert abs(a3.y - 1) < 1e-12, "add3"
  assert abs(p.y - 4) < 1e-12, "product"
  assert abs(q.y - 1 / 3) < 1e-12, "division"
  assert abs(f.y - 3) < 1e-12, "feedback"
  assert abs(s.y - 11) < 1e-12, "sum"
  assert abs(m.y[1] - 4) + abs(m.y[2] - 10) < 1e-12, "matrix gain"
  assert abs(hi.y - 2) + abs(lo.y - 1) < 1e-12, "max, min"
  assert abs(hi.y - 1) + abs(lo.y - 0.5) < 1e-12, "max, min" at 0.5
end

test "functions of a signal"
  b1 : Abs
  b2 : Sign
  b3 : Sqrt
  b4 : Sin
  b5 : Cos
  b6 : Tan
  b7 : Asin
  b8 : Acos
  b9 : Atan
  b10 : Atan2
  b11 : Sinh
  b12 : Cosh
  b13 : Tanh
  b14 : Exp
  b15 : Log
  b16 : Log10
  variable x = 0.25 + time / 2
  b1.u = -x
  b2.u = -x
  b3.u = x
  b4.u = x
  b5.u = x
  b6.u = x
  b7.u = x
  b8.u = x
  b9.u = x
  b10.u1 = x
  b10.u2 = -x
  b11.u = x
  b12.u = x
  b13.u = x
  b14.u = x
  b15.u = x
  b16.u = x
  :simulate until 1 points 4
  assert b1.y == 0.75 and b2.y == -1, "abs, sign"
  assert abs(b3.y^2 - 0.75) < 1e-14, "sqrt"
  assert abs(b4.y^2 + b5.y^2 - 1) + abs(b4.y / b5.y - b6.y) < 1e-14, "sin, cos, tan"
  assert abs(b7.y + b8.y - pi / 2) + abs(sin(b7.y) - 0.75) < 1e-14, "asin, acos"
  assert abs(tan(b9.y) - 0.75) + abs(b10.y - 3 * pi / 4) < 1e-14, "atan, atan2"
  assert abs(b12.y^2 - b11.y^2 - 1) + abs(b11.y / b12.y - b13.y) < 1e-14, "sinh, cosh, tanh"
  assert abs(b14.y - b11.y - b12.y) + abs(exp(b15.y) - 0.75) + abs(b15.y / log(10) - b16.y) < 1e-14, "exp, log, log10"
end

test "integrator and derivative"
  c : Cosine(f = 0.5)
  i : Integrator(k = pi, y_start = 2)
  d : Derivative(k = 2, T = 0.25, initType = InitialState)
  e : Der
  connect c.y, i.u
  connect i.y, e.u
  d.u = time
  :simulate until 2.5 tol 1e-9
  assert abs(i.y - 3) < 1e-6, "2 + sin(pi*t)"
  assert abs(d.y - 2 * (1 - exp(-10))) < 1e-7, "filtered rate of a ramp"
  assert abs(e.y + pi) < 1e-9, "exact rate pi*cos(pi*t)" at 1
end

test "first and second order, step responses"
  s : Step(height = 2)
  f : FirstOrder(k = 3, T = 0.5, initType = InitialOutput)
  u : SecondOrder(k = 1, w = 2, D = 0.5, initType = InitialState)
  o : SecondOrder(k = 1, w = 2, D = 1, initType = InitialState)
  connect s.y, f.u, u.u, o.u
  :simulate until 3 tol 1e-10
  assert abs(f.y - 6 * (1 - exp(-6))) < 1e-7, "k*h*(1 - exp(-t/T))"
  assert abs(u.y - 2 * (1 - exp(-3) * (cos(3 * sqrt(3)) + sin(3 * sqrt(3)) / sqrt(3)))) < 1e-7, "damped oscillation"
  assert abs(o.y - 2 * (1 - exp(-6) * 7)) < 1e-7, "aperiodic limit"
  assert abs(o.yd - 2 * 4 * exp(-2)) < 1e-6, "its rate w^2*t*exp(-w*t)" at 1
end

test "steady-state initialisation"
  f : FirstOrder(k = 3, T = 1, initType = SteadyState)
  s : SecondOrder(k = 2, w = 5, D = 0.3, initType = SteadyState)
  f.u = 2
  s.u = 2
  :simulate until 1
  assert abs(f.y - 6) + abs(s.y - 4) + abs(s.yd) < 1e-9, "stays"
end

test "PI and PID of a ramp"
  c : PI(k = 2, T = 0.5, initType = InitialState)
  p : PID(k = 2, Ti = 0.5, Td = 0.2, Nd = 10)
  c.u = time
  p.u = time
  :simulate until 2 tol 1e-9
  assert abs(c.y - 12) < 1e-6, "k*(t + t^2/(2*T))"
  assert abs(p.y - 2 * (2 + 4 + 0.2 * (1 - exp(-100)))) < 1e-6, "with the filtered rate"
end

test "PID starting in steady state at a given output"
  p : PID(k = 2, Ti = 0.5, Td = 0.2, initType = InitialOutput, y_start = 7)
  p.u = 1
  :simulate until 0.5 tol 1e-9
  assert abs(p.y - 7) < 1e-9, "start" at 0
  assert abs(p.y - 9) < 1e-7, "only the integral moves: k*t/Ti"
end

test "LimPID: the loop follows, the limit holds, the kinds have their parts"
  plant : FirstOrder(k = 1, T = 1, initType = InitialState)
  c : LimPID(controllerType = SimpleController.PI, k = 4, Ti = 1, yMax = 100)
  c.u_s = 1
  connect c.y, plant.u
  connect plant.y, c.u_m
  p : LimPID(controllerType = SimpleController.P, k = 4, yMax = 2)
  p.u_s = time
  p.u_m = 0
  d : LimPID(controllerType = SimpleController.PD, k = 2, Td = 0.5, wd = 1, yMax = 100, withFeedForward = true, kFF = 3)
  d.u_s = time
  d.u_m = 0
  d.u_ff = 1
  :simulate until 1 tol 1e-10
  assert abs(plant.y - (1 - exp(-4))) < 1e-7, "Ti = T: one pole at k/T is left"
  assert abs(p.y - 2) < 1e-12, "limited"
  assert abs(p.y - 1) < 1e-9, "not yet" at 0.25
  assert abs(d.y - (2 * (1 + 0.5) + 3)) < 1e-6, "rate and feed-forward"
end

test "transfer function: a third-order one in partial fractions"
  g : TransferFunction(b = {2, 3}, a = {1, 6, 11, 6}, initType = InitialState)
  h : TransferFunction(b = {4, 1}, a = {2, 1}, initType = InitialState)
  g.u = 1
  h.u = 1
  :simulate until 1 tol 1e-10
  assert abs(g.y - (0.5 - 0.5 * exp(-1) - 0.5 * exp(-2) + 0.5 * exp(-3))) < 1e-7, "(2s + 3)/((s + 1)(s + 2)(s + 3))"
  assert abs(h.y - (1 + exp(-0.5))) < 1e-7, "direct gain"
end

test "state space: a rotation"
  r : StateSpace(A = [0, -2; 2, 0], B = [0; 0], C = [1, 0; 0, 1], D = [0; 1], x_start = {1, 0}, initType = InitialState)
  r.u[1] = time
  :simulate until 3 tol 1e-10
  assert abs(r.y[1] - cos(6)) < 1e-6, "cos"
  assert abs(r.y[2] - sin(6) - 3) < 1e-6, "sin, and the direct gain"
end

test "low passes: gain at the cut-off frequency is 1/sqrt(2)"
  s : Sine(f = 0.5)
  c : CriticalDamping(n = 3, f = 0.5, initType = InitialState)
  b : LowpassButterworth(n = 5, f = 0.5, initType = InitialState)
  e : LowpassButterworth(n = 2, f = 0.5, initType = InitialState)
  u : CriticalDamping(n = 2, f = 1 / (2 * pi), normalized = false, initType = InitialState)
  connect s.y, c.u, b.u, e.u
  u.u = 1
  ci : Integrator
  bi : Integrator
  ei : Integrator
  ci.u = if time < 30 then 0 else c.y^2
  bi.u = if time < 30 then 0 else b.y^2
  ei.u = if time < 30 then 0 else e.y^2
  :simulate until 40 tol 1e-9 step 0.05
  assert abs(ci.y - 2.5) < 1e-4, "mean square of a sine of amplitude 1/sqrt(2) over 10 s"
  assert abs(bi.y - 2.5) < 1e-4, "odd Butterworth"
  assert abs(ei.y - 2.5) < 1e-4, "even Butterworth"
  assert abs(u.y - (1 - 3 * exp(-2))) < 1e-6, "double pole at 1 rad/s" at 2
end

test "limits, dead zone, switch"
  l : Limiter(uMax = 2)
  s : Limiter(uMax = 2, strict = true, homotopyType = LimiterHomotopy.NoHomotopy)
  v : VariableLimiter
  d : DeadZone(uMax = 2, uMin = -1)
  w : Switch
  l.u = 4 * time - 4
  s.u = 4 * time - 4
  v.u = 4 * time - 4
  v.limit1 = time
  v.limit2 = -time
  d.u = 4 * time - 4
  w.u1 = 1
  w.u2 = time > 0.75
  w.u3 = 5
  :simulate until 2 points 8
  assert l.y == 2 and s.y == 2 and v.y == 2 and d.y == 2 and w.y == 1, "above"
  assert l.y == 1 and s.y == 1 and v.y == 1 and d.y == 0, "inside" at 1.25
  assert l.y == -2 and s.y == -2 and v.y == -0.25 and d.y == -2 and w.y == 5, "below" at 0.25
end

test "sources: steps, ramps, sines"
  k : Constant(k = 7)
  s : Step(height = 2, offset = 1, startTime = 1)
  r : Ramp(height = 3, duration = 2, offset = 1, startTime = 1)
  c : ContinuousClock(offset = 1, startTime = 1)
  f : Sine(amplitude = 2, f = 0.25, phase = pi / 6, offset = 1, startTime = 1)
  g : Cosine(amplitude = 2, f = 0.25, offset = 1, startTime = 1)
  e : ExpSine(amplitude = 2, f = 0.25, damping = 0.5, startTime = 1)
  x : Exponentials(outMax = 2, riseTime = 1, riseTimeConst = 0.5, startTime = 1)
  n : RealExpression(y = 3 * time)
  :simulate until 4 points 16
  assert k.y == 7 and s.y == 1 and r.y == 1 and c.y == 1 and f.y == 1 and g.y == 1 and e.y == 0 and x.y == 0, "before the start" at 0.5
  assert s.y == 3 and r.y == 4 and c.y == 4 and n.y == 12, "at the end"
  assert abs(r.y - 2.5) < 1e-12, "ramp" at 2
  assert abs(f.y - 1 - 2 * sin(pi / 2 + pi / 6)) < 1e-12, "sine" at 2
  assert abs(g.y - 1 - 2 * cos(3 * pi / 2)) < 1e-12, "cosine"
  assert abs(e.y - 2 * exp(-0.5)) < 1e-12, "damped sine" at 2
  assert abs(x.y - 2 * (1 - exp(-1))) < 1e-12, "rise" at 1.5
  assert abs(x.y - 2 * (1 - exp(-2)) * exp(-1)) < 1e-12, "fall" at 2.5
end

test "sources: periodic ones"
  p : Pulse(amplitude = 2, width = 25, period = 2, offset = 1, startTime = 1)
  s : SawTooth(amplitude = 2, period = 2, nperiod = 2, startTime = 1)
  z : Trapezoid(amplitude = 2, rising = 0.5, width = 0.5, falling = 0.5, period = 2, startTime = 1)
  b : Trapezoid(amplitude = 2, period = 2)
  :simulate until 8 points 32
  assert p.y == 1 and s.y == 0 and z.y == 0, "before the start" at 0.5
  assert p.y == 3 and abs(s.y - 0.25) < 1e-12 and abs(z.y - 1) < 1e-12, "a quarter second into the second period" at 3.25
  assert p.y == 1 and abs(s.y - 1) < 1e-12, "half of it" at 4
  assert z.y == 2 and b.y == 0, "top" at 3.75
  assert abs(z.y - 1) < 1e-12, "falling" at 4.25
  assert z.y == 0 and s.y == 0, "rest" at 6.75
  assert b.y == 2 and s.y == 0, "no ramps; two periods only" at 6.25
end

test "tables"
  t : TimeTable(table = [0, 0; 1, 1; 2, 4; 3, 4], offset = 1, startTime = 0.5)
  l : CombiTimeTable(table = [0, 1, 5; 1, 2, 7; 2, 0, 9])
  h : CombiTimeTable(table = [0, 1; 1, 2; 2, 0], extrapolation = Extrapolation.HoldLastPoint, timeScale = 0.5)
  p : CombiTimeTable(table = [0, 1; 1, 2; 2, 0], extrapolation = Extrapolation.Periodic, offset = {10})
  c : CombiTimeTable(table = [0, 1, 3; 1, 2, 4; 2, 0, 5], smoothness = Smoothness.ConstantSegments, columns = {3})
  ch : CombiTimeTable(table = [0, 1, 3; 1, 2, 4; 2, 0, 5], smoothness = Smoothness.ConstantSegments, columns = {3}, extrapolation = Extrapolation.HoldLastPoint)
  :simulate until 3 points 12
  assert t.y == 1, "before the start" at 0.25
  assert abs(t.y - 3.5) < 1e-12, "shifted by startTime" at 2
  assert abs(t.y - 5) < 1e-12, "level end"
  assert abs(l.y[1] + 2) < 1e-12 and abs(l.y[2] - 11) < 1e-12, "straight on beyond the end"
  assert abs(h.y[1] - 1) < 1e-12, "scaled time" at 0.75
  assert h.y[1] == 0, "held"
  assert abs(p.y[1] - 11.5) < 1e-12, "periodic" at 2.5
  assert c.y[1] == 3, "steps" at 0.75
  assert c.y[1] == 4, "steps" at 1.25
  assert c.y[1] == 5 and ch.y[1] == 5, "the last step" at 2
  assert abs(c.y[1] - 6) < 1e-12 and ch.y[1] == 5, "beyond it along the line through the last two rows, or held"
end

test "fastest motion: the distance, the largest speed, the time"
  long : KinematicPTP(deltaq = {3, -1.5}, qd_max = {1, 2}, qdd_max = {1, 1}, startTime = 0.5)
  short : KinematicPTP(deltaq = {0.25})
  none : KinematicPTP(deltaq = {0, 0})
  v1 : Integrator
  q1 : Integrator
  q2 : Integrator
  v2 : Integrator
  v3 : Integrator
  q3 : Integrator
  connect long.y[1], v1.u
  connect v1.y, q1.u
  connect long.y[2], v2.u
  connect v2.y, q2.u
  connect short.y[1], v3.u
  connect v3.y, q3.u
  :simulate until 5 tol 1e-10 step 0.01
  assert abs(q1.y - 3) < 1e-4 and abs(v1.y) < 1e-4, "3 in the first axis"
  assert none.y[1] == 0 and none.y[2] == 0, "nowhere to go"
  assert abs(q2.y + 1.5) < 1e-4, "-1.5 in the second, together"
  assert abs(v1.y - 1) < 1e-4, "at the speed limit" at 2
  assert abs(q1.y - 3) > 1e-3, "still moving at 4.4 s" at 4.4
  assert abs(q3.y - 0.25) < 1e-4 and abs(v3.y) < 1e-4, "no cruise: 2*sqrt(d/a) = 1 s" at 1.05
  assert abs(v3.y - 0.5) < 1e-4, "peak speed" at 0.5
end
