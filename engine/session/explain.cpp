#include <algorithm>

#include "engine/session/emit.hpp"

namespace kron::session {

namespace {
std::string signed_name(const Analysis& a, const Representative& r) {
  if (r.sign == 0) return std::to_string(r.constant);
  return (r.sign < 0 ? "-" : "") + name(a, r.root);
}

// x = if edge(c) then … elseif … else pre(x): the conditions of the branches that give x a value, as they were written.
std::vector<std::string> triggers(const model::FlatModel& m, EqId e) {
  const model::FlatEquation& x = m.equations[e.value];
  const model::Exprs& exprs = model::forms().exprs();
  const auto operands = m.bound(x);
  const auto is_select = [&](model::NodeId n) { return exprs[n].op == model::ExprOp::call && exprs[n].fn == Fn::select; };
  const auto sides = exprs.args(model::forms().root(x.form));
  const auto first = std::find_if(sides.begin(), sides.end(), is_select);
  std::vector<std::string> found;
  if (first == sides.end()) return found;
  for (model::NodeId choice = *first; is_select(choice); choice = exprs.args(choice)[2]) {
    std::vector<model::NodeId> open{exprs.args(choice)[0]};
    while (!open.empty()) {
      const model::NodeId n = open.back();
      open.pop_back();
      if (exprs[n].op == model::ExprOp::placeholder) {
        const model::Operand o = operands[exprs.placeholder_of(n)];
        if (o.kind() != model::OperandKind::event || m.events[o.index()].kind != model::EventKind::edge) continue;
        std::string text = model::print(m, m.events[o.index()].argument);
        if (std::find(found.begin(), found.end(), text) == found.end()) found.push_back(std::move(text));
        continue;
      }
      if (exprs[n].op == model::ExprOp::call && exprs[n].fn == Fn::not_) continue;  // of the branches before
      const auto args = exprs.args(n);
      open.insert(open.end(), args.rbegin(), args.rend());
    }
  }
  return found;
}

std::string why_discrete(const model::FlatModel& m, EqId e) {
  const std::vector<std::string> conditions = triggers(m, e);
  if (conditions.empty()) return "it changes at events only: a `when` gives it a value, and it keeps the one before else";
  std::string list;
  for (const std::string& c : conditions) list += (list.empty() ? "`when " : ", `when ") + c + "`";
  list += conditions.size() == 1 ? " gives" : " give";
  return "it changes at events only: " + list + " it a value, and it keeps the one before else";
}
}  // namespace

std::optional<VarId> find(const Analysis& a, std::string_view text) {
  if (const auto v = model::find(a.flat, text); v || !a.system || !text.starts_with("der(")) return v;
  model::Names names(*a.system->flat);
  for (std::size_t v = a.flat.variables(); v < a.system->variables(); ++v)
    if (name(*a.system, static_cast<std::uint32_t>(v), names) == text) return VarId{static_cast<std::uint32_t>(v)};
  return std::nullopt;
}

Explanation explain(const Analysis& a, VarId v) {
  Explanation e;
  e.name = name(a, v);
  const System& s = *a.system;
  if (v.value < a.flat.slots && !s.unknown[v.value]) {
    switch (a.flat.variability[v.value]) {
      case model::Variability::constant: e.kind = "constant"; break;
      case model::Variability::parameter: e.kind = "parameter"; break;
      case model::Variability::discrete: {
        e.kind = a.flat.flags[v.value] & model::SlotFlag::input ? "input" : "discrete";
        if (!s.discrete) break;
        const auto& order = *s.discrete;
        const auto at = std::find(order.slot.begin(), order.slot.end(), v.value);
        if (at == order.slot.end()) break;
        const EqId given{order.equation[static_cast<std::size_t>(at - order.slot.begin())]};
        e.equation = model::label(a.flat, given);
        const auto k = std::lower_bound(a.flat.discrete_equations.begin(), a.flat.discrete_equations.end(), given.value) - a.flat.discrete_equations.begin();
        e.reasons.push_back(a.flat.given[static_cast<std::size_t>(k)] == none ? "it changes at events only, with what its equation reads"
                                                                                  : why_discrete(a.flat, given));
        break;
      }
      default: e.kind = "input"; e.reasons.push_back("an unconnected input of the top level: known, with its start value");
    }
    if (a.flat.flags[v.value] & model::SlotFlag::structural)
      e.reasons.push_back("its value decides the structure: changing it analyses the model again");
    else if (a.flat.flags[v.value] & model::SlotFlag::one_shapes)
      e.reasons.push_back("where it is 0, 1, -1 or a multiple of a right angle it may be part of the equations: changing it from or to such a number analyses the model again");
    else if (a.flat.flags[v.value] & model::SlotFlag::zero_shapes)
      e.reasons.push_back("where it is 0 that is part of the equations: changing it from or to 0 analyses the model again");
    return e;
  }
  const Representative r = a.representative[v.value];
  if (r.sign == 0 || r.root != v) {
    e.kind = "alias";
    e.alias_of = signed_name(a, r);
    e.reasons.push_back(r.sign == 0 ? "its equations give it a constant value" : "an equation or connection makes it equal");
    if (r.sign == 0) return e;
  } else {
    e.kind = s.antiderivative.size() > v.value && s.antiderivative[v.value] != none ? "derivative" : "algebraic";
  }
  const std::uint32_t root = r.root.value;
  if (root < s.state.size() && s.state[root]) {
    e.state = true;
    if (!e.alias_of) e.kind = "state";
    e.reasons.push_back("its derivative appears, and nothing else determines it at a given time");
  } else if (const auto set = std::find_if(a.sets.begin(), a.sets.end(), [&](const StateSet& x) {
               return std::find(x.candidates.begin(), x.candidates.end(), VarId{root}) != x.candidates.end();
             }); set != a.sets.end()) {
    e.reasons.push_back("a candidate of dynamic set " + std::to_string(set - a.sets.begin() + 1) + ": " + std::to_string(set->slots) + " of " +
                        std::to_string(set->candidates.size()) + (set->slots == 1 ? " is a state" : " are states") +
                        ", chosen at run time, because how `" + set->because + "` binds them varies");
  } else if (s.derivative.size() > root && s.derivative[root] != none) {
    e.reasons.push_back("its derivative appears, but a constraint determines it: " + name(a, VarId{s.derivative[root]}) +
                        " is not integrated");
  }
  if (root < a.block_of.size() && a.block_of[root] != none) {
    const Block& b = a.blocks[a.block_of[root]];
    e.block = a.block_of[root];
    if (b.equations.size() == 1) e.equation = equation_label(a, b, 0);
    else
      for (const auto& [row, unknown] : b.how().pivots)
        if (b.unknowns[unknown].value == root) e.equation = equation_label(a, b, row);
    if (b.unknowns.size() > 1)
      e.reasons.push_back("solved together with " + std::to_string(b.unknowns.size() - 1) + (b.unknowns.size() == 2 ? " other unknown (" : " other unknowns (") +
                          std::string(to_text(b.kind)) + ")");
  }
  return e;
}

std::string code_text(const Analysis& a, std::optional<std::size_t> block) {
  if (!a.tape) return {};
  std::vector<code::NamedRoot> roots;
  std::map<std::uint32_t, std::string> unknown;  // of solve steps, by node
  for (std::uint32_t b = 0; b < a.blocks.size(); ++b)
    for (VarId v : a.blocks[b].unknowns) {
      const code::Ref r = a.variable_ref[v.value];
      if (a.tape->nodes()[r.node()].op == code::Op::unknown && !r.negative()) unknown.emplace(r.node(), name(a, v));
      if (!block || b == *block) roots.push_back({r, name(a, v), b + 1});
    }
  const InputNumbers& in = *a.inputs_of_tape;
  code::PrintNames names;
  names.input = [&](const code::Input& i) -> std::string {
    switch (i.kind) {
      case code::InputKind::time: return "time";
      case code::InputKind::state: return state_name(a, i.index);
      case code::InputKind::parameter: return model::name(a.flat, VarId{in.parameters[i.index]});
      case code::InputKind::start: return model::name(a.flat, VarId{in.starts[i.index]}) + ".start";
      case code::InputKind::signal: return model::name(a.flat, VarId{in.signals[i.index]});
      case code::InputKind::discrete: {
        if (i.index == simulate::EventModel::initial) return "initial()";
        if (i.index == simulate::EventModel::terminal) return "terminal()";
        if (i.index == simulate::EventModel::live) return "live";
        if (i.index < a.events.variable(0)) return model::print(a.flat, a.flat.events[i.index - a.events.term(0)]);
        return model::name(a.flat, VarId{a.flat.discrete[i.index - a.events.variable(0)]});
      }
      case code::InputKind::pre: return "pre(" + model::name(a.flat, VarId{a.flat.remembered[i.index]}) + ")";
      default: return "input" + std::to_string(i.index);
    }
  };
  names.unknown = [&](std::uint32_t node) {
    auto it = unknown.find(node);
    return it == unknown.end() ? "z" + std::to_string(node) : it->second;
  };
  return code::print(*a.tape, roots, names);
}

}  // namespace kron::session
