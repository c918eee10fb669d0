// reference: Mechanics.MultiBody.Examples.Elementary.SpringMassSystem.csv
// The same oscillator twice: with a spring of the translational library on the joint's flanges, and with one between frames.
use multibody

world : World
p1 : Prismatic(useAxisFlange = true, n = {0, -1, 0}, s(fixed, start = 0.1), v(fixed))
spring1 : translational.Spring(c = 30, s_rel0 = 0.1)
body1 : Body(m = 1)
bar1 : FixedTranslation(r = {0.3, 0, 0})
bar2 : FixedTranslation(r = {0.3, 0, 0})
body2 : Body(m = 1)
p2 : Prismatic(useAxisFlange = true, n = {0, -1, 0}, stateSelect = always, s(fixed, start = 0.1), v(fixed))
spring2 : Spring(c = 30, s_unstretched = 0.1)
connect world.frame_b, bar1.frame_a
connect bar1.frame_b, p1.frame_a, bar2.frame_a
connect body1.frame_a, p1.frame_b
connect p1.support, spring1.flange_a
connect spring1.flange_b, p1.axis
connect bar2.frame_b, p2.frame_a, spring2.frame_a
connect p2.frame_b, body2.frame_a, spring2.frame_b

experiment stop = 5, tolerance = 1e-8
