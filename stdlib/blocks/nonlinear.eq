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
