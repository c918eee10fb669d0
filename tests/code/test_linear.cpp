// Linear solve steps: known solutions, singular cases, sections.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>

#include "engine/code/deficient.hpp"
#include "engine/code/precision.hpp"
#include "engine/code/program.hpp"
#include "unknowns.hpp"

using namespace kron;
using namespace kron::code;
using namespace kron::code::test;

namespace {

// A system A x = A * solution whose entries are numbers times the state 0 (so that it is solved at every evaluation).
struct LinearCase {
  std::size_t n;
  std::vector<std::array<double, 3>> entries;  // row, column, value
  std::vector<double> solution;
};

LinearCase random_case(std::mt19937& random, std::size_t n, double density, bool scaled) {
  std::normal_distribution<double> g;
  LinearCase c{n, {}, {}};
  std::vector<double> unit(n, 1);
  if (scaled)
    for (double& u : unit) u = std::pow(10, static_cast<int>(random() % 25) - 12);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t k = 0; k < n; ++k)
      if (r == k || g(random) < -1.5 + 3 * density)
        c.entries.push_back({static_cast<double>(r), static_cast<double>((k + 3) % n),
                             (g(random) + (r == k ? 4.0 : 0.0)) / unit[(k + 3) % n]});
  for (std::size_t i = 0; i < n; ++i) c.solution.push_back((1 + static_cast<double>(i)) * unit[i]);
  return c;
}

std::shared_ptr<const Program> linear_program(const LinearCase& c) {
  Builder b;
  const Ref x = b.input(InputKind::state, 0, 1);
  LinearStep step{.size = static_cast<std::uint32_t>(c.n)};
  const auto unknowns = make_unknowns(b, c.n, step.unknowns);
  std::vector<Ref> right(c.n);
  for (const auto& [r, k, v] : c.entries) {
    const Ref a = b.mul(b.constant(v), x);
    step.matrix.push_back({static_cast<std::uint32_t>(r), static_cast<std::uint32_t>(k), a});
    Ref& sum = right[static_cast<std::size_t>(r)];
    sum = b.add(sum, b.mul(a, b.constant(c.solution[static_cast<std::size_t>(k)])));
  }
  step.rhs = right;
  b.add_linear(step, 5);
  return compile(b, {.derivative = unknowns});
}

}  // namespace

TEST_CASE("linear step: known solutions, dense and sparse, in any units") {
  std::mt19937 random(5);
  for (const std::size_t n : {1u, 2u, 3u, 8u, 40u, 41u, 60u, 150u, 400u})
    for (const bool scaled : {false, true}) {
      CAPTURE(n);
      CAPTURE(scaled);
      const LinearCase c = random_case(random, n, n > 40 ? 0.05 * 40 / static_cast<double>(n) : 0.5, scaled);
      Machine<double> m(linear_program(c));
      std::vector<double> d(n);
      for (const double x : {1.0, -3.0, 1e-9}) {
        REQUIRE(m.derivative(0, std::array{x}, d) == Status::ok);
        for (std::size_t i = 0; i < n; ++i) CHECK(d[i] == doctest::Approx(c.solution[i]).epsilon(1e-8));
        m.accept();  // the pivots of KLU are taken over
      }
    }
}

TEST_CASE("linear step: 50 digits, dense and by refined KLU") {
  std::mt19937 random(6);
  for (const std::size_t n : {2u, 20u, 120u}) {
    CAPTURE(n);
    const LinearCase c = random_case(random, n, n > 40 ? 0.03 : 0.5, false);
    Machine<Float50> m(linear_program(c));
    std::vector<Float50> d(n);
    REQUIRE(m.derivative(Float50(0), std::array{Float50(3)}, d) == Status::ok);
    for (std::size_t i = 0; i < n; ++i) CHECK(static_cast<double>(Float50(abs(d[i] - c.solution[i]))) < 1e-44);
  }
}

TEST_CASE("linear step: entries at one place add up") {
  Builder b;
  const Ref x = b.input(InputKind::state, 0, 1);
  LinearStep step{.size = 1, .matrix = {{0, 0, x}, {0, 0, one}, {0, 0, -b.constant(0.5)}}, .rhs = {b.constant(5.0)}};
  const auto u = make_unknowns(b, 1, step.unknowns);
  b.add_linear(step, 0);
  Machine<double> m(compile(b, {.derivative = {u[0]}}));
  std::array<double, 1> d{};
  REQUIRE(m.derivative(0, std::array{2.0}, d) == Status::ok);
  CHECK(d[0] == 2);
}

