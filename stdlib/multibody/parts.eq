// multibody/parts.eq: fixed frames, rigid connections, bodies.

model Fixed "Frame fixed in the world at r, with the axes of the world: frame_b.r_0 = r. [MSL]"
  parameter r[3] : m = {0, 0, 0} "position" @structure
  outer world : World
  frame_b : Frame
  root frame_b.R
  root frame_b.motion
  frame_b.r_0 = r
  frame_b.R = Orientation(identity(3), zeros(3), zeros(3))
  frame_b.motion = Motion(zeros(3), -world.gravity)
end

model FixedTranslation extends Branch "Rigid: frame_b is frame_a moved by r. [MSL]"
  parameter r[3] : m = {0, 0, 0} "from frame_a to frame_b, resolved in frame_a" @structure
  parameter animation : Boolean = true "true: it is drawn"
  private shape : Shape(shapeType = rod, lengthDirection = r, length = sqrt(r * r)) if animation
  frame_b.r_0 = frame_a.r_0 + frame_a.R.T' * r
  frame_b.R = frame_a.R
  frame_b.motion.v = frame_a.motion.v + cross(frame_a.R.w, r)
  frame_b.motion.a = frame_a.motion.a + cross(frame_a.R.z, r) + centripetal(frame_a.R.w) * r
  frame_a.f + frame_b.f = zeros(3)
  frame_a.t + frame_b.t + cross(r, frame_b.f) = zeros(3)
end

