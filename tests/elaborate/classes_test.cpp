// Inheritance, modification, attributes, structural parameters, records, functions.
#include <doctest/doctest.h>

#include "support.hpp"

using kron::model::SlotFlag;
using kron::model::StateSelect;
using kron::model::Variability;
using kron::test::elaborate;

namespace {

struct ClassRow {
  const char* name;
  const char* text;
  const char* bindings;
};

void check(const ClassRow& row) {
  CAPTURE(row.name);
  const auto m = elaborate(row.text);
  INFO(m.all_messages());
  CHECK(m.good());
  CHECK(m.bindings() == std::string(row.bindings));
}

}  // namespace

TEST_CASE("modifications: who wins") {
  const std::string base = "model R\n  parameter R = 1\nend\nmodel C\n  parameter k = 2\n  r : R(R = 3 * k)\nend\n";
  const ClassRow rows[] = {
      {"defaults", "c : C\n", "c.k := 2\nc.r.R := 3*c.k\n"},
      {"a component's modification", "c : C(k = 5)\n", "c.k := 5\nc.r.R := 3*c.k\n"},
      {"outer over inner", "c : C(r.R = 7)\n", "c.k := 2\nc.r.R := 7\n"},
      {"nested brackets", "c : C(r(R = 7))\n", "c.k := 2\nc.r.R := 7\n"},
      {"looked up where it is written", "parameter k = 9\nc : C(r(R = k))\n", "k := 9\nc.k := 2\nc.r.R := k\n"},
      {"extends", "model D extends C(k = 4)\nend\nd : D\n", "d.k := 4\nd.r.R := 3*d.k\n"},
      {"extends, then component", "model D extends C(k = 4)\nend\nd : D(k = 6)\n", "d.k := 6\nd.r.R := 3*d.k\n"},
      {"extends of extends", "model D extends C(k = 4)\nend\nmodel E extends D(k = 8, r.R = 1)\nend\ne : E\n", "e.k := 8\ne.r.R := 1\n"},
      {"short class", "model D = C(k = 4)\nd : D\n", "d.k := 4\nd.r.R := 3*d.k\n"},
      {"assignment wins", "c : C(k = 5)\nc.k := 10\nc.r.R := 11\nc.k := 12\n", "c.k := 12\nc.r.R := 11\n"},
      {"array of components", "c[2] : C(k = {1, 2})\n", "c[1].k := 1\nc[1].r.R := 3*c[1].k\nc[2].k := 2\nc[2].r.R := 3*c[2].k\n"},
      {"a scalar goes to all", "c[2] : C(k = 7, r.R = 1)\n", "c[1].k := 7\nc[1].r.R := 1\nc[2].k := 7\nc[2].r.R := 1\n"},
      {"one value each", "c[2] : C(k = {10.0 + i for i in 1:2}, r.R = 1)\n", "c[1].k := 11\nc[1].r.R := 1\nc[2].k := 12\nc[2].r.R := 1\n"},
      {"one element set", "c[2] : C(r.R = 1)\nc[2].k := 5\n", "c[1].k := 2\nc[1].r.R := 1\nc[2].k := 5\nc[2].r.R := 1\n"},
      {"a replacement keeps what the declaration says", "model S\n  parameter R = 20\n  parameter x = 0\nend\nc : C(r : S(x = 3))\n", "c.k := 2\nc.r.R := 3*c.k\nc.r.x := 3\n"},
  };
  for (ClassRow row : rows) {
    const std::string text = base + row.text;
    row.text = text.c_str();
    check(row);
  }
}

