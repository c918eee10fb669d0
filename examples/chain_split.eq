// A chain with a short branch at every link, the second of the four shapes of "Achieving O(n) complexity" (Schubert and others, 2011): each
// branch swings to and fro while the chain falls. Look at `:blt`, core 0, and at `:ops`: the cost is that of 2n links in a row.
// `:animate to chain.html` shows the motion.
use multibody

parameter n = 4 "links of the chain"
world : World
joint[n] : Revolute(phi(start = {if k == 1 then -0.3 else 0.2 for k in 1:n}, fixed), w(fixed))
link[n] : BodyShape(r = {0.3, 0, 0}, r_CM = {0.15, 0, 0}, m = 0.2, I_11 = 1e-5, I_22 = 0.0015, I_33 = 0.0015)
hinge[n] : Revolute(phi(start = -1, fixed), w(fixed))
arm[n] : BodyShape(r = {0.15, 0, 0}, r_CM = {0.1, 0, 0}, m = 0.1, I_11 = 1e-5, I_22 = 2e-4, I_33 = 2e-4)
connect world.frame_b, joint[1].frame_a
for k in 1:n
  connect joint[k].frame_b, link[k].frame_a
  connect link[k].frame_b, hinge[k].frame_a
  connect hinge[k].frame_b, arm[k].frame_a
end
for k in 2:n
  connect link[k-1].frame_b, joint[k].frame_a
end

:simulate until 2 tol 1e-8
:blt
:ops
:plot joint[1].phi joint[n].phi hinge[n].phi
