// multibody/tests_loops.eq: closed kinematic loops, and what closes them, against closed forms and each other.

test "a parallelogram swings like one pendulum"
  world : World(g = 10)
  j1 : Revolute(phi(start = 1.2, fixed), w(start = 0, fixed), stateSelect = always)
  b1 : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, m = 2, I_33 = 0.1)
  j2 : Revolute(phi(start = -1.2))
  b2 : BodyShape(r = {2, 0, 0}, r_CM = {1, 0, 0}, m = 3, I_33 = 0.2)
  ground : FixedTranslation(r = {2, 0, 0})
  j3 : Revolute(phi(start = 1.2))
  b3 : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, m = 2, I_33 = 0.1)
  cut : RevolutePlanarLoopConstraint
  connect world.frame_b, j1.frame_a, ground.frame_a
  connect j1.frame_b, b1.frame_a
  connect b1.frame_b, j2.frame_a
  connect j2.frame_b, b2.frame_a
  connect ground.frame_b, j3.frame_a
  connect j3.frame_b, b3.frame_a
  connect b2.frame_b, cut.frame_a
  connect b3.frame_b, cut.frame_b
  variable x(start = 1.2, fixed)
  variable v(start = 0, fixed) = der(x)
  (2 * (0.1 + 2 * 0.5^2) + 3) * der(v) = -10 * (2 * 0.5 + 2 * 0.5 + 3) * cos(x)
  :simulate until 0.4 tol 1e-9
  assert abs(j1.phi - x) < 1e-6 and abs(j1.w - v) < 1e-6, "J1 + J3 + m2*r^2"
  assert abs(j2.phi + x) < 1e-6 and abs(j3.phi - x) < 1e-6 and abs(j3.w - v) < 1e-6, "angles"
end

test "slider-crank: where the slider is, and the energy"
  world : World(g = 10)
  crank : Revolute(phi(start = 0.7, fixed), w(start = 2, fixed), stateSelect = always)
  arm : BodyShape(r = {0.3, 0, 0}, r_CM = {0.15, 0, 0}, m = 2, I_33 = 0.02)
  pin : Revolute(phi(start = -1))
  rod : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, m = 1, I_33 = 0.1)
  slide : Prismatic(n = {1, 0, 0}, s(start = 1.2))
  piston : Body(m = 3)
  cut : RevolutePlanarLoopConstraint
  connect world.frame_b, crank.frame_a, slide.frame_a
  connect crank.frame_b, arm.frame_a
  connect arm.frame_b, pin.frame_a
  connect pin.frame_b, rod.frame_a
  connect slide.frame_b, piston.frame_a, cut.frame_b
  connect rod.frame_b, cut.frame_a
  variable v[3] = rod.frame_a.motion.v + cross(rod.frame_a.R.w, rod.r_CM)
  variable E = (0.02 + 2 * 0.15^2) * crank.w^2 / 2 + rod.m * (v * v) / 2 + rod.I_33 * rod.frame_a.R.w[3]^2 / 2 + 3 *
      slide.v^2 / 2 + 10 * (2 * 0.15 * sin(crank.phi) + rod.frame_a.r_0[2] / 2)
  parameter E0(fixed = false)
  initial E0 = E
  :simulate until 2 tol 1e-9
  assert abs(slide.s - 0.3 * cos(crank.phi) - sqrt(1 - (0.3 * sin(crank.phi))^2)) < 1e-8, "position of the slider"
  assert abs(E - E0) < 1e-6, "energy"
  assert abs(pin.phi + crank.phi + asin(0.3 * sin(crank.phi))) < 1e-8, "angle of the rod"
end

