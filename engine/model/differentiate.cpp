#include <algorithm>
#include <unordered_map>

#include "engine/model/algebra.hpp"

namespace kron::model {

std::vector<NodeId> postorder(const Exprs& e, NodeId root) {
  thread_local std::vector<std::uint32_t> seen;  // scratch by node: equal to `now` where this call has been
  thread_local std::uint32_t now = 0;
  if (seen.size() <= root.value) seen.resize(e.size(), 0);  // no node below has a larger id
  if (++now == 0) {
    std::fill(seen.begin(), seen.end(), 0);
    now = 1;
  }
  std::vector<NodeId> out;
  struct Frame { NodeId node; std::uint32_t next; };
  thread_local std::vector<Frame> stack;
  stack.assign(1, {root, 0});
  seen[root.value] = now;
  while (!stack.empty()) {
    Frame& f = stack.back();
    const auto a = e.args(f.node);
    if (f.next == a.size()) {
      out.push_back(f.node);
      stack.pop_back();
      continue;
    }
    const NodeId child = a[f.next++];
    if (seen[child.value] == now) continue;
    seen[child.value] = now;
    stack.push_back({child, 0});
  }
  return out;
}

std::size_t operations(const Exprs& e, NodeId root) {
  std::size_t n = 0;
  for (NodeId x : postorder(e, root)) n += e[x].count > 0 && e[x].op != ExprOp::neg;
  return n;
}

NodeId substitute(Exprs& to, const Exprs& from, NodeId root, const std::function<NodeId(NodeId)>& leaf) {
  std::unordered_map<NodeId, NodeId> done;
  std::vector<NodeId> a;
  for (NodeId n : postorder(from, root)) {
    const ExprNode node = from[n];
    NodeId r;
    if (node.op == ExprOp::literal) {
      r = to.literal(from.literal_value(n));
    } else if (node.op == ExprOp::operand || node.op == ExprOp::placeholder) {
      r = leaf(n);
    } else {
      a.clear();
      for (NodeId x : from.args(n)) a.push_back(done.at(x));
      r = to.make(node.op, node.fn, a);
    }
    done.emplace(n, r);
  }
  return done.at(root);
}

namespace {

struct Rules {
  Exprs& e;
  NodeId one = e.literal(1), zero = e.literal(0);

  NodeId square(NodeId a) { return e.pow(a, e.literal(2)); }
  bool is_zero(NodeId n) const { return e.is(n, 0); }

  // ∂fn(a)/∂a for functions of one argument; nullopt: derivative 0 everywhere it exists.
  std::optional<NodeId> one_argument(Fn fn, NodeId a, NodeId self) {
    switch (fn) {
      case Fn::sin: return e.call(Fn::cos, {a});
      case Fn::cos: return e.neg(e.call(Fn::sin, {a}));
      case Fn::tan: return e.add(one, square(self));
      case Fn::asin: return e.div(one, e.call(Fn::sqrt, {e.sub(one, square(a))}));
      case Fn::acos: return e.neg(e.div(one, e.call(Fn::sqrt, {e.sub(one, square(a))})));
      case Fn::atan: return e.div(one, e.add(one, square(a)));
      case Fn::sinh: return e.call(Fn::cosh, {a});
      case Fn::cosh: return e.call(Fn::sinh, {a});
      case Fn::tanh: return e.sub(one, square(self));
      case Fn::exp: return self;
      case Fn::log: return e.div(one, a);
      case Fn::log10: return e.div(one, e.mul(a, e.call(Fn::log, {e.literal(10)})));
      case Fn::sqrt: return e.div(one, e.mul(e.literal(2), self));
      case Fn::abs: return e.call(Fn::sign, {a});
      default: return std::nullopt;
    }
  }

  NodeId power(NodeId n, NodeId a, NodeId b, NodeId da, NodeId db) {
    NodeId r = zero;
    if (!is_zero(da)) r = e.mul(e.mul(b, e.pow(a, e.sub(b, one))), da);
    if (!is_zero(db)) r = e.add(r, e.mul(e.mul(n, e.call(Fn::log, {a})), db));
    return r;
  }

