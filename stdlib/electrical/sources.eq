// electrical/sources.eq: voltage and current sources. The signal is that of the block of the same name, in signalSource.
//   A voltage source makes v = p.v - n.v; a current source makes i, which flows through it from p to n, so out of n.

partial model VoltageSource extends OnePort "Voltage by signal, with an offset. [MSL]"
  parameter offset : V = 0 "offset of the voltage"
  parameter startTime : s = 0 "the voltage is offset before this time"
end

partial model CurrentSource extends OnePort "Current by signal, with an offset. [MSL]"
  parameter offset : A = 0 "offset of the current"
  parameter startTime : s = 0 "the current is offset before this time"
end

model ConstantVoltage extends OnePort "v = V. [MSL]"
  parameter V(start = 1) : V "voltage"
  v = V
end

model ConstantCurrent extends OnePort "i = I. [MSL]"
  parameter I(start = 1) : A "current"
  i = I
end

model SignalVoltage "v = p.v - n.v by signal. [MSL]"
  p, n : Pin
  input v : V "voltage from p to n"
  variable i : A = p.i "current from p to n"
  p.v - n.v = v
  p.i + n.i = 0
end

model SignalCurrent "i from p to n by signal. [MSL]"
  p, n : Pin
  input i : A "current from p to n"
  variable v : V = p.v - n.v "voltage from p to n"
  p.i = i
  p.i + n.i = 0
end

model StepVoltage extends VoltageSource "v = offset, from startTime on offset + V. [MSL]"
  parameter V(start = 1) : V "height of the step"
  signalSource : blocks.Step(final height = V, final offset = offset, final startTime = startTime)
  v = signalSource.y
end

model StepCurrent extends CurrentSource "i = offset, from startTime on offset + I. [MSL]"
  parameter I(start = 1) : A "height of the step"
  signalSource : blocks.Step(final height = I, final offset = offset, final startTime = startTime)
  i = signalSource.y
end

model RampVoltage extends VoltageSource "v rises from offset at startTime to offset + V within duration. [MSL]"
  parameter V(start = 1) : V "height of the ramp"
  parameter duration(min = 0, start = 2) : s "duration"
  signalSource : blocks.Ramp(final height = V, final duration = duration, final offset = offset, final startTime = startTime)
  v = signalSource.y
end

model RampCurrent extends CurrentSource "i rises from offset at startTime to offset + I within duration. [MSL]"
  parameter I(start = 1) : A "height of the ramp"
  parameter duration(min = 0, start = 2) : s "duration"
  signalSource : blocks.Ramp(final height = I, final duration = duration, final offset = offset, final startTime = startTime)
  i = signalSource.y
end

model SineVoltage extends VoltageSource "v = offset + V*sin(2*pi*f*(time - startTime) + phase) from startTime on. [MSL]"
  parameter V(start = 1) : V "amplitude"
  parameter f(start = 1) : Hz "frequency"
  parameter phase : rad = 0 "phase at startTime"
  signalSource : blocks.Sine(final amplitude = V, final f = f, final phase = phase,
    final offset = offset, final startTime = startTime)
  v = signalSource.y
end

model SineCurrent extends CurrentSource "i = offset + I*sin(2*pi*f*(time - startTime) + phase) from startTime on. [MSL]"
  parameter I(start = 1) : A "amplitude"
  parameter f(start = 1) : Hz "frequency"
  parameter phase : rad = 0 "phase at startTime"
  signalSource : blocks.Sine(final amplitude = I, final f = f, final phase = phase,
    final offset = offset, final startTime = startTime)
  i = signalSource.y
end

model CosineVoltage extends VoltageSource "v = offset + V*cos(2*pi*f*(time - startTime) + phase) from startTime on. [MSL]"
  parameter V(start = 1) : V "amplitude"
  parameter f(start = 1) : Hz "frequency"
  parameter phase : rad = 0 "phase at startTime"
  signalSource : blocks.Cosine(final amplitude = V, final f = f, final phase = phase,
    final offset = offset, final startTime = startTime)
  v = signalSource.y
