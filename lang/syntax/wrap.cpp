#include "lang/syntax/lexer.hpp"
#include "lang/syntax/print_parts.hpp"

namespace kron::syntax {
namespace {

constexpr std::size_t width = 120;

// Behind these a line goes on by itself, in brackets and outside.
bool may_end_line(std::string_view mark) {
  for (std::string_view m : {",", "=", "+", "-", "*", "/", "and", "or"})
    if (m == mark) return true;
  return false;
}

}  // namespace

std::string wrap(const std::string& line, std::size_t indent) {
  if (indent + line.size() <= width || line.find('\n') != std::string::npos) return line;
  std::string out;
  std::size_t start = 0, column = indent, last = 0;  // of the current line; the last place to break it
  for (Token t = token_at(line, 0); t.kind != TokenKind::end; t = token_at(line, t.end)) {
    if (column + (t.end - start) > width && last > start) {
      out += line.substr(start, last - start);
      out += '\n' + std::string(indent + 4, ' ');
      start = last + 1;
      column = indent + 4;
    }
    const bool is_mark = t.kind == TokenKind::mark || t.kind == TokenKind::word;
    if (is_mark && t.end < line.size() && line[t.end] == ' ' && may_end_line(t.in(line))) last = t.end;
  }
  return out + line.substr(start);
}

}  // namespace kron::syntax
