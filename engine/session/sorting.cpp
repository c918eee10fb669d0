#include "engine/session/sorting.hpp"

#include <algorithm>
#include <array>
#include <numeric>

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

namespace {

// Blocks in the order in which a depth first walk from `roots` leaves them, along what their rows need.
std::vector<std::uint32_t> walk(const System& s, const SortedProblem& p, const std::vector<std::uint32_t>& roots) {
  std::vector<std::uint32_t> block_of(s.variables(), none);
  for (std::uint32_t b = 0; b < p.blocks(); ++b)
    for (std::uint32_t k = p.block_begin[b]; k < p.block_begin[b + 1]; ++k) block_of[p.block_unknown[k]] = b;
  struct Frame {
    std::uint32_t block, member, column;
  };
  std::vector<bool> seen(p.blocks(), false);
  std::vector<Frame> path;
  std::vector<std::uint32_t> order;
  order.reserve(p.blocks());
  const auto enter = [&](std::uint32_t b) {
    if (seen[b]) return;
    seen[b] = true;
    path.push_back({b, p.block_begin[b], 0});
  };
  for (std::uint32_t root : roots) {
    enter(root);
    while (!path.empty()) {
      Frame& top = path.back();
      if (top.member == p.block_begin[top.block + 1]) {
        order.push_back(top.block);
        path.pop_back();
        continue;
      }
      const auto columns = s.columns(s.rows[p.block_row[top.member]]);
      std::uint32_t needed = none;
      while (top.column < columns.size() && needed == none)
        if (const std::uint32_t b = block_of[columns[top.column++]]; b != none && !seen[b]) needed = b;
      if (needed != none) {
        enter(needed);
        continue;
      }
      ++top.member;
      top.column = 0;
    }
  }
  return order;
}

}  // namespace

std::vector<std::uint32_t> emission_order(const System& s, const SortedProblem& p) {
  if (p.wanted.empty()) {
    std::vector<std::uint32_t> order(p.blocks());
    std::iota(order.begin(), order.end(), 0u);
    return order;
  }
  const std::uint32_t own = s.flat->instances.size() > 1 ? s.flat->instances[1].equation_base : s.flat->connection_equations;
  const auto kind_of_row = [&](std::uint32_t r) {
    const std::uint32_t origin = s.rows[r].origin;
    return origin == none || origin < own ? 3u : origin < s.flat->connection_equations ? 1u : 2u;
  };
  std::vector<std::uint32_t> block_at(s.rows.size(), none);  // of the least row of each block
  std::array<std::uint32_t, 4> first{};                      // of each kind
  std::vector<std::uint8_t> kind(p.blocks());
  for (std::uint32_t b = 0; b < p.blocks(); ++b) {
    std::uint32_t least = none;
    bool wanted = false;
    for (std::uint32_t k = p.block_begin[b]; k < p.block_begin[b + 1]; ++k) {
      least = std::min(least, p.block_row[k]);
      wanted = wanted || p.wanted[p.block_unknown[k]];
    }
    block_at[least] = b;
    kind[b] = static_cast<std::uint8_t>(wanted ? 0 : kind_of_row(least));
    for (std::size_t k = kind[b] + 1u; k < first.size(); ++k) ++first[k];
  }
  std::vector<std::uint32_t> roots(p.blocks());
  for (std::uint32_t b : block_at)
    if (b != none) roots[first[kind[b]]++] = b;
  return walk(s, p, roots);
}

SortedProblem sorted_for(const System& s, const structure::Matching& m, const std::vector<std::uint32_t>& rows,
                         const std::vector<bool>& is_unknown, const std::vector<std::uint32_t>& wanted) {
  std::vector<bool> met(rows.size(), false);
  std::vector<structure::Row> needed;
  const auto need = [&](std::uint32_t v) {
    const structure::Row r = m.of_column[v];
    if (r == structure::free_end || met[r]) return;
    met[r] = true;
    needed.push_back(r);
  };
  const auto columns = [&](structure::Row r) { return s.columns(s.rows[rows[r]]); };
  for (std::uint32_t v : wanted) need(v);
  for (std::size_t k = 0; k < needed.size(); ++k)
    for (std::uint32_t c : columns(needed[k]))
      if (is_unknown[c]) need(c);
  needed.clear();  // ascending, as their unknowns: looked through, where sorting would take longer
  for (structure::Row r = 0; r < met.size(); ++r)
    if (met[r]) needed.push_back(r);
  std::vector<std::uint32_t> unknown;
  std::vector<structure::Column> number(s.variables(), structure::free_end);
  const std::size_t n = needed.size();
  unknown.reserve(n);
  for (std::uint32_t v = 0; v < m.of_column.size(); ++v) {
    const structure::Row r = m.of_column[v];
    if (r == structure::free_end || !met[r]) continue;
    number[v] = static_cast<structure::Column>(unknown.size());
    unknown.push_back(v);
  }
  structure::Incidence part;
  structure::Matching own;
  part.columns = own.size = static_cast<std::uint32_t>(unknown.size());
  own.of_column.resize(unknown.size());
  own.of_row.reserve(n);
  std::vector<structure::Column> row;
  bool alone = true;
  for (structure::Row r : needed) {
    row.clear();
    for (std::uint32_t c : columns(r))
      if (number[c] != structure::free_end) row.push_back(number[c]);
    own.of_row.push_back(number[m.of_row[r]]);
    own.of_column[own.of_row.back()] = part.rows();
    part.add_row(row);
    alone = alone && row.size() == 1;
  }
  SortedProblem p;
  p.system = &s;
  if (alone) {  // start values of states, and nothing else
    p.block_begin.resize(n + 1);
    std::iota(p.block_begin.begin(), p.block_begin.end(), 0u);
    p.block_row.reserve(n);
    p.block_unknown.reserve(n);
    for (structure::Row r : needed) {
      p.block_row.push_back(rows[r]);
      p.block_unknown.push_back(m.of_row[r]);
    }
    return p;
  }
  const structure::Blocks blocks = structure::block_lower_triangular(part, own);
  p.block_begin = blocks.begin;
  for (structure::Row r : blocks.row) p.block_row.push_back(rows[needed[r]]);
  for (structure::Column c : blocks.column) p.block_unknown.push_back(unknown[c]);
  return p;
}

}  // namespace kron::session
