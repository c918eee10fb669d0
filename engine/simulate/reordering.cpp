#include "engine/simulate/reordering.hpp"

#include <algorithm>

#include "engine/simulate/run.hpp"

namespace kron::simulate {

namespace {

// The implicit methods' matrix has room for the entries of the first program.
bool fits(const JacobianPlan& plan, const code::Pattern& p) {
  for (std::size_t r = 0; r < p.rows; ++r)
    for (auto k = p.row_begin[r]; k < p.row_begin[r + 1]; ++k) {
      const auto begin = plan.row.begin() + plan.column_begin[p.column[k]], end = plan.row.begin() + plan.column_begin[p.column[k] + 1];
      if (!std::binary_search(begin, end, static_cast<std::int64_t>(r))) return false;
    }
  return true;
}

}  // namespace

void Reordering::step(Run& run, double t, std::span<const double> y) {
  if (!run.problem.reordered) return;
  const code::Statistics& s = run.machine.statistics();
  const std::uint64_t calls = s.derivative_calls + s.output_calls - calls_, events = s.guard_events - events_;
  calls_ += calls;
  events_ += events;
  cold_steps_ = calls > 0 && 10 * events >= 9 * calls ? cold_steps_ + 1 : 0;
  if (cold_steps_ < patience_) return;
  cold_steps_ = 0;
  patience_ *= 4;  // each time costs an analysis
  replace(run, t, y);
}

void Reordering::replace(Run& run, double t, std::span<const double> y) {
  OperatingPoint point;
  point.outputs.resize(code::output_size(*run.problem.dynamics));
  if (run.machine.output(t, y, point.outputs) != code::Status::ok) return;
  point.blocks = run.machine.cold_blocks();
  for (std::size_t k = 0; k < point.inputs.size(); ++k) {
    const auto values = run.machine.inputs(static_cast<code::InputKind>(k));
    point.inputs[k].assign(values.begin(), values.end());
  }
  if (point.blocks.empty()) return;
  const auto program = run.problem.reordered(point);
  if (!program || code::iterated(*program, code::Iterations::of_derivatives) != run.result.trajectory.path_.unknowns()) return;
  if (run.jacobian && !fits(run.jacobian->plan(), code::state_pattern(*program))) return;
  code::Machine<double> machine(program, run.problem.backend);
  machine.resume(run.machine);
  if (machine.run_parameters() != code::Status::ok || machine.derivative(t, y, run.scratch) != code::Status::ok) return;
  if (machine.audit()) return;  // pivots that the guards let pass and that cost digits
  machine.accept();
  run.machine = std::move(machine);
  ++run.counters().reorderings;
}

}  // namespace kron::simulate
