// electrical/tests.eq: each class against a closed form.

test "a voltage divider, its meters and its losses"
  s : ConstantVoltage(V = 10)
  r1 : Resistor(R = 2)
  r2 : Conductor(G = 1 / 3)
  g : Ground
  phi : PotentialSensor
  u : VoltageSensor
  a : CurrentSensor
  w : PowerSensor
  m : MultiSensor
  connect s.p, a.p
  connect a.n, w.pc, w.pv
  connect w.nc, m.pc, m.pv
  connect m.nc, r1.p, u.p
  connect r1.n, u.n, r2.p, phi.p
  connect r2.n, s.n, w.nv, m.nv, g.p
  :simulate until 1
  assert abs(phi.phi - 6) < 1e-12 and abs(u.v - 4) < 1e-12 and abs(a.i - 2) < 1e-12, "10 V over 2 and 3 Ohm"
  assert abs(w.power - 20) < 1e-12 and abs(m.power - 20) < 1e-12 and abs(m.v - 10) < 1e-12 and abs(m.i - 2) < 1e-12, "power"
  assert abs(r1.LossPower - 8) < 1e-12 and abs(r2.LossPower - 12) < 1e-12, "losses"
end

test "a capacitor charges through a resistor, a current builds up in an inductor"
  s : StepVoltage(V = 5)
  r : Resistor(R = 1 [kOhm])
  c : Capacitor(C = 1 [uF], v(start = 1, fixed))
  b : Resistor(R = 4)
  l : Inductor(L = 8 [mH], i(start = 0, fixed))
  g : Ground
  connect s.p, r.p, b.p
  connect r.n, c.p
  connect b.n, l.p
  connect s.n, c.n, l.n, g.p
  :simulate until 3 [ms] tol 1e-9
  assert abs(c.v - (5 - 4 * exp(-3))) < 1e-6, "V - (V - v0)*exp(-t/(R*C))"
  assert abs(l.i - 1.25 * (1 - exp(-1.5))) < 1e-6, "V/R*(1 - exp(-R*t/L))"
end

test "a damped resonant circuit"
  r : Resistor(R = 2)
  l : Inductor(L = 1, i(start = 0, fixed))
  c : Capacitor(C = 0.2, v(start = 1, fixed))
  g : Ground
  connect c.p, r.p
  connect r.n, l.p
  connect l.n, c.n, g.p
  :simulate until 4 tol 1e-10
  assert abs(c.v - exp(-4) * (cos(8) + sin(8) / 2)) < 1e-7, "poles at -1 +- 2j"
end

test "a resistor heats a body; its resistance grows with the temperature"
  s : ConstantVoltage(V = 10)
  r : Resistor(R = 5, alpha = 0.01, T_ref = 300, useHeatPort = true)
  q : Conductor(G = 0.2, useHeatPort = true)
  body1 : thermal.HeatCapacitor(C = 2, T(start = 300, fixed))
  body2 : thermal.HeatCapacitor(C = 2, T(start = 300, fixed))
  g : Ground
  connect s.p, r.p, q.p
  connect s.n, r.n, q.n, g.p
  connect r.heatPort, body1.port
  connect q.heatPort, body2.port
  :simulate until 10 tol 1e-10
  assert abs(body1.T - 300 - 100 * (sqrt(1 + 2 * 0.01 * 100) - 1)) < 1e-5, "dT + alpha*dT^2/2 = V^2*t/(R*C)"
  assert abs(body2.T - 400) < 1e-6, "G*V^2*t/C"
  assert abs(r.R_actual - 5 * sqrt(3)) < 1e-6, "resistance"
end

test "elements with a signal for their size"
  s : ConstantVoltage(V = 6)
  i : ConstantCurrent(I = -2)
  r : VariableResistor
  y : VariableConductor
  c : VariableCapacitor(UIC = true)
  l : VariableInductor(UIC = true)
  g : Ground
  r.R = 1 + time
  y.G = time
  c.C = 1 + time
  l.L = 1 + time
  connect s.p, r.p, y.p, l.p
  connect i.p, c.p
  connect s.n, r.n, y.n, l.n, i.n, c.n, g.p
  :simulate until 2 tol 1e-9
  assert abs(r.i - 2) < 1e-12 and abs(y.i - 12) < 1e-12, "Ohm"
  assert abs(c.v - 4 / 3) < 1e-7, "v = I*t/C"
  assert abs(l.i - 4) < 1e-7, "i = V*t/L"
end

