#include "engine/code/sine.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kron::code {
namespace {

constexpr double far = 1e6;  // beyond, the multiple of pi/2 has too many digits

SineAndCosine by_library(double x) { return {std::sin(x), std::cos(x)}; }

#if defined(__x86_64__)

#define KRON_FAST [[gnu::always_inline, gnu::target("avx2,fma")]] inline

// One angle, and four of them.
struct One {
  using Number = double;
  using Bits = std::uint64_t;
  KRON_FAST static Number all(double x) { return x; }
  KRON_FAST static Number fused(Number a, Number b, Number c) { return __builtin_fma(a, b, c); }
  KRON_FAST static Bits bits(Number x) { return std::bit_cast<Bits>(x); }
  KRON_FAST static Number number(Bits b) { return std::bit_cast<Number>(b); }
};
struct Four {
  using Number = __m256d;
  using Bits = __m256i;
  KRON_FAST static Number all(double x) { return _mm256_set1_pd(x); }
  KRON_FAST static Number fused(Number a, Number b, Number c) { return _mm256_fmadd_pd(a, b, c); }
  KRON_FAST static Bits bits(Number x) { return _mm256_castpd_si256(x); }
  KRON_FAST static Number number(Bits b) { return _mm256_castsi256_pd(b); }
};

// c0 + z (c1 + z (c2 + ...))
template <class L, int count>
KRON_FAST typename L::Number polynomial(typename L::Number z, const double (&c)[count]) {
  typename L::Number sum = L::all(c[count - 1]);
  for (int k = count - 2; k >= 0; --k) sum = L::fused(sum, z, L::all(c[k]));
  return sum;
}

// (sin y - y) / y^3 and (cos y - 1 + y^2/2) / y^4 in z = y^2, |y| <= pi/4
constexpr double of_sine[] = {-0x1.555555555554dp-3,  0x1.111111110fb4dp-7,  -0x1.a01a019c3050bp-13,
                              0x1.71de356f10fb5p-19, -0x1.ae5e4c07395e1p-26, 0x1.5d875b9d4c1a2p-33};
constexpr double of_cosine[] = {0x1.5555555555553p-5,   -0x1.6c16c16c16132p-10, 0x1.a01a019e24bc8p-16,
                                -0x1.27e4f903dba05p-22, 0x1.1eea8935afc8fp-29,  -0x1.8ff9c523984f2p-37};

template <class L>
struct Pair {
  typename L::Number sine, cosine;
};

template <class L>
KRON_FAST void near_zero(typename L::Number x, Pair<L>& to) {
  using Number = typename L::Number;
  using Bits = typename L::Bits;
  // x = k pi/2 + y + t. The first difference is exact, the second is a sum of two; adding 1.5 * 2^52 rounds to a whole number.
  const Number shift = L::all(0x1.8p52), pi_half_1 = L::all(0x1.921fb54442d18p+0), pi_half_2 = L::all(0x1.1a62633145c07p-54),
               pi_half_3 = L::all(-0x1.f1976b7ed8fbcp-110);
  const Number shifted = L::fused(x, L::all(0x1.45f306dc9c883p-1), shift);
  const Bits quadrant = L::bits(shifted);
  const Number k = shifted - shift;
  const Number r = L::fused(-k, pi_half_1, x);
  const Number w = k * pi_half_2, rest_of_w = L::fused(k, pi_half_2, -w);
  const Number y = r - w, b = y - r, rest_of_y = (r - (y - b)) - (w + b);
  const Number t = L::fused(-k, pi_half_3, rest_of_y - rest_of_w);

  const Number z = y * y, h = L::all(0.5) * z, one = L::all(1), c = one - h;
  const Number sine = y + L::fused(y * z, polynomial<L>(z, of_sine), L::fused(-h, t, t));
  const Number cosine = c + L::fused(z * z, polynomial<L>(z, of_cosine), L::fused(-y, t, (one - c) - h));

  const Bits first = L::bits(L::all(0x0.0000000000001p-1022));  // bit 0
  const Bits odd = -(quadrant & first), exchange = (L::bits(sine) ^ L::bits(cosine)) & odd, sign = L::bits(L::all(-0.0));
  to.sine = L::number(L::bits(sine) ^ exchange ^ ((quadrant << 62) & sign));
  to.cosine = L::number(L::bits(cosine) ^ exchange ^ (((quadrant + first) << 62) & sign));
}

[[gnu::target("avx2,fma")]] SineAndCosine of_one(double x) {
  Pair<One> p;
  near_zero<One>(x, p);
  return {x == 0 ? x : p.sine, p.cosine};
}

[[gnu::target("avx2,fma")]] void of_four(double* angles, double* sines, double* cosines) {
  Pair<Four> p;
  const __m256d x = _mm256_loadu_pd(angles);
  near_zero<Four>(x, p);
  const __m256d zero = _mm256_cmp_pd(x, _mm256_setzero_pd(), _CMP_EQ_OQ);
  if (sines != nullptr) _mm256_storeu_pd(sines, _mm256_blendv_pd(p.sine, x, zero));
  if (cosines != nullptr) _mm256_storeu_pd(cosines, p.cosine);
}

#undef KRON_FAST

const bool fast = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");

#else

constexpr bool fast = false;
SineAndCosine of_one(double x) { return by_library(x); }
void of_four(double*, double*, double*) {}

#endif

bool is_near(double x) { return std::fabs(x) <= far; }

void of_lanes(double* angles, double* sines, double* cosines) {
  if (fast && std::all_of(angles, angles + sine_lanes, is_near)) return of_four(angles, sines, cosines);
  for (int lane = 0; lane < sine_lanes; ++lane) {
    const SineAndCosine both = sine_and_cosine(angles[lane]);
    if (sines != nullptr) sines[lane] = both.sine;
    if (cosines != nullptr) cosines[lane] = both.cosine;
  }
}

}  // namespace

SineAndCosine sine_and_cosine(double x) { return fast && is_near(x) ? of_one(x) : by_library(x); }
double sine(double x) { return sine_and_cosine(x).sine; }
double cosine(double x) { return sine_and_cosine(x).cosine; }

void sine_lanes_of(double* angles) { of_lanes(angles, angles, nullptr); }
void cosine_lanes_of(double* angles) { of_lanes(angles, nullptr, angles); }
void sine_and_cosine_lanes_of(double* angles) { of_lanes(angles, angles, angles + sine_lanes); }

}  // namespace kron::code
