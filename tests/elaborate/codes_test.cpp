// Every diagnostic of the room: its example shows it, points at a place and reads well.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "support.hpp"

using kron::test::elaborate;

TEST_CASE("codes: the examples of the table") {
  for (const kron::CodeInfo& code : kron::diagnostic_codes()) {
    if (code.code.substr(1, 2) != "02" || code.example.empty()) continue;
    CAPTURE(code.code);
    std::string text(code.example);
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / "kron_elaborate_codes";
    fs::create_directories(folder);
    if (code.code == "W0203" || code.code == "W0204" || code.code == "W0205") {  // of libraries: the example is one
      std::ofstream(folder / "m.eq") << text << "\n";
      text = "use \"m.eq\"\na : A";
    }
    const auto m = elaborate(text + "\n", folder.string());
    INFO(m.all_messages());
    const kron::Diagnostic* found = nullptr;
    for (const auto& d : m.result.diagnostics.list())
      if (d.code == code.code) found = &d;
    REQUIRE(found != nullptr);
    CHECK(found->span.known());
    CHECK(found->message.size() < 160);
    CHECK(m.good() == (code.code[0] != 'E'));
    if (code.code[0] == 'E') {
      for (const auto& d : m.result.diagnostics.list())
        if (d.severity == kron::Severity::error) CHECK(d.code == code.code);  // one mistake, one code
    }
  }
}

namespace {
struct CodesRow {
  const char* text;
  const char* messages;  // code and place, in order
};
}  // namespace

TEST_CASE("codes: places") {
  const CodesRow rows[] = {
      {"variable x\nx = y + 1\n", "E0201 2:5"},
      {"connector Pin\n  potential v\n  flow i\nend\nmodel A\n  p : Pin\n  p.i = p.v\nend\na[2], b[3] : A\nfor k in 1:3\n  connect a[k].p, b[k].p\nend\n"
       "connect a[1].p, b[1].p\n", "E0223 11:13"},  // what failed connects nothing
      {"variable x[6], y[6]\nfor k in 1:6\n  x[k + 1] = y[k + 1]\nend\n", "E0223 3:5"},  // of two bad references the first, as written out
      {"variable x\nx = 1 + nothing\nvariable y\ny = nowhere\n", "E0201 2:9, E0201 4:5"},  // one does not hide the other
      {"a : Nothing\nb : Never\n", "E0202 1:1, E0202 2:1"},
      {"model A\n  variable x = q\nend\na : A\nb : A\n", "E0201 2:16"},  // a class's error once
      {"variable x[3]\nx[4] = 1\n", "E0223 2:3"},
      {"parameter n[2] = {1, 2}\nn[1:2] := {3, 4}\nvariable x[n[2]]\n", "E0224 3:12"},
      {"parameter n[2] = {1, 2}\nn[2] := {3, 4}\nvariable x[n[2]]\n", "E0217 2:9"},
      {"parameter n[2] : Integer = {1, 2}\nn[2] := 2.5\nvariable x[n[2]]\n", "E0221 2:9"},
      {"model A\n  parameter n = 1\n  variable x[n]\nend\na : A(n = -2)\n", "E0226 3:14"},
      {"model A\n  parameter n : Integer = 1\nend\na : A(n = 2.5)\nvariable x[a.n] = zeros(a.n)\n", "E0221 4:11"},
      {"model A\n  parameter k = 1\nend\na : A(kk = 2)\n", "E0212 4:7"},
      {"x : Real = 3\n", "E0251 1:1"},
      {"variable v : m/s\nvariable x : m\nx = v\nv = 1\n", "W0201 3:1"},
      {"parameter k : m = 2\nvariable a = exp(k)\nvariable b = 2^k\nvariable c = atan2(k, 2 [kg])\nvariable d = log(k / 1 [m]) + exp(-time) + div(k, 2 [s])\n",
       "W0201 2:18, W0201 3:14, W0201 4:14"},
      {"variable a : Boolean = 1 [m] > 1 [s]\nvariable b = if time > 1 then 1 [m] else 1 [kg]\n", "W0201 1:24, W0201 2:14"},
      {"variable a = 1 [m^2.5]\n", "E0228 1:14"},  // 5 m^2 to UDUNITS
      {"variable a = 1 [m2.5]\nvariable b = 1 [m^99]\n", "E0228 1:14, E0228 2:14"},
      {"variable a : V/Hz^0.5 = 1\n", "E0228 1:14"},
      {"variable a = 1 [kg.m2] + 1 [m2 kg]\n", ""},
      {"parameter p : Boolean = 1\n", "E0221 1:25"},
      {"variable x\nfor k in 1:3\n  x = k + z\nend\n", "E0201 3:11"},  // once, not three times
      {"model A\n  parameter k = 1\nend\nmodel B\n  a : A(final k = 2)\nend\nb : B(a.k = 3)\n", "E0215 7:7"},
      {"variable y = interpolate(time, {0, 2, 1}, {0, 4, 2})\n", "E0222 1:32"},
      {"variable y = interpolate(time, {0, 0}, {0, 4})\n", "E0222 1:32"},
      {"variable y = interpolate(time, {0, 1, 2}, {0, 4, 2})\n", ""},
      {"model A\n  parameter k = 1\nend\na : A(final k = 2)\na.k := 3\n", "E0215 5:1"},
      {"model A\n  parameter k = 1\nend\na[2] : A(final k = 2)\na[2].k := 3\n", "E0215 5:1"},
      {"model A\n  parameter k = 1\nend\nmodel B\n  a : A(final k = 2)\nend\nmodel C extends B(a.k = 3)\nend\nc : C\n", "E0215 7:19"},
  };
  for (const CodesRow& row : rows) {
    CAPTURE(row.text);
    const auto m = elaborate(row.text);
    INFO(m.all_messages());
    CHECK(m.messages() == std::string(row.messages));
  }
}

