// Output roots at points of a trajectory. A failed evaluation gives a row of not-a-number.
//   Newton blocks that derivatives need start from what the run found there (SolutionPath). Where there are others, that only outputs need, an
//   evaluation starts from the one before it in time. Between points that are far from each other it goes by the ends of the run's steps: from
//   afar an iteration may arrive at another solution. check_outputs() walks over all points in this way and keeps what was found there; later
//   evaluations start from that. Without it, asking for single points walks the trajectory up to them, so that a point's values do not depend
//   on which other ones are asked for.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "engine/simulate/recorder.hpp"
#include "engine/simulate/run.hpp"

namespace kron::simulate {

namespace {

class Evaluator {
 public:
  // `free_values`: of Problem::free_parameters, where the problem does not hold them yet.
  Evaluator(const Problem& p, const Trajectory& tr, std::span<const double> free_values = {})
      : machine_(program(p, tr), p.backend), values_(code::output_size(*p.dynamics)), tr_(tr), events_(p.events.get()) {
    iterated_ = code::iterated(*program(p, tr));
    turns_ = machine_.turns();
    way_.resize(tr.path_.unknowns());
    machine_.tolerance(std::min(tr.store_ ? tr.store_->tolerance : 1e-6, 1e-8));
    set_inputs(machine_, p);
    machine_.history(tr.history_.get());
    set_free_parameters(machine_, p, free_values);
    usable_ = machine_.run_parameters(p.iteration_starts, tr.iterations_) == code::Status::ok;
  }
  const code::Machine<double>* machine() const { return usable_ ? &machine_ : nullptr; }
  // The one whose states the trajectory has.
  static std::shared_ptr<const code::Program> program(const Problem& p, const Trajectory& tr) {
    return tr.algebraic_ == p.algebraic ? p.dynamics : p.open_form()->program;
  }
  bool failed() const { return failed_; }  // the last evaluation
  const code::Failure& failure() const { return machine_.failure(); }

  bool walks() const { return iterated_ > way_.size(); }  // some steps are solved for outputs alone: their unknowns are followed from point to point
  std::size_t iterated() const { return iterated_; }  // unknowns of Newton steps
  void keep_solutions(std::vector<double>& list) const {
    list.resize(list.size() + iterated_);
    if (beside_.empty()) machine_.solutions(std::span(list).last(iterated_));
    else std::copy(beside_.begin(), beside_.end(), list.end() - static_cast<std::ptrdiff_t>(iterated_));
  }

  const std::vector<double>& at_point(std::size_t point) {
    walk(point);
    done_ = std::max(done_, point + 1);
    if (turns_ && largest_.empty() && point > 0 && is_known(point - 1)) run_point(point - 1);
    run_point(point);
    pass_over(tr_.time_[point]);
    return values_;
  }
  const std::vector<double>& at_time(double t, std::span<const double> y) {
    go_to(t);
    run(t, y);
    pass_over(t);
    return values_;
  }

 private:
  // Points before `point` that were not evaluated yet, if they matter. False: it is known what was found at the last of them.
  bool walk(std::size_t point) {
    if (point > 0 && !tr_.solutions_of_point(point - 1).empty()) return false;
    if (point == 0 || done_ >= point) return true;
    if (done_ == 0) run_point(0);
    done_ = std::max<std::size_t>(done_, 1);
    if (!walks()) return true;
    for (; done_ < point; ++done_) run_point(done_);
    return true;
  }
  bool is_known(std::size_t point) const { return !tr_.solutions_of_point(point).empty(); }
  void start_from(std::size_t point, bool leads) {
    if (!is_known(point)) return;
    machine_.start_from(tr_.solutions_of_point(point), code::Iterations::all, leads);
    last_.reset();  // nothing leads there from the point before
  }
  // To where an evaluation at t goes on from.
  void go_to(double t) {
    const auto after = static_cast<std::size_t>(std::upper_bound(tr_.time_.begin(), tr_.time_.end(), t) - tr_.time_.begin());
    if (after > 0) {
      if (!walk(after)) {
        const bool leads = after > 1 && is_known(after - 2) && tr_.mode_of_point(after - 2).data() == tr_.mode_of_point(after - 1).data();
        if (leads) run_point(after - 2);
        run_point(after - 1, leads);
      }
      follow(tr_.time_[after - 1], t);
    }
    set_mode(tr_.mode(t));
    prepare(tr_.choice(t), tr_.solution(t, way_));
  }

