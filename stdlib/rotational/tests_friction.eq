// rotational/tests_friction.eq: friction, clutches, gears with losses and backlash against closed forms.

test "bearing friction: runs down, sticks, breaks loose at the peak, both ways"
  j1 : Inertia(J = 2, phi(start = 0, fixed), w(start = 3, fixed))
  b1 : BearingFriction(tau_pos = [0, 4])
  connect j1.flange_b, b1.flange_a
  j2 : Inertia(J = 2, phi(start = 0, fixed), w(start = -3, fixed))
  b2 : BearingFriction(tau_pos = [0, 4])
  connect j2.flange_a, b2.flange_b
  m3 : Torque
  j3 : Inertia(J = 1, phi(start = 0, fixed), w(start = 0, fixed))
  b3 : BearingFriction(tau_pos = [0, 2], peak = 1.5)
  m3.tau = 4 * time
  connect m3.flange, j3.flange_a
  connect j3.flange_b, b3.flange_a
  m4 : Torque
  j4 : Inertia(J = 1, phi(start = 0, fixed), w(start = 0, fixed))
  b4 : BearingFriction(tau_pos = [0, 2], peak = 1.5)
  m4.tau = -4 * time
  connect m4.flange, j4.flange_a
  connect j4.flange_b, b4.flange_a
  variable lost(start = 0, fixed) : J
  der(lost) = b1.lossPower
  :simulate until 2 tol 1e-9
  assert abs(j1.phi - 2.25) < 1e-7 and abs(j1.w) < 1e-12 and b1.mode == b1.Stuck, "stops after J*w/tau = 1.5 s, w^2*J/(2*tau) on"
  assert abs(j2.phi + 2.25) < 1e-7 and b2.mode == 0, "backward, the other flange"
  assert b1.mode == 1 at 1.49
  assert b1.mode == 0 at 1.51
  assert b2.mode == -1 at 1.49
  assert abs(lost - 9) < 1e-7, "the kinetic energy is lost"
  assert j3.w == 0 and b3.locked and abs(b3.tau - 2.96) < 1e-9 at 0.74, "stuck below the peak"
  assert b3.mode == 1 and abs(b3.tau - 2) < 1e-9 at 0.76, "slides from 3/4 s on"
  assert abs(j3.w - (2 * (4 - 0.5625) - 2 * 1.25)) < 1e-6, "with the sliding torque"
  assert abs(j4.w + j3.w) < 1e-9 and b4.mode == -1, "backward the same"
end

test "what comes to rest below the peak stays, whatever its inertia and the side it comes from"
  parameter J[4] = {0.05, 0.5, 5, 0.5}
  parameter sign[4] = {1, 1, 1, -1}
  m[4] : Torque
  j[4] : Inertia(J = J, phi(start = 0, fixed), w(start = {-1, -1, -1, 1}, fixed))
  b[4] : BearingFriction(tau_pos = [0, 2.4], peak = 1.3)
  for k in 1:4
    m[k].tau = sign[k] * 2.5
    connect m[k].flange, j[k].flange_a
    connect j[k].flange_b, b[k].flange_a
  end
  clutch : Clutch(fn_max = 4.8, peak = 1.3)
  drive : Torque
  shaft : Inertia(J = 0.1, phi(start = 0, fixed), w(start = -2, fixed))
  wall : Fixed
  drive.tau = 2.5
  clutch.f_normalized = 1
  connect drive.flange, shaft.flange_a
  connect shaft.flange_b, clutch.flange_b
  connect clutch.flange_a, wall.flange
  :simulate until 3 tol 1e-8
  assert max(abs(j[k].w) + abs(b[k].mode) + abs(b[k].tau - sign[k] * 2.5) for k in 1:4) < 1e-9, "2.4 < 2.5 < 1.3*2.4"
  assert abs(shaft.w) < 1e-12 and clutch.mode == 0, "a clutch the same"
end

