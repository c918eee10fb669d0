// What statements become: labels, residuals, shapes.
#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include "support.hpp"

using kron::test::elaborate;

namespace {

struct EquationRow {
  const char* name;
  const char* text;
  const char* equations;
};

void check(const EquationRow& row) {
  CAPTURE(row.name);
  const auto m = elaborate(row.text);
  INFO(m.all_messages());
  CHECK(m.good());
  CHECK(m.equations() == std::string(row.equations));
}

}  // namespace

TEST_CASE("equations: labels and scalars") {
  const EquationRow rows[] = {
      {"numbered in order of text", "variable x\nvariable y\nx = 1\ny = 2\n", "e1: x - 1 = 0\ne2: y - 2 = 0\n"},
      {"labels are kept, numbers go round them", "variable x\nvariable y\nvariable z\ne2 :: x = 1\ny = 2\nz = 3\n", "e2: x - 1 = 0\ne1: y - 2 = 0\ne3: z - 3 = 0\n"},
      {"a binding's label is its variable", "variable x = 3\n", "x: x - 3 = 0\n"},
      {"a name takes a number away", "variable e1\nvariable x\nx = 1\n", "e2: x - 1 = 0\n"},
      {"derivatives", "variable x\nder(x, 2) = -x\n", "e1: der(x,2) + x = 0\n"},
      {"der of an expression", "variable x\nparameter a = 2\nder(a * x^2) = 0\n", "e1: a*(2*x*der(x)) = 0\n"},
      {"der of a parameter", "variable x\nparameter p = 1\nx = der(p) + der(time)\n", "e1: x - 1 = 0\n"},
      {"marks", "variable x\nvariable y\nder(relax(x)) = residue(y)\nder(residue(y)) = relax(x)\n",
       "e1: relax(der(x)) - residue(y) = 0\ne2: residue(der(y)) - relax(x) = 0\n"},
      {"relations and logic", "variable x\nvariable y : Boolean\ny = not (x < 1 or x >= 2) and x != 3\n",
       "e1: y = (not (x < 1 or 2 <= x)) and (not (x <= 3 and 3 <= x))\n"},
      {"tuple", "function f(u)\n  return u, 2 * u\nend\nvariable x\nvariable y\n(x, y) = f(time)\n", "e1[1]: x - time = 0\ne1[2]: y - 2*time = 0\n"},
      {"zero on the right", "variable x\nx + 1 = 0\n", "e1: x + 1 = 0\n"},
      {"powers", "variable x\nx = 10^-3 * x^2^2\n", "e1: x - 0.001*x^4 = 0\n"},
  };
  for (const EquationRow& row : rows) check(row);
}

TEST_CASE("equations: arrays, loops") {
  const EquationRow rows[] = {
      {"vector", "variable x[2]\nx = {1, 2}\n", "e1[1]: x[1] - 1 = 0\ne1[2]: x[2] - 2 = 0\n"},
      {"matrix times vector", "parameter A[2,2] = {{1, 2}, {3, 4}}\nvariable x[2]\nder(x) = A * x\n",
       "e1[1]: der(x[1]) - (A[1,1]*x[1] + A[1,2]*x[2]) = 0\ne1[2]: der(x[2]) - (A[2,1]*x[1] + A[2,2]*x[2]) = 0\n"},
      {"loop", "variable x[3]\nfor k in 1:3\n  x[k] = k\nend\n", "e1[1]: x[1] - 1 = 0\ne1[2]: x[2] - 2 = 0\ne1[3]: x[3] - 3 = 0\n"},
      {"two statements in a loop", "variable x[2]\nvariable y[2]\nfor k in 1:2\n  x[k] = 1\n  y[k] = 2\nend\n",
       "e1[1]: x[1] - 1 = 0\ne1[2]: x[2] - 1 = 0\ne2[1]: y[1] - 2 = 0\ne2[2]: y[2] - 2 = 0\n"},
      {"two iterators", "variable x[2,2]\nfor i in 1:2, j in 1:2\n  x[i, j] = i - j\nend\n",
       "e1[1,1]: x[1,1] = 0\ne1[1,2]: x[1,2] - (-1) = 0\ne1[2,1]: x[2,1] - 1 = 0\ne1[2,2]: x[2,2] = 0\n"},
      {"inner range depends on outer", "variable x[2,2]\nfor i in 1:2, j in 1:i\n  x[i, j] = 1\nend\nx[1, 2] = 0\n",
       "e1[1]: x[1,1] - 1 = 0\ne1[2]: x[2,1] - 1 = 0\ne1[3]: x[2,2] - 1 = 0\ne2: x[1,2] = 0\n"},
      {"the same references fall together", "variable x[3]\nfor k in 1:3\n  x[k] = 2 * x[4-k]\nend\n",
       "e1[1]: x[1] - 2*x[3] = 0\ne1[2]: x[2] - 2*x[2] = 0\ne1[3]: x[3] - 2*x[1] = 0\n"},
      {"structural if in a loop", "variable x[3]\nfor k in 1:3\n  if k == 1\n    x[k] = 0\n  else\n    x[k] = x[k-1]\n  end\nend\n",
       "e1[1]: x[1] = 0\ne2[1]: x[2] - x[1] = 0\ne2[2]: x[3] - x[2] = 0\n"},
      {"range deduced", "variable x[2]\nfor k\n  x[k] = 1\nend\n", "e1[1]: x[1] - 1 = 0\ne1[2]: x[2] - 1 = 0\n"},
      {"slices", "variable x[4]\nx[1:2] = {1, 2}\nx[{3, end}] = {3, 4}\n", "e1[1]: x[1] - 1 = 0\ne1[2]: x[2] - 2 = 0\ne2[1]: x[3] - 3 = 0\ne2[2]: x[4] - 4 = 0\n"},
      {"an empty loop", "variable x\nfor k in 1:0\n  x = k\nend\nx = 1\n", "e2: x - 1 = 0\n"},
      {"enumeration as a range", "enum E a, b\nvariable x[2]\nfor k in E\n  x[k] = 1\nend\n", "e1[1]: x[1] - 1 = 0\ne1[2]: x[2] - 1 = 0\n"},
      {"element of a call", "variable x\nx = {1, 2, time}[3]\n", "e1: x - time = 0\n"},
      {"columns and rows", "parameter A[2,2] = {{1, 2}, {3, 4}}\nvariable x[2]\nx = A[:, 2] + A[1, :]\n",
       "e1[1]: x[1] - (A[1,2] + A[1,1]) = 0\ne1[2]: x[2] - (A[2,2] + A[1,2]) = 0\n"},
  };
  for (const EquationRow& row : rows) check(row);
}

