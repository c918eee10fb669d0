#include "engine/code/fingerprint.hpp"

#include <algorithm>
#include <array>

namespace kron::code {
namespace {

std::uint64_t hash_pair(std::uint64_t tag, Fingerprint x) { return combine(combine(tag, x.a), x.b); }

Fingerprint element(std::uint64_t h) {  // two independent words of a hash, away from 0 and 1
  const auto within = [](std::uint64_t word, std::uint64_t size) {  // size is nearly 2^61: a remainder without a division
    const std::uint64_t x = word >> 3;
    return x >= size ? x - size : x;
  };
  return {2 + within(mix(h ^ 0xa5a5), FieldA::p - 3), 2 + within(mix(h ^ 0x5a5a5a), FieldB::p - 3)};
}

std::uint64_t tag_of(Fn fn) { return mix(0xf00d + static_cast<std::uint64_t>(fn)); }

Fingerprint hash1(std::uint64_t tag, Fingerprint x) { return element(hash_pair(tag, x)); }
Fingerprint hash2(std::uint64_t tag, Fingerprint x, Fingerprint y) { return element(hash_pair(hash_pair(tag, x), y)); }
bool before(Fingerprint x, Fingerprint y) { return x.a != y.a ? x.a < y.a : x.b < y.b; }
Fingerprint unordered(std::uint64_t tag, Fingerprint x, Fingerprint y) {
  return before(x, y) ? hash2(tag, x, y) : hash2(tag, y, x);
}
Fingerprint odd(std::uint64_t tag, Fingerprint x) {
  if (is_zero(x)) return {};
  const Fingerprint h = hash1(tag, magnitude(x));
  return is_negative(x) ? -h : h;
}

constexpr Fingerprint unit{1, 1};

template <class F>
std::uint64_t integer_mod(const Integer& n) {
  const Integer r = abs(n) % F::p;
  const auto x = r.template convert_to<std::uint64_t>();
  return n < 0 ? F::neg(x) : x;
}

// mod(x, y) = x - floor(x/y) y and rem(x, y) = x - div(x, y) y, so both agree with the spelt-out forms.
Fingerprint quotient_function(Fn fn, Fingerprint x, Fingerprint y) {
  if (is_zero(x)) return {};
  if (is_zero(y)) return hash2(tag_of(fn), x, y);
  const Fingerprint q = x * inverse(y);
  const Fingerprint whole = fn == Fn::mod ? hash1(tag_of(Fn::floor), q) : odd(tag_of(Fn::div), q);
  return fn == Fn::div ? whole : x - whole * y;
}

Fingerprint value_of_select(Fingerprint c, Fingerprint a, Fingerprint b) {
  if (a == b) return a;
  const bool minus = is_zero(a) ? is_negative(b) : is_negative(a);
  const Fingerprint h = element(hash_pair(hash_pair(hash_pair(tag_of(Fn::select), c), minus ? -a : a), minus ? -b : b));
  return minus ? -h : h;
}

Fingerprint value_of_relation(Fn fn, Fingerprint difference) {
  if (is_zero(difference)) return fn == Fn::lt ? Fingerprint{} : unit;
  return hash1(tag_of(fn), fn == Fn::eq ? magnitude(difference) : difference);
}

using Circle = Exponentials::Circle;

Circle times(const Circle& x, const Circle& y) {
  return {x.cos * y.cos - x.sin * y.sin, x.sin * y.cos + x.cos * y.sin};
}

Circle circle_power(Circle x, std::int64_t e) {
  if (e < 0) x.sin = -x.sin;
  Circle r;
  for (auto n = static_cast<std::uint64_t>(e < 0 ? -e : e); n != 0; n >>= 1, x = times(x, x))
    if (n & 1) r = times(r, x);
  return r;
}

Circle circle_point(Fingerprint t) {
  const Fingerprint square = t * t, scale = inverse(unit + square);
  return {(unit - square) * scale, (t + t) * scale};
}

// An element z of order 10080 on the circle of F_p with z^2520 = i: the image of exp(i pi/5040). Points of the circle
// have order dividing p + 1; the (p+1)/10080-th power of a random one has full order with a fair chance.
struct PiGenerator {
  Circle z;
  PiGenerator() {
    for (std::uint64_t seed = 1; found_ != 3; ++seed) try_seed(seed);
  }

 private:
  int found_ = 0;  // bit 0: field A done, bit 1: field B

