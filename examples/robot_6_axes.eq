// A robot with six revolute joints, driven by motors through gears, moves from one posture to another under control of each joint.
// Look at `:blt`: the equations of motion, with the gears' inertias in them, are straight-line code (core 0); and at `:ops`.
use multibody

model Axis "joint, motor with gear and controller, and the link behind"
  parameter n[3] : 1 = {0, 0, 1} "axis" @structure
  parameter r[3] : m = {0, 0, 0} "to the next joint" @structure
  parameter r_CM[3] : m = {0, 0, 0} "centre of mass" @structure
  parameter m : kg = 1 "mass of the link"
  parameter J : kg*m^2 = 0.1 "moment of inertia of the link"
  parameter ratio : 1 = 100 "of the gear"
  parameter target : rad = 0 "where to"
  parameter stiffness : N*m/rad = 2000 "of the controller"
  frame_a, frame_b : Frame
  joint : Revolute(n = n, useAxisFlange = true, phi(start = 0, fixed), w(start = 0, fixed))
  gear : rotational.IdealGear(ratio = ratio)
  rotor : rotational.Inertia(J = 0.001)
  motor : rotational.Torque
  link : BodyShape(r = r, r_CM = r_CM, m = m, I_11 = J, I_22 = J, I_33 = J)
  parameter damping : N*m*s/rad = stiffness * 0.1 [s] "of the controller"
  variable x : 1 = noEvent(min(time / 1 [s], 1)) "part of the time for the way"
  variable wanted : rad = target * (3 * x^2 - 2 * x^3) "smooth way there"
  motor.tau = (stiffness * (wanted - joint.phi) - damping * joint.w) / ratio
  connect motor.flange, rotor.flange_a
  connect rotor.flange_b, gear.flange_a
  connect gear.flange_b, joint.axis
  connect frame_a, joint.frame_a
  connect joint.frame_b, link.frame_a
  connect link.frame_b, frame_b
end

world : World(n = {0, 0, -1})
a1 : Axis(n = {0, 0, 1}, r = {0.3, 0, 0.5}, r_CM = {0.1, 0, 0.3}, m = 80, J = 3, target = 60 [deg], stiffness = 40000)
a2 : Axis(n = {0, 1, 0}, r = {0, 0, 0.9}, r_CM = {0, 0, 0.4}, m = 50, J = 4, target = 40 [deg], stiffness = 40000)
a3 : Axis(n = {0, 1, 0}, r = {0.3, 0, 0.1}, r_CM = {0.1, 0, 0.05}, m = 30, J = 1, target = -50 [deg], stiffness = 20000)
a4 : Axis(n = {1, 0, 0}, r = {0.6, 0, 0}, r_CM = {0.3, 0, 0}, m = 15, J = 0.3, target = 90 [deg])
a5 : Axis(n = {0, 1, 0}, r = {0.1, 0, 0}, r_CM = {0.05, 0, 0}, m = 4, J = 0.02, target = -30 [deg])
a6 : Axis(n = {1, 0, 0}, r = {0.1, 0, 0}, r_CM = {0.1, 0, 0}, m = 10, J = 0.1, target = 180 [deg])
connect world.frame_b, a1.frame_a
connect a1.frame_b, a2.frame_a
connect a2.frame_b, a3.frame_a
connect a3.frame_b, a4.frame_a
connect a4.frame_b, a5.frame_a
connect a5.frame_b, a6.frame_a

:simulate until 2 tol 1e-7
:blt
:ops
:value a6.frame_b.r_0 at 0
:value a6.frame_b.r_0
:plot a1.joint.phi a2.joint.phi a3.joint.phi a6.joint.phi
