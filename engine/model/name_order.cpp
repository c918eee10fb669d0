#include "engine/model/name_order.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace kron::model {
namespace {

// The parts of a class in order: where the slots of each begin among those of an instance.
struct Places {
  std::vector<std::uint32_t> declaration, child;
};

struct Part {
  std::string name;  // as it goes on behind it: a component's with its point, an array's with its bracket
  std::uint32_t slots = 0;
  std::uint32_t* place = nullptr;
};

std::string child_name(const Child& c) {
  std::string name = c.name.str();
  for (std::size_t k = 0; k < c.index.size(); ++k) name += (k == 0 ? "[" : ",") + std::to_string(c.index[k]);
  return name += c.index.empty() ? "." : "].";
}

// `before_derivatives`: if asked for, how many slots have names before der(…).
Places places_in(const Blueprint& b, std::uint32_t* before_derivatives = nullptr) {
  Places p{std::vector<std::uint32_t>(b.declarations.size()), std::vector<std::uint32_t>(b.children.size())};
  std::vector<Part> parts;
  for (std::size_t k = 0; k < b.declarations.size(); ++k) {
    const Declaration& d = b.declarations[k];
    parts.push_back({d.sizes.empty() ? d.name.str() : d.name.str() + "[", d.count, &p.declaration[k]});
  }
  for (std::size_t k = 0; k < b.children.size(); ++k) parts.push_back({child_name(b.children[k]), b.children[k].type->slots, &p.child[k]});
  std::stable_sort(parts.begin(), parts.end(), [](const Part& x, const Part& y) { return natural_less(x.name, y.name); });
  std::uint32_t next = 0;
  for (const Part& part : parts) {
    if (before_derivatives && natural_less(part.name, "der(")) *before_derivatives = next + part.slots;
    *part.place = next;
    next += part.slots;
  }
  return p;
}

}  // namespace

NameOrder::NameOrder(const FlatModel& m) : place_(m.slots) {
  std::unordered_map<const Blueprint*, Places> of_class;
  std::vector<const Places*> places(m.instances.size());
  std::vector<std::uint32_t> first(m.instances.size(), 0);
  for (std::size_t k = 0; k < m.instances.size(); ++k) {
    const Instance& i = m.instances[k];
    auto found = of_class.find(i.type);
    if (found == of_class.end()) found = of_class.emplace(i.type, places_in(*i.type, k == 0 ? &before_derivatives_ : nullptr)).first;
    places[k] = &found->second;
    if (k > 0) first[k] = first[i.parent] + places[i.parent]->child[i.child];
    for (std::size_t d = 0; d < i.type->declarations.size(); ++d) {
      const Declaration& own = i.type->declarations[d];
      for (std::uint32_t e = 0; e < own.count; ++e) place_[i.slot_base + own.first + e] = first[k] + places[k]->declaration[d] + e;
    }
  }
}

}  // namespace kron::model