test "bearing friction from a table: speed decays towards the Coulomb part"
  j : Inertia(J = 2, phi(start = 0, fixed), w(start = 3, fixed))
  b : BearingFriction(tau_pos = [0, 1; 1, 1.5; 2, 2])
  connect j.flange_b, b.flange_a
  :simulate until 6 tol 1e-9
  assert abs(j.w - (5 * exp(-0.25 * 2) - 2)) < 1e-7 at 2, "J*w' = -(1 + w/2)"
  assert b.mode == 1 at 4 * log(2.5) - 0.01
  assert b.mode == 0 and abs(j.w) < 1e-12 at 4 * log(2.5) + 0.01
end

test "a clutch brings two inertias to one speed; energy goes into its heat port"
  ja : Inertia(J = 2, phi(start = 0, fixed), w(start = 10, fixed))
  c : Clutch(fn_max = 8, mu_pos = [0, 0.5], cgeo = 0.25, useHeatPort = true)
  jb : Inertia(J = 3, phi(start = 0, fixed), w(start = 0, fixed))
  heat : thermal.HeatCapacitor(C = 6, T(start = 300, fixed))
  c.f_normalized = if time < 1 then 0 else 1
  connect ja.flange_b, c.flange_a
  connect c.flange_b, jb.flange_a
  connect c.heatPort, heat.port
  // the same, connected the other way round and turning backward
  ka : Inertia(J = 2, phi(start = 0, fixed), w(start = -10, fixed))
  d : Clutch(fn_max = 8, mu_pos = [0, 0.5], cgeo = 0.25)
  kb : Inertia(J = 3, phi(start = 0, fixed), w(start = 0, fixed))
  d.f_normalized = if time < 1 then 0 else 1
  connect ka.flange_b, d.flange_b
  connect d.flange_a, kb.flange_a
  :simulate until 15 tol 1e-9
  assert c.mode == 2 and ja.w == 10 and jb.w == 0 at 0.9, "open"
  assert c.mode == -1 and abs(jb.w - 1 / 3) < 1e-7 and abs(ja.w - 9.5) < 1e-7 at 2, "sliding: tau = 0.5*0.25*8"
  assert c.mode == 0 and abs(ja.w - 4) < 1e-7 and abs(jb.w - 4) < 1e-7, "momentum; locked from 1 + 12 s on"
  assert c.mode == -1 at 12.99
  assert c.mode == 0 at 13.01
  assert abs(heat.T - 310) < 1e-6, "energy 100 - 40"
  assert d.mode == -1 at 12.99
  assert abs(kb.w + 4) < 1e-7 and d.mode == 0, "the other way round"
end

test "a locked clutch slips when too much is asked, and locks again"
  m : Torque
  ja : Inertia(J = 1, phi(start = 0, fixed), w(start = 0, fixed))
  c : Clutch(fn_max = 10, peak = 1.2)
  jb : Inertia(J = 1, phi(start = 0, fixed), w(start = 0, fixed))
  m.tau = if time < 1 then 8 elseif time < 2 then 14 else 0
  c.f_normalized = 1
  connect m.flange, ja.flange_a
  connect ja.flange_b, c.flange_a
  connect c.flange_b, jb.flange_a
  :simulate until 3 tol 1e-9
  assert c.mode == 0 and abs(c.tau + 4) < 1e-9 and abs(ja.w - 2) < 1e-8 and abs(jb.w - 2) < 1e-8 at 0.5, "together: 8/2"
  assert c.mode == -1 and abs(ja.w - 8.5) < 1e-7 and abs(jb.w - 6.5) < 1e-7 at 1.5, "slips: 14 - 5 and 5"
  assert abs(ja.w - 13) < 1e-7 and abs(jb.w - 9) < 1e-7 at 2
  assert c.mode == -1 at 2.39
  assert c.mode == 0 and abs(ja.w - 11) < 1e-7 and abs(jb.w - 11) < 1e-7, "locks again after 4/10 s"