end

model CosineCurrent extends CurrentSource "i = offset + I*cos(2*pi*f*(time - startTime) + phase) from startTime on. [MSL]"
  parameter I(start = 1) : A "amplitude"
  parameter f(start = 1) : Hz "frequency"
  parameter phase : rad = 0 "phase at startTime"
  signalSource : blocks.Cosine(final amplitude = I, final f = f, final phase = phase,
    final offset = offset, final startTime = startTime)
  i = signalSource.y
end

model ExpSineVoltage extends VoltageSource "v = offset + V*exp(-damping*t)*sin(2*pi*f*t + phase), t = time - startTime >= 0. [MSL]"
  parameter V(start = 1) : V "amplitude at startTime"
  parameter f(start = 2) : Hz "frequency"
  parameter phase : rad = 0 "phase at startTime"
  parameter damping(start = 1) : 1/s "rate of decay"
  signalSource : blocks.ExpSine(final amplitude = V, final f = f, final phase = phase, final damping = damping,
    final offset = offset, final startTime = startTime)
  v = signalSource.y
end

model ExpSineCurrent extends CurrentSource "i = offset + I*exp(-damping*t)*sin(2*pi*f*t + phase), t = time - startTime >= 0. [MSL]"
  parameter I(start = 1) : A "amplitude at startTime"
  parameter f(start = 2) : Hz "frequency"
  parameter phase : rad = 0 "phase at startTime"
  parameter damping(start = 1) : 1/s "rate of decay"
  signalSource : blocks.ExpSine(final amplitude = I, final f = f, final phase = phase, final damping = damping,
    final offset = offset, final startTime = startTime)
  i = signalSource.y
end

model PulseVoltage extends VoltageSource "v = offset + V during the first width % of every period, else offset. [MSL]"
  parameter V(start = 1) : V "height of the pulse"
  parameter width(min = 0, max = 100, start = 50) : 1 "width in percent of the period"
  parameter period(min = 0, start = 1) : s "time of one period"
  signalSource : blocks.Pulse(final amplitude = V, final width = width, final period = period,
    final offset = offset, final startTime = startTime)
  v = signalSource.y
end

model PulseCurrent extends CurrentSource "i = offset + I during the first width % of every period, else offset. [MSL]"
  parameter I(start = 1) : A "height of the pulse"
  parameter width(min = 0, max = 100, start = 50) : 1 "width in percent of the period"
  parameter period(min = 0, start = 1) : s "time of one period"
  signalSource : blocks.Pulse(final amplitude = I, final width = width, final period = period,
    final offset = offset, final startTime = startTime)
  i = signalSource.y
end

model SawToothVoltage extends VoltageSource "v rises from offset by V in every period. [MSL]"
  parameter V(start = 1) : V "height of the tooth"
  parameter period(min = 0, start = 1) : s "time of one period"
  signalSource : blocks.SawTooth(final amplitude = V, final period = period,
    final offset = offset, final startTime = startTime)
  v = signalSource.y
end

model SawToothCurrent extends CurrentSource "i rises from offset by I in every period. [MSL]"
  parameter I(start = 1) : A "height of the tooth"
  parameter period(min = 0, start = 1) : s "time of one period"
  signalSource : blocks.SawTooth(final amplitude = I, final period = period,
    final offset = offset, final startTime = startTime)
  i = signalSource.y
end

model TrapezoidVoltage extends VoltageSource "In every period v rises from offset by V within rising, stays for width, falls within falling. [MSL]"
  parameter V(start = 1) : V "height of the trapezoid"
  parameter rising(min = 0, start = 0) : s "duration of the rise"
  parameter width(min = 0, start = 0.5) : s "duration of the top"
  parameter falling(min = 0, start = 0) : s "duration of the fall"
  parameter period(min = 0, start = 1) : s "time of one period"
  parameter nperiod(start = -1) : Integer "number of periods; < 0: for ever"
  signalSource : blocks.Trapezoid(final amplitude = V, final rising = rising, final width = width, final falling = falling, final period = period, final nperiod = nperiod,
    final offset = offset, final startTime = startTime)
  v = signalSource.y
