#include "engine/model/flat_model.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>

#include "engine/base/hash.hpp"
#include "engine/model/events.hpp"

namespace kron::model {
namespace {

// ---- instances ------------------------------------------------------------------------------------------------------------

void add_instances(FlatModel& m) {
  struct Pending { const Blueprint* type; std::uint32_t parent, child, slot, equation, initial; std::uint64_t key; };
  std::vector<Pending> stack = {{m.top.get(), 0, 0, 0, 0, 0, 0x6b726f6e}};
  while (!stack.empty()) {
    const Pending p = stack.back();
    stack.pop_back();
    const auto id = static_cast<std::uint32_t>(m.instances.size());
    m.instances.push_back({p.type, p.parent, p.child, p.slot, p.equation, p.initial, p.key});
    for (std::size_t i = p.type->children.size(); i-- > 0;) {  // last first: the stack turns the order round
      const Child& c = p.type->children[i];
      std::uint64_t key = combine(p.key, c.name.hash());
      for (std::uint32_t x : c.index) key = combine(key, x);
      stack.push_back({c.type.get(), id, static_cast<std::uint32_t>(i), p.slot + c.slot_base, p.equation + c.equation_base,
                       p.initial + c.initial_base, key});
    }
  }
}

// ---- equations --------------------------------------------------------------------------------------------------------------

struct Copier {
  FlatModel& m;
  std::vector<std::uint8_t> order;        // highest derivative of each slot that occurs
  std::vector<std::uint32_t> operands_of{};  // by instance: where those of its class begin
  std::vector<std::uint8_t> has_derivatives{};  // by instance: some of them are
  std::unordered_map<const Blueprint*, bool> derives{};  // by class: the same
  std::size_t own_end = 0, end = 0;          // of the operands: of the instances, and of what was copied

  static bool is_derivative(Operand o) { return o.kind() == OperandKind::value && o.order() > 0; }
  void note(Operand o) {
    if (is_derivative(o)) order[o.index()] = std::max<std::uint8_t>(order[o.index()], static_cast<std::uint8_t>(o.order()));
  }

  std::uint32_t operands(std::span<const Operand> list, std::uint32_t base) {
    const auto at = static_cast<std::uint32_t>(m.operands.size());
    for (Operand o : list) {
      m.operands.push_back(o.shifted(base));
      note(m.operands.back());
    }
    return at;
  }
  // Where what is used of an instance's operands stands now.
  std::uint32_t used(std::size_t instance, std::uint32_t first, std::uint32_t count) {
    const std::uint32_t at = operands_of[instance] + first;
    for (std::uint32_t k = 0; has_derivatives[instance] && k < count; ++k) note(m.operands[at + k]);
    return at;
  }

  void instances() {
    operands_of.reserve(m.instances.size());
    has_derivatives.reserve(m.instances.size());
    for (std::size_t k = 0; k < m.instances.size(); ++k) instance(k);
    own_end = m.operands.size();
  }
  bool differentiates(const Blueprint& b) {
    const auto [it, fresh] = derives.emplace(&b, false);
    if (fresh) it->second = std::ranges::any_of(b.operands, is_derivative);
    return it->second;
  }
  void instance(std::size_t index) {
    const Instance& i = m.instances[index];
    const Blueprint& b = *i.type;
    operands_of.push_back(static_cast<std::uint32_t>(m.operands.size()));
    has_derivatives.push_back(differentiates(b));
    m.operands.insert(m.operands.end(), b.operands.begin(), b.operands.end());
    for (Operand& o : std::span(m.operands).subspan(operands_of.back())) o = o.shifted(i.slot_base);
    for (std::size_t k = 0; k < b.equations.size(); ++k) {
      const Equation& e = b.equations[k];
      m.equations[i.equation_base + k] = {e.form, used(index, e.first, e.count), e.count};
    }
    for (std::size_t k = 0; k < b.initial_equations.size(); ++k) {
      const Equation& e = b.initial_equations[k];
      m.initial_equations[i.initial_base + k] = {e.form, used(index, e.first, e.count), e.count};
    }
    for (const Declaration& d : b.declarations) {
      const std::uint32_t first = i.slot_base + d.first;
      std::fill_n(m.variability.begin() + first, d.count, d.variability);
      std::fill_n(m.array.begin() + first, d.count, first);
      const std::uint64_t key = combine(i.key, d.name.hash());
      m.keys[first] = combine(key, 0);  // most are scalars: half of this hash is known beforehand
      for (std::uint32_t k = 1; k < d.count; ++k) m.keys[first + k] = combine(key, k);
    }
    std::copy(b.flags.begin(), b.flags.end(), m.flags.begin() + i.slot_base);
  }

