// engine/code/tape.hpp: the tape, a value-numbered list of scalar operations.
//   A node is an operation on earlier nodes. A Ref is a node with a sign: negation is free (`-x` is x's Ref with the
//   sign turned). Every node carries a fingerprint, its value at a random point of two prime fields; equal fingerprints
//   (up to sign) are the same value and share the node; a zero fingerprint is an exact structural zero
//   (fingerprint.hpp). Nodes are made by a Builder in dependency order, with solve steps (a linear core, a Newton
//   iteration) between them: a step reads nodes made before it and defines `unknown` nodes. `compile` (program.hpp)
//   takes roots and makes a Program.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/function.hpp"
#include "engine/base/id.hpp"
#include "engine/base/number.hpp"
#include "engine/code/fingerprint.hpp"
#include "engine/code/fold.hpp"

namespace kron::code {

// A node and a sign. Ref{} is the constant zero.
struct Ref {
  std::uint32_t bits = 0;  // node << 1 | negative
  constexpr std::uint32_t node() const { return bits >> 1; }
  constexpr bool negative() const { return bits & 1; }
  constexpr Ref operator-() const { return bits < 2 ? Ref{} : Ref{bits ^ 1}; }  // -0 is 0
  friend constexpr auto operator<=>(Ref, Ref) = default;
};
inline constexpr Ref zero{0}, one{2};  // nodes 0 and 1 are the constants 0 and 1 in every tape
constexpr Ref positive(Ref r) { return Ref{r.bits & ~1u}; }
constexpr Ref with_sign(Ref r, bool minus) { return minus ? -r : r; }

enum class Op : std::uint8_t {
  constant,  // payload: index into constants
  input,     // payload: index into inputs
  unknown,   // payload: index into unknowns; defined by a solve step
  add,       // a + b, b may be negative: a - b. a is never negative
  mul,       // a * b, both non-negative (the sign moves to the Ref)
  div,       // a / b, likewise
  inv,       // 1 / a
  pow_int,   // a ^ payload (int32, other than 0, 1, -1)
  pow,       // a ^ b, general
  call,      // fn(args): one or two arguments are a, b; of more, payload is their place and b.bits their number
             // (arguments())
};

enum class InputKind : std::uint8_t { time, state, parameter, signal /*top-level input*/, discrete, pre, start, seed };
using InputValues = std::array<std::vector<double>, 8>;  // by kind

// The section in which a node is computed (architecture.md idea 4). `output` is decided by compile: dynamic nodes that
// only stored results need.
enum class Section : std::uint8_t { constant, parameter, dynamic };

struct Node {
  Op op{};
  Fn fn{};
  Section section{};
  Ref a{}, b{};
  std::uint32_t payload = 0;
};

struct Input {
  InputKind kind{};
  std::uint32_t index = 0;  // position in the program's vector of that kind
  std::uint64_t key = 0;    // hash of instance path and slot: gives the field values, survives edits
  bool operator==(const Input&) const = default;
};

// A constant: an exact rational, or pi.
struct Constant {
  Rational value{};
  bool is_pi = false;
  double number = 0;
};

// ---- solve steps ----------------------------------------------------------------------------------------------------

struct Entry {
  std::uint32_t row = 0, column = 0;
  Ref value{};
};

// What must hold for straight-line code to be trusted at a point.
struct Watch {
  enum class Kind : std::uint8_t {
    sum,      // |value| > 1e-4 (|a| + |b|), value = a + b: a divisor that is not what is left of a cancellation
    nonzero,  // a divisor that is no sum
    ratio,    // |value| > 1e-8 |a|, a beside the pivot `value` in its row: what is zero but for rounding looks like a number, too
    rounding,  // |value| > 1e-13 |a|: of a parameter by itself, as a component of a length that cos(pi/2) made, beside another of its row
    finite,   // a result of a solve step in the middle of the code
  } kind{};
  Ref value{}, a{}, b{};
};
constexpr bool is_beside(Watch::Kind k) { return k == Watch::Kind::ratio || k == Watch::Kind::rounding; }

// A discrete input of the program: which of a step's unknowns are given. So many of the alternatives as there are slots are
// chosen while it runs (Machine::choose); a chosen one is not solved for, it has the value of its slot. Steps that share a
// selection, one for each level of differentiation, choose alike.
struct Pins {
  std::uint32_t selection = 0, level = 0;  // levels count from 0
  std::vector<std::uint32_t> column{};     // by alternative: its column in the step
  std::vector<Ref> value{};                // by slot: inputs of kind state
  std::vector<double> scale{};             // by alternative, > 0
  std::vector<bool> keep{};                // by alternative: to be chosen rather than others if the step allows it; or empty
};

// How a matrix is factorised: densely where it is small, or has many entries for its size; else by its pattern.
constexpr bool is_dense(std::size_t size, std::size_t entries) {
  constexpr std::size_t small = 16, moderate = 40, large = 400;
  return size <= small || (size <= large && entries * (size <= moderate ? 5 : 3) > size * size);
}

// A x = b by scaled LU with partial pivoting: dense as is_dense() says, by KLU otherwise.
//   With a `solution` the step is guarded (architecture.md idea 5): the straight-line code of `solution` gives the
//   unknowns where every watch holds, the LU where one does not, in the same evaluation.
struct LinearStep {
  std::uint32_t size = 0;  // rows
  std::vector<Entry> matrix{};
  std::vector<Ref> rhs{};
  std::vector<std::uint32_t> unknowns{};  // node indices of the `unknown` nodes it defines, by column
  std::vector<Pins> pins{};               // with pins there are more columns than rows: those of the chosen alternatives
  std::vector<Ref> solution{};            // by column
  std::vector<Watch> watch{};
  std::vector<bool> swept{};              // by entry of the matrix: in the part that each relaxation sweep solves (sweeps.hpp);
                                          // empty: no iteration
  bool tentative = false;                 // of a core inside guarded code: a singular matrix gives NaN, no failure
  bool guarded() const { return !solution.empty(); }
};

// f(z) = 0 by damped Newton with the exact Jacobian; residual and jacobian nodes depend on the unknown nodes and are
// evaluated again at every iteration. A singular or failing iteration goes on to KINSOL, then to a named failure.
struct NewtonStep {
  std::uint32_t size = 0;  // rows
  std::vector<Ref> residual{};
  std::vector<Entry> jacobian{};
  std::vector<std::uint32_t> unknowns{};
  std::vector<Ref> start{};                  // first guess of each unknown (parameter section)
  std::vector<bool> open{};                  // nobody said where it begins: what others say counts more
  std::vector<double> nominal{};             // scale of each unknown, > 0
  std::vector<double> minimum{}, maximum{};  // bounds kept by the step control; infinite where there are none
  std::vector<Pins> pins{};                  // as in a LinearStep
};

struct SolveStep {
  bool newton = false;
  LinearStep linear{};
  NewtonStep nonlinear{};
  Section section{};           // parameter or dynamic
  std::uint32_t block = 0;     // the caller's number of the block, for messages
  std::uint32_t position = 0;  // number of nodes made before it

