// translational/sensors.eq: ideal sensors; they carry no force, or pass it on unchanged.

partial model AbsoluteSensor "Measures at one flange. [MSL PartialAbsoluteSensor]"
  flange : Flange
  flange.f = 0
end

partial model RelativeSensor extends TwoFlanges "Measures between two flanges. [MSL PartialRelativeSensor]"
  flange_a.f + flange_b.f = 0
end

model PositionSensor extends AbsoluteSensor "s = flange.s. [MSL]"
  output s : m = flange.s "position"
end

model SpeedSensor extends AbsoluteSensor "v = ds/dt. [MSL]"
  output v : m/s = der(flange.s) "speed"
end

model AccSensor extends AbsoluteSensor "a = dv/dt, v = ds/dt. [MSL]"
  variable v : m/s = der(flange.s) "speed"
  output a : m/s^2 = der(v) "acceleration"
end

model RelPositionSensor extends RelativeSensor "s_rel = flange_b.s - flange_a.s. [MSL]"
  output s_rel : m = flange_b.s - flange_a.s "relative position"
  flange_a.f = 0
end

model RelSpeedSensor extends RelativeSensor "v_rel = d(flange_b.s - flange_a.s)/dt. [MSL]"
  variable s_rel : m = flange_b.s - flange_a.s "relative position"
  output v_rel : m/s = der(s_rel) "relative speed"
  flange_a.f = 0
end

model RelAccSensor extends RelativeSensor "a_rel = d2(flange_b.s - flange_a.s)/dt2. [MSL]"
  variable s_rel : m = flange_b.s - flange_a.s "relative position"
  variable v_rel : m/s = der(s_rel) "relative speed"
  output a_rel : m/s^2 = der(v_rel) "relative acceleration"
  flange_a.f = 0
end

model ForceSensor extends RelativeSensor "f = flange_a.f, the force that goes in at flange_a and out at flange_b. [MSL]"
  output f : N = flange_a.f "force"
  flange_a.s = flange_b.s
end

model PowerSensor extends RelativeSensor "power = flange_a.f*ds/dt, positive from flange_a to flange_b. [MSL]"
  output power : W = flange_a.f * der(flange_a.s) "power"
  flange_a.s = flange_b.s
end

model MultiSensor extends RelativeSensor "Speed v, force f = flange_a.f and power f*v from flange_a to flange_b. [MSL]"
  output v : m/s = der(flange_a.s) "speed"
  output f : N = flange_a.f "force"
  output power : W = f * v "power"
  flange_a.s = flange_b.s
end
