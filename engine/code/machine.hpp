// engine/code/machine.hpp: the members of Machine<T>, instantiated once per number type (machine_*.cpp). Private to the
// room.
#pragma once
#include <new>

#include "engine/code/bounds.hpp"
#include "engine/code/drivers.hpp"
#include "engine/code/native_run.hpp"
#include "engine/code/pieces.hpp"
#include "engine/code/producers.hpp"
#include "engine/code/steps.hpp"
#include "engine/code/tangent.hpp"

namespace kron::code {

template <class T>
struct Machine<T>::Data : Pieces<T> {
  using Pieces<T>::Pieces;

  // Runs f; an exception (out of memory) becomes a failure: nothing is thrown through an integrator.
  template <class F>
  Status guarded(F&& f) {
    try {
      return f();
    } catch (const std::exception& e) {
      this->failure = {};
      this->failure.reason = e.what();
      return Status::failed;
    }
  }

  bool is_at(const T& t, std::span<const T> y) const {
    const Program& p = *this->program;
    if (!this->evaluated || this->reg[p.input_begin[static_cast<std::size_t>(InputKind::time)]] != t) return false;
    const auto states = static_cast<std::size_t>(InputKind::state);
    const auto n = std::min<std::size_t>(y.size(), p.input_size[states]);
    return std::equal(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(n), this->reg.begin() + p.input_begin[states]);
  }

  // Machine code of the tangents at the point evaluated last; null: the interpreter's turn.
  const Native::Region* tangent_code() {
    if constexpr (std::is_same_v<T, double>)
      if (this->cold_steps == 0) return this->native.wanted(Native::tangents(*this->program));
    return nullptr;
  }
  template <int L>
  Status tangents(std::size_t directions, std::size_t states, std::span<const T> seeds, std::span<T> result, const Native::Region* code = nullptr) {
    const std::size_t rows = this->program->derivative.size();
    for (std::size_t done = 0; done < directions; done += L) {
      const std::size_t lanes = std::min<std::size_t>(directions - done, L);
      const Status s = Tangent<T, L>(*this, code).run(lanes, states, seeds.data() + done * states, result.data() + done * rows);
      if (s != Status::ok) return s;
      if (this->interrupted()) return Status::failed;
    }
    return Status::ok;
  }

  void copy_roots(const std::vector<Signed>& roots, std::span<T> to) const {
    for (std::size_t i = 0; i < roots.size() && i < to.size(); ++i) to[i] = this->value(roots[i]);
  }

