// translational/friction.eq: brakes and guides with Coulomb friction, contacts, stops.
//   Each friction element knows its mode (see Friction in interfaces.eq), which changes at events only. Friction tables give the sliding friction over a
//   speed >= 0, straight lines or smooth curves between the rows, on straight beyond; for negative speeds it is the same with the other sign.

model Brake extends TwoFlangesAndSupport, Friction, thermal.ElementaryConditionalHeatPortWithoutT
  "A shoe between a rod and the housing: f = mu(v)*cgeo*fn against the motion while it slides, at most peak*mu(0)*cgeo*fn while it sticks, fn = fn_max*f_normalized; losses f*v. [MSL]"
  parameter mu_pos[:, 2] = [0, 0.5] "rows of speed (m/s, >= 0) and sliding friction coefficient"
  parameter smoothness : blocks.Smoothness = blocks.Smoothness.LinearSegments "how mu_pos goes from row to row"
  parameter peak(min = 1) : 1 = 1 "largest coefficient at v = 0 as a multiple of the sliding one there"
  parameter cgeo(min = 0) : 1 = 1 "friction force as a multiple of mu*fn: the number of surfaces"
  parameter fn_max(min = 0, start = 1) : N "normal force at f_normalized = 1"
  input f_normalized : 1 "normal force as a part of fn_max; without contact where <= 0"
  variable s : m = s_a "position relative to the housing"
  variable f : N "friction force"
  variable v : m/s = der(s) "speed"
  variable a : m/s^2 = der(v) "acceleration"
  variable mu : 1 "friction coefficient, negative while sliding backward"
  variable fn : N = fn_max * f_normalized "normal force"
  s = s_b
  flange_a.f + flange_b.f = f
  v_relfric = v
  a_relfric = a
  free = fn <= 0
  f0 = blocks.table_value(0, mu_pos, 2, smoothness) * cgeo * fn
  f0_max = max(peak, 1 + hysteresis) * f0
  mu = if forward then blocks.table_value(v, mu_pos, 2, smoothness) else -blocks.table_value(-v, mu_pos, 2, smoothness)
  f = if locked then sa elseif free then 0 else mu * cgeo * fn
  lossPower = f * v_relfric
end

model SupportFriction extends TwoFlangesAndSupport, Friction, thermal.ElementaryConditionalHeatPortWithoutT
  "Friction of a rod in its guide: f = f_pos(v) while v > 0, at most peak*f_pos(0) while stuck, against the motion; losses f*v. [MSL]"
  parameter f_pos[:, 2] = [0, 1] "rows of speed (m/s, >= 0) and sliding force (N)"
  parameter smoothness : blocks.Smoothness = blocks.Smoothness.LinearSegments "how f_pos goes from row to row"
  parameter peak(min = 1) : 1 = 1 "largest force at v = 0 as a multiple of the sliding force there"
  variable s : m = flange_a.s - s_support "position relative to the housing"
  variable f : N "friction force"
  variable v : m/s = der(s) "speed"
  variable a : m/s^2 = der(v) "acceleration"
  flange_a.s = flange_b.s
  flange_a.f + flange_b.f = f
  v_relfric = v
  a_relfric = a
  f0 = blocks.table_value(0, f_pos, 2, smoothness)
  f0_max = max(peak, 1 + hysteresis) * f0
  free = false
  f = if locked then sa elseif forward then blocks.table_value(v, f_pos, 2, smoothness) else -blocks.table_value(-v, f_pos, 2, smoothness)
  lossPower = f * v_relfric
end

