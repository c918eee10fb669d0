// engine/solve/carried.hpp: the order of a block that was much the same, carried over to this one after an edit.
//   in    pivots of before by names of rows and unknowns that survive edits
//   out   the pivots of what both blocks have stay in their order. What is new, or has lost its partner, is eliminated by Markowitz,
//         connected part by connected part, where the order first meets it; what hangs on it only, as a body that was taken elsewhere,
//         goes before it
//   cost  one elimination. Whether the result is as good as before is for the caller to count
#pragma once
#include <cstdint>
#include <vector>

#include "engine/solve/ordering.hpp"

namespace kron::solve {

// Names of a view's rows and columns that survive edits elsewhere; not necessarily unique.
struct NamedPlaces {
  std::vector<std::uint64_t> row, column;
};

using NamedPivot = std::pair<std::uint64_t, std::uint64_t>;
struct NamedOrder {
  std::vector<NamedPivot> pivots, reference;
};

NamedOrder named(const NamedPlaces&, const std::vector<Pivot>& pivots, const std::vector<Pivot>& reference);

// An order in the places of another block.
class CarriedOrder {
 public:
  CarriedOrder(const NamedOrder&, const NamedPlaces&, const LinearSystem&);
  // Of the reference solution (flow.hpp): that of before, and what follows from it in rows that are new. Empty where it was empty.
  const std::vector<Pivot>& reference() const { return reference_; }
  void run(Elimination&, const OrderingProblem&, const Admissible&);

 private:
  void find_pieces();
  void find_parts();
  void find_reference(const std::vector<Pivot>& before);
  void meet(const Elimination&, const Pivot&);
  void place(Elimination&, const OrderingProblem&, const Admissible&, std::uint32_t part);
  const LinearSystem& system_;
  std::vector<Pivot> reference_;
  std::vector<std::vector<Pivot>> pieces_;  // pivots of before, as what they are of hangs together without the new rows and columns
  std::uint32_t largest_ = 0;               // of the pieces: the others go with what is new
  std::vector<std::uint32_t> piece_of_row_, piece_of_column_;  // no_part: new, or without a partner
  std::vector<std::uint32_t> part_of_row_, part_of_column_;    // of these; of the others, no_part
  struct Part {
    std::vector<std::uint32_t> rows, pieces;  // pieces: those that it touches
    bool placed = false;
  };
  std::vector<Part> parts_;
  std::vector<std::uint32_t> met_;  // scratch
};

}  // namespace kron::solve
