// engine/base/number.hpp: exact numbers. A literal stays a rational until it is lowered to a floating type.
#pragma once
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kron {

using Rational = boost::multiprecision::cpp_rational;
using Integer = boost::multiprecision::cpp_int;

double to_double(const Rational&);                 // correctly rounded to nearest
Rational exact(double finite);                     // the dyadic rational that the double is
Rational decimal(double finite);                   // the shortest decimal that reads back as the double: what was meant by 0.1
std::uint64_t content_hash(const Rational&);
std::optional<std::int64_t> small_integer(const Rational&);  // its value where it is an integer up to ±2^53
std::string to_text(const Rational&);              // a decimal that reads back to the same rational, else p/q

// Reads `3`, `0.1`, `6.02e23` (digits on both sides of a point). nullopt when it is no number, is longer than 4000 characters,
// is below 1e-4000 or above the largest double. (What a double rounds to a denormal or to 0 is the caller's to refuse.)
std::optional<Rational> parse_number(std::string_view);

// The shortest text of a double that reads back exactly: "0.1", "1e-06" is "1e-6", "-3". nan/inf as "nan", "inf".
std::string to_text(double);

}  // namespace kron
