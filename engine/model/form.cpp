#include "engine/model/form.hpp"

#include <algorithm>
#include <cassert>
#include <deque>
#include <map>
#include <unordered_map>

#include "engine/base/hash.hpp"
#include "engine/model/algebra.hpp"

namespace kron::model {
namespace {

struct FormInfo {
  NodeId root;
  std::uint32_t arity = 0;
  bool has_marks = false;
  std::optional<FormId> unmarked;
  std::optional<std::optional<IntegerRow>> integer_row;
  std::vector<std::optional<Linear>> linear;
  std::vector<std::optional<std::optional<Isolated>>> isolated;
  std::vector<std::optional<NodeId>> partial;
};

bool literal_is(const Exprs& e, NodeId n, long v) {
  const Rational* r = e.if_literal(n);
  return r && *r == v;
}

// Σ factor·placeholder + constant of a tree of + - neg and integer literals; nullopt for anything else.
std::optional<IntegerRow> read_integer_row(const Exprs& e, NodeId root, std::uint32_t arity) {
  IntegerRow row;
  row.coefficient.assign(arity, 0);
  struct Item { NodeId node; std::int64_t factor; };
  std::vector<Item> stack = {{root, 1}};
  constexpr std::int64_t limit = std::int64_t{1} << 30;
  for (std::size_t visited = 0; !stack.empty(); ++visited) {
    const Item i = stack.back();
    stack.pop_back();
    if (visited > 64 * (e.size() + 16) || std::abs(i.factor) > limit) return std::nullopt;
    const auto a = e.args(i.node);
    switch (e[i.node].op) {
      case ExprOp::literal: {
        const auto v = small_integer(e.literal_value(i.node));
        if (!v || std::abs(*v) > limit) return std::nullopt;
        row.constant += *v * i.factor;
        break;
      }
      case ExprOp::placeholder: row.coefficient[e.placeholder_of(i.node)] += i.factor; break;
      case ExprOp::add: stack.push_back({a[1], i.factor}); stack.push_back({a[0], i.factor}); break;
      case ExprOp::sub: stack.push_back({a[1], -i.factor}); stack.push_back({a[0], i.factor}); break;
      case ExprOp::neg: stack.push_back({a[0], -i.factor}); break;
      case ExprOp::mul: {
        const bool first = e[a[0]].op == ExprOp::literal;
        const Rational* r = e.if_literal(a[first ? 0 : 1]);
        const auto v = r ? small_integer(*r) : std::nullopt;
        if (!v || std::abs(*v) > limit) return std::nullopt;
        stack.push_back({a[first ? 1 : 0], i.factor * *v});
        break;
      }
      default: return std::nullopt;
    }
  }
  return row;
}

// a·p + b bottom-up, keeping the expression's own structure (GiNaC's expansion would multiply out what the user factored).
struct Affine {
  enum : std::uint8_t { independent, affine, other } kind = independent;
  NodeId a, b;
};

class AffinePass {
 public:
  AffinePass(Exprs& e, std::uint32_t k) : e_(e), k_(k) {}
  Affine run(NodeId root) {
    std::unordered_map<NodeId, Affine> done;
    for (NodeId n : postorder(e_, root)) {
      std::vector<Affine> a;
      for (NodeId x : e_.args(n)) a.push_back(done.at(x));
      done.emplace(n, node(n, a));
    }
    return done.at(root);
  }

