#include <doctest/doctest.h>

#include <string>

#include "tests/structure/integer_oracle.hpp"

using namespace kron::structure;
using namespace kron::structure::testing;

namespace {

DenseRow combined(const IntegerSystem& s, const std::vector<std::pair<Row, std::int64_t>>& combination) {
  DenseRow out(s.columns + 1, 0);
  for (const auto& [row, factor] : combination) {
    const DenseRow dense = dense_row(s, row);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += factor * dense[i];
  }
  return out;
}

DenseRow dense(const Reduced::Constraint& c, std::uint32_t columns) {
  DenseRow out(columns + 1, 0);
  for (const auto& [column, factor] : c.terms) out[column] = factor;
  out[columns] = c.constant;
  return out;
}

bool names(const std::vector<std::pair<Row, std::int64_t>>& combination, Row r) {
  return std::any_of(combination.begin(), combination.end(),
                     [&](const auto& term) { return term.first == r && term.second != 0; });
}

void check_dependent(const IntegerSystem& s, const Reduced& reduced) {
  Span independent;
  std::vector<bool> dependent(s.rows(), false);
  for (const auto& d : reduced.dependent) {
    dependent[d.row] = true;
    REQUIRE(names(d.combination, d.row));
    REQUIRE(d.combination.size() == d.because.size() + 1);
    for (const Row r : d.because) REQUIRE((r != d.row && names(d.combination, r)));
    DenseRow sum = combined(s, d.combination);
    REQUIRE((sum.back() != 0) == d.contradictory);
    sum.back() = 0;
    REQUIRE(sum == DenseRow(s.columns + 1, 0));
  }
  for (Row r = 0; r < s.rows(); ++r)
    if (!dependent[r]) REQUIRE(independent.add(linear_part(dense_row(s, r))));
}

void check_constraints(const IntegerSystem& s, const std::vector<bool>& late, const Reduced& reduced) {
  Span all, early, independent;
  for (Row r = 0; r < s.rows(); ++r) {
    DenseRow row = linear_part(dense_row(s, r));
    all.add(row);
    for (Column c = 0; c < s.columns; ++c)
      if (late[c]) row[c] = 0;
    early.add(row);
  }
  REQUIRE(reduced.constraints.size() == all.rank() - early.rank());
  std::vector<bool> used(s.columns, false);
  for (const auto& c : reduced.constraints) {
    const DenseRow row = dense(c, s.columns);
    REQUIRE(combined(s, c.combination) == row);
    REQUIRE(names(c.combination, c.row));
    REQUIRE(independent.add(linear_part(row)));
    REQUIRE(row[c.pivot] > 0);
    for (const auto& [column, factor] : c.terms) REQUIRE((late[column] && factor != 0 && !used[column]));
    used[c.pivot] = true;
  }
}

void check_reduction(const IntegerSystem& s, const std::vector<bool>& late) {
  const Reduced reduced = reduce(s, late);
  REQUIRE_FALSE(reduced.overflow);
  check_dependent(s, reduced);
  check_constraints(s, late, reduced);
}

// Kirchhoff's rows of a k·k net of resistors: one current balance per node, one voltage per branch. Columns: branch
// currents (to the right, downwards), node potentials, branch voltages, and the ground's current at node 0 if there is
// a ground.
struct Net {
  std::uint32_t k;
  bool ground;
  std::uint32_t right(std::uint32_t i, std::uint32_t j) const { return i * k + j; }
  std::uint32_t down(std::uint32_t i, std::uint32_t j) const { return k * k + right(i, j); }

  IntegerSystem rows() const {
    IntegerSystem s;
    for (std::uint32_t i = 0; i < k; ++i)
      for (std::uint32_t j = 0; j < k; ++j) s.add_row(balance(i, j));
    const Column potential = 2 * k * k, voltage = 3 * k * k;
    for (std::uint32_t i = 0; i < k; ++i) {
      for (std::uint32_t j = 0; j < k; ++j) {
        const Column here = potential + right(i, j);
        if (j + 1 < k) s.add_row(Terms{{here, 1}, {here + 1, -1}, {voltage + right(i, j), -1}});
        if (i + 1 < k) s.add_row(Terms{{here, 1}, {here + k, -1}, {voltage + down(i, j), -1}});
      }
    }
    return s;
  }

 private:
  Terms balance(std::uint32_t i, std::uint32_t j) const {
    Terms sum;
    if (j + 1 < k) sum.emplace_back(right(i, j), 1);
    if (j > 0) sum.emplace_back(right(i, j - 1), -1);
    if (i + 1 < k) sum.emplace_back(down(i, j), 1);
    if (i > 0) sum.emplace_back(down(i - 1, j), -1);
    if (ground && i + j == 0) sum.emplace_back(5 * k * k, 1);
    return sum;
  }
};

IntegerSystem scrambled_system(const IntegerSystem& s, std::uint64_t seed) {
  Random random(seed);
  const auto name = permutation(s.columns, random);
  IntegerSystem out;
  out.columns = s.columns;
  for (const Row r : permutation(s.rows(), random)) {
    Terms terms;
    for (std::uint32_t i = s.begin[r]; i < s.begin[r + 1]; ++i) terms.emplace_back(name[s.column[i]], s.coefficient[i]);
    out.add_row(terms, s.constant[r]);
  }
  return out;
}

}  // namespace

