// Where a path leads once the slots exist, and the value there.
#include "lang/elaborate/builder.hpp"
#include "lang/elaborate/scoped.hpp"
#include "lang/elaborate/text.hpp"

namespace kron::elaborate {
using syntax::Part;
using syntax::Prefix;

// The component or variable of the class itself.
Reached ClassBuilder::reach(const std::vector<Part>& path, std::uint32_t index, Evaluator& e, Span span) {
  const MemberInfo& info = out_->members[index];
  Reached r;
  r.at.push_back({out_.get(), 0});
  enter(r, info, path[0], e, span);
  if (info.kind == MemberInfo::Kind::component && !r.at.empty()) r.outside = r.at[0].type->view->is_connector || info.is_shadow;
  for (std::size_t k = 1; k < path.size() && !r.absent; ++k) walk_part(r, path[k], e, span);
  return r;
}

// One part further.
void ClassBuilder::walk_part(Reached& r, const Part& part, Evaluator& e, Span span) {
  if (r.member->kind == MemberInfo::Kind::variable)
    c_.report.fail("E0212", span, "`" + r.member->name.str() + "` is a quantity and has no `" + part.name.str() + "`");
  if (r.at.empty()) {  // an empty array of components
    r.sizes.push_back(0);
    return;
  }
  const Elaboration& type = *r.at[0].type;
  const MemberInfo* info = type.member(part.name);
  if (info == nullptr) unknown_member(part.name, *type.definition, type.names(), span);
  if (info->is_private && !r.at[0].type->view->is_record) c_.report.fail("E0213", span, "`" + part.name.str() + "` is private to `" + type.definition->name.str() + "`");
  r.finals = r.finals || !type.finals.empty();
  enter(r, *info, part, e, span);
}

// Replaces r.at by the component's elements (or fills r.slots) for each instance in r.at.
void ClassBuilder::enter(Reached& r, const MemberInfo& info, const Part& part, Evaluator& e, Span span) {
  r.member = &info;
  r.slots.clear();
  switch (info.kind) {
    case MemberInfo::Kind::failed: throw Failed{};
    case MemberInfo::Kind::absent: r.absent = true; return;
    default: break;
  }
  if (r.at.size() == 1 && info.kind == MemberInfo::Kind::component && part.subscripts.empty() && info.total == 1 && info.sizes.empty()) {
    Where& w = r.at[0];  // as most are
    w = {w.type->types[info.first].get(), w.base + w.type->view->children[info.first].slot_base};
    return;
  }
  Small<Where, 2> next;
  bool first = true;
  for (const Where& w : r.at) {
    const MemberInfo* m = first ? &info : w.type->member(part.name);
    if (m == nullptr || m->kind != info.kind) c_.report.fail("E0212", span, "`" + part.name.str() + "` is not in every element of the array");
    if (part.subscripts.empty() && m->total == 1 && m->sizes.empty()) {  // the common case
      take_element(r, next, w, *m, 0);
      first = false;
      continue;
    }
    const Selection sel = e.select(m->sizes, part.subscripts, 0, span);
    if (first) r.sizes.append(sel.sizes);
    else if (!(m->sizes == info.sizes)) c_.report.fail("E0220", span, "`" + part.name.str() + "` differs in size from element to element");
    for (std::uint32_t o : sel.offsets) take_element(r, next, w, *m, o);
    first = false;
  }
  if (info.kind == MemberInfo::Kind::component) r.at = std::move(next);
}

void ClassBuilder::take_element(Reached& r, Small<Where, 2>& next, const Where& w, const MemberInfo& m, std::uint32_t element) {
  if (m.kind == MemberInfo::Kind::variable) {
    r.slots.push_back(w.base + m.first + element);
    return;
  }
  const std::uint32_t child = m.first + element;
  next.push_back({w.type->types[child].get(), w.base + w.type->view->children[child].slot_base});
}

Value ClassBuilder::value_of(const Reached& r, Span span) {
  const MemberInfo& info = *r.member;
  if (r.absent) {
    auto& e = c_.report.error("E0235", span, "`" + info.name.str() + "` is absent: its condition is false");
    e.notes.push_back({info.span, "it is declared here"});
    throw Failed{};
  }
  Value v;
  v.sizes = r.sizes;
  v.type = info.type;
  v.variability = info.variability;
  if (info.kind == MemberInfo::Kind::component) {
    record_value(v, r, span);
    return v;
  }
  v.enumeration = info.enumeration;
  v.dimension = info.dimension;
  v.counting = info.counting;
  if (info.type == ValueType::string) {
    if (!info.texts) throw Failed{};
    v.texts = info.texts;
    v.sizes = info.sizes;
    return v;
  }
  v.nodes.reserve(r.slots.size());
  for (std::uint32_t s : r.slots) v.nodes.push_back(element_node(r, s));
  return v;
}

void ClassBuilder::record_value(Value& v, const Reached& r, Span span) {
  if (r.at.empty()) c_.report.fail("E0210", span, "`" + r.member->name.str() + "` is an empty array of components, not a value");
  const Elaboration& type = *r.at[0].type;
  if (!type.view->is_record) {
    c_.report.fail("E0210", span, "`" + r.member->name.str() + "` is a component, not a value", type.names().empty() ? "" : "name one of its quantities, as in `" + r.member->name.str() + "." + type.names().front() + "`");
  }
  v.record = record_type(type);
  v.type = ValueType::real;
  v.dimension = {};
  for (const Where& w : r.at)
    for (std::uint32_t k = 0; k < v.record->width; ++k) v.nodes.push_back(c_.pool.operand(model::Operand::value(model::SlotId{w.base + k})));
}

// ---- what a slot is -------------------------------------------------------------------------------------------------------------

namespace {

// What declares a slot, in the class or below.
const model::Declaration* declaration_of(const Elaboration* type, std::uint32_t slot) {
  while (slot >= type->view->own_slots) {
    const auto& children = type->view->children;
    auto it = std::upper_bound(children.begin(), children.end(), slot, [](std::uint32_t s, const model::Child& c) { return s < c.slot_base; });
    if (it == children.begin()) return nullptr;
    do --it;
    while (it->type->slots == 0 && it != children.begin());
    slot -= it->slot_base;
    type = type->types[static_cast<std::size_t>(it - children.begin())].get();
  }
  const auto& all = type->view->declarations;
  const auto it = std::upper_bound(all.begin(), all.end(), slot, [](std::uint32_t s, const model::Declaration& d) { return s < d.first; });
  return it == all.begin() ? nullptr : &*std::prev(it);
}

}  // namespace

bool ClassBuilder::is_constant(model::Operand o) {
  if (o.kind() != model::OperandKind::value) return true;
  const model::Declaration* d = declaration_of(out_.get(), o.index());
  return d != nullptr && d->variability <= Variability::parameter;
}

}  // namespace kron::elaborate
