#include "engine/simulate/event_loop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "engine/simulate/run.hpp"

namespace kron::simulate {

using code::InputKind;
using code::Status;
using Kind = EventTerm::Kind;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();

// Moments that differ by the rounding of how they were computed are one.
bool reached(double moment, double t) { return moment <= t + 16 * epsilon * std::max(std::fabs(t), std::fabs(moment)); }

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

EventLoop::EventLoop(Run& run) : run_(run), m_(*run.problem.events), limit_(run.stop()), left_time_(-infinity) {
  input_.assign(m_.inputs(), 0);
  input_[EventModel::initial] = 1;
  pre_.assign(m_.remembered.size(), 0);
  for (std::size_t k = 0; k < m_.variables && k < run.problem.discrete_starts.size(); ++k)
    input_[m_.variable(k)] = pre_[k] = run.problem.discrete_starts[k];
  new_ = input_;
  roots_.resize(code::event_size(*run.problem.dynamics));
  held_.assign(m_.terms.size(), false);
  samples_.assign(m_.terms.size(), 0);
  scale_.assign(m_.terms.size(), 0);
  changed_.assign(m_.terms.size(), 0);
  accepted_.assign(m_.terms.size(), false);
  for (const EventTerm& x : m_.terms)
    searches_ = searches_ || is_searched(x);
}

void EventLoop::load(code::Machine<double>& machine) const {
  const auto put = [&](InputKind kind, const std::vector<double>& values) {
    const auto to = machine.inputs(kind);
    std::copy_n(values.begin(), std::min(values.size(), to.size()), to.begin());
  };
  put(InputKind::discrete, input_);
  put(InputKind::pre, pre_);
}
void EventLoop::store() {
  load(run_.machine);
  if (run_.closed) load(*run_.closed);
}

// At an event the closed form: its unknowns follow from the states.
bool EventLoop::evaluate(double t, std::span<const double> y) { return run_.closed ? evaluate(*run_.closed, t, y.first(states())) : evaluate(run_.machine, t, y); }
bool EventLoop::evaluate(code::Machine<double>& machine, double t, std::span<const double> y) {
  known_ = machine.events(t, y, roots_) == Status::ok;
  const auto missing = [&](std::uint32_t root) { return std::isnan(roots_[root]); };
  return known_ && std::none_of(m_.terms.begin(), m_.terms.end(), [&](const EventTerm& x) { return missing(x.root); }) &&
         std::none_of(m_.remembered.begin(), m_.remembered.end(), [&](const Remembered& x) { return missing(x.root); });
}
std::size_t EventLoop::states() const { return run_.states - run_.problem.algebraic; }
const code::Failure& EventLoop::failure() const { return run_.closed ? run_.closed->failure() : run_.machine.failure(); }

// ---- values of terms

// What time decides counts as it is right behind t.
double EventLoop::relation(std::size_t k, double t) const {
  const EventTerm& x = m_.terms[k];
  const double slope = x.slope == EventTerm::none ? 0 : roots_[x.slope];
  if (slope == 0) return (x.strict ? roots_[x.root] > 0 : roots_[x.root] >= 0) ? 1 : 0;
  const bool behind = reached(-roots_[x.slope + 1] / slope, t);
  return behind == (slope > 0) ? 1 : 0;
}

double EventLoop::floor(std::size_t k, double t) const {
  const EventTerm& x = m_.terms[k];
  const double slope = x.slope == EventTerm::none ? 0 : roots_[x.slope];
  if (slope == 0) return std::floor(roots_[x.root]);
  const double value = slope * t + roots_[x.slope + 1], whole = std::round(value);
  if (std::fabs(value - whole) > 32 * epsilon * (std::fabs(slope * t) + std::fabs(roots_[x.slope + 1]) + std::fabs(whole))) return std::floor(value);
  return slope > 0 ? whole : whole - 1;
}

void EventLoop::propose(double t) {
  new_ = input_;
  for (std::size_t k = 0; k < m_.terms.size(); ++k) {
    double& value = new_[m_.term(k)];
    if (std::isnan(roots_[m_.terms[k].root]) || (accepted_[k] && close(k))) continue;
    switch (m_.terms[k].kind) {
      case Kind::relation: value = relation(k, t); break;
      case Kind::floor: value = floor(k, t); break;
      case Kind::edge: value = roots_[m_.terms[k].root] != 0 && !held_[k] ? 1 : 0; break;
      case Kind::sample: break;
    }
  }
  for (std::size_t k = 0; k < m_.variables; ++k)
    if (const double x = roots_[m_.remembered[k].root]; !std::isnan(x)) new_[m_.variable(k)] = x;
}

// Zero but for rounding.
bool EventLoop::close(std::size_t k) const {
  const EventTerm& x = m_.terms[k];
  return x.size != EventTerm::none && std::fabs(roots_[x.root]) <= 1e-11 * std::max(roots_[x.size], scale_[k]);
}

// ---- iteration

EventLoop::Stay EventLoop::settle(double t, std::vector<double>& y) {
  std::set<std::vector<double>> met;
  for (std::size_t round = 0; round < 10'000; ++round) {
    store();
    known_ = false;
    const bool good = (!assemble_ || assemble_(y)) && evaluate(t, y);
    if (!good && !known_) return round == 0 && !assemble_ ? Stay::failed : search(t, y);
    propose(t);
    if (std::equal(new_.begin(), new_.end(), input_.begin(), same)) return good ? Stay::yes : search(t, y);
    if (!met.insert(input_).second) return search(t, y);
    input_ = new_;
  }
  return search(t, y);
}

// With the relations of `fixed` as they are put, whether the model can be evaluated; everything else follows.
bool EventLoop::consistent(double t, std::vector<double>& y, const std::vector<bool>& fixed) {
  for (std::size_t round = 0; round <= m_.inputs() + 2; ++round) {
    store();
    known_ = false;
    const bool good = (!assemble_ || assemble_(y)) && evaluate(t, y);
    if (!good && !known_) return false;
    propose(t);
    bool still = true;
    for (std::size_t k = 0; k < input_.size(); ++k) {
      if ((k >= m_.term(0) && k < m_.variable(0) && fixed[k - m_.term(0)]) || same(input_[k], new_[k])) continue;
      input_[k] = new_[k];
      still = false;
    }
    if (still) return good;
  }
  return false;
}

// Whether a relation is answered otherwise than the model says, by more than rounding.
bool EventLoop::contradicts(std::size_t k) const {
  return m_.terms[k].kind == Kind::relation && !same(new_[m_.term(k)], input_[m_.term(k)]) && !close(k);
}

// A combination fits; what contradicts it by rounding alone stays so for the rest of the event.
EventLoop::Stay EventLoop::accept() {
  for (std::size_t k = 0; k < m_.terms.size(); ++k)
    if (m_.terms[k].kind == Kind::relation && !same(new_[m_.term(k)], input_[m_.term(k)])) accepted_[k] = true;
  run_.result.trouble = {};
  return Stay::yes;
}

// Relations that do not settle when all change at once. First one after the other, the least number first, which ends with the solution where
// there is just one for any data, as in networks of ideal diodes   [Murty 1974]; then all combinations of those that changed.
EventLoop::Stay EventLoop::search(double t, std::vector<double>& y) {
  std::vector<std::size_t> involved;
  const auto involve = [&](std::size_t k) {
    if (std::find(involved.begin(), involved.end(), k) == involved.end()) involved.push_back(k);
  };
  const std::vector<double> before = input_;
  std::vector<bool> fixed(m_.terms.size());
  for (std::size_t k = 0; k < m_.terms.size(); ++k) fixed[k] = m_.terms[k].kind == Kind::relation;
  for (std::size_t k = 0; k < m_.terms.size(); ++k)
    if (fixed[k] && std::isnan(roots_[m_.terms[k].root])) involve(k);
  std::set<std::vector<double>> met;
  while (met.insert(input_).second && met.size() < 2000) {
    if (!consistent(t, y, fixed)) break;
    std::size_t wrong = m_.terms.size();
    for (std::size_t k = 0; k < m_.terms.size(); ++k)
      if (contradicts(k)) {
        involve(k);
        wrong = std::min(wrong, k);
      }
    if (wrong == m_.terms.size()) return accept();
    input_[m_.term(wrong)] = new_[m_.term(wrong)];
  }
  constexpr std::size_t most = 12;
  for (std::size_t k = 0; k < m_.terms.size() && involved.size() < most; ++k)
    if (fixed[k] && m_.terms[k].slope == EventTerm::none) involve(k);
  std::sort(involved.begin(), involved.end());
  involved.resize(std::min(involved.size(), most));
  fixed.assign(m_.terms.size(), false);
  for (const std::size_t k : involved) fixed[k] = true;
  for (std::size_t mask = 0; mask < std::size_t{1} << involved.size(); ++mask) {
    if (interrupted(run_)) break;
    input_ = before;
    for (std::size_t i = 0; i < involved.size(); ++i) input_[m_.term(involved[i])] = static_cast<double>(mask >> i & 1);
    if (!consistent(t, y, fixed)) continue;
    bool fits = true;
    for (std::size_t k = 0; k < m_.terms.size(); ++k) fits = fits && !contradicts(k);
    if (fits) return accept();
  }
  blame_ = involved;
  return Stay::no;
}

// The actions whose triggers are true; true where a state got another value.
bool EventLoop::act(std::vector<double>& y) {
  std::vector<std::pair<std::uint32_t, double>> given;
  for (std::size_t k = 0; k < m_.actions.size(); ++k) {
    const EventAction& a = m_.actions[k];
    if (roots_[a.trigger] == 0) continue;
    if (a.kind == EventAction::Kind::terminate) {
      run_.result.terminated = run_.problem.event_names.action ? run_.problem.event_names.action(k).text : "";
      terminated_ = true;
    } else {
      given.emplace_back(a.state, a.sign * roots_[a.value]);
    }
  }
  bool any = false;
  for (const auto& [state, value] : given) any = std::exchange(y[state], value) != value || any;
  return any;
}

// Present values become those before; true where any is another.
bool EventLoop::remember() {
  bool any = false;
  restless_.clear();
  for (std::size_t k = 0; k < m_.terms.size(); ++k)
    if (m_.terms[k].kind == Kind::edge) {
      const bool holds = roots_[m_.terms[k].root] != 0;
      any = any || holds != held_[k];
      held_[k] = holds;
    }
  for (std::size_t k = 0; k < pre_.size(); ++k)
    if (const double now = roots_[m_.remembered[k].root]; !same(now, pre_[k])) {
      any = any || m_.remembered[k].discrete;
      if (k < m_.variables) restless_.push_back(k);
      pre_[k] = now;
    }
  return any;
}

// Ends the run, with the first few of those to blame.
void EventLoop::accuse(double t, Trouble::Kind kind, std::string message, const Namer& name, std::span<const std::size_t> list, std::size_t most) {
  Trouble& trouble = run_.result.trouble;
  trouble = {};
  trouble.kind = kind;
  trouble.time = t;
  trouble.message = std::move(message);
  for (const std::size_t k : list.first(name ? std::min(most, list.size()) : 0)) {
    const EventNames::Named named = name(k);
    if (trouble.unknowns.empty()) trouble.origin = {named.text, named.place};
    trouble.unknowns.push_back(named.text);
  }
}

bool EventLoop::no_combination(double t) {
  accuse(t, Trouble::event_iteration, "no combination of the relations fits the equations: each set of answers contradicts itself",
         run_.problem.event_names.term, blame_);
  return false;
}

bool EventLoop::iterate(double t, std::vector<double>& y) {
  constexpr int most = 1000;
  for (int round = 0; round < most; ++round) {
    switch (settle(t, y)) {
      case Stay::yes: break;
      case Stay::no: return no_combination(t);
      case Stay::failed:
        if (run_.result.trouble.kind != Trouble::none) return false;
        note_failure(run_.complaint, t, y, failure());
        fail(run_, t, Trouble::block, "the model cannot be evaluated at an event");
        return false;
    }
    const bool acted = act(y);
    if (remember() || acted) continue;
    bool moment = false;
    for (std::size_t k = 0; k < m_.terms.size(); ++k)
      if (m_.terms[k].kind == Kind::sample && input_[m_.term(k)] != 0) input_[m_.term(k)] = 0, moment = true;
    if (input_[EventModel::initial] != 0) input_[EventModel::initial] = 0, moment = true, assemble_ = {};
    if (!moment) {
      (run_.closed ? *run_.closed : run_.machine).accept();
      return !run_.closed || algebraic_values(run_, t, y);
    }
  }
  accuse(t, Trouble::event_iteration, "the discrete variables do not come to rest: each change causes another one", run_.problem.event_names.variable,
         restless_);
  return false;
}

// ---- the start

bool EventLoop::start(std::vector<double>& y, const std::function<bool(std::vector<double>&)>& assemble) {
  const double t = run_.options.start;
  assemble_ = assemble;
  // Conditions that hold at the start have not become true there, but for those that ask for it.
  for (std::size_t k = 0; k < m_.terms.size(); ++k) held_[k] = m_.terms[k].kind == Kind::edge && !m_.terms[k].at_start;
  switch (settle(t, y)) {
    case Stay::yes: break;
    case Stay::no: return no_combination(t);
    case Stay::failed:
      if (run_.result.trouble.kind != Trouble::none) return false;
      note_failure(run_.complaint, t, y, failure());
      fail(run_, t, Trouble::initialisation, "the model cannot be evaluated");
      return false;
  }
  assemble_ = {};
  if (!run_.problem.assertions.empty()) {  // while initial() holds
    std::vector<double> values(code::output_size(*run_.problem.dynamics));
    code::Machine<double>& machine = run_.closed ? *run_.closed : run_.machine;
    if (machine.output(t, std::span(y).first(states()), values) == Status::ok && !assertions_hold(run_.problem, t, values, true, run_.result.trouble)) return false;
  }
  for (std::size_t k = 0; k < m_.terms.size(); ++k)
    if (m_.terms[k].kind == Kind::edge && !m_.terms[k].at_start) held_[k] = roots_[m_.terms[k].root] != 0;
  for (std::size_t k = 0; k < m_.terms.size(); ++k)
    if (const EventTerm& x = m_.terms[k]; x.kind == Kind::sample) {
      const double first = roots_[x.root], interval = roots_[x.root + 1];
      if (!(interval > 0)) {
        accuse(t, Trouble::event_iteration, "the interval of `sample` is " + to_text(interval) + ": it must be positive", run_.problem.event_names.term,
               {&k, 1});
        return false;
      }
      samples_[k] = first >= t ? 0 : static_cast<std::uint64_t>(std::ceil((t - first) / interval * (1 - 4 * epsilon)));
      if (reached(first + static_cast<double>(samples_[k]) * interval, t)) {
        input_[m_.term(k)] = 1;
        ++samples_[k];
      }
    }
  if (!iterate(t, y)) return false;
  plan(t);
  put_mode();
  return true;
}

// ---- moments that time decides

double EventLoop::moment(std::size_t k) const {
  const EventTerm& x = m_.terms[k];
  if (x.kind == Kind::sample) return roots_[x.root] + static_cast<double>(samples_[k]) * roots_[x.root + 1];
  if (x.slope == EventTerm::none || roots_[x.slope] == 0) return infinity;
  const double slope = roots_[x.slope], value = roots_[x.slope + 1], now = input_[m_.term(k)];
  if (x.kind == Kind::relation) return (now != 0) == (slope < 0) ? -value / slope : infinity;
  return ((slope > 0 ? now + 1 : now) - value) / slope;
}

void EventLoop::plan(double t) {
  limit_ = run_.stop();
  for (std::size_t k = 0; k < m_.terms.size(); ++k) {
    if (m_.terms[k].kind == Kind::edge) continue;
    const double at = moment(k);
    if (at < limit_ && !reached(at, t)) limit_ = at;
  }
}

// ---- an event

// Hundreds of events at such a pace that the end would never be reached.
bool EventLoop::chatters(double t) {
  constexpr std::size_t window = 400;
  constexpr double pace = 1e-8;  // of the run, each
  if (recent_.size() < window) {
    recent_.push_back(t);
    return false;
  }
  const double first = recent_[next_recent_];
  recent_[next_recent_] = t;
  next_recent_ = (next_recent_ + 1) % window;
  if (t - first > pace * window * (run_.stop() - run_.options.start)) {
    std::fill(changed_.begin(), changed_.end(), 0);
    return false;
  }
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < changed_.size(); ++k)
    if (changed_[k] > 0) order.push_back(k);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t z) { return changed_[x] > changed_[z]; });
  accuse(t, Trouble::chattering, std::to_string(window) + " events within " + to_text(t - first) + " s", run_.problem.event_names.term, order, 4);
  return true;
}

