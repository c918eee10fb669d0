// rotational/tests.eq: each class against a closed form. (Rigidly coupled inertias, dampers and relative sensors: tests_coupled.eq.)

test "a constant torque, a step and a signal accelerate an inertia"
  m1 : ConstantTorque(tau_constant = 6)
  j1 : Inertia(J = 2, phi(start = 1, fixed), w(start = -1, fixed))
  m2 : TorqueStep(stepTorque = 4, offsetTorque = 2, startTime = 0)
  j2 : Inertia(J = 2, phi(start = 0, fixed), w(start = 0, fixed))
  m3 : Torque
  j3 : Inertia(J = 2, phi(start = 0, fixed), w(start = 0, fixed))
  m3.tau = 12 * time
  connect m1.flange, j1.flange_a
  connect m2.flange, j2.flange_b
  connect m3.flange, j3.flange_a
  :simulate until 2 tol 1e-9
  assert abs(j1.w - 5) < 1e-7 and abs(j1.phi - 5) < 1e-7 and abs(j1.a - 3) < 1e-12, "w0 + tau*t/J"
  assert abs(m1.w - j1.w) < 1e-12 and abs(m1.phi - j1.phi) < 1e-12 and m1.tau == 6, "seen from the source"
  assert abs(j2.w - 6) < 1e-7, "step"
  assert abs(j3.w - 12) < 1e-7 and abs(j3.phi - 8) < 1e-7, "signal"
end

test "a spring pendulum, two inertias on a spring, a disc between springs"
  f1 : Fixed(phi0 = 0.5)
  c1 : Spring(c = 8, phi_rel0 = 0.25)
  j1 : Inertia(J = 2, phi(start = 1.75, fixed), w(start = 0, fixed))
  ja : Inertia(J = 1, phi(start = 0, fixed), w(start = 0, fixed))
  c2 : Spring(c = 3)
  jb : Inertia(J = 3, phi(start = 0.4, fixed), w(start = 0, fixed))
  f2 : Fixed
  c3 : Spring(c = 16)
  d : Disc(deltaPhi = 0.25)
  c4 : Spring(c = 16)
  j2 : Inertia(J = 2, phi(start = 1.25, fixed), w(start = 0, fixed))
  connect f1.flange, c1.flange_a
  connect c1.flange_b, j1.flange_a
  connect ja.flange_b, c2.flange_a
  connect c2.flange_b, jb.flange_a
  connect f2.flange, c3.flange_a
  connect c3.flange_b, d.flange_a
  connect d.flange_b, c4.flange_a
  connect c4.flange_b, j2.flange_a
  :simulate until 3 tol 1e-10
  assert abs(j1.phi - 0.75 - cos(6)) < 1e-7, "w = sqrt(c/J)"
  assert abs(c1.tau - 8 * cos(6)) < 1e-6, "torque"
  assert abs(c2.phi_rel - 0.4 * cos(6)) < 1e-7, "w = sqrt(c/Ja + c/Jb)"
  assert abs(ja.phi + 3 * jb.phi - 1.2) < 1e-7, "momentum"
  assert abs(j2.phi - 0.25 - cos(6)) < 1e-7, "springs in series, the disc's angle added"
end

test "gears turn a spring into a softer one"
  j1 : Inertia(J = 2, phi(start = 1, fixed), w(start = 0, fixed))
  gear : IdealGear(ratio = 3)
  c1 : Spring(c = 72)
  f : Fixed
  connect j1.flange_b, gear.flange_a
  connect gear.flange_b, c1.flange_a
  connect c1.flange_b, f.flange
  j2 : Inertia(J = 2, phi(start = 1, fixed), w(start = 0, fixed))
  planet : IdealPlanetary(ratio = 2)
  c2 : Spring(c = 72)
  connect j2.flange_b, planet.sun
  connect planet.ring, f.flange
  connect planet.carrier, c2.flange_a
  connect c2.flange_b, f.flange
  j3 : Inertia(J = 2, phi(start = 1, fixed), w(start = 0, fixed))
  rack : IdealGearR2T(ratio = 3)
  c3 : translational.Spring(c = 72)
  j4 : Inertia(J = 2, phi(start = 1, fixed), w(start = 0, fixed))
  wheel : IdealRollingWheel(radius = 0.5)
  c4 : translational.Spring(c = 32)
  t : translational.Fixed
  connect j3.flange_b, rack.flangeR
  connect rack.flangeT, c3.flange_a
  connect j4.flange_b, wheel.flangeR
  connect wheel.flangeT, c4.flange_a
  connect c3.flange_b, c4.flange_b, t.flange
  :simulate until 3 tol 1e-10
  assert abs(j1.phi - cos(6)) < 1e-7 and abs(gear.phi_b - cos(6) / 3) < 1e-7, "c/ratio^2"
  assert abs(j2.phi - cos(6)) < 1e-7, "ring fixed: ratio 1 + 2"
  assert abs(j3.phi - cos(6)) < 1e-7, "pinion and rack"
  assert abs(j4.phi - cos(6)) < 1e-7, "wheel"
