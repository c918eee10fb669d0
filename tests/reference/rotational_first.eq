// reference: Mechanics.Rotational.Examples.First.csv
// A motor and a gear with bearing friction drive a load through an elastic shaft.
use rotational

parameter amplitude : N*m = 10
parameter f : Hz = 5
parameter Jmotor : kg*m^2 = 0.1
parameter Jload : kg*m^2 = 2
parameter ratio : 1 = 10
parameter damping : N*m*s = 10
housing : Fixed
torque : Torque(useSupport = true)
inertia1 : Inertia(J = Jmotor)
idealGear : IdealGear(ratio = ratio, useSupport = true)
inertia2 : Inertia(J = 2, phi(fixed, start = 0), w(fixed, start = 0))
spring : Spring(c = 1e4, phi_rel(fixed))
inertia3 : Inertia(J = Jload, w(fixed, start = 0))
damper : Damper(d = damping)
sine : blocks.Sine(amplitude = amplitude, f = f)
connect sine.y, torque.tau
connect torque.flange, inertia1.flange_a
connect inertia1.flange_b, idealGear.flange_a
connect idealGear.flange_b, inertia2.flange_a
connect inertia2.flange_b, spring.flange_a, damper.flange_a
connect spring.flange_b, inertia3.flange_a
connect damper.flange_b, torque.support, idealGear.support, housing.flange

experiment stop = 1, tolerance = 1e-8
