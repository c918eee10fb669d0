// engine/solve/canonical.hpp: a block's rows and unknowns in an order that follows from names and content, so that the order in which the
// model was written has no say in what its code costs.
//   Unknowns go by the first of the names by which the rows know them, rows by their unknowns.
#pragma once
#include <unordered_map>
#include <vector>

#include "engine/solve/block.hpp"

namespace kron::solve {

class Canonical {
 public:
  explicit Canonical(const BlockProblem&);  // needs BlockProblem::name
  const BlockProblem& problem() const { return problem_; }
  void restore(BlockSolution&) const;       // to the positions of the given problem

 private:
  struct Name {
    std::uint32_t unknown;
    std::uint64_t member;  // of its alias set
  };
  std::unordered_map<std::uint32_t, std::uint32_t> positions() const;  // of the unknowns
  std::vector<Name> names() const;
  void order_unknowns();
  void choose_arrays(const std::vector<Name>&);
  void order_rows();
  void rename(std::vector<std::uint32_t>& positions, const std::vector<std::uint32_t>& position) const;
  BlockProblem problem_;
  std::vector<std::uint32_t> row_, unknown_;  // by position: the one in the given problem
};

}  // namespace kron::solve
