// rotational/friction.eq: bearings, clutches and brakes with Coulomb friction, gears with losses, backlash.
//   Each element knows its mode (see Friction in interfaces.eq), which changes at events only. Friction tables give the sliding friction over a
//   speed >= 0, straight lines or smooth curves between the rows, on straight beyond; for negative speeds it is the same with the other sign.

model BearingFriction extends TwoFlangesAndSupport, Friction, thermal.ElementaryConditionalHeatPortWithoutT
  "Friction of a shaft in its bearings: tau = tau_pos(w) while w > 0, at most peak*tau_pos(0) while stuck, against the motion; losses tau*w. [MSL]"
  parameter tau_pos[:, 2] = [0, 1] "rows of speed (rad/s, >= 0) and sliding torque (N*m)"
  parameter smoothness : blocks.Smoothness = blocks.Smoothness.LinearSegments "how tau_pos goes from row to row"
  parameter peak(min = 1) : 1 = 1 "largest torque at w = 0 as a multiple of the sliding torque there"
  variable phi : rad = flange_a.phi - phi_support "angle of the shaft relative to the housing"
  variable tau : N*m "friction torque"
  variable w : rad/s = der(phi) "speed"
  variable a : rad/s^2 = der(w) "acceleration"
  flange_b.phi = flange_a.phi
  flange_a.tau + flange_b.tau = tau
  w_relfric = w
  a_relfric = a
  tau0 = blocks.table_value(0, tau_pos, 2, smoothness)
  tau0_max = max(peak, 1 + hysteresis) * tau0
  free = false
  tau = if locked then sa elseif forward then blocks.table_value(w, tau_pos, 2, smoothness) else -blocks.table_value(-w, tau_pos, 2, smoothness)
  lossPower = tau * w_relfric
end

partial model FrictionDisc extends Friction
  "Friction of discs pressed together by fn = fn_max*f_normalized: sliding torque mu(w)*cgeo*fn, at most peak*mu(0)*cgeo*fn while stuck."
  parameter mu_pos[:, 2] = [0, 0.5] "rows of speed (rad/s, >= 0) and sliding friction coefficient"
  parameter smoothness : blocks.Smoothness = blocks.Smoothness.LinearSegments "how mu_pos goes from row to row"
  parameter peak(min = 1) : 1 = 1 "largest coefficient at speed 0 as a multiple of the sliding one there"
  parameter cgeo(min = 0) : m = 1 "lever of the friction force, of all discs together"
  parameter fn_max(min = 0, start = 1) : N "normal force at f_normalized = 1"
  input f_normalized : 1 "normal force as a part of fn_max; without contact where <= 0"
  variable mu : 1 "friction coefficient, negative while sliding backward"
  variable fn : N = fn_max * f_normalized "normal force"
  private variable torque : N*m "friction torque"
  free = fn <= 0
  tau0 = blocks.table_value(0, mu_pos, 2, smoothness) * cgeo * fn
  tau0_max = max(peak, 1 + hysteresis) * tau0
  mu = if forward then blocks.table_value(w_relfric, mu_pos, 2, smoothness) else -blocks.table_value(-w_relfric, mu_pos, 2, smoothness)
  torque = if locked then sa elseif free then 0 else mu * cgeo * fn
end

model Clutch extends CompliantWithRelativeStates, FrictionDisc, thermal.ElementaryConditionalHeatPortWithoutT
  "Discs between two shafts: tau = mu(w_rel)*cgeo*fn while they slide, at most peak*mu(0)*cgeo*fn while they stick, fn = fn_max*f_normalized; losses tau*w_rel. [MSL]"
  w_relfric = w_rel
  a_relfric = a_rel
  tau = torque
  lossPower = tau * w_relfric
end

model Brake extends TwoFlangesAndSupport, FrictionDisc, thermal.ElementaryConditionalHeatPortWithoutT
  "Discs between a shaft and the housing: tau = mu(w)*cgeo*fn against the motion while they slide, at most peak*mu(0)*cgeo*fn while they stick, fn = fn_max*f_normalized; losses tau*w. [MSL]"
  variable phi : rad = flange_a.phi - phi_support "angle of the shaft relative to the housing"
  variable tau : N*m "friction torque"
  variable w : rad/s = der(phi) "speed"
  variable a : rad/s^2 = der(w) "acceleration"
  flange_b.phi = flange_a.phi
  flange_a.tau + flange_b.tau = tau
  w_relfric = w
  a_relfric = a
  tau = torque
  lossPower = tau * w_relfric
