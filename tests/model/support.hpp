// Values of expressions in any number type, and random expressions, for the tests of engine/model.
#pragma once
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/model/algebra.hpp"
#include "engine/model/form.hpp"

namespace kron::model::testing {

using Random = std::mt19937;
using Wide = boost::multiprecision::cpp_bin_float_50;

inline double uniform(Random& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random()) / 4294967296.0;
}

inline std::uint32_t below(Random& random, std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); }

inline FormId form(NodeId n) { return forms().intern_placeholders(n); }

template <class T>
T number(const Rational& r) {
  return T(numerator(r).str()) / T(denominator(r).str());
}
template <>
inline double number<double>(const Rational& r) {
  return to_double(r);
}

template <class T>
T interpolated(const std::vector<T>& a, bool slope) {
  const std::size_t n = (a.size() - 1) / 2;
  std::size_t i = 0;
  while (i + 2 < n && a[0] >= a[1 + i + 1]) ++i;
  const T k = (a[1 + n + i + 1] - a[1 + n + i]) / (a[1 + i + 1] - a[1 + i]);
  return slope ? k : T(a[1 + n + i] + k * (a[0] - a[1 + i]));
}

template <class T>
T truncated(const T& x) {
  using std::ceil;
  using std::floor;
  return x < 0 ? T(ceil(x)) : T(floor(x));
}

template <class T>
T value_of(Fn fn, const std::vector<T>& a) {
  using namespace std;
  switch (fn) {
    case Fn::sin: return sin(a[0]);
    case Fn::cos: return cos(a[0]);
    case Fn::tan: return tan(a[0]);
    case Fn::asin: return asin(a[0]);
    case Fn::acos: return acos(a[0]);
    case Fn::atan: return atan(a[0]);
    case Fn::sinh: return sinh(a[0]);
    case Fn::cosh: return cosh(a[0]);
    case Fn::tanh: return tanh(a[0]);
    case Fn::exp: return exp(a[0]);
    case Fn::log: return log(a[0]);
    case Fn::log10: return log10(a[0]);
    case Fn::sqrt: return sqrt(a[0]);
    case Fn::abs: return abs(a[0]);
    case Fn::sign: return T(a[0] > 0 ? 1 : a[0] < 0 ? -1 : 0);
    case Fn::floor: return floor(a[0]);
    case Fn::ceil: return ceil(a[0]);
    case Fn::atan2: return atan2(a[0], a[1]);
    case Fn::min: return a[1] < a[0] ? a[1] : a[0];
    case Fn::max: return a[0] < a[1] ? a[1] : a[0];
    case Fn::mod: return a[0] - floor(T(a[0] / a[1])) * a[1];
    case Fn::rem: return a[0] - truncated(T(a[0] / a[1])) * a[1];
    case Fn::div: return truncated(T(a[0] / a[1]));
    case Fn::lt: return T(a[0] < a[1] ? 1 : 0);
    case Fn::le: return T(a[0] <= a[1] ? 1 : 0);
    case Fn::eq: return T(a[0] == a[1] ? 1 : 0);
    case Fn::and_: return T(a[0] != 0 && a[1] != 0 ? 1 : 0);
    case Fn::or_: return T(a[0] != 0 || a[1] != 0 ? 1 : 0);
    case Fn::not_: return T(a[0] == 0 ? 1 : 0);
    case Fn::select: return a[0] != 0 ? a[1] : a[2];
    case Fn::no_event: case Fn::relax: case Fn::homotopy: return a[0];
    case Fn::residue: case Fn::edge: case Fn::sample: case Fn::delay: case Fn::history: case Fn::initial: case Fn::terminal: return T(0);
    case Fn::interpolate: return interpolated(a, false);
    case Fn::interpolate_slope: return interpolated(a, true);
  }
  return T(0);
}

// The value of a node; `leaf` gives operands and placeholders.
template <class T>
T evaluate(const Exprs& e, NodeId root, const std::function<T(NodeId)>& leaf) {
  using std::pow;
  std::unordered_map<NodeId, T> value;
  std::vector<T> a;
  for (NodeId n : postorder(e, root)) {
    a.clear();
    for (NodeId x : e.args(n)) a.push_back(value.at(x));
    T v(0);
    switch (e[n].op) {
      case ExprOp::literal: v = number<T>(e.literal_value(n)); break;
      case ExprOp::operand: case ExprOp::placeholder: v = leaf(n); break;
      case ExprOp::add: v = a[0] + a[1]; break;
      case ExprOp::sub: v = a[0] - a[1]; break;
      case ExprOp::mul: v = a[0] * a[1]; break;
      case ExprOp::div: v = a[0] / a[1]; break;
      case ExprOp::neg: v = -a[0]; break;
      case ExprOp::pow: v = pow(a[0], a[1]); break;
      case ExprOp::call: v = value_of<T>(e[n].fn, a); break;
    }
    value.emplace(n, v);
  }
  return value.at(root);
}

