#include "tests/syntax/support.hpp"

namespace kron::syntax::test {

TEST_CASE("expressions: how operators bind") {
  const struct {
    const char *text, *shape;
  } rows[] = {
      {"a or b and not c == d", "(or a (and b (not (== c d))))"},
      {"a or b or c", "(or (or a b) c)"},
      {"not not a", "(not (not a))"},
      {"not a < b", "(not (< a b))"},
      {"a + b * c", "(+ a (* b c))"},
      {"a - b - c", "(- (- a b) c)"},
      {"a / b * c", "(* (/ a b) c)"},
      {"a .* b ./ c * d", "(* (./ (.* a b) c) d)"},
      {"-a * b", "(* (neg a) b)"},
      {"a * -b", "(* a (neg b))"},
      {"-a^2", "(neg (^ a 2))"},
      {"a^b^c", "(^ a (^ b c))"},
      {"a^-b^c", "(^ a (neg (^ b c)))"},
      {"10^-3", "(^ 10 (neg 3))"},
      {"a .^ b^c", "(.^ a (^ b c))"},
      {"2^3'", "(^ 2 (' 3))"},
      {"a'*b", "(* (' a) b)"},
      {"a'^2", "(^ (' a) 2)"},
      {"+a - +b", "(- (pos a) (pos b))"},
      {"a < b + 1", "(< a (+ b 1))"},
      {"a <= b and c >= d or e != f", "(or (and (<= a b) (>= c d)) (!= e f))"},
      {"1:n-1", "(range 1 (- n 1))"},
      {"0:0.1:1", "(range 0 0.1 1)"},
      {"a or b:c", "(range (or a b) c)"},
      {"if a then b else c + d", "(if a b (+ c d))"},
      {"if a then b elseif c then d else e", "(if a b c d e)"},
      {"if a then if b then 1 else 2 else 3", "(if a (if b 1 2) 3)"},
      {"1 + if a then b else c + d", "(+ 1 (if a b (+ c d)))"},
      {"2.*x", "(.* 2 x)"},
      {"2./x", "(./ 2 x)"},
      {"2.^x", "(.^ 2 x)"},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(shape(std::string(row.text)) == row.shape);
  }
}

TEST_CASE("expressions: operands") {
  const struct {
    const char *text, *shape;
  } rows[] = {
      {"3", "3"},
      {"0.1", "0.1"},
      {"6.02e23", "6.02e23"},
      {"1E+2", "100"},
      {"1e-2", "0.01"},
      {"10 [kOhm]", "10[kOhm]"},
      {"10[ m / s ]", "10[m / s]"},
      {"-5 [degC]", "-5[degC]"},
      {"+5 [degC]", "5[degC]"},
      {"- 5 [degC]", "(neg 5[degC])"},
      {"a - 5 [degC]", "(- a 5[degC])"},
      {"a -5 [degC]", "(- a 5[degC])"},
      {"a * -5 [degC]", "(* a -5[degC])"},
      {"(-5 [degC])", "-5[degC]"},
      {"x1 [3]", "x1[3]"},
      {"{1 [m], 2 [m]}", "{1[m] 2[m]}"},
      {"true and false", "(and true false)"},
      {"\"a\\n\"", "\"a\n\""},
      {"a.b[3].c", "a.b[3].c"},
      {"a[end, :]", "a[end :]"},
      {"a[b[end-1]]", "a[b[(- end 1)]]"},
      {"a[f(end)]", "a[(call f end)]"},
      {"a[1][2]", "(at a[1] 2)"},
      {"f(x)[1]", "(at (call f x) 1)"},
      {"f(x).a.b[2]", "(member (call f x) a.b[2])"},
      {"f(x)[1].a[2]", "(member (at (call f x) 1) a[2])"},
      {"{1, 2}[1]", "(at {1 2} 1)"},
      {"(a + b)[1]", "(at (+ a b) 1)"},
      {"a.f(x, y = 2)", "(call a.f x y=2)"},
      {"f()", "(call f)"},
      {"f(a == b)", "(call f (== a b))"},
      {"der(x, 2)", "(call der x 2)"},
      {"initial()", "(call initial)"},
      {"relax(residue(x))", "(call relax (call residue x))"},
      {"{}", "{}"},
      {"{1, {2}}", "{1 {2}}"},
      {"[1, 2; 3, 4]", "(matrix 2 2 : 1 2 3 4)"},
      {"[n; zeros(3)]", "(matrix 1 1 : n (call zeros 3))"},
      {"[1]", "(matrix 1 : 1)"},
      {"{k^2 for k in 1:n, j}", "(for k:(range 1 n) j:? (^ k 2))"},
      {"{{k for k in 1:2}}", "{(for k:(range 1 2) k)}"},
      {"sum(f(k) for k in 1:n)", "(call sum (for k:(range 1 n) (call f k)))"},
      {"(x, y)", "E0131 1:1"},
      {"ω_1", "ω_1"},
      {"  a /* c */ + // d\n b ", "(+ a b)"},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(shape(std::string(row.text)) == row.shape);
  }
}

TEST_CASE("expressions: the whole text must be one") {
  for (const char* text : {"", "a b", "a = b", "a,", "(a", "a)", "model", "a\nb", "1 +", "// only"}) {
    CAPTURE(std::string(text));
    Diagnostics d;
    CHECK(parse_expression(sources::add("test.eq", text), d) == nullptr);
    CHECK(d.error_count() == 1);
  }
}

TEST_CASE("expressions: places") {
  const std::string text = "x = alpha /* one */ + f(b, 2 [m]) * // two\n  c'";
  const Parsed p = parse_text(text);
  REQUIRE(p.statements.size() == 1);
  const Expr& sum = *p.statements[0]->rhs;
  const auto quote = [](const Expr& e) { return std::string(sources::quote(e.span)); };
  CHECK(quote(sum) == text.substr(4));
  CHECK(quote(*sum.args[0]) == "alpha");
  const Expr& product = *sum.args[1];
  CHECK(quote(*product.args[0]) == "f(b, 2 [m])");
  CHECK(quote(*product.args[0]->args[1]) == "2 [m]");
  CHECK(quote(*product.args[1]) == "c'");
  CHECK(sources::quote(p.statements[0]->span) == text);
}

}  // namespace kron::syntax::test
