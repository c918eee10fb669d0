// engine/code/pieces.hpp: evaluations far from the point accepted last. Private to the room.
//   problem  where states move evenly, as the angle of a crank at constant speed, a step of the integrator is many turns long. Newton's method
//            then comes to any solution: the other assembly of a loop, or angles that have not gone round
//   method   where an angle, a state of which sines and cosines are taken, has gone on by more than 0.75 rad, the point is reached along a
//            straight line in the states, in pieces that are halved until the iterations go on from one to the next
//   cost     nothing where angles move little; else at most 8,000 evaluations
#pragma once
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "engine/code/engine.hpp"

namespace kron::code {

template <class T>
struct Pieces : Engine<T> {
  using Engine<T>::Engine;
  static constexpr double far = 0.75;  // radians

  void set_point(const T& t, std::span<const T> y) {
    const Program& p = *this->program;
    this->reg[p.input_begin[static_cast<std::size_t>(InputKind::time)]] = t;
    const auto states = static_cast<std::size_t>(InputKind::state);
    std::copy_n(y.begin(), std::min<std::size_t>(y.size(), p.input_size[states]),
                this->reg.begin() + p.input_begin[states]);
    leave_point();
    this->leapt = turned(y) > far;
  }
  void leave_point() {
    for (std::size_t i = 0; this->solves && i < this->steps.size(); ++i)
      if (this->program->steps[i].section != parameter_section) this->steps[i].solved = this->steps[i].factored = this->steps[i].contradictory = false;
    this->solves = this->leapt = false;
    evaluated = this->partial = false;
    last_section = dynamic_section;
  }

  // Calls f(plan, state) for each of these Newton steps.
  template <class F>
  void each_iteration(Iterations which, F&& f) {
    for (std::size_t i = 0; i < this->steps.size(); ++i)
      if (is_iterated(this->program->steps[i], which)) f(this->program->steps[i], this->steps[i]);
  }

  // The point of the last accept(), where there are Newton steps.
  struct Anchor {
    T time;
    std::vector<T> states;
    bool holds = false;  // iterations begin with what they found there
  };
  std::optional<Anchor> anchor;
  void drop_anchor() {
    const Program& p = *this->program;
    if (std::none_of(p.steps.begin(), p.steps.end(), [](const StepPlan& plan) { return plan.newton && plan.section != parameter_section; })) return;
    if (!turning) find_turning();
    if (!anchor) anchor.emplace();
    anchor->time = this->time();
    anchor->holds = true;
    const auto first = this->reg.begin() + p.input_begin[static_cast<std::size_t>(InputKind::state)];
    anchor->states.assign(first, first + p.input_size[static_cast<std::size_t>(InputKind::state)]);
  }
  void lift_anchor() {
    if (anchor) anchor->holds = false;
  }
  // States that are angles, by themselves or as values of unknowns.
  std::optional<std::vector<std::uint32_t>> turning;  // once there was an anchor
  void find_turning() {
    const Program& p = *this->program;
    turning.emplace();
    const std::uint32_t first = p.input_begin[static_cast<std::size_t>(InputKind::state)], count = p.input_size[static_cast<std::size_t>(InputKind::state)];
    std::vector<bool> is_angle = this->angles();
    for (const StepPlan& plan : p.steps)  // slots of selections among angles
      for (const StepPlan::Pins& pins : plan.pins)
        if (std::ranges::any_of(pins.column, [&](std::uint32_t c) { return is_angle[plan.unknowns + c]; }))
          for (const Signed slot : pins.value) is_angle[slot.reg()] = true;
    for (std::uint32_t k = 0; k < count; ++k)
      if (is_angle[first + k]) turning->push_back(k);
  }
  // By how much angles have gone on since the last accept(), in radians. Where it is much, solutions may have gone round.
  double turned(std::span<const T> y) const {
    using std::abs;
    double most = 0;
    if (!anchor) return most;
    for (std::uint32_t k : *turning)
      most = std::max(most, static_cast<double>(abs(y[k] - anchor->states[k])));
    return most;
  }
  void keep_solution(std::size_t step) {
    const StepPlan& plan = this->program->steps[step];
    StepState<T>& s = this->steps[step];
    if (plan.newton) {
      std::vector<T> drivers;
      for (const std::uint32_t r : this->drivers()[step]) drivers.push_back(this->reg[r]);
      s.keep(plan, this->time(), std::move(drivers), this->reg.data() + plan.unknowns);
    }
    std::copy_n(this->reg.begin() + plan.unknowns, plan.columns, s.accepted.begin());
    s.has_accepted = true;
  }

  // Evaluates at a point. Where angles have gone far, the point accepted last is left in pieces, each so short that the solution goes on as it was.
  // What was accepted stays as it was.
  template <class F>
  Status evaluate(const T& t, std::span<const T> y, F&& sections) {
    const auto there = [&](const T& time, std::span<const T> states) {
      set_point(time, states);
      return sections();
    };
    const auto is_meant = [](const StepPlan& plan) { return is_iterated(plan, Iterations::of_derivatives); };
    const double angle = turned(y);
    if (!(angle > far) || !anchor->holds || !this->patient || std::ranges::none_of(this->program->steps, is_meant)) return there(t, y);
    const Anchor start = *anchor;
    const double shortest = std::min(1.0 / 256, 0.05 / angle);  // where solutions cross no piece is short enough, but the next one leads on
    constexpr int most = 8000;  // evaluations
    std::vector<Accepted<T>> before;
    each_iteration(Iterations::of_derivatives, [&](const StepPlan&, const StepState<T>& s) { before.push_back(s); });
    const auto restore = [&] {
      std::size_t k = 0;
      each_iteration(Iterations::of_derivatives, [&](const StepPlan&, StepState<T>& s) { static_cast<Accepted<T>&>(s) = before[k++]; });
      anchor = start;
    };
    std::vector<T> at(y.size());
    double from = 0, length = 0.5;
    int jumps = 0;  // over a point that the iteration does not get to
    this->patient = false;
    for (int count = 0; count < most && jumps < 4 && !this->interrupted(); ++count) {
      const double to = std::min(1.0, from + length);
      for (std::size_t i = 0; i < at.size(); ++i) at[i] = to == 1 || i >= start.states.size() ? y[i] : T(start.states[i] + to * (y[i] - start.states[i]));
      const Status status = to == 1 ? there(t, y) : there(T(start.time + to * (t - start.time)), at);
      if (status != Status::ok || (this->leapt && length >= shortest)) {
        const bool in_vain = length < shortest;
        jumps += in_vain;
        length *= in_vain ? 3.7 : 0.47;
        continue;
      }
      if (to == 1) {
        this->patient = true;
        restore();
        return status;
      }
      for (std::size_t i = 0; i < this->steps.size(); ++i)
        if (this->steps[i].solved && is_meant(this->program->steps[i])) keep_solution(i);
      drop_anchor();
      from = to;
      length *= 2;
      jumps = 0;
    }
    this->patient = true;
    restore();
    return there(t, y);
  }

  bool evaluated = false;  // the dynamic section holds the values at the point set last
  std::uint32_t last_section = dynamic_section;  // that holds values at that point, but for registers of machine code
};

}  // namespace kron::code
