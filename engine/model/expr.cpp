#include "engine/model/expr.hpp"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "engine/base/hash.hpp"

namespace kron::model {
namespace {

struct ConstantTable {
  std::deque<ConstantValue> values;
  std::unordered_multimap<std::uint64_t, std::uint32_t> index;
  ConstantTable() { values.push_back({Rational(0), true, 3.14159265358979323846}); }
};

ConstantTable& constants() {
  static ConstantTable table;
  return table;
}

// By comparing parts: the operator divides.
bool same(const Rational& x, const Rational& y) {
  const auto &p = x.backend().data(), &q = y.backend().data();
  return p.numerator() == q.numerator() && p.denominator() == q.denominator();
}

// Folding stops where the result would no longer be a number somebody wrote: keeps `2^1000000` from eating the memory.
bool small(const Rational& r) {
  constexpr unsigned bits = 2048;
  const Integer n = numerator(r), d = denominator(r);
  return (n == 0 || msb(abs(n)) < bits) && msb(d) < bits;
}

}  // namespace

ConstId constant_id(const Rational& r) {
  ConstantTable& t = constants();
  const std::uint64_t h = kron::content_hash(r);
  auto [first, last] = t.index.equal_range(h);
  for (auto it = first; it != last; ++it)
    if (!t.values[it->second].is_pi && same(t.values[it->second].value, r)) return ConstId{it->second};
  t.values.push_back({r, false, to_double(r), h});
  const auto id = static_cast<std::uint32_t>(t.values.size() - 1);
  t.index.emplace(h, id);
  return ConstId{id};
}

ConstId pi_id() { return ConstId{0}; }
const ConstantValue& constant(ConstId id) { return constants().values[id.value]; }

// ---- nodes --------------------------------------------------------------------------------------------------------------

void Exprs::grow() {
  std::vector<std::uint32_t> old(std::max<std::size_t>(64, table_.size() * 2));
  old.swap(table_);
  const std::size_t mask = table_.size() - 1;
  for (std::uint32_t entry : old)
    if (entry != 0) {
      std::size_t i = hashes_[entry - 1] & mask;
      while (table_[i] != 0) i = (i + 1) & mask;
      table_[i] = entry;
    }
}

// The list may be a part of args_ itself, as args() gives it.
std::uint32_t Exprs::store(std::span<const NodeId> a) {
  const auto at = static_cast<std::uint32_t>(args_.size());
  const bool inside = !std::less{}(a.data(), args_.data()) && std::less{}(a.data(), args_.data() + args_.size());
  if (inside) {
    const std::vector<NodeId> copy(a.begin(), a.end());
    args_.insert(args_.end(), copy.begin(), copy.end());
  } else {
    args_.insert(args_.end(), a.begin(), a.end());
  }
  return at;
}

NodeId Exprs::intern(ExprOp op, Fn fn, std::uint32_t payload, std::span<const NodeId> a, std::uint64_t hash) {
  if (nodes_.size() * 2 >= table_.size()) grow();
  const std::size_t mask = table_.size() - 1;
  std::size_t i = hash & mask;
  for (; table_[i] != 0; i = (i + 1) & mask) {
    const std::uint32_t n = table_[i] - 1;
    if (hashes_[n] != hash) continue;
    const ExprNode& node = nodes_[n];
    if (node.op == op && node.fn == fn && node.count == a.size() &&
        (a.empty() ? node.first == payload : std::equal(a.begin(), a.end(), args_.begin() + node.first)))
      return NodeId{n};
  }
  ExprNode node{op, fn, static_cast<std::uint32_t>(a.size()), payload};
  std::uint32_t depth = 0;
  for (NodeId x : a) depth = std::max(depth, depths_[x.value] + 1);
  if (!a.empty()) node.first = store(a);
  nodes_.push_back(node);
  hashes_.push_back(hash);
  depths_.push_back(depth);
  table_[i] = static_cast<std::uint32_t>(nodes_.size());
  return NodeId{nodes_.size() - 1};
}

std::span<const NodeId> Exprs::args(NodeId n) const {
  const ExprNode& node = nodes_[n.value];
  return node.count == 0 ? std::span<const NodeId>{} : std::span<const NodeId>{args_.data() + node.first, node.count};
}

const Rational& Exprs::literal_value(NodeId n) const { return literals_[nodes_[n.value].first].value; }
const Rational* Exprs::if_literal(NodeId n) const {
  return nodes_[n.value].op == ExprOp::literal ? &literals_[nodes_[n.value].first].value : nullptr;
}

NodeId Exprs::literal(const Rational& r) {
  const std::uint64_t hash = combine(0x11, kron::content_hash(r));
  if (!table_.empty()) {  // equal literals share a node: look before storing the number
    const std::size_t mask = table_.size() - 1;
    for (std::size_t i = hash & mask; table_[i] != 0; i = (i + 1) & mask) {
      const NodeId n{table_[i] - 1};
      if (hashes_[n.value] == hash && nodes_[n.value].op == ExprOp::literal && same(literal_value(n), r)) return n;
    }
  }
  const auto v = small_integer(r);
  literals_.push_back({r, v && std::abs(*v) <= 1 ? static_cast<int>(*v) : 2});
  return intern(ExprOp::literal, Fn{}, static_cast<std::uint32_t>(literals_.size() - 1), {}, hash);
}

NodeId Exprs::operand(Operand o) {
  std::uint64_t h = o.bits;
  if (o.kind() == OperandKind::constant) {  // by value: ids follow the session
    const ConstantValue& c = constant(ConstId{o.index()});
    h = combine(0x22, c.is_pi ? 0x9e : c.hash);
  }
  return intern(ExprOp::operand, Fn{}, o.bits, {}, combine(0x12, h));
}

NodeId Exprs::placeholder(std::uint32_t k) { return intern(ExprOp::placeholder, Fn{}, k, {}, combine(0x13, k)); }

namespace {
std::uint64_t node_hash(ExprOp op, Fn fn, std::initializer_list<std::uint64_t> args) {
  std::uint64_t h = combine(static_cast<std::uint64_t>(op) + 0x100, static_cast<std::uint64_t>(fn));
  for (std::uint64_t a : args) h = combine(h, a);
  return h;
}
}  // namespace

NodeId Exprs::add(NodeId a, NodeId b) {
  if (is(a, 0)) return b;
  if (is(b, 0)) return a;
  if (const Rational *x = if_literal(a), *y = if_literal(b); x && y)
    if (Rational r = *x + *y; small(r)) return literal(r);
  if (nodes_[b.value].op == ExprOp::neg) return sub(a, args(b)[0]);
  const NodeId n[] = {a, b};
  return intern(ExprOp::add, Fn{}, 0, n, node_hash(ExprOp::add, Fn{}, {hashes_[a.value], hashes_[b.value]}));
}

NodeId Exprs::sub(NodeId a, NodeId b) {
  if (is(b, 0)) return a;
  if (is(a, 0)) return neg(b);
  if (a == b) return literal(0);
  if (const Rational *x = if_literal(a), *y = if_literal(b); x && y)
    if (Rational r = *x - *y; small(r)) return literal(r);
  if (nodes_[b.value].op == ExprOp::neg) return add(a, args(b)[0]);
  const NodeId n[] = {a, b};
  return intern(ExprOp::sub, Fn{}, 0, n, node_hash(ExprOp::sub, Fn{}, {hashes_[a.value], hashes_[b.value]}));
}

NodeId Exprs::mul(NodeId a, NodeId b) {
  if (is(a, 0) || is(b, 0)) return literal(0);
  if (is(a, 1)) return b;
  if (is(b, 1)) return a;
  if (is(a, -1)) return neg(b);
  if (is(b, -1)) return neg(a);
  if (const Rational *x = if_literal(a), *y = if_literal(b); x && y)
    if (Rational r = *x * *y; small(r)) return literal(r);
  const NodeId n[] = {a, b};
  return intern(ExprOp::mul, Fn{}, 0, n, node_hash(ExprOp::mul, Fn{}, {hashes_[a.value], hashes_[b.value]}));
}

NodeId Exprs::div(NodeId a, NodeId b) {
  if (is(b, 1)) return a;
  if (is(b, -1)) return neg(a);
  if (!is(b, 0)) {
    if (is(a, 0)) return a;
    if (const Rational *x = if_literal(a), *y = if_literal(b); x && y)
      if (Rational r = *x / *y; small(r)) return literal(r);
  }
  const NodeId n[] = {a, b};
  return intern(ExprOp::div, Fn{}, 0, n, node_hash(ExprOp::div, Fn{}, {hashes_[a.value], hashes_[b.value]}));
}

NodeId Exprs::neg(NodeId a) {
  if (const Rational* x = if_literal(a)) return literal(-*x);
  const ExprNode& node = nodes_[a.value];
  if (node.op == ExprOp::neg) return args(a)[0];
  if (node.op == ExprOp::sub) return sub(args(a)[1], args(a)[0]);
  const NodeId n[] = {a};
  return intern(ExprOp::neg, Fn{}, 0, n, node_hash(ExprOp::neg, Fn{}, {hashes_[a.value]}));
}

namespace {
// x^k where it is defined and of moderate size.
std::optional<Rational> power(const Rational& x, std::int64_t k) {
  if (std::abs(k) > 512 || (k < 0 && x.is_zero()) || !small(x)) return std::nullopt;
  const auto n = static_cast<unsigned>(std::abs(k));
  if (n > 16 && msb(abs(numerator(x)) + denominator(x)) * n >= 2048) return std::nullopt;
  const Rational r(boost::multiprecision::pow(numerator(x), n), boost::multiprecision::pow(denominator(x), n));
  if (!small(r)) return std::nullopt;
  return k < 0 ? Rational(1 / r) : r;
}
}  // namespace

NodeId Exprs::pow(NodeId a, NodeId b) {
  if (is(b, 1) || is(a, 1)) return a;
  if (is(b, 0)) return literal(1);
  if (const Rational *x = if_literal(a), *y = if_literal(b); x && y)
    if (const auto k = small_integer(*y))
      if (const auto r = power(*x, *k)) return literal(*r);
  const NodeId n[] = {a, b};
  return intern(ExprOp::pow, Fn{}, 0, n, node_hash(ExprOp::pow, Fn{}, {hashes_[a.value], hashes_[b.value]}));
}

namespace {
// Value of a call on literals where it is exact; functions with irrational values stay.
std::optional<Rational> fold(Fn fn, const std::vector<const Rational*>& a) {
  auto truth = [](bool b) { return Rational(b ? 1 : 0); };
  auto floor_of = [](const Rational& r) {
    Integer q = numerator(r) / denominator(r);
    if (r < 0 && denominator(r) != 1) q -= 1;
    return Rational(q);
  };
  switch (fn) {
    case Fn::lt: return truth(*a[0] < *a[1]);
    case Fn::le: return truth(*a[0] <= *a[1]);
    case Fn::eq: return truth(*a[0] == *a[1]);
    case Fn::and_: return truth(*a[0] != 0 && *a[1] != 0);
    case Fn::or_: return truth(*a[0] != 0 || *a[1] != 0);
    case Fn::not_: return truth(*a[0] == 0);
    case Fn::abs: return *a[0] < 0 ? Rational(-*a[0]) : *a[0];
    case Fn::sign: return Rational(*a[0] < 0 ? -1 : *a[0] > 0 ? 1 : 0);
    case Fn::min: return *a[0] < *a[1] ? *a[0] : *a[1];
    case Fn::max: return *a[0] < *a[1] ? *a[1] : *a[0];
    case Fn::floor: return floor_of(*a[0]);
    case Fn::ceil: return Rational(-floor_of(Rational(-*a[0])));
    case Fn::div:
      if (*a[1] == 0) return std::nullopt;
      return Rational(numerator(Rational(*a[0] / *a[1])) / denominator(Rational(*a[0] / *a[1])));
    case Fn::mod:
      if (*a[1] == 0) return std::nullopt;
      return Rational(*a[0] - floor_of(Rational(*a[0] / *a[1])) * *a[1]);
    case Fn::rem: {
      if (*a[1] == 0) return std::nullopt;
      const Rational q = *a[0] / *a[1];
      return Rational(*a[0] - Rational(numerator(q) / denominator(q)) * *a[1]);
    }
    case Fn::no_event: case Fn::homotopy: return *a[0];
    case Fn::sin: case Fn::tan: case Fn::asin: case Fn::atan: case Fn::sinh: case Fn::tanh: case Fn::sqrt:
      if (*a[0] == 0) return Rational(0);
      return fn == Fn::sqrt && *a[0] == 1 ? std::optional<Rational>(1) : std::nullopt;
    case Fn::cos: case Fn::cosh: case Fn::exp:
      return *a[0] == 0 ? std::optional<Rational>(1) : std::nullopt;
    case Fn::log: case Fn::log10:
      return *a[0] == 1 ? std::optional<Rational>(0) : std::nullopt;
    default: return std::nullopt;
  }
}
}  // namespace

NodeId Exprs::call(Fn fn, std::span<const NodeId> a) {
  if (fn == Fn::select) {
    if (nodes_[a[0].value].op == ExprOp::literal) return is(a[0], 0) ? a[2] : a[1];
    if (a[1] == a[2]) return a[1];
  }
  std::vector<const Rational*> values;
  for (NodeId n : a)
    if (const Rational* r = if_literal(n)) values.push_back(r);
  if (values.size() == a.size() && !a.empty())
    if (auto r = fold(fn, values); r && small(*r)) return literal(*r);
  std::uint64_t hash = node_hash(ExprOp::call, fn, {});
  for (NodeId n : a) hash = combine(hash, hashes_[n.value]);
  return intern(ExprOp::call, fn, 0, a, hash);
}

NodeId Exprs::make(ExprOp op, Fn fn, std::span<const NodeId> a) {
  switch (op) {
    case ExprOp::add: return add(a[0], a[1]);
    case ExprOp::sub: return sub(a[0], a[1]);
    case ExprOp::mul: return mul(a[0], a[1]);
    case ExprOp::div: return div(a[0], a[1]);
    case ExprOp::neg: return neg(a[0]);
    case ExprOp::pow: return pow(a[0], a[1]);
    default: return call(fn, a);
  }
}

void Exprs::clear() { *this = Exprs{}; }

// ---- printing -----------------------------------------------------------------------------------------------------------

namespace {

// How tightly a text holds together: choice and logic -1, relation 0, sum 1, product 2, power 3, one word 4.
int precedence(const Exprs& e, NodeId n) {
  switch (e[n].op) {
    case ExprOp::add: case ExprOp::sub: case ExprOp::neg: return 1;
    case ExprOp::mul: case ExprOp::div: return 2;
    case ExprOp::pow: return 3;
    case ExprOp::call:
      switch (e[n].fn) {
        case Fn::lt: case Fn::le: case Fn::eq: return 0;
        case Fn::and_: case Fn::or_: case Fn::not_: case Fn::select: return -1;
        default: return 4;
      }
    default: return 4;
  }
}

// Of a leaf: a constant may print as "-2" or "1/3", a relation that makes events as "x < 1".
int precedence(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    const std::string_view rest = text.substr(i, 3);
    if (depth == 0 && (rest == " < " || rest == " <=" || rest == " ==")) return 0;
  }
  return text.starts_with('-') ? 1 : text.find('/') != std::string_view::npos ? 2 : 4;
}

const char* infix(Fn fn) {
  switch (fn) {
    case Fn::lt: return " < ";
    case Fn::le: return " <= ";
    case Fn::eq: return " == ";
    case Fn::and_: return " and ";
    case Fn::or_: return " or ";
    default: return nullptr;
  }
}

// Recursion by explicit work list: texts and nodes still to print.
struct Work {
  bool is_text = true;
  std::string text;
  NodeId node;
  int level = -2;
};

void expand(const Exprs& e, NodeId n, std::vector<Work>& out) {
  auto text = [&](std::string s) { out.push_back({true, std::move(s), {}, 0}); };
  auto node = [&](NodeId a, int level) { out.push_back({false, {}, a, level}); };
  const auto a = e.args(n);
  switch (e[n].op) {
    case ExprOp::add: node(a[0], 1); text(" + "); node(a[1], 2); return;
    case ExprOp::sub: node(a[0], 1); text(" - "); node(a[1], 2); return;
    case ExprOp::mul: node(a[0], 2); text("*"); node(a[1], 3); return;
    case ExprOp::div: node(a[0], 2); text("/"); node(a[1], 3); return;
    case ExprOp::neg: text("-"); node(a[0], 2); return;
    case ExprOp::pow: node(a[0], 4); text("^"); node(a[1], 4); return;
    default: break;
  }
  if (const char* op = infix(e[n].fn)) {
    const int level = precedence(e, n) + 1;
    node(a[0], level); text(op); node(a[1], level);
    return;
  }
  if (e[n].fn == Fn::not_) { text("not "); node(a[0], 1); return; }
  if (e[n].fn == Fn::select) {
    text("if "); node(a[0], 0); text(" then "); node(a[1], 0); text(" else "); node(a[2], 0);
    return;
  }
  if (e[n].fn == Fn::history) { node(a[1], 0); return; }  // its place is written as the delay
  text(std::string(info(e[n].fn).text.empty() ? info(e[n].fn).id : info(e[n].fn).text) + "(");
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (i > 0) text(", ");
    node(a[i], -2);
  }
  text(")");
}

}  // namespace

