// Blueprints to flat models: instances, connection sets, derivatives, bindings.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/model/flat_model.hpp"
#include "tests/model/support.hpp"
#include "tests/support/blueprints.hpp"

using namespace kron;
using namespace kron::model;
using namespace kron::model::testing;
using kron::test::Maker;
using kron::test::pin;

namespace {

FlatModel flat(const std::shared_ptr<const Blueprint>& top) {
  Diagnostics d;
  FlatModel m = flatten(top, d);
  CHECK_FALSE(d.has_errors());
  return m;
}

std::vector<std::string> equations(const FlatModel& m, std::uint32_t from = 0) {
  std::vector<std::string> out;
  for (std::uint32_t e = from; e < m.equations.size(); ++e) out.push_back(label(m, EqId{e}) + ": " + print(m, EqId{e}));
  return out;
}

std::vector<std::string> connections(const FlatModel& m) { return equations(m, m.connection_equations); }

// A connector pair at slots a and b; `a_out`, `b_out`: they belong to the class itself.
void join(Maker& m, std::uint32_t a, std::uint32_t b, bool a_out = false, bool b_out = false) {
  m.connect({{a, b}}, {{{a + 1, a_out}, {b + 1, b_out}}});
}

std::shared_ptr<const Blueprint> two_pins(const std::string& name) {
  Maker m(name);
  m.child("p", {}, pin());
  m.child("n", {}, pin());
  return m.done();
}

}  // namespace

TEST_CASE("connections: inside, outside, unconnected") {
  Maker m("Top");  // a.n to b.p and c.p; c.n and a.p free
  const auto part = two_pins("Part");
  const auto a = m.child("a", {}, part), b = m.child("b", {}, part), c = m.child("c", {}, part);
  join(m, a + 2, b);
  join(m, b, c);
  CHECK(connections(flat(m.done())) == std::vector<std::string>{
                                           "connect(a.n.v,b.p.v): a.n.v - b.p.v = 0", "connect(a.n.v,c.p.v): a.n.v - c.p.v = 0",
                                           "open(a.p.i): a.p.i = 0", "sum(a.n.i): a.n.i + b.p.i + c.p.i = 0", "open(b.n.i): b.n.i = 0",
                                           "open(c.n.i): c.n.i = 0"});
}

TEST_CASE("connections: a component's own connector enters negatively") {
  Maker inner("Inner");  // own connector p, a part q whose pins are tied to p and to nothing
  const auto p = inner.child("p", {}, pin()), q = inner.child("q", {}, two_pins("Part"));
  join(inner, p, q, true, false);
  Maker m("Top");
  const auto x = m.child("x", {}, inner.done()), y = m.child("y", {}, pin());
  join(m, x, y);
  CHECK(connections(flat(m.done())) == std::vector<std::string>{
                                           "connect(x.p.v,x.q.p.v): x.p.v - x.q.p.v = 0", "connect(x.p.v,y.v): x.p.v - y.v = 0",
                                           "sum(x.p.i): x.p.i + y.i = 0", "sum(-x.p.i): -x.p.i + x.q.p.i = 0", "open(x.q.n.i): x.q.n.i = 0"});
  Maker alone("Alone");  // nothing outside: the own connector's flow is zero, and so the sum inside
  alone.child("x", {}, inner.b);
  CHECK(connections(flat(alone.done())) == std::vector<std::string>{"connect(x.p.v,x.q.p.v): x.p.v - x.q.p.v = 0", "open(x.p.i): x.p.i = 0",
                                                                    "sum(-x.p.i): -x.p.i + x.q.p.i = 0", "open(x.q.n.i): x.q.n.i = 0"});
}

TEST_CASE("connections: two own connectors, a connector to itself, statements twice and crosswise") {
  Maker through("Through");
  const auto p = through.child("p", {}, pin()), n = through.child("n", {}, pin());
  join(through, p, n, true, true);
  join(through, n, p, true, true);
  CHECK(connections(flat(through.done())) == std::vector<std::string>{"connect(p.v,n.v): p.v - n.v = 0", "open(p.i): p.i = 0",
                                                                      "sum(-p.i): -p.i - n.i = 0", "open(n.i): n.i = 0"});
  Maker self("Self");
  const auto a = self.child("a", {}, pin());
  join(self, a, a);
  CHECK(connections(flat(self.done())) == std::vector<std::string>{"sum(a.i): a.i = 0"});
  Maker ring("Ring");
  const auto r1 = ring.child("r", {1}, pin()), r2 = ring.child("r", {2}, pin()), r3 = ring.child("r", {3}, pin());
  join(ring, r1, r2);
  join(ring, r2, r3);
  join(ring, r3, r1);
  CHECK(connections(flat(ring.done())) == std::vector<std::string>{"connect(r[1].v,r[2].v): r[1].v - r[2].v = 0",
                                                                   "connect(r[1].v,r[3].v): r[1].v - r[3].v = 0",
                                                                   "sum(r[1].i): r[1].i + r[2].i + r[3].i = 0"});
}

