// lang/syntax/piece_parser.hpp: one piece of the layout, parsed. The only place that compiles the grammar.
#pragma once
#include <memory>
#include <string_view>

#include "engine/base/diagnostic.hpp"
#include "lang/syntax/ast.hpp"
#include "lang/syntax/builder.hpp"

namespace kron::syntax {

struct ParsedPiece {
  std::shared_ptr<Stmt> stmt;  // null: an error was reported
  PieceKind kind = PieceKind::statement;
};

// text[begin, end) is the piece; spans count from the beginning of the text.
ParsedPiece parse_piece(SourceId, std::string_view text, std::size_t begin, std::size_t end, Diagnostics&);
ExprPtr parse_whole_expression(SourceId, std::string_view text, std::size_t begin, std::size_t end, Diagnostics&);

}  // namespace kron::syntax
