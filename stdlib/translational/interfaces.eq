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
