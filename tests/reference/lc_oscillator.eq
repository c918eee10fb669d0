// reference: Electrical.Analog.Examples.OpAmps.LCOscillator.csv
// An LC circuit kept in oscillation by a limited operational amplifier.
use electrical

parameter VAmp : V = 10
parameter f : Hz = 1000
parameter A : 1 = 1.001
parameter L : H = 0.001
parameter C : F = 1 / ((2 * pi * f)^2 * L)
parameter R : Ohm = 10000
parameter R1 : Ohm = 10000
parameter R2 : Ohm = (A - 1) * R1
parameter gamma : 1/s = (1 - A) / (2 * R * C)
ground : Ground
opAmp : IdealizedOpAmpLimited
r : Resistor(R = R)
r2 : Resistor(R = R2)
r1 : Resistor(R = R1)
c : Capacitor(C = C, v(start = VAmp, fixed))
l : Inductor(L = L, i(fixed, start = 0))
vOut : VoltageSensor
connect opAmp.out, r.p, r2.p
connect r2.n, r1.p, opAmp.in_n
connect r.n, opAmp.in_p, l.p, c.p, vOut.p
connect r1.n, l.n, c.n, vOut.n, ground.p

experiment stop = 0.01, tolerance = 1e-8
