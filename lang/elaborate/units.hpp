// lang/elaborate/units.hpp: units as text to dimension and conversion, dimensions of expressions (language.md section 3).
//   in    "kOhm", "kg*m^2", "degC"
//   out   dimension, exact factor (a rational times a power of pi) and offset to the coherent SI unit
//   how   an own table of SI units and Kron's additions with SI prefixes; every other name is UDUNITS-2's, loaded at first need
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/number.hpp"

namespace kron::elaborate {

// Exponents of m kg s A K mol cd, in twelfths so that square and cube roots stay exact.
// `unknown` fits everything and spreads. `flexible` is what plain numbers and `time` alone make: 3, 12 * time, sin(2 * time). It fits
// everything too, since a plain factor may stand for any quantity, but in a product with a known unit it counts as it is.
struct Dimension {
  enum class State : std::uint8_t { unknown, flexible, known };
  State state = State::unknown;
  std::array<std::int16_t, 7> exponents{};
  static Dimension flexible() { return {State::flexible, {}}; }
  static Dimension one() { return {State::known, {}}; }
  bool is_known() const { return state == State::known; }
  bool is_flexible() const { return state == State::flexible; }
  bool is_one() const { return is_known() && exponents == std::array<std::int16_t, 7>{}; }
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

Dimension product(const Dimension&, const Dimension&);
Dimension quotient(const Dimension&, const Dimension&);
Dimension power(const Dimension&, const Rational& exponent);
bool clash(const Dimension&, const Dimension&);          // both known and different
Dimension either(const Dimension&, const Dimension&);    // of a sum, an if, an array: the known one; unknown where they clash

// What a frequency counts: 1/s says nothing, Hz counts turns, rad/s counts radians. Lost in products, except with numbers.
enum class Counting : std::uint8_t { none, turns, radians };

struct Unit {
  Dimension dimension;
  Rational factor = 1;  // SI value = number * factor * pi^pi_power + offset
  int pi_power = 0;
  Rational offset = 0;
  Counting counting = Counting::none;
  bool coherent() const { return factor == 1 && pi_power == 0 && offset == 0; }
};

// Memoised. nullptr and a reason where the text is no unit.
const Unit* find_unit(std::string_view text, std::string& reason);

std::string dimension_text(const Dimension&);  // "V", "kg*m/s", "1"

// The UDUNITS-2 reading alone, for names that the table lacks (and for the test that compares the two).
std::optional<Unit> udunits_unit(const std::string& text);

}  // namespace kron::elaborate
