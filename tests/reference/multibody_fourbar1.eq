// reference: Mechanics.MultiBody.Examples.Loops.Fourbar1.csv
// A spatial loop of six revolute joints, a prismatic one and four bars; no cut is placed.
use multibody

world : World
j1 : Revolute(n = {1, 0, 0}, stateSelect = always, phi(fixed), w(start = 5.235987755982989, fixed))
j2 : Prismatic(n = {1, 0, 0}, s(start = -0.2))
b0 : FixedTranslation(r = {1.2, 0, 0})
b1 : BodyCylinder(r = {0, 0.5, 0.1}, diameter = 0.05)
b2 : BodyCylinder(r = {0, 0.2, 0}, diameter = 0.05)
b3 : BodyCylinder(r = {-1, 0.3, 0.1}, diameter = 0.05)
rev : Revolute(n = {0, 1, 0})
rev1 : Revolute
j3 : Revolute(n = {1, 0, 0})
j4 : Revolute(n = {0, 1, 0})
j5 : Revolute(n = {0, 0, 1})
connect j2.frame_b, b2.frame_a
connect j1.frame_b, b1.frame_a
connect rev.frame_a, b2.frame_b
connect rev.frame_b, rev1.frame_a
connect rev1.frame_b, b3.frame_a
connect world.frame_b, j1.frame_a
connect b1.frame_b, j3.frame_a
connect j3.frame_b, j4.frame_a
connect j4.frame_b, j5.frame_a
connect j5.frame_b, b3.frame_b
connect b0.frame_a, world.frame_b
connect b0.frame_b, j2.frame_a

experiment stop = 5, tolerance = 1e-8
