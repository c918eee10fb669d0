// engine/simulate/event_loop.hpp: events of a run: where they are, and what happens there.
//   State events are found behind each accepted step and located on its interpolant to the resolution of time; moments that only time and discrete
//   numbers decide are computed, and integrators step to them exactly. Private to the room.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/code/program.hpp"
#include "engine/simulate/delays.hpp"
#include "engine/simulate/live.hpp"
#include "engine/simulate/simulate.hpp"

namespace kron::simulate {

struct Run;

template <class T>
const T infinity = std::numeric_limits<T>::infinity();
template <class T>
const T epsilon = std::numeric_limits<T>::epsilon();

// Moments that differ by the rounding of how they were computed are one.
template <class T>
bool reached(const T& moment, const T& t) {
  using std::fabs;
  return moment <= t + 16 * std::numeric_limits<T>::epsilon() * std::max<T>(fabs(t), fabs(moment));
}

template <class T>
bool same(const T& a, const T& b) {
  using std::isnan;
  return a == b || (isnan(a) && isnan(b));
}

// `T`: double, or one of the types of precision.hpp. Messages and what is put down are in doubles.
template <class T>
class EventLoopOf {
 public:
  EventLoopOf(Run&, code::Machine<T>&);

  // Values of the discrete inputs before the start, for the initial program.
  template <class U>
  void load(code::Machine<U>&) const;
  using Assemble = std::function<bool(std::vector<T>&)>;
  // The start: `assemble` gives the states for the inputs as they are. False: run.result.trouble says why.
  bool start(std::vector<T>& y, const Assemble& assemble);

  const T& limit() const { return limit_; }  // the next moment that is known, or the run's stop
  bool searches() const { return searches_; }
  double shortest_delay() const { return delays_ ? delays_->shortest() : std::numeric_limits<double>::infinity(); }  // no step may be longer

  // y(t) inside the step that was taken last.
  using At = std::function<void(const T& t, std::span<T> y)>;
  // The first moment in (from, to] at which a relation no longer is what it was. No value: there is none. `closer`, or none: y(t) where y in its fast
  // components is nearer to what the equations say (Cvode::bring_back); asked for where that decides.
  std::optional<T> find(const T& from, const T& to, std::span<const T> y, const At&, const At& closer = {});
  // Whether the event that was found last, at t in a step from `from`, is one that errors of the states may have made. Then they are
  // integrated closer, for a while or, where the equations amplify errors, to the end, and the step is to be repeated; or, where doubles
  // do not let them, answers stay until what is left of errors does not explain the event, and the step is to be looked at again.
  enum class Verdict : std::uint8_t { real, repeat, look_again };
  Verdict verdict(const T& from, const T& t, const At&);
  // Where the states cannot be integrated so closely. False: they are not for now.
  bool relent(bool for_good = true);
  void calm_down();  // after a step without an event: the states need not be integrated closer any more
  bool found_closer() const { return found_closer_; }  // by `closer`, elsewhere than without it

  // Puts down what delayed expressions are in an accepted step, or the part of it before an event. A delay out of its range is the run's trouble.
  void remember_delayed(const T& from, const T& to, std::size_t states, const At&);

  enum class Next : std::uint8_t { go_on, restart, ended };
  // The event at t, the states being y on its left side; puts both sides down. restart: the integrator starts anew from y.
  Next handle(const T& t, std::vector<T>& y);
  Next finish(const T& t, std::vector<T>& y);  // the end of the run: terminal()
  bool terminated() const { return terminated_; }  // by the model
  std::vector<std::string> changed_at(double t) const;  // what an event changed at t, where the run ends for what it led to

