// Whole processes: start-up, and a small script from text to result.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>

namespace {

void process(benchmark::State& state, const std::string& arguments) {
  const std::string command = std::string(KRON_PROGRAM) + " " + arguments + " > /dev/null 2>&1";
  for (auto _ : state)
    if (std::system(command.c_str()) != 0) return state.SkipWithError(command.c_str());
}

void start_up(benchmark::State& state) { process(state, "-e :quit"); }
BENCHMARK(start_up)->Unit(benchmark::kMillisecond)->UseRealTime();

void rc_filter(benchmark::State& state) { process(state, KRON_SOURCE_DIR "/examples/rc_filter.eq"); }
BENCHMARK(rc_filter)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