end

test "a brake holds a load, and starts in each mode"
  m : ConstantTorque(tau_constant = 3)
  j : Inertia(J = 1, phi(start = 0, fixed), w(start = 0, fixed))
  b : Brake(fn_max = 10)
  b.f_normalized = if time < 1 then 1 else 0.4
  connect m.flange, j.flange_a
  connect j.flange_b, b.flange_a
  f : Fixed
  k1 : Inertia(J = 1, phi(start = 0, fixed), w(start = 2, fixed))
  b1 : Brake(fn_max = 1, useSupport = true)
  connect k1.flange_b, b1.flange_b
  connect b1.support, f.flange
  k2 : Inertia(J = 1, phi(start = 0, fixed), w(start = -2, fixed))
  b2 : Brake(fn_max = 1)
  connect k2.flange_b, b2.flange_b
  k3 : Inertia(J = 1, phi(start = 0, fixed), w(start = 2, fixed))
  b3 : Brake(fn_max = 1)
  connect k3.flange_b, b3.flange_b
  b1.f_normalized = 1
  b2.f_normalized = 1
  b3.f_normalized = 0
  :simulate until 2 tol 1e-9
  assert b.mode == 0 and j.w == 0 and abs(b.tau - 3) < 1e-12 at 0.9, "held"
  assert b.mode == 1 and abs(j.w - 1) < 1e-8 and abs(b.mu - 0.5) < 1e-12, "slips with 3 - 0.5*4"
  assert b1.mode == 1 and abs(k1.w - 1) < 1e-8 and abs(f.flange.tau - 0.5) < 1e-9, "starts sliding forward; the housing takes the torque"
  assert b2.mode == -1 and abs(k2.w + 1) < 1e-8, "starts sliding backward"
  assert b3.mode == 2 and k3.w == 2, "starts free"
  assert b1.mode == 1 and b2.mode == -1 and b3.mode == 2 and b.mode == 0 at 0
end

test "a one-way clutch drives one way and lets the load overrun"
  m : Torque
  ja : Inertia(J = 1, phi(start = 0, fixed), w(start = 0, fixed))
  c : OneWayClutch
  jb : Inertia(J = 1, phi(start = 0, fixed), w(start = 0, fixed))
  m.tau = if time < 1 then 4 else -4
  c.f_normalized = 0
  connect m.flange, ja.flange_a
  connect ja.flange_b, c.flange_a
  connect c.flange_b, jb.flange_a
  :simulate until 2 tol 1e-9
  assert c.stuck and c.locked and abs(ja.w - 1) < 1e-8 and abs(jb.w - 1) < 1e-8 at 0.5, "driven"
  assert not c.stuck and abs(ja.w) < 1e-7 and abs(jb.w - 2) < 1e-7 at 1.5, "freewheel"
  assert abs(ja.w + 2) < 1e-7 and abs(jb.w - 2) < 1e-7 and abs(c.tau) < 1e-9
end

test "an engaged one-way clutch slides forward with its friction"
  m : Torque
  ja : Inertia(J = 1, phi(start = 0, fixed), w(start = 0, fixed))
  c : OneWayClutch(fn_max = 2)
  jb : Inertia(J = 1, phi(start = 0, fixed), w(start = 0, fixed))
  m.tau = if time < 1 then -1 else -4
  c.f_normalized = 1
  connect m.flange, ja.flange_a
  connect ja.flange_b, c.flange_a
  connect c.flange_b, jb.flange_a
  :simulate until 2 tol 1e-9
  assert c.stuck and abs(ja.w + 1 / 4) < 1e-8 and abs(jb.w + 1 / 4) < 1e-8 at 0.5, "held by friction: half of the torque is less than 1"
  assert not c.stuck and abs(ja.w + 3.5) < 1e-7 and abs(jb.w + 1.5) < 1e-7 and abs(c.tau - 1) < 1e-9, "sliding with mu*fn = 1"
