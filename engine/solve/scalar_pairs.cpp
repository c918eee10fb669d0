#include "engine/solve/scalar_pairs.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace kron::solve {
namespace {

// Along a shortest path of units from an unknown without a row to a row without an unknown.
bool augment(ScalarPairs& s, std::uint32_t unknown, std::span<const std::vector<std::uint32_t>> unit_rows) {
  std::unordered_map<std::uint32_t, std::uint32_t> by;  // row -> unknown from which it was reached
  std::vector<std::uint32_t> queue{unknown};
  for (std::size_t k = 0; k < queue.size(); ++k)
    for (std::uint32_t r : unit_rows[queue[k]]) {
      if (!by.emplace(r, queue[k]).second) continue;
      if (s.unknown_of[r] != none) {
        queue.push_back(s.unknown_of[r]);
        continue;
      }
      for (std::uint32_t row = r, c = none; row != none;) {
        c = by.at(row);
        const std::uint32_t old = s.row_of[c];
        s.row_of[c] = row;
        s.unknown_of[row] = c;
        row = c == unknown ? none : old;
      }
      return true;
    }
  return false;
}

// An unknown without a row takes one from another, which is without then, where that makes fewer pairs of arrays.
void straighten(ScalarPairs& s, const OrderingProblem& p, std::span<const std::vector<std::uint32_t>> unit_rows) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> count;  // members of (row array, unknown array)
  const auto key = [&](std::uint32_t r, std::uint32_t c) { return std::pair{p.row_group[r], p.unknown_group[c]}; };
  for (std::uint32_t r = 0; r < s.unknown_of.size(); ++r)
    if (s.unknown_of[r] != none) ++count[key(r, s.unknown_of[r])];
  for (std::uint32_t start = 0; start < s.row_of.size(); ++start) {
    std::uint32_t c = start;
    while (s.row_of[c] == none) {
      const auto better = std::find_if(unit_rows[c].begin(), unit_rows[c].end(), [&](std::uint32_t r) {
        const std::uint32_t other = s.unknown_of[r];
        return other != none && key(r, other) != key(r, c) && count[key(r, other)] == 1 && count[key(r, c)] > 0;
      });
      if (better == unit_rows[c].end()) break;
      const std::uint32_t r = *better, other = s.unknown_of[r];
      --count[key(r, other)];
      ++count[key(r, c)];
      s.row_of[c] = r;
      s.unknown_of[r] = c;
      s.row_of[other] = none;
      c = other;
    }
  }
}

}  // namespace

bool mend(ScalarPairs& s, const OrderingProblem& p, std::span<const std::vector<std::uint32_t>> unit_rows) {
  bool changed = false;
  for (std::uint32_t c = 0; c < s.row_of.size(); ++c)
    if (s.row_of[c] == none && augment(s, c, unit_rows)) changed = true;
  if (changed) straighten(s, p, unit_rows);
  return changed;
}

}  // namespace kron::solve
