#include "engine/code/tape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/base/waiting.hpp"
#include "engine/code/common_factor.hpp"
#include "engine/code/fold.hpp"
#include "engine/code/tables.hpp"

namespace kron::code {
namespace {
constexpr Ref ref(std::uint32_t node, bool negative = false) { return Ref{node << 1 | (negative ? 1u : 0u)}; }
}  // namespace

Builder::Builder() : tables_(std::make_unique<Tables>()) {
  for (std::int64_t n : {0, 1}) {
    make_constant({Rational(n), false, static_cast<double>(n)}, value_of(n));
  }
}
Builder::~Builder() = default;
Builder::Builder(const Builder& o)
    : nodes_(o.nodes_),
      constants_(o.constants_),
      inputs_(o.inputs_),
      steps_(o.steps_),
      exact_bits_(o.exact_bits_),
      tables_(std::make_unique<Tables>(*o.tables_)) {}
Builder& Builder::operator=(const Builder& o) {
  if (this != &o) *this = Builder(o);
  return *this;
}
Builder::Builder(Builder&&) noexcept = default;
Builder& Builder::operator=(Builder&&) noexcept = default;

void Builder::expect(std::size_t nodes) {
  nodes_.reserve(nodes);
  tables_->values.reserve(nodes);
  tables_->table.expect(nodes, tables_->values);
}

// ---- value numbering ------------------------------------------------------------------------------------------------

Ref Builder::make(const Node& node, Fingerprint value) {
  const auto n = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(node);
  tables_->values.push_back(value);
  if (const std::uint32_t old = tables_->table.put(n, tables_->values); old != ValueTable::absent)
    tables_->shadows.emplace_back(n, old);
  return ref(n);
}

// The node that has this value already, unless it is of a later section than the new one would be; else the new node.
Ref Builder::find_or_make(const Node& node, Fingerprint value) {
  if (kron::code::is_zero(value)) return zero;
  const ValueTable::Found found = tables_->table.look(value, tables_->values);
  if (found.node != ValueTable::absent && nodes_[found.node].section <= node.section)
    return ref(static_cast<std::uint32_t>(found.node), tables_->values[found.node] != value);
  if (found.node != ValueTable::absent) return make(node, value);
  nodes_.push_back(node);
  tables_->values.push_back(value);
  const auto n = static_cast<std::uint32_t>(nodes_.size() - 1);
  tables_->table.put_new(n, found, tables_->values);
  constexpr std::uint32_t seldom = 64;
  if (n % seldom == 0) still_wanted();
  return ref(n);
}

bool Builder::made(Fingerprint value) { return tables_->table.find(value, tables_->values) != ValueTable::absent; }

Fingerprint Builder::fingerprint(Ref r) const {
  const Fingerprint v = tables_->values[r.node()];
  return r.negative() ? -v : v;
}

Fingerprint Builder::inverse_value(Ref r) {
  const Fingerprint v = fingerprint(r);
  // Of all tapes of this thread: the next one is often of the same model.
  thread_local std::vector<std::pair<Fingerprint, Fingerprint>> inverses(1u << 14);
  auto& entry = inverses[ValueTable::hash(v) >> 50];
  if (entry.first != v) entry = {v, inverse(v)};
  return entry.second;
}

Ref Builder::divided_by_zero() {
  // A node all the same, so that a caller who does not ask gets an infinite value and a named failure, never a wrong
  // one.
  const auto n = static_cast<std::uint32_t>(nodes_.size());
  if (!tables_->problem) tables_->problem = n;
  return make({.op = Op::inv, .a = zero}, value_of_key(0xd1f0, n));
}

std::optional<std::string> Builder::problem() const {
  if (!tables_->problem) return std::nullopt;
  return "division by an identical zero";
}

void Builder::rewind(std::size_t size) {
  Tables& t = *tables_;
  size = std::max<std::size_t>(size, 2);
  if (const std::size_t gone = nodes_.size() - std::min(size, nodes_.size()); gone > size && gone > t.table.slots() / 16)
    return refill({size, steps_.size()});  // fewer to enter than to take out
  while (nodes_.size() > size) {
    const auto n = static_cast<std::uint32_t>(nodes_.size() - 1);
    const Node& node = nodes_.back();
    std::uint32_t shadowed = ValueTable::absent;
    if (!t.shadows.empty() && t.shadows.back().first == n) {
      shadowed = t.shadows.back().second;
      t.shadows.pop_back();
    }
    t.table.take_out(n, t.values[n], shadowed);
    if (node.op == Op::constant) {
      constants_.pop_back();
      t.constant_nodes.pop_back();
    }
    if (node.op == Op::input) {
      inputs_.pop_back();
      t.input_nodes.pop_back();
    }
    if (node.op == Op::call && arguments(node).size() > 2) t.arguments.resize(node.payload);
    nodes_.pop_back();
    t.values.pop_back();
  }
  while (!t.roots.empty() && t.roots.back().node >= nodes_.size()) t.roots.pop_back();
  if (t.problem && *t.problem >= nodes_.size()) t.problem.reset();
}

void Builder::cut(End end) {
  tables_->next_input = 0;
  if (end.steps == steps_.size()) rewind(end.nodes);
  else refill(end);  // a step behind the end may have hidden values
}

// Shortens the lists, and enters what is left.
void Builder::refill(End end) {
  Tables& t = *tables_;
  const auto shorten = [](auto& list, std::size_t size) { list.erase(list.begin() + static_cast<std::ptrdiff_t>(size), list.end()); };
  const auto before_end = [&](auto& nodes) {
    shorten(nodes, static_cast<std::size_t>(std::ranges::lower_bound(nodes, end.nodes) - nodes.begin()));
    return nodes.size();
  };
  std::size_t arguments = 0;
  for (std::size_t k = t.arguments.empty() ? 0 : end.nodes; k-- > 0 && arguments == 0;)  // the last one tells
    if (const Node& n = nodes_[k]; n.op == Op::call && this->arguments(n).size() > 2) arguments = n.payload + n.b.bits;
  shorten(constants_, before_end(t.constant_nodes));
  shorten(inputs_, before_end(t.input_nodes));
  shorten(t.arguments, arguments);
  shorten(nodes_, end.nodes);
  shorten(steps_, end.steps);
  shorten(t.values, end.nodes);
  while (!t.shadows.empty() && t.shadows.back().first >= end.nodes) t.shadows.pop_back();
  while (!t.roots.empty() && t.roots.back().node >= end.nodes) t.roots.pop_back();
  t.table.fill(t.values);
  if (t.problem && *t.problem >= end.nodes) t.problem.reset();
}

// ---- leaves ---------------------------------------------------------------------------------------------------------

Ref Builder::make_constant(Constant c, Fingerprint print) {
  constants_.push_back(std::move(c));
  const Ref r = make({.op = Op::constant, .payload = static_cast<std::uint32_t>(constants_.size() - 1)}, print);
  tables_->constant_nodes.push_back(r.node());
  return r;
}

Ref Builder::exact_constant(const Rational& value, Fingerprint print) {
  const bool minus = value < 0;
  if (minus) print = -print;
  const std::uint32_t found = tables_->table.find(print, tables_->values);
  if (found != ValueTable::absent && nodes_[found].op == Op::constant) return ref(found, minus);
  return with_sign(make_constant({minus ? Rational(-value) : value, false, std::fabs(to_double(value))}, print), minus);
}

Ref Builder::small_constant(std::int64_t n) {
  if (n == 0) return zero;
  const Fingerprint print = value_of(n < 0 ? -n : n);
  const std::uint32_t found = tables_->table.find(print, tables_->values);
  if (found != ValueTable::absent && nodes_[found].op == Op::constant) return ref(found, n < 0);
  return exact_constant(Rational(n), value_of(n));
}

Ref Builder::constant(const Rational& value) {
  if (const auto n = small_integer(value)) return small_constant(*n);
  return exact_constant(value, value_of(value));
}

// Its fingerprint is known: found without a division in the fields.
Ref Builder::constant(const Rational& value, Fingerprint print) {
  if (const auto n = small_integer(value)) return small_constant(*n);
  return exact_constant(value, print);
}

Ref Builder::constant(double x) {
  if (x == std::floor(x) && std::fabs(x) < 0x1p53) return small_constant(static_cast<std::int64_t>(x));
  if (!std::isfinite(x)) return divided_by_zero();
  int e = 0;
  const auto m = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &e), 53));
  return exact_constant(exact(x), value_of_dyadic(m, e - 53));
}

