// Sine and cosine: near the true values, the same for one angle and for four, the C library's where they say so.
#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <limits>
#include <random>
#include <vector>

#include "engine/code/sine.hpp"
#include "same.hpp"

using namespace kron::code;

namespace {

using kron::code::test::same;
using Exact = boost::multiprecision::cpp_bin_float_50;

// Of the value, in units in the last place of the true one.
double error(double value, const Exact& truth) {
  int exponent = 0;
  std::frexp(static_cast<double>(truth), &exponent);
  return std::fabs(static_cast<double>(ldexp(Exact(value) - truth, 53 - exponent)));
}

// Of all sizes, and next to multiples of pi/2, where one of the two is small.
std::vector<double> angles(int count) {
  std::mt19937_64 random(5);
  std::vector<double> list;
  for (int k = 0; k < count; ++k) {
    const double size = std::pow(10.0, static_cast<double>(k % 7));
    double x = std::uniform_real_distribution<double>(-size, size)(random);
    if (k % 3 == 0) {
      x = std::round(x) * 1.5707963267948966;
      for (std::uint64_t steps = random() % 4; steps > 0; --steps) x = std::nextafter(x, 1e9);
    }
    list.push_back(x);
  }
  return list;
}

}  // namespace

TEST_CASE("sine: less than 0.8 units in the last place from the true value") {
  double worst_sine = 0, worst_cosine = 0;
  for (double x : angles(40000)) {
    if (x == 0) continue;
    const SineAndCosine both = sine_and_cosine(x);
    worst_sine = std::max(worst_sine, error(both.sine, sin(Exact(x))));
    worst_cosine = std::max(worst_cosine, error(both.cosine, cos(Exact(x))));
  }
  CHECK(worst_sine < 0.8);
  CHECK(worst_cosine < 0.8);
}

// The double nearest to a multiple of pi/2 is off it by a number that the subtraction has to give with all its digits.
TEST_CASE("sine: beside multiples of pi/2, and where the library takes over") {
  const Exact quarter = boost::math::constants::half_pi<Exact>();
  for (int k = 1; k < 640000; k += k < 2000 ? 1 : 997) {
    const double x = static_cast<double>(k * quarter);
    CAPTURE(k);
    const SineAndCosine both = sine_and_cosine(x);
    REQUIRE(error(both.sine, sin(Exact(x))) < 0.8);
    REQUIRE(error(both.cosine, cos(Exact(x))) < 0.8);
  }
  for (double x : {1e6, std::nextafter(1e6, 0), std::nextafter(1e6, 2e6), 999999.5, 1000000.5}) {
    CAPTURE(x);
    CHECK(error(sine(x), sin(Exact(x))) < 0.8);
    CHECK(error(cosine(x), cos(Exact(x))) < 0.8);
  }
}

TEST_CASE("sine: odd and even, exact at zero, the library's far away") {
  for (double x : angles(1000)) {
    CHECK(same(sine(-x), -sine(x)));
    CHECK(same(cosine(-x), cosine(x)));
  }
  CHECK(same(sine(0.0), 0.0));
  CHECK(same(sine(-0.0), -0.0));
  CHECK(cosine(0) == 1);
  for (double x : {5e-324, 1e-310, std::numeric_limits<double>::min(), 1e-300, 1e-30, 1e-9}) {
    CAPTURE(x);
    CHECK(sine(x) == x);
    CHECK(cosine(x) == 1);
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (double x : {2e6, 1e22, 1e300, std::numeric_limits<double>::max(), infinity, -infinity, std::nan("")}) {
    CAPTURE(x);
    CHECK(same(sine(x), std::sin(x)));
    CHECK(same(cosine(x), std::cos(x)));
  }
}

TEST_CASE("sine: each lane has what its angle has alone") {
  const auto list = angles(40000);
  for (std::size_t i = 0; i + sine_lanes <= list.size(); i += sine_lanes) {
    std::array<double, 2 * sine_lanes> both{}, sines{}, cosines{};
    for (auto* a : {&both, &sines, &cosines}) std::copy_n(list.begin() + static_cast<std::ptrdiff_t>(i), sine_lanes, a->begin());
    if (i % 64 == 0) both[1] = sines[1] = cosines[1] = i % 128 == 0 ? 1e9 : std::nan("");
    const auto x = both;
    sine_and_cosine_lanes_of(both.data());
    sine_lanes_of(sines.data());
    cosine_lanes_of(cosines.data());
    for (std::size_t l = 0; l < sine_lanes; ++l) {
      REQUIRE(same(both[l], sine(x[l])));
      REQUIRE(same(both[sine_lanes + l], cosine(x[l])));
      REQUIRE(same(sines[l], both[l]));
      REQUIRE(same(cosines[l], both[sine_lanes + l]));
    }
  }
}
