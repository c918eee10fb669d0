// multibody/joints.eq: joints between two frames. Where its coordinates are zero, the frames of a joint coincide. Coordinates are those of
//   frame_b relative to frame_a, and preferred states. Each joint may be connected either way round.

partial model Turning extends TwoFrames
  """frame_b turns relative to frame_a. A joint that extends this says how: the rotation and its first two derivatives. Where its branch of
  the tree is a candidate only, and a loop is cut here, they follow from the frames."""
  private variable R_ab[3, 3] : 1 "rotates from frame_a to frame_b"
  private variable w_ab[3] : rad/s "relative angular velocity, resolved in frame_b"
  private variable z_ab[3] : rad/s^2 "relative angular acceleration, der(w_ab)"
  private variable w_0[3] : rad/s "angular velocity of the frame nearer the root, resolved in the other"
  if rooted(frame_a.R) and rooted(frame_b.R)
    frame_b.r_0 = frame_a.r_0 @derivative(frame_b.motion.v - R_ab * frame_a.motion.v, frame_b.motion.a - R_ab *
        frame_a.motion.a) @axes(frame_b.R.T)
    R_ab = frame_b.R.T * frame_a.R.T'
    w_0 = R_ab * frame_a.R.w
    w_ab = frame_b.R.w - w_0
    z_ab = frame_b.R.z - R_ab * frame_a.R.z - cross(w_0, w_ab)
    frame_b.f = -frame_b.R.T * (frame_a.R.T' * frame_a.f)
    frame_a.t = -frame_a.R.T * (frame_b.R.T' * frame_b.t)
  elseif rooted(frame_a.R)
    frame_b.r_0 = frame_a.r_0
    w_0 = R_ab * frame_a.R.w
    frame_b.R = Orientation(R_ab * frame_a.R.T, w_0 + w_ab, R_ab * frame_a.R.z + z_ab + cross(w_0, w_ab))
    frame_b.motion = Motion(R_ab * frame_a.motion.v, R_ab * frame_a.motion.a)
    frame_a.f + R_ab' * frame_b.f = zeros(3)
    frame_a.t + R_ab' * frame_b.t = zeros(3)
  else
    frame_b.r_0 = frame_a.r_0
    w_0 = R_ab' * frame_b.R.w
    frame_a.R = Orientation(R_ab' * frame_b.R.T, w_0 - R_ab' * w_ab, R_ab' * frame_b.R.z - R_ab' * z_ab - cross(w_0,
        R_ab' * w_ab))
    frame_a.motion = Motion(R_ab' * frame_b.motion.v, R_ab' * frame_b.motion.a)
    R_ab * frame_a.f + frame_b.f = zeros(3)
    R_ab * frame_a.t + frame_b.t = zeros(3)
  end
end

partial model Shifting extends Branch
  "frame_b is shifted relative to frame_a by r_ab with velocity v_ab and acceleration a_ab, all resolved in frame_a."
  private variable r_ab[3] : m "position of frame_b relative to frame_a"
  private variable v_ab[3] : m/s "der(r_ab)"
  private variable a_ab[3] : m/s^2 "der(v_ab)"
  frame_b.r_0 = frame_a.r_0 + frame_a.R.T' * r_ab
  frame_b.R = frame_a.R
  frame_b.motion.v = frame_a.motion.v + cross(frame_a.R.w, r_ab) + v_ab
  frame_b.motion.a = frame_a.motion.a + cross(frame_a.R.z, r_ab) + centripetal(frame_a.R.w) * r_ab + 2 *
      cross(frame_a.R.w, v_ab) + a_ab
  frame_a.f + frame_b.f = zeros(3)
  frame_a.t + frame_b.t + cross(r_ab, frame_b.f) = zeros(3)
end

model Revolute extends Turning, Branch "frame_b turns about the axis n by the angle phi; tau drives it. [MSL]"
  parameter useAxisFlange : Boolean = false "true: tau comes from the flange axis; false: tau = 0"
  parameter n[3] : 1 = {0, 0, 1} "axis, the same resolved in frame_a and frame_b" @structure
  parameter stateSelect : State = prefer "of phi and w"
  parameter animation : Boolean = true "true: it is drawn"
  private shape : Shape(shapeType = hinge, lengthDirection = n) if animation
  axis : rotational.Flange if useAxisFlange "drives the joint"
  support : rotational.Flange if useAxisFlange "of the drive, fixed to frame_a"
  final parameter e[3] : 1 = unit(n) "unit vector along the axis" @structure
  variable phi(start = 0, state = stateSelect) : rad "angle" @hint("where nothing behind the joint has a mass or an inertia no equation tells how it moves: give a part there a Body")
  variable w(start = 0, state = stateSelect) : rad/s = der(phi) "speed"
  variable a(start = 0) : rad/s^2 = der(w) "acceleration"
  variable tau : N*m "driving torque"
  variable angle : rad = phi + residue(phi) "the same as phi, which Newton's iteration starts from in closed loops"
  R_ab = planarRotation(e, phi)
  w_ab = e * w
  z_ab = e * a
  tau + e * frame_b.t = 0
  if useAxisFlange
    axis.phi = phi
    axis.tau = tau
    support.phi = 0
  else
    tau = 0
  end
end

model Prismatic extends Shifting "frame_b is shifted along the axis n by s; f drives it. [MSL]"
  parameter useAxisFlange : Boolean = false "true: f comes from the flange axis; false: f = 0"
  parameter n[3] : 1 = {1, 0, 0} "axis, the same resolved in frame_a and frame_b" @structure
  parameter stateSelect : State = prefer "of s and v"
  parameter animation : Boolean = true "true: it is drawn"
  private shape : Shape(shapeType = slide, lengthDirection = n) if animation
  axis : translational.Flange if useAxisFlange "drives the joint"
  support : translational.Flange if useAxisFlange "of the drive, fixed to frame_a"
  final parameter e[3] : 1 = unit(n) "unit vector along the axis" @structure
  variable s(start = 0, state = stateSelect) : m "position" @hint("where nothing behind the joint has a mass or an inertia no equation tells how it moves: give a part there a Body")
  variable v(start = 0, state = stateSelect) : m/s = der(s) "speed"
  variable a(start = 0) : m/s^2 = der(v) "acceleration"
  private variable distance : m = s + residue(s) "the same as s, which Newton's iteration starts from in closed loops"
  variable f : N "driving force"
  r_ab = e * s
  v_ab = e * v
  a_ab = e * a
  f + e * frame_b.f = 0
  if useAxisFlange
    axis.s = s
    axis.f = f
    support.s = 0
  else
    f = 0
  end
end

model Spherical extends Turning
  """frame_b turns freely about the common origin. States are w_rel and the quaternion Q, whose length is free. A loop with such a joint is
  cut here: then orientation and speeds follow from the frames, and nothing but the origins has to be held together. [MSL, where
  enforceStates = false leaves the choice of states to the bodies]"""
  parameter angles_fixed : Boolean = false "true: the start angles hold"
  parameter angles_start[3] : rad = {0, 0, 0} "start angles about the axes sequence_start, from frame_a to frame_b"
  parameter sequence_start[3](min = 1, max = 3) : Integer = {1, 2, 3} "axes of the start angles"
  parameter w_rel_a_fixed : Boolean = false "true: the start angular velocity holds"
  parameter w_rel_a_start[3] : rad/s = {0, 0, 0} "start relative angular velocity, resolved in frame_a"
  parameter z_rel_a_fixed : Boolean = false "true: the start angular acceleration holds"
  parameter z_rel_a_start[3] : rad/s^2 = {0, 0, 0} "start relative angular acceleration, resolved in frame_a"
  parameter animation : Boolean = true "true: it is drawn"
  private shape : Shape(shapeType = ball) if animation
  private parameter R_start[3, 3] : 1 = axesRotations(sequence_start, angles_start)
  variable Q[4](start = axes_Q(sequence_start, angles_start), state =
      prefer) : 1 "orientation of frame_b relative to frame_a as a quaternion"
  variable w_rel[3](start = R_start * w_rel_a_start, state =
      prefer) : rad/s "relative angular velocity, resolved in frame_b"
  variable z_rel[3] : rad/s^2 "relative angular acceleration, der(w_rel)"
  branch frame_a.R, frame_b.R, 1
  branch frame_a.motion, frame_b.motion, 1
  w_ab = w_rel
  z_ab = z_rel
  frame_b.t = zeros(3)
  if rooted(frame_a.R) and rooted(frame_b.R)
    Q = to_Q(R_ab)
  else
    R_ab = from_Q(Q)
    der(Q) = derivative_Q(Q, w_rel)
    der(w_rel) = z_rel
  end
  initial if rooted(frame_a.R) and rooted(frame_b.R)
    if angles_fixed
      separation(R_ab, R_start) = zeros(3)
    end
  elseif angles_fixed
    Q = axes_Q(sequence_start, angles_start)
  else
    Q * Q = 1
  end
  initial if w_rel_a_fixed
    R_ab' * w_rel = w_rel_a_start
  end
  initial if z_rel_a_fixed
    R_ab' * z_rel = z_rel_a_start
  end
end

model FreeTranslation extends Shifting "frame_b is shifted freely, without turning, by r_rel_a."
  variable r_rel_a[3](start = {0, 0, 0}, state =
      prefer) : m "position of frame_b relative to frame_a, resolved in frame_a"
  variable v_rel_a[3](start = {0, 0, 0}, state = prefer) : m/s = der(r_rel_a) "relative velocity"
  variable a_rel_a[3](start = {0, 0, 0}) : m/s^2 = der(v_rel_a) "relative acceleration"
  r_ab = r_rel_a
  v_ab = v_rel_a
  a_ab = a_rel_a
  frame_b.f = zeros(3)
end

model FreeMotion extends TwoFrames "frame_b moves freely: no forces. States are r_rel_a, v_rel_a, w_rel_b and the quaternion Q. [MSL]"
  parameter angles_fixed : Boolean = false "true: the start angles hold"
  parameter angles_start[3] : rad = {0, 0, 0} "start angles about the axes sequence_start, from frame_a to frame_b"
  parameter sequence_start[3](min = 1, max = 3) : Integer = {1, 2, 3} "axes of the start angles"
  parameter w_rel_a_fixed : Boolean = false "true: the start angular velocity holds"
  parameter w_rel_a_start[3] : rad/s = {0, 0, 0} "start relative angular velocity, resolved in frame_a"
  parameter z_rel_a_fixed : Boolean = false "true: the start angular acceleration holds"
  parameter z_rel_a_start[3] : rad/s^2 = {0, 0, 0} "start relative angular acceleration, resolved in frame_a"
  variable r_rel_a[3](start = {0, 0, 0}) : m =
      translation.r_rel_a "position of frame_b relative to frame_a, resolved in frame_a"
  variable v_rel_a[3](start = {0, 0, 0}) : m/s = translation.v_rel_a "relative velocity, der(r_rel_a)"
  variable a_rel_a[3](start = {0, 0, 0}) : m/s^2 = translation.a_rel_a "relative acceleration, der(v_rel_a)"
  variable w_rel_b[3] : rad/s = rotation.w_rel "relative angular velocity, resolved in frame_b"
  variable Q[4] : 1 = rotation.Q "orientation of frame_b relative to frame_a as a quaternion"
  private translation : FreeTranslation
  private rotation : Spherical(animation = false, angles_fixed = angles_fixed, angles_start = angles_start,
      sequence_start = sequence_start, w_rel_a_fixed = w_rel_a_fixed, w_rel_a_start = w_rel_a_start, z_rel_a_fixed =
      z_rel_a_fixed, z_rel_a_start = z_rel_a_start)
  connect frame_a, translation.frame_a
  connect translation.frame_b, rotation.frame_a
  connect rotation.frame_b, frame_b
end

model Cylindrical extends TwoFrames "frame_b is shifted along and turns about the axis n. [MSL]"
  parameter n[3] : 1 = {1, 0, 0} "axis, the same resolved in frame_a and frame_b" @structure
  parameter stateSelect : State = prefer "of s, phi, v and w"
  variable s(start = 0) : m = prismatic.s "position"
  variable phi(start = 0) : rad = revolute.phi "angle"
  variable v(start = 0) : m/s = prismatic.v "speed"
  variable w(start = 0) : rad/s = revolute.w "angular speed"
  variable a(start = 0) : m/s^2 = prismatic.a "acceleration"
  variable wd(start = 0) : rad/s^2 = revolute.a "angular acceleration"
  prismatic : Prismatic(n = n, stateSelect = stateSelect)
  revolute : Revolute(n = n, stateSelect = stateSelect)
  connect frame_a, prismatic.frame_a
  connect prismatic.frame_b, revolute.frame_a
  connect revolute.frame_b, frame_b
end

model Universal extends TwoFrames "frame_b turns about the axis n_a of frame_a, then about n_b of frame_b. [MSL]"
  parameter n_a[3] : 1 = {1, 0, 0} "axis of the first joint, resolved in frame_a" @structure
  parameter n_b[3] : 1 = {0, 1, 0} "axis of the second joint, resolved in frame_b" @structure
  parameter stateSelect : State = prefer "of the angles and speeds"
  variable phi_a(start = 0) : rad = revolute_a.phi "angle of the first joint"
  variable phi_b(start = 0) : rad = revolute_b.phi "angle of the second joint"
  variable w_a(start = 0) : rad/s = revolute_a.w "speed of the first joint"
  variable w_b(start = 0) : rad/s = revolute_b.w "speed of the second joint"
  variable a_a(start = 0) : rad/s^2 = revolute_a.a "acceleration of the first joint"
  variable a_b(start = 0) : rad/s^2 = revolute_b.a "acceleration of the second joint"
  assert cross(n_a, n_b) * cross(n_a, n_b) > 0, "n_a and n_b must not be parallel, nor zero"
  revolute_a : Revolute(n = n_a, stateSelect = stateSelect)
  revolute_b : Revolute(n = n_b, stateSelect = stateSelect)
  connect frame_a, revolute_a.frame_a
  connect revolute_a.frame_b, revolute_b.frame_a
  connect revolute_b.frame_b, frame_b
end

model Planar extends TwoFrames "frame_b is shifted in the plane normal to n, and turns about n. [MSL]"
  parameter n[3] : 1 = {0, 0, 1} "normal of the plane, resolved in frame_a" @structure
  parameter n_x[3] : 1 = {1, 0, 0} "first direction in the plane; its part along n does not count" @structure
  parameter stateSelect : State = prefer "of positions, angle and their speeds"
  variable s_x(start = 0) : m = prismatic_x.s "position along the first direction"
  variable s_y(start = 0) : m = prismatic_y.s "position along the second direction"
  variable phi(start = 0) : rad = revolute.phi "angle"
  variable v_x(start = 0) : m/s = prismatic_x.v "speed along the first direction"
  variable v_y(start = 0) : m/s = prismatic_y.v "speed along the second direction"
  variable w(start = 0) : rad/s = revolute.w "angular speed"
  variable a_x(start = 0) : m/s^2 = prismatic_x.a "acceleration along the first direction"
  variable a_y(start = 0) : m/s^2 = prismatic_y.a "acceleration along the second direction"
  variable wd(start = 0) : rad/s^2 = revolute.a "angular acceleration"
  assert cross(n, n_x) * cross(n, n_x) > 0, "n and n_x must not be parallel, nor zero"
  prismatic_x : Prismatic(n = cross(cross(n, n_x), n), stateSelect = stateSelect)
  prismatic_y : Prismatic(n = cross(n, n_x), stateSelect = stateSelect)
  revolute : Revolute(n = n, stateSelect = stateSelect)
  connect frame_a, prismatic_x.frame_a
  connect prismatic_x.frame_b, prismatic_y.frame_a
  connect prismatic_y.frame_b, revolute.frame_a
  connect revolute.frame_b, frame_b
end
