// Linear blocks of which some unknowns are given at run time (code::Pins): unknowns that are no candidates are eliminated where a
// plain number divides; what is left is an LU of the columns that are not given. A large one is sparse: along a chain of sums the
// elimination of all would fill it.
#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

#include "engine/solve/cost.hpp"
#include "engine/solve/ordering.hpp"
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

constexpr std::size_t few_rows = 40;  // of a core that is worth much code

// The row in which unknown c has a plain number for a coefficient, the shortest of them.
std::optional<std::uint32_t> numeric_pivot(const Elimination& e, const code::Builder& tape, std::uint32_t c) {
  std::optional<std::uint32_t> best;
  for (std::uint32_t r : e.holders(c))
    if (tape.rational_of(e.entry(r, c)->value) && (!best || e.row_count(r) < e.row_count(*best))) best = r;
  return best;
}

// In the order of the unknowns, or backwards.
void eliminate_in_order(Elimination& e, const Work& w, bool backwards) {
  const auto n = static_cast<std::uint32_t>(w.tearing_unknown.size());
  for (std::uint32_t k = 0; k < n && !e.exhausted(); ++k) {
    const std::uint32_t c = backwards ? n - 1 - k : k;
    if (w.tearing_unknown[c]) continue;
    if (const auto r = numeric_pivot(e, w.tape, c)) e.eliminate(*r, c);
  }
}

void eliminate_cheapest(Elimination& e, const Work& w, std::uint64_t fill) {
  OrderingProblem p;
  p.tape = &w.tape;
  std::vector<std::uint32_t> rows(e.size());
  std::iota(rows.begin(), rows.end(), 0u);
  const auto plain = [&](std::uint32_t, std::uint32_t, Ref x) { return w.tape.rational_of(x).has_value(); };
  run_markowitz(e, p, rows, plain, {.limit = fill, .given = &w.tearing_unknown});
}

using Order = std::function<void(Elimination&, const Work&)>;

// The cheapest. Along a long chain the order of the unknowns makes each row hold all joints before it. Backwards only the few rows that
// close the chain hold what was eliminated, but where rows close it in many places these come together. By degree, pieces of the chain are
// joined to longer ones, which touches each part as often as lengths can double. And a dense core of many rows costs more than a sparse one
// from which less was eliminated.
Order cheapest_order(const Work& w, const LinearSystem& system) {
  const std::size_t first = w.tape.size();
  const CoreUnknowns unknowns = [&](code::Builder& t, const Core& core) {
    std::vector<Ref> u;
    for (std::uint32_t c : core.columns) u.push_back(t.unknown(w.problem.key(w.problem.unknowns[c]), w.section));
    return u;
  };
  std::vector<bool> wanted = w.problem.wanted;
  if (std::find(wanted.begin(), wanted.end(), true) == wanted.end()) wanted.assign(w.problem.unknowns.size(), true);
  constexpr std::uint64_t little = 6;  // new entries that a pivot may make, so that the core stays sparse
  const auto by_degree = [](std::uint64_t fill) {
    return Order([fill](Elimination& e, const Work& work) { eliminate_cheapest(e, work, fill); });
  };
  std::size_t most_nodes = first + 4000;  // beyond, code costs more than a sparse LU
  for (const auto& row : system.rows) most_nodes += 16 * row.size();
  const auto in_order = [](bool backwards) {
    return Order([backwards](Elimination& e, const Work& work) { eliminate_in_order(e, work, backwards); });
  };
  Order best = by_degree(little);
  double least = std::numeric_limits<double>::infinity();
  const std::pair<Order, bool> orders[] = {
      {in_order(false), false}, {in_order(true), false}, {by_degree(~0ull), false}, {by_degree(little), true}};
  for (const auto& [order, sparse] : orders) {
    Elimination e(w.tape, system);
    e.set_limit(most_nodes);
    order(e, w);
    const Core core = remaining(e);
    if (sparse || (core.rows.size() <= few_rows && !e.exhausted()))
      if (const Cost c = cost_of(e, w.tape, core, unknowns, wanted, {first, 0}); c.dynamic + rarely * c.early < least) {
        least = c.dynamic + rarely * c.early;
        best = order;
      }
    w.tape.rewind(first);
  }
  return best;
}

}  // namespace

BlockSolution solve_pinned(Work& w) {
  const auto n = static_cast<std::uint32_t>(w.problem.unknowns.size());
  const LinearSystem system = assemble(w);
  const Order order = cheapest_order(w, system);
  Elimination e(w.tape, system);
  order(e, w);
  BlockSolution s;
  s.kind = Kind::linear;
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
  s.method = code::is_dense(s.core, step.matrix.size()) ? Method::dense : Method::sparse;
  step.pins = pins_of(w.problem, column);
  w.tape.add_linear(std::move(step), w.problem.number);
  e.substitute_back(s.values);
  return s;
}

}  // namespace kron::solve