test "a loop closed by a connection, and by cut joints in place of one of its joints"
  model Loop "Fourbar1 of MSL without its revolute joint rev1"
    outer world : World
    j1 : Revolute(n = {1, 0, 0}, stateSelect = always, phi(start = 0, fixed), w(start = 5, fixed))
    j2 : Prismatic(n = {1, 0, 0}, s(start = -0.2))
    b0 : FixedTranslation(r = {1.2, 0, 0})
    b1 : BodyCylinder(r = {0, 0.5, 0.1}, diameter = 0.05)
    b2 : BodyCylinder(r = {0, 0.2, 0}, diameter = 0.05)
    b3 : BodyCylinder(r = {-1, 0.3, 0.1}, diameter = 0.05)
    rev : Revolute(n = {0, 1, 0})
    j3 : Revolute(n = {1, 0, 0})
    j4 : Revolute(n = {0, 1, 0})
    j5 : Revolute(n = {0, 0, 1})
    connect world.frame_b, j1.frame_a, b0.frame_a
    connect b0.frame_b, j2.frame_a
    connect j2.frame_b, b2.frame_a
    connect b2.frame_b, rev.frame_a
    connect j1.frame_b, b1.frame_a
    connect b1.frame_b, j3.frame_a
    connect j3.frame_b, j4.frame_a
    connect j4.frame_b, j5.frame_a
    connect j5.frame_b, b3.frame_b
    variable v1[3] = b1.frame_a.motion.v + cross(b1.frame_a.R.w, b1.r_CM)
    variable v2[3] = b2.frame_a.motion.v + cross(b2.frame_a.R.w, b2.r_CM)
    variable v3[3] = b3.frame_a.motion.v + cross(b3.frame_a.R.w, b3.r_CM)
    variable E = (b1.m * (v1 * v1) + b2.m * (v2 * v2) + b3.m * (v3 * v3) + b1.frame_a.R.w * (b1.I * b1.frame_a.R.w) +
        b2.frame_a.R.w * (b2.I * b2.frame_a.R.w) + b3.frame_a.R.w * (b3.I * b3.frame_a.R.w)) / 2 + world.g * (b1.m *
        (b1.r_0[2] + b1.frame_b.r_0[2]) + b2.m * (b2.r_0[2] + b2.frame_b.r_0[2]) + b3.m * (b3.r_0[2] +
        b3.frame_b.r_0[2])) / 2
  end
  world : World
  a, b : Loop
  joint : Revolute
  cut : CutRevolute
  connect a.rev.frame_b, joint.frame_a
  connect joint.frame_b, a.b3.frame_a
  connect b.rev.frame_b, cut.frame_a
  connect cut.frame_b, b.b3.frame_a
  parameter E0(fixed = false)
  initial E0 = a.E
  :simulate until 1 tol 1e-9
  assert abs(a.E - E0) < 1e-5 * abs(E0), "energy"
  assert abs(a.j1.phi - b.j1.phi) < 1e-5 and abs(a.j2.s - b.j2.s) < 1e-5, "the cut joint is as good as the joint"
  assert abs(a.j1.frame_b.f[2] - b.j1.frame_b.f[2]) < 0.01, "and its forces"
end

test "a rod without mass between a crank and a rocker whose axes cross in space"
  world : World
  crank : Revolute(n = {1, 0, 0}, phi(start = 0.3, fixed), w(start = 1, fixed), stateSelect = always)
  arm : BodyShape(r = {0, 0.2, 0}, r_CM = {0, 0.1, 0}, m = 1, I_11 = 0.01, I_22 = 0.001, I_33 = 0.01)
  ground : FixedTranslation(r = {1, 0, 0.4})
  rocker : Revolute(n = {0, 0, 1}, phi(start = 0.1))
  beam : BodyShape(r = {0, 0.5, 0}, r_CM = {0, 0.25, 0}, m = 2, I_11 = 0.05, I_22 = 0.001, I_33 = 0.05)
  rod : SphericalSpherical(rodLength = 1.1)
  connect world.frame_b, crank.frame_a, ground.frame_a
  connect crank.frame_b, arm.frame_a
  connect ground.frame_b, rocker.frame_a
  connect rocker.frame_b, beam.frame_a
  connect arm.frame_b, rod.frame_a
  connect beam.frame_b, rod.frame_b
  variable E = (0.01 + 0.01) * crank.w^2 / 2 + (0.05 + 2 * 0.25^2) * rocker.w^2 / 2 + world.g * (arm.frame_b.r_0[2] /
      2 + beam.frame_b.r_0[2])
  parameter E0(fixed = false)
  initial E0 = E
  :simulate until 0.5 tol 1e-9
  assert abs(E - E0) < 1e-6, "energy"
  assert abs(rod.rRod_0 * rod.rRod_0 - 1.21) < 1e-8, "length"
end

test "a body on two strings: spherical joints as cuts"
  world : World(g = 10)
  bar : Body(m = 2, I_11 = 0.1, I_22 = 0.1, I_33 = 0.1)
  slide : Prismatic(n = {0, 1, 0}, s(start = -1, fixed), v(start = 0, fixed))
  spring : Spring(c = 30, s_unstretched = 0.5)
  hook : CutSpherical
  free : PointMass(m = 1)
  connect world.frame_b, slide.frame_a, spring.frame_a
  connect slide.frame_b, bar.frame_a, spring.frame_b, hook.frame_a
  connect hook.frame_b, free.frame_a
  variable y(start = 1, fixed)
  variable v(start = 0, fixed) = der(y)
  3 * der(v) = 30 - 30 * (y - 0.5)
  :simulate until 1 tol 1e-9
  assert abs(slide.s + y) < 1e-6, "the point mass hangs on the body"
  assert abs(free.frame_a.f[2] - (10 - der(v))) < 1e-5, "and takes its part of the force"
end

