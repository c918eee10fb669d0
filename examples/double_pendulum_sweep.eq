// A double pendulum with another lower rod in each run: what its mass does to where the pendulum is after two seconds. All runs go through one
// program, several side by side in each core; each is, bit for bit, the run that `:simulate` makes of it.
use multibody

world : World
upper : Revolute(phi(start = 1, fixed), w(start = 0, fixed))
rod1 : BodyShape(r = {0.5, 0, 0}, r_CM = {0.25, 0, 0}, m = 1, I_22 = 0.02, I_33 = 0.02)
lower : Revolute(phi(start = 0.5, fixed), w(start = 0, fixed))
rod2 : BodyShape(r = {0.5, 0, 0}, r_CM = {0.25, 0, 0}, m = 1, I_22 = 0.02, I_33 = 0.02)
connect world.frame_b, upper.frame_a
connect upper.frame_b, rod1.frame_a
connect rod1.frame_b, lower.frame_a
connect lower.frame_b, rod2.frame_a

:sweep rod2.m from 0.5 to 2 points 7 until 2 values upper.phi lower.phi
:sweep rod2.m from 0.01 to 100 points 5 log until 2 values upper.phi lower.phi
:sweep rod2.m normal mean 1 sd 0.05 samples 1000 seed 7 until 2 values upper.phi lower.phi to double_pendulum_sweep.csv
