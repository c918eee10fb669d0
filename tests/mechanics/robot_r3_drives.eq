// The arm of the Modelica Standard Library's RobotR3 (masses, inertias and lengths as there), with the drives of its example: in each joint a motor's inertia, a gear and a bearing, in the first three a spring behind the motor.
use multibody

world : World
r1 : Revolute(n = {0, 1, 0}, useAxisFlange = true, phi(fixed), w(fixed))
r2 : Revolute(n = {1, 0, 0}, useAxisFlange = true, phi(fixed), w(fixed))
r3 : Revolute(n = {1, 0, 0}, useAxisFlange = true, phi(fixed), w(fixed))
r4 : Revolute(n = {0, 1, 0}, useAxisFlange = true, phi(fixed), w(fixed))
r5 : Revolute(n = {1, 0, 0}, useAxisFlange = true, phi(fixed), w(fixed))
r6 : Revolute(n = {0, 1, 0}, useAxisFlange = true, phi(fixed), w(fixed))
b0 : BodyShape(r = {0, 0.351, 0}, m = 1, r_CM = {0, 0, 0})
b1 : BodyShape(r = {0, 0.324, 0.3}, I_22 = 1.16, m = 1, r_CM = {0, 0, 0})
b2 : BodyShape(r = {0, 0.65, 0}, r_CM = {0.172, 0.205, 0}, m = 56.5, I_11 = 2.58, I_22 = 0.64, I_33 = 2.73, I_21 =
    -0.46)
b3 : BodyShape(r = {0, 0.414, -0.155}, r_CM = {0.064, -0.034, 0}, m = 26.4, I_11 = 0.279, I_22 = 0.245, I_33 = 0.413,
    I_21 = -0.07)
b4 : BodyShape(r = {0, 0.186, 0}, r_CM = {0, 0, 0}, m = 28.7, I_11 = 1.67, I_22 = 0.081, I_33 = 1.67)
b5 : BodyShape(r = {0, 0.125, 0}, r_CM = {0, 0, 0}, m = 5.2, I_11 = 1.25, I_22 = 0.81, I_33 = 1.53)
b6 : BodyShape(r = {0, 0, 0}, r_CM = {0.05, 0.05, 0.05}, m = 0.5)
load : BodyShape(r = {0, 0, 0}, r_CM = {0.1, 0.25, 0.1}, m = 15)
connect world.frame_b, b0.frame_a
connect b0.frame_b, r1.frame_a
connect r1.frame_b, b1.frame_a
connect b1.frame_b, r2.frame_a
connect r2.frame_b, b2.frame_a
connect b2.frame_b, r3.frame_a
connect r3.frame_b, b3.frame_a
connect b3.frame_b, r4.frame_a
connect r4.frame_b, b4.frame_a
connect b4.frame_b, r5.frame_a
connect r5.frame_b, b5.frame_a
connect b5.frame_b, r6.frame_a
connect r6.frame_b, b6.frame_a
connect b6.frame_b, load.frame_a
gear1 : rotational.IdealGear(ratio = -105)
bearing1 : rotational.BearingFriction(tau_pos = [0, 0.5; 160, 0.7])
motor1 : rotational.Inertia(J = 0.0013, phi(fixed), w(fixed))
spring1 : rotational.SpringDamper(c = 43, d = 0.005)
connect motor1.flange_b, spring1.flange_a
connect spring1.flange_b, gear1.flange_a
connect gear1.flange_b, bearing1.flange_a
connect bearing1.flange_b, r1.axis
gear2 : rotational.IdealGear(ratio = 210)
bearing2 : rotational.BearingFriction(tau_pos = [0, 0.6; 160, 0.8])
motor2 : rotational.Inertia(J = 0.0013, phi(fixed), w(fixed))
spring2 : rotational.SpringDamper(c = 8, d = 0.01)
connect motor2.flange_b, spring2.flange_a
connect spring2.flange_b, gear2.flange_a
connect gear2.flange_b, bearing2.flange_a
connect bearing2.flange_b, r2.axis
gear3 : rotational.IdealGear(ratio = 60)
bearing3 : rotational.BearingFriction(tau_pos = [0, 0.7; 160, 0.9])
motor3 : rotational.Inertia(J = 0.0013, phi(fixed), w(fixed))
spring3 : rotational.SpringDamper(c = 58, d = 0.04)
connect motor3.flange_b, spring3.flange_a
connect spring3.flange_b, gear3.flange_a
connect gear3.flange_b, bearing3.flange_a
connect bearing3.flange_b, r3.axis
gear4 : rotational.IdealGear(ratio = -99)
bearing4 : rotational.BearingFriction(tau_pos = [0, 0.8; 160, 1])
motor4 : rotational.Inertia(J = 0.0016)
connect motor4.flange_b, gear4.flange_a
connect gear4.flange_b, bearing4.flange_a
connect bearing4.flange_b, r4.axis
gear5 : rotational.IdealGear(ratio = 79.2)
bearing5 : rotational.BearingFriction(tau_pos = [0, 0.9; 160, 1.1])
motor5 : rotational.Inertia(J = 0.0018)
connect motor5.flange_b, gear5.flange_a
connect gear5.flange_b, bearing5.flange_a
connect bearing5.flange_b, r5.axis
gear6 : rotational.IdealGear(ratio = -99)
bearing6 : rotational.BearingFriction(tau_pos = [0, 1; 160, 1.2])
motor6 : rotational.Inertia(J = 0.00043)
connect motor6.flange_b, gear6.flange_a
connect gear6.flange_b, bearing6.flange_a
connect bearing6.flange_b, r6.axis
