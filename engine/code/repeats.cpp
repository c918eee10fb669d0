#include "engine/code/repeats.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>

namespace kron::code {

std::vector<Loop> find_loops(std::span<const std::uint64_t> tokens, std::size_t least) {
  constexpr std::size_t window = 24, least_count = 6;
  if (tokens.size() < std::max(window, least)) return {};
  constexpr std::uint64_t base = 0x9e3779b97f4a7c15;
  std::uint64_t oldest = 1;  // weight of the token that leaves the window
  for (std::size_t k = 0; k < window; ++k) oldest *= base;
  // Ends, plus one, of the last windows whose hash begins so: nearly always of equal content.
  std::vector<std::array<std::uint32_t, 4>> seen(std::bit_ceil(tokens.size()));
  const int shift = std::countl_zero(std::uint64_t{seen.size()}) + 1;
  const auto equal_windows = [&](std::size_t x, std::size_t y) {
    return std::equal(tokens.begin() + static_cast<std::ptrdiff_t>(x + 1 - window), tokens.begin() + static_cast<std::ptrdiff_t>(x + 1),
                      tokens.begin() + static_cast<std::ptrdiff_t>(y + 1 - window));
  };
  std::unordered_map<std::size_t, std::size_t> known_end;                // by lag: up to where it is known to repeat, not far enough
  std::vector<Loop> loops;
  std::size_t from = 0;  // what is before is in a loop
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    hash = hash * base + tokens[i];
    if (i >= window) hash -= oldest * tokens[i - window];
    if (i + 1 < from + window) continue;
    auto& ends = seen[hash >> shift];
    Loop best;
    for (const std::uint32_t e : ends) {
      if (e == 0 || e - 1 < from + window - 1) continue;
      const std::size_t lag = i - (e - 1);
      if (const auto it = known_end.find(lag); it != known_end.end() && i < it->second) continue;
      if (!equal_windows(i, e - 1)) continue;
      std::size_t begin = i - lag, end = i + 1;
      while (begin > from && tokens[begin - 1] == tokens[begin - 1 + lag]) --begin;
      while (end < tokens.size() && tokens[end] == tokens[end - lag]) ++end;
      known_end[lag] = end;
      const std::size_t count = (end - begin) / lag;
      const std::size_t much_more = best.count == 0 ? 0 : (best.end() - best.begin) * 21 / 20;  // the shortest period, as a rule
      if (count >= least_count && count * lag >= least && count * lag > much_more)
        best = {begin, static_cast<std::uint32_t>(lag), static_cast<std::uint32_t>(count)};
    }
    std::rotate(ends.begin(), ends.end() - 1, ends.end());
    ends[0] = static_cast<std::uint32_t>(i + 1);
    if (best.count == 0) continue;
    loops.push_back(best);
    from = best.end();
    while (i + 1 < from) {  // the hash goes on
      ++i;
      hash = hash * base + tokens[i];
      if (i >= window) hash -= oldest * tokens[i - window];
    }
  }
  return loops;
}

Loop cut_where_least_lives(const Loop& l, std::span<const std::uint32_t> last_use) {
  const std::size_t middle = l.begin + std::size_t{l.count / 2} * l.period;
  std::vector<std::int64_t> change(2 * std::size_t{l.period} + 1, 0);  // values alive, from a period before the middle on
  const std::size_t first = middle - l.period;
  for (std::size_t k = first; k < middle + l.period; ++k) {
    const std::size_t end = std::min<std::size_t>(last_use[k], middle + l.period - 1);
    if (end <= k) continue;
    ++change[k + 1 - first];
    --change[end + 1 - first];
  }
  std::int64_t alive = 0, fewest = -1;
  std::uint32_t best = 0;
  for (std::size_t k = 0; k < change.size(); ++k) {
    alive += change[k];
    if (k < l.period || k >= 2 * std::size_t{l.period} || (fewest >= 0 && alive >= fewest)) continue;
    fewest = alive;
    best = static_cast<std::uint32_t>(k - l.period);
  }
  if (best == 0) return l;
  return {l.begin + best, l.period, l.count - 1};
}

}  // namespace kron::code