test "saturating inductor: the flux follows the voltage, the inductance is Lnom at Inom"
  s : ConstantVoltage(V = 2)
  l : SaturatingInductor(Inom = 3, Lnom = 0.5, Lzer = 1.5, Linf = 0.2, i(start = 0, fixed))
  g : Ground
  connect s.p, l.p
  connect s.n, l.n, g.p
  :simulate until 2 tol 1e-10
  assert abs(l.Psi - 4) < 1e-7, "V*t"
  assert abs(l.i - 3) < 1e-6 and abs(l.Lact - 0.5) < 1e-6, "Psi = Lnom*Inom" at 0.75
  assert abs(l.Lact - 1.5) < 1e-6, "Lzer at no current" at 0
end

test "transformers and gyrator"
  s : ConstantVoltage(V = 3)
  t : Transformer(L1 = 1, L2 = 2, M = 0.5, i1(start = 0, fixed), i2(start = 0, fixed))
  short : Short
  n : IdealTransformer(n = 4)
  rn : Resistor(R = 2)
  m : IdealTransformer(n = 4, considerMagnetization = true, Lm1 = 6)
  rm : Resistor(R = 2)
  y : Gyrator(G1 = 0.5, G2 = 0.5)
  c : Capacitor(C = 0.5, v(start = 0, fixed))
  g : Ground
  connect s.p, t.p1, n.p1, m.p1, y.p1
  connect s.n, t.n1, n.n1, m.n1, y.n1, g.p
  connect t.p2, short.p
  connect n.p2, rn.p
  connect m.p2, rm.p
  connect y.p2, c.p
  connect short.n, t.n2, rn.n, n.n2, rm.n, m.n2, c.n, y.n2, g.p
  initial m.i1 = 3 / 32
  :simulate until 2 tol 1e-9
  assert abs(t.i1 - 6 / 0.875) < 1e-6 and abs(t.i2 + 1.5 / 0.875) < 1e-6, "short-circuit inductance L1 - M^2/L2"
  assert abs(rn.v - 0.75) < 1e-12 and abs(n.i1 - 3 / 32) < 1e-12, "V/n, V/(n^2*R)"
  assert abs(m.i1 - 3 / 32 - 1) < 1e-7, "and the magnetizing current V*t/Lm1"
  assert abs(c.v - 3 * 0.5 * 2 / 0.5) < 1e-6 and abs(y.i1 - 3) < 1e-6, "a capacitor looks like an inductor C/(G1*G2)"
end

test "electric machines run up: w = V/k*(1 - exp(-k^2*t/(R*J)))"
  s : ConstantVoltage(V = 12)
  r1 : Resistor(R = 0.5)
  rot : RotationalEMF(k = 2)
  J : rotational.Inertia(J = 4, phi(start = 0, fixed), w(start = 0, fixed))
  r2 : Resistor(R = 0.5)
  lin : TranslationalEMF(k = 2)
  M : translational.Mass(m = 4, s(start = 0, fixed), v(start = 0, fixed))
  g : Ground
  connect s.p, r1.p, r2.p
  connect r1.n, rot.p
  connect r2.n, lin.p
  connect s.n, rot.n, lin.n, g.p
  connect rot.flange, J.flange_a
  connect lin.flange, M.flange_a
  :simulate until 1 tol 1e-10
  assert abs(rot.w - 6 * (1 - exp(-2))) < 1e-7 and abs(rot.phi - 6 * (1 - (1 - exp(-2)) / 2)) < 1e-7, "speed, angle"
  assert abs(rot.tauElectrical - 48 * exp(-2)) < 1e-6, "torque k*i"
  assert abs(lin.vel - rot.w) < 1e-7 and abs(lin.s - rot.phi) < 1e-7 and abs(lin.fElectrical - rot.tauElectrical) < 1e-6, "the same on a line"
end

test "the housings of electric machines take up the reaction; an open branch"
  s : ConstantVoltage(V = 12)
  r1 : Resistor(R = 0.5)
  rot : RotationalEMF(k = 2, useSupport = true)
  stator : rotational.Fixed
  J : rotational.Inertia(J = 4, phi(start = 0, fixed), w(start = 0, fixed))
  r2 : Resistor(R = 0.5)
  lin : TranslationalEMF(k = 2, useSupport = true)
  rail : translational.Fixed(s0 = 1)
  M : translational.Mass(m = 4, s(start = 1, fixed), v(start = 0, fixed))
  open : Idle
  g : Ground
  connect s.p, r1.p, r2.p, open.p
  connect r1.n, rot.p
  connect r2.n, lin.p
  connect s.n, rot.n, lin.n, open.n, g.p
  connect rot.flange, J.flange_a
  connect rot.support, stator.flange
  connect lin.flange, M.flange_a
  connect lin.support, rail.flange
  :simulate until 1 tol 1e-10
  assert abs(stator.flange.tau + 48 * exp(-2)) < 1e-6 and abs(rail.flange.f + 48 * exp(-2)) < 1e-6, "equal and opposite"
  assert abs(lin.s + 1 - M.s) < 1e-12, "relative to the rail"
  assert open.i == 0 and open.v == 12, "open branch"
