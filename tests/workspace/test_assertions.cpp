// Assertions of a model: checked before the run where parameters decide them, else at its output points.
#include <doctest/doctest.h>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

const std::string fall = "variable h(start = 1, fixed)\nder(h) = -1\n";

// A run to 2, which ends with a message that has all of `named`, or without one.
void run(Session& s, const std::string& model, unsigned precision, const std::vector<const char*>& named) {
  REQUIRE_MESSAGE(s.run_text(model), rendered(s));
  CHECK(s.simulate({.stop = 2, .points = 4, .precision = precision}) == named.empty());
  const std::string text = rendered(s);
  CAPTURE(text);
  for (const char* what : named) CHECK_MESSAGE(text.find(what) != std::string::npos, what);
}

}  // namespace

TEST_CASE("an assertion ends the run where it does not hold") {
  const struct {
    std::string name;
    std::string text;
    std::vector<const char*> named;  // in the rendered diagnostic; empty: the run goes to its end
    std::size_t points;              // kept, of 0, 0.5, 1, 1.5, 2; the last one is where it does not hold
  } rows[] = {
      {"holds", fall + "assert h > -1.5, \"h\"", {}, 5},
      {"of a state", fall + "assert h > 0.25, \"empty\", h", {"text:3:1: error[E0413]: at time 1: empty", "`0.25 < h` does not hold", "`h` was "}, 3},
      {"at the start", fall + "assert h < 0.75, \"full\"", {"at time 0: full"}, 1},
      {"of an alias with a sign", fall + "variable g = -h\nassert g < -0.25, \"empty\", g, 2 * h", {"at time 1:", "`g` was ", "`2*h` was "}, 3},
      {"of an output", fall + "variable y = exp(h)\nassert y > 2, \"y\", y", {"at time 0.5:", "`y` was 1.6"}, 2},
      {"of a derivative", fall + "variable v(start = 0, fixed)\nder(v) = -time\nassert der(v) > -1, \"slow\", der(v)", {"at time 1:", "`der(v)` was -1"}, 3},
      {"of a derivative that the equations do not mention", "variable y = time^2\nassert der(y) < 3, \"slow\"", {"at time 1.5:"}, 4},
      {"of an unknown of a block", fall + "variable a\nvariable b\na + b = h\na - 2 * b = 1\nassert b > -0.25, \"b\", b", {"at time 1:", "`b` was -0.33"}, 3},
      {"of time", fall + "assert time < 1.2 or h > 5, \"late\"", {"at time 1.5: late"}, 4},
      {"without states", "variable x = time\nassert x < 0.9, \"x\", x", {"at time 1: x", "`x` was 1"}, 3},
      {"the first of two", fall + "assert h > 0.25, \"second\"\nassert h > 0.75, \"first\"", {"at time 0.5: first"}, 2},
      {"before a trouble that comes later", fall + "variable r = sqrt(h + 0.6)\nassert r > 1, \"r\"", {"E0413", "at time 1: r"}, 3},
      {"after a trouble", fall + "variable r = sqrt(h - 0.2)\nassert h > -0.25, \"h\"", {"E0403", "at time 1:"}, 2},
      {"of a component", "model Tank\n  " + fall + "  assert h > 0.75, \"empty\", h\nend\na : Tank\n", {"text:4:3: error[E0413]: at time 0.5: `a`: empty", "`a.h` was 0.5"}, 2},
      {"under a condition", "parameter wet : Boolean = true\n" + fall + "if wet\n  assert h > 0.75, \"empty\"\nend", {"at time 0.5: empty"}, 2},
      {"of an element", "parameter n = 2\nvariable x[n] = {time, 2 * time}\nfor k in 1:n\n  assert x[k] < 1.5, \"x\", x[k]\nend", {"at time 1:", "`x[2]` was 2"}, 3},
      {"of a parameter", "parameter R = -1\nassert R > 0, \"R must be positive\", R\n" + fall, {"text:2:1: error[E0413]: R must be positive", "`0 < R` does not hold", "`R` is -1"}, 0},
      {"of a parameter of others", "parameter a = 1\nparameter b = 2 * a\nassert b < 2, \"b\", b\n" + fall, {"error[E0413]: b", "`b` is 2"}, 0},
      {"of an index that changes",
       fall + "parameter tab[3] = {1, 2, 3}\ndiscrete k(start = 1) : Integer\nvariable y = tab[k]\n"
              "when sample(0.5, 0.5)\n  k = pre(k) + 1\nend",
       {"error[E0413]: at time 1.5: `k` is outside 1:3 in `tab[k]`", "`k` was 4"}, 7},
      {"of an index in a when",
       fall + "parameter tab[3] = {1, 2, 3}\ndiscrete y(start = 0)\nwhen sample(0.5, 0.5)\n  y = tab[integer(4*time)]\nend",
       {"error[E0413]: at time 1: `integer(4 * time)` is outside 1:3 in `tab[integer(4 * time)]`", "`floor(4*time)` was 4"}, 8},
      {"of a constant", fall + "assert 2 < 1, \"never\"", {"error[E0413]: never"}, 0},
      {"of a variable that is a parameter", "parameter p = 3\nvariable x = p\nassert x < 3, \"x\", x\n" + fall, {"at time 0: x", "`x` was 3"}, 1},
      {"of a parameter that the initialisation determines",
       "parameter p(fixed = false)\nparameter q = 2 * p\nvariable x(start = 1, fixed)\nder(x) = -p * x\ninitial der(x) = -4\nassert q < 8, \"q\", q",
       {"at time 0: q", "`q` was 8"}, 1},
  };
  for (const auto& row : rows)
    for (unsigned precision : {15u, 25u}) {
      CAPTURE(row.name);
      CAPTURE(precision);
      Session s;
      run(s, row.text, precision, row.named);
      CHECK((s.result() ? s.result()->trajectory.size() : 0) == row.points);
    }
}

