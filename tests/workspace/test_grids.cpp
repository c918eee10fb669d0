// Grids of one equation a node: an elimination that goes from node to node by the units multiplies what it rounds by about a at each step.
// How far it does is seen at no number below 2, and at the numbers that a model has, too, where the orderings are tried at others.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

std::string grid(int rows, int columns, double a) {
  return "parameter n = " + std::to_string(rows) + "\nparameter m = " + std::to_string(columns) + "\nparameter a = " + std::to_string(a) +
         "\nvariable u[n, m]\nfor i in 1:n, j in 1:m\n  a * u[i, j] = (if i > 1 then u[i - 1, j] else 0) + (if i < n then u[i + 1, j] else 0)"
         " + (if j > 1 then u[i, j - 1] else 0) + (if j < m then u[i, j + 1] else 0) + cos(time)\nend\n";
}

double largest_residual(Session& s, int rows, int columns, double a) {
  const auto u = [&](int i, int j) {
    return i < 1 || j < 1 || i > rows || j > columns ? 0.0 : s.value("u[" + std::to_string(i) + "," + std::to_string(j) + "]").value();
  };
  double most = 0;
  for (int i = 1; i <= rows; ++i)
    for (int j = 1; j <= columns; ++j) {
      const double residual = std::fabs(a * u(i, j) - u(i - 1, j) - u(i + 1, j) - u(i, j - 1) - u(i, j + 1) - std::cos(1.0));
      if (!(residual <= most)) most = residual;  // NaN too
    }
  return most;
}

}  // namespace

TEST_CASE("grids: all equations hold, whatever stands on the diagonal and however they are solved") {
  const struct { int rows, columns; } sizes[] = {{6, 6}, {8, 8}, {9, 9}, {10, 10}, {11, 11}, {4, 20}, {5, 20}, {8, 30}, {14, 14}};
  for (const auto& [rows, columns] : sizes)
    for (const char* solve : {"auto", "tear"}) {
      CAPTURE(rows);
      CAPTURE(columns);
      CAPTURE(std::string(solve));
      Session s;
      s.options().solve = solve;
      REQUIRE_MESSAGE(s.run_text(grid(rows, columns, 10)), rendered(s));
      for (const double a : {10.0, 4.0, 4.1, 6.0}) {  // the others without another translation
        CAPTURE(a);
        REQUIRE(s.run_text("a := " + std::to_string(a)));
        REQUIRE_MESSAGE(s.simulate({.stop = 1, .points = 1}), rendered(s));
        // The values are below 60 (a = 4, 14 nodes a side), four rows of rounding at 2e-16 each, and 8 x 8 by its own ordering loses three digits.
        CHECK(largest_residual(s, rows, columns, a) < 1e-10);
      }
    }
}
