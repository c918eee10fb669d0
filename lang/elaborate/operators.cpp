// Operators on arrays of nodes, with the shapes that Modelica gives them.
#include <cctype>
#include <cmath>

#include "lang/elaborate/evaluator.hpp"
#include "lang/elaborate/shaping.hpp"

namespace kron::elaborate {
using model::ExprOp;
using syntax::Operator;

namespace {

Value like(const Value& a, const Value& b, Sizes sizes) {
  Value v;
  v.sizes = std::move(sizes);
  v.variability = std::max(a.variability, b.variability);
  v.type = a.type == ValueType::integer && b.type == ValueType::integer ? ValueType::integer : ValueType::real;
  return v;
}

[[noreturn]] void shapes(Evaluator& e, const Value& a, const Value& b, Span s, const char* op, std::string help = {}) {
  e.c.report.fail("E0220", s,
                  std::string("the shapes do not fit `") + op + "`: " + shape_text(a.sizes) + " and " + shape_text(b.sizes),
                  std::move(help));
}

NodeId apply(model::Exprs& p, Operator o, NodeId a, NodeId b) {
  switch (o) {
    case Operator::add: return p.add(a, b);
    case Operator::sub: return p.sub(a, b);
    case Operator::mul: case Operator::elem_mul: return p.mul(a, b);
    case Operator::div: case Operator::elem_div: return p.div(a, b);
    default: return p.pow(a, b);
  }
}

// One operand for every element of the other where one is a scalar.
Value each(Evaluator& e, Operator o, const Value& a, const Value& b, Span s) {
  if (!a.sizes.empty() && !b.sizes.empty() && !(a.sizes == b.sizes)) shapes(e, a, b, s, text_of(o));
  Value v = like(a, b, a.sizes.empty() ? b.sizes : a.sizes);
  const std::size_t n = a.sizes.empty() ? b.nodes.size() : a.nodes.size();
  v.nodes.reserve(n);
  for (std::size_t i = 0; i < n; ++i)
    v.nodes.push_back(apply(e.c.pool, o, a.nodes[a.sizes.empty() ? 0 : i], b.nodes[b.sizes.empty() ? 0 : i]));
  return v;
}

Dimension power_dimension(Evaluator& e, const Value& base, const Value& exponent, Span s) {
  check_dimensionless(e, exponent, s, "^");
  if (base.dimension.state == Dimension::State::unknown) return base.dimension;
  const Rational* r = exponent.nodes.size() == 1 ? e.c.pool.if_literal(exponent.nodes[0]) : nullptr;
  if (r != nullptr) return power(base.dimension, *r);
  return base.dimension.is_one() || base.dimension == Dimension::flexible() ? base.dimension : Dimension{};
}

Value sum_like(Evaluator& e, Operator o, const Value& a, const Value& b, Span s) {
  if (!(a.sizes == b.sizes)) {
    const bool one = a.sizes.empty() != b.sizes.empty();
    shapes(e, a, b, s, text_of(o), one ? "to use a number for every element write `fill(x, n)`" : "");
  }
  Value v = each(e, o, a, b, s);
  if (units_agree(e, a, b, s, text_of(o))) v.dimension = either(a.dimension, b.dimension);
  else v.dimension = {};
  v.counting = a.counting == b.counting ? a.counting : Counting::none;
  return v;
}

// Row times column, for every pair: n x k times k x m.
Value matrix_product(Evaluator& e, const Value& a, const Value& b, std::size_t n, std::size_t k, std::size_t m, Sizes sizes) {
  Value v = like(a, b, std::move(sizes));
  model::Exprs& p = e.c.pool;
  v.nodes.reserve(n * m);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < m; ++j) {
      NodeId sum = p.literal(0);
      for (std::size_t l = 0; l < k; ++l) sum = p.add(sum, p.mul(a.nodes[i * k + l], b.nodes[l * m + j]));
      v.nodes.push_back(sum);
    }
  return v;
}

Value multiplied(Evaluator& e, const Value& a, const Value& b, Span s) {
  if (a.sizes.empty() || b.sizes.empty()) {
    Value v = each(e, Operator::mul, a, b, s);
    return v;
  }
  const std::size_t ra = a.rank(), rb = b.rank();
  if (ra > 2 || rb > 2 || a.sizes[ra - 1] != b.sizes[0]) {
    const bool both_vectors = ra == 2 && rb == 2 && a.sizes == b.sizes;
    shapes(e, a, b, s, "*", both_vectors ? "element by element it is `.*`" : "");
  }
  const std::size_t k = b.sizes[0], n = ra == 2 ? a.sizes[0] : 1, m = rb == 2 ? b.sizes[1] : 1;
  Sizes sizes;
  if (ra == 2) sizes.push_back(a.sizes[0]);
  if (rb == 2) sizes.push_back(b.sizes[1]);
  if (static_cast<double>(n) * static_cast<double>(m) * static_cast<double>(k) > static_cast<double>(max_elements))
    e.c.report.fail("E0227", s, "this product has too many terms");
  return matrix_product(e, a, b, n, k, m, std::move(sizes));
}

Value matrix_power(Evaluator& e, const Value& a, const Value& b, Span s) {
  if (a.rank() != 2 || a.sizes[0] != a.sizes[1]) shapes(e, a, b, s, "^", "element by element it is `.^`");
  const Rational* r = b.is_scalar() ? e.c.pool.if_literal(b.nodes[0]) : nullptr;
  const auto n = r != nullptr ? small_integer(*r) : std::nullopt;
  if (!n || *n < 0 || *n > 64) e.c.report.fail("E0224", s, "the power of a matrix must be a whole number from 0 to 64");
  const std::size_t k = a.sizes[0];
  Value v = a;
  for (std::size_t i = 0; i < k * k; ++i) v.nodes[i] = e.c.pool.literal(i / k == i % k ? 1 : 0);
  for (std::int64_t i = 0; i < *n; ++i) v = matrix_product(e, v, a, k, k, k, a.sizes);
  v.dimension = power(a.dimension, Rational(*n));
  return v;
}

}  // namespace

