// lang/syntax/messages.hpp: what was expected where a rule of the grammar fails. explain() makes the diagnostic of it,
// with a look at what stands there instead.
#pragma once
#include <string_view>

#include "lang/syntax/explain.hpp"
#include "lang/syntax/grammar.hpp"

namespace kron::syntax {

template <class Rule>
inline constexpr Expected expected{};  // every rule under a `must` has its own below

#define KRON_EXPECTED(rule, code, what) \
  template <>                           \
  inline constexpr Expected expected<grammar::rule>{code, what};

KRON_EXPECTED(expression, "E0110", "an expression")
KRON_EXPECTED(condition, "E0110", "a condition")
KRON_EXPECTED(value, "E0110", "a value")
KRON_EXPECTED(equation_value, "E0110", "the right side of the equation")
KRON_EXPECTED(nested_unary, "E0110", "an operand")
KRON_EXPECTED(unary, "E0110", "an operand")
KRON_EXPECTED(product, "E0110", "an operand")
KRON_EXPECTED(sum, "E0110", "an operand")
KRON_EXPECTED(nested_not, "E0110", "a condition")
KRON_EXPECTED(logical_not, "E0110", "a condition")
KRON_EXPECTED(logical_and, "E0110", "a condition")
KRON_EXPECTED(logical_or, "E0110", "the end of the range")
KRON_EXPECTED(argument, "E0110", "an argument")
KRON_EXPECTED(matrix_row, "E0110", "a row of the matrix")
KRON_EXPECTED(subscript, "E0110", "a subscript")
KRON_EXPECTED(number_end, "E0108", "the end of the number")
KRON_EXPECTED(unit_text, "E0135", "a unit")
KRON_EXPECTED(unit_close, "E0135", "`]` after the unit")
KRON_EXPECTED(relation_end, "E0112", "one comparison")
KRON_EXPECTED(then_word, "E0120", "`then`")
KRON_EXPECTED(else_word, "E0137", "`else`")
KRON_EXPECTED(open_round, "E0120", "`(`")
KRON_EXPECTED(close_round, "E0120", "`,` or `)`")
KRON_EXPECTED(close_square, "E0120", "`,` or `]`")
KRON_EXPECTED(close_brace, "E0120", "`,` or `}`")
KRON_EXPECTED(comma, "E0120", "`,`")
KRON_EXPECTED(equals, "E0120", "`=`")
KRON_EXPECTED(part, "E0119", "a name after the point")
KRON_EXPECTED(iterator, "E0119", "the name of an index, as in `for k in 1:n`")
KRON_EXPECTED(identifier, "E0119", "a name")
KRON_EXPECTED(reference, "E0119", "a name")
KRON_EXPECTED(tear_variable, "E0119", "a variable")
KRON_EXPECTED(class_path, "E0119", "the name of a class")
KRON_EXPECTED(class_name, "E0119", "a name")
KRON_EXPECTED(enumeration_literal, "E0119", "the name of a literal")
KRON_EXPECTED(base, "E0119", "the name of a class")
KRON_EXPECTED(modification, "E0119", "what to modify, as in `(R = 5, x(start = 1))`")
KRON_EXPECTED(declared, "E0119", "the name to declare")
KRON_EXPECTED(function_input, "E0119", "the name of an argument")
KRON_EXPECTED(use_source, "E0119", "the name of a library, or a file in quotes")
KRON_EXPECTED(use_member, "E0119", "a name from the library")
KRON_EXPECTED(setting, "E0119", "a setting, as in `stop = 10`")
KRON_EXPECTED(type, "E0138", "a type or a unit")
KRON_EXPECTED(unit_factor, "E0138", "a unit")
KRON_EXPECTED(unit_group_close, "E0138", "`)` in the unit")
KRON_EXPECTED(type_end, "E0128", "the end of the type")
KRON_EXPECTED(message_text, "E0120", "a text in double quotes")
KRON_EXPECTED(terminate_text, "E0120", "a text in double quotes")
KRON_EXPECTED(any_declaration, "E0120", "a declaration")
KRON_EXPECTED(class_word, "E0120", "`model`, `connector` or `record`")
KRON_EXPECTED(equation_like, "E0120", "an equation after the label")
KRON_EXPECTED(initial_body, "E0120", "an equation, `for` or `if` after `initial`")
KRON_EXPECTED(equation_sign, "E0118", "`=`")
KRON_EXPECTED(any_piece, "E0120", "a statement")
KRON_EXPECTED(statement_end, "E0121", "the end of the statement")
#undef KRON_EXPECTED

}  // namespace kron::syntax
