#include "engine/solve/frontal.hpp"

#include <algorithm>
#include <limits>

namespace kron::solve {
namespace {

using Graph = std::vector<std::vector<std::uint32_t>>;  // rows, then unknowns
constexpr std::uint32_t unmet = std::numeric_limits<std::uint32_t>::max();

struct Walk {
  std::vector<std::uint32_t> order;
  std::uint32_t depth = 0;
};

Walk walk(const Graph& near, std::uint32_t from) {
  std::vector<std::uint32_t> level(near.size(), unmet);
  Walk w{{from}};
  level[from] = 0;
  for (std::size_t k = 0; k < w.order.size(); ++k)
    for (std::uint32_t n : near[w.order[k]])
      if (level[n] == unmet) {
        level[n] = level[w.order[k]] + 1;
        w.order.push_back(n);
      }
  w.depth = level[w.order.back()];
  return w;
}

}  // namespace

std::vector<std::uint32_t> sweep_from_end(const OrderingProblem& p, bool other_end) {
  const auto rows = static_cast<std::uint32_t>(p.system->rows.size());
  if (rows == 0) return {};
  Graph near(rows + p.unknown_group.size());
  for (std::uint32_t r = 0; r < rows; ++r)
    for (const auto& e : p.system->rows[r]) {
      near[r].push_back(rows + e.column);
      near[rows + e.column].push_back(r);
    }
  Walk best = walk(near, 0);
  for (Walk next = walk(near, best.order.back()); next.depth > best.depth; next = walk(near, best.order.back())) best = std::move(next);
  if (other_end) best = walk(near, best.order.back());
  std::erase_if(best.order, [&](std::uint32_t x) { return x >= rows; });
  std::ranges::reverse(best.order);
  return best.order;
}

void run_frontal(Elimination& e, const OrderingProblem& p, const std::vector<std::uint32_t>& rows, std::size_t step,
                 const Admissible& admissible, MarkowitzOptions options) {
  std::vector<std::size_t> place(p.system->rows.size(), rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) place[rows[k]] = k;
  std::vector<std::uint32_t> front;
  for (std::size_t end = 0; end < rows.size() && !e.exhausted();) {
    for (const std::size_t next = std::min(rows.size(), end + step); end < next; ++end) front.push_back(rows[end]);
    const Admissible behind = [&](std::uint32_t row, std::uint32_t unknown, code::Ref value) {
      const auto& holders = e.holders(unknown);
      const bool reached = std::all_of(holders.begin(), holders.end(), [&](std::uint32_t r) { return place[r] < end; });
      return reached && admissible(row, unknown, value);
    };
    // Again, as a row that has not changed itself is not offered again when its unknowns have gone from others.
    for (std::size_t before = e.pivots().size() + 1; before != e.pivots().size() && !e.exhausted();) {
      before = e.pivots().size();
      run_markowitz(e, p, front, behind, options);
      std::erase_if(front, [&](std::uint32_t r) { return !e.active(r); });
    }
  }
}

}  // namespace kron::solve
