// Coulomb friction in the bearings: the torque of a joint depends on its force, and the matrix is no longer symmetric (relaxing paper,
// section 10). Relaxing and tearing do not mind. Look at the energy: friction takes it away.
use "links.eq"

parameter n = 4 "links"
ground : Ground
link[n] : Link(joint : FrictionJoint)
connect ground.cut, link[1].a
for k in 2:n
  connect link[k-1].b, link[k].a
end
for k in 1:n
  initial link[k].joint.q = if k == 1 then -1 else 0
  initial link[k].joint.qd = 0
end
variable energy : J = sum(link[k].body.energy for k in 1:n) "of the whole mechanism"

:simulate until 2 tol 1e-8
:blt
:ops
:value energy at 0
:value energy
:plot link[1].joint.q link[n].joint.q
