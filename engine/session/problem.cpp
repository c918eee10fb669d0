// Numbers for a run: an analysis with parameters, starts and overrides makes a simulate::Problem.
#include <algorithm>
#include <cmath>

#include "engine/session/emit.hpp"
#include "engine/session/evaluate.hpp"

namespace kron::session {

using model::Operand;

namespace {

// Parameters, starts and nominal values that are infinite or no number: those that are so by their own expression.
void check_finite(const FlatModel& m, const Bindings& bindings, Numbers& numbers, const std::map<std::uint32_t, double>& overrides,
                  Diagnostics& diagnostics) {
  const auto tell = [&](const std::string& what, double x, Span place) {
    auto& d = diagnostics.error("E0411", place, what + (std::isnan(x) ? " is not a number" : " is infinite"));
    d.help = "a division by zero, a number over 1e308, or a function outside its domain gives this";
  };
  const auto finite_operands = [&](const FlatModel::FlatBinding& b) {
    const auto ops = bindings.operands(b);
    return std::all_of(ops.begin(), ops.end(), [&](Operand o) { return std::isfinite(numbers.operand(o)); });
  };
  for (const FlatModel::FlatBinding& b : m.bindings) {
    if (&b != bindings.find(b.kind, b.slot)) continue;  // another one wins
    const std::string_view attribute = b.kind == model::BindingKind::start ? "the start value of " : "the nominal value of ";
    if (b.kind == model::BindingKind::value) {
      if (m.variability[b.slot] > model::Variability::parameter || overrides.contains(b.slot)) continue;
      if (const double x = numbers.value(b.slot); !std::isfinite(x) && finite_operands(b))
        tell("the parameter `" + model::name(m, VarId{b.slot}) + "`", x, b.span);
    } else if (b.kind == model::BindingKind::start || b.kind == model::BindingKind::nominal) {
      if (const auto x = numbers.bound(b.kind, b.slot); !std::isfinite(*x) && finite_operands(b))
        tell(std::string(attribute) + "`" + model::name(m, VarId{b.slot}) + "`", *x, b.span);
    }
  }
  for (const auto& [slot, x] : overrides)
    if (!std::isfinite(x)) tell("the parameter `" + model::name(m, VarId{slot}) + "`", x, place(m, VarId{slot}));
}

simulate::AssertionText text_of(const FlatModel& m, const FlatModel::FlatAssertion& a) {
  const model::Assertion& s = statement(m, a);
  const std::string path = model::path(m, a.instance);
  simulate::AssertionText text{path.empty() ? s.text : "`" + path + "`: " + s.text, {}, {print(m, a.condition), s.span}};
  for (const model::FlatEquation& v : a.values) text.values.push_back(print(m, v));
  return text;
}

simulate::AssertionText text_of(const SurplusCondition& s) {
  const std::string others = s.closes_loop       ? " closes a loop that does not fit: its parts cannot be put together so"
                             : s.rivals.empty() ? " does not agree with the equations of the model"
                                                : " does not agree with the other initial conditions";
  simulate::AssertionText text{s.own.label + others, {}, {s.own.label, s.own.place}};
  for (const auto& r : s.rivals) text.values.push_back(r.label + " is one of them");
  constexpr std::size_t most = 4;
  for (std::size_t k = 0; k < s.equations.size() && k < most; ++k)
    text.values.push_back("the equation " + s.equations[k].label + (s.rivals.empty() ? " is one of them" : " binds them"));
  if (s.equations.size() > most) text.values.push_back("and " + std::to_string(s.equations.size() - most) + " equations more");
  return text;
}

// The assertions that parameters alone decide.
void check_assertions(const Analysis& a, Numbers& numbers, Diagnostics& diagnostics) {
  const FlatModel& m = a.flat;
  const auto value = [&](const model::FlatEquation& x) {
    const auto ops = m.bound(x);
    return evaluate(model::forms().root(model::forms().unmarked(x.form)), [&](std::uint32_t k) { return numbers.operand(ops[k]); });
  };
  for (std::uint32_t k : a.fixed_assertions) {
    const FlatModel::FlatAssertion& x = m.assertions[k];
    if (value(x.condition) != 0) continue;
    const simulate::AssertionText text = text_of(m, x);
    auto& d = diagnostics.error(simulate::code_of(simulate::Trouble::assertion), text.origin.place, text.message);
    d.label = "`" + text.origin.equation + "` does not hold";
    for (std::size_t i = 0; i < x.values.size(); ++i) d.notes.push_back({{}, "`" + text.values[i] + "` is " + kron::to_text(value(x.values[i]))});
  }
}

simulate::Origin origin(const Analysis& a, const Block& b, std::uint32_t row) {
  return {equation_label(a, b, row), equation_place(a, b, row)};
}

// The equation that a block solves for the variable; of a block solved as a whole its first one.
simulate::Origin origin(const Analysis& a, const std::vector<Block>& blocks, VarId v) {
  for (const Block& b : blocks) {
    if (std::find(b.unknowns.begin(), b.unknowns.end(), v) == b.unknowns.end()) continue;
    for (const auto& [row, unknown] : b.pivots)
      if (b.unknowns[unknown] == v) return origin(a, b, row);
    return origin(a, b, 0);
  }
  return {};
}

// The derivative of a state, or where that is a state too, the first one in the chain that is none.
VarId driver(const Analysis& a, VarId state) {
  std::uint32_t v = state.value;
  for (std::size_t k = 0; k < a.states.size() && a.system->state[v]; ++k) v = a.system->derivative[v];
  return VarId{v};
}

// States of dynamic sets, and of choices that hints made where the constraints are not linear.
std::vector<bool> constrained_states(const Analysis& a) {
  std::vector<bool> list;
  const auto chosen = [&](std::uint32_t v) {
    return std::any_of(a.system->choices.begin(), a.system->choices.end(), [&](const StateChoice& c) {
      return std::find(c.states.begin(), c.states.end(), a.system->derivative[v]) != c.states.end();
    });
  };
  for (const State& s : a.states) list.push_back(s.set >= 0 || chosen(s.variable.value));
  return list;
}

}  // namespace

simulate::Problem Engine::problem(std::shared_ptr<const Analysis> a, const std::map<std::uint32_t, double>& overrides,
                                  Diagnostics& diagnostics) {
  simulate::Problem p;
  p.dynamics = a->program;
  p.initial = a->initial_program;
  const Bindings bindings(a->flat);
  Numbers numbers(a->flat, bindings, overrides, &diagnostics);
  const InputNumbers& in = *a->inputs_of_tape;
  const auto exact_of = [&](model::BindingKind kind, std::uint32_t slot, double value) {
    const auto* b = overrides.contains(slot) ? nullptr : bindings.find(kind, slot);
    if (const auto r = b ? bindings.exact_constant(*b) : std::nullopt) return *r;
    return std::isfinite(value) ? decimal(value) : Rational(0);
  };
  for (std::uint32_t s : in.parameters) {
    p.parameters.push_back(numbers.value(s));
    p.exact_parameters.push_back(exact_of(model::BindingKind::value, s, p.parameters.back()));
  }
  for (std::uint32_t s : in.starts) {
    p.starts.push_back(numbers.start(s));
    p.exact_starts.push_back(exact_of(model::BindingKind::start, s, p.starts.back()));
  }
  for (std::uint32_t s : in.signals) {
    p.signals.push_back(numbers.start(s));
    p.exact_signals.push_back(exact_of(model::BindingKind::start, s, p.signals.back()));
  }
  check_finite(a->flat, bindings, numbers, overrides, diagnostics);
  if (!diagnostics.has_errors()) check_assertions(*a, numbers, diagnostics);
  const VariableTable table(*a->system, bindings, numbers);
  for (const State& s : a->states) p.nominal.push_back(table[s.variable.value].nominal);
  p.free_parameters = a->free_parameters;
  p.surplus = a->surplus.size();
  p.surplus_text = [a](std::size_t k) { return text_of(a->surplus[k]); };
  for (const StateSet& s : a->sets) {
    simulate::StateSet set{s.selection, s.level, s.first, s.slots, {}};
    for (VarId v : s.candidates) set.nominal.push_back(table[v.value].nominal);
    p.sets.push_back(std::move(set));
  }
  if (p.dynamics) p.choices = state_choices(*a, numbers);
  p.constrained = constrained_states(*a);
  auto root = static_cast<std::uint32_t>(a->output_variables.size());
  for (const CheckedAssertion& x : a->assertions) {
    const auto values = static_cast<std::uint32_t>(x.values.size());
    p.assertions.push_back({root, values, a->tape->section(x.condition) == code::Section::dynamic});
    root += 1 + values;
  }
  p.assertion_text = [a](std::size_t k) { return text_of(a->flat, a->flat.assertions[a->assertions[k].assertion]); };
  p.reordered = [data = data_.get(), a](const simulate::OperatingPoint& point) { return reordered(*data, *a, point); };
  p.state_name = [a](std::size_t k) { return state_name(*a, k); };
  p.output_name = [a](std::size_t k) { return name(*a, a->output_variables[k]); };
  p.output_origin = [a](std::size_t k) { return origin(*a, a->blocks, a->output_variables[k]); };
  p.start_origin = [a](std::size_t k) { return origin(*a, a->initial_blocks, a->states[k].variable); };
  p.derivative_origin = [a](std::size_t k) { return origin(*a, a->blocks, driver(*a, a->states[k].variable)); };
  for (VarId v : a->output_variables) p.output_order.push_back(a->block_of[v.value]);
  p.block_origin = [a](bool initial, std::uint32_t block) {
    const auto& blocks = initial ? a->initial_blocks : a->blocks;
    return block < blocks.size() ? origin(*a, blocks[block], 0) : simulate::Origin{};
  };
  p.block_residues = [a](bool initial, std::uint32_t block) {
    const auto& blocks = initial ? a->initial_blocks : a->blocks;
    if (block >= blocks.size()) return std::vector<std::string>{};
    const Block& b = blocks[block];
    if (b.residues.empty()) return equation_labels(*a, b);
    std::vector<std::string> labels;
    for (std::uint32_t k : b.residues) labels.push_back(equation_label(*a, b, k));
    return labels;
  };
  p.block_unknowns = [a](bool initial, std::uint32_t block) {
    std::vector<std::string> names;
    const auto& blocks = initial ? a->initial_blocks : a->blocks;
    if (block >= blocks.size()) return names;
    for (VarId v : blocks[block].torn.empty() ? blocks[block].unknowns : blocks[block].torn) names.push_back(name(*a, v));
    return names;
  };
  return p;
}

}  // namespace kron::session
