// What jumps at an event is drawn as a vertical line between its two sides: nothing slanted, nothing beyond them.
#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/program/run.hpp"

using namespace kron::test;

namespace {

// A sawtooth that a `when` sets back, a square wave of a relation, a counter of samples; few points besides those of events.
const std::string jumps_model =
    "variable x(start = 0, fixed)\nder(x) = 1\nwhen x > 0.73\n  reinit x = -1\nend\n"
    "variable square = if mod(time, 0.61) < 0.25 then 1 else -1\n"
    "discrete n(start = 0) : Integer\nwhen sample(0.3, 0.7)\n  n = pre(n) + 1\nend\n:simulate until 3 points 25\n";

struct Point {
  double x, y;
};

// The longest line of a picture by gnuplot: the curve.
std::vector<Point> curve_in(const std::string& svg) {
  std::vector<Point> longest;
  for (std::size_t at = svg.find(" d='M"); at != std::string::npos; at = svg.find(" d='M", at + 1)) {
    std::istringstream lines(svg.substr(at + 5, svg.find('\'', at + 5) - at - 5));
    for (std::string line; std::getline(lines, line, 'M');) {
      for (char& c : line)
        if (c == 'L' || c == ',') c = ' ';
      std::istringstream in(line);
      std::vector<Point> points;
      for (Point p{}; in >> p.x >> p.y;) points.push_back(p);
      if (points.size() > longest.size()) longest = points;
    }
  }
  return longest;
}

// By line: the columns that hold dots.
std::vector<std::set<std::size_t>> dots_in(const std::string& text) {
  std::vector<std::set<std::size_t>> rows;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::set<std::size_t> columns;
    std::size_t column = 0;
    for (std::size_t i = 0; i < line.size(); ++column) {
      const auto c = static_cast<unsigned char>(line[i]);
      const std::size_t bytes = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
      if (c == 0xE2 && (static_cast<unsigned char>(line[i + 1]) & 0xFC) == 0xA0) columns.insert(column);
      i += bytes;
    }
    rows.push_back(columns);
  }
  return rows;
}

}  // namespace

TEST_CASE("plot: jumps in a file are vertical") {
  const struct {
    const char* name;
    std::size_t jumps;
    bool constant;  // between jumps
  } rows[] = {{"x", 2, false}, {"square", 9, true}, {"n", 4, true}};
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const Outcome o = run_script(jumps_model + ":plot " + row.name + " to p.svg\n");
    REQUIRE(o.status == 0);
    const std::vector<Point> curve = curve_in(o.files.at("p.svg"));
    REQUIRE(curve.size() > row.jumps);
    std::size_t jumps = 0;
    std::set<double> levels;
    for (std::size_t k = 1; k < curve.size(); ++k) {
      const double across = curve[k].x - curve[k - 1].x, up = std::fabs(curve[k].y - curve[k - 1].y);
      CHECK(across >= 0);
      if (across == 0 && up > 20) ++jumps;
      if (across > 0) CHECK(up < (row.constant ? 0.2 : 60));  // 25 points over 900 x 560 dots: a slope of 1 rises by less between two
      levels.insert(std::round(curve[k].y));
    }
    CHECK(jumps == row.jumps);
    if (row.constant) CHECK(levels.size() == (row.jumps == 9 ? 2 : 5));  // no value but those it has
  }
}

TEST_CASE("plot: jumps on the terminal are vertical") {
  const Outcome o = run_script(jumps_model + ":plot square\n");
  REQUIRE(o.status == 0);
  const auto rows = dots_in(o.out);
  std::vector<std::set<std::size_t>> drawn;
  for (const auto& r : rows)
    if (!r.empty()) drawn.push_back(r);
  REQUIRE(drawn.size() > 6);
  for (std::size_t k = 1; k + 1 < drawn.size(); ++k) {
    CAPTURE(k);
    CHECK(drawn[k].size() == 9);         // the jumps alone
    CHECK(drawn[k] == drawn[drawn.size() / 2]);
  }
}

TEST_CASE("plot: both sides of a jump are points of the result") {
  const Outcome saved = run_script(jumps_model + ":save r.csv\n");
  std::istringstream in(saved.files.at("r.csv"));
  std::string line, before;
  bool both = false;
  std::getline(in, line);
  while (std::getline(in, line)) {
    both = both || (before.starts_with("0.73") && before.substr(0, before.find(',')) == line.substr(0, line.find(',')));
    before = line;
  }
  CHECK(both);
}
