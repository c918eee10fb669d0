// engine/session/event_dependence.hpp: on what event roots depend, and what depends on them.
#pragma once
#include <span>

#include "engine/code/tape.hpp"
#include "engine/simulate/events.hpp"

namespace kron::session {

// Which roots may change there and back within a step, unseen by step control: those that time reaches on a way without states (unknowns of
// Newton steps count as reached), and those that turn with an angle.
void find_driven(const code::Builder&, std::span<const code::Ref> roots, simulate::EventModel&);

// Which relations depend on their own answers, alone or in circles, and on which curves they are borders.
void find_circles(const code::Builder&, std::span<const code::Ref> roots, simulate::EventModel&);

}  // namespace kron::session
