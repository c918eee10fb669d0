// Mechanisms that are refused: with a message, and soon.
#include <doctest/doctest.h>

#include <algorithm>

#include "lang/workspace/kron.hpp"

using namespace kron;

namespace {

bool is_refused(const std::string& text, std::string_view code) {
  Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  REQUIRE(s.run_text(text));
  if (s.analysis().complete) return false;
  return std::ranges::any_of(s.analysis().diagnostics.list(), [&](const Diagnostic& d) { return d.code == code; });
}

// Two cylindrical joints about one axis: the link between them floats. The model is analysed twice, the first time with what closes the loop.
const std::string floating_link = R"(use multibody
connect x11.frame_b, b3.frame_b
b3 : BodyShape
b6 : BodyShape(r={0.0057,-0.405,-0.3})
x11 : FixedRotation
connect b8.frame_b, j9.frame_a
connect x1.frame_b, j2.frame_a
j9 : Universal
connect world.frame_b, x4.frame_a
connect j5.frame_a, b6.frame_a
connect j9.frame_b, b10.frame_a
connect x4.frame_b, j5.frame_b
j5 : Cylindrical
connect j7.frame_a, b8.frame_a
connect world.frame_b, x1.frame_a
j7 : Cylindrical
b10 : BodyShape
b8 : BodyShape(r={0.0366,0.0766,0.4626})
x1 : FixedRotation
connect b10.frame_b, x11.frame_a
x4 : FixedRotation(n={0,1,0}, angle=-0.204, r={-0.0429,0.1016,-0.1013})
connect b6.frame_b, j7.frame_b
j2 : Revolute(w(start=0.0168,fixed))
connect j2.frame_b, b3.frame_a
world : World(n={0.3,-1,0.2})
)";

