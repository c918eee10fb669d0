#include "engine/simulate/batch.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <thread>

#include "engine/code/packed.hpp"
#include "engine/simulate/dormand_prince.hpp"
#include "engine/simulate/subnormals.hpp"

namespace kron::simulate {

namespace {

namespace dp = dormand_prince;
using code::Packed;
constexpr std::size_t width = Packed::lanes;

// A run that is under way; what it refers to stays where it is.
struct Work {
  Work(std::size_t number, Problem p, const Options& options) : index(number), problem(std::move(p)), run(problem, options, result) {
    if (code::iterated(*problem.dynamics) == 0) run.recorder.only_points();
  }
  std::size_t index;
  Problem problem;
  Result result;
  Run run;
  std::optional<dp::Steps<width>> steps;
};
using WorkPtr = std::unique_ptr<Work>;

bool fits_lanes(const Problem& p, const Options& o) {
  return (o.method == Method::automatic || o.method == Method::rk45) && o.precision <= 15 && p.backend != code::Backend::interpreter &&
         p.sets.empty() && p.choices.empty() && !(o.method == Method::automatic && prefers_open_form(p)) &&
         code::derivative_size(*p.dynamics) > 0 &&
         settings_problem(o, code::derivative_size(*p.dynamics)).empty();
}

void failed(Result& r, const Options& o, std::string message) {
  r.trouble = {};
  r.trouble.kind = Trouble::other;
  r.trouble.time = o.start;
  r.trouble.message = std::move(message);
}

template <class F>
void guarded(Result& r, const Options& o, F&& f) {
  try {
    f();
  } catch (const std::bad_alloc&) {
    failed(r, o, "not enough memory");
  } catch (const std::exception& e) {
    failed(r, o, std::string("internal error: ") + e.what());
  }
}

// ---- lanes: these run only where Packed does

KRON_FOR_LANES double* stage_of_lanes(dp::Bank<width>& b, std::size_t stage) { return dp::stage_state(b, stage); }
KRON_FOR_LANES void errors_of_lanes(dp::Bank<width>& b) { dp::find_errors(b); }
KRON_FOR_LANES void polynomials_of_lanes(dp::Bank<width>& b) { dp::find_polynomial(b); }
KRON_FOR_LANES void stiffness_of_lanes(dp::Bank<width>& b) { dp::find_stiffness(b); }

KRON_FOR_LANES bool all_finite(std::span<const double> values) {  // a multiple of `width` of them
  std::array<double, width> sum{};  // of zeros, unless something is not finite
  for (std::size_t i = 0; i < values.size(); i += width)
    for (std::size_t lane = 0; lane < width; ++lane) sum[lane] += 0 * values[i + lane];
  return std::all_of(sum.begin(), sum.end(), [](double x) { return x == 0; });
}

// ---- outputs of finished runs, side by side

// Whether the outputs of `count` runs are as they should be all along; false: one has to look closer.
bool outputs_good(Packed& packed, std::span<const WorkPtr> works) {
  const Problem& p = works.front()->problem;
  const std::size_t n = works.front()->run.states, variables = variable_outputs(p);
  std::size_t points = 0;
  for (const WorkPtr& w : works) points = std::max(points, w->result.trajectory.size());
  std::vector<double> values(width * code::output_size(*p.dynamics));
  const auto states = packed.states();
  for (std::size_t point = 0; point < points; ++point) {
    for (std::size_t lane = 0; lane < width; ++lane) {
      const Trajectory& tr = works[std::min(lane, works.size() - 1)]->result.trajectory;
      const std::size_t at = std::min(point, tr.size() - 1);
      packed.time()[lane] = tr.time_[at];
      const auto y = tr.state(at);
      for (std::size_t i = 0; i < n && i * width < states.size(); ++i) states[i * width + lane] = y[i];
    }
    if (!packed.output(values)) return false;
    if (!all_finite({values.data(), width * variables})) return false;
    for (const Assertion& a : p.assertions)
      for (std::size_t lane = 0; a.varies && lane < width; ++lane)
        if (values[a.condition * width + lane] == 0) return false;
  }
  return true;
}

// ---- one thread

struct Shared {
  std::size_t count = 0;
  const Supply& supply;
  const Options& options;
  const BatchOptions& batch;
  const Deliver& deliver;
  std::mutex supplying{};
  std::size_t next = 0;
  std::atomic<std::size_t> delivered = 0;
  bool is_interrupted() const { return options.interrupt && options.interrupt->load(std::memory_order_relaxed); }
};

class Worker {
 public:
  Worker(Shared& s, bool tells) : s_(s), options_(s.options), tells_(tells) { options_.progress = {}; }