end

model OneWayClutch extends CompliantWithRelativeStates, thermal.ElementaryConditionalHeatPortWithoutT
  """A clutch beside a freewheel: flange_b cannot turn slower than flange_a. While w_rel > 0 the discs slide with tau = mu(w_rel)*cgeo*fn; while
  stuck, w_rel = 0 and tau is whatever it has to be, up to peak*mu(0)*cgeo*fn forward (with open discs a ten-thousandth of
  mu(0)*cgeo*fn_max), without limit backward. What is hit forward while stuck slides. [MSL]"""
  parameter mu_pos[:, 2] = [0, 0.5] "rows of speed (rad/s, >= 0) and sliding friction coefficient"
  parameter smoothness : blocks.Smoothness = blocks.Smoothness.LinearSegments "how mu_pos goes from row to row"
  parameter peak(min = 1) : 1 = 1 "largest coefficient at speed 0 as a multiple of the sliding one there"
  parameter cgeo(min = 0) : m = 1 "lever of the friction force, of all discs together"
  parameter fn_max(min = 0, start = 1) : N "normal force at f_normalized = 1"
  parameter w_small : rad/s = 1e10 "speed beyond which a jump of the speed is sliding, as one beyond rounding is anyway"
  input f_normalized : 1 "normal force as a part of fn_max; without contact where <= 0"
  variable u : 1 = f_normalized "normal force as a part of fn_max"
  variable mu : 1 = blocks.table_value(w_rel, mu_pos, 2, smoothness) "friction coefficient"
  variable fn : N = if free then 0 else fn_max * u "normal force"
  variable startForward(start = false) : Boolean "sliding starts from w_rel = 0"
  variable locked(start = false) : Boolean "w_rel = 0 and no sliding starts"
  variable stuck(start = false) : Boolean "w_rel = 0: locked, or sliding starts"
  private constant eps0 : 1 = 1e-4 "relative hysteresis"
  private constant w_eps : rad/s = 1e-6 "slower is at rest, at the start"
  private constant unitInertia : kg*m^2 = 1
  private parameter mu0 : 1 = blocks.table_value(0, mu_pos, 2, smoothness) "coefficient at w_rel = 0"
  private variable w_rest(start = 1e-6, fixed) : rad/s "while stuck, slower is rounding: its zero is known to the resolution of time"
  private variable stray : rad/s "the speed while stuck; where sliding starts, a thousandth of it: that may run back a little first"
  private variable struck : Boolean = stray > pre(w_rest) "what was stuck has been set in motion"
  private variable free : Boolean = u <= 0 "the discs do not touch"
  private variable tau0 : N*m = mu0 * cgeo * fn "sliding torque at w_rel = 0"
  private variable tau0_max : N*m = if free then eps0 * mu0 * cgeo * fn_max else max(peak, 1 + eps0) * tau0 "largest torque while locked"
  private variable sa : N*m "position on the curve: the torque while locked"
  stray = if not pre(stuck) then 0 elseif pre(startForward) then 1e-3 * w_rel else w_rel
  assert not initial() or noEvent(w_rel >= -w_eps), "flange_b starts slower than flange_a, which the freewheel does not allow", w_rel
  startForward = pre(stuck) and (sa > tau0_max or pre(startForward) and sa > tau0 or struck or w_rel > w_small) or initial() and w_rel > 0
  locked = pre(stuck) and not startForward
  stuck = locked or w_rel <= 0
  when stuck
    w_rest = w_eps + 1e-14 * noEvent(abs(time * a_rel))
  elsewhen locked
    w_rest = noEvent(max(pre(w_rest), 2 * abs(w_rel)))
  end
  unitInertia * a_rel = if locked then 0 else sa - tau0_max
  tau = if locked then sa elseif free then 0 else mu * cgeo * fn
  lossPower = if stuck then 0 else tau * w_rel
end

