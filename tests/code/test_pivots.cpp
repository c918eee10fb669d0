// Pivots of a selection, against elimination on a full matrix; an LU whose diagonal is zero.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "engine/code/klu.hpp"
#include "engine/code/selection.hpp"

using namespace kron::code;

namespace {

std::vector<bool> by_full_matrix(std::vector<double> a, std::size_t rows, std::size_t columns, const std::vector<int>& rank) {
  std::vector<bool> row_done(rows, false), taken(columns, false);
  constexpr double least[] = {0, 1e-3, 1e-6, 0};
  std::size_t left = rows;
  for (int r = 0; r < 4; ++r)
    for (; left > 0; --left) {
      std::size_t at = 0;
      double largest = 0;
      for (std::size_t k = 0; k < a.size(); ++k)
        if (!row_done[k / columns] && !taken[k % columns] && rank[k % columns] <= r && std::fabs(a[k]) > largest) largest = std::fabs(a[k]), at = k;
      if (!(largest > least[r])) break;
      const std::size_t p = at / columns, c = at % columns;
      row_done[p] = taken[c] = true;
      for (std::size_t i = 0; i < rows; ++i) {
        if (row_done[i]) continue;
        const double f = a[i * columns + c] / a[p * columns + c];
        for (std::size_t j = 0; j < columns; ++j) a[i * columns + j] -= f * a[p * columns + j];
      }
    }
  for (std::size_t j = columns; j-- > 0 && left > 0;)
    if (!taken[j]) taken[j] = true, --left;
  return taken;
}

}  // namespace

TEST_CASE("pivots: what a selection takes is what complete pivoting on the full matrix takes") {
  std::mt19937 random(7);
  const auto uniform = [&](double from, double to) { return std::uniform_real_distribution(from, to)(random); };
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(uniform(0, static_cast<double>(n))); };
  for (int trial = 0; trial < 300; ++trial) {
    CAPTURE(trial);
    const std::size_t rows = 1 + below(30), columns = rows + below(10);
    std::vector<double> full(rows * columns, 0);
    std::vector<int> rank(columns);
    for (int& r : rank) r = static_cast<int>(below(3));
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t k = 1 + below(5); k-- > 0;) full[i * columns + below(columns)] = trial % 3 == 0 ? std::round(uniform(-2, 2)) : uniform(-1, 1);
    if (trial % 5 == 0 && rows > 2)  // of lower rank
      for (std::size_t j = 0; j < columns; ++j) full[j] = full[columns + j] - full[2 * columns + j];
    std::vector<SelectionRow<double>> sparse(rows);
    for (std::size_t k = 0; k < full.size(); ++k)
      if (full[k] != 0) sparse[k / columns].emplace_back(static_cast<std::uint32_t>(k % columns), full[k]);
    CHECK(pivot_columns(sparse, columns, rank) == by_full_matrix(full, rows, columns, rank));
  }
}

// A saddle point: masses, and constraints whose diagonal is zero. Any order of columns has to give the solution, and the same after forget().
TEST_CASE("pivots: a sparse LU solves saddle points of every size") {
  std::mt19937 random(11);
  const auto uniform = [&](double from, double to) { return std::uniform_real_distribution(from, to)(random); };
  for (const std::uint32_t masses : {9u, 40u, 150u}) {
    CAPTURE(masses);
    const std::uint32_t constraints = 2 * masses / 3, n = masses + constraints;
    std::vector<std::vector<std::pair<std::int64_t, double>>> column(n);
    for (std::uint32_t k = 0; k < masses; ++k) column[k].emplace_back(k, uniform(0.5, 2));
    for (std::uint32_t c = 0; c < constraints; ++c)
      for (const std::uint32_t m : {c, c + masses / 5, c + masses / 3}) {
        const double x = uniform(0.5, 2) * (m % 2 ? 1 : -1);
        column[m].emplace_back(masses + c, x);
        column[masses + c].emplace_back(m, x);
      }
    MatrixShape shape{n, false, {0}, {}};
    std::vector<double> values, expected(n), right(n, 0.0);
    for (double& x : expected) x = uniform(-1, 1);
    for (std::uint32_t c = 0; c < n; ++c) {
      std::ranges::sort(column[c]);
      for (const auto& [r, x] : column[c]) {
        shape.row.push_back(r);
        values.push_back(x);
        right[static_cast<std::size_t>(r)] += x * expected[c];
      }
      shape.column_begin.push_back(static_cast<std::int64_t>(shape.row.size()));
    }
    Klu lu(shape);
    std::vector<double> first;
    for (int run = 0; run < 2; ++run) {
      REQUIRE(lu.factor(values) == Factored::ok);
      std::vector<double> x = right;
      lu.solve(x.data());
      for (std::uint32_t k = 0; k < n; ++k) CHECK(std::fabs(x[k] - expected[k]) < 1e-9);
      if (run == 0) first = x;
      else CHECK(x == first);
      lu.accept();
      lu.forget();
    }
  }
}
