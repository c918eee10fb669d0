// lang/syntax/errors.hpp: the diagnostics of this room that need no grammar: what is wrong, and what to do about it.
// The codes are explained in engine/base/codes/syntax.def.
#pragma once
#include <string>
#include <string_view>

#include "engine/base/diagnostic.hpp"
#include "engine/base/number.hpp"

namespace kron::syntax {

// Text of the program in a message.
inline std::string ticked(std::string_view text) { return "`" + std::string(text) + "`"; }
inline std::string ticked(char c) { return ticked(std::string_view(&c, 1)); }

// The value of a literal; false where no double is near enough to it.
bool read_number(std::string_view digits, Rational& value);

namespace errors {

// Layout
void not_text(Diagnostics&, Span at, char found);
void open_bracket(Diagnostics&, Span at, char bracket);
void wrong_bracket(Diagnostics&, Span at, char bracket, Span open, char open_bracket);
void stray_bracket(Diagnostics&, Span at, char bracket);
void open_string(Diagnostics&, Span at, bool is_doc);
void open_comment(Diagnostics&, Span at);
void too_deep(Diagnostics&, Span at, std::string_view what);

// Building the tree
Diagnostic too_deep(Span at, std::string_view what);
Diagnostic chain_too_long(Span at);  // the same code: operators in a row nest, too
Diagnostic number_range(Span at, std::string_view digits);
Diagnostic escape(Span at);
Diagnostic end_outside(Span at);
Diagnostic tuple_place(Span at);
Diagnostic assign_target(Span at);
Diagnostic second_doc(Span at);
Diagnostic empty_unit(Span at);
Diagnostic call_form(Span at);
Diagnostic type_behind_value(Span at);

// Blocks
Diagnostic open_block(Span at, const std::string& what);
Diagnostic stray_end(Span at, const std::string& word);
Diagnostic wrong_end(Span at, const std::string& name, const std::string& what, Span opened);
Diagnostic unknown_command(Span at, std::string_view name);
Diagnostic literal_twice(Span at, const std::string& literal);
Diagnostic misplaced(Span at, const std::string& what, const std::string& where, std::string help);
Diagnostic class_in_class(Span at, const std::string& inner, const std::string& outer);
Diagnostic sign_at_line_start(Span at, char sign);

}  // namespace errors
}  // namespace kron::syntax