const char* text_of(Operator o) {
  switch (o) {
    case Operator::add: return "+";
    case Operator::sub: return "-";
    case Operator::mul: return "*";
    case Operator::div: return "/";
    case Operator::pow: return "^";
    case Operator::elem_mul: return ".*";
    case Operator::elem_div: return "./";
    case Operator::elem_pow: return ".^";
    case Operator::lt: return "<";
    case Operator::le: return "<=";
    case Operator::gt: return ">";
    case Operator::ge: return ">=";
    case Operator::eq: return "==";
    case Operator::ne: return "!=";
    default: return "?";
  }
}

Value scalar_value(NodeId n, ValueType t, Variability var) {
  Value v;
  v.type = t;
  v.variability = var;
  v.nodes.push_back(n);
  return v;
}

Value literal_value(Context& c, const Rational& r, ValueType t) { return scalar_value(c.pool.literal(r), t); }

Value boolean_value(Context& c, bool b) {
  Value v = scalar_value(c.pool.literal(b ? 1 : 0), ValueType::boolean);
  v.dimension = Dimension::one();
  return v;
}

Value text_value(std::string text) {
  Value v;
  v.type = ValueType::string;
  v.texts = std::make_shared<const std::vector<std::string>>(1, std::move(text));
  return v;
}

Value to_value(Context& c, const Known& k) {
  Value v = k.shape;
  v.nodes.clear();
  v.nodes.reserve(k.numbers.size());
  for (const Rational& r : k.numbers) v.nodes.push_back(c.pool.literal(r));
  return v;
}

// An Integer goes where a Real does; all else keeps to its own type.
bool same_kind(const Value& a, const Value& b) {
  if (a.record && b.record) return same_record(*a.record, *b.record);
  return (a.is_number() && b.is_number()) || (!a.record && !b.record && a.type == b.type && a.enumeration == b.enumeration);
}

void promote(Value& v, const Value& other) {
  v.variability = std::max(v.variability, other.variability);
  if (v.type == ValueType::integer && other.type == ValueType::real) v.type = ValueType::real;
}

void check_numeric(Evaluator& e, const Value& v, Span s, const char* what) {
  if (v.is_number()) return;
  const std::string own = std::string_view(what).find_first_of(" `") == std::string_view::npos ? "`" + std::string(what) + "`" : what;
  if (v.record) e.c.report.fail("E0221", s, own + " needs numbers, and this is a record `" + type_text(v) + "`");
  std::string help;
  if (v.type == ValueType::boolean) help = "a number that follows a Boolean is written `if b then 1 else 0`";
  if (v.type == ValueType::enumeration) help = "a number that follows a choice is written `if s == S.A then 1 else 0`";
  e.c.report.fail("E0221", s, own + " needs numbers, and this is of type `" + type_text(v) + "`", help);
}