end

test "controlled sources"
  s : ConstantVoltage(V = 2)
  i : ConstantCurrent(I = -3)
  vv : VCV(gain = 5)
  vc : VCC(transConductance = 0.5)
  cv : CCV(transResistance = 4)
  cc : CCC(gain = 6)
  r[4] : Resistor(R = 2)
  g : Ground
  connect s.p, vv.p1, vc.p1
  connect i.p, cv.p1
  connect cv.n1, cc.p1
  connect vv.p2, r[1].p
  connect vc.p2, r[2].p
  connect cv.p2, r[3].p
  connect cc.p2, r[4].p
  connect s.n, i.n, vv.n1, vc.n1, cc.n1, g.p
  connect vv.n2, vc.n2, cv.n2, cc.n2, g.p
  for k in 1:4
    connect r[k].n, g.p
  end
  :simulate until 1
  assert abs(r[1].v - 10) < 1e-12, "VCV"
  assert abs(r[2].v + 2) < 1e-12, "VCC: 1 A out of p2's node"
  assert abs(r[3].v - 12) < 1e-12, "CCV"
  assert abs(r[4].v + 36) < 1e-12, "CCC"
end

test "voltage sources"
  s1 : StepVoltage(V = 2, offset = 1, startTime = 1)
  s2 : RampVoltage(V = 2, duration = 2, offset = 1, startTime = 1)
  s3 : SineVoltage(V = 2, f = 0.25, phase = pi / 6, offset = 1, startTime = 1)
  s4 : CosineVoltage(V = 2, f = 0.25, startTime = 1)
  s5 : ExpSineVoltage(V = 2, f = 0.25, damping = 0.5, startTime = 1)
  s6 : PulseVoltage(V = 2, width = 25, period = 2, offset = 1, startTime = 1)
  s7 : SawToothVoltage(V = 2, period = 2, startTime = 1)
  s8 : TrapezoidVoltage(V = 2, rising = 0.5, width = 0.5, falling = 0.5, period = 2, startTime = 1)
  s9 : TableVoltage(offset = 1, startTime = 1)
  s10 : SignalVoltage
  r[10] : Resistor(R = 2)
  g : Ground
  s10.v = 3 * time
  connect s1.p, r[1].p
  connect s2.p, r[2].p
  connect s3.p, r[3].p
  connect s4.p, r[4].p
  connect s5.p, r[5].p
  connect s6.p, r[6].p
  connect s7.p, r[7].p
  connect s8.p, r[8].p
  connect s9.p, r[9].p
  connect s10.p, r[10].p
  connect s1.n, s2.n, s3.n, s4.n, s5.n, s6.n, s7.n, s8.n, s9.n, s10.n, g.p
  for k in 1:10
    connect r[k].n, g.p
  end
  :simulate until 4 points 16
  assert r[1].v == 3 and s1.i == -1.5, "step; the current leaves at p"
  assert abs(r[2].v - 2) < 1e-12, "ramp" at 2
  assert abs(r[3].v - 1 - 2 * sin(pi / 2 + pi / 6)) < 1e-12, "sine" at 2
  assert abs(r[4].v) < 1e-12, "cosine" at 2
  assert abs(r[5].v - 2 * exp(-0.5)) < 1e-12, "damped sine" at 2
  assert r[6].v == 3, "pulse" at 3.25
  assert abs(r[7].v - 1) < 1e-12, "saw tooth" at 4
  assert abs(r[8].v - 1) < 1e-12, "trapezoid" at 3.25
  assert abs(r[9].v - 3.5) < 1e-12, "table" at 2.5
  assert abs(r[10].v - 12) < 1e-12, "signal"
end

