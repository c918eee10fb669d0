// reference: Mechanics.MultiBody.Examples.Elementary.PendulumWithSpringDamper.csv
// A body that turns and slides, held by a spring and a damper.
use multibody

world : World
body1 : Body(m = 1, I_11 = 1, I_22 = 1, I_33 = 1)
bar1 : FixedTranslation(r = {0.3, 0, 0})
spring1 : Spring(c = 20, s_unstretched = 0.2)
damper1 : Damper(d = 1)
revolute : Revolute(phi(fixed), w(fixed))
prismatic : Prismatic(s(fixed, start = 0.5), v(fixed))
connect world.frame_b, bar1.frame_a
connect bar1.frame_b, revolute.frame_a, damper1.frame_a, spring1.frame_a
connect revolute.frame_b, prismatic.frame_a
connect prismatic.frame_b, damper1.frame_b, spring1.frame_b, body1.frame_a

experiment stop = 10, tolerance = 1e-8
