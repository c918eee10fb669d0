#include "lang/syntax/lexer.hpp"

#include <algorithm>

#include "lang/syntax/characters.hpp"

namespace kron::syntax {
namespace {

bool starts(std::string_view text, std::size_t at, std::string_view with) {
  return text.substr(at, with.size()) == with;
}

Token comment(std::string_view text, std::size_t at) {
  if (text[at + 1] == '/') {
    std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at && text[end - 1] == '\r') --end;
    return {TokenKind::line_comment, at, end, true};
  }
  const std::size_t close = text.find("*/", at + 2);
  if (close == std::string_view::npos) return {TokenKind::block_comment, at, text.size(), false};
  return {TokenKind::block_comment, at, close + 2, true};
}

Token string(std::string_view text, std::size_t at) {
  const bool doc = starts(text, at, "\"\"\"");
  const TokenKind kind = doc ? TokenKind::doc_string : TokenKind::string;
  for (std::size_t i = at + (doc ? 3 : 1); i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && (doc || text[i + 1] != '\n')) ++i;
    else if (doc ? starts(text, i, "\"\"\"") : text[i] == '"') return {kind, at, i + (doc ? 3 : 1), true};
    else if (!doc && text[i] == '\n') return {kind, at, i, false};
  }
  return {kind, at, text.size(), false};
}

Token number(std::string_view text, std::size_t at) {
  std::size_t end = at + number_length(text, at);
  const bool operator_follows =
      end + 1 < text.size() && std::string_view("*/^").find(text[end + 1]) != std::string_view::npos;
  if (end < text.size() && text[end] == '.' && !operator_follows) return {TokenKind::bad_number, at, end + 1, true};
  std::size_t i = end;
  while (i < text.size() && (text[i] == ' ' || text[i] == '\t')) ++i;
  if (i >= text.size() || text[i] != '[') return {TokenKind::number, at, end, true};
  const std::size_t close = text.find_first_of("]\n[", i + 1);
  if (close == std::string_view::npos || text[close] != ']') return {TokenKind::number, at, end, true};
  return {TokenKind::quantity, at, close + 1, true};
}

Token mark(std::string_view text, std::size_t at) {
  for (std::string_view two : {"::", ":=", "==", "!=", "<=", ">=", ".*", "./", ".^"})
    if (starts(text, at, two)) return {TokenKind::mark, at, at + 2, true};
  if (std::string_view("()[]{},;:=+-*/^<>.'@").find(text[at]) != std::string_view::npos)
    return {TokenKind::mark, at, at + 1, true};
  return {TokenKind::unknown, at, at + character_length(text, at), true};
}

}  // namespace

Token token_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return {TokenKind::end, text.size(), text.size(), true};
  const char c = text[at];
  const char next = at + 1 < text.size() ? text[at + 1] : '\0';
  if (c == '\n') return {TokenKind::newline, at, at + 1, true};
  if (is_blank(c)) {
    std::size_t i = at;
    while (i < text.size() && is_blank(text[i])) ++i;
    return {TokenKind::blank, at, i, true};
  }
  if (c == '/' && (next == '/' || next == '*')) return comment(text, at);
  if (c == '"') return string(text, at);
  if (is_digit(c)) return number(text, at);
  if (c == '.' && is_digit(next)) return {TokenKind::bad_number, at, at + 1 + number_length(text, at + 1), true};
  if (const std::size_t n = name_length(text, at)) return {TokenKind::word, at, at + n, true};
  return mark(text, at);
}

}  // namespace kron::syntax
