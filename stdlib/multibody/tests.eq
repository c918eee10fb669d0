// multibody/tests.eq: parts and joints against closed forms and balances.

test "pendulum: the axis, its reactions, the world's gravity"
  world : World(n = {0, 0, -1})
  j : Revolute(n = {0, 1, 0}, phi(start = 1, fixed), w(start = 0, fixed))
  b : Body(r_CM = {0, 0, -0.5}, m = 2, I_22 = 0.1)
  connect world.frame_b, j.frame_a
  connect j.frame_b, b.frame_a
  variable x(start = 1, fixed)
  variable v(start = 0, fixed) = der(x)
  (0.1 + 2 * 0.5^2) * der(v) = -2 * world.g * 0.5 * sin(x)
  :simulate until 3 tol 1e-10
  assert abs(j.phi - x) < 1e-7 and abs(j.w - v) < 1e-6, "J*phi'' = -m*g*l*sin(phi)"
  assert abs(b.frame_a.f[3] - 2 * (0.5 * v^2 + world.g * cos(x))) < 1e-5, "pull in the direction of the rod"
  assert abs(b.a_0 * b.a_0) < 1e-12 and abs(b.frame_a.t[1]) < 1e-9, "the axis stands still"
end

test "a free body keeps momentum, angular momentum and energy"
  world : World(gravityType = NoGravity)
  model Free extends Body
    variable v_CM[3] = frame_a.R.T' * (frame_a.motion.v + cross(w_a, r_CM))
    variable L[3] = frame_a.R.T' * (I * w_a) + cross(r_0 + frame_a.R.T' * r_CM, m * v_CM)
    variable E = m * (v_CM * v_CM) / 2 + w_a * (I * w_a) / 2
  end
  b : Free(r_CM = {0.2, -0.1, 0.3}, m = 3, I_11 = 0.2, I_22 = 0.5, I_33 = 0.6, I_21 = 0.05, I_31 = -0.02, I_32 = 0.03,
      r_0(start = {1, 2, 3}, fixed), v_0(start = {1, -1, 0.5}, fixed), angles_fixed = true, angles_start = {0.3, 0.4,
      0.5}, w_0_fixed = true, w_0_start = {1, 5, -2})
  parameter v0[3](fixed = false)
  parameter L0[3](fixed = false)
  parameter E0(fixed = false)
  initial
    v0 = b.v_CM
    L0 = b.L
    E0 = b.E
  end
  :simulate until 5 tol 1e-11
  assert (b.v_CM - v0) * (b.v_CM - v0) < 1e-14, "momentum"
  assert (b.L - L0) * (b.L - L0) < 1e-12, "angular momentum"
  assert abs(b.E - E0) < 1e-7, "energy"
  assert abs(b.Q * b.Q - 1) < 1e-8, "length of the quaternion"
end

test "an axially symmetric free body: its angular velocity turns about the axis at (I_33 - I_11)/I_11*w_3"
  world : World(gravityType = NoGravity)
  b : Body(I_11 = 0.2, I_22 = 0.2, I_33 = 0.3, angles_fixed = true, w_0_fixed = true, w_0_start = {1, 0, 4}, r_0(fixed),
      v_0(fixed))
  :simulate until 3 tol 1e-11
  assert abs(b.w_a[1] - cos(6)) < 1e-8 and abs(b.w_a[2] - sin(6)) < 1e-8 and abs(b.w_a[3] - 4) < 1e-9, "precession"
end

test "start values: angles, angular velocity and acceleration are what they are in the world frame"
  world : World(gravityType = NoGravity)
  b : Body(I_11 = 0.2, I_22 = 0.5, I_33 = 0.6, angles_fixed = true, angles_start = {0.3, -0.4, 0.5}, sequence_start =
      {3, 1, 2}, w_0_fixed = true, w_0_start = {1, 5, -2}, r_0(fixed), v_0(fixed))
  angles : AbsoluteAngles(sequence = {3, 1, 2})
  w : AbsoluteAngularVelocity(resolveInFrame = ResolveInFrameA.world)
  connect b.frame_a, angles.frame_a, w.frame_a
  :simulate until 1
  assert abs(angles.angles[1] - 0.3) + abs(angles.angles[2] + 0.4) + abs(angles.angles[3] - 0.5) < 1e-10, "angles" at 0
  assert abs(w.w[1] - 1) + abs(w.w[2] - 5) + abs(w.w[3] + 2) < 1e-10, "angular velocity" at 0
end

