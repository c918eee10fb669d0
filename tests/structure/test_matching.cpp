#include <doctest/doctest.h>

#include "tests/structure/graphs.hpp"

using namespace kron::structure;
using namespace kron::structure::testing;

TEST_CASE("incidence: rows are sorted, repetitions dropped, columns counted") {
  Incidence g;
  g.add_row(std::vector<Column>{4, 1, 4, 0});
  g.add_row(std::vector<Column>{});
  g.add_row(std::vector<Column>{2});
  CHECK(g.rows() == 3);
  CHECK(g.columns == 5);
  CHECK(std::vector<Column>(g[0].begin(), g[0].end()) == std::vector<Column>{0, 1, 4});
  CHECK(g[1].empty());
}

TEST_CASE("incidence: transposing twice gives the graph back") {
  Random random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const Incidence g = random_graph(random.below(9), random.below(9), 4, random);
    const Incidence back = transpose(transpose(g));
    CHECK(back.begin == g.begin);
    CHECK(back.column == g.column);
    CHECK(back.columns == g.columns);
  }
}

TEST_CASE("match: known graphs") {
  const struct {
    const char* name;
    Incidence graph;
    std::uint32_t rank;
  } cases[] = {
      {"nothing", graph(0, {}), 0},
      {"an equation without unknowns", graph(0, {{}}), 0},
      {"an unknown without equations", graph(1, {}), 0},
      {"one equation, one unknown", graph(1, {{0}}), 1},
      {"two equations for one unknown", graph(1, {{0}, {0}}), 1},
      {"one equation for two unknowns", graph(2, {{0, 1}}), 1},
      {"greedy fails: only the detour is perfect", graph(3, {{0, 1}, {0, 2}, {0}}), 3},
      {"three equations in two unknowns and a free third", graph(3, {{0, 1}, {0, 1}, {0, 1}}), 2},
      {"pendulum, Pantelides 1988: x'=w y'=z w'=Tx z'=Ty-g x2+y2=L2 in x' y' w' z' T",
       graph(5, {{0}, {1}, {2, 4}, {3, 4}, {}}), 4},
      {"pendulum after differentiation, 1988 figure 3", graph(5, {{0, 1}, {2, 4}, {3, 4}, {0, 2}, {1, 3}}), 5},
      {"Dulmage-Mendelsohn 1958-like: tall, square and wide parts",
       graph(6, {{0}, {0}, {0, 1}, {1, 2}, {1, 2, 3}, {3, 4, 5}}), 5},
      {"complete 4 by 4", graph(4, {{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}}), 4},
      {"six-ring", graph(6, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 5}}), 6},
      {"star: five equations share one unknown", graph(6, {{0, 1}, {0}, {0}, {0}, {0}}), 2},
  };
  for (const auto& row : cases) {
    CAPTURE(row.name);
    const Matching m = match(row.graph);
    CHECK(valid(m, row.graph));
    CHECK(m.size == row.rank);
  }
}

TEST_CASE("match: as large as brute force finds, on random graphs") {
  Random random(2);
  for (int trial = 0; trial < 20000; ++trial) {
    CAPTURE(trial);
    const Incidence g = random_graph(random.below(11), random.below(10), 1 + random.below(4), random);
    const Matching m = match(g);
    REQUIRE(valid(m, g));
    REQUIRE(m.size == brute_force_rank(g));
  }
}

TEST_CASE("match: as large as plain augmentation finds, on larger graphs with local rows, which take several phases") {
  Random random(3);
  for (int trial = 0; trial < 400; ++trial) {
    CAPTURE(trial);
    const std::uint32_t n = 1 + random.below(600), length = 2 + random.below(5), width = 2 + random.below(12);
    Incidence g;
    g.columns = n;
    for (std::uint32_t r = random.below(n / 8 + 1); r < n; ++r) {
      std::vector<Column> row(length);
      const Column middle = random.below(n);
      for (Column& c : row) c = (middle + random.below(width)) % n;
      g.add_row(row);
    }
    const Matching m = match(g);
    REQUIRE(valid(m, g));
    REQUIRE(m.size == PlainMatching(g, random).found.size);
  }
}

TEST_CASE("augment: row by row it finds what match finds; marks may serve until a success") {
  Random random(4);
  for (int trial = 0; trial < 10000; ++trial) {
    CAPTURE(trial);
    const Incidence g = random_graph(random.below(12), random.below(10), 3, random);
    Matching m;
    std::vector<std::uint32_t> mark;
    std::uint32_t stamp = 1;
    for (Row r = 0; r < g.rows(); ++r)
      if (augment(g, r, m, {}, mark, stamp)) ++stamp;
    m.of_row.resize(g.rows(), free_end);
    m.of_column.resize(g.columns, free_end);
    REQUIRE(valid(m, g));
    REQUIRE(m.size == match(g).size);
  }
}