TEST_CASE("connections: sums of any length have the sign of each side") {
  for (std::uint32_t n = 1; n <= 12; ++n) {
    CAPTURE(n);
    Maker own("Own");
    const auto p = own.child("p", {}, pin());
    std::vector<std::uint32_t> inner;
    for (std::uint32_t k = 1; k <= n; ++k) {
      inner.push_back(own.child("r", {k}, pin()));
      join(own, p, inner.back(), true);
    }
    const FlatModel m = flat(own.done());
    std::size_t long_ones = 0;
    for (std::uint32_t e = m.connection_equations; e < m.equations.size(); ++e) {
      const auto& row = forms().integer_row(m.equations[e].form);
      const auto ops = m.bound(m.equations[e]);
      REQUIRE(row);
      if (!m.connection_info[e - m.connection_equations].flow || ops.size() != n + 1) continue;
      ++long_ones;
      for (std::size_t k = 0; k < ops.size(); ++k) CHECK(row->coefficient[k] == (ops[k].index() == p + 1 ? -1 : 1));
    }
    CHECK(long_ones == 1);
  }
}

TEST_CASE("connections: signals are equal, and a connected input is no input any more") {
  Maker block("Block");
  const auto u = block.own("u", Variability::continuous, SlotFlag::input), y = block.own("y", Variability::continuous, SlotFlag::output);
  block.equation(block.v(y), block.v(u));
  Maker m("Top");
  const auto top_u = m.own("u", Variability::continuous, SlotFlag::input);
  const auto other = m.own("w", Variability::continuous, SlotFlag::input);
  const auto a = m.child("a", {}, block.done()), b = m.child("b", {}, block.b), c = m.child("c", {}, block.b);
  Connection x;
  x.signals = {{a + y, b + u}, {other, a + u}};
  m.b->connections.push_back(x);
  const FlatModel f = flat(m.done());
  CHECK(connections(f) == std::vector<std::string>{"connect(w,a.u): w - a.u = 0", "connect(a.y,b.u): a.y - b.u = 0"});
  auto is_input = [&](std::uint32_t s) { return (f.flags[s] & SlotFlag::input) != 0; };
  CHECK(is_input(top_u));
  CHECK_FALSE(is_input(other));  // an input of the top that is connected is determined by the set
  CHECK_FALSE(is_input(a + u));
  CHECK_FALSE(is_input(b + u));
  CHECK_FALSE(is_input(c + u));  // of a component: an unknown without equation, for the analysis to report
  CHECK((f.flags[a + y] & SlotFlag::output) != 0);
}

namespace {

// A random tree of components with pins of their own, connected at random at every level; `joins` receives each connection as
// absolute slots of the potentials with the sides of the flows.
struct Joined { std::uint32_t a, b; bool a_out, b_out; };

struct RandomTree {
  Random& random;
  std::shared_ptr<const Blueprint> make(int depth, std::vector<Joined>& joins) {
    Maker m("C" + std::to_string(depth));
    std::vector<std::pair<std::uint32_t, bool>> ends;  // potential, own
    m.own("x");
    for (std::uint32_t k = 0, n = below(random, 3); k < n; ++k) ends.emplace_back(m.child("p", {k + 1}, pin()), true);
    for (std::uint32_t k = 0, n = depth == 0 ? 0 : below(random, 4); k < n; ++k) {
      std::vector<Joined> inner;
      const auto type = make(depth - 1, inner);
      const auto base = m.child("c", {k + 1}, type);
      for (Joined j : inner) joins.push_back({j.a + base, j.b + base, j.a_out, j.b_out});
      for (const Child& c : type->children)
        if (c.name == Name("p")) ends.emplace_back(base + c.slot_base, false);
    }
    for (std::size_t k = 0, n = ends.empty() ? 0 : below(random, 5); k < n; ++k) {
      const auto [a, a_out] = ends[random() % ends.size()];
      const auto [b, b_out] = ends[random() % ends.size()];
      join(m, a, b, a_out, b_out);
      joins.push_back({a, b, a_out, b_out});
    }
    return m.done();
  }
};

// Sets by merging lists, the slow way.
template <class T>
std::set<std::set<T>> merged(const std::vector<std::pair<T, T>>& pairs, const std::vector<T>& all) {
  std::vector<std::set<T>> sets;
  for (const T& x : all) sets.push_back({x});
  for (const auto& [a, b] : pairs) {
    auto of = [&](const T& x) { return std::find_if(sets.begin(), sets.end(), [&](const auto& s) { return s.contains(x); }); };
    auto i = of(a), j = of(b);
    if (i == j) continue;
    i->insert(j->begin(), j->end());
    sets.erase(j);
  }
  return {sets.begin(), sets.end()};
}

}  // namespace

