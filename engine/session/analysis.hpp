// engine/session/analysis.hpp: everything the engine knows about a model, stage by stage, each printable.
//   analyse() runs the line of docs/architecture.md: flatten, reduce, match, sort, solve, emit, compile.
#pragma once
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/base/helper.hpp"
#include "engine/base/small.hpp"
#include "engine/code/program.hpp"
#include "engine/model/flat_model.hpp"
#include "engine/session/in_time.hpp"
#include "engine/simulate/events.hpp"
#include "engine/simulate/simulate.hpp"

namespace kron::session {

using model::EqId;
using model::FlatModel;
using model::VarId;

// How a variable stands after reduction.
struct Representative {
  VarId root;             // itself, or the variable it is an alias of
  std::int8_t sign = 1;   // 0: the variable is the constant below
  std::int64_t constant = 0;
};

enum class BlockKind : std::uint8_t { explicit_, linear, nonlinear };
enum class SolveMethod : std::uint8_t { assign, relaxed, torn, automatic, dense, sparse, newton };
std::string_view to_text(BlockKind);
std::string_view to_text(SolveMethod);

struct OrderingTried {
  std::string name;
  std::size_t mul = 0, add = 0, div = 0, core = 0;
  std::string rejected;   // why, or empty
};

// A row of a block where it is no plain equation of the model.
struct BlockRow {
  std::uint32_t times = 0;                   // how often it was differentiated
  std::uint32_t initial = FlatModel::none;   // the initial equation that it is
  std::uint32_t set = FlatModel::none, slot = 0;  // the choice of a state
  std::uint32_t variable = FlatModel::none;  // whose start value or binding it is
};

// Positions of an equation and an unknown in a block.
struct Pivot {
  std::uint32_t equation = 0, unknown = 0;
};

// How equations are solved, where that is not by one assignment.
struct Solving {
  std::string ordering;                 // "", "natural", "markowitz", "ladder", …
  std::vector<VarId> torn;
  std::vector<std::uint32_t> residues;  // positions in Block::equations
  std::vector<VarId> relaxed;
  std::vector<Pivot> pivots;            // in elimination order
  std::vector<std::pair<VarId, VarId>> followers;  // unknowns of blocks behind this one that its rows know by one of its own (followers.hpp)
  std::uint32_t core = 0;
  std::uint32_t guards = 0;             // divisors watched while the code runs
  std::vector<OrderingTried> tried;
};

enum class BlockSection : std::uint8_t { none, parameter, dynamic, output };  // none: of the initialisation problem
std::string_view to_text(BlockSection);

// Small, as nearly all blocks of a large model are one assignment.
struct Block {
  BlockKind kind{};
  SolveMethod method{};
  BlockSection section{};
  bool initial = false;                 // of the initialisation problem
  Small<EqId, 1> equations;             // ascending; of a differentiated equation: the one it comes from
  Small<VarId, 1> unknowns;             // ascending (representatives)
  Small<BlockRow, 1> rows;              // of the equations; empty: all are plain
  std::uint64_t key = 0;                // fingerprint of rows, unknowns and hints
  std::shared_ptr<const Solving> solving;  // null: one assignment
  const Solving& how() const;
};

struct State {
  VarId variable;
  std::uint32_t start_slot = FlatModel::none;  // whose start value counts; none: zero
  std::int8_t start_sign = 1;
  bool fixed = false;                   // by the user; otherwise its start value was taken to complete the initial conditions
  int set = -1;                         // index into Analysis::sets, or -1
};

// Of `candidates`, `slots` are states, chosen while the model runs. The states stand from `first` on in Analysis::states.
struct StateSet {
  std::vector<VarId> candidates;
  std::uint32_t slots = 0, first = 0, selection = 0, level = 0;
  std::string because;                  // the constraint whose Jacobian varies
};

// An assertion of the flat model on the tape.
struct CheckedAssertion {
  std::uint32_t assertion = 0;
  code::Ref condition;
  std::vector<code::Ref> values;
  std::uint32_t closing = FlatModel::none;  // an equation that closes a loop and was found to follow from the rest; then `assertion` says nothing
};

// An initial condition that others leave nothing to determine: a run checks that it agrees with them.
struct SurplusCondition {
  struct Condition {
    std::string label;
    Span place;
  };
  Condition own;
  std::vector<Condition> rivals;        // those that determine the same variables
  std::vector<Condition> equations;     // of the model, through which they do
  std::vector<EqId> origins;            // of these
  bool closes_loop = false;             // no condition of the user's: an equation that closes a loop which others hold already
  bool constant = false;                // of a variable that the equations make a number
  bool constrained = false;             // constraints determine the same variables, no condition does
};

// Where constraints are counted, all hold something of their own.
inline constexpr std::string_view constrained_hint =
    "constraints are counted here, and leave nothing free; where parts move all the same, because lengths or other numbers are equal, one of the "
    "constraints repeats others at these numbers and has to be taken out";

// What was redone and what was kept since the analysis before (all edits in between).
struct Reuse {
  std::size_t equations_changed = 0, equations_total = 0, blocks_reused = 0, blocks_rebuilt = 0;
  std::size_t code_reused = 0, code_rebuilt = 0;
  std::size_t equations_solved = 0;     // those of the rebuilt blocks
  std::size_t blocks_kept = 0;          // of the reused ones: their nodes were copied, nothing was solved (emission.hpp)
  double seconds = 0;
  std::vector<VarId> rebuilt;           // an unknown of each of the rebuilt ones, of a few
};

struct Phases {
  double parse = 0, elaborate = 0, flatten = 0, match = 0, blt = 0, index = 0, solve = 0, code = 0, jit = 0;
};

// Numbers that win over bindings: by slot for values of parameters, by start_key(slot) for start values.
using Overrides = std::map<std::uint32_t, double>;

struct Options {
  std::string solve = "auto";           // auto | tear | relax | dense | sparse
  std::string relaxation = "eliminate"; // eliminate | iterate | jacobi
  // Variables whose wishes as states count alike: a choice that those wishes made became singular in a run.
  std::vector<std::string> open_choice;
  // What loops hold more than they need is looked for where they are closed, with these numbers (closed_position.hpp).
  std::optional<Overrides> closed_with;
  std::string library;                  // no advice about marks in files of this folder
  code::Backend backend = code::Backend::automatic;  // of runs; the analysis is the same
};

class Bindings;
struct System;
struct InputNumbers;

constexpr std::uint32_t start_key(std::uint32_t slot) { return slot | 1u << 31; }
constexpr bool is_start(std::uint32_t key) { return key >> 31 != 0; }
constexpr std::uint32_t slot_of(std::uint32_t key) { return key & ~(1u << 31); }

struct Analysis {
  Options options;                      // it was made with
  FlatModel flat;
  std::shared_ptr<const Bindings> bindings;   // of the flat model
  std::shared_ptr<const System> system;       // reduced rows; variables beyond the flat model's come from index reduction
  std::shared_ptr<const InputNumbers> inputs_of_tape;
  Diagnostics diagnostics;              // of the analysis: incomplete or singular models, warnings
  bool complete = false;                // can be simulated

