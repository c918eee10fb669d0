// electrical/sensors.eq: ideal meters; voltage paths carry no current, current paths have no voltage drop.

model PotentialSensor "phi = p.v. [MSL]"
  p : Pin
  output phi : V = p.v "potential"
  p.i = 0
end

model VoltageSensor "v = p.v - n.v. [MSL]"
  p, n : Pin
  output v : V = p.v - n.v "voltage from p to n"
  p.i = 0
  n.i = 0
end

model CurrentSensor "i from p to n. [MSL]"
  p, n : Pin
  output i : A = p.i "current from p to n"
  p.v = n.v
  p.i + n.i = 0
end

model PowerSensor "power = (pv.v - nv.v)*i, i from pc to nc. [MSL]"
  pc : Pin "current path, in"
  nc : Pin "current path, out"
  pv : Pin "voltage path, positive"
  nv : Pin "voltage path, negative"
  voltageSensor : VoltageSensor
  currentSensor : CurrentSensor
  output power : W = voltageSensor.v * currentSensor.i "power"
  connect pv, voltageSensor.p
  connect nv, voltageSensor.n
  connect pc, currentSensor.p
  connect nc, currentSensor.n
end

model MultiSensor "Voltage v from pv to nv, current i from pc to nc, power v*i. [MSL]"
  pc : Pin "current path, in"
  nc : Pin "current path, out"
  pv : Pin "voltage path, positive"
  nv : Pin "voltage path, negative"
  output i : A = pc.i "current from pc to nc"
  output v : V = pv.v - nv.v "voltage from pv to nv"
  output power : W = v * i "power"
  pc.v = nc.v
  pc.i + nc.i = 0
  pv.i = 0
  nv.i = 0
end
