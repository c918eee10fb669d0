#include "engine/code/common_factor.hpp"

namespace kron::code {

Ref common_factor(Builder& t, Ref a, Ref b) {
  const Node p = t.nodes()[a.node()], q = t.nodes()[b.node()];
  if (p.op != Op::mul || q.op != Op::mul) return zero;
  for (const auto& [f, x] : {std::pair{p.a, p.b}, std::pair{p.b, p.a}})
    for (const auto& [g, y] : {std::pair{q.a, q.b}, std::pair{q.b, q.a}}) {
      if (f != g || t.section(f) == p.section || t.section(f) == q.section) continue;
      const Ref u = a.negative() ? -x : x, v = b.negative() ? -y : y;
      return u == v ? t.mul(t.add(f, f), u) : t.mul(f, t.add(u, v));
    }
  return zero;
}

}  // namespace kron::code
