// A step charges a capacitor through a resistor: v = V*(1 - exp(-t/(R*C))).
// Look at the value after one time constant R*C = 1 ms; the line below it is the closed form.
use electrical

source : StepVoltage(V = 10)
R1 : Resistor(R = 1 [kOhm])
C1 : Capacitor(C = 1 [uF], v(start = 0, fixed))
ground : Ground
connect source.p, R1.p
connect R1.n, C1.p
connect C1.n, source.n, ground.p

:simulate until 5 [ms] tol 1e-8
:value C1.v at 1 [ms]
:value (10 * (1 - exp(-1)))
:plot C1.v source.v
