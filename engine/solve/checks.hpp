// engine/solve/checks.hpp: a second opinion on a solved block.
//   Certificate: at a fresh point of the two fields the values must solve the block's own rows exactly. What value numbering merged
//   or a slip of bookkeeping lost shows there.
//   Probe: at random real points the backward residual must be small: an ordering that loses digits shows there.
//   Where a run is: which pivots are good at that point, for a block whose guards did not hold for long.
#pragma once
#include <cmath>
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
  // Empty where `values` solve the system; else what is wrong. The core (rows, columns) of `e` is solved by LU at run time.
  std::string fault(const LinearSystem&, const std::vector<code::Ref>& values, const Elimination& e,
                    const std::vector<std::uint32_t>& core_rows, const std::vector<std::uint32_t>& core_columns);
  void rewind(std::size_t size);
  double value_of(code::Ref r) { return first_(r); }  // at a random point
  double size_of(code::Ref r) { return std::fabs(first_(r)); }

  // At the point of a run: its inputs; the value of an unknown; whether the row may be divided by its entry p, well away from what a
  // watch forbids.
  void here(code::InputValues);
  void here(code::Ref unknown, double value);
  bool good_pivot(const std::vector<LinearSystem::Entry>& row, code::Ref p);

 private:
  bool solve_core(const std::vector<code::Ref>& values, const Elimination&, const std::vector<std::uint32_t>& rows,
                  const std::vector<std::uint32_t>& columns);
  const code::Builder& tape_;
  code::FieldProbe field_;
  code::NumberProbe first_, second_;
  std::optional<code::NumberProbe> here_;
};

}  // namespace kron::solve
