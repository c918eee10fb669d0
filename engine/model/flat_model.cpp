#include "engine/model/flat_model.hpp"

#include <algorithm>
#include <unordered_map>

#include "engine/base/hash.hpp"
#include "engine/model/connections.hpp"
#include "engine/model/events.hpp"

namespace kron::model {
namespace {

// ---- equations --------------------------------------------------------------------------------------------------------------

// What a class has to do with derivatives and events.
struct Traits {
  bool events = false;
  std::vector<FlatModel::Differentiated> differentiated;  // slots from its first one; `instance` does not count
};

bool is_derivative(Operand o) { return o.kind() == OperandKind::value && o.order() > 0; }

Traits traits_of(const Blueprint& b) {
  Traits t{has_events(b), {}};
  const auto note = [&](std::span<const Operand> list) {
    for (Operand o : list)
      if (is_derivative(o)) t.differentiated.push_back({0, o.index(), o.order()});
  };
  const auto note_all = [&](const std::vector<Bound>& list) {
    for (const Bound& x : list) note(x.operands);
  };
  if (std::ranges::any_of(b.operands, is_derivative)) {
    for (const Equation& e : b.equations) note(b.bound(e.first, e.count));
    for (const Equation& e : b.initial_equations) note(b.bound(e.first, e.count));
    for (const Binding& x : b.bindings) note(b.bound(x.first, x.count));
    for (const Assertion& x : b.assertions) note(b.bound(x.first, x.count));
  }
  if (b.gives_derivatives)
    for (const EquationGroup& g : b.equation_groups) note_all(g.derivatives);
  for (const Assertion& x : b.assertions) note_all(x.values);
  for (const Action& x : b.actions) {
    note(x.trigger.operands);
    note(x.value.operands);
    note_all(x.values);
  }
  return t;
}

// Instances with an offset; those that are what they were, in runs of them from the model of before.
class Copier {
 public:
  Copier(FlatModel& m, const FlatModel* before, CommonInstances& common) : m_(m), before_(before), common_(common) {}

  // Before all else.
  void traits() {
    const auto look = [&](std::uint32_t k) {
      const auto [it, fresh] = known_.try_emplace(m_.instances[k].type);
      if (fresh) it->second = traits_of(*m_.instances[k].type);
      if (it->second.events) m_.eventful.push_back(k);
      const std::uint32_t base = m_.instances[k].slot_base;
      for (FlatModel::Differentiated d : it->second.differentiated) m_.differentiated.push_back({k, base + d.slot, d.order});
    };
    const auto copy = [&](const InstancePart& p) {
      const std::uint32_t end = p.before + p.count, instances = p.now - p.before;
      const std::uint32_t slots = bases(m_, p.now).slot - bases(*before_, p.before).slot;
      const auto& then = before_->differentiated;
      auto named = std::ranges::lower_bound(then, p.before, {}, &FlatModel::Differentiated::instance);
      for (; named != then.end() && named->instance < end; ++named)
        m_.differentiated.push_back({named->instance + instances, named->slot + slots, named->order});
      const auto& eventful = before_->eventful;
      for (auto it = std::ranges::lower_bound(eventful, p.before); it != eventful.end() && *it < end; ++it)
        m_.eventful.push_back(*it + instances);
    };
    walk(m_, common_.parts, look, copy);
  }

  // Variables behind the slots, by slot and order.
  void derivatives() {
    std::vector<FlatModel::Differentiated> list = m_.differentiated;
    const auto place = [](const auto& d) { return std::uint64_t{d.slot} << 32 | ~d.order; };  // the highest order first
    if (!std::ranges::is_sorted(list, {}, place)) std::ranges::sort(list, {}, place);
    m_.derivative.assign(m_.slots, FlatModel::none);
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (k > 0 && list[k].slot == list[k - 1].slot) continue;
      std::uint32_t below = list[k].slot;
      for (unsigned order = 1; order <= list[k].order; ++order) {
        const auto v = static_cast<std::uint32_t>(m_.variables());
        m_.integral.push_back(below);
        m_.derivative[below] = v;
        m_.derivative.push_back(FlatModel::none);
        below = v;
      }
    }
    std::erase_if(common_.parts, [&](const InstancePart& p) { return !same_derivatives(p); });
    if (before_ == nullptr) return;
    m_.common.before = before_->top;
    list_variables();
    leave_out_events();
    list_equations();
  }

