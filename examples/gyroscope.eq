// A gyroscope in two gimbals. The outer one is pushed for a while by a small torque: it is the inner one that goes, at about
// tau/(I_rotor*spin). Look at both angles; without the spin the outer gimbal would turn instead. `:animate to gyroscope.html`
// shows it, slowed down.
use multibody

parameter spin : rad/s = 300
world : World(gravityType = NoGravity)
outer_gimbal : Revolute(n = {0, 0, 1}, useAxisFlange = true, phi(start = 0, fixed), w(start = 0, fixed))
ring1 : Body(m = 0.1, I_11 = 1e-4, I_22 = 2e-4, I_33 = 1e-4, animation = false)
drawn1 : FixedShape(shapeType = cylinder, lengthDirection = {0, 1, 0}, r_shape = {0, -0.004, 0}, length = 0.008, width =
    0.15, innerWidth = 0.14)
inner_gimbal : Revolute(n = {1, 0, 0}, phi(start = 0, fixed), w(start = 0, fixed))
ring2 : Body(m = 0.1, I_11 = 1e-4, I_22 = 1e-4, I_33 = 2e-4, animation = false)
drawn2 : FixedShape(shapeType = cylinder, lengthDirection = {0, 0, 1}, r_shape = {0, 0, -0.004}, length = 0.008, width =
    0.13, innerWidth = 0.12)
axle : Revolute(n = {0, 1, 0}, phi(start = 0, fixed), w(start = spin, fixed))
rotor : BodyCylinder(r = {0, 0.02, 0}, r_shape = {0, -0.02, 0}, diameter = 0.08)
push : rotational.Torque
connect world.frame_b, outer_gimbal.frame_a
connect outer_gimbal.frame_b, ring1.frame_a, drawn1.frame_a, inner_gimbal.frame_a
connect inner_gimbal.frame_b, ring2.frame_a, drawn2.frame_a, axle.frame_a
connect axle.frame_b, rotor.frame_a
connect push.flange, outer_gimbal.axis
push.tau = noEvent(if time < 0.5 then 0.05 [N*m] else 0 [N*m])
parameter rate : rad/s = 0.05 [N*m] / (rotor.I[2, 2] * spin) "of precession"

:simulate until 1 tol 1e-8
:value rate (inner_gimbal.phi / 0.5) outer_gimbal.phi
:plot inner_gimbal.phi outer_gimbal.phi
