// blocks/logical.eq: Boolean signals. They change at events only.

partial model BooleanSO "one Boolean output"
  output y : Boolean "output signal"
end

partial model BooleanSISO "one Boolean input and output"
  input u : Boolean "input signal"
  output y : Boolean "output signal"
end

partial model BooleanSI2SO "two Boolean inputs, one output"
  input u1 : Boolean "first input signal"
  input u2 : Boolean "second input signal"
  output y : Boolean "output signal"
end

partial model ThresholdComparison "compares a signal with a number"
  parameter threshold = 0 "what u is compared with"
  input u "input signal"
  output y : Boolean "output signal"
end

partial model Comparison "compares two signals"
  input u1 "first input signal"
  input u2 "second input signal"
  output y : Boolean "output signal"
end

model And extends BooleanSI2SO "y = u1 and u2. [MSL]"
  y = u1 and u2
end

model Or extends BooleanSI2SO "y = u1 or u2. [MSL]"
  y = u1 or u2
end

model Xor extends BooleanSI2SO "y is true where exactly one of u1 and u2 is. [MSL]"
  y = u1 != u2
end

model Nor extends BooleanSI2SO "y = not (u1 or u2). [MSL]"
  y = not (u1 or u2)
end

model Nand extends BooleanSI2SO "y = not (u1 and u2). [MSL]"
  y = not (u1 and u2)
end

model Not extends BooleanSISO "y = not u. [MSL]"
  y = not u
end

model Pre extends BooleanSISO(u(start = pre_u_start))
  "y = pre(u), u as it was before the event: breaks loops of Boolean signals. [MSL]"
  parameter pre_u_start : Boolean = false "u before the initial time"
  y = pre(u)
end

model Edge extends BooleanSISO(u(start = pre_u_start)) "y is true at the event at which u becomes true. [MSL]"
  parameter pre_u_start : Boolean = false "u before the initial time"
  y = edge(u)
end

model FallingEdge extends BooleanSISO "y is true at the event at which u becomes false. [MSL]"
  parameter pre_u_start : Boolean = false "u before the initial time"
  private variable not_u(start = not pre_u_start) : Boolean = not u
  y = edge(not_u)
end

model Change extends BooleanSISO(u(start = pre_u_start)) "y is true at the events at which u changes. [MSL]"
  parameter pre_u_start : Boolean = false "u before the initial time"
  y = change(u)
end

model GreaterThreshold extends ThresholdComparison "y = u > threshold. [MSL]"
  y = u > threshold
end

model GreaterEqualThreshold extends ThresholdComparison "y = u >= threshold. [MSL]"
  y = u >= threshold
end

model LessThreshold extends ThresholdComparison "y = u < threshold. [MSL]"
  y = u < threshold
end

model LessEqualThreshold extends ThresholdComparison "y = u <= threshold. [MSL]"
  y = u <= threshold
end

model Greater extends Comparison "y = u1 > u2. [MSL]"
  y = u1 > u2
end

model GreaterEqual extends Comparison "y = u1 >= u2. [MSL]"
  y = u1 >= u2
end

model Less extends Comparison "y = u1 < u2. [MSL]"
  y = u1 < u2
end

model LessEqual extends Comparison "y = u1 <= u2. [MSL]"
  y = u1 <= u2
end

model ZeroCrossing extends BooleanSO "y is true at the events at which u changes its sign while enabled. [MSL]"
  input u "input signal"
  input enable : Boolean "false: y stays false"
  private variable enabled(start = false) : Boolean = enable
  private variable disabled(start = true) : Boolean = not enable
  private variable u_pos(start = false) : Boolean = enable and u >= 0
  y = change(u_pos) and not edge(enabled) and not edge(disabled)
end

model LogicalSwitch extends BooleanSO "y = u1 while u2 is true, else u3. [MSL]"
  input u1 : Boolean "signal while u2 is true"
  input u2 : Boolean "which one"
  input u3 : Boolean "signal while u2 is false"
  y = if u2 then u1 else u3
end

