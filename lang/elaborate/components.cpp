// Components: which class, with which environment, and its blueprint from the cache.
#include <algorithm>

#include "engine/base/hash.hpp"
#include "lang/elaborate/builder.hpp"
#include "lang/elaborate/scoped.hpp"
#include "lang/elaborate/text.hpp"

namespace kron::elaborate {
using syntax::ClassKind;
using syntax::Prefix;

namespace {

// Follows the decisions of the tree while the answers have been met before.
std::shared_ptr<const Elaboration> walk(Context& c, Root& root, const Environment& env, Requested& r) {
  Decision* d = &root.tree;
  const ScopedValue<bool> asking(c.asks_for_free, true);
  while (d->question) {
    r.looked = true;
    const Answer a = ask_environment(env, *d->question);
    if (d->question->kind == Ask::outer) r.outer.emplace_back(*d->question, a.hash);
    auto it = d->next.find(a.hash);
    if (it == d->next.end()) return nullptr;
    d = it->second.get();
  }
  return d->result;
}

void insert(Root& root, const std::vector<std::pair<Question, std::uint64_t>>& asked, std::shared_ptr<const Elaboration> result) {
  Decision* d = &root.tree;
  for (const auto& [question, hash] : asked) {
    if (!d->question) d->question = question;
    auto& next = d->next[hash];
    if (!next) next = std::make_unique<Decision>();
    d = next.get();
  }
  d->result = std::move(result);
}

}  // namespace

std::uint64_t root_key(const Definition& d, const Environment& env) {
  return combine(reinterpret_cast<std::uintptr_t>(&d), signature(env));
}

// The class in this environment: kept, or made now. `looked`: whether the answer depends on values in the environment.
Requested elaborate_class(Context& c, const Definition& d, Environment env) {
  Requested r;
  r.root = c.cache.root(root_key(d, env), c.libraries);
  r.elaboration = walk(c, *r.root, env, r);
  if (r.elaboration) {
    ++c.reused;
    return r;
  }
  // What is wrong without the graph's answers is wrong with them: all begins without them where there are none from before.
  std::shared_ptr<Root> without_answers;
  bool fails_without = false;
  if (env.graph != nullptr) {
    Environment plain = env;
    plain.graph = nullptr;
    const std::size_t reused = c.reused;
    const Requested w = elaborate_class(c, d, std::move(plain));
    c.reused = reused;
    without_answers = w.root;
    fails_without = w.elaboration->failed || w.elaboration->graph_varies;
  }
  ScopedValue<std::vector<Dependency>*> dependencies(c.dependencies, &r.root->dependencies);
  ClassBuilder b(c, d, std::move(env));
  const std::shared_ptr<Elaboration> made = b.build();
  made->graph_varies = made->graph_varies || fails_without;
  r.elaboration = made;
  ++c.elaborated;
  if (without_answers) r.root->children.push_back(std::move(without_answers));
  insert(*r.root, b.asked(), r.elaboration);
  r.looked = r.looked || !b.asked().empty();
  r.outer.clear();
  std::ranges::copy_if(b.asked(), std::back_inserter(r.outer), [](const auto& asked) { return asked.first.kind == Ask::outer; });
  if (r.elaboration->failed) r.root->failed = true;
  for (const auto& child : b.child_roots())
    if (child != r.root) r.root->children.push_back(child);
  return r;
}

// ---- components without end -----------------------------------------------------------------------------------------------------

void ClassBuilder::check_depth() const {
  if (depth_ > deepest) throw Abandoned{too_deep()};
}

// What is told of a component that is too deep: where a class on the way down to it first holds itself again, and the steps from
// the one to the other.
Diagnostic ClassBuilder::too_deep() const {
  std::vector<const ClassBuilder*> way;
  for (const ClassBuilder* b = this; b != nullptr; b = b->env_.parent) way.push_back(b);
  std::reverse(way.begin(), way.end());
  std::unordered_map<const Definition*, std::size_t> met;
  std::size_t last = 0;
  while (last < way.size() && met.emplace(&way[last]->definition_, last).second) ++last;
  Diagnostic d;
  d.code = "E0209";
  const std::string deep = std::to_string(deepest) + " components deep";
  if (last == way.size()) {
    d.span = place();
    d.message = "`" + definition_.name.str() + "` is more than " + deep;
    return d;
  }
  const std::string name = way[last]->definition_.name.str();
  d.span = way[last]->place();
  d.message = "`" + name + "` holds itself without end: " + repeating_path(way, last);
  d.help = "a class may hold itself only as a conditional component whose condition becomes false at some depth";
  constexpr std::size_t most = 8;
  const std::size_t first = met.at(&way[last]->definition_) + 1;
  for (std::size_t i = first; i <= last; ++i) {
    const std::string holds = "`" + way[i - 1]->definition_.name.str() + "` holds `" + way[i]->env_.step.name.str() + " : " + way[i]->definition_.name.str() + "`";
    if (i == last) d.label = holds;
    else if (i < first + most) d.notes.push_back({way[i]->place(), holds});
    if (const syntax::Expr* condition = way[i]->condition()) d.notes.push_back({condition->span, "this condition is still true " + deep});
  }
  return d;
}

// "`x.a.b.a…`": the way down to where it repeats, cut where it is long.
std::string ClassBuilder::repeating_path(const std::vector<const ClassBuilder*>& way, std::size_t last) {
  constexpr std::size_t most = 12;
  std::string path;
  for (std::size_t i = 1; i <= std::min(last, most); ++i) path += way[i]->env_.step.name.str() + ".";
  return "`" + path + "…`";
}

Span ClassBuilder::place() const { return env_.place.known() ? env_.place : definition_.statement->span; }

// Of the component that this class is made for.
const syntax::Expr* ClassBuilder::condition() const {
  const auto member = env_.parent->find(env_.step.name, 0xffffffff);
  return member ? env_.parent->members_[*member].statement->condition.get() : nullptr;
}

// ---- the class of a component -----------------------------------------------------------------------------------------------------

// The declared class, or the one that a modification puts in its place.
const Definition& ClassBuilder::component_class(std::uint32_t index, const Step& step, Environment& env) {
  Member& m = members_[index];
  prepare(index);
  if (m.type != nullptr) return *m.type;
  if (m.component_type == nullptr) m.component_type = &find_class(m.statement->class_path, m.layer, m.statement->span);
  const Definition* d = m.component_type;
  for (const Item& i : env.whole) {
    if (i.mod->replacement.empty()) continue;
    Question q;
    q.kind = Ask::replacement;
    q.path.push_back(step);
    const Answer a = i.inherited ? ask(q) : evaluate(i, q);
    if (a.replacement == nullptr) break;
    check_replacement(*d, *a.replacement, a.span);
    return *a.replacement;
  }
  return *d;
}

// All public members of the replaced class must be there.
void ClassBuilder::check_replacement(const Definition& from, const Definition& to, Span span) {
  if (&from == &to) return;
  ScopedValue<std::vector<Dependency>*> none(c_.dependencies, c_.dependencies);
  ClassBuilder a(c_, from, {}), b(c_, to, {});
  a.collect();
  b.collect();
  std::string missing;
  for (const MemberInfo& m : a.out_->members)
    if (!m.is_private && !b.find(m.name, 0xffffffff)) missing += (missing.empty() ? "`" : ", `") + m.name.str() + "`";
  if (missing.empty()) return;
  auto& e = c_.report.error("E0219", span, "`" + to.name.str() + "` cannot stand for `" + from.name.str() + "`: it lacks " + missing);
  e.notes.push_back({from.statement->name_span.known() ? from.statement->name_span : from.statement->span, "the class that is replaced"});
  throw Failed{};
}

void ClassBuilder::check_usable(const Definition& d, const Member& m, Span span) {
  const bool record_wanted = m.type != nullptr;
  if (d.statement->is_partial)
    c_.report.fail("E0211", span, "`" + d.name.str() + "` is partial: it is a base for other classes, not a component");
  if (!record_wanted && d.statement->class_kind == ClassKind::record)
    c_.report.fail("E0210", span, "`" + d.name.str() + "` is a record, the type of a quantity", "write `variable " + m.declared->name.str() + " : " + d.name.str() + "`");
  if (definition_.statement->class_kind == ClassKind::connector && !record_wanted && d.statement->class_kind != ClassKind::connector)
    c_.report.fail("E0239", span, "a connector holds potentials, flows, signals, parameters and connectors, no `" + d.name.str() + "`");
}

Requested ClassBuilder::request(std::uint32_t index, std::uint32_t element, bool& shared) {
  const Step step = step_of(index, element);
  Environment env = environment(index, step);
  const Definition& d = component_class(index, step, env);
  check_usable(d, members_[index], members_[index].statement->span);
  const GraphAnswers* graph = env.graph;
  Requested r = elaborate_class(c_, d, std::move(env));
  shared = !r.looked && graph == nullptr && !has_subscripts(members_[index]);
  if (child_roots_.empty() || child_roots_.back() != r.root) child_roots_.push_back(r.root);
  take(r.elaboration, index, element);
  return r;
}

// ---- kept from the elaboration before ---------------------------------------------------------------------------------------------

namespace {

// Whether it is the same wherever it stands.
bool is_literal(const syntax::Expr& x) {
  using syntax::ExprKind;
  switch (x.kind) {
    case ExprKind::number: case ExprKind::quantity: case ExprKind::boolean: return true;
    case ExprKind::unary: case ExprKind::array: case ExprKind::matrix:
      return std::ranges::all_of(x.args, [](const syntax::ExprPtr& a) { return is_literal(*a); });
    default: return false;
  }
}

bool are_literal(const std::vector<syntax::Modification>& list) {
  return std::ranges::all_of(list, [](const syntax::Modification& m) {
    const bool plain = std::ranges::all_of(m.path, [](const syntax::Part& p) { return p.subscripts.empty(); });
    return plain && m.replacement.empty() && (!m.value || is_literal(*m.value)) && are_literal(m.nested);
  });
}

}  // namespace

// Of a scalar component of the workspace.
std::optional<std::uint64_t> ClassBuilder::graph_of(const Member& m) const {
  if (env_.graph == nullptr) return std::nullopt;
  const auto it = env_.graph->children.find({m.declared->name.value, 0});
  return it == env_.graph->children.end() ? std::nullopt : std::optional(it->second->hash);
}

bool ClassBuilder::may_be_kept(const Member& m) const {
  return m.own_text != nullptr && m.items.empty() && m.statement->names.size() == 1 && m.declared->sizes.empty() && m.type == nullptr &&
         !m.statement->condition && !m.statement->value && are_literal(m.declared->attributes) && are_literal(m.statement->mods);
}

// False: it is to be elaborated.
bool ClassBuilder::component_as_before(std::uint32_t index) {
  Member& m = members_[index];
  if (m.own_text == nullptr || !m.items.empty()) return false;
  KeptComponent* k = kept_->components.find(*m.statement);
  if (k == nullptr) return false;
  // The statement itself lies anywhere in memory, and is looked at no more than needs be.
  const Layer& l = layers_[m.layer];
  if (!k->class_name.empty()) m.component_type = c_.libraries.look_up(*l.file, l.definition, k->class_name).definition;
  else m.component_type = &find_class(m.statement->class_path, m.layer, m.statement->span);
  if (m.component_type != k->definition) {
    m.component_type = nullptr;
    return false;
  }
  if (graph_of(m) != k->graph || !c_.cache.holds(*k->made.root, c_.libraries)) return false;
  const ScopedValue<bool> asking(c_.asks_for_free, true);
  for (const auto& [question, hash] : k->made.outer)
    if (outer_value(question).hash != hash) return false;
  MemberInfo& info = out_->members[index];
  info.kind = MemberInfo::Kind::component;
  info.first = static_cast<std::uint32_t>(b_.children.size());
  info.total = 1;
  ++c_.reused;
  take(k->made.elaboration, index, 0);
  add_child(m, info, 0, k->made.elaboration);
  need_outer(*k->made.elaboration);
  m.kept = kept_->components.keep(std::move(*k));
  return true;
}

// What it came to; the bindings that it gives follow.
void ClassBuilder::keep_component(std::uint32_t index, Requested made) {
  Member& m = members_[index];
  if (!may_be_kept(m)) return;
  KeptComponent k;
  if (m.statement->class_path.size() == 1) k.class_name = m.statement->class_path[0].name;
  k.definition = m.component_type;
  k.graph = graph_of(m);
  k.made = std::move(made);
  m.kept = kept_->components.keep(std::move(k));
}

// Subscripts in a modification's path make elements of an array of components differ.
bool ClassBuilder::has_subscripts(const Member& m) const {
  auto any = [](const Items& items) {
    for (const Item& i : items)
      for (std::size_t k = i.offset; k < i.mod->path.size(); ++k)
        if (!i.mod->path[k].subscripts.empty()) return true;
    return false;
  };
  return any(m.items) || any(env_.items);
}

// A class takes part: its messages are given, with the place of the component that made them.
void ClassBuilder::take(const std::shared_ptr<const Elaboration>& e, std::uint32_t index, std::uint32_t element) {
  if (e->taken != c_.libraries.epoch()) {
    e->taken = c_.libraries.epoch();
    c_.taken.push_back({e, in_component(index, element)});
  }
  if (e->failed) {
    c_.report.sink->failed = true;
    throw Failed{};
  }
  out_->has_graph = out_->has_graph || e->has_graph || !e->graph.empty();
  out_->graph_varies = out_->graph_varies || e->graph_varies;
}

// "in component `r[2]`", outwards.
std::vector<DiagnosticNote> ClassBuilder::in_component(std::uint32_t index, std::uint32_t element) {
  const Member& m = members_[index];
  std::vector<DiagnosticNote> notes;
  const Sizes& sizes = sizes_of(index);
  notes.push_back({m.declared->span, "in component `" + m.declared->name.str() + element_text(sizes, element) + "`"});
  for (const Environment* env = &env_; env->parent != nullptr && notes.size() < 4; env = &env->parent->env_) {
    Sizes outer;
    for (std::uint32_t d = 0; d < env->step.rank && d < 3; ++d) outer.push_back(env->step.sizes[d]);
    notes.push_back({env->place, "in component `" + env->step.name.str() + element_text(outer, env->step.element) + "`"});
  }
  return notes;
}

// ---- records without modifications ---------------------------------------------------------------------------------------------

namespace {
std::shared_ptr<const Elaboration> plain_record(Context& c, const Definition& d, Span span) {
  Environment env;
  env.role = Prefix::variable;
  env.place = span;
  Requested r = elaborate_class(c, d, std::move(env));
  if (r.elaboration->failed) {
    c.report.sink->failed = true;
    c.taken.push_back({r.elaboration, {{span, "the record is used here"}}});
    throw Failed{};
  }
  return r.elaboration;
}
}  // namespace

std::shared_ptr<const RecordType> record_pattern(Context& c, const Definition& d, Span span) { return record_type(*plain_record(c, d, span)); }

std::vector<Name> record_order(Context& c, const Definition& d, Span span) {
  std::vector<Name> list;
  for (const MemberInfo& m : plain_record(c, d, span)->members) list.push_back(m.name);
  return list;
}

}  // namespace kron::elaborate
