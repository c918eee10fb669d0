// electrical/basic.eq: resistors, capacitors, inductors, couplings, machines.
//   relax: the voltage-controlled elements are solved for their currents, which gives modified nodal analysis [Otter, Elmqvist, Cellier,
//   "Relaxing", CESA'96, section 6].

model Ground "Reference potential: p.v = 0. [MSL]"
  p : Pin
  p.v = 0
end

model Resistor extends OnePort, ConditionalHeatPort(T = T_ref)
  "Ohm's law: R_actual*i = v, R_actual = R*(1 + alpha*(T_heatPort - T_ref)). Losses v*i. [MSL]"
  parameter R(start = 1) : Ohm "resistance at T_ref"
  parameter T_ref : K = 300.15 "reference temperature"
  parameter alpha : 1/K = 0 "temperature coefficient of the resistance"
  variable R_actual : Ohm = R * (1 + alpha * (T_heatPort - T_ref)) "resistance"
  assert 1 + alpha * (T_heatPort - T_ref) > 0, "the temperature is outside the range of the model", T_heatPort
  R_actual * i = relax(p.v) - relax(n.v)
  LossPower = v * i
end

model Conductor extends OnePort, ConditionalHeatPort(T = T_ref)
  "Ohm's law: i = G_actual*v, G_actual = G/(1 + alpha*(T_heatPort - T_ref)). Losses v*i. [MSL]"
  parameter G(start = 1) : S "conductance at T_ref"
  parameter T_ref : K = 300.15 "reference temperature"
  parameter alpha : 1/K = 0 "temperature coefficient of the resistance"
  variable G_actual : S = G / (1 + alpha * (T_heatPort - T_ref)) "conductance"
  assert 1 + alpha * (T_heatPort - T_ref) > 0, "the temperature is outside the range of the model", T_heatPort
  i = G_actual * (relax(p.v) - relax(n.v))
  LossPower = v * i
end

model Capacitor extends OnePort(v(start = 0))
  "C*dv/dt = i. [MSL]"
  parameter C(min = 0, start = 1) : F "capacitance"
  C * relax(der(v)) = i
end

model Inductor extends OnePort(i(start = 0))
  "L*di/dt = v. [MSL]"
  parameter L(min = 0, start = 1) : H "inductance"
  L * der(i) = v
end

model VariableResistor extends OnePort, ConditionalHeatPort(T = T_ref)
  "Ohm's law with the resistance R as a signal: R_actual*i = v. [MSL]"
  parameter T_ref : K = 300.15 "reference temperature"
  parameter alpha : 1/K = 0 "temperature coefficient of the resistance"
  input R : Ohm "resistance at T_ref"
  variable R_actual : Ohm = R * (1 + alpha * (T_heatPort - T_ref)) "resistance"
  R_actual * i = relax(p.v) - relax(n.v)
  LossPower = v * i
end

model VariableConductor extends OnePort, ConditionalHeatPort(T = T_ref)
  "Ohm's law with the conductance G as a signal: i = G_actual*v. [MSL]"
  parameter T_ref : K = 300.15 "reference temperature"
  parameter alpha : 1/K = 0 "temperature coefficient of the resistance"
  input G : S "conductance at T_ref"
  variable G_actual : S = G / (1 + alpha * (T_heatPort - T_ref)) "conductance"
  i = G_actual * (relax(p.v) - relax(n.v))
  LossPower = v * i
end

model VariableCapacitor extends OnePort
  "Capacitance C as a signal: dQ/dt = i, Q = max(C, Cmin)*v. [MSL]"
  parameter Cmin(min = 0) : F = 2.2e-16 "least capacitance"
  parameter IC : V = 0 "start voltage where UIC"
  parameter UIC : Boolean = false "true: the start voltage is IC"
  input C : F "capacitance"
  variable Q : C = noEvent(max(C, Cmin)) * v "charge"
  der(Q) = i
  initial if UIC
    v = IC
  end
end

model VariableInductor extends OnePort
  "Inductance L as a signal: dPsi/dt = v, Psi = max(L, Lmin)*i. [MSL]"
  parameter Lmin(min = 0) : H = 2.2e-16 "least inductance"
  parameter IC : A = 0 "start current where UIC"
  parameter UIC : Boolean = false "true: the start current is IC"
  input L : H "inductance"
  variable Psi : V*s = max(L, Lmin) * i "flux linkage"
  der(Psi) = v
  initial if UIC
    i = IC
  end
end

