#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "engine/session/values.hpp"
#include "lang/syntax/parser.hpp"
#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

const char* decay = "parameter k = 1\nvariable x(start = 1, fixed)\nlaw :: der(x) = -k * x\n";

bool simulates(Session& s, double stop = 1) {
  simulate::Options o;
  o.stop = stop;
  o.tolerance = 1e-10;
  return s.simulate(o);
}

double end_value(Session& s, const char* name) {
  REQUIRE(simulates(s));
  const auto v = s.value(name);
  REQUIRE(v.has_value());
  return *v;
}

// Two-pin classes without units.
const char* classes =
    "connector Pin\n  potential v\n  flow i\nend\n"
    "model Part\n  p, n : Pin\n  variable v = p.v - n.v\n  p.i + n.i = 0\nend\n"
    "model R extends Part\n  parameter R = 1\n  v = R * p.i\nend\n"
    "model Source extends Part\n  v = 10\nend\n"
    "model Ground\n  p : Pin\n  p.v = 0\nend\n";
const std::string circuit = std::string(classes) +
                            "s : Source\nr1 : R(R = 2)\nr2 : R(R = 3)\ng : Ground\nconnect s.p, r1.p\nconnect r1.n, r2.p\nconnect r2.n, s.n, g.p\n";

}  // namespace

TEST_CASE("session: inputs are given values") {
  Session s;
  REQUIRE(s.run_text("input u(start = 1)\ninput b : Boolean\ninput n : Integer\ninput v[2]\nvariable x(start = 0, fixed)\nder(x) = 2 * u + (if b then 100 else 0) + 1000 * n + v[1] + 10 * v[2]\n"));
  CHECK(end_value(s, "x") == doctest::Approx(2));
  REQUIRE(s.run_text("u := 3\nb := true\nn := 2\nv := {1, 2}"));
  CHECK(end_value(s, "x") == doctest::Approx(2127));
  REQUIRE(s.run_text("u := 4"));  // a number alone
  CHECK(end_value(s, "x") == doctest::Approx(2129));
  REQUIRE(s.run_text("v[2] := 7"));
  CHECK(end_value(s, "x") == doctest::Approx(2179));
  REQUIRE(s.run_text("u.start := 5"));
  CHECK(end_value(s, "x") == doctest::Approx(2181));
  REQUIRE(s.run_text("u := 6"));
  CHECK(end_value(s, "x") == doctest::Approx(2183));
  std::string what;
  CHECK(s.undo(what));
  CHECK(end_value(s, "x") == doctest::Approx(2181));
  CHECK(!s.run_text("u := time"));
}

TEST_CASE("session: run, change, undo") {
  Session s;
  REQUIRE(s.run_text(decay));
  CHECK(end_value(s, "x") == doctest::Approx(std::exp(-1)));
  REQUIRE(s.run_text("k := 2"));
  CHECK(end_value(s, "x") == doctest::Approx(std::exp(-2)));
  REQUIRE(s.run_text("law :: der(x) = k"));
  CHECK(end_value(s, "x") == doctest::Approx(3));
  std::string what;
  CHECK(s.undo(what));
  CHECK(end_value(s, "x") == doctest::Approx(std::exp(-2)));
  CHECK(s.undo(what));
  CHECK(end_value(s, "x") == doctest::Approx(std::exp(-1)));
  CHECK(s.redo(what));
  CHECK(end_value(s, "x") == doctest::Approx(std::exp(-2)));
  CHECK(codes(s) == "");
}

TEST_CASE("session: a number for a parameter analyses nothing again") {
  Session s;
  REQUIRE(s.run_text(decay));
  s.analysis();
  const auto before = s.current_analysis();
  REQUIRE(s.run_text("k := 3"));
  s.analysis();
  CHECK(s.current_analysis() == before);
  CHECK(s.reuse().blocks_rebuilt == 0);
  CHECK(s.reuse().equations_changed == 0);
  CHECK(end_value(s, "x") == doctest::Approx(std::exp(-3)));
  CHECK(s.workspace().text() == std::string(decay) + "k := 3\n");
  std::string what;
  s.undo(what);
  CHECK(end_value(s, "x") == doctest::Approx(std::exp(-1)));
  CHECK(s.current_analysis() == before);
}

