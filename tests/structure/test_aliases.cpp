#include <doctest/doctest.h>

#include <string>

#include "tests/structure/integer_oracle.hpp"

using namespace kron::structure;
using namespace kron::structure::testing;

namespace {

IntegerSystem system_of(const std::vector<std::pair<Terms, std::int64_t>>& rows, std::uint32_t columns = 0) {
  IntegerSystem s;
  s.columns = columns;
  for (const auto& [terms, constant] : rows) s.add_row(terms, constant);
  return s;
}

// "x0 -x0 7 x3": every column by its root or value.
std::string print(const Aliases& a) {
  std::string out;
  for (const Aliases::Alias& alias : a.of) {
    if (!out.empty()) out += ' ';
    if (alias.sign == 0)
      out += std::to_string(alias.constant);
    else
      out += (alias.sign < 0 ? "-x" : "x") + std::to_string(alias.root);
  }
  return out;
}

// "2! < 0 1": row 2 contradicts rows 0 and 1; no mark: it is redundant.
std::string print(const std::vector<Aliases::Dependent>& dependent) {
  std::string out;
  for (const auto& d : dependent) {
    if (!out.empty()) out += "; ";
    out += std::to_string(d.row) + (d.contradictory ? "!" : "") + " <";
    for (const Row r : d.because) out += " " + std::to_string(r);
  }
  return out;
}

// x − sign·root − constant = 0
DenseRow as_row(Column c, const Aliases::Alias& alias, std::uint32_t columns) {
  DenseRow out(columns + 1, 0);
  out[c] += 1;
  if (alias.sign != 0) out[alias.root] -= alias.sign;
  out[columns] = -alias.constant;
  return out;
}

DenseRow substituted(const IntegerSystem& s, const Aliases& a, Row r) {
  DenseRow out(s.columns + 1, 0);
  out[s.columns] = s.constant[r];
  for (std::uint32_t i = s.begin[r]; i < s.begin[r + 1]; ++i) {
    const Aliases::Alias& alias = a.of[s.column[i]];
    if (alias.sign == 0)
      out[s.columns] += s.coefficient[i] * alias.constant;
    else
      out[alias.root] += s.coefficient[i] * alias.sign;
  }
  return out;
}

// The row could still be used: it is empty, gives an integer constant, or joins two columns.
bool usable(const DenseRow& row) {
  std::vector<std::int64_t> factors;
  for (std::size_t c = 0; c + 1 < row.size(); ++c)
    if (row[c] != 0) factors.push_back(row[c]);
  if (factors.size() == 2) return row.back() == 0 && (factors[0] == factors[1] || factors[0] == -factors[1]);
  return factors.empty() || (factors.size() == 1 && row.back() % factors[0] == 0);
}

bool is_dependent(const Aliases& a, Row r) {
  return std::any_of(a.dependent.begin(), a.dependent.end(), [&](const auto& d) { return d.row == r; });
}

void check_dependent(const IntegerSystem& s, const Aliases::Dependent& d) {
  Span linear, affine;
  for (const Row r : d.because) {
    REQUIRE(r != d.row);
    linear.add(linear_part(dense_row(s, r)));
    affine.add(dense_row(s, r));
  }
  REQUIRE(linear.contains(linear_part(dense_row(s, d.row))));
  REQUIRE(affine.contains(dense_row(s, d.row)) == !d.contradictory);
}

void check_aliases(const IntegerSystem& s, const std::vector<std::uint8_t>& prefer) {
  const Aliases a = eliminate_aliases(s, prefer);
  Span needed;  // rows that were used up and are not redundant: independent, as many as columns went
  std::size_t gone = 0, used = 0;
  for (Row r = 0; r < s.rows(); ++r)
    if (a.used[r] && !is_dependent(a, r)) {
      REQUIRE(needed.add(dense_row(s, r)));
      ++used;
    }
  for (Column c = 0; c < s.columns; ++c) {
    const Aliases::Alias& alias = a.of[c];
    REQUIRE(needed.contains(as_row(c, alias, s.columns)));
    if (alias.sign == 0 || alias.root != c) ++gone;
    if (alias.sign == 0) {
      REQUIRE(alias.root == c);
    } else {
      REQUIRE(alias.constant == 0);
      REQUIRE(a.of[alias.root].root == alias.root);
      REQUIRE(a.of[alias.root].sign == 1);
      REQUIRE(prefer[alias.root] >= prefer[c]);
      REQUIRE((prefer[alias.root] > prefer[c] || alias.root <= c));
    }
  }
  REQUIRE(gone == used);
  for (Row r = 0; r < s.rows(); ++r)
    if (!a.used[r] && !is_dependent(a, r)) REQUIRE_FALSE(usable(substituted(s, a, r)));
  for (const auto& d : a.dependent) {
    check_dependent(s, d);
    REQUIRE(a.used[d.row] == !d.contradictory);
    for (const Row r : d.because) REQUIRE((a.used[r] && !is_dependent(a, r)));
  }
}

}  // namespace

