#include "engine/model/affine.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "engine/model/algebra.hpp"

namespace kron::model {
namespace {

constexpr std::int64_t largest_factor = std::int64_t{1} << 30;
constexpr std::uint32_t several = std::numeric_limits<std::uint32_t>::max();

std::optional<std::int64_t> factor_of(const Exprs& e, NodeId n) {
  const Rational* r = e.if_literal(n);
  const auto v = r ? small_integer(*r) : std::nullopt;
  return v && std::abs(*v) <= largest_factor ? v : std::nullopt;
}

struct Affine {
  enum : std::uint8_t { independent, affine, other } kind = independent;
  NodeId a, b;
};

class AffinePass {
 public:
  AffinePass(Exprs& e, std::uint32_t k) : e_(e), p_(e.placeholder(k)) {}
  Affine run(NodeId root) {
    std::unordered_map<NodeId, Affine> done;
    for (NodeId n : postorder(e_, root)) {
      operands_.clear();
      for (NodeId x : e_.args(n)) operands_.push_back(done.at(x));
      done.emplace(n, node(n, operands_));
    }
    return done.at(root);
  }

 private:
  Affine node(NodeId n, const std::vector<Affine>& a) {
    if (n == p_) return {Affine::affine, e_.literal(1), e_.literal(0)};
    bool depends = false;
    for (const Affine& x : a) {
      if (x.kind == Affine::other) return {Affine::other, {}, {}};
      depends = depends || x.kind == Affine::affine;
    }
    if (!depends) return {Affine::independent, e_.literal(0), n};
    // An argument without p has a = 0 and itself as b.
    switch (e_[n].op) {
      case ExprOp::add: return {Affine::affine, e_.add(a[0].a, a[1].a), e_.add(a[0].b, a[1].b)};
      case ExprOp::sub: return {Affine::affine, e_.sub(a[0].a, a[1].a), e_.sub(a[0].b, a[1].b)};
      case ExprOp::neg: return {Affine::affine, e_.neg(a[0].a), e_.neg(a[0].b)};
      case ExprOp::mul:
        if (a[0].kind == Affine::independent) return {Affine::affine, e_.mul(a[0].b, a[1].a), e_.mul(a[0].b, a[1].b)};
        if (a[1].kind == Affine::independent) return {Affine::affine, e_.mul(a[0].a, a[1].b), e_.mul(a[0].b, a[1].b)};
        break;
      case ExprOp::div:
        if (a[1].kind == Affine::independent) return {Affine::affine, e_.div(a[0].a, a[1].b), e_.div(a[0].b, a[1].b)};
        break;
      case ExprOp::call:
        if (e_[n].fn == Fn::select && a[0].kind == Affine::independent)
          return {Affine::affine, e_.call(Fn::select, {a[0].b, a[1].a, a[2].a}), e_.call(Fn::select, {a[0].b, a[1].b, a[2].b})};
        break;
      default: break;
    }
    return {Affine::other, {}, {}};
  }

  Exprs& e_;
  NodeId p_;
  std::vector<Affine> operands_;
};

}  // namespace

std::optional<IntegerRow> read_integer_row(const Exprs& e, NodeId root, std::uint32_t arity) {
  IntegerRow row;
  row.coefficient.assign(arity, 0);
  const auto order = postorder(e, root);
  std::unordered_map<NodeId, std::int64_t> factor;  // how often each node enters the sum
  bool fits = true;
  auto enter = [&](NodeId n, std::int64_t f) {
    auto& sum = factor[n];
    sum += f;
    fits = fits && std::abs(sum) <= largest_factor;
  };
  enter(root, 1);
  for (auto it = order.rbegin(); it != order.rend() && fits; ++it) {  // users before their arguments
    const auto found = factor.find(*it);
    const std::int64_t f = found == factor.end() ? 0 : found->second;
    if (f == 0) continue;
    const auto a = e.args(*it);
    switch (e[*it].op) {
      case ExprOp::literal: {
        const auto v = factor_of(e, *it);
        if (!v) return std::nullopt;
        row.constant += *v * f;  // below 2^60 each
        fits = std::abs(row.constant) <= largest_factor * largest_factor;
        break;
      }
      case ExprOp::placeholder: row.coefficient[e.placeholder_of(*it)] = f; break;
      case ExprOp::add: enter(a[0], f); enter(a[1], f); break;
      case ExprOp::sub: enter(a[0], f); enter(a[1], -f); break;
      case ExprOp::neg: enter(a[0], -f); break;
      case ExprOp::mul: {
        const std::size_t number = e[a[0]].op == ExprOp::literal ? 0 : 1;
        const auto v = factor_of(e, a[number]);
        if (!v) return std::nullopt;
        enter(a[1 - number], f * *v);
        break;
      }
      default: return std::nullopt;
    }
  }
  if (!fits) return std::nullopt;
  return row;
}

std::optional<std::pair<NodeId, NodeId>> read_affine(Exprs& e, NodeId root, std::uint32_t placeholder) {
  const Affine a = AffinePass(e, placeholder).run(root);
  if (a.kind == Affine::other) return std::nullopt;
  return std::pair(a.a, a.b);
}

LongSum::LongSum(Exprs& e, NodeId root, std::uint32_t arity) : holder_(arity, 0) {
  const std::size_t most = 2 * postorder(e, root).size();  // shared sums, written out, may have exponentially many terms
  std::vector<Term> stack = {{root, false}};
  while (!stack.empty()) {
    const Term t = stack.back();
    stack.pop_back();
    const auto a = e.args(t.node);
    const ExprOp op = e[t.node].op;
    if ((op != ExprOp::add && op != ExprOp::sub && op != ExprOp::neg) || terms_.size() > most) {
      terms_.push_back(t);
      continue;
    }
    if (op != ExprOp::neg) stack.push_back({a[1], t.negative != (op == ExprOp::sub)});
    stack.push_back({a[0], t.negative != (op == ExprOp::neg)});
  }
  const std::size_t n = terms_.size();
  before_.assign(n + 1, e.literal(0));
  after_ = before_;
  for (std::size_t i = 0; i < n; ++i) before_[i + 1] = e.add(before_[i], with_sign(e, i, terms_[i].node));
  for (std::size_t i = n; i-- > 0;) after_[i] = e.add(with_sign(e, i, terms_[i].node), after_[i + 1]);
  for (std::size_t i = 0; i < n; ++i)
    for (NodeId x : postorder(e, terms_[i].node)) {
      if (e[x].op != ExprOp::placeholder) continue;
      auto& holder = holder_[e.placeholder_of(x)];
      holder = holder == 0 ? static_cast<std::uint32_t>(i + 1) : several;
    }
}

std::optional<std::size_t> LongSum::only(std::uint32_t placeholder) const {
  const std::uint32_t holder = holder_[placeholder];
  if (holder == 0 || holder == several) return std::nullopt;
  return holder - 1;
}

NodeId LongSum::with_sign(Exprs& e, std::size_t i, NodeId n) const { return terms_[i].negative ? e.neg(n) : n; }

NodeId LongSum::replaced(Exprs& e, std::size_t i, NodeId term) const {
  return e.add(e.add(before_[i], with_sign(e, i, term)), after_[i + 1]);
}

}  // namespace kron::model