model SaturatingInductor extends OnePort(i(start = 0))
  "Inductor with saturation: v = dPsi/dt, Psi = Linf*i + (Lzer - Linf)*Ipar*atan(i/Ipar). Ipar is such that Psi/i = Lnom at Inom. [MSL]"
  parameter Inom(start = 1) : A "nominal current"
  parameter Lnom(start = 1) : H "inductance at Inom"
  parameter Lzer(start = 2) : H "inductance near i = 0, > Lnom"
  parameter Linf(start = 0.5) : H "inductance at large currents, < Lnom"
  private parameter Ipar(start = Inom / 10, fixed = false) : A "scale of the current"
  variable Lact(start = Lzer) : H "inductance Psi/i"
  variable Psi : V*s "flux linkage"
  initial (Lnom - Linf) / (Lzer - Linf) = Ipar / Inom * (pi / 2 - atan(Ipar / Inom))
  assert Lzer > Lnom, "Lzer must be larger than Lnom", Lzer, Lnom
  assert Linf < Lnom, "Linf must be smaller than Lnom", Linf, Lnom
  Lact = Linf + (Lzer - Linf) * noEvent(if abs(i) < 1e-9 * Ipar then 1 else atan(i / Ipar) / (i / Ipar))
  Psi = Linf * i + (Lzer - Linf) * Ipar * atan(i / Ipar)
  v = der(Psi)
end

model Transformer extends TwoPort(i1(start = 0), i2(start = 0))
  "Coupled inductors: v1 = L1*di1/dt + M*di2/dt, v2 = M*di1/dt + L2*di2/dt. [MSL]"
  parameter L1(start = 1) : H "primary inductance"
  parameter L2(start = 1) : H "secondary inductance"
  parameter M(start = 1) : H "mutual inductance"
  variable dv : V = v1 - v2 "difference of the voltages"
  v1 = L1 * der(i1) + M * der(i2)
  v2 = M * der(i1) + L2 * der(i2)
end

model IdealTransformer extends TwoPort
  "Ideal transformer: v1 = n*v2, i1 + i2/n = im1, the magnetizing current: 0, or Lm1*dim1/dt = v1. [MSL]"
  parameter n(start = 1) : 1 "turns ratio, primary to secondary"
  parameter considerMagnetization : Boolean = false "true: there is a magnetizing current"
  parameter Lm1(start = 1) : H "magnetizing inductance seen from the primary side"
  private variable im1 : A = i1 + i2 / n "magnetizing current seen from the primary side"
  private variable psim1 : V*s "flux linkage seen from the primary side"
  v1 = n * v2
  if considerMagnetization
    psim1 = Lm1 * im1
    v1 = der(psim1)
  else
    psim1 = 0
    im1 = 0
  end
end

model Gyrator extends TwoPort
  "i1 = G2*v2, i2 = -G1*v1. [Tellegen 1948; MSL]"
  parameter G1(start = 1) : S "gyration conductance from port 1 to port 2"
  parameter G2(start = 1) : S "gyration conductance from port 2 to port 1"
  i1 = G2 * v2
  i2 = -G1 * v1
end

model RotationalEMF
  "Electric machine: k*w = v, tau = -k*i is the torque into the flange; w and phi are relative to the housing. [MSL]"
  parameter useSupport : Boolean = false "true: the housing is the flange support, else it is fixed"
  parameter k(start = 1) : N*m/A "torque constant"
  p, n : Pin
  flange : rotational.Flange "shaft"
  support : rotational.Flange if useSupport "housing"
  private variable phi_support : rad "angle of the housing"
  variable v : V = p.v - n.v "voltage from p to n"
  variable i : A = p.i "current from p to n"
  variable phi : rad = flange.phi - phi_support "angle relative to the housing"
  variable w : rad/s = der(phi) "speed relative to the housing"
  variable tau : N*m = flange.tau "torque into the flange"
  variable tauElectrical : N*m = -tau "torque of the machine"
  p.i + n.i = 0
  k * w = v
  tau = -k * i
  if useSupport
    support.phi = phi_support
    support.tau = -tau
  else
    phi_support = 0
  end
end

model TranslationalEMF
  "Electric linear drive: k*vel = v, f = -k*i is the force into the flange; vel and s are relative to the housing. [MSL]"
  parameter useSupport : Boolean = false "true: the housing is the flange support, else it is fixed"
  parameter k(start = 1) : N/A "force constant"
  p, n : Pin
  flange : translational.Flange "rod"
  support : translational.Flange if useSupport "housing"
  private variable s_support : m "position of the housing"
  variable v : V = p.v - n.v "voltage from p to n"
  variable i : A = p.i "current from p to n"
  variable s : m = flange.s - s_support "position relative to the housing"
  variable vel : m/s = der(s) "speed relative to the housing"
  variable f : N = flange.f "force into the flange"
  variable fElectrical : N = -f "force of the drive"
  p.i + n.i = 0
  k * vel = v
  f = -k * i
  if useSupport
    support.s = s_support
    support.f = -f
  else
    s_support = 0
  end
end
