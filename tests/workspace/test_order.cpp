// The order of the equations does not matter to the result: index reduction, sorting and elimination see them in every rotation.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "lang/workspace/kron.hpp"

using namespace kron;

namespace {

struct Reorderable {
  const char* name;
  std::string declarations;
  std::vector<std::string> equations;
  const char* value;
  double expected;  // at time 1
};

const std::vector<Reorderable> reorderable_models = {
    {"pendulum of index 3, at small angle",
     "variable x(start = 0.001, fixed)\nvariable y(start = -1)\nvariable vx(start = 0, fixed)\nvariable vy\nvariable F\n",
     {"x^2 + y^2 = 1", "der(x) = vx", "der(y) = vy", "der(vx) = -F * x", "der(vy) = -F * y - 9.81"},
     "x", 0.001 * std::cos(std::sqrt(9.81))},
    {"a prescribed motion, differentiated twice", "variable x\nvariable v\nvariable f\n", {"x = time^3", "der(x) = v", "2 * der(v) = f"}, "f", 12},
    {"derivatives of opposite sign", "variable x(start = 1, fixed)\nvariable v(start = 0, fixed)\nvariable a\n", {"der(x) = -v", "der(v) = a", "a - 4 * x = 0"},
     "x", std::cos(2.0)},
    {"the same, prescribed", "variable x\nvariable v\nvariable f\n", {"x = time^3", "der(x) = -v", "2 * der(v) = -f"}, "f", 12},
    {"two inertias on a gear", "variable a(start = 0, fixed)\nvariable b\nvariable wa(start = 0, fixed)\nvariable wb\nvariable t\n",
     {"a = 3 * b", "der(a) = wa", "der(b) = wb", "2 * der(wa) = 1 - t", "9 * der(wb) = 3 * t"}, "a", 0.5 / 3},
    {"capacitors in parallel behind a coupled block", "variable u(start = 1, fixed)\nvariable w\nvariable i\nvariable j\nvariable k\n",
     {"u = w", "der(u) = i", "3 * der(w) = j", "i + j + k = 0", "k - 0.5 * u = 0.5 * k"}, "u", std::exp(-0.25)},
};

}  // namespace

TEST_CASE("equations in any order give the same result") {
  for (const Reorderable& m : reorderable_models) {
    CAPTURE(m.name);
    for (std::size_t shift = 0; shift < m.equations.size(); ++shift)
      for (const bool reversed : {false, true}) {
        std::vector<std::string> rows = m.equations;
        std::rotate(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(shift), rows.end());
        if (reversed) std::reverse(rows.begin(), rows.end());
        std::string text = m.declarations;
        for (const std::string& row : rows) text += row + "\n";
        CAPTURE(text);
        Session s;
        REQUIRE(s.run_text(text));
        REQUIRE(s.simulate({.stop = 1, .tolerance = 1e-10}));
        REQUIRE(s.value(m.value).has_value());
        CHECK(*s.value(m.value) == doctest::Approx(m.expected).epsilon(1e-5));
      }
  }
}