TEST_CASE("an assertion of parameters is checked with every new value") {
  Session s;
  REQUIRE(s.run_text("parameter R = 1\nassert R > 0, \"R\", R\nvariable x = R * time"));
  CHECK(s.check_numbers());
  CHECK(s.simulate({.points = 4}));
  REQUIRE(s.set_parameter("R", -2));
  CHECK_FALSE(s.simulate({.points = 4}));
  CHECK(rendered(s).find("`R` is -2") != std::string::npos);
  s.clear_overrides();
  REQUIRE(s.run_text("R := -3"));
  CHECK_FALSE(s.check_numbers());
  CHECK(rendered(s).find("`R` is -3") != std::string::npos);
}

TEST_CASE("an edited assertion is the one that counts") {
  Session s;
  REQUIRE(s.run_text(fall + "model A\n  variable y = 0.5\n  assert time < 0.6, \"early\"\nend\na : A"));
  CHECK_FALSE(s.simulate({.stop = 2, .points = 4}));
  CHECK(s.result()->trajectory.time().back() == 1);
  REQUIRE(s.run_text("model A\n  variable y = 0.5\n  assert time < 1.1, \"early\"\nend"));
  CHECK_FALSE(s.simulate({.stop = 2, .points = 4}));
  CHECK(s.result()->trajectory.time().back() == 1.5);
}

