#include "lang/workspace/edits.hpp"

#include <algorithm>

#include "lang/syntax/printer.hpp"
#include "lang/workspace/walk.hpp"
#include "lang/workspace/workspace.hpp"

namespace kron::edit {

using syntax::Stmt;
using syntax::StmtKind;

Name Labels::peek(const std::function<bool(Name)>& free) const {
  std::uint32_t n = last + 1;
  while (!free(Name("e" + std::to_string(n)))) ++n;
  return Name("e" + std::to_string(n));
}

void Labels::saw(Name label) {
  if (auto n = automatic_number(label)) last = std::max(last, *n);
}

Reserved declared_labels(const std::vector<StmtPtr>& statements) {
  Reserved numbers;
  for (const StmtPtr& s : statements)
    if (s->kind == StmtKind::declaration)
      for (const syntax::Declared& d : s->names)
        if (const auto n = automatic_number(d.name)) numbers.insert(*n);
  return numbers;
}

Name Merge::next_label() {
  const Name n = labels.peek([&](Name x) { return store.owner(member_key(x)) == Store::none && !reserved.contains(*automatic_number(x)); });
  labels.saw(n);
  return n;
}

bool Merge::apply(const StmtPtr& s) {
  switch (s->kind) {
    case StmtKind::declaration: return declare(s);
    case StmtKind::equation:
    case StmtKind::for_:
    case StmtKind::if_:
    case StmtKind::when:
    case StmtKind::initial_block: return equations(s);
    case StmtKind::class_:
    case StmtKind::function:
    case StmtKind::enumeration:
    case StmtKind::use:
    case StmtKind::experiment:
    case StmtKind::test: return by_key(s);
    case StmtKind::assign: return assign(s);
    case StmtKind::tear: return tear(s);
    case StmtKind::delete_: return remove(s);
    default: append(s); return true;
  }
}

bool Merge::by_key(const StmtPtr& s) {
  const std::uint32_t id = store.owner(keys_of(s).front());
  if (id == Store::none) append(s);
  else exchange(id, s);
  return true;
}

// ---- declarations and equations ---------------------------------------------------------------------------------------------------

namespace {

// The declaration without one of its names, or null.
StmtPtr without_name(const StmtPtr& s, Name name) {
  auto copy = std::make_shared<Stmt>(*s);
  std::erase_if(copy->names, [&](const syntax::Declared& d) { return d.name == name; });
  if (copy->names.empty()) return nullptr;
  return copy;
}

bool declares(const StmtPtr& s, Name name) {
  return s->kind == StmtKind::declaration &&
         std::any_of(s->names.begin(), s->names.end(), [&](const syntax::Declared& d) { return d.name == name; });
}

}  // namespace

bool Merge::belongs_elsewhere(Name name, Span span, const std::string& what) {
  auto& d = diagnostics.error("E0514", span, "`" + name.str() + "` is " + what + " already");
  d.help = "labels, variables and components share one namespace: choose another name, or `delete " + name.str() + "` first";
  return false;
}

// An automatic label that a declaration wants as a name moves out of the way.
bool Merge::relabel(Name label, std::uint32_t id) {
  if (!automatic_number(label)) return false;
  labels.saw(label);
  exchange(id, rewrite(store.statement(id), [&](const StmtPtr& x) -> StmtPtr {
             if (x->kind != StmtKind::equation || x->label != label) return x;
             auto copy = std::make_shared<Stmt>(*x);
             copy->label = next_label();
             return copy;
           }));
  return true;
}

bool Merge::declare(const StmtPtr& s) {
  std::uint32_t home = Store::none;  // the statement whose place it takes
  for (const auto& d : s->names) {
    const std::uint32_t id = store.owner(member_key(d.name));
    if (id == Store::none) continue;
    if (!declares(store.statement(id), d.name)) {
      if (!relabel(d.name, id)) return belongs_elsewhere(d.name, d.span, "the label of an equation");
      continue;
    }
    change.replaced.push_back(d.name);
    if (home == Store::none) home = id;
  }
  if (home == Store::none) {
    append(s);
    return true;
  }
  for (Name name : change.replaced)  // what was assigned to the old one goes with it
    for (std::uint32_t id : store.mentioning(name))
      if (store.statement(id)->kind == StmtKind::assign) erase(id);
  StmtPtr rest = store.statement(home);
  for (Name name : change.replaced) {
    const std::uint32_t id = store.owner(member_key(name));
    if (id == home) rest = rest ? without_name(rest, name) : nullptr;
    else exchange(id, without_name(store.statement(id), name));
  }
  if (!rest) {
    exchange(home, s);
  } else {
    exchange(home, rest);
    change.ops.push_back(store.insert(store.position(home) + 1, s));
  }
  return true;
}

bool Merge::equations(const StmtPtr& s) {
  if (s->kind == StmtKind::equation && !s->label.empty() && store.owner(member_key(s->label)) != Store::none)
    return replace_equation(s);
  bool free = true;
  std::vector<std::uint32_t> replaced;  // a loop or block whose labels exist replaces the statements that hold them
  for_each_leaf(s, [&](const StmtPtr& x) {
    if (x->label.empty() || !free) return;
    const std::uint32_t id = store.owner(member_key(x->label));
    if (id != Store::none && store.statement(id)->kind == StmtKind::declaration)
      free = belongs_elsewhere(x->label, x->name_span.known() ? x->name_span : x->span, "a variable or component");
    else if (id != Store::none && std::find(replaced.begin(), replaced.end(), id) == replaced.end())
      replaced.push_back(id);
    labels.saw(x->label);
  });
  if (!free) return false;
  StmtPtr labelled = with_labels(s, [&] { return next_label(); });
  if (replaced.empty()) {
    append(labelled);
    return true;
  }
  for (std::size_t i = 1; i < replaced.size(); ++i) erase(replaced[i]);
  exchange(replaced.front(), labelled);
  return true;
}

bool Merge::replace_equation(const StmtPtr& s) {
  const std::uint32_t id = store.owner(member_key(s->label));
  const StmtPtr old = store.statement(id);
  if (old->kind == StmtKind::declaration)
    return belongs_elsewhere(s->label, s->name_span.known() ? s->name_span : s->span, "a variable or component");
  labels.saw(s->label);
  exchange(id, rewrite(old, [&](const StmtPtr& x) { return x->label == s->label ? s : x; }));
  return true;
}

// ---- assignments and tears ----------------------------------------------------------------------------------------------------------

// Later assignments win, so one whose turn comes after others to the same component moves to the end.
bool Merge::assign(const StmtPtr& s) {
  const std::string target = reference_text(*s->refs.front());
  const Name root = s->refs.front()->path.front().name;
  std::vector<std::uint32_t> shadowed;
  std::uint32_t last = Store::none;
  for (std::uint32_t id : store.mentioning(root)) {
    const StmtPtr& other = store.statement(id);
    if (other->kind != StmtKind::assign) continue;
    last = id;
    const std::string text = reference_text(*other->refs.front());
    if (text == target || (is_prefix(target, text) && text[target.size()] == '[')) shadowed.push_back(id);
  }
  if (shadowed.size() == 1 && shadowed.front() == last) {
    exchange(last, s);
    return true;
  }
  for (std::uint32_t id : shadowed) erase(id);
  append(s);
  return true;
}

// `untear v` takes a `tear v` of the workspace back; where there is none it stands for one inside a class.
bool Merge::tear(const StmtPtr& s) {
  const std::uint32_t id = store.owner(keys_of(s).front());
  if (id == Store::none) {
    append(s);
    return true;
  }
  const bool opposite = store.statement(id)->is_untear != s->is_untear;
  if (opposite) {
    erase(id);
    if (!s->is_untear) append(s);
    return true;
  }
  exchange(id, s);
  return true;
}

// ---- fitting ------------------------------------------------------------------------------------------------------------------------

namespace {

bool holds(Span outer, Span inner) {
  return outer.source == inner.source && outer.begin <= inner.begin && inner.end <= outer.end;
}

}  // namespace

namespace {

// What of a statement is gone: the ends that a connection has lost, or all of it.
std::string taken_out(const syntax::Stmt& old, const syntax::Stmt* now) {
  const std::string whole = "`" + first_line(old) + "`";
  if (!now) return whole;
  std::string ends;
  for (const syntax::ExprPtr& end : old.refs)
    if (std::ranges::find(now->refs, end) == now->refs.end()) ends += (ends.empty() ? "`" : ", `") + reference_text(*end) + "`";
  return ends + " of " + whole;
}

}  // namespace

Change drop_misfits(Store& store, const std::vector<Name>& roots, const std::vector<Span>& places,
                    std::vector<std::string>& dropped) {
  Change change;
  auto touches = [&](const syntax::Expr& e, Name root) { return !e.path.empty() && e.path.front().name == root; };
  for (Name root : roots) {
    for (std::uint32_t id : store.mentioning(root)) {
      const StmtPtr old = store.statement(id);
      const auto fitting = [&](const StmtPtr& x) -> StmtPtr {
        if (std::none_of(places.begin(), places.end(), [&](Span p) { return holds(x->span, p); })) return x;
        if (x->kind == StmtKind::connect)
          return without_ends(x, [&](const syntax::Expr& e) { return touches(e, root); });
        const bool about = (x->kind == StmtKind::assign || x->kind == StmtKind::tear) && !x->refs.empty() &&
                           touches(*x->refs.front(), root);
        return about ? nullptr : x;
      };
      StmtPtr now = rewrite(old, [&](const StmtPtr& x) {
        const StmtPtr rest = fitting(x);
        if (rest != x) dropped.push_back(taken_out(*x, rest.get()));
        return rest;
      });
      if (now == old) continue;
      change.ops.push_back(now ? store.replace(id, now) : store.erase(id));
    }
  }
  return change;
}

}  // namespace kron::edit
