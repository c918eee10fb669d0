// Outer components. A blueprint speaks only of slots inside it, so a class that uses `outer world : World` gets a private stand-in:
// World's used parameters, variables and connectors without equations. Whoever holds the real one (or a stand-in of its own) ties
// them together: parameters by bindings, variables as equal, connectors as connected. The stand-in's connectors act as the
// class's own connectors, so flows keep their signs.
#include <algorithm>

#include "lang/elaborate/builder.hpp"
#include "lang/elaborate/scoped.hpp"
#include "lang/elaborate/text.hpp"
#include "lang/elaborate/visit.hpp"

namespace kron::elaborate {
using syntax::Part;
using syntax::Prefix;

namespace {

void add_unique(std::vector<Name>& list, Name n) {
  if (std::find(list.begin(), list.end(), n) == list.end()) list.push_back(n);
}

}  // namespace

// Which members of its outer components the class's text names.
void ClassBuilder::find_outer_uses() {
  std::vector<std::uint32_t> outers;
  for (std::uint32_t i = 0; i < members_.size(); ++i)
    if (members_[i].is_outer) outers.push_back(i);
  if (outers.empty()) return;
  for (std::uint32_t i : outers) {
    Member& m = members_[i];
    if (!m.is_component || !m.declared->sizes.empty()) c_.report.fail("E0261", m.declared->span, "`outer` stands before one component: `outer world : World`");
    m.component_type = &find_class(m.statement->class_path, m.layer, m.statement->span);
    if (is_top()) {
      default_outer(i);
      continue;
    }
    shadows_.push_back({m.declared->name, m.component_type, {}, m.declared->span});
    m.need = &shadows_.back();
  }
  for (const Layer& l : layers_)
    each_reference(*l.definition->statement, [&](const syntax::Expr& e) {
      if (e.path.size() < 2) return;
      for (OuterNeed& n : shadows_)
        if (n.name == e.path[0].name) add_unique(n.members, e.path[1].name);
    });
}

// Nobody holds the outer component: one default instance at top level.
void ClassBuilder::default_outer(std::uint32_t index) {
  Member& m = members_[index];
  m.is_outer = false;
  auto& d = c_.report.note("N0210", m.declared->span, "no enclosing `" + m.declared->name.str() + "`: one with default values was made at top level");
  d.help = "declare your own at top level: `" + m.declared->name.str() + " : " + m.component_type->name.str() + "(…)`";
}

std::uint32_t ClassBuilder::add_default_outer(Name name, const Definition& d, Span span) {
  auto s = std::make_shared<syntax::Stmt>();
  s->kind = syntax::StmtKind::declaration;
  s->prefix = Prefix::component;
  s->span = span;
  s->class_path.push_back({d.name, {}});
  s->names.push_back({name, {}, {}, span});
  synthetic_.push_back(s);
  add_member(*s, s->names[0], 0, {});
  const auto index = static_cast<std::uint32_t>(members_.size() - 1);
  members_[index].component_type = &d;
  default_outer(index);
  return index;
}

// The component that an inner class means by its outer name, if it is here.
std::optional<std::uint32_t> ClassBuilder::holder(Name name) const {
  const auto index = own(name);
  if (!index || members_[*index].is_outer || !members_[*index].is_component) return std::nullopt;
  return index;
}

const Definition* ClassBuilder::held_outside(Name name) const {
  for (const ClassBuilder* b = env_.parent; b != nullptr; b = b->env_.parent)
    if (const auto m = b->holder(name)) return b->members_[*m].component_type;
  return nullptr;
}

// ---- values before the slots exist ---------------------------------------------------------------------------------------------

// A parameter of an outer component, for a component of this class.
Answer ClassBuilder::outer_value(const Question& q) {
  const Name name = q.path[0].name;
  auto m = holder(name);
  if (!m && env_.parent != nullptr) return ask(q);
  if (!m) m = add_default_outer(name, *q.outer, q.span);
  ClassBuilder& b = inside(*m, 0, q.span);
  const auto p = b.find(q.path[1].name, 0xffffffff);
  if (!p) unknown_member(q.path[1].name, b.definition_, b.names(), q.span);
  const Span span = members_[*m].declared->span;
  try {
    return made(b.known(*p, q.span), span);
  } catch (const FoundAtStart&) {
    return no_value_before_start(span);
  }
}

// In a stand-in every parameter has the value of the real one.
Answer ClassBuilder::ask_shadow(Name member, std::uint32_t rank, const EnumType* expected) {
  Question q;
  q.kind = Ask::outer;
  q.path.push_back({env_.shadow->name, 0, 1, 0, {}});
  q.path.push_back({member, 0, 1, 0, {}});
  q.rank = rank;
  q.expected = expected;
  q.outer = env_.shadow->definition;
  q.span = env_.shadow->span;
  return ask(q);
}

Environment ClassBuilder::shadow_environment(const OuterNeed& need) {
  Environment env;
  env.parent = this;
  env.step = {need.name, 0, 1, 0, {}};
  env.shadow = &need;
  env.place = need.span;
  return env;
}

ClassBuilder& ClassBuilder::shadow_scope(std::uint32_t index) {
  auto& slot = inside_[(std::uint64_t{index} << 32) | 0xffffffff];
  if (!slot) {
    const OuterNeed& need = *members_[index].need;
    slot = std::make_unique<ClassBuilder>(c_, *need.definition, shadow_environment(need));
    slot->collect();
  }
  return *slot;
}

Value ClassBuilder::outer_early(const syntax::Expr& x, std::size_t part, std::uint32_t index, Evaluator& e) {
  if (part + 1 >= x.path.size()) c_.report.fail("E0210", x.span, quoted(x.path) + " is a component, not a value");
  return shadow_scope(index).inner_early(x, part + 1, e);
}

Variability ClassBuilder::outer_variability(const std::vector<Part>& path, std::size_t part, std::uint32_t index) {
  if (part + 1 >= path.size()) return Variability::continuous;
  ClassBuilder& b = shadow_scope(index);
  const auto m = b.find(path[part + 1].name, 0xffffffff);
  return m ? b.variability_of(path, part + 1, *m) : Variability::continuous;
}

const EnumType* ClassBuilder::outer_enumeration(const std::vector<Part>& path, std::size_t part, std::uint32_t index) {
  if (part + 1 >= path.size()) return nullptr;
  ClassBuilder& b = shadow_scope(index);
  const auto m = b.find(path[part + 1].name, 0xffffffff);
  return m ? b.enumeration_of(path, part + 1, *m) : nullptr;
}

// ---- stand-ins ------------------------------------------------------------------------------------------------------------------

// A component needs outer ones: they are here, or this class needs a stand-in too.
void ClassBuilder::need_outer(const Elaboration& type) {
  for (const OuterNeed& n : type.needs) {
    if (is_top()) outer_[n.name] = n.definition;
    if (holder(n.name)) continue;
    if (is_top()) {
      add_default_outer(n.name, *n.definition, n.span);  // declared as the loop over the members reaches it
      continue;
    }
    auto it = std::find_if(shadows_.begin(), shadows_.end(), [&](const OuterNeed& s) { return s.name == n.name; });
    if (it == shadows_.end()) {
      shadows_.push_back({n.name, n.definition, {}, n.span});
      it = shadows_.end() - 1;
    }
    for (Name x : n.members) add_unique(it->members, x);
  }
}

// Of two worlds bodies take one, and the other holds what is connected to it, with its own gravity.
void ClassBuilder::warn_of_others() {
  for (const auto& [name, definition] : outer_)
    for (const Member& m : members_) {
      const bool is_other = m.is_component && !m.is_outer && m.component_type == definition && m.declared->name != name;
      if (!is_other || !c_.report.first("W0210", m.declared->span)) continue;
      auto& d = c_.report.warning("W0210", m.declared->span,
                                  "`" + m.declared->name.str() + "` is another `" + definition->name.str() + "`: components that ask for one take `" + name.str() + "`, and what is connected to `" + m.declared->name.str() +
                                      "` has that one's values");
      d.help = "call it `" + name.str() + "`, or take it out";
    }
}

void ClassBuilder::declare_shadows() {
  for (const OuterNeed& need : shadows_) {
    if (need.members.empty()) continue;
    check_shadow(need);
    Requested r = elaborate_class(c_, *need.definition, shadow_environment(need));
    child_roots_.push_back(r.root);
    if (r.elaboration->failed) {
      c_.taken.push_back({r.elaboration, {{need.span, "through this outer component"}}});
      throw Failed{};
    }
    const auto declared = own(need.name);
    MemberInfo made;
    MemberInfo& info = declared ? out_->members[*declared] : made;
    info.name = need.name;
    info.kind = MemberInfo::Kind::component;
    info.is_shadow = true;
    info.is_private = true;
    info.first = static_cast<std::uint32_t>(b_.children.size());
    info.total = 1;
    info.variability = Variability::continuous;
    info.span = need.span;
    model::Child child;
    child.name = need.name;
    child.type = r.elaboration->blueprint;
    child.slot_base = add_slots(r.elaboration->blueprint->slots, need.span);
    child.is_private = true;
    child.span = need.span;
    b_.children.push_back(std::move(child));
    out_->types.push_back(r.elaboration);
    if (!declared) {
      out_->index.emplace(need.name, static_cast<std::uint32_t>(out_->members.size()));
      out_->members.push_back(info);
    }
    out_->needs.push_back(need);
  }
}

// Models inside an outer component would bring their equations with them.
void ClassBuilder::check_shadow(const OuterNeed& need) {
  ClassBuilder b(c_, *need.definition, shadow_environment(need));
  b.collect();
  for (std::uint32_t i = 0; i < b.members_.size(); ++i) {
    const Member& m = b.members_[i];
    if (!m.is_component || std::find(need.members.begin(), need.members.end(), m.declared->name) == need.members.end()) continue;
    const Definition& d = b.find_class(m.statement->class_path, m.layer, m.statement->span);
    if (d.statement->class_kind == syntax::ClassKind::model)
      c_.report.fail("E0261", need.span, "of an outer component only variables, parameters and connectors can be used, and `" + m.declared->name.str() + "` is a model");
  }
  for (Name n : need.members)
    if (!b.find(n, 0xffffffff)) unknown_member(n, *need.definition, b.names(), need.span);
}

// Ties the components' stand-ins to what this class has under the name.
void ClassBuilder::connect_shadows() {
  for (std::uint32_t child = 0; child < b_.children.size(); ++child)
    for (const OuterNeed& n : out_->types[child]->needs) {
      const MemberInfo* owner = out_->member(n.name);
      if (owner == nullptr || owner->kind != MemberInfo::Kind::component || owner->total == 0) continue;
      link_shadow(*owner, child, n);
    }
}

void ClassBuilder::link_shadow(const MemberInfo& owner, std::uint32_t child, const OuterNeed& need) {
  const Elaboration& inner = *out_->types[child];
  const MemberInfo& stand_in = *inner.member(need.name);
  const Elaboration &target = *inner.types[stand_in.first], &source = *out_->types[owner.first];
  const std::uint32_t to = b_.children[child].slot_base + inner.view->children[stand_in.first].slot_base;
  const std::uint32_t from = b_.children[owner.first].slot_base;
  model::Connection c;
  c.text = std::make_shared<const std::string>(b_.children[child].name.str() + "." + need.name.str() + ", " + need.name.str());
  c.span = need.span;
  for (Name n : need.members) {
    const MemberInfo *s = source.member(n), *t = target.member(n);
    if (s == nullptr) unknown_member(n, *source.definition, source.names(), need.span);
    if (t == nullptr || s->kind != t->kind || !(s->sizes == t->sizes)) c_.report.fail("E0261", need.span, "`" + n.str() + "` of `" + need.name.str() + "` is not what the outer declaration says");
    if (s->kind == MemberInfo::Kind::variable) link_slots(*s, from + s->first, to + t->first, s->total, c, need.span);
    if (s->kind != MemberInfo::Kind::component) continue;
    for (std::uint32_t k = 0; k < s->total; ++k)
      link_component(source, *s, from, target, *t, to, k, c);
  }
  if (!c.potentials.empty() || !c.flows.empty()) b_.connections.push_back(std::move(c));
}

void ClassBuilder::link_slots(const MemberInfo& s, std::uint32_t from, std::uint32_t to, std::uint32_t n, model::Connection& c, Span span) {
  for (std::uint32_t i = 0; i < n; ++i) {
    if (s.variability > Variability::parameter) {
      c.potentials.push_back({from + i, to + i});
      continue;
    }
    const NodeId node = c_.pool.operand(model::Operand::value(model::SlotId{from + i}));
    std::uint32_t operands = 0;
    const auto [f, first] = form(node, operands);
    b_.bindings.push_back({model::BindingKind::value, to + i, f, first, operands, span});
  }
}

void ClassBuilder::link_component(const Elaboration& source, const MemberInfo& s, std::uint32_t from, const Elaboration& target,
                                  const MemberInfo& t, std::uint32_t to, std::uint32_t k, model::Connection& c) {
  const std::uint32_t a = from + source.view->children[s.first + k].slot_base, b = to + target.view->children[t.first + k].slot_base;
  const Elaboration& type = *source.types[s.first + k];
  if (!type.view->is_connector) {  // a record
    for (std::uint32_t i = 0; i < type.view->slots; ++i) link_slots(s, a + i, b + i, 1, c, c.span);
    return;
  }
  const ConnectorLayout &x = connector_layout(type), &y = connector_layout(*target.types[t.first + k]);
  for (std::size_t i = 0; i < x.records.size() && i < y.records.size(); ++i)
    out_->graph.ties.push_back({a + x.records[i].slot, b + y.records[i].slot, 0});
  for (std::size_t i = 0; i < x.parts.size() && i < y.parts.size(); ++i) {
    const std::uint32_t p = a + x.parts[i].slot, q = b + y.parts[i].slot;
    if (x.parts[i].kind == ConnectorPart::Kind::flow) c.flows.push_back({{p, false}, {q, false}});
    else c.potentials.push_back({p, q});
  }
}

}  // namespace kron::elaborate