test "start angles of bodies behind joints hold, however far from the joints' guesses"
  world : World
  hinge[3] : Revolute(n = {0, 0, 1})
  arm[3] : Body(r_CM = {1, 0, 0}, angles_fixed = true, angles_start = {{0, 0, 2}, {0, 0, 2.8}, {0, 0, -3}})
  ball : Spherical
  top : Body(r_CM = {1, 0, 0}, angles_fixed = true, angles_start = {2.8, 0.3, 2.5})
  for k in 1:3
    connect world.frame_b, hinge[k].frame_a
    connect hinge[k].frame_b, arm[k].frame_a
  end
  connect world.frame_b, ball.frame_a
  connect ball.frame_b, top.frame_a
  parameter R[3, 3] = axesRotations({1, 2, 3}, {2.8, 0.3, 2.5})
  variable apart = max(max(abs(top.frame_a.R.T[i, k] - R[i, k]) for i in 1:3) for k in 1:3)
  :simulate until 0.1
  assert abs(hinge[1].phi - 2) < 1e-9 and abs(hinge[2].phi - 2.8) < 1e-9 and abs(hinge[3].phi + 3) < 1e-9, "not half a turn off" at 0
  assert apart < 1e-9 at 0
end

test "circular orbit about a point"
  world : World(gravityType = PointGravity, mu = 8)
  p : PointMass(m = 3, r_0(start = {2, 0, 0}, fixed), v_0(start = {0, 0, 2}, fixed))
  b : Body(m = 5, r_0(start = {0, 2, 0}, fixed), v_0(start = {2, 0, 0}, fixed), angles_fixed = true, w_0_fixed = true)
  :simulate until 3 tol 1e-11
  assert abs(p.r_0[1] - 2 * cos(3)) < 1e-7 and abs(p.r_0[3] - 2 * sin(3)) < 1e-7, "mu = r*v^2"
  assert abs(b.r_0[2] - 2 * cos(3)) < 1e-7 and abs(b.r_0[1] - 2 * sin(3)) < 1e-7, "of a body"
end

test "solids: mass, centre and inertia of a box and a tube"
  world : World
  j1, j2 : Revolute(n = {0, 1, 0}, phi(start = 0, fixed), w(start = 3, fixed))
  box : BodyBox(r = {0, 0, 2}, r_shape = {0, 0, 1}, width = 0.3, height = 0.2, innerWidth = 0.1, density = 1000)
  tube : BodyCylinder(r = {3, 4, 0}, diameter = 0.4, innerDiameter = 0.2, density = 500)
  j3 : Revolute(n = {0, 1, 0}, phi(start = 0, fixed), w(start = 3, fixed))
  mast : BodyBox(r = {0, 2, 0}, width = 0.3, height = 0.2, density = 1000)
  connect j3.frame_b, mast.frame_a
  connect world.frame_b, j1.frame_a, j2.frame_a, j3.frame_a
  connect j1.frame_b, box.frame_a
  connect j2.frame_b, tube.frame_a
  :simulate until 0.1
  assert abs(box.m - 50) < 1e-10 and abs(box.r_CM[3] - 1.5) < 1e-12, "box: 1000*1*(0.3*0.2 - 0.1*0.1)"
  assert abs(box.I[2, 2] - (60 * (1 + 0.04) - 10 * (1 + 0.01)) / 12) < 1e-10,
      "about its width: m/12*(length^2 + height^2)"
  assert abs(mast.I[2, 2] - 120 * 0.13 / 12) < 1e-10 and abs(mast.I[3, 3] - 120 * 4.09 / 12) < 1e-10,
      "a box along the direction that its width has by itself: its width is across"
  assert abs(tube.m - 500 * 5 * pi * (0.04 - 0.01)) < 1e-9, "tube"
  assert abs(0.6 * tube.I[1, 1] + 0.8 * tube.I[1, 2] - 0.6 * tube.m * (0.2^2 + 0.1^2) / 2) < 1e-9,
      "its axis is a main one: m*(R^2 + r^2)/2"
end

test "a loop closes with the two frames of a body alike, not half a turn apart, wherever its angles are looked for first"
  world : World
  crank : BodyShape(r = {0.4, 0, 0}, r_CM = {0.2, 0.02, 0}, m = 1.2)
  coupler : BodyShape(r = {1.1, 0, 0}, r_CM = {0.44, 0.1, 0.03}, m = 2)
  rocker : BodyShape(r = {0.8, 0, 0}, r_CM = {0.48, 0, 0}, m = 1.5)
  ground : FixedTranslation(r = {1, 0, 0})
  j1 : Revolute(phi(start = -0.9, fixed), w(start = -4, fixed))
  j2 : Revolute(phi(start = 1.7967349494790181))
  j3 : Revolute(phi(start = -3.06951724199623))
  j4 : Revolute(phi(start = -0.9702997646337022))
  connect coupler.frame_a, j2.frame_b
  connect world.frame_b, ground.frame_a, j1.frame_b
  connect j1.frame_a, crank.frame_a
  connect ground.frame_b, j4.frame_a
  connect crank.frame_b, j2.frame_a
  connect j3.frame_b, coupler.frame_b
  connect rocker.frame_a, j4.frame_b
  connect rocker.frame_b, j3.frame_a
  variable apart = max(max(abs(coupler.frame_a.R.T[i, k] - coupler.frame_b.R.T[i, k]) for i in 1:3) for k in 1:3)
  :simulate until 0.1 tol 1e-8
  assert apart < 1e-9 at 0
  assert apart < 1e-9
end
