#include "lang/syntax/blocks.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "lang/syntax/errors.hpp"
#include "lang/syntax/lexer.hpp"
#include "lang/syntax/parser.hpp"
#include "lang/syntax/piece_parser.hpp"
#include "lang/syntax/words.hpp"

namespace kron::syntax {
namespace {

// What a block's body may hold (language.md sections 4 to 8).
enum class Place { top, class_body, function_body, function_block, test_body, equations };

struct Block {
  std::shared_ptr<Stmt> stmt;
  std::vector<StmtPtr> body;  // of the branch that is being filled
  Place place{};
  std::uint32_t column = 0;
  Span opened;               // its first line
  std::string what;          // "model Motor", "if"
  bool is_real = true;       // false: its first line did not parse, or it is nested too deeply
  bool has_else_if = false;  // `else if` on one line
};

std::string_view first_word(std::string_view text, const Piece& p) {
  Token t = token_at(text, p.begin);
  for (;;) {  // behind a label and `initial`, as in `balance :: initial for k in 1:n`
    Token next = token_at(text, t.end);
    while (next.is_space()) next = token_at(text, next.end);
    const bool is_label = next.kind == TokenKind::mark && next.in(text) == "::";
    const bool is_initial =
        t.kind == TokenKind::word && t.in(text) == "initial" && next.kind == TokenKind::word && next.begin < p.end;
    if (next.begin >= p.end || (!is_label && !is_initial)) return t.in(text);
    t = is_label ? token_at(text, next.end) : next;
    while (t.is_space()) t = token_at(text, t.end);
  }
}

bool is_class_word(std::string_view w) { return w == "model" || w == "connector" || w == "record" || w == "partial"; }

// Whether `=` stands in the piece outside brackets.
bool has_equals(std::string_view text, const Piece& p) {
  int depth = 0;
  for (Token t = token_at(text, p.begin); t.begin < p.end && t.kind != TokenKind::end; t = token_at(text, t.end)) {
    if (t.kind != TokenKind::mark) continue;
    const char c = text[t.begin];
    if (c == '(' || c == '[' || c == '{') ++depth;
    else if (c == ')' || c == ']' || c == '}') --depth;
    else if (depth == 0 && t.in(text) == "=") return true;
  }
  return false;
}

// Whether a first line that did not parse was meant as a short class: `model Name = ...`.
bool is_short_class(std::string_view text, const Piece& p) {
  std::size_t words = 0;
  const std::size_t most = token_at(text, p.begin).in(text) == "partial" ? 3 : 2;
  for (Token t = token_at(text, p.begin); t.begin < p.end; t = token_at(text, t.end)) {
    if (t.is_space()) continue;
    if (t.kind == TokenKind::word && words < most) ++words;
    else return t.in(text) == "=";
  }
  return false;
}

bool in_function(Place p) { return p == Place::function_body || p == Place::function_block; }

Place place_in(const Stmt& s, Place around) {
  switch (s.kind) {
    case StmtKind::class_: return Place::class_body;
    case StmtKind::function: return Place::function_body;
    case StmtKind::test: return Place::test_body;
    default: return in_function(around) ? Place::function_block : Place::equations;
  }
}

std::string name_of(const Stmt& s) {
  switch (s.kind) {
    case StmtKind::class_: {
      const char* w = s.class_kind == ClassKind::model       ? "model "
                      : s.class_kind == ClassKind::connector ? "connector "
                                                             : "record ";
      return w + s.name.str();
    }
    case StmtKind::function: return "function " + s.name.str();
    case StmtKind::test: return "test";
    case StmtKind::for_: return "for";
    case StmtKind::if_: return "if";
    case StmtKind::when: return "when";
    default: return "initial";
  }
}

struct Refusal {
  std::string what, where, help;
};

// Why a statement cannot stand in a place, if it cannot.
std::optional<Refusal> refuse(const Stmt& s, Place place) {
  const bool is_top = place == Place::top || place == Place::test_body;
  switch (s.kind) {
    case StmtKind::command:
      if (is_top) return {};
      return Refusal{"a command", "inside a block", "close the block with `end` before it"};
    case StmtKind::assign:
    case StmtKind::delete_:
    case StmtKind::experiment:
      if (is_top) return {};
      return Refusal{s.kind == StmtKind::assign    ? "`:=`"
                     : s.kind == StmtKind::delete_ ? "`delete`"
                                                   : "`experiment`",
                     "inside a block",
                     s.kind == StmtKind::assign ? "an equation is written with `=`" : "write it at top level"};
    case StmtKind::test:
      if (place == Place::top) return {};
      return Refusal{"`test`", "inside a block", "write it at top level"};
    case StmtKind::use:
    case StmtKind::function:
    case StmtKind::enumeration:
      if (is_top || place == Place::class_body) return {};
      return Refusal{"this", "inside a block of equations", "write it at top level"};
    case StmtKind::class_:
      if (is_top) return {};
      return Refusal{"a class", "inside a block", "write it at top level"};
    case StmtKind::extends:
      if (place == Place::class_body) return {};
      return Refusal{"`extends`", "outside a class", ""};
    case StmtKind::return_:
      if (in_function(place)) return {};
      return Refusal{"`return`", "outside a function", ""};
    case StmtKind::declaration:
      if (place != Place::equations && place != Place::function_block) return {};
      return Refusal{"a declaration", "inside `if`, `for`, `when` or `initial`",
                     "declare it outside; a component may have a condition: `name : Class if c`"};
    default: return {};
  }
}

class Assembly {
 public:
  Assembly(SourceId source, std::string_view text, Diagnostics& out) : source_(source), text_(text), out_(out) {
    blocks_.emplace_back();
  }

