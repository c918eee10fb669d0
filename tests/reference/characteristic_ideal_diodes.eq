// reference: Electrical.Analog.Examples.CharacteristicIdealDiodes.csv
// Ideal diodes without and with resistances and knee voltage on sinusoidal voltages.
use electrical

Ideal : IdealDiode(Ron = 0, Goff = 0, Vknee = 0)
With_Ron_Goff : IdealDiode(Ron = 0.1, Goff = 0.1, Vknee = 0)
With_Ron_Goff_Vknee : IdealDiode(Ron = 0.2, Goff = 0.2, Vknee = 5)
SineVoltage1 : SineVoltage(V = 10, offset = -9, f = 1)
SineVoltage2 : SineVoltage(V = 10, offset = 0, f = 1)
SineVoltage3 : SineVoltage(V = 10, offset = 0, f = 1)
Ground1 : Ground
R1 : Resistor(R = 1e-3)
R2 : Resistor(R = 1e-3)
R3 : Resistor(R = 1e-3)
connect SineVoltage2.p, Ideal.p
connect SineVoltage1.p, With_Ron_Goff.p
connect SineVoltage3.p, With_Ron_Goff_Vknee.p
connect Ideal.n, R1.p
connect With_Ron_Goff.n, R2.p
connect With_Ron_Goff_Vknee.n, R3.p
connect R1.n, R2.n, R3.n, SineVoltage1.n, SineVoltage2.n, SineVoltage3.n, Ground1.p

experiment stop = 1, tolerance = 1e-8