TEST_CASE("growing matching: a row is taken just if it can be matched together with those before") {
  Random random(7);
  for (int trial = 0; trial < 10000; ++trial) {
    CAPTURE(trial);
    const Incidence g = random_graph(random.below(14), random.below(10), 3, random);
    Incidence taken;  // and what the matching begins with, whether it can all be matched or not
    taken.columns = g.columns;
    const Row first = static_cast<Row>(random.below(g.rows() + 1));
    for (Row r = 0; r < first; ++r) taken.add_row(g[r]);
    GrowingMatching m(taken);
    for (Row r = first; r < g.rows(); ++r) {
      Incidence with = taken;
      with.add_row(g[r]);
      const bool fits = match(with).size > match(taken).size;
      REQUIRE(m.add(g[r]) == fits);
      if (fits) taken = std::move(with);
      REQUIRE(m.rows().rows() == taken.rows());
      REQUIRE(m.matching().size == match(taken).size);
      REQUIRE(valid(m.matching(), taken));
    }
  }
}

TEST_CASE("augment: hidden columns are neither used nor entered, and keep their partners") {
  Random random(5);
  for (int trial = 0; trial < 10000; ++trial) {
    CAPTURE(trial);
    const Incidence g = random_graph(1 + random.below(10), 1 + random.below(8), 3, random);
    std::vector<bool> hidden(random.below(g.columns + 1));
    for (std::size_t c = 0; c < hidden.size(); ++c) hidden[c] = random.below(3) == 0;
    Incidence visible;
    visible.columns = g.columns;
    for (Row r = 0; r < g.rows(); ++r) {
      std::vector<Column> row(g[r].begin(), g[r].end());
      std::erase_if(row, [&](Column c) { return c < hidden.size() && hidden[c]; });
      visible.add_row(row);
    }
    Matching m;
    std::vector<std::uint32_t> mark;
    std::uint32_t stamp = 1;
    for (Row r = 0; r < g.rows(); ++r, ++stamp) augment(g, r, m, hidden, mark, stamp);
    REQUIRE(valid(m, visible));
    REQUIRE(m.size == match(visible).size);
  }
}

TEST_CASE("augment: after a failure the marked columns are those the row can reach") {
  // Row 3 reaches columns 0 and 1 (through rows 0 and 1), never column 2 of row 2; column 3 is hidden.
  const Incidence g = graph(4, {{0, 1}, {0, 1}, {2}, {0, 3}});
  const std::vector<bool> hidden{false, false, false, true};
  Matching m;
  std::vector<std::uint32_t> mark;
  for (Row r = 0; r < 3; ++r) REQUIRE(augment(g, r, m, hidden, mark, 1 + r));
  CHECK_FALSE(augment(g, 3, m, hidden, mark, 9));
  CHECK(mark[0] == 9);
  CHECK(mark[1] == 9);
  CHECK(mark[2] != 9);
  CHECK(mark[3] != 9);
}

TEST_CASE("match: a million rows, deep paths and singular models, without recursion") {
  constexpr std::uint32_t n = 1'000'000;
  CHECK(match(chain(n)).size == n);
  CHECK(match(scrambled(ladder(n), 6)).size == n);
  CHECK(match(grid(1000)).size == n);
  CHECK(match(tree(n)).size == n);
  // One augmenting path through all rows: row i is held by column i and could have i+1; the last row has column 0 only.
  Incidence detour;
  for (Column i = 0; i < n; ++i) detour.add_row(std::vector<Column>{i, i + 1});
  Matching m;
  std::vector<std::uint32_t> mark;
  for (Row r = 0; r < n; ++r) REQUIRE(augment(detour, r, m, {}, mark, r + 1));
  detour.add_row(std::vector<Column>{0});
  CHECK(augment(detour, n, m, {}, mark, n + 1));
  CHECK(m.size == n + 1);
  CHECK(valid(m, detour));
}

TEST_CASE("match: many failing searches over one large well-determined part") {
  // A ladder of 200,000 and as many rows again that only see its columns: each search alone would walk the whole
  // ladder.
  constexpr std::uint32_t n = 200'000;
  Incidence g = ladder(n);
  for (Column i = 0; i < n; ++i) g.add_row(std::vector<Column>{i, (i * 7919u) % n});
  const Matching m = match(g);
  CHECK(m.size == n);
  CHECK(valid(m, g));
  const Incidence t = transpose(g);
  CHECK(match(t).size == n);
}
