// Relaxing paper, section 10: the drive train torn at the load's acceleration, ShaftS with residue(a). Look at `:blt block 2`: a core
// of one, and as many operations as with relax. Turning the gear box round does no harm here.
use "shafts.eq"

motor : Drive
s1 : PlainShaft(J = 0.1)
g : PlainGear(i = 10)
s2 : TornShaftS(J = 2, w(start = 0, fixed))
motor.tau = 6 * cos(time)
connect motor.r, s1.l
connect s1.r, g.l
connect g.r, s2.l

:set solve tear
:simulate until 10 tol 1e-8
:blt block 2
:ops
:value s2.w
:value (10 * 6 * sin(10) / (2 + 10^2 * 0.1))
:plot s2.w
