// engine/structure/integer_elimination.cpp: rank, redundant and contradictory rows, constraints among late columns.
//   in    rows Σ a·x + c = 0 with integer a, c; the late columns (states)
//   out   rows that vanish and the late rows of an echelon form, each with the combination of original rows
//   keep  what is claimed is exact: a row that leaves 64 bits is dropped and `overflow` says so
//   how   elimination.hpp, first the other columns, then the late ones; history.hpp for the combinations
//   cost  that of the elimination, plus the steps of what is explained
#include <algorithm>

#include "engine/structure/elimination.hpp"

namespace kron::structure {
namespace {

Reduced::Constraint constraint(Elimination& e, const Elimination::Pivot& pivot, bool& overflow) {
  Reduced::Constraint out;
  out.row = pivot.row;
  out.pivot = pivot.column;
  History::Trace trace = e.history().trace(pivot.row);
  const std::int64_t sign = e.rows().coefficient(pivot.row, pivot.column) < 0 ? -1 : 1;
  const auto scaled = [&](std::int64_t v, std::int64_t scale) {
    const Wide product = static_cast<Wide>(v) * scale * sign;
    trace.overflow = trace.overflow || !fits(product);
    return static_cast<std::int64_t>(product);
  };
  const auto read = [&](std::int64_t scale) {
    out.terms.clear();
    for (const Entry& entry : e.rows()[pivot.row])
      out.terms.emplace_back(entry.column, scaled(entry.coefficient, scale));
    out.constant = scaled(e.rows().constant(pivot.row), scale);
  };
  if (!trace.overflow) read(trace.scale);
  if (trace.overflow) {
    overflow = true;
    read(1);
    return out;
  }
  out.combination = std::move(trace.combination);
  for (auto& [row, factor] : out.combination) factor *= sign;
  return out;
}

std::vector<Aliases::Dependent> explain(Elimination& e, std::size_t budget, bool& overflow) {
  std::vector<Row> vanished = e.vanished();
  std::sort(vanished.begin(), vanished.end());
  std::vector<Aliases::Dependent> out;
  for (const Row r : vanished) {
    out.push_back({r, e.rows().constant(r) != 0, {}, {}});
    if (budget == 0) continue;
    History::Trace trace = e.history().trace(r);
    budget -= std::min(budget, trace.combination.size());
    for (const auto& [row, factor] : trace.combination)
      if (row != r) out.back().because.push_back(row);
    if (trace.overflow)
      overflow = true;
    else
      out.back().combination = std::move(trace.combination);
  }
  return out;
}

}  // namespace

Reduced reduce(const IntegerSystem& system, const std::vector<bool>& late) {
  Elimination e(system, late);
  e.eliminate_class(false);
  const std::size_t early = e.pivots().size();
  e.eliminate_class(true);
  Reduced out;
  out.overflow = e.overflow();
  out.dependent = explain(e, explanation_budget(system), out.overflow);
  for (std::size_t i = early; i < e.pivots().size(); ++i)
    out.constraints.push_back(constraint(e, e.pivots()[i], out.overflow));
  return out;
}

}  // namespace kron::structure