TEST_CASE("codes: what is no Integer") {
  const CodesRow rows[] = {
      {"parameter n : Integer = 2.5\n", "E0221 1:25"},
      {"parameter n : Integer = 6 / 2\n", ""},
      {"parameter n : Integer = 3\nn := 3.7\n", "E0221 2:6"},
      {"parameter n : Integer = 3\nn := 4.0\n", ""},
      {"model A\n  parameter n : Integer = 1\nend\na : A(n = 2.5)\n", "E0221 4:11"},
      {"model A\n  parameter n : Integer = 1\nend\nmodel B extends A(n = 2.5)\nend\nb : B\n", "E0221 4:23"},
      {"parameter k[3] : Integer = {1, 2.5, 3}\n", "E0221 1:28"},
      {"parameter k[3] : Integer = {1, 2, 3}\nk[2] := 2.5\n", "E0221 2:9"},
      {"parameter m = 5\nparameter n : Integer = m / 2\n", "E0221 2:25"},  // by its value
      {"parameter m = 6\nparameter n : Integer = m / 2\n", ""},
      {"parameter m = 6\nparameter n : Integer = m / 2\nm := 7\n", "E0221 2:25"},
      {"parameter n(min = 0.5) : Integer = 1\n", "E0221 1:19"},
      {"variable n(start = 0.5) : Integer = 1\n", "E0221 1:20"},
      {"variable n : Integer = 0.5\n", "E0221 1:24"},
      {"variable n : Integer\nn = 0.5\n", "E0221 2:1"},
      {"discrete n : Integer\nwhen time > 1\n  n = 0.5\nend\n", "E0221 3:3"},
      {"variable x\nparameter n : Integer = 3\nx = n + 0.5\n", ""},
      {"record R\n  parameter n : Integer = 1\nend\nparameter r : R = R(true)\n", "E0221 4:21"},
  };
  for (const CodesRow& row : rows) {
    CAPTURE(row.text);
    const auto m = elaborate(row.text);
    INFO(m.all_messages());
    CHECK(m.messages() == std::string(row.messages));
  }
}

