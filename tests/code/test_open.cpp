// Roots::open: unknowns of solve steps as states, residuals as derivative roots.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "engine/code/program.hpp"
#include "unknowns.hpp"

using namespace kron;
using namespace kron::code;
using namespace kron::code::test;

namespace {

// der = -z*w_0 with z^3 + z = x by an iteration and [[3, z], [-1, 2 + x]] w = [-z, 1] by an LU that needs its solution; an output v
// with v^3 + v = -x that no derivative needs.
struct Model {
  Builder b;
  Roots roots;
};

Ref cubic(Builder& b, Ref right, std::uint64_t key, std::uint32_t block) {
  NewtonStep step{.size = 1};
  const Ref z = make_unknowns(b, 1, step.unknowns, key)[0];
  step.residual = {b.sub(b.add(b.mul(b.mul(z, z), z), z), right)};
  step.jacobian = {{0, 0, b.add(b.mul(b.constant(3.0), b.mul(z, z)), one)}};
  step.start = {zero};
  step.nominal = {1};
  step.minimum = {-INFINITY};
  step.maximum = {INFINITY};
  b.add_newton(std::move(step), block);
  return z;
}

Model model() {
  Model m;
  Builder& b = m.b;
  const Ref x = b.input(InputKind::state, 0, 1), z = cubic(b, x, 500, 1);
  LinearStep step{.size = 2};
  const auto w = make_unknowns(b, 2, step.unknowns, 600);
  step.matrix = {{0, 0, b.constant(3.0)}, {0, 1, z}, {1, 0, -one}, {1, 1, b.add(b.constant(2.0), x)}};
  step.rhs = {-z, one};
  b.add_linear(std::move(step), 2);
  m.roots.derivative = {-b.mul(z, w[0])};
  m.roots.output = {cubic(b, -x, 700, 3), z, w[0], w[1]};
  m.roots.inputs[static_cast<std::size_t>(InputKind::state)] = 1;
  return m;
}

}  // namespace

TEST_CASE("open form: the closed form's solution is a zero of the residuals") {
  Model m = model();
  const auto closed = compile(m.b, m.roots);
  CHECK(unknowns_to_open(*closed) == 3);
  m.roots.open = true;
  const auto open = compile(m.b, m.roots);
  REQUIRE(open_unknowns(*open).size() == 3);
  CHECK(open_unknowns(*open)[0].block == 1);
  CHECK(open_unknowns(*open)[2].block == 2);
  CHECK(input_size(*open, InputKind::state) == 4);
  CHECK(derivative_size(*open) == 4);
  CHECK(unknowns_to_open(*open) == 0);
  CHECK(fingerprint(*open) != fingerprint(*closed));
  Machine<double> solver(closed), machine(open);
  solver.tolerance(1e-12);
  machine.tolerance(1e-12);
  std::mt19937 random(1);
  std::normal_distribution<double> g;
  for (int round = 0; round < 20; ++round) {
    std::vector<double> y{g(random)}, der(1), values(4), u(4), f(4), outputs(4);
    REQUIRE(solver.derivative(0, y, der) == Status::ok);
    REQUIRE(solver.output(0, y, values) == Status::ok);
    u = {y[0], values[1], values[2], values[3]};
    REQUIRE(machine.derivative(0, u, f) == Status::ok);
    CHECK(f[0] == doctest::Approx(der[0]).epsilon(1e-10));
    for (int k = 1; k < 4; ++k) CHECK(std::fabs(f[static_cast<std::size_t>(k)]) < 1e-10);
    REQUIRE(machine.output(0, u, outputs) == Status::ok);  // the step that only an output needs is solved all the same
    CHECK(outputs[0] == doctest::Approx(values[0]).epsilon(1e-9));
    // Anywhere: the residuals are the equations, and the tangents theirs.
    for (double& v : u) v = g(random);
    REQUIRE(machine.derivative(0, u, f) == Status::ok);
    const double x = u[0], z = u[1], a = u[2], c = u[3];
    const double expected[] = {-z * a, z * z * z + z - x, 3 * a + z * c + z, -a + (2 + x) * c - 1};
    const std::vector<double> seeds{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const std::vector<double> slopes{0, -1, 0, c, -a, 3 * z * z + 1, c + 1, 0, -z, 0, 3, -1, 0, 0, z, 2 + x};
    std::vector<double> tangents(16);
    REQUIRE(machine.tangent(0, u, 4, seeds, tangents) == Status::ok);
    for (std::size_t k = 0; k < 4; ++k) CHECK(f[k] == doctest::Approx(expected[k]).epsilon(1e-12));
    for (std::size_t k = 0; k < 16; ++k) CHECK(tangents[k] == doctest::Approx(slopes[k]).epsilon(1e-12));
  }
}
