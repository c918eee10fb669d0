// blocks/sources.eq: signals of time.

model RealExpression "y is the expression it is given: e : RealExpression(y = 2*time). [MSL]"
  output y "output signal"
end

model ContinuousClock extends SignalSource "y = offset + (time - startTime) from startTime on. [MSL]"
  y = offset + max(time - startTime, 0)
end

model Constant extends SO "y = k. [MSL]"
  parameter k(start = 1) "value"
  y = k
end

model Step extends SignalSource "y = offset, from startTime on offset + height. [MSL]"
  parameter height = 1 "height of the step"
  y = offset + (if time < startTime then 0 else height)
end

model Ramp extends SignalSource
  "y rises from offset at startTime to offset + height within duration. [MSL]"
  parameter height = 1 "height of the ramp"
  parameter duration(start = 2, min = 0) : s "duration; 0 gives a step"
  y = offset + (if time < startTime then 0
    elseif time < startTime + duration then (time - startTime) * height / duration
    else height)
end

model Sine extends SignalSource
  "y = offset + amplitude*sin(2*pi*f*(time - startTime) + phase) from startTime on; before it offset, or the value at startTime where continuous. [MSL]"
  parameter amplitude = 1 "amplitude"
  parameter f(start = 1) : Hz "frequency"
  parameter phase : rad = 0 "phase at startTime"
  parameter continuous : Boolean = false "true: no jump at startTime"
  y = offset + amplitude * (if time >= startTime then sin(2 * pi * f * (time - startTime) + phase) elseif continuous then sin(phase) else 0)
end

model Cosine extends SignalSource
  "y = offset + amplitude*cos(2*pi*f*(time - startTime) + phase) from startTime on; before it offset, or the value at startTime where continuous. [MSL]"
  parameter amplitude = 1 "amplitude"
  parameter f(start = 1) : Hz "frequency"
  parameter phase : rad = 0 "phase at startTime"
  parameter continuous : Boolean = false "true: no jump at startTime"
  y = offset + amplitude * (if time >= startTime then cos(2 * pi * f * (time - startTime) + phase) elseif continuous then cos(phase) else 0)
end

model ExpSine extends SignalSource
  "y = offset + amplitude*exp(-damping*t)*sin(2*pi*f*t + phase), t = time - startTime >= 0. [MSL]"
  parameter amplitude = 1 "amplitude at startTime"
  parameter f(start = 2) : Hz "frequency"
  parameter phase : rad = 0 "phase at startTime"
  parameter damping(start = 1) : 1/s "rate of decay"
  private variable t : s = time - startTime
  y = offset + (if t < 0 then 0 else amplitude * exp(-damping * t) * sin(2 * pi * f * t + phase))
end

model Exponentials extends SignalSource
  "y rises by outMax*(1 - exp(-t/riseTimeConst)) for riseTime, then decays with fallTimeConst, t = time - startTime >= 0. [MSL]"
  parameter outMax = 1 "height after an infinite riseTime"
  parameter riseTime(start = 0.5, min = 0) : s "duration of the rise"
  parameter riseTimeConst(min = 0) : s = 0.1 "time constant of the rise, > 0"
  parameter fallTimeConst(min = 0) : s = riseTimeConst "time constant of the fall, > 0"
  private parameter top = outMax * (1 - exp(-riseTime / riseTimeConst))
  private variable t : s = time - startTime
  y = offset + (if t < 0 then 0
    elseif t < riseTime then outMax * (1 - exp(-t / riseTimeConst))
    else top * exp(-(t - riseTime) / fallTimeConst))
end

partial model PeriodicSource extends SignalSource
  "A shape repeated every period from startTime on, nperiod times."
  parameter period(start = 1, min = 0) : s "time of one period, > 0"
  parameter nperiod : Integer = -1 "number of periods; < 0: for ever"
  private variable count = floor((time - startTime) / period) "number of the present period, from 0"
  private variable t : s = time - startTime - count * period "time in the present period"
  private variable active : Boolean = time >= startTime and (nperiod < 0 or count < nperiod)
end

model Pulse extends PeriodicSource
  "y = offset + amplitude during the first width % of every period, else offset. [MSL]"
  parameter amplitude = 1 "height of the pulse"
  parameter width(min = 0, max = 100) : 1 = 50 "width in percent of the period"
  y = offset + (if active and t < period * width / 100 then amplitude else 0)
end