 private:
  enum class Stay : std::uint8_t { yes, no, failed };
  bool evaluate(const T& t, std::span<const T> y);  // the roots, at an event
  bool evaluate(code::Machine<T>&, const T& t, std::span<const T> y);
  bool evaluate_anew(const T& t, std::span<const T> y);  // with other inputs than before, as they are held
  bool assembled(const T& t, std::vector<T>& y);
  std::size_t states() const;
  code::Machine<T>& form() const;
  void put_down(const T& t, const std::vector<T>& y);  // a point
  void complain(const T& t, const std::vector<T>& y, Trouble::Kind, std::string message);
  void propose(const T& t);                            // new_ from the roots
  std::optional<T> first_event(const T& from, const T& to, std::span<const T> y, const At&, const At& closer);
  Stay settle(const T& t, std::vector<T>& y);     // inputs and roots agree, with `pre` as it is
  Stay agree(const T& t, std::vector<T>& y);
  bool meet(const T& t, std::vector<T>& y, std::vector<T>& near);
  Stay search(const T& t, std::vector<T>& y);     // combinations, one after the other
  bool search(const T& t, std::vector<T>& y, std::span<const std::size_t> circle, const std::vector<bool>& fixed);
  bool wander(const T& t, std::vector<T>& y, std::span<const std::size_t> circle, const std::vector<bool>& fixed);
  bool enumerate(const T& t, std::vector<T>& y, std::span<const std::size_t> circle, std::span<const std::size_t> curves, const std::vector<T>& before);
  bool consistent(const T& t, std::vector<T>& y, const std::vector<bool>& fixed);
  bool contradicts(std::size_t k) const;
  std::size_t curve(std::size_t k) const { return m_.terms[k].curve == EventTerm::none ? k : m_.terms[k].curve; }
  bool fits() const;                                   // nothing contradicts
  bool close(std::size_t k) const;
  Stay accept();
  Stay prefer_regular(const T& t, std::vector<T>& y);
  Stay change_least(const T& t, std::vector<T>& y, const std::vector<T>& before);
  bool flickers() const;
  Stay look_ahead(const T& t, std::vector<T>& y);
  bool iterate(const T& t, std::vector<T>& y);
  std::optional<bool> act(const T& t, std::vector<T>& y);
  std::string farewell(std::size_t action) const;
  void broken(std::size_t action, const T& t);
  bool remember();
  void recall();
  T relation(std::size_t k, const T& t) const;
  T floor(std::size_t k, const T& t) const;
  struct Sample {
    T t{};
    std::vector<T> values;  // of the roots
  };
  struct Bracket {
    Sample from, to;
    bool known = true;  // to.values
  };
  using Look = std::function<bool(const T& t)>;  // evaluates the roots
  using Feel = std::function<void(const T& t)>;
  std::optional<Bracket> first_change(const Bracket& step, const Look&, const Feel&);
  bool unresolved(const Sample& from, const Sample& middle, const Sample& to, const Sample& witness) const;
  std::size_t side(std::size_t k) const { return m_.terms[k].circle != EventTerm::none && input_[m_.term(k)] != 0 ? 1 : 0; }
  const T& scale(std::size_t k) const { return scale_[k][side(k)]; }
  // An answer that rounding contradicts was taken for the event before: what is no more than that is none.
  T tolerance(std::size_t k) const {
    const T of_terms = (accepted_[k] ? 2 * doubt : noise) * std::numeric_limits<T>::epsilon() * std::max(scale(k), T(least_scale));
    return std::max({of_terms, T(felt * felt_[k]), unheeded_[k], margin_[k]});
  }
  void feel(code::Machine<T>&, const T& t, std::span<const T> y);
  void feel_anew(const T& t, std::span<const T> y);
  void note_felt(const std::vector<T>& before);
  void feel_parameters(const T& t, std::span<const T> y);
  bool crossed(std::size_t k, const T& value, const T& level) const;
  bool any_crossed(std::span<const T> values) const;
  T moment(std::size_t k) const;                // of a term that time decides: when it changes next
  T next_row(std::size_t k, const T& t) const;
  Stay settle_past(const T& t, std::vector<T>& y);  // and values before the start
  bool delays_hold(const T& t);
  void plan(const T& t);
  bool sample(const T& t);  // sets those whose moment it is
  std::vector<T> moved_by_errors(const T& t, const At&);
  bool sharpen(unsigned& times);
  bool is_amplified(std::size_t k) const;
  void note_rounding(const T& from, const T& t, const At&);
  void set_sharpness();
  void watch_returns(const T& t, const std::vector<T>& left, const std::vector<T>& y, const std::vector<T>& before, bool set_anew, bool turned);
  void put_mode();
  bool chatters(const T& t, std::span<const std::size_t> pointed);
  void store();                                      // inputs into the machine
  bool no_combination(const T& t);
  using Namer = std::function<EventNames::Named(std::size_t)>;
  void accuse(const T& t, Trouble::Kind, std::string message, const Namer&, std::span<const std::size_t> list, std::size_t most = 8);

