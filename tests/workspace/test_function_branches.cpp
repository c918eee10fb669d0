// `if` statements of functions that are decided while the model runs: what they give is what they give where they are decided before.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

// A body of random assignments, choices, loops and returns.
class RandomFunction {
 public:
  explicit RandomFunction(unsigned seed) : random_(seed) {}
  std::string text(const std::string& name) {
    return "function " + name + "(a, b)\n  x = a\n  y = b\n  v = {a, b, 1}\n" + body(2, 3, false) + "  return x + 2 * y - v * {1, 2, 3}\nend\n";
  }
  std::string number() {
    const std::string digits = std::to_string(pick(400));
    return (pick(2) ? "-" : "") + std::to_string(pick(3)) + "." + digits;
  }

 private:
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  std::string operand() {
    switch (pick(8)) {
      case 0: return "a";
      case 1: return "b";
      case 2: return "v[" + std::to_string(1 + pick(3)) + "]";
      case 3: return std::to_string(pick(5)) + ".25";
      case 4: case 5: return "x";
      default: return "y";
    }
  }
  std::string expression() {
    const char* ops[] = {" + ", " - ", " + 0.5 * ", " - 0.25 * "};
    return operand() + ops[pick(4)] + operand();
  }
  std::string target() { return pick(3) == 0 ? "v[" + std::to_string(1 + pick(3)) + "]" : pick(2) ? "x" : "y"; }
  std::string condition() {
    const std::string one = operand() + (pick(2) ? " < " : " > ") + expression() + " + 0.03719";  // no ties, which roundings would decide
    return pick(4) ? one : one + (pick(2) ? " and " : " or ") + operand() + " > 0.1";
  }
  std::string body(int indent, int deep, bool in_loop) {
    const std::string left(static_cast<std::size_t>(indent), ' ');
    std::string s;
    for (unsigned n = 1 + pick(3); n-- > 0;) {
      const unsigned kind = pick(10);
      if (deep > 0 && kind < 5) {
        s += left + "if " + condition() + "\n" + body(indent + 2, deep - 1, in_loop);
        if (pick(3) == 0) s += left + "elseif " + condition() + "\n" + body(indent + 2, deep - 1, in_loop);
        if (pick(2)) s += left + "else\n" + body(indent + 2, deep - 1, in_loop);
        s += left + "end\n";
      } else if (deep > 0 && kind == 5) {
        s += left + "for k in 1:3\n" + left + "  v[k] = k + " + expression() + "\n" + body(indent + 2, deep - 1, true) + left + "end\n";
      } else if (!in_loop && deep < 3 && kind == 6) {
        return s + left + "return " + expression() + "\n";
      } else {
        s += left + target() + " = " + expression() + "\n";
      }
    }
    return s;
  }
  std::mt19937 random_;
};

}  // namespace

TEST_CASE("what a function chooses while the model runs is what it chooses before") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    RandomFunction f(seed);
    const std::string text = f.text("f"), a = f.number(), b = f.number();
    CAPTURE(text + "f(" + a + ", " + b + ")");
    Session s;
    REQUIRE(s.run_text(text + "variable before = f(" + a + ", " + b + ")\nvariable u = " + a + " + sin(time)\nvariable w = " + b + " + sin(time)\n" +
                       "variable running = f(u, w)\nparameter p = " + a + "\nparameter q = " + b + "\nvariable mixed = f(p, w)\nvariable numbers = f(p, q)\n"));
    REQUIRE(s.simulate({.stop = 0.01}));
    const double expected = s.value("before", 0.0).value();
    for (const char* name : {"running", "mixed", "numbers"}) {
      CAPTURE(name);
      CHECK(s.value(name, 0.0).value() == doctest::Approx(expected).epsilon(1e-12));
    }
  }
}

