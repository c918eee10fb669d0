// engine/session/emit.hpp: sorted blocks to a tape.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/code/compiler.hpp"
#include "engine/session/hints.hpp"
#include "engine/session/identities.hpp"
#include "engine/session/values.hpp"
#include "engine/session/in_time.hpp"
#include "engine/simulate/events.hpp"
#include "engine/solve/checks.hpp"
#include "engine/solve/memory.hpp"

namespace kron::session {

// Rows and unknowns of one problem (the dynamic one, or initialisation), sorted.
struct SortedProblem {
  const System* system = nullptr;
  std::vector<std::uint32_t> rows;       // row numbers of the system that take part
  std::vector<std::uint32_t> block_begin{0};
  std::vector<std::uint32_t> block_row;  // row numbers
  std::vector<std::uint32_t> block_unknown;
  std::vector<bool> wanted;              // by variable: derivatives need it; empty: all are
  std::vector<std::uint32_t> assertions;  // of the flat model: those to be emitted
  std::vector<std::pair<std::uint32_t, model::FlatEquation>> closings;  // equations that follow from the rest, as long as they hold
  std::vector<std::uint32_t> surplus;     // row numbers: not solved, but to hold at the solution
  std::uint32_t blocks() const { return static_cast<std::uint32_t>(block_begin.size() - 1); }
};

// What a variable's declaration says that an iteration or the start needs, aliases included.
struct VariableInfo {
  std::uint32_t start_slot = none;  // whose start value counts (its own, else an alias's; a fixed one first)
  std::int8_t start_sign = 1;
  bool fixed = false;
  bool vague = false;  // the start value: a 0 that the declaration has by itself, as the angle of a joint in a library
  double nominal = 1;
  double minimum, maximum;
};

// By root: the size that its declarations give it, aliases included; 1 where they give none.
std::vector<double> nominal_values(const System&, const Bindings&, Numbers&);

class VariableTable {
 public:
  VariableTable(const System&, const Bindings&, Numbers&);
  const VariableInfo& operator[](std::uint32_t root) const { return info_[root]; }
  // Every variable (alias or not) with fixed = true.
  const std::vector<std::uint32_t>& fixed() const { return fixed_; }

 private:
  std::vector<VariableInfo> info_;
  std::vector<std::uint32_t> fixed_;
};

// A block whose rows depend on each other, whatever the values. Row and variable numbers are the system's.
struct SingularBlock {
  solve::Singular what;
  std::vector<std::uint32_t> rows, unknowns;
};

// A surplus row at the solution: what it is off by, and how much its terms come to, each unknown taken as no less than its nominal
// value.
struct SurplusRow {
  code::Ref off, size;
};

// Where the pinned unknowns of the sets get their values (code::Pins).
struct PinnedStates {
  // Of the initialisation, where each block chooses for itself: by selection the start values of the alternatives.
  std::vector<std::vector<code::Ref>> starts;
  std::uint32_t inputs = 0;                // so many state inputs were used
};

// What is looked at for events (discrete.hpp).
struct EventRoots {
  std::vector<code::Ref> roots;
  simulate::EventModel model;
};

// A block on the tape: what it was made from (emission.hpp), its number, where the tape and the list of computed parameters ended behind it.
struct EmittedBlock {
  std::uint64_t key = 0;
  std::uint32_t block = 0;
  std::size_t computed = 0;
  code::Builder::End end;
};
struct Emission;
// By block: those that have followers, with them.
using WholeBlocks = std::map<std::uint32_t, Block>;

struct Emitted {
  std::vector<code::Ref> variable;        // by root: its node
  std::vector<Block> blocks;
  WholeBlocks whole;
  std::vector<CheckedAssertion> assertions;  // without those that are true whatever the values
  std::vector<SurplusRow> surplus;
  std::vector<SingularBlock> singular;
  PinnedStates pinned;                    // of the initialisation
  EventRoots events;                      // of the dynamic problem
  std::vector<Wave> waves;                // likewise
  std::uint64_t surroundings = 0;         // these are for Emission
  std::vector<EmittedBlock> emitted;      // in this order; empty: the next emission can keep nothing of this one
  std::size_t kept = 0;                   // of those: the first ones, copied from the emission before
  code::Beginning beginning;              // of the tape: their nodes
  std::vector<std::optional<code::Ref>> early;  // of discrete variables, in the order of their equations: those that need no block
};

class Guesses;

class Emitter {
 public:
  ~Emitter();
  Emitter(const System&, const VariableTable&, ParameterRefs&, code::Builder&, solve::Templates&, solve::Memory&, Diagnostics&);
  // For the point of a run: values of roots there, and which blocks are to be ordered for it.
  struct Here {
    const code::InputValues& inputs;
    std::function<double(std::uint32_t)> value;
    const Analysis& before;                   // the run's
    const std::vector<std::uint32_t>& blocks;  // of it
    std::uint32_t block(std::uint32_t root) const { return root < before.block_of.size() ? before.block_of[root] : none; }  // none: in no block then
    bool stuck(std::uint32_t root) const { return std::ranges::find(blocks, block(root)) != blocks.end(); }
    bool alone(std::uint32_t root) const { return block(root) != none && before.blocks[block(root)].unknowns.size() == 1; }
  };
  void here(Here);
  // To keep what is as it was in the emission before. `inputs`: those of the parameters' references, none yet; `copy`: of its tape, or none.
  void resume(const Emission&, const Bindings&, InputNumbers& inputs, Helper&, Later<std::shared_ptr<code::Builder>> copy);
  // `state_input`: by root, the index of its state input, or none. `set_input`: by set, that of its first slot; empty initially.
  Emitted run(const SortedProblem&, const std::vector<std::uint32_t>& state_input, const std::vector<std::uint32_t>& set_input,
              const Options&, bool initial);
  void diagnose(const SingularBlock&);