TEST_CASE("aliases: by hand") {
  const struct {
    const char* name;
    IntegerSystem system;
    std::string aliases, used, dependent;
  } cases[] = {
      {"nothing", system_of({}), "", "", ""},
      {"x = y", system_of({{{{0, 1}, {1, -1}}, 0}}), "x0 x0", "1", ""},
      {"x + y = 0", system_of({{{{0, 1}, {1, 1}}, 0}}), "x0 -x0", "1", ""},
      {"2x - 2y = 0", system_of({{{{0, 2}, {1, -2}}, 0}}), "x0 x0", "1", ""},
      {"x = 7", system_of({{{{0, 1}}, -7}}), "7", "1", ""},
      {"3x + 6 = 0", system_of({{{{0, 3}}, 6}}), "-2", "1", ""},
      {"2x = 1 has no integer solution and stays", system_of({{{{0, 2}}, -1}}), "x0", "0", ""},
      {"x = y + 1 stays", system_of({{{{0, 1}, {1, -1}}, -1}}), "x0 x1", "0", ""},
      {"x = y + 1, y = 2", system_of({{{{0, 1}, {1, -1}}, -1}, {{{1, 1}}, -2}}), "3 2", "11", ""},
      {"2x = 3y, y = 4", system_of({{{{0, 2}, {1, -3}}, 0}, {{{1, 1}}, -4}}), "6 4", "11", ""},
      {"x = -x", system_of({{{{0, 1}, {0, 1}}, 0}}), "0", "1", ""},
      {"x = y and x = -y: both zero", system_of({{{{0, 1}, {1, -1}}, 0}, {{{0, 1}, {1, 1}}, 0}}), "0 0", "11", ""},
      {"a sum of three shrinks: x + y = z, z = 0", system_of({{{{0, 1}, {1, 1}, {2, -1}}, 0}, {{{2, 1}}, 0}}),
       "x0 -x0 0", "11", ""},
      {"a sum of three shrinks: x + y = z, x = z", system_of({{{{0, 1}, {1, 1}, {2, -1}}, 0}, {{{0, 1}, {2, -1}}, 0}}),
       "x0 0 x0", "11", ""},
      {"series circuit: i0 = i1, i1 = i2, i2 = i0",
       system_of({{{{0, 1}, {1, -1}}, 0}, {{{1, 1}, {2, -1}}, 0}, {{{2, 1}, {0, -1}}, 0}}), "x0 x0 x0", "111",
       "2 < 0 1"},
      {"x = 1, x = 1", system_of({{{{0, 1}}, -1}, {{{0, 1}}, -1}}), "1", "11", "1 < 0"},
      {"x = 1, x = 2", system_of({{{{0, 1}}, -1}, {{{0, 1}}, -2}}), "1", "10", "1! < 0"},
      {"x = y, x = y + 1", system_of({{{{0, 1}, {1, -1}}, 0}, {{{0, 1}, {1, -1}}, -1}}), "x0 x0", "10", "1! < 0"},
      {"0 = 0 and 0 = 1", system_of({{{}, 0}, {{}, 1}}), "", "10", "0 <; 1! <"},
      {"the reason of a reason: x + y = z, z = 0, w = x, w = -y",
       system_of({{{{0, 1}, {1, 1}, {2, -1}}, 0}, {{{2, 1}}, 0}, {{{3, 1}, {0, -1}}, 0}, {{{3, 1}, {1, 1}}, 0}}),
       "x0 -x0 0 x0", "1111", "0 < 1 2 3"},
      {"what became constant later is no reason: x = y, z = -w, z + w + x = y, then p + q + x = 5, p = 0, q = 0",
       system_of({{{{0, 1}, {1, -1}}, 0},
                  {{{2, 1}, {3, 1}}, 0},
                  {{{2, 1}, {3, 1}, {0, 1}, {1, -1}}, 0},
                  {{{4, 1}, {5, 1}, {0, 1}}, -5},
                  {{{4, 1}}, 0},
                  {{{5, 1}}, 0}}),
       "5 5 x2 -x2 0 0", "111111", "2 < 0 1"},
      {"only the path between: a long chain and a shortcut",
       system_of({{{{0, 1}, {1, -1}}, 0},
                  {{{1, 1}, {2, -1}}, 0},
                  {{{2, 1}, {3, -1}}, 0},
                  {{{3, 1}, {4, -1}}, 0},
                  {{{1, 1}, {3, -1}}, 0}}),
       "x0 x0 x0 x0 x0", "11111", "4 < 1 2"},
  };
  for (const auto& row : cases) {
    CAPTURE(row.name);
    const Aliases a = eliminate_aliases(row.system, {});
    std::string used;
    for (const bool u : a.used) used += u ? '1' : '0';
    CHECK(print(a) == row.aliases);
    CHECK(used == row.used);
    CHECK(print(a.dependent) == row.dependent);
    check_aliases(row.system, std::vector<std::uint8_t>(row.system.columns, 0));
  }
}

