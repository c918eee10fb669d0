#include "engine/session/variation.hpp"

#include <algorithm>
#include <cmath>

#include "engine/session/evaluate.hpp"

namespace kron::session {

using model::Operand;
using model::OperandKind;

// ---- problems

Variation::Variation(Engine& engine, std::shared_ptr<const Analysis> a, Overrides overrides, std::vector<std::uint32_t> varied, code::Backend backend, bool exact)
    : engine_(engine), analysis_(std::move(a)), overrides_(std::move(overrides)), varied_(std::move(varied)), backend_(backend), exact_(exact) {}

namespace {

template <class R, class... A>
void lock_calls(std::function<R(A...)>& f, const std::shared_ptr<std::recursive_mutex>& mutex) {
  if (!f) return;
  f = [call = std::move(f), mutex](A... a) {
    const std::lock_guard lock(*mutex);
    return call(a...);
  };
}

}  // namespace

void Variation::guard(simulate::Problem& p) const {
  lock_calls(p.surplus_text, mutex_);
  lock_calls(p.assertion_text, mutex_);
  lock_calls(p.event_names.term, mutex_);
  lock_calls(p.event_names.variable, mutex_);
  lock_calls(p.event_names.action, mutex_);
  lock_calls(p.reordered, mutex_);
  lock_calls(p.open_form, mutex_);
  lock_calls(p.state_name, mutex_);
  lock_calls(p.chosen_name, mutex_);
  lock_calls(p.output_name, mutex_);
  lock_calls(p.output_origin, mutex_);
  lock_calls(p.start_name, mutex_);
  lock_calls(p.start_origin, mutex_);
  lock_calls(p.derivative_origin, mutex_);
  lock_calls(p.block_unknowns, mutex_);
  lock_calls(p.block_origin, mutex_);
  lock_calls(p.block_residues, mutex_);
  lock_calls(p.regularity, mutex_);
}

std::optional<simulate::Problem> Variation::problem(std::span<const double> values, Diagnostics& diagnostics) {
  const std::lock_guard lock(*mutex_);
  for (std::size_t k = 0; k < varied_.size(); ++k) overrides_[varied_[k]] = values[k];
  Diagnostics own;
  simulate::Problem p = engine_.problem(analysis_, overrides_, own, exact_);
  diagnostics.append(own);
  if (own.has_errors()) return std::nullopt;
  p.backend = backend_;
  guard(p);
  return p;
}

// ---- readings

Readings::Readings(std::shared_ptr<const Analysis> a, std::vector<model::Bound> expressions, std::shared_ptr<std::recursive_mutex> mutex)
    : analysis_(std::move(a)), mutex_(std::move(mutex)), bindings_(analysis_->flat), state_of_(analysis_->system->variables(), none) {
  for (std::uint32_t k = 0; k < analysis_->states.size() && analysis_->states[k].set < 0; ++k)
    state_of_[analysis_->states[k].variable.value] = k;
  for (model::Bound& b : expressions) {
    const model::NodeId root = model::forms().root(model::forms().unmarked(b.form));
    Expression e{std::move(b), root, std::nullopt, {}};
    const model::Exprs& exprs = model::forms().exprs();
    if (exprs[root].op == model::ExprOp::placeholder) e.plain = exprs.placeholder_of(root);
    for (Operand o : e.bound.operands) {
      e.operands.push_back(source(o));
      if (e.operands.back().from == From::output) wanted_.push_back(e.operands.back().index);
    }
    expressions_.push_back(std::move(e));
  }
  std::sort(wanted_.begin(), wanted_.end());
  wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
}

Readings::Source Readings::source(Operand o) const {
  const FlatModel& m = analysis_->flat;
  switch (o.kind()) {
    case OperandKind::time: return {From::time};
    case OperandKind::constant: return {From::number, 0, model::constant(model::ConstId{o.index()}).number};
    case OperandKind::start: return {From::other, start_key(o.index())};
    case OperandKind::value: break;
    default: return {From::number, 0, 0};
  }
  std::uint32_t v = o.index();
  for (unsigned k = 0; k < o.order(); ++k) {
    if (v >= m.derivative.size() || m.derivative[v] == FlatModel::none) return {From::number, 0, std::nan("")};
    v = m.derivative[v];
  }
  return source(v);
}

Readings::Source Readings::source(std::uint32_t v) const {
  const Analysis& a = *analysis_;
  if (v < a.flat.slots && !a.system->unknown[v]) {
    const InputNumbers& in = *a.inputs_of_tape;
    if (const auto input = in.signal_of.find(v)) return {From::signal, *input};
    if (v < a.output_of.size() && a.output_of[v] != none) return {From::output, a.output_of[v], 1};
    if (a.flat.variability[v] >= model::Variability::discrete) return {From::other, start_key(v)};
    if (const auto input = in.parameter_of.find(v)) return {From::parameter, *input};
    return {From::other, v};
  }
  const Representative& r = a.representative[v];
  if (r.sign == 0) return {From::number, 0, static_cast<double>(r.constant)};
  const std::uint32_t root = r.root.value;
  if (state_of_[root] != none) return {From::state, state_of_[root], static_cast<double>(r.sign)};
  return {From::output, a.output_of[root], static_cast<double>(r.sign)};
}

// A parameter that follows from others, or a start value.
double Readings::other(std::uint32_t key, const simulate::Problem& p) const {
  const std::lock_guard lock(*mutex_);
  Overrides given;
  const InputNumbers& in = *analysis_->inputs_of_tape;
  for (std::size_t k = 0; k < in.parameters.size(); ++k) given[in.parameters[k]] = p.parameters[k];
  for (std::size_t k = 0; k < in.starts.size(); ++k) given[start_key(in.starts[k])] = p.starts[k];
  Numbers numbers(analysis_->flat, bindings_, given);
  return is_start(key) ? numbers.start(slot_of(key)) : numbers.value(key);
}

template <class Output>
double Readings::value(const Expression& e, const simulate::Problem& p, double time, std::span<const double> state, Output&& output) const {
  const auto operand = [&](std::uint32_t k) {
    const Source& s = e.operands[k];
    switch (s.from) {
      case From::number: return s.factor;
      case From::time: return time;
      case From::parameter: return p.parameters[s.index];
      case From::signal: return p.signals[s.index];
      case From::state: return s.factor * state[s.index];
      case From::output: return s.factor * output(s.index);
      default: return other(s.index, p);
    }
  };
  if (e.plain) return operand(*e.plain);
  const std::lock_guard lock(*mutex_);
  return evaluate(e.root, operand);
}

std::vector<double> Readings::last(const simulate::Problem& p, const simulate::Trajectory& t) const {
  const std::size_t point = t.size() - 1;
  std::vector<double> outputs, values;
  if (!wanted_.empty()) outputs = simulate::outputs_at(p, t, t.time()[point]);  // as Sampler does
  for (const Expression& e : expressions_)
    values.push_back(value(e, p, t.time()[point], t.state(point), [&](std::uint32_t k) { return outputs[k]; }));
  return values;
}

std::vector<std::vector<double>> Readings::series(const simulate::Problem& p, const simulate::Trajectory& t) const {
  const auto columns = simulate::output_columns(p, t, wanted_);
  std::vector<std::vector<double>> list;
  for (const Expression& e : expressions_) {
    list.emplace_back();
    for (std::size_t i = 0; i < t.size(); ++i)
      list.back().push_back(value(e, p, t.time()[i], t.state(i), [&](std::uint32_t k) {
        return columns[static_cast<std::size_t>(std::lower_bound(wanted_.begin(), wanted_.end(), k) - wanted_.begin())][i];
      }));
  }
  return list;
}

}  // namespace kron::session
