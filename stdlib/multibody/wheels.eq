// multibody/wheels.eq: wheels that roll on the plane z = 0 without slipping. (MSL has a joint and a part of one name; here the joints are
//   called RollingWheelJoint and RollingWheelSetJoint.)

model RollingWheelJoint
  """Holds a wheel of any lean to the road: its centre moves with v = w x r, r from where it touches to the centre. frame_a is in the centre,
  its y axis along the axle. [MSL Joints.RollingWheel]"""
  parameter radius(min = 0) : m = 0.3 "radius"
  parameter stateSelect : State = always "of x, y, angles and der_angles"
  outer world : World
  frame_a : Frame
  variable x(start = 0, state = stateSelect) : m "of the centre"
  variable y(start = 0, state = stateSelect) : m "of the centre"
  variable z : m = radius * lean "of the centre"
  variable angles[3](start = {0, 0, 0}, state =
      stateSelect) : rad "that turn the world frame to frame_a, about its z, y and x axes"
  variable der_angles[3](start = {0, 0, 0}, state = stateSelect) : rad/s = der(angles) "their derivatives"
  variable r_road_0[3] : m = frame_a.r_0 + delta_0 "where the wheel touches the road"
  variable f_n : N "force of the road, upwards"
  variable f_lat : N "force of the road to the side"
  variable f_long : N "force of the road along the track"
  variable f_wheel_0[3] : N = {0, 0, f_n} + f_lat * e_lat_0 + f_long *
      e_long_0 "force of the road, resolved in the world frame"
  private variable e_axis_0[3] : 1 = frame_a.R.T[2, :] "along the axle"
  private variable lean : 1 = sqrt(e_axis_0[1]^2 + e_axis_0[2]^2) "sine of the angle between axle and vertical"
  private variable e_long_0[3] : 1 = {-e_axis_0[2], e_axis_0[1], 0} / lean "along the track, backwards"
  private variable e_lat_0[3] : 1 = {e_axis_0[1], e_axis_0[2], 0} / lean "across the track"
  private variable delta_0[3] : m = radius * cross(e_long_0, e_axis_0) "from the centre to the road"
  private variable w_0[3] : rad/s = frame_a.R.T' * frame_a.R.w "angular velocity"
  private variable v_0[3] : m/s = cross(delta_0, w_0) "velocity of the centre"
  root frame_a.R
  root frame_a.motion
  assert lean > 0.1, "the wheel lies nearly on the ground", lean
  frame_a.r_0 = {x, y, z}
  frame_a.R = Orientation(axesRotations({3, 2, 1}, angles), axesSpeeds({3, 2, 1}, angles) * der_angles,
      der(frame_a.R.w))
  frame_a.motion = Motion(frame_a.R.T * v_0, frame_a.R.T * (der(v_0) - world.gravity))
  der(x) = v_0[1]
  der(y) = v_0[2]
  frame_a.f + frame_a.R.T * f_wheel_0 = zeros(3)
  frame_a.t + frame_a.R.T * cross(delta_0, f_wheel_0) = zeros(3)
end

model RollingWheel "Wheel that rolls on the plane z = 0, with its mass; its y axis is the axle. [MSL Parts.RollingWheel]"
  parameter radius(min = 0) : m = 0.3 "radius"
  parameter m(min = 0) : kg = 2 "mass"
  parameter I_axis(min = 0) : kg*m^2 = 0.06 "moment of inertia about the axle"
  parameter I_long(min = 0) : kg*m^2 = 0.12 "across the axle"
  parameter stateSelect : State = always "of x, y, angles and der_angles"
  parameter width(min = 0) : m = 0.035 "half the width as it is drawn"
  parameter animation : Boolean = true "true: it is drawn"
  frame_a : Frame
  variable x(start = 0, fixed) : m = rollingWheel.x "of the centre"
  variable y(start = 0, fixed) : m = rollingWheel.y "of the centre"
  variable angles[3](start = {0, 0, 0}, fixed) : rad =
      rollingWheel.angles "that turn the world frame to frame_a, about its z, y and x axes"
  variable der_angles[3](start = {0, 0, 0}, fixed) : rad/s = rollingWheel.der_angles "their derivatives"
  body : Body(m = m, I_11 = I_long, I_22 = I_axis, I_33 = I_long, animation = false)
  rollingWheel : RollingWheelJoint(radius = radius, stateSelect = stateSelect)
  private shape : Shape(shapeType = cylinder, r_shape = {0, -width, 0}, lengthDirection = {0, 1, 0}, length = 2 * width,
      width = 2 * radius, innerWidth = 1.6 * radius) if animation
  private spoke : Shape(shapeType = cylinder, r_shape = {-radius, 0, 0}, length = 2 * radius, width =
      width) if animation
  connect frame_a, body.frame_a, rollingWheel.frame_a
end

