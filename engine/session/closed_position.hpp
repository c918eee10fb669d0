// engine/session/closed_position.hpp: which equations that close loops follow from the rest, by numbers.
//   problem  closings.hpp looks at a random point, where loops are open. What a loop holds more than it needs can show only where it is
//            closed: a hinge at a right angle to the others of a plane loop turns nowhere, and a universal joint there has one axis that does not
//   in       a reduced system that is not differentiated, with vectors turned to axes that go with the loops (Closings::turn); values of
//            parameters, and where coordinates start
//   method   the coordinates of the tree are moved until all loops are closed [Levenberg 1944], those with fixed start values only where the
//            others alone do not do; then along what is free to move to few other closed positions. In the Jacobian of the closing rows there, each
//            row of length 1, those are kept one after another that have most of their own, at the position where they have least, until nothing
//            is left of the others [Gram-Schmidt with pivoting]. The others' flows are zero then: those of rows kept do not follow from each other
//   out      equations of the flat model; none: the loops do not close from there, or are too large
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/session/system.hpp"
#include "engine/session/values.hpp"

namespace kron::session {

std::optional<std::vector<std::uint32_t>> repeated_where_closed(System&, const Bindings&, const Overrides&);

}  // namespace kron::session
