// engine/solve/scalar_pairs.hpp: pairs of array groups seen scalar by scalar. Arrays can be split in more than one way, and not each leaves
// as few unknowns without a partner as there can be.
//   in    which row gives which unknown by pairs of arrays; the rows that have a unit at each unknown
//   out   as many unknowns with a row as unit entries allow, in few pairs of arrays
//   how   augmenting paths, each a shortest one; then exchanges that make fewer pairs of (row array, unknown array)
//   keep  where no path is found nothing is touched
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/solve/ordering.hpp"

namespace kron::solve {

struct ScalarPairs {
  std::vector<std::uint32_t> row_of, unknown_of;  // by unknown, by row; all ones: none
};

// False: no unknown found a row that had none before.
bool mend(ScalarPairs&, const OrderingProblem&, std::span<const std::vector<std::uint32_t>> unit_rows);

}  // namespace kron::solve
