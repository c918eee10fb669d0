// multibody/tests_forces.eq: forces, torques and sensors.

test "a point mass between springs and a damper; heat of the damper"
  world : World(g = 10)
  p : PointMass(m = 2, r_0(start = {0, -1, 0}, fixed), v_0(start = {0, 0, 0}, fixed))
  s : SpringDamperParallel(c = 50, s_unstretched = 0.5, d = 4, useHeatPort = true)
  heat : thermal.HeatCapacitor(C = 1, T(start = 300, fixed))
  connect world.frame_b, s.frame_a
  connect s.frame_b, p.frame_a
  connect s.heatPort, heat.port
  variable y(start = 1, fixed)
  variable v(start = 0, fixed) = der(y)
  2 * der(v) = 20 - 50 * (y - 0.5) - 4 * v
  variable E = v^2 - 20 * y + 25 * (y - 0.5)^2
  parameter E0(fixed = false)
  initial E0 = E
  :simulate until 2 tol 1e-10
  assert abs(p.r_0[2] + y) < 1e-7 and abs(s.f - 50 * (y - 0.5) - 4 * v) < 1e-5, "an oscillator"
  assert abs(heat.T - 300 - (E0 - E)) < 1e-6, "lost energy"
end

test "springs and dampers at bodies, turned round: action is reaction, energy and momentum"
  world : World(gravityType = NoGravity)
  model Mass extends Body
    variable v_CM[3] = frame_a.R.T' * (frame_a.motion.v + cross(w_a, r_CM))
    variable E = m * (v_CM * v_CM) / 2 + w_a * (I * w_a) / 2
    variable L[3] = frame_a.R.T' * (I * w_a) + cross(r_0 + frame_a.R.T' * r_CM, m * v_CM)
  end
  a : Mass(m = 2, I_11 = 0.1, I_22 = 0.2, I_33 = 0.15, r_0(fixed), v_0(fixed), angles_fixed = true, w_0_fixed = true,
      w_0_start = {1, 2, 3})
  b : Mass(m = 1, I_11 = 0.1, I_22 = 0.1, I_33 = 0.15, r_0(start = {1, 0.5, 0}, fixed), v_0(start = {0, 1, -1}, fixed),
      angles_fixed = true, angles_start = {1, 0, 0.5}, w_0_fixed = true)
  at_a : FixedTranslation(r = {0.2, 0.1, 0})
  at_b : FixedTranslation(r = {0, 0.1, -0.3})
  s : Spring(c = 20, s_unstretched = 0.3)
  o : Damper(d = 0.5)
  z : SpringDamperSeries(c = 10, d = 2)
  connect a.frame_a, at_a.frame_a
  connect b.frame_a, at_b.frame_a
  connect at_a.frame_b, s.frame_a, o.frame_b, z.frame_a
  connect at_b.frame_b, s.frame_b, o.frame_a, z.frame_b
  variable lost(start = 0, fixed)
  der(lost) = o.d * o.v_rel^2 + z.d * der(z.s_damper)^2
  variable E = a.E + b.E + s.c * (s.s - s.s_unstretched)^2 / 2 + z.c * (z.s - z.s_damper)^2 / 2
  variable L[3] = a.L + b.L
  parameter E0(fixed = false)
  parameter L0[3](fixed = false)
  initial
    E0 = E
    L0 = L
  end
  :simulate until 2 tol 1e-10
  assert abs(E + lost - E0) < 1e-6, "energy"
  assert (L - L0) * (L - L0) < 1e-12, "angular momentum"
end

