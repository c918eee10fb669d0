// tests/code/random_program.hpp: random expression programs with solve blocks, put into a Builder and, independently of
// it, evaluated by plain recursion with 50 digits and an error bound for double arithmetic.
#pragma once
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "engine/code/kernels.hpp"
#include "engine/code/precision.hpp"
#include "engine/code/program.hpp"

namespace kron::code::test {

struct Expression {
  enum class Kind {
    number,
    pi,
    time,
    state,
    parameter,
    unknown,
    add,
    subtract,
    multiply,
    divide,
    negate,
    power,
    half_power,
    call
  } kind{};
  Fn fn{};
  int number = 0,
      under = 1;  // number/under; of an unknown block and column; of an input its index; of a power the exponent
  std::vector<int> arguments{};
};

// Linear: (6 I + sin of entries) x = right. Guarded: [s 6; 6 r] x = right with s, r = sin of entries, by code that divides by s and is not
// trusted where |s| < 0.3. Newton: 2 z + sin(c z) - a = 0 with c = sin(entry), a = right.
struct Block {
  enum class Kind : std::uint8_t { linear, guarded, newton } kind{};
  int size = 1;
  std::vector<int> entries{}, right{};
};

struct RandomProgram {
  static constexpr int states = 4, parameters = 3;
  std::vector<Expression> expressions;
  std::vector<Block> blocks;
  std::vector<int> roots;
};

enum class Blocks : std::uint8_t { some, none };
RandomProgram make_program(std::mt19937& random, int size, Blocks = Blocks::some);

struct Built {
  Builder builder;
  std::vector<Ref> refs;  // of each expression
  Roots roots;
};
Built build(const RandomProgram&);

// A value and how far double arithmetic may be from it; no value where it is not finite or a jump is too near.
struct Bounded {
  Float50 value;
  double error = 0;
};

class Reference {
 public:
  Reference(const RandomProgram& p, double t, std::span<const double> y, std::span<const double> parameters)
      : p_(p), t_(t), y_(y), parameters_(parameters), known_(p.expressions.size()), solved_(p.blocks.size()) {}
  std::optional<Bounded> operator()(int expression);

 private:
  std::optional<Bounded> compute(const Expression&);
  std::optional<Bounded> call(const Expression&);
  std::optional<Bounded> unknown(int block, int column);
  std::optional<std::vector<Bounded>> solve(const Block&);

  const RandomProgram& p_;
  double t_;
  std::span<const double> y_, parameters_;
  std::vector<std::optional<std::optional<Bounded>>> known_;
  std::vector<std::optional<std::optional<std::vector<Bounded>>>> solved_;
};

}  // namespace kron::code::test
