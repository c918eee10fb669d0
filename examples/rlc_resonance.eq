// A series resonant circuit, driven at its own frequency f = 1/(2*pi*sqrt(L*C)).
// Look at the voltage of the capacitor: it grows to Q = sqrt(L/C)/R = 20 times the voltage of the source, with the time constant 2*L/R.
use electrical

parameter f0 : Hz = 1 / (2 * pi * sqrt(L1.L * C1.C)) "resonance frequency"
parameter Q : 1 = sqrt(L1.L / C1.C) / R1.R "quality factor"

source : CosineVoltage(V = 1, f = f0)
R1 : Resistor(R = 5)
L1 : Inductor(L = 10 [mH], i(start = 0, fixed))
C1 : Capacitor(C = 1 [uF], v(start = 0, fixed))
ground : Ground
connect source.p, R1.p
connect R1.n, L1.p
connect L1.n, C1.p
connect C1.n, source.n, ground.p

:simulate until 20 [ms] points 2000 tol 1e-8
:value f0 Q
:plot C1.v