std::string print(const Exprs& e, NodeId root, const std::function<std::string(const ExprNode&)>& leaf) {
  constexpr std::size_t longest = 1'000'000;  // shared parts are written out each time: the text may be exponential
  std::string out;
  std::vector<Work> stack = {{false, {}, root, -2}}, parts;
  while (!stack.empty()) {
    if (out.size() > longest) return out + "...";
    const Work w = std::move(stack.back());
    stack.pop_back();
    if (w.is_text) { out += w.text; continue; }
    const ExprNode& node = e[w.node];
    const bool is_leaf = node.op == ExprOp::operand || node.op == ExprOp::placeholder;
    if (is_leaf || node.op == ExprOp::literal) {
      const std::string s = is_leaf ? leaf(node) : to_text(e.literal_value(w.node));
      out += precedence(s) < w.level ? "(" + s + ")" : s;
      continue;
    }
    const bool brackets = precedence(e, w.node) < w.level;
    parts.clear();
    if (brackets) parts.push_back({true, "(", {}, 0});
    expand(e, w.node, parts);
    if (brackets) parts.push_back({true, ")", {}, 0});
    stack.insert(stack.end(), std::make_move_iterator(parts.rbegin()), std::make_move_iterator(parts.rend()));
  }
  return out;
}

}  // namespace kron::model
