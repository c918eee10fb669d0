// blocks/interfaces.eq: the shapes of signal blocks, and the enumerations of their options.
//   Signals carry no unit of their own, so a block may be used for any. Names and defaults as in MSL 4.0.0, Blocks.

enum Init NoInit, SteadyState, InitialState, InitialOutput
enum SimpleController P, PI, PD, PID
enum LimiterHomotopy NoHomotopy, Linear, UpperLimit, LowerLimit
enum VariableLimiterHomotopy NoHomotopy, Linear, Fixed
enum Smoothness LinearSegments, ContinuousDerivative, ConstantSegments, MonotoneContinuousDerivative1,
  MonotoneContinuousDerivative2, ModifiedContinuousDerivative
enum Extrapolation HoldLastPoint, LastTwoPoints, Periodic, NoExtrapolation
enum TimeEvents Always, AtDiscontinuities, NoTimeEvents

partial model SO "one output"
  output y "output signal"
end

partial model MO "a vector of outputs"
  parameter nout(min = 1) : Integer = 1 "number of outputs"
  output y[nout] "output signals"
end

partial model SISO "one input, one output"
  input u "input signal"
  output y "output signal"
end

partial model SI2SO "two inputs, one output"
  input u1 "first input signal"
  input u2 "second input signal"
  output y "output signal"
end

partial model MISO "a vector of inputs, one output"
  parameter nin(min = 1) : Integer = 1 "number of inputs"
  input u[nin] "input signals"
  output y "output signal"
end

partial model MIMO "a vector of inputs, a vector of outputs"
  parameter nin(min = 1) : Integer = 1 "number of inputs"
  parameter nout(min = 1) : Integer = 1 "number of outputs"
  input u[nin] "input signals"
  output y[nout] "output signals"
end

partial model SVcontrol "a controller of one variable"
  input u_s "set point"
  input u_m "measurement"
  output y "actuator signal"
end

partial model SignalSource extends SO "a signal of time: offset before startTime"
  parameter offset = 0 "offset of the output"
  parameter startTime : s = 0 "the output is offset before this time"
end