Ref Builder::pi() {
  const Fingerprint print = value_of_pi();
  const std::uint32_t found = tables_->table.find(print, tables_->values);
  if (found != ValueTable::absent && nodes_[found].op == Op::constant) return ref(found);
  return make_constant({Rational(0), true, std::numbers::pi}, print);
}

Ref Builder::input(InputKind kind, std::uint32_t index, std::uint64_t key) {
  Tables& t = *tables_;
  if (t.next_input < inputs_.size() && inputs_[t.next_input] == Input{kind, index, key}) return ref(t.input_nodes[t.next_input++]);
  const bool early = kind == InputKind::parameter || kind == InputKind::start;
  const Node node{.op = Op::input,
                  .section = early ? Section::parameter : Section::dynamic,
                  .payload = static_cast<std::uint32_t>(inputs_.size())};
  Fingerprint print = value_of_key(0x1000 + static_cast<std::uint64_t>(kind), key);
  for (;;) {
    const Ref r = find_or_make(node, print);
    if (r.node() + 1 == nodes_.size() && nodes_.back().op == Op::input && nodes_.back().payload == inputs_.size()) {
      inputs_.push_back({kind, index, key});
      t.input_nodes.push_back(r.node());
      return r;
    }
    const Node& other = nodes_[r.node()];
    if (other.op == Op::input && inputs_[other.payload].kind == kind && inputs_[other.payload].index == index) return r;
    print = value_of_key(print.a, print.b + index);  // one key for two inputs: the caller's slip must not merge them
  }
}

