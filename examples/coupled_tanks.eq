// Three tanks in a row, joined at the bottom; water flows in at the first and out of the last (Torricelli: q = c*A*sqrt(2*g*h)).
// Look at the levels: they rise one after the other to where the outflow is the inflow.

connector Port "opening at the bottom of a tank"
  potential h : m "level above it"
  flow q : m^3/s "flow into the component"
end

model Tank "A*dh/dt = q_in + q_out"
  parameter A : m^2 = 0.5 "cross-section"
  variable h(start = 0.01, fixed) : m "level"
  inlet, outlet : Port
  inlet.h = h
  outlet.h = h
  A * der(h) = inlet.q + outlet.q
end

model Pipe "q = c*a*sqrt(2*g*dh), linear for |dh| << d"
  parameter a : m^2 = 5e-4 "area of the orifice"
  parameter c : 1 = 0.6 "discharge coefficient"
  parameter d : m = 1e-4 "level difference below which the flow is laminar"
  constant gravity = 9.81 [m/s^2]
  left, right : Port
  variable dh : m = left.h - right.h "level difference"
  variable q : m^3/s = c * a * sqrt(2 * gravity) * dh / (dh^2 + d^2)^0.25 "flow from left to right"
  left.q = q
  right.q = -q
end

model Inflow "constant flow out of the port"
  parameter q : m^3/s
  port : Port
  port.q = -q
end

model Outside "level 0"
  port : Port
  port.h = 0
end

inflow : Inflow(q = 1 [l/s])
tank[3] : Tank
pipe[3] : Pipe(a = {8e-4, 6e-4, 4e-4})
outside : Outside
connect inflow.port, tank[1].inlet
for k in 1:3
  connect tank[k].outlet, pipe[k].left
end
for k in 1:2
  connect pipe[k].right, tank[k+1].inlet
end
connect pipe[3].right, outside.port

:simulate until 8 [hour] tol 1e-7
:value tank[1].h tank[2].h tank[3].h
:value ((1e-3 / (0.6 * 4e-4))^2 / (2 * 9.81))
:plot tank[1].h tank[2].h tank[3].h
