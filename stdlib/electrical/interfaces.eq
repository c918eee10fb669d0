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
