// A slider-crank: the piston's position is a closed formula of the crank's angle, which the last line compares. All axes are parallel, so
// one of the joints is a RevolutePlanarLoopConstraint: with a Revolute in its place Kron says which forces the equations leave open.
// `:animate to slider_crank.html` shows the motion.
use multibody

parameter r : m = 0.3 "crank"
parameter l : m = 0.8 "connecting rod"
world : World
crank : Revolute(phi(start = 0.5, fixed), w(start = 8, fixed), stateSelect = always)
arm : BodyBox(r = {r, 0, 0}, width = 0.05)
pin : Revolute(phi(start = -1))
rod : BodyBox(r = {l, 0, 0}, width = 0.04)
wrist : RevolutePlanarLoopConstraint
piston : BodyBox(r = {0.16, 0, 0}, r_shape = {-0.08, 0, 0}, width = 0.12)
cylinder : Prismatic(n = {1, 0, 0}, s(start = 1))
connect world.frame_b, crank.frame_a, cylinder.frame_a
connect crank.frame_b, arm.frame_a
connect arm.frame_b, pin.frame_a
connect pin.frame_b, rod.frame_a
connect rod.frame_b, wrist.frame_a
connect cylinder.frame_b, piston.frame_a, wrist.frame_b
variable formula : m = r * cos(crank.phi) + sqrt(l^2 - (r * sin(crank.phi))^2) "where the piston is"

:simulate until 2 tol 1e-8
:states
:blt
:value (cylinder.s - formula) crank.w
:plot cylinder.s crank.w
