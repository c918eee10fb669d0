// engine/session/emission.hpp: what an emission to a tape leaves for the next one, after an edit.
//   in    the blocks in the order of emission (sorting.hpp), and the tape, blocks and inputs of the emission before
//   out   as many of the first blocks as are what they were; Emitter copies their nodes and goes on behind them
//   keep  tape, blocks and inputs are those of an emission from the start: a block's key has all that its emission depends on but the tape
//         before it, and that is the same
//   cost  a hash of each block's rows in place of solving it
#pragma once
#include "engine/base/key_map.hpp"
#include "engine/session/emit.hpp"

namespace kron::session {

struct Emission {
  std::uint64_t surroundings = 0;      // what all blocks depend on: options, states, events
  std::vector<EmittedBlock> blocks;    // in the order of emission
  std::vector<ParameterRefs::Computed> computed;
  std::vector<std::optional<code::Ref>> early;
  WholeBlocks whole;
  std::shared_ptr<const Analysis> of;  // whose blocks and tape they are; null: there was none
};

// It reads what nobody changes meanwhile, so that several threads may have one each.
class BlockKeys {
 public:
  BlockKeys(const System&, const VariableTable&, const Bindings&, const TearHints&, const std::vector<std::uint32_t>& state_input);
  std::uint64_t surroundings(const Options&);
  // What ties alias sets together, which the keys of coupled rows hold: all of it before the first such row, here or by another one.
  void read_aliases(std::size_t first, std::size_t last);  // places in System::alias_edges
  void share_aliases(const BlockKeys& other) { other_ = &other; }
  // What blocks depend on by the rows block_row[first] to block_row[last - 1], each with its unknown.
  void of_rows(const SortedProblem&, std::uint32_t first, std::uint32_t last, std::vector<std::uint64_t>& keys);

 private:
  std::uint64_t of_row(const SortedProblem&, std::uint32_t place, bool coupled);
  std::uint64_t of_events();
  std::uint64_t of_operand(model::Operand);
  std::uint64_t of_name(model::Operand) const;
  std::uint64_t of_unknown(std::uint32_t root);
  std::uint64_t of_parameter(std::uint32_t slot);  // how it is computed from others
  std::uint64_t of_start(std::uint32_t slot);
  std::uint64_t of_binding(const FlatModel::FlatBinding&);
  std::uint64_t of_coupled_row(std::uint32_t row);
  std::uint64_t of_member(std::uint32_t variable);  // by its own name, as rows know it
  std::uint64_t of_array(std::uint32_t variable) const;
  std::uint64_t of_equation_array(std::uint32_t equation);
  std::uint64_t of_aliases(std::uint32_t variable) const;
  const model::Instance& instance_of(std::uint32_t equation);
  const System& s_;
  const VariableTable& table_;
  const Bindings& bindings_;
  const TearHints& hints_;
  const std::vector<std::uint32_t>& state_input_;
  std::vector<std::uint64_t> parameter_;  // by slot; 0: not yet
  std::vector<std::uint32_t> open_;       // slots that wait for others, while the key of one is found
  std::vector<std::uint64_t> equation_array_;  // by first equation, of components; 0: not yet
  std::vector<std::uint64_t> member_;     // by variable; 0: not yet
  std::uint32_t instance_ = 0;            // that of the equation asked for last
  std::vector<std::uint64_t> aliases_;    // by root, of those ties in its alias set that were read here; empty: none was
  const BlockKeys* other_ = nullptr;      // which has read the rest of them
};

// The slot that one of `before` is now. An edit moves slots by a few distances.
class MovedSlots {
 public:
  MovedSlots(const FlatModel& before, const FlatModel& now) : before_(before), now_(now) {}
  std::optional<std::uint32_t> operator()(std::uint32_t slot);

 private:
  const FlatModel& before_;
  const FlatModel& now_;
  static constexpr std::uint32_t few = 8;
  std::vector<std::uint32_t> shifts_{0};  // so far
  std::optional<KeyMap> by_key_;
};

}  // namespace kron::session