TEST_CASE("linear step: singular and undefined systems have names") {
  struct Row {
    std::string name;
    std::size_t n;
    std::function<double(std::size_t, std::size_t)> a;
    const char* reason;
  };
  const auto near = [](std::size_t r, std::size_t c) { return r + 1 >= c && c + 1 >= r; };
  const std::vector<Row> rows = {
      {"zero", 1, [](auto, auto) { return 0.0; }, "singular matrix"},
      {"equal rows", 3,
       [](auto r, auto c) { return r == 2 ? 1.0 + static_cast<double>(c) : static_cast<double>(1 + c + r * 0 * c); },
       "singular matrix"},
      {"rank n-1 after rounding", 3, [](auto r, auto c) { return 0.1 * static_cast<double>((r + 1) * 3 + c); },
       "singular matrix"},
      {"empty row", 3, [](auto r, auto c) { return r == 1 ? 0.0 : static_cast<double>(c == r); }, "singular matrix"},
      {"empty column", 4, [](auto r, auto c) { return c == 1 ? 0.0 : static_cast<double>(1 + r + c * c); },
       "singular matrix"},
      {"not a number", 2,
       [](auto r, auto c) { return r == 1 && c == 1 ? std::nan("") : 1.0 + static_cast<double>(r == c); },
       "not a number"},
      {"sparse, a floating chain", 80,
       [near](auto r, auto c) {  // Laplacian without ground
         if (!near(r, c)) return 0.0;
         return r == c ? (r == 0 || r == 79 ? 1.0 : 2.0) : -1.0;
       },
       "singular matrix"},
      {"sparse, an empty column", 80,
       [near](auto r, auto c) { return near(r, c) && c != 40 ? 3.0 + static_cast<double>(r) : 0.0; },
       "singular matrix"},
      {"sparse, not a number", 80,
       [near](auto r, auto c) { return r == 7 && c == 7 ? std::nan("")
                                       : near(r, c)     ? 1.0 + 3 * (r == c)
                                                        : 0.0; },
       "not a number"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    Builder b;
    LinearStep step{.size = static_cast<std::uint32_t>(row.n)};
    const auto u = make_unknowns(b, row.n, step.unknowns);
    std::uint32_t inputs = 0;
    std::vector<double> y;
    for (std::uint32_t r = 0; r < row.n; ++r) {
      for (std::uint32_t c = 0; c < row.n; ++c)
        if (const double v = row.a(r, c); v != 0 || row.n < 10) {
          step.matrix.push_back({r, c, b.input(InputKind::state, inputs, 10 + inputs)});
          y.push_back(v);
          ++inputs;
        }
      step.rhs.push_back(one);
    }
    b.add_linear(step, 42);
    Machine<double> m(compile(b, {.derivative = {u[0]}}));
    std::array<double, 1> d{};
    CHECK(m.derivative(0, y, d) == Status::recoverable);
    CHECK(m.failure().reason == row.reason);
    CHECK(m.failure().block == 42);
    CHECK_FALSE(m.failure().newton);
    CHECK(m.failure().values.size() == row.n);
  }
}

TEST_CASE("a step of the parameter section is solved once, and fails for good") {
  Builder b;
  const Ref p = b.input(InputKind::parameter, 0, 1), x = b.input(InputKind::state, 0, 2);
  LinearStep step{.size = 1, .matrix = {{0, 0, p}}, .rhs = {b.constant(6.0)}};
  const auto u = make_unknowns(b, 1, step.unknowns, 500, Section::parameter);
  b.add_linear(step, 8);
  Machine<double> m(compile(b, {.derivative = {b.mul(u[0], x)}, .parameter = {u[0]}}));
  m.inputs(InputKind::parameter)[0] = 2;
  REQUIRE(m.run_parameters() == Status::ok);
  CHECK(m.parameter_roots()[0] == 3);
  std::array<double, 1> d{};
  for (int i = 0; i < 5; ++i) REQUIRE(m.derivative(0, std::array{5.0}, d) == Status::ok);
  CHECK(d[0] == 15);
  CHECK(m.statistics().linear_solves == 1);
  m.inputs(InputKind::parameter)[0] = 0;
  CHECK(m.run_parameters() == Status::failed);
  CHECK(m.failure().block == 8);
}

TEST_CASE("a step that only stored results need runs in output() only") {
  Builder b;
  const Ref x = b.input(InputKind::state, 0, 2);
  LinearStep step{.size = 1, .matrix = {{0, 0, x}}, .rhs = {one}};
  const auto u = make_unknowns(b, 1, step.unknowns);
  b.add_linear(step, 8);
  Machine<double> m(compile(b, {.derivative = {-x}, .output = {u[0]}}));
  std::array<double, 1> d{};
  REQUIRE(m.derivative(0, std::array{0.0}, d) == Status::ok);
  CHECK(m.statistics().linear_solves == 0);
  REQUIRE(m.output(0, std::array{4.0}, d) == Status::ok);
  CHECK(d[0] == 0.25);
}

// What a watch compares with is needed for the watch alone: it must be there before the step all the same.
TEST_CASE("guarded step: each kind of watch at values on both sides of its limit") {
  struct Row { Watch::Kind kind; double value, a, b; bool cold; };
  const Row rows[] = {
      {Watch::Kind::nonzero, 0, 1, 1, true},    {Watch::Kind::nonzero, 1e-30, 1, 1, false},
      {Watch::Kind::sum, 1e-5, 0.5, 0.5, true}, {Watch::Kind::sum, 1e-3, 0.5, 0.5, false},
      {Watch::Kind::sum, 1e-3, 1e3, 0, true},   {Watch::Kind::sum, 1e-3, 0, 1e3, true},
      {Watch::Kind::ratio, 1e-9, 1, 0, true},   {Watch::Kind::ratio, 1e-7, 1, 0, false},
      {Watch::Kind::ratio, 1, 1e9, 0, true},    {Watch::Kind::finite, 1, 1, 1, false},
  };
  for (const Row& row : rows) {
    CAPTURE(static_cast<int>(row.kind));
    CAPTURE(row.value);
    Builder t;
    const auto state = [&](std::uint32_t k) { return t.input(InputKind::state, k, 20 + k); };
    const Ref value = state(0), a = t.mul(t.constant(2.0), state(1)), b = t.mul(t.constant(2.0), state(2));
    const std::size_t first = t.size();
    LinearStep step{.size = 1, .matrix = {{0, 0, state(4)}}, .rhs = {state(3)}};
    step.solution = {t.div(state(3), state(4))};
    step.watch = {{row.kind, value, a, b}};
    const std::vector<Ref> x = t.add_guarded(std::move(step), first, std::array{state(4)}, 7);
    Machine<double> m(compile(t, {.derivative = x}));
    const std::array y{row.value, row.a / 2, row.b / 2, 6.0, 4.0};
    std::array<double, 1> der{};
    REQUIRE(m.derivative(0, y, der) == Status::ok);
    CHECK(der[0] == 1.5);
    CHECK(m.statistics().guard_events == (row.cold ? 1 : 0));
    CHECK(m.cold_blocks() == (row.cold ? std::vector<std::uint32_t>{7} : std::vector<std::uint32_t>{}));
  }
}

TEST_CASE("guarded step: an inverse of its pivot may be older than the step") {
  Builder t;
  const Ref p = t.input(InputKind::state, 0, 20), r = t.input(InputKind::state, 1, 21);
  const Ref inverse = t.inv(p);
  const std::size_t first = t.size();
  LinearStep step{.size = 1, .matrix = {{0, 0, p}}, .rhs = {r}};
  step.solution = {t.mul(r, inverse)};
  step.watch = {{Watch::Kind::nonzero, p, {}, {}}};
  const std::vector<Ref> x = t.add_guarded(std::move(step), first, std::array{p}, 7);
  Machine<double> m(compile(t, {.output = x}));
  std::array<double, 1> value{};
  CHECK(m.output(0, std::array{2.0, 6.0}, value) == Status::ok);
  CHECK(value[0] == 3);
  CHECK(m.output(0, std::array{0.0, 6.0}, value) != Status::ok);  // a singular matrix, not infinity
}

// Networks of random conductances whose nodes are groups without a connection, floating but for their sums: of as low a rank as there are groups, and
// the least solution has mean zero in each.
TEST_CASE("least solution: large sparse matrices of lower rank") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> size(0.5, 2);
  for (const std::size_t n : {30u, 41u, 120u, 203u, 600u})
    for (const std::size_t groups : {0u, 1u, 3u}) {
      CAPTURE(n);
      CAPTURE(groups);
      std::vector<double> a(n * n, 0.0), solution(n), b(n, 0.0);
      const auto conductance = [&](std::size_t i, std::size_t j, double g) { a[i * n + i] += g, a[j * n + j] += g, a[i * n + j] -= g, a[j * n + i] -= g; };
      const std::size_t apart = std::max<std::size_t>(groups, 1);
      for (std::size_t i = 0; i + apart < n; ++i) conductance(i, i + apart, size(random));  // each group is a chain
      for (std::size_t k = 0; k < n / 2; ++k) {
        const std::size_t i = random() % n, steps = 1 + random() % 5;
        if (i + steps * apart < n) conductance(i, i + steps * apart, size(random));
      }
      if (groups == 0) a[0] += 1;  // grounded
      std::vector<double> sum(apart, 0.0);
      std::vector<std::size_t> count(apart, 0);
      for (std::size_t i = 0; i < n; ++i) solution[i] = size(random), sum[i % apart] += solution[i], ++count[i % apart];
      for (std::size_t i = 0; groups > 0 && i < n; ++i) solution[i] -= sum[i % apart] / static_cast<double>(count[i % apart]);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) b[i] += a[i * n + j] * solution[j];
      std::vector<double> x = b;
      const DeficientLu<double> lu(a, n);
      REQUIRE(lu.solve(x.data()));
      double worst = 0;
      for (std::size_t i = 0; i < n; ++i) worst = std::max(worst, std::fabs(x[i] - solution[i]));
      CHECK(worst < 1e-14 * static_cast<double>(n * n) * 10);  // what a chain of n makes of rounding
      if (groups == 0) continue;
      b[0] += 1;  // nobody takes it
      CHECK_FALSE(lu.solve(b.data()));
    }
}