TEST_CASE("connections: random trees of components against sets merged the slow way") {
  Random random(61);
  for (int i = 0; i < 400; ++i) {
    std::vector<Joined> joins;
    const auto top = RandomTree{random}.make(3, joins);
    const FlatModel m = flat(top);
    using Flow = std::pair<std::uint32_t, int>;  // slot, sign
    std::vector<std::uint32_t> potentials;
    std::vector<Flow> flows;
    for (const Instance& inst : m.instances)
      if (inst.type == pin().get()) {
        potentials.push_back(inst.slot_base);
        flows.emplace_back(inst.slot_base + 1, 1);
      }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> equal;
    std::vector<std::pair<Flow, Flow>> together;
    for (const Joined& j : joins) {
      equal.emplace_back(j.a, j.b);
      const Flow a{j.a + 1, j.a_out ? -1 : 1}, b{j.b + 1, j.b_out ? -1 : 1};
      for (const Flow& f : {a, b})
        if (std::find(flows.begin(), flows.end(), f) == flows.end()) flows.push_back(f);
      together.emplace_back(a, b);
    }
    // Flow sets are the sums; the pairs of equal potentials merge to the sets of potentials, one pair less than members each.
    std::set<std::set<Flow>> sums;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    std::set<std::string> labels;
    for (std::uint32_t e = m.connection_equations; e < m.equations.size(); ++e) {
      REQUIRE(labels.insert(label(m, EqId{e})).second);
      const auto& row = forms().integer_row(m.equations[e].form);
      const auto ops = m.bound(m.equations[e]);
      REQUIRE(row);
      if (!m.connection_info[e - m.connection_equations].flow) {
        REQUIRE(ops.size() == 2);
        REQUIRE(row->coefficient[0] == -row->coefficient[1]);
        pairs.emplace_back(ops[0].index(), ops[1].index());
        continue;
      }
      std::set<Flow> sum;
      for (std::size_t k = 0; k < ops.size(); ++k) sum.emplace(ops[k].index(), static_cast<int>(row->coefficient[k]));
      REQUIRE(sums.insert(sum).second);
    }
    const auto expected = merged(equal, potentials);
    REQUIRE(sums == merged(together, flows));
    REQUIRE(merged(pairs, potentials) == expected);
    REQUIRE(pairs.size() == potentials.size() - expected.size());
  }
}

TEST_CASE("derivatives: variables of their own, in chains, wherever they occur") {
  Maker m("Top");
  const auto x = m.own("x"), y = m.own("y", Variability::continuous, 0, {2}), z = m.own("z");
  m.equation(m.v(x, 3), m.v(y + 1, 1));
  m.initial(m.v(z, 1), m.v(x));
  m.binding(BindingKind::start, x, m.v(y, 1));
  const FlatModel f = flat(m.done());
  REQUIRE(f.slots == 4);
  REQUIRE(f.variables() == 10);  // der(x) to the third, der(y[1]), der(y[2]), der(z)
  std::vector<std::string> names;
  for (std::uint32_t v = 0; v < f.variables(); ++v) names.push_back(name(f, VarId{v}));
  CHECK(names == std::vector<std::string>{"x", "y[1]", "y[2]", "z", "der(x)", "der(x,2)", "der(x,3)", "der(y[1])", "der(y[2])", "der(z)"});
  for (std::uint32_t v = 0; v < f.variables(); ++v) {
    CHECK(find(f, names[v]) == VarId{v});
    if (f.derivative[v] != FlatModel::none) CHECK(f.integral[f.derivative[v] - f.slots] == v);
    if (v >= f.slots) CHECK(f.derivative[f.integral[v - f.slots]] == v);
    CHECK(f.is_derivative(VarId{v}) == (v >= f.slots));
  }
  for (Operand o : f.operands) CHECK(o.order() == 0);
  CHECK(print(f, EqId{0u}) == "der(x,3) - der(y[2]) = 0");
  CHECK(group(f, VarId{2u}) == 1);
  CHECK(group(f, VarId{7u}) == group(f, VarId{8u}));
  CHECK(group(f, VarId{7u}) != group(f, VarId{2u}));
  CHECK(declaration(f, VarId{8u}).name == Name("y"));
  (void)z;
}

