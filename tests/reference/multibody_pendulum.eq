// reference: Mechanics.MultiBody.Examples.Elementary.Pendulum.csv
// A body on a revolute joint with a damper.
use multibody

world : World
rev : Revolute(n = {0, 0, 1}, useAxisFlange = true, phi(fixed), w(fixed))
damper : rotational.Damper(d = 0.1)
body : Body(m = 1, r_CM = {0.5, 0, 0})
connect world.frame_b, rev.frame_a
connect damper.flange_b, rev.axis
connect rev.support, damper.flange_a
connect body.frame_a, rev.frame_b

experiment stop = 5, tolerance = 1e-8