  std::span<const std::uint32_t> unknowns() const { return newton ? nonlinear.unknowns : linear.unknowns; }
  std::span<const Entry> matrix() const { return newton ? nonlinear.jacobian : linear.matrix; }
  std::span<const Pins> pins() const { return newton ? nonlinear.pins : linear.pins; }
  std::span<const Ref> right() const { return newton ? nonlinear.residual : linear.rhs; }
  // Calls f(ref) for each value it reads; what only unknown `c` of a guarded step needs is its solution.
  template <class F>
  void each_read(F&& f) const {
    for (Ref r : nonlinear.start) f(r);
    for (const Entry& e : matrix()) f(e.value);
    for (Ref r : right()) f(r);
    for (const Pins& p : pins())
      for (Ref r : p.value) f(r);
    for (const Watch& w : linear.watch) {
      f(w.value);
      if (w.kind == Watch::Kind::sum || is_beside(w.kind)) f(w.a);
      if (w.kind == Watch::Kind::sum) f(w.b);
    }
  }
};

// ---- builder --------------------------------------------------------------------------------------------------------

class Builder {
 public:
  Builder();
  ~Builder();
  Builder(const Builder&);  // a deep copy
  Builder& operator=(const Builder&);
  Builder(Builder&&) noexcept;
  Builder& operator=(Builder&&) noexcept;
  void expect(std::size_t nodes);  // makes room for so many
  struct End {
    std::size_t nodes = 0, steps = 0;
  };

  Ref constant(const Rational&);
  Ref constant(double);  // exact value of the double
  Ref pi();
  Ref input(InputKind, std::uint32_t index, std::uint64_t key);
  Ref unknown(std::uint64_t key, Section);  // to be defined by a step added before any of its users are run

