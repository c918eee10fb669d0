// lang/syntax/printer.hpp: statements to canonical text (`kron fmt`, `:write`, `:show`).
//   parse(print(s)) is s again (up to spans), print is idempotent, comments are kept.
#pragma once
#include <string>
#include <vector>

#include "lang/syntax/ast.hpp"

namespace kron::syntax {

std::string print(const Expr&);
std::string print(const Stmt&, int indent = 0);             // without its leading comments; ends without newline
std::string print(const std::vector<StmtPtr>& statements);  // a whole file, comments and blank lines included
std::string print(const std::vector<Part>& path);
std::string print(const Modification&);

bool same(const Expr&, const Expr&);  // equal but for spans and comments
bool same(const Stmt&, const Stmt&);

}  // namespace kron::syntax
