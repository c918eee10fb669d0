// translational/interfaces.eq: the flange and what components share.
//   Positions and forces are positive in one direction along the whole line, forces positive into a component. Names and signs as in
//   MSL 4.0.0, Mechanics.Translational. Without useSupport a housing is fixed at position 0.

connector Flange "end of a rod"
  potential s : m "position" @hint("positions are fixed only up to a constant: fix one flange or give a mass a start position")
  flow f : N "force into the component"
end

partial model TwoFlanges "A left and a right flange. [MSL PartialTwoFlanges]"
  flange_a, flange_b : Flange
end

partial model Rigid extends TwoFlanges
  "Rigid rod of length L with its middle at s. [MSL PartialRigid]"
  parameter L(start = 0) : m "length, flange_b.s - flange_a.s"
  variable s : m "position of the middle"
  flange_a.s = s - L / 2
  flange_b.s = s + L / 2
end

partial model Compliant extends TwoFlanges
  "Massless: f passes through, s_rel = flange_b.s - flange_a.s is free. [MSL PartialCompliant]"
  variable s_rel(start = 0) : m = flange_b.s - flange_a.s "relative position"
  variable f : N = flange_b.f "force between the flanges"
  flange_a.f = -f
end

partial model CompliantWithRelativeStates extends TwoFlanges
  "Compliant, with relative position and speed as preferred states. [MSL PartialCompliantWithRelativeStates]"
  parameter stateSelect : State = prefer "of s_rel and v_rel"
  parameter s_nominal(min = 0) : m = 1e-4 "nominal value of s_rel"
  variable s_rel(start = 0, state = stateSelect, nominal = s_nominal) : m = flange_b.s - flange_a.s "relative position"
  variable v_rel(start = 0, state = stateSelect) : m/s = der(s_rel) "relative speed"
  variable f : N = flange_b.f "force between the flanges"
  flange_a.f = -f
end

partial model OneFlangeAndSupport
  "One flange and a housing that takes up its force, s = flange.s - support.s. [MSL PartialElementaryOneFlangeAndSupport2]"
  parameter useSupport : Boolean = false "true: the housing is the flange support"
  flange : Flange
  support : Flange if useSupport "housing"
  variable s : m = flange.s - s_support "position relative to the housing"
  private variable s_support : m "position of the housing"
  if useSupport
    support.s = s_support
    support.f = -flange.f
  else
    s_support = 0
  end
end

partial model ForceSource extends OneFlangeAndSupport
  "A force or motion between flange and housing; note that f = flange.f is positive against the direction of s. [MSL PartialForce]"
  variable f : N = flange.f "force into the source"
end

partial model TwoFlangesAndSupport extends TwoFlanges
  "Two flanges and a housing that takes up the sum of their forces. [MSL PartialElementaryTwoFlangesAndSupport2]"
  parameter useSupport : Boolean = false "true: the housing is the flange support"
  support : Flange if useSupport "housing"
  variable s_a : m = flange_a.s - s_support "position of the left flange relative to the housing"
  variable s_b : m = flange_b.s - s_support "position of the right flange relative to the housing"
  private variable s_support : m "position of the housing"
  if useSupport
    support.s = s_support
    support.f = -flange_a.f - flange_b.f
  else
    s_support = 0
  end
end

