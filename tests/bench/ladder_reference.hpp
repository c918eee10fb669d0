// tests/bench/ladder_reference.hpp: the RC ladder as a good engineer writes it for CVODE: reference of the circuit figures.
//   model     n cells of R = 1 kOhm/n and C = 1 uF/n, a unit step at one end: dv_k/dt = (v_{k-1} - 2 v_k + v_{k+1}) / (R C), v_0 = 1,
//             and the last cell has no neighbour
//   method    BDF, Newton with KLU and the exact tridiagonal Jacobian; tolerances: relative `tol`, absolute 0.1 tol of the 1 V
//   output    the voltages at `points` + 1 equally spaced times, from the integrator's interpolant
#pragma once
#include <cstddef>
#include <vector>

namespace kron::bench {

struct LadderRun {
  std::vector<double> voltages;  // (points + 1) x n
  std::size_t steps = 0, evaluations = 0, jacobians = 0, factorisations = 0, iterations = 0;
};
LadderRun ladder_by_hand(std::size_t n, double stop, std::size_t points, double tol);

}  // namespace kron::bench
