// electrical/semiconductors.eq: diodes and transistors.
//   Exponentials go on as straight lines beyond a largest exponent, so that a Newton step cannot overflow: without events, as a branch that is held
//   would.

constant boltzmann : J/K = 1.380649e-23 "Boltzmann constant [SI]"
constant elementary_charge : C = 1.602176634e-19 "elementary charge [SI]"

// exp(x), for x > x_max on along the tangent at x_max; exlin2: for x < x_min along the tangent at x_min too.
function exlin(x, x_max) = noEvent(exp(min(x, x_max)) * (1 + max(x - x_max, 0)))
function exlin2(x, x_min, x_max) = noEvent(exp(max(x_min, min(x, x_max))) * (1 + max(x - x_max, 0) + min(x - x_min, 0)))
// (1 - x)^-y, for x > 0 on along the tangent at 0.
function powlin(x, y) = noEvent((1 - min(x, 0))^(-y) + y * max(x, 0))

model Diode extends OnePort, ConditionalHeatPort(useHeatPort = useTemperatureDependency)
  "Shockley's law with a parallel resistance: i = Ids*(exp(v/Vt) - 1) + v/R from p (anode) to n; beyond v/Vt = Maxexp on along the tangent. [Shockley 1949; MSL]"
  parameter Ids : A = 1e-6 "saturation current"
  parameter useTemperatureDependency : Boolean = false "true: the current depends on the temperature, Vt is not used"
  parameter Vt : V = 0.04 "thermal voltage n*k*T/q"
  parameter Maxexp(min = 0) : 1 = 15 "largest exponent"
  parameter R : Ohm = 1e8 "parallel resistance"
  parameter EG : V = 1.11 "band gap"
  parameter N : 1 = 1 "emission coefficient"
  parameter TNOM : K = 300.15 "temperature at which Ids holds"
  parameter XTI : 1 = 3 "temperature exponent of the saturation current"
  variable vt_t : V = boltzmann * T_heatPort / elementary_charge "thermal voltage at the temperature"
  variable id : A "current of the junction at TNOM"
  assert T_heatPort > 0, "the temperature must be positive", T_heatPort
  if useTemperatureDependency
    id = Ids * (exlin(v / (N * vt_t), Maxexp) - 1)
    i = id * (T_heatPort / TNOM)^(XTI / N) * exp((T_heatPort / TNOM - 1) * EG / (N * vt_t)) + v / R
  else
    id = Ids * (exlin(v / Vt, Maxexp) - 1)
    i = id + v / R
  end
  LossPower = v * i
end

model ZDiode extends OnePort, ConditionalHeatPort
  "Zener diode: i = Ids*(exp(v/Vt) - 1) - Ibv*exp(-(v + Bv)/(Nbv*Vt)) + v/R; both exponentials beyond Maxexp on along the tangent. [MSL]"
  parameter Ids : A = 1e-6 "saturation current"
  parameter Vt : V = 0.04 "thermal voltage n*k*T/q"
  parameter Maxexp(min = 0) : 1 = 30 "largest exponent"
  parameter R : Ohm = 1e8 "parallel resistance"
  parameter Bv : V = 5.1 "breakthrough voltage"
  parameter Ibv : A = 0.7 "breakthrough knee current"
  parameter Nbv : 1 = 0.74 "breakthrough emission coefficient"
  i = Ids * (exlin(v / Vt, Maxexp) - 1) - Ibv * exlin(-(v + Bv) / (Nbv * Vt), Maxexp) + v / R
  LossPower = v * i
end

