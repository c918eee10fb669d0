// engine/solve/ordering.hpp: in which order a coupled linear block is eliminated. An ordering is a sequence of pivots (row, unknown)
// handed to the one elimination (elimination.hpp); what a sequence does not cover is the core.
//   Strategies: relaxed BLT and torn variables last (library authors' marks), the ladder (architecture.md idea 2), Markowitz.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/solve/elimination.hpp"

namespace kron::solve {

using Pivot = std::pair<std::uint32_t, std::uint32_t>;

// The block as the strategies see it: entries, array groups, marks. All by position in the block.
struct OrderingProblem {
  const code::Builder* tape = nullptr;
  const LinearSystem* system = nullptr;
  std::vector<std::uint32_t> row_group, unknown_group;             // dense numbers, by first occurrence
  std::vector<std::vector<bool>> relaxed;                          // [row][entry]: the unknown occurs inside relax(…) only
  std::vector<bool> residue_row, tearing_unknown;
};

struct Ordering {
  std::string name;
  std::vector<Pivot> pivots;
  std::vector<std::uint32_t> torn, residues;                       // where the strategy tears
};

// Marks that do not fit, for the warning: position of the row and why.
struct Misfit {
  std::uint32_t row = 0;
  std::string why;
};

std::optional<Ordering> relaxed_ordering(const OrderingProblem&, std::vector<Misfit>&);
std::optional<Ordering> torn_ordering(const OrderingProblem&, std::vector<Misfit>&);

}  // namespace kron::solve