TEST_CASE("codes: a Boolean and a choice are no numbers") {
  const std::string given = "enum S A, B\nvariable b : Boolean = time > 0.5\nvariable s : S = if b then S.A else S.B\n";
  const CodesRow rows[] = {
      {"variable v = 2 * b", "E0221 4:14"},
      {"variable v = b + 1", "E0221 4:14"},
      {"variable v = -b", "E0221 4:14"},
      {"variable v = s + 1", "E0221 4:14"},
      {"variable v = 2^b", "E0221 4:14"},
      {"variable v = abs(b)", "E0221 4:18"},
      {"variable v = sin(s)", "E0221 4:18"},
      {"variable v = max(b, 1)", "E0221 4:14"},
      {"variable v = sum({b, b})", "E0221 4:18"},
      {"variable v = integer(b)", "E0221 4:22"},
      {"variable v = integer(s)", ""},
      {"variable a[3] = {1, true, 2}", "E0221 4:17"},
      {"variable a[2] = {S.A, 1}", "E0221 4:17"},
      {"variable a[2] : S = {S.A, S.B}", ""},
      {"variable a[2] : Boolean = {b, not b}", ""},
      {"variable a[2] = {1, 2.5}", ""},
      {"variable a[1, 2] = [1, b]", "E0221 4:20"},
      {"variable x\nder(x) = if x > 1 then 3 else true", "E0221 5:10"},
      {"variable x\nder(x) = b", "E0221 5:1"},
      {"variable v : S = if b then S.A else 2", "E0221 4:18"},
      {"variable v = if b then 1 else 2.5", ""},
      {"variable v : Boolean = b == 1", "E0221 4:24"},
      {"variable v : Boolean = s > 1", "E0221 4:24"},
      {"variable v : Boolean = s == S.A or b == true", ""},
      {"variable v = interpolate(b, {0, 1}, {0, 1})", "E0221 4:26"},
      {"variable v : Boolean = noEvent(b)", ""},
      {"variable v = delay(b, 1)", "E0246 4:14"},
  };
  for (const CodesRow& row : rows) {
    CAPTURE(row.text);
    const auto m = elaborate(given + row.text + "\n");
    INFO(m.all_messages());
    CHECK(m.messages() == std::string(row.messages));
  }
}

TEST_CASE("codes: help says what to do") {
  const CodesRow rows[] = {
      {"variable speed\nspede = 3\n", "did you mean `speed`?"},
      {"x : Real = 3\n", "`variable x : Real`"},
      {"variable x\nx' = -x\n", "`der(x)`"},
      {"parameter l : mm = 5\n", "`: m = 5 [mm]`"},
      {"r : Resistor(R = 1)\n", "use electrical"},
      {"use rotational\nuse translational\nf : Fixed\n", "rotational.Fixed"},
      {"variable x[3]\nx = x + 1\n", "fill(x, n)"},
      {"variable a[3]\nvariable b[3]\na = b * b\n", ""},
      {"variable v : Voltt\n", ""},
      {"enum E one, two\nvariable v : E = E.tow\n", "did you mean `two`?"},
      {"variable x = sine(time)\n", "did you mean `sin"},
      {"variable b : Boolean = time > 1\nvariable v = 2 * b\n", "`if b then 1 else 0`"},
      {"use blocks\np : Pulse(period = 1)\nn : Not\nconnect p.y, n.u\n", "`blocks.RealToBoolean`"},
  };
  for (const CodesRow& row : rows) {
    CAPTURE(row.text);
    const auto m = elaborate(row.text);
    INFO(m.all_messages());
    REQUIRE(m.result.diagnostics.has_errors());
    CHECK(m.result.diagnostics.list().front().help.find(row.messages) != std::string::npos);
  }
}

