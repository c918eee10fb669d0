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
