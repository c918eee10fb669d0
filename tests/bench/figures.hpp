// tests/bench/figures.hpp: measurements against references in one run, for the table that scripts/bench prints.
#pragma once
#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <vector>

namespace kron::bench {

struct Figure {
  std::string name;
  double own = 0, reference = 0;  // seconds
  std::string against;
};
using Figures = std::vector<Figure>;

// Seconds of one call of each: the best of several rounds, taken in turns, so that what disturbs the machine disturbs all.
template <class... F>
std::vector<double> best_times(double seconds_each, F&&... f) {
  constexpr std::size_t count = sizeof...(F);
  std::vector<double> best(count, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> calls(count, 1);
  const auto time = [&](std::size_t k, auto&& call, std::size_t n) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < n; ++i) call();
    const double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    best[k] = std::min(best[k], s / static_cast<double>(n));
    return s;
  };
  constexpr int rounds = 15;
  const auto calibrate = [&](std::size_t k, auto&& call) {
    while (time(k, call, calls[k]) < seconds_each / rounds && calls[k] < 100'000'000) calls[k] *= 2;
  };
  std::size_t k = 0;
  (calibrate(k++, f), ...);
  std::fill(best.begin(), best.end(), std::numeric_limits<double>::infinity());
  for (int round = 0; round < rounds; ++round) {
    k = 0;
    ((time(k, f, calls[k]), ++k), ...);
  }
  return best;
}

Figures machine_code_figures();   // straight-line code against the C compiler's
Figures circuit_figures();        // ladders, grids and blocks against hand-written integration, ngspice, dense LU
Figures mechanics_figures();      // forward dynamics against a hand-written algorithm
Figures sweep_figures();          // many sets of parameters against one run after the other

}  // namespace kron::bench
