// engine/model/part_order.hpp: variables in an order that follows from what the parts of a model are, and only then from what they are called.
//   Components by the classes that lead to them, from the outermost one, so that a link's bodies stand together whether or not each link is a
//   component with parts; those of one kind by names, level by level, the same for connectors, by class, then a component's own quantities. Names
//   are in natural order (r2 before r10). A class is sorted once for all its instances. Where names are equal but for leading zeros (a1, a01) the first
//   element in which they differ at all decides.
//   why   what is equally cheap in the solution of a block is decided by this order. By names alone what a chain costs depended on whether its
//         joints were called joint or axis
//   cost  linear in the slots, and sorting the parts of each class and the kinds of components
#pragma once
#include <cstdint>
#include <vector>

#include "engine/model/flat_model.hpp"

namespace kron::model {

class PartOrder {
 public:
  explicit PartOrder(const FlatModel&);
  // Where a slot's derivative stands, of order 0 the slot itself: derivatives behind all slots.
  std::uint64_t place(std::uint32_t slot, unsigned order) const {
    return std::uint64_t{order > 0} << 48 | std::uint64_t{place_[slot]} << 8 | order;
  }

 private:
  std::vector<std::uint32_t> place_;  // by slot, among the slots
};

}  // namespace kron::model
