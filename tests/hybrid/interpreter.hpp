// An event-driven interpreter of small hybrid models, the oracle of the random tests; it shares nothing with the engine.
//   dx/dt = A x + b, where A and b change at events only, so x(t) follows from matrix exponentials. Boolean, Integer and Real variables are given
//   by equations or by `when`, evaluated in the order of `items`. Moments of samples, pulses, stairs and of relations that time decides are
//   computed; those of the other relations are found on the exact solution, by bisection.
//   At an event: all items with `pre` as it is, then reinit, then pre follows, until nothing changes   [Modelica 3.6, appendix B]
//   What hangs on a knife's edge (two events almost at once, a border only touched) is marked: nobody need agree there.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tests/hybrid/dense.hpp"

namespace kron::hybrid {

enum class Op { number, truth, time, state, pre_state, value, pre, add, sub, mul, less, less_equal, more, more_equal, equal, both, either, negation, select,
                edge, sample, pulse, stairs };

struct Node;
using Expr = std::shared_ptr<const Node>;
struct Node {
  Op op{};
  double number = 0;        // sample: the first moment; pulse, stairs: the period
  double width = 0;         // sample: the interval; pulse: of the true part
  std::size_t index = 0;    // of the state or variable
  std::vector<Expr> args;
};

Expr number(double);
Expr truth(bool);
Expr time_now();
Expr state(std::size_t);
Expr pre_state(std::size_t);
Expr value(std::size_t variable);
Expr pre(std::size_t variable);
Expr make(Op, std::vector<Expr>);
Expr sample(double first, double interval);
Expr pulse(double period, double width);   // mod(time, period) < width
Expr stairs(double period);                // floor(time / period)
std::string text(const Expr&);

enum class Type { boolean, integer, real };
struct Variable {
  Type type = Type::real;
  double start = 0;
};

struct When {
  struct Branch {
    std::vector<Expr> conditions;                               // any of them
    std::vector<std::pair<std::size_t, Expr>> gives, reinits;   // variables; states
  };
  std::vector<Branch> branches;
};

struct Item {
  std::size_t variable = 0;  // given by an equation
  Expr value;                // null: a when
  When when;
};

struct Model {
  std::vector<double> start;                  // of the states
  std::vector<std::vector<Expr>> matrix;      // A; null: zero
  std::vector<Expr> input;                    // b
  std::vector<Variable> variables;
  std::vector<Item> items;
};
std::string text(const Model&);  // states x1, x2, …; variables v1, v2, …

// What a run is: pieces between events, each with its start.
struct Path {
  struct Piece {
    double from = 0;
    std::vector<double> state, values;   // right behind the event
    Matrix flow;                         // of (x, 1)
  };
  std::vector<Piece> pieces;
  double end = 0;
  bool edge = false;     // of a knife: no verdict
  bool restless = false; // an event whose variables never come to rest
  std::vector<double> at(double t) const;  // states
  const std::vector<double>& values(double t) const;
};

// The run until `stop`, its start disturbed by `shift` and its input by `drift` (empty: not).
Path run(const Model&, double stop, const std::vector<double>& shift = {}, const std::vector<double>& drift = {});

}  // namespace kron::hybrid
