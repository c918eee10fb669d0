#include <doctest/doctest.h>

#include "tests/structure/graphs.hpp"

using namespace kron::structure;
using namespace kron::structure::testing;

namespace {

using Members = std::vector<std::vector<std::uint32_t>>;

Members rows_of(const Blocks& b) {
  Members out;
  for (std::uint32_t k = 0; k < b.size(); ++k)
    out.emplace_back(b.row.begin() + b.begin[k], b.row.begin() + b.begin[k + 1]);
  return out;
}
Members columns_of(const Blocks& b) {
  Members out;
  for (std::uint32_t k = 0; k < b.size(); ++k)
    out.emplace_back(b.column.begin() + b.begin[k], b.column.begin() + b.begin[k + 1]);
  return out;
}

// Components by transitive closure (Warshall), each as its ascending rows, sorted.
Members closure_components(const Incidence& g, const Matching& m) {
  const std::uint32_t n = g.rows();
  std::vector<std::vector<bool>> needs(n, std::vector<bool>(n, false));
  for (Row r = 0; r < n; ++r)
    for (const Column c : g[r])
      if (m.of_column[c] != free_end) needs[r][m.of_column[c]] = true;
  for (Row k = 0; k < n; ++k)
    for (Row i = 0; i < n; ++i)
      for (Row j = 0; j < n; ++j)
        if (needs[i][k] && needs[k][j]) needs[i][j] = true;
  Members out;
  for (Row r = 0; r < n; ++r) {
    if (m.of_row[r] == free_end) continue;
    std::vector<Row> members;
    for (Row other = 0; other < n; ++other)
      if (other == r || (m.of_row[other] != free_end && needs[r][other] && needs[other][r])) members.push_back(other);
    if (members.front() == r) out.push_back(members);
  }
  return out;
}

// Every column of a block's rows belongs to the block, to an earlier one, or to no row; members are ascending partners.
bool well_formed(const Blocks& b, const Incidence& g, const Matching& m) {
  std::vector<std::uint32_t> block_of_column(g.columns, free_end);
  std::vector<bool> row_seen(g.rows(), false);
  for (std::uint32_t k = 0; k < b.size(); ++k) {
    for (std::uint32_t i = b.begin[k]; i < b.begin[k + 1]; ++i) {
      block_of_column[b.column[i]] = k;
      if (i > b.begin[k] && (b.row[i - 1] >= b.row[i] || b.column[i - 1] >= b.column[i])) return false;
    }
    for (std::uint32_t i = b.begin[k]; i < b.begin[k + 1]; ++i) {
      if (row_seen[b.row[i]] || m.of_row[b.row[i]] == free_end || block_of_column[m.of_row[b.row[i]]] != k)
        return false;
      row_seen[b.row[i]] = true;
      for (const Column c : g[b.row[i]])
        if (m.of_column[c] != free_end && block_of_column[c] == free_end) return false;
    }
  }
  return b.row.size() == m.size && b.column.size() == m.size;
}

// A square graph with a perfect matching: a hidden permutation plus random entries.
Incidence random_square(std::uint32_t n, std::uint32_t extra, Random& random) {
  Incidence g;
  g.columns = n;
  const auto partner = permutation(n, random);
  for (Row r = 0; r < n; ++r) {
    std::vector<Column> row{partner[r]};
    for (std::uint32_t k = random.below(extra + 1); k > 0; --k) row.push_back(random.below(n));
    g.add_row(row);
  }
  return g;
}

}  // namespace

TEST_CASE("blocks: known graphs") {
  const struct {
    const char* name;
    Incidence graph;
    Members rows, columns;
  } cases[] = {
      {"nothing", graph(0, {}), {}, {}},
      {"independent rows keep their order", graph(3, {{2}, {0}, {1}}), {{0}, {1}, {2}}, {{2}, {0}, {1}}},
      {"a chain written backwards", graph(3, {{0, 1}, {1, 2}, {2}}), {{2}, {1}, {0}}, {{2}, {1}, {0}}},
      {"a loop and what uses it", graph(3, {{0, 2}, {0, 1}, {0, 1}}), {{1, 2}, {0}}, {{0, 1}, {2}}},
      {"Tarjan 1972-like: two loops, one needs the other",
       graph(4, {{0, 1, 2}, {0, 1}, {2, 3}, {2, 3}}),
       {{2, 3}, {0, 1}},
       {{2, 3}, {0, 1}}},
      {"only what the least row needs comes before it",
       graph(4, {{0, 3}, {1}, {2}, {3}}),
       {{3}, {0}, {1}, {2}},
       {{3}, {0}, {1}, {2}}},
      {"needs come in the order of rows, then columns",
       graph(4, {{0, 1, 2}, {2, 3}, {1}, {3}}),
       {{2}, {3}, {1}, {0}},
       {{1}, {3}, {2}, {0}}},
      {"free rows and columns are left out", graph(3, {{0}, {0}, {1, 2}}), {{0}, {2}}, {{0}, {1}}},
  };
  for (const auto& row : cases) {
    CAPTURE(row.name);
    const Matching m = match(row.graph);
    const Blocks b = block_lower_triangular(row.graph, m);
    CHECK(well_formed(b, row.graph, m));
    CHECK(rows_of(b) == row.rows);
    CHECK(columns_of(b) == row.columns);
  }
}

TEST_CASE("blocks: components as by transitive closure; order and members the same for every perfect matching") {
  Random random(21);
  for (int trial = 0; trial < 5000; ++trial) {
    CAPTURE(trial);
    const Incidence g = random_square(1 + random.below(20), 1 + random.below(3), random);
    const Matching m = match(g);
    const Blocks b = block_lower_triangular(g, m);
    REQUIRE(well_formed(b, g, m));
    Members sorted = rows_of(b);
    std::sort(sorted.begin(), sorted.end());
    REQUIRE(sorted == closure_components(g, m));
    for (int other = 0; other < 3; ++other) {
      const Blocks again = block_lower_triangular(g, PlainMatching(g, random).found);
      REQUIRE(again.begin == b.begin);
      REQUIRE(again.row == b.row);
      REQUIRE(again.column == b.column);
    }
  }
}

TEST_CASE("blocks: singular graphs give the matched pairs in a valid order") {
  Random random(22);
  for (int trial = 0; trial < 5000; ++trial) {
    CAPTURE(trial);
    const Incidence g = random_graph(random.below(20), random.below(20), 3, random);
    const Matching m = match(g);
    const Blocks b = block_lower_triangular(g, m);
    REQUIRE(well_formed(b, g, m));
    Members sorted = rows_of(b);
    std::sort(sorted.begin(), sorted.end());
    REQUIRE(sorted == closure_components(g, m));
  }
}

TEST_CASE("blocks: a million rows, as one block or as a million, without recursion") {
  constexpr std::uint32_t n = 1'000'000;
  const struct {
    const char* name;
    Incidence graph;
    std::uint32_t blocks;
  } cases[] = {
      {"chain", chain(n), n},
      {"chain backwards: every row needs the next", transpose(chain(n)), n},
      {"ladder", ladder(n), 1},
      {"ladder scrambled", scrambled(ladder(n), 23), 1},
      {"net: two colours", grid(1000), 2},
      {"tree", tree(n), n},
  };
  for (const auto& row : cases) {
    CAPTURE(row.name);
    const Matching m = match(row.graph);
    const Blocks b = block_lower_triangular(row.graph, m);
    CHECK(b.size() == row.blocks);
    CHECK(well_formed(b, row.graph, m));
  }
}
