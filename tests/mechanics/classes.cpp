// Every part, joint and force of the library between two bodies that nothing else holds: momentum, angular momentum and energy are in
// balance with gravity, uniform or of a point, and with what the component stores and loses; the motion is the same whichever body is the
// root, and with frame_a and frame_b of the component exchanged.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"
#include "tests/support/spread.hpp"

using namespace kron;
using test::spread;

namespace {

struct Body {
  std::string path;  // of a Body
};
struct PointMass {
  std::string mass, position;  // expressions
};
struct More {
  std::string start = "";                 // of body b, as far as the component does not give it
  std::vector<std::string> alike = {};    // other components that do the same
  std::vector<Body> bodies = {};          // besides a and b
  std::vector<PointMass> points = {};
  std::string energy = "0", lost = "0";   // stored; power that is lost
  std::string momentum = "zeros(3)";      // angular, of rotors
  std::string power = "0";                // from drives and forces that act between the bodies
  std::vector<std::string> zero = {};     // vectors that vanish all the time; A and B are the frames of the bodies at x.frame_a and x.frame_b
};
struct Row {
  const char* name;
  std::string text;      // the component x from body a to body b, and what belongs to it
  std::string mirrored;  // the same component with its frames exchanged; empty: it is not the same
  More more = {};
};

constexpr double run_stop = 1, tolerance = 1e-9;

const std::string free_start =
    "r_0(start = {0.9, 0.2, -0.3}, fixed), v_0(start = {0.2, 0.5, -0.4}, fixed), angles_fixed = true, angles_start = {-0.3, 0.4, 0.2}, "
    "w_0_fixed = true, w_0_start = {0.5, -1, 2}, ";

// `A.` and `B.` stand for the frames of two bodies.
std::string between(const std::string& text, const std::string& a, const std::string& b) {
  return std::regex_replace(std::regex_replace(text, std::regex("\\bA\\."), a + ".frame_a."), std::regex("\\bB\\."), b + ".frame_a.");
}

std::string model(const Row& row, const std::string& x, bool mirrored, bool b_first, bool point_gravity) {
  const std::string a =
      "a : Body(r_0(start = {0.1, -0.2, 0.3}, fixed), v_0(start = {0.5, 1, -0.3}, fixed), angles_fixed = true, angles_start = {0.3, -0.2, 0.4}, "
      "w_0_fixed = true, w_0_start = {1, -0.5, 0.7}, m = 2, r_CM = {0.1, -0.05, 0.08}, I_11 = 0.2, I_22 = 0.3, I_33 = 0.25, I_21 = 0.02, "
      "I_31 = -0.03, I_32 = 0.01)\n";
  const std::string b = "b : Body(" + row.more.start +
                        "m = 1.5, r_CM = {-0.06, 0.12, 0.05}, I_11 = 0.12, I_22 = 0.1, I_33 = 0.15, I_21 = -0.01, I_32 = 0.02)\n";
  std::string text = std::string("use multibody\nworld : World(") + (point_gravity ? "gravityType = PointGravity, mu = 0.3" : "g = 5, n = {0.6, 0, -0.8}") + ")\n" +
                     (b_first ? b + a : a + b);
  text += x + (mirrored ? "connect a.frame_a, x.frame_b\nconnect x.frame_a, b.frame_a\n" : "connect a.frame_a, x.frame_a\nconnect x.frame_b, b.frame_a\n");
  text += std::string("parameter turned = ") + (mirrored ? "1\n" : "0\n");
  std::string p, L, E, F, T;
  const auto add = [](std::string& sum, const std::string& term) { sum += (sum.empty() ? "" : " + ") + term; };
  const auto mass = [&](const std::string& n, const std::string& m) {
    text += "variable p_" + n + "[3] = " + m + " * v_" + n + "\nvariable F_" + n + "[3] = " + m + " * " +
            (point_gravity ? "pointGravity(world.mu, r_" + n + ")" : "world.gravity") + "\n";
    add(p, "p_" + n);
    add(F, "F_" + n);
    add(L, "cross(r_" + n + ", p_" + n + ")");
    add(T, "cross(r_" + n + ", F_" + n + ")");
    // r*F is the potential of either field, but for its sign.
    add(E, "v_" + n + " * p_" + n + " / 2 " + (point_gravity ? "+" : "-") + " r_" + n + " * F_" + n);
  };
  std::vector<Body> bodies = {{"a"}, {"b"}};
  bodies.insert(bodies.end(), row.more.bodies.begin(), row.more.bodies.end());
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const std::string n = std::to_string(k), &c = bodies[k].path, R = c + ".frame_a.R";
    text += "variable r_" + n + "[3] = " + c + ".frame_a.r_0 + " + R + ".T' * " + c + ".r_CM\nvariable v_" + n + "[3] = " + R + ".T' * (" + c +
            ".frame_a.motion.v + cross(" + R + ".w, " + c + ".r_CM))\nvariable S_" + n + "[3] = [" + c + ".I_11, " + c + ".I_21, " + c + ".I_31; " + c +
            ".I_21, " + c + ".I_22, " + c + ".I_32; " + c + ".I_31, " + c + ".I_32, " + c + ".I_33] * " + R + ".w\n";
    mass(n, c + ".m");
    add(L, R + ".T' * S_" + n);
    add(E, R + ".w * S_" + n + " / 2");
  }
  for (std::size_t k = 0; k < row.more.points.size(); ++k) {
    const std::string n = "p" + std::to_string(k);
    text += "variable r_" + n + "[3] = " + row.more.points[k].position + "\nvariable v_" + n + "[3] = der(r_" + n + ")\n";
    mass(n, row.more.points[k].mass);
  }
  text += "variable given_p[3](start = {0, 0, 0}, fixed)\nder(given_p) = " + F + "\n";
  text += "variable given_L[3](start = {0, 0, 0}, fixed)\nder(given_L) = " + T + "\n";
  text += "variable lost(start = 0, fixed)\nder(lost) = " + row.more.lost + " - (" + row.more.power + ")\n";
  text += "variable p[3] = " + p + " - given_p\nvariable L[3] = " + L + " + " + row.more.momentum + " - given_L\n";
  for (std::size_t k = 0; k < row.more.zero.size(); ++k)
    text += "variable zero_" + std::to_string(k) + "[3] = " + between(row.more.zero[k], mirrored ? "b" : "a", mirrored ? "a" : "b") + "\n";
  return text + "variable E = " + E + " + " + row.more.energy + " + lost\n";
}

