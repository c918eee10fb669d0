// engine/code/kernels.hpp: what each function computes, and its partial derivatives, in any number type.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "engine/base/function.hpp"
#include "engine/code/sine.hpp"

namespace kron::code {

template <class T>
T truth(bool b) {
  return b ? T(1) : T(0);
}

template <class T>
T truncate(const T& x) {
  using std::ceil;
  using std::floor;
  return x < 0 ? T(ceil(x)) : T(floor(x));
}

template <class T>
bool finite(const T& x) {
  using std::isfinite;
  return isfinite(x);
}

template <class T>
T sine_of(const T& x) {
  using std::sin;
  if constexpr (std::is_same_v<T, double>) return sine(x);
  else return sin(x);
}
template <class T>
T cosine_of(const T& x) {
  using std::cos;
  if constexpr (std::is_same_v<T, double>) return cosine(x);
  else return cos(x);
}

// One function of one argument as a callable, so that a loop over equal calls is compiled once per function.
template <Fn fn>
struct Unary {
  template <class T>
  static T value(const T& x) {
    using namespace std;
    if constexpr (fn == Fn::sin)
      return sine_of(x);
    else if constexpr (fn == Fn::cos)
      return cosine_of(x);
    else if constexpr (fn == Fn::tan)
      return tan(x);
    else if constexpr (fn == Fn::asin)
      return asin(x);
    else if constexpr (fn == Fn::acos)
      return acos(x);
    else if constexpr (fn == Fn::atan)
      return atan(x);
    else if constexpr (fn == Fn::sinh)
      return sinh(x);
    else if constexpr (fn == Fn::cosh)
      return cosh(x);
    else if constexpr (fn == Fn::tanh)
      return tanh(x);
    else if constexpr (fn == Fn::exp)
      return exp(x);
    else if constexpr (fn == Fn::log)
      return log(x);
    else if constexpr (fn == Fn::log10)
      return log10(x);
    else if constexpr (fn == Fn::sqrt)
      return sqrt(x);
    else if constexpr (fn == Fn::abs)
      return abs(x);
    else if constexpr (fn == Fn::sign)
      return x > 0 ? T(1) : x < 0 ? T(-1) : x;  // keeps 0 and NaN
    else if constexpr (fn == Fn::floor)
      return floor(x);
    else if constexpr (fn == Fn::ceil)
      return ceil(x);
    else if constexpr (fn == Fn::not_)
      return truth<T>(x == 0);
  }
  // d value / d x, given y = value(x). Where a function has a kink, the derivative to the right; steps have none.
  template <class T>
  static T slope(const T& x, const T& y) {
    using namespace std;
    if constexpr (fn == Fn::sin)
      return cosine_of(x);
    else if constexpr (fn == Fn::cos)
      return -sine_of(x);
    else if constexpr (fn == Fn::tan)
      return 1 + y * y;
    else if constexpr (fn == Fn::asin)
      return 1 / sqrt(T((1 - x) * (1 + x)));
    else if constexpr (fn == Fn::acos)
      return -1 / sqrt(T((1 - x) * (1 + x)));
    else if constexpr (fn == Fn::atan)
      return 1 / (1 + x * x);
    else if constexpr (fn == Fn::sinh)
      return cosh(x);
    else if constexpr (fn == Fn::cosh)
      return sinh(x);
    else if constexpr (fn == Fn::tanh)
      return (1 - y) * (1 + y);
    else if constexpr (fn == Fn::exp)
      return y;
    else if constexpr (fn == Fn::log)
      return 1 / x;
    else if constexpr (fn == Fn::log10)
      return 1 / (x * log(T(10)));
    else if constexpr (fn == Fn::sqrt)
      return 1 / (2 * y);
    else if constexpr (fn == Fn::abs)
      return x < 0 ? T(-1) : T(1);
    else
      return T(0);
  }
};

template <class T>
struct Partials {
  T a{}, b{};
};

template <Fn fn>
struct Binary {
  template <class T>
  static T value(const T& x, const T& y) {
    using namespace std;
    if constexpr (fn == Fn::atan2)
      return atan2(x, y);
    else if constexpr (fn == Fn::min)
      return y < x ? y : x;
    else if constexpr (fn == Fn::max)
      return x < y ? y : x;
    else if constexpr (fn == Fn::mod)
      return x - floor(T(x / y)) * y;
    else if constexpr (fn == Fn::rem)
      return x - truncate(T(x / y)) * y;
    else if constexpr (fn == Fn::div)
      return truncate(T(x / y));
    else if constexpr (fn == Fn::lt)
      return truth<T>(x < y);
    else if constexpr (fn == Fn::le)
      return truth<T>(x <= y);
    else if constexpr (fn == Fn::eq)
      return truth<T>(x == y);
    else if constexpr (fn == Fn::and_)
      return truth<T>(x != 0 && y != 0);
    else if constexpr (fn == Fn::or_)
      return truth<T>(x != 0 || y != 0);
  }
  template <class T>
  static Partials<T> slope(const T& x, const T& y) {
    using namespace std;
    if constexpr (fn == Fn::atan2) {
      const T square = x * x + y * y;
      return {y / square, -x / square};
    } else if constexpr (fn == Fn::min)
      return y < x ? Partials<T>{T(0), T(1)} : Partials<T>{T(1), T(0)};
    else if constexpr (fn == Fn::max)
      return x < y ? Partials<T>{T(0), T(1)} : Partials<T>{T(1), T(0)};
    else if constexpr (fn == Fn::mod)
      return {T(1), -floor(T(x / y))};
    else if constexpr (fn == Fn::rem)
      return {T(1), -truncate(T(x / y))};
    else
      return {T(0), T(0)};
  }
};

template <class T>
T power_of(const T& x, const T& y) {
  using std::pow;
  return pow(x, y);
}

// d x^y: y x^(y-1) and log(x) x^y; the second is 0 at x = 0.
template <class T>
Partials<T> power_slope(const T& x, const T& y, const T& value) {
  using std::log;
  using std::pow;
  return {y * pow(x, T(y - 1)), x == 0 ? T(0) : T(log(x) * value)};
}

// The segment of a table x[0..n) in which x lies: k with x[k] <= at < x[k+1], the first or last one outside.
template <class X>
std::size_t segment(const X& x, std::size_t n, const auto& at) {
  std::size_t low = 0, high = n - 1;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    if (at < x(middle))
      high = middle;
    else
      low = middle;
  }
  return low;
}

}  // namespace kron::code
