// multibody/tests_joints.eq: joints against each other, turned round, and in mechanisms that keep energy and momentum.

test "every kind of joint in one tree: the energy stays, the same turned round"
  model Mass extends Body
    variable v_CM[3] = frame_a.motion.v + cross(w_a, r_CM)
    variable E = m * (v_CM * v_CM) / 2 + w_a * (I * w_a) / 2 + m * world.g * (r_0[2] + frame_a.R.T[:, 2] * r_CM)
  end
  model Link extends TwoFrames
    mass : Mass(r_CM = {0.1, 0.2, -0.1}, m = 2, I_11 = 0.2, I_22 = 0.3, I_33 = 0.25, I_21 = 0.02, I_31 = -0.01, I_32 =
        0.03)
    bar : FixedRotation(r = {0.3, 0.1, 0.2}, n = {1, 2, 3}, angle = 0.5)
    connect frame_a, mass.frame_a, bar.frame_a
    connect bar.frame_b, frame_b
  end
  world : World
  link[7], knil[7] : Link
  u, ru : Universal(phi_a(start = 0.3, fixed), phi_b(start = -0.2, fixed), w_a(start = 1, fixed), w_b(start = 2, fixed))
  p, rp : Prismatic(n = {1, 1, 0}, s(start = 0.1, fixed), v(start = 1, fixed))
  s, rs : Spherical(angles_fixed = true, angles_start = {0.1, 0.2, 0.3}, w_rel_a_fixed = true, w_rel_a_start = {1, -1,
      2})
  c, rc : Cylindrical(n = {0, 2, 1}, s(start = 0.1, fixed), v(start = 1, fixed), phi(start = 0.4, fixed), w(start = -2,
      fixed))
  f, rf : Planar(n = {1, 0, 1}, n_x = {1, 1, 1}, s_x(start = 0.1, fixed), v_x(start = 1, fixed), s_y(start = 0.3,
      fixed), v_y(start = -1, fixed), phi(start = 0.4, fixed), w(start = 2, fixed))
  m, rm : FreeMotion(r_rel_a(start = {1, 2, 3}, fixed), v_rel_a(start = {1, 0, -1}, fixed), angles_fixed = true,
      angles_start = {0.3, 0.2, 0.1}, w_rel_a_fixed = true, w_rel_a_start = {1, 2, 3})
  r, rr : Revolute(n = {1, -1, 0.5}, phi(start = 0.4, fixed), w(start = 2, fixed))
  connect world.frame_b, u.frame_a, ru.frame_b
  connect u.frame_b, link[1].frame_a
  connect link[1].frame_b, p.frame_a
  connect p.frame_b, link[2].frame_a
  connect link[2].frame_b, s.frame_a
  connect s.frame_b, link[3].frame_a
  connect link[3].frame_b, c.frame_a, f.frame_a
  connect c.frame_b, link[4].frame_a
  connect f.frame_b, link[5].frame_a
  connect link[5].frame_b, m.frame_a
  connect m.frame_b, link[6].frame_a
  connect link[4].frame_b, r.frame_a
  connect r.frame_b, link[7].frame_a
  connect ru.frame_a, knil[1].frame_b
  connect knil[1].frame_a, rp.frame_b
  connect rp.frame_a, knil[2].frame_b
  connect knil[2].frame_a, rs.frame_b
  connect rs.frame_a, knil[3].frame_b
  connect knil[3].frame_a, rc.frame_b, rf.frame_b
  connect rc.frame_a, knil[4].frame_b
  connect rf.frame_a, knil[5].frame_b
  connect knil[5].frame_a, rm.frame_b
  connect rm.frame_a, knil[6].frame_b
  connect knil[4].frame_a, rr.frame_b
  connect rr.frame_a, knil[7].frame_b
  variable E = sum(link[k].mass.E for k in 1:7)
  variable rE = sum(knil[k].mass.E for k in 1:7)
  parameter E0(fixed = false)
  parameter rE0(fixed = false)
  initial
    E0 = E
    rE0 = rE
  end
  :simulate until 1 tol 1e-10
  assert abs(E - E0) < 1e-5 * abs(E0), "energy"
  assert abs(rE - rE0) < 1e-5 * abs(rE0), "energy of the reversed tree"
end

