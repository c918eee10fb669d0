// engine/session/system.hpp: the equation system between flattening and sorting: rows over representatives.
//   reduce()        aliases and exact integer rows out; der(x) = v becomes x's derivative chain
//   reduce_index()  Pantelides, then dummy derivatives: which variables are states, and which sets of them are chosen from at run time
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/model/flat_model.hpp"
#include "engine/session/analysis.hpp"
#include "engine/structure/structure.hpp"

namespace kron::session {

inline constexpr std::uint32_t none = FlatModel::none;

// One scalar equation over representatives. Operands of kind value are roots, each at most once.
struct SystemRow {
  model::FormId form;
  std::uint32_t first = 0, count = 0;
  std::uint32_t origin = 0;      // equation of the flat model; none: of the initialisation alone
  std::uint32_t initial = none;  // initial equation of the flat model
  std::uint32_t times = 0;       // how often it was differentiated
  std::uint32_t previous = none; // the row it is the derivative of
  std::uint32_t next = none;     // its derivative
  std::uint32_t set = none;      // no equation, but the choice of a state of this dynamic set: one of its operands is known
  std::uint32_t slot = 0;        // which of them
  std::uint32_t axes = none;     // of a closing row that is turned: the first slot of their matrix (closings.hpp)
  std::uint64_t key = 0;         // content: form and operand keys; survives edits elsewhere
  std::uint32_t first_column = 0, columns = 0;  // see System::columns
};

// Variables that nothing constrains but `rows`, non-linear in them: so many fewer states than candidates as there are rows, chosen
// at run time.
struct DynamicSet {
  std::vector<std::uint32_t> candidates;       // ascending
  std::vector<std::uint32_t> rows;             // rows that determine the others; without those that give intermediate variables
  std::uint32_t selection = 0, level = 0;      // sets with the same selection choose alike: a variable, its derivative (level + 1), …
  std::uint32_t whole = none;                  // the one of which it is a piece (set_pieces.hpp)
  std::uint32_t states() const { return static_cast<std::uint32_t>(candidates.size() - rows.size()); }
};

// A choice that the user's hints made, or a piece of a set, although the Jacobian is not constant: the rows determine the variables `dependent` from
// `states` where the Jacobian with respect to the former is regular.
struct StateChoice {
  std::vector<SystemRow> rows;                   // as they were derived: which variables are left of them does not matter
  std::vector<std::uint32_t> dependent, states;  // columns of derivatives
  std::vector<std::uint32_t> held;               // of the states those in rows that wishes had a say in: what carries a loop is in none
  std::vector<std::uint32_t> among;  // variables to choose from while the model runs instead; empty: the user insists on his choice
  bool of_pieces = false;            // no hints, but what sets before left to be determined (set_pieces.hpp)
};

// A variable of the flat model, differentiated `shift` times more by index reduction.
struct Member {
  std::uint32_t variable = 0, shift = 0;
};
enum class RelaxedEnd : std::uint8_t { neither, a, b };
struct AliasEdge {
  std::uint32_t a = 0, b = 0, equation = 0;
  RelaxedEnd relaxed{};  // which of the two stands inside relax(…)
};

// Discrete equations in the order in which they are evaluated, and what each gives (discrete.hpp).
struct DiscreteOrder {
  std::vector<std::uint32_t> equation, slot;
};

struct System {
  const FlatModel* flat = nullptr;
  std::shared_ptr<const DiscreteOrder> discrete;  // null: nothing changes at events
  // Variables: those of the flat model, then derivatives that index reduction needed.
  std::vector<Representative> representative;
  std::vector<std::uint8_t> unknown;           // continuous and not given: a column
  std::vector<std::uint32_t> integral;         // of variables ≥ flat slots (index - slots), in terms of variables
  std::vector<std::uint32_t> derivative;       // of roots: the root that is its derivative, or none
  std::vector<std::int8_t> derivative_sign;    // der(x) = sign·root
  std::vector<std::uint32_t> antiderivative;   // of roots: inverse of `derivative`
  std::vector<bool> state;                     // of roots, after reduce_index
  std::vector<bool> dummy;                     // of roots: a derivative that is not integrated
  std::vector<StateChoice> choices;            // those that may become singular
  std::vector<std::string> open_choice;        // Options::open_choice
  std::vector<DynamicSet> sets;
  std::vector<DynamicSet> determined;          // pieces of sets that have no choice once those before them have chosen
  std::vector<std::uint32_t> given;            // candidates of such pieces that the rest gives wherever it has a choice: on the lowest level
  bool undivided = false;                      // sets are to stay whole
  bool by_class = false;                       // sets are to be of the variables of one class of wishes
  bool wished = false;                         // some are of more classes
  std::vector<std::uint32_t> divided;          // candidates of sets that choose one after the other in place of all at once (set_pieces.hpp)
  std::uint32_t selections = 0;
  std::vector<SystemRow> rows;
  std::vector<model::Operand> operands;
  std::vector<Member> members;                 // by operand of kind value: the variable, of the alias set, that the equation names
  std::vector<std::uint32_t> column;           // of the rows, one after the other
  std::vector<AliasEdge> alias_edges;          // equations x = ±y between variables
  std::vector<bool> equation_used;             // by flat equation: aliased away
  std::vector<std::uint32_t> redundant;        // flat equations that others imply: left out
  Diagnostics warnings;                        // of these, told unless a loop is to blame
  Diagnostics open_warnings;                   // of those that say that nothing is connected: no word beside an error that says so
  std::vector<SystemRow> left_out;             // rows that others imply: no part of the system, checked at the start of a run
  std::vector<SystemRow> half_turns;           // those that say no more than that something is not turned by half a turn: likewise
  std::size_t aliases = 0;
  // Rows and unknowns, the highest derivatives, where nothing had to be differentiated; else no rows.
  structure::Incidence regular;
  structure::Matching regular_matching;

