// electrical/ideal.eq: ideal operational amplifiers.

model IdealOpAmp
  "Nullator and norator: v1 = 0, i1 = 0; v2 and i2 are whatever the circuit makes them. [MSL]"
  p1, n1, p2, n2 : Pin
  variable v1 : V = p1.v - n1.v "voltage from p1 to n1"
  variable v2 : V = p2.v - n2.v "voltage from p2 to n2"
  variable i1 : A = p1.i "current from p1 to n1"
  variable i2 : A = p2.i "current from p2 to n2"
  p1.i + n1.i = 0
  p2.i + n2.i = 0
  v1 = 0
  i1 = 0
end

model IdealOpAmp3Pin
  "Nullator and norator with a grounded output: in_p.v = in_n.v, no input currents; the output is whatever the circuit makes it. [MSL]"
  in_p : Pin "non-inverting input"
  in_n : Pin "inverting input"
  out : Pin "output"
  in_p.v = in_n.v
  in_p.i = 0
  in_n.i = 0
end

model IdealizedOpAmpLimited
  "Operational amplifier with large gain: out.v = V0*(in_p.v - in_n.v), kept between the supply voltages; no input currents. [MSL]"
  parameter V0 : 1 = 15000 "no-load amplification"
  parameter useSupply : Boolean = false "true: the supply are the pins s_p and s_n, else it is Vps and Vns"
  parameter Vps : V = 15 "positive supply voltage"
  parameter Vns : V = -15 "negative supply voltage"
  parameter strict : Boolean = true "without effect: reaching a limit is an event always, as the output may jump there (positive feedback)"
  parameter homotopyType : blocks.LimiterHomotopy = blocks.LimiterHomotopy.NoHomotopy "what stands for the output at first while initialising"
  in_p : Pin "non-inverting input"
  in_n : Pin "inverting input"
  out : Pin "output"
  s_p : Pin if useSupply "positive supply"
  s_n : Pin if useSupply "negative supply"
  variable vps : V "positive supply voltage"
  variable vns : V "negative supply voltage"
  variable v_in : V = in_p.v - in_n.v "input voltage"
  variable v_out : V = out.v "output voltage to ground"
  variable p_in : W = in_p.v * in_p.i + in_n.v * in_n.i "input power"
  variable p_out : W = out.v * out.i "output power"
  variable p_s : W = -(p_in + p_out) "supply power"
  variable i_s : A = p_s / (vps - vns) "supply current"
  in_p.i = 0
  in_n.i = 0
  private variable simplified : V =
    if homotopyType == blocks.LimiterHomotopy.Linear then V0 * v_in
    elseif homotopyType == blocks.LimiterHomotopy.UpperLimit then vps
    elseif homotopyType == blocks.LimiterHomotopy.LowerLimit then vns
    else 0
  if homotopyType == blocks.LimiterHomotopy.NoHomotopy
    v_out = blocks.clip(V0 * v_in, vns, vps)
  else
    v_out = homotopy(blocks.clip(V0 * v_in, vns, vps), simplified)
  end
  if useSupply
    s_p.v = vps
    s_n.v = vns
    s_p.i = i_s
    s_n.i = -i_s
  else
    vps = Vps
    vns = Vns
  end
end

model IdealOpAmpLimited
  "Ideal operational amplifier with limited output, as a curve in s: for |s| < 1 the input voltage is 0 and the output runs from VMin to VMax; beyond, the output stands and the input voltage is s -/+ 1. [MSL]"
  in_p : Pin "non-inverting input"
  in_n : Pin "inverting input"
  out : Pin "output"
  VMax : Pin "upper limit of the output"
  VMin : Pin "lower limit of the output"
  variable vin : V = in_p.v - in_n.v "input voltage"
  private constant unitVoltage : V = 1
  private variable s(start = 0) : 1 "position on the curve"
  in_p.i = 0
  in_n.i = 0
  VMax.i = 0
  VMin.i = 0
  vin = unitVoltage * (if s > 1 then s - 1 elseif s < -1 then s + 1 else 0)
  out.v = (VMax.v + VMin.v) / 2 + (VMax.v - VMin.v) / 2 * blocks.clip(s, -1, 1)
end

model Idle extends OnePort "Open branch: i = 0. [MSL]"
  i = 0
end

model Short extends OnePort "Short-circuit: v = 0. [MSL]"
  v = 0
end
