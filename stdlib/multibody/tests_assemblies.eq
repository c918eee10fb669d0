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
