// n cells of a resistor and a capacitor, a step at one end: diffusion along a line.
// Look at the first, a middle and the last cell: the delay grows with the square of the distance. With `n := 1000`, `:time :simulate`
// show how the work grows with n.
use electrical

parameter n : Integer = 100 "number of cells"

source : StepVoltage(V = 1)
R[n] : Resistor(R = 1)
C[n] : Capacitor(C = 1 [mF], v(start = 0, fixed))
ground : Ground
connect source.p, R[1].p
for k in 1:n
  connect R[k].n, C[k].p
  connect C[k].n, ground.p
end
for k in 2:n
  connect R[k-1].n, R[k].p
end
connect source.n, ground.p

:simulate until 10 tol 1e-6
:value C[10].v C[50].v C[100].v
:plot C[10].v C[50].v C[100].v
