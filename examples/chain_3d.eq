// A chain of n links with axes in turn across each other. Look at `:ops`: set n to 8, 9, 10 … and each further link costs as much as the
// one before (docs/multibody.md), and at the energy, which stays. `:animate to chain.html` shows the motion.
use multibody

parameter n = 6 "links"
parameter m : kg = 0.5 "mass of a link"
parameter I[3] : kg*m^2 = {0.001, 0.01, 0.01} "its moments of inertia"
world : World
joint[n] : Revolute(n = {if mod(k, 2) == 0 then {0, 0, 1} else {0, 1, 0} for k in 1:n}, phi(start = {0.2 *
    k for k in 1:n}, fixed), w(fixed))
link[n] : BodyShape(r = {0.5, 0, 0}, r_CM = {0.25, 0, 0}, m = m, I_11 = I[1], I_22 = I[2], I_33 = I[3])
connect world.frame_b, joint[1].frame_a
for k in 1:n
  connect joint[k].frame_b, link[k].frame_a
end
for k in 2:n
  connect link[k-1].frame_b, joint[k].frame_a
end
variable v[n, 3] : m/s "of the centres of mass"
variable w[n, 3] : rad/s
variable E : J = sum(m * (v[k, :] * v[k, :]) / 2 + w[k, :] * (diagonal(I) * w[k, :]) / 2 + m * world.g *
    (link[k].r_0[2] + link[k].frame_b.r_0[2]) / 2 for k in 1:n) "energy: constant"
for k in 1:n
  v[k, :] = (link[k].frame_a.motion.v + link[k].frame_b.motion.v) / 2
  w[k, :] = link[k].body.w_a
end

:simulate until 2 tol 1e-8
:blt
:ops
:value E at 0
:value E
:plot joint[1].phi joint[n].phi
