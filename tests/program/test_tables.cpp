// The tables: commands, options, topics, diagnostic codes.
#include <doctest/doctest.h>

#include <set>
#include <sstream>

#include "lang/syntax/parser.hpp"
#include "repl/commands.hpp"
#include "repl/options.hpp"
#include "repl/topics.hpp"
#include "tests/program/run.hpp"

using namespace kron;
using namespace kron::test;

TEST_CASE("commands: the table holds what the parser knows") {
  std::set<std::string> here, there;
  for (const repl::Command& c : repl::command_table()) CHECK(here.insert(std::string(c.name)).second);
  for (const std::string_view n : syntax::command_names()) there.insert(std::string(n));
  CHECK(here == there);
}

TEST_CASE("commands: each has help, with an example that is a command line") {
  for (const repl::Command& c : repl::command_table()) {
    CAPTURE(c.name);
    CHECK_FALSE(c.summary.empty());
    CHECK(c.example.starts_with(":" + std::string(c.name)));
    const auto parsed = syntax::parse(sources::add("example", std::string(c.example) + "\n"));
    CHECK_FALSE(parsed.diagnostics.has_errors());
    REQUIRE(parsed.statements.size() == 1);
    CHECK(parsed.statements[0]->kind == syntax::StmtKind::command);
  }
}

TEST_CASE("options: every value is taken and shown, others are refused") {
  for (const repl::Option& o : repl::option_table()) {
    CAPTURE(o.name);
    repl::Options options;
    std::istringstream values{std::string(o.values)};
    for (std::string v; values >> v;) {
      CAPTURE(v);
      CHECK_FALSE(o.set(options, v).has_value());
      CHECK(o.get(options) == v);
    }
    CHECK(o.set(options, "nonsense").has_value());
    CHECK(o.set(options, "").has_value());
    CHECK(o.set(options, "-1").has_value());
  }
  const Outcome o = run_script(":set tolerance 1e-8\n:get tolerance\n:set method bdf\n:get method\n");
  CHECK(o.status == 0);
  CHECK(o.out == "tolerance = 1e-8\nmethod = bdf\n");
}

TEST_CASE("options: what simulate takes, from command, experiment, set, default") {
  const std::string model = "variable x(start = 1, fixed)\nder(x) = -x\n";
  const auto points = [&](const std::string& before, const std::string& arguments) {
    return last_object(model + before + ":simulate " + arguments + "\n");
  };
  CHECK(points("", "")["points"] == 501);
  CHECK(points("", "")["stop"] == 1);
  CHECK(points(":set points 20\n", "")["points"] == 21);
  CHECK(points(":set points 20\nexperiment stop = 2, interval = 0.5\n", "")["points"] == 5);
  CHECK(points("experiment stop = 2, interval = 0.5\n", "until 1 every 0.1")["points"] == 11);
  CHECK(points("experiment stop = 2, interval = 0.5\n", "points 7")["points"] == 8);
  CHECK(points(":set method rk45\n", "")["method"] == "rk45");
  CHECK(points(":set method rk45\nexperiment method = bdf\n", "")["method"] == "bdf");
  CHECK(points("parameter T = 3\n", "until (2 * T)")["stop"] == 6);
  CHECK(points("", "until 5 [ms]")["stop"].get<double>() == doctest::Approx(0.005));
}

TEST_CASE("help: topics' models are model text") {
  for (const repl::Topic& t : repl::topic_table()) {
    CAPTURE(t.name);
    std::istringstream lines{std::string(t.text)};
    std::string model;
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("    ")) model += line.substr(4) + "\n";
    const auto parsed = syntax::parse(sources::add("topic", model));
    for (const auto& d : parsed.diagnostics.list()) MESSAGE(render(d));
    CHECK_FALSE(parsed.diagnostics.has_errors());
  }
}

TEST_CASE("help: everything that exists has help") {
  std::string script = ":help\n";
  for (const repl::Command& c : repl::command_table()) script += ":help :" + std::string(c.name) + "\n";
  for (const repl::Topic& t : repl::topic_table()) script += ":help " + std::string(t.name) + "\n";
  for (const repl::Option& o : repl::option_table()) script += ":help " + std::string(o.name) + "\n";
  for (const CodeInfo& c : diagnostic_codes()) script += ":help " + std::string(c.code) + "\n";
  const Outcome o = run_script(script);
  CHECK(o.status == 0);
  CHECK(o.err == "");
}

namespace {

// Ways to come across an example: as a test, as a script, as a library in use, as the body of a class.
bool makes(const std::string& code, const std::string& example, std::string& said) {
  const std::string mark = "[" + code + "]";
  std::vector<Outcome> ways;
  if (example.starts_with("test \"")) {
    ways.push_back(run({{"test", "FILE"}, example, "", {}, {}, {}}));
  } else {
    ways.push_back(run_script(example));
    if (code[0] == 'E') CHECK(ways[0].status == 1);
    if (ways[0].err.find(mark) == std::string::npos) {
      ways.push_back(run({{"FILE"}, "use \"lib.eq\"\n", "", {{"lib.eq", example}}, {}, {}}));
      ways.push_back(run_script("model Box\n" + example + "\nend\nbox : Box\n"));
    }
  }
  for (const Outcome& o : ways) {
    said += o.err;
    if ((o.err + o.out).find(mark) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("codes: each is well formed, and its example makes it") {
  std::set<std::string_view> seen;
  for (const CodeInfo& c : diagnostic_codes()) {
    CAPTURE(c.code);
    CHECK(seen.insert(c.code).second);
    CHECK(c.code.size() == 5);
    CHECK((c.code[0] == 'E' || c.code[0] == 'W' || c.code[0] == 'N'));
    CHECK_FALSE(c.title.empty());
    CHECK_FALSE(c.explanation.empty());
    if (c.example.empty()) continue;
    std::string said;
    const bool made = makes(std::string(c.code), std::string(c.example), said);
    CAPTURE(c.example);
    CAPTURE(said);
    CHECK(made);
  }
}
