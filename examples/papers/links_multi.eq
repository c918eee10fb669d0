// Multi pendulum: each link carries two more, down to a depth (fourth shape of "Achieving O(n) complexity", 2011).
// Look at `:ops`: the cost is that of n links; the tree makes it no larger than a chain.
use "links.eq"

parameter n = 7 "links"
ground : Ground
link[n] : Link
connect ground.cut, link[1].a
for k in 2:n
  connect link[div(k, 2)].b, link[k].a
end
for k in 1:n
  initial link[k].joint.q = 0.3 * mod(k, 2)
  initial link[k].joint.qd = 0
end
variable energy : J = sum(link[k].body.energy for k in 1:n) "of the whole mechanism: constant"

:simulate until 2 tol 1e-8
:blt
:ops
:value energy at 0
:value energy
:plot link[1].joint.q link[n].joint.q
