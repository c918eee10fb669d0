// rotational/interfaces.eq: the flange and what components share.
//   Angles and torques are positive in one direction along the whole drive train, torques positive into a component. Names and signs
//   as in MSL 4.0.0, Mechanics.Rotational. Without useSupport a housing is fixed at angle 0.

connector Flange "end of a shaft"
  potential phi : rad "angle" @hint("angles are fixed only up to a constant: fix one flange or give an inertia a start angle")
  flow tau : N*m "torque into the component"
end

partial model TwoFlanges "A left and a right flange. [MSL PartialTwoFlanges]"
  flange_a, flange_b : Flange
end

partial model Compliant extends TwoFlanges
  "Massless: tau passes through, phi_rel = flange_b.phi - flange_a.phi is free. [MSL PartialCompliant]"
  variable phi_rel(start = 0) : rad = flange_b.phi - flange_a.phi "relative angle"
  variable tau : N*m = flange_b.tau "torque between the flanges"
  flange_a.tau = -tau
end

partial model CompliantWithRelativeStates extends TwoFlanges
  "Compliant, with relative angle and speed as preferred states. [MSL PartialCompliantWithRelativeStates]"
  parameter phi_nominal(min = 0) : rad = 1e-4 "nominal value of phi_rel"
  parameter stateSelect : State = prefer "of phi_rel and w_rel"
  variable phi_rel(start = 0, state = stateSelect, nominal = phi_nominal) : rad = flange_b.phi - flange_a.phi "relative angle"
  variable w_rel(start = 0, state = stateSelect) : rad/s = der(phi_rel) "relative speed"
  variable a_rel(start = 0) : rad/s^2 = der(w_rel) "relative acceleration"
  variable tau : N*m = flange_b.tau "torque between the flanges"
  flange_a.tau = -tau
end

partial model OneFlangeAndSupport
  "One flange and a housing that takes up its torque. [MSL PartialElementaryOneFlangeAndSupport2]"
  parameter useSupport : Boolean = false "true: the housing is the flange support"
  flange : Flange
  support : Flange if useSupport "housing"
  private variable phi_support : rad "angle of the housing"
  if useSupport
    support.phi = phi_support
    support.tau = -flange.tau
  else
    phi_support = 0
  end
end

partial model TwoFlangesAndSupport extends TwoFlanges
  "Two flanges and a housing that takes up the sum of their torques. [MSL PartialElementaryTwoFlangesAndSupport2]"
  parameter useSupport : Boolean = false "true: the housing is the flange support"
  support : Flange if useSupport "housing"
  private variable phi_support : rad "angle of the housing"
  if useSupport
    support.phi = phi_support
    support.tau = -flange_a.tau - flange_b.tau
  else
    phi_support = 0
  end
end

partial model AngularSource extends OneFlangeAndSupport
  "A torque or motion between flange and housing, phi = flange.phi - support.phi. [MSL PartialTorque]"
  variable phi : rad = flange.phi - phi_support "angle relative to the housing"
end

partial model RotationalToTranslational
  "A shaft with flangeR that drives a rod with flangeT, each with a housing. [MSL PartialElementaryRotationalToTranslational]"
  parameter useSupportR : Boolean = false "true: the housing of the shaft is supportR"
  parameter useSupportT : Boolean = false "true: the housing of the rod is supportT"
  flangeR : Flange "shaft"
  flangeT : translational.Flange "rod"
  supportR : Flange if useSupportR "housing of the shaft"
  supportT : translational.Flange if useSupportT "housing of the rod"
  private variable phi_support : rad "angle of the shaft's housing"
  private variable s_support : m "position of the rod's housing"
  if useSupportR
    supportR.phi = phi_support
    supportR.tau = -flangeR.tau
  else
    phi_support = 0
  end
  if useSupportT
    supportT.s = s_support
    supportT.f = -flangeT.f
  else
    s_support = 0
  end
end

