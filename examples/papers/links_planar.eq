// Planar pendulum of n links, equations (24) to (29) of the relaxing paper; first of the four shapes of "Achieving O(n) complexity"
// (Schubert and others, 2011). Look at `:ops`: set n to 5, 6, … and each further link costs the same. There is one division a link,
// and no matrix is solved.
use "links.eq"

parameter n = 4 "links"
ground : Ground
link[n] : Link
connect ground.cut, link[1].a
for k in 2:n
  connect link[k-1].b, link[k].a
end
for k in 1:n
  initial link[k].joint.q = 0
  initial link[k].joint.qd = 0
end
variable energy : J = sum(link[k].body.energy for k in 1:n) "of the whole mechanism: constant"

:simulate until 2 tol 1e-8
:blt
:ops
:value energy at 0
:value energy
:plot link[1].joint.q link[n].joint.q
