// engine/code/translate.hpp: a sequence of instructions to segments for engine/jit. Private to the room.
#pragma once
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/code/repeats.hpp"
#include "engine/code/native.hpp"
#include "engine/code/sequence.hpp"

namespace kron::code {

// Functions that are none of the language.
inline constexpr std::uint8_t power_function = static_cast<std::uint8_t>(Fn::terminal) + 1, sine_and_cosine_function = power_function + 1;
// The partial derivatives of fn: by the first argument, given that and the value or the second argument; by the second.
inline constexpr std::uint8_t power_slope_function = sine_and_cosine_function + 1, first_slope = power_slope_function + 1, second_slope = first_slope + power_function;
// And all but the derivatives once more, for the lanes of wide values.
inline constexpr std::uint8_t wide_functions = second_slope + power_function;

struct PlacedSegment {
  jit::Segment code;
  std::vector<std::uint32_t> places, wide_places;  // registers; places in the loops' memory where `moves` says so
  std::vector<jit::Move> moves{};                  // by place; empty: none
  std::vector<std::int32_t> strides{}, table{};    // of a loop's indices; of places that do not move by equal steps
  std::uint32_t count = 1;                         // how often it runs
};
using Link = std::function<std::shared_ptr<const jit::Function>(std::span<const PlacedSegment>)>;

class Translation {
 public:
  Translation(const Program& p, const Producers& from)
      : p_(p), from_(from), alias_(p.registers, Producers::none), part_(p.registers, Producers::none), made_(p.registers), position_(p.registers),
        position_in_(p.registers, Producers::none), stored_(p.registers, false), order_(p.registers, Producers::none), loop_place_(p.registers, Producers::none), wide_(p.registers) {}

  // Puts what to run into `to`, in this order: code between solve steps and tables. With Purpose::tangents it is the derivative of the
  // region at a point that was evaluated, in jit::lanes directions, of values that are trusted. `packed`: at as many points, all values wide.
  void run(std::uint32_t region, Purpose, bool packed, std::span<const Sequence::Node> nodes, Native::Region& to, const Link&);

 private:
  using Node = Sequence::Node;
  bool is_barrier(Node) const;
  bool are_twins(std::span<const Node>, std::size_t i) const;
  const Run& run_of(Node reg) const { return p_.runs[from_.maker(reg)]; }
  const Take& take_of(Node reg) const { return p_.takes[operand(p_, run_of(reg), reg - run_of(reg).result, 1)]; }
  std::uint32_t source(std::uint32_t reg) const;
  bool is_here(std::uint32_t reg) const { return order_[reg] != Producers::none; }  // an instruction of the sequence makes it
  void note_guard(Node, Native::Region&) const;
  template <class F>
  void each_operand(Node, F&&) const;
  void place_nodes(std::span<const Node>);
  void cut(std::span<const Node>);
  std::uint64_t shape(Node, std::uint32_t now) const;
  void mark_stored(std::span<const Node>);
  std::size_t translate(std::span<const Node>, std::size_t i, Native::Region&);
  void translate(Node);
  void translate_twins(Node, Node);
  void instruction(std::uint32_t reg, const Run&, std::uint32_t i);
  void call(std::uint32_t reg, Fn, std::uint32_t i, const Run&);
  void take(std::uint32_t reg, const Run&, std::uint32_t i);
  void watches(std::uint32_t step);
  std::uint32_t position(std::uint32_t reg);
  std::uint32_t place(std::uint32_t reg) { return packed_ ? wide_position(reg) : position(reg); }
  jit::Operand read(std::uint32_t reg);
  jit::Operand number(jit::Number);
  std::uint8_t function(std::uint8_t id) const { return packed_ ? static_cast<std::uint8_t>(wide_functions + id) : id; }
  jit::Operand put(jit::Instruction);
  void result(std::uint32_t reg, jit::Instruction);