TEST_CASE("session: a structural parameter does analyse again") {
  Session s;
  REQUIRE(s.run_text("parameter n = 2\nvariable a[n]\nfor i in 1:n\n  a[i] = i\nend\nvariable total = sum(a)"));
  CHECK(end_value(s, "total") == doctest::Approx(3));
  REQUIRE(s.run_text("n := 4"));
  CHECK(end_value(s, "total") == doctest::Approx(10));
}

TEST_CASE("session: assignments to components, to starts, by other parameters") {
  Session s;
  REQUIRE(s.run_text(circuit));
  CHECK(end_value(s, "r1.p.i") == doctest::Approx(2));
  REQUIRE(s.run_text("r1.R := 7"));
  CHECK(end_value(s, "r1.p.i") == doctest::Approx(1));
  REQUIRE(s.run_text("r2.R := 2 * r1.R - 1"));
  CHECK(end_value(s, "r1.p.i") == doctest::Approx(0.5));
  REQUIRE(s.run_text("r1.R := 37"));
  CHECK(end_value(s, "r1.p.i") == doctest::Approx(10.0 / (37 + 73)));
  Session t;
  REQUIRE(t.run_text(decay));
  REQUIRE(t.run_text("x.start := 3"));
  CHECK(end_value(t, "x") == doctest::Approx(3 * std::exp(-1)));
}

TEST_CASE("session: overrides come and go without an edit") {
  Session s;
  REQUIRE(s.run_text(circuit));
  REQUIRE(s.set_parameter("r1.R", 7));
  CHECK(end_value(s, "r1.p.i") == doctest::Approx(1));
  CHECK(s.workspace().text().find("r1.R :=") == std::string::npos);
  s.clear_overrides();
  CHECK(end_value(s, "r1.p.i") == doctest::Approx(2));
  CHECK_FALSE(s.set_parameter("r9.R", 7));
  CHECK(s.diagnostics().has_errors());
  CHECK(end_value(s, "r1.p.i") == doctest::Approx(2));
  Session n;
  REQUIRE(n.run_text("parameter n = 2\nvariable a[n] = ones(n)\nvariable total = sum(a)"));
  REQUIRE(n.set_parameter("n", 5));  // structural: elaborated behind the workspace
  CHECK(end_value(n, "total") == doctest::Approx(5));
  n.clear_overrides();
  CHECK(end_value(n, "total") == doctest::Approx(2));
}

TEST_CASE("session: a replaced component keeps what fits") {
  Session s;
  REQUIRE(s.run_text(circuit));
  REQUIRE(s.run_text("r1 : R(R = 7)"));
  CHECK(end_value(s, "r1.p.i") == doctest::Approx(1));
  REQUIRE(s.run_text("model One\n  p : Pin\n  p.v = 1\nend\nr1 : One"));  // has no n: that end of `connect r1.n, r2.p` goes
  CHECK(codes(s) == "N0501");
  CHECK(s.workspace().text().find("connect r1.n, r2.p") == std::string::npos);
  CHECK(s.workspace().text().find("connect s.p, r1.p") != std::string::npos);
  std::string what;
  s.undo(what);
  CHECK(s.workspace().text().find("connect r1.n, r2.p") != std::string::npos);
}