TEST_CASE("modifications: shapes") {
  const ClassRow rows[] = {
      {"a vector to each element", "model L\n  parameter a[2] = {0, 0}\nend\nl[2] : L(a = {3, 4})\n", "l[1].a[1] := 3\nl[1].a[2] := 4\nl[2].a[1] := 3\nl[2].a[2] := 4\n"},
      {"a matrix: a row to each", "model L\n  parameter a[2] = {0, 0}\nend\nl[2] : L(a = {{1, 2}, {3, 4}})\n", "l[1].a[1] := 1\nl[1].a[2] := 2\nl[2].a[1] := 3\nl[2].a[2] := 4\n"},
      {"a scalar to all", "model L\n  parameter a[2] = {0, 0}\nend\nl[2] : L(a = 5)\n", "l[1].a[1] := 5\nl[1].a[2] := 5\nl[2].a[1] := 5\nl[2].a[2] := 5\n"},
      {"sizes from the value", "model L\n  parameter a[:] = {1}\n  parameter n = size(a, 1)\nend\nl : L(a = {3, 4, 5})\n", "l.a[1] := 3\nl.a[2] := 4\nl.a[3] := 5\nl.n := 3\n"},
      {"sizes from each element's value", "model L\n  parameter a[:] = {1}\nend\nl[2] : L(a = {{3, 4}, {5, 6}})\n", "l[1].a[1] := 3\nl[1].a[2] := 4\nl[2].a[1] := 5\nl[2].a[2] := 6\n"},
      {"attributes of arrays", "variable x[2](start = {1, 0}, min = -1) = {time, time}\n", "x[1].start := 1\nx[1].min := -1\nx[2].start := 0\nx[2].min := -1\n"},
      {"one element of a parameter", "parameter a[2] = {1, 2}\na[2] := 7\n", "a[1] := 1\na[2] := 7\n"},
      {"one element, then all", "parameter a[2] = {1, 2}\na[2] := 7\na := {3, 4}\n", "a[1] := 3\na[2] := 4\n"},
      {"one element of a base's parameter", "model A\n  parameter a[2] = {1, 2}\nend\nmodel B extends A(a[1] = 5)\nend\nb : B\n", "b.a[1] := 5\nb.a[2] := 2\n"},
      {"one element of a component's parameter", "model A\n  parameter a[2] = {1, 2}\nend\na : A(a[1] = 5)\n", "a.a[1] := 5\na.a[2] := 2\n"},
      {"one of an array of components", "model A\n  parameter k = 1\nend\na[2] : A(k = {3, 4})\na[2].k := 5\n", "a[1].k := 3\na[2].k := 5\n"},
      {"through two arrays", "model A\n  parameter p = 0\nend\nmodel B\n  a[2] : A\nend\nb[2] : B(a.p = {{1, 2}, {3, 4}})\n", "b[1].a[1].p := 1\nb[1].a[2].p := 2\nb[2].a[1].p := 3\nb[2].a[2].p := 4\n"},
      {"inner array's value through two arrays", "model A\n  parameter p = 0\nend\nmodel B\n  a[2] : A\nend\nb[2] : B(a.p = {1, 2})\n", "b[1].a[1].p := 1\nb[1].a[2].p := 2\nb[2].a[1].p := 1\nb[2].a[2].p := 2\n"},
  };
  for (const ClassRow& row : rows) check(row);
}

