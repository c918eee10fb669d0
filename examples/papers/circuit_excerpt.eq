// Relaxing paper, figure 2: two resistors and a capacitor meet at node 4. The excerpt is made a circuit by a source and resistors at the
// outer nodes 1, 2 and 3.
// Look at `:blt all`: the relaxed elements are solved for their currents, node potentials remain (modified nodal analysis).
use "circuits.eq"

U : VoltageSource
Ra : RelaxedResistor(R = 10)
R1 : RelaxedResistor(R = 20)
C : RelaxedCapacitor(C = 0.05, u(start = 0, fixed))
Rb : RelaxedResistor(R = 40)
R3 : RelaxedResistor(R = 30)
Rc : RelaxedResistor(R = 50)
common : Common
U.e = 10
connect U.p, Ra.p
connect Ra.n, R1.p
connect R1.n, C.n, R3.n
connect C.p, Rb.p
connect R3.p, Rc.p
connect U.n, Rb.n, Rc.n, common.p

:simulate until 80 tol 1e-8
:blt all
:ops
:value C.u
:value (-10 * 8 / 11)
:plot C.u