TEST_CASE("reduce: a triangle of resistors without ground: one balance follows from the others") {
  IntegerSystem s;
  s.add_row(Terms{{0, 1}, {2, -1}});
  s.add_row(Terms{{1, 1}, {0, -1}});
  s.add_row(Terms{{2, 1}, {1, -1}});
  const Reduced r = reduce(s, {});
  REQUIRE(r.dependent.size() == 1);
  CHECK_FALSE(r.dependent[0].contradictory);
  CHECK(r.dependent[0].because.size() == 2);
  CHECK(r.constraints.empty());
  check_reduction(s, std::vector<bool>(3, false));
}

TEST_CASE("reduce: two capacitors in parallel: their voltages are equal") {
  // Columns: two potentials, the voltages of the capacitors (late).
  IntegerSystem s;
  s.add_row(Terms{{0, 1}, {1, -1}, {2, -1}});
  s.add_row(Terms{{0, 1}, {1, -1}, {3, -1}});
  const std::vector<bool> late{false, false, true, true};
  const Reduced r = reduce(s, late);
  CHECK(r.dependent.empty());
  REQUIRE(r.constraints.size() == 1);
  CHECK(r.constraints[0].terms == Terms{{2, 1}, {3, -1}});
  CHECK(r.constraints[0].pivot == 2);
  check_reduction(s, late);
}

TEST_CASE("reduce: two gears in a loop contradict each other, with factors") {
  // 2a = 3b, 3b = 2c, c = a + 1
  IntegerSystem s;
  s.add_row(Terms{{0, 2}, {1, -3}});
  s.add_row(Terms{{1, 3}, {2, -2}});
  s.add_row(Terms{{2, 1}, {0, -1}}, -1);
  const Reduced r = reduce(s, {});
  REQUIRE(r.dependent.size() == 1);
  CHECK(r.dependent[0].contradictory);
  check_reduction(s, std::vector<bool>(3, false));
}

TEST_CASE("reduce: empty systems and empty rows") {
  CHECK(reduce({}, {}).dependent.empty());
  IntegerSystem s;
  s.columns = 1;
  s.add_row(Terms{});
  s.add_row(Terms{{0, 2}, {0, -2}}, 5);
  check_reduction(s, {true});
  CHECK(reduce(s, {}).dependent.size() == 2);
}

TEST_CASE("reduce: random systems against dense elimination") {
  Random random(41);
  const Shape shapes[] = {{6, 6, 3, 1, 0}, {8, 6, 3, 1, 2},  {6, 8, 4, 2, 3},   {10, 10, 2, 1, 0},
                          {7, 7, 7, 3, 3}, {12, 5, 3, 2, 1}, {16, 16, 3, 1, 1}, {9, 9, 2, 3, 2}};
  for (int trial = 0; trial < 8000; ++trial) {
    CAPTURE(trial);
    const IntegerSystem s = random_system(shapes[static_cast<std::size_t>(trial) % std::size(shapes)], random);
    std::vector<bool> late(s.columns);
    for (std::size_t c = 0; c < late.size(); ++c) late[c] = random.below(3) == 0;
    check_reduction(s, late);
  }
}

namespace {

// Rows of two columns, hubs of many, and sums of several of all these, which are therefore redundant or contradictory.
IntegerSystem system_with_hubs(std::uint32_t columns, Random& random) {
  IntegerSystem s;
  s.columns = columns;
  std::vector<DenseRow> hubs(1 + random.below(3), DenseRow(columns + 1, 0));
  const std::uint32_t pairs = random.below(columns);
  for (std::uint32_t r = 0; r < pairs; ++r) {
    const Terms pair{{random.below(columns), random.between(1, 2)},
                     {random.below(columns), random.below(2) == 0 ? 1 : -1}};
    s.add_row(pair, random.below(4) == 0 ? random.between(-2, 2) : 0);
  }
  for (DenseRow& hub : hubs) {
    for (std::int64_t& factor : hub) factor = random.below(10) < 8 ? random.between(-1, 1) : 0;
    for (int sums = random.between(0, 8); s.rows() > 0 && sums > 0; --sums) {
      const DenseRow other = dense_row(s, random.below(s.rows()));
      const int factor = random.between(-2, 2);
      if (sums == 8) hub.assign(hub.size(), 0);
      for (std::size_t i = 0; i < hub.size(); ++i) hub[i] += factor * other[i];
    }
    Terms terms;
    for (Column c = 0; c < columns; ++c)
      if (hub[c] != 0) terms.emplace_back(c, 2 * hub[c]);
    s.add_row(terms, 2 * hub.back());
  }
  DenseRow sum(columns + 1, 0);
  for (Row r = 0; r < s.rows(); ++r) {
    const DenseRow other = dense_row(s, r);
    const int factor = random.between(-1, 1);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += factor * other[i];
  }
  Terms terms;
  for (Column c = 0; c < columns; ++c) terms.emplace_back(c, sum[c]);
  s.add_row(terms, sum.back() + (random.below(3) == 0 ? 1 : 0));
  return s;
}

}  // namespace