model ElastoBacklash extends CompliantWithRelativeStates, thermal.ElementaryConditionalHeatPortWithoutT
  """Spring and damper with backlash: no torque while |phi_rel - phi_rel0| < b/2; beyond, tau = c*(phi_rel - phi_rel0 -/+ b/2) + d*w_rel with the
  damping torque at most as large as the spring's, and never pulling, so that the torque is continuous. Initially the dead band is a soft
  spring c/3 up to 3/4*b, so that a torque determines the angle. [MSL]"""
  parameter c(min = 0, start = 1e5) : N*m/rad "stiffness, > 0"
  parameter d(min = 0, start = 0) : N*m*s/rad "damping constant"
  parameter b(min = 0) : rad = 0 "total backlash"
  parameter phi_rel0 : rad = 0 "relative angle in the middle of the backlash"
  private constant bEps : rad = 1e-10 "smaller backlashes are none"
  private parameter bMax : rad = b / 2
  private variable phi_diff : rad = phi_rel - phi_rel0
  private variable tau_c : N*m "spring torque"
  private variable tau_d : N*m = d * w_rel "damping torque"
  private variable damping : N*m "part of the damping torque that acts"
  tau_c = if initial() then (if phi_diff > 1.5 * bMax then c * (phi_diff - bMax) elseif phi_diff < -1.5 * bMax then c * (phi_diff + bMax) else c / 3 * phi_diff)
    elseif b <= bEps then c * phi_diff
    elseif phi_diff > bMax then c * (phi_diff - bMax)
    elseif phi_diff < -bMax then c * (phi_diff + bMax)
    else 0
  damping = if initial() or b <= bEps then tau_d
    elseif phi_diff > bMax then noEvent(max(min(tau_c, tau_d), -tau_c))
    elseif phi_diff < -bMax then noEvent(min(max(tau_c, tau_d), -tau_c))
    else 0
  tau = tau_c + damping
  lossPower = damping * w_rel
end

model ElastoBacklash2 extends CompliantWithRelativeStates, thermal.ElementaryConditionalHeatPortWithoutT
  """As ElastoBacklash, with the whole damping torque from the first contact on: tau = c*(phi_rel - phi_rel0 -/+ b/2) + d*w_rel where that does not
  pull, else 0. The torque jumps at contact, and contact ends before the spring is relaxed. [MSL]"""
  parameter c(min = 0, start = 1e5) : N*m/rad "stiffness, > 0"
  parameter d(min = 0, start = 0) : N*m*s/rad "damping constant"
  parameter b(min = 0) : rad = 0 "total backlash"
  parameter phi_rel0 : rad = 0 "relative angle in the middle of the backlash"
  private constant bEps : rad = 1e-10 "smaller backlashes are none"
  private parameter bMax : rad = b / 2
  private variable phi_diff : rad = phi_rel - phi_rel0
  private variable tau_c : N*m "spring torque"
  private variable tau_d : N*m = d * w_rel "damping torque"
  private variable contact : Boolean "the damping torque acts"
  tau_c = if initial() then (if phi_diff > 1.5 * bMax then c * (phi_diff - bMax) elseif phi_diff < -1.5 * bMax then c * (phi_diff + bMax) else c / 3 * phi_diff)
    elseif b <= bEps then c * phi_diff
    elseif phi_diff > bMax then c * (phi_diff - bMax)
    elseif phi_diff < -bMax then c * (phi_diff + bMax)
    else 0
  contact = initial() or b <= bEps or phi_diff > bMax and tau_c + tau_d > 0 or phi_diff < -bMax and tau_c + tau_d < 0
  tau = if contact then tau_c + tau_d else 0
  lossPower = if contact then tau_d * w_rel else 0
end

