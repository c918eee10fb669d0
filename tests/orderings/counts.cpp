// Operation counts of equations (24) to (29): what each derivative evaluation runs. Bounds from the trial behind docs/architecture.md.
#include <doctest/doctest.h>

#include "chain.hpp"
#include "lang/workspace/kron.hpp"
#include "tests/support/sanitized.hpp"

using namespace kron;

namespace {

struct Solved {
  code::OperationCount ops;
  std::uint32_t core = 0;
  std::string method, ordering;
  std::size_t torn = 0;
};

Solved solved_text(const std::string& text, const std::string& solve) {
  Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  s.options().solve = solve;
  REQUIRE(s.run_text(text));
  const session::Analysis& a = s.analysis();
  REQUIRE(a.complete);
  Solved r;
  r.ops = code::operations(*a.program, code::Section::dynamic);
  for (const session::Block& b : a.blocks) {
    r.core += b.how().core;
    r.torn += b.how().torn.size();
    if (b.unknowns.size() > 1) {
      r.method = to_text(b.method);
      r.ordering = b.how().ordering;
    }
  }
  return r;
}
Solved solved(const chains::Options& o, const std::string& solve = "auto") { return solved_text(chains::text(o), solve); }

}  // namespace

TEST_CASE("orderings: operations of a model of n links") {
  struct Row { const char* name; chains::Options options; std::size_t mul, add; };
  const Row rows[] = {
      {"1 link", {chains::chain(1)}, 36, 34},        {"2 links", {chains::chain(2)}, 131, 119},
      {"3 links", {chains::chain(3)}, 260, 242},     {"4 links", {chains::chain(4)}, 486, 468},
      {"5 links", {chains::chain(5)}, 683, 667},     {"6 links", {chains::chain(6)}, 860, 890},
      {"tree of 15", {chains::binary_tree(15)}, 2050, 2180},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const Solved s = solved(row.options);
    CHECK(s.ops.mul <= row.mul);
    CHECK(s.ops.add <= row.add);
    CHECK(s.ops.other == 0);
    CHECK(s.core == 0);
  }
}

TEST_CASE("orderings: a thousand loads at one node cost three products") {
  const Solved s = solved_text(
      "use electrical\nsource : ConstantVoltage(V = 10)\nground : Ground\nfeed : Resistor(R = 1)\nl : Inductor(L = 1 [mH])\n"
      "load[1000] : Resistor(R = {1.0 + k for k in 1:1000})\n"
      "connect source.p, feed.p\nconnect feed.n, l.p\nconnect source.n, ground.p\n"
      "for k in 1:1000\n  connect l.n, load[k].p\n  connect load[k].n, ground.p\nend\n",
      "auto");
  CHECK(s.ops.mul <= 3);
  CHECK(s.ops.add <= 2);
  CHECK(s.core == 0);
}

TEST_CASE("orderings: operations per added link") {
  struct Row { const char* name; int links; bool planar, closed; std::size_t mul, add, div = 1; };
  const Row rows[] = {
      {"chain of 9", 9, false, false, 178, 192},   {"chain of 10", 10, false, false, 178, 192},
      {"chain of 20", 20, false, false, 178, 192}, {"chain of 40", 40, false, false, 172, 191},
      {"planar chain", 9, true, false, 34, 36},    {"planar chain of 40", 40, true, false, 34, 36},
      {"closed chain of 14", 14, false, true, 260, 325},  // another order than for 13: fewer products, more sums
      {"closed chain of 19", 19, false, true, 196, 209, 3},  // another order for 20 than for 19
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    chains::Options o{chains::chain(row.links - 1)};
    o.planar = row.planar;
    o.closed = row.closed;
    const Solved before = solved(o);
    o.parent = chains::chain(row.links);
    const Solved after = solved(o);
    CHECK(after.ops.mul <= before.ops.mul + row.mul);
    CHECK(after.ops.add <= before.ops.add + row.add);
    CHECK(after.ops.div <= before.ops.div + row.div);
    CHECK(after.core == 0);
  }
}

