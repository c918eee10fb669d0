// rotational/components.eq: inertias, springs, dampers, gears.

model Fixed "Flange fixed in the housing: flange.phi = phi0. [MSL]"
  parameter phi0 : rad = 0 "angle"
  flange : Flange
  flange.phi = phi0
end

model Inertia extends TwoFlanges
  "Rotating mass: J*dw/dt = tau_a + tau_b, w = dphi/dt. Torques positive in the direction of phi. [MSL]"
  parameter J(min = 0, start = 1) : kg*m^2 "moment of inertia about the shaft"
  parameter stateSelect : State = prefer "of phi and w"
  variable phi(state = stateSelect) : rad "shaft angle"
  variable w(state = stateSelect) : rad/s = der(phi) "speed"
  variable a : rad/s^2 = der(w) "acceleration"
  phi = flange_a.phi
  phi = flange_b.phi
  J * a = flange_a.tau + flange_b.tau
end

model Disc extends TwoFlanges
  "Rigid and massless; the right flange is turned by deltaPhi: flange_b.phi - flange_a.phi = deltaPhi. [MSL]"
  parameter deltaPhi : rad = 0 "fixed relative angle"
  variable phi : rad "angle of the middle"
  flange_a.phi = phi - deltaPhi / 2
  flange_b.phi = phi + deltaPhi / 2
  flange_a.tau + flange_b.tau = 0
end

model Spring extends Compliant
  "Linear spring: tau = c*(phi_rel - phi_rel0). [MSL]"
  parameter c(min = 0, start = 1e5) : N*m/rad "stiffness"
  parameter phi_rel0 : rad = 0 "relative angle without torque"
  tau = c * (phi_rel - phi_rel0)
end

model Damper extends CompliantWithRelativeStates, thermal.ElementaryConditionalHeatPortWithoutT
  "Linear damper: tau = d*w_rel, losses tau*w_rel. [MSL]"
  parameter d(min = 0, start = 0) : N*m*s/rad "damping constant"
  tau = d * w_rel
  lossPower = tau * w_rel
end

model SpringDamper extends CompliantWithRelativeStates, thermal.ElementaryConditionalHeatPortWithoutT
  "Spring and damper in parallel: tau = c*(phi_rel - phi_rel0) + d*w_rel, losses d*w_rel^2. [MSL]"
  parameter c(min = 0, start = 1e5) : N*m/rad "stiffness"
  parameter d(min = 0, start = 0) : N*m*s/rad "damping constant"
  parameter phi_rel0 : rad = 0 "relative angle without spring torque"
  private variable tau_c : N*m = c * (phi_rel - phi_rel0) "spring torque"
  private variable tau_d : N*m = d * w_rel "damping torque"
  tau = tau_c + tau_d
  lossPower = tau_d * w_rel
end

model IdealGear extends TwoFlangesAndSupport
  "Ideal gear: phi_a = ratio*phi_b, ratio*tau_a + tau_b = 0, angles relative to the housing. [MSL]"
  parameter ratio(start = 1) : 1 "transmission ratio phi_a/phi_b"
  variable phi_a : rad = flange_a.phi - phi_support "angle of the left shaft relative to the housing"
  variable phi_b : rad = flange_b.phi - phi_support "angle of the right shaft relative to the housing"
  phi_a = ratio * phi_b
  ratio * flange_a.tau + flange_b.tau = 0
end

model IdealPlanetary
  "Ideal planetary gear (Willis): (1 + ratio)*carrier.phi = sun.phi + ratio*ring.phi; torques balance without losses. [MSL]"
  parameter ratio(start = 2) : 1 "teeth of the ring / teeth of the sun"
  sun, carrier, ring : Flange
  (1 + ratio) * carrier.phi = sun.phi + ratio * ring.phi
  ring.tau = ratio * sun.tau
  carrier.tau = -(1 + ratio) * sun.tau
end

model IdealGearR2T extends RotationalToTranslational
  "Ideal pinion and rack: flangeR.phi = ratio*flangeT.s, ratio*flangeR.tau + flangeT.f = 0, relative to the housings. [MSL]"
  parameter ratio(start = 1) : rad/m "transmission ratio phi/s"
  flangeR.phi - phi_support = ratio * (flangeT.s - s_support)
  ratio * flangeR.tau + flangeT.f = 0
end

model IdealRollingWheel extends RotationalToTranslational
  "Wheel that rolls without slip: flangeT.s = radius*flangeR.phi, radius*flangeT.f + flangeR.tau = 0, relative to the housings. [MSL]"
  parameter radius(start = 0.3) : m "radius"
  radius * (flangeR.phi - phi_support) = flangeT.s - s_support
  radius * flangeT.f + flangeR.tau = 0
end

model RelativeStates extends TwoFlanges
  "Makes the relative angle and speed of two flanges the states; carries no torque. [MSL]"
  parameter stateSelect : State = prefer "of phi_rel and w_rel"
  parameter phi_nominal(min = 0) : rad = 1 "nominal value of phi_rel"
  variable phi_rel(start = 0, state = stateSelect, nominal = phi_nominal) : rad = flange_b.phi - flange_a.phi "relative angle"
  variable w_rel(start = 0, state = stateSelect) : rad/s = der(phi_rel) "relative speed"
  variable a_rel(start = 0) : rad/s^2 = der(w_rel) "relative acceleration"
  flange_a.tau = 0
  flange_b.tau = 0
end

model InitializeFlange
  "Starts the flange at the signals phi_start, w_start, a_start; carries no torque. [MSL]"
  parameter use_phi_start : Boolean = true "true: the start angle is phi_start"
  parameter use_w_start : Boolean = true "true: the start speed is w_start"
  parameter use_a_start : Boolean = true "true: the start acceleration is a_start"
  parameter stateSelect : State = default "of phi_flange and w_flange"
  input phi_start : rad if use_phi_start "start angle"
  input w_start : rad/s if use_w_start "start speed"
  input a_start : rad/s^2 if use_a_start "start acceleration"
  flange : Flange
  variable phi_flange(state = stateSelect) : rad = flange.phi "angle"
  variable w_flange(state = stateSelect) : rad/s = der(phi_flange) "speed"
  flange.tau = 0
  initial if use_phi_start
    phi_flange = phi_start
  end
  initial if use_w_start
    w_flange = w_start
  end
  initial if use_a_start
    der(w_flange) = a_start
  end
end
