// reference: Mechanics.Rotational.Examples.Friction.csv
// A drive train with a clutch and a brake.
use rotational

parameter startTime : s = 0.5
torque : Torque(useSupport = true)
inertia3 : Inertia(J = 1, phi(start = 0, fixed), w(start = 100, fixed))
clutch : Clutch(fn_max = 160)
inertia2 : Inertia(J = 0.05, phi(start = 0, fixed), w(start = 90, fixed))
spring : SpringDamper(c = 160, d = 1)
inertia1 : Inertia(J = 1, phi(start = 0, fixed), w(start = 90, fixed))
brake : Brake(fn_max = 1600, useSupport = true)
one : blocks.Constant(k = 1)
step : blocks.Step(startTime = startTime)
step2 : blocks.Step(height = -1, offset = 1, startTime = startTime)
sine : blocks.Sine(amplitude = 200, f = 50 / pi)
driving : blocks.Product
housing : Fixed
connect sine.y, driving.u1
connect step2.y, driving.u2
connect driving.y, torque.tau
connect torque.flange, inertia3.flange_a
connect inertia3.flange_b, clutch.flange_a
connect clutch.flange_b, inertia2.flange_a
connect inertia2.flange_b, spring.flange_a
connect spring.flange_b, brake.flange_a
connect brake.flange_b, inertia1.flange_a
connect one.y, clutch.f_normalized
connect step.y, brake.f_normalized
connect torque.support, brake.support, housing.flange

experiment stop = 3, tolerance = 1e-8
