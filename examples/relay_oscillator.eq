// A relay oscillator: a two-point controller heats a room. It switches the heater on below 19.5 degC and off above 20.5 degC; the temperature runs
// to and fro between the two, for ever. The heat capacity C, the conductance G of the walls and the heater's P give the time of each branch in closed
// form, as T*log of a ratio with T = C/G.
// Look at the period, measured between the last two times of switching on, next to the closed form.
use thermal
use blocks: OnOffController, Constant

parameter T_out : K = 273.15 "outside temperature"
parameter P : W = 4000 "of the heater"
parameter G : W/K = 100
parameter cap : J/K = 5e5
room : HeatCapacitor(C = cap, T(start = 288.15, fixed))
walls : ThermalConductor(G = G)
outside : FixedTemperature(T = T_out)
heater : PrescribedHeatFlow
controller : OnOffController(bandwidth = 1)
set : Constant(k = 293.15)
controller.u = room.T
connect set.y, controller.reference
heater.Q_flow = if controller.y then P else 0
connect heater.port, room.port, walls.port_a
connect walls.port_b, outside.port
discrete on(start = 0, fixed) : s "when it was switched on last"
discrete period(start = 0, fixed) : s
when controller.y
  on = time
  period = time - pre(on)
end
parameter low : K = 292.65 - T_out
parameter high : K = 293.65 - T_out

:simulate until 10000 points 1000 tol 1e-9
:value period (cap / G * (log(high / low) + log((P / G - low) / (P / G - high))))
:plot room.T