TEST_CASE("session: what is taken out of a replaced component's connections is told once, end by end") {
  const struct {
    const char *name, *before, *edit;
    std::vector<std::string> told;
  } rows[] = {
      {"an end of three", "a : Two\nb : Two\nc : Two\nconnect a.q, b.q, c.p", "a : One", {"`a.q` of `connect a.q, b.q, c.p` no longer fits"}},
      {"the whole", "a : Two\nb : Two\nconnect a.q, b.q", "a : One", {"`connect a.q, b.q` no longer fits"}},
      {"two of a loop", "a[3] : Two\nfor k in 1:2\n  connect a[k].p, a[k + 1].p\n  connect a[k].q, a[k + 1].q\nend", "a[2] : Two", {"`connect a[k].p, a[k+1].p` no longer fits", "`connect a[k].q, a[k+1].q` no longer fits"}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s;
    REQUIRE(s.run_text(std::string("connector Pin\n  potential v\n  flow i\nend\nmodel One\n  p : Pin\n  p.v = 1\nend\nmodel Two\n  p : Pin\n  q : Pin\n  p.v = 1\n"
                                   "  q.v = 1\nend\n") + row.before));
    REQUIRE(s.run_text(row.edit));
    REQUIRE(s.diagnostics().list().size() == row.told.size());
    for (std::size_t i = 0; i < row.told.size(); ++i) CHECK(s.diagnostics().list()[i].message.starts_with(row.told[i]));
  }
}

TEST_CASE("session: statements that fail change nothing, the others stay") {
  const struct {
    const char *name, *before, *text, *stays;
  } rows[] = {
      {"unknown class", "variable a = 1", "variable b = 2\nc : Nothing\nvariable d = 3", "variable a = 1\nvariable b = 2\nvariable d = 3\n"},
      {"unknown variable", "", "variable b = 2\nb2 = q\nvariable d = 3", "variable b = 2\nvariable d = 3\n"},
      {"what needs a failed one", "", "variable b = nothing\nvariable c = b\nvariable d = 3", "variable d = 3\n"},
      {"delete of what is used", "variable a = 1\nvariable b = a", "delete a", "variable a = 1\nvariable b = a\n"},
      {"a class that breaks its user", "model M\n  parameter p = 1\nend\nm : M(p = 2)", "model M\n  parameter q = 1\nend",
       "model M\n  parameter p = 1\nend\nm : M(p = 2)\n"},
      {"one of two edits breaks an old statement", "variable a = 1\nvariable b = a", "variable c = 3\ndelete a\nvariable d = 4",
       "variable a = 1\nvariable b = a\nvariable c = 3\nvariable d = 4\n"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s;
    REQUIRE(s.run_text(row.before));
    CHECK_FALSE(s.run_text(row.text));
    CHECK(s.diagnostics().has_errors());
    CHECK(s.workspace().text() == row.stays);
    s.diagnostics().clear();
    CHECK(s.run_text("variable after = 5"));
  }
}

TEST_CASE("session: a long chain of statements behind one that fails goes at once, and no other") {
  Session s;
  std::string text = "parameter c0 = nothing\n", fine;
  for (int i = 1; i < 3000; ++i) {
    const std::string n = std::to_string(i);
    text += "parameter c" + n + " = c" + std::to_string(i - 1) + " + 1\n";
    fine += (i > 1 ? "\n" : "") + ("parameter p" + n + " = " + n);
  }
  CHECK_FALSE(s.run_text(text + fine + "\n"));
  CHECK(codes(s) == "E0201 N0503");
  CHECK(s.workspace().text() == fine + "\n");
}

TEST_CASE("session: syntax errors run nothing") {
  Session s;
  CHECK_FALSE(s.run_text("variable a = 1\nb = (\n"));
  CHECK(s.workspace().text() == "");
}

TEST_CASE("session: values of an old result after the model changed") {
  Session s;
  REQUIRE(s.run_text("variable a = 1\nvariable b = 2 * time"));
  REQUIRE(simulates(s));
  REQUIRE(s.run_text("delete a\nvariable c = 5\nvariable d = 6"));
  CHECK(s.value("b") == doctest::Approx(2));
  CHECK(s.value("a + b", 0.5) == doctest::Approx(2));
  CHECK_FALSE(s.value("c").has_value());
  s.diagnostics().clear();
  REQUIRE(simulates(s));
  CHECK(s.value("c + d") == doctest::Approx(11));
}

TEST_CASE("session: text written and read again is the same model") {
  Session s;
  REQUIRE(s.run_text(circuit + "r1.R := 7\nmodel Unused\nend\ndelete connect s.p\nconnect r1.p, s.p\nextra : R\ndelete extra\n"));
  Session again;
  REQUIRE(again.run_text(s.workspace().text()));
  CHECK(again.workspace().text() == s.workspace().text());
  CHECK(end_value(again, "r1.p.i") == doctest::Approx(end_value(s, "r1.p.i")));
  const auto &a = s.analysis(), &b = again.analysis();
  REQUIRE(a.flat.equations.size() == b.flat.equations.size());
  for (std::size_t i = 0; i < a.flat.equations.size(); ++i) CHECK(model::print(a.flat, model::EqId{i}) == model::print(b.flat, model::EqId{i}));
}

TEST_CASE("session: random edits give what a new session gives from the text") {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    Session s;
    REQUIRE(s.run_text(circuit));
    for (int i = 0; i < 25; ++i) {
      const std::string k = std::to_string(random() % 3 + 1), v = std::to_string(random() % 9 + 1);
      const std::string edits[] = {"r" + k + " : R(R = " + v + ")", "r" + k + ".R := " + v, "connect r" + k + ".p, s.p", "connect r" + k + ".n, g.p",
                                   "delete r3", "model R extends Part\n  parameter R = 1\n  v = (R + " + v + ") * p.i\nend", "delete connect r3.p"};
      s.run_text(edits[random() % 7]);
      std::string what;
      if (random() % 5 == 0) s.undo(what);
      s.diagnostics().clear();
      Session again;
      const bool loads = again.run_text(s.workspace().text());
      CAPTURE(s.workspace().text());
      REQUIRE(loads);
      const bool ran = simulates(s, 0), ran_again = simulates(again, 0);
      REQUIRE(ran == ran_again);
      if (ran) REQUIRE(s.value("r1.p.i").value() == doctest::Approx(again.value("r1.p.i").value()));
      s.diagnostics().clear();
    }
  }
}

TEST_CASE("session: edits that change numbers only keep the analysis") {
  const std::string twice = "s : Source\nr[2] : R(R = 2)\nr1 : R(R = 2)\nr2 : R(R = 3)\ng : Ground\nconnect s.p, r1.p, r[1].p, r[2].p\n"
                            "connect r1.n, r2.p\nconnect r2.n, s.n, g.p, r[1].n, r[2].n\nparameter k = 1\nvariable x(start = k, fixed)\nder(x) = -x\n"
                            "parameter q = 1\nvariable y(nominal = q) = 2 * q * x\n";
  const struct {
    const char* name;
    const char* edit;
    bool kept;
    const char* value;  // an expression of it, and what that is afterwards
    double expected;
  } rows[] = {
      {"a declaration again", "r1 : R(R = 5)", true, "r1.p.i", 10.0 / 8},
      {"the same text again", "r1 : R(R = 2)", true, "r1.p.i", 2},
      {"an assignment", "r2.R := 8", true, "r1.p.i", 1},
      {"an element", "r[2].R := 5", true, "r[2].p.i", 2},
      {"a constant expression", "r1 : R(R = 2 + 6)", true, "r1.p.i", 10.0 / 11},
      {"all elements", "r[2] : R(R = 4)", true, "r[1].p.i", 2.5},
      {"without its modification", "r1 : R", true, "r1.p.i", 2.5},
      {"an expression of another parameter", "r1 : R(R = r2.R)", false, "r1.p.i", 10.0 / 6},
      {"another class", "r1 : Source", false, "r2.v", 0},
      {"a start value", "k := 3", true, "x", 3},
      {"a nominal value", "q := 3", false, "x", 1},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s;
    REQUIRE(s.run_text(classes + twice));
    const auto before = s.shared_analysis();
    REQUIRE(s.run_text(row.edit));
    CHECK((s.shared_analysis() == before) == row.kept);
    REQUIRE(simulates(s, 0));
    REQUIRE(s.value(row.value).has_value());
    CHECK(*s.value(row.value) == doctest::Approx(row.expected));
    CHECK(s.workspace().text().find(row.edit) != std::string::npos);
    std::string what;
    REQUIRE(s.undo(what));
    REQUIRE(simulates(s, 0));
    CHECK(*s.value("r1.p.i + r[1].p.i + x") == doctest::Approx(2 + 5 + 1));
    REQUIRE(s.redo(what));
    REQUIRE(simulates(s, 0));
    CHECK(*s.value(row.value) == doctest::Approx(row.expected));
  }
}

TEST_CASE("session: what protects a parameter does so in an edit of its number too") {
  const std::string model =
      "model A\n  final parameter f = 2\n  private parameter h = 3\n  parameter r = f + h\n  variable x(start = 1, fixed)\n  der(x) = -r * x\nend\n"
      "model B\n  a : A(final r = 7)\nend\na : A\nb : B\n";
  const struct {
    const char* edit;
    const char* code;  // null: it is done, and `value` has the number
    const char* value;
    double number;
  } rows[] = {
      {"a.f := 3", "E0215", "a.f", 2},    {"a.h := 3", "E0213", "a.r", 5},   {"b.a.r := 3", "E0215", "b.a.r", 7},
      {"a.x := 3", "E0252", "a.r", 5},    {"a.z := 3", "E0212", "a.r", 5},   {"a.r := true", "E0221", "a.r", 5},
      {"a.r := 8", nullptr, "a.r", 8},    {"a.r := -8", nullptr, "a.r", -8}, {"a.r := 2 + 1", nullptr, "a.r", 3},
  };
  for (const auto& row : rows) {
    CAPTURE(row.edit);
    Session s;
    REQUIRE(s.run_text(model));
    REQUIRE(simulates(s, 0));
    CHECK(s.run_text(row.edit) == (row.code == nullptr));
    if (row.code) {
      REQUIRE(s.diagnostics().has_errors());
      CHECK(s.diagnostics().list().back().code == row.code);
    }
    s.diagnostics().clear();
    REQUIRE(simulates(s, 0));
    CHECK(*s.value(row.value) == row.number);
  }
}

TEST_CASE("session: numbers that were edited keep all their digits in high precision") {
  Session s;
  REQUIRE(s.run_text("parameter k = 1\nvariable x(start = 0, fixed)\nder(x) = k\n"));
  s.analysis();
  REQUIRE(s.run_text("parameter k = 0.1"));
  simulate::Options o;
  o.precision = 30;
  REQUIRE(s.simulate(o));
  CHECK(s.result()->trajectory.last_digits.front() == "0.1");
}

TEST_CASE("session: numbers set over the model's count in high precision, as the decimals they are") {
  Session s;
  REQUIRE(s.run_text("parameter k = 1\nparameter twice = 2 * k\nvariable x(start = 0, fixed)\nvariable y(start = k, fixed)\nder(x) = k\nder(y) = twice\n"));
  REQUIRE(s.set_parameter("k", 0.1));
  simulate::Options o;
  o.precision = 50;
  REQUIRE(s.simulate(o));
  CHECK(s.result()->trajectory.last_digits.at(0) == "0.1");
  CHECK(s.result()->trajectory.last_digits.at(1) == "0.3");
  REQUIRE(s.run_text("x.start := 0.2"));
  REQUIRE(s.simulate(o));
  CHECK(s.result()->trajectory.last_digits.at(0) == "0.3");
}

TEST_CASE("session: sections of blocks") {
  Session s;
  REQUIRE(s.run_text("parameter k = 2\nvariable x(start = 1, fixed)\nvariable p = 2 * k\nvariable d = p * x\nvariable o = 3 * x\nder(x) = -d"));
  const session::Analysis& a = s.analysis();
  const auto section = [&](const char* name) { return to_text(a.blocks.at(a.block_of.at(model::find(a.flat, name)->value)).section); };
  CHECK(section("p") == "parameter");
  CHECK(section("d") == "dynamic");
  CHECK(section("o") == "output");
}

TEST_CASE("session: what an edit of an equation reuses") {
  Session s;
  REQUIRE(s.run_text("parameter k = 2\nvariable x(start = 1, fixed)\nvariable y\nlaw :: der(x) = -k * x\nother :: y = 3 * x"));
  s.analysis();
  REQUIRE(s.run_text("law :: der(x) = -k * x^2"));
  CHECK(s.reuse().equations_changed == 1);
  CHECK(s.reuse().blocks_rebuilt == 1);
  CHECK(s.reuse().blocks_reused == 1);
}

TEST_CASE("session: a model that was incomplete for a while reuses what it had before") {
  Session s;
  REQUIRE(s.run_text("parameter k = 2\nvariable x(start = 1, fixed)\nvariable y\nder(x) = -k * x\ny = 3 * x"));
  REQUIRE(s.analysis().complete);
  REQUIRE(s.run_text("variable z"));
  CHECK_FALSE(s.analysis().complete);
  REQUIRE(s.run_text("z = 2 * y"));
  REQUIRE(s.analysis().complete);
  CHECK(s.reuse().blocks_rebuilt == 1);
  CHECK(s.reuse().blocks_reused == 2);
}

TEST_CASE("session: numbers for parameters and start values need no analysis, and a run has them") {
  Session s;
  REQUIRE(s.run_text("model M\n  parameter a = 2\n  parameter b = 3 * a\n  variable x(start = b)\n  der(x) = -x\n  assert a < 100, \"too large\"\nend\n"
                     "m : M\nn : M(x(start = 5))\nvariable y(start = m.a)\nder(y) = -m.b * y"));
  const auto starts = [&] {
    std::vector<double> list;
    const auto p = s.problem();
    REQUIRE(p);
    simulate::Problem problem = *p;
    const simulate::Result r = simulate::simulate(problem, {.stop = 1e-9, .points = 1});
    for (std::size_t k = 0; k < r.trajectory.states(); ++k) list.push_back(r.trajectory.state(0)[k]);
    return list;
  };
  using List = std::vector<double>;
  const struct { const char* edit; bool analysed; List starts; } rows[] = {
      {"", false, {2, 6, 5}},            {"m.a := 3", false, {3, 9, 5}},        {"n.x.start := 4", false, {3, 9, 4}},
      {"n.a := 7", true, {3, 9, 4}},     {"n.x.start := 2.5", false, {3, 9, 2.5}}, {"m.a := 1", false, {1, 3, 2.5}},
      {"m.x.start := 8", true, {1, 8, 2.5}}};  // n.a is in no code, the start of m.x was an expression
  for (const auto& row : rows) {
    CAPTURE(row.edit);
    const auto before = s.shared_analysis();
    REQUIRE(s.run_text(row.edit));
    CHECK((s.shared_analysis() != before) == row.analysed);
    List found = starts();
    std::sort(found.begin(), found.end());
    List wanted = row.starts;
    std::sort(wanted.begin(), wanted.end());
    CHECK(found == wanted);
  }
  REQUIRE(s.run_text("m.a := 200"));
  CHECK_FALSE(s.check_numbers());
  REQUIRE(s.run_text("m.a := 4"));
  CHECK(s.check_numbers());
  CHECK(s.problem()->parameters.size() > 0);
}

TEST_CASE("session: numbers of arrays are edited together as single ones are, without elaborating anything") {
  const std::string model = "model M\n  parameter r[3] = {5, 0, 7}\n  parameter A[2, 2] = {{1, 2}, {3, 4}}\n"
                            "  variable y = r[1] + 100 * r[3] + r[2] * z + A[1, 2] - 1000 * A[2, 1]\n  variable u = A[1, 1] * time + A[2, 2]\n"
                            "  variable z = 10 * time - r[2] * y\nend\nm : M(r[3] = 9)\n";
  Session s;
  REQUIRE(s.run_text(model));
  REQUIRE(s.simulate({.stop = 1, .points = 1}));
  std::vector<std::string> made;
  // y = known + b z, z = 10 - b y
  const auto y = [](double known, double b) { return (known + 10 * b) / (1 + b * b); };
  const struct { const char* edit; bool elaborated; double y; } rows[] = {
      {"m.r := {6, 0, 8}", false, y(806 + 2 - 3000, 0)},
      {"m.r := {6, 0, -8.5}", false, y(6 - 850 + 2 - 3000, 0)},
      {"m.r := {6, 2, -8.5}", false, y(6 - 850 + 2 - 3000, 2)},
      {"m.r := {4, 3, -8.5}", false, y(4 - 850 + 2 - 3000, 3)},
      {"m.A := {{5, 6}, {7, 8}}", false, y(4 - 850 + 6 - 7000, 3)},
      {"m.r[1] := 2", false, y(2 - 850 + 6 - 7000, 3)},
      {"m.r := {4, 3, 2}", true, y(4 + 200 + 6 - 7000, 3)},  // and the element's own assignment goes
      {"m.A := {{5, 6}, {9, 8}}", false, y(4 + 200 + 6 - 9000, 3)},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.edit));
    REQUIRE(s.run_text(row.edit));
    REQUIRE_MESSAGE(s.simulate({.stop = 1, .points = 1}), rendered(s));
    CHECK((s.phases().elaborate > 0) == row.elaborated);
    CHECK(*s.value("m.y") == doctest::Approx(row.y));
    made.emplace_back(row.edit);
    Session fresh;
    std::string all = model;
    for (const std::string& e : made) all += e + "\n";
    REQUIRE(fresh.run_text(all));
    REQUIRE(fresh.simulate({.stop = 1, .points = 1}));
    CHECK(*fresh.value("m.y") == doctest::Approx(row.y));
  }
  for (const char* wrong : {"m.r := {1, 2}", "m.r := {{1, 2, 3}}", "m.A := {1, 2, 3, 4}", "m.q := {1, 2}"}) {
    CAPTURE(std::string(wrong));
    s.run_text(wrong);
    s.analysis();
    CHECK(s.diagnostics().has_errors());
    s.diagnostics().clear();
  }
  REQUIRE(s.simulate({.stop = 1, .points = 1}));
  CHECK(*s.value("m.y") == doctest::Approx(rows[7].y));
}

