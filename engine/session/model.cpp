#include "engine/session/model.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>

namespace kron {

// Marks that GiNaC keeps as they are; their meaning is given when the model is read.
DECLARE_FUNCTION_2P(kron_der)
DECLARE_FUNCTION_1P(kron_relax)
DECLARE_FUNCTION_1P(kron_residue)
REGISTER_FUNCTION(kron_der, dummy())
REGISTER_FUNCTION(kron_relax, dummy())
REGISTER_FUNCTION(kron_residue, dummy())

GiNaC::ex der(const GiNaC::ex& x, unsigned times) { return times == 0 ? x : kron_der(x, times); }
GiNaC::ex relax(const GiNaC::ex& x) { return kron_relax(x); }
GiNaC::ex residue(const GiNaC::ex& x) { return kron_residue(x); }

using model::Exprs;
using model::NodeId;
using model::Operand;
using model::SlotId;

struct Model::Data {
  struct Less {
    bool operator()(const GiNaC::ex& x, const GiNaC::ex& y) const { return x.compare(y) < 0; }
  };
  model::Blueprint b;
  Exprs exprs;
  std::map<GiNaC::ex, SlotId, Less> slots;
  std::uint32_t labels = 0, initial_labels = 0;

  NodeId convert(const GiNaC::ex& x);
  NodeId function(const GiNaC::ex& x);
  NodeId terms(const GiNaC::ex& x, bool product);

  bool is_constant(Operand o) const {
    return o.kind() == model::OperandKind::value && o.order() == 0 &&
           slot_variability(o.slot()) <= model::Variability::parameter;
  }
  model::Variability slot_variability(SlotId s) const { return b.declarations[s.value].variability; }

  std::uint32_t bind(const model::Bound& bound, std::uint32_t& count) {
    const auto first = static_cast<std::uint32_t>(b.operands.size());
    b.operands.insert(b.operands.end(), bound.operands.begin(), bound.operands.end());
    count = static_cast<std::uint32_t>(bound.operands.size());
    return first;
  }

  void binding(model::BindingKind kind, std::uint32_t slot, NodeId value) {
    model::Binding x;
    x.kind = kind;
    x.slot = slot;
    const model::Bound bound = model::forms().intern(exprs, value);
    x.form = bound.form;
    x.first = bind(bound, x.count);
    b.bindings.push_back(x);
  }
  void number(model::BindingKind kind, std::uint32_t slot, double v) { binding(kind, slot, exprs.literal(exact(v))); }

  GiNaC::ex declare(const std::string& name, model::Variability v, const VariableOptions& o) {
    model::Declaration d;
    d.name = name;
    d.first = b.own_slots;
    d.variability = v;
    d.state = o.state;
    d.unit = o.unit;
    b.declarations.push_back(d);
    b.flags.push_back(static_cast<model::SlotFlags>((o.fixed ? model::SlotFlag::fixed : 0) |
                                                (o.start ? model::SlotFlag::has_start : 0)));
    const std::uint32_t slot = b.own_slots++;
    b.slots = b.own_slots;
    if (o.start) number(model::BindingKind::start, slot, *o.start);
    if (o.minimum) number(model::BindingKind::minimum, slot, *o.minimum);
    if (o.maximum) number(model::BindingKind::maximum, slot, *o.maximum);
    if (o.nominal) number(model::BindingKind::nominal, slot, *o.nominal);
    const GiNaC::ex symbol = GiNaC::dynallocate<GiNaC::realsymbol>(name);
    slots.emplace(symbol, SlotId{slot});
    return symbol;
  }

