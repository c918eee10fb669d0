// engine/simulate/sundials.hpp: what the integrators of SUNDIALS share. Private to cvode.cpp and ida.cpp.
#pragma once
#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include <functional>
#include <new>

#include "engine/simulate/run.hpp"

namespace kron::simulate {

inline std::span<double> span_of(N_Vector v) { return {NV_DATA_S(v), static_cast<std::size_t>(NV_LENGTH_S(v))}; }

// Weights of the error norm by the run's scales, which y widens.
void fill_weights(Run&, N_Vector y, N_Vector out);

// What a failed step is told as; `flag_name`: CVodeGetReturnFlagName or IDAGetReturnFlagName, for failures of another kind.
enum class Failed : std::uint8_t { tolerance, errors, corrector, step, other };
Trouble trouble_of(Failed, double time, const Options&, char* (*flag_name)(long), long flag);

void no_message(int, const char*, const char*, char*, void*);

inline void need(bool good) {
  if (!good) throw std::bad_alloc();  // the only way these calls fail with arguments that are right
}

// Linear systems of the run's Jacobian: dense LU or KLU.
struct NewtonMatrix {
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
  std::vector<double> values;  // Jacobian entries by column
  NewtonMatrix() = default;
  NewtonMatrix(const NewtonMatrix&) = delete;
  NewtonMatrix& operator=(const NewtonMatrix&) = delete;
  ~NewtonMatrix();
  void make(Run&, N_Vector y, SUNContext);
};
// The Jacobian of the derivative roots at (t, y) into `values`. SUNDIALS' codes. `scratch`: a derivative that nobody reads.
int evaluate_jacobian(Run&, double t, N_Vector y, std::vector<double>& values, std::vector<double>& scratch);
// Newton's iteration for the components of y that are fast, at a point inside of a step. `correction(now, shift)`: what to add; false
// where it cannot be computed. y stays as it is unless the corrections shrink.
void correct_fast(const Run&, std::span<double> y, const std::function<bool(std::span<const double> now, std::span<double> shift)>& correction);
void store(const JacobianPlan&, const std::vector<double>& values, SUNMatrix);

}  // namespace kron::simulate
