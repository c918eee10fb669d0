#include "random_program.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kron::code::test {
namespace {

using Kind = Expression::Kind;
constexpr double eps = 2.3e-16;

constexpr std::array functions{Fn::sin,         Fn::cos,
                               Fn::tan,         Fn::asin,
                               Fn::acos,        Fn::atan,
                               Fn::sinh,        Fn::cosh,
                               Fn::tanh,        Fn::exp,
                               Fn::log,         Fn::log10,
                               Fn::sqrt,        Fn::abs,
                               Fn::sign,        Fn::floor,
                               Fn::ceil,        Fn::atan2,
                               Fn::min,         Fn::max,
                               Fn::mod,         Fn::rem,
                               Fn::div,         Fn::lt,
                               Fn::le,          Fn::eq,
                               Fn::and_,        Fn::or_,
                               Fn::not_,        Fn::select,
                               Fn::no_event,    Fn::relax,
                               Fn::interpolate, Fn::interpolate_slope};

Expression random_call(std::mt19937& random, const auto& any) {
  Expression e{.kind = Kind::call, .fn = functions[random() % functions.size()]};
  const int arity = info(e.fn).arity;
  if (arity > 0) {
    for (int i = 0; i < arity; ++i) e.arguments.push_back(any());
    return e;
  }
  e.arguments.push_back(any());
  for (int i = 0; i < 4; ++i) e.arguments.push_back(i);  // expressions 0..3 are the numbers -1, 0, 1/2, 2
  for (int i = 0; i < 4; ++i) e.arguments.push_back(any());
  return e;
}

void add_block(RandomProgram& p, std::mt19937& random, const auto& any) {
  Block b;
  b.kind = std::array{Block::Kind::newton, Block::Kind::linear, Block::Kind::guarded}[random() % 3];
  const bool guarded = b.kind == Block::Kind::guarded;
  b.size = b.kind == Block::Kind::newton ? 1 : guarded ? 2 : 1 + static_cast<int>(random() % 3);
  for (int i = 0; i < (guarded ? 2 : b.size * b.size); ++i) b.entries.push_back(any());
  for (int i = 0; i < b.size; ++i) b.right.push_back(any());
  const int index = static_cast<int>(p.blocks.size());
  p.blocks.push_back(b);
  for (int c = 0; c < b.size; ++c) p.expressions.push_back({.kind = Kind::unknown, .number = index, .under = c});
}

}  // namespace

RandomProgram make_program(std::mt19937& random, int size, Blocks blocks) {
  RandomProgram p;
  for (auto [n, d] : {std::pair{-1, 1}, {0, 1}, {1, 2}, {2, 1}, {3, 1}})
    p.expressions.push_back({.kind = Kind::number, .number = n, .under = d});
  p.expressions.push_back({.kind = Kind::pi});
  p.expressions.push_back({.kind = Kind::time});
  for (int i = 0; i < RandomProgram::states; ++i) p.expressions.push_back({.kind = Kind::state, .number = i});
  for (int i = 0; i < RandomProgram::parameters; ++i) p.expressions.push_back({.kind = Kind::parameter, .number = i});
  const auto any = [&] { return static_cast<int>(random() % p.expressions.size()); };
  while (static_cast<int>(p.expressions.size()) < size) {
    const int a = any(), b = any();
    switch (random() % 16) {
      case 0:
      case 1:
      case 2:
        p.expressions.push_back({.kind = Kind::add, .arguments = {a, b}});
        break;
      case 3:
      case 4:
        p.expressions.push_back({.kind = Kind::subtract, .arguments = {a, b}});
        break;
      case 5:
      case 6:
      case 7:
        p.expressions.push_back({.kind = Kind::multiply, .arguments = {a, b}});
        break;
      case 8:
        p.expressions.push_back({.kind = Kind::divide, .arguments = {a, b}});
        break;
      case 9:
        p.expressions.push_back({.kind = Kind::negate, .arguments = {a}});
        break;
      case 10:
        p.expressions.push_back({.kind = Kind::power, .number = static_cast<int>(random() % 9) - 3, .arguments = {a}});
        break;
      case 11:
        if (random() % 3 == 0 && blocks == Blocks::some)
          add_block(p, random, any);
        else if (random() % 3 == 0)
          p.expressions.push_back({.kind = Kind::half_power, .arguments = {a, b}});
        break;
      default:
        p.expressions.push_back(random_call(random, any));
        break;
    }
  }
  for (int i = 0; i < 8; ++i) p.roots.push_back(static_cast<int>(p.expressions.size()) - 1 - i);
  return p;
}