TEST_CASE("modifications: equations of variables") {
  const struct { const char* text; const char* equations; } rows[] = {
      {"model A\n  variable v = 1\nend\na : A\n", "a.v: a.v - 1 = 0\n"},
      {"model A\n  variable v = 1\nend\na : A(v = time)\n", "a.v: a.v - time = 0\n"},
      {"model A\n  variable v = 1\nend\nmodel B\n  a : A(v = 2)\nend\nb : B(a.v = 3)\n", "b.a.v: b.a.v - 3 = 0\n"},
      {"model A\n  variable v = 1\nend\nmodel B extends A(v = 2)\nend\nb : B\n", "b.v: b.v - 2 = 0\n"},
      {"model A\n  variable v = 1\nend\na[2] : A(v = {time, 2})\n", "a.v[1]: a[1].v - time = 0\na.v[2]: a[2].v - 2 = 0\n"},
      {"model A\n  variable v\n  v = 1\nend\nmodel B\n  variable w = 4\n  a : A(v = w)\nend\nb : B\n", "b.w: b.w - 4 = 0\nb.a.v: b.a.v - b.w = 0\nb.a.e1: b.a.v - 1 = 0\n"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const auto m = elaborate(row.text);
    INFO(m.all_messages());
    CHECK(m.equations() == std::string(row.equations));
  }
}

TEST_CASE("attributes") {
  const auto m = elaborate(
      "parameter pref : State = prefer\nvariable x(start = 2, fixed, state = pref, nominal = 10) = time\nvariable y[2](fixed = {true, false}) = {time, time}\n"
      "model A\n  variable v(start = 1)\n  parameter p(fixed = false)\n  der(v) = p\nend\na : A(v(start = 5, fixed, state = always))\nb : A\n"
      "private variable z = 1\ninput u\noutput w = u\n");
  INFO(m.all_messages());
  REQUIRE(m.good());
  CHECK((m.flags("x") & SlotFlag::fixed) != 0);
  CHECK((m.flags("x") & SlotFlag::has_start) != 0);
  CHECK(m.declaration("x")->state == StateSelect::prefer);
  CHECK((m.flags("y[1]") & SlotFlag::fixed) != 0);
  CHECK((m.flags("y[2]") & SlotFlag::fixed) == 0);
  CHECK((m.flags("a.v") & SlotFlag::fixed) != 0);
  CHECK((m.flags("b.v") & SlotFlag::fixed) == 0);
  CHECK((m.flags("b.v") & SlotFlag::has_start) != 0);
  CHECK(m.declaration("a.v")->state == StateSelect::always);
  CHECK(m.declaration("b.v")->state == StateSelect::default_);
  CHECK((m.flags("a.p") & SlotFlag::free) != 0);
  CHECK((m.flags("z") & SlotFlag::is_private) != 0);
  CHECK((m.flags("u") & SlotFlag::input) != 0);
  CHECK((m.flags("w") & SlotFlag::output) != 0);
  CHECK((m.flags("pref") & SlotFlag::structural) != 0);
  CHECK(m.bindings().find("a.v.start := 5") != std::string::npos);
  CHECK(m.bindings().find("b.v.start := 1") != std::string::npos);
}

TEST_CASE("final makes constants") {
  const auto m = elaborate(
      "model C\n  parameter C = 1\n  variable v = time\n  variable i = C * der(v)\nend\nparameter p = 3\na : C(final C = 0)\nb : C(final C = p)\nc : C\n"
      "final parameter q = 2\nmodel D extends C(final C = 5)\nend\nd : D\n");
  INFO(m.all_messages());
  REQUIRE(m.good());
  CHECK(m.variability("a.C") == Variability::constant);
  CHECK(m.variability("b.C") == Variability::parameter);
  CHECK(m.variability("c.C") == Variability::parameter);
  CHECK(m.variability("d.C") == Variability::constant);
  CHECK(m.variability("q") == Variability::constant);
}

TEST_CASE("numbers that are part of the equations: final, and zeros and ones of @structure") {
  const std::string a = "model A\n  parameter n[3] = {0, 2, 1} @structure\n  variable x\n  x = n[1] * 5 + n[2] * time + n[3]\nend\n";
  const std::string b = "model B\n  parameter r[3] = {1, 0, 0} @structure\n  a : A(n = -r)\nend\n";
  const struct { std::string name; std::string text; const char* equation; } rows[] = {
      {"the declaration's own", a + "a : A\n", "a.n[2]*time + 1"},
      {"a modification's", a + "parameter L = 2\na : A(n = {0, 0, L})\n", "a.x - a.n[3]"},
      {"a difference of parameters is no number", a + "parameter L = 2\nparameter M = 2\na : A(n = {L - M, 1, 0})\n", "a.n[1]*5"},
      {"passed on", a + b + "b : B\n", "b.a.x - (-5)"},
      {"passed on and modified", a + b + "b : B(r = {0, 1, 0})\n", "b.a.x + time"},
      {"for each of an array", a + "a[2] : A(n = {{1, 0, 0}, {0, 1, 0}})\n", "a[2].x - time"},
      {"by an extends clause", a + "model C extends A(n = {0, 1, 0})\nend\na : C\n", "a.x - time"},
      {"assigned", a + "a : A\na.n := {0, 1, 0}\n", "a.x - time"},
      {"one element assigned: none is known", a + "a : A\na.n[1] := 0\n", "a.n[1]*5"},
      {"not through outer", "model W\n  parameter n[2] = {0, 1} @structure\nend\nmodel A\n  outer w : W\n  variable x\n  x = w.n[1] * time\nend\nw : W(n = {1, 0})\na : A\n", "w.n[1]*time"},
      {"final: any number", "model A\n  parameter k = 1\n  variable x\n  x = k * time\nend\na : A(final k = 3)\n", "3*time"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const auto m = elaborate(row.text);
    INFO(m.all_messages());
    INFO(m.equations());
    REQUIRE(m.good());
    CHECK(m.equations().find(row.equation) != std::string::npos);
  }
}

TEST_CASE("structural parameters") {
  const struct { const char* text; const char* variables; } rows[] = {
      {"model A\n  parameter n = 2\n  variable x[n]\nend\na : A\nb : A(n = 1)\n", "a.n a.x[1] a.x[2] b.n b.x[1]"},
      {"parameter k = 1\nmodel A\n  parameter n = 2\n  variable x[n]\nend\na : A(n = 2 * k)\n", "k a.n a.x[1] a.x[2]"},
      {"model A\n  parameter n = 2\n  variable x[n]\nend\na : A\na.n := 1\n", "a.n a.x[1]"},
      {"model A\n  parameter n = 1\n  variable x[n]\nend\nmodel B\n  parameter m = 2\n  a[m] : A(n = 1:m)\nend\nb : B\n", "b.m b.a[1].n b.a[1].x[1] b.a[2].n b.a[2].x[1] b.a[2].x[2]"},
      {"model P\n  variable v\nend\nmodel A\n  parameter on : Boolean = false\n  p : P if on\n  q : P if not on\nend\na : A\nb : A(on = true)\n", "a.on a.q.v b.on b.p.v"},
      {"model Chain\n  parameter n = 3\n  variable x = n\n  next : Chain(n = n - 1) if n > 1\nend\nc : Chain\n", "c.n c.x c.next.n c.next.x c.next.next.n c.next.next.x"},
      {"model A\n  parameter n = 2\nend\na : A(n = 3)\nvariable x[a.n]\n", "x[1] x[2] x[3] a.n"},
      {"enum Kind small, large\nmodel A\n  parameter kind : Kind = small\n  variable x[if kind == Kind.large then 2 else 1]\nend\na : A\nb : A(kind = large)\n", "a.kind a.x[1] b.kind b.x[1] b.x[2]"},
      {"parameter name : String = \"b\"\nvariable x[if name == \"a\" then 1 else 2]\n", "x[1] x[2]"},
      {"function f(n) = if n <= 1 then 1 else n * f(n - 1)\nvariable x[f(3)]\n", "x[1] x[2] x[3] x[4] x[5] x[6]"},
      {"constant n = 2\nmodel A\n  variable x[n]\nend\na : A\n", "n a.x[1] a.x[2]"},
      {"parameter a[3] = {1, 2, 3}\nvariable x[a[2]]\nvariable y[size(a, 1)]\n", "a[1] a[2] a[3] x[1] x[2] y[1] y[2] y[3]"},
      // Elements set one by one, of which the outermost counts.
      {"parameter a[2] = {1, 2}\na[2] := 3\nvariable x[a[2]], y[a[1]]\n", "a[1] a[2] x[1] x[2] x[3] y[1]"},
      {"parameter a[2] : Integer\na[2] := 2\na[1] := 1\nvariable x[a[2]]\n", "a[1] a[2] x[1] x[2]"},
      {"model A\n  parameter n[2] = {1, 1}\n  variable x[n[1]], y[n[2]]\nend\nmodel B\n  a : A(n[1] = 2, n[2] = 2)\nend\nb : B(a.n[2] = 3)\n",
       "b.a.n[1] b.a.n[2] b.a.x[1] b.a.x[2] b.a.y[1] b.a.y[2] b.a.y[3]"},
      {"model A\n  parameter n[2] = {1, 1}\n  variable x[n[1]]\nend\nmodel B\n  a : A(n[1] = 3)\nend\nb : B(a.n = {2, 2})\n", "b.a.n[1] b.a.n[2] b.a.x[1] b.a.x[2]"},
      {"model A\n  parameter n[2, 2] = [1, 1; 1, 1]\n  variable x[n[2, 1]]\nend\na[2] : A\na[2].n[2, 1] := 2\n",
       "a[1].n[1,1] a[1].n[1,2] a[1].n[2,1] a[1].n[2,2] a[1].x[1] a[2].n[1,1] a[2].n[1,2] a[2].n[2,1] a[2].n[2,2] a[2].x[1] a[2].x[2]"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const auto m = elaborate(row.text);
    INFO(m.all_messages());
    CHECK(m.variables() == std::string(row.variables));
  }
}

TEST_CASE("structural marks reach the parameters that were used") {
  const auto m = elaborate(
      "parameter k = 2\nparameter other = 1\nmodel A\n  parameter n = 1\n  parameter r = 1\n  variable x[n]\nend\na : A(n = k)\nmodel B\n  parameter n = 2\n  parameter r = 1\nend\nb : B\nc : B\nvariable y[b.n]\n");
  INFO(m.all_messages());
  REQUIRE(m.good());
  for (const char* n : {"k", "a.n", "b.n"}) CHECK((m.flags(n) & SlotFlag::structural) != 0);
  for (const char* n : {"other", "a.r", "b.r", "c.n"}) CHECK((m.flags(n) & SlotFlag::structural) == 0);
}

TEST_CASE("inheritance") {
  const struct { const char* text; const char* equations; } rows[] = {
      {"model A\n  variable x\n  x = 1\nend\nmodel B extends A\n  variable y\n  y = x\nend\nb : B\n", "b.e1: b.x - 1 = 0\nb.e2: b.y - b.x = 0\n"},
      {"model A\n  variable x\n  x = 1\nend\nmodel B extends A\nend\nmodel C extends A\nend\nmodel D extends B, C\nend\nd : D\n", "d.e1: d.x - 1 = 0\n"},
      {"model A\n  variable x = 1\nend\nmodel B\n  variable x = 1\nend\nmodel D extends A, B\nend\nd : D\n", "d.x: d.x - 1 = 0\n"},
      {"model A\n  extends B\n  x = 1\nend\nmodel B\n  variable x\nend\na : A\n", "a.e1: a.x - 1 = 0\n"},
      {"model A\n  function twice(u) = 2 * u\n  variable x = twice(time)\nend\na : A\n", "a.x: a.x - 2*time = 0\n"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const auto m = elaborate(row.text);
    INFO(m.all_messages());
    CHECK(m.equations() == std::string(row.equations));
  }
  // a base's text does not see what a derived class adds
  CHECK(elaborate("model A\n  variable x = y\nend\nmodel B extends A\n  variable y = 1\nend\nb : B\n").messages() == "E0201 2:16");
}

TEST_CASE("records and functions") {
  const struct { const char* text; const char* equations; } rows[] = {
      {"record R\n  variable a\n  variable b[2]\nend\nvariable r : R = R(a = 1, b = {2, 3})\n", "r[1]: r.a - 1 = 0\nr[2]: r.b[1] - 2 = 0\nr[3]: r.b[2] - 3 = 0\n"},
      {"record R\n  variable a\n  variable b = 2 * a\nend\nvariable r : R\nr = R(3)\n", "e1[1]: r.a - 3 = 0\ne1[2]: r.b - 6 = 0\nr.b: r.b - 2*r.a = 0\n"},
      {"record R\n  variable a\nend\nvariable r : R\nvariable s : R\nr = s\ns.a = time\n", "e1: r.a - s.a = 0\ne2: s.a - time = 0\n"},
      {"record R\n  variable a\nend\nfunction twice(r) = R(a = 2 * r.a)\nvariable r : R = twice(R(time))\n", "r[1]: r.a - 2*time = 0\n"},
      {"record R\n  variable a\nend\nvariable r[2] : R\nr.a = {1, 2}\n", "e1[1]: r[1].a - 1 = 0\ne1[2]: r[2].a - 2 = 0\n"},
      {"function norm(v[:]) = sqrt(v * v)\nvariable x[2] = {3, 4}\nvariable y = norm(x)\n", "x[1]: x[1] - 3 = 0\nx[2]: x[2] - 4 = 0\ny: y - sqrt(x[1]*x[1] + x[2]*x[2]) = 0\n"},
      {"function f(x, k = 2)\n  a = k * x\n  b = a + 1\n  return a * b\nend\nvariable y = f(time)\n", "y: y - 2*time*(2*time + 1) = 0\n"},
      {"function f(x, k = 2) = k * x\nvariable y = f(k = 5, x = time)\n", "y: y - 5*time = 0\n"},
      {"function f(x) = 2 * x\nvariable y[2] = f({time, 1})\n", "y[1]: y[1] - 2*time = 0\ny[2]: y[2] - 2 = 0\n"},
      {"function poly(c[:], x)\n  y = 0\n  for k in 1:size(c, 1)\n    y = y * x + c[k]\n  end\n  return y\nend\nvariable y = poly({1, 2, 3}, time)\n", "y: y - ((time + 2)*time + 3) = 0\n"},
      {"function f(n)\n  if n > 2\n    return 1\n  end\n  return 2\nend\nvariable y = f(3) + f(1)\n", "y: y - 3 = 0\n"},
      {"function f(x, k)\n  y = x\n  if x > k\n    y = k\n  end\n  return y\nend\nvariable y = f(time, 3)\n", "y: y - (if 3 < time then 3 else time) = 0\n"},
      {"function parts(u)\n  return u, -u\nend\nvariable y = parts(time)\n", "y: y - time = 0\n"},
      {"function g(x) = x + offset\nconstant offset = 4\nvariable y = g(time)\n", "y: y - (time + 4) = 0\n"},
      {"parameter on : Boolean = true\nrecord R\n  variable a\nend\nvariable r : R = if on then R(1) else R(2)\n", "r[1]: r.a - 1 = 0\n"},
      // known before the model runs through a text with an iterator; by a text of which a variable is no operand; through the rounds of loops
      {"parameter n = 2\nfunction h(n)\n  s = sum(k * n for k in 1:3)\n  s = s + 1\n  if s > 3\n    return s\n  end\n  return 0\nend\nvariable y = h(n)\n",
       "y: y - (n + 2*n + 3*n + 1) = 0\n"},
      {"parameter k = 1\nfunction f(a, b) = 2 * a\nfunction g(a) = if a > 1 then a else 0\nvariable x\nvariable y\nx = time\ny = g(f(k, x))\n",
       "e1: x - time = 0\ne2: y - (if 1 < 2*k then 2*k else 0) = 0\n"},
      {"parameter n = 2\nfunction h(n)\n  s = n\n  for k in 1:2\n    s = s + k * n\n  end\n  return if s > 3 then s else 0\nend\nvariable y = h(n)\n", "y: y - (n + n + 2*n) = 0\n"},
      {"parameter n = 2\nfunction h(n)\n  t = 0\n  for k in 1:2\n    for j in 1:k\n      s = n + j\n      if s > 3\n        t = t + s\n      end\n    end\n  end\n  k = s\n"
       "  return {7, 8, 9, k}[integer(t)]\nend\nvariable y = h(n)\n", "y: y - (n + 2) = 0\n"},
      {"parameter n = 2\nfunction h(n)\n  s = 0\n  for k in 1:3000\n    s = s + n\n  end\n  return if s > 3 then 1 else 2\nend\nvariable y = h(n)\n", "y: y - 1 = 0\n"},
      {"parameter n = 2\nfunction f(n)\n  a = {n, 2 * n}\n  s = a[1]\n  a[1] = 5\n  return if s > 3 then 100 else s + a[1]\nend\nvariable y = f(n)\n", "y: y - (n + 5) = 0\n"},
      {"parameter n = 2\nfunction f(x[:], y = x[1])\n  x[1] = 9\n  return if y > 5 then x[1] else y\nend\nvariable y = f({n, n})\n", "y: y - n = 0\n"},
      // the last index beside parameters
      {"parameter n : Integer = 1\nparameter v[3] = {4, 5, 6}\nvariable y = v[end - n]\nvariable z[2] = v[{end, n}]\n", "y: y - v[2] = 0\nz[1]: z[1] - v[3] = 0\nz[2]: z[2] - v[1] = 0\n"},
      {"parameter n : Integer = 1\nfunction f(x[:], k) = x[end - k]\nparameter v[3] = {4, 5, 6}\nvariable y = f(v, n)\n", "y: y - v[2] = 0\n"},
      {"model M\n  parameter v[3] = {4, 5, 6}\nend\nm[2] : M\nparameter n : Integer = 1\nvariable y = m[end].v[max(end, n) - n]\n", "y: y - m[2].v[2] = 0\n"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const auto m = elaborate(row.text);
    INFO(m.all_messages());
    CHECK(m.good());
    CHECK(m.equations() == std::string(row.equations));
  }
}
