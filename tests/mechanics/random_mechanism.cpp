#include "tests/mechanics/random_mechanism.hpp"

#include <algorithm>
#include <functional>
#include <sstream>

namespace mechanics {

namespace {

std::string number(double x) {
  std::ostringstream out;
  out.precision(17);
  out << x;
  return out.str();
}
std::string list(const Vector& v) { return "{" + number(v[0]) + ", " + number(v[1]) + ", " + number(v[2]) + "}"; }
std::string fixed(const std::string& name, double start) { return name + "(start = " + number(start) + ", fixed)"; }

const Vector x = identity[0], y = identity[1], z = identity[2];

// The first joints of a row turn frame_b against frame_a, in that order: its angular velocity, resolved in frame_a.
Vector angular_velocity(const std::vector<Joint>& row) {
  Vector w{};
  Matrix turn = identity;
  for (const Joint& j : row) {
    if (j.prismatic) continue;
    w = w + transposed(turn) * (j.speed * j.axis);
    turn = rotation(j.axis, j.q) * turn;
  }
  return w;
}

}  // namespace

RandomMechanism::RandomMechanism(std::uint64_t seed) : random_(seed) {
  const Vector down = unit(vector());
  text = "use multibody\nworld : World(g = 10, n = " + list(down) + ")\n";
  tree.gravity = 10 * down;
  places_.push_back({"world.frame_b"});
  const int count = 1 + static_cast<int>(random_() % 5);
  for (int k = 1; k <= count; ++k) {
    const std::string n = std::to_string(k);
    Place from = places_[random_() % places_.size()];
    if (coin()) from = part(from, n);
    std::string end;
    const int link = joint(from, n, end);
    body(link, end, n);
  }
}

void RandomMechanism::connect(const std::string& a, const std::string& b) { text += "connect " + (coin() ? a + ", " + b : b + ", " + a) + "\n"; }

// A rigid part, either way round.
RandomMechanism::Place RandomMechanism::part(const Place& from, const std::string& n) {
  const bool turned_round = coin(), turns = coin();
  const Vector r = vector(), e = axis();
  const double angle = turns ? uniform(-3, 3) : 0;
  const std::string name = "part" + n;
  text += name + (turns ? " : FixedRotation(n = " + list(e) + ", angle = " + number(angle) + ", " : " : FixedTranslation(") + "r = " + list(r) + ")\n";
  connect(from.name, name + (turned_round ? ".frame_b" : ".frame_a"));
  const Matrix R = turns ? rotation(e, angle) : identity;  // from frame_a to frame_b
  Place to{name + (turned_round ? ".frame_a" : ".frame_b"), from.link};
  const Matrix step = turned_round ? transposed(R) : R;
  to.turn = step * from.turn;
  to.position = from.position + transposed(from.turn) * (turned_round ? -1 * (R * r) : r);
  places_.push_back(to);
  return to;
}

// Returns the last link; `end`: the frame behind the joint.
int RandomMechanism::joint(const Place& from, const std::string& n, std::string& end) {
  const std::string name = "joint" + n;
  std::vector<Joint> row;  // from frame_a to frame_b
  const auto revolute = [&](const Vector& e) { row.push_back({false, e, uniform(-2, 2), uniform(-2, 2), 0}); };
  const auto prismatic = [&](const Vector& e) { row.push_back({true, e, uniform(-1, 1), uniform(-2, 2), 0}); };
  const auto angles = [&](std::size_t first) {
    return "angles_fixed = true, angles_start = " + list({row[first].q, row[first + 1].q, row[first + 2].q}) +
           ", w_rel_a_fixed = true, w_rel_a_start = " + list(angular_velocity(row));
  };
  const auto driven = [&](const std::string& drive, const std::string& signal) {
    row[0].force = uniform(-5, 5);
    const bool turns = !row[0].prismatic;
    text += "drive" + n + " : " + drive + "\ndrive" + n + "." + signal + " = " + number(row[0].force) + "\n";
    text += name + (turns ? " : Revolute(" : " : Prismatic(") + "useAxisFlange = true, n = " + list(row[0].axis) + ", " +
            fixed(turns ? "phi" : "s", row[0].q) + ", " + fixed(turns ? "w" : "v", row[0].speed) + ")\n";
    connect("drive" + n + ".flange", name + ".axis");
  };
  const Vector e = axis();
  switch (random_() % 8) {
    case 0:
    case 1:
      revolute(e);
      driven("rotational.Torque", "tau");
      break;
    case 2:
      prismatic(e);
      driven("translational.Force", "f");
      break;
    case 3: {
      revolute(e);
      revolute(unit(cross(e, vector())));
      text += name + " : Universal(n_a = " + list(row[0].axis) + ", n_b = " + list(row[1].axis) + ", " + fixed("phi_a", row[0].q) + ", " +
              fixed("phi_b", row[1].q) + ", " + fixed("w_a", row[0].speed) + ", " + fixed("w_b", row[1].speed) + ")\n";
      break;
    }
    case 4:
      prismatic(e);
      revolute(e);
      text += name + " : Cylindrical(n = " + list(e) + ", " + fixed("s", row[0].q) + ", " + fixed("v", row[0].speed) + ", " + fixed("phi", row[1].q) +
              ", " + fixed("w", row[1].speed) + ")\n";
      break;
    case 5: {
      const Vector across = unit(cross(e, vector()));
      prismatic(unit(cross(cross(e, across), e)));
      prismatic(unit(cross(e, across)));
      revolute(e);
      text += name + " : Planar(n = " + list(e) + ", n_x = " + list(across) + ", " + fixed("s_x", row[0].q) + ", " + fixed("v_x", row[0].speed) + ", " +
              fixed("s_y", row[1].q) + ", " + fixed("v_y", row[1].speed) + ", " + fixed("phi", row[2].q) + ", " + fixed("w", row[2].speed) + ")\n";
      break;
    }
    case 6:
      for (const Vector& a : {x, y, z}) revolute(a);
      text += name + " : Spherical(" + angles(0) + ")\n";
      break;
    default:
      for (const Vector& a : {x, y, z}) prismatic(a);
      for (const Vector& a : {x, y, z}) revolute(a);
      text += name + " : FreeMotion(r_rel_a(start = " + list({row[0].q, row[1].q, row[2].q}) + ", fixed), v_rel_a(start = " +
              list({row[0].speed, row[1].speed, row[2].speed}) + ", fixed), " + angles(3) + ")\n";
  }
  const bool turned_round = coin();
  if (turned_round) {
    std::reverse(row.begin(), row.end());
    for (Joint& j : row) j.q = -j.q, j.speed = -j.speed, j.force = -j.force;
  }
  connect(from.name, name + (turned_round ? ".frame_b" : ".frame_a"));
  end = name + (turned_round ? ".frame_a" : ".frame_b");
  int parent = from.link;
  for (std::size_t k = 0; k < row.size(); ++k) {
    tree.links.push_back({parent, k == 0 ? from.turn : identity, k == 0 ? from.position : Vector{}, row[k]});
    parent = static_cast<int>(tree.links.size()) - 1;
  }
  return parent;
}

// With a second frame on some.
void RandomMechanism::body(int link, const std::string& frame, const std::string& n) {
  const std::string name = "body" + n;
  const Vector r = vector();
  Mass b{static_cast<std::size_t>(link), uniform(0.5, 3), vector(0.5), {}};
  const Matrix turn = rotation(unit(vector()), uniform(-3, 3));
  const Matrix main{{{uniform(0.2, 0.4), 0, 0}, {0, uniform(0.2, 0.4), 0}, {0, 0, uniform(0.2, 0.4)}}};
  b.inertia = transposed(turn) * main * turn;
  tree.masses.push_back(b);
  const Matrix& I = b.inertia;
  const bool shape = coin();
  text += name + (shape ? " : BodyShape(r = " + list(r) + ", " : " : Body(") + "m = " + number(b.mass) + ", r_CM = " + list(b.centre) + ", I_11 = " +
          number(I[0][0]) + ", I_22 = " + number(I[1][1]) + ", I_33 = " + number(I[2][2]) + ", I_21 = " + number(I[1][0]) + ", I_31 = " + number(I[2][0]) +
          ", I_32 = " + number(I[2][1]) + ")\n";
  connect(frame, name + ".frame_a");
  bodies.push_back({name, link});
  places_.push_back({name + ".frame_a", link});
  if (shape) places_.push_back({name + ".frame_b", link, identity, r});
}

}  // namespace mechanics
