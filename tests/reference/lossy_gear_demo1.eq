// reference: Mechanics.Rotational.Examples.LossyGearDemo1.csv
// A gear whose efficiency lets it stick.
use rotational

gear : LossyGear(ratio = 2, lossTable = [0, 0.5, 0.5, 0, 0], useSupport = true)
Inertia1 : Inertia(J = 1)
Inertia2 : Inertia(J = 1.5, phi(fixed, start = 0, nominal = 0.001), w(fixed, start = 0, nominal = 0.01))
torque1 : Torque(useSupport = true)
torque2 : Torque(useSupport = true)
DriveSine : blocks.Sine(amplitude = 10, f = 1)
load : blocks.Ramp(height = 5, duration = 2, offset = -10)
housing : Fixed
connect DriveSine.y, torque1.tau
connect load.y, torque2.tau
connect torque1.flange, Inertia1.flange_a
connect Inertia1.flange_b, gear.flange_a
connect gear.flange_b, Inertia2.flange_a
connect torque2.flange, Inertia2.flange_b
connect gear.support, torque1.support, torque2.support, housing.flange

experiment stop = 0.5, tolerance = 1e-8
