#include "engine/session/identities.hpp"

#include <algorithm>
#include <numeric>

#include "engine/base/hash.hpp"

namespace kron::session {

// A member as one number; der(x) of the model and x differentiated by index reduction are the same.
std::uint64_t Identities::token(Member m) const {
  while (m.shift > 0 && m.variable < s_.flat->variables() && s_.flat->derivative[m.variable] != none) {
    m.variable = s_.flat->derivative[m.variable];
    --m.shift;
  }
  return std::uint64_t{m.shift} << 32 | m.variable;
}
std::uint64_t Identities::group_of_member(std::uint64_t m) const {
  const auto v = static_cast<std::uint32_t>(m);
  return v < s_.flat->variables() ? std::uint64_t{model::group(*s_.flat, VarId{v})} << 4 | m >> 32 : m;
}
// By the first potential of the set, to which the equations tie the others.
std::uint32_t Identities::connection_set(std::uint32_t equation) const {
  const std::uint32_t first = s_.flat->connection_equations;
  if (equation < first || s_.flat->connection_info[equation - first].flow) return 0;
  return s_.flat->connection_info[equation - first].a + 1;
}
const std::string& Identities::kind(std::uint64_t m) {
  std::string& k = kind_of_[m];
  if (!k.empty()) return k;
  const auto [slot, order] = underived(m);
  k = kinds_.kind(model::SlotId{slot});
  for (unsigned n = 0; n < order; ++n) k = "der(" + k + ")";
  return k += std::string(m >> 32, '\'');
}
std::pair<std::uint32_t, unsigned> Identities::underived(std::uint64_t m) const {
  auto v = static_cast<std::uint32_t>(m);
  unsigned order = 0;
  for (; v >= s_.flat->slots; v = s_.integral[v - s_.flat->slots]) ++order;
  return {v, order};
}
std::uint64_t Identities::place(std::uint64_t m) {
  if (!part_order_) part_order_.emplace(*s_.flat);
  const auto [slot, order] = underived(m);
  return part_order_->place(slot, order) << 8 | m >> 32;
}
// Where a name has more elements, the component that these lead to.
std::uint64_t Identities::beginning(std::uint64_t m, std::uint32_t elements) const {
  const std::vector<model::Instance>& all = s_.flat->instances;
  const auto [slot, order] = underived(m);
  const std::uint32_t holder = model::instance_of(*s_.flat, model::SlotId{slot});
  std::uint32_t depth = 0;
  for (std::uint32_t i = holder; i != 0; i = all[i].parent) ++depth;
  if (elements > depth) return m << 1 | 1;
  std::uint32_t at = holder;
  for (; depth > elements; --depth) at = all[at].parent;
  return std::uint64_t{at} << 2 | (order > 0 ? 2 : 0);
}
void Identities::neighbours(std::uint64_t m, std::vector<solve::BlockProblem::Neighbour>& out) {
  if (first_edge_.empty()) {
    first_edge_.assign(s_.flat->variables() + 1, 0);
    for (const AliasEdge& e : s_.alias_edges) ++first_edge_[e.a], ++first_edge_[e.b];
    std::exclusive_scan(first_edge_.begin(), first_edge_.end(), first_edge_.begin(), 0u);
    edges_.resize(first_edge_.back());
    std::vector<std::uint32_t> next = first_edge_;
    const auto turned = [](RelaxedEnd x) { return x == RelaxedEnd::a ? RelaxedEnd::b : x == RelaxedEnd::b ? RelaxedEnd::a : x; };
    for (const AliasEdge& e : s_.alias_edges) {
      edges_[next[e.a]++] = e;
      edges_[next[e.b]++] = {e.b, e.a, e.equation, turned(e.relaxed)};
    }
  }
  const auto v = static_cast<std::uint32_t>(m), shift = static_cast<std::uint32_t>(m >> 32);
  const auto add = [&](std::uint32_t from, std::uint32_t more) {
    for (std::uint32_t k = first_edge_[from]; k < first_edge_[from + 1]; ++k) {
      const AliasEdge& e = edges_[k];
      const std::uint64_t group = std::uint64_t{model::group(*s_.flat, EqId{e.equation})} << 4 | std::min<std::uint64_t>(shift + more, 15);
      out.push_back({token({e.b, shift + more}), group, connection_set(e.equation), e.relaxed == RelaxedEnd::a, e.relaxed == RelaxedEnd::b});
    }
  };
  if (v >= s_.flat->variables()) return;
  add(v, 0);
  if (v >= s_.flat->slots) add(s_.integral[v - s_.flat->slots], 1);  // der(x): what ties x ties it
}

// Rows of one equation array that were differentiated equally often; derivatives of one array that are of one order.
std::uint64_t Identities::group_of_row(std::uint32_t r) const {
  const SystemRow& row = s_.rows[r];
  if (row.origin == none) return 0x9000000000ull + r;
  return std::uint64_t{model::group(*s_.flat, EqId{row.origin})} << 4 | std::min<std::uint32_t>(row.times, 15);
}
// Which equation it is: its place in its component, or what it connects.
std::uint64_t Identities::key_of_row(std::uint32_t r) const {
  const SystemRow& row = s_.rows[r];
  const FlatModel& m = *s_.flat;
  if (row.origin == none) return row.key;
  if (row.origin >= m.connection_equations) {
    const FlatModel::ConnectionEquation& c = m.connection_info[row.origin - m.connection_equations];
    return combine(combine(combine(m.keys[c.a], m.keys[c.b]), (c.flow ? 1u : 0u) | (c.outside ? 2u : 0u)), row.times);
  }
  const model::Instance& i = m.instances[model::instance_of(m, EqId{row.origin})];
  return combine(combine(i.key, row.origin - i.equation_base), row.times);
}
std::uint32_t Identities::part_of_row(std::uint32_t r) const {
  const std::uint32_t origin = s_.rows[r].origin;
  return origin == none || origin >= s_.flat->connection_equations ? none : model::instance_of(*s_.flat, EqId{origin});
}
std::uint64_t Identities::group_of_unknown(std::uint32_t v) const {
  std::uint64_t order = 0;
  while (v >= s_.flat->variables()) {
    v = s_.integral[v - s_.flat->slots];
    ++order;
  }
  return std::uint64_t{model::group(*s_.flat, VarId{v})} << 4 | std::min<std::uint64_t>(order, 15);
}

}  // namespace kron::session
