// Relaxing paper, figure 1 and section 5: shaft, gear, shaft with state.
// Look at `:blt block 2`: equations (12) in relaxed BLT form, no more than the paper's eight assignments, and what the other orderings
// cost. dw2/dt = i*tau/(J2 + i^2*J1).
use "shafts.eq"

motor : Drive
s1 : Shaft(J = 0.1)
g : Gear(i = 10)
s2 : ShaftS(J = 2, w(start = 0, fixed))
motor.tau = 6 * cos(time)
connect motor.r, s1.l
connect s1.r, g.l
connect g.r, s2.l

:simulate until 10 tol 1e-8
:blt block 2
:ops
:value s2.w
:value (10 * 6 * sin(10) / (2 + 10^2 * 0.1))
:plot s2.w
