#include "engine/simulate/ida.hpp"

#include <ida/ida.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/simulate/corrector.hpp"
#include "engine/simulate/sundials.hpp"
#include "engine/simulate/vector_ops.hpp"

namespace kron::simulate {

struct Ida::Data : Corrector {
  SUNContext context = nullptr;
  void* memory = nullptr;
  N_Vector u = nullptr, slope = nullptr, kind = nullptr, view = nullptr, errors = nullptr, defect = nullptr, shift = nullptr;  // view: its data pointer is set before each use
  std::vector<double> scratch;  // a derivative that nobody reads
  double time = 0;
  int flag = 0;
  double before = 0;       // length of the correction before
  bool is_short = false;   // and whether that was short
  double off = 0;          // the residual that it was to take away
  std::unique_ptr<NewtonMatrix> newton = std::make_unique<NewtonMatrix>();
  std::vector<double> flattest, steepness;  // by algebraic equation: see flatten()

  std::vector<double> weight, lately;  // of the norm; by algebraic unknown: its size

  explicit Data(Run& r)
      : Corrector(r), scratch(r.states), flattest(r.problem.algebraic, std::numeric_limits<double>::infinity()), steepness(flattest),
        weight(r.states), lately(r.problem.algebraic) {}
  ~Data() {
    if (memory) IDAFree(&memory);
    newton.reset();
    for (N_Vector v : {u, slope, kind, view, errors, defect, shift})
      if (v) N_VDestroy(v);
    free();
    if (context) SUNContext_Free(&context);
  }
  void attach(SUNNonlinSolConvTestFn test) {
    make(u, context);
    need(IDASetNonlinearSolver(memory, iteration_) == IDA_SUCCESS);
    test_by(test);
  }
  // Of a differential equation as its state, of another one in units of what changes of its unknowns within the tolerance make of it.
  double residual_size(N_Vector residual, N_Vector weights) const override {
    realtype c = 0;
    IDAGetCurrentCj(memory, &c);
    const auto r = span_of(residual), w = span_of(weights);
    double squares = 0;
    for (std::size_t i = 0; i < r.size(); ++i) {
      const double x = i < differential() ? r[i] * w[i] / c : r[i] == 0 ? 0 : r[i] / flattest[i - differential()];
      squares += x * x;
    }
    return std::sqrt(squares / static_cast<double>(r.size()));
  }
  void flatten();
  std::size_t differential() const { return run.states - run.problem.algebraic; }
};

// What changes of the unknowns within the tolerance make of each algebraic equation, where that is least: at the points of the last
// few Jacobians. Where a diode conducts it is so much that all that the equation leaves is small against it.
void Ida::Data::flatten() {
  constexpr double forgetting = 2;
  const JacobianPlan& plan = run.jacobian->plan();
  std::fill(steepness.begin(), steepness.end(), 0.0);
  for (std::size_t c = 0; c < plan.size; ++c)
    for (auto k = static_cast<std::size_t>(plan.column_begin[c]); k < static_cast<std::size_t>(plan.column_begin[c + 1]); ++k)
      if (const auto row = static_cast<std::size_t>(plan.row[k]); row >= differential())
        steepness[row - differential()] += std::fabs(newton->values[k]) / weight[c];
  for (std::size_t i = 0; i < steepness.size(); ++i) flattest[i] = std::min(forgetting * flattest[i], steepness[i]);
}

namespace {

int residual(realtype t, N_Vector u, N_Vector slope, N_Vector out, void* user) {
  const Ida::Data& d = *static_cast<Ida::Data*>(user);
  const auto r = span_of(out), du = span_of(slope);
  const int bad = evaluate(d.run, t, span_of(u), r);
  for (std::size_t i = 0; i < d.differential(); ++i) r[i] -= du[i];
  return bad;
}

// Algebraic unknowns have no part in the test of errors: their weights tell when Newton's iteration is done. They may have been
// thousands of times larger a moment ago, like the voltage of an amplifier whose feedback blocks: what counts is what they are lately.
int ida_weights(N_Vector u, N_Vector out, void* user) {
  constexpr double forgetting = 0.8, least = 0.1, closer = 3;
  Ida::Data& d = *static_cast<Ida::Data*>(user);
  fill_weights(d.run, u, out);
  const auto from = span_of(u), to = span_of(out);
  for (std::size_t i = d.differential(); i < from.size(); ++i) {
    double& size = d.lately[i - d.differential()];
    size = std::max({std::fabs(from[i]), forgetting * size, least_scale(d.run.problem, i)});
    to[i] = closer * d.run.sharpness[i] / (d.run.options.tolerance * std::max(std::fabs(from[i]), least * size));
  }
  std::copy(to.begin(), to.end(), d.weight.begin());
  return 0;
}

int ida_jacobian(realtype t, realtype c, N_Vector u, N_Vector, N_Vector, SUNMatrix matrix, void* user, N_Vector, N_Vector, N_Vector) {
  try {
    Ida::Data& d = *static_cast<Ida::Data*>(user);
    std::vector<double>& values = d.newton->values;
    if (const int bad = evaluate_jacobian(d.run, t, u, values, d.scratch); bad != 0) return bad;
    d.flatten();
    const JacobianPlan& plan = d.run.jacobian->plan();
    for (std::size_t i = 0; i < d.differential(); ++i) {
      const auto begin = plan.row.begin() + plan.column_begin[i], end = plan.row.begin() + plan.column_begin[i + 1];
      values[static_cast<std::size_t>(std::lower_bound(begin, end, static_cast<std::int64_t>(i)) - plan.row.begin())] -= c;
    }
    store(plan, values, matrix);
    return 0;
  } catch (...) { return -1; }
}

// The size in the norm of `weight` of the differential equations' residual before the last correction, as states.
double ida_residual_before(const Ida::Data& d, N_Vector weight) {
  realtype t, c;
  N_Vector predicted, predicted_slope, u, slope, residual;
  void* user;
  IDAGetNonlinearSystemData(d.memory, &t, &predicted, &predicted_slope, &u, &slope, &residual, &c, &user);
  return d.residual_size(residual, weight);
}

// IDA's own test takes the rate of convergence from the steps before: once it was good (diodes that block) a first correction of any
// length counts as the last one, and the pulse after it is lost. Here a correction is judged by those of its own step [Hairer & Wanner
// 1996, IV.8]; `tolerance` is IDA's, in the norm of the error test.
// And as in CVODE's (cvode.cpp) a short one counts where the residual that it was to take away was small, or where what short ones
// leave shrinks.
int ida_converged(SUNNonlinearSolver iteration, N_Vector, N_Vector correction, realtype tolerance, N_Vector weight, void* user) {
  constexpr double at_once = 0.1, slowest = 0.5, fastest = 0.03, is_long = 10;
  Ida::Data& d = static_cast<Ida::Data&>(*static_cast<Corrector*>(user));
  int count = 0;
  SUNNonlinSolGetCurIter(iteration, &count);
  const double length = N_VWrmsNorm(correction, weight), before = std::exchange(d.before, length);
  if (!std::isfinite(length)) return SUN_NLS_CONV_RECVR;
  const bool was_short = std::exchange(d.is_short, length <= at_once * tolerance) && count > 0;
  const double residual = ida_residual_before(d, weight), off_before = std::exchange(d.off, residual);
  const bool satisfied = residual <= tolerance;
  if (d.is_short && ((count > 0 && length <= d.rounding()) || satisfied)) return SUN_NLS_SUCCESS;
  if (count == 0) return SUN_NLS_CONTINUE;
  const double rate = std::max(length / before, fastest);
  if (rate > slowest) return SUN_NLS_CONV_RECVR;
  const double left = before > is_long * tolerance ? length : rate / (1 - rate) * length;
  return left <= tolerance && (satisfied || (was_short && residual <= slowest * off_before)) ? SUN_NLS_SUCCESS : SUN_NLS_CONTINUE;
}

// Of the algebraic unknowns the slope is not known; it is a guess for the first step alone.
void first_slope(Ida::Data& d) {
  const auto slope = span_of(d.slope);
  if (evaluate(d.run, d.time, span_of(d.u), slope) != 0) std::fill(slope.begin(), slope.end(), 0.0);
  std::fill(slope.begin() + static_cast<std::ptrdiff_t>(d.differential()), slope.end(), 0.0);
}

bool no_convergence(int flag) { return flag == IDA_CONV_FAIL || flag == IDA_LSETUP_FAIL || flag == IDA_REP_RES_ERR; }

}  // namespace

Ida::Ida(Run& run, double t, std::span<const double> u) : data_(std::make_unique<Data>(run)) {
  Data& d = *data_;
  const auto n = static_cast<sunindextype>(run.states);
  d.time = t;
  need(SUNContext_Create(nullptr, &d.context) == 0);
  d.u = N_VNew_Serial(n, d.context);
  need(d.u != nullptr);
  use_fast_operations(d.u);
  for (N_Vector* v : {&d.slope, &d.kind, &d.errors, &d.defect, &d.shift}) need((*v = N_VClone(d.u)) != nullptr);
  d.view = N_VMake_Serial(n, run.scratch.data(), d.context);
  need(d.view != nullptr);
  use_fast_operations(d.view);
  std::copy(u.begin(), u.end(), NV_DATA_S(d.u));
  first_slope(d);
  const auto kind = span_of(d.kind);
  for (std::size_t i = 0; i < kind.size(); ++i) kind[i] = i < d.differential() ? 1 : 0;
  d.memory = IDACreate(d.context);
  need(d.memory != nullptr);
  IDASetErrHandlerFn(d.memory, no_message, nullptr);
  need(IDAInit(d.memory, residual, t, d.u, d.slope) == IDA_SUCCESS);
  IDASetUserData(d.memory, &d);
  IDAWFtolerances(d.memory, ida_weights);
  need(IDASetId(d.memory, d.kind) == IDA_SUCCESS);
  IDASetSuppressAlg(d.memory, run.problem.algebraic > 0);
  IDASetStopTime(d.memory, run.limit());
  if (const double longest = run.longest_step(Run::part_seen_at_ends); std::isfinite(longest)) IDASetMaxStep(d.memory, longest);
  d.newton->make(run, d.u, d.context);
  need(IDASetLinearSolver(d.memory, d.newton->linear, d.newton->matrix) == IDALS_SUCCESS);
  need(IDASetJacFn(d.memory, ida_jacobian) == IDALS_SUCCESS);
  d.attach(ida_converged);
  IDASetMaxNonlinIters(d.memory, 7);
  IDASetMaxErrTestFails(d.memory, 30);  // its first step is a guess by the slope alone, which may be 0
}

Ida::~Ida() = default;

Ida::End Ida::step() {
  Data& d = *data_;
  realtype t = d.time;
  d.flag = IDASolve(d.memory, d.run.limit(), &t, d.u, d.slope, IDA_ONE_STEP);
  if (d.flag < 0) return End::failed;
  d.time = t;
  return d.flag == IDA_TSTOP_RETURN ? End::stop : End::step;
}

bool Ida::restart(std::span<const double> u) {
  Data& d = *data_;
  if (!no_convergence(d.flag)) return false;
  restart(d.time, u);
  return true;
}

void Ida::restart(double t, std::span<const double> u) {
  Data& d = *data_;
  add_counts(d.run.counters());  // they start anew
  d.time = t;
  std::copy(u.begin(), u.end(), NV_DATA_S(d.u));
  first_slope(d);
  std::fill(d.lately.begin(), d.lately.end(), 0.0);
  need(IDAReInit(d.memory, t, d.u, d.slope) == IDA_SUCCESS);
  IDASetStopTime(d.memory, d.run.limit());
}
void Ida::stop_at(double t) { IDASetStopTime(data_->memory, t); }

double Ida::time() const { return data_->time; }
double Ida::last_step() const {
  realtype h = 0;
  IDAGetLastStep(data_->memory, &h);
  return h;
}
std::uint32_t Ida::order() const {
  int q = 0;
  IDAGetLastOrder(data_->memory, &q);
  return static_cast<std::uint32_t>(q);
}
std::span<const double> Ida::solution() const { return span_of(data_->u); }

void Ida::derivative(double t, int k, std::span<double> out) const {
  N_VSetArrayPointer(out.data(), data_->view);
  if (IDAGetDky(data_->memory, t, k, data_->view) != IDA_SUCCESS) {  // t a rounding error outside the step
    realtype end = 0;
    IDAGetCurrentTime(data_->memory, &end);
    IDAGetDky(data_->memory, std::clamp(t, end - last_step(), end), k, data_->view);
  }
}

bool Ida::is_stiff() const {  // unknowns without derivatives are as fast as can be
  constexpr long settled = 6;
  long steps = 0;
  IDAGetNumSteps(data_->memory, &steps);
  return steps > settled;
}

void Ida::bring_back(double t, std::span<double> u) const {
  Data& d = *data_;
  if (t == d.time || d.newton->values.empty()) return;
  realtype c = 0;
  IDAGetCurrentCj(d.memory, &c);
  if (!(c > 0)) return;
  std::vector<double> slope(u.size()), first(u.size());
  derivative(t, 1, slope);
  const auto defect = span_of(d.defect), second = span_of(d.shift);
  const auto solve = [&] { return SUNLinSolSolve(d.newton->linear, d.newton->matrix, d.shift, d.defect, 0) == 0; };
  correct_fast(d.run, u, [&](std::span<const double> now, std::span<double> shift) {
    if (evaluate(d.run, t, now, defect) != 0) return false;
    for (std::size_t i = 0; i < d.differential(); ++i) defect[i] -= slope[i];
    if (!solve()) return false;
    std::copy(second.begin(), second.end(), first.begin());
    for (std::size_t i = 0; i < u.size(); ++i) defect[i] = i < d.differential() ? -c * first[i] : 0;
    if (!solve()) return false;
    for (std::size_t i = 0; i < u.size(); ++i) shift[i] = second[i] - first[i];
    return true;
  });
}

Trouble Ida::trouble() const {
  const Data& d = *data_;
  realtype time = 0;
  IDAGetCurrentTime(d.memory, &time);
  const Failed failed = d.flag == IDA_TOO_MUCH_ACC ? Failed::tolerance
                        : d.flag == IDA_ERR_FAIL    ? Failed::errors
                        : no_convergence(d.flag)    ? Failed::corrector
                                                    : Failed::other;
  return trouble_of(failed, time, d.run.options, IDAGetReturnFlagName, d.flag);
}

std::vector<std::size_t> Ida::suspects() const {
  const Data& d = *data_;
  IDAGetEstLocalErrors(d.memory, d.errors);
  const auto e = span_of(d.errors), u = span_of(d.u);
  for (std::size_t i = 0; i < e.size(); ++i) e[i] *= i < d.differential() ? simulate::weight(d.run, i, u[i]) : 0;
  return worst_states(e);
}

void Ida::add_counts(Counters& c) const {
  long iterations = 0, failures = 0;
  IDAGetNumNonlinSolvIters(data_->memory, &iterations);
  IDAGetNumErrTestFails(data_->memory, &failures);
  c.newton_iters += static_cast<std::size_t>(iterations);
  c.error_test_fails += static_cast<std::size_t>(failures);
}

}  // namespace kron::simulate
