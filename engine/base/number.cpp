#include "engine/base/number.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "engine/base/hash.hpp"

namespace kron {

double to_double(const Rational& r) {
  // convert_to<double> of a cpp_rational rounds its two halves; shift so that one integer division carries 64+ bits
  // and the sticky bit decides the last rounding.
  const Integer n = abs(numerator(r)), d = denominator(r);
  if (n == 0) return 0;
  const int shift = 66 - (static_cast<int>(msb(n)) - static_cast<int>(msb(d)));
  Integer scaled = shift >= 0 ? Integer(n << shift) : n;
  const Integer divisor = shift >= 0 ? d : Integer(d << -shift);
  Integer quotient, rest;
  divide_qr(scaled, divisor, quotient, rest);
  if (rest != 0) quotient |= 1;  // sticky: 66 bits are enough for ties to be seen
  // 66+ bits to 53, round to nearest even by hand (denormals: fewer bits).
  const int exponent = static_cast<int>(msb(quotient)) - shift;  // of the leading bit
  int keep = 53;
  if (exponent < -1022) keep = 53 - (-1022 - exponent);
  if (keep < 0) return r < 0 ? -0.0 : 0.0;
  const int drop = static_cast<int>(msb(quotient)) + 1 - keep;
  Integer kept = quotient >> drop;
  const Integer half = Integer(1) << (drop - 1);
  const Integer tail = quotient - (kept << drop);
  if (tail > half || (tail == half && (kept & 1) != 0)) kept += 1;
  const double value = std::ldexp(kept.convert_to<double>(), drop - shift);
  return r < 0 ? -value : value;
}

Rational exact(double x) {
  int e = 0;
  const double m = std::frexp(x, &e);
  const auto i = static_cast<std::int64_t>(std::ldexp(m, 53));
  e -= 53;
  return e >= 0 ? Rational(Integer(i) << e) : Rational(Integer(i), Integer(1) << -e);
}

std::uint64_t content_hash(const Rational& r) {
  if (auto i = small_integer(r)) return mix(static_cast<std::uint64_t>(*i) ^ 0x51ed);
  return hash_text(r.str());
}

std::optional<std::int64_t> small_integer(const Rational& r) {
  if (denominator(r) != 1) return std::nullopt;
  const Integer n = numerator(r);
  if (abs(n) > (Integer(1) << 53)) return std::nullopt;
  return n.convert_to<std::int64_t>();
}

std::string to_text(const Rational& r) {
  if (denominator(r) == 1 && abs(numerator(r)) < Integer("1000000000000000")) return numerator(r).str();
  const double d = to_double(r);
  const std::string text = to_text(d);
  if (auto back = parse_number(text[0] == '-' ? std::string_view(text).substr(1) : std::string_view(text)))
    if ((text[0] == '-' ? -*back : *back) == r) return text;
  // A terminating decimal needs only factors 2 and 5 below.
  Integer den = denominator(r), num = numerator(r);
  int twos = 0, fives = 0;
  while (den % 2 == 0) { den /= 2; ++twos; }
  while (den % 5 == 0) { den /= 5; ++fives; }
  if (den != 1 || std::max(twos, fives) > 300) return r.str();
  const int digits = std::max(twos, fives);
  for (int i = twos; i < digits; ++i) num *= 2;
  for (int i = fives; i < digits; ++i) num *= 5;
  const bool negative = num < 0;
  std::string s = Integer(abs(num)).str();
  int exponent = -digits;
  while (s.size() > 1 && s.back() == '0') {  // trailing zeros go into the exponent
    s.pop_back();
    ++exponent;
  }
  if (exponent != 0) s += "e" + std::to_string(exponent);
  return (negative ? "-" : "") + s;
}

std::optional<Rational> parse_number(std::string_view s) {
  Integer mantissa = 0;
  long exponent = 0;
  std::size_t i = 0;
  const std::size_t longest = 4000;
  if (s.size() > longest) return std::nullopt;
  auto digit = [&](std::size_t k) { return k < s.size() && s[k] >= '0' && s[k] <= '9'; };
  if (!digit(0)) return std::nullopt;
  std::string digits;
  for (; digit(i); ++i) digits += s[i];
  if (i < s.size() && s[i] == '.') {
    ++i;
    if (!digit(i)) return std::nullopt;
    for (; digit(i); ++i) { digits += s[i]; --exponent; }
  }
  const std::size_t first = digits.find_first_not_of('0');
  mantissa = first == std::string::npos ? Integer(0) : Integer(digits.substr(first));
  if (i < s.size() && (s[i] == 'e' || s[i] == 'E')) {
    ++i;
    long e = 0;
    if (i < s.size() && s[i] == '+') ++i;  // from_chars takes a minus but no plus
    auto [end, error] = std::from_chars(s.data() + i, s.data() + s.size(), e);
    if (error != std::errc{} || end != s.data() + s.size()) return std::nullopt;
    exponent += e;
    i = s.size();
  }
  if (i != s.size()) return std::nullopt;
  if (mantissa == 0) return Rational(0);
  if (exponent > 310 || exponent < -4400) return std::nullopt;
  const Integer scale = boost::multiprecision::pow(Integer(10), static_cast<unsigned>(std::labs(exponent)));
  Rational r = exponent >= 0 ? Rational(mantissa * scale) : Rational(mantissa, scale);
  if (r > Rational(Integer(1) << 1024) || !std::isfinite(to_double(r))) return std::nullopt;
  return r;
}

std::string to_text(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  std::array<char, 40> buffer{};
  auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x);
  std::string s(buffer.data(), end);
  if (auto e = s.find('e'); e != std::string::npos) {  // "1e-06" to "1e-6", "1e+20" to "1e20"
    std::string tail = s.substr(e + 1);
    std::string sign = tail[0] == '-' ? "-" : "";
    if (tail[0] == '-' || tail[0] == '+') tail.erase(0, 1);
    tail.erase(0, std::min(tail.find_first_not_of('0'), tail.size() - 1));
    s = s.substr(0, e) + "e" + sign + tail;
  }
  return s;
}

}  // namespace kron