  void instances() {
    m_.keys.resize(m_.variables());
    walk(m_, common_.parts, [&](std::uint32_t k) { instance(k); }, [&](const InstancePart& p) { part(p); });
  }

  // Children first: what the parent says comes later and wins.
  void bindings() {
    for (std::size_t k = m_.instances.size(); k-- > 0;) {
      const Instance& i = m_.instances[k];
      for (const Binding& x : i.type->bindings)
        m_.bindings.push_back({x.kind, x.slot + i.slot_base, x.form, i.operand_base + x.first, x.count, x.span});
    }
  }

  void assertions() {
    for (std::uint32_t i = 0; i < m_.instances.size(); ++i) {
      const Instance& inst = m_.instances[i];
      const Blueprint& b = *inst.type;
      for (std::uint32_t k = 0; k < b.assertions.size(); ++k) {
        const Assertion& x = b.assertions[k];
        FlatModel::FlatAssertion a{{x.condition, inst.operand_base + x.first, x.count}, {}, i, k};
        for (const Bound& v : x.values) a.values.push_back(bound(v, inst.slot_base));
        m_.assertions.push_back(std::move(a));
      }
    }
  }

  void actions() {
    for (std::uint32_t i = 0; i < m_.instances.size(); ++i) {
      const std::uint32_t base = m_.instances[i].slot_base;
      for (const Action& a : m_.instances[i].type->actions) {
        const FlatEquation trigger = bound(a.trigger, base), value = bound(a.value, base);
        m_.actions.push_back({a.kind, trigger, value, base + a.slot, i, a.text, {}, a.span});
        for (const Bound& v : a.values) m_.actions.back().values.push_back(bound(v, base));
      }
    }
  }

  void known_derivatives() {
    for (const Instance& i : m_.instances) {
      if (!i.type->gives_derivatives) continue;
      for (const EquationGroup& g : i.type->equation_groups) {
        if (g.derivatives.empty() && g.rates.empty()) continue;
        FlatModel::KnownDerivatives known{i.equation_base + g.first, g.count, {}, FlatModel::none, g.rates};
        for (const Bound& d : g.derivatives) known.residuals.push_back(bound(d, i.slot_base));
        const std::uint32_t axes = g.rates.empty() ? g.derivative_axes : g.axes;
        if (axes != FlatModel::none) known.axes = i.slot_base + axes;
        for (std::uint32_t& slot : known.rates) slot += i.slot_base;
        m_.known_derivatives.push_back(std::move(known));
      }
    }
    std::ranges::sort(m_.known_derivatives, {}, &FlatModel::KnownDerivatives::equation);
  }

 private:
  Operand absolute(Operand o, std::uint32_t base) const {
    o = o.shifted(base);
    if (!is_derivative(o)) return o;
    const std::uint32_t first = m_.derivative[o.index()];
    return first == FlatModel::none ? o : Operand(OperandKind::value, first + o.order() - 1);  // none: no statement has the operand
  }
  FlatEquation bound(const Bound& b, std::uint32_t base) {
    const auto at = static_cast<std::uint32_t>(m_.operands.size());
    for (Operand o : b.operands) m_.operands.push_back(absolute(o, base));
    return {b.form, at, static_cast<std::uint32_t>(b.operands.size())};
  }

