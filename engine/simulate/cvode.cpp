#include "engine/simulate/cvode.hpp"

#include <cvode/cvode.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/simulate/corrector.hpp"
#include "engine/simulate/sundials.hpp"
#include "engine/simulate/vector_ops.hpp"

namespace kron::simulate {

struct Cvode::Data : Corrector {
  Formula formula;
  SUNContext context = nullptr;
  void* memory = nullptr;
  N_Vector y = nullptr, view = nullptr, errors = nullptr;  // view: a header whose data pointer is set before each use
  N_Vector defect = nullptr, shift = nullptr;              // of bring_back()
  double gamma = 0;             // of the matrix I - gamma J as it was factored last
  std::unique_ptr<NewtonMatrix> newton = std::make_unique<NewtonMatrix>();
  SUNNonlinearSolver fixed_point = nullptr;
  std::vector<double> scratch;  // a derivative that nobody reads
  long setups = 0;              // met by cvode_converged() last
  double rate = 1, before = 0;  // of its corrections: how they shrink; the size of the one before
  double off = 0;               // the residual that it was to take away
  bool is_short = false;        // and whether it was within the tolerance
  double time = 0, norm = 0;
  int flag = 0;

  using Corrector::Corrector;
  ~Data() {
    if (memory) CVodeFree(&memory);
    newton.reset();
    if (fixed_point) SUNNonlinSolFree(fixed_point);
    for (N_Vector v : {y, view, errors, defect, shift})
      if (v) N_VDestroy(v);
    free();
    if (context) SUNContext_Free(&context);
  }
  void attach(SUNNonlinSolConvTestFn test) {
    make(y, context);
    need(CVodeSetNonlinearSolver(memory, iteration_) == CV_SUCCESS);
    test_by(test);
  }
  double residual_size(N_Vector residual, N_Vector weight) const override { return N_VWrmsNorm(residual, weight); }
};

namespace {

int right_side(realtype t, N_Vector y, N_Vector der, void* user) {
  return evaluate(static_cast<Cvode::Data*>(user)->run, t, span_of(y), span_of(der));
}

int cvode_weights(N_Vector y, N_Vector out, void* user) {
  fill_weights(static_cast<Cvode::Data*>(user)->run, y, out);
  return 0;
}

// max over rows of sum_j |J_ij| * size_j / size_i: how fast the system moves, each state in its own unit.
double weighted_norm(const Run& run, const JacobianPlan& plan, const std::vector<double>& values,
                     std::vector<double>& sums) {
  std::fill(sums.begin(), sums.end(), 0.0);
  for (std::size_t c = 0; c < plan.size; ++c)
    for (auto k = static_cast<std::size_t>(plan.column_begin[c]);
         k < static_cast<std::size_t>(plan.column_begin[c + 1]); ++k)
      sums[static_cast<std::size_t>(plan.row[k])] += std::fabs(values[k]) * run.scale[c];
  double norm = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) norm = std::max(norm, sums[i] / run.scale[i]);
  return norm;
}

int cvode_jacobian(realtype t, N_Vector y, N_Vector, SUNMatrix matrix, void* user, N_Vector, N_Vector, N_Vector) {
  try {
    Cvode::Data& d = *static_cast<Cvode::Data*>(user);
    std::vector<double>& values = d.newton->values;
    if (const int bad = evaluate_jacobian(d.run, t, y, values, d.scratch); bad != 0) return bad;
    store(d.run.jacobian->plan(), values, matrix);
    d.norm = weighted_norm(d.run, d.run.jacobian->plan(), values, d.scratch);
    return 0;
  } catch (...) { return -1; }
}

// The size in the norm of w of the corrector's residual before the last of its corrections, which `sum` holds all of: its derivatives are those
// evaluated last.
double cvode_residual_before(const Cvode::Data& d, N_Vector sum, N_Vector correction, N_Vector w) {
  realtype t, gamma, factor;
  N_Vector predicted, y, der, slope;
  void* user;
  CVodeGetNonlinearSystemData(d.memory, &t, &predicted, &y, &der, &gamma, &factor, &slope, &user);
  const auto f = span_of(der), z = span_of(slope), weight = span_of(w), now = span_of(sum), last = span_of(correction);
  double squares = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double x = (factor * z[i] + now[i] - last[i] - gamma * f[i]) * weight[i];
    squares += x * x;
  }
  return std::sqrt(squares / static_cast<double>(f.size()));
}

