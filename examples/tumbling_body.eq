// A body thrown without gravity, turning about its middle axis of inertia: it flips over and back, again and again, though its angular
// momentum stays. Its orientation is a quaternion, so no attitude is special. Look at w_a[2], which changes its sign,
// and at the body itself: `:animate to body.html`.
use multibody

world : World(gravityType = NoGravity)
body : Body(m = 1, I_11 = 1, I_22 = 2, I_33 = 3, r_0(fixed), v_0(start = {1, 0, 0}, fixed), angles_fixed = true,
    w_0_fixed = true, w_0_start = {0.001, 5, 0.001})
variable L[3] : kg*m^2/s = body.frame_a.R.T' * {body.I_11 * body.w_a[1], body.I_22 * body.w_a[2], body.I_33 *
    body.w_a[3]} "angular momentum"

:simulate until 10 points 1000 tol 1e-9
:states
:value L at 0
:value L
:plot body.w_a[1] body.w_a[2] body.w_a[3]
