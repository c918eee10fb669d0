// engine/session/derivative_aliases.hpp: aliases closed under differentiation: x = s*r makes der(x) = s*der(r), a constant has derivative zero.
//   in    aliases of variables, the variables that are differentiated, ascending, and the derivative of each variable, or none
//   out   rows between derivatives that these aliases do not say yet; cycles of der(x) = y, der(y) = -x and the like
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "engine/structure/structure.hpp"

namespace kron::session {

struct Differentiated {
  std::span<const std::uint32_t> variables, derivative;
};
using IntegerTerms = std::vector<std::pair<structure::Column, std::int64_t>>;
void close_derivatives(const structure::Aliases&, const Differentiated&, const std::function<void(const IntegerTerms&)>& append);

// der(x) = v may be an alias, der(v) = -x beside it may not: x would be its own second derivative. Of each cycle what the derivative
// variable is that comes last: those that stand for it keep their equations. By variable; empty: there is no cycle.
std::vector<bool> derivative_cycles(const structure::Aliases&, const Differentiated&);

}  // namespace kron::session