void make_room(Cvode::Data& d) {
  if (d.shift != nullptr) return;
  for (N_Vector* v : {&d.defect, &d.shift}) {
    need((*v = N_VClone(d.y)) != nullptr);
    use_fast_operations(*v);
  }
}

// Whether what is left of the corrections is rounding: derivatives in which large terms cancel do not see steps as short as the last one, but those
// that are longer as the Jacobian says, both ways. Beside a place where something fast ends they do not.
bool is_rounding(Cvode::Data& d, N_Vector correction) try {
  constexpr double longer = 100, like = 0.5;
  realtype t, gamma, factor;
  N_Vector predicted, y, der, slope;
  void* user;
  CVodeGetNonlinearSystemData(d.memory, &t, &predicted, &y, &der, &gamma, &factor, &slope, &user);
  const auto here = span_of(y), step = span_of(correction);
  const JacobianPlan& plan = d.run.jacobian->plan();
  const std::vector<double>& jacobian = d.newton->values;
  std::vector<double> change(here.size(), 0.0), at(here.size()), before(here.size()), after(here.size());
  for (std::size_t c = 0; c < plan.size; ++c)
    for (auto k = static_cast<std::size_t>(plan.column_begin[c]); k < static_cast<std::size_t>(plan.column_begin[c + 1]); ++k)
      change[static_cast<std::size_t>(plan.row[k])] += longer * jacobian[k] * step[c];
  for (const double way : {-longer, longer}) {
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = here[i] + way * step[i];
    if (evaluate(d.run, t, at, way < 0 ? before : after) != 0) return false;
  }
  if (evaluate(d.run, t, here, at) != 0) return false;
  double size = 0, off = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double w = weight(d.run, i, here[i]);
    size = std::max(size, w * std::fabs(change[i]));
    off = std::max({off, w * std::fabs(after[i] - at[i] - change[i]), w * std::fabs(before[i] - at[i] + change[i])});
  }
  return off <= like * size;
} catch (...) {  // nothing is thrown through CVODE
  return false;
}

// CVODE's test takes a short correction for a small error. Where something fast has ended (a diode does not block any more) the Jacobian of before
// makes corrections tiny that leave all of the residual, and steps go on where the derivatives do not lead. So a residual that is not small itself
// has to shrink with what was a short correction.
int cvode_converged(SUNNonlinearSolver solver, N_Vector sum, N_Vector correction, realtype tolerance, N_Vector w, void* user) {
  constexpr double memory = 0.3, diverging = 2, shrinking = 0.5;
  Cvode::Data& d = static_cast<Cvode::Data&>(*static_cast<Corrector*>(user));
  int iteration = 0;
  long setups = 0;
  SUNNonlinSolGetCurIter(solver, &iteration);  // nothing is thrown through CVODE, and these calls do not fail
  CVodeGetNumLinSolvSetups(d.memory, &setups);
  if (setups != std::exchange(d.setups, setups)) {
    d.rate = 1;
    CVodeGetCurrentGamma(d.memory, &d.gamma);
  }
  const double size = N_VWrmsNorm(correction, w), last = std::exchange(d.before, size);
  if (iteration > 0) d.rate = std::max(memory * d.rate, size / last);
  const bool was_short = iteration > 0 && d.is_short;
  d.is_short = size * std::min(1.0, d.rate) <= tolerance;
  if (!d.is_short) return iteration > 0 && size > diverging * last ? SUN_NLS_CONV_RECVR : SUN_NLS_CONTINUE;
  const double residual = cvode_residual_before(d, sum, correction, w), before = std::exchange(d.off, residual);
  if (residual <= tolerance || (iteration > 0 && size <= d.rounding())) return SUN_NLS_SUCCESS;
  if (was_short && (size > shrinking * last || residual > shrinking * before))
    return is_rounding(d, correction) ? SUN_NLS_SUCCESS : SUN_NLS_CONV_RECVR;
  return was_short && iteration > 1 ? SUN_NLS_SUCCESS : SUN_NLS_CONTINUE;  // the first one may have gone to where something ends
}

