// reference: Mechanics.Translational.Examples.Oscillator.csv
// Two masses on springs, driven at resonance, one of them damped.
use translational

mass1 : Mass(L = 1, s(start = -0.5, fixed), v(start = 0, fixed), m = 1)
spring1 : Spring(s_rel0 = 1, c = 10000)
fixed1 : Fixed(s0 = 1)
force1 : Force
sine1 : blocks.Sine(f = 15.9155)
mass2 : Mass(L = 1, s(start = -0.5, fixed), v(start = 0, fixed), m = 1)
spring2 : Spring(s_rel0 = 1, c = 10000)
fixed2 : Fixed(s0 = 1)
force2 : Force
sine2 : blocks.Sine(f = 15.9155)
damper1 : Damper(d = 10)
connect sine1.y, force1.f
connect force1.flange, mass1.flange_a
connect mass1.flange_b, spring1.flange_a
connect spring1.flange_b, fixed1.flange
connect sine2.y, force2.f
connect force2.flange, mass2.flange_a
connect mass2.flange_b, spring2.flange_a, damper1.flange_a
connect spring2.flange_b, damper1.flange_b, fixed2.flange

experiment stop = 1, tolerance = 1e-8
