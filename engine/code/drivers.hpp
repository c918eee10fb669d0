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

// One pass along the program; a register of `of` holds the inputs behind it, as bits: what is counted from 63 on shares one.
template <class T>
class Drivers {
 public:
  explicit Drivers(const Program& p) : p_(p), of_(p.registers, 0), by_step_(p.steps.size(), 0) {
    for (const InputKind kind : {InputKind::state, InputKind::time})
      for (std::uint32_t k = 0; k < p.input_size[static_cast<std::size_t>(kind)]; ++k) {
        const std::uint32_t reg = p.input_begin[static_cast<std::size_t>(kind)] + k;
        of_[reg] = std::uint64_t{1} << std::min<std::size_t>(inputs_.size(), most);
        inputs_.push_back(reg);
      }
    pass(dynamic_section);
  }
  // Of each step the registers of its inputs; none where they are too many.
  std::vector<std::vector<std::uint32_t>> by_step() const {
    std::vector<std::vector<std::uint32_t>> lists(by_step_.size());
    for (std::size_t s = 0; s < lists.size(); ++s)
      for (std::size_t k = 0; k < most && by_step_[s] >> most == 0; ++k)
        if (by_step_[s] >> k & 1) lists[s].push_back(inputs_[k]);
    return lists;
  }

 private:
  static constexpr std::size_t most = 63;
  void pass(std::uint32_t region) {
    for (std::uint32_t i = p_.regions[region].begin; i < p_.regions[region].end; ++i) {
      const Run& run = p_.runs[i];
      if (run.kernel == Kernel::step) {
        step(run.result);
        continue;
      }
      for (std::uint32_t k = 0; k < results(run); ++k)
        for (std::uint32_t a = 0; a < arity(run); ++a) of_[run.result + k] |= of_[operand(p_, run, k, a)];
    }
  }
  // Its unknowns are functions of all that its equations read besides them, which are not known before its regions.
  void step(std::uint32_t s) {
    const StepPlan& plan = p_.steps[s];
    std::uint64_t& of = by_step_[s];
    for (const std::uint32_t region : {plan.residual_region, plan.jacobian_region})
      if (region != 0) pass(region);
    each_read(plan, Reads::all, [&](std::uint32_t reg) { of |= of_[reg]; });
    for (std::uint32_t c = 0; !plan.guarded && c < plan.columns; ++c) of_[plan.unknowns + c] = of;
  }

  const Program& p_;
  std::vector<std::uint64_t> of_, by_step_;
  std::vector<std::uint32_t> inputs_;
};

template <class T>
const std::vector<std::vector<std::uint32_t>>& Engine<T>::drivers() {
  if (drivers_.empty()) drivers_ = Drivers<T>(*program).by_step();
  return drivers_;
}

}  // namespace kron::code
