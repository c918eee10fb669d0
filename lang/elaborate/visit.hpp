// lang/elaborate/visit.hpp: all expressions, or references, in a statement's text, nested statements included.
#pragma once
#include <functional>

#include "lang/syntax/ast.hpp"

namespace kron::elaborate {

void each_expression(const syntax::Expr&, const std::function<void(const syntax::Expr&)>&);  // parts of expressions too
void each_expression(const syntax::Stmt&, const std::function<void(const syntax::Expr&)>&);
void each_reference(const syntax::Expr&, const std::function<void(const syntax::Expr&)>&);
void each_reference(const syntax::Stmt&, const std::function<void(const syntax::Expr&)>&);

}  // namespace kron::elaborate