  std::size_t variables() const { return representative.size(); }
  std::span<const model::Operand> bound(const SystemRow& r) const { return {operands.data() + r.first, r.count}; }
  std::span<const Member> members_of(const SystemRow& r) const { return {members.data() + r.first, r.count}; }
  bool is_root(std::uint32_t v) const { return representative[v].root.value == v && representative[v].sign != 0; }
  // The row's unknown roots, ascending: occurrences in the computation (marks apart).
  std::span<const std::uint32_t> columns(const SystemRow& r) const { return {column.data() + r.first_column, r.columns}; }
};

// A copy to which start values of so many states can be added in place.
std::shared_ptr<System> with_room(const System&, std::size_t states);
std::string name(const System&, std::uint32_t variable);
std::string name(const System&, std::uint32_t variable, model::Names&);  // of the flat model
std::uint64_t key(const System&, std::uint32_t variable);
std::string label(const System&, const SystemRow&);
Span place(const System&, const SystemRow&);
// Of a start value: given by a modification or `:=`, not by the variable's own declaration.
bool is_modified(const FlatModel&, const model::FlatModel::FlatBinding& start);

// Whether an operand's value does not change in time (parameters, constants, starts).
bool is_constant(const System&, model::Operand);

std::uint32_t chain_base(const System&, std::uint32_t variable);  // the variable it is a derivative of, itself if of none

// p0 + p1 + ..., of so many placeholders, at least one: the row "one of these is known".
model::FormId sum_of(std::uint32_t terms);

// Appends a row with operands put in terms of representatives.
// `members`: of the operands, where they are not the operands' own variables.
void add_row(System&, model::FormId, std::span<const model::Operand>, SystemRow meta, std::span<const Member> members = {});

// `difference`, a - b, of a variable and the start value in slot `start`.
void add_start_row(System&, model::FormId difference, std::uint32_t variable, std::uint32_t start, SystemRow meta);

bool is_empty(const SystemRow&);  // 0 = 0, with the values that its variables have

void find_columns(System&);  // of all rows anew: other variables are unknown now

class KeptAliases;                                       // kept_aliases.hpp
struct LoopRepeats;                                      // redundancy.hpp
class Closings;                                          // closings.hpp
System reduce(const FlatModel&, Diagnostics&, KeptAliases&, const Closings&);
bool reduce_index(System&, Diagnostics&, LoopRepeats&);  // false: structurally singular, diagnosed
void choose_states(System&, Diagnostics&, LoopRepeats&);  // states.cpp; after Pantelides

// Priority of a variable as a state, from its declaration and those of its aliases (largest hint wins).
std::vector<std::uint8_t> state_preferences(const System&);

}  // namespace kron::session
