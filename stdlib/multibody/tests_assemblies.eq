// multibody/tests_assemblies.eq: rods and chains of joints against the same mechanism of single joints, against closed forms, and turned round.

test "a rod with a universal and a spherical joint is as good as its joints"
  // A crank about x and a slide along x, tied by a coupler with a mass: of single joints, and with a UniversalSpherical either way round.
  partial model CrankAndSlide
    outer world : World
    parameter start_phi : rad = 0.3
    crank : Revolute(n = {1, 0, 0}, phi(start = start_phi, fixed), w(start = 5, fixed), stateSelect = always)
    arm : BodyShape(r = {0, 0.4, 0.1}, r_CM = {0, 0.2, 0.05}, m = 1, I_11 = 0.02, I_22 = 0.003, I_33 = 0.02)
    slide : Prismatic(n = {1, 0, 0}, s(start = 1))
    load : Body(m = 2)
    connect world.frame_b, crank.frame_a, slide.frame_a
    connect crank.frame_b, arm.frame_a
    connect slide.frame_b, load.frame_a
  end

  model Elementary extends CrankAndSlide "universal joint at the slide, spherical joint at the crank"
    universal_1 : Revolute(n = {0, 0, 1})
    universal_2 : Revolute(n = {0, 1, 0}, phi(start = 0.1))
    rod : FixedTranslation(r = {-1, 0, 0})
    mass : Body(r_CM = {-0.5, 0.1, 0}, m = 1.5, I_11 = 0.01, I_22 = 0.1, I_33 = 0.12)
    ball : Spherical
    connect slide.frame_b, universal_1.frame_a
    connect universal_1.frame_b, universal_2.frame_a
    connect universal_2.frame_b, rod.frame_a, mass.frame_a
    connect rod.frame_b, ball.frame_a
    connect ball.frame_b, arm.frame_b
  end

  model WithRod extends CrankAndSlide "the same with one component"
    rod : UniversalSpherical(n1_a = {0, 0, 1}, rRod_ia = {-1, 0, 0})
    mass : Body(r_CM = {-0.5, 0.1, 0}, m = 1.5, I_11 = 0.01, I_22 = 0.1, I_33 = 0.12)
    connect slide.frame_b, rod.frame_a
    connect rod.frame_ia, mass.frame_a
    connect rod.frame_b, arm.frame_b
  end
  world : World
  a : Elementary
  b : WithRod
  :simulate until 1 tol 1e-9
  assert abs(a.crank.phi - b.crank.phi) < 1e-5 and abs(a.slide.s - b.slide.s) < 1e-6, "motion"
  assert abs(a.crank.frame_b.f[2] - b.crank.frame_b.f[2]) < 0.01, "forces"
  assert abs(b.rod.rRod_a * b.rod.rRod_a - 1) < 1e-8, "length"
end

