// Numbers of nodes that hold no operand: what structural parameters come down to.
#include <cmath>
#include <unordered_map>

#include "lang/elaborate/evaluator.hpp"

namespace kron::elaborate {
using model::ExprOp;
using model::NodeId;

namespace {

double truncated(double x) { return x < 0 ? std::ceil(x) : std::floor(x); }

double call(Fn fn, const std::vector<double>& a) {
  switch (fn) {
    case Fn::sin: return std::sin(a[0]);
    case Fn::cos: return std::cos(a[0]);
    case Fn::tan: return std::tan(a[0]);
    case Fn::asin: return std::asin(a[0]);
    case Fn::acos: return std::acos(a[0]);
    case Fn::atan: return std::atan(a[0]);
    case Fn::sinh: return std::sinh(a[0]);
    case Fn::cosh: return std::cosh(a[0]);
    case Fn::tanh: return std::tanh(a[0]);
    case Fn::exp: return std::exp(a[0]);
    case Fn::log: return std::log(a[0]);
    case Fn::log10: return std::log10(a[0]);
    case Fn::sqrt: return std::sqrt(a[0]);
    case Fn::abs: return std::fabs(a[0]);
    case Fn::sign: return a[0] > 0 ? 1 : a[0] < 0 ? -1 : 0;
    case Fn::floor: return std::floor(a[0]);
    case Fn::ceil: return std::ceil(a[0]);
    case Fn::atan2: return std::atan2(a[0], a[1]);
    case Fn::min: return std::min(a[0], a[1]);
    case Fn::max: return std::max(a[0], a[1]);
    case Fn::mod: return a[0] - std::floor(a[0] / a[1]) * a[1];
    case Fn::rem: return a[0] - truncated(a[0] / a[1]) * a[1];
    case Fn::div: return truncated(a[0] / a[1]);
    case Fn::lt: return a[0] < a[1];
    case Fn::le: return a[0] <= a[1];
    case Fn::eq: return a[0] == a[1];
    case Fn::and_: return a[0] != 0 && a[1] != 0;
    case Fn::or_: return a[0] != 0 || a[1] != 0;
    case Fn::not_: return a[0] == 0;
    case Fn::select: return a[0] != 0 ? a[1] : a[2];
    case Fn::no_event: case Fn::relax: case Fn::homotopy: return a[0];
    case Fn::residue: return 0;
    default: return std::nan("");
  }
}

// interpolate(x, xs, ys): piecewise linear, the ends extended.
double interpolated(const std::vector<double>& a) {
  const std::size_t n = (a.size() - 1) / 2;
  if (n == 0) return std::nan("");
  if (n == 1) return a[2];
  std::size_t i = 1;
  while (i + 1 < n && a[0] > a[1 + i]) ++i;
  const double x0 = a[i], x1 = a[i + 1], y0 = a[n + i], y1 = a[n + i + 1];
  return y0 + (a[0] - x0) * (y1 - y0) / (x1 - x0);
}

// A relation between two numbers is decided exactly; min, max, abs, floor, … of one number too.
std::optional<Rational> exact_call(Fn fn, const Rational& a, const Rational& b) {
  using boost::multiprecision::denominator;
  using boost::multiprecision::numerator;
  auto floor_of = [](const Rational& r) {
    Integer q, rest;
    divide_qr(Integer(numerator(r)), Integer(denominator(r)), q, rest);
    if (rest < 0) --q;
    return Rational(q);
  };
  auto toward_zero = [&](const Rational& r) { return r < 0 ? Rational(-floor_of(-r)) : floor_of(r); };
  switch (fn) {
    case Fn::abs: return a < 0 ? Rational(-a) : a;
    case Fn::sign: return Rational(a > 0 ? 1 : a < 0 ? -1 : 0);
    case Fn::floor: return floor_of(a);
    case Fn::ceil: return Rational(-floor_of(-a));
    case Fn::min: return a < b ? a : b;
    case Fn::max: return a < b ? b : a;
    case Fn::lt: return Rational(a < b);
    case Fn::le: return Rational(a <= b);
    case Fn::eq: return Rational(a == b);
    case Fn::and_: return Rational(a != 0 && b != 0);
    case Fn::or_: return Rational(a != 0 || b != 0);
    case Fn::not_: return Rational(a == 0);
    case Fn::no_event: case Fn::relax: case Fn::homotopy: return a;
    case Fn::div: if (b != 0) return toward_zero(a / b); return std::nullopt;
    case Fn::mod: if (b != 0) return Rational(a - floor_of(a / b) * b); return std::nullopt;
    case Fn::rem: if (b != 0) return Rational(a - toward_zero(a / b) * b); return std::nullopt;
    default: return std::nullopt;
  }
}

struct Number {
  std::optional<Rational> exact;
  double approximate = 0;
};

class Evaluation {
 public:
  explicit Evaluation(const model::Exprs& p) : p_(p) {}