  void equation(const GiNaC::relational& r, std::string label, bool initial) {
    const NodeId residual = exprs.sub(convert(r.lhs()), convert(r.rhs()));
    const model::Bound bound = model::forms().intern(exprs, residual);
    auto& list = initial ? b.initial_equations : b.equations;
    if (label.empty()) label = (initial ? "i" : "e") + std::to_string(++(initial ? initial_labels : labels));
    model::Equation e;
    e.form = bound.form;
    e.first = bind(bound, e.count);
    e.label = label;
    e.group = static_cast<std::uint32_t>(b.equation_groups.size());
    e.origin = initial ? model::EquationOrigin::initial : model::EquationOrigin::equation;
    model::EquationGroup g;
    g.label = label;
    g.first = static_cast<std::uint32_t>(list.size());
    b.equation_groups.push_back(g);
    list.push_back(e);
    b.total_equations = static_cast<std::uint32_t>(b.equations.size());
    b.total_initial = static_cast<std::uint32_t>(b.initial_equations.size());
  }
};

Model::Model() : data_(std::make_unique<Data>()) { data_->b.class_name = "model"; }
Model::~Model() = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;

GiNaC::ex Model::time() {
  static const GiNaC::ex t = GiNaC::dynallocate<GiNaC::realsymbol>("time");
  return t;
}

GiNaC::ex Model::variable(const std::string& name, const VariableOptions& o) {
  return data_->declare(name, model::Variability::continuous, o);
}

GiNaC::ex Model::parameter(const std::string& name, double value) {
  const GiNaC::ex p = data_->declare(name, model::Variability::parameter, {});
  data_->number(model::BindingKind::value, data_->b.own_slots - 1, value);
  return p;
}

GiNaC::ex Model::parameter(const std::string& name, const GiNaC::ex& value) {
  const NodeId v = data_->convert(value);
  const GiNaC::ex p = data_->declare(name, model::Variability::parameter, {});
  data_->binding(model::BindingKind::value, data_->b.own_slots - 1, v);
  return p;
}

void Model::add(const GiNaC::relational& r, const std::string& label) { data_->equation(r, label, false); }
void Model::initial(const GiNaC::relational& r, const std::string& label) { data_->equation(r, label, true); }

std::shared_ptr<const model::Blueprint> Model::blueprint() const { return std::make_shared<model::Blueprint>(data_->b); }

// Sums and products come in GiNaC's order, which differs between runs: put them into the order of their content.
NodeId Model::Data::terms(const GiNaC::ex& x, bool product) {
  std::vector<NodeId> list;
  for (std::size_t i = 0; i < x.nops(); ++i) list.push_back(convert(x.op(i)));
  std::sort(list.begin(), list.end(), [&](NodeId p, NodeId q) { return exprs.content_hash(p) < exprs.content_hash(q); });
  NodeId r = exprs.literal(product ? 1 : 0);
  for (NodeId n : list) r = product ? exprs.mul(r, n) : exprs.add(r, n);
  return r;
}

NodeId Model::Data::function(const GiNaC::ex& x) {
  const std::string name = GiNaC::ex_to<GiNaC::function>(x).get_name();
  if (name == "kron_der") {
    NodeId n = convert(x.op(0));
    for (int k = GiNaC::ex_to<GiNaC::numeric>(x.op(1)).to_int(); k > 0; --k)
      n = model::time_derivative(exprs, n, [&](Operand o) { return is_constant(o); });
    return n;
  }
  if (name == "kron_relax") return exprs.call(Fn::relax, {convert(x.op(0))});
  if (name == "kron_residue") return exprs.call(Fn::residue, {convert(x.op(0))});
  const auto fn = function_named(name);
  if (!fn) throw std::invalid_argument("unknown function " + name);
  std::vector<NodeId> args;
  for (std::size_t i = 0; i < x.nops(); ++i) args.push_back(convert(x.op(i)));
  return exprs.call(*fn, args);
}

NodeId Model::Data::convert(const GiNaC::ex& x) {
  if (GiNaC::is_a<GiNaC::numeric>(x)) {
    const auto& n = GiNaC::ex_to<GiNaC::numeric>(x);
    if (!n.is_real()) throw std::invalid_argument("a complex number in an equation");
    if (!n.is_rational()) return exprs.literal(exact(n.to_double()));
    std::ostringstream s;
    s << n;
    return exprs.literal(Rational(s.str()));
  }
  if (x.is_equal(GiNaC::Pi)) return exprs.operand(Operand::constant(model::pi_id()));
  if (x.is_equal(time())) return exprs.operand(Operand::time());
  if (auto it = slots.find(x); it != slots.end()) return exprs.operand(Operand::value(it->second));
  if (GiNaC::is_a<GiNaC::add>(x)) return terms(x, false);
  if (GiNaC::is_a<GiNaC::mul>(x)) return terms(x, true);
  if (GiNaC::is_a<GiNaC::power>(x)) {
    if (x.op(1).is_equal(-1)) return exprs.div(exprs.literal(1), convert(x.op(0)));
    return exprs.pow(convert(x.op(0)), convert(x.op(1)));
  }
  if (GiNaC::is_a<GiNaC::function>(x)) return function(x);
  std::ostringstream s;
  s << x;
  throw std::invalid_argument("no quantity of this model: " + s.str());
}

}  // namespace kron
