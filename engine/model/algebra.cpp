#include "engine/model/algebra.hpp"

#include <ginac/ginac.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <unordered_map>

namespace kron::model {
namespace {

// One symbol per placeholder and per opaque subexpression, allocated once: symbols compare by identity.
GiNaC::ex symbol_for(std::uint32_t k) {
  static std::vector<GiNaC::ex> symbols;
  while (symbols.size() <= k)
    symbols.push_back(GiNaC::dynallocate<GiNaC::realsymbol>("s" + std::to_string(symbols.size())));
  return symbols[k];
}

GiNaC::numeric to_numeric(const Rational& r) {
  return GiNaC::numeric(r.str().c_str());  // "p/q"; sizes are bounded by the folding of Exprs
}

Rational to_rational(const GiNaC::numeric& n) {
  std::ostringstream s;
  s << GiNaC::dflt << n;
  return Rational(s.str());
}

// Exprs to GiNaC and back. Anything but + - * / and integer powers is an atom: a symbol of its own, so GiNaC can never
// evaluate a function outside the reals, and nodes keep their identity on the way back.
class Bridge {
 public:
  explicit Bridge(Exprs& e) : e_(e) {}

  std::optional<GiNaC::ex> convert(NodeId root) {
    std::unordered_map<NodeId, GiNaC::ex> done;
    const auto order = postorder(e_, root);
    if (order.size() > max_nodes) return std::nullopt;
    std::unordered_map<NodeId, std::uint64_t> tree;  // size as a tree: shared nodes count each time
    for (NodeId n : order) {
      std::uint64_t size = 1;
      for (NodeId a : e_.args(n)) size += tree.at(a);
      if (size > max_tree) return std::nullopt;
      tree.emplace(n, size);
      done.emplace(n, node(n, done));
    }
    return done.at(root);
  }

  NodeId back(const GiNaC::ex& x) {
    if (GiNaC::is_a<GiNaC::numeric>(x)) return e_.literal(to_rational(GiNaC::ex_to<GiNaC::numeric>(x)));
    if (auto it = atom_of_.find(x); it != atom_of_.end()) return it->second;
    if (GiNaC::is_a<GiNaC::add>(x)) return sum(x);
    if (GiNaC::is_a<GiNaC::mul>(x)) return product(x);
    if (GiNaC::is_a<GiNaC::power>(x)) return e_.pow(back(x.op(0)), back(x.op(1)));
    throw std::logic_error("unexpected GiNaC expression");
  }

  GiNaC::ex symbol(NodeId atom) {
    auto [it, is_new] = atoms_.emplace(atom, GiNaC::ex());
    if (is_new) {
      it->second = symbol_for(static_cast<std::uint32_t>(atoms_.size() - 1));
      atom_of_.emplace(it->second, atom);
    }
    return it->second;
  }
  const std::unordered_map<NodeId, GiNaC::ex>& atoms() const { return atoms_; }

 private:
  static constexpr std::size_t max_nodes = 120, max_tree = 400;

  GiNaC::ex node(NodeId n, const std::unordered_map<NodeId, GiNaC::ex>& done) {
    const auto a = e_.args(n);
    auto arg = [&](int i) -> const GiNaC::ex& { return done.at(a[static_cast<std::size_t>(i)]); };
    switch (e_[n].op) {
      case ExprOp::literal: return to_numeric(e_.literal_value(n));
      case ExprOp::add: return arg(0) + arg(1);
      case ExprOp::sub: return arg(0) - arg(1);
      case ExprOp::mul: return arg(0) * arg(1);
      case ExprOp::div: return arg(0) / arg(1);
      case ExprOp::neg: return -arg(0);
      case ExprOp::pow: {
        const Rational* exponent = e_.if_literal(a[1]);
        const auto i = exponent ? small_integer(*exponent) : std::nullopt;
        if (i && std::abs(*i) <= 8) return GiNaC::pow(arg(0), GiNaC::numeric(static_cast<long>(*i)));
        return symbol(n);
      }
      default: return symbol(n);
    }
  }

