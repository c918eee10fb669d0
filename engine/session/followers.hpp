// engine/session/followers.hpp: unknowns of coupled blocks that one other unknown gives. Like an alias, such an x is no unknown of the coupled
// system: its equation is an assignment behind the block.
//   in    a coupled block as it was solved: rows, unknowns, pivots
//   out   its followers, each behind the one that it follows, whose rows and unknowns elimination took care of, in whatever order: what a core
//         has is left there. Of the others, k known before the block:
//           flows x = ±y + k, where a sum at a node has two unknowns, as beside an inductor or a damper
//           flows x = c y + k that a component gives, as the force of a mass from its acceleration
//           dummy derivatives x = c y + k that a differentiated constraint gives, as the acceleration before a gear
//           x = ±y where reduction leaves it as a row, for its known derivatives
//   keep  linear blocks only; other equations are shown where they are solved. A sum counts where neither x nor y is in another such sum: k of
//         a long line of them would be a long sum
#pragma once
#include <span>
#include <vector>

#include "engine/session/analysis.hpp"
#include "engine/session/system.hpp"

namespace kron::session {

struct Follower {
  std::uint32_t row = 0, unknown = 0, of = 0;  // positions in the block: of x's row, of x and of y
};

std::vector<Follower> followers(const System&, const Block&, std::span<const std::uint32_t> rows);
// The block without them. Pivots and residues are positions in what is left.
Block without(const Block&, const std::vector<Follower>&);

}  // namespace kron::session
