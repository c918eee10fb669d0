// A row of N parallelograms that swings as one pendulum: N + 1 rods that turn about the ground, joined by N rods. Benchmark of the IFToMM
// Technical Committee for Multibody Dynamics, "N-four-bar mechanism".
// Each time the rods lie along the ground the mechanism is singular for a moment: other motions branch off there.
use multibody

parameter N = 150 "loops"
world : World(g = 9.81)
ground[N + 1] : FixedTranslation(r = {{k - 1, 0, 0} for k in 1:N + 1})
foot[N + 1] : Revolute(phi(start = pi / 2, fixed = {k == 1 for k in 1:N + 1}), w(start = {if k == 1 then -1 else 0 for k in 1:N + 1},
    fixed = {k == 1 for k in 1:N + 1}))
rod[N + 1] : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, m = 1, I_22 = 1 / 12, I_33 = 1 / 12)
pin[N] : Revolute(phi(start = -pi / 2))
bar[N] : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, m = 1, I_22 = 1 / 12, I_33 = 1 / 12)
cut[N] : RevolutePlanarLoopConstraint
for k in 1:N + 1
  connect world.frame_b, ground[k].frame_a
  connect ground[k].frame_b, foot[k].frame_a
  connect foot[k].frame_b, rod[k].frame_a
end
for k in 1:N
  connect rod[k].frame_b, pin[k].frame_a
  connect pin[k].frame_b, bar[k].frame_a
  connect bar[k].frame_b, cut[k].frame_a
  connect rod[k + 1].frame_b, cut[k].frame_b
end
:ops
