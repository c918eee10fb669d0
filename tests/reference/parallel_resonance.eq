// reference: Electrical.Analog.Examples.ParallelResonance.csv
// Two parallel resonant circuits, driven by currents whose frequency runs from 0 to 200 Hz.
use electrical

sineCurrent : SineCurrentVariableFrequencyAndAmplitude(useConstantAmplitude = true, phi(fixed))
ground1 : Ground
resistor1 : Resistor(R = 0.5)
inductor1 : Inductor(i(fixed), L = 0.1 / (2 * pi))
capacitor1 : Capacitor(v(fixed), C = 0.001 / (2 * pi))
voltageSensor1 : VoltageSensor
ramp : blocks.Ramp(height = 200, duration = 1, offset = 0, startTime = 0)
cosineCurrent : CosineCurrentVariableFrequencyAndAmplitude(useConstantAmplitude = true, phi(fixed))
ground2 : Ground
resistor2 : Resistor(R = 0.5)
inductor2 : Inductor(i(fixed), L = 0.1 / (2 * pi))
capacitor2 : Capacitor(v(fixed), C = 0.001 / (2 * pi))
voltageSensor2 : VoltageSensor
connect ramp.y, sineCurrent.f, cosineCurrent.f
connect sineCurrent.p, inductor1.n, capacitor1.n, voltageSensor1.n, ground1.p
connect sineCurrent.n, resistor1.p, capacitor1.p, voltageSensor1.p
connect resistor1.n, inductor1.p
connect cosineCurrent.p, inductor2.n, capacitor2.n, voltageSensor2.n, ground2.p
connect cosineCurrent.n, resistor2.p, capacitor2.p, voltageSensor2.p
connect resistor2.n, inductor2.p

experiment stop = 1, tolerance = 1e-8
