// Where statements end (language.md section 2), and what becomes of comments and commands.
#include "tests/syntax/support.hpp"

namespace kron::syntax::test {
namespace {

// The statements, one after the other, each without its line breaks.
std::string lines(const std::string& text) {
  const Parsed p = parse_text(text);
  if (!p.diagnostics.list().empty()) return summary(p.diagnostics);
  std::string out;
  for (const StmtPtr& s : p.statements)
    if (s->kind != StmtKind::blank) out += (out.empty() ? "" : " | ") + print(*s);
  for (std::size_t i = 0; (i = out.find('\n', i)) != std::string::npos;) out.replace(i, 1, "/");
  return out;
}

}  // namespace

TEST_CASE("layout: where a statement ends") {
  const struct {
    const char *text, *statements;
  } rows[] = {
      {"a = 1\nb = 2", "a = 1 | b = 2"},
      {"a = 1; b = 2;; ;c = 3;", "a = 1 | b = 2 | c = 3"},
      {"a = 1\r\nb = 2\r\n", "a = 1 | b = 2"},
      {"\xEF\xBB\xBF"
       "a = 1",
       "a = 1"},
      {"", ""},
      {"  \n\t\n", ""},
      // brackets
      {"a = f(b,\n c\n)", "a = f(b, c)"},
      {"a = [1, 2;\n 3, 4]", "a = [1, 2; 3, 4]"},
      {"a = {\n1\n,\n2}", "a = {1, 2}"},
      {"c : C(a = 1,\n\n  // between\n  b = 2)", "c : C(a = 1, b = 2)"},
      {"a = x[1\n : n]", "a = x[1:n]"},
      {"a = {k\n for k\n in 1:3}", "a = {k for k in 1:3}"},
      {"a = (b\n + c)", "a = b + c"},
      // operators at the end of a line
      {"a = b +\nc", "a = b + c"},
      {"a = b -\n\n// c\nc", "a = b - c"},
      {"a = b * /* c */\nc", "a = b * c"},
      {"a = b ^\nc", "a = b^c"},
      {"a = b .*\nc", "a = b .* c"},
      {"a =\nb", "a = b"},
      {"a == b\n", "E0118 1:3"},
      {"x = a ==\nb", "x = a == b"},
      {"x = a <\nb and\nc or\nnot\nd", "x = a < b and c or not d"},
      {"connect a,\nb", "connect a, b"},
      {"R.x :=\n3", "R.x := 3"},
      {"x = 1:\n3", "x = 1:3"},
      {"l ::\nx = 1", "l :: x = 1"},
      {"x = a'\ny = 1", "x = a' | y = 1"},
      // expressions with if
      {"x = if a then\n1\nelse\n2", "x = if a then 1 else 2"},
      {"x = if a\nthen 1\nelseif b\nthen 2\n\n// c\nelse 3", "x = if a then 1 elseif b then 2 else 3"},
      {"x = if a then if b then 1\nelse 2\nelse 3", "x = if a then if b then 1 else 2 else 3"},
      // statements with if
      {"if a\nx = if b then 1\nelse 2\nelse\nx = 3\nend", "if a/  x = if b then 1 else 2/else/  x = 3/end"},
      {"if a then\nx = 1\nend", "if a/  x = 1/end"},
      {"if a then x = 1 elseif b then x = 2 else x = 3 end", "if a/  x = 1/elseif b/  x = 2/else/  x = 3/end"},
      {"if a; x = 1; else; x = 2; end", "if a/  x = 1/else/  x = 2/end"},
      {"l :: if a then x = 1 end", "l :: if a/  x = 1/end"},
      {"initial if a then x = 1 end", "initial if a/  x = 1/end"},
      {"if if a then b else c then x = 1 end", "if if a then b else c/  x = 1/end"},
      {"if a\nthen\nx = 1\nend", "if a/  x = 1/end"},
      {"when a then x = 1 elsewhen b then x = 2 end", "when a/  x = 1/elsewhen b/  x = 2/end"},
      {"c : C if a\nx = 1", "c : C if a | x = 1"},
      {"model A end; model B x = 1 end", "E0111 1:22"},
      // commands
      {":simulate until 10; :plot a // b", ":simulate until 10 | :plot a"},
      {":plot a//b", ":plot a//b"},
      {":blt// c", ":blt"},
      {":blt; /* c */\nx = 1", ":blt | x = 1"},
      {":save \"a;b // c.csv\"; x = 1", ":save \"a;b // c.csv\" | x = 1"},
      {":value ([1, 2; 3, 4])", ":value ([1, 2; 3, 4])"},
      {"  :blt", ":blt"},
      {"x = 1; :blt", "x = 1 | :blt"},
      {"x = a[1:n]\n", "x = a[1:n]"},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(lines(row.text) == row.statements);
  }
}

TEST_CASE("layout: a command ends whatever is open") {
  const struct {
    const char *text, *summary;
    std::size_t commands;
  } rows[] = {
      {"x = sin(2\n:simulate", "E0102 1:8", 1},
      {"x = f(a, [1, 2\n:simulate\n:blt", "E0102 1:10", 2},
      {"x = a +\n:simulate", "E0110 1:8", 1},
      {"x = a[1\n:n]\n:simulate", "", 1},
      {"model A\n  x = 1\n:simulate", "E0122 1:1", 1},
      {"model A\n  for k in 1:2\n:simulate\n  end\nend", "E0122 1:1 E0122 2:3", 1},
      {"test \"t\"\n  if a\n  :simulate\nend", "E0122 2:3", 0},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.text));
    const Parsed p = parse_text(row.text);
    CHECK(summary(p.diagnostics) == row.summary);
    std::size_t commands = 0;
    for (const StmtPtr& s : p.statements) commands += s->kind == StmtKind::command;
    CHECK(commands == row.commands);
  }
}