  void instance(std::uint32_t index) {
    const Instance& i = m_.instances[index];
    const Blueprint& b = *i.type;
    m_.operands.insert(m_.operands.end(), b.operands.begin(), b.operands.end());
    for (Operand& o : std::span(m_.operands).subspan(i.operand_base)) o = absolute(o, i.slot_base);
    for (std::size_t k = 0; k < b.equations.size(); ++k) {
      const Equation& e = b.equations[k];
      m_.equations[i.equation_base + k] = {e.form, i.operand_base + e.first, e.count};
    }
    for (std::size_t k = 0; k < b.initial_equations.size(); ++k) {
      const Equation& e = b.initial_equations[k];
      m_.initial_equations[i.initial_base + k] = {e.form, i.operand_base + e.first, e.count};
    }
    for (const Declaration& d : b.declarations) {
      const std::uint32_t first = i.slot_base + d.first;
      std::fill_n(m_.variability.begin() + first, d.count, d.variability);
      std::fill_n(m_.array.begin() + first, d.count, first);
      const std::uint64_t key = combine(i.key, d.name.hash());
      for (std::uint32_t k = 0; k < d.count; ++k) put_keys(first + k, combine(key, k));
    }
    std::copy(b.flags.begin(), b.flags.end(), m_.flags.begin() + i.slot_base);
  }
  void put_keys(std::uint32_t slot, std::uint64_t path) {
    unsigned order = 0;
    for (std::uint32_t v = slot; v != FlatModel::none; v = m_.derivative[v]) m_.keys[v] = combine(path, order++);
  }

  // Derivatives of the slots from `slot` on: their numbers among all.
  static std::uint32_t first_derivative(const FlatModel& m, std::uint32_t slot) {
    const auto base = [&](std::uint32_t v) {
      while (v >= m.slots) v = m.integral[v - m.slots];
      return v;
    };
    return static_cast<std::uint32_t>(std::ranges::lower_bound(m.integral, slot, {}, base) - m.integral.begin());
  }
  struct Range { std::uint32_t slot, slots, derivative, derivatives; };  // derivatives: variables
  static Range range(const FlatModel& m, std::uint32_t instance, std::uint32_t count) {
    const std::uint32_t slot = bases(m, instance).slot, end = bases(m, instance + count).slot;
    const std::uint32_t first = first_derivative(m, slot), last = first_derivative(m, end);
    return {slot, end - slot, m.slots + first, last - first};
  }

  void list_variables() {
    std::vector<FlatModel::Stretch> derivatives;
    for (const InstancePart& p : common_.parts) {
      const Range then = range(*before_, p.before, p.count), now = range(m_, p.now, p.count);
      m_.common.variables.push_back({then.slot, now.slot, now.slots});
      if (now.derivatives > 0) derivatives.push_back({then.derivative, now.derivative, now.derivatives});
    }
    m_.common.variables.insert(m_.common.variables.end(), derivatives.begin(), derivatives.end());
  }
  void list_equations() {
    for (const InstancePart& p : common_.parts) {
      const std::uint32_t then = bases(*before_, p.before).equation, now = bases(m_, p.now).equation;
      if (const std::uint32_t end = bases(m_, p.now + p.count).equation; end > now) m_.common.equations.push_back({then, now, end - now});
    }
  }

  // Equations of classes with events are rewritten later, so they are no part of what is copied.
  void leave_out_events() {
    std::vector<InstancePart> parts;
    for (InstancePart p : common_.parts) {
      const std::uint32_t end = p.now + p.count, instances = p.now - p.before;
      for (auto it = std::ranges::lower_bound(m_.eventful, p.now); it != m_.eventful.end() && *it < end; ++it) {
        common_.changed.emplace_back(*it - instances, *it);
        if (*it > p.now) parts.push_back({p.before, p.now, *it - p.now});
        p = {*it + 1 - instances, *it + 1, end - *it - 1};
      }
      if (p.count > 0) parts.push_back(p);
    }
    std::ranges::sort(common_.changed);
    common_.parts = std::move(parts);
  }

