#include "engine/solve/flow.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <unordered_map>

#include "engine/structure/structure.hpp"

namespace kron::solve {
namespace {

// Of each node the longest path to a node without successors; empty where there is a cycle.
std::vector<std::uint32_t> longest_paths(const Graph& next) {
  Graph before(next.size());
  std::vector<std::uint32_t> length(next.size(), 0), open(next.size()), ready;
  for (std::uint32_t k = 0; k < next.size(); ++k) {
    open[k] = static_cast<std::uint32_t>(next[k].size());
    for (std::uint32_t q : next[k]) before[q].push_back(k);
    if (open[k] == 0) ready.push_back(k);
  }
  for (std::size_t k = 0; k < ready.size(); ++k)
    for (std::uint32_t p : before[ready[k]]) {
      length[p] = std::max(length[p], length[ready[k]] + 1);
      if (--open[p] == 0) ready.push_back(p);
    }
  if (ready.size() < next.size()) length.clear();
  return length;
}

// Of each pair, whether the reference gives it.
std::vector<bool> pairs_given_by(const std::vector<Pivot>& reference, const OrderingProblem& p, const GroupPairs& g) {
  std::vector<bool> given(p.unknown_group.size(), false), driven;
  for (const auto& [r, c] : reference) given[c] = true;
  for (const auto& c : g.unknowns) driven.push_back(std::all_of(c.begin(), c.end(), [&](std::uint32_t x) { return given[x]; }));
  return driven;
}

class Levels {
 public:
  Levels(const OrderingProblem& p, const GroupPairs& g, std::vector<bool> driven)
      : g_(g), n_(static_cast<std::uint32_t>(g.rows.size())), driven_(std::move(driven)) {
    std::unordered_map<std::uint32_t, std::uint32_t> number;
    for (std::uint32_t k = 0; k < n_; ++k) {
      const std::uint32_t part = p.part[g.rows[k][0]];
      if (part != no_part) part_.push_back(number.emplace(part, parts_ += !number.contains(part)).first->second - 1);
      else part_.push_back(driven_[k] ? parts_++ : none);  // a connection passes motion on as parts do
    }
  }

  std::vector<std::uint32_t> run() { return find() ? with_steps() : std::vector<std::uint32_t>{}; }

  std::optional<PairLevels> without_steps() {
    if (!find()) return std::nullopt;
    PairLevels levels{level_, std::vector<std::uint32_t>(n_, 0)};
    for (std::uint32_t k = 0; k < n_; ++k)
      if (driven_[k]) levels.of_part[k] = 2 * of_part_[part_[k]] + 1;
    return levels;
  }

 private:
  bool find() {  // false: fewer than two parts
    Graph next(parts_);
    for (std::uint32_t k = 0; k < n_; ++k)
      for (std::uint32_t q : g_.next[k])
        if (driven_[k] && driven_[q] && part_[q] != part_[k]) next[part_[k]].push_back(part_[q]);
    for (auto& list : next) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    if (parts_ < 2) return false;
    of_part_ = longest_paths_of_components(next);
    level_.assign(n_, none);
    for (std::uint32_t k = 0; k < n_; ++k) {
      if (!driven_[k])
        for (std::uint32_t q : g_.next[k])
          if (!driven_[q] && part_[q] != none) level_[k] = std::min(level_[k], of_part_[part_[q]]);
      if (level_[k] == none && part_[k] != none) level_[k] = of_part_[part_[k]];
    }
    pass_connections();
    return true;
  }

  // Of what flows back through connections: with the first part that takes it behind them, but before this part begins, so that it takes
  // sums. Or it would move each term of them from one of its sides to the other.
  void pass_connections() {
    for (std::uint32_t& level : level_)
      if (level != none) level = 2 * level + 1;
    std::vector<std::uint32_t> work;
    for (std::uint32_t k = 0; k < n_; ++k)
      if (connects_back(k) && level_[k] != none) work.push_back(k);
    std::stable_sort(work.begin(), work.end(), [&](auto x, auto y) { return level_[x] < level_[y]; });
    for (std::size_t k = 0; k < work.size(); ++k)
      for (std::uint32_t q : g_.before[work[k]])
        if (connects_back(q) && level_[q] == none) {
          level_[q] = level_[work[k]] & ~1u;
          work.push_back(q);
        }
    std::replace(level_.begin(), level_.end(), none, 1u);
  }
  bool connects_back(std::uint32_t k) const { return !driven_[k] && part_[k] == none; }

  // Inside a part motion goes by steps, from the side of the leaves, and what flows back likewise.
  std::vector<std::uint32_t> with_steps() const {
    const auto one_step = [&](std::uint32_t x, std::uint32_t y) {
      return driven_[x] == driven_[y] && !g_.torn[x] && !g_.torn[y] && level_[x] == level_[y] && (!driven_[x] || part_[x] == part_[y]);
    };
    Graph next(n_);
    for (std::uint32_t k = 0; k < n_; ++k)
      for (std::uint32_t q : driven_[k] ? g_.next[k] : g_.before[k])
        if (one_step(k, q)) next[k].push_back(q);
    const std::vector<std::uint32_t> step = longest_paths(next);
    if (step.empty()) return level_;
    const std::uint32_t steps = 1 + *std::max_element(step.begin(), step.end());
    std::vector<std::uint32_t> out;
    for (std::uint32_t k = 0; k < n_; ++k) out.push_back(level_[k] * steps + step[k]);
    return out;
  }