test "a free-floating mechanism keeps momentum and angular momentum; its root is a body"
  model Mass extends Body
    variable v_CM[3] = frame_a.R.T' * (frame_a.motion.v + cross(w_a, r_CM))
    variable p[3] = m * v_CM
    variable L[3] = frame_a.R.T' * (I * w_a) + cross(r_0 + frame_a.R.T' * r_CM, p)
  end
  world : World(gravityType = NoGravity)
  a : Mass(m = 2, r_CM = {0.1, 0, 0}, I_11 = 0.1, I_22 = 0.2, I_33 = 0.25, r_0(start = {0.1, 0.2, 0.3}, fixed),
      v_0(start = {1, 2, 3}, fixed), angles_fixed = true, angles_start = {0.3, 0.4, 0.1}, w_0_fixed = true, w_0_start =
      {1, -1, 2})
  j : Revolute(n = {0, 1, 0}, phi(start = 0.2, fixed), w(start = 3, fixed), useAxisFlange = true)
  motor : rotational.Torque(useSupport = true)
  bar : FixedTranslation(r = {0.5, 0, 0})
  b : Mass(m = 1, r_CM = {0, 0.2, 0.1}, I_11 = 0.1, I_22 = 0.2, I_33 = 0.15)
  s : Spherical(angles_fixed = true, w_rel_a_fixed = true, w_rel_a_start = {2, 1, 0})
  c : Mass(m = 3, r_CM = {0.3, 0, 0.1}, I_11 = 0.3, I_22 = 0.2, I_33 = 0.15)
  motor.tau = 2 * sin(5 * time)
  connect motor.flange, j.axis
  connect motor.support, j.support
  connect a.frame_a, j.frame_b
  connect j.frame_a, bar.frame_b
  connect bar.frame_a, b.frame_a, s.frame_a
  connect s.frame_b, c.frame_a
  variable p[3] = a.p + b.p + c.p
  variable L[3] = a.L + b.L + c.L
  parameter p0[3](fixed = false)
  parameter L0[3](fixed = false)
  initial
    p0 = p
    L0 = L
  end
  :simulate until 2 tol 1e-11
  assert (p - p0) * (p - p0) < 1e-14, "momentum"
  assert (L - L0) * (L - L0) < 1e-12, "angular momentum: the motor turns against the mechanism itself"
end

test "a joint turned round moves backwards"
  world : World
  body[6] : Body(r_CM = {0.3, 0.1, 0.2}, I_11 = 0.1, I_22 = 0.2, I_33 = 0.25, I_21 = 0.01)
  r1 : Revolute(n = {1, 2, 0}, phi(start = 0.5, fixed), w(start = 1, fixed))
  r2 : Revolute(n = {1, 2, 0}, phi(start = -0.5, fixed), w(start = -1, fixed))
  u1 : Universal(n_a = {1, 0, 0}, n_b = {0, 0, 1}, phi_a(start = 0.5, fixed), phi_b(start = 1, fixed), w_a(start = 1,
      fixed), w_b(start = 2, fixed))
  u2 : Universal(n_a = {0, 0, 1}, n_b = {1, 0, 0}, phi_b(start = -0.5, fixed), phi_a(start = -1, fixed), w_b(start = -1,
      fixed), w_a(start = -2, fixed))
  s1 : Spherical(angles_fixed = true, w_rel_a_fixed = true, w_rel_a_start = {1, 2, 3})
  s2 : Spherical(angles_fixed = true, w_rel_a_fixed = true, w_rel_a_start = {-1, -2, -3})
  connect world.frame_b, r1.frame_a, r2.frame_b, u1.frame_a, u2.frame_b, s1.frame_a, s2.frame_b
  connect r1.frame_b, body[1].frame_a
  connect r2.frame_a, body[2].frame_a
  connect u1.frame_b, body[3].frame_a
  connect u2.frame_a, body[4].frame_a
  connect s1.frame_b, body[5].frame_a
  connect s2.frame_a, body[6].frame_a
  :simulate until 2 tol 1e-10
  assert abs(r1.phi + r2.phi) < 1e-7, "revolute"
  assert abs(u1.phi_a + u2.phi_b) + abs(u1.phi_b + u2.phi_a) < 1e-6, "universal"
  assert max(abs(body[5].frame_a.R.T[i, k] - body[6].frame_a.R.T[i, k]) for i in 1:3, k in 1:3) < 1e-7, "spherical"
  assert max(abs(body[5].frame_a.f[i] - body[6].frame_a.f[i]) for i in 1:3) < 1e-5, "and its force"
end

