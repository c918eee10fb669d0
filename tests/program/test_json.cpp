#include <doctest/doctest.h>

#include <sstream>

#include "repl/commands.hpp"
#include "tests/program/run.hpp"

using namespace kron::test;
using nlohmann::json;

namespace {

const std::string json_model =
    "parameter k = 2\nvariable x(start = 1, fixed)\nvariable a\nvariable b\nder(x) = -a\na + b = x\na - b = k * x\n";

bool has(const json& j, const std::string& names) {
  std::istringstream list(names);
  for (std::string n; list >> n;)
    if (!j.contains(n)) return false;
  return true;
}

}  // namespace

TEST_CASE("json: every command answers one object with its fields") {
  std::string script = json_model + ":simulate until 1\n";
  std::vector<std::string> names{"simulate"};
  for (const kron::repl::Command& c : kron::repl::command_table()) {
    const std::string name(c.name);
    if (name == "simulate" || name == "animate" || name == "load" || name == "reset" || name == "quit" || name == "undo" || name == "redo") continue;
    const std::string arguments = name == "plot" || name == "value" || name == "explain" || name == "show" ? "x"
                                  : name == "sweep"                                                       ? "k from 1 to 2 points 2 values x"
                                  : name == "save"                                                        ? "r.csv"
                                  : name == "write"                                                       ? "w.eq"
                                  : name == "time"                                                        ? ":states"
                                  : name == "set"                                                         ? "points 100"
                                                                                                          : "";
    script += ":" + name + " " + arguments + "\n";
    names.push_back(name);
  }
  const Outcome o = run_script(script, {"--json"});
  CAPTURE(o.err);
  CHECK(o.status == 0);
  const auto list = o.objects();
  REQUIRE(list.size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    CAPTURE(list[i].dump());
    CHECK(list[i]["command"] == names[i]);
    CHECK(list[i]["ok"] == true);
    CHECK(has(list[i], std::string(kron::repl::find_command(names[i])->schema)));
  }
}

TEST_CASE("json: the objects' inner fields") {
  const json simulate = last_object(json_model + ":simulate until 2 points 10 tol 1e-9\n");
  CHECK(simulate["start"] == 0);
  CHECK(simulate["stop"] == 2);
  CHECK(simulate["points"] == 11);
  CHECK(has(simulate["final"], "x"));

  const json blt = last_object(json_model + ":blt\n");
  for (const json& b : blt["blocks"]) {
    CHECK(has(b, "index kind size unknowns equations method ordering core torn residues relaxed section"));
    CHECK(b["unknowns"].size() == b["size"]);
    CHECK(b["equations"].size() == b["size"]);
  }
  const json states = last_object(json_model + ":states\n");
  REQUIRE(states["states"].size() == 1);
  CHECK(states["states"][0]["name"] == "x");
  CHECK(states["states"][0]["start"] == 1);
  CHECK(states["states"][0]["fixed"] == true);
  const json ops = last_object(json_model + ":ops\n");
  for (const char* section : {"constant", "parameter", "dynamic", "output"}) CHECK(has(ops[section], "mul add div sqrt trig other"));
  const json stats = last_object(json_model + ":stats\n");
  CHECK(has(stats["edit"], "equations_changed equations_total blocks_reused blocks_rebuilt code_reused code_rebuilt seconds"));
  CHECK(has(stats["phases"], "parse elaborate flatten match blt index solve code jit"));
  CHECK(has(stats["machine_code"], "regions segments_made segments_reused instructions bytes seconds"));
}

TEST_CASE("json: values and names") {
  const json v = last_object("variable A[2,2] = {{1, 2}, {3, time}}\nvariable t = time / 3\n:simulate until 1\n:value A A[2, 1] t (t * 3 + 1)\n");
  CHECK(v["time"] == 1);
  CHECK(v["values"]["A"] == json::parse("[[1,2],[3,1]]"));
  CHECK(v["values"]["A[2,1]"] == 3);
  CHECK(v["values"]["t"].get<double>() == 1.0 / 3);
  CHECK(v["values"]["t * 3 + 1"] == 2);
}

