#include "engine/session/derivative_aliases.hpp"

#include <algorithm>

#include "engine/session/system.hpp"

namespace kron::session {

void close_derivatives(const structure::Aliases& found, const Differentiated& x, const std::function<void(const IntegerTerms&)>& append) {
  std::vector<std::pair<std::uint32_t, std::int8_t>> of_root(found.of.size(), {none, 1});
  for (const std::uint32_t v : x.variables) {
    const std::uint32_t d = x.derivative[v];
    const auto& a = found.of[v];
    if (a.sign == 0) {
      if (found.of[d].sign != 0 || found.of[d].constant != 0) append({{d, 1}});
      continue;
    }
    auto& [other, sign] = of_root[a.root];
    if (other == none) {
      other = d;
      sign = a.sign;
      continue;
    }
    const auto &p = found.of[d], &q = found.of[other];  // der(v) = ±der(w) for v = ±w
    const auto relative = static_cast<std::int8_t>(a.sign * sign);
    const bool same = p.sign == 0 ? q.sign == 0 && p.constant == relative * q.constant : q.sign != 0 && p.root == q.root && p.sign == relative * q.sign;
    if (same) continue;
    IntegerTerms terms = {{d, 1}, {other, -relative}};
    std::ranges::sort(terms);
    append(terms);
  }
}

std::vector<bool> derivative_cycles(const structure::Aliases& found, const Differentiated& x) {
  const std::size_t n = found.of.size();
  std::vector<std::uint32_t> next(n, none), via(n, none), seen(n, none);
  for (const std::uint32_t v : x.variables) {
    const std::uint32_t d = x.derivative[v];
    if (found.of[v].sign == 0 || found.of[d].sign == 0) continue;
    next[found.of[v].root] = found.of[d].root;
    via[found.of[v].root] = d;
  }
  std::vector<bool> cut;
  for (std::uint32_t start = 0; start < n; ++start) {
    std::uint32_t v = start;
    while (v != none && seen[v] == none) {
      seen[v] = start;
      v = next[v];
    }
    if (v == none || seen[v] != start) continue;
    std::uint32_t last = v;
    for (std::uint32_t w = next[v]; w != v; w = next[w])
      if (via[w] > via[last]) last = w;
    cut.resize(n, false);
    cut[last] = true;
  }
  return cut;
}

}  // namespace kron::session
