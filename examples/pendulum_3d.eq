// A double pendulum whose two axes are perpendicular, of parts of the multibody library: the motion is spatial and chaotic.
// Look at the energy, which stays, at `:states`, the joints' coordinates, and at `:blt`: no matrix is left to solve (core 0).
// `:animate to pendulum.html` shows the motion.
use multibody

world : World
joint1 : Revolute(n = {0, 0, 1}, phi(start = 0, fixed), w(start = 0, fixed))
rod1 : BodyBox(r = {0.5, 0, 0}, width = 0.06)
joint2 : Revolute(n = {0, 1, 0}, phi(start = 1, fixed), w(start = 2, fixed))
rod2 : BodyCylinder(r = {0.5, 0, 0}, diameter = 0.05)
connect world.frame_b, joint1.frame_a
connect joint1.frame_b, rod1.frame_a
connect rod1.frame_b, joint2.frame_a
connect joint2.frame_b, rod2.frame_a

// of both bodies: translation and rotation of the centre of mass, and height
model Energy "of a body with one frame in it"
  parameter m = 1
  parameter I[3, 3] = identity(3)
  parameter r_CM[3] = {0, 0, 0}
  outer world : World
  frame_a : Frame
  variable v[3] : m/s = frame_a.motion.v + cross(frame_a.R.w, r_CM)
  variable E : J = m * (v * v) / 2 + frame_a.R.w * (I * frame_a.R.w) / 2 + m * world.g * (frame_a.r_0[2] +
      frame_a.R.T[:, 2] * r_CM)
  frame_a.f = zeros(3)
  frame_a.t = zeros(3)
end
e1 : Energy(m = rod1.m, I = rod1.I, r_CM = rod1.r_CM)
e2 : Energy(m = rod2.m, I = rod2.I, r_CM = rod2.r_CM)
connect rod1.frame_a, e1.frame_a
connect rod2.frame_a, e2.frame_a
variable E : J = e1.E + e2.E "energy of both rods: constant"

:simulate until 5 tol 1e-9
:states
:blt
:value E at 0
:value E
:plot joint1.phi joint2.phi