model SawTooth extends PeriodicSource
  "y rises from offset by amplitude in every period, then falls back. [MSL]"
  parameter amplitude = 1 "height of the tooth"
  y = offset + (if active then amplitude * t / period else 0)
end

model Sawtooth = SawTooth

model Trapezoid extends PeriodicSource
  "In every period y rises from offset by amplitude within rising, stays for width, falls within falling. [MSL]"
  parameter amplitude = 1 "height of the trapezoid"
  parameter rising(min = 0) : s = 0 "duration of the rise"
  parameter width(min = 0) : s = 0.5 "duration of the top"
  parameter falling(min = 0) : s = 0 "duration of the fall"
  private parameter t2 : s = rising + width "end of the top"
  private parameter t3 : s = t2 + falling "end of the fall"
  y = offset + (if not active then 0
    elseif t < rising then amplitude * t / rising
    elseif t < t2 then amplitude
    elseif t < t3 then amplitude * (t3 - t) / falling
    else 0)
end

model KinematicPTP extends MO(final nout = max({size(deltaq, 1), size(qd_max, 1), size(qdd_max, 1)}))
  "Fastest motion through the distances deltaq, all axes starting and ending together, with bounded speeds and accelerations: y is the acceleration of each axis. It accelerates until Ta, brakes from Tv, stands from Tv + Ta on. [MSL]"
  parameter deltaq[:] = {1} "distances"
  parameter qd_max[:] = {1} "largest speeds, > 0"
  parameter qdd_max[:] = {1} "largest accelerations, > 0"
  parameter startTime : s = 0 "start of the motion"
  private parameter d[nout] = if size(deltaq, 1) == 1 then fill(deltaq[1], nout) else deltaq
  private parameter v[nout] = if size(qd_max, 1) == 1 then fill(qd_max[1], nout) else qd_max
  private parameter a[nout] = if size(qdd_max, 1) == 1 then fill(qdd_max[1], nout) else qdd_max
  private parameter still : Boolean = max(abs(d[k]) for k in 1:nout) == 0 "nothing moves"
  private parameter sd_max = if still then 0 else 1 / max(abs(d[k]) / v[k] for k in 1:nout) "speed along the path, path length 1"
  private parameter sdd_max = if still then 0 else 1 / max(abs(d[k]) / a[k] for k in 1:nout) "acceleration along the path"
  private parameter Ta : s = if still then 0 else min(1 / sqrt(sdd_max), sd_max / sdd_max)
  private parameter Tv : s = if still then 0 else max(1 / sqrt(sdd_max), 1 / sd_max)
  private variable t : s = time - startTime
  private variable sdd =
    if t < 0 then 0
    elseif t < Ta then sdd_max
    elseif t < Tv then 0
    elseif t < Tv + Ta then -sdd_max
    else 0
  y = sdd * d
end

model KinematicPTP2
  "Fastest motion from q_begin to q_end, all axes starting and ending together, with bounded speeds and accelerations: positions q, speeds qd, accelerations qdd. It accelerates until Ta, brakes from Tv, stands from endTime on. [MSL]"
  parameter q_begin[:] = {0} "start positions"
  parameter q_end[:] = {1} "end positions"
  parameter qd_max[:] = {1} "largest speeds, > 0"
  parameter qdd_max[:] = {1} "largest accelerations, > 0"
  parameter startTime : s = 0 "start of the motion"
  parameter nout : Integer = max({size(q_begin, 1), size(q_end, 1), size(qd_max, 1), size(qdd_max, 1)}) "number of axes"
  output endTime : s = startTime + Te "end of the motion"
  output q[nout] "positions"
  output qd[nout] "speeds"
  output qdd[nout] "accelerations"
  output moving[nout] : Boolean "the axis has not arrived yet"
  private parameter begin[nout] = if size(q_begin, 1) == 1 then fill(q_begin[1], nout) else q_begin
  private parameter d[nout] = (if size(q_end, 1) == 1 then fill(q_end[1], nout) else q_end) - begin
  private parameter v[nout] = if size(qd_max, 1) == 1 then fill(qd_max[1], nout) else qd_max
  private parameter a[nout] = if size(qdd_max, 1) == 1 then fill(qdd_max[1], nout) else qdd_max
  private parameter still : Boolean = max(abs(d[k]) for k in 1:nout) == 0 "nothing moves"
  private parameter sd_max = if still then 0 else 1 / max(abs(d[k]) / v[k] for k in 1:nout) "speed along the path, path length 1"
  private parameter sdd_max = if still then 0 else 1 / max(abs(d[k]) / a[k] for k in 1:nout) "acceleration along the path"
  private parameter Ta : s = if still then 0 else min(1 / sqrt(sdd_max), sd_max / sdd_max)
  private parameter Tv : s = if still then 0 else max(1 / sqrt(sdd_max), 1 / sd_max)
  private parameter Te : s = Tv + Ta
  private parameter top = sdd_max * Ta "largest speed along the path"
  private variable t : s = time - startTime
  private variable s = if t < 0 or still then 0
    elseif t < Ta then sdd_max / 2 * t^2
    elseif t < Tv then top * (t - Ta / 2)
    elseif t < Te then 1 - sdd_max / 2 * (Te - t)^2
    else 1
  private variable sd = if t < 0 then 0
    elseif t < Ta then sdd_max * t
    elseif t < Tv then top
    elseif t < Te then sdd_max * (Te - t)
    else 0
  private variable sdd = if t < 0 then 0
    elseif t < Ta then sdd_max
    elseif t < Tv then 0
    elseif t < Te then -sdd_max
    else 0
  q = begin + s * d
  qd = sd * d
  qdd = sdd * d
  for k in 1:nout
    moving[k] = abs(d[k]) > 0 and time < endTime
  end
