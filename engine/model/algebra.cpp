#include "engine/model/algebra.hpp"

#include <ginac/ginac.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>
#include <tuple>
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

// A sum as a numeric factor times a sum without common factor, its sign such as GiNaC would turn it under a power. GiNaC looks at
// its own first term there, which is another one from run to run: turning every factor the same way lets equal factors meet (and
// cancel) in every run. What is no sum has factor 1.
struct Factored {
  GiNaC::numeric factor = 1;
  GiNaC::ex rest;
};

Factored factored(const GiNaC::ex& x) {
  if (!GiNaC::is_exactly_a<GiNaC::add>(x)) return {1, x};
  GiNaC::numeric factor = x.integer_content();
  const GiNaC::ex first = x.op(0);
  if (GiNaC::is_exactly_a<GiNaC::mul>(first))
    for (std::size_t i = 0; i < first.nops(); ++i)
      if (GiNaC::is_exactly_a<GiNaC::numeric>(first.op(i)) && GiNaC::ex_to<GiNaC::numeric>(first.op(i)).is_negative()) factor = -factor;
  return {factor, x / factor};
}

GiNaC::ex product(const GiNaC::ex& x, const GiNaC::ex& y) {
  const Factored a = factored(x), b = factored(y);
  return (a.factor * b.factor) * (a.rest * b.rest);
}

// GiNaC throws on 1/0 too, but leaks the power.
GiNaC::ex power(const GiNaC::ex& x, long k) {
  if (k < 0 && x.is_zero()) throw std::domain_error("division by zero");
  return GiNaC::pow(x, GiNaC::numeric(k));
}

std::uint64_t saturating(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t most = 1u << 20;
  return a >= most || b >= most ? most : std::min(a * b, most);
}

// Terms of a sum of `terms` terms to the power k, multiplied out: combinations with repetition.
std::uint64_t power_terms(std::uint64_t terms, std::uint64_t k) {
  std::uint64_t n = 1;
  for (std::uint64_t i = 1; i <= k && n < (1u << 20); ++i) n = saturating(n, terms + i - 1) / i;
  return n;
}

// Exprs to GiNaC and back. Anything but + - * / and small integer powers is an atom: a symbol of its own, so GiNaC can never
// evaluate a function outside the reals, and nodes keep their identity on the way back.
class Bridge {
 public:
  explicit Bridge(Exprs& e) : e_(e) {}

  // nullopt: too large.
  std::optional<GiNaC::ex> convert(NodeId root) {
    const auto order = postorder(e_, root);
    if (order.size() > max_nodes) return std::nullopt;
    std::unordered_map<NodeId, Image> done;
    for (NodeId n : order) {
      Image i = node(n, done);
      if (i.size > max_tree) return std::nullopt;
      done.emplace(n, std::move(i));
    }
    terms_ = done.at(root).terms;
    return done.at(root).x;
  }
  // Multiplied out; nullopt where the result might be large. Of the last converted expression.
  std::optional<GiNaC::ex> expanded(const GiNaC::ex& x) const {
    if (terms_ > max_terms) return std::nullopt;
    return GiNaC::expand(x);
  }

  NodeId back(const GiNaC::ex& x) {
    if (GiNaC::is_a<GiNaC::add>(x)) return joined(terms_of(x));
    const Term t = term(x, true);
    return t.negative ? e_.neg(t.node) : t.node;
  }

