#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "engine/model/blueprint.hpp"

namespace kron::model {

namespace {

template <class List, class Equal>
bool all(const List& x, const List& y, Equal equal) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), equal);
}

// Two blueprints, places in the text and the values of parameters apart. Those of components are compared once for each pair.
class Comparison {
 public:
  bool same(const Blueprint& a, const Blueprint& b) {
    pairs_.emplace_back(&a, &b);
    while (!pairs_.empty()) {
      std::tie(a_, b_) = pairs_.back();
      pairs_.pop_back();
      if (!structure()) return false;
    }
    return true;
  }

 private:
  bool structure() {
    const Blueprint &a = *a_, &b = *b_;
    const auto attribute = [](const Binding& x) { return x.kind != BindingKind::value; };
    std::vector<Binding> p, q;
    std::copy_if(a.bindings.begin(), a.bindings.end(), std::back_inserter(p), attribute);
    std::copy_if(b.bindings.begin(), b.bindings.end(), std::back_inserter(q), attribute);
    return a.class_name == b.class_name && a.is_connector == b.is_connector && a.is_record == b.is_record && a.own_slots == b.own_slots &&
           a.slots == b.slots && a.total_equations == b.total_equations && a.total_initial == b.total_initial && a.flags == b.flags &&
           parts(a.declarations, b.declarations) && parts(a.children, b.children) && parts(a.equations, b.equations) &&
           parts(a.initial_equations, b.initial_equations) && parts(a.equation_groups, b.equation_groups) &&
           parts(a.assertions, b.assertions) && parts(a.actions, b.actions) && parts(a.connections, b.connections) && parts(a.tears, b.tears) && parts(p, q);
  }
  template <class Part>
  bool parts(const std::vector<Part>& x, const std::vector<Part>& y) {
    return all(x, y, [this](const Part& p, const Part& q) { return this->part(p, q); });
  }
  template <class T>
  bool operands(const T& x, const T& y) const {
    const auto p = a_->bound(x.first, x.count), q = b_->bound(y.first, y.count);
    return std::equal(p.begin(), p.end(), q.begin(), q.end());
  }

  static bool part(const Declaration& x, const Declaration& y) {
    return x.name == y.name && x.sizes == y.sizes && x.first == y.first && x.count == y.count && x.variability == y.variability &&
           x.type == y.type && x.state == y.state && x.unit == y.unit && x.enumeration == y.enumeration && x.literals == y.literals &&
           x.quantity == y.quantity && x.doc == y.doc && x.hint == y.hint;
  }
  bool part(const Child& x, const Child& y) {
    if (x.type != y.type && seen_.emplace(x.type.get(), y.type.get()).second) pairs_.emplace_back(x.type.get(), y.type.get());
    return x.name == y.name && x.index == y.index && x.slot_base == y.slot_base && x.equation_base == y.equation_base &&
           x.initial_base == y.initial_base && x.is_private == y.is_private;
  }
  bool part(const Binding& x, const Binding& y) const { return x.kind == y.kind && x.slot == y.slot && x.form == y.form && operands(x, y); }
  bool part(const Equation& x, const Equation& y) const {
    return x.form == y.form && x.label == y.label && x.group == y.group && x.element == y.element && x.origin == y.origin && x.target == y.target && operands(x, y);
  }
  static bool part(const EquationGroup& x, const EquationGroup& y) {
    return x.label == y.label && x.sizes == y.sizes && x.first == y.first && x.count == y.count && x.doc == y.doc && x.axes == y.axes &&
           x.rates == y.rates && x.derivative_axes == y.derivative_axes && all(x.derivatives, y.derivatives, same_value);
  }
  static bool same_value(const Bound& p, const Bound& q) { return p.form == q.form && p.operands == q.operands; }
  bool part(const Assertion& x, const Assertion& y) const {
    return x.condition == y.condition && x.text == y.text && operands(x, y) && all(x.values, y.values, same_value);
  }
  bool part(const Action& x, const Action& y) const {
    return x.kind == y.kind && x.slot == y.slot && x.text == y.text && same_value(x.trigger, y.trigger) && same_value(x.value, y.value) &&
           all(x.values, y.values, same_value);
  }
  static bool part(const Connection& x, const Connection& y) {
    const bool same_ends = x.text == y.text || (x.text && y.text && *x.text == *y.text);
    return x.potentials == y.potentials && x.flows == y.flows && x.signals == y.signals && same_ends;
  }

  static bool part(const TearHint& x, const TearHint& y) {
    return x.variables == y.variables && x.label == y.label && x.untear == y.untear;
  }

  const Blueprint *a_ = nullptr, *b_ = nullptr;
  std::vector<std::pair<const Blueprint*, const Blueprint*>> pairs_;
  std::set<std::pair<const Blueprint*, const Blueprint*>> seen_;  // asked for membership only
};

// The binding that gives a slot its value.
struct Giver {
  const Blueprint* type = nullptr;
  std::uint32_t base = 0, binding = 0;

  const Binding& get() const { return type->bindings[binding]; }
  std::span<const Operand> operands() const { return type->bound(get().first, get().count); }
  bool is_number() const {
    const auto all = operands();
    return std::all_of(all.begin(), all.end(), [](Operand o) { return o.kind() == OperandKind::constant; });
  }
};

std::vector<Giver> givers(const Blueprint& top) {
  std::vector<Giver> list(top.slots);
  std::vector<std::pair<const Blueprint*, std::uint32_t>> stack = {{&top, 0}};
  while (!stack.empty()) {
    const auto [type, base] = stack.back();
    stack.pop_back();
    for (std::uint32_t k = static_cast<std::uint32_t>(type->bindings.size()); k-- > 0;) {  // later ones win, then outer ones
      const Binding& b = type->bindings[k];
      if (b.kind == BindingKind::value && list[base + b.slot].type == nullptr) list[base + b.slot] = {type, base, k};
    }
    for (const Child& c : type->children) stack.emplace_back(c.type.get(), base + c.slot_base);
  }
  return list;
}

}  // namespace

std::optional<std::vector<std::pair<SlotId, Bound>>> different_numbers(const Blueprint& a, const Blueprint& b) {
  std::vector<std::pair<SlotId, Bound>> changed;
  if (&a == &b) return changed;
  if (!Comparison().same(a, b)) return std::nullopt;
  const std::vector<Giver> before = givers(a), after = givers(b);
  for (std::uint32_t slot = 0; slot < b.slots; ++slot) {
    const Giver &x = before[slot], &y = after[slot];
    if (x.type == nullptr && y.type == nullptr) continue;
    if (x.type == nullptr || y.type == nullptr) return std::nullopt;
    if (x.type == y.type && x.base == y.base && x.binding == y.binding) continue;
    const auto p = x.operands(), q = y.operands();
    const bool equal = x.get().form == y.get().form && std::equal(p.begin(), p.end(), q.begin(), q.end()), numbers = x.is_number() && y.is_number();
    if (equal && (numbers || x.base == y.base)) continue;
    if (!numbers) return std::nullopt;
    changed.push_back({SlotId{slot}, Bound{y.get().form, {q.begin(), q.end()}}});
  }
  return changed;
}

}  // namespace kron::model
