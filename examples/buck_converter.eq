// A buck converter: a switch chops 24 V with 50 kHz and a duty cycle of 40 %; while it is open, the diode carries on the inductor's current.
// The edges of the pulses are time events, met exactly; the diode switches with them. At 2 ms the load doubles, at 3 ms so small a load remains that
// the inductor's current reaches zero in every period (discontinuous conduction) and the voltage rises above 40 % of the source's.
// Look at the output voltage and the inductor's current, and at the event count; the mean output is duty*24 V while the current does not end.
use electrical
use blocks: BooleanPulse

parameter duty : 1 = 0.4 "part of the period in which the switch is closed"
source : ConstantVoltage(V = 24)
sw : IdealClosingSwitch(Ron = 1e-3, Goff = 1e-6)
diode : IdealDiode(Ron = 1e-3, Goff = 1e-6)
L : Inductor(L = 100e-6, i(start = 1.824, fixed))
C : Capacitor(C = 100e-6, v(start = 9.6, fixed))
load : VariableResistor
ground : Ground
pwm : BooleanPulse(period = 1 / 50000, width = 100 * duty)

load.R = if time < 2e-3 then 4 elseif time < 3e-3 then 2 else 100
connect pwm.y, sw.control
connect source.p, sw.p
connect sw.n, L.p, diode.n
connect L.n, C.p, load.p
connect source.n, diode.p, C.n, load.n, ground.p
variable mean(start = 0, fixed) : V*s "integral of the output voltage from 1.5 ms to 2 ms"
der(mean) = if time >= 1.5e-3 and time < 2e-3 then C.v else 0

:simulate until 5 [ms] points 2000 tol 1e-7
:value (mean / 0.5 [ms]) (24 [V] * duty)
:value C.v
:plot C.v
:plot L.i