end

test "backlash: free flight, contact as half an oscillation, energy kept"
  ja : Inertia(J = 1, phi(start = 0, fixed), w(start = 0, fixed))
  c : ElastoBacklash(c = 100, b = 0.4, phi_rel(start = 0))
  jb : Inertia(J = 1, phi(start = 0, fixed), w(start = 1, fixed))
  connect ja.flange_b, c.flange_a
  connect c.flange_b, jb.flange_a
  da : Inertia(J = 1, phi(start = 0, fixed), w(start = 1, fixed))
  d : ElastoBacklash(c = 100, d = 1, b = 0.4)
  db : Fixed
  connect da.flange_b, d.flange_b
  connect d.flange_a, db.flange
  :simulate until 0.8 tol 1e-10
  assert c.tau == 0 and abs(jb.phi - 0.19) < 1e-9 at 0.19, "contact at 0.2 s"
  assert abs(c.tau - 100 * sin(sqrt(200) * 0.1) / sqrt(200)) < 1e-6 at 0.3, "w = sqrt(c/Ja + c/Jb)"
  assert c.tau == 0 and abs(ja.w - 1) < 1e-7 and abs(jb.w) < 1e-7 at 0.2 + pi / sqrt(200) + 0.001, "speeds exchanged after half a period"
  assert abs(ja.w + jb.w - 1) < 1e-8, "momentum"
  assert d.tau == 0 and da.w < 0 and da.w > -1, "damping takes energy out of the contact"
end

test "backlash with the whole damping: the torque jumps"
  ja : Inertia(J = 1, phi(start = 0, fixed), w(start = 1, fixed))
  d : ElastoBacklash2(c = 100, d = 4, b = 0.4)
  db : Fixed
  connect ja.flange_b, d.flange_b
  connect d.flange_a, db.flange
  :simulate until 0.6 tol 1e-10
  assert d.tau == 0 at 0.199
  assert abs(d.tau - 4) < 0.1 at 0.201
  assert abs(d.phi_rel - 0.2 - exp(-0.2) * sin(sqrt(96) * 0.1) / sqrt(96)) < 1e-8 at 0.3, "damped oscillation"
  assert d.tau == 0 and ja.w < 0, "released while the spring would pull"
end

