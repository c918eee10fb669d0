#include "engine/model/form.hpp"

#include <algorithm>
#include <cassert>
#include <deque>
#include <string_view>
#include <unordered_map>

#include "engine/base/small.hpp"
#include "engine/model/affine.hpp"
#include "engine/model/algebra.hpp"
#include "engine/model/invert.hpp"

namespace kron::model {
namespace {

struct FormInfo {
  NodeId root;
  std::uint32_t arity = 0;
  bool normal = false;  // placeholders numbered by first occurrence, none left out
  std::optional<FormId> unmarked;
  std::optional<std::vector<std::uint32_t>> occurring;
  std::optional<std::vector<std::uint32_t>> residues;  // placeholders inside residue(…), ascending
  std::vector<std::optional<bool>> only_relaxed;       // by placeholder
  std::optional<std::optional<IntegerRow>> integer_row;
  std::optional<LongSum> sum;
  std::vector<std::optional<Linear>> linear;
  std::vector<std::optional<std::optional<Isolated>>> isolated;
  std::vector<std::optional<NodeId>> partial;
};

// From how many placeholders on a sum is taken apart: below, n answers of n steps cost less than the parts.
constexpr std::uint32_t long_sum = 64;

bool is_mark(Fn fn) { return fn == Fn::relax || fn == Fn::residue || fn == Fn::no_event || fn == Fn::homotopy; }

}  // namespace

struct Forms::Data {
  Exprs exprs;
  std::deque<FormInfo> forms;   // references stay valid while it grows
  std::vector<bool> has_marks;  // by form: it is asked of every equation, several times
  std::unordered_map<NodeId, FormId> by_root;
  std::unordered_map<NodeId, std::vector<std::uint32_t>> placeholders;
  struct Special { FormId form; std::vector<std::uint32_t> order; };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  std::unordered_map<std::string, Special, TextHash, std::equal_to<>> specialised, derivatives;

  // Scratch of intern(): the image of each node of the source pool, the placeholder of each constant; valid where the stamp is `now`.
  struct Image { std::uint32_t stamp = 0; NodeId node; };
  struct Visit { NodeId node; std::uint32_t next = 0; };
  std::vector<Image> image;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> constant_number;  // stamp, placeholder
  std::uint32_t now = 0;
  std::vector<Visit> stack;
  std::vector<NodeId> arguments;

  FormInfo& info(FormId f) { return forms[f.value]; }

  FormId append(NodeId root, std::uint32_t arity) {
    FormInfo f;
    f.root = root;
    f.arity = arity;
    f.linear.resize(arity);
    f.isolated.resize(arity);
    f.partial.resize(arity);
    forms.push_back(std::move(f));
    has_marks.push_back(false);
    return FormId{forms.size() - 1};
  }

  FormId add(NodeId root) {
    auto [it, is_new] = by_root.try_emplace(root, FormId{forms.size()});
    if (!is_new) return it->second;
    std::uint32_t arity = 0;
    bool marks = false, normal = true;
    for (NodeId n : postorder(exprs, root)) {
      if (exprs[n].op == ExprOp::placeholder) {
        const std::uint32_t k = exprs.placeholder_of(n);
        normal = normal && k == arity;
        arity = std::max(arity, k + 1);
      }
      marks = marks || (exprs[n].op == ExprOp::call && is_mark(exprs[n].fn));
    }
    append(root, arity);
    has_marks.back() = marks;
    forms.back().normal = normal;
    return it->second;
  }

  // Placeholders in order of first occurrence (left to right, depth first).
  std::vector<std::uint32_t> occurrence(NodeId root) const {
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
    return add(substitute(exprs, exprs, root, [&](NodeId n) { return exprs.placeholder(number.at(exprs.placeholder_of(n))); }));
  }

  // What stands in several places, and cancels out: x - x, as in the sum of a node where one part gives what another takes. A variable that a row
  // holds in vain would be matched with it. Of long sums those with integer factors alone.
  NodeId without_cancelled(NodeId n, std::span<const Replacement> with) {
    std::vector<std::uint32_t> all, several;
    for (const Replacement& r : with)
      if (r.placeholder >= 0) all.push_back(static_cast<std::uint32_t>(r.placeholder));
    std::ranges::sort(all);
    for (std::size_t k = 1; k < all.size(); ++k)
      if (all[k] == all[k - 1] && (several.empty() || several.back() != all[k])) several.push_back(all[k]);
    constexpr std::size_t few = 8;
    if (several.size() <= few && with.size() <= few * few) {
      for (std::uint32_t k : several)
        if (const Linear l = split(n, k); l.linear && exprs.is(simplify(exprs, l.coefficient), 0)) n = l.rest;
      return n;
    }
    const auto row = several.empty() ? std::nullopt : read_integer_row(exprs, n, all.back() + 1);
    if (!row || std::ranges::none_of(several, [&](std::uint32_t k) { return row->coefficient[k] == 0; })) return n;
    NodeId sum = exprs.literal(Rational(row->constant));
    for (std::uint32_t k = 0; k < row->coefficient.size(); ++k)
      if (const std::int64_t c = row->coefficient[k]; c != 0) sum = exprs.add(sum, exprs.mul(exprs.literal(Rational(c)), exprs.placeholder(k)));
    return sum;
  }

