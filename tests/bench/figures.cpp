// One table: figure, time, reference, ratio.
#include "tests/bench/figures.hpp"

#include <cstdio>
#include <string_view>

namespace {

std::string seconds(double s) {
  char text[32];
  if (s < 1e-6) std::snprintf(text, sizeof text, "%.1f ns", s * 1e9);
  else if (s < 1e-3) std::snprintf(text, sizeof text, "%.2f us", s * 1e6);
  else std::snprintf(text, sizeof text, "%.2f ms", s * 1e3);
  return text;
}

}  // namespace

// Arguments: which groups, else all.
int main(int argc, char** argv) {
  const auto wanted = [&](std::string_view group) {
    for (int i = 1; i < argc; ++i)
      if (argv[i] == group) return true;
    return argc == 1;
  };
  std::printf("%-46s %12s %12s %7s  %s\n", "figure", "Kron", "reference", "ratio", "reference is");
  const struct { const char* name; kron::bench::Figures (*measure)(); } groups[] = {
      {"code", kron::bench::machine_code_figures}, {"mechanics", kron::bench::mechanics_figures}, {"sweep", kron::bench::sweep_figures},
      {"circuits", kron::bench::circuit_figures}};
  for (const auto& [group, measure] : groups) {
    if (!wanted(group)) continue;
    for (const kron::bench::Figure& f : measure())
      std::printf("%-46s %12s %12s %7.2f  %s\n", f.name.c_str(), seconds(f.own).c_str(), seconds(f.reference).c_str(), f.own / f.reference, f.against.c_str());
    std::fflush(stdout);
  }
  return 0;
}