TEST_CASE("json: a failed command tells code and message") {
  const Outcome o = run_script(json_model + ":simulate\n:value nothing\n:value x\n", {"--json"});
  CHECK(o.status == 1);
  REQUIRE(o.objects().size() == 2);
  const json failed = o.objects()[1];
  CHECK(failed["ok"] == false);
  CHECK(failed["error"]["code"].get<std::string>().starts_with("E"));
  CHECK(failed["error"]["message"].get<std::string>().size() > 5);
  REQUIRE_FALSE(o.diagnostics().empty());
  CHECK(has(o.diagnostics()[0], "severity code message file line column notes"));
  CHECK(o.diagnostics()[0]["line"] == 9);
  CHECK(o.diagnostics()[0]["column"] == 8);
}

TEST_CASE("json: the files that commands make") {
  const Outcome o = run_script(json_model + ":simulate\n:write w.eq\n:plot x to p.svg\n:incidence to i.png\n:sweep k from 1 to 2 points 3 values x to s.csv\n", {"--json"});
  CAPTURE(o.err);
  CHECK(o.status == 0);
  for (const char* name : {"w.eq", "p.svg", "i.png", "s.csv"}) CHECK(o.files.contains(name));
  CHECK(o.files.at("s.csv").starts_with("k,x\r\n1,"));
}

TEST_CASE("json: the program's commands answer one object, also where they fail") {
  const std::string bad = "variable x\nvariable = 3\n", good = "variable x(start = 1, fixed)\nder(x) = -x\n";
  const struct {
    const char* name;
    std::vector<std::string> arguments;
    std::string text;
    const char *command, *code;  // "": no error
    bool ok;
  } rows[] = {
      {"check", {"check", "FILE"}, good, "check", "", true},
      {"check of what is none", {"check", "FILE"}, bad, "check", "E0119", false},
      {"check of no file", {"check", "none.eq"}, good, "check", "E0504", false},
      {"simulate", {"simulate", "none.eq"}, good, "simulate", "E0504", false},
      {"no ending of a result", {"simulate", "FILE", "-o", "a.xyz"}, good, "simulate", "E0602", false},
      {"no folder for a result", {"simulate", "FILE", "-o", "nowhere/a.csv"}, good, "simulate", "E0601", false},
      {"sweep", {"sweep", "none.eq", "--vary", "k=1,2", "--values", "x"}, good, "sweep", "E0504", false},
      {"fmt", {"fmt", "FILE"}, good, "fmt", "", true},
      {"fmt of what would change", {"fmt", "--check", "FILE"}, "variable   x=1\n", "fmt", "", false},
      {"fmt of what is none", {"fmt", "FILE"}, bad, "fmt", "E0119", false},
      {"fmt of no file", {"fmt", "none.eq"}, good, "fmt", "E0504", false},
      {"test of no library", {"test", "none"}, good, "test", "E0205", false},
      {"test", {"test", "FILE"}, "test \"t\"\n  variable x = 1\n  :simulate\n  assert x > 5, \"low\", x\nend\n", "test", "E0560", false},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.name));
    std::vector<std::string> arguments{"--json"};
    arguments.insert(arguments.end(), row.arguments.begin(), row.arguments.end());
    const Outcome o = run({arguments, row.text, {}, {}, {}});
    CAPTURE(o.out);
    CAPTURE(o.err);
    CHECK(o.status == (row.ok ? 0 : 1));
    const std::vector<json> objects = o.objects();
    REQUIRE_FALSE(objects.empty());
    CHECK(objects.back()["command"] == row.command);
    CHECK(objects.back()["ok"] == row.ok);
    CHECK(objects.back().contains("error") == (*row.code != 0));
    if (*row.code) CHECK(objects.back()["error"]["code"] == row.code);
    for (const json& d : o.diagnostics()) CHECK(has(d, "severity code message file line column notes"));
  }
}
