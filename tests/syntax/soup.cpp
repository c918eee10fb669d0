// Random texts: no crash, no endless loop, every error at a place in the text; what parses without error prints and
// reads back.
#include <random>

#include "tests/syntax/support.hpp"

namespace kron::syntax::test {
namespace {

void check(const std::string& text) {
  CAPTURE(text);
  const Parsed p = parse_text(text);
  for (const Diagnostic& d : p.diagnostics.list()) {
    if (d.span.end > text.size() || d.span.begin > d.span.end || d.message.empty() ||
        find_diagnostic_code(d.code) == nullptr)
      FAIL_CHECK(render(d));
    render(d);
  }
  incomplete(text);
  const std::string printed = print(p.statements);  // the statements without error, or all
  const Parsed again = parse_text(printed);
  if (again.diagnostics.has_errors() || !same(p.statements, again.statements)) {
    CAPTURE(printed);
    FAIL_CHECK(rendered(again.diagnostics));
  }
  const std::string twice = print(again.statements);
  if (twice != printed) FAIL_CHECK((printed + "-----\n" + twice));
}

const char* const words[] = {"a",
                             "b",
                             "x1",
                             "ω",
                             "3",
                             "0.5",
                             "1e3",
                             "2 [m]",
                             "-5 [degC]",
                             "1.",
                             ".5",
                             "\"s\"",
                             "\"\"\"d\ne\"\"\"",
                             "+",
                             "-",
                             "*",
                             "/",
                             "^",
                             ".*",
                             "./",
                             ".^",
                             "=",
                             "==",
                             "!=",
                             "<",
                             "<=",
                             ">",
                             ">=",
                             ":",
                             "::",
                             ":=",
                             ",",
                             ";",
                             ".",
                             "'",
                             "(",
                             ")",
                             "[",
                             "]",
                             "{",
                             "}",
                             "@",
                             "and",
                             "or",
                             "not",
                             "if",
                             "then",
                             "else",
                             "elseif",
                             "end",
                             "for",
                             "in",
                             "when",
                             "elsewhen",
                             "initial",
                             "initial()",
                             "model",
                             "connector",
                             "record",
                             "partial",
                             "function",
                             "return",
                             "extends",
                             "enum",
                             "use",
                             "as",
                             "parameter",
                             "variable",
                             "constant",
                             "discrete",
                             "input",
                             "output",
                             "potential",
                             "flow",
                             "private",
                             "final",
                             "outer",
                             "connect",
                             "assert",
                             "at",
                             "reinit",
                             "terminate",
                             "branch",
                             "root",
                             "delete",
                             "tear",
                             "untear",
                             "residue",
                             "relax",
                             "der",
                             "experiment",
                             "test",
                             "true",
                             "false",
                             "inner",
                             "type",
                             ":simulate",
                             ":foo",
                             "// c\n",
                             "/* c */",
                             "/* c\n */",
                             "\n",
                             "\n",
                             "\n",
                             "\n  ",
                             "#",
                             "\"",
                             "/*"};

}  // namespace

TEST_CASE("soup: random words") {
  std::mt19937 random(20240611);
  for (int i = 0; i < 4000; ++i) {
    std::string text;
    const std::size_t n = 1 + random() % 40;
    for (std::size_t k = 0; k < n; ++k)
      text += std::string(words[random() % std::size(words)]) + (random() % 4 ? " " : "");
    check(text);
  }
}

TEST_CASE("soup: the corpus, changed at a few places") {
  std::mt19937 random(7);
  std::string all;
  for (const Snippet& s : corpus()) all += std::string(s.text) + "\n";
  for (int i = 0; i < 3000; ++i) {
    const Snippet& s = corpus()[random() % corpus().size()];
    std::string text = s.text;
    for (std::size_t k = 1 + random() % 3; k > 0 && !text.empty(); --k) {
      const std::size_t at = random() % text.size(), n = random() % 6;
      switch (random() % 4) {
        case 0: text.erase(at, n); break;
        case 1: text.insert(at, words[random() % std::size(words)]); break;
        case 2: text.insert(at, all.substr(random() % all.size(), n * 4)); break;
        default: text.replace(at, n, words[random() % std::size(words)]);
      }
    }
    check(text);
  }
}

TEST_CASE("soup: random bytes") {
  std::mt19937 random(3);
  for (int i = 0; i < 1000; ++i) {
    std::string text;
    for (std::size_t n = random() % 60; n > 0; --n)
      text += static_cast<char>(random() % 8 ? 32 + random() % 95 : random() % 256);
    check(text);
  }
}

TEST_CASE("soup: every beginning of the corpus") {
  for (const Snippet& s : corpus()) {
    const std::string text = s.text;
    for (std::size_t n = 0; n <= text.size(); ++n) check(text.substr(0, n));
  }
}

}  // namespace kron::syntax::test
