// The arm of the Modelica Standard Library's RobotR3 (masses, inertias and lengths as there), with an elastic drive in each of its six joints.
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
d1 : rotational.SpringDamper(c = 100, d = 1)
m1 : rotational.Inertia(J = 0.1, phi(fixed), w(fixed))
connect m1.flange_b, d1.flange_a
connect d1.flange_b, r1.axis
d2 : rotational.SpringDamper(c = 100, d = 1)
m2 : rotational.Inertia(J = 0.1, phi(fixed), w(fixed))
connect m2.flange_b, d2.flange_a
connect d2.flange_b, r2.axis
d3 : rotational.SpringDamper(c = 100, d = 1)
m3 : rotational.Inertia(J = 0.1, phi(fixed), w(fixed))
connect m3.flange_b, d3.flange_a
connect d3.flange_b, r3.axis
d4 : rotational.SpringDamper(c = 100, d = 1)
m4 : rotational.Inertia(J = 0.1, phi(fixed), w(fixed))
connect m4.flange_b, d4.flange_a
connect d4.flange_b, r4.axis
d5 : rotational.SpringDamper(c = 100, d = 1)
m5 : rotational.Inertia(J = 0.1, phi(fixed), w(fixed))
connect m5.flange_b, d5.flange_a
connect d5.flange_b, r5.axis
d6 : rotational.SpringDamper(c = 100, d = 1)
m6 : rotational.Inertia(J = 0.1, phi(fixed), w(fixed))
connect m6.flange_b, d6.flange_a
connect d6.flange_b, r6.axis
