// What is probably not meant is told where it stands: values outside their limits, equality of numbers that vary, inputs left open.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

bool mentions(Session& s, const std::string& text) {
  const auto& list = s.diagnostics().list();
  return std::any_of(list.begin(), list.end(), [&](const Diagnostic& d) { return d.message.find(text) != std::string::npos; });
}

// A spring whose stiffness must not be negative, and whose damping stays below it.
const std::string spring =
    "model Spring\n  parameter c(min = 0) = 1\n  parameter d(min = 0, max = c) = 0\n  parameter n(max = 4) : Integer = 2\n"
    "  parameter k[3](min = 0) = {1, 2, 3}\n  parameter i(min = 0) : Integer = 1\n  variable a[i] = zeros(i)\n"
    "  variable f = c * time + d + n + k * k\nend\n";

}  // namespace

TEST_CASE("a parameter outside its limits is told, once") {
  const struct { const char *name, *text, *edit, *codes, *message; } rows[] = {
      {"inside", "s : Spring(c = 2, d = 2, n = 4, k = {0, 0, 0})", "", "", ""},
      {"by a modification", "s : Spring(c = -1)", "", "W0418 W0418", "`s.c` is -1, less than its least value 0"},  // and d above c
      {"by a binding", "parameter m(max = 1) = 2", "", "W0418", "`m` is 2, more than its largest value 1"},
      {"a limit that is a parameter", "s : Spring(d = 1.5)", "", "W0418", "`s.d` is 1.5, more than its largest value 1"},
      {"a value that is made of parameters", "parameter p = 3\ns : Spring(d = p - 1)", "", "W0418", "`s.d` is 2"},
      {"an Integer", "s : Spring(n = 5)", "", "W0418", "`s.n` is 5, more than its largest value 4"},
      {"an array", "s : Spring(k = {1, -2, -3})", "", "W0418", "`s.k[2]` is -2"},
      {"an array of components", "s[3] : Spring(c = {1, -2, 3}, d = -1)", "", "W0418 W0418 W0418 W0418", "`s[2].c` is -2"},
      {"a structural one", "s : Spring(i(min = 2) = 1)", "", "W0418", "`s.i` is 1, less than its least value 2"},
      {"by an edit of the number", "s : Spring(c = 2)", "s.c := -1", "W0418 W0418", "`s.c` is -1"},
      {"by an edit of what it is made of", "parameter p = 1\ns : Spring(d = p)", "p := -1", "W0418", "`s.d` is -1"},
      {"by an edit of the limit", "s : Spring(c = 2, d = 2)", "s.c := 1", "W0418", "`s.d` is 2, more than its largest value 1"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s;
    REQUIRE(s.run_text(spring + row.text + "\n"));
    if (*row.edit) {
      REQUIRE(s.simulate({}));
      CHECK(codes(s) == "");
      REQUIRE(s.run_text(row.edit));
    }
    CHECK(s.simulate({}));
    CHECK(s.simulate({}));
    CHECK(codes(s) == std::string(row.codes));
    CHECK((!*row.codes || mentions(s, row.message)));
  }
}

TEST_CASE("a limit that is crossed back and again is told of again") {
  Session s;
  REQUIRE(s.run_text(spring + "s : Spring(c = 2)\n"));
  for (const double c : {2.0, -1.0, 2.0, -2.0}) {
    s.diagnostics() = {};
    REQUIRE(s.set_parameter("s.c", c));
    REQUIRE(s.simulate({}));
    CHECK((codes(s).find("W0418") != std::string::npos) == (c < 0));
  }
}

TEST_CASE("a number set from outside fits the parameter's type") {
  const struct { const char *text, *name; double value; bool good; } rows[] = {
      {"parameter n : Integer = 2\nvariable x = n * time", "n", 3, true},
      {"parameter n : Integer = 2\nvariable x = n * time", "n", 2.5, false},
      {"parameter n : Integer = 2\nvariable x[n] = time * ones(n)", "n", 2.5, false},
      {"parameter b : Boolean = true\nvariable x = if b then time else 0", "b", 0.5, false},
      {"parameter r = 2\nvariable x = r * time", "r", 2.5, true},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    Session s;
    REQUIRE(s.run_text(row.text));
    REQUIRE(s.simulate({}));
    const bool good = s.set_parameter(row.name, row.value) && s.simulate({});
    CHECK(good == row.good);
    CHECK(codes(s) == std::string(row.good ? "" : "E0221"));
  }
}

TEST_CASE("equality of numbers that vary is told, once a place") {
  const std::string state = "variable x(start = 0, fixed)\nder(x) = 1\n";
  const struct { const char *name, *text, *codes, *value; double at_end; } rows[] = {
      {"in a when", "discrete n(start = 0)\nwhen x == 1\n  n = 1\nend", "W0326", "x", 2},
      {"a Boolean", "variable b : Boolean = x == 1", "W0326", "b", 0},
      {"its opposite", "variable b : Boolean = x != 1", "W0326", "b", 1},
      {"that comes to hold", "variable y = min(x, 1)\nvariable b : Boolean = y == 1\nvariable v = if b then 3 else 4", "W0326", "v", 3},
      {"that ceases to hold", "variable y = max(x, 1)\nvariable b : Boolean = y == 1\nvariable v = if b then 3 else 4", "W0326", "v", 4},
      {"of expressions", "variable v = if x - 1 == 2 * x then 3 else 4", "W0326", "v", 4},
      {"twice at one place", "variable v = if x == 1 then 3 elseif x == 1.5 then 5 else 4", "W0326", "v", 4},
      {"in a class with two components", "model A\n  input u\n  variable b : Boolean = u == 1\nend\na[2] : A\na[1].u = x\na[2].u = 2 * x", "W0326", "x", 2},
      {"of parameters", "parameter p = 1\nvariable v = if p == 1 then 3 else 4", "", "v", 3},
      {"of what changes at events", "discrete n(start = 0)\nwhen x > 1\n  n = 1\nend\nvariable v = if n == 1 then 3 else 4", "", "v", 3},
      {"of what a when gives a variable", "variable n\nwhen x > 1\n  n = 1\nend\nvariable v = if n == 1 then 3 else 4", "", "v", 3},
      {"in noEvent", "variable v = if noEvent(x == 0) then 3 else 4", "", "v", 4},
      {"in a function", "function f(x) = if x == 0 then 3 else 4\nvariable v = f(x)", "", "v", 4},
      {"in an assertion", "assert x != 5", "", "x", 2},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s;
    REQUIRE(s.run_text(state + row.text + "\n"));
    CHECK(s.simulate({.stop = 2, .tolerance = 1e-8}));
    CHECK(codes(s) == std::string(row.codes));
    CHECK(s.value(row.value) == doctest::Approx(row.at_end));
  }
}

TEST_CASE("small mistakes have messages of their own") {
  const struct { const char *name, *text, *code; std::vector<const char*> parts; } rows[] = {
      {"an input that nothing is connected to", "model A\n  input u : Boolean\n  variable y = if u then 1 else 2\nend\na : A", "E0320", {"the input `a.u` is not connected", "connect it"}},
      {"an Integer input", "model A\n  input u : Integer\n  variable y = u\nend\na : A", "E0320", {"the input `a.u` is not connected"}},
      {"mod by zero", "variable y = mod(time, 0)", "E0313", {"text:1:14:"}},
      {"rem by zero", "variable y = rem(time, 0)", "E0313", {"text:1:14:"}},
      {"div by zero", "variable y = div(time, 0)", "E0403", {"text:1:14:", "`y` is infinite"}},
      {"an assertion whose comma was left out", "variable x = time\nassert x < 0.5 \"too big\"", "E0413", {"too big"}},
      {"an assertion that is false", "discrete n(start = 0)\nwhen time > 0.5\n  assert false, \"hello\"\n  n = 1\nend", "E0413", {"`false` does not hold"}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s;
    s.run_text(row.text);
    CHECK_FALSE(s.simulate({}));
    CHECK(codes(s) == std::string(row.code));
    const std::string message = rendered(s);
    INFO(message);
    for (const char* part : row.parts) CHECK(message.find(part) != std::string::npos);
  }
}

TEST_CASE("equations of Booleans and Integers read as they are meant") {
  Session s;
  REQUIRE(s.run_text("variable x(start = 0, fixed)\nder(x) = 1\nvariable b : Boolean = x < 1\nvariable n : Integer = if b then 1 else 2\n"));
  const session::Analysis& a = s.analysis();
  std::string text;
  for (std::size_t e = 0; e < a.flat.equations.size(); ++e) text += model::print(a.flat, model::EqId{e}) + "\n";
  CHECK(text == "b = x < 1\nn = if b then 1 else 2\nder(x) - 1 = 0\n");
}

TEST_CASE("labels that equations are given keep clear of the names of their text") {
  const std::string part = "model Part\n  variable v\nend\n";
  const struct { const char *name, *text, *last; } rows[] = {
      {"declared behind", "variable x\nx = e1.v\ne1 : Part\ne1.v = time\n", "time"},
      {"declared before", "e1 : Part\nvariable x\nx = e1.v\ne1.v = time\n", "time"},
      {"a variable", "variable x\nx = e2\nvariable e2\ne2 = time\n", "time"},
      {"several", "variable x\nx = e1 + e2\nvariable e2, e1\ne1 = time\ne2 = 0\n", "time"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s;
    CHECK(s.run_text(part + row.text));
    CHECK(s.simulate({.stop = 1}));
    CHECK(s.value("x") == doctest::Approx(1));
    CHECK(codes(s) == "");
    Session again;
    REQUIRE(again.run_text(s.workspace().text()));
    CHECK(again.workspace().text() == s.workspace().text());
    CHECK(s.workspace().text().find("::") == std::string::npos);
  }
}

TEST_CASE("small mistakes: a fixed rotation by degrees is told, and the run goes on") {
  for (const char* rotation : {"angle = 90", "rotationType = PlanarRotationSequence, angles = {90, 0, 0}", "angle = 2 * pi"}) {
    CAPTURE(std::string(rotation));
    Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE_MESSAGE(s.run_text("use multibody\nworld : World\nf : FixedRotation(" + std::string(rotation) +
                               ")\nj : Revolute\nb : Body(r_CM = {1, 0, 0})\nconnect world.frame_b, f.frame_a\nconnect f.frame_b, j.frame_a\nconnect j.frame_b, b.frame_a\n"),
                    rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = 0.1, .points = 2}), rendered(s));
    CHECK(has_code(s, "W0418") == (std::string_view(rotation) != "angle = 2 * pi"));
  }
}

TEST_CASE("what a list of modifications gives twice is told") {
  const std::string classes = "model A\n  parameter p = 1\n  parameter k[2] = {1, 2}\n  variable x = p\nend\nmodel B\n  c : A\n  d[2] : A\nend\n";
  const struct { const char *text, *message; } rows[] = {
      {"a : A(p = 1, p = 3)", "`p` is given twice"},
      {"b : B(c(p = 6), c(p = 7))", "`c.p` is given twice"},
      {"b : B(c(p = 6), c.p = 7)", "`c.p` is given twice"},
      {"b : B(d[1](p = 6), d[1](p = 7))", "`d[1].p` is given twice"},
      {"model D\n  b : B\nend\nd : D(b(c(p = 1, p = 2)))", "`b.c.p` is given twice"},
      {"variable x(start = 1, start = 2, fixed)\nder(x) = 0", "`start` is given twice"},
      {"model C extends A(p = 2, p = 2)\nend\nc : C", "`p` is given twice"},
      {"b : B(c(p = 6), c(k = {3, 4}))", nullptr},
      {"b : B(d[1](p = 6), d[2](p = 7))", nullptr},
      {"a : A(p = 1, x(start = 2, min = 0))", nullptr},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.text));
    Session s;
    const bool fine = s.run_text(classes + row.text + "\n");
    CAPTURE(rendered(s));
    CHECK(fine == (row.message == nullptr));
    if (row.message) CHECK(mentions(s, row.message));
  }
}
