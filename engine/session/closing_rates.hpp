// engine/session/closing_rates.hpp: what the equations that close loops say of motions, at a random point.
//   in    a reduced system that is not differentiated
//   rates the derivatives that the model states. One that is 0 = 0 shows what a loop holds more than it needs where velocities are resolved in
//         frames of which the zeros show, and positions are not
//   which In a plane loop of which the axis is no coordinate axis nothing is zero: the elements of a rotation are multiples of one angle. The
//         largest is to stay. Of the others some are zero at half a turn, too: about {0, 0.5, 1} the second element of `separation`
//         [stdlib/multibody/frames.eq] is an angle with a sine of -e[2]*sin(phi) and a cosine of cos(phi) + (1 - cos(phi))*e[3]^2
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "engine/session/system.hpp"

namespace kron::session {

struct ClosingRates {
  std::vector<bool> silent;  // by row: its rate is zero
  // Of vectors of three in models with oblique axes: which elements are to go rather than others of the vector, and directions, along the axes
  // of the rates, in which nothing opens. If the elements go, flows in these are not determined.
  struct Vector {
    std::uint32_t equation = 0;
    std::array<bool, 3> goes{};
    std::vector<std::array<double, 3>> still;
    bool has(std::uint32_t e) const { return e >= equation && e < equation + goes.size(); }
  };
  std::vector<Vector> vectors;  // ascending

  bool goes(std::uint32_t equation) const;
};
ClosingRates closing_rates(System&);

// Closing equations that follow from the rest wherever the rows hold that give variables.
std::vector<std::uint32_t> repeated_closings(System&);

}  // namespace kron::session
