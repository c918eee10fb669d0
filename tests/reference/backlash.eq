// reference: Mechanics.Rotational.Examples.Backlash.csv
// An inertia on a spring and damper without and with backlash.
use rotational

fixed1 : Fixed
springDamper : SpringDamper(c = 20e3, d = 50, phi_nominal = 1)
inertia1 : Inertia(J = 5, w(fixed, start = 0), phi(fixed, start = 1.570796326794897))
fixed2 : Fixed
elastoBacklash : ElastoBacklash(c = 20e3, d = 50, b = 0.7853981633974483, phi_nominal = 1)
inertia2 : Inertia(J = 5, w(fixed, start = 0), phi(fixed, start = 1.570796326794897))
connect fixed1.flange, springDamper.flange_a
connect springDamper.flange_b, inertia1.flange_a
connect fixed2.flange, elastoBacklash.flange_a
connect elastoBacklash.flange_b, inertia2.flange_a

experiment stop = 1, tolerance = 1e-8
