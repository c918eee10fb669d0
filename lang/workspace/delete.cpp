// `delete NAME`, `delete connect …`.
#include <algorithm>

#include "lang/syntax/printer.hpp"
#include "lang/workspace/edits.hpp"
#include "lang/workspace/walk.hpp"
#include "lang/workspace/workspace.hpp"

namespace kron::edit {

using syntax::Expr;
using syntax::Stmt;
using syntax::StmtKind;

bool Merge::remove(const StmtPtr& s) {
  if (s->is_connect) return remove_connection(s);
  if (s->refs.empty()) return remove_member(s->label, s->span);
  for (const auto& r : s->refs)
    if (!remove_name(*r)) return false;
  return true;
}

bool Merge::remove_name(const Expr& e) {
  const bool whole = e.path.size() == 1 && e.path.front().subscripts.empty();
  if (whole) return remove_member(e.path.front().name, e.span);
  auto& d = diagnostics.error("E0513", e.span, "`" + reference_text(e) + "` is no name of the workspace");
  d.help = "only whole components, variables, equations (by label) and classes can be deleted; to change part of a component, "
           "declare it again or redefine its class";
  return false;
}

bool Merge::remove_member(Name name, Span span) {
  const std::uint32_t id = store.owner(member_key(name));
  if (id == Store::none) return remove_class(name, span);
  const StmtPtr old = store.statement(id);
  if (old->kind == StmtKind::declaration) return remove_component(name);
  if (old->label == name && is_container(*old)) {
    erase(id);
    return true;
  }
  exchange(id, rewrite(old, [&](const StmtPtr& x) { return x->label == name ? nullptr : x; }));
  return true;
}

// A component or variable, with its ends of connections, its assignments and tears.
bool Merge::remove_component(Name name) {
  auto about = [&](const Expr& e) { return !e.path.empty() && e.path.front().name == name; };
  for (std::uint32_t id : store.mentioning(name)) {
    const StmtPtr old = store.statement(id);
    StmtPtr now = rewrite(old, [&](const StmtPtr& x) -> StmtPtr {
      if (x->kind == StmtKind::connect) return without_ends(x, about);
      const bool goes = (x->kind == StmtKind::assign || x->kind == StmtKind::tear) && !x->refs.empty() && about(*x->refs.front());
      return goes ? nullptr : x;
    });
    if (now != old) exchange(id, now);
  }
  const std::uint32_t id = store.owner(member_key(name));
  auto copy = std::make_shared<Stmt>(*store.statement(id));
  std::erase_if(copy->names, [&](const syntax::Declared& d) { return d.name == name; });
  exchange(id, copy->names.empty() ? nullptr : copy);
  return true;
}

bool Merge::remove_class(Name name, Span span) {
  const std::uint32_t id = store.owner(class_key(name));
  if (id == Store::none) {
    auto& d = diagnostics.error("E0510", span, "there is no `" + name.str() + "` in the workspace");
    std::vector<std::string> names = store.keys('m'), classes = store.keys('c');
    names.insert(names.end(), classes.begin(), classes.end());
    const std::string near = closest(name.str(), names);
    d.help = near.empty() ? "`:components`, `:variables`, `:equations` and `:classes` list what there is"
                          : "did you mean `" + near + "`?";
    return false;
  }
  const bool enumeration = store.statement(id)->kind == StmtKind::enumeration;
  std::vector<DiagnosticNote> uses;
  for (const StmtPtr& s : store.statements()) {
    if (s == store.statement(id)) continue;
    if (auto place = place_of_class(*s, name, enumeration)) uses.push_back({*place, "used by `" + first_line(*s) + "`"});
  }
  if (uses.empty()) {
    erase(id);
    return true;
  }
  auto& d = diagnostics.error("E0511", span, "`" + name.str() + "` is in use " + (uses.size() == 1 ? std::string("once") : std::to_string(uses.size()) + " times") + ", so it stays");
  constexpr std::size_t most = 5;
  if (uses.size() > most) {
    uses.resize(most);
    uses.push_back({{}, "…"});
  }
  d.notes = std::move(uses);
  d.help = "delete or change what uses it first";
  return false;
}

namespace {

std::vector<std::string> end_texts(const Stmt& s) {
  std::vector<std::string> ends;
  for (const auto& r : s.refs) ends.push_back(reference_text(*r));
  std::sort(ends.begin(), ends.end());
  return ends;
}

}  // namespace

bool Merge::remove_connection(const StmtPtr& s) {
  const std::vector<std::string> wanted = end_texts(*s);
  const bool one_end = wanted.size() == 1;
  bool found = false;
  std::vector<DiagnosticNote> near;  // connections that have one of the ends
  for (std::uint32_t id : store.mentioning(s->refs.front()->path.front().name)) {
    const StmtPtr old = store.statement(id);
    StmtPtr now = rewrite(old, [&](const StmtPtr& x) -> StmtPtr {
      if (x->kind != StmtKind::connect) return x;
      if (one_end) return without_ends(x, [&](const Expr& e) { return is_prefix(wanted.front(), reference_text(e)); });
      if (!found && end_texts(*x) == wanted) {  // one statement: a doubled connection goes one at a time
        found = true;
        return nullptr;
      }
      const std::vector<std::string> ends = end_texts(*x);
      for (const std::string& w : wanted)
        if (std::find(ends.begin(), ends.end(), w) != ends.end()) {
          near.push_back({x->span, "there is `" + first_line(*x) + "`"});
          break;
        }
      return x;
    });
    if (now == old) continue;
    found = true;
    exchange(id, now);
  }
  if (found) return true;
  std::string what;
  for (const auto& r : s->refs) what += (what.empty() ? "" : ", ") + reference_text(*r);
  auto& d = diagnostics.error("E0512", s->span, one_end ? "no connection has the end `" + what + "`"
                                                        : "no connection statement has exactly the ends `" + what + "`");
  if (near.size() > 5) near.resize(5);
  if (!near.empty() && !one_end) d.help = "name all its ends, or take one end out of every connection: `delete connect " + reference_text(*s->refs.front()) + "`";
  d.notes = std::move(near);
  return false;
}

}  // namespace kron::edit
