// blocks/continuous.eq: linear dynamics.
//   initType: NoInit (start values are guesses), SteadyState (derivatives of the states are 0), InitialState (states have their start
//   values), InitialOutput (the output has its start value, what is left is in steady state).

partial model Resettable extends SISO(y(start = y_start))
  "An integral that starts at y_start, and is set anew when the signal reset becomes true, where use_reset."
  parameter k = 1 "gain"
  parameter use_reset : Boolean = false "true: input reset is there"
  parameter use_set : Boolean = false "true: input set is there, the output after a reset; else that is y_start"
  parameter initType : Init = Init.InitialState "initialisation"
  parameter y_start = 0 "initial output"
  input reset : Boolean if use_reset "sets the output anew when it becomes true"
  input set if use_reset and use_set "output after a reset"
  private variable value "output after a reset"
  if use_reset and use_set
    value = set
  else
    value = y_start
  end
  initial if initType == Init.SteadyState
    der(y) = 0
  elseif initType == Init.InitialState or initType == Init.InitialOutput
    y = y_start
  end
end

model Integrator extends Resettable
  "dy/dt = k*u; y is set anew when reset becomes true. [MSL]"
  der(y) = k * u
  if use_reset
    when reset
      reinit y = value
    end
  end
end

function limited_rate(y, rate, low, high) = if y < low and rate < 0 or y > high and rate > 0 then 0 else rate

model LimIntegrator extends Resettable
  "dy/dt = k*u, but 0 while y is at a limit and u drives it beyond; y is set anew, within the limits, when reset becomes true. [MSL]"
  parameter outMax(start = 1) "upper limit of the output"
  parameter outMin = -outMax "lower limit of the output"
  parameter limitsAtInit : Boolean = true "false: the limits do not hold while initialising"
  parameter strict : Boolean = false "true: no events at the limits"
  private variable free = k * u "rate without limits"
  assert outMax >= outMin, "the upper limit is below the lower one", outMax, outMin
  der(y) = if initial() and not limitsAtInit then free elseif strict then noEvent(limited_rate(y, free, outMin, outMax))
    else limited_rate(y, free, outMin, outMax)
  if use_reset
    when reset
      reinit y = min(max(value, outMin), outMax)
    end
  end
end

model Derivative extends SISO
  "Approximate derivative Y = k*s/(T*s + 1)*U: dx/dt = (u - x)/T, y = k/T*(u - x). [MSL]"
  parameter k = 1 "gain"
  parameter T(min = 0) : s = 0.01 "time constant, > 0; 0 would be the ideal derivative"
  parameter initType : Init = Init.NoInit "initialisation"
  parameter x_start = 0 "initial state"
  parameter y_start = 0 "initial output"
  output x(start = x_start) "state: the filtered input"
  T * der(x) = u - x
  y = k / T * (u - x)
  initial if initType == Init.SteadyState
    der(x) = 0
  elseif initType == Init.InitialState
    x = x_start
  elseif initType == Init.InitialOutput
    y = y_start
  end
end

model Der extends SISO "Exact derivative: y = du/dt. [MSL]"
  y = der(u)
end

model FirstOrder extends SISO(y(start = y_start))
  "One pole, Y = k/(T*s + 1)*U: T*dy/dt = k*u - y. [MSL]"
  parameter k = 1 "gain"
  parameter T(start = 1) : s "time constant"
  parameter initType : Init = Init.NoInit "initialisation"
  parameter y_start = 0 "initial output"
  T * der(y) = k * u - y
  initial if initType == Init.SteadyState
    der(y) = 0
  elseif initType == Init.InitialState or initType == Init.InitialOutput
    y = y_start
  end
end

model SecondOrder extends SISO(y(start = y_start))
  "Two poles, Y = k/((s/w)^2 + 2*D*s/w + 1)*U: d2y/dt2 = w^2*(k*u - y) - 2*D*w*dy/dt. [MSL]"
  parameter k = 1 "gain"
  parameter w(start = 1) : rad/s "natural angular frequency"
  parameter D(start = 1) : 1 "damping ratio: 1 is critical"
  parameter initType : Init = Init.NoInit "initialisation"
  parameter y_start = 0 "initial output"
  parameter yd_start = 0 "initial rate of the output"
  output yd(start = yd_start) "rate of the output"
  der(y) = yd
  der(yd) = w * (w * (k * u - y) - 2 * D * yd)
  initial if initType == Init.SteadyState
    der(y) = 0
    der(yd) = 0
  elseif initType == Init.InitialState or initType == Init.InitialOutput
    y = y_start
    yd = yd_start
  end
