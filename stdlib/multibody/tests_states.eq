// multibody/tests_states.eq: closed loops that pass their dead points, where one coordinate after the other fails to determine the rest.

test "slider-crank turned by its own weight: the slider starts, the crank goes round"
  world : World(g = 10)
  crank : Revolute(phi(start = 0.3))
  arm : BodyShape(r = {0.3, 0, 0}, r_CM = {0.15, 0, 0}, m = 2, I_33 = 0.02)
  pin : Revolute(phi(start = -0.4))
  rod : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, m = 1, I_33 = 0.1)
  slide : Prismatic(n = {1, 0, 0}, s(start = 1.25, fixed), v(start = -3, fixed))
  piston : Body(m = 3)
  cut : RevolutePlanarLoopConstraint
  connect world.frame_b, crank.frame_a, slide.frame_a
  connect crank.frame_b, arm.frame_a
  connect arm.frame_b, pin.frame_a
  connect pin.frame_b, rod.frame_a
  connect slide.frame_b, piston.frame_a, cut.frame_b
  connect rod.frame_b, cut.frame_a
  variable v[3] = rod.frame_a.motion.v + cross(rod.frame_a.R.w, rod.r_CM)
  variable E : J = (arm.I_33 + arm.m * arm.r_CM[1]^2) * crank.w^2 / 2 + rod.m * (v * v) / 2 + rod.I_33 * rod.frame_a.R.w[3]^2 /
      2 + piston.m * slide.v^2 / 2 + world.g * (arm.m * arm.frame_b.r_0[2] / 2 + rod.m * rod.frame_a.r_0[2] / 2)
  parameter E0(fixed = false)
  initial E0 = E
  :simulate until 4 tol 1e-9
  assert abs(crank.phi) > 20, "it turns"
  assert abs(slide.s - 0.3 * cos(crank.phi) - sqrt(1 - (0.3 * sin(crank.phi))^2)) < 1e-8, "position of the slider"
  assert abs(slide.v + 0.3 * sin(crank.phi) * crank.w * (1 + 0.3 * cos(crank.phi) / sqrt(1 - (0.3 * sin(crank.phi))^2))) < 1e-7,
      "and its speed"
  assert abs(E - E0) < 1e-5, "energy"
end

test "slider-crank driven through its dead points, by the crank and by a force on the slider"
  model SliderCrank
    outer world : World
    crank : Revolute(phi(start = 0.7), useAxisFlange = true)
    arm : BodyShape(r = {0.3, 0, 0}, r_CM = {0.15, 0, 0}, m = 2, I_33 = 0.02)
    pin : Revolute(phi(start = -0.9))
    rod : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, m = 1, I_33 = 0.1)
    slide : Prismatic(n = {1, 0, 0}, s(start = 1.2), useAxisFlange = true)
    piston : Body(m = 3)
    cut : RevolutePlanarLoopConstraint
    connect world.frame_b, crank.frame_a, slide.frame_a
    connect crank.frame_b, arm.frame_a
    connect arm.frame_b, pin.frame_a
    connect pin.frame_b, rod.frame_a
    connect slide.frame_b, piston.frame_a, cut.frame_b
    connect rod.frame_b, cut.frame_a
    variable v[3] = rod.frame_a.motion.v + cross(rod.frame_a.R.w, rod.r_CM)
    variable E : J = (arm.I_33 + arm.m * arm.r_CM[1]^2) * crank.w^2 / 2 + rod.m * (v * v) / 2 + rod.I_33 * rod.frame_a.R.w[3]^2 /
        2 + piston.m * slide.v^2 / 2
  end
  world : World(gravityType = NoGravity)
  a, b : SliderCrank
  turn : rotational.Position(exact = true)
  turn.phi_ref = 0.7 + 5 * time
  connect turn.flange, a.crank.axis
  push : translational.Force
  push.f = 20 * cos(3 * time)
  connect push.flange, b.slide.axis
  initial b.crank.phi = 0.7
  initial b.crank.w = 6
  variable work(start = 0, fixed) : J
  der(work) = push.f * b.slide.v
  variable turned(start = 0, fixed) : J
  der(turned) = a.crank.tau * a.crank.w
  parameter E0(fixed = false)
  parameter E1(fixed = false)
  initial E0 = b.E
  initial E1 = a.E
  :simulate until 4 tol 1e-9
  assert abs(a.slide.s - 0.3 * cos(turn.phi_ref) - sqrt(1 - (0.3 * sin(turn.phi_ref))^2)) < 1e-8, "the slider where the crank puts it"
  assert abs(a.E - E1 - turned) < 1e-6, "the energy comes from the drive"
  assert abs(b.E - E0 - work) < 1e-6, "and from the force"
  assert abs(b.slide.s - 0.3 * cos(b.crank.phi) - sqrt(1 - (0.3 * sin(b.crank.phi))^2)) < 1e-8, "position of the slider"
