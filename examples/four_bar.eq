// The spatial four-bar mechanism of "Methods for tearing systems of equations" (Elmqvist and Otter, 1994): a crank, a coupler between a
// spherical joint and a universal joint, and a slide. The paper cuts the loop at the spherical joint; here nobody says where.
// Look at `:states`, one joint, and at `:blt`: what is left to solve for the positions, and that velocities and forces are straight-line code.
// The starts of the dependent coordinates are rough guesses. `:animate to four_bar.html` shows the motion.
use multibody

world : World
crank : Revolute(n = {1, 0, 0}, phi(start = 0.2, fixed), w(start = 6, fixed), stateSelect = always) "j1"
arm : BodyCylinder(r = {0, 0.5, 0.1}, diameter = 0.05)
ball : Spherical "j2"
coupler : BodyCylinder(r = {1, -0.3, -0.1}, diameter = 0.05)
cardan : Universal(n_a = {0, 0, 1}, n_b = {0, 1, 0}) "j3"
slider : BodyBox(r = {0.2, 0, 0}, width = 0.1, r_shape = {-0.1, 0, 0})
slide : Prismatic(n = {1, 0, 0}, s(start = 1)) "j4"
base : FixedTranslation(r = {0.2, 0.2, 0})
connect world.frame_b, crank.frame_a, base.frame_a
connect crank.frame_b, arm.frame_a
connect arm.frame_b, ball.frame_a
connect ball.frame_b, coupler.frame_a
connect coupler.frame_b, cardan.frame_a
connect cardan.frame_b, slider.frame_a
connect base.frame_b, slide.frame_a
connect slide.frame_b, slider.frame_a

:simulate until 2 tol 1e-8
:states
:blt
:value crank.phi slide.s
:plot crank.phi slide.s
