// engine/solve/checks.hpp: a second opinion on a solved block.
//   Certificate: at a fresh point of the two fields the values must solve the block's own rows exactly. What value numbering merged
//   or a slip of bookkeeping lost shows there.
//   Probe: at random real points the backward residual must be small: an ordering that loses digits shows there.
//   Where a run is: which pivots are good at that point, for a block whose guards did not hold for long.
#pragma once
#include <cmath>
#include <deque>
#include <optional>
#include <string>

#include "engine/code/probe.hpp"
#include "engine/solve/block.hpp"
#include "engine/solve/elimination.hpp"
#include "engine/solve/ordering.hpp"

namespace kron::solve {

class Checks {
 public:
  static constexpr std::size_t largest_core = 64;  // of a core that is solved in the field for the certificate

  explicit Checks(const code::Builder&);
  void begin_block() { lost_where_large_ = false; }
  Checks(const Checks&) = delete;  // points at its own probes
  Checks& operator=(const Checks&) = delete;
  // Empty where `values` solve the system; else what is wrong. The core (rows, columns) of `e` is solved by LU at run time.
  std::string fault(const LinearSystem&, const std::vector<code::Ref>& values, const Elimination& e,
                    const std::vector<std::uint32_t>& core_rows, const std::vector<std::uint32_t>& core_columns);
  // Whether many rows have a residual at a random point that is not small beside their own terms. Not for a block with a core.
  bool loses_digits(const LinearSystem&, const std::vector<code::Ref>& values);
  // The same where parameters are large, if the matrix is far from singular there: what a recursion makes grow, as from one node of a grid
  // to the next, grows with what stands on the diagonal, and that makes the matrix better.
  bool loses_digits_where_large(const LinearSystem&, const std::vector<code::Ref>& values);
  // The same for a block with a core, which is solved there.
  bool loses_digits_with_core(const LinearSystem&, const std::vector<code::Ref>& values, const Elimination& e,
                              const std::vector<std::uint32_t>& core_rows, const std::vector<std::uint32_t>& core_columns);
  // Which random points tell something about orderings: of several, where the matrix is farthest from singular, and not as good as it.
  std::size_t find_telling(const LinearSystem&);
  // For the block with right-hand sides, new unknowns of the tape, for which its unknowns are ±1 at the telling points.
  void make_units(const LinearSystem&);
  bool loses_digits_with_units(const LinearSystem&, const std::vector<code::Ref>& values);
  void rewind(std::size_t size);
  double value_of(code::Ref r) { return first_(r); }  // at a random point

  // Whether the entry is not small beside the others of its unknown, or not beside those of its row, at the telling points or where a
  // run is; where parameters are large, too, if an ordering of the block has lost digits there.
  bool large_pivot(const Elimination&, std::uint32_t row, std::uint32_t unknown, double threshold);

  // At the point of a run: its inputs; the value of an unknown; whether the row may be divided by its entry p, well away from what a
  // watch forbids.
  void here(code::InputValues);
  void here(code::Ref unknown, double value);
  bool good_pivot(const LinearSystem::Row& row, code::Ref p);

 private:
  static bool loses_digits(const LinearSystem&, const std::vector<code::Ref>& values, code::NumberProbe&, std::size_t one_of = 200);
  static double growth(const LinearSystem&, code::NumberProbe&);
  static std::optional<std::vector<double>> core_values(const Elimination&, const std::vector<std::uint32_t>& rows,
                                                        const std::vector<std::uint32_t>& columns, code::NumberProbe&);
  bool solve_core(const std::vector<code::Ref>& values, const Elimination&, const std::vector<std::uint32_t>& rows,
                  const std::vector<std::uint32_t>& columns);
  const code::Builder& tape_;
  code::FieldProbe field_;
  code::NumberProbe first_, second_, where_large_;
  std::deque<code::NumberProbe> others_;  // once one was asked for that tells something
  std::vector<code::NumberProbe*> telling_;
  std::optional<code::NumberProbe> here_;
  bool lost_where_large_ = false;  // an ordering of the block
};

}  // namespace kron::solve