test "forces and torques from outside, resolved here and there"
  world : World(gravityType = NoGravity)
  b : Body(m = 2, I_11 = 0.5, I_22 = 0.5, I_33 = 0.5, r_0(fixed), v_0(fixed), angles_fixed = true, angles_start = {0, 0,
      pi / 2}, w_0_fixed = true)
  f0 : WorldForce
  f1 : WorldForce(resolveInFrame = ResolveInFrameB.frame_b)
  f2 : WorldForce(resolveInFrame = ResolveInFrameB.frame_resolve)
  fixed : FixedRotation(n = {0, 1, 0}, angle = pi / 2)
  t : WorldForceAndTorque
  f0.force = {4, 0, 0}
  f1.force = {6, 0, 0}
  f2.force = {8, 0, 0}
  t.force = zeros(3)
  t.torque = {0, 0, 0}
  connect world.frame_b, fixed.frame_a
  connect fixed.frame_b, f2.frame_resolve
  connect b.frame_a, f0.frame_b, f1.frame_b, f2.frame_b, t.frame_b
  // a torque between two bodies on one axis
  j1, j2 : Revolute(n = {0, 0, 1}, phi(start = 0, fixed), w(start = 0, fixed))
  b1 : Body(I_33 = 1)
  b2 : Body(I_33 = 3)
  between : Torque
  between.torque = {0, 0, 6}
  connect world.frame_b, j1.frame_a, j2.frame_a
  connect j1.frame_b, b1.frame_a, between.frame_a
  connect j2.frame_b, b2.frame_a, between.frame_b
  // a force between two masses on slides
  p1, p2 : Prismatic(n = {1, 0, 0}, s(start = 0, fixed), v(start = 0, fixed))
  m1 : Body(m = 1)
  m2 : Body(m = 3)
  push : ForceAndTorque(resolveInFrame = ResolveInFrameAB.world)
  push.force = {6, 5, 0}
  push.torque = {0, 0, 0}
  connect world.frame_b, p1.frame_a, p2.frame_a
  connect p1.frame_b, m1.frame_a, push.frame_a
  connect p2.frame_b, m2.frame_a, push.frame_b
  :simulate until 1 tol 1e-9
  assert abs(b.v_0[1] - 2) + abs(b.v_0[2] - 3) + abs(b.v_0[3] + 4) < 1e-7, "in the world, the body, another frame"
  assert abs(j2.w - 2) < 1e-8 and abs(j1.w + 6) < 1e-8, "torque"
  assert abs(p2.v - 2) < 1e-8 and abs(p1.v + 6) < 1e-8, "force"
end

test "sensors on a turning arm"
  world : World(gravityType = NoGravity)
  j : Revolute(phi(start = pi / 2, fixed), w(start = 2, fixed))
  arm : FixedTranslation(r = {0.5, 0, 0})
  cut : CutForceAndTorque
  tip : Body(m = 3, I_33 = 0.1)
  r : AbsolutePosition(resolveInFrame = ResolveInFrameA.world)
  v : AbsoluteVelocity
  a : AbsoluteAcceleration
  angles : AbsoluteAngles
  rel : RelativePosition
  rev : RelativeVelocity
  row : RelativeAngularVelocity(resolveInFrame = ResolveInFrameAB.frame_b)
  d : Distance
  power : Power
  connect world.frame_b, j.frame_a, rel.frame_a, rev.frame_b, row.frame_a, d.frame_a
  connect j.frame_b, arm.frame_a
  connect arm.frame_b, cut.frame_a
  connect cut.frame_b, power.frame_a
  connect power.frame_b, tip.frame_a, r.frame_a, v.frame_a, a.frame_a, angles.frame_a, rel.frame_b, rev.frame_a,
      row.frame_b, d.frame_b
  :simulate until 1 tol 1e-10
  assert abs(r.r[1] - 0.5 * cos(pi / 2 + 2)) < 1e-9 and abs(rel.r_rel[2] - 0.5 * sin(pi / 2 + 2)) < 1e-9, "position"
  assert abs(v.v[2] - 1) < 1e-9 and abs(a.a[1] + 2) < 1e-9 and abs(row.w_rel[3] - 2) < 1e-9, "w*r, -w^2*r, w"
  assert abs(rev.v_rel[1]) + abs(rev.v_rel[2]) < 1e-9, "seen from the arm the origin stands still"
  assert abs(cut.force[1] + 3 * 2) < 1e-8 and abs(cut.torque[3]) < 1e-9 and abs(power.power) < 1e-8, "centripetal force"
  assert abs(angles.angles[3] - (pi / 2 + 2 - 2 * pi)) < 1e-9 and abs(d.distance - 0.5) < 1e-12, "angle, distance"
