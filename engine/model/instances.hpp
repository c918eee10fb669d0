// engine/model/instances.hpp: the instance tree of a model, and what it has in common with the tree of another one.
//   in    a flat model with its top; one that was made before, or none
//   out   its instances, in preorder; parts: instances that are of the same classes at the same paths in both, one after the other in
//         both; changed: other instances at the same path, most of them of another class
//   keep  parts and changed instances ascend in both models, so numbers of what both have ascend alike
//   cost  what was before is copied subtree by subtree; children are matched side by side, by name
#pragma once
#include <utility>
#include <vector>

#include "engine/model/flat_model.hpp"

namespace kron::model {

struct InstancePart {
  std::uint32_t before = 0, now = 0, count = 0;  // the first instance in either
};
struct CommonInstances {
  std::vector<InstancePart> parts;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> changed;  // before, now
};

CommonInstances add_instances(FlatModel&, const FlatModel* before);

// Where the slots, equations, initial equations and operands of an instance begin, or of all end.
struct Bases {
  std::uint32_t slot = 0, equation = 0, initial = 0, operand = 0;
};
Bases bases(const FlatModel&, std::size_t instance);

// Calls `alone(instance)` for each instance outside of the parts and `common(part)` for each part, in order.
template <class Alone, class Common>
void walk(const FlatModel& m, const std::vector<InstancePart>& parts, const Alone& alone, const Common& common) {
  std::uint32_t at = 0;
  for (const InstancePart& p : parts) {
    for (; at < p.now; ++at) alone(at);
    common(p);
    at = p.now + p.count;
  }
  for (; at < m.instances.size(); ++at) alone(at);
}

}  // namespace kron::model
