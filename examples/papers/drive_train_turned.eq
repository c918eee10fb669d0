// Relaxing paper, section 10: the gear box turned round, where the paper's relaxing fails: without the relaxed pairs the block is
// structurally singular, and a warning says which mark is dropped. Look at `:blt block 2`: straight-line code all the same, with the
// other marks and, cheaper, in an order that Kron finds. dw2/dt = i*tau/(i^2*J2 + J1).
use "shafts.eq"

motor : Drive
s1 : Shaft(J = 0.1)
g : Gear(i = 10)
s2 : ShaftS(J = 2, w(start = 0, fixed))
motor.tau = 6 * cos(time)
connect motor.r, s1.l
connect s1.r, g.r
connect g.l, s2.l

:simulate until 10 tol 1e-8
:blt block 2
:ops
:value s2.w
:value (10 * 6 * sin(10) / (10^2 * 2 + 0.1))
:plot s2.w
