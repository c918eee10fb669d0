// The drive train of the relaxing paper without any annotation. Look at `:ops` beside that of drive_train.eq: the ordering that Kron
// finds by itself needs no more operations.
use "shafts.eq"

motor : Drive
s1 : PlainShaft(J = 0.1)
g : PlainGear(i = 10)
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
