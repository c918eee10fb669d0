// What each joint of a chain costs, whatever the chain's length and the way its links are written.
#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <string>

#include "tests/mechanics/operations.hpp"

using kron::test::operations;

namespace {

const std::string link =
    "(r = {0.7, 0, 0}, r_CM = {0.31, 0.02, 0.05}, m = 1.2, I_11 = 0.1, I_22 = 0.21, I_33 = 0.3, I_21 = 0.01, I_31 = 0.02, I_32 = 0.03)\n";

std::string chain_of_joints(int n, const std::function<std::string(int)>& joint) {
  std::string text = "use multibody\nworld : World\n", end = "world.frame_b";
  for (int k = 1; k <= n; ++k) {
    const std::string i = std::to_string(k);
    text += "joint" + i + " : " + joint(k) + "\nbody" + i + " : BodyShape" + link;
    text += "connect " + end + ", joint" + i + ".frame_a\nconnect joint" + i + ".frame_b, body" + i + ".frame_a\n";
    end = "body" + i + ".frame_b";
  }
  return text;
}
std::string chain_of_joints(int n, const std::string& odd, const std::string& even) {
  return chain_of_joints(n, [&](int k) { return k % 2 == 0 ? even : odd; });
}

// A chain of universal joints between two points of the world.
std::string hanging_chain(int n) {
  const double sag = 2.0 / (n - 1);
  return "use multibody\nparameter n = " + std::to_string(n) + "\nparameter sag = " + std::to_string(sag) + "\nparameter span = " + std::to_string(0.84 * n) + R"(
world : World
far : FixedTranslation(r = {span, 0, 0})
joint[n] : Universal(n_a = {0, 0, 1}, n_b = {0, 1, 0}, phi_a(start = {if k == 1 then -1 else sag for k in 1:n}))
link[n] : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, I_22 = 0.1, I_33 = 0.1)
cut : CutSpherical
connect world.frame_b, joint[1].frame_a, far.frame_a
for k in 1:n
  connect joint[k].frame_b, link[k].frame_a
end
for k in 2:n
  connect link[k - 1].frame_b, joint[k].frame_a
end
connect link[n].frame_b, cut.frame_a
connect far.frame_b, cut.frame_b
)";
}

// Joints of all kinds in no order.
std::string chain_of_any_joints(int n) {
  const char* const kinds[] = {"Revolute(n = {0, 0, 1})", "Revolute(n = {1, 0, 0})", "Prismatic(n = {0, 1, 0})", "Universal", "Spherical", "Cylindrical", "Revolute(n = {1, 1, 0})"};
  std::uint32_t lot = 1;
  return chain_of_joints(n, [&](int) {
    lot = lot * 1664525u + 1013904223u;
    return kinds[(lot >> 16) % 7];
  });
}

}  // namespace

// Links turned, shifted, hinged and shifted along the hinge [Craig's way of Denavit and Hartenberg], without torques: over 400 unknowns the
// tree of the ladder that is best below was not looked at, and the eleventh link cost 660 operations.
TEST_CASE("mechanics: links of one class cost the same in blocks of more than 400 unknowns") {
  for (const int n : {10, 11, 12, 20}) {
    CAPTURE(n);
    const std::string k = std::to_string(n);
    CHECK(operations("use multibody\n"
                     "model Link\n  parameter d = 0.25\n  parameter a = 0.5\n  parameter alpha = 0.7\n  frame_a, frame_b : Frame\n"
                     "  turn : FixedRotation(n = {1, 0, 0}, angle = alpha)\n  shift : FixedTranslation(r = {a, 0, 0})\n  joint : Revolute(n = {0, 0, 1})\n"
                     "  body : BodyShape(r = {0, 0, d}, m = 1.3, r_CM = {0.22, 0.04, 0.06}, I_11 = 0.11, I_22 = 0.22, I_33 = 0.28, I_21 = 0.012, I_31 = 0.013, I_32 = 0.014)\n"
                     "  connect frame_a, turn.frame_a\n  connect turn.frame_b, shift.frame_a\n  connect shift.frame_b, joint.frame_a\n"
                     "  connect joint.frame_b, body.frame_a\n  connect body.frame_b, frame_b\nend\n"
                     "world : World\nlink[" + k + "] : Link(d = {0.25 + 0.01 * mod(k, 7) for k in 1:" + k + "})\nconnect world.frame_b, link[1].frame_a\n"
                     "for k in 2:" + k + "\n  connect link[k - 1].frame_b, link[k].frame_a\nend\n") <= (n > 12 ? 375.0 : 352.0) * n);
  }
}

