// engine/simulate/rough_places.hpp: places where the derivatives are rounding errors, and steps over them. Private to the room.
//   problem   at a singular position (the rods of a loop in one line) what constraints give is a quotient of two numbers that go to zero
//             together. The motion is smooth there, but in a zone around it the computed derivatives are not, and an error test that meets
//             the zone asks for shorter and shorter steps that come nearer and nearer, without end
//   measure   of an attempt whose error is surprising the stages are computed again, on both sides of where they were. The second
//             difference of what is smooth is nothing so near; where it makes a good part of the error no shorter step helps. A model that
//             jumps, or has a narrow pulse, jumps in few places, and keeps its short steps
//   method    the place is inside the step, where the stages are rough. The step is shortened such that the next one, or this one, has it in
//             the widest gap between stages, from 0.3 to 0.8 of its length. What is accepted has passed the usual test of its error
//   ends      after a few such steps the usual control goes on; if it does not get away from the place either, the run ends there
//   ahead     rounding errors below what the test asks for stay in the run, and the third stage has a hundred times more weight in a step
//             than in the test. So what may become rough is passed over before it does: where a pivot of a Jacobian goes to zero, as it
//             does linearly in time, steps are made to have that place in the gap
//   beside    a step after an event cannot have the place in its gap where the event stands in the zone: its first derivatives are extrapolated
//             from points ahead. Where even what the event reads would be noise, it is taken a little later. A step that would have to end at
//             such a place, as a moment is known before, goes on beyond it; what counts of it ends there
#pragma once
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "engine/simulate/lanes.hpp"

namespace kron::simulate::dormand_prince {

using Roughness = std::array<double, stages>;  // by stage: h times the second difference, in units of the error allowed

inline constexpr const char* rough_place = "the derivatives are rounding errors there, as at a singular position";

// h times the second difference of the derivatives near (t, y), where they are `slope`, in units of the error allowed. Nothing where they cannot
// be computed.
std::optional<double> roughness_at(Run&, double t, double h, std::span<const double> y, std::span<const double> slope);

// Whether the derivatives there are rounding errors and nothing else, which count in steps of about h, or cannot be computed.
bool is_noise(Run&, double t, double h, std::span<const double> y);

// The derivatives at (t, y) before steps of about h, where those computed there, `slope`, are rounding errors: from points ahead, at which
// they are none.
std::optional<std::vector<double>> slope_from_ahead(Run&, double t, double h, std::span<const double> y, std::span<const double> slope);

// The singular position towards which pivots of Newton's Jacobians go.
class SingularAhead {
 public:
  // The point at t was accepted and has these pivots.
  void accepted(double t, std::span<const double> pivots);
  void forget();  // what was accepted before: pivots may leap here
  // How long to make a step from t in place of `usual`: after an accepted one, or for another attempt, which is no longer.
  double after(double t, double usual);
  double again(double t, double usual) const { return fitted(t, usual, 1); }

 private:
  double fitted(double t, double usual, double most) const;

  double wish_ = 0;  // of the step that was shortened
  double time_ = 0, earlier_ = 0, place_ = std::numeric_limits<double>::infinity();
  std::vector<double> before_, now_, places_;  // places_: by pivot, where it goes to zero
};

class RoughPlaces {
 public:
  static constexpr double surprising = 4;  // errors above come from what the steps before did not show
  // An attempt at [t, t + h] had this error. How long to make the next one, where the place is rough.
  std::optional<double> length(double t, double h, double error, const Roughness&);
  bool hopeless() const { return met_ > most_tries && steps_ > most_steps; }
  // The length of the step after one that was accepted and ended at t; `usual`: what the control of errors says.
  double next(double t, double usual);
  bool passes() const { return passes_; }  // that step passes over a place

 private:
  static constexpr unsigned most_tries = 6, most_steps = 100;
  std::optional<double> after_;  // the step that passes over the place
  bool passes_ = false;
  double left_behind_ = 0;       // time: beyond it, another place
  unsigned met_ = 0, steps_ = 0;  // failures of this kind, and steps, in this place
};

}  // namespace kron::simulate::dormand_prince
