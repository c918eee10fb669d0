// translational/tests.eq: each class against a closed form. (Rigidly coupled masses, dampers and relative sensors: tests_coupled.eq.)

test "constant, stepped and signalled forces accelerate a mass"
  g1 : ConstantForce(f_constant = 6)
  m1 : Mass(m = 2, s(start = 1, fixed), v(start = -1, fixed))
  g2 : ForceStep(stepForce = 4, offsetForce = 2, startTime = 0)
  m2 : Mass(m = 2, s(start = 0, fixed), v(start = 0, fixed))
  g3 : Force
  m3 : Mass(m = 2, L = 0.5, s(start = 0, fixed), v(start = 0, fixed))
  g3.f = 12 * time
  connect g1.flange, m1.flange_a
  connect g2.flange, m2.flange_b
  connect g3.flange, m3.flange_a
  :simulate until 2 tol 1e-9
  assert abs(m1.v - 5) < 1e-7 and abs(m1.s - 5) < 1e-7 and abs(m1.a - 3) < 1e-12 and g1.f == -6, "v0 + f*t/m"
  assert abs(m2.v - 6) < 1e-7, "step"
  assert abs(m3.v - 12) < 1e-7 and abs(m3.flange_b.s - 8.25) < 1e-7, "signal; the flange is half a length ahead"
end

test "masses on springs, a rod between springs"
  f1 : Fixed(s0 = 0.5)
  c1 : Spring(c = 8, s_rel0 = 0.25)
  m1 : Mass(m = 2, s(start = 1.75, fixed), v(start = 0, fixed))
  ma : Mass(m = 1, s(start = 0, fixed), v(start = 0, fixed))
  c2 : Spring(c = 3)
  mb : Mass(m = 3, s(start = 0.4, fixed), v(start = 0, fixed))
  f2 : Fixed
  c3 : Spring(c = 16)
  r : Rod(L = 0.25)
  c4 : Spring(c = 16)
  m2 : Mass(m = 2, s(start = 1.25, fixed), v(start = 0, fixed))
  connect f1.flange, c1.flange_a
  connect c1.flange_b, m1.flange_a
  connect ma.flange_b, c2.flange_a
  connect c2.flange_b, mb.flange_a
  connect f2.flange, c3.flange_a
  connect c3.flange_b, r.flange_a
  connect r.flange_b, c4.flange_a
  connect c4.flange_b, m2.flange_a
  :simulate until 3 tol 1e-10
  assert abs(m1.s - 0.75 - cos(6)) < 1e-7 and abs(c1.f - 8 * cos(6)) < 1e-6, "w = sqrt(c/m)"
  assert abs(c2.s_rel - 0.4 * cos(6)) < 1e-7 and abs(ma.s + 3 * mb.s - 1.2) < 1e-7, "w = sqrt(c/ma + c/mb)"
  assert abs(m2.s - 0.25 - cos(6)) < 1e-7, "springs in series, the rod's length added"
end

test "speed-dependent loads"
  m1 : Mass(m = 2, s(start = 0, fixed), v(start = 10, fixed))
  l1 : LinearSpeedDependentForce(f_nominal = -4, v_nominal = 5, ForceDirection = false)
  m2 : Mass(m = 2, s(start = 0, fixed), v(start = -10, fixed))
  l2 : QuadraticSpeedDependentForce(f_nominal = -4, v_nominal = 5, ForceDirection = false)
  connect m1.flange_b, l1.flange
  connect m2.flange_b, l2.flange
  :simulate until 3 tol 1e-10
  assert abs(m1.v - 10 * exp(-1.2)) < 1e-7, "v' = -d/m*v"
  assert abs(m2.v + 10 / (1 + 10 * 0.08 * 3)) < 1e-7, "v' = -k*v*|v|"
end

test "forced motions, filtered; a housing takes up the force"
  p : Position(f_crit = 20, useSupport = true)
  h : Fixed
  c1 : Spring(c = 4)
  f : Fixed
  s : Speed(f_crit = 20 / (2 * pi))
  c2 : Spring(c = 4)
  k : ConstantSpeed(v_fixed = 3, s(start = 1, fixed))
  c3 : Spring(c = 4)
  p.s_ref = 2 + time
  s.v_ref = 3 * time
  connect p.flange, c1.flange_b
  connect p.support, h.flange
  connect s.flange, c2.flange_b
  connect k.flange, c3.flange_b
  connect f.flange, c1.flange_a, c2.flange_a, c3.flange_a
  :simulate until 2 tol 1e-9
  assert abs(c1.f - 4 * (4 - 1.3617 / (40 * pi))) < 1e-4, "a ramp is followed af/w_crit late"
  assert abs(h.flange.f + c1.f) < 1e-9, "housing"
  assert abs(s.v - 3 * (2 - (1 - exp(-40)) / 20)) < 1e-6, "a ramp of speed 1/w_crit late"
  assert abs(c3.f - 28) < 1e-6, "constant speed"
end

test "sensors"
  g : ConstantForce(f_constant = 6)
  t : ForceSensor
  p : PowerSensor
  q : MultiSensor
  m : Mass(m = 2, s(start = 0, fixed), v(start = 0, fixed))
  s : PositionSensor
  v : SpeedSensor
  a : AccSensor
  rel : RelPositionSensor
  f : Fixed(s0 = 1)
  connect g.flange, t.flange_a
  connect t.flange_b, p.flange_a
  connect p.flange_b, q.flange_a
  connect q.flange_b, m.flange_a
  connect m.flange_b, s.flange, v.flange, a.flange, rel.flange_a
  connect rel.flange_b, f.flange
  :simulate until 2 tol 1e-9
  assert abs(s.s - 6) < 1e-7 and abs(v.v - 6) < 1e-7 and abs(a.a - 3) < 1e-9, "motion"
  assert abs(t.f - 6) < 1e-12 and abs(p.power - 36) < 1e-6 and abs(q.power - 36) < 1e-6 and abs(q.v - 6) < 1e-7, "force and power"
  assert abs(rel.s_rel + 5) < 1e-7, "relative position"
end