  // Where bars are in one line, speeds and forces are quotients of roundings. What they are on both sides of it they are there, too: values
  // that are none of both and not between them are replaced.
  void pass_over(double t) {
    constexpr double singular = 3e-3, far = 0.02, unlike = 10, digits = 1e-4;
    beside_.clear();
    if (failed_ || !is_singular(singular) || !(t > tr_.time_.front()) || !(t < tr_.time_.back())) return;
    const std::vector<double> here = values_;
    std::vector<double> passed = here;
    const double spacing = (tr_.time_.back() - tr_.time_.front()) / static_cast<double>(tr_.size());
    for (const double part : {1.0 / 64, 1.0 / 16, 1.0 / 4}) {  // the nearest that is far enough, or what is clear
      const double low = t - part * spacing, high = t + part * spacing;
      const auto is_near = [&](double at) { return at >= tr_.time_.front() && at <= tr_.time_.back() && tr_.mode(at).data() == tr_.mode(t).data(); };
      if (!is_near(low) || !is_near(high)) break;
      go_to(low);
      if (!run_clear(low, singular)) continue;
      const std::vector<double> values = values_, found = found_;
      prepare(tr_.choice(high), tr_.solution(high, way_));
      if (!run_clear(high, singular)) continue;
      for (std::size_t i = 0; i < here.size(); ++i) {
        const double mean = (values[i] + values_[i]) / 2;
        const bool is_like = std::fabs(here[i] - mean) <= unlike * std::fabs(values_[i] - values[i]) + digits * std::fabs(mean);
        passed[i] = is_like ? here[i] : mean;
      }
      beside_.resize(iterated_);
      for (std::size_t i = 0; i < iterated_; ++i) beside_[i] = (found[i] + found_[i]) / 2;
      if (!is_singular(far)) break;
    }
    failed_ = false;
    values_ = passed;
  }
  bool run_clear(double t, double clear) {
    std::vector<double> y(tr_.states());
    tr_.interpolate(t, y);
    run(t, y);
    return !failed_ && !is_singular(clear);
  }
  // Of the iterations' Jacobians at the last evaluation, in order of their size.
  void read_pivots() {
    machine_.turning_pivots(pivots_);
    std::sort(pivots_.begin(), pivots_.end());
    largest_.resize(pivots_.size(), 0.0);
    for (std::size_t k = 0; k < pivots_.size(); ++k) largest_[k] = std::max(largest_[k], pivots_[k]);
  }
  // One of them is this small against what it has been.
  bool is_singular(double part) const {
    for (std::size_t k = 0; k < pivots_.size(); ++k)
      if (pivots_[k] < part * largest_[k]) return true;
    return false;
  }
  // The ends of the run's steps inside (from, to), as far as steps were kept.
  void follow(double from, double to) {
    if (!walks() || !tr_.store_) return;
    const auto& steps = tr_.store_->steps;
    auto step = std::upper_bound(steps.begin(), steps.end(), from, [](double t, const auto& s) { return t < s.end; });
    std::vector<double> y(tr_.states());
    for (; step != steps.end() && step->end < to; ++step) {
      const double t = step->end;
      tr_.interpolate(t, y);
      set_mode(tr_.mode(t));
      prepare(tr_.choice(t), tr_.solution(t, way_));
      reach(t, y);
    }
  }
  const std::vector<double>& run_point(std::size_t point, bool leads = false) {
    const bool found = is_known(point);
    if (!found && point > 0) follow(tr_.time_[point - 1], tr_.time_[point]);
    set_mode(tr_.mode_of_point(point));
    prepare(tr_.choice_of_point(point), tr_.solution_of_point(point, way_));
    if (found) start_from(point, leads);
    run(tr_.time_[point], tr_.state(point));
    // Next to an event that guards a function's domain a point may be a last digit beyond it.
    const auto soon = [&](std::size_t next) { return next < tr_.size() && reached(tr_.time_[next], tr_.time_[point]); };
    std::size_t next = point + 1;
    while (soon(next) && tr_.mode_of_point(next).data() == mode_) ++next;
    if (soon(next) && std::any_of(values_.begin(), values_.end(), [](double x) { return !std::isfinite(x); })) {
      set_mode(tr_.mode_of_point(next));
      run(tr_.time_[point], tr_.state(point));
    }
    return values_;
  }
  void set_mode(std::span<const double> mode) {
    if (mode.data() == mode_) return;
    mode_ = mode.data();
    new_mode_ = true;
    machine_.trust();
    const auto discrete = machine_.inputs(code::InputKind::discrete);
    const auto pre = machine_.inputs(code::InputKind::pre);
    const std::size_t n = std::min(discrete.size(), mode.size());
    std::copy_n(mode.begin(), n, discrete.begin());
    std::copy_n(mode.begin() + static_cast<std::ptrdiff_t>(n), std::min(pre.size(), mode.size() - n), pre.begin());
  }
  // Newton's method starts where the run was, if that is known.
  void prepare(std::span<const std::uint32_t> choice, bool known) {
    machine_.choose(choice);
    known_ = known;
    if (known) machine_.start_from(way_, code::Iterations::of_derivatives);
  }
  const std::vector<double>& run(double t, std::span<const double> y) {
    failed_ = !usable_ || !reach(t, y);
    if (turns_ && !failed_) read_pivots();
    if (failed_) std::fill(values_.begin(), values_.end(), std::numeric_limits<double>::quiet_NaN());
    return values_;
  }