Ref Builder::unknown(std::uint64_t key, Section section) {
  return find_or_make({.op = Op::unknown, .section = std::max(section, Section::parameter)}, value_of_key(0x2000, key));
}

bool Builder::is_constant(Ref r) const { return nodes_[r.node()].op == Op::constant; }
const Constant* Builder::constant_of(Ref r) const {
  return is_constant(r) ? &constants_[nodes_[r.node()].payload] : nullptr;
}
std::optional<Rational> Builder::rational_of(Ref r) const {
  const Constant* c = constant_of(r);
  if (c == nullptr || c->is_pi) return std::nullopt;
  return r.negative() ? Rational(-c->value) : c->value;
}

std::span<const Ref> Builder::arguments(const Node& n) const {
  switch (n.op) {
    case Op::constant:
    case Op::input:
    case Op::unknown:
      return {};
    case Op::inv:
    case Op::pow_int:
      return {&n.a, 1};
    case Op::add:
    case Op::mul:
    case Op::div:
    case Op::pow:
      return {&n.a, 2};
    case Op::call:
      break;
  }
  const int arity = info(n.fn).arity;
  if (arity == 1 || arity == 2) return {&n.a, static_cast<std::size_t>(arity)};
  return {tables_->arguments.data() + n.payload, n.b.bits};
}

// ---- arithmetic -----------------------------------------------------------------------------------------------------

Ref Builder::add(Ref a, Ref b) {
  if (is_zero(a)) return b;
  if (is_zero(b)) return a;
  if (a == -b) return zero;
  return add_nodes(a, b, fingerprint(a) + fingerprint(b));
}

Ref Builder::add_nodes(Ref a, Ref b, Fingerprint value) {
  if (kron::code::is_zero(value)) return zero;
  if (nodes_[a.node()].op == Op::constant || nodes_[b.node()].op == Op::constant)
    if (const Ref folded = fold_add(a, b); !is_zero(folded)) return folded;
  const ValueTable::Found found = tables_->table.look(value, tables_->values);
  if (found.node != ValueTable::absent && nodes_[found.node].section <= std::max(section(a), section(b)))
    return ref(static_cast<std::uint32_t>(found.node), tables_->values[found.node] != value);
  if (found.node != ValueTable::absent) return plain_sum(a, b, value);
  if (nodes_[a.node()].op == Op::mul && nodes_[b.node()].op == Op::mul) {
    if (const Ref sum = turned(a, b, value); !is_zero(sum)) return sum;
    if (const Ref product = common_factor(*this, a, b); !is_zero(product)) return product;
  }
  const Ref sum = early_apart(a, b, value);
  return is_zero(sum) ? plain_sum(a, b, value) : sum;
}

