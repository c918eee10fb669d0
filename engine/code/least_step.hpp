// engine/code/least_step.hpp: steps of systems with more unknowns than equations, or rows that repeat others.
#pragma once
#include <optional>
#include <vector>

#include "engine/code/linear.hpp"

namespace kron::code {

// The least step of the open unknowns that makes J dx = r, or comes nearest to it: (J^T J + damping) dx = J^T r   [Levenberg 1944].
// J by rows. Nothing: a singular matrix.
template <class T>
std::optional<std::vector<T>> least_step(const std::vector<std::vector<T>>& j, const std::vector<T>& r, const std::vector<bool>& open, const T& damping) {
  const auto n = static_cast<std::uint32_t>(open.size());
  std::vector<T> normal(std::size_t{n} * n, T(0)), x(n, T(0));
  for (std::size_t i = 0; i < j.size(); ++i)
    for (std::uint32_t a = 0; a < n; ++a) {
      if (!open[a] || j[i][a] == 0) continue;
      x[a] += j[i][a] * r[i];
      for (std::uint32_t b = 0; b < n; ++b)
        if (open[b]) normal[std::size_t{a} * n + b] += j[i][a] * j[i][b];
    }
  for (std::uint32_t a = 0; a < n; ++a) normal[std::size_t{a} * n + a] += open[a] ? damping : T(1);
  DenseLu<T> lu(n);
  if (lu.factor(normal) != Factored::ok) return std::nullopt;
  lu.solve(x.data());
  return x;
}

}  // namespace kron::code
