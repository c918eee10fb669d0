// engine/code/engine.hpp: the scratch data of one Program in one number type, and the interpreter. Private to the room.
#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "engine/code/history.hpp"
#include "engine/code/kernels.hpp"
#include "engine/code/linear.hpp"
#include "engine/code/native.hpp"
#include "engine/code/program.hpp"
#include "engine/code/sweeps.hpp"

namespace kron::code {

// What a Newton step found at the last accepted point and the one before it.
template <class T>
struct Accepted {
  // The solution of a Newton step at time t takes the place of the accepted one, `drivers` being the values of the inputs that move it, if
  // they are few. Another solution at the same time is a jump; the same one is that of an event that leaves it, and goes on to lead where it did:
  // near a point where solutions cross there is no other way to tell them apart.
  void keep(const StepPlan& plan, const T& t, std::vector<T> drivers, const T* solution) {
    using std::abs;
    constexpr double same = 1e-6;
    const bool is_known = has_accepted && accepted_time;
    const auto is_same = [&](std::size_t c) { return abs(solution[c] - accepted[c]) <= same * (abs(accepted[c]) + plan.nominal[c]); };
    bool jumps = !has_accepted;
    for (std::size_t c = 0; c < plan.columns && is_known && !jumps; ++c) jumps = *accepted_time == t && !is_same(c);
    if (jumps) before_time.reset();
    // The one before stays where too little way was gone to tell where it leads, and where an event takes back the end of a step, if most of the
    // step is left.
    constexpr double little = 0.1;
    const auto stays = [&] {
      if (!before_time) return false;
      const T gone = t - *accepted_time;
      return gone < 0 ? t - *before_time > -gone : gone < little * (*accepted_time - *before_time);
    };
    if (is_known && *accepted_time != t && !stays()) {
      before_time = accepted_time;
      drivers_before = drivers_accepted;
      before = accepted;
    }
    accepted_time = t;
    drivers_accepted = std::move(drivers);
  }
  // `leads`: what was accepted before leads to these.
  void begin_at(std::span<const T> values, bool leads) {
    before_time.reset();
    if (leads && has_accepted && accepted_time) {
      before_time = accepted_time;
      drivers_before = drivers_accepted;
      before = accepted;
    }
    accepted.assign(values.begin(), values.end());
    has_accepted = true;
    accepted_time.reset();
  }
  std::vector<T> accepted, before;
  std::optional<T> accepted_time, before_time;
  std::vector<T> drivers_accepted, drivers_before;
  bool has_accepted = false;
};

template <class T>
struct StepState : Accepted<T> {
  explicit StepState(const StepPlan& plan) : solver(plan.shape), matrix(plan.shape.stored()), right(plan.size) {
    if (plan.newton || !plan.swept.empty()) this->accepted.resize(plan.columns);
    if constexpr (std::is_same_v<T, double>)
      if (!plan.swept.empty()) sweeps.emplace(plan);
    if (plan.newton)
      for (std::vector<T>& w : work) w.resize(plan.size);
    if (plan.pins.empty()) return;
    free.resize(plan.size);
    for (std::uint32_t i = 0; i < plan.size; ++i) free[i] = i;
  }
  // The entries that are solved with; their columns are numbered as `free` is.
  const std::vector<StepPlan::Load>& entries(const StepPlan& plan) const { return plan.pins.empty() ? plan.matrix : solved_entries; }
  std::uint32_t column(std::size_t i) const { return free.empty() ? static_cast<std::uint32_t>(i) : free[i]; }
  LinearSolver<T> solver;
  std::optional<Sweeps> sweeps;
  std::vector<T> matrix, right;
  std::array<std::vector<T>, 8> work;  // of the Newton iteration
  bool solved = false;    // at the last evaluated point; its unknowns hold the solution
  bool cold = false;      // guarded: the last evaluation took the LU's solution, which is in `right`
  bool multiple = false;  // newton: a multiple root, as at a dead point: the Jacobian is zero there but for roundings
  std::optional<bool> early_trusted;  // guarded: the watches of the parameter section hold
  std::vector<T> cold_tangents;       // of `right`, lane by lane
  bool factored = false;  // solver holds the factors of the matrix at the last evaluated point
  // With pins (selection.hpp):
  std::vector<std::uint32_t> free;  // columns that are solved for, ascending
  std::vector<StepPlan::Load> solved_entries, given_entries;
  std::unique_ptr<MatrixShape> shape;
  bool regular = false;  // solver holds factors, if of a point on the way
  bool deficient = false;   // the matrix is singular, and solutions are the least ones
  bool contradictory = false;                // and there is none, at the last evaluated point
  std::vector<T> rest, terms;                // of refine()
  std::vector<T> lowest, highest, sizes;     // of right-hand sides, where roundings of states were felt: sizes of the terms behind them
  bool distrusted = false;  // guarded: audit() found the straight-line code inaccurate
};

template <class T>
class Engine {
 public:
  Engine(std::shared_ptr<const Program> p, Backend b) : program(std::move(p)), native(*program, b), reg(program->registers, T(0)) {
    for (std::size_t i = 0; i < program->constants.size(); ++i) reg[i] = number(program->constants[i]);
    steps.reserve(program->steps.size());
    for (const StepPlan& s : program->steps) steps.emplace_back(s);
    derivative_roots = program->derivative;
    open.resize(program->selections.size());
    settled.resize(program->selections.size());
    for (const Program::Selection& s : program->selections)
      for (std::uint32_t k = 0; k < s.slots; ++k) choice.push_back(k);
    for (std::uint32_t s = 0; s < program->selections.size(); ++s) chosen(s);
    interpret(constant_section);
  }