  Blocks run(Layout layout) {
    for (Piece& p : layout.pieces) piece(p);
    const bool is_open = blocks_.size() > 1;
    while (blocks_.size() > 1) leave_open();
    return {std::move(blocks_.front().body), is_open};
  }

 private:
  Span span(std::size_t begin, std::size_t end) const {
    return {source_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  Span span(const Piece& p) const { return span(p.begin, p.end); }
  Block& top() { return blocks_.back(); }

  void piece(Piece& p) {
    if (p.is_comment) return comments(p);
    if (p.is_command) return command(p);
    const std::string_view word = first_word(text_, p);
    warn_about_sign(p);
    if (p.is_broken) return broken(p, word);
    ParsedPiece parsed = parse_piece(source_, text_, p.begin, p.end, out_);
    if (!parsed.stmt) return broken(p, word);
    ends_statement_ = parsed.kind == PieceKind::statement;
    switch (parsed.kind) {
      case PieceKind::statement: return add(std::move(parsed.stmt), p);
      case PieceKind::header: return open(std::move(parsed.stmt), p);
      case PieceKind::end_line: return close(*parsed.stmt, p);
      default: return branch(*parsed.stmt, parsed.kind, p);
    }
  }

  void warn_about_sign(const Piece& p) {
    const char c = text_[p.begin];
    if ((c != '+' && c != '-') || !p.is_next_line || !ends_statement_) return;
    const char next = p.begin + 1 < text_.size() ? text_[p.begin + 1] : ' ';
    if (c == '-' && next != ' ' && next != '\t' && p.column <= column_) return;  // a negative term on a line of its own
    if (!p.is_broken && has_equals(text_, p)) out_.add(errors::sign_at_line_start(span(p.begin, p.begin + 1), c));
  }

  // --- statements

  void comments(Piece& p) {  // those at the end of a body or of the text
    if (p.comments.empty()) return;
    auto s = std::make_shared<Stmt>();
    s->kind = StmtKind::blank;
    s->span = span(p.begin, p.begin);
    s->blank_before = p.blank_before;
    while (!p.comments.empty() && p.comments.back().empty()) p.comments.pop_back();
    s->comments = std::move(p.comments);
    top().body.push_back(std::move(s));
  }

  void trivia(Stmt& s, Piece& p) {
    s.comments = std::move(p.comments);
    s.trailing_comment = std::move(p.trailing);
    s.blank_before = p.blank_before;
    s.depth = static_cast<std::uint32_t>(blocks_.size() - 1);
    column_ = p.column;
  }

  void add(std::shared_ptr<Stmt> s, Piece& p) {
    trivia(*s, p);
    if (s->kind == StmtKind::doc && !take_doc(*s)) return;
    if (const auto r = refuse(*s, top().place)) {
      out_.add(errors::misplaced(s->span, r->what, r->where, r->help));
      return;
    }
    for (auto x = s->literals.begin(); x != s->literals.end(); ++x)
      if (std::find(s->literals.begin(), x, *x) != x) {
        out_.add(errors::literal_twice(s->span, x->str()));
        return;
      }
    top().body.push_back(std::move(s));
  }

  // A string alone is the doc string of the class whose first line is above it.
  bool take_doc(const Stmt& s) {
    Block& b = top();
    const bool may = (b.place == Place::class_body || b.place == Place::function_body) && b.body.empty();
    if (!may) {
      out_.add(errors::misplaced(s.span, "a text alone", "here",
                                 "a doc string stands behind a statement or below a class's first line"));
      return false;
    }
    if (!b.is_real) return true;
    if (!b.stmt->doc.empty()) {
      out_.add(errors::second_doc(s.span));
      return false;
    }
    b.stmt->doc = s.text;
    return true;
  }

  void command(Piece& p) {
    const Token name = token_at(text_, p.begin + 1);
    auto s = std::make_shared<Stmt>();
    s->kind = StmtKind::command;
    s->span = span(p);
    s->name_span = span(p.begin, name.end);
    s->name = name.in(text_);
    std::size_t from = name.end;
    while (from < p.end && (text_[from] == ' ' || text_[from] == '\t')) ++from;
    s->text = text_.substr(from, p.end - from);
    if (!is_command(name.in(text_))) {
      out_.add(errors::unknown_command(s->name_span, name.in(text_)));
      return;
    }
    while (top().place != Place::top && top().place != Place::test_body) {
      leave_open(&s->name_span);
      ++left_open_;
    }
    ends_statement_ = false;
    add(std::move(s), p);
  }

  void broken(Piece& p, std::string_view word) {
    ends_statement_ = false;
    const bool opens = word == "for" || word == "if" || word == "when" || is_test(p) || is_initial_alone(p) ||
                       (is_class_word(word) && !is_short_class(text_, p)) ||
                       (word == "function" && !has_equals(text_, p));
    if (word == "end") return close(Stmt{}, p);
    if (!opens) return;
    auto s = std::make_shared<Stmt>();
    s->kind = word == "for"         ? StmtKind::for_
              : word == "if"        ? StmtKind::if_
              : word == "when"      ? StmtKind::when
              : word == "test"      ? StmtKind::test
              : word == "function"  ? StmtKind::function
              : is_class_word(word) ? StmtKind::class_
                                    : StmtKind::initial_block;
    s->span = span(p);
    Block b;
    b.what = std::string(word);
    b.is_real = false;
    if (s->kind == StmtKind::if_ || s->kind == StmtKind::when) s->branches.emplace_back();
    open_block(std::move(b), std::move(s), p);
  }

  bool is_test(const Piece& p) const {  // and no equation of something called `test`
    Token t = token_at(text_, p.begin);
    if (t.in(text_) != "test") return false;
    t = token_at(text_, t.end);
    if (t.kind == TokenKind::blank) t = token_at(text_, t.end);
    return t.kind != TokenKind::mark;
  }

  bool is_initial_alone(const Piece& p) const { return text_.substr(p.begin, p.end - p.begin) == "initial"; }

  bool begins_line(const Piece& p) const { return begins_line(p.begin, p.column); }
  bool begins_line(std::size_t at, std::size_t column) const {
    const std::string_view before = text_.substr(at - column, column);
    return before.find_first_not_of(" \t") == std::string_view::npos;
  }

  // --- blocks

  void open(std::shared_ptr<Stmt> s, Piece& p) {
    Block b;
    b.what = name_of(*s);
    open_block(std::move(b), std::move(s), p);
  }

  void open_block(Block b, std::shared_ptr<Stmt> s, Piece& p) {
    trivia(*s, p);
    (s->branches.empty() ? s->header_comment : s->branches.front().comment) = std::exchange(s->trailing_comment, {});
    if (!s->branches.empty()) s->branches.front().span = s->span;
    close_forgotten(*s, p);
    const bool is_behind_else = s->kind == StmtKind::if_ && top().stmt && top().stmt->kind == StmtKind::if_ &&
                                top().body.empty() && !top().stmt->branches.back().condition && !begins_line(p);
    if (is_behind_else) top().has_else_if = true;
    if (const auto r = refuse(*s, top().place)) {
      if (b.is_real)
        out_.add(s->kind == StmtKind::class_ ? errors::class_in_class(s->span, b.what, top().what)
                                             : errors::misplaced(s->span, r->what, r->where, r->help));
      b.is_real = false;
    }
    if (blocks_.size() > depth_limit) {
      if (blocks_.size() == depth_limit + 1) out_.add(errors::too_deep(s->span, "blocks"));
      b.is_real = false;
    }
    b.place = place_in(*s, top().place);
    b.column = p.column;
    b.opened = s->span;
    b.stmt = std::move(s);
    blocks_.push_back(std::move(b));
  }

  // A class that begins no further right than the block it stands in: that block's `end` was forgotten.
  void close_forgotten(const Stmt& s, const Piece& p) {
    if (s.kind != StmtKind::class_ && s.kind != StmtKind::test) return;
    while (blocks_.size() > 1 && top().place != Place::test_body && p.column <= top().column) leave_open();
  }

  void leave_open(const Span* before = nullptr) {
    if (blocks_.size() <= depth_limit + 1) {
      Diagnostic d = errors::open_block(top().opened, top().what);
      if (before) d.notes.push_back({*before, "a command cannot stand inside it"});
      if (top().has_else_if) d.help = "write `elseif` for `else if`";
      if (suspect_) d.notes.push_back(*suspect_);
      out_.add(std::move(d));
    }
    suspect_.reset();
    top().is_real = false;
    pop(span(top().opened.begin, top().opened.end));
  }

  void close(const Stmt& end, Piece& p) {
    std::vector<std::string> before = std::move(p.comments);
    Piece dangling;
    dangling.begin = p.begin;
    dangling.comments = std::move(before);
    dangling.blank_before = p.blank_before;
    comments(dangling);
    ends_statement_ = true;
    if (blocks_.size() == 1) {
      if (left_open_ > 0) --left_open_;
      else out_.add(errors::stray_end(span(p), "end"));
      return;
    }
    if (!end.name.empty()) check_name(end);
    Block& b = top();
    if (!suspect_ && p.column != b.column && begins_line(p) && begins_line(b.opened.begin, b.column))
      suspect_ = DiagnosticNote{
          span(p), "this `end` closed `" + b.what + "`; by its indentation it may have been meant for another block"};
    b.stmt->trailing_comment = std::move(p.trailing);
    pop(span(p));
  }

  // `end Name`: closes the blocks inside the class of that name, or is wrong.
  void check_name(const Stmt& end) {
    const auto is_named = [&](const Block& b) {
      return !b.stmt || b.stmt->name == end.name || (!b.is_real && b.stmt->name.empty() && b.place != Place::equations);
    };
    if (top().stmt && is_named(top())) return;
    for (std::size_t i = blocks_.size() - 1; i > 0; --i) {
      if (!is_named(blocks_[i])) continue;
      while (blocks_.size() - 1 > i) leave_open();
      return;
    }
    out_.add(errors::wrong_end(end.name_span, end.name.str(), top().what, top().opened));
  }

  void pop(Span last) {
    Block b = std::move(top());
    blocks_.pop_back();
    if (!b.stmt->branches.empty()) b.stmt->branches.back().body = std::move(b.body);
    else b.stmt->body = std::move(b.body);
    b.stmt->span = join(b.stmt->span, last);
    if (source_.value == 0) b.stmt->span.end = std::max(b.stmt->span.end, last.end);
    if (b.is_real) top().body.push_back(std::move(b.stmt));
  }

  void branch(Stmt& s, PieceKind kind, Piece& p) {
    Block& b = top();
    const bool is_when = kind == PieceKind::elsewhen_line;
    const std::string word = is_when ? "elsewhen" : kind == PieceKind::else_line ? "else" : "elseif";
    ends_statement_ = false;
    if (blocks_.size() == 1 || b.stmt->kind != (is_when ? StmtKind::when : StmtKind::if_)) {
      out_.add(errors::stray_end(span(p), word));
      return;
    }
    if (!b.stmt->branches.back().condition && b.is_real) {
      out_.add(errors::stray_end(span(p), word));
      return;
    }
    Piece dangling;
    dangling.begin = p.begin;
    dangling.comments = std::move(p.comments);
    dangling.blank_before = p.blank_before;
    comments(dangling);
    b.stmt->branches.back().body = std::move(b.body);
    b.body.clear();
    b.stmt->branches.push_back(std::move(s.branches.front()));
    b.stmt->branches.back().span = span(p);
    b.stmt->branches.back().comment = std::move(p.trailing);
  }

  SourceId source_;
  std::string_view text_;
  Diagnostics& out_;
  std::vector<Block> blocks_;
  std::uint32_t column_ = 0;               // of the last statement
  bool ends_statement_ = false;            // the last piece was a complete statement
  std::size_t left_open_ = 0;              // blocks that a command closed: their `end`, if it comes, is no second error
  std::optional<DiagnosticNote> suspect_;  // an `end` whose indentation does not fit the block that it closed
};

}  // namespace

Blocks build_blocks(SourceId source, std::string_view text, Layout layout, Diagnostics& out) {
  return Assembly(source, text, out).run(std::move(layout));
}

}  // namespace kron::syntax
