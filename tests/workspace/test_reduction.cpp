// What reduction makes of aliases and derivative chains, seen in what the model computes.
#include <doctest/doctest.h>

#include <cmath>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

struct ReductionRow {
  const char* name;
  std::string text;
  std::vector<std::pair<const char*, double>> values;  // at 1 s
};

void check(const std::vector<ReductionRow>& rows) {
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session session;
    REQUIRE_MESSAGE(session.run_text(row.text), rendered(session));
    REQUIRE_MESSAGE(session.simulate({.stop = 1, .points = 1, .tolerance = 1e-9}), rendered(session));
    for (const auto& [name, expected] : row.values) {
      CAPTURE(name);
      const auto value = session.value(name);
      REQUIRE(value);
      CHECK(*value == doctest::Approx(expected).epsilon(1e-7));
    }
  }
}

}  // namespace

// The variable that stands for a set of aliases and the one that stands for its derivative may each be the negative of what the
// model says.
TEST_CASE("reduction: signs along chains of derivatives") {
  const double e = std::exp(-2), c = std::cos(2), s = std::sin(2);
  check({
      {"a derivative by its negative", "variable x(start = 1, fixed)\nvariable w\nw = -der(x)\nw = 2 * x", {{"x", e}, {"w", 2 * e}, {"der(x)", -2 * e}}},
      {"the derivative of the other end comes first", "variable y\nvariable x(start = 1, fixed)\nvariable p\nvariable q\np = der(y)\nq = der(x)\ny = -x\nq = -2 * x",
       {{"x", e}, {"y", -e}, {"p", 2 * e}, {"q", -2 * e}}},
      {"the other end alone is differentiated", "variable x(start = 1, fixed)\nvariable y\nvariable q = der(y)\ny = -x\nq = 2 * x", {{"x", e}, {"y", -e}, {"q", 2 * e}}},
      {"a second derivative, the first by its negative", "variable x(start = 1, fixed)\nvariable w(start = 0, fixed)\nw = -der(x)\nder(x, 2) = -4 * x",
       {{"x", c}, {"w", 2 * s}, {"der(x)", -2 * s}}},
      {"both derivatives by their negatives", "variable x(start = 1, fixed)\nvariable w(start = 0, fixed)\nvariable u\nw = -der(x)\nu = -der(w)\nu = -4 * x",
       {{"x", c}, {"w", 2 * s}, {"u", -4 * c}}},
      {"a constraint on a derivative's negative", "variable x\nvariable w\nvariable F\nw = -der(x)\nx = sin(2 * time)\nder(w) = F", {{"w", -2 * c}, {"F", 4 * s}}},
      {"a constraint between ends of opposite sign", "variable x(start = 0, fixed)\nvariable y\nvariable z\nvariable v\nder(x) = v\nder(z) = 3 * v\ny = -x\ny + z = sin(2 * time)",
       {{"x", s / 2}, {"z", 1.5 * s}, {"v", c}}},
  });
}

// As the capacitor's current in the sums of two nodes where a source gives the voltage across it.
TEST_CASE("reduction: what cancels out of an equation is none of its unknowns") {
  const double s = std::sin(1), c = std::cos(1);
  const std::string common = "parameter g = 2\nvariable x, i, j, v\nder(x) = i\nj = i\nx = 2 * v\n";
  const std::vector<std::pair<const char*, double>> values = {{"x", 2 * s}, {"i", 2 * c}, {"v", s}};
  std::string many = "variable k[30], m\nm = 0\n", sum;
  for (int k = 1; k <= 30; ++k) {
    const std::string n = std::to_string(k);
    many += "k[" + n + "] = time + " + n + " * m\n";
    sum += " + k[" + n + "] - k[" + n + "]";
  }
  check({{"once", common + "j + v - i = sin(time)", values},
         {"by numbers", common + "3 * j + v - 3 * i = sin(time)", values},
         {"by a parameter", common + "g * j + v - i * g = sin(time)", values},
         {"in a sum of unknowns", common + "variable w\nw = sin(time)\nj + v - i = w", values},
         {"in a long one", common + many + "variable w\nw = sin(time)\nj + v - i" + sum + " = w", values}});
}

