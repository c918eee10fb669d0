#include "engine/code/sweeps.hpp"

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_spbcgs.h>

#include <algorithm>
#include <cmath>

#include "engine/code/klu.hpp"
#include "engine/code/owned.hpp"

namespace kron::code {

struct Sweeps::Data {
  const StepPlan& plan;
  std::vector<StepPlan::Load> part;             // M's entries; their places are in `shape`
  std::vector<std::uint32_t> from;              // place in A of each
  MatrixShape shape;
  std::unique_ptr<Klu> lu;
  std::vector<double> values;                   // of M
  std::span<const double> matrix;               // of A, while it is solved
  std::size_t sweeps = 0;

  explicit Data(const StepPlan& p) : plan(p) {
    for (std::size_t k = 0; k < p.matrix.size(); ++k)
      if (p.swept[k]) {
        part.push_back(p.matrix[k]);
        from.push_back(p.matrix[k].place);
      }
    shape = shape_of(p.size, part, Storage::sparse);
    values.resize(shape.stored());
    lu = std::make_unique<Klu>(shape);
  }

  bool prepare(std::span<const double> a) {
    matrix = a;
    sweeps = 0;
    for (std::size_t k = 0; k < part.size(); ++k) values[part[k].place] = a[from[k]];
    return lu->factor(values) == Factored::ok;
  }
  // y := A x
  void product(const double* x, double* y) const {
    std::fill_n(y, plan.size, 0.0);
    for (std::size_t c = 0; c < plan.size; ++c)
      for (auto k = plan.shape.column_begin[c]; k < plan.shape.column_begin[c + 1]; ++k)
        y[plan.shape.row[static_cast<std::size_t>(k)]] += matrix[static_cast<std::size_t>(k)] * x[c];
  }
  // The residual itself against the right-hand side: the length that the iteration goes by knows only what a sweep makes of it, which
  // says little where M is a poor part of A.
  bool solves(std::span<const double> b, std::span<const double> x, double tolerance) const {
    std::vector<double> product_of(plan.size);
    product(x.data(), product_of.data());
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < plan.size; ++i) {
      if (!std::isfinite(product_of[i])) return false;
      largest = std::max(largest, std::fabs(b[i]));
      worst = std::max(worst, std::fabs(b[i] - product_of[i]));
    }
    return worst <= 1e3 * tolerance * largest;
  }
  void sweep(const double* r, double* z) {
    ++sweeps;
    std::copy_n(r, plan.size, z);
    lu->solve(z);
  }
};

Sweeps::Sweeps(const StepPlan& p) : data_(std::make_unique<Data>(p)) {}
Sweeps::~Sweeps() = default;
Sweeps::Sweeps(Sweeps&&) noexcept = default;
std::size_t Sweeps::last() const { return data_->sweeps; }

bool Sweeps::solve(std::span<const double> matrix, std::span<const double> b, std::span<double> x, double tolerance) {
  Data& d = *data_;
  if (!d.prepare(matrix)) return false;
  const auto n = static_cast<sunindextype>(d.plan.size);
  const std::size_t size = d.plan.size;
  std::vector<double> right(size), first(size), z(size);
  d.product(x.data(), right.data());
  for (std::size_t i = 0; i < size; ++i) right[i] = b[i] - right[i];
  d.sweep(b.data(), first.data());  // its length is the scale of the preconditioned residual
  double scale = 0;
  for (double v : first) scale += v * v;
  scale = std::sqrt(scale);
  if (!std::isfinite(scale)) return false;
  if (scale == 0) {
    std::fill(x.begin(), x.end(), 0.0);
    return true;
  }
  SUNContext raw = nullptr;
  if (SUNContext_Create(nullptr, &raw) != 0) return false;
  const auto context = owned(raw, [](SUNContext c) { SUNContext_Free(&c); });
  std::vector<double> correction(size, 0.0);
  const auto xv = owned(N_VMake_Serial(n, correction.data(), raw), N_VDestroy);
  const auto bv = owned(N_VMake_Serial(n, right.data(), raw), N_VDestroy);
  constexpr int most = 5000;
  const auto solver = owned(SUNLinSol_SPBCGS(xv.get(), SUN_PREC_LEFT, most, raw), SUNLinSolFree);
  if (solver == nullptr) return false;
  const auto product = [](void* data, N_Vector v, N_Vector y) {
    static_cast<Data*>(data)->product(N_VGetArrayPointer(v), N_VGetArrayPointer(y));
    return 0;
  };
  const auto sweep = [](void* data, N_Vector r, N_Vector y, double, int) {
    static_cast<Data*>(data)->sweep(N_VGetArrayPointer(r), N_VGetArrayPointer(y));
    return 0;
  };
  if (SUNLinSolSetATimes(solver.get(), &d, product) != SUNLS_SUCCESS ||
      SUNLinSolSetPreconditioner(solver.get(), &d, nullptr, sweep) != SUNLS_SUCCESS ||
      SUNLinSolInitialize(solver.get()) != SUNLS_SUCCESS || SUNLinSolSetup(solver.get(), nullptr) != SUNLS_SUCCESS)
    return false;
  if (SUNLinSolSolve(solver.get(), nullptr, xv.get(), bv.get(), tolerance * scale) != SUNLS_SUCCESS) return false;
  for (std::size_t i = 0; i < size; ++i) x[i] += correction[i];
  return d.solves(b, x, tolerance);
}

}  // namespace kron::code
