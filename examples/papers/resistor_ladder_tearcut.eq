// Tearing paper, section "Electrical circuits": a ladder of three voltage dividers, 15 equations.
// Torn at one current, i1; the residue is the current balance at the last node: 27 multiplications and 25 additions in the paper.
// Look at `:ops`.
use "circuits.eq"

U0 : VoltageSource
R1 : Resistor(R = 10)
R2 : Resistor(R = 20)
R3 : Resistor(R = 10)
R4 : Resistor(R = 20)
R5 : Resistor(R = 10)
R6 : Resistor(R = 10)
common : Common
T : TearCut
U0.e = 21 * cos(time)
connect U0.p, R1.p
connect R1.n, T.A
connect T.B, R2.p, R3.p
connect R3.n, R4.p, R5.p
connect R5.n, R6.p, T.Res
connect U0.n, R2.n, R4.n, R6.n, common.p

:simulate until 1
:blt block 2
:ops
:value R6.u at 0
