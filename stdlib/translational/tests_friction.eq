// translational/tests_friction.eq: brakes, guides, contacts and stops against closed forms.

test "a brake stops a mass, holds it, and slips"
  m1 : Mass(m = 2, s(start = 0, fixed), v(start = 3, fixed))
  b1 : Brake(fn_max = 8, useSupport = true)
  g : Fixed
  connect m1.flange_b, b1.flange_a
  connect b1.support, g.flange
  m2 : Mass(m = 2, s(start = 0, fixed), v(start = -3, fixed))
  b2 : Brake(fn_max = 8)
  connect m2.flange_a, b2.flange_b
  f3 : ConstantForce(f_constant = 3)
  m3 : Mass(m = 1, s(start = 0, fixed), v(start = 0, fixed))
  b3 : Brake(fn_max = 10)
  connect f3.flange, m3.flange_a
  connect m3.flange_b, b3.flange_a
  b1.f_normalized = 1
  b2.f_normalized = 1
  b3.f_normalized = if time < 1 then 1 else 0.4
  :simulate until 2 tol 1e-9
  assert b1.mode == 1 and abs(g.flange.f - 4) < 1e-9 at 1.49
  assert b1.mode == 0 and abs(m1.s - 2.25) < 1e-7 and abs(m1.v) < 1e-12, "stops after m*v/f = 1.5 s"
  assert b2.mode == 0 and abs(m2.s + 2.25) < 1e-7 and b2.mode == 0, "backward, the other flange"
  assert b3.mode == 0 and m3.v == 0 and abs(b3.f - 3) < 1e-12 at 0.9, "held"
  assert b3.mode == 1 and abs(m3.v - 1) < 1e-8, "slips with 3 - 0.5*4"
end

test "guide friction: breaks loose at the peak, runs down along the table"
  f1 : Force
  m1 : Mass(m = 1, s(start = 0, fixed), v(start = 0, fixed))
  g1 : SupportFriction(f_pos = [0, 2], peak = 1.5)
  f1.f = -4 * time
  connect f1.flange, m1.flange_a
  connect m1.flange_b, g1.flange_a
  m2 : Mass(m = 2, s(start = 0, fixed), v(start = 3, fixed))
  g2 : SupportFriction(f_pos = [0, 1; 1, 1.5; 2, 2])
  connect m2.flange_b, g2.flange_b
  :simulate until 6 tol 1e-9
  assert m1.v == 0 and abs(g1.f + 2.96) < 1e-9 at 0.74, "stuck"
  assert abs(m1.v + 2 * (4 - 0.5625) - 2 * 1.25) < 1e-6 and g1.mode == -1 at 2, "slides with the sliding force"
  assert abs(m2.v - (5 * exp(-0.5) - 2)) < 1e-7 at 2, "m*v' = -(1 + v/2)"
  assert g2.mode == 0 and abs(m2.v) < 1e-12 at 4 * log(2.5) + 0.01
end

test "a gap: free flight, half an oscillation in contact, back; a stiffening contact; no pulling"
  wall : Fixed
  c1 : ElastoGap(c = 100, d = 0, s_rel0 = 0)
  m1 : Mass(m = 1, s(start = 1, fixed), v(start = -2, fixed))
  connect wall.flange, c1.flange_a
  connect c1.flange_b, m1.flange_a
  c2 : ElastoGap(c = 100, d = 0, s_rel0 = 0, n = 3)
  m2 : Mass(m = 1, s(start = 1, fixed), v(start = -2, fixed))
  connect wall.flange, c2.flange_a
  connect c2.flange_b, m2.flange_a
  c3 : ElastoGap(c = 100, d = 3, s_rel0 = 0)
  m3 : Mass(m = 1, s(start = 1, fixed), v(start = -2, fixed))
  connect wall.flange, c3.flange_a
  connect c3.flange_b, m3.flange_a
  // mirrored: the mass on the left of the wall
  c4 : ElastoGap(c = 100, d = 0, s_rel0 = 0)
  m4 : Mass(m = 1, s(start = -1, fixed), v(start = 2, fixed))
  connect m4.flange_b, c4.flange_a
  connect c4.flange_b, wall.flange
  :simulate until 1.2 tol 1e-10
  assert not c1.contact and c1.f == 0 and abs(m1.s - 0.02) < 1e-9 at 0.49
  assert c1.contact and abs(m1.s + 0.2 * sin(1)) < 1e-8 and abs(c1.f + 20 * sin(1)) < 1e-6 at 0.6, "in contact"
  assert not c1.contact and abs(m1.v - 2) < 1e-7 and abs(m1.s - 2 * (0.7 - pi / 10)) < 1e-7, "away with the same speed"
  assert abs(m2.v - 2) < 1e-7 and abs(m4.v + 2) < 1e-7 and abs(m4.s + m1.s) < 1e-7, "elastic"
  assert m3.v > 0.5 and m3.v < 2 and c3.f == 0, "damped, and never pulling"
