// engine/solve/canonical.hpp: a block's rows and unknowns in an order that follows from parts and content, so that the order in which the
// model was written has no say in what its code costs.
//   Unknowns go by the first of the variables by which the rows know them, rows by their unknowns.
#pragma once
#include <vector>

#include "engine/base/small.hpp"
#include "engine/solve/block.hpp"

namespace kron::solve {

class Canonical {
 public:
  explicit Canonical(const BlockProblem&);  // needs BlockProblem::kind
  const BlockProblem& problem() const { return problem_; }
  void restore(BlockSolution&) const;       // to the positions of the given problem

 private:
  struct Name {
    std::uint32_t unknown;
    std::uint64_t member;  // of its alias set
    std::uint64_t place;   // BlockProblem::place
  };
  static constexpr std::uint32_t none = 0xffffffff;
  std::vector<std::uint32_t> positions() const;  // of the unknowns, by variable; none: it is no unknown
  static std::uint32_t position_of(const std::vector<std::uint32_t>& positions, model::Operand);
  std::vector<Name> names() const;
  void order_unknowns();
  void choose_arrays(const std::vector<Name>&);
  void order_rows();
  void rename(std::vector<std::uint32_t>& positions, const std::vector<std::uint32_t>& position) const;
  BlockProblem problem_;
  std::vector<std::uint32_t> row_, unknown_;  // by position: the one in the given problem
};

}  // namespace kron::solve
