// lang/elaborate/visit.hpp: all references in a statement's text, nested statements included.
#pragma once
#include <functional>

#include "lang/syntax/ast.hpp"

namespace kron::elaborate {

void each_reference(const syntax::Expr&, const std::function<void(const syntax::Expr&)>&);
void each_reference(const syntax::Stmt&, const std::function<void(const syntax::Expr&)>&);

}  // namespace kron::elaborate
