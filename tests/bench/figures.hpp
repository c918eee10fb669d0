// tests/bench/figures.hpp: measurements against references in one run, for the table that scripts/bench prints.
#pragma once
#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <vector>

namespace kron::bench {

// Prints row by row: the name before it is measured, the figures behind it.
class Table {
 public:
  explicit Table(std::vector<std::string> wanted) : wanted_(std::move(wanted)) {}  // how names of rows begin; none: all
  bool wants(const std::string& row) const;
  void begin(const std::string& row);
  void end(double own, double reference, const std::string& against);  // seconds
  void row(const std::string& name, double own, double reference, const std::string& against) {
    begin(name);
    end(own, reference, against);
  }

 private:
  std::vector<std::string> wanted_;
};

struct Pair {
  double own = std::numeric_limits<double>::infinity(), reference = own;  // seconds; each the best so far
  void take(double o, double r) {
    own = std::min(own, o);
    reference = std::min(reference, r);
  }
};

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

void machine_code_figures(Table&);  // straight-line code against the C compiler's
void circuit_figures(Table&);       // ladders, grids and blocks against hand-written integration, ngspice, dense LU; the program's start
void mechanics_figures(Table&);     // forward dynamics against a hand-written algorithm
void sweep_figures(Table&);         // many sets of parameters against one run after the other

}  // namespace kron::bench
