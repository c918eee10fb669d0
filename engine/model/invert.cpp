#include "engine/model/invert.hpp"

#include <algorithm>
#include <unordered_map>

#include "engine/model/algebra.hpp"

namespace kron::model {
namespace {

// Walks from the root down to the one occurrence of p: at each node n = y is solved for the argument that holds p.
class Inverter {
 public:
  Inverter(Exprs& e, NodeId p) : e_(e), p_(p) {}

  std::optional<Isolated> run(NodeId root) {
    if (!find_path(root)) return std::nullopt;
    result_.value = e_.literal(0);
    for (NodeId at = root; at != p_;) {
      const auto span = e_.args(at);
      const std::vector<NodeId> a(span.begin(), span.end());
      const std::size_t i = branch_.at(at);
      if (!turn(at, a, i)) return std::nullopt;
      at = a[i];
    }
    return result_;
  }

 private:
  bool find_path(NodeId root) {  // the argument that leads to p, for each node; false where p is not there exactly once as a tree
    std::unordered_map<NodeId, std::size_t> count;
    for (NodeId n : postorder(e_, root)) {
      std::size_t c = n == p_ ? 1 : 0, i = 0;
      for (NodeId x : e_.args(n)) {
        if (count.at(x) > 0) branch_[n] = i;
        c += count.at(x);
        ++i;
      }
      count[n] = std::min<std::size_t>(c, 2);
    }
    return count.at(root) == 1;
  }

  bool turn(NodeId n, const std::vector<NodeId>& a, std::size_t i) {
    NodeId& y = result_.value;
    switch (e_[n].op) {
      case ExprOp::add: y = e_.sub(y, a[1 - i]); return true;
      case ExprOp::sub: y = i == 0 ? e_.add(y, a[1]) : e_.sub(a[0], y); return true;
      case ExprOp::neg: y = e_.neg(y); return true;
      case ExprOp::mul: return divide(y, a[1 - i]);
      case ExprOp::div:
        if (i == 0) { y = e_.mul(y, a[1]); return true; }
        return needs(a[0]) && divide(a[0], y);  // with 0 above no p gives y, unless y is 0 too and every p does
      case ExprOp::pow: return i == 0 && odd_root(a[1]);
      case ExprOp::call: return e_[n].count == 1 && inverse(e_[n].fn);
      default: return false;
    }
  }

  bool needs(NodeId divisor) {
    if (e_[divisor].op == ExprOp::literal) return !e_.is(divisor, 0);
    result_.divisors.push_back(divisor);
    return true;
  }
  bool divide(NodeId above, NodeId below) {
    if (!needs(below)) return false;
    result_.value = e_.div(above, below);
    return true;
  }

  // The odd function that is `size` for y >= 0. Its derivative at 0 is that of `size`, which sign(y)·size would lose.
  NodeId odd(NodeId y, NodeId size) { return e_.call(Fn::select, {e_.call(Fn::le, {e_.literal(0), y}), size, e_.neg(size)}); }

  bool odd_root(NodeId exponent) {
    const Rational* r = e_.if_literal(exponent);
    const auto k = r ? small_integer(*r) : std::nullopt;
    if (!k || *k % 2 == 0) return false;
    if (*k < 0 && !divide(e_.literal(1), result_.value)) return false;
    const NodeId y = result_.value;
    if (std::abs(*k) > 1) result_.value = odd(y, e_.pow(e_.call(Fn::abs, {y}), e_.literal(Rational(1) / Rational(std::abs(*k)))));
    return true;
  }

  bool inverse(Fn fn) {
    NodeId& y = result_.value;
    switch (fn) {
      case Fn::exp: y = e_.call(Fn::log, {y}); return true;
      case Fn::log: y = e_.call(Fn::exp, {y}); return true;
      case Fn::log10: y = e_.pow(e_.literal(10), y); return true;
      case Fn::sinh: {  // asinh of |y|, so that large negative arguments lose no digits
        const NodeId s = e_.call(Fn::abs, {y}), root = e_.call(Fn::sqrt, {e_.add(e_.pow(s, e_.literal(2)), e_.literal(1))});
        y = odd(y, e_.call(Fn::log, {e_.add(s, root)}));
        return true;
      }
      default: return false;
    }
  }

  Exprs& e_;
  NodeId p_;
  Isolated result_;
  std::unordered_map<NodeId, std::size_t> branch_;
};

}  // namespace

std::optional<Isolated> invert(Exprs& e, NodeId root, NodeId placeholder) { return Inverter(e, placeholder).run(root); }

}  // namespace kron::model
