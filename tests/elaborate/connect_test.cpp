// connect, signals, over-determined connectors, outer components.
#include <doctest/doctest.h>

#include "support.hpp"

using kron::test::elaborate;

namespace {
const std::string pins = "connector Pin\n  potential v\n  flow i\nend\nmodel R\n  p, n : Pin\nend\n";

struct ConnectRow {
  const char* text;
  const char* equations;
};
void check(const std::string& before, const ConnectRow& row) {
  CAPTURE(row.text);
  const auto m = elaborate(before + row.text);
  INFO(m.all_messages());
  CHECK(m.good());
  CHECK(m.equations() == std::string(row.equations));
}
}  // namespace

TEST_CASE("connect: potentials and flows") {
  const ConnectRow rows[] = {
      {"a : R\nb : R\nconnect a.n, b.p\n",
       "connect(a.n.v,b.p.v): a.n.v - b.p.v = 0\nopen(a.p.i): a.p.i = 0\nsum(a.n.i): a.n.i + b.p.i = 0\nopen(b.n.i): b.n.i = 0\n"},
      {"model M\n  p : Pin\n  r : R\n  connect p, r.p\nend\nm : M\na : R\nconnect a.p, m.p\n",
       "connect(m.p.v,m.r.p.v): m.p.v - m.r.p.v = 0\nconnect(m.p.v,a.p.v): m.p.v - a.p.v = 0\nsum(m.p.i): m.p.i + a.p.i = 0\n"
       "sum(-m.p.i): -m.p.i + m.r.p.i = 0\nopen(m.r.n.i): m.r.n.i = 0\nopen(a.n.i): a.n.i = 0\n"},
      {"a[2] : R\nb[2] : R\nconnect a.n, b.p\n",
       "connect(a[1].n.v,b[1].p.v): a[1].n.v - b[1].p.v = 0\nconnect(a[2].n.v,b[2].p.v): a[2].n.v - b[2].p.v = 0\nopen(a[1].p.i): a[1].p.i = 0\n"
       "sum(a[1].n.i): a[1].n.i + b[1].p.i = 0\nopen(a[2].p.i): a[2].p.i = 0\nsum(a[2].n.i): a[2].n.i + b[2].p.i = 0\nopen(b[1].n.i): b[1].n.i = 0\nopen(b[2].n.i): b[2].n.i = 0\n"},
      {"a : R if false\nb : R\nc : R\nconnect a.p, b.p, c.p\n",
       "connect(b.p.v,c.p.v): b.p.v - c.p.v = 0\nsum(b.p.i): b.p.i + c.p.i = 0\nopen(b.n.i): b.n.i = 0\nopen(c.n.i): c.n.i = 0\n"},
      {"a : R if false\nb : R\nconnect a.p, b.p\n", "open(b.p.i): b.p.i = 0\nopen(b.n.i): b.n.i = 0\n"},
      {"connector Plug\n  pin[2] : Pin\nend\nmodel S\n  plug : Plug\nend\na : S\nb : S\nconnect a.plug, b.plug\n",
       "connect(a.plug.pin[1].v,b.plug.pin[1].v): a.plug.pin[1].v - b.plug.pin[1].v = 0\nconnect(a.plug.pin[2].v,b.plug.pin[2].v): a.plug.pin[2].v - b.plug.pin[2].v = 0\n"
       "sum(a.plug.pin[1].i): a.plug.pin[1].i + b.plug.pin[1].i = 0\nsum(a.plug.pin[2].i): a.plug.pin[2].i + b.plug.pin[2].i = 0\n"},
      {"connector Plus = Pin\nmodel S\n  p : Plus\nend\na : S\nb : R\nconnect a.p, b.p\n",
       "connect(a.p.v,b.p.v): a.p.v - b.p.v = 0\nsum(a.p.i): a.p.i + b.p.i = 0\nopen(b.n.i): b.n.i = 0\n"},
  };
  for (const ConnectRow& row : rows) check(pins, row);
}

