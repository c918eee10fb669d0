// A heavy top in steady precession: it goes round the vertical at the rate Omega and keeps its angle theta, where
// (I_1 + m*l^2)*Omega^2*cos(theta) - I_3*w_3*Omega + m*g*l = 0. With the wrong Omega it would nod.
// Look at the height of its centre, which stays, and at how far it has gone round. `:animate to top.html` shows it.
use multibody

parameter theta : rad = 30 [deg] "from the vertical"
parameter spin : rad/s = 150 "about its own axis, w_3"
parameter m : kg = 0.5
parameter l : m = 0.08 "from the tip to the centre of mass"
parameter I1 : kg*m^2 = 5e-4
parameter I3 : kg*m^2 = 8e-4
constant g = 9.80665 [m/s^2]
parameter a : kg*m^2 = (I1 + m * l^2) * cos(theta)
parameter Omega : rad/s = (I3 * spin - sqrt((I3 * spin)^2 - 4 * a * m * g * l)) / (2 * a) "the slower of the two"

world : World(n = {0, 0, -1})
tip : Spherical(angles_fixed = true, sequence_start = {1, 2, 3}, angles_start = {theta, 0, 0}, w_rel_a_fixed = true,
    w_rel_a_start = {0, -(spin - Omega * cos(theta)) * sin(theta), (spin - Omega * cos(theta)) * cos(theta) + Omega})
top : Body(m = m, r_CM = {0, 0, l}, I_11 = I1, I_22 = I1, I_33 = I3)
connect world.frame_b, tip.frame_a
connect tip.frame_b, top.frame_a
variable axis[3] : 1 = top.frame_a.R.T[3, :] "of the top, in the world"

:simulate until 2 tol 1e-9
:value (axis[3] - cos(theta)) Omega
:value (axis[1] * cos(2 * Omega - pi / 2) + axis[2] * sin(2 * Omega - pi / 2) - sin(theta))
:plot axis[1] axis[2] axis[3]