// Of an expression over placeholders.
template <class T>
T at_point(const Exprs& e, NodeId root, const std::vector<T>& p) {
  return evaluate<T>(e, root, [&](NodeId n) { return p[e.placeholder_of(n)]; });
}

// Random expressions over leaves, built from the bottom, with a bias for the latest parts so that they grow deep and share.
struct RandomExpression {
  Exprs& e;
  Random& random;
  bool polynomial = false;  // + - * and small powers only
  bool smooth = true;       // no jumps and kinks

  NodeId operator()(const std::vector<NodeId>& leaves, int steps) {
    std::vector<NodeId> parts = leaves;
    for (int i = 0; i < steps; ++i) parts.push_back(step(parts));
    return parts.back();
  }

 private:
  NodeId pick(const std::vector<NodeId>& parts) {
    const std::size_t recent = std::min<std::size_t>(parts.size(), 4);
    return random() % 2 == 0 ? parts[parts.size() - 1 - random() % recent] : parts[random() % parts.size()];
  }
  NodeId step(const std::vector<NodeId>& parts) {
    const NodeId a = pick(parts), b = random() % 6 == 0 ? e.literal(static_cast<long>(random() % 7) - 3) : pick(parts);
    switch (random() % (polynomial ? 10 : 14)) {
      case 0: case 1: case 2: return e.add(a, b);
      case 3: case 4: return e.sub(a, b);
      case 5: case 6: case 7: return e.mul(a, b);
      case 8: return e.neg(a);
      case 9: return e.pow(a, e.literal(static_cast<long>(random() % 4)));
      case 10: return e.div(a, b);
      case 11: return two_arguments(a, b);
      default: return one_argument(a);
    }
  }
  NodeId one_argument(NodeId a) {
    static constexpr Fn list[] = {Fn::sin, Fn::cos, Fn::tan, Fn::atan, Fn::sinh, Fn::tanh, Fn::exp, Fn::sqrt, Fn::log, Fn::log10,
                                  Fn::asin, Fn::acos, Fn::cosh, Fn::abs, Fn::sign, Fn::floor, Fn::ceil, Fn::not_};
    return e.call(list[random() % (smooth ? 13 : 18)], {a});
  }
  NodeId two_arguments(NodeId a, NodeId b) {
    static constexpr Fn list[] = {Fn::atan2, Fn::min, Fn::max, Fn::mod, Fn::rem, Fn::div, Fn::lt, Fn::le, Fn::eq, Fn::and_, Fn::or_};
    if (smooth) return random() % 2 == 0 ? e.call(Fn::atan2, {a, b}) : e.pow(a, b);
    const std::size_t k = random() % 12;
    return k == 11 ? e.call(Fn::select, {a, b, e.literal(2)}) : e.call(list[k], {a, b});
  }
};

inline std::vector<NodeId> placeholders(Exprs& e, std::uint32_t n) {
  std::vector<NodeId> out;
  for (std::uint32_t k = 0; k < n; ++k) out.push_back(e.placeholder(k));
  return out;
}

// p0, p1, … ; operands x0, der(x0), c (a constant's number), time, …
inline std::string leaf_text(const ExprNode& n) {
  if (n.op == ExprOp::placeholder) return "p" + std::to_string(n.first);
  Operand o;
  o.bits = n.first;
  const std::string i = std::to_string(o.index());
  switch (o.kind()) {
    case OperandKind::value: return o.order() == 0 ? "x" + i : "d" + std::to_string(o.order()) + "x" + i;
    case OperandKind::start: return "start" + i;
    case OperandKind::pre: return "pre" + i;
    case OperandKind::constant: return constant(ConstId{o.index()}).is_pi ? "pi" : to_text(constant(ConstId{o.index()}).value);
    case OperandKind::time: return "time";
    case OperandKind::initial: return "initial";
    case OperandKind::terminal: return "terminal";
    case OperandKind::event: return "event" + i;
  }
  return {};
}
inline std::string text(const Exprs& e, NodeId n) { return print(e, n, leaf_text); }
inline std::string form_text(FormId f) { return text(forms().exprs(), forms().root(f)); }
inline std::string text(const Bound& b) {
  return print(b, [](Operand o) { return leaf_text({ExprOp::operand, {}, 0, o.bits}); });
}

}  // namespace kron::model::testing
