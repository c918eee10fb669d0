// engine/model/name_order.hpp: variables in the natural order of their names (r2.v before r10.v), without the names.
//   Below one component names differ in its class's own declarations and components, so a class is sorted once for all its instances.
//   Where names are equal but for leading zeros (a1.z, a01.b) the first element in which they differ at all decides.
//   cost  linear in the slots, and sorting the parts of each class
#pragma once
#include <cstdint>
#include <vector>

#include "engine/model/flat_model.hpp"

namespace kron::model {

class NameOrder {
 public:
  explicit NameOrder(const FlatModel&);
  // Where the name of a slot's derivative stands, of order 0 that of the slot itself.
  std::uint64_t place(std::uint32_t slot, unsigned order) const {
    const std::uint64_t in_order = std::uint64_t{place_[slot]} << 8 | order;
    const Among among = order > 0 ? Among::derivatives : place_[slot] < before_derivatives_ ? Among::before : Among::behind;
    return static_cast<std::uint64_t>(among) << 48 | in_order;
  }

 private:
  enum class Among : std::uint8_t { before, derivatives, behind };  // by the beginning: der(…)
  std::vector<std::uint32_t> place_;        // by slot, among the slots
  std::uint32_t before_derivatives_ = 0;    // so many slots have names before der(…)
};

}  // namespace kron::model
