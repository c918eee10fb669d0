// multibody/sensors.eq: what frames do, as signals. No sensor carries a force of its own.

partial model PartialAbsoluteSensor "A vector of frame_a, resolved where one likes. [MSL PartialAbsoluteSensor]"
  parameter resolveInFrame : ResolveInFrameA = frame_a "where the output is resolved: world, frame_a or frame_resolve"
  frame_a : Frame
  frame_resolve : Frame if resolveInFrame == ResolveInFrameA.frame_resolve "only its orientation counts"
  private variable x_0[3] "the vector, resolved in the world frame"
  private variable x[3] "as asked for"
  frame_a.f = zeros(3)
  frame_a.t = zeros(3)
  if resolveInFrame == ResolveInFrameA.world
    x = x_0
  elseif resolveInFrame == ResolveInFrameA.frame_a
    x = frame_a.R.T * x_0
  else
    x = frame_resolve.R.T * x_0
    frame_resolve.f = zeros(3)
    frame_resolve.t = zeros(3)
  end
end

model AbsolutePosition extends PartialAbsoluteSensor "r: position of frame_a. [MSL]"
  output r[3] : m = x
  x_0 = frame_a.r_0
end

model AbsoluteVelocity extends PartialAbsoluteSensor "v: velocity of frame_a. [MSL]"
  output v[3] : m/s = x
  x_0 = frame_a.R.T' * frame_a.motion.v
end

model AbsoluteAcceleration extends PartialAbsoluteSensor "a: acceleration of frame_a."
  outer world : World
  output a[3] : m/s^2 = x
  x_0 = frame_a.R.T' * frame_a.motion.a + world.gravity
end

model AbsoluteAngularVelocity extends PartialAbsoluteSensor "w: angular velocity of frame_a. [MSL]"
  output w[3] : rad/s = x
  x_0 = frame_a.R.T' * frame_a.R.w
end

model AbsoluteAngles "angles that turn the world frame to frame_a, about the axes of sequence. [MSL]"
  parameter sequence[3](min = 1, max = 3) : Integer = {1, 2, 3} "axes of the angles: neighbours are different"
  parameter guessAngle1 : rad = 0 "of the two sets of angles the one whose first is nearer to this"
  frame_a : Frame
  output angles[3] : rad = rotationAngles(sequence, frame_a.R.T, guessAngle1)
  frame_a.f = zeros(3)
  frame_a.t = zeros(3)
  assert sequence[1] != sequence[2] and sequence[2] != sequence[3], "neighbours in sequence must be different"
end

// Angles of axesRotations(sequence, angles) = T. Two sets of angles give T, with first angles that differ by pi: the one whose first is nearer
// to guess. The third axis, seen from the first frame, is across the second once it is turned by the first angle.
function rotationAngles(sequence[3], T[3, 3], guess)
  e1 = axisVector(sequence[1])
  e2 = axisVector(sequence[2])
  e3 = axisVector(sequence[3])
  u = T' * e3
  a = atan2(e2 * u, e2 * cross(e1, u))
  other = atan2(-(e2 * u), -(e2 * cross(e1, u)))
  angle1 = if noEvent(abs(a - guess) <= abs(other - guess)) then a else other
  turned = e1 * (e1 * u) + (u - e1 * (e1 * u)) * cos(angle1) - cross(e1, u) * sin(angle1)
  angle2 = atan2(cross(e2, e3) * turned, e3 * turned)
  y = T * (e2 * cos(angle1) + cross(e1, e2) * sin(angle1))
  return {angle1, angle2, atan2(cross(e2, e3) * y, e2 * y)}
end

