// Serial chains of stdlib/multibody: what one more joint costs, masses, inertias and centres of mass symbolic, kinematics included.
//   Zeros of axes and offsets are structure, so of many vectors some elements are known; that must not cost the ladder its arrays.
#include <doctest/doctest.h>

#include "lang/workspace/kron.hpp"

using namespace kron;

namespace {

const std::string alternating = "{if mod(k, 2) == 0 then {0, 0, 1} else {0, 1, 0} for k in 1:n}";
const std::string same = "{{0, 0, 1} for k in 1:n}";

// Torques in, accelerations out: components at top level.
const std::string flat = R"(
world : World
joint[n] : Revolute(n = AXES, useAxisFlange = true)
body[n] : BodyShape(r = {L, 0, 0}, r_CM = {0.31, 0.02, 0.05}, m = 1.2, I_11 = 0.1, I_22 = 0.21, I_33 = 0.3, I_21 = 0.01, I_31 = 0.02, I_32 = 0.03)
drive[n] : rotational.Torque
connect world.frame_b, joint[1].frame_a
for k in 1:n
  connect joint[k].frame_b, body[k].frame_a
  connect drive[k].flange, joint[k].axis
  drive[k].tau = sin(time)
end
for k in 2:n
  connect body[k-1].frame_b, joint[k].frame_a
end
)";

// The same of links with frames of their own.
const std::string links = R"(
world : World
link[n] : Link(n = AXES)
model Link
  parameter n[3] = {0, 0, 1} @structure
  parameter L = 0.7
  frame_a, frame_b : Frame
  drive : rotational.Torque
  drive.tau = sin(time)
  joint : Revolute(n = n, useAxisFlange = true)
  body : Body(r_CM = {0.31, 0.02, 0.05}, m = 1.2, I_11 = 0.1, I_22 = 0.21, I_33 = 0.3, I_21 = 0.01, I_31 = 0.02, I_32 = 0.03)
  tail : FixedTranslation(r = {L, 0, 0})
  connect frame_a, joint.frame_a
  connect joint.frame_b, body.frame_a, tail.frame_a
  connect tail.frame_b, frame_b
  connect drive.flange, joint.axis
end
connect world.frame_b, link[1].frame_a
for k in 2:n
  connect link[k-1].frame_b, link[k].frame_a
end
)";

code::OperationCount dynamic(std::string text, const std::string& axes, int n) {
  text.replace(text.find("AXES"), 4, axes);
  Session session({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  REQUIRE(session.run_text("use multibody\nparameter n = " + std::to_string(n) + "\nparameter L = 0.7\n" + text));
  const session::Analysis& a = session.analysis();
  REQUIRE(a.complete);
  for (const session::Block& b : a.blocks) CHECK(b.core == 0);
  return code::operations(*a.program, code::Section::dynamic);
}

}  // namespace

TEST_CASE("multibody: each further joint of a chain costs the same, without a matrix to solve") {
  struct Row { std::string name, text, axes; std::size_t mul, add; };
  const Row rows[] = {
      {"axes y and z in turn", flat, alternating, 178, 161},
      {"planar", flat, same, 37, 30},
      {"links, axes y and z in turn", links, alternating, 178, 161},
      {"links, planar", links, same, 37, 30},
  };
  for (const Row& row : rows)
    for (int n : {8, 20}) {
      CAPTURE(row.name);
      CAPTURE(n);
      const auto a = dynamic(row.text, row.axes, n), b = dynamic(row.text, row.axes, n + 2), c = dynamic(row.text, row.axes, n + 4);
      CHECK(b.mul - a.mul <= 2 * row.mul);
      CHECK(b.add - a.add <= 2 * row.add);
      CHECK(c.mul - b.mul == b.mul - a.mul);
      CHECK(c.add - b.add == b.add - a.add);
      CHECK(c.div - b.div <= 2);
    }
}

// Denavit-Hartenberg: joints about z, bars along x and z, a turn about x; all of it symbolic.
TEST_CASE("multibody: chains with general geometry") {
  const std::string text = R"(
parameter a[n] = {0.3 + 0.1 * k for k in 1:n}
parameter d[n] = {0.1 + 0.1 * k for k in 1:n}
parameter alpha[n] = {0.3 + 0.1 * k for k in 1:n}
world : World
joint[n] : Revolute(n = AXES, useAxisFlange = true)
body[n] : Body(r_CM = {0.31, 0.02, 0.05}, m = 1.2, I_11 = 0.1, I_22 = 0.21, I_33 = 0.3, I_21 = 0.01, I_31 = 0.02, I_32 = 0.03)
arm[n] : FixedRotation(r = {{a[k], 0, d[k]} for k in 1:n}, n = {1, 0, 0}, angle = alpha)
drive[n] : rotational.Torque
connect world.frame_b, joint[1].frame_a
for k in 1:n
  connect joint[k].frame_b, body[k].frame_a, arm[k].frame_a
  connect drive[k].flange, joint[k].axis
  drive[k].tau = sin(time)
end
for k in 2:n
  connect arm[k-1].frame_b, joint[k].frame_a
end
)";
  const auto a = dynamic(text, same, 8), b = dynamic(text, same, 10), c = dynamic(text, same, 12);
  CHECK(b.mul - a.mul <= 2 * 247);
  CHECK(b.add - a.add <= 2 * 219);
  CHECK(c.mul - b.mul == b.mul - a.mul);
  CHECK(c.add - b.add == b.add - a.add);
}
