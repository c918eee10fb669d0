// engine/code/producers.hpp: who makes each register of a program, and which have to be in memory where they are made. Private to the room.
//   A value stays inside machine code unless another region, a solve step or a table reads it, or it is a root. What only the LU of a
//   guarded step reads is such a value, too: where the LU is taken, the interpreter computes the whole region (native.hpp). For an
//   evaluation of derivatives alone what only outputs read does not count.
#pragma once
#include <vector>

#include "engine/code/layout.hpp"

namespace kron::code {

enum class Purpose : std::uint8_t { all, derivatives, tangents };

class Producers {
 public:
  static constexpr std::uint32_t none = 0xffffffff;
  explicit Producers(const Program&);

  std::uint32_t region(std::uint32_t reg) const { return region_[reg]; }  // none: a constant or an input
  // Of a register that an instruction makes, its run; of an unknown, its step.
  bool by_step(std::uint32_t reg) const { return by_step_[reg]; }
  std::uint32_t maker(std::uint32_t reg) const { return maker_[reg]; }
  std::uint32_t region_of_step(std::uint32_t s) const { return region_of_step_[s]; }
  std::uint32_t owner(std::uint32_t region) const { return owner_[region]; }  // the Newton step whose body it is
  bool stored(std::uint32_t reg, Purpose p) const { return p == Purpose::all ? stored_[reg] : stored_for_derivatives_[reg]; }


 private:
  void place(std::uint32_t region);
  void find_stored();
  void store(std::uint32_t reg, bool for_outputs);
  bool is_output(std::uint32_t region) const;
  const Program& p_;
  std::vector<std::uint32_t> region_, maker_, region_of_step_, owner_;
  std::vector<bool> by_step_, stored_, stored_for_derivatives_;
};

inline bool is_table(const Run& r) { return r.kernel == Kernel::call && takes_any_number(r.fn); }

// How many registers a run makes, and how many each of its instructions reads.
inline std::uint32_t results(const Run& r) { return r.kernel == Kernel::step ? 0 : is_table(r) ? 1 : r.count; }
inline std::uint32_t arity(const Run& r) {
  switch (r.kernel) {
    case Kernel::step:
      return 0;
    case Kernel::inv:
    case Kernel::neg:
    case Kernel::take:
      return 1;
    case Kernel::call:
      return is_table(r) ? r.count : static_cast<std::uint32_t>(info(r.fn).arity);
    default:
      return 2;
  }
}
// Operand k of instruction i of a run.
inline std::uint32_t operand(const Program& p, const Run& r, std::uint32_t i, std::uint32_t k) {
  return p.operands[r.operands + (is_table(r) ? k : k * r.count + i)];
}

// Calls f(register) for what a step reads: of a guarded one `watches` alone, or `all` with its LU's.
enum class Reads : std::uint8_t { watches, all };
template <class F>
void each_read(const StepPlan& s, Reads reads, F&& f) {
  for (const StepPlan::WatchedValue& w : s.watch) f(w.value), f(w.a), f(w.b);
  if (reads == Reads::watches) return;
  for (const StepPlan::Load& l : s.matrix) f(l.value.reg());
  for (const auto* list : {&s.right, &s.start})
    for (Signed v : *list) f(v.reg());
  for (const StepPlan::Pins& p : s.pins)
    for (Signed v : p.value) f(v.reg());
}

}  // namespace kron::code