test "gear with losses: efficiency either way, stuck below the bearing friction"
  m1 : ConstantTorque(tau_constant = 4)
  g1 : LossyGear(ratio = 2, lossTable = [0, 0.8, 0.9, 0, 0])
  j1 : Inertia(J = 2, phi(start = 0, fixed), w(start = 0, fixed))
  connect m1.flange, g1.flange_a
  connect g1.flange_b, j1.flange_a
  m2 : ConstantTorque(tau_constant = 4)
  g2 : LossyGear(ratio = 2, lossTable = [0, 0.8, 0.9, 0, 0])
  j2 : Inertia(J = 0.5, phi(start = 0, fixed), w(start = 0, fixed))
  connect m2.flange, g2.flange_b
  connect g2.flange_a, j2.flange_a
  m3 : ConstantTorque(tau_constant = -4)
  g3 : LossyGear(ratio = 2, lossTable = [0, 0.5, 0.5, 0.5, 0.5])
  j3 : Inertia(J = 1, phi(start = 0, fixed), w(start = 0, fixed))
  connect j3.flange_b, g3.flange_a
  connect m3.flange, g3.flange_b
  m7 : ConstantTorque(tau_constant = -0.9)
  g7 : LossyGear(ratio = 2, lossTable = [0, 0.5, 0.5, 0.5, 0.5])
  j7 : Inertia(J = 1, phi(start = 0, fixed), w(start = 0, fixed))
  connect j7.flange_b, g7.flange_a
  connect m7.flange, g7.flange_b
  m4 : ConstantTorque(tau_constant = 4)
  g4 : LossyGear(ratio = 2)
  j4 : Inertia(J = 2, phi(start = 0, fixed), w(start = 0, fixed))
  connect m4.flange, g4.flange_a
  connect g4.flange_b, j4.flange_a
  m5 : ConstantTorque(tau_constant = -4)
  g5 : LossyGear(ratio = 2, lossTable = [0, 0.8, 0.9, 0, 0])
  j5 : Inertia(J = 2, phi(start = 0, fixed), w(start = 0, fixed))
  connect m5.flange, g5.flange_a
  connect g5.flange_b, j5.flange_a
  j6 : Inertia(J = 2, phi(start = 0, fixed), w(start = 8, fixed))
  g6 : LossyGear(ratio = 2, lossTable = [0, 1, 1, 4, 4])
  f6 : Inertia(J = 8)
  connect j6.flange_b, g6.flange_a
  connect g6.flange_b, f6.flange_a
  :simulate until 2 tol 1e-9
  assert abs(j1.w - 2 * 0.8 * 2 * 4 / 2) < 1e-7 and g1.mode == 1, "flange_a drives: eta_mf1"
  assert abs(j2.w - 2 * 0.9 * 2 / 0.5) < 1e-7 and g2.mode == 1, "flange_b drives: eta_mf2"
  assert abs(j3.w + 1.5) < 1e-7 and g3.mode == -1, "flange_b drives backward: tau_a = 0.5*(2 - 0.5)"
  assert j7.w == 0 and g7.mode == 0 and abs(g7.tauLoss + 0.45) < 1e-12, "stuck: 0.45 on the side of flange_a is less than the bearing's 0.5"
  assert abs(j4.w - 2 * 2 * 4 / 2) < 1e-7 and g4.ideal and g4.mode == 2, "without losses"
  assert abs(j5.w + j1.w) < 1e-7 and g5.mode == -1, "backward"
  assert abs(j6.w - 6) < 1e-7, "bearing friction 4 on the inertia 2 + 8/ratio^2"
end

test "smooth friction tables: Akima's curve of 1 + w^2 is 1 + w^2, so the speed falls as a tangent until it sticks"
  parameter rows[:, :] = [0, 1; 1, 2; 2, 5; 3, 10; 4, 17]
  j : Inertia(J = 2, phi(start = 0, fixed), w(start = -2.5, fixed))
  f : BearingFriction(tau_pos = rows, smoothness = blocks.Smoothness.ContinuousDerivative)
  a : Inertia(J = 2, phi(start = 0, fixed), w(start = 3.5, fixed))
  c : Clutch(mu_pos = rows, smoothness = blocks.Smoothness.ContinuousDerivative, fn_max = 1)
  wall : Fixed
  connect j.flange_b, f.flange_a
  connect a.flange_b, c.flange_a
  connect c.flange_b, wall.flange
  c.f_normalized = 1
  :simulate until 3 tol 1e-10
  assert abs(j.w - tan(-atan(2.5) + 0.5)) < 1e-8, "J*dw/dt = 1 + w^2 backward" at 1
  assert abs(a.w - tan(atan(3.5) - 0.5)) < 1e-8, "the clutch, forward for its inertia" at 1
  assert f.mode == 0 and c.mode == 0 and abs(j.w) < 1e-9 and abs(a.w) < 1e-9, "stuck after J*atan(w0) = 2.38 s and 2.59 s"
  assert abs(j.phi + log(1 + 2.5^2)) < 1e-8, "the way: J/2*log(1 + w0^2)"
end