end

model TrapezoidCurrent extends CurrentSource "In every period i rises from offset by I within rising, stays for width, falls within falling. [MSL]"
  parameter I(start = 1) : A "height of the trapezoid"
  parameter rising(min = 0, start = 0) : s "duration of the rise"
  parameter width(min = 0, start = 0.5) : s "duration of the top"
  parameter falling(min = 0, start = 0) : s "duration of the fall"
  parameter period(min = 0, start = 1) : s "time of one period"
  parameter nperiod(start = -1) : Integer "number of periods; < 0: for ever"
  signalSource : blocks.Trapezoid(final amplitude = I, final rising = rising, final width = width, final falling = falling, final period = period, final nperiod = nperiod,
    final offset = offset, final startTime = startTime)
  i = signalSource.y
end

model TableVoltage extends VoltageSource "v = offset + table value, straight lines between the rows (time, voltage). [MSL]"
  parameter table[:, 2] = [0, 0; 1, 1; 2, 4] "rows of time and voltage"
  signalSource : blocks.TimeTable(final table = table, final offset = offset, final startTime = startTime)
  v = signalSource.y
end

model TableCurrent extends CurrentSource "i = offset + table value, straight lines between the rows (time, current). [MSL]"
  parameter table[:, 2] = [0, 0; 1, 1; 2, 4] "rows of time and current"
  signalSource : blocks.TimeTable(final table = table, final offset = offset, final startTime = startTime)
  i = signalSource.y
end

partial model VariableFrequency "The phase phi is the integral of 2*pi*f, the frequency f a signal or constantFrequency."
  parameter useConstantFrequency : Boolean = false "true: the frequency is constantFrequency"
  parameter constantFrequency : Hz = 1 "constant frequency"
  input f : Hz if not useConstantFrequency "frequency"
  variable phi(start = 0) : rad "phase"
  if useConstantFrequency
    der(phi) = 2 * pi * constantFrequency
  else
    der(phi) = 2 * pi * f
  end
end

partial model VariableVoltage extends OnePort, VariableFrequency "The amplitude is the signal V or constantAmplitude."
  parameter useConstantAmplitude : Boolean = false "true: the amplitude is constantAmplitude"
  parameter constantAmplitude : V = 1 "constant amplitude"
  parameter offset : V = 0 "offset of the voltage"
  input V : V if not useConstantAmplitude "amplitude"
  private variable amplitude : V
  if useConstantAmplitude
    amplitude = constantAmplitude
  else
    amplitude = V
  end
end

partial model VariableCurrent extends OnePort, VariableFrequency "The amplitude is the signal I or constantAmplitude."
  parameter useConstantAmplitude : Boolean = false "true: the amplitude is constantAmplitude"
  parameter constantAmplitude : A = 1 "constant amplitude"
  parameter offset : A = 0 "offset of the current"
  input I : A if not useConstantAmplitude "amplitude"
  private variable amplitude : A
  if useConstantAmplitude
    amplitude = constantAmplitude
  else
    amplitude = I
  end
end

model SineVoltageVariableFrequencyAndAmplitude extends VariableVoltage "v = offset + V*sin(phi), dphi/dt = 2*pi*f. [MSL]"
  v = offset + amplitude * sin(phi)
end

model CosineVoltageVariableFrequencyAndAmplitude extends VariableVoltage "v = offset + V*cos(phi), dphi/dt = 2*pi*f. [MSL]"
  v = offset + amplitude * cos(phi)
end

model SineCurrentVariableFrequencyAndAmplitude extends VariableCurrent "i = offset + I*sin(phi), dphi/dt = 2*pi*f. [MSL]"
  i = offset + amplitude * sin(phi)
end

model CosineCurrentVariableFrequencyAndAmplitude extends VariableCurrent "i = offset + I*cos(phi), dphi/dt = 2*pi*f. [MSL]"
  i = offset + amplitude * cos(phi)
end
