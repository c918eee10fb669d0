// blocks/math.eq: algebra of signals.

model Gain extends SISO "y = k*u. [MSL]"
  parameter k(start = 1) "gain"
  y = k * u
end

model MatrixGain extends MIMO(final nin = size(K, 2), final nout = size(K, 1)) "y = K*u. [MSL]"
  parameter K[:, :] = [1, 0; 0, 1] "gain matrix"
  y = K * u
end

model Sum extends MISO "y = k*u, the weighted sum of a vector. [MSL]"
  parameter k[nin] = ones(nin) "weights"
  y = k * u
end

model Feedback "y = u1 - u2, command less feedback. [MSL]"
  input u1 "command"
  input u2 "feedback"
  output y "difference"
  y = u1 - u2
end

model Add extends SI2SO "y = k1*u1 + k2*u2. [MSL]"
  parameter k1 = 1 "gain of input 1"
  parameter k2 = 1 "gain of input 2"
  y = k1 * u1 + k2 * u2
end

model Add3 "y = k1*u1 + k2*u2 + k3*u3. [MSL]"
  parameter k1 = 1 "gain of input 1"
  parameter k2 = 1 "gain of input 2"
  parameter k3 = 1 "gain of input 3"
  input u1 "first input signal"
  input u2 "second input signal"
  input u3 "third input signal"
  output y "output signal"
  y = k1 * u1 + k2 * u2 + k3 * u3
end

model Product extends SI2SO "y = u1*u2. [MSL]"
  y = u1 * u2
end

model Division extends SI2SO "y = u1/u2. [MSL]"
  y = u1 / u2
end

model Max extends SI2SO "y = max(u1, u2). [MSL]"
  y = max(u1, u2)
end

model Min extends SI2SO "y = min(u1, u2). [MSL]"
  y = min(u1, u2)
end

model Abs extends SISO "y = |u|. [MSL]"
  parameter generateEvent : Boolean = false "true: an event where u changes its sign"
  y = if generateEvent then abs(u) else noEvent(abs(u))
end

model Sign extends SISO "y = 1, 0 or -1, the sign of u. [MSL]"
  parameter generateEvent : Boolean = false "true: an event where u changes its sign"
  y = if generateEvent then sign(u) else noEvent(sign(u))
end

model Sqrt extends SISO "y = sqrt(u), u >= 0. [MSL]"
  y = sqrt(u)
end

model Sin extends SISO "y = sin(u), u in rad. [MSL]"
  y = sin(u)
end

model Cos extends SISO "y = cos(u), u in rad. [MSL]"
  y = cos(u)
end

model Tan extends SISO "y = tan(u), u in rad. [MSL]"
  y = tan(u)
end

model Asin extends SISO "y = asin(u) in rad, |u| <= 1. [MSL]"
  y = asin(u)
end

model Acos extends SISO "y = acos(u) in rad, |u| <= 1. [MSL]"
  y = acos(u)
end

model Atan extends SISO "y = atan(u) in rad. [MSL]"
  y = atan(u)
end

model Atan2 extends SI2SO "y = atan2(u1, u2) in rad, the angle of the point (u2, u1). [MSL]"
  y = atan2(u1, u2)
end

model Sinh extends SISO "y = sinh(u). [MSL]"
  y = sinh(u)
end

model Cosh extends SISO "y = cosh(u). [MSL]"
  y = cosh(u)
end

model Tanh extends SISO "y = tanh(u). [MSL]"
  y = tanh(u)
end

model Exp extends SISO "y = exp(u). [MSL]"
  y = exp(u)
end

model Log extends SISO "y = log(u) to the base, natural unless it is given; u > 0. [MSL]"
  parameter base(min = 0) = exp(1) "base, > 0 and not 1"
  y = log(u) / log(base)
end

model Log10 extends SISO "y = log10(u), u > 0. [MSL]"
  y = log10(u)
end
