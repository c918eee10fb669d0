// Marks at random places never make a model fail and never change a number beyond round-off.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "lang/workspace/kron.hpp"
#include "tests/support/sanitized.hpp"

using namespace kron;

namespace {

// A random model of n coupled equations that is well conditioned (dominant diagonal), linear or with mild non-linear terms; with
// marks at random where `marks` says so.
std::string model_text(std::uint64_t seed, bool marks) {
  std::mt19937_64 structure(seed), places(seed + 1'000'000);
  const auto n = static_cast<int>(3 + structure() % 6);
  const bool nonlinear = structure() % 4 == 0;
  std::string text = "parameter p = 1.5\n";
  for (int i = 1; i <= n; ++i) text += "variable x" + std::to_string(i) + "\n";
  for (int r = 1; r <= n; ++r) {
    std::string sum;
    for (int c = 1; c <= n; ++c) {
      if (c != r && structure() % 2) continue;
      const int size = c == r ? 4 * n : 1 + static_cast<int>(structure() % 3);
      std::string x = "x" + std::to_string(c), factor = std::to_string(size);
      switch (structure() % 5) {
        case 0: factor += "*p"; break;
        case 1: factor += "*(2 + sin(time))"; break;
        default: break;
      }
      if (nonlinear && c != r && structure() % 3 == 0) x = "sin(" + x + ")";
      if (marks && places() % 4 == 0) x = "relax(" + x + ")";
      sum += (sum.empty() ? "" : " + ") + factor + "*" + x;
    }
    if (marks && places() % 4 == 0) sum += " + residue(x" + std::to_string(1 + places() % static_cast<unsigned>(n)) + ")";
    if (marks && places() % 8 == 0) sum += " + residue(p)";
    text += sum + " = " + std::to_string(r) + "*cos(time)\n";
  }
  if (marks && places() % 3 == 0) text += "tear x" + std::to_string(1 + places() % static_cast<unsigned>(n)) + "\n";
  if (marks && places() % 6 == 0) text += "tear residue e" + std::to_string(1 + places() % static_cast<unsigned>(n)) + "\n";
  return text;
}

std::vector<double> values(const std::string& text, const std::string& solve) {
  Session s;
  s.options().solve = solve;
  REQUIRE_MESSAGE(s.run_text(text), text);
  simulate::Options o;
  o.stop = 1;
  o.points = 5;
  o.tolerance = 1e-10;
  const bool done = s.simulate(o);
  std::string why;
  for (const auto& d : s.diagnostics().list()) why += d.code + " " + d.message + "\n";
  REQUIRE_MESSAGE(done, why << text);
  std::vector<double> out;
  for (int k = 1; k <= 8; ++k)
    if (const auto v = s.series("x" + std::to_string(k))) out.insert(out.end(), v->begin(), v->end());
  return out;
}

}  // namespace

TEST_CASE("marks: a thousand random annotated models") {
  const char* methods[] = {"auto", "relax", "tear", "auto"};
  constexpr std::uint64_t models = kron::sanitized ? 100 : 1000;
  for (std::uint64_t seed = 1; seed <= models; ++seed) {
    const std::string marked = model_text(seed, true);
    CAPTURE(marked);
    const std::vector<double> plain = values(model_text(seed, false), "auto"), with = values(marked, methods[seed % 4]);
    REQUIRE(plain.size() == with.size());
    double worst = 0;
    for (std::size_t k = 0; k < plain.size(); ++k) worst = std::max(worst, std::fabs(plain[k] - with[k]) / (1 + std::fabs(plain[k])));
    CHECK(worst <= 1e-9);
  }
}