namespace {

// A tree with arrays of components, arrays of variables, empty ones among them, equations and initial equations at each level.
std::shared_ptr<const Blueprint> rich_tree() {
  Maker leaf("Leaf");
  const auto a = leaf.own("a", Variability::continuous, 0, {2, 3}), none = leaf.own("none", Variability::continuous, 0, {0}), s = leaf.own("s");
  leaf.equations({leaf.v(a), leaf.v(a + 1), leaf.v(a + 2), leaf.v(a + 3)}, {2, 2}, leaf.b->equations, "e");
  leaf.equation(leaf.v(s, 2), leaf.v(a + 5));
  leaf.initial(leaf.v(s), leaf.e.literal(0));
  leaf.initial(leaf.v(s, 1), leaf.e.literal(1));
  Maker empty("Empty");
  empty.child("p", {}, pin());
  Maker node("Node");
  const auto k = node.own("k", Variability::parameter);
  node.child("wrap", {}, empty.done());
  for (std::uint32_t i = 1; i <= 2; ++i)
    for (std::uint32_t j = 1; j <= 2; ++j) node.child("leaf", {i, j}, leaf.done());
  node.equation(node.v(k), node.e.literal(3));
  Maker top("Top");
  const auto t = top.own("t", Variability::continuous, 0, {4});
  for (std::uint32_t i = 1; i <= 3; ++i) top.child("node", {i}, node.done());
  top.child("last", {}, leaf.b);
  top.equation(top.v(t, 1), top.v(t + 3));
  top.initial(top.v(t), top.e.literal(0));
  (void)none;
  return top.done();
}

}  // namespace

TEST_CASE("names: every variable is found by its name, every equation has a label of its own") {
  const FlatModel m = flat(rich_tree());
  std::set<std::string> names, labels;
  std::set<std::uint64_t> keys;
  for (std::uint32_t v = 0; v < m.variables(); ++v) {
    const std::string n = name(m, VarId{v});
    CAPTURE(n);
    REQUIRE(names.insert(n).second);
    REQUIRE(keys.insert(key(m, VarId{v})).second);
    REQUIRE(find(m, n) == VarId{v});
    const std::uint32_t inst = v < m.slots ? instance_of(m, SlotId{v}) : 0;
    if (v < m.slots) REQUIRE(n.starts_with(path(m, inst)));
  }
  for (std::uint32_t e = 0; e < m.equations.size(); ++e) {
    REQUIRE(labels.insert(label(m, EqId{e})).second);
    if (e < m.connection_equations) REQUIRE(label(m, EqId{e}).starts_with(path(m, instance_of(m, EqId{e}))));
    REQUIRE(group(m, EqId{e}) <= e);
  }
  std::set<std::string> initial;
  for (std::uint32_t e = 0; e < m.initial_equations.size(); ++e) REQUIRE(initial.insert(initial_label(m, e)).second);
  CHECK(m.initial_equations.size() == 1 + 13 * 2);
  CHECK(names.contains("node[2].leaf[1,2].a[2,3]"));
  CHECK(names.contains("der(node[3].leaf[2,2].s,2)"));
  CHECK(names.contains("last.s"));
  CHECK(labels.contains("node[2].leaf[1,2].e1[2,1]"));
  CHECK(initial.contains("node[3].leaf[2,1].i4"));
}

