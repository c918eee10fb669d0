// The circuit of F. E. Cellier's lecture "Numerical simulation of dynamic systems XV" (ETH Zurich 2013): an inductor beside R1 in
// series with the pair R2, R3. Three resistors without a state between them make an algebraic loop.
// Look at `:blt`: the loop is one linear block, solved without a matrix. The current i3 is R2/(R1*R2 + R1*R3 + R2*R3)*u0.
use electrical

U0 : SineVoltage(V = 10, f = 0.5)
R1 : Resistor(R = 10)
R2 : Resistor(R = 20)
R3 : Resistor(R = 30)
L : Inductor(L = 5, i(start = 0, fixed))
ground : Ground
connect U0.p, R1.p, L.p
connect R1.n, R2.p, R3.p
connect U0.n, L.n, R2.n, R3.n, ground.p

:simulate until 4 tol 1e-8
:blt
:value R3.i (20 / (10 * 20 + 10 * 30 + 20 * 30) * U0.v) at 0.5
:plot L.i R3.i