TEST_CASE("an assertion in a when is looked at when its branch acts, and with initial() at the start") {
  const struct {
    std::string name;
    std::string text;
    std::vector<const char*> named;  // empty: the run goes to its end
  } rows[] = {
      {"at the event", fall + "when h < 0.3\n  assert time < 0.5, \"too late\", h, 2 * time\nend", {"E0413", "at time 0.7", "too late", "`h` was 0.", "`2*time` was 1.4", "`time < 0.5` does not hold"}},
      {"it holds there, and no longer matters", fall + "when h < 0.3\n  assert h > 0.2, \"h\"\nend", {}},
      {"another branch acts", fall + "when h < 0.3\n  assert time > 0.5, \"early\"\nelsewhen h < 0.1\n  assert h > 0.2, \"second\"\nend", {"second", "at time 0.9"}},
      {"of a component", "model Tank\n  " + fall + "  when h < 0.5\n    assert h > 1, \"empty\"\n  end\nend\na : Tank\n", {"`a`: empty"}},
      {"under a condition", "parameter wet : Boolean = true\n" + fall + "when h < 0.5\n  if wet\n    assert h > 1, \"empty\"\n  end\nend", {"empty"}},
      {"initial() alone", fall + "assert not initial() or h <= 0.5, \"full\", h", {"at time 0: full", "`h` was 1"}},
      {"initial() holds at the start only", fall + "assert not initial() or h >= 0.5, \"full\", h", {}},
  };
  for (const auto& row : rows)
    for (unsigned precision : {15u, 25u}) {
      CAPTURE(row.name);
      CAPTURE(precision);
      Session s;
      run(s, row.text, precision, row.named);
    }
}

TEST_CASE("terminate takes texts and values") {
  const struct {
    std::string text;
    const char* told;
  } rows[] = {
      {fall + "when h < 0.5\n  terminate \"half\"\nend", "half"},
      {fall + "when h < 0.5\n  terminate \"half at\", time, 4 * h\nend", "half at: time = 0.5, 4*h = 2"},
      {"model T\n  parameter text : String = \"over\"\n  when time > 1\n    terminate text\n  end\nend\nt : T", "`t`: over"},
      {"parameter name : String = \"tank\"\n" + fall + "when h < 0.5\n  terminate name, \"is half empty\", h\nend", "tank is half empty: h = 0.5"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    Session s;
    REQUIRE_MESSAGE(s.run_text(row.text), rendered(s));
    REQUIRE_MESSAGE(s.simulate({.stop = 2}), rendered(s));
    REQUIRE(s.result()->terminated);
    CHECK(*s.result()->terminated == row.told);
  }
}

TEST_CASE("an assertion speaks for the numbers of its component and those in it") {
  const std::string model =
      "model Inner\n  parameter a\n  parameter r = sqrt(a)\n  variable x = r * time\nend\n"
      "model Outer\n  parameter a = -1\n  parameter r = 1 / (a + 1)\n  part : Inner(a = a)\n  assert a > 0, \"a must be positive\"\n  variable x = r * time\nend\n"
      "bad : Outer\nother : Inner(a = -4)\n";
  Session s;
  REQUIRE_MESSAGE(s.run_text(model), rendered(s));
  CHECK_FALSE(s.simulate({.stop = 1}));
  const std::string text = rendered(s);
  CAPTURE(text);
  CHECK(text.find("a must be positive") != std::string::npos);
  CHECK(text.find("`other.r` is not a number") != std::string::npos);
  CHECK(text.find("`bad.r`") == std::string::npos);
  CHECK(text.find("`bad.part.r`") == std::string::npos);
}

TEST_CASE("a transfer function says what is wrong with its coefficients") {
  const struct {
    const char *coefficients, *said;
  } rows[] = {
      {"b = {1, 1, 1}, a = {1, 1}", "the numerator has a higher degree than the denominator"},
      {"b = {1}, a = {0, 1}", "the first coefficient of the denominator must not be zero"},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.coefficients));
    Session s(elaborate::Settings{{KRON_SOURCE_DIR "/stdlib"}});
    REQUIRE_MESSAGE(s.run_text("use blocks\nf : TransferFunction(" + std::string(row.coefficients) + ")\nf.u = 1\n"), rendered(s));
    CHECK_FALSE(s.simulate({.stop = 1}));
    CHECK(rendered(s).find(row.said) != std::string::npos);
    CHECK(rendered(s).find("E0411") == std::string::npos);
  }
}
