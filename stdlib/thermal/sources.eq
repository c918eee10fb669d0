// thermal/sources.eq: boundary conditions and sensors.

model FixedTemperature "Constant temperature: port.T = T. [MSL]"
  parameter T : K "temperature"
  port : HeatPort
  port.T = T
end

model PrescribedTemperature "Temperature by signal: port.T = T. [MSL]"
  input T : K "temperature"
  port : HeatPort
  port.T = T
end

model FixedHeatFlow
  "Constant heat flow Q_flow*(1 + alpha*(port.T - T_ref)) out of the port, into what is connected. [MSL]"
  parameter Q_flow : W "heat flow rate at T_ref, positive out of the source"
  parameter T_ref : K = 293.15 "reference temperature"
  parameter alpha : 1/K = 0 "temperature coefficient of the heat flow rate"
  port : HeatPort
  port.Q_flow = -Q_flow * (1 + alpha * (port.T - T_ref))
end

model PrescribedHeatFlow
  "Heat flow by signal: Q_flow*(1 + alpha*(port.T - T_ref)) out of the port, into what is connected. [MSL]"
  parameter T_ref : K = 293.15 "reference temperature"
  parameter alpha : 1/K = 0 "temperature coefficient of the heat flow rate"
  input Q_flow : W "heat flow rate at T_ref, positive out of the source"
  port : HeatPort
  port.Q_flow = -Q_flow * (1 + alpha * (port.T - T_ref))
end

model TemperatureSensor "Measures T = port.T and takes no heat. [MSL]"
  port : HeatPort
  output T : K = port.T "temperature"
  port.Q_flow = 0
end

model RelTemperatureSensor "Measures T_rel = port_a.T - port_b.T and takes no heat. [MSL]"
  port_a, port_b : HeatPort
  output T_rel : K = port_a.T - port_b.T "temperature difference"
  port_a.Q_flow = 0
  port_b.Q_flow = 0
end

model HeatFlowSensor "Measures the heat flow rate Q_flow from port_a to port_b without a temperature drop. [MSL]"
  port_a, port_b : HeatPort
  output Q_flow : W = port_a.Q_flow "heat flow rate from port_a to port_b"
  port_a.T = port_b.T
  port_a.Q_flow + port_b.Q_flow = 0
end
