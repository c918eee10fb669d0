// Segments by hand: each operation, each way in which a value is kept, and leaving.
#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "engine/jit/cache.hpp"
#include "engine/jit/function.hpp"

using namespace kron::jit;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity(), undefined = std::numeric_limits<double>::quiet_NaN();

double twice(double x) { return 2 * x; }
double mixed(double x, double y) { return x - 3 * y; }
struct Two {
  double first, second;
};
Two both(double x) { return {2 * x, x - 1}; }
const std::array<const void*, 3> functions{reinterpret_cast<const void*>(&twice), reinterpret_cast<const void*>(&mixed), reinterpret_cast<const void*>(&both)};

bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b)); }

// The same by a loop over the instructions.
bool interpret(const Segment& s, std::vector<double>& values) {
  std::array<double, numbers> number{};
  std::vector<double> frame(64), made(s.size());
  fill_numbers(frame.data());
  std::copy_n(frame.begin(), numbers, number.begin());
  const auto at = [&](Operand o) {
    return o.kind() == Operand::Kind::made ? made[o.index()] : o.kind() == Operand::Kind::outside ? values[o.index()] : number[o.index()];
  };
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  for (std::size_t k = 0; k < s.size(); ++k) {
    const Instruction& i = s[k];
    const double a = at(i.a), b = at(i.b), c = at(i.c);
    double& r = made[k];
    switch (i.op) {
      case Operation::add: r = a + b; break;
      case Operation::mul: r = a * b; break;
      case Operation::and_: r = std::bit_cast<double>(bits(a) & bits(b)); break;
      case Operation::xor_: r = std::bit_cast<double>(bits(a) ^ bits(b)); break;
      case Operation::sub: r = a - b; break;
      case Operation::div: r = a / b; break;
      case Operation::min: r = b < a ? b : a; break;
      case Operation::max: r = a < b ? b : a; break;
      case Operation::less: r = a < b; break;
      case Operation::less_equal: r = a <= b; break;
      case Operation::equal: r = a == b; break;
      case Operation::unequal: r = a != b; break;
      case Operation::sqrt: r = std::sqrt(a); break;
      case Operation::floor: r = std::floor(a); break;
      case Operation::ceil: r = std::ceil(a); break;
      case Operation::select: r = a != 0 ? b : c; break;
      case Operation::store: r = a; break;
      case Operation::call1: r = twice(a); break;
      case Operation::call2: r = mixed(a, b); break;
      case Operation::second: r = at(s[i.a.index()].a) - 1; break;
      case Operation::require:
        if (!(a > b)) return false;
        break;
    }
    if (i.place != Instruction::not_stored) values[i.place] = r;
  }
  return true;
}

bool run(const Segment& s, std::vector<double>& values) {
  const Code code = assemble(s);
  std::vector<std::uint32_t> places(values.size());
  for (std::uint32_t i = 0; i < places.size(); ++i) places[i] = i;
  const Part part{&code, places};
  const auto f = Function::link({&part, 1});
  REQUIRE(f != nullptr);
  std::vector<double> frame(f->frame_size());
  fill_numbers(frame.data());
  return (*f)(values.data(), frame.data(), functions.data());
}

constexpr std::uint32_t first_result = 8;

// Random instructions over 8 places; some results are stored. `wide`: operands come from far back, so that values are spilled.
Segment random_segment(std::mt19937& random, std::uint32_t size, bool wide) {
  Segment s;
  for (std::uint32_t k = 0; k < size; ++k) {
    const auto operand = [&] {
      if (k == 0 || random() % 4 == 0) return Operand::outside(static_cast<std::uint32_t>(random() % first_result));
      if (random() % 16 == 0) return Operand::number(static_cast<Number>(random() % 2));
      const auto back = static_cast<std::uint32_t>(wide ? random() % k : random() % std::min(k, 12u));
      const std::uint32_t from = k - 1 - back;
      return s[from].op == Operation::store || s[from].op == Operation::require ? Operand::outside(0) : Operand::made(from);
    };
    Instruction i{.op = static_cast<Operation>(random() % 19), .a = operand(), .b = operand(), .c = operand()};
    if (i.op == Operation::and_ || i.op == Operation::xor_)
      i.b = Operand::number(i.op == Operation::and_ ? Number::all_but_sign : Number::sign_bit);
    if (i.op == Operation::call1 || i.op == Operation::call2) i.function = i.op == Operation::call2;
    if (i.op == Operation::call1 && random() % 4 != 0) i.op = Operation::sub;
    if (i.op == Operation::store || random() % 8 == 0) i.place = first_result + k;
    s.push_back(i);
    if (i.op != Operation::call1 || random() % 2 == 0 || k + 1 == size) continue;
    s.back().function = 2;
    s.push_back({.op = Operation::second, .a = Operand::made(k++)});
  }
  return s;
}

}  // namespace

TEST_CASE("assemble: random segments agree with a loop over their instructions") {
  if (!available()) return;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> u(-2, 2);
  const std::array special{0.0, -0.0, inf, -inf, undefined, 1.0};
  for (int k = 0; k < 3000; ++k) {
    CAPTURE(k);
    const Segment s = random_segment(random, 1 + static_cast<std::uint32_t>(random() % 200), k % 2 == 0);
    std::vector<double> values(first_result + s.size(), 0.0);
    for (std::size_t i = 0; i < first_result; ++i) values[i] = random() % 8 == 0 ? special[random() % special.size()] : u(random);
    std::vector<double> expected = values;
    REQUIRE(interpret(s, expected));
    REQUIRE(run(s, values));
    for (std::size_t i = 0; i < values.size(); ++i) REQUIRE(same(values[i], expected[i]));
  }
}

TEST_CASE("assemble: `require` leaves where a > b does not hold") {
  if (!available()) return;
  struct Row { double a, b; bool stays; };
  for (const Row& row : {Row{2, 1, true}, {1, 1, false}, {1, 2, false}, {undefined, 1, false}, {1, undefined, false}, {inf, 1, true}, {inf, inf, false}, {0.0, -0.0, false}}) {
    CAPTURE(row.a);
    CAPTURE(row.b);
    std::vector<double> values{row.a, row.b, 0};
    const Segment s{{.op = Operation::require, .a = Operand::outside(0), .b = Operand::outside(1)},
                    {.op = Operation::add, .a = Operand::number(Number::one), .b = Operand::number(Number::one), .place = 2}};
    CHECK(run(s, values) == row.stays);
    CHECK(values[2] == (row.stays ? 2 : 0));
  }
}

TEST_CASE("cache: equal content is assembled once, and what is not asked for is forgotten") {
  if (!available()) return;
  Cache cache;
  CacheCounts counts;
  const auto segment = [](std::uint32_t k) { return Segment(1000, {.op = Operation::add, .a = Operand::outside(k), .b = Operand::outside(0), .place = 1}); };
  const auto first = cache.get(segment(0), counts);
  CHECK(cache.get(segment(0), counts) == first);
  CHECK(counts.assembled == 1);
  CHECK(counts.reused == 1);
  for (std::uint32_t k = 1; k < 6000; ++k) cache.get(segment(k), counts);
  const std::size_t before = counts.assembled;
  cache.get(segment(0), counts);
  CHECK(counts.assembled == before + 1);
}
