// Random command lines: the program answers or complains, it never ends by a signal and never says "internal".
#include <doctest/doctest.h>

#include <random>

#include "repl/commands.hpp"
#include "tests/program/run.hpp"

using namespace kron::test;

namespace {

std::string random_line(std::mt19937& random) {
  static const std::vector<std::string> words = {
      "x", "y", "k", "A", "A[1]", "A[9]", "time", "(x - k)", "(x +", "\"x\"", "\"", "0", "1", "-1", "1e300", "nan", "2 [ms]", "2 [", "from", "to",
      "at", "vs", "until", "points", "every", "values", "block", "all", "p.svg", "r.csv", "w.eq", ":simulate", "method", "tolerance", "*", "e1", "[x]",
      "{1, 2}", "5", "ω", "\xff", "((((", "a.b.c", "x[", "der(x)", "()"};
  const auto& table = kron::repl::command_table();
  std::string name(table[random() % table.size()].name);
  if (name == "quit" || name == "plot") name = "value";
  std::string line = ":" + name;
  for (auto n = random() % 6; n > 0; --n) line += " " + words[random() % words.size()];
  return line;
}

}  // namespace

TEST_CASE("commands: random arguments") {
  const std::string model = "parameter k = 2\nvariable x(start = 1, fixed)\nvariable A[2] = {x, 2}\nder(x) = -k * x\n";
  for (unsigned seed = 1; seed <= 12; ++seed) {
    std::mt19937 random(seed);
    std::string script;
    for (int i = 0; i < 60; ++i) {
      if (i % 10 == 0) script += ":reset\n" + model + (i % 20 ? ":simulate\n" : "");
      script += random_line(random) + "\n";
    }
    const Outcome o = run({{"-i"}, "", script, {}, {}, {}});
    CAPTURE(seed);
    CAPTURE(script);
    CAPTURE(o.err);
    CHECK(o.status == 0);
    CHECK(o.err.find("E0599") == std::string::npos);
    CHECK(o.err.find("E0598") == std::string::npos);
  }
}