TEST_CASE("aliases: the preferred column represents its set, then the least") {
  const IntegerSystem s = system_of({{{{0, 1}, {1, 1}}, 0}, {{{1, 1}, {2, -1}}, 0}, {{{2, 1}, {3, 1}}, 0}});
  CHECK(print(eliminate_aliases(s, {})) == "x0 -x0 -x0 x0");
  CHECK(print(eliminate_aliases(s, {0, 1, 2, 2})) == "-x2 x2 x2 -x2");
  CHECK(print(eliminate_aliases(s, {0, 0, 0, 9})) == "x3 -x3 -x3 x3");
}

TEST_CASE("aliases: what 64 bits cannot hold is left alone") {
  const std::int64_t big = INT64_MAX, least = INT64_MIN;
  const IntegerSystem s = system_of({{{{0, 1}}, -big},
                                     {{{0, 2}, {1, 1}, {2, 1}}, 0},
                                     {{{2, 1}}, 0},
                                     {{{3, least}}, least},
                                     {{{4, least}, {5, least}}, 0},
                                     {{{6, 1}}, least},
                                     {{{7, big}, {7, big}, {7, 1}}, 0}});
  const Aliases a = eliminate_aliases(s, {});
  CHECK(a.of[0].constant == big);
  CHECK(a.of[2].sign == 0);
  for (const Column c : {1u, 3u, 4u, 5u, 6u, 7u}) {
    CAPTURE(c);
    CHECK(a.of[c].sign == 1);
    CHECK(a.of[c].root == c);
  }
  CHECK(a.dependent.empty());
}

TEST_CASE("aliases: random systems against dense elimination") {
  Random random(31);
  const Shape shapes[] = {{8, 8, 2, 1, 0},   {8, 8, 3, 1, 0}, {10, 8, 3, 1, 2}, {12, 12, 4, 2, 3},
                          {20, 16, 5, 1, 0}, {6, 9, 9, 3, 4}, {14, 6, 3, 2, 1}, {30, 30, 3, 1, 1}};
  for (int trial = 0; trial < 8000; ++trial) {
    CAPTURE(trial);
    Shape shape = shapes[static_cast<std::size_t>(trial) % std::size(shapes)];
    const IntegerSystem s = random_system(shape, random);
    std::vector<std::uint8_t> prefer(s.columns);
    for (std::uint8_t& p : prefer) p = static_cast<std::uint8_t>(random.below(3));
    check_aliases(s, prefer);
  }
}

TEST_CASE("aliases: a system that grows has what it would have at once") {
  Random random(47);
  const Shape shapes[] = {{8, 8, 3, 1, 0}, {12, 12, 4, 1, 0}, {10, 16, 3, 1, 0}, {14, 20, 4, 2, 1}, {30, 40, 3, 1, 1}};
  for (int trial = 0; trial < 4000; ++trial) {
    CAPTURE(trial);
    IntegerSystem s = random_system(shapes[static_cast<std::size_t>(trial) % std::size(shapes)], random);
    GrowingAliases growing;
    for (int step = 0; step < 4; ++step) {
      const Aliases grown = growing.eliminate(s, {}), whole = eliminate_aliases(s, {});
      REQUIRE(print(grown) == print(whole));
      REQUIRE(grown.used == whole.used);
      REQUIRE(grown.dependent.size() == whole.dependent.size());
      for (std::size_t k = 0; k < grown.dependent.size(); ++k) REQUIRE(grown.dependent[k].because == whole.dependent[k].because);
      const Column a = random.below(s.columns), b = random.below(s.columns);  // one of two unknowns, or of one
      if (a < b) s.add_row(Terms{{a, 1}, {b, random.below(2) == 0 ? 1 : -1}}, 0);
      else s.add_row(Terms{{a, 1}}, random.below(3));
    }
  }
}