  // The first term of a sum made positive: the same in every run. True: the sign was turned.
  std::pair<NodeId, bool> turned(const GiNaC::ex& x) {
    const Term t = term(x);
    return {t.node, t.negative};
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
  static constexpr std::uint64_t max_nodes = 120, max_tree = 400, max_terms = 400;

  struct Image {
    GiNaC::ex x;
    std::uint64_t size = 1;   // as a tree: shared nodes count each time, powers as products
    std::uint64_t terms = 1;  // at most so many when multiplied out
  };

  Image node(NodeId n, const std::unordered_map<NodeId, Image>& done) {
    const auto a = e_.args(n);
    auto arg = [&](std::size_t i) -> const Image& { return done.at(a[i]); };
    Image r;
    for (NodeId x : a) r.size += done.at(x).size;
    switch (e_[n].op) {
      case ExprOp::literal: r.x = to_numeric(e_.literal_value(n)); return r;
      case ExprOp::add: r.x = arg(0).x + arg(1).x; r.terms = arg(0).terms + arg(1).terms; return r;
      case ExprOp::sub: r.x = arg(0).x - arg(1).x; r.terms = arg(0).terms + arg(1).terms; return r;
      case ExprOp::neg: r.x = -arg(0).x; r.terms = arg(0).terms; return r;
      case ExprOp::mul: r.x = product(arg(0).x, arg(1).x); r.terms = saturating(arg(0).terms, arg(1).terms); return r;
      case ExprOp::div:
        r.x = product(arg(0).x, power(arg(1).x, -1));
        r.terms = saturating(arg(0).terms, arg(1).terms);
        return r;
      case ExprOp::pow: {
        const Rational* exponent = e_.if_literal(a[1]);
        const auto i = exponent ? small_integer(*exponent) : std::nullopt;
        if (!i || std::abs(*i) > 8) break;
        const auto k = static_cast<std::uint64_t>(std::abs(*i));
        r.size = 1 + k * arg(0).size;
        r.terms = power_terms(arg(0).terms, k);
        r.x = power(arg(0).x, static_cast<long>(*i));
        return r;
      }
      default: break;
    }
    r.x = symbol(n);
    return r;
  }

  // ---- back, in an order of our own: by the least placeholder, then by content ---------------------------------------------------

  // Sums inside products are turned so that their first term is positive, and the sign is kept apart: GiNaC's signs of them vary.
  struct Term {
    NodeId node;
    bool negative = false;
  };

  // `spread`: a negative product may give its sign to a difference in it, which costs nothing. (In a sum it is subtracted.)
  Term term(const GiNaC::ex& x, bool spread = false) {
    if (auto it = atom_of_.find(x); it != atom_of_.end()) return {it->second};
    if (GiNaC::is_a<GiNaC::numeric>(x)) {
      const Rational r = to_rational(GiNaC::ex_to<GiNaC::numeric>(x));
      return {e_.literal(abs(r)), r < 0};
    }
    if (GiNaC::is_a<GiNaC::mul>(x) || GiNaC::is_a<GiNaC::power>(x)) return product_of(x, spread);
    if (!GiNaC::is_a<GiNaC::add>(x)) throw std::logic_error("unexpected GiNaC expression");
    auto terms = terms_of(x);
    const bool negative = terms[0].negative;
    if (negative)
      for (Term& t : terms) t.negative = !t.negative;
    return {joined(terms), negative};
  }

  void sort(std::vector<Term>& terms) {
    std::vector<std::tuple<std::uint32_t, std::uint64_t, Term>> keyed;
    for (const Term& t : terms) {
      std::uint32_t least = 0xffffffff;
      for (NodeId x : postorder(e_, t.node))
        if (e_[x].op == ExprOp::placeholder) least = std::min(least, e_.placeholder_of(x));
      keyed.emplace_back(least, e_.content_hash(t.node), t);
    }
    std::sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) {
      return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
    });
    for (std::size_t i = 0; i < terms.size(); ++i) terms[i] = std::get<2>(keyed[i]);
  }

  std::vector<Term> terms_of(const GiNaC::ex& sum) {
    std::vector<Term> terms;
    for (std::size_t i = 0; i < sum.nops(); ++i) terms.push_back(term(sum.op(i)));
    sort(terms);
    return terms;
  }

  NodeId joined(const std::vector<Term>& terms) {  // the positive ones first
    const bool some = std::any_of(terms.begin(), terms.end(), [](const Term& t) { return !t.negative; });
    NodeId sum = e_.literal(0);
    for (const Term& t : terms)
      if (!t.negative || !some) sum = e_.add(sum, t.node);
    if (!some) return e_.neg(sum);
    for (const Term& t : terms)
      if (t.negative) sum = e_.sub(sum, t.node);
    return sum;
  }

  Term product_of(const GiNaC::ex& x, bool spread) {  // of a product or of one power
    std::vector<Term> above, below;
    Rational number = 1;
    bool negative = false;
    const bool is_product = GiNaC::is_a<GiNaC::mul>(x);
    for (std::size_t i = 0; i < (is_product ? x.nops() : 1); ++i) {
      const GiNaC::ex f = is_product ? x.op(i) : x;
      if (GiNaC::is_a<GiNaC::numeric>(f)) {
        number = to_rational(GiNaC::ex_to<GiNaC::numeric>(f));
        continue;
      }
      const bool is_power = GiNaC::is_a<GiNaC::power>(f);
      const GiNaC::numeric exponent = is_power ? GiNaC::ex_to<GiNaC::numeric>(f.op(1)) : GiNaC::numeric(1);
      const Term base = term(is_power ? f.op(0) : f);
      negative = negative != (base.negative && exponent.is_odd());
      (exponent.is_negative() ? below : above).push_back({e_.pow(base.node, e_.literal(abs(to_rational(exponent))))});
    }
    negative = negative != (number < 0);
    sort(above);
    sort(below);
    for (std::vector<Term>* list : {&above, &below})
      for (Term& t : *list)
        if (negative && spread && e_[t.node].op == ExprOp::sub) {
          t.node = e_.neg(t.node);
          negative = false;
        }
    NodeId r = e_.literal(Rational(abs(numerator(number)))), d = e_.literal(Rational(denominator(number)));
    for (const Term& t : above) r = e_.mul(r, t.node);
    for (const Term& t : below) d = e_.mul(d, t.node);
    return {e_.div(r, d), negative};
  }

  struct Less {
    bool operator()(const GiNaC::ex& a, const GiNaC::ex& b) const { return a.compare(b) < 0; }
  };
  Exprs& e_;
  std::uint64_t terms_ = 1;
  std::unordered_map<NodeId, GiNaC::ex> atoms_;
  std::map<GiNaC::ex, NodeId, Less> atom_of_;
};

}  // namespace