model TransformAbsoluteVector "r_out: the vector r_in, resolved in another frame. [MSL]"
  parameter frame_r_in : ResolveInFrameA = frame_a "where r_in is resolved: world, frame_a or frame_resolve"
  parameter frame_r_out : ResolveInFrameA = frame_a "where r_out is resolved: world, frame_a or frame_resolve"
  frame_a : Frame
  frame_resolve : Frame if frame_r_in == ResolveInFrameA.frame_resolve or
      frame_r_out == ResolveInFrameA.frame_resolve "only its orientation counts"
  input r_in[3]
  output r_out[3]
  frame_a.f = zeros(3)
  frame_a.t = zeros(3)
  if frame_r_in == ResolveInFrameA.frame_resolve or frame_r_out == ResolveInFrameA.frame_resolve
    frame_resolve.f = zeros(3)
    frame_resolve.t = zeros(3)
  end
  private variable x_0[3] "in the world frame"
  if frame_r_in == frame_r_out
    x_0 = zeros(3)
    r_out = r_in
  else
    if frame_r_in == ResolveInFrameA.world
      x_0 = r_in
    elseif frame_r_in == ResolveInFrameA.frame_a
      x_0 = frame_a.R.T' * r_in
    else
      x_0 = frame_resolve.R.T' * r_in
    end
    if frame_r_out == ResolveInFrameA.world
      r_out = x_0
    elseif frame_r_out == ResolveInFrameA.frame_a
      r_out = frame_a.R.T * x_0
    else
      r_out = frame_resolve.R.T * x_0
    end
  end
end

partial model PartialRelativeSensor extends TwoFrames "A vector of frame_b relative to frame_a, resolved where one likes. [MSL PartialRelativeSensor]"
  parameter resolveInFrame : ResolveInFrameAB =
      frame_a "where the output is resolved: world, frame_a, frame_b or frame_resolve"
  frame_resolve : Frame if resolveInFrame == ResolveInFrameAB.frame_resolve "only its orientation counts"
  private variable x_0[3] "the vector, resolved in the world frame"
  private variable x[3] "as asked for"
  frame_a.f = zeros(3)
  frame_a.t = zeros(3)
  frame_b.f = zeros(3)
  frame_b.t = zeros(3)
  if resolveInFrame == ResolveInFrameAB.world
    x = x_0
  elseif resolveInFrame == ResolveInFrameAB.frame_a
    x = frame_a.R.T * x_0
  elseif resolveInFrame == ResolveInFrameAB.frame_b
    x = frame_b.R.T * x_0
  else
    x = frame_resolve.R.T * x_0
    frame_resolve.f = zeros(3)
    frame_resolve.t = zeros(3)
  end
end

model RelativePosition extends PartialRelativeSensor "r_rel: from frame_a to frame_b. [MSL]"
  output r_rel[3] : m = x
  x_0 = frame_b.r_0 - frame_a.r_0
end

model RelativeVelocity extends PartialRelativeSensor "v_rel: velocity of frame_b as seen from the turning frame_a. [MSL]"
  output v_rel[3] : m/s = x
  x_0 = frame_b.R.T' * frame_b.motion.v - frame_a.R.T' * frame_a.motion.v - cross(frame_a.R.T' * frame_a.R.w,
      frame_b.r_0 - frame_a.r_0)
end

model RelativeAngularVelocity extends PartialRelativeSensor "w_rel: angular velocity of frame_b relative to frame_a. [MSL]"
  output w_rel[3] : rad/s = x
  x_0 = frame_b.R.T' * frame_b.R.w - frame_a.R.T' * frame_a.R.w
end

model Distance extends TwoFrames "distance of the origins. [MSL]"
  output distance : m = sqrt((frame_b.r_0 - frame_a.r_0) * (frame_b.r_0 - frame_a.r_0))
  frame_a.f = zeros(3)
  frame_a.t = zeros(3)
  frame_b.f = zeros(3)
  frame_b.t = zeros(3)
end