end

test "stops: the mass rests at the stop until the force takes it away"
  F : Force
  F.f = if time < 3 then 20 else -20
  m : MassWithStopAndFriction(m = 2, L = 1, smax = 2, smin = -3, s(start = 0, fixed), v(start = 0, fixed), F_prop = 0, F_Coulomb = 5, F_Stribeck = 0, fexp = 2)
  connect F.flange, m.flange_a
  n : MassWithStopAndFriction(m = 2, L = 1, smax = 2, smin = -3, s(start = 0, fixed), v(start = 0, fixed), F_prop = 0, F_Coulomb = 5, F_Stribeck = 0, fexp = 2)
  G : ConstantForce(f_constant = 4)
  connect G.flange, n.flange_a
  :simulate until 4.4 tol 1e-9
  assert m.mode == 1 and abs(m.v - 3.75) < 1e-7 and m.stopped == 0 at 0.5, "a = (20 - 5)/2"
  assert m.mode == 0 and m.stopped == 1 and abs(m.s - 1.5) < 1e-7 and m.v == 0 at 1, "stopped at smax - L/2 after sqrt(2*1.5/7.5) = 0.632 s"
  assert abs(m.f - 20) < 1e-9 at 2, "held by the stop"
  assert m.mode == -1 and abs(m.v + 7.5) < 1e-6 and abs(m.s - (1.5 - 3.75)) < 1e-6 at 4, "taken back"
  assert m.stopped == -1 and m.v == 0 and abs(m.s + 2.5) < 1e-7, "the other stop"
  assert n.mode == 0 and n.v == 0 and n.s == 0 and abs(n.f - 4) < 1e-12, "held by friction"
end

test "Stribeck friction"
  m : MassWithStopAndFriction(m = 1, L = 1, s(start = 0, fixed), v(start = 2, fixed), smax = 25, smin = -25, F_prop = 1, F_Coulomb = 0, F_Stribeck = 0, fexp = 2)
  k : MassWithStopAndFriction(m = 1, L = 1, s(start = 0, fixed), v(start = -2, fixed), smax = 25, smin = -25, F_prop = 0, F_Coulomb = 0, F_Stribeck = 4, fexp = 1)
  :simulate until 1.4 tol 1e-10
  assert abs(m.v - 2 * exp(-1)) < 1e-8 at 1, "F_prop: exponential decay"
  assert abs(k.v + log(exp(2) - 4)) < 1e-7 at 1, "d(exp(|v|))/dt = -F_Stribeck/m"
  assert k.mode == -1 at (exp(2) - 1) / 4 - 0.3
end

test "smooth friction tables: Akima's curve of 1 + v^2 is 1 + v^2, so the speed falls as a tangent until it sticks"
  parameter rows[:, :] = [0, 1; 1, 2; 2, 5; 3, 10; 4, 17]
  m1 : Mass(m = 2, s(start = 0, fixed), v(start = -2.5, fixed))
  f : SupportFriction(f_pos = rows, smoothness = blocks.Smoothness.ContinuousDerivative)
  m2 : Mass(m = 2, s(start = 0, fixed), v(start = 3.5, fixed))
  b : Brake(mu_pos = rows, smoothness = blocks.Smoothness.ContinuousDerivative, fn_max = 1)
  connect m1.flange_b, f.flange_a
  connect m2.flange_b, b.flange_a
  b.f_normalized = 1
  :simulate until 3 tol 1e-10
  assert abs(m1.v - tan(-atan(2.5) + 0.5)) < 1e-8, "m*dv/dt = 1 + v^2 backward" at 1
  assert abs(m2.v - tan(atan(3.5) - 0.5)) < 1e-8, "the brake, forward" at 1
  assert f.mode == 0 and b.mode == 0 and abs(m1.v) < 1e-9 and abs(m2.v) < 1e-9, "stuck after m*atan(v0) = 2.38 s and 2.59 s"
  assert abs(m1.s + log(1 + 2.5^2)) < 1e-8, "the way: m/2*log(1 + v0^2)"
