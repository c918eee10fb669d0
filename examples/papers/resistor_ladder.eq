// Tearing paper, section "Electrical circuits": a ladder of three voltage dividers, 15 equations.
// Plain: the automatic ordering. Look at `:ops`: straight-line code; the paper has 126 multiplications and 93 additions without tearing,
// 27 and 25 with the best of its cuts.
use "circuits.eq"

U0 : VoltageSource
R1 : Resistor(R = 10)
R2 : Resistor(R = 20)
R3 : Resistor(R = 10)
R4 : Resistor(R = 20)
R5 : Resistor(R = 10)
R6 : Resistor(R = 10)
common : Common
U0.e = 21 * cos(time)
connect U0.p, R1.p
connect R1.n, R2.p, R3.p
connect R3.n, R4.p, R5.p
connect R5.n, R6.p
connect U0.n, R2.n, R4.n, R6.n, common.p

:simulate until 1
:blt block 2
:ops
:value R6.u at 0
