#include <doctest/doctest.h>

#include <string>

#include "tests/structure/graphs.hpp"

using namespace kron::structure;
using namespace kron::structure::testing;

namespace {

std::string letters(const std::vector<std::uint8_t>& parts) {
  std::string out;
  for (const std::uint8_t part : parts) out += "owu"[part];
  return out;
}

}  // namespace

TEST_CASE("Dulmage-Mendelsohn: known graphs") {
  const struct {
    const char* name;
    Incidence graph;
    std::string rows, columns;  // o over-, w well-, u under-determined
  } cases[] = {
      {"nothing", graph(0, {}), "", ""},
      {"square", graph(2, {{0, 1}, {1}}), "ww", "ww"},
      {"an empty equation is over-determined", graph(0, {{}}), "o", ""},
      {"an unknown in no equation is under-determined", graph(1, {}), "", "u"},
      {"two equations for x, one for y", graph(2, {{0}, {0}, {1}}), "oow", "ow"},
      {"one equation for x and y, one for z", graph(3, {{0, 1}, {2}}), "uw", "uuw"},
      {"y = f(x) with x given twice stays well-determined", graph(2, {{0}, {0}, {0, 1}}), "oow", "ow"},
      {"tall, square and wide", graph(6, {{0}, {0}, {0, 1}, {1, 2}, {1, 2, 3}, {3, 4, 5}}), "oowwwu", "owwwuu"},
      {"an under-determined row over an over-determined rest", graph(4, {{0, 1, 2}, {2, 3}, {2, 3}, {3}}), "uooo",
       "uuoo"},
  };
  for (const auto& row : cases) {
    CAPTURE(row.name);
    const Parts parts = dulmage_mendelsohn(row.graph, match(row.graph));
    CHECK(letters(parts.row) == row.rows);
    CHECK(letters(parts.column) == row.columns);
  }
}

TEST_CASE("Dulmage-Mendelsohn: the parts do not depend on the matching, and are what their names say") {
  Random random(11);
  for (int trial = 0; trial < 5000; ++trial) {
    CAPTURE(trial);
    const Incidence g = random_graph(random.below(25), random.below(25), 1 + random.below(4), random);
    const Matching m = match(g);
    const Parts parts = dulmage_mendelsohn(g, m);
    for (int other = 0; other < 3; ++other) {
      const Parts again = dulmage_mendelsohn(g, PlainMatching(g, random).found);
      REQUIRE(again.row == parts.row);
      REQUIRE(again.column == parts.column);
    }
    for (Row r = 0; r < g.rows(); ++r) {
      REQUIRE((m.of_row[r] != free_end || parts.row[r] == Parts::over));
      if (m.of_row[r] != free_end) REQUIRE(parts.row[r] == parts.column[m.of_row[r]]);
      // Over-determined rows have over-determined columns only; under-determined columns are in under-determined rows
      // only.
      for (const Column c : g[r]) {
        if (parts.row[r] == Parts::over) REQUIRE(parts.column[c] == Parts::over);
        if (parts.column[c] == Parts::under) REQUIRE(parts.row[r] == Parts::under);
      }
    }
    for (Column c = 0; c < g.columns; ++c) REQUIRE((m.of_column[c] != free_end || parts.column[c] == Parts::under));
  }
}

TEST_CASE("Dulmage-Mendelsohn: a row is over-determined iff some maximum matching does without it") {
  Random random(12);
  for (int trial = 0; trial < 5000; ++trial) {
    CAPTURE(trial);
    const Incidence g = random_graph(1 + random.below(8), random.below(8), 3, random);
    const std::uint32_t rank = brute_force_rank(g);
    const Parts parts = dulmage_mendelsohn(g, match(g));
    for (Row without = 0; without < g.rows(); ++without) {
      Incidence rest;
      rest.columns = g.columns;
      for (Row r = 0; r < g.rows(); ++r)
        if (r != without) rest.add_row(g[r]);
      REQUIRE((brute_force_rank(rest) == rank) == (parts.row[without] == Parts::over));
    }
  }
}

TEST_CASE("Dulmage-Mendelsohn: a million rows with one unknown too few or too many") {
  constexpr std::uint32_t n = 1'000'000;
  Incidence tall = ladder(n);
  tall.add_row(std::vector<Column>{n / 2});
  const Parts over = dulmage_mendelsohn(tall, match(tall));
  CHECK(std::count(over.row.begin(), over.row.end(), Parts::over) == n + 1);
  Incidence wide = transpose(tall);
  const Parts under = dulmage_mendelsohn(wide, match(wide));
  CHECK(std::count(under.column.begin(), under.column.end(), Parts::under) == n + 1);
}