  // interpolate(x, X, Y) with slope S: its derivative is S·(dx - interpolate(x, X, dX)) + interpolate(x, X, dY), that of the slope
  // (slope of dY) - S·(slope of dX).
  NodeId table(NodeId self, Fn fn, std::span<const NodeId> a, std::span<const NodeId> d) {
    const std::size_t n = (a.size() - 1) / 2;
    auto of = [&](std::span<const NodeId> values) {
      if (std::all_of(values.begin(), values.end(), [&](NodeId v) { return is_zero(v); })) return zero;
      std::vector<NodeId> list(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(1 + n));
      list.insert(list.end(), values.begin(), values.end());
      return e.call(fn, list);
    };
    const NodeId by_x = of(d.subspan(1, n)), by_y = of(d.subspan(1 + n, n));
    if (fn == Fn::interpolate_slope) return e.sub(by_y, e.mul(self, by_x));
    const NodeId along = e.sub(d[0], by_x);
    return is_zero(along) ? by_y : e.add(e.mul(e.call(Fn::interpolate_slope, a), along), by_y);
  }

  NodeId call(NodeId n, Fn fn, std::span<const NodeId> a, std::span<const NodeId> d) {
    switch (fn) {
      case Fn::select: return is_zero(d[1]) && is_zero(d[2]) ? zero : e.call(Fn::select, {a[0], d[1], d[2]});
      case Fn::relax: case Fn::residue: case Fn::no_event: return is_zero(d[0]) ? zero : e.call(fn, {d[0]});
      case Fn::homotopy: return e.call(fn, {d[0], d[1]});
      case Fn::interpolate: case Fn::interpolate_slope: return table(n, fn, a, d);
      // delay(x, T) along time, before delays are taken out; history(t, place, n) by t, after that.
      case Fn::delay: return e.mul(e.call(Fn::delay, {d[0], a[1], a[2]}), e.sub(one, d[1]));
      case Fn::history: return e.mul(e.call(Fn::history, {a[0], a[1], e.add(a[2], one)}), d[0]);
      case Fn::atan2: {
        const NodeId r2 = e.add(square(a[0]), square(a[1]));
        return e.div(e.sub(e.mul(a[1], d[0]), e.mul(a[0], d[1])), r2);
      }
      case Fn::min: return e.call(Fn::select, {e.call(Fn::le, {a[0], a[1]}), d[0], d[1]});
      case Fn::max: return e.call(Fn::select, {e.call(Fn::le, {a[1], a[0]}), d[0], d[1]});
      case Fn::mod: return e.sub(d[0], e.mul(e.call(Fn::floor, {e.div(a[0], a[1])}), d[1]));
      case Fn::rem: return e.sub(d[0], e.mul(e.call(Fn::div, {a[0], a[1]}), d[1]));
      default: break;
    }
    if (a.size() != 1 || is_zero(d[0])) return zero;
    const auto factor = one_argument(fn, a[0], n);
    return factor ? e.mul(*factor, d[0]) : zero;
  }

  NodeId node(NodeId n, std::span<const NodeId> a, std::span<const NodeId> d) {
    const ExprNode x = e[n];
    switch (x.op) {
      case ExprOp::add: return e.add(d[0], d[1]);
      case ExprOp::sub: return e.sub(d[0], d[1]);
      case ExprOp::neg: return e.neg(d[0]);
      case ExprOp::mul: return e.add(e.mul(d[0], a[1]), e.mul(a[0], d[1]));
      case ExprOp::div: {
        if (is_zero(d[1])) return e.div(d[0], a[1]);
        return e.div(e.sub(d[0], e.mul(n, d[1])), a[1]);  // (a/b)' = (a' - (a/b) b')/b reuses the quotient
      }
      case ExprOp::pow: return power(n, a[0], a[1], d[0], d[1]);
      case ExprOp::call: return call(n, x.fn, a, d);
      default: return zero;
    }
  }
};

}  // namespace

NodeId differentiate(Exprs& e, NodeId root, const std::function<NodeId(NodeId)>& seed) {
  Rules rules{e};
  std::unordered_map<NodeId, NodeId> derivative;
  for (NodeId n : postorder(e, root)) {
    const ExprOp op = e[n].op;
    if (op == ExprOp::operand || op == ExprOp::placeholder) { derivative.emplace(n, seed(n)); continue; }
    const auto span = e.args(n);
    const std::vector<NodeId> a(span.begin(), span.end());  // a copy: the pool grows below
    std::vector<NodeId> d;
    bool any = false;
    for (NodeId x : a) {
      d.push_back(derivative.at(x));
      any = any || !rules.is_zero(d.back());
    }
    derivative.emplace(n, any ? rules.node(n, a, d) : rules.zero);
  }
  return derivative.at(root);
}

}  // namespace kron::model
