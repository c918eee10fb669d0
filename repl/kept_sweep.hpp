// repl/kept_sweep.hpp: the session's last sweep, for `:plot sweep`.
#pragma once
#include <string>
#include <vector>

#include "lang/workspace/sweep.hpp"
#include "repl/plot.hpp"

namespace kron::repl {

struct KeptSweep {
  std::size_t parameters = 0;                // so many columns come first
  std::vector<std::string> heading;
  std::vector<std::vector<double>> sets;
  Sweep sweep;
  bool trajectories = false;
};

// "k = 1, c = 2"
std::string set_text(const KeptSweep&, std::size_t run);

// The columns `wanted` (all, where there are none) over time, a curve for each run, where the sweep kept trajectories; of many runs some,
// evenly chosen. Else over the first parameter, a curve for each combination of the others.
Figure figure_of(const KeptSweep&, const std::vector<std::size_t>& wanted);

}  // namespace kron::repl