end

model TimeTable extends SignalSource
  "y = offset + table value at time - shiftTime, straight lines between the rows (time, value) and beyond the last two; an event at each row, a jump where two have the same time. [MSL]"
  parameter table[:, 2] "rows of time and value"
  parameter timeScale(min = 0) : s = 1 "unit of the first column"
  parameter shiftTime : s = startTime "time of the table's zero"
  private variable t = (time - shiftTime) / timeScale
  for j in 2:size(table, 1)
    assert table[j-1, 1] <= table[j, 1], "the times of the table must not decrease", table[j-1, 1], table[j, 1]
  end
  y = offset + (if time < startTime then 0
    elseif size(table, 1) == 1 then table[1, 2]
    else table_signal(t, table, 2))
end

model CombiTimeTable extends MO(final nout = max(size(columns, 1), size(offset, 1)))
  """y[k] = offset[k] + column columns[k] of the table at time - shiftTime, in scaled time: straight lines, steps or smooth curves between the rows, and
  a choice of continuations. Jumps of the signal are events; smooth curves make none. [MSL]"""
  parameter table[:, :] "rows of time and values"
  parameter columns[:] : Integer = 2:size(table, 2) "columns to be used"
  parameter smoothness : Smoothness = Smoothness.LinearSegments "how to go from row to row"
  parameter extrapolation : Extrapolation = Extrapolation.LastTwoPoints "before the first and after the last row"
  parameter timeScale(min = 0) : s = 1 "unit of the first column"
  parameter offset[:] = {0} "offsets, one for all or one each"
  parameter startTime : s = 0 "the outputs are their offsets before this time"
  parameter shiftTime : s = startTime "time of the table's zero"
  parameter timeEvents : TimeEvents = TimeEvents.Always "where linear segments make events: at each row, or where two rows have the same time"
  final parameter t_min : s = table[1, 1] * timeScale "time of the first row"
  final parameter t_max : s = table[end, 1] * timeScale "time of the last row"
  private parameter n : Integer = size(table, 1)
  private variable raw = (time - shiftTime) / timeScale
  private variable t =
    if timeEvents == TimeEvents.Always and (extrapolation == Extrapolation.HoldLastPoint or extrapolation == Extrapolation.NoExtrapolation)
    then clip(raw, table[1, 1], table[n, 1]) else table_argument(raw, table, extrapolation)
  private variable value[nout] "of the columns"
  for j in 2:n
    assert table[j-1, 1] < table[j, 1] or table[j-1, 1] == table[j, 1] and smoothness == Smoothness.LinearSegments,
      "the times of the table must increase; only linear segments may have two rows at one time", table[j-1, 1], table[j, 1]
  end
  assert extrapolation != Extrapolation.NoExtrapolation or noEvent(time < startTime or raw >= table[1, 1] and raw <= table[n, 1]),
    "time is outside the table", time
  for k in 1:nout
    if n == 1 or smoothness != Smoothness.LinearSegments
      value[k] = table_value(t, table, columns[k], smoothness)
    else
      value[k] = table_signal(t, table, columns[k], timeEvents)
    end
    y[k] = offset[if size(offset, 1) == 1 then 1 else k] + (if time < startTime then 0 else value[k])
  end
end
