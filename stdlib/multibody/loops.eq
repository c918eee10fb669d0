// multibody/loops.eq: joints that close kinematic loops. They have no coordinates: they hold what the rest of the loop could do otherwise.
//   Loops need none of them, where every joint of the loop moves in a way of its own: the connection that closes the loop does the same.

// What rounding left of an element, as of {0, 1, 6e-17}, is none: no torque has to be told by 6e-17 of it.
function withoutRounding(e[3]) = {if abs(e[k]) < 1e-15 then 0 else e[k] for k in 1:3}

// A direction across the unit vector e.
function across(e[3]) = unit(cross(e, if abs(e[3]) < 0.7 then {0, 0, 1} else {1, 0, 0}))

// How a frame b moves as seen from another one, resolved in that. Derivatives of what holds loops together are given by these: differentiated
// themselves, positions would bring in those of all frames between. r is from a to b.
function relative_v(a, m_a, b, m_b, r[3]) = a.T * (b.T' * m_b.v) - m_a.v - cross(a.w, r)  // der(r)
function relative_a(a, m_a, b, m_b, r[3], v[3]) = a.T * (b.T' * m_b.a) - m_a.a - cross(a.z, r) - centripetal(a.w) * r -
    2 * cross(a.w, v)  // der(v)
function relative_w(a, b) = a.T * (b.T' * b.w) - a.w
function relative_z(a, b) = a.T * (b.T' * b.z) - a.z - cross(a.w, relative_w(a, b))  // its derivative

partial model Cut extends TwoFrames "Force and torque, resolved in frame_a, that hold frame_a and frame_b together. They meet in the origin."
  private variable force[3] : N "on frame_a"
  private variable torque[3] : N*m "on frame_a"
  frame_a.f = force
  frame_a.t = torque
  frame_b.f = -frame_b.R.T * (frame_a.R.T' * force)
  frame_b.t = -frame_b.R.T * (frame_a.R.T' * torque)
end

model CutSpherical extends Cut "Spherical joint that closes a loop: the origins coincide. [Elmqvist, Otter, Tearing]"
  parameter animation : Boolean = true "true: it is drawn"
  private shape : Shape(shapeType = ball) if animation
  variable f_c[3] : N "constraint force, resolved in frame_a"
  frame_b.r_0 - frame_a.r_0 = zeros(3) @derivative(frame_b.motion.v - frame_b.R.T * (frame_a.R.T' * frame_a.motion.v),
      frame_b.motion.a - frame_b.R.T * (frame_a.R.T' * frame_a.motion.a)) @axes(frame_b.R.T)
  force = f_c
  torque = zeros(3)
end

model CutRevolute extends Cut "Revolute joint that closes a loop: the origins coincide, and the axis n. [Elmqvist, Otter, Tearing]"
  parameter n[3] : 1 = {0, 0, 1} "axis, the same resolved in frame_a and frame_b" @structure
  final parameter e[3] : 1 = withoutRounding(unit(n)) "unit vector along the axis" @structure
  final parameter e_x[3] : 1 = across(e) "across the axis" @structure
  final parameter e_y[3] : 1 = cross(e, e_x) "across both" @structure
  parameter animation : Boolean = true "true: it is drawn"
  private shape : Shape(shapeType = hinge, lengthDirection = n) if animation
  variable f_c[3] : N "constraint force, resolved in frame_a"
  variable t_c[2] : N*m "constraint torque along e_x and e_y of frame_a"
  private variable e_b[3] : 1 = frame_a.R.T * (frame_b.R.T' * e) "axis of frame_b, resolved in frame_a"
  frame_b.r_0 - frame_a.r_0 = zeros(3) @derivative(frame_b.motion.v - frame_b.R.T * (frame_a.R.T' * frame_a.motion.v),
      frame_b.motion.a - frame_b.R.T * (frame_a.R.T' * frame_a.motion.a)) @axes(frame_b.R.T)
  e_x * e_b = 0 @derivative(e_y * relative_w(frame_a.R, frame_b.R), e_y * relative_z(frame_a.R, frame_b.R))  // where e_b is e or -e
  e_y * e_b = 0 @derivative(e_x * relative_w(frame_a.R, frame_b.R), e_x * relative_z(frame_a.R, frame_b.R))
  force = f_c
  torque = e_x * t_c[1] + e_y * t_c[2]
end

model RevolutePlanarLoopConstraint extends Cut
  """Revolute joint that closes a plane loop: the origins may differ along the axis n only. It carries no force along the axis and no torque,
  which the parallel axes of the loop's other joints would leave open. [MSL]"""
  parameter n[3] : 1 = {0, 0, 1} "axis of the loop's joints, resolved in frame_a" @structure
  final parameter e[3] : 1 = withoutRounding(unit(n)) "unit vector along the axis" @structure
  final parameter e_x[3] : 1 = across(e) "across the axis" @structure
  final parameter e_y[3] : 1 = cross(e, e_x) "across both" @structure
  parameter animation : Boolean = true "true: it is drawn"
  private shape : Shape(shapeType = hinge, lengthDirection = n) if animation
  variable f_c[2] : N "constraint force along e_x and e_y of frame_a"
  variable offset : m "along the axis: what the other joints make it"
  // Not e_x*(frame_a.R.T*(frame_b.r_0 - frame_a.r_0)) = 0: its derivative has factors that are zero wherever it holds.
  frame_b.r_0 - frame_a.r_0 = frame_a.R.T' * e * offset @derivative(relative_v(frame_a.R, frame_a.motion, frame_b.R,
      frame_b.motion, e * offset) - e * der(offset), relative_a(frame_a.R, frame_a.motion, frame_b.R, frame_b.motion,
      e * offset, e * der(offset)) - e * der(offset, 2)) @axes(frame_a.R.T)
  force = e_x * f_c[1] + e_y * f_c[2]
  torque = zeros(3)
end

model SphericalSpherical extends TwoFrames
  """Rod with a spherical joint at either end: the distance of the frames is rodLength. It may have a mass, a point in its middle, half of
  whose force each end takes. [MSL]"""
  parameter computeRodLength : Boolean = false "true: rodLength is the distance at the start"
  parameter rodLength(min = 0, fixed = not computeRodLength) : m = 1 "length"
  parameter m(min = 0) : kg = 0 "mass of the rod" @structure
  parameter animation : Boolean = true "true: it is drawn"
  private shape : Shape(shapeType = bar) if animation
  outer world : World
  variable f_rod : N = eRod_a * frame_a.f "force on frame_a along the rod, positive when it is pressed"
  private variable f_both : N "that which both ends have of it; the rest accelerates the mass"
  variable rRod_0[3] : m = frame_b.r_0 - frame_a.r_0 "from frame_a to frame_b, resolved in the world frame"
  private variable v_rod[3] : m/s = frame_b.R.T' * frame_b.motion.v - frame_a.R.T' * frame_a.motion.v "der(rRod_0)"
  variable rRod_a[3] : m = frame_a.R.T * rRod_0 "from frame_a to frame_b, resolved in frame_a"
  variable eRod_a[3] : 1 = rRod_a / rodLength "direction of the rod, resolved in frame_a"
  variable f_CM_0[3] : N = m * ((frame_a.R.T' * frame_a.motion.a + frame_b.R.T' * frame_b.motion.a) / 2 -
      (if world.gravityType == PointGravity then pointGravity(world.mu, (frame_a.r_0 + frame_b.r_0) /
      2) else zeros(3))) "force that accelerates the mass, resolved in the world frame"
  assert rodLength > 0, "the rod has no length", rodLength
  rRod_0 * rRod_0 - rodLength^2 = 0 @derivative(2 * rRod_0 * v_rod, 2 * v_rod * v_rod + 2 * rRod_0 * (frame_b.R.T' *
      frame_b.motion.a - frame_a.R.T' * frame_a.motion.a))
  frame_a.f = eRod_a * f_both + frame_a.R.T * f_CM_0 / 2
  frame_b.f = frame_b.R.T * (f_CM_0 / 2 - frame_a.R.T' * (eRod_a * f_both))
  frame_a.t = zeros(3)
  frame_b.t = zeros(3)
end
