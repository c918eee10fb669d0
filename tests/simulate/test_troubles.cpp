#include <doctest/doctest.h>

#include <atomic>
#include <limits>

#include "engine/base/diagnostic.hpp"
#include "tests/simulate/problems.hpp"

using namespace problems;
using namespace kron::simulate;

namespace {

constexpr Method all_methods[] = {Method::automatic, Method::bdf, Method::adams, Method::rk45, Method::euler};
constexpr Method adaptive[] = {Method::automatic, Method::bdf, Method::adams, Method::rk45};

void check_kept_until(const Result& r, double from, double to) {
  REQUIRE(r.trajectory.size() > 1);
  CHECK(r.trajectory.time().back() >= from);
  CHECK(r.trajectory.time().back() <= to);
  CHECK(r.trajectory.state_.size() == r.trajectory.size() * r.trajectory.states());
  CHECK(r.counters.points == r.trajectory.size());
}

// y^2 = 1 - x with der(x) = 1, der(z) = y: no solution after t = 1.
Problem vanishing_root() {
  Model m;
  const Ref x = m.state(0);
  m.state(0);
  const Ref y = m.b.unknown(77, kron::code::Section::dynamic);
  kron::code::NewtonStep step;
  step.size = 1;
  step.residual = {m.b.sub(m.b.mul(y, y), m.b.sub(kron::code::one, x))};
  step.jacobian = {{0, 0, m.b.add(y, y)}};
  step.unknowns = {y.node()};
  step.start = {m.number(1)};
  step.nominal = {1};
  step.minimum = {-1e30};
  step.maximum = {1e30};
  m.b.add_newton(step, 7);
  m.der(kron::code::one);
  m.der(y);
  Problem p = m.problem();
  p.block_unknowns = [](bool initial, std::uint32_t block) {
    return std::vector<std::string>{(initial ? "initial" : "y") + std::to_string(block)};
  };
  return p;
}

Problem blow_up() {  // y' = y^2, y(0) = 1: infinite at t = 1; z is innocent
  Model m;
  const Ref z = m.state(1), y = m.state(1);
  m.der(-z);
  m.der(m.b.mul(y, y));
  return m.problem();
}

}  // namespace

