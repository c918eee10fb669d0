// Orderings from a library author's marks: relaxed BLT, and torn variables last.
#include <algorithm>
#include <numeric>
#include <set>

#include "engine/solve/groups.hpp"
#include "engine/solve/ordering.hpp"
#include "engine/solve/tearing.hpp"
#include "engine/structure/structure.hpp"

namespace kron::solve {
namespace {

using structure::free_end;

bool is_relaxed(const OrderingProblem& p, std::uint32_t row, std::uint32_t unknown) {
  return std::binary_search(p.relaxed[row].begin(), p.relaxed[row].end(), unknown);
}

// The block without its relaxed pairs.
structure::Incidence without_relaxed(const OrderingProblem& p) {
  structure::Incidence g;
  g.columns = static_cast<std::uint32_t>(p.system->rows.size());
  std::vector<std::uint32_t> columns;
  for (std::uint32_t r = 0; r < g.columns; ++r) {
    columns.clear();
    for (const auto& e : p.system->rows[r])
      if (!is_relaxed(p, r, e.column)) columns.push_back(e.column);
    g.add_row(columns);
  }
  return g;
}

class Marked {
 public:
  Marked(Elimination& e, const OrderingProblem& p)
      : e_(e), p_(p), n_(static_cast<std::uint32_t>(p.system->rows.size())), in_row_(n_, 0), in_column_(n_, 0), assigned_(n_, 0) {}

  void relaxed(std::vector<Misfit>& misfits) {
    const structure::Incidence g = without_relaxed(p_);
    structure::Matching m;
    m.of_row.assign(n_, free_end);
    m.of_column.assign(n_, free_end);
    std::vector<std::uint32_t> mark(n_, 0);
    std::uint32_t stamp = 0;
    // Marked rows first: each needs an unknown of its own. The others may stay without one (currents into a node, when the
    // resistors have taken the currents): they are eliminated last, for the relaxed unknowns.
    for (const bool marked : {true, false})
      for (std::uint32_t r = 0; r < n_; ++r)
        if (p_.relaxed[r].empty() != marked) structure::augment(g, r, m, {}, mark, ++stamp);
    if (std::find(m.of_row.begin(), m.of_row.end(), free_end) != m.of_row.end()) note_misfits(m, misfits);
    const structure::Blocks blocks = structure::block_lower_triangular(g, m);
    const Givers givers = find_givers(blocks);
    for (std::uint32_t b : small_first(g, blocks)) {
      if (e_.exhausted()) break;
      const auto begin = blocks.begin[b], end = blocks.begin[b + 1];
      const std::vector<std::uint32_t> rows(blocks.row.begin() + begin, blocks.row.begin() + end);
      const std::vector<std::uint32_t> columns(blocks.column.begin() + begin, blocks.column.begin() + end);
      if (rows.size() > 1) assign_fill(rows, columns, givers);
      std::vector<std::uint32_t> first_rows, first_columns;  // torn unknowns and residues last
      std::copy_if(rows.begin(), rows.end(), std::back_inserter(first_rows), [&](auto r) { return !p_.residue_row[r]; });
      std::copy_if(columns.begin(), columns.end(), std::back_inserter(first_columns), [&](auto c) { return !p_.tearing_unknown[c]; });
      if (rows.size() > 1 && !first_rows.empty() && !first_columns.empty()) among(first_rows, first_columns);
      among(rows, columns);
    }
  }

  Torn torn() {
    std::vector<std::uint32_t> all(n_);
    std::iota(all.begin(), all.end(), 0u);
    if (p_.has_torn) triangular(all, all);
    else automatic();
    Torn t;
    for (std::uint32_t k = 0; k < n_; ++k) {
      if (e_.active(k)) t.residues.push_back(k);
      if (e_.unsolved(k)) t.unknowns.push_back(k);
    }
    return t;
  }

 private:
  // Assignments: diagonal blocks of one unknown whose pivot is ±1.
  struct Givers {
    std::vector<std::uint32_t> row, unknown;  // by unknown and by row
  };
  Givers find_givers(const structure::Blocks& blocks) const {
    Givers g;
    g.row.assign(n_, free_end);
    g.unknown.assign(n_, free_end);
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
      const auto k = blocks.begin[b];
      if (blocks.begin[b + 1] - k != 1) continue;
      const auto* x = e_.entry(blocks.row[k], blocks.column[k]);
      if (!x || x->value.node() != code::one.node()) continue;
      g.row[blocks.column[k]] = blocks.row[k];
      g.unknown[blocks.row[k]] = blocks.column[k];
    }
    return g;
  }