end

model PI extends SISO
  "Proportional-integral controller Y = k*(1 + 1/(T*s))*U: T*dx/dt = u, y = k*(x + u). [MSL]"
  parameter k = 1 "gain"
  parameter T(start = 1, min = 0) : s "time constant, > 0"
  parameter initType : Init = Init.NoInit "initialisation"
  parameter x_start = 0 "initial state"
  parameter y_start = 0 "initial output"
  output x(start = x_start) "state: integral of u/T"
  T * der(x) = u
  y = k * (x + u)
  initial if initType == Init.SteadyState
    der(x) = 0
  elseif initType == Init.InitialState
    x = x_start
  elseif initType == Init.InitialOutput
    y = y_start
  end
end

model PID extends SISO
  "PID controller, additive: Y = k*(1 + 1/(Ti*s) + Td*s/(Td/Nd*s + 1))*U. [MSL]"
  parameter k = 1 "gain"
  parameter Ti(start = 0.5, min = 0) : s "time constant of the integrator, > 0"
  parameter Td(start = 0.1, min = 0) : s "time constant of the derivative"
  parameter Nd(min = 0) : 1 = 10 "the higher, the more ideal the derivative"
  parameter initType : Init = Init.InitialState "initialisation"
  parameter xi_start = 0 "initial integral"
  parameter xd_start = 0 "initial state of the derivative"
  parameter y_start = 0 "initial output"
  constant unitTime : s = 1
  P : Gain(k = 1) "proportional part"
  I : Integrator(k = unitTime / Ti, y_start = xi_start,
    initType = if initType == Init.InitialOutput then Init.NoInit else initType) "integral part"
  D : Derivative(k = Td / unitTime, T = max(Td / Nd, 1e-13), x_start = xd_start,
    initType = if initType == Init.InitialOutput then Init.SteadyState else initType) "derivative part"
  Gain : Gain(k = k) "gain of the sum"
  Add : Add3 "sum of the parts"
  connect u, P.u, I.u, D.u
  connect P.y, Add.u1
  connect I.y, Add.u2
  connect D.y, Add.u3
  connect Add.y, Gain.u
  connect Gain.y, y
  initial if initType == Init.InitialOutput
    y = y_start
  end
end