  // Where an iteration does not find its way from the point before, or may come to another solution, it goes there in smaller pieces, as the
  // run did.
  bool reach(double t, std::span<const double> y) {
    careful_ = walks() && last_ && *last_ < t && !found_.empty();
    const bool good = evaluate(t, y);
    if (std::exchange(careful_, false) && (!good || machine_.leapt()) && go_on(t, y)) return true;
    if (good) return last_ == t || evaluate(t, y);
    if (!last_ || *last_ == t) return false;
    std::vector<double> between(tr_.states());
    const std::vector<std::uint32_t> choice(machine_.choice().begin(), machine_.choice().end());
    const std::vector<double> way = way_;
    for (int pieces = 4; pieces <= 256; pieces *= 4) {
      const double from = *last_;
      bool fine = true;
      for (int k = 1; k < pieces && fine; ++k) {
        const double at = from + (t - from) * k / pieces;
        tr_.interpolate(at, between);
        set_mode(tr_.mode(at));
        prepare(tr_.choice(at), tr_.solution(at, way_));
        fine = evaluate(at, between);
      }
      machine_.choose(choice);
      if (known_) machine_.start_from(way, code::Iterations::of_derivatives);
      if (evaluate(t, y)) return true;
    }
    return false;
  }

  // From the point before, in pieces that are so short that the solution goes on as it was.
  bool go_on(double t, std::span<const double> y) {
    constexpr double shortest = 1.0 / 4096;  // where solutions cross no piece is short enough, but the next one leads on
    std::vector<double> between(tr_.states());
    const double whole = t - *last_;
    double from = *last_;
    machine_.start_from(found_);
    machine_.patient(false);
    int jumps = 0;  // over a point that the iteration does not get to
    for (double length = whole / 2; jumps < 4;) {
      const double to = from + length < t ? from + length : t;
      set_mode(tr_.mode(to));
      prepare(tr_.choice(to), tr_.solution(to, way_));
      if (to < t) tr_.interpolate(to, between);
      careful_ = length >= shortest * whole;
      const bool good = evaluate(to, to < t ? between : y), leapt = machine_.leapt();
      const bool in_vain = !std::exchange(careful_, false) && !good;
      if (!good || (leapt && length >= shortest * whole)) {
        jumps += in_vain;
        length *= in_vain ? 3.7 : 0.47;
        continue;
      }
      if (to == t) break;
      from = to;
      length *= 2;
      jumps = 0;
    }
    machine_.patient(true);
    if (*last_ == t) return true;
    set_mode(tr_.mode(t));
    prepare(tr_.choice(t), tr_.solution(t, way_));
    return false;
  }