// ---- into a Builder

namespace {

Ref build_expression(Built& b, const Expression& e, const std::vector<std::vector<Ref>>& unknowns) {
  Builder& builder = b.builder;
  const auto at = [&](std::size_t i) { return b.refs[static_cast<std::size_t>(e.arguments[i])]; };
  const auto index = static_cast<std::uint32_t>(e.number);
  switch (e.kind) {
    case Kind::number:
      return builder.div(builder.constant(static_cast<double>(e.number)),
                         builder.constant(static_cast<double>(e.under)));
    case Kind::pi:
      return builder.pi();
    case Kind::time:
      return builder.input(InputKind::time, 0, 1);
    case Kind::state:
      return builder.input(InputKind::state, index, 10 + index);
    case Kind::parameter:
      return builder.input(InputKind::parameter, index, 20 + index);
    case Kind::unknown:
      return unknowns[static_cast<std::size_t>(e.number)][static_cast<std::size_t>(e.under)];
    case Kind::add:
      return builder.add(at(0), at(1));
    case Kind::subtract:
      return builder.sub(at(0), at(1));
    case Kind::multiply:
      return builder.mul(at(0), at(1));
    case Kind::divide:
      return builder.div(at(0), at(1));
    case Kind::negate:
      return -at(0);
    case Kind::power:
      return builder.pow_int(at(0), e.number);
    case Kind::half_power:
      return builder.pow(at(0), at(1));
    case Kind::call:
      break;
  }
  std::vector<Ref> arguments;
  for (std::size_t i = 0; i < e.arguments.size(); ++i) arguments.push_back(at(i));
  return builder.call(e.fn, arguments);
}

std::vector<Ref> build_guarded(Built& b, const Block& block, std::uint32_t index) {
  Builder& t = b.builder;
  const auto at = [&](int e) { return b.refs[static_cast<std::size_t>(e)]; };
  const Ref s = t.call(Fn::sin, {at(block.entries[0])}), r = t.call(Fn::sin, {at(block.entries[1])}), six = t.constant(6.0);
  const Ref right[] = {at(block.right[0]), at(block.right[1])};
  LinearStep step{.size = 2, .matrix = {{0, 0, s}, {0, 1, six}, {1, 0, six}, {1, 1, r}}, .rhs = {right[0], right[1]}};
  if (t.is_zero(s)) {  // nothing to divide by
    const Ref u[] = {t.unknown(1000 + 10 * index, Section::dynamic), t.unknown(1001 + 10 * index, Section::dynamic)};
    step.unknowns = {u[0].node(), u[1].node()};
    t.add_linear(std::move(step), index);
    return {u[0], u[1]};
  }
  const std::size_t first = t.size();
  const Ref factor = t.div(six, s), pivot = t.sub(r, t.mul(factor, six));
  const Ref y = t.div(t.sub(right[1], t.mul(factor, right[0])), pivot), x = t.div(t.sub(right[0], t.mul(six, y)), s);
  step.solution = {x, y};
  step.watch = {{Watch::Kind::sum, s, t.constant(1000.0), t.constant(2000.0)}, {Watch::Kind::nonzero, pivot, {}, {}}};
  return t.add_guarded(std::move(step), first, std::array{s, pivot}, index);
}

std::vector<Ref> build_block(Built& b, const Block& block, std::uint32_t index) {
  if (block.kind == Block::Kind::guarded) return build_guarded(b, block, index);
  Builder& builder = b.builder;
  const auto at = [&](int e) { return b.refs[static_cast<std::size_t>(e)]; };
  std::vector<Ref> unknowns;
  std::vector<std::uint32_t> nodes;
  const auto n = static_cast<std::uint32_t>(block.size);
  for (std::uint32_t c = 0; c < n; ++c) {
    unknowns.push_back(builder.unknown(1000 + 10 * index + c, Section::dynamic));
    nodes.push_back(unknowns.back().node());
  }
  if (block.kind == Block::Kind::newton) {
    const Ref z = unknowns[0], c = builder.call(Fn::sin, {at(block.entries[0])}), angle = builder.mul(c, z),
              two = builder.constant(2.0);
    builder.add_newton({.size = 1,
                        .residual = {builder.sub(builder.add(builder.mul(two, z), builder.call(Fn::sin, {angle})),
                                                 at(block.right[0]))},
                        .jacobian = {{0, 0, builder.add(two, builder.mul(c, builder.call(Fn::cos, {angle})))}},
                        .unknowns = nodes},
                       index);
    return unknowns;
  }
  LinearStep step{.size = n, .unknowns = nodes};
  for (std::uint32_t r = 0; r < n; ++r)
    for (std::uint32_t c = 0; c < n; ++c) {
      const Ref s = builder.call(Fn::sin, {at(block.entries[r * n + c])});
      step.matrix.push_back({r, c, r == c ? builder.add(builder.constant(6.0), s) : s});
    }
  for (int r : block.right) step.rhs.push_back(at(r));
  builder.add_linear(step, index);
  return unknowns;
}

}  // namespace

