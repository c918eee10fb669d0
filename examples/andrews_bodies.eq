// Andrews' squeezing mechanism, assembled from bodies and joints: three loops that meet in one point. The same as andrews_squeezer.eq, which
// has the equations.
// Data and reference values: W. Schiehlen (ed.), Multibody Systems Handbook, 1990; test set of IVP solvers, problem "andrews".
use multibody

world : World(gravityType = NoGravity)
model Plate extends BodyShape(I_11 = I_33 / 2, I_22 = I_33 / 2) "in the plane of the mechanism; only I_33 counts"
end
// the bodies are numbered as in the book; frame_a is where each turns, frame_b where it holds the next
k1 : Plate(r = {7e-3, 0, 0}, r_CM = {92e-5, 0, 0}, m = 0.04325, I_33 = 2.194e-6)
k2 : Plate(r = {-28e-3, 0, 0}, r_CM = {-115e-4, 0, 0}, m = 0.00365, I_33 = 4.410e-7)
k3 : Plate(r = {0, -35e-3, 0}, r_CM = {1874e-5, 1043e-5, 0}, m = 0.02373, I_33 = 5.255e-6)
k4 : Plate(r = {0, -2e-2, 0}, r_CM = {0, -579e-5, 0}, m = 0.00706, I_33 = 5.667e-7)
k5 : Plate(r = {4e-2, 0, 0}, r_CM = {2308e-5, 916e-5, 0}, m = 0.07050, I_33 = 1.169e-5)
k6 : Plate(r = {2e-2, 0, 0}, r_CM = {579e-5, 0, 0}, m = 0.00706, I_33 = 5.667e-7)
k7 : Plate(r = {0, -4e-2, 0}, r_CM = {1228e-5, 449e-5, 0}, m = 0.05498, I_33 = 1.912e-5)
a : FixedTranslation(r = {-0.06934, -0.00227, 0})
b : FixedTranslation(r = {-0.03635, 0.03273, 0})
c : FixedTranslation(r = {0.014, 0.072, 0})
d : FixedTranslation(r = {2e-2, -18e-3, 0})
beta : Revolute(phi(start = -0.0617138900142764496358948458001, fixed), w(start = 0, fixed), useAxisFlange = true)
theta : Revolute
gamma : Revolute(phi(start = 0.455279819163070380255912382449))
phi : Revolute(phi(start = 0.222668390165885884674473185609))
delta : Revolute(phi(start = 0.487364979543842550225598953530))
omega : Revolute(phi(start = -0.222668390165885884674473185609))
epsilon : Revolute(phi(start = 1.23054744454982119249735015568))
motor : rotational.ConstantTorque(tau_constant = 33e-3)
spring : Spring(c = 4530, s_unstretched = 7785e-5)
cut[3] : RevolutePlanarLoopConstraint
connect motor.flange, beta.axis
connect world.frame_b, beta.frame_a, a.frame_a, b.frame_a, c.frame_a
connect beta.frame_b, k1.frame_a
connect k1.frame_b, theta.frame_a
connect theta.frame_b, k2.frame_a
connect b.frame_b, gamma.frame_a
connect gamma.frame_b, k3.frame_a, d.frame_a
connect d.frame_b, spring.frame_a
connect c.frame_b, spring.frame_b
connect a.frame_b, delta.frame_a, epsilon.frame_a
connect delta.frame_b, k5.frame_a
connect k5.frame_b, phi.frame_a
connect phi.frame_b, k4.frame_a
connect epsilon.frame_b, k7.frame_a
connect k7.frame_b, omega.frame_a
connect omega.frame_b, k6.frame_a
connect k2.frame_b, cut[1].frame_a, cut[2].frame_a, cut[3].frame_a
connect k3.frame_b, cut[1].frame_b
connect k4.frame_b, cut[2].frame_b
connect k6.frame_b, cut[3].frame_b
:simulate until 0.03 tol 1e-10
:states
:value beta.phi theta.phi gamma.phi phi.phi delta.phi omega.phi epsilon.phi
