// reference: Electrical.Analog.Examples.ShowSaturatingInductor.csv
// A saturating and a linear inductor on the same sinusoidal voltage.
use electrical

parameter Lzer : H = 2
parameter Lnom : H = 1
parameter Inom : A = 1
parameter Linf : H = 0.5
parameter U : V = 1.25
parameter f : Hz = 1 / (2 * pi)
parameter phase : rad = pi / 2
SineVoltage1 : SineVoltage(V = U, phase = phase, f = f)
Ground1 : Ground
SaturatingInductance1 : SaturatingInductor(Lzer = Lzer, Lnom = Lnom, Inom = Inom, Linf = Linf, i(fixed))
Inductance1 : Inductor(L = Lnom, i(fixed))
connect SineVoltage1.p, SaturatingInductance1.p, Inductance1.p
connect SineVoltage1.n, SaturatingInductance1.n, Inductance1.n, Ground1.p

experiment stop = 6.2832, tolerance = 1e-8