model LimPID extends SVcontrol
  "P, PI, PD or PID controller with limited output, anti-windup, weighted set point and feed-forward: y = limit(k*(wp*u_s - u_m + I + D) + kFF*u_ff). [MSL; Astrom and Hagglund, PID Controllers, 1995]"
  parameter controllerType : SimpleController = SimpleController.PID "which parts there are"
  parameter k(min = 0) = 1 "gain"
  parameter Ti(min = 0) : s = 0.5 "time constant of the integrator, > 0"
  parameter Td(min = 0) : s = 0.1 "time constant of the derivative"
  parameter yMax(start = 1) "upper limit of the output"
  parameter yMin = -yMax "lower limit of the output"
  parameter wp(min = 0) : 1 = 1 "weight of the set point in the proportional part"
  parameter wd(min = 0) : 1 = 0 "weight of the set point in the derivative part"
  parameter Ni(min = 0) : 1 = 0.9 "Ni*Ti is the time constant of the anti-windup compensation"
  parameter Nd(min = 0) : 1 = 10 "the higher, the more ideal the derivative"
  parameter withFeedForward : Boolean = false "true: input u_ff is there"
  parameter kFF = 1 "gain of the feed-forward input"
  parameter initType : Init = Init.InitialState "initialisation"
  parameter xi_start = 0 "initial integral"
  parameter xd_start = 0 "initial state of the derivative"
  parameter y_start = 0 "initial output"
  parameter homotopyType : LimiterHomotopy = LimiterHomotopy.Linear "the limiter while initialising"
  parameter strict : Boolean = false "true: no events at the limits"
  constant unitTime : s = 1
  private parameter with_I : Boolean = controllerType == SimpleController.PI or controllerType == SimpleController.PID
  private parameter with_D : Boolean = controllerType == SimpleController.PD or controllerType == SimpleController.PID
  input u_ff if withFeedForward "feed-forward signal"
  output controlError = u_s - u_m "set point less measurement"
  addP : Add(k1 = wp, k2 = -1)
  P : Gain(k = 1)
  addD : Add(k1 = wd, k2 = -1) if with_D
  D : Derivative(k = Td / unitTime, T = max(Td / Nd, 1e-14), x_start = xd_start,
    initType = if initType == Init.InitialOutput then Init.SteadyState else initType) if with_D
  addI : Add3(k2 = -1) if with_I
  I : Integrator(k = unitTime / Ti, y_start = xi_start,
    initType = if initType == Init.InitialOutput then Init.NoInit else initType) if with_I
  addPID : Add3
  gainPID : Gain(k = k)
  addFF : Add(k1 = 1, k2 = kFF)
  limiter : Limiter(uMax = yMax, uMin = yMin, strict = strict, homotopyType = homotopyType)
  addSat : Add(k1 = 1, k2 = -1) if with_I
  gainTrack : Gain(k = 1 / (k * Ni)) if with_I
  Dzero : Constant(k = 0) if not with_D
  Izero : Constant(k = 0) if not with_I
  FFzero : Constant(k = 0) if not withFeedForward
  connect u_s, addP.u1, addD.u1, addI.u1
  connect u_m, addP.u2, addD.u2, addI.u2
  connect addP.y, P.u
  connect addD.y, D.u
  connect addI.y, I.u
  connect P.y, addPID.u1
  connect D.y, addPID.u2
  connect Dzero.y, addPID.u2
  connect I.y, addPID.u3
  connect Izero.y, addPID.u3
  connect addPID.y, gainPID.u
  connect gainPID.y, addFF.u1
  connect u_ff, addFF.u2
  connect FFzero.y, addFF.u2
  connect addFF.y, limiter.u, addSat.u2
  connect limiter.y, addSat.u1, y
  connect addSat.y, gainTrack.u
  connect gainTrack.y, addI.u3
  initial if initType == Init.InitialOutput
    gainPID.y = y_start
  end
end

model TransferFunction extends SISO
  "Y = (b[1]*s^m + ... + b[m+1])/(a[1]*s^n + ... + a[n+1])*U, m <= n, in controller canonical form. [MSL]"
  parameter b[:] = {1} "numerator: {2, 3} is 2*s + 3"
  parameter a[:] = {1} "denominator: {5, 6} is 5*s + 6"
  parameter initType : Init = Init.NoInit "initialisation"
  private parameter n : Integer = size(a, 1) - 1 "order"
  parameter x_start[n] = zeros(n) "initial states"
  parameter y_start = 0 "initial output"
  private parameter c[n+1] = cat(1, zeros(max(size(a, 1) - size(b, 1), 0)), b[max(size(b, 1) - n, 1):end]) "numerator of the same length"
  private parameter d = c[1] / a[1] "direct gain"
  private parameter scale = if a[end] > 2e-14 * sqrt(a * a) then a[end] else 1 "of the states"
  output x[n](start = x_start) "states"
  private variable x_scaled[n](start = scale * x_start)
  assert size(b, 1) <= size(a, 1), "the numerator has a higher degree than the denominator"
  assert a[1] != 0, "the first coefficient of the denominator must not be zero"
  if n == 0
    y = d * u
  else
    der(x_scaled[1]) = (scale * u - a[2:n+1] * x_scaled) / a[1]
    for k in 2:n
      der(x_scaled[k]) = x_scaled[k-1]
    end
    x = x_scaled / scale
    y = (c[2:n+1] - d * a[2:n+1]) * x + d * u
  end
  initial if initType == Init.SteadyState
    der(x_scaled) = zeros(n)
  elseif initType == Init.InitialState
    x_scaled = scale * x_start
  elseif initType == Init.InitialOutput
    y = y_start
    for k in 2:n
      der(x_scaled[k]) = 0
    end
  end
end