// (x + p) + q, not made yet, as x + (p + q) where p and q are known before x: what is left to do with x is one sum. Zero: it is no such
// sum.
Ref Builder::early_apart(Ref a, Ref b, Fingerprint value) {
  if (section(a) < section(b)) std::swap(a, b);
  const Node n = nodes_[a.node()];
  if (n.op != Op::add || section(b) == section(a)) return zero;
  for (const auto& [x, p] : {std::pair{n.a, n.b}, std::pair{n.b, n.a}}) {
    if (section(p) == section(a) || is_constant(p)) continue;
    const Ref late = with_sign(x, a.negative()), early = add(with_sign(p, a.negative()), b);
    return is_zero(early) ? late : plain_sum(late, early, value);
  }
  return zero;
}

Ref Builder::plain_sum(Ref a, Ref b, Fingerprint value) {
  const bool turn = a.negative() && b.negative();  // -a - b is -(a + b); -a + b is b - a
  if (turn) a = -a, b = -b, value = -value;
  if (a.negative()) std::swap(a, b);
  const Section section = std::max(this->section(a), this->section(b));
  return with_sign(find_or_make({.op = Op::add, .section = section, .a = a, .b = b}, value), turn);
}

// A sum with a constant; zero (which the sum is not) where nothing can be folded.
Ref Builder::fold_add(Ref a, Ref b) {
  if (!is_constant(a)) std::swap(a, b);
  const auto p = rational_of(a);
  if (!p) return zero;
  if (const auto q = rational_of(b)) return foldable(*p, *q) ? constant(*p + *q, fingerprint(a) + fingerprint(b)) : zero;
  const Node n = nodes_[b.node()];  // c1 + (c2 + x)
  if (n.op != Op::add) return zero;
  if (made(fingerprint(a) + fingerprint(b))) return zero;  // keep what is there
  for (const auto& [c, x] : {std::pair{n.a, n.b}, std::pair{n.b, n.a}})
    if (const auto q = rational_of(with_sign(c, b.negative()))) {
      if (!foldable(*p, *q)) return zero;
      return add(with_sign(x, b.negative()), constant(*p + *q));
    }
  return zero;
}

Ref Builder::mul(Ref a, Ref b) {
  if (is_zero(a) || is_zero(b)) return zero;
  const bool minus = a.negative() != b.negative();
  a = positive(a), b = positive(b);
  if (a == one) return with_sign(b, minus);
  if (b == one) return with_sign(a, minus);
  if (nodes_[a.node()].op == Op::constant || nodes_[b.node()].op == Op::constant)
    if (const Ref folded = fold_mul(a, b); !is_zero(folded)) return with_sign(folded, minus);
  // f*(x + x) as (f + f)*x: twice a sine or cosine serves all that it turns.
  for (const auto& [f, s] : {std::pair{a, b}, std::pair{b, a}})
    if (const Node n = nodes_[s.node()]; n.op == Op::add && n.a == n.b && nodes_[f.node()].op == Op::call && nodes_[n.a.node()].op != Op::call)
      return with_sign(mul(add(f, f), n.a), minus);
  const Section section = std::max(this->section(a), this->section(b));
  const Fingerprint value = tables_->values[a.node()] * tables_->values[b.node()];
  return with_sign(find_or_make({.op = Op::mul, .section = section, .a = a, .b = b}, value), minus);
}

// A product with a constant, neither 0 nor 1; zero where nothing can be folded.
Ref Builder::fold_mul(Ref a, Ref b) {
  if (!is_constant(a)) std::swap(a, b);
  const auto p = rational_of(a);
  if (!p) return zero;
  if (const auto q = rational_of(b)) return foldable(*p, *q) ? constant(*p * *q, fingerprint(a) * fingerprint(b)) : zero;
  const Node n = nodes_[b.node()];  // c1 * (c2 * x)
  if (n.op != Op::mul) return zero;
  if (made(fingerprint(a) * fingerprint(b))) return zero;
  for (const auto& [c, x] : {std::pair{n.a, n.b}, std::pair{n.b, n.a}})
    if (const auto q = rational_of(c)) return foldable(*p, *q) ? mul(constant(*p * *q), x) : zero;
  return zero;
}

Ref Builder::inv(Ref b) {
  if (is_zero(b)) return divided_by_zero();
  if (positive(b) == one) return b;
  const bool minus = b.negative();
  b = positive(b);
  if (const auto q = rational_of(b)) return with_sign(constant(Rational(1) / *q), minus);
  const Node n = nodes_[b.node()];
  if (n.op == Op::inv) return with_sign(n.a, minus);
  if (n.op == Op::div) return with_sign(div(n.b, n.a), minus);
  return with_sign(find_or_make({.op = Op::inv, .section = section(b), .a = b}, inverse_value(b)), minus);
}

