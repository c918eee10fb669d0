// engine/code/sweeps.hpp: relaxation as an iteration. A x = b with a part M of A that is solved exactly in every sweep: the lower
// triangle of the relaxed order (Gauss-Seidel), or that without all relaxed entries (Jacobi). The sweeps precondition BiCGStab
// [van der Vorst 1992], so that a grid of n points needs about sqrt(n) of them and not n.
#pragma once
#include <memory>
#include <span>

#include "engine/code/layout.hpp"

namespace kron::code {

class Sweeps {
 public:
  explicit Sweeps(const StepPlan&);  // keeps a reference
  ~Sweeps();
  Sweeps(Sweeps&&) noexcept;

  // `matrix`: the stored values of A. x: the first guess, then the solution. False: M is singular or the residual did not come down
  // to `tolerance` of what it was for x = 0.
  bool solve(std::span<const double> matrix, std::span<const double> b, std::span<double> x, double tolerance);
  std::size_t last() const;  // sweeps of the last solve

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace kron::code
