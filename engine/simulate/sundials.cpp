#include "engine/simulate/sundials.hpp"

#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace kron::simulate {

void fill_weights(Run& run, N_Vector y, N_Vector out) {
  const auto from = span_of(y), to = span_of(out);
  widen_scale(run, from);
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = weight(run, i, from[i]);
}

Trouble trouble_of(Failed failed, double time, const Options& options, char* (*flag_name)(long), long flag) {
  Trouble trouble;
  trouble.time = time;
  if (failed == Failed::tolerance) {
    trouble.kind = Trouble::settings;
    trouble.message = "the tolerance " + to_text(options.tolerance) + " is finer than double precision resolves";
    return trouble;
  }
  trouble.kind = failed == Failed::other ? Trouble::other : Trouble::step_too_small;
  trouble.message = failed == Failed::errors      ? "the error stays too large however small the step"
                    : failed == Failed::corrector ? "the corrector does not converge however small the step"
                                                  : "the integrator cannot go on";
  if (failed == Failed::other) {
    char* name = flag_name(flag);
    if (name) trouble.message += std::string(" (") + name + ")";
    std::free(name);
  }
  return trouble;
}

void no_message(int, const char*, const char*, char*, void*) {}

NewtonMatrix::~NewtonMatrix() {
  if (linear) SUNLinSolFree(linear);
  if (matrix) SUNMatDestroy(matrix);
}

void NewtonMatrix::make(Run& run, N_Vector y, SUNContext context) {
  if (!run.jacobian) run.jacobian.emplace(plan_jacobian(code::state_pattern(*run.problem.dynamics), run.problem.algebraic));
  const JacobianPlan& plan = run.jacobian->plan();
  values.resize(plan.entries());
  const auto n = static_cast<sunindextype>(plan.size);
  if (prefer_sparse(plan)) {
    matrix = SUNSparseMatrix(n, n, static_cast<sunindextype>(plan.entries()), CSC_MAT, context);
    need(matrix != nullptr);
    linear = SUNLinSol_KLU(y, matrix, context);
    constexpr int minimum_degree = 0;  // AMD: a network is symmetric, and COLAMD fills up to twice as much there
    if (linear) SUNLinSol_KLUSetOrdering(linear, minimum_degree);
  } else {
    matrix = SUNDenseMatrix(n, n, context);
    need(matrix != nullptr);
    linear = SUNLinSol_Dense(y, matrix, context);
  }
  need(linear != nullptr);
}

int evaluate_jacobian(Run& run, double t, N_Vector y, std::vector<double>& values, std::vector<double>& scratch) {
  ++run.counters().jacobian_evals;
  if (const int bad = evaluate(run, t, span_of(y), scratch); bad != 0) return bad;
  code::Status status = code::Status::ok;
  const auto at_y = [&] {
    status = run.jacobian->evaluate(run.machine, t, span_of(y), values);
    return status == code::Status::ok && std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  };
  if (at_y()) return 0;
  if (status == code::Status::failed) return -1;
  return beyond(run, t, span_of(y), at_y) ? 0 : 1;
}

namespace {

void store_sparse(const JacobianPlan& plan, const std::vector<double>& values, SUNMatrix matrix) {
  std::copy(plan.column_begin.begin(), plan.column_begin.end(), SUNSparseMatrix_IndexPointers(matrix));
  std::copy(plan.row.begin(), plan.row.end(), SUNSparseMatrix_IndexValues(matrix));
  std::copy(values.begin(), values.end(), SUNSparseMatrix_Data(matrix));
}

void store_dense(const JacobianPlan& plan, const std::vector<double>& values, SUNMatrix matrix) {
  SUNMatZero(matrix);
  for (std::size_t c = 0; c < plan.size; ++c) {
    double* column = SUNDenseMatrix_Column(matrix, static_cast<sunindextype>(c));
    for (auto k = static_cast<std::size_t>(plan.column_begin[c]); k < static_cast<std::size_t>(plan.column_begin[c + 1]); ++k)
      column[plan.row[k]] = values[k];
  }
}

}  // namespace

void store(const JacobianPlan& plan, const std::vector<double>& values, SUNMatrix matrix) {
  if (SUNMatGetID(matrix) == SUNMATRIX_SPARSE)
    store_sparse(plan, values, matrix);
  else
    store_dense(plan, values, matrix);
}

void correct_fast(const Run& run, std::span<double> y, const std::function<bool(std::span<const double> now, std::span<double> shift)>& correction) {
  constexpr double farthest = 10, least = 0.05, small = 1e-6, shrinking = 0.3;  // in units of the error allowed
  constexpr int most = 4;
  std::vector<double> now(y.begin(), y.end()), shift(y.size());
  double before = farthest / 3;
  for (int round = 0; round < most; ++round) {
    if (!correction(now, shift)) return;
    double size = 0;
    for (std::size_t i = 0; i < y.size(); ++i) size = std::max(size, std::fabs(shift[i]) * weight(run, i, y[i]));
    if (!(size <= std::max(3 * before, least))) return;
    if (round > 0 && size > shrinking * before) break;  // rounding
    for (std::size_t i = 0; i < y.size(); ++i) now[i] += shift[i];
    before = size;
    if (size <= small) break;
  }
  std::copy(now.begin(), now.end(), y.begin());
}

}  // namespace kron::simulate
