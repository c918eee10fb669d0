// Three cranks and five dyads, some of which are stretched nearly to a line: near 0.876 s the far joint of one takes part in the motion faster and faster, and
// run by states that do not determine it there the model went on from another position with 204 J of 211 J.
use multibody
world : World(g = 9.81)
gr0 : FixedTranslation(r = {0.264466, 0.634008, 0})
j0 : Revolute(phi(start = 2.344865733355687, fixed), w(start = 2.5433, fixed))
rod0 : BodyShape(r = {0.7911, 0, 0}, r_CM = {0.39555, 0, 0}, m = 0.7798, I_22 = 0.040667, I_33 = 0.040667)
variable v_rod0[3] = (rod0.frame_a.motion.v + rod0.frame_b.motion.v) / 2
j1 : Revolute(phi(start = -2.1752683841456744, fixed), w(start = -0.7036, fixed))
rod1 : BodyShape(r = {0.9797, 0, 0}, r_CM = {0.48985, 0, 0}, m = 1.9153, I_22 = 0.153197, I_33 = 0.153197)
variable v_rod1[3] = (rod1.frame_a.motion.v + rod1.frame_b.motion.v) / 2
j2 : Revolute(phi(start = -0.6869820880162267, fixed), w(start = -0.2569, fixed))
rod2 : BodyShape(r = {0.4425, 0, 0}, r_CM = {0.22125, 0, 0}, m = 1.8483, I_22 = 0.030159, I_33 = 0.030159)
variable v_rod2[3] = (rod2.frame_a.motion.v + rod2.frame_b.motion.v) / 2
j3 : Revolute(phi(start = -2.9258473873050606))
rod3 : BodyShape(r = {0.9390293169767507, 0, 0}, r_CM = {0.46951465848837537, 0, 0}, m = 0.5840, I_22 = 0.042915, I_33 = 0.042915)
variable v_rod3[3] = (rod3.frame_a.motion.v + rod3.frame_b.motion.v) / 2
j4 : Revolute(phi(start = -1.8835669898955523))
rod4 : BodyShape(r = {0.5065410564730574, 0, 0}, r_CM = {0.2532705282365287, 0, 0}, m = 1.9700, I_22 = 0.042123, I_33 = 0.042123)
variable v_rod4[3] = (rod4.frame_a.motion.v + rod4.frame_b.motion.v) / 2
c0 : RevolutePlanarLoopConstraint
j5 : Revolute(phi(start = -3.0365358645958924))
rod5 : BodyShape(r = {0.47723394584622786, 0, 0}, r_CM = {0.23861697292311393, 0, 0}, m = 1.2692, I_22 = 0.024088, I_33 = 0.024088)
variable v_rod5[3] = (rod5.frame_a.motion.v + rod5.frame_b.motion.v) / 2
j6 : Revolute(phi(start = 2.188044238037541))
rod6 : BodyShape(r = {0.3204293191185256, 0, 0}, r_CM = {0.1602146595592628, 0, 0}, m = 0.9802, I_22 = 0.008386, I_33 = 0.008386)
variable v_rod6[3] = (rod6.frame_a.motion.v + rod6.frame_b.motion.v) / 2
c1 : RevolutePlanarLoopConstraint
j7 : Revolute(phi(start = 1.5382729617861015))
rod7 : BodyShape(r = {0.24941519370111861, 0, 0}, r_CM = {0.12470759685055931, 0, 0}, m = 1.0469, I_22 = 0.005427, I_33 = 0.005427)
variable v_rod7[3] = (rod7.frame_a.motion.v + rod7.frame_b.motion.v) / 2
j8 : Revolute(phi(start = -0.6316406703293389))
rod8 : BodyShape(r = {0.29427031388625835, 0, 0}, r_CM = {0.14713515694312918, 0, 0}, m = 1.4411, I_22 = 0.010399, I_33 = 0.010399)
variable v_rod8[3] = (rod8.frame_a.motion.v + rod8.frame_b.motion.v) / 2
c2 : Revolute(phi(start = -2.8218225751462107))
j11 : Revolute(phi(start = 2.1649903276705054))
rod11 : BodyShape(r = {0.1959253792730433, 0, 0}, r_CM = {0.09796268963652165, 0, 0}, m = 1.0423, I_22 = 0.003334, I_33 = 0.003334)
variable v_rod11[3] = (rod11.frame_a.motion.v + rod11.frame_b.motion.v) / 2
j12 : Revolute(phi(start = -1.0118776562422545))
rod12 : BodyShape(r = {0.37075470129127763, 0, 0}, r_CM = {0.18537735064563882, 0, 0}, m = 1.5014, I_22 = 0.017199, I_33 = 0.017199)
variable v_rod12[3] = (rod12.frame_a.motion.v + rod12.frame_b.motion.v) / 2
c4 : RevolutePlanarLoopConstraint
j13 : Revolute(phi(start = 1.4999288569723204))
rod13 : BodyShape(r = {0.3493948865208601, 0, 0}, r_CM = {0.17469744326043005, 0, 0}, m = 1.5940, I_22 = 0.016216, I_33 = 0.016216)
variable v_rod13[3] = (rod13.frame_a.motion.v + rod13.frame_b.motion.v) / 2
j14 : Revolute(phi(start = 1.1170021363733031))
rod14 : BodyShape(r = {0.29202964871634135, 0, 0}, r_CM = {0.14601482435817068, 0, 0}, m = 1.2251, I_22 = 0.008706, I_33 = 0.008706)
variable v_rod14[3] = (rod14.frame_a.motion.v + rod14.frame_b.motion.v) / 2
c5 : Revolute(phi(start = -2.287885884924191))
connect world.frame_b, gr0.frame_a
connect gr0.frame_b, j0.frame_a
connect j0.frame_b, rod0.frame_a
connect rod0.frame_b, j1.frame_a
connect j1.frame_b, rod1.frame_a
connect rod1.frame_b, j2.frame_a
connect j2.frame_b, rod2.frame_a
connect rod2.frame_b, j3.frame_a
connect j3.frame_b, rod3.frame_a
connect rod0.frame_b, j4.frame_a
connect j4.frame_b, rod4.frame_a
connect rod3.frame_b, c0.frame_a
connect rod4.frame_b, c0.frame_b
connect rod0.frame_b, j5.frame_a
connect j5.frame_b, rod5.frame_a
connect gr0.frame_b, j6.frame_a
connect j6.frame_b, rod6.frame_a
connect rod5.frame_b, c1.frame_a
connect rod6.frame_b, c1.frame_b
connect rod3.frame_b, j7.frame_a
connect j7.frame_b, rod7.frame_a
connect rod6.frame_b, j8.frame_a
connect j8.frame_b, rod8.frame_a
connect rod7.frame_b, c2.frame_a
connect rod8.frame_b, c2.frame_b
connect rod3.frame_b, j11.frame_a
connect j11.frame_b, rod11.frame_a
connect rod6.frame_b, j12.frame_a
connect j12.frame_b, rod12.frame_a
connect rod11.frame_b, c4.frame_a
connect rod12.frame_b, c4.frame_b
connect gr0.frame_b, j13.frame_a
connect j13.frame_b, rod13.frame_a
connect rod7.frame_b, j14.frame_a
connect j14.frame_b, rod14.frame_a
connect rod13.frame_b, c5.frame_a
connect rod14.frame_b, c5.frame_b
variable E = 0.7798 * (v_rod0 * v_rod0) / 2 + 0.040667 * rod0.frame_a.R.w[3]^2 / 2 + 0.7798 * 9.81 * (rod0.frame_a.r_0[2] + rod0.frame_b.r_0[2]) / 2 +
  1.9153 * (v_rod1 * v_rod1) / 2 + 0.153197 * rod1.frame_a.R.w[3]^2 / 2 + 1.9153 * 9.81 * (rod1.frame_a.r_0[2] + rod1.frame_b.r_0[2]) / 2 +
  1.8483 * (v_rod2 * v_rod2) / 2 + 0.030159 * rod2.frame_a.R.w[3]^2 / 2 + 1.8483 * 9.81 * (rod2.frame_a.r_0[2] + rod2.frame_b.r_0[2]) / 2 +
  0.5840 * (v_rod3 * v_rod3) / 2 + 0.042915 * rod3.frame_a.R.w[3]^2 / 2 + 0.5840 * 9.81 * (rod3.frame_a.r_0[2] + rod3.frame_b.r_0[2]) / 2 +
  1.9700 * (v_rod4 * v_rod4) / 2 + 0.042123 * rod4.frame_a.R.w[3]^2 / 2 + 1.9700 * 9.81 * (rod4.frame_a.r_0[2] + rod4.frame_b.r_0[2]) / 2 +
  1.2692 * (v_rod5 * v_rod5) / 2 + 0.024088 * rod5.frame_a.R.w[3]^2 / 2 + 1.2692 * 9.81 * (rod5.frame_a.r_0[2] + rod5.frame_b.r_0[2]) / 2 +
  0.9802 * (v_rod6 * v_rod6) / 2 + 0.008386 * rod6.frame_a.R.w[3]^2 / 2 + 0.9802 * 9.81 * (rod6.frame_a.r_0[2] + rod6.frame_b.r_0[2]) / 2 +
  1.0469 * (v_rod7 * v_rod7) / 2 + 0.005427 * rod7.frame_a.R.w[3]^2 / 2 + 1.0469 * 9.81 * (rod7.frame_a.r_0[2] + rod7.frame_b.r_0[2]) / 2 +
  1.4411 * (v_rod8 * v_rod8) / 2 + 0.010399 * rod8.frame_a.R.w[3]^2 / 2 + 1.4411 * 9.81 * (rod8.frame_a.r_0[2] + rod8.frame_b.r_0[2]) / 2 +
  1.0423 * (v_rod11 * v_rod11) / 2 + 0.003334 * rod11.frame_a.R.w[3]^2 / 2 + 1.0423 * 9.81 * (rod11.frame_a.r_0[2] + rod11.frame_b.r_0[2]) / 2 +
  1.5014 * (v_rod12 * v_rod12) / 2 + 0.017199 * rod12.frame_a.R.w[3]^2 / 2 + 1.5014 * 9.81 * (rod12.frame_a.r_0[2] + rod12.frame_b.r_0[2]) / 2 +
  1.5940 * (v_rod13 * v_rod13) / 2 + 0.016216 * rod13.frame_a.R.w[3]^2 / 2 + 1.5940 * 9.81 * (rod13.frame_a.r_0[2] + rod13.frame_b.r_0[2]) / 2 +
  1.2251 * (v_rod14 * v_rod14) / 2 + 0.008706 * rod14.frame_a.R.w[3]^2 / 2 + 1.2251 * 9.81 * (rod14.frame_a.r_0[2] + rod14.frame_b.r_0[2]) / 2