Built build(const RandomProgram& p) {
  Built b;
  std::vector<std::vector<Ref>> unknowns;
  for (const Expression& e : p.expressions) {
    if (e.kind == Kind::unknown && static_cast<std::size_t>(e.number) == unknowns.size())
      unknowns.push_back(build_block(b, p.blocks[unknowns.size()], static_cast<std::uint32_t>(unknowns.size())));
    b.refs.push_back(build_expression(b, e, unknowns));
  }
  for (int r : p.roots) b.roots.derivative.push_back(b.refs[static_cast<std::size_t>(r)]);
  b.roots.output = b.roots.derivative;
  b.roots.inputs[static_cast<std::size_t>(InputKind::state)] = RandomProgram::states;
  b.roots.inputs[static_cast<std::size_t>(InputKind::parameter)] = RandomProgram::parameters;
  return b;
}

// ---- by plain recursion

std::optional<Bounded> Reference::operator()(int i) {
  auto& slot = known_[static_cast<std::size_t>(i)];
  if (!slot) {
    std::optional<Bounded> v = compute(p_.expressions[static_cast<std::size_t>(i)]);
    if (v) {
      const double size = std::fabs(static_cast<double>(v->value));
      v->error = 1.5 * v->error + 4 * eps * size + 1e-300;
      if (!(size < 1e60) || !(v->error < 1e-5 * (1 + size)) || (v->value != 0 && size < 1e-60)) v.reset();
    }
    slot = v;
  }
  return *slot;
}

namespace {
double absolute(const Float50& x) { return std::fabs(static_cast<double>(x)); }

std::optional<Bounded> quotient(const Bounded& a, const Bounded& b) {
  const double size = absolute(b.value);
  if (!(size > 4 * b.error)) return std::nullopt;
  const Float50 q = a.value / b.value;
  return Bounded{q, (a.error + absolute(q) * b.error) / (size - b.error)};
}

std::optional<Bounded> power(const Bounded& a, int n) {
  if (n == 0) return Bounded{Float50(1), 0};
  Bounded r = a;
  for (int i = 1; i < std::abs(n); ++i)
    r = {r.value * a.value,
         absolute(r.value) * a.error + absolute(a.value) * r.error + eps * absolute(r.value * a.value)};
  return n > 0 ? r : quotient({Float50(1), 0}, r);
}

// The largest change of f over [x - e, x + e], from its slope at the ends (e is tiny).
template <Fn fn>
std::optional<Bounded> unary(const Bounded& a) {
  const Float50 y = Unary<fn>::value(a.value);
  if (!isfinite(y)) return std::nullopt;
  double worst = 0;
  for (const Float50& x : {Float50(a.value - a.error), a.value, Float50(a.value + a.error)}) {
    const Float50 fx = Unary<fn>::value(x);
    if (!isfinite(fx)) return std::nullopt;
    worst = std::max({worst, absolute(fx - y), absolute(Unary<fn>::slope(x, fx)) * a.error});
    if (!std::isfinite(worst)) return std::nullopt;
  }
  return Bounded{y, 2 * worst};
}

std::optional<Bounded> whole(const Bounded& a, const Float50& f) {  // f = floor or the like of a: not near a jump
  const double up = absolute(ceil(a.value) - a.value), down = absolute(a.value - floor(a.value));
  if (std::min(up, down) <= 4 * a.error) return std::nullopt;
  return Bounded{f, 0};
}
}  // namespace

