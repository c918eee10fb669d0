#include "repl/arguments.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include "lang/syntax/parser.hpp"
#include "repl/commands.hpp"

namespace kron::repl {

Arguments::Arguments(Session& session, std::string command, std::string_view text, Span statement)
    : session_(session), command_(std::move(command)), text_(text), statement_(statement) {
  if (statement.known() && !text_.empty()) {
    const std::string_view whole = sources::quote(statement);
    const std::size_t at = whole.rfind(text_);
    if (at != std::string_view::npos) {
      offset_ = statement.begin + static_cast<std::uint32_t>(at);
      located_ = true;
    }
  }
  split();
}

namespace {

// End of the word that begins at `at`; npos where a quote or bracket stays open.
std::size_t word_end(std::string_view t, std::size_t at) {
  std::size_t depth = 0;
  bool quote = false;
  for (; at < t.size(); ++at) {
    const char c = t[at];
    if (quote) {
      if (c == '\\') ++at;
      else if (c == '"') quote = false;
      continue;
    }
    if (c == '"') quote = true;
    else if (c == '(' || c == '[' || c == '{') ++depth;
    else if (c == ')' || c == ']' || c == '}') depth -= depth > 0;
    else if (depth == 0 && (c == ' ' || c == '\t' || c == '\r' || c == '\n')) break;
  }
  return quote || depth > 0 ? std::string_view::npos : std::min(at, t.size());
}

std::string unquoted(std::string_view inner) {
  std::string s;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] == '\\' && i + 1 < inner.size() && (inner[i + 1] == '"' || inner[i + 1] == '\\')) ++i;
    s += inner[i];
  }
  return s;
}

// Whether the parenthesis at the front is closed by the last character: `(a - b)`, not `(a)*(b)`.
bool wrapped(std::string_view t) {
  if (t.size() < 2 || t.front() != '(' || t.back() != ')') return false;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (t[i] == '(') ++depth;
    if (t[i] == ')' && --depth == 0) return i + 1 == t.size();
  }
  return false;
}

}  // namespace

void Arguments::split() {
  for (std::size_t at = 0; at < text_.size();) {
    if (text_[at] == ' ' || text_[at] == '\t' || text_[at] == '\r' || text_[at] == '\n') {
      ++at;
      continue;
    }
    std::size_t end = word_end(text_, at);
    if (end == std::string::npos) {
      good_ = false;
      end = text_.size();
    }
    const std::string_view t = std::string_view(text_).substr(at, end - at);
    Word w{Word::plain, std::string(t), statement_};
    if (located_) w.span = {statement_.source, offset_ + static_cast<std::uint32_t>(at), offset_ + static_cast<std::uint32_t>(end)};
    if (t.size() >= 2 && t.front() == '"' && t.back() == '"') {
      w.kind = Word::quoted;
      w.text = unquoted(t.substr(1, t.size() - 2));
    } else if (t.front() == '(') {
      w.kind = Word::expression;
      if (wrapped(t)) w.text = std::string(t.substr(1, t.size() - 2));
    }
    words_.push_back(std::move(w));
    begins_.push_back(at);
    at = end;
  }
  if (!good_) misuse(words_.back().span, "a quote or a bracket is open at the end of the line");
}

bool Arguments::at_keyword(std::string_view k) const {
  const Word* w = peek();
  return w && w->kind == Word::plain && w->text == k;
}

bool Arguments::keyword(std::string_view k) {
  if (!at_keyword(k)) return false;
  ++next_;
  return true;
}

std::string Arguments::rest() {
  if (empty()) return {};
  std::string s = text_.substr(begins_[next_]);
  next_ = words_.size();
  return s;
}

Span Arguments::place() const {
  if (const Word* w = peek()) return w->span;
  return words_.empty() ? statement_ : words_.back().span;
}

Diagnostic& Arguments::error(std::string code, Span span, std::string message) {
  return session_.diagnostics().error(std::move(code), span, std::move(message));
}

Diagnostic& Arguments::misuse(Span span, std::string message) {
  Diagnostic& d = error("E0502", span, std::move(message));
  if (const Command* c = find_command(command_)) d.help = "write `" + synopsis(*c) + "`";
  return d;
}

std::optional<double> plain_number(std::string_view t) {
  if (!t.empty() && t.front() == '+') t.remove_prefix(1);
  double v = 0;
  auto [end, problem] = std::from_chars(t.data(), t.data() + t.size(), v);
  if (problem != std::errc{} || end != t.data() + t.size() || t.empty() || !std::isfinite(v)) return std::nullopt;
  return v;
}

