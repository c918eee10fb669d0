// engine/structure/integer_elimination.cpp: rank, redundant and contradictory rows, constraints among late columns.
//   in    rows Σ a·x + c = 0 with integer a, c; the late columns (states)
//   out   rows that vanish and the late rows of an echelon form, each with the combination of original rows
//   keep  what is claimed is exact: a row that leaves 64 bits is dropped and `overflow` says so
//   how   rows that a column has to itself are left out, as nothing follows from them; elimination.hpp for the others, first the other
//         columns, then the late ones; history.hpp for the combinations
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

// Rows that an early column belongs to alone are pivot rows that no other row needs, and without them others come to be so. What is left,
// ascending, decides the rest; where connections make a tree that is nothing.
std::vector<Row> entangled(const IntegerSystem& s, const std::vector<bool>& late) {
  std::vector<std::uint32_t> degree(s.columns, 0), rows_of(s.columns, 0);  // rows with the column that are left; the xor of their numbers
  const auto each = [&](Row r, auto&& visit) {
    for (std::uint32_t k = s.begin[r]; k < s.begin[r + 1]; ++k)
      if (s.coefficient[k] != 0) visit(s.column[k]);
  };
  for (Row r = 0; r < s.rows(); ++r)
    each(r, [&](Column c) {
      ++degree[c];
      rows_of[c] ^= r;
    });
  std::vector<bool> gone(s.rows(), false);
  std::vector<Row> free;
  const auto look_at = [&](Column c) {
    if (degree[c] != 1 || (c < late.size() && late[c]) || gone[rows_of[c]]) return;
    gone[rows_of[c]] = true;
    free.push_back(rows_of[c]);
  };
  for (Column c = 0; c < s.columns; ++c) look_at(c);
  for (std::size_t next = 0; next < free.size(); ++next)
    each(free[next], [&](Column c) {
      --degree[c];
      rows_of[c] ^= free[next];
      look_at(c);
    });
  std::vector<Row> left;
  for (Row r = 0; r < s.rows(); ++r)
    if (!gone[r]) left.push_back(r);
  return left;
}

// With numbers of these rows in place of positions among them.
void number(Reduced& found, const std::vector<Row>& rows) {
  const auto original = [&](Row& r) { r = rows[r]; };
  for (Aliases::Dependent& d : found.dependent) {
    original(d.row);
    for (Row& r : d.because) original(r);
    for (auto& term : d.combination) original(term.first);
  }
  for (Reduced::Constraint& c : found.constraints) {
    original(c.row);
    for (auto& term : c.combination) original(term.first);
  }
}

}  // namespace

Reduced reduce(const IntegerSystem& system, const std::vector<bool>& late) {
  Reduced out;
  const std::vector<Row> rows = entangled(system, late);
  if (rows.empty()) return out;
  IntegerSystem rest;
  rest.columns = system.columns;
  std::vector<std::pair<Column, std::int64_t>> terms;
  for (const Row r : rows) {
    terms.clear();
    for (std::uint32_t k = system.begin[r]; k < system.begin[r + 1]; ++k) terms.emplace_back(system.column[k], system.coefficient[k]);
    rest.add_row(terms, system.constant[r]);
  }
  Elimination e(rest, late);
  e.eliminate_class(false);
  const std::size_t early = e.pivots().size();
  e.eliminate_class(true);
  out.overflow = e.overflow();
  out.dependent = explain(e, explanation_budget(system), out.overflow);
  for (std::size_t i = early; i < e.pivots().size(); ++i)
    out.constraints.push_back(constraint(e, e.pivots()[i], out.overflow));
  number(out, rows);
  return out;
}

}  // namespace kron::structure
