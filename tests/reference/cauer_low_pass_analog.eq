// reference: Electrical.Analog.Examples.CauerLowPassAnalog.csv
// A Cauer low pass of order five: loops of capacitors, so two of their voltages are no states.
use electrical

parameter l1 : H = 1.304
parameter l2 : H = 0.8586
parameter c1 : F = 1.072
parameter c2 : F = 1 / ((1.704992 [rad/s])^2 * l1)
parameter c3 : F = 1.682
parameter c4 : F = 1 / ((1.179945 [rad/s])^2 * l2)
parameter c5 : F = 0.7262
G : Ground
C1 : Capacitor(C = c1, v(start = 0, fixed))
C2 : Capacitor(C = c2)
C3 : Capacitor(C = c3, v(start = 0, fixed))
C4 : Capacitor(C = c4)
C5 : Capacitor(C = c5, v(start = 0, fixed))
L1 : Inductor(L = l1, i(start = 0, fixed))
L2 : Inductor(L = l2, i(start = 0, fixed))
R1 : Resistor(R = 1)
R2 : Resistor(R = 1)
V : StepVoltage(startTime = 1, offset = 0, V = 1)
connect V.p, R1.p
connect R1.n, C1.p, L1.p, C2.p
connect L1.n, C2.n, C3.p, C4.p, L2.p
connect L2.n, C4.n, C5.p, R2.p
connect V.n, C1.n, C3.n, C5.n, R2.n, G.p

experiment stop = 60, tolerance = 1e-8
