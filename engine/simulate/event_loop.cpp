#include "engine/simulate/event_loop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/code/precision.hpp"
#include "engine/simulate/exact.hpp"
#include "engine/simulate/run.hpp"

namespace kron::simulate {

using code::InputKind;
using code::Status;
using Kind = EventTerm::Kind;

namespace {

using std::ceil;
using std::fabs;
using std::isnan;
using std::round;

template <class T>
T floor_of(const T& x) {
  using std::floor;
  return floor(x);
}

}  // namespace

template <class T>
EventLoopOf<T>::EventLoopOf(Run& run, code::Machine<T>& machine)
    : run_(run),
      machine_(machine),
      m_(*run.problem.events),
      start_(from_setting<T>(run.options.start)),
      stop_(from_setting<T>(run.options.stop)),
      limit_(stop_),
      left_time_(-infinity<T>) {
  const Problem& p = run.problem;
  input_.assign(m_.inputs(), T(0));
  input_[EventModel::initial] = 1;
  pre_.assign(m_.remembered.size(), T(0));
  std::vector<T> starts(m_.variables);
  fill_exact<T>(starts, p.exact_discrete_starts, p.discrete_starts);
  for (std::size_t k = 0; k < m_.variables; ++k) input_[m_.variable(k)] = pre_[k] = starts[k];
  new_ = input_;
  roots_.resize(code::event_size(*p.dynamics));
  held_.assign(m_.terms.size(), false);
  samples_.assign(m_.terms.size(), 0);
  scale_.assign(m_.terms.size(), {T(0), T(0)});
  felt_.assign(m_.terms.size(), T(0));
  excursion_ = unheeded_ = margin_ = swing_ = felt_;
  idle_.assign(m_.terms.size(), 0);
  unmoved_ = idle_;
  changes_.assign(m_.terms.size(), {});
  changed_.assign(m_.terms.size(), 0);
  varied_.assign(m_.variables, 0);
  accepted_.assign(m_.terms.size(), false);
  at_rest_ = resets_ = in_vain_ = accepted_;
  returns_since_.assign(m_.terms.size(), -infinity<T>);
  open_until_ = returns_since_;
  for (const EventTerm& x : m_.terms)
    if (is_searched(x)) searches_ = true, driven_ = driven_ || x.driven;
  if (!std::is_same_v<T, double> || !has_delays(p)) return;
  delays_.emplace(m_, run.options.tolerance);
  delays_->begin(run.options.start, std::vector<double>(roots_.size()));
  run.past_is_open = true;
  for (std::size_t k = 0; k < m_.terms.size(); ++k)
    if (m_.terms[k].kind == Kind::delay) input_[m_.term(k)] = delays_->first_place(k);
  run.result.trajectory.history_ = delays_->history();
}

template <class T>
template <class U>
void EventLoopOf<T>::load(code::Machine<U>& machine) const {
  const auto put = [&](InputKind kind, const std::vector<T>& values) {
    const auto to = machine.inputs(kind);
    for (std::size_t i = 0; i < std::min(values.size(), to.size()); ++i) to[i] = static_cast<U>(values[i]);
  };
  put(InputKind::discrete, input_);
  put(InputKind::pre, pre_);
  if (delays_) machine.history(delays_->history().get());
}
template <class T>
void EventLoopOf<T>::store() {
  load(machine_);
  if (&form() != &machine_) load(form());
}

// At an event the closed form: its unknowns follow from the states.
template <class T>
code::Machine<T>& EventLoopOf<T>::form() const {
  if constexpr (std::is_same_v<T, double>)
    if (run_.closed) return *run_.closed;
  return machine_;
}
template <class T>
bool EventLoopOf<T>::evaluate(const T& t, std::span<const T> y) {
  return evaluate(form(), t, y.first(states()));
}
template <class T>
bool EventLoopOf<T>::evaluate(code::Machine<T>& machine, const T& t, std::span<const T> y) {
  const auto roots = [&] { return machine.events(t, y, roots_) == Status::ok; };
  known_ = roots();
  by_live_ = !known_ && evaluate_live(m_, machine, roots);
  known_ = known_ || by_live_;
  const auto missing = [&](std::uint32_t root) { return isnan(roots_[root]); };
  return known_ && std::none_of(m_.terms.begin(), m_.terms.end(), [&](const EventTerm& x) { return missing(x.root); }) &&
         std::none_of(m_.remembered.begin(), m_.remembered.end(), [&](const Remembered& x) { return missing(x.root); });
}
template <class T>
bool EventLoopOf<T>::assembled(const T& t, std::vector<T>& y) {
  if (!assemble_ || assemble_(y)) return true;
  if (!m_.lives) return false;
  input_[EventModel::live] = 1;
  const bool found = assemble_(y);
  input_[EventModel::live] = 0;
  if (found) {
    run_.result.trouble = {};
    evaluate(t, y);
  }
  return false;
}
// In another combination of inputs other pivots are good.
template <class T>
bool EventLoopOf<T>::evaluate_anew(const T& t, std::span<const T> y) {
  form().trust();
  bool good = evaluate(t, y);
  if (by_live_) {
    evaluate_live(m_, form(), [&] {  // where iterations begin with what is held
      const bool known = form().events(t, y.first(states()), roots_) == Status::ok;
      if (known) form().accept();
      return known;
    });
    return false;
  }
  if (!good && known_) {
    std::vector<T> last(states());
    for (std::size_t i = 0; i < last.size(); ++i) last[i] = digits * epsilon<T> * std::max(T(fabs(y[i])), T(run_.scale[i]));
    good = form().feel(t, y.first(states()), last) && evaluate(t, y);
  }
  return good && (!form().audit() || evaluate(t, y));
}
template <class T>
std::size_t EventLoopOf<T>::states() const {
  return run_.states - run_.problem.algebraic;
}
template <class T>
void EventLoopOf<T>::put_down(const T& t, const std::vector<T>& y) {
  const auto to = run_.recorder.add_point(static_cast<double>(t));
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<double>(y[i]);
}
// The machine could not be evaluated at an event, or what it gives decides nothing.
template <class T>
void EventLoopOf<T>::complain(const T& t, const std::vector<T>& y, Trouble::Kind kind, std::string message) {
  std::vector<std::size_t> undecided;
  for (std::size_t k = 0; known_ && k < m_.terms.size(); ++k)
    if (isnan(roots_[m_.terms[k].root])) undecided.push_back(k);
  if (const Namer& name = run_.problem.event_names.term; name && !undecided.empty())
    return accuse(t, Trouble::not_a_number, "`" + name(undecided.front()).text + "` cannot be decided: what it compares is not a number", name, undecided);
  if constexpr (!std::is_same_v<T, double>) load(run_.machine);
  const auto time = static_cast<double>(t);
  note_failure(run_.complaint, time, in_doubles<T>(y), form().failure());
  fail(run_, time, kind, std::move(message));
}

// ---- values of terms

// What time decides counts as it is right behind t, and while initialising as it is at t.
template <class T>
T EventLoopOf<T>::relation(std::size_t k, const T& t) const {
  const EventTerm& x = m_.terms[k];
  const T slope = x.slope == EventTerm::none ? T(0) : roots_[x.slope];
  if (slope == 0) return (x.strict ? roots_[x.root] > 0 : roots_[x.root] >= 0) ? 1 : 0;
  const T moment = -roots_[x.slope + 1] / slope;
  const bool behind = reached(moment, t);
  if (input_[EventModel::initial] != 0 && behind && reached(t, moment)) return x.strict ? 0 : 1;
  return behind == (slope > 0) ? 1 : 0;
}

template <class T>
T EventLoopOf<T>::floor(std::size_t k, const T& t) const {
  const EventTerm& x = m_.terms[k];
  const T slope = x.slope == EventTerm::none ? T(0) : roots_[x.slope];
  if (slope == 0) return floor_of(roots_[x.root]);
  const T value = slope * t + roots_[x.slope + 1], whole = round(value);
  if (fabs(value - whole) > 32 * epsilon<T> * (fabs(slope * t) + fabs(roots_[x.slope + 1]) + fabs(whole))) return floor_of(value);
  return slope > 0 ? whole : whole - 1;
}

template <class T>
void EventLoopOf<T>::propose(const T& t) {
  new_ = input_;
  for (std::size_t k = 0; k < m_.terms.size(); ++k) {
    T& value = new_[m_.term(k)];
    if (isnan(roots_[m_.terms[k].root]) || (accepted_[k] && close(k))) continue;
    switch (m_.terms[k].kind) {
      case Kind::relation: value = relation(k, t); break;
      case Kind::floor: value = floor(k, t); break;
      case Kind::edge: value = roots_[m_.terms[k].root] != 0 && !held_[k] ? 1 : 0; break;
      case Kind::sample: case Kind::table: break;
      case Kind::delay:
        if constexpr (std::is_same_v<T, double>) value = delays_->place(k, t, roots_, value);
        break;
    }
  }
  for (std::size_t k = 0; k < m_.variables; ++k)
    if (const T x = roots_[m_.remembered[k].root]; !isnan(x)) new_[m_.variable(k)] = x;
}

// Zero but for rounding.
template <class T>
bool EventLoopOf<T>::close(std::size_t k) const {
  const EventTerm& x = m_.terms[k];
  if (x.size == EventTerm::none) return false;
  const T size = fabs(roots_[x.root]);
  return size <= doubt * epsilon<T> * std::max({roots_[x.size], scale(k), T(least_scale)}) || size <= 4 * felt * felt_[k];
}

// ---- iteration

// Present values become those before; true where any is another.
template <class T>
bool EventLoopOf<T>::remember() {
  bool any = false;
  restless_.clear();
  restless_terms_.clear();
  for (std::size_t k = 0; k < m_.terms.size(); ++k)
    if (m_.terms[k].kind == Kind::edge) {
      const bool holds = roots_[m_.terms[k].root] != 0;
      if (holds != held_[k]) any = true, restless_terms_.push_back(k);
      held_[k] = holds;
    }
  for (std::size_t k = 0; k < pre_.size(); ++k)
    if (const T now = roots_[m_.remembered[k].root]; !same(now, pre_[k])) {
      any = any || m_.remembered[k].discrete;
      if (k < m_.variables) restless_.push_back(k);
      pre_[k] = now;
    }
  return any;
}

// What continuous variables were before the event: the values in the roots.
template <class T>
void EventLoopOf<T>::recall() {
  for (std::size_t k = m_.variables; k < pre_.size(); ++k) pre_[k] = roots_[m_.remembered[k].root];
}

// Ends the run, with the first few of those to blame.
template <class T>
void EventLoopOf<T>::accuse(const T& t, Trouble::Kind kind, std::string message, const Namer& name, std::span<const std::size_t> list, std::size_t most) {
  Trouble& trouble = run_.result.trouble;
  trouble = {};
  trouble.kind = kind;
  trouble.time = static_cast<double>(t);
  trouble.message = std::move(message);
  for (const std::size_t k : list.first(name ? std::min(most, list.size()) : 0)) {
    const EventNames::Named named = name(k);
    if (trouble.unknowns.empty()) trouble.origin = {named.text, named.place};
    trouble.unknowns.push_back(named.text);
  }
}

// Of the event that is being handled or has just been, or of one that only outputs show: they end before its right side.
template <class T>
std::vector<std::string> EventLoopOf<T>::changed_at(double t) const {
  constexpr std::size_t most = 4;
  constexpr double just = 1e-6;  // of the run
  std::vector<std::string> list;
  const auto note = [&](const auto& before, const auto& now) {
    for (std::size_t k = 0; k < m_.terms.size() && list.size() < most; ++k)
      if (const auto x = now[m_.term(k)]; m_.terms[k].kind == Kind::relation && before[m_.term(k)] != x)
        list.push_back("`" + run_.problem.event_names.term(k).text + "` had just become " + (x != 0 ? "true" : "false"));
  };
  if (!run_.problem.event_names.term) return list;
  const Trajectory& tr = run_.result.trajectory;
  const auto happened = static_cast<double>(event_time_);
  const auto mode = std::find_if(tr.modes_.begin(), tr.modes_.end(), [&](const Trajectory::Mode& m) { return m.first == tr.size(); });
  if (std::fabs(t - happened) <= just * static_cast<double>(stop_ - start_)) note(before_event_, input_);
  else if (mode != tr.modes_.end() && mode != tr.modes_.begin()) note(std::prev(mode)->inputs, mode->inputs);
  return list;
}

template <class T>
bool EventLoopOf<T>::no_combination(const T& t) {
  accuse(t, Trouble::event_iteration, "no combination of the relations fits the equations: each set of answers contradicts itself",
         run_.problem.event_names.term, blame_);
  return false;
}

template <class T>
bool EventLoopOf<T>::iterate(const T& t, std::vector<T>& y) {
  constexpr int most = 1000;
  for (int round = 0; round < most; ++round) {
    switch (settle(t, y)) {
      case Stay::yes: break;
      case Stay::no: return no_combination(t);
      case Stay::failed:
        if (run_.result.trouble.kind != Trouble::none) return false;
        complain(t, y, Trouble::block, "the model cannot be evaluated at an event");
        return false;
    }
    const std::optional<bool> given = act(t, y);
    if (!given) return false;
    const bool acted = *given, changed = remember();
    if (acted && pre_.size() > m_.variables) {  // the next round is behind what `reinit` did
      store();
      if (evaluate(t, y)) recall();
    }
    if (acted || changed) continue;
    bool moment = false;
    for (std::size_t k = 0; k < m_.terms.size(); ++k)
      if (m_.terms[k].kind == Kind::sample && input_[m_.term(k)] != 0) input_[m_.term(k)] = 0, moment = true;
    if (input_[EventModel::initial] != 0) {  // the first samples come behind the initialisation
      input_[EventModel::initial] = 0;
      moment = true;
      assemble_ = {};
      sample(t);
    }
    if (!moment) {
      for (std::size_t k = 0; k < m_.variables; ++k)
        if (const T x = input_[m_.variable(k)]; m_.remembered[k].whole && !isnan(x) && x != floor_of(x)) {
          const Namer& name = run_.problem.event_names.variable;
          accuse(t, Trouble::event_iteration, "`" + name(k).text + "` is an Integer and is given " + to_text(static_cast<double>(x)), name, {&k, 1});
          return false;
        }
      form().accept();
      if constexpr (std::is_same_v<T, double>)
        if (run_.closed) return algebraic_values(run_, t, y);
      return true;
    }
  }
  if (restless_.empty())
    accuse(t, Trouble::event_iteration, "the event does not come to rest: what it sets causes it anew", run_.problem.event_names.term, restless_terms_);
  else
    accuse(t, Trouble::event_iteration, "the discrete variables do not come to rest: each change causes another one", run_.problem.event_names.variable,
           restless_);
  return false;
}

// ---- the start

template <class T>
bool EventLoopOf<T>::start(std::vector<T>& y, const std::function<bool(std::vector<T>&)>& assemble) {
  const T t = start_;
  assemble_ = assemble;
  // Conditions that hold at the start have not become true there, but for those that ask for it.
  for (std::size_t k = 0; k < m_.terms.size(); ++k) held_[k] = m_.terms[k].kind == Kind::edge && !m_.terms[k].at_start;
  switch (delays_ ? settle_past(t, y) : settle(t, y)) {
    case Stay::yes: break;
    case Stay::no: return no_combination(t);
    case Stay::failed:
      if (run_.result.trouble.kind != Trouble::none) return false;
      complain(t, y, Trouble::initialisation, "the model cannot be evaluated");
      return false;
  }
  if (std::exchange(run_.past_is_open, false) && run_.problem.surplus > 0 && !assemble(y)) return false;  // what was only to be checked
  assemble_ = {};
  if (!run_.problem.assertions.empty()) {  // while initial() holds
    std::vector<T> values(code::output_size(*run_.problem.dynamics));
    if (form().output(t, std::span(y).first(states()), values) == Status::ok &&
        !assertions_hold(run_.problem, run_.options.start, in_doubles<T>(values), true, run_.result.trouble))
      return false;
  }
  for (std::size_t k = 0; k < m_.terms.size(); ++k)
    if (m_.terms[k].kind == Kind::edge && !m_.terms[k].at_start) held_[k] = roots_[m_.terms[k].root] != 0;
  for (std::size_t k = 0; k < m_.terms.size(); ++k)
    if (const EventTerm& x = m_.terms[k]; x.kind == Kind::sample) {
      const T first = roots_[x.root], interval = roots_[x.root + 1];
      if (!(interval > 0)) {
        accuse(t, Trouble::event_iteration, "the interval of `sample` is " + to_text(static_cast<double>(interval)) + ": it must be positive", run_.problem.event_names.term,
               {&k, 1});
        return false;
      }
      samples_[k] = first >= t ? 0 : static_cast<std::uint64_t>(ceil((t - first) / interval * (1 - 4 * epsilon<T>)));
    }
  recall();
  if (!iterate(t, y)) return false;
  feel_anew(t, y);
  plan(t);
  put_mode();
  return true;
}

// ---- moments that time decides

template <class T>
T EventLoopOf<T>::moment(std::size_t k) const {
  const EventTerm& x = m_.terms[k];
  if (x.kind == Kind::sample) return roots_[x.root] + static_cast<T>(samples_[k]) * roots_[x.root + 1];
  if (x.slope == EventTerm::none || roots_[x.slope] == 0) return infinity<T>;
  if constexpr (std::is_same_v<T, double>)
    if (x.kind == Kind::delay) return delays_->moment(k, roots_, input_[m_.term(k)]);
  const T slope = roots_[x.slope], value = roots_[x.slope + 1], now = input_[m_.term(k)];
  if (x.kind == Kind::relation) return (now != 0) == (slope < 0) ? -value / slope : infinity<T>;
  return ((slope > 0 ? now + 1 : now) - value) / slope;
}

// When what a table in time is looked up with passes the next row.
template <class T>
T EventLoopOf<T>::next_row(std::size_t k, const T& t) const {
  const EventTerm& x = m_.terms[k];
  if (x.row_count == 0 || roots_[x.slope] == 0) return infinity<T>;
  const T slope = roots_[x.slope], value = roots_[x.slope + 1], here = slope * t + value;
  const auto first = roots_.begin() + x.rows, last = first + x.row_count;
  auto row = slope > 0 ? std::upper_bound(first, last, here) : std::lower_bound(first, last, here);
  const auto over = [&] { return row == (slope > 0 ? last : first); };
  const auto at = [&] { return T(((slope > 0 ? *row : row[-1]) - value) / slope); };
  while (!over() && reached(at(), t)) row += slope > 0 ? 1 : -1;
  return over() ? infinity<T> : at();
}

template <class T>
void EventLoopOf<T>::plan(const T& t) {
  limit_ = stop_;
  for (std::size_t k = 0; k < m_.terms.size(); ++k) {
    if (m_.terms[k].kind == Kind::edge) continue;
    const T at = m_.terms[k].kind == Kind::table ? next_row(k, t) : moment(k);
    if (at < limit_ && !reached(at, t) && !reached(stop_, at)) limit_ = at;  // at the stop the last event has it
  }
}

// ---- an event

template <class T>
void EventLoopOf<T>::put_mode() {
  Trajectory& tr = run_.result.trajectory;
  std::vector<double> values = in_doubles<T>(input_);
  for (const T& x : pre_) values.push_back(static_cast<double>(x));
  if (!tr.modes_.empty() && tr.modes_.back().inputs == values) return;
  tr.modes_.push_back({tr.size(), std::move(values)});
}

template <class T>
bool EventLoopOf<T>::sample(const T& t) {
  bool any = false;
  for (std::size_t k = 0; k < m_.terms.size(); ++k)
    if (m_.terms[k].kind == Kind::sample && reached(moment(k), t)) {
      input_[m_.term(k)] = 1;
      ++samples_[k];
      ++changed_[k];
      any = true;
    }
  return any;
}

template <class T>
auto EventLoopOf<T>::handle(const T& t, std::vector<T>& y) -> Next {
  constexpr double forgotten = 1e4;  // times what a relation's terms are now, or 1
  before_event_ = input_;
  event_time_ = t;
  store();
  if (!evaluate(t, y)) {
    complain(t, y, Trouble::block, "the model cannot be evaluated at an event");
    return Next::ended;
  }
  if (lost_) {
    accuse(t, Trouble::chattering, "events follow each other ever faster, until the times between them cannot be told apart", run_.problem.event_names.term,
           {&*lost_, 1});
    return Next::ended;
  }
  recall();
  const std::vector<T> before = input_, memory = pre_, left = y, left_roots = roots_;
  const std::vector<std::size_t> pointed = std::exchange(pointed_, {});
  accepted_.assign(m_.terms.size(), false);
  looked_ahead_ = false;
  bool by_time = sample(t);
  const auto points = run_.result.trajectory.time();
  if (points.empty() || points.back() != static_cast<double>(t)) put_down(t, y);
  if (!iterate(t, y)) return Next::ended;
  bool restart = false, changed = by_time;
  std::optional<unsigned> generation;  // of the pieces that begin here, if the derivatives may jump
  const auto jumps = [&](unsigned g) { generation = std::min(generation.value_or(g), g); };
  for (std::size_t i = 0; i < y.size(); ++i)
    if (!same(left[i], y[i])) {
      restart = restart || i < states();
      if constexpr (std::is_same_v<T, double>) new_scale(run_, i, y[i]);
    }
  const bool set_anew = restart;
  if (restart) jumps(0);
  bool astray = false;  // unknowns of an open form: the event is none of theirs, but they are not what the states make of them
  if constexpr (std::is_same_v<T, double>)
    for (std::size_t i = states(); i < y.size(); ++i) astray = astray || std::fabs(left[i] - y[i]) * weight(run_, i, y[i]) > 1;
  for (std::size_t k = 0; k < m_.terms.size(); ++k)
    if (!same(before[m_.term(k)], input_[m_.term(k)])) {
      changed = true;
      Changes& c = changes_[k][input_[m_.term(k)] != 0 ? 1 : 0];
      const bool two_at_once = t - c.last < 1e-4 * c.gap && c.gap > 0.02 * (stop_ - start_);  // at one hit, long after the others
      c.shrinking = t - c.last < 0.99 * c.gap && !two_at_once ? c.shrinking + 1 : 0;
      c.gap = t - c.last;
      c.last = t;
      idle_[k] = is_searched(m_.terms[k]) && excursion_[k] <= 50 * tolerance(k) ? idle_[k] + 1 : 0;  // where time decides, no rounding does
      excursion_[k] = 0;
      restart = restart || m_.terms[k].matters;
      if (set_anew) resets_[k] = true;
      const bool arrives = m_.terms[k].kind == Kind::delay;
      if (m_.terms[k].matters) jumps(arrives ? delays_->generation(k, static_cast<double>(input_[m_.term(k)])) + 1 : 0);
      changed_[k] += arrives ? 0 : 1;
      by_time = by_time || m_.terms[k].slope != EventTerm::none;
    }
  const std::vector<T> answers(before.begin() + EventModel::first_term, before.begin() + static_cast<std::ptrdiff_t>(m_.variable(0)));
  if (!std::equal(answers.begin(), answers.end(), input_.begin() + EventModel::first_term, same<T>)) {
    for (std::size_t k = 0; k < answers.size(); ++k)
      if (!same(answers[k], input_[m_.term(k)])) unmoved_[k] = 0;
    lately_[next_left_++ % lately_.size()] = {t, answers};
  }
  for (const std::size_t k : pointed)
    if (same(before[m_.term(k)], input_[m_.term(k)])) ++unmoved_[k];
  for (std::size_t k = 0; k < pre_.size(); ++k)
    if (!same(memory[k], pre_[k])) {
      changed = true;
      if (k < varied_.size()) ++varied_[k];
      restart = restart || m_.remembered[k].matters;
      if (m_.remembered[k].matters && m_.remembered[k].discrete) jumps(0);
    }
  const bool given = !std::equal(memory.begin(), memory.end(), pre_.begin(), same<T>);
  for (std::size_t k = 0; given && k < m_.terms.size(); ++k)  // a limit of 1e30 until there is one
    if (const EventTerm& x = m_.terms[k]; x.size != EventTerm::none && !isnan(roots_[x.size]))
      for (T& s : scale_[k]) s = std::min(s, T(forgotten * (1 + roots_[x.size])));
  if (changed || restart) feel_anew(t, y);
  watch_returns(t, left, y, before, set_anew, restart);
  if constexpr (std::is_same_v<T, double>)
    if (delays_) delays_->begin_pieces(t, left_roots, roots_, generation);
  plan(t);
  left_time_ = -infinity<T>;
  if (changed || restart) {
    put_mode();
    put_down(t, y);
    run_.result.trajectory.path_.begin_piece(run_.result.trajectory.size() - 1);
    if (&form() == &machine_) keep_solution(run_, machine_);
    ++run_.counters().events;
    ++(by_time ? run_.counters().time_events : run_.counters().state_events);
  }
  if (terminated_ && input_[EventModel::terminal] == 0) return finish(t, y), Next::ended;
  if (terminated_ || chatters(t, pointed)) return Next::ended;
  return restart || astray ? Next::restart : Next::go_on;
}

template <class T>
auto EventLoopOf<T>::finish(const T& t, std::vector<T>& y) -> Next {
  const auto outputs = [&](int terminal) {
    std::vector<T> values(code::output_size(*run_.problem.dynamics));
    input_[EventModel::terminal] = terminal;
    store();
    if (form().output(t, std::span(y).first(states()), values) != Status::ok) values.clear();
    return values;
  };
  const std::size_t modes = run_.result.trajectory.modes_.size();
  input_[EventModel::terminal] = 1;
  const Next next = handle(t, y);
  if (run_.result.trouble.kind != Trouble::none || run_.result.trajectory.modes_.size() != modes) return next;
  const std::vector<T> without = outputs(0), with = outputs(1);  // what reads terminal() outside of a `when`
  if (std::equal(with.begin(), with.end(), without.begin(), without.end(), same<T>)) return next;
  put_mode();
  put_down(t, y);
  return next;
}

template class EventLoopOf<double>;
template class EventLoopOf<code::Float50>;
template class EventLoopOf<code::Float100>;
template class EventLoopOf<code::Float250>;
template void EventLoopOf<double>::load(code::Machine<double>&) const;
template void EventLoopOf<code::Float50>::load(code::Machine<code::Float50>&) const;
template void EventLoopOf<code::Float100>::load(code::Machine<code::Float100>&) const;
template void EventLoopOf<code::Float250>::load(code::Machine<code::Float250>&) const;
template void EventLoopOf<code::Float50>::load(code::Machine<double>&) const;
template void EventLoopOf<code::Float100>::load(code::Machine<double>&) const;
template void EventLoopOf<code::Float250>::load(code::Machine<double>&) const;

}  // namespace kron::simulate
