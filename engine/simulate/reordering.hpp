// engine/simulate/reordering.hpp: other code for blocks whose guards do not hold step after step (a pivot that is zero for good costs an
// LU of the whole block in each evaluation).
#pragma once
#include <cstdint>
#include <span>

namespace kron::simulate {

struct Run;

class Reordering {
 public:
  // After an accepted step to t: where nearly every evaluation since `patience` steps took an LU, asks for pivots that are good here.
  // The function that is integrated stays the same, so the integrator need not know.
  void step(Run&, double t, std::span<const double> y);

 private:
  void replace(Run&, double t, std::span<const double> y);
  std::uint64_t events_ = 0, calls_ = 0;     // of the machine, at the last step
  std::size_t cold_steps_ = 0, patience_ = 100;
};

}  // namespace kron::simulate