// Where the bodies' origins and axes are, at the points of the run.
std::vector<double> motion(Session& s) {
  std::vector<double> all;
  for (const char* body : {"a", "b"})
    for (const char* e : {".r_0[1]", ".r_0[2]", ".r_0[3]", ".frame_a.R.T[1,1]", ".frame_a.R.T[2,1]", ".frame_a.R.T[1,3]", ".frame_a.R.T[3,3]"}) {
      const auto v = s.series(body + std::string(e)).value();
      all.insert(all.end(), v.begin(), v.end());
    }
  return all;
}

const std::string start_turn = "axesRotations({1, 2, 3}, {0.1, 0.2, 0.3})";  // of the spherical joints at the start
const std::string body_inertia = "m = 0.8, I_11 = 0.03, I_22 = 0.05, I_33 = 0.04, I_21 = 0.004";

std::vector<Row> joints() {
  const std::string planar = "x : Planar(n = {1, 0, 2}, n_x = {0, 1, 0}, ";
  return {
      {"Revolute", "x : Revolute(n = {1, 2, -1}, phi(start = 0.4, fixed), w(start = 2, fixed))\n",
       "x : Revolute(n = {1, 2, -1}, phi(start = -0.4, fixed), w(start = -2, fixed))\n"},
      {"Prismatic", "x : Prismatic(n = {1, 2, -1}, s(start = 0.3, fixed), v(start = 2, fixed))\n",
       "x : Prismatic(n = {1, 2, -1}, s(start = -0.3, fixed), v(start = -2, fixed))\n"},
      {"Revolute, driven",
       "x : Revolute(useAxisFlange = true, phi(start = 0.4, fixed), w(start = 2, fixed))\nmotor : rotational.Torque(useSupport = true)\n"
       "motor.tau = sin(3 * time)\nconnect motor.flange, x.axis\nconnect motor.support, x.support\n",
       "x : Revolute(useAxisFlange = true, phi(start = -0.4, fixed), w(start = -2, fixed))\nmotor : rotational.Torque(useSupport = true)\n"
       "motor.tau = -sin(3 * time)\nconnect motor.flange, x.axis\nconnect motor.support, x.support\n",
       {.power = "motor.tau * x.w"}},
      {"Prismatic, driven",
       "x : Prismatic(useAxisFlange = true, s(start = 0.4, fixed), v(start = 1, fixed))\nspring : translational.SpringDamper(c = 30, d = 2, s_rel0 = 0.3)\n"
       "connect spring.flange_a, x.support\nconnect spring.flange_b, x.axis\n",
       "x : Prismatic(useAxisFlange = true, s(start = -0.4, fixed), v(start = -1, fixed))\nspring : translational.SpringDamper(c = 30, d = 2, s_rel0 = 0.3)\n"
       "connect spring.flange_b, x.support\nconnect spring.flange_a, x.axis\n",
       {.energy = "15 * (spring.s_rel - 0.3)^2", .lost = "2 * x.v^2"}},
      {"Cylindrical", "x : Cylindrical(n = {0, 2, 1}, s(start = 0.3, fixed), v(start = 1, fixed), phi(start = 0.4, fixed), w(start = -2, fixed))\n",
       "x : Cylindrical(n = {0, 2, 1}, s(start = -0.3, fixed), v(start = -1, fixed), phi(start = -0.4, fixed), w(start = 2, fixed))\n"},
      {"Universal",
       "x : Universal(n_a = {1, 0, 0}, n_b = {0, 1, 2}, phi_a(start = 0.3, fixed), phi_b(start = -0.2, fixed), w_a(start = 1, fixed), w_b(start = 2, fixed))\n",
       "x : Universal(n_a = {0, 1, 2}, n_b = {1, 0, 0}, phi_a(start = 0.2, fixed), phi_b(start = -0.3, fixed), w_a(start = -2, fixed), w_b(start = -1, "
       "fixed))\n"},
      {"Planar", planar + "s_x(start = 0.1, fixed), v_x(start = 1, fixed), s_y(start = 0.3, fixed), v_y(start = -1, fixed), phi(start = 0.4, fixed), w(start = 2, fixed))\n",
       "parameter c = cos(0.4)\nparameter s = sin(0.4)\n" + planar +
           "s_x(start = -(c * 0.1 + s * 0.3), fixed), v_x(start = -(c * 1 - s * 1) - 2 * (c * 0.3 - s * 0.1), fixed), s_y(start = s * 0.1 - c * 0.3, fixed), "
           "v_y(start = s * 1 + c * 1 + 2 * (c * 0.1 + s * 0.3), fixed), phi(start = -0.4, fixed), w(start = -2, fixed))\n"},
      {"Spherical", "x : Spherical(angles_fixed = true, angles_start = {0.1, 0.2, 0.3}, w_rel_a_fixed = true, w_rel_a_start = {1, -1, 2})\n",
       "x : Spherical(angles_fixed = true, angles_start = {-0.3, -0.2, -0.1}, sequence_start = {3, 2, 1}, w_rel_a_fixed = true, w_rel_a_start = -(" + start_turn +
           " * {1, -1, 2}))\n"},
      {"FreeMotion",
       "x : FreeMotion(r_rel_a(start = {0.3, 0.2, 0.1}, fixed), v_rel_a(start = {1, 0, -1}, fixed), angles_fixed = true, angles_start = {0.1, 0.2, 0.3}, "
       "w_rel_a_fixed = true, w_rel_a_start = {1, -1, 2})\n",
       "parameter T[3, 3] = " + start_turn +
           "\nparameter r[3] = T * {0.3, 0.2, 0.1}\nparameter w[3] = T * {1, -1, 2}\nx : FreeMotion(r_rel_a(start = -r, fixed), v_rel_a(start = cross(w, r) - T * "
           "{1, 0, -1}, fixed), angles_fixed = true, angles_start = {-0.3, -0.2, -0.1}, sequence_start = {3, 2, 1}, w_rel_a_fixed = true, w_rel_a_start = -w)\n"},
  };
}

