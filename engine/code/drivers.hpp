// engine/code/drivers.hpp: which inputs move the solution of a step. Private to the room.
//   Coupled loops and mechanisms of one degree of freedom have one state that moves all positions of a block: what these were at two points
//   tells best, in that state, where they are at the next one (newton.hpp). Where several do, they tell whether all goes on along a line.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/code/engine.hpp"
#include "engine/code/producers.hpp"

namespace kron::code {

// One pass along the program; a register of `of` holds what is behind it: the one input, or the inputs as bits, of which those from the 64th on share one.
template <class T>
class Drivers {
 public:
  explicit Drivers(const Program& p) : p_(p), of_(p.registers), by_step_(p.steps.size()) {
    for (const InputKind kind : {InputKind::state, InputKind::time})
      for (std::uint32_t k = 0; k < p.input_size[static_cast<std::size_t>(kind)]; ++k) {
        const std::uint32_t reg = p.input_begin[static_cast<std::size_t>(kind)] + k;
        of_[reg] = {reg, std::uint64_t{1} << std::min<std::size_t>(inputs_.size(), most)};
        inputs_.push_back(reg);
      }
    pass(dynamic_section);
  }
  // Of each step the registers of its inputs; none where they are several, some beyond the first 63.
  std::vector<std::vector<std::uint32_t>> by_step() const {
    std::vector<std::vector<std::uint32_t>> lists(by_step_.size());
    for (std::size_t s = 0; s < lists.size(); ++s) {
      const auto& [single, bits] = by_step_[s];
      if (single < several) lists[s] = {single};
      for (std::size_t k = 0; single == several && k < most && bits >> most == 0; ++k)
        if (bits >> k & 1) lists[s].push_back(inputs_[k]);
    }
    return lists;
  }

 private:
  static constexpr std::size_t most = 63;
  static constexpr std::uint32_t nothing = ~0u, several = ~1u;
  struct Behind {
    std::uint32_t single = nothing;
    std::uint64_t bits = 0;
    void join(const Behind& x) {
      if (x.single != nothing) single = single == nothing || single == x.single ? x.single : several;
      bits |= x.bits;
    }
  };
  void pass(std::uint32_t region) {
    for (std::uint32_t i = p_.regions[region].begin; i < p_.regions[region].end; ++i) {
      const Run& run = p_.runs[i];
      if (run.kernel == Kernel::step) {
        step(run.result);
        continue;
      }
      for (std::uint32_t k = 0; k < results(run); ++k)
        for (std::uint32_t a = 0; a < arity(run); ++a) of_[run.result + k].join(of_[operand(p_, run, k, a)]);
    }
  }
  // Its unknowns are functions of all that its equations read besides them, which are not known before its regions.
  void step(std::uint32_t s) {
    const StepPlan& plan = p_.steps[s];
    Behind& of = by_step_[s];
    for (const std::uint32_t region : {plan.residual_region, plan.jacobian_region})
      if (region != 0) pass(region);
    each_read(plan, Reads::all, [&](std::uint32_t reg) { of.join(of_[reg]); });
    for (std::uint32_t c = 0; !plan.guarded && c < plan.columns; ++c) of_[plan.unknowns + c] = of;
  }

  const Program& p_;
  std::vector<Behind> of_, by_step_;
  std::vector<std::uint32_t> inputs_;
};

template <class T>
const std::vector<std::vector<std::uint32_t>>& Engine<T>::drivers() {
  if (drivers_.empty()) drivers_ = Drivers<T>(*program).by_step();
  return drivers_;
}

}  // namespace kron::code