 private:
  code::Ref known(model::Operand);
  code::Ref discrete(model::Operand);  // what holds until the next event
  void discrete_variables();
  code::Ref value(model::Operand);  // of the flat model: unknowns too, once their blocks are emitted
  code::Ref expression(const model::FlatEquation&);
  void assertions(const std::vector<std::uint32_t>&);
  void closings(const SortedProblem&);
  SurplusRow surplus(const SystemRow&);
  void misfits(const solve::BlockSolution&, const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& unknowns,
               const Options&);
  std::uint32_t named(const SystemRow&, std::uint32_t root) const;
  void note_values(const std::vector<std::uint32_t>& unknowns);
  void name_rows(Block&, std::span<const std::uint32_t> rows) const;
  std::optional<code::Ref> assigned(const SystemRow&, std::uint32_t unknown);
  bool assignment(const SortedProblem&, std::uint32_t b);
  void take_assignment(Block&, std::uint32_t row, std::uint32_t unknown) const;
  void block(const SortedProblem&, std::uint32_t b, const Options&);
  void set_followers_apart(const SortedProblem&);
  void not_to_choose(std::uint32_t candidate);
  double size_among(const std::vector<std::uint32_t>& candidates, std::uint32_t v) const;
  std::vector<code::Pins> pins(const std::vector<std::uint32_t>& choice_rows, const std::vector<std::uint32_t>& unknowns);
  code::Ref pinned_start(std::uint32_t root);
  solve::BlockSolution at_start(const std::vector<std::uint32_t>& unknowns);  // candidates that nothing determines initially
  std::size_t kept(const SortedProblem&, std::vector<std::uint32_t>& order, const std::vector<std::uint32_t>& state_input, const Options&);
  void keep(const SortedProblem&, std::uint32_t b, const Analysis& before, std::uint32_t old);
  void divided_by_zero(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& unknowns);
  code::Ref start_of(std::uint32_t root);
  std::optional<solve::Guess> guess(const SortedProblem&, std::uint32_t root);
  std::optional<code::Ref> live(model::Operand, const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& unknowns,
                                const solve::BlockProblem::Inside&);
  const System& s_;
  const VariableTable& table_;
  ParameterRefs& parameters_;
  code::Builder& tape_;
  solve::Templates& templates_;
  solve::Memory& memory_;
  solve::Checks checks_;
  std::optional<Here> here_;
  struct {
    const Emission* before = nullptr;
    const Bindings* bindings = nullptr;  // null: this emission has to do with no other one
    InputNumbers* inputs = nullptr;
    Helper* helper = nullptr;
    Later<std::shared_ptr<code::Builder>> copy{};
  } resume_;
  Identities identities_;
  TearHints hints_;
  Diagnostics& d_;
  Emitted out_;
  bool initial_ = false;
  std::unique_ptr<Guesses> guesses_;      // of the initial program, once they are asked for
  std::vector<std::uint32_t> done_;       // blocks, in the order of emission
  std::size_t told_ = 0;                  // so many of them to guesses_
  std::unordered_map<std::uint32_t, code::Ref> early_;  // by slot: discrete variables that follow from what is known before the blocks
  std::uint64_t content_ = 0;       // of the options
  std::vector<code::Ref> values_;   // scratch, by placeholder
  std::vector<std::uint32_t> rows_;  // scratch, of a block
  std::vector<std::uint32_t> set_input_;
};

}  // namespace kron::session