std::vector<Row> parts() {
  const std::string ball = "y : Spherical(angles_fixed = true, w_rel_a_fixed = true, w_rel_a_start = {1, -1, 2})\n";
  const auto rod = [](const std::string& type, const std::string& modifiers) { return "x : " + type + "(" + modifiers + ")\n"; };
  return {
      {"FixedTranslation", rod("FixedTranslation", "r = {0.3, 0.2, -0.1}"), rod("FixedTranslation", "r = -{0.3, 0.2, -0.1}")},
      {"FixedRotation", rod("FixedRotation", "r = {0.3, 0.2, -0.1}, n = {1, 2, 3}, angle = 0.7"),
       rod("FixedRotation", "r = -(planarRotation(unit({1, 2, 3}), 0.7) * {0.3, 0.2, -0.1}), n = {1, 2, 3}, angle = -0.7")},
      {"FixedRotation, two axes", rod("FixedRotation", "rotationType = TwoAxesVectors, n_x = {1, 1, 0}, n_y = {0, 1, 1}"),
       "parameter T[3, 3] = from_nxy({1, 1, 0}, {0, 1, 1})\n" + rod("FixedRotation", "rotationType = TwoAxesVectors, n_x = T[:, 1], n_y = T[:, 2]")},
      {"FixedRotation, sequence", rod("FixedRotation", "rotationType = PlanarRotationSequence, sequence = {1, 2, 3}, angles = {0.1, 0.2, 0.3}"),
       rod("FixedRotation", "rotationType = PlanarRotationSequence, sequence = {3, 2, 1}, angles = {-0.3, -0.2, -0.1}")},
      {"BodyShape", rod("BodyShape", "r = {0.3, 0.2, -0.1}, r_CM = {0.1, 0.05, 0}, " + body_inertia),
       rod("BodyShape", "r = -{0.3, 0.2, -0.1}, r_CM = {0.1, 0.05, 0} - {0.3, 0.2, -0.1}, " + body_inertia), {.bodies = {{"x.body"}}}},
      {"BodyBox", rod("BodyBox", "r = {0.3, 0.2, -0.1}, r_shape = {0.06, 0.04, -0.02}, width = 0.06, height = 0.1, innerWidth = 0.02, density = 1000"),
       rod("BodyBox", "r = -{0.3, 0.2, -0.1}, length = 0.8 * sqrt(0.14), width = 0.06, height = 0.1, innerWidth = 0.02, density = 1000"),
       {.bodies = {{"x.body"}}}},
      {"BodyCylinder", rod("BodyCylinder", "r = {0.3, 0.2, -0.1}, diameter = 0.08, innerDiameter = 0.05, density = 2000"),
       rod("BodyCylinder", "r = -{0.3, 0.2, -0.1}, diameter = 0.08, innerDiameter = 0.05, density = 2000"), {.bodies = {{"x.body"}}}},
      {"PointMass", rod("FixedTranslation", "r = {0.3, 0.2, -0.1}") + "y : PointMass(m = 0.7)\nconnect x.frame_b, y.frame_a\n",
       rod("FixedTranslation", "r = -{0.3, 0.2, -0.1}") + "y : PointMass(m = 0.7)\nconnect x.frame_a, y.frame_a\n", {.points = {{"0.7", "y.r_0"}}}},
      {"CutForce", rod("CutForce", ""), rod("CutForce", ""), {.zero = {"x.force - A.R.T * (B.R.T' * B.f)"}}},
      {"CutTorque", rod("CutTorque", "resolveInFrame = world, positiveSign = false"), rod("CutTorque", "resolveInFrame = world, positiveSign = false"),
       {.zero = {"x.torque + B.R.T' * B.t"}}},
      {"CutForceAndTorque", rod("CutForceAndTorque", "resolveInFrame = world"), rod("CutForceAndTorque", "resolveInFrame = world"),
       {.zero = {"x.force - B.R.T' * B.f", "x.torque - B.R.T' * B.t"}}},
      {"Power", rod("Power", ""), rod("Power", ""), {.zero = {"{x.power - B.f * B.motion.v - B.t * B.R.w, 0, 0}"}}},
  };
}

