// reference: Mechanics.Translational.Examples.Brake.csv
// Two moving masses are braked, one against the ground, one against a fixed housing.
use translational

brake : Brake(fn_max = 1, useSupport = false)
mass1 : Mass(m = 1, s(fixed), v(start = 1, fixed))
step : blocks.Step(startTime = 0.1, height = 2)
brake1 : Brake(fn_max = 1, useSupport = true)
mass2 : Mass(m = 1, s(fixed), v(start = 1, fixed))
housing : Fixed
connect mass1.flange_b, brake.flange_a
connect mass2.flange_b, brake1.flange_a
connect step.y, brake.f_normalized, brake1.f_normalized
connect brake1.support, housing.flange

experiment stop = 2, tolerance = 1e-8