  // The roots, which have to be finite.
  Status copy_derivatives(std::span<T> to) {
    bool good = true;
    const std::size_t n = std::min(this->derivative_roots.size(), to.size());
    for (std::size_t i = 0; i < n; ++i) {
      to[i] = this->value(this->derivative_roots[i]);
      good &= finite(to[i]);
    }
    if (good) return Status::ok;
    this->failure = {};
    this->failure.root = static_cast<std::uint32_t>(std::find_if_not(to.begin(), to.end(), [](const T& x) { return finite(x); }) - to.begin());
    this->failure.reason = "not a number";
    return Status::recoverable;
  }
};

template <class T>
Machine<T>::Machine(std::shared_ptr<const Program> p, Backend b) : data_(std::make_unique<Data>(std::move(p), b)) {}
template <class T>
Machine<T>::~Machine() = default;
template <class T>
Machine<T>::Machine(Machine&&) noexcept = default;
template <class T>
Machine<T>& Machine<T>::operator=(Machine&&) noexcept = default;

template <class T>
std::span<T> Machine<T>::inputs(InputKind kind) {
  const auto k = static_cast<std::size_t>(kind);
  data_->leave_point();
  data_->lift_anchor();
  return {data_->reg.data() + data_->program->input_begin[k], data_->program->input_size[k]};
}

template <class T>
Status Machine<T>::run_parameters() {
  Data& d = *data_;
  return d.guarded([&] {
    d.evaluated = false;
    for (StepState<T>& s : d.steps) s.early_trusted.reset();
    const Status s = d.run(parameter_section);
    d.parameter_values.resize(d.program->parameter.size());
    d.copy_roots(d.program->parameter, d.parameter_values);
    return s;
  });
}

template <class T>
std::span<const T> Machine<T>::parameter_roots() const {
  return data_->parameter_values;
}

template <class T>
Status Machine<T>::derivative(const T& t, std::span<const T> y, std::span<T> der) {
  Data& d = *data_;
  ++d.statistics.derivative_calls;
  return d.guarded([&] {
    return d.evaluate(t, y, [&] {
      if (const Status s = d.run_derivatives(); s != Status::ok) return s;
      d.evaluated = true;
      return d.copy_derivatives(der);
    });
  });
}

template <class T>
Status Machine<T>::events(const T& t, std::span<const T> y, std::span<T> values) {
  Data& d = *data_;
  d.lenient = true;
  const Status status = d.guarded([&] {
    return d.evaluate(t, y, [&] {
      if (const Status s = d.run(dynamic_section); s != Status::ok) return s;
      if (const Status s = d.run(event_section); s != Status::ok) return s;
      d.last_section = event_section;
      d.copy_roots(d.program->event, values);
      return Status::ok;
    });
  });
  d.lenient = false;
  return status;
}

template <class T>
bool Machine<T>::feel(const T& t, std::span<const T> y, std::span<const T> digits) {
  Data& d = *data_;
  std::vector<std::size_t> contradictory;
  for (std::size_t i = 0; i < d.steps.size(); ++i)
    if (d.steps[i].contradictory) contradictory.push_back(i);
  if (contradictory.empty()) return false;
  for (const std::size_t i : contradictory) d.steps[i].lowest.clear();
  std::vector<T> near(y.size()), values(d.program->event.size());
  std::uint32_t lot = 1;
  d.feeling = true;
  for (int round = 0; round < 5; ++round) {  // first where y is
    for (std::size_t i = 0; i < y.size(); ++i) {
      lot = lot * 1664525 + 1013904223;
      near[i] = round == 0 ? y[i] : T(y[i] + (static_cast<int>(lot >> 16) - 32768) / 32768.0 * digits[i]);
    }
    events(t, near, values);
  }
  d.feeling = false;
  constexpr double margin = 1e-3;  // of what solutions may be off, in roundings of terms
  for (const std::size_t i : contradictory) {
    StepState<T>& s = d.steps[i];
    s.sizes.resize(s.lowest.size());
    for (std::size_t k = 0; k < s.sizes.size(); ++k) s.sizes[k] = margin / std::numeric_limits<T>::epsilon() * (s.highest[k] - s.lowest[k]);
  }
  return true;
}

template <class T>
Status Machine<T>::output(const T& t, std::span<const T> y, std::span<T> values) {
  Data& d = *data_;
  ++d.statistics.output_calls;
  d.met = true;
  const Status status = d.guarded([&] {
    d.set_point(t, y);
    if (const Status s = d.run(dynamic_section); s != Status::ok) return s;
    d.evaluated = true;
    if (const Status s = d.run(event_section); s != Status::ok) return s;
    if (const Status s = d.run(output_section); s != Status::ok) return s;
    d.last_section = output_section;
    d.copy_roots(d.program->output, values);
    return Status::ok;
  });
  d.met = false;
  return status;
}

template <class T>
bool Machine<T>::bounded(const T& time, const Extent<T>& extent) const {
  const Bounds<T> bounds(*data_, time, extent);
  const auto& roots = data_->program->output;
  return std::all_of(roots.begin(), roots.end(), [&](Signed r) { return bounds.finite(r); });
}

template <class T>
void Machine<T>::resume(const Machine& other) {
  Data& d = *data_;
  const Data& o = *other.data_;
  for (std::size_t k = 0; k < d.program->input_size.size(); ++k)
    std::copy_n(o.reg.begin() + o.program->input_begin[k], std::min(d.program->input_size[k], o.program->input_size[k]),
                d.reg.begin() + d.program->input_begin[k]);
  d.tolerance = o.tolerance;
  d.flag = o.flag;
  d.history = o.history;
  d.statistics = o.statistics;
  choose(o.choice);
  for (std::size_t i = 0; i < d.steps.size(); ++i)
    for (std::size_t k = 0; k < o.steps.size(); ++k) {
      const StepPlan &mine = d.program->steps[i], &theirs = o.program->steps[k];
      if (!mine.newton || !theirs.newton || mine.block != theirs.block || mine.columns != theirs.columns) continue;
      d.steps[i].accepted = o.steps[k].accepted;
      d.steps[i].has_accepted = o.steps[k].has_accepted;
    }
}

template <class T>
std::vector<std::uint32_t> Machine<T>::cold_blocks() const {
  std::vector<std::uint32_t> list;
  for (std::size_t i = 0; i < data_->steps.size(); ++i) {
    const StepPlan& plan = data_->program->steps[i];
    if (plan.guarded && plan.section != parameter_section && data_->steps[i].cold) list.push_back(plan.block);
  }
  return list;
}

template <class T>
std::optional<std::uint32_t> Machine<T>::multiple_root() const {
  const Data& d = *data_;
  for (std::size_t s = 0; s < d.steps.size(); ++s)
    if (d.program->steps[s].newton && d.steps[s].solved && d.steps[s].multiple) return d.program->steps[s].block;
  return std::nullopt;
}

template <class T>
std::vector<std::uint32_t> Machine<T>::deficient_blocks() const {
  std::vector<std::uint32_t> list;
  for (std::size_t i = 0; i < data_->steps.size(); ++i)
    if (data_->steps[i].solved && data_->steps[i].deficient) list.push_back(data_->program->steps[i].block);
  return list;
}

template <class T>
bool Machine<T>::audit(bool every) {
  Data& d = *data_;
  const auto& plans = d.program->steps;
  const auto is_meant = [&](const StepPlan& plan) { return plan.guarded && (every || plan.switched) && plan.pins.empty(); };
  if (std::none_of(plans.begin(), plans.end(), is_meant)) return false;
  const InterpretAll all(d);
  std::vector<std::vector<typename Data::Straight>> taken(plans.size());
  for (std::uint32_t section = every ? parameter_section : dynamic_section; section <= d.last_section; ++section) {
    if (section != dynamic_section) d.complete(section);  // machine code of parameters ran for another point, that of outputs not at all
    for (std::uint32_t r = d.program->regions[section].begin; r < d.program->regions[section].end; ++r) {
      const Run& run = d.program->runs[r];
      for (std::uint32_t i = 0; run.kernel == Kernel::take && i < run.count; ++i) {
        const Take& t = d.program->takes[operand(*d.program, run, i, 1)];
        taken[t.step].push_back({t.column, {operand(*d.program, run, i, 0) << 1 | (t.negative ? 1u : 0u)}});
      }
    }
  }
  bool any = false;
  for (std::uint32_t s = 0; s < plans.size(); ++s) {
    if (!is_meant(plans[s]) || d.steps[s].cold || d.accurate(s, taken[s])) continue;
    d.steps[s].distrusted = any = true;
    ++d.distrusted_steps;
  }
  if (any) d.leave_point();
  return any;
}

template <class T>
void Machine<T>::trust() {
  if (data_->distrusted_steps == 0) return;
  for (StepState<T>& s : data_->steps) s.distrusted = false;
  data_->distrusted_steps = 0;
  data_->leave_point();
}

template <class T>
void Machine<T>::accept() {
  Data& d = *data_;
  for (std::size_t i = 0; i < d.steps.size(); ++i) {
    StepState<T>& s = d.steps[i];
    const StepPlan& plan = d.program->steps[i];
    if (!s.solved || plan.section == parameter_section) continue;
    s.solver.accept();
    if (plan.newton || s.sweeps) d.keep_solution(i);
  }
  d.drop_anchor();
}

template <class T>
bool Machine<T>::leapt() const {
  return data_->leapt;
}

template <class T>
std::shared_ptr<const void> Machine<T>::kept() const {
  auto list = std::make_shared<std::vector<Accepted<T>>>();
  for (const StepState<T>& s : data_->steps) list->push_back(s);
  return list;
}

template <class T>
void Machine<T>::put_back(const std::shared_ptr<const void>& kept) {
  const auto& list = *static_cast<const std::vector<Accepted<T>>*>(kept.get());
  for (std::size_t i = 0; i < list.size(); ++i) static_cast<Accepted<T>&>(data_->steps[i]) = list[i];
  data_->drop_anchor();
}

template <class T>
void Machine<T>::forget() {
  data_->anchor.reset();
  for (StepState<T>& s : data_->steps) {
    s.has_accepted = false;
    s.solver.forget();
  }
}

template <class T>
std::span<const std::uint32_t> Machine<T>::choice() const {
  return data_->choice;
}

template <class T>
void Machine<T>::choose(std::span<const std::uint32_t> choice) {
  Data& d = *data_;
  if (choice.size() != d.choice.size() || std::equal(choice.begin(), choice.end(), d.choice.begin())) return;
  d.choice.assign(choice.begin(), choice.end());
  d.anchor.reset();
  for (std::uint32_t s = 0; s < d.program->selections.size(); ++s) d.chosen(s);
  d.evaluated = false;
}

template <class T>
void Machine<T>::open(std::uint32_t selection, std::span<const T> values) {
  data_->open[selection].assign(values.begin(), values.end());
  data_->evaluated = false;
}

template <class T>
bool Machine<T>::begin_iterations(std::span<const std::uint32_t> outputs, std::span<const T> values) {
  Data& d = *data_;
  bool again = false;
  for (std::size_t k = 0; k < outputs.size() && k < values.size(); ++k) {
    const Signed output = d.program->output[outputs[k]];
    for (std::size_t i = 0; i < d.steps.size(); ++i) {
      const StepPlan& plan = d.program->steps[i];
      if (!plan.newton || output.reg() < plan.unknowns || output.reg() >= plan.unknowns + plan.columns) continue;
      StepState<T>& state = d.steps[i];
      for (std::uint32_t c = 0; !state.has_accepted && c < plan.columns; ++c) state.accepted[c] = d.value(plan.start[c]);
      state.accepted[output.reg() - plan.unknowns] = output.negative() ? T(-values[k]) : values[k];
      state.has_accepted = true;
      again = again || plan.section == parameter_section;
    }
  }
  return again;
}

template <class T>
Status Machine<T>::run_parameters(std::span<const std::uint32_t> outputs, std::span<const T> values) {
  const Status s = run_parameters();
  return begin_iterations(outputs, values) ? run_parameters() : s;
}

template <class T>
void Machine<T>::solutions(std::span<T> values) const {
  data_->each_iteration(Iterations::all, [&](const StepPlan& plan, const StepState<T>&) {
    std::copy_n(data_->reg.begin() + plan.unknowns, plan.columns, values.begin());
    values = values.subspan(plan.columns);
  });
}

template <class T>
void Machine<T>::start_from(std::span<const T> values, Iterations which, bool leads) {
  data_->lift_anchor();
  data_->each_iteration(which, [&](const StepPlan& plan, StepState<T>& state) {
    state.begin_at(values.first(plan.columns), leads);
    values = values.subspan(plan.columns);
  });
}

template <class T>
std::optional<T> Machine<T>::accepted(std::span<T> values) const {
  std::optional<T> time;
  bool all = true;
  data_->each_iteration(Iterations::of_derivatives, [&](const StepPlan& plan, const StepState<T>& state) {
    all = all && state.has_accepted && state.accepted_time;
    if (!all) return;
    time = state.accepted_time;
    std::copy(state.accepted.begin(), state.accepted.end(), values.begin());
    values = values.subspan(plan.columns);
  });
  return all ? time : std::nullopt;
}

template <class T>
void Machine<T>::pivots(std::vector<T>& list) const {
  list.clear();
  data_->each_iteration(Iterations::of_derivatives, [&](const StepPlan&, const StepState<T>& state) { state.solver.pivots(list); });
}

template <class T>
bool Machine<T>::turns() const {
  return std::ranges::any_of(data_->program->steps, [&](const StepPlan& plan) { return data_->turns(plan); });
}

template <class T>
void Machine<T>::turning_pivots(std::vector<T>& list) const {
  list.clear();
  data_->each_iteration(Iterations::all, [&](const StepPlan& plan, const StepState<T>& state) {
    if (data_->turns(plan)) state.solver.pivots(list);
  });
}

template <class T>
void Machine<T>::guess(std::span<const T> values) {
  Data& d = *data_;
  d.anchor.reset();
  for (std::uint32_t selection = 0; selection < d.program->selections.size(); ++selection) {
    const std::uint32_t n = d.program->selections[selection].alternatives;
    if (const auto lead = d.leader(selection); lead && d.program->steps[lead->first].newton) {
      const StepPlan& plan = d.program->steps[lead->first];
      StepState<T>& state = d.steps[lead->first];
      for (std::uint32_t c = 0; !state.has_accepted && c < plan.columns; ++c) state.accepted[c] = d.value(plan.start[c]);
      for (std::uint32_t k = 0; k < n; ++k) state.accepted[plan.pins[lead->second].column[k]] = values[k];
      state.has_accepted = true;
      state.accepted_time.reset();
      state.before_time.reset();
    }
    values = values.subspan(n);
  }
}

template <class T>
void Machine<T>::alternatives(std::span<T> values) const {
  const Data& d = *data_;
  for (std::uint32_t selection = 0; selection < d.program->selections.size(); ++selection) {
    const std::uint32_t n = d.program->selections[selection].alternatives;
    if (const auto lead = d.leader(selection)) {
      const StepPlan& plan = d.program->steps[lead->first];
      for (std::uint32_t k = 0; k < n; ++k) values[k] = d.reg[plan.unknowns + plan.pins[lead->second].column[k]];
    }
    values = values.subspan(n);
  }
}

template <class T>
double Machine<T>::strain() {
  T most(0);
  for (std::uint32_t s = 0; s < data_->program->selections.size(); ++s) most = std::max(most, data_->strain(s));
  return static_cast<double>(most);
}

template <class T>
double Machine<T>::regularity(std::uint32_t selection) {
  return static_cast<double>(data_->regularity(selection));
}

template <class T>
bool Machine<T>::exchange(double limit) {
  bool any = false;
  for (std::uint32_t s = 0; s < data_->program->selections.size(); ++s)
    if (data_->strain(s) > limit) any |= data_->exchange(s);
  if (any) {
    data_->evaluated = false;
    data_->anchor.reset();
  }
  return any;
}

template <class T>
void Machine<T>::read_states(std::span<T> y) const {
  Data& d = *data_;
  const std::uint32_t first = d.program->input_begin[static_cast<std::size_t>(InputKind::state)];
  for (const StepPlan& plan : d.program->steps)
    for (const StepPlan::Pins& p : plan.pins) {
      const auto chosen = d.choice_of(p.selection);
      for (std::uint32_t k = 0; k < p.value.size(); ++k) y[p.value[k].reg() - first] = d.reg[plan.unknowns + p.column[chosen[k]]];
    }
}

template <class T>
Status Machine<T>::tangent(const T& t, std::span<const T> y, std::size_t directions, std::span<const T> seeds,
                           std::span<T> result) {
  Data& d = *data_;
  return d.guarded([&] {
    if (!d.is_at(t, y)) {
      d.set_point(t, y);
      if (const Status s = d.run(dynamic_section); s != Status::ok) return s;
      d.evaluated = true;
    }
    if (const Native::Region* code = d.tangent_code()) return d.template tangents<jit::lanes>(directions, y.size(), seeds, result, code);
    const InterpretAll all(d);
    if (directions == 1) return d.template tangents<1>(directions, y.size(), seeds, result);
    constexpr int wide = std::is_same_v<T, double> ? 8 : 4;
    return d.template tangents<wide>(directions, y.size(), seeds, result);
  });
}

template <class T>
void Machine<T>::tolerance(double relative) {
  data_->tolerance = relative;
}
template <class T>
const Failure& Machine<T>::failure() const {
  return data_->failure;
}
template <class T>
const Statistics& Machine<T>::statistics() const {
  return data_->statistics;
}
template <class T>
void Machine<T>::evaluated_elsewhere(std::uint64_t count) {
  if (count == 0) return;
  data_->statistics.derivative_calls += count;
  data_->leave_point();
}
template <class T>
void Machine<T>::history(const History* h) {
  data_->history = h;
  data_->leave_point();
}
template <class T>
void Machine<T>::patient(bool is) {
  data_->patient = is;
}

template <class T>
void Machine<T>::look_for_singular(bool does) {
  data_->looks_for_singular = does;
}

template <class T>
bool Machine<T>::met_singular() const {
  return data_->singular;
}

template <class T>
void Machine<T>::interrupt_flag(const std::atomic<bool>* flag) {
  data_->flag = flag;
}

}  // namespace kron::code