std::vector<Row> forces() {
  std::vector<Row> rows;
  const auto line = [&](const char* name, const std::string& modifiers, const std::string& energy, const std::string& lost) {
    rows.push_back({name, "x : " + modifiers + "\n", "x : " + modifiers + "\n", {.start = free_start, .energy = energy, .lost = lost}});
  };
  line("Spring", "Spring(c = 20, s_unstretched = 0.3)", "10 * (x.s - 0.3)^2", "0");
  line("Damper", "Damper(d = 3)", "0", "3 * x.v_rel^2");
  line("SpringDamperParallel", "SpringDamperParallel(c = 20, s_unstretched = 0.3, d = 2)", "10 * (x.s - 0.3)^2", "2 * x.v_rel^2");
  line("SpringDamperSeries", "SpringDamperSeries(c = 20, s_unstretched = 0.3, d = 2)", "10 * (x.s - 0.3 - x.s_damper)^2", "2 * der(x.s_damper)^2");
  const std::string middle = "x.frame_a.r_0 + x.lengthFraction * (x.frame_b.r_0 - x.frame_a.r_0)";
  rows.push_back({"Spring with a mass", "x : Spring(c = 20, s_unstretched = 0.3, m = 0.7, lengthFraction = 0.3)\n",
                  "x : Spring(c = 20, s_unstretched = 0.3, m = 0.7, lengthFraction = 0.7)\n", {.start = free_start, .points = {{"0.7", middle}}, .energy = "10 * (x.s - 0.3)^2"}});
  const std::string spring = "spring : translational.Spring(c = 20, s_rel0 = 0.3)\nconnect spring.flange_a, x.flange_a\nconnect spring.flange_b, x.flange_b\n";
  rows.push_back({"LineForceWithMass", "x : LineForceWithMass(m = 0.7, lengthFraction = 0.3)\n" + spring, "x : LineForceWithMass(m = 0.7, lengthFraction = 0.7)\n" + spring,
                  {.start = free_start, .points = {{"0.7", middle}}, .energy = "10 * (x.length - 0.3)^2"}});
  rows.push_back({"LineForceWithTwoMasses", "x : LineForceWithTwoMasses(m_a = 0.7, m_b = 0.4, L_a = 0.1, L_b = 0.2)\n" + spring,
                  "x : LineForceWithTwoMasses(m_a = 0.4, m_b = 0.7, L_a = 0.2, L_b = 0.1)\n" + spring,
                  {.start = free_start, .points = {{"x.m_a", "x.frame_a.r_0 + x.L_a * x.e_rel_0"}, {"x.m_b", "x.frame_b.r_0 - x.L_b * x.e_rel_0"}},
                   .energy = "10 * (x.length - 0.3)^2"}});
  // A force acts in the line through frame_b's origin, which is another one where the frames are exchanged.
  const std::string v_a = "(a.frame_a.R.T' * (a.frame_a.motion.v + cross(a.frame_a.R.w, a.frame_a.R.T * (b.r_0 - a.r_0))))", v_b = "(b.frame_a.R.T' * b.frame_a.motion.v)",
                    w_rel = "(b.frame_a.R.T' * b.frame_a.R.w - a.frame_a.R.T' * a.frame_a.R.w)";
  const struct {
    const char *force, *torque, *both, *frame, *turned;
    std::string to_world;
  } frames[] = {{"Force, world", "Torque, world", "ForceAndTorque, world", "world", "world", ""},
                {"Force, frame_a", "Torque, frame_a", "ForceAndTorque, frame_a", "frame_a", "frame_b", "a.frame_a.R.T' * "},
                {"Force, frame_b", "Torque, frame_b", "ForceAndTorque, frame_b", "frame_b", "frame_a", "b.frame_a.R.T' * "},
                {"Force, frame_resolve", "Torque, frame_resolve", "ForceAndTorque, frame_resolve", "frame_resolve", "frame_resolve", "a.frame_a.R.T' * (planarRotation(unit({1, 2, 0}), 0.7)' * "}};
  for (const auto& f : frames) {
    const bool other = std::string(f.frame) == "frame_resolve";
    const std::string tilt = other ? "tilt : FixedRotation(n = {1, 2, 0}, angle = 0.7)\nconnect a.frame_a, tilt.frame_a\nconnect tilt.frame_b, x.frame_resolve\n" : "";
    const auto x = [&](const std::string& type, const char* frame) { return "x : " + type + "(resolveInFrame = ResolveInFrameAB." + frame + ")\n" + tilt; };
    const auto world = [&](const std::string& v) { return "(" + f.to_world + v + (other ? "))" : ")"); };
    const std::string give_f = "x.force = {1, 2 * cos(3 * time), -1}\n", give_t = "x.torque = {0.3, 0.2 * cos(3 * time), -0.1}\n",
                      give_back = "x.torque = -{0.3, 0.2 * cos(3 * time), -0.1}\n";
    const std::string force_power = world("x.force") + " * (" + v_b + " - " + v_a + ")", torque_power = world("x.torque") + " * " + w_rel;
    rows.push_back({f.force, x("Force", f.frame) + give_f, "", {.start = free_start, .power = force_power}});
    rows.push_back({f.torque, x("Torque", f.frame) + give_t, x("Torque", f.turned) + give_back, {.start = free_start, .power = "(1 - 2 * turned) * " + torque_power}});
    rows.push_back({f.both, x("ForceAndTorque", f.frame) + give_f + give_t, "", {.start = free_start, .power = force_power + " + " + torque_power}});
  }
  return rows;
}

