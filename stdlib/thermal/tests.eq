// thermal/tests.eq: each class against a closed form.

test "two bodies exchange heat: the difference decays with tau = C1*C2/(C1 + C2)/G, the mean stays"
  hot : HeatCapacitor(C = 15, T(start = 373.15, fixed))
  cold : HeatCapacitor(C = 30, T(start = 273.15, fixed))
  wall : ThermalConductor(G = 10)
  connect hot.port, wall.port_a
  connect wall.port_b, cold.port
  :simulate until 5 tol 1e-9
  assert abs(hot.T - cold.T - 100 * exp(-5)) < 1e-5, "difference"
  assert abs(15 * hot.T + 30 * cold.T - (15 * 373.15 + 30 * 273.15)) < 1e-5, "energy"
  assert abs(wall.Q_flow - 1000 * exp(-10 * 2 / 10)) < 1e-4, "heat flow" at 2
  assert abs(hot.der_T + wall.Q_flow / 15) < 1e-9, "rate"
end

test "a heated plate between two temperatures: resistance and conductance in series"
  warm : FixedTemperature(T = 20 [degC])
  out : FixedTemperature(T = -10 [degC])
  brick : ThermalResistor(R = 0.2)
  foam : ThermalConductor(G = 2)
  meter : HeatFlowSensor
  connect warm.port, brick.port_a
  connect brick.port_b, meter.port_a
  connect meter.port_b, foam.port_a
  connect foam.port_b, out.port
  :simulate until 1
  assert abs(meter.Q_flow - 30 / 0.7) < 1e-9, "Q = dT/(R + 1/G)"
  assert abs(brick.dT - 0.2 * 30 / 0.7) < 1e-9, "drop over the brick"
end

test "Newton's law of cooling, by conductance and by resistance"
  body1 : HeatCapacitor(C = 50, T(start = 350, fixed))
  body2 : HeatCapacitor(C = 50, T(start = 350, fixed))
  air : FixedTemperature(T = 300)
  film1 : Convection
  film2 : ConvectiveResistor
  film1.Gc = 5
  film2.Rc = 0.2
  connect body1.port, film1.solid
  connect body2.port, film2.solid
  connect film1.fluid, film2.fluid, air.port
  :simulate until 20 tol 1e-9
  assert abs(body1.T - 300 - 50 * exp(-2)) < 1e-5, "T = Ta + dT*exp(-Gc*t/C)"
  assert abs(body2.T - body1.T) < 1e-5, "the same"
end

test "a body that radiates into a cold void: T^-3 = T0^-3 + 3*Gr*sigma*t/C"
  body : HeatCapacitor(C = 100, T(start = 1000, fixed))
  void : FixedTemperature(T = 0)
  surface : BodyRadiation(Gr = 0.1)
  connect body.port, surface.port_a
  connect surface.port_b, void.port
  :simulate until 60 tol 1e-9
  assert abs(body.T - (1e-9 + 3 * 0.1 * stefan_boltzmann * 60 / 100)^(-1 / 3)) < 1e-4, "temperature"
end

test "prescribed heat and temperature; a flow with a temperature coefficient"
  body : HeatCapacitor(C = 4, T(start = 300, fixed))
  heater : PrescribedHeatFlow
  heater.Q_flow = 6 * time
  connect heater.port, body.port
  bar : HeatCapacitor(C = 10, T(start = 293.15, fixed))
  source : FixedHeatFlow(Q_flow = 20, alpha = -0.01)
  connect source.port, bar.port
  bath : PrescribedTemperature
  bath.T = 280 + 3 * time
  thermometer : TemperatureSensor
  difference : RelTemperatureSensor
  connect bath.port, thermometer.port, difference.port_a
  connect body.port, difference.port_b
  :simulate until 10 tol 1e-9
  assert abs(body.T - 375) < 1e-5, "T = T0 + 6*t^2/(2*C)"
  assert abs(bar.T - 293.15 - 100 * (1 - exp(-0.2))) < 1e-5, "T - T_ref = (1 - exp(-q*a*t/C))/a"
  assert abs(thermometer.T - 310) < 1e-9, "bath"
  assert abs(difference.T_rel + 65) < 1e-5, "bath less body"
end

test "a collector joins ports at one temperature"
  body : HeatCapacitor(C = 3, T(start = 300, fixed))
  node : ThermalCollector(m = 3)
  q[3] : FixedHeatFlow(Q_flow = {1, 2, 3})
  for k in 1:3
    connect q[k].port, node.port_a[k]
  end
  connect node.port_b, body.port
  :simulate until 5 tol 1e-9
  assert abs(body.T - 310) < 1e-6, "C*dT/dt = sum of flows"
end

test "losses of a component leave through its heat port"
  model Brake extends ElementaryConditionalHeatPort "constant losses that fall with temperature"
    parameter P : W = 50
    lossPower = P * (1 - (TheatPort - 300) / 100)
  end
  b : Brake(useHeatPort = true)
  c : Brake(T = 350)
  body : HeatCapacitor(C = 5, T(start = 300, fixed))
  connect b.heatPort, body.port
  :simulate until 10 tol 1e-9
  assert abs(body.T - 300 - 100 * (1 - exp(-1))) < 1e-5, "dT' = P/C*(1 - dT/100)"
  assert abs(c.lossPower - 25) < 1e-9, "no port: at T"
end
