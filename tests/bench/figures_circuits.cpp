#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>

#include "engine/simulate/run.hpp"
#include "lang/workspace/kron.hpp"
#include "tests/bench/figures.hpp"
#include "tests/bench/ladder_reference.hpp"
#include "tests/bench/models.hpp"

namespace kron::bench {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

Session session_of(const std::string& text) {
  Session s(elaborate::Settings{{KRON_SOURCE_DIR "/stdlib"}});
  if (!s.run_text(text) || !s.analysis().complete) throw std::runtime_error("the model is not complete");
  return s;
}

double solve_time(Session& s, const simulate::Options& o) {
  if (!s.simulate(o)) throw std::runtime_error("the run failed");
  return s.result()->counters.solve_s;
}

constexpr double ladder_stop = 5e-3;
constexpr std::size_t ladder_points = 1000;
simulate::Options ladder_options(double tolerance) { return {.stop = ladder_stop, .points = ladder_points, .tolerance = tolerance}; }

// Solve time of the ladder: the best of several runs of each, taken in turns.
Pair ladder(int cells) {
  Session s = session_of(step_ladder(cells));
  const auto n = static_cast<std::size_t>(cells);
  const std::string end = "C[" + std::to_string(cells) + "].v";
  Pair best;
  const int rounds = cells > 1000 ? 5 : 15;
  for (int round = 0; round < rounds; ++round) {
    const double own = solve_time(s, ladder_options(1e-6));
    const auto begin = Clock::now();
    const LadderRun run = ladder_by_hand(n, ladder_stop, ladder_points, 1e-6);
    best.take(own, since(begin));
  }
  const double own = s.value(end).value(), exact = ladder_by_hand(n, ladder_stop, 1, 1e-10).voltages.back();
  if (!(std::fabs(own - exact) <= 1e-5)) throw std::runtime_error("the ladder ends elsewhere");
  return best;
}

// The implicit nodes left to the integrator (ida, by choice), or solved in each evaluation (bdf).
Pair open_form(int n) {
  Session s = session_of(diode_grid(n, false));
  simulate::Options open{.stop = 1e-3}, closed = open;
  closed.method = simulate::Method::bdf;
  Pair best;
  for (int round = 0; round < 3; ++round) best.take(solve_time(s, open), solve_time(s, closed));
  return best;
}

// One evaluation of a model that is a full linear block, against a dense LU with partial pivoting.
void solve_densely(std::vector<double>& a, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t p = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::fabs(a[i * n + k]) > std::fabs(a[p * n + k])) p = i;
    if (p != k) {
      for (std::size_t j = k; j < n; ++j) std::swap(a[k * n + j], a[p * n + j]);
      std::swap(b[k], b[p]);
    }
    const double pivot = 1 / a[k * n + k];
    for (std::size_t i = k + 1; i < n; ++i) {
      const double l = a[i * n + k] * pivot;
      for (std::size_t j = k + 1; j < n; ++j) a[i * n + j] -= l * a[k * n + j];
      b[i] -= l * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k * n + j] * b[j];
    b[k] /= a[k * n + k];
  }
}

Pair dense_block(int size) {
  Session s = session_of(varying_block(size));
  solve_time(s, {.stop = 1e-9, .points = 1});
  const simulate::Problem& p = *s.result_problem();
  code::Machine<double> machine(p.dynamics, code::Backend::machine_code);
  simulate::set_inputs(machine, p);
  machine.run_parameters();
  const auto n = static_cast<std::size_t>(size);
  std::vector<double> y{0.7}, der(1), a(n * n), b(n);
  const auto by_hand = [&] {
    const double x = y[0];
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) a[i * n + j] = i == j ? size + 1 + x : x / static_cast<double>(i + j + 2);
      b[i] = x;
    }
    solve_densely(a, b);
  };
  const auto times = best_times(0.2, [&] { machine.derivative(0, y, der); }, by_hand);
  if (!(std::fabs(der[0] + b[0]) <= 1e-12)) throw std::runtime_error("the LU gives another solution");
  return {times[0], times[1]};
}