// What closes loops, and assemblies of joints, which hold nothing by themselves.
std::vector<Row> loops() {
  const std::string turns = "angles_fixed = true, angles_start = {-0.3, 0.4, 0.2}, w_0_fixed = true, w_0_start = {0.5, -1, 2}, ";
  const std::string near_a = "r_0(start = {0.1, -0.2, 0.3}), v_0(start = {0.5, 1, -0.3}), ";
  const std::string hinged = "initial (b.frame_a.R.T * (a.frame_a.R.T' * {1, 0, 0}))[2] = -sin(0.4)\n"
                             "initial (b.frame_a.R.w - b.frame_a.R.T * (a.frame_a.R.T' * a.frame_a.R.w))[3] = 2\n";
  const std::string at_distance = "r_0(start = {0.9, 0.2, -0.3}, fixed), v_0(start = {0.2, 0.5, -0.4}, fixed = {true, true, false}), " + turns;
  const std::string middle = "(x.frame_a.r_0 + x.frame_b.r_0) / 2";
  // The bodies move much alike, so that they stay in reach of each other.
  const std::string beside = "r_0(start = {0.9, 0.2, -0.3}, fixed), v_0(start = {0.5, 1, -0.2}, fixed), angles_fixed = true, angles_start = {-0.3, 0.4, 0.2}, "
                             "w_0_fixed = true, w_0_start = {0.8, -0.4, 0.6}, ";
  std::vector<Row> rows = {
      {"CutSpherical", "x : CutSpherical\n", "x : CutSpherical\n", {.start = near_a + turns, .alike = {"x : Spherical\n"}}},
      {"CutRevolute", "x : CutRevolute\n" + hinged, "x : CutRevolute\n" + hinged, {.start = near_a + "angles_start = {0.3, -0.2, 0.8}, ", .alike = {"x : Revolute(phi(start = 0.4))\n" + hinged}}},
      {"SphericalSpherical", "x : SphericalSpherical(computeRodLength = true)\n", "x : SphericalSpherical(computeRodLength = true)\n",
       {.start = at_distance, .alike = {"x : UniversalSpherical(computeRodLength = true)\n"}}},
      {"SphericalSpherical with a mass", "x : SphericalSpherical(computeRodLength = true, m = 0.6)\n", "x : SphericalSpherical(computeRodLength = true, m = 0.6)\n",
       {.start = at_distance, .points = {{"0.6", middle}}}},
  };
  const auto body = [](const std::string& frame) { return "c : Body(r_CM = {0.1, 0.05, 0.02}, " + body_inertia + ")\nconnect x." + frame + ", c.frame_a\n"; };
  const auto assembly = [&](const char* name, const std::string& text, const std::string& frame) {
    rows.push_back({name, "x : " + std::string(name) + "(" + text + ")\n" + body(frame), "", {.start = beside, .bodies = {{"c"}}}});
  };
  assembly("UniversalSpherical", "computeRodLength = true", "frame_ia");
  rows.back().more.start = at_distance;
  assembly("JointUSR", "rRod1_ia = {1.5, 0, 0}, rRod2_ib = {0, 1.2, 0}, n_b = {0, 0.2, 1}", "frame_ia");
  assembly("JointRRR", "rRod1_ia = {1.5, 0, 0}, rRod2_ib = {0, 1.2, 0}", "frame_ib");
  assembly("JointUSP", "rRod1_ia = {0.9, 0, 0}, rRod2_ib = {0, 0.1, 0}, n_b = {1, 0.1, 0}", "frame_ib");
  assembly("JointRRP", "rRod1_ia = {0.9, 0, 0}, rRod2_ib = {0, 0.1, 0}, n_b = {1, 0.1, 0}", "frame_ia");
  assembly("JointSSR", "rod1Length = 1.5, rRod2_ib = {0, 1.2, 0}, n_b = {0, 0.2, 1}", "frame_ib");
  assembly("JointSSP", "rod1Length = 0.9, rRod2_ib = {0, 0.1, 0}, n_b = {1, 0.1, 0}", "frame_ib");
  assembly("JointUPS", "s_offset = 0.1", "frame_ib");
  return rows;
}

