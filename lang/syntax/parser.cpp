#include "lang/syntax/parser.hpp"

#include <algorithm>

#include "lang/syntax/blocks.hpp"
#include "lang/syntax/characters.hpp"
#include "lang/syntax/errors.hpp"
#include "lang/syntax/layout.hpp"
#include "lang/syntax/piece_parser.hpp"

namespace kron::syntax {
namespace {

// Whether the bytes are text at all; one error if not.
bool is_text(SourceId source, std::string_view text, Diagnostics& out) {
  const auto bad = first_bad_byte(text);
  if (!bad) return true;
  const auto at = static_cast<std::uint32_t>(*bad);
  errors::not_text(out, {source, at, at + 1}, text[*bad]);
  return false;
}

void sort_by_place(Diagnostics& diagnostics) {
  std::vector<Diagnostic> list = diagnostics.list();
  std::stable_sort(list.begin(), list.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.span.begin < b.span.begin; });
  diagnostics.clear();
  for (Diagnostic& d : list) diagnostics.add(std::move(d));
}

}  // namespace

Parsed parse(SourceId source) {
  const std::string_view text = sources::text(source);
  Parsed parsed;
  if (!is_text(source, text, parsed.diagnostics)) return parsed;
  Layout layout = lay_out(source, text, parsed.diagnostics);
  parsed.statements = build_blocks(source, text, std::move(layout), parsed.diagnostics).statements;
  sort_by_place(parsed.diagnostics);  // brackets and statements are looked at one after the other
  return parsed;
}

ExprPtr parse_expression(SourceId source, Diagnostics& out) {
  const std::string_view text = sources::text(source);
  if (!is_text(source, text, out)) return nullptr;
  const std::size_t before = out.error_count();
  const Layout layout = lay_out(source, text, out);
  if (out.error_count() > before) return nullptr;
  std::size_t begin = 0, end = text.size();
  if (!layout.pieces.empty()) begin = layout.pieces.front().begin, end = layout.pieces.back().end;
  return parse_whole_expression(source, text, begin, end, out);
}

bool incomplete(std::string_view text) {
  if (first_bad_byte(text)) return false;
  Diagnostics ignored;
  Layout layout = lay_out({}, text, ignored);
  if (layout.is_open) return true;
  return build_blocks({}, text, std::move(layout), ignored).is_open;
}

bool ends_in_command(std::string_view text) {
  const std::size_t line = text.rfind('\n');
  if (line == std::string_view::npos || first_bad_byte(text)) return false;
  Diagnostics ignored;
  const Layout layout = lay_out({}, text, ignored);
  return !layout.pieces.empty() && layout.pieces.back().is_command && layout.pieces.back().begin > line;
}

}  // namespace kron::syntax
