// engine/simulate/lanes.hpp: the vectors of Dormand and Prince's method, of one run or of several side by side, and what is computed with
// all of their elements. Private to the room.
#pragma once
#include <array>
#include <cmath>
#include <cstring>

#include "engine/simulate/run.hpp"

namespace kron::simulate::dormand_prince {

inline constexpr std::size_t stages = 7;
inline constexpr std::array<double, stages> c = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
inline constexpr double a[stages][stages - 1] = {{},
                                          {1.0 / 5},
                                          {3.0 / 40, 9.0 / 40},
                                          {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                          {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                          {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                                          {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
inline constexpr std::array<double, stages> error_weights = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                                      -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
inline constexpr std::array<double, stages> dense = {-12715105075.0 / 11282082432,  0,
                                              87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                              701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                              69997945.0 / 29380423};


// The vectors of `width` runs of one size, and their steps. The functions that follow do for each lane the same, in loops that compilers
// vectorise; they are part of their callers, which say for which processor.
template <std::size_t width>
struct Bank {
  std::size_t n = 0;
  double tolerance = 1e-6;
  double *y = nullptr, *next = nullptr, *sixth = nullptr;  // next: the solution of order 5; sixth: where stage 6 was evaluated
  std::array<double*, stages> k{};
  double *errors = nullptr, *polynomial = nullptr;         // of the step just taken, in s = (t - start)/h: 5 coefficients for each state
  double *scale = nullptr, *sharpness = nullptr;           // as in Run
  std::array<double, width> time{}, step{}, error{}, change{}, distance{};
};

#define KRON_PART_OF_CALLER [[gnu::always_inline]] inline

// One number for each lane, as the processor computes with them. Not passed by value: how is a matter of the processor.
template <std::size_t width>
struct Lanes {
  using Numbers [[gnu::vector_size(8 * width)]] = double;
};
template <>
struct Lanes<1> {
  using Numbers = double;
};
template <std::size_t width>
using Numbers = typename Lanes<width>::Numbers;

template <class V>
KRON_PART_OF_CALLER void load(V& v, const double* from) {
  std::memcpy(&v, from, sizeof v);
}
template <class V>
KRON_PART_OF_CALLER void store(double* to, const V& v) {
  std::memcpy(to, &v, sizeof v);
}
template <class V>
KRON_PART_OF_CALLER void magnitude(V& v) {
  v = v < 0 ? -v : v;
}
template <class V>
KRON_PART_OF_CALLER void enlarge(V& v, const V& least) {  // not a number gives way
  v = v > least ? v : least;
}

// y + h * sum over m < count of a[count][m] * k[m]; `count` is known to the compiler, which makes one loop of it.
template <std::size_t count, std::size_t width>
KRON_PART_OF_CALLER void combine(const Bank<width>& b, double* to) {
  using V = Numbers<width>;
  std::array<const double*, count> k;
  for (std::size_t m = 0; m < count; ++m) k[m] = b.k[m];
  const double* y = b.y;
  V h, first, x;
  load(h, b.step.data());
  for (std::size_t at = 0; at < b.n * width; at += width) {
    load(first, k[0] + at);
    V sum = a[count][0] * first;
    for (std::size_t m = 1; m < count; ++m) {
      load(x, k[m] + at);
      sum += a[count][m] * x;
    }
    load(x, y + at);
    x += h * sum;
    store(to + at, x);
  }
}

// The state of stage 1 to 6, and where it is put.
template <std::size_t width>
KRON_PART_OF_CALLER double* stage_state(const Bank<width>& b, std::size_t stage) {
  switch (stage) {
    case 1: combine<1>(b, b.next); return b.next;
    case 2: combine<2>(b, b.next); return b.next;
    case 3: combine<3>(b, b.next); return b.next;
    case 4: combine<4>(b, b.next); return b.next;
    case 5: combine<5>(b, b.sixth); return b.sixth;
    default: combine<6>(b, b.next); return b.next;
  }
}

// weight() for a state of this size.
template <std::size_t width>
KRON_PART_OF_CALLER void weight_at(const Bank<width>& b, std::size_t at, Numbers<width>& size) {
  Numbers<width> scale, sharpness;
  load(scale, b.scale + at);
  load(sharpness, b.sharpness + at);
  const Numbers<width> least = 0.1 * scale;
  enlarge(size, least);
  size = sharpness / (b.tolerance * size);
}

// Errors of the states in units of what they may be, and their root mean square.
template <std::size_t width>
KRON_PART_OF_CALLER void find_errors(Bank<width>& b) {
  using V = Numbers<width>;
  V sum{}, h, x;
  load(h, b.step.data());
  for (std::size_t at = 0; at < b.n * width; at += width) {
    V e{};
    for (std::size_t j = 0; j < stages; ++j) {
      load(x, b.k[j] + at);
      e += error_weights[j] * x;
    }
    V w, y;
    load(w, b.next + at);
    load(y, b.y + at);
    magnitude(w);
    magnitude(y);
    enlarge(w, y);
    weight_at(b, at, w);
    e = h * e * w;
    store(b.errors + at, e);
    sum += e * e;
  }
  store(b.error.data(), sum);
  for (double& error : b.error) error = std::sqrt(error / static_cast<double>(b.n));
}

template <std::size_t width>
KRON_PART_OF_CALLER void find_polynomial(const Bank<width>& b) {
  using V = Numbers<width>;
  const std::size_t n = b.n * width;
  double* p = b.polynomial;
  V h, x, y, first, last;
  load(h, b.step.data());
  for (std::size_t at = 0; at < n; at += width) {
    V d{};
    for (std::size_t j = 0; j < stages; ++j) {
      load(x, b.k[j] + at);
      d += dense[j] * x;
    }
    d *= h;
    load(x, b.next + at);
    load(y, b.y + at);
    load(first, b.k[0] + at);
    load(last, b.k[6] + at);
    const V rise = x - y, s = h * first - rise, e = rise - h * last - s;
    const V second = rise + s, third = e + d - s, fourth = -(e + 2 * d);
    store(p + at, y);
    store(p + n + at, second);
    store(p + 2 * n + at, third);
    store(p + 3 * n + at, fourth);
    store(p + 4 * n + at, d);
  }
}

// After a step was taken: the squares of the differences of its last two stages, which stand at the same time.
template <std::size_t width>
KRON_PART_OF_CALLER void find_stiffness(Bank<width>& b) {
  using V = Numbers<width>;
  V change{}, distance{}, y, x, k0, k5;
  for (std::size_t at = 0; at < b.n * width; at += width) {
    load(y, b.y + at);
    load(x, b.sixth + at);
    load(k0, b.k[0] + at);
    load(k5, b.k[5] + at);
    V w = y;
    magnitude(w);
    weight_at(b, at, w);
    const V df = (k0 - k5) * w, dy = (y - x) * w;
    change += df * df;
    distance += dy * dy;
  }
  store(b.change.data(), change);
  store(b.distance.data(), distance);
}

#undef KRON_PART_OF_CALLER

}  // namespace kron::simulate::dormand_prince
