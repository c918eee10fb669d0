#include <doctest/doctest.h>

#include "engine/simulate/recorder.hpp"
#include "engine/simulate/run.hpp"
#include "tests/simulate/problems.hpp"

using namespace problems;
using namespace kron::simulate;

TEST_CASE("grid: starts, ends and spacing") {
  const struct {
    double start, stop;
    std::optional<double> every;
    std::size_t points, size;
  } rows[] = {{0, 1, {}, 10, 11},    {0, 1, 0.1, 500, 11},         {0, 1, 0.3, 500, 5}, {0, 1, 2.0, 500, 2},
              {-1, 1, 0.25, 500, 9}, {0, 0, {}, 500, 1},           {2, 2, 0.1, 500, 1}, {0, 10, 0.1, 500, 101},
              {0, 1e-9, {}, 3, 4},   {1e6, 1e6 + 1, 0.1, 500, 11}, {0, 0.3, 0.1, 7, 4}, {0, 1, 1.0 / 3, 500, 4}};
  for (const auto& row : rows) {
    CAPTURE(row.stop);
    Options o;
    o.start = row.start;
    o.stop = row.stop;
    o.every = row.every;
    o.points = row.points;
    const auto grid = output_grid(o);
    CHECK(grid.size() == row.size);
    CHECK(grid_size(o) == row.size);
    CHECK(grid.front() == row.start);
    CHECK(grid.back() == row.stop);
    for (std::size_t k = 1; k < grid.size(); ++k) {
      CHECK(grid[k] > grid[k - 1]);
      if (row.every && k + 1 < grid.size()) CHECK(grid[k] - grid[k - 1] == doctest::Approx(*row.every).epsilon(1e-6));
    }
  }
  Options o;
  o.every = 0.1;
  CHECK(output_grid(o)[3] == 0.3);  // not 0.30000000000000004
  o.start = 0.1;
  CHECK(output_grid(o)[2] == 0.3);
  o.stop = 1.05;
  CHECK(output_grid(o)[8] == 0.9);
  o.every = std::nullopt;
  o.start = 0;
  o.stop = 10;
  o.points = 500;
  for (std::size_t k = 0; k <= 500; ++k) CHECK(output_grid(o)[k] == static_cast<double>(k) / 50);
  o.start = 1;
  o.stop = 1 + 4e-16;
  CHECK(output_grid(o).size() <= 4);  // times that a double cannot tell apart are one point
}

TEST_CASE("grid: it does not touch the steps, and its end is always there") {
  for (const Method method : {Method::bdf, Method::adams, Method::rk45, Method::automatic}) {
    const Problem p = van_der_pol(5).problem();
    const Result coarse = simulate(p, options(20, 1e-7, method, 1)),
                 fine = simulate(p, options(20, 1e-7, method, 3000));
    CHECK(coarse.counters.steps == fine.counters.steps);
    CHECK(coarse.counters.rhs_evals == fine.counters.rhs_evals);
    REQUIRE(coarse.trajectory.size() == 2);
    REQUIRE(fine.trajectory.size() == 3001);
    for (std::size_t i = 0; i < 2; ++i) CHECK(coarse.trajectory.state(1)[i] == fine.trajectory.state(3000)[i]);
    Options o = options(20, 1e-7, method);
    o.every = 0.7;
    const Result r = simulate(p, o);
    CHECK(r.trajectory.size() == 30);
    CHECK(r.trajectory.time().back() == 20);
  }
}

TEST_CASE("trajectory: a run of no length is one point") {
  for (const Method method : {Method::bdf, Method::adams, Method::rk45, Method::automatic, Method::euler}) {
    const Result r = simulate(oscillator().problem(), options(0, 1e-6, method));
    REQUIRE(r.ok());
    REQUIRE(r.trajectory.size() == 1);
    CHECK(r.trajectory.state(0)[0] == 1);
    std::vector<double> y(2);
    r.trajectory.interpolate(0, y);
    CHECK(y[0] == 1);
  }
}