 private:
  Affine other() { return {Affine::other, {}, {}}; }
  Affine node(NodeId n, const std::vector<Affine>& a) {
    if (e_[n].op == ExprOp::placeholder && e_.placeholder_of(n) == k_)
      return {Affine::affine, e_.literal(1), e_.literal(0)};
    bool depends = false;
    for (const Affine& x : a) {
      if (x.kind == Affine::other) return other();
      depends = depends || x.kind == Affine::affine;
    }
    if (!depends) return {Affine::independent, e_.literal(0), n};
    const auto args = e_.args(n);
    const std::vector<NodeId> node_args(args.begin(), args.end());
    switch (e_[n].op) {
      case ExprOp::add: return {Affine::affine, e_.add(a[0].a, a[1].a), e_.add(a[0].b, a[1].b)};
      case ExprOp::sub: return {Affine::affine, e_.sub(a[0].a, a[1].a), e_.sub(a[0].b, a[1].b)};
      case ExprOp::neg: return {Affine::affine, e_.neg(a[0].a), e_.neg(a[0].b)};
      case ExprOp::mul:
        if (a[0].kind == Affine::independent)
          return {Affine::affine, e_.mul(node_args[0], a[1].a), e_.mul(node_args[0], a[1].b)};
        if (a[1].kind == Affine::independent)
          return {Affine::affine, e_.mul(a[0].a, node_args[1]), e_.mul(a[0].b, node_args[1])};
        return other();
      case ExprOp::div:
        if (a[1].kind != Affine::independent) return other();
        return {Affine::affine, e_.div(a[0].a, node_args[1]), e_.div(a[0].b, node_args[1])};
      case ExprOp::call:
        if (e_[n].fn == Fn::select && a[0].kind == Affine::independent)
          return {Affine::affine, e_.call(Fn::select, {node_args[0], a[1].a, a[2].a}),
                  e_.call(Fn::select, {node_args[0], a[1].b, a[2].b})};
        return other();
      default: return other();
    }
  }
  Exprs& e_;
  std::uint32_t k_;
};

// Walks from the root down to the one occurrence of p, turning each operation round; only operations with one real inverse
// everywhere are turned (not sqrt, not even powers, not the trigonometric functions).
class Inverter {
 public:
  Inverter(Exprs& e, NodeId p) : e_(e), p_(p) {}

  std::optional<Isolated> run(NodeId root) {
    find_path(root);
    if (!single_) return std::nullopt;
    Isolated r{e_.literal(0), {}};
    NodeId at = root;
    while (at != p_) {
      const auto span = e_.args(at);
      const std::vector<NodeId> a(span.begin(), span.end());
      const std::size_t i = branch_.at(at);
      if (!turn(at, a, i, r)) return std::nullopt;
      at = a[i];
    }
    return r;
  }

 private:
  void find_path(NodeId root) {  // the argument that leads to p, for each node that holds p exactly once as a tree
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
    single_ = count.at(root) == 1;
  }

  bool turn(NodeId n, const std::vector<NodeId>& a, std::size_t i, Isolated& r) {
    NodeId& y = r.value;  // n = y is to be solved for its argument i
    switch (e_[n].op) {
      case ExprOp::add: y = e_.sub(y, a[1 - i]); return true;
      case ExprOp::sub: y = i == 0 ? e_.add(y, a[1]) : e_.sub(a[0], y); return true;
      case ExprOp::neg: y = e_.neg(y); return true;
      case ExprOp::mul: r.divisors.push_back(a[1 - i]); y = e_.div(y, a[1 - i]); return true;
      case ExprOp::div:
        if (i == 0) { y = e_.mul(y, a[1]); return true; }
        r.divisors.push_back(y);
        y = e_.div(a[0], y);
        return true;
      case ExprOp::pow: return i == 0 && odd_root(a[1], y);
      case ExprOp::call: return e_[n].count == 1 && inverse(e_[n].fn, y);
      default: return false;
    }
  }

  bool odd_root(NodeId exponent, NodeId& y) {
    const Rational* r = e_.if_literal(exponent);
    const auto k = r ? small_integer(*r) : std::nullopt;
    if (!k || *k < 3 || *k % 2 == 0) return false;
    const NodeId size = e_.pow(e_.call(Fn::abs, {y}), e_.literal(Rational(1) / Rational(*k)));
    y = e_.mul(e_.call(Fn::sign, {y}), size);
    return true;
  }

  bool inverse(Fn fn, NodeId& y) {
    const NodeId one = e_.literal(1);
    switch (fn) {
      case Fn::exp: y = e_.call(Fn::log, {y}); return true;
      case Fn::log: y = e_.call(Fn::exp, {y}); return true;
      case Fn::log10: y = e_.pow(e_.literal(10), y); return true;
      case Fn::sinh: {  // asinh, odd by construction so that large negative arguments lose no digits
        const NodeId s = e_.call(Fn::abs, {y});
        y = e_.mul(e_.call(Fn::sign, {y}),
                   e_.call(Fn::log, {e_.add(s, e_.call(Fn::sqrt, {e_.add(e_.pow(s, e_.literal(2)), one)}))}));
        return true;
      }
      default: return false;
    }
  }