void check_dimensionless(Evaluator& e, const Value& v, Span s, const char* what) {
  if (e.mode != Mode::normal || e.free_units || !v.dimension.is_known() || v.dimension.is_one() || !e.c.report.first("W0201", s)) return;
  const std::string argument = what[0] == '^' ? "an exponent" : "the argument of `" + std::string(what) + "`";
  auto& d = e.c.report.warning("W0201", s, argument + " is a number, and this is in " + dimension_text(v.dimension));
  d.help = "divide it by a quantity in " + dimension_text(v.dimension);
}

bool units_agree(Evaluator& e, const Value& a, const Value& b, Span s, const char* what) {
  if (e.mode != Mode::normal || e.free_units) return true;
  if (clash(a.dimension, b.dimension)) {
    if (e.c.report.first("W0201", s)) {
      const std::string l = dimension_text(a.dimension), r = dimension_text(b.dimension);
      const bool named = std::isalpha(static_cast<unsigned char>(what[0])) != 0;
      const std::string sides = named ? "the units that `" + std::string(what) + "` brings together" : "the units on the two sides of `" + std::string(what) + "`";
      auto& d = e.c.report.warning("W0201", s, sides + " differ: " + l + " and " + r);
      d.label = named ? l + " and " + r : l + " " + what + " " + r;
    }
    return false;
  }
  const bool both = a.counting != Counting::none && b.counting != Counting::none;
  if (both && a.counting != b.counting && e.c.report.first("W0202", s)) {
    auto& d = e.c.report.warning("W0202", s, "Hz counts turns and rad/s counts radians: they differ by a factor 2*pi");
    d.help = "write `2*pi*f` for the angular speed of a frequency f";
  }
  return true;
}

Value negated(Evaluator& e, const Value& a, Span s) {
  check_numeric(e, a, s, "`-`");
  Value v = a;
  for (NodeId& n : v.nodes) n = e.c.pool.neg(n);
  return v;
}

Value transposed(Evaluator& e, const Value& a, Span s) {
  if (a.rank() == 0) {
    e.c.report.fail("E0238", s, "`'` transposes a matrix, and this is a scalar", "the derivative of x is written `der(x)`");
  }
  if (a.rank() != 2) e.c.report.fail("E0220", s, "`'` transposes a matrix, and this is " + shape_text(a.sizes));
  Value v = a;
  std::swap(v.sizes[0], v.sizes[1]);
  const std::size_t n = a.sizes[0], m = a.sizes[1];
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < m; ++j) v.nodes[j * n + i] = a.nodes[i * m + j];
  return v;
}

Value arithmetic(Evaluator& e, Operator o, const Value& a, const Value& b, Span s) {
  if (o == Operator::add && a.texts && b.texts && a.is_scalar() && b.is_scalar()) return text_value((*a.texts)[0] + (*b.texts)[0]);
  check_numeric(e, a, s, text_of(o));
  check_numeric(e, b, s, text_of(o));
  Value v;
  switch (o) {
    case Operator::add: case Operator::sub: return sum_like(e, o, a, b, s);
    case Operator::mul: v = multiplied(e, a, b, s); break;
    case Operator::elem_mul: v = each(e, o, a, b, s); break;
    case Operator::div:
      if (!b.sizes.empty()) shapes(e, a, b, s, "/", "element by element it is `./`");
      [[fallthrough]];
    case Operator::elem_div:
      v = each(e, o, a, b, s);
      v.type = ValueType::real;
      v.dimension = quotient(a.dimension, b.dimension);
      return v;
    case Operator::pow:
      if (!a.sizes.empty() || !b.sizes.empty()) return matrix_power(e, a, b, s);
      [[fallthrough]];
    default:
      v = each(e, o, a, b, s);
      v.dimension = power_dimension(e, a, b, s);
      return v;
  }
  v.dimension = product(a.dimension, b.dimension);
  if (a.dimension.state == Dimension::State::flexible && e.c.pool.if_literal(a.nodes.size() ? a.nodes[0] : NodeId{})) v.counting = b.counting;
  return v;
}

Value dot_product(Evaluator& e, const Value& a, const Value& b, Span s) {
  if (a.rank() != 1 || !(a.sizes == b.sizes)) shapes(e, a, b, s, "dot");
  return arithmetic(e, Operator::mul, a, b, s);
}

namespace {
// Sine or cosine of a number that is a multiple of a right angle but for rounding: 0, 1 or -1.
std::optional<int> at_right_angle(Context& c, Fn fn, NodeId n) {
  if (fn != Fn::sin && fn != Fn::cos) return std::nullopt;
  const auto number = number_of(c, n);
  const std::optional<int> turns = number ? right_angles(to_double(*number)) : std::nullopt;
  if (!turns) return std::nullopt;
  constexpr int sine[] = {0, 1, 0, -1};
  return sine[(*turns + (fn == Fn::cos ? 1 : 0)) & 3];
}
}  // namespace

