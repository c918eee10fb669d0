// A flat model against the one that its blueprint gives when nothing was before: every array, number by number.
#pragma once
#include <algorithm>
#include <functional>
#include <string>

#include "engine/model/flat_model.hpp"

namespace kron::test {

inline bool same_equation(const model::FlatEquation& x, const model::FlatEquation& y) {
  return x.form == y.form && x.first == y.first && x.count == y.count;
}

// The arrays that differ; empty: none does.
inline std::string different_from_scratch(const model::FlatModel& m) {
  using model::FlatModel;
  Diagnostics ignored;
  const FlatModel f = model::flatten(m.top, ignored);
  std::string out;
  const auto same = [&](const char* name, const auto& x, const auto& y, const auto& equal) {
    if (!std::equal(x.begin(), x.end(), y.begin(), y.end(), equal)) out += name + std::string(" differ from scratch\n");
  };
  const auto plain = [&](const char* name, const auto& x, const auto& y) { same(name, x, y, std::equal_to<>()); };
  same("instances", m.instances, f.instances, [](const model::Instance& a, const model::Instance& b) {
    return a.type == b.type && a.parent == b.parent && a.child == b.child && a.slot_base == b.slot_base &&
           a.equation_base == b.equation_base && a.initial_base == b.initial_base && a.end == b.end && a.operand_base == b.operand_base &&
           a.key == b.key;
  });
  plain("flags", m.flags, f.flags);
  plain("variabilities", m.variability, f.variability);
  plain("arrays", m.array, f.array);
  plain("keys", m.keys, f.keys);
  plain("derivatives", m.derivative, f.derivative);
  plain("integrals", m.integral, f.integral);
  same("differentiated slots", m.differentiated, f.differentiated, [](const auto& a, const auto& b) {
    return a.instance == b.instance && a.slot == b.slot && a.order == b.order;
  });
  same("equations", m.equations, f.equations, same_equation);
  same("initial equations", m.initial_equations, f.initial_equations, same_equation);
  plain("operands", m.operands, f.operands);
  same("connections", m.connection_info, f.connection_info, [](const auto& a, const auto& b) {
    return a.flow == b.flow && a.a == b.a && a.b == b.b && a.instance == b.instance && a.connection == b.connection &&
           a.outside == b.outside && a.group == b.group;
  });
  same("bindings", m.bindings, f.bindings, [](const auto& a, const auto& b) {
    return a.kind == b.kind && a.slot == b.slot && a.form == b.form && a.first == b.first && a.count == b.count;
  });
  same("assertions", m.assertions, f.assertions, [](const auto& a, const auto& b) {
    return same_equation(a.condition, b.condition) && a.instance == b.instance && a.statement == b.statement &&
           std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(), same_equation);
  });
  same("events", m.events, f.events, [](const auto& a, const auto& b) { return a.key == b.key && same_equation(a.argument, b.argument); });
  plain("events' instances", m.eventful, f.eventful);
  plain("discrete variables", m.discrete, f.discrete);
  plain("remembered variables", m.remembered, f.remembered);
  plain("discrete equations", m.discrete_equations, f.discrete_equations);
  if (m.connection_equations != f.connection_equations || m.moments != f.moments) out += "counts differ from scratch\n";
  return out;
}

}  // namespace kron::test