partial model Friction
  """Coulomb friction between two surfaces that slide at w_relfric, as a curve in sa: while locked, a_relfric = 0 and sa is the torque; while
  sliding, sa is what is left of a_relfric after the largest torque, so that sliding starts where |sa| exceeds tau0_max.
  The mode changes at events only, from the mode before: a sliding surface gets stuck when its speed changes sign, and a stuck one
  starts when its torque is too large, so it cannot chatter. What has a speed while stuck, beyond rounding, has been hit or thrown back
  (`reinit`) and slides in its direction. A class that uses this defines w_relfric, a_relfric, tau0, tau0_max, free and the torque:
  sa while locked, positive against the motion while forward. [Otter, Elmqvist, Mattsson 1999; MSL PartialFriction]"""
  parameter w_small : rad/s = 1e10 "speed beyond which a reversal by an impact is sliding at once, without being stuck for a moment"
  variable w_relfric : rad/s "relative speed of the surfaces"
  variable a_relfric : rad/s^2 "relative acceleration of the surfaces"
  variable tau0 : N*m "torque of forward sliding at w_relfric = 0"
  variable tau0_max : N*m "largest torque while locked"
  variable free : Boolean "the surfaces do not touch"
  variable sa : N*m "position on the curve: the torque while locked"
  variable startForward(start = false, fixed) : Boolean "forward sliding starts from w_relfric = 0"
  variable startBackward(start = false, fixed) : Boolean "backward sliding starts from w_relfric = 0"
  variable locked(start = false) : Boolean "w_relfric = 0 and no sliding starts"
  variable mode(min = -1, max = 3, start = 3, fixed) : Integer "-1 backward sliding, 0 stuck, 1 forward sliding, 2 free, 3 unknown"
  constant Unknown : Integer = 3 "mode not known yet"
  constant Free : Integer = 2 "mode: the surfaces do not touch"
  constant Forward : Integer = 1 "mode: w_relfric > 0"
  constant Stuck : Integer = 0 "mode: w_relfric = 0"
  constant Backward : Integer = -1 "mode: w_relfric < 0"
  private constant unitInertia : kg*m^2 = 1
  private constant hysteresis : 1 = 1e-8 "least part by which tau0_max is above tau0: of surfaces that hold one body together, one may be at its limit"
  private constant rounding : rad/s = 1e-9 "slower surfaces that come to touch are at rest: what else holds them left roundings"
  private variable meeting : rad/s = if initial() or pre(mode) == Free and not free and noEvent(abs(w_relfric) > rounding) then w_relfric else 0 "the speed at which the surfaces come to touch"
  private variable slip : rad/s = if free or locked then 0 else w_relfric "the speed that decides the mode"
  private variable w_rest(start = 1e-6, fixed) : rad/s "while stuck, slower is rounding: its zero is known to the resolution of time"
  private variable stray : rad/s "the speed while stuck; where sliding starts, a thousandth of it: that may run back a little first"
  private variable struck : Integer "direction in which what was stuck has been set in motion"
  private variable held : N*m "what can start sliding: what has just come to rest is locked first"
  private variable forward : Boolean = startForward or not startBackward and pre(mode) == Forward "the torque, unless locked or free, is that of forward sliding"
  stray = if pre(mode) != Stuck then 0 elseif pre(startForward) or pre(startBackward) then 1e-3 * w_relfric else w_relfric
  struck = if stray > pre(w_rest) then 1 elseif stray < -pre(w_rest) then -1 else 0
  held = if struck == 0 and (pre(mode) == Stuck or initial()) then sa else 0
  startForward = pre(mode) == Stuck and (held > tau0_max or pre(startForward) and held > tau0) or struck > 0 or
    pre(mode) == Backward and w_relfric > w_small or meeting > 0
  startBackward = pre(mode) == Stuck and (held < -tau0_max or pre(startBackward) and held < -tau0) or struck < 0 or
    pre(mode) == Forward and w_relfric < -w_small or meeting < 0
  locked = not free and not (pre(mode) == Forward or startForward or pre(mode) == Backward or startBackward)
  unitInertia * a_relfric = if locked then 0 elseif free then sa elseif forward then sa - tau0_max else sa + tau0_max
  mode = if free then Free
    elseif (pre(mode) == Forward or pre(mode) == Free or startForward) and slip > 0 then Forward
    elseif (pre(mode) == Backward or pre(mode) == Free or startBackward) and slip < 0 then Backward
    else Stuck
  when mode == Stuck
    w_rest = 1e-6 [rad/s] + 1e-14 * noEvent(abs(time * a_relfric))
  elsewhen locked
    w_rest = noEvent(max(pre(w_rest), 2 * abs(w_relfric)))
  end
end