model LossyGear extends TwoFlangesAndSupport, thermal.ElementaryConditionalHeatPortWithoutT
  """Gear with losses: phi_a = ratio*phi_b, tau_b + ratio*(tau_a - tauLoss) = 0. While it rolls, tauLoss = (1 - eta_mf1)*tau_a + tau_bf1 where flange_a
  drives (its torque less the bearing's has the direction of the motion), (1 - 1/eta_mf2)*tau_a + tau_bf2 where flange_b drives; backward with the
  bearing friction's other sign. While stuck, tauLoss = sa is whatever keeps it so, between those limits at w_a = 0; hit or thrown back
  (`reinit`), it rolls. A lossTable of [0, 1, 1, 0, 0] makes an ideal gear. [Pelchen, Schweiger, Otter 2002; MSL]"""
  parameter ratio(start = 1) : 1 "transmission ratio phi_a/phi_b, not 0"
  parameter lossTable[:, 5] = [0, 1, 1, 0, 0] "rows of |w_a| (rad/s), eta_mf1, eta_mf2 (1), |tau_bf1|, |tau_bf2| (N*m)"
  parameter smoothness : blocks.Smoothness = blocks.Smoothness.LinearSegments "how lossTable goes from row to row"
  variable phi_a : rad = flange_a.phi - phi_support "angle of the left shaft relative to the housing"
  variable phi_b : rad = flange_b.phi - phi_support "angle of the right shaft relative to the housing"
  variable w_a : rad/s = der(phi_a) "speed of the left shaft"
  variable a_a : rad/s^2 = der(w_a) "its acceleration"
  variable sa : N*m "position on the curve: the torque loss while stuck"
  variable eta_mf1 : 1 = blocks.table_value(noEvent(abs(w_a)), lossTable, 2, smoothness) "mesh efficiency where flange_a drives"
  variable eta_mf2 : 1 = blocks.table_value(noEvent(abs(w_a)), lossTable, 3, smoothness) "mesh efficiency where flange_b drives"
  variable tau_bf1 : N*m = noEvent(abs(blocks.table_value(abs(w_a), lossTable, 4, smoothness))) "bearing friction on the left shaft where flange_a drives"
  variable tau_bf2 : N*m = noEvent(abs(blocks.table_value(abs(w_a), lossTable, 5, smoothness))) "bearing friction on the left shaft where flange_b drives"
  variable tau_bf_a : N*m "bearing friction of flange_a: from tau_bf1 = eta_mf1*tau_bf_a + x, tau_bf2 = tau_bf_a/eta_mf2 + x; half of it where the mesh has no losses"
  variable tau_eta : N*m "its sign tells which side drives; 0 while locked, where none does"
  variable quadrant1 : N*m = (1 - eta_mf1) * flange_a.tau + tau_bf1 "loss forward, flange_a drives"
  variable quadrant2 : N*m = (1 - 1 / eta_mf2) * flange_a.tau + tau_bf2 "loss forward, flange_b drives"
  variable quadrant3 : N*m = (1 - eta_mf1) * flange_a.tau - tau_bf1 "loss backward, flange_a drives"
  variable quadrant4 : N*m = (1 - 1 / eta_mf2) * flange_a.tau - tau_bf2 "loss backward, flange_b drives"
  variable quadrant1_p : N*m = (1 - eta_mf1_0) * flange_a.tau + tau_bf1_0 "quadrant1 at w_a = 0"
  variable quadrant2_p : N*m = (1 - 1 / eta_mf2_0) * flange_a.tau + tau_bf2_0 "quadrant2 at w_a = 0"
  variable quadrant3_m : N*m = (1 - eta_mf1_0) * flange_a.tau - tau_bf1_0 "quadrant3 at w_a = 0"
  variable quadrant4_m : N*m = (1 - 1 / eta_mf2_0) * flange_a.tau - tau_bf2_0 "quadrant4 at w_a = 0"
  variable tau_eta_p : N*m = flange_a.tau - tau_bf_a_0 "tau_eta at w_a = 0, forward"
  variable tau_eta_m : N*m = flange_a.tau + tau_bf_a_0 "tau_eta at w_a = 0, backward"
  variable tauLossMax : N*m = if tau_etaPos then quadrant1 else quadrant2 "loss forward"
  variable tauLossMin : N*m = if tau_etaPos then quadrant4 else quadrant3 "loss backward"
  variable tauLossMax_p : N*m = noEvent(if tau_eta_p > 0 then quadrant1_p else quadrant2_p) "loss at which it starts forward"
  variable tauLossMin_m : N*m = noEvent(if tau_eta_m > 0 then quadrant4_m else quadrant3_m) "loss at which it starts backward"
  variable tauLoss : N*m "torque loss on the left shaft"
  variable tau_etaPos(start = true) : Boolean = tau_eta >= 0 "tau_eta is not negative"
  variable tau_aPos(start = true) : Boolean = tau_etaPos "the same"
  variable startForward(start = false) : Boolean "forward rolling starts"
  variable startBackward(start = false) : Boolean "backward rolling starts"
  variable locked(start = false) : Boolean "w_a = 0 and no rolling starts"
  variable ideal : Boolean = without_loss "the gear has no losses"
  variable mode(min = -1, max = 3, start = 2, fixed) : Integer "-1 backward rolling, 0 stuck, 1 forward rolling, 2 without losses, 3 unknown"
  constant Unknown : Integer = 3 "mode not known yet"
  constant Free : Integer = 2 "mode: without losses"
  constant Forward : Integer = 1 "mode: w_a > 0"
  constant Stuck : Integer = 0 "mode: w_a = 0"
  constant Backward : Integer = -1 "mode: w_a < 0"
  private constant unitInertia : kg*m^2 = 1
  private parameter without_loss : Boolean = size(lossTable, 1) == 1 and lossTable[1, 2] == 1 and lossTable[1, 3] == 1 and lossTable[1, 4] == 0 and lossTable[1, 5] == 0
  private parameter eta_mf1_0 : 1 = blocks.table_value(0, lossTable, 2, smoothness)
  private parameter eta_mf2_0 : 1 = blocks.table_value(0, lossTable, 3, smoothness)
  private parameter tau_bf1_0 : N*m = abs(blocks.table_value(0, lossTable, 4, smoothness))
  private parameter tau_bf2_0 : N*m = abs(blocks.table_value(0, lossTable, 5, smoothness))
  private parameter tau_bf_a_0 : N*m = if eta_mf1_0 == 1 and eta_mf2_0 == 1 then tau_bf1_0 / 2 else (tau_bf1_0 - tau_bf2_0) / (eta_mf1_0 - 1 / eta_mf2_0)
  private variable w_rest(start = 1e-6, fixed) : rad/s "while stuck, slower is rounding: its zero is known to the resolution of time"
  private variable stray : rad/s "the speed while stuck; where sliding starts, a thousandth of it: that may run back a little first"
  private variable struck : Integer "direction in which what was stuck has been set in motion"
  private variable forward : Boolean = startForward or pre(mode) == Forward "rolls forward unless locked"
  stray = if pre(mode) != Stuck then 0 elseif pre(startForward) or pre(startBackward) then 1e-3 * w_a else w_a
  struck = if stray > pre(w_rest) then 1 elseif stray < -pre(w_rest) then -1 else 0
  assert abs(ratio) > 0, "the ratio must not be 0"
  assert sum(if lossTable[k, 2] == 1 and lossTable[k, 3] == 1 then abs(abs(lossTable[k, 4]) - abs(lossTable[k, 5])) else 0 for k in 1:size(lossTable, 1)) == 0,
      "where the mesh has no losses (eta_mf1 = eta_mf2 = 1) the bearing friction cannot depend on which side drives: tau_bf1 and tau_bf2 must be equal"
  phi_a = ratio * phi_b
  flange_b.tau + ratio * (flange_a.tau - tauLoss) = 0
  tau_bf_a = noEvent(if abs(eta_mf1 - 1) < 1e-15 and abs(eta_mf2 - 1) < 1e-15 then tau_bf1 / 2 else (tau_bf1 - tau_bf2) / (eta_mf1 - 1 / eta_mf2))
  tau_eta = if locked then 0 elseif ideal then flange_a.tau elseif forward then flange_a.tau - tau_bf_a else flange_a.tau + tau_bf_a
  startForward = struck > 0 or pre(mode) == Stuck and struck == 0 and sa > tauLossMax_p or initial() and w_a > 0
  startBackward = struck < 0 or pre(mode) == Stuck and struck == 0 and sa < tauLossMin_m or initial() and w_a < 0
  locked = not (ideal or pre(mode) == Forward or startForward or pre(mode) == Backward or startBackward)
  tauLoss = if ideal then 0 elseif locked then sa elseif forward then tauLossMax else tauLossMin
  unitInertia * a_a = if locked then 0 else sa - tauLoss
  mode = if ideal then Free
    elseif (pre(mode) == Forward or startForward) and w_a > 0 then Forward
    elseif (pre(mode) == Backward or startBackward) and w_a < 0 then Backward
    else Stuck
  when mode == Stuck
    w_rest = 1e-6 [rad/s] + 1e-14 * noEvent(abs(time * a_a))
  elsewhen locked
    w_rest = noEvent(max(pre(w_rest), 2 * abs(w_a)))
  end
  lossPower = tauLoss * w_a
end
