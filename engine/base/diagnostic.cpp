#include "engine/base/diagnostic.hpp"

#include <algorithm>

namespace kron {
namespace {

Diagnostic make(Severity severity, std::string code, Span span, std::string message) {
  Diagnostic d;
  d.severity = severity;
  d.code = std::move(code);
  d.span = span;
  d.message = std::move(message);
  return d;
}

const char* severity_name(Severity s) {
  return s == Severity::error ? "error" : s == Severity::warning ? "warning" : "note";
}

std::string place(Span span) {
  if (!span.known()) return {};
  Position p = sources::position(span.source, span.begin);
  return sources::file(span.source) + ":" + std::to_string(p.line) + ":" + std::to_string(p.column) + ": ";
}

std::size_t code_points(std::string_view s) {
  return static_cast<std::size_t>(
      std::count_if(s.begin(), s.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

// The source line with a caret line below it; tabs become blanks so that the caret stands right.
std::string excerpt(Span span, const std::string& label) {
  if (!span.known()) return {};
  Position p = sources::position(span.source, span.begin);
  std::string text(sources::line(span.source, p.line));
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  const std::size_t width = code_points(text);
  std::size_t column = p.column;
  std::size_t length = std::max<std::size_t>(1, code_points(sources::quote(span)));
  if (column <= width) length = std::min(length, width - column + 1);
  else length = 1;
  constexpr std::size_t longest = 160;
  if (width > longest) {  // a very long line: show the part around the place
    const std::size_t first = column > longest / 2 ? column - longest / 2 : 1;
    std::string part;
    std::size_t n = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) ++n;
      if (n >= first && n < first + longest) part += text[i];
    }
    text = part;
    column -= first - 1;
    length = std::min(length, longest - column + 1);
  }
  const std::string number = std::to_string(p.line);
  std::string out = "  " + number + " | " + text + "\n  " + std::string(number.size(), ' ') + " | " +
                    std::string(column - 1, ' ') + std::string(length, '^');
  if (!label.empty()) out += " " + label;
  return out + "\n";
}

// Damerau-Levenshtein distance: letters inserted, left out, changed, or swapped with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t n = a.size(), m = b.size();
  std::vector<std::vector<std::size_t>> d(n + 1, std::vector<std::size_t>(m + 1));
  for (std::size_t i = 0; i <= n; ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= m; ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= n; ++i)
    for (std::size_t j = 1; j <= m; ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[n][m];
}

}  // namespace

Diagnostic& Diagnostics::error(std::string code, Span span, std::string message) {
  add(make(Severity::error, std::move(code), span, std::move(message)));
  return list_.back();
}
Diagnostic& Diagnostics::warning(std::string code, Span span, std::string message) {
  add(make(Severity::warning, std::move(code), span, std::move(message)));
  return list_.back();
}
Diagnostic& Diagnostics::note(std::string code, Span span, std::string message) {
  add(make(Severity::note, std::move(code), span, std::move(message)));
  return list_.back();
}
void Diagnostics::add(Diagnostic d) {
  if (d.severity == Severity::error) ++errors_;
  list_.push_back(std::move(d));
}
const Diagnostic* Diagnostics::first_error() const {
  const auto first = std::find_if(list_.begin(), list_.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
  return first == list_.end() ? nullptr : &*first;
}

void Diagnostics::clear() {
  list_.clear();
  errors_ = 0;
}
void Diagnostics::append(const Diagnostics& other) {
  list_.insert(list_.end(), other.list_.begin(), other.list_.end());
  errors_ += other.errors_;
}

std::string render(const Diagnostic& d) {
  std::string out = place(d.span) + severity_name(d.severity);
  if (!d.code.empty()) out += "[" + d.code + "]";
  out += ": " + d.message + "\n" + excerpt(d.span, d.label);
  for (const DiagnosticNote& n : d.notes) out += "  note: " + place(n.span) + n.text + "\n";
  if (!d.help.empty()) out += "  help: " + d.help + "\n";
  return out;
}

const std::vector<CodeInfo>& diagnostic_codes() {
  static const std::vector<CodeInfo> table = [] {
    std::vector<CodeInfo> t = {
#define KRON_CODE(code, title, explanation, example) {code, title, explanation, example},
#include "engine/base/codes/elaborate.def"
#include "engine/base/codes/files.def"
#include "engine/base/codes/program.def"
#include "engine/base/codes/simulate.def"
#include "engine/base/codes/structure.def"
#include "engine/base/codes/syntax.def"
#undef KRON_CODE
    };
    std::sort(t.begin(), t.end(), [](const CodeInfo& a, const CodeInfo& b) { return a.code < b.code; });
    return t;
  }();
  return table;
}

const CodeInfo* find_diagnostic_code(std::string_view code) {
  for (const CodeInfo& c : diagnostic_codes())
    if (c.code == code) return &c;
  return nullptr;
}

std::string closest(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t longest = 64;
  std::string best;
  std::size_t least = word.size() / 3;
  if (word.size() > longest) return best;
  for (const std::string& c : candidates) {
    const std::size_t difference = std::max(word.size(), c.size()) - std::min(word.size(), c.size());
    if (c == word || c.size() > longest || difference > least) continue;
    const std::size_t d = edit_distance(word, c);
    if (d < least || (d == least && (best.empty() || c < best))) {
      least = d;
      best = c;
    }
  }
  return best;
}

}  // namespace kron
