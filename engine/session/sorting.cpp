#include "engine/session/sorting.hpp"

#include <algorithm>

namespace kron::session {

structure::Incidence incidence(const System& s, const std::vector<std::uint32_t>& rows, const std::vector<bool>& is_unknown) {
  structure::Incidence g;
  g.columns = static_cast<std::uint32_t>(s.variables());
  std::vector<std::uint32_t> columns;
  for (std::uint32_t r : rows) {
    columns.clear();
    for (std::uint32_t c : s.columns(s.rows[r]))
      if (is_unknown[c]) columns.push_back(c);
    g.add_row(columns);
  }
  return g;
}

SortedProblem sorted(const System& s, const structure::Incidence& g, const structure::Matching& m,
                     const std::vector<std::uint32_t>& rows) {
  const structure::Blocks blocks = structure::block_lower_triangular(g, m);
  SortedProblem p;
  p.system = &s;
  p.rows = rows;
  p.block_begin = blocks.begin;
  for (std::uint32_t r : blocks.row) p.block_row.push_back(rows[r]);
  p.block_unknown = blocks.column;
  return p;
}

SortedProblem restricted(const System& s, const SortedProblem& p, const std::vector<std::uint32_t>& wanted) {
  std::vector<std::uint32_t> block_of(s.variables(), none);
  for (std::uint32_t b = 0; b < p.blocks(); ++b)
    for (std::uint32_t k = p.block_begin[b]; k < p.block_begin[b + 1]; ++k) block_of[p.block_unknown[k]] = b;
  std::vector<bool> needed(p.blocks(), false);
  for (std::uint32_t v : wanted)
    if (block_of[v] != none) needed[block_of[v]] = true;
  for (std::uint32_t b = p.blocks(); b-- > 0;) {  // blocks need only earlier ones
    if (!needed[b]) continue;
    for (std::uint32_t k = p.block_begin[b]; k < p.block_begin[b + 1]; ++k) {
      for (std::uint32_t c : s.columns(s.rows[p.block_row[k]]))
        if (block_of[c] != none) needed[block_of[c]] = true;
    }
  }
  SortedProblem r;
  r.system = p.system;
  for (std::uint32_t b = 0; b < p.blocks(); ++b) {
    if (!needed[b]) continue;
    for (std::uint32_t k = p.block_begin[b]; k < p.block_begin[b + 1]; ++k) {
      r.block_row.push_back(p.block_row[k]);
      r.block_unknown.push_back(p.block_unknown[k]);
    }
    r.block_begin.push_back(static_cast<std::uint32_t>(r.block_row.size()));
  }
  return r;
}

}  // namespace kron::session
