#include "tests/bench/models.hpp"

namespace kron::bench {

std::string rc_ladder(int cells) {
  const std::string n = std::to_string(cells);
  return "use electrical\nparameter n = " + n +
         "\nsource : SineVoltage(V = 1, f = 1)\nr[n] : Resistor(R = 1)\nc[n] : Capacitor(C = 1, v(start = 0, fixed))\nground : Ground\n"
         "connect source.p, r[1].p\nconnect source.n, ground.p\n"
         "for k in 1:n\n  connect r[k].n, c[k].p\n  connect c[k].n, ground.p\nend\n"
         "for k in 1:n - 1\n  connect r[k].n, r[k + 1].p\nend\n";
}

std::string declared_ladder(int cells) {
  std::string text = "use electrical\nsource : SineVoltage(V = 1, f = 1)\nground : Ground\nconnect source.n, ground.p\n", before = "source.p";
  for (int k = 1; k <= cells; ++k) {
    const std::string r = "r" + std::to_string(k), c = "c" + std::to_string(k);
    text += r + " : Resistor(R = 1)\n" + c + " : Capacitor(C = 1, v(start = 0, fixed))\n";
    text += "connect " + before + ", " + r + ".p\nconnect " + r + ".n, " + c + ".p\nconnect " + c + ".n, ground.p\n";
    before = r + ".n";
  }
  return text;
}

std::string heat_rod(int cells) {
  return "parameter n = " + std::to_string(cells) +
         "\nvariable T[n](start = 0, fixed)\nder(T[1]) = n^2 * (1 - 2 * T[1] + T[2])\nder(T[n]) = n^2 * (T[n - 1] - T[n])\n"
         "for k in 2:n - 1\n  der(T[k]) = n^2 * (T[k - 1] - 2 * T[k] + T[k + 1])\nend\n";
}

std::string equations(int count) {
  std::string text;
  for (int k = 0; k < count; ++k) {
    const std::string i = std::to_string(k);
    switch (k % 4) {
      case 0: text += "parameter k" + i + " : N/m = " + i + ".5 \"stiffness\"\n"; break;
      case 1: text += "R" + i + " : Resistor(R = " + i + " [kOhm], v(start = 1, fixed))\n"; break;
      case 2: text += "connect R" + i + ".p, c[" + i + "].n, ground.p\n"; break;
      default: text += "m * der(v" + i + ") = -k * (x[" + i + "] - sin(2 * pi * time)) + if x > 0 then a.b.c else -1e-3\n";
    }
  }
  return text;
}

std::string coupled(int size) {
  const std::string n = std::to_string(size);
  return "parameter n = " + n + "\nvariable x(start = 1, fixed)\nvariable y[n]\nder(x) = -y[1]\n"
         "for i in 1:n\n  sum((if i == j then n + 1 else 1 / (i + j)) * y[j] for j in 1:n) = x\nend\n";
}

namespace {

std::string bodies(int count, const std::string& before) {
  return "use multibody\nparameter n = " + std::to_string(count) +
         "\nworld : World\njoint[n] : Revolute(n = {if mod(k, 2) == 0 then {0, 0, 1} else {0, 1, 0} for k in 1:n})\n"
         "body[n] : BodyShape(r = {0.7, 0, 0}, r_CM = {0.3, 0.02, 0.05}, I_11 = 0.1, I_22 = 0.2, I_33 = 0.3, I_21 = 0.01, I_31 = 0.02, I_32 = 0.03)\n"
         "connect world.frame_b, joint[1].frame_a\nfor k in 1:n\n  connect joint[k].frame_b, body[k].frame_a\nend\n"
         "for k in 2:n\n  connect body[" + before + "].frame_b, joint[k].frame_a\nend\n";
}

}  // namespace

std::string chain_of_bodies(int count) { return bodies(count, "k - 1"); }
std::string tree_of_bodies(int count) { return bodies(count, "div(k, 2)"); }

std::string row_of_loops(int loops) {
  return "use multibody\nparameter n = " + std::to_string(loops) +
         "\nworld : World\nground[n + 1] : FixedTranslation(r = {{k, 0, 0} for k in 1:n + 1})\n"
         "foot[n + 1] : Revolute(phi(start = pi / 2), stateSelect = {if k == 1 then always else prefer for k in 1:n + 1})\n"
         "rod[n + 1], bar[n] : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0})\npin[n] : Revolute(phi(start = -pi / 2))\n"
         "cut[n] : RevolutePlanarLoopConstraint\nfor k in 1:n + 1\n  connect world.frame_b, ground[k].frame_a\n"
         "  connect ground[k].frame_b, foot[k].frame_a\n  connect foot[k].frame_b, rod[k].frame_a\nend\n"
         "for k in 1:n\n  connect rod[k].frame_b, pin[k].frame_a\n  connect pin[k].frame_b, bar[k].frame_a\n"
         "  connect bar[k].frame_b, cut[k].frame_a\n  connect rod[k + 1].frame_b, cut[k].frame_b\nend\n";
}

std::string star_of_bodies(int arms) {
  return "use multibody\nparameter n = " + std::to_string(arms) +
         "\nworld : World\nfree : FreeMotion\nhub : Body(m = 10, I_11 = 1, I_22 = 1, I_33 = 1)\nat[n] : FixedTranslation(r = {{0.1 * k, 0, 0.3} for k in 1:n})\n"
         "hinge[n] : Revolute(phi(start = 0.1))\narm[n] : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0.1, 0}, I_11 = 0.1, I_22 = 0.2, I_33 = 0.3)\n"
         "connect world.frame_b, free.frame_a\nconnect free.frame_b, hub.frame_a\nfor k in 1:n\n  connect hub.frame_a, at[k].frame_a\n"
         "  connect at[k].frame_b, hinge[k].frame_a\n  connect hinge[k].frame_b, arm[k].frame_a\nend\n";
}

// Of revolute joints alone, which hold each loop more than it needs.
std::string carried_loops(int loops) {
  return "use multibody\nparameter n = " + std::to_string(loops) +
         "\nworld : World\nhinge[n] : Revolute(n = {1, 0, 0}, phi(start = 0.1))\nplate[n] : BodyShape(r = {0, 1, 0}, r_CM = {0, 0.5, 0}, m = 3)\n"
         "left[n] : Revolute(phi(start = 1.2))\nknee[n] : Revolute(phi(start = -0.9))\nright[n] : Revolute(phi(start = 1.4))\nlast[n] : Revolute\n"
         "crank[n] : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0})\nrod[n] : BodyShape(r = {2, 0, 0}, r_CM = {1, 0, 0})\n"
         "rocker[n] : BodyShape(r = {1.5, 0, 0}, r_CM = {0.7, 0, 0})\nground[n] : FixedTranslation(r = {2, 0, 0})\n"
         "for k in 1:n\n  connect hinge[k].frame_b, plate[k].frame_a, left[k].frame_a, ground[k].frame_a\n  connect left[k].frame_b, crank[k].frame_a\n"
         "  connect crank[k].frame_b, knee[k].frame_a\n  connect knee[k].frame_b, rod[k].frame_a\n  connect rod[k].frame_b, last[k].frame_a\n"
         "  connect last[k].frame_b, rocker[k].frame_b\n  connect ground[k].frame_b, right[k].frame_a\n  connect right[k].frame_b, rocker[k].frame_a\nend\n"
         "connect world.frame_b, hinge[1].frame_a\nfor k in 2:n\n  connect plate[k - 1].frame_b, hinge[k].frame_a\nend\n";
}

}  // namespace kron::bench