model ElastoGap extends CompliantWithRelativeStates, thermal.ElementaryConditionalHeatPortWithoutT
  """Spring and damper with a gap: no force while s_rel > s_rel0; in contact f = -f_ref*(|s_rel - s_rel0|/s_ref)^n + d*v_rel, the damping force at
  most as large as the spring's, so that the force only pushes (f <= 0) and is continuous. [MSL]"""
  parameter c(min = 0, start = 1) : N/m "stiffness where n = 1"
  parameter d(min = 0, start = 1) : N*s/m "damping constant"
  parameter s_rel0 : m = 0 "relative position at which contact begins"
  parameter f_ref(min = 0) : N = c * s_ref "spring force at the compression s_ref"
  parameter s_ref(min = 0) : m = 1 "compression at which the spring force is f_ref, > 0"
  parameter n(min = 1) : 1 = 1 "exponent of the spring force"
  variable contact : Boolean = s_rel < s_rel0 "the ends touch"
  private variable f_c : N = if contact then -f_ref * noEvent(abs((s_rel - s_rel0) / s_ref))^n else 0 "spring force"
  private variable f_d : N = if contact then noEvent(min(max(d * v_rel, f_c), -f_c)) else 0 "damping force"
  f = f_c + f_d
  lossPower = f_d * v_rel
end

model MassWithStopAndFriction extends Rigid(s(start = 0, state = always)), FrictionVariables, thermal.ElementaryConditionalHeatPortWithoutT
  """Sliding mass between two hard stops, with Stribeck friction: m*dv/dt = f_a + f_b - f, f = F_prop*v + F_Coulomb + F_Stribeck*exp(-fexp*v) while
  v > 0, backward the same against the motion. At a stop (an end of the mass at smin or smax) the speed becomes 0 and the mass rests until a force
  larger than F_Coulomb + F_Stribeck, or a hit (`reinit`), takes it away. [Armstrong 1991; MSL]"""
  parameter smax(start = 25) : m "stop for the right end"
  parameter smin(start = -25) : m "stop for the left end"
  parameter v_small : m/s = 1e-3 "speed beyond which a reversal is sliding at once, without being stuck for a moment"
  parameter m(start = 1) : kg "mass"
  parameter F_prop(min = 0, start = 1) : N*s/m "friction proportional to the speed"
  parameter F_Coulomb(start = 5) : N "constant friction"
  parameter F_Stribeck(start = 10) : N "friction added at low speed"
  parameter fexp(min = 0, start = 2) : s/m "decay of F_Stribeck with the speed"
  variable v(start = 0, state = always) : m/s = der(s) "speed"
  variable a(start = 0) : m/s^2 = der(v) "acceleration"
  variable f : N "friction force, positive against the direction of s"
  variable stopped : Integer = if s <= left then -1 elseif s >= right then 1 else 0 "-1 at the stop of the left end, 1 at that of the right end, 0 between"
  private parameter left : m = smin + L / 2 "of s"
  private parameter right : m = smax - L / 2 "of s"
  assert not initial() or noEvent(s >= left and s <= right), "the mass starts beyond a stop", s, left, right
  v_relfric = v
  a_relfric = a
  f0 = F_Coulomb + F_Stribeck
  f0_max = 1.001 * f0
  free = f0 <= 0 and F_prop <= 0 and s > left and s < right
  startForward = (pre(mode) == Stuck and (held > f0_max or pre(startForward) and held > f0) or struck > 0) and s < right or
    pre(mode) == Backward and v_relfric > v_small or initial() and v_relfric > 0
  startBackward = (pre(mode) == Stuck and (held < -f0_max or pre(startBackward) and held < -f0) or struck < 0) and s > left or
    pre(mode) == Forward and v_relfric < -v_small or initial() and v_relfric < 0
  mode = if free then Free
    elseif (pre(mode) == Forward or pre(mode) == Free or startForward) and v_relfric > 0 and s < right then Forward
    elseif (pre(mode) == Backward or pre(mode) == Free or startBackward) and v_relfric < 0 and s > left then Backward
    else Stuck
  m * a = flange_a.f + flange_b.f - f
  f = if locked then sa
    elseif free then 0
    elseif startForward then F_prop * v + f0
    elseif startBackward then F_prop * v - f0
    elseif pre(mode) == Forward then F_prop * v + F_Coulomb + F_Stribeck * exp(-fexp * noEvent(abs(v)))
    else F_prop * v - F_Coulomb - F_Stribeck * exp(-fexp * noEvent(abs(v)))
  lossPower = f * v_relfric
  when stopped != 0
    reinit s = if stopped < 0 then left else right
    reinit v = 0
  end
  when stopped * struck > 0
    reinit v = 0
  end
end
