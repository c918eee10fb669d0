// Classes of the relaxing paper (Otter, Elmqvist and Cellier, CESA'96), sections 8 and 9: rigid bodies, bars and revolute joints in
// a tree, all vectors resolved in one common frame. A library: `use "links.eq"`.
// An acceleration a holds the angular one and then the linear one, a force f the torque and then the force; a_a + f_a cost six
// unknowns each at every cut, and the equations of motion couple all of them.

connector Cut "where two parts are joined"
  potential R[3, 3] : 1 "orientation: R times a vector of the part is the vector in the common frame"
  potential w[3] : rad/s "angular velocity"
  potential r[3] : m "position"
  potential v[3] : m/s "velocity"
  potential a[6] "angular and linear acceleration"
  flow f[6] "torque and force into the part"
end

model Ground "the inertial system; gravity acts as if it were accelerated upwards"
  parameter g[3] : m/s^2 = {0, -9.81, 0} "gravity"
  cut : Cut
  cut.R = identity(3)
  cut.w = zeros(3)
  cut.r = zeros(3)
  cut.v = zeros(3)
  cut.a[1:3] = zeros(3)
  cut.a[4:6] = -g
end

model Body "rigid body, equation (24), with its kinetic energy and its momentum"
  parameter m : kg = 1 "mass"
  parameter I[3] : kg*m^2 = {0.02, 0.02, 0.02} "moments of inertia about the axes of the part"
  parameter g[3] : m/s^2 = {0, -9.81, 0} "gravity, for the energy"
  cut : Cut
  variable J[3, 3] : kg*m^2 = cut.R * diagonal(I) * cut.R' "inertia in the common frame"
  variable energy : J = m * cut.v * cut.v / 2 + cut.w * (J * cut.w) / 2 - m * g * cut.r
  J * cut.a[1:3] = cut.f[1:3] - cross(cut.w, J * cut.w)
  m * cut.a[4:6] = cut.f[4:6]
end

model Bar "massless bar, equations (25) and (26)"
  parameter length : m = 1 "from a to b, along the part's first axis"
  a, b : Cut
  variable d[3] : m = length * a.R[:, 1] "from a to b"
  b.R = a.R
  b.w = a.w
  b.r = a.r + d
  b.v = a.v + cross(a.w, d)
  b.a[1:3] = a.a[1:3]
  b.a[4:6] = a.a[4:6] - cross(d, a.a[1:3]) + cross(a.w, cross(a.w, d))
  a.f[1:3] + b.f[1:3] + cross(d, b.f[4:6]) = zeros(3)
  a.f[4:6] + b.f[4:6] = zeros(3)
end

partial model Hinge "revolute joint, equations (27) and (28) without marks"
  parameter axis : Integer = 3 "which axis of the part it turns about: 2 or 3"
  parameter tau : N*m = 0 "torque on the axis"
  a, b : Cut
  variable q(state = prefer) : rad "angle"
  variable qd(state = prefer) : rad/s = der(q) "speed"
  variable qdd : rad/s^2 = der(qd) "acceleration"
  variable n[3] : 1 = a.R[:, axis] "axis in the common frame"
  if axis == 3
    b.R = a.R * [cos(q), -sin(q), 0; sin(q), cos(q), 0; 0, 0, 1]
  else
    b.R = a.R * [cos(q), 0, sin(q); 0, 1, 0; -sin(q), 0, cos(q)]
  end
  b.w = a.w + n * qd
  b.r = a.r
  b.v = a.v
  a.f + b.f = zeros(6)
end

model PlainJoint extends Hinge "no annotation"
  b.a[1:3] = a.a[1:3] + n * qdd + cross(a.w, n) * qd
  b.a[4:6] = a.a[4:6]
  n * a.f[1:3] = tau
end

model Joint extends Hinge "equations (27) and (29): the accelerations on the side of the ground are relaxed, the joint's is torn"
  b.a[1:3] = relax(a.a[1:3]) + n * qdd + cross(a.w, n) * qd
  b.a[4:6] = relax(a.a[4:6])
  n * a.f[1:3] = tau + residue(qdd)
end

model FrictionJoint extends Hinge "Coulomb friction in the bearing: a torque in proportion to the pull of the link"
  parameter radius : m = 0.05 "coefficient of friction times radius of the bearing"
  parameter slow : rad/s = 0.1 "speed below which the friction is smoothed"
  b.a[1:3] = relax(a.a[1:3]) + n * qdd + cross(a.w, n) * qd
  b.a[4:6] = relax(a.a[4:6])
  n * a.f[1:3] = tau + radius * tanh(qd / slow) * (b.R[:, 1] * a.f[4:6]) + residue(qdd)
end

model Link "figure 3 of the paper: joint 1, bar 3 to the body, bar 4 to what follows"
  parameter l : m = 1 "length"
  parameter axis : Integer = 3 "axis of the joint"
  a, b : Cut
  joint : Joint(axis = axis)
  bar3 : Bar(length = l / 2)
  bar4 : Bar(length = l)
  body : Body
  connect a, joint.a
  connect joint.b, bar3.a, bar4.a
  connect bar3.b, body.cut
  connect bar4.b, b
end