  // Children first: what the parent says comes later and wins.
  void bindings() {
    for (std::size_t k = m.instances.size(); k-- > 0;) {
      const Instance& i = m.instances[k];
      for (const Binding& x : i.type->bindings)
        m.bindings.push_back({x.kind, x.slot + i.slot_base, x.form, used(k, x.first, x.count), x.count, x.span});
    }
  }

  void assertions() {
    for (std::uint32_t i = 0; i < m.instances.size(); ++i) {
      const Instance& inst = m.instances[i];
      const Blueprint& b = *inst.type;
      for (std::uint32_t k = 0; k < b.assertions.size(); ++k) {
        const Assertion& x = b.assertions[k];
        FlatModel::FlatAssertion a{{x.condition, used(i, x.first, x.count), x.count}, {}, i, k};
        for (const Bound& v : x.values)
          a.values.push_back({v.form, operands(v.operands, inst.slot_base), static_cast<std::uint32_t>(v.operands.size())});
        m.assertions.push_back(std::move(a));
      }
    }
  }

  void actions() {
    for (std::uint32_t i = 0; i < m.instances.size(); ++i) {
      const Instance& inst = m.instances[i];
      const auto copied = [&](const Bound& b) {
        return FlatEquation{b.form, operands(b.operands, inst.slot_base), static_cast<std::uint32_t>(b.operands.size())};
      };
      for (const Action& a : inst.type->actions) {
        m.actions.push_back({a.kind, copied(a.trigger), copied(a.value), inst.slot_base + a.slot, i, a.text, {}, a.span});
        for (const Bound& v : a.values) m.actions.back().values.push_back(copied(v));
      }
    }
    end = m.operands.size();
  }

