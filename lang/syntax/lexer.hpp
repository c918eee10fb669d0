// lang/syntax/lexer.hpp: one token at a place. The layout pass walks over them, and the error messages look at those
// around a place; the grammar (grammar.hpp) reads characters and does not use them.
#pragma once
#include <cstdint>
#include <string_view>

namespace kron::syntax {

enum class TokenKind : std::uint8_t {
  end,  // of the text
  newline,
  blank,
  line_comment,
  block_comment,
  word,        // name or keyword
  number,      // 3, 0.1, 6.02e23
  bad_number,  // 1. or .5
  quantity,    // 10 [kOhm]
  string,
  doc_string,  // "..." and """..."""
  mark,        // operator, bracket, separator
  unknown,     // a character that begins nothing
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::size_t begin = 0, end = 0;
  bool closed = true;  // string or block comment: its end was found

  std::string_view in(std::string_view text) const { return text.substr(begin, end - begin); }
  bool is_space() const { return kind >= TokenKind::newline && kind <= TokenKind::block_comment; }
  bool is_operand_start() const { return kind >= TokenKind::word && kind <= TokenKind::doc_string; }
};

Token token_at(std::string_view text, std::size_t at);

}  // namespace kron::syntax
