#include "engine/base/number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "engine/base/hash.hpp"

namespace kron {
namespace {
constexpr std::int64_t exact_limit = std::int64_t{1} << 53;  // whole numbers up to here are doubles
constexpr long least_exponent = -4000, greatest_exponent = 308;  // of literals
constexpr std::size_t longest_literal = 4000;

// digits·10^exponent: with a point where that is short, else with an exponent.
std::string decimal(std::string digits, int exponent) {
  while (digits.size() > 1 && digits.back() == '0') {
    digits.pop_back();
    ++exponent;
  }
  const int point = static_cast<int>(digits.size()) + exponent;  // digits in front of the point
  if (point > 0 && exponent <= 0) return exponent == 0 ? digits : digits.insert(static_cast<std::size_t>(point), ".");
  if (point <= 0 && point > -5) return "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  if (digits.size() > 1) digits.insert(1, ".");
  return digits + "e" + std::to_string(point - 1);
}
}  // namespace

double to_double(const Rational& r) {
  const Integer n = abs(numerator(r)), d = denominator(r);
  if (n == 0) return 0;
  if (n <= exact_limit && d <= exact_limit) {  // two exact doubles: the one division rounds correctly
    const double value = n.convert_to<double>() / d.convert_to<double>();
    return r < 0 ? -value : value;
  }
  // convert_to<double> of a cpp_rational rounds its two halves; shift so that one integer division carries 66 bits or more
  // and the sticky bit decides the last rounding.
  const int shift = 66 - (static_cast<int>(msb(n)) - static_cast<int>(msb(d)));
  const Integer scaled = shift >= 0 ? Integer(n << shift) : n;
  const Integer divisor = shift >= 0 ? d : Integer(d << -shift);
  Integer quotient, rest;
  divide_qr(scaled, divisor, quotient, rest);
  if (rest != 0) quotient |= 1;
  // To 53 bits (denormals: fewer), round to nearest even by hand.
  const int exponent = static_cast<int>(msb(quotient)) - shift;  // of the leading bit
  const int keep = exponent < -1022 ? 53 - (-1022 - exponent) : 53;
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

Rational decimal(double x) {
  const auto magnitude = parse_number(to_text(std::fabs(x)));
  if (!magnitude) return exact(x);
  return x < 0 ? Rational(-*magnitude) : *magnitude;
}

std::uint64_t content_hash(const Rational& r) {
  if (auto i = small_integer(r)) return mix(static_cast<std::uint64_t>(*i) ^ 0x51ed);
  const auto& parts = r.backend().data();
  std::uint64_t h = parts.numerator().backend().sign();
  for (const Integer* part : {&parts.numerator(), &parts.denominator()}) {
    const auto& limbs = part->backend();
    h = combine(h, limbs.size());
    for (std::size_t k = 0; k < limbs.size(); ++k) h = combine(h, limbs.limbs()[k]);
  }
  return h;
}

std::optional<std::int64_t> small_integer(const Rational& r) {
  const auto& parts = r.backend().data();
  if (parts.denominator() != 1) return std::nullopt;
  const Integer& n = parts.numerator();
  if (n > exact_limit || n < -exact_limit) return std::nullopt;
  return n.convert_to<std::int64_t>();
}

std::string to_text(const Rational& r) {
  Integer num = abs(numerator(r)), den = denominator(r);
  const std::string sign = r < 0 ? "-" : "";
  if (den == 1 && num < std::int64_t{1'000'000'000'000'000}) return sign + num.str();
  const std::string text = to_text(std::fabs(to_double(r)));
  if (auto back = parse_number(text); back && *back == abs(r)) return sign + text;
  int twos = 0, fives = 0;  // a terminating decimal needs only factors 2 and 5 below
  for (; den % 2 == 0; den /= 2) ++twos;
  for (; den % 5 == 0; den /= 5) ++fives;
  const int digits = std::max(twos, fives);
  if (den != 1 || digits > 300) return r.str();
  num *= pow(Integer(2), static_cast<unsigned>(digits - twos)) * pow(Integer(5), static_cast<unsigned>(digits - fives));
  return sign + decimal(num.str(), -digits);
}

std::optional<Rational> parse_number(std::string_view s) {
  if (s.size() > longest_literal) return std::nullopt;
  std::size_t i = 0;
  std::string digits;  // of the mantissa, without leading zeros
  auto read_digits = [&] {
    const std::size_t begin = i;
    for (; i < s.size() && s[i] >= '0' && s[i] <= '9'; ++i)
      if (s[i] != '0' || !digits.empty()) digits += s[i];
    return i - begin;
  };
  if (read_digits() == 0) return std::nullopt;
  long exponent = 0;
  if (i < s.size() && s[i] == '.') {
    ++i;
    exponent = -static_cast<long>(read_digits());
    if (exponent == 0) return std::nullopt;
  }
  if (i < s.size() && (s[i] == 'e' || s[i] == 'E')) {
    ++i;
    if (i + 1 < s.size() && s[i] == '+' && s[i + 1] != '-') ++i;  // from_chars takes a minus but no plus
    std::int32_t e = 0;
    const auto [end, error] = std::from_chars(s.data() + i, s.data() + s.size(), e);
    if (error != std::errc{}) return std::nullopt;
    i = static_cast<std::size_t>(end - s.data());
    exponent += e;
  }
  if (i != s.size()) return std::nullopt;
  if (digits.empty()) return Rational(0);
  const long leading = exponent + static_cast<long>(digits.size()) - 1;  // exponent of the first digit
  if (leading > greatest_exponent || leading < least_exponent) return std::nullopt;
  const Integer mantissa(digits), scale = pow(Integer(10), static_cast<unsigned>(std::labs(exponent)));
  Rational r = exponent >= 0 ? Rational(mantissa * scale) : Rational(mantissa, scale);
  if (!std::isfinite(to_double(r))) return std::nullopt;
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