  // Other classes may differentiate what is in the part.
  bool same_derivatives(const InstancePart& p) const {
    const Range then = range(*before_, p.before, p.count), now = range(m_, p.now, p.count);
    if (then.derivatives != now.derivatives) return false;
    for (std::uint32_t k = 0; k < then.derivatives; ++k) {
      const std::uint32_t x = before_->integral[then.derivative - before_->slots + k], y = m_.integral[now.derivative - m_.slots + k];
      if (y - (x < before_->slots ? now.slot : now.derivative) != x - (x < before_->slots ? then.slot : then.derivative)) return false;
    }
    return true;
  }

  void part(const InstancePart& p) {
    const Range then = range(*before_, p.before, p.count), now = range(m_, p.now, p.count);
    const Bases from = bases(*before_, p.before), to = bases(*before_, p.before + p.count), at = bases(m_, p.now);
    const auto copy = [](const auto& list, std::uint32_t first, std::uint32_t count, auto& target, std::uint32_t place) {
      std::copy_n(list.begin() + first, count, target.begin() + place);
    };
    copy(before_->flags, then.slot, then.slots, m_.flags, now.slot);
    copy(before_->variability, then.slot, then.slots, m_.variability, now.slot);
    copy(before_->keys, then.slot, then.slots, m_.keys, now.slot);
    copy(before_->keys, then.derivative, then.derivatives, m_.keys, now.derivative);
    auto given = std::ranges::lower_bound(before_->discrete, then.slot);  // by the `when` of another class
    for (; given != before_->discrete.end() && *given < then.slot + then.slots; ++given)
      m_.variability[now.slot + (*given - then.slot)] = Variability::continuous;
    for (std::uint32_t k = 0; k < then.slots; ++k) m_.array[now.slot + k] = before_->array[then.slot + k] + (now.slot - then.slot);
    using Equations = std::vector<FlatEquation>;
    const auto equations = [&](const Equations& list, std::uint32_t first, std::uint32_t end, Equations& target, std::uint32_t place) {
      for (; first < end; ++first, ++place) {
        target[place] = list[first];
        target[place].first += at.operand - from.operand;
      }
    };
    equations(before_->equations, from.equation, to.equation, m_.equations, at.equation);
    equations(before_->initial_equations, from.initial, to.initial, m_.initial_equations, at.initial);
    m_.operands.insert(m_.operands.end(), before_->operands.begin() + from.operand, before_->operands.begin() + to.operand);
    const std::uint32_t slots = now.slot - then.slot, derivatives = now.derivative - then.derivative;
    if (slots == 0 && derivatives == 0) return;
    constexpr std::uint32_t other_kinds = Operand(OperandKind::start, 0).bits, no_slot = Operand(OperandKind::constant, 0).bits;
    for (Operand& o : std::span(m_.operands).subspan(at.operand)) {  // without branches: it is all there is for most operands
      const std::uint32_t of_value = o.bits < before_->slots ? slots : derivatives;
      o.bits += o.bits < other_kinds ? of_value : o.bits < no_slot ? slots : 0;
    }
  }

  FlatModel& m_;
  const FlatModel* before_;
  CommonInstances& common_;
  std::unordered_map<const Blueprint*, Traits> known_;  // by class
};

// Parameters whose values lead back to themselves, each circle once: depth first along the bindings with an explicit stack.
class Circles {
 public:
  Circles(const FlatModel& m, Diagnostics& out) : m_(m), out_(out), binding_(m.slots, FlatModel::none), state_(m.slots, State::unmet) {
    for (std::uint32_t k = 0; k < m.bindings.size(); ++k)
      if (m.bindings[k].kind == BindingKind::value) binding_[m.bindings[k].slot] = k;
  }

  void run() {
    for (std::uint32_t s = 0; s < m_.slots; ++s)
      if (binding_[s] != FlatModel::none && state_[s] == State::unmet && reads_another(s)) follow(s);
  }

 private:
  enum class State : std::uint8_t { unmet, open, done };
  struct Visit { std::uint32_t slot, next; };  // next: the operand to look at

