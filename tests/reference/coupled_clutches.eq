// reference: Mechanics.Rotational.Examples.CoupledClutches.csv
// Four inertias with three clutches between them, closed one after the other.
use rotational

parameter f : Hz = 0.2
parameter T2 : s = 0.4
parameter T3 : s = 0.9
J1 : Inertia(J = 1, phi(fixed, start = 0), w(start = 10, fixed))
torque : Torque(useSupport = true)
clutch1 : Clutch(peak = 1.1, fn_max = 20)
sin1 : blocks.Sine(amplitude = 10, f = 5)
step1 : blocks.Step(startTime = T2)
J2 : Inertia(J = 1, phi(fixed, start = 0), w(fixed, start = 0))
clutch2 : Clutch(peak = 1.1, fn_max = 20)
J3 : Inertia(J = 1, phi(fixed, start = 0), w(fixed, start = 0))
clutch3 : Clutch(peak = 1.1, fn_max = 20)
J4 : Inertia(J = 1, phi(fixed, start = 0), w(fixed, start = 0))
sin2 : blocks.Sine(amplitude = 1, f = f, phase = 1.570796326794897)
step2 : blocks.Step(startTime = T3)
housing : Fixed
connect sin1.y, torque.tau
connect torque.flange, J1.flange_a
connect torque.support, housing.flange
connect J1.flange_b, clutch1.flange_a
connect clutch1.flange_b, J2.flange_a
connect J2.flange_b, clutch2.flange_a
connect clutch2.flange_b, J3.flange_a
connect J3.flange_b, clutch3.flange_a
connect clutch3.flange_b, J4.flange_a
connect sin2.y, clutch1.f_normalized
connect step1.y, clutch2.f_normalized
connect step2.y, clutch3.f_normalized

experiment stop = 1.5, tolerance = 1e-8
