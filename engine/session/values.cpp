#include "engine/session/values.hpp"

#include <algorithm>

#include "engine/base/small.hpp"
#include "engine/session/evaluate.hpp"

namespace kron::session {

using code::InputKind;
using code::Ref;
using model::BindingKind;
using model::forms;
using model::Operand;
using model::OperandKind;
using FlatBinding = FlatModel::FlatBinding;

Bindings::Bindings(const FlatModel& m) : model_(&m), value_(m.slots, none), start_(m.slots, none), limits_of_(m.slots, none) {
  for (std::uint32_t k = 0; k < m.bindings.size(); ++k) {
    const FlatBinding& b = m.bindings[k];
    if (b.kind == BindingKind::value) {
      value_[b.slot] = k;
    } else if (b.kind == BindingKind::start) {
      start_[b.slot] = k;
    } else {
      if (limits_of_[b.slot] == none) {
        limits_of_[b.slot] = static_cast<std::uint32_t>(limits_.size());
        limits_.push_back({none, none, none});
      }
      limits_[limits_of_[b.slot]][place_among_limits(b.kind)] = k;
    }
  }
}

bool Bindings::is_leaf(const FlatBinding& b) const {
  for (Operand o : operands(b))
    if (o.has_slot() || o.kind() == OperandKind::time) return false;
  return true;
}

std::optional<Rational> Bindings::exact_constant(const FlatBinding& b) const {
  const model::Exprs& e = forms().exprs();
  const model::NodeId root = forms().root(b.form);
  if (const Rational* r = e.if_literal(root)) return *r;
  const bool negative = e[root].op == model::ExprOp::neg;
  const model::NodeId n = negative ? e.args(root)[0] : root;
  if (e[n].op != model::ExprOp::placeholder) return std::nullopt;
  const Operand o = operands(b)[e.placeholder_of(n)];
  if (o.kind() != OperandKind::constant) return std::nullopt;
  const auto& c = model::constant(model::ConstId{o.index()});
  if (c.is_pi) return std::nullopt;
  return negative ? Rational(-c.value) : c.value;
}

const FlatBinding* given_number(const FlatModel& m, BindingKind kind, std::uint32_t slot) {
  const auto b = std::find_if(m.bindings.rbegin(), m.bindings.rend(), [&](const FlatBinding& x) { return x.slot == slot && x.kind == kind; });
  if (b == m.bindings.rend()) return nullptr;
  const auto operands = std::span(m.operands).subspan(b->first, b->count);
  return std::all_of(operands.begin(), operands.end(), [](Operand o) { return o.kind() == OperandKind::constant; }) ? &*b : nullptr;
}

std::vector<bool> attribute_slots(const FlatModel& m) {
  std::vector<bool> found(m.slots, false);
  const auto limits = [](const FlatBinding& b) { return b.kind != BindingKind::value && b.kind != BindingKind::start; };
  if (std::none_of(m.bindings.begin(), m.bindings.end(), [&](const FlatBinding& b) {
        const auto operands = std::span(m.operands).subspan(b.first, b.count);
        return limits(b) && std::any_of(operands.begin(), operands.end(), [](Operand o) { return o.has_slot(); });
      }))
    return found;
  const Bindings bindings(m);
  std::vector<std::uint32_t> stack;
  const auto follow = [&](const FlatBinding& b) {
    for (Operand o : bindings.operands(b))
      if (o.has_slot() && o.index() < m.slots && !found[o.index()]) {
        found[o.index()] = true;
        stack.push_back(o.index());
      }
  };
  for (const FlatBinding& b : m.bindings)
    if (limits(b)) follow(b);
  while (!stack.empty()) {
    const FlatBinding* b = bindings.find(BindingKind::value, stack.back());
    stack.pop_back();
    if (b) follow(*b);
  }
  return found;
}

// ---- numbers ------------------------------------------------------------------------------------------------------------------

Numbers::Numbers(const FlatModel& m, const Bindings& b, const Overrides& overrides)
    : m_(m), b_(b), overrides_(overrides), value_(m.slots, 0), known_(m.slots, 0) {}

double start(const State& s, Numbers& numbers) { return s.start_slot == none ? 0 : s.start_sign * numbers.start(s.start_slot); }

// Depth first along the bindings with an explicit stack, where it does not follow from what is known, as nearly all do that are asked for
// in the order of their declarations.
void Numbers::settle(std::uint32_t slot) {
  const FlatBinding* own = overrides_.empty() ? b_.find(BindingKind::value, slot) : nullptr;
  if (own && std::ranges::all_of(b_.operands(*own), [&](Operand o) { return o.kind() == OperandKind::constant || is_known(o); })) {
    value_[slot] = evaluate_binding(*own);
    known_[slot] = 2;
    return;
  }
  const std::size_t waiting = open_.size();
  open_.push_back(slot);
  while (open_.size() > waiting) {
    const std::uint32_t s = open_.back();
    if (known_[s] == 2) { open_.pop_back(); continue; }
    const FlatBinding* b = b_.find(BindingKind::value, s);
    bool wait = false;
    if (auto it = overrides_.find(s); it != overrides_.end()) {
      value_[s] = it->second;
    } else if (b) {
      if (known_[s] == 0) {
        known_[s] = 1;
        for (Operand o : b_.operands(*b))
          if (o.kind() == OperandKind::value && o.index() < m_.slots && known_[o.index()] == 0) {
            open_.push_back(o.index());
            wait = true;
          }
        if (wait) continue;
      }
      value_[s] = evaluate_binding(*b);
    } else {
      value_[s] = start(s);
    }
    known_[s] = 2;
    open_.pop_back();
  }
}

double Numbers::evaluate_binding(const FlatBinding& b) {
  const auto ops = b_.operands(b);
  model::Forms& table = forms();
  const model::Exprs& e = table.exprs();
  const model::NodeId root = table.root(b.form);
  const auto number = [&](std::uint32_t k) {
    const Operand o = ops[k];
    return o.kind() == OperandKind::value && o.index() < m_.slots ? value_[o.index()] : operand(o);
  };
  if (e[root].op == model::ExprOp::placeholder) return number(e.placeholder_of(root));  // as most are
  for (int small : {0, 1, -1})  // as nearly all the others
    if (e.is(root, small)) return small;
  return evaluate(table.root(table.unmarked(b.form)), number);
}

double Numbers::start(std::uint32_t slot) {
  if (const auto it = overrides_.find(start_key(slot)); it != overrides_.end()) return it->second;
  const FlatBinding* b = b_.find(BindingKind::start, slot);
  if (!b) return 0;
  for (Operand o : b_.operands(*b))
    if (o.kind() == OperandKind::value) value(o.index());
  return evaluate_binding(*b);
}

std::optional<double> Numbers::bound(BindingKind kind, std::uint32_t slot) {
  const FlatBinding* b = b_.find(kind, slot);
  if (!b) return std::nullopt;
  for (Operand o : b_.operands(*b))
    if (o.kind() == OperandKind::value) value(o.index());
  return evaluate_binding(*b);
}

double Numbers::operand(Operand o) {
  switch (o.kind()) {
    case OperandKind::value: return value(o.index());
    case OperandKind::start: case OperandKind::pre: return start(o.index());
    case OperandKind::constant: return model::constant(model::ConstId{o.index()}).number;
    default: return 0;
  }
}

// ---- tape nodes -----------------------------------------------------------------------------------------------------------------

ParameterRefs::ParameterRefs(const System& s, const Bindings& b, InputNumbers& n, code::Builder& t, solve::Templates& templates,
                             Diagnostics& d)
    : s_(s), b_(b), numbers_(n), tape_(t), templates_(templates), d_(d), known_(s.variables(), not_yet), starts_(s.variables(), not_yet) {}

Ref ParameterRefs::leaf(InputKind kind, std::uint32_t slot) {
  auto& list = kind == InputKind::parameter ? numbers_.parameters
               : kind == InputKind::start   ? numbers_.starts
                                            : numbers_.signals;
  auto& map = kind == InputKind::parameter ? numbers_.parameter_of
              : kind == InputKind::start   ? numbers_.start_of
                                           : numbers_.signal_of;
  const auto [input, is_new] = map.add(slot, static_cast<std::uint32_t>(list.size()));
  if (is_new) list.push_back(slot);
  return tape_.input(kind, input, key(s_, slot) + static_cast<std::uint64_t>(kind == InputKind::start));
}

Ref ParameterRefs::signal(std::uint32_t slot) { return leaf(InputKind::signal, slot); }
Ref ParameterRefs::time() { return tape_.input(InputKind::time, 0, 0x74696d65); }

Ref ParameterRefs::constant(model::ConstId id) {
  auto [it, is_new] = constants_.emplace(id.value, Ref{});
  if (is_new) {
    const auto& c = model::constant(id);
    it->second = c.is_pi ? tape_.pi() : tape_.constant(c.value);
  }
  return it->second;
}

Ref ParameterRefs::parameter(std::uint32_t slot) {
  if (known_[slot] == not_yet) settle(slot);
  return known_[slot];
}

// Depth first along the bindings with an explicit stack: flatten() has found every circle before.
void ParameterRefs::settle(std::uint32_t slot) {
  const std::size_t waiting = open_.size();
  open_.push_back(slot);
  while (open_.size() > waiting) {
    const std::uint32_t s = open_.back();
    if (known_[s] != not_yet) { open_.pop_back(); continue; }
    const FlatBinding* b = b_.find(BindingKind::value, s);
    if (const auto fixed = s_.flat->axes.fixed.find(s); fixed != s_.flat->axes.fixed.end()) {
      known_[s] = fixed->second ? tape_.constant(*fixed->second) : computed(*b);
      open_.pop_back();
      continue;
    }
    const bool is_free = s_.flat->flags[s] & model::SlotFlag::free;  // whatever it is bound to is where its search begins
    if (!b || is_free || b_.is_leaf(*b)) {
      if (!b && !b_.find(BindingKind::start, s) && !is_free) {
        auto& d = d_.error("E0309", place(*s_.flat, VarId{s}), "the parameter `" + name(s_, s) + "` has no value");
        d.help = "give it one where it is declared, or in a modification";
      }
      known_[s] = leaf(InputKind::parameter, s);
      open_.pop_back();
      continue;
    }
    bool wait = false;
    for (Operand o : b_.operands(*b))
      if (o.kind() == OperandKind::value && known_[o.index()] == not_yet) {
        open_.push_back(o.index());
        wait = true;
      }
    if (wait) continue;
    restore({Operand::value(model::SlotId{s}), binding(*b)});
    open_.pop_back();
  }
}

Ref ParameterRefs::binding(const FlatBinding& b) {
  const Ref r = computed(b);
  if (!d_.has_errors() && tape_.problem())
    d_.error("E0313", b.span, *tape_.problem() + " in the value of `" + name(s_, b.slot) + "`").help = "a divisor is zero whatever the values";
  return r;
}

Ref ParameterRefs::computed(const FlatBinding& b) {
  Small<Ref, 8> values;
  for (Operand o : b_.operands(b)) {
    switch (o.kind()) {
      case OperandKind::value: values.push_back(parameter(o.index())); break;
      case OperandKind::start: values.push_back(start(o.index())); break;
      case OperandKind::constant: values.push_back(constant(model::ConstId{o.index()})); break;
      case OperandKind::time: values.push_back(time()); break;
      default: values.push_back(code::zero);
    }
  }
  return templates_.emit(tape_, forms().root(forms().unmarked(b.form)), std::span(values.data(), values.size()));
}

Ref ParameterRefs::start(std::uint32_t slot) {
  if (starts_[slot] != not_yet) return starts_[slot];
  const FlatBinding* b = b_.find(BindingKind::start, slot);
  if (!b || b_.is_leaf(*b)) return starts_[slot] = leaf(InputKind::start, slot);
  restore({Operand::start(model::SlotId{slot}), binding(*b)});
  return starts_[slot];
}

void ParameterRefs::restore(Computed c) {
  (c.what.kind() == OperandKind::value ? known_ : starts_)[c.what.index()] = c.value;
  computed_.push_back(c);
}

}  // namespace kron::session
