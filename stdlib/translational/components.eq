// translational/components.eq: masses, rods, springs, dampers.

model Fixed "Flange fixed in the housing: flange.s = s0. [MSL]"
  parameter s0 : m = 0 "position"
  flange : Flange
  flange.s = s0
end

model Mass extends Rigid(L = 0, s(start = 0, state = stateSelect))
  "Sliding mass: m*dv/dt = f_a + f_b, v = ds/dt. Forces positive in the direction of s. [Newton; MSL]"
  parameter m(min = 0, start = 1) : kg "mass"
  parameter stateSelect : State = prefer "of s and v"
  variable v(start = 0, state = stateSelect) : m/s = der(s) "speed"
  variable a(start = 0) : m/s^2 = der(v) "acceleration"
  m * a = flange_a.f + flange_b.f
end

model Rod extends Rigid
  "Rigid and massless: f_a + f_b = 0. [MSL]"
  flange_a.f + flange_b.f = 0
end

model Spring extends Compliant
  "Linear spring (Hooke): f = c*(s_rel - s_rel0). [MSL]"
  parameter c(min = 0, start = 1) : N/m "stiffness"
  parameter s_rel0 : m = 0 "length without force"
  f = c * (s_rel - s_rel0)
end

model Damper extends CompliantWithRelativeStates, thermal.ElementaryConditionalHeatPortWithoutT
  "Linear damper: f = d*v_rel, losses f*v_rel. [MSL]"
  parameter d(min = 0, start = 0) : N*s/m "damping constant"
  f = d * v_rel
  lossPower = f * v_rel
end

model SpringDamper extends CompliantWithRelativeStates, thermal.ElementaryConditionalHeatPortWithoutT
  "Spring and damper in parallel: f = c*(s_rel - s_rel0) + d*v_rel, losses d*v_rel^2. [MSL]"
  parameter c(min = 0, start = 1) : N/m "stiffness"
  parameter d(min = 0, start = 1) : N*s/m "damping constant"
  parameter s_rel0 : m = 0 "length without spring force"
  private variable f_c : N = c * (s_rel - s_rel0) "spring force"
  private variable f_d : N = d * v_rel "damping force"
  f = f_c + f_d
  lossPower = f_d * v_rel
end

model IdealGearR2T = rotational.IdealGearR2T

model IdealRollingWheel = rotational.IdealRollingWheel

model RelativeStates extends TwoFlanges
  "Makes the relative position and speed of two flanges the states; carries no force. [MSL]"
  parameter stateSelect : State = prefer "of s_rel and v_rel"
  variable s_rel(start = 0, state = stateSelect) : m = flange_b.s - flange_a.s "relative position"
  variable v_rel(start = 0, state = stateSelect) : m/s = der(s_rel) "relative speed"
  variable a_rel(start = 0) : m/s^2 = der(v_rel) "relative acceleration"
  flange_a.f = 0
  flange_b.f = 0
end
