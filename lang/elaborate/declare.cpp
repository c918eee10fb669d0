// Declaring: types, sizes, attributes that shape the structure, slots; then the components.
#include "lang/elaborate/builder.hpp"
#include "lang/elaborate/scoped.hpp"
#include "lang/elaborate/text.hpp"

namespace kron::elaborate {
using model::SlotFlag;
using syntax::ClassKind;
using syntax::Prefix;

std::shared_ptr<Elaboration> ClassBuilder::build() {
  Sink sink;
  ScopedValue<Sink*> report(c_.report.sink, &sink);
  ScopedValue<std::uint32_t> depth(c_.depth, depth_ + 1);
  try {
    check_depth();
    collect();
    declare();
    stage_ = Stage::emit;
    if (env_.shadow == nullptr) {
      emit_members();
      emit_equations();
    }
    connect_shadows();
  } catch (const Failed&) {
    sink.failed = true;
  }
  finish();
  out_->failed = sink.failed;
  out_->diagnostics = std::move(sink.list);
  inside_.clear();
  return out_;
}

void ClassBuilder::declare() {
  stage_ = Stage::declare;
  for (std::uint32_t i = 0; i < members_.size(); ++i) guarded(i, [&] {
      if (left_out(i)) return;
      prepare(i);
      if (!members_[i].is_component && !members_[i].is_outer) declare_variable(i);
    });
  b_.own_slots = b_.slots;
  for (std::uint32_t i = 0; i < members_.size(); ++i) guarded(i, [&] {
      if (!left_out(i) && members_[i].is_component && !members_[i].is_outer) declare_components(i);
    });
  for (std::uint32_t i = 0; i < members_.size(); ++i) guarded(i, [&] { check_vector_annotations(i); });
  declare_shadows();
  warn_of_others();
}

// A shadow holds only the members that are used.
bool ClassBuilder::left_out(std::uint32_t i) {
  if (env_.shadow == nullptr) return false;
  const auto& used = env_.shadow->members;
  if (std::find(used.begin(), used.end(), members_[i].declared->name) != used.end()) return false;
  out_->members[i].kind = MemberInfo::Kind::absent;
  return true;
}

void ClassBuilder::guarded(std::uint32_t member, const std::function<void()>& work) {
  c_.work = 0;
  try {
    work();
  } catch (const Failed&) {
    members_[member].failed = true;
    out_->members[member].kind = MemberInfo::Kind::failed;
    c_.report.sink->failed = true;
  }
}

std::uint32_t ClassBuilder::add_slots(std::uint64_t n, Span span) {
  const std::uint64_t total = b_.slots + n;
  if (total >= model::max_slots)
    throw Abandoned{{Severity::error, "E0227", "the model has more than " + std::to_string(model::max_slots) + " scalar quantities", span, {}, {}, {}}};
  const std::uint32_t first = b_.slots;
  b_.slots = static_cast<std::uint32_t>(total);
  return first;
}

// ---- variables ----------------------------------------------------------------------------------------------------------------

void ClassBuilder::declare_variable(std::uint32_t index) {
  const Member& m = members_[index];
  const syntax::Stmt& s = *m.statement;
  check_connector_member(index);
  if (s.condition && s.prefix != Prefix::input && s.prefix != Prefix::output) c_.report.fail("E0256", s.condition->span, "only components, inputs and outputs may be conditional");
  if (!present(index)) {
    out_->members[index].kind = MemberInfo::Kind::absent;
    return;
  }
  const Sizes sizes = sizes_of(index);
  MemberInfo& info = out_->members[index];
  info.sizes = sizes;
  const std::uint64_t n = count(sizes);
  if (n > max_elements) c_.report.fail("E0227", m.declared->span, "an array of more than " + std::to_string(max_elements) + " elements is too large");
  if (info.type == ValueType::string) {
    declare_text(index);
    return;
  }
  model::Declaration d;
  flags_of(index, info, d);
  if (env_.role != Prefix::component && info.prefix == Prefix::variable) info.prefix = env_.role;
  d.name = info.name;
  d.sizes.assign(sizes.begin(), sizes.end());
  d.count = static_cast<std::uint32_t>(n);
  d.first = add_slots(n, m.declared->span);
  d.variability = info.variability;
  d.type = info.type;
  if (s.type_text && info.type == ValueType::real && s.type_text->text != "Real") d.unit = Name(s.type_text->text);
  if (info.enumeration != nullptr) {
    d.enumeration = info.enumeration->name;
    d.literals = info.enumeration->literals;
  }
  d.doc = s.doc;
  d.is_final = info.is_final;
  d.hint = hint(s.annotations);
  if (const auto paths = paths_in(s.annotations, "axes"); paths.size() == 1) info.axes = paths.front();
  info.rates = paths_in(s.annotations, "derivative");
  d.span = m.declared->span;
  info.kind = MemberInfo::Kind::variable;
  info.first = d.first;
  info.total = d.count;
  info.declaration = static_cast<std::uint32_t>(b_.declarations.size());
  b_.declarations.push_back(std::move(d));
}

// Strings stay here: the engine knows numbers only.
void ClassBuilder::declare_text(std::uint32_t index) {
  MemberInfo& info = out_->members[index];
  info.kind = MemberInfo::Kind::variable;
  info.total = 0;
  info.first = b_.slots;
  if (info.variability > Variability::parameter) c_.report.fail("E0221", members_[index].declared->span, "a String is a parameter or a constant");
  info.texts = known(index, members_[index].declared->span).shape.texts;
}

std::string ClassBuilder::hint(const std::vector<syntax::Annotation>& list) const {
  static const Name name("hint");
  for (const auto* from : {&list, &definition_.statement->annotations})
    for (const syntax::Annotation& a : *from)
      if (a.name == name && !a.args.empty() && a.args[0]->kind == syntax::ExprKind::string) return a.args[0]->text;
  return {};
}

// The paths in `@name(path, path)`.
std::vector<std::vector<Name>> ClassBuilder::paths_in(const std::vector<syntax::Annotation>& list, std::string_view annotation) {
  const Name name(annotation);
  std::vector<std::vector<Name>> paths;
  for (const syntax::Annotation& a : list) {
    if (a.name != name) continue;
    for (const syntax::ExprPtr& x : a.args) {
      if (x->kind != syntax::ExprKind::reference) continue;
      paths.emplace_back();
      for (const syntax::Part& p : x->path) paths.back().push_back(p.name);
    }
  }
  return paths;
}

void ClassBuilder::check_connector_member(std::uint32_t index) {
  const syntax::Stmt& s = *members_[index].statement;
  const bool connector = definition_.statement->class_kind == ClassKind::connector;
  const bool special = s.prefix == Prefix::potential || s.prefix == Prefix::flow;
  if (connector && (s.prefix == Prefix::variable || s.prefix == Prefix::discrete))
    c_.report.fail("E0239", s.span, "`" + members_[index].declared->name.str() + "` must be potential or flow, an input or output, or a parameter: it is in a connector");
  if (!connector && special && layers_[members_[index].layer].definition->statement->class_kind != ClassKind::connector)
    c_.report.fail("E0239", s.span, std::string("`") + (s.prefix == Prefix::flow ? "flow" : "potential") + "` stands only in connectors", "in a model write `variable`");
}

// What `@axes` and `@derivative` beside a potential vector name: variables of records beside it, of sizes that go with it.
void ClassBuilder::check_vector_annotations(std::uint32_t index) {
  static const Name axes("axes"), derivative("derivative");
  const MemberInfo& vector = out_->members[index];
  if (vector.kind != MemberInfo::Kind::variable || members_[index].statement->prefix != Prefix::potential) return;
  const std::vector<syntax::Annotation>& all = members_[index].statement->annotations;
  for (const syntax::Annotation& a : all) {
    if (a.name != axes && a.name != derivative) continue;
    const std::string mark = "`@" + a.name.str() + "`";
    if (a.name == axes && a.args.size() != 1) c_.report.fail("E0239", a.span, mark + " beside a potential names one matrix", "as in `@axes(R.T)`");
    if (a.name == derivative && std::ranges::find(all, axes, &syntax::Annotation::name) == all.end())
      c_.report.fail("E0239", a.span, mark + " beside a potential says what its derivatives are along axes, and `@axes` is not there", "as in `@axes(R.T) @derivative(motion.v, motion.a)`");
    const Sizes wanted = a.name == axes ? Sizes{vector.total, vector.total} : vector.sizes;
    for (const syntax::ExprPtr& x : a.args) {
      const bool path = x->kind == syntax::ExprKind::reference && x->path.size() == 2;
      if (!path) c_.report.fail("E0239", x->span, mark + " beside a potential names a variable of a record in the same connector", "as in `@axes(R.T) @derivative(motion.v, motion.a)`");
      const MemberInfo* record = out_->member(x->path[0].name);
      if (record != nullptr && record->kind == MemberInfo::Kind::failed) continue;
      const bool one = record != nullptr && record->kind == MemberInfo::Kind::component && record->total == 1;
      if (!one) c_.report.fail("E0239", x->span, "`" + x->path[0].name.str() + "` in " + mark + " is no record in this connector");
      const MemberInfo* found = out_->types[record->first]->member(x->path[1].name);
      if (found == nullptr || found->kind != MemberInfo::Kind::variable) c_.report.fail("E0239", x->span, "`" + x->path[0].name.str() + "` has no variable `" + x->path[1].name.str() + "`");
      if (found->sizes != wanted) c_.report.fail("E0220", x->span, quoted(x->path) + " in " + mark + " is " + shape_text(found->sizes) + "; beside `" + vector.name.str() + "` it must be " + shape_text(wanted));
    }
  }
}

// ---- attributes that shape the structure ------------------------------------------------------------------------------------------

std::optional<Known> ClassBuilder::attribute(std::uint32_t index, Ask kind, Name name, const EnumType* expected) {
  const Member& m = members_[index];
  const auto rank = static_cast<std::uint32_t>(m.declared->sizes.size());
  const auto value = [&](const Answer& a) {
    if (a.found_at_start) not_before_start("`" + name.str() + "` of `" + m.declared->name.str() + "`", a.span);
    return *a.known;
  };
  if (const Answer a = ask(kind, m.declared->name, rank, expected); a.given()) return value(a);
  if (m.items.empty() && m.declared->attributes.empty() && m.statement->mods.empty()) return std::nullopt;
  const Descent own = own_items(index, {m.declared->name, 0, 1, 0, {}});
  for (const Item& i : own.parts) {
    if (i.mod->path[i.offset].name != name) continue;
    Question q;
    q.kind = kind;
    q.rank = rank;
    q.expected = expected;
    return value(evaluate(i, q));
  }
  return std::nullopt;
}

bool ClassBuilder::has_attribute(std::uint32_t index, Name name) {
  const Member& m = members_[index];
  if (environment_says(m.declared->name, name)) return true;
  if (m.items.empty() && m.declared->attributes.empty() && m.statement->mods.empty()) return false;
  for (const Item& i : own_items(index, {m.declared->name, 0, 1, 0, {}}).parts)
    if (i.mod->path[i.offset].name == name) return true;
  return false;
}

void ClassBuilder::flags_of(std::uint32_t index, MemberInfo& info, model::Declaration& d) {
  static const Name fixed("fixed"), state("state"), start("start");
  model::SlotFlags flags = 0;
  if (info.prefix == Prefix::flow) flags |= SlotFlag::flow;
  if (info.prefix == Prefix::input) flags |= SlotFlag::input;
  if (info.prefix == Prefix::output) flags |= SlotFlag::output;
  if (info.is_private) flags |= SlotFlag::is_private;
  if (has_attribute(index, start)) flags |= SlotFlag::has_start;
  const std::size_t n = count(info.sizes);
  b_.flags.insert(b_.flags.end(), n, flags);
  model::SlotFlags* own = b_.flags.data() + (b_.flags.size() - n);
  if (const auto k = attribute(index, Ask::fixed, fixed, nullptr)) {
    check_attribute(index, *k, ValueType::boolean, fixed);
    const bool parameter = info.variability <= Variability::parameter;
    std::vector<bool> said;
    for (const Rational& r : k->numbers) said.push_back(r != 0);
    for (std::size_t i = 0; i < n; ++i) {
      const bool yes = said[i % said.size()];
      if (parameter) own[i] |= yes ? 0 : SlotFlag::free;
      else own[i] |= yes ? SlotFlag::fixed : 0;
      info.is_free = info.is_free || (parameter && !yes);
    }
  }
  const EnumType& states = state_enumeration().enumeration;
  if (const auto k = attribute(index, Ask::state, state, &states)) {
    if (k->shape.enumeration != &states || k->numbers.size() != 1) c_.report.fail("E0218", info.span, "`state` is always, prefer, default, avoid or never");
    d.state = static_cast<model::StateSelect>(*small_integer(k->numbers[0]) - 1);
  }
  fold_final(index, info);
  fold_elements(index);
}

void ClassBuilder::check_attribute(std::uint32_t index, const Known& k, ValueType type, Name name) {
  const MemberInfo& info = out_->members[index];
  if (k.shape.type != type || k.shape.record) c_.report.fail("E0218", info.span, "`" + name.str() + "` of `" + info.name.str() + "` must be " + type_name(type));
  if (!is_suffix(k.shape.sizes, info.sizes) || k.numbers.empty()) bad_shape(info.name.str() + "." + name.str(), k.shape.sizes, info.sizes, info.span);
}

// ---- components -----------------------------------------------------------------------------------------------------------------

void ClassBuilder::declare_components(std::uint32_t index) {
  MemberInfo& info = out_->members[index];
  const Member& m = members_[index];
  if (component_as_before(index)) return;
  if (!present(index)) {
    info.kind = MemberInfo::Kind::absent;
    return;
  }
  info.sizes = sizes_of(index);
  const std::uint64_t n = count(info.sizes);
  if (n > max_elements) c_.report.fail("E0227", m.declared->span, "an array of more than " + std::to_string(max_elements) + " components is too large");
  info.kind = MemberInfo::Kind::component;
  info.first = static_cast<std::uint32_t>(b_.children.size());
  info.total = static_cast<std::uint32_t>(n);
  info.variability = variability_of_prefix(m.statement->prefix);
  if (n == 0) return;
  bool shared = false;
  Requested made = request(index, 0, shared);
  if (n > 1) {
    grow(b_.children, n);
    grow(out_->types, n);
  }
  for (std::uint32_t element = 0; element < n; ++element) {
    bool ignored = false;
    if (element > 0 && !shared) made = request(index, element, ignored);
    add_child(m, info, element, made.elaboration);
  }
  if (n > 1 && shared) c_.reused += n - 1;
  need_outer(*made.elaboration);
  if (kept_ != nullptr) keep_component(index, std::move(made));
}

void ClassBuilder::add_child(const Member& m, const MemberInfo& info, std::uint32_t element, const std::shared_ptr<const Elaboration>& type) {
  model::Child child;
  child.name = info.name;
  if (!info.sizes.empty()) child.index = element_index(info.sizes, element);
  child.type = type->blueprint;
  child.slot_base = add_slots(type->blueprint->slots, m.declared->span);
  child.is_private = info.is_private || info.is_shadow;
  child.span = m.declared->span;
  b_.children.push_back(std::move(child));
  out_->types.push_back(type);
}

}  // namespace kron::elaborate