void attach_newton(Cvode::Data& d) {
  d.attach(cvode_converged);
  d.newton->make(d.run, d.y, d.context);
  d.scratch.resize(d.run.states);
  need(CVodeSetLinearSolver(d.memory, d.newton->linear, d.newton->matrix) == CVLS_SUCCESS);
  need(CVodeSetJacFn(d.memory, cvode_jacobian) == CVLS_SUCCESS);
  need(CVodeSetMaxNonlinIters(d.memory, 5) == CV_SUCCESS);
}

void attach_fixed_point(Cvode::Data& d) {
  d.fixed_point = SUNNonlinSol_FixedPoint(d.y, 0, d.context);
  need(d.fixed_point != nullptr && CVodeSetNonlinearSolver(d.memory, d.fixed_point) == CV_SUCCESS);
}

}  // namespace

Cvode::Cvode(Run& run, Formula formula, double t, std::span<const double> y) : data_(std::make_unique<Data>(run)) {
  Data& d = *data_;
  const auto n = static_cast<sunindextype>(run.states);
  d.formula = formula;
  d.time = t;
  need(SUNContext_Create(nullptr, &d.context) == 0);
  d.y = N_VNew_Serial(n, d.context);
  d.errors = N_VNew_Serial(n, d.context);
  d.view = N_VMake_Serial(n, run.scratch.data(), d.context);
  need(d.y && d.errors && d.view);
  for (N_Vector v : {d.y, d.errors, d.view}) use_fast_operations(v);  // CVODE clones its own vectors from y
  std::copy(y.begin(), y.end(), NV_DATA_S(d.y));
  d.memory = CVodeCreate(formula == Formula::bdf ? CV_BDF : CV_ADAMS, d.context);
  need(d.memory != nullptr);
  CVodeSetErrHandlerFn(d.memory, no_message, nullptr);
  need(CVodeInit(d.memory, right_side, t, d.y) == CV_SUCCESS);
  CVodeSetUserData(d.memory, &d);
  CVodeWFtolerances(d.memory, cvode_weights);
  CVodeSetStopTime(d.memory, run.limit());
  CVodeSetMaxHnilWarns(d.memory, -1);
  if (const double longest = run.longest_step(Run::part_seen_at_ends); std::isfinite(longest)) CVodeSetMaxStep(d.memory, longest);
  if (formula == Formula::bdf)
    attach_newton(d);
  else
    attach_fixed_point(d);
}

Cvode::~Cvode() = default;

Cvode::End Cvode::step() {
  Data& d = *data_;
  realtype t = d.time;
  d.flag = CVode(d.memory, d.run.limit(), d.y, &t, CV_ONE_STEP);
  if (d.flag < 0) return End::failed;
  d.time = t;
  return d.flag == CV_TSTOP_RETURN ? End::stop : End::step;
}

// For order 1, its local error from the curvature of the states so far: the new ones bend alike, for they move alike where a choice
// changes. 0: CVODE looks for one itself, which takes some evaluations.
double Cvode::first_step() const {
  constexpr double safety = 0.3;
  Data& d = *data_;
  if (order() < 2) return 0;
  std::vector<double> curvature(d.run.states);
  derivative(d.time, 2, curvature);
  const auto y = span_of(d.y);
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double scaled = curvature[i] * weight(d.run, i, y[i]);
    sum += scaled * scaled;
  }
  const double norm = std::sqrt(sum / static_cast<double>(y.size()));
  return norm > 0 ? std::min(last_step(), safety * std::sqrt(2 / norm)) : last_step();
}

void Cvode::restart(std::span<const double> y) {
  std::copy(y.begin(), y.end(), NV_DATA_S(data_->y));
  const double first = first_step();
  restart(data_->time, y);
  need(CVodeSetInitStep(data_->memory, first) == CV_SUCCESS);
}

