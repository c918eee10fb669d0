#include <algorithm>
#include <cmath>

#include "engine/session/evaluate.hpp"
#include "engine/session/values.hpp"

namespace kron::session {

using model::Operand;
using model::OperandKind;

// Values of variables over a trajectory: states are stored, outputs evaluated from them once per request, the rest does not change.
struct Sampler::Data {
  std::shared_ptr<const Analysis> analysis;
  simulate::Problem problem;
  const simulate::Trajectory* trajectory = nullptr;
  Overrides overrides;
  std::vector<std::uint32_t> state_of;  // by variable
  std::unique_ptr<Bindings> bindings;
  std::unique_ptr<Numbers> numbers;
  std::optional<double> cached_time;
  std::vector<double> cached_state, cached_output;

  enum class From : std::uint8_t { constant, state, output };
  struct Source { From from = From::constant; std::uint32_t index = 0; double factor = 1; };

  Source source(std::uint32_t v) {
    const Analysis& a = *analysis;
    if (v < a.flat.slots && !a.system->unknown[v]) {
      if (const auto input = a.inputs_of_tape->signal_of.find(v)) return {From::constant, 0, problem.signals[*input]};
      if (v < a.output_of.size() && a.output_of[v] != none) return {From::output, a.output_of[v], 1};
      if (a.flat.variability[v] >= model::Variability::discrete) return {From::constant, 0, numbers->start(v)};
      return {From::constant, 0, numbers->value(v)};
    }
    const Representative& r = a.representative[v];
    if (r.sign == 0) return {From::constant, 0, static_cast<double>(r.constant)};
    const std::uint32_t root = r.root.value;
    if (state_of[root] != none) return {From::state, state_of[root], static_cast<double>(r.sign)};
    return {From::output, a.output_of[root], static_cast<double>(r.sign)};
  }

  void at(double t) {
    if (cached_time == t) return;
    cached_state.resize(trajectory->states());
    trajectory->interpolate(t, cached_state);
    cached_output = simulate::outputs_at(problem, *trajectory, t);
    cached_time = t;
  }

  double now(const Source& s) {
    switch (s.from) {
      case From::state: return s.factor * cached_state[s.index];
      case From::output: return s.factor * cached_output[s.index];
      default: return s.factor;
    }
  }

  double constant_operand(Operand o) {
    return o.kind() == OperandKind::constant || o.kind() == OperandKind::start ? numbers->operand(o) : 0;
  }

  // A bound expression over the run: its operands' columns. Derivatives: operand value(slot, order).
  std::optional<std::uint32_t> variable(Operand o) {
    std::uint32_t v = o.index();
    for (unsigned k = 0; k < o.order(); ++k) {
      if (v >= analysis->flat.derivative.size()) return std::nullopt;
      std::uint32_t d = analysis->flat.derivative[v];
      if (d == FlatModel::none) return std::nullopt;
      v = d;
    }
    return v;
  }
};

Sampler::Sampler(std::shared_ptr<const Analysis> a, simulate::Problem p, const simulate::Trajectory& t)
    : data(std::make_shared<Data>()) {
  data->analysis = std::move(a);
  data->problem = std::move(p);
  data->trajectory = &t;
  data->bindings = std::make_unique<Bindings>(data->analysis->flat);
  const InputNumbers& in = *data->analysis->inputs_of_tape;
  for (std::size_t k = 0; k < in.parameters.size(); ++k) data->overrides[in.parameters[k]] = data->problem.parameters[k];
  for (std::size_t k = 0; k < in.starts.size(); ++k) data->overrides[start_key(in.starts[k])] = data->problem.starts[k];
  for (std::size_t k = 0; k < in.signals.size(); ++k) data->overrides[start_key(in.signals[k])] = data->problem.signals[k];
  data->numbers = std::make_unique<Numbers>(data->analysis->flat, *data->bindings, data->overrides);
  data->state_of.assign(data->analysis->system->variables(), none);
  for (std::uint32_t k = 0; k < data->analysis->states.size() && data->analysis->states[k].set < 0; ++k)
    data->state_of[data->analysis->states[k].variable.value] = k;
}

double Sampler::value(VarId v, double time) {
  const auto s = data->source(v.value);
  if (s.from != Data::From::constant) data->at(time);
  return data->now(s);
}

double Sampler::value(const model::Bound& b, double time) {
  return evaluate(model::forms().root(model::forms().unmarked(b.form)), [&](std::uint32_t k) {
    const Operand o = b.operands[k];
    if (o.kind() == OperandKind::time) return time;
    if (o.kind() != OperandKind::value) return data->constant_operand(o);
    const auto v = data->variable(o);
    return v ? value(VarId{*v}, time) : std::nan("");
  });
}

std::vector<std::vector<double>> Sampler::series(std::span<const VarId> variables) {
  const std::size_t n = data->trajectory->size();
  std::vector<std::size_t> wanted;
  std::vector<Data::Source> sources;
  for (VarId v : variables) {
    sources.push_back(data->source(v.value));
    if (sources.back().from == Data::From::output) wanted.push_back(sources.back().index);
  }
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  const auto outputs = wanted.empty() ? std::vector<std::vector<double>>{}
                                      : simulate::output_columns(data->problem, *data->trajectory, wanted);
  std::vector<std::vector<double>> columns;
  for (const auto& s : sources) {
    std::vector<double> c(n, s.factor);
    if (s.from == Data::From::state)
      for (std::size_t i = 0; i < n; ++i) c[i] = s.factor * data->trajectory->state(i)[s.index];
    if (s.from == Data::From::output) {
      const auto at = static_cast<std::size_t>(std::lower_bound(wanted.begin(), wanted.end(), s.index) - wanted.begin());
      for (std::size_t i = 0; i < n; ++i) c[i] = s.factor * outputs[at][i];
    }
    columns.push_back(std::move(c));
  }
  return columns;
}

std::vector<double> Sampler::series(const model::Bound& b) {
  std::vector<VarId> variables;
  std::vector<std::size_t> column(b.operands.size(), none);
  for (std::size_t k = 0; k < b.operands.size(); ++k)
    if (b.operands[k].kind() == OperandKind::value)
      if (auto v = data->variable(b.operands[k])) {
        column[k] = variables.size();
        variables.push_back(VarId{*v});
      }
  const auto columns = series(variables);
  std::vector<double> out;
  const model::NodeId root = model::forms().root(model::forms().unmarked(b.form));
  for (std::size_t i = 0; i < data->trajectory->size(); ++i)
    out.push_back(evaluate(root, [&](std::uint32_t k) {
      const Operand o = b.operands[k];
      if (o.kind() == OperandKind::time) return data->trajectory->time()[i];
      if (column[k] != none) return columns[column[k]][i];
      return o.kind() == OperandKind::value ? std::nan("") : data->constant_operand(o);
    }));
  return out;
}

}  // namespace kron::session
