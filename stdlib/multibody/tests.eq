// multibody/tests.eq: parts, joints and forces against closed forms and balances.

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
  b : Free(r_CM = {0.2, -0.1, 0.3}, m = 3, I_11 = 0.2, I_22 = 0.5, I_33 = 0.6, I_21 = 0.05, I_31 = -0.02, I_32 = 0.03, r_0(start = {1, 2, 3}, fixed),
    v_0(start = {1, -1, 0.5}, fixed), angles_fixed = true, angles_start = {0.3, 0.4, 0.5}, w_0_fixed = true, w_0_start = {1, 5, -2})
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