TEST_CASE("connect: signals and parameters") {
  const std::string blocks = "model Src\n  output y = time\nend\nmodel Gain\n  input u\n  output y = 2 * u\nend\n";
  const ConnectRow rows[] = {
      {"s : Src\ng : Gain\nconnect g.u, s.y\n", "s.y: s.y - time = 0\ng.y: g.y - 2*g.u = 0\nconnect(s.y,g.u): s.y - g.u = 0\n"},
      {"model Two\n  input u\n  output y\n  a : Gain\n  b : Gain\n  connect u, a.u\n  connect a.y, b.u\n  connect b.y, y\nend\nt : Two\nt.u = 3\n",
       "e1: t.u - 3 = 0\nt.a.y: t.a.y - 2*t.a.u = 0\nt.b.y: t.b.y - 2*t.b.u = 0\nconnect(t.u,t.a.u): t.u - t.a.u = 0\nconnect(t.a.y,t.b.u): t.a.y - t.b.u = 0\nconnect(t.y,t.b.y): t.y - t.b.y = 0\n"},
      {"input u[2]\ng[2] : Gain\nconnect u, g.u\n", "g[1].y: g[1].y - 2*g[1].u = 0\ng[2].y: g[2].y - 2*g[2].u = 0\nconnect(u[1],g[1].u): u[1] - g[1].u = 0\nconnect(u[2],g[2].u): u[2] - g[2].u = 0\n"},
      {"model C\n  input u if false\n  output y = 1\nend\ns : Src\nc : C\nconnect s.y, c.u\n", "s.y: s.y - time = 0\nc.y: c.y - 1 = 0\n"},
  };
  for (const ConnectRow& row : rows) check(blocks, row);

  const auto m = elaborate("connector P\n  parameter m = 3\n  potential v\nend\nmodel A\n  p : P\nend\na : A\nb : A\nconnect a.p, b.p\n");
  INFO(m.all_messages());
  REQUIRE(m.good());
  CHECK(m.result.top->assertions.size() == 1);
}

TEST_CASE("connect: signals of types that differ") {
  const std::string types[] = {"Real", "Integer", "Boolean", "S"};
  const std::string values[] = {"time", "1", "time > 1", "S.A"};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t k = 0; k < 4; ++k) {
      CAPTURE(types[i] + " to " + types[k]);
      const bool fits = i == k || (i == 1 && k == 0);
      const std::string blocks = "enum S A, B\nmodel Out\n  output y : " + types[i] + " = " + values[i] + "\nend\nmodel In\n  input u : " + types[k] + "\nend\n";
      const std::string as_signal = "a : Out\nb : In\n";
      for (const char* line : {"connect a.y, b.u\n", "connect b.u, a.y\n"}) {
        const auto m = elaborate(blocks + as_signal + line);
        INFO(m.all_messages());
        CHECK(m.messages() == std::string(fits ? "" : "E0221 10:1"));
        const std::string want = "`a.y` is of type " + types[i] + ", and `b.u` of type " + types[k];
        if (!fits) CHECK(m.result.diagnostics.list().front().message == want);
      }
      const std::string connectors = "enum S A, B\nconnector P\n  output y : " + types[i] + "\nend\nconnector Q\n  input y : " + types[k] +
                                     "\nend\nmodel Out\n  p : P\n  p.y = " + values[i] + "\nend\nmodel In\n  p : Q\nend\na : Out\nb : In\n";
      for (const char* line : {"connect a.p, b.p\n", "connect b.p, a.p\n"}) {
        const auto m = elaborate(connectors + line);
        INFO(m.all_messages());
        CHECK(m.messages() == std::string(fits ? "" : "E0221 17:1"));
      }
    }
}