test "current sources"
  s0 : ConstantCurrent(I = 3)
  s1 : StepCurrent(I = 2, offset = 1, startTime = 1)
  s2 : RampCurrent(I = 2, duration = 2, offset = 1, startTime = 1)
  s3 : SineCurrent(I = 2, f = 0.25, phase = pi / 6, offset = 1, startTime = 1)
  s4 : CosineCurrent(I = 2, f = 0.25, startTime = 1)
  s5 : ExpSineCurrent(I = 2, f = 0.25, damping = 0.5, startTime = 1)
  s6 : PulseCurrent(I = 2, width = 25, period = 2, offset = 1, startTime = 1)
  s7 : SawToothCurrent(I = 2, period = 2, startTime = 1)
  s8 : TrapezoidCurrent(I = 2, rising = 0.5, width = 0.5, falling = 0.5, period = 2, startTime = 1)
  s9 : TableCurrent(offset = 1, startTime = 1)
  s10 : SignalCurrent
  r[11] : Resistor(R = 2)
  g : Ground
  s10.i = 3 * time
  connect s1.p, r[1].p
  connect s2.p, r[2].p
  connect s3.p, r[3].p
  connect s4.p, r[4].p
  connect s5.p, r[5].p
  connect s6.p, r[6].p
  connect s7.p, r[7].p
  connect s8.p, r[8].p
  connect s9.p, r[9].p
  connect s10.p, r[10].p
  connect s0.p, r[11].p
  connect s0.n, s1.n, s2.n, s3.n, s4.n, s5.n, s6.n, s7.n, s8.n, s9.n, s10.n, g.p
  for k in 1:11
    connect r[k].n, g.p
  end
  :simulate until 4 points 16
  assert abs(r[11].v + 6) < 1e-12, "constant; the current comes out at n"
  assert abs(r[1].v + 6) < 1e-12, "step"
  assert abs(r[2].v + 4) < 1e-12, "ramp" at 2
  assert abs(r[3].v + 2 + 4 * sin(pi / 2 + pi / 6)) < 1e-12, "sine" at 2
  assert abs(r[4].v) < 1e-12, "cosine" at 2
  assert abs(r[5].v + 4 * exp(-0.5)) < 1e-12, "damped sine" at 2
  assert abs(r[6].v + 6) < 1e-12, "pulse" at 3.25
  assert abs(r[7].v + 2) < 1e-12, "saw tooth" at 4
  assert abs(r[8].v + 2) < 1e-12, "trapezoid" at 3.25
  assert abs(r[9].v + 7) < 1e-12, "table" at 2.5
  assert abs(r[10].v + 24) < 1e-12, "signal"
end

test "sources of variable frequency: a frequency that grows gives a chirp"
  s : SineVoltageVariableFrequencyAndAmplitude(phi(fixed))
  c : CosineVoltageVariableFrequencyAndAmplitude(useConstantAmplitude = true, constantAmplitude = 3,
    useConstantFrequency = true, constantFrequency = 0.5, offset = 1, phi(fixed))
  i : SineCurrentVariableFrequencyAndAmplitude(useConstantAmplitude = true, useConstantFrequency = true, phi(fixed))
  j : CosineCurrentVariableFrequencyAndAmplitude(useConstantAmplitude = true, phi(fixed))
  r[4] : Resistor(R = 2)
  g : Ground
  s.V = 2
  s.f = time
  j.f = time
  connect s.p, r[1].p
  connect c.p, r[2].p
  connect i.p, r[3].p
  connect j.p, r[4].p
  connect s.n, c.n, i.n, j.n, g.p
  for k in 1:4
    connect r[k].n, g.p
  end
  :simulate until 1.5 tol 1e-10
  assert abs(r[1].v - 2 * sin(2.25 * pi)) < 1e-7, "phi = pi*t^2"
  assert abs(r[2].v - 1 - 3 * cos(1.5 * pi)) < 1e-7, "constant frequency"
  assert abs(r[3].v + 2 * sin(3 * pi)) < 1e-7, "current"
  assert abs(r[4].v + 2 * cos(2.25 * pi)) < 1e-7, "current chirp"
end

