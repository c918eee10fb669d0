#include "engine/solve/watches.hpp"

namespace kron::solve {

using code::Ref;
using code::Watch;

namespace {

// Nodes of which a division by p is made.
template <class Visit>
void each_factor(const code::Builder& t, Ref p, const Visit& visit) {
  std::vector<Ref> open{p};
  while (!open.empty()) {
    const Ref r{open.back().bits & ~1u};
    open.pop_back();
    if (t.is_constant(r) || !visit(r)) continue;
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
      default:
        break;
    }
  }
}

bool is_factor(code::Op op) { return op == code::Op::mul || op == code::Op::div || op == code::Op::inv || op == code::Op::pow_int; }

}  // namespace

void watch_divisor(const code::Builder& t, Ref p, std::vector<Watch>& watch, std::unordered_set<std::uint32_t>& watched) {
  each_factor(t, p, [&](Ref r) {
    if (!watched.insert(r.node()).second) return false;
    const code::Node& n = t.nodes()[r.node()];
    if (n.op == code::Op::add) watch.push_back({Watch::Kind::sum, r, n.a, n.b});
    else if (!is_factor(n.op)) watch.push_back({Watch::Kind::nonzero, r, {}, {}});
    return true;
  });
}

void watch_beside(const code::Builder& t, Ref p, const LinearSystem::Row& row, std::vector<Watch>& watch) {
  const bool early = t.section(p) <= code::Section::parameter;
  Watch::Kind kind = Watch::Kind::ratio;
  if (early) {
    bool has_sum = false;
    each_factor(t, p, [&](Ref r) { return has_sum = has_sum || t.nodes()[r.node()].op == code::Op::add, !has_sum; });
    if (!has_sum) kind = Watch::Kind::rounding;
    if (t.is_constant(p)) return;
  }
  for (const auto& x : row)
    if (x.value.node() != p.node() && !(early && t.section(x.value) > code::Section::parameter))
      watch.push_back({kind, Ref{p.bits & ~1u}, Ref{x.value.bits & ~1u}, {}});
}

}  // namespace kron::solve
