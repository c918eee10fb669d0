// engine/simulate/switching.hpp: dynamic sets of states along a run: chosen at the start, exchanged between steps.
//   when      the strain of the choice (code::Machine::strain: how fast what is solved for moves with the states) exceeds a limit, or
//             would within the next step as it grew over the last one. After an exchange it is at most about 1, so a choice is not
//             taken back before the model has moved on: hysteresis without a time constant
//   accuracy  the positions are solved to solver tolerance first, the new states are read from that solution; nothing is lost
//   cost      an evaluation and a factorisation for each switch; for each step one solution with factors at hand for each slot
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "engine/simulate/simulate.hpp"

namespace kron::simulate {

inline std::size_t candidates(const Problem& p) {  // of all sets
  std::size_t n = 0;
  for (const StateSet& set : p.sets) n += set.nominal.size();
  return n;
}

class StrainWatch {
 public:
  bool exceeded(double strain) {
    const double expected = strain + std::max(0.0, strain - before_);
    before_ = strain;
    return strain > limit || (strain > settled && expected > far);
  }
  void reset() { before_ = 0; }
  static constexpr double settled = 1.1;  // exchanges below this gain nothing

 private:
  static constexpr double limit = 1.25, far = 3;
  double before_ = 0;
};

// Values of the candidates, which the initial program's roots have, to a machine for the model: where Newton starts, and what the
// first evaluation chooses from.
template <class T>
void open_sets(code::Machine<T>& machine, const Problem& p, std::span<const T> candidates) {
  std::vector<T> lowest;
  for (std::uint32_t s = 0; s < code::selections(*p.dynamics); ++s) {
    std::vector<T> values;
    std::size_t at = 0;
    for (const StateSet& set : p.sets) {  // levels ascend
      if (set.selection == s) values.insert(values.end(), candidates.begin() + at, candidates.begin() + at + set.nominal.size());
      at += set.nominal.size();
    }
    lowest.insert(lowest.end(), values.begin(), values.begin() + code::alternatives(*p.dynamics, s));
    machine.open(s, values);
  }
  machine.guess(lowest);
}

// The same for the initial program, from the start values that its parameter roots are.
template <class T>
void open_initial_sets(code::Machine<T>& machine, const code::Program& initial) {
  std::span<const T> starts = machine.parameter_roots();
  for (std::uint32_t s = 0; s < code::selections(initial); ++s) {
    const std::size_t n = code::alternatives(initial, s);
    machine.open(s, starts.first(n));
    starts = starts.subspan(n);
  }
}

}  // namespace kron::simulate