  static Circle power_by_field(Circle x, std::uint64_t ea, std::uint64_t eb) {
    Circle r;
    for (; (ea | eb) != 0; ea >>= 1, eb >>= 1, x = times(x, x)) {
      const Circle m = times(r, x);
      if (ea & 1) r.cos.a = m.cos.a, r.sin.a = m.sin.a;
      if (eb & 1) r.cos.b = m.cos.b, r.sin.b = m.sin.b;
    }
    return r;
  }
  void try_seed(std::uint64_t seed) {
    const Circle x = circle_point(element(mix(seed)));
    const Circle y = power_by_field(x, (FieldA::p + 1) / 10080, (FieldB::p + 1) / 10080);
    int good = 3;
    for (std::int64_t q : {2, 3, 5, 7}) {
      const Circle s = circle_power(y, 10080 / q);
      if (s.cos.a == 1) good &= ~1;
      if (s.cos.b == 1) good &= ~2;
    }
    const Circle quarter = circle_power(y, 2520);  // i or -i
    if ((good & 1) && !(found_ & 1)) z.cos.a = y.cos.a, z.sin.a = quarter.sin.a == 1 ? y.sin.a : FieldA::neg(y.sin.a);
    if ((good & 2) && !(found_ & 2)) z.cos.b = y.cos.b, z.sin.b = quarter.sin.b == 1 ? y.sin.b : FieldB::neg(y.sin.b);
    found_ |= good;
  }
};

Circle at_pi(std::int64_t e) {  // exp(i e pi/5040)
  static const PiGenerator generator;
  return circle_power(generator.z, e % 10080);
}

// Of the two roots the one that is a square itself (p = 3 mod 4): so is a product of those.
std::optional<Fingerprint> root_that_is_a_square(Fingerprint x) {
  const Fingerprint r{FieldA::pow(x.a, (FieldA::p + 1) / 4), FieldB::pow(x.b, (FieldB::p + 1) / 4)};
  return r * r == x ? std::optional(r) : std::nullopt;
}

// Roots of the primes that divide the order of pi's image are sums of its sines and cosines, with a sign that is not theirs to choose:
// 1 or -1 in each field, what makes the root that is a square the one that they give. That of 7 is Gauss's sum.
struct PrimeRoot {
  std::int64_t prime;
  Fingerprint sign;
};
std::array<PrimeRoot, 4> prime_roots() {
  const auto whole = [](std::int64_t n) { return value_of(n); };
  const std::array<std::pair<std::int64_t, Fingerprint>, 4> roots = {
      {{2, whole(2) * at_pi(5040 / 4).cos},
       {3, whole(2) * at_pi(5040 / 6).cos},
       {5, whole(4) * at_pi(5040 / 5).cos - whole(1)},
       {7, whole(2) * (at_pi(2 * 5040 / 7).sin + at_pi(4 * 5040 / 7).sin + at_pi(8 * 5040 / 7).sin)}}};
  std::array<PrimeRoot, 4> list;
  for (std::size_t k = 0; k < list.size(); ++k) list[k] = {roots[k].first, roots[k].second * inverse(*root_that_is_a_square(whole(roots[k].first)))};
  return list;
}

const std::vector<std::uint32_t>& small_primes() {
  static const std::vector<std::uint32_t> list = [] {
    std::vector<std::uint32_t> primes;
    for (std::uint32_t n = 2; n < 1000; ++n)
      if (std::ranges::none_of(primes, [&](std::uint32_t p) { return n % p == 0; })) primes.push_back(n);
    return primes;
  }();
  return list;
}

// Takes all factors p out of n; how many there were.
std::uint32_t divide_out(Integer& n, std::uint32_t p) {
  Integer quotient, rest;
  for (std::uint32_t times = 0;; ++times) {
    divide_qr(n, Integer(p), quotient, rest);
    if (rest != 0) return times;
    n = quotient;
  }
}

// The root of a product of factors without a common one, in one field. A factor that has none there goes with the first number that has none:
// sqrt(p*q) = sqrt(p*n)*sqrt(q*n)/n.
template <class Field>
class RootInField {
 public:
  void times(std::uint64_t x) {
    const bool has_root = Field::pow(x, (Field::p - 1) / 2) == 1;
    value_ = Field::mul(value_, Field::pow(has_root ? x : Field::mul(x, without()), (Field::p + 1) / 4));
    if (has_root) return;
    paired_ = !paired_;
    if (paired_) value_ = Field::mul(value_, Field::pow(without(), Field::p - 2));
  }
  std::optional<std::uint64_t> value() const { return paired_ ? std::optional(value_) : std::nullopt; }

 private:
  static std::uint64_t without() {
    static const std::uint64_t n = [] {
      std::uint64_t x = 2;
      while (Field::pow(x, (Field::p - 1) / 2) == 1) ++x;
      return x;
    }();
    return n;
  }
  std::uint64_t value_ = 1;
  bool paired_ = true;
};

}  // namespace

// For each of some primes whether its power in the number is odd, and whether what is left is a square modulo the prime: squares change neither.
std::uint64_t quadratic_characters(const Rational& x) {
  constexpr std::size_t primes = 32;  // odd ones
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < primes; ++k) {
    const std::uint32_t p = small_primes()[1 + k];
    Integer n = numerator(x) * denominator(x);
    const bool odd = divide_out(n, p) % 2 != 0;
    std::uint64_t power = 1, base = Integer(n % p).convert_to<std::uint64_t>();
    for (std::uint32_t e = (p - 1) / 2; e != 0; e >>= 1, base = base * base % p)
      if (e & 1) power = power * base % p;
    bits |= ((odd ? 2u : 0u) | std::uint64_t{power == 1}) << 2 * k;
  }
  return bits;
}