  std::vector<Representative> representative;  // by variable
  std::vector<bool> equation_used;      // by equation: went into an alias or was redundant
  std::size_t aliases = 0;

  std::vector<Block> blocks;            // in order; of the dynamic problem
  std::vector<Block> initial_blocks;
  std::vector<std::uint32_t> block_of;  // by variable: the block that computes it, or none
  std::vector<State> states;
  std::vector<StateSet> sets;           // states of these come after the others, `variable` is one of the candidates
  std::vector<VarId> dummy;             // derivatives that are not integrated, whatever is chosen
  struct Differentiated { std::string label; std::uint32_t times = 0; std::string because; };
  std::vector<Differentiated> differentiated;
  std::vector<VarId> inputs;            // top-level inputs
  std::size_t initial_equations = 0;
  std::vector<SurplusCondition> surplus;
  std::vector<std::uint32_t> free_parameters;  // parameter inputs that the initial program gives, after the states
  std::vector<VarId> iteration_starts;  // variables that it gives after the candidates of sets

  std::shared_ptr<const code::Builder> tape, initial_tape;
  std::vector<code::Ref> variable_ref;        // by variable: its node in the tape (aliases too)
  code::Roots roots;                          // of the program
  Later<std::shared_ptr<const code::Program>> program;  // made beside what follows: who asks for it waits
  std::shared_ptr<const code::Program> initial_program;
  std::vector<VarId> output_variables;        // of the program's output roots, in order
  std::vector<std::uint32_t> output_of;       // by variable: index of its output root, or none (aliases share their root's)
  std::vector<code::Ref> event_roots;
  std::vector<Wave> waves;
  simulate::EventModel events;                // what they are
  std::vector<CheckedAssertion> assertions;   // those that a run checks, in the order of their output roots
  std::vector<std::uint32_t> left_open;       // with Options::closed_with: closing equations that follow from the rest
  std::vector<std::uint32_t> fixed_assertions;  // those that the parameters' values decide