test "friction elements that hold one body together break loose together, where their torques add up to less than the load"
  ramp : Torque
  j : Inertia(J = 1, phi(start = 0, fixed), w(start = 0, fixed))
  b1 : Brake(fn_max = 6)
  b2 : Brake(fn_max = 3)
  ramp2 : Torque
  j2 : Inertia(J = 1, phi(start = 0, fixed), w(start = 0, fixed))
  j3 : Inertia(J = 1, phi(start = 0, fixed), w(start = 0, fixed))
  c : Clutch(fn_max = 100)
  b3 : BearingFriction(tau_pos = [0, 3])
  b4 : BearingFriction(tau_pos = [0, 1.5])
  b1.f_normalized = 1
  b2.f_normalized = 1
  c.f_normalized = 1
  ramp.tau = 3 * time
  ramp2.tau = -3 * time
  connect ramp.flange, j.flange_a
  connect j.flange_b, b1.flange_a, b2.flange_a
  connect ramp2.flange, j2.flange_a
  connect j2.flange_b, c.flange_a, b3.flange_a
  connect c.flange_b, j3.flange_a
  connect j3.flange_b, b4.flange_a
  :simulate until 3 tol 1e-9
  assert j.w == 0 and j2.w == 0, "3 + 1.5 hold 4.47 N*m" at 1.49
  assert b1.tau <= 3.000001 and b2.tau <= 1.500001 and abs(b1.tau + b2.tau - 4.47) < 1e-9, "none more than it can" at 1.49
  assert abs(j.w - 1.5 * 1.5^2) < 1e-6 and b1.mode == 1 and b2.mode == 1, "from 1.5 s on: dw/dt = 3*t - 4.5"
  assert abs(j2.w + 0.75 * 1.5^2) < 1e-6 and abs(j3.w - j2.w) < 1e-9 and b3.mode == -1 and c.mode == 0, "twice the inertia, backward"
end

test "what is hit while it sticks slides in the direction of its speed until friction has taken that, each time"
  wall : Fixed
  b : Brake(fn_max = 4)
  f : BearingFriction(tau_pos = [0, 2])
  c : Clutch(fn_max = 4, stateSelect = never)
  o : OneWayClutch(fn_max = 4, stateSelect = never)
  j[4] : Inertia(J = 3, phi(start = 0, fixed, state = always), w(start = 0, fixed, state = always))
  connect j[1].flange_b, b.flange_a
  connect j[2].flange_b, f.flange_b
  connect j[3].flange_b, c.flange_a
  connect c.flange_b, wall.flange, o.flange_a
  connect o.flange_b, j[4].flange_a
  b.f_normalized = 1
  c.f_normalized = 1
  o.f_normalized = 1
  // two inertias that a clutch holds together: the one that is hit takes the other with it
  ja : Inertia(J = 1, phi(start = 0, fixed), w(start = 0, fixed, state = always))
  jb : Inertia(J = 2, phi(start = 0, fixed), w(start = 0, fixed, state = always))
  k : Clutch(fn_max = 4, stateSelect = never)
  connect ja.flange_b, k.flange_a
  connect k.flange_b, jb.flange_a
  k.f_normalized = 1
  when sample(0.2, 4)
    reinit j[1].w = 1.625
    reinit j[2].w = -1.625
    reinit j[3].w = 1.625
    reinit j[4].w = 1.625
    reinit ja.w = pre(ja.w) + 3
  end
  :simulate until 7 tol 1e-9
  assert b.mode == 1 and f.mode == -1 and c.mode == -1 and not o.stuck and k.mode == -1 at 0.3
  assert abs(j[1].phi - 1.98046875) < 1e-7 and abs(j[2].phi + 1.98046875) < 1e-7, "J*w^2/(2*tau)" at 4
  assert max(abs(j[i].w) for i in 1:4) < 1e-9 and b.mode == 0 and f.mode == 0 and c.mode == 0 and o.stuck, "at rest after J*w/tau = 2.4375 s" at 4
  assert abs(j[1].phi - 3.9609375) < 1e-7 and abs(j[2].phi + 3.9609375) < 1e-7, "again"
  assert abs(j[3].phi - 3.9609375) < 1e-7 and abs(j[4].phi - 3.9609375) < 1e-7, "clutches the same"
  assert abs(ja.w - 1) < 1e-8 and abs(jb.w - 1) < 1e-8 and k.mode == 0, "momentum: one speed after 1 s" at 4
  assert abs(ja.w - 2) < 1e-8 and abs(jb.w - 2) < 1e-8 and k.mode == 0
