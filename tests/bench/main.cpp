// Runs the benchmarks; then a table of ratios: how the time of one cell grows from the smaller to the larger size (1 is linear).
#include <benchmark/benchmark.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace {

struct Size {
  std::string argument;
  double cell;
};

class Reporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs)
      if (const auto it = run.counters.find("cell"); it != run.counters.end() && !run.error_occurred)
        cells_[run.run_name.function_name].push_back({run.run_name.args, it->second.value});
  }

  void ratios() const {
    std::printf("\n%-28s %16s %12s\n", "time of one cell", "sizes", "ratio");
    for (const auto& [name, sizes] : cells_)
      if (sizes.size() == 2)
        std::printf("%-28s %16s %12.2f\n", name.c_str(), (sizes[0].argument + " -> " + sizes[1].argument).c_str(), sizes[1].cell / sizes[0].cell);
  }

 private:
  std::map<std::string, std::vector<Size>> cells_;
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  Reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  reporter.ratios();
  return 0;
}
