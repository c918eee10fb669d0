// A common-emitter stage: base divider, collector resistor, a split emitter resistor with a bypass capacitor, coupling capacitors.
// Look at the output: turned round and amplified by about RC/RE1 (in parallel with the load), here 10 times.
use electrical

Vcc : ConstantVoltage(V = 12)
source : SineVoltage(V = 50 [mV], f = 1 [kHz])
Rs : Resistor(R = 600)
Cin : Capacitor(C = 1 [uF], v(start = -1.8, fixed))
Rb1 : Resistor(R = 47 [kOhm])
Rb2 : Resistor(R = 8.2 [kOhm])
RC : Resistor(R = 4.7 [kOhm])
RE1 : Resistor(R = 390)
RE2 : Resistor(R = 680)
CE : Capacitor(C = 100 [uF], v(start = 0.7, fixed))
Cout : Capacitor(C = 1 [uF], v(start = 7, fixed))
load : Resistor(R = 47 [kOhm])
T1 : NPN(Bf = 200, Br = 2, Is = 1e-14, vbe(start = 0.6), vbc(start = -5), vcs(start = 7))
ground : Ground
connect source.p, Rs.p
connect Rs.n, Cin.p
connect Cin.n, Rb1.n, Rb2.p, T1.B
connect Vcc.p, Rb1.p, RC.p
connect RC.n, T1.C, Cout.p
connect T1.E, RE1.p
connect RE1.n, RE2.p, CE.p
connect Cout.n, load.p
connect Vcc.n, source.n, Rb2.n, RE2.n, CE.n, load.n, ground.p

:simulate until 5 [ms] points 1000 tol 1e-7
:value T1.C.i T1.B.i
:plot source.v load.v