// An axis, an offset or an angle is structure whoever's parameter it comes through.
TEST_CASE("mechanics: links cost the same by parameters of one's own as by numbers") {
  const auto chain = [](const std::string& before, const std::string& parameters, const std::string& n, const std::string& a, const std::string& alpha, const std::string& J,
                        const std::string& modification) {
    return "use multibody\n" + before + "model Link\n" + parameters + "  frame_a, frame_b : Frame\n  joint : Revolute(n = " + n + ")\n"
           "  turn : FixedRotation(n = {1, 0, 0}, angle = " + alpha + ", r = {" + a + ", 0, 0})\n"
           "  body : Body(m = 1.3, r_CM = {0.22, 0.04, 0.06}, I_11 = 0.11, I_22 = 0.22, I_33 = 0.28, I_21 = " + J + ", I_31 = 0.013, I_32 = 0.014)\n"
           "  connect frame_a, joint.frame_a\n  connect joint.frame_b, turn.frame_a, body.frame_a\n  connect turn.frame_b, frame_b\nend\n"
           "world : World\nlink[10] : Link" + modification + "\nconnect world.frame_b, link[1].frame_a\nfor k in 2:10\n  connect link[k - 1].frame_b, link[k].frame_a\nend\n";
  };
  const struct {
    const char *name, *before, *parameters, *n, *a, *alpha, *J, *modification;
  } rows[] = {
      {"of the class", "", "  parameter n[3] = {0, 1, 0}\n  parameter alpha = pi / 2\n  parameter J = 0\n", "n", "0.5", "alpha", "J", ""},
      {"of the model, by the class", "parameter axis[3] = {0, 1, 0}\nparameter right : rad = 90 [deg]\nparameter none = 0\n",
       "  parameter n[3] = {0, 0, 1}\n  parameter alpha = 0.3\n  parameter J = 0.1\n", "n", "0.5", "alpha", "J", "(n = axis, alpha = right, J = none)"},
      {"elements of arrays", "parameter axis[10, 3] = {{0, 1, 0} for k in 1:10}\nparameter DH[10, 2] = {{pi / 2, 0} for k in 1:10}\n",
       "  parameter n[3] = {0, 0, 1}\n  parameter alpha = 0.3\n  parameter J = 0.1\n", "n", "0.5", "alpha", "J", "(n = axis, alpha = DH[:, 1], J = DH[:, 2])"},
      {"with a sign", "", "  parameter up[3] = {0, -1, 0}\n  parameter right = pi / 2\n", "-up", "0.5", "right", "0", ""},
      {"a direction by its length", "", "", "{0, 3, 0}", "0.5", "pi / 2", "0", ""},
  };
  const double by_numbers = operations(chain("", "", "{0, 1, 0}", "0.5", "pi / 2", "0", ""));
  for (const auto& row : rows) {
    CAPTURE(std::string(row.name));
    CHECK(operations(chain(row.before, row.parameters, row.n, row.a, row.alpha, row.J, row.modification)) == by_numbers);
  }
  CHECK(operations(chain("", "  parameter a = 0\n", "{0, 1, 0}", "a", "pi / 2", "0", "")) == operations(chain("", "", "{0, 1, 0}", "0", "pi / 2", "0", "")));
}

// A matrix made of numbers that are rounded is a rotation in these numbers only; what is turned about its first axis is turned by an angle.
TEST_CASE("mechanics: a fixed rotation by two axes costs what one by an angle does") {
  const auto chain = [](const std::string& turn) {
    return "use multibody\nworld : World\nturn[12] : FixedRotation(" + turn + ")\njoint[12] : Revolute\n"
           "body[12] : BodyShape(r = {0.5, 0, 0.25}, m = 1.3, r_CM = {0.22, 0.04, 0.06}, I_11 = 0.11, I_22 = 0.22, I_33 = 0.28, I_21 = 0.012, I_31 = 0.013, I_32 = 0.014)\n"
           "connect world.frame_b, turn[1].frame_a\nfor k in 1:12\n  connect turn[k].frame_b, joint[k].frame_a\n  connect joint[k].frame_b, body[k].frame_a\nend\n"
           "for k in 2:12\n  connect body[k - 1].frame_b, turn[k].frame_a\nend\n";
  };
  const double by_angle = operations(chain("n = {1, 0, 0}, angle = 0.73"));
  CHECK(operations(chain("rotationType = TwoAxesVectors, n_y = {0, cos(0.73), sin(0.73)}")) == by_angle);
  CHECK(operations(chain("rotationType = TwoAxesVectors, n_y = {7, 3, 4}")) == by_angle);
}

// Over 4,000 unknowns fewer orderings are tried; the one that is best below has to be among them.
TEST_CASE("mechanics: a chain of joints of several kinds costs the same for each body, whatever their number") {
  const struct {
    const char *odd, *even;
    double most;  // for each body
  } rows[] = {{"Universal", "Spherical", 430}, {"Revolute(n = {0, 1, 0})", "Universal", 365}};
  for (const auto& row : rows)
    for (const int n : {75, 150, 300}) {
      CAPTURE(std::string(row.odd));
      CAPTURE(n);
      CHECK(operations(chain_of_joints(n, row.odd, row.even)) <= row.most * n);
    }
}

// The ladder that is cheapest there loses digits at its end, which it left to Markowitz, and others were given up beside it: 773 for each
// body. And of joints in no order each way of ladder loses somewhere what others do not: 494 for each of 300 joints where 150 cost 379. Which
// copies of accelerations are torn makes another 6 to 8 % here.
TEST_CASE("mechanics: over 4,000 unknowns ladders are tried that are best below") {
  for (const int n : {100, 150}) {
    CAPTURE(n);
    CHECK(operations(hanging_chain(n)) <= 640.0 * n);
  }
  const double a = operations(chain_of_any_joints(140)), b = operations(chain_of_any_joints(200)), c = operations(chain_of_any_joints(280));
  CHECK(a <= 340 * 140);
  CHECK(c <= 360 * 280);
  CHECK((c - b) / 80 <= 1.05 * (b - a) / 60);  // each further joint beyond as much as below, where all ladders are tried
}
