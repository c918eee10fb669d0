// Each usual mistake has its own message, at its place, once; what stands behind it is still looked at.
#include <set>

#include "tests/syntax/support.hpp"

namespace kron::syntax::test {
namespace {

struct Mistake {
  const char *text, *summary, *says;  // says: a part of the rendered diagnostics
};

void check(const Mistake& m) {
  CAPTURE(std::string(m.text));
  const Parsed p = parse_text(m.text);
  CHECK(summary(p.diagnostics) == m.summary);
  const std::string all = rendered(p.diagnostics);
  CHECK_MESSAGE(all.find(m.says) != std::string::npos, all);
}

}  // namespace

TEST_CASE("errors: expressions") {
  const Mistake rows[] = {
      {"x = 1.", "E0108 1:5", "write `1.0`"},
      {"x = 1.e5", "E0108 1:5", "digits on both sides"},
      {"x = .5 + y", "E0108 1:5", "write `0.5`"},
      {"x = 1e400", "E0109 1:5", "out of range"},
      {"x = 1e-400", "E0109 1:5", "out of range"},
      {"x = 1e-310", "E0109 1:5", "out of range"},
      {"x = 1e99999999999999999999", "E0109 1:5", "out of range"},
      {"x = 0e99999999999999999999", "", ""},
      {"x = ", "E0110 1:4", "expected the right side"},
      {"x = a + ", "E0110 1:8", "expected an operand, found the end"},
      {"x = a + * b", "E0110 1:9", "found `*`"},
      {"x = f(a, )", "E0110 1:10", "expected an argument, found `)`"},
      {"x = sum(m = 2 for k in 1:3)", "E0120 1:15", "found `for`"},
      {"x = ()", "E0110 1:6", "found `)`"},
      {"x = []", "E0110 1:6", "a row of the matrix"},
      {"x = a[]", "E0110 1:7", "a subscript"},
      {"x = a ** 2", "E0110 1:8", "a power is written `^`"},
      {"x = a <> b", "E0121 1:7", "written `!=`"},
      {"x = 'abc'", "E0110 1:5", "double quotes"},
      {"x = a =< b", "E0121 1:7", "write `<=`"},
      {"x = 2 y", "E0111 1:7", "a product is written `2*y`"},
      {"x = 2y", "E0111 1:6", "a product is written `2*y`"},
      {"x = a b", "E0111 1:7", "operator is missing before `b`"},
      {"x = (a + b)(c)", "E0111 1:12", "operator is missing"},
      {"x = a 3", "E0111 1:7", "operator is missing before `3`"},
      {"x = f(a b)", "E0111 1:9", "operator or a comma is missing"},
      {"x = {1 2}", "E0111 1:8", "operator or a comma"},
      {"x = f(a\n b)", "E0111 2:2", "operator or a comma"},
      {"x = a < b < c", "E0112 1:11", "a < b and b < c"},
      {"x = a == b == c", "E0112 1:12", "chained"},
      {"if x = 3\nend", "E0113 1:6", "written `==`"},
      {"when x = 3\nend", "E0113 1:8", "written `==`"},
      {"assert x = 3, \"m\"", "E0113 1:10", "written `==`"},
      {"y = if x = 3 then 1 else 2", "E0113 1:10", "written `==`"},
      {"x = inner + 1", "E0114 1:5", "reserved"},
      {"x = a & b", "E0116 1:7", "write `and`"},
      {"x = a || b", "E0116 1:7", "write `or`"},
      {"x = !a", "E0116 1:5", "write `not a`"},
      {"x = a × b", "E0116 1:7", "write `*`"},
      {"x = m²", "E0116 1:6", "write `^2`"},
      {"x = 5 % 2", "E0116 1:7", "mod(a, b)"},
      {"x = \"a\\q\"", "E0117 1:7", "escape"},
      {"x = a.", "E0119 1:7", "after the point"},
      {"x = a.end", "E0115 1:7", "`end` is a keyword"},
      {"x = a .+ b", "E0119 1:8", "element by element"},
      {"x = f(a = )", "E0110 1:11", "a value"},
      {"x = sum(k for 3 in 1:2)", "E0119 1:15", "index"},
      {"x = end", "E0130 1:5", "last index"},
      {"x = (end)", "E0130 1:6", "last index"},
      {"x = (1, 2)", "E0131 1:5", "an array is written `{a, b}`"},
      {"x = 5 [m\n]", "E0135 1:8", "on one line"},
      {"x = 5 [\nm]", "E0135 1:7", "on one line"},
      {"x = 5 []", "E0135 1:5", "a unit"},
      {"x = 5 [ ]", "E0135 1:5", "unit"},
      {"x = if a then b", "E0137 1:16", "needs an `else`"},
      {"x = if a b else c", "E0111 1:10", "missing"},
      {"x = der y", "E0120 1:9", "expected `(`"},
  };
  for (const Mistake& m : rows) check(m);
}

TEST_CASE("errors: brackets, strings, comments") {
  const Mistake rows[] = {
      {"x = (1", "E0102 1:5", "`(` is never closed"},
      {"x = f(1, {2, 3)", "E0103 1:15", "`)` does not close `{`"},
      {"x = 1)", "E0103 1:6", "closes nothing"},
      {"x = (1\ny = 2\nz = 3", "E0102 1:5", ""},
      {"x = (1\nmodel A\nend", "E0102 1:5", ""},
      {"c : C(a = 1,\n  b = 2\nx = 3\ny = z w", "E0102 1:6 E0111 4:7", ""},
      {"c : C(a = 1,\n  b = 2\nx = 3\ny = f(4)", "E0102 1:6", ""},
      {"x = \"abc\ny = 2", "E0104 1:5", "same line"},
      {"model A \"\"\"abc\nend", "E0104 1:9 E0122 1:1", ""},
      {"x = 1 /* abc\ny = 2", "E0105 1:7", "`*/`"},
  };
  for (const Mistake& m : rows) {
    if (std::string(m.text).find("\"\"\"") == std::string::npos) check(m);
    else CHECK(summary(parse_text(m.text).diagnostics).find("E0104 1:9") != std::string::npos);
  }
}

TEST_CASE("errors: statements") {
  const Mistake rows[] = {
      {"x", "E0118 1:2", "an expression alone"},
      {"x == 3", "E0118 1:3", "one `=`"},
      {"equation\nx = 1", "E0118 1:9", "leave it out"},
      {"x = 1 = y", "E0121 1:7", "one `=`"},
      {"paramter R = 3", "E0111 1:10", "did you mean `parameter`?"},
      {"modle A\nx = 1", "E0111 1:7", "did you mean `model`?"},
      {"connect(a, b)", "E0129 1:8", "without parentheses"},
      {"connect a", "E0120 1:10", "expected `,`"},
      {"connect a b", "E0111 1:11", "missing"},
      {"simulate until 3", "E0111 1:10", "a command begins with a colon: `:simulate`"},
      {"Resistor R1(R = 5)", "E0111 1:10", "behind the name: `R1 : Resistor`"},
      {"Real x(start = 1)", "E0111 1:6", "behind the name: `variable x`"},
      {"Integer n = 3", "E0111 1:9", "behind the name: `variable n : Integer`"},
      {"parameter Real k = 3", "E0111 1:16", "behind the name: `parameter k`"},
      {"flow Current i", "E0111 1:14", "behind the name: `flow i : Current`"},
      {"class M\nvariable x\nend", "E0111 1:7 E0123 3:1", "a class is written `model M` … `end`"},
      {"Modle M", "E0111 1:7", "did you mean `model`?"},
      {"assert(x > 0, \"m\")", "E0129 1:7", "without parentheses"},
      {"terminate(\"x\")", "E0129 1:10", "without parentheses"},
      {"reinit(v, 3)", "E0129 1:7", "without parentheses"},
      {"assert x > 0, y", "E0120 1:15", "a text in double quotes"},
      {"root = 3", "E0115 1:6", "keyword at the start"},
      {"test.x = 3", "E0115 1:5", "keyword at the start"},
      {"parameter model = 3", "E0115 1:11", "keyword"},
      {"parameter 3 = 3", "E0119 1:11", "the name to declare"},
      {"parameter x = 3 : Real", "E0121 1:19", "stands before the `=`"},
      {"variable x : Real(start = 1)", "E0128 1:18", "behind the name"},
      {"variable x : Real[3]", "E0128 1:18", "behind the name"},
      {"variable x : m^", "E0121 1:15", ""},
      {"variable x : (m/s", "E0102 1:14", ""},
      {"variable x :", "E0138 1:13", "a type or a unit"},
      {"a.b : Foo", "E0119 1:5", "plain name"},
      {"x : 3", "E0119 1:5", "the name of a class"},
      {"redeclare x : Foo", "E0114 1:1", "leave it out"},
      {"import Modelica", "E0114 1:1", "`use library`"},
      {"c : C(each x = 1)", "E0114 1:7", "leave it out"},
      {"private x = 3", "E0120 1:9", "a declaration"},
      {"partial A\nend", "E0120 1:9", "`model`"},
      {"model", "E0119 1:6 E0122 1:1", "a name"},
      {"enum A", "E0119 1:7", "literal"},
      {"function f\nend", "E0120 1:11", "`(`"},
      {"function f(x : Real) = x", "E0120 1:14", "have no type"},
      {"use 3", "E0119 1:5", "library"},
      {"2 * x := 3", "E0132 1:1", "written with `=`"},
      {"x = 1 \"a\" \"b\"", "E0133 1:11", "second doc"},
      {"for k in 1:3 x[k] = 1\nend", "E0111 1:14", ""},
      {":simulat until 3", "E0125 1:1", "did you mean `:simulate`?"},
      {":zzzz", "E0125 1:1", "`:help`"},
      {"x : : y", "E0119 1:5", ""},
      {"tear", "E0119 1:5", "a variable"},
      {"experiment", "E0119 1:11", "a setting"},
      {"delete", "E0119 1:7", "a name"},
      {"@note", "E0120 1:1", "a statement"},
  };
  for (const Mistake& m : rows) {
    if (std::string(m.text) == "model") continue;  // two errors at once: below
    check(m);
  }
}

TEST_CASE("errors: blocks") {
  const Mistake rows[] = {
      {"model A\n  x = 1", "E0122 1:1", "`model A` has no `end`"},
      {"for k in 1:2\n  if a\n  end", "E0122 1:1", "`for` has no `end`"},
      {"end", "E0123 1:1", "closes nothing"},
      {"if a\n  x = 1\nelse if b\n  x = 2\nend", "E0122 1:1", "write `elseif`"},
      {"model A\n  for k in 1:2\n    x[k] = 1\nend\ny = 1", "E0122 1:1", "closed `for`; by its indentation"},
      {"else", "E0123 1:1", "belongs to an `if`"},
      {"if a\nelse\nelse\nend", "E0123 3:1", "`else`"},
      {"if a\nelse\nelseif b\nend", "E0123 3:1", "`elseif`"},
      {"if a\nelsewhen b\nend", "E0123 2:1", "`elsewhen`"},
      {"when a\nelse\nend", "E0123 2:1", ""},
      {"model A\nend B", "E0124 2:5", "`end B` closes `model A`"},
      {"if a\nend if", "E0121 2:5", "write `end`"},
      {"model A\n  for k in 1:2\n    x[k] = 1\nend A\nx = 1", "E0122 2:3", "`for` has no `end`"},
      {"model A\n  x = 1\nmodel B\nend", "E0122 1:1", "`model A`"},
      {"model A\n  model B\n  end\nend", "E0127 2:3", "`model B` cannot be defined inside `model A`"},
      {"enum E A, B, A", "E0207 1:1", "name of its own"},
      {"model A\n  x := 1\nend", "E0126 2:3", "written with `=`"},
      {"model A\n  delete x\nend", "E0126 2:3", "top level"},
      {"return 1", "E0126 1:1", "outside a function"},
      {"if a\n  return 1\nend", "E0126 2:3", "outside a function"},
      {"function f(x)\n  if a\n    variable y\n  end\n  return x\nend", "E0126 3:5", "a declaration"},
      {"extends A", "E0126 1:1", "outside a class"},
      {"if a\n  x : X\nend", "E0126 2:3", "may have a condition"},
      {"x = 1\n\"a text\"", "E0126 2:1", "doc string"},
      {"model A\n  x = 1\n  \"a text\"\nend", "E0126 3:3", "doc string"},
      {"model A \"a\"\n  \"b\"\nend", "E0133 2:3", "second"},
      {"if a\n  model B\n  end\nend", "E0127 2:3", ""},
  };
  for (const Mistake& m : rows) check(m);
}

TEST_CASE("errors: a broken first line still opens its block") {
  for (const char* text : {"model A extends\n  x = 1\nend\ny = 2", "for k in\n  x = 1\nend\ny = 2",
                           "if a +* b\n  x = 1\nelse\n  x = 2\nend\ny = 2", "function f(\n  x = 1\nend\ny = 2",
                           "when (\n  x = 1\nend\ny = 2", "model 3\n  variable x\nend\ny = 2",
                           "test 3\n  x = 1\nend\ny = 2", "l :: for\n  x = 1\nend\ny = 2"}) {
    CAPTURE(std::string(text));
    const Parsed p = parse_text(text);
    CHECK_MESSAGE(p.diagnostics.error_count() == 1, rendered(p.diagnostics));
    REQUIRE(!p.statements.empty());
    CHECK(print(*p.statements.back()) == "y = 2");
  }
}

TEST_CASE("errors: all of a file in one run, in order, none twice") {
  const struct {
    const char* text;
    std::size_t errors, statements;
  } rows[] = {
      {"x = 1 +\ny = 2\nz = * 3\nw = 4 5\nv = 6", 3, 1},
      {"a = (1\nb = 2 3\nc = {1, 2\nd = 4\ne = f(5))\ng = 6", 4, 2},
      {"model A\n  x = = 1\n  y = 2\nend\nmodel B\n  z = 3 4\n  for k in 1:2\n    w[k] = \n  end\nend\nx = 1", 3, 3},
      {"x = \"abc\ny = \"def\nz = 1.\n:foo\n:simulate", 4, 1},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.text));
    const Parsed p = parse_text(row.text);
    CHECK_MESSAGE(p.diagnostics.error_count() == row.errors, rendered(p.diagnostics));
    CHECK(p.statements.size() == row.statements);
    std::set<std::uint32_t> lines;
    std::uint32_t last = 0;
    for (const Diagnostic& d : p.diagnostics.list()) {
      CHECK(d.span.begin >= last);
      last = d.span.begin;
      CHECK(lines.insert(sources::position(d.span.source, d.span.begin).line).second);
    }
  }
}