TEST_CASE("trouble: a state that goes to infinity is named, the part before is kept") {
  for (const Method method : adaptive) {
    CAPTURE(to_text(method));
    const Result r = simulate(blow_up(), options(2, 1e-6, method, 100));
    CHECK(r.trouble.kind == Trouble::step_too_small);
    CHECK(r.trouble.time == doctest::Approx(1).epsilon(1e-4));
    REQUIRE(!r.trouble.suspects.empty());
    CHECK(r.trouble.suspects[0] == "x2");
    CHECK(!r.trouble.message.empty());
    check_kept_until(r, 0.98, 1.0001);
    CHECK(r.counters.steps < 20'000);
  }
}

TEST_CASE("trouble: a block without solution names its unknowns") {
  for (const Method method : adaptive) {
    CAPTURE(to_text(method));
    const Result r = simulate(vanishing_root(), options(2, 1e-6, method, 100));
    CHECK(r.trouble.kind == Trouble::block);
    CHECK(r.trouble.time == doctest::Approx(1).epsilon(1e-3));
    REQUIRE(r.trouble.unknowns.size() == 1);
    CHECK(r.trouble.unknowns[0] == "y7");
    REQUIRE(r.trouble.values.size() == 1);
    CHECK(std::fabs(r.trouble.values[0]) < 1);
    CHECK(r.trouble.message.find("y7") != std::string::npos);
    CHECK(r.trouble.suspects.empty());
    check_kept_until(r, 0.98, 1.0001);
    // x = t, z = 2/3 (1 - (1 - t)^1.5)
    const auto y = r.trajectory.state(25);
    CHECK(y[1] == doctest::Approx(2.0 / 3 * (1 - std::pow(0.5, 1.5))).epsilon(1e-4));
  }
}

TEST_CASE("trouble: not a number is named") {
  Model m;
  const Ref x = m.state(1);
  m.state(0);
  m.der(-kron::code::one);
  m.der(m.b.call(Fn::sqrt, {x}));
  for (const Method method : all_methods) {
    CAPTURE(to_text(method));
    const Result r = simulate(m.problem(), options(2, 1e-6, method, 100));
    CHECK(r.trouble.kind == Trouble::not_a_number);
    CHECK(r.trouble.time == doctest::Approx(1).epsilon(0.05));
    REQUIRE(r.trouble.suspects.size() == 1);
    CHECK(r.trouble.suspects[0] == "x2");
    check_kept_until(r, 0.95, 1.03);
  }
}

TEST_CASE("trouble: initialisation") {
  SUBCASE("the model cannot be evaluated at the start") {
    Model m;
    m.der(m.b.call(Fn::log, {m.state(-1)}));
    const Result r = simulate(m.problem(), options(1, 1e-6, Method::automatic));
    CHECK(r.trouble.kind == Trouble::initialisation);
    CHECK(r.trouble.suspects == std::vector<std::string>{"x1"});
    CHECK(r.trajectory.size() == 0);
  }
  SUBCASE("the initial program gives no number") {
    Model initial;
    initial.der(initial.b.call(Fn::log, {initial.b.input(InputKind::start, 0, 5)}));
    initial.der(kron::code::one);
    Problem p = oscillator().problem();
    p.initial = initial.problem().dynamics;
    p.starts = {-2};
    const Result r = simulate(p, options(1, 1e-6, Method::automatic));
    CHECK(r.trouble.kind == Trouble::initialisation);
    p.starts = {std::exp(2.0)};
    const Result good = simulate(p, options(1, 1e-6, Method::automatic));
    REQUIRE(good.ok());
    CHECK(good.trajectory.state(0)[0] == doctest::Approx(2));
    CHECK(good.trajectory.state(0)[1] == 1);
  }
  SUBCASE("a block of the initial program fails") {
    Model initial;
    const Ref y = initial.b.unknown(9, kron::code::Section::dynamic);
    kron::code::LinearStep step;
    step.size = 1;
    step.matrix = {{0, 0, initial.b.input(InputKind::start, 0, 5)}};
    step.rhs = {kron::code::one};
    step.unknowns = {y.node()};
    initial.b.add_linear(step, 3);
    initial.der(y);
    initial.der(y);
    Problem p = oscillator().problem();
    p.initial = initial.problem().dynamics;
    p.starts = {0};
    p.block_unknowns = [](bool first, std::uint32_t block) {
      return std::vector<std::string>{(first ? "initial" : "later") + std::to_string(block)};
    };
    const Result r = simulate(p, options(1, 1e-6, Method::automatic));
    CHECK(r.trouble.kind == Trouble::initialisation);
    CHECK(r.trouble.unknowns == std::vector<std::string>{"initial3"});
  }
}

TEST_CASE("trouble: settings") {
  const struct {
    const char* name;
    void (*change)(Options&);
  } rows[] = {{"backwards", [](Options& o) { o.stop = -1; }},
              {"infinite", [](Options& o) { o.stop = std::numeric_limits<double>::infinity(); }},
              {"no tolerance", [](Options& o) { o.tolerance = 0; }},
              {"negative tolerance", [](Options& o) { o.tolerance = -1; }},
              {"nan tolerance", [](Options& o) { o.tolerance = std::nan(""); }},
              {"too fine", [](Options& o) { o.tolerance = 1e-16; }},
              {"every 0", [](Options& o) { o.every = 0; }},
              {"points 0", [](Options& o) { o.points = 0; }},
              {"step 0", [](Options& o) { o.step = 0; }},
              {"precision", [](Options& o) { o.precision = 100'000; }},
              {"a million million points", [](Options& o) { o.every = 1e-12; }},
              {"ida in high precision", [](Options& o) { o.method = Method::ida, o.precision = 30, o.tolerance = 1e-20; }}};
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Options o = options(1, 1e-6, Method::automatic);
    row.change(o);
    const Result r = simulate(oscillator().problem(), o);
    CHECK(r.trouble.kind == Trouble::settings);
    CHECK(!r.trouble.message.empty());
    CHECK(r.trajectory.size() == 0);
  }
}

TEST_CASE("trouble: the finest tolerance still works") {
  for (const Method method : adaptive) {
    CAPTURE(to_text(method));
    const Result r = simulate(oscillator().problem(), options(2, 1e-14, method, 10));
    CHECK(r.ok());
    if (r.ok()) CHECK(r.trajectory.state(10)[0] == doctest::Approx(std::cos(2.0)).epsilon(1e-10));
  }
}

TEST_CASE("trouble: interruption keeps the part so far") {
  for (const Method method : all_methods) {
    CAPTURE(to_text(method));
    std::atomic<bool> stop = false;
    Options o = options(1e9, 1e-6, method, 1'000'000);
    o.interrupt = &stop;
    o.progress = [&](double fraction) {
      CHECK(fraction >= 0);
      CHECK(fraction <= 1);
      stop = true;
    };
    const Result r = simulate(oscillator().problem(), o);
    CHECK(r.trouble.kind == Trouble::interrupted);
    CHECK(r.trajectory.time().back() <= r.trouble.time);
    CHECK(r.trouble.time < 1e9);
    CHECK(r.counters.solve_s < 5);
  }
  std::atomic<bool> stop = true;  // from the start
  Options o = options(1, 1e-6, Method::automatic);
  o.interrupt = &stop;
  CHECK(simulate(vanishing_root(), o).trouble.kind == Trouble::interrupted);
}

TEST_CASE("trouble: progress is told at most twenty times a second") {
  int calls = 0;
  double last = 0;
  Options o = options(20'000, 1e-9, Method::rk45, 10);
  o.progress = [&](double f) {
    ++calls;
    CHECK(f >= last);
    last = f;
  };
  const Result r = simulate(oscillator().problem(), o);
  REQUIRE(r.ok());
  CHECK(calls <= 2 + static_cast<int>(21 * r.counters.solve_s));
}

TEST_CASE("trouble: steps that lead nowhere are too much work") {
  // An explicit method on a stiff model: 3e11 steps ahead.
  const Result r = simulate(decay(1e12).problem(), options(1, 1e-3, Method::rk45, 1));
  CHECK(r.trouble.kind == Trouble::too_much_work);
  CHECK(r.counters.steps < 2'000'000);
  CHECK(simulate(decay(1e12).problem(), options(1, 1e-3, Method::automatic, 1)).ok());
}

TEST_CASE("trouble: a block that only outputs need is missed at the start already") {
  Model m = oscillator();
  const Ref y = m.b.unknown(9, kron::code::Section::dynamic);
  kron::code::LinearStep step;
  step.size = 1;
  step.matrix = {{0, 0, m.time()}};
  step.rhs = {kron::code::one};
  step.unknowns = {y.node()};
  m.b.add_linear(step, 3);
  m.output(y);
  const Result r = simulate(m.problem(), options(1, 1e-6, Method::automatic));
  CHECK(r.trouble.kind == Trouble::block);
}

TEST_CASE("trouble: every kind has a code with an explanation") {
  for (const auto kind : {Trouble::interrupted, Trouble::initialisation, Trouble::block, Trouble::not_a_number,
                          Trouble::step_too_small, Trouble::too_much_work, Trouble::settings, Trouble::other}) {
    CAPTURE(code_of(kind));
    CHECK(kron::find_diagnostic_code(code_of(kind)) != nullptr);
  }
  CHECK(code_of(Trouble::none).empty());
}

TEST_CASE("a step failure on the way does not end a run") {
  // sqrt(1 - t^2) at the end of its domain: a trial step beyond t = 1 gives no number, the run to exactly 1 works.
  Model m;
  m.state(0);
  const Ref t = m.time();
  m.der(m.b.call(Fn::sqrt, {m.b.sub(kron::code::one, m.b.mul(t, t))}));
  for (const Method method : adaptive) {
    CAPTURE(to_text(method));
    const Result r = simulate(m.problem(), options(1, 1e-7, method, 10));
    REQUIRE(r.ok());
    CHECK(r.trajectory.state(10)[0] == doctest::Approx(M_PI / 4).epsilon(1e-5));
  }
}