// A crank and a place some way off, tied by an assembly, whose frame_a is at the crank or at the other end.
test "assemblies of joints close loops, either way round: the energy stays"
  partial model Drive
    outer world : World
    parameter back : Boolean = false "frame_b at the crank"
    parameter far[3] = {1, 0.1, 0.2} "where the assembly's other end is held"
    crank : Revolute(n = {0, 0, 1}, phi(start = 0.4, fixed), w(start = 3, fixed), stateSelect = always)
    arm : BodyShape(r = {0.3, 0, 0}, r_CM = {0.15, 0.02, 0}, m = 2, I_11 = 0.01, I_22 = 0.02, I_33 = 0.02)
    ground : FixedTranslation(r = far)
    hold : FixedTranslation "frame_b: at the crank's end"
    connect world.frame_b, crank.frame_a, ground.frame_a
    connect crank.frame_b, arm.frame_a
    connect arm.frame_b, hold.frame_a
    variable v[3] = arm.frame_a.motion.v + cross(arm.body.w_a, arm.r_CM)
    variable E_arm = arm.m * (v * v) / 2 + arm.I_33 * arm.body.w_a[3]^2 / 2 + arm.m * world.g * (arm.r_0[2] +
        arm.frame_a.R.T[:, 2] * arm.r_CM)
  end
  model Load "a body with its energy"
    outer world : World
    frame_a : Frame
    body : Body(r_CM = {0.2, 0.05, 0.1}, m = 1.5, I_11 = 0.01, I_22 = 0.1, I_33 = 0.12)
    connect frame_a, body.frame_a
    variable v[3] = frame_a.motion.v + cross(body.w_a, body.r_CM)
    variable E = body.m * (v * v) / 2 + (body.I_11 * body.w_a[1]^2 + body.I_22 * body.w_a[2]^2 + body.I_33 *
        body.w_a[3]^2) / 2 + body.m * world.g * (frame_a.r_0[2] + frame_a.R.T[:, 2] * body.r_CM)
  end
  model USR extends Drive
    joint : JointUSR(n1_a = {0, 0, 1}, rRod1_ia = {0.9, 0, 0}, n_b = {0, 0.2, 1}, rRod2_ib = {0, 0.5, 0})
    a, b : Load
    if back
      connect hold.frame_b, joint.frame_b
      connect ground.frame_b, joint.frame_a
    else
      connect hold.frame_b, joint.frame_a
      connect ground.frame_b, joint.frame_b
    end
    connect joint.frame_ia, a.frame_a
    connect joint.frame_ib, b.frame_a
    variable E = E_arm + a.E + b.E
  end
  model USP extends Drive(far = {0.2, 0.1, 0.2})
    joint : JointUSP(n1_a = {0, 0, 1}, rRod1_ia = {0.9, 0, 0}, n_b = {1, 0.1, 0}, rRod2_ib = {0, 0.1, 0}, s_guess = 0.8)
    a, b : Load
    if back
      connect hold.frame_b, joint.frame_b
      connect ground.frame_b, joint.frame_a
    else
      connect hold.frame_b, joint.frame_a
      connect ground.frame_b, joint.frame_b
    end
    connect joint.frame_ia, a.frame_a
    connect joint.frame_im, b.frame_a
    variable E = E_arm + a.E + b.E
  end
  model SSR extends Drive
    joint : JointSSR(rod1Length = 0.9, n_b = {0, 0.2, 1}, rRod2_ib = {0, 0.5, 0}, rod1Mass = 0.7)
    b : Load
    if back
      connect hold.frame_b, joint.frame_b
      connect ground.frame_b, joint.frame_a
    else
      connect hold.frame_b, joint.frame_a
      connect ground.frame_b, joint.frame_b
    end
    connect joint.frame_ib, b.frame_a
    variable v_m[3] = (joint.rod1.frame_a.R.T' * joint.rod1.frame_a.motion.v + joint.rod1.frame_b.R.T' *
        joint.rod1.frame_b.motion.v) / 2
    variable E = E_arm + b.E + 0.35 * (v_m * v_m) + 0.35 * world.g * (joint.rod1.frame_a.r_0[2] +
        joint.rod1.frame_b.r_0[2])
  end
  model SSP extends Drive(far = {0.2, 0.1, 0.2})
    joint : JointSSP(rod1Length = 0.9, n_b = {1, 0.1, 0}, rRod2_ib = {0, 0.1, 0}, s_guess = 0.8)
    b : Load
    if back
      connect hold.frame_b, joint.frame_b
      connect ground.frame_b, joint.frame_a
    else
      connect hold.frame_b, joint.frame_a
      connect ground.frame_b, joint.frame_b
    end
    connect joint.frame_ib, b.frame_a
    variable E = E_arm + b.E
  end
  model UPS extends Drive "the other end is on a rocker; a spring acts along the joint"
    joint : JointUPS(n1_a = {0, 0, 1}, nAxis_ia = {1, 0, 0}, s_offset = 0.1)
    spring : translational.Spring(c = 50, s_rel0 = 0.6)
    rocker : Revolute(n = {0, 0.3, 1}, phi(start = 0.2, fixed), w(start = -1, fixed))
    bar : FixedTranslation(r = {0, 0.5, 0})
    a, b, c : Load
    connect ground.frame_b, rocker.frame_a
    connect rocker.frame_b, bar.frame_a, c.frame_a
    if back
      connect hold.frame_b, joint.frame_b
      connect bar.frame_b, joint.frame_a
    else
      connect hold.frame_b, joint.frame_a
      connect bar.frame_b, joint.frame_b
    end
    connect joint.frame_ia, a.frame_a
    connect joint.frame_ib, b.frame_a
    connect spring.flange_a, joint.bearing
    connect spring.flange_b, joint.axis
    variable E = E_arm + a.E + b.E + c.E + 25 * (spring.s_rel - 0.6)^2
  end
  world : World
  usr : USR
  usp : USP
  ssr : SSR
  ssp : SSP
  ups : UPS
  rsu : USR(back = true)
  psu : USP(back = true)
  rss : SSR(back = true)
  pss : SSP(back = true)
  spu : UPS(back = true)
  variable E[10] = {usr.E, usp.E, ssr.E, ssp.E, ups.E, rsu.E, psu.E, rss.E, pss.E, spu.E}
  parameter E0[10](fixed = false)
  initial E0 = E
  :simulate until 1 tol 1e-9
  assert max(abs(E[k] - E0[k]) for k in 1:5) < 1e-5, "JointUSR, JointUSP, JointSSR, JointSSP, JointUPS"
  assert max(abs(E[k] - E0[k]) for k in 6:10) < 1e-5, "the same turned round"
end

