#include "engine/solve/fill.hpp"

#include <amd.h>

#include <algorithm>
#include <limits>

#include "engine/structure/structure.hpp"

namespace kron::solve {

Fill fill_of(const LinearSystem& s) {
  structure::Incidence g;
  g.columns = static_cast<std::uint32_t>(s.rows.size());
  std::vector<std::uint32_t> columns;
  for (const auto& row : s.rows) {
    columns.clear();
    for (const auto& e : row) columns.push_back(e.column);
    g.add_row(columns);
  }
  const structure::Matching m = structure::match(g);
  if (m.size < g.rows()) return {};  // structurally singular: found out elsewhere
  // By rows, with columns renamed so that the matched pairs are the diagonal (AMD orders the pattern plus its transpose).
  std::vector<SuiteSparse_long> begin{0}, index, order(g.rows());
  for (std::uint32_t r = 0; r < g.rows(); ++r) {
    for (std::uint32_t c : g[r]) index.push_back(m.of_column[c]);
    std::sort(index.begin() + begin.back(), index.end());
    begin.push_back(static_cast<SuiteSparse_long>(index.size()));
  }
  double control[AMD_CONTROL], info[AMD_INFO];
  amd_l_defaults(control);
  const auto status =
      amd_l_order(static_cast<SuiteSparse_long>(g.rows()), begin.data(), index.data(), order.data(), control, info);
  if (status != AMD_OK && status != AMD_OK_BUT_JUMBLED) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {infinity, infinity};
  }
  return {info[AMD_NMULTSUBS_LU], info[AMD_DMAX]};
}

}  // namespace kron::solve
