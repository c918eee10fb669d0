// The line from a model to a trajectory, on small models with known solutions.
#include <doctest/doctest.h>

#include <cmath>

#include "engine/session/analysis.hpp"
#include "engine/session/model.hpp"

using namespace kron;
using session::Analysis;

namespace {

struct Run {
  std::shared_ptr<const Analysis> analysis;
  simulate::Problem problem;
  simulate::Result result;
  std::unique_ptr<session::Sampler> sampler;
  double at(const std::string& name, double t) {
    const auto v = model::find(analysis->flat, name);
    REQUIRE_MESSAGE(v, name);
    return sampler->value(*v, t);
  }
};

Run run(const Model& m, simulate::Options o) {
  Run r;
  session::Engine engine;
  r.analysis = engine.analyse(m.blueprint(), {});
  for (const auto& d : r.analysis->diagnostics.list()) MESSAGE(render(d));
  REQUIRE(r.analysis->complete);
  Diagnostics d;
  r.problem = engine.problem(r.analysis, {}, d);
  r.result = simulate::simulate(r.problem, o);
  CHECK_MESSAGE(r.result.ok(), r.result.trouble.message);
  r.sampler = std::make_unique<session::Sampler>(r.analysis, r.problem, r.result.trajectory);
  return r;
}

}  // namespace

TEST_CASE("engine: decay") {
  Model m;
  auto x = m.variable("x", {.start = 1, .fixed = true});
  auto k = m.parameter("k", 2);
  m.add(der(x) == -k * x);
  Run r = run(m, {.stop = 1, .tolerance = 1e-9});
  CHECK(r.at("x", 1) == doctest::Approx(std::exp(-2)).epsilon(1e-7));
  CHECK(r.at("der(x)", 1) == doctest::Approx(-2 * std::exp(-2)).epsilon(1e-7));
  CHECK(r.at("k", 0.3) == 2);
}

TEST_CASE("engine: oscillator through aliases") {
  Model m;
  auto x = m.variable("x", {.start = 1, .fixed = true});
  auto v = m.variable("v", {.start = 0, .fixed = true});
  auto a = m.variable("a");
  m.add(der(x) == v);
  m.add(der(v) == a);
  m.add(a == -x);
  Run r = run(m, {.stop = 10, .tolerance = 1e-9});
  CHECK(r.analysis->states.size() == 2);
  CHECK(r.at("x", 10) == doctest::Approx(std::cos(10)).epsilon(1e-6));
  CHECK(r.at("a", 10) == doctest::Approx(-std::cos(10)).epsilon(1e-6));
}

TEST_CASE("engine: a coupled linear block and a non-linear one") {
  Model m;
  auto x = m.variable("x", {.start = 1, .fixed = true});
  auto y = m.variable("y"), z = m.variable("z"), w = m.variable("w", {.start = 1});
  auto p = m.parameter("p", 3);
  m.add(der(x) == -y);
  m.add(p * y + z == x);
  m.add(y - p * z == 2 * x);
  m.add(GiNaC::exp(w) + w == z + 5);
  Run r = run(m, {.stop = 1, .tolerance = 1e-10});
  const double X = r.at("x", 1), Y = r.at("y", 1), Z = r.at("z", 1), W = r.at("w", 1);
  CHECK(3 * Y + Z == doctest::Approx(X));
  CHECK(Y - 3 * Z == doctest::Approx(2 * X));
  CHECK(std::exp(W) + W == doctest::Approx(Z + 5));
  CHECK(X == doctest::Approx(std::exp(-0.5)).epsilon(1e-8));
}

TEST_CASE("engine: rigidly coupled inertias reduce the index") {
  Model m;
  auto phi1 = m.variable("phi1", {.start = 0, .fixed = true}), w1 = m.variable("w1", {.start = 0, .fixed = true});
  auto phi2 = m.variable("phi2"), w2 = m.variable("w2"), t1 = m.variable("t1"), t2 = m.variable("t2");
  auto J1 = m.parameter("J1", 0.1), J2 = m.parameter("J2", 2), i = m.parameter("i", 10);
  m.add(der(phi1) == w1);
  m.add(der(phi2) == w2);
  m.add(J1 * der(w1) == 5 - t1);
  m.add(J2 * der(w2) == t2);
  m.add(phi1 == i * phi2);
  m.add(t2 == i * t1);
  Run r = run(m, {.stop = 2, .tolerance = 1e-10});
  CHECK(r.analysis->states.size() == 2);
  const double alpha2 = 10 * 5.0 / (2 + 100 * 0.1);
  CHECK(r.at("w2", 2) == doctest::Approx(2 * alpha2).epsilon(1e-8));
  CHECK(r.at("phi1", 2) == doctest::Approx(10 * alpha2 * 2).epsilon(1e-8));
}

TEST_CASE("engine: a model without states") {
  Model m;
  auto y = m.variable("y");
  m.add(y == GiNaC::sin(Model::time()) * 2);
  Run r = run(m, {.stop = 1});
  CHECK(r.at("y", 1) == doctest::Approx(2 * std::sin(1)));
}

TEST_CASE("engine: initial equations") {
  Model m;
  auto x = m.variable("x", {.start = 3});
  m.add(der(x) == 4 - 2 * x);
  m.initial(der(x) == 0);
  Run r = run(m, {.stop = 1});
  CHECK(r.at("x", 0) == doctest::Approx(2));
  CHECK(r.at("x", 1) == doctest::Approx(2));
}

TEST_CASE("engine: a derivative that is a constant") {
  Model m;
  auto x = m.variable("x", {.start = 1, .fixed = true}), y = m.variable("y", {.start = 0, .fixed = true}), w = m.variable("w");
  m.add(der(x) == -1);
  m.add(der(y) == w);
  m.add(w == 0);
  Run r = run(m, {.stop = 2});
  CHECK(r.analysis->states.size() == 2);
  CHECK(r.at("x", 2) == doctest::Approx(-1));
  CHECK(r.at("der(x)", 2) == -1);
  CHECK(r.at("y", 2) == doctest::Approx(0));
}
