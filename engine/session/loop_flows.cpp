#include "engine/session/loop_flows.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace kron::session {

using model::FlatModel;
using model::EqId;
using model::FlowEnd;
using model::Operand;
using model::OperandKind;

namespace {

struct Closed {
  std::string text;              // of the connection
  std::set<std::uint32_t> ends;  // instances of connectors
};

// Of the connections of an instance that close loops: each pair of connectors.
std::vector<Closed> closed_in(const FlatModel& m, std::uint32_t instance) {
  std::vector<Closed> list;
  const model::Instance& i = m.instances[instance];
  for (std::uint32_t e = 0; e < i.type->equations.size(); ++e) {
    const model::Equation& q = i.type->equations[e];
    if (q.origin != model::EquationOrigin::connection) continue;
    if (list.empty() || list.back().text != q.label.str()) list.push_back({q.label.str(), {}});
    for (Operand o : m.bound(m.equations[i.equation_base + e]))
      if (o.kind() == OperandKind::value) list.back().ends.insert(connector_of(m, o.index()));
  }
  return list;
}

// The flows that the connections of an instance put into sums, each with its neighbours.
class FlowGraph {
 public:
  FlowGraph(const FlatModel& m, std::uint32_t instance) : m_(m), base_(m.instances[instance].slot_base) {
    for (const model::Connection& c : m.instances[instance].type->connections)
      for (const auto& [a, b] : c.flows) {
        next_[node(a)].push_back(node(b));
        next_[node(b)].push_back(node(a));
      }
  }

  // Empty: a and b are connected another way, too.
  FlowSum through(const FlowEnd& a, const FlowEnd& b) const {
    const FlowSum x = side(node(a), node(b)), y = side(node(b), node(a));
    return y.size() < x.size() ? y : x;
  }

  std::uint32_t connector(const FlowEnd& e) const { return connector_of(m_, base_ + e.slot); }

 private:
  using Node = std::uint32_t;  // 2*slot, and 1 where the flow is an outside one
  Node node(const FlowEnd& e) const { return 2 * (base_ + e.slot) + e.outside; }

  FlowSum side(Node from, Node beyond) const {
    FlowSum sum;
    std::set<Node> seen{from};
    std::vector<Node> todo{from};
    bool first = true;  // of the edges between them: the connection itself
    while (!todo.empty()) {
      const Node n = todo.back();
      todo.pop_back();
      sum.push_back({n / 2, n % 2 == 0 ? 1.0 : -1.0});
      for (Node other : next_.at(n)) {
        if (n == from && other == beyond && first) {
          first = false;
          continue;
        }
        if (other == beyond) return {};
        if (seen.insert(other).second) todo.push_back(other);
      }
    }
    std::ranges::sort(sum, {}, &SignedFlow::slot);
    return sum;
  }

  const FlatModel& m_;
  std::uint32_t base_;
  std::map<Node, std::vector<Node>> next_;
};

// The first connector of the joint that an equation closes a loop with; none: it stands elsewhere.
std::uint32_t connector_of_joint(const FlatModel& m, std::uint32_t equation) {
  if (equation >= m.connection_equations) return FlatModel::none;
  const std::uint32_t joint = model::instance_of(m, EqId{equation});
  const model::Instance& i = m.instances[joint];
  if (i.type->equations[equation - i.equation_base].origin == model::EquationOrigin::connection) return FlatModel::none;
  for (std::uint32_t child = joint + 1; child < m.instances.size(); ++child)
    if (m.instances[child].parent == joint && m.instances[child].type->is_connector) return child;
  return FlatModel::none;
}

std::vector<FlowSum> flows_of_joints(const FlatModel& m) {
  std::set<std::uint32_t> connectors;
  for (const FlatModel::KnownDerivatives& k : m.known_derivatives)
    if (const std::uint32_t c = connector_of_joint(m, k.equation); c != FlatModel::none) connectors.insert(c);
  std::vector<FlowSum> list;
  for (std::uint32_t i : connectors) {
    const std::uint32_t first = m.instances[i].slot_base;
    for (std::uint32_t v = first; v < m.slots && connector_of(m, v) == i; ++v)
      if (m.flags[v] & model::SlotFlag::flow) list.push_back({{v, 1}});
  }
  return list;
}

}  // namespace

