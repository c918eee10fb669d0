// engine/code/sine.hpp: sine and cosine of one angle, or of one in each lane of a vector: the C library's, so the same bits either way.
//   Polynomials of our own with errors below 0.8 units in the last place took half the time, but runs that pass near singular positions
//   (examples/n_four_bar.eq with 40 loops) did not get past them: there the last bit counts.
#pragma once

namespace kron::code {

struct SineAndCosine {  // returned in the first two vector registers
  double sine, cosine;
};

double sine(double);
double cosine(double);
SineAndCosine sine_and_cosine(double);

inline constexpr int sine_lanes = 4;
void sine_lanes_of(double* angles);             // in place
void cosine_lanes_of(double* angles);           // in place
void sine_and_cosine_lanes_of(double* angles);  // the sines in place, the cosines behind them

}  // namespace kron::code