test "plane assemblies: a four-bar and a slider-crank, as of single joints"
  world : World
  crank[2], crank2[2] : Revolute(phi(start = 0.5, fixed), w(start = 4, fixed), stateSelect = always)
  arm[2], arm2[2] : BodyShape(r = {0.3, 0, 0}, r_CM = {0.15, 0, 0}, m = 2, I_33 = 0.02)
  far : FixedTranslation(r = {0.8, 0, 0})
  rrr : JointRRR(rRod1_ia = {0.7, 0, 0}, rRod2_ib = {0, 0.6, 0}, phi_guess = 0.3)
  couple[2], rock[2] : Body(r_CM = {0.2, 0.1, 0}, m = 1, I_33 = 0.1)
  pin : Revolute(phi(start = 0.3))
  rod : FixedTranslation(r = {0.7, 0, 0})
  rocker : Revolute(phi(start = 0.3))
  beam : FixedTranslation(r = {0, 0.6, 0})
  joint : RevolutePlanarLoopConstraint
  rrp : JointRRP(rRod1_ia = {0.9, 0, 0}, n_b = {1, 0, 0}, rRod2_ib = {0.1, 0, 0}, s_guess = 1)
  piston[2] : Body(m = 2)
  slide : Prismatic(n = {1, 0, 0}, s(start = 1))
  nose : FixedTranslation(r = {0.1, 0, 0})
  wrist : RevolutePlanarLoopConstraint
  link : FixedTranslation(r = {0.9, 0, 0})
  knee : Revolute(phi(start = -0.6))
  connect world.frame_b, crank[1].frame_a, crank[2].frame_a, crank2[1].frame_a, crank2[2].frame_a, far.frame_a,
      slide.frame_a, rrp.frame_b
  connect far.frame_b, rrr.frame_b, rocker.frame_a
  for k in 1:2
    connect crank[k].frame_b, arm[k].frame_a
    connect crank2[k].frame_b, arm2[k].frame_a
  end
  connect arm[1].frame_b, rrr.frame_a
  connect rrr.frame_ia, couple[1].frame_a
  connect rrr.frame_ib, rock[1].frame_a
  connect arm[2].frame_b, pin.frame_a
  connect pin.frame_b, rod.frame_a, couple[2].frame_a
  connect rocker.frame_b, beam.frame_a, rock[2].frame_a
  connect rod.frame_b, joint.frame_a
  connect beam.frame_b, joint.frame_b
  connect arm2[1].frame_b, rrp.frame_a
  connect rrp.frame_ib, piston[1].frame_a
  connect slide.frame_b, nose.frame_a, piston[2].frame_a
  connect arm2[2].frame_b, knee.frame_a
  connect knee.frame_b, link.frame_a
  connect link.frame_b, wrist.frame_a
  connect nose.frame_b, wrist.frame_b
  :simulate until 0.5 tol 1e-9
  assert abs(rrr.phi - rocker.phi) < 1e-6 and abs(crank[1].phi - crank[2].phi) < 1e-6, "JointRRR"
  assert abs(rrp.s - slide.s) < 1e-6 and abs(crank2[1].phi - crank2[2].phi) < 1e-6, "JointRRP"
end

test "rods that take their length from the start"
  world : World(g = 10)
  bob : PointMass(m = 2, r_0(start = {0.6, -0.8, 0}, fixed = {true, true, true}), v_0(start = {0, 0, 0.5}))
  rod : SphericalSpherical(computeRodLength = true)
  weight : PointMass(m = 2, r_0(start = {0.6, -0.8, 0}), v_0(start = {0, 0, 0.5}))
  given : SphericalSpherical(rodLength = 1)
  connect world.frame_b, rod.frame_a, given.frame_b
  connect rod.frame_b, bob.frame_a
  connect given.frame_a, weight.frame_a
  :simulate until 1 tol 1e-9
  assert abs(rod.rodLength - 1) < 1e-12 and abs(rod.rRod_0 * rod.rRod_0 - 1) < 1e-7, "length"
  assert max(abs(bob.r_0[k] - weight.r_0[k]) for k in 1:3) < 1e-6, "as with the length given, turned round"
  assert abs(bob.v_0 * bob.v_0 / 2 + 10 * bob.r_0[2] - 0.125 + 8) < 1e-6, "energy"
end

test "the length of a rod is the distance at the start, however long its direction is given"
  world : World(n = {0, 0, 1})
  pin[2] : Revolute(n = {0, 1, 0}, phi(start = 0.3, fixed), w(start = 1, fixed))
  arm[2] : BodyShape(r = {0, 0, -0.5}, I_22 = 0.1)
  slide[2] : Prismatic(n = {1, 0, 0}, s(start = 2, fixed = {true, false}))
  load[2] : Body
  rod : UniversalSpherical(rRod_ia = {2, 0, 0}, computeRodLength = true)
  given : SphericalSpherical(rodLength = sqrt((2 + 0.5 * sin(0.3))^2 + (0.5 * cos(0.3))^2))
  for k in 1:2
    connect world.frame_b, pin[k].frame_a, slide[k].frame_a
    connect pin[k].frame_b, arm[k].frame_a
    connect slide[k].frame_b, load[k].frame_a
  end
  connect arm[1].frame_b, rod.frame_b
  connect load[1].frame_a, rod.frame_a
  connect arm[2].frame_b, given.frame_b
  connect load[2].frame_a, given.frame_a
  :simulate until 0.5 tol 1e-9
  assert abs(rod.rodLength - given.rodLength) < 1e-9 and abs(rod.rRod_0 * rod.rRod_0 - rod.rodLength^2) < 1e-7, "length"
  assert abs(slide[1].s - slide[2].s) < 1e-6 and abs(pin[1].phi - pin[2].phi) < 1e-6, "as with the length given"
end