std::vector<bool> closing_equations(const FlatModel& m) {
  std::vector<bool> closing(m.equations.size(), false);
  for (const FlatModel::KnownDerivatives& k : m.known_derivatives)
    if (connector_of_joint(m, k.equation) != FlatModel::none) std::fill_n(closing.begin() + k.equation, k.count, true);
  std::vector<std::vector<std::string>> texts(m.instances.size());  // of the connections that close loops
  for (std::uint32_t i = 0; i < m.instances.size(); ++i) {
    const model::Blueprint& type = *m.instances[i].type;
    for (std::uint32_t e = 0; e < type.equations.size(); ++e) {
      if (type.equations[e].origin != model::EquationOrigin::connection) continue;
      closing[m.instances[i].equation_base + e] = true;
      texts[i].push_back(type.equations[e].label.str());
    }
  }
  for (std::uint32_t k = 0; k < m.connection_info.size(); ++k) {
    const auto& c = m.connection_info[k];
    if (c.flow || texts[c.instance].empty()) continue;
    const auto& text = m.instances[c.instance].type->connections[c.connection].text;
    closing[m.connection_equations + k] = text && std::ranges::find(texts[c.instance], *text) != texts[c.instance].end();
  }
  return closing;
}

bool closes_loops(const FlatModel& m) {
  const std::vector<bool> closing = closing_equations(m);
  return std::ranges::find(closing, true) != closing.end();
}

std::uint32_t connector_of(const FlatModel& m, std::uint32_t slot) {
  std::uint32_t i = model::instance_of(m, model::SlotId{slot});
  while (i != 0 && !m.instances[i].type->is_connector) i = m.instances[i].parent;
  return i;
}

std::vector<FlowSum> closing_flows(const FlatModel& m) {
  std::vector<FlowSum> list = flows_of_joints(m);
  for (std::uint32_t i = 0; i < m.instances.size(); ++i) {
    const std::vector<Closed> closed = closed_in(m, i);
    if (closed.empty()) continue;
    const FlowGraph graph(m, i);
    for (const Closed& x : closed)
      for (const model::Connection& c : m.instances[i].type->connections) {
        if (!c.text || *c.text != x.text) continue;
        for (const auto& [a, b] : c.flows) {
          if (!x.ends.contains(graph.connector(a)) || !x.ends.contains(graph.connector(b))) continue;
          if (FlowSum sum = graph.through(a, b); !sum.empty()) list.push_back(std::move(sum));
        }
      }
  }
  return list;
}

std::string loop_hint(const FlatModel& m, std::span<const EqId> equations) {
  std::string hint;
  std::set<std::string> classes;
  for (const FlowSum& sum : closing_flows(m)) {
    classes.insert(m.instances[connector_of(m, sum.front().slot)].type->class_name.str());
    if (hint.empty()) hint = model::declaration(m, model::VarId{sum.front().slot}).hint;
  }
  const bool in_loop = std::ranges::any_of(equations, [&](EqId e) {
    return e.value < m.equations.size() && std::ranges::any_of(m.bound(m.equations[e.value]), [&](Operand o) {
      if (o.kind() != OperandKind::value || o.index() >= m.slots) return false;
      return classes.contains(m.instances[connector_of(m, o.index())].type->class_name.str());
    });
  });
  return hint.empty() || !in_loop ? "" : "these equations close a loop, which may hold more than it needs: " + hint;
}

std::string open_flow_hint(const FlatModel& m, std::span<const EqId> equations) {
  std::set<std::uint32_t> named;
  for (const EqId e : equations) {
    if (e.value >= m.equations.size()) continue;
    for (Operand o : m.bound(m.equations[e.value]))
      if (o.kind() == OperandKind::value) named.insert(o.index());
  }
  for (const FlatModel::ConnectionEquation& c : m.connection_info) {
    if (!c.flow || c.connection != FlatModel::none || !named.contains(c.a)) continue;
    const std::string flow = model::name(m, model::VarId{c.a});
    return "nothing is connected to `" + flow.substr(0, flow.rfind('.')) + "`, so that `" + flow + "` is zero: connect there what is to give it a value";
  }
  return {};
}

std::string unconnected_hint(const FlatModel& m, std::span<const model::VarId> variables) {
  std::map<std::uint32_t, std::string> open;  // connectors that nothing is connected to
  for (const FlatModel::ConnectionEquation& c : m.connection_info) {
    if (!c.flow || c.connection != FlatModel::none) continue;
    const std::string flow = model::name(m, model::VarId{c.a});
    open.try_emplace(connector_of(m, c.a), flow.substr(0, flow.rfind('.')));
  }
  std::set<std::uint32_t> found;
  for (const model::VarId v : variables)
    if (v.value < m.slots && open.contains(connector_of(m, v.value))) found.insert(connector_of(m, v.value));
  if (found.empty()) return {};
  for (std::uint32_t i = model::instance_of(m, model::SlotId{variables.front().value}); i != 0; i = m.instances[i].parent) {
    const auto own = std::ranges::find(found, i, [&](std::uint32_t c) { return m.instances[c].parent; });
    if (own == found.end()) continue;
    found = {*own};
    break;
  }
  std::string names;
  constexpr std::size_t most = 3;
  std::size_t shown = 0;
  for (std::uint32_t c : found)
    if (++shown <= most) names += (shown > 1 ? ", `" : "`") + open[c] + "`";
  return "nothing is connected to " + names + (found.size() > most ? ", …" : "");
}

}  // namespace kron::session
