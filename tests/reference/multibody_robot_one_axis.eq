// reference: Mechanics.MultiBody.Examples.Systems.RobotR3.OneAxis.csv
// One axis of the r3 robot: cascade controller, motor with its current controller of operational amplifiers, gear with elasticity and
// bearing friction, and an inertia as load, moved along a fastest path.
// The original starts the axis at rest with acceleration 0, which leaves the motor's torque open while the bearing sticks; here the speed
// controller's integrator starts at 0 instead, as the published trajectory does.
use blocks: Gain, Feedback, Add3, KinematicPTP2
use electrical
use rotational: InitializeFlange, AngleSensor, AccSensor, SpeedSensor, Inertia, IdealGear, SpringDamper, BearingFriction, TwoFlanges

model Controller "Controllers of position (P) and speed (PI) in cascade"
  parameter kp = 10 "gain of the position controller"
  parameter ks = 1 "gain of the speed controller"
  parameter Ts : s = 0.01 "time constant of the speed controller's integrator"
  parameter ratio = 1 "of the gear"
  input angle_ref, speed_ref, motorAngle, motorSpeed
  output current_ref
  gain1 : Gain(k = ratio)
  PI : blocks.PI(k = ks, T = Ts, x(start = 0, fixed))
  feedback1 : Feedback
  P : Gain(k = kp)
  add3 : Add3(k3 = -1)
  gain2 : Gain(k = ratio)
  gain1.u = angle_ref
  gain2.u = speed_ref
  connect gain1.y, feedback1.u1
  feedback1.u2 = motorAngle
  connect feedback1.y, P.u
  connect P.y, add3.u2
  connect gain2.y, add3.u1
  add3.u3 = motorSpeed
  connect add3.y, PI.u
  current_ref = PI.y
end

model Motor "Motor with current controller"
  parameter J : kg*m^2 = 0.0013 "moment of inertia"
  parameter k = 1.1616 "torque constant"
  parameter w = 4590 "cut-off frequency"
  parameter D = 0.6 "damping"
  input current_ref
  output motorAngle, motorSpeed
  flange_motor : rotational.Flange
  Vs : SignalVoltage
  power, diff, OpI : IdealOpAmp
  emf : RotationalEMF(k = k, useSupport = false)
  La : Inductor(L = 250 / (2 * D * w))
  Ra : Resistor(R = 250)
  Rd1, Rd2, Rd3, Rd4 : Resistor(R = 100)
  C : Capacitor(C = 0.004 * D / w)
  Ri : Resistor(R = 10)
  Rp1 : Resistor(R = 200)
  Rp2 : Resistor(R = 50)
  hall2 : SignalVoltage
  g1, g2, g3, g4, g5 : Ground
  hall1 : CurrentSensor
  phi : AngleSensor
  speed : SpeedSensor
  Jmotor : Inertia(J = J)
  convert1, convert2 : Gain(k = 1)
  connect La.n, emf.p
  connect Ra.n, La.p
  connect Rd2.n, diff.n1, Rd1.p
  connect C.n, OpI.p2, power.p1
  connect Vs.p, Rd2.p
  connect Rd1.n, diff.p2, Ri.p
  connect Ri.n, OpI.n1, C.p
  connect power.n1, Rp1.p, Rp2.p
  connect power.p2, Rp1.n, Ra.p
  connect Rd3.p, hall2.p
  connect Rd3.n, diff.p1, Rd4.p
  connect Vs.n, g1.p
  connect g2.p, hall2.n
  connect Rd4.n, g3.p, OpI.p1, OpI.n2, power.n2, diff.n2
  connect g5.p, Rp2.n
  connect emf.n, hall1.p
  connect hall1.n, g4.p
  connect emf.flange, phi.flange, speed.flange, Jmotor.flange_a
  connect Jmotor.flange_b, flange_motor
  connect hall1.i, convert1.u
  connect convert1.y, hall2.v
  convert2.u = current_ref
  connect convert2.y, Vs.v
  motorAngle = phi.phi
  motorSpeed = speed.w
  initial der(C.v) = 0
  initial der(La.i) = 0
end

model GearType1 extends TwoFlanges "Bearing friction, elasticity and ratio of the gear"
  parameter i = -105 "ratio"
  parameter c : N*m = 43 "stiffness"
  parameter d : N*m*s = 0.005 "damping"
  parameter Rv0 : N*m = 0.4 "friction at speed 0"
  parameter Rv1 : N*m = 0.13 / 160 "increase of the friction for 1 rad/s"
  parameter peak = 1 "largest friction at rest as a multiple of Rv0"
  gear : IdealGear(ratio = i)
  spring : SpringDamper(c = c, d = d)
  bearingFriction : BearingFriction(tau_pos = [0, Rv0; 1, Rv0 + Rv1])
  connect spring.flange_b, gear.flange_a
  connect bearingFriction.flange_b, spring.flange_a
  connect gear.flange_b, flange_b
  connect bearingFriction.flange_a, flange_a
  initial spring.w_rel = 0
  initial spring.a_rel = 0
end

model AxisType1 "Controller, motor and gear of one axis"
  parameter kp = 10
  parameter ks = 1
  parameter Ts : s = 0.01
  parameter ratio = -105
  parameter c : N*m = 43
  parameter cd : N*m*s = 0.005
  parameter Rv0 : N*m = 0.4
  parameter Rv1 : N*m = 0.13 / 160
  parameter w = 4590
  input angle_ref, speed_ref
  flange : rotational.Flange
  gear : GearType1(i = ratio, c = c, d = cd, Rv0 = Rv0, Rv1 = Rv1)
  motor : Motor(w = w)
  controller : Controller(kp = kp, ks = ks, Ts = Ts, ratio = ratio)
  angleSensor : AngleSensor
  speedSensor : SpeedSensor
  accSensor : AccSensor
  initializeFlange : InitializeFlange(use_a_start = false, stateSelect = prefer)
  connect gear.flange_b, flange, angleSensor.flange, speedSensor.flange, accSensor.flange, initializeFlange.flange
  connect motor.flange_motor, gear.flange_a
  initializeFlange.phi_start = angle_ref
  initializeFlange.w_start = speed_ref
  controller.angle_ref = angle_ref
  controller.speed_ref = speed_ref
  connect motor.motorAngle, controller.motorAngle
  connect motor.motorSpeed, controller.motorSpeed
  connect controller.current_ref, motor.current_ref
end

parameter mLoad : kg = 15
parameter swingTime : s = 0.5
axis : AxisType1(w = 5500, ratio = 210, c = 8, cd = 0.01, Rv0 = 0.5, Rv1 = 0.1 / 130, kp = 5, ks = 0.5, Ts = 0.05)
load : Inertia(J = 1.3 [m^2] * mLoad)
path : KinematicPTP2(q_begin = {0}, q_end = {2 * pi / 3}, qd_max = {3}, qdd_max = {10}, startTime = 0)
connect axis.flange, load.flange_a
axis.angle_ref = path.q[1]
axis.speed_ref = path.qd[1]
when time >= path.endTime + swingTime
  terminate "the motion is over"
end

experiment stop = 1.5, tolerance = 1e-8
