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
void wide_twice(double* a) {
  for (std::size_t lane = 0; lane < lanes; ++lane) a[lane] = twice(a[lane]);
}
void wide_mixed(double* a) {
  for (std::size_t lane = 0; lane < lanes; ++lane) a[lane] = mixed(a[lane], a[lanes + lane]);
}
void wide_both(double* a) {
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const Two two = both(a[lane]);
    a[lane] = two.first;
    a[lanes + lane] = two.second;
  }
}
const std::array<const void*, 6> functions{reinterpret_cast<const void*>(&twice),      reinterpret_cast<const void*>(&mixed),
                                           reinterpret_cast<const void*>(&both),       reinterpret_cast<const void*>(&wide_twice),
                                           reinterpret_cast<const void*>(&wide_mixed), reinterpret_cast<const void*>(&wide_both)};

bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b)); }

double compute(const Instruction& i, double a, double b, double c) {
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  switch (i.op) {
    case Operation::add: return a + b;
    case Operation::mul: return a * b;
    case Operation::and_: return std::bit_cast<double>(bits(a) & bits(b));
    case Operation::xor_: return std::bit_cast<double>(bits(a) ^ bits(b));
    case Operation::sub: return a - b;
    case Operation::div: return a / b;
    case Operation::min: return b < a ? b : a;
    case Operation::max: return a < b ? b : a;
    case Operation::less: return a < b;
    case Operation::less_equal: return a <= b;
    case Operation::equal: return a == b;
    case Operation::unequal: return a != b;
    case Operation::sqrt: return std::sqrt(a);
    case Operation::floor: return std::floor(a);
    case Operation::ceil: return std::ceil(a);
    case Operation::select: return a != 0 ? b : c;
    case Operation::broadcast:
    case Operation::store: return a;
    case Operation::scale: return a != 0 ? a * b : 0;
    case Operation::call1: return i.function % 3 == 2 ? both(a).first : twice(a);
    case Operation::call2: return mixed(a, b);
    case Operation::second:
    case Operation::require: break;
  }
  return 0;
}

struct Memory {
  std::vector<double> values;
  std::vector<std::array<double, lanes>> wide;
};

// The same by a loop over the instructions.
bool interpret(const Segment& s, Memory& m) {
  std::vector<double> frame(numbers);
  std::vector<std::array<double, lanes>> made(s.size());
  fill_numbers(frame.data());
  const auto at = [&](Operand o, std::size_t lane) {
    switch (o.kind()) {
      case Operand::Kind::made: return made[o.index()][s[o.index()].wide ? lane : 0];
      case Operand::Kind::outside: return m.values[o.index()];
      case Operand::Kind::outside_wide: return m.wide[o.index()][lane];
      default: return frame[o.index()];
    }
  };
  for (std::size_t k = 0; k < s.size(); ++k) {
    const Instruction& i = s[k];
    for (std::size_t lane = 0; lane < (i.wide ? lanes : 1) && i.op == Operation::require; ++lane)
      if (!(at(i.a, lane) > at(i.b, lane))) return false;
    for (std::size_t lane = 0; lane < (i.wide ? lanes : 1); ++lane)
      made[k][lane] = i.op == Operation::second ? both(at(s[i.a.index()].a, lane)).second : compute(i, at(i.a, lane), at(i.b, lane), at(i.c, lane));
    if (i.place == Instruction::not_stored) continue;
    if (i.wide) m.wide[i.place] = made[k];
    else m.values[i.place] = made[k][0];
  }
  return true;
}

bool run(const Segment& s, Memory& m) {
  const Code code = assemble(s);
  std::vector<std::uint32_t> places(std::max(m.values.size(), m.wide.size()));
  for (std::uint32_t i = 0; i < places.size(); ++i) places[i] = i;
  const Part part{&code, places, places};
  const auto f = Function::link({&part, 1});
  REQUIRE(f != nullptr);
  std::vector<double> frame(f->frame_size());
  fill_numbers(frame.data());
  return (*f)(m.values.data(), frame.data(), functions.data(), m.wide.empty() ? nullptr : m.wide.front().data());
}

constexpr std::uint32_t first_result = 8;

// Random instructions over 8 places of each kind; some results are stored. `far`: operands come from far back, so that values are spilled.
class RandomSegment {
 public:
  RandomSegment(std::mt19937& random, std::uint32_t size, bool far, bool wide) : random_(random), far_(far) {
    while (s.size() < size) wide && random_() % 2 == 0 ? add_wide() : add_scalar();
  }
  Segment s;

