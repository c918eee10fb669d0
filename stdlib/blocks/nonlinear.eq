// blocks/nonlinear.eq: limits, dead zones, switches.

function clip(u, low, high) = if u > high then high elseif u < low then low else u

model Limiter extends SISO
  "y is u kept between uMin and uMax. [MSL]"
  parameter uMax(start = 1) "upper limit"
  parameter uMin = -uMax "lower limit"
  parameter strict : Boolean = false "true: no events at the limits"
  parameter homotopyType : LimiterHomotopy = LimiterHomotopy.Linear "what stands for y at first while initialising"
  private variable simplified =
    if homotopyType == LimiterHomotopy.Linear then u
    elseif homotopyType == LimiterHomotopy.UpperLimit then uMax
    elseif homotopyType == LimiterHomotopy.LowerLimit then uMin
    else 0
  assert uMax >= uMin, "the upper limit is below the lower one", uMax, uMin
  if homotopyType == LimiterHomotopy.NoHomotopy
    y = if strict then noEvent(clip(u, uMin, uMax)) else clip(u, uMin, uMax)
  else
    y = homotopy(if strict then noEvent(clip(u, uMin, uMax)) else clip(u, uMin, uMax), simplified)
  end
end

model VariableLimiter extends SISO
  "y is u kept between the signals limit2 and limit1. [MSL]"
  parameter strict : Boolean = false "true: no events at the limits"
  parameter homotopyType : VariableLimiterHomotopy = VariableLimiterHomotopy.Linear "what stands for y at first while initialising"
  parameter ySimplified = 0 "that value where homotopyType is Fixed"
  input limit1 "upper limit"
  input limit2 "lower limit"
  assert limit1 >= limit2, "the upper limit is below the lower one", limit1, limit2
  if homotopyType == VariableLimiterHomotopy.NoHomotopy
    y = if strict then noEvent(clip(u, limit2, limit1)) else clip(u, limit2, limit1)
  else
    y = homotopy(if strict then noEvent(clip(u, limit2, limit1)) else clip(u, limit2, limit1),
      if homotopyType == VariableLimiterHomotopy.Linear then u else ySimplified)
  end
end

model DeadZone extends SISO
  "y = 0 while u is between uMin and uMax, else the distance by which u is outside. [MSL]"
  parameter uMax(start = 1) "upper end of the zone"
  parameter uMin = -uMax "lower end of the zone"
  assert uMax >= uMin, "the upper end is below the lower one", uMax, uMin
  y = homotopy(if u > uMax then u - uMax elseif u < uMin then u - uMin else 0, u)
end

model Switch
  "y = u1 while u2 is true, else u3. [MSL]"
  input u1 "signal while u2 is true"
  input u2 : Boolean "which one"
  input u3 "signal while u2 is false"
  output y "output signal"
  y = if u2 then u1 else u3
end

model SlewRateLimiter extends SISO
  "y follows u with a slope between Falling and Rising, else within Td: dy/dt = (u - y)/Td limited. [MSL]"
  parameter Rising(min = 0) : 1/s = 1 "largest slope, > 0"
  parameter Falling(max = 0) : 1/s = -Rising "smallest slope, < 0"
  parameter Td(min = 0) : s = 0.001 "time constant where the slope is not limited, > 0"
  parameter initType : Init = Init.SteadyState "SteadyState: y starts at u, InitialState and InitialOutput: at y_start"
  parameter y_start = 0 "start value of y"
  parameter strict : Boolean = false "true: no events at the limits"
  private variable val = (u - y) / Td "slope without limits"
  der(y) = if strict then noEvent(clip(val, Falling, Rising)) else clip(val, Falling, Rising)
  initial if initType == Init.SteadyState
    y = u
  elseif initType == Init.InitialState or initType == Init.InitialOutput
    y = y_start
  end
end

model FixedDelay extends SISO "y is what u was delayTime ago, and before that what it was at the start. [MSL]"
  parameter delayTime(min = 0, start = 1) : s "delay, > 0"
  y = delay(u, delayTime)
end

model VariableDelay extends SISO "y is what u was delayTime ago, and before that what it was at the start. [MSL]"
  parameter delayMax(min = 0, start = 1) : s "largest delay"
  input delayTime : s "delay, > 0 and not above delayMax"
  y = delay(u, delayTime, delayMax)
end

model PadeDelay extends SISO
  "A rational function for the delay: Y = N(s*delayTime)/D(s*delayTime)*U, of degrees m and n, with the first n + m + 1 terms of exp(-s*delayTime). Starts at rest. [MSL]"
  parameter delayTime(min = 0, start = 1) : s "delay, > 0"
  parameter n(min = 1) : Integer = 1 "degree of the denominator"
  parameter m(min = 1) : Integer = n "degree of the numerator, <= n"
  private parameter a[n+1] = {product((n - j + 1) / ((n + m - j + 1) * j) for j in 1:k) for k in n:-1:0} "denominator in powers of s*delayTime"
  private parameter b[n+1] = {(-1)^k * product((m - j + 1) / ((n + m - j + 1) * j) for j in 1:k) for k in n:-1:0} "numerator"
  output x[n] "states: powers of s*delayTime times u/D"
  assert m <= n, "the numerator's degree is above the denominator's", m, n
  delayTime * der(x[1]) = (u - a[2:n+1] * x) / a[1]
  for k in 2:n
    delayTime * der(x[k]) = x[k-1]
  end
  y = (b[2:n+1] - b[1] / a[1] * a[2:n+1]) * x + b[1] / a[1] * u
  initial der(x) = zeros(n)
end
