// tests/mechanics/tree.hpp: rigid bodies in a tree of revolute and prismatic joints, by the recursive Newton-Euler equations, all
// resolved in the links' frames. Independent of Kron: what the library's mechanisms are compared with.
#pragma once
#include <array>
#include <cstddef>
#include <vector>

namespace mechanics {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;  // rows

Vector operator+(const Vector&, const Vector&);
Vector operator-(const Vector&, const Vector&);
Vector operator*(double, const Vector&);
double operator*(const Vector&, const Vector&);
Vector cross(const Vector&, const Vector&);
Vector operator*(const Matrix&, const Vector&);
Matrix operator*(const Matrix&, const Matrix&);
Matrix transposed(const Matrix&);
Vector unit(const Vector&);
Matrix rotation(const Vector& axis, double angle);  // takes components in a frame to those in the frame turned about a unit vector
inline constexpr Matrix identity{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

struct Joint {
  bool prismatic = false;
  Vector axis{};  // of unit length, the same before and after the joint
  double q = 0, speed = 0, force = 0;
};

// A link's frame stands behind its joint, the joint at `position` in the parent's frame, turned by `turn`.
struct Link {
  int parent = -1;  // the ground
  Matrix turn = identity;
  Vector position{};
  Joint joint{};
};

struct Mass {
  std::size_t link = 0;
  double mass = 0;
  Vector centre{};
  Matrix inertia{};  // at the centre
};

struct Motion {  // of a link's frame
  Vector w{}, z{}, a{};  // angular velocity and acceleration, acceleration minus gravity
};

struct Tree {
  std::vector<Link> links;  // parents first
  std::vector<Mass> masses;
  Vector gravity{};

  std::vector<Motion> motions(const std::vector<double>& accelerations) const;  // of the joints
  std::vector<double> forces(const std::vector<double>& accelerations) const;   // at the joints: inverse dynamics
  std::vector<double> accelerations() const;  // M*a = force - forces(0), M by columns: forces(unit vectors) - forces(0)
};

}  // namespace mechanics
