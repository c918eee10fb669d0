// Accuracy of every method on problems with closed forms. Each accepted step may err by the tolerance (in units of the
// states' size), and these problems do not amplify errors, so the error at the end is at most the number of steps times
// it.
#include <doctest/doctest.h>

#include "tests/simulate/problems.hpp"

using namespace problems;
using namespace kron::simulate;

namespace {

struct Case {
  const char* name;
  Model model;
  double stop;
  std::vector<double> (*exact)(double t);
};

std::vector<Case> cases() {
  Model driven;  // y' = cos(t): no dependence on the state at all
  driven.state(0);
  driven.der(driven.b.call(Fn::cos, {driven.time()}));
  Model logistic;  // y' = y (1 - y)
  const Ref y = logistic.state(0.1);
  logistic.der(logistic.b.mul(y, logistic.b.sub(kron::code::one, y)));
  Model constant;
  constant.state(3);
  constant.der(kron::code::zero);
  return {
      {"decay", decay(1), 5, [](double t) { return std::vector{std::exp(-t)}; }},
      {"oscillator", oscillator(), 20 * M_PI,
       [](double t) {
         return std::vector{std::cos(t), -std::sin(t)};
       }},
      {"driven", driven, 30, [](double t) { return std::vector{std::sin(t)}; }},
      {"logistic", logistic, 20, [](double t) { return std::vector{1 / (1 + 9 * std::exp(-t))}; }},
      {"constant", constant, 1e6, [](double) { return std::vector{3.0}; }},
  };
}

double worst_error(const Trajectory& tr, const Case& c) {
  double worst = 0;
  for (std::size_t p = 0; p < tr.size(); ++p) {
    const auto exact = c.exact(tr.time()[p]);
    for (std::size_t i = 0; i < exact.size(); ++i) worst = std::max(worst, std::fabs(tr.state(p)[i] - exact[i]));
  }
  return worst;
}

}  // namespace

TEST_CASE("methods: closed forms within the sum of the local errors") {
  for (const Method method : {Method::automatic, Method::bdf, Method::adams, Method::rk45})
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10})
      for (const Case& c : cases()) {
        CAPTURE(c.name);
        CAPTURE(to_text(method));
        CAPTURE(tolerance);
        const Result r = simulate(c.model.problem(), options(c.stop, tolerance, method));
        REQUIRE(r.ok());
        CHECK(r.trajectory.size() == 101);
        CHECK(r.counters.points == 101);
        CHECK(r.counters.steps > 0);
        const double states = static_cast<double>(r.trajectory.states());
        CHECK(worst_error(r.trajectory, c) <
              std::sqrt(states) * static_cast<double>(r.counters.steps + 10) * tolerance * 3);
      }
}

TEST_CASE("methods: a tighter tolerance gives a smaller error") {
  const Case c = cases()[1];
  for (const Method method : {Method::automatic, Method::bdf, Method::adams, Method::rk45}) {
    CAPTURE(to_text(method));
    double before = 1;
    for (const double tolerance : {1e-4, 1e-7, 1e-10}) {
      const Result r = simulate(c.model.problem(), options(c.stop, tolerance, method));
      const double error = worst_error(r.trajectory, c);
      CHECK(error < before / 50);  // for a factor of 1000
      before = error;
    }
  }
}

TEST_CASE("methods: explicit Euler is y += h f, step for step") {
  const struct {
    double stop;
    std::size_t points;
    std::optional<double> step;
    std::size_t steps;
  } rows[] = {{1, 10, std::nullopt, 10}, {1, 10, 0.01, 100}, {1, 10, 0.03, 34}, {2, 1, 0.5, 4}, {1, 3, 0.1, 10}};
  for (const auto& row : rows) {
    Options o = options(row.stop, 1e-6, Method::euler, row.points);
    o.step = row.step;
    const Result r = simulate(decay(1).problem(), o);
    REQUIRE(r.ok());
    CHECK(r.counters.steps == row.steps);
    CHECK(r.counters.rhs_evals <= row.steps + 1);
    const double h = row.step.value_or(row.stop / static_cast<double>(row.points));
    double y = 1, t = 0;
    for (std::size_t k = 0; k < row.steps; ++k) {
      const double end = std::min(row.stop, t + h);
      y -= (end - t) * y;
      t = end;
    }
    CHECK(r.trajectory.time().back() == row.stop);
    CHECK(r.trajectory.state(r.trajectory.size() - 1)[0] == doctest::Approx(y).epsilon(1e-12));
  }
}