TEST_CASE("names: what find() takes and what it refuses") {
  const FlatModel m = flat(rich_tree());
  const struct { std::string text; std::string found; } rows[] = {
      {"t", "t[1]"}, {"t[3]", "t[3]"}, {"t[ 3 ]", "t[3]"}, {"last.a", "last.a[1,1]"}, {"last.a[2,3]", "last.a[2,3]"}, {"last.a[2, 3]", "last.a[2,3]"},
      {"der(t)", "der(t[1])"}, {"der(last.s)", "der(last.s)"}, {"der(last.s,1)", "der(last.s)"}, {"der(last.s, 2)", "der(last.s,2)"},
      {"der(der(last.s))", "der(last.s,2)"}, {"der(last.s,0)", "last.s"},
      {"t[0]", ""}, {"t[5]", ""}, {"t[1,1]", ""}, {"t[]", ""}, {"t[1", ""}, {"t]", ""}, {"t[1]x", ""}, {"t[1 2]", ""}, {"t[x]", ""}, {"t[-1]", ""},
      {"t[99999999999999999999]", ""}, {"last.a[1]", ""}, {"last.a[,1]", ""}, {"last.a[1,]", ""}, {"last.a[1][2]", ""}, {"last", ""}, {"last.", ""}, {".t", ""}, {"", ""},
      {"last..a", ""}, {"last.none", ""}, {"node.k", ""}, {"node[1].k", "node[1].k"}, {"node[4].k", ""}, {"node[1].leaf[1].s", ""}, {"T", ""},
      {"der(last.s,3)", ""}, {"der(last.s,x)", ""}, {"der(last.s,)", ""}, {"der(last.s,2x)", ""}, {"der(last.s,-1)", ""}, {"der(node[1].k)", ""}, {"der()", ""}, {"der(", ""},
      {"der(last.a[1,2])", ""}, {"der(last.s,4294967295)", ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const auto v = find(m, row.text);
    CHECK((v ? name(m, *v) : "") == row.found);
  }
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "der(";
  CHECK_FALSE(find(m, deep + "t" + std::string(100000, ')')));
  CHECK_FALSE(find(m, std::string(100000, '.')));
}

TEST_CASE("keys: they depend on path and slot only") {
  auto build = [&](bool more) {
    Maker leaf("Leaf");
    if (more) leaf.own("new");
    const auto s = leaf.own("s", Variability::continuous, 0, {2});
    leaf.equation(leaf.v(s, 1), leaf.v(s + 1));
    Maker m("Top");
    if (more) m.child("before", {}, pin());
    m.child("a", {}, leaf.done());
    m.child("b", {1}, leaf.b);
    if (more) m.child("between", {}, leaf.b);
    m.child("b", {2}, leaf.b);
    return flat(m.done());
  };
  const FlatModel small = build(false), large = build(true);
  std::map<std::string, std::uint64_t> keys;
  for (std::uint32_t v = 0; v < large.variables(); ++v) keys[name(large, VarId{v})] = key(large, VarId{v});
  CHECK(keys.size() == large.variables());
  for (std::uint32_t v = 0; v < small.variables(); ++v) CHECK(key(small, VarId{v}) == keys.at(name(small, VarId{v})));
}

TEST_CASE("bindings: the outer one is the last") {
  Maker leaf("Leaf");
  const auto r = leaf.own("R", Variability::parameter);
  leaf.binding(BindingKind::value, r, leaf.e.literal(1));
  leaf.binding(BindingKind::start, r, leaf.e.literal(5));
  Maker middle("Middle");
  const auto k = middle.own("k", Variability::parameter);
  const auto a = middle.child("a", {}, leaf.done()), b = middle.child("b", {}, leaf.b);
  middle.binding(BindingKind::value, a + r, middle.e.literal(2));
  middle.binding(BindingKind::value, b + r, middle.e.mul(middle.e.literal(7), middle.v(k)));
  middle.binding(BindingKind::value, k, middle.e.literal(10));
  Maker top("Top");
  const auto m = top.child("m", {}, middle.done()), n = top.child("n", {}, middle.b);
  top.binding(BindingKind::value, m + a + r, top.e.literal(3));
  const FlatModel f = flat(top.done());
  std::map<std::pair<BindingKind, std::string>, std::string> last;
  for (const auto& x : f.bindings) {
    const Bound bound{x.form, {f.operands.begin() + x.first, f.operands.begin() + x.first + x.count}};
    last[{x.kind, name(f, VarId{x.slot})}] = print(bound, [&](Operand o) {
      return o.kind() == OperandKind::constant ? to_text(constant(ConstId{o.index()}).value) : name(f, VarId{o.index()});
    });
  }
  CHECK(f.bindings.size() == 4 * 2 + 2 * 3 + 1);
  CHECK(last.at({BindingKind::value, "m.a.R"}) == "3");
  CHECK(last.at({BindingKind::value, "m.b.R"}) == "7*m.k");
  CHECK(last.at({BindingKind::value, "n.a.R"}) == "2");
  CHECK(last.at({BindingKind::value, "n.b.R"}) == "7*n.k");
  CHECK(last.at({BindingKind::start, "n.b.R"}) == "5");
  CHECK(last.at({BindingKind::value, "n.k"}) == "10");
  (void)n;
}

TEST_CASE("instances: in preorder, with their own slots and equations") {
  const FlatModel m = flat(rich_tree());
  std::uint32_t slots = 0, own_equations = 0;
  for (std::size_t i = 0; i < m.instances.size(); ++i) {
    const Instance& x = m.instances[i];
    REQUIRE(x.slot_base == slots);
    slots += x.type->own_slots;
    own_equations += static_cast<std::uint32_t>(x.type->equations.size());
    if (i > 0) REQUIRE(x.parent < i);
    for (std::uint32_t s = 0; s < x.type->own_slots; ++s) REQUIRE(instance_of(m, SlotId{x.slot_base + s}) == i);
    for (std::uint32_t e = 0; e < x.type->equations.size(); ++e) REQUIRE(instance_of(m, EqId{x.equation_base + e}) == i);
  }
  CHECK(slots == m.slots);
  CHECK(own_equations == m.connection_equations);
  Maker nothing("Nothing");
  const FlatModel empty = flat(nothing.done());
  CHECK(empty.variables() == 0);
  CHECK(empty.equations.empty());
  CHECK_FALSE(find(empty, "x"));
}

TEST_CASE("large: 100,000 components") {
  Maker part("Part");
  const auto x = part.own("x"), k = part.own("k", Variability::parameter);
  const auto p = part.child("p", {}, pin()), n = part.child("n", {}, pin());
  part.equation(part.v(p + 1), part.v(n + 1));
  part.equation(part.e.mul(part.v(k), part.v(x, 1)), part.e.sub(part.v(p), part.v(n)));
  part.equation(part.v(x), part.v(p + 1));
  part.binding(BindingKind::value, k, part.e.literal(2));
  Maker m("Chain");
  constexpr std::uint32_t count = 100000;
  std::vector<std::uint32_t> base;
  for (std::uint32_t i = 1; i <= count; ++i) base.push_back(m.child("c", {i}, part.done()));
  for (std::uint32_t i = 1; i < count; ++i) join(m, base[i - 1] + n, base[i] + p);
  for (std::uint32_t i = 0; i < count; i += 2) join(m, base[i] + n, base[0] + p);  // one set of 100,000
  const auto top = m.done();
  const FlatModel f = flat(top);  // a quadratic method would take minutes
  CHECK(f.instances.size() == 3 * count + 1);
  CHECK(name(f, VarId{f.slots - 1}) == "c[100000].n.i");
  CHECK(find(f, "c[77777].n.v") == VarId{base[77776] + n});
  std::size_t characters = 0;  // names of all are quick too
  for (std::uint32_t v = 0; v < f.variables(); v += 3) characters += name(f, VarId{v}).size();
  for (std::uint32_t e = 0; e < f.equations.size(); e += 3) characters += label(f, EqId{e}).size();
  CHECK(characters > 1000000);
}

TEST_CASE("parameters that depend on themselves are told of, each circle once") {
  const struct { const char* name; std::vector<std::vector<std::uint32_t>> needs; std::vector<const char*> circles; } rows[] = {
      {"a chain", {{1}, {2}, {}}, {}},
      {"a diamond", {{1, 2}, {3}, {3}, {}}, {}},
      {"itself", {{0}}, {"p0"}},
      {"two", {{1}, {0}}, {"p0"}},
      {"behind a chain", {{1}, {2}, {1}}, {"p1"}},
      {"two circles", {{1}, {0}, {3}, {2, 0}}, {"p0", "p2"}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Maker m("Top");
    for (std::uint32_t s = 0; s < row.needs.size(); ++s) m.own("p" + std::to_string(s), Variability::parameter);
    for (std::uint32_t s = 0; s < row.needs.size(); ++s) {
      NodeId sum = m.e.literal(1);
      for (std::uint32_t needed : row.needs[s]) sum = m.e.add(sum, m.v(needed));
      m.binding(BindingKind::value, s, sum);
    }
    Diagnostics d;
    flatten(m.done(), d);
    REQUIRE(d.error_count() == row.circles.size());
    for (std::size_t i = 0; i < row.circles.size(); ++i) {
      CHECK(d.list()[i].code == "E0306");
      CHECK(d.list()[i].message.find("`" + std::string(row.circles[i]) + "`") != std::string::npos);
    }
  }
}
