// Sums that a rotation conserves: part of Builder::add.
//   problem   [x, u; v, y] turned on both sides, with c^2 + s^2 = 1: the elements c*(c*x - s*u) - s*(c*v - s*y) and
//             s*(s*x + c*u) + c*(s*v + c*y) on its diagonal add up to x + y, and the other two differ by u - v as before. So inertias that
//             are turned joint by joint cost half as much
//   method    in n = f*P + g*Q, x is what P multiplies by f too, y what Q multiplies by g. Where a node has the value x + y - n, or that
//             is made of older sums, those for which P and Q are turned by a quarter, n is x + y minus that node: additions in place of
//             products, and P and Q are seldom wanted otherwise
//   accuracy  that of the turned matrix in norm: an element that is small beside the others is as inexact as they are
//   cost      a few look-ups for each sum of two products in which f and g occur twice
#include "engine/code/tables.hpp"

namespace kron::code {

namespace {

constexpr Ref with_sign(Ref r, bool minus) { return minus ? -r : r; }

// x in r = x*f.
std::optional<Ref> divided(const std::vector<Node>& nodes, Ref r, Ref f) {
  const Node& n = nodes[r.node()];
  if (n.op != Op::mul || (n.a != f && n.b != f)) return std::nullopt;
  return with_sign(n.a == f ? n.b : n.a, r.negative());
}

// r = f*inner, inner = f*x + …
struct Twice {
  Ref factor, inner, x;  // the sign of r is that of x
};

template <class F>
void each_twice(const std::vector<Node>& nodes, Ref r, F&& f) {
  const Node& n = nodes[r.node()];
  if (n.op != Op::mul) return;
  for (const auto& [factor, inner] : {std::pair{n.a, n.b}, std::pair{n.b, n.a}}) {
    const Node& p = nodes[inner.node()];
    if (p.op == Op::add) {
      for (Ref term : {p.a, p.b})
        if (const auto x = divided(nodes, term, factor)) f(Twice{factor, inner, with_sign(*x, r.negative())});
    } else if (const auto x = divided(nodes, inner, factor)) {
      f(Twice{factor, inner, with_sign(*x, r.negative())});
    }
  }
}

}  // namespace

std::optional<Ref> Builder::find(Fingerprint value, Section latest) {
  const std::uint32_t found = tables_->table.find(value, tables_->values);
  if (found == ValueTable::absent || nodes_[found].section > latest) return std::nullopt;
  return with_sign(Ref{found << 1}, tables_->values[found] != value);
}

// g*v - f*u for the sum f*v + g*u.
std::optional<Ref> Builder::quarter_turned(Ref sum, Ref f, Ref g) {
  const Node n = nodes_[sum.node()];
  if (n.op != Op::add) return std::nullopt;
  for (const auto& [first, second] : {std::pair{n.a, n.b}, std::pair{n.b, n.a}}) {
    const auto v = divided(nodes_, first, f), u = divided(nodes_, second, g);
    if (v && u) return find(fingerprint(g) * fingerprint(*v) - fingerprint(f) * fingerprint(*u), n.section);
  }
  return std::nullopt;
}

// A node of this value, ±g*X ± f*Y of sums that are older than P and Q in f*P + g*Q.
std::optional<Ref> Builder::other_way(Ref f, Ref p, Ref g, Ref q, Fingerprint value) {
  const auto x = quarter_turned(p, f, g), y = quarter_turned(q, f, g);
  if (!x || !y || x->node() > p.node() || y->node() > q.node()) return std::nullopt;
  const Fingerprint gx = fingerprint(g) * fingerprint(*x), fy = fingerprint(f) * fingerprint(*y);
  for (const bool x_minus : {false, true})
    for (const bool y_minus : {false, true})
      if ((x_minus ? -gx : gx) + (y_minus ? -fy : fy) == value)
        return plain_sum(mul(g, with_sign(*x, x_minus)), mul(f, with_sign(*y, y_minus)), value);
  return std::nullopt;
}

Ref Builder::conserved(Ref a, Ref b, Fingerprint value) {
  const Section section = std::max(this->section(a), this->section(b));
  std::vector<std::pair<Twice, Twice>> pairs;
  each_twice(nodes_, a, [&](const Twice& p) { each_twice(nodes_, b, [&](const Twice& q) { pairs.emplace_back(p, q); }); });
  for (const auto& [p, q] : pairs) {
    const Fingerprint rest = fingerprint(p.x) + fingerprint(q.x) - value;
    std::optional<Ref> other = find(rest, section);
    if (!other) other = other_way(p.factor, p.inner, q.factor, q.inner, rest);
    if (!other) continue;
    const Ref sum = add(p.x, q.x);
    return is_zero(sum) ? -*other : plain_sum(sum, -*other, value);
  }
  return zero;
}

}  // namespace kron::code
