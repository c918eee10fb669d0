// Bodies on one axis that rub against each other and against the housing, solved in the tests' own way:
//   torques are constant in pieces, so that speeds are straight lines between events; at each event every element with speed 0 is stuck or slides off
//   forward or backward, and of all combinations one that fits is taken. The elements form a tree, so that no torque is left open.
//   Where several combinations fit with other accelerations, or one fits by a hair, there is no verdict.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace kron::hybrid {

struct FrictionTree {
  struct Body { double J, w, before, after; };           // torque until `change` and after it
  struct Element { std::size_t a, b; double tau, peak; };  // between bodies a and b (b = bodies.size(): the housing): sliding torque, largest one / that
  std::vector<Body> bodies;
  std::vector<Element> elements;
  double change = 0;
};
FrictionTree random_friction_tree(std::uint64_t seed);
std::string text(const FrictionTree&);                   // j1, j2, … and e1, e2, …

struct FrictionRun {
  enum class Verdict : std::uint8_t { clear, several, none, edge } verdict = Verdict::clear;
  struct Piece {
    double from;
    std::vector<double> w, a;
    std::vector<int> mode;  // of the elements: -1, 0 (stuck), 1
  };
  std::vector<Piece> pieces;
};
FrictionRun run(const FrictionTree&, double stop);

}  // namespace kron::hybrid