Ref Builder::div(Ref a, Ref b) {
  if (is_zero(b)) return divided_by_zero();
  if (is_zero(a)) return zero;
  const bool minus = a.negative() != b.negative();
  a = positive(a), b = positive(b);
  if (b == one) return with_sign(a, minus);
  if (a == one) return with_sign(inv(b), minus);
  if (is_constant(b) && !constant_of(b)->is_pi) return with_sign(mul(a, inv(b)), minus);
  const Fingerprint reciprocal = inverse_value(b), value = fingerprint(a) * reciprocal;
  const Section sa = section(a), sb = section(b);
  const auto found = tables_->table.find(value, tables_->values);
  if (found != ValueTable::absent && nodes_[found].section <= std::max(sa, sb))
    return ref(found, minus != (tables_->values[found] != value));
  if (sb < Section::dynamic && sa == Section::dynamic) return with_sign(mul(a, inv(b)), minus);
  if (nodes_[b.node()].op == Op::inv) return with_sign(mul(a, nodes_[b.node()].a), minus);
  const auto other = tables_->table.find(reciprocal, tables_->values);
  if (other != ValueTable::absent && nodes_[other].op == Op::inv) return with_sign(mul(a, inv(b)), minus);
  return with_sign(make({.op = Op::div, .section = std::max(sa, sb), .a = a, .b = b}, value), minus);
}

Ref Builder::pow_int(Ref a, std::int32_t n) {
  if (n == 0) return one;
  if (n == 1) return a;
  if (is_zero(a)) return n > 0 ? zero : divided_by_zero();
  if (n == -1) return inv(a);
  const bool minus = a.negative() && n % 2 != 0;
  a = positive(a);
  if (a == one) return with_sign(one, minus);
  if (const auto q = rational_of(a))
    if (const auto r = power_of(*q, n)) return with_sign(constant(*r), minus);
  if (n == 2) return mul(a, a);
  const Node node = nodes_[a.node()];
  if (node.op == Op::pow_int) {
    const std::int64_t product = std::int64_t{static_cast<std::int32_t>(node.payload)} * n;
    if (std::abs(product) <= std::numeric_limits<std::int32_t>::max())
      return with_sign(pow_int(node.a, static_cast<std::int32_t>(product)), minus);
  }
  const Fingerprint v = power(n < 0 ? inverse_value(a) : fingerprint(a), std::abs(std::int64_t{n}));
  return with_sign(
      find_or_make({.op = Op::pow_int, .section = section(a), .a = a, .payload = static_cast<std::uint32_t>(n)}, v),
      minus);
}

Ref Builder::pow(Ref a, Ref b) {
  if (is_zero(b) || a == one) return one;
  if (const auto e = rational_of(b)) {
    const Integer top = numerator(*e), bottom = denominator(*e);
    if (bottom == 1 && abs(top) <= std::numeric_limits<std::int32_t>::max())
      return pow_int(a, top.convert_to<std::int32_t>());
    if (bottom == 2 && abs(top) <= 9) return pow_int(call(Fn::sqrt, {a}), top.convert_to<std::int32_t>());
    if (is_zero(a) && *e > 0) return zero;
  }
  return find_or_make({.op = Op::pow, .section = std::max(section(a), section(b)), .a = a, .b = b},
                      value_of_pow(fingerprint(a), fingerprint(b)));
}

Ref Builder::sum(std::span<const Ref> terms) {
  Ref total = zero;
  for (Ref r : terms) total = add(total, r);
  return total;
}

// ---- solve steps ----------------------------------------------------------------------------------------------------

void Builder::add_linear(LinearStep step, std::uint32_t block) {
  Section latest = Section::parameter;
  for (const Entry& e : step.matrix) latest = std::max(latest, section(e.value));
  for (Ref r : step.rhs) latest = std::max(latest, section(r));
  for (std::uint32_t n : step.unknowns) latest = std::max(latest, nodes_[n].section);
  steps_.push_back({.newton = false,
                    .linear = std::move(step),
                    .section = latest,
                    .block = block,
                    .position = static_cast<std::uint32_t>(nodes_.size())});
}

