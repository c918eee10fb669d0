// A wheel on double wishbones drives over a bump. The lower and the upper arm turn about axes along the car and hold the upright in two
// balls; a track rod keeps it from steering; the corner of the car moves up and down. Spring and damper stand on the lower arm, the tyre is
// a spring to the road. Look at how little of the bump the car takes, at the wheel's camber, and at `:states`: two degrees of freedom.
// `:animate to suspension.html` shows the motion.
use multibody

parameter mass : kg = 300 "of the corner of the car"
parameter tyre : N/m = 200000 "stiffness"
parameter radius : m = 0.3 "of the wheel"
world : World(n = {0, 0, -1})
lift : Prismatic(n = {0, 0, 1}, s(start = 0.42, fixed), v(start = 0, fixed))
corner : BodyBox(r = {0, 0.3, 0}, r_shape = {0, 0.05, 0}, width = 0.3, height = 0.3, widthDirection = {1, 0, 0},
    density = mass / 0.0225 [m^3])
lower_place : FixedTranslation(r = {0, 0, -0.25})
upper_place : FixedTranslation(r = {0, 0.05, 0.1})
rod_place : FixedTranslation(r = {0.15, 0, -0.15}, animation = false)
strut_place : FixedTranslation(r = {0, 0.1, 0.3})
lower : Revolute(n = {1, 0, 0}, phi(start = 0, fixed), w(start = 0, fixed))
lower_arm : BodyCylinder(r = {0, 0.4, 0}, diameter = 0.03)
strut_foot : FixedTranslation(r = {0, 0.3, 0}, animation = false)
upper : Revolute(n = {1, 0, 0})
upper_arm : BodyCylinder(r = {0, 0.3, 0}, diameter = 0.03)
lower_ball : Spherical
upright : BodyCylinder(r = {0, -0.05, 0.35}, diameter = 0.04)
upper_ball : CutSpherical
track_arm : FixedTranslation(r = {0.15, -0.02, 0.1})
track_rod : SphericalSpherical(computeRodLength = true)
hub : FixedTranslation(r = {0, 0.12, 0.15})
wheel : BodyCylinder(r = {0, 0.2, 0}, diameter = 2 * radius, innerDiameter = 1.2 * radius, density = 600)
strut : SpringDamperParallel(c = 40000, s_unstretched = 0.69, d = 3000)
contact : WorldForce
connect world.frame_b, lift.frame_a
connect lift.frame_b, corner.frame_a
connect corner.frame_b, lower_place.frame_a, upper_place.frame_a, rod_place.frame_a, strut_place.frame_a
connect lower_place.frame_b, lower.frame_a
connect lower.frame_b, lower_arm.frame_a, strut_foot.frame_a
connect lower_arm.frame_b, lower_ball.frame_a
connect lower_ball.frame_b, upright.frame_a, track_arm.frame_a, hub.frame_a
connect upper_place.frame_b, upper.frame_a
connect upper.frame_b, upper_arm.frame_a
connect upright.frame_b, upper_ball.frame_a
connect upper_arm.frame_b, upper_ball.frame_b
connect rod_place.frame_b, track_rod.frame_a
connect track_arm.frame_b, track_rod.frame_b
connect hub.frame_b, wheel.frame_a, contact.frame_b
connect strut_foot.frame_b, strut.frame_a
connect strut_place.frame_b, strut.frame_b

variable part : 1 = noEvent(min(max((time - 1 [s]) / 0.25 [s], 0), 1)) "of the bump"
variable road : m = 0.04 [m] * (1 - cos(2 * pi * part)) "height"
variable z : m = wheel.frame_a.r_0[3] "of the wheel's hub"
variable camber : rad = asin(upright.frame_a.R.T[2, 3])
contact.force = {0, 0, noEvent(max(tyre * (road + radius - z), 0))}

:simulate until 3 tol 1e-6
:states
:blt
:value lift.s strut.s camber z
:plot (lift.s - 0.39) (z - 0.28) road
