// thermal/interfaces.eq: the heat port and what components share.
//   Heat flows are positive into a port. Names and signs as in MSL 4.0.0, Thermal.HeatTransfer.

connector HeatPort "heat port"
  potential T(start = 293.15, min = 0) : K "temperature" @hint("connect the port to something that fixes or stores heat")
  flow Q_flow : W "heat flow rate into the component"
end

partial model Element1D
  "Heat conductor without storage: Q_flow goes in at port_a and out at port_b, dT = port_a.T - port_b.T. [MSL]"
  port_a, port_b : HeatPort
  variable Q_flow : W "heat flow rate from port_a to port_b"
  variable dT : K = port_a.T - port_b.T "temperature drop"
  port_a.Q_flow = Q_flow
  port_b.Q_flow = -Q_flow
end

partial model ElementaryConditionalHeatPortWithoutT
  "Losses leave through heatPort where useHeatPort; else they are only reported. [MSL]"
  parameter useHeatPort : Boolean = false "true: heatPort is enabled"
  heatPort : HeatPort if useHeatPort "takes the losses up"
  variable lossPower : W "losses, positive out of the component as heat"
  if useHeatPort
    heatPort.Q_flow = -lossPower
  end
end

partial model ElementaryConditionalHeatPort extends ElementaryConditionalHeatPortWithoutT
  "The same for a component that needs its temperature TheatPort: that of heatPort, else T. [MSL]"
  parameter T : K = 293.15 "temperature where useHeatPort = false"
  variable TheatPort : K "temperature of the component"
  if useHeatPort
    heatPort.T = TheatPort
  else
    TheatPort = T
  end
end