end

test "a force of the translational library along a line"
  world : World(gravityType = NoGravity)
  p : PointMass(m = 2, r_0(start = {3, 4, 0}, fixed), v_0(fixed))
  line : LineForceWithMass
  spring : translational.Spring(c = 8, s_rel0 = 4)
  connect world.frame_b, line.frame_a
  connect line.frame_b, p.frame_a
  connect line.flange_a, spring.flange_a
  connect line.flange_b, spring.flange_b
  :simulate until 1 tol 1e-10
  assert abs(line.length - (4 + cos(2))) < 1e-8, "w^2 = c/m"
end

test "a heavy spring: its mass takes part, at a quarter where it is in the middle"
  world : World(g = 10)
  slide : Prismatic(n = {0, -1, 0}, s(start = 1, fixed), v(start = 0, fixed))
  load : Body(m = 2)
  spring : Spring(c = 50, s_unstretched = 0.8, m = 1)
  connect world.frame_b, slide.frame_a, spring.frame_a
  connect slide.frame_b, load.frame_a, spring.frame_b
  // swinging sideways: a point mass on a spring from two sides
  post : FixedTranslation(r = {2, 0, 0})
  bead : PointMass(m = 0.5, r_0(start = {1, 0.1, 0}, fixed), v_0(fixed))
  left : Spring(c = 20, s_unstretched = 0.5, m = 0.3, lengthFraction = 1)
  right : Spring(c = 20, s_unstretched = 0.5)
  more : PointMass(m = 0.8, r_0(start = {1, 0.1, 0}, fixed), v_0(fixed))
  left2, right2 : Spring(c = 20, s_unstretched = 0.5)
  connect world.frame_b, post.frame_a, left.frame_a, left2.frame_a
  connect post.frame_b, right.frame_b, right2.frame_b
  connect left.frame_b, right.frame_a, bead.frame_a
  connect left2.frame_b, right2.frame_a, more.frame_a
  variable y(start = 1, fixed)
  variable v(start = 0, fixed) = der(y)
  (2 + 1 / 4) * der(v) = 10 * (2 + 1 / 2) - 50 * (y - 0.8)
  :simulate until 1 tol 1e-9
  assert abs(slide.s - y) < 1e-7, "M + m/4 moves, M + m/2 pulls"
  assert max(abs(bead.r_0[k] - more.r_0[k]) for k in 1:3) < 1e-7, "a mass at the end is part of what hangs there"
end

