// Directional derivatives: against difference quotients with 50 digits, and by hand where a function has a kink or a
// branch.
#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "random_program.hpp"

using namespace kron;
using namespace kron::code;
using namespace kron::code::test;

namespace {

constexpr std::size_t states = RandomProgram::states;

struct Sides {
  Machine<double> fast;
  Machine<Float50> exact;
  std::size_t rows;
  explicit Sides(const Built& b, std::mt19937& random)
      : fast(compile(b.builder, b.roots)), exact(compile(b.builder, b.roots)), rows(b.roots.derivative.size()) {
    std::uniform_real_distribution<double> u(-2, 2);
    for (std::size_t i = 0; i < 3; ++i)
      exact.inputs(InputKind::parameter)[i] = fast.inputs(InputKind::parameter)[i] = u(random);
    fast.tolerance(1e-13);
    exact.tolerance(1e-48);
    fast.run_parameters();
    exact.run_parameters();
  }
};

// The root values at y + h v; false where a root or a block is not finite.
bool shifted(Machine<Float50>& m, const Float50& t, std::span<const Float50> y, std::span<const Float50> v,
             const Float50& h, std::vector<Float50>& out) {
  std::vector<Float50> z(y.begin(), y.end());
  for (std::size_t i = 0; i < z.size(); ++i) z[i] += h * v[i];
  return m.derivative(t, z, out) == Status::ok;
}

}  // namespace

TEST_CASE("tangent: equals the difference quotient on random programs") {
  std::mt19937 random(77);
  std::uniform_real_distribution<double> u(-2, 2);
  constexpr std::size_t directions = 5;
  int compared = 0, rough = 0;
  for (int program = 0; program < 1500; ++program) {
    CAPTURE(program);
    const RandomProgram p = make_program(random, 25 + static_cast<int>(random() % 30));
    const Built b = build(p);
    Sides s(b, random);
    std::vector<double> y(states), seeds(states * directions), fast(s.rows * directions), values(s.rows);
    for (double& x : y) x = u(random);
    for (double& x : seeds) x = u(random);
    const double t = u(random);
    const std::vector<Float50> ye(y.begin(), y.end()), se(seeds.begin(), seeds.end());
    std::vector<Float50> exact(s.rows * directions), up(s.rows), down(s.rows);
    if (s.exact.derivative(t, ye, up) != Status::ok || s.fast.derivative(t, y, values) != Status::ok) continue;
    if (s.exact.tangent(t, ye, directions, se, exact) != Status::ok) continue;
    REQUIRE(s.fast.tangent(t, y, directions, seeds, fast) == Status::ok);
    const Float50 h("1e-18");
    for (std::size_t d = 0; d < directions; ++d) {
      const std::span<const Float50> v(se.data() + d * states, states);
      if (!shifted(s.exact, t, ye, v, h, up) || !shifted(s.exact, t, ye, v, -h, down)) continue;
      for (std::size_t i = 0; i < s.rows; ++i) {
        const Float50 quotient = (up[i] - down[i]) / (2 * h), tangent = exact[d * s.rows + i];
        const double scale = 1 + std::fabs(static_cast<double>(tangent)) + std::fabs(static_cast<double>(up[i]));
        if (!(scale < 1e12)) continue;
        ++compared;
        CAPTURE(i);
        CAPTURE(static_cast<double>(tangent));
        CAPTURE(static_cast<double>(quotient));
        CHECK(std::fabs(static_cast<double>(Float50(quotient - tangent))) <= 1e-12 * scale);
        rough += !(std::fabs(fast[d * s.rows + i] - static_cast<double>(tangent)) <= 1e-8 * scale);
      }
    }
  }
  CHECK(compared > 20000);
  CHECK(rough * 500 < compared);  // cancellation near a pole
}