TEST_CASE("reduction: states that have their derivative in common") {
  const double e = std::exp(-2), c = std::cos(1), root = std::sqrt(1 + std::sin(1) / 2);
  const std::string two = "variable x(start = 1, fixed)\nvariable y(start = 2, fixed)\nvariable l\nder(x) = l\n";
  const std::string bound = "variable x(start = 1, fixed)\nvariable y(start = 1)\nvariable l\nder(x) = l\n";
  check({
      {"integrators of one signal", two + "der(y) = l\nl = sin(time)", {{"x", 2 - c}, {"y", 3 - c}, {"l", std::sin(1)}}},
      {"of opposite sign, one fed back", two + "der(y) = -l\nl = -2 * x", {{"x", e}, {"y", 3 - e}, {"der(y)", 2 * e}}},
      {"the other fed back", two + "der(y) = -l\nl = 2 * y", {{"y", 2 * e}, {"x", 3 - 2 * e}}},
      {"no name for the derivative", "variable x(start = 1, fixed)\nvariable y(start = 2, fixed)\nder(x) = der(y)\nder(y) = -2 * y", {{"y", 2 * e}, {"x", 2 * e - 1}}},
      {"a linear constraint between them", bound + "der(y) = -l\nx + 2 * y = 4", {{"x", 1}, {"y", 1.5}, {"l", 0}}},
      {"a constraint that is not linear", bound + "der(y) = l\nx^2 + y^2 = 2 + sin(time)\ny.start := 0.9", {{"x", root}, {"y", root}}},
      {"one acceleration", "variable x(start = 0, fixed)\nvariable y(start = 0, fixed)\nvariable v(start = 1, fixed)\nvariable w(start = 2, fixed)\nvariable a\n"
       "der(x) = v\nder(y) = w\nder(v) = a\nder(w) = a\na = -2 * x * 0 - 3 + 0 * v", {{"x", -0.5}, {"y", 0.5}, {"w", -1}}},
      {"three, and what they share differentiated", "variable z(start = 0.5, fixed)\nvariable k\n" + two + "der(y) = l\nder(z) = -l\nk = der(l)\nl = -z^2",
       {{"z", 1}, {"x", 0.5}, {"y", 1.5}, {"k", -2}}},
      {"one of them an alias of its own derivative, differentiated twice", "variable x(start = 1, fixed)\nvariable y(start = 2, fixed)\nvariable w\nder(x) = der(y)\nder(y) = -y\nw = der(x, 2)",
       {{"y", 2 * std::exp(-1)}, {"x", 2 * std::exp(-1) - 1}, {"w", 2 * std::exp(-1)}}},
      {"second derivatives", "variable x(start = 1, fixed)\nvariable y(start = 2, fixed)\nvariable v(start = 0, fixed) = der(x)\nvariable w(start = 0, fixed) = der(y)\n"
       "der(x, 2) = der(y, 2)\nder(y, 2) = -4 * y", {{"y", 2 * std::cos(2)}, {"x", 2 * std::cos(2) - 1}}},
      {"three in a row", "variable x(start = 1, fixed)\nvariable y(start = 2, fixed)\nvariable z(start = 3, fixed)\nder(x) = der(y)\nder(y) = der(z)\nder(z) = -2 * z",
       {{"z", 3 * e}, {"y", 3 * e - 1}, {"x", 3 * e - 2}}},
      {"elements of an array", "variable x[3](start = {1, 2, 0}, fixed = {true, true, false})\nvariable l\nfor k in 1:3\n  der(x[k]) = l\nend\nsum(x) = 3 + 3 * time",
       {{"x[1]", 2}, {"x[3]", 1}, {"l", 1}}},
      {"aliases of each other too", two + "variable m\nder(y) = m\nm = -l\nl = -2 * x\nvariable u = -x\nvariable q = der(u)", {{"x", e}, {"y", 3 - e}, {"q", 2 * e}}},
  });
}
