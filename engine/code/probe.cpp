#include "engine/code/probe.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/small.hpp"
#include "engine/code/kernels.hpp"
#include "engine/code/tables.hpp"

namespace kron::code {
namespace {

// Solutions of guarded steps by unknown, of the steps that came since `seen`.
void note_solutions(const Builder& tape, std::size_t& seen, std::vector<Ref>& solution) {
  for (; seen < tape.steps().size(); ++seen) {
    const LinearStep& s = tape.steps()[seen].linear;
    if (!s.guarded()) continue;
    for (std::size_t c = 0; c < s.unknowns.size(); ++c) {
      if (solution.size() <= s.unknowns[c]) solution.resize(s.unknowns[c] + 1, zero);
      solution[s.unknowns[c]] = s.solution[c];
    }
  }
}

Ref solution_of(const std::vector<Ref>& solution, std::uint32_t node) {
  return node < solution.size() ? solution[node] : zero;
}

// Sums and products, which most nodes are, here; `evaluate` the others.
template <class T, class Evaluate>
void evaluate_up_to(std::size_t size, const Builder& tape, std::vector<T>& values, Evaluate&& evaluate) {
  grow(values, size - std::min(size, values.size()));
  const auto of = [&](Ref r) { return r.negative() ? -values[r.node()] : values[r.node()]; };
  for (auto n = static_cast<std::uint32_t>(values.size()); n < size; ++n) {
    const Node& node = tape.nodes()[n];
    if (node.op == Op::add) values.push_back(of(node.a) + of(node.b));
    else if (node.op == Op::mul) values.push_back(values[node.a.node()] * values[node.b.node()]);  // never negative
    else values.push_back(evaluate(n));
  }
}

}  // namespace

// ---- a fresh field point ------------------------------------------------------------------------------------------------

FieldProbe::FieldProbe(const Builder& tape, std::uint64_t seed) : tape_(tape), seed_(seed) {}

void FieldProbe::set(std::uint32_t unknown, Fingerprint value) { set_.emplace_back(unknown, value); }

void FieldProbe::rewind(std::size_t size) {
  if (values_.size() > size) values_.resize(size);
  std::erase_if(set_, [&](const auto& x) { return x.first >= size; });
}

void FieldProbe::extend(std::size_t size) {
  note_solutions(tape_, steps_seen_, solution_);
  evaluate_up_to(size, tape_, values_, [this](std::uint32_t node) { return evaluate(node); });
}

Fingerprint FieldProbe::evaluate(std::uint32_t index) {
  const Node& n = tape_.nodes()[index];
  switch (n.op) {
    case Op::constant: {
      const Constant& c = tape_.constants()[n.payload];
      return c.is_pi ? value_of_pi() : value_of(c.value);
    }
    case Op::input: {
      const Input& i = tape_.inputs()[n.payload];
      return value_of_key(seed_ + static_cast<std::uint64_t>(i.kind), combine(i.key, i.index));
    }
    case Op::unknown:
      if (const Ref s = solution_of(solution_, index); !tape_.is_zero(s)) return of(s);
      for (const auto& [node, value] : set_)
        if (node == index) return value;
      return value_of_key(seed_ + 0x100, index);
    case Op::add:
    case Op::mul:
      break;  // evaluate_up_to()
    case Op::div:
    case Op::inv: {
      const Fingerprint bottom = of(n.op == Op::div ? n.b : n.a);
      if (is_zero(bottom)) return value_of_key(seed_ + 0x101, index);
      return n.op == Op::div ? of(n.a) * inverse(bottom) : inverse(bottom);
    }
    case Op::pow_int: {
      const auto e = static_cast<std::int32_t>(n.payload);
      if (e < 0 && is_zero(of(n.a))) return value_of_key(seed_ + 0x101, index);
      return power(of(n.a), e);
    }
    case Op::pow:
      return value_of_pow(of(n.a), of(n.b));
    case Op::call:
      return call_value(tape_, n.fn, tape_.arguments(n), values_, exponentials_);
  }
  return {};
}

// ---- a point of real numbers -----------------------------------------------------------------------------------------------

NumberProbe::NumberProbe(const Builder& tape, std::uint64_t seed, double parameters) : tape_(tape), seed_(seed), parameters_(parameters) {}
NumberProbe::NumberProbe(const Builder& tape, InputValues inputs) : tape_(tape), seed_(0x53), inputs_(std::move(inputs)) {}

void NumberProbe::set(std::uint32_t unknown, double value) {
  (*this)(Ref{unknown << 1});
  values_[unknown] = value;
}

void NumberProbe::extend(std::size_t size) {
  note_solutions(tape_, steps_seen_, solution_);
  evaluate_up_to(size, tape_, values_, [this](std::uint32_t node) { return evaluate(node); });
}

void NumberProbe::rewind(std::size_t size) {
  if (values_.size() > size) values_.resize(size);
}

// Between 0.5 and 2, evenly in the logarithm; of either sign where it need not be positive.
double NumberProbe::random(std::uint64_t key, bool positive) const {
  const std::uint64_t h = mix(combine(seed_, key));
  const double size = std::exp2(2 * (static_cast<double>(h >> 11) * 0x1p-53) - 1);
  return !positive && (h & 1) ? -size : size;
}

double NumberProbe::evaluate(std::uint32_t index) {
  const Node& n = tape_.nodes()[index];
  switch (n.op) {
    case Op::constant:
      return tape_.constants()[n.payload].number;
    case Op::input: {
      const Input& i = tape_.inputs()[n.payload];
      if (inputs_)
        if (const auto& of_kind = (*inputs_)[static_cast<std::size_t>(i.kind)]; i.index < of_kind.size()) return of_kind[i.index];
      if (i.kind == InputKind::parameter) return parameters_ * random(combine(i.key, i.index), true);
      return random(combine(i.key, i.index), false);
    }
    case Op::unknown:
      if (const Ref s = solution_of(solution_, index); !tape_.is_zero(s)) return of(s);
      return random(index, false);
    case Op::add:
    case Op::mul:
      break;  // evaluate_up_to()
    case Op::div:
      return of(n.a) / of(n.b);
    case Op::inv:
      return 1 / of(n.a);
    case Op::pow_int:
      return std::pow(of(n.a), static_cast<std::int32_t>(n.payload));
    case Op::pow:
      return power_of(of(n.a), of(n.b));
    case Op::call:
      break;
  }
  const auto args = tape_.arguments(n);
  switch (n.fn) {
#define KRON_UNARY(id) \
  case Fn::id:         \
    return Unary<Fn::id>::value(of(args[0]));
#define KRON_BINARY(id) \
  case Fn::id:          \
    return Binary<Fn::id>::value(of(args[0]), of(args[1]));
#include "engine/code/functions.def"
#undef KRON_UNARY
#undef KRON_BINARY
    case Fn::select:
      return of(args[0]) != 0 ? of(args[1]) : of(args[2]);
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace kron::code
