// rotational/tests_coupled.eq: classes whose use couples or differentiates states, against closed forms.

test "two inertias with a gear between them: ratio^2*J1 + J2"
  m : ConstantTorque(tau_constant = 6)
  j1 : Inertia(J = 0.1)
  gear : IdealGear(ratio = 10)
  j2 : Inertia(J = 2, phi(start = 0, fixed), w(start = 0, fixed))
  connect m.flange, j1.flange_a
  connect j1.flange_b, gear.flange_a
  connect gear.flange_b, j2.flange_a
  :simulate until 2 tol 1e-9
  assert abs(j2.w - 10 * 6 * 2 / 12) < 1e-7 and abs(j1.w - 10 * j2.w) < 1e-6, "w2' = i*tau/(J2 + i^2*J1)"
  assert abs(gear.flange_a.tau - (6 - 0.1 * 50)) < 1e-7, "torque in the gear"
end

test "dampers: decay to the common speed, damped oscillation, losses as heat"
  ja : Inertia(J = 1, phi(start = 0, fixed), w(start = 4, fixed))
  d : Damper(d = 1.5, useHeatPort = true)
  jb : Inertia(J = 3, phi(start = 0, fixed), w(start = 0, fixed))
  body : thermal.HeatCapacitor(C = 2, T(start = 300, fixed))
  f : Fixed
  sd : SpringDamper(c = 10, d = 4)
  j : Inertia(J = 2, phi(start = 1, fixed), w(start = 0, fixed))
  connect ja.flange_b, d.flange_a
  connect d.flange_b, jb.flange_a
  connect d.heatPort, body.port
  connect f.flange, sd.flange_a
  connect sd.flange_b, j.flange_a
  :simulate until 2 tol 1e-10
  assert abs(d.w_rel + 4 * exp(-4)) < 1e-7, "d*(1/Ja + 1/Jb)"
  assert abs(ja.w + 3 * jb.w - 4) < 1e-7, "momentum"
  assert abs(body.T - 300 - 0.5 * 0.5 * 0.75 * 16 * (1 - exp(-8))) < 1e-6, "lost energy"
  assert abs(j.phi - exp(-2) * (cos(4) + sin(4) / 2)) < 1e-7, "poles at -1 +- 2j"
  assert abs(sd.a_rel - j.a) < 1e-6, "relative acceleration"
end

test "an elastic shaft with relative states; relative sensors"
  ja : Inertia(J = 1)
  c : Spring(c = 3)
  x : RelativeStates(phi_rel(start = 0.4, fixed), w_rel(start = 0, fixed))
  jb : Inertia(J = 3, phi(start = 0.4, fixed), w(start = 0, fixed))
  w : RelSpeedSensor
  a : RelAccSensor
  connect ja.flange_b, c.flange_a, x.flange_a, w.flange_a, a.flange_a
  connect c.flange_b, jb.flange_a, x.flange_b, w.flange_b, a.flange_b
  :simulate until 3 tol 1e-10
  assert abs(x.phi_rel - 0.4 * cos(6)) < 1e-7, "w = sqrt(c/Ja + c/Jb)"
  assert abs(w.w_rel + 0.8 * sin(6)) < 1e-6 and abs(a.a_rel + 1.6 * cos(6)) < 1e-6, "speed, acceleration"
end

test "forced motions, exact: the torque is J*a"
  s : Speed(exact = true)
  j1 : Inertia(J = 2)
  p : Position(exact = true)
  j2 : Inertia(J = 2)
  q : Accelerate
  j3 : Inertia(J = 2)
  t1 : TorqueSensor
  t2 : TorqueSensor
  t3 : TorqueSensor
  s.w_ref = sin(2 * time)
  p.phi_ref = sin(2 * time)
  q.a_ref = 6 * time
  connect s.flange, t1.flange_a
  connect t1.flange_b, j1.flange_a
  connect p.flange, t2.flange_a
  connect t2.flange_b, j2.flange_a
  connect q.flange, t3.flange_a
  connect t3.flange_b, j3.flange_a
  :simulate until 2 tol 1e-9
  assert abs(t1.tau - 4 * cos(4)) < 1e-6 and abs(j1.phi - (1 - cos(4)) / 2) < 1e-6, "speed"
  assert abs(t2.tau + 8 * sin(4)) < 1e-6, "position"
  assert abs(t3.tau - 24) < 1e-6 and abs(j3.phi - 8) < 1e-6, "acceleration"
end

test "a flange starts at given angle and speed"
  j : Inertia(J = 2)
  start : InitializeFlange(use_a_start = false)
  start.phi_start = 0.5
  start.w_start = 3
  connect j.flange_a, start.flange
  :simulate until 2 tol 1e-9
  assert abs(j.phi - 6.5) < 1e-7, "phi0 + w0*t"
end

test "torque between two inertias"
  ja : Inertia(J = 1, phi(start = 0, fixed), w(start = 0, fixed))
  m : Torque2
  jb : Inertia(J = 3, phi(start = 0, fixed), w(start = 0, fixed))
  m.tau = 6
  connect ja.flange_b, m.flange_a
  connect m.flange_b, jb.flange_a
  :simulate until 1 tol 1e-9
  assert abs(jb.w - 2) < 1e-7 and abs(ja.w + 6) < 1e-7, "equal and opposite"
end
