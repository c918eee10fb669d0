// What an elaborator has kept of a component of the workspace (KeptComponent), and of a loop of connections (KeptLoop), is what it would come
// to.
#include <doctest/doctest.h>

#include "support.hpp"

namespace kron::test {

namespace {

struct Edit {
  std::string name;
  std::vector<std::string> parts;  // statements behind the classes
};

// One elaborator that goes from each to the next, against a new one.
void check_edits(const std::string& classes, const std::vector<Edit>& edits) {
  elaborate::Elaborator one(elaborate::Settings{});
  std::map<std::string, std::vector<syntax::StmtPtr>> parsed;  // a statement that stays is the same one
  const auto text_of = [&](const std::vector<std::string>& parts) {
    std::vector<syntax::StmtPtr> list;
    const auto add = [&](const std::string& text) {
      auto& own = parsed[text];
      if (own.empty()) own = statements(text + "\n");
      list.insert(list.end(), own.begin(), own.end());
    };
    add(classes);
    for (const std::string& part : parts) add(part);
    return list;
  };
  const auto of = [](elaborate::Elaborator& e, const std::vector<syntax::StmtPtr>& list) {
    Model m;
    m.result = e.elaborate(list, "");
    Diagnostics ignored;
    if (m.good()) m.flat = flatten(m.result.top, ignored);
    return m;
  };
  for (const Edit& edit : edits) {
    CAPTURE(edit.name);
    const auto list = text_of(edit.parts);
    elaborate::Elaborator another(elaborate::Settings{});
    const Model x = of(one, list), y = of(another, list);
    REQUIRE(x.good() == y.good());
    CHECK(x.all_messages() == y.all_messages());
    CHECK(x.variables() == y.variables());
    CHECK(x.equations() == y.equations());
    CHECK(x.initial() == y.initial());
    CHECK(x.bindings() == y.bindings());
    CHECK(x.flat.flags == y.flat.flags);
    if (x.good()) CHECK(x.result.top->key == y.result.top->key);
  }
}

}  // namespace

TEST_CASE("kept components: edits in one elaborator give what a new one gives") {
  const char* const classes =
      "connector Pin\n  potential v\n  flow i\nend\n"
      "model Part\n  p : Pin\n  parameter k = 1\n  parameter n = 1\n  final parameter twice = 2 * k\n  variable x[n](start = 3)\n"
      "  for j in 1:n\n    x[j] = k * p.v\n  end\n  p.i = twice * p.v\nend\n"
      "model Other\n  p : Pin\n  parameter k = 7\n  p.i = k * p.v\nend\n"
      "model Deep\n  other : Other\nend\n"
      "model World\n  parameter heavy = true\n  parameter g = 9.81\nend\n"
      "model Body\n  outer world : World\n  p : Pin\n  parameter m = 1\n  if world.heavy\n    p.i = m * world.g\n  else\n    p.v = 0\n  end\nend\n";
  const char* const growing = "model Part\n  variable before[2] = {1, 2}\n  p : Pin\n  parameter k = 1\n  p.i = k * p.v\nend";
  check_edits(classes, {
      {"as it is", {"world : World", "a : Part(k = 2)", "b : Part(n = 2, x(start = {1, 2}))", "c : Body(m = 3)", "connect a.p, b.p", "connect b.p, c.p"}},
      {"once more", {"world : World", "a : Part(k = 2)", "b : Part(n = 2, x(start = {1, 2}))", "c : Body(m = 3)", "connect a.p, b.p", "connect b.p, c.p"}},
      {"one before all others", {"before : Part", "world : World", "a : Part(k = 2)", "b : Part(n = 2, x(start = {1, 2}))", "c : Body(m = 3)", "connect a.p, b.p", "connect b.p, c.p"}},
      {"one goes", {"world : World", "b : Part(n = 2, x(start = {1, 2}))", "c : Body(m = 3)", "connect b.p, c.p"}},
      {"and comes back, in another order", {"c : Body(m = 3)", "b : Part(n = 2, x(start = {1, 2}))", "a : Part(k = 2)", "world : World", "connect a.p, b.p"}},
      {"assignments", {"world : World", "a : Part(k = 2)", "b : Part(n = 2, x(start = {1, 2}))", "c : Body(m = 3)", "a.k := 5", "b.n := 2", "b.x[2].start := 8"}},
      {"assignments go", {"world : World", "a : Part(k = 2)", "b : Part(n = 2, x(start = {1, 2}))", "c : Body(m = 3)"}},
      {"an outer component that says something else", {"world : World(heavy = false)", "a : Part(k = 2)", "c : Body(m = 3)"}},
      {"none: one with default values", {"a : Part(k = 2)", "c : Body(m = 3)"}},
      {"with a parameter of the workspace", {"parameter q = 2", "world : World", "a : Part(k = q)", "b : Part(n = q)", "c : Body(m = 3)"}},
      {"which changes", {"parameter q = 3", "world : World", "a : Part(k = q)", "b : Part(n = q)", "c : Body(m = 3)"}},
      {"a class that hides the other", {"model Part extends Other\n  variable more = 1\nend", "world : World", "a : Part(k = 2)", "c : Body(m = 3)"}},
      {"a class changes", {"model World\n  parameter heavy = true\n  parameter g = 1.6\n  variable t = time\nend", "world : World", "a : Part(k = 2)", "c : Body(m = 3)"}},
      {"a final modification", {"world : World", "a : Part(final k = 2)", "a.n := 2"}},
      {"a final one that is overridden", {"world : World", "a : Part(final k = 2)", "a.k := 5"}},
      {"a condition", {"world : World", "a : Part(k = 2) if false", "b : Part(n = 2, x(start = {1, 2}))"}},
      {"an array", {"world : World", "a[3] : Part(k = 2)", "b : Part(n = 2, x(start = {1, 2}))"}},
      {"an error", {"world : World", "a : Part(k = 2, nothing = 3)", "b : Part(n = 2, x(start = {1, 2}))"}},
      {"the same error", {"world : World", "a : Part(k = 2, nothing = 3)", "b : Part(n = 2, x(start = {1, 2}))"}},
      {"connected", {"a : Part(k = 2)", "d : Other", "e : Deep", "connect a.p, d.p", "connect e.other.p, d.p"}},
      {"a class that grows before its connector", {growing, "a : Part(k = 2)", "d : Other", "e : Deep", "connect a.p, d.p", "connect e.other.p, d.p"}},
      {"and both ends", {growing, "model Other extends Part\nend", "a : Part(k = 2)", "d : Other", "e : Deep", "connect a.p, d.p", "connect e.other.p, d.p"}},
      {"whose connector is of another class", {"connector Clip\n  flow i\n  potential v\nend", "model Part\n  p : Clip\n  parameter k = 1\n  p.i = k * p.v\nend", "a : Part(k = 2)", "d : Other", "e : Deep", "connect a.p, d.p", "connect e.other.p, d.p"}},
      {"whose connector is private", {"model Part\n  private p : Pin\n  parameter k = 1\n  p.i = k * p.v\nend", "a : Part(k = 2)", "d : Other", "connect a.p, d.p"}},
      {"whose connectors are an array", {"model Part\n  p[2] : Pin\n  parameter k = 1\n  p[1].i = k * p[1].v\n  p[2].i = k * p[2].v\nend", "a : Part(k = 2)", "d : Other", "connect a.p, d.p"}},
      {"whose connector is absent", {"model Part\n  p : Pin if false\n  parameter k = 1\nend", "a : Part(k = 2)", "d : Other", "connect a.p, d.p"}},
      {"as it was", {"a : Part(k = 2)", "d : Other", "e : Deep", "connect a.p, d.p", "connect e.other.p, d.p"}},
      {"a part that is used elsewhere", {"world : World", "a : Part(k = 2, n = 3)", "variable y[a.n] = a.x"}},
  });
}

TEST_CASE("kept loops: edits in one elaborator give what a new one gives") {
  const char* const classes =
      "connector Pin\n  potential v\n  flow i\nend\n"
      "record Turn\n  variable T[2]\n  function equal(a, b) = a.T[1] - b.T[1]\nend\n"
      "connector Frame\n  potential r\n  potential R : Turn\n  flow f\nend\n"
      "model Part\n  p, n : Pin\n  parameter k = 1\n  p.i = k * (p.v - n.v)\n  p.i + n.i = 0\nend\n"
      "model Two\n  p, n : Pin\n  d[2] : Pin\n  for k in 1:2\n    d[k].i = d[k].v\n  end\n  p.i + n.i = 0\n  p.v = n.v\nend\n"
      "model Sized\n  parameter m = 1\n  variable w[m] = fill(time, m)\n  p : Pin\n  p.i = p.v\nend\n"
      "model Bar\n  a, b : Frame\n  branch a.R, b.R\n  a.f + b.f = 0\n  if rooted(a.R)\n    b.R.T = a.R.T\n  else\n    a.R.T = b.R.T\n  end\n  b.r = a.r + 1\nend\n"
      "model Base\n  a : Frame\n  root a.R\n  a.r = 0\n  a.R.T = {1, 0}\nend\n";
  const std::string row = "for k in 1:5\n  connect x[k].n, x[k + 1].p\nend", pairs = "for k in 1:6\n  connect x[k].p, y[7 - k].p\n  connect g.p, x[k].n\nend",
                    bars = "for k in 1:3\n  connect b[k].b, b[k + 1].a\nend", ring = "for k in 1:4\n  connect b[k].b, b[mod(k, 4) + 1].a\nend",
                    sized = "for k in 1:3\n  connect s[k].p, g.p\nend", own = "parameter n = 5\nfor k in 1:n\n  connect x[k].n, x[k + 1].p\nend",
                    both = "for k in 1:3\n  connect b[k].b, b[k + 1].a\n  connect x[k].n, x[k + 1].p\nend";
  const std::string column = "for k in 1:2\n  connect x[k, 2].n, g.p\nend", fans = "for k in 1:3\n  connect x[k].d, y[k].d\nend";
  check_edits(classes, {
      {"a row", {"x[6] : Part", row}},
      {"as it is", {"x[6] : Part", row}},
      {"a variable of the model, before all components", {"variable more = time", "x[6] : Part", row}},
      {"a component before", {"variable more = time", "g : Part", "x[6] : Part", row}},
      {"two arrays and a component", {"g : Part", "x[6] : Part", "y[6] : Part", pairs}},
      {"which trade places", {"y[6] : Part", "g : Part", "x[6] : Part", pairs}},
      {"one more loop", {"y[6] : Part", "g : Part", "x[6] : Part", pairs, row}},
      {"the other one alone", {"y[6] : Part", "x[6] : Part", row}},
      {"a longer array", {"y[6] : Part", "x[7] : Part", row}},
      {"a shorter one", {"x[4] : Part", row}},
      {"another class", {"x[6] : Sized", row}},
      {"as before", {"x[6] : Part", row}},
      {"connected before", {"x[6] : Part", "connect x[2].n, x[3].p", row}},
      {"and behind", {"x[6] : Part", row, "connect x[3].p, x[2].n"}},
      {"an array of two dimensions", {"g : Part", "x[2, 6] : Part", column}},
      {"as many in another shape", {"g : Part", "x[3, 4] : Part", column}},
      {"of one dimension", {"g : Part", "x[12] : Part", column}},
      {"too narrow", {"g : Part", "x[12, 1] : Part", column}},
      {"arrays of connectors", {"x[3] : Two", "y[3] : Two", fans}},
      {"of which one is connected again", {"x[3] : Two", "y[3] : Two", fans, "connect x[2].d[2], y[2].d[2]"}},
      {"and before", {"x[3] : Two", "y[3] : Two", "connect x[2].d[2], y[2].d[2]", fans}},
      {"of components", {"x : Two", "y : Two", "connect x.d, y.d"}},
      {"of which one is connected once more", {"x : Two", "y : Two", "connect x.d, y.d", "connect x.d[2], y.d[2]"}},
      {"elements that differ", {"g : Part", "s[3] : Sized(m = {1, 2, 3})", sized}},
      {"in another way", {"g : Part", "s[3] : Sized(m = {2, 2, 1})", sized}},
      {"a parameter of the model says how many", {"x[6] : Part", own}},
      {"a component of that name no more", {"variable x[6] = fill(time, 6)", row}},
      {"frames", {"w : Base", "b[4] : Bar", "connect w.a, b[1].a", bars}},
      {"behind a part more", {"variable more = time", "z : Bar", "w : Base", "b[4] : Bar", "connect w.a, z.a", "connect z.b, b[1].a", bars}},
      {"held at the other end", {"w : Base", "b[4] : Bar", bars, "connect b[4].b, w.a"}},
      {"and moved by a variable", {"variable more = time", "w : Base", "b[4] : Bar", bars, "connect b[4].b, w.a"}},
      {"a loop of them", {"w : Base", "b[4] : Bar", "connect w.a, b[1].a", ring}},
      {"closed from outside", {"w : Base", "b[4] : Bar", "connect w.a, b[1].a", bars, "connect w.a, b[4].b"}},
      {"no more", {"w : Base", "b[4] : Bar", "connect w.a, b[1].a", bars}},
      {"closed from outside, before", {"w : Base", "b[4] : Bar", "connect w.a, b[1].a", "connect w.a, b[4].b", bars}},
      {"open again", {"w : Base", "b[4] : Bar", "connect w.a, b[1].a", bars}},
      {"statements with and without records", {"w : Base", "b[4] : Bar", "x[4] : Part", "connect w.a, b[1].a", both}},
      {"moved by a variable", {"variable more = time", "w : Base", "b[4] : Bar", "x[4] : Part", "connect w.a, b[1].a", both}},
  });
}

TEST_CASE("kept components: they count as classes that are used again") {
  elaborate::Elaborator e(elaborate::Settings{});
  auto list = statements("model Part\n  parameter k = 1\n  variable x = k\nend\na : Part(k = 2)\nb : Part(k = 3)\n");
  CHECK(e.elaborate(list, "").classes_elaborated == 1);
  list.push_back(statements("c : Part(k = 4)\n").front());
  const auto r = e.elaborate(list, "");
  CHECK(r.classes_elaborated == 0);
  CHECK(r.classes_reused == 3);
}

}  // namespace kron::test
