// state_pattern: exact on hand cases, equal to a plain search on random programs, near-linear on large ones.
#include <doctest/doctest.h>

#include <array>
#include <set>

#include "random_program.hpp"

using namespace kron;
using namespace kron::code;
using namespace kron::code::test;

namespace {

std::vector<std::set<std::uint32_t>> rows_of(const Pattern& p) {
  std::vector<std::set<std::uint32_t>> rows(p.rows);
  for (std::size_t r = 0; r < p.rows; ++r) {
    const std::vector<std::uint32_t> columns(p.column.begin() + p.row_begin[r], p.column.begin() + p.row_begin[r + 1]);
    CHECK(std::is_sorted(columns.begin(), columns.end()));
    rows[r].insert(columns.begin(), columns.end());
    CHECK(rows[r].size() == columns.size());
  }
  return rows;
}

// By searching the nodes below a root; an unknown leads to what its step reads.
std::set<std::uint32_t> searched(const Builder& b, Ref root) {
  std::set<std::uint32_t> states, seen;
  std::vector<std::uint32_t> open{root.node()};
  while (!open.empty()) {
    const std::uint32_t n = open.back();
    open.pop_back();
    if (!seen.insert(n).second) continue;
    const Node& node = b.nodes()[n];
    if (node.op == Op::input && b.inputs()[node.payload].kind == InputKind::state)
      states.insert(b.inputs()[node.payload].index);
    for (Ref r : b.arguments(node)) open.push_back(r.node());
    if (node.op != Op::unknown) continue;
    for (const SolveStep& s : b.steps()) {
      const auto& unknowns = s.newton ? s.nonlinear.unknowns : s.linear.unknowns;
      if (std::find(unknowns.begin(), unknowns.end(), n) == unknowns.end()) continue;
      for (Ref r : s.newton ? s.nonlinear.residual : s.linear.rhs) open.push_back(r.node());
      for (const Entry& e : s.linear.matrix) open.push_back(e.value.node());
    }
  }
  return states;
}

}  // namespace

TEST_CASE("pattern: equals a plain search on random programs") {
  std::mt19937 random(3);
  for (int program = 0; program < 2000; ++program) {
    CAPTURE(program);
    const Built b = build(make_program(random, 30 + static_cast<int>(random() % 60)));
    const auto rows = rows_of(state_pattern(*compile(b.builder, b.roots)));
    REQUIRE(rows.size() == b.roots.derivative.size());
    for (std::size_t i = 0; i < rows.size(); ++i) CHECK(rows[i] == searched(b.builder, b.roots.derivative[i]));
  }
}

TEST_CASE("pattern: a linear core couples its rows") {
  Builder b;
  std::vector<Ref> x;
  for (std::uint32_t i = 0; i < 5; ++i) x.push_back(b.input(InputKind::state, i, i));
  LinearStep step{.size = 2, .matrix = {{0, 0, x[0]}, {1, 1, one}}, .rhs = {one, x[3]}};
  const Ref u = b.unknown(10, Section::dynamic), v = b.unknown(11, Section::dynamic);
  step.unknowns = {u.node(), v.node()};
  b.add_linear(step, 0);
  const auto rows = rows_of(state_pattern(*compile(b, {.derivative = {u, b.add(v, x[4]), x[1], one}})));
  CHECK(rows == std::vector<std::set<std::uint32_t>>{{0, 3}, {0, 3, 4}, {1}, {}});
}

TEST_CASE("pattern: 100,000 states whose rows depend on three") {
  constexpr std::uint32_t n = 100000;
  Builder b;
  std::vector<Ref> x;
  Roots roots;
  for (std::uint32_t i = 0; i < n; ++i) x.push_back(b.input(InputKind::state, i, i + 1));
  for (std::uint32_t i = 0; i < n; ++i) {
    const Ref left = x[i == 0 ? n - 1 : i - 1], right = x[(i + 1) % n];
    roots.derivative.push_back(b.mul(b.sub(b.add(left, right), b.mul(b.constant(2.0), x[i])), b.call(Fn::cos, {x[i]})));
  }
  const auto program = compile(b, roots);
  const Pattern p = state_pattern(*program);  // a quadratic method would take minutes
  CHECK(p.column.size() == 3 * std::size_t{n});
}

TEST_CASE("pattern: a long chain of growing sums costs bits, not lists") {
  constexpr std::uint32_t n = 20000;
  Builder b;
  Ref sum = zero;
  for (std::uint32_t i = 0; i < n; ++i)
    sum = b.call(Fn::sin, {b.mul(sum, b.input(InputKind::state, i, i + 1))}),
    sum = b.add(sum, b.input(InputKind::state, i, i + 1));
  const auto program = compile(b, {.derivative = {sum, b.input(InputKind::state, 7, 8)}});
  const Pattern p = state_pattern(*program);
  CHECK(p.column.size() == n + 1);
}
