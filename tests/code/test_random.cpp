// Two machines and a plain recursive evaluation agree on random programs; so do tangents and difference quotients.
#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "random_program.hpp"

using namespace kron;
using namespace kron::code;
using namespace kron::code::test;

namespace {

struct Point {
  double t;
  std::array<double, 4> y;
  std::array<double, 3> p;
};

Point random_point(std::mt19937& random) {
  std::uniform_real_distribution<double> u(-2, 2);
  Point q{u(random), {}, {}};
  for (double& x : q.y) x = u(random);
  for (double& x : q.p) x = u(random);
  return q;
}

template <class T>
struct Runner {
  Machine<T> machine;
  std::vector<T> values;
  Runner(const Built& b, const Point& at, double tolerance)
      : machine(compile(b.builder, b.roots)), values(b.roots.derivative.size()) {
    machine.tolerance(tolerance);
    std::copy(at.p.begin(), at.p.end(), machine.inputs(InputKind::parameter).begin());
    machine.run_parameters();
  }
  bool run(const Point& at) {  // output(): its roots may be infinite
    const std::array<T, 4> y{T(at.y[0]), T(at.y[1]), T(at.y[2]), T(at.y[3])};
    return machine.output(T(at.t), y, values) == Status::ok;
  }
};

}  // namespace

TEST_CASE("random programs: machines agree with plain recursion") {
  std::mt19937 random(20240511);
  int compared = 0;
  for (int program = 0; program < 10000; ++program) {
    CAPTURE(program);
    const RandomProgram p = make_program(random, 25 + static_cast<int>(random() % 30));
    const Point at = random_point(random);
    const Built b = build(p);
    Runner<double> fast(b, at, 1e-13);
    Runner<Float50> exact(b, at, 1e-45);
    if (!fast.run(at) || !exact.run(at)) continue;  // a block without a finite right side
    Reference reference(p, at.t, at.y, at.p);
    for (std::size_t i = 0; i < p.roots.size(); ++i) {
      const auto v = reference(p.roots[i]);
      if (!v) continue;
      ++compared;
      CAPTURE(i);
      const double error = std::fabs(static_cast<double>(Float50(fast.values[i] - v->value)));
      const double exact_error = static_cast<double>(Float50(abs(exact.values[i] - v->value)));
      if (!(error <= 4 * v->error) || !(exact_error <= 1e-30 * v->error)) {
        CAPTURE(fast.values[i]);
        CAPTURE(static_cast<double>(exact.values[i]));
        CAPTURE(static_cast<double>(v->value));
        CAPTURE(v->error);
        CHECK(error <= 4 * v->error);
        CHECK(exact_error <= 1e-30 * v->error);
      }
    }
  }
  CHECK(compared > 20000);
}
