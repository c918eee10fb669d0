// engine/code/fold.hpp: exact folding of functions of rationals, of bounded size. What has no exact rational value is
// left to the machine, which computes it in its own number type.
#pragma once
#include <optional>
#include <span>

#include "engine/base/function.hpp"
#include "engine/base/number.hpp"

namespace kron::code {

inline constexpr std::size_t largest_constant = 1024;  // bits: squares of lengths of axes that are at a right angle to others have 700
std::size_t bits(const Rational&);  // of numerator and denominator
std::optional<Rational> power_of(const Rational&, std::int32_t exponent);  // nullopt where it would be too large
std::optional<Rational> exact_root(const Rational&);  // nullopt where it is no rational number
std::optional<Rational> fold(Fn, std::span<const Rational>);

}  // namespace kron::code