test "sensors of all that frames do"
  world : World
  j1 : Revolute(n = {0, 0, 1}, phi(start = 0.3, fixed), w(start = 2, fixed))
  a : BodyShape(r = {0.5, 0, 0}, r_CM = {0.2, 0, 0}, I_11 = 0.1, I_22 = 0.2, I_33 = 0.2)
  j2 : Revolute(n = {0, 1, 0}, phi(start = 0.5, fixed), w(start = -3, fixed))
  b : BodyShape(r = {0.4, 0.1, 0}, r_CM = {0.1, 0, 0}, I_11 = 0.1, I_22 = 0.2, I_33 = 0.2)
  at : AbsoluteSensor(resolveInFrame = world, get_r = true, get_v = true, get_a = true, get_w = true, get_z = true)
  own : AbsoluteSensor(sequence = {3, 2, 1}, guessAngle1 = -2, get_angles = true)
  model Relative extends RelativeSensor(get_r_rel = true, get_v_rel = true, get_a_rel = true, get_w_rel = true,
      get_z_rel = true) "its vectors fit each other"
    variable v[3] = der(r_rel)
    variable a[3] = der(v_rel)
    variable z[3] = der(w_rel)
    variable misfit = noEvent(max(abs(v[k] - v_rel[k]) + abs(a[k] - a_rel[k]) + abs(z[k] - z_rel[k]) for k in 1:3))
  end
  in_world : Relative(resolveInFrame = world)
  in_a : Relative
  in_b : Relative(resolveInFrame = frame_b)
  in_other : Relative(resolveInFrame = frame_resolve)
  seen : RelativeSensor(resolveInFrame = frame_b, resolveInFrameAfterDifferentiation = frame_a, get_v_rel = true)
  turn : RelativeAngles(sequence = {2, 1, 3})
  connect world.frame_b, j1.frame_a
  connect j1.frame_b, a.frame_a
  connect a.frame_b, j2.frame_a
  connect j2.frame_b, b.frame_a
  connect b.frame_b, at.frame_a, own.frame_a, in_world.frame_b, in_a.frame_b, in_b.frame_b, in_other.frame_b,
      seen.frame_b, turn.frame_b
  connect a.frame_a, in_world.frame_a, in_a.frame_a, in_b.frame_a, in_other.frame_a, seen.frame_a, turn.frame_a
  tilt : FixedRotation(n = {1, 2, 3}, angle = 0.7)
  connect b.frame_a, tilt.frame_a
  connect tilt.frame_b, in_other.frame_resolve
  variable v[3] = der(at.r)
  variable acc[3] = der(at.v)
  variable z[3] = der(at.w)
  :simulate until 1 tol 1e-10
  assert max(abs(v[k] - at.v[k]) + abs(acc[k] - at.a[k]) + abs(z[k] - at.z[k]) for k in 1:3) < 1e-8,
      "derivatives in the world"
  assert in_world.misfit < 1e-8 and in_a.misfit < 1e-8 and in_b.misfit < 1e-8, "in the world, in frame_a, in frame_b"
  assert in_other.misfit < 1e-8, "and in another frame"
  assert max(abs(seen.v_rel[k] - in_b.frame_a.R.T[k, :] * (in_b.frame_b.R.T' * in_b.v_rel)) for k in 1:3) < 1e-8,
      "resolved in frame_a afterwards"
  assert abs(in_a.w_rel[2] - j2.w) + abs(in_b.z_rel[2] - j2.a) + abs(turn.angles[1] - j2.phi) < 1e-8,
      "the joint between"
  assert abs(own.angles[1] - j1.phi) + abs(own.angles[2] - j2.phi) + abs(own.angles[3]) < 1e-8, "angles"
  assert abs(in_b.r_rel[1] - (0.4 + 0.5 * cos(j2.phi))) < 1e-8, "resolved in frame_b"
end

test "angles of any sequence, nearer to a guess; vectors in other frames"
  world : World
  arm : FixedRotation(rotationType = PlanarRotationSequence, sequence = {1, 2, 3}, angles = {2.5, 0.4, -0.7})
  tool : FixedRotation(rotationType = PlanarRotationSequence, sequence = {3, 1, 3}, angles = {0.3, 1.2, -2})
  near_zero : AbsoluteAngles
  near_three : AbsoluteAngles(guessAngle1 = 3)
  euler : RelativeAngles(sequence = {3, 1, 3})
  euler_far : RelativeAngles(sequence = {3, 1, 3}, guessAngle1 = -3)
  connect world.frame_b, arm.frame_a
  connect arm.frame_b, tool.frame_a, near_zero.frame_a, near_three.frame_a, euler.frame_a, euler_far.frame_a
  connect tool.frame_b, euler.frame_b, euler_far.frame_b
  to_world : TransformAbsoluteVector(frame_r_out = world)
  and_back : TransformAbsoluteVector(frame_r_in = world)
  to_other : TransformAbsoluteVector(frame_r_out = frame_resolve)
  to_b : TransformRelativeVector(frame_r_out = frame_b)
  b_to_world : TransformRelativeVector(frame_r_in = frame_b, frame_r_out = world)
  through : TransformRelativeVector(frame_r_in = frame_resolve, frame_r_out = frame_resolve)
  connect arm.frame_b, to_world.frame_a, and_back.frame_a, to_other.frame_a, to_b.frame_a, b_to_world.frame_a,
      through.frame_a
  connect tool.frame_b, to_other.frame_resolve, to_b.frame_b, b_to_world.frame_b, through.frame_b, through.frame_resolve
  parameter x[3] = {1, -2, 0.5}
  to_world.r_in = x
  and_back.r_in = to_world.r_out
  to_other.r_in = x
  to_b.r_in = x
  b_to_world.r_in = to_b.r_out
  through.r_in = x
  :simulate until 0
  assert abs(near_three.angles[1] - 2.5) + abs(near_three.angles[2] - 0.4) + abs(near_three.angles[3] + 0.7) < 1e-14,
      "as given"
  assert abs(near_zero.angles[1] - (2.5 - pi)) + abs(near_zero.angles[2] - (pi - 0.4)) + abs(near_zero.angles[3] -
      (pi - 0.7)) < 1e-14, "the other angles that give the same"
  assert abs(euler.angles[1] - 0.3) + abs(euler.angles[2] - 1.2) + abs(euler.angles[3] + 2) < 1e-14, "Euler's angles"
  assert abs(euler_far.angles[1] - (0.3 - pi)) + abs(euler_far.angles[2] + 1.2) + abs(euler_far.angles[3] -
      (pi - 2)) < 1e-14, "or these"
  assert max(abs(to_world.r_out[k] - arm.frame_b.R.T[:, k] * x) for k in 1:3) < 1e-14, "to the world"
  assert max(abs(and_back.r_out[k] - x[k]) for k in 1:3) < 1e-14, "and back"
  assert max(abs(to_other.r_out[k] - to_b.r_out[k]) for k in 1:3) < 1e-14, "to another frame"
  assert max(abs(b_to_world.r_out[k] - to_world.r_out[k]) for k in 1:3) < 1e-14, "from frame_b to the world"
  assert max(abs(through.r_out[k] - x[k]) for k in 1:3) < 1e-14, "into the frame where it is"
end

test "a cylinder and its piston: masses that the line guides"
  world : World(gravityType = NoGravity)
  // Turned as given, the length free: m_b moves as on a rotating rod, m_a with the hinge. The same of bodies on a slide.
  strut : LineForceWithTwoMasses(m_a = 2, m_b = 3, L_a = 0.2, L_b = 0.3)
  spring : translational.Spring(c = 60, s_rel0 = 0.8)
  tip : PointMass(m = 0.5, r_0(start = {1, 0, 0}, fixed), v_0(start = {0.3, 2, 0.5}, fixed))
  connect world.frame_b, strut.frame_a
  connect strut.frame_b, tip.frame_a
  connect strut.flange_a, spring.flange_a
  connect strut.flange_b, spring.flange_b
  ball : Universal(n_a = {0, 0, 1}, n_b = {0, 1, 0}, phi_a(start = 0, fixed), phi_b(start = 0, fixed), w_a(start = 2,
      fixed), w_b(start = -0.5, fixed))
  cylinder : Body(r_CM = {0.2, 0, 0}, m = 2, I_11 = 0, I_22 = 0, I_33 = 0)
  slide : Prismatic(n = {1, 0, 0}, useAxisFlange = true, s(start = 1, fixed), v(start = 0.3, fixed))
  piston : Body(r_CM = {-0.3, 0, 0}, m = 3, I_11 = 0, I_22 = 0, I_33 = 0)
  load : PointMass(m = 0.5)
  spring2 : translational.Spring(c = 60, s_rel0 = 0.8)
  connect world.frame_b, ball.frame_a
  connect ball.frame_b, cylinder.frame_a, slide.frame_a
  connect slide.frame_b, piston.frame_a, load.frame_a
  connect slide.support, spring2.flange_a
  connect slide.axis, spring2.flange_b
  :simulate until 2 tol 1e-10
  assert max(abs(tip.r_0[k] - load.r_0[k]) for k in 1:3) < 1e-6, "as of bodies"
  assert max(abs(strut.frame_a.f[k] - ball.frame_a.f[k]) for k in 1:3) < 1e-4, "and so are the forces on the hinge"
end
