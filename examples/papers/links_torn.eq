// The alternating pendulum torn by hand at the accelerations of its joints (relaxing paper, section 8): what remains is the mass matrix
// of the standard form (30). Look at `:blt`: the core is n and its LU costs n^3; with relax, as in links_alternating.eq, there is no core.
use "links.eq"

parameter n = 4 "links"
ground : Ground
link[n] : Link(axis = {if mod(k, 2) == 0 then 2 else 3 for k in 1:n}, joint : PlainJoint)
connect ground.cut, link[1].a
for k in 2:n
  connect link[k-1].b, link[k].a
end
for k in 1:n
  tear link[k].joint.qdd
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