 private:
  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(random_() % n); }
  Operand operand(bool wide) {
    const auto k = static_cast<std::uint32_t>(s.size());
    const Operand outside = wide ? Operand::outside_wide(below(first_result)) : Operand::outside(below(first_result));
    if (k == 0 || below(4) == 0) return outside;
    if (!wide && below(16) == 0) return Operand::number(static_cast<Number>(below(2)));
    const std::uint32_t from = k - 1 - below(far_ ? k : std::min(k, 12u));
    return s[from].op == Operation::store || s[from].wide != wide ? outside : Operand::made(from);
  }
  void put(Instruction i) {
    if (i.op == Operation::store || below(8) == 0) i.place = first_result + static_cast<std::uint32_t>(s.size());
    s.push_back(i);
  }
  void add_scalar() {
    constexpr std::array kinds{Operation::add, Operation::mul, Operation::and_, Operation::xor_, Operation::sub, Operation::div, Operation::min, Operation::max,
                               Operation::less, Operation::less_equal, Operation::equal, Operation::unequal, Operation::sqrt, Operation::floor, Operation::ceil,
                               Operation::select, Operation::store, Operation::call1, Operation::call2};
    Instruction i{.op = kinds[below(kinds.size())], .a = operand(false), .b = operand(false), .c = operand(false)};
    if (i.op == Operation::and_) i.b = Operand::number(Number::all_but_sign);
    if (i.op == Operation::xor_) i.b = Operand::number(Number::sign_bit);
    if (i.op == Operation::call2) i.function = 1;
    if (i.op == Operation::call1 && below(2) == 0) i.function = 2;
    put(i);
    if (i.op == Operation::call1 && i.function == 2) put({.op = Operation::second, .a = Operand::made(static_cast<std::uint32_t>(s.size() - 1))});
  }
  void add_wide() {
    constexpr std::array kinds{Operation::add, Operation::mul, Operation::and_, Operation::xor_, Operation::sub, Operation::div, Operation::min, Operation::max,
                               Operation::less, Operation::less_equal, Operation::equal, Operation::unequal, Operation::sqrt, Operation::floor, Operation::ceil,
                               Operation::select, Operation::broadcast, Operation::scale, Operation::store, Operation::call1, Operation::call2};
    Instruction i{.op = kinds[below(kinds.size())], .wide = true, .a = operand(true), .b = operand(true), .c = operand(true)};
    if (i.op == Operation::broadcast) i.a = operand(false);
    if (i.op == Operation::call1) i.function = below(2) == 0 ? 5 : 3;
    if (i.op == Operation::call2) i.function = 4;
    put(i);
    if (i.op == Operation::call1 && i.function == 5) put({.op = Operation::second, .wide = true, .a = Operand::made(static_cast<std::uint32_t>(s.size() - 1))});
  }
  std::mt19937& random_;
  bool far_;
};

}  // namespace

TEST_CASE("assemble: random segments agree with a loop over their instructions") {
  if (!available()) return;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> u(-2, 2);
  const std::array special{0.0, -0.0, inf, -inf, undefined, 1.0};
  const auto number = [&] { return random() % 8 == 0 ? special[random() % special.size()] : u(random); };
  for (int k = 0; k < 6000; ++k) {
    CAPTURE(k);
    const bool wide = k % 4 >= 2 && wide_available();
    const Segment s = RandomSegment(random, 1 + static_cast<std::uint32_t>(random() % 200), k % 2 == 0, wide).s;
    Memory mine{std::vector<double>(first_result + s.size()), std::vector<std::array<double, lanes>>(first_result + s.size())};
    for (std::size_t i = 0; i < first_result; ++i) {
      mine.values[i] = number();
      for (double& x : mine.wide[i]) x = number();
    }
    Memory expected = mine;
    REQUIRE(interpret(s, expected));
    REQUIRE(run(s, mine));
    for (std::size_t i = 0; i < mine.values.size(); ++i) {
      REQUIRE(same(mine.values[i], expected.values[i]));
      for (std::size_t lane = 0; lane < lanes; ++lane) REQUIRE(same(mine.wide[i][lane], expected.wide[i][lane]));
    }
  }
}

