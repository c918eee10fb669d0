// The finished blueprint: bases of the children, marks of structural parameters, the content's hash.
#include <vector>

#include "engine/base/hash.hpp"
#include "lang/elaborate/builder.hpp"

namespace kron::elaborate {
using model::Blueprint;

// A form and its operands; one node asked for twice in a row is interned once.
std::pair<model::FormId, std::uint32_t> ClassBuilder::form(NodeId n, std::uint32_t& operands) {
  const model::Bound bound = model::forms().intern(c_.pool, n);
  const auto first = static_cast<std::uint32_t>(b_.operands.size());
  b_.operands.insert(b_.operands.end(), bound.operands.begin(), bound.operands.end());
  operands = static_cast<std::uint32_t>(bound.operands.size());
  return {bound.form, first};
}

void ClassBuilder::finish() {
  stage_ = Stage::finished;
  b_.class_name = definition_.name;
  b_.doc = definition_.statement->doc;
  b_.is_connector = definition_.statement->class_kind == syntax::ClassKind::connector;
  b_.is_record = definition_.statement->class_kind == syntax::ClassKind::record;
  for (const auto& [i, flags] : marks_) mark(i);
  for (auto& [key, inner] : inside_)
    if (inner)  // null: what was asked for failed
      mark_inside(static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key), *inner);
  b_.total_equations = static_cast<std::uint32_t>(b_.equations.size());
  b_.total_initial = static_cast<std::uint32_t>(b_.initial_equations.size());
  for (model::Child& c : b_.children) {
    c.equation_base = b_.total_equations;
    c.initial_base = b_.total_initial;
    b_.total_equations += c.type->total_equations;
    b_.total_initial += c.type->total_initial;
  }
  b_.key = content_key();
  auto made = std::make_shared<const Blueprint>(std::move(b_));
  out_->blueprint = made;
  out_->view = made.get();
}

// Of an element that is given alone no number shapes equations.
model::SlotFlags ClassBuilder::mark_of(std::uint32_t member, std::uint32_t element) const {
  const bool alone = members_[member].alone.contains(element);
  return alone ? marks_.at(member) & ~(model::SlotFlag::zero_shapes | model::SlotFlag::one_shapes) : marks_.at(member);
}

void ClassBuilder::mark(std::uint32_t member) {
  const MemberInfo& m = out_->members[member];
  if (m.kind != MemberInfo::Kind::variable) return;
  for (std::uint32_t i = 0; i < m.total && m.first + i < b_.flags.size(); ++i) b_.flags[m.first + i] |= mark_of(member, i);
}

// Parameters of components that this class's structure depends on: the component's blueprint is copied with marks.
void ClassBuilder::mark_inside(std::uint32_t member, std::uint32_t element, const ClassBuilder& inner) {
  const MemberInfo& m = out_->members[member];
  if (m.kind != MemberInfo::Kind::component || element >= m.total) return;
  model::Child& c = b_.children[m.first + element];
  c.type = inner.marked(c.type, *out_->types[m.first + element]);
}

std::shared_ptr<const Blueprint> ClassBuilder::marked(std::shared_ptr<const Blueprint> b, const Elaboration& type) const {
  std::shared_ptr<Blueprint> copy;
  auto own = [&] {
    if (!copy) copy = std::make_shared<Blueprint>(*b);
    return copy.get();
  };
  for (const auto& [i, unused] : marks_) {
    const MemberInfo* m = type.member(out_->members[i].name);
    if (m == nullptr || m->kind != MemberInfo::Kind::variable) continue;
    for (std::uint32_t k = m->first; k < m->first + m->total; ++k) {
      const model::SlotFlags flags = mark_of(i, k - m->first);
      if (const model::SlotFlags have = copy ? copy->flags[k] : b->flags[k]; (have & flags) != flags) {
        own()->flags[k] |= flags;
        copy->key = combine(copy->key, std::uint64_t{flags} << 32 | k);
      }
    }
  }
  for (const auto& [key, inner] : inside_) {
    const MemberInfo* m = type.member(out_->members[key >> 32].name);
    const auto element = static_cast<std::uint32_t>(key);
    if (m == nullptr || m->kind != MemberInfo::Kind::component || element >= m->total) continue;
    const auto& child = b->children[m->first + element].type;
    auto changed = inner->marked(child, *type.types[m->first + element]);
    if (changed == child) continue;
    own()->children[m->first + element].type = changed;
    copy->key = combine(copy->key, changed->key);
  }
  if (copy) return copy;
  return b;
}

