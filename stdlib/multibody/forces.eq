// multibody/forces.eq: forces and torques from outside, and between frames.

partial model OneFrame "One frame to act on. [MSL PartialOneFrame_b]"
  frame_b : Frame
end

model WorldForce extends OneFrame "The force, a signal, acts on frame_b. [MSL]"
  parameter resolveInFrame : ResolveInFrameB = world "where force is resolved: world, frame_b or frame_resolve"
  frame_resolve : Frame if resolveInFrame == ResolveInFrameB.frame_resolve "only its orientation counts"
  input force[3] : N
  if resolveInFrame == ResolveInFrameB.world
    frame_b.f = -frame_b.R.T * force
  elseif resolveInFrame == ResolveInFrameB.frame_b
    frame_b.f = -force
  else
    frame_b.f = -frame_b.R.T * (frame_resolve.R.T' * force)
    frame_resolve.f = zeros(3)
    frame_resolve.t = zeros(3)
  end
  frame_b.t = zeros(3)
end

model WorldTorque extends OneFrame "The torque, a signal, acts on frame_b. [MSL]"
  parameter resolveInFrame : ResolveInFrameB = world "where torque is resolved: world, frame_b or frame_resolve"
  frame_resolve : Frame if resolveInFrame == ResolveInFrameB.frame_resolve "only its orientation counts"
  input torque[3] : N*m
  if resolveInFrame == ResolveInFrameB.world
    frame_b.t = -frame_b.R.T * torque
  elseif resolveInFrame == ResolveInFrameB.frame_b
    frame_b.t = -torque
  else
    frame_b.t = -frame_b.R.T * (frame_resolve.R.T' * torque)
    frame_resolve.f = zeros(3)
    frame_resolve.t = zeros(3)
  end
  frame_b.f = zeros(3)
end

model WorldForceAndTorque extends OneFrame "Force and torque, signals, act on frame_b. [MSL]"
  parameter resolveInFrame : ResolveInFrameB =
      world "where force and torque are resolved: world, frame_b or frame_resolve"
  frame_resolve : Frame if resolveInFrame == ResolveInFrameB.frame_resolve "only its orientation counts"
  input force[3] : N
  input torque[3] : N*m
  basicForce : WorldForce(resolveInFrame = resolveInFrame)
  basicTorque : WorldTorque(resolveInFrame = resolveInFrame)
  connect frame_b, basicForce.frame_b, basicTorque.frame_b
  connect frame_resolve, basicForce.frame_resolve
  connect frame_resolve, basicTorque.frame_resolve
  basicForce.force = force
  basicTorque.torque = torque
end

model Force extends TwoFrames "The force, a signal, acts on frame_b, and its reaction on frame_a; it passes through the origin of frame_b. [MSL]"
  parameter resolveInFrame : ResolveInFrameAB =
      frame_b "where force is resolved: world, frame_a, frame_b or frame_resolve"
  frame_resolve : Frame if resolveInFrame == ResolveInFrameAB.frame_resolve "only its orientation counts"
  input force[3] : N
  private variable force_0[3] : N "resolved in the world frame"
  if resolveInFrame == ResolveInFrameAB.world
    force_0 = force
  elseif resolveInFrame == ResolveInFrameAB.frame_a
    force_0 = frame_a.R.T' * force
  elseif resolveInFrame == ResolveInFrameAB.frame_b
    force_0 = frame_b.R.T' * force
  else
    force_0 = frame_resolve.R.T' * force
    frame_resolve.f = zeros(3)
    frame_resolve.t = zeros(3)
  end
  frame_b.f = -frame_b.R.T * force_0
  frame_b.t = zeros(3)
  frame_a.f = frame_a.R.T * force_0
  frame_a.t = frame_a.R.T * cross(frame_b.r_0 - frame_a.r_0, force_0)
end

model Torque extends TwoFrames "The torque, a signal, acts on frame_b, and its reaction on frame_a. [MSL]"
  parameter resolveInFrame : ResolveInFrameAB =
      frame_b "where torque is resolved: world, frame_a, frame_b or frame_resolve"
  frame_resolve : Frame if resolveInFrame == ResolveInFrameAB.frame_resolve "only its orientation counts"
  input torque[3] : N*m
  private variable torque_0[3] : N*m "resolved in the world frame"
  if resolveInFrame == ResolveInFrameAB.world
    torque_0 = torque
  elseif resolveInFrame == ResolveInFrameAB.frame_a
    torque_0 = frame_a.R.T' * torque
  elseif resolveInFrame == ResolveInFrameAB.frame_b
    torque_0 = frame_b.R.T' * torque
  else
    torque_0 = frame_resolve.R.T' * torque
    frame_resolve.f = zeros(3)
    frame_resolve.t = zeros(3)
  end
  frame_b.t = -frame_b.R.T * torque_0
  frame_b.f = zeros(3)
  frame_a.t = frame_a.R.T * torque_0
  frame_a.f = zeros(3)
end

model ForceAndTorque extends TwoFrames "Force and torque, signals, act on frame_b, and their reactions on frame_a. [MSL]"
  parameter resolveInFrame : ResolveInFrameAB =
      frame_b "where force and torque are resolved: world, frame_a, frame_b or frame_resolve"
  frame_resolve : Frame if resolveInFrame == ResolveInFrameAB.frame_resolve "only its orientation counts"
  input force[3] : N
  input torque[3] : N*m
  basicForce : Force(resolveInFrame = resolveInFrame)
  basicTorque : Torque(resolveInFrame = resolveInFrame)
  connect frame_a, basicForce.frame_a, basicTorque.frame_a
  connect frame_b, basicForce.frame_b, basicTorque.frame_b
  connect frame_resolve, basicForce.frame_resolve
  connect frame_resolve, basicTorque.frame_resolve
  basicForce.force = force
  basicTorque.torque = torque
end

// ---- along the line between two frames -----------------------------------------------------------------------------------------------

model FreeEnd
  """End of a line force, which gives frame_a.f. Where nothing else moves the frame (forces that meet in a point without mass) its velocity
  is der(r_0), where nothing else turns it it is parallel to the world."""
  outer world : World
  frame_a : Frame
  private variable v_0[3] : m/s "velocity, where it is der(r_0)"
  root frame_a.R, 10
  root frame_a.motion, 10
  if rooted(frame_a.R)
    frame_a.R = Orientation(identity(3), zeros(3), zeros(3))
  else
    frame_a.t = zeros(3)
  end
  if rooted(frame_a.motion)
    v_0 = der(frame_a.r_0)
    frame_a.motion = Motion(frame_a.R.T * v_0, frame_a.R.T * (der(v_0) - world.gravity))
  else
    v_0 = zeros(3)
  end
end

partial model LineForce extends TwoFrames
  """A force f along the line from frame_a to frame_b, positive when it pulls them together. Frames that nothing else turns are kept
  parallel to the world. [MSL PartialLineForce]"""
  parameter s_small : m = 1e-10 "the distance counts as at least this"
  parameter fixedRotationAtFrame_a : Boolean = false "not needed: frame_a is kept from turning where nothing else does"
  parameter fixedRotationAtFrame_b : Boolean = false "not needed: frame_b is kept from turning where nothing else does"
  parameter animation : Boolean = true "true: it is drawn"
  parameter shapeType : ShapeType = line "how it is drawn: line, bar or spring"
  private shape : Shape(shapeType = shapeType) if animation
  variable f : N "force along the line"
  variable length : m = sqrt(r_rel_0 * r_rel_0) "distance of the origins"
  variable s(start = 0) : m = noEvent(max(length, s_small)) "distance, at least s_small"
  variable r_rel_0[3] : m = frame_b.r_0 - frame_a.r_0 "from frame_a to frame_b, resolved in the world frame"
  variable e_rel_0[3] : 1 = r_rel_0 / s "direction of r_rel_0"
  variable r_rel_a[3] : m = frame_a.R.T * r_rel_0 "from frame_a to frame_b, resolved in frame_a"
  variable e_a[3] : 1 = frame_a.R.T * e_rel_0 "direction of r_rel_a"
  variable v_rel : m/s = e_rel_0 * (frame_b.R.T' * frame_b.motion.v - frame_a.R.T' * frame_a.motion.v) "der(length)"
  private end_a : FreeEnd
  private end_b : FreeEnd
  connect frame_a, end_a.frame_a
  connect frame_b, end_b.frame_a
  end_a.frame_a.f = -frame_a.R.T * e_rel_0 * f
  end_b.frame_a.f = frame_b.R.T * e_rel_0 * f
end

partial model LineForceAndMass extends LineForce
  "A line force with a point mass m at lengthFraction of the way, held by the line: the frames take its force in these parts."
  parameter m(min = 0) : kg = 0 "mass" @structure
  parameter lengthFraction(min = 0, max = 1) : 1 = 0.5 "where it is: 0 at frame_a, 1 at frame_b"
  private mass : LineMass(m = m, lengthFraction = lengthFraction)
  connect frame_a, mass.frame_a
  connect frame_b, mass.frame_b
end

model LineMass extends TwoFrames "The mass of a line: f = m*(a - g) at lengthFraction of the way from frame_a to frame_b."
  parameter m(min = 0) : kg = 0 "mass" @structure
  parameter lengthFraction(min = 0, max = 1) : 1 = 0.5 "where it is: 0 at frame_a, 1 at frame_b"
  outer world : World
  private variable r_CM_0[3] : m = frame_a.r_0 + lengthFraction * (frame_b.r_0 - frame_a.r_0) "where it is"
  private variable a_CM_0[3] : m/s^2 = (1 - lengthFraction) * (frame_a.R.T' * frame_a.motion.a) + lengthFraction *
      (frame_b.R.T' * frame_b.motion.a) - (if world.gravityType == PointGravity then pointGravity(world.mu,
      r_CM_0) else zeros(3)) "its acceleration, less gravity"
  frame_a.f = (1 - lengthFraction) * m * (frame_a.R.T * a_CM_0)
  frame_b.f = lengthFraction * m * (frame_b.R.T * a_CM_0)
  frame_a.t = zeros(3)
  frame_b.t = zeros(3)
end

model Spring extends LineForceAndMass(shapeType =
    spring) "Linear spring, maybe with a mass: f = c*(s - s_unstretched). [MSL]"
  parameter c(min = 0) : N/m = 1 "stiffness"
  parameter s_unstretched : m = 0 "length without force"
  f = c * (s - s_unstretched)
end

model Damper extends LineForce,
    thermal.ElementaryConditionalHeatPortWithoutT "Linear damper: f = d*der(s), losses f*der(s). [MSL]"
  parameter d(min = 0) : N*s/m = 0 "damping constant"
  f = d * v_rel
  lossPower = f * v_rel
end

model SpringDamperParallel extends LineForce(shapeType = spring), thermal.ElementaryConditionalHeatPortWithoutT
  "Spring and damper in parallel: f = c*(s - s_unstretched) + d*der(s). [MSL]"
  parameter c(min = 0) : N/m = 1 "stiffness"
  parameter s_unstretched : m = 0 "length without spring force"
  parameter d(min = 0) : N*s/m = 0 "damping constant"
  variable f_d : N = d * v_rel "damping force"
  f = c * (s - s_unstretched) + f_d
  lossPower = f_d * v_rel
end

model SpringDamperSeries extends LineForce(shapeType = spring), thermal.ElementaryConditionalHeatPortWithoutT
  "Spring and damper in series: f = c*(s - s_unstretched - s_damper) = d*der(s_damper). [MSL]"
  parameter c(min = 0) : N/m = 1 "stiffness"
  parameter s_unstretched : m = 0 "length without force"
  parameter d(min = 0) : N*s/m = 1 "damping constant"
  parameter s_damper_start : m = 0 "start length of the damper"
  variable s_damper(start = s_damper_start, fixed) : m "length of the damper"
  f = c * (s - s_unstretched - s_damper)
  d * der(s_damper) = f
  lossPower = f * der(s_damper)
end

model LineForceWithMass extends LineForceAndMass
  "A force between the translational flanges flange_a (s = 0) and flange_b (s = length) acts along the line. [MSL]"
  flange_a, flange_b : translational.Flange
  flange_a.s = 0
  flange_b.s = length
  f = -flange_b.f
end

function crosswise(x[3], e[3]) = x - e * (x * e)  // the part of x across the unit vector e

model LineMasses extends TwoFrames
  """Two point masses on the line from frame_a to frame_b, which guides them: m_a stays L_a from frame_a, m_b stays L_b from frame_b.
  The line takes what moves them across it by levers, the frame that a mass is fixed to what moves it along."""
  parameter m_a(min = 0) : kg = 0 "mass at frame_a's side" @structure
  parameter m_b(min = 0) : kg = 0 "mass at frame_b's side" @structure
  parameter L_a : m = 0 "distance of m_a from frame_a" @structure
  parameter L_b : m = L_a "distance of m_b from frame_b" @structure
  outer world : World
  variable r_a_0[3] : m = frame_a.r_0 + L_a * e "where m_a is, resolved in the world frame"
  variable r_b_0[3] : m = frame_b.r_0 - L_b * e "where m_b is, resolved in the world frame"
  private variable r[3] : m = frame_b.r_0 - frame_a.r_0
  private variable length : m = sqrt(r * r)
  private variable e[3] : 1 = r / length
  private variable v[3] : m/s = frame_b.R.T' * frame_b.motion.v - frame_a.R.T' * frame_a.motion.v "der(r)"
  private variable end_a[3] : m/s^2 = frame_a.R.T' * frame_a.motion.a "acceleration of frame_a, less gravity"
  private variable end_b[3] : m/s^2 = frame_b.R.T' * frame_b.motion.a "of frame_b"
  private variable v_e[3] : 1/s = (v - e * (e * v)) / length "der(e)"
  private variable a_e[3] : 1/s^2 = (crosswise(end_b - end_a, e) - 2 * (e * v) * v_e) / length - e * (v_e *
      v_e) "der(v_e)"
  private variable g_a[3] : m/s^2 = if world.gravityType == PointGravity then pointGravity(world.mu,
      r_a_0) else zeros(3)
  private variable g_b[3] : m/s^2 = if world.gravityType == PointGravity then pointGravity(world.mu,
      r_b_0) else zeros(3)
  private variable f_a[3] : N = m_a * (end_a + L_a * a_e - g_a) "force that moves m_a"
  private variable f_b[3] : N = m_b * (end_b - L_b * a_e - g_b) "force that moves m_b"
  private variable lever[3] : N = crosswise(L_a * f_a - L_b * f_b, e) / length "what the other end takes of it"
  frame_a.f = frame_a.R.T * (f_a - lever)
  frame_b.f = frame_b.R.T * (f_b + lever)
  frame_a.t = zeros(3)
  frame_b.t = zeros(3)
end

model LineForceWithTwoMasses extends LineForce
  """A force between the translational flanges flange_a (s = 0) and flange_b (s = length) acts along the line, which carries two point
  masses: m_a at the distance L_a from frame_a, m_b at L_b from frame_b, as in a cylinder with its piston. [MSL]"""
  parameter m_a(min = 0) : kg = 0 "mass at frame_a's side" @structure
  parameter m_b(min = 0) : kg = 0 "mass at frame_b's side" @structure
  parameter L_a : m = 0 "distance of m_a from frame_a, positive towards frame_b" @structure
  parameter L_b : m = L_a "distance of m_b from frame_b, positive towards frame_a" @structure
  flange_a, flange_b : translational.Flange
  private masses : LineMasses(m_a = m_a, m_b = m_b, L_a = L_a, L_b = L_b)
  connect frame_a, masses.frame_a
  connect frame_b, masses.frame_b
  flange_a.s = 0
  flange_b.s = length
  f = -flange_b.f
end