TEST_CASE("trajectory: a run of the shortest length a double has") {
  for (const Method method : {Method::bdf, Method::adams, Method::rk45, Method::automatic, Method::euler}) {
    CAPTURE(to_text(method));
    Options o = options(std::nextafter(1.0, 2.0), 1e-6, method);
    o.start = 1;
    const Result r = simulate(oscillator().problem(), o);
    REQUIRE(r.ok());
    CHECK(r.trajectory.time().back() == o.stop);
    CHECK(r.trajectory.state(r.trajectory.size() - 1)[0] == doctest::Approx(1));
  }
}

TEST_CASE("trajectory: interpolation is exact at points and accurate between them") {
  for (const Method method : {Method::bdf, Method::adams, Method::rk45, Method::automatic}) {
    CAPTURE(to_text(method));
    const double tolerance = 1e-8;
    const Result r = simulate(oscillator().problem(), options(10, tolerance, method, 5));
    REQUIRE(r.ok());
    std::vector<double> y(2);
    for (std::size_t p = 0; p < r.trajectory.size(); ++p) {
      r.trajectory.interpolate(r.trajectory.time()[p], y);
      CHECK(y[0] == r.trajectory.state(p)[0]);
      CHECK(y[1] == r.trajectory.state(p)[1]);
    }
    double worst = 0;
    for (double t = 0; t <= 10; t += 0.00717) {
      r.trajectory.interpolate(t, y);
      worst = std::max({worst, std::fabs(y[0] - std::cos(t)), std::fabs(y[1] + std::sin(t))});
    }
    CHECK(worst < 500 * tolerance);
    r.trajectory.interpolate(-1, y);  // outside: the ends
    CHECK(y[0] == 1);
    r.trajectory.interpolate(11, y);
    CHECK(y[0] == r.trajectory.state(5)[0]);
  }
}

TEST_CASE("trajectory: Euler is linear between its steps") {
  const Result r = simulate(decay(1).problem(), options(1, 1e-6, Method::euler, 4));
  std::vector<double> y(1);
  r.trajectory.interpolate(0.375, y);
  CHECK(y[0] == doctest::Approx((r.trajectory.state(1)[0] + r.trajectory.state(2)[0]) / 2));
}

TEST_CASE("trajectory: where memory ends, Hermite and then chords take over") {
  // Written through a recorder with little room: sin and cos at 0, 0.1, ...
  const struct {
    std::size_t capacity;
    double error;
  } rows[] = {{std::size_t{1} << 20, 5e-6},  // Taylor: h^4/24
              {900, 5e-5},                   // some steps, then slopes (one estimated where they meet)
              {0, 1e-3}};                    // slopes of parabolas, of chords at the ends
  for (const auto& row : rows) {
    CAPTURE(row.capacity);
    Trajectory tr;
    Recorder recorder(tr, 2, 51, 1e-6, row.capacity);
    for (int k = 0; k <= 50; ++k) {
      const double t = 0.1 * k;
      if (k > 0) {
        const auto c = recorder.add_step(t, t, 0.1, 3);
        for (std::size_t j = 0, f = 1; !c.empty() && j < 4; ++j, f *= j) {
          const double s = std::pow(0.1, j) / static_cast<double>(f), phase = t + M_PI / 2 * static_cast<double>(j);
          c[2 * j] = s * std::sin(phase);
          c[2 * j + 1] = s * std::cos(phase);
        }
      }
      const auto y = recorder.add_point(t);
      y[0] = std::sin(t);
      y[1] = std::cos(t);
      if (recorder.wants_slopes()) {
        const auto slope = recorder.add_slope();
        slope[0] = std::cos(t);
        slope[1] = -std::sin(t);
      }
    }
    recorder.finish();
    std::vector<double> y(2);
    for (double t = 0; t < 5; t += 0.013) {
      tr.interpolate(t, y);
      CHECK(std::fabs(y[0] - std::sin(t)) < row.error);
      CHECK(std::fabs(y[1] - std::cos(t)) < row.error);
    }
  }
}

