#include "engine/code/kinsol.hpp"

#include <kinsol/kinsol.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <cmath>
#include <vector>

#include "engine/code/owned.hpp"

namespace kron::code {
namespace {

int residual(N_Vector z, N_Vector f, void* user) {
  const auto& p = *static_cast<const KinsolProblem*>(user);
  double* values = N_VGetArrayPointer(f);
  if (!p.residual(N_VGetArrayPointer(z), values)) return 1;  // recoverable: the line search takes a shorter step
  for (std::size_t i = 0; i < p.z.size(); ++i)
    if (!std::isfinite(values[i])) return 1;
  return 0;
}

int jacobian(N_Vector z, N_Vector, SUNMatrix j, void* user, N_Vector, N_Vector) {
  const auto& p = *static_cast<const KinsolProblem*>(user);
  return p.jacobian(N_VGetArrayPointer(z), SUNDenseMatrix_Data(j)) ? 0 : 1;
}

void no_message(int, const char*, const char*, char*, void*) {}

}  // namespace

bool solve_with_kinsol(const KinsolProblem& p) {
  const auto n = static_cast<sunindextype>(p.z.size());
  SUNContext raw = nullptr;
  if (SUNContext_Create(nullptr, &raw) != 0) return false;
  const auto context = owned(raw, [](SUNContext c) { SUNContext_Free(&c); });
  std::vector<double> u(p.unknown_scale.begin(), p.unknown_scale.end()),
      f(p.residual_scale.begin(), p.residual_scale.end());
  const auto vector = [&](double* data) { return owned(N_VMake_Serial(n, data, raw), N_VDestroy); };
  const auto z = vector(p.z.data()), us = vector(u.data()), fs = vector(f.data());
  const auto matrix = owned(SUNDenseMatrix(n, n, raw), SUNMatDestroy);
  const auto solver = owned(SUNLinSol_Dense(z.get(), matrix.get(), raw), SUNLinSolFree);
  const auto memory = owned(static_cast<char*>(KINCreate(raw)), [](char* m) {
    void* v = m;
    KINFree(&v);
  });
  void* kin = memory.get();
  if (kin == nullptr || matrix == nullptr || solver == nullptr) return false;
  KINSetErrHandlerFn(kin, no_message, nullptr);
  if (KINInit(kin, residual, z.get()) != KIN_SUCCESS) return false;
  KINSetUserData(kin, const_cast<KinsolProblem*>(&p));
  if (KINSetLinearSolver(kin, solver.get(), matrix.get()) != KIN_SUCCESS) return false;
  KINSetJacFn(kin, jacobian);
  KINSetMaxSetupCalls(kin, 1);  // a new Jacobian at every iteration
  KINSetNumMaxIters(kin, 200);
  KINSetFuncNormTol(kin, 1e-9);
  KINSetScaledStepTol(kin, 1e-12);
  const int result = KINSol(kin, z.get(), KIN_LINESEARCH, us.get(), fs.get());
  return result == KIN_SUCCESS || result == KIN_INITIAL_GUESS_OK || result == KIN_STEP_LT_STPTOL;
}

}  // namespace kron::code
