// lang/syntax/parser.hpp: text to statements.
//   in    a registered source text
//   out   its statements in order; every syntax error of the text as a diagnostic (recovery: at the end of the statement, and
//         of the enclosing block), so one run reports them all. With errors the statements are not to be run.
//   may   never throw on any bytes; nesting deeper than `depth_limit` is a diagnostic
//   cost  linear in the text
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "lang/syntax/ast.hpp"

namespace kron::syntax {

inline constexpr std::uint32_t depth_limit = 200;  // nested brackets, blocks and operators of one expression

struct Parsed {
  std::vector<StmtPtr> statements;
  Diagnostics diagnostics;
};

Parsed parse(SourceId);

// One expression (a `:value (…)` argument, a C++ string): the whole text must be one.
ExprPtr parse_expression(SourceId, Diagnostics&);

// Whether a line editor should wait for more: a bracket, a block (`model … end`), a string or a comment is open, or the last
// line asks for a continuation (language.md section 2).
bool incomplete(std::string_view text);
// Whether the last line of several is a command, which ends what the lines before it left open.
bool ends_in_command(std::string_view text);

bool is_keyword(std::string_view word);                // reserved everywhere (language.md section 2)
const std::vector<std::string_view>& command_names();  // without colon: the table that decides what a `:word` line is

}  // namespace kron::syntax