  bool evaluate(double t, std::span<const double> y) {
    const auto finite = [&] { return std::all_of(values_.begin(), values_.end(), [](double x) { return std::isfinite(x); }); };
    const auto run_there = [&] {
      const bool good = machine_.output(t, y, values_) == code::Status::ok;
      if (good && !(careful_ && machine_.leapt())) {
        machine_.accept();
        found_.resize(iterated_);
        machine_.solutions(found_);
      }
      return good;
    };
    bool good = run_there();
    if (good && std::exchange(new_mode_, false) && machine_.audit()) good = run_there();
    // An event's answers hold up to its last digit, and where states rest at a border the digits of interpolation are beyond it.
    const bool beyond = !(good && finite()) && events_ != nullptr && evaluate_beyond(*events_, machine_, t, y, [&] { return run_there() && finite(); });
    if (good && !beyond && !finite()) run_there();
    if ((good || beyond) && !(careful_ && machine_.leapt())) last_ = t;
    return good || beyond;
  }

  code::Machine<double> machine_;
  std::vector<double> values_;
  const Trajectory& tr_;
  const EventModel* events_;
  bool usable_ = false, failed_ = false, new_mode_ = false, known_ = false;
  const double* mode_ = nullptr;  // the one that the machine's inputs are
  std::size_t done_ = 0;        // points walked over
  std::optional<double> last_;  // time of the last good evaluation
  std::vector<double> way_;     // what the run found near the next one
  std::vector<double> found_;   // by all iterations, at that evaluation
  std::vector<double> pivots_, largest_, beside_;  // largest_: so far, in order of their size; beside_: in place of found_, where that is singular
  bool careful_ = false;        // nothing is accepted where an iteration leapt
  std::size_t iterated_ = 0;    // unknowns of Newton steps
  bool turns_ = false;          // some are angles
};

void end_before(Trajectory& tr, std::size_t point) {
  tr.time_.resize(point);
  tr.state_.resize(point * tr.states_);
  tr.last_digits.clear();
}

std::string output_name(const Problem& p, std::size_t i) {
  return p.output_name ? p.output_name(i) : "output " + std::to_string(i + 1);
}

}  // namespace

std::string_view not_finite_text(double x) { return std::isnan(x) ? "is not a number" : "is infinite"; }

std::size_t variable_outputs(const Problem& p) {
  return p.assertions.empty() ? code::output_size(*p.dynamics) : p.assertions.front().condition;
}

bool assertions_hold(const Problem& p, double t, std::span<const double> outputs, bool constant_too, Trouble& trouble) {
  for (std::size_t k = 0; k < p.assertions.size(); ++k) {
    const Assertion& a = p.assertions[k];
    if (outputs[a.condition] != 0 || !(a.varies || constant_too)) continue;
    const auto values = outputs.subspan(a.condition + 1, a.values);
    AssertionText text = p.assertion_text ? p.assertion_text(k) : AssertionText{"an assertion does not hold", {}, {}};
    trouble = {};
    trouble.kind = Trouble::assertion;
    trouble.time = t;
    trouble.message = std::move(text.message);
    trouble.unknowns = std::move(text.values);
    trouble.values.assign(values.begin(), values.end());
    trouble.origin = std::move(text.origin);
    return false;
  }
  return true;
}

bool blame_outputs(const Problem& p, double t, std::span<const double> all, Trouble& trouble) {
  const auto outputs = all.first(variable_outputs(p));
  if (std::all_of(outputs.begin(), outputs.end(), [](double x) { return std::isfinite(x); })) return false;
  const auto order = [&](std::size_t i) { return i < p.output_order.size() ? p.output_order[i] : 0; };
  std::vector<std::size_t> first;  // those computed first
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (std::isfinite(outputs[i])) continue;
    if (!first.empty() && order(i) > order(first.front())) continue;
    if (!first.empty() && order(i) < order(first.front())) first.clear();
    first.push_back(i);
  }
  trouble = {};
  trouble.kind = Trouble::not_a_number;
  trouble.time = t;
  for (std::size_t k = 0; k < first.size() && k < 3; ++k) trouble.suspects.push_back(output_name(p, first[k]));
  if (p.output_origin) trouble.origin = p.output_origin(first.front());
  trouble.message = "`" + trouble.suspects.front() + "` " + std::string(not_finite_text(outputs[first.front()]));
  return true;
}

