// Matrices turned on both sides by the same plane rotation: part of Builder::add.
//   problem   T*[x, u; v, y]*T' with T = [f, g; -g, f], f^2 + g^2 = 1, comes as sums n = f*P + g*Q of P = f*x + g*u and Q = f*v + g*y: eight
//             products for the four elements where four do, as the rotation keeps x + y and u - v and turns the rest by twice the angle
//   method    n = x + g*t with t = f*(u + v) - g*(x - y), and n = y + f*t with t = g*(u + v) + f*(x - y). The other elements are y - g*t,
//             f*t - u and f*t - v of the same t: they are such sums themselves, and find it
//   accuracy  that of the turned matrix in norm: an element that is small beside the others is as inexact as they are
//   cost      four products and seven sums for four elements, five where u = v; P and Q are seldom wanted otherwise. Looking costs little:
//             most sums fail at the first operand
#include "engine/code/tables.hpp"

namespace kron::code {

namespace {

// x in r = x*f.
std::optional<Ref> divided(const std::vector<Node>& nodes, Ref r, Ref f) {
  if (r.node() == f.node()) return with_sign(one, r.negative() != f.negative());
  const Node& n = nodes[r.node()];
  if (n.op != Op::mul || (n.a != f && n.b != f)) return std::nullopt;
  return with_sign(n.a == f ? n.b : n.a, r.negative());
}

// x and u in r = f*x + g*u; one of them may be zero.
std::optional<std::pair<Ref, Ref>> divided(const std::vector<Node>& nodes, Ref r, Ref f, Ref g) {
  const Node& n = nodes[r.node()];
  if (n.op == Op::add) {
    for (const auto& [p, q] : {std::pair{n.a, n.b}, std::pair{n.b, n.a}}) {
      const auto x = divided(nodes, p, f), u = divided(nodes, q, g);
      if (x && u) return std::pair{with_sign(*x, r.negative()), with_sign(*u, r.negative())};
    }
    return std::nullopt;
  }
  if (const auto x = divided(nodes, r, f)) return std::pair{*x, zero};
  if (const auto u = divided(nodes, r, g)) return std::pair{zero, *u};
  return std::nullopt;
}

}  // namespace

std::optional<Ref> Builder::find(Fingerprint value, Section latest) {
  const std::uint32_t found = tables_->table.find(value, tables_->values);
  if (found == ValueTable::absent || nodes_[found].section > latest) return std::nullopt;
  return with_sign(Ref{found << 1}, tables_->values[found] != value);
}

// The sum a + b of this value, as an element of a turned matrix; zero: it is none.
Ref Builder::turned(Ref a, Ref b, Fingerprint value) {
  const Node p = nodes_[a.node()], q = nodes_[b.node()];
  for (const auto& [f, P] : {std::pair{p.a, p.b}, std::pair{p.b, p.a}})
    for (const auto& [g, Q] : {std::pair{q.a, q.b}, std::pair{q.b, q.a}}) {
      if (f == g) continue;
      const auto xu = divided(nodes_, with_sign(P, a.negative()), f, g);
      if (!xu) continue;
      const auto vy = divided(nodes_, with_sign(Q, b.negative()), f, g);
      if (!vy) continue;
      const Fingerprint F = fingerprint(f), G = fingerprint(g);
      if (F * F + G * G != fingerprint(one)) continue;
      return turned_element(f, g, {xu->first, xu->second, vy->first, vy->second}, value);
    }
  return zero;
}

Ref Builder::turned_element(Ref f, Ref g, const std::array<Ref, 4>& m, Fingerprint value) {
  const auto [x, u, v, y] = m;
  const auto product = [&](Ref i, Ref j) { return fingerprint(i) * fingerprint(j); };
  Section section = std::max(this->section(f), this->section(g));
  for (Ref r : m) section = std::max(section, this->section(r));
  const auto plus = [&](Ref r, Ref t) { return is_zero(r) || is_zero(t) ? add(r, t) : plain_sum(r, t, value); };
  const Fingerprint along = product(f, u) + product(f, v) - product(g, x) + product(g, y);
  if (const auto t = find(along, section)) return plus(x, mul(g, *t));
  const Fingerprint across = product(g, u) + product(g, v) + product(f, x) - product(f, y);
  if (const auto t = find(across, section)) return plus(y, mul(f, *t));
  const Ref turn = u == v ? mul(add(f, f), u) : mul(f, add(u, v));  // 2 f serves all matrices that this rotation turns
  return plus(x, mul(g, sub(turn, mul(g, sub(x, y)))));
}

}  // namespace kron::code
