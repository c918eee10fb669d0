// engine/base/diagnostic.hpp: a diagnostic is data: code, place, text, notes, help. Rendering is the program's business.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/source.hpp"

namespace kron {

enum class Severity { error, warning, note };

struct DiagnosticNote {
  Span span;  // may be unknown
  std::string text;
};

struct Diagnostic {
  Severity severity = Severity::error;
  std::string code;     // "E0312": listed in engine/base/codes/*.def with an explanation and an example
  std::string message;  // one line, names in `backticks`
  Span span;            // the place; may be unknown
  std::string label;    // printed behind the caret, may be empty
  std::vector<DiagnosticNote> notes;
  std::string help;     // what to do, may be empty
};

// Collects diagnostics of a pass. A pass goes on after an error as far as it makes sense.
class Diagnostics {
 public:
  Diagnostic& error(std::string code, Span span, std::string message);
  Diagnostic& warning(std::string code, Span span, std::string message);
  Diagnostic& note(std::string code, Span span, std::string message);
  void add(Diagnostic d);
  bool has_errors() const { return errors_ > 0; }
  std::size_t error_count() const { return errors_; }
  const Diagnostic* first_error() const;  // or null
  const std::vector<Diagnostic>& list() const { return list_; }
  void clear();
  void append(const Diagnostics& other);

 private:
  std::vector<Diagnostic> list_;
  std::size_t errors_ = 0;
};

// Text form, as `file:line:column: error[E0312]: text` with source line, caret, notes and help (commands.md section 1).
std::string render(const Diagnostic&);

struct CodeInfo {
  std::string_view code, title, explanation, example;
};
const std::vector<CodeInfo>& diagnostic_codes();           // all, by code; the table behind `:help E0312` and docs/errors.md
const CodeInfo* find_diagnostic_code(std::string_view code);

// The closest of `candidates` for a "did you mean" (Damerau-Levenshtein, at most a third of the letters wrong), or "".
std::string closest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace kron
