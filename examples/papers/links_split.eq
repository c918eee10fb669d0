// Split pendulum: a planar pendulum with a branch of two links (second shape of "Achieving O(n) complexity", 2011).
// Look at `:ops`: as linear in n as the chain alone.
use "links.eq"

parameter n = 4 "links"
ground : Ground
link[n], branch[2] : Link
connect ground.cut, link[1].a
for k in 2:n
  connect link[k-1].b, link[k].a
end
connect link[2].b, branch[1].a
connect branch[1].b, branch[2].a
for k in 1:2
  initial (branch[k].joint.q) = 0.5
  initial (branch[k].joint.qd) = 0
end
for k in 1:n
  initial link[k].joint.q = 0
  initial link[k].joint.qd = 0
end
variable energy : J = sum(link[k].body.energy for k in 1:n) + sum(branch[k].body.energy for k in 1:2) "constant"

:simulate until 2 tol 1e-8
:blt
:ops
:value energy at 0
:value energy
:plot link[1].joint.q link[n].joint.q
