// engine/structure/history.hpp: the steps of an elimination, kept so that a row can be traced back to the original
// rows.
//   keep  a pivot row does not change once it is used
//   how   the weight 1 on a row is pushed through its steps from the last to the first, then pivot rows are expanded in
//         reverse order of pivoting
//   cost  O(steps reached · log)
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/structure/structure.hpp"

namespace kron::structure {

struct Fraction {
  std::int64_t numerator = 0, denominator = 1;  // no common factor, denominator > 0
};

class History {
 public:
  explicit History(std::uint32_t rows) : last_(rows, none), pivot_time_(rows, 0), weight_(rows), reached_(rows, 0) {}

  void pivot(Row r, std::uint32_t time) { pivot_time_[r] = time; }
  std::uint32_t pivot_time(Row r) const { return pivot_time_[r]; }
  // row := (keep·row − take·pivot row) / divisor
  void step(Row row, Row pivot_row, std::int64_t keep, std::int64_t take, std::int64_t divisor) {
    steps_.push_back({last_[row], pivot_row, keep, take, divisor});
    last_[row] = static_cast<std::uint32_t>(steps_.size() - 1);
  }

  // Divides the result of the last step of the row once more; false: it has none, or the divisor leaves 64 bits.
  bool divide_last(Row row, std::int64_t divisor) {
    return last_[row] != none &&
           !__builtin_mul_overflow(steps_[last_[row]].divisor, divisor, &steps_[last_[row]].divisor);
  }

  struct Trace {
    std::vector<std::pair<Row, std::int64_t>> combination;  // rows ascending, no common factor unless scale shares it
    std::int64_t scale = 1;                                 // Σ factor·original row = scale·row, scale > 0
    bool overflow = false;                                  // then combination only names the rows reached
  };
  Trace trace(Row);

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  struct Step {
    std::uint32_t before;  // previous step of the same row
    Row pivot_row;
    std::int64_t keep, take, divisor;
  };

  bool expand(Row);
  static Trace integers(const std::vector<std::pair<Row, Fraction>>&, bool overflow);

  std::vector<Step> steps_;
  std::vector<std::uint32_t> last_, pivot_time_;
  std::vector<Fraction> weight_;  // by row, where reached
  std::vector<std::uint8_t> reached_;
  std::vector<std::pair<std::uint32_t, Row>> pending_;  // heap by pivot time
};

}  // namespace kron::structure