  // A canonical order of terms: by the least placeholder, then by content.
  void sort(std::vector<NodeId>& terms) {
    auto key = [&](NodeId n) {
      std::uint32_t least = 0xffffffff;
      for (NodeId x : postorder(e_, n))
        if (e_[x].op == ExprOp::placeholder) least = std::min(least, e_.placeholder_of(x));
      return std::pair(least, e_.content_hash(n));
    };
    std::sort(terms.begin(), terms.end(), [&](NodeId a, NodeId b) { return key(a) < key(b); });
  }

  NodeId sum(const GiNaC::ex& x) {
    std::vector<NodeId> positive, negative;
    for (std::size_t i = 0; i < x.nops(); ++i) {
      const NodeId t = back(x.op(i));
      if (e_[t].op == ExprOp::neg) negative.push_back(e_.args(t)[0]);
      else positive.push_back(t);
    }
    sort(positive);
    sort(negative);
    NodeId r = e_.literal(0);
    for (NodeId t : positive) r = e_.add(r, t);
    for (NodeId t : negative) r = e_.sub(r, t);
    return r;
  }

  NodeId product(const GiNaC::ex& x) {
    std::vector<NodeId> above, below;
    bool negative = false;
    for (std::size_t i = 0; i < x.nops(); ++i) {
      const GiNaC::ex f = x.op(i);
      if (GiNaC::is_a<GiNaC::numeric>(f)) {
        Rational r = to_rational(GiNaC::ex_to<GiNaC::numeric>(f));
        negative = negative != (r < 0);
        r = abs(r);
        if (numerator(r) != 1) above.push_back(e_.literal(Rational(numerator(r))));
        if (denominator(r) != 1) below.push_back(e_.literal(Rational(denominator(r))));
      } else if (GiNaC::is_a<GiNaC::power>(f) && GiNaC::is_a<GiNaC::numeric>(f.op(1)) &&
                 GiNaC::ex_to<GiNaC::numeric>(f.op(1)).is_negative()) {
        below.push_back(back(GiNaC::pow(f.op(0), -f.op(1))));
      } else {
        above.push_back(back(f));
      }
    }
    sort(above);
    sort(below);
    NodeId r = e_.literal(1), d = e_.literal(1);
    for (NodeId t : above) r = e_.mul(r, t);
    for (NodeId t : below) d = e_.mul(d, t);
    r = e_.div(r, d);
    return negative ? e_.neg(r) : r;
  }

  struct Less {
    bool operator()(const GiNaC::ex& a, const GiNaC::ex& b) const { return a.compare(b) < 0; }
  };
  Exprs& e_;
  std::unordered_map<NodeId, GiNaC::ex> atoms_;
  std::map<GiNaC::ex, NodeId, Less> atom_of_;
};

}  // namespace

NodeId simplify(Exprs& e, NodeId root) {
  try {
    Bridge bridge(e);
    const auto x = bridge.convert(root);
    if (!x) return root;
    const std::size_t before = operations(e, root);
    NodeId best = root;
    std::size_t least = before;
    for (const GiNaC::ex& candidate : {*x, GiNaC::ex(GiNaC::expand(*x))}) {
      const NodeId n = bridge.back(candidate);
      const std::size_t cost = operations(e, n);
      if (cost < least) { least = cost; best = n; }
    }
    return best;
  } catch (const std::exception&) {  // GiNaC throws on 1/0 and the like: nothing to simplify then
    return root;
  }
}

std::optional<std::pair<NodeId, NodeId>> degree_one(Exprs& e, NodeId root, std::uint32_t placeholder) {
  try {
    Bridge bridge(e);
    const auto x = bridge.convert(root);
    if (!x) return std::nullopt;
    const NodeId p = e.placeholder(placeholder);
    const GiNaC::ex s = bridge.symbol(p);
    for (const auto& [atom, symbol] : bridge.atoms()) {  // hidden inside an atom: no polynomial
      if (atom == p || e[atom].count == 0) continue;
      for (NodeId n : postorder(e, atom))
        if (n == p) return std::nullopt;
    }
    const GiNaC::ex expanded = GiNaC::expand(*x);
    if (!GiNaC::is_polynomial(expanded, s) || expanded.degree(s) > 1 || expanded.ldegree(s) < 0) return std::nullopt;
    const GiNaC::ex a = expanded.coeff(s, 1), b = expanded.coeff(s, 0);
    if (a.has(s) || b.has(s)) return std::nullopt;
    return std::pair(bridge.back(a), bridge.back(b));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace kron::model
