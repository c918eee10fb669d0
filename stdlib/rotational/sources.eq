// rotational/sources.eq: torques and forced motions. tau is the torque on the flange: it accelerates in the direction of phi.

model Torque extends OneFlangeAndSupport "Torque by signal: flange.tau = -tau. [MSL]"
  input tau : N*m "torque on the flange"
  flange.tau = -tau
end

model Torque2 extends TwoFlanges "Torque by signal between two flanges: tau on flange_b, -tau on flange_a. [MSL]"
  input tau : N*m "torque on flange_b"
  flange_a.tau = tau
  flange_b.tau = -tau
end

model ConstantTorque extends AngularSource "Constant torque. [MSL]"
  parameter tau_constant : N*m "torque on the flange"
  variable w : rad/s = der(phi) "speed relative to the housing"
  variable tau : N*m = -flange.tau "torque on the flange"
  tau = tau_constant
end

model TorqueStep extends AngularSource "Torque offsetTorque, from startTime on offsetTorque + stepTorque. [MSL]"
  parameter stepTorque(start = 1) : N*m "height of the step"
  parameter offsetTorque(start = 0) : N*m "torque before the step"
  parameter startTime : s = 0 "time of the step"
  variable tau : N*m = -flange.tau "torque on the flange"
  tau = offsetTorque + (if time < startTime then 0 else stepTorque)
end

model LinearSpeedDependentTorque extends AngularSource
  "tau = tau_nominal*w/w_nominal; |w| where the torque keeps its direction. A negative tau_nominal is a load. [MSL]"
  parameter tau_nominal : N*m "torque at w_nominal"
  parameter w_nominal(min = 0) : rad/s "nominal speed, > 0"
  parameter TorqueDirection : Boolean = true "true: the same direction of torque for both directions of rotation"
  variable w : rad/s = der(phi) "speed relative to the housing"
  variable tau : N*m = -flange.tau "torque on the flange"
  tau = tau_nominal * (if TorqueDirection then abs(w / w_nominal) else w / w_nominal)
end

model QuadraticSpeedDependentTorque extends AngularSource
  "tau = tau_nominal*(w/w_nominal)^2; with the sign of w where the torque changes direction, as a fan's. A negative tau_nominal is a load. [MSL]"
  parameter tau_nominal : N*m "torque at w_nominal"
  parameter w_nominal(min = 0) : rad/s "nominal speed, > 0"
  parameter TorqueDirection : Boolean = true "true: the same direction of torque for both directions of rotation"
  variable w : rad/s = der(phi) "speed relative to the housing"
  variable tau : N*m = -flange.tau "torque on the flange"
  tau = tau_nominal * (if TorqueDirection then (w / w_nominal)^2 else noEvent(if w >= 0 then (w / w_nominal)^2 else -(w / w_nominal)^2))
end

model ConstantSpeed extends AngularSource "Constant speed: dphi/dt = w_fixed, whatever the torque. [MSL]"
  parameter w_fixed : rad/s "speed relative to the housing"
  variable w : rad/s = der(phi) "speed relative to the housing"
  w = w_fixed
end

model Position extends OneFlangeAndSupport
  "Angle by signal: phi = phi_ref where exact, else phi follows phi_ref through a Bessel filter of second order. [MSL]"
  parameter exact : Boolean = false "false: filtered, so that phi_ref need not be differentiable"
  parameter f_crit : Hz = 50 "cut-off frequency of the filter"
  input phi_ref : rad "reference angle relative to the housing"
  variable phi(state = if exact then State.default else State.prefer) : rad = flange.phi - phi_support "angle relative to the housing"
  variable w(start = 0, state = if exact then State.default else State.prefer) : rad/s "speed; 0 where exact"
  variable a(start = 0) : rad/s^2 "acceleration; 0 where exact"
  private constant af = 1.3617 "coefficient of s of the Bessel filter"
  private constant bf = 0.6180 "coefficient of s^2"
  private parameter w_crit : rad/s = 2 * pi * f_crit
  if exact
    phi = phi_ref
    w = 0
    a = 0
  else
    w = der(phi)
    a = der(w)
    a = ((phi_ref - phi) * w_crit - af * w) * w_crit / bf
    initial phi = phi_ref
  end
end

model Speed extends OneFlangeAndSupport
  "Speed by signal: w = w_ref where exact, else w follows w_ref through a first-order filter. [MSL]"
  parameter exact : Boolean = false "false: filtered, so that w_ref need not be differentiable"
  parameter f_crit : Hz = 50 "cut-off frequency of the filter"
  input w_ref : rad/s "reference speed relative to the housing"
  variable phi(start = 0, fixed, state = prefer) : rad = flange.phi - phi_support "angle relative to the housing"
  variable w(state = if exact then State.default else State.prefer) : rad/s = der(phi) "speed relative to the housing"
  variable a : rad/s^2 "acceleration; 0 where exact"
  private parameter w_crit : rad/s = 2 * pi * f_crit
  if exact
    w = w_ref
    a = 0
  else
    a = der(w)
    a = (w_ref - w) * w_crit
    initial w = w_ref
  end
end

model Accelerate extends OneFlangeAndSupport "Acceleration by signal: d2phi/dt2 = a_ref. [MSL]"
  input a_ref : rad/s^2 "reference acceleration relative to the housing"
  variable phi(start = 0, fixed, state = prefer) : rad = flange.phi - phi_support "angle relative to the housing"
  variable w(start = 0, fixed, state = prefer) : rad/s = der(phi) "speed relative to the housing"
  variable a : rad/s^2 = der(w) "acceleration relative to the housing"
  a = a_ref
end
