// engine/jit/frame.hpp: what machine code finds in memory. Private to the room.
//   Registers hold addresses: of the caller's values, of the middle of a frame (numbers first, then spilled values; 32 of them are
//   reached by one-byte offsets), of a table of functions, of the caller's wide values, and of the frame's part for wide values.
#pragma once
#include "engine/jit/segment.hpp"

#ifdef KRON_MACHINE_CODE
#include <asmjit/x86.h>

namespace kron::jit {

inline constexpr auto values_register = asmjit::x86::rbx;
inline constexpr auto frame_register = asmjit::x86::rbp;
inline constexpr auto functions_register = asmjit::x86::r12;
inline constexpr auto wide_values_register = asmjit::x86::r13;
inline constexpr auto wide_frame_register = asmjit::x86::r14;

inline constexpr auto loops_register = wide_values_register;  // the memory of loops

// Of a loop's indices, in bytes; of its row of the table, and of a place found there. The first index and the row outlive calls.
inline constexpr asmjit::x86::Gp index_registers[] = {asmjit::x86::r14, asmjit::x86::rax, asmjit::x86::rcx, asmjit::x86::rdx, asmjit::x86::rsi,
                                                      asmjit::x86::rdi, asmjit::x86::r8,  asmjit::x86::r9,  asmjit::x86::r10};
static_assert(std::size(index_registers) == indices);
inline constexpr auto row_register = asmjit::x86::r15;
inline constexpr auto found_register = asmjit::x86::r11;

inline constexpr std::int32_t frame_middle = 128;
constexpr std::int32_t number_offset(std::uint32_t n) { return static_cast<std::int32_t>(8 * n) - frame_middle; }
constexpr std::int32_t slot_offset(std::uint32_t slot) { return number_offset(static_cast<std::uint32_t>(numbers) + slot); }
inline constexpr std::int32_t far_away = 0x1000000;  // takes 4 bytes

}  // namespace kron::jit
#endif
