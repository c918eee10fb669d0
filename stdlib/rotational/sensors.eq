// rotational/sensors.eq: ideal sensors; they carry no torque, or pass it on unchanged.

partial model AbsoluteSensor "Measures at one flange. [MSL PartialAbsoluteSensor]"
  flange : Flange
  flange.tau = 0
end

partial model RelativeSensor extends TwoFlanges "Measures between two flanges. [MSL PartialRelativeSensor]"
  flange_a.tau + flange_b.tau = 0
end

model AngleSensor extends AbsoluteSensor "phi = flange.phi. [MSL]"
  output phi : rad = flange.phi "angle"
end

model SpeedSensor extends AbsoluteSensor "w = dphi/dt. [MSL]"
  output w : rad/s = der(flange.phi) "speed"
end

model AccSensor extends AbsoluteSensor "a = dw/dt, w = dphi/dt. [MSL]"
  variable w : rad/s = der(flange.phi) "speed"
  output a : rad/s^2 = der(w) "acceleration"
end

model RelAngleSensor extends RelativeSensor "phi_rel = flange_b.phi - flange_a.phi. [MSL]"
  output phi_rel : rad = flange_b.phi - flange_a.phi "relative angle"
  flange_a.tau = 0
end

model RelSpeedSensor extends RelativeSensor "w_rel = d(flange_b.phi - flange_a.phi)/dt. [MSL]"
  variable phi_rel : rad = flange_b.phi - flange_a.phi "relative angle"
  output w_rel : rad/s = der(phi_rel) "relative speed"
  flange_a.tau = 0
end

model RelAccSensor extends RelativeSensor "a_rel = d2(flange_b.phi - flange_a.phi)/dt2. [MSL]"
  variable phi_rel : rad = flange_b.phi - flange_a.phi "relative angle"
  variable w_rel : rad/s = der(phi_rel) "relative speed"
  output a_rel : rad/s^2 = der(w_rel) "relative acceleration"
  flange_a.tau = 0
end

model TorqueSensor extends RelativeSensor "tau = flange_a.tau, the torque that goes in at flange_a and out at flange_b. [MSL]"
  output tau : N*m = flange_a.tau "torque"
  flange_a.phi = flange_b.phi
end

model PowerSensor extends RelativeSensor "power = flange_a.tau*dphi/dt, positive from flange_a to flange_b. [MSL]"
  output power : W = flange_a.tau * der(flange_a.phi) "power"
  flange_a.phi = flange_b.phi
end

model MultiSensor extends RelativeSensor "Speed w, torque tau = flange_a.tau and power tau*w from flange_a to flange_b. [MSL]"
  output w : rad/s = der(flange_a.phi) "speed"
  output tau : N*m = flange_a.tau "torque"
  output power : W = tau * w "power"
  flange_a.phi = flange_b.phi
end
