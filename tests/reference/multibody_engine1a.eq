// reference: Mechanics.MultiBody.Examples.Loops.Engine1a.csv
// One cylinder of an engine: crank, connecting rod and piston; the plane loop is closed by a constraint without redundant forces.
use multibody

world : World
piston : BodyCylinder(diameter = 0.1, r = {0, -0.1, 0})
connectingRod : BodyBox(widthDirection = {1, 0, 0}, width = 0.02, height = 0.06, r = {0, -0.2, 0})
bearing : Revolute(useAxisFlange = true, n = {1, 0, 0})
inertia : rotational.Inertia(stateSelect = always, J = 1, w(fixed, start = 10), phi(fixed, start = 0))
crank1 : BodyCylinder(diameter = 0.05, r = {0.1, 0, 0})
crank2 : BodyBox(height = 0.05, widthDirection = {1, 0, 0}, width = 0.02, r = {0, 0.1, 0})
crank3 : BodyCylinder(r = {0.1, 0, 0}, diameter = 0.03)
crank4 : BodyBox(height = 0.05, widthDirection = {1, 0, 0}, width = 0.02, r = {0, -0.1, 0})
mid : FixedTranslation(r = {0.05, 0, 0})
cylPosition : FixedTranslation(r = {0.15, 0.45, 0})
b1 : Revolute(n = {1, 0, 0})
b2 : RevolutePlanarLoopConstraint(n = {1, 0, 0})
cylinder : Prismatic(n = {0, -1, 0}, s(start = 0.15))
connect world.frame_b, bearing.frame_a, cylPosition.frame_a
connect crank2.frame_a, crank1.frame_b
connect bearing.frame_b, crank1.frame_a
connect crank3.frame_b, crank4.frame_a
connect inertia.flange_b, bearing.axis
connect crank2.frame_b, crank3.frame_a, mid.frame_a
connect cylPosition.frame_b, cylinder.frame_a
connect b2.frame_a, mid.frame_b
connect b2.frame_b, connectingRod.frame_b
connect connectingRod.frame_a, b1.frame_b
connect b1.frame_a, piston.frame_b
connect cylinder.frame_b, piston.frame_a

experiment stop = 0.5, tolerance = 1e-8
