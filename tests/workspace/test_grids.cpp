// Grids of one equation a node: an elimination that goes from node to node by the units multiplies what it rounds by about a at each step.
// How far it does is not seen at numbers below 2, at which orderings are checked, too. Assignments of a torn block do the same.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

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

namespace {

std::string chain(int n, const std::string& start, double beside) {
  const std::string b = std::to_string(beside);
  return "parameter n = " + std::to_string(n) + "\nvariable x[n]" + start + "\nfor k in 1:n\n  x[k]^3 + x[k] = (if k > 1 then " + b +
         " * x[k - 1] else sin(time)) + (if k < n then " + b + " * x[k + 1] else 0)\nend\n";
}

// Newton's iteration on the tridiagonal system [Thomas].
std::vector<double> solved_chain(int n, double beside, double first) {
  std::vector<double> x(static_cast<std::size_t>(n), 0);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> d, r;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double left = k > 0 ? beside * x[k - 1] : first, right = k + 1 < x.size() ? beside * x[k + 1] : 0;
      d.push_back(3 * x[k] * x[k] + 1);
      r.push_back(left + right - x[k] * x[k] * x[k] - x[k]);
      if (k == 0) continue;
      d[k] -= beside * beside / d[k - 1];
      r[k] += beside * r[k - 1] / d[k - 1];
    }
    for (std::size_t k = x.size(); k-- > 0;) {
      if (k + 1 < x.size()) r[k] += beside * r[k + 1];
      r[k] /= d[k];
    }
    for (std::size_t k = 0; k < x.size(); ++k) x[k] += r[k];
  }
  return x;
}

}  // namespace

TEST_CASE("grids: chains of nonlinear equations are solved whatever their length") {
  for (const int n : {5, 8, 15, 30, 80})
    for (const std::string start : {"", "(start = 0.5)"})
      for (const double beside : {0.3, 0.1}) {
        CAPTURE(n);
        CAPTURE(start);
        CAPTURE(beside);
        Session s;
        REQUIRE_MESSAGE(s.run_text(chain(n, start, beside)), rendered(s));
        REQUIRE_MESSAGE(s.simulate({.stop = 1, .points = 10}), rendered(s));
        const std::vector<double> expected = solved_chain(n, beside, std::sin(1.0));
        for (int k = 1; k <= n; ++k) {
          const double x = s.value("x[" + std::to_string(k) + "]").value(), of = expected[static_cast<std::size_t>(k - 1)];
          CHECK(std::fabs(x - of) < 1e-9);
        }
      }
}

// u'' = exp(u), and a plate; each has one solution, near zero.
TEST_CASE("grids: an exponential along a chain, cubes on a plate") {
  for (const int n : {6, 8, 20, 60}) {
    CAPTURE(n);
    Session s;
    REQUIRE_MESSAGE(s.run_text("parameter n = " + std::to_string(n) + "\nvariable u[n]\nfor k in 1:n\n  (if k > 1 then u[k - 1] else 0) - 3 * u[k]"
                               " + (if k < n then u[k + 1] else 0) = exp(u[k]) - 5 * sin(time)\nend\n"), rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = 1, .points = 10}), rendered(s));
    for (int k = 1; k <= n; ++k) {
      const auto u = [&](int j) { return j < 1 || j > n ? 0.0 : s.value("u[" + std::to_string(j) + "]").value(); };
      CHECK(std::fabs(u(k - 1) - 3 * u(k) + u(k + 1) - std::exp(u(k)) + 5 * std::sin(1.0)) < 1e-8);
    }
  }
  for (const int n : {8, 14}) {
    CAPTURE(n);
    Session s;
    REQUIRE_MESSAGE(s.run_text("parameter n = " + std::to_string(n) + "\nvariable u[n, n]\nvariable s(start = 0, fixed)\nder(s) = u[1, 1]\nfor i in 1:n, j in 1:n\n"
                               "  u[i, j]^3 + 4 * u[i, j] = (if i > 1 then u[i - 1, j] else 0) + (if i < n then u[i + 1, j] else 0)"
                               " + (if j > 1 then u[i, j - 1] else 0) + (if j < n then u[i, j + 1] else 0) + sin(time)\nend\n"), rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = 1, .points = 10, .tolerance = 1e-8}), rendered(s));
    CHECK(s.result()->counters.steps < 200);  // of rk45, 150 of ida; 112,000 at n = 10 where rounding was most of the derivative
  }
}

// Numbers as coefficients are exact fractions, which would get longer with every step: 30 equations took 14 s.
TEST_CASE("full systems with numbers as coefficients: one order is tried, and the equations hold") {
  for (const int n : {5, 12, 24, 40}) {
    CAPTURE(n);
    const auto coefficient = [](int i, int k) { return ((i * 37 + k * 101 + i * k * 13) % 997 + 1) / 1000.0 * (i == k ? 20 : 1); };
    std::string text = "variable x[" + std::to_string(n) + "]\n";
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < n; ++k) text += (k > 0 ? " + " : "") + to_text(coefficient(i, k)) + " * x[" + std::to_string(k + 1) + "]";
      text += " = " + std::to_string(i + 1) + " * time\n";
    }
    Session s;
    REQUIRE_MESSAGE(s.run_text(text), rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = 1, .points = 1}), rendered(s));
    std::vector<double> x;
    for (int k = 0; k < n; ++k) x.push_back(*s.value("x[" + std::to_string(k + 1) + "]"));
    for (int i = 0; i < n; ++i) {
      double sum = -(i + 1);
      for (int k = 0; k < n; ++k) sum += coefficient(i, k) * x[static_cast<std::size_t>(k)];
      CHECK(std::fabs(sum) < 1e-11 * (i + 1));
    }
    for (const session::Block& b : s.analysis().blocks)
      if (b.unknowns.size() > 6) CHECK(b.how().tried.size() <= 3);
  }
}