model RollingWheelSetJoint
  """Two wheels that turn about one axle of their own accord and roll on the plane z = 0: forwards radius*(w_1 + w_2)/2, turning
  radius*(w_2 - w_1)/track. frameMiddle is in the middle of the axle: x forwards, y to wheel 1, z upwards; it does not pitch.
  The drives of axis1 and axis2 stand on support. [MSL Joints.RollingWheelSet]"""
  parameter radius(min = 0) : m = 0.3 "radius of the wheels"
  parameter track(min = 0) : m = 1 "distance of the wheels"
  parameter stateSelect : State = default "of x, y, phi and the wheels' angles"
  outer world : World
  frameMiddle, frame1, frame2 : Frame
  axis1, axis2, support : rotational.Flange
  variable x(start = 0, state = stateSelect) : m "of the middle"
  variable y(start = 0, state = stateSelect) : m "of the middle"
  variable phi(start = 0, state = stateSelect) : rad "angle of the axle about the vertical"
  variable theta1(start = 0) : rad = revolute1.phi "angle of wheel 1"
  variable theta2(start = 0) : rad = revolute2.phi "angle of wheel 2"
  variable der_theta1(start = 0) : rad/s = revolute1.w "speed of wheel 1"
  variable der_theta2(start = 0) : rad/s = revolute2.w "speed of wheel 2"
  variable f_long1, f_long2 : N "forces of the road on the wheels, forwards"
  variable f_lat : N "force of the road along the axle"
  private variable v : m/s = radius * (revolute1.w + revolute2.w) / 2 "speed forwards"
  private variable w(state = never) : rad/s = radius * (revolute2.w - revolute1.w) / track "turning"
  private rod1 : FixedTranslation(r = {0, track / 2, 0})
  private rod2 : FixedTranslation(r = {0, -track / 2, 0})
  revolute1, revolute2 : Revolute(n = {0, 1, 0}, useAxisFlange = true, stateSelect = stateSelect)
  private contact1, contact2, upright : Reaction
  root frameMiddle.R
  root frameMiddle.motion
  frameMiddle.r_0 = {x, y, radius}
  frameMiddle.R = Orientation(axisRotation(3, phi), {0, 0, w}, {0, 0, der(w)})
  frameMiddle.motion = Motion({v, 0, 0}, {der(v), v * w, 0} - frameMiddle.R.T * world.gravity)
  der(x) = v * cos(phi)
  der(y) = v * sin(phi)
  der(phi) = w
  connect frameMiddle, rod1.frame_a, rod2.frame_a, upright.frame_a
  connect rod1.frame_b, revolute1.frame_a
  connect rod2.frame_b, revolute2.frame_a
  connect revolute1.frame_b, frame1, contact1.frame_a
  connect revolute2.frame_b, frame2, contact2.frame_a
  connect revolute1.axis, axis1
  connect revolute2.axis, axis2
  support.phi = 0
  // The road at the wheels; what keeps the axle level and at its height.
  contact1.f = -revolute1.frame_b.R.T * (frameMiddle.R.T' * {f_long1, f_lat, 0})
  contact1.t = -revolute1.frame_b.R.T * (frameMiddle.R.T' * {radius * f_lat, -radius * f_long1, 0})
  contact2.f = -revolute2.frame_b.R.T * (frameMiddle.R.T' * {f_long2, 0, 0})
  contact2.t = {0, radius * f_long2, 0}
  upright.f[1] = 0
  upright.f[2] = 0
  upright.t[3] = 0
end

model RollingWheelSet "Two wheels with their masses on one axle, rolling on the plane z = 0. [MSL Parts.RollingWheelSet]"
  parameter R_wheel(min = 0) : m = 0.3 "radius of the wheels"
  parameter m_wheel(min = 0) : kg = 2 "mass of a wheel"
  parameter I_wheelAxis(min = 0) : kg*m^2 = 0.06 "moment of inertia of a wheel about the axle"
  parameter I_wheelLong(min = 0) : kg*m^2 = 0.12 "across the axle"
  parameter track(min = 0) : m = 1 "distance of the wheels"
  parameter stateSelect : State = always "of x, y, phi and the wheels' angles"
  parameter width_wheel(min = 0) : m = 0.01 "half the width of a wheel as it is drawn"
  parameter animation : Boolean = true "true: it is drawn"
  frameMiddle, frame1, frame2 : Frame
  axis1, axis2, support : rotational.Flange
  variable x(start = 0, fixed) : m = wheelSetJoint.x "of the middle"
  variable y(start = 0, fixed) : m = wheelSetJoint.y "of the middle"
  variable phi(start = 0, fixed) : rad = wheelSetJoint.phi "angle of the axle about the vertical"
  variable theta1(start = 0, fixed) : rad = wheelSetJoint.theta1 "angle of wheel 1"
  variable theta2(start = 0, fixed) : rad = wheelSetJoint.theta2 "angle of wheel 2"
  variable der_theta1(start = 0, fixed) : rad/s = wheelSetJoint.der_theta1 "speed of wheel 1"
  variable der_theta2(start = 0, fixed) : rad/s = wheelSetJoint.der_theta2 "speed of wheel 2"
  wheelSetJoint : RollingWheelSetJoint(radius = R_wheel, track = track, stateSelect = stateSelect)
  body1, body2 : Body(m = m_wheel, I_11 = I_wheelLong, I_22 = I_wheelAxis, I_33 = I_wheelLong, animation = false)
  shape1, shape2 : FixedShape(shapeType = cylinder, r_shape = {0, -width_wheel, 0}, lengthDirection = {0, 1, 0},
      length = 2 * width_wheel, width = 2 * R_wheel, animation = animation)
  connect wheelSetJoint.frameMiddle, frameMiddle
  connect wheelSetJoint.frame1, frame1, body1.frame_a, shape1.frame_a
  connect wheelSetJoint.frame2, frame2, body2.frame_a, shape2.frame_a
  connect wheelSetJoint.axis1, axis1
  connect wheelSetJoint.axis2, axis2
  connect wheelSetJoint.support, support
end