TEST_CASE("methods: Euler and Dormand-Prince converge with their orders") {
  const Case c = cases()[3];
  auto error = [&](double step, Method method) {
    Options o = options(4, method == Method::euler ? 1e-6 : 0.9, method, 1);
    o.step = step;
    const Result r = simulate(c.model.problem(), o);
    return std::fabs(r.trajectory.state(1)[0] - c.exact(4)[0]);
  };
  CHECK(error(0.01, Method::euler) / error(0.005, Method::euler) == doctest::Approx(2).epsilon(0.05));
  CHECK(error(0.2, Method::rk45) / error(0.1, Method::rk45) > 25);  // 2^5
  CHECK(error(0.2, Method::rk45) / error(0.1, Method::rk45) < 80);
}

TEST_CASE("methods: a thousand periods of an oscillator") {
  for (const Method method : {Method::automatic, Method::rk45}) {
    const Result r = simulate(oscillator().problem(), options(2000 * M_PI, 1e-8, method, 10));
    REQUIRE(r.ok());
    CHECK(r.used == Method::rk45);
    const auto y = r.trajectory.state(10);
    CHECK(std::hypot(y[0] - 1, y[1]) < 2e-5);
    CHECK(r.counters.steps < 100'000);
  }
}

TEST_CASE("methods: ten revolutions of an eccentric orbit close") {
  const Result r = simulate(kepler(0.6).problem(), options(20 * M_PI, 1e-8, Method::automatic, 100));
  REQUIRE(r.ok());
  CHECK(std::hypot(r.trajectory.state(100)[0] - 0.4, r.trajectory.state(100)[1]) < 1e-5);
  for (std::size_t p = 0; p < r.trajectory.size(); ++p) {  // energy and angular momentum
    const auto y = r.trajectory.state(p);
    CHECK((y[2] * y[2] + y[3] * y[3]) / 2 - 1 / std::hypot(y[0], y[1]) == doctest::Approx(-0.5).epsilon(1e-6));
    CHECK(y[0] * y[3] - y[1] * y[2] == doctest::Approx(0.8).epsilon(1e-6));
  }
}

TEST_CASE("methods: names") {
  for (const Method m : {Method::automatic, Method::bdf, Method::adams, Method::ida, Method::rk45, Method::euler})
    CHECK(method_named(to_text(m)) == m);
  CHECK(method_named("auto") == Method::automatic);
  CHECK(!method_named("dassl"));
}

TEST_CASE("methods: the states' size does not matter, their nominal value sets the scale") {
  // The same oscillator in units 1e9 times smaller and larger gives the same steps, when its nominal values say so.
  std::size_t steps = 0;
  for (const double unit : {1.0, 0x1p-30, 0x1p30}) {
    Model m;
    const Ref x = m.state(unit), v = m.state(0);
    m.der(v);
    m.der(-x);
    Problem p = m.problem();
    p.nominal = {unit, unit};
    for (const Method method : {Method::rk45}) {
      const Result r = simulate(p, options(10, 1e-7, method));
      REQUIRE(r.ok());
      if (steps == 0) steps = r.counters.steps;
      CHECK(r.counters.steps == steps);
      CHECK(r.trajectory.state(100)[0] / unit == doctest::Approx(std::cos(10.0)).epsilon(1e-5));
    }
  }
}