void EventLoop::put_mode() {
  Trajectory& tr = run_.result.trajectory;
  std::vector<double> values = input_;
  values.insert(values.end(), pre_.begin(), pre_.end());
  if (!tr.modes_.empty() && tr.modes_.back().inputs == values) return;
  tr.modes_.push_back({tr.size(), std::move(values)});
}

EventLoop::Next EventLoop::handle(double t, std::vector<double>& y) {
  store();
  if (!evaluate(t, y)) {
    note_failure(run_.complaint, t, y, failure());
    fail(run_, t, Trouble::block, "the model cannot be evaluated at an event");
    return Next::ended;
  }
  for (std::size_t k = 0; k < pre_.size(); ++k)
    if (!m_.remembered[k].discrete) pre_[k] = roots_[m_.remembered[k].root];
  const std::vector<double> before = input_, memory = pre_, left = y;
  accepted_.assign(m_.terms.size(), false);
  bool by_time = false;
  for (std::size_t k = 0; k < m_.terms.size(); ++k)
    if (m_.terms[k].kind == Kind::sample && reached(moment(k), t)) {
      input_[m_.term(k)] = 1;
      ++samples_[k];
      by_time = true;
    }
  const auto points = run_.result.trajectory.time();
  if (points.empty() || points.back() != t) std::copy(y.begin(), y.end(), run_.recorder.add_point(t).begin());
  if (!iterate(t, y)) return Next::ended;
  plan(t);
  bool restart = false, changed = by_time;
  for (std::size_t i = 0; i < y.size(); ++i) restart = restart || !same(left[i], y[i]);
  for (std::size_t k = 0; k < m_.terms.size(); ++k)
    if (!same(before[m_.term(k)], input_[m_.term(k)])) {
      changed = true;
      restart = restart || m_.terms[k].matters;
      ++changed_[k];
      by_time = by_time || m_.terms[k].slope != EventTerm::none;
    }
  for (std::size_t k = 0; k < pre_.size(); ++k)
    if (!same(memory[k], pre_[k])) {
      changed = true;
      restart = restart || m_.remembered[k].matters;
    }
  left_time_ = -infinity;
  if (changed || restart) {
    put_mode();
    std::copy(y.begin(), y.end(), run_.recorder.add_point(t).begin());
    ++run_.counters().events;
    ++(by_time ? run_.counters().time_events : run_.counters().state_events);
  }
  if (terminated_ || chatters(t)) return Next::ended;
  return restart ? Next::restart : Next::go_on;
}

EventLoop::Next EventLoop::finish(double t, std::vector<double>& y) {
  input_[EventModel::terminal] = 1;
  return handle(t, y);
}

}  // namespace kron::simulate
