// Cellier's lecture "Numerical simulation of dynamic systems XV" (ETH Zurich 2013): ten equations, six of them an algebraic loop.
// Torn at i3, the residue equation is the current balance of the second node (lecture, Tearing Algorithm II to V).
// Look at `:blt block 2`: one unknown remains.

parameter R1 : Ohm = 10
parameter R2 : Ohm = 20
parameter R3 : Ohm = 30
parameter L : H = 5
variable u0 : V
variable u1 : V
variable u2 : V
variable u3 : V
variable uL : V
variable i0 : A
variable i1 : A
variable i2 : A
variable i3 : A
variable iL(start = 0, fixed) : A
source :: u0 = 10 * sin(pi * time)
ohm1 :: u1 = R1 * i1
ohm2 :: u2 = R2 * i2
ohm3 :: u3 = R3 * i3
inductor :: uL = L * der(iL)
mesh1 :: u0 = u1 + u3
mesh2 :: uL = u1 + u2
mesh3 :: u3 = u2
node1 :: i0 = i1 + iL
node2 :: i1 = i2 + i3 + residue(i3)

:set solve tear
:simulate until 4 tol 1e-8
:blt block 2
:ops
:value i3 (R2 / (R1 * R2 + R1 * R3 + R2 * R3) * u0) at 0.5
:plot iL i3