  // Arguments first, with an explicit stack: a sum may be ten thousand terms deep.
  std::optional<Number> run(NodeId root) {
    std::vector<NodeId> stack{root};
    while (!stack.empty()) {
      const NodeId n = stack.back();
      if (done_.count(n.value)) {
        stack.pop_back();
        continue;
      }
      bool ready = true;
      for (NodeId a : p_.args(n))
        if (!done_.count(a.value)) {
          stack.push_back(a);
          ready = false;
        }
      if (!ready) continue;
      stack.pop_back();
      auto v = node(n);
      if (!v) return std::nullopt;
      done_.emplace(n.value, std::move(*v));
    }
    return done_.at(root.value);
  }

 private:
  static Number number(Rational r) {
    const double d = to_double(r);
    return {std::move(r), d};
  }
  static Number number(double d) { return {std::nullopt, d}; }

  std::optional<Number> node(NodeId n) {
    const model::ExprNode& x = p_[n];
    if (x.op == ExprOp::literal) return number(p_.literal_value(n));
    if (x.op == ExprOp::operand) return operand(p_.operand_of(n));
    if (x.op == ExprOp::placeholder) return std::nullopt;
    std::vector<double> a;
    std::vector<const Number*> args;
    bool exact = true;
    for (NodeId y : p_.args(n)) {
      args.push_back(&done_.at(y.value));
      a.push_back(args.back()->approximate);
      exact = exact && args.back()->exact.has_value();
    }
    if (exact && x.op == ExprOp::call && !args.empty() && args.size() <= 2) {
      if (auto r = exact_call(x.fn, *args[0]->exact, *args.back()->exact)) return number(std::move(*r));
    }
    if (x.op == ExprOp::call && x.fn == Fn::select) return a[0] != 0 ? *args[1] : *args[2];
    return number(arithmetic(x, a));
  }
  static std::optional<Number> operand(model::Operand o) {
    if (o.kind() != model::OperandKind::constant) return std::nullopt;
    const model::ConstantValue& v = model::constant(model::ConstId{o.index()});
    return v.is_pi ? number(v.number) : number(v.value);
  }
  static double arithmetic(const model::ExprNode& x, const std::vector<double>& a) {
    switch (x.op) {
      case ExprOp::add: return a[0] + a[1];
      case ExprOp::sub: return a[0] - a[1];
      case ExprOp::mul: return a[0] * a[1];
      case ExprOp::div: return a[0] / a[1];
      case ExprOp::neg: return -a[0];
      case ExprOp::pow: return std::pow(a[0], a[1]);
      default: return x.fn == Fn::interpolate ? interpolated(a) : call(x.fn, a);
    }
  }

  const model::Exprs& p_;
  std::unordered_map<std::uint32_t, Number> done_;
};

}  // namespace

std::optional<Rational> number_of(Context& c, NodeId n) {
  if (const Rational* r = c.pool.if_literal(n)) return *r;
  auto v = Evaluation(c.pool).run(n);
  if (!v) return std::nullopt;
  if (v->exact) return v->exact;
  if (!std::isfinite(v->approximate)) return std::nullopt;
  return exact(v->approximate);
}

bool is_no_number(Context& c, NodeId n) {
  const auto v = Evaluation(c.pool).run(n);
  return v && !v->exact && !std::isfinite(v->approximate);
}

}  // namespace kron::elaborate