  static T number(const Constant& c) {
    if constexpr (std::is_same_v<T, double>) {
      return c.number;
    } else {
      using std::acos;
      if (c.is_pi) return acos(T(-1));
      return T(numerator(c.value)) / T(denominator(c.value));
    }
  }

  const History* history = nullptr;  // of delayed expressions
  bool met = false;      // the point is one of a run: what singular steps leave of contradictions has been judged there
  bool feeling = false;  // right-hand sides of singular steps are noted
  bool lenient = false;  // a linear step without solution gives not-a-number, no failure
  const T& time() const { return reg[program->input_begin[static_cast<std::size_t>(InputKind::time)]]; }
  T value(Signed s) const { return s.negative() ? T(-reg[s.reg()]) : reg[s.reg()]; }

  Status run(std::uint32_t region) {
    if constexpr (std::is_same_v<T, double>)
      if (!interpreted)
        if (const Native::Region* n = native.wanted(region)) return run_native(region, *n);
    return interpret(region);
  }
  Status run_derivatives() {  // the dynamic section, without what only outputs need of it
    if constexpr (std::is_same_v<T, double>)
      if (const Native::Region* n = native.wanted(Native::derivatives_only(*program))) return run_native(dynamic_section, *n);
    return interpret(dynamic_section);
  }
  // A delayed expression, or its derivative. Without a run, to probe a tape: some smooth function.
  T history_value(const Run& run, unsigned further) const {
    const std::uint32_t* at = program->operands.data() + run.operands;
    const auto time = static_cast<double>(reg[at[0]]), place = static_cast<double>(reg[at[1]]);
    const unsigned order = static_cast<unsigned>(static_cast<double>(reg[at[2]])) + further;
    return T(history ? history->value(time, place, order) : std::cos(time + place + 1.5 * order));
  }

  Status run_native(std::uint32_t region, const Native::Region&);  // native_run.hpp
  bool expect_trust(const Native::Region&);                        // native_run.hpp
  void complete(std::uint32_t region);                             // native_run.hpp

  Status interpret(std::uint32_t region) {
    const Region r = program->regions[region];
    for (std::uint32_t i = r.begin; i < r.end; ++i) {
      const Run& run = program->runs[i];
      if (run.kernel == Kernel::step) {
        if (const Status s = run_step(run.result); s != Status::ok) return s;
      } else {
        interpret(run);
      }
    }
    return Status::ok;
  }

  Status run_step(std::uint32_t s);  // steps.hpp
  void note_right(StepState<T>&);    // steps.hpp, as what follows
  void load_right(std::uint32_t s, std::vector<T>& right);
  void refine(std::uint32_t s);
  bool relaxed(std::uint32_t s);     // steps.hpp
  struct Straight {  // an unknown of a guarded step as straight-line code has it
    std::uint32_t column = 0;
    Signed value;
  };
  bool accurate(std::uint32_t s, const std::vector<Straight>& taken);  // steps.hpp

  // Whether the straight-line code of guarded step s may be trusted at this point.
  bool trusted(std::uint32_t s) {
    const StepPlan& plan = program->steps[s];
    return !steps[s].distrusted && early_trusted(s) && hold(plan, plan.early_watches, plan.watch.size());
  }
  bool early_trusted(std::uint32_t s) {
    std::optional<bool>& known = steps[s].early_trusted;
    if (!known) known = hold(program->steps[s], 0, program->steps[s].early_watches);
    return *known;
  }
  bool hold(const StepPlan& plan, std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i)
      if (!holds(plan.watch[i])) return false;
    return true;
  }
  bool holds(const StepPlan::WatchedValue& w) const {
    using std::abs;
    const T& x = reg[w.value];
    if (w.kind == Watch::Kind::sum) return abs(x) > T(1e-4) * (abs(reg[w.a]) + abs(reg[w.b])) && finite(x);
    if (w.kind == Watch::Kind::ratio) return abs(x) > T(1e-8) * abs(reg[w.a]) && finite(x);
    if (w.kind == Watch::Kind::rounding) return abs(x) > T(1e-13) * abs(reg[w.a]) && finite(x);
    return finite(x) && (w.kind == Watch::Kind::finite || x != 0);
  }