// Rounds whose references move evenly are emitted without a look at them: they are what the statements are that somebody writes out.
TEST_CASE("equations: long loops are their rounds one by one") {
  struct Loop {
    const char *name, *declarations;
    int first, step, last;
    std::vector<const char*> statements;  // # is the iterator
  };
  const std::string cell = "model Cell\n  variable v\n  variable u[3]\n  der(v) = u[2]\n  u = {v, 2 * v, time}\nend\n";
  const Loop loops[] = {
      {"neighbours", "variable T[12]\nparameter a = 2\n", 2, 1, 11, {"der(T[#]) = a * (T[# - 1] - 2 * T[#] + T[# + 1])"}},
      {"two statements", "variable x[12]\nvariable y[13]\n", 1, 1, 12, {"der(x[#]) = y[#]", "y[# + 1] = y[#] - x[#]"}},
      {"references that meet half way", "variable x[12]\n", 1, 1, 12, {"der(x[#]) = x[13 - #] * x[#]"}},
      {"references that meet between two", "variable x[11]\n", 1, 1, 11, {"der(x[#]) = x[12 - #] * x[#]"}},
      {"steps", "variable x[40]\n", 2, 3, 38, {"x[#] = x[# + 1] + x[2]"}},
      {"backwards", "variable x[12]\n", 12, -1, 2, {"x[#] = x[# - 1] * time"}},
      {"a multiple", "variable x[30]\nvariable y[12]\n", 1, 1, 12, {"y[#] = x[2 * # + 3]"}},
      {"a square", "variable x[64]\nvariable y[8]\n", 1, 1, 8, {"y[#] = x[# * #]"}},
      {"two dimensions", "variable x[9,9]\nvariable y[8]\n", 1, 1, 8, {"y[#] = x[#, # + 1] - x[3, #] + x[#, 2]"}},
      {"a parameter in a subscript", "parameter n = 12\nvariable x[12]\n", 1, 1, 11, {"x[#] = x[n - #]"}},
      {"components", "c[12] : Cell\nvariable y[12]\n", 1, 1, 12, {"y[#] = c[#].v + c[#].u[3] + c[13 - #].u[1]"}},
      {"components that differ", "c[12] : Sized(n = {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6})\nvariable y[12]\n", 1, 1, 12, {"y[#] = c[#].v"}},
      {"moving deeper down", "d[2] : Row\nvariable y[12]\n", 1, 1, 12, {"y[#] = d[2].c[#].v"}},
      {"the iterator as a number", "variable x[12]\n", 1, 1, 12, {"x[#] = # * time"}},
  };
  for (const Loop& l : loops) {
    CAPTURE(l.name);
    const auto put = [](std::string text, const std::string& with) {
      for (std::size_t at; (at = text.find('#')) != std::string::npos;) text.replace(at, 1, with);
      return text;
    };
    std::string head = cell + "model Sized\n  parameter n = 1\n  variable w[n] = fill(time, n)\n  variable v = time\nend\nmodel Row\n  variable before\n  c[12] : Cell\nend\n" + l.declarations;
    std::string loop = "for k in " + std::to_string(l.first) + ":" + std::to_string(l.step) + ":" + std::to_string(l.last) + "\n", rounds;
    for (const char* s : l.statements) {
      loop += "  " + put(s, "k") + "\n";
      for (int k = l.first; l.step > 0 ? k <= l.last : k >= l.last; k += l.step) rounds += put(s, std::to_string(k)) + "\n";
    }
    const auto residuals = [](const std::string& text) {
      const auto m = elaborate(text);
      std::string all = m.all_messages(), line;
      std::istringstream lines(m.equations());
      while (std::getline(lines, line)) all += line.substr(line.find(": ") + 2) + "\n";
      return all;
    };
    CHECK(residuals(head + loop + "end\n") == residuals(head + rounds));
  }
}

