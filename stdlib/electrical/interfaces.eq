// electrical/interfaces.eq: the pin and what components share.
//   Voltages are drops from p to n, currents are positive into a pin. Names and signs as in MSL 4.0.0, Electrical.Analog.

connector Pin "electrical pin"
  potential v : V "potential" @hint("potentials are fixed only up to a constant: ground one pin")
  flow i : A "current into the component"
end

partial model TwoPin "Two pins and the voltage v from p to n. [MSL]"
  p, n : Pin
  variable v : V = p.v - n.v "voltage from p to n"
end

partial model OnePort extends TwoPin "Two pins and one current: i goes in at p and out at n. [MSL]"
  variable i : A = p.i "current from p to n"
  p.i + n.i = 0
end

partial model TwoPort
  "Two pairs of pins: v1 and i1 from p1 to n1, v2 and i2 from p2 to n2. [MSL]"
  p1, n1, p2, n2 : Pin
  variable v1 : V = p1.v - n1.v "voltage from p1 to n1"
  variable v2 : V = p2.v - n2.v "voltage from p2 to n2"
  variable i1 : A = p1.i "current from p1 to n1"
  variable i2 : A = p2.i "current from p2 to n2"
  p1.i + n1.i = 0
  p2.i + n2.i = 0
end

partial model ConditionalHeatPort
  "A device whose losses leave through heatPort, at its temperature, where useHeatPort; else the device has the temperature T. [MSL]"
  parameter useHeatPort : Boolean = false "true: heatPort is enabled"
  parameter T : K = 293.15 "temperature of the device where useHeatPort = false"
  heatPort : thermal.HeatPort if useHeatPort "takes the losses up"
  variable LossPower : W "losses, positive out of the device as heat"
  variable T_heatPort : K "temperature of the device"
  if useHeatPort
    heatPort.T = T_heatPort
    heatPort.Q_flow = -LossPower
  else
    T_heatPort = T
  end
end

partial model IdealSemiconductor extends OnePort, ConditionalHeatPort
  """A curve of two straight lines through the knee (Vknee, Goff*Vknee), as a position s on it: blocking, s < 0, with the conductance Goff; conducting,
  s > 0, with the resistance Ron. Written in s both may be 0: ideal. [Clauss et al. 1995; MSL]"""
  parameter Ron(min = 0) : Ohm = 1e-5 "resistance while conducting"
  parameter Goff(min = 0) : S = 1e-5 "conductance while blocking"
  parameter Vknee(min = 0) : V = 0 "voltage of the knee"
  variable off(start = true) : Boolean "blocks"
  private constant unitVoltage : V = 1
  private constant unitCurrent : A = 1
  private variable s(start = 0) : 1 "position on the curve, 0 at the knee"
  v = s * (if off then unitVoltage else Ron * unitCurrent) + Vknee
  i = s * (if off then Goff * unitVoltage else unitCurrent) + Goff * Vknee
  LossPower = v * i
end

partial model IdealSwitch extends OnePort, ConditionalHeatPort
  "Resistance Ron while closed, conductance Goff while off; both may be 0. [MSL]"
  parameter Ron(min = 0) : Ohm = 1e-5 "resistance of the closed switch"
  parameter Goff(min = 0) : S = 1e-5 "conductance of the open switch"
  variable off : Boolean "open"
  private constant unitVoltage : V = 1
  private constant unitCurrent : A = 1
  private variable s : 1 "v or i, which is not nearly 0"
  v = s * (if off then unitVoltage else Ron * unitCurrent)
  i = s * (if off then Goff * unitVoltage else unitCurrent)
  LossPower = v * i
end
