// Coupled linear blocks: elimination along constant pivots by Markowitz cost, what remains (the core) by pivoting LU.
#include <algorithm>
#include <set>
#include <cmath>

#include "engine/solve/elimination.hpp"
#include "engine/solve/rank.hpp"
#include "engine/solve/rows.hpp"

namespace kron::solve {

using code::Ref;
using model::forms;

namespace {

LinearSystem assemble(Work& w) {
  LinearSystem s;
  for (const WorkRow& r : w.rows) {
    std::vector<LinearSystem::Entry> row;
    for (const Occurrence& o : r.occurrences)
      if (const Ref a = w.partial(r, o.placeholder); !w.tape.is_zero(a)) row.push_back({o.unknown, a});
    s.rows.push_back(std::move(row));
    s.rhs.push_back(-w.residual(r));  // the unknowns' values are zero here
  }
  return s;
}

// A pivot that may be used whatever the numbers: a plain constant, not small beside the constants of its row. Constants with long
// digits stay for the numerical core, where pivoting sees their size.
bool safe_pivot(const code::Builder& t, const std::vector<LinearSystem::Entry>& row, Ref p) {
  const auto r = t.rational_of(p);
  if (!r || *r == 0 || abs(numerator(*r)) > 1000 || denominator(*r) > 1000) return false;
  const double size = std::abs(to_double(*r));
  for (const auto& e : row)
    if (const auto x = t.rational_of(e.value); x && std::abs(to_double(*x)) > 100 * size) return false;
  return true;
}

class ConstantPivots {
 public:
  ConstantPivots(Elimination& e, const code::Builder& t, std::uint32_t n) : e_(e), t_(t), n_(n), known_(n) {}

  void run() {
    for (std::uint32_t r = 0; r < n_; ++r) offer(r);
    while (!queue_.empty()) {
      const auto [cost, r] = *queue_.begin();
      const auto [current, column] = best(r);
      if (current != cost) { offer(r); continue; }  // columns changed since
      if (cost > limit) break;
      withdraw(r);
      e_.eliminate(r, column);
      for (std::uint32_t t : e_.changed()) offer(t);
    }
  }

 private:
  static constexpr std::uint64_t none = ~0ull;
  // Fill beyond this is left to the numerical factorisation, which orders by value too. Small blocks are all eliminated.
  static constexpr std::uint64_t limit = 64;

  std::pair<std::uint64_t, std::uint32_t> best(std::uint32_t r) const {
    std::pair<std::uint64_t, std::uint32_t> b{none, 0};
    const auto& row = e_.row(r);
    for (const auto& x : row) {
      if (!safe_pivot(t_, row, x.value)) continue;
      const std::uint64_t cost = std::uint64_t{e_.row_count(r) - 1} * (e_.column_count(x.column) - 1);
      b = std::min(b, {cost, x.column});
    }
    return b;
  }
  void withdraw(std::uint32_t r) {
    if (known_[r]) queue_.erase({*known_[r], r});
    known_[r].reset();
  }
  void offer(std::uint32_t r) {
    withdraw(r);
    if (const auto [cost, c] = best(r); cost != none) {
      queue_.emplace(cost, r);
      known_[r] = cost;
    }
  }

  Elimination& e_;
  const code::Builder& t_;
  std::uint32_t n_;
  std::set<std::pair<std::uint64_t, std::uint32_t>> queue_;
  std::vector<std::optional<std::uint64_t>> known_;
};

struct Core {
  std::vector<std::uint32_t> rows, columns;
};

Core remaining(const Elimination& e, std::uint32_t n) {
  Core c;
  for (std::uint32_t k = 0; k < n; ++k) {
    if (e.active(k)) c.rows.push_back(k);
    if (e.unsolved(k)) c.columns.push_back(k);
  }
  return c;
}

void solve_core(Work& w, Elimination& e, const Core& core, BlockSolution& s) {
  if (core.rows.size() == 1) {  // one unknown left: its coefficient is the only pivot there is
    const std::uint32_t c = core.columns[0];
    s.values[c] = w.tape.div(e.rhs(core.rows[0]), e.row(core.rows[0])[0].value);
    return;
  }
  code::LinearStep step;
  step.size = static_cast<std::uint32_t>(core.rows.size());
  std::vector<std::uint32_t> number(w.rows.size(), 0);
  for (std::uint32_t k = 0; k < step.size; ++k) {
    number[core.columns[k]] = k;
    const Ref u = w.tape.unknown(w.problem.key(w.problem.unknowns[core.columns[k]]), w.section);
    step.unknowns.push_back(u.node());
    s.values[core.columns[k]] = u;
  }
  for (std::uint32_t k = 0; k < step.size; ++k) {
    for (const auto& x : e.row(core.rows[k])) step.matrix.push_back({k, number[x.column], x.value});
    step.rhs.push_back(e.rhs(core.rows[k]));
  }
  w.tape.add_linear(std::move(step), w.problem.number);
  s.core = static_cast<std::uint32_t>(core.rows.size());
}

}  // namespace

BlockSolution solve_linear(Work& w) {
  const auto n = static_cast<std::uint32_t>(w.rows.size());
  BlockSolution s;
  s.kind = Kind::linear;
  s.method = Method::automatic;
  s.ordering = "markowitz";
  Elimination e(w.tape, assemble(w));
  const bool all = w.problem.method == "dense" || w.problem.method == "sparse";
  if (!all) ConstantPivots(e, w.tape, n).run();
  else s.ordering = "natural";
  s.pivots = e.pivots();
  const Core core = remaining(e, n);
  std::vector<std::vector<LinearSystem::Entry>> rows;
  for (std::uint32_t r : core.rows) rows.push_back(e.row(r));
  if (auto bad = rank_deficiency(w.tape, rows, core.columns)) {
    s.singular = Singular{{}, {}, false};
    for (std::uint32_t k : bad->rows) s.singular->rows.push_back(core.rows[k]);
    for (std::uint32_t c : bad->columns) s.singular->unknowns.push_back(c);
    return s;
  }
  s.values.assign(n, code::zero);
  if (!core.rows.empty()) solve_core(w, e, core, s);
  if (s.core > 0 && w.problem.method == "dense") s.method = Method::dense;
  if (s.core > 0 && w.problem.method == "sparse") s.method = Method::sparse;
  e.substitute_back(s.values);
  return s;
}

}  // namespace kron::solve
