// Linear blocks of which some unknowns are given at run time (code::Pins): unknowns that are no candidates are eliminated where a
// plain number divides; what is left is an LU of the columns that are not given.
#include "engine/solve/elimination.hpp"
#include "engine/solve/rows.hpp"

namespace kron::solve {

using code::Ref;

std::vector<code::Pins> pins_of(const BlockProblem& p, const std::vector<std::uint32_t>& column) {
  std::vector<code::Pins> out = p.pins;
  for (code::Pins& pins : out)
    for (std::uint32_t& c : pins.column) c = column[c];
  return out;
}

namespace {

// The row in which unknown c has a plain number for a coefficient, the shortest of them.
std::optional<std::uint32_t> numeric_pivot(const Elimination& e, const code::Builder& tape, std::uint32_t c) {
  std::optional<std::uint32_t> best;
  for (std::uint32_t r : e.holders(c))
    if (tape.rational_of(e.entry(r, c)->value) && (!best || e.row_count(r) < e.row_count(*best))) best = r;
  return best;
}

}  // namespace

BlockSolution solve_pinned(Work& w) {
  const auto n = static_cast<std::uint32_t>(w.problem.unknowns.size());
  Elimination e(w.tape, assemble(w));
  for (std::uint32_t c = 0; c < n; ++c)
    if (!w.tearing_unknown[c])
      if (const auto r = numeric_pivot(e, w.tape, c)) e.eliminate(*r, c);
  BlockSolution s;
  s.kind = Kind::linear;
  s.method = Method::dense;
  s.pivots = e.pivots();
  s.values.assign(n, code::zero);
  code::LinearStep step;
  std::vector<std::uint32_t> column(n, 0);
  for (std::uint32_t c = 0; c < n; ++c) {
    if (!e.unsolved(c)) continue;
    const Ref u = w.tape.unknown(w.problem.key(w.problem.unknowns[c]), w.section);
    column[c] = static_cast<std::uint32_t>(step.unknowns.size());
    step.unknowns.push_back(u.node());
    s.values[c] = u;
    s.torn.push_back(c);
  }
  for (std::uint32_t r = 0; r < e.size(); ++r) {
    if (!e.active(r)) continue;
    for (const LinearSystem::Entry& x : e.row(r)) step.matrix.push_back({step.size, column[x.column], x.value});
    step.rhs.push_back(e.rhs(r));
    s.residues.push_back(r);
    ++step.size;
  }
  s.core = step.size;
  step.pins = pins_of(w.problem, column);
  w.tape.add_linear(std::move(step), w.problem.number);
  e.substitute_back(s.values);
  return s;
}

}  // namespace kron::solve
