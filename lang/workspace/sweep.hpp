// lang/workspace/sweep.hpp: runs of a model for many sets of parameters, and the table of what comes out.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/simulate/batch.hpp"
#include "lang/workspace/kron.hpp"

namespace kron {

struct SweepPlan {
  std::vector<std::string> parameters;       // paths of scalars
  std::vector<std::vector<double>> sets;     // in SI units, a number for each parameter
  std::vector<syntax::ExprPtr> values;       // to be tabulated, in the scope of the model
  std::vector<Span> parameter_places, value_places;  // where their names stand, for diagnostics
  simulate::Options options;
  simulate::BatchOptions batch;
  bool series = false;                       // also at every output point
  Span command;                              // for diagnostics
};

struct SweepRow {
  enum class State : std::uint8_t { open, done, failed } state{};  // open: an interrupt came first
  std::vector<double> values;                // at the end; of a run that ended early nothing
  double end = 0;                            // time
  std::size_t steps = 0;
  std::vector<double> time;                  // with `series`; also of what a failed run left
  std::vector<std::vector<double>> series;   // by value
  Diagnostics why;                           // of a failure
};

struct Sweep {
  std::vector<std::vector<std::uint32_t>> sizes;  // of each value; an array has a column for each element
  std::vector<SweepRow> rows;                // in the order of the sets
  std::size_t translations = 1;              // of the model: one for each combination of structural parameters
  std::vector<std::string> structural;       // parameters that asked for them
  simulate::BatchCounters counters;
};

}  // namespace kron