  void run() {
    const ZeroSubnormals zero_subnormals;  // as a single run
    begin_ = Clock::now();
    try {
      while (fill() || !finished_.empty())
        if (live() > 0) advance();
        else check();
    } catch (...) { error = std::current_exception(); }  // of `supply` or `deliver`, or memory
    solve_s = std::chrono::duration<double>(Clock::now() - begin_).count() - elsewhere_s_;
  }

  double solve_s = 0;
  std::size_t runs = 0, in_lanes = 0;
  std::exception_ptr error;

 private:
  struct Pack {  // what the lanes share
    Pack(const std::shared_ptr<const code::Program>& p, std::size_t n, double tolerance)
        : program(p), packed(p), checking(p), memory(n, tolerance), bank(memory.bank) {}
    std::shared_ptr<const code::Program> program;
    Packed packed, checking;
    dp::Memory<width> memory;
    dp::Bank<width>& bank;
  };

  template <class F>
  auto outside(F&& f) {  // not counted as solving
    const auto begin = Clock::now();
    struct Count {
      Clock::time_point begin;
      double& sum;
      ~Count() { sum += std::chrono::duration<double>(Clock::now() - begin).count(); }
    } count{begin, elsewhere_s_};
    return f();
  }

  std::size_t live() const {
    return static_cast<std::size_t>(std::count_if(lanes_.begin(), lanes_.end(), [](const WorkPtr& w) { return w != nullptr; }));
  }

  std::optional<std::pair<std::size_t, Problem>> take() {
    const std::lock_guard lock(s_.supplying);
    while (s_.next < s_.count && !s_.is_interrupted()) {
      const std::size_t index = s_.next++;
      if (auto p = s_.supply(index)) return std::pair{index, std::move(*p)};
      ++s_.delivered;
    }
    return std::nullopt;
  }

  // Gives each free lane a run. False: nothing is left to advance.
  bool fill() {
    for (std::size_t lane = 0; lane < width; ++lane)
      while (!lanes_[lane] && !over_) {
        auto taken = outside([&] { return take(); });
        if (!taken) over_ = true;
        else start(lane, taken->first, std::move(taken->second));
      }
    return live() > 0;
  }

  void start(std::size_t lane, std::size_t index, Problem p) {
    ++runs;
    if (!pack_ && s_.batch.lanes && fits_lanes(p, options_))
      pack_.emplace(p.dynamics, code::derivative_size(*p.dynamics), options_.tolerance);
    const bool fits = pack_ && pack_->packed.possible() && p.dynamics == pack_->program && fits_lanes(p, options_);
    if (!fits) {
      Result r = simulate(p, options_);
      return give(index, p, r);
    }
    WorkPtr w;
    Result none;
    guarded(none, options_, [&] { w = std::make_unique<Work>(index, p, options_); });
    if (!w) return give(index, p, none);
    guarded(w->result, options_, [&] { begin(lane, w); });
    if (w) finish_alone(std::move(w));
  }