TEST_CASE("aliases: a redundant connection is explained by the shortest way only") {
  Random random(32);
  for (int trial = 0; trial < 500; ++trial) {
    CAPTURE(trial);
    IntegerSystem s;
    const std::uint32_t n = 2 + random.below(12);
    for (Column c = 1; c < n; ++c) s.add_row(Terms{{c, 1}, {random.below(c), random.below(2) == 0 ? 1 : -1}});
    s.add_row(Terms{{0, 1}, {1 + random.below(n - 1), 1}});
    for (const auto& d : eliminate_aliases(s, {}).dependent) {
      check_dependent(s, d);
      for (const Row left_out : d.because) {  // every reason is needed
        Span rest;
        for (const Row r : d.because)
          if (r != left_out) rest.add(linear_part(dense_row(s, r)));
        REQUIRE_FALSE(rest.contains(linear_part(dense_row(s, d.row))));
      }
    }
  }
}

namespace {

// Columns a star of n branches names: branch currents, then two per branch that must vanish for the branch to do so.
IntegerSystem bus(std::uint32_t n) {
  IntegerSystem s;
  Terms sum;
  for (Column i = 0; i < n; ++i) sum.emplace_back(i, 1);
  s.add_row(sum);
  for (Column i = 0; i < n; ++i) s.add_row(Terms{{i, 1}, {n + i, 1}, {2 * n + i, 1}});
  for (Column i = 0; i + 1 < n; ++i) {
    s.add_row(Terms{{n + i, 1}});
    s.add_row(Terms{{2 * n + i, 1}});
  }
  return s;
}

}  // namespace

TEST_CASE("aliases: a million rows") {
  constexpr std::uint32_t n = 1'000'000;
  IntegerSystem connections, sums;
  for (Column i = 0; i + 1 < n; ++i) connections.add_row(Terms{{i, 1}, {i + 1, i % 2 == 0 ? 1 : -1}});
  connections.add_row(Terms{{n - 1, 1}, {0, -1}});
  const Aliases ring = eliminate_aliases(connections, {});
  CHECK(std::count(ring.used.begin(), ring.used.end(), true) == n);
  // Each sum shrinks only when the sum after it has been used: a wave of a million steps backwards.
  for (Column i = 0; i + 2 < n; ++i) sums.add_row(Terms{{i, 1}, {i + 1, 1}, {i + 2, -1}});
  sums.add_row(Terms{{n - 1, 1}});
  sums.add_row(Terms{{n - 2, 1}});
  const Aliases wave = eliminate_aliases(sums, {});
  CHECK(std::all_of(wave.of.begin(), wave.of.end(), [](const auto& a) { return a.sign == 0 && a.constant == 0; }));
}

TEST_CASE("aliases: one very long sum that shrinks entry by entry") {
  constexpr std::uint32_t n = 300'000;
  const Aliases a = eliminate_aliases(bus(n), {});
  CHECK(std::count(a.used.begin(), a.used.end(), true) == 3 * n - 1);
  CHECK(a.of[n - 1].constant == 0);
  CHECK(a.of[n - 1].sign == 0);
  CHECK(a.of[3 * n - 1].root == 2 * n - 1);
  CHECK(a.of[3 * n - 1].sign == -1);
}

TEST_CASE("aliases: many redundant rows with long reasons stay within the budget") {
  constexpr std::uint32_t n = 100'000;
  IntegerSystem s;
  for (Column i = 0; i + 1 < n; ++i) s.add_row(Terms{{i, 1}, {i + 1, -1}});
  for (Column i = 1; i < n; ++i) s.add_row(Terms{{0, 1}, {i, -1}});
  const Aliases a = eliminate_aliases(s, {});
  REQUIRE(a.dependent.size() == n - 1);
  std::size_t named = 0;
  for (const auto& d : a.dependent) named += d.because.size();
  CHECK(named >= explanation_budget(s));
  CHECK(named <= explanation_budget(s) + n);
  CHECK(a.dependent[99].because.size() == 100);
}