TEST_CASE("assemble: `require` leaves where a > b does not hold") {
  if (!available()) return;
  struct Row { double a, b; bool stays; };
  for (const Row& row : {Row{2, 1, true}, {1, 1, false}, {1, 2, false}, {undefined, 1, false}, {1, undefined, false}, {inf, 1, true}, {inf, inf, false}, {0.0, -0.0, false}}) {
    CAPTURE(row.a);
    CAPTURE(row.b);
    Memory m{{row.a, row.b, 0}, {}};
    const Segment s{{.op = Operation::require, .a = Operand::outside(0), .b = Operand::outside(1)},
                    {.op = Operation::add, .a = Operand::number(Number::one), .b = Operand::number(Number::one), .place = 2}};
    CHECK(run(s, m) == row.stays);
    CHECK(m.values[2] == (row.stays ? 2 : 0));
  }
}

TEST_CASE("assemble: a wide `require` leaves where a > b does not hold in some lane") {
  if (!wide_available()) return;
  const Segment s{{.op = Operation::require, .wide = true, .a = Operand::outside_wide(0), .b = Operand::outside_wide(1)},
                  {.op = Operation::store, .wide = true, .a = Operand::outside_wide(0), .place = 2}};
  for (std::size_t lane = 0; lane <= lanes; ++lane)
    for (double other : {2.0, 3.0, undefined}) {
      CAPTURE(lane);
      Memory m{std::vector<double>(3), std::vector<std::array<double, lanes>>(3)};
      m.wide[0].fill(2);
      m.wide[1].fill(1);
      if (lane < lanes) m.wide[1][lane] = other;
      CHECK(run(s, m) == (lane == lanes));
      CHECK(m.wide[2][0] == (lane == lanes ? 2 : 0));
    }
}

TEST_CASE("cache: equal content is assembled once, and what is not asked for is forgotten") {
  if (!available()) return;
  Cache cache;
  CacheCounts counts;
  const auto segment = [](std::uint32_t k) { return Segment(1000, {.op = Operation::add, .a = Operand::outside(k), .b = Operand::outside(0), .place = 1}); };
  const auto first = cache.get(segment(0), {}, counts);
  CHECK(cache.get(segment(0), {}, counts) == first);
  CHECK(counts.assembled == 1);
  CHECK(counts.reused == 1);
  for (std::uint32_t k = 1; k < 6000; ++k) cache.get(segment(k), {}, counts);
  const std::size_t before = counts.assembled;
  cache.get(segment(0), {}, counts);
  CHECK(counts.assembled == before + 1);
}

// sum[i + 1] = sum[i] + 2 * x, with x at places that go on by ones or stand in a table, and with a function called in between.
TEST_CASE("machine code: loops") {
  if (!available()) return;
  constexpr std::uint32_t n = 20;
  for (const bool by_table : {false, true})
    for (const bool calls : {false, true}) {
      CAPTURE(by_table);
      CAPTURE(calls);
      Segment body = {{.op = Operation::add, .a = Operand::outside(0), .b = Operand::outside(0)},
                      {.op = Operation::add, .a = Operand::made(0), .b = Operand::outside(1), .place = 2}};
      if (calls) body[0] = {.op = Operation::call1, .function = 0, .a = Operand::outside(0)};
      const Moves moves = {{false, by_table, static_cast<std::uint8_t>(by_table ? 0 : 1)}, {true, false, 1}, {true, false, 1}};
      std::vector<std::uint32_t> places = {0, 0, 1};
      std::vector<std::int32_t> table;
      std::vector<double> x, sum(n + 1, 0), frame(100);
      for (std::uint32_t i = 0; i < n; ++i) {
        x.push_back(i + 0.5);
        if (by_table) table.push_back(static_cast<std::int32_t>(i * 7 % n));
      }
      const std::int32_t stride = 1;
      const Code code = assemble(body, moves);
      const auto f = Function::link(std::array{Part{&code, places, {}, {&stride, 1}, table, n}});
      REQUIRE(f);
      REQUIRE(f->frame_size() <= frame.size());
      fill_numbers(frame.data());
      CHECK((*f)(x.data(), frame.data(), functions.data(), sum.data()));
      double expected = 0;
      for (std::uint32_t i = 0; i < n; ++i) {
        CHECK(sum[i] == expected);
        expected += 2 * x[by_table ? i * 7 % n : i];
      }
      CHECK(sum[n] == expected);
    }
}
