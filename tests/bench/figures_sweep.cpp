#include <cmath>
#include <stdexcept>

#include "lang/syntax/parser.hpp"
#include "lang/workspace/sweep.hpp"
#include "tests/bench/figures.hpp"
#include "tests/support/example.hpp"

namespace kron::bench {
namespace {

// Seconds in the solver, of 1,000 sets of the double pendulum: run one by one in one session, and as a sweep. The least of some rounds, in
// turns.
Pair times(Session& s, const SweepPlan& plan) {
  Pair best;
  for (int round = 0; round < 7; ++round) {
    double single = 0;
    std::vector<double> values;
    for (const auto& set : plan.sets) {
      s.set_parameter(plan.parameters[0], set[0]);
      if (!s.simulate(plan.options)) throw std::runtime_error("a single run failed");
      single += s.result()->counters.init_s + s.result()->counters.solve_s;
      values.push_back(s.result()->trajectory.state(s.result()->trajectory.size() - 1)[0]);
    }
    s.clear_overrides();
    const auto sweep = s.sweep(plan);
    if (!sweep) throw std::runtime_error("the sweep failed");
    for (std::size_t i = 0; i < values.size(); ++i)
      if (sweep->rows[i].values.at(0) != values[i]) throw std::runtime_error("a set of the sweep is not its single run");
    best.take(sweep->counters.solve_s, single);
  }
  return best;
}

}  // namespace

void sweep_figures(Table& table) {
  Session s(elaborate::Settings{{KRON_SOURCE_DIR "/stdlib"}});
  if (!s.run_text(test::example("double_pendulum_sweep.eq"))) throw std::runtime_error("the model does not run");
  SweepPlan plan;
  plan.parameters = {"rod2.m"};
  for (int i = 0; i < 1000; ++i) plan.sets.push_back({0.5 + 1.5 * i / 999});
  plan.options.stop = 10;
  if (!s.simulate(plan.options)) throw std::runtime_error("the model does not run");
  Diagnostics d;
  plan.values = {syntax::parse_expression(sources::add("value", s.result_problem()->state_name(0)), d)};
  const struct { const char* name; simulate::BatchOptions batch; } rows[] = {
      {"sweep, 1,000 sets of the double pendulum", {}}, {"the same on one core", {1, true}}, {"the same without lanes", {0, false}}};
  for (const auto& row : rows) {
    if (!table.wants(row.name)) continue;
    plan.batch = row.batch;
    table.begin(row.name);
    const Pair t = times(s, plan);
    table.end(t.own, t.reference, "run after run in one session");
  }
}

}  // namespace kron::bench