// Beyond 64 joints the stations come from the tree of joints, the leaves first: a further link costs about what it costs in a small
// tree. (The links at the ground cost less than the others, so the mean over all links grows with the tree.)
TEST_CASE("orderings: a further link of a large tree costs what one of a small tree costs") {
  const auto operations = [](int n) {
    const Solved s = solved({chains::binary_tree(n)});
    CHECK(s.core == 0);
    return static_cast<double>(s.ops.mul + s.ops.add);
  };
  const double small = operations(15), middle = operations(31), large = operations(127);
  CHECK((large - middle) / (127 - 31) <= 1.02 * (middle - small) / (31 - 15));
  CHECK(large / 127 <= 1.05 * middle / 31);
}

TEST_CASE("orderings: the papers' marks") {
  chains::Options o{chains::chain(7)};
  const Solved plain = solved(o);
  o.marks = true;
  const Solved marked = solved(o), relaxed = solved(o, "relax");
  CHECK(marked.core == 0);
  CHECK(relaxed.core == 0);
  CHECK(relaxed.method == "relaxed");
  CHECK(plain.ops.mul + plain.ops.add <= relaxed.ops.mul + relaxed.ops.add);
  std::size_t operations[3] = {};
  for (int k = 0; k < 3; ++k) {  // linear in n: each further link costs the same
    o.parent = chains::chain(30 + k);
    const Solved s = solved(o);
    CHECK(s.core == 0);
    operations[k] = s.ops.mul + s.ops.add;
  }
  CHECK(operations[2] - operations[1] == operations[1] - operations[0]);
  o.parent = chains::chain(9);
  o.marks = false;
  o.tear = true;
  const Solved torn = solved(o);
  CHECK(torn.method == "torn");
  CHECK(torn.core == 9);
  CHECK(torn.torn == 9);
}

constexpr std::uint32_t orders = kron::sanitized ? 5 : 100;

namespace {

// Joints, bars and bodies of examples/papers/links.eq, connected; `shuffle` other than 0: statements and the ends of connections in
// another order.
std::string connected_links(int n, std::uint32_t shuffle) {
  std::mt19937 random(shuffle);
  std::vector<std::string> lines = {"ground : Ground"};
  const auto connect = [&](const std::string& a, const std::string& b) {
    lines.push_back("connect " + (shuffle && random() % 2 ? b + ", " + a : a + ", " + b));
  };
  std::string before = "ground.cut";
  for (int i = 1; i <= n; ++i) {
    const std::string k = std::to_string(i);
    lines.push_back("joint" + k + " : PlainJoint(axis = " + (i % 2 ? "3" : "2") + ")");
    lines.push_back("near" + k + " : Bar(length = 0.5)");
    lines.push_back("far" + k + " : Bar");
    lines.push_back("body" + k + " : Body");
    connect(before, "joint" + k + ".a");
    connect("joint" + k + ".b", "near" + k + ".a");
    connect("joint" + k + ".b", "far" + k + ".a");
    connect("near" + k + ".b", "body" + k + ".cut");
    before = "far" + k + ".b";
  }
  if (shuffle) std::shuffle(lines.begin(), lines.end(), random);
  std::string text = "use \"" KRON_SOURCE_DIR "/examples/papers/links.eq\"\n";
  for (const std::string& l : lines) text += l + "\n";
  return text;
}

}  // namespace