TEST_CASE("outer components") {
  const std::string world = "model World\n  parameter g = 9.81\n  parameter n[2] = {0, 1}\n  variable w = 3\n  parameter kind : Integer = 1\nend\n";
  const std::string body = "model Body\n  outer world : World\n  variable f = world.g * world.w\n  variable x[world.kind]\nend\n";
  SUBCASE("the nearest one") {
    const auto m = elaborate(world + body + "world : World(g = 5, kind = 2)\nb : Body\n");
    INFO(m.all_messages());
    REQUIRE(m.good());
    CHECK(m.messages().empty());
    CHECK(m.variables() == "world.g world.n[1] world.n[2] world.w world.kind b.f b.x[1] b.x[2] b.world.g b.world.w b.world.kind");
    CHECK(m.bindings().find("b.world.g := world.g") != std::string::npos);
    CHECK(m.equations() == "world.w: world.w - 3 = 0\nb.f: b.f - b.world.g*b.world.w = 0\nconnect(world.w,b.world.w): world.w - b.world.w = 0\n");
  }
  SUBCASE("a default one, with a note") {
    const auto m = elaborate(world + body + "b : Body\nc : Body\n");
    INFO(m.all_messages());
    REQUIRE(m.good());
    CHECK(m.notes() == "N0210 8:9");
    CHECK(m.variables().find(" world.g") != std::string::npos);
  }
  SUBCASE("through a class that does not name it") {
    const auto m = elaborate(world + body + "model Pair\n  a : Body\n  b : Body\nend\nmodel System\n  world : World(g = 1)\n  p : Pair\nend\ns : System\nworld : World(g = 2)\n");
    INFO(m.all_messages());
    REQUIRE(m.good());
    CHECK(m.bindings().find("s.p.a.world.g := s.p.world.g") != std::string::npos);
    CHECK(m.bindings().find("s.p.world.g := s.world.g") != std::string::npos);
  }
  SUBCASE("its connectors") {
    const auto m = elaborate(pins + "model World\n  p : Pin\n  p.v = 0\nend\nmodel Load\n  outer world : World\n  r : R\n  connect world.p, r.p\nend\nworld : World\na : Load\nb : Load\n");
    INFO(m.all_messages());
    REQUIRE(m.good());
    CHECK(m.equations().find("sum(world.p.i): world.p.i + a.world.p.i + b.world.p.i = 0") != std::string::npos);
    CHECK(m.equations().find("sum(a.r.p.i): a.r.p.i - a.world.p.i = 0") != std::string::npos);
  }
}

