// Numbers of bound expressions: arguments of commands, right sides of assignments.
#include "engine/session/evaluate.hpp"

#include "lang/workspace/kron.hpp"

namespace kron {

std::optional<double> evaluate(const model::Bound& b, const std::function<std::optional<double>(model::Operand)>& operand) {
  bool known = true;
  const double v = session::evaluate(model::forms().root(model::forms().unmarked(b.form)), [&](std::uint32_t k) {
    const model::Operand o = b.operands[k];
    if (o.kind() == model::OperandKind::constant) return model::constant(model::ConstId{o.index()}).number;
    const std::optional<double> x = operand ? operand(o) : std::nullopt;
    known &= x.has_value();
    return x.value_or(0);
  });
  return known ? std::optional(v) : std::nullopt;
}

}  // namespace kron