  NodeId import(const Exprs& from, NodeId root, std::vector<Operand>& operands);
  NodeId import_leaf(const Exprs& from, NodeId, std::vector<Operand>& operands);
  NodeId import_constant(ConstId, const Rational*, std::vector<Operand>& operands);

  std::span<const std::uint32_t> sorted_placeholders(NodeId);
  bool depends(NodeId, std::uint32_t k);
  bool is_only_relaxed(NodeId root, std::uint32_t k);

  Linear split(NodeId root, std::uint32_t k) {
    if (const auto a = read_affine(exprs, root, k)) return {true, a->first, a->second};
    if (const auto a = degree_one(exprs, root, k)) return {true, a->first, a->second};
    return {};
  }
  // The form as a long sum, and the term of it that alone holds the placeholder.
  std::optional<std::size_t> only_term(FormInfo& f, std::uint32_t k) {
    if (f.arity < long_sum) return std::nullopt;
    if (!f.sum) f.sum.emplace(exprs, f.root, f.arity);
    return f.sum->only(k);
  }
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

// A pool holds each operand once, and so meets each once; only constants may come twice, as literal and as operand.
NodeId Forms::Data::import_constant(ConstId c, const Rational* value, std::vector<Operand>& operands) {
  if (value != nullptr)
    if (const auto v = small_integer(*value); v && std::abs(*v) <= 1) return exprs.literal(*value);
  if (constant_number.size() <= c.value) constant_number.resize(c.value + 1, {0, 0});
  auto& [stamp, number] = constant_number[c.value];
  if (stamp != now) {
    stamp = now;
    number = static_cast<std::uint32_t>(operands.size());
    operands.push_back(Operand::constant(c));
  }
  return exprs.placeholder(number);
}

NodeId Forms::Data::import_leaf(const Exprs& from, NodeId n, std::vector<Operand>& operands) {
  if (const Rational* r = from.if_literal(n)) return import_constant(constant_id(*r), r, operands);
  assert(from[n].op == ExprOp::operand);
  const Operand o = from.operand_of(n);
  if (o.kind() == OperandKind::constant) {
    const ConstantValue& c = constant(ConstId{o.index()});
    return import_constant(ConstId{o.index()}, c.is_pi ? nullptr : &c.value, operands);
  }
  operands.push_back(o);
  return exprs.placeholder(static_cast<std::uint32_t>(operands.size() - 1));
}

NodeId Forms::Data::import(const Exprs& from, NodeId root, std::vector<Operand>& operands) {
  if (image.size() < from.size()) image.resize(from.size());
  ++now;
  // A literal exponent stays a literal; the same literal may be a bound constant elsewhere.
  const auto is_exponent = [&](NodeId n, std::size_t argument) {
    return argument == 1 && from[n].op == ExprOp::pow && from[from.args(n)[1]].op == ExprOp::literal;
  };
  stack.assign(1, {root, 0});
  while (!stack.empty()) {
    Visit& v = stack.back();
    const NodeId n = v.node;
    const auto args = from.args(n);
    if (v.next < args.size()) {
      const std::uint32_t i = v.next++;
      if (!is_exponent(n, i) && image[args[i].value].stamp != now) stack.push_back({args[i], 0});
      continue;
    }
    stack.pop_back();
    arguments.clear();
    for (std::size_t i = 0; i < args.size(); ++i)
      arguments.push_back(is_exponent(n, i) ? exprs.literal(from.literal_value(args[i])) : image[args[i].value].node);
    const bool is_leaf = args.empty() && from[n].op != ExprOp::call;
    image[n.value] = {now, is_leaf ? import_leaf(from, n, operands) : exprs.make(from[n].op, from[n].fn, arguments)};
  }
  return image[root.value].node;
}

Bound Forms::intern(const Exprs& from, NodeId root) {
  Data& d = *data_;
  Bound bound;
  const NodeId image = d.import(from, root, bound.operands);
  if (auto it = d.by_root.find(image); it != d.by_root.end() && d.info(it->second).normal) {
    bound.form = it->second;
    bound.operands.resize(d.info(bound.form).arity);
    return bound;
  }
  std::vector<std::uint32_t> order;
  bound.form = d.normalise(image, order);
  std::vector<Operand> kept;
  for (std::uint32_t i : order) kept.push_back(bound.operands[i]);
  bound.operands = std::move(kept);
  return bound;
}

// ---- symbolic results -------------------------------------------------------------------------------------------------------

bool Forms::has_marks(FormId f) const { return data_->has_marks[f.value]; }

FormId Forms::unmarked(FormId f) {
  if (!data_->has_marks[f.value]) return f;
  if (auto u = data_->info(f).unmarked) return *u;
  Exprs& e = data_->exprs;
  std::unordered_map<NodeId, NodeId> done;
  std::vector<NodeId> a;
  for (NodeId n : postorder(e, root(f))) {
    a.clear();
    for (NodeId x : e.args(n)) a.push_back(done.at(x));
    const ExprNode node = e[n];
    NodeId r = n;
    if (node.op == ExprOp::call && is_mark(node.fn)) r = node.fn == Fn::residue ? e.literal(0) : a[0];
    else if (!a.empty()) r = e.make(node.op, node.fn, a);
    done.emplace(n, r);
  }
  // The placeholders keep their numbers, so that the operands of f fit; where some are gone it is a form of its own.
  const NodeId root = done.at(this->root(f));
  FormId u = data_->add(root);
  if (!data_->info(u).normal || arity(u) != arity(f)) u = data_->append(root, arity(f));
  data_->info(f).unmarked = u;
  return u;
}

const std::optional<IntegerRow>& Forms::integer_row(FormId f) {
  FormInfo& info = data_->info(unmarked(f));
  if (!info.integer_row) info.integer_row = read_integer_row(data_->exprs, info.root, info.arity);
  return *info.integer_row;
}

const Linear& Forms::linear(FormId f, std::uint32_t k) {
  FormInfo& info = data_->info(unmarked(f));
  auto& known = info.linear[k];
  if (known) return *known;
  if (const auto i = data_->only_term(info, k)) {
    Linear l = data_->split(info.sum->term(*i), k);
    if (l.linear) {
      l.coefficient = info.sum->with_sign(data_->exprs, *i, l.coefficient);
      l.rest = info.sum->replaced(data_->exprs, *i, l.rest);
    }
    known = l;
  } else {
    known = data_->split(info.root, k);
  }
  return *known;
}

NodeId Forms::partial(FormId f, std::uint32_t k) {
  const FormId u = unmarked(f);
  FormInfo& info = data_->info(u);
  if (info.partial[k]) return *info.partial[k];
  Exprs& e = data_->exprs;
  const auto by_k = [&, p = e.placeholder(k), one = e.literal(1), zero = e.literal(0)](NodeId n) {
    return simplify(e, differentiate(e, n, [&](NodeId leaf) { return leaf == p ? one : zero; }));
  };
  NodeId d;
  if (const auto& row = integer_row(u)) d = e.literal(row->coefficient[k]);
  else if (const Linear& l = linear(u, k); l.linear) d = l.coefficient;
  else if (const auto i = data_->only_term(info, k)) d = info.sum->with_sign(e, *i, by_k(info.sum->term(*i)));
  else d = by_k(info.root);
  info.partial[k] = d;
  return d;
}

const std::optional<Isolated>& Forms::isolate(FormId f, std::uint32_t k) {
  const FormId u = unmarked(f);
  FormInfo& info = data_->info(u);
  if (info.isolated[k]) return *info.isolated[k];
  Exprs& e = data_->exprs;
  std::optional<Isolated> result;
  if (const Linear l = linear(u, k); !l.linear) {
    result = invert(e, info.root, e.placeholder(k));
  } else if (!e.is(l.coefficient, 0)) {
    const Rational* c = e.if_literal(l.coefficient);
    const bool negative = e[l.coefficient].op == ExprOp::neg || (c && *c < 0);
    result.emplace();
    result->value = negative ? e.div(l.rest, e.neg(l.coefficient)) : e.div(e.neg(l.rest), l.coefficient);
    if (!c) result->divisors.push_back(l.coefficient);
  }
  info.isolated[k] = std::move(result);
  return *info.isolated[k];
}

std::span<const std::uint32_t> Forms::Data::sorted_placeholders(NodeId n) {
  if (auto it = placeholders.find(n); it != placeholders.end()) return it->second;
  auto list = occurrence(n);
  std::sort(list.begin(), list.end());
  return placeholders.emplace(n, std::move(list)).first->second;
}

bool Forms::Data::depends(NodeId n, std::uint32_t k) {
  const auto list = sorted_placeholders(n);
  return std::binary_search(list.begin(), list.end(), k);
}

std::span<const std::uint32_t> Forms::placeholders(NodeId n) { return data_->sorted_placeholders(n); }
bool Forms::depends_on(NodeId n, std::uint32_t k) { return data_->depends(n, k); }

std::span<const std::uint32_t> Forms::occurring(FormId f) {
  FormInfo& info = data_->info(f);
  if (!info.occurring) {
    const auto list = placeholders(root(unmarked(f)));
    info.occurring.emplace(list.begin(), list.end());
  }
  return *info.occurring;
}

bool Forms::Data::is_only_relaxed(NodeId root, std::uint32_t k) {
  const Exprs& e = exprs;
  bool relaxed = false, outside = false;
  std::unordered_map<NodeId, bool> reached = {{root, true}};  // without entering a mark
  const auto order = postorder(e, root);
  for (auto it = order.rbegin(); it != order.rend(); ++it) {  // users before their arguments
    const NodeId n = *it;
    if (!reached[n]) continue;
    outside = outside || (e[n].op == ExprOp::placeholder && e.placeholder_of(n) == k);
    if (e[n].op == ExprOp::call && (e[n].fn == Fn::relax || e[n].fn == Fn::residue)) {
      relaxed = relaxed || (e[n].fn == Fn::relax && depends(n, k));
      continue;
    }
    for (NodeId a : e.args(n)) reached[a] = true;
  }
  return relaxed && !outside;
}

bool Forms::has_residue(FormId f, std::uint32_t k) {
  FormInfo& info = data_->info(f);
  if (!data_->has_marks[f.value]) return false;
  if (!info.residues) {
    const Exprs& e = data_->exprs;
    std::vector<std::uint32_t> list;
    for (NodeId n : postorder(e, info.root))
      if (e[n].op == ExprOp::call && e[n].fn == Fn::residue) {
        const auto inside = placeholders(n);
        list.insert(list.end(), inside.begin(), inside.end());
      }
    std::sort(list.begin(), list.end());
    info.residues = std::move(list);
  }
  return std::binary_search(info.residues->begin(), info.residues->end(), k);
}

bool Forms::only_relaxed(FormId f, std::uint32_t k) {
  FormInfo& i = data_->info(f);
  if (!data_->has_marks[f.value]) return false;
  if (i.only_relaxed.empty()) i.only_relaxed.resize(i.arity);
  if (!i.only_relaxed[k]) i.only_relaxed[k] = data_->depends(i.root, k) && data_->is_only_relaxed(i.root, k);
  return *i.only_relaxed[k];
}

FormId Forms::specialise(FormId f, std::span<const Replacement> with, std::vector<std::uint32_t>& order) {
  Small<char, 128> key;
  key.append(reinterpret_cast<const char*>(&f.value), sizeof f.value);
  for (const Replacement& r : with) {
    key.append(reinterpret_cast<const char*>(&r.placeholder), sizeof r.placeholder);
    key.push_back(static_cast<char>(r.sign));
    key.push_back(static_cast<char>(r.literal));
  }
  const std::string_view text(key.data(), key.size());
  auto it = data_->specialised.find(text);
  if (it == data_->specialised.end()) {
    Exprs& e = data_->exprs;
    NodeId n = substitute(e, e, root(f), [&](NodeId leaf) {
      const Replacement& r = with[e.placeholder_of(leaf)];
      if (r.placeholder < 0) return e.literal(r.literal);
      const NodeId p = e.placeholder(static_cast<std::uint32_t>(r.placeholder));
      return r.sign < 0 ? e.neg(p) : p;
    });
    n = data_->without_cancelled(n, with);
    Data::Special s;
    s.form = data_->normalise(n, s.order);
    it = data_->specialised.emplace(text, std::move(s)).first;
  }
  order = it->second.order;
  return it->second.form;
}

Bound Forms::time_derivative(FormId f, std::span<const Operand> operands,
                             const std::function<bool(Operand)>& is_constant) {
  Exprs& e = data_->exprs;
  const std::uint32_t n = arity(f);
  std::string key(reinterpret_cast<const char*>(&f.value), sizeof f.value);
  for (Operand o : operands) {  // what each placeholder's derivative is: 1, an operand, or 0
    const bool moves = o.kind() == OperandKind::value && !is_constant(o);
    assert(!moves || o.order() < max_order);
    key += o.kind() == OperandKind::time ? 't' : moves ? 'd' : '0';
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