test "the same mechanism assembled otherwise"
  world : World
  // a spherical joint; three revolute joints; a body that only a mass point holds; a body in two halves
  whole[3] : Body(r_CM = {0.2, 0, 0}, m = 2, I_11 = 0.1, I_22 = 0.2, I_33 = 0.25)
  s : Spherical(angles_fixed = true, angles_start = {0.2, 0.3, 0.4}, sequence_start = {3, 2, 1}, w_rel_a_fixed = true)
  q : Spherical(angles_fixed = true, angles_start = {0.2, 0.3, 0.4}, sequence_start = {3, 2, 1}, w_rel_a_fixed = true)
  r1 : Revolute(n = {0, 0, 1}, phi(start = 0.2, fixed), w(fixed))
  r2 : Revolute(n = {0, 1, 0}, phi(start = 0.3, fixed), w(fixed))
  r3 : Revolute(n = {1, 0, 0}, phi(start = 0.4, fixed), w(fixed))
  left : Body(r_CM = {0.1, 0, 0}, I_11 = 0.05, I_22 = 0.09, I_33 = 0.1)
  right : Body(r_CM = {0.3, 0, 0}, I_11 = 0.05, I_22 = 0.09, I_33 = 0.13)
  connect world.frame_b, s.frame_a, r1.frame_a, q.frame_a
  connect s.frame_b, whole[1].frame_a
  connect r1.frame_b, r2.frame_a
  connect r2.frame_b, r3.frame_a
  connect r3.frame_b, whole[2].frame_a
  connect q.frame_b, left.frame_a, right.frame_a
  // a turned axis; a joint whose axis is turned by constant rotations before and after it
  j1 : Revolute(n = {1, 1, 0}, phi(start = 1, fixed), w(start = 2, fixed))
  j2 : Revolute(n = {1, 0, 0}, phi(start = 1, fixed), w(start = 2, fixed))
  there : FixedRotation(angle = pi / 4, n = {0, 0, 1})
  back : FixedRotation(rotationType = PlanarRotationSequence, angles = {0, 0, -pi / 4})
  b1, b2 : Body(r_CM = {0.2, 0.1, 0.3}, m = 2, I_11 = 0.1, I_22 = 0.2, I_33 = 0.25)
  connect world.frame_b, j1.frame_a, there.frame_a
  connect j1.frame_b, b1.frame_a
  connect there.frame_b, j2.frame_a
  connect j2.frame_b, back.frame_a
  connect back.frame_b, b2.frame_a
  connect world.frame_b, hung.frame_a
  hung : FreeMotion(angles_fixed = true, r_rel_a(fixed), v_rel_a(fixed), w_rel_a_fixed = true)
  connect hung.frame_b, whole[3].frame_a
  free : Body(r_CM = {0.2, 0, 0}, m = 2, I_11 = 0.1, I_22 = 0.2, I_33 = 0.25, r_0(fixed), v_0(fixed), angles_fixed =
      true, w_0_fixed = true)
  :simulate until 1 tol 1e-10
  assert max(abs(whole[1].frame_a.R.T[i, k] - whole[2].frame_a.R.T[i, k]) for i in 1:3, k in 1:3) < 1e-7, "three axes"
  assert max(abs(whole[1].frame_a.R.T[i, k] - left.frame_a.R.T[i, k]) for i in 1:3, k in 1:3) < 1e-7, "two halves"
  assert abs(j1.phi - j2.phi) < 1e-7 and abs(b1.frame_a.t[3] - b2.frame_a.t[3]) < 1e-5, "turned axis"
  assert max(abs(free.r_0[k] - hung.r_rel_a[k]) for k in 1:3) < 1e-8, "free motion: by a joint or the body's own"
end

test "driven joints: drive trains, given motions and what they take"
  world : World(g = 10)
  // a mass on a vertical slide, moved as given; a pendulum turned as given
  slide : Prismatic(n = {0, 1, 0}, useAxisFlange = true)
  move : translational.Position(exact = true)
  mass : Body(m = 3)
  move.s_ref = 0.5 * sin(2 * time)
  connect world.frame_b, slide.frame_a
  connect move.flange, slide.axis
  connect slide.frame_b, mass.frame_a
  hinge : Revolute(useAxisFlange = true)
  turn : rotational.Position(exact = true)
  arm : Body(r_CM = {0.5, 0, 0}, m = 2, I_33 = 0.1)
  turn.phi_ref = time^2
  connect world.frame_b, hinge.frame_a
  connect turn.flange, hinge.axis
  connect hinge.frame_b, arm.frame_a
  // a rotor behind a gear: ratio^2*J adds to the arm's inertia
  geared : Revolute(n = {0, 1, 0}, useAxisFlange = true, phi(fixed, start = 0), w(fixed, start = 0))
  gear : rotational.IdealGear(ratio = 10)
  rotor : rotational.Inertia(J = 0.02)
  motor : rotational.ConstantTorque(tau_constant = 1)
  load : Body(r_CM = {1, 0, 0}, m = 1, I_22 = 0.5)
  connect world.frame_b, geared.frame_a
  connect motor.flange, rotor.flange_a
  connect rotor.flange_b, gear.flange_a
  connect gear.flange_b, geared.axis
  connect geared.frame_b, load.frame_a
  :simulate until 1 tol 1e-9
  assert abs(slide.f - 3 * (10 - 2 * sin(2))) < 1e-6, "m*(g + a)"
  assert abs(hinge.tau - ((0.1 + 2 * 0.25) * 2 + 2 * 10 * 0.5 * cos(1))) < 1e-6, "J*a + m*g*l*cos(phi)"
  assert abs(geared.w - 10 / (2 + 1.5)) < 1e-7, "ratio*tau/(ratio^2*J_rotor + J_load)"
