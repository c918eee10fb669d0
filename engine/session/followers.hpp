// engine/session/followers.hpp: flows of coupled blocks that are others but for a sign and what is known before the block, x = ±y + k: two at
// a node whose third is the current of an inductor or the torque of a damper. Like an alias, such an x is no unknown of the coupled system:
// the sum at the node is an assignment behind the block.
//   in    a coupled block as it was solved: rows, unknowns, pivots
//   out   its followers, whose sums and flows elimination took care of, in whatever order: what a core has is left there
//   keep  linear blocks only, and connections: equations of components are shown where they are solved. A sum counts where neither x nor y
//         is in another such sum: k of a long line of them would be a long sum
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "engine/session/analysis.hpp"
#include "engine/session/system.hpp"

namespace kron::session {

struct Follower {
  std::uint32_t row = 0, unknown = 0, of = 0;  // positions in the block: of x = ±y + k, of x and of y
};

std::vector<Follower> followers(const System&, const Block&, std::span<const std::uint32_t> rows);
// The block without them. Pivots and residues are positions in what is left.
Block without(const Block&, const std::vector<Follower>&);

}  // namespace kron::session