std::optional<Bounded> Reference::compute(const Expression& e) {
  const auto at = [&](std::size_t i) { return (*this)(e.arguments[i]); };
  switch (e.kind) {
    case Kind::number:
      return Bounded{Float50(e.number) / e.under, 0};
    case Kind::pi:
      return Bounded{acos(Float50(-1)), 0};
    case Kind::time:
      return Bounded{Float50(t_), 0};
    case Kind::state:
      return Bounded{Float50(y_[static_cast<std::size_t>(e.number)]), 0};
    case Kind::parameter:
      return Bounded{Float50(parameters_[static_cast<std::size_t>(e.number)]), 0};
    case Kind::unknown:
      return unknown(e.number, e.under);
    case Kind::call:
      return call(e);
    default:
      break;
  }
  const auto a = at(0);
  if (!a) return std::nullopt;
  if (e.kind == Kind::negate) return Bounded{-a->value, a->error};
  if (e.kind == Kind::power) return power(*a, e.number);
  const auto b = at(1);
  if (!b) return std::nullopt;
  switch (e.kind) {
    case Kind::add:
      return Bounded{a->value + b->value, a->error + b->error + eps * (absolute(a->value) + absolute(b->value))};
    case Kind::subtract:
      return Bounded{a->value - b->value, a->error + b->error + eps * (absolute(a->value) + absolute(b->value))};
    case Kind::multiply:
      return Bounded{a->value * b->value,
                     absolute(a->value) * b->error + absolute(b->value) * a->error + a->error * b->error};
    case Kind::divide:
      return quotient(*a, *b);
    default:
      break;
  }
  if (!(a->value > 4 * a->error) || absolute(b->value) > 20) return std::nullopt;  // half_power: a^b
  const Float50 v = pow(a->value, b->value);
  return Bounded{v, absolute(v) * (absolute(b->value) * a->error / absolute(a->value) +
                                   absolute(log(a->value)) * b->error + 8 * eps)};
}

std::optional<Bounded> Reference::call(const Expression& e) {
  if (e.fn == Fn::select) {
    const auto c = (*this)(e.arguments[0]);
    if (!c || (c->value != 0 && absolute(c->value) <= 4 * c->error) || (c->value == 0 && c->error > 1e-290))
      return std::nullopt;
    return (*this)(e.arguments[c->value != 0 ? 1 : 2]);
  }
  std::vector<Bounded> v;
  for (int i : e.arguments) {
    const auto a = (*this)(i);
    if (!a) return std::nullopt;
    v.push_back(*a);
  }
  const auto truth = [](bool b) { return Bounded{Float50(b ? 1 : 0), 0}; };
  const auto certain = [](const Bounded& b) {
    return (b.value == 0 && b.error < 1e-290) || absolute(b.value) > 4 * b.error;
  };
  switch (e.fn) {
#define KRON_UNARY(id)                                                                                   \
  case Fn::id:                                                                                           \
    if (Fn::id == Fn::floor || Fn::id == Fn::ceil) return whole(v[0], Unary<Fn::id>::value(v[0].value)); \
    if ((Fn::id == Fn::sign || Fn::id == Fn::not_) && !certain(v[0])) return std::nullopt;               \
    if (Fn::id == Fn::sign || Fn::id == Fn::not_) return Bounded{Unary<Fn::id>::value(v[0].value), 0};   \
    return unary<Fn::id>(v[0]);
#define KRON_BINARY(id)
#include "engine/code/functions.def"
#undef KRON_UNARY
#undef KRON_BINARY
    case Fn::no_event:
    case Fn::relax:
      return v[0];
    case Fn::min:
      return v[0].value < v[1].value ? Bounded{v[0].value, std::max(v[0].error, v[1].error)}
                                     : Bounded{v[1].value, std::max(v[0].error, v[1].error)};
    case Fn::max:
      return v[0].value > v[1].value ? Bounded{v[0].value, std::max(v[0].error, v[1].error)}
                                     : Bounded{v[1].value, std::max(v[0].error, v[1].error)};
    case Fn::lt:
    case Fn::le:
    case Fn::eq: {
      const Bounded d{v[0].value - v[1].value, v[0].error + v[1].error};
      if (absolute(d.value) <= 4 * d.error) return std::nullopt;
      return truth(e.fn != Fn::eq && d.value < 0);
    }
    case Fn::and_:
    case Fn::or_:
      if (!certain(v[0]) || !certain(v[1])) return std::nullopt;
      return truth(e.fn == Fn::and_ ? v[0].value != 0 && v[1].value != 0 : v[0].value != 0 || v[1].value != 0);
    case Fn::atan2: {
      const double r = absolute(v[0].value * v[0].value + v[1].value * v[1].value);
      if (!(r > 1e-20) || absolute(v[0].value) <= 4 * v[0].error) return std::nullopt;
      return Bounded{atan2(v[0].value, v[1].value), 2 * (v[0].error + v[1].error) / std::sqrt(r)};
    }
    case Fn::mod:
    case Fn::rem:
    case Fn::div: {
      const auto q = quotient(v[0], v[1]);
      if (!q || absolute(q->value) > 1e6) return std::nullopt;
      const auto n = whole(*q, e.fn == Fn::mod ? Float50(floor(q->value)) : truncate(q->value));
      if (!n || e.fn == Fn::div) return n;
      return Bounded{v[0].value - n->value * v[1].value,
                     v[0].error + absolute(n->value) * v[1].error + 2 * eps * absolute(v[0].value)};
    }
    default:
      break;
  }
  const std::size_t n = 4;  // interpolate over -1, 0, 1/2, 2
  const std::size_t k = segment([&](std::size_t i) -> const Float50& { return v[1 + i].value; }, n, v[0].value);
  for (std::size_t i = 1; i < n - 1; ++i)
    if (absolute(v[0].value - v[1 + i].value) <= 4 * v[0].error) return std::nullopt;
  const Bounded &x0 = v[1 + k], &x1 = v[2 + k], &y0 = v[1 + n + k], &y1 = v[2 + n + k];
  const Float50 slope = (y1.value - y0.value) / (x1.value - x0.value), past = v[0].value - x0.value;
  const double slope_error =
      (y0.error + y1.error + eps * (absolute(y0.value) + absolute(y1.value))) / absolute(x1.value - x0.value);
  if (e.fn == Fn::interpolate_slope) return Bounded{slope, slope_error};
  return Bounded{y0.value + slope * past, y0.error + absolute(past) * slope_error +
                                              absolute(slope) * (v[0].error + eps * absolute(v[0].value)) +
                                              eps * absolute(y0.value)};
}

