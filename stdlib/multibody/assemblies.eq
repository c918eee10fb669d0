// multibody/assemblies.eq: chains of joints without mass that close loops: with the universal joint at frame_a, the spherical joint between
//   two rods or the last joint at frame_b they leave six ways to move, so that they hold nothing that other joints hold too. Names are MSL's.
//   Where MSL solves for the last joint by a formula, here Newton's iteration does, from phi_guess or s_guess.

model Reaction "force f and torque t into a part, resolved in its frame_a"
  frame_a : Frame
  variable f[3] : N
  variable t[3] : N*m
  frame_a.f = f
  frame_a.t = t
end

model AimedUniversal extends Turning, Branch
  """Universal joint whose coordinates follow from where the line e_b of frame_b points: e and its derivatives, resolved in frame_a. The
  first axis is n of frame_a, the second across n and the line; no torque acts about either."""
  parameter n[3] : 1 = {0, 0, 1} "first axis, resolved in frame_a" @structure
  parameter e_b[3] : 1 = {1, 0, 0} "direction of the line, resolved in frame_b; of length 1" @structure
  variable e[3] : 1 "direction of the line, resolved in frame_a"
  variable v_e[3] : rad/s "der(e)"
  variable a_e[3] : rad/s^2 "der(v_e)"
  final parameter e_1[3] : 1 = unit(n) "first axis" @structure
  final parameter e2_b[3] : 1 = unit(cross(e_1, e_b)) "second axis, resolved in frame_b" @structure
  final parameter e3_b[3] : 1 = cross(e_b, e2_b) "across the line and the second axis" @structure
  private variable n_2[3] : 1 = cross(e_1, e)
  private variable l : 1 = sqrt(n_2 * n_2) "sine of the angle between line and first axis"
  private variable e_2[3] : 1 = n_2 / l "second axis, resolved in frame_a"
  private variable e_3[3] : 1 = cross(e, e_2)
  private variable w_1 : rad/s = e_2 * v_e / l "speed about the first axis"
  private variable w_2 : rad/s = -e_3 * v_e "speed about the second axis"
  private variable w_e[3] : rad/s = e_1 * w_1 + e_2 * w_2 "relative angular velocity, resolved in frame_a"
  private variable z_12[3] : rad/s^2 = cross(e_1, e_2) * (w_1 * w_2) "as the second axis turns about the first"
  private variable a[3] : rad/s^2 = a_e - cross(w_e, v_e) - cross(z_12,
      e) "what the joint's accelerations make of der(v_e)"
  assert l > 1e-5, "the line lies along the first axis of the universal joint", l
  R_ab = [e_b, e2_b, e3_b] * [e, e_2, e_3]'
  w_ab = R_ab * w_e
  z_ab = R_ab * (e_1 * (e_2 * a / l) - e_2 * (e_3 * a) + z_12)
  e_1 * frame_a.t = 0
  e_2 * frame_a.t = 0
end

