// Numbers for a run: an analysis with parameters, starts and overrides makes a simulate::Problem.
#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>

#include "engine/session/engine_data.hpp"
#include "engine/session/evaluate.hpp"
#include "engine/session/loop_flows.hpp"

namespace kron::session {

using model::Operand;

namespace {

// Parameters, starts and nominal values that are infinite or no number: those that are so by their own expression. `told_of`: instances
// of which something was told already, and those in them.
void check_finite(const FlatModel& m, const Bindings& bindings, Numbers& numbers, const Overrides& overrides,
                  const std::vector<std::uint32_t>& told_of, Diagnostics& diagnostics) {
  const auto is_told = [&](std::uint32_t slot) {
    if (told_of.empty()) return false;
    for (std::uint32_t i = model::instance_of(m, model::SlotId{slot}); i != 0; i = m.instances[i].parent)
      if (std::ranges::find(told_of, i) != told_of.end()) return true;
    return false;
  };
  const auto tell = [&](const std::string& what, double x, Span place) {
    auto& d = diagnostics.error("E0411", place, what + (std::isnan(x) ? " is not a number" : " is infinite"));
    d.help = "a division by zero, a number over 1e308, or a function outside its domain gives this";
    return &d;
  };
  // What it was computed from, where that is given.
  const auto explain = [&](Diagnostic& d, const FlatModel::FlatBinding& b) {
    constexpr std::size_t most = 6;
    for (const Operand o : bindings.operands(b)) {
      if (o.kind() != model::OperandKind::value || o.index() >= m.slots || d.notes.size() == most) continue;
      const FlatModel::FlatBinding* given = bindings.find(model::BindingKind::value, o.index());
      d.notes.push_back({given && !overrides.contains(o.index()) ? given->span : place(m, VarId{o.index()}),
                         "`" + model::name(m, VarId{o.index()}) + "` is " + kron::to_text(numbers.operand(o))});
    }
  };
  // The component of the model that it belongs to: the text above may be a library's.
  const auto tell_component = [&](Diagnostic& d, std::uint32_t slot) {
    const std::uint32_t component = model::component_of(m, model::instance_of(m, model::SlotId{slot}));
    if (component != 0) d.notes.push_back({model::component_place(m, component), "in component `" + model::path(m, component) + "`"});
  };
  std::set<std::uint32_t> told;  // groups of elements
  const auto finite_operands = [&](const FlatModel::FlatBinding& b) {
    const auto ops = bindings.operands(b);
    return std::all_of(ops.begin(), ops.end(), [&](Operand o) { return std::isfinite(numbers.operand(o)); });
  };
  for (const FlatModel::FlatBinding& b : m.bindings) {
    if (&b != bindings.find(b.kind, b.slot) || is_told(b.slot)) continue;  // another one wins
    const std::string_view attribute = b.kind == model::BindingKind::start ? "the start value of " : "the nominal value of ";
    if (b.kind == model::BindingKind::value) {
      if (m.variability[b.slot] > model::Variability::parameter || overrides.contains(b.slot)) continue;
      if (const double x = numbers.value(b.slot); !std::isfinite(x) && finite_operands(b) && told.insert(group(m, VarId{b.slot})).second) {
        Diagnostic& d = *tell("the parameter `" + model::name(m, VarId{b.slot}) + "`", x, b.span);
        explain(d, b);
        tell_component(d, b.slot);
      }
    } else if (b.kind == model::BindingKind::start || b.kind == model::BindingKind::nominal) {
      if (const auto x = numbers.bound(b.kind, b.slot); !std::isfinite(*x) && finite_operands(b))
        tell(std::string(attribute) + "`" + model::name(m, VarId{b.slot}) + "`", *x, b.span);
    }
  }
  for (const auto& [key, x] : overrides)
    if (const VarId v{slot_of(key)}; !std::isfinite(x))
      tell((is_start(key) ? "the start value of `" : "the parameter `") + model::name(m, v) + "`", x, place(m, v));
}

// The least and largest values that parameters are declared with; of an array the first element that is outside is told.
const FlatModel::FlatBinding* crossed_limit(const Bindings& bindings, Numbers& numbers, std::uint32_t slot) {
  if (!bindings.has_limits(slot) || bindings.model().variability[slot] > model::Variability::parameter) return nullptr;
  const double x = numbers.value(slot);
  const auto least = numbers.bound(model::BindingKind::minimum, slot), largest = numbers.bound(model::BindingKind::maximum, slot);
  if (least && x < *least) return bindings.find(model::BindingKind::minimum, slot);
  return largest && x > *largest ? bindings.find(model::BindingKind::maximum, slot) : nullptr;
}

// Whether it is the value of another parameter that is outside its limits, too.
bool hands_on_crossed(const Bindings& bindings, Numbers& numbers, const FlatModel::FlatBinding& b) {
  const auto operands = bindings.operands(b);
  return operands.size() == 1 && operands[0].kind() == model::OperandKind::value && operands[0].index() < bindings.model().slots &&
         numbers.operand(operands[0]) == numbers.value(b.slot) && crossed_limit(bindings, numbers, operands[0].index()) != nullptr;
}

// `found`: of those that the start of a run has found; else of the others.
void check_limits(const FlatModel& m, const Bindings& bindings, Numbers& numbers, const Overrides& overrides, bool found, Diagnostics& diagnostics) {
  std::set<std::uint32_t> told;  // groups of elements
  for (const FlatModel::FlatBinding& b : m.bindings) {
    if (b.kind != model::BindingKind::minimum && b.kind != model::BindingKind::maximum) continue;
    const VarId v{b.slot};
    if (static_cast<bool>(m.flags[b.slot] & model::SlotFlag::free) != found) continue;
    const FlatModel::FlatBinding* limit = crossed_limit(bindings, numbers, b.slot);
    if (limit != &b || !told.insert(group(m, v)).second) continue;
    const FlatModel::FlatBinding* given = overrides.contains(b.slot) ? nullptr : bindings.find(model::BindingKind::value, b.slot);
    if (given != nullptr && hands_on_crossed(bindings, numbers, *given)) continue;  // told of the other one
    const bool least = b.kind == model::BindingKind::minimum;
    auto& d = diagnostics.warning("W0418", given ? given->span : place(m, v),
                                  "`" + model::name(m, v) + "` is " + kron::to_text(numbers.value(b.slot)) + ", " + (least ? "less than its least value " : "more than its largest value ") +
                                      kron::to_text(*numbers.bound(b.kind, b.slot)));
    d.notes.push_back({b.span, "its limit is declared here"});
  }
}

// Of an Integer, a Boolean or an enumeration not every number is a value.
bool fits_type(const FlatModel& m, std::uint32_t slot, double x) {
  const model::ValueType type = model::declaration(m, VarId{slot}).type;
  return type == model::ValueType::real || (x == std::floor(x) && (type != model::ValueType::boolean || (x >= 0 && x <= 1)));
}

void check_types(const FlatModel& m, const Overrides& overrides, Diagnostics& diagnostics) {
  for (const auto& [key, x] : overrides)
    if (const VarId v{slot_of(key)}; std::isfinite(x) && !fits_type(m, slot_of(key), x))
      diagnostics.error("E0221", place(m, v), "`" + model::name(m, v) + "` is no Real, and its value is " + kron::to_text(x));
}

// For a message: what functions come to where they are put in may be longer than anybody reads.
std::string beginning(std::string text) {
  constexpr std::size_t most = 240;
  if (text.size() <= most) return text;
  std::size_t end = most;
  while ((static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // no part of a character
  return text.substr(0, end) + " …";
}

// A condition may come down to `true` or `false`.
std::string condition_text(const FlatModel& m, const model::FlatEquation& x) {
  const Rational* r = model::forms().exprs().if_literal(model::forms().root(x.form));
  return r == nullptr ? beginning(print(m, x)) : *r == 0 ? "false" : "true";
}

simulate::AssertionText text_of(const FlatModel& m, const FlatModel::FlatAssertion& a) {
  const model::Assertion& s = statement(m, a);
  const std::string path = model::path(m, a.instance);
  simulate::AssertionText text{path.empty() ? s.text : "`" + path + "`: " + s.text, {}, {condition_text(m, a.condition), s.span}};
  for (const model::FlatEquation& v : a.values) text.values.push_back(beginning(print(m, v)));
  return text;
}

simulate::AssertionText text_of_closing(const FlatModel& m, EqId e) {
  const std::string label = model::label(m, e);
  return {"`" + label + "` follows from the rest of its loop where the run began, and does not any more: the loop comes apart there", {},
          {label, place(m, e), loop_hint(m, {&e, 1})}};
}

simulate::AssertionText text_of(const FlatModel& m, const SurplusCondition& s) {
  const std::string others = s.closes_loop       ? " closes a loop that does not fit: its parts cannot be put together so"
                             : s.constant       ? " does not agree with the equations of the model, which leave it one value"
                             : s.rivals.empty() ? " does not agree with the equations of the model"
                                                : " does not agree with the other initial conditions";
  std::string hint = s.constrained ? std::string(constrained_hint) : loop_hint(m, s.origins);
  if (!s.closes_loop) hint = "take one of them out, or make them agree" + (hint.empty() ? "" : "; " + hint);
  else if (hint.empty()) hint = "give its parts other lengths or turns, or start values from which it closes";
  simulate::AssertionText text{s.own.label + others, {}, {s.own.label, s.own.place, std::move(hint)}};
  for (const auto& r : s.rivals) text.values.push_back(r.label + " is one of them");
  constexpr std::size_t most = 4;
  for (std::size_t k = 0; k < s.equations.size() && k < most; ++k)
    text.values.push_back("the equation " + s.equations[k].label + (s.rivals.empty() ? " is one of them" : " binds them"));
  if (s.equations.size() > most) text.values.push_back("and " + std::to_string(s.equations.size() - most) + " equations more");
  return text;
}

// Whether the block has constraints that determine what an initial condition asks for.
bool constrains_a_condition(const Analysis& a, const Block& b) {
  return std::ranges::any_of(a.surplus, [&](const SurplusCondition& s) {
    return s.constrained && std::ranges::any_of(s.origins, [&](EqId e) { return std::ranges::find(b.equations, e) != b.equations.end(); });
  });
}

// The assertions that parameters alone decide.
double condition(const Analysis& a, const model::FlatEquation& x, Numbers& numbers) {
  const auto ops = a.flat.bound(x);
  return evaluate(model::forms().root(model::forms().unmarked(x.form)), [&](std::uint32_t k) { return numbers.operand(ops[k]); });
}

}  // namespace

std::vector<std::uint32_t> check_assertions(const Analysis& a, Numbers& numbers, Diagnostics& diagnostics) {
  const FlatModel& m = a.flat;
  std::vector<std::uint32_t> failed;
  const auto value = [&](const model::FlatEquation& x) { return condition(a, x, numbers); };
  for (std::uint32_t k : a.fixed_assertions) {
    const FlatModel::FlatAssertion& x = m.assertions[k];
    const auto ops = m.bound(x.condition);
    if (value(x.condition) != 0 || std::ranges::any_of(ops, [&](Operand o) { return std::isnan(numbers.operand(o)); })) continue;
    const simulate::AssertionText text = text_of(m, x);
    auto& d = diagnostics.error(simulate::code_of(simulate::Trouble::assertion), text.origin.place, text.message);
    d.label = ops.empty() ? "this does not hold" : "`" + text.origin.equation + "` does not hold";
    for (std::size_t i = 0; i < x.values.size(); ++i) d.notes.push_back({{}, "`" + text.values[i] + "` is " + kron::to_text(value(x.values[i]))});
    failed.push_back(x.instance);
  }
  return failed;
}

namespace {

simulate::Origin origin(const Analysis& a, const Block& b, std::uint32_t row) {
  return {equation_label(a, b, row), equation_place(a, b, row)};
}

// The equation that a block solves for the variable; of a block solved as a whole its first one.
simulate::Origin origin(const Analysis& a, const std::vector<Block>& blocks, VarId v) {
  for (const Block& b : blocks) {
    if (std::find(b.unknowns.begin(), b.unknowns.end(), v) == b.unknowns.end()) continue;
    for (const auto& [row, unknown] : b.how().pivots)
      if (b.unknowns[unknown] == v) return origin(a, b, row);
    return origin(a, b, 0);
  }
  return {};
}

// Made when somebody asks for it first.
template <class T>
struct Once {
  std::once_flag flag;
  std::shared_ptr<const T> value;
};

// The derivative of a state, or where that is a state too, the first one in the chain that is none.
VarId driver(const Analysis& a, VarId state) {
  std::uint32_t v = state.value;
  for (std::size_t k = 0; k < a.states.size() && a.system->state[v]; ++k) v = a.system->derivative[v];
  return VarId{v};
}

// What root k of the initial program is the value of, before conditions that are only checked.
VarId started(const Analysis& a, std::size_t k) {
  const auto within = [&](std::size_t n) {
    const bool is = k < n;
    if (!is) k -= n;
    return is;
  };
  if (within(a.states.size())) return a.states[k].variable;
  if (within(a.free_parameters.size())) return VarId{a.inputs_of_tape->parameters[a.free_parameters[k]]};
  for (const StateSet& s : a.sets)
    if (within(s.candidates.size())) return s.candidates[k];
  return a.iteration_starts[k];
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

std::optional<simulate::StateChoice> divided_choice(const System& s) {
  if (s.divided.empty()) return std::nullopt;
  simulate::StateChoice c;
  c.of_pieces = true;
  for (std::uint32_t v : s.divided) c.among.push_back(name(s, v));
  for (const DynamicSet& set : s.sets) {
    if (!std::ranges::binary_search(s.divided, chain_base(s, set.candidates.front()))) continue;
    const EqId origin{s.rows[set.rows.front()].origin};
    c.origin = {model::label(*s.flat, origin), place(*s.flat, origin)};
    break;
  }
  return c;
}

}  // namespace

// ---- kept numbers -------------------------------------------------------------------------------------------------------------------

Numbering::Numbering(std::shared_ptr<const Analysis> a)
    : analysis_(std::move(a)), bindings_(*analysis_->bindings), numbers_(analysis_->flat, bindings_, overrides_) {}

void Numbering::evaluate(const Overrides& overrides, Diagnostics& diagnostics) {
  if (!holds_ || !update(overrides)) evaluate_all(overrides, diagnostics);
}

void check_found(const Analysis& a, Overrides overrides, std::span<const double> values, Diagnostics& diagnostics) {
  for (std::size_t k = 0; k < values.size(); ++k) overrides[a.inputs_of_tape->parameters[a.free_parameters[k]]] = values[k];
  Numbers numbers(a.flat, *a.bindings, overrides);
  check_limits(a.flat, *a.bindings, numbers, overrides, true, diagnostics);
}

simulate::Problem& Numbering::problem() {
  if (problem_.open_form && problem_.output_nominal.empty())
    for (VarId v : analysis_->output_variables) problem_.output_nominal.push_back(nominal_[v.value]);
  return problem_;
}

void Numbering::evaluate_all(const Overrides& overrides, Diagnostics& diagnostics) {
  const Analysis& a = *analysis_;
  overrides_ = overrides;
  numbers_.forget();
  simulate::Problem& p = problem_;
  const InputNumbers& in = *a.inputs_of_tape;
  const auto values = [](const std::vector<std::uint32_t>& slots, auto&& of) {
    std::vector<double> list;
    list.reserve(slots.size());
    for (std::uint32_t s : slots) list.push_back(of(s));
    return list;
  };
  p.parameters = values(in.parameters, [&](std::uint32_t s) { return numbers_.value(s); });
  p.starts = values(in.starts, [&](std::uint32_t s) { return numbers_.start(s); });
  p.signals = values(in.signals, [&](std::uint32_t s) { return numbers_.start(s); });
  p.discrete_starts = values(a.flat.discrete, [&](std::uint32_t s) { return numbers_.start(s); });
  Diagnostics own, infinite;
  check_finite(a.flat, bindings_, numbers_, overrides_, {}, infinite);
  if (infinite.has_errors())  // assertions may say what a number that is none comes from
    if (const std::vector<std::uint32_t> failed = check_assertions(a, numbers_, own); !failed.empty()) {
      infinite = {};
      check_finite(a.flat, bindings_, numbers_, overrides_, failed, infinite);
    }
  own.append(infinite);
  check_types(a.flat, overrides_, own);
  check_limits(a.flat, bindings_, numbers_, overrides_, false, own);
  if (!own.has_errors()) check_assertions(a, numbers_, own);
  nominal_ = nominal_values(*a.system, bindings_, numbers_);
  p.nominal.clear();
  for (const State& s : a.states) p.nominal.push_back(nominal_[s.variable.value]);
  p.output_nominal.clear();
  p.sets.clear();
  for (const StateSet& s : a.sets) {
    simulate::StateSet set{s.selection, s.level, s.first, s.slots, {}};
    for (VarId v : s.candidates) set.nominal.push_back(nominal_[v.value]);
    p.sets.push_back(std::move(set));
  }
  p.divided = divided_choice(*a.system);
  if (a.program && !std::exchange(watched_, true)) measures_ = watch_choices(analysis_, p);
  measure_choices(measures_, overrides_, p);
  holds_ = !own.has_errors();
  diagnostics.append(own);
}

void Numbering::find_readers() {
  const FlatModel& m = analysis_->flat;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> reads;  // node, reader
  const auto read = [&](std::span<const Operand> operands, std::uint32_t reader) {
    for (Operand o : operands)
      if (o.has_slot() && o.index() < m.slots) reads.emplace_back(2 * o.index() + (o.kind() != model::OperandKind::value), reader);
  };
  for (std::uint32_t k = 0; k < m.bindings.size(); ++k) read(bindings_.operands(m.bindings[k]), k);
  const auto first = static_cast<std::uint32_t>(m.bindings.size());
  for (std::uint32_t k : analysis_->fixed_assertions) read(m.bound(m.assertions[k].condition), first + k);
  reader_begin_.assign(2 * std::size_t{m.slots} + 1, 0);
  for (const auto& [node, reader] : reads) ++reader_begin_[node + 1];
  for (std::size_t k = 1; k < reader_begin_.size(); ++k) reader_begin_[k] += reader_begin_[k - 1];
  reader_.resize(reader_begin_.back());
  std::vector<std::uint32_t> next(reader_begin_.begin(), reader_begin_.end() - 1);
  for (const auto& [node, reader] : reads) reader_[next[node]++] = reader;
  mark_.assign(2 * std::size_t{m.slots}, 0);
}

// What changes with the nodes of the list is added to it; false where that are bounds or nominal values.
bool Numbering::spread(std::vector<std::uint32_t>& changed, std::vector<std::uint32_t>& assertions) {
  const FlatModel& m = analysis_->flat;
  const auto add = [&](std::uint32_t node) {
    if (mark_[node] == stamp_) return;
    mark_[node] = stamp_;
    changed.push_back(node);
  };
  for (std::size_t k = 0; k < changed.size(); ++k) {
    const std::uint32_t node = changed[k], slot = node / 2;
    if (node % 2 == 1 && !bindings_.find(model::BindingKind::value, slot)) add(2 * slot);  // a start stands in for a value
    for (std::uint32_t i = reader_begin_[node]; i < reader_begin_[node + 1]; ++i) {
      if (reader_[i] >= m.bindings.size()) {
        assertions.push_back(reader_[i] - static_cast<std::uint32_t>(m.bindings.size()));
        continue;
      }
      const FlatModel::FlatBinding& b = m.bindings[reader_[i]];
      if (b.kind == model::BindingKind::value) add(2 * b.slot);
      else if (b.kind == model::BindingKind::start) add(2 * b.slot + 1);
      else return false;
    }
  }
  return true;
}

// False: not a finite number.
bool Numbering::put(std::uint32_t node) {
  const InputNumbers& in = *analysis_->inputs_of_tape;
  const std::uint32_t slot = node / 2;
  const bool start = node % 2 == 1;
  const auto into = [&](const InputOfSlot& of, std::vector<double>& list, double x) {
    if (const auto input = of.find(slot)) list[*input] = x;
  };
  const double x = start ? numbers_.start(slot) : numbers_.value(slot);
  if (start) {
    into(in.start_of, problem_.starts, x);
    into(in.signal_of, problem_.signals, x);
    const auto& discrete = analysis_->flat.discrete;
    if (const auto at = std::lower_bound(discrete.begin(), discrete.end(), slot); at != discrete.end() && *at == slot)
      problem_.discrete_starts[static_cast<std::size_t>(at - discrete.begin())] = x;
  } else {
    into(in.parameter_of, problem_.parameters, x);
  }
  return std::isfinite(x);
}

// False: all is to be evaluated, for a message or because more changes than values.
bool Numbering::update(const Overrides& overrides) {
  if (reader_begin_.empty()) find_readers();
  std::vector<std::uint32_t> changed, assertions;
  ++stamp_;
  const auto add = [&](std::uint32_t key) {
    const std::uint32_t node = 2 * slot_of(key) + is_start(key);
    if (std::exchange(mark_[node], stamp_) != stamp_) changed.push_back(node);
  };
  auto x = overrides_.begin();
  auto y = overrides.begin();
  while (x != overrides_.end() || y != overrides.end()) {
    if (y == overrides.end() || (x != overrides_.end() && x->first < y->first)) add((x++)->first);
    else if (x == overrides_.end() || y->first < x->first) add((y++)->first);
    else {
      if (x->second != y->second) add(x->first);
      ++x, ++y;
    }
  }
  holds_ = false;
  if (!spread(changed, assertions)) return false;
  overrides_ = overrides;
  for (std::uint32_t node : changed) numbers_.forget(node / 2);
  if (!std::all_of(changed.begin(), changed.end(), [&](std::uint32_t node) { return put(node); })) return false;
  for (std::uint32_t node : changed)
    if (node % 2 == 0 && (crossed_limit(bindings_, numbers_, node / 2) || !fits_type(analysis_->flat, node / 2, numbers_.value(node / 2)))) return false;
  for (std::uint32_t k : assertions)
    if (condition(*analysis_, analysis_->flat.assertions[k].condition, numbers_) == 0) return false;
  measure_choices(measures_, overrides_, problem_);
  return holds_ = true;
}

void Numbering::add_exact(simulate::Problem& p) const {
  const InputNumbers& in = *analysis_->inputs_of_tape;
  const auto exact = [&](model::BindingKind kind, const std::vector<std::uint32_t>& slots, const std::vector<double>& values) {
    std::vector<Rational> list;
    for (std::size_t k = 0; k < slots.size(); ++k) {
      const bool given = overrides_.contains(kind == model::BindingKind::start ? start_key(slots[k]) : slots[k]);
      const auto* b = given ? nullptr : bindings_.find(kind, slots[k]);
      const auto r = b ? bindings_.exact_constant(*b) : std::nullopt;
      list.push_back(r ? *r : std::isfinite(values[k]) ? decimal(values[k]) : Rational(0));
    }
    return list;
  };
  p.exact_parameters = exact(model::BindingKind::value, in.parameters, p.parameters);
  p.exact_starts = exact(model::BindingKind::start, in.starts, p.starts);
  p.exact_signals = exact(model::BindingKind::start, in.signals, p.signals);
  p.exact_discrete_starts = exact(model::BindingKind::start, analysis_->flat.discrete, p.discrete_starts);
}

namespace {

// What is not numbers.
void describe(const std::shared_ptr<const Analysis>& a, simulate::Problem& p) {
  if (a->program) p.dynamics = a->program.get();
  p.initial = a->initial_program;
  p.free_parameters = a->free_parameters;
  for (VarId v : a->iteration_starts) p.iteration_starts.push_back(a->output_of[v.value]);
  p.surplus = a->surplus.size();
  p.surplus_text = [a](std::size_t k) { return text_of(a->flat, a->surplus[k]); };
  p.constrained = constrained_states(*a);
  if (a->flat.hybrid()) {
    p.events = std::make_shared<const simulate::EventModel>(a->events);
    p.event_names.term = [a](std::size_t k) { return simulate::EventNames::Named{beginning(model::print(a->flat, a->flat.events[k])), a->flat.events[k].place}; };
    p.event_names.variable = [a](std::size_t k) {
      const VarId v{a->flat.discrete[k]};
      return simulate::EventNames::Named{name(*a, v), place(a->flat, v)};
    };
    p.event_names.action = [a](std::size_t k) {
      const FlatModel::FlatAction& x = a->flat.actions[k];
      const std::string path = model::path(a->flat, x.instance);
      simulate::EventNames::Named named{path.empty() ? x.text : "`" + path + "`: " + x.text, x.span};
      if (x.kind == model::Action::Kind::assertion) named.condition = condition_text(a->flat, x.value);
      for (const model::FlatEquation& v : x.values) named.values.push_back(beginning(model::print(a->flat, v)));
      return named;
    };
  }
  auto root = static_cast<std::uint32_t>(a->output_variables.size());
  for (const CheckedAssertion& x : a->assertions) {
    const auto values = static_cast<std::uint32_t>(x.values.size());
    p.assertions.push_back({root, values, a->tape->section(x.condition) == code::Section::dynamic});
    root += 1 + values;
  }
  p.assertion_text = [a](std::size_t k) {
    const CheckedAssertion& x = a->assertions[k];
    return x.closing == FlatModel::none ? text_of(a->flat, a->flat.assertions[x.assertion]) : text_of_closing(a->flat, EqId{x.closing});
  };
  p.state_name = [a](std::size_t k) { return state_name(*a, k); };
  p.chosen_name = [a](std::size_t k, std::span<const std::uint32_t> choice) {
    const auto set = static_cast<std::size_t>(a->states[k].set);
    const std::vector<VarId> list = chosen(*a, set, choice);
    const std::size_t slot = k - a->sets[set].first;
    return slot < list.size() ? name(*a, list[slot]) : state_name(*a, k);
  };
  p.output_name = [a](std::size_t k) { return name(*a, a->output_variables[k]); };
  p.output_origin = [a](std::size_t k) { return origin(*a, a->blocks, a->output_variables[k]); };
  p.start_name = [a](std::size_t k) { return name(*a, started(*a, k)); };
  p.start_origin = [a](std::size_t k) { return origin(*a, a->initial_blocks, started(*a, k)); };
  p.derivative_origin = [a](std::size_t k) { return origin(*a, a->blocks, driver(*a, a->states[k].variable)); };
  for (VarId v : a->output_variables) p.output_order.push_back(a->block_of[v.value]);
  p.block_origin = [a](bool initial, std::uint32_t block) {
    const auto& blocks = initial ? a->initial_blocks : a->blocks;
    if (block >= blocks.size()) return simulate::Origin{};
    simulate::Origin first = origin(*a, blocks[block], 0);
    first.hint = loop_hint(a->flat, blocks[block].equations);
    if (initial && constrains_a_condition(*a, blocks[block])) first.hint += (first.hint.empty() ? "" : "; ") + std::string(constrained_hint);
    return first;
  };
  p.block_residues = [a](bool initial, std::uint32_t block) {
    const auto& blocks = initial ? a->initial_blocks : a->blocks;
    if (block >= blocks.size()) return std::vector<std::string>{};
    const Block& b = blocks[block];
    if (b.how().residues.empty()) return equation_labels(*a, b);
    std::vector<std::string> labels;
    for (std::uint32_t k : b.how().residues) labels.push_back(equation_label(*a, b, k));
    return labels;
  };
  p.block_unknowns = [a](bool initial, std::uint32_t block) {
    std::vector<std::string> names;
    const auto& blocks = initial ? a->initial_blocks : a->blocks;
    if (block >= blocks.size()) return names;
    const Block& b = blocks[block];
    for (VarId v : b.how().torn.empty() ? std::span<const VarId>(b.unknowns) : std::span<const VarId>(b.how().torn)) names.push_back(name(*a, v));
    return names;
  };
}

}  // namespace

simulate::Problem Engine::problem(std::shared_ptr<const Analysis> a, const Overrides& overrides, Diagnostics& diagnostics, bool exact) {
  std::unique_ptr<Numbering>& kept = data_->numbering;
  const bool is_new = !kept || kept->analysis() != a;
  if (is_new) kept = std::make_unique<Numbering>(a);
  kept->evaluate(overrides, diagnostics);  // first, as the program may be in the making
  if (is_new) {
    simulate::Problem& p = kept->problem();
    describe(a, p);
    if (a->program && a->sets.empty() && code::unknowns_to_open(*a->program) > 0) {
      p.open_form = [data = data_.get(), a, made = std::make_shared<Once<simulate::OpenForm>>()] {
        std::call_once(made->flag, [&] { made->value = open_form(*data, *a); });
        return made->value;
      };
    }
    p.reordered = [data = data_.get(), a](const simulate::OperatingPoint& point) { return reordered(*data, *a, point); };
  }
  simulate::Problem p = kept->problem();
  if (exact) kept->add_exact(p);
  return p;
}

}  // namespace kron::session
