#include "lang/workspace/walk.hpp"

#include <charconv>

#include "lang/syntax/printer.hpp"

namespace kron::edit {
namespace {

using syntax::Branch;
using syntax::Expr;
using syntax::ExprKind;
using syntax::Modification;
using syntax::Part;
using syntax::StmtKind;

bool rewrite_body(std::vector<StmtPtr>& body, const Leaf& leaf) {
  bool changed = false;
  std::vector<StmtPtr> kept;
  kept.reserve(body.size());
  for (const StmtPtr& s : body) {
    StmtPtr r = rewrite(s, leaf);
    changed |= r != s;
    if (r) kept.push_back(std::move(r));
  }
  if (changed) body = std::move(kept);
  return changed;
}

bool empty_container(const Stmt& s) {
  for (const StmtPtr& b : s.body)
    if (b->kind != StmtKind::blank) return false;
  for (const Branch& b : s.branches)
    for (const StmtPtr& x : b.body)
      if (x->kind != StmtKind::blank) return false;
  return true;
}

// Looks for a class name in the parts of a statement.
struct ClassSearch {
  Name name;
  bool enumeration = false;
  std::optional<Span> found;

  void path(const std::vector<Part>& p, Span span) {
    if (!found && !p.empty() && p.front().name == name) found = span;
    for (const Part& part : p)
      for (const ExprPtr& e : part.subscripts) expr(e);
  }
  void expr(const ExprPtr& e) {
    if (found || !e) return;
    if (e->kind == ExprKind::call || (enumeration && e->kind == ExprKind::reference && e->path.size() > 1)) path(e->path, e->span);
    for (const Part& part : e->path)
      for (const ExprPtr& s : part.subscripts) expr(s);
    for (const ExprPtr& a : e->args) expr(a);
    for (const auto& n : e->named) expr(n.value);
    for (const auto& i : e->iterators) expr(i.range);
  }
  void mods(const std::vector<Modification>& list) {
    for (const Modification& m : list) {
      path(m.replacement, m.span);
      expr(m.value);
      mods(m.nested);
    }
  }
  void type(const syntax::UnitText& t) {
    const std::string& wanted = name.str();
    for (std::size_t at = t.text.find(wanted); at != std::string::npos; at = t.text.find(wanted, at + 1)) {
      const std::size_t end = at + wanted.size();
      auto inside = [&](std::size_t i) {
        const auto c = static_cast<unsigned char>(t.text[i]);
        return std::isalnum(c) || c == '_' || c >= 0x80;
      };
      if ((at == 0 || !inside(at - 1)) && (end == t.text.size() || !inside(end))) found = t.span;
    }
  }
  void declared(const Stmt& s) {
    for (const auto& d : s.names) {
      for (const ExprPtr& e : d.sizes) expr(e);
      mods(d.attributes);
    }
    for (const auto& i : s.inputs) {
      for (const ExprPtr& e : i.sizes) expr(e);
      expr(i.fallback);
    }
  }
  void statement(const Stmt& s) {
    if (found) return;
    path(s.class_path, s.span);
    for (const auto& b : s.bases) {
      path(b.path, b.span);
      mods(b.mods);
    }
    if (s.type_text && !found) type(*s.type_text);
    mods(s.mods);
    declared(s);
    for (const ExprPtr& e : {s.value, s.condition, s.lhs, s.rhs, s.at}) expr(e);
    for (const ExprPtr& e : s.refs) expr(e);
    for (const ExprPtr& e : s.args) expr(e);
    for (const auto& i : s.iterators) expr(i.range);
    for (const StmtPtr& b : s.body) statement(*b);
    for (const Branch& b : s.branches) {
      expr(b.condition);
      for (const StmtPtr& x : b.body) statement(*x);
    }
  }
};

}  // namespace

bool is_container(const Stmt& s) {
  return s.kind == StmtKind::for_ || s.kind == StmtKind::if_ || s.kind == StmtKind::when || s.kind == StmtKind::initial_block;
}

StmtPtr rewrite(const StmtPtr& s, const Leaf& leaf) {
  if (!is_container(*s)) return leaf(s);
  auto copy = std::make_shared<Stmt>(*s);
  bool changed = rewrite_body(copy->body, leaf);
  for (Branch& b : copy->branches) changed |= rewrite_body(b.body, leaf);
  if (!changed) return s;
  if (empty_container(*copy)) return nullptr;
  return copy;
}

void for_each_leaf(const StmtPtr& s, const std::function<void(const StmtPtr&)>& visit) {
  if (!is_container(*s)) return visit(s);
  for (const StmtPtr& b : s->body) for_each_leaf(b, visit);
  for (const Branch& b : s->branches)
    for (const StmtPtr& x : b.body) for_each_leaf(x, visit);
}

StmtPtr without_ends(const StmtPtr& s, const std::function<bool(const Expr&)>& goes) {
  if (s->kind != StmtKind::connect) return s;
  std::vector<ExprPtr> kept;
  for (const ExprPtr& e : s->refs)
    if (!goes(*e)) kept.push_back(e);
  if (kept.size() == s->refs.size()) return s;
  if (kept.size() < 2) return nullptr;
  auto copy = std::make_shared<Stmt>(*s);
  copy->refs = std::move(kept);
  return copy;
}

std::optional<std::uint32_t> automatic_number(Name label) {
  const std::string& t = label.str();
  if (t.size() < 2 || t.size() > 9 || t[0] != 'e' || t[1] == '0') return std::nullopt;
  std::uint32_t n = 0;
  auto [end, error] = std::from_chars(t.data() + 1, t.data() + t.size(), n);
  if (error != std::errc{} || end != t.data() + t.size()) return std::nullopt;
  return n;
}

bool has_unlabelled(const StmtPtr& s) {
  bool any = false;
  for_each_leaf(s, [&](const StmtPtr& x) { any |= x->kind == StmtKind::equation && x->label.empty(); });
  return any;
}

StmtPtr with_labels(const StmtPtr& s, const std::function<Name()>& next) {
  if (!has_unlabelled(s)) return s;
  return rewrite(s, [&](const StmtPtr& x) -> StmtPtr {
    if (x->kind != StmtKind::equation || !x->label.empty()) return x;
    auto copy = std::make_shared<Stmt>(*x);
    copy->label = next();
    return copy;
  });
}

std::optional<Span> place_of_class(const Stmt& s, Name name, bool enumeration) {
  ClassSearch search{name, enumeration, std::nullopt};
  search.statement(s);
  return search.found;
}

bool is_prefix(const std::string& path, const std::string& of) {
  return of.compare(0, path.size(), path) == 0 && (of.size() == path.size() || of[path.size()] == '.' || of[path.size()] == '[');
}

std::string first_line(const Stmt& s) {
  std::string text = syntax::print(s);
  const std::size_t end = text.find('\n');
  if (end != std::string::npos) text = text.substr(0, end) + " …";
  constexpr std::size_t longest = 100;
  if (text.size() > longest) {
    std::size_t cut = longest;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;  // not inside a character
    text = text.substr(0, cut) + " …";
  }
  return text;
}

}  // namespace kron::edit