  // Loads the matrix of step s from its entries and factors it.
  // A matrix that is singular in a combination of switches counts as factored: right-hand sides may have solutions.
  Factored factor(std::uint32_t s) {
    load(s);
    StepState<T>& state = steps[s];
    Factored f = state.solver.factor(state.matrix);
    state.deficient = f == Factored::singular && program->steps[s].switched && state.solver.factor_deficient(state.matrix);
    if (state.deficient) f = Factored::ok;
    state.factored = state.regular = f == Factored::ok;
    return f;
  }
  void load(std::uint32_t s) {
    const StepPlan& plan = program->steps[s];
    StepState<T>& state = steps[s];
    std::fill(state.matrix.begin(), state.matrix.end(), T(0));
    for (const StepPlan::Load& l : state.entries(plan)) {
      if (l.value.negative())
        state.matrix[l.place] -= reg[l.value.reg()];
      else
        state.matrix[l.place] += reg[l.value.reg()];
    }
  }

  Status fail(std::uint32_t s, std::string reason) {
    const StepPlan& plan = program->steps[s];
    failure = {};
    failure.newton = plan.newton;
    failure.block = plan.block;
    failure.reason = std::move(reason);
    for (std::uint32_t c = 0; c < plan.columns; ++c)
      failure.values.push_back(static_cast<double>(plan.guarded ? steps[s].right[c] : reg[plan.unknowns + c]));
    for (Signed r : plan.right) failure.residual.push_back(static_cast<double>(value(r)));
    return plan.section == parameter_section ? Status::failed : Status::recoverable;
  }

  // ---- selections (selection.hpp)
  std::span<std::uint32_t> choice_of(std::uint32_t selection) {
    const Program::Selection& s = program->selections[selection];
    return {choice.data() + s.first, s.slots};
  }
  void chosen(std::uint32_t selection);     // its part of `choice` has changed
  void partition(std::uint32_t s);          // free and pinned columns of step s
  void give(std::uint32_t s);               // the pinned unknowns their values
  // The open selections of step s, by pivoting at its start; or once more those that were settled there, at another point, whose values they keep.
  void settle(std::uint32_t s, std::span<const T> at = {});
  bool waits(const StepPlan& plan) const {  // for that
    return std::any_of(plan.pins.begin(), plan.pins.end(), [&](const StepPlan::Pins& p) { return !open[p.selection].empty(); });
  }
  bool derivatives(std::uint32_t s, std::uint32_t pins, std::vector<T>& d);
  std::optional<std::pair<std::uint32_t, std::uint32_t>> leader(std::uint32_t selection) const;
  T strain(std::uint32_t selection);
  T regularity(std::uint32_t selection);
  bool exchange(std::uint32_t selection);

  // By register: sines and cosines are taken of it, or of it with something added.
  const std::vector<bool>& angles() {
    if (!angles_.empty()) return angles_;
    angles_.assign(reg.size(), false);
    const auto operand = [&](const Run& run, std::uint32_t i) { return program->operands[run.operands + i]; };
    for (const Run& run : program->runs)
      for (std::uint32_t i = 0; run.kernel == Kernel::call && (run.fn == Fn::sin || run.fn == Fn::cos) && i < run.count; ++i) angles_[operand(run, i)] = true;
    for (const Run& run : program->runs)
      for (std::uint32_t i = 0; (run.kernel == Kernel::add || run.kernel == Kernel::sub) && i < run.count; ++i)
        if (angles_[run.result + i]) angles_[operand(run, i)] = angles_[operand(run, run.count + i)] = true;
    return angles_;
  }

  // Whether a Newton step has angles among its unknowns.
  bool turns(const StepPlan& plan) {
    const auto first = angles().begin() + plan.unknowns;
    return plan.newton && std::find(first, first + plan.columns, true) != first + plan.columns;
  }

  // By step: the registers of the states, and of time, of which its solution is a function; none where they are several, some beyond the first 63.
  const std::vector<std::vector<std::uint32_t>>& drivers();  // drivers.hpp

  bool interrupted() const { return flag != nullptr && flag->load(std::memory_order_relaxed); }

