// engine/code/repeats.hpp: repeated structure in a sequence of instructions: the bodies of a chain, the cells of a ladder. Private to the room.
//   in    tokens: what the instructions are and how far back their near operands lie, equal for instructions that do the same,
//         else as different as hashes are
//   out   ranges in which tokens repeat with a period; greedily from the left, each as long as it goes
//   cost  linear but for ranges that end soon
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace kron::code {

struct Loop {
  std::size_t begin = 0;
  std::uint32_t period = 0, count = 0;
  std::size_t end() const { return begin + std::size_t{period} * count; }
};

// Such with at least `least` instructions in all.
std::vector<Loop> find_loops(std::span<const std::uint64_t> tokens, std::size_t least);

// The same loop with its iterations cut where fewest values are alive. `last_use`: by position, where near uses of its value end.
Loop cut_where_least_lives(const Loop&, std::span<const std::uint32_t> last_use);

}  // namespace kron::code