model FixedRotation extends Branch
  "Rigid: frame_b is frame_a moved by r and turned by a constant rotation. Angles are in rad (in MSL in degrees). [MSL]"
  parameter r[3] : m = {0, 0, 0} "from frame_a to frame_b, resolved in frame_a" @structure
  parameter rotationType : RotationTypes = RotationAxis "how the rotation is given"
  parameter n[3] : 1 = {1, 0, 0} "RotationAxis: axis, resolved in frame_a" @structure
  parameter angle(min = -2 * pi, max = 2 * pi) : rad = 0 "RotationAxis: angle" @structure
  parameter n_x[3] : 1 = {1, 0, 0} "TwoAxesVectors: first axis of frame_b, resolved in frame_a" @structure
  parameter n_y[3] : 1 = {0, 1, 0} "TwoAxesVectors: towards the second axis of frame_b, resolved in frame_a" @structure
  parameter sequence[3](min = 1, max = 3) : Integer = {1, 2, 3} "PlanarRotationSequence: axes"
  parameter angles[3](min = -2 * pi, max = 2 * pi) : rad = {0, 0, 0} "PlanarRotationSequence: angles" @structure
  private parameter R_rel[3, 3] : 1 = if rotationType == RotationAxis then planarRotation(unit(n),
      angle) elseif rotationType == TwoAxesVectors then if n_x[1] > 0 and n_x[2] == 0 and
      n_x[3] == 0 then planarRotation({1, 0, 0}, atan2(n_y[3], n_y[2])) else from_nxy(n_x,
      n_y) else axesRotations(sequence, angles) @structure
  parameter animation : Boolean = true "true: it is drawn"
  private shape : Shape(shapeType = rod, lengthDirection = r, length = sqrt(r * r)) if animation
  private variable v_r[3] : m/s = frame_a.motion.v + cross(frame_a.R.w, r) "velocity at r, resolved in frame_a"
  private variable a_r[3] : m/s^2 = frame_a.motion.a + cross(frame_a.R.z, r) + centripetal(frame_a.R.w) *
      r "acceleration at r, resolved in frame_a"
  private variable f_r[3] : N = -frame_a.f "force at r, resolved in frame_a"
  private variable t_r[3] : N*m "torque at r, resolved in frame_a"
  if rotationType == TwoAxesVectors
    assert cross(n_x, n_y) * cross(n_x, n_y) > 0, "n_x and n_y must not be parallel, nor zero"
  end
  frame_b.r_0 = frame_a.r_0 + frame_a.R.T' * r
  if rooted(frame_a.R)
    frame_b.R = Orientation(R_rel * frame_a.R.T, R_rel * frame_a.R.w, R_rel * frame_a.R.z)
    frame_b.motion = Motion(R_rel * v_r, R_rel * a_r)
    f_r = R_rel' * frame_b.f
    t_r = R_rel' * frame_b.t
    frame_a.t + t_r + cross(r, f_r) = zeros(3)
  else
    frame_a.R = Orientation(R_rel' * frame_b.R.T, R_rel' * frame_b.R.w, R_rel' * frame_b.R.z)
    v_r = R_rel' * frame_b.motion.v
    a_r = R_rel' * frame_b.motion.a
    frame_a.t + t_r = cross(r, frame_a.f)
    frame_b.f = R_rel * f_r
    frame_b.t = R_rel * t_r
  end
end

partial model BodyStart "How a body starts. [MSL Body]"
  parameter angles_fixed : Boolean = false "true: the start angles hold"
  parameter angles_start[3] : rad = {0, 0, 0} "start angles about the axes sequence_start"
  parameter sequence_start[3](min = 1, max = 3) : Integer = {1, 2, 3} "axes of the start angles"
  parameter w_0_fixed : Boolean = false "true: the start angular velocity holds"
  parameter w_0_start[3] : rad/s = {0, 0, 0} "start angular velocity, resolved in the world frame"
  parameter z_0_fixed : Boolean = false "true: the start angular acceleration holds"
  parameter z_0_start[3] : rad/s^2 = {0, 0, 0} "start angular acceleration, resolved in the world frame"
end

model Body extends BodyStart
  """Rigid body (Newton, Euler): f = m*(a_CM - g), t = I*z + w x (I*w) + r_CM x f. Where nothing else determines its motion it has
  states of its own: r_0, v_0, w_a and the quaternion Q, whose length is free. [MSL]"""
  parameter r_CM[3] : m = {0, 0, 0} "from frame_a to the centre of mass, resolved in frame_a" @structure
  parameter m(min = 0) : kg = 1 "mass"
  parameter I_11(min = 0) : kg*m^2 = 0.001 "moment of inertia about the first axis, at the centre of mass"
  parameter I_22(min = 0) : kg*m^2 = 0.001 "about the second axis"
  parameter I_33(min = 0) : kg*m^2 = 0.001 "about the third axis"
  parameter I_21 : kg*m^2 = 0 "element (2, 1) of the inertia tensor" @structure
  parameter I_31 : kg*m^2 = 0 "element (3, 1) of the inertia tensor" @structure
  parameter I_32 : kg*m^2 = 0 "element (3, 2) of the inertia tensor" @structure
  parameter animation : Boolean = true "true: it is drawn"
  outer world : World
  frame_a : Frame
  variable r_0[3](state = avoid) : m = frame_a.r_0 "position of frame_a, resolved in the world frame"
  variable v_0[3](state = avoid) : m/s "velocity of frame_a, der(r_0)"
  variable a_0[3] : m/s^2 "acceleration of frame_a, der(v_0)"
  variable w_a[3](state = avoid) : rad/s = frame_a.R.w "angular velocity, resolved in frame_a"
  variable z_a[3] : rad/s^2 = frame_a.R.z "angular acceleration, resolved in frame_a"
  variable Q[4](start = axes_Q(sequence_start, angles_start)) : 1 "orientation as a quaternion, where it is a state"
  private parameter I[3, 3] : kg*m^2 = [I_11, I_21, I_31; I_21, I_22, I_32; I_31, I_32, I_33] @structure
  private parameter h[3] : kg*m = m * r_CM @structure
  private parameter I_O[3, 3] : kg*m^2 = I + r_CM * h * identity(3) - outer_product(r_CM,
      h) "inertia tensor at the origin of frame_a" @structure
  private shape : InertiaShape(r_shape = r_CM, m = m, I = I) if animation
  private arm : Shape(shapeType = rod, lengthDirection = r_CM, length = sqrt(r_CM * r_CM)) if animation
  private variable W[3, 3] = centripetal(frame_a.R.w)
  private variable a_CM[3] : m/s^2 = frame_a.motion.a + cross(frame_a.R.z,
      r_CM) "of the centre of mass, without the centripetal part"
  root frame_a.R, 5
  root frame_a.motion, 5
  a_0 = frame_a.R.T' * frame_a.motion.a + world.gravity
  if world.gravityType == PointGravity
    frame_a.f = m * a_CM + W * h - m * (frame_a.R.T * pointGravity(world.mu, r_0 + frame_a.R.T' * r_CM))
    frame_a.t = I * frame_a.R.z + cross(r_CM, frame_a.f - W * h) + gyroscopic(I_O, W)
  else
    frame_a.f = m * a_CM + W * h
    frame_a.t = I * frame_a.R.z + cross(h, a_CM) + gyroscopic(I_O, W)
  end
  if rooted(frame_a.R)
    frame_a.R.T = from_Q(Q)
    der(Q) = derivative_Q(Q, w_a)
    der(w_a) = z_a
  else
    Q = {0, 0, 0, 1}
  end
  if rooted(frame_a.motion)
    frame_a.motion.v = frame_a.R.T * v_0
    der(r_0) = v_0
    der(v_0) = a_0
  else
    v_0 = frame_a.R.T' * frame_a.motion.v
  end
  initial if rooted(frame_a.R) and angles_fixed
    Q = axes_Q(sequence_start, angles_start)
  elseif rooted(frame_a.R)
    Q * Q = 1
  elseif angles_fixed
    separation(frame_a.R.T, axesRotations(sequence_start, angles_start)) = zeros(3)
  end
  initial if w_0_fixed
    frame_a.R.T' * w_a = w_0_start
  end
  initial if z_0_fixed
    frame_a.R.T' * z_a = z_0_start
  end
end

model BodyShape extends BodyStart "Rigid body with two frames, frame_b at r. [MSL]"
  parameter r[3] : m = {0, 0, 0} "from frame_a to frame_b, resolved in frame_a" @structure
  parameter r_CM[3] : m = {0, 0, 0} "from frame_a to the centre of mass, resolved in frame_a" @structure
  parameter m(min = 0) : kg = 1 "mass"
  parameter I_11(min = 0) : kg*m^2 = 0.001 "moment of inertia about the first axis, at the centre of mass"
  parameter I_22(min = 0) : kg*m^2 = 0.001 "about the second axis"
  parameter I_33(min = 0) : kg*m^2 = 0.001 "about the third axis"
  parameter I_21 : kg*m^2 = 0 "element (2, 1) of the inertia tensor" @structure
  parameter I_31 : kg*m^2 = 0 "element (3, 1) of the inertia tensor" @structure
  parameter I_32 : kg*m^2 = 0 "element (3, 2) of the inertia tensor" @structure
  frame_a, frame_b : Frame
  variable r_0[3] : m = body.r_0 "position of frame_a, resolved in the world frame"
  variable v_0[3] : m/s = body.v_0 "velocity of frame_a, der(r_0)"
  variable a_0[3] : m/s^2 = body.a_0 "acceleration of frame_a, der(v_0)"
  parameter animation : Boolean = true "true: it is drawn"
  frameTranslation : FixedTranslation(r = r, animation = animation)
  body : Body(animation = animation, r_CM = r_CM, m = m, I_11 = I_11, I_22 = I_22, I_33 = I_33, I_21 = I_21, I_31 =
      I_31, I_32 = I_32, angles_fixed = angles_fixed, angles_start = angles_start, sequence_start = sequence_start,
      w_0_fixed = w_0_fixed, w_0_start = w_0_start, z_0_fixed = z_0_fixed, z_0_start = z_0_start)
  connect frame_a, frameTranslation.frame_a, body.frame_a
  connect frameTranslation.frame_b, frame_b
end

partial model SolidBody extends BodyStart "Body of a solid of uniform density along the line from r_shape to r. What solid, a class that extends this says."
  parameter r[3] : m = {0.1, 0, 0} "from frame_a to frame_b, resolved in frame_a" @structure
  parameter r_shape[3] : m = {0, 0, 0} "from frame_a to where the solid begins, resolved in frame_a" @structure
  parameter length(min = 0) : m = sqrt((r - r_shape) * (r - r_shape)) "along the axis"
  parameter density(min = 0) : kg/m^3 = 7700 "density"
  parameter m : kg "mass"
  parameter I[3, 3] : kg*m^2 "inertia tensor at the centre of mass, resolved in frame_a" @structure
  final parameter e[3] : 1 = unit(r - r_shape) "direction of the axis, resolved in frame_a" @structure
  final parameter r_CM[3] : m = r_shape + e * length /
      2 "from frame_a to the centre of mass, resolved in frame_a" @structure
  frame_a, frame_b : Frame
  variable r_0[3] : m = body.r_0 "position of frame_a, resolved in the world frame"
  variable v_0[3] : m/s = body.v_0 "velocity of frame_a, der(r_0)"
  variable a_0[3] : m/s^2 = body.a_0 "acceleration of frame_a, der(v_0)"
  parameter animation : Boolean = true "true: it is drawn"
  frameTranslation : FixedTranslation(r = r, final animation = false)
  body : Body(final animation = false, r_CM = r_CM, m = m, I_11 = I[1, 1], I_22 = I[2, 2], I_33 = I[3, 3], I_21 = I[2,
      1], I_31 = I[3, 1], I_32 = I[3, 2], angles_fixed = angles_fixed, angles_start = angles_start, sequence_start =
      sequence_start, w_0_fixed = w_0_fixed, w_0_start = w_0_start, z_0_fixed = z_0_fixed, z_0_start = z_0_start)
  connect frame_a, frameTranslation.frame_a, body.frame_a
  connect frameTranslation.frame_b, frame_b
end

// Inertia tensors at the centre: of a box with these axes (rows: length, width, height), and of a cylinder along e.
function boxInertia(m, size[3], axes[3, 3]) = m / 12 * (axes' * diagonal({size[2]^2 + size[3]^2, size[1]^2 + size[3]^2,
    size[1]^2 + size[2]^2}) * axes)
function cylinderInertia(m, length, radius, e[3]) = m / 12 * ((length^2 + 3 * radius^2) * identity(3) + (3 * radius^2 -
    length^2) * outer_product(e, e))

model BodyBox extends SolidBody(final m = mo - mi, final I = boxInertia(mo, {length, width, height}, axes) -
    boxInertia(mi, {length, innerWidth, innerHeight}, axes))
  "Box, maybe hollow. Its axis goes from r_shape to r, its width along widthDirection. [MSL]"
  parameter widthDirection[3] : 1 = {0, 1,
      0} "direction of the width, resolved in frame_a; its part along the axis does not count. Along the axis: any across it" @structure
  parameter width(min = 0) : m = length / 20 "width"
  parameter height(min = 0) : m = width "height"
  parameter innerWidth(min = 0) : m = 0 "width of the hollow"
  parameter innerHeight(min = 0) : m = innerWidth "height of the hollow"
  final parameter mo : kg = density * length * width * height "mass without the hollow"
  final parameter mi : kg = density * length * innerWidth * innerHeight "mass that the hollow would have"
  private parameter across[3] : 1 = beside(r - r_shape, widthDirection) @structure
  private parameter axes[3, 3] : 1 = from_nxy(r - r_shape, across) @structure
  private shape : Shape(shapeType = box, r_shape = r_shape, lengthDirection = e, widthDirection = across, length =
      length, width = width, height = height, innerWidth = innerWidth, innerHeight = innerHeight) if animation
end

model BodyCylinder extends SolidBody(final m = mo - mi, final I = cylinderInertia(mo, length, diameter / 2, e) -
    cylinderInertia(mi, length, innerDiameter / 2, e))
  "Cylinder, maybe hollow. Its axis goes from r_shape to r. [MSL]"
  parameter diameter(min = 0) : m = length / 20 "diameter"
  parameter innerDiameter(min = 0) : m = 0 "diameter of the hollow"
  final parameter mo : kg = density * length * pi * diameter^2 / 4 "mass without the hollow"
  final parameter mi : kg = density * length * pi * innerDiameter^2 / 4 "mass that the hollow would have"
  private shape : Shape(shapeType = cylinder, r_shape = r_shape, lengthDirection = e, length = length, width = diameter,
      innerWidth = innerDiameter) if animation
end

model PointMass "Mass without extension: f = m*(a - g). It fixes the orientation of its frame where nothing else does. [MSL]"
  parameter m(min = 0) : kg = 1 "mass"
  parameter stateSelect : State = avoid "of r_0 and v_0"
  parameter animation : Boolean = true "true: it is drawn"
  private shape : Shape(shapeType = sphere) if animation
  outer world : World
  frame_a : Frame
  variable r_0[3](state = stateSelect) : m = frame_a.r_0 "position, resolved in the world frame"
  variable v_0[3](state = stateSelect) : m/s "velocity, der(r_0)"
  variable a_0[3] : m/s^2 "acceleration, der(v_0)"
  root frame_a.R, 9
  root frame_a.motion, 9
  a_0 = frame_a.R.T' * frame_a.motion.a + world.gravity
  if world.gravityType == PointGravity
    frame_a.f = m * frame_a.motion.a - m * (frame_a.R.T * pointGravity(world.mu, r_0))
  else
    frame_a.f = m * frame_a.motion.a
  end
  if rooted(frame_a.R)
    frame_a.R = Orientation(identity(3), zeros(3), zeros(3))
  else
    frame_a.t = zeros(3)
  end
  if rooted(frame_a.motion)
    frame_a.motion.v = frame_a.R.T * v_0
    der(r_0) = v_0
    der(v_0) = a_0
  else
    v_0 = frame_a.R.T' * frame_a.motion.v
  end
end
