// multibody/tests_drives.eq: parts of drive trains on moving bodies, against the same parts as bodies, and momentum.

test "a rotor on a tumbling housing is as good as a body on a joint"
  world : World(gravityType = NoGravity)
  base : Body(m = 2, I_11 = 0.2, I_22 = 0.3, I_33 = 0.4, angles_fixed = true, w_0_fixed = true, w_0_start = {1, 2, -1},
      r_0(fixed), v_0(fixed))
  axle : Revolute(n = {1, 0, 0}, useAxisFlange = true, phi(start = 0, fixed), w(start = 20, fixed))
  wheel : Body(m = 1, I_11 = 0.05, I_22 = 0, I_33 = 0)
  drive1, drive2 : rotational.Torque(useSupport = true)
  housing : Body(m = 3, I_11 = 0.25, I_22 = 0.3, I_33 = 0.4, angles_fixed = true, w_0_fixed = true, w_0_start = {1, 2,
      -1}, r_0(fixed), v_0(fixed))
  rotor : Rotor1D(J = 0.05, n = {1, 0, 0}, phi(start = 0, fixed), w(start = 20, fixed))
  mount : Mounting1D(n = {1, 0, 0})
  drive1.tau = sin(5 * time)
  drive2.tau = sin(5 * time)
  connect base.frame_a, axle.frame_a
  connect axle.frame_b, wheel.frame_a
  connect drive1.flange, axle.axis
  connect drive1.support, axle.support
  connect housing.frame_a, rotor.frame_a, mount.frame_a
  connect drive2.flange, rotor.flange_a
  connect drive2.support, mount.flange_b
  :simulate until 2 tol 1e-10
  assert max(abs(base.w_a[k] - housing.w_a[k]) for k in 1:3) < 1e-7, "the housing's motion"
  assert abs(axle.phi - rotor.phi) < 1e-6, "the rotor's"
end

test "a bevel gear between two rotors: the momentum stays, the ratio holds, the housing takes what is left"
  world : World(gravityType = NoGravity)
  base : Body(m = 1, I_11 = 0.2, I_22 = 0.3, I_33 = 0.4, angles_fixed = true, w_0_fixed = true, w_0_start = {0.3, 0,
      0.2}, r_0(fixed), v_0(fixed))
  a : Rotor1D(J = 0.01, n = {1, 0, 0}, phi(start = 0, fixed), w(start = 30, fixed))
  b : Rotor1D(J = 0.04, n = {0, 1, 0})
  gear : BevelGear1D(ratio = 3, n_a = {1, 0, 0}, n_b = {0, 1, 0})
  drive : rotational.Torque(useSupport = true)
  mount : Mounting1D(n = {1, 0, 0})
  drive.tau = 0.3 * cos(4 * time)
  connect base.frame_a, a.frame_a, b.frame_a, gear.frame_a, mount.frame_a
  connect drive.flange, a.flange_a
  connect drive.support, mount.flange_b
  connect a.flange_b, gear.flange_a
  connect gear.flange_b, b.flange_a
  variable L[3] = base.frame_a.R.T' * {0.2 * base.w_a[1] + 0.01 * a.w, 0.3 * base.w_a[2] + 0.04 * b.w, 0.4 *
      base.w_a[3]}
  parameter L0[3](fixed = false)
  initial L0 = L
  :simulate until 2 tol 1e-10
  assert max(abs(L[k] - L0[k]) for k in 1:3) < 1e-8, "angular momentum"
  assert abs(a.phi - 3 * b.phi) < 1e-8, "ratio"
end

test "drive trains without 3D effects are those of the rotational library"
  world : World(driveTrainMechanics3D = false)
  arm : Revolute(n = {0, 1, 0}, phi(start = 0, fixed), w(start = 2, fixed))
  body : Body(I_22 = 0.1)
  rotor : Rotor1D(J = 0.2, phi(start = 0, fixed), w(start = 0, fixed))
  mount : Mounting1D(n = {1, 0, 0})
  gear : BevelGear1D(ratio = 2)
  load : Rotor1D(J = 0.8)
  drive : rotational.Torque(useSupport = true)
  drive.tau = 1
  connect world.frame_b, arm.frame_a
  connect arm.frame_b, body.frame_a, rotor.frame_a, mount.frame_a, gear.frame_a, load.frame_a
  connect drive.flange, rotor.flange_a
  connect drive.support, mount.flange_b
  connect rotor.flange_b, gear.flange_a
  connect gear.flange_b, load.flange_a
  :simulate until 1 tol 1e-8
  assert abs(rotor.w - 1 / (0.2 + 0.8 / 4)) < 1e-7 and abs(arm.w - 2) < 1e-9,
      "tau/(J_a + J_b/ratio^2), and nothing on the arm"
end
