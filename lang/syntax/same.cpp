#include <algorithm>
#include <utility>

#include "lang/syntax/printer.hpp"

namespace kron::syntax {
namespace {

bool same_text(const Name& a, const Name& b) { return a == b; }

// Compares trees without recursion over operands: the pairs still to compare wait on a stack.
class Comparison {
 public:
  bool run(const Expr& a, const Expr& b) {
    pairs_.emplace_back(&a, &b);
    while (!pairs_.empty()) {
      const auto [x, y] = pairs_.back();
      pairs_.pop_back();
      if (x != y && !node(*x, *y)) return false;
    }
    return true;
  }

  bool optional(const ExprPtr& a, const ExprPtr& b) {
    if (!a || !b) return !a && !b;
    return run(*a, *b);
  }

  bool list(const std::vector<ExprPtr>& a, const std::vector<ExprPtr>& b) {
    return all(a, b, [&](const ExprPtr& x, const ExprPtr& y) { return optional(x, y); });
  }

  bool path(const std::vector<Part>& a, const std::vector<Part>& b) {
    return all(a, b, [&](const Part& x, const Part& y) {
      return same_text(x.name, y.name) && list(x.subscripts, y.subscripts);
    });
  }

  bool named(const std::vector<NamedArgument>& a, const std::vector<NamedArgument>& b) {
    return all(a, b, [&](const NamedArgument& x, const NamedArgument& y) {
      return x.name == y.name && optional(x.value, y.value);
    });
  }

  bool iterators(const std::vector<Iterator>& a, const std::vector<Iterator>& b) {
    return all(a, b,
               [&](const Iterator& x, const Iterator& y) { return x.name == y.name && optional(x.range, y.range); });
  }

  bool mods(const std::vector<Modification>& a, const std::vector<Modification>& b) {
    return all(a, b, [&](const Modification& x, const Modification& y) {
      return x.is_final == y.is_final && path(x.path, y.path) && optional(x.value, y.value) &&
             mods(x.nested, y.nested) && path(x.replacement, y.replacement);
    });
  }

  bool statements(const std::vector<StmtPtr>& a,
                  const std::vector<StmtPtr>& b) {  // but for those that hold only comments
    auto x = a.begin(), y = b.begin();
    for (;;) {
      while (x != a.end() && (*x)->kind == StmtKind::blank) ++x;
      while (y != b.end() && (*y)->kind == StmtKind::blank) ++y;
      if (x == a.end() || y == b.end()) return x == a.end() && y == b.end();
      if (!statement(**x++, **y++)) return false;
    }
  }

  bool statement(const Stmt& a, const Stmt& b) { return plain(a, b) && expressions(a, b) && blocks(a, b); }

 private:
  template <class List, class Equal>
  static bool all(const List& a, const List& b, Equal equal) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), equal);
  }

  bool node(const Expr& a, const Expr& b) {
    if (a.kind != b.kind || a.op != b.op || a.flag != b.flag || a.text != b.text || a.row_sizes != b.row_sizes)
      return false;
    if (a.number != b.number || a.args.size() != b.args.size()) return false;
    for (std::size_t i = 0; i < a.args.size(); ++i) {
      if (!a.args[i] || !b.args[i]) return false;
      pairs_.emplace_back(a.args[i].get(), b.args[i].get());
    }
    Comparison beside;  // nested as deep as brackets are
    return beside.path(a.path, b.path) && beside.named(a.named, b.named) && beside.iterators(a.iterators, b.iterators);
  }

  static bool plain(const Stmt& a, const Stmt& b) {
    return a.kind == b.kind && a.prefix == b.prefix && a.class_kind == b.class_kind && a.is_final == b.is_final &&
           a.is_private == b.is_private && a.is_outer == b.is_outer && a.is_initial == b.is_initial &&
           a.is_partial == b.is_partial && a.is_short == b.is_short && a.is_connect == b.is_connect &&
           a.is_untear == b.is_untear && a.is_residue == b.is_residue && a.is_file == b.is_file && a.name == b.name &&
           a.label == b.label && a.literals == b.literals && a.members == b.members && a.text == b.text &&
           a.doc == b.doc && a.type_text.has_value() == b.type_text.has_value() &&
           (!a.type_text || a.type_text->text == b.type_text->text);
  }

  bool expressions(const Stmt& a, const Stmt& b) {
    return optional(a.value, b.value) && optional(a.condition, b.condition) && optional(a.lhs, b.lhs) &&
           optional(a.rhs, b.rhs) && optional(a.at, b.at) && list(a.refs, b.refs) && list(a.args, b.args) &&
           iterators(a.iterators, b.iterators) && named(a.named, b.named) && path(a.class_path, b.class_path) &&
           mods(a.mods, b.mods);
  }

  bool blocks(const Stmt& a, const Stmt& b) {
    return all(a.names, b.names,
               [&](const Declared& x, const Declared& y) {
                 return x.name == y.name && list(x.sizes, y.sizes) && mods(x.attributes, y.attributes);
               }) &&
           all(a.inputs, b.inputs,
               [&](const FunctionInput& x, const FunctionInput& y) {
                 return x.name == y.name && list(x.sizes, y.sizes) && optional(x.fallback, y.fallback);
               }) &&
           all(a.bases, b.bases,
               [&](const Base& x, const Base& y) { return path(x.path, y.path) && mods(x.mods, y.mods); }) &&
           all(a.annotations, b.annotations,
               [&](const Annotation& x, const Annotation& y) {
                 return x.name == y.name && list(x.args, y.args) && named(x.named, y.named);
               }) &&
           all(a.branches, b.branches,
               [&](const Branch& x, const Branch& y) {
                 return optional(x.condition, y.condition) && statements(x.body, y.body);
               }) &&
           statements(a.body, b.body);
  }

  std::vector<std::pair<const Expr*, const Expr*>> pairs_;
};

}  // namespace

bool same(const Expr& a, const Expr& b) { return Comparison().run(a, b); }
bool same(const Stmt& a, const Stmt& b) { return Comparison().statement(a, b); }

}  // namespace kron::syntax
