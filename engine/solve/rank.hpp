// engine/solve/rank.hpp: rank of a matrix of tape nodes, decided on their fingerprints: elimination in a prime field. A deficiency
// found there holds for all values but for a chance of about 1e-15. Roots are not seen there: that a vector divided by its length has length 1
// shows in numbers.
#pragma once
#include <optional>
#include <vector>

#include "engine/solve/elimination.hpp"

namespace kron::solve {

struct Deficiency {
  std::vector<std::uint32_t> rows;     // a set of rows that depend on each other
  std::vector<std::uint32_t> columns;  // unknowns that such a dependency leaves undetermined
};

// rows: entries by column number; columns: the column numbers in use (as many as rows).
std::optional<Deficiency> rank_deficiency(const code::Builder&, const std::vector<LinearSystem::Row>& rows,
                                          const std::vector<std::uint32_t>& columns);

// The same of numbers, as far as rounding lets it be told; entries[r][c]. Only rows are named.
std::optional<Deficiency> rank_deficiency(std::vector<std::vector<double>> entries);

}  // namespace kron::solve