test "diodes: the exponential, its tangent, the Zener knee, the temperature"
  s : RampVoltage(V = 10, duration = 10, offset = -5)
  d : Diode(Ids = 1e-9, Vt = 0.05, Maxexp = 15, R = 1e6)
  z : ZDiode(Ids = 1e-9, Vt = 0.05, Bv = 3, Ibv = 0.1, Nbv = 0.8, R = 1e6)
  h : Diode(Ids = 1e-9, useTemperatureDependency = true, TNOM = 300, R = 1e6)
  bath : thermal.FixedTemperature(T = 300)
  g : Ground
  connect s.p, d.p, z.p, h.p
  connect s.n, d.n, z.n, h.n, g.p
  connect h.heatPort, bath.port
  :simulate until 10 points 1000
  assert abs(d.i - (1e-9 * (exp(10) - 1) + 5e-7)) < 1e-12, "0.5 V" at 5.5
  assert abs(d.i - (1e-9 * (exp(15) * (1 + 40 - 15) - 1) + 2e-6)) < 1e-9, "2 V, on the tangent" at 7
  assert abs(z.i - (1e-9 * (exp(10) - 1) + 5e-7)) < 1e-12, "forward" at 5.5
  assert abs(z.i - (-1e-9 - 0.1 * exp(0.5 / 0.04) - 3.5e-6)) < 1e-6, "-3.5 V, in breakthrough" at 1.5
  assert abs(z.i - (-1e-9 - 0.1 * exp(-0.5 / 0.04) - 2.5e-6)) < 1e-12, "-2.5 V, before it" at 2.5
  assert abs(h.vt_t - 0.025852) < 1e-6 and abs(h.i - (1e-9 * (exp(0.25 / h.vt_t) - 1) + 2.5e-7)) < 1e-12, "thermal voltage at 300 K" at 5.25
end

test "bipolar transistors at rest: Ebers-Moll currents with Early effect"
  model N = NPN(Vak = 0.02, final Ccs = 0, final Cje = 0, final Cjc = 0, final Tauf = 0, final Taur = 0)
  model P = PNP(Vak = 0.02, final Ccs = 0, final Cje = 0, final Cjc = 0, final Tauf = 0, final Taur = 0)
  vb : ConstantVoltage(V = 0.65)
  vc : ConstantVoltage(V = 5)
  n : N
  p : P
  ub : ConstantVoltage(V = -0.65)
  uc : ConstantVoltage(V = -5)
  g : Ground
  connect vb.p, n.B
  connect vc.p, n.C
  connect ub.p, p.B
  connect uc.p, p.C
  connect vb.n, vc.n, ub.n, uc.n, n.E, p.E, g.p
  :simulate until 1
  assert abs(n.C.i / (1e-16 * exp(0.65 / 0.02585) * (1 + 4.35 * 0.02)) - 1) < 1e-6, "collector current"
  assert abs(n.B.i / (1e-16 * exp(0.65 / 0.02585) / 50) - 1) < 1e-6, "base current"
  assert abs(n.E.i + n.B.i + n.C.i) < 1e-15, "balance"
  assert abs(p.C.i + n.C.i) < 1e-12 and abs(p.B.i + n.B.i) < 1e-12, "PNP: the same, turned round"
end

test "stored base charge: the collector current rises with the time constant Bf*Tauf"
  model N = NPN(Vak = 0, Bf = 100, Tauf = 1e-6, Gbe = 0, final Ccs = 0, final Cje = 0, final Cjc = 0, final Taur = 0,
    vbe(start = 0.3, fixed))
  ib : ConstantCurrent(I = -1e-5)
  vc : ConstantVoltage(V = 5)
  n : N
  g : Ground
  connect ib.p, n.B
  connect vc.p, n.C
  connect ib.n, vc.n, n.E, g.p
  :simulate until 1e-4 tol 1e-10
  assert abs(n.C.i - 1e-3 * (1 - exp(-1))) < 1e-8, "Bf*ib*(1 - exp(-t/(Bf*Tauf)))"
end

test "field-effect transistors: off, triode, saturation, and the same turned round"
  vg : RampVoltage(V = 5, duration = 5)
  vd : ConstantVoltage(V = 2)
  n : NMOS(K5 = 1, RDS = 1e9)
  m : NMOS(K5 = 1, RDS = 1e9)
  ug : RampVoltage(V = -5, duration = 5)
  ud : ConstantVoltage(V = -2)
  p : PMOS(Beta = 0.041e-3, Vt = -0.8, dL = -1.5e-6, K5 = 1, RDS = 1e9)
  g : Ground
  connect vg.p, n.G, m.G
  connect vd.p, n.D, m.S
  connect ug.p, p.G
  connect ud.p, p.D
  connect vg.n, vd.n, ug.n, ud.n, n.S, n.B, m.D, m.B, p.S, p.B, g.p
  variable beta : A/V^2 = 0.041e-3 * 17.5 / 4.5
  :simulate until 5 points 500
  assert abs(n.D.i - 2e-9) < 1e-15, "off: only RDS" at 0.5
  assert abs(n.D.i - beta * 1.2^2 / 2 - 2e-9) < 1e-12, "saturation" at 2
  assert abs(n.D.i - beta * 2 * (3.2 - 1) - 2e-9) < 1e-12, "triode" at 4
  assert abs(m.S.i - n.D.i) < 1e-15 and abs(p.D.i + n.D.i) < 1e-15, "drain and source are by polarity; PMOS" at 4