  // Of a relation's terms, in units of the last place: what makes no event, and what need not contradict an answer. Where everything starts
  // at 0 the sizes met so far are rounding errors, too.
  static constexpr double noise = 500, doubt = 5e4, least_scale = 1e-12;
  static constexpr double felt = 30;                 // and in units of felt_
  static constexpr double digits = 4;                // units of the last place by which states are moved for felt_

  Run& run_;
  code::Machine<T>& machine_;
  const EventModel& m_;
  std::optional<Delays> delays_;                     // in doubles only
  std::vector<T> input_, pre_, new_, roots_, left_;
  std::vector<T> before_event_;                      // inputs before the last event, at event_time_
  T event_time_ = -std::numeric_limits<T>::infinity();
  std::vector<bool> accepted_;                       // by term: an answer that rounding contradicts was taken at this event
  bool by_live_ = false;                             // the last evaluation needed live relations
  bool known_ = false;                               // the last evaluation gave roots, if not all are numbers
  std::vector<bool> held_;                           // by term: an edge's condition before the event
  std::vector<std::uint64_t> samples_;               // by term: moments gone by
  std::vector<std::array<T, 2>> scale_;         // by term: largest value of its root so far; in circles for either answer: a diode's is a voltage or a current
  std::vector<T> felt_;                         // by term: largest change of its root by roundings of time and states, in this combination
  std::vector<T> swing_;                        // by term: largest value of its root where the step of the last event begins and ends
  std::vector<T> margin_;                       // by term: its root has to get beyond this, as the states cannot be integrated closer
  std::vector<T> open_until_;                   // by term: so long errors leave open whether it has changed
  std::vector<T> unheeded_;                     // by term: its root has to get beyond this, as the last event did not change what contradicts it
  std::vector<T> excursion_;                    // by term: largest value of its root since it changed
  std::vector<std::size_t> idle_;                    // by term: how often it changed there and back within rounding
  std::vector<double> pace_, clearest_;              // by state: how fast it moves around events, and the least tolerance at which rounding of time is not to be seen
  unsigned kept_ = 0, sharpened_ = 0;                // so many times the states are integrated closer than the tolerance asks for: to the end, for now
  std::size_t quiet_ = 0, patience_ = 50;            // steps without an event since the last time, and how many of them let it end
  unsigned tried_ = 0;                               // of those times, for the present step
  std::vector<std::size_t> doubtful_;                // terms for which they are so now
  std::vector<bool> in_vain_;                        // by term: the states could not be integrated closer, or it did not help
  bool relented_ = false;                            // they did once
  bool repeated_ = false;                            // the step: it begins with errors that were too large
  std::vector<bool> resets_;                         // by term: it changed where an event set states anew, as at an impact
  std::vector<bool> at_rest_;                        // by term: its root is 0 from some moment of the step on
  bool looked_ahead_ = false;                        // at this event
  std::vector<std::size_t> unmoved_;                 // by term: how often, since it changed last, it was found to change and did not
  struct Left {
    T time{};
    std::vector<T> answers;
  };
  std::array<Left, 8> lately_;                       // combinations that were left lately, when
  std::size_t next_left_ = 0;
  struct Changes {
    T last = -std::numeric_limits<T>::infinity(), gap = std::numeric_limits<T>::infinity();  // the time before the last one
    std::size_t shrinking = 0;                       // so many gaps were shorter than the one before
  };
  std::vector<std::array<Changes, 2>> changes_;      // by term, to false and to true
  std::vector<std::size_t> changed_;                 // by term: how often lately
  std::vector<std::size_t> varied_;                  // by discrete variable: the same
  Assemble assemble_;
  bool found_closer_ = false;
  bool searches_ = false, driven_ = false, terminated_ = false;
  T start_, stop_, limit_, left_time_;
  std::vector<T> recent_;                       // times of the last events
  std::size_t next_recent_ = 0;
  std::vector<std::size_t> restless_;                // variables that the last round of the iteration changed
  std::vector<std::size_t> pointed_;                 // terms that the last event that was found should have changed
  std::vector<std::size_t> restless_terms_;          // edges that it changed
  std::vector<T> returns_since_;                // by term: when an event turned its operands round, so that it will be what it was; or minus infinity
  std::optional<std::size_t> lost_;                  // a term that did not, as the way there and back was too short to be seen
  std::vector<std::size_t> blame_;                   // terms that changed at the present event
};
using EventLoop = EventLoopOf<double>;

}  // namespace kron::simulate