TEST_CASE("layout: lines that start with a sign") {
  const struct {
    const char *text, *summary;
  } rows[] = {
      {"x = a\n  - b = c", "W0101 2:3"},
      {"x = a\n+ b = c", "W0101 2:1"},
      {"x = a\n  -b = c", "W0101 2:3"},
      {"x = a\n- b = c", "W0101 2:1"},
      {"x = a\n-b = c", ""},
      {"x = a\n\n- b = c", ""},
      {"x = a\n// c\n- b = c", ""},
      {"x = (a\n - b)", ""},
      {"if c\n  - b = c\nend", ""},
      {":blt\n- b = c", ""},
      {"x = a\n  - b", "E0118 2:6"},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(summary(parse_text(row.text).diagnostics) == row.summary);
  }
}

TEST_CASE("layout: comments belong to statements") {
  const Parsed p = parse_text(
      "// one\n\n// two\nx = 1 // three\n\nif a // four\n  // five\n  y = 2\n  // six\nelse // seven\nend // eight\n// "
      "nine\n");
  REQUIRE(p.statements.size() == 3);
  const Stmt& x = *p.statements[0];
  CHECK(x.comments == std::vector<std::string>{"// one", "", "// two"});
  CHECK(x.trailing_comment == "// three");
  CHECK(!x.blank_before);
  const Stmt& branches = *p.statements[1];
  CHECK(branches.blank_before);
  CHECK(branches.trailing_comment == "// eight");
  CHECK(branches.branches[0].comment == "// four");
  REQUIRE(branches.branches[0].body.size() == 2);
  CHECK(branches.branches[0].body[0]->comments == std::vector<std::string>{"// five"});
  CHECK(branches.branches[0].body[1]->kind == StmtKind::blank);
  CHECK(branches.branches[0].body[1]->comments == std::vector<std::string>{"// six"});
  CHECK(branches.branches[1].comment == "// seven");
  CHECK(p.statements[2]->kind == StmtKind::blank);
}

TEST_CASE("incomplete: whether the line editor waits for more") {
  const struct {
    const char* text;
    bool waits;
  } rows[] = {
      {"", false},
      {"x = 1", false},
      {"x = 1\n", false},
      {":simulate", false},
      {"// c", false},
      {"x = (1", true},
      {"x = f(1,\n", true},
      {"m = [1, 2;", true},
      {"a = {", true},
      {"c : C(", true},
      {"x = 1 +", true},
      {"x =", true},
      {"connect a,", true},
      {"x = a and", true},
      {"x = 1 + // c\n", true},
      {"l ::", true},
      {"x = if a then", true},
      {"x = if a then 1 else", true},
      {"x = if a\n", true},
      {"x = if a then 1", true},
      {"c : C if a", false},
      {"model A", true},
      {"model A\n  x = 1\n", true},
      {"model A\n  x = 1\nend", false},
      {"model A = B", false},
      {"model A end", false},
      {"partial model A extends B(k = 1)", true},
      {"connector P", true},
      {"record R", true},
      {"function f(x)", true},
      {"function f(x) = x", false},
      {"function f(x", true},
      {"if a", true},
      {"if a then x = 1", true},
      {"if a then x = 1 end", false},
      {"if a\nelse", true},
      {"for k in 1:3", true},
      {"when a", true},
      {"initial", true},
      {"initial x = 1", false},
      {"initial for k in 1:2", true},
      {"l :: for k in 1:2", true},
      {"test \"t\"", true},
      {"test \"t\"\n:simulate", true},
      {"/* comment", true},
      {"x = 1 /* comment", true},
      {"model A \"\"\"doc", true},
      {"x = \"open", false},  // a string in single quotes ends on its line: more lines would not help
      {"x = (1]", false},
      {"x = 1)", false},              // nothing that follows makes this right
      {"c : C(a = 1\nb = 2", false},  // nor this: a comma is missing
      {"x = (1\n:blt", false},
      {"model A\n:blt", false},
      {"x = \xff(", false},
      {"end", false},
      {"model", true},
      {"model 3", true},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(incomplete(row.text) == row.waits);
  }
}

TEST_CASE("a command in a line of its own ends what is open before it, but for comments and strings") {
  const struct { const char* text; bool ends; } rows[] = {
      {"x = (1\n:blt", true},
      {"model A\n  :blt all // all", true},
      {"x :\n:blt", true},
      {"x = 1\n:blt", true},
      {":blt", false},  // nothing before it
      {"x = (1\n:blt\n2)", false},
      {"x = (1\n:nonsense", false},  // in brackets a range may begin so
      {"model A /* open\n:blt", false},
      {"model A \"\"\"doc\n:blt", false},
      {"x = 1 :blt", false},
      {"", false},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(ends_in_command(row.text) == row.ends);
  }
}

TEST_CASE("incomplete: a complete text is never incomplete, and each block is until its last line") {
  for (const Snippet& s : corpus()) {
    CAPTURE(std::string(s.name));
    CHECK(!incomplete(s.text));
  }
}

}  // namespace kron::syntax::test
