// engine/solve/carried.hpp: the order of a block that was much the same, carried over to this one after an edit.
//   in    pivots of before by names of rows and unknowns that survive edits
//   out   the pivots of what both blocks have stay in their order. Where a pair has gone, new elements of the same two arrays take its
//         place: those of a joint that turns about another axis. Rows that are left over take unknowns of others along units, as where a
//         joint is made rigid. What else is new, or has lost its partner, is eliminated by Markowitz, connected part by connected part,
//         where the order first meets it; what hangs on it, as the rest of a chain behind a body that was taken elsewhere, goes before it,
//         from far to near
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
  std::vector<Pivot> groups;  // of the pivots: their arrays, by numbers that count in their block only
};

NamedOrder named(const NamedPlaces&, const OrderingProblem&, const std::vector<Pivot>& pivots, const std::vector<Pivot>& reference);

// An order in the places of another block.
class CarriedOrder {
 public:
  // `mended`: with other pairs where what is new, or has lost its partner, has none by itself.
  CarriedOrder(const NamedOrder&, const NamedPlaces&, const OrderingProblem&, bool mended);
  // Of the reference solution (flow.hpp): that of before, and what follows from it in rows that are new. Empty where it was empty.
  const std::vector<Pivot>& reference() const { return reference_; }
  void run(Elimination&, const Admissible&);

 private:
  std::vector<Pivot> pair_up(const NamedOrder&, std::vector<Pivot> here) const;
  template <class Open>
  bool give_row_an_unknown(std::uint32_t row, std::vector<std::uint32_t>& row_of, const Open&);
  void mend_pairs(std::vector<Pivot>&);
  void find_pieces(std::vector<Pivot> all, const std::vector<Pivot>& before);
  void keep_places(const std::vector<Pivot>& all);
  void find_parts();
  void find_reference(const std::vector<Pivot>& before);
  std::vector<std::uint32_t> far_pieces_first();
  void meet(const Elimination&, const Pivot&, std::uint32_t level);
  void place(Elimination&, const Admissible&, std::uint32_t part);
  void give_row(Elimination&, const Admissible&, std::uint32_t column) const;
  const OrderingProblem& p_;
  const LinearSystem& system_;
  std::vector<Pivot> reference_;
  std::vector<std::vector<Pivot>> pieces_;  // pivots of before, as what they are of hangs together without the new rows and columns;
                                            // no_part: a row that is found where the pivot's turn is
  std::uint32_t main_ = 0;                  // of the large pieces the one that comes last
  std::vector<std::uint32_t> piece_of_row_, piece_of_column_;  // no_part: new, or without a partner
  std::vector<std::uint32_t> part_of_row_, part_of_column_;    // of these; of the others, no_part
  struct Part {
    std::vector<std::uint32_t> rows, pieces;  // pieces: those that it touches
    std::uint32_t level = no_part;            // steps from the main piece, over pieces and parts; no_part: nothing leads there
    bool placed = false;
  };
  std::vector<Part> parts_;
  std::vector<Pivot> bridges_;               // pieces that hang together by a new row that took a place in one of them
  std::vector<std::uint32_t> piece_level_;  // as of parts
  struct Reached {
    std::uint32_t row, column, by;  // the row whose unknown the column is, which row number `by` holds
  };
  std::vector<Reached> reached_;    // scratch, as what follows
  std::vector<bool> is_reached_;
  std::vector<std::uint32_t> met_;
};

}  // namespace kron::solve
