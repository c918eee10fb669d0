// engine/session/known_values.hpp: variables whose value 0, 1 or -1 follows from such values of others.
//   problem   x = c*y + s*z with y = 1 and z = 0 known is no integer row before they are put in. A rotation about a coordinate axis has
//             zeros and ones, and so have the rotations behind it and the velocities in a plane: what is constant must not be taken for
//             a candidate for states, nor a zero for a coefficient
//   method    an equation is looked at when one of its variables gets a value: if one variable and an integer are left, it gives the next
//   cost      of all equations with such variables, each once for each of its variables at most
#pragma once
#include <vector>

#include "engine/model/flat_model.hpp"
#include "engine/structure/structure.hpp"

namespace kron::session {

struct KnownValue {
  std::uint32_t equation = 0, variable = 0;
  std::int64_t value = 0;
  bool of_integer_row = false;  // which gives it from the others
};
// Beyond what `found` knows, in the order in which they follow. Not from equations that are to be left alone; empty: there are none.
std::vector<KnownValue> known_values(const model::FlatModel&, const std::vector<std::uint8_t>& unknown, const structure::Aliases& found,
                                     std::vector<bool> left_alone);
// From some of the equations, ascending.
std::vector<KnownValue> known_values(const model::FlatModel&, const std::vector<std::uint8_t>& unknown, const structure::Aliases& found,
                                     std::vector<bool> left_alone, const std::vector<std::uint32_t>& equations);

}  // namespace kron::session
