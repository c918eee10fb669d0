#include "engine/solve/watches.hpp"

namespace kron::solve {

using code::Ref;
using code::Watch;

void watch_divisor(const code::Builder& t, Ref p, std::vector<Watch>& watch, std::unordered_set<std::uint32_t>& watched) {
  std::vector<Ref> open{p};
  while (!open.empty()) {
    const Ref r{open.back().bits & ~1u};
    open.pop_back();
    if (t.is_constant(r) || !watched.insert(r.node()).second) continue;
    const code::Node& n = t.nodes()[r.node()];
    switch (n.op) {
      case code::Op::mul:
        open.insert(open.end(), {n.a, n.b});
        break;
      case code::Op::div:  // the divisor is a pivot, or the user's own
      case code::Op::inv:
      case code::Op::pow_int:
        open.push_back(n.a);
        break;
      case code::Op::add:
        watch.push_back({Watch::Kind::sum, r, n.a, n.b});
        break;
      default:
        watch.push_back({Watch::Kind::nonzero, r, {}, {}});
    }
  }
}

void watch_beside(Ref p, const LinearSystem::Row& row, std::vector<Watch>& watch) {
  for (const auto& x : row)
    if (x.value.node() != p.node()) watch.push_back({Watch::Kind::ratio, Ref{p.bits & ~1u}, Ref{x.value.bits & ~1u}, {}});
}

}  // namespace kron::solve
