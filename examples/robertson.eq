// Robertson's chemical reaction: three rates that differ by nine orders of magnitude, the classic stiff problem.
// Look at the values at t = 4000 (0.18320, 8.9423e-7 and 0.81680 in SUNDIALS' example cvRoberts) and at the few steps that a stiff method
// needs for them.

variable A(start = 1, fixed)
variable B(start = 0, fixed, nominal = 1e-5)
variable C(start = 0, fixed)
der(A) = -0.04 * A + 1e4 * B * C
der(B) = 0.04 * A - 1e4 * B * C - 3e7 * B^2
der(C) = 3e7 * B^2

:simulate until 4000 tol 1e-8 method bdf
:value A B C
:value (A + B + C)
:plot A C
