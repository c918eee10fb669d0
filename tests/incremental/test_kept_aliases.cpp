// The reduction of an edited model with what the one before left (engine/session/kept_aliases.hpp) is the reduction from the start.
#include <doctest/doctest.h>

#include "engine/session/closings.hpp"
#include "engine/session/kept_aliases.hpp"
#include "tests/incremental/listing.hpp"

using namespace kron;
using namespace kron::test;

namespace {

void check_same(const session::System& a, const session::System& b) {
  REQUIRE(a.rows.size() == b.rows.size());
  for (std::size_t r = 0; r < a.rows.size(); ++r) {
    const session::SystemRow &x = a.rows[r], &y = b.rows[r];
    REQUIRE(x.form == y.form);
    REQUIRE(x.origin == y.origin);
    REQUIRE(x.key == y.key);
    REQUIRE(std::ranges::equal(a.bound(x), b.bound(y)));
    REQUIRE(std::ranges::equal(a.columns(x), b.columns(y)));
    const auto same_member = [](session::Member m, session::Member n) { return m.variable == n.variable && m.shift == n.shift; };
    REQUIRE(std::ranges::equal(a.members_of(x), b.members_of(y), same_member));
  }
  REQUIRE(std::ranges::equal(a.representative, b.representative, [](const session::Representative& x, const session::Representative& y) {
    return x.root == y.root && x.sign == y.sign && x.constant == y.constant;
  }));
  CHECK(std::ranges::equal(a.alias_edges, b.alias_edges, [](const session::AliasEdge& x, const session::AliasEdge& y) {
    return x.a == y.a && x.b == y.b && x.equation == y.equation && x.relaxed == y.relaxed;
  }));
  CHECK(a.equation_used == b.equation_used);
  CHECK(a.derivative == b.derivative);
  CHECK(a.derivative_sign == b.derivative_sign);
  CHECK(a.antiderivative == b.antiderivative);
  CHECK(a.redundant == b.redundant);
  CHECK(a.aliases == b.aliases);
}

const char* const ladder =
    "use electrical\nmodel Cell extends OnePort\n  parameter C = 1\n  C * der(v) = i\nend\n"
    "source : SineVoltage(V = 1, f = 1)\nground : Ground\nconnect source.n, ground.p\n"
    "r[4] : Resistor(R = 2)\nc[4] : Cell\nconnect source.p, r[1].p\nfor k in 1:3\n  connect r[k].n, r[k+1].p\nend\n"
    "for k in 1:4\n  connect r[k].n, c[k].p\n  connect c[k].n, ground.p\nend\n";

const char* const products =  // y is zero by a product, and with it z
    "parameter a = 2\nvariable k\nzero :: k = 0\nvariable x(start = 1)\nvariable y\nvariable z\n"
    "law :: der(x) = -a * x\nproduct :: y = k * x\nsum :: z = y + k\n";

const char* const switches =
    "variable x(start = 1)\nvariable y\nvariable z\nlaw :: der(x) = -1.5 * x\n"
    "below :: y = if x < 0.5 then 1 else 2 * x\nabove :: z = if x > 0.75 then 3 * x else x\n";

}  // namespace

TEST_CASE("aliases of before: a reduction has the rows of one from the start") {
  const struct {
    const char* name;
    const char* model;
    const char* edit;
    bool taken;        // the aliases; else one came or went, or may have
    std::size_t made;  // rows that are not what they were
  } rows[] = {
      {"an equation beside a circuit", ladder, "variable extra = 2.25 * r[2].v", true, 1},
      {"a parameter before all others, and an equation", ladder, "parameter q = 3\nvariable extra = q * r[1].i", true, 1},
      {"a class with another number", ladder, "model Cell extends OnePort\n  parameter C = 1\n  C * der(v) = i - 0.25 * v\nend", true, 4},
      {"a class with one variable more", ladder,
       "model Cell extends OnePort\n  parameter C = 1\n  variable w = 3 * v\n  C * der(v) = i\nend", true, 4},
      {"an alias more", ladder, "variable extra = r[2].v", false, 2},
      {"a load", ladder, "load : Resistor(R = 7)\nconnect load.p, r[3].n\nconnect load.n, ground.p", false, 6},
      {"an equation of its own derivative", ladder, "variable w\nown :: der(w) = -2.5 * w", true, 1},
      {"a derivative of what had none", ladder, "variable w = 2.5 * der(r[2].i)", false, 30},
      {"beside known values", products, "variable w = 2.5 * x", true, 1},
      {"with a known value", products, "variable w = 2.5 * k", false, 0},
      {"a product that goes", products, "product :: y = 3 * x", false, 1},
      {"an equation that goes", switches, "law :: der(x) = -3 * x", true, 1},
      {"another event in the place of one", switches, "parameter q = 0.25\nbelow :: y = if x < 0.25 then 1 else 2 * x", true, 1},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.name));
    Session s(settings());
    REQUIRE(s.run_text(row.model));
    const model::FlatModel then = s.analysis().flat;
    REQUIRE(s.run_text(row.edit));
    model::FlatModel now = s.analysis().flat;
    CHECK(now.common.before == then.top);
    for (const bool known : {true, false}) {  // what both have in common; or it is found by comparison
      CAPTURE(known);
      if (!known) now.common = {};
      Diagnostics ignored;
      session::KeptAliases kept, none;
      session::reduce(then, ignored, kept, {});
      const session::System again = session::reduce(now, ignored, kept, {}), fresh = session::reduce(now, ignored, none, {});
      check_same(again, fresh);
      CHECK(kept.aliases_taken() == row.taken);
      CHECK(fresh.rows.size() - kept.rows_taken() == row.made);
    }
  }
}