model StateSpace extends MIMO(final nin = size(B, 2), final nout = size(C, 1))
  "dx/dt = A*x + B*u, y = C*x + D*u. [MSL]"
  parameter A[:, :] = [1, 0; 0, 1] "system matrix"
  parameter B[:, :] = [1; 1] "input matrix"
  parameter C[:, :] = [1, 1] "output matrix"
  parameter D[:, :] = zeros(size(C, 1), size(B, 2)) "direct gain matrix"
  parameter initType : Init = Init.NoInit "initialisation; InitialOutput needs as many outputs as states"
  parameter x_start[size(A, 1)] = zeros(size(A, 1)) "initial states"
  parameter y_start[size(C, 1)] = zeros(size(C, 1)) "initial outputs"
  output x[size(A, 1)](start = x_start) "states"
  der(x) = A * x + B * u
  y = C * x + D * u
  initial if initType == Init.SteadyState
    der(x) = zeros(size(A, 1))
  elseif initType == Init.InitialState
    x = x_start
  elseif initType == Init.InitialOutput
    y = y_start
  end
end

model CriticalDamping extends SISO
  "n equal real poles: dx[k]/dt = w*(x[k-1] - x[k]), x[0] = u, y = x[n]. Normalized, the gain at f is 1/sqrt(2). [MSL; Tietze and Schenk, Halbleiter-Schaltungstechnik]"
  parameter n(min = 1) : Integer = 2 "order"
  parameter f(start = 1) : Hz "cut-off frequency"
  parameter normalized : Boolean = true "true: the gain at f is -3 dB; false: the poles are at f"
  parameter initType : Init = Init.NoInit "initialisation"
  parameter x_start[n] = zeros(n) "initial states"
  parameter y_start = 0 "initial output"
  output x[n](start = x_start) "states"
  private parameter w : rad/s = 2 * pi * f / (if normalized then sqrt(2^(1 / n) - 1) else 1)
  der(x[1]) = w * (u - x[1])
  for k in 2:n
    der(x[k]) = w * (x[k-1] - x[k])
  end
  y = x[n]
  initial if initType == Init.SteadyState
    der(x) = zeros(n)
  elseif initType == Init.InitialState
    x = x_start
  elseif initType == Init.InitialOutput
    y = y_start
    for k in 1:n-1
      der(x[k]) = 0
    end
  end
end

model LowpassButterworth extends SISO
  "Butterworth low pass of order n: poles on a circle of radius 2*pi*f at equal angles, as second-order sections x1, x2 and, for odd n, one real pole xr. [MSL]"
  parameter n(min = 1) : Integer = 2 "order"
  parameter f(start = 1) : Hz "cut-off frequency (-3 dB)"
  parameter initType : Init = Init.NoInit "initialisation"
  private parameter m : Integer = div(n, 2) "number of second-order sections"
  private parameter odd : Boolean = 2 * m < n
  parameter x1_start[m] = zeros(m) "initial states x1"
  parameter x2_start[m] = zeros(m) "initial states x2 = dx1/dt"
  parameter xr_start = 0 "initial state of the real pole"
  parameter y_start = 0 "initial output"
  output x1[m](start = x1_start) "outputs of the second-order sections"
  output x2[m](start = x2_start) "their rates"
  output xr(start = xr_start) "output of the real pole; 0 for even n"
  private parameter w : rad/s = 2 * pi * f
  private parameter D[m] = {-cos(pi / 2 + pi / n * (k - 0.5)) for k in 1:m} "damping ratios"
  private variable z[m+1] "signal between the sections"
  z[1] = u
  for k in 1:m
    der(x1[k]) = x2[k]
    der(x2[k]) = w^2 * (z[k] - x1[k]) - 2 * D[k] * w * x2[k]
    z[k+1] = x1[k]
  end
  if odd
    der(xr) = w * (z[m+1] - xr)
    y = xr
  else
    xr = 0
    y = z[m+1]
  end
  initial if initType == Init.SteadyState
    der(x1) = zeros(m)
    der(x2) = zeros(m)
    if odd
      der(xr) = 0
    end
  elseif initType == Init.InitialState
    x1 = x1_start
    x2 = x2_start
    if odd
      xr = xr_start
    end
  elseif initType == Init.InitialOutput
    y = y_start
    der(x1) = zeros(m)
    for k in 1:(if odd then m else m-1)
      der(x2[k]) = 0
    end
  end
end