  Later<Reuse> reuse;                         // likewise
  Phases phases;
};

// What a variable is, in words (`:explain`).
struct Explanation {
  std::string name, kind;               // state, derivative, algebraic, alias, parameter, constant, input
  std::optional<std::string> alias_of;  // "-R1.p.i" with its sign
  std::optional<std::size_t> block;
  std::optional<std::string> equation;
  bool state = false;
  std::vector<std::string> reasons;
};
Explanation explain(const Analysis&, VarId);

// The candidates that are the states of a set, by a choice as a trajectory has it (the engine's own; empty: none is known).
std::vector<VarId> chosen(const Analysis&, std::size_t set, std::span<const std::uint32_t> choice);
std::string state_name(const Analysis&, std::size_t state);  // of a dynamic set: the candidates, `x|y`
std::string name(const Analysis&, VarId);  // also of variables that index reduction made
std::optional<VarId> find(const Analysis&, std::string_view name);  // the inverse
std::string equation_label(const Analysis&, const Block&, std::size_t row);
std::vector<std::string> equation_labels(const Analysis&, const Block&);
Span equation_place(const Analysis&, const Block&, std::size_t row);
std::string code_text(const Analysis&, std::optional<std::size_t> block);  // `:code`

// Keeps solved blocks, compiled programs and the last analysis, by content.
class Engine {
 public:
  Engine();
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  // Throws Unwanted (base/waiting.hpp) where nobody waits any more: then forget().
  std::shared_ptr<const Analysis> analyse(std::shared_ptr<const model::Blueprint>, const Options&);
  void forget();  // all that is kept for the next analysis

  // Numbers. Parameter and start values come from the bindings, evaluated in order; `overrides` win: edits that need no analysis,
  // sweeps, --set. What was asked for before costs nothing again. `exact`: for runs in higher precision.
  simulate::Problem problem(std::shared_ptr<const Analysis>, const Overrides&, Diagnostics&, bool exact = false);

  struct Data;

 private:
  // Its dynamics with pivots for the point of a run.
  static std::shared_ptr<const code::Program> reordered(Data&, const Analysis&, const simulate::OperatingPoint&);
  // Its dynamics with the unknowns of solve steps as the integrator's. Null: there are none.
  static std::shared_ptr<const simulate::OpenForm> open_form(Data&, const Analysis&);
  std::unique_ptr<Data> data_;
};

// Values of bound expressions over a result: parameters, constants, time, variables at a point of the trajectory.
struct Sampler {
  Sampler(std::shared_ptr<const Analysis>, simulate::Problem, const simulate::Trajectory&);
  double value(const model::Bound&, double time);                // relative to the top blueprint, at any time of the run
  std::vector<double> series(const model::Bound&);               // at every point
  std::vector<std::vector<double>> series(std::span<const VarId>);  // variables (states, algebraics, aliases, parameters)
  double value(VarId, double time);
  struct Data;
  std::shared_ptr<Data> data;
};

}  // namespace kron::session
