#include "engine/solve/tearing.hpp"

#include <algorithm>
#include <set>

namespace kron::solve {

Tearing tear(const std::vector<std::vector<std::uint32_t>>& rows, std::uint32_t unknowns,
             const std::function<bool(std::uint32_t, std::uint32_t)>& solvable, const std::vector<bool>& torn_first, std::size_t most_terms) {
  const auto n = static_cast<std::uint32_t>(rows.size());
  std::vector<std::vector<std::uint32_t>> holders(unknowns);
  std::vector<std::uint32_t> left(n), weight(unknowns, 0);
  for (std::uint32_t r = 0; r < n; ++r) {
    left[r] = static_cast<std::uint32_t>(rows[r].size());
    for (std::uint32_t c : rows[r]) holders[c].push_back(r);
  }
  std::vector<bool> known(unknowns, false), done(n, false);
  std::set<std::uint32_t> ready;                              // rows with one unknown left
  std::set<std::pair<std::int64_t, std::uint32_t>> queue;     // unknowns: most rows first
  for (std::uint32_t c = 0; c < unknowns; ++c) {
    weight[c] = static_cast<std::uint32_t>(holders[c].size());
    queue.emplace(-static_cast<std::int64_t>(weight[c]), c);
  }
  for (std::uint32_t r = 0; r < n; ++r)
    if (left[r] == 1) ready.insert(r);
  Tearing t;
  auto lighten = [&](std::uint32_t r) {  // a row is out of the game: its unknowns occur once less
    for (std::uint32_t c : rows[r]) {
      if (known[c]) continue;
      queue.erase({-static_cast<std::int64_t>(weight[c]), c});
      queue.emplace(-static_cast<std::int64_t>(--weight[c]), c);
    }
  };
  auto learn = [&](std::uint32_t c) {
    known[c] = true;
    queue.erase({-static_cast<std::int64_t>(weight[c]), c});
    for (std::uint32_t r : holders[c]) {
      if (--left[r] == 1 && !done[r]) ready.insert(r);
      if (left[r] == 0) ready.erase(r);
    }
  };
  std::vector<std::vector<std::uint32_t>> terms(most_terms > 0 ? unknowns : 0);  // torn unknowns that each known one is made of
  const auto guess = [&](std::uint32_t c) {
    t.torn.push_back(c);
    if (most_terms > 0) terms[c] = {c};
    learn(c);
  };
  // False: too many terms.
  const auto make_of = [&](std::uint32_t r, std::uint32_t c) {
    if (most_terms == 0) return true;
    std::vector<std::uint32_t> all;
    for (std::uint32_t x : rows[r]) all.insert(all.end(), terms[x].begin(), terms[x].end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    if (all.size() > most_terms) return false;
    terms[c] = std::move(all);
    return true;
  };
  for (std::uint32_t c = 0; c < torn_first.size(); ++c)
    if (torn_first[c]) guess(c);
  while (!queue.empty()) {
    if (ready.empty()) {
      guess(queue.begin()->second);
      continue;
    }
    const std::uint32_t r = *ready.begin();
    ready.erase(ready.begin());
    std::uint32_t c = 0;
    for (std::uint32_t x : rows[r])
      if (!known[x]) c = x;
    if (!solvable(r, c) || !make_of(r, c)) continue;  // stays a residue, unless another row gives the unknown
    done[r] = true;
    lighten(r);
    t.assignments.emplace_back(r, c);
    learn(c);
  }
  for (std::uint32_t r = 0; r < n; ++r)
    if (!done[r]) t.residues.push_back(r);
  std::sort(t.torn.begin(), t.torn.end());
  return t;
}

}  // namespace kron::solve