end

test "two brakes on one mass break loose together, where their forces add up to less than the load"
  ramp : Force
  m : Mass(m = 1, s(start = 0, fixed), v(start = 0, fixed))
  b1 : Brake(fn_max = 6)
  b2 : SupportFriction(f_pos = [0, 1.5])
  b1.f_normalized = 1
  ramp.f = 3 * time
  connect ramp.flange, m.flange_a
  connect m.flange_b, b1.flange_a, b2.flange_a
  :simulate until 3 tol 1e-9
  assert m.v == 0 and abs(b1.f + b2.f - 4.47) < 1e-9, "3 + 1.5 hold 4.47 N" at 1.49
  assert abs(m.v - 1.5 * 1.5^2) < 1e-6 and b1.mode == 1 and b2.mode == 1, "from 1.5 s on: dv/dt = 3*t - 4.5"
end

test "what is hit while it sticks slides until friction has taken its speed; what is thrown back, the other way"
  m[5] : Mass(m = {3, 3, 1, 1, 1}, s(start = 0, fixed), v(start = {0, 0, 5, -5, 5}, fixed))
  g[5] : SupportFriction(f_pos = [0, 2])
  b : Brake(fn_max = 4)
  n : Mass(m = 3, s(start = 0, fixed), v(start = 0, fixed))
  for i in 1:5
    connect m[i].flange_b, g[i].flange_a
  end
  connect n.flange_b, b.flange_a
  b.f_normalized = 1
  when time > 0.2
    reinit m[1].v = 1.625
    reinit m[2].v = -1.625
    reinit n.v = 1.625
  end
  when m[3].s > 1
    reinit m[3].v = -0.8 * m[3].v
  end
  when m[4].s < -1
    reinit m[4].v = -0.8 * m[4].v
  end
  when m[5].s > 1
    reinit m[5].v = 0
  end
  :simulate until 3 tol 1e-9
  assert abs(m[1].s - 1.98046875) < 1e-7 and abs(m[2].s + 1.98046875) < 1e-7 and abs(n.s - 1.98046875) < 1e-7, "m*v^2/(2*f)"
  assert abs(m[3].s + 2.36) < 1e-7 and abs(m[4].s - 2.36) < 1e-7, "back by 0.64*(25 - 4)/4 from 1"
  assert abs(m[5].s - 1) < 1e-9 and m[5].v == 0, "stopped by the throw"
  assert max(abs(m[i].v) + abs(g[i].mode) for i in 1:5) < 1e-9 and abs(n.v) < 1e-9 and b.mode == 0, "all at rest"
  assert g[1].mode == 1 and g[2].mode == -1 and b.mode == 1 and g[3].mode == -1 and g[4].mode == 1 and g[5].mode == 0 at 0.5
end

test "a mass between stops that is hit: at rest, while it slides, away from a stop and into it"
  m[4] : MassWithStopAndFriction(L = 0, m = {3, 1, 3, 3}, smax = {10, 10, 0, 0}, smin = -10, v_small = 1e10, F_prop = 0, F_Coulomb = 2, F_Stribeck = 0, fexp = 2,
    s(start = 0, fixed), v(start = {0, 5, 0, 0}, fixed))
  when time > 0.2
    reinit m[1].v = 1.625
    reinit m[3].v = -1.625
    reinit m[4].v = 1.625
  end
  when m[2].s > 1
    reinit m[2].v = -0.8 * m[2].v
  end
  :simulate until 3 tol 1e-9
  assert abs(m[1].s - 1.98046875) < 1e-7 and abs(m[3].s + 1.98046875) < 1e-7, "m*v^2/(2*f)"
  assert abs(m[2].s + 2.36) < 1e-7, "back by 0.64*(25 - 4)/4 from 1"
  assert m[4].s == 0 and m[4].v == 0, "the stop holds"
  assert max(abs(m[i].v) + abs(m[i].mode) for i in 1:4) < 1e-9, "all at rest"
  assert m[1].mode == 1 and m[2].mode == -1 and m[3].mode == -1 and m[4].mode == 0 at 0.5
end