// Of the two roots the one that is the product of the factors' roots. Of a square it is the number itself, whether that is a square in the
// fields or not. What is left beside the small prime factors is taken as one of them.
std::optional<Fingerprint> value_of_root(const Rational& x) {
  static const std::array<PrimeRoot, 4> primes = prime_roots();
  Fingerprint whole = inverse(value_of(Rational(denominator(x))));
  RootInField<FieldA> a;
  RootInField<FieldB> b;
  const auto times = [&](Fingerprint f) {
    a.times(f.a);
    b.times(f.b);
  };
  Integer n = numerator(x) * denominator(x), rest;
  for (const std::uint32_t p : small_primes()) {
    const std::uint32_t power = divide_out(n, p);
    if (power > 1) whole = whole * code::power(value_of(std::int64_t{p}), power / 2);
    if (power % 2 == 0) continue;
    times(value_of(std::int64_t{p}));
    const auto known = std::ranges::find(primes, p, &PrimeRoot::prime);
    if (known != primes.end()) whole = whole * known->sign;
  }
  const Integer root = sqrt(n, rest);
  if (rest == 0) whole = whole * value_of(Rational(root));
  else times(value_of(Rational(n)));
  if (!a.value() || !b.value()) return std::nullopt;
  return whole * Fingerprint{*a.value(), *b.value()};
}

Fingerprint power(Fingerprint x, std::int64_t e) {
  if (e < 0) return power(inverse(x), -e);
  Fingerprint r = unit;
  for (auto n = static_cast<std::uint64_t>(e); n != 0; n >>= 1, x = x * x)
    if (n & 1) r = r * x;
  return r;
}

Fingerprint inverse(Fingerprint x) {
  // x^(p-2). The exponents of both fields are 2^61 minus less than 2^18: all bits from 18 up are ones, so the upper 43
  // ones are built by doubling runs (addition chain) and the rest by binary steps, both fields side by side.
  Fingerprint run = x;  // x^(2^k - 1)
  int k = 1;
  auto widen = [&](int by, Fingerprint tail) {
    for (int i = 0; i < by; ++i) run = run * run;
    run = run * tail;
    k += by;
  };
  widen(1, x);    // 2
  widen(2, run);  // 4
  const Fingerprint four = run;
  widen(4, run);   // 8
  widen(8, run);   // 16
  widen(16, run);  // 32
  widen(4, four);  // 36
  widen(4, four);  // 40
  widen(1, x);     // 41
  widen(1, x);     // 42
  widen(1, x);     // 43
  constexpr std::uint64_t low = (std::uint64_t{1} << 18) - 1;
  constexpr std::uint64_t ea = (FieldA::p - 2) & low, eb = (FieldB::p - 2) & low;
  static_assert(((FieldA::p - 2) >> 18) == (std::uint64_t{1} << 43) - 1);
  static_assert(((FieldB::p - 2) >> 18) == (std::uint64_t{1} << 43) - 1);
  Fingerprint r = run;
  for (int bit = 17; bit >= 0; --bit) {
    r = r * r;
    if (ea >> bit & 1) r.a = FieldA::mul(r.a, x.a);
    if (eb >> bit & 1) r.b = FieldB::mul(r.b, x.b);
  }
  if (x.a == 0) r.a = 1 + mix(x.b ^ 0x1a) % (FieldA::p - 1);
  if (x.b == 0) r.b = 1 + mix(x.a ^ 0x1b) % (FieldB::p - 1);
  return r;
}

Fingerprint value_of(std::int64_t n) {
  const std::uint64_t m = n < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
  const Fingerprint f{FieldA::from(m), FieldB::from(m)};
  return n < 0 ? -f : f;
}

Fingerprint value_of(const Rational& r) {
  const Integer n = numerator(r), d = denominator(r);
  const Fingerprint top{integer_mod<FieldA>(n), integer_mod<FieldB>(n)};
  if (d == 1) return top;
  return top * inverse({integer_mod<FieldA>(d), integer_mod<FieldB>(d)});
}

Fingerprint value_of_dyadic(std::int64_t mantissa, int exponent) {
  const Fingerprint two{2, 2};
  static const Fingerprint half = inverse(two);
  return value_of(mantissa) * power(exponent < 0 ? half : two, exponent < 0 ? -exponent : exponent);
}