  // The relaxed pairs that a perfect matching needs beside the others.
  void note_misfits(structure::Matching m, std::vector<Misfit>& misfits) const {
    structure::Incidence all;
    all.columns = n_;
    std::vector<std::uint32_t> columns, mark(n_, 0);
    for (std::uint32_t r = 0; r < n_; ++r) {
      columns.clear();
      for (const auto& e : p_.system->rows[r]) columns.push_back(e.column);
      all.add_row(columns);
    }
    std::uint32_t stamp = 0;
    for (std::uint32_t r = 0; r < n_; ++r)
      if (m.of_row[r] == free_end) structure::augment(all, r, m, {}, mark, ++stamp);
    for (std::uint32_t r = 0; r < n_; ++r)
      if (m.of_row[r] != free_end && is_relaxed(p_, r, m.of_row[r]))
        misfits.push_back({r, m.of_row[r]});
  }

  // The diagonal blocks in an order in which each needs only earlier ones, and of those that may come next a smallest: what needs
  // no more than an assignment does not stay in the way of what follows.
  static std::vector<std::uint32_t> small_first(const structure::Incidence& g, const structure::Blocks& blocks) {
    std::vector<std::uint32_t> of_column(g.columns, free_end), waiting(blocks.size(), 0), order;
    for (std::uint32_t b = 0; b < blocks.size(); ++b)
      for (std::uint32_t k = blocks.begin[b]; k < blocks.begin[b + 1]; ++k) of_column[blocks.column[k]] = b;
    std::vector<std::vector<std::uint32_t>> users(blocks.size());
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
      std::vector<std::uint32_t> needs;
      for (std::uint32_t k = blocks.begin[b]; k < blocks.begin[b + 1]; ++k)
        for (std::uint32_t c : g[blocks.row[k]])
          if (of_column[c] != b && of_column[c] != free_end) needs.push_back(of_column[c]);
      std::sort(needs.begin(), needs.end());
      needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
      waiting[b] = static_cast<std::uint32_t>(needs.size());
      for (std::uint32_t x : needs) users[x].push_back(b);
    }
    std::set<std::pair<std::uint32_t, std::uint32_t>> ready;  // (size, block)
    const auto size = [&](std::uint32_t b) { return blocks.begin[b + 1] - blocks.begin[b]; };
    for (std::uint32_t b = 0; b < blocks.size(); ++b)
      if (waiting[b] == 0) ready.emplace(size(b), b);
    while (!ready.empty()) {
      const std::uint32_t b = ready.begin()->second;
      ready.erase(ready.begin());
      order.push_back(b);
      for (std::uint32_t u : users[b])
        if (--waiting[u] == 0) ready.emplace(size(u), u);
    }
    return order;
  }

  // Earlier diagonal blocks have left relaxed unknowns in these rows. Those that assignments give from unknowns of this block are put
  // in terms of these: it then decides all at once. Others stay; the blocks that their assignments lead to come later.
  void assign_fill(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns, const Givers& givers) {
    mark_assigned_from(columns, givers);
    std::vector<std::uint32_t> open = rows;
    while (!open.empty()) {
      const std::uint32_t r = open.back();
      open.pop_back();
      if (!e_.active(r) || e_.exhausted()) continue;
      for (std::size_t k = 0; k < e_.row(r).size();) {
        const std::uint32_t c = e_.row(r)[k].column, from = givers.row[c];
        if (from == free_end || from == r || assigned_[c] != stamp_ || !e_.active(from) || !e_.entry(from, c)) {
          ++k;
          continue;
        }
        e_.eliminate(from, c);
        open.insert(open.end(), e_.changed().begin(), e_.changed().end());
        k = 0;
      }
    }
  }
  // Marks the unknowns that assignments not made yet give from the columns, directly or by others.
  void mark_assigned_from(const std::vector<std::uint32_t>& columns, const Givers& givers) {
    ++stamp_;
    reached_.assign(columns.begin(), columns.end());
    for (std::size_t k = 0; k < reached_.size(); ++k) {
      const std::uint32_t c = reached_[k];
      for (std::uint32_t r : e_.holders(c)) {
        const std::uint32_t given = givers.unknown[r];
        if (given == free_end || given == c || assigned_[given] == stamp_) continue;
        assigned_[given] = stamp_;
        reached_.push_back(given);
      }
    }
  }

