// Times from text to trajectory. Where a size is given, `cell` is the time for one cell: it should not grow with the size.
#include <benchmark/benchmark.h>

#include <stdexcept>

#include "lang/syntax/parser.hpp"
#include "lang/syntax/printer.hpp"
#include "lang/workspace/kron.hpp"
#include "tests/bench/models.hpp"

namespace kron::bench {

namespace {

const elaborate::Settings libraries{{KRON_SOURCE_DIR "/stdlib"}};

Session session_with(const std::string& text) {
  Session s(libraries);
  if (!s.run_text(text)) throw std::runtime_error(render(s.diagnostics().list().front()));
  return s;
}

void per_cell(benchmark::State& state) {
  state.counters["cell"] =
      benchmark::Counter(static_cast<double>(state.range(0)), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <std::string (*text)(int)>
void analysis(benchmark::State& state) {
  const std::string model = text(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    Session s = session_with(model);
    if (!s.analysis().complete) return state.SkipWithError("the model is not complete");
  }
  per_cell(state);
}

// The time of one derivative evaluation, from a run of fixed steps.
template <std::string (*text)(int)>
void derivative(benchmark::State& state) {
  Session s = session_with(text(static_cast<int>(state.range(0))));
  simulate::Options o;
  o.stop = 1e-6;
  o.points = 1;
  o.step = 1e-9;
  o.method = simulate::Method::euler;
  for (auto _ : state)
    if (!s.simulate(o)) return state.SkipWithError("the run failed");
  state.counters["evaluation"] = benchmark::Counter(static_cast<double>(s.result()->counters.rhs_evals),
                                                    benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  per_cell(state);
}

// From text to a result: 10 s of the ladder at 500 output points.
template <std::string (*text)(int)>
void result(benchmark::State& state) {
  const std::string model = text(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    Session s = session_with(model);
    if (!s.simulate({.stop = 10})) return state.SkipWithError("the run failed");
  }
  per_cell(state);
}

void parse(benchmark::State& state) {
  const SourceId source = sources::add("bench", equations(static_cast<int>(state.range(0))));
  for (auto _ : state) benchmark::DoNotOptimize(syntax::parse(source));
  per_cell(state);
}

void print(benchmark::State& state) {
  const syntax::Parsed parsed = syntax::parse(sources::add("bench", equations(static_cast<int>(state.range(0)))));
  for (auto _ : state) benchmark::DoNotOptimize(syntax::print(parsed.statements));
  per_cell(state);
}

// A parameter of one resistor, then the analysis again: nothing structural changes.
void edit_parameter(benchmark::State& state) {
  Session s = session_with(rc_ladder(static_cast<int>(state.range(0))));
  s.analysis();
  int k = 0;
  for (auto _ : state) {
    s.run_text("source.V := " + std::to_string(++k));
    s.analysis();
  }
}

// The declaration of one component again with another number.
void edit_declaration(benchmark::State& state) {
  Session s = session_with(declared_ladder(static_cast<int>(state.range(0))));
  s.analysis();
  int k = 0;
  for (auto _ : state) {
    s.run_text("r500 : Resistor(R = " + std::to_string(++k) + ")");
    s.analysis();
  }
}

// The value of one component of an array, for the first time.
void edit_element(benchmark::State& state) {
  Session s = session_with(rc_ladder(static_cast<int>(state.range(0))));
  s.analysis();
  int k = 0;
  for (auto _ : state) {
    s.run_text("r[" + std::to_string(++k) + "].R := 2");
    s.analysis();
  }
}

// One more equation and its variable, then the analysis again.
void edit_equation(benchmark::State& state) {
  Session s = session_with(rc_ladder(static_cast<int>(state.range(0))));
  s.analysis();
  int k = 0;
  for (auto _ : state) {
    s.run_text("variable extra = " + std::to_string(++k) + " * r[1].v");
    s.analysis();
  }
}

constexpr auto ms = benchmark::kMillisecond;
BENCHMARK(parse)->Arg(1000)->Arg(9000)->Unit(ms);
BENCHMARK(print)->Arg(1000)->Arg(9000)->Unit(ms);
BENCHMARK(analysis<rc_ladder>)->Name("analysis/rc_ladder")->Arg(1000)->Arg(9000)->Unit(ms);
BENCHMARK(analysis<heat_rod>)->Name("analysis/heat_rod")->Arg(1000)->Arg(9000)->Unit(ms);
BENCHMARK(analysis<coupled>)->Name("analysis/coupled")->Arg(10)->Arg(40)->Unit(ms);
BENCHMARK(analysis<chain_of_bodies>)->Name("analysis/chain_of_bodies")->Arg(75)->Arg(300)->Unit(ms);
BENCHMARK(analysis<tree_of_bodies>)->Name("analysis/tree_of_bodies")->Arg(75)->Arg(300)->Unit(ms);
BENCHMARK(analysis<row_of_loops>)->Name("analysis/row_of_loops")->Arg(35)->Arg(140)->Unit(ms);
BENCHMARK(analysis<star_of_bodies>)->Name("analysis/star_of_bodies")->Arg(75)->Arg(300)->Unit(ms);
BENCHMARK(analysis<carried_loops>)->Name("analysis/carried_loops")->Arg(19)->Arg(75)->Unit(ms);
BENCHMARK(derivative<rc_ladder>)->Name("derivative/rc_ladder")->Arg(1000)->Arg(9000)->Unit(ms);
BENCHMARK(derivative<coupled>)->Name("derivative/coupled")->Arg(10)->Arg(40)->Unit(ms);
BENCHMARK(derivative<chain_of_bodies>)->Name("derivative/chain_of_bodies")->Arg(75)->Arg(300)->Unit(ms);
BENCHMARK(result<rc_ladder>)->Name("result/rc_ladder")->Arg(1000)->Arg(9000)->Unit(ms);
BENCHMARK(result<declared_ladder>)->Name("result/declared_ladder")->Arg(1000)->Arg(9000)->Unit(ms);
BENCHMARK(edit_parameter)->Arg(1000)->Arg(9000)->Unit(ms);
BENCHMARK(edit_declaration)->Arg(1000)->Arg(9000)->Unit(ms);
BENCHMARK(edit_element)->Arg(1000)->Arg(9000)->Unit(ms);
BENCHMARK(edit_equation)->Arg(1000)->Arg(9000)->Unit(ms);

}  // namespace
}  // namespace kron::bench
