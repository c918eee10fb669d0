// One table: figure, time, reference, ratio.
#include "tests/bench/figures.hpp"

#include <array>
#include <cstdio>

namespace kron::bench {
namespace {

std::string seconds(double s) {
  char text[32];
  if (s < 1e-6) std::snprintf(text, sizeof text, "%.1f ns", s * 1e9);
  else if (s < 1e-3) std::snprintf(text, sizeof text, "%.2f us", s * 1e6);
  else std::snprintf(text, sizeof text, "%.2f ms", s * 1e3);
  return text;
}

void print_heading() { std::printf("%-46s %12s %12s %7s  %s\n", "figure", "Kron", "reference", "ratio", "reference is"); }

}  // namespace

bool Table::wants(const std::string& row) const {
  return wanted_.empty() || std::any_of(wanted_.begin(), wanted_.end(), [&](const std::string& w) { return row.starts_with(w); });
}

void Table::begin(const std::string& row) {
  std::printf("%-46s ", row.c_str());
  std::fflush(stdout);
}

void Table::end(double own, double reference, const std::string& against) {
  std::printf("%12s %12s %7.2f  %s\n", seconds(own).c_str(), seconds(reference).c_str(), own / reference, against.c_str());
  std::fflush(stdout);
}

}  // namespace kron::bench

// Arguments: groups, and how names of rows begin; none: all.
int main(int argc, char** argv) {
  using namespace kron::bench;
  const struct { const char* name; void (*measure)(Table&); } groups[] = {
      {"code", machine_code_figures}, {"mechanics", mechanics_figures}, {"sweep", sweep_figures}, {"circuits", circuit_figures}};
  std::vector<std::string> rows(argv + 1, argv + argc);
  const auto takes = [&](const char* name) { return std::erase(rows, name) > 0; };
  std::array<bool, std::size(groups)> whole{};
  for (std::size_t g = 0; g < std::size(groups); ++g) whole[g] = argc == 1 || takes(groups[g].name);
  Table everything({}), some(rows);
  print_heading();
  for (std::size_t g = 0; g < std::size(groups); ++g)
    if (whole[g] || !rows.empty()) groups[g].measure(whole[g] ? everything : some);
  return 0;
}
