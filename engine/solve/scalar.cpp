#include <algorithm>

#include "engine/solve/rows.hpp"

namespace kron::solve {

using code::Ref;
using model::forms;

// One equation, one unknown: isolated where that is one real value for every value of the rest, else Newton.
BlockSolution solve_scalar(Work& w) {
  const WorkRow& r = w.rows[0];
  BlockSolution s;
  s.pivots = {{0, 0}};
  auto not_there = [&] {
    s.singular = Singular{{0}, {0}, false};
    return s;
  };
  if (r.occurrences.empty()) return not_there();
  const std::uint32_t k = r.occurrences[0].placeholder;
  const auto& isolated = forms().isolate(r.form, k);
  if (!isolated) return solve_nonlinear(w);
  for (model::NodeId d : isolated->divisors)
    if (w.tape.is_zero(w.templates.emit(w.tape, d, r.values))) return not_there();
  s.kind = Kind::explicit_;
  s.method = Method::assign;
  s.values = {w.templates.emit(w.tape, isolated->value, r.values)};
  return s;
}

}  // namespace kron::solve