partial model BipolarTransistor extends ConditionalHeatPort(useHeatPort = useTemperatureDependency)
  "What NPN and PNP share: parameters and their temperature dependence, the pins, the substrate."
  parameter Bf : 1 = 50 "forward beta"
  parameter Br : 1 = 0.1 "reverse beta"
  parameter Is : A = 1e-16 "transport saturation current"
  parameter Vak : 1/V = 0.02 "inverse Early voltage"
  parameter Tauf : s = 0.12e-9 "forward transit time"
  parameter Taur : s = 5e-9 "reverse transit time"
  parameter Ccs : F = 1e-12 "collector-substrate capacitance"
  parameter Cje : F = 0.4e-12 "base-emitter depletion capacitance at 0 V"
  parameter Cjc : F = 0.5e-12 "base-collector depletion capacitance at 0 V"
  parameter Phie : V = 0.8 "base-emitter diffusion voltage"
  parameter Me : 1 = 0.4 "base-emitter gradation exponent"
  parameter Phic : V = 0.8 "base-collector diffusion voltage"
  parameter Mc : 1 = 0.333 "base-collector gradation exponent"
  parameter Gbc : S = 1e-15 "base-collector conductance"
  parameter Gbe : S = 1e-15 "base-emitter conductance"
  parameter EMin : 1 = -100 "smallest exponent; below on along the tangent"
  parameter EMax : 1 = 40 "largest exponent; above on along the tangent"
  parameter useTemperatureDependency : Boolean = false "true: Bf, Br, Is and Vt depend on the temperature"
  parameter Vt : V = 0.02585 "thermal voltage"
  parameter Tnom : K = 300.15 "temperature at which the parameters hold"
  parameter XTI : 1 = 3 "temperature exponent of Is"
  parameter XTB : 1 = 0 "temperature exponent of the betas"
  parameter EG : V = 1.11 "band gap"
  parameter NF : 1 = 1 "forward emission coefficient"
  parameter NR : 1 = 1 "reverse emission coefficient"
  parameter IC : V = 0 "start value of the collector-substrate voltage where UIC"
  parameter UIC : Boolean = false "true: the collector-substrate voltage starts at IC"
  parameter useSubstrate : Boolean = false "true: the substrate is the pin S, else it is grounded"
  C : Pin "collector"
  B : Pin "base"
  E : Pin "emitter"
  S : Pin if useSubstrate "substrate"
  variable vS : V "substrate potential"
  variable iS : A "substrate current"
  variable vcs : V = C.v - vS "collector-substrate voltage"
  variable hexp : 1 = (T_heatPort / Tnom - 1) * EG / vt_t "exponent of the temperature dependence of Is"
  variable htempexp : 1 = exlin2(hexp, EMin, EMax) "its exponential"
  variable is_t : A = if useTemperatureDependency then Is * (T_heatPort / Tnom)^XTI * htempexp else Is "transport saturation current"
  variable br_t : 1 = if useTemperatureDependency then Br * (T_heatPort / Tnom)^XTB else Br "reverse beta"
  variable bf_t : 1 = if useTemperatureDependency then Bf * (T_heatPort / Tnom)^XTB else Bf "forward beta"
  variable vt_t : V = if useTemperatureDependency then boltzmann * T_heatPort / elementary_charge else Vt "thermal voltage"
  assert T_heatPort > 0, "the temperature must be positive", T_heatPort
  iS = -Ccs * der(vcs)
  C.i + B.i + E.i + iS = 0
  if useSubstrate
    S.v = vS
    S.i = iS
  else
    vS = 0
  end
  initial if UIC
    vcs = IC
  end
end

model NPN extends BipolarTransistor
  "Bipolar transistor after Ebers and Moll, with Early effect, charge storage and depletion capacitances: ibe and ibc are the currents of the two junctions, C.i = (ibe - ibc)*qbk - ibc/Br, B.i = ibe/Bf + ibc/Br, and the charging currents. [Ebers, Moll 1954; MSL]"
  variable vbc : V = B.v - C.v "base-collector voltage"
  variable vbe : V = B.v - E.v "base-emitter voltage"
  variable qbk : 1 = 1 - vbc * Vak "inverse of the relative base charge"
  variable ibc : A = is_t * (exlin2(vbc / (NR * vt_t), EMin, EMax) - 1) + vbc * Gbc "base-collector junction current"
  variable ibe : A = is_t * (exlin2(vbe / (NF * vt_t), EMin, EMax) - 1) + vbe * Gbe "base-emitter junction current"
  variable Capcjc : F = Cjc * powlin(vbc / Phic, Mc) "base-collector depletion capacitance"
  variable Capcje : F = Cje * powlin(vbe / Phie, Me) "base-emitter depletion capacitance"
  variable cbc : F = Taur * is_t / (NR * vt_t) * exlin2(vbc / (NR * vt_t), EMin, EMax) + Capcjc "base-collector capacitance"
  variable cbe : F = Tauf * is_t / (NF * vt_t) * exlin2(vbe / (NF * vt_t), EMin, EMax) + Capcje "base-emitter capacitance"
  C.i = (ibe - ibc) * qbk - ibc / br_t - cbc * der(vbc) - iS
  B.i = ibe / bf_t + ibc / br_t + cbc * der(vbc) + cbe * der(vbe)
  LossPower = vbc * ibc / br_t + vbe * ibe / bf_t + (ibe - ibc) * qbk * (C.v - E.v)
end

