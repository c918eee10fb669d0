// engine/simulate/events.hpp: what a program's discrete inputs and event roots are.
//   Inputs of kind `discrete`: whether the run is at its start, at its end, whether relations are live, the values of the terms, those of the
//   variables. Live: Newton iterations look at what their unknowns are, as inside noEvent, where with the answers that are held there is no
//   solution. Inputs of kind
//   `pre`: values before the event. They are numbers that hold until the next event; the event roots say what they ought to be.
//   At an event: they are computed from the roots until they stay (the terms and variables with `pre` as it is), then values before the event
//   become the present ones, and so on until nothing changes   [Modelica 3.6, appendix B]
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/source.hpp"

namespace kron::simulate {

struct EventTerm {
  enum class Kind : std::uint8_t {
    relation,  // root > 0 (strict) or root >= 0
    floor,     // the largest integer up to the root
    edge,      // the root, a condition, holds and did not before
    sample,    // a moment root + k * interval, k >= 0; the interval is the next root
    delay,     // which piece of a delayed expression (code/history.hpp) is looked at: that of the time which the root is
    table      // nothing that changes: moments at which slope * time + value passes a row, where a table in time bends
  } kind{};
  static constexpr std::uint32_t none = 0xffffffff;
  bool strict = false;
  bool at_start = false;        // edge: also where the condition holds at the start
  bool matters = true;          // derivatives depend on it
  bool driven = false;          // the root may go there and back within a step: it depends on time not through states alone, or turns with an angle
  std::uint32_t root = 0;       // of Machine::events
  std::uint32_t size = none;    // of a relation or floor: the root that has the size of its terms; rounding is small against it
  std::uint32_t delayed = none; // delay: the root that is the expression now; behind it the largest delay, or 0
  std::uint32_t slope = none;   // of a relation, floor or delay whose root is slope * time + value between events: those are roots, one after the other
  std::uint32_t rows = none, row_count = 0;  // of a table: roots, ascending
  // Of a relation whose answer reaches its own root at the same event: which set of such relations it belongs to (each set needs earlier
  // ones only); the first relation on the same curve, as those of `if s > 1 then … elseif s < -1 then …`; whether the root falls along it.
  std::uint32_t circle = none, curve = none;
  bool falling = false;
};

// For the moment of its change, which is not known.
inline bool is_searched(const EventTerm& x) {
  using Kind = EventTerm::Kind;
  return (x.kind == Kind::relation || x.kind == Kind::floor || x.kind == Kind::delay) && x.slope == EventTerm::none;
}

// Whose value before an event is asked for.
struct Remembered {
  std::uint32_t root = 0;
  bool discrete = true;         // a variable that changes at events only, an input
  bool matters = true;
  bool whole = false;           // an Integer
  bool real = false;
};

struct EventAction {
  enum class Kind : std::uint8_t { reinit, terminate, assertion } kind{};
  std::uint32_t trigger = 0, value = 0;  // roots
  std::uint32_t told = 0;                // so many roots behind the trigger are told with the text
  std::uint32_t state = 0;
  double sign = 1;                       // of the state
};

struct EventModel {
  std::vector<EventTerm> terms;
  std::vector<Remembered> remembered;    // those that are discrete first
  std::size_t variables = 0;             // so many of them
  std::size_t roots = 0;                 // of Machine::events
  std::vector<EventAction> actions;
  bool lives = false;                    // the input `live` has an effect

  static constexpr std::uint32_t initial = 0, terminal = 1, live = 2, first_term = 3;  // places among the discrete inputs
  std::size_t term(std::size_t k) const { return first_term + k; }
  std::size_t variable(std::size_t k) const { return term(terms.size()) + k; }
  std::size_t inputs() const { return variable(variables); }
};

// What events are called, for messages.
struct EventNames {
  struct Named {
    std::string text;
    Span place;
    std::string condition = {};             // of an assertion
    std::vector<std::string> values = {};   // of an action: what is told with its text
  };
  std::function<Named(std::size_t term)> term;
  std::function<Named(std::size_t variable)> variable;
  std::function<Named(std::size_t action)> action;
};

}  // namespace kron::simulate
