// The transistor amplifier of the IVP test set (Mazzia and Magherini, Test Set for Initial Value Problem Solvers, problem II-10): two
// stages, five capacitors, nodes 1 to 8. There it is a system of eight equations with a singular mass matrix; here the capacitors'
// voltages are the states.
// Look at the potential of node 1 at t = 0.2: the reference is -5.562145012262709e-3; of node 8: 1.236995868091548.
use electrical

model Transistor "emitter current g = beta*(exp((B.v - E.v)/UF) - 1); alpha of it flows in at the collector"
  parameter alpha : 1 = 0.99
  parameter beta : A = 1e-6
  parameter UF : V = 0.026
  B, C, E : Pin
  variable g : A = beta * (exp((B.v - E.v) / UF) - 1)
  C.i = alpha * g
  B.i = (1 - alpha) * g
  E.i = -g
end

Ue : SineVoltage(V = 0.1, f = 100)
Ub : ConstantVoltage(V = 6)
R0 : Resistor(R = 1000)
R[9] : Resistor(R = 9000)
C[5] : Capacitor(C = {1e-6, 2e-6, 3e-6, 4e-6, 5e-6}, v(start = {-3, 3, 3, 3, 6}, fixed))
T1, T2 : Transistor
ground : Ground
connect Ue.p, R0.p
connect R0.n, C[1].p
connect C[1].n, R[1].p, R[2].n, T1.B
connect T1.E, R[3].p, C[2].p
connect T1.C, R[4].n, C[3].p
connect C[3].n, R[5].p, R[6].n, T2.B
connect T2.E, R[7].p, C[4].p
connect T2.C, R[8].n, C[5].p
connect C[5].n, R[9].p
connect Ub.p, R[2].p, R[4].p, R[6].p, R[8].p
connect Ue.n, Ub.n, R[1].n, R[3].n, R[5].n, R[7].n, R[9].n, C[2].n, C[4].n, ground.p

:simulate until 0.2 tol 1e-10
:value R0.n.v R[9].p.v
:plot Ue.v R[9].p.v
