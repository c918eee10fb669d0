// engine/solve/tearing.hpp: which unknowns of a block to guess so that the rest follows by assignments.
//   in    rows x unknowns incidence; solvable(row, unknown): the row gives the unknown by a safe assignment
//   out   assignments in order, torn unknowns, residue rows; |torn| = |residues|
//   how   causalise what has one unknown left; then tear the unknown that occurs in most rows  [Elmqvist, Otter 1994; Cellier]
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace kron::solve {

struct Tearing {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> assignments;  // (row, unknown)
  std::vector<std::uint32_t> torn, residues;                         // ascending
};

Tearing tear(const std::vector<std::vector<std::uint32_t>>& rows, std::uint32_t unknowns,
             const std::function<bool(std::uint32_t row, std::uint32_t unknown)>& solvable,
             const std::vector<bool>& torn_first = {},  // by unknown: torn whatever happens
             std::size_t most_terms = 0);               // of how many torn unknowns an assigned one may be made; 0: any number

}  // namespace kron::solve