partial model FrictionVariables
  "What Coulomb friction is told in: see Friction. A class that uses this defines v_relfric, a_relfric, f0, f0_max and free, and the force."
  variable v_relfric : m/s "relative speed of the surfaces"
  variable a_relfric : m/s^2 "relative acceleration of the surfaces"
  variable f0 : N "force of forward sliding at v_relfric = 0"
  variable f0_max : N "largest force while locked"
  variable free : Boolean "the surfaces do not touch"
  variable sa : N "position on the curve: the force while locked"
  variable startForward(start = false, fixed) : Boolean "forward sliding starts from v_relfric = 0"
  variable startBackward(start = false, fixed) : Boolean "backward sliding starts from v_relfric = 0"
  variable locked(start = false) : Boolean "v_relfric = 0 and no sliding starts"
  variable mode(min = -1, max = 3, start = 3, fixed) : Integer "-1 backward sliding, 0 stuck, 1 forward sliding, 2 free, 3 unknown"
  constant Unknown : Integer = 3 "mode not known yet"
  constant Free : Integer = 2 "mode: the surfaces do not touch"
  constant Forward : Integer = 1 "mode: v_relfric > 0"
  constant Stuck : Integer = 0 "mode: v_relfric = 0"
  constant Backward : Integer = -1 "mode: v_relfric < 0"
  private constant unitMass : kg = 1
  private constant hysteresis : 1 = 1e-8 "least part by which f0_max is above f0: of surfaces that hold one body together, one may be at its limit"
  private variable v_rest(start = 1e-6, fixed) : m/s "while stuck, slower is rounding: its zero is known to the resolution of time"
  private variable stray : m/s "the speed while stuck; where sliding starts, a thousandth of it: that may run back a little first"
  private variable struck : Integer "direction in which what was stuck has been set in motion"
  private variable held : N "what can start sliding: what has just come to rest is locked first"
  private variable forward : Boolean = startForward or not startBackward and pre(mode) == Forward "the force, unless locked or free, is that of forward sliding"
  stray = if pre(mode) != Stuck then 0 elseif pre(startForward) or pre(startBackward) then 1e-3 * v_relfric else v_relfric
  struck = if stray > pre(v_rest) then 1 elseif stray < -pre(v_rest) then -1 else 0
  held = if struck == 0 and (pre(mode) == Stuck or initial()) then sa else 0
  locked = not free and not (pre(mode) == Forward or startForward or pre(mode) == Backward or startBackward)
  unitMass * a_relfric = if locked then 0 elseif free then sa elseif forward then sa - f0_max else sa + f0_max
  when mode == Stuck
    v_rest = 1e-6 [m/s] + 1e-14 * noEvent(abs(time * a_relfric))
  elsewhen locked
    v_rest = noEvent(max(pre(v_rest), 2 * abs(v_relfric)))
  end
end

partial model Friction extends FrictionVariables
  """Coulomb friction between two surfaces that slide at v_relfric, as a curve in sa: while locked, a_relfric = 0 and sa is the force; while
  sliding, sa is what is left of a_relfric after the largest force, so that sliding starts where |sa| exceeds f0_max. The mode changes
  at events only, from the mode before, so it cannot chatter. What has a speed while stuck, beyond rounding, has been hit or thrown back
  (`reinit`) and slides in its direction. [Otter, Elmqvist, Mattsson 1999; MSL PartialFriction]"""
  parameter v_small : m/s = 1e10 "speed beyond which a reversal by an impact is sliding at once, without being stuck for a moment"
  private constant rounding : m/s = 1e-9 "slower surfaces that come to touch are at rest: what else holds them left roundings"
  private variable meeting : m/s = if initial() or pre(mode) == Free and not free and noEvent(abs(v_relfric) > rounding) then v_relfric else 0 "the speed at which the surfaces come to touch"
  private variable slip : m/s = if free or locked then 0 else v_relfric "the speed that decides the mode"
  startForward = pre(mode) == Stuck and (held > f0_max or pre(startForward) and held > f0) or struck > 0 or
    pre(mode) == Backward and v_relfric > v_small or meeting > 0
  startBackward = pre(mode) == Stuck and (held < -f0_max or pre(startBackward) and held < -f0) or struck < 0 or
    pre(mode) == Forward and v_relfric < -v_small or meeting < 0
  mode = if free then Free
    elseif (pre(mode) == Forward or pre(mode) == Free or startForward) and slip > 0 then Forward
    elseif (pre(mode) == Backward or pre(mode) == Free or startBackward) and slip < 0 then Backward
    else Stuck
end
