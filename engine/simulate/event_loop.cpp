#include "engine/simulate/event_loop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

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
    searches_ = searches_ || ((x.kind == Kind::relation || x.kind == Kind::floor) && x.slope == EventTerm::none);
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

// The actions whose triggers are true. False: the run ends here.
bool EventLoop::act(std::vector<double>& y, bool& again) {
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
  for (const auto& [state, value] : given)
    if (y[state] != value) {
      y[state] = value;
      again = true;
    }
  return true;
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

bool EventLoop::no_combination(double t) {
  Trouble& trouble = run_.result.trouble;
  trouble = {};
  trouble.kind = Trouble::event_iteration;
  trouble.time = t;
  trouble.message = "no combination of the relations fits the equations: each set of answers contradicts itself";
  if (run_.problem.event_names.term)
    for (std::size_t i = 0; i < blame_.size() && i < 8; ++i) {
      const auto named = run_.problem.event_names.term(blame_[i]);
      trouble.unknowns.push_back(named.text);
      if (i == 0) trouble.origin = {named.text, named.place};
    }
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
    bool again = false;
    act(y, again);
    again = remember() || again;
    if (again) continue;
    bool moment = false;
    for (std::size_t k = 0; k < m_.terms.size(); ++k)
      if (m_.terms[k].kind == Kind::sample && input_[m_.term(k)] != 0) input_[m_.term(k)] = 0, moment = true;
    if (input_[EventModel::initial] != 0) input_[EventModel::initial] = 0, moment = true, assemble_ = {};
    if (!moment) {
      (run_.closed ? *run_.closed : run_.machine).accept();
      return !run_.closed || algebraic_values(run_, t, y);
    }
  }
  Trouble& trouble = run_.result.trouble;
  trouble = {};
  trouble.kind = Trouble::event_iteration;
  trouble.time = t;
  trouble.message = "the discrete variables do not come to rest: each change causes another one";
  if (run_.problem.event_names.variable)
    for (const std::size_t k : restless_) {
      const auto named = run_.problem.event_names.variable(k);
      trouble.unknowns.push_back(named.text);
      if (trouble.unknowns.size() == 1) trouble.origin = {named.text, named.place};
    }
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
        Trouble& trouble = run_.result.trouble;
        trouble.kind = Trouble::event_iteration;
        trouble.time = t;
        trouble.message = "the interval of `sample` is " + to_text(interval) + ": it must be positive";
        if (run_.problem.event_names.term) trouble.origin = {run_.problem.event_names.term(k).text, run_.problem.event_names.term(k).place};
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
  put_mode(t);
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

// ---- the search for state events

double EventLoop::tolerance(std::size_t k) const { return 1e-13 * scale_[k]; }

// Whether the root's value is beyond what the term's present value allows, by more than `level`.
bool EventLoop::crossed(std::size_t k, double value, double level) const {
  const double now = input_[m_.term(k)];
  if (m_.terms[k].kind == Kind::floor) return value < now - level || value >= now + 1 + level;
  return now != 0 ? value < -level : value > level;
}

std::optional<std::size_t> EventLoop::first_crossed(std::span<const double> values) const {
  for (std::size_t k = 0; k < m_.terms.size(); ++k) {
    const EventTerm& x = m_.terms[k];
    if ((x.kind == Kind::relation || x.kind == Kind::floor) && x.slope == EventTerm::none && crossed(k, values[x.root], tolerance(k))) return k;
  }
  return std::nullopt;
}

std::optional<double> EventLoop::find(double from, double to, std::span<const double> y, const At& at) {
  if (!searches_) return std::nullopt;
  std::vector<double> here(y.size());
  const auto look = [&](double t) {
    at(t, here);
    return evaluate(run_.machine, t, here);
  };
  if (left_time_ != from) {
    if (!look(from)) return std::nullopt;
    left_ = roots_;
  }
  const std::vector<double> before = left_;
  const bool good = evaluate(run_.machine, to, y);
  if (!run_.options.events) {
    left_ = roots_;
    left_time_ = to;
    return good && first_crossed(roots_) ? std::optional(to) : std::nullopt;
  }
  const std::vector<double> right = roots_;
  for (std::size_t k = 0; good && k < m_.terms.size(); ++k)
    if (const EventTerm& x = m_.terms[k]; x.size != EventTerm::none) scale_[k] = std::max({scale_[k], before[x.size], right[x.size]});
  double a = from, b = to;
  std::vector<double> va = before, vb = right;
  bool found = !good || first_crossed(right).has_value();
  // There and back within the step.
  const double middle = from + 0.5 * (to - from);
  if (look(middle)) {
    middle_ = roots_;
    if (first_crossed(middle_)) {
      b = middle, vb = middle_, found = true;
    } else {
      double best = to;
      for (std::size_t k = 0; k < m_.terms.size(); ++k) {
        const EventTerm& x = m_.terms[k];
        if ((x.kind != Kind::relation && x.kind != Kind::floor) || x.slope != EventTerm::none || !good) continue;
        // The parabola through the three values: its extremum.
        const double v0 = before[x.root], v1 = middle_[x.root], v2 = right[x.root], bend = 2 * (v0 - 2 * v1 + v2), rise = 4 * v1 - 3 * v0 - v2;
        if (bend == 0) continue;
        const double s = -0.5 * rise / bend;
        if (!(s > 0.02 && s < 0.98) || !crossed(k, v0 + s * (rise + s * bend), -0.2 * std::max(std::fabs(v0 - v1), std::fabs(v2 - v1)))) continue;
        const double there = from + s * (to - from);
        if (there < best && look(there) && first_crossed(roots_)) best = there, b = there, vb = roots_, found = true;
      }
      if (found && b == to) a = middle, va = middle_;
    }
  }
  left_ = right;
  left_time_ = to;
  if (!found) return std::nullopt;
  // Bracketed: not crossed at a, crossed at b (or not to be evaluated there). What had crossed by less than the tolerance before counts from there.
  std::vector<double> level(m_.terms.size());
  for (std::size_t k = 0; k < m_.terms.size(); ++k)
    if (const EventTerm& x = m_.terms[k]; x.kind == Kind::relation || x.kind == Kind::floor) level[k] = crossed(k, before[x.root], 0) ? tolerance(k) : 0;
  const auto beyond = [&](std::span<const double> values, auto&& each) {
    bool any = false;
    for (std::size_t k = 0; k < m_.terms.size(); ++k) {
      const EventTerm& x = m_.terms[k];
      if ((x.kind != Kind::relation && x.kind != Kind::floor) || x.slope != EventTerm::none || !crossed(k, values[x.root], level[k])) continue;
      any = true;
      each(k);
    }
    return any;
  };
  // Distance of a root's value from where its term changes: negative while it has not.
  const auto distance = [&](std::size_t k, std::span<const double> v) {
    const double now = input_[m_.term(k)], value = v[m_.terms[k].root];
    if (m_.terms[k].kind == Kind::floor) return std::max(now - level[k] - value, value - now - 1 - level[k]);
    return now != 0 ? -value - level[k] : value - level[k];
  };
  bool known = good || b != to;  // values at b
  double weight_a = 1, weight_b = 1;
  int side = 0;
  for (int round = 0; round < 200; ++round) {
    const double resolution = 2 * epsilon * std::max(std::fabs(a), std::fabs(b));
    if (b - a <= resolution) break;
    double t = b;
    if (known && round < 100)
      beyond(vb, [&](std::size_t k) {
        const double da = weight_a * distance(k, va), db = weight_b * distance(k, vb);
        const double s = db > da ? -da / (db - da) : 0.5;
        t = std::min(t, a + std::clamp(s, 0.0, 1.0) * (b - a));
      });
    else
      t = a + 0.5 * (b - a);
    t = std::clamp(t, a + 0.5 * resolution, b - 0.5 * resolution);
    if (!(t > a && t < b)) t = a + 0.5 * (b - a);
    if (!(t > a && t < b)) break;
    const bool fine = look(t);
    if (!fine || beyond(roots_, [](std::size_t) {})) {
      b = t;
      known = fine;
      if (fine) vb = roots_;
      weight_b = 1;
      weight_a = side == 1 ? weight_a * 0.5 : 1;
      side = 1;
    } else {
      a = t, va = roots_;
      weight_a = 1;
      weight_b = side == -1 ? weight_b * 0.5 : 1;
      side = -1;
    }
  }
  left_time_ = -infinity;
  return b;
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
  Trouble& trouble = run_.result.trouble;
  trouble = {};
  trouble.kind = Trouble::chattering;
  trouble.time = t;
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < changed_.size(); ++k)
    if (changed_[k] > 0) order.push_back(k);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t z) { return changed_[x] > changed_[z]; });
  trouble.message = std::to_string(window) + " events within " + to_text(t - first) + " s";
  if (run_.problem.event_names.term)
    for (std::size_t i = 0; i < order.size() && i < 4; ++i) {
      const auto named = run_.problem.event_names.term(order[i]);
      trouble.unknowns.push_back(named.text);
      if (i == 0) trouble.origin = {named.text, named.place};
    }
  return true;
}

void EventLoop::put_mode(double) {
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
  const std::size_t points = run_.result.trajectory.size();
  if (points == 0 || run_.result.trajectory.time().back() != t) std::copy(y.begin(), y.end(), run_.recorder.add_point(t).begin());
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
    put_mode(t);
    std::copy(y.begin(), y.end(), run_.recorder.add_point(t).begin());
    ++run_.counters().events;
    ++(by_time ? run_.counters().time_events : run_.counters().state_events);
  }
  if (terminated_ || chatters(t)) return Next::ended;
  return restart ? Next::restart : Next::go_on;
}

EventLoop::Next EventLoop::finish(double t, std::vector<double>& y) {
  input_[EventModel::terminal] = 1;
  const std::size_t events = run_.counters().events;
  const Next next = handle(t, y);
  run_.counters().events = events;
  return next;
}

}  // namespace kron::simulate