// Takes the nodes from `first` on that depend on a quotient (or on the core's solution) out of value numbering, except plain inverses of values without
// one: 1/x is infinite for everybody where x is 0, but (x y)/x is not. A hidden node gets a value of its own, so that the
// table does not find it; what it had pushed aside comes back.
void Builder::hide_divisions(std::size_t first, std::span<const Ref> pivots) {
  Tables& t = *tables_;
  std::vector<std::uint32_t> older;  // pivots that had an inverse before, perhaps
  for (Ref p : pivots)
    if (p.node() < first) older.push_back(p.node());
  std::sort(older.begin(), older.end());
  std::vector<std::uint8_t> divided(nodes_.size() - first, 0), hidden(nodes_.size() - first, 0);
  const auto is_divided = [&](Ref r) -> bool {
    if (r.node() >= first) return divided[r.node() - first];
    const Node& n = nodes_[r.node()];
    return n.op == Op::inv && std::binary_search(older.begin(), older.end(), n.a.node());
  };
  for (std::size_t n = first; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    const bool plain = node.op == Op::add || node.op == Op::mul;  // as most are
    const bool reads = plain ? is_divided(node.a) || is_divided(node.b) : std::ranges::any_of(arguments(node), is_divided);
    const bool quotient = node.op == Op::inv || node.op == Op::div || node.op == Op::unknown ||  // of the core
                          (node.op == Op::pow_int && static_cast<std::int32_t>(node.payload) < 0);
    divided[n - first] = quotient || reads;
    hidden[n - first] = node.op == Op::inv ? reads : quotient || reads;
    if (!hidden[n - first]) continue;
    const Fingerprint value = t.values[n];
    t.values[n] = value_of_hash(absorb(absorb(0x5000 + n, value.a), value.b));
  }
  for (std::size_t k = t.shadows.size(); k-- > 0 && t.shadows[k].first >= first;) {
    const auto [n, old] = t.shadows[k];
    const bool old_is_hidden = old >= first && hidden[old - first];
    if (hidden[n - first] && !old_is_hidden && !made(t.values[old])) t.table.put(old, t.values);
  }
}

std::vector<Ref> Builder::add_guarded(LinearStep step, std::size_t first, std::span<const Ref> pivots, std::uint32_t block) {
  Section latest = Section::parameter;
  for (const Entry& e : step.matrix) latest = std::max(latest, section(e.value));
  for (Ref r : step.rhs) latest = std::max(latest, section(r));
  std::vector<Fingerprint> prints;
  for (Ref r : step.solution) {
    prints.push_back(fingerprint(r));
    latest = std::max(latest, section(r));
  }
  hide_divisions(first, pivots);
  std::vector<Ref> values;
  step.unknowns.clear();
  for (std::size_t c = 0; c < step.solution.size(); ++c) {
    const std::uint32_t found =
        kron::code::is_zero(prints[c]) ? 0 : tables_->table.find(prints[c], tables_->values);
    const Ref unknown = make({.op = Op::unknown, .section = latest},
                             found == ValueTable::absent ? prints[c] : value_of_key(0x6000, nodes_.size()));
    step.unknowns.push_back(unknown.node());
    values.push_back(found == ValueTable::absent ? unknown
                     : found == 0                ? zero
                                                 : ref(found, tables_->values[found] != prints[c]));
  }
  steps_.push_back({.newton = false,
                    .linear = std::move(step),
                    .section = latest,
                    .block = block,
                    .position = static_cast<std::uint32_t>(nodes_.size())});
  return values;
}

void Builder::add_newton(NewtonStep step, std::uint32_t block) {
  const std::size_t columns = step.unknowns.size();
  step.start.resize(columns, zero);
  step.open.resize(columns, false);
  step.nominal.resize(columns, 1);
  step.minimum.resize(columns, -std::numeric_limits<double>::infinity());
  step.maximum.resize(columns, std::numeric_limits<double>::infinity());
  Section latest = Section::parameter;
  for (const Entry& e : step.jacobian) latest = std::max(latest, section(e.value));
  for (Ref r : step.residual) latest = std::max(latest, section(r));
  for (std::uint32_t n : step.unknowns) latest = std::max(latest, nodes_[n].section);
  steps_.push_back({.newton = true,
                    .nonlinear = std::move(step),
                    .section = latest,
                    .block = block,
                    .position = static_cast<std::uint32_t>(nodes_.size())});
}

}  // namespace kron::code