// All at once beside a spring, from body to body and back.
std::vector<Row> sensors() {
  const std::string r = "(B.r_0 - A.r_0)", v = "(B.R.T' * B.motion.v - A.R.T' * A.motion.v)", w = "(B.R.T' * B.R.w - A.R.T' * A.R.w)",
                    turning = "(A.R.T' * A.R.w)";
  const struct {
    std::string type, zero;  // S is the sensor
    bool relative = true;
  } list[] = {
      {"RelativePosition(resolveInFrame = world)", "S.r_rel - " + r},
      {"RelativePosition", "S.r_rel - A.R.T * " + r},
      {"RelativePosition(resolveInFrame = ResolveInFrameAB.frame_b)", "S.r_rel - B.R.T * " + r},
      {"RelativeVelocity(resolveInFrame = world)", "S.v_rel - " + v + " + cross(" + turning + ", " + r + ")"},
      {"RelativeVelocity(resolveInFrame = ResolveInFrameAB.frame_b)", "S.v_rel - B.R.T * (" + v + " - cross(" + turning + ", " + r + "))"},
      {"RelativeAngularVelocity", "S.w_rel - A.R.T * " + w},
      {"RelativeAngularVelocity(resolveInFrame = ResolveInFrameAB.frame_b)", "S.w_rel - B.R.T * " + w},
      {"RelativeAngles(sequence = {3, 1, 2})", "misalignment(axesRotations({3, 1, 2}, S.angles), B.R.T * A.R.T')"},
      {"Distance", "{S.distance^2 - " + r + " * " + r + ", 0, 0}"},
      {"RelativeSensor(resolveInFrame = world, get_v_rel = true)", "S.v_rel - " + v},
      {"RelativeSensor(get_w_rel = true)", "S.w_rel - A.R.T * " + w},
      {"RelativeSensor(get_angles = true)", "misalignment(axesRotations({1, 2, 3}, S.angles), B.R.T * A.R.T')"},
      {"AbsolutePosition(resolveInFrame = world)", "S.r - A.r_0", false},
      {"AbsoluteVelocity(resolveInFrame = world)", "S.v - A.R.T' * A.motion.v", false},
      {"AbsoluteVelocity", "S.v - A.motion.v", false},
      {"AbsoluteAcceleration", "S.a - A.motion.a - A.R.T * world.gravity", false},
      {"AbsoluteAngularVelocity", "S.w - A.R.w", false},
      {"AbsoluteAngles", "misalignment(axesRotations({1, 2, 3}, S.angles), A.R.T)", false},
      {"AbsoluteSensor(get_r = true)", "S.r - A.R.T * A.r_0", false},
      {"AbsoluteSensor(resolveInFrame = world, get_z = true)", "S.z - A.R.T' * A.R.z", false},
  };
  const std::string spring = "x : Spring(c = 20, s_unstretched = 0.3)\n";
  Row row{"sensors", spring, spring, {.start = free_start, .energy = "10 * (x.s - 0.3)^2"}};
  int n = 0;
  for (const auto& s : list)
    for (const bool back : {false, true}) {
      const std::string name = "s" + std::to_string(++n), a = back ? "b" : "a", b = back ? "a" : "b";
      const std::string text = name + " : " + s.type + "\nconnect " + a + ".frame_a, " + name + ".frame_a\n" +
                               (s.relative ? "connect " + name + ".frame_b, " + b + ".frame_a\n" : "");
      row.text += text;
      row.mirrored += text;
      row.more.zero.push_back(between(std::regex_replace(s.zero, std::regex("\\bS\\."), name + "."), a, b));
    }
  return {row};
}