  std::shared_ptr<const Program> program;
  NativeUse native;
  bool patient = true;  // Machine::patient
  bool looks_for_singular = false, singular = false;  // Machine::met_singular
  bool interpreted = false;  // by request: all values are wanted
  bool partial = false;      // machine code ran since the point was set: registers that only it reads are out of date
  bool leapt = false;        // angles have gone on so far since what was accepted that a Newton iteration may come to another solution
  bool solves = false;       // a step may have been solved or factored since the point was set
  std::uint32_t cold_steps = 0, distrusted_steps = 0;
  std::vector<T> reg;
  std::vector<StepState<T>> steps;
  Failure failure;
  Statistics statistics;
  double tolerance = 1e-8;
  const std::atomic<bool>* flag = nullptr;
  std::vector<T> tangents;  // tangent.hpp
  std::vector<T> parameter_values;
  std::vector<Signed> derivative_roots;  // as chosen
  std::vector<std::uint32_t> choice;     // alternatives by slot, one selection after the other
  std::vector<std::vector<T>> open;      // by selection: values of all alternatives, level by level; empty: it is settled
  std::vector<std::vector<T>> settled;   // with these

 private:
  std::vector<bool> angles_;  // once they were asked for
  std::vector<std::vector<std::uint32_t>> drivers_;  // likewise

  template <class F>
  void each1(const Run& run, F&& f) {
    const std::uint32_t* a = program->operands.data() + run.operands;
    T* r = reg.data();
    T* d = r + run.result;
    for (std::uint32_t i = 0; i < run.count; ++i) d[i] = f(r[a[i]]);
  }
  template <class F>
  void each2(const Run& run, F&& f) {
    const std::uint32_t* a = program->operands.data() + run.operands;
    const std::uint32_t* b = a + run.count;
    T* r = reg.data();
    T* d = r + run.result;
    for (std::uint32_t i = 0; i < run.count; ++i) d[i] = f(r[a[i]], r[b[i]]);
  }

  void interpret(const Run& run) {
    switch (run.kernel) {
      case Kernel::add:
        return each2(run, [](const T& x, const T& y) { return T(x + y); });
      case Kernel::sub:
        return each2(run, [](const T& x, const T& y) { return T(x - y); });
      case Kernel::mul:
        return each2(run, [](const T& x, const T& y) { return T(x * y); });
      case Kernel::div:
        return each2(run, [](const T& x, const T& y) { return T(x / y); });
      case Kernel::inv:
        return each1(run, [](const T& x) { return T(1 / x); });
      case Kernel::neg:
        return each1(run, [](const T& x) { return T(-x); });
      case Kernel::pow:
        return each2(run, [](const T& x, const T& y) { return kron::code::power_of(x, y); });
      case Kernel::step:
        return;
      case Kernel::call:
        return interpret_call(run);
      case Kernel::take:
        return take(run);
    }
  }

  void interpret_call(const Run& run) {
    switch (run.fn) {
#define KRON_UNARY(id) \
  case Fn::id:         \
    return each1(run, [](const T& x) { return T(Unary<Fn::id>::value(x)); });
#define KRON_BINARY(id) \
  case Fn::id:          \
    return each2(run, [](const T& x, const T& y) { return T(Binary<Fn::id>::value(x, y)); });
#include "engine/code/functions.def"
#undef KRON_UNARY
#undef KRON_BINARY
      case Fn::select:
        return choose(run);
      case Fn::interpolate:
      case Fn::interpolate_slope:
        return interpolate(run);
      case Fn::history:
        reg[run.result] = history_value(run, 0);
        return;
      default:
        return;
    }
  }

  void take(const Run& run) {
    const std::uint32_t* a = program->operands.data() + run.operands;
    for (std::uint32_t i = 0; i < run.count; ++i) {
      const Take& t = program->takes[a[run.count + i]];
      const StepState<T>& s = steps[t.step];
      if (s.cold) reg[run.result + i] = s.right[t.column];
      else reg[run.result + i] = t.negative ? T(-reg[a[i]]) : reg[a[i]];
    }
  }

  void choose(const Run& run) {
    const std::uint32_t* c = program->operands.data() + run.operands;
    const std::uint32_t* a = c + run.count;
    const std::uint32_t* b = a + run.count;
    for (std::uint32_t i = 0; i < run.count; ++i) reg[run.result + i] = reg[c[i]] != 0 ? reg[a[i]] : reg[b[i]];
  }

  void interpolate(const Run& run) {
    const std::uint32_t* at = program->operands.data() + run.operands;
    const std::size_t n = (run.count - 1) / 2;
    const auto x = [&](std::size_t i) -> const T& { return reg[at[1 + i]]; };
    const auto y = [&](std::size_t i) -> const T& { return reg[at[1 + n + i]]; };
    const T& wanted = reg[at[0]];
    T& result = reg[run.result];
    if (n < 2) {
      result = run.fn == Fn::interpolate && n == 1 ? y(0) : T(0);
      return;
    }
    const std::size_t k = segment(x, n, wanted);
    const T slope = (y(k + 1) - y(k)) / (x(k + 1) - x(k));
    result = run.fn == Fn::interpolate ? T(y(k) + (wanted - x(k)) * slope) : slope;
  }
};

}  // namespace kron::code
