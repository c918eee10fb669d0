#include <doctest/doctest.h>

#include "tests/simulate/problems.hpp"

using namespace problems;
using namespace kron::simulate;

namespace {

// Common leading digits of two decimals, signs and points apart.
std::size_t agreeing(const std::string& a, const std::string& b) {
  std::size_t digits = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()) && a[i] == b[i]; ++i)
    digits += a[i] >= '0' && a[i] <= '9' ? 1 : 0;
  return digits;
}

const char* cos_1 =
    "0.54030230586813971740093660744297660373231042061792222767009725538110039477447176451795185608718308934";
const char* sin_1 =
    "-0.84147098480789650665250232163029899962256306079837106567275170999191040439123966894863974354305269585";
const char* exp_1 =
    "2.71828182845904523536028747135266249775724709369995957496696762772407663035354759457138217852516642742";

}  // namespace

TEST_CASE("precision: as many digits as asked for, up to the documented goal") {
  const struct {
    unsigned precision;
    std::size_t digits;
  } rows[] = {{16, 15}, {20, 19}, {30, 29}, {40, 38}, {50, 42}, {100, 50}};
  for (const auto& row : rows) {
    CAPTURE(row.precision);
    Model m = oscillator();
    m.output(m.b.call(Fn::exp, {m.time()}));
    Options o = options(1, 1e-6, Method::automatic, 4);
    o.precision = row.precision;
    const Result r = simulate(m.problem(), o);
    REQUIRE(r.ok());
    REQUIRE(r.trajectory.last_digits.size() == 3);
    CHECK(agreeing(r.trajectory.last_digits[0], cos_1) > row.digits);
    CHECK(agreeing(r.trajectory.last_digits[1], sin_1) > row.digits);
    CHECK(agreeing(r.trajectory.last_digits[2], exp_1) >= row.precision - 4);  // ...369995957: rounding carries
    for (std::size_t p = 0; p < r.trajectory.size(); ++p)                      // the points are good to a double
      CHECK(r.trajectory.state(p)[0] == doctest::Approx(std::cos(r.trajectory.time()[p])).epsilon(4e-16));
  }
}

TEST_CASE("precision: exact parameters, starts and times") {
  Model m;  // y' = y/3 with 1/3 exact, from 1/10, until 3/10: y = exp(1/10)/10
  const Ref y = m.state(0.1);
  m.der(m.b.mul(m.parameter(1.0 / 3), y));
  Problem p = m.problem();
  p.exact_parameters = {Rational(1, 3)};
  p.exact_starts = {Rational(1, 10)};
  Options o = options(0.3, 1e-6, Method::automatic, 3);
  o.precision = 40;
  const Result r = simulate(p, o);
  REQUIRE(r.ok());
  CHECK(agreeing(r.trajectory.last_digits[0],
                 "0.110517091807564762481170782649024666822454719473751871879286328944096") > 38);
}

TEST_CASE("precision: a finer tolerance than the goal is followed, a coarser one is not") {
  Options o = options(1, 1e-3, Method::automatic, 1);
  o.precision = 20;
  const Result coarse = simulate(oscillator().problem(), o);
  o.tolerance = 1e-24;
  const Result fine = simulate(oscillator().problem(), o);
  REQUIRE(fine.ok());
  CHECK(agreeing(coarse.trajectory.last_digits[0], cos_1) > 18);
  CHECK(fine.counters.steps > coarse.counters.steps);
}

TEST_CASE("precision: the output grid does not touch the steps; values between points") {
  Options o = options(3, 1e-6, Method::automatic, 1);
  o.precision = 25;
  const Result coarse = simulate(oscillator().problem(), o);
  o.points = 300;
  const Result fine = simulate(oscillator().problem(), o);
  REQUIRE(fine.ok());
  CHECK(coarse.counters.steps == fine.counters.steps);
  CHECK(coarse.trajectory.last_digits == fine.trajectory.last_digits);
  std::vector<double> y(2);
  fine.trajectory.interpolate(1.23456, y);
  CHECK(y[0] == doctest::Approx(std::cos(1.23456)).epsilon(1e-9));
}

TEST_CASE("precision: troubles are the same") {
  Model m;
  const Ref x = m.state(1);
  m.state(0);
  m.der(-kron::code::one);
  m.der(m.b.call(Fn::sqrt, {x}));
  Options o = options(2, 1e-6, Method::automatic, 20);
  o.precision = 20;
  const Result nan = simulate(m.problem(), o);
  CHECK(nan.trouble.kind == Trouble::not_a_number);
  CHECK(nan.trouble.suspects == std::vector<std::string>{"x2"});
  CHECK(nan.trajectory.size() >= 10);  // up to 0.9; x = 0 at 1
  std::atomic<bool> stop = false;
  o = options(1e6, 1e-6, Method::automatic, 1000);
  o.precision = 20;
  o.interrupt = &stop;
  o.progress = [&](double) { stop = true; };
  const Result cut = simulate(oscillator().problem(), o);
  CHECK(cut.trouble.kind == Trouble::interrupted);
  CHECK(cut.trajectory.size() >= 1);
}

TEST_CASE("parameters that the initial program determines reach the run, in any precision") {
  Model m;  // y' = -k y with y(0) = 1 and k from k + 1 = 3
  const Ref y = m.state(1);
  m.der(-m.b.mul(m.parameter(0), y));
  Model initial;
  initial.der(kron::code::one);
  initial.der(initial.number(2));
  Problem p = m.problem();
  p.initial = initial.problem().dynamics;
  p.free_parameters = {0};
  for (const unsigned precision : {15u, 30u}) {
    Options o = options(1, 1e-8, Method::automatic, 10);
    o.precision = precision;
    const Result r = simulate(p, o);
    REQUIRE(r.ok());
    CHECK(r.free_values == std::vector<double>{2});
    CHECK(r.trajectory.state(10)[0] == doctest::Approx(std::exp(-2.0)).epsilon(1e-6));
  }
}

TEST_CASE("precision: without states") {
  Model m;
  m.output(m.b.call(Fn::exp, {m.time()}));
  Options o = options(1, 1e-6, Method::automatic, 10);
  o.precision = 60;
  const Result r = simulate(m.problem(), o);
  REQUIRE(r.ok());
  CHECK(r.trajectory.size() == 11);
  CHECK(agreeing(r.trajectory.last_digits.at(0), exp_1) >= 59);
}