// Behind an event nothing of before holds: CVODE looks for a first step.
void Cvode::restart(double t, std::span<const double> y) {
  Data& d = *data_;
  add_counts(d.run.counters());  // they start anew too
  d.time = t;
  std::copy(y.begin(), y.end(), NV_DATA_S(d.y));
  need(CVodeReInit(d.memory, t, d.y) == CV_SUCCESS);
  need(CVodeSetInitStep(d.memory, 0) == CV_SUCCESS);
  CVodeSetStopTime(d.memory, d.run.limit());
}
void Cvode::stop_at(double t) { CVodeSetStopTime(data_->memory, t); }

double Cvode::time() const { return data_->time; }
double Cvode::last_step() const {
  realtype h = 0;
  CVodeGetLastStep(data_->memory, &h);
  return h;
}
double Cvode::next_step() const {
  realtype h = 0;
  CVodeGetCurrentStep(data_->memory, &h);
  return h;
}
std::uint32_t Cvode::order() const {
  int q = 0;
  CVodeGetLastOrder(data_->memory, &q);
  return static_cast<std::uint32_t>(q);
}
std::span<const double> Cvode::solution() const { return span_of(data_->y); }
double Cvode::jacobian_norm() const { return data_->norm; }

void Cvode::derivative(double t, int k, std::span<double> out) const {
  N_VSetArrayPointer(out.data(), data_->view);
  if (CVodeGetDky(data_->memory, t, k, data_->view) != CV_SUCCESS) {  // t a rounding error outside the step
    realtype end = 0;
    CVodeGetCurrentTime(data_->memory, &end);
    CVodeGetDky(data_->memory, std::clamp(t, end - last_step(), end), k, data_->view);
  }
}

bool Cvode::is_stiff() const {
  constexpr double stiff = 3;
  constexpr long settled = 6;  // steps: right behind an event fast components may be on their way
  long steps = 0;
  CVodeGetNumSteps(data_->memory, &steps);
  return data_->formula == Formula::bdf && steps > settled && data_->norm * data_->gamma > stiff;
}

void Cvode::bring_back(double t, std::span<double> y) const {
  Data& d = *data_;
  if (!is_stiff() || t == d.time) return;
  make_room(d);
  std::vector<double> slope(y.size());
  derivative(t, 1, slope);
  const auto defect = span_of(d.defect), first = span_of(d.shift);
  const auto solve = [&] { return SUNLinSolSolve(d.newton->linear, d.newton->matrix, d.shift, d.defect, 0) == 0; };
  correct_fast(d.run, y, [&](std::span<const double> now, std::span<double> shift) {
    if (evaluate(d.run, t, now, defect) != 0) return false;
    for (std::size_t i = 0; i < y.size(); ++i) defect[i] = d.gamma * (defect[i] - slope[i]);
    if (!solve()) return false;
    std::copy(first.begin(), first.end(), defect.begin());
    if (!solve()) return false;
    for (std::size_t i = 0; i < y.size(); ++i) shift[i] = defect[i] - first[i];  // of slow components nothing is left
    return true;
  });
}

Trouble Cvode::trouble() const {
  const Data& d = *data_;
  realtype time = 0;
  CVodeGetCurrentTime(d.memory, &time);
  const Failed failed = d.flag == CV_TOO_MUCH_ACC    ? Failed::tolerance
                        : d.flag == CV_ERR_FAILURE  ? Failed::errors
                        : d.flag == CV_CONV_FAILURE ? Failed::corrector
                        : d.flag == CV_TOO_CLOSE    ? Failed::step
                                                    : Failed::other;
  return trouble_of(failed, time, d.run.options, CVodeGetReturnFlagName, d.flag);
}

std::vector<std::size_t> Cvode::suspects() const {
  const Data& d = *data_;
  CVodeGetEstLocalErrors(d.memory, d.errors);
  const auto e = span_of(d.errors), y = span_of(d.y);
  for (std::size_t i = 0; i < e.size(); ++i) e[i] *= weight(d.run, i, y[i]);
  return worst_states(e);
}

void Cvode::add_counts(Counters& c) const {
  long iterations = 0, failures = 0;
  CVodeGetNumNonlinSolvIters(data_->memory, &iterations);
  CVodeGetNumErrTestFails(data_->memory, &failures);
  c.newton_iters += static_cast<std::size_t>(iterations);
  c.error_test_fails += static_cast<std::size_t>(failures);
}

}  // namespace kron::simulate
