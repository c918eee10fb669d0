// engine/simulate/delays.hpp: the past of delayed expressions during a run. Private to the room.
//   Behind each accepted step every expression is put down as polynomials of degree 4 through its values at five Lobatto points; where a sixth point says that they
//   are further off than the run's tolerance, in halves. So what is looked up later is as good as the run is, whatever the integrator's steps.
//   A new piece begins where an expression jumps, and for the kinks that follow from it where its own delays arrive, up to `most_generations` (each
//   delay makes a jump in the n-th derivative one in the n + 1-st   [Bellen, Zennaro 2003, section 2.1]).
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/code/history.hpp"
#include "engine/simulate/events.hpp"

namespace kron::simulate {

struct Problem;
bool has_delays(const Problem&);

class Delays {
 public:
  static constexpr unsigned most_generations = 5;
  Delays(const EventModel&, double tolerance);

  const std::shared_ptr<code::History>& history() const { return history_; }
  double first_place(std::size_t term) const { return static_cast<double>(function_[term]); }
  // The inputs and roots are those of the event model. What the input of a delay has to be right behind t; when it changes next, where time decides
  // that; how far outside of its piece a root is, negative inside.
  double place(std::size_t term, double t, std::span<const double> roots, double now) const;
  double moment(std::size_t term, std::span<const double> roots, double now) const;
  double beyond(std::size_t term, double root, double now) const;

  // No step may be longer; infinity where no delay is known before the run.
  double shortest() const { return shortest_; }
  struct Fault {
    std::size_t term = 0;
    std::string message;
  };
  std::optional<Fault> fault(double t, std::span<const double> roots) const;  // a delay out of its range

  void begin(double t, std::span<const double> roots);  // with a guess of what the expressions were before t
  // What is taken for the expressions' values before t, and their present values: the same in the end.
  const std::vector<double>& before() const { return before_; }
  std::vector<double> present(std::span<const double> roots) const;
  void set_before(double t, std::span<const double> values);
  // Whether they are the values before, each to its own last digits.
  bool settled(std::span<const double> present) const;
  // Whether all are to within what rounding makes of the largest where they follow from each other, solved for.
  bool nearly_settled(std::span<const double> present) const;

  using Roots = std::function<std::span<const double>(double t)>;
  void record(double from, double to, const Roots&);
  // At an event: new pieces for what jumps, and with `generation` for all.
  void begin_pieces(double t, std::span<const double> left, std::span<const double> right, std::optional<unsigned> generation);
  unsigned generation(std::size_t term, double place) const;

 private:
  std::size_t count() const { return terms_.size(); }
  void widen(std::size_t f, double value);

  const EventModel& m_;
  double tolerance_, shortest_;
  std::vector<std::size_t> terms_, function_;  // by function: the term; by term: the function
  std::shared_ptr<code::History> history_;
  std::vector<double> before_, scale_;         // by function: the value before the start; the largest so far
};

}  // namespace kron::simulate
