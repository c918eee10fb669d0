// engine/code/sine.hpp: sine and cosine of one angle, or of one in each lane of a vector: the same bits either way.
//   what   errors below 1 unit in the last place up to 1e6 rad (0.78 measured); the C library's functions beyond, and on machines without
//          FMA and AVX2
//   how    the angle less a multiple of pi/2, which is three doubles, as a sum of two; then polynomials (minimax, relative error below
//          2^-57) in its square   [Cody and Waite 1980, Software Manual for the Elementary Functions, chapter 8]. Each fused product is
//          asked for by name, so compilers have no say in the result
//   why    of a run of two pendulums the library's calls were a quarter; one angle takes half to two thirds of their time, four take that
//          of one
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