TEST_CASE("equations: the first round of a long loop that leaves its array is told") {
  const auto m = elaborate("variable x[20]\nvariable y[30]\nfor k in 1:30\n  y[k] = x[k] + x[1]\nend\n");
  CHECK(m.messages() == "E0223 4:12");
  CHECK(m.all_messages().find("index 21 is outside 1:20") != std::string::npos);
}

TEST_CASE("equations: conditions") {
  const EquationRow rows[] = {
      {"a structural condition leaves the dead branch unread", "parameter on : Boolean = true\nvariable x\nif on\n  x = 1\nelse\n  x = nothing\nend\n", "e1: x - 1 = 0\n"},
      {"elseif", "parameter n = 2\nvariable x\nif n == 1\n  x = 1\nelseif n == 2\n  x = 2\nelse\n  x = 3\nend\n", "e2: x - 2 = 0\n"},
      {"run-time condition", "variable x\nif time < 1\n  x = 1\nelse\n  x = 2\nend\n", "e1: x - (if time < 1 then 1 else 2) = 0\n"},
      {"different left sides", "variable x\nvariable y\nif time < 1\n  x = 1\nelse\n  y = 2\nend\n", "e1: if time < 1 then x - 1 else y - 2 = 0\n"},
      {"three branches", "variable x\nif time < 1\n  x = 1\nelseif time < 2\n  x = 2\nelse\n  x = 3\nend\n", "e1: x - (if time < 1 then 1 else (if time < 2 then 2 else 3)) = 0\n"},
      {"expression", "variable x = if time < 1 then 1 else 2\n", "x: x - (if time < 1 then 1 else 2) = 0\n"},
      {"structural expression", "parameter on : Boolean = false\nvariable x = if on then nothing else 2\n", "x: x - 2 = 0\n"},
      {"structural part of a run-time choice", "parameter n = 1\nvariable x = if time < 1 then 1 elseif n == 1 then 2 else nothing\n", "x: x - (if time < 1 then 1 else 2) = 0\n"},
      {"loop inside", "variable x[2]\nif time < 1\n  for k in 1:2\n    x[k] = 1\n  end\nelse\n  x = {3, 4}\nend\n",
       "e1[1]: x[1] - (if time < 1 then 1 else 3) = 0\ne1[2]: x[2] - (if time < 1 then 1 else 4) = 0\n"},
  };
  for (const EquationRow& row : rows) check(row);
}

TEST_CASE("equations: initial ones") {
  const auto m = elaborate(
      "variable x[2]\nvariable y\nparameter p(fixed = false)\nder(x) = -x\ny = p\ninitial y = 3\ninitial for k in 1:2\n  x[k] = k\nend\n"
      "initial\n  der(y) = 0\nend\ninitial if true\n  p = 1\nend\n");
  INFO(m.all_messages());
  CHECK(m.equations() == "e1[1]: der(x[1]) + x[1] = 0\ne1[2]: der(x[2]) + x[2] = 0\ne2: y - p = 0\n");
  CHECK(m.initial() == "e3: y - 3 = 0\ne4[1]: x[1] - 1 = 0\ne4[2]: x[2] - 2 = 0\ne5: der(y) = 0\ne6: p - 1 = 0\n");
}

TEST_CASE("equations: assertions") {
  const auto m = elaborate("parameter R = 1\nvariable x = time\nassert R > 0, \"positive\", R, x\nif x > 1\n  assert x < 2, \"small\"\n  x = 1\nelse\n  x = 2\nend\n");
  INFO(m.all_messages());
  REQUIRE(m.good());
  REQUIRE(m.result.top->assertions.size() == 2);
  CHECK(m.result.top->assertions[0].text == "positive");
  CHECK(m.result.top->assertions[0].values.size() == 2);
  CHECK(m.result.top->assertions[1].text == "small");
}
