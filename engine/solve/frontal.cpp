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

std::uint32_t widest_cut(const OrderingProblem& p, const std::vector<std::uint32_t>& rows) {
  std::vector<std::uint32_t> first(p.unknown_group.size(), unmet), last(p.unknown_group.size(), 0);
  for (std::uint32_t k = 0; k < rows.size(); ++k)
    for (const auto& e : p.system->rows[rows[k]]) {
      first[e.column] = std::min(first[e.column], k);
      last[e.column] = k;
    }
  std::vector<std::uint32_t> begun(rows.size(), 0), ended(rows.size(), 0);
  for (std::size_t c = 0; c < first.size(); ++c)
    if (first[c] != unmet) ++begun[first[c]], ++ended[last[c]];
  std::uint32_t width = 0, now = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    now += begun[k];
    now -= ended[k];
    width = std::max(width, now);
  }
  return width;
}

}  // namespace

Sweep sweep_from_end(const OrderingProblem& p, bool other_end) {
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
  Sweep s;
  for (std::uint32_t x : best.order)
    if (x < rows) s.rows.push_back(x);
  std::reverse(s.rows.begin(), s.rows.end());
  s.width = widest_cut(p, s.rows);
  return s;
}

void run_frontal(Elimination& e, const OrderingProblem& p, const std::vector<std::uint32_t>& rows, std::size_t step,
                 const Admissible& admissible) {
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
      run_markowitz(e, p, front, behind);
      std::erase_if(front, [&](std::uint32_t r) { return !e.active(r); });
    }
  }
}

}  // namespace kron::solve