TEST_CASE("errors: n broken statements are n errors") {
  for (const char* broken : {"x = = 1", "x = (1", "x = \"a", "x = 1)", "x = a b", "connect a", "x = 1.", ":foo", "end",
                             "x = #", "root = 3", "variable x : Real(start = 1)", "x = {1, 2)", "if a b"}) {
    std::string text;
    const std::size_t n = 20;
    for (std::size_t i = 0; i < n; ++i) text += std::string(broken) + "\ny = 1\n" + (broken[0] == 'i' ? "end\n" : "");
    CAPTURE(std::string(broken));
    const Parsed p = parse_text(text);
    CHECK_MESSAGE(p.diagnostics.error_count() == n, rendered(p.diagnostics).substr(0, 2000));
    if (broken[0] != 'i') CHECK(p.statements.size() == n);
  }
}

TEST_CASE("errors: reserved words and keywords are no names") {
  for (const char* w :
       {"algorithm", "annotation", "block", "break", "constrainedby", "each", "expandable", "external", "import",
        "inner", "loop", "package", "protected", "public", "redeclare", "replaceable", "stream", "type", "while"}) {
    CAPTURE(std::string(w));
    CHECK(summary(parse_text("variable " + std::string(w) + " = 1").diagnostics) == "E0114 1:10");
    CHECK(summary(parse_text("x = " + std::string(w)).diagnostics) == "E0114 1:5");
    CHECK(!is_keyword(w));
  }
  for (const char* w : {"and",       "connector", "constant",  "der",      "discrete", "else",   "elseif", "elsewhen",
                        "end",       "enum",      "extends",   "false",    "final",    "flow",   "for",    "function",
                        "if",        "initial",   "input",     "model",    "not",      "or",     "outer",  "output",
                        "parameter", "partial",   "potential", "private",  "record",   "reinit", "relax",  "residue",
                        "return",    "then",      "true",      "variable", "when"}) {
    CAPTURE(std::string(w));
    CHECK(is_keyword(w));
    CHECK(summary(parse_text("variable " + std::string(w) + " = 1").diagnostics) == "E0115 1:10");
  }
  for (const char* w : {"assert", "branch", "connect", "delete", "experiment", "root", "tear", "terminate", "test",
                        "untear", "use", "time", "in", "at", "as", "state", "start"}) {
    CAPTURE(std::string(w));
    CHECK(!is_keyword(w));
    CHECK(parse_text("variable " + std::string(w) + " = 1\nx = " + w + " + 1").diagnostics.list().empty());
  }
}

