// multibody/tests_wheels.eq: rolling wheels against closed forms and balances.

test "a wheel rolls: upright along a line, leaning round a circle, with its energy"
  world : World(g = 10, n = {0, 0, -1})
  straight : RollingWheel(radius = 0.5, m = 3, I_axis = 0.4, I_long = 0.2, der_angles(start = {0, 4, 0}))
  // Pushed at the axle: m + I/radius^2 is to be moved.
  pushed : RollingWheel(radius = 0.5, m = 3, I_axis = 0.4, I_long = 0.2)
  push : WorldForce
  push.force = {2, 0, 0}
  connect push.frame_b, pushed.frame_a
  free : RollingWheel(radius = 0.5, m = 3, I_axis = 0.4, I_long = 0.2, angles(start = {0.2, 0, 0.3}), der_angles(start =
      {0.5, 6, 0.1}))
  variable w[3] = free.body.w_a
  variable v[3] = free.body.v_0
  variable E = 1.5 * (v * v) + (0.2 * w[1]^2 + 0.4 * w[2]^2 + 0.2 * w[3]^2) / 2 + 30 * free.body.r_0[3]
  variable slip[3] = v + cross(free.frame_a.R.T' * w, free.rollingWheel.r_road_0 - free.body.r_0)
  parameter E0(fixed = false)
  initial E0 = E
  :simulate until 1 tol 1e-10
  assert abs(straight.x - 0.5 * 4) < 1e-8 and abs(straight.angles[2] - 4) < 1e-8, "radius*w"
  assert abs(pushed.x - 2 / (3 + 0.4 / 0.25) / 2) < 1e-8, "F*t^2/2/(m + I/radius^2)"
  assert abs(E - E0) < 1e-7, "energy"
  assert slip * slip < 1e-16 and abs(free.rollingWheel.r_road_0[3]) < 1e-10, "no slip, on the road"
end

test "a set of wheels: driven alike it goes straight, driven one by one it turns; the energy is what the drives give"
  world : World(n = {0, 0, -1})
  set : RollingWheelSet(R_wheel = 0.4, m_wheel = 2, I_wheelAxis = 0.1, I_wheelLong = 0.06, track = 1.2)
  car : Body(m = 10, r_CM = {0.2, 0, 0.1}, I_33 = 0.5)
  drive1, drive2 : rotational.Torque(useSupport = true)
  variable work(start = 0, fixed)
  drive1.tau = 2
  drive2.tau = 1
  der(work) = 2 * set.der_theta1 + set.der_theta2
  connect drive1.flange, set.axis1
  connect drive2.flange, set.axis2
  connect drive1.support, drive2.support, set.support
  connect set.frameMiddle, car.frame_a
  alike : RollingWheelSet(R_wheel = 0.4, m_wheel = 2, I_wheelAxis = 0.1, I_wheelLong = 0.06, track = 1.2)
  load : Body(m = 10)
  drive3, drive4 : rotational.Torque(useSupport = true)
  drive3.tau = 1.5
  drive4.tau = 1.5
  connect drive3.flange, alike.axis1
  connect drive4.flange, alike.axis2
  connect drive3.support, drive4.support, alike.support
  connect alike.frameMiddle, load.frame_a
  variable w = car.w_a[3]
  variable v[3] = car.frame_a.motion.v + cross(car.w_a, car.r_CM)
  parameter J = 0.25 + 0.06 "half of what turns about the vertical"
  parameter J_axis = 0.05 "and of a wheel about the axle"
  variable E = car.m * (v * v) / 2 + set.m_wheel * (set.body1.v_0 * set.body1.v_0 + set.body2.v_0 * set.body2.v_0) / 2 +
      J * w^2 + J_axis * (set.der_theta1^2 + set.der_theta2^2)
  :simulate until 2 tol 1e-10
  assert abs(E - work) < 1e-7, "energy"
  assert abs(alike.x - 3 / 0.4 / (14 + 0.2 / 0.16) * 2) < 1e-7 and abs(alike.y) + abs(alike.phi) < 1e-9, "straight on"
  assert abs(set.phi - 0.4 * (set.theta2 - set.theta1) / 1.2) < 1e-8, "turned"
  assert abs(set.body1.v_0 * {-sin(set.phi), cos(set.phi), 0}) < 1e-9, "nothing along the axle"
end

test "a wheel with a rider on a joint, either way round: the same motion, with its energy"
  world : World(g = 10, n = {0, 0, -1})
  partial model Wheel
    outer world : World
    wheel : RollingWheel(radius = 0.5, m = 3, I_axis = 0.4, I_long = 0.2, angles(start = {0.2, 0, 0.1}),
        der_angles(start = {0.2, 5, 0.1}))
    rider : Body(r_CM = {0.1, 0.05, -0.2}, m = 1, I_11 = 0.03, I_22 = 0.04, I_33 = 0.05)
    variable v[3] = wheel.body.v_0
    variable w[3] = wheel.body.w_a
    variable u[3] = rider.frame_a.motion.v + cross(rider.w_a, rider.r_CM)
    variable E = 1.5 * (v * v) + (0.2 * w[1]^2 + 0.4 * w[2]^2 + 0.2 * w[3]^2) / 2 + 30 * wheel.body.r_0[3] + u * u / 2 +
        (0.03 * rider.w_a[1]^2 + 0.04 * rider.w_a[2]^2 + 0.05 * rider.w_a[3]^2) / 2 + 10 * (rider.r_0[3] +
        rider.frame_a.R.T[:, 3] * rider.r_CM)
  end
  model Forwards extends Wheel
    axle : Revolute(n = {0, 1, 0}, phi(start = 0.3, fixed), w(start = -5, fixed))
    connect wheel.frame_a, axle.frame_a
    connect axle.frame_b, rider.frame_a
  end
  model Backwards extends Wheel
    axle : Revolute(n = {0, 1, 0}, phi(start = -0.3, fixed), w(start = 5, fixed))
    connect wheel.frame_a, axle.frame_b
    connect axle.frame_a, rider.frame_a
  end
  a : Forwards
  b : Backwards
  parameter E0(fixed = false)
  initial E0 = a.E
  :simulate until 1 tol 1e-10
  assert abs(a.E - E0) < 1e-6, "energy"
  assert abs(a.wheel.x - b.wheel.x) + abs(a.wheel.y - b.wheel.y) < 1e-7 and abs(a.axle.phi + b.axle.phi) < 1e-7,
      "the same motion"
end
