// Van der Pol's oscillator: x'' - mu*(1 - x^2)*x' + x = 0, a limit cycle of amplitude 2.
// Look at the slow and the fast part of each swing (mu = 8), and at the cycle in the x-v plane.

parameter mu = 8 "1: nearly a sine; the larger, the stiffer"
variable x(start = 0.5, fixed)
variable v(start = 0, fixed)
der(x) = v
der(v) = mu * (1 - x^2) * v - x

:simulate until 60 points 1500 tol 1e-8
:value x v
:plot x
:plot v vs x
