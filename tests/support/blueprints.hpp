// Blueprints made by hand: what the language makes of classes, for tests that need no language.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/blueprint.hpp"

namespace kron::test {

using namespace kron::model;

struct Maker {
  std::shared_ptr<Blueprint> b = std::make_shared<Blueprint>();
  Exprs e;
  explicit Maker(const std::string& name) { b->class_name = name; }

  // Own quantities come before all children.
  std::uint32_t own(const std::string& name, Variability v = Variability::continuous, std::uint8_t flags = 0,
                    std::vector<std::uint32_t> sizes = {}) {
    Declaration d;
    d.name = name;
    d.first = b->own_slots;
    for (std::uint32_t n : sizes) d.count *= n;
    d.sizes = std::move(sizes);
    d.variability = v;
    b->own_slots += d.count;
    b->flags.insert(b->flags.end(), d.count, flags);
    b->slots = b->own_slots;
    b->declarations.push_back(d);
    return d.first;
  }
  std::uint32_t child(const std::string& name, std::vector<std::uint32_t> index, std::shared_ptr<const Blueprint> type) {
    Child c;
    c.name = name;
    c.index = std::move(index);
    c.slot_base = b->slots;
    b->slots += type->slots;
    c.type = std::move(type);
    b->children.push_back(c);
    return b->children.back().slot_base;
  }
  NodeId v(std::uint32_t slot, unsigned order = 0) { return e.operand(Operand::value(SlotId{slot}, order)); }

  void equation(NodeId lhs, NodeId rhs) { equations({e.sub(lhs, rhs)}, {}, b->equations, "e"); }
  void initial(NodeId lhs, NodeId rhs) { equations({e.sub(lhs, rhs)}, {}, b->initial_equations, "i"); }
  // An array of residuals under one label.
  void equations(const std::vector<NodeId>& residuals, std::vector<std::uint32_t> sizes, std::vector<Equation>& to, const char* prefix) {
    EquationGroup g;
    g.label = prefix + std::to_string(b->equation_groups.size() + 1);
    g.sizes = std::move(sizes);
    g.first = static_cast<std::uint32_t>(to.size());
    g.count = static_cast<std::uint32_t>(residuals.size());
    for (NodeId n : residuals) {
      Equation q;
      q.form = bind(n, q.first, q.count);
      q.label = g.label;
      q.group = static_cast<std::uint32_t>(b->equation_groups.size());
      q.element = static_cast<std::uint32_t>(to.size()) - g.first;
      to.push_back(q);
    }
    b->equation_groups.push_back(g);
  }
  void binding(BindingKind kind, std::uint32_t slot, NodeId value) {
    Binding q;
    q.kind = kind;
    q.slot = slot;
    q.form = bind(value, q.first, q.count);
    b->bindings.push_back(q);
  }
  // One connect statement: pairs of potentials and of flows.
  void connect(const std::vector<SlotPair>& potentials, const std::vector<FlowPair>& flows) {
    Connection x;
    x.potentials.append(potentials.data(), potentials.size());
    x.flows.append(flows.data(), flows.size());
    b->connections.push_back(std::move(x));
  }
  std::shared_ptr<const Blueprint> done() {
    b->total_equations = static_cast<std::uint32_t>(b->equations.size());
    b->total_initial = static_cast<std::uint32_t>(b->initial_equations.size());
    for (Child& c : b->children) {
      c.equation_base = b->total_equations;
      c.initial_base = b->total_initial;
      b->total_equations += c.type->total_equations;
      b->total_initial += c.type->total_initial;
    }
    return b;
  }

 private:
  FormId bind(NodeId n, std::uint32_t& first, std::uint32_t& count) {
    const Bound x = forms().intern(e, n);
    first = static_cast<std::uint32_t>(b->operands.size());
    count = static_cast<std::uint32_t>(x.operands.size());
    b->operands.insert(b->operands.end(), x.operands.begin(), x.operands.end());
    return x.form;
  }
};

// A potential v and a flow i.
inline std::shared_ptr<const Blueprint> pin() {
  static const auto p = [] {
    Maker m("Pin");
    m.own("v");
    m.own("i", Variability::continuous, SlotFlag::flow);
    return m.done();
  }();
  return p;
}

}  // namespace kron::test
