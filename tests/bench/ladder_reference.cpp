#include "tests/bench/ladder_reference.hpp"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>
#include <stdexcept>

#include "engine/simulate/subnormals.hpp"

namespace kron::bench {
namespace {

struct Ladder {
  sunindextype n = 0;
  double rate = 0;  // 1 / (R C) of a cell
};

int right_side(realtype, N_Vector y, N_Vector der, void* user) {
  const auto& l = *static_cast<const Ladder*>(user);
  const double* v = NV_DATA_S(y);
  double* d = NV_DATA_S(der);
  double before = 1;
  for (sunindextype k = 0; k + 1 < l.n; ++k) {
    d[k] = l.rate * (before - 2 * v[k] + v[k + 1]);
    before = v[k];
  }
  d[l.n - 1] = l.rate * (before - v[l.n - 1]);
  return 0;
}

int jacobian(realtype, N_Vector, N_Vector, SUNMatrix matrix, void* user, N_Vector, N_Vector, N_Vector) {
  const auto& l = *static_cast<const Ladder*>(user);
  sunindextype *begin = SUNSparseMatrix_IndexPointers(matrix), *row = SUNSparseMatrix_IndexValues(matrix), at = 0;
  double* value = SUNSparseMatrix_Data(matrix);
  const auto put = [&](sunindextype r, double x) {
    row[at] = r;
    value[at++] = x;
  };
  for (sunindextype c = 0; c < l.n; ++c) {
    begin[c] = at;
    if (c > 0) put(c - 1, l.rate);
    put(c, c + 1 < l.n ? -2 * l.rate : -l.rate);
    if (c + 1 < l.n) put(c + 1, l.rate);
  }
  begin[l.n] = at;
  return 0;
}

void need(bool good) {
  if (!good) throw std::runtime_error("CVODE failed");
}

}  // namespace

LadderRun ladder_by_hand(std::size_t n, double stop, std::size_t points, double tol) {
  const simulate::ZeroSubnormals zero_subnormals;
  const auto size = static_cast<double>(n);
  Ladder ladder{static_cast<sunindextype>(n), size * size / 1e-3};
  SUNContext context = nullptr;
  need(SUNContext_Create(nullptr, &context) == 0);
  N_Vector y = N_VNew_Serial(ladder.n, context);
  N_VConst(0, y);
  void* memory = CVodeCreate(CV_BDF, context);
  SUNMatrix matrix = SUNSparseMatrix(ladder.n, ladder.n, 3 * ladder.n, CSC_MAT, context);
  SUNLinearSolver linear = SUNLinSol_KLU(y, matrix, context);
  need(CVodeInit(memory, right_side, 0, y) == CV_SUCCESS && CVodeSStolerances(memory, tol, 0.1 * tol) == CV_SUCCESS);
  need(CVodeSetUserData(memory, &ladder) == CV_SUCCESS && CVodeSetLinearSolver(memory, linear, matrix) == CVLS_SUCCESS);
  need(CVodeSetJacFn(memory, jacobian) == CVLS_SUCCESS && CVodeSetMaxNumSteps(memory, 1'000'000) == CV_SUCCESS);
  LadderRun run;
  run.voltages.assign(n, 0);
  run.voltages.reserve((points + 1) * n);
  for (std::size_t k = 1; k <= points; ++k) {
    realtype t = 0;
    need(CVode(memory, stop * static_cast<double>(k) / static_cast<double>(points), y, &t, CV_NORMAL) == CV_SUCCESS);
    run.voltages.insert(run.voltages.end(), NV_DATA_S(y), NV_DATA_S(y) + n);
  }
  long steps = 0, evaluations = 0, jacobians = 0, setups = 0, iterations = 0;
  CVodeGetNumSteps(memory, &steps);
  CVodeGetNumRhsEvals(memory, &evaluations);
  CVodeGetNumJacEvals(memory, &jacobians);
  CVodeGetNumLinSolvSetups(memory, &setups);
  CVodeGetNumNonlinSolvIters(memory, &iterations);
  run.steps = static_cast<std::size_t>(steps);
  run.evaluations = static_cast<std::size_t>(evaluations);
  run.jacobians = static_cast<std::size_t>(jacobians);
  run.factorisations = static_cast<std::size_t>(setups);
  run.iterations = static_cast<std::size_t>(iterations);
  CVodeFree(&memory);
  SUNLinSolFree(linear);
  SUNMatDestroy(matrix);
  N_VDestroy(y);
  SUNContext_Free(&context);
  return run;
}

}  // namespace kron::bench
