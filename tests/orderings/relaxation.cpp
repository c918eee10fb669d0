// Relaxed unknowns as iteration variables agree with elimination.
#include <doctest/doctest.h>

#include <cmath>

#include "lang/workspace/kron.hpp"

using namespace kron;

namespace {

// Poisson's equation on an n x n grid, its neighbours relaxed; `c` moves it away from diagonal dominance.
std::string grid(int n, const std::string& c) {
  return "parameter n : Integer = " + std::to_string(n) + "\nparameter c = " + c +
         "\nvariable u[n, n]\nfor i in 1:n, j in 1:n\n  c*u[i,j] = (if i > 1 then relax(u[i-1,j]) else 0) + (if i < n then relax(u[i+1,j]) "
         "else 0) + (if j > 1 then relax(u[i,j-1]) else 0) + (if j < n then relax(u[i,j+1]) else 0) + (1 + sin(i + 2*j + time))/n^2\nend\n";
}

std::vector<double> solution(const std::string& text, const std::string& relaxation, simulate::Counters& counters) {
  Session s;
  s.options().relaxation = relaxation;
  REQUIRE(s.run_text(text));
  simulate::Options o;
  o.stop = 1;
  o.points = 3;
  REQUIRE(s.simulate(o));
  counters = s.result()->counters;
  std::vector<double> all;
  for (const char* name : {"u[1,1]", "u[7,3]", "u[10,10]", "u[20,11]"}) {
    const auto x = s.series(name);
    REQUIRE(x);
    all.insert(all.end(), x->begin(), x->end());
  }
  return all;
}

}  // namespace

TEST_CASE("relaxation: sweeps agree with elimination") {
  struct Row { const char* name; const char* coefficient; const char* relaxation; bool sweeps; };
  const Row rows[] = {
      {"Gauss-Seidel", "4", "iterate", true}, {"Jacobi", "4", "jacobi", true}, {"a larger diagonal", "7.5", "iterate", true},
      {"no diagonal dominance", "0.37", "iterate", true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    simulate::Counters plain, swept;
    const auto exact = solution(grid(24, row.coefficient), "eliminate", plain);
    const auto found = solution(grid(24, row.coefficient), row.relaxation, swept);
    CHECK(plain.relaxation_sweeps == 0);
    CHECK((swept.relaxation_sweeps > 0) == row.sweeps);
    REQUIRE(exact.size() == found.size());
    double size = 0;
    for (double x : exact) size = std::max(size, std::fabs(x));
    for (std::size_t k = 0; k < exact.size(); ++k) CHECK(std::fabs(exact[k] - found[k]) <= 1e-8 * size);
  }
}

TEST_CASE("relaxation: where sweeps cannot be made elimination goes on") {
  Session s;
  s.options().relaxation = "iterate";
  REQUIRE(s.run_text("variable x\nvariable y\nrelax(x) + relax(y) = time\nx - 2*y = 3"));
  simulate::Options o;
  o.stop = 3;
  REQUIRE(s.simulate(o));
  CHECK(*s.value("y") == doctest::Approx(0));
}