// Parts of drive trains on body a, whose inertia has theirs: they add what they turn relative to it.
std::vector<Row> drives() {
  const std::string joint = "x : Spherical(angles_fixed = true, w_rel_a_fixed = true, w_rel_a_start = {1, -1, 2})\n";
  const std::string back = "x : Spherical(angles_fixed = true, w_rel_a_fixed = true, w_rel_a_start = -{1, -1, 2})\n";
  const auto motor = [](const std::string& flange) {
    return "motor : rotational.Torque(useSupport = true)\nmotor.tau = 0.5 * cos(4 * time)\nmount : Mounting1D(n = {1, 2, 0})\nconnect a.frame_a, mount.frame_a\n"
           "connect motor.support, mount.flange_b\nconnect motor.flange, " + flange + "\n";
  };
  const std::string rotor = "rotor : Rotor1D(J = 0.05, n = {1, 2, 0}, phi(start = 0, fixed), w(start = 20, fixed))\nconnect rotor.frame_a, a.frame_a\n";
  const auto turning = [](const std::string& r) { return "(a.frame_a.R.T' * (" + r + ".J * " + r + ".w * " + r + ".e))"; };
  const auto stored = [](const std::string& r) { return r + ".J * " + r + ".w * (" + r + ".w / 2 + " + r + ".e * a.frame_a.R.w)"; };
  const std::string load = "load : Rotor1D(J = 0.1, n = {0, 1, -1})\nconnect load.frame_a, a.frame_a, gear.frame_a\n";
  const auto geared = [&](const std::string& gear, const std::string& fast, const std::string& slow) {
    return rotor + load + "gear : BevelGear1D(" + gear + ")\nconnect rotor.flange_b, gear." + fast + "\nconnect gear." + slow + ", load.flange_a\n" + motor("rotor.flange_a");
  };
  return {
      {"Rotor1D", joint + rotor + motor("rotor.flange_a"), back + rotor + motor("rotor.flange_b"),
       {.energy = stored("rotor"), .momentum = turning("rotor"), .power = "motor.tau * rotor.w"}},
      {"BevelGear1D", joint + geared("ratio = 3, n_a = {1, 2, 0}, n_b = {0, 1, -1}", "flange_a", "flange_b"),
       back + geared("ratio = 1/3, n_a = {0, 1, -1}, n_b = {1, 2, 0}", "flange_b", "flange_a"),
       {.energy = stored("rotor") + " + " + stored("load"), .momentum = turning("rotor") + " + " + turning("load"), .power = "motor.tau * rotor.w"}},
  };
}

