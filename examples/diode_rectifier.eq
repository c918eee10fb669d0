// Full-wave rectifier: four diodes (Shockley's law) feed a capacitor and a load from a 12 V, 50 Hz transformer.
// Look at the output: two diode drops below the peak of 17 V, with a ripple of about I/(2*f*C); and at the short pulses of the
// diode current.
use electrical

source : SineVoltage(V = 17, f = 50)
Rs : Resistor(R = 0.5)
D1, D2, D3, D4 : Diode(Ids = 1e-9, Vt = 0.05, Maxexp = 25)
C1 : Capacitor(C = 1 [mF], v(start = 0, fixed))
load : Resistor(R = 100)
ground : Ground
connect source.p, Rs.p
connect Rs.n, D1.p, D3.n
connect source.n, D2.p, D4.n
connect D1.n, D2.n, C1.p, load.p
connect D3.p, D4.p, C1.n, load.n, ground.p

:simulate until 100 [ms] points 1000 tol 1e-6
:value load.v
:plot load.v D1.i