TEST_CASE("reduce: long rows, which are parked, against dense elimination") {
  Random random(42);
  for (int trial = 0; trial < 200; ++trial) {
    CAPTURE(trial);
    const IntegerSystem s = system_with_hubs(120 + random.below(60), random);
    const std::uint32_t early = random.below(5);
    std::vector<bool> late(s.columns);
    for (std::size_t c = 0; c < late.size(); ++c) late[c] = random.below(4) >= early;
    check_reduction(s, late);
  }
}

TEST_CASE("reduce: overflow is admitted, what is claimed stays true") {
  // x0 = big·x1, x1 = big·x2, … and around: the product of the factors does not fit.
  const std::int64_t big = 3'000'000'019;
  IntegerSystem s;
  for (Column i = 0; i < 6; ++i) s.add_row(Terms{{i, 7}, {(i + 1) % 6, -big}});
  s.add_row(Terms{{6, 1}, {7, -1}});
  s.add_row(Terms{{6, 1}, {7, -1}});
  const Reduced r = reduce(s, {});
  CHECK(r.overflow);
  REQUIRE(r.dependent.size() == 1);
  CHECK(r.dependent[0].combination.size() == 2);
  IntegerSystem least;
  least.add_row(Terms{{0, INT64_MIN}});
  least.add_row(Terms{{0, INT64_MAX}, {0, INT64_MAX}});
  CHECK(reduce(least, {}).overflow);
}

TEST_CASE("reduce: the same system gives the same result") {
  Random random(43);
  const IntegerSystem s = random_system({40, 40, 4, 2, 2}, random);
  const std::vector<bool> late(40, false);
  const Reduced a = reduce(s, late), b = reduce(s, late);
  REQUIRE(a.dependent.size() == b.dependent.size());
  for (std::size_t i = 0; i < a.dependent.size(); ++i) CHECK(a.dependent[i].combination == b.dependent[i].combination);
}

TEST_CASE("reduce: Kirchhoff's rows of a 300 by 300 net") {
  for (const bool ground : {true, false}) {
    CAPTURE(ground);
    const IntegerSystem s = Net{300, ground}.rows();
    for (const std::uint64_t seed : {0u, 44u}) {
      const Reduced r = reduce(seed == 0 ? s : scrambled_system(s, seed), {});
      CHECK_FALSE(r.overflow);
      REQUIRE(r.dependent.size() == (ground ? 0 : 1));
      if (!ground) CHECK(r.dependent[0].because.size() == 300 * 300 - 1);  // all balances add up to nothing
    }
  }
}

TEST_CASE("reduce: small nets against dense elimination") {
  for (std::uint32_t k = 1; k <= 4; ++k) {
    for (const bool ground : {true, false}) {
      CAPTURE(k);
      const IntegerSystem s = Net{k, ground}.rows();
      std::vector<bool> late(s.columns, false);
      for (Column c = 3 * k * k; c < s.columns; ++c) late[c] = c < 5 * k * k;  // all branches are capacitors
      check_reduction(s, late);
    }
  }
}

TEST_CASE("reduce: chains and ladders of a million rows") {
  constexpr std::uint32_t n = 1'000'000;
  IntegerSystem chain;
  for (Column i = 0; i + 1 < n; ++i) chain.add_row(Terms{{i, 1}, {i + 1, -1}}, 1);
  chain.add_row(Terms{{0, 1}, {n - 1, -1}}, n - 1);
  const Reduced closed = reduce(chain, {});
  REQUIRE(closed.dependent.size() == 1);
  CHECK_FALSE(closed.dependent[0].contradictory);
  CHECK(closed.dependent[0].because.size() == n - 1);
  // The rungs of a ladder meet in one node of n/2 branches.
  IntegerSystem ladder;
  Terms hub{{0, -1}};
  for (Column i = 0; i < n / 2; ++i) {
    ladder.add_row(i + 1 < n / 2 ? Terms{{i, 1}, {i + 1, -1}, {n + i, -1}} : Terms{{i, 1}, {n + i, -1}});
    hub.emplace_back(n + i, 1);
  }
  ladder.add_row(hub);
  const Reduced grounded = reduce(ladder, {});
  REQUIRE(grounded.dependent.size() == 1);
  CHECK(grounded.dependent[0].because.size() == n / 2);
}