std::optional<Bounded> Reference::unknown(int block, int column) {
  auto& slot = solved_[static_cast<std::size_t>(block)];
  if (!slot) slot = solve(p_.blocks[static_cast<std::size_t>(block)]);
  if (!*slot) return std::nullopt;
  return (**slot)[static_cast<std::size_t>(column)];
}

std::optional<std::vector<Bounded>> Reference::solve(const Block& b) {
  std::vector<Bounded> entries, right;
  double error = 1e-15, largest = 1;
  for (const auto& [list, to] : {std::pair{&b.entries, &entries}, std::pair{&b.right, &right}})
    for (int i : *list) {
      const auto v = (*this)(i);
      if (!v) return std::nullopt;
      to->push_back(*v);
      error = std::max(error, v->error);
    }
  for (const Bounded& r : right) largest = std::max(largest, absolute(r.value));
  error = 20 * (error * largest + eps * largest);
  if (b.kind == Block::Kind::guarded) {
    const Float50 s = sin(entries[0].value), t = sin(entries[1].value), d = s * t - 36, f = right[0].value, g = right[1].value;
    return std::vector{Bounded{(f * t - 6 * g) / d, 400 * error}, Bounded{(s * g - 6 * f) / d, 400 * error}};  // (6/0.3)^2
  }
  if (b.kind == Block::Kind::newton) {
    const Float50 c = sin(entries[0].value), a = right[0].value;
    Float50 z = a / 2;
    for (int i = 0; i < 300; ++i) z -= (2 * z + sin(c * z) - a) / (2 + c * cos(c * z));
    if (abs(2 * z + sin(c * z) - a) > 1e-40 * largest) return std::nullopt;  // does not converge from there
    return std::vector{Bounded{z, error + 1e-13 * largest}};
  }
  const int n = b.size;  // Gauss elimination; the diagonal dominates
  std::vector<Float50> m, x;
  for (int i = 0; i < n * n; ++i)
    m.push_back(sin(entries[static_cast<std::size_t>(i)].value) + (i % (n + 1) == 0 ? 6 : 0));
  for (const Bounded& r : right) x.push_back(r.value);
  const auto at = [&](int r, int c) -> Float50& { return m[static_cast<std::size_t>(r * n + c)]; };
  for (int k = 0; k < n; ++k)
    for (int r = 0; r < n; ++r) {
      if (r == k) continue;
      const Float50 f = at(r, k) / at(k, k);
      for (int c = 0; c < n; ++c) at(r, c) -= f * at(k, c);
      x[static_cast<std::size_t>(r)] -= f * x[static_cast<std::size_t>(k)];
    }
  std::vector<Bounded> out;
  for (int k = 0; k < n; ++k) out.push_back({x[static_cast<std::size_t>(k)] / at(k, k), error});
  return out;
}

}  // namespace kron::code::test
