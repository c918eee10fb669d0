// A chain of n links that turn about parallel axes, hung at one end and let go: the first of the four shapes of "Achieving O(n) complexity"
// (Schubert and others, 2011). Look at the energy, which stays, and at `:ops`: set n to 7, 8, … and each further link costs the same.
// `:animate to chain.html` shows the motion.
use multibody

parameter n = 6 "links"
parameter m : kg = 0.2 "mass of a link"
parameter J : kg*m^2 = 0.0015 "its moment of inertia"
world : World
joint[n] : Revolute(phi(start = {if k == 1 then 0 else 0.1 for k in 1:n}, fixed), w(fixed))
link[n] : BodyShape(r = {0.3, 0, 0}, r_CM = {0.15, 0, 0}, m = m, I_11 = 1e-5, I_22 = J, I_33 = J)
connect world.frame_b, joint[1].frame_a
for k in 1:n
  connect joint[k].frame_b, link[k].frame_a
end
for k in 2:n
  connect link[k-1].frame_b, joint[k].frame_a
end
variable v[n, 3] : m/s "of the centres of mass"
variable E : J = sum(m * (v[k, :] * v[k, :]) / 2 + J * link[k].body.w_a[3]^2 / 2 + m * world.g * (link[k].r_0[2] +
    link[k].frame_b.r_0[2]) / 2 for k in 1:n) "energy: constant"
for k in 1:n
  v[k, :] = (link[k].frame_a.motion.v + link[k].frame_b.motion.v) / 2
end

:simulate until 2 tol 1e-8
:blt
:ops
:value E at 0
:value E
:plot joint[1].phi joint[n].phi
