#include "engine/jit/function.hpp"

#include <bit>
#include <limits>

#ifdef KRON_MACHINE_CODE
#include <algorithm>
#include <cstring>

#include "engine/jit/frame.hpp"

namespace kron::jit {

namespace x86 = asmjit::x86;

// The memory of the process's functions; it lives as long as the last of them.
struct Function::Memory {
  static std::shared_ptr<Memory> shared() {
    static const auto memory = std::make_shared<Memory>();
    return memory;
  }
  static asmjit::JitAllocator::CreateParams parameters() {
    asmjit::JitAllocator::CreateParams p{};
    p.options = asmjit::JitAllocatorOptions::kUseDualMapping;
    return p;
  }
  asmjit::JitAllocator::CreateParams chosen = parameters();
  asmjit::JitRuntime runtime{&chosen};
};

namespace {

enum class Uses : std::uint8_t { scalars, wide, loops };

// The frame's part for wide values begins at a multiple of their size.
constexpr std::size_t wide_begin(std::size_t spilled) { return (numbers + spilled + lanes - 1) / lanes * lanes; }

// Entered with the stack 8 bytes off a multiple of 16; an odd number of registers on it puts that right for calls.
void enter(x86::Assembler& a, Uses uses, std::size_t spilled) {
  a.push(values_register);
  a.push(frame_register);
  a.push(functions_register);
  a.mov(values_register, x86::rdi);
  a.lea(frame_register, x86::ptr(x86::rsi, frame_middle));
  a.mov(functions_register, x86::rdx);
  if (uses == Uses::scalars) return;
  a.push(x86::r13);
  a.push(x86::r14);
  a.mov(x86::r13, x86::rcx);
  if (uses == Uses::loops) {
    a.push(x86::r15);
    a.push(x86::r15);
    return;
  }
  a.lea(wide_frame_register, x86::ptr(x86::rsi, static_cast<std::int32_t>(8 * wide_begin(spilled))));
}
void leave(x86::Assembler& a, Uses uses, int result) {
  if (uses == Uses::wide) a.vzeroupper();
  if (uses == Uses::loops) {
    a.pop(x86::r15);
    a.pop(x86::r15);
  }
  if (uses != Uses::scalars) {
    a.pop(x86::r14);
    a.pop(x86::r13);
  }
  if (result == 0) a.xor_(x86::eax, x86::eax);
  else a.mov(x86::eax, result);
  a.pop(functions_register);
  a.pop(frame_register);
  a.pop(values_register);
  a.ret();
}

// False: out of reach.
bool patch(std::uint8_t* bytes, std::size_t begin, std::size_t exit, const Part& part) {
  for (const Patch& p : part.code->patches) {
    const std::size_t at = begin + p.at;
    std::int64_t value = 0;
    switch (p.kind) {
      case Patch::Kind::leave: value = static_cast<std::int64_t>(exit) - static_cast<std::int64_t>(at + 4); break;
      case Patch::Kind::place: value = std::int64_t{8} * part.places[p.place]; break;
      case Patch::Kind::wide_place: value = std::int64_t{8 * lanes} * part.wide_places[p.place]; break;
      case Patch::Kind::column: value = std::int64_t{4} * part.places[p.place]; break;
    }
    const auto written = static_cast<std::int32_t>(value);
    if (written != value) return false;
    std::memcpy(bytes + at, &written, 4);
  }
  return true;
}

}  // namespace

std::shared_ptr<const Function> Function::link(std::span<const Part> parts) {
  asmjit::CodeHolder code;
  code.init(asmjit::Environment::host());
  x86::Assembler a(&code);
  std::vector<std::size_t> begin;
  std::size_t spilled = 0, spilled_wide = 0;
  Uses uses = Uses::scalars;
  for (const Part& p : parts) {
    spilled = std::max(spilled, p.code->spilled);
    spilled_wide = std::max(spilled_wide, p.code->spilled_wide);
    if (p.code->wide || p.code->loops) uses = p.code->wide ? Uses::wide : Uses::loops;
  }
  enter(a, uses, spilled);
  std::vector<std::vector<std::int32_t>> tables;
  for (const Part& p : parts) {
    for (std::size_t k = 0; k < p.strides.size(); ++k) a.xor_(index_registers[k].r32(), index_registers[k].r32());
    const auto row = static_cast<std::int32_t>(4 * p.table.size() / p.count);
    if (row > 0) {
      auto& table = tables.emplace_back(p.table.begin(), p.table.end());
      for (std::int32_t& place : table) place *= 8;
      a.mov(row_register, reinterpret_cast<std::uintptr_t>(table.data()));
    }
    const asmjit::Label again = a.newLabel();
    a.bind(again);
    begin.push_back(a.offset());
    if (a.embed(p.code->bytes.data(), p.code->bytes.size()) != asmjit::kErrorOk) return nullptr;
    if (p.count == 1) continue;
    for (std::size_t k = 0; k < p.strides.size(); ++k) a.add(index_registers[k], 8 * p.strides[k]);
    if (row > 0) {
      a.add(row_register, row);
      a.mov(found_register, reinterpret_cast<std::uintptr_t>(tables.back().data() + tables.back().size()));
      a.cmp(row_register, found_register);
    } else {
      const std::int64_t end = std::int64_t{8} * p.strides[0] * p.count;
      if (static_cast<std::int32_t>(end) != end) return nullptr;
      a.cmp(index_registers[0], static_cast<std::int32_t>(end));
    }
    a.jne(again);
  }
  leave(a, uses, 0);
  const std::size_t exit = a.offset();
  leave(a, uses, 1);
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!patch(code.textSection()->buffer().data(), begin[i], exit, parts[i])) return nullptr;
  const auto memory = Memory::shared();
  Entry entry = nullptr;
  if (memory->runtime.add(&entry, &code) != asmjit::kErrorOk) return nullptr;
  return std::shared_ptr<const Function>(
      new Function(memory, entry, wide_begin(spilled) + lanes * spilled_wide, a.offset(), std::move(tables)));
}

Function::Function(std::shared_ptr<Memory> memory, Entry entry, std::size_t frame_size, std::size_t bytes, std::vector<std::vector<std::int32_t>> tables)
    : memory_(std::move(memory)), entry_(entry), frame_size_(frame_size), bytes_(bytes), tables_(std::move(tables)) {}
Function::~Function() { memory_->runtime.release(entry_); }

}  // namespace kron::jit

#else

namespace kron::jit {
struct Function::Memory {};
std::shared_ptr<const Function> Function::link(std::span<const Part>) { return nullptr; }
Function::~Function() = default;
}  // namespace kron::jit

#endif

namespace kron::jit {

void fill_numbers(double* frame) {
  const auto set = [&](Number n, double x) { frame[static_cast<std::size_t>(n)] = x; };
  set(Number::one, 1);
  set(Number::zero, 0);
  set(Number::sign_bit, std::bit_cast<double>(std::uint64_t{1} << 63));
  set(Number::all_but_sign, std::bit_cast<double>(~(std::uint64_t{1} << 63)));
  set(Number::sum_share, 1e-4);
  set(Number::ratio_share, 1e-8);
  set(Number::rounding_share, 1e-13);
  set(Number::infinity, std::numeric_limits<double>::infinity());
}

}  // namespace kron::jit
