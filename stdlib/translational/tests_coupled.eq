// translational/tests_coupled.eq: classes whose use couples or differentiates states, against closed forms.

test "two masses with a rod between them move as one"
  g : ConstantForce(f_constant = 6)
  ma : Mass(m = 1)
  r : Rod(L = 0.5)
  mb : Mass(m = 2, s(start = 0, fixed), v(start = 0, fixed))
  connect g.flange, ma.flange_a
  connect ma.flange_b, r.flange_a
  connect r.flange_b, mb.flange_a
  :simulate until 2 tol 1e-9
  assert abs(mb.s - 4) < 1e-7 and abs(ma.s - 3.5) < 1e-7 and abs(r.flange_a.f - 4) < 1e-7, "common acceleration, force in the rod"
end

test "dampers: decay to the common speed, damped oscillation, losses as heat"
  ma : Mass(m = 1, s(start = 0, fixed), v(start = 4, fixed))
  d : Damper(d = 1.5, useHeatPort = true)
  mb : Mass(m = 3, s(start = 0, fixed), v(start = 0, fixed))
  body : thermal.HeatCapacitor(C = 2, T(start = 300, fixed))
  f : Fixed
  sd : SpringDamper(c = 10, d = 4, s_rel0 = 0.5)
  m : Mass(m = 2, s(start = 1.5, fixed), v(start = 0, fixed))
  connect ma.flange_b, d.flange_a
  connect d.flange_b, mb.flange_a
  connect d.heatPort, body.port
  connect f.flange, sd.flange_a
  connect sd.flange_b, m.flange_a
  :simulate until 2 tol 1e-10
  assert abs(d.v_rel + 4 * exp(-4)) < 1e-7 and abs(ma.v + 3 * mb.v - 4) < 1e-7, "d*(1/ma + 1/mb); momentum"
  assert abs(body.T - 300 - 0.5 * 0.5 * 0.75 * 16 * (1 - exp(-8))) < 1e-6, "lost energy"
  assert abs(m.s - 0.5 - exp(-2) * (cos(4) + sin(4) / 2)) < 1e-7, "poles at -1 +- 2j"
end

test "relative states and sensors; force between two masses"
  ma : Mass(m = 1)
  c : Spring(c = 3)
  x : RelativeStates(s_rel(start = 0.4, fixed), v_rel(start = 0, fixed))
  mb : Mass(m = 3, s(start = 0.4, fixed), v(start = 0, fixed))
  v : RelSpeedSensor
  a : RelAccSensor
  connect ma.flange_b, c.flange_a, x.flange_a, v.flange_a, a.flange_a
  connect c.flange_b, mb.flange_a, x.flange_b, v.flange_b, a.flange_b
  mc : Mass(m = 1, s(start = 0, fixed), v(start = 0, fixed))
  g : Force2
  md : Mass(m = 3, s(start = 0, fixed), v(start = 0, fixed))
  g.f = 6
  connect mc.flange_b, g.flange_a
  connect g.flange_b, md.flange_a
  :simulate until 3 tol 1e-10
  assert abs(x.s_rel - 0.4 * cos(6)) < 1e-7 and abs(v.v_rel + 0.8 * sin(6)) < 1e-6 and abs(a.a_rel + 1.6 * cos(6)) < 1e-6, "w = sqrt(c/ma + c/mb)"
  assert abs(md.v - 6) < 1e-6 and abs(mc.v + 18) < 1e-6, "equal and opposite"
end

test "forced motions, exact: the force is m*a"
  s : Speed(exact = true)
  m1 : Mass(m = 2)
  p : Position(exact = true)
  m2 : Mass(m = 2)
  q : Accelerate
  m3 : Mass(m = 2)
  s.v_ref = sin(2 * time)
  p.s_ref = sin(2 * time)
  q.a_ref = 6 * time
  connect s.flange, m1.flange_a
  connect p.flange, m2.flange_a
  connect q.flange, m3.flange_a
  :simulate until 2 tol 1e-9
  assert abs(m1.flange_a.f - 4 * cos(4)) < 1e-6 and abs(m1.s - (1 - cos(4)) / 2) < 1e-6, "speed"
  assert abs(m2.flange_a.f + 8 * sin(4)) < 1e-6, "position"
  assert abs(m3.flange_a.f - 24) < 1e-6 and abs(m3.s - 8) < 1e-6, "acceleration"
end
