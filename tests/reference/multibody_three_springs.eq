// reference: Mechanics.MultiBody.Examples.Elementary.ThreeSprings.csv
// A free body on three springs that meet in a point without mass.
use multibody

world : World
body1 : Body(r_CM = {0, -0.2, 0}, m = 0.8, I_11 = 0.1, I_22 = 0.1, I_33 = 0.1, r_0(start = {0.5, -0.3, 0}, fixed), v_0(fixed),
  angles_fixed = true, w_0_fixed = true)
bar1 : FixedTranslation(r = {0.3, 0, 0})
bar2 : FixedTranslation(r = {0, 0, 0.3})
spring1 : Spring(s_unstretched = 0.1, c = 20, r_rel_0(start = {-0.2, -0.2, 0.2}))
spring2 : Spring(s_unstretched = 0.1, c = 40)
spring3 : Spring(s_unstretched = 0.1, c = 20, fixedRotationAtFrame_b = true)
connect world.frame_b, bar1.frame_a, bar2.frame_a
connect bar1.frame_b, spring1.frame_a
connect bar2.frame_b, spring3.frame_a
connect spring2.frame_b, body1.frame_a
connect spring3.frame_b, spring1.frame_b, spring2.frame_a

experiment stop = 10, tolerance = 1e-8
