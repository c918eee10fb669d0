#include <doctest/doctest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

#include "engine/base/number.hpp"

using namespace kron;

namespace {

using Random = std::mt19937_64;

double random_double(Random& random) {  // every bit pattern that is finite
  for (;;) {
    const std::uint64_t bits = random();
    double x = 0;
    std::memcpy(&x, &bits, sizeof x);
    if (std::isfinite(x)) return x;
  }
}

std::string random_digits(Random& random, std::size_t n) {
  std::string s;
  for (std::size_t i = 0; i < n; ++i) s += static_cast<char>('0' + random() % 10);
  return s;
}

std::string random_decimal(Random& random) {
  std::string s = random_digits(random, 1 + random() % 25);
  if (random() % 2 == 0) s += "." + random_digits(random, 1 + random() % 25);
  if (random() % 2 == 0) s += (random() % 2 == 0 ? "e" : "E") + std::to_string(static_cast<int>(random() % 600) - 345);
  return s;
}

bool same(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

Rational power_of_two(int e) {
  return e >= 0 ? Rational(Integer(1) << e) : Rational(Integer(1), Integer(1) << -e);
}

Rational signed_parse(std::string_view s) {
  const bool negative = s.starts_with('-');
  const auto r = parse_number(negative ? s.substr(1) : s);
  REQUIRE(r);
  return negative ? Rational(-*r) : *r;
}

}  // namespace

TEST_CASE("numbers: what is a number and what is none") {
  const struct { const char *text, *value; } rows[] = {
      {"0", "0"}, {"7", "7"}, {"007", "7"}, {"0.1", "1/10"}, {"12.50", "25/2"},
      {"1e3", "1000"}, {"1E3", "1000"}, {"1e+3", "1000"}, {"1e-3", "1/1000"}, {"25e-1", "5/2"},
      {"0.0e400", "0"}, {"0e-99999", "0"}, {"0.25e2", "25"}, {"1e00003", "1000"},
      {"", nullptr}, {".", nullptr}, {"1.", nullptr}, {".5", nullptr}, {"-1", nullptr}, {"+1", nullptr}, {"1e", nullptr}, {"1e+", nullptr}, {"1e-", nullptr}, {"e5", nullptr},
      {"1e+-5", nullptr}, {"1e-+5", nullptr}, {"1e++5", nullptr}, {"1e5.", nullptr}, {"1e5x", nullptr}, {"1x", nullptr}, {" 1", nullptr}, {"1 ", nullptr}, {"1,5", nullptr},
      {"0x10", nullptr}, {"1_000", nullptr}, {"nan", nullptr}, {"inf", nullptr}, {"1..2", nullptr}, {"1.2.3", nullptr}, {"1e1e1", nullptr},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const auto r = parse_number(row.text);
    CHECK((r ? r->str() : "none") == (row.value != nullptr ? row.value : "none"));
  }
  CHECK_FALSE(parse_number(std::string_view("1\0", 2)));
}

TEST_CASE("numbers: magnitudes at the limits") {
  const struct { std::string text; bool accepted; } rows[] = {
      {"1.7976931348623157e308", true}, {"1.797693134862315807e308", true},  // rounds down to the largest double
      {"1.7976931348623159e308", false}, {"1e309", false}, {"0.1e309", true}, {"1e999999999", false},
      {"1e99999999999999999999999", false}, {"1e-99999999999999999999999", false}, {"0.1e-2147483648", false},
      {"0.1e-9223372036854775808", false}, {"1e-4000", true}, {"9e-4001", false}, {"0.001e-3997", true}, {"0.0001e-3997", false},
      {"4.9e-324", true}, {"1e-330", true}, {"1" + std::string(308, '0'), true}, {"1" + std::string(309, '0'), false},
      {std::string(3999, '0') + "1", true}, {std::string(4000, '0') + "1", false}, {"0." + std::string(3998, '3'), true},
      {"0." + std::string(400, '0') + "1e401", true}, {std::string(400, '1') + "e-399", true},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(parse_number(row.text).has_value() == row.accepted);
  }
}

TEST_CASE("numbers: decimals round to doubles as strtod rounds them") {
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    const std::string text = random_decimal(random);
    CAPTURE(text);
    const double expected = std::strtod(text.c_str(), nullptr);
    const auto r = parse_number(text);
    REQUIRE(r.has_value() == std::isfinite(expected));
    if (r) REQUIRE(same(to_double(*r), expected));
    if (r) REQUIRE(same(to_double(-*r), *r == 0 ? 0.0 : -expected));
  }
}