// Both views of the block have relaxed orderings here, and both drop the mark.
TEST_CASE("marks: a mark that is dropped is named as it is written") {
  Session s;
  REQUIRE(s.run_text(R"(
connector F
  potential a
  flow t
end
model Shaft
  parameter J = 1
  p, q : F
  variable a
  variable x
  a = p.a
  a = q.a
  mass :: J * relax(x) = p.t + q.t
  x = relax(a)
end
model Gear
  parameter i = 3
  p, q : F
  q.a = i * relax(p.a)
  p.t = -i * q.t
end
model Drive
  p : F
  p.t = -cos(time)
end
drive : Drive
s1, s2 : Shaft
g : Gear
connect drive.p, s1.p
connect s1.q, g.p
connect g.q, s2.p
variable w(start = 0)
der(w) = s1.a
)"));
  simulate::Options o;
  o.stop = 1;
  REQUIRE(s.simulate(o));
  std::vector<std::string> messages;
  for (const auto& d : s.diagnostics().list())
    if (d.code == "W0315") messages.push_back(d.message);
  REQUIRE(messages.size() == 1);
  CHECK(messages[0].starts_with("`relax` of `s1.x` in `s1.mass` is dropped"));
}

TEST_CASE("marks: tear statements follow a variable to its block or are told of") {
  struct Row { const char* name; const char* text; std::uint32_t core; const char* told; };
  const std::string block = "variable x\nvariable y\nvariable z\nx + 2*y = time + z\nx - 3*y = sin(time)\n";
  const Row rows[] = {
      {"an alias", "variable v\nv = -y\nz = 1\ntear v", 1, ""},
      {"an assignment from the block", "variable v\nv = 2*time*x + y\nz = 1\ntear v", 1, ""},
      {"an integer sum", "variable v\nv = x + y\nz = 1\ntear v", 1, ""},
      {"two of them", "variable v\nvariable w\nv = x + y\nw = x - v\nz = 1\ntear v\ntear w", 2, ""},
      {"a constant", "z = 1\ntear z", 0, "`tear` of `z` is dropped: it is known"},
      {"an input", "input p\nz = p\ntear p", 0, "`tear` of `p` is dropped: it is known"},
      {"an explicit equation", "z = cos(time)\ntear z", 0, "`tear` of `z` is dropped: it is in no coupled block"},
      {"taken back", "z = cos(time)\ntear z\nuntear z", 0, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.name));
    Session s;
    REQUIRE(s.run_text(block + row.text));
    std::uint32_t core = 0;
    for (const session::Block& b : s.analysis().blocks) core += b.how().core;
    CHECK(core == row.core);
    simulate::Options o;
    o.stop = 1;
    REQUIRE(s.simulate(o));
    std::string told;
    for (const auto& d : s.diagnostics().list())
      if (d.code == "W0314") told += d.message;
    CHECK(told.starts_with(row.told));
    CHECK(told.empty() == std::string(row.told).empty());
    const double z = *s.value("z");
    CHECK(*s.value("x") == doctest::Approx((3 * (1 + z) + 2 * std::sin(1.0)) / 5));
  }
}

TEST_CASE("marks: a residue in an equation that reduction takes out tears its variable all the same") {
  struct Row { const char* name; const char* equation; };
  const Row rows[] = {{"an alias", "v = y + residue(x)"}, {"a constant", "v = residue(x)"}, {"a sum", "v = y + x + residue(x)"},
                      {"an explicit equation", "v = cos(time) + residue(x)"}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    Session s;
    s.options().solve = "tear";
    REQUIRE(s.run_text(std::string("variable x\nvariable y\nvariable v\nx + 2*y = time\nx - 3*y = sin(time)\n") + row.equation));
    std::vector<std::string> torn;
    for (const session::Block& b : s.analysis().blocks)
      for (model::VarId v : b.how().torn) torn.push_back(model::name(s.analysis().flat, v));
    CHECK(torn == std::vector<std::string>{"x"});
  }
}

TEST_CASE("marks: the marked equation is the residue, the marked variable is torn") {
  const std::string texts[] = {"variable x\nvariable y\nvariable z", "a :: x + 3*y + 2*z = time", "b :: 2*x + 7*y + z = 1", "c :: 3*x + y + 5*z = sin(time)"};
  for (const char* mark : {"x", "y", "z"})
    for (std::size_t k = 1; k < 4; ++k) {
      std::string text;
      for (std::size_t i = 0; i < 4; ++i) text += texts[i] + (i == k ? " + residue(" + std::string(mark) + ")\n" : "\n");
      CAPTURE(text);
      Session s;
      s.options().solve = "tear";
      REQUIRE(s.run_text(text));
      const session::Block& b = s.analysis().blocks.back();
      REQUIRE(b.how().residues.size() == 1);
      REQUIRE(b.how().torn.size() == 1);
      CHECK(session::equation_label(s.analysis(), b, b.how().residues[0]) == texts[k].substr(0, 1));
      CHECK(model::name(s.analysis().flat, b.how().torn[0]) == mark);
    }
}