model Hysteresis "y becomes true when u rises above uHigh, false when it falls below uLow. [MSL]"
  parameter uLow(start = 0) "where y becomes false"
  parameter uHigh(start = 1) "where y becomes true, > uLow"
  parameter pre_y_start : Boolean = false "y before the initial time"
  input u "input signal"
  output y(start = pre_y_start) : Boolean "output signal"
  assert uHigh > uLow, "uHigh must be above uLow", uHigh, uLow
  y = not pre(y) and u > uHigh or pre(y) and u >= uLow
end

model OnOffController "Two-point controller: y becomes true when u falls below reference - bandwidth/2, false when it rises above reference + bandwidth/2. [MSL]"
  parameter bandwidth(start = 0.1) "width of the band around the reference"
  parameter pre_y_start : Boolean = false "y before the initial time"
  input reference "set point"
  input u "measurement"
  output y(start = pre_y_start) : Boolean "output signal"
  y = pre(y) and u < reference + bandwidth / 2 or u < reference - bandwidth / 2
end

model TriggeredTrapezoid
  "y runs from offset to offset + amplitude within rising when u becomes true, back within falling when it becomes false; a change on the way turns it round. [MSL]"
  parameter amplitude = 1 "height of the trapezoid"
  parameter rising(min = 0) : s = 0 "duration of a full rise"
  parameter falling(min = 0) : s = rising "duration of a full fall"
  parameter offset = 0 "lower value"
  input u : Boolean "upper value wanted"
  output y "output signal"
  private discrete endValue "value aimed at"
  private discrete rate "slope"
  private discrete T : s "time at which it is reached"
  y = if time < T then endValue - (T - time) * rate else endValue
  when initial() or change(u)
    endValue = if u then offset + amplitude else offset
    rate = if u and rising > 0 then amplitude / rising elseif not u and falling > 0 then -amplitude / falling else 0
    T = if initial() or rate == 0 then time else time + (endValue - pre(y)) / rate
  end
end

model Timer "y is the time since u became true, 0 while it is false. [MSL]"
  input u : Boolean "true: time runs"
  output y : s "time"
  private discrete entryTime(start = 0) : s "when u became true"
  when u
    entryTime = time
  end
  y = if u then time - entryTime else 0
end

model LogicalDelay
  "y1 becomes true with u and false delayTime after it; y2 becomes true delayTime after u and false with it. [MSL]"
  parameter delayTime(min = 0) : s = 0 "delay"
  input u : Boolean "input signal"
  output y1 : Boolean "longer true"
  output y2 : Boolean "shorter true"
  private discrete tSwitch : s "of the last change of u"
  when initial() or change(u)
    tSwitch = if initial() then time - 2 * delayTime else time
  end
  y1 = u or time < tSwitch + delayTime
  y2 = u and time >= tSwitch + delayTime
end

model RSFlipFlop "S sets Q, R resets it, QI = not Q; both at once make both false. [MSL]"
  parameter Qini : Boolean = false "Q before the initial time"
  input S : Boolean "set"
  input R : Boolean "reset"
  output Q : Boolean "state"
  output QI(start = not Qini) : Boolean "its opposite"
  Q = not (R or pre(QI))
  QI = not (S or Q)
end

model TerminateSimulation "Ends the simulation when condition becomes true: t : TerminateSimulation(condition = x > 3). [MSL]"
  output condition : Boolean "true: end"
  when condition
    terminate "the condition of TerminateSimulation is true"
  end
end

model BooleanExpression "y is the expression it is given: e : BooleanExpression(y = time > 2). [MSL]"
  output y : Boolean "output signal"
end

model BooleanConstant extends BooleanSO "y = k. [MSL]"
  parameter k : Boolean = true "value"
  y = k
end

model BooleanStep extends BooleanSO "y = startValue before startTime, then not startValue. [MSL]"
  parameter startTime : s = 0 "time of the step"
  parameter startValue : Boolean = false "value before"
  y = if time >= startTime then not startValue else startValue
end

