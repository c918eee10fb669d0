// engine/solve/ties.hpp: which of several equally cheap pivots goes first. It decides more than one would think: 15 % of what a chain of
// six links costs. No order is the best for all blocks, so a few are tried.
//   given        by position
//   form         equations of one form together: a structure that repeats is eliminated in all places at once
//   kind         likewise, but by what their unknowns are, which does not depend on the sides of an equation
//   neighbours   by a walk from row to row: one place after the other
//   quantity     by what the unknowns are, read from the end: where `given` goes from part to part it goes from quantity to quantity
//   lot          at random, the same in every run
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace kron::solve {

struct OrderingProblem;

struct TieOrder {
  std::vector<std::uint32_t> row, column;  // ranks
};
TieOrder ties_by_form(const OrderingProblem&);
TieOrder ties_by_kind(const OrderingProblem&);
TieOrder ties_by_neighbours(const OrderingProblem&);
TieOrder ties_by_quantity(const OrderingProblem&);  // this and the one by kind need OrderingProblem::kind

// The name without subscripts and without the number at the end of each identifier: R for R12, cell[].C for cell[3].C.
std::string without_numbers(const std::string& name);

struct Ties {
  const TieOrder* order = nullptr;  // none: by position
  std::uint32_t lot = 0;            // other than 0: at random, whatever the order
  const std::vector<std::uint32_t>* arrays = nullptr;  // by column: arrays of unknowns are drawn then, their elements stay together
  std::uint64_t operator()(std::uint32_t row, std::uint32_t column) const;
};

}  // namespace kron::solve