end

test "friction on the axes of joints: a pendulum swings as far as the energy goes; blocks on an incline slide or stay"
  world : World(g = 10)
  r : Revolute(useAxisFlange = true, phi(start = 0, fixed), w(start = 0, fixed))
  bar : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, m = 1)
  f : rotational.BearingFriction(tau_pos = [0, 2.5 / (5 * pi / 6)], useSupport = true)
  connect world.frame_b, r.frame_a
  connect r.frame_b, bar.frame_a
  connect f.flange_a, r.axis
  connect f.support, r.support
  discrete turned(start = 0, fixed) : rad "angle at which it stood still first"
  when r.w >= 0
    turned = r.phi
  end
  // the same joint the other way round
  q : Revolute(useAxisFlange = true, phi(start = 0, fixed), w(start = 0, fixed))
  rod : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, m = 1)
  h : rotational.BearingFriction(tau_pos = [0, 2.5 / (5 * pi / 6)], useSupport = true)
  connect world.frame_b, q.frame_b
  connect q.frame_a, rod.frame_a
  connect h.flange_a, q.axis
  connect h.support, q.support
  // 30 deg down: 5 N per kg along the incline
  slide, stay : Prismatic(n = {sqrt(3), -1, 0}, useAxisFlange = true, s(start = 0, fixed), v(start = 0, fixed))
  ma, mb : Body(m = 2, r_CM = {0, 0, 0})
  fa : translational.SupportFriction(f_pos = [0, 6], useSupport = true)
  fb : translational.SupportFriction(f_pos = [0, 12], useSupport = true)
  connect world.frame_b, slide.frame_a, stay.frame_a
  connect slide.frame_b, ma.frame_a
  connect stay.frame_b, mb.frame_a
  connect fa.flange_a, slide.axis
  connect fa.support, slide.support
  connect fb.flange_a, stay.axis
  connect fb.support, stay.support
  :simulate until 30 tol 1e-10
  assert abs(slide.s - 2 * 4^2 / 2) < 1e-7, "(10 N - 6 N)/2 kg" at 4
  assert stay.s == 0 and fb.mode == 0 and abs(fb.f - 10) < 1e-9, "10 N are less than 12 N"
  assert abs(turned + 5 * pi / 6) < 1e-6, "m*g*l/2*sin(30 deg) = tau*150 deg", turned at 1.5
  assert abs(q.phi + r.phi) < 1e-6, "the other way round"
  assert f.mode == 0 and abs(r.w) < 1e-9 and abs(f.tau - 5 * cos(r.phi) * (-1)) < 1e-6, "stuck: the friction carries the weight"
end

test "friction on the axis of a joint whose body is hit at rest, or thrown back"
  world : World(g = 0)
  r, q : Revolute(useAxisFlange = true, phi(start = 0, fixed))
  p : Prismatic(useAxisFlange = true, s(start = 0, fixed), v(start = 0, fixed))
  rotor, disc : Body(m = 1, r_CM = {0, 0, 0}, I_33 = 1)
  box : Body(m = 3, r_CM = {0, 0, 0})
  f, h : rotational.BearingFriction(tau_pos = [0, 2])
  g : translational.SupportFriction(f_pos = [0, 2])
  initial r.w = 5
  initial q.w = 0
  connect world.frame_b, r.frame_a, q.frame_b, p.frame_a
  connect r.frame_b, rotor.frame_a
  connect q.frame_a, disc.frame_a
  connect p.frame_b, box.frame_a
  connect f.flange_a, r.axis
  connect h.flange_a, q.axis
  connect g.flange_a, p.axis
  when r.phi > 1
    reinit r.w = -0.8 * r.w
  end
  when time > 0.2
    reinit q.w = 2
    reinit p.v = -1.625
  end
  :simulate until 3 tol 1e-9
  assert abs(r.phi + 2.36) < 1e-7 and abs(r.w) < 1e-9 and f.mode == 0, "back by 0.64*(25 - 4)/4 from 1"
  assert abs(q.phi - 1) < 1e-7 and abs(q.w) < 1e-9 and h.mode == 0, "I*w^2/(2*tau)"
  assert abs(p.s + 1.98046875) < 1e-7 and abs(p.v) < 1e-9 and g.mode == 0, "m*v^2/(2*f)"
end
