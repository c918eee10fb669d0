// Full-wave rectifier of ideal diodes: four of them, each a switch with a knee voltage, feed a capacitor and a load from a 12 V, 50 Hz
// transformer (diode_rectifier.eq is the same with the exponential law). Which diodes conduct is decided by all four together, at events.
// Look at the pulses of the current, and at the output: two knee voltages below the peak of 17 V, less what Rs takes; between the pulses
// the capacitor discharges through the load as exp(-t/(R*C)), printed for 86 ms to 92 ms.
use electrical

source : SineVoltage(V = 17, f = 50)
Rs : Resistor(R = 0.5)
D1, D2, D3, D4 : IdealDiode(Vknee = 0.7, Goff = 1e-8)
C1 : Capacitor(C = 1 [mF], v(start = 0, fixed))
load : Resistor(R = 100)
ground : Ground
connect source.p, Rs.p
connect Rs.n, D1.p, D3.n
connect source.n, D2.p, D4.n
connect D1.n, D2.n, C1.p, load.p
connect D3.p, D4.p, C1.n, load.n, ground.p

:simulate until 100 [ms] points 1000 tol 1e-8
:value load.v at 86 [ms]
:value load.v (load.v * exp(6 [ms] / (load.R * C1.C))) at 92 [ms]
:plot load.v D1.i
