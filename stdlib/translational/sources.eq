// translational/sources.eq: forces and forced motions.

model Force extends OneFlangeAndSupport "Force by signal, positive in the direction of s: flange.f = -f. [MSL]"
  input f : N "force on the flange"
  flange.f = -f
end

model Force2 extends TwoFlanges "Force by signal between two flanges: f on flange_b, -f on flange_a. [MSL]"
  input f : N "force on flange_b"
  flange_a.f = f
  flange_b.f = -f
end

model ConstantForce extends ForceSource "Constant force f_constant on the flange, positive in the direction of s. [MSL]"
  parameter f_constant : N "force on the flange"
  f = -f_constant
end

model ForceStep extends ForceSource "Force offsetForce, from startTime on offsetForce + stepForce, on the flange. [MSL]"
  parameter stepForce(start = 1) : N "height of the step"
  parameter offsetForce(start = 0) : N "force before the step"
  parameter startTime : s = 0 "time of the step"
  f = -offsetForce - (if time < startTime then 0 else stepForce)
end

model LinearSpeedDependentForce extends ForceSource
  "Force f_nominal*v/v_nominal on the flange; |v| where the force keeps its direction. A negative f_nominal is a load. [MSL]"
  parameter f_nominal : N "force at v_nominal"
  parameter v_nominal(min = 0) : m/s "nominal speed, > 0"
  parameter ForceDirection : Boolean = true "true: the same direction of force for both directions of motion"
  variable v : m/s = der(s) "speed relative to the housing"
  f = -f_nominal * (if ForceDirection then abs(v / v_nominal) else v / v_nominal)
end

model QuadraticSpeedDependentForce extends ForceSource
  "Force f_nominal*(v/v_nominal)^2 on the flange; with the sign of v where the force changes direction, as air drag's. A negative f_nominal is a load. [MSL]"
  parameter f_nominal : N "force at v_nominal"
  parameter v_nominal(min = 0) : m/s "nominal speed, > 0"
  parameter ForceDirection : Boolean = true "true: the same direction of force for both directions of motion"
  variable v : m/s = der(s) "speed relative to the housing"
  f = -f_nominal * (if ForceDirection then (v / v_nominal)^2 else noEvent(if v >= 0 then (v / v_nominal)^2 else -(v / v_nominal)^2))
end

model ConstantSpeed extends ForceSource "Constant speed: ds/dt = v_fixed, whatever the force. [MSL]"
  parameter v_fixed : m/s "speed relative to the housing"
  variable v : m/s = der(s) "speed relative to the housing"
  v = v_fixed
end

model Position extends OneFlangeAndSupport(s(state = if exact then State.default else State.prefer))
  "Position by signal: s = s_ref where exact, else s follows s_ref through a Bessel filter of second order. [MSL]"
  parameter exact : Boolean = false "false: filtered, so that s_ref need not be differentiable"
  parameter f_crit : Hz = 50 "cut-off frequency of the filter"
  input s_ref : m "reference position relative to the housing"
  variable v(start = 0, state = if exact then State.default else State.prefer) : m/s "speed; 0 where exact"
  variable a(start = 0) : m/s^2 "acceleration; 0 where exact"
  private constant af = 1.3617 "coefficient of the Laplace variable of the Bessel filter"
  private constant bf = 0.6180 "coefficient of its square"
  private parameter w_crit : rad/s = 2 * pi * f_crit
  if exact
    s = s_ref
    v = 0
    a = 0
  else
    v = der(s)
    a = der(v)
    a = ((s_ref - s) * w_crit - af * v) * w_crit / bf
    initial s = s_ref
  end
end

model Speed extends OneFlangeAndSupport(s(start = 0, fixed, state = prefer))
  "Speed by signal: v = v_ref where exact, else v follows v_ref through a first-order filter. [MSL]"
  parameter exact : Boolean = false "false: filtered, so that v_ref need not be differentiable"
  parameter f_crit : Hz = 50 "cut-off frequency of the filter"
  input v_ref : m/s "reference speed relative to the housing"
  variable v(state = if exact then State.default else State.prefer) : m/s = der(s) "speed relative to the housing"
  variable a : m/s^2 "acceleration; 0 where exact"
  private parameter w_crit : rad/s = 2 * pi * f_crit
  if exact
    v = v_ref
    a = 0
  else
    a = der(v)
    a = (v_ref - v) * w_crit
    initial v = v_ref
  end
end

model Accelerate extends OneFlangeAndSupport(s(start = 0, fixed, state = prefer))
  "Acceleration by signal: d2s/dt2 = a_ref. [MSL]"
  input a_ref : m/s^2 "reference acceleration relative to the housing"
  variable v(start = 0, fixed, state = prefer) : m/s = der(s) "speed relative to the housing"
  variable a : m/s^2 = der(v) "acceleration relative to the housing"
  a = a_ref
end