Value mapped(Evaluator& e, Fn fn, const Value& a, Span s) {
  check_numeric(e, a, s, std::string(info(fn).text).c_str());
  Value v = a;
  for (NodeId& n : v.nodes) {
    const auto exact = e.mode == Mode::shape ? at_right_angle(e.c, fn, n) : std::nullopt;
    n = exact ? e.c.pool.literal(*exact) : e.c.pool.call(fn, {n});
  }
  v.counting = Counting::none;
  return v;
}

Value selected(Evaluator& e, const Value& condition, const Value& a, const Value& b, Span s) {
  if (!same_kind(a, b)) e.c.report.fail("E0221", s, "the branches of this `if` differ in type: `" + type_text(a) + "` and `" + type_text(b) + "`");
  if (a.type == ValueType::string) e.c.report.fail("E0221", s, "a String cannot depend on a condition that changes while the model runs");
  if (!(a.sizes == b.sizes)) shapes(e, a, b, s, "if");
  Value v = a;
  promote(v, b);
  promote(v, condition);
  for (std::size_t i = 0; i < v.nodes.size(); ++i)
    v.nodes[i] = a.nodes[i] == b.nodes[i] ? a.nodes[i] : e.c.pool.call(Fn::select, {condition.nodes[0], a.nodes[i], b.nodes[i]});
  v.dimension = units_agree(e, a, b, s, "if") ? either(a.dimension, b.dimension) : Dimension{};
  if (a.counting != b.counting) v.counting = Counting::none;
  return v;
}

namespace {
[[noreturn]] void unlike(Evaluator& e, const Value& a, const Value& b, Span s) {
  e.c.report.fail("E0221", s, "elements of one array must have one type: `" + type_text(a) + "` and `" + type_text(b) + "`");
}
}  // namespace

Value stacked(Evaluator& e, std::vector<Value> list, Span s) {
  Value v;
  if (list.empty()) {
    v.sizes.push_back(0);
    return v;
  }
  v = list.front();
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value& x = list[i];
    if (!same_kind(v, x)) unlike(e, v, x, s);
    if (!(x.sizes == list.front().sizes)) shapes(e, list.front(), x, s, "{ }", "all elements of an array need the same sizes");
    if (x.texts) texts.insert(texts.end(), x.texts->begin(), x.texts->end());
    if (i == 0) continue;
    promote(v, x);
    v.dimension = either(v.dimension, x.dimension);
    if (v.counting != x.counting) v.counting = Counting::none;
    v.nodes.append(x.nodes);
  }
  v.sizes = joined(Sizes{static_cast<std::uint32_t>(list.size())}, list.front().sizes);
  if (v.texts) v.texts = std::make_shared<const std::vector<std::string>>(std::move(texts));
  return v;
}

// Rank at least `dimension` + 1 (missing trailing dimensions are 1); the others must agree.
Value concatenated(Evaluator& e, const std::vector<Value>& list, std::size_t dimension, Span s) {
  std::size_t rank = dimension + 1;
  for (const Value& v : list) rank = std::max(rank, v.rank());
  std::vector<Value> parts = list;
  std::uint64_t total = 0;
  for (Value& v : parts) {
    while (v.sizes.size() < rank) v.sizes.push_back(1);
    for (std::size_t d = 0; d < rank; ++d)
      if (d != dimension && v.sizes[d] != parts.front().sizes[d]) shapes(e, parts.front(), v, s, "[ ]", "joined blocks must agree in their other sizes");
    if (!same_kind(v, parts.front()) || v.record) unlike(e, parts.front(), v, s);
    total += v.sizes[dimension];
  }
  Value r = parts.front();
  r.sizes[dimension] = static_cast<std::uint32_t>(total);
  std::size_t outer = 1;
  for (std::size_t d = 0; d < dimension; ++d) outer *= r.sizes[d];
  r.nodes.clear();
  for (std::size_t o = 0; o < outer; ++o)
    for (const Value& v : parts) {
      const std::size_t n = v.nodes.size() / std::max<std::size_t>(outer, 1);
      r.nodes.append(v.nodes.data() + o * n, n);
    }
  for (const Value& v : parts) {
    promote(r, v);
    r.dimension = either(r.dimension, v.dimension);
  }
  return r;
}

}  // namespace kron::elaborate