  Exprs& e_;
  NodeId p_;
  bool single_ = false;
  std::unordered_map<NodeId, std::size_t> branch_;
};

}  // namespace

struct Forms::Data {
  Exprs exprs;
  std::deque<FormInfo> forms;  // references stay valid while it grows
  std::unordered_map<NodeId, FormId> by_root;
  std::unordered_map<NodeId, std::vector<std::uint32_t>> placeholders;
  struct Special { FormId form; std::vector<std::uint32_t> order; };
  std::unordered_map<std::string, Special> specialised, derivatives;

  // scratch of intern(): by node of the source pool, valid where stamp matches
  std::vector<std::uint32_t> stamp;
  std::vector<NodeId> mapped;
  std::uint32_t now = 0;

  FormInfo& info(FormId f) { return forms[f.value]; }

  FormId add(NodeId root) {
    auto [it, is_new] = by_root.emplace(root, FormId{forms.size()});
    if (!is_new) return it->second;
    FormInfo f;
    f.root = root;
    for (NodeId n : postorder(exprs, root)) {
      if (exprs[n].op == ExprOp::placeholder) ++f.arity;
      if (exprs[n].op == ExprOp::call)
        f.has_marks = f.has_marks || exprs[n].fn == Fn::relax || exprs[n].fn == Fn::residue ||
                      exprs[n].fn == Fn::no_event || exprs[n].fn == Fn::homotopy;
    }
    f.linear.resize(f.arity);
    f.isolated.resize(f.arity);
    f.partial.resize(f.arity);
    forms.push_back(std::move(f));
    return it->second;
  }

  // Placeholders in order of first occurrence (left to right, depth first).
  std::vector<std::uint32_t> occurrence(NodeId root) {
    std::vector<std::uint32_t> out;
    for (NodeId n : postorder(exprs, root))
      if (exprs[n].op == ExprOp::placeholder) out.push_back(exprs.placeholder_of(n));
    return out;
  }

  // Renumbers to p0, p1, …; `order[i]` is the old number of the new placeholder i.
  FormId normalise(NodeId root, std::vector<std::uint32_t>& order) {
    order = occurrence(root);
    bool same = true;
    for (std::size_t i = 0; i < order.size(); ++i) same = same && order[i] == i;
    if (same) return add(root);
    std::unordered_map<std::uint32_t, std::uint32_t> number;
    for (std::size_t i = 0; i < order.size(); ++i) number[order[i]] = static_cast<std::uint32_t>(i);
    return add(substitute(exprs, exprs, root, [&](NodeId n) {
      return exprs[n].op == ExprOp::placeholder ? exprs.placeholder(number.at(exprs.placeholder_of(n))) : n;
    }));
  }

