// engine/session/redundancy.hpp: loops of over-determined connectors (frames of bodies) that hold more than they need, as a plane loop in
// space does: equations that close them say what others say already, and some of the flows in the loop are open instead.
//   in      a reduced system whose rows and columns do not match
//   out     true: closing rows that are too many are in `left_out` (a run checks at its start that they hold), and as many flows as
//           rows went, here and in reduce(), are set to zero. Says so in a note
//   method  rows that close no loop are matched first, then the closing ones where they fit; what passes the closing connections is
//           offered as known, one after another, as long as columns are free. Structure does not tell which of the rows repeat others in a
//           plane that is no coordinate plane: singular blocks do, row after row
#pragma once
#include "engine/session/closing_rates.hpp"
#include "engine/session/closings.hpp"
#include "engine/session/system.hpp"

namespace kron::session {

// What a block told that is singular for all values although its structure is not: rows of loops that follow from others, by flat equation.
struct LoopRepeats {
  std::vector<std::uint32_t> leave_out;   // rather than others
  std::vector<std::uint32_t> candidates;  // of which one is to go, too: the first one that the structure can spare moves to `leave_out`
  Closings closings;
  ClosingRates rates;                     // of what settle_redundancy looked at last
  const Bindings* bindings = nullptr;     // with what closings are looked at by numbers
  const Overrides* numbers = nullptr;
};
bool settle_redundancy(System&, Diagnostics&, LoopRepeats&);

// Of rows that depend on each other, those that settle_redundancy may leave out; best first: closing ones, of a vector that of which the others
// tell more, then those whose coefficients do not vary. Empty where no loop is settled.
std::vector<std::uint32_t> spare_rows(const System&, const LoopRepeats&, const std::vector<std::uint32_t>& rows);

}  // namespace kron::session