TEST_CASE("orderings: the order and the sides of the statements hardly count") {
  struct Row { const char* name; std::uint32_t orders; std::function<std::string(std::uint32_t)> text; };
  const auto equations = [](int n, bool planar, bool closed) {
    return [=](std::uint32_t seed) {
      chains::Options o{chains::chain(n)};
      o.planar = planar;
      o.closed = closed;
      o.shuffle = seed;
      return chains::text(o);
    };
  };
  constexpr std::uint32_t half = (orders + 1) / 2;
  const Row rows[] = {{"chain of 4", orders, equations(4, false, false)},
                      {"planar chain of 9", orders, equations(9, true, false)},
                      {"chain of 9", half, equations(9, false, false)},
                      {"closed chain of 5", half, equations(5, false, true)},
                      {"4 connected links", half, [](std::uint32_t seed) { return connected_links(4, seed); }},
                      {"8 connected links", half, [](std::uint32_t seed) { return connected_links(8, seed); }}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const auto size = [](const Solved& s) { return static_cast<double>(s.ops.mul + s.ops.add); };
    const double first = size(solved_text(row.text(0), "auto"));
    for (std::uint32_t seed = 1; seed <= row.orders; ++seed) {
      CAPTURE(seed);
      CHECK(size(solved_text(row.text(seed), "auto")) == doctest::Approx(first).epsilon(0.02));
    }
  }
}

// A block of the same pattern with other numbers, marks or arrays is another block.
TEST_CASE("orderings: a choice is remembered with all that it depends on") {
  const std::string head = "variable x\nvariable y\nvariable z\n";
  const std::string texts[] = {
      "a :: x + 3*y + 2*z = time\nb :: 2*x + 7*y + z = 1\nc :: 3*x + y + 5*z = sin(time)",
      "a :: 3*x + y + 2*z = time\nb :: x + 2*y + 5*z = 1\nc :: 4*x + 3*y + z = sin(time)",
      "a :: 3*x + cos(time)*y + 2*z = time\nb :: x + 2*y + 5*z = 1\nc :: 4*x + 3*y + z = sin(time)",
      "a :: 3*relax(x) + y + 2*relax(z) = time\nb :: x + 2*relax(y) + 5*relax(z) = 1\nc :: 4*relax(x) + 3*relax(y) + z = sin(time)",
      "a :: 3*x + y + 2*z + residue(x) = time\nb :: x + 2*y + 5*z = 1\nc :: 4*x + 3*y + z = sin(time)",
  };
  const auto code = [](Session& s) {
    const session::Analysis& a = s.analysis();
    REQUIRE(a.complete);
    std::string all;
    for (std::size_t b = 0; b < a.blocks.size(); ++b) all += a.blocks[b].how().ordering + "\n" + session::code_text(a, b);
    return all;
  };
  Session edited;
  REQUIRE(edited.run_text(head));
  for (const std::string& text : texts) {
    CAPTURE(text);
    REQUIRE(edited.run_text(text));
    Session fresh;
    REQUIRE(fresh.run_text(head + text));
    CHECK(code(edited) == code(fresh));
  }
}

TEST_CASE("orderings: constants and final parameters are structure like numbers in the text") {
  const auto outcome = [](const std::string& text) {
    Session s;
    REQUIRE(s.run_text(text));
    simulate::Options o;
    o.stop = 1;
    REQUIRE(s.simulate(o));
    const code::OperationCount d = code::operations(*s.analysis().program, code::Section::dynamic),
                               out = code::output_operations(*s.analysis().program);
    return std::vector<double>{static_cast<double>(d.mul + out.mul), static_cast<double>(d.add + out.add), static_cast<double>(d.div + out.div),
                               static_cast<double>(s.analysis().states.size()), *s.value("x"), *s.value("y")};
  };
  const auto model = [](const std::string& c, const std::string& k) {
    return "variable x\nvariable y\n" + c + "*der(x) + " + k + "*x + 2*y = time\nx - (3 + cos(time))*y = 3\n";
  };
  const auto written = outcome(model("0", "1"));
  CHECK(outcome("constant c = 0\nconstant k = 1\n" + model("c", "k")) == written);
  CHECK(outcome("final parameter c = 0\nfinal parameter k = 1\n" + model("c", "k")) == written);
}
