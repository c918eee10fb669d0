// engine/code/kinsol.hpp: SUNDIALS KINSOL (Newton with line search) for one system of equations, as a second opinion
// where the own Newton iteration finds no way.
#pragma once
#include <functional>
#include <span>

namespace kron::code {

struct KinsolProblem {
  std::span<double> z;                                             // first guess in, last iterate out
  std::span<const double> unknown_scale, residual_scale;           // 1/typical value of each
  std::function<bool(const double* z, double* f)> residual;        // false: cannot be evaluated here
  std::function<bool(const double* z, double* columns)> jacobian;  // dense, by columns
};

bool solve_with_kinsol(const KinsolProblem&);

}  // namespace kron::code
