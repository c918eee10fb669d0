#include "repl/kept_sweep.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "repl/text.hpp"

namespace kron::repl {

namespace {

constexpr std::size_t most_runs = 12;  // as curves that can be told apart

void add_trajectories(const KeptSweep& k, const std::vector<std::size_t>& columns, Figure& f) {
  f.x_name = "time";
  f.x_unit = "s";
  std::vector<std::size_t> runs;
  for (std::size_t i = 0; i < k.sets.size(); ++i)
    if (!k.sweep.rows[i].time.empty()) runs.push_back(i);
  const std::size_t shown = std::min(runs.size(), most_runs);
  for (std::size_t n = 0; n < shown; ++n) {
    const std::size_t i = runs[shown < 2 ? 0 : n * (runs.size() - 1) / (shown - 1)];
    for (std::size_t c : columns)
      f.curves.push_back({k.heading[c] + ", " + set_text(k, i), {}, k.sweep.rows[i].time, k.sweep.rows[i].series[c - k.parameters]});
  }
}

void add_table(const KeptSweep& k, const std::vector<std::size_t>& columns, Figure& f) {
  f.x_name = k.heading.front();
  std::vector<std::size_t> runs(k.sets.size());
  std::iota(runs.begin(), runs.end(), std::size_t{0});
  std::erase_if(runs, [&](std::size_t i) { return k.sweep.rows[i].values.empty(); });
  std::stable_sort(runs.begin(), runs.end(), [&](std::size_t a, std::size_t b) { return k.sets[a][0] < k.sets[b][0]; });
  std::map<std::vector<double>, std::vector<std::size_t>> groups;  // by the other parameters
  for (std::size_t i : runs) groups[{k.sets[i].begin() + 1, k.sets[i].end()}].push_back(i);
  const bool all_differ = groups.size() > most_runs;  // samples: no groups
  if (all_differ) groups = {{{}, runs}};
  for (std::size_t c : columns)
    for (const auto& [others, list] : groups) {
      Curve curve{k.heading[c], {}, {}, {}};
      for (std::size_t p = 0; p < others.size(); ++p) curve.name += ", " + k.heading[p + 1] + " = " + number(others[p]);
      for (std::size_t i : list) {
        curve.x.push_back(k.sets[i][0]);
        curve.y.push_back(k.sweep.rows[i].values[c - k.parameters]);
      }
      f.curves.push_back(std::move(curve));
    }
}

}  // namespace

std::string set_text(const KeptSweep& k, std::size_t run) {
  std::string s;
  for (std::size_t p = 0; p < k.parameters; ++p) s += (p ? ", " : "") + k.heading[p] + " = " + number(k.sets[run][p]);
  return s;
}

Figure figure_of(const KeptSweep& k, const std::vector<std::size_t>& wanted) {
  std::vector<std::size_t> columns = wanted;
  for (std::size_t c = k.parameters; wanted.empty() && c < k.heading.size(); ++c) columns.push_back(c);
  Figure f;
  if (k.trajectories) add_trajectories(k, columns, f);
  else add_table(k, columns, f);
  return f;
}

}  // namespace kron::repl
