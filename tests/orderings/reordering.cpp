// Pivots that are zero for good: while the model runs other ones take their place, and nothing else changes.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "lang/workspace/kron.hpp"

using namespace kron;

namespace {

// A linear block with eps on its diagonal, which every cheap ordering divides by.
const std::string chain = R"(
parameter n = 24
parameter eps = 1
variable x[n]
variable s
eps*x[1] + (2 + sin(time))*x[2] = s
for k in 2:n-1
  (3 + cos(k*time))*x[k-1] + eps*x[k] + (2 + sin(time + k))*x[k+1] = 1
end
x[n-1]*(1 + s^2) + eps*x[n] = 2
)";
const std::string state = "der(s) = -s + 0.01*x[1]\ninitial s = 1\n";

struct Row {
  const char* name;
  const char* more;      // beside the chain
  const char* variable;  // to be compared
};

}  // namespace

TEST_CASE("reordering: pivots that are zero for good are replaced by others") {
  const Row rows[] = {
      {"the chain alone", "", "s"},
      {"a root on another branch than the start value's stays where it is",
       "variable z(start = -3)\nvariable q(start = 2, fixed)\nder(q) = 0.1*x[1]\nz^2 = q^2 + 1 + 0.001*z", "z"},
      {"a pendulum whose states change",
       "variable a(start = 0, fixed)\nvariable b(start = -1)\nvariable va(start = 6, fixed) = der(a)\nvariable vb = der(b)\nvariable F\n"
       "a^2 + b^2 = 1\nder(va) = -a*F\nder(vb) = -b*F - 9.81", "a"},
      {"a parameter that the start determines",
       "parameter g(fixed = false)\nvariable p(start = 1, fixed)\nder(p) = -g*p\ninitial der(p) = -0.3", "p"},
  };
  for (const Row& row : rows)
    for (const auto method : {simulate::Method::rk45, simulate::Method::bdf, simulate::Method::adams}) {
      CAPTURE(std::string(row.name));
      CAPTURE(std::string(simulate::to_text(method)));
      double end[2] = {};
      for (const bool dense : {false, true}) {
        Session s;
        s.options().solve = dense ? "dense" : "auto";
        REQUIRE(s.run_text(chain + state + row.more));
        REQUIRE(s.set_parameter("eps", 0));
        simulate::Options o;
        o.stop = 60;
        o.tolerance = 1e-10;
        o.method = method;
        REQUIRE(s.simulate(o));
        end[dense] = *s.value(row.variable);
        const simulate::Counters& c = s.result()->counters;
        CHECK(c.reorderings == (dense ? 0 : 1));
        if (!dense) CHECK(5 * c.guard_events <= c.rhs_evals);
      }
      CHECK(std::fabs(end[0] - end[1]) <= 1e-6 * (1 + std::fabs(end[1])));
    }
}

TEST_CASE("reordering: without states, from one output point to the next") {
  std::vector<double> x[2];
  for (const bool dense : {false, true}) {
    Session s;
    s.options().solve = dense ? "dense" : "auto";
    REQUIRE(s.run_text(chain + "s = cos(time)"));
    REQUIRE(s.set_parameter("eps", 0));
    simulate::Options o;
    o.stop = 1;
    o.points = 1000;
    REQUIRE(s.simulate(o));
    CHECK(s.result()->counters.reorderings == (dense ? 0 : 1));
    CHECK(s.result()->counters.guard_events <= 110);
    x[dense] = *s.series("x[1]");
  }
  for (std::size_t k = 0; k < x[0].size(); ++k) CHECK(std::fabs(x[0][k] - x[1][k]) <= 1e-9 * (1 + std::fabs(x[1][k])));
}
