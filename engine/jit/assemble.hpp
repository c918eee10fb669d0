// engine/jit/assemble.hpp: a segment to x86-64 machine code.
//   in    a segment
//   out   position-independent bytes with the places to be patched; the scalar AVX instructions of the segment's operations, each rounded
//         on its own (no fused multiply-add), so results are those of the same operations in C++, bit for bit
//   how   one pass: linear scan with the furthest next use evicted [Belady 1966]; a value is stored at most once, because it is
//         made once. Cost O(instructions)
#pragma once
#include "engine/jit/segment.hpp"

namespace kron::jit {

// Whether this machine can run what assemble() makes.
bool available();

struct Patch {
  std::uint32_t at = 0;     // of 4 bytes
  std::uint32_t place = 0;  // position in the list of places, or `leave`: the distance to the exit
  static constexpr std::uint32_t leave = 0xffffffff;
};

struct Code {
  std::vector<std::uint8_t> bytes;
  std::vector<Patch> patches;
  std::size_t spilled = 0;  // doubles of the frame it needs behind the numbers
};

Code assemble(const Segment&);

}  // namespace kron::jit
