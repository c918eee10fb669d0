#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <sstream>

#include "repl/plot.hpp"
#include "repl/text.hpp"

using namespace kron::repl;

namespace {

Figure random_figure(std::mt19937& random) {
  auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  Figure f;
  f.x_name = "time";
  f.x_unit = "s";
  const double scale = std::pow(10.0, static_cast<int>(pick(40)) - 20), offset = pick(3) ? 0 : scale * std::pow(10.0, pick(14));
  for (unsigned c = 0; c <= pick(4); ++c) {
    Curve curve{"c" + std::to_string(c), pick(2) ? "rad/s" : "", {}, {}};
    const unsigned n = pick(5) ? pick(300) : pick(2);
    for (unsigned i = 0; i < n; ++i) {
      curve.x.push_back(i * 0.1);
      double y = offset + scale * std::sin(i * 0.1 * (c + 1));
      if (pick(40) == 0) y = std::numeric_limits<double>::quiet_NaN();
      if (pick(60) == 0) y = std::numeric_limits<double>::infinity();
      curve.y.push_back(y);
    }
    f.curves.push_back(curve);
  }
  return f;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string l; std::getline(in, l);) lines.push_back(l);
  return lines;
}

}  // namespace

TEST_CASE("plot: pictures stay in their box, for any curves") {
  std::mt19937 random(7);
  for (int i = 0; i < 400; ++i) {
    CAPTURE(i);
    const Figure f = random_figure(random);
    const Canvas canvas{20 + random() % 140, 8 + random() % 40, false};
    const std::string picture = draw(f, canvas);
    const auto lines = lines_of(picture);
    CHECK(lines.size() <= canvas.height + f.curves.size() + 3);
    for (const std::string& l : lines) {
      if (l.find("(no finite") != std::string::npos) continue;
      CAPTURE(l);
      const std::size_t room = std::max<std::size_t>(canvas.width, 36);  // the narrowest that labels and ten columns need
      REQUIRE(display_width(l) <= room);
    }
  }
}

TEST_CASE("plot: ticks are round, ascending, few, and enclose the range") {
  std::mt19937 random(11);
  for (int i = 0; i < 2000; ++i) {
    const double scale = std::pow(10.0, static_cast<int>(random() % 60) - 30);
    double low = scale * (static_cast<double>(random() % 2001) - 1000) / 10, high = low + scale * static_cast<double>(random() % 1000) / 100;
    const std::size_t most = 2 + random() % 10;
    const Ticks t = round_ticks(low, high, most);
    CAPTURE(low);
    CAPTURE(high);
    REQUIRE(t.at.size() >= 2);
    REQUIRE(t.at.size() <= std::max<std::size_t>(most, 3));
    const double slack = 1e-6 * t.step + 1e-12 * std::fabs(low);
    CHECK(t.low() <= low + slack);
    CHECK(t.high() >= high - slack);
    for (std::size_t k = 1; k < t.at.size(); ++k) CHECK(t.at[k] > t.at[k - 1]);
    const double digit = t.step / std::pow(10.0, std::floor(std::log10(t.step) + 1e-9));
    CHECK((std::fabs(digit - 1) < 1e-6 || std::fabs(digit - 2) < 1e-6 || std::fabs(digit - 5) < 1e-6));
    for (std::size_t k = 1; k < t.at.size(); ++k) REQUIRE(t.label(k) != t.label(k - 1));
  }
}

TEST_CASE("plot: labels") {
  const struct { double low, high; std::size_t most; const char* labels; } rows[] = {
      {0, 10, 6, "0 2 4 6 8 10"}, {0, 1, 3, "0 0.5 1.0"}, {-1, 1, 5, "-1.0 -0.5 0 0.5 1.0"}, {0, 3e-7, 4, "0 1e-7 2e-7 3e-7"},
      {1e8, 3e8, 3, "1e8 2e8 3e8"}, {3, 3, 3, "2.5 3.0 3.5"},
  };
  for (const auto& row : rows) {
    const Ticks t = round_ticks(row.low, row.high, row.most);
    std::string labels;
    for (std::size_t i = 0; i < t.at.size(); ++i) labels += (i ? " " : "") + t.label(i);
    CHECK(labels == row.labels);
  }
}

TEST_CASE("plot: a rising line rises") {
  Figure f{"time", "s", {{"x", "", {0, 1}, {0, 1}}}};
  const auto lines = lines_of(draw(f, {60, 20, false}));
  std::size_t last = 1000;
  for (std::size_t r = 1; r + 3 < lines.size(); ++r) {
    const std::size_t bar = std::min(lines[r].find("│"), lines[r].find("┤"));
    REQUIRE(bar != std::string::npos);
    const std::string cells = lines[r].substr(bar + 3);
    const std::size_t column = display_width(cells.substr(0, cells.find_first_not_of(' ')));
    CHECK(column < last);
    last = column;
  }
}

TEST_CASE("plot: several curves carry their markers in a pipe and colours on a terminal") {
  Figure f{"time", "s", {{"a", "m", {0, 1, 2}, {0, 1, 0}}, {"b", "m", {0, 1, 2}, {1, 0, 1}}}};
  const std::string plain = draw(f, {80, 20, false}), coloured = draw(f, {80, 20, true});
  CHECK(plain.find("o a [m]") != std::string::npos);
  CHECK(plain.find("x b [m]") != std::string::npos);
  CHECK(plain.find('\033') == std::string::npos);
  CHECK(coloured.find("\033[36m") != std::string::npos);
  CHECK(coloured.find("\033[33m") != std::string::npos);
}

TEST_CASE("text: widths, tables, patterns, numbers") {
  CHECK(display_width("ω̇_1") == 3);
  CHECK(display_width("日本") == 4);
  CHECK(padded("τ", 3) == "τ  ");
  CHECK(padded("5", 3, true) == "  5");
  CHECK(shortened("abcdef", 4) == "abc…");
  TextTable t({"name", "value"});
  t.right(1);
  t.row({"ω", "1"});
  t.row({"long_name", "12345678"});
  CHECK(t.text() == "name          value\nω                 1\nlong_name  12345678\n");
  CHECK(reflowed("one two three\nfour\n\n  kept as it is\nfive", 9) == "one two\nthree\nfour\n\n  kept as it is\nfive\n");
  const struct { const char *pattern, *text; bool yes; } rows[] = {
      {"*", "", true}, {"a*", "abc", true}, {"*.R", "R1.R", true}, {"a?c", "abc", true}, {"a?c", "ac", false}, {"a*b*c", "aXbYbc", true},
      {"a*b*c", "aXcYb", false}, {"x[1]", "x[1]", true}, {"**", "x", true}};
  for (const auto& row : rows) CHECK(matches(row.pattern, row.text) == row.yes);
  CHECK(number(0.1) == "0.1");
  CHECK(number(1e-6) == "1e-6");
  CHECK(number(-0.0) == "0");
  CHECK(number(1234567) == "1.23457e6");
  CHECK(seconds(0.00123) == "1.23 ms");
}
