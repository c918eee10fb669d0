#include "engine/base/source.hpp"

#include <algorithm>
#include <deque>
#include <vector>

namespace kron {
namespace {

struct Source {
  std::string file, text;
  std::vector<std::uint32_t> line_starts;
};

std::deque<Source>& all() {
  static std::deque<Source> list(1, Source{"", "", {0}});
  return list;
}

}  // namespace

SourceId sources::add(std::string file, std::string text) {
  Source s{std::move(file), std::move(text), {0}};
  for (std::size_t i = 0; i < s.text.size(); ++i)
    if (s.text[i] == '\n') s.line_starts.push_back(static_cast<std::uint32_t>(i + 1));
  all().push_back(std::move(s));
  return SourceId{all().size() - 1};
}

const std::string& sources::file(SourceId id) { return all()[id.value].file; }
const std::string& sources::text(SourceId id) { return all()[id.value].text; }

Position sources::position(SourceId id, std::uint32_t offset) {
  const Source& s = all()[id.value];
  auto it = std::upper_bound(s.line_starts.begin(), s.line_starts.end(), offset);
  auto line = static_cast<std::uint32_t>(it - s.line_starts.begin());
  std::uint32_t column = 1;
  for (std::size_t i = s.line_starts[line - 1]; i < offset && i < s.text.size(); ++i)
    if ((static_cast<unsigned char>(s.text[i]) & 0xC0) != 0x80) ++column;  // count code points, not bytes
  return {line, column};
}

std::string_view sources::line(SourceId id, std::uint32_t line) {
  const Source& s = all()[id.value];
  if (line == 0 || line > s.line_starts.size()) return {};
  std::size_t begin = s.line_starts[line - 1];
  std::size_t end = s.text.find('\n', begin);
  if (end == std::string::npos) end = s.text.size();
  if (end > begin && s.text[end - 1] == '\r') --end;
  return std::string_view(s.text).substr(begin, end - begin);
}

std::string_view sources::quote(Span span) {
  const std::string& t = text(span.source);
  if (span.begin > t.size() || span.end < span.begin) return {};
  return std::string_view(t).substr(span.begin, span.end - span.begin);
}

Span join(Span a, Span b) {
  if (!a.known()) return b;
  if (!b.known() || a.source != b.source) return a;
  return {a.source, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

}  // namespace kron