  // loops.cpp
  struct Place {
    std::uint32_t number = 0;
    bool in_loops = false;  // in the memory of loops
    friend bool operator==(Place, Place) = default;
  };
  struct ReadAt {  // an operand in a body
    bool here = false;  // made in the same iteration; the place is how far from its begin
    Place place;
    friend bool operator==(const ReadAt&, const ReadAt&) = default;
  };
  struct Moving {
    Place place;
    std::int32_t stride = 0;
    std::vector<std::int32_t> table{};  // in each iteration, where the steps differ
    std::uint8_t index = 0;
    friend bool operator==(const Moving&, const Moving&) = default;
  };
  struct RunLoop : Loop {
    std::uint32_t first = 0, last = 0;  // iterations that run as a loop; the others are written out
    std::unordered_map<std::uint32_t, Moving> moving{};  // in the body, by register of the first of these
    std::vector<std::int32_t> strides{};                 // of its indices
    std::size_t at(std::uint32_t iteration) const { return begin + std::size_t{period} * iteration; }
  };
  void find(std::span<const Node>);
  std::uint64_t token(Node, std::uint32_t now) const;
  bool lay_out_loops(std::span<const Node>, Native::Region&);
  void choose_homes(std::span<const Node>, const RunLoop&, std::uint32_t& memory);
  void find_range(std::span<const Node>, RunLoop&) const;
  bool find_moving(std::span<const Node>, RunLoop&) const;
  static bool choose_indices(RunLoop&, std::size_t most);
  void make_table(const RunLoop&, PlacedSegment&) const;
  void run_loop(std::span<const Node>, const RunLoop&, PlacedSegment&, Native::Region&);
  Place home(std::uint32_t reg) const;
  void read_at(std::span<const Node>, const RunLoop&, std::uint32_t iteration, std::uint32_t instruction, std::vector<ReadAt>&) const;
  template <class F>
  void each_place(Node, F&&) const;

  // differentiate.cpp
  void differentiate(Node);
  void differentiate_twins(Node sine, Node cosine);
  void differentiate_call(std::uint32_t reg, const Run&, std::uint32_t i);
  void wide_result(std::uint32_t reg, jit::Instruction);
  std::uint32_t wide_position(std::uint32_t reg);
  jit::Operand wide(std::uint32_t reg);
  jit::Operand broadcast(jit::Operand);
  jit::Operand put_wide(jit::Operation, jit::Operand a, jit::Operand b, jit::Operand c = {});
  jit::Operand product(std::uint32_t of, std::uint32_t factor);
  jit::Operand scaled(jit::Operand slope, std::uint32_t reg);

  const Program& p_;
  const Producers& from_;
  std::vector<std::uint32_t> alias_;        // of a register of the sequence that takes another's value as it is: that one
  std::vector<std::uint32_t> part_, made_;  // the segment that makes it, and which instruction
  std::vector<std::uint32_t> position_, position_in_;  // in the list of places of which segment
  std::vector<bool> stored_;                // another segment reads it
  std::vector<std::uint32_t> order_;        // by register: position in the sequence, or none
  std::vector<RunLoop> loops_;
  std::vector<std::uint32_t> loop_place_;   // by register: place in the loops' memory, or none
  std::vector<std::uint32_t> in_loops_;     // the registers that have one
  const RunLoop* running_ = nullptr;  // whose body is translated
  std::vector<std::uint32_t> part_of_node_;
  std::uint32_t parts_ = 0, now_ = 0, region_ = 0;
  Purpose purpose_{};
  bool packed_ = false;
  PlacedSegment* segment_ = nullptr;
  struct Wide {
    std::uint32_t made = 0, position = 0, position_in = Producers::none;
  };
  std::vector<Wide> wide_;  // by register: its tangents
  std::unordered_map<std::uint32_t, jit::Operand> broadcasts_;  // in this segment, by operand
};

template <class F>
void Translation::each_operand(Node n, F&& f) const {
  if (Sequence::is_step(n)) {
    const StepPlan& s = p_.steps[Sequence::step(n)];
    return each_read(s, s.guarded ? Reads::watches : Reads::all, f);
  }
  const Run& run = run_of(n);
  const bool table = is_table(run);
  const std::uint32_t* at = p_.operands.data() + run.operands + (table ? 0 : n - run.result);
  for (std::uint32_t k = 0, n_operands = arity(run), step = table ? 1 : run.count; k < n_operands; ++k) f(at[std::size_t{k} * step]);
}

}  // namespace kron::code