  NodeId rebuild(const Exprs& from, NodeId n, std::vector<Operand>& operands, std::vector<NodeId>& a, bool exponent);
};

Forms::Forms() : data_(std::make_unique<Data>()) {}
Forms::~Forms() = default;
Exprs& Forms::exprs() { return data_->exprs; }
const Exprs& Forms::exprs() const { return data_->exprs; }
NodeId Forms::root(FormId f) const { return data_->forms[f.value].root; }
std::uint32_t Forms::arity(FormId f) const { return data_->forms[f.value].arity; }
std::uint64_t Forms::content_hash(FormId f) const { return data_->exprs.content_hash(root(f)); }
std::size_t Forms::size() const { return data_->forms.size(); }
FormId Forms::intern_placeholders(NodeId root) { return data_->add(root); }

Forms& forms() {
  static Forms table;
  return table;
}

// ---- interning ------------------------------------------------------------------------------------------------------------

namespace {
std::uint32_t number_of(std::vector<Operand>& operands, Operand o) {
  if (operands.size() <= 16) {
    for (std::size_t i = 0; i < operands.size(); ++i)
      if (operands[i] == o) return static_cast<std::uint32_t>(i);
  } else if (auto it = std::find(operands.begin(), operands.end(), o); it != operands.end()) {
    return static_cast<std::uint32_t>(it - operands.begin());
  }
  operands.push_back(o);
  return static_cast<std::uint32_t>(operands.size() - 1);
}
}  // namespace

NodeId Forms::Data::rebuild(const Exprs& from, NodeId n, std::vector<Operand>& operands, std::vector<NodeId>& a,
                            bool exponent) {
  const ExprNode node = from[n];
  switch (node.op) {
    case ExprOp::literal: {
      const Rational& r = from.literal_value(n);
      if (exponent || r == 0 || r == 1 || r == -1) return exprs.literal(r);
      return exprs.placeholder(number_of(operands, Operand::constant(constant_id(r))));
    }
    case ExprOp::operand: {
      const Operand o = from.operand_of(n);
      if (o.kind() == OperandKind::constant) {
        const ConstantValue& c = constant(ConstId{o.index()});
        if (!c.is_pi && (c.value == 0 || c.value == 1 || c.value == -1)) return exprs.literal(c.value);
      }
      return exprs.placeholder(number_of(operands, o));
    }
    case ExprOp::placeholder: return exprs.placeholder(from.placeholder_of(n));
    case ExprOp::add: return exprs.add(a[0], a[1]);
    case ExprOp::sub: return exprs.sub(a[0], a[1]);
    case ExprOp::mul: return exprs.mul(a[0], a[1]);
    case ExprOp::div: return exprs.div(a[0], a[1]);
    case ExprOp::neg: return exprs.neg(a[0]);
    case ExprOp::pow: return exprs.pow(a[0], a[1]);
    case ExprOp::call: return exprs.call(node.fn, a);
  }
  return {};
}

Bound Forms::intern(const Exprs& from, NodeId root) {
  Data& d = *data_;
  if (d.stamp.size() < from.size()) {
    d.stamp.resize(from.size(), 0);
    d.mapped.resize(from.size());
  }
  ++d.now;
  Bound bound;
  struct Frame { NodeId node; std::uint32_t next; bool exponent; };
  std::vector<Frame> stack = {{root, 0, false}};
  std::vector<NodeId> a;
  // A literal may be an exponent here and a factor elsewhere, so exponents are not shared through the memo.
  std::vector<NodeId> exponents;
  while (!stack.empty()) {
    Frame& f = stack.back();
    const auto args = from.args(f.node);
    if (f.next < args.size()) {
      const bool exponent = from[f.node].op == ExprOp::pow && f.next == 1 && from[args[1]].op == ExprOp::literal;
      const NodeId child = args[f.next++];
      if (exponent) exponents.push_back(child);
      else if (d.stamp[child.value] != d.now) stack.push_back({child, 0, false});
      continue;
    }
    a.clear();
    for (std::size_t i = 0; i < args.size(); ++i) {
      const bool exponent = from[f.node].op == ExprOp::pow && i == 1 && from[args[1]].op == ExprOp::literal;
      a.push_back(exponent ? d.exprs.literal(Rational(from.literal_value(args[1]))) : d.mapped[args[i].value]);
    }
    d.mapped[f.node.value] = d.rebuild(from, f.node, bound.operands, a, false);
    d.stamp[f.node.value] = d.now;
    stack.pop_back();
  }
  std::vector<std::uint32_t> order;
  bound.form = d.normalise(d.mapped[root.value], order);
  if (order.size() != bound.operands.size() || !std::is_sorted(order.begin(), order.end())) {
    std::vector<Operand> kept;
    for (std::uint32_t i : order) kept.push_back(bound.operands[i]);
    bound.operands = std::move(kept);
  }
  return bound;
}

// ---- symbolic results -------------------------------------------------------------------------------------------------------

FormId Forms::unmarked(FormId f) {
  if (!data_->info(f).has_marks) return f;
  if (auto u = data_->info(f).unmarked) return *u;
  Exprs& e = data_->exprs;
  std::unordered_map<NodeId, NodeId> done;
  for (NodeId n : postorder(e, root(f))) {
    const auto span = e.args(n);
    std::vector<NodeId> a;
    for (NodeId x : span) a.push_back(done.at(x));
    const ExprNode node = e[n];
    NodeId r = n;
    switch (node.op) {
      case ExprOp::add: r = e.add(a[0], a[1]); break;
      case ExprOp::sub: r = e.sub(a[0], a[1]); break;
      case ExprOp::mul: r = e.mul(a[0], a[1]); break;
      case ExprOp::div: r = e.div(a[0], a[1]); break;
      case ExprOp::neg: r = e.neg(a[0]); break;
      case ExprOp::pow: r = e.pow(a[0], a[1]); break;
      case ExprOp::call:
        if (node.fn == Fn::relax || node.fn == Fn::no_event || node.fn == Fn::homotopy) r = a[0];
        else if (node.fn == Fn::residue) r = e.literal(0);
        else r = e.call(node.fn, a);
        break;
      default: break;
    }
    done.emplace(n, r);
  }
  // The placeholders keep their numbers; some may be gone. The arity stays that of f: its operands fit.
  FormInfo u;
  u.root = done.at(root(f));
  u.arity = data_->info(f).arity;
  u.linear.resize(u.arity);
  u.isolated.resize(u.arity);
  u.partial.resize(u.arity);
  const FormId id{data_->forms.size()};
  data_->forms.push_back(std::move(u));
  data_->info(f).unmarked = id;
  return id;
}

const std::optional<IntegerRow>& Forms::integer_row(FormId f) {
  if (const FormId u = unmarked(f); u != f) return integer_row(u);
  FormInfo& info = data_->info(f);
  if (!info.integer_row) info.integer_row = read_integer_row(data_->exprs, info.root, info.arity);
  return *info.integer_row;
}

const Linear& Forms::linear(FormId f, std::uint32_t k) {
  if (const FormId u = unmarked(f); u != f) return linear(u, k);
  if (const auto& known = data_->info(f).linear[k]) return *known;
  Exprs& e = data_->exprs;
  const NodeId r = root(f);
  const Affine a = AffinePass(e, k).run(r);
  Linear result;
  if (a.kind != Affine::other) {
    result = {true, a.a, a.b};
  } else if (auto split = degree_one(e, r, k)) {
    result = {true, split->first, split->second};
  }
  data_->info(f).linear[k] = result;
  return *data_->info(f).linear[k];
}

NodeId Forms::partial(FormId f, std::uint32_t k) {
  if (const FormId u = unmarked(f); u != f) return partial(u, k);
  if (auto known = data_->info(f).partial[k]) return *known;
  Exprs& e = data_->exprs;
  const Linear& l = linear(f, k);
  NodeId d;
  if (l.linear) {
    d = l.coefficient;
  } else {
    const NodeId one = e.literal(1), zero = e.literal(0), p = e.placeholder(k);
    d = simplify(e, differentiate(e, root(f), [&](NodeId n) { return n == p ? one : zero; }));
  }
  data_->info(f).partial[k] = d;
  return d;
}

const std::optional<Isolated>& Forms::isolate(FormId f, std::uint32_t k) {
  if (const FormId u = unmarked(f); u != f) return isolate(u, k);
  if (const auto& known = data_->info(f).isolated[k]) return *known;
  Exprs& e = data_->exprs;
  std::optional<Isolated> result;
  const Linear l = linear(f, k);
  if (l.linear) {
    if (!literal_is(e, l.coefficient, 0)) {
      Isolated i;
      if (literal_is(e, l.coefficient, -1)) i.value = l.rest;
      else if (e[l.coefficient].op == ExprOp::neg) i.value = e.div(l.rest, e.args(l.coefficient)[0]);
      else i.value = e.div(e.neg(l.rest), l.coefficient);
      if (e[l.coefficient].op != ExprOp::literal) i.divisors.push_back(l.coefficient);
      result = i;
    }
  } else {
    result = Inverter(e, e.placeholder(k)).run(root(f));
  }
  data_->info(f).isolated[k] = std::move(result);
  return *data_->info(f).isolated[k];
}

std::span<const std::uint32_t> Forms::placeholders(NodeId n) {
  auto [it, is_new] = data_->placeholders.emplace(n, std::vector<std::uint32_t>{});
  if (is_new) {
    auto list = data_->occurrence(n);
    std::sort(list.begin(), list.end());
    data_->placeholders[n] = std::move(list);
  }
  return data_->placeholders[n];
}

bool Forms::depends_on(NodeId n, std::uint32_t k) {
  const auto list = placeholders(n);
  return std::binary_search(list.begin(), list.end(), k);
}

bool Forms::only_relaxed(FormId f, std::uint32_t k) {
  const Exprs& e = data_->exprs;
  if (!data_->info(f).has_marks) return false;
  std::vector<NodeId> stack = {root(f)};  // everything reachable without entering a relax
  std::unordered_map<NodeId, bool> seen;
  bool relaxed = false;
  for (NodeId n : postorder(e, root(f)))
    if (e[n].op == ExprOp::call && e[n].fn == Fn::relax) relaxed = relaxed || depends_on(n, k);
  if (!relaxed) return false;
  while (!stack.empty()) {
    const NodeId n = stack.back();
    stack.pop_back();
    if (!seen.emplace(n, true).second) continue;
    if (e[n].op == ExprOp::placeholder && e.placeholder_of(n) == k) return false;
    if (e[n].op == ExprOp::call && (e[n].fn == Fn::relax || e[n].fn == Fn::residue)) continue;
    for (NodeId a : e.args(n)) stack.push_back(a);
  }
  return true;
}

bool Forms::has_residue(FormId f, std::uint32_t k) {
  const Exprs& e = data_->exprs;
  if (!data_->info(f).has_marks) return false;
  for (NodeId n : postorder(e, root(f)))
    if (e[n].op == ExprOp::call && e[n].fn == Fn::residue && depends_on(n, k)) return true;
  return false;
}

FormId Forms::specialise(FormId f, std::span<const Replacement> with, std::vector<std::uint32_t>& order) {
  std::string key(reinterpret_cast<const char*>(&f.value), sizeof f.value);
  for (const Replacement& r : with) {
    key.append(reinterpret_cast<const char*>(&r.placeholder), sizeof r.placeholder);
    key += static_cast<char>(r.sign);
    key += static_cast<char>(r.literal);
  }
  auto it = data_->specialised.find(key);
  if (it == data_->specialised.end()) {
    Exprs& e = data_->exprs;
    const NodeId n = substitute(e, e, root(f), [&](NodeId leaf) {
      const Replacement& r = with[e.placeholder_of(leaf)];
      if (r.placeholder < 0) return e.literal(r.literal);
      const NodeId p = e.placeholder(static_cast<std::uint32_t>(r.placeholder));
      return r.sign < 0 ? e.neg(p) : p;
    });
    Data::Special s;
    s.form = data_->normalise(n, s.order);
    it = data_->specialised.emplace(std::move(key), std::move(s)).first;
  }
  order = it->second.order;
  return it->second.form;
}

Bound Forms::time_derivative(FormId f, std::span<const Operand> operands,
                             const std::function<bool(Operand)>& is_constant) {
  Exprs& e = data_->exprs;
  const std::uint32_t n = arity(f);
  std::string key(reinterpret_cast<const char*>(&f.value), sizeof f.value);
  for (Operand o : operands) {  // what each placeholder's derivative is: 0, 1, or an operand
    const bool still = o.kind() == OperandKind::start || o.kind() == OperandKind::pre ||
                       o.kind() == OperandKind::constant || (o.kind() == OperandKind::value && is_constant(o));
    key += o.kind() == OperandKind::time ? 't' : still ? '0' : 'd';
  }
  auto it = data_->derivatives.find(key);
  if (it == data_->derivatives.end()) {
    const NodeId d = differentiate(e, root(f), [&](NodeId leaf) {
      const std::uint32_t k = e.placeholder_of(leaf);
      const char c = key[sizeof f.value + k];
      return c == 't' ? e.literal(1) : c == '0' ? e.literal(0) : e.placeholder(n + k);
    });
    Data::Special s;
    s.form = data_->normalise(d, s.order);
    it = data_->derivatives.emplace(std::move(key), std::move(s)).first;
  }
  Bound bound{it->second.form, {}};
  for (std::uint32_t k : it->second.order) {
    const Operand o = operands[k < n ? k : k - n];
    bound.operands.push_back(k < n ? o : Operand(o.kind(), o.index(), o.order() + 1));
  }
  return bound;
}

NodeId time_derivative(Exprs& e, NodeId root, const std::function<bool(Operand)>& is_constant) {
  return differentiate(e, root, [&](NodeId leaf) {
    if (e[leaf].op != ExprOp::operand) return e.literal(0);
    const Operand o = e.operand_of(leaf);
    if (o.kind() == OperandKind::time) return e.literal(1);
    if (o.kind() != OperandKind::value || is_constant(o)) return e.literal(0);
    return e.operand(Operand(o.kind(), o.index(), o.order() + 1));
  });
}

std::string print(const Bound& b, const std::function<std::string(Operand)>& name) {
  const Exprs& e = forms().exprs();
  return print(e, forms().root(b.form), [&](const ExprNode& leaf) {
    if (leaf.op == ExprOp::placeholder) return name(b.operands[leaf.first]);
    Operand o;
    o.bits = leaf.first;
    return name(o);
  });
}

}  // namespace kron::model