TEST_CASE("over-determined connectors") {
  const std::string frames =
      "record O\n  variable T[2]\n  function equal(a, b) = a.T[1] - b.T[1]\nend\nconnector Frame\n  potential r\n  potential R : O\n  flow f\nend\n"
      "model Bar\n  a, b : Frame\n  branch a.R, b.R\n  if rooted(a.R)\n    b.R = a.R\n  else\n    a.R = b.R\n  end\n  a.r = b.r\n  a.f + b.f = 0\nend\n"
      "model Fixed\n  b : Frame\n  root b.R\n  b.r = 0\n  b.R = O({1, 0})\nend\n";
  SUBCASE("a chain") {
    const auto m = elaborate(frames + "f : Fixed\nx : Bar\ny : Bar\nconnect f.b, x.a\nconnect x.b, y.b\n");
    INFO(m.all_messages());
    REQUIRE(m.good());
    CHECK(m.equations().find("x.e1[1]: x.b.R.T[1] - x.a.R.T[1] = 0") != std::string::npos);
    CHECK(m.equations().find("y.e2[1]: y.a.R.T[1] - y.b.R.T[1] = 0") != std::string::npos);  // turned round
  }
  SUBCASE("without a branch: whether the record is the root itself") {
    const std::string part = "model Part\n  b : Frame\n  root b.R, 5\n  b.r = if rooted(b.R) then 1 else 2\n  b.f = 0\nend\n";
    for (const auto& [text, equation] : {std::pair{"p : Part\n", "p.b.r - 1"}, {"p : Part\nf : Fixed\nconnect f.b, p.b\n", "p.b.r - 2"}}) {
      const auto m = elaborate(frames + part + text);
      INFO(m.all_messages());
      INFO(m.equations());
      REQUIRE(m.good());
      CHECK(m.equations().find(equation) != std::string::npos);
    }
  }
  SUBCASE("through an outer component") {
    const std::string part = "model Part\n  b : Frame\n  root b.R, 5\n  b.r = if rooted(b.R) then 1 else 2\n  b.f = 0\nend\nmodel Box\n  outer f : Fixed\n  p : Part\n  connect f.b, p.b\nend\n";
    const auto m = elaborate(frames + part + "f : Fixed\nx : Box\n");
    INFO(m.all_messages());
    INFO(m.equations());
    REQUIRE(m.good());
    CHECK(m.equations().find("x.p.b.r - 2") != std::string::npos);
  }
  SUBCASE("a loop is closed by residuals") {
    const auto m = elaborate(frames + "f : Fixed\nx : Bar\ny : Bar\nz : Bar\nconnect f.b, x.a\nconnect x.b, y.a\nconnect y.b, z.a\nconnect z.b, f.b\n");
    INFO(m.all_messages());
    REQUIRE(m.good());
    std::size_t residuals = 0;
    for (const auto& e : m.result.top->equations) residuals += e.origin == kron::model::EquationOrigin::connection;
    CHECK(residuals == 1);
    CHECK(m.equations().find("y.b.R.T[1] - z.a.R.T[1] = 0") != std::string::npos);  // at the far side, whichever connection is last
    CHECK(m.equations().find("y.b.R.T[2] - z.a.R.T[2]") == std::string::npos);
    CHECK(m.equations().find("y.b.r - z.a.r") != std::string::npos);
  }
  SUBCASE("connections in a loop are those that somebody writes out, also where the graph breaks one") {
    const std::string parts = frames + "f : Fixed\nx[4] : Bar\nvariable more = time\nconnect f.b, x[1].a\nconnect f.b, x[4].b\n";
    const auto loop = elaborate(parts + "for k in 1:3\n  connect x[k].b, x[k + 1].a\nend\n");
    const auto written = elaborate(parts + "connect x[1].b, x[2].a\nconnect x[2].b, x[3].a\nconnect x[3].b, x[4].a\n");
    REQUIRE(written.good());
    CHECK(loop.equations() == written.equations());
    CHECK(written.equations().find("x[2].b.R.T[1] - x[3].a.R.T[1] = 0") != std::string::npos);
    CHECK(written.equations().find("x[2].b.R.T[2] - x[3].a.R.T[2]") == std::string::npos);
  }
  SUBCASE("a row of loops is cut loop by loop, in whatever order it is written") {
    // f - x - y - z - f, and y - u - z: the shortest ways leave y - z and u's far end.
    std::vector<std::string> statements = {"connect u.b, z.b", "connect z.a, f.b", "connect y.b, z.b", "connect y.b, u.a", "connect x.b, y.a", "connect f.b, x.a"};
    for (int turn = 0; turn < 6; ++turn) {
      CAPTURE(turn);
      std::string text = frames + "f : Fixed\nx, y, z, u : Bar\n";
      for (const std::string& s : statements) text += s + "\n";
      const auto m = elaborate(text);
      INFO(m.all_messages());
      INFO(m.equations());
      REQUIRE(m.good());
      std::size_t residuals = 0;
      for (const auto& e : m.result.top->equations) residuals += e.origin == kron::model::EquationOrigin::connection;
      CHECK(residuals == 2);
      CHECK(m.equations().find("x.a.R.T[1] - f.b.R.T[1] = 0") == std::string::npos);
      CHECK(m.equations().find("z.a.R.T[1] - f.b.R.T[1] = 0") == std::string::npos);
      std::rotate(statements.begin(), statements.begin() + 1, statements.end());
    }
  }
  SUBCASE("a candidate gives way to connections, wherever it stands") {
    const std::string ball =
        "model Ball\n  a, b : Frame\n  variable c\n  branch a.R, b.R, 1\n  if rooted(a.R) and rooted(b.R)\n    c = 3\n"
        "  elseif rooted(a.R)\n    c = 1\n"
        "    b.R = a.R\n  else\n    c = 2\n    a.R = b.R\n  end\n  a.r = b.r\n  a.f + b.f = 0\nend\n";
    const std::pair<const char*, const char*> rows[] = {
        {"f : Fixed\nx : Ball\nconnect f.b, x.a\n", "x.c - 1 = 0"},
        {"x : Ball\nf : Fixed\nconnect f.b, x.b\n", "x.c - 2 = 0"},
        {"f : Fixed\nx : Ball\ny : Bar\nconnect f.b, x.a\nconnect x.b, y.a\nconnect y.b, f.b\n", "x.c - 3 = 0"},
        {"f : Fixed\ny : Bar\nx : Ball\nconnect y.b, f.b\nconnect x.a, y.a\nconnect f.b, x.b\n", "x.c - 3 = 0"},
        {"f : Fixed\nx : Ball\ny : Ball\nconnect f.b, x.a, y.b\nconnect x.b, y.a\n", "y.c - 3 = 0"}};
    for (const auto& [text, equation] : rows) {
      const auto m = elaborate(frames + ball + text);
      INFO(m.all_messages());
      INFO(m.equations());
      REQUIRE(m.good());
      CHECK(m.equations().find(equation) != std::string::npos);
      for (const auto& e : m.result.top->equations) CHECK(e.origin != kron::model::EquationOrigin::connection);
    }
  }
}
