// engine/jit/assemble.hpp: a segment to x86-64 machine code.
//   in    a segment
//   out   position-independent bytes with the places to be patched; the scalar AVX instructions of the segment's operations, each rounded
//         on its own (no fused multiply-add), so results are those of the same operations in C++, bit for bit
//   how   one pass: linear scan with the furthest next use evicted [Belady 1966]; a value is stored at most once, because it is
//         made once. Cost O(instructions)
#pragma once
#include "engine/jit/segment.hpp"

namespace kron::jit {

// Whether this machine can run what assemble() makes, and with wide values.
bool available();
bool wide_available();

struct Patch {
  enum class Kind : std::uint8_t { place, wide_place, column /* of a table */, leave /* the distance to the exit */ } kind{};
  std::uint32_t at = 0;     // of 4 bytes
  std::uint32_t place = 0;  // position in the list of places
};

struct Code {
  std::vector<std::uint8_t> bytes;
  std::vector<Patch> patches;
  std::size_t spilled = 0, spilled_wide = 0;  // values that the frame has to hold behind the numbers
  bool wide = false;                          // it has wide values
  bool loops = false;                         // it is a loop's body or reads the memory of loops; not with wide values
};

Code assemble(const Segment&, const Moves& = {});

}  // namespace kron::jit