namespace {

// No output of the trajectory can be anything but finite: nothing has to be evaluated to know it.
bool bounded(const Problem& problem, const code::Machine<double>& machine, const Trajectory& tr) {
  const auto widen = [](std::vector<double>& largest, std::span<const double> values) {
    for (std::size_t i = 0; i < largest.size(); ++i) {
      const double size = std::fabs(values[i]);
      largest[i] = size <= largest[i] ? largest[i] : size;  // not a number stays
    }
  };
  double time = 0;
  std::vector<double> states(tr.states()), discrete(tr.modes_.empty() ? 0 : tr.modes_.front().inputs.size());
  for (std::size_t point = 0; point < tr.size(); ++point) {
    time = std::max(time, std::fabs(tr.time_[point]));
    widen(states, tr.state(point));
  }
  for (const Trajectory::Mode& m : tr.modes_) widen(discrete, m.inputs);
  const std::size_t now = std::min(discrete.size(), code::input_size(*problem.dynamics, code::InputKind::discrete));
  const std::span<const double> all(discrete);
  return machine.bounded(time, {states, all.first(now), all.subspan(now)});
}

}  // namespace

bool needs_check(const Problem& problem, const code::Machine<double>& machine, const Result& result) {
  if (result.trouble.kind == Trouble::interrupted || code::output_size(*problem.dynamics) == 0) return false;
  if (code::iterated(*problem.dynamics) > 0) return true;
  const bool varies = std::any_of(problem.assertions.begin(), problem.assertions.end(), [](const Assertion& a) { return a.varies; });
  return varies || !bounded(problem, machine, result.trajectory);
}

void check_outputs(const Problem& problem, const Options& options, Result& result) {
  Trajectory& tr = result.trajectory;
  if (result.trouble.kind == Trouble::interrupted || code::output_size(*problem.dynamics) == 0) return;
  Evaluator evaluator(problem, tr, result.free_values);
  if (evaluator.machine() && !needs_check(problem, *evaluator.machine(), result)) return;
  constexpr std::size_t most = std::size_t{8} << 20;  // solutions in all: 64 MB
  tr.iterated_ = evaluator.iterated();
  const bool keeps = evaluator.walks() && tr.iterated_ * tr.size() <= most;
  for (std::size_t point = 0; point < tr.size(); ++point) {
    if (options.interrupt && options.interrupt->load(std::memory_order_relaxed)) return;
    const auto& values = evaluator.at_point(point);
    const double t = tr.time_[point];
    if (evaluator.failed()) {
      result.trouble = {};
      report_block(problem, false, t, evaluator.failure(), result.trouble);
    } else if (!blame_outputs(problem, t, values, result.trouble)) {
      if (keeps) evaluator.keep_solutions(tr.solutions_);
      if (assertions_hold(problem, t, values, false, result.trouble)) continue;
      return end_before(tr, point + 1);
    }
    return end_before(tr, point);
  }
}

std::vector<std::vector<double>> outputs(const Problem& problem, const Trajectory& tr,
                                         std::span<const std::size_t> points) {
  std::vector<std::vector<double>> rows(points.size());
  std::vector<std::size_t> order(points.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return points[a] < points[b]; });
  Evaluator evaluator(problem, tr);
  for (const std::size_t i : order)
    if (points[i] < tr.size()) rows[i] = evaluator.at_point(points[i]);
  return rows;
}

std::vector<double> outputs_at(const Problem& problem, const Trajectory& tr, double t) {
  if (tr.size() == 0) return {};
  std::vector<double> y(tr.states());
  tr.interpolate(t, y);
  return Evaluator(problem, tr).at_time(std::clamp(t, tr.time_.front(), tr.time_.back()), y);
}

std::vector<std::vector<double>> output_columns(const Problem& problem, const Trajectory& tr,
                                                std::span<const std::size_t> wanted) {
  std::vector<std::vector<double>> columns(wanted.size(), std::vector<double>(tr.size()));
  if (wanted.empty()) return columns;
  Evaluator evaluator(problem, tr);
  for (std::size_t point = 0; point < tr.size(); ++point) {
    const auto& values = evaluator.at_point(point);
    for (std::size_t k = 0; k < wanted.size(); ++k) columns[k][point] = values[wanted[k]];
  }
  return columns;
}

}  // namespace kron::simulate
