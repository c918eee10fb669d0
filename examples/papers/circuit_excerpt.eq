// Relaxing paper, figure 2: two resistors and a capacitor meet at node 4. The excerpt is made a circuit by sources at nodes 1 and 3 and
// a resistor from node 2 to the common node.
// Look at `:blt block 3`: the laws of the relaxed resistors and the sum of the currents into node 4 give the three currents; of five
// equations two remain, between the potentials of nodes 2 and 4. The capacitor's law, relaxed too, is left for its rate.
use "circuits.eq"

U1, U3 : VoltageSource
R1 : RelaxedResistor(R = 20)
C : RelaxedCapacitor(C = 0.05, u(start = 0, fixed))
R3 : RelaxedResistor(R = 30)
R2 : Resistor(R = 40)
common : Common
U1.e = 10
U3.e = -5
connect U1.p, R1.p
connect U3.p, R3.p
connect R1.n, C.n, R3.n
connect C.p, R2.p
connect U1.n, U3.n, R2.n, common.p

:set solve relax
:simulate until 80 tol 1e-8
:blt block 3
:ops
:value C.u
:plot C.u