  Ref add(Ref, Ref);
  Ref sub(Ref a, Ref b) { return add(a, -b); }
  Ref mul(Ref, Ref);
  Ref div(Ref, Ref);  // a division by a constant or parameter node becomes a product with its inverse
  Ref inv(Ref);
  Ref pow(Ref, Ref);               // integer exponents become pow_int, 1/2 becomes sqrt
  Ref pow_int(Ref, std::int32_t);  // a square becomes a mul
  Ref call(Fn, std::span<const Ref>);
  Ref call(Fn fn, std::initializer_list<Ref> args) { return call(fn, std::span<const Ref>(args.begin(), args.size())); }
  Ref sum(std::span<const Ref>);

  void add_linear(LinearStep, std::uint32_t block);
  // A guarded step whose code is the nodes made since the tape had `first` of them. Returns a Ref for each column. Of those
  // nodes only the ones without a division stay visible to value numbering: the others may be infinite where the unknowns
  // are not. `pivots`: what the code divides by; an inverse of one may be older than `first`. An unknown keeps the fingerprint
  // of its solution.
  std::vector<Ref> add_guarded(LinearStep, std::size_t first, std::span<const Ref> pivots, std::uint32_t block);
  void add_newton(NewtonStep, std::uint32_t block);

  // Sums and products of constants of so many bits together are constants, beyond that they are operations like others. Returns what it was.
  std::size_t fold_up_to(std::size_t bits) { return std::exchange(exact_bits_, bits); }

  // Queries
  bool is_zero(Ref r) const { return r.bits < 2; }
  bool is_constant(Ref) const;
  const Constant* constant_of(Ref) const;          // of its node; the sign is the Ref's
  std::optional<Rational> rational_of(Ref) const;  // with sign, where it is a rational constant
  Section section(Ref r) const { return nodes_[r.node()].section; }
  Fingerprint fingerprint(Ref) const;
  std::size_t size() const { return nodes_.size(); }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Constant>& constants() const { return constants_; }
  const std::vector<Input>& inputs() const { return inputs_; }
  const std::vector<SolveStep>& steps() const { return steps_; }
  std::span<const Ref> arguments(const Node&) const;  // of any node, in order
  // Forget the nodes made since `size` was n (a trial that lost). No step may have been added since.
  void rewind(std::size_t n);
  void cut(End);  // back to what it was when it ended there
  End end() const { return {nodes_.size(), steps_.size()}; }
  void number_step(std::size_t step, std::uint32_t block) { steps_[step].block = block; }
  std::optional<std::string> problem() const;  // "division by an identical zero", set by the first such operation

 private:
  struct Tables;
  Ref find_or_make(const Node&, Fingerprint);
  Ref root_of_number(Ref, const Rational&);
  Ref make(const Node&, Fingerprint);
  Ref constant(const Rational&, Fingerprint);
  Ref make_constant(Constant, Fingerprint);
  Ref exact_constant(const Rational&, Fingerprint);
  Ref small_constant(std::int64_t);
  Ref divided_by_zero();
  void refill(End);
  bool made(Fingerprint);
  Ref add_nodes(Ref, Ref, Fingerprint);
  Ref early_apart(Ref, Ref, Fingerprint);
  Ref plain_sum(Ref, Ref, Fingerprint);
  Ref turned(Ref, Ref, Fingerprint);  // turned.cpp; zero: it is no such sum
  Ref turned_element(Ref f, Ref g, const std::array<Ref, 4>&, Fingerprint);
  std::optional<Ref> find(Fingerprint, Section latest);
  bool foldable(const Rational& p, const Rational& q) const { return bits(p) + bits(q) <= exact_bits_; }
  Ref fold_add(Ref, Ref);
  Ref fold_mul(Ref, Ref);
  Ref call_made(Fn, std::span<const Ref>, Fingerprint);
  std::optional<Ref> fold_call(Fn, std::span<const Ref>);
  std::optional<Ref> simplify_call(Fn, std::span<const Ref>);
  Fingerprint inverse_value(Ref);
  void hide_divisions(std::size_t first, std::span<const Ref> pivots);

  std::vector<Node> nodes_;
  std::vector<Constant> constants_;
  std::vector<Input> inputs_;
  std::vector<SolveStep> steps_;
  std::size_t exact_bits_ = largest_constant;
  std::unique_ptr<Tables> tables_;  // hash tables and field values (tables.hpp)
};

}  // namespace kron::code
