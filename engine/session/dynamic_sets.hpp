// engine/session/dynamic_sets.hpp: dynamic sets as the system keeps them: their order, and the rows that stand for what is chosen.
#pragma once
#include "engine/session/system.hpp"

namespace kron::session {

// By level and candidates; selections numbered in that order.
void order_sets(System&);

// A row for each state of a set that stands for "one of the candidates is known": what sorting needs to know of it. They come last.
void add_choice_rows(System&);

// Sets whose rows were replaced by others that hold fewer variables: candidates that no row asks for are states, those that rows determine
// are none, and what hangs together is a set. With new rows for the choices. False: the rows do not give what is to be computed; the
// system is left as it comes.
bool settle_sets(System&);

}  // namespace kron::session