TEST_CASE("codes: components without end") {
  const struct { const char *name, *text, *place, *message; std::vector<const char*> notes; } rows[] = {
      {"a class in itself", "model A\n  a : A\nend\nx : A\n", "E0209 2:3", "`x.a.…`", {}},
      {"through three classes", "model A\n  b : B\nend\nmodel B\n  c : C\nend\nmodel C\n  a : A\nend\nx : A\n", "E0209 8:3", "`x.b.c.a.…`",
       {"`A` holds `b : B`", "`B` holds `c : C`"}},
      {"a condition that stays true", "model A\n  parameter n = 1\n  a : A(n = n + 1) if n > 0\nend\nx : A\n", "E0209 3:3", "`x.a.…`",
       {"this condition is still true 150 components deep"}},
      {"arrays", "model A\n  a[3] : A\nend\nx[2] : A\n", "E0209 2:3", "`x.a.…`", {}},
      {"by inheritance", "model A\n  c : B\nend\nmodel B extends A\nend\nx : B\n", "E0209 2:3", "`x.c.…`", {}},
      {"a replacement", "model A\n  variable x = 1\nend\nmodel B\n  variable x = 1\n  a : A\n  b : C\nend\nmodel C extends B(a : B)\nend\ny : B\n", "E0209 6:3", "`y.b.a.…`",
       {"`B` holds `b : C`"}},
      {"a value that asks for it", "model A\n  parameter n = a.n\n  variable x[n]\n  a : A\nend\nx : A\n", "E0209 4:3", "`x.a.…`", {}},
      {"two ways down", "model A\n  parameter n = 1\n  a[2] : A(n = n + {1, 2})\n  b : A(n = 2 * n)\n  variable x[n]\nend\nx : A\n", "E0209 3:3", "`x.a.…`", {}},
      {"a record in itself", "record R\n  variable r : R\nend\nvariable x : R\n", "E0209 2:12", "`x.r.…`", {}},
      {"a record that makes itself", "record R\n  variable a = R(1).a\nend\nvariable x : R\n", "E0209 2:16", "more than 150 components deep", {}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const auto m = elaborate(row.text);
    INFO(m.all_messages());
    CHECK(m.messages() == std::string(row.place));
    REQUIRE(m.result.diagnostics.has_errors());
    const kron::Diagnostic& d = m.result.diagnostics.list().front();
    CHECK(d.message.find(row.message) != std::string::npos);
    REQUIRE(d.notes.size() == row.notes.size());
    for (std::size_t i = 0; i < row.notes.size(); ++i) CHECK(d.notes[i].text == std::string(row.notes[i]));
  }
}

TEST_CASE("codes: a model of too many quantities is told of from any depth") {
  const auto m = elaborate("model A\n  variable x[10000000]\nend\nmodel B\n  a[10] : A\nend\nb : B\n");
  INFO(m.all_messages());
  CHECK(m.messages() == "E0227 5:3");
}

TEST_CASE("codes: short texts that ask for too much, long chains") {
  const auto chain = [](const char* first, int n, const std::function<std::string(int)>& line) {
    std::string text = first;
    for (int i = 1; i < n; ++i) text += line(i);
    return text;
  };
  const auto number = [](int i) { return std::to_string(i); };
  const struct { const char* name; std::string text; const char* code; } rows[] = {
      {"functions that call twice", chain("function f0(x) = x + 1\n", 40, [&](int i) { return "function f" + number(i) + "(x) = f" + number(i - 1) + "(x) + f" + number(i - 1) + "(x)\n"; }) + "variable x = f39(time)\n", "E0227"},
      {"constants used twice", chain("constant c0 = 1\n", 40, [&](int i) { return "constant c" + number(i) + " = c" + number(i - 1) + " + c" + number(i - 1) + "\n"; }) + "model A\n  variable x = c39\nend\na : A\n", "E0227"},
      {"loops in a loop of a function", "function f(n)\n  s = 0\n  for i in 1:n, j in 1:n\n    s = 1\n  end\n  return s\nend\nvariable x = f(10000)\n", "E0227"},
      {"names used twice in a function", "function f(n)\n  s = n\n  for k in 1:60\n    s = s * s\n  end\n  return s\nend\nvariable x[f(3)]\n", "E0224"},
      {"a chain of functions", chain("function f0(x) = x\n", 1000, [&](int i) { return "function f" + number(i) + "(x) = f" + number(i - 1) + "(x)\n"; }) + "variable x = f999(time)\n", "E0250"},
      {"a chain of parameters", chain("parameter c0 = 1\n", 30000, [&](int i) { return "parameter c" + number(i) + " = c" + number(i - 1) + " + 0\n"; }) + "variable x[c29999]\n", "E0263"},
      {"a chain of constants", chain("constant c0 = 1\n", 30000, [&](int i) { return "constant c" + number(i) + " = c" + number(i - 1) + " + 0\n"; }) + "model A\n  variable x = c29999\nend\na : A\n", "E0263"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const auto m = elaborate(row.text);
    REQUIRE(m.result.diagnostics.has_errors());
    CHECK(m.result.diagnostics.list().front().code == std::string(row.code));
  }
  const auto axis = elaborate("parameter n[3] = {0, 0, 0}\nparameter e[3] = n / sqrt(n * n) @structure\nvariable x[if e[1] > 0 then 1 else 2]\n");
  CHECK(axis.all_messages().find("E0224") != std::string::npos);
  CHECK(axis.all_messages().find("this is infinite or not a number") != std::string::npos);
  const auto m = elaborate("function f(n) = if n < 2 then 1 else n * f(n - 1)\nparameter p = f(170)\nparameter n = 3\nvariable x[f(n)]\n");
  INFO(m.all_messages());
  CHECK(m.good());
}
