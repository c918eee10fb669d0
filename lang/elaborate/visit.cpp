#include "lang/elaborate/visit.hpp"

namespace kron::elaborate {
using syntax::Expr;
using syntax::ExprPtr;
using syntax::Modification;
using syntax::Stmt;
using Visitor = std::function<void(const Expr&)>;

namespace {

void in_path(const std::vector<syntax::Part>& path, std::vector<const Expr*>& stack) {
  for (const auto& p : path)
    for (const ExprPtr& s : p.subscripts) stack.push_back(s.get());
}

void each_in(const Expr& root, const Visitor& f) {
  std::vector<const Expr*> stack{&root};  // a long sum is a deep tree
  while (!stack.empty()) {
    const Expr& e = *stack.back();
    stack.pop_back();
    f(e);
    in_path(e.path, stack);
    for (const ExprPtr& a : e.args)
      if (a) stack.push_back(a.get());
    for (const auto& n : e.named) stack.push_back(n.value.get());
    for (const auto& i : e.iterators)
      if (i.range) stack.push_back(i.range.get());
  }
}

void maybe(const ExprPtr& e, const Visitor& f) {
  if (e) each_in(*e, f);
}

Visitor references_only(const Visitor& f) {
  return [&f](const Expr& e) {
    if (e.kind == syntax::ExprKind::reference) f(e);
  };
}

void in_mods(const std::vector<Modification>& mods, const Visitor& f) {
  for (const Modification& m : mods) {
    maybe(m.value, f);
    in_mods(m.nested, f);
  }
}

}  // namespace

void each_expression(const Expr& root, const Visitor& f) { each_in(root, f); }
void each_reference(const Expr& root, const Visitor& f) { each_in(root, references_only(f)); }

void each_expression(const Stmt& s, const Visitor& f) {
  for (const auto& d : s.names) {
    for (const ExprPtr& x : d.sizes) maybe(x, f);
    in_mods(d.attributes, f);
  }
  in_mods(s.mods, f);
  for (const auto& b : s.bases) in_mods(b.mods, f);
  for (const ExprPtr* e : {&s.value, &s.condition, &s.lhs, &s.rhs, &s.at}) maybe(*e, f);
  for (const ExprPtr& e : s.refs) maybe(e, f);
  for (const ExprPtr& e : s.args) maybe(e, f);
  for (const auto& i : s.iterators) maybe(i.range, f);
  for (const auto& inner : s.body) each_expression(*inner, f);
  for (const auto& b : s.branches) {
    maybe(b.condition, f);
    for (const auto& inner : b.body) each_expression(*inner, f);
  }
}

void each_reference(const Stmt& s, const Visitor& f) { each_expression(s, references_only(f)); }

}  // namespace kron::elaborate
