// engine/jit/segment.hpp: straight-line code over doubles, the unit that is compiled, cached and linked.
//   An instruction makes one value from values made before it, from places of the caller's array (outside), or from numbers that every
//   frame holds. A wide value has four lanes, and places in an array of its own. Places are named by their position in a list that is not
//   part of the segment, so that equal code over other places is the same segment: it is compiled once and linked to each list.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kron::jit {

enum class Operation : std::uint8_t {
  add, mul, and_, xor_,          // commutative; the last two of the bit patterns
  sub, div, min, max,            // min: b < a ? b : a, max: a < b ? b : a
  less, less_equal, equal, unequal,  // 1 or 0
  sqrt, floor, ceil,             // of a
  select,                        // a != 0 ? b : c
  broadcast,                     // the scalar a, to all lanes
  scale,                         // a != 0 ? a * b : 0, lane by lane; of wide values only
  store,                         // a to its place; makes no value
  call1, call2,                  // a function of the table, of a or of a and b; a wide one is given the address of its arguments
  second,                        // what else the function of two results gave that the instruction before, a, called
  require,                       // go on if a > b, else leave the code: 1 is returned
};

// Numbers at the head of every frame.
enum class Number : std::uint8_t { one, zero, sign_bit, all_but_sign, sum_share, ratio_share, rounding_share, infinity };
inline constexpr std::size_t numbers = 8;
inline constexpr std::uint32_t lanes = 4;

struct Operand {
  std::uint32_t bits = 0;
  enum class Kind : std::uint8_t { made, outside, number, outside_wide };
  static constexpr Operand made(std::uint32_t instruction) { return {instruction << 2}; }
  static constexpr Operand outside(std::uint32_t position) { return {position << 2 | 1}; }
  static constexpr Operand number(Number n) { return {static_cast<std::uint32_t>(n) << 2 | 2}; }
  static constexpr Operand outside_wide(std::uint32_t position) { return {position << 2 | 3}; }
  constexpr Kind kind() const { return static_cast<Kind>(bits & 3); }
  constexpr std::uint32_t index() const { return bits >> 2; }
  friend constexpr bool operator==(Operand, Operand) = default;
};

struct Instruction {
  Operation op{};
  std::uint8_t function = 0;  // of a call: its place in the table
  bool wide = false;          // of wide values, but for a broadcast; `require` then asks that all lanes hold
  Operand a{}, b{}, c{};
  std::uint32_t place = not_stored;  // position in the list of places to which the value is stored as well
  static constexpr std::uint32_t not_stored = 0xffffffff;
  friend constexpr bool operator==(const Instruction&, const Instruction&) = default;
};

constexpr int operands(Operation op) {
  switch (op) {
    case Operation::sqrt:
    case Operation::floor:
    case Operation::ceil:
    case Operation::store:
    case Operation::call1:
    case Operation::second:
    case Operation::broadcast:
      return 1;
    case Operation::select:
      return 3;
    default:
      return 2;
  }
}

using Segment = std::vector<Instruction>;

// How a place is found where code runs as a loop: in the caller's values or in the memory of loops; moved by which of the loop's indices, or by
// a table. In the list of places stands the first iteration's, or the column of the table.
struct Move {
  bool in_loops = false, by_table = false;
  std::uint8_t index = 0;  // 0: not moved
  friend constexpr bool operator==(Move, Move) = default;
};
using Moves = std::vector<Move>;  // by position in the list of places; empty: all in the values, none is moved
inline constexpr std::size_t indices = 9, indices_over_calls = 1;  // of a loop; of one that calls functions

}  // namespace kron::jit
