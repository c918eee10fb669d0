// lang/workspace/walk.hpp: small passes over single statements that editing needs. Pure; recursion is bounded by the parser's
// depth limit.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lang/syntax/ast.hpp"

namespace kron::edit {

using syntax::ExprPtr;
using syntax::Stmt;
using syntax::StmtPtr;

// Whether other statements stand inside it that belong to the model around it (for, if, when, initial … end).
bool is_container(const Stmt&);

// The statement with each statement inside (itself, where it is no container) replaced by leaf(it); null takes it out, and a
// container that loses its last statement goes too. Gives back the same pointer where nothing changed.
using Leaf = std::function<StmtPtr(const StmtPtr&)>;
StmtPtr rewrite(const StmtPtr&, const Leaf&);

// Calls visit for the statement, or for those inside it.
void for_each_leaf(const StmtPtr&, const std::function<void(const StmtPtr&)>& visit);

// A copy with one connect statement's ends reduced: those for which `goes` is true are taken out; null where fewer than two stay,
// the same pointer where none goes.
StmtPtr without_ends(const StmtPtr&, const std::function<bool(const syntax::Expr&)>& goes);

// `e12` is 12: the number of an automatic label.
std::optional<std::uint32_t> automatic_number(Name label);

// Equations without a label get the one that `next` gives.
StmtPtr with_labels(const StmtPtr&, const std::function<Name()>& next);
bool has_unlabelled(const StmtPtr&);

// Where a statement names a class (as a component's class, base, type, function or, for an enumeration, as the first part of a
// path); nullopt where it does not.
std::optional<Span> place_of_class(const Stmt&, Name, bool enumeration);

bool is_prefix(const std::string& path, const std::string& of);  // "R1" of "R1.p", "r" of "r[2].p"; a path of itself

std::string first_line(const Stmt&);                             // of its canonical text, shortened

}  // namespace kron::edit
