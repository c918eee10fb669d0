// A robot with six revolute joints moves from one posture to another. Each joint has a drive train of its own: a controller sets the voltage
// of a DC motor, whose rotor turns the joint through a gear. Look at `:blt`: the equations of motion, with the gears' inertias and the
// motors in them, are straight-line code (core 0); at `:ops`; and at the currents. `:animate to robot.html` shows the motion.
use multibody

model Drive "controller, DC motor, gear; turns from 0 to target in a second"
  parameter ratio : 1 = 100 "of the gear"
  parameter target : rad = 0 "where to"
  parameter stiffness : N*m/rad = 2000 "of the controller"
  parameter damping : N*m*s/rad = stiffness * 0.1 [s] "of the controller"
  axis, support : rotational.Flange
  voltage : electrical.SignalVoltage
  winding : electrical.Resistor(R = 0.5)
  inductance : electrical.Inductor(L = 0.001, i(start = 0, fixed))
  emf : electrical.RotationalEMF(k = 1, useSupport = true)
  ground : electrical.Ground
  rotor : rotational.Inertia(J = 0.001)
  gear : rotational.IdealGear(ratio = ratio, useSupport = true)
  variable x : 1 = noEvent(min(time / 1 [s], 1)) "part of the time for the way"
  variable wanted : rad = target * (3 * x^2 - 2 * x^3) "smooth way there"
  variable phi : rad = axis.phi - support.phi
  variable w : rad/s = der(phi)
  variable torque : N*m = (stiffness * (wanted - phi) - damping * w) / ratio "that the controller wants"
  voltage.v = winding.R * torque / emf.k + emf.k * ratio * w
  connect voltage.p, winding.p
  connect winding.n, inductance.p
  connect inductance.n, emf.p
  connect emf.n, voltage.n, ground.p
  connect emf.flange, rotor.flange_a
  connect rotor.flange_b, gear.flange_a
  connect gear.flange_b, axis
  connect emf.support, gear.support, support
end

model Axis "joint with its drive, and the link behind"
  parameter n[3] : 1 = {0, 0, 1} "axis" @structure
  parameter r[3] : m = {0, 0, 0} "to the next joint" @structure
  parameter r_CM[3] : m = {0, 0, 0} "centre of mass" @structure
  parameter m : kg = 1 "mass of the link"
  parameter I[3] : kg*m^2 = {0.1, 0.1, 0.1} "moments of inertia of the link"
  parameter thickness : m = 0.1 "as it is drawn"
  frame_a, frame_b : Frame
  joint : Revolute(n = n, useAxisFlange = true, phi(start = 0, fixed), w(start = 0, fixed))
  drive : Drive
  link : BodyShape(r = r, r_CM = r_CM, m = m, I_11 = I[1], I_22 = I[2], I_33 = I[3], animation = false)
  shape : FixedShape(shapeType = box, lengthDirection = r, length = sqrt(r * r), width = thickness)
  connect frame_a, joint.frame_a
  connect joint.frame_b, link.frame_a, shape.frame_a
  connect link.frame_b, frame_b
  connect drive.axis, joint.axis
  connect drive.support, joint.support
end

world : World(n = {0, 0, -1})
a1 : Axis(n = {0, 0, 1}, r = {0.3, 0, 0.5}, r_CM = {0.1, 0, 0.3}, m = 80, I = {4, 4, 2}, thickness = 0.25,
    drive(target = 60 [deg], stiffness = 40000))
a2 : Axis(n = {0, 1, 0}, r = {0, 0, 0.9}, r_CM = {0, 0, 0.4}, m = 50, I = {4, 4, 0.5}, thickness = 0.18, drive(target =
    40 [deg], stiffness = 40000))
a3 : Axis(n = {0, 1, 0}, r = {0.3, 0, 0.1}, r_CM = {0.1, 0, 0.05}, m = 30, I = {0.4, 1, 1}, thickness = 0.16,
    drive(target = -50 [deg], stiffness = 20000))
a4 : Axis(n = {1, 0, 0}, r = {0.6, 0, 0}, r_CM = {0.3, 0, 0}, m = 15, I = {0.05, 0.4, 0.4}, thickness = 0.12,
    drive(target = 90 [deg]))
a5 : Axis(n = {0, 1, 0}, r = {0.1, 0, 0}, r_CM = {0.05, 0, 0}, m = 4, I = {0.01, 0.02, 0.02}, thickness = 0.1,
    drive(target = -30 [deg]))
a6 : Axis(n = {1, 0, 0}, r = {0.1, 0, 0}, r_CM = {0.1, 0, 0}, m = 10, I = {0.1, 0.1, 0.1}, thickness = 0.06,
    drive(target = 180 [deg]))
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
:value (a1.joint.phi - a1.drive.target) a1.drive.inductance.i
:plot a1.joint.phi a2.joint.phi a3.joint.phi a6.joint.phi