partial model AimedRod extends TwoFrames
  "A line from a universal joint at frame_a to a spherical joint at frame_b; frame_ia is at frame_a and turns with the line."
  parameter n1_a[3] : 1 = {0, 0, 1} "first axis of the universal joint, resolved in frame_a" @structure
  parameter animation : Boolean = true "true: it is drawn"
  private parameter e_ia[3] : 1 "direction of the line, resolved in frame_ia" @structure
  private shape : Shape(shapeType = bar) if animation
  frame_ia : Frame
  assert cross(n1_a, e_ia) * cross(n1_a, e_ia) > 0, "n1_a and the direction of the rod must not be parallel, nor zero"
  variable r_a[3] : m = frame_a.R.T * (frame_b.r_0 - frame_a.r_0) "from frame_a to frame_b, resolved in frame_a"
  private variable v_a[3] : m/s = frame_a.R.T * (frame_b.R.T' * frame_b.motion.v) - frame_a.motion.v -
      cross(frame_a.R.w, r_a) "der(r_a)"
  private variable a_a[3] : m/s^2 = frame_a.R.T * (frame_b.R.T' * frame_b.motion.a) - frame_a.motion.a -
      cross(frame_a.R.z, r_a) - centripetal(frame_a.R.w) * r_a - 2 * cross(frame_a.R.w, v_a) "der(v_a)"
  private variable f_b[3] : N "force of the spherical joint on the line, resolved in frame_ia"
  private universal : AimedUniversal(n = n1_a, e_b = e_ia)
  private line : Reaction
  connect frame_a, universal.frame_a
  connect universal.frame_b, line.frame_a, frame_ia
  line.f = -f_b
  frame_b.f = frame_b.R.T * (line.frame_a.R.T' * f_b)
  frame_b.t = zeros(3)
end

model UniversalSpherical extends AimedRod(e_ia =
    eRod_ia) "Rod with a universal joint at frame_a and a spherical joint at frame_b. [MSL]"
  parameter computeRodLength : Boolean =
      false "true: the length is the distance at the start, rRod_ia only the direction"
  parameter rRod_ia[3] : m = {1, 0, 0} "from frame_a to frame_b, resolved in frame_ia" @structure
  parameter rodLength(min = 0, fixed = not computeRodLength) : m = sqrt(rRod_ia * rRod_ia) "length"
  final parameter eRod_ia[3] : 1 = unit(rRod_ia) "direction of the rod, resolved in frame_ia" @structure
  variable f_rod : N = -eRod_ia * f_b "force along the rod, positive when it is pressed"
  variable rRod_0[3] : m = frame_b.r_0 - frame_a.r_0 "from frame_a to frame_b, resolved in the world frame"
  variable rRod_a[3] : m = r_a "from frame_a to frame_b, resolved in frame_a"
  assert rodLength > 0, "the rod has no length", rodLength
  rRod_0 * rRod_0 - rodLength^2 = 0 @derivative(2 * r_a * v_a, 2 * v_a * v_a + 2 * r_a * a_a)
  universal.e = r_a / rodLength
  universal.v_e = v_a / rodLength
  universal.a_e = a_a / rodLength
  line.t = -rodLength * cross(eRod_ia, f_b)
end

model JointUPS extends AimedRod(e_ia = eAxis_ia)
  "Universal joint at frame_a, prismatic joint, spherical joint at frame_b; frame_ib is at frame_b and turns as frame_ia does. [MSL]"
  parameter nAxis_ia[3] : 1 = {1, 0, 0} "axis of the prismatic joint, resolved in frame_ia" @structure
  parameter s_offset : m = 0 "distance of frame_a and frame_b where s = 0"
  final parameter eAxis_ia[3] : 1 = unit(nAxis_ia) "unit vector along the axis" @structure
  frame_ib : Frame
  axis, bearing : translational.Flange
  variable s : m = axisLength - s_offset "position"
  variable f : N = axis.f "driving force"
  variable axisLength : m = sqrt(r_a * r_a) "distance of frame_a and frame_b"
  private variable v : m/s = universal.e * v_a "der(axisLength)"
  private variable way[3] : m = eAxis_ia * axisLength
  private variable v_way[3] : m/s = eAxis_ia * v
  private variable a : m/s^2 = universal.e * a_a + axisLength * (universal.v_e * universal.v_e) "der(v)"
  private slide : GivenShift
  connect line.frame_a, slide.frame_a
  connect slide.frame_b, frame_ib
  axis.s = s
  bearing.s = 0
  eAxis_ia * (f_b - slide.frame_a.f) = -f
  universal.e = r_a / axisLength
  universal.v_e = (v_a - universal.e * v) / axisLength
  universal.a_e = (a_a - universal.e * a - 2 * universal.v_e * v) / axisLength
  line.t = -cross(way, f_b)
  slide.r = way
  slide.v = v_way
  slide.a = eAxis_ia * a
end

model GivenShift extends Shifting "frame_b is shifted by r, with velocity v and acceleration a, all resolved in frame_a; forces pass."
  variable r[3] : m
  variable v[3] : m/s
  variable a[3] : m/s^2
  r_ab = r
  v_ab = v
  a_ab = a
end

partial model RodAndRevolute extends TwoFrames
  """A revolute joint at frame_b and the rod that it moves, from frame_ib to frame_im in the middle. With phi = 0 the rod's frames are turned
  by phi_offset against frame_b."""
  parameter n_b[3] : 1 = {0, 0, 1} "axis of the revolute joint, resolved in frame_b" @structure
  parameter rRod2_ib[3] : m = {1, 0,
      0} "from the revolute joint to the joint in the middle, resolved in frame_ib" @structure
  parameter phi_offset : rad = 0 "the joint's angle where phi = 0 (in MSL in degrees)"
  parameter phi_guess : rad = 0 "phi at the start is looked for near this (in MSL in degrees)"
  parameter animation : Boolean = true "true: it is drawn"
  frame_ib, frame_im : Frame
  axis, bearing : rotational.Flange
  variable phi : rad = axis.phi "angle of the revolute joint, without phi_offset"
  revolute : Revolute(n = n_b, useAxisFlange = true, stateSelect = avoid, phi(start = phi_guess + phi_offset),
      animation = animation)
  rod2 : FixedTranslation(r = rRod2_ib, animation = animation)
  private offset : rotational.Disc(deltaPhi = phi_offset)
  connect frame_b, revolute.frame_a
  connect revolute.frame_b, rod2.frame_a, frame_ib
  connect rod2.frame_b, frame_im
  connect axis, offset.flange_a
  connect offset.flange_b, revolute.axis
  connect bearing, revolute.support
end

partial model RodAndPrismatic extends TwoFrames
  """A prismatic joint at frame_b and the rod that it moves, from frame_ib to frame_im in the middle. With s = 0 frame_ib is s_offset away
  from frame_b."""
  parameter n_b[3] : 1 = {0, 0, 1} "axis of the prismatic joint, resolved in frame_b" @structure
  parameter rRod2_ib[3] : m = {1, 0, 0} "from frame_ib to the joint in the middle, resolved in frame_ib" @structure
  parameter s_offset : m = 0 "the joint's position where s = 0"
  parameter s_guess : m = 0 "s at the start is looked for near this"
  parameter animation : Boolean = true "true: it is drawn"
  frame_ib, frame_im : Frame
  axis, bearing : translational.Flange
  variable s : m = axis.s "position of the prismatic joint, without s_offset"
  prismatic : Prismatic(n = n_b, useAxisFlange = true, stateSelect = avoid, s(start = s_guess + s_offset), animation =
      animation)
  rod2 : FixedTranslation(r = rRod2_ib, animation = animation)
  private offset : translational.Rod(L = s_offset)
  connect frame_b, prismatic.frame_a
  connect prismatic.frame_b, rod2.frame_a, frame_ib
  connect rod2.frame_b, frame_im
  connect axis, offset.flange_a
  connect offset.flange_b, prismatic.axis
  connect bearing, prismatic.support
end

model JointUSR extends RodAndRevolute(rRod2_ib = {-1, 0, 0})
  "Universal joint at frame_a, spherical joint, revolute joint at frame_b; frame_ia is at frame_a and turns with rod 1. [MSL]"
  parameter n1_a[3] : 1 = {0, 0, 1} "first axis of the universal joint, resolved in frame_a" @structure
  parameter rRod1_ia[3] : m = {1, 0, 0} "from frame_a to the spherical joint, resolved in frame_ia" @structure
  frame_ia : Frame
  variable f_rod : N = rod1.f_rod "force along rod 1, positive when it is pressed"
  rod1 : UniversalSpherical(n1_a = n1_a, rRod_ia = rRod1_ia, animation = animation)
  connect frame_a, rod1.frame_a
  connect rod1.frame_b, rod2.frame_b
  connect rod1.frame_ia, frame_ia
end

model JointUSP extends RodAndPrismatic(n_b = {-1, 0, 0}, rRod2_ib = {-1, 0, 0})
  "Universal joint at frame_a, spherical joint, prismatic joint at frame_b; frame_ia is at frame_a and turns with rod 1. [MSL]"
  parameter n1_a[3] : 1 = {0, 0, 1} "first axis of the universal joint, resolved in frame_a" @structure
  parameter rRod1_ia[3] : m = {1, 0, 0} "from frame_a to the spherical joint, resolved in frame_ia" @structure
  frame_ia : Frame
  variable f_rod : N = rod1.f_rod "force along rod 1, positive when it is pressed"
  rod1 : UniversalSpherical(n1_a = n1_a, rRod_ia = rRod1_ia, animation = animation)
  connect frame_a, rod1.frame_a
  connect rod1.frame_b, rod2.frame_b
  connect rod1.frame_ia, frame_ia
end

model JointSSR extends RodAndRevolute "Spherical joint at frame_a, spherical joint, revolute joint at frame_b. [MSL]"
  parameter rod1Length(min = 0) : m = 1 "distance of the spherical joints"
  parameter rod1Mass(min = 0) : kg = 0 "mass of rod 1, a point in its middle" @structure
  variable f_rod : N = rod1.f_rod "force along rod 1, positive when it is pressed"
  rod1 : SphericalSpherical(rodLength = rod1Length, m = rod1Mass, animation = animation)
  connect frame_a, rod1.frame_a
  connect rod1.frame_b, rod2.frame_b
end

model JointSSP extends RodAndPrismatic "Spherical joint at frame_a, spherical joint, prismatic joint at frame_b. [MSL]"
  parameter rod1Length(min = 0) : m = 1 "distance of the spherical joints"
  parameter rod1Mass(min = 0) : kg = 0 "mass of rod 1, a point in its middle" @structure
  variable f_rod : N = rod1.f_rod "force along rod 1, positive when it is pressed"
  rod1 : SphericalSpherical(rodLength = rod1Length, m = rod1Mass, animation = animation)
  connect frame_a, rod1.frame_a
  connect rod1.frame_b, rod2.frame_b
end

model JointRRR extends JointUSR(final n1_a = n_a, final n_b = n_end)
  """Three revolute joints with parallel axes for a plane loop: a JointUSR, which carries no force along the axes that other joints of the
  loop carry. n_end, the axis in frame_b, follows from how the frames are turned at the start. [MSL]"""
  parameter n_a[3] : 1 = {0, 0, 1} "axes of the joints, resolved in frame_a" @structure
  parameter n_end[3](fixed = false, start = n_a) : 1 "axes of the joints, resolved in frame_b"
  initial n_end = frame_b.R.T * (frame_a.R.T' * n_a)
end

model JointRRP extends JointUSP(final n1_a = n_a)
  "Two revolute joints with parallel axes, the first at frame_a, and a prismatic joint across them at frame_b, for a plane loop: a JointUSP. [MSL]"
  parameter n_a[3] : 1 = {0, 0, 1} "axes of the revolute joints, resolved in frame_a" @structure
end
