// reference: Mechanics.MultiBody.Examples.Elementary.DoublePendulum.csv
// Two boxes on two revolute joints, the first with a damper.
use multibody

world : World
revolute1 : Revolute(useAxisFlange = true, phi(fixed), w(fixed))
damper : rotational.Damper(d = 0.1)
boxBody1 : BodyBox(r = {0.5, 0, 0}, width = 0.06)
revolute2 : Revolute(phi(fixed), w(fixed))
boxBody2 : BodyBox(r = {0.5, 0, 0}, width = 0.06)
connect damper.flange_b, revolute1.axis
connect revolute1.support, damper.flange_a
connect revolute1.frame_b, boxBody1.frame_a
connect revolute2.frame_b, boxBody2.frame_a
connect boxBody1.frame_b, revolute2.frame_a
connect world.frame_b, revolute1.frame_a

experiment stop = 3, tolerance = 1e-8