end

test "thrown back: friction is against the new direction, under a load, too; stopped by the throw it stays"
  j[3] : Inertia(J = 1, phi(start = 0, fixed), w(start = 5, fixed))
  f[3] : BearingFriction(tau_pos = [0, 2])
  load : ConstantTorque(tau_constant = 6)
  for i in 1:3
    connect j[i].flange_b, f[i].flange_a
  end
  connect load.flange, j[3].flange_a
  when j[1].phi > 1
    reinit j[1].w = -0.8 * j[1].w
  end
  when j[2].phi > 1
    reinit j[2].w = 0
  end
  when time > 0.5
    reinit j[3].w = -3
  end
  :simulate until 3 tol 1e-9
  assert f[1].mode == -1 at 1
  assert abs(j[1].phi + 2.36) < 1e-7 and abs(j[1].w) < 1e-9 and f[1].mode == 0, "back by 0.64*(25 - 4)/4 from 1"
  assert abs(j[2].phi - 1) < 1e-9 and j[2].w == 0 and f[2].mode == 0
  assert f[3].mode == -1 and abs(j[3].w + 1.4) < 1e-7 at 0.7
  assert abs(j[3].w - 4.5) < 1e-7 and f[3].mode == 1, "back with 6 + 2, forward again with 6 - 2" at 2
end

test "a gear with losses that is hit, or thrown back, loses its speed"
  a[2] : Inertia(J = 1, phi(start = 0, fixed), w(start = {0, 4}, fixed))
  g[2] : LossyGear(ratio = 2, lossTable = [0, 1, 1, 2, 2])
  b[2] : Inertia(J = 4)
  for i in 1:2
    connect a[i].flange_b, g[i].flange_a
    connect g[i].flange_b, b[i].flange_a
  end
  when time > 0.5
    reinit a[1].w = 3
    reinit a[2].w = -4
  end
  :simulate until 6 tol 1e-9
  assert g[1].mode == 1 and g[2].mode == -1 and abs(a[1].w - 2.5) < 1e-8 and abs(a[2].w + 3.5) < 1e-8, "2 N*m on 1 + 4/2^2 = 2 kg*m^2" at 1
  assert abs(a[1].phi - 4.5) < 1e-7 and abs(a[1].w) < 1e-9 and g[1].mode == 0
  assert abs(a[2].phi + 6.125) < 1e-7 and abs(a[2].w) < 1e-9 and g[2].mode == 0, "1.875 forward, 8 back"
end

test "a second brake that comes on at rest holds with the first, wherever roundings left the speed"
  j[3] : Inertia(J = 1, phi(start = 0, fixed), w(start = {1, -1, 0}, fixed))
  first[3] : Brake(fn_max = 2, peak = 3)
  second[3] : Brake(fn_max = 8)
  load[3] : Torque
  discrete loose[3](start = 0, fixed)
  for i in 1:3
    first[i].f_normalized = 1
    second[i].f_normalized = if time < 2 then 0 else 1
    load[i].tau = if time < 3 then 0 else time - 3
    connect load[i].flange, j[i].flange_a
    connect j[i].flange_b, first[i].flange_a
    connect first[i].flange_b, second[i].flange_a
    when abs(j[i].w) > 1e-3 and time > 2.01
      loose[i] = time
    end
  end
  :simulate until 12 tol 1e-9
  assert max(abs(first[i].tau) + abs(second[i].tau) for i in 1:3) < 1e-9, "at rest without a load" at 2.5
  assert max(abs(loose[i] - loose[1]) for i in 1:3) < 1e-6 and loose[1] > 8 and loose[1] < 10.01, "each as the others, within what the brakes can hold together"
end
