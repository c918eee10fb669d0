// engine/code/fingerprint.hpp: the value of an expression at a random point of two prime fields (architecture.md idea
// 3).
//   Two expressions with equal fingerprints are equal as functions wherever both are defined, except with a chance of
//   about (degree / 2^61)^2 [Schwartz 1980; Zippel 1979]. Values depend on content only: leaves are hashes of their
//   keys. Primes: the largest p = 2^61 - c with p = 3 mod 4 (then 1 + t^2 is never 0, so the half-angle rule has no
//   pole) and 10080 | p + 1, so that the circle x^2 + y^2 = 1 over F_p holds an exact image of every multiple of
//   pi/5040: cos(pi/2) = 0, sin(pi/6) = 1/2 and sin(a) + sin(a + 2 pi/3) + sin(a + 4 pi/3) = 0 are seen. (2^61 - 1 has
//   only pi/2^k.)
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/base/function.hpp"
#include "engine/base/hash.hpp"
#include "engine/base/number.hpp"

namespace kron::code {

struct Fingerprint {
  std::uint64_t a = 0, b = 0;  // values in the two fields
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

template <std::uint64_t C>
struct Field {
  static constexpr std::uint64_t mask = (std::uint64_t{1} << 61) - 1;
  static constexpr std::uint64_t p = (std::uint64_t{1} << 61) - C;

  static constexpr std::uint64_t add(std::uint64_t x, std::uint64_t y) {
    const std::uint64_t r = x + y;
    return r >= p ? r - p : r;
  }
  static constexpr std::uint64_t neg(std::uint64_t x) { return x == 0 ? 0 : p - x; }
  static constexpr std::uint64_t sub(std::uint64_t x, std::uint64_t y) { return x >= y ? x - y : x + p - y; }
  static constexpr std::uint64_t mul(std::uint64_t x, std::uint64_t y) {
    __extension__ using Wide = unsigned __int128;
    const Wide t = static_cast<Wide>(x) * y;  // 2^61 = C mod p: fold the upper part twice
    const Wide s = static_cast<Wide>(static_cast<std::uint64_t>(t >> 61)) * C + (static_cast<std::uint64_t>(t) & mask);
    const std::uint64_t r = (static_cast<std::uint64_t>(s) & mask) + static_cast<std::uint64_t>(s >> 61) * C;
    return r >= p ? r - p : r;
  }
  static constexpr std::uint64_t pow(std::uint64_t x, std::uint64_t e) {
    std::uint64_t r = 1;
    for (; e != 0; e >>= 1, x = mul(x, x))
      if (e & 1) r = mul(r, x);
    return r;
  }
  static constexpr std::uint64_t from(std::uint64_t x) { return x % p; }
};
using FieldA = Field<149313>;
using FieldB = Field<179553>;

inline Fingerprint operator+(Fingerprint x, Fingerprint y) { return {FieldA::add(x.a, y.a), FieldB::add(x.b, y.b)}; }
inline Fingerprint operator-(Fingerprint x, Fingerprint y) { return {FieldA::sub(x.a, y.a), FieldB::sub(x.b, y.b)}; }
inline Fingerprint operator-(Fingerprint x) { return {FieldA::neg(x.a), FieldB::neg(x.b)}; }
inline Fingerprint operator*(Fingerprint x, Fingerprint y) { return {FieldA::mul(x.a, y.a), FieldB::mul(x.b, y.b)}; }
inline bool is_zero(Fingerprint x) { return (x.a | x.b) == 0; }
// Of {v, -v} one is called negative, so that both have one representative.
inline bool is_negative(Fingerprint x) { return x.a != 0 ? x.a > FieldA::p / 2 : x.b > FieldB::p / 2; }
inline Fingerprint magnitude(Fingerprint x) { return is_negative(x) ? -x : x; }

// 1 / x. A value that is 0 in one field only is not identically zero (bad luck, or a constant chosen to be a multiple
// of the prime): its inverse in that field is replaced by a hash, so the pair still tells values apart. x must not be
// {0, 0}.
Fingerprint inverse(Fingerprint x);
Fingerprint power(Fingerprint x, std::int64_t exponent);  // x not zero where the exponent is negative

Fingerprint value_of(const Rational&);
Fingerprint value_of(std::int64_t);
Fingerprint value_of_dyadic(std::int64_t mantissa, int exponent);  // mantissa * 2^exponent
Fingerprint value_of_pi();
// The square root of a positive number: roots of products are products of roots, and sqrt(2) = 2 cos(pi/4). nullopt: one of the fields has none.
std::optional<Fingerprint> value_of_root(const Rational&);
// Bits that are the same for numbers of which one is the other one times a square.
std::uint64_t quadratic_characters(const Rational&);
Fingerprint value_of_key(std::uint64_t tag, std::uint64_t key);  // a random element for a leaf
Fingerprint value_of_hash(std::uint64_t);                        // likewise

// Functions that are hashes of their arguments, with the symmetries they have (odd, even, unordered arguments). Not for
// the functions of a linear form below, nor for identity functions.
Fingerprint value_of_call(Fn, std::span<const Fingerprint> arguments);
Fingerprint value_of_pow(Fingerprint base, Fingerprint exponent);

// A linear form over atoms with rational coefficients in units of 1/denominator, plus a multiple of pi and of 1.
struct LinearForm {
  static constexpr std::int64_t denominator = 1'008'000'000;  // 2^10 3^2 5^6 7
  struct Term {
    Fingerprint atom;
    std::int64_t coefficient = 0;
  };
  std::vector<Term> terms;
  void add(Fingerprint atom, std::int64_t coefficient);
  void add_pi(std::int64_t coefficient);  // a multiple of pi/5040 goes to the exact image
  std::int64_t pi = 0;                    // in units of pi/5040
};

// exp(i x) and exp(x) of linear forms x: an atom has one random element of the circle (by its half-angle parameter t,
// ((1 - t^2)/(1 + t^2), 2t/(1 + t^2))) and one of the multiplicative group; coefficients become exponents, which is the
// addition theorem.
class Exponentials {
 public:
  struct Circle {
    Fingerprint cos{1, 1}, sin{};
  };
  Circle circle(const LinearForm&);
  Fingerprint exponential(const LinearForm&);

 private:
  struct Atom {
    Circle fine, whole;                   // exp(i atom / denominator), exp(i atom)
    Fingerprint fine_power, whole_power;  // exp(atom / denominator), exp(atom)
    bool has_circle = false, has_power = false;
  };
  struct Hash {
    std::size_t operator()(const Fingerprint& f) const { return f.a ^ (f.b << 1); }
  };
  std::unordered_map<Fingerprint, Atom, Hash> atoms_;
};

}  // namespace kron::code
