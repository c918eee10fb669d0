// engine/session/set_pieces.hpp: a dynamic set whose rows come in steps, in pieces that choose one after the other.
//   problem   in a net of loops, as a rope ladder's, the rows of a loop hold the angles of all before it: one set of everything, one iteration
//             and one LU as large as the net
//   method    rows that hold fewest candidates that nobody has chosen from, and those that hold no others, choose among these: what earlier
//             pieces solve for is known to them. Either a piece has more candidates of its own than rows, and none of these is determined
//             without a choice; or it has as many, and all are determined, and the last one that it depends on has no choice either, or
//             the two would have many candidates. The rows depend on each other in them nowhere but at single positions. A piece that is
//             neither joins the last one that it depends on; where the two are not, nothing is divided
//   cost      each piece is as small as its loop; a net of them is solved loop by loop
//   limits    where a piece alone does not determine what the others leave to it, while all together would, a run begins again with the
//             set undivided (simulate::Problem::divided, ChoiceWatch). Start values are chosen for all pieces at once (initialise.cpp)
#pragma once
#include <cstdint>
#include <vector>

#include "engine/session/level_matrix.hpp"

namespace kron::session {

struct SetPiece {
  std::vector<std::uint32_t> rows, columns;  // of the matrix
};

// How many independent rows there are in these columns. The rows' cells are all that is read of the matrix.
std::size_t rank_in(const LevelMatrix&, const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns);

// One piece where the rows do not come in steps, or there is not much to gain. `rows` hold each of the `columns` somewhere, which ascend.
// `array_of`, by row: rows of one array, as those that close a loop, stay together.
std::vector<SetPiece> pieces_of(const LevelMatrix&, const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns,
                                const std::vector<std::uint32_t>& array_of);

}  // namespace kron::session
