// A room in winter: air and walls store heat, a limited PI controller heats the air to 21 degC while it freezes outside.
// Look at the heater: at its limit of 2 kW until the air is warm, then falling as the walls, which are slower, warm up.
use thermal
use blocks: LimPID, SimpleController, Sine

air : HeatCapacitor(C = 60 [kJ/K], T(start = 283.15, fixed))
walls : HeatCapacitor(C = 4 [MJ/K], T(start = 281.15, fixed))
air_to_walls : ThermalConductor(G = 150)
walls_to_outside : ThermalConductor(G = 40)
windows : ThermalConductor(G = 15)
outside : PrescribedTemperature
weather : Sine(offset = 271.15, amplitude = 4, f = 1 / 86400)
heater : PrescribedHeatFlow
thermometer : TemperatureSensor
controller : LimPID(controllerType = SimpleController.PI, k = 500, Ti = 600, yMax = 2000, yMin = 0)
controller.u_s = 294.15

connect heater.port, air.port, air_to_walls.port_a, windows.port_a, thermometer.port
connect air_to_walls.port_b, walls.port, walls_to_outside.port_a
connect walls_to_outside.port_b, windows.port_b, outside.port
connect weather.y, outside.T
connect thermometer.T, controller.u_m
connect controller.y, heater.Q_flow

:simulate until 2 [day] points 576 tol 1e-7
:value air.T walls.T heater.Q_flow
:plot air.T walls.T outside.T
:plot heater.Q_flow