Fingerprint value_of_pi() { return element(0x314159265358979ull); }
Fingerprint value_of_key(std::uint64_t tag, std::uint64_t key) { return element(combine(mix(tag), key)); }
Fingerprint value_of_hash(std::uint64_t hash) { return element(hash); }
Fingerprint value_of_pow(Fingerprint x, Fingerprint e) { return hash2(0x706f77, x, e); }

Fingerprint value_of_call(Fn fn, std::span<const Fingerprint> v) {
  const std::uint64_t tag = tag_of(fn);
  switch (fn) {
    case Fn::asin:
    case Fn::atan:
    case Fn::sign:
      return odd(tag, v[0]);
    case Fn::abs:
      return is_zero(v[0]) ? v[0] : hash1(tag, magnitude(v[0]));
    case Fn::floor:
      return is_zero(v[0]) ? v[0] : hash1(tag, v[0]);
    case Fn::ceil:
      return is_zero(v[0]) ? v[0] : -hash1(tag_of(Fn::floor), -v[0]);  // ceil(x) = -floor(-x)
    case Fn::sqrt:
      return v[0] == unit || is_zero(v[0]) ? v[0] : hash1(tag, v[0]);
    case Fn::acos:
      return v[0] == unit ? Fingerprint{} : hash1(tag, v[0]);
    case Fn::log:
    case Fn::log10:
      return v[0] == unit ? Fingerprint{} : hash1(tag, v[0]);
    case Fn::atan2: {  // odd in its first argument
      const Fingerprint h = hash2(tag, magnitude(v[0]), v[1]);
      return is_negative(v[0]) ? -h : h;
    }
    case Fn::max:
      return v[0] == v[1] ? v[0] : unordered(tag, v[0], v[1]);
    case Fn::min:
      return v[0] == v[1] ? v[0] : -unordered(tag_of(Fn::max), -v[0], -v[1]);  // min(a, b) = -max(-a, -b)
    case Fn::mod:
    case Fn::rem:
    case Fn::div:
      return quotient_function(fn, v[0], v[1]);
    case Fn::lt:
    case Fn::le:
    case Fn::eq:
      return value_of_relation(fn, v[0] - v[1]);
    case Fn::and_:
    case Fn::or_:
      return unordered(tag, v[0], v[1]);
    case Fn::select:
      return value_of_select(v[0], v[1], v[2]);
    default:
      break;
  }
  std::uint64_t h = combine(tag, v.size());
  for (const Fingerprint& x : v) h = hash_pair(h, x);
  return element(h);
}

void LinearForm::add(Fingerprint atom, std::int64_t coefficient) {
  if (is_negative(atom)) atom = -atom, coefficient = -coefficient;
  for (Term& t : terms)
    if (t.atom == atom) {
      t.coefficient += coefficient;
      return;
    }
  terms.push_back({atom, coefficient});
}

void LinearForm::add_pi(std::int64_t coefficient) {
  constexpr std::int64_t unit_of_pi = denominator / 5040;
  static_assert(denominator % 5040 == 0);
  if (coefficient % unit_of_pi == 0)
    pi += coefficient / unit_of_pi;
  else
    add(value_of_pi(), coefficient);
}

Circle Exponentials::circle(const LinearForm& form) {
  Circle r = at_pi(form.pi);
  for (const LinearForm::Term& t : form.terms) {
    if (t.coefficient == 0) continue;
    Atom& atom = atoms_[t.atom];
    if (!atom.has_circle) {
      atom.fine = circle_point(hash1(0xc1c1e, t.atom));
      atom.whole = circle_power(atom.fine, LinearForm::denominator);
      atom.has_circle = true;
    }
    const bool whole = t.coefficient % LinearForm::denominator == 0;
    r = times(r, whole ? circle_power(atom.whole, t.coefficient / LinearForm::denominator)
                       : circle_power(atom.fine, t.coefficient));
  }
  return r;
}

Fingerprint Exponentials::exponential(const LinearForm& form) {
  LinearForm all = form;
  if (form.pi != 0) all.add(value_of_pi(), form.pi * (LinearForm::denominator / 5040));
  Fingerprint r = unit;
  for (const LinearForm::Term& t : all.terms) {
    if (t.coefficient == 0) continue;
    Atom& atom = atoms_[t.atom];
    if (!atom.has_power) {
      atom.fine_power = hash1(0xe4b, t.atom);
      atom.whole_power = power(atom.fine_power, LinearForm::denominator);
      atom.has_power = true;
    }
    const bool whole = t.coefficient % LinearForm::denominator == 0;
    r = r * (whole ? power(atom.whole_power, t.coefficient / LinearForm::denominator)
                   : power(atom.fine_power, t.coefficient));
  }
  return r;
}

}  // namespace kron::code
