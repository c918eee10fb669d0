#include "engine/solve/template.hpp"

#include <algorithm>
#include <unordered_map>

#include "engine/model/algebra.hpp"

namespace kron::solve {

using code::Ref;
using model::ExprOp;

const Templates::Template& Templates::get(model::NodeId root) {
  if (root.value < known_.size() && known_[root.value]) return *known_[root.value];
  const model::Exprs& e = model::forms().exprs();
  Template t;
  std::unordered_map<model::NodeId, std::uint32_t> position;
  for (model::NodeId n : model::postorder(e, root)) {
    Step s{e[n].op, e[n].fn, static_cast<std::uint32_t>(t.args.size()), e[n].count, 0, {}};
    for (model::NodeId a : e.args(n)) t.args.push_back(position.at(a));
    if (s.op == ExprOp::placeholder) s.payload = e.placeholder_of(n);
    if (s.op == ExprOp::literal) {
      s.payload = static_cast<std::uint32_t>(t.literals.size());
      t.literals.push_back(e.literal_value(n));
      for (const auto& [number, unit] : {std::pair{0, code::zero}, {1, code::one}, {-1, -code::one}})
        if (e.is(n, number)) s.unit = unit;
    }
    position.emplace(n, static_cast<std::uint32_t>(t.steps.size()));
    t.steps.push_back(s);
  }
  templates_.push_back(std::move(t));
  if (known_.size() <= root.value) known_.resize(std::max(e.size(), std::size_t{root.value} + 1), nullptr);
  known_[root.value] = &templates_.back();
  return templates_.back();
}

Ref Templates::emit(code::Builder& b, model::NodeId root, std::span<const Ref> values) {
  const Template& t = get(root);
  local_.clear();
  for (const Step& s : t.steps) {
    auto arg = [&](std::uint32_t i) { return local_[t.args[s.first + i]]; };
    Ref r;
    switch (s.op) {
      case ExprOp::literal: r = s.unit ? *s.unit : b.constant(t.literals[s.payload]); break;
      case ExprOp::placeholder: r = values[s.payload]; break;
      case ExprOp::operand: break;  // forms hold none
      case ExprOp::add: r = b.add(arg(0), arg(1)); break;
      case ExprOp::sub: r = b.sub(arg(0), arg(1)); break;
      case ExprOp::mul: r = b.mul(arg(0), arg(1)); break;
      case ExprOp::div: r = b.div(arg(0), arg(1)); break;
      case ExprOp::neg: r = -arg(0); break;
      case ExprOp::pow: r = b.pow(arg(0), arg(1)); break;
      case ExprOp::call:
        arguments_.clear();
        for (std::uint32_t i = 0; i < s.count; ++i) arguments_.push_back(arg(i));
        r = b.call(s.fn, arguments_);
        break;
    }
    local_.push_back(r);
  }
  return local_.back();
}

}  // namespace kron::solve