TEST_CASE("numbers: ties go to even, just above and below a tie to the nearest") {
  Random random(2);
  const Rational tiny = power_of_two(-1400);
  for (int i = 0; i < 4000; ++i) {
    double low = std::abs(random_double(random));
    if (i % 4 == 0) low = static_cast<double>(random() % 4000) * DBL_TRUE_MIN;  // denormals, where the steps are equal
    const double high = std::nextafter(low, std::numeric_limits<double>::infinity());
    if (std::isinf(high)) continue;
    CAPTURE(low);
    const Rational tie = (exact(low) + exact(high)) / 2;
    std::uint64_t bits = 0;
    std::memcpy(&bits, &low, sizeof bits);
    REQUIRE(same(to_double(tie), bits % 2 == 0 ? low : high));
    REQUIRE(same(to_double(Rational(tie - tiny)), low));
    REQUIRE(same(to_double(Rational(tie + tiny)), high));
    REQUIRE(same(to_double(Rational(-tie)), bits % 2 == 0 ? -low : -high));
  }
}

TEST_CASE("numbers: quotients of 64-bit integers as long double divides them") {
  Random random(3);
  for (int i = 0; i < 20000; ++i) {
    const std::int64_t p = static_cast<std::int64_t>(random() >> (1 + random() % 60)) - 8;
    const auto q = static_cast<std::int64_t>(1 + (random() >> (1 + random() % 60)));
    CAPTURE(p);
    CAPTURE(q);
    const double value = to_double(Rational(p, q));
    const long double wide = static_cast<long double>(p) / static_cast<long double>(q);
    REQUIRE(std::abs(static_cast<long double>(value) - wide) <= std::abs(wide) * 0x1.001p-53L);
    if (std::abs(p) < std::int64_t{1} << 53 && q < std::int64_t{1} << 53)
      REQUIRE(value == static_cast<double>(p) / static_cast<double>(q));
  }
}

TEST_CASE("numbers: the ends of the range") {
  const Rational largest = exact(DBL_MAX), step = power_of_two(971);
  CHECK(to_double(largest) == DBL_MAX);
  CHECK(to_double(Rational(largest + step / 2 - 1)) == DBL_MAX);
  CHECK(std::isinf(to_double(Rational(largest + step / 2))));  // a tie, and the even neighbour is 2^1024
  CHECK(to_double(Rational(-largest - step)) == -std::numeric_limits<double>::infinity());
  CHECK(std::isinf(to_double(power_of_two(20000))));
  CHECK(to_double(power_of_two(-1074)) == DBL_TRUE_MIN);
  CHECK(to_double(power_of_two(-1075)) == 0);  // a tie, to even
  CHECK(to_double(Rational(power_of_two(-1075) + power_of_two(-3000))) == DBL_TRUE_MIN);
  CHECK(to_double(power_of_two(-1076)) == 0);
  CHECK(to_double(power_of_two(-20000)) == 0);
  CHECK(to_double(Rational(power_of_two(-1022) - power_of_two(-1076))) == DBL_MIN);  // a denormal that rounds to a normal number
  CHECK(std::signbit(to_double(Rational(-power_of_two(-20000)))));
  CHECK_FALSE(std::signbit(to_double(Rational(0))));
}

TEST_CASE("numbers: decimal() is what the double prints as") {
  const struct { double x; const char* value; } rows[] = {
      {0, "0"}, {-0.0, "0"}, {0.1, "1/10"}, {-0.1, "-1/10"}, {1e-6, "1/1000000"}, {2.5e3, "2500"}, {-12, "-12"}, {1e22, "10000000000000000000000"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.x);
    CHECK(decimal(row.x).str() == row.value);
  }
  for (const double x : {DBL_MAX, -DBL_MAX, DBL_MIN, 5e-324, 0.1 + 0.2, 1 / 3.0}) CHECK(to_double(decimal(x)) == x);
}

TEST_CASE("numbers: exact() is the double, bit for bit") {
  Random random(4);
  for (int i = 0; i < 10000; ++i) {
    const double x = i % 5 == 0 ? static_cast<double>(random() % 100000) * DBL_TRUE_MIN : random_double(random);
    CAPTURE(x);
    const Rational r = exact(x);
    REQUIRE(to_double(r) == x);
    const Integer d = denominator(r);
    REQUIRE((d & (d - 1)) == 0);
  }
  CHECK(exact(0.1) == Rational(Integer("3602879701896397"), Integer("36028797018963968")));
  CHECK(exact(-0.0) == 0);
  CHECK(exact(-1.5) == Rational(-3, 2));
  CHECK(exact(0x1p1023) == power_of_two(1023));
}

