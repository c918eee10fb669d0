// engine/code/drivers.hpp: which input moves the solution of a step. Private to the room.
//   Coupled loops and mechanisms of one degree of freedom have one state that moves all positions of a block: what these were at two points
//   tells best, in that state, where they are at the next one (newton.hpp).
#pragma once
#include <vector>

#include "engine/code/engine.hpp"
#include "engine/code/producers.hpp"

namespace kron::code {

// One pass along the program; a register of `of` holds the one input behind it, none or several.
template <class T>
class Drivers {
 public:
  explicit Drivers(const Program& p) : p_(p), of_(p.registers, Engine<T>::nothing), by_step_(p.steps.size(), Engine<T>::nothing) {
    for (const InputKind kind : {InputKind::state, InputKind::time})
      for (std::uint32_t k = 0; k < p.input_size[static_cast<std::size_t>(kind)]; ++k) {
        const std::uint32_t reg = p.input_begin[static_cast<std::size_t>(kind)] + k;
        of_[reg] = reg;
      }
    pass(dynamic_section);
  }
  std::vector<std::uint32_t> by_step() && { return std::move(by_step_); }

 private:
  static std::uint32_t joined(std::uint32_t x, std::uint32_t y) {
    if (x == Engine<T>::nothing || x == y) return y;
    return y == Engine<T>::nothing ? x : Engine<T>::several;
  }
  void pass(std::uint32_t region) {
    for (std::uint32_t i = p_.regions[region].begin; i < p_.regions[region].end; ++i) {
      const Run& run = p_.runs[i];
      if (run.kernel == Kernel::step) {
        step(run.result);
        continue;
      }
      for (std::uint32_t k = 0; k < results(run); ++k) {
        std::uint32_t& of = of_[run.result + k];
        for (std::uint32_t a = 0; a < arity(run); ++a) of = joined(of, of_[operand(p_, run, k, a)]);
      }
    }
  }
  // Its unknowns are functions of all that its equations read besides them, which are not known before its regions.
  void step(std::uint32_t s) {
    const StepPlan& plan = p_.steps[s];
    std::uint32_t& of = by_step_[s];
    for (const std::uint32_t region : {plan.residual_region, plan.jacobian_region})
      if (region != 0) pass(region);
    each_read(plan, Reads::all, [&](std::uint32_t reg) { of = joined(of, of_[reg]); });
    for (std::uint32_t c = 0; !plan.guarded && c < plan.columns; ++c) of_[plan.unknowns + c] = of;
  }

  const Program& p_;
  std::vector<std::uint32_t> of_, by_step_;
};

template <class T>
const std::vector<std::uint32_t>& Engine<T>::drivers() {
  if (drivers_.empty()) drivers_ = Drivers<T>(*program).by_step();
  return drivers_;
}

}  // namespace kron::code
