// Alternating pendulum: joints about two axes in turn, so that the motion is spatial (third shape of "Achieving O(n) complexity",
// 2011). Look at `:ops` beside that of links_planar.eq, and at the energy, which stays.
use "links.eq"

parameter n = 4 "links"
ground : Ground
link[n] : Link(axis = {if mod(k, 2) == 0 then 2 else 3 for k in 1:n})
connect ground.cut, link[1].a
for k in 2:n
  connect link[k-1].b, link[k].a
end
for k in 1:n
  initial link[k].joint.q = 0.1 * k
  initial link[k].joint.qd = 0
end
variable energy : J = sum(link[k].body.energy for k in 1:n) "of the whole mechanism: constant"

:simulate until 2 tol 1e-8
:blt
:ops
:value energy at 0
:value energy
:plot link[1].joint.q link[n].joint.q