namespace {

// By value: the numbers of constants follow the session.
std::uint64_t hash_of(const model::ConstantValue& v) { return v.is_pi ? 0x314 : content_hash(v.value); }

std::uint64_t hash_of(const model::Declaration& d) {
  std::uint64_t h = combine(d.name.hash(), d.first);
  for (std::uint32_t s : d.sizes) h = combine(h, s);
  h = combine(h, static_cast<std::uint64_t>(d.variability) << 16 | static_cast<std::uint64_t>(d.type) << 8 | static_cast<std::uint64_t>(d.state));
  return combine(combine(h, d.unit.hash()), d.enumeration.hash());
}

}  // namespace

std::uint64_t ClassBuilder::content_key() const {
  std::uint64_t h = b_.class_name.hash();
  std::vector<std::uint64_t> constants;  // by number; 0: not yet
  const auto operand_hash = [&constants](model::Operand o) -> std::uint64_t {
    if (o.kind() != model::OperandKind::constant) return o.bits;
    if (o.index() >= constants.size()) constants.resize(o.index() + 1);
    std::uint64_t& known = constants[o.index()];
    if (known == 0) known = hash_of(model::constant(model::ConstId{o.index()}));
    return known;
  };
  auto add = [&h](std::uint64_t v) { h = absorb(h, v); };
  for (const auto& d : b_.declarations) add(hash_of(d));
  for (model::SlotFlags f : b_.flags) add(f);
  for (const auto& c : b_.children) {
    add(c.name.hash());
    for (std::uint32_t i : c.index) add(i);
    add(c.type->key);
  }
  auto& forms = model::forms();
  auto bound = [&](model::FormId f, std::uint32_t first, std::uint32_t count) {
    add(forms.content_hash(f));
    for (model::Operand o : b_.bound(first, count)) add(operand_hash(o));
  };
  for (const auto& x : b_.bindings) {
    add(static_cast<std::uint64_t>(x.kind) << 32 | x.slot);
    bound(x.form, x.first, x.count);
  }
  if (b_.gives_derivatives)
    for (const auto& g : b_.equation_groups) {
      add(combine(combine(g.rates.size(), g.derivatives.size()), g.derivative_axes));
      for (std::uint32_t slot : g.rates) add(slot);
      for (const auto& d : g.derivatives) {
        add(forms.content_hash(d.form));
        for (model::Operand o : d.operands) add(operand_hash(o));
      }
    }
  for (const auto* list : {&b_.equations, &b_.initial_equations}) {
    add(list->size());
    for (const auto& q : *list) {
      add(combine(combine(q.label.hash(), q.element), std::uint64_t{q.target} << 8 | static_cast<std::uint8_t>(q.origin)));
      bound(q.form, q.first, q.count);
    }
  }
  for (const auto& t : b_.tears) {
    add(combine(hash_text(t.label), t.untear));
    for (model::Operand o : t.variables) add(operand_hash(o));
  }
  for (const auto& a : b_.assertions) {
    add(hash_text(a.text));
    bound(a.condition, a.first, a.count);
    for (const model::Bound& v : a.values) {
      add(forms.content_hash(v.form));
      for (model::Operand o : v.operands) add(operand_hash(o));
    }
  }
  for (const auto& a : b_.actions) {
    add(combine(hash_text(a.text), std::uint64_t{a.slot} << 8 | static_cast<std::uint8_t>(a.kind)));
    for (const model::Bound* v : {&a.trigger, &a.value}) {
      add(forms.content_hash(v->form));
      for (model::Operand o : v->operands) add(operand_hash(o));
    }
  }
  for (const auto& c : b_.connections) {
    for (const auto& [x, y] : c.potentials) add(std::uint64_t{x} << 32 | y);
    for (const auto& [x, y] : c.flows) add(combine(x.slot * 2 + x.outside, y.slot * 2 + y.outside));
    for (const auto& [x, y] : c.signals) add(~(std::uint64_t{x} << 32 | y));
  }
  return mix(h);
}

}  // namespace kron::elaborate
