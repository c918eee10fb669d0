#include "engine/model/connections.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <unordered_map>

namespace kron::model {
namespace {

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

// What connections were before, where no statement and no flow came or went.
class KeptConnections {
 public:
  KeptConnections(FlatModel& m, const FlatModel& before, const CommonInstances& common) : m_(m), before_(before), common_(common) {}

  // False: they differ.
  bool take() {
    if (!came_and_went_alone()) return false;
    place();
    const auto connects_alike = [&](const auto& pair) { return same(before_.instances[pair.first], m_.instances[pair.second]); };
    if (!std::ranges::all_of(common_.changed, connects_alike)) return false;
    copy();
    return true;
  }

 private:
  static constexpr std::uint32_t none = FlatModel::none;

  static bool connects(const Blueprint& b) { return !b.connections.empty() || std::ranges::any_of(b.flags, is_flow); }
  static bool is_flow(SlotFlags flags) { return flags & SlotFlag::flow; }

  // No instance without a counterpart has to do with connections.
  bool came_and_went_alone() const {
    const auto alone = [](const FlatModel& m, const std::vector<InstancePart>& parts, const std::vector<std::uint32_t>& changed) {
      std::size_t next = 0;
      bool all = true;
      walk(m, parts, [&](std::uint32_t k) {
        if (next < changed.size() && changed[next] == k) ++next;
        else all = all && !connects(*m.instances[k].type);
      }, [](const InstancePart&) {});
      return all;
    };
    std::vector<std::uint32_t> then, now;
    for (const auto& [x, y] : common_.changed) then.push_back(x), now.push_back(y);
    std::vector<InstancePart> parts_then;
    for (const InstancePart& p : common_.parts) parts_then.push_back({p.now, p.before, p.count});
    return alone(m_, common_.parts, now) && alone(before_, parts_then, then);
  }

  // Numbers of now, by number of then.
  void place() {
    slot_.assign(before_.slots, none);
    instance_.assign(before_.instances.size(), none);
    for (const InstancePart& p : common_.parts) {
      const std::uint32_t slot = bases(before_, p.before).slot;
      std::iota(instance_.begin() + p.before, instance_.begin() + p.before + p.count, p.now);
      std::iota(slot_.begin() + slot, slot_.begin() + bases(before_, p.before + p.count).slot, bases(m_, p.now).slot);
    }
    for (const auto& [then, now] : common_.changed) {
      instance_[then] = now;
      place_declarations(before_.instances[then], m_.instances[now]);
    }
  }

  // In their order. One that stands elsewhere counts as gone, and as a new one.
  void place_declarations(const Instance& then, const Instance& now) {
    constexpr std::size_t few = 64;
    const std::vector<Declaration>&x = then.type->declarations, &y = now.type->declarations;
    for (std::size_t i = 0, at = 0; i < x.size(); ++i) {
      const auto is_it = [&](const Declaration& d) { return d.name == x[i].name && d.count == x[i].count; };
      const auto end = y.begin() + static_cast<std::ptrdiff_t>(std::min(y.size(), at + few));
      const auto found = std::find_if(y.begin() + static_cast<std::ptrdiff_t>(at), end, is_it);
      if (found == end) continue;
      at = static_cast<std::size_t>(found - y.begin()) + 1;
      const auto first = slot_.begin() + then.slot_base + x[i].first;
      std::iota(first, first + x[i].count, now.slot_base + found->first);
    }
  }

  // The same statements between the same slots, and the same flows of its own.
  bool same(const Instance& then, const Instance& now) const {
    const Blueprint &x = *then.type, &y = *now.type;
    if (std::ranges::count_if(x.flags, is_flow) != std::ranges::count_if(y.flags, is_flow)) return false;
    for (std::uint32_t s = 0; s < x.flags.size(); ++s) {
      const std::uint32_t here = slot_[then.slot_base + s];
      if (is_flow(x.flags[s]) && (here == none || !is_flow(y.flags[here - now.slot_base]))) return false;
    }
    const auto at = [&](std::uint32_t a, std::uint32_t b) { return slot_[then.slot_base + a] == now.slot_base + b; };
    const auto equal = [&](const SlotPair& a, const SlotPair& b) { return at(a.first, b.first) && at(a.second, b.second); };
    const auto end = [&](const FlowEnd& a, const FlowEnd& b) { return at(a.slot, b.slot) && a.outside == b.outside; };
    const auto sum = [&](const FlowPair& a, const FlowPair& b) { return end(a.first, b.first) && end(a.second, b.second); };
    const auto statement = [&](const Connection& a, const Connection& b) {
      return std::equal(a.potentials.begin(), a.potentials.end(), b.potentials.begin(), b.potentials.end(), equal) &&
             std::equal(a.signals.begin(), a.signals.end(), b.signals.begin(), b.signals.end(), equal) &&
             std::equal(a.flows.begin(), a.flows.end(), b.flows.begin(), b.flows.end(), sum);
    };
    return std::equal(x.connections.begin(), x.connections.end(), y.connections.begin(), y.connections.end(), statement);
  }

  void copy() {
    const std::uint32_t first = before_.connection_equations, now = static_cast<std::uint32_t>(m_.equations.size());
    m_.connection_equations = now;
    if (first == before_.equations.size()) return;
    m_.common.equations.push_back({first, now, static_cast<std::uint32_t>(before_.equations.size()) - first});
    const std::uint32_t operands = before_.equations[first].first, offset = static_cast<std::uint32_t>(m_.operands.size()) - operands;
    for (std::uint32_t e = first; e < before_.equations.size(); ++e) {
      FlatEquation x = before_.equations[e];
      x.first += offset;
      m_.equations.push_back(x);
    }
    const FlatEquation& last = before_.equations.back();
    for (std::uint32_t k = operands; k < last.first + last.count; ++k)
      m_.operands.push_back(Operand::value(SlotId{slot_[before_.operands[k].index()]}));
    m_.connection_info = before_.connection_info;
    for (FlatModel::ConnectionEquation& c : m_.connection_info) {
      c.a = slot_[c.a];
      c.b = slot_[c.b];
      c.instance = instance_[c.instance];
      c.group += now - first;
    }
  }

  FlatModel& m_;
  const FlatModel& before_;
  const CommonInstances& common_;
  std::vector<std::uint32_t> slot_, instance_;
};

// Only an unconnected input of the top level is a known signal.
void find_inputs(FlatModel& m) {
  constexpr auto others = static_cast<SlotFlags>(~SlotFlag::input);
  const auto connected = [&](const auto& list) {
    for (const auto& [a, b] : list) {
      if (a < m.top->own_slots) m.flags[a] &= others;
      if (b < m.top->own_slots) m.flags[b] &= others;
    }
  };
  for (const Connection& c : m.top->connections) {
    connected(c.potentials);
    connected(c.signals);
  }
  for (SlotFlags& flags : std::span(m.flags).subspan(m.top->own_slots)) flags &= others;
}

}  // namespace

void add_connections(FlatModel& m, const FlatModel* before, const CommonInstances& common) {
  if (before == nullptr || !KeptConnections(m, *before, common).take()) Connector(m).run();
  find_inputs(m);
}

}  // namespace kron::model