end

test "operational amplifiers: inverting amplifier by four models"
  s : SineVoltage(V = 1, f = 1)
  a1 : IdealOpAmp3Pin
  a2 : IdealOpAmp
  a3 : IdealizedOpAmpLimited(V0 = 1e6, Vps = 8, Vns = -8)
  a4 : IdealOpAmpLimited
  a5 : IdealizedOpAmpLimited(V0 = 1e6, Vps = 8, Vns = -8, strict = false, homotopyType = blocks.LimiterHomotopy.Linear)
  vp : ConstantVoltage(V = 8)
  vn : ConstantVoltage(V = -8)
  r[5] : Resistor(R = 1)
  f[5] : Resistor(R = 10)
  g : Ground
  for k in 1:5
    connect s.p, r[k].p
    connect r[k].n, f[k].p
  end
  connect f[1].p, a1.in_n
  connect f[1].n, a1.out
  connect f[2].p, a2.n1
  connect f[2].n, a2.p2
  connect f[3].p, a3.in_n
  connect f[3].n, a3.out
  connect f[4].p, a4.in_n
  connect f[4].n, a4.out
  connect f[5].p, a5.in_n
  connect f[5].n, a5.out
  connect vp.p, a4.VMax
  connect vn.p, a4.VMin
  connect s.n, a1.in_p, a2.p1, a2.n2, a3.in_p, a4.in_p, a5.in_p, vp.n, vn.n, g.p
  :simulate until 1 points 12
  assert abs(a1.out.v + 5) < 1e-9 and abs(a2.p2.v + 5) < 1e-9 and abs(a3.out.v + 5) < 1e-3 and abs(a4.out.v + 5) < 1e-9, "gain -10 at sin(30 deg)" at 1 / 12
  assert abs(a1.out.v + 10) < 1e-9, "no limit" at 0.25
  assert abs(a3.out.v + 8) < 1e-9 and abs(a4.out.v + 8) < 1e-9, "limited" at 0.25
  assert abs(a3.out.v - 8) < 1e-9 and abs(a4.out.v - 8) < 1e-9, "limited below" at 0.75
  assert abs(a5.out.v - a3.out.v) < 1e-9, "with events" at 0.75
  assert abs(a5.out.v - a3.out.v) < 1e-9, "with events" at 0.5
  assert abs(a3.i_s - (-8 * a3.out.i) / 16) < 1e-9, "supply current" at 0.75
end

test "cuts change no value: a ladder of three dividers, plain and torn"
  model Ladder
    s : ConstantVoltage(V = 21)
    r[6] : Resistor(R = {1, 2, 1, 2, 1, 1})
    g : Ground
    connect s.p, r[1].p
    connect r[2].p, r[3].p
    connect r[4].p, r[5].p
    connect s.n, r[2].n, r[4].n, r[6].n, g.p
  end
  model Plain extends Ladder
    connect r[1].n, r[2].p
    connect r[3].n, r[4].p
    connect r[5].n, r[6].p
  end
  model Mesh extends Ladder
    c[3] : MeshCut
    for k in 1:3
      connect r[2 * k - 1].n, c[k].p
      connect c[k].n, r[2 * k].p
    end
  end
  model Node extends Plain
    c[3] : NodeCut
    for k in 1:3
      connect c[k].p, r[2 * k].p
    end
  end
  model Torn extends Ladder
    c : TearCut
    connect r[1].n, c.p
    connect c.n, r[2].p
    connect r[3].n, r[4].p
    connect r[5].n, r[6].p, c.res
  end
  a : Plain
  b : Mesh
  c : Node
  d : Torn
  :simulate until 1
  assert abs(a.s.i + 10.5) < 1e-9 and abs(a.r[6].v - 2.625) < 1e-9, "21 V into 2 Ohm, halved three times"
  assert abs(b.r[6].v - a.r[6].v) + abs(c.r[6].v - a.r[6].v) + abs(d.r[6].v - a.r[6].v) < 1e-9, "the same"
end