TEST_CASE("trajectory: two points at one time are the sides of an event; the value is the one after") {
  Trajectory tr;
  Recorder recorder(tr, 1, 4, 1e-6, 0);
  const double times[] = {0, 1, 1, 2}, values[] = {0, 1, 5, 6};
  for (int k = 0; k < 4; ++k) recorder.add_point(times[k])[0] = values[k];
  std::vector<double> y(1);
  tr.interpolate(1, y);
  CHECK(y[0] == 5);
  tr.interpolate(0.5, y);
  CHECK(y[0] == doctest::Approx(0.5));
  tr.interpolate(1.5, y);
  CHECK(y[0] == doctest::Approx(5.5));
}

TEST_CASE("outputs: rows, columns and single times agree") {
  Model m = oscillator(2);
  m.output(m.b.mul(m.b.input(InputKind::state, 0, 1000), m.number(3)));
  m.output(m.time());
  m.output(m.b.call(Fn::exp, {m.b.input(InputKind::state, 1, 1001)}));
  const Problem p = m.problem();
  const Result r = simulate(p, options(3, 1e-9, Method::automatic, 30));
  REQUIRE(r.ok());
  const std::vector<std::size_t> points = {30, 0, 7, 7}, wanted = {2, 0};
  const auto rows = outputs(p, r.trajectory, points);
  const auto columns = output_columns(p, r.trajectory, wanted);
  REQUIRE(rows.size() == 4);
  REQUIRE(columns.size() == 2);
  for (std::size_t k = 0; k < points.size(); ++k) {
    const std::size_t at = points[k];
    REQUIRE(rows[k].size() == 3);
    CHECK(rows[k][0] == 3 * r.trajectory.state(at)[0]);
    CHECK(rows[k][1] == r.trajectory.time()[at]);
    CHECK(rows[k][2] == std::exp(r.trajectory.state(at)[1]));
    CHECK(columns[0][at] == rows[k][2]);
    CHECK(columns[1][at] == rows[k][0]);
    CHECK(outputs_at(p, r.trajectory, r.trajectory.time()[at]) == rows[k]);
  }
  const auto between = outputs_at(p, r.trajectory, 1.234);
  CHECK(between[0] == doctest::Approx(3 * std::cos(2 * 1.234)).epsilon(1e-6));
  CHECK(between[1] == 1.234);
  CHECK(outputs_at(p, r.trajectory, 99)[1] == 3);
}

namespace {

// y^3 - 3 y = u: a branch that depends on the way there.
Model cubic(Ref (*input)(Model&)) {
  Model m;
  const Ref u = input(m);
  const Ref y = m.b.unknown(77, kron::code::Section::dynamic);
  kron::code::NewtonStep step;
  step.size = 1;
  step.residual = {m.b.sub(m.b.sub(m.b.mul(y, m.b.mul(y, y)), m.b.mul(m.number(3), y)), u)};
  step.jacobian = {{0, 0, m.b.sub(m.b.mul(m.number(3), m.b.mul(y, y)), m.number(3))}};
  step.unknowns = {y.node()};
  step.start = {m.number(-2)};
  step.nominal = {1};
  step.minimum = {-1e30};
  step.maximum = {1e30};
  m.b.add_newton(step, 4);
  m.output(y);
  return m;
}

}  // namespace

TEST_CASE("outputs: a Newton block follows its branch, whatever points are asked for") {
  Model m =
      cubic([](Model& model) { return model.b.sub(model.b.mul(model.number(1.9), model.time()), model.number(1.9)); });
  const Problem p = m.problem();
  const Result r = simulate(p, options(1, 1e-6, Method::automatic, 50));
  REQUIRE(r.ok());
  CHECK(r.trajectory.size() == 51);
  CHECK(r.trajectory.states() == 0);
  const std::vector<std::size_t> wanted = {0}, last = {50}, some = {20, 40};
  const auto column = output_columns(p, r.trajectory, wanted)[0];
  CHECK(column[50] == doctest::Approx(-std::sqrt(3.0)).epsilon(1e-6));
  CHECK(outputs(p, r.trajectory, last)[0][0] == doctest::Approx(column[50]).epsilon(1e-9));
  CHECK(outputs(p, r.trajectory, some)[1][0] == doctest::Approx(column[40]).epsilon(1e-9));
  CHECK(outputs_at(p, r.trajectory, 1)[0] == doctest::Approx(column[50]).epsilon(1e-9));
}