TEST_CASE("session: numbers become part of the analysis, and cease to be, with the model's other edits") {
  Session s;
  REQUIRE(s.run_text("parameter k = 1\nvariable x(start = 2, fixed)\nder(x) = -k * x"));
  const auto start = [&] {
    const session::Analysis& a = s.analysis();
    const session::Bindings bindings(a.flat);
    const session::Overrides overrides = s.number_overrides();
    session::Numbers numbers(a.flat, bindings, overrides);
    return session::start(a.states.at(0), numbers);
  };
  CHECK(start() == 2);
  REQUIRE(s.run_text("k := 3"));
  CHECK(start() == 2);
  REQUIRE(s.run_text("variable x(start = k, fixed)"));
  CHECK(start() == 3);
  REQUIRE(s.run_text("k := 5"));
  CHECK(start() == 5);
  REQUIRE(s.run_text("parameter k = 7"));
  CHECK(start() == 7);
  std::string what;
  REQUIRE(s.undo(what));
  CHECK(start() == 5);
}

TEST_CASE("session: a start value of an alias of opposite sign leads to the root it means") {
  for (const double sign : {1.0, -1.0}) {
    Session s;
    REQUIRE(s.run_text("variable b\nvariable a(start = " + to_text(-3 * sign) + ")\na = -b\nb^2 = 4"));
    REQUIRE(simulates(s));
    CHECK(*s.value("b") == doctest::Approx(2 * sign));
  }
}