test "plane loops of revolute joints alone: the reactions across the plane are open, the motion is the same"
  model Crank "a slider-crank without the joint at the slide; the crank's bearing may be offset along the axis, which the rod makes good"
    parameter offset = 0
    outer world : World
    crank : Revolute(phi(start = 0.7, fixed), w(start = 2, fixed), stateSelect = always)
    arm : BodyShape(r = {0.3, 0, offset}, r_CM = {0.15, 0, 0}, m = 2, I_33 = 0.02)
    pin : Revolute(phi(start = -1))
    rod : BodyShape(r = {1, 0, -offset}, r_CM = {0.5, 0, 0}, m = 1, I_33 = 0.1)
    slide : Prismatic(n = {1, 0, 0}, s(start = 1.2))
    piston : Body(m = 3)
    connect world.frame_b, crank.frame_a, slide.frame_a
    connect crank.frame_b, arm.frame_a
    connect arm.frame_b, pin.frame_a
    connect pin.frame_b, rod.frame_a
    connect slide.frame_b, piston.frame_a
  end
  world : World(g = 10)
  a, b, c, d : Crank
  e : Crank(offset = 0.1)
  joint : RevolutePlanarLoopConstraint
  redundant : Revolute
  turned : Revolute
  cut : CutRevolute
  beside : Revolute
  connect a.rod.frame_b, joint.frame_a
  connect joint.frame_b, a.piston.frame_a
  connect b.rod.frame_b, redundant.frame_a
  connect redundant.frame_b, b.piston.frame_a
  connect c.rod.frame_b, turned.frame_b
  connect turned.frame_a, c.piston.frame_a
  connect d.rod.frame_b, cut.frame_a
  connect cut.frame_b, d.piston.frame_a
  connect e.rod.frame_b, beside.frame_a
  connect beside.frame_b, e.piston.frame_a
  :simulate until 1 tol 1e-9
  assert abs(a.crank.phi - b.crank.phi) + abs(a.crank.phi - c.crank.phi) < 1e-7, "a revolute joint, either way round"
  assert abs(a.crank.phi - d.crank.phi) + abs(a.crank.phi - e.crank.phi) < 1e-7,
      "a cut joint; arms that leave the plane and come back"
  assert abs(a.pin.frame_b.f[1] - b.pin.frame_b.f[1]) + abs(a.pin.frame_b.f[2] - b.pin.frame_b.f[2]) < 1e-4,
      "forces in the plane"
  assert abs(b.slide.s - e.slide.s) < 1e-7 and abs(redundant.phi + turned.phi) < 1e-6, "the rest of the loop"
end

test "the joint of a loop that is set anew is a state: the others follow from it"
  world : World(g = 0)
  model FourBar
    outer world : World
    parameter choice : State = default
    a : Revolute(phi(start = 0.7, fixed), w(start = 3, fixed), stateSelect = choice)
    b : Revolute(phi(start = -0.4))
    c : RevolutePlanarLoopConstraint
    d : Revolute(phi(start = 0.9))
    crank : BodyShape(r = {0.5, 0, 0}, r_CM = {0.25, 0, 0})
    coupler : BodyShape(r = {2, 0, 0}, r_CM = {1, 0, 0})
    rocker : BodyShape(r = {1.5, 0, 0}, r_CM = {0.75, 0, 0})
    base : FixedTranslation(r = {2, 0, 0})
    connect world.frame_b, a.frame_a, base.frame_a
    connect a.frame_b, crank.frame_a
    connect crank.frame_b, b.frame_a
    connect b.frame_b, coupler.frame_a
    connect coupler.frame_b, c.frame_a
    connect c.frame_b, rocker.frame_b
    connect base.frame_b, d.frame_a
    connect d.frame_b, rocker.frame_a
  end
  free : FourBar
  hit : FourBar
  chosen : FourBar(choice = always)
  when time > 0.5
    reinit hit.a.w = 2 * hit.a.w
    reinit chosen.a.w = 2 * chosen.a.w
  end
  :simulate until 0.6 tol 1e-9
  assert abs(hit.d.w - chosen.d.w) < 1e-6 and abs(hit.a.phi - chosen.a.phi) < 1e-7
  assert abs(hit.d.phi - free.d.phi) < 1e-7 and abs(hit.a.w - free.a.w) < 1e-6 at 0.499
  assert abs(hit.a.w) > 1.5 * abs(free.a.w), "it goes on twice as fast" at 0.501
end

test "a rod with a mass hangs and holds a weight: the force at either end, along the rod"
  world : World(g = 10)
  rod : SphericalSpherical(rodLength = 1, m = 1)
  weight : PointMass(m = 2, r_0(start = {0, -1, 0}, fixed = {true, false, true}), v_0(fixed = {true, false, true}))
  connect world.frame_b, rod.frame_a
  connect rod.frame_b, weight.frame_a
  :simulate until 0.1 tol 1e-9
  assert abs(rod.f_rod + 30) < 1e-6, "f_rod"
  assert abs(rod.frame_a.f[2] - 30) < 1e-6 and abs(rod.frame_b.f[2] + 20) < 1e-6, "the weight, and that with the rod's"
end