  void follow(std::uint32_t from) {
    way_ = {{from, 0}};
    state_[from] = State::open;
    while (!way_.empty()) {
      Visit& v = way_.back();
      const auto operands = binding_operands(v.slot);
      if (v.next == operands.size()) {
        state_[v.slot] = State::done;
        way_.pop_back();
        continue;
      }
      const Operand o = operands[v.next++];
      if (!leads_on(o)) continue;
      if (state_[o.index()] == State::open) report(o.index());
      if (state_[o.index()] != State::unmet) continue;
      state_[o.index()] = State::open;
      way_.push_back({o.index(), 0});
    }
  }

  bool leads_on(Operand o) const {
    return o.kind() == OperandKind::value && o.index() < m_.slots && binding_[o.index()] != FlatModel::none;
  }
  bool reads_another(std::uint32_t slot) const {
    return std::ranges::any_of(binding_operands(slot), [&](Operand o) { return leads_on(o); });
  }
  std::span<const Operand> binding_operands(std::uint32_t slot) const {
    const auto& b = m_.bindings[binding_[slot]];
    return {m_.operands.data() + b.first, b.count};
  }

  // The circle is the end of the way, from `slot` on.
  void report(std::uint32_t slot) {
    std::size_t i = way_.size();
    while (way_[i - 1].slot != slot) --i;
    auto& d = out_.error("E0306", m_.bindings[binding_[slot]].span, "the parameter `" + name(m_, VarId{slot}) + "` depends on itself");
    constexpr std::size_t most = 8;
    for (std::size_t k = i; k < way_.size() && d.notes.size() < most; ++k)
      d.notes.push_back({m_.bindings[binding_[way_[k].slot]].span, "through `" + name(m_, VarId{way_[k].slot}) + "`"});
    d.help = "give one of the parameters in the circle a value of its own";
  }

  const FlatModel& m_;
  Diagnostics& out_;
  std::vector<std::uint32_t> binding_;  // of the slot's value, the one that wins
  std::vector<State> state_;
  std::vector<Visit> way_;
};

}  // namespace

// Inner instances first, so that what an enclosing model says comes after and wins.
static void add_tears(FlatModel& m) {
  for (std::uint32_t i = static_cast<std::uint32_t>(m.instances.size()); i-- > 0;) {
    const Instance& inst = m.instances[i];
    for (const TearHint& t : inst.type->tears) {
      FlatModel::FlatTear f{{}, t.label, t.untear, t.span};
      if (const std::string p = t.label.empty() ? "" : path(m, i); !p.empty()) f.label = p + "." + t.label;
      for (Operand o : t.variables) {
        std::uint32_t v = inst.slot_base + o.index();
        for (unsigned k = 0; k < o.order() && v != FlatModel::none; ++k) v = m.derivative[v];
        if (v != FlatModel::none) f.variables.push_back(v);
      }
      m.tears.push_back(std::move(f));
    }
  }
}

FlatModel flatten(std::shared_ptr<const Blueprint> top, Diagnostics& diagnostics, const FlatModel* before) {
  FlatModel m;
  m.top = std::move(top);
  m.slots = m.top->slots;
  CommonInstances common = add_instances(m, before);
  m.flags.assign(m.slots, 0);
  m.variability.assign(m.slots, Variability::continuous);
  m.array.assign(m.slots, 0);
  std::size_t bindings = 0;
  for (const Instance& i : m.instances) bindings += i.type->bindings.size();
  m.operands.reserve(2 * std::size_t{bases(m, m.instances.size()).operand});  // those of the connections follow
  m.bindings.reserve(bindings);
  m.equations.reserve(2 * std::size_t{m.top->total_equations});
  m.equations.resize(m.top->total_equations);
  m.initial_equations.resize(m.top->total_initial);
  Copier copier(m, before, common);
  copier.traits();
  copier.derivatives();
  copier.instances();
  copier.bindings();
  copier.assertions();
  copier.actions();
  copier.known_derivatives();
  Circles(m, diagnostics).run();
  add_connections(m, before, common);
  add_tears(m);
  if (!m.eventful.empty()) separate_events(m, diagnostics);
  return m;
}

}  // namespace kron::model