NodeId simplify(Exprs& e, NodeId root) {
  try {
    Bridge bridge(e);
    const auto x = bridge.convert(root);
    if (!x) return root;
    NodeId best = root;
    std::size_t least = operations(e, root);
    for (const auto& candidate : {x, bridge.expanded(*x)}) {
      if (!candidate) continue;
      const NodeId n = bridge.back(*candidate);
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
    const auto expanded = x ? bridge.expanded(*x) : std::nullopt;
    if (!expanded) return std::nullopt;
    const NodeId p = e.placeholder(placeholder);
    const GiNaC::ex s = bridge.symbol(p);
    for (const auto& [atom, symbol] : bridge.atoms()) {  // hidden inside an atom that is left: no polynomial
      if (atom == p || e[atom].count == 0 || !expanded->has(symbol)) continue;
      for (NodeId n : postorder(e, atom))
        if (n == p) return std::nullopt;
    }
    if (!GiNaC::is_polynomial(*expanded, s) || expanded->degree(s) > 1 || expanded->ldegree(s) < 0) return std::nullopt;
    const GiNaC::ex a = expanded->coeff(s, 1), b = expanded->coeff(s, 0);
    if (a.has(s) || b.has(s)) return std::nullopt;
    return std::pair(bridge.back(a), bridge.back(b));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::pair<NodeId, NodeId> reduced_fraction(Exprs& e, NodeId a, NodeId b) {
  try {
    Bridge bridge(e);
    const auto x = bridge.convert(e.div(a, b));
    if (!x) return {a, b};
    const GiNaC::ex fraction = x->numer_denom();
    const auto [n, n_turned] = bridge.turned(fraction.op(0));
    const auto [d, d_turned] = bridge.turned(fraction.op(1));
    return {n_turned != d_turned ? e.neg(n) : n, d};
  } catch (const std::exception&) {
    return {a, b};
  }
}

}  // namespace kron::model
