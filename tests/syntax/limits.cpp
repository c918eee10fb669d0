// Deep, long and binary texts: one clear error or a tree, never a crash, in time linear in the text.

#include "tests/syntax/support.hpp"

namespace kron::syntax::test {
namespace {

std::string repeated(const std::string& s, std::size_t n) {
  std::string out;
  out.reserve(s.size() * n);
  for (std::size_t i = 0; i < n; ++i) out += s;
  return out;
}

}  // namespace

TEST_CASE("limits: too deep or too long is one error") {
  const std::size_t n = 100000;
  const struct {
    const char* name;
    std::string text;
    const char* code;
  } rows[] = {
      {"parentheses", "x = " + repeated("(", n) + "1" + repeated(")", n), "E0106"},
      {"open parentheses", "x = " + repeated("(", n), "E0106"},
      {"arrays", "x = " + repeated("{", n) + "1" + repeated("}", n), "E0106"},
      {"subscripts", "x = " + repeated("a[", n) + "1" + repeated("]", n), "E0106"},
      {"calls", "x = " + repeated("f(", n) + "1" + repeated(")", n), "E0106"},
      {"modifications", "c : C" + repeated("(x", n) + repeated(")", n), "E0106"},
      {"units", "variable x : " + repeated("(", n) + "m" + repeated(")", n), "E0106"},
      {"powers", "x = a" + repeated("^a", n), "E0106"},
      {"signs", "x = " + repeated("-", n) + "1", "E0106"},
      {"not", "x = " + repeated("not ", n) + "a", "E0106"},
      {"if", "x = " + repeated("if a then ", n) + "1", "E0106"},
      {"else if", "x = " + repeated("if a then 1 else ", n) + "1", "E0106"},
      {"sum", "x = a" + repeated(" + a", n), "E0106"},
      {"product", "x = a" + repeated(" * a", n), "E0106"},
      {"or", "x = a" + repeated(" or a", n), "E0106"},
      {"transposed", "x = a" + repeated("'", n), "E0106"},
      {"indexed", "x = f(x)" + repeated("[1]", n), "E0106"},
      {"blocks", repeated("if a\n", n) + repeated("end\n", n), "E0106"},
      {"digits", "x = " + repeated("9", n), "E0109"},
      {"decimals", "x = 0." + repeated("9", n), "E0109"},
      {"NUL", "x = 1\n" + std::string(1, '\0') + repeated("y", n), "E0101"},
      {"binary", repeated("\x01\xff\x80\x7f", n), "E0101"},
      {"Latin-1", "// gr\xfc\xdf\n" + repeated("x = 1\n", n), "E0101"},
      {"half a character", "x = \xe2\x82", "E0101"},
      {"surrogate", "x = \xed\xa0\x80", "E0101"},
      {"overlong", "x = \xc0\xaf", "E0101"},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.name));
    const Parsed p = parse_text(row.text);
    REQUIRE(p.diagnostics.list().size() == 1);
    CHECK(p.diagnostics.list()[0].code == row.code);
    CHECK(rendered(p.diagnostics).size() < 2000);
  }
}

TEST_CASE("limits: what is still allowed parses, prints and reads back") {
  const struct {
    const char* name;
    std::string text;
  } rows[] = {
      {"parentheses", "x = " + repeated("(", 200) + "1" + repeated(")", 200)},
      {"brackets of all kinds", "x = " + repeated("f({[(a[", 40) + "1" + repeated("])]})", 40)},
      {"calls", "x = " + repeated("f(", 200) + "1" + repeated(")", 200)},
      {"powers", "x = a" + repeated("^a", 190)},
      {"if", "x = " + repeated("if a then 1 else ", 190) + "1"},
      {"elseif", "x = if a then 1 " + repeated("elseif b then 2 ", 10000) + "else 3"},
      {"blocks", repeated("if a\n", 200) + "x = 1\n" + repeated("end\n", 200)},
      {"sum", "x = a" + repeated(" + a", 9998)},
      {"and", "x = a" + repeated(" and a", 9998)},
      {"transposed", "x = a" + repeated("'", 9998)},
      {"indexed", "x = f(x)" + repeated("[1]", 4000) + repeated(".a[1]", 1) + repeated("[2].b", 2000)},
      {"long list", "x = {1" + repeated(", 2", 30000) + "}"},
      {"long path", "x = a" + repeated(".a", 20000)},
      {"long connect", "connect a" + repeated(", a", 20000)},
      {"long gap", "x = a +" + repeated("\n", 20000) + repeated("// c\n", 20000) + "b"},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.name));
    const Parsed p = parse_text(row.text);
    CHECK_MESSAGE(p.diagnostics.list().empty(), rendered(p.diagnostics).substr(0, 500));
    CHECK(same(p.statements, parse_text(print(p.statements)).statements));
  }
}

TEST_CASE("limits: the depth of a tree is bounded across brackets") {
  std::string deep = "a";
  for (int i = 0; i < 100; ++i) deep = "(" + deep + repeated(" + a", 150) + ")";
  CHECK(summary(parse_text("x = " + deep).diagnostics).substr(0, 5) == "E0106");
  deep = "a";
  for (int i = 0; i < 100; ++i) deep = "a[" + deep + repeated(" + a", 150) + "]";
  CHECK(summary(parse_text("x = " + deep).diagnostics).substr(0, 5) == "E0106");
}

TEST_CASE("limits: long texts come to an end") {
  const struct {
    const char *name, *text;
  } rows[] = {
      {"equations", "x = a * b + c\n"},
      {"components", "r : Resistor(R = 2.5, x(start = 1)) \"doc\" // c\n"},
      {"open brackets", "x = (a\n"},
      {"broken", "x = = 3\n"},
      {"ends", "end\n"},
      {"blocks", "model A\n  x = 1\nend\n"},
      {"comments", "// c\n"},
      {"one line", "x = 1; "},
      {"block comments", "/* c */ "},
      {"commands", ":plot a b\n"},
      {"open models", "model A\n"},
      {"open strings", "x = \"\n"},
      {"quotes", "\""},
      {"slashes", "/"},
      {"colons", "a : "},
      {"labels", "a :: "},
      {"tiny numbers", "x = 1e-300\n"},
      {"huge exponents", "x = 1e-99999\n"},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.name));
    constexpr std::size_t characters = 200'000;  // what takes quadratic time takes minutes
    parse(sources::add("long", repeated(row.text, characters / std::string(row.text).size())));
  }
}

}  // namespace kron::syntax::test