TEST_CASE("outputs: without states the grid is evaluated") {
  Model m;
  m.output(m.b.call(Fn::sin, {m.time()}));
  const Problem p = m.problem();
  for (const Method method : {Method::automatic, Method::bdf, Method::rk45, Method::euler}) {
    const Result r = simulate(p, options(2, 1e-6, method, 20));
    REQUIRE(r.ok());
    CHECK(r.trajectory.size() == 21);
    const std::vector<std::size_t> wanted = {0};
    CHECK(output_columns(p, r.trajectory, wanted)[0][10] == std::sin(1.0));
    CHECK(outputs_at(p, r.trajectory, 0.123)[0] == std::sin(0.123));
  }
}

TEST_CASE("path of solutions: cubics between neighbours of comparable distance, straight on behind the last one, nothing across an event") {
  const auto cubic = [](double t) { return std::vector<double>{1 + t * (2 - t * (3 - t)), t}; };
  SolutionPath path(2);
  std::vector<double> found(2);
  CHECK_FALSE(path.at(0, 0, found));
  for (const double t : {0.0, 1.0, 1.5, 3.0, 3.001, 4.0}) path.add(t, cubic(t));
  path.add(3.5, std::vector<double>{77, 77});  // of a time that has passed
  path.begin_piece(10);
  CHECK_FALSE(path.at(4.5, 10, found));
  path.add(4.0, std::vector<double>{-1, 5});
  const struct {
    const char* name;
    double time;
    std::size_t point;
    double first, second, error;
  } rows[] = {
      {"at a node", 1.5, 3, cubic(1.5)[0], 1.5, 0},
      {"before the first one", -1, 0, 1, 0, 0},
      {"between four nodes", 1.2, 3, cubic(1.2)[0], 1.2, 1e-14},
      {"beside a short distance: three", 2, 3, 1.5, 2, 1e-14},  // the parabola through 1, 1.5 and 3
      {"behind the last one", 4.5, 9, cubic(4)[0] + 0.5 * (cubic(4)[0] - cubic(3.001)[0]) / 0.999, 4.5, 1e-12},
      {"far behind it", 20, 9, cubic(4)[0], 4, 0},
      {"before an event", 4, 9, cubic(4)[0], 4, 0},
      {"behind it", 4, 10, -1, 5, 0},
      {"later, of one node", 5, 12, -1, 5, 0},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    REQUIRE(path.at(row.time, row.point, found));
    CHECK(std::abs(found[0] - row.first) <= row.error);
    CHECK(std::abs(found[1] - row.second) <= row.error);
  }
}

TEST_CASE("path of solutions: a full one keeps every second node, and the first behind each event") {
  SolutionPath path(1, 64);
  for (int piece = 0; piece < 3; ++piece) {
    if (piece > 0) path.begin_piece(100 * static_cast<std::size_t>(piece));
    for (int k = 0; k <= 100; ++k) path.add(piece + 0.01 * k, std::vector<double>{std::sin(piece + 0.01 * k) + 10 * piece});
  }
  std::vector<double> found(1);
  for (int k = 0; k <= 300; ++k) {
    const double t = 0.01 * k;
    const auto piece = static_cast<std::size_t>(std::min(2, k / 100));
    CAPTURE(t);
    REQUIRE(path.at(t, 100 * piece, found));
    CHECK(std::abs(found[0] - (std::sin(t) + 10 * static_cast<double>(piece))) < 5e-3);  // straight on behind the last node, over less than 0.08
  }
}
