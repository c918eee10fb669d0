// The own table of units beside UDUNITS-2's, and what is Kron's alone.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "lang/elaborate/units.hpp"

using namespace kron;
using namespace kron::elaborate;

namespace {

const Unit& unit(const std::string& text) {
  std::string reason;
  const Unit* u = find_unit(text, reason);
  REQUIRE_MESSAGE(u != nullptr, text, ": ", reason);
  return *u;
}
double factor(const Unit& u) { return to_double(u.factor) * std::pow(std::numbers::pi, u.pi_power); }

}  // namespace

TEST_CASE("units: the own table says what UDUNITS says") {
  for (const char* text : {"m",  "g",  "s",  "A",   "K",   "mol", "cd", "rad", "sr",   "Hz",   "N",   "Pa",  "J",    "W",  "C",   "V",  "F",  "ohm", "Ω",  "S", "Wb",
                           "T",  "H",  "lm", "lx",  "Bq",  "Gy",  "Sv", "kat", "min",  "h",    "d",   "L",   "l",    "t",  "bar", "%",  "degC", "°C", "km", "mm", "kg",
                           "µm", "us", "MPa", "kHz", "daN", "mbar", "nF", "pF", "GW", "mol", "fs", "Zm", "ym"}) {
    CAPTURE(text);
    const std::optional<Unit> other = udunits_unit(text);
    REQUIRE(other);
    const Unit& own = unit(text);
    CHECK(own.dimension == other->dimension);
    CHECK(factor(own) == doctest::Approx(factor(*other)).epsilon(1e-14));
    CHECK(to_double(own.offset) == doctest::Approx(to_double(other->offset)).epsilon(1e-14));
  }
}

TEST_CASE("units: Kron's own") {
  const struct {
    const char *text, *dimension;
    double factor;
  } rows[] = {{"deg", "1", std::numbers::pi / 180}, {"rev", "1", 2 * std::numbers::pi}, {"rpm", "1/s", std::numbers::pi / 30}, {"kWh", "N*m", 3.6e6}, {"mAh", "C", 3.6},
              {"kvar", "W", 1000},                  {"kOhm", "Ohm", 1000},               {"mph", "m/s", 0.44704},              {"kph", "m/s", 1 / 3.6}, {"PS", "W", 735.49875}};
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(dimension_text(unit(row.text).dimension) == row.dimension);
    CHECK(factor(unit(row.text)) == doctest::Approx(row.factor).epsilon(1e-14));
  }
}
