// engine/simulate/batch.hpp: many runs of one model with different numbers.
//   what      each run gives what simulate() gives for it alone, but for what lies between output points: the same steps, values and
//             troubles, bit for bit, whatever runs beside it
//   how       runs are dealt to threads one by one; a thread advances as many of them side by side as a vector register has lanes
//             (code::Packed), each with its own time and step, and a lane whose run has ended takes the next one. What lanes cannot do goes
//             on alone: a run that turned out stiff, or whose blocks want other pivots; and from its start: implicit methods, Newton's
//             iteration, dynamic states, high precision
//   why       a step that all lanes share would be that of the worst of them, and what a run gives would depend on its neighbours
#pragma once
#include <functional>
#include <optional>

#include "engine/simulate/simulate.hpp"

namespace kron::simulate {

struct BatchOptions {
  unsigned threads = 0;  // 0: as many as the machine has
  bool lanes = true;
};

struct BatchCounters {
  unsigned threads = 1;
  std::size_t runs = 0, in_lanes = 0;  // that were begun; that began in a lane
  double solve_s = 0;  // from the first run's start to the last one's end, without what `supply` and `deliver` took, of the slowest thread
};

// Problems by number. Calls do not overlap. Nothing: that one is left out.
using Supply = std::function<std::optional<Problem>(std::size_t)>;
// The result of a run that was begun. Calls from several threads overlap.
using Deliver = std::function<void(std::size_t, Problem&, Result&)>;

// Problems that share a program run side by side. After an interrupt no run is begun, those under way end as interrupted. Options::progress
// is told the share of runs that were delivered, by the calling thread.
BatchCounters simulate_batch(std::size_t count, const Supply&, const Options&, const BatchOptions&, const Deliver&);

}  // namespace kron::simulate
