// An engine with one cylinder: gas that is compressed and expands drives the crank, and burns in the first half of every second turn. The
// crank has arms off the plane of the connecting rod, and is closed by a RevolutePlanarLoopConstraint. Look at the speed, how the flywheel
// evens out the strokes, and at `:blt`: one equation for the positions. `:animate to engine.html` shows the motion.
use multibody

parameter bore : m = 0.1
parameter stroke : m = 0.2
parameter clearance : m = 0.02 "height of the gas at the upper dead centre"
parameter p_0 : N/m^2 = 100000 "outside"
world : World
bearing : Revolute(n = {1, 0, 0}, useAxisFlange = true)
flywheel : rotational.Inertia(J = 1, phi(start = 0.1, fixed), w(start = 60, fixed), stateSelect = always)
load : rotational.Torque
crank1 : BodyCylinder(diameter = 0.05, r = {0.1, 0, 0})
crank2 : BodyBox(r = {0, stroke / 2, 0}, widthDirection = {1, 0, 0}, width = 0.02, height = 0.05)
pin : BodyCylinder(r = {0.1, 0, 0}, diameter = 0.03)
crank3 : BodyBox(r = {0, -stroke / 2, 0}, widthDirection = {1, 0, 0}, width = 0.02, height = 0.05)
crank4 : BodyCylinder(diameter = 0.05, r = {0.1, 0, 0})
middle : FixedTranslation(r = {0.05, 0, 0}, animation = false)
rod : BodyBox(r = {0, 0.3, 0}, widthDirection = {1, 0, 0}, width = 0.02, height = 0.04)
big_end : RevolutePlanarLoopConstraint(n = {1, 0, 0})
wrist : Revolute(n = {1, 0, 0}, phi(start = 0.03))
piston : BodyCylinder(r = {0, 0.06, 0}, diameter = 0.098)
cylinder : Prismatic(n = {0, 1, 0}, useAxisFlange = true, s(start = 0.39))
place : FixedTranslation(r = {0.15, 0, 0})
gas : translational.Force
connect world.frame_b, bearing.frame_a, place.frame_a
connect flywheel.flange_b, bearing.axis
connect load.flange, flywheel.flange_a
connect bearing.frame_b, crank1.frame_a
connect crank1.frame_b, crank2.frame_a
connect crank2.frame_b, pin.frame_a, middle.frame_a
connect pin.frame_b, crank3.frame_a
connect crank3.frame_b, crank4.frame_a
connect middle.frame_b, big_end.frame_a
connect big_end.frame_b, rod.frame_a
connect rod.frame_b, wrist.frame_a
connect wrist.frame_b, piston.frame_a
connect place.frame_b, cylinder.frame_a
connect cylinder.frame_b, piston.frame_a
connect gas.flange, cylinder.axis

variable h : m = clearance + 0.3 [m] + stroke / 2 - cylinder.s "height of the gas"
variable burnt : 1 = noEvent(if mod(bearing.phi, 4 * pi) < pi then 2.5 else 1) "pressure by that without fire"
variable p : N/m^2 = p_0 * burnt * ((stroke + clearance) /
    h)^1.3 "pressure: adiabatic, filled and emptied at the lower dead centre"
gas.f = -(p - p_0) * pi * bore^2 / 4
load.tau = -0.9 [N*m*s] * flywheel.w

:simulate until 0.5 tol 1e-7
:states
:blt
:value flywheel.w (flywheel.phi / (2 * pi))
:plot flywheel.w
:plot p vs h
