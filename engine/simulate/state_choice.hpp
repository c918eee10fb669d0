// engine/simulate/state_choice.hpp: watches a fixed choice of states whose constraints are non-linear in them.
//   problem   at points where the constraints do not determine the dependent variables from the chosen states (a pendulum's
//             x where it hangs level) Newton's method turns back on the branch it came from: a wrong trajectory, and no step
//             fails
//   measure   Problem::regularity, of pieces of sets code::Machine::regularity, in [0, 1]: 1 where the dependent variables do not depend on the states, falling to
//             0 in proportion to the distance from a singular point
//             of what pieces of sets leave no choice it is no more than that, as the candidates before are not free to move each as it may:
//             where it is small the rates of the determined variables by those of the states tell (confirm). What the rest gives
//             wherever it has a choice is measured by these rates alone, in one direction
//   method    the regularity at the end of each accepted step. Where its slope would bring it near zero within the next
//             step, that step is sampled: a smooth one does not fall to a quarter and rise again between two steps
//   cost      one evaluation of the outputs for each step, in models with such a choice only; two where one is measured by rates
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "engine/simulate/simulate.hpp"

namespace kron::simulate {

class ChoiceWatch {
 public:
  ChoiceWatch(const Problem&, double tolerance, std::span<const double> free_values,
              std::span<const double> iterations,   // of Problem::iteration_starts
              std::span<const double> candidates);  // of dynamic sets at the start: of the lowest levels

  // A step to t was accepted (the first call: the start). The time at which a choice was singular in it.
  std::optional<double> step(double t, std::span<const double> y, std::span<const std::uint32_t> choice);
  // Tells of the choice that step() found singular, or is so near to it that a failure has this cause. False: none is.
  bool explain(double t, Trouble&) const;

 private:
  struct Seen {
    double now = 1, slope = 0;  // regularity at time_, its slope over the step before
  };
  bool evaluate(double t, std::span<const double> y);
  void measure(double t, std::span<const double> y, std::span<double> result);
  struct Falling {
    std::size_t choice = 0;
    double least = 0, when = 0;  // regularity in the step
  };
  std::optional<double> sample(double t, std::span<const double> y);
  bool confirm(const StateChoice&, double t, std::span<const double> y);
  bool move(double t, std::span<const double> y, std::size_t direction, std::size_t directions, std::vector<double>& change);

  const Problem& problem_;
  code::Machine<double> machine_;
  std::vector<double> outputs_, before_, slope_before_, slope_after_, point_, inner_;  // states and their slopes at the step's ends; before_: or none
  std::vector<double> free_values_;
  std::vector<Seen> seen_;
  std::vector<double> now_, sampled_;  // regularity, by choice
  std::vector<std::uint32_t> speeds_;       // states that are rates of others
  std::vector<std::vector<double>> moves_;  // changes of the outputs with the rates of the states, by direction; of the step looked at
  std::vector<double> move_, kept_;         // the same, of measure(); outputs at the point
  std::vector<Falling> falling_;
  std::optional<double> time_;
  std::optional<std::size_t> singular_;
};

}  // namespace kron::simulate
