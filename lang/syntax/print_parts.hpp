// lang/syntax/print_parts.hpp: what the printers of expressions and of statements share.
#pragma once
#include <string>
#include <vector>

#include "lang/syntax/ast.hpp"

namespace kron::syntax {

std::string string_text(const std::string&);  // in quotes, escaped, on one line

void write(std::string& out, const Expr&);
void write_side(std::string& out, const Expr&);  // of an equation: `if` and ranges in brackets
void write(std::string& out, const std::vector<Part>& path);
void write_subscripts(std::string& out, const std::vector<ExprPtr>&);  // nothing where there are none
void write_arguments(std::string& out, const std::vector<ExprPtr>&, const std::vector<NamedArgument>&);
void write(std::string& out, const std::vector<Iterator>&);

// Breaks a long statement into lines: at blanks behind commas and operators, where the layout goes on by itself.
std::string wrap(const std::string& line, std::size_t indent);

}  // namespace kron::syntax