std::optional<double> Arguments::number(std::string_view what, std::string_view unit, bool elements) {
  if (empty()) {
    misuse(place(), "`:" + command_ + "` wants a number after `" + std::string(what) + "`");
    return std::nullopt;
  }
  Word w = take();
  if (w.kind != Word::expression) {
    if (peek() && peek()->kind == Word::plain && peek()->text.front() == '[') {
      const Word& bracket = take();
      w.text += " " + bracket.text;
      w.span = join(w.span, bracket.span);
    } else if (auto v = plain_number(w.text); v && w.kind != Word::quoted) {
      return in_range(*v, w);
    }
  }
  const std::size_t errors = session_.diagnostics().error_count();
  const auto q = w.kind == Word::quoted ? std::nullopt : quantity(w, false);
  if (q && q->type != model::ValueType::real && q->type != model::ValueType::integer && !(elements && q->type == model::ValueType::enumeration)) {
    misuse(w.span, "`" + std::string(what) + "` wants a number, and `" + w.text + "` is none");
    return std::nullopt;
  }
  if (q && !unit.empty() && !q->unit.empty() && q->unit != "1" && q->unit != unit) {
    misuse(w.span, "`" + std::string(what) + (unit == "1" ? "` has no unit" : "` is in " + std::string(unit)) + ", and `" + w.text + "` is in " + q->unit);
    return std::nullopt;
  }
  if (q && q->elements.size() == 1)
    if (auto v = session_.parameter_value(q->elements.front()); v && std::isfinite(*v)) return in_range(*v, w);
  if (session_.diagnostics().error_count() == errors) misuse(w.span, "`" + w.text + "` is no number: `" + std::string(what) + "` wants a value known before the run");
  return std::nullopt;
}

// A number that no double holds in full is none that a command works with, as in a model.
std::optional<double> Arguments::in_range(double v, const Word& w) {
  if (v == 0 || std::fabs(v) >= std::numeric_limits<double>::min()) return v;
  error("E0109", w.span, "the number `" + w.text + "` is out of range").help = "it must be 0, or at least 2.3e-308 in size";
  return std::nullopt;
}

std::optional<std::size_t> Arguments::count(std::string_view what) {
  const Span at = place();
  const auto v = number(what, "1");
  if (!v) return std::nullopt;
  constexpr double most = 1e9;
  if (*v >= 1 && *v <= most && *v == std::floor(*v)) return static_cast<std::size_t>(*v);
  misuse(at, "`" + std::string(what) + "` wants a whole number from 1 to 1e9");
  return std::nullopt;
}

std::optional<std::string> Arguments::word(std::string_view what) {
  if (!empty()) return take().text;
  misuse(place(), "`:" + command_ + "` wants " + std::string(what));
  return std::nullopt;
}

bool Arguments::end() {
  if (empty()) return true;
  misuse(place(), "`:" + command_ + "` does not understand `" + peek()->text + "`");
  return false;
}

// Places in the expression's own text become places in the command.
void Arguments::relocate(const Diagnostics& list, SourceId from, const Word& w) {
  const std::size_t length = w.span.end - w.span.begin, size = w.text.size();
  std::optional<std::uint32_t> base;
  if (w.kind == Word::plain && length == size) base = w.span.begin;
  if (w.kind == Word::expression && length == size + 2) base = w.span.begin + 1;
  if (!located_ && statement_.known())  // an expression that was typed without a command
    if (const std::size_t at = sources::quote(statement_).find(w.text); at != std::string_view::npos) base = statement_.begin + static_cast<std::uint32_t>(at);
  auto move = [&](Span s) -> Span {
    if (s.source != from) return s;
    return base ? Span{w.span.source, *base + s.begin, *base + s.end} : w.span;
  };
  for (Diagnostic d : list.list()) {
    d.span = d.span.known() ? move(d.span) : w.span;
    for (DiagnosticNote& n : d.notes) n.span = move(n.span);
    session_.diagnostics().add(std::move(d));
  }
}

syntax::ExprPtr Arguments::expression(const Word& w) {
  const SourceId source = sources::add("argument", w.text);
  Diagnostics local;
  syntax::ExprPtr e = syntax::parse_expression(source, local);
  relocate(local, source, w);
  return local.has_errors() ? nullptr : e;
}

std::optional<elaborate::Quantity> Arguments::quantity(const Word& w, bool of_result) {
  const syntax::ExprPtr e = expression(w);
  if (!e) return std::nullopt;
  Diagnostics local;
  auto q = of_result ? session_.quantity(*e, local) : session_.current_quantity(*e, local);
  relocate(local, e->span.source, w);
  return local.has_errors() ? std::nullopt : q;
}

std::string Arguments::unit_of(const Word& w) {
  Diagnostics quiet;
  const syntax::ExprPtr e = syntax::parse_expression(sources::add("argument", w.text), quiet);
  const auto q = quiet.has_errors() ? std::nullopt : session_.current_quantity(*e, quiet);
  return q && !quiet.has_errors() ? q->unit : std::string{};
}

}  // namespace kron::repl
