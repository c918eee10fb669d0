#include "engine/code/sine.hpp"

#include <algorithm>
#include <cmath>

namespace kron::code {

double sine(double x) { return std::sin(x); }
double cosine(double x) { return std::cos(x); }
SineAndCosine sine_and_cosine(double x) { return {std::sin(x), std::cos(x)}; }

void sine_lanes_of(double* angles) { std::transform(angles, angles + sine_lanes, angles, sine); }
void cosine_lanes_of(double* angles) { std::transform(angles, angles + sine_lanes, angles, cosine); }
void sine_and_cosine_lanes_of(double* angles) {
  for (int k = 0; k < sine_lanes; ++k) {
    const auto [s, c] = sine_and_cosine(angles[k]);
    angles[k] = s;
    angles[sine_lanes + k] = c;
  }
}

}  // namespace kron::code
