// multibody/interfaces.eq: the frame, the world, and what parts share.
//   Forces f and torques t act on a component at its frame, resolved in the frame. Names and signs as in MSL 4.0.0, Mechanics.MultiBody.
//   A frame carries velocities and accelerations too, so that nothing has to be differentiated in a tree of parts; all of them are resolved
//   in the frame itself (docs/multibody.md says why). Gravity is in the accelerations: a tree hangs in a world that is accelerated upwards.

connector Frame "coordinate system fixed to a part, with the forces at its origin"
  potential r_0[3] : m "origin, resolved in the world frame" @axes(R.T) @derivative(motion.v, motion.a) @hint("no frame of this part is held by the world: connect it, or give it a Body; a loop that floats takes a FreeMotion(angles_fixed = true) from the world to one of its parts")
  potential R : Orientation "orientation and rotation"
  potential motion : Motion "velocity and acceleration of the origin"
  flow f[3] : N "force into the component" @hint("in a plane loop a RevolutePlanarLoopConstraint in place of one of the revolute joints leaves no reaction open, in space a Universal or Spherical joint in place of a Revolute")
  flow t[3] : N*m "torque into the component" @hint("in a plane loop a RevolutePlanarLoopConstraint in place of one of the revolute joints leaves no reaction open, in space a Universal or Spherical joint in place of a Revolute")
end

enum GravityTypes NoGravity, UniformGravity, PointGravity
enum ResolveInFrameA world, frame_a, frame_resolve
enum ResolveInFrameB world, frame_b, frame_resolve
enum ResolveInFrameAB world, frame_a, frame_b, frame_resolve
enum RotationTypes RotationAxis, TwoAxesVectors, PlanarRotationSequence

model World
  "World frame and gravity. Bodies look for a component called world; where there is none, one is made. [MSL]"
  parameter gravityType : GravityTypes = UniformGravity "gravity: NoGravity, UniformGravity or PointGravity"
  parameter g : m/s^2 = 9.80665 "size of uniform gravity"
  parameter n[3] : 1 = {0, -1, 0} "direction of uniform gravity" @structure
  parameter mu : m^3/s^2 = 398600441800000 "gravity constant of the point, times its mass"
  parameter driveTrainMechanics3D : Boolean = true "true: parts of drive trains act on their mounting"
  frame_b : Frame
  final parameter gravity[3] : m/s^2 = if gravityType == UniformGravity then g *
      unit(n) else zeros(3) "uniform gravity, resolved in the world frame" @structure
  root frame_b.R
  root frame_b.motion
  frame_b.r_0 = zeros(3)
  frame_b.R = Orientation(identity(3), zeros(3), zeros(3))
  frame_b.motion = Motion(zeros(3), -gravity)
end

// Gravity at r_0, as a body has to add it: uniform gravity is in the accelerations already.
function pointGravity(mu, r_0[3]) = -mu * r_0 / (r_0 * r_0)^1.5

partial model TwoFrames "A frame on either side. [MSL PartialTwoFrames]"
  frame_a, frame_b : Frame
end

partial model Branch extends TwoFrames "Two frames of which one determines the orientation and motion of the other."
  branch frame_a.R, frame_b.R
  branch frame_a.motion, frame_b.motion
end