  // Initialises and takes the lane. Where `w` is left to the caller the run is over, but for finish().
  void begin(std::size_t lane, WorkPtr& w) {
    const auto start = Clock::now();
    Run& run = w->run;
    Point at{options_.start, {}};
    const bool good = initialise(run, at.y);
    w->result.counters.init_s = std::chrono::duration<double>(Clock::now() - start).count();
    if (!good) return;
    w->result.used = options_.method;
    if (run.grid.size() < 2) return integrate(run, std::move(at));
    record_until(run, at.t, [&](double, std::span<double> y) { std::copy(at.y.begin(), at.y.end(), y.begin()); });
    w->steps.emplace(run, at, options_.method == Method::automatic, pack_->bank, lane);
    if (const auto end = w->steps->begin()) return ended(*w, *end);
    if (!pack_->packed.enter(lane, run.machine)) return alone(*w);
    pack_->bank.time[lane] = at.t;
    if (entered_ == 0)  // lanes that have no run yet evaluate this one's start
      for (std::size_t l = 0; l < width; ++l) {
        pack_->packed.enter(l, run.machine);
        pack_->bank.time[l] = at.t;
        for (std::size_t i = 0; i < at.y.size(); ++i) pack_->bank.y[i * width + l] = at.y[i];
      }
    ++entered_;
    ++in_lanes;
    lanes_[lane] = std::move(w);
  }

  // The rest of a run whose stages are evaluated by its machine.
  void alone(Work& w) {
    dp::Memory<1> memory(w.run.states, options_.tolerance);
    dp::Steps<1> steps(*w.steps, memory.bank, 0);
    const Outcome outcome = dp::go_on(steps, memory.bank);
    go_on_from(w, steps.point(), outcome);
  }
  void ended(Work& w, Outcome outcome) { go_on_from(w, w.steps->point(), outcome); }
  void go_on_from(Work& w, Point at, Outcome outcome) {
    if (options_.method == Method::automatic) integrate_on(w.run, std::move(at), outcome);
  }

  // A step of each run, or the attempt at one.
  void advance() {
    dp::Bank<width>& b = pack_->bank;
    std::array<int, width> bad{};
    b.step = {};
    for (const WorkPtr& w : lanes_)
      if (w) w->steps->propose();
    std::uint64_t packed = 0;
    for (std::size_t j = 1; j < dp::stages; ++j) stage(j, stage_of_lanes(b, j), bad, packed);
    flush(packed);
    errors_of_lanes(b);
    polynomials_of_lanes(b);
    std::array<bool, width> accepted{};
    std::array<std::optional<Outcome>, width> over{};
    for (std::size_t l = 0; l < width; ++l)
      if (lanes_[l]) guarded(lanes_[l]->result, options_, [&] { accepted[l] = lanes_[l]->steps->judge(bad[l], over[l]); });
    for (std::size_t l = 0; l < width; ++l)
      if (accepted[l]) lanes_[l]->steps->move();
    stiffness_of_lanes(b);
    for (std::size_t l = 0; l < width; ++l) {
      if (!lanes_[l]) continue;
      Work& w = *lanes_[l];
      b.time[l] = w.steps->time();
      guarded(w.result, options_, [&] {
        if (accepted[l]) over[l] = w.steps->settle();
        if (over[l]) ended(w, *over[l]);
      });
      conclude(l, over[l].has_value());
    }
  }

  void flush(std::uint64_t& packed) {
    for (const WorkPtr& w : lanes_)
      if (w) w->run.machine.evaluated_elsewhere(packed);
    packed = 0;
  }

  // Slopes at the states `at`. A lane without a run, or whose step has failed, computes its step's start again, which went well.
  void stage(std::size_t j, const double* at, std::array<int, width>& bad, std::uint64_t& packed) {
    Pack& p = *pack_;
    const dp::Bank<width>& b = p.bank;
    const auto time = p.packed.time();
    const auto states = p.packed.states();
    std::copy_n(at, std::min(states.size(), width * b.n), states.begin());
    for (std::size_t l = 0; l < width; ++l) {
      const bool runs_here = lanes_[l] && bad[l] == 0;
      time[l] = runs_here ? b.time[l] + dp::c[j] * b.step[l] : b.time[l];
      for (std::size_t i = l; !runs_here && i < states.size(); i += width) states[i] = b.y[i];
    }
    if (p.packed.derivative({b.k[j], width * b.n})) {
      for (std::size_t l = 0; l < width; ++l)
        if (lanes_[l] && bad[l] == 0) ++lanes_[l]->result.counters.rhs_evals;
      ++packed;
      return;
    }
    flush(packed);
    flat_.resize(b.n);
    slope_.resize(b.n);
    for (std::size_t l = 0; l < width; ++l) {
      if (!lanes_[l] || bad[l] != 0) continue;
      for (std::size_t i = 0; i < b.n; ++i) flat_[i] = at[i * width + l];
      bad[l] = evaluate(lanes_[l]->run, b.time[l] + dp::c[j] * b.step[l], flat_, slope_);
      for (std::size_t i = 0; i < b.n; ++i) b.k[j][i * width + l] = slope_[i];
    }
  }