// Each of them leaves a way on, so what is behind them must not be run once for each.
TEST_CASE("thirty returns inside two conditions each take no time") {
  std::string text = "function f(x, y)\n  s = 0\n";
  for (int k = 0; k < 30; ++k) {
    const std::string n = std::to_string(k);
    text += "  if x > " + n + "\n    if y > " + n + "\n      return " + n + "\n    end\n    s = s + " + n + "\n  end\n";
  }
  Session s;
  REQUIRE(s.run_text(text + "  return s\nend\nvariable z = f(10.5 + sin(time), -sin(time))\n"));
  REQUIRE(s.simulate({.stop = 0.01}));
  CHECK(*s.value("z", 0.0) == 55);
}

TEST_CASE("what an `if` statement of a function may do") {
  const struct { const char *text, *call, *codes; double value; } rows[] = {
      {"function f(x)\n  if x < 0\n    return -x\n  end\n  return x\nend\n", "f(u - 3)", "", 3},
      {"function f(x)\n  y = x\n  if x < 0\n    y = -x\n  elseif x > 10\n    y = 10\n  end\n  return y\nend\n", "f(u + 20)", "", 10},
      {"function f(x)\n  if x > 0\n    if x > 5\n      return 1\n    end\n  end\n  return 2\nend\n", "f(u + 1)", "", 2},
      {"function f(x)\n  if x < 0\n    return 1, 2\n  end\n  return 3, 4\nend\n", "f(u + 1) + f(u - 1)", "", 4},
      {"function f(x)\n  s = 0\n  for k in 1:3\n    if x > k\n      s = s + k\n    end\n  end\n  return s\nend\n", "f(u + 2.5)", "", 3},
      {"function f(x)\n  y = if 1 < x then 1 else 2\n  return sqrt(4)\nend\n", "f(f(u))", "", 2},
      {"function f(x)\n  if x > 0\n    y = 1\n  end\n  return y\nend\n", "f(u)", "E0201", 0},
      {"function f(x)\n  for k in 1:3\n    if x > k\n      return k\n    end\n  end\n  return 0\nend\n", "f(u + 2.5)", "", 1},
      {"function f(x)\n  for k in 1:3\n    if x < k\n      return k\n    end\n    x = x + 0.25\n  end\n  return x\nend\n", "f(u + 1.5) + 10 * f(u + 7)", "", 79.5},
      {"function f(x)\n  if x > 0\n    return 1\n  end\nend\n", "f(u)", "E0250", 0},
      {"function f(x)\n  if x > 0\n    return 1, 2\n  end\n  return 1\nend\n", "f(u)", "E0250", 0},
      {"function f(x)\n  if x > 0\n    y = {1, 2}\n  else\n    y = 1\n  end\n  return y[1]\nend\n", "f(u)", "E0220", 0},
      {"function f(x)\n  if x\n    return 1\n  end\n  return 2\nend\n", "f(u)", "E0221", 0},
      {"function f(n)\n  if n <= 0\n    return 1\n  end\n  return n * f(n - 1)\nend\n", "f(u)", "E0250", 0},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    Session s;
    const bool good = s.run_text(std::string(row.text) + "variable u = sin(time)\nvariable y = " + row.call + "\n");
    CHECK(codes(s) == (*row.codes ? std::string(row.codes) + " N0503" : ""));  // and what was not added with it
    CHECK(good == (*row.codes == 0));
    if (!good) continue;
    REQUIRE(s.simulate({.stop = 0.01}));
    CHECK(s.value("y", 0.0).value() == row.value);
  }
}

TEST_CASE("a relation that functions make long is told by its beginning") {
  Session s;
  REQUIRE(s.run_text("function g(x) = x + x * x - x * x\nvariable h(start = 1, fixed)\nvariable v(start = 0, fixed)\nder(h) = v\nder(v) = -9.81\n"
                     "when g(g(g(g(g(g(h)))))) < 0\n  reinit v = -0.5 * pre(v)\nend\n"));
  CHECK_FALSE(s.simulate({.stop = 5}));
  CHECK(codes(s).find("E0416") != std::string::npos);
  CHECK(rendered(s).size() < 3000);
}
