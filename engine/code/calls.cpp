// Builder::call: functions, their simplifications and their fingerprints.
#include <algorithm>
#include <array>
#include <map>

#include "engine/code/fold.hpp"
#include "engine/code/tables.hpp"

namespace kron::code {
namespace {

bool is_truth(const Node& n) {  // its value is 0 or 1
  if (n.op != Op::call) return false;
  return n.fn == Fn::lt || n.fn == Fn::le || n.fn == Fn::eq || n.fn == Fn::and_ || n.fn == Fn::or_ || n.fn == Fn::not_;
}

bool is_odd(Fn fn) {
  switch (fn) {
    case Fn::sin:
    case Fn::tan:
    case Fn::asin:
    case Fn::atan:
    case Fn::sinh:
    case Fn::tanh:
    case Fn::sign:
      return true;
    default:
      return false;
  }
}
bool is_even(Fn fn) { return fn == Fn::cos || fn == Fn::cosh || fn == Fn::abs; }

// numerator * n / d where that is a whole number of moderate size
std::optional<std::int64_t> scaled(std::int64_t coefficient, const Rational& by) {
  const auto top = small_integer(Rational(numerator(by))), bottom = small_integer(Rational(denominator(by)));
  if (!top || !bottom) return std::nullopt;
  __extension__ using Wide = __int128;
  const Wide product = static_cast<Wide>(coefficient) * *top;
  if (product % *bottom != 0) return std::nullopt;
  const Wide r = product / *bottom;
  constexpr Wide limit = Wide{1} << 52;  // 256 such terms still add up in 64 bits
  if (r > limit || r < -limit) return std::nullopt;
  return static_cast<std::int64_t>(r);
}

Fingerprint signed_value(Ref r, std::span<const Fingerprint> values) {
  const Fingerprint v = values[r.node()];
  return r.negative() ? -v : v;
}

// The value of r as a linear form, following sums and products with rational constants, latest node first so that each
// is met once; a sum too large to be followed keeps its remaining parts as atoms.
LinearForm linear_form(const Builder& b, Ref r, std::span<const Fingerprint> values) {
  constexpr int largest_walk = 64;
  LinearForm form;
  std::map<std::uint32_t, std::int64_t, std::greater<>> pending;
  pending[r.node()] = r.negative() ? -LinearForm::denominator : LinearForm::denominator;
  for (int walked = 0; !pending.empty(); ++walked) {
    const auto [index, coefficient] = *pending.begin();
    pending.erase(pending.begin());
    const Node& n = b.nodes()[index];
    const auto child = [&](Ref c, std::int64_t k) { pending[c.node()] += c.negative() ? -k : k; };
    if (n.op == Op::constant) {
      const Constant& c = b.constants()[n.payload];
      if (c.is_pi)
        form.add_pi(coefficient);
      else if (const auto k = scaled(coefficient, c.value))
        form.add(value_of_key(0x3000, 1), *k);
      else
        form.add(values[index], coefficient);
      continue;
    }
    if (walked < largest_walk && n.op == Op::add) {
      child(n.a, coefficient);
      child(n.b, coefficient);
      continue;
    }
    if (walked < largest_walk && n.op == Op::mul) {
      const bool first = b.is_constant(n.a);
      const auto q = b.rational_of(first ? n.a : n.b);
      const auto k = q ? scaled(coefficient, *q) : std::nullopt;
      if (k) {
        child(first ? n.b : n.a, *k);
        continue;
      }
    }
    form.add(values[index], coefficient);
  }
  return form;
}

}  // namespace

Fingerprint call_value(const Builder& b, Fn fn, std::span<const Ref> args, std::span<const Fingerprint> values, Exponentials& e) {
  const auto half = [] {
    static const Fingerprint h = inverse({2, 2});
    return h;
  };
  switch (fn) {
    case Fn::sin:
      return e.circle(linear_form(b, args[0], values)).sin;
    case Fn::cos:
      return e.circle(linear_form(b, args[0], values)).cos;
    case Fn::tan: {
      const Exponentials::Circle c = e.circle(linear_form(b, args[0], values));
      if (kron::code::is_zero(c.cos)) break;  // tan(pi/2): not a number of the field
      return c.sin * inverse(c.cos);
    }
    case Fn::sqrt:  // of a number; of others the root's sign would be a guess
      if (const auto x = b.rational_of(args[0]); x && *x > 0)
        if (const auto root = value_of_root(*x)) return *root;
      break;
    case Fn::exp:
      return e.exponential(linear_form(b, args[0], values));
    case Fn::sinh:
    case Fn::cosh:
    case Fn::tanh: {
      const Fingerprint x = e.exponential(linear_form(b, args[0], values)), y = inverse(x);
      if (fn == Fn::sinh) return (x - y) * half();
      if (fn == Fn::cosh) return (x + y) * half();
      return kron::code::is_zero(x + y) ? Fingerprint{} : (x - y) * inverse(x + y);
    }
    default:
      break;
  }
  std::vector<Fingerprint> of_arguments;
  of_arguments.reserve(args.size());
  for (Ref r : args) of_arguments.push_back(signed_value(r, values));
  return value_of_call(fn, of_arguments);
}

std::optional<Ref> Builder::fold_call(Fn fn, std::span<const Ref> args) {
  if (fn == Fn::lt || fn == Fn::le || fn == Fn::eq) {  // of a difference that is a constant
    const Fingerprint d = fingerprint(args[0]) - fingerprint(args[1]);
    const std::uint32_t found = tables_->table.find(d, tables_->values);
    if (found == ValueTable::absent) return std::nullopt;
    const Ref difference = with_sign(Ref{found << 1}, tables_->values[found] != d);
    const Constant* c = constant_of(difference);
    if (c == nullptr || c->is_pi) return std::nullopt;
    const int sign = (c->number != 0 ? (c->number > 0 ? 1 : -1) : c->value.sign()) * (difference.negative() ? -1 : 1);
    const bool holds = fn == Fn::lt ? sign < 0 : fn == Fn::le ? sign <= 0 : sign == 0;
    return holds ? one : zero;
  }
  std::vector<Rational> values;
  for (Ref r : args) {
    const auto q = rational_of(r);
    if (!q) return std::nullopt;
    values.push_back(*q);
  }
  const auto folded = fold(fn, values);
  if (!folded) return std::nullopt;
  return constant(*folded);
}

namespace {
// A choice whose condition is known: 0, 1 or another rational.
std::optional<Ref> chosen(const Builder& b, std::span<const Ref> v) {
  if (v[1] == v[2]) return v[1];
  if (const auto c = b.rational_of(v[0])) return *c != 0 ? v[1] : v[2];
  return std::nullopt;
}

std::optional<Ref> logic(const Builder& b, Fn fn, std::span<const Ref> v) {
  if (fn == Fn::not_) {
    const Node& n = b.nodes()[v[0].node()];
    if (n.op == Op::call && n.fn == Fn::not_ && is_truth(b.nodes()[n.a.node()]) && !n.a.negative()) return n.a;
    return std::nullopt;
  }
  if (v[0] == v[1] && is_truth(b.nodes()[v[0].node()])) return v[0];
  for (int i : {0, 1}) {
    const auto c = b.rational_of(v[static_cast<std::size_t>(i)]);
    const Ref other = v[static_cast<std::size_t>(1 - i)];
    if (!c) continue;
    if ((*c != 0) == (fn == Fn::or_)) return fn == Fn::or_ ? one : zero;
    if (is_truth(b.nodes()[other.node()])) return other;
  }
  return std::nullopt;
}
}  // namespace

// Calls that need no node of their own, and those whose sign moves to the Ref.
std::optional<Ref> Builder::simplify_call(Fn fn, std::span<const Ref> v) {
  switch (fn) {
    case Fn::no_event:
    case Fn::relax:
    case Fn::homotopy:
      return v[0];
    case Fn::residue:
    case Fn::initial:
    case Fn::terminal:
      return zero;
    case Fn::select: {
      if (const auto r = chosen(*this, v)) return r;
      const Node c = nodes_[v[0].node()];
      if (c.op == Op::call && c.fn == Fn::not_) return call(fn, {c.a, v[2], v[1]});
      const bool minus = (is_zero(v[1]) || v[1].negative()) && (is_zero(v[2]) || v[2].negative());
      if (minus) return -call(fn, {v[0], -v[1], -v[2]});
      return std::nullopt;
    }
    case Fn::and_:
    case Fn::or_:
    case Fn::not_:
      return logic(*this, fn, v);
    case Fn::min:
    case Fn::max:
      if (v[0] == v[1]) return v[0];
      if (v[0].negative() && v[1].negative()) return -call(fn == Fn::min ? Fn::max : Fn::min, {-v[0], -v[1]});
      return std::nullopt;
    case Fn::mod:
    case Fn::rem:
    case Fn::div:
      if (is_zero(v[1])) return divided_by_zero();
      if (is_zero(v[0])) return zero;
      if (fn == Fn::mod && v[0].negative() && v[1].negative()) return -call(fn, {-v[0], -v[1]});
      if (fn == Fn::mod || !(v[0].negative() || v[1].negative())) return std::nullopt;
      return with_sign(call(fn, {positive(v[0]), positive(v[1])}),
                       v[0].negative() != (fn == Fn::div && v[1].negative()));
    case Fn::floor:
      if (v[0].negative()) return -call(Fn::ceil, {-v[0]});
      return std::nullopt;
    case Fn::ceil:
      if (v[0].negative()) return -call(Fn::floor, {-v[0]});
      return std::nullopt;
    case Fn::atan2:
      if (v[0].negative()) return -call(fn, {-v[0], v[1]});
      return std::nullopt;
    default:
      break;
  }
  if (v.size() == 1 && v[0].negative() && is_odd(fn)) return -call(fn, {-v[0]});
  if (v.size() == 1 && v[0].negative() && is_even(fn)) return call(fn, {-v[0]});
  return std::nullopt;
}

Ref Builder::call_made(Fn fn, std::span<const Ref> args, Fingerprint value) {
  Node node{.op = Op::call, .fn = fn};
  for (Ref r : args) node.section = std::max(node.section, section(r));
  const std::size_t before = nodes_.size();
  std::vector<Ref>& more = tables_->arguments;
  const bool in_node = info(fn).arity == 1 || info(fn).arity == 2;
  if (in_node) {
    node.a = args[0];
    if (args.size() > 1) node.b = args[1];
  } else {
    node.payload = static_cast<std::uint32_t>(more.size());
    node.b.bits = static_cast<std::uint32_t>(args.size());
    more.insert(more.end(), args.begin(), args.end());
  }
  const Ref r = find_or_make(node, value);
  if (!in_node && nodes_.size() == before) more.resize(node.payload);
  return r;
}

// The root of a number: where another one is known whose number differs from it by a square, it is a multiple of that one. Their values in
// the fields may differ in sign, as a square has two roots there and none of them is the positive one.
Ref Builder::root_of_number(Ref arg, const Rational& x) {
  const std::uint64_t characters = quadratic_characters(x);
  for (const Tables::Root& known : tables_->roots)
    if (known.characters == characters)
      if (const auto times = exact_root(x / known.of)) return mul(constant(*times), Ref{known.node << 1});
  const Ref r = call_made(Fn::sqrt, {&arg, 1}, call_value(*this, Fn::sqrt, {&arg, 1}, tables_->values, tables_->exponentials));
  if (!r.negative() && nodes_[r.node()].fn == Fn::sqrt) tables_->roots.push_back({x, characters, r.node()});
  return r;
}

Ref Builder::call(Fn fn, std::span<const Ref> args) {
  if (const auto r = simplify_call(fn, args)) return *r;
  if (const auto r = fold_call(fn, args)) return *r;
  if (const auto x = fn == Fn::sqrt ? rational_of(args[0]) : std::nullopt; x && *x > 0) return root_of_number(args[0], *x);
  return call_made(fn, args, call_value(*this, fn, args, tables_->values, tables_->exponentials));
}

}  // namespace kron::code