  // After a step: a run that is over, or has to go on alone, leaves its lane.
  void conclude(std::size_t lane, bool over) {
    Work& w = *lanes_[lane];
    if (w.result.trouble.kind == Trouble::other) {
      finish_alone(std::move(lanes_[lane]));
    } else if (over) {
      finished_.push_back(std::move(lanes_[lane]));
    } else if (w.result.counters.reorderings > 0) {
      guarded(w.result, options_, [&] { alone(w); });
      finish_alone(std::move(lanes_[lane]));
    }
    if (finished_.size() == width) check();
  }

  // ---- what follows the last step

  void check() {
    const std::vector<WorkPtr> works = std::exchange(finished_, {});
    std::array<bool, width> needs{};
    bool any = false, good = code::iterated(*pack_->program) == 0;  // iterations follow the steps, each run by its own
    for (std::size_t l = 0; l < works.size(); ++l) {
      Work& w = *works[l];
      guarded(w.result, options_, [&] { needs[l] = needs_check(w.problem, w.run.machine, w.result); });
      any |= needs[l];
    }
    if (any) {
      for (std::size_t l = 0; l < width; ++l) good = good && pack_->checking.enter(l, works[std::min(l, works.size() - 1)]->run.machine);
      good = good && std::none_of(works.begin(), works.end(), [](const WorkPtr& w) { return w->result.trajectory.size() == 0; }) &&
             outputs_good(pack_->checking, works);
    }
    for (std::size_t l = 0; l < works.size(); ++l) {
      Work& w = *works[l];
      guarded(w.result, options_, [&] { finish(w.run, good || !needs[l]); });
      w.result.counters.points = w.result.trajectory.size();
      give(w.index, w.problem, w.result);
    }
  }
  void finish_alone(WorkPtr w) {
    guarded(w->result, options_, [&] { finish(w->run); });
    w->result.counters.points = w->result.trajectory.size();
    give(w->index, w->problem, w->result);
  }

  void give(std::size_t index, Problem& p, Result& r) {
    outside([&] { s_.deliver(index, p, r); });
    const std::size_t done = ++s_.delivered;
    if (tells_ && s_.options.progress) outside([&] { s_.options.progress(static_cast<double>(done) / static_cast<double>(s_.count)); });
  }

  Shared& s_;
  Options options_;
  bool tells_, over_ = false;
  Clock::time_point begin_{};
  double elsewhere_s_ = 0;
  std::optional<Pack> pack_;
  std::size_t entered_ = 0;
  std::array<WorkPtr, width> lanes_;
  std::vector<WorkPtr> finished_;
  std::vector<double> flat_, slope_;
};

}  // namespace

BatchCounters simulate_batch(std::size_t count, const Supply& supply, const Options& options, const BatchOptions& batch,
                             const Deliver& deliver) {
  const std::size_t cores = batch.threads > 0 ? batch.threads : std::max(1u, std::thread::hardware_concurrency());
  const std::size_t threads = std::max<std::size_t>(1, std::min(cores, count));
  Shared shared{count, supply, options, batch, deliver};
  std::vector<std::unique_ptr<Worker>> workers;
  for (std::size_t k = 0; k < threads; ++k) workers.push_back(std::make_unique<Worker>(shared, k == 0));
  {
    std::vector<std::jthread> others;
    for (std::size_t k = 1; k < threads; ++k) others.emplace_back([&w = *workers[k]] { w.run(); });
    workers.front()->run();
  }
  BatchCounters c;
  c.threads = static_cast<unsigned>(threads);
  for (const auto& w : workers) {
    if (w->error) std::rethrow_exception(w->error);
    c.runs += w->runs;
    c.in_lanes += w->in_lanes;
    c.solve_s = std::max(c.solve_s, w->solve_s);
  }
  return c;
}

}  // namespace kron::simulate
