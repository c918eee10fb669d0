// engine/session/dynamic_sets.hpp: dynamic sets as the system keeps them: their order, and the rows that stand for what is chosen.
#pragma once
#include <functional>

#include "engine/session/system.hpp"

namespace kron::session {

// Rows of the part with more columns than rows, by connected component over its columns.
std::vector<std::vector<std::uint32_t>> free_components(const structure::Incidence&, const structure::Parts&);

// Pieces of one set as that again, the others as they are.
std::vector<DynamicSet> merged_sets(const std::vector<DynamicSet>&);

// By level and candidates; selections numbered in that order.
void order_sets(System&);

// A row for each state of a set that stands for "one of the candidates is known": what sorting needs to know of it. They come last.
void add_choice_rows(System&);

// Whether the same is chosen with sets in pieces, some of them without a choice, and with whole ones.
bool chosen_alike(const System& pieces, const System& whole);

// Pieces without a choice are no sets from here on, but System::determined.
void settle_determined(System&);

// Sets after rows were replaced by others that hold fewer variables. Which rows are theirs is looked for anew among those that `may_be_theirs`
// and what is left of theirs: so many with the same orders of differentiation as before (`times`, by set). Candidates that no row asks for are
// states then, those that rows determine are none, and what hangs together is a set. With new rows for the choices. False: the rows do not give
// what is to be computed; the system is left as it comes.
bool settle_sets(System&, const std::vector<std::vector<std::uint32_t>>& times, const std::function<bool(const SystemRow&)>& may_be_theirs);

}  // namespace kron::session
