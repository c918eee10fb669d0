// Orderings from a library author's marks: relaxed BLT, and torn variables last.
#include <algorithm>
#include <numeric>

#include "engine/solve/ordering.hpp"
#include "engine/solve/tearing.hpp"
#include "engine/structure/structure.hpp"

namespace kron::solve {
namespace {

using structure::free_end;

class Marked {
 public:
  Marked(Elimination& e, const OrderingProblem& p)
      : e_(e), p_(p), n_(static_cast<std::uint32_t>(p.system->rows.size())), in_row_(n_, 0), in_column_(n_, 0) {}

  void relaxed(std::vector<Misfit>& misfits) {
    structure::Incidence g = incidence(true);
    structure::Matching m = structure::match(g);
    if (m.size < n_) {  // exposed rows reach for relaxed pairs: those marks are dropped
      const structure::Incidence all = incidence(false);
      std::vector<std::uint32_t> mark(n_, 0);
      std::uint32_t stamp = 0;
      for (std::uint32_t r = 0; r < n_; ++r)
        if (m.of_row[r] == free_end) structure::augment(all, r, m, {}, mark, ++stamp);
      g = with_matched(g, m, misfits);
    }
    const structure::Blocks blocks = structure::block_lower_triangular(g, m);
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
      const auto begin = blocks.begin[b], end = blocks.begin[b + 1];
      const std::vector<std::uint32_t> rows(blocks.row.begin() + begin, blocks.row.begin() + end);
      const std::vector<std::uint32_t> columns(blocks.column.begin() + begin, blocks.column.begin() + end);
      if (rows.size() > 1 && std::any_of(rows.begin(), rows.end(), [&](auto r) { return p_.residue_row[r]; }))
        triangular(rows, columns, true);
      among(rows, columns);
    }
  }

  Torn torn() {
    std::vector<std::uint32_t> all(n_);
    std::iota(all.begin(), all.end(), 0u);
    if (p_.has_torn) triangular(all, all, false);
    else automatic();
    Torn t;
    for (std::uint32_t k = 0; k < n_; ++k) {
      if (e_.active(k)) t.residues.push_back(k);
      if (e_.unsolved(k)) t.unknowns.push_back(k);
    }
    return t;
  }

 private:
  structure::Incidence incidence(bool without_relaxed) const {
    structure::Incidence g;
    g.columns = n_;
    std::vector<std::uint32_t> columns;
    for (std::uint32_t r = 0; r < n_; ++r) {
      columns.clear();
      for (const auto& e : p_.system->rows[r])
        if (!without_relaxed || !std::binary_search(p_.relaxed[r].begin(), p_.relaxed[r].end(), e.column))
          columns.push_back(e.column);
      g.add_row(columns);
    }
    return g;
  }

  structure::Incidence with_matched(const structure::Incidence& g, const structure::Matching& m,
                                    std::vector<Misfit>& misfits) const {
    structure::Incidence h;
    h.columns = n_;
    std::vector<std::uint32_t> columns;
    for (std::uint32_t r = 0; r < n_; ++r) {
      columns.assign(g[r].begin(), g[r].end());
      const std::uint32_t c = m.of_row[r];
      if (c != free_end && !std::binary_search(columns.begin(), columns.end(), c)) {
        columns.push_back(c);
        misfits.push_back({r, c});
      }
      h.add_row(columns);
    }
    return h;
  }

  // Pivots of the rows that are no residues for the unknowns that are not torn: a matching of these, block by block in the
  // order of their data flow. A diagonal block that is still coupled is eliminated by Markowitz.
  void triangular(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns, bool without_relaxed) {
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
      for (const auto& x : e_.row(r)) {
        const bool hidden =
            without_relaxed && std::binary_search(p_.relaxed[r].begin(), p_.relaxed[r].end(), x.column);
        if (number[x.column] != free_end && !hidden) list.push_back(number[x.column]);
      }
      g.add_row(list);
      kept.push_back(r);
    }
    const structure::Matching m = structure::match(g);
    const structure::Blocks blocks = structure::block_lower_triangular(g, m);
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
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
    run_markowitz(e_, p_, open, [&](std::uint32_t r, std::uint32_t c, code::Ref) {
      return in_row_[r] == stamp_ && in_column_[c] == stamp_;
    });
  }

  void automatic() {
    std::vector<std::vector<std::uint32_t>> rows(n_);
    for (std::uint32_t r = 0; r < n_; ++r)
      for (const auto& x : p_.system->rows[r]) rows[r].push_back(x.column);
    const Tearing t = tear(rows, n_, [&](std::uint32_t, std::uint32_t) { return true; });
    for (const auto& [r, c] : t.assignments)
      if (e_.entry(r, c)) e_.eliminate(r, c);
  }

  Elimination& e_;
  const OrderingProblem& p_;
  std::uint32_t n_;
  std::vector<std::uint32_t> in_row_, in_column_;
  std::uint32_t stamp_ = 0;
};

}  // namespace

void run_relaxed(Elimination& e, const OrderingProblem& p, std::vector<Misfit>& misfits) { Marked(e, p).relaxed(misfits); }

Torn run_torn(Elimination& e, const OrderingProblem& p) { return Marked(e, p).torn(); }

}  // namespace kron::solve
