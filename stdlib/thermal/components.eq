// thermal/components.eq: storage, conduction, convection, radiation.

constant stefan_boltzmann : W/(m^2*K^4) = 5.670374419e-8 "Stefan-Boltzmann constant [CODATA 2018]"

model HeatCapacitor
  "Lumped storage at one temperature: C*dT/dt = Q_flow, positive into the port. [MSL]"
  parameter C(min = 0) : J/K "heat capacity"
  variable T(start = 293.15) : K = port.T "temperature"
  variable der_T : K/s = der(T) "its rate"
  port : HeatPort
  C * der(T) = port.Q_flow
end

model ThermalConductor extends Element1D
  "Fourier's law, lumped: Q_flow = G*dT from port_a to port_b. A plate has G = k*A/L. [MSL]"
  parameter G(min = 0) : W/K "thermal conductance"
  Q_flow = G * (relax(port_a.T) - relax(port_b.T))
end

model ThermalResistor extends Element1D
  "Fourier's law, lumped: dT = R*Q_flow from port_a to port_b. A plate has R = L/(k*A). [MSL]"
  parameter R(min = 0) : K/W "thermal resistance"
  R * Q_flow = relax(port_a.T) - relax(port_b.T)
end

partial model ConvectiveElement
  "Heat passes between a wall and a fluid: Q_flow goes from solid to fluid, dT = solid.T - fluid.T."
  solid, fluid : HeatPort
  variable Q_flow : W "heat flow rate from solid to fluid"
  variable dT : K = solid.T - fluid.T "temperature drop"
  solid.Q_flow = Q_flow
  fluid.Q_flow = -Q_flow
end

model Convection extends ConvectiveElement
  "Newton's law of cooling: Q_flow = Gc*dT, Gc = area * coefficient, as a signal. [MSL]"
  input Gc : W/K "convective conductance"
  Q_flow = Gc * dT
end

model ConvectiveResistor extends ConvectiveElement
  "Newton's law of cooling: dT = Rc*Q_flow, Rc = 1/(area * coefficient), as a signal. [MSL]"
  input Rc : K/W "convective resistance"
  dT = Rc * Q_flow
end

model BodyRadiation extends Element1D
  "Stefan-Boltzmann law: Q_flow = Gr*sigma*(port_a.T^4 - port_b.T^4). A convex body in a large room has Gr = emissivity*area. [MSL]"
  parameter Gr(min = 0) : m^2 "net radiation conductance"
  Q_flow = Gr * stefan_boltzmann * (port_a.T^4 - port_b.T^4)
end

model ThermalCollector
  "Joins m ports to one: all have the temperature of port_b, their heat flows add up. [MSL]"
  parameter m(min = 1) : Integer = 3 "number of ports"
  port_a[m] : HeatPort
  port_b : HeatPort
  for k in 1:m
    port_a[k].T = port_b.T
  end
  port_b.Q_flow + sum(port_a[k].Q_flow for k in 1:m) = 0
end