TEST_CASE("codes: the example of each shows it") {
  for (const CodeInfo& c : diagnostic_codes()) {
    const bool ours = c.code.substr(1, 2) == "01";
    if (!ours) continue;
    CAPTURE(std::string(c.code));
    const Parsed p = parse_text(std::string(c.example));
    bool shown = false;
    for (const Diagnostic& d : p.diagnostics.list()) shown = shown || d.code == c.code;
    CHECK_MESSAGE(shown, rendered(p.diagnostics));
    CHECK(!c.title.empty());
    CHECK(!c.explanation.empty());
  }
}

TEST_CASE("commands: the table") {
  for (const char* c : {"simulate",  "blt",        "states",     "index",   "ops",  "code",    "incidence", "equations",
                        "variables", "parameters", "components", "classes", "show", "explain", "value",     "plot",
                        "animate",   "sweep",      "save",       "write",   "load", "reset",   "undo",      "redo",
                        "history",   "time",       "stats",      "set",     "get",  "help",    "quit"}) {
    const Parsed p = parse_text(":" + std::string(c) + " a b  c // d");
    REQUIRE(p.statements.size() == 1);
    CHECK(p.statements[0]->kind == StmtKind::command);
    CHECK(p.statements[0]->name.str() == c);
    CHECK(p.statements[0]->text == "a b  c");
  }
  CHECK(command_names().size() == 31);
}

}  // namespace kron::syntax::test