  // Behind the slots, by slot and order.
  void derivatives() {
    m.derivative.assign(m.slots, FlatModel::none);
    std::vector<std::uint32_t> first(m.slots);  // variable of the first derivative, where there is one
    std::vector<std::uint64_t> keys;
    for (std::uint32_t s = 0; s < m.slots; ++s) {
      const std::uint64_t path = m.keys[s];
      m.keys[s] = combine(path, 0);
      if (order[s] == 0) continue;
      first[s] = static_cast<std::uint32_t>(m.variables());
      std::uint32_t below = s;
      for (unsigned k = 1; k <= order[s]; ++k) {
        const auto v = static_cast<std::uint32_t>(m.variables());
        m.integral.push_back(below);
        m.derivative[below] = v;
        m.derivative.push_back(FlatModel::none);
        keys.push_back(combine(path, k));
        below = v;
      }
    }
    m.keys.insert(m.keys.end(), keys.begin(), keys.end());
    const auto resolve = [&](std::size_t from, std::size_t count) {
      for (Operand& o : std::span(m.operands).subspan(from, count))
        if (is_derivative(o)) o = Operand(OperandKind::value, first[o.index()] + o.order() - 1);
    };
    for (std::size_t k = 0; k < m.instances.size(); ++k)
      if (has_derivatives[k]) resolve(operands_of[k], m.instances[k].type->operands.size());
    resolve(own_end, end - own_end);
  }
};

// ---- connections -----------------------------------------------------------------------------------------------------------

class UnionFind {
 public:
  explicit UnionFind(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0u); }
  std::uint32_t find(std::uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void join(std::uint32_t a, std::uint32_t b) {  // the least member represents its set
    a = find(a);
    b = find(b);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

struct Term { std::uint32_t slot; std::int8_t sign; };

FormId new_signed_sum(const std::vector<Term>& terms) {
  Exprs& e = forms().exprs();
  NodeId sum = e.literal(0);
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const NodeId p = e.placeholder(static_cast<std::uint32_t>(k));
    sum = terms[k].sign > 0 ? e.add(sum, p) : e.sub(sum, p);
  }
  return forms().intern_placeholders(sum);
}

// Asked for by every equation of a connection; of short sums the signs are the place in a table.
FormId signed_sum(const std::vector<Term>& terms) {
  constexpr std::size_t few = 8;
  static std::array<std::optional<FormId>, std::size_t{1} << few> of_signs;
  static std::unordered_map<std::string, FormId> known;
  if (terms.size() < few) {
    std::size_t signs = 1;
    for (const Term& t : terms) signs = signs << 1 | (t.sign > 0);
    std::optional<FormId>& form = of_signs[signs];
    if (!form) form = new_signed_sum(terms);
    return *form;
  }
  std::string key;
  for (const Term& t : terms) key.push_back(static_cast<char>(t.sign));
  const auto [it, fresh] = known.try_emplace(std::move(key));
  if (fresh) it->second = new_signed_sum(terms);
  return it->second;
}

class Connector {
 public:
  explicit Connector(FlatModel& m)
      : m_(m), equal_(m.slots), flow_(2 * std::size_t{m.slots}), touched_(m.slots, FlatModel::none),
        touched_flow_(2 * std::size_t{m.slots}, FlatModel::none) {}

  void run() {
    for (std::uint32_t i = 0; i < m_.instances.size(); ++i) {
      const Instance& inst = m_.instances[i];
      for (std::uint32_t c = 0; c < inst.type->connections.size(); ++c) join(inst, i, c);
    }
    m_.connection_equations = static_cast<std::uint32_t>(m_.equations.size());
    for (std::uint32_t s = 0; s < m_.slots; ++s) {
      if (touched_[s] == FlatModel::none) continue;
      const std::uint32_t root = equal_.find(s);
      if (root == s) continue;
      terms_ = {{root, 1}, {s, -1}};
      emit(false, where_[touched_[s]]);
    }
    sums();
    // Only an unconnected input of the top level is a known signal.
    constexpr auto others = static_cast<std::uint8_t>(~SlotFlag::input);
    for (std::uint32_t s = 0; s < m_.top->own_slots; ++s)
      if (touched_[s] != FlatModel::none) m_.flags[s] &= others;
    for (std::uint8_t& flags : std::span(m_.flags).subspan(m_.top->own_slots)) flags &= others;
  }

 private:
  struct Where { std::uint32_t instance, connection; };

  void join(const Instance& inst, std::uint32_t i, std::uint32_t c) {
    const Connection& x = inst.type->connections[c];
    const auto where = static_cast<std::uint32_t>(where_.size());
    where_.push_back({i, c});
    auto touch = [&](std::vector<std::uint32_t>& t, std::uint32_t at) {
      if (t[at] == FlatModel::none) t[at] = where;
    };
    const auto equal = [&](const auto& list) {
      for (const auto& [a, b] : list) {
        equal_.join(inst.slot_base + a, inst.slot_base + b);
        touch(touched_, inst.slot_base + a);
        touch(touched_, inst.slot_base + b);
      }
    };
    equal(x.potentials);
    equal(x.signals);
    for (const auto& [a, b] : x.flows) {
      const std::uint32_t na = (inst.slot_base + a.slot) * 2 + a.outside, nb = (inst.slot_base + b.slot) * 2 + b.outside;
      flow_.join(na, nb);
      touch(touched_flow_, na);
      touch(touched_flow_, nb);
    }
  }

  // Each flow variable is `inside` exactly one set (alone where nothing is connected: zero) and may be `outside` another.
  void sums() {
    std::vector<std::uint32_t> next(2 * std::size_t{m_.slots}, FlatModel::none), last(next), sets;
    const auto add = [&](std::uint32_t n) {
      const std::uint32_t root = flow_.find(n);
      if (last[root] == FlatModel::none) sets.push_back(root);
      if (root != n) next[last[root] == FlatModel::none ? root : last[root]] = n;
      last[root] = n;
    };
    for (std::uint32_t s = 0; s < m_.slots; ++s) {
      if (m_.flags[s] & SlotFlag::flow) add(2 * s);
      if (touched_flow_[2 * s + 1] != FlatModel::none) add(2 * s + 1);
    }
    if (!std::is_sorted(sets.begin(), sets.end())) std::sort(sets.begin(), sets.end());
    for (const std::uint32_t n : sets) {
      terms_.clear();
      for (std::uint32_t k = n; k != FlatModel::none; k = next[k])
        terms_.push_back({k / 2, static_cast<std::int8_t>(k % 2 == 0 ? 1 : -1)});
      const auto by_slot = [](Term a, Term b) { return a.slot < b.slot; };
      if (!std::is_sorted(terms_.begin(), terms_.end(), by_slot)) std::stable_sort(terms_.begin(), terms_.end(), by_slot);
      emit(true, touched_flow_[n] == FlatModel::none ? Where{0, FlatModel::none} : where_[touched_flow_[n]]);
    }
  }

  // The terms as an equation.
  void emit(bool flow, Where where) {
    const std::vector<Term>& terms = terms_;
    const auto equation = static_cast<std::uint32_t>(m_.equations.size());
    m_.equations.push_back({signed_sum(terms), static_cast<std::uint32_t>(m_.operands.size()), static_cast<std::uint32_t>(terms.size())});
    for (const Term& t : terms) m_.operands.push_back(Operand::value(SlotId{t.slot}));
    std::uint32_t& before = last_[flow][terms[0].sign < 0];
    const bool next = before != FlatModel::none && follows(m_.equations[before]);
    m_.connection_info.push_back({flow, terms[0].slot, terms.size() > 1 ? terms[1].slot : terms[0].slot, where.instance,
                                  where.connection, terms[0].sign < 0, next ? info(before).group : equation});
    before = equation;
  }

  FlatModel::ConnectionEquation& info(std::uint32_t equation) { return m_.connection_info[equation - m_.connection_equations]; }

  // Whether the last equation is the next element of the same equation array: each operand the next element of its array.
  bool follows(const FlatEquation& before) const {
    const FlatEquation& e = m_.equations.back();
    if (before.form != e.form) return false;
    const auto x = m_.bound(before), y = m_.bound(e);
    for (std::size_t k = 0; k < x.size(); ++k)
      if (y[k].index() != x[k].index() + 1 || m_.array[x[k].index()] != m_.array[y[k].index()]) return false;
    return true;
  }

  FlatModel& m_;
  UnionFind equal_, flow_;
  std::vector<std::uint32_t> touched_, touched_flow_;  // index into where_ of the first statement that names it
  std::vector<Where> where_;
  std::vector<Term> terms_;
  std::array<std::array<std::uint32_t, 2>, 2> last_{{{FlatModel::none, FlatModel::none}, {FlatModel::none, FlatModel::none}}};  // by kind
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

FlatModel flatten(std::shared_ptr<const Blueprint> top, Diagnostics& diagnostics) {
  FlatModel m;
  m.top = std::move(top);
  m.slots = m.top->slots;
  add_instances(m);
  m.flags.assign(m.slots, 0);
  m.variability.assign(m.slots, Variability::continuous);
  m.array.assign(m.slots, 0);
  m.keys.assign(m.slots, 0);
  std::size_t operands = 0, bindings = 0;
  for (const Instance& i : m.instances) operands += i.type->operands.size(), bindings += i.type->bindings.size();
  m.operands.reserve(2 * operands);  // those of the connections follow
  m.bindings.reserve(bindings);
  m.equations.reserve(2 * std::size_t{m.top->total_equations});
  m.equations.resize(m.top->total_equations);
  m.initial_equations.resize(m.top->total_initial);
  Copier copier{m, std::vector<std::uint8_t>(m.slots, 0)};
  copier.instances();
  copier.bindings();
  copier.assertions();
  copier.actions();
  Circles(m, diagnostics).run();
  Connector(m).run();
  copier.derivatives();
  add_tears(m);
  separate_events(m, diagnostics);
  return m;
}

}  // namespace kron::model
