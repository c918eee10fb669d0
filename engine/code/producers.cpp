#include "engine/code/producers.hpp"

namespace kron::code {

Producers::Producers(const Program& p)
    : p_(p), region_(p.registers, none), maker_(p.registers, none), region_of_step_(p.steps.size(), none), owner_(p.regions.size(), none),
      by_step_(p.registers, false), stored_(p.registers, false), stored_for_derivatives_(p.registers, false) {
  for (std::uint32_t s = 0; s < p.steps.size(); ++s)
    if (p.steps[s].residual_region != 0) owner_[p.steps[s].residual_region] = owner_[p.steps[s].jacobian_region] = s;
  for (std::uint32_t r = 0; r < p.regions.size(); ++r) place(r);
  find_stored();
}

void Producers::place(std::uint32_t region) {
  for (std::uint32_t i = p_.regions[region].begin; i < p_.regions[region].end; ++i) {
    const Run& run = p_.runs[i];
    if (run.kernel == Kernel::step) {
      const StepPlan& s = p_.steps[run.result];
      region_of_step_[run.result] = region;
      for (std::uint32_t c = 0; !s.guarded && c < s.columns; ++c) {
        region_[s.unknowns + c] = region;
        maker_[s.unknowns + c] = run.result;
        by_step_[s.unknowns + c] = true;
      }
      continue;
    }
    for (std::uint32_t k = 0; k < results(run); ++k) region_[run.result + k] = region, maker_[run.result + k] = i;
  }
}

void Producers::find_stored() {
  for (const auto* list : {&p_.derivative, &p_.event, &p_.output, &p_.parameter})
    for (Signed s : *list) store(s.reg(), list == &p_.event || list == &p_.output);
  for (const ChosenRootPlan& c : p_.chosen)
    for (Signed s : c.alternative) store(s.reg(), false);
  for (std::uint32_t region = 0; region < p_.regions.size(); ++region) {
    const bool output = is_output(region);
    const auto from_outside = [&](std::uint32_t reg) {
      if (region_[reg] != region) store(reg, output);
    };
    const auto from_memory = [&](std::uint32_t reg) { store(reg, output); };
    for (std::uint32_t i = p_.regions[region].begin; i < p_.regions[region].end; ++i) {
      const Run& run = p_.runs[i];
      if (run.kernel == Kernel::step) {
        const StepPlan& s = p_.steps[run.result];
        if (s.guarded) each_read(s, Reads::all, from_outside);
        else each_read(s, Reads::all, from_memory);
        continue;
      }
      for (std::uint32_t k = 0; k < results(run); ++k)
        for (std::uint32_t a = 0; a < arity(run); ++a) {
          const std::uint32_t reg = operand(p_, run, k, a);
          if (is_table(run)) from_memory(reg);
          else from_outside(reg);
        }
    }
  }
}

void Producers::store(std::uint32_t reg, bool for_outputs) {
  stored_[reg] = true;
  if (!for_outputs) stored_for_derivatives_[reg] = true;
}

bool Producers::is_output(std::uint32_t region) const {
  while (owner_[region] != none) region = region_of_step_[owner_[region]];
  return region == event_section || region == output_section;
}

}  // namespace kron::code
