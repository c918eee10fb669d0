// Numbers of bound expressions: arguments of commands, right sides of assignments.
#include <cmath>
#include <limits>

#include "lang/workspace/kron.hpp"

namespace kron {
namespace {

using model::ExprNode;
using model::ExprOp;
using model::Exprs;
using model::NodeId;
using Numbers = std::vector<double>;

double interpolate(const Numbers& a) {  // x, x1..xn, y1..yn
  const std::size_t n = (a.size() - 1) / 2;
  if (n == 0) return std::numeric_limits<double>::quiet_NaN();
  if (n == 1) return a[2];
  std::size_t k = 1;
  while (k + 1 < n && a[0] > a[k + 1]) ++k;
  const double x0 = a[k], x1 = a[k + 1], y0 = a[n + k], y1 = a[n + k + 1];
  return y0 + (y1 - y0) * (a[0] - x0) / (x1 - x0);
}

double call1(Fn fn, double x) {
  switch (fn) {
    case Fn::sin: return std::sin(x);
    case Fn::cos: return std::cos(x);
    case Fn::tan: return std::tan(x);
    case Fn::asin: return std::asin(x);
    case Fn::acos: return std::acos(x);
    case Fn::atan: return std::atan(x);
    case Fn::sinh: return std::sinh(x);
    case Fn::cosh: return std::cosh(x);
    case Fn::tanh: return std::tanh(x);
    case Fn::exp: return std::exp(x);
    case Fn::log: return std::log(x);
    case Fn::log10: return std::log10(x);
    case Fn::sqrt: return std::sqrt(x);
    case Fn::abs: return std::fabs(x);
    case Fn::sign: return x > 0 ? 1 : x < 0 ? -1 : 0;
    case Fn::floor: return std::floor(x);
    case Fn::ceil: return std::ceil(x);
    case Fn::not_: return x == 0 ? 1 : 0;
    case Fn::no_event:
    case Fn::relax: return x;
    case Fn::residue: return 0;
    default: return std::numeric_limits<double>::quiet_NaN();
  }
}

double call2(Fn fn, double x, double y) {
  switch (fn) {
    case Fn::atan2: return std::atan2(x, y);
    case Fn::min: return std::min(x, y);
    case Fn::max: return std::max(x, y);
    case Fn::mod: return x - std::floor(x / y) * y;
    case Fn::rem: return x - std::trunc(x / y) * y;
    case Fn::div: return std::trunc(x / y);
    case Fn::lt: return x < y;
    case Fn::le: return x <= y;
    case Fn::eq: return x == y;
    case Fn::and_: return x != 0 && y != 0;
    case Fn::or_: return x != 0 || y != 0;
    case Fn::homotopy: return x;
    default: return std::numeric_limits<double>::quiet_NaN();
  }
}

double call(Fn fn, const Numbers& a) {
  if (fn == Fn::interpolate) return interpolate(a);
  if (fn == Fn::select && a.size() == 3) return a[0] != 0 ? a[1] : a[2];
  if (a.size() == 1) return call1(fn, a[0]);
  if (a.size() == 2) return call2(fn, a[0], a[1]);
  return std::numeric_limits<double>::quiet_NaN();
}

struct Evaluator {
  const Exprs& exprs;
  const model::Bound& bound;
  const std::function<std::optional<double>(model::Operand)>& operand;

  std::optional<double> of(model::Operand o) const {
    if (o.kind() == model::OperandKind::constant) return model::constant(model::ConstId{o.index()}).number;
    return operand ? operand(o) : std::nullopt;
  }

  // Depth is bounded by the parser's limit on nesting.
  std::optional<double> node(NodeId n) const {
    const ExprNode& e = exprs[n];
    switch (e.op) {
      case ExprOp::literal: return to_double(exprs.literal_value(n));
      case ExprOp::operand: return of(exprs.operand_of(n));
      case ExprOp::placeholder: return of(bound.operands[exprs.placeholder_of(n)]);
      default: break;
    }
    Numbers a;
    for (NodeId arg : exprs.args(n)) {
      auto v = node(arg);
      if (!v) return std::nullopt;
      a.push_back(*v);
    }
    switch (e.op) {
      case ExprOp::add: return a[0] + a[1];
      case ExprOp::sub: return a[0] - a[1];
      case ExprOp::mul: return a[0] * a[1];
      case ExprOp::div: return a[0] / a[1];
      case ExprOp::neg: return -a[0];
      case ExprOp::pow: return std::pow(a[0], a[1]);
      default: return call(e.fn, a);
    }
  }
};

}  // namespace

std::optional<double> evaluate(const model::Bound& b, const std::function<std::optional<double>(model::Operand)>& operand) {
  const Exprs& exprs = model::forms().exprs();
  return Evaluator{exprs, b, operand}.node(model::forms().root(b.form));
}

}  // namespace kron