partial model CutSensor extends TwoFrames "Rigid: what acts between the frames is measured. [MSL PartialCutForceSensor]"
  parameter resolveInFrame : ResolveInFrameA = frame_a "where the output is resolved: world, frame_a or frame_resolve"
  parameter positiveSign : Boolean = true "true: what acts from frame_b's side into frame_a is positive"
  frame_resolve : Frame if resolveInFrame == ResolveInFrameA.frame_resolve "only its orientation counts"
  connect frame_a, through.frame_a
  connect through.frame_b, frame_b
  private through : FixedTranslation(animation = false)
  private parameter sign = if positiveSign then 1 else -1
  private variable A[3, 3] : 1 "rotates from frame_a"
  if resolveInFrame == ResolveInFrameA.world
    A = frame_a.R.T'
  elseif resolveInFrame == ResolveInFrameA.frame_a
    A = identity(3)
  else
    A = frame_resolve.R.T * frame_a.R.T'
    frame_resolve.f = zeros(3)
    frame_resolve.t = zeros(3)
  end
end

model CutForce extends CutSensor "force: frame_a.f. [MSL]"
  output force[3] : N = sign * (A * frame_a.f)
end

model CutTorque extends CutSensor "torque: frame_a.t. [MSL]"
  output torque[3] : N*m = sign * (A * frame_a.t)
end

model CutForceAndTorque extends CutSensor "force: frame_a.f, and torque: frame_a.t. [MSL]"
  output force[3] : N = sign * (A * frame_a.f)
  output torque[3] : N*m = sign * (A * frame_a.t)
end

model Power extends TwoFrames "power that flows from frame_a to frame_b. [MSL]"
  output power : W = frame_a.f * frame_a.motion.v + frame_a.t * frame_a.R.w
  private through : FixedTranslation(animation = false)
  connect frame_a, through.frame_a
  connect through.frame_b, frame_b
end

