#include "lang/syntax/layout.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "lang/syntax/characters.hpp"
#include "lang/syntax/errors.hpp"
#include "lang/syntax/lexer.hpp"
#include "lang/syntax/parser.hpp"
#include "lang/syntax/words.hpp"

namespace kron::syntax {
namespace {

constexpr std::size_t lookahead = 256;

struct Bracket {
  char open = 0;
  std::size_t at = 0;
};

// A line break inside brackets where an operand follows an operand: if the bracket does not close, the statement ended
// here.
struct Break {
  std::size_t at = 0, bracket = 0, comments = 0, line_start = 0;
};

char closer(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

class Walk {
 public:
  Walk(SourceId source, std::string_view text, Diagnostics& out) : source_(source), text_(text), out_(out) {}

  Layout run() {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;  // a byte order mark
    while (gather()) {
      if (is_command_at(at_)) command();
      else statement();
    }
    if (!comments_.empty()) {
      Piece p = start_piece(at_);
      p.is_comment = true;
      layout_.pieces.push_back(std::move(p));
    }
    return std::move(layout_);
  }

 private:
  Span span(std::size_t begin, std::size_t end) const {
    return {source_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

  std::string comment_text(const Token& t) {
    if (!t.closed) {
      errors::open_comment(out_, span(t.begin, t.begin + 2));
      layout_.is_open = true;
    }
    std::string s(t.in(text_));
    std::erase(s, '\r');
    s.erase(s.find_last_not_of(" \t\n") + 1);
    if (!t.closed) s += " */";
    return s;
  }

  // Blanks, comments and `;` up to the next statement; false at the end of the text.
  bool gather() {
    std::size_t newlines = layout_.pieces.empty() ? 0 : newlines_;
    is_next_line_ = blank_before_ = false;
    for (;;) {
      const Token t = token_at(text_, at_);
      if (t.kind != TokenKind::newline && t.kind != TokenKind::blank && t.kind != TokenKind::end && newlines > 1) {
        if (!comments_.empty()) comments_.emplace_back();
        else blank_before_ = !layout_.pieces.empty();
      }
      if (t.kind == TokenKind::end) return false;
      if (t.kind == TokenKind::newline) {
        ++newlines;
        line_start_ = t.end;
      } else if (t.kind == TokenKind::line_comment || t.kind == TokenKind::block_comment) {
        comments_.push_back(comment_text(t));
        newlines = 0;
        note_lines(t);
      } else if (t.kind != TokenKind::blank && t.in(text_) != ";") {
        is_next_line_ = newlines == 1 && comments_.empty();
        return true;
      }
      at_ = t.end;
    }
  }

  void note_lines(const Token& t) {  // keeps the start of the current line right over tokens that span lines
    if (t.kind != TokenKind::block_comment && t.kind != TokenKind::doc_string) return;
    const std::size_t last = t.in(text_).rfind('\n');
    if (last != std::string_view::npos) line_start_ = t.begin + last + 1;
  }

  Piece start_piece(std::size_t at) {
    Piece p;
    p.begin = p.end = static_cast<std::uint32_t>(at);
    p.column = static_cast<std::uint32_t>(at - line_start_);
    p.blank_before = blank_before_;
    p.is_next_line = is_next_line_;
    p.comments = std::exchange(comments_, {});
    return p;
  }

  // Whether the line that begins at `at` (blanks apart) is a command.
  bool is_command_at(std::size_t at) const {
    if (at >= text_.size() || text_[at] != ':') return false;
    const std::size_t n = name_length(text_, at + 1);
    if (n == 0) return false;
    return !in_statement_ || is_command(text_.substr(at + 1, n));  // by itself, `:word` can only be meant as a command
  }

  // The raw rest of the line, up to a `;` or a `//` after a blank that no quotes or brackets hold.
  void command() {
    Piece p = start_piece(at_);
    p.is_command = true;
    bool quoted = false;
    std::size_t depth = 0, i = at_, end = at_;
    const std::size_t name_end = at_ + 1 + name_length(text_, at_ + 1);
    for (; i < text_.size() && text_[i] != '\n'; ++i) {
      const char c = text_[i];
      if (c == '"') quoted = !quoted;
      if (quoted && c == '\\' && i + 1 < text_.size() && text_[i + 1] == '"') ++i;
      if (!quoted) {
        if (c == '(' || c == '[' || c == '{') ++depth;
        if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
        if (c == ';' && depth == 0) break;
        if (c == '/' && i + 1 < text_.size() && text_[i + 1] == '/' && (is_blank(text_[i - 1]) || i == name_end)) break;
      }
      if (!is_blank(c)) end = i + 1;
    }
    p.end = static_cast<std::uint32_t>(end);
    at_ = i;
    finish(std::move(p));
  }

  // Hands the piece over, with the comments behind it on its last line.
  void finish(Piece p) {
    newlines_ = 0;
    std::vector<std::string> comments;
    std::size_t at = at_;
    for (;;) {
      const Token t = token_at(text_, at);
      const bool is_separator = t.kind == TokenKind::mark && t.in(text_) == ";";
      if (t.kind == TokenKind::newline || t.kind == TokenKind::end) {
        for (std::string& c : comments) p.trailing += (p.trailing.empty() ? "" : " ") + std::move(c);
        at_ = at;
        break;
      }
      if (!is_separator && t.kind != TokenKind::blank && t.kind != TokenKind::line_comment &&
          (t.kind != TokenKind::block_comment || !t.closed || p.is_command))
        break;  // another statement on this line: the comments before it are its own (a command's line holds no /* */)
      if (t.is_space() && t.kind != TokenKind::blank) comments.push_back(comment_text(t));
      at = t.end;
      if (t.kind == TokenKind::block_comment && t.in(text_).find('\n') != std::string_view::npos) {
        for (std::string& c : comments) p.trailing += (p.trailing.empty() ? "" : " ") + std::move(c);
        note_lines(t);
        at_ = at;
        break;
      }
    }
    layout_.pieces.push_back(std::move(p));
  }

  // --- one statement

  void statement() {
    in_statement_ = true;
    piece_ = start_piece(at_);
    brackets_.clear();
    break_.reset();
    open_ifs_ = 0;
    has_header_ = asks_more_ = ends_operand_ = false;
    at_start_ = true;
    gap_end_ = 0;
    inner_.clear();
    while (step()) {}
    in_statement_ = false;
    for (std::string& c : inner_) piece_.comments.push_back(std::move(c));
    finish(std::move(piece_));
  }

  // Takes one token; false when the statement ends before or with it.
  bool step() {
    const Token t = token_at(text_, at_);
    if (t.kind == TokenKind::end) return end_of_text();
    const bool spans_lines = t.kind == TokenKind::block_comment && t.in(text_).find('\n') != std::string_view::npos;
    if (t.kind == TokenKind::newline || spans_lines) {
      if (!goes_on(t.kind == TokenKind::newline ? t.end : t.begin)) return false;
      if (t.kind == TokenKind::newline) line_start_ = t.end;
    }
    if (t.kind == TokenKind::line_comment || t.kind == TokenKind::block_comment) {
      if (!asks_more_ && brackets_.empty() && open_ifs_ == 0 && ends_line(t.end)) return false;  // a trailing comment
      inner_.push_back(comment_text(t));
    }
    if (t.is_space()) {
      note_lines(t);
      at_ = t.end;
      return true;
    }
    if (break_ && !brackets_.empty() && t.begin > break_->at + lookahead) return cut_at_break();
    return t.kind == TokenKind::word ? word(t) : other(t);
  }

  bool ends_line(std::size_t at) const {
    while (at < text_.size() && is_blank(text_[at])) ++at;
    return at >= text_.size() || text_[at] == '\n';
  }

  void take(const Token& t, bool asks_more, bool ends_operand) {
    asks_more_ = asks_more;
    ends_operand_ = ends_operand;
    at_start_ = false;
    note_lines(t);
    at_ = t.end;
    piece_.end = static_cast<std::uint32_t>(t.end);
  }

  // A statement `if` ends its first line with `then`; an expression's `if` binds `then`, `elseif` and `else`.
  bool word(const Token& t) {
    const std::string_view w = t.in(text_);
    const bool was_start = at_start_;
    const WordKind kind = word_kind(w);
    const bool is_operand = kind != WordKind::keyword || w == "end" || w == "true" || w == "false";
    if (!brackets_.empty() || kind == WordKind::name) return take(t, false, is_operand), true;
    const bool is_else = w == "else", is_elseif = w == "elseif" || w == "elsewhen";
    if (is_else || is_elseif || w == "end") {
      if (ends_operand_ && (w == "end" || open_ifs_ == 0)) return false;  // begins a piece of its own
      if (was_start) has_header_ = is_elseif;
      if (is_else && !was_start && open_ifs_ > 0) --open_ifs_;
      take(t, (is_else || is_elseif) && !was_start, w == "end");
      return !(is_else && was_start);  // a statement's `else` stands for itself
    }
    if (w == "then") {
      const bool ends_header = open_ifs_ == 0 && has_header_;
      take(t, !ends_header, false);
      return !ends_header;
    }
    if (w == "if" || w == "when") {
      if (was_start) has_header_ = true;
      else if (w == "if" && !ends_operand_) ++open_ifs_;  // behind an operand it is a component's condition
      take(t, false, false);
      return true;
    }
    const bool is_operator = w == "and" || w == "or" || w == "not";
    take(t, is_operator, is_operand && !(was_start && kind == WordKind::statement));
    at_start_ = was_start && w == "initial";
    return true;
  }

  bool other(const Token& t) {
    const std::string_view s = t.in(text_);
    if (!t.closed) {
      errors::open_string(out_, span(t.begin, t.begin + (t.kind == TokenKind::doc_string ? 3 : 1)),
                          t.kind == TokenKind::doc_string);
      piece_.is_broken = true;
      if (t.kind == TokenKind::doc_string) layout_.is_open = true;
    }
    if (t.kind != TokenKind::mark) return take(t, false, t.kind != TokenKind::unknown), true;
    const char c = s[0];
    if (c == '(' || c == '[' || c == '{') {
      if (brackets_.size() == depth_limit) {
        if (!piece_.is_broken) errors::too_deep(out_, span(t.begin, t.end), "brackets");
        piece_.is_broken = true;
      }
      brackets_.push_back({c, t.begin});
      return take(t, false, false), true;
    }
    if (c == ')' || c == ']' || c == '}') return close(t, c);
    if (c == ';') {
      if (brackets_.empty()) return at_ = t.end, false;
      if (brackets_.back().open != '[' && !break_)
        break_ = Break{t.begin, brackets_.back().at, inner_.size(), line_start_};
    }
    take(t, s != "'" && s != "." && s != "@" && brackets_.empty(), c == '\'');
    if (s == "::" && brackets_.empty()) at_start_ = true;
    return true;
  }

  bool close(const Token& t, char c) {
    if (brackets_.empty()) {
      if (!piece_.is_broken) errors::stray_bracket(out_, span(t.begin, t.end), c);
      piece_.is_broken = true;
    } else if (closer(brackets_.back().open) == c) {
      brackets_.pop_back();
      if (brackets_.empty()) break_.reset();
    } else if (break_) {
      return cut_at_break();
    } else {
      const Bracket open = brackets_.back();
      if (!piece_.is_broken)
        errors::wrong_bracket(out_, span(t.begin, t.end), c, span(open.at, open.at + 1), open.open);
      piece_.is_broken = true;
      const auto match =
          std::find_if(brackets_.rbegin(), brackets_.rend(), [&](const Bracket& b) { return closer(b.open) == c; });
      if (match != brackets_.rend()) brackets_.erase(match.base() - 1, brackets_.end());
      else brackets_.pop_back();
    }
    take(t, false, true);
    return true;
  }

  // --- ends of lines

  // The next token behind a line end; remembered, so that a long gap is walked over once.
  Token next_after(std::size_t at) {
    std::size_t i = at < gap_end_ ? gap_end_ : at;
    Token t = token_at(text_, i);
    while (t.is_space()) t = token_at(text_, t.end);
    gap_end_ = t.begin;
    return t;
  }

  bool begins_other(const Token& t) const {
    if (t.kind == TokenKind::mark && t.in(text_) == ":") return is_command_at(t.begin);
    if (t.kind != TokenKind::word) return false;
    const std::string_view w = t.in(text_);
    if (begins_statement(w)) return true;
    const bool maybe = w == "end" || w == "initial" || word_kind(w) == WordKind::statement;
    if (!maybe) return false;
    Token next = token_at(text_, t.end);  // `end` may be a subscript, `initial()` a call, `root` a name
    if (next.kind == TokenKind::blank) next = token_at(text_, next.end);
    if (w == "end" && (next.kind == TokenKind::newline || next.kind == TokenKind::end || next.in(text_) == ";"))
      return true;
    return next.kind == TokenKind::word && (w == "initial" || word_kind(next.in(text_)) == WordKind::name);
  }

  bool goes_on(std::size_t at) {
    const Token next = next_after(at);
    if (!brackets_.empty()) {
      if (next.kind == TokenKind::end) return true;
      if (begins_other(next)) return break_ ? cut_at_break() : cut(brackets_.back().at);
      const bool is_word = next.kind == TokenKind::word && word_kind(next.in(text_)) != WordKind::name;
      const bool adjacent = ends_operand_ && next.is_operand_start() && !is_word && next.in(text_) != "in";
      if (adjacent && !break_) break_ = Break{at_, brackets_.back().at, inner_.size(), line_start_};
      return true;
    }
    if (next.kind == TokenKind::end) return asks_more_ || open_ifs_ > 0;
    if (asks_more_) return !begins_other(next);
    if (next.kind != TokenKind::word) return false;
    const std::string_view w = next.in(text_);
    if (open_ifs_ == 0) return w == "then" && has_header_;
    return w == "then" || w == "else" || w == "elseif";
  }

  bool cut(std::size_t bracket) {
    if (!piece_.is_broken) errors::open_bracket(out_, span(bracket, bracket + 1), text_[bracket]);
    piece_.is_broken = true;
    return false;
  }

  bool cut_at_break() {
    at_ = break_->at;
    line_start_ = break_->line_start;
    piece_.end = static_cast<std::uint32_t>(at_);
    inner_.resize(break_->comments);
    return cut(break_->bracket);
  }

  bool end_of_text() {
    if (brackets_.empty()) {
      if (asks_more_ || open_ifs_ > 0) layout_.is_open = true;
      return false;
    }
    if (break_) return cut_at_break();
    if (!piece_.is_broken) layout_.is_open = true;
    return cut(brackets_.back().at);
  }

  SourceId source_;
  std::string_view text_;
  Diagnostics& out_;
  Layout layout_;
  std::size_t at_ = 0;          // the place of the walk
  std::size_t line_start_ = 0;  // of the line it is in
  // between statements
  std::vector<std::string> comments_;
  std::size_t newlines_ = 0;
  bool is_next_line_ = false, blank_before_ = false;
  // within a statement
  bool in_statement_ = false;
  Piece piece_;
  std::vector<Bracket> brackets_;
  std::optional<Break> break_;
  std::vector<std::string> inner_;  // comments inside the statement
  std::size_t open_ifs_ = 0;        // expressions `if` whose `else` is still to come
  std::size_t gap_end_ = 0;
  bool at_start_ = false;      // nothing but a label or `initial` stood before
  bool has_header_ = false;    // a statement `if` or `when` whose `then` may follow
  bool asks_more_ = false;     // the last token cannot end a line
  bool ends_operand_ = false;  // the last token ends an operand
};

}  // namespace

Layout lay_out(SourceId source, std::string_view text, Diagnostics& out) { return Walk(source, text, out).run(); }

}  // namespace kron::syntax
