// engine/structure/incidence.cpp: building and transposing the compressed rows.
#include <algorithm>

#include "engine/structure/structure.hpp"

namespace kron::structure {

void Incidence::add_row(std::span<const Column> columns_of_row) {
  const auto first = column.insert(column.end(), columns_of_row.begin(), columns_of_row.end());
  if (std::adjacent_find(first, column.end(), [](Column a, Column b) { return a >= b; }) != column.end()) {
    std::sort(first, column.end());
    column.erase(std::unique(first, column.end()), column.end());
  }
  if (column.size() > begin.back()) columns = std::max(columns, column.back() + 1);
  begin.push_back(static_cast<std::uint32_t>(column.size()));
}

void IntegerSystem::add_row(std::span<const std::pair<Column, std::int64_t>> terms, std::int64_t row_constant) {
  for (const auto& [c, factor] : terms) {
    column.push_back(c);
    coefficient.push_back(factor);
    columns = std::max(columns, c + 1);
  }
  constant.push_back(row_constant);
  begin.push_back(static_cast<std::uint32_t>(column.size()));
}

// The rows of a column come out ascending, because the rows are met in that order. O(rows + columns + edges).
Incidence transpose(const Incidence& g) {
  Incidence t;
  t.columns = g.rows();
  t.begin.assign(g.columns + 1, 0);
  for (const Column c : g.column) ++t.begin[c + 1];
  for (Column c = 0; c < g.columns; ++c) t.begin[c + 1] += t.begin[c];
  t.column.resize(g.column.size());
  std::vector<std::uint32_t> next(t.begin.begin(), t.begin.end() - 1);
  for (Row r = 0; r < g.rows(); ++r)
    for (const Column c : g[r]) t.column[next[c]++] = r;
  return t;
}

}  // namespace kron::structure
