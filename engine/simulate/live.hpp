// engine/simulate/live.hpp: evaluations where the answers that relations are held at have no solution or no number, as those of
//   `if h > 0 then sqrt(h) else 0` at a trial point of a step beyond the moment at which h gets to 0. Private to the room.
#pragma once
#include <functional>
#include <span>

#include "engine/code/program.hpp"
#include "engine/simulate/events.hpp"

namespace kron::simulate {

// With live relations. False: they never are, or it cannot be evaluated so either.
template <class T, class F>
bool evaluate_live(const EventModel& m, code::Machine<T>& machine, F&& evaluate) {
  if (!m.lives) return false;
  machine.inputs(code::InputKind::discrete)[EventModel::live] = 1;
  const bool good = evaluate();
  machine.inputs(code::InputKind::discrete)[EventModel::live] = 0;
  return good;
}

// With live relations and with the answers that the roots at (t, y) ask for; the machine's inputs are afterwards what they were. False: `evaluate`
// was false with all of these.
bool evaluate_beyond(const EventModel&, code::Machine<double>&, double t, std::span<const double> y, const std::function<bool()>& evaluate);

}  // namespace kron::simulate
