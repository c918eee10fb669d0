#include <algorithm>

#include "tests/syntax/support.hpp"

namespace kron::syntax::test {
namespace {

std::vector<std::string> comments_of(
    const std::string& text) {  // sorted: the printer may move one within its statement
  std::vector<std::string> out;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '"') i = text.find('"', i + 1);
    const bool is_line = text.compare(i, 2, "//") == 0, is_block = text.compare(i, 2, "/*") == 0;
    if (!is_line && !is_block) continue;
    const std::size_t end = is_line ? std::min(text.find('\n', i), text.size()) : text.find("*/", i) + 2;
    out.push_back(text.substr(i, end - i));
    i = end - 1;
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

TEST_CASE("round trip: what is printed reads back as the same tree, and prints the same again") {
  for (const Snippet& s : corpus()) {
    CAPTURE(std::string(s.name));
    const Parsed first = parse_text(s.text);
    CHECK_MESSAGE(!first.diagnostics.has_errors(), rendered(first.diagnostics));
    const std::string printed = print(first.statements);
    CAPTURE(printed);
    const Parsed second = parse_text(printed);
    CHECK_MESSAGE(!second.diagnostics.has_errors(), rendered(second.diagnostics));
    CHECK(same(first.statements, second.statements));
    CHECK(print(second.statements) == printed);
  }
}

TEST_CASE("round trip: each statement alone, also indented") {
  for (const Snippet& s : corpus())
    for (const StmtPtr& stmt : parse_text(s.text).statements) {
      if (stmt->kind == StmtKind::blank) continue;
      const std::string text = print(*stmt, 4);
      CAPTURE(std::string(text));
      const Parsed again = parse_text(text);
      REQUIRE(again.statements.size() >= 1);
      CHECK(syntax::same(*stmt, *again.statements[0]));
    }
}

TEST_CASE("round trip: comments and single empty lines stay") {
  for (const Snippet& s : corpus()) {
    const std::string name = s.name;
    if (name != "comments" && name != "comments inside") continue;
    CHECK(comments_of(print(parse_text(s.text).statements)) == comments_of(s.text));
  }
  CHECK(print(parse_text("a = 1\n\n\n\n// c\n\nb = 2\nc = 3\n\n").statements) == "a = 1\n\n// c\n\nb = 2\nc = 3\n");
}

TEST_CASE("round trip: same() sees every difference") {
  std::vector<StmtPtr> all;
  for (const Snippet& s : corpus())
    for (const StmtPtr& stmt : parse_text(s.text).statements)
      if (stmt->kind != StmtKind::blank) all.push_back(stmt);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < all.size(); ++j) {
      const bool equal = syntax::same(*all[i], *all[j]);
      if (equal != (print(*all[i]) == print(*all[j]))) FAIL_CHECK((print(*all[i]) + "\n" + print(*all[j])));
    }
}

TEST_CASE("printer: canonical forms") {
  const struct {
    const char *text, *printed;
  } rows[] = {
      {"x=a+b*c^ -2", "x = a + b * c^-2\n"},
      {"x = ((a)) + ((b * c))", "x = a + b * c\n"},
      {"x = (a + b) * c - (d - e)", "x = (a + b) * c - (d - e)\n"},
      {"x = a / (b * c) / d", "x = a / (b * c) / d\n"},
      {"x = (a^b)^c + a^(b^c)", "x = (a^b)^c + a^b^c\n"},
      {"x = -(a * b) + (-a) * b", "x = -(a * b) + -a * b\n"},
      {"x = -(5 [degC]) + -5 [degC] ^ 2 + (-5 [degC])^2", "x = -(5 [degC]) + (-5 [degC])^2 + (-5 [degC])^2\n"},
      {"x = (not a) and not (b and c)", "x = not a and not (b and c)\n"},
      {"x = (a < b) == (c < d)", "x = (a < b) == (c < d)\n"},
      {"(if a then b else c) = (1:3)", "(if a then b else c) = 1:3\n"},
      {"x = (a[1])[2] + (f(x).a)[1] + (5)[1]", "x = (a[1])[2] + (f(x).a)[1] + (5)[1]\n"},
      {"x[ k + 1 ] = a[1 : n - 1]", "x[k+1] = a[1:n-1]\n"},
      {"(root) = 3", "(root) = 3\n"},
      {"if a then x = 1 else x = 2 end", "if a\n  x = 1\nelse\n  x = 2\nend\n"},
      {"model A\nend A", "model A\nend\n"},
      {"x = 1.50e3; y = 0.00001", "x = 1500\ny = 1e-5\n"},
      {":plot  a   b  // c", ":plot a   b  // c\n"},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.text));
    const Parsed p = parse_text(row.text);
    CHECK_MESSAGE(!p.diagnostics.has_errors(), rendered(p.diagnostics));
    CHECK(print(p.statements) == row.printed);
  }
}

TEST_CASE("printer: long statements are broken where they go on") {
  std::string sum = "x = f(a1)", list = "connect a", mods = "c : C(a = 1";
  for (int i = 0; i < 100; ++i) {
    sum += " + term" + std::to_string(i) + " * f(a, [" + std::to_string(i) + ", 2])";
    list += ", component" + std::to_string(i) + ".flange";
    mods += ", name" + std::to_string(i) + "(start = \"a, b + c\")";
  }
  for (const std::string& text : {sum, list, mods + ")"}) {
    const Parsed p = parse_text(text);
    REQUIRE(p.statements.size() == 1);
    const std::string printed = print(p.statements);
    std::size_t longest = 0;
    for (std::size_t i = 0, j; (j = printed.find('\n', i)) != std::string::npos; i = j + 1)
      longest = std::max(longest, j - i);
    CHECK(longest <= 130);
    CHECK(same(p.statements, parse_text(printed).statements));
    CHECK(print(parse_text(printed).statements) == printed);
  }
}

}  // namespace kron::syntax::test
