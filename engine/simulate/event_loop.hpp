// engine/simulate/event_loop.hpp: events of a run: where they are, and what happens there.
//   State events are found behind each accepted step and located on its interpolant to the resolution of time; moments that only time and discrete
//   numbers decide are computed, and integrators step to them exactly. Private to the room.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/code/program.hpp"
#include "engine/simulate/simulate.hpp"

namespace kron::simulate {

struct Run;

bool is_searched(const EventTerm&);  // for its change; the moment is not known

class EventLoop {
 public:
  explicit EventLoop(Run&);

  // Values of the discrete inputs before the start, for the initial program.
  void load(code::Machine<double>&) const;
  // The start: `assemble` gives the states for the inputs as they are. False: run.result.trouble says why.
  bool start(std::vector<double>& y, const std::function<bool(std::vector<double>&)>& assemble);

  double limit() const { return limit_; }  // the next moment that is known, or the run's stop
  bool searches() const { return searches_; }

  // y(t) inside the step that was taken last.
  using At = std::function<void(double t, std::span<double> y)>;
  // The first moment in (from, to] at which a relation no longer is what it was. No value: there is none.
  std::optional<double> find(double from, double to, std::span<const double> y, const At&);

  enum class Next : std::uint8_t { go_on, restart, ended };
  // The event at t, the states being y on its left side; puts both sides down. restart: the integrator starts anew from y.
  Next handle(double t, std::vector<double>& y);
  Next finish(double t, std::vector<double>& y);  // the end of the run: terminal()

 private:
  enum class Stay : std::uint8_t { yes, no, failed };
  bool evaluate(double t, std::span<const double> y);  // the roots, at an event
  bool evaluate(code::Machine<double>&, double t, std::span<const double> y);
  std::size_t states() const;
  const code::Failure& failure() const;
  void propose(double t);                            // new_ from the roots
  Stay settle(double t, std::vector<double>& y);     // inputs and roots agree, with `pre` as it is
  Stay search(double t, std::vector<double>& y);     // combinations, one after the other
  bool consistent(double t, std::vector<double>& y, const std::vector<bool>& fixed);
  bool contradicts(std::size_t k) const;
  bool close(std::size_t k) const;
  Stay accept();
  bool iterate(double t, std::vector<double>& y);
  bool act(std::vector<double>& y);
  bool remember();
  double relation(std::size_t k, double t) const;
  double floor(std::size_t k, double t) const;
  double tolerance(std::size_t k) const;
  bool crossed(std::size_t k, double value, double level) const;
  bool any_crossed(std::span<const double> values) const;
  double moment(std::size_t k) const;                // of a term that time decides: when it changes next
  void plan(double t);
  void put_mode();
  bool chatters(double t);
  void store();                                      // inputs into the machine
  bool no_combination(double t);
  using Namer = std::function<EventNames::Named(std::size_t)>;
  void accuse(double t, Trouble::Kind, std::string message, const Namer&, std::span<const std::size_t> list, std::size_t most = 8);

  Run& run_;
  const EventModel& m_;
  std::vector<double> input_, pre_, new_, roots_, left_, middle_;
  std::vector<bool> accepted_;                       // by term: an answer that rounding contradicts was taken at this event
  bool known_ = false;                               // the last evaluation gave roots, if not all are numbers
  std::vector<bool> held_;                           // by term: an edge's condition before the event
  std::vector<std::uint64_t> samples_;               // by term: moments gone by
  std::vector<double> scale_;                        // by term: largest value of its root so far
  std::vector<std::size_t> changed_;                 // by term: how often lately
  std::function<bool(std::vector<double>&)> assemble_;
  bool searches_ = false, terminated_ = false;
  double limit_ = 0, left_time_ = 0;
  std::vector<double> recent_;                       // times of the last events
  std::size_t next_recent_ = 0;
  std::vector<std::size_t> restless_;                // variables that the last round of the iteration changed
  std::vector<std::size_t> blame_;                   // terms that changed at the present event
};

}  // namespace kron::simulate