end

test "four-bar whose crank turns round while its rocker swings, started from either"
  model FourBar "crank 0.2, coupler 1, rocker 0.6, ground 1"
    outer world : World
    crank : Revolute(phi(start = 0.7))
    arm : BodyShape(r = {0.2, 0, 0}, r_CM = {0.1, 0, 0}, m = 2, I_33 = 0.02)
    pin : Revolute(phi(start = -0.4))
    rod : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, m = 1, I_33 = 0.1)
    ground : FixedTranslation(r = {1, 0, 0})
    rocker : Revolute(phi(start = 1.7))
    beam : BodyShape(r = {0.6, 0, 0}, r_CM = {0.3, 0, 0}, m = 1, I_33 = 0.03)
    cut : RevolutePlanarLoopConstraint
    connect world.frame_b, crank.frame_a, ground.frame_a
    connect crank.frame_b, arm.frame_a
    connect arm.frame_b, pin.frame_a
    connect pin.frame_b, rod.frame_a
    connect ground.frame_b, rocker.frame_a
    connect rocker.frame_b, beam.frame_a
    connect rod.frame_b, cut.frame_a
    connect beam.frame_b, cut.frame_b
    variable v[3] = rod.frame_a.motion.v + cross(rod.frame_a.R.w, rod.r_CM)
    variable E : J = (arm.I_33 + arm.m * arm.r_CM[1]^2) * crank.w^2 / 2 + (beam.I_33 + beam.m * beam.r_CM[1]^2) * rocker.w^2 / 2 + rod.m *
        (v * v) / 2 + rod.I_33 * rod.frame_a.R.w[3]^2 / 2 + world.g * (arm.m * arm.frame_b.r_0[2] + rod.m * (rod.frame_a.r_0[2] +
        rod.frame_b.r_0[2]) + beam.m * beam.frame_b.r_0[2]) / 2
    variable gap = (0.2 * cos(crank.phi) - 1 - 0.6 * cos(rocker.phi))^2 + (0.2 * sin(crank.phi) - 0.6 * sin(rocker.phi))^2 - 1
  end
  world : World(g = 10)
  a : FourBar(crank.phi(start = 0.7, fixed), crank.w(start = 10, fixed))
  b : FourBar(rocker.phi(start = 1.7, fixed), rocker.w(start = 1.5, fixed))
  parameter Ea(fixed = false)
  parameter Eb(fixed = false)
  initial Ea = a.E
  initial Eb = b.E
  :simulate until 4 tol 1e-9
  assert abs(a.crank.phi) > 20 and abs(b.crank.phi) > 20, "the cranks turn"
  assert abs(a.gap) < 1e-8 and abs(b.gap) < 1e-8, "the coupler keeps its length"
  assert abs(a.E - Ea) < 1e-5 and abs(b.E - Eb) < 1e-5, "energy"
end
