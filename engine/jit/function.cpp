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

// Entered with the stack 8 bytes off a multiple of 16; three or five registers on it put that right for calls.
void enter(x86::Assembler& a, bool wide, std::size_t spilled) {
  a.push(values_register);
  a.push(frame_register);
  a.push(functions_register);
  a.mov(values_register, x86::rdi);
  a.lea(frame_register, x86::ptr(x86::rsi, frame_middle));
  a.mov(functions_register, x86::rdx);
  if (!wide) return;
  a.push(wide_values_register);
  a.push(wide_frame_register);
  a.mov(wide_values_register, x86::rcx);
  a.lea(wide_frame_register, x86::ptr(x86::rsi, static_cast<std::int32_t>(8 * (numbers + spilled))));
}
void leave(x86::Assembler& a, bool wide, int result) {
  if (result == 0) a.xor_(x86::eax, x86::eax);
  else a.mov(x86::eax, result);
  if (wide) {
    a.vzeroupper();
    a.pop(wide_frame_register);
    a.pop(wide_values_register);
  }
  a.pop(functions_register);
  a.pop(frame_register);
  a.pop(values_register);
  a.ret();
}

// False: out of reach.
bool patch(std::uint8_t* bytes, std::size_t begin, std::size_t exit, const Part& part) {
  for (const Patch& p : part.code->patches) {
    const std::size_t at = begin + p.at;
    const std::int64_t value = p.kind == Patch::Kind::leave   ? static_cast<std::int64_t>(exit) - static_cast<std::int64_t>(at + 4)
                               : p.kind == Patch::Kind::place ? std::int64_t{8} * part.places[p.place]
                                                              : std::int64_t{8 * lanes} * part.wide_places[p.place];
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
  bool wide = false;
  for (const Part& p : parts) {
    spilled = std::max(spilled, p.code->spilled);
    spilled_wide = std::max(spilled_wide, p.code->spilled_wide);
    wide = wide || p.code->wide;
  }
  enter(a, wide, spilled);
  for (const Part& p : parts) {
    begin.push_back(a.offset());
    if (a.embed(p.code->bytes.data(), p.code->bytes.size()) != asmjit::kErrorOk) return nullptr;
  }
  leave(a, wide, 0);
  const std::size_t exit = a.offset();
  leave(a, wide, 1);
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!patch(code.textSection()->buffer().data(), begin[i], exit, parts[i])) return nullptr;
  const auto memory = Memory::shared();
  Entry entry = nullptr;
  if (memory->runtime.add(&entry, &code) != asmjit::kErrorOk) return nullptr;
  return std::shared_ptr<const Function>(new Function(memory, entry, numbers + spilled + lanes * spilled_wide, a.offset()));
}

Function::Function(std::shared_ptr<Memory> memory, Entry entry, std::size_t frame_size, std::size_t bytes)
    : memory_(std::move(memory)), entry_(entry), frame_size_(frame_size), bytes_(bytes) {}
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
  set(Number::infinity, std::numeric_limits<double>::infinity());
}

}  // namespace kron::jit
