// engine/simulate/corrector.hpp: the iteration by which implicit methods solve for the end of a step. Private to cvode.cpp and ida.cpp.
//   usual     SUNDIALS' Newton with the Jacobian of some step before, then once more with one of the predicted point
//   steep     where a diode in a feedback turns from blocking to conducting within a millionth of what the tolerance is, the
//             predicted point lies on the wrong side of it: its Jacobian leads anywhere, and only steps so short that the prediction
//             hits the bend would converge. There Newton's method is done in full: a Jacobian at each point, and steps damped by the
//             natural monotonicity test, which is invariant to how equations are scaled   [Deuflhard 2011, section 2.1.2 and 3.3.2]
//   pace      places where that does not converge either are left to shorter steps, and after some of them in a row it is tried rarely
#pragma once
#include <sundials/sundials_nonlinearsolver.h>

#include <array>

#include "engine/simulate/run.hpp"

namespace kron::simulate {

class Corrector {
 public:
  explicit Corrector(Run& r) : run(r) {}
  Corrector(const Corrector&) = delete;
  Corrector& operator=(const Corrector&) = delete;
  Run& run;
  // Below it corrections are what rounding makes of them, in units of the error allowed.
  double rounding() const;

 protected:
  ~Corrector() = default;
  void make(N_Vector y, SUNContext);  // for vectors like y
  // Of the usual iteration; its user data is this. For when the integrator, which brings its own test, has the iteration.
  void test_by(SUNNonlinSolConvTestFn);
  void free();                                                                 // before the context
  virtual double residual_size(N_Vector residual, N_Vector weight) const = 0;  // as states
  SUNNonlinearSolver iteration_ = nullptr;

 private:
  static int solve(SUNNonlinearSolver, N_Vector start, N_Vector correction, N_Vector weight, realtype tolerance, booleantype setup,
                   void* integrator);
  int solve_in_full(N_Vector correction, N_Vector weight, double tolerance, void* integrator);
  bool worth_trying();

  std::array<N_Vector, 3> room_{};
  unsigned failed_ = 0, skipped_ = 0;  // in a row
};

}  // namespace kron::simulate