// Seconds of whole processes: commands run in a folder of their own, with the files they read; the best of some rounds, in turns.
class Processes {
 public:
  explicit Processes(const std::string& model, const std::string& netlist = "") {
    folder_ = std::filesystem::temp_directory_path() / ("kron-bench-" + std::to_string(std::random_device{}()));
    std::filesystem::create_directory(folder_);
    std::ofstream(folder_ / "model.eq") << model;
    std::ofstream(folder_ / "model.cir") << netlist;
  }
  ~Processes() { std::filesystem::remove_all(folder_); }
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;
  double time(const std::string& command) const {
    const auto begin = Clock::now();
    if (std::system(("cd " + folder_.string() + " && " + command + " > out 2>&1").c_str()) != 0) throw std::runtime_error(command);
    return since(begin);
  }
  double program() const { return time(KRON_PROGRAM " model.eq"); }

 private:
  std::filesystem::path folder_;
};

// The program alone; the reference is the time that was asked for.
Pair process(const std::string& model, double wanted, int rounds) {
  const Processes processes(model);
  Pair best;
  for (int round = 0; round < rounds; ++round) best.take(processes.program(), wanted);
  return best;
}

std::string simulated_ladder(int cells) { return step_ladder(cells) + ":simulate until 5e-3 points 1000 tol 1e-6\n"; }

// ngspice has its default settings, whose errors (1.4e-4 V on the ladder, 1.9e-4 V on a grid, against runs of tolerance
// 1e-10 and 1e-8) are larger than Kron's at the tolerances here (1.9e-6 V, 0.7e-4 V).
Pair against_ngspice(const std::string& model, const std::string& netlist) {
  const Processes processes(model, netlist);
  Pair best;
  constexpr int most_rounds = 7;
  constexpr double enough = 15;  // seconds
  const auto begin = Clock::now();
  for (int round = 0; round < most_rounds && since(begin) < enough; ++round)
    best.take(processes.program(), processes.time("ngspice -b model.cir"));
  return best;
}

}  // namespace

void circuit_figures(Table& table) {
  const auto row = [&](const std::string& name, const char* against, const auto& measure) {
    if (!table.wants(name)) return;
    table.begin(name);
    const Pair best = measure();
    table.end(best.own, best.reference, against);
  };
  const auto number = [](int n) { return std::to_string(n); };
  row("start of the program", "asked for", [] { return process(":quit\n", 0.03, 15); });
  for (const int n : {10, 100, 1000, 9000})
    row("RC ladder of " + number(n) + ": solve", "by hand: CVODE, KLU", [&] { return ladder(n); });
  row("RC ladder of 9000: text to result", "asked for", [] { return process(simulated_ladder(9000), 1, 3); });
  row("RC ladder of 100000: text to result", "asked for", [] { return process(simulated_ladder(100'000), 15, 1); });
  for (const int n : {8, 20})
    row("implicit diode grid " + number(n) + " x " + number(n) + ": solve", "method bdf", [&] { return open_form(n); });
  for (const int n : {3, 6, 12}) row("full linear block of " + number(n) + ": evaluation", "dense LU by hand", [&] { return dense_block(n); });
  if (std::system("command -v ngspice > /dev/null") != 0) return;
  for (const int n : {100, 1000, 10'000})
    row("RC ladder of " + number(n) + ": process", "ngspice", [&] { return against_ngspice(simulated_ladder(n), step_ladder_netlist(n)); });
  for (const int n : {30, 60})
    row("diode grid " + number(n) + " x " + number(n) + ": process", "ngspice", [&] {
      return against_ngspice(diode_grid(n, true) + ":simulate until 3e-3 points 1000 tol 1e-5\n", diode_grid_netlist(n));
    });
}

}  // namespace kron::bench
