// Each link carries two more, in space: the last of the four shapes of "Achieving O(n) complexity" (Schubert and others, 2011). Look at
// `:blt`, core 0, and at `:ops`: the tree costs what a chain of as many links costs. `:animate to tree.html` shows the motion.
use multibody

parameter n = 7 "links: 1, 3, 7, 15 … make a full tree"
world : World
joint[n] : Revolute(n = {if mod(k, 2) == 0 then {0, 0, 1} else {1, 0, 0} for k in 1:n}, phi(start =
    {if k == 1 then 0.2 else if mod(k, 2) == 0 then 1 else -1 for k in 1:n}, fixed), w(fixed))
link[n] : BodyShape(r = {0, -0.3, 0}, r_CM = {0, -0.15, 0}, m = 0.2, I_11 = 0.0015, I_22 = 1e-5, I_33 = 0.0015)
connect world.frame_b, joint[1].frame_a
for k in 1:n
  connect joint[k].frame_b, link[k].frame_a
end
for k in 2:n
  connect link[div(k, 2)].frame_b, joint[k].frame_a
end

:simulate until 2 tol 1e-8
:blt
:ops
:plot joint[1].phi joint[2].phi joint[3].phi