TEST_CASE("numbers: the text of a double reads back, and no shorter one does") {
  const struct { double x; const char* text; } rows[] = {
      {0, "0"}, {-0.0, "-0"}, {1, "1"}, {-3, "-3"}, {0.1, "0.1"}, {1e-6, "1e-6"}, {1e20, "1e20"}, {1e22, "1e22"}, {100000, "1e5"},
      {123456, "123456"}, {1.5e-7, "1.5e-7"}, {0.00012, "0.00012"}, {1.0 / 3, "0.3333333333333333"}, {DBL_MAX, "1.7976931348623157e308"},
      {DBL_TRUE_MIN, "5e-324"}, {1e100, "1e100"}, {1e-10, "1e-10"}, {5e-100, "5e-100"}, {9007199254740993.0, "9007199254740992"},
      {std::numeric_limits<double>::infinity(), "inf"}, {-std::numeric_limits<double>::infinity(), "-inf"},
      {std::numeric_limits<double>::quiet_NaN(), "nan"}, {-std::numeric_limits<double>::quiet_NaN(), "nan"},
  };
  for (const auto& row : rows) CHECK(to_text(row.x) == row.text);
  Random random(5);
  for (int i = 0; i < 20000; ++i) {
    const double x = i % 2 == 0 ? random_double(random) : std::ldexp(static_cast<double>(random() % 100000), -static_cast<int>(random() % 20));
    const std::string text = to_text(x);
    CAPTURE(text);
    REQUIRE(same(std::strtod(text.c_str(), nullptr), x));
    REQUIRE(same(to_double(signed_parse(text)), x));
    char shorter[64];
    const auto digits = std::count_if(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(text.find('e'), text.size())),
                                      [](char c) { return c >= '0' && c <= '9'; });
    if (digits < 2 || text.find('e') == std::string::npos) continue;
    std::snprintf(shorter, sizeof shorter, "%.*e", static_cast<int>(digits) - 2, x);
    REQUIRE(std::strtod(shorter, nullptr) != x);
  }
}

TEST_CASE("numbers: texts of rationals") {
  const struct { Rational r; const char* text; } rows[] = {
      {Rational(0), "0"}, {Rational(-17), "-17"}, {Rational(100000), "100000"}, {Rational(1, 10), "0.1"}, {Rational(-1, 10), "-0.1"},
      {Rational(1, 3), "1/3"}, {Rational(-22, 7), "-22/7"}, {Rational(1, 1000000), "1e-6"}, {Rational(3, 2), "1.5"},
      {*parse_number("6.02e23"), "6.02e23"}, {*parse_number("1e300"), "1e300"}, {Rational(Integer("12345678901234567")), "12345678901234567"},
      {*parse_number("0.12345678901234567890123"), "0.12345678901234567890123"},
      {*parse_number("123456789.12345678901234567890123"), "123456789.12345678901234567890123"},
      {*parse_number("0.00012345678901234567890123"), "0.00012345678901234567890123"},
      {*parse_number("1.2345678901234567890123e-19"), "1.2345678901234567890123e-19"},
      {Rational(pow(Integer(10), 400)), "1e400"}, {Rational(12345678901234567 * pow(Integer(10), 400)), "1.2345678901234567e416"},
      {Rational(1, pow(Integer(2), 301)), nullptr},
  };
  for (const auto& row : rows) {
    CAPTURE(row.r);
    if (row.text != nullptr) CHECK(to_text(row.r) == row.text);
    else CHECK(to_text(row.r) == row.r.str());
  }
}

TEST_CASE("numbers: the text of a rational reads back exactly") {
  Random random(6);
  for (int i = 0; i < 5000; ++i) {
    const std::string decimal = random_decimal(random);
    const auto r = parse_number(decimal);
    if (!r) continue;
    CAPTURE(decimal);
    for (const Rational& x : {*r, Rational(-*r), Rational(*r / 3), exact(to_double(*r))}) {
      const std::string text = to_text(x);
      CAPTURE(text);
      if (text.find('/') != std::string::npos) REQUIRE(Rational(text) == x);
      else REQUIRE(signed_parse(text) == x);
    }
  }
}

TEST_CASE("numbers: small integers") {
  const std::int64_t limit = std::int64_t{1} << 53;
  const struct { Rational r; std::optional<std::int64_t> value; } rows[] = {
      {Rational(0), 0}, {Rational(-5), -5}, {Rational(limit), limit}, {Rational(-limit), -limit}, {Rational(limit + 1), {}},
      {Rational(-limit - 1), {}}, {Rational(1, 2), {}}, {Rational(4, 2), 2}, {power_of_two(200), {}},
  };
  for (const auto& row : rows) CHECK(small_integer(row.r) == row.value);
}
