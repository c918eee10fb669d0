// An RC ladder as blueprints, made by hand: what the language makes of `r[n] : Resistor`, `c[n] : Capacitor`, a source, a ground.
#pragma once
#include <memory>

#include "engine/model/blueprint.hpp"

namespace kron::test {

using namespace kron::model;

struct Maker {
  std::shared_ptr<Blueprint> b = std::make_shared<Blueprint>();
  Exprs e;
  explicit Maker(const char* name) { b->class_name = name; }

  std::uint32_t own(const char* name, Variability v = Variability::continuous, std::uint8_t flags = 0) {
    Declaration d;
    d.name = name;
    d.first = b->own_slots++;
    d.variability = v;
    b->declarations.push_back(d);
    b->flags.push_back(flags);
    b->slots = b->own_slots;
    return d.first;
  }
  std::uint32_t child(const std::string& name, std::vector<std::uint32_t> index, std::shared_ptr<const Blueprint> type) {
    Child c;
    c.name = name;
    c.index = std::move(index);
    c.slot_base = b->slots;
    c.equation_base = static_cast<std::uint32_t>(b->equations.size()) + nested_;
    b->slots += type->slots;
    nested_ += type->total_equations;
    c.type = std::move(type);
    b->children.push_back(c);
    return b->children.back().slot_base;
  }
  NodeId v(std::uint32_t slot, unsigned order = 0) { return e.operand(Operand::value(SlotId{slot}, order)); }
  std::uint32_t bind(const Bound& x) {
    const auto first = static_cast<std::uint32_t>(b->operands.size());
    b->operands.insert(b->operands.end(), x.operands.begin(), x.operands.end());
    return first;
  }
  void equation(NodeId lhs, NodeId rhs) {
    const Bound x = forms().intern(e, e.sub(lhs, rhs));
    Equation q;
    q.form = x.form;
    q.first = bind(x);
    q.count = static_cast<std::uint32_t>(x.operands.size());
    q.label = "e" + std::to_string(b->equations.size() + 1);
    q.group = static_cast<std::uint32_t>(b->equation_groups.size());
    EquationGroup g;
    g.label = q.label;
    g.first = static_cast<std::uint32_t>(b->equations.size());
    b->equation_groups.push_back(g);
    b->equations.push_back(q);
  }
  void binding(BindingKind kind, std::uint32_t slot, NodeId value) {
    const Bound x = forms().intern(e, value);
    Binding q;
    q.kind = kind;
    q.slot = slot;
    q.form = x.form;
    q.first = bind(x);
    q.count = static_cast<std::uint32_t>(x.operands.size());
    b->bindings.push_back(q);
  }
  std::shared_ptr<const Blueprint> done() {
    for (Child& c : b->children) c.equation_base = 0;
    std::uint32_t at = static_cast<std::uint32_t>(b->equations.size());
    for (Child& c : b->children) { c.equation_base = at; at += c.type->total_equations; }
    b->total_equations = at;
    return b;
  }

 private:
  std::uint32_t nested_ = 0;
};

inline std::shared_ptr<const Blueprint> pin() {
  static const auto p = [] {
    Maker m("Pin");
    m.own("v");
    m.own("i", Variability::continuous, SlotFlag::flow);
    return m.done();
  }();
  return p;
}

// kind: resistor R·i = v, capacitor C·der(v) = i, source v = sin(2π·t), ground.
inline std::shared_ptr<const Blueprint> one_port(char kind) {
  Maker m(kind == 'r' ? "Resistor" : kind == 'c' ? "Capacitor" : "SineVoltage");
  const auto v = m.own("v", Variability::continuous, kind == 'c' ? SlotFlag::fixed : 0), i = m.own("i");
  const auto k = m.own(kind == 'r' ? "R" : kind == 'c' ? "C" : "V", Variability::parameter);
  const auto p = m.child("p", {}, pin()), n = m.child("n", {}, pin());
  m.equation(m.v(v), m.e.sub(m.v(p), m.v(n)));
  m.equation(m.v(i), m.v(p + 1));
  m.equation(m.e.add(m.v(p + 1), m.v(n + 1)), m.e.literal(0));
  if (kind == 'r') m.equation(m.e.mul(m.v(k), m.v(i)), m.v(v));
  if (kind == 'c') m.equation(m.e.mul(m.v(k), m.v(v, 1)), m.v(i));
  if (kind == 's')
    m.equation(m.v(v), m.e.mul(m.v(k), m.e.call(Fn::sin, {m.e.mul(m.e.mul(m.e.literal(2), m.e.operand(Operand::constant(pi_id()))),
                                                                 m.e.operand(Operand::time()))})));
  m.binding(BindingKind::value, k, m.e.literal(1));
  return m.done();
}

inline std::shared_ptr<const Blueprint> ladder(std::uint32_t n) {
  Maker m("ladder");
  const auto resistor = one_port('r'), capacitor = one_port('c');
  const auto s = m.child("s", {}, one_port('s'));
  Maker g("Ground");
  const auto gp = g.child("p", {}, pin());
  g.equation(g.v(gp), g.e.literal(0));
  const auto ground = m.child("g", {}, g.done());
  std::vector<std::uint32_t> r, c;
  for (std::uint32_t k = 1; k <= n; ++k) r.push_back(m.child("r", {k}, resistor));
  for (std::uint32_t k = 1; k <= n; ++k) c.push_back(m.child("c", {k}, capacitor));
  auto connect = [&](std::uint32_t a, std::uint32_t b) {  // pins by their slot
    Connection x;
    x.potentials.emplace_back(a, b);
    x.flows.push_back({{a + 1, false}, {b + 1, false}});
    x.text = "pins";
    m.b->connections.push_back(x);
  };
  const std::uint32_t P = 3, N = 5;  // slots of p and n inside a one-port
  connect(s + P, r[0] + P);
  connect(s + N, ground);
  for (std::uint32_t k = 0; k < n; ++k) {
    connect(r[k] + N, c[k] + P);
    connect(c[k] + N, ground);
    if (k + 1 < n) connect(r[k] + N, r[k + 1] + P);
  }
  return m.done();
}

}  // namespace kron::test