model PNP extends BipolarTransistor
  "Bipolar transistor after Ebers and Moll, as NPN with the junction voltages and currents turned round: C.i = icb/Br - (ieb - icb)*qbk, B.i = -ieb/Bf - icb/Br, and the charging currents. [Ebers, Moll 1954; MSL]"
  variable vcb : V = C.v - B.v "collector-base voltage"
  variable veb : V = E.v - B.v "emitter-base voltage"
  variable qbk : 1 = 1 - vcb * Vak "inverse of the relative base charge"
  variable icb : A = is_t * (exlin2(vcb / (NR * vt_t), EMin, EMax) - 1) + vcb * Gbc "collector-base junction current"
  variable ieb : A = is_t * (exlin2(veb / (NF * vt_t), EMin, EMax) - 1) + veb * Gbe "emitter-base junction current"
  variable Capcjc : F = Cjc * powlin(vcb / Phic, Mc) "collector-base depletion capacitance"
  variable Capcje : F = Cje * powlin(veb / Phie, Me) "emitter-base depletion capacitance"
  variable ccb : F = Taur * is_t / (NR * vt_t) * exlin2(vcb / (NR * vt_t), EMin, EMax) + Capcjc "collector-base capacitance"
  variable ceb : F = Tauf * is_t / (NF * vt_t) * exlin2(veb / (NF * vt_t), EMin, EMax) + Capcje "emitter-base capacitance"
  C.i = icb / br_t + ccb * der(vcb) + (icb - ieb) * qbk - iS
  B.i = -ieb / bf_t - icb / br_t - ceb * der(veb) - ccb * der(vcb)
  LossPower = vcb * icb / br_t + veb * ieb / bf_t + (icb - ieb) * qbk * (C.v - E.v)
end

partial model FieldEffectTransistor extends ConditionalHeatPort(useHeatPort = useTemperatureDependency)
  "What NMOS and PMOS share: geometry, temperature dependence, the pins. No current flows into gate and bulk."
  parameter W : m = 20e-6 "width"
  parameter L : m = 6e-6 "length"
  parameter Beta : A/V^2 "transconductance parameter"
  parameter Vt : V "threshold voltage without bulk voltage"
  parameter K2 : 1 "bulk threshold parameter"
  parameter K5 : 1 "reduction of the pinch-off region"
  parameter dW : m = -2.5e-6 "narrowing of the channel"
  parameter dL : m "shortening of the channel"
  parameter RDS : Ohm = 1e7 "drain-source resistance"
  parameter useTemperatureDependency : Boolean = false "true: Beta, K2 and Vt depend on the temperature"
  parameter Tnom : K = 300.15 "temperature at which the parameters hold"
  parameter kvt : 1/K "temperature coefficient of Vt"
  parameter kk2 : 1/K "temperature coefficient of K2"
  D : Pin "drain"
  G : Pin "gate"
  S : Pin "source"
  B : Pin "bulk"
  private variable beta_t : A/V^2 = if useTemperatureDependency then Beta * (T_heatPort / Tnom)^-1.5 else Beta
  private variable vt_t : V = if useTemperatureDependency then Vt * (1 + (T_heatPort - Tnom) * kvt) else Vt
  private variable k2_t : 1 = if useTemperatureDependency then K2 * (1 + (T_heatPort - Tnom) * kk2) else K2
  private variable v : A/V^2 = beta_t * (W + dW) / (L + dL) "transconductance parameter of the channel"
  assert L + dL > 0, "the effective length must be positive", L, dL
  assert W + dW > 0, "the effective width must be positive", W, dW
  assert T_heatPort > 0, "the temperature must be positive", T_heatPort
  G.i = 0
  B.i = 0
  D.i + S.i = 0
  LossPower = D.i * (D.v - S.v)
end

model NMOS extends FieldEffectTransistor(Beta = 0.041e-3, Vt = 0.8, K2 = 1.144, K5 = 0.7311, dL = -1.5e-6, kvt = -6.96e-3, kk2 = 6e-4)
  "n-channel MOS transistor (Hodges-Shichman, drain and source by polarity): off where ugst < 0, id = v*uds*(ugst - uds/2) where uds < ugst, else v*ugst^2/2, plus uds/RDS. [Shichman, Hodges 1968; MSL]"
  private variable uds : V = max(D.v, S.v) - min(D.v, S.v) "channel voltage"
  private variable us : V = min(D.v, S.v) "potential of the acting source"
  private variable ugst : V = max((G.v - us - vt_t + k2_t * min(B.v - us, 0)) * K5, 0) "overdrive, 0 where off"
  private variable ux : V = min(uds, ugst) "channel voltage up to pinch-off"
  private variable id : A = v * ux * (ugst - ux / 2) + uds / RDS "channel current"
  D.i = noEvent(if D.v < S.v then -id else id)
end

model PMOS extends FieldEffectTransistor(Beta = 0.0105e-3, Vt = -1, K2 = 0.41, K5 = 0.839, dL = -2.1e-6, kvt = -2.9e-3, kk2 = 6.2e-4)
  "p-channel MOS transistor, as NMOS with all voltages and the current turned round. [Shichman, Hodges 1968; MSL]"
  private variable uds : V = min(D.v, S.v) - max(D.v, S.v) "channel voltage"
  private variable us : V = max(D.v, S.v) "potential of the acting source"
  private variable ugst : V = min((G.v - us - vt_t + k2_t * max(B.v - us, 0)) * K5, 0) "overdrive, 0 where off"
  private variable ux : V = max(uds, ugst) "channel voltage up to pinch-off"
  private variable id : A = -v * ux * (ugst - ux / 2) + uds / RDS "channel current"
  D.i = noEvent(if D.v > S.v then -id else id)
end