model AbsoluteSensor "What frame_a does, resolved where one likes, as far as get_r, get_v and so on ask for it. [MSL]"
  parameter resolveInFrame : ResolveInFrameA = frame_a "where the vectors are resolved: world, frame_a or frame_resolve"
  parameter get_r : Boolean = false "true: r, the position"
  parameter get_v : Boolean = false "true: v, the velocity"
  parameter get_a : Boolean = false "true: a, the acceleration"
  parameter get_angles : Boolean = false "true: angles"
  parameter get_w : Boolean = false "true: w, the angular velocity"
  parameter get_z : Boolean = false "true: z, the angular acceleration"
  parameter sequence[3](min = 1, max = 3) : Integer = {1, 2, 3} "axes of the angles: neighbours are different"
  parameter guessAngle1 : rad = 0 "of the two sets of angles the one whose first is nearer to this"
  frame_a : Frame
  frame_resolve : Frame if resolveInFrame == ResolveInFrameA.frame_resolve "only its orientation counts"
  outer world : World
  output r[3] : m = A * frame_a.r_0 if get_r "position"
  output v[3] : m/s = A * (frame_a.R.T' * frame_a.motion.v) if get_v "velocity"
  output a[3] : m/s^2 = A * (frame_a.R.T' * frame_a.motion.a + world.gravity) if get_a "acceleration"
  output angles[3] : rad = rotationAngles(sequence, frame_a.R.T,
      guessAngle1) if get_angles "angles that turn the world frame to frame_a, about the axes of sequence"
  output w[3] : rad/s = A * (frame_a.R.T' * frame_a.R.w) if get_w "angular velocity"
  output z[3] : rad/s^2 = A * (frame_a.R.T' * frame_a.R.z) if get_z "angular acceleration"
  private variable A[3, 3] : 1 "rotates from the world frame"
  frame_a.f = zeros(3)
  frame_a.t = zeros(3)
  if resolveInFrame == ResolveInFrameA.world
    A = identity(3)
  elseif resolveInFrame == ResolveInFrameA.frame_a
    A = frame_a.R.T
  else
    A = frame_resolve.R.T
    frame_resolve.f = zeros(3)
    frame_resolve.t = zeros(3)
  end
  assert sequence[1] != sequence[2] and sequence[2] != sequence[3], "neighbours in sequence must be different"
end

model RelativeSensor extends TwoFrames
  """What frame_b does relative to frame_a, as far as get_r_rel, get_v_rel and so on ask for it. Vectors are resolved in the frame of
  resolveInFrame, and their derivatives taken there: v_rel = der(r_rel), a_rel = der(v_rel), z_rel = der(w_rel); the derivatives may then be
  resolved in another frame. [MSL]"""
  parameter resolveInFrame : ResolveInFrameAB =
      frame_a "where the vectors are resolved: world, frame_a, frame_b or frame_resolve"
  parameter resolveInFrameAfterDifferentiation : ResolveInFrameAB =
      resolveInFrame "where v_rel, a_rel and z_rel are resolved"
  parameter get_r_rel : Boolean = false "true: r_rel, the position"
  parameter get_v_rel : Boolean = false "true: v_rel, the velocity"
  parameter get_a_rel : Boolean = false "true: a_rel, the acceleration"
  parameter get_angles : Boolean = false "true: angles"
  parameter get_w_rel : Boolean = false "true: w_rel, the angular velocity"
  parameter get_z_rel : Boolean = false "true: z_rel, the angular acceleration"
  parameter sequence[3](min = 1, max = 3) : Integer = {1, 2, 3} "axes of the angles: neighbours are different"
  parameter guessAngle1 : rad = 0 "of the two sets of angles the one whose first is nearer to this"
  frame_resolve : Frame if resolveInFrame == ResolveInFrameAB.frame_resolve or
      resolveInFrameAfterDifferentiation == ResolveInFrameAB.frame_resolve "only its orientation counts"
  private variable R_ab[3, 3] : 1 = frame_b.R.T * frame_a.R.T' "rotates from frame_a to frame_b"
  private variable r_a[3] : m = frame_a.R.T * (frame_b.r_0 - frame_a.r_0) "from frame_a to frame_b, resolved in frame_a"
  private variable v_a[3] : m/s = R_ab' * frame_b.motion.v - frame_a.motion.v - cross(frame_a.R.w, r_a) "der(r_a)"
  private variable a_a[3] : m/s^2 = R_ab' * frame_b.motion.a - frame_a.motion.a - cross(frame_a.R.z, r_a) -
      centripetal(frame_a.R.w) * r_a - 2 * cross(frame_a.R.w, v_a) "der(v_a)"
  private variable w_a[3] : rad/s = R_ab' * frame_b.R.w - frame_a.R.w "relative angular velocity, resolved in frame_a"
  private variable z_a[3] : rad/s^2 = R_ab' * frame_b.R.z - frame_a.R.z - cross(frame_a.R.w, w_a) "der(w_a)"
  private variable A[3, 3] : 1 "rotates from frame_a to the frame of resolveInFrame"
  private variable B[3, 3] : 1 "rotates from frame_a to that of resolveInFrameAfterDifferentiation"
  private variable o[3] : rad/s "angular velocity of the frame of resolveInFrame relative to frame_a, resolved in frame_a"
  private variable der_o[3] : rad/s^2 "der(o)"
  output r_rel[3] : m = A * r_a if get_r_rel "position"
  output v_rel[3] : m/s = B * (v_a - cross(o, r_a)) if get_v_rel "velocity"
  output a_rel[3] : m/s^2 = B * (a_a - cross(der_o, r_a) - cross(o, 2 * v_a - cross(o,
      r_a))) if get_a_rel "acceleration"
  output angles[3] : rad = rotationAngles(sequence, R_ab,
      guessAngle1) if get_angles "angles that turn frame_a to frame_b, about the axes of sequence"
  output w_rel[3] : rad/s = A * w_a if get_w_rel "angular velocity"
  output z_rel[3] : rad/s^2 = B * (z_a - cross(o, w_a)) if get_z_rel "angular acceleration"
  frame_a.f = zeros(3)
  frame_a.t = zeros(3)
  frame_b.f = zeros(3)
  frame_b.t = zeros(3)
  if resolveInFrame == ResolveInFrameAB.frame_resolve or
      resolveInFrameAfterDifferentiation == ResolveInFrameAB.frame_resolve
    frame_resolve.f = zeros(3)
    frame_resolve.t = zeros(3)
  end
  if resolveInFrame == ResolveInFrameAB.world
    A = frame_a.R.T'
    o = -frame_a.R.w
    der_o = -frame_a.R.z
  elseif resolveInFrame == ResolveInFrameAB.frame_a
    A = identity(3)
    o = zeros(3)
    der_o = zeros(3)
  elseif resolveInFrame == ResolveInFrameAB.frame_b
    A = R_ab
    o = w_a
    der_o = z_a
  else
    A = frame_resolve.R.T * frame_a.R.T'
    o = A' * frame_resolve.R.w - frame_a.R.w
    der_o = A' * frame_resolve.R.z - frame_a.R.z - cross(frame_a.R.w, o)
  end
  if resolveInFrameAfterDifferentiation == ResolveInFrameAB.world
    B = frame_a.R.T'
  elseif resolveInFrameAfterDifferentiation == ResolveInFrameAB.frame_a
    B = identity(3)
  elseif resolveInFrameAfterDifferentiation == ResolveInFrameAB.frame_b
    B = R_ab
  else
    B = frame_resolve.R.T * frame_a.R.T'
  end
  assert sequence[1] != sequence[2] and sequence[2] != sequence[3], "neighbours in sequence must be different"
end

model RelativeAngles extends TwoFrames "angles that turn frame_a to frame_b, about the axes of sequence. [MSL]"
  parameter sequence[3](min = 1, max = 3) : Integer = {1, 2, 3} "axes of the angles: neighbours are different"
  parameter guessAngle1 : rad = 0 "of the two sets of angles the one whose first is nearer to this"
  output angles[3] : rad = rotationAngles(sequence, frame_b.R.T * frame_a.R.T', guessAngle1)
  frame_a.f = zeros(3)
  frame_a.t = zeros(3)
  frame_b.f = zeros(3)
  frame_b.t = zeros(3)
  assert sequence[1] != sequence[2] and sequence[2] != sequence[3], "neighbours in sequence must be different"
end

model TransformRelativeVector extends TwoFrames "r_out: the vector r_in, resolved in another frame. [MSL]"
  parameter frame_r_in : ResolveInFrameAB = frame_a "where r_in is resolved: world, frame_a, frame_b or frame_resolve"
  parameter frame_r_out : ResolveInFrameAB = frame_a "where r_out is resolved: world, frame_a, frame_b or frame_resolve"
  frame_resolve : Frame if frame_r_in == ResolveInFrameAB.frame_resolve or
      frame_r_out == ResolveInFrameAB.frame_resolve "only its orientation counts"
  input r_in[3]
  output r_out[3]
  frame_a.f = zeros(3)
  frame_a.t = zeros(3)
  frame_b.f = zeros(3)
  frame_b.t = zeros(3)
  if frame_r_in == ResolveInFrameAB.frame_resolve or frame_r_out == ResolveInFrameAB.frame_resolve
    frame_resolve.f = zeros(3)
    frame_resolve.t = zeros(3)
  end
  private variable x_0[3] "in the world frame"
  if frame_r_in == frame_r_out
    x_0 = zeros(3)
    r_out = r_in
  else
    if frame_r_in == ResolveInFrameAB.world
      x_0 = r_in
    elseif frame_r_in == ResolveInFrameAB.frame_a
      x_0 = frame_a.R.T' * r_in
    elseif frame_r_in == ResolveInFrameAB.frame_b
      x_0 = frame_b.R.T' * r_in
    else
      x_0 = frame_resolve.R.T' * r_in
    end
    if frame_r_out == ResolveInFrameAB.world
      r_out = x_0
    elseif frame_r_out == ResolveInFrameAB.frame_a
      r_out = frame_a.R.T * x_0
    elseif frame_r_out == ResolveInFrameAB.frame_b
      r_out = frame_b.R.T * x_0
    else
      r_out = frame_resolve.R.T * x_0
    end
  end
end
