// Stick-slip: a shaft runs with 0.1 rad/s, pressed by a clutch's discs on an inertia that is held by a spring. The inertia sticks to the shaft until
// the spring pulls harder than the largest static torque, slides back, and is caught again: a saw tooth, as of a bow on a string. The friction
// element is stuck or slides forward or backward and changes between these at events only, from the mode before, so nothing chatters.
// Look at the angle and the speed, and at where the sticking ends: phi = peak*mu*fn/c, printed with the angle at the first slip.
use rotational

parameter w_drive : rad/s = 0.1 "speed of the shaft"
parameter c : N*m = 100 "stiffness of the spring"
drive : ConstantSpeed(w_fixed = w_drive, phi(start = 0, fixed))
discs : Clutch(fn_max = 10, mu_pos = [0, 0.5; 0.5, 0.3; 1, 0.3], peak = 1.4)
body : Inertia(J = 1, phi(start = 0, fixed), w(start = w_drive, fixed))
spring : Spring(c = c)
wall : Fixed
discs.f_normalized = 1
connect drive.flange, discs.flange_a
connect discs.flange_b, body.flange_a
connect body.flange_b, spring.flange_b
connect spring.flange_a, wall.flange
discrete slip(start = 0, fixed) : rad "angle at which sticking ended last"
when discs.mode != 0
  slip = body.phi
end

:simulate until 5 points 2000 tol 1e-8
:value slip (1.4 * 0.5 * 10 [N*m] / c)
:value body.phi body.w discs.mode
:plot body.phi
:plot body.w