TEST_CASE("tangent: by hand, one to many lanes") {
  Builder b;
  const Ref x = b.input(InputKind::state, 0, 1), y = b.input(InputKind::state, 1, 2);
  const Ref square = b.mul(x, x);
  const auto nan_branch = [&](Ref c) {
    return b.call(Fn::select, {c, square, b.call(Fn::sqrt, {b.sub(b.constant(-1.0), square)})});
  };
  const struct {
    std::string name;
    Ref root;
    double dx, dy;
  } rows[] = {
      // at (0, 3)
      {"abs at its kink: to the right", b.call(Fn::abs, {x}), 1, 0},
      {"sign", b.call(Fn::sign, {b.add(x, y)}), 0, 0},
      {"floor", b.call(Fn::floor, {b.add(y, b.mul(b.constant(0.1), x))}), 0, 0},
      {"relation", b.call(Fn::lt, {x, y}), 0, 0},
      {"min takes its first at a tie", b.call(Fn::min, {x, b.mul(x, y)}), 1, 0},
      {"max takes its first at a tie", b.call(Fn::max, {b.mul(x, y), x}), 3, 0},
      {"select follows its branch", b.call(Fn::select, {b.call(Fn::lt, {x, y}), b.mul(x, y), y}), 3, 0},
      {"a branch that is no number does no harm", nan_branch(b.call(Fn::le, {x, y})), 0, 0},
      {"sqrt at 0 where nothing moves it", b.call(Fn::sqrt, {b.call(Fn::abs, {b.call(Fn::floor, {x})})}), 0, 0},
      {"mod", b.call(Fn::mod, {b.add(y, b.mul(b.constant(0.25), x)), b.constant(2.0)}), 0.25, 1},
      {"div", b.call(Fn::div, {b.add(y, x), b.constant(2.0)}), 0, 0},
      {"rem", b.call(Fn::rem, {y, b.add(b.constant(2.0), x)}), -1, 1},
      {"interpolate",
       b.call(Fn::interpolate, {b.sub(y, b.constant(1.5)), one, b.constant(2.0), b.constant(4.0), x, y, one}), 0.5,
       3.5},
      {"interpolate beyond the end",
       b.call(Fn::interpolate, {y, zero, one, b.constant(2.0), zero, one, b.constant(4.0)}), 0, 3},
      {"a constant", b.constant(2.0), 0, 0},
      {"minus a state", -y, 0, -1},
  };
  Roots roots;
  for (const auto& row : rows) roots.derivative.push_back(row.root);
  Machine<double> m(compile(b, roots));
  m.run_parameters();
  const std::size_t n = roots.derivative.size();
  std::vector<double> values(n);
  REQUIRE(m.derivative(0, std::array{0.0, 3.0}, values) == Status::ok);
  for (std::size_t directions : {1u, 2u, 3u, 8u, 9u, 17u}) {
    CAPTURE(directions);
    std::vector<double> seeds, result(n * directions);
    for (std::size_t d = 0; d < directions; ++d)
      seeds.push_back(static_cast<double>(d + 1)), seeds.push_back(static_cast<double>(d) - 2);
    REQUIRE(m.tangent(0, std::array{0.0, 3.0}, directions, seeds, result) == Status::ok);
    for (std::size_t d = 0; d < directions; ++d)
      for (std::size_t i = 0; i < n; ++i) {
        CAPTURE(rows[i].name);
        CHECK(result[d * n + i] == doctest::Approx(rows[i].dx * seeds[2 * d] + rows[i].dy * seeds[2 * d + 1]));
      }
  }
}

TEST_CASE("tangent: at a point not evaluated before it evaluates") {
  Builder b;
  const Ref x = b.input(InputKind::state, 0, 1);
  Machine<double> m(compile(b, {.derivative = {b.mul(x, x)}}));
  std::array<double, 1> d{};
  REQUIRE(m.tangent(0, std::array{5.0}, 1, std::array{1.0}, d) == Status::ok);
  CHECK(d[0] == 10);
}