// A plane linkage in a tilted plane whose loops are closed by ball joints: constraints depend on each other at each level of differentiation.
const std::string endless = R"(use multibody
mt2_2 : FixedTranslation(r={0.4824,-0.2903,0.0})
connect mb4.frame_a, mt4_2.frame_b
connect zr5.frame_a, mb5.frame_a
zr9 : Prismatic(n={1.0,0.0,0.0}, s(start=0.246904))
mt6_1 : FixedTranslation(r={-0.5228074453697579,-0.0,-0.0})
connect mb2.frame_a, mt2_3.frame_b
connect mt4_2.frame_a, zr7.frame_a
connect mb6.frame_a, mt6_1.frame_b
connect jr4.frame_a, mb4.frame_a
zr7 : Spherical(sequence_start={1,3,2}, angles_start={0,2.518455661876436,0})
connect jr6.frame_b, mt5_1.frame_b
mt2_1 : FixedTranslation(r={0.9147984761905532,0.0,0.0})
connect world.frame_b, tilt.frame_a
connect mb1.frame_a, mt1_2.frame_a
connect zr9.frame_b, mb7.frame_a
connect mb3.frame_a, mt3_1.frame_a
connect mt6_1.frame_a, ar8.frame_a
connect tilt.frame_b, mt0_1.frame_a
zr1 : Revolute(n={0,0,1}, phi(start=2.5977))
connect mb2.frame_a, mt2_2.frame_a
connect mp9.frame_b, zr9.frame_a
connect zr3.frame_a, mt3_1.frame_b
mt5_1 : FixedTranslation(r={0.6510403796634981,0.0,0.0})
connect mb2.frame_a, mt2_1.frame_a
mb3 : Body(r_CM={0.2653,0.0625,0.0}, m=0.9385, I_11=0.16499, I_22=0.14142, I_33=0.2357)
jr4 : Revolute(n={0,0,1}, phi(start=-1.8762))
zr3 : Spherical(sequence_start={1,3,2}, angles_start={0,1.8827217206220688,0})
mb4 : BodyShape(r={0.3890240449218828,0.0,0.0}, r_CM={0.2032,-0.0515,0.0}, m=1.6264, I_11=0.06713, I_22=0.057539999999999994, I_33=0.0959)
mb7 : Body(r_CM={-0.0051,0.0888,0.0}, m=0.6284, I_11=0.19726, I_22=0.16907999999999998, I_33=0.2818)
mt0_1 : FixedTranslation(r={1.3648,-0.0876,0.0})
world : World
tilt : FixedRotation(n={1,0,0}, angle=30 [deg])
mb6 : Body(r_CM={0.3947,-0.0043,0.0}, m=1.095, I_11=0.17618999999999999, I_22=0.15102, I_33=0.2517)
connect mt1_2.frame_b, jr4.frame_b
connect mt2_1.frame_b, zr3.frame_b
mt1_2 : FixedTranslation(r={0.3905,-0.1236,0.0})
connect mb5.frame_a, mt5_1.frame_a
zr5 : Revolute(n={0,0,1}, phi(start=2.9705))
mt2_3 : FixedTranslation(r={-0.1814,0.2628,-0.0})
connect jr0.frame_a, mb1.frame_a
connect zr1.frame_a, mb2.frame_a
connect mt0_1.frame_b, zr2.frame_a
connect zr7.frame_b, mb6.frame_a
connect zr2.frame_b, mb3.frame_a
mt4_2 : FixedTranslation(r={-0.3588,0.0513,-0.0})
mb2 : Body(r_CM={0.1765,0.0759,0.0}, m=0.9877, I_11=0.09316999999999999, I_22=0.07986, I_33=0.1331)
mb5 : Body(r_CM={0.154,0.0771,0.0}, m=0.965, I_11=0.08721999999999999, I_22=0.07476, I_33=0.1246)
connect mb4.frame_b, jr6.frame_a
zr2 : Revolute(n={0,0,1}, phi(start=-2.7919))
mt3_1 : FixedTranslation(r={0.6939564714300926,0.0,0.0})
mp9 : FixedRotation(n={0,0,1}, angle=1.488186925994904)
connect ar8.frame_b, mb7.frame_a
connect mb1.frame_b, zr1.frame_b
connect tilt.frame_b, jr0.frame_b
connect mt2_3.frame_a, mp9.frame_a
connect mt2_2.frame_b, zr5.frame_b
jr0 : Revolute(n={0,0,1}, phi(start=-1.6684,fixed), w(start=1.1401,fixed))
jr6 : Revolute(n={0,0,1}, phi(start=-1.1058))
ar8 : Revolute(n={0,0,1}, phi(start=0.7595))
mb1 : BodyShape(r={0.3513,-0.1744,0.0}, r_CM={0.0622,0.0052,0.0}, m=1.8263, I_11=0.16827999999999999, I_22=0.14424, I_33=0.2404)
variable vc1[3] = mb1.frame_a.motion.v + cross(mb1.frame_a.R.w, {0.0622 [m], 0.0052 [m], 0.0 [m]})
parameter mm1 : kg = 1.8263
parameter ii1[3] : kg*m^2 = {0.16827999999999999,0.14424,0.2404}
variable en1 = mm1*(vc1*vc1)/2 + mb1.frame_a.R.w*(diagonal(ii1)*mb1.frame_a.R.w)/2 - mm1*(world.gravity*(mb1.frame_a.r_0 + mb1.frame_a.R.T'*{0.0622 [m], 0.0052 [m], 0.0 [m]}))
variable vc2[3] = mb2.frame_a.motion.v + cross(mb2.frame_a.R.w, {0.1765 [m], 0.0759 [m], 0.0 [m]})
parameter mm2 : kg = 0.9877
parameter ii2[3] : kg*m^2 = {0.09316999999999999,0.07986,0.1331}
variable en2 = mm2*(vc2*vc2)/2 + mb2.frame_a.R.w*(diagonal(ii2)*mb2.frame_a.R.w)/2 - mm2*(world.gravity*(mb2.frame_a.r_0 + mb2.frame_a.R.T'*{0.1765 [m], 0.0759 [m], 0.0 [m]}))
variable vc3[3] = mb3.frame_a.motion.v + cross(mb3.frame_a.R.w, {0.2653 [m], 0.0625 [m], 0.0 [m]})
parameter mm3 : kg = 0.9385
parameter ii3[3] : kg*m^2 = {0.16499,0.14142,0.2357}
variable en3 = mm3*(vc3*vc3)/2 + mb3.frame_a.R.w*(diagonal(ii3)*mb3.frame_a.R.w)/2 - mm3*(world.gravity*(mb3.frame_a.r_0 + mb3.frame_a.R.T'*{0.2653 [m], 0.0625 [m], 0.0 [m]}))
variable vc4[3] = mb4.frame_a.motion.v + cross(mb4.frame_a.R.w, {0.2032 [m], -0.0515 [m], 0.0 [m]})
parameter mm4 : kg = 1.6264
parameter ii4[3] : kg*m^2 = {0.06713,0.057539999999999994,0.0959}
variable en4 = mm4*(vc4*vc4)/2 + mb4.frame_a.R.w*(diagonal(ii4)*mb4.frame_a.R.w)/2 - mm4*(world.gravity*(mb4.frame_a.r_0 + mb4.frame_a.R.T'*{0.2032 [m], -0.0515 [m], 0.0 [m]}))
variable vc5[3] = mb5.frame_a.motion.v + cross(mb5.frame_a.R.w, {0.154 [m], 0.0771 [m], 0.0 [m]})
parameter mm5 : kg = 0.965
parameter ii5[3] : kg*m^2 = {0.08721999999999999,0.07476,0.1246}
variable en5 = mm5*(vc5*vc5)/2 + mb5.frame_a.R.w*(diagonal(ii5)*mb5.frame_a.R.w)/2 - mm5*(world.gravity*(mb5.frame_a.r_0 + mb5.frame_a.R.T'*{0.154 [m], 0.0771 [m], 0.0 [m]}))
variable vc6[3] = mb6.frame_a.motion.v + cross(mb6.frame_a.R.w, {0.3947 [m], -0.0043 [m], 0.0 [m]})
parameter mm6 : kg = 1.095
parameter ii6[3] : kg*m^2 = {0.17618999999999999,0.15102,0.2517}
variable en6 = mm6*(vc6*vc6)/2 + mb6.frame_a.R.w*(diagonal(ii6)*mb6.frame_a.R.w)/2 - mm6*(world.gravity*(mb6.frame_a.r_0 + mb6.frame_a.R.T'*{0.3947 [m], -0.0043 [m], 0.0 [m]}))
variable vc7[3] = mb7.frame_a.motion.v + cross(mb7.frame_a.R.w, {-0.0051 [m], 0.0888 [m], 0.0 [m]})
parameter mm7 : kg = 0.6284
parameter ii7[3] : kg*m^2 = {0.19726,0.16907999999999998,0.2818}
variable en7 = mm7*(vc7*vc7)/2 + mb7.frame_a.R.w*(diagonal(ii7)*mb7.frame_a.R.w)/2 - mm7*(world.gravity*(mb7.frame_a.r_0 + mb7.frame_a.R.T'*{-0.0051 [m], 0.0888 [m], 0.0 [m]}))
variable energy_sum = en1 + en2 + en3 + en4 + en5 + en6 + en7
)";

}  // namespace

TEST_CASE("refused: a link that floats in a loop") { CHECK(is_refused(floating_link, "E0312")); }

TEST_CASE("refused: an index reduction without end") { CHECK(is_refused(endless, "E0303")); }