TEST_CASE("session: an edit of what is torn is an edit of the equations") {
  Session s;
  REQUIRE(s.run_text("variable x\nvariable y\nx^3 + y = time\nx - y^3 = sin(time)\ntear x"));
  const auto torn = [&] {
    const auto& a = s.analysis();
    REQUIRE(a.blocks.size() == 1);
    REQUIRE(a.blocks[0].how().torn.size() == 1);
    return model::name(a.flat, a.blocks[0].how().torn[0]);
  };
  CHECK(torn() == "x");
  REQUIRE(s.run_text("untear x"));
  REQUIRE(s.run_text("tear y"));
  CHECK(torn() == "y");
}

// The record's value stands where it is declared, in a modification, in an array, in a component; what asks for a member is a condition or a size.
TEST_CASE("session: members of a record that is given as a whole decide conditions and sizes") {
  const std::string record = "record R\n  parameter n : Integer = 1\n  parameter b : Boolean = false\nend\n";
  const std::string model = "model M\n  parameter d : R\n  variable v[d.n] = ones(d.n)\n  variable x = if d.b then 10 else sum(v)\nend\n";
  const struct {
    const char *name, *text;
    double value;  // of x
  } rows[] = {
      {"declared", "parameter r : R = R(n = 3, b = true)\nvariable x = if r.b then 10 else 20", 10},
      {"a size", "parameter r : R = R(n = 3)\nvariable v[r.n] = ones(r.n)\nvariable x = sum(v)", 3},
      {"a statement", "parameter r : R = R(b = true)\nvariable x\nif r.b\n  x = 1\nelse\n  x = 2\nend", 1},
      {"of an array", "parameter r[2] : R = {R(n = 4, b = true), R(b = false)}\nvariable v[r[1].n] = ones(r[1].n)\nvariable x = if r[2].b then 10 else sum(v)", 4},
      {"handed on", "parameter g : R = R(n = 5)\nm : M(d = g)\nvariable x = m.x", 5},
      {"in a modification", "m : M(d = R(n = 2, b = true))\nvariable x = m.x", 10},
      {"a member of it", "m : M(d(n = 2))\nvariable x = m.x", 2},
      {"of components", "m[2] : M(d = {R(n = 6), R(b = true)})\nvariable x = m[1].x + m[2].x", 16},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Session s;
    REQUIRE_MESSAGE(s.run_text(record + model + row.text), rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = 1, .points = 2}), rendered(s));
    CHECK(s.value("x").value() == row.value);
  }
}
