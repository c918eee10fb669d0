// reference: Electrical.Analog.Examples.Rectifier.csv
// B6 bridge of ideal diodes with knee voltage; the three line currents add up to zero, so one inductor's is no state.
use electrical

parameter VAC : V = 400
parameter f : Hz = 50
parameter LAC : H = 60e-6
parameter Ron : Ohm = 1e-3
parameter Goff : S = 1e-3
parameter Vknee : V = 2
parameter CDC : F = 15e-3
parameter IDC : A = 500
SineVoltage1 : SineVoltage(f = f, V = VAC * sqrt(2 / 3))
SineVoltage2 : SineVoltage(f = f, phase = -2 / 3 * pi, V = VAC * sqrt(2 / 3))
SineVoltage3 : SineVoltage(f = f, phase = -4 / 3 * pi, V = VAC * sqrt(2 / 3))
Inductor1 : Inductor(L = LAC)
Inductor2 : Inductor(L = LAC, i(start = 0, fixed))
Inductor3 : Inductor(L = LAC, i(start = 0, fixed))
IdealDiode1, IdealDiode2, IdealDiode3, IdealDiode4, IdealDiode5, IdealDiode6 : IdealDiode(Ron = Ron, Goff = Goff, Vknee = Vknee)
Capacitor1 : Capacitor(C = 2 * CDC)
Capacitor2 : Capacitor(C = 2 * CDC)
Ground1 : Ground
SignalCurrent1 : SignalCurrent
Constant1 : blocks.Constant(k = IDC)
initial Capacitor1.v = VAC * sqrt(2) / 2
initial Capacitor2.v = VAC * sqrt(2) / 2
connect SineVoltage1.n, SineVoltage2.n, SineVoltage3.n
connect SineVoltage1.p, Inductor1.p
connect SineVoltage2.p, Inductor2.p
connect SineVoltage3.p, Inductor3.p
connect Inductor1.n, IdealDiode1.p, IdealDiode4.n
connect Inductor2.n, IdealDiode2.p, IdealDiode5.n
connect Inductor3.n, IdealDiode3.p, IdealDiode6.n
connect IdealDiode1.n, IdealDiode2.n, IdealDiode3.n, Capacitor1.p, SignalCurrent1.p
connect IdealDiode4.p, IdealDiode5.p, IdealDiode6.p, Capacitor2.n, SignalCurrent1.n
connect Capacitor1.n, Capacitor2.p, Ground1.p
connect Constant1.y, SignalCurrent1.i

experiment stop = 0.1, tolerance = 1e-8