end

test "housings take up torques"
  fixed1 : Fixed
  fixed2 : Fixed
  m : Torque(useSupport = true)
  gear : IdealGear(ratio = 3, useSupport = true)
  j : Inertia(J = 2, phi(start = 0, fixed), w(start = 0, fixed))
  c : Spring(c = 5)
  f : Fixed
  m.tau = 7
  connect m.flange, j.flange_a
  connect m.support, fixed1.flange
  connect j.flange_b, gear.flange_a
  connect gear.support, fixed2.flange
  connect gear.flange_b, c.flange_a
  connect c.flange_b, f.flange
  :simulate until 1
  assert abs(fixed1.flange.tau + 7) < 1e-9, "of the motor"
  assert abs(fixed2.flange.tau - (gear.flange_a.tau + gear.flange_b.tau)) < 1e-12 and abs(gear.flange_b.tau + 3 * gear.flange_a.tau) < 1e-12, "of the gear"
end

test "speed-dependent loads"
  j1 : Inertia(J = 2, phi(start = 0, fixed), w(start = 10, fixed))
  l1 : LinearSpeedDependentTorque(tau_nominal = -4, w_nominal = 5, TorqueDirection = false)
  j2 : Inertia(J = 2, phi(start = 0, fixed), w(start = -10, fixed))
  l2 : QuadraticSpeedDependentTorque(tau_nominal = -4, w_nominal = 5, TorqueDirection = false)
  connect j1.flange_b, l1.flange
  connect j2.flange_b, l2.flange
  :simulate until 3 tol 1e-10
  assert abs(j1.w - 10 * exp(-1.2)) < 1e-7, "w' = -d/J*w"
  assert abs(j2.w + 10 / (1 + 10 * 0.08 * 3)) < 1e-7, "w' = -k*w*|w|"
end

test "forced motions, filtered"
  p : Position(f_crit = 20)
  c1 : Spring(c = 4)
  f : Fixed
  s : Speed(f_crit = 20 / (2 * pi))
  c2 : Spring(c = 4)
  k : ConstantSpeed(w_fixed = 3, phi(start = 1, fixed))
  c3 : Spring(c = 4)
  p.phi_ref = 2 + time
  s.w_ref = 3 * time
  connect p.flange, c1.flange_b
  connect s.flange, c2.flange_b
  connect k.flange, c3.flange_b
  connect f.flange, c1.flange_a, c2.flange_a, c3.flange_a
  :simulate until 2 tol 1e-9
  assert abs(c1.tau - 4 * (4 - 1.3617 / (40 * pi))) < 1e-4, "a ramp is followed af/w_crit late"
  assert abs(s.w - 3 * (2 - (1 - exp(-40)) / 20)) < 1e-6, "a ramp of speed 1/w_crit late"
  assert abs(c3.tau - 28) < 1e-6, "constant speed"
end

test "sensors"
  m : ConstantTorque(tau_constant = 6)
  t : TorqueSensor
  p : PowerSensor
  q : MultiSensor
  j : Inertia(J = 2, phi(start = 0, fixed), w(start = 0, fixed))
  phi : AngleSensor
  w : SpeedSensor
  a : AccSensor
  rel : RelAngleSensor
  f : Fixed(phi0 = 1)
  connect m.flange, t.flange_a
  connect t.flange_b, p.flange_a
  connect p.flange_b, q.flange_a
  connect q.flange_b, j.flange_a
  connect j.flange_b, phi.flange, w.flange, a.flange, rel.flange_a
  connect rel.flange_b, f.flange
  :simulate until 2 tol 1e-9
  assert abs(phi.phi - 6) < 1e-7 and abs(w.w - 6) < 1e-7 and abs(a.a - 3) < 1e-9, "motion"
  assert abs(t.tau - 6) < 1e-12 and abs(p.power - 36) < 1e-6 and abs(q.power - 36) < 1e-6 and abs(q.w - 6) < 1e-7, "torque and power"
  assert abs(rel.phi_rel + 5) < 1e-7, "relative angle"
end
