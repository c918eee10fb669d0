// Emitting what declarations and modifications say: bindings of parameters and attributes, equations of variables.
#include "lang/elaborate/builder.hpp"
#include "lang/elaborate/scoped.hpp"
#include "lang/elaborate/text.hpp"

namespace kron::elaborate {
using model::Binding;
using model::BindingKind;
using syntax::Modification;
using syntax::Prefix;

namespace {

std::optional<BindingKind> attribute_kind(Name n) {
  static const Name start("start"), min("min"), max("max"), nominal("nominal");
  if (n == start) return BindingKind::start;
  if (n == min) return BindingKind::minimum;
  if (n == max) return BindingKind::maximum;
  if (n == nominal) return BindingKind::nominal;
  return std::nullopt;
}

bool structural_attribute(Name n) {
  static const Name fixed("fixed"), state("state");
  return n == fixed || n == state;
}

const char* kind_text(BindingKind k) {
  switch (k) {
    case BindingKind::start: return ".start";
    case BindingKind::minimum: return ".min";
    case BindingKind::maximum: return ".max";
    case BindingKind::nominal: return ".nominal";
    default: return "";
  }
}

}  // namespace

void ClassBuilder::emit_members() {
  for (const Modification& m : made_)
    if (!own(m.path[0].name)) {
      auto& d = c_.report.error("E0252", m.span, "there is no `" + m.path[0].name.str() + "` to set");
      d.help = suggestion(m.path[0].name.str(), names());
    }
  for (std::uint32_t i = 0; i < members_.size(); ++i) {
    if (members_[i].failed) continue;
    const MemberInfo::Kind kind = out_->members[i].kind;
    if (kind == MemberInfo::Kind::absent || out_->members[i].is_shadow) continue;
    if (emit_as_before(i)) continue;
    if (members_[i].kept == no_place) guarded_emission([&] { emit_member(i); });
    else emit_and_keep(i);
    if (asking_ && !members_[i].items.empty()) out_->graph_varies = true;  // a modification's text asks
    watch_answers(*members_[i].statement);
    c_.tidy();
  }
}

// False: it is to be elaborated.
bool ClassBuilder::emit_as_before(std::uint32_t index) {
  const Member& m = members_[index];
  if (m.kept == no_place) return false;
  const KeptComponent& k = kept_->components[m.kept];
  if (!k.statement) return false;
  const auto first = static_cast<std::uint32_t>(b_.operands.size());
  const std::uint32_t base = b_.children[out_->members[index].first].slot_base;
  b_.operands.insert(b_.operands.end(), k.operands.begin(), k.operands.end());
  grow(b_.bindings, k.bindings.size());
  for (Binding x : k.bindings) {
    x.slot += base;
    x.first += first;
    b_.bindings.push_back(x);
  }
  return true;
}

// Only where bindings of numbers are all that it gives.
void ClassBuilder::emit_and_keep(std::uint32_t index) {
  const auto others = [&] { return b_.equations.size() + out_->finals.size() + c_.report.sink->list.list().size(); };
  const std::size_t bindings = b_.bindings.size(), operands = b_.operands.size(), before = others();
  guarded_emission([&] { emit_member(index); });
  const Member& m = members_[index];
  KeptComponent& k = kept_->components[m.kept];
  k.bindings.append(b_.bindings.data() + bindings, b_.bindings.size() - bindings);
  k.operands.append(b_.operands.data() + operands, b_.operands.size() - operands);
  const bool of_numbers = std::ranges::none_of(k.operands, [](model::Operand o) { return o.has_slot(); });
  if (c_.report.sink->failed || others() != before || !of_numbers) return;
  const std::uint32_t base = b_.children[out_->members[index].first].slot_base;
  for (Binding& x : k.bindings) {
    x.slot -= base;
    x.first -= static_cast<std::uint32_t>(operands);
  }
  k.statement = *m.own_text;
}

// Outermost first; what has been said is not said again (where there is anything to choose between).
void ClassBuilder::emit_member(std::uint32_t index) {
  const Member& m = members_[index];
  const std::string& name = m.declared->name.str();
  claiming_ = !m.items.empty();
  given_.clear();
  if (!claims_.empty()) claims_.clear();  // an empty one costs its buckets
  if (!claimed_.empty()) claimed_.clear();
  for (const Item& i : m.items)
    guarded_emission([&] {
      Evaluator e(c_, home(i.layer), Mode::normal);
      const syntax::Part& head = i.mod->path[i.offset];
      apply_parts(i, reach({head}, index, e, i.mod->span), e, name + subscript_text(head, e));
    });
  if (m.declared->attributes.empty() && m.statement->mods.empty() && !m.statement->value) return;
  Evaluator e(c_, home(m.layer), Mode::normal);
  const Reached all = reach({{m.declared->name, {}}}, index, e, m.declared->span);
  for (const auto* list : {&m.declared->attributes, &m.statement->mods})
    for (const Modification& x : *list) guarded_emission([&] { apply({&x, 0, this, m.layer, 0, false, false}, all, e, name); });
  for (const auto& [label, given] : given_) guarded_emission([&] { check_own_final(label, *given); });
  if (m.statement->value) own_binding(index, all, e);
}

bool ClassBuilder::has_colon(const syntax::Declared& d) {
  return std::any_of(d.sizes.begin(), d.sizes.end(), [](const auto& s) { return s->kind == syntax::ExprKind::colon; });
}

std::string ClassBuilder::subscript_text(const syntax::Part& p, Evaluator& e) {
  if (p.subscripts.empty()) return {};
  std::string t = "[";
  for (const auto& s : p.subscripts) t += (t.size() > 1 ? "," : "") + std::to_string(e.integer(*s, "an index"));
  return t + "]";
}

// `variable v = e`, `parameter p = e`
void ClassBuilder::own_binding(std::uint32_t index, const Reached& all, Evaluator& e) {
  const Member& m = members_[index];
  const MemberInfo& info = out_->members[index];
  // What an outer modification replaces: an equation must go; a parameter's default may stay (so blueprints stay equal), but not
  // where the shape is open, or where a final modification has made a constant of the parameter.
  const bool open = info.variability != Variability::parameter || has_colon(*m.declared);
  if (open && environment_says(info.name, Name())) return;
  if (!claim(info.name.str(), "")) return;
  if (!env_.whole.empty() && says_value(env_.whole)) return;
  assign_value(all, *m.statement->value, e, info.name.str(), m.statement->doc, false);
}

bool ClassBuilder::says_value(const Items& items) {
  for (const Item& i : items)
    if (i.mod->value) return true;
  return false;
}

// ---- modifications --------------------------------------------------------------------------------------------------------------

void ClassBuilder::apply_parts(const Item& i, const Reached& at, Evaluator& e, const std::string& label) {
  Item next = i;
  ++next.offset;
  apply(next, at, e, label);
}

// From the component or variable reached so far to what the rest of the path names.
void ClassBuilder::apply(const Item& i, const Reached& at, Evaluator& e, const std::string& label) {
  const Modification& mod = *i.mod;
  if (i.offset < mod.path.size()) {
    const syntax::Part& part = mod.path[i.offset];
    if (at.absent) return;
    if (at.member->kind == MemberInfo::Kind::variable) {
      if (i.offset + 1 != mod.path.size()) c_.report.fail("E0216", mod.span, "`" + part.name.str() + "` is an attribute: nothing comes after it");
      apply_attribute(part.name, mod, at, e, label);
      return;
    }
    Item next = i;
    ++next.offset;
    apply(next, step_into(at, part, e, mod), e, label + "." + part.name.str() + subscript_text(part, e));
    return;
  }
  if (at.absent) return;
  if (mod.is_final) {
    out_->finals.push_back(path_names(label));
    b_.has_finals = true;
  }
  if (mod.value) apply_value(i, at, e, label);
  for (const Modification& inner : mod.nested) guarded_emission([&] { apply({&inner, 0, this, i.layer, 0, false, i.assigned}, at, e, label); });
  if (!mod.value && mod.nested.empty() && mod.replacement.empty()) c_.report.fail("E0216", mod.span, "`" + label + "` is modified with nothing: write `" + mod.path.back().name.str() + " = …`");
}

std::vector<Name> ClassBuilder::path_names(const std::string& label) {
  std::vector<Name> names;
  std::string word;
  bool inside = false;
  for (char ch : label + ".") {
    if (ch == '[') inside = true;
    if (ch == '.' && !inside) {
      names.push_back(Name(word));
      word.clear();
    } else if (!inside) {
      word += ch;
    }
    if (ch == ']') inside = false;
  }
  return names;
}

Reached ClassBuilder::step_into(const Reached& at, const syntax::Part& part, Evaluator& e, const Modification& mod) {
  Reached r = at;
  walk_part(r, part, e, mod.span);
  if (r.member != nullptr && r.member->is_private) c_.report.fail("E0213", mod.span, "`" + part.name.str() + "` is private and cannot be modified from outside");
  return r;
}

void ClassBuilder::apply_value(const Item& i, const Reached& at, Evaluator& e, const std::string& label) {
  const Modification& mod = *i.mod;
  if (!claim(label, "")) return;
  if (claiming_ && !mod.is_final) given_.emplace_back(label, &mod);
  if (at.finals || at.member->is_final) check_final(at, label, mod);
  if (at.member->variability != Variability::parameter && !env_.items.empty() && environment_says_path(path_names(label))) return;
  if (i.assigned) check_assignment(at, mod, label);
  assign_value(at, *mod.value, e, label, {}, i.assigned);
}

// `:=` reaches parameters, start values and the top level's inputs.
void ClassBuilder::check_assignment(const Reached& at, const Modification& mod, const std::string& label) {
  const MemberInfo& info = *at.member;
  const bool input = info.prefix == Prefix::input && mod.path.size() == 1;
  if (input || info.variability == Variability::parameter) return;
  if (info.variability == Variability::constant) c_.report.fail("E0252", mod.span, "`" + label + "` is a constant");
  c_.report.fail("E0252", mod.span, "`" + label + "` is " + (info.kind == MemberInfo::Kind::component ? "a component" : "a variable") + ": `:=` sets a parameter, a start value or an input",
                 "its start value is set by `" + label + ".start := …`, an equation is written `" + label + " = …`");
}

void ClassBuilder::check_final(const Reached& at, const std::string& label, const Modification& mod) {
  bool is_final = at.member->is_final;
  if (!is_final && !at.at.empty()) {
    const std::vector<Name> path = path_names(label);
    const Elaboration* type = out_.get();
    for (std::size_t k = 0; k + 1 < path.size() && type != nullptr && !is_final; ++k) {
      const MemberInfo* info = type->member(path[k]);
      if (info == nullptr || info->kind != MemberInfo::Kind::component || info->total == 0) break;
      type = type->types[info->first].get();
      const std::vector<Name> rest(path.begin() + static_cast<std::ptrdiff_t>(k) + 1, path.end());
      is_final = std::find(type->finals.begin(), type->finals.end(), rest) != type->finals.end();
    }
  }
  if (is_final) c_.report.fail("E0215", mod.span, "`" + label + "` is final and cannot be changed");
}

// What is given from outside the component's own statement, which may say that it is final.
void ClassBuilder::check_own_final(const std::string& label, const Modification& given) {
  if (std::ranges::find(out_->finals, path_names(label)) == out_->finals.end()) return;
  c_.report.fail("E0215", given.span, "`" + label + "` is final and cannot be changed", "the component's own modification says so");
}

bool ClassBuilder::claim(const std::string& label, const char* what) { return !claiming_ || claims_.insert(label + what).second; }

// Some elements of an array may have been given before the rest: `a[2] := 7`.
bool ClassBuilder::claim(BindingKind kind, std::uint32_t slot) {
  return !claiming_ || claimed_.insert(std::uint64_t{static_cast<std::uint8_t>(kind)} << 32 | slot).second;
}

void ClassBuilder::apply_attribute(Name name, const Modification& mod, const Reached& at, Evaluator& e, const std::string& label) {
  const auto kind = attribute_kind(name);
  if (!kind && !structural_attribute(name)) {
    c_.report.fail("E0216", mod.span, "`" + name.str() + "` is no attribute", suggestion(name.str(), {"start", "fixed", "min", "max", "nominal", "state"}));
  }
  if (!kind) return;  // fixed, state: in the declaration's flags
  if (!mod.value) c_.report.fail("E0216", mod.span, "`" + name.str() + "` needs a value: `" + name.str() + " = …`");
  if (!claim(label, kind_text(*kind))) return;
  const Value v = e.value(*mod.value, at.member->enumeration);
  check_type(*at.member, v, mod.value->span, label + kind_text(*kind));
  check_whole(*at.member, v, *mod.value, e, at.member->name.str() + kind_text(*kind));
  if (v.variability > Variability::parameter) c_.report.fail("E0221", mod.value->span, "`" + name.str() + "` must be made of parameters and constants");
  check_unit(at, v, mod.value->span);
  bind(*kind, at, v, mod.value->span, label);
}

// ---- values ---------------------------------------------------------------------------------------------------------------------

// `assigned`: by `:=`, which makes no equation (a top-level input takes a value).
void ClassBuilder::assign_value(const Reached& at, const syntax::Expr& x, Evaluator& e, const std::string& label, const std::string& doc, bool assigned) {
  const MemberInfo& info = *at.member;
  const bool equation = info.variability > Variability::parameter && !assigned;
  Value v = e.value(x, info.enumeration);
  if (info.kind == MemberInfo::Kind::component) {
    assign_record(at, v, x.span, label, doc);
    return;
  }
  check_type(info, v, x.span, label);
  if (info.type == ValueType::string) return;
  check_whole(info, v, x, e, info.name.str());
  check_unit(at, v, x.span);
  learn(at, v);
  if (equation) {
    equate(at, v, label, x.span, doc);
    return;
  }
  const Variability most = std::min(info.variability, Variability::parameter);
  if (v.variability > most)
    c_.report.fail("E0221", x.span, "`" + label + "` is " + (most == Variability::constant ? "a constant" : info.prefix == Prefix::input ? "an input" : "a parameter") +
                                        ", and this value " + (v.variability == Variability::parameter ? "depends on parameters" : "changes in time"),
                   info.prefix == Prefix::input ? "an equation makes it follow a signal: `" + label + " = …`" : "");
  // What an input is while nothing is connected to it is its start value.
  if (info.variability <= Variability::parameter) bind(BindingKind::value, at, v, x.span, label);
  else if (claim(label, kind_text(BindingKind::start))) bind(BindingKind::start, at, v, x.span, label);
}

void ClassBuilder::assign_record(const Reached& at, const Value& v, Span span, const std::string& label, const std::string& doc) {
  if (at.at.empty()) return;
  const Elaboration& type = *at.at[0].type;
  if (!type.view->is_record) c_.report.fail("E0221", span, "`" + label + "` is a component and cannot be given a value");
  const auto record = record_type(type);
  if (!v.record || v.record->definition != record->definition || v.record->width != record->width)
    c_.report.fail("E0221", span, "`" + label + "` is a record `" + record->definition->name.str() + "`, and `" + type_text(v) + "` is given");
  Reached slots = at;
  slots.slots.clear();
  for (const Where& w : at.at)
    for (std::uint32_t k = 0; k < record->width; ++k) slots.slots.push_back(w.base + k);
  Value flat = v;
  flat.sizes.push_back(record->width);
  flat.record = nullptr;
  slots.sizes.push_back(record->width);
  if (at.member->variability > Variability::parameter) equate(slots, flat, label, span, doc);
  else bind(BindingKind::value, slots, flat, span, label);
}

void ClassBuilder::check_unit(const Reached& at, const Value& v, Span span) {
  const MemberInfo& info = *at.member;
  if (clash(info.dimension, v.dimension) && c_.report.first("W0201", span)) {
    auto& d = c_.report.warning("W0201", span, "`" + info.name.str() + "` is in " + dimension_text(info.dimension) + ", and this is in " + dimension_text(v.dimension));
    d.label = dimension_text(v.dimension);
  }
  const bool both = info.counting != Counting::none && v.counting != Counting::none;
  if (both && info.counting != v.counting && c_.report.first("W0202", span))
    c_.report.warning("W0202", span, "Hz counts turns and rad/s counts radians: they differ by a factor 2*pi").help = "write `2*pi*f` for the angular speed of a frequency f";
}

// Element k of all the slots takes element k of the value; missing leading dimensions repeat.
void ClassBuilder::bind(BindingKind kind, const Reached& at, const Value& v, Span span, const std::string& label) {
  if (!is_suffix(v.sizes, at.sizes)) bad_shape(label, v.sizes, at.sizes, span);
  const std::size_t n = v.nodes.size();
  if (n == 0) return;
  std::vector<Binding> forms(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t operands = 0;
    const auto [f, first] = form(v.nodes[i], operands);
    forms[i] = {kind, 0, f, first, operands, span};
  }
  grow(b_.bindings, at.slots.size());
  for (std::size_t i = 0; i < at.slots.size(); ++i) {
    if (!claim(kind, at.slots[i])) continue;
    b_.bindings.push_back(forms[i % n]);
    b_.bindings.back().slot = at.slots[i];
  }
}

void ClassBuilder::equate(const Reached& at, const Value& v, const std::string& label, Span span, const std::string& doc) {
  if (!is_suffix(v.sizes, at.sizes)) bad_shape(label, v.sizes, at.sizes, span);
  if (at.slots.empty() || v.nodes.empty()) return;
  model::EquationGroup g;
  g.label = Name(label);
  g.sizes.assign(at.sizes.begin(), at.sizes.end());
  g.first = static_cast<std::uint32_t>(b_.equations.size());
  g.doc = doc;
  g.span = span;
  const auto group = static_cast<std::uint32_t>(b_.equation_groups.size());
  for (std::size_t i = 0; i < at.slots.size(); ++i) {
    if (!claim(BindingKind::value, at.slots[i])) continue;
    ++g.count;
    const NodeId slot = c_.pool.operand(model::Operand::value(model::SlotId{at.slots[i]}));
    model::Equation q;
    const auto [f, first] = form(c_.pool.sub(slot, v.nodes[i % v.nodes.size()]), q.count);
    q.form = f;
    q.first = first;
    q.label = g.label;
    q.group = group;
    q.element = static_cast<std::uint32_t>(i);
    q.origin = model::EquationOrigin::binding;
    q.span = span;
    b_.equations.push_back(q);
  }
  if (g.count > 0) b_.equation_groups.push_back(std::move(g));
}

// Where no unit is declared, the value's is taken.
void ClassBuilder::learn(const Reached& at, const Value& v) {
  MemberInfo* info = at.at.size() == 1 && at.at[0].type == out_.get() ? const_cast<MemberInfo*>(at.member) : nullptr;
  if (info == nullptr || info->type != ValueType::real || info->dimension.state != Dimension::State::unknown) return;
  const Member& m = members_[out_->index.at(info->name)];
  if (v.dimension.is_known() && !m.statement->type_text) info->dimension = v.dimension;
}

}  // namespace kron::elaborate
