#include "engine/model/part_order.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <unordered_map>

namespace kron::model {
namespace {

// The parts of a class in order: where the slots of each begin among those of an instance.
struct Places {
  std::vector<std::uint32_t> declaration, child;
};

struct Part {
  std::string kind;  // the class of a component; empty: a quantity
  std::string name;  // as it goes on behind it: a component's with its point, an array's with its bracket
  std::uint32_t slots = 0;
  std::uint32_t* place = nullptr;
};

std::string child_name(const Child& c) {
  std::string name = c.name.str();
  for (std::size_t k = 0; k < c.index.size(); ++k) name += (k == 0 ? "[" : ",") + std::to_string(c.index[k]);
  return name += c.index.empty() ? "." : "].";
}

Places places_in(const Blueprint& b) {
  Places p{std::vector<std::uint32_t>(b.declarations.size()), std::vector<std::uint32_t>(b.children.size())};
  std::vector<Part> parts;
  for (std::size_t k = 0; k < b.declarations.size(); ++k) {
    const Declaration& d = b.declarations[k];
    parts.push_back({{}, d.sizes.empty() ? d.name.str() : d.name.str() + "[", d.count, &p.declaration[k]});
  }
  for (std::size_t k = 0; k < b.children.size(); ++k) {
    const Child& c = b.children[k];
    parts.push_back({c.type->class_name.str(), child_name(c), c.type->slots, &p.child[k]});
  }
  std::ranges::stable_sort(parts, [](const Part& x, const Part& y) {
    if (x.kind.empty() != y.kind.empty()) return y.kind.empty();
    return x.kind != y.kind ? x.kind < y.kind : natural_less(x.name, y.name);
  });
  std::uint32_t next = 0;
  for (const Part& part : parts) {
    *part.place = next;
    next += part.slots;
  }
  return p;
}

// Calls f(slot, place) with places by class and name at each level of the tree of components.
template <class F>
void in_natural_order(const FlatModel& m, F&& f) {
  std::unordered_map<const Blueprint*, Places> of_class;
  std::vector<const Places*> places(m.instances.size());
  std::vector<std::uint32_t> first(m.instances.size(), 0);
  for (std::size_t k = 0; k < m.instances.size(); ++k) {
    const Instance& i = m.instances[k];
    auto found = of_class.find(i.type);
    if (found == of_class.end()) found = of_class.emplace(i.type, places_in(*i.type)).first;
    places[k] = &found->second;
    if (k > 0) first[k] = first[i.parent] + places[i.parent]->child[i.child];
    for (std::size_t d = 0; d < i.type->declarations.size(); ++d) {
      const Declaration& own = i.type->declarations[d];
      for (std::uint32_t e = 0; e < own.count; ++e) f(i.slot_base + own.first + e, first[k] + places[k]->declaration[d] + e);
    }
  }
}

// Of each instance the rank of the component that it is or, a connector or a record, belongs to: by what is around it, class by class. Equal
// for components of one kind.
std::vector<std::uint32_t> ranks_of_parts(const FlatModel& m) {
  std::unordered_map<std::uint64_t, std::uint32_t> number;  // of a class in a kind
  std::vector<std::vector<std::pair<Name, std::uint32_t>>> inside(1);
  std::vector<std::uint32_t> kind(m.instances.size(), 0);
  for (std::size_t k = 1; k < m.instances.size(); ++k) {
    const Instance& i = m.instances[k];
    kind[k] = kind[i.parent];
    if (i.type->is_connector || i.type->is_record) continue;
    const Name name = i.type->class_name;
    const auto [at, is_new] = number.try_emplace(std::uint64_t{kind[i.parent]} << 32 | name.value, static_cast<std::uint32_t>(inside.size()));
    kind[k] = at->second;
    if (!is_new) continue;
    inside[kind[i.parent]].emplace_back(name, at->second);
    inside.emplace_back();
  }
  std::vector<std::uint32_t> rank(inside.size(), 0), todo = {0};
  for (std::uint32_t next = 0; !todo.empty();) {
    const std::uint32_t k = todo.back();
    todo.pop_back();
    rank[k] = next++;
    std::ranges::sort(inside[k], std::ranges::greater(), [](const auto& x) -> const std::string& { return x.first.str(); });
    for (const auto& [name, child] : inside[k]) todo.push_back(child);
  }
  for (std::uint32_t& k : kind) k = rank[k];
  return kind;
}

}  // namespace

PartOrder::PartOrder(const FlatModel& m) : place_(m.slots) {
  const std::vector<std::uint32_t> rank = ranks_of_parts(m);
  std::vector<std::uint32_t> slots(m.slots);  // in natural order
  in_natural_order(m, [&](std::uint32_t slot, std::uint32_t place) { slots[place] = slot; });
  std::vector<std::uint32_t> next(m.instances.size() + 1, 0);  // by rank
  std::vector<std::uint32_t> part(m.slots);
  for (std::size_t k = 0; k < m.instances.size(); ++k) {
    const Instance& i = m.instances[k];
    std::fill_n(part.begin() + i.slot_base, i.type->own_slots, rank[k]);
    next[rank[k] + 1] += i.type->own_slots;
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (std::uint32_t slot : slots) place_[slot] = next[part[slot]]++;
}

}  // namespace kron::model