model BooleanPulse extends BooleanSO "y is true during the first width % of every period from startTime on. [MSL]"
  parameter width(min = 0, max = 100) : 1 = 50 "width in percent of the period"
  parameter period(min = 0, start = 1) : s "time of one period"
  parameter startTime : s = 0 "of the first pulse"
  private discrete pulseStart(start = startTime) : s "of the present period"
  when sample(startTime, period)
    pulseStart = time
  end
  y = time >= pulseStart and time < pulseStart + period * width / 100
end

model SampleTrigger extends BooleanSO "y is true at the events startTime, startTime + period, ... only. [MSL]"
  parameter period(min = 0, start = 0.01) : s "distance of the events"
  parameter startTime : s = 0 "first of them"
  y = sample(startTime, period)
end

model BooleanTable extends BooleanSO
  """y is startValue and turns at every time of the table, counted from shiftTime; where Periodic, the part from the first time to the last is
  repeated. [MSL]"""
  parameter table[:] : s = {0, 1} "times, increasing"
  parameter startValue : Boolean = false "before the first time"
  parameter extrapolation : Extrapolation = Extrapolation.HoldLastPoint "after the last time; not LastTwoPoints"
  parameter startTime : s = -1e60 "y is false before this time"
  parameter shiftTime : s = 0 "time of the table's zero"
  private variable t : s =
    if extrapolation == Extrapolation.Periodic then table_argument(time - shiftTime, [table, table], extrapolation) else time - shiftTime
  private variable turns : Integer = sum(if t >= table[k] then 1 else 0 for k in 1:size(table, 1)) "so far"
  for k in 2:size(table, 1)
    assert table[k-1] < table[k], "the times of the table must increase", table[k-1], table[k]
  end
  assert extrapolation != Extrapolation.LastTwoPoints, "a Boolean table cannot go on along its last two points"
  assert extrapolation != Extrapolation.NoExtrapolation or noEvent(time < startTime or t >= table[1] and t <= table[end]),
    "time is outside the table", time
  y = time >= startTime and (if mod(turns, 2) == 0 then startValue else not startValue)
end

model IntegerExpression "y is the expression it is given: e : IntegerExpression(y = if time > 2 then 1 else 0). [MSL]"
  output y : Integer "output signal"
end

model IntegerConstant "y = k. [MSL]"
  parameter k(start = 1) : Integer "value"
  output y : Integer "output signal"
  y = k
end

model IntegerStep "y = offset, from startTime on offset + height. [MSL]"
  parameter height : Integer = 1 "height of the step"
  parameter offset : Integer = 0 "value before"
  parameter startTime : s = 0 "time of the step"
  output y : Integer "output signal"
  y = offset + (if time < startTime then 0 else height)
end

model BooleanToReal "y = realTrue while u is true, else realFalse. [MSL]"
  parameter realTrue = 1 "y while u is true"
  parameter realFalse = 0 "y while u is false"
  input u : Boolean "input signal"
  output y "output signal"
  y = if u then realTrue else realFalse
end

model BooleanToInteger "y = integerTrue while u is true, else integerFalse. [MSL]"
  parameter integerTrue : Integer = 1 "y while u is true"
  parameter integerFalse : Integer = 0 "y while u is false"
  input u : Boolean "input signal"
  output y : Integer "output signal"
  y = if u then integerTrue else integerFalse
end

model RealToBoolean extends BooleanSO "y = u >= threshold. [MSL]"
  parameter threshold = 0.5 "where y becomes true"
  input u "input signal"
  y = u >= threshold
end

model IntegerToBoolean extends BooleanSO "y = u >= threshold. [MSL]"
  parameter threshold : Integer = 1 "where y becomes true"
  input u : Integer "input signal"
  y = u >= threshold
end

model IntegerToReal "y = u. [MSL]"
  input u : Integer "input signal"
  output y "output signal"
  y = u
end

model RealToInteger "y is u rounded to the next integer, halves away from 0. [MSL]"
  input u "input signal"
  output y : Integer "output signal"
  y = if u > 0 then integer(floor(u + 0.5)) else integer(ceil(u - 0.5))
end