  const GroupPairs& g_;
  std::uint32_t n_, parts_ = 0;
  std::vector<bool> driven_;  // by pair: the reference gives it
  std::vector<std::uint32_t> part_, of_part_, level_;
};

}  // namespace

std::vector<std::uint32_t> longest_paths_of_components(const Graph& next) {
  structure::Incidence graph;
  structure::Matching diagonal;
  for (std::uint32_t k = 0; k < next.size(); ++k) {
    std::vector<std::uint32_t> row = next[k];
    row.push_back(k);
    graph.add_row(row);
    diagonal.of_row.push_back(k);
  }
  diagonal.of_column = diagonal.of_row;
  diagonal.size = graph.rows();
  const structure::Blocks blocks = structure::block_lower_triangular(graph, diagonal);  // each after those that it leads to
  std::vector<std::uint32_t> length(next.size(), none);
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    const std::span nodes(blocks.row.data() + blocks.begin[b], blocks.begin[b + 1] - blocks.begin[b]);
    std::uint32_t longest = 0;
    for (std::uint32_t k : nodes)
      for (std::uint32_t q : next[k])
        if (length[q] != none) longest = std::max(longest, length[q] + 1);
    for (std::uint32_t k : nodes) length[k] = longest;
  }
  return length;
}

std::vector<Pivot> reference_solution(const OrderingProblem& p, const GroupPairs& g, const Stations& stations) {
  const auto n = static_cast<std::uint32_t>(p.system->rows.size());
  std::vector<std::uint32_t> of_row(n, none), of_unknown(p.unknown_group.size(), none), open(n, 0);  // stations; entries not yet given
  std::vector<bool> given(of_unknown.size(), false);
  for (std::uint32_t s = 0; s < stations.size(); ++s)
    for (std::uint32_t x : stations[s]) {
      for (std::uint32_t r : g.rows[x]) of_row[r] = g.torn[x] ? none : s;
      for (std::uint32_t c : g.unknowns[x]) {
        of_unknown[c] = s;
        given[c] = g.torn[x];
      }
    }
  Graph holders(given.size());
  for (std::uint32_t r = 0; r < n; ++r)
    for (const auto& e : p.system->rows[r])
      if (!given[e.column]) {
        ++open[r];
        holders[e.column].push_back(r);
      }
  std::vector<Pivot> out;
  for (std::size_t s = stations.size(); s-- > 0;) {
    std::vector<std::uint32_t> work;
    for (std::uint32_t x : stations[s])
      if (!g.torn[x]) work.insert(work.end(), g.rows[x].begin(), g.rows[x].end());
    for (std::size_t k = 0; k < work.size(); ++k) {
      const std::uint32_t r = work[k];
      if (open[r] != 1) continue;
      const auto e = std::find_if(p.system->rows[r].begin(), p.system->rows[r].end(), [&](const auto& x) { return !given[x.column]; });
      if (e->value.node() != code::one.node() || of_unknown[e->column] != s) continue;
      given[e->column] = true;
      out.emplace_back(r, e->column);
      for (std::uint32_t h : holders[e->column])
        if (--open[h] == 1 && of_row[h] == s) work.push_back(h);
    }
  }
  return out;
}

std::vector<Pivot> gathered_reference(const OrderingProblem& p, const std::vector<Pivot>& reference) {
  const auto dynamic = [&](code::Ref x) { return p.tape->section(x) == code::Section::dynamic; };
  std::vector<Pivot> rigid;
  for (const Pivot& x : reference)
    if (std::ranges::none_of(p.system->rows[x.first], [&](const auto& e) { return dynamic(e.value); })) rigid.push_back(x);
  std::vector<bool> leads(p.unknown_group.size(), false), carries(p.unknown_group.size(), false);  // to a known part; one
  for (std::size_t k = rigid.size(); k-- > 0;) {
    const auto [r, c] = rigid[k];
    if (leads[c] || dynamic(p.system->rhs[r]))
      for (const auto& e : p.system->rows[r])
        if (e.column != c) leads[e.column] = true;
  }
  std::vector<Pivot> out;
  for (const auto& [r, c] : rigid) {
    const bool known = dynamic(p.system->rhs[r]) || std::ranges::any_of(p.system->rows[r], [&](const auto& e) { return carries[e.column]; });
    if (!leads[c] || !known) continue;
    carries[c] = true;
    out.emplace_back(r, c);
  }
  return out;
}

std::vector<std::uint32_t> part_levels(const OrderingProblem& p, const GroupPairs& g, const std::vector<Pivot>& reference) {
  return Levels(p, g, pairs_given_by(reference, p, g)).run();
}

std::optional<PairLevels> pair_levels(const OrderingProblem& p, const GroupPairs& g, const std::vector<bool>& driven) {
  return Levels(p, g, driven).without_steps();
}

}  // namespace kron::solve