// The component as it is, with its frames exchanged, others that do the same; with body a as the root and with body b; in both kinds of gravity.
void check(const Row& row, bool point_gravity) {
  CAPTURE(std::string(row.name));
  CAPTURE(point_gravity);
  std::vector<std::pair<std::string, bool>> components = {{row.text, false}};
  if (!row.mirrored.empty()) components.emplace_back(row.mirrored, true);
  for (const std::string& x : row.more.alike) components.emplace_back(x, false);
  std::vector<double> first;
  for (const auto& [x, mirrored] : components)
    for (const bool b_first : {false, true}) {
      const std::string text = model(row, x, mirrored, b_first, point_gravity);
      CAPTURE(text);
      Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
      REQUIRE_MESSAGE(s.run_text(text), rendered(s));
      REQUIRE_MESSAGE(s.simulate({.stop = run_stop, .points = 20, .tolerance = tolerance}), rendered(s));
      for (const char* e : {"p[1]", "p[2]", "p[3]", "L[1]", "L[2]", "L[3]", "E"}) CHECK_MESSAGE(spread(s, e) < 1e-6, e);
      for (std::size_t k = 0; k < row.more.zero.size(); ++k)
        for (const char* e : {"[1]", "[2]", "[3]"}) {
          const auto values = s.series("zero_" + std::to_string(k) + e).value();
          for (double value : values) CHECK_MESSAGE(std::fabs(value) < 1e-9, row.more.zero[k]);
        }
      const std::vector<double> now = motion(s);
      if (first.empty()) first = now;
      double off = 0;
      for (std::size_t k = 0; k < now.size(); ++k) off = std::max(off, std::fabs(now[k] - first[k]));
      CHECK(off < 1e-6);
    }
}

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows)
    for (const bool point_gravity : {false, true}) check(row, point_gravity);
}

}  // namespace

TEST_CASE("mechanics: joints between two free bodies") {
  check(joints());
}

TEST_CASE("mechanics: parts between two free bodies") {
  check(parts());
}

TEST_CASE("mechanics: forces between two free bodies") {
  check(forces());
}

TEST_CASE("mechanics: loops closed between two free bodies") {
  check(loops());
}

TEST_CASE("mechanics: sensors between two free bodies") {
  check(sensors());
}

TEST_CASE("mechanics: drive trains on two bodies that a joint holds together") {
  check(drives());
}
