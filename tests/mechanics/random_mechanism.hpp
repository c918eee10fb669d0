// tests/mechanics/random_mechanism.hpp: a random tree of the library's bodies and joints, and the same as a Tree: every joint a row of
// revolute and prismatic ones. Branches, parts between, and which frame of a part is nearer the root are random.
#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/mechanics/tree.hpp"

namespace mechanics {

class RandomMechanism {
 public:
  explicit RandomMechanism(std::uint64_t seed);

  struct Place {  // a frame of the model: where it is in the Tree
    std::string name;
    int link = -1;
    Matrix turn = identity;  // from the link's frame
    Vector position{};
  };
  std::string text;
  Tree tree;
  std::vector<Place> bodies;  // their frame_a; turn and position say nothing: it is the link's frame

 private:
  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(random_); }
  bool coin() { return random_() % 2 == 0; }
  Vector vector(double size = 1) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  Vector axis() { return coin() ? unit(vector()) : Vector(identity[random_() % 3]); }
  Place part(const Place& from, const std::string& number);
  int joint(const Place& from, const std::string& number, std::string& end);
  void body(int link, const std::string& frame, const std::string& number);
  void connect(const std::string& a, const std::string& b);

  std::mt19937_64 random_;
  std::vector<Place> places_;
};

}  // namespace mechanics
