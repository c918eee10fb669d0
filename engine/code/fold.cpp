#include "engine/code/fold.hpp"

#include <algorithm>
#include <cstdlib>

namespace kron::code {
namespace {

Integer floor_of(const Rational& r) {
  Integer q, rest;
  divide_qr(numerator(r), denominator(r), q, rest);  // truncates
  return rest < 0 ? Integer(q - 1) : q;
}
Integer trunc_of(const Rational& r) { return Integer(numerator(r) / denominator(r)); }

std::optional<Rational> fold_quotient(Fn fn, const Rational& x, const Rational& y) {
  if (y == 0) return std::nullopt;
  const Rational q = x / y;
  const Rational whole = fn == Fn::mod ? Rational(floor_of(q)) : Rational(trunc_of(q));
  return fn == Fn::div ? whole : Rational(x - whole * y);
}

Rational truth_value(bool b) { return Rational(b ? 1 : 0); }

}  // namespace

std::optional<Rational> exact_root(const Rational& r) {
  if (r < 0) return std::nullopt;
  Integer rest_n, rest_d;
  const Integer n = sqrt(numerator(r), rest_n), d = sqrt(denominator(r), rest_d);
  if (rest_n != 0 || rest_d != 0) return std::nullopt;
  return Rational(n, d);
}

std::size_t bits(const Rational& r) {
  const Integer n = abs(numerator(r));
  return (n == 0 ? 0 : msb(n)) + msb(denominator(r)) + 2;
}

std::optional<Rational> power_of(const Rational& base, std::int32_t exponent) {
  const auto n = static_cast<std::uint64_t>(std::llabs(exponent));
  if (base == 0 || n * bits(base) > 2 * largest_constant) return std::nullopt;
  const auto e = static_cast<unsigned>(n);
  Rational r(boost::multiprecision::pow(numerator(base), e), boost::multiprecision::pow(denominator(base), e));
  if (exponent < 0) r = 1 / r;
  if (bits(r) > largest_constant) return std::nullopt;
  return r;
}

std::optional<Rational> fold(Fn fn, std::span<const Rational> v) {
  for (const Rational& r : v)
    if (bits(r) > largest_constant) return std::nullopt;
  switch (fn) {
    case Fn::sqrt:
      return exact_root(v[0]);
    case Fn::abs:
      return Rational(abs(v[0]));
    case Fn::sign:
      return Rational(v[0] > 0 ? 1 : v[0] < 0 ? -1 : 0);
    case Fn::floor:
      return Rational(floor_of(v[0]));
    case Fn::ceil:
      return Rational(-floor_of(-v[0]));
    case Fn::min:
      return std::min(v[0], v[1]);
    case Fn::max:
      return std::max(v[0], v[1]);
    case Fn::mod:
    case Fn::rem:
    case Fn::div:
      return fold_quotient(fn, v[0], v[1]);
    case Fn::lt:
      return truth_value(v[0] < v[1]);
    case Fn::le:
      return truth_value(v[0] <= v[1]);
    case Fn::eq:
      return truth_value(v[0] == v[1]);
    case Fn::and_:
      return truth_value(v[0] != 0 && v[1] != 0);
    case Fn::or_:
      return truth_value(v[0] != 0 || v[1] != 0);
    case Fn::not_:
      return truth_value(v[0] == 0);
    default:
      return std::nullopt;
  }
}

}  // namespace kron::code