  // Pivots of the rows that are no residues for the unknowns that are not torn: a matching of these, block by block in the
  // order of their data flow. A diagonal block that is still coupled is eliminated by Markowitz.
  void triangular(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns) {
    std::vector<std::uint32_t> number(n_, free_end), kept, unknowns;
    for (std::uint32_t c : columns)
      if (!p_.tearing_unknown[c]) {
        number[c] = static_cast<std::uint32_t>(unknowns.size());
        unknowns.push_back(c);
      }
    structure::Incidence g;
    g.columns = static_cast<std::uint32_t>(unknowns.size());
    std::vector<std::uint32_t> list;
    for (std::uint32_t r : rows) {
      if (p_.residue_row[r]) continue;
      list.clear();
      for (const auto& x : e_.row(r))
        if (number[x.column] != free_end) list.push_back(number[x.column]);
      g.add_row(list);
      kept.push_back(r);
    }
    const structure::Matching m = structure::match(g);
    const structure::Blocks blocks = structure::block_lower_triangular(g, m);
    for (std::uint32_t b = 0; b < blocks.size() && !e_.exhausted(); ++b) {
      std::vector<std::uint32_t> r, c;
      for (std::uint32_t k = blocks.begin[b]; k < blocks.begin[b + 1]; ++k) {
        r.push_back(kept[blocks.row[k]]);
        c.push_back(unknowns[blocks.column[k]]);
      }
      among(r, c);
    }
  }

  // Eliminates `columns` with `rows`, as far as there are pivots.
  void among(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns) {
    if (rows.size() == 1) {
      if (e_.active(rows[0]) && e_.unsolved(columns[0]) && e_.entry(rows[0], columns[0])) e_.eliminate(rows[0], columns[0]);
      return;
    }
    ++stamp_;
    for (std::uint32_t r : rows) in_row_[r] = stamp_;
    for (std::uint32_t c : columns) in_column_[c] = stamp_;
    std::vector<std::uint32_t> open;
    for (std::uint32_t r : rows)
      if (e_.active(r)) open.push_back(r);
    run_markowitz(
        e_, p_, open,
        [&](std::uint32_t r, std::uint32_t c, code::Ref) { return in_row_[r] == stamp_ && in_column_[c] == stamp_; },
        {.units_first = true});
  }

  // Without marks: what the arrays leave without an equation of their own, as the accelerations of joints, or what comes most often in the rows,
  // whichever is less. Nothing is divided by what varies.
  void automatic() {
    std::vector<std::vector<std::uint32_t>> rows(n_);
    for (std::uint32_t r = 0; r < n_; ++r)
      for (const auto& x : e_.row(r)) rows[r].push_back(x.column);
    const auto solvable = [&](std::uint32_t r, std::uint32_t c) { return p_.tape->section(e_.entry(r, c)->value) < code::Section::dynamic; };
    const GroupPairs pairs = pair_groups(p_);
    std::vector<bool> open(n_, false);
    for (std::uint32_t k = 0; k < pairs.rows.size(); ++k)
      for (std::uint32_t c : pairs.unknowns[k]) open[c] = pairs.torn[k];
    const Tearing by_arrays = tear(rows, n_, solvable, open), by_count = tear(rows, n_, solvable);
    for (const auto& [r, c] : (by_arrays.torn.size() <= by_count.torn.size() ? by_arrays : by_count).assignments)
      if (!e_.exhausted()) e_.eliminate(r, c);
  }

  Elimination& e_;
  const OrderingProblem& p_;
  std::uint32_t n_;
  std::vector<std::uint32_t> in_row_, in_column_, assigned_;  // marks: equal to the stamp
  std::vector<std::uint32_t> reached_;                        // scratch
  std::uint32_t stamp_ = 0;
};

}  // namespace

std::vector<std::vector<bool>> swept_entries(const OrderingProblem& p, bool gauss_seidel) {
  const structure::Incidence g = without_relaxed(p);
  const std::uint32_t n = g.columns;
  const structure::Matching m = structure::match(g);
  if (m.size < n) return {};
  const structure::Blocks blocks = structure::block_lower_triangular(g, m);
  std::vector<std::uint32_t> position(n);
  for (std::uint32_t b = 0; b < blocks.size(); ++b)
    for (std::uint32_t k = blocks.begin[b]; k < blocks.begin[b + 1]; ++k) position[blocks.column[k]] = b;
  std::vector<std::vector<bool>> swept(n);
  for (std::uint32_t r = 0; r < n; ++r)
    for (const auto& e : p.system->rows[r])
      swept[r].push_back(!is_relaxed(p, r, e.column) || (gauss_seidel && position[e.column] < position[m.of_row[r]]));
  return swept;
}

void run_relaxed(Elimination& e, const OrderingProblem& p, std::vector<Misfit>& misfits) { Marked(e, p).relaxed(misfits); }

Torn run_torn(Elimination& e, const OrderingProblem& p) { return Marked(e, p).torn(); }

}  // namespace kron::solve
